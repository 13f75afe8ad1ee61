/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/folder_lock.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PRIVATE "tracebook-"
enum { RANDOM = 6, YOUNG_S = 60, TRIES = 16 };

int folder_lock(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(err, "cannot open the folder %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) { /* not: a disk without locks */
		fail(err, "another collect is at work in %s; wait for it, or choose another --out",
			path);
		close(fd);
		return -1;
	}
	return fd;
}

int folder_lock_private(const char *parent, char **path, struct err *err)
{
	if (asprintf(path, "%s/" PRIVATE "XXXXXX", parent) < 0)
		abort();
	if (mkdtemp(*path))
		return folder_lock(*path, err);
	fail_errno(err, "cannot make a folder for the recording, %s (TMPDIR)", *path);
	free(*path);
	*path = NULL;
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	remove(path);
	return 0;
}

/* Again, where a process that goes on has written into it meanwhile. */
void folder_remove(const char *path)
{
	for (int i = 0; i < TRIES && !nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);)
		i++;
}

/* Nobody has taken it; one that was made a moment ago may be about to be. */
static bool is_left(int parent, const char *name)
{
	struct stat st;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool left = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		(st.st_mode & 07777) == 0700 && time(NULL) - st.st_mtime > YOUNG_S &&
		!flock(fd, LOCK_EX | LOCK_NB);
	if (fd >= 0)
		close(fd);
	return left;
}

void folder_sweep(const char *parent)
{
	DIR *all = opendir(parent);
	for (struct dirent *e; all && (e = readdir(all));) {
		char path[4096];
		if (strncmp(e->d_name, PRIVATE, strlen(PRIVATE)) != 0 ||
			strlen(e->d_name) != strlen(PRIVATE) + RANDOM ||
			!is_left(dirfd(all), e->d_name) ||
			snprintf(path, sizeof path, "%s/%s", parent, e->d_name) >= (int)sizeof path)
			continue;
		folder_remove(path);
	}
	if (all)
		closedir(all);
}

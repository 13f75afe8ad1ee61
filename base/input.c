/* SPDX-License-Identifier: Apache-2.0 */
#include "base/input.h"

#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)			 ? "a folder; name a file in it"
		: S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
		: S_ISSOCK(mode)		 ? "a socket"
		: S_ISFIFO(mode)		 ? "a pipe that nobody named"
						 : "no regular file";
}

static bool is_null_device(const struct stat *st)
{
	struct stat null;
	return S_ISCHR(st->st_mode) && !stat("/dev/null", &null) && st->st_rdev == null.st_rdev;
}

static bool may_be_read(const struct stat *st, enum input_from from, bool is_stdin)
{
	if (S_ISREG(st->st_mode))
		return true;
	if (from == INPUT_FOUND)
		return false;
	return S_ISFIFO(st->st_mode) || (is_stdin && (S_ISSOCK(st->st_mode) || is_null_device(st)));
}

static int open_stdin(struct err *err)
{
	struct stat st;
	if (fstat(STDIN_FILENO, &st))
		return fail_errno(err, "stdin");
	if (!may_be_read(&st, INPUT_NAMED, true))
		return fail(err, "stdin is %s: nothing is read from there",
			isatty(STDIN_FILENO) ? "a terminal" : kind_of(st.st_mode));
	/* A file is opened anew, to be read from its beginning, as often as somebody wants. */
	int fd = S_ISREG(st.st_mode) ? open(OPT_STDIN, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? fail_errno(err, "stdin") : fd;
}

/* Reading a pipe that no writer has opened yet gives its end at once; poll() knows better. */
static void wait_for_writer(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
}

int input_open(const char *path, enum input_from from, struct err *err)
{
	struct stat st;
	if (from == INPUT_NAMED && !strcmp(path, OPT_STDIN))
		return open_stdin(err);
	if (stat(path, &st))
		return fail_errno(err, "cannot read %s", path);
	/* Opening alone makes some devices act, so they are asked first. */
	if (!may_be_read(&st, from, false))
		return fail(err, "%s is %s: not read", path, kind_of(st.st_mode));
	/* Without a wait: what calls itself a regular file in /proc may have one. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		fail_errno(err, "cannot read %s", path);
	} else if (!may_be_read(&st, from, false)) {
		fail(err, "%s is %s: not read", path, kind_of(st.st_mode));
	} else {
		if (S_ISFIFO(st.st_mode))
			wait_for_writer(fd);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool input_is_file(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool steps_up(const char *name)
{
	for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/')
		if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2]))
			return true;
	return false;
}

const char *input_within(struct arena *a, const char *folder, const char *name)
{
	if (*name == '/' || steps_up(name))
		return NULL;
	const char *path = arena_printf(a, "%s/%s", folder, name);
	char *real = realpath(path, NULL), *top = realpath(folder, NULL);
	size_t n = top ? strlen(top) : 0;
	bool within =
		!real || !top || !strcmp(top, "/") || (!strncmp(real, top, n) && real[n] == '/');
	free(real);
	free(top);
	return within ? path : NULL;
}

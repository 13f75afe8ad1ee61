/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"

#include "base/verbosity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int make_folders(const char *path, struct err *err)
{
	char part[4096];
	if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
		return fail(err, "%.80s...: the path is too long", path);
	for (char *p = part + 1;; p++) {
		char c = *p;
		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			return fail_errno(err, "cannot make the folder %s", part);
		*p = c;
		if (c == '\0')
			break;
	}
	struct stat st;
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return fail(err, "%s is in the way: a folder is needed there", path);
	return 0;
}

static int make_parent(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	char parent[4096];
	snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
	return make_folders(parent, err);
}

/* A link that waits under the temporary name is not written through either. */
static FILE *open_temporary(const char *path)
{
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? NULL : fdopen(fd, "wb");
}

static int open_file(struct outfile *out, const char *path, bool named, struct err *err)
{
	*out = (struct outfile){0};
	if (snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path)
		return fail(err, "%.80s...: the path is too long", path);
	if (named && !strcmp(path, "-")) {
		int fd = fflush(stdout) ? -1 : dup(STDOUT_FILENO);
		out->f = fd < 0 ? NULL : fdopen(fd, "wb");
		return out->f ? 0 : fail_errno(err, "cannot write to stdout");
	}
	struct stat st, link;
	bool is_link = !lstat(path, &link) && S_ISLNK(link.st_mode);
	bool there = !stat(path, &st) && (named || !is_link);
	if (there && S_ISDIR(st.st_mode))
		return fail(err, "%s is a folder: a file is to be written there", path);
	if (!there && make_parent(path, err))
		return -1;
	/* A rename would put a file in the place of a device, a pipe or a link. */
	bool in_place = named && there && (is_link || !S_ISREG(st.st_mode));
	if (!in_place)
		snprintf(
			out->temporary, sizeof out->temporary, "%s.%ld.part", path, (long)getpid());
	out->f = in_place ? fopen(path, "wb") : open_temporary(out->temporary);
	if (!out->f)
		return fail_errno(err, "cannot write %s", path);
	return 0;
}

int outfile_open(struct outfile *out, const char *path, struct err *err)
{
	return open_file(out, path, true, err);
}

int outfile_open_unnamed(struct outfile *out, const char *path, struct err *err)
{
	return open_file(out, path, false, err);
}

int outfile_close(struct outfile *out, struct err *err)
{
	if (!out->f)
		return fail(err, "cannot write %s", out->path);
	int bad = ferror(out->f);
	long bytes = talk_is_verbose() ? ftell(out->f) : 0;
	if (fclose(out->f) && !bad)
		bad = 1;
	out->f = NULL;
	if (bad)
		fail_errno(err, "cannot write %s (is the disk full?)", out->path);
	else if (out->temporary[0] && rename(out->temporary, out->path))
		fail_errno(err, "cannot put %s in place", out->path);
	else {
		talk_detail("wrote %s, %ld bytes", out->path, bytes);
		return 0;
	}
	if (out->temporary[0])
		unlink(out->temporary);
	return -1;
}

/* Do two files hold the same? What cannot be read does not. */
static bool same_bytes(const char *left, const char *right)
{
	enum { BLOCK = 65536 };
	FILE *a = fopen(left, "rb"), *b = a ? fopen(right, "rb") : NULL;
	char *bytes = xalloc(2 * BLOCK);
	bool same = b != NULL;
	for (size_t n = BLOCK; same && n == BLOCK;) {
		n = fread(bytes, 1, BLOCK, a);
		same = fread(bytes + BLOCK, 1, BLOCK, b) == n && !memcmp(bytes, bytes + BLOCK, n);
	}
	same = same && !ferror(a) && !ferror(b);
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	free(bytes);
	return same;
}

int outfile_close_changed(struct outfile *out, struct err *err)
{
	struct stat st, made;
	if (!out->f || !out->temporary[0] || ferror(out->f) || fflush(out->f))
		return outfile_close(out, err);
	bool same = !lstat(out->path, &st) && S_ISREG(st.st_mode) &&
		!fstat(fileno(out->f), &made) && made.st_size == st.st_size &&
		same_bytes(out->temporary, out->path);
	if (!same)
		return outfile_close(out, err);
	outfile_drop(out);
	talk_detail("%s is as it was", out->path);
	return 0;
}

int outfile_copy(struct outfile *out, FILE *from, struct err *err)
{
	char bytes[65536];
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
		fwrite(bytes, 1, n, out->f);
	return ferror(from) ? fail_errno(err, "cannot read what becomes %s", out->path) : 0;
}

void outfile_drop(struct outfile *out)
{
	if (!out->f)
		return;
	fclose(out->f);
	out->f = NULL;
	if (out->temporary[0])
		unlink(out->temporary);
}

/* More than `limit` bytes are not kept: what comes behind is not looked at. */
static char *read_up_to(FILE *f, size_t limit, size_t *length)
{
	size_t room = 64 * 1024, n = 0;
	char *text = xalloc(room + 1);
	while ((n += fread(text + n, 1, room - n, f)) == room && n <= limit) {
		room *= 2;
		text = xrealloc(text, room + 1, 1);
	}
	text[n] = '\0';
	*length = n;
	return text;
}

char *read_small_input(
	const char *path, enum input_from from, size_t limit, size_t *length, struct err *err)
{
	size_t n;
	int fd = input_open(path, from, err);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
	if (!f)
		return NULL;
	char *text = read_up_to(f, limit, &n);
	int bad = 0;
	if (ferror(f))
		bad = fail_errno(err, "cannot read %s", path);
	else if (n > limit)
		bad = fail(err, "%s is larger than %zu bytes: not the small file expected here",
			path, limit);
	fclose(f);
	if (bad) {
		free(text);
		return NULL;
	}
	if (length)
		*length = n;
	return text;
}

char *read_small_file(const char *path, size_t limit, size_t *length, struct err *err)
{
	return read_small_input(path, INPUT_FOUND, limit, length, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/overwrite.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKED_AT = 1 << 20 };

static bool stat_of(const char *path, struct stat *st)
{
	return !strcmp(path, "-") ? !fstat(STDOUT_FILENO, st) : !stat(path, st);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- what is there already ---- */

static bool has_at(int fd, int64_t offset, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	char there[128];
	if (n > sizeof there || offset < 0)
		return false;
	return pread(fd, there, n, offset) == (ssize_t)n && !memcmp(there, text ? text : "", n);
}

static bool holds(int fd, const char *text)
{
	if (!text)
		return true;
	char *head = xalloc(LOOKED_AT);
	ssize_t n = pread(fd, head, LOOKED_AT, 0);
	bool found = n > 0 && memmem(head, (size_t)n, text, strlen(text));
	free(head);
	return found;
}

static bool has_mark(const char *path, int64_t bytes, const struct file_mark *mark)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	int64_t end = mark->ends ? bytes - (int64_t)strlen(mark->ends) : 0;
	bool ours = has_at(fd, 0, mark->begins) && has_at(fd, end, mark->ends) &&
		holds(fd, mark->holds);
	close(fd);
	return ours;
}

static int check_there(
	const char *option, const char *path, const struct file_mark *mark, struct err *err)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size ||
		has_mark(path, st.st_size, mark))
		return 0;
	return fail(err,
		"--%s would overwrite %s, which holds something else than --%s writes: remove it "
		"first, or name another file",
		option, path, option);
}

int overwrite_check_within(
	const char *option, const char *path, const struct file_mark *mark, struct err *err)
{
	struct stat st;
	bool link = !lstat(path, &st) && S_ISLNK(st.st_mode);
	return link ? 0 : check_there(option, path, mark, err);
}

/* ---- two of one name ---- */

/* A file that need not be there yet: the nearest folder above it that is, and what comes below. */
struct place {
	struct stat above;
	char *rest; /* owned, without repeated slashes */
};

static struct place place_of(const char *path)
{
	struct place p = {.rest = xstrdup("")};
	char *text = xstrdup(path), *up = text;
	while (stat(up, &p.above)) {
		char *copy = xstrdup(up), *rest = p.rest;
		size_t room = strlen(copy) + strlen(rest) + 2;
		p.rest = xalloc(room);
		stpcpy(stpcpy(stpcpy(p.rest, "/"), basename(copy)), rest);
		free(copy);
		free(rest);
		up = dirname(up);
	}
	free(text);
	return p;
}

static bool is_file_or_new(const struct place *p)
{
	return *p->rest || S_ISREG(p->above.st_mode) || S_ISDIR(p->above.st_mode);
}

static bool same_place(const char *one, const char *other)
{
	if (!strcmp(one, "-") || !strcmp(other, "-"))
		return false; /* told by the streams' own check */
	struct place a = place_of(one), b = place_of(other);
	bool same = same_file(&a.above, &b.above) && !strcmp(a.rest, b.rest) && is_file_or_new(&a);
	free(a.rest);
	free(b.rest);
	return same;
}

static int check_others(const struct planned *output, int at, struct err *err)
{
	const struct planned *o = &output[at];
	for (int i = 0; i < at; i++)
		if (output[i].path && !(output[i].folder && o->folder) &&
			same_place(output[i].path, o->path))
			return fail(err, "--%s and --%s would both write %s", output[i].option,
				o->option, o->path);
	return 0;
}

/* ---- names of other formats ---- */

static const char *suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	return dot ? dot + 1 : "";
}

static bool is_format(const char *suffix)
{
	static const char *const formats[] = {"pdf", "svg", "png", "md", "json", "csv", "html",
		"htm", "gz", "zip", "jpg", "jpeg", "ps", "eps", "xlsx", "docx", "sqlite",
		"nsys-rep", "pftrace"};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcasecmp(suffix, formats[i]))
			return true;
	return false;
}

static int check_suffix(const struct planned *o, struct err *err)
{
	const char *ours = o->mark->suffix, *asked = suffix_of(o->path);
	struct stat st;
	if (!ours || !strcasecmp(asked, ours) || !is_format(asked) ||
		(!stat(o->path, &st) && !S_ISREG(st.st_mode)))
		return 0;
	return fail(err, "--%s writes .%s, and %s asks for .%s", o->option, ours, o->path, asked);
}

/* ---- inputs ---- */

/* Standard output goes wherever the shell said, whatever the options are. */
static int check_inputs(
	const char *path, const char *option, const char *const *read, int n_read, struct err *err)
{
	struct stat st, in;
	if (!stat_of(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (int i = 0; i < n_read; i++)
		if (!stat(read[i], &in) && same_file(&st, &in))
			return fail(err, "%s%s would overwrite %s, which is read",
				option ? "--" : "standard output", option ? option : "", read[i]);
	return 0;
}

static int check_one(
	const struct planned *output, int at, const char *const *read, int n_read, struct err *err)
{
	const struct planned *o = &output[at];
	if (check_inputs(o->path, o->option, read, n_read, err) || check_others(output, at, err))
		return -1;
	if (o->folder || !strcmp(o->path, "-"))
		return 0;
	return check_suffix(o, err) ? -1 : check_there(o->option, o->path, o->mark, err);
}

int overwrite_check(
	const struct planned *output, int n, const char *const *read, int n_read, struct err *err)
{
	for (int i = 0; i < n; i++)
		if (output[i].path && check_one(output, i, read, n_read, err))
			return -1;
	return check_inputs("-", NULL, read, n_read, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/source.h"

#include "base/input.h"
#include "base/min_max.h"
#include "report/parse/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SNIFF = 2, LARGEST_READ = 1 << 30 };

/* A thread of its own is worth its start from this many compressed bytes on. */
enum { WORTH_A_THREAD = 32 * 1024 };

struct source {
	int fd;
	bool lent; /* the fd belongs to another source */
	int64_t file_bytes; /* -1: no regular file */
	int64_t at; /* next byte of a regular file, whose fd several sources may share */
	int64_t end; /* where that ended when it was opened: what is written behind meanwhile is not
			read, or it might never end. 0: not known, as in /proc */
	bool unreadable;
	struct gzip *gzip; /* NULL for a plain file */
	unsigned char sniffed[SNIFF]; /* read to tell the form, given out first */
	size_t n_sniffed;
};

/* Bytes of the file until n, the end, or an error. */
static size_t read_file(struct source *s, void *to, size_t n)
{
	size_t got = 0;
	if (s->end && (int64_t)n > s->end - s->at)
		n = (size_t)(s->end - s->at);
	while (got < n) {
		char *p = (char *)to + got;
		ssize_t k = s->file_bytes < 0 ? read(s->fd, p, n - got)
					      : pread(s->fd, p, n - got, s->at);
		if (k < 0 && errno == EINTR)
			continue;
		s->unreadable |= k < 0;
		if (k <= 0)
			break;
		got += (size_t)k;
		s->at += k;
	}
	return got;
}

/* The same with the sniffed bytes in front. */
static size_t feed(void *source, void *to, size_t n)
{
	struct source *s = source;
	size_t k = min_size(s->n_sniffed, n);
	memcpy(to, s->sniffed, k);
	memmove(s->sniffed, s->sniffed + k, s->n_sniffed - k);
	s->n_sniffed -= k;
	return k + read_file(s, (char *)to + k, n - k);
}

static int begin(struct source *s, const char *path, int threads, struct err *err)
{
	struct stat st;
	s->fd = input_open(path, INPUT_NAMED, err);
	if (s->fd < 0)
		return -1;
	if (fstat(s->fd, &st))
		return fail_errno(err, "%s", path);
	s->file_bytes = S_ISREG(st.st_mode) ? st.st_size : -1;
	s->end = s->file_bytes > 0 ? st.st_size : 0;
	s->n_sniffed = read_file(s, s->sniffed, SNIFF);
	if (s->unreadable)
		return fail_errno(err, "%s", path);
	bool gz = s->n_sniffed == SNIFF && s->sniffed[0] == 0x1f && s->sniffed[1] == 0x8b;
	bool large = s->file_bytes < 0 || s->file_bytes >= WORTH_A_THREAD;
	if (gz)
		s->gzip = gzip_open(feed, s, threads > 1 || (!threads && large));
	return 0;
}

struct source *source_open(const char *path, int threads, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	if (!begin(s, path, threads, err))
		return s;
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->gzip)
		gzip_close(s->gzip);
	if (s->fd >= 0 && !s->lent)
		close(s->fd);
	free(s);
}

size_t source_read(struct source *s, char *to, size_t n)
{
	if (n > LARGEST_READ)
		n = LARGEST_READ;
	return s->gzip ? gzip_read(s->gzip, to, n) : feed(s, to, n);
}

char *source_lend(struct source *s, const char *kept, size_t n_kept, size_t most, size_t *n)
{
	return s->gzip ? gzip_lend(s->gzip, kept, n_kept, most, n) : NULL;
}

enum source_trouble source_trouble(const struct source *s, struct bad_members *bad)
{
	*bad = (struct bad_members){0};
	enum source_trouble trouble = s->gzip ? gzip_trouble(s->gzip, bad) : SOURCE_SOUND;
	return s->unreadable ? SOURCE_UNREADABLE : trouble;
}

bool source_compressed(const struct source *s)
{
	return s->gzip;
}

int64_t source_file_bytes(const struct source *s)
{
	return s->file_bytes;
}

struct source *source_split(const struct source *s, int64_t offset)
{
	if (s->gzip || s->file_bytes < 0)
		return NULL;
	struct source *other = xcalloc(1, sizeof *other);
	*other = (struct source){.fd = s->fd,
		.lent = true,
		.file_bytes = s->file_bytes,
		.at = offset,
		.end = s->end};
	return other;
}

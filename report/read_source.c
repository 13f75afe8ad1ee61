#include "report/read_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { COMPRESSED_CHUNK = 64 * 1024, GZIP_BITS = 15 + 16, SNIFF = 2 };

struct source {
	int fd;
	bool lent; /* the fd belongs to another source */
	int64_t file_bytes;
	int64_t at; /* next byte of a regular file, whose fd several sources may share */
	enum source_trouble trouble;
	bool gz, ended;
	unsigned char sniffed[SNIFF]; /* bytes of a plain file that were read to tell its form */
	size_t n_sniffed;
	z_stream z;
	unsigned char in[COMPRESSED_CHUNK];
};

/* read() until n bytes, the end, or an error. */
static size_t read_all(struct source *s, void *to, size_t n)
{
	size_t got = 0;
	while (got < n) {
		char *p = (char *)to + got;
		ssize_t k = s->file_bytes < 0 ? read(s->fd, p, n - got)
					      : pread(s->fd, p, n - got, s->at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			s->trouble = SOURCE_UNREADABLE;
		if (k <= 0)
			break;
		got += (size_t)k;
		s->at += k;
	}
	return got;
}

static int begin(struct source *s, const char *path, struct err *err)
{
	struct stat st;
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st))
		return fail_errno(err, "%s", path);
	if (S_ISDIR(st.st_mode))
		return fail(err, "%s: is a folder; name a trace file in it", path);
	s->file_bytes = S_ISREG(st.st_mode) ? st.st_size : -1;
	s->n_sniffed = read_all(s, s->sniffed, SNIFF);
	if (s->trouble)
		return fail_errno(err, "%s", path);
	s->gz = s->n_sniffed == SNIFF && s->sniffed[0] == 0x1f && s->sniffed[1] == 0x8b;
	if (!s->gz)
		return 0;
	memcpy(s->in, s->sniffed, SNIFF);
	s->z.next_in = s->in;
	s->z.avail_in = SNIFF;
	if (inflateInit2(&s->z, GZIP_BITS) != Z_OK)
		out_of_memory(0);
	return 0;
}

struct source *source_open(const char *path, int threads, struct err *err)
{
	(void)threads;
	struct source *s = xcalloc(1, sizeof *s);
	if (!begin(s, path, err))
		return s;
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->fd >= 0 && !s->lent)
		close(s->fd);
	if (s->gz)
		inflateEnd(&s->z);
	free(s);
}

static bool refill(struct source *s)
{
	if (s->z.avail_in)
		return true;
	s->z.next_in = s->in;
	s->z.avail_in = (uInt)read_all(s, s->in, sizeof s->in);
	return s->z.avail_in > 0;
}

/* Behind a member: another one, or nothing, or bytes that are none. */
static void next_member(struct source *s)
{
	if (!refill(s)) {
		s->ended = true;
	} else if (s->z.next_in[0] != 0x1f) {
		s->trouble = SOURCE_TRAILING;
		s->ended = true;
	} else {
		inflateReset(&s->z);
	}
}

static size_t inflate_some(struct source *s, char *to, size_t n)
{
	s->z.next_out = (unsigned char *)to;
	s->z.avail_out = (uInt)n;
	while (s->z.avail_out && !s->ended) {
		if (!refill(s)) {
			s->trouble = s->trouble ? s->trouble : SOURCE_CUT;
			s->ended = true;
			break;
		}
		int status = inflate(&s->z, Z_NO_FLUSH);
		if (status == Z_STREAM_END) {
			next_member(s);
		} else if (status != Z_OK && status != Z_BUF_ERROR) {
			bool checksum = s->z.msg && strstr(s->z.msg, "check");
			s->trouble = checksum ? SOURCE_CHECKSUM : SOURCE_DAMAGED;
			s->ended = true;
		}
	}
	return n - s->z.avail_out;
}

size_t source_read(struct source *s, char *to, size_t n)
{
	if (n > 1 << 30)
		n = 1 << 30;
	if (s->gz)
		return inflate_some(s, to, n);
	size_t k = s->n_sniffed < n ? s->n_sniffed : n;
	memcpy(to, s->sniffed, k);
	memmove(s->sniffed, s->sniffed + k, s->n_sniffed - k);
	s->n_sniffed -= k;
	return k + read_all(s, to + k, n - k);
}

enum source_trouble source_trouble(const struct source *s)
{
	return s->trouble;
}

bool source_compressed(const struct source *s)
{
	return s->gz;
}

int64_t source_file_bytes(const struct source *s)
{
	return s->file_bytes;
}

struct source *source_split(const struct source *s, int64_t offset)
{
	if (s->gz || s->file_bytes < 0)
		return NULL;
	struct source *other = xcalloc(1, sizeof *other);
	*other = (struct source){
		.fd = s->fd, .lent = true, .file_bytes = s->file_bytes, .at = offset};
	return other;
}

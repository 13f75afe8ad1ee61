/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "report/parse/gzip_out.h"

#include "base/err.h"
#include "base/min_max.h"

#include <isa-l.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PACKED_CHUNK = 64 * 1024, MOST_AT_ONCE = 1 << 30 };

struct packer {
	FILE *to;
	struct isal_zstream state;
	unsigned char out[PACKED_CHUNK], level_memory[ISAL_DEF_LVL1_DEFAULT];
};

static bool pack(struct packer *p, const char *from, size_t n, bool end)
{
	struct isal_zstream *s = &p->state;
	s->next_in = (unsigned char *)from;
	s->avail_in = (uint32_t)n;
	s->end_of_stream = end;
	do {
		s->next_out = p->out;
		s->avail_out = sizeof p->out;
		if (isal_deflate(s) != COMP_OK)
			return false;
		size_t made = sizeof p->out - s->avail_out;
		if (fwrite(p->out, 1, made, p->to) != made)
			return false;
	} while (!s->avail_out || s->avail_in);
	return true;
}

static ssize_t write_packed(void *packer, const char *from, size_t n)
{
	n = min_size(n, MOST_AT_ONCE);
	return pack(packer, from, n, false) ? (ssize_t)n : 0;
}

static int close_packed(void *packer)
{
	int result = pack(packer, "", 0, true) ? 0 : EOF;
	free(packer);
	return result;
}

FILE *gzip_out(FILE *to, const char *comment)
{
	struct packer *p = xcalloc(1, sizeof *p);
	struct isal_gzip_header header;
	isal_deflate_init(&p->state);
	p->to = to;
	p->state.level = 1;
	p->state.level_buf = p->level_memory;
	p->state.level_buf_size = sizeof p->level_memory;
	p->state.gzip_flag = IGZIP_GZIP_NO_HDR;
	p->state.next_out = p->out;
	p->state.avail_out = sizeof p->out;
	isal_gzip_header_init(&header);
	header.comment = (char *)comment;
	header.comment_buf_len = (uint32_t)strlen(comment) + 1;
	size_t room =
		isal_write_gzip_header(&p->state, &header) ? 0 : sizeof p->out - p->state.avail_out;
	fwrite(p->out, 1, room, to);
	const cookie_io_functions_t io = {.write = write_packed, .close = close_packed};
	FILE *f = fopencookie(p, "w", io);
	if (!f)
		free(p);
	return f;
}

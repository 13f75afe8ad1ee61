/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/adopt.h"

#include "base/outfile.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 65536, AT_ONCE = 1 << 20 };

/* Zeroed and ended by a NUL; from the beginning, or the last of it. */
static size_t look_at(FILE *f, bool end, char *text)
{
	memset(text, 0, LOOK + 1);
	if (fseek(f, 0, SEEK_END))
		return 0;
	long size = ftell(f);
	if (fseek(f, end && size > LOOK ? size - LOOK : 0, SEEK_SET))
		return 0;
	return fread(text, 1, LOOK, f);
}

static void look_for_gpu(struct adopted *a, const char *head)
{
	static const char key[] = "\"name\": \"";
	const char *devices = strstr(head, "\"deviceProperties\""), *events, *name;
	if (!devices)
		return;
	events = strstr(devices, "\"traceEvents\"");
	name = strstr(devices, key);
	if (!name || (events && name > events))
		return;
	name += sizeof key - 1;
	snprintf(a->gpu, sizeof a->gpu, "%.*s", (int)strcspn(name, "\""), name);
	a->on_gpu = true;
}

static void look_whole(struct adopted *a, const char *tail, size_t n)
{
	while (n && strchr(" \n\r\t", tail[n - 1]))
		n--;
	a->whole = n && tail[n - 1] == '}';
}

/* What stands before the events is written by libkineto alone: an object, and text. */
static bool is_head(const char *text, size_t n)
{
	const char *events = strstr(text, "\"traceEvents\"");
	const char *p = text + strspn(text, " \n\r\t"), *end = events ? events : text + n;
	bool good = *p == '{';
	while (good && p < end) {
		const char *at = p;
		uint32_t c = utf8_next(&p);
		bool cut = n == LOOK && at + 4 > text + n; /* a character that goes on behind it */
		good = cut || (c != UTF8_BAD && (c >= ' ' || (c && strchr("\n\r\t", (int)c))));
		p += cut && p == at;
	}
	return good;
}

static int copy(FILE *from, struct outfile *to, struct err *err)
{
	char *bytes = xalloc(AT_ONCE);
	size_t n;
	while ((n = fread(bytes, 1, AT_ONCE, from)) > 0)
		fwrite(bytes, 1, n, to->f);
	free(bytes);
	return ferror(from) ? fail_errno(err, "cannot read a trace") : 0;
}

/* The first brace, then what we add. Text that does not begin with one is copied as it is. */
static void copy_head(FILE *from, struct outfile *to, long rank, long world, bool told)
{
	int c;
	while ((c = getc(from)) != EOF && strchr(" \n\r\t", c))
		;
	if (c != EOF)
		putc(c, to->f);
	if (c != '{' || told || rank < 0)
		return;
	fprintf(to->f, "\n  \"distributedInfo\": {\"rank\": %ld", rank);
	if (world > 0)
		fprintf(to->f, ", \"world_size\": %ld", world);
	fputs("},", to->f);
}

bool adopt_destroyed(const char *from, struct err *err)
{
	FILE *f = fopen(from, "rb");
	if (!f)
		return false; /* who takes it over will say so */
	char *text = xalloc(LOOK + 1);
	size_t n = look_at(f, false, text);
	bool destroyed = n && !is_head(text, n);
	free(text);
	fclose(f);
	if (destroyed)
		fail(err, "the file is destroyed: the program crashed while it was written");
	return destroyed;
}

int adopt_trace(
	struct adopted *a, const char *from, const char *to, long rank, long world, struct err *err)
{
	struct outfile out;
	*a = (struct adopted){0};
	FILE *f = fopen(from, "rb");
	if (!f)
		return fail_errno(err, "cannot read %s", from);
	char *text = xalloc(LOOK + 1);
	look_at(f, false, text);
	look_for_gpu(a, text);
	bool told = strstr(text, "\"distributedInfo\"") != NULL;
	look_whole(a, text, look_at(f, true, text));
	told = told || strstr(text, "\"distributedInfo\"");
	a->bytes = ftell(f);
	free(text);
	rewind(f);
	int result = outfile_open(&out, to, err);
	if (!result) {
		copy_head(f, &out, rank, world, told);
		result = copy(f, &out, err);
		if (outfile_close(&out, err))
			result = -1;
	}
	fclose(f);
	return result;
}

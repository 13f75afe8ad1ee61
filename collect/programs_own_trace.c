/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "collect/programs_own_trace.h"

#include "base/outfile.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { LOOK = 65536 };

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
	a->whole = n && (tail[n - 1] == '}' || tail[n - 1] == ']');
}

/* "START END REST" in ns since 1970, as events of the trace; whether there was one. A line that is
 * none is left out. */
static bool write_rows(FILE *to, const char *path, int64_t base_ns)
{
	char *line = NULL;
	size_t room = 0, n = 0;
	FILE *f = fopen(path, "re");
	for (ssize_t got; f && (got = getline(&line, &room, f)) > 0;) {
		char *rest = NULL;
		int64_t start_ns = strtoll(line, &rest, 10), end_ns = strtoll(rest, &rest, 10);
		if (line[got - 1] != '\n' || strncmp(rest, " \"ph\"", 5) != 0)
			continue;
		line[got - 1] = '\0';
		int64_t at_ns = start_ns - base_ns, dur_ns = end_ns - start_ns;
		fprintf(to, "%s\n  {\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,%s}",
			n++ ? "," : "", at_ns / 1000, (int)(at_ns % 1000), dur_ns / 1000,
			(int)(dur_ns % 1000), rest + 1);
	}
	free(line);
	if (f)
		fclose(f);
	return n > 0;
}

/* From the first byte to that behind the bracket that opens the events: copied, with rows behind. A
 * file without that is left as it is. */
static void copy_to_events(
	FILE *from, struct outfile *to, const char *head, const char *rows, int64_t base_ns)
{
	static const char key[] = "\"traceEvents\"";
	const char *events = strstr(head, key);
	const char *open = events ? strchr(events, '[') : *head == '[' ? head : NULL;
	if (!rows || !open)
		return;
	for (long left = open - head + 1 - ftell(from); left > 0; left--)
		putc(getc(from), to->f);
	const char *first = open + 1 + strspn(open + 1, " \n\r\t");
	if (write_rows(to->f, rows, base_ns) && *first != ']')
		putc(',', to->f);
}

static int64_t base_in(const char *text)
{
	static const char key[] = "\"baseTimeNanoseconds\":";
	const char *at = strstr(text, key);
	return at ? strtoll(at + sizeof key - 1, NULL, 10) : 0;
}

/* The first brace, then what we add. Text that does not begin with one is copied as it is. */
static void copy_head(FILE *from, struct outfile *to, long rank, long world, bool told)
{
	int c = getc(from);
	if (c != EOF)
		putc(c, to->f);
	if (c != '{' || told || rank < 0)
		return;
	fprintf(to->f, "\n  \"distributedInfo\": {\"rank\": %ld", rank);
	if (world > 0)
		fprintf(to->f, ", \"world_size\": %ld", world);
	fputs("},", to->f);
}

static bool file_works(const char *path)
{
	static const char *const work[] = {
		"\"cpu_op\"", "\"kernel\"", "\"gpu_mem", "\"Operator\"", "\"aten::"};
	FILE *f = path ? fopen(path, "re") : NULL;
	char *text = xalloc(LOOK + 1);
	bool found = false;
	for (size_t n; f && !found && (n = fread(text, 1, LOOK, f)) > 0;) {
		text[n] = '\0';
		for (size_t i = 0; i < sizeof work / sizeof *work; i++)
			found = found || strstr(text, work[i]);
	}
	free(text);
	if (f)
		fclose(f);
	return found;
}

/* ---- names that are no JSON ---- */

/* Of the escape whose backslash is at p; 0: it is none. */
static size_t escape_bytes(const char *p, const char *end)
{
	enum { HEX = 4 };
	if (end - p < 2 || !p[1] || !strchr("\"\\/bfnrtu", p[1]))
		return 0;
	if (p[1] != 'u')
		return 2;
	const char *hex = p + 2;
	while (hex < end && hex < p + 2 + HEX && isxdigit((unsigned char)*hex))
		hex++;
	return hex == p + 2 + HEX ? 2 + HEX : 0;
}

/* The bytes of the character at p that may stand in a JSON text as they are; 0: they may not. */
static size_t sound_bytes(const char *p, const char *end)
{
	if (*p == '\\')
		return escape_bytes(p, end);
	const char *next = p;
	uint32_t c = utf8_next(&next);
	return c == UTF8_BAD || c < 0x20 || c == '"' || next > end ? 0 : (size_t)(next - p);
}

/* [p, end) stands between the quotes of a name. Nothing moves. */
static void mend_name(char *p, const char *end)
{
	while (p < end) {
		size_t n = sound_bytes(p, end);
		if (!n)
			*p = *p == '"' ? '\'' : *p == '\\' ? '/' : '?';
		p += n ? n : 1;
	}
}

/* Each event's first line has "name" between "cat" and "pid". */
static void mend_names(char *text, size_t n)
{
	static const char before[] = ", \"name\": \"", behind[] = "\", \"pid\": ";
	char *end = text + n, *p = text;
	while ((p = memmem(p, (size_t)(end - p), before, sizeof before - 1))) {
		char *name = p + sizeof before - 1, *last = NULL;
		char *line = memchr(name, '\n', (size_t)(end - name));
		p = line ? line : end;
		for (char *at = name;
			(at = memmem(at, (size_t)(p - at), behind, sizeof behind - 1)); at++)
			last = at;
		if (last)
			mend_name(name, last);
	}
}

/* What is left of `from`. libkineto writes some names with bare quotes and bytes that are rubbish
 * (kineto#1459), and then no reader of JSON takes the file. */
static int copy_mended(struct outfile *to, FILE *from, struct err *err)
{
	struct stat st;
	long at = ftell(from);
	char *text = !fstat(fileno(from), &st) && at >= 0 && st.st_size > at
		? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(from),
			  0)
		: MAP_FAILED;
	if (text == MAP_FAILED)
		return outfile_copy(to, from, err);
	mend_names(text, (size_t)st.st_size);
	fwrite(text + at, 1, (size_t)(st.st_size - at), to->f);
	munmap(text, (size_t)st.st_size);
	return 0;
}

bool adopt_works(const char *from, const char *rows)
{
	return file_works(from) || file_works(rows);
}

int adopt_trace(struct adopted *a, const char *from, const char *rows, const char *to, long rank,
	long world, struct err *err)
{
	struct outfile out;
	*a = (struct adopted){0};
	FILE *f = fopen(from, "rb");
	if (!f)
		return fail_errno(err, "cannot read %s", from);
	char *head = xalloc(LOOK + 1), *tail = xalloc(LOOK + 1);
	look_at(f, false, head);
	look_for_gpu(a, head);
	look_whole(a, tail, look_at(f, true, tail));
	bool told = strstr(head, "\"distributedInfo\"") || strstr(tail, "\"distributedInfo\"");
	int64_t base_ns = base_in(head) ? base_in(head) : base_in(tail);
	fseek(f, (long)strspn(head, " \n\r\t"), SEEK_SET);
	int result = outfile_open_unnamed(&out, to, err);
	if (!result) {
		copy_head(f, &out, rank, world, told);
		copy_to_events(f, &out, head, rows, base_ns);
		result = copy_mended(&out, f, err);
		if (outfile_close(&out, err))
			result = -1;
	}
	fclose(f);
	free(head);
	free(tail);
	return result;
}

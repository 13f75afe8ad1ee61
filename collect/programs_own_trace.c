/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/programs_own_trace.h"

#include "base/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		result = outfile_copy(&out, f, err);
		if (outfile_close(&out, err))
			result = -1;
	}
	fclose(f);
	free(head);
	free(tail);
	return result;
}

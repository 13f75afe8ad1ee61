/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real trace, made large: out/bench/bench_repeat TRACE.json LARGE.json BYTES
 *
 * Writes the events of a plain trace again and again until the file has so many bytes, every time
 * later by the length of the trace, so that nothing overlaps that did not before. Ids repeat. What
 * stands around the event list is kept. Prints how often the list was written.
 */
#define _GNU_SOURCE
#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	const char *at, *end;
};

static struct text read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END)) {
		perror(path);
		exit(1);
	}
	size_t n = (size_t)ftell(f);
	rewind(f);
	char *text = xalloc(n + 1);
	n = fread(text, 1, n, f);
	text[n] = '\0';
	fclose(f);
	return (struct text){text, text + n};
}

/* The inside of the event list: from behind its bracket to the last bracket of the file. */
static struct text find_events(struct text file)
{
	const char *key = strstr(file.at, "\"traceEvents\"");
	const char *open = strchr(key ? key : file.at, '[');
	const char *close = memrchr(file.at, ']', (size_t)(file.end - file.at));
	if (!open || !close || close <= open) {
		fprintf(stderr, "bench_repeat: no list of events\n");
		exit(1);
	}
	return (struct text){open + 1, close};
}

/* The whole microseconds of the next stamp at or after p; NULL behind the last one. */
static const char *next_stamp(const char *p, const char *end)
{
	p = memmem(p, (size_t)(end - p), "\"ts\":", 5);
	return p ? p + 5 + strspn(p + 5, " ") : NULL;
}

static int64_t length_us(struct text events)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (const char *p = events.at; (p = next_stamp(p, events.end));) {
		int64_t us = strtoll(p, NULL, 10);
		first = us < first ? us : first;
		last = us > last ? us : last;
	}
	return last >= first ? last - first + 1 : 0;
}

static void write_later(FILE *f, struct text events, int64_t by_us)
{
	const char *p = events.at, *stamp;
	for (; (stamp = next_stamp(p, events.end)); p = stamp + strspn(stamp, "-0123456789")) {
		fwrite(p, 1, (size_t)(stamp - p), f);
		fprintf(f, "%" PRId64, (int64_t)strtoll(stamp, NULL, 10) + by_us);
	}
	fwrite(p, 1, (size_t)(events.end - p), f);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: bench_repeat TRACE.json LARGE.json BYTES\n");
		return 2;
	}
	struct text file = read_text(argv[1]), events = find_events(file);
	int64_t wanted = strtoll(argv[3], NULL, 10), length = length_us(events), times = 1;
	FILE *f = fopen(argv[2], "wb");
	if (!f) {
		perror(argv[2]);
		return 1;
	}
	fwrite(file.at, 1, (size_t)(events.end - file.at), f);
	for (; ftello(f) < wanted; times++) {
		fputc(',', f);
		write_later(f, events, times * length);
	}
	fwrite(events.end, 1, (size_t)(file.end - events.end), f);
	if (ferror(f) | fclose(f)) {
		perror(argv[2]);
		return 1;
	}
	printf("%" PRId64 "\n", times);
	free((char *)file.at);
	return 0;
}

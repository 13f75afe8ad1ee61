/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/recorder_notes.h"

#include "base/min_max.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 4096 };

/* The sum of one of each process that Linux can have (2^22) fits. */
static const int64_t MOST_COUNT = INT64_C(1) << 40;
/* The difference of two fits. */
static const int64_t MOST_TIME = INT64_MAX / 2;

static const char *const kind_words[TRACED_KINDS] = {"start", "window"};

/* A FIFO or a link that a program puts there is none of ours. */
static FILE *open_note(const char *folder, pid_t pid)
{
	char path[LINE];
	struct stat st;
	snprintf(path, sizeof path, "%s/python.%d", folder, (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *f = fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : fdopen(fd, "r");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

static struct recorder_part *part_of(struct recorder_notes *r, const char *word)
{
	for (int i = 0; i < TRACED_KINDS; i++)
		if (!strcmp(word, kind_words[i]))
			return &r->part[i];
	return NULL;
}

/* The n numbers that a text begins with, and what stands behind them; NULL: there are fewer, or one
 * is out of bounds. */
static const char *read_numbers(const char *text, int64_t *number, int n, int64_t most)
{
	for (int i = 0; i < n; i++) {
		char *end = NULL;
		number[i] = strtoll(text, &end, 10);
		if (end == text || number[i] < -1 || number[i] > most)
			return NULL;
		text = end;
	}
	return text;
}

/* "start 12 34 5 time", behind the word "wrote". */
static void read_wrote(struct recorder_notes *r, struct arena *a, const char *text)
{
	char kind[16] = "", why[64] = "";
	int64_t number[3];
	int begin = 0;
	sscanf(text, "%15s%n", kind, &begin);
	const char *rest = read_numbers(text + begin, number, 3, MOST_TIME);
	struct recorder_part *p = part_of(r, kind);
	if (!rest || !p)
		return;
	sscanf(rest, "%63s", why);
	p->began_ns = number[0];
	p->ended_ns = number[1];
	p->steps = number[2];
	p->why = arena_strdup(a, why);
}

static void read_took(struct recorder_notes *r, const char *text)
{
	char kind[16] = "";
	int64_t took_ns = 0;
	int begin = 0;
	sscanf(text, "%15s%n", kind, &begin);
	struct recorder_part *p = part_of(r, kind);
	if (p && read_numbers(text + begin, &took_ns, 1, MOST_TIME))
		p->took_ns = max64(took_ns, 0);
}

static void read_rank(struct recorder_notes *r, const char *text)
{
	int64_t n[2];
	if (read_numbers(text, n, 2, INT32_MAX)) {
		r->rank = n[0];
		r->world = n[1];
	}
}

static void read_reach(struct recorder_notes *r, struct arena *a, const char *word)
{
	if (!strcmp(word, "context"))
		r->unsettled = true;
	else
		r->alone = strcmp(word, "all") ? arena_strdup(a, word) : NULL;
}

static void read_begin(struct recorder_notes *r, struct arena *a, const char *text)
{
	char kind[16] = "", threads[16] = "", stacks[16] = "";
	int64_t at = 0;
	int begin = 0;
	sscanf(text, "%15s%n", kind, &begin);
	const char *rest = read_numbers(text + begin, &at, 1, MOST_TIME);
	struct recorder_part *p = part_of(r, kind);
	if (!p || !rest)
		return;
	sscanf(rest, "%15s %15s", threads, stacks);
	p->begun = true;
	p->began_ns = at;
	read_reach(r, a, threads);
	r->stacks = r->stacks || !strcmp(stacks, "stacks");
}

static void read_torch(struct recorder_notes *r, struct arena *a, const char *text)
{
	char torch[64] = "", python[32] = "";
	if (sscanf(text, "%63s %31s", torch, python) < 1)
		return;
	r->torch = arena_strdup(a, torch);
	r->python = arena_strdup(a, python);
}

/* "-1 7 50 3000000 900000 0 0 0" of a loop, "3 8 0 0 0 50 1200000 88" of a worker. */
static void read_loading(struct recorder_loading *l, const char *text)
{
	int64_t n[8];
	*l = (struct recorder_loading){.worker = -1};
	if (read_numbers(text, n, 8, MOST_TIME) && max64(n[0], n[2]) <= MOST_COUNT &&
		max64(n[5], n[7]) <= MOST_COUNT)
		*l = (struct recorder_loading){.worker = n[0],
			.parent = n[1],
			.batches = n[2],
			.wait_ns = n[3],
			.work_ns = n[4],
			.made = n[5],
			.make_ns = n[6],
			.samples = n[7]};
}

static void read_place(struct recorder_loading *l, struct arena *a, const char *text)
{
	for (int i = 0; i < TRACED_PLACES; i++)
		if (!l->place[i].name) {
			int64_t n = 0;
			const char *name = read_numbers(text, &n, 1, MOST_COUNT);
			if (name)
				l->place[i] = (struct recorder_place){
					arena_strdup(a, name + (*name == ' ')), n};
			return;
		}
}

static void read_line(struct recorder_notes *r, struct arena *a, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	size_t n = strcspn(line, " ");
	const char *rest = line + n + (line[n] == ' ');
	line[n] = '\0';
	if (!strcmp(line, "torch"))
		read_torch(r, a, rest);
	else if (!strcmp(line, "rank"))
		read_rank(r, rest);
	else if (!strcmp(line, "begin"))
		read_begin(r, a, rest);
	else if (!strcmp(line, "waits"))
		read_reach(r, a, rest);
	else if (!strcmp(line, "wrote"))
		read_wrote(r, a, rest);
	else if (!strcmp(line, "took"))
		read_took(r, rest);
	else if (!strcmp(line, "loading"))
		read_loading(&r->loading, rest);
	else if (!strcmp(line, "in"))
		read_place(&r->loading, a, rest);
	else if (!strcmp(line, "threads"))
		r->threads = strtol(rest, NULL, 10);
	else if (!strcmp(line, "failed") || !strcmp(line, "trouble"))
		r->failed = arena_strdup(a, rest);
	else if (!strcmp(line, "injected"))
		r->injected = arena_strdup(a, rest);
	else if (!strcmp(line, "gave-way"))
		r->gave_way = true;
	else if (!strcmp(line, "forked"))
		r->forked = true;
}

static const char *plain_file(
	struct arena *a, const char *folder, const char *kind, pid_t pid, const char *end)
{
	struct stat st;
	const char *path = arena_printf(a, "%s/%s.%d.%s", folder, kind, (int)pid, end);
	return !lstat(path, &st) && S_ISREG(st.st_mode) ? path : NULL;
}

int recorder_notes_read(struct recorder_notes *r, struct arena *a, const char *folder, pid_t pid)
{
	char line[LINE];
	FILE *f = open_note(folder, pid);
	*r = (struct recorder_notes){.pid = pid, .rank = -1, .world = -1, .loading.worker = -1};
	if (!f)
		return -1;
	while (fgets(line, sizeof line, f))
		read_line(r, a, line);
	fclose(f);
	for (int i = 0; i < TRACED_KINDS; i++) {
		struct recorder_part *p = &r->part[i];
		p->json = plain_file(a, folder, kind_words[i], pid, "json");
		p->rows = plain_file(a, folder, kind_words[i], pid, "rows");
		p->why = p->why ? p->why : "";
	}
	return 0;
}

bool recorder_notes_busy(const char *folder, pid_t pid, bool *writes)
{
	char line[LINE];
	FILE *f = open_note(folder, pid);
	*writes = false;
	if (!f)
		return false;
	bool busy = flock(fileno(f), LOCK_SH | LOCK_NB) != 0;
	while (busy && fgets(line, sizeof line, f))
		*writes = !strncmp(line, "writing ", 8);
	fclose(f);
	return busy;
}

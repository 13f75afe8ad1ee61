/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/merge.h"

#include "base/arena.h"
#include "base/config.h"
#include "base/outfile.h"
#include "collect/progress.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct part {
	const char *folder;
	cJSON *root; /* of its run.json, owned */
};

struct merging {
	struct arena arena;
	struct part *part; /* (n, room) owned */
	size_t n, room;
	const char *out;
};

/* ---- which runs ---- */

static int add_part(struct merging *m, const char *folder, struct err *err)
{
	cJSON *root = config_read(arena_printf(&m->arena, "%s/run.json", folder), err);
	if (!root)
		return -1;
	if (m->n == m->room) {
		m->room = m->room ? m->room * 2 : 16;
		m->part = xrealloc(m->part, m->room, sizeof *m->part);
	}
	m->part[m->n++] = (struct part){arena_strdup(&m->arena, folder), root};
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_folder(struct merging *m, const char *path, int depth, struct err *err)
{
	enum { DEEPEST = 3 };
	struct arena *a = &m->arena;
	if (!access(arena_printf(a, "%s/run.json", path), F_OK))
		return add_part(m, path, err);
	DIR *folder = opendir(path);
	const char *name[256];
	size_t n = 0;
	if (!folder)
		return fail_errno(err, "cannot read the folder %s", path);
	for (struct dirent *e; n < 256 && (e = readdir(folder));) {
		struct stat st;
		const char *inside = arena_printf(a, "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.' && !stat(inside, &st) && S_ISDIR(st.st_mode))
			name[n++] = inside;
	}
	closedir(folder);
	if (n)
		qsort(name, n, sizeof *name, by_name);
	for (size_t i = 0; i < n && depth < DEEPEST; i++)
		if (add_folder(m, name[i], depth + 1, err))
			return -1;
	return 0;
}

/* ---- do they fit? ---- */

static char *words_of(const cJSON *value)
{
	char *text = value ? cJSON_PrintUnformatted(value) : NULL;
	return text ? text : xstrdup("nothing");
}

static int same(const struct merging *m, const struct part *p, const cJSON *a, const cJSON *b,
	const char *what, struct err *err)
{
	if ((!a && !b) || cJSON_Compare(a, b, true))
		return 0;
	char *one = words_of(a), *other = words_of(b);
	fail(err, "%s and %s do not fit: %s is %.200s there and %.200s here", m->part[0].folder,
		p->folder, what, one, other);
	free(one);
	free(other);
	return -1;
}

/* What a person did at another time or place does not count; what ran it does. */
static int same_environment(const struct merging *m, const struct part *p, struct err *err)
{
	const cJSON *a = config_find(m->part[0].root, "environment");
	const cJSON *b = config_find(p->root, "environment"), *fact;
	cJSON_ArrayForEach(fact, a)
	{
		/* of machines alike, some have a little less; a node may be told its number */
		if (!strcmp(fact->string, "Memory") || !strcmp(fact->string, "Command"))
			continue;
		if (same(m, p, fact, config_find(b, fact->string), fact->string, err))
			return -1;
	}
	return 0;
}

static int fits(const struct merging *m, const struct part *p, struct err *err)
{
	const cJSON *first = m->part[0].root;
	static const char *const members[] = {"tracebook", "device"};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (same(m, p, config_find(first, members[i]), config_find(p->root, members[i]),
			    members[i], err))
			return -1;
	const cJSON *a = config_find(first, "matrix"), *b = config_find(p->root, "matrix");
	const cJSON *c = cJSON_GetArrayItem(config_find(first, "cases"), 0);
	const cJSON *d = cJSON_GetArrayItem(config_find(p->root, "cases"), 0);
	if (same(m, p, config_find(a, "hash"), config_find(b, "hash"), "the matrix", err) ||
		(!a &&
			same(m, p, config_find(c, "experiment"), config_find(d, "experiment"),
				"the program", err)))
		return -1;
	return same_environment(m, p, err);
}

/* ---- one run of them ---- */

static cJSON *find_case(cJSON *cases, const char *id)
{
	cJSON *entry;
	cJSON_ArrayForEach(entry, cases)
	{
		if (!strcmp(config_words(entry, "id"), id))
			return entry;
	}
	return NULL;
}

static int copy_file(const char *from, const char *to, struct err *err)
{
	struct outfile out;
	char bytes[65536];
	FILE *f = fopen(from, "rb");
	if (!f)
		return fail_errno(err, "cannot read %s", from);
	int result = outfile_open_unnamed(&out, to, err);
	for (size_t n; !result && (n = fread(bytes, 1, sizeof bytes, f)) > 0;)
		fwrite(bytes, 1, n, out.f);
	if (!result)
		result = outfile_close(&out, err);
	fclose(f);
	return result;
}

/* A trace may be packed. A name that leads out of the run is not followed. */
static int copy_of_case(struct merging *m, const struct part *p, const cJSON *entry,
	const char *member, struct err *err)
{
	struct arena *a = &m->arena;
	const char *file = config_words(entry, member);
	if (!*file || strstr(file, "..") || *file == '/')
		return 0;
	const char *from = arena_printf(a, "%s/%s", p->folder, file);
	const char *to = arena_printf(a, "%s/%s", m->out, file);
	if (access(from, F_OK)) {
		from = arena_printf(a, "%s.gz", from);
		to = arena_printf(a, "%s.gz", to);
	}
	return copy_file(from, to, err);
}

static int take_case(
	struct merging *m, cJSON *cases, const struct part *p, const cJSON *entry, struct err *err)
{
	const char *id = config_words(entry, "id");
	bool done = !strcmp(config_words(entry, "status"), "done");
	cJSON *there = find_case(cases, id);
	bool there_done = there && !strcmp(config_words(there, "status"), "done");
	if (there_done && done)
		return fail(err,
			"%s is done in %s and in another run: two of the same cannot be one", id,
			p->folder);
	if (there && !done && strcmp(config_words(entry, "status"), "failed") != 0)
		return 0;
	if (there && there_done)
		return 0;
	cJSON *copy = cJSON_Duplicate(entry, true);
	if (!there)
		cJSON_AddItemToArray(cases, copy);
	else
		cJSON_ReplaceItemViaPointer(cases, there, copy);
	if (!done)
		return 0;
	return copy_of_case(m, p, entry, "trace", err) || copy_of_case(m, p, entry, "table", err)
		? -1
		: 0;
}

static int take_cases(struct merging *m, cJSON *cases, struct err *err)
{
	for (size_t i = 0; i < m->n; i++) {
		const cJSON *entry;
		cJSON_ArrayForEach(entry, config_find(m->part[i].root, "cases"))
		{
			if (take_case(m, cases, &m->part[i], entry, err))
				return -1;
		}
	}
	return 0;
}

/* ---- clocks ---- */

struct moments {
	int64_t *ns; /* (n, room) ends of collectives, owned */
	size_t n, room;
	bool kernels; /* they are NCCL's kernels */
};

static int by_time(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

static double number_after(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	return at ? strtod(at + strlen(key), NULL) : -1;
}

/* NCCL's calls return on the host when they like; its kernels are left together. So these are taken
 * where there are any, and ranges of the host only where there are none. */
static bool is_collective(struct moments *m, const char *line)
{
	bool nccl = strstr(line, "\"name\": \"nccl");
	bool kernel = nccl && strstr(line, "\"cat\": \"kernel\"");
	if (kernel && !m->kernels)
		m->n = 0;
	m->kernels = m->kernels || kernel;
	return kernel || (!m->kernels && (nccl || strstr(line, "\"name\": \"gloo:")));
}

/* An event is on one line, or its times on the next, as libkineto writes it. */
static void take_moments(struct moments *m, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	bool open = false;
	double base_ns = 0;
	while (getline(&line, &room, f) > 0) {
		if (strstr(line, "\"baseTimeNanoseconds\""))
			base_ns = number_after(line, "\"baseTimeNanoseconds\": ");
		open = open || is_collective(m, line);
		double ts = open ? number_after(line, "\"ts\": ") : -1;
		double dur = open ? number_after(line, "\"dur\": ") : -1;
		if (strchr(line, '}') && ts < 0)
			open = false;
		if (ts < 0 || dur < 0)
			continue;
		open = false;
		if (m->n == m->room) {
			m->room = m->room ? m->room * 2 : 256;
			m->ns = xrealloc(m->ns, m->room, sizeof *m->ns);
		}
		m->ns[m->n++] = (int64_t)base_ns + (int64_t)((ts + dur) * 1e3);
	}
	free(line);
	if (m->n)
		qsort(m->ns, m->n, sizeof *m->ns, by_time);
}

static struct moments moments_of(const char *path)
{
	struct moments m = {0};
	FILE *f = fopen(path, "r");
	if (f)
		take_moments(&m, f);
	if (f)
		fclose(f);
	return m;
}

static int64_t median(int64_t *of, size_t n)
{
	qsort(of, n, sizeof *of, by_time);
	return of[n / 2];
}

/* How far the differences lie from their median, as a median. */
static int64_t spread_at(
	const int64_t *a, const int64_t *b, size_t n, int64_t *room, int64_t *middle)
{
	for (size_t i = 0; i < n; i++)
		room[i] = b[i] - a[i];
	*middle = median(room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = llabs(b[i] - a[i] - *middle);
	return median(room, n);
}

size_t clock_offset(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, int64_t *offset_ns)
{
	enum { FARTHEST = 64 };
	size_t least = n_a < n_b ? n_a : n_b, best_n = 0;
	int64_t *room = xcalloc(least + 1, sizeof *room), best = INT64_MAX;
	for (long shift = -FARTHEST; shift <= FARTHEST; shift++) {
		size_t skip_a = shift < 0 ? (size_t)-shift : 0,
		       skip_b = shift > 0 ? (size_t)shift : 0;
		if (skip_a >= n_a || skip_b >= n_b)
			continue;
		size_t n = n_a - skip_a < n_b - skip_b ? n_a - skip_a : n_b - skip_b;
		int64_t middle, spread;
		if (n < 3 || n * 2 < least)
			continue;
		spread = spread_at(a + skip_a, b + skip_b, n, room, &middle);
		/* of two that agree alike, the clocks that are closer */
		if (spread < best || (spread == best && llabs(middle) < llabs(*offset_ns))) {
			best = spread;
			best_n = n;
			*offset_ns = middle;
		}
	}
	free(room);
	return best_n;
}

static const char *trace_of(struct merging *m, const cJSON *entry)
{
	const char *file = config_words(entry, "trace");
	return *file ? arena_printf(&m->arena, "%s/%s", m->out, file) : NULL;
}

static void compare_clocks(struct merging *m, cJSON *cases)
{
	cJSON *first = NULL, *entry;
	struct moments of_first = {0};
	cJSON_ArrayForEach(entry, cases)
	{
		const char *path = cJSON_HasObjectItem(entry, "rank") ? trace_of(m, entry) : NULL;
		int64_t offset_ns = 0;
		if (!path)
			continue;
		struct moments here = moments_of(path);
		if (!first) {
			first = entry;
			of_first = here;
			continue;
		}
		size_t n = clock_offset(of_first.ns, of_first.n, here.ns, here.n, &offset_ns);
		if (n) {
			cJSON_AddNumberToObject(entry, "clock_offset_ns", (double)offset_ns);
			progress_note("%s: its clock is %+.3f ms against %s, by %zu collectives",
				config_words(entry, "id"), (double)offset_ns * 1e-6,
				config_words(first, "id"), n);
		}
		free(here.ns);
	}
	free(of_first.ns);
}

/* ---- all of it ---- */

static int merge(struct merging *m, struct err *err)
{
	for (size_t i = 1; i < m->n; i++)
		if (fits(m, &m->part[i], err))
			return -1;
	if (!access(arena_printf(&m->arena, "%s/run.json", m->out), F_OK))
		return fail(err, "%s holds a run already: name another folder with --out", m->out);
	cJSON *root = cJSON_Duplicate(m->part[0].root, true), *cases = cJSON_CreateArray();
	cJSON_ReplaceItemInObjectCaseSensitive(root, "cases", cases);
	int result = take_cases(m, cases, err);
	if (!result) {
		compare_clocks(m, cases);
		result = config_write(root, arena_printf(&m->arena, "%s/run.json", m->out), err);
	}
	if (!result)
		progress_note("%zu runs are one, with %d cases: %s", m->n,
			cJSON_GetArraySize(cases), m->out);
	cJSON_Delete(root);
	return result;
}

int merge_runs(const char *const *folders, size_t n, const char *out, struct err *err)
{
	struct merging m = {.out = out};
	int result = 0;
	for (size_t i = 0; i < n && !result; i++)
		result = add_folder(&m, folders[i], 0, err);
	if (!result && m.n < 2)
		result = fail(err, "%s in %s: there is nothing to merge",
			m.n ? "only one run" : "no run.json", folders[0]);
	if (!result)
		result = merge(&m, err);
	for (size_t i = 0; i < m.n; i++)
		cJSON_Delete(m.part[i].root);
	free(m.part);
	arena_release(&m.arena);
	return result;
}

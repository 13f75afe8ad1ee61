/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/merge.h"

#include "base/arena.h"
#include "base/config.h"
#include "base/outfile.h"
#include "base/verbosity.h"

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
	struct part *part; /* (n, room) */
	size_t n;
	int room;
	const char *out;
};

/* ---- which runs ---- */

static int add_part(struct merging *m, const char *folder, struct err *err)
{
	cJSON *root = config_read(arena_printf(&m->arena, "%s/run.json", folder), err);
	if (!root)
		return -1;
	m->part = arena_room(&m->arena, m->part, (int)m->n, &m->room, sizeof *m->part);
	m->part[m->n++] = (struct part){arena_strdup(&m->arena, folder), root};
	return 0;
}

static int is_inside(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int add_folder(struct merging *m, const char *path, int depth, struct err *err)
{
	enum { DEEPEST = 3 };
	struct arena *a = &m->arena;
	if (!access(arena_printf(a, "%s/run.json", path), F_OK))
		return add_part(m, path, err);
	struct dirent **inside;
	int n = scandir(path, &inside, is_inside, alphasort), result = 0;
	if (n < 0)
		return fail_errno(err, "cannot read the folder %s", path);
	for (int i = 0; i < n; i++) {
		struct stat st;
		const char *folder = arena_printf(a, "%s/%s", path, inside[i]->d_name);
		if (!result && depth < DEEPEST && !stat(folder, &st) && S_ISDIR(st.st_mode))
			result = add_folder(m, folder, depth + 1, err);
		free(inside[i]);
	}
	free(inside);
	return result;
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
	FILE *f = fopen(from, "rb");
	if (!f)
		return fail_errno(err, "cannot read %s", from);
	int result = outfile_open_unnamed(&out, to, err);
	if (!result) {
		result = outfile_copy(&out, f, err);
		if (outfile_close(&out, err))
			result = -1;
	}
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
	if (!result)
		result = config_write(root, arena_printf(&m->arena, "%s/run.json", m->out), err);
	if (!result)
		talk_tell("%zu runs are one, with %d cases: %s", m->n, cJSON_GetArraySize(cases),
			m->out);
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
	arena_release(&m.arena);
	return result;
}

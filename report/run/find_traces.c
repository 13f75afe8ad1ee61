/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/find_traces.h"

#include "base/input.h"
#include "base/sort.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_trace_name(const char *name)
{
	size_t n = strlen(name);
	return (n > 5 && !strcmp(name + n - 5, ".json")) ||
		(n > 8 && !strcmp(name + n - 8, ".json.gz")) ||
		(n > 7 && !strcmp(name + n - 7, ".sqlite")) ||
		(n > 8 && !strcmp(name + n - 8, ".pftrace")) ||
		(n > 11 && !strcmp(name + n - 11, ".pftrace.gz")) ||
		(n > 7 && !strcmp(name + n - 7, ".pickle")) ||
		(n > 10 && !strcmp(name + n - 10, ".pickle.gz"));
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_link(const char *path)
{
	struct stat st;
	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static void add(struct listing *l, struct listed item)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->item = xrealloc(l->item, l->room, sizeof *l->item);
	}
	l->item[l->n++] = item;
}

static void add_trace(struct listing *l, const char *path)
{
	add(l, (struct listed){LISTED_TRACE, arena_strdup(l->arena, path), NULL, NULL});
}

static int list_run(struct listing *l, const char *folder, const char *manifest, struct err *err)
{
	cJSON *root = config_read(manifest, err);
	if (!cJSON_IsArray(config_find(root, "cases"))) {
		cJSON_Delete(root);
		return fail(err, "%s: no list of \"cases\": not the manifest of a run", manifest);
	}
	add(l, (struct listed){LISTED_RUN, arena_strdup(l->arena, folder), root, NULL});
	return 0;
}

static int list_folder(struct listing *l, const char *path, int depth, struct err *err);

static void list_file(struct listing *l, const char *path)
{
	if (!is_trace_name(path))
		return;
	if (!input_is_file(path))
		l->left.special++;
	else if (l->traces == LISTING_TRACES)
		l->left.traces++;
	else {
		l->traces++;
		add_trace(l, path);
	}
}

/* What cannot be read in a folder costs no more than itself. */
static void list_entry(struct listing *l, const char *path, int depth)
{
	struct err err = {0};
	if (!is_folder(path))
		list_file(l, path);
	else if (is_link(path))
		l->left.links++;
	else if (depth >= LISTING_DEEPEST)
		l->left.deep++;
	else if (list_folder(l, path, depth + 1, &err))
		add(l,
			(struct listed){
				LISTED_BROKEN, path, NULL, arena_strdup(l->arena, err.text)});
}

ORDER(by_name, char *, strcmp(*a, *b));

static bool too_many(const struct listing *l)
{
	return l->entries > LISTING_ENTRIES;
}

/* The entries of a folder, by name; *n of them, in a list to be freed. */
static const char **entries(struct listing *l, DIR *folder, const char *path, size_t *n)
{
	const char **names = NULL;
	size_t room = 0;
	*n = 0;
	for (struct dirent *e; (e = readdir(folder));) {
		if (e->d_name[0] == '.')
			continue;
		if (l->entries++ == LISTING_ENTRIES)
			break;
		if (*n == room) {
			room = room ? 2 * room : 16;
			names = xrealloc(names, room, sizeof *names);
		}
		names[(*n)++] = arena_printf(l->arena, "%s/%s", path, e->d_name);
	}
	if (*n)
		qsort(names, *n, sizeof *names, by_name);
	return names;
}

static int list_folder(struct listing *l, const char *path, int depth, struct err *err)
{
	const char *manifest = arena_printf(l->arena, "%s/run.json", path);
	struct stat st;
	if (!stat(manifest, &st))
		return list_run(l, path, manifest, err);
	DIR *folder = opendir(path);
	if (!folder)
		return fail_errno(err, "cannot read the folder %s", path);
	size_t n;
	const char **names = entries(l, folder, path, &n);
	closedir(folder);
	for (size_t i = 0; i < n && !too_many(l); i++)
		list_entry(l, names[i], depth);
	free(names);
	return 0;
}

int listing_of(struct listing *l, struct arena *arena, const char *const *paths, int n_paths,
	struct err *err)
{
	*l = (struct listing){.arena = arena};
	for (int i = 0; i < n_paths; i++) {
		struct stat st;
		l->entries = 0;
		if (stat(paths[i], &st))
			return fail_errno(err, "cannot read %s", paths[i]);
		if (!S_ISDIR(st.st_mode))
			add_trace(l, paths[i]);
		else if (list_folder(l, paths[i], 0, err))
			return -1;
		if (too_many(l))
			return fail(err,
				"%s holds more than %d files and folders: name the folder below "
				"it that holds the traces",
				paths[i], LISTING_ENTRIES);
	}
	return 0;
}

static const char *more(struct arena *a, const char *so_far, int n, const char *what)
{
	return n ? arena_printf(a, "%s%s%d %s", so_far, *so_far ? ", " : "", n, what) : so_far;
}

const char *listing_left_out(const struct listing *l)
{
	const struct listing_left *left = &l->left;
	const char *text = more(l->arena, "", left->links, "linked folders");
	text = more(l->arena, text, left->deep, "folders that lie too deep");
	text = more(l->arena, text, left->special, "that are no regular files");
	if (left->traces)
		text = arena_printf(l->arena,
			"%s%s%d behind the first %d that are called like traces; name a folder below",
			text, *text ? ", " : "", left->traces, LISTING_TRACES);
	return *text ? text : NULL;
}

void listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		cJSON_Delete(l->item[i].manifest);
	free(l->item);
	*l = (struct listing){0};
}

size_t listing_traces(const struct listing *l, size_t i)
{
	size_t end = i;
	while (end < l->n && l->item[end].kind != LISTED_RUN)
		end++;
	return end - i;
}

size_t listing_runs(const struct listing *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; n++) {
		size_t traces = listing_traces(l, i);
		i += traces ? traces : 1;
	}
	return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/recorded_elsewhere.h"

#include "base/config.h"
#include "base/input.h"
#include "base/sort.h"
#include "report/analyse/chips.h"
#include "report/run/manifest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool is_run(const char *folder)
{
	struct arena scratch = {0};
	bool there = input_is_file(arena_printf(&scratch, "%s/run.json", folder));
	arena_release(&scratch);
	return there;
}

struct found {
	const char *folder;
	int cases;
};

ORDER(largest_first, struct found, DOWN(cases) ?: strcmp(a->folder, b->folder));

/* What reading the run fails with is said there. */
static int cases_in(struct arena *a, const char *folder)
{
	struct err ignored = {0};
	cJSON *run = config_read(arena_printf(a, "%s/run.json", folder), &ignored);
	int n = cJSON_GetArraySize(config_find(run, "cases"));
	cJSON_Delete(run);
	return n;
}

/* Folders of runs in a folder, in their order; *n of them, in the arena. */
static struct found *runs_in(struct arena *a, const char *folder, int *n, struct err *err)
{
	DIR *dir = opendir(folder);
	struct found *found = NULL;
	size_t room = 0;
	*n = 0;
	if (!dir) {
		fail_errno(err, "cannot read the folder %s", folder);
		return NULL;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		const char *path = arena_printf(a, "%s/%s", folder, e->d_name);
		if (e->d_name[0] == '.' || !is_run(path))
			continue;
		if ((size_t)*n == room) {
			struct found *old = found;
			room = room ? room * 2 : 8;
			found = arena_array(a, room, sizeof *found);
			if (old)
				memcpy(found, old, (size_t)*n * sizeof *old);
		}
		found[(*n)++] = (struct found){path, cases_in(a, path)};
	}
	closedir(dir);
	if (*n)
		qsort(found, (size_t)*n, sizeof *found, largest_first);
	return found;
}

static int read_all(struct recorded *r, const struct found *found, int n, struct err *err)
{
	const struct reading how = {.settings = r->settings};
	r->input = xcalloc((size_t)n, sizeof *r->input);
	for (; r->n < n; r->n++)
		if (input_read_as(&r->input[r->n], &found[r->n].folder, 1, &how, err)) {
			input_release(&r->input[r->n]);
			return -1;
		}
	return 0;
}

int recorded_read(struct recorded *r, const char *folder, struct err *err)
{
	struct arena scratch = {0};
	int n = 1, result = -1;
	struct found one = {folder, 0};
	const struct found *found = is_run(folder) ? &one : runs_in(&scratch, folder, &n, err);
	if (found)
		result = read_all(r, found, n, err);
	else if (!err->set)
		fail(err, "%s holds no run: no run.json there or in a folder of it", folder);
	arena_release(&scratch);
	return result;
}

void recorded_release(struct recorded *r)
{
	for (int i = 0; i < r->n; i++)
		input_release(&r->input[i]);
	free(r->input);
}

const char *recorded_prefix(struct arena *a, int nth)
{
	return nth ? arena_printf(a, "recorded-%d-", nth + 1) : "recorded-";
}

static bool of_a_gpu(const struct input *in)
{
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].is_gpu)
			return true;
	return false;
}

int recorded_shown(const struct input *in)
{
	return in->recorded && !of_a_gpu(in) ? in->recorded->n : 0;
}

const char *recorded_device(const struct run *run)
{
	const char *device = machine_fact(run->machine, "Device");
	if (!device)
		device = machine_fact(run->machine, "CPU");
	return device ? device : run->device;
}

const char *recorded_chip(const struct run *run)
{
	const char *device = recorded_device(run);
	const struct chip *chip = chip_named(device);
	return chip ? chip->name : device;
}

bool recorded_is_another(const struct recorded *r, int nth)
{
	for (int i = 0; i < nth; i++)
		if (!strcmp(recorded_device(&r->input[i].runs[0]),
			    recorded_device(&r->input[nth].runs[0])))
			return false;
	return true;
}

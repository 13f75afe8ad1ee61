/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/run.h"
#include "report/judge/judge.h"
#include "report/run/expectations.h"
#include "report/run/guess.h"

#include "base/input.h"
#include "base/min_max.h"
#include "base/text_map.h"
#include "report/read/read.h"
#include "report/rules/case_counters.h"
#include "report/run/find_traces.h"
#include "report/run/part_of_trace.h"
#include "report/run/parts.h"
#include "report/run/place_names.h"
#include "report/run/ranks_of_run.h"
#include "report/run/shrunk_title.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_unreadable(struct input *in, struct report_case *c, const char *why)
{
	c->reason = arena_strdup(&in->arena, why);
	if (!in->unreadable++)
		snprintf(in->first_problem, sizeof in->first_problem, "%s", why);
}

/* A trace of another rank than the one that is asked for is left out. */
static bool is_left_out(struct input *in, const struct trace *t)
{
	int64_t rank = in->part && in->part->rank_number >= 0 ? rank_of_file(t) : -1;
	if (rank < 0 || rank == in->part->rank_number)
		return false;
	in->least_rank = in->least_rank < 0 ? rank : min64(rank, in->least_rank);
	in->most_rank = max64(rank, in->most_rank);
	return true;
}

static void read_trace(struct input *in, struct report_case *c, const char *path)
{
	struct err err = {0};
	struct read_options options = {.file_order = in->part};
	trace_init(&c->trace);
	if (trace_read(&c->trace, path, &options, &err)) {
		set_unreadable(in, c, err.text);
		return;
	}
	c->left_out = is_left_out(in, &c->trace);
	if (!c->left_out && in->part && part_of_trace_take(&c->trace, in->part, &err))
		set_unreadable(in, c, err.text);
	if (c->left_out || err.set) {
		trace_release(&c->trace);
		return;
	}
	work_out(in, c);
	c->readable = true;
}

/* The trace of a case, packed where it is not there as it is; NULL when it lies elsewhere. */
static const char *trace_path(struct arena *a, const struct run *run, const char *file)
{
	const char *path = input_within(a, run->folder, file);
	const char *packed = input_within(a, run->folder, arena_printf(a, "%s.gz", file));
	return path && packed && access(path, F_OK) && !access(packed, F_OK) ? packed : path;
}

static void read_named(
	struct input *in, const struct run *run, struct report_case *c, const char *file)
{
	struct arena *a = &in->arena;
	const char *path = trace_path(a, run, file);
	if (path && (input_is_file(path) || access(path, F_OK)))
		read_trace(in, c, path);
	else
		set_unreadable(in, c,
			arena_printf(a, "%s/run.json names %s/%s, which is %s: not read",
				run->folder, run->folder, file,
				path ? "no regular file" : "outside of that folder"));
}

static struct verdicts *no_verdicts(struct input *in)
{
	return arena_alloc(&in->arena, sizeof(struct verdicts));
}

static void read_case(struct input *in, struct run *run, struct report_case *c, const cJSON *entry)
{
	struct arena *a = &in->arena;
	*c = (struct report_case){.run = run, .verdicts = no_verdicts(in)};
	if (run->of_matrix) {
		c->raw_entry = entry;
		c->work = case_work_of(a, entry);
	}
	c->id = manifest_text(a, entry, "id", "?");
	c->experiment = run->of_program ? "" : manifest_prose(a, entry, "experiment", "");
	c->tag = manifest_text(a, entry, "tag", "");
	c->asked = manifest_prose(a, entry, "title", c->id);
	c->question = manifest_prose(a, entry, "question", "");
	guess_read(c, a, config_find(entry, "guess"), run->is_gpu);
	c->untested = manifest_prose(a, entry, "untested", "");
	c->mode = manifest_text(a, entry, "mode", "");
	c->status = manifest_text(a, entry, "status", "not run");
	c->reason = manifest_prose(a, entry, "reason", "");
	c->scaled = manifest_prose(a, entry, "scaled", "");
	c->title = scaled_title(a, c->asked, c->work);
	c->place = place_names_take(in->places, a, place_of(a, c->id, (int)(run - in->runs)));
	c->counted = case_counters_of(a, config_find(entry, "counters"));
	c->loading = run->of_program ? loading_facts_of(a, entry) : NULL;
	const char *file = cJSON_GetStringValue(config_find(entry, "trace"));
	const char *path = run->of_program && file ? trace_path(a, run, file) : NULL;
	c->id = path ? path : c->id; /* as of any trace that belongs to no matrix */
	if (strcmp(c->status, "done") != 0)
		return;
	if (file)
		read_named(in, run, c, file);
	else
		set_unreadable(in, c,
			arena_printf(a, "%s/run.json: \"%s\" names no trace", run->folder, c->id));
}

/* A run of before version 0.2 does not tell, but names a device that is not its CPU. */
static bool ran_on_a_gpu(const cJSON *manifest)
{
	const cJSON *told = config_find(manifest, "is_gpu");
	const cJSON *device = config_find(config_find(manifest, "environment"), "Device");
	return cJSON_IsBool(told) ? cJSON_IsTrue(told) : cJSON_IsString(device);
}

/* ---- rounds (collect/manifest.h) ---- */

/* As many as collect makes; of more names none is looked at. */
enum { MOST_ROUNDS = 1000 };

struct round {
	const char *folder;
	int number; /* 1: the run itself */
};

/* Is a manifest there, other than those that are known? */
static bool is_new_round(const char *folder, struct text_map *known, struct arena *scratch)
{
	struct stat st;
	const char *path = arena_printf(scratch, "%s/run.json", folder);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	const char *file =
		arena_printf(scratch, "%ju %ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	if (text_map_find(known, file))
		return false;
	text_map_add(known, scratch, file, file);
	return true;
}

/* Those that are there, each file once; the result is their number. Others are passed over. */
static int find_rounds(
	struct input *in, const struct run *run, const cJSON *names, struct round *round)
{
	struct arena scratch = {0};
	struct text_map known = {0};
	const cJSON *name;
	int n = 0, number = 1;
	cJSON_ArrayForEach(name, names)
	{
		number++;
		const char *text = cJSON_GetStringValue(name);
		const char *folder = text ? input_within(&in->arena, run->folder, text) : NULL;
		struct round r = {.number = number, .folder = folder};
		if (r.folder && is_new_round(r.folder, &known, &scratch))
			round[n++] = r;
	}
	arena_release(&scratch);
	return n;
}

/* The same case of another round; a program's are told apart by their processes. */
static bool is_same_case(const cJSON *entry, const struct report_case *c)
{
	return c->run->of_program ? !strcmp(config_words(entry, "tag"), c->tag)
				  : !strcmp(config_words(entry, "id"), c->id);
}

static bool is_repeat_of(const cJSON *entry, const struct report_case *c)
{
	const char *made_from = config_words(c->raw_entry, "made_from");
	if (c->run->of_program)
		return is_same_case(entry, c);
	return !strcmp(c->status, "done") && !strcmp(config_words(entry, "status"), "done") &&
		is_same_case(entry, c) && *made_from &&
		!strcmp(config_words(entry, "made_from"), made_from);
}

static void read_repeat(struct input *in, const struct run *round, struct report_case *c,
	const cJSON *entry, int number)
{
	struct report_case *r = &c->repeat[c->n_repeats];
	const char *file = cJSON_GetStringValue(config_find(entry, "trace"));
	if (!file || !is_repeat_of(entry, c))
		return;
	*r = (struct report_case){.id = c->id,
		.place = c->place,
		.experiment = c->experiment,
		.tag = c->tag,
		.title = c->title,
		.question = c->question,
		.guess = c->guess,
		.untested = c->untested,
		.mode = c->mode,
		.asked = c->asked,
		.status = c->status,
		.reason = "",
		.scaled = c->scaled,
		.work = c->work,
		.raw_entry = c->raw_entry,
		.verdicts = no_verdicts(in),
		.run = c->run,
		.round = number};
	read_named(in, round, r, file);
	if (r->readable && r->trace.ends_early)
		trace_release(&r->trace);
	else
		c->n_repeats += r->readable;
}

/* One round: its cases stand in the order of the run's, but where the matrix was changed meanwhile.
 */
static void read_round(struct input *in, struct run *run, const struct round *round)
{
	enum { MOST_UNKNOWN = 100 };
	const struct run its = {.folder = round->folder};
	struct err err = {0};
	cJSON *root = config_read(arena_printf(&in->arena, "%s/run.json", its.folder), &err);
	int next = 0, unknown = 0;
	const cJSON *entry;
	cJSON_ArrayForEach(entry, config_find(root, "cases"))
	{
		int i = next;
		while (i < run->n_cases && !is_same_case(entry, &run->cases[i]))
			i++;
		if (i < run->n_cases) {
			read_repeat(in, &its, &run->cases[i], entry, round->number);
			next = i + 1;
		} else if (unknown++ == MOST_UNKNOWN) {
			break;
		}
	}
	cJSON_Delete(root);
}

static void read_repeats(struct input *in, struct run *run)
{
	const cJSON *names = config_find(run->raw_manifest, "repeats");
	int n = cJSON_GetArraySize(names);
	if (n > MOST_ROUNDS || (!n && !config_find(run->raw_manifest, "against")))
		return;
	struct round *round = xcalloc((size_t)n + 1, sizeof *round);
	n = find_rounds(in, run, names, round);
	for (int i = 0; i < run->n_cases; i++) {
		struct report_case *c = &run->cases[i];
		c->round = 1;
		c->repeat = arena_array(&in->arena, (size_t)n + 1, sizeof *c->repeat);
	}
	for (int i = 0; i < n; i++)
		read_round(in, run, &round[i]);
	free(round);
}

static void read_run(struct input *in, struct run *r, struct listed *item)
{
	const cJSON *cases = config_find(item->manifest, "cases"), *entry;
	struct arena *a = &in->arena;
	cJSON *root = item->manifest;
	item->manifest = NULL;
	*r = (struct run){.folder = item->path};
	r->raw_manifest = root;
	r->of_program = config_find(root, "command") != NULL;
	r->of_matrix = !r->of_program;
	r->machine = machine_facts_of(a, root);
	r->comparisons = run_comparisons_of(a, root);
	r->guessed = config_words(config_find(root, "matrix"), "guessed");
	r->device = manifest_text(a, root, "device", "");
	r->is_gpu = ran_on_a_gpu(root);
	r->created = manifest_text(a, root, "created", "");
	r->cases = arena_array(a, (size_t)cJSON_GetArraySize(cases), sizeof *r->cases);
	cJSON_ArrayForEach(entry, cases)
	{
		if (r->of_program && is_worker(entry))
			continue;
		read_case(in, r, &r->cases[r->n_cases], entry);
		r->n_cases += !r->cases[r->n_cases].left_out;
	}
	read_repeats(in, r);
}

/* A trace of anybody's: its file name is its title. */
static void read_foreign(struct input *in, struct run *r, const struct listed *item)
{
	struct arena *a = &in->arena;
	struct report_case *c = &r->cases[r->n_cases];
	const char *slash = strrchr(item->path, '/');
	*c = (struct report_case){
		.id = item->path, .run = r, .status = "done", .verdicts = no_verdicts(in)};
	c->experiment = c->tag = c->question = c->guess = c->untested = c->mode = c->reason =
		c->scaled = "";
	c->title = without_links(a, slash ? slash + 1 : item->path);
	c->place = place_names_take(in->places, a,
		arena_printf(a, "trace-%d-%s", r->n_cases + 1, place_of(a, c->title, 0)));
	if (item->kind == LISTED_BROKEN)
		set_unreadable(in, c, item->why);
	else
		read_trace(in, c, item->path);
	r->n_cases += !c->left_out;
}

/* All have their places before the first is read: analyses and cases point at each other. */
static void read_listed(struct input *in, struct listing *l)
{
	in->places = place_names_new();
	in->runs = arena_array(&in->arena, listing_runs(l), sizeof *in->runs);
	for (size_t i = 0; i < l->n;) {
		struct run *r = &in->runs[in->n_runs++];
		size_t n = listing_traces(l, i), end = i + n;
		if (!n) {
			read_run(in, r, &l->item[i++]);
			continue;
		}
		*r = (struct run){.device = "", .created = "", .guessed = ""};
		r->machine = machine_facts_of(&in->arena, NULL);
		r->comparisons = run_comparisons_of(&in->arena, NULL);
		r->cases = arena_array(&in->arena, n, sizeof *r->cases);
		while (i < end)
			read_foreign(in, r, &l->item[i++]);
	}
	in->names = case_names_new();
	input_index(in);
}

int input_read_against(struct input *base, const struct input *in, struct err *err)
{
	const struct run *run = in->n_runs == 1 ? &in->runs[0] : NULL;
	const cJSON *names =
		run ? config_find(config_find(run->raw_manifest, "against"), "rounds") : NULL;
	int n = cJSON_GetArraySize(names), found = 0, number = 0;
	*base = (struct input){.in_turn = true};
	if (!names || n > MOST_ROUNDS)
		return 0;
	struct arena scratch = {0};
	const char **path = arena_array(&scratch, (size_t)n + 1, sizeof *path);
	int *round = arena_array(&scratch, (size_t)n + 1, sizeof *round);
	for (const cJSON *name = names->child; name; name = name->next) {
		const char *text = cJSON_GetStringValue(name);
		number++;
		path[found] = text ? input_within(&scratch, run->folder, text) : NULL;
		if (path[found] && !access(path[found], R_OK))
			round[found++] = number;
	}
	int result = found
		? input_read_as(base, path, found, &(struct reading){.settings = in->settings}, err)
		: fail(err,
			  "%s/run.json was measured against other programs, and none of "
			  "those rounds is there: collect again",
			  run->folder);
	base->in_turn = true;
	for (int r = 0; !result && r < base->n_runs; r++)
		for (int i = 0; i < base->runs[r].n_cases; i++)
			base->runs[r].cases[i].round = round[r];
	arena_release(&scratch);
	return result;
}

int input_read(struct input *in, const char *const *paths, int n_paths, struct err *err)
{
	return input_read_as(in, paths, n_paths, &(struct reading){0}, err);
}

/* Predictions are of whole cases. */
static int refuse_matrix(const struct listing *l, struct err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].manifest && !config_find(l->item[i].manifest, "command"))
			return fail(err,
				"%s is a run of a matrix, which is judged as a whole: name the trace "
				"that a part is wanted of",
				l->item[i].path);
	return 0;
}

static int no_such_rank(const struct input *in, struct err *err)
{
	return fail(err,
		"no trace is of rank %" PRId64 ": those that were read are of ranks %" PRId64
		" to %" PRId64,
		in->part->rank_number, in->least_rank, in->most_rank);
}

int input_read_as(struct input *in, const char *const *paths, int n_paths,
	const struct reading *how, struct err *err)
{
	*in = (struct input){.settings = how->settings,
		.part = how->part,
		.dumped = how->dumped,
		.least_rank = -1,
		.most_rank = -1};
	struct listing l;
	int result = listing_of(&l, &in->arena, paths, n_paths, err);
	if (!result && in->part)
		result = refuse_matrix(&l, err);
	if (!result)
		read_listed(in, &l);
	in->left_out = listing_left_out(&l);
	listing_release(&l);
	if (result)
		return -1;
	int cases = 0, readable = 0;
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++, cases++)
			readable += in->runs[r].cases[i].readable;
	if (!cases && in->n_runs && config_find(in->runs[0].raw_manifest, "command"))
		return fail(err,
			"%s holds the recording of a program, and no trace: nothing ran in its window; "
			"record it again with a longer --for, or an earlier --after",
			paths[0]);
	if (!cases && in->most_rank >= 0)
		return no_such_rank(in, err);
	if (!cases)
		return fail(err,
			"%s holds no traces: no .json, no .json.gz, no run.json that lists cases",
			paths[0]);
	if (!readable && in->unreadable && cases == in->unreadable)
		return fail(err, "%s", in->first_problem);
	choose_paged(in);
	input_judge(in);
	return 0;
}

void input_release(struct input *in)
{
	input_release_sides(in);
	place_names_free(in->places);
	case_names_free(in->names);
	for (int r = 0; r < in->n_runs; r++) {
		for (int i = 0; i < in->runs[r].n_cases; i++) {
			struct report_case *c = &in->runs[r].cases[i];
			for (int k = 0; k < c->n_repeats; k++)
				trace_release(&c->repeat[k].trace);
			if (c->readable)
				trace_release(&c->trace);
		}
		cJSON_Delete(in->runs[r].raw_manifest);
	}
	arena_release(&in->arena);
}

const char *comparison_title(struct arena *a, const struct input *in, const struct run *run,
	const struct run_comparison *of)
{
	const char *title = of->title;
	for (int i = 0; i < of->n; i++) {
		const struct report_case *c = input_find(in, run, of->cases[i]);
		title = c ? scaled_title(a, title, c->work) : title;
	}
	return title;
}

const struct run_comparison *comparison_named(const struct run *run, const char *id)
{
	for (int i = 0; i < run->comparisons->n; i++)
		if (run->comparisons->of[i].id && !strcmp(run->comparisons->of[i].id, id))
			return &run->comparisons->of[i];
	return NULL;
}

bool case_scaled_untold(const struct report_case *c)
{
	return c->scaled[0] && (!c->asked || !strcmp(c->title, c->asked));
}

const char *case_label(struct arena *a, const struct report_case *c)
{
	return case_scaled_untold(c) ? arena_printf(a, "%s ↓", c->title) : c->title;
}

const struct case_work *told_work(const struct report_case *c)
{
	return c->work ? c->work : &no_work;
}

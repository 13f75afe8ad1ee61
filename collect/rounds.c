/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/rounds.h"

#include "base/config.h"
#include "base/min_max.h"
#include "base/outfile.h"
#include "base/verbosity.h"
#include "collect/device_session.h"
#include "collect/progress.h"
#include "collect/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A case by a program, with all that it does around it. */
#define LONGEST_PROGRAM_S 900.0

int rounds_parse(int *n, const char *text, int usual, struct err *err)
{
	char *end = NULL;
	long value = text ? strtol(text, &end, 10) : usual;
	if (text && (*text < '0' || *text > '9' || *end || value < 1 || value > MOST_ROUNDS))
		return fail(
			err, "--repeat takes a number from 1 to %d, not \"%s\"", MOST_ROUNDS, text);
	*n = (int)value;
	return 0;
}

/* ---- the old programs ---- */

static bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int old_programs_find(struct old_programs *old, struct arena *a, const char *path,
	const char *matrix, const char *own_matrix, struct err *err)
{
	static const char *const places[] = {"", "/collect", "/bin/collect", "/out/bin/collect"};
	*old = (struct old_programs){0};
	for (size_t i = 0; i < sizeof places / sizeof *places && !old->collect; i++) {
		const char *found = arena_printf(a, "%s%s", path, places[i]);
		old->collect = is_program(found) ? found : NULL;
	}
	if (!old->collect)
		return fail(err,
			"--against %s: no program \"collect\" is there, nor in bin/ or out/bin/ "
			"below; name the folder of an earlier build",
			path);
	const char *slash = strrchr(old->collect, '/');
	const char *its = slash ? arena_printf(a, "%.*s/../../experiments/matrix.json",
					  (int)(slash - old->collect), old->collect)
				: own_matrix;
	old->matrix = matrix ? matrix : access(its, R_OK) ? own_matrix : its;
	return 0;
}

static int hash_old(struct old_programs *old, const struct runner *r, struct err *err)
{
	uint64_t hash = HASH_START;
	const char *slash = strrchr(old->collect, '/');
	const char *folder =
		slash ? arena_strndup(r->arena, old->collect, (size_t)(slash - old->collect)) : ".";
	const char *library = device_library(r->arena, folder, r->device->name);
	if (hash_file(&hash, old->collect, err) ||
		(!access(library, R_OK) && hash_file(&hash, library, err)))
		return -1;
	hash = hash_bytes(hash, r->programs, sizeof r->programs);
	hash_text(old->hash, hash);
	return 0;
}

struct rounds {
	struct runner *round; /* (n) the first is the run's own */
	int n;
	bool noise; /* rounds behind the first are of short cases alone */
	long steps; /* of a short case, at least, in rounds behind the first; 0: its own */
	const struct old_programs *old; /* NULL: none */
	const char *self; /* the path of this program */
	const char *longer[2]; /* matrices of so many steps in short cases: the old one's, ours */
	struct progress progress;
};

static const char *before_path(const struct rounds *all, int k, const char *file)
{
	const struct runner *r = &all->round[0];
	return arena_printf(r->arena, "%s/%s%s%s", r->folder,
		before_folder(r->arena, k + 1, r->device->name), *file ? "/" : "", file);
}

/* The trace that the old programs have of a case in a round; NULL: none. */
static const char *old_trace(const struct rounds *all, int k, size_t i)
{
	struct err err = {0};
	const char *manifest = before_path(all, k, "run.json"), *path = NULL;
	cJSON *root = access(manifest, R_OK) ? NULL : config_read(manifest, &err);
	const cJSON *entry;
	cJSON_ArrayForEach(entry, config_find(root, "cases"))
	{
		if (strcmp(config_words(entry, "id"), all->round[0].matrix->cases[i].id) != 0 ||
			strcmp(config_words(entry, "status"), "done") != 0)
			continue;
		path = before_path(all, k, config_words(entry, "trace"));
	}
	cJSON_Delete(root);
	return path && !access(path, R_OK) ? path : NULL;
}

/* The id as a pattern that nothing else fits. */
static const char *only_pattern(struct arena *a, const char *id)
{
	char *pattern = arena_alloc(a, 2 * strlen(id) + 1), *to = pattern;
	for (; *id; *to++ = *id++)
		if (strchr("*?[]\\", *id))
			*to++ = '\\';
	return pattern;
}

/* A case that changes its batch halfway is no matter of noise. */
static bool is_short(const struct runner *r, const struct matrix_case *c)
{
	double steps = (double)schedule_steps(&c->spec.schedule);
	double us = 1e6 * estimate_s(c->workload, &c->spec, &r->manifest.rates) / steps;
	return !c->spec.then_batch && us < (double)r->matrix->noise.below_us;
}

/* One case by a collect, the old one or ours, once, into a folder of its own,
 * <folder>/<side>-<round>/<device>. Fails when it was interrupted. */
static int run_program(struct rounds *all, bool ours, int k, size_t i, struct err *reason)
{
	struct runner *r = &all->round[0];
	const char *program = ours ? all->self : all->old->collect;
	const char *matrix = k ? all->longer[ours] : ours ? r->matrix->path : all->old->matrix;
	const char *side = ours ? "after" : "before";
	const char *out = arena_printf(r->arena, "%s/%s-%d", r->folder, side, k + 1);
	const char *const argv[] = {program, "--quiet", "--device", r->device->name, "--only",
		only_pattern(r->arena, r->matrix->cases[i].id), "--out", out, matrix, "--repeat",
		"1", NULL};
	child_program(argv, LONGEST_PROGRAM_S, r->interrupt, reason);
	return interrupt_seen(r->interrupt) ? -1 : 0;
}

static int interrupted(const struct rounds *all, size_t i, struct err *err)
{
	return fail(err, "interrupted during %s; the same command goes on from there",
		all->round[0].matrix->cases[i].id);
}

static int run_old(struct rounds *all, int k, size_t i, struct err *err)
{
	struct runner *r = &all->round[0];
	struct err reason = {0};
	const char *earlier = old_trace(all, k, i);
	if (earlier)
		unlink(earlier); /* or they would keep it */
	if (run_program(all, false, k, i, &reason))
		return interrupted(all, i, err);
	if (old_trace(all, k, i))
		return 0;
	r->n_failed++;
	talk_tell("%s, round %d: not measured by %s%s%s", r->matrix->cases[i].id, k + 1,
		all->old->collect, reason.set ? ": " : "", reason.set ? reason.text : "");
	return 0;
}

/* Takes a file of a case from the folder where our own program measured it. */
static int take_file(
	const struct runner *r, const char *its, size_t i, const char *extension, struct err *err)
{
	const char *file = case_file(r->arena, &r->matrix->cases[i], extension);
	const char *from = arena_printf(r->arena, "%s/%s", its, file);
	const char *to = arena_printf(r->arena, "%s/%s", r->folder, file),
		   *slash = strrchr(to, '/');
	if (make_folders(arena_strndup(r->arena, to, (size_t)(slash - to)), err))
		return -1;
	return rename(from, to) ? fail_errno(err, "cannot move %s to %s", from, to) : 0;
}

/* What it says of a case that it measured. */
static void take_result(struct runner *r, const char *its, size_t i, const struct err *reason)
{
	struct arena *a = r->arena;
	struct err unread = {0}, untaken = {0};
	struct manifest m = {.path = arena_printf(a, "%s/run.json", its),
		.matrix = r->matrix,
		.result = arena_array(a, r->matrix->n_cases, sizeof *m.result)};
	struct case_result *result = &r->manifest.result[i];
	m.result[i].spec = r->matrix->cases[i].spec;
	if (!manifest_recall(&m, a, &unread))
		*result = m.result[i];
	if (result->status == CASE_NOT_RUN) {
		result->status = CASE_FAILED;
		result->reason = reason->set ? arena_strdup(a, reason->text) : "not measured";
	}
	if (result->status != CASE_DONE)
		return;
	result->made_from = runner_made_from(r, i); /* of the matrix as it was asked */
	if (take_file(r, its, i, TRACE_ENDING, &untaken) ||
		take_file(r, its, i, ".txt", &untaken)) {
		result->status = CASE_FAILED;
		result->reason = arena_strdup(a, untaken.text);
	}
}

/* As the old programs are: by a process that was started for it. A fork of this one, whose memory
 * is larger, takes longer for its first steps. */
static int run_alike(struct rounds *all, int k, size_t i, const char *name, struct err *err)
{
	struct runner *r = &all->round[k];
	const struct case_result *result = &r->manifest.result[i];
	const char *its = arena_printf(
		r->arena, "%s/after-%d/%s", all->round[0].folder, k + 1, r->device->name);
	struct err reason = {0};
	progress_begin(&all->progress, name);
	if (run_program(all, true, k, i, &reason))
		return interrupted(all, i, err);
	take_result(r, its, i, &reason);
	r->n_done += result->status == CASE_DONE;
	r->n_failed += result->status != CASE_DONE;
	progress_end(&all->progress, name, result->seconds, result->reason, result->scaled);
	runner_save(r);
	return 0;
}

/* What our own program left in the folders that it measured in. */
static void sweep_after(const struct rounds *all)
{
	const struct runner *r = &all->round[0];
	for (int side = 0; side < 2 && all->longer[side]; side++)
		unlink(all->longer[side]);
	for (int k = 0; k < all->n; k++) {
		const char *out = arena_printf(r->arena, "%s/after-%d", r->folder, k + 1);
		const char *its = arena_printf(r->arena, "%s/%s", out, r->device->name);
		unlink(arena_printf(r->arena, "%s/run.json", its));
		for (size_t i = 0; i < r->matrix->n_cases; i++) {
			const struct matrix_case *c = &r->matrix->cases[i];
			unlink(arena_printf(
				r->arena, "%s/%s", its, case_file(r->arena, c, TRACE_ENDING)));
			unlink(arena_printf(
				r->arena, "%s/%s", its, case_file(r->arena, c, ".txt")));
			rmdir(arena_printf(r->arena, "%s/%s", its, c->spec.experiment));
		}
		rmdir(its);
		rmdir(out);
	}
}

static int run_new(struct rounds *all, int k, size_t i, struct err *err)
{
	struct runner *r = &all->round[k];
	const char *id = r->matrix->cases[i].id;
	if (k) { /* or it would be made as small as needed by a measure of its own */
		r->manifest.rates = all->round[0].manifest.rates;
		r->manifest.rates_from = all->round[0].manifest.rates_from;
	}
	const char *name = all->n > 1 ? arena_printf(r->arena, "%s, round %d", id, k + 1) : id;
	return all->old ? run_alike(all, k, i, name, err)
			: runner_case(r, i, name, &all->progress, err);
}

/* ---- what is to be done ---- */

/* Both sides of a pair come from one session, or none does. */
static void part_pairs(struct rounds *all)
{
	struct runner *main = &all->round[0];
	bool same = main->manifest.against && !strcmp(main->manifest.against, all->old->hash);
	for (int k = 0; k < all->n; k++)
		for (size_t i = 0; i < main->matrix->n_cases; i++) {
			if (!main->selected[i])
				continue;
			const char *trace = old_trace(all, k, i);
			if (same && trace && !runner_wants(&all->round[k], i))
				continue;
			runner_forget(&all->round[k], i);
		}
	main->manifest.against = all->old->hash;
}

static void select_short(struct runner *r, const struct runner *main)
{
	r->selected = arena_array(r->arena, r->matrix->n_cases, sizeof *r->selected);
	for (size_t i = 0; i < r->matrix->n_cases; i++)
		r->selected[i] = main->selected[i] && is_short(main, &r->matrix->cases[i]);
}

/* What ran and what will: as many steps as tell how they spread. */
static void lengthen(struct runner *r, const struct runner *main, long steps)
{
	for (size_t i = 0; i < r->matrix->n_cases; i++) {
		struct schedule *s = &r->manifest.result[i].spec.schedule;
		if (r->selected[i] && is_short(main, &r->matrix->cases[i]) && s->active < steps)
			s->active = steps;
	}
}

/* At least so many active steps in a case that has its own schedule or the usual one. */
static void lengthen_entry(cJSON *entry, const cJSON *usual, long steps)
{
	if (!config_find(entry, "schedule"))
		cJSON_AddItemToObject(entry, "schedule",
			usual ? cJSON_Duplicate(usual, true) : cJSON_CreateObject());
	cJSON *schedule = cJSON_GetObjectItem(entry, "schedule");
	const cJSON *active = config_find(schedule, "active");
	if (!active)
		cJSON_AddNumberToObject(schedule, "active", (double)steps);
	else if (active->valuedouble < (double)steps)
		cJSON_SetNumberValue(cJSON_GetObjectItem(schedule, "active"), (double)steps);
}

/* The matrix with more steps in its short cases, and the others as they are: one for all cases of a
 * round, since a collect forgets what it measured by another specification. */
static int write_longer(
	const struct rounds *all, const struct matrix *m, const char *path, struct err *err)
{
	const struct runner *r = &all->round[0];
	cJSON *root = cJSON_Duplicate(m->root, true), *entry;
	const cJSON *usual = config_find(root, "schedule");
	size_t i = 0;
	cJSON_ArrayForEach(entry, config_find(root, "cases"))
	{
		const struct matrix_case *c = matrix_find(r->matrix, m->cases[i++].id);
		if (c && is_short(r, c))
			lengthen_entry(entry, usual, all->steps);
	}
	int result = config_write(root, path, err);
	cJSON_Delete(root);
	return result;
}

static int write_both_longer(struct rounds *all, struct err *err)
{
	const struct runner *r = &all->round[0];
	struct matrix old;
	for (int side = 0; side < 2; side++)
		all->longer[side] = arena_printf(
			r->arena, "%s/longer-%s.json", r->folder, side ? "after" : "before");
	if (matrix_read(&old, all->old->matrix, err))
		return -1;
	int result = write_longer(all, &old, all->longer[0], err) ||
			write_longer(all, r->matrix, all->longer[1], err)
		? -1
		: 0;
	matrix_release(&old);
	return result;
}

/* The first round that cannot be begun ends all; another is tried again with its cases. */
static int begin_round(struct runner *r, int k, size_t wanted, struct err *err)
{
	return runner_begin(r, wanted, k ? &r->unsaved : err) && !k ? -1 : 0;
}

static int open_rounds(struct rounds *all, struct runner *main, int n, struct err *err)
{
	struct arena *a = main->arena;
	all->n = n;
	all->round = arena_array(a, (size_t)n, sizeof *all->round);
	main->in_turn = all->old != NULL;
	main->manifest.rounds = n > 1 || all->old ? n : max_int(main->manifest.rounds, 1);
	for (int k = 0; k < n; k++) {
		struct runner *r = &all->round[k];
		*r = *main;
		if (!k)
			continue;
		r->counting = COUNTING_NONE;
		r->n_kept = 0;
		if (all->noise)
			select_short(r, main);
		if (runner_open(r, arena_printf(a, "%s/%s", main->folder, repeat_folder(a, k + 1)),
			    main->program_folder, err))
			return -1;
		if (all->steps)
			lengthen(r, main, all->steps);
	}
	if (all->old && write_both_longer(all, err))
		return -1;
	if (all->old)
		part_pairs(all);
	for (int k = 0; k < n; k++) {
		size_t wanted = 0;
		for (size_t i = 0; i < main->matrix->n_cases; i++)
			wanted += runner_wants(&all->round[k], i);
		all->progress.n_cases += wanted;
		if (begin_round(&all->round[k], k, wanted, err))
			return -1;
	}
	return 0;
}

static int run_rounds(struct rounds *all, struct err *err)
{
	for (int k = 0; k < all->n; k++)
		for (size_t i = 0; i < all->round[0].matrix->n_cases; i++) {
			bool old_first = k % 2 == 0;
			if (!runner_wants(&all->round[k], i))
				continue;
			if (all->old && old_first && run_old(all, k, i, err))
				return -1;
			if (run_new(all, k, i, err))
				return -1;
			if (all->old && !old_first && run_old(all, k, i, err))
				return -1;
		}
	if (runner_count(&all->round[0], err))
		return -1;
	for (int k = 0; k < all->n; k++)
		if (runner_saved(&all->round[k], err))
			return -1;
	return 0;
}

int rounds_run(struct runner *r, int n, struct old_programs *old, struct err *err)
{
	bool noise = !n && r->matrix->noise.rounds > 1 && !old;
	n = noise ? (int)r->matrix->noise.rounds : n ? n : 1;
	if (old && hash_old(old, r, err))
		return -1;
	int lock = runner_lock(r, err);
	if (lock < 0)
		return -1;
	if ((noise || old) && runner_know_rates(r, err)) {
		close(lock);
		return -1;
	}
	struct rounds all = {.old = old,
		.noise = noise,
		.steps = old	? AGAINST_STEPS
			: noise ? r->matrix->noise.steps
				: 0,
		.self = arena_printf(r->arena, "%s/collect", r->program_folder),
		.progress = {.quiet = r->quiet}};
	int result = open_rounds(&all, r, n, err);
	if (!result)
		result = run_rounds(&all, err);
	if (old)
		sweep_after(&all);
	size_t done = 0, kept = 0, failed = 0;
	for (int k = 0; k < n; k++) {
		done += all.round[k].n_done;
		kept += all.round[k].n_kept;
		failed += all.round[k].n_failed;
	}
	r->n_done = done;
	r->n_kept = kept;
	r->n_failed = failed;
	close(lock);
	return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/case_runner.h"

#include "base/config.h"
#include "base/outfile.h"
#include "base/terminal.h"
#include "base/verbosity.h"
#include "collect/device_session.h"
#include "collect/folder_lock.h"
#include "collect/measure_case.h"
#include "collect/progress.h"
#include "collect/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A child that takes ten times its estimate and a minute on top hangs. */
#define LONGEST_CHECK_S 120.0
#define LONGEST_PROBE_S 120.0
#define SLACK_S 60.0
#define SLACK_FACTOR 10.0

/* Norm of the difference over norm of the reference. */
static const double check_limit[DTYPES] = {[DTYPE_BF16] = 2e-2, [DTYPE_F32] = 1e-4};

/* ---- is a result still good? ---- */

static uint64_t hash_more(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

static int hash_programs(struct runner *r, struct err *err)
{
	uint64_t hash = HASH_START;
	if (hash_file(&hash, "/proc/self/exe", err) || hash_file(&hash, r->device->library, err))
		return -1;
	hash = hash_more(hash, r->device->info.name);
	hash = hash_more(hash, r->device->info.runtime);
	hash = hash_more(hash, r->device->info.isa);
	hash = hash_bytes(hash, &r->device->info.threads, sizeof r->device->info.threads);
	hash_text(r->programs, hash);
	return 0;
}

const char *runner_made_from(struct runner *r, size_t i)
{
	const struct matrix_case *c = &r->matrix->cases[i];
	uint64_t hash = hash_more(HASH_START, c->id);
	hash = hash_more(hash, c->spec.workload);
	hash = hash_more(hash, mode_name(c->spec.mode));
	hash = hash_more(hash, dtype_name(c->spec.dtype));
	hash = hash_more(hash, c->spec.warm ? "warm" : "cold");
	const struct schedule *s = &c->spec.schedule;
	const long number[] = {s->wait, s->warmup, s->active, s->repeat};
	hash = hash_bytes(hash, number, sizeof number);
	for (const struct case_size *size = case_sizes; size->name; size++) {
		long value = case_size_value(&c->spec, size);
		hash = hash_bytes(hash, &value, sizeof value);
	}
	char text[HASH_TEXT];
	hash_text(text, hash);
	return arena_printf(r->arena, "%s-%s", text, r->programs);
}

static const char *file_path(struct runner *r, size_t i, const char *extension)
{
	return arena_printf(
		r->arena, "%s/%s", r->folder, case_file(r->arena, &r->matrix->cases[i], extension));
}

static bool file_there(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* Of the same specification, and with its files if there should be some. */
static bool still_true(struct runner *r, size_t i)
{
	const struct case_result *result = &r->manifest.result[i];
	if (!result->made_from ||
		strncmp(result->made_from, runner_made_from(r, i), HASH_TEXT) != 0)
		return false;
	return result->status == CASE_FAILED ||
		(file_there(file_path(r, i, TRACE_ENDING)) && file_there(file_path(r, i, ".txt")));
}

/* Measured, and by the same programs. */
static bool is_current(struct runner *r, size_t i)
{
	const struct case_result *result = &r->manifest.result[i];
	return result->status == CASE_DONE && still_true(r, i) &&
		!strcmp(result->made_from, runner_made_from(r, i));
}

static void forget(struct runner *r, size_t i, const char *reason)
{
	r->manifest.result[i] =
		(struct case_result){.spec = r->matrix->cases[i].spec, .reason = reason};
}

/* Of a case that is not selected, an earlier result stays as long as it is of the same
 * specification; of a selected one, only if it need not be made again. */
static void sort_out_recalled(struct runner *r)
{
	for (size_t i = 0; i < r->matrix->n_cases; i++) {
		const struct case_result *result = &r->manifest.result[i];
		if (r->selected[i] && is_current(r, i)) {
			talk_detail("%s: kept, measured before in the same way",
				r->matrix->cases[i].id);
			r->n_kept++;
		} else if (r->selected[i])
			forget(r, i, NULL);
		else if (result->status != CASE_NOT_RUN && !still_true(r, i))
			forget(r, i, "changed since it was measured, or its files are gone");
	}
}

/* ---- opening ---- */

int runner_open(struct runner *r, const char *folder, const char *program_folder, struct err *err)
{
	struct arena *a = r->arena;
	r->program_folder = program_folder;
	r->folder = folder;
	r->manifest = (struct manifest){
		.path = arena_printf(a, "%s/run.json", r->folder),
		.device = r->device->name,
		.is_gpu = r->device->info.is_gpu,
		.created = now_text(a),
		.matrix = r->matrix,
		.result = arena_array(a, r->matrix->n_cases, sizeof *r->manifest.result),
		.rates = slowest_rates,
	};
	for (size_t i = 0; i < r->matrix->n_cases; i++)
		forget(r, i, NULL);
	if (hash_programs(r, err))
		return -1;
	struct err unreadable = {0};
	if (manifest_recall(&r->manifest, a, &unreadable))
		talk_tell("%s; every case is measured again", unreadable.text);
	sort_out_recalled(r);
	if (r->manifest.rates_from &&
		(!r->n_kept || strcmp(r->manifest.rates_from, r->programs) != 0)) {
		r->manifest.rates = slowest_rates;
		r->manifest.rates_from = NULL;
	}
	return 0;
}

/* ---- what a case can be here ---- */

static double rate_of(const cJSON *answer, const char *name)
{
	const cJSON *n = config_find(answer, name);
	return cJSON_IsNumber(n) && n->valuedouble > 1 ? n->valuedouble : 1;
}

int runner_know_rates(struct runner *r, struct err *err)
{
	if (r->manifest.rates_from)
		return 0;
	struct measure_device context = {r->device->library};
	cJSON *answer = child_run(
		&(struct child_job){
			.run = measure_rates, .context = &context, .limit_s = LONGEST_PROBE_S},
		r->interrupt, err);
	if (!answer)
		return err_note(err, "the speed of the device cannot be estimated");
	for (int i = 0; i < DTYPES; i++)
		r->manifest.rates.flop[i] = rate_of(answer, dtype_name((enum dtype)i));
	r->manifest.rates.copy_bytes = rate_of(answer, "copy");
	cJSON_Delete(answer);
	r->manifest.rates_from = r->programs;
	return 0;
}

static int fits_memory(const struct runner *r, const struct matrix_case *c, struct err *err)
{
	double needed = c->workload->bytes(&c->spec);
	double own = (double)r->device->info.memory_bytes;
	double there = own > 0 ? own : memory_available_bytes();
	if (there <= 0 || needed <= there)
		return 0;
	return fail(err,
		"its tensors need %.1f GiB and %.1f GiB of memory are %s: choose smaller sizes",
		needed / (1 << 30), there / (1 << 30), own > 0 ? "on the device" : "free");
}

/* Turns the asked specification into one that this device can run in the time there is. */
static int make_fit(struct runner *r, size_t i, struct err *err)
{
	const struct matrix_case *c = &r->matrix->cases[i];
	struct case_result *result = &r->manifest.result[i];
	if (fits_memory(r, c, err))
		return -1;
	const char *other_type = "";
	if (result->spec.dtype == DTYPE_BF16 && !r->device->info.bf16_native) {
		result->spec.dtype = DTYPE_F32;
		other_type = "asked bf16, ran fp32: this processor has no bf16 product";
	}
	if (estimate_s(c->workload, &result->spec, &r->manifest.rates) > LONGEST_CASE_S &&
		runner_know_rates(r, err))
		return -1;
	const char *smaller =
		scale_to_fit(r->arena, c->workload, &result->spec, &r->manifest.rates);
	if (smaller || *other_type)
		result->scaled = arena_printf(r->arena, "%s%s%s", other_type,
			smaller && *other_type ? "; " : "", smaller ? smaller : "");
	return 0;
}

/* ---- planning ---- */

int runner_plan(struct runner *r, struct err *err)
{
	for (size_t i = 0; i < r->matrix->n_cases; i++) {
		const struct matrix_case *c = &r->matrix->cases[i];
		struct case_result *result = &r->manifest.result[i];
		struct err reason = {0};
		if (!r->selected[i])
			continue;
		if (is_current(r, i)) {
			terminal_print("keep  %s\n", c->id);
			continue;
		}
		if (runner_know_rates(r, err))
			return -1;
		if (make_fit(r, i, &reason)) {
			terminal_print("fail  %-48s %s\n", c->id, reason.text);
			continue;
		}
		terminal_print("run   %-48s %6.1f s%s%s\n", c->id,
			estimate_s(c->workload, &result->spec, &r->manifest.rates),
			result->scaled ? "  " : "", result->scaled ? result->scaled : "");
	}
	return 0;
}

/* ---- running ---- */

/* What a process left behind that was ended in the middle of writing. */
static void sweep(struct runner *r, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	size_t n = strlen(file), end = strlen(".part");
	DIR *folder =
		opendir(slash ? arena_strndup(r->arena, path, (size_t)(slash - path) + 1) : ".");
	for (struct dirent *e; folder && (e = readdir(folder));) {
		size_t length = strlen(e->d_name);
		if (length > n + end && !strncmp(e->d_name, file, n) && e->d_name[n] == '.' &&
			!strcmp(e->d_name + length - end, ".part"))
			unlinkat(dirfd(folder), e->d_name, 0);
	}
	if (folder)
		closedir(folder);
}

static void sweep_case(struct runner *r, size_t i)
{
	sweep(r, file_path(r, i, TRACE_ENDING));
	sweep(r, file_path(r, i, ".txt"));
}

static double time_limit(const struct matrix_case *c, double otherwise)
{
	return c->limits.seconds > 0 ? c->limits.seconds : otherwise;
}

static int check_case(
	struct runner *r, struct measure_case *m, struct case_result *result, struct err *err)
{
	cJSON *answer = child_run(&(struct child_job){.run = measure_check,
					  .context = m,
					  .limit_s = time_limit(m->asked, LONGEST_CHECK_S),
					  .memory = m->asked->limits.memory},
		r->interrupt, err);
	const cJSON *error = config_find(answer, "error");
	if (!answer)
		return err_note(err, "the numerical check");
	result->limit = check_limit[m->spec.dtype];
	/* what is not finite is null in JSON */
	result->error = cJSON_IsNumber(error) ? error->valuedouble : (double)INFINITY;
	cJSON_Delete(answer);
	talk_detail("%s: differs from a plain reference by %.2g of its norm, %.2g is allowed",
		m->asked->id, result->error, result->limit);
	if (!(result->error <= result->limit))
		return fail(err,
			"the result is wrong: it differs from a plain reference by %.2g of its "
			"norm, at most %.2g is allowed; not timed",
			result->error, result->limit);
	return 0;
}

double runner_patience_s(
	const struct runner *r, const struct matrix_case *asked, const struct case_spec *spec)
{
	return SLACK_S + SLACK_FACTOR * estimate_s(asked->workload, spec, &r->manifest.rates);
}

static int measure(struct runner *r, struct measure_case *m, struct err *err)
{
	double limit_s = time_limit(m->asked, runner_patience_s(r, m->asked, &m->spec));
	cJSON *answer = child_run(&(struct child_job){.run = measure_steps,
					  .context = m,
					  .limit_s = limit_s,
					  .memory = m->asked->limits.memory},
		r->interrupt, err);
	const cJSON *dropped = config_find(answer, "dropped");
	if (!answer)
		return -1;
	if (cJSON_IsNumber(dropped) && dropped->valuedouble > 0)
		talk_tell("%s: %.0f spans did not fit and are not in the trace", m->asked->id,
			dropped->valuedouble);
	cJSON_Delete(answer);
	return 0;
}

static int run_case(struct runner *r, size_t i, struct err *err)
{
	struct case_result *result = &r->manifest.result[i];
	if (make_fit(r, i, err))
		return -1;
	struct measure_case m = {
		.library = r->device->library,
		.asked = &r->matrix->cases[i],
		.spec = result->spec,
		.trace_path = file_path(r, i, TRACE_ENDING),
		.table_path = file_path(r, i, ".txt"),
	};
	if (check_case(r, &m, result, err))
		return -1;
	sweep_case(r, i);
	if (!measure(r, &m, err))
		return 0;
	sweep_case(r, i);
	return -1;
}

static void settle(struct runner *r, size_t i, const struct err *err, double seconds)
{
	struct case_result *result = &r->manifest.result[i];
	result->seconds = seconds;
	result->status = err->set ? CASE_FAILED : CASE_DONE;
	result->reason = err->set ? arena_strdup(r->arena, err->text) : NULL;
	result->made_from = runner_made_from(r, i);
	r->n_failed += err->set != 0;
	r->n_done += !err->set;
}

/* One collect a folder: two would also disturb each other's times. */
int runner_lock(const struct runner *r, struct err *err)
{
	return make_folders(r->folder, err) ? -1 : folder_lock(r->folder, err);
}

static double seconds_since(int64_t start_ns)
{
	return (double)(clock_ns() - start_ns) * 1e-9;
}

bool runner_wants(const struct runner *r, size_t i)
{
	return r->selected[i] && r->manifest.result[i].status == CASE_NOT_RUN;
}

void runner_forget(struct runner *r, size_t i)
{
	r->n_kept -= r->manifest.result[i].status != CASE_NOT_RUN;
	forget(r, i, NULL);
}

int runner_begin(struct runner *r, size_t n, struct err *err)
{
	sweep(r, r->manifest.path);
	/* otherwise date and environment stay those of what was measured */
	if (n || !r->manifest.environment.n) {
		r->manifest.created = now_text(r->arena);
		r->manifest.environment =
			environment_of(r->arena, &r->device->info, r->program_folder);
	}
	if (n && !r->in_turn)
		r->manifest.against = NULL;
	return manifest_write(&r->manifest, err);
}

int runner_case(struct runner *r, size_t i, const char *name, struct progress *p, struct err *err)
{
	const struct case_result *result = &r->manifest.result[i];
	struct err reason = {0};
	int64_t start_ns = clock_ns();
	progress_begin(p, name);
	run_case(r, i, &reason);
	if (interrupt_seen(r->interrupt))
		return fail(err,
			"interrupted during %s; what was measured before is kept, and the same "
			"command goes on from there",
			name);
	settle(r, i, &reason, seconds_since(start_ns));
	progress_end(p, name, result->seconds, result->reason, result->scaled);
	runner_save(r);
	return 0;
}

void runner_save(struct runner *r)
{
	r->unsaved = (struct err){0};
	manifest_write(&r->manifest, &r->unsaved);
}

int runner_saved(const struct runner *r, struct err *err)
{
	if (!r->unsaved.set)
		return 0;
	return fail(err,
		"%s; what was measured last is not in it, and the same command measures it again",
		r->unsaved.text);
}

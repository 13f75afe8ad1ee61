/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/measure_case.h"

#include "base/outfile.h"
#include "collect/device_session.h"
#include "collect/kineto_writer.h"
#include "collect/schedule.h"
#include "experiments/family.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM_PER_STEP = 512, LEAST_ROOM = 4096, MOST_ROOM = 1 << 20 };

int measure_describe(void *device, struct json_out *answer, struct err *err)
{
	const struct measure_device *m = device;
	struct device_session s;
	struct device_info info;
	int result = device_session_open(&s, m->library, NULL, 1, err);
	if (!result) {
		s.bench.ops->info(s.bench.device, &info);
		json_text(answer, "name", info.name);
		json_text(answer, "lane", info.lane);
		json_text(answer, "runtime", info.runtime);
		json_text(answer, "isa", info.isa);
		json_int(answer, "threads", info.threads);
		json_bool(answer, "bf16_native", info.bf16_native);
		json_bool(answer, "is_gpu", info.is_gpu);
		json_int(answer, "memory_bytes", info.memory_bytes);
		json_int(answer, "cache_bytes", info.cache_bytes);
		json_object(answer, "facts", JSON_INLINE);
		for (int i = 0; i < info.n_facts; i++)
			json_text(answer, info.fact[i].name, info.fact[i].value);
		json_end(answer);
	}
	device_session_close(&s);
	return result;
}

int measure_check(void *one_case, struct json_out *answer, struct err *err)
{
	const struct measure_case *m = one_case;
	struct device_session s;
	double error = 0;
	int result = device_session_open(&s, m->library, &m->spec, 1, err);
	if (!result)
		result = m->asked->workload->check(&s.bench, &error, err);
	if (!result)
		json_number(answer, "error", error, 9);
	device_session_close(&s);
	return result;
}

/* ---- steps ---- */

struct spans {
	struct span *span; /* (n, room) owned */
	size_t n, room;
};

struct session {
	struct device_session station;
	const struct measure_case *m;
	const char **step_name; /* (steps) made before the first step, so that none is made then */
	size_t cpu_kept, cpu_dropped; /* by the recorder, in the windows so far */
	struct spans device, calls; /* kept, of what the device gave */
	size_t device_dropped;
	struct kineto_window *window; /* (n_windows) */
	size_t n_windows;
};

static struct span *spans_more(struct spans *to, size_t n)
{
	if (to->n + n > to->room) {
		to->room = (to->n + n) * 2;
		to->span = xrealloc(to->span, to->room, sizeof *to->span);
	}
	struct span *first = to->span + to->n;
	to->n += n;
	return first;
}

static void set_recording(struct session *s, bool on)
{
	s->station.recorder.on = on;
	s->station.bench.ops->record(s->station.bench.device, on);
}

static int let_run_dry(struct session *s, struct err *err)
{
	return s->station.bench.ops->synchronise(s->station.bench.device, err);
}

static int begin_window(struct session *s, long step, struct err *err)
{
	struct bench *b = &s->station.bench;
	if (step > 0 && let_run_dry(s, err))
		return -1;
	if (!b->recorder->on) {
		size_t n, dropped;
		b->ops->drain(b->device, &n, &dropped);
	}
	b->recorder->n = s->cpu_kept;
	b->recorder->dropped = s->cpu_dropped;
	set_recording(s, true);
	s->window[s->n_windows].start_ns = clock_ns();
	return 0;
}

/* Calls that opened or closed the recording itself stand outside the window and are left out, as
 * does the work of warm-up steps: it is fetched with the rest, since a recorder that is emptied
 * between warm-up and window shows that in the first step. */
static bool outside(const struct span *d, const struct kineto_window *window)
{
	if (d->kind == SPAN_SAMPLE)
		return false;
	/* the device was idle when the window began, so its earlier work had ended */
	if (span_on_device(d))
		return d->end_ns <= window->start_ns;
	return d->start_ns < window->start_ns || d->end_ns > window->end_ns;
}

static void keep_drained(struct session *s, const struct span *drained, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct span *d = &drained[i];
		bool call =
			d->kind == SPAN_LAUNCH || d->kind == SPAN_DRIVER || d->kind == SPAN_SYNC;
		if (outside(d, &s->window[s->n_windows - 1]))
			continue;
		*spans_more(call ? &s->calls : &s->device, 1) = *d;
	}
}

static int end_window(struct session *s, struct err *err)
{
	struct bench *b = &s->station.bench;
	int result = let_run_dry(s, err);
	s->window[s->n_windows++].end_ns = clock_ns();
	set_recording(s, false);
	s->cpu_kept = b->recorder->n;
	s->cpu_dropped = b->recorder->dropped;
	size_t n, dropped;
	const struct span *drained = b->ops->drain(b->device, &n, &dropped);
	s->device_dropped += dropped;
	keep_drained(s, drained, n);
	return result;
}

static struct span *range_begin(struct bench *b, enum span_kind kind, const char *name, uint32_t id)
{
	struct span *range = span_begin(b->recorder, kind, name);
	if (range && b->ops->enter)
		b->ops->enter(b->device, SCOPE_RANGE, id);
	return range;
}

static void range_end(struct bench *b, struct span *range)
{
	if (range && b->ops->leave)
		b->ops->leave(b->device, SCOPE_RANGE);
	span_end(range);
}

static int run_step(struct session *s, long step, struct err *err)
{
	struct bench *b = &s->station.bench;
	const struct workload *w = s->m->asked->workload;
	uint32_t id = (uint32_t)(2 * step + 1);
	struct span *around = range_begin(b, SPAN_STEP, s->step_name[step], id);
	struct span *range = range_begin(b, SPAN_ANNOTATION, w->family->annotation, id + 1);
	int result = w->step(b, step, err);
	range_end(b, range);
	range_end(b, around);
	return result;
}

static int run_schedule(struct session *s, struct err *err)
{
	const struct schedule *schedule = &s->m->spec.schedule;
	enum schedule_action before = SCHEDULE_NONE;
	for (long step = 0; step < schedule_steps(schedule); step++) {
		enum schedule_action action = schedule_action(schedule, step);
		bool first = before != SCHEDULE_RECORD &&
			(action == SCHEDULE_RECORD || action == SCHEDULE_RECORD_AND_SAVE);
		if (action == SCHEDULE_WARMUP)
			set_recording(s, true);
		if (first && begin_window(s, step, err))
			return -1;
		if (run_step(s, step, err))
			return -1;
		if (action == SCHEDULE_RECORD_AND_SAVE && end_window(s, err))
			return -1;
		before = action;
	}
	return 0;
}

static int warm_up(struct session *s, struct err *err)
{
	if (!s->m->spec.warm)
		return 0;
	for (long call = -WARM_CALLS; call < 0; call++)
		if (s->m->asked->workload->step(&s->station.bench, call, err))
			return -1;
	return let_run_dry(s, err);
}

static int run_steps(struct session *s, struct err *err)
{
	const struct schedule *schedule = &s->m->spec.schedule;
	struct arena *a = &s->station.arena;
	long steps = schedule_steps(schedule);
	s->step_name = arena_array(a, (size_t)steps, sizeof *s->step_name);
	for (long i = 0; i < steps; i++)
		s->step_name[i] = arena_printf(a, "ProfilerStep#%ld", i);
	s->window =
		arena_array(a, schedule->repeat ? (size_t)schedule->repeat : 1, sizeof *s->window);
	const struct workload *w = s->m->asked->workload;
	set_recording(s, false);
	int result = w->prepare(&s->station.bench, err);
	if (!result)
		result = warm_up(s, err);
	return result ? result : run_schedule(s, err);
}

/* ---- counters ---- */

struct counted_steps {
	struct device_session *station;
	const struct workload *workload;
};

/* Before the schedule: a change of shape does not come, and every step is like the last. */
static int one_more_step(void *context, struct err *err)
{
	const struct counted_steps *x = context;
	return x->workload->step(&x->station->bench, -1, err);
}

static void write_row(struct json_out *j, const char *key, const double *row, size_t n)
{
	json_array(j, key, JSON_INLINE);
	for (size_t i = 0; i < n; i++)
		json_number(j, NULL, row[i], 6);
	json_end(j);
}

static int count_steps(struct device_session *s, const struct measure_case *m,
	struct json_out *answer, struct err *err)
{
	struct counted_steps x = {s, m->asked->workload};
	struct device_counts counts;
	for (int i = 0; i < WARM_CALLS; i++)
		if (one_more_step(&x, err))
			return -1;
	const struct device_counting counting = {.run = one_more_step,
		.context = &x,
		.deep = m->counting == COUNTING_DEEP,
		/* the kernels of a graph cannot be run again one by one */
		.kernels = m->spec.mode != MODE_GRAPH};
	if (s->bench.ops->synchronise(s->bench.device, err) ||
		s->bench.ops->count(s->bench.device, &counting, &s->arena, &counts, err))
		return -1;
	json_bool(answer, "deep", m->counting == COUNTING_DEEP);
	json_int(answer, "passes", (int64_t)counts.passes);
	json_array(answer, "metrics", JSON_INLINE);
	for (size_t i = 0; i < counts.n_metrics; i++)
		json_text(answer, NULL, counts.metric[i]);
	json_end(answer);
	write_row(answer, "step", counts.step, counts.n_metrics);
	json_array(answer, "kernels", JSON_INLINE);
	for (size_t i = 0; i < counts.n_kernels; i++)
		write_row(answer, NULL, counts.kernel + i * counts.n_metrics, counts.n_metrics);
	json_end(answer);
	return 0;
}

int measure_counts(void *one_case, struct json_out *answer, struct err *err)
{
	const struct measure_case *m = one_case;
	const struct workload *w = m->asked->workload;
	struct device_session s;
	setenv("TRACEBOOK_RECORD", "off", 1);
	int result = device_session_open(&s, m->library, &m->spec, 1, err);
	if (!result && !s.bench.ops->count)
		result = fail(err, "the device \"%s\" has no hardware counters", s.bench.ops->name);
	if (!result) {
		result = w->prepare(&s.bench, err);
		if (!result)
			result = count_steps(&s, m, answer, err);
		w->release(&s.bench);
	}
	device_session_close(&s);
	return result;
}

/* ---- files ---- */

static struct kineto trace_head(const struct session *s, const struct device_info *info)
{
	const struct device_ops *ops = s->station.bench.ops;
	const char *slash = strrchr(s->m->trace_path, '/');
	return (struct kineto){
		.case_id = s->m->asked->id,
		.trace_name = slash ? slash + 1 : s->m->trace_path,
		.process = "tracebook",
		.pid = getpid(),
		.device =
			{
				.kind = ops->name,
				.name = info->name,
				.lane = info->lane,
				.call_category = info->call_category,
				.driver_category = info->driver_category,
			},
		.window = s->window,
		.n_windows = s->n_windows,
		.dropped = s->cpu_dropped + s->device_dropped,
		.info = info,
	};
}

static int write_files(struct session *s, struct err *err)
{
	struct arena *a = &s->station.arena;
	struct device_info info;
	s->station.bench.ops->info(s->station.bench.device, &info);
	for (size_t i = 0; i < s->cpu_kept; i++)
		*spans_more(&s->calls, 1) = s->station.recorder.span[i];
	struct recording recording = {s->calls.span, s->device.span, s->calls.n, s->device.n};
	struct rows rows = rows_of(a, &recording);
	struct kineto head = trace_head(s, &info);
	struct outfile out;
	if (outfile_open_unnamed(&out, s->m->trace_path, err))
		return -1;
	kineto_write(out.f, &head, &rows);
	if (outfile_close(&out, err) || outfile_open_unnamed(&out, s->m->table_path, err))
		return -1;
	table_write(out.f, &rows, &s->station.names, info.heading);
	return outfile_close(&out, err);
}

static size_t recorder_room(const struct schedule *s)
{
	double room = LEAST_ROOM + (double)schedule_steps(s) * ROOM_PER_STEP;
	return room < MOST_ROOM ? (size_t)room : MOST_ROOM;
}

int measure_steps(void *one_case, struct json_out *answer, struct err *err)
{
	struct session s = {.m = one_case};
	size_t room = recorder_room(&s.m->spec.schedule);
	int result = device_session_open(&s.station, s.m->library, &s.m->spec, room, err);
	if (!result) {
		result = run_steps(&s, err);
		if (!result)
			result = write_files(&s, err);
		if (!result)
			json_int(answer, "dropped", (int64_t)(s.cpu_dropped + s.device_dropped));
		s.m->asked->workload->release(&s.station.bench);
	}
	device_session_close(&s.station);
	free(s.device.span);
	free(s.calls.span);
	return result;
}

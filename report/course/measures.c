/* SPDX-License-Identifier: Apache-2.0 */
/* What can be measured of a case, for boxes, exercises and their keys. */
#include "report/course/measures.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/step_idle.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/course/exercise_facts.h"
#include "report/course/roofline.h"
#include "report/course/step_lengths.h"
#include "report/rules/advice.h"
#include "report/run/manifest.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

/* ---- what can be measured of a case ---- */

static double cpu(const struct report_case *c)
{
	return numbers_of(c->analysis).cpu_ns;
}

static double device(const struct report_case *c)
{
	return numbers_of(c->analysis).device_ns;
}

static double kernels(const struct report_case *c)
{
	return numbers_of(c->analysis).kernels;
}

static double copies(const struct report_case *c)
{
	return numbers_of(c->analysis).copies;
}

static double beside(const struct report_case *c)
{
	return numbers_of(c->analysis).beside_products;
}

static double work(const struct report_case *c)
{
	return kernels(c) + copies(c);
}

static double launches(const struct report_case *c)
{
	return numbers_of(c->analysis).launches;
}

static double first(const struct report_case *c)
{
	return (double)c->analysis->steps[0].dur_ns;
}

static double total_cpu(const struct report_case *c)
{
	return (double)c->totals->cpu_footer_ns;
}

static double total_device(const struct report_case *c)
{
	return (double)c->totals->device_footer_ns;
}

static double first_ratio(const struct report_case *c)
{
	double ratio = numbers_of(c->analysis).first_ratio;
	return ratio > 0 ? ratio : (double)NAN;
}

static double widest(const struct report_case *c)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < c->analysis->n_steps; i++)
		most = max64(c->analysis->steps[i].dur_ns, most);
	return (double)most;
}

/* From the start of a step's range to its first operator: what the finding C2 measures. */
static double late_call(const struct report_case *c, const char *name)
{
	const struct finding *f = findings_find(&c->findings, "LATE-FIRST-CALL");
	const struct finding_value *v = f ? finding_value(f, name) : NULL;
	return v && v->known ? v->number : (double)NAN;
}

static double first_call(const struct report_case *c)
{
	return late_call(c, "first");
}

static double later_call(const struct report_case *c)
{
	return late_call(c, "median");
}

static double last_wait(const struct report_case *c)
{
	struct last_wait w = last_wait_of(c->analysis);
	return w.row == NO_ROW ? (double)NAN : (double)c->trace.dur_ns[w.row];
}

static double last_wait_busy(const struct report_case *c)
{
	struct last_wait w = last_wait_of(c->analysis);
	return w.row == NO_ROW ? (double)NAN : w.busy_share;
}

/* The one of a class with the largest total; NULL: none. */
static const struct activity *activity_of(const struct report_case *c, enum event_class class)
{
	for (uint32_t i = 0; i < c->analysis->n_activities; i++)
		if (c->analysis->activities[i].class == class)
			return &c->analysis->activities[i];
	return NULL;
}

static double median_of(const struct report_case *c, enum event_class class)
{
	const struct activity *act = activity_of(c, class);
	return act ? steady_median_ns(c->analysis, act) : (double)NAN;
}

/* Of every run, as a picture of them has it. */
static double gemm_all(const struct report_case *c)
{
	const struct activity *act = activity_of(c, CLASS_GEMM);
	return act ? act->dur.median : (double)NAN;
}

static double gemm(const struct report_case *c)
{
	return median_of(c, CLASS_GEMM);
}

static double gemm_mean(const struct report_case *c)
{
	const struct activity *act = activity_of(c, CLASS_GEMM);
	return act ? act->dur.mean : (double)NAN;
}

static double addition(const struct report_case *c)
{
	return median_of(c, CLASS_ADD);
}

static double copy(const struct report_case *c)
{
	return median_of(c, CLASS_COPY);
}

static double fused(const struct report_case *c)
{
	return median_of(c, CLASS_FUSED);
}

/* What the first event of a class does in a steady step; all NAN: there is none. */
static struct work first_work(const struct report_case *c, enum event_class class)
{
	const struct analysis *a = c->analysis;
	const struct step *s = &a->steps[steady_from(a)];
	for (uint32_t i = 0; i < s->n_device; i++)
		if (a->class[s->device[i]] == class)
			return work_of(c, s, i);
	return (struct work){(double)NAN, (double)NAN, (double)NAN};
}

/* Operations for each byte that one matmul reads and writes. */
static double gemm_intensity(const struct report_case *c)
{
	struct work w = first_work(c, CLASS_GEMM);
	return w.flop / (w.read_bytes + w.write_bytes);
}

/* Over the median of its kind, as the posts have it: what else a step does is none of its work. */
static double rate_of(const struct report_case *c, enum event_class class)
{
	struct work w = first_work(c, class);
	return (w.read_bytes + w.write_bytes) / median_of(c, class) * 1e9;
}

static double gemm_rate(const struct report_case *c)
{
	return first_work(c, CLASS_GEMM).flop / median_of(c, CLASS_GEMM) * 1e9;
}

/* What the fastest matmul of its type in the run reaches: the flat line of a roofline. */
static double gemm_flat(const struct report_case *c)
{
	struct arena scratch = {0};
	struct roofline r = {0};
	double flat = (double)NAN;
	bool found = roofline_find(&r, &scratch, c->run);
	for (int i = 0; found && i < r.n_compute; i++)
		flat = r.compute[i].dtype == c->work->dtype ? r.compute[i].rate : flat;
	arena_release(&scratch);
	return flat;
}

/* Operations a byte at which the slope of the memory meets it. */
static double gemm_bend(const struct report_case *c)
{
	struct arena scratch = {0};
	struct roofline r = {0};
	bool found = roofline_find(&r, &scratch, c->run);
	double memory = found ? roofline_memory(&r) : (double)NAN;
	arena_release(&scratch);
	return gemm_flat(c) / memory;
}

static double gemm_of_flat(const struct report_case *c)
{
	return gemm_rate(c) / gemm_flat(c);
}

static double rate(const struct report_case *c)
{
	const struct analysis *a = c->analysis;
	return step_bytes(c, &a->steps[steady_from(a)]) / device(c) * 1e9;
}

static double add_rate(const struct report_case *c)
{
	return rate_of(c, CLASS_ADD);
}

static double copy_rate(const struct report_case *c)
{
	return rate_of(c, CLASS_COPY);
}

static double fused_rate(const struct report_case *c)
{
	return rate_of(c, CLASS_FUSED);
}

/* What a class takes of all device events' time. */
static double gemm_share(const struct report_case *c)
{
	double share = 0;
	for (uint32_t i = 0; i < c->analysis->n_activities; i++)
		if (c->analysis->activities[i].class == CLASS_GEMM)
			share += c->analysis->activities[i].share;
	return share;
}

static double waits(const struct report_case *c)
{
	const struct analysis *a = c->analysis;
	return a->steps[numbers_of(a).typical].syncs;
}

static double operators(const struct report_case *c)
{
	return numbers_of(c->analysis).ops;
}

static double gap(const struct report_case *c)
{
	return median_gap_ns(c->analysis);
}

static double busy_share(const struct report_case *c)
{
	return c->analysis->window.busy_share;
}

/* Of the step at the median of the CPU's time, as the table of a step's parts has it. */
static struct step_idle idle_of(const struct report_case *c)
{
	return step_idle_of(c->analysis, median_step(c->analysis, false));
}

static double busy_in_step(const struct report_case *c)
{
	struct step_idle s = idle_of(c);
	return (double)s.busy_ns / (double)s.step_ns;
}

static double idle_in_step(const struct report_case *c)
{
	struct step_idle s = idle_of(c);
	return (double)(s.step_ns - s.busy_ns);
}

static double idle_inside(const struct report_case *c)
{
	return (double)idle_of(c).inside_ns;
}

static double gaps_inside(const struct report_case *c)
{
	return idle_of(c).inside;
}

static double gap_inside(const struct report_case *c)
{
	return idle_of(c).inside_gap_ns;
}

static double unrecorded(const struct report_case *c)
{
	return c->advice ? (double)c->advice->unrecorded_ns : (double)NAN;
}

/* What the adviser says that launching all at once saves at most. */
static double at_once(const struct report_case *c)
{
	for (int i = 0; c->advice && i < c->advice->n; i++)
		if (!strcmp(c->advice->action[i].rule->id, "graphs"))
			return (double)c->advice->action[i].give_back_ns;
	return (double)NAN;
}

static const char *in_flop(struct arena *a, double value)
{
	return format_si(a, value, "FLOP/s");
}

static const char *in_bytes(struct arena *a, double value)
{
	return format_si(a, value, "B/s");
}

/* Short ones, so that what is computed of them comes out. */
static const char *to_the_ns(struct arena *a, double ns)
{
	return ns < 1e3 ? arena_printf(a, "%.0f ns", ns) : format_time(a, ns);
}

static const char *in_bytes_alone(struct arena *a, double value)
{
	return format_si(a, value, "B");
}

static const char *as_count(struct arena *a, double value)
{
	return arena_printf(a, "%g", value);
}

static const char *as_whole(struct arena *a, double value)
{
	return format_count(a, llround(value));
}

/* Times in nanoseconds, rates a second, shares from 0 to 1. */
static const struct measure {
	const char *name;
	double (*value)(const struct report_case *c);
	const char *(*form)(struct arena *a, double value);
} measures[] = {
	{"cpu", cpu, format_time}, /* of a step, median */
	{"device", device, format_time}, {"kernels", kernels, as_count}, /* of a step */
	{"copies", copies, as_count}, {"work", work, as_count}, /* kernels, copies and fills */
	{"beside", beside, as_count}, /* fills and reductions that are counted with a matmul */
	{"launches", launches, as_count}, {"bars_of_copies", bars_of_copies, as_count},
	{"copy_kernels", bars_of_copy_kernels, as_count},
	{"first", first, format_time}, /* the first step, on the CPU */
	{"first_ratio", first_ratio, format_ratio}, /* over the median of the others */
	{"widest", widest, format_time}, /* the widest step on the CPU */
	{"first_call", first_call, format_time}, /* from a range to its first operator */
	{"later_call", later_call, format_time},
	{"total_cpu", total_cpu, format_time}, /* the footers of PyTorch's table */
	{"total_device", total_device, format_time},
	{"last_wait", last_wait, format_time}, /* the last call that waits */
	{"last_wait_busy", last_wait_busy, format_share}, /* of it, the device */
	{"gemm", gemm, format_time}, /* one kernel, median of its runs */
	{"gemm_all", gemm_all, format_time}, /* the same of all its runs */
	{"gemm_mean", gemm_mean, format_time},
	{"gemm_spread", spread_of_runs, format_share}, /* slowest less fastest, of the median */
	{"gemm_first", change_of_first_run, format_share}, /* the first run over the median */
	{"gemm_later_spread", spread_of_later_runs, format_share},
	{"gemm_rate", gemm_rate, in_flop}, /* operations of one matmul over its median */
	{"gemm_flat", gemm_flat, in_flop}, /* what the fastest of its type reaches */
	{"gemm_of_flat", gemm_of_flat, format_share}, {"gemm_intensity", gemm_intensity, as_whole},
	{"gemm_bend", gemm_bend, as_whole}, /* operations a byte where memory limits no more */
	{"add", addition, format_time}, {"copy", copy, format_time}, {"fused", fused, format_time},
	{"add_rate", add_rate, in_bytes}, /* bytes of one kernel over its median */
	{"copy_rate", copy_rate, in_bytes}, {"fused_rate", fused_rate, in_bytes},
	{"gemm_share", gemm_share, format_share}, /* of the time of all device events */
	{"waits", waits, as_count}, /* calls of a step that wait for the device */
	{"ops", operators, as_count},
	{"gap", gap, format_time}, /* between the first two device events of a step, median */
	{"gap_least", least_gap, format_time}, {"gap_most", most_gap, format_time},
	{"outer", outer_operator, to_the_ns}, {"outer_self", outer_operator_self, to_the_ns},
	{"inner", inner_operator, to_the_ns}, {"inner_self", inner_operator_self, to_the_ns},
	{"launch", operator_launch, to_the_ns},
	{"shown", shown_length, format_time}, /* of a step and of its device work */
	{"other_calls", operator_other_calls, to_the_ns},
	{"others", operator_other_count, as_count}, {"most_outer", most_is_outer, as_count},
	{"most_inner", most_is_inner, as_count}, {"most_launch", most_is_launch, as_count},
	{"most_turns", most_turns, as_count}, {"copied", copies_in_step, as_count},
	{"copy_bytes", copy_bytes, in_bytes_alone}, {"copy_moves", copy_moves, in_bytes_alone},
	{"two_slopes", two_lines_of_bytes, as_count}, {"window", window_length, format_time},
	{"shown_mm", shown_millimetre, format_time}, {"window_mm", window_millimetre, format_time},
	{"first_number", first_number, as_count}, /* as the profiler counts its steps */
	{"last_number", last_number, as_count},
	{"busy", busy_share, format_share}, /* of the window, the device */
	{"busy_step", busy_in_step, format_share}, {"idle_step", idle_in_step, format_time},
	{"inside", idle_inside, format_time}, /* idle between events of one launch, in a step */
	{"inside_gaps", gaps_inside, as_count}, {"inside_gap", gap_inside, format_time},
	{"unrecorded", unrecorded, format_time}, /* a step without the profiler's cost */
	{"at_once", at_once, format_time}, /* what one launch instead of all saves at most */
	{"rate", rate, in_bytes}, /* bytes of a step's tensors over its device time */
};

const struct measure *measure_named(const char *name)
{
	for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
		if (!strcmp(name, measures[i].name))
			return &measures[i];
	return NULL;
}

double measure_value(const struct input *in, const struct measure *m, const char *id)
{
	const struct report_case *c = chapter_case(in, id);
	return c ? m->value(c) : (double)NAN;
}

const char *measure_form(struct arena *a, const struct measure *m, double value)
{
	return isfinite(value) ? m->form(a, value) : "–";
}

double measure_of(const struct input *in, const char *measure, const char *id)
{
	const struct measure *m = measure_named(measure);
	if (!m)
		bug("there is no measure \"%s\"", measure);
	return measure_value(in, m, id);
}

const char *measure_text(
	struct document *d, const struct input *in, const char *measure, const char *id)
{
	const struct measure *m = measure_named(measure);
	if (!m)
		return missing_text(d->texts, d->arena, "exercises",
			arena_printf(d->arena, "measure %s", measure));
	return measure_form(d->arena, m, measure_value(in, m, id));
}

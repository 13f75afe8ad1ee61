/* SPDX-License-Identifier: Apache-2.0 */
/* The exercises of chapters that no question of the posts asks, worked out with a run's numbers. */
#include "report/course/worked_exercises.h"

#include "base/number_format.h"
#include "report/course/bandwidth.h"
#include "report/course/chapters.h"
#include "report/course/crossover.h"
#include "report/course/measures.h"
#include "report/course/parts.h"
#include "report/course/roofline.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <string.h>

/* The case that a chapter's exercise calls by this name. */
static const char *case_of(struct document *d, const cJSON *chapter, const char *name)
{
	const char *id = cJSON_GetStringValue(config_find(config_find(chapter, "worked"), name));
	return id ? id
		  : missing_text(d->texts, d->arena, "chapters",
			    arena_printf(
				    d->arena, "%s.worked.%s", config_words(chapter, "id"), name));
}

/* At which size the two are equal, or from which on the device is the longer; nothing where the
 * times just told, of more steps and processes, are otherwise at their size. */
static const char *waits_where(
	struct document *d, const struct run *run, double told_size, double device_over_cpu)
{
	struct arena *a = d->arena;
	struct crossover x = {.texts = d->texts, .fonts = d->fonts};
	if (!crossover_find(&x, a, run))
		return "";
	int sure = crossover_device_from(&x);
	if (x.crossing > 0 && !x.level)
		return (told_size < crossover_about(&x)) != (device_over_cpu < 1)
			? ""
			: said(d, "worked.waits.where", "size",
				  format_count(a, llround(crossover_about(&x))), NULL);
	if (!sure)
		return device_over_cpu < 1 ? "" : said(d, "worked.waits.never", NULL);
	if (sure == x.n || (told_size >= x.point[sure].size && device_over_cpu < CROSSOVER_MINUTE))
		return "";
	return said(
		d, "worked.waits.from", "size", format_count(a, llround(x.point[sure].size)), NULL);
}

static const char *waits(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	const char *small = case_of(d, chapter, "small");
	double cpu = measure_of(in, "cpu", small), device = measure_of(in, "device", small);
	if (!(device > 0) || !isfinite(cpu))
		return NULL;
	const char *where = waits_where(d, &in->runs[0],
		work_size(told_work(chapter_case(in, small)), "size"), device / cpu);
	const struct sure_ratio longer = device_to_cpu(a, chapter_case(in, small));
	if (sure_is_noise(&longer))
		return said(d, "worked.waits.even", "cpu", format_time(a, cpu), "device",
			format_time(a, device), "ratio", sure_text(d->texts, a, &longer), "where",
			where, NULL);
	if (cpu <= device)
		return said(d, "worked.waits.device", "cpu", format_time(a, cpu), "device",
			format_time(a, device), "where", where, NULL);
	return said(d, "worked.waits", "cpu", format_time(a, cpu), "device", format_time(a, device),
		"ratio", format_ratio(a, cpu / device), "where", where, NULL);
}

static const char *first(struct document *d, const struct input *in, const cJSON *chapter)
{
	const char *new_shape = case_of(d, chapter, "new_shape");
	const struct report_case *c = input_find(in, &in->runs[0], new_shape);
	double widest = measure_of(in, "widest", new_shape), cpu = measure_of(in, "cpu", new_shape);
	if (!c || !isfinite(widest))
		return NULL;
	return said(d, "worked.first", "title", c->title, "widest", format_time(d->arena, widest),
		"cpu", format_time(d->arena, cpu), NULL);
}

/* The activity with the largest total, as the picture of the chapter has it. */
static const char *spread(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	const char *often = case_of(d, chapter, "often");
	const struct report_case *c = input_find(in, &in->runs[0], often);
	const struct activity *act =
		c && c->analysis->n_activities ? &c->analysis->activities[0] : NULL;
	if (!act || act->calls < 3)
		return NULL;
	int64_t *ns = arena_array(a, act->calls, sizeof *ns), slowest = 0;
	size_t n = 0, at = 0;
	for (size_t i = 0; i < act->calls; i++) {
		ns[i] = c->trace.dur_ns[act->row[i]];
		if (ns[i] > slowest) {
			slowest = ns[i];
			at = i;
		}
	}
	for (size_t i = 0; i < act->calls; i++)
		if (i != at)
			ns[n++] = c->trace.dur_ns[act->row[i]];
	struct stats less = stats_of(ns, n);
	return said(d, "worked.spread", "n", format_count(a, (int64_t)act->calls), "slowest",
		format_time(a, (double)slowest), "mean", format_time(a, act->dur.mean),
		"mean_change", format_share(a, 1 - less.mean / act->dur.mean), "median",
		format_time(a, act->dur.median), "median_change",
		format_share(a, 1 - less.median / act->dur.median), NULL);
}

static const char *limits(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	const char *fused = case_of(d, chapter, "fused");
	double time = measure_of(in, "fused", fused), reached = measure_of(in, "fused_rate", fused);
	double copied, rate = largest_copy_rate(&in->runs[0], &copied);
	if (!(rate > 0) || !(time > 0) || !isfinite(reached))
		return NULL;
	bool above = reached > rate;
	double bytes = reached * time / 1e9;
	return said(d, above ? "worked.limits.above" : "worked.limits", "bytes",
		format_si(a, bytes, "B"), "rate", format_si(a, rate, "B/s"), "least",
		format_time(a, bytes / rate * 1e9), "time", format_time(a, time), "near",
		above ? format_ratio(a, reached / rate) : format_share(a, reached / rate), NULL);
}

/* Bytes of a step: what its rate and its time say. */
static double moved(const struct input *in, const char *id)
{
	return measure_of(in, "rate", id) * measure_of(in, "device", id) / 1e9;
}

static const char *attention(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	const char *three_kernels = case_of(d, chapter, "three_kernels");
	const char *one_kernel = case_of(d, chapter, "one_kernel");
	double bytes = moved(in, three_kernels) - moved(in, one_kernel);
	double copied, rate = largest_copy_rate(&in->runs[0], &copied);
	double longer =
		measure_of(in, "device", three_kernels) - measure_of(in, "device", one_kernel);
	double least = rate > 0 ? bytes / rate * 1e9 : (double)NAN;
	if (!isfinite(least) || !isfinite(longer))
		return NULL;
	const struct sure_ratio one_to_three =
		case_ratio(a, chapter_case(in, one_kernel), chapter_case(in, three_kernels), true);
	const char *key = sure_is_noise(&one_to_three) ? "worked.attention.noise"
		: longer <= 0			       ? "worked.attention.none"
		: least > longer		       ? "worked.attention.all"
						       : "worked.attention";
	return said(d, key, "bytes", format_si(a, bytes, "B"), "rate", format_si(a, rate, "B/s"),
		"least", format_time(a, least), "longer", format_time(a, longer), "share",
		format_share(a, longer > 0 ? least / longer : 0), "ratio",
		sure_text(d->texts, a, &one_to_three), NULL);
}

/* Where bytes stop to matter: what the run computed at most in a type over what its memory moved.
 */
static double ridge_of(struct document *d, const struct run *run, enum dtype dtype)
{
	struct roofline r = {0};
	if (!roofline_find(&r, d->arena, run))
		return (double)NAN;
	for (int i = 0; i < r.n_compute; i++)
		if (r.compute[i].dtype == dtype)
			return r.compute[i].rate / roofline_memory(&r);
	return (double)NAN;
}

static const char *precision(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	const char *half = case_of(d, chapter, "half");
	const char *whole = case_of(d, chapter, "whole");
	double one = measure_of(in, "gemm", half), other = measure_of(in, "gemm", whole);
	const struct report_case *c = input_find(in, &in->runs[0], half),
				 *o = input_find(in, &in->runs[0], whole);
	if (!c || !o || !(one > 0) || !isfinite(other))
		return NULL;
	double ridge = ridge_of(d, &in->runs[0], told_work(o)->dtype);
	double half_ridge = ridge_of(d, &in->runs[0], told_work(c)->dtype);
	if (!(measure_of(in, "gemm_intensity", whole) > ridge) ||
		!(measure_of(in, "gemm_intensity", half) > half_ridge))
		return NULL;
	const char *differ = gemm_difference(d, c, o, 4);
	return said(d, "worked.precision", "ratio", format_ratio(a, other / one), "intensity",
		format_count(a, llround(measure_of(in, "gemm_intensity", whole))), "half_intensity",
		format_count(a, llround(measure_of(in, "gemm_intensity", half))), "ridge",
		format_count(a, llround(ridge)), "half_ridge", format_count(a, llround(half_ridge)),
		"bf16", format_si(a, measure_of(in, "gemm_rate", half), "FLOP/s"), "fp32",
		format_si(a, measure_of(in, "gemm_rate", whole), "FLOP/s"), "kernels",
		differ && *differ ? said(d, "worked.kernels", "list", differ, NULL) : "", NULL);
}

static const char *layers(struct document *d, const struct input *in, const cJSON *chapter)
{
	static const struct {
		const char *measure, *name;
	} told[] = {{"fused", "made"}, {"fused", "hand"}, {"widest", "new_made"},
		{"widest", "new_hand"}};
	enum { TOLD = sizeof told / sizeof *told };
	const char *time[TOLD];
	double before = 0; /* the time told last */
	bool no_less = false;
	for (int i = 0; i < TOLD; i++) {
		double ns = measure_of(in, told[i].measure, case_of(d, chapter, told[i].name));
		if (!isfinite(ns))
			return NULL;
		no_less = i == TOLD - 1 && ns >= before;
		time[i] = format_time(d->arena, before = ns);
	}
	return said(d, no_less ? "worked.layers.no_less" : "worked.layers", "made", time[0], "hand",
		time[1], "new_made", time[2], "new_hand", time[3], NULL);
}

/* Our own one kernel, where PyTorch's were not recorded. */
static const char *own_kernel(struct document *d, const struct input *in, const cJSON *chapter)
{
	double written = measure_of(in, "device", case_of(d, chapter, "written"));
	double ours = measure_of(in, "device", case_of(d, chapter, "ours"));
	if (!isfinite(written) || !isfinite(ours))
		return NULL;
	return said(d, "worked.backends.ours", "written", format_time(d->arena, written), "ours",
		format_time(d->arena, ours), NULL);
}

/* Is a call that is written out below it slower than what somebody wrote out? */
static const char *backends(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct arena *a = d->arena;
	static const char *const names[] = {"math", "by_hand", "flash", "cudnn"};
	enum { NAMES = sizeof names / sizeof *names };
	double ns[NAMES];
	for (int i = 0; i < NAMES; i++) {
		ns[i] = measure_of(in, "device", case_of(d, chapter, names[i]));
		if (!isfinite(ns[i]))
			return own_kernel(d, in, chapter);
	}
	struct sure_ratio r = case_ratio(a, chapter_case(in, case_of(d, chapter, "math")),
		chapter_case(in, case_of(d, chapter, "by_hand")), true);
	const char *ratio = sure_text(d->texts, a, &r);
	return said(d, "worked.backends", "math", format_time(a, ns[0]), "ratio", ratio, "pieces",
		measure_text(d, in, "work", case_of(d, chapter, "math")), "flash",
		format_time(a, ns[2]), "cudnn", format_time(a, ns[3]), NULL);
}

static const struct {
	const char *chapter;
	const char *(*work)(struct document *d, const struct input *in, const cJSON *chapter);
	bool later; /* of two recorded runs that answer, the later one: it was recorded for this */
} rows[] = {{"waits", waits, false}, {"first", first, false}, {"spread", spread, false},
	{"layers", layers, false}, {"limits", limits, false}, {"attention", attention, false},
	{"backends", backends, true}, {"precision", precision, false}};

void add_worked_title(struct document *d, const cJSON *chapter, int n)
{
	document_add(d, BLOCK_TEXT,
		said(d, "worked.title", "n", format_count(d->arena, n), "title",
			config_words(chapter, "title"), NULL))
		->level = 1;
}

bool add_worked(struct document *d, const struct input *in, const cJSON *chapter, int n)
{
	size_t k = 0, all = sizeof rows / sizeof *rows;
	while (k < all && strcmp(rows[k].chapter, config_words(chapter, "id")) != 0)
		k++;
	const char *here = k < all ? rows[k].work(d, in, chapter) : NULL, *there = NULL;
	int nth = 0;
	for (int i = 0; k < all && i < d->parts && !there; i++) {
		nth = rows[k].later ? d->parts - 1 - i : i;
		there = rows[k].work(d, &in->recorded->input[nth], chapter);
	}
	if (!here && !there)
		return false;
	add_worked_title(d, chapter, n);
	const char *about =
		texts_find(d->texts, arena_printf(d->arena, "worked.about.%s", rows[k].chapter));
	if (about[0] || here)
		document_add(
			d, BLOCK_TEXT, arena_printf(d->arena, "%s%s", about, here ? here : ""));
	if (there)
		document_say(d, BLOCK_TEXT, "worked.recorded", "device",
			recorded_device(&in->recorded->input[nth].runs[0]), "answer", there, NULL);
	return true;
}

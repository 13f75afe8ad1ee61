/* SPDX-License-Identifier: Apache-2.0 */
/* The exercises of chapters that no question of the posts asks, worked out with a run's numbers. */
#include "report/section/worked.h"

#include "base/format.h"
#include "report/figure/crossover.h"
#include "report/section/chapters.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

#define SMALL "matmul_add/64_bf16_warm_eager"
#define OFTEN "matmul_add/4096_bf16_warm_eager_x20"
#define COPYING "matmul_add/4096_bf16_warm_compile"
#define FUSED "geglu_mlp/64_128_768_3072_compile"
#define NEW_SHAPE "geglu_mlp/64_128_768_3072_compile_then_32"
#define THREE_KERNELS "attention/16_2048_64_eager"
#define ONE_KERNEL "attention/16_2048_64_fused"
#define HALF "matmul_add/1024_bf16_warm_eager"
#define WHOLE "matmul_add/1024_fp32_warm_eager"

static const char *waits(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	double cpu = measure_of(in, "cpu", SMALL), device = measure_of(in, "device", SMALL);
	struct crossover x = {.texts = d->texts, .fonts = d->fonts};
	const char *where = "";
	if (!(device > 0) || !isfinite(cpu))
		return NULL;
	if (crossover_find(&x, a, &in->runs[0]) && x.crossing > 0)
		where = said(d, "worked.waits.where", "size", format_count(a, llround(x.crossing)),
			NULL);
	if (cpu <= device)
		return said(d, "worked.waits.device", "cpu", format_time(a, cpu), "device",
			format_time(a, device), "where", where, NULL);
	return said(d, "worked.waits", "cpu", format_time(a, cpu), "device", format_time(a, device),
		"ratio", format_ratio(a, cpu / device), "where", where, NULL);
}

static const char *first(struct document *d, const struct input *in)
{
	const struct report_case *c = input_find(in, &in->runs[0], NEW_SHAPE);
	double widest = measure_of(in, "widest", NEW_SHAPE), cpu = measure_of(in, "cpu", NEW_SHAPE);
	if (!c || !isfinite(widest))
		return NULL;
	return said(d, "worked.first", "title", c->title, "widest", format_time(d->arena, widest),
		"cpu", format_time(d->arena, cpu), NULL);
}

/* The activity with the largest total, as the picture of the chapter has it. */
static const char *spread(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	const struct report_case *c = input_find(in, &in->runs[0], OFTEN);
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

static const char *limits(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	double time = measure_of(in, "fused", FUSED), reached = measure_of(in, "fused_rate", FUSED);
	double rate = measure_of(in, "copy_rate", COPYING);
	if (!(rate > 0) || !(time > 0) || !isfinite(reached))
		return NULL;
	double bytes = reached * time / 1e9;
	return said(d, reached > rate ? "worked.limits.above" : "worked.limits", "bytes",
		format_si(a, bytes, "B"), "rate", format_si(a, rate, "B/s"), "least",
		format_time(a, bytes / rate * 1e9), "time", format_time(a, time), "near",
		reached > rate ? format_ratio(a, reached / rate) : format_share(a, reached / rate),
		NULL);
}

/* Bytes of a step: what its rate and its time say. */
static double moved(const struct input *in, const char *id)
{
	return measure_of(in, "rate", id) * measure_of(in, "device", id) / 1e9;
}

static const char *attention(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	double bytes = moved(in, THREE_KERNELS) - moved(in, ONE_KERNEL);
	double rate = measure_of(in, "copy_rate", COPYING);
	double longer =
		measure_of(in, "device", THREE_KERNELS) - measure_of(in, "device", ONE_KERNEL);
	double least = bytes / rate * 1e9;
	if (!isfinite(least) || !isfinite(longer))
		return NULL;
	const char *key = longer <= 0 ? "worked.attention.none"
		: least > longer      ? "worked.attention.all"
				      : "worked.attention";
	return said(d, key, "bytes", format_si(a, bytes, "B"), "rate", format_si(a, rate, "B/s"),
		"least", format_time(a, least), "longer", format_time(a, longer), "share",
		format_share(a, longer > 0 ? least / longer : 0), NULL);
}

static const char *precision(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	double one = measure_of(in, "device", HALF), other = measure_of(in, "device", WHOLE);
	const struct report_case *c = input_find(in, &in->runs[0], HALF),
				 *o = input_find(in, &in->runs[0], WHOLE);
	if (!c || !o || !(one > 0) || !isfinite(other))
		return NULL;
	const char *differ = gemm_difference(d, c, o, 4);
	return said(d, "worked.precision", "ratio", format_ratio(a, other / one), "rest",
		format_ratio(a, other / one / 2), "bf16",
		format_si(a, measure_of(in, "gemm_rate", HALF), "FLOP/s"), "fp32",
		format_si(a, measure_of(in, "gemm_rate", WHOLE), "FLOP/s"), "kernels",
		differ && *differ ? said(d, "worked.kernels", "list", differ, NULL) : "", NULL);
}

static const struct {
	const char *chapter;
	const char *(*work)(struct document *d, const struct input *in);
} rows[] = {{"waits", waits}, {"first", first}, {"spread", spread}, {"limits", limits},
	{"attention", attention}, {"precision", precision}};

bool add_worked(struct document *d, const struct input *in, const cJSON *chapter)
{
	size_t k = 0, n = sizeof rows / sizeof *rows;
	while (k < n && strcmp(rows[k].chapter, config_words(chapter, "id")) != 0)
		k++;
	const char *here = k < n ? rows[k].work(d, in) : NULL;
	if (!here)
		return false;
	document_add(d, BLOCK_TEXT,
		said(d, "worked.title", "title", config_words(chapter, "title"), NULL))
		->level = 1;
	const char *about =
		texts_find(d->texts, arena_printf(d->arena, "worked.about.%s", rows[k].chapter));
	document_add(d, BLOCK_TEXT, arena_printf(d->arena, "%s%s", about, here));
	for (int i = 0; i < d->parts; i++) {
		const struct input *recorded = &in->recorded->input[i];
		const char *there = rows[k].work(d, recorded);
		if (there) {
			document_say(d, BLOCK_TEXT, "worked.recorded", "device",
				recorded_device(&recorded->runs[0]), "answer", there, NULL);
			break;
		}
	}
	return true;
}

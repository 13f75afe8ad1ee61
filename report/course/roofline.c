/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/roofline.h"

#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE_TIMES = 10; /* what set the memory roof: no longer in the same caches */
static const double LARGE_FROM = 0.5; /* at most, of the most bytes that a kernel moves */
static const double ROUNDING = 1e-6;
static const double DIFFERS = 1.25; /* times: two memory roofs, not one */

/* ---- roofs ---- */

/* A manifest may claim anything; a plot shows what a machine can do. */
static bool is_sane(double value)
{
	return value > 1e-30 && value < 1e30;
}

/* An amount a second, or 0 where the quotient is no rate that a machine could have. */
static double rate_of(double amount, int64_t ns)
{
	double rate = ns > 0 ? amount / (double)ns * 1e9 : 0;
	return is_sane(rate) ? rate : 0;
}

static void raise(
	struct roof *roof, double amount, int64_t ns, const struct report_case *c, uint32_t row)
{
	double rate = rate_of(amount, ns);
	if (rate <= roof->rate)
		return;
	roof->rate = rate;
	roof->amount = amount;
	roof->ns = ns;
	roof->c = c;
	roof->kernel = trace_row_name(&c->trace, row);
	roof->dtype = c->work ? c->work->dtype : DTYPES;
}

/* -1: no product of the type, or a type that is not told. */
static int find_compute(const struct roofline *r, const struct case_work *w)
{
	for (int i = 0; i < r->n_compute; i++)
		if (r->compute[i].dtype == w->dtype)
			return i;
	return -1;
}

static void raise_compute(
	struct roofline *r, double flop, int64_t ns, const struct report_case *c, uint32_t row)
{
	int i = find_compute(r, c->work);
	if (i < 0 && (r->n_compute == MOST_ROOFS || rate_of(flop, ns) <= 0))
		return;
	raise(&r->compute[i < 0 ? r->n_compute++ : i], flop, ns, c, row);
}

typedef void (*visitor)(struct roofline *r, const struct report_case *c, const struct step *s,
	uint32_t nth, double *most);

/* The roofline counts every device event that belongs to a step of a case. */
static void for_each(struct roofline *r, const struct run *run, visitor visit, double *most)
{
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		for (uint32_t s = 0; c->readable && s < c->analysis->n_steps; s++)
			for (uint32_t k = 0; k < c->analysis->steps[s].n_device; k++)
				visit(r, c, &c->analysis->steps[s], k, most);
	}
}

static bool is_product(const struct report_case *c, uint32_t row)
{
	return class_of_product(c->analysis->class[row]);
}

static double moved(const struct report_case *c, const struct step *s, uint32_t nth)
{
	struct work w = work_of(c, s, nth);
	return w.read_bytes + w.write_bytes;
}

static void visit_all(struct roofline *r, const struct report_case *c, const struct step *s,
	uint32_t nth, double *most)
{
	uint32_t row = s->device[nth];
	int64_t ns = c->trace.dur_ns[row];
	if (!is_product(c, row)) {
		if (moved(c, s, nth) > r->least_bytes)
			raise(&r->memory, moved(c, s, nth), ns, c, row);
		*most = fmax(*most, moved(c, s, nth));
	} else if (c->analysis->class[row] == CLASS_GEMM) {
		bool split = nth + 1 < s->n_device &&
			c->analysis->class[s->device[nth + 1]] == CLASS_SPLITK;
		ns += split ? c->trace.dur_ns[s->device[nth + 1]] : 0;
		double flop = work_of(c, s, nth).flop;
		if (s->n_device == 1u + split && !(work_size(c->work, "then_batch") > 0))
			flop = fmax(flop, c->work->flop);
		raise_compute(r, flop, ns, c, row);
	}
}

static void visit_large(struct roofline *r, const struct report_case *c, const struct step *s,
	uint32_t nth, double *most)
{
	(void)most;
	uint32_t row = s->device[nth];
	double bytes = moved(c, s, nth);
	if (!is_product(c, row) && bytes >= r->large_bytes)
		raise(&r->large, bytes, c->trace.dur_ns[row], c, row);
}

/* ---- points ---- */

/* Of large tensors where the caches cannot hold what a step moves, unless it is faster. */
static double roof_above(const struct roofline *r, const struct roof_point *p, bool large)
{
	double compute = p->dtype >= 0 ? r->compute[p->dtype].rate : (double)INFINITY;
	double slope = fmin(compute, r->large.rate * p->intensity);
	if (large && r->large.rate > 0 && p->rate <= slope)
		return slope;
	return fmin(compute, r->memory.rate * p->intensity);
}

static bool point_of(const struct roofline *r, const struct report_case *c, struct roof_point *p)
{
	if (!c->readable || !c->work || !(c->work->flop > 0) || !(c->work->bytes > 0))
		return false;
	double flop = c->work->flop, bytes = c->work->bytes;
	/* Its steps differ in size: no one number is the work of a step. */
	if (work_size(c->work, "then_batch") > 0)
		return false;
	double busy_ns = numbers_of(c->analysis).device_ns;
	if (!(busy_ns > 0))
		return false;
	*p = (struct roof_point){.c = c,
		.intensity = flop / bytes,
		.rate = flop / busy_ns * 1e9,
		.dtype = find_compute(r, c->work)};
	if (!is_sane(p->intensity) || !is_sane(p->rate))
		return false;
	double roof = roof_above(r, p, bytes > r->memory.amount);
	bool over = p->rate > roof * (1 + ROUNDING);
	p->share = roof > 0 ? fmin(p->rate / roof, 1) : 0;
	if (over)
		p->share = (double)NAN;
	return true;
}

/* The same work again, as a cold start or a longer recording: a case of its own is one point. Warm
 * stands before cold, the first before later ones. */
static bool told_by_another(const struct run *run, int nth)
{
	const struct case_work *w = run->cases[nth].work;
	for (int i = 0; w && i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		const struct case_work *o = c->work;
		if (i == nth || !o || !c->readable || !c->analysis->n_steps ||
			strcmp(o->workload, w->workload) != 0 || strcmp(o->mode, w->mode) != 0 ||
			o->dtype != w->dtype || !same_sizes(&o->shape, &w->shape))
			continue;
		if (o->warm > w->warm || (o->warm == w->warm && i < nth))
			return true;
	}
	return false;
}

double roofline_memory(const struct roofline *r)
{
	return r->large.rate > 0 ? r->large.rate : r->memory.rate;
}

bool roofline_find(struct roofline *r, struct arena *a, const struct run *run)
{
	double most = 0;
	r->cache_bytes = run->machine->cache_bytes;
	r->least_bytes = fmax(r->cache_bytes, ROOF_LEAST_BYTES);
	for_each(r, run, visit_all, &most);
	while (most <= r->least_bytes && r->least_bytes > 0) {
		r->least_bytes = most > ROOF_LEAST_BYTES ? ROOF_LEAST_BYTES : 0;
		r->cache_bytes = 0;
		for_each(r, run, visit_all, &most);
	}
	r->large_bytes = fmin(LARGE_TIMES * r->memory.amount, LARGE_FROM * most);
	for_each(r, run, visit_large, &most);
	if (r->large.rate * DIFFERS >= r->memory.rate)
		r->large.rate = 0;
	r->point = arena_array(a, MOST_POINTS, sizeof *r->point);
	struct roof_point p;
	for (int i = 0; i < run->n_cases; i++) {
		if (told_by_another(run, i) || !point_of(r, &run->cases[i], &p))
			continue;
		if (r->n < MOST_POINTS)
			r->point[r->n++] = p;
	}
	return r->n >= LEAST_POINTS && r->n_compute && r->memory.rate > 0;
}

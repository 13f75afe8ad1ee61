/* SPDX-License-Identifier: Apache-2.0 */
/* Idle time blamed and busy time given a purpose another way: microsecond by microsecond, on traces
 * drawn by lot. The sums must be the same to the nanosecond. */
#include "tests/unit/breakdown_world.h"

#include <string.h>

enum { ROUNDS = 60, MOST_US = 6000 };

static uint32_t seed;

static int lot(int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (unsigned)n);
}

/* ---- a program drawn by lot ---- */

static const char *const kernels[] = {"nvjet_tst_128x128",
	"at::native::elementwise_kernel<direct_copy_kernel_cuda>",
	"at::native::elementwise_kernel<FillFunctor>", "spin_kernel", "CatArrayBatchedCopy<float>"};
static const char *const ops[] = {
	"aten::mm", "aten::copy_", "aten::fill_", "aten::mul", "aten::cat"};

struct drawing {
	struct world *w;
	int now, device; /* when the thread goes on, when the stream is free */
	uint32_t id;
};

static bool has_room(const struct drawing *d)
{
	return d->w->made.n < MADE_MOST - 20 && d->now < MOST_US - 400;
}

/* A launch of 2 to 9 us; its kernel begins up to 8 us later, or when the stream is free. */
static void draw_launch(struct drawing *d, int which)
{
	int call = d->now, called = call + 2 + lot(8), start = called + lot(8);
	start = start > d->device ? start : d->device + lot(3);
	d->device = start + 1 + lot(60);
	d->now = called + lot(4);
	world_launch(d->w, kernels[which], ++d->id, call, called, start, d->device);
}

static void draw_op(struct drawing *d, int depth)
{
	int which = lot(5), begin = d->now;
	struct made_event *e = made_add(&d->w->made, EVENT_OP, ops[which], begin, begin, 0);
	d->now += 1 + lot(9);
	if (depth && lot(3) == 0)
		draw_op(d, depth - 1);
	d->now += lot(12) == 0 ? 100 + lot(250) : lot(9);
	if (lot(4))
		draw_launch(d, lot(5));
	d->now += lot(5);
	e->end_us = d->now;
}

static void draw(struct drawing *d)
{
	while (has_room(d)) {
		int begin = d->now;
		struct made_event *python = NULL;
		if (lot(3) == 0)
			python = made_add(
				&d->w->made, EVENT_PYTHON, "model.py(3): forward", begin, begin, 0);
		if (lot(6) == 0) {
			made_add(&d->w->made, EVENT_RUNTIME, "cudaMalloc", d->now, d->now + 40, 0);
			d->now += 40 + lot(3);
		}
		draw_op(d, 3);
		d->now += lot(20);
		if (python)
			python->end_us = d->now;
		d->now += lot(10) == 0 ? 200 + lot(300) : lot(6);
	}
	draw_launch(d, 0); /* nothing is open at the end */
}

/* ---- every microsecond for itself ---- */

static bool covers(const struct trace *t, uint32_t row, int64_t at)
{
	return t->start_ns[row] <= at && at < row_end(t, row);
}

static uint32_t working(const struct trace *t, int64_t at)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (event_on_device(t->kind[i]) && covers(t, i, at))
			return i;
	return NO_ROW;
}

static uint32_t next_work(const struct trace *t, int64_t at)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (event_on_device(t->kind[i]) && t->start_ns[i] > at)
			return i;
	return NO_ROW;
}

static uint32_t innermost(const struct trace *t, int64_t at)
{
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < t->n; i++)
		if (!event_on_device(t->kind[i]) && covers(t, i, at))
			best = i; /* rows inside come later */
	return best;
}

static bool launches_inside(const struct trace *t, uint32_t op)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->kind[i] == EVENT_RUNTIME && t->launch[i] != NO_ROW &&
			t->start_ns[i] >= t->start_ns[op] && row_end(t, i) <= row_end(t, op))
			return true;
	return false;
}

static bool computes(const struct trace *t, uint32_t op)
{
	uint32_t top = op;
	if (launches_inside(t, op))
		return false;
	for (uint32_t i = 0; i < t->n; i++) /* the outermost around it without a launch */
		if (t->kind[i] == EVENT_OP && t->start_ns[i] <= t->start_ns[top] &&
			row_end(t, i) >= row_end(t, top) && !launches_inside(t, i))
			return t->dur_ns[i] >= SILENCE_NS;
	return t->dur_ns[op] >= SILENCE_NS;
}

static enum blame_kind blamed(const struct trace *t, int64_t at)
{
	uint32_t work = next_work(t, at), row = innermost(t, at);
	if (at >= row_end(t, t->launch[work]))
		return BLAME_QUEUE;
	if (row == NO_ROW)
		return BLAME_NOTHING;
	if (t->kind[row] == EVENT_PYTHON)
		return BLAME_PYTHON;
	if (t->kind[row] == EVENT_RUNTIME)
		return t->launch[row] == NO_ROW ? BLAME_ALLOCATION : BLAME_LAUNCH;
	return computes(t, row) ? BLAME_COMPUTING : BLAME_OPERATOR;
}

static enum device_why purpose(const struct trace *t, uint32_t work)
{
	const char *name = names_text(&t->names, t->name[work]);
	uint32_t call = t->launch[work];
	bool joined = false;
	for (uint32_t i = 0; i < t->n; i++)
		joined |= t->kind[i] == EVENT_OP && t->start_ns[i] <= t->start_ns[call] &&
			row_end(t, i) >= row_end(t, call) &&
			!strcmp(names_text(&t->names, t->name[i]), "aten::cat");
	if (!strcmp(name, kernels[3]))
		return WHY_SPINNING;
	if (!strcmp(name, kernels[2]))
		return WHY_FILLED;
	if (!strcmp(name, kernels[0]))
		return WHY_COMPUTED;
	return joined ? WHY_JOINED : WHY_COPIED;
}

static void one_round(uint32_t number)
{
	void *unused = NULL, **state = &unused;
	TEST_WORLD(w);
	seed = number;
	struct drawing d = {.w = &w, .now = 5};
	draw(&d);
	struct breakdown p = breakdown_of_world(&w);
	const struct trace *t = w.a.trace;
	int64_t blame[BLAMES] = {0}, why[DEVICE_WHYS] = {0};
	for (int64_t at = p.whole.start_ns; at < p.whole.end_ns; at += 1000) {
		uint32_t work = working(t, at);
		if (work == NO_ROW && next_work(t, at) == NO_ROW)
			blame[BLAME_BEYOND] += 1000;
		else if (work == NO_ROW)
			blame[blamed(t, at)] += 1000;
		else
			why[purpose(t, work)] += 1000;
	}
	for (int i = 0; i < BLAMES; i++)
		if (blame[i] != p.blame.whole.ns[i])
			fail_msg("round %u: %s is %jd, not %jd", number,
				blame_name((enum blame_kind)i), (intmax_t)p.blame.whole.ns[i],
				(intmax_t)blame[i]);
	for (int i = 0; i < DEVICE_WHYS; i++)
		if (why[i] != p.purposes.whole.ns[i])
			fail_msg("round %u: %s is %jd, not %jd", number,
				device_why_name((enum device_why)i),
				(intmax_t)p.purposes.whole.ns[i], (intmax_t)why[i]);
}

static void drawn_by_lot(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= ROUNDS; i++)
		one_round(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_by_lot)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

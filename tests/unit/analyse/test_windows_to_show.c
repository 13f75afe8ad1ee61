/* SPDX-License-Identifier: Apache-2.0 */
/* Which stretches of a trace are shown: each occasion alone, then how they share the room. */
#include "report/analyse/analysis.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/launches.h"
#include "report/analyse/windows_to_show.h"
#include "tests/unit/trust_world.h"

static void assert_windows(const struct windows *all, const struct trace *t)
{
	assert_true(all->n <= WINDOWS_MOST);
	unsigned int seen = 0;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct shown_window *w = &all->window[i];
		assert_true(w->start_ns < w->end_ns);
		assert_true(w->start_ns >= 0);
		assert_true(i == 0 || w->start_ns >= w[-1].start_ns);
		assert_true(w->events <= WINDOW_EVENTS);
		assert_true(w->occasion < OCCASIONS && w->also < 1u << OCCASIONS);
		assert_false(seen & (1u << w->occasion | w->also));
		seen |= 1u << w->occasion | w->also;
		for (uint32_t k = 0; k < w->n_rows; k++)
			assert_true(w->row[k] == NO_ROW || w->row[k] < t->n);
	}
}

static struct windows windows_of_world(struct world *w)
{
	world_seal(w);
	struct idle_causes l = idle_causes_of(&w->arena, &w->a);
	struct windows all = windows_of(&w->a, &l);
	assert_windows(&all, w->a.trace);
	return all;
}

/* The window of an occasion, or the one that it joined; NULL. */
static const struct shown_window *find(const struct windows *all, enum occasion o)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->window[i].occasion == o || all->window[i].also & 1u << o)
			return &all->window[i];
	return NULL;
}

static const struct shown_window *own(const struct windows *all, enum occasion o)
{
	const struct shown_window *w = find(all, o);
	assert_non_null(w);
	assert_int_equal(w->occasion, o);
	return w;
}

static void longest_gap(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 2, 5, 10);
	world_launch(&w, "b", 2, 11, 12, 13, 20);
	made_add(&w.made, EVENT_PYTHON, "loader", 21, 415, 0);
	world_launch(&w, "c", 3, 416, 418, 420, 425);
	struct windows all = windows_of_world(&w);
	const struct shown_window *g = own(&all, OCCASION_GAP);
	assert_int_equal(g->start_ns, 0); /* 20 less an eighth of 400, cut at the beginning */
	assert_int_equal(g->end_ns, 425000); /* the trace's end */
	assert_true(g->whole);
	assert_int_equal(g->value_ns, 400000);
	assert_int_equal(g->typical_ns, 5000); /* of 5, 3 and 400 us */
	assert_int_equal(g->n_rows, 4);
	assert_int_equal(g->row[0], made_find(&w.made.trace, "b", 0));
	assert_int_equal(g->row[1], made_find(&w.made.trace, "c", 0));
	assert_int_equal(g->row[2], w.made.trace.launch[g->row[1]]);
	assert_int_equal(g->row[3], made_find(&w.made.trace, "loader", 0));
	assert_int_equal(g->events, 7);
}

/* The stretches at the window's ends are no gaps, however long. */
static void ends_are_no_gaps(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 1000, 0);
	world_launch(&w, "a", 1, 490, 492, 495, 500);
	struct windows all = windows_of_world(&w);
	assert_null(find(&all, OCCASION_GAP));
}

static void widest_step(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#4", 0, 100, 0);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#5", 100, 400, 0);
	made_add(&w.made, EVENT_OP, "aten::big", 120, 380, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMalloc", 150, 370, 0);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#6", 400, 520, 0);
	struct windows all = windows_of_world(&w);
	const struct shown_window *s = own(&all, OCCASION_STEP);
	assert_int_equal(s->index, 1);
	assert_int_equal(s->value_ns, 300000);
	assert_int_equal(s->typical_ns, 120000);
	assert_true(s->start_ns <= 100000 && s->end_ns >= 400000);
	assert_int_equal(s->row[0], made_find(&w.made.trace, "ProfilerStep#5", 0));
	assert_int_equal(s->row[1], made_find(&w.made.trace, "cudaMalloc", 0));
}

/* Of steps that last alike none is shown as the longest; a single one is in the overview. */
static void steps_alike(void **state)
{
	(void)state;
	for (int longest = 105; longest <= 125; longest += 10) {
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#4", 0, 100, 0);
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#5", 100, 100 + longest, 0);
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#6", 300, 400, 0);
		struct windows all = windows_of_world(&w);
		assert_int_equal(find(&all, OCCASION_STEP) != NULL, longest >= 110);
		world_release(&w);
	}
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#4", 0, 100, 0);
	struct windows all = windows_of_world(&w);
	assert_null(find(&all, OCCASION_STEP));
	world_release(&w);
}

/* In a picture that went back to the launch it could not be seen. */
static void a_kernel_launched_long_ago(void **state)
{
	(void)state;
	for (int ago = 300; ago <= 600; ago += 300) {
		struct world w = {0};
		world_launch(&w, "hot", 1, 1000 - ago, 1001 - ago, 1000, 1040);
		struct windows all = windows_of_world(&w);
		assert_int_equal(own(&all, OCCASION_KERNEL)->start_ns < 900000, ago == 300);
		world_release(&w);
	}
}

/* Of the hottest kernel the longest event that can be shown with its launch. */
static void hottest_kernel_with_its_launch(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "hot", 1, 0, 5, 10, 60);
	world_launch(&w, "hot", 2, 100, 105, 110, 180);
	made_add(&w.made, EVENT_KERNEL, "hot", 1000, 1090, 77); /* no launch */
	world_launch(&w, "cold", 3, 200, 205, 210, 300);
	struct windows all = windows_of_world(&w);
	const struct shown_window *k = own(&all, OCCASION_KERNEL);
	assert_int_equal(k->row[0], made_find(&w.made.trace, "hot", 1));
	assert_int_equal(k->row[1], w.made.trace.launch[k->row[0]]);
	assert_int_equal(k->value_ns, 70000);
	assert_int_equal(k->typical_ns, 70000);
	assert_int_equal(k->count, 3);
	assert_int_equal(k->start_ns, 100000 - 10001);
	assert_int_equal(k->end_ns, 180000 + 10001);
}

static void copies_are_no_kernels(void **state)
{
	TEST_WORLD(w);
	world_copy(&w, "Memcpy HtoD", "cudaMemcpyAsync", 1, (double[]){0, 5, 10, 900});
	struct windows all = windows_of_world(&w);
	assert_null(find(&all, OCCASION_KERNEL));
	assert_null(find(&all, OCCASION_FIRST));
}

static void first_launch_with_its_operator(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 20, 70, 0);
	world_launch(&w, "first", 1, 40, 60, 80, 90);
	for (uint32_t i = 0; i < 3; i++)
		world_launch(
			&w, "later", 2 + i, 500 + 40 * i, 501 + 40 * i, 505 + 40 * i, 525 + 40 * i);
	struct windows all = windows_of_world(&w);
	const struct shown_window *f = own(&all, OCCASION_FIRST);
	assert_int_equal(f->row[0], made_find(&w.made.trace, "cudaLaunchKernel", 0));
	assert_int_equal(f->row[1], made_find(&w.made.trace, "first", 0));
	assert_int_equal(f->row[2], made_find(&w.made.trace, "aten::mm", 0));
	assert_int_equal(f->value_ns, 40000);
	assert_int_equal(f->typical_ns, 5000);
	assert_int_equal(f->start_ns, 20000);
	assert_int_equal(f->end_ns, 90000 + 6251);
}

/* 40 launches, one every 20 us, but those from the 21st on every 2 us for ten. */
static void densest_burst(void **state)
{
	TEST_WORLD(w);
	double at = 0;
	for (uint32_t i = 0; i < 40; i++) {
		world_launch(&w, "k", i + 1, at, at + 1, at + 1, at + 1.5);
		at += i >= 20 && i < 29 ? 2 : 20;
	}
	struct windows all = windows_of_world(&w);
	const struct shown_window *b = own(&all, OCCASION_BURST);
	assert_int_equal(b->count, 10);
	assert_int_equal(b->value_ns, 18000);
	assert_int_equal(b->row[0], made_find(&w.made.trace, "cudaLaunchKernel", 20));
	assert_int_equal(b->row[1], made_find(&w.made.trace, "cudaLaunchKernel", 29));
	assert_true(b->start_ns <= 400000 && b->end_ns >= 419000);
	assert_int_equal(b->typical_ns, 162000); /* 14 of the 31 rows of ten take 180 us */
}

static void few_launches_are_no_burst(void **state)
{
	TEST_WORLD(w);
	for (uint32_t i = 0; i < 31; i++)
		world_launch(&w, "k", i + 1, 10 * i, 10 * i + 1, 10 * i + 2, 10 * i + 3);
	struct windows all = windows_of_world(&w);
	assert_null(find(&all, OCCASION_BURST));
}

static void without_a_device(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OTHER, "outer", 0, 1000, 0);
	made_add(&w.made, EVENT_OTHER, "middle", 10, 100, 0);
	made_add(&w.made, EVENT_OTHER, "deep", 20, 40, 0);
	made_add(&w.made, EVENT_OTHER, "leaf", 200, 950, 0);
	for (uint32_t i = 0; i < 36; i++)
		made_add(&w.made, EVENT_OTHER, "quick", 960 + i, 960.5 + i, 0);
	struct windows all = windows_of_world(&w);
	const struct shown_window *s = own(&all, OCCASION_SPAN);
	assert_int_equal(s->row[0], made_find(&w.made.trace, "leaf", 0));
	assert_int_equal(s->value_ns, 750000);
	const struct shown_window *d = own(&all, OCCASION_DEEPEST);
	assert_int_equal(d->row[0], made_find(&w.made.trace, "deep", 0));
	assert_int_equal(d->count, 2);
	assert_int_equal(d->start_ns, 10000);
	assert_int_equal(d->end_ns, 100000);
	const struct shown_window *n = own(&all, OCCASION_DENSEST);
	assert_int_equal(n->count, 10);
	assert_int_equal(n->value_ns, 9000);
	assert_null(find(&all, OCCASION_GAP));
	assert_null(find(&all, OCCASION_BURST));
}

/* Spans of many threads that all begin at once are no dense stretch of any of them. */
static void densest_of_one_thread(void **state)
{
	(void)state;
	struct world w = {0};
	for (uint32_t i = 0; i < 40; i++)
		made_add(&w.made, EVENT_OTHER, "main", 20 * i, 20 * i + 1, 0);
	for (uint32_t i = 0; i < 36; i++)
		made_add(&w.made, EVENT_OTHER, "other", 300 + i / 100.0, 500, 0)->track =
			MADE_OTHER_THREAD;
	struct windows all = windows_of_world(&w);
	const struct shown_window *n = own(&all, OCCASION_DENSEST);
	assert_int_equal(n->value_ns, 180000);
	assert_int_equal(n->row[0], made_find(&w.made.trace, "main", 0));
	world_release(&w);
	w = (struct world){0};
	for (uint32_t i = 0; i < 40; i++)
		made_add(&w.made, EVENT_OTHER, "at once", 5, 10, 0);
	all = windows_of_world(&w);
	assert_null(find(&all, OCCASION_DENSEST));
	world_release(&w);
}

static void nothing_to_show(void **state)
{
	(void)state;
	struct world w = {0};
	struct windows all = windows_of_world(&w);
	assert_int_equal(all.n, 0);
	world_release(&w);
	w = (struct world){0};
	made_add(&w.made, EVENT_INSTANT, "mark", 5, 5, 0);
	all = windows_of_world(&w);
	assert_int_equal(all.n, 0);
	world_release(&w);
}

/* ---- sharing the room ---- */

/* The only kernel is the hottest one and that of the first launch. */
static void one_subject_two_occasions(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "only", 1, 0, 5, 10, 60);
	struct windows all = windows_of_world(&w);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.window[0].occasion, OCCASION_KERNEL);
	assert_int_equal(all.window[0].also, 1u << OCCASION_FIRST);
}

/* A kernel in the middle of a step a hundred times its length is a detail. */
static void a_detail_has_its_own_window(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 1000, 0);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 1000, 1200, 0);
	world_launch(&w, "k", 1, 500, 502, 505, 510);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 1190, 1191, 0);
	struct windows all = windows_of_world(&w);
	assert_int_equal(own(&all, OCCASION_STEP)->also, 0);
	assert_true(own(&all, OCCASION_KERNEL)->end_ns < 520000);
}

/* ---- narrowing ---- */

/* A gap during which the host does more than can be shown: its end, with what ended it. */
static void too_much_happens(void **state)
{
	(void)state;
	enum { OPS = 3000 };
	struct trace *t = calloc(1, sizeof *t);
	struct world w = {0};
	world_launch(&w, "a", 1, 0, 2, 5, 10);
	world_launch(&w, "b", 2, 40, 42, 45, 50);
	made_seal(&w.made);
	*t = w.made.trace;
	/* The sealed rows with many operators between them. */
	size_t n = t->n + OPS, at = 0;
	t->start_ns = arena_array(&w.arena, n, sizeof *t->start_ns);
	t->dur_ns = arena_array(&w.arena, n, sizeof *t->dur_ns);
	t->name = arena_array(&w.arena, n, sizeof *t->name);
	t->category = arena_array(&w.arena, n, sizeof *t->category);
	t->track = arena_array(&w.arena, n, sizeof *t->track);
	t->correlation = arena_array(&w.arena, n, sizeof *t->correlation);
	t->external = arena_array(&w.arena, n, sizeof *t->external);
	t->side = arena_array(&w.arena, n, sizeof *t->side);
	t->launch = arena_array(&w.arena, n, sizeof *t->launch);
	t->parent = arena_array(&w.arena, n, sizeof *t->parent);
	t->depth = arena_array(&w.arena, n, sizeof *t->depth);
	t->kind = arena_array(&w.arena, n, sizeof *t->kind);
	const struct trace *s = &w.made.trace;
	for (size_t i = 0; i < s->n; i++) {
		for (int k = 0; i == 2 && k < OPS; k++, at++) {
			t->start_ns[at] = 10000 + 10 * k;
			t->dur_ns[at] = 5;
			t->kind[at] = EVENT_OP;
			t->side[at] = t->launch[at] = t->parent[at] = NO_ROW;
		}
		t->start_ns[at] = s->start_ns[i];
		t->dur_ns[at] = s->dur_ns[i];
		t->kind[at] = s->kind[i];
		t->track[at] = s->track[i];
		t->name[at] = s->name[i];
		t->correlation[at] = s->correlation[i];
		t->side[at] = t->parent[at] = NO_ROW;
		t->launch[at] = s->launch[i] < 2 ? s->launch[i] : s->launch[i] + OPS;
		at++;
	}
	t->n = n;
	w.a = analysis_of(&w.arena, t);
	struct idle_causes l = idle_causes_of(&w.arena, &w.a);
	struct windows all = windows_of(&w.a, &l);
	assert_windows(&all, t);
	const struct shown_window *g = own(&all, OCCASION_GAP);
	assert_false(g->whole);
	assert_int_equal(g->value_ns, 35000);
	assert_true(g->events > WINDOW_EVENTS - 20);
	assert_int_equal(g->end_ns, 45000);
	assert_true(g->start_ns > 30000 && g->start_ns < 40000); /* the call at 40 is in it */
	free(t);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_gap),
		cmocka_unit_test(ends_are_no_gaps),
		cmocka_unit_test(widest_step),
		cmocka_unit_test(steps_alike),
		cmocka_unit_test(a_kernel_launched_long_ago),
		cmocka_unit_test(hottest_kernel_with_its_launch),
		cmocka_unit_test(copies_are_no_kernels),
		cmocka_unit_test(first_launch_with_its_operator),
		cmocka_unit_test(densest_burst),
		cmocka_unit_test(few_launches_are_no_burst),
		cmocka_unit_test(without_a_device),
		cmocka_unit_test(densest_of_one_thread),
		cmocka_unit_test(nothing_to_show),
		cmocka_unit_test(one_subject_two_occasions),
		cmocka_unit_test(a_detail_has_its_own_window),
		cmocka_unit_test(too_much_happens),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

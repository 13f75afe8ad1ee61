/* SPDX-License-Identifier: Apache-2.0 */
/* A made trace run again: as it was, and with something changed, worked out by hand. */
#include "report/replay/replay.h"

#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "report/replay/graph.h"
#include "tests/unit/trust_world.h"

#include <stdlib.h>
#include <string.h>

struct stage {
	struct world w;
	struct idle_causes l;
	struct breakdown p;
	struct replay *r;
	float *factor;
	uint8_t *passes;
	struct spans spared;
	uint32_t id;
};

/* A call, and a kernel of which begin and end are given. */
static void kernel(struct stage *s, double call, double called, double start, double end)
{
	world_launch(&s->w, "gemm", ++s->id, call, called, start, end);
}

static void on_stage(struct stage *s)
{
	const struct analysis *a = world_seal(&s->w);
	s->l = idle_causes_of(&s->w.arena, a);
	s->p = breakdown_of(&s->w.arena, a, &s->l);
	s->r = replay_of(&s->w.arena, a, &s->p, PROFILER_COST_OPERATOR_NS);
	s->factor = arena_array(&s->w.arena, a->n_device, sizeof *s->factor);
	s->passes = arena_array(&s->w.arena, a->trace->n, 1);
	s->spared = spans_with_room(&s->w.arena, 8);
	for (size_t i = 0; i < a->n_device; i++)
		s->factor[i] = 1;
	assert_non_null(s->r);
	assert_int_equal(replay_ns(s->r, NULL), replay_recorded_ns(s->r));
}

static int64_t changed(const struct stage *s)
{
	const struct replay_change c = {
		.spared = &s->spared, .factor = s->factor, .passes = s->passes};
	return replay_ns(s->r, &c) / 1000;
}

static void all_kernels(struct stage *s, float factor)
{
	for (size_t i = 0; i < s->w.a.n_device; i++)
		s->factor[i] = factor;
}

/* Launches 100 us apart, kernels of 10 us: the last ends at 20 + 400 + 10. */
static void play_late_host(struct stage *s)
{
	for (int i = 0; i < 5; i++)
		kernel(s, 100 * i, 100 * i + 10, 100 * i + 20, 100 * i + 30);
	on_stage(s);
}

static void faster_kernels_gain_nothing_while_the_host_is_late(void **state)
{
	(void)state;
	struct stage s = {0};
	play_late_host(&s);
	assert_int_equal(changed(&s), 430);
	all_kernels(&s, 0.5F);
	assert_int_equal(changed(&s), 425); /* the last one's own */
	world_release(&s.w);
}

static void time_that_the_host_is_spared_is_gained(void **state)
{
	(void)state;
	struct stage s = {0};
	play_late_host(&s);
	spans_add(&s.spared, 120000, 180000);
	spans_add(&s.spared, 310000, 400000);
	assert_int_equal(changed(&s), 430 - 60 - 90);
	world_release(&s.w);
}

/* Launches 10 us apart, kernels of 100 us, one behind the other. */
static void play_late_device(struct stage *s)
{
	for (int i = 0; i < 5; i++)
		kernel(s, 10 * i, 10 * i + 5, 20 + 102 * i, 120 + 102 * i);
	on_stage(s);
}

static void a_faster_host_gains_nothing_while_the_device_works(void **state)
{
	(void)state;
	struct stage s = {0};
	play_late_device(&s);
	assert_int_equal(changed(&s), 528);
	spans_add(&s.spared, 5000, 10000);
	spans_add(&s.spared, 25000, 30000);
	assert_int_equal(changed(&s), 528);
	all_kernels(&s, 0.5F);
	assert_int_equal(changed(&s), 528 - 250);
	world_release(&s.w);
}

/* Once the kernels are short enough the host limits, and no more is gained: two changes together
 * are worth less than the sum of both. */
static void two_changes_are_run_together(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 5; i++) /* the host needs 80 us for each, the device 100 */
		kernel(&s, 80 * i, 80 * i + 5, 20 + 100 * i, 120 + 100 * i);
	on_stage(&s);
	assert_int_equal(changed(&s), 520);
	all_kernels(&s, 0.5F);
	int64_t device = changed(&s);
	assert_int_equal(device, 320 + 20 + 50);
	for (int i = 0; i < 4; i++)
		spans_add(&s.spared, 80000 * i + 10000, 80000 * i + 80000);
	int64_t both = changed(&s);
	all_kernels(&s, 1);
	int64_t host = changed(&s);
	assert_int_equal(host, 520);
	assert_int_equal(both, 20 + 5 * 50);
	world_release(&s.w);
}

/* Each kernel is waited for before the next is launched. */
static void a_wait_that_goes_lets_the_host_run_ahead(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 4; i++) {
		double at = 150 * i;
		kernel(&s, at, at + 5, at + 10, at + 110);
		made_add(&s.w.made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 6, at + 115, 0);
	}
	on_stage(&s);
	assert_int_equal(changed(&s), 560);
	all_kernels(&s, 0.5F);
	assert_int_equal(changed(&s), 560 - 200); /* the waits end with them */
	all_kernels(&s, 1);
	memset(s.passes, 1, s.w.made.trace.n);
	assert_int_equal(changed(&s), 10 + 4 * 100); /* one behind the other */
	world_release(&s.w);
}

/* The second stream begins right behind the long kernel of the first, long after its launch. */
static void a_stream_waits_for_another(void **state)
{
	(void)state;
	struct stage s = {0};
	kernel(&s, 0, 5, 10, 310);
	made_add(&s.w.made, EVENT_RUNTIME, "cudaLaunchKernel", 20, 25, 9);
	made_add(&s.w.made, EVENT_KERNEL, "other", 314, 364, 9)->track = MADE_STREAM2;
	on_stage(&s);
	assert_int_equal(changed(&s), 364);
	s.factor[0] = 0.1F;
	assert_int_equal(changed(&s), 364 - 270);
	world_release(&s.w);
}

/* The backward pass is launched by a thread that the main one wakes, and the other way round. */
static void threads_hand_over(void **state)
{
	(void)state;
	struct stage s = {0};
	made_add(&s.w.made, EVENT_OP, "forward", 0, 100, 0);
	kernel(&s, 90, 95, 100, 110);
	made_add(&s.w.made, EVENT_OP, "backward", 120, 300, 0)->track = MADE_OTHER_THREAD;
	made_add(&s.w.made, EVENT_RUNTIME, "cudaLaunchKernel", 290, 295, 50)->track =
		MADE_OTHER_THREAD;
	made_add(&s.w.made, EVENT_KERNEL, "gemm_backward", 300, 310, 50);
	made_add(&s.w.made, EVENT_OP, "optimizer", 310, 400, 0);
	kernel(&s, 390, 395, 400, 410);
	on_stage(&s);
	assert_int_equal(changed(&s), 410 - 90);
	spans_add(&s.spared, 130000, 280000); /* of the backward pass */
	assert_int_equal(changed(&s), 410 - 90 - 150);
	world_release(&s.w);
}

/* Without the recorder an operator costs less, and so do a launch call of 6 us and the 10 us in
 * which its operator comes to it. */
static void the_recorder_is_taken_off(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 4; i++) {
		made_add(&s.w.made, EVENT_OP, "aten::add", 100 * i + 50, 100 * i + 70, 0);
		kernel(&s, 100 * i + 60, 100 * i + 66, 100 * i + 68, 100 * i + 69);
	}
	on_stage(&s);
	const struct replay_change c = {.unrecorded = true};
	assert_int_equal(replay_recorded_ns(s.r), 309000);
	assert_int_equal(
		replay_ns(s.r, &c), 309000 - 3 * 3600 - 3 * 6000 - 3 * PROFILER_COST_OPERATOR_NS);
	world_release(&s.w);
}

/* No gap is the recorder's but for a share, and what an operator computes before it launches is its
 * own but for what some launches take. */
static void what_is_not_the_recorders(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 2; i++) { /* a gap of 94, with a hundred operators in it */
		for (int k = 0; i && k < 100; k++)
			made_add(
				&s.w.made, EVENT_OP, "aten::view", 10 + 0.5 * k, 10.2 + 0.5 * k, 0);
		kernel(&s, 100 * i, 100 * i + 6, 100 * i + 8, 100 * i + 9);
	}
	made_add(&s.w.made, EVENT_OP, "aten::nonzero", 110, 410, 0); /* launches behind 290 */
	kernel(&s, 400, 406, 408, 409);
	on_stage(&s);
	const struct replay_change c = {.unrecorded = true};
	assert_int_equal(replay_recorded_ns(s.r), 409000);
	assert_int_equal(replay_ns(s.r, &c),
		409000 - 2 * 3600 - 94000 * 6 / 10 - 4 * 3600 - PROFILER_COST_OPERATOR_NS);
	world_release(&s.w);
}

/* Collectives of 100 us and one of 400, one behind the other: of that 270 are above 1.3 times the
 * usual, and as much shorter as the host's 80 us, of which 4 calls of 10 cost 6 each. */
static void the_other_rank_is_recorded_too(void **state)
{
	(void)state;
	struct stage s = {0};
	double at = 20;
	for (int i = 0; i < 5; i++) {
		double length = i == 3 ? 400 : 100;
		world_launch(&s.w, "ncclDevKernel_AllReduce", ++s.id, 20 * i, 20 * i + 10, at,
			at + length);
		at += length;
	}
	on_stage(&s);
	const struct replay_change c = {.unrecorded = true};
	assert_int_equal(replay_recorded_ns(s.r), 820000);
	assert_int_equal(replay_ns(s.r, &c), 820000 - 270000 * 24 / 80);
	struct replay_plan plan = {.arena = &s.w.arena};
	for (size_t i = 0; i < s.w.a.n_device; i++)
		plan_sends(&plan, s.w.a.device_rows[i], 0.5);
	/* what sends half waits as long */
	assert_in_range(plan_ns(&plan, s.r), 820000 - 5 * 50000 - 1, 820000 - 5 * 50000 + 1);
	world_release(&s.w);
}

/* Each step is shorter by its range, operators and launches, and by the profiler's step() behind
 * it. */
static void steps_that_nobody_records(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 3; i++) {
		made_add(&s.w.made, EVENT_ANNOTATION,
			arena_printf(&s.w.arena, "ProfilerStep#%d", i), 200 * i, 200 * i + 190, 0);
		for (int k = 0; k < 2; k++) {
			double at = 200 * i + 90 * k;
			made_add(&s.w.made, EVENT_OP, "aten::add", at + 50, at + 70, 0);
			kernel(&s, at + 60, at + 66, at + 68, at + 69);
		}
	}
	on_stage(&s);
	int64_t ns[3];
	assert_int_equal(s.p.n_steps, 3);
	assert_true(replay_unrecorded_steps(&s.w.a, &s.p, PROFILER_COST_OPERATOR_NS, ns));
	int64_t launches = 2 * 3600 + 6000, one = PROFILER_COST_OPERATOR_NS;
	/* the step's range, an operator, and how that comes to its launch */
	int64_t first = (PROFILER_COST_OF_RANGE + 1) * one + 6000;
	assert_int_equal(ns[0], 200000 - 10000 - launches - first - one);
	first = first * (104 - 10) / 104; /* a tenth of what they lie in is the profiler's own */
	assert_int_equal(ns[1], 200000 - 10000 - launches - first - one);
	assert_int_equal(ns[2], 190000 - launches - first - one);
	world_release(&s.w);
}

/* A host that is ahead by ten of its steps when it is recorded is not for ever: a device that would
 * need a tenth of its time waits for it. */
static void a_lead_is_used_up(void **state)
{
	(void)state;
	struct stage s = {0};
	kernel(&s, 0, 5, 10, 1000); /* what the steps are ahead of */
	for (int i = 0; i < 3; i++) {
		double at = 20 + 100 * i, end = 1000 + 400 * i;
		made_add(&s.w.made, EVENT_ANNOTATION,
			arena_printf(&s.w.arena, "ProfilerStep#%d", i), at, at + 100, 0);
		kernel(&s, at + 10, at + 15, end, end + 200);
		kernel(&s, at + 50, at + 55, end + 200, end + 400);
	}
	on_stage(&s);
	assert_int_equal(s.p.n_steps, 3);
	assert_int_equal(replay_recorded_ns(s.r), 400000);
	struct replay_plan plan = {.arena = &s.w.arena};
	for (size_t i = 0; i < s.w.a.n_device; i++)
		plan_takes(&plan, s.w.a.device_rows[i], 0.1);
	int64_t left = replay_unrecorded_ns(s.r) - plan_gain(&plan, s.r);
	assert_in_range(left, 60000, 100000);
	world_release(&s.w);
}

/* All launches in one: what the host waits for and does in silence stays. */
static void one_launch_for_all(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 5; i++)
		kernel(&s, 100 * i, 100 * i + 10, 100 * i + 20, 100 * i + 30);
	for (int i = 0; i < 5; i++)
		kernel(&s, 1500 + 100 * i, 1510 + 100 * i, 1520 + 100 * i, 1530 + 100 * i);
	on_stage(&s);
	struct replay_plan plan = {.arena = &s.w.arena};
	plan_one_launch(&plan, &s.p);
	int64_t gain = plan_gain(&plan, s.r) / 1000;
	/* 1930 as recorded; the silence from 430 to 1510 stays, the rest is ten kernels of 10 us
	 * and the first launch */
	assert_true(gain > 1930 - 1090 - 20 - 10 * 12 && gain < 1930 - 1080 - 10 * 10);
	world_release(&s.w);
}

/* Two remedies are one replay: kernels of half their time gain nothing, without the launches they
 * do, and more than either. */
static void plans_add_up(void **state)
{
	(void)state;
	struct stage s = {0};
	play_late_host(&s);
	struct replay_plan kernels = {.arena = &s.w.arena}, both = kernels, launches = kernels;
	for (uint32_t i = 0; i < s.w.a.n_device; i++)
		plan_takes(&kernels, s.w.a.device_rows[i], 0.5);
	plan_one_launch(&launches, &s.p);
	plan_and(&both, &kernels);
	plan_and(&both, &launches);
	int64_t faster = plan_gain(&kernels, s.r), fewer = plan_gain(&launches, s.r);
	assert_int_equal(faster, 5000);
	assert_true(plan_gain(&both, s.r) >= fewer + 4 * 5000);
	world_release(&s.w);
}

static int64_t planned_ns(const struct stage *s, const struct replay_plan *p)
{
	return plan_ns(p, s->r) / 1000;
}

/* An operator that reads a number is gone on the host and on the device, also where something takes
 * its place; without its wait alone the copy stays. */
static void a_subtree_goes(void **state)
{
	(void)state;
	struct stage s = {0};
	made_add(&s.w.made, EVENT_OP, "aten::item", 95, 230, 0);
	kernel(&s, 0, 5, 10, 110);
	kernel(&s, 100, 105, 120, 200); /* the copy that is read */
	made_add(&s.w.made, EVENT_RUNTIME, "cudaStreamSynchronize", 110, 220, 0);
	kernel(&s, 240, 245, 250, 350);
	on_stage(&s);
	struct replay_plan gone = {.arena = &s.w.arena}, wait = gone, replaced = gone;
	const struct trace *t = &s.w.made.trace;
	for (uint32_t i = 0; i < t->n; i++) {
		const char *name = names_text(&t->names, t->name[i]);
		if (!strcmp(name, "aten::item")) {
			plan_goes(&gone, t, i);
			plan_replaced(&replaced, t->track[i], t->start_ns[i], row_end(t, i), 30000);
		}
		if (!strcmp(name, "cudaStreamSynchronize"))
			plan_wait(&wait, i);
	}
	/* the last launch is called 10 us behind where the operator began, at 95, and takes 10; 20
	 * us in front of that the host began to come to it, and the first kernel ends at 110 */
	assert_int_equal(planned_ns(&s, &gone), 110 + 100);
	assert_int_equal(planned_ns(&s, &replaced), 95 + 30 + 10 + 10 + 100);
	assert_int_equal(planned_ns(&s, &wait), 200 + 100);
	world_release(&s.w);
}

/* Three kernels with an operator each become one: the launches of the others go. */
static void launches_become_one(void **state)
{
	(void)state;
	struct stage s = {0};
	for (int i = 0; i < 4; i++) {
		made_add(&s.w.made, EVENT_OP, "aten::mul", 100 * i, 100 * i + 90, 0);
		kernel(&s, 100 * i + 50, 100 * i + 55, 100 * i + 60, 100 * i + 70);
	}
	on_stage(&s);
	struct replay_plan plan = {.arena = &s.w.arena};
	plan_one(&plan, &s.w.made.trace, s.w.a.device_rows, 3, 15000);
	/* from the first operator to the end of the last kernel 370: two operators of 90 are spared
	 */
	assert_int_equal(planned_ns(&s, &plan), replay_recorded_ns(s.r) / 1000 - 180);
	world_release(&s.w);
}

/* A copy on a stream of its own keeps nobody from working. */
static void a_copy_runs_beside(void **state)
{
	(void)state;
	struct stage s = {0};
	kernel(&s, 0, 5, 10, 110);
	world_launch(&s.w, "Memcpy HtoD (Pinned -> Device)", ++s.id, 10, 15, 110, 310);
	kernel(&s, 20, 25, 310, 410);
	on_stage(&s);
	struct replay_plan plan = {.arena = &s.w.arena};
	plan_beside(&plan, s.w.a.device_rows[1]);
	/* behind the first kernel, which had its stream: the second runs meanwhile */
	assert_int_equal(planned_ns(&s, &plan), 310);
	plan_takes(&plan, s.w.a.device_rows[1], 0.25);
	assert_int_equal(planned_ns(&s, &plan), 210);
	world_release(&s.w);
}

/* What nothing in the file explains stays as it was recorded, and no gain is told. */
static void what_is_not_explained_is_not_priced(void **state)
{
	(void)state;
	struct stage s = {0};
	kernel(&s, 0, 5, 10, 20);
	kernel(&s, 30, 35, 5000, 5010);
	on_stage(&s);
	assert_int_equal(s.r->n_unexplained, 1);
	assert_false(replay_can_price(s.r));
	world_release(&s.w);

	s = (struct stage){0};
	play_late_host(&s);
	assert_true(replay_can_price(s.r));
	world_release(&s.w);
}

/* Downloads to memory that is not pinned: behind the device the host copies on, each for as long as
 * it has to. */
static void a_copy_of_the_hosts_own_is_priced(void **state)
{
	(void)state;
	static const double own[] = {4, 4, 4, 900, 900};
	struct stage s = {0};
	double at = 0;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		made_add(
			&s.w.made, EVENT_RUNTIME, "cudaMemcpyAsync", at, at + 110 + own[i], ++s.id);
		made_add(&s.w.made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", at + 10,
			at + 110, s.id);
		at += 120 + own[i];
	}
	on_stage(&s);
	assert_true(replay_can_price(s.r));
	world_release(&s.w);
}

static void nothing_to_run(void **state)
{
	(void)state;
	struct stage s = {0};
	made_add(&s.w.made, EVENT_OP, "aten::add", 0, 10, 0);
	const struct analysis *a = world_seal(&s.w);
	s.l = idle_causes_of(&s.w.arena, a);
	s.p = breakdown_of(&s.w.arena, a, &s.l);
	assert_null(replay_of(&s.w.arena, a, &s.p, PROFILER_COST_OPERATOR_NS));
	assert_false(replay_unrecorded_steps(a, &s.p, PROFILER_COST_OPERATOR_NS, NULL));
	world_release(&s.w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faster_kernels_gain_nothing_while_the_host_is_late),
		cmocka_unit_test(time_that_the_host_is_spared_is_gained),
		cmocka_unit_test(a_faster_host_gains_nothing_while_the_device_works),
		cmocka_unit_test(two_changes_are_run_together),
		cmocka_unit_test(a_wait_that_goes_lets_the_host_run_ahead),
		cmocka_unit_test(a_stream_waits_for_another),
		cmocka_unit_test(threads_hand_over),
		cmocka_unit_test(the_recorder_is_taken_off),
		cmocka_unit_test(what_is_not_the_recorders),
		cmocka_unit_test(the_other_rank_is_recorded_too),
		cmocka_unit_test(steps_that_nobody_records),
		cmocka_unit_test(a_lead_is_used_up),
		cmocka_unit_test(one_launch_for_all),
		cmocka_unit_test(plans_add_up),
		cmocka_unit_test(a_subtree_goes),
		cmocka_unit_test(launches_become_one),
		cmocka_unit_test(a_copy_runs_beside),
		cmocka_unit_test(what_is_not_explained_is_not_priced),
		cmocka_unit_test(a_copy_of_the_hosts_own_is_priced),
		cmocka_unit_test(nothing_to_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

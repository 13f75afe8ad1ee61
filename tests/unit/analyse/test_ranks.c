/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks of one run, made so that it is known who keeps the others waiting. */
#include "report/analyse/ranks.h"
#include "tests/unit/trust_world.h"

enum { MOST = 6 };

struct team {
	struct world world[MOST];
	struct idle_causes idle_causes[MOST];
	struct streams streams[MOST];
	struct rank_part part[MOST];
	struct arena arena;
	uint32_t n;
};

/* A rank whose steps last `step_us` each; in step k it computes and then communicates for
 * `wait_us[k]`. */
static void add_rank(struct team *team, int64_t rank, int first_step, int steps, double step_us,
	const double *wait_us)
{
	static const char *const name[] = {
		"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"};
	struct world *w = &team->world[team->n];
	for (int i = 0; i < steps; i++) {
		double at = i * step_us;
		uint32_t id = 2 * (uint32_t)i + 1;
		made_add(&w->made, EVENT_ANNOTATION, name[first_step + i], at, at + step_us, 0);
		world_launch(w, "gemm", id, at + 1, at + 3, at + 5, at + 25);
		if (wait_us && wait_us[i] > 0)
			world_launch(w, "ncclDevKernel_AllReduce", id + 1, at + 4, at + 6, at + 25,
				at + 25 + wait_us[i]);
	}
	made_seal(&w->made);
	w->made.trace.rank = rank;
	w->a = analysis_of(&w->arena, &w->made.trace);
	team->idle_causes[team->n] = idle_causes_of(&w->arena, &w->a);
	team->streams[team->n] = streams_of(&w->arena, &w->a);
	team->part[team->n] =
		(struct rank_part){&w->a, &team->idle_causes[team->n], &team->streams[team->n]};
	team->n++;
}

static struct ranks ranks_of_team(struct team *team)
{
	return ranks_of(&team->arena, team->part, team->n);
}

static void dismiss(struct team *team)
{
	for (uint32_t i = 0; i < team->n; i++)
		world_release(&team->world[i]);
	arena_release(&team->arena);
	*team = (struct team){0};
}

/* Two wait for nobody, one of them a little longer. */
static void who_is_late_like_it(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 3, 100, (double[]){5, 5, 5});
	add_rank(&team, 1, 0, 3, 100, (double[]){50, 50, 50});
	add_rank(&team, 2, 0, 3, 100, (double[]){20, 20, 20});
	add_rank(&team, 3, 0, 3, 100, (double[]){50, 50, 50});
	add_rank(&team, 4, 0, 3, 100, (double[]){45, 45, 45});
	struct ranks r = ranks_of_team(&team);
	const struct straggler *s = &r.straggler;
	assert_int_equal(s->reason, STRAGGLER_FOUND);
	assert_int_equal(r.row[s->row].rank, 0);
	assert_int_equal(s->n_also, 1);
	assert_int_equal(r.row[s->also[0]].rank, 2);
	dismiss(&team);
}

static void the_one_that_never_waits(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 2, 0, 3, 100, (double[]){50, 52, 48});
	add_rank(&team, 0, 0, 3, 100, (double[]){60, 50, 50});
	add_rank(&team, 1, 0, 3, 100, (double[]){5, 6, 5});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(r.row[i].rank, i);
		assert_true(r.row[i].told);
	}
	assert_int_equal(r.row[1].part, 2);
	const struct straggler *s = &r.straggler;
	assert_int_equal(s->reason, STRAGGLER_FOUND);
	assert_int_equal(s->rule, STRAGGLER_BY_WAIT);
	assert_int_equal(r.row[s->row].rank, 1);
	assert_int_equal(s->steps_led, 3);
	assert_int_equal(s->n_steps, 3);
	assert_false(s->windows);
	/* The others' medians are 55, 51 and 49, so the margins 50, 45 and 44. */
	assert_near(s->own_ns, 5000);
	assert_near(s->others_ns, 51000);
	assert_near(s->margin_ns, 45000);
	assert_near(s->deviation_ns, 1000);
	assert_near(s->step_ns, 100000);
	dismiss(&team);
}

/* The same typical step as in the table of all traces: without the first. */
static void a_typical_step(void **state)
{
	(void)state;
	struct team team = {0};
	struct made_trace *made = &team.world[0].made;
	made_add(made, EVENT_ANNOTATION, "ProfilerStep#2", 200, 900, 0);
	made_add(made, EVENT_ANNOTATION, "ProfilerStep#3", 900, 1200, 0);
	made_add(made, EVENT_RUNTIME, "cudaLaunchKernel", 910, 920, 0);
	add_rank(&team, 0, 0, 2, 100, (double[]){50, 50});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.row[0].n_steps, 4);
	assert_int_equal(r.row[0].value[RANK_STEP_NS], 300000); /* of 100, 700, 300 */
	dismiss(&team);
}

static void columns_and_spread(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, (double[]){50, 50});
	add_rank(&team, 1, 0, 2, 100, (double[]){10, 10});
	struct ranks r = ranks_of_team(&team);
	const struct rank_row *row = &r.row[0];
	assert_int_equal(row->n_steps, 2);
	assert_int_equal(row->value[RANK_STEP_NS], 100000);
	assert_int_equal(row->value[RANK_WINDOW_NS], 200000);
	assert_int_equal(row->value[RANK_BUSY_NS], 140000);
	assert_int_equal(row->value[RANK_COMPUTE_NS], 40000);
	assert_int_equal(row->value[RANK_COMMUNICATION_NS], 100000);
	assert_int_equal(row->value[RANK_EXPOSED_NS], 100000);
	assert_int_equal(row->value[RANK_KERNEL_NS], 140000);
	assert_int_equal(row->value[RANK_IDLE_NS], 60000);
	assert_near(row->busy_share, 0.7);
	for (uint32_t i = 0; i < r.n; i++) {
		int64_t idle = 0;
		for (int c = 0; c < IDLE_CAUSES; c++)
			idle += r.row[i].idle_ns[c];
		assert_int_equal(idle, r.row[i].value[RANK_IDLE_NS]);
	}
	const struct rank_spread *s = &r.spread[RANK_COMMUNICATION_NS];
	assert_int_equal(s->min, 20000);
	assert_int_equal(s->max, 100000);
	assert_int_equal(s->min_row, 1);
	assert_int_equal(s->max_row, 0);
	assert_near(s->median, 60000);
	assert_near(s->share, 80.0 / 60);
	assert_near(r.spread[RANK_STEP_NS].share, 0);
	dismiss(&team);
}

static void a_different_rank_in_each_step(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, (double[]){5, 50});
	add_rank(&team, 1, 0, 2, 100, (double[]){50, 5});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.straggler.reason, STRAGGLER_NO_MAJORITY);
	assert_int_equal(r.row[0].steps_led, 1);
	assert_int_equal(r.row[1].steps_led, 1);
	dismiss(&team);
}

/* 5 us of 100: the margin that counts; a little less does not. */
static void a_small_margin_is_noise(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, (double[]){20, 20});
	add_rank(&team, 1, 0, 2, 100, (double[]){15, 15});
	assert_int_equal(ranks_of_team(&team).straggler.reason, STRAGGLER_FOUND);
	dismiss(&team);
	add_rank(&team, 0, 0, 2, 100, (double[]){19.9, 19.9});
	add_rank(&team, 1, 0, 2, 100, (double[]){15, 15});
	assert_int_equal(ranks_of_team(&team).straggler.reason, STRAGGLER_NOISE);
	dismiss(&team);
}

/* Margins of 6, 20 and 33 us: their median 20 is less than twice their median deviation of 13. */
static void an_unsteady_margin_is_noise(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 3, 100, (double[]){16, 30, 43});
	add_rank(&team, 1, 0, 3, 100, (double[]){10, 10, 10});
	struct ranks r = ranks_of_team(&team);
	assert_near(r.straggler.margin_ns, 20000);
	assert_near(r.straggler.deviation_ns, 13000);
	assert_int_equal(r.straggler.reason, STRAGGLER_NOISE);
	dismiss(&team);
}

static void all_the_same(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, (double[]){20, 20});
	add_rank(&team, 1, 0, 2, 100, (double[]){20, 20});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.straggler.reason, STRAGGLER_EVEN);
	assert_int_equal(r.straggler.steps_led, 0);
	dismiss(&team);
}

/* Steps 0-2 and 1-3 have 1 and 2 in common. */
static void only_common_steps_count(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 3, 100, (double[]){1, 30, 30});
	add_rank(&team, 1, 1, 3, 100, (double[]){10, 10, 90});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.straggler.n_steps, 2);
	assert_int_equal(r.straggler.reason, STRAGGLER_FOUND);
	assert_int_equal(r.row[r.straggler.row].rank, 1);
	assert_near(r.straggler.margin_ns, 20000);
	dismiss(&team);
}

static void without_common_steps_the_windows(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 1, 100, (double[]){60});
	add_rank(&team, 1, 2, 1, 100, (double[]){10});
	struct ranks r = ranks_of_team(&team);
	assert_true(r.straggler.windows);
	assert_int_equal(r.straggler.n_steps, 1);
	assert_int_equal(r.straggler.reason, STRAGGLER_FOUND);
	assert_int_equal(r.row[r.straggler.row].rank, 1);
	dismiss(&team);
}

static void without_communication_the_longest_step(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, NULL);
	add_rank(&team, 1, 0, 2, 130, NULL);
	add_rank(&team, 2, 0, 2, 101, NULL);
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.straggler.rule, STRAGGLER_BY_STEP);
	assert_int_equal(r.straggler.reason, STRAGGLER_FOUND);
	assert_int_equal(r.row[r.straggler.row].rank, 1);
	assert_near(r.straggler.own_ns, 130000);
	assert_near(r.straggler.others_ns, 100500);
	dismiss(&team);
	add_rank(&team, 0, 0, 1, 100, NULL);
	add_rank(&team, 1, 2, 1, 130, NULL);
	r = ranks_of_team(&team);
	assert_int_equal(r.straggler.reason, STRAGGLER_APART);
	assert_int_equal(r.straggler.row, NO_ROW);
	dismiss(&team);
}

/* A rank that does not communicate waits for nobody; that does not make it late. */
static void silent_ranks_are_left_out(void **state)
{
	(void)state;
	struct team team = {0};
	add_rank(&team, 0, 0, 2, 100, (double[]){50, 50});
	add_rank(&team, 1, 0, 2, 100, NULL);
	add_rank(&team, 2, 0, 2, 100, (double[]){10, 10});
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.straggler.reason, STRAGGLER_FOUND);
	assert_int_equal(r.row[r.straggler.row].rank, 2);
	assert_int_equal(r.row[1].steps_led, 0);
	dismiss(&team);
	add_rank(&team, 0, 0, 2, 100, (double[]){50, 50});
	add_rank(&team, 1, 0, 2, 100, NULL);
	assert_int_equal(ranks_of_team(&team).straggler.reason, STRAGGLER_ONE_RANK);
	dismiss(&team);
}

static void few_or_no_ranks(void **state)
{
	(void)state;
	struct team team = {0};
	struct ranks r = ranks_of_team(&team);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.straggler.reason, STRAGGLER_ONE_RANK);
	dismiss(&team);
	add_rank(&team, -1, 0, 1, 100, NULL);
	r = ranks_of_team(&team);
	assert_int_equal(r.n, 1);
	assert_false(r.row[0].told);
	assert_int_equal(r.row[0].rank, 0);
	assert_int_equal(r.straggler.reason, STRAGGLER_ONE_RANK);
	assert_int_equal(r.straggler.row, NO_ROW);
	dismiss(&team);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_that_never_waits),
		cmocka_unit_test(who_is_late_like_it),
		cmocka_unit_test(a_typical_step),
		cmocka_unit_test(columns_and_spread),
		cmocka_unit_test(a_different_rank_in_each_step),
		cmocka_unit_test(a_small_margin_is_noise),
		cmocka_unit_test(an_unsteady_margin_is_noise),
		cmocka_unit_test(all_the_same),
		cmocka_unit_test(only_common_steps_count),
		cmocka_unit_test(without_common_steps_the_windows),
		cmocka_unit_test(without_communication_the_longest_step),
		cmocka_unit_test(silent_ranks_are_left_out),
		cmocka_unit_test(few_or_no_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

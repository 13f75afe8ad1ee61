/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/uneven_steps.h"
#include "tests/unit/sound.h"

enum { STEPS = 13 };

/* Steps that compute 100 each, and launch nothing for what is more. */
struct made {
	struct breakdown_step step[STEPS];
	struct breakdown p;
};

static void make(struct made *m, const int *more)
{
	*m = (struct made){.p = {.n_steps = STEPS,
				   .steps = m->step,
				   .median = 2,
				   .headline = HEADLINE_COMPUTE}};
	int64_t at = 0;
	for (int i = 0; i < STEPS; i++) {
		struct time_parts *s = &m->step[i].split;
		s->start_ns = at;
		s->end_ns = at += 100 + more[i];
		s->ns[TIME_GEMM] = 100;
		s->ns[TIME_LAUNCHING] = more[i];
	}
}

static void every_fourth(void **state)
{
	(void)state;
	struct made m;
	make(&m, (const int[STEPS]){[4] = 90, [8] = 90, [12] = 90});
	struct uneven_steps u = uneven_steps_of(&m.p);
	assert_int_equal(u.n, 3);
	assert_int_equal(u.steady, STEPS - 1);
	assert_int_equal(u.every, 4);
	assert_int_equal(u.first, 4);
	assert_int_equal(u.more_ns, 270);
	assert_int_equal(u.part, TIME_LAUNCHING);
	assert_int_equal(u.part_ns, 270);
	assert_int_equal(u.setup_ns, 0);
}

static void some(void **state)
{
	(void)state;
	struct made m;
	make(&m, (const int[STEPS]){[3] = 90, [8] = 90, [9] = 90});
	struct uneven_steps u = uneven_steps_of(&m.p);
	assert_int_equal(u.n, 3);
	assert_int_equal(u.every, 0);
}

/* Little in all, nearly alike, or half of them: the median stands for them. */
static void alike(void **state)
{
	(void)state;
	struct made m;
	make(&m, (const int[STEPS]){[5] = 40});
	assert_int_equal(uneven_steps_of(&m.p).n, 0);
	make(&m, (const int[STEPS]){[4] = 20, [8] = 20, [12] = 20});
	assert_int_equal(uneven_steps_of(&m.p).n, 0);
	make(&m, (const int[STEPS]){0, 90, 0, 90, 0, 90, 0, 90, 0, 90, 0, 90, 0});
	assert_int_equal(uneven_steps_of(&m.p).n, 0);
	m.p.median = NO_ROW;
	assert_int_equal(uneven_steps_of(&m.p).n, 0);
}

/* A first step as long as others is no set-up, nor one that waits for what the file has not. */
static void set_up(void **state)
{
	(void)state;
	struct made m;
	make(&m, (const int[STEPS]){[0] = 400, [6] = 90});
	struct uneven_steps u = uneven_steps_of(&m.p);
	assert_int_equal(u.setup_ns, 400);
	assert_int_equal(u.setup_part, TIME_LAUNCHING);
	m.step[0].split.ns[TIME_UNKNOWN] = 400;
	m.step[0].split.ns[TIME_LAUNCHING] = 0;
	assert_int_equal(uneven_steps_of(&m.p).setup_ns, 0);
	make(&m, (const int[STEPS]){[0] = 400, [6] = 400});
	assert_int_equal(uneven_steps_of(&m.p).setup_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fourth),
		cmocka_unit_test(some),
		cmocka_unit_test(alike),
		cmocka_unit_test(set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which call caused which device event: the same joins and about the same time whether ids are
 * told apart or not. */
#include "report/read/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { PAIRS = 40000, ROWS = 2 * PAIRS, ROUNDS = 5 };

/* Calls and kernels by turns; `ids` pairs in a row have ids of their own, then they begin anew. */
struct turns {
	struct trace trace;
	uint64_t *scratch;
};

static void turns_make(struct turns *m, uint32_t ids)
{
	*m = (struct turns){.scratch = calloc(ROWS, sizeof *m->scratch)};
	struct trace *t = &m->trace;
	t->n = ROWS;
	t->kind = calloc(ROWS, sizeof *t->kind);
	t->correlation = calloc(ROWS, sizeof *t->correlation);
	t->launch = calloc(ROWS, sizeof *t->launch);
	for (uint32_t i = 0; i < ROWS; i++) {
		t->kind[i] = i % 2 ? EVENT_KERNEL : EVENT_RUNTIME;
		t->correlation[i] = 1 + i / 2 % ids;
	}
}

static void turns_free(struct turns *m)
{
	free(m->trace.kind);
	free(m->trace.correlation);
	free(m->trace.launch);
	free(m->scratch);
}

/* The least processor time of a few rounds, in seconds; every kernel has the call before it. */
static double joining(uint32_t ids)
{
	struct turns m;
	double least = 1e9;
	turns_make(&m, ids);
	for (int round = 0; round < ROUNDS; round++) {
		clock_t start = clock();
		join_launches(&m.trace, m.scratch);
		double took = (double)(clock() - start) / CLOCKS_PER_SEC;
		least = took < least ? took : least;
	}
	for (uint32_t i = 0; i < ROWS; i++)
		assert_int_equal(m.trace.launch[i], i ^ 1);
	turns_free(&m);
	return least;
}

/* Going through all calls of an id for each of its kernels took 500 times as long. */
static void one_id_takes_no_longer(void **state)
{
	(void)state;
	enum { MORE = 20 };
	double apart = joining(PAIRS), few = joining(10), one = joining(1);
	print_message("%d ids %.2f ms, 10 ids %.2f ms, one id %.2f ms\n", PAIRS, apart * 1e3,
		few * 1e3, one * 1e3);
	assert_true(few < MORE * apart);
	assert_true(one < MORE * apart);
}

/* Where no event of the device has a correlation, the external id is what calls and kernels share.
 */
static void calls_may_share_external_ids(void **state)
{
	(void)state;
	for (int correlated = 0; correlated < 2; correlated++) {
		struct turns m;
		turns_make(&m, PAIRS);
		m.trace.external = m.trace.correlation;
		m.trace.correlation = calloc(ROWS, sizeof *m.trace.correlation);
		m.trace.correlation[1] = correlated ? 7 : 0; /* of a kernel */
		m.trace.correlation[2] = 7; /* of a call */
		join_launches(&m.trace, m.scratch);
		assert_int_equal(m.trace.launch[9], correlated ? NO_ROW : 8);
		assert_int_equal(m.trace.launch[8], correlated ? NO_ROW : 9);
		free(m.trace.external);
		turns_free(&m);
	}
}

/* A kernel whose id no call has, between two that have one. */
static void an_id_without_calls(void **state)
{
	(void)state;
	uint8_t kind[] = {EVENT_RUNTIME, EVENT_KERNEL, EVENT_KERNEL, EVENT_KERNEL, EVENT_KERNEL,
		EVENT_RUNTIME};
	uint32_t correlation[] = {1, 1, 2, 2, 3, 3}, launch[6];
	uint64_t scratch[6];
	struct trace t = {.n = 6, .kind = kind, .correlation = correlation, .launch = launch};
	join_launches(&t, scratch);
	const uint32_t wanted[] = {1, 0, NO_ROW, NO_ROW, 5, 4};
	for (int i = 0; i < 6; i++)
		assert_int_equal(launch[i], wanted[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_id_takes_no_longer),
		cmocka_unit_test(calls_may_share_external_ids),
		cmocka_unit_test(an_id_without_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

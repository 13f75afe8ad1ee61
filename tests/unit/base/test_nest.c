/* SPDX-License-Identifier: Apache-2.0 */
/* Nesting: PyTorch's rule of which span encloses which. */
#include "base/nest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

struct spans {
	size_t n;
	int64_t start[MOST], dur[MOST];
	uint32_t lane[MOST];
	uint8_t skip[MOST];
	uint32_t parent[MOST];
	uint16_t depth[MOST];
};

static void add(struct spans *s, uint32_t lane, int64_t start, int64_t end)
{
	s->start[s->n] = start;
	s->dur[s->n] = end - start;
	s->lane[s->n++] = lane;
}

static void run(struct spans *s)
{
	const struct nest_in in = {.n = s->n,
		.start_ns = s->start,
		.dur_ns = s->dur,
		.lane = s->lane,
		.n_lanes = 3,
		.skip = s->skip};
	memset(s->parent, 0xaa, sizeof s->parent);
	memset(s->depth, 0xaa, sizeof s->depth);
	nest(&in, s->parent, s->depth);
}

static void assert_row(const struct spans *s, size_t row, uint32_t parent, uint16_t depth)
{
	assert_int_equal(s->parent[row], parent);
	assert_int_equal(s->depth[row], depth);
}

static void a_chain_and_its_siblings(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 100);
	add(&s, 0, 10, 50);
	add(&s, 0, 20, 30);
	add(&s, 0, 30, 50);
	add(&s, 0, 60, 100);
	add(&s, 0, 100, 110);
	run(&s);
	assert_row(&s, 0, NO_ROW, 0);
	assert_row(&s, 1, 0, 1);
	assert_row(&s, 2, 1, 2);
	assert_row(&s, 3, 1, 2);
	assert_row(&s, 4, 0, 1);
	assert_row(&s, 5, NO_ROW, 0);
}

static void equal_spans_nest_in_order(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 5, 9);
	add(&s, 0, 5, 9);
	add(&s, 0, 5, 9);
	run(&s);
	assert_row(&s, 0, NO_ROW, 0);
	assert_row(&s, 1, 0, 1);
	assert_row(&s, 2, 1, 2);
}

static void lanes_do_not_mix(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 100);
	add(&s, 2, 10, 90);
	add(&s, 0, 20, 30);
	add(&s, 2, 20, 30);
	run(&s);
	assert_row(&s, 1, NO_ROW, 0);
	assert_row(&s, 2, 0, 1);
	assert_row(&s, 3, 1, 1);
}

static void a_partial_overlap_is_nobodys_child(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 50);
	add(&s, 0, 40, 60);
	add(&s, 0, 45, 50);
	run(&s);
	assert_row(&s, 1, NO_ROW, 0);
	assert_row(&s, 2, 1, 1);
}

/* The span that was left for an overlap is closed: later spans are not its children even where it
 * would hold them whole; the span around both still is a parent. */
static void an_overlap_closes_the_open_span(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 100);
	add(&s, 0, 10, 50);
	add(&s, 0, 40, 45);
	add(&s, 0, 42, 60);
	add(&s, 0, 46, 48);
	add(&s, 0, 61, 62);
	run(&s);
	assert_row(&s, 2, 1, 2);
	assert_row(&s, 3, 0, 1);
	assert_row(&s, 4, 3, 2);
	assert_row(&s, 5, 0, 1);
}

static void spans_without_length(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 10);
	add(&s, 0, 0, 0);
	add(&s, 0, 0, 0);
	add(&s, 0, 10, 10);
	run(&s);
	assert_row(&s, 1, 0, 1);
	assert_row(&s, 2, 0, 1);
	assert_row(&s, 3, NO_ROW, 0);
}

static void skipped_rows_are_not_there(void **state)
{
	(void)state;
	struct spans s = {0};
	add(&s, 0, 0, 100);
	add(&s, 0, 10, 90);
	add(&s, 0, 20, 30);
	s.skip[1] = 1;
	run(&s);
	assert_row(&s, 1, NO_ROW, 0);
	assert_row(&s, 2, 0, 1);
}

static void nothing_at_all(void **state)
{
	(void)state;
	const struct nest_in in = {.n = 0, .n_lanes = 0};
	uint32_t parent = 7;
	uint16_t depth = 7;
	nest(&in, &parent, &depth);
	assert_int_equal(parent, 7);
	assert_int_equal(depth, 7);
}

/* Deeper than the depth column can count: the parents stay right. */
static void very_deep(void **state)
{
	(void)state;
	enum { N = 70000 };
	int64_t *start = calloc(N, sizeof *start), *dur = calloc(N, sizeof *dur);
	uint32_t *lane = calloc(N, sizeof *lane), *parent = calloc(N, sizeof *parent);
	uint16_t *depth = calloc(N, sizeof *depth);
	for (int64_t i = 0; i < N; i++) {
		start[i] = i;
		dur[i] = 2 * (N - i);
	}
	const struct nest_in in = {
		.n = N, .start_ns = start, .dur_ns = dur, .lane = lane, .n_lanes = 1};
	nest(&in, parent, depth);
	for (uint32_t i = 1; i < N; i++)
		assert_int_equal(parent[i], i - 1);
	assert_int_equal(depth[65535], 65535);
	assert_int_equal(depth[N - 1], 65535);
	free(start);
	free(dur);
	free(lane);
	free(parent);
	free(depth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_and_its_siblings),
		cmocka_unit_test(equal_spans_nest_in_order),
		cmocka_unit_test(lanes_do_not_mix),
		cmocka_unit_test(a_partial_overlap_is_nobodys_child),
		cmocka_unit_test(an_overlap_closes_the_open_span),
		cmocka_unit_test(spans_without_length),
		cmocka_unit_test(skipped_rows_are_not_there),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(very_deep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

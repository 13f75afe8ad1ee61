/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/enclosing_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 5000, ASKED = 20000 };

static bool is_long(const struct trace *t, uint32_t row, const void *least)
{
	return t->dur_ns[row] >= *(const int64_t *)least;
}

static uint32_t climbed(const struct trace *t, uint32_t row, int64_t least)
{
	while (row != NO_ROW && t->dur_ns[row] < least)
		row = t->parent[row];
	return row;
}

/* Rows inside rows: `reach` says how near the row around one stands, so how deep they lie. */
static void hold(uint32_t reach)
{
	static int64_t dur_ns[ROWS];
	static uint32_t parent[ROWS];
	static uint16_t depth[ROWS];
	static uint8_t kind[ROWS];
	struct trace t = {
		.n = ROWS, .dur_ns = dur_ns, .parent = parent, .depth = depth, .kind = kind};
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t back = 1 + (uint32_t)rand() % reach;
		parent[i] = back > i ? NO_ROW : i - back;
		dur_ns[i] = parent[i] == NO_ROW ? 1000000 : dur_ns[parent[i]] - rand() % 3;
		depth[i] = parent[i] == NO_ROW ? 0 : (uint16_t)(depth[parent[i]] + 1);
		kind[i] = rand() % 40 ? EVENT_PYTHON : EVENT_OP;
	}
	uint32_t op[ROWS];
	for (uint32_t i = 0; i < ROWS; i++)
		op[i] = trace_op_of(&t, i);
	trace_find_ops(&t);
	assert_int_equal(t.around_op != NULL, reach < 10);
	for (uint32_t i = 0; i < ROWS; i++)
		assert_int_equal(trace_op_of(&t, i), op[i]);
	assert_int_equal(trace_op_of(&t, NO_ROW), NO_ROW);
	struct enclosing o = {.trace = &t};
	for (int i = 0; i < ASKED; i++) {
		uint32_t row = (uint32_t)rand() % ROWS;
		int64_t least = dur_ns[row] + rand() % 2000 - 10;
		assert_int_equal(enclosing_find(&o, row, is_long, &least), climbed(&t, row, least));
	}
	assert_int_equal(o.far != NULL, reach < 10);
	enclosing_release(&o);
	arena_release(&t.arena);
}

static void finds_what_climbing_finds(void **state)
{
	(void)state;
	srand(1);
	hold(1); /* one inside the other */
	hold(3);
	hold(ROWS); /* hardly any */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_climbing_finds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What spans cover together, against a set of moments marked one by one. */
#include "base/spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 40 };

static int64_t marked(const char *mark, int64_t from, int64_t to)
{
	int64_t n = 0;
	for (int64_t i = from; i < to; i++)
		n += i >= 0 && i < MOMENTS && mark[i];
	return n;
}

static void covers_what_marking_each_covers(void **state)
{
	(void)state;
	static const struct time_span added[] = {
		{2, 2}, {3, 5}, {3, 4}, {5, 6}, {9, 20}, {10, 12}, {15, 22}, {23, 23}, {23, 24}};
	enum { N = sizeof added / sizeof *added };
	struct arena arena = {0};
	struct spans s = spans_with_room(&arena, N);
	char mark[MOMENTS] = {0};
	assert_int_equal(spans_sum(&s), 0);
	assert_int_equal(spans_covered(&s, -3, MOMENTS), 0);
	for (size_t i = 0; i < N; i++) {
		spans_add(&s, added[i].start_ns, added[i].end_ns);
		memset(mark + added[i].start_ns, 1, (size_t)(added[i].end_ns - added[i].start_ns));
		assert_int_equal(spans_sum(&s), marked(mark, 0, MOMENTS));
	}
	assert_int_equal(s.n, 3);
	for (int64_t from = -2; from < MOMENTS; from++)
		for (int64_t to = -2; to < MOMENTS; to++)
			assert_int_equal(spans_covered(&s, from, to), marked(mark, from, to));
	arena_release(&arena);
}

/* From wherever the search begins. */
static void finds_its_place_among_many(void **state)
{
	(void)state;
	enum { N = 40 };
	struct arena arena = {0};
	struct spans s = spans_with_room(&arena, N);
	for (int i = 0; i < N; i++)
		spans_add(&s, INT64_C(1) << i, (INT64_C(1) << i) + 1);
	assert_int_equal(s.n, N - 1); /* the first two touch */
	for (int from = 0; from < N; from++)
		for (int to = from; to < N; to++)
			for (size_t near = 0; near < N; near++) {
				int64_t begin = (INT64_C(1) << from) + (int64_t)near % 2;
				int64_t end = (INT64_C(1) << to) + 1, most = to - from + 1;
				size_t at = near;
				assert_int_equal(
					spans_covered(&s, begin, end), most - (int64_t)near % 2);
				assert_int_equal(spans_covered_near(&s, begin, end, &at),
					most - (int64_t)near % 2);
			}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_what_marking_each_covers),
		cmocka_unit_test(finds_its_place_among_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

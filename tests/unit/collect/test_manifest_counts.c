/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a case as run.json keeps them: what a process said is written and read again, and
 * what is wrong in the file does no harm. */
#include "collect/manifest.h"
#include "tests/unit/drawing.h"

static struct arena arena;

static struct case_counts from(const char *text)
{
	cJSON *json = cJSON_Parse(text);
	assert_non_null(json);
	struct case_counts c = counts_of(&arena, json);
	cJSON_Delete(json);
	return c;
}

/* Written into a run of one case, and recalled. */
static struct case_counts again(const struct case_counts *c)
{
	struct err err = {0};
	struct matrix matrix;
	FILE *f = fopen(scratch("matrix.json"), "w");
	assert_non_null(f);
	fputs("{\"cases\": [{\"workload\": \"matmul_add\", \"size\": 64}]}", f);
	fclose(f);
	assert_int_equal(matrix_read(&matrix, scratch("matrix.json"), &err), 0);
	struct case_result result = {
		.status = CASE_DONE, .spec = matrix.cases[0].spec, .counts = *c};
	struct manifest m = {.path = scratch("run.json"),
		.device = "host",
		.created = "",
		.matrix = &matrix,
		.result = &result};
	assert_int_equal(manifest_write(&m, &err), 0);
	result.counts = (struct case_counts){0};
	assert_int_equal(manifest_recall(&m, &arena, &err), 0);
	matrix_release(&matrix);
	return result.counts;
}

static void round_trip(void **state)
{
	static const char said[] =
		"{\"deep\":true,\"passes\":3,\"metrics\":[\"dram__bytes_read.sum\",\"x\"],"
		"\"step\":[1000000000,0.125],\"kernels\":[[500000000,null],[7,8]]}";
	(void)state;
	struct case_counts c = from(said), d = again(&c);
	assert_int_equal(c.how, COUNTING_DEEP);
	assert_string_equal(c.json, said);
	assert_int_equal(d.how, COUNTING_DEEP);
	assert_string_equal(d.json, said);
	assert_null(d.reason);
}

static void a_reason_is_all_there_is(void **state)
{
	(void)state;
	struct case_counts c = {.how = COUNTING_PLAIN, .reason = "counters are for root"};
	struct case_counts d = again(&c);
	assert_int_equal(d.how, COUNTING_PLAIN);
	assert_string_equal(d.reason, "counters are for root");
	assert_null(d.json);
}

static void odd_members(void **state)
{
	(void)state;
	assert_int_equal(counts_of(&arena, NULL).how, COUNTING_NONE);
	assert_int_equal(from("[1]").how, COUNTING_NONE);
	struct case_counts c = from(
		"{\"deep\": \"yes\", \"reason\": 4, \"step\": {\"a\": [[]]}, \"kernels\": \"x\"}");
	struct case_counts d = again(&c);
	assert_int_equal(d.how, COUNTING_PLAIN);
	assert_null(d.reason);
	assert_string_equal(d.json, c.json);
	c = (struct case_counts){0};
	assert_int_equal(again(&c).how, COUNTING_NONE);
}

static int remove_all(void **state)
{
	(void)state;
	scratch_remove();
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(a_reason_is_all_there_is),
		cmocka_unit_test(odd_members),
	};
	return cmocka_run_group_tests(tests, NULL, remove_all);
}

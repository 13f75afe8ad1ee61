/* SPDX-License-Identifier: Apache-2.0 */
/* In what two kernels differ, told from their names. */
#include "report/course/kernel_words.h"

#include "report/name/kernel_name.h"
#include "report/page/rich_text.h"
#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

static const char *value(const struct decoded *d, const char *key)
{
	for (int i = 0; i < d->n; i++)
		if (!strcmp(d->part[i].key, key))
			return d->part[i].value;
	return "none";
}

static void onednn_names_have_four_parts(void **state)
{
	struct decoded d;
	(void)state;
	assert_true(decode_name(&d, "brg:avx512_core_bf16 matmul+sum"));
	assert_int_equal(d.n, 4);
	assert_string_equal(value(&d, "implementation"), "brg");
	assert_string_equal(value(&d, "set"), "avx512_core_bf16");
	assert_string_equal(value(&d, "operation"), "matmul");
	assert_string_equal(value(&d, "epilogue"), "sum");
	assert_true(decode_name(&d, "jit:uni gelu_tanh*mul"));
	assert_int_equal(d.n, 3);
	assert_string_equal(value(&d, "operation"), "gelu_tanh*mul");
}

static void cuda_names_come_from_their_grammar(void **state)
{
	struct decoded d;
	(void)state;
	assert_true(decode_name(&d, GEMM_NN));
	assert_string_equal(value(&d, "family"), "cublas");
	assert_string_equal(value(&d, "tile"), "128x256");
	assert_string_equal(value(&d, "layout"), "nn");
	assert_true(decode_name(&d, GEMM_TN));
	assert_string_equal(value(&d, "family"), "cutlass");
	assert_true(decode_name(&d, ADD));
	assert_string_equal(value(&d, "family"), "aten");
}

static void other_names_are_not_guessed(void **state)
{
	static const char *const names[] = {"", "mystery", ":a b", "std::sort the rest",
		"ns::kernel(int, float)", "a:b", "my_kernel<a: b>"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct decoded d;
		if (decode_name(&d, names[i]))
			fail_msg("\"%s\" was read", names[i]);
		assert_int_equal(d.n, 0);
	}
}

static void assert_difference(const char *from, const char *to, int most, const char *wanted)
{
	const char *text = decoded_difference(texts, &arena, from, to, most);
	struct err err = {0};
	assert_non_null(text);
	assert_string_equal(rich_plain(&arena, text), wanted);
	assert_int_equal(texts_error(texts, &err), 0);
}

static void equal_names_do_not_differ(void **state)
{
	(void)state;
	assert_null(decoded_difference(texts, &arena, GEMM_NN, GEMM_NN, 4));
	assert_null(decoded_difference(texts, &arena, "mystery", "mystery", 4));
}

static void differences_are_named(void **state)
{
	(void)state;
	assert_difference("brg:avx512_core_bf16 matmul", "brg:avx512_core_bf16 matmul+sum", 4,
		"epilogue none → sum");
	assert_difference("brg:avx512_core_bf16 matmul+sum", "brg:avx512_core matmul+sum", 4,
		"instructions avx512_core_bf16 → avx512_core");
	assert_difference("jit:uni add", "brg:avx512_core matmul+sum", 2,
		"made by jit → brg · instructions uni → avx512_core · and 2 more");
	assert_difference(GEMM_NN, GEMM_SMALL, 4, "tile 128x256 → 64x64 · stages 3 → 5");
	assert_difference("mystery", GEMM_NN, 4, texts_find(texts, "part.other"));
	assert_difference("mystery", "riddle", 4, texts_find(texts, "part.other"));
}

/* Every part has a word, so that no name can ask for one that is missing. */
static void every_part_has_a_word(void **state)
{
	static const char *const keys[] = {"implementation", "set", "family", "none", "other"};
	(void)state;
	for (int part = 0; part < KERNEL_PARTS; part++)
		assert_string_not_equal(texts_find(texts,
						arena_printf(&arena, "part.%s",
							kernel_part_key((enum kernel_part)part))),
			"");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_string_not_equal(
			texts_find(texts, arena_printf(&arena, "part.%s", keys[i])), "");
}

/* Random names, cut anywhere, are read within their bounds. */
static void any_name_is_read_in_bounds(void **state)
{
	static const char *const seeds[] = {GEMM_NN, GEMM_TN, ADD, FUSED, SPLITK,
		"brg:avx512_core_bf16 matmul+sum+add+relu", "a:b c", "tracebook_geglu_tanh_row"};
	enum { N = sizeof seeds / sizeof *seeds };
	uint32_t random = 11;
	(void)state;
	for (int round = 0; round < 4000; round++) {
		char name[400] = "";
		size_t used = 0;
		for (int i = 0; i < 3; i++) {
			const char *s = seeds[next_random(&random) % N];
			size_t from = next_random(&random) % strlen(s);
			used += (size_t)snprintf(name + used, sizeof name - used, "%s", s + from);
		}
		struct decoded d;
		decode_name(&d, name);
		assert_in_range(d.n, 0, DECODED_ROOM);
		for (int i = 0; i < d.n; i++)
			assert_in_range(strlen(d.part[i].value), 1, DECODED_VALUE - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(onednn_names_have_four_parts),
		cmocka_unit_test(cuda_names_come_from_their_grammar),
		cmocka_unit_test(other_names_are_not_guessed),
		cmocka_unit_test_teardown(equal_names_do_not_differ, clear_arena),
		cmocka_unit_test_teardown(differences_are_named, clear_arena),
		cmocka_unit_test_teardown(every_part_has_a_word, clear_arena),
		cmocka_unit_test(any_name_is_read_in_bounds),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}

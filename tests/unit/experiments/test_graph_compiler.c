/* SPDX-License-Identifier: Apache-2.0 */
/* The graph compiler: what it makes of a function, and that the result is the same. */
#include "tests/unit/compiled_functions.h"

static void test_product_and_add(void **state)
{
	const char *expected = "inputs 4\n"
			       "buffer %4 36 bytes\n"
			       "copy 36 bytes %4 = %2\n"
			       "gemm fp32 batch=1 d+=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
			       "b=%1[3,3 +0 by 0,3,1]\n"
			       "return %4 fp32 3x3\n";
	expect_program(*state, matmul_add, expected);
	expect_program(*state, add_matmul, expected);
}

static void test_two_products_and_add(void **state)
{
	expect_program(*state, two_products,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%2[3,3 +0 by 0,3,1]\n"
		"copy 36 bytes %5 = %4\n"
		"gemm fp32 batch=1 d+=%5[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"return %5 fp32 3x3\n");
}

static void test_product_read_twice(void **state)
{
	expect_program(*state, read_twice,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"pointwise fp32 n=9 %5 = add add %4 %2 %4\n"
		"return %5 fp32 3x3\n");
}

static void test_chain(void **state)
{
	expect_program(*state, chain,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"pointwise fp32 n=9 %4 = mul add gelu_tanh mul %0 %1 %2 %0\n"
		"return %4 fp32 3x3\n");
	expect_program(*state, long_chain,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"pointwise fp32 n=9 %4 = mul add gelu_tanh mul %0 %1 %2 %0\n"
		"pointwise fp32 n=9 %5 = gelu_tanh %4\n"
		"return %5 fp32 3x3\n");
	expect_program(*state, gelu_squared,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"pointwise fp32 n=9 %4 = gelu_tanh %0\n"
		"pointwise fp32 n=9 %5 = mul %4 %4\n"
		"return %5 fp32 3x3\n");
}

static void test_buffers_are_used_again(void **state)
{
	struct world *w = *state;
	expect_program(w, four_products,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%4[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%5[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%4[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"return %5 fp32 3x3\n");
}

static void test_mlp(void **state)
{
	expect_program(*state, mlp,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"buffer %6 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,1,3]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%2[3,3 +0 by 0,1,3]\n"
		"pointwise fp32 n=9 %6 = gelu_tanh mul %4 %5\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%6[3,3 +0 by 0,3,1] "
		"b=%3[3,3 +0 by 0,1,3]\n"
		"return %4 fp32 3x3\n");
}

static void test_nothing_to_do(void **state)
{
	expect_program(*state, identity, "inputs 4\nreturn %1 fp32 3x3\n");
}

static void test_linear(void **state)
{
	struct world *w = *state;
	struct function f = of(linear, 3);
	struct tensor in[] = {counting(w, 3, DIM(2, 2, 3), 1), counting(w, 2, DIM(4, 3), -1),
		counting(w, 1, DIM(4), 5)};
	struct tensor eager, out;
	struct compiled c;
	compiled_init(&c, &w->ops, &f, false);
	assert_int_equal(compiled_call(&c, in, &out, &w->err), 0);
	assert_int_equal(linear(&w->ops, in, &eager, &w->err), 0);
	expect_same(&eager, &out);
	assert_string_equal(compiled_program(&c)->text,
		"inputs 3\n"
		"buffer %3 64 bytes\n"
		"gemm fp32 batch=1 d=%3[4,4 +0 by 0,4,1] a=%0[4,3 +0 by 0,3,1] "
		"b=%1[3,4 +0 by 0,1,3] addend=%2[1,4 +0 by 0,4,1]\n"
		"return %3 fp32 2x2x4\n");
	compiled_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(product_and_add),
		TEST(two_products_and_add),
		TEST(product_read_twice),
		TEST(chain),
		TEST(buffers_are_used_again),
		TEST(mlp),
		TEST(nothing_to_do),
		TEST(linear),
	};
	return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}

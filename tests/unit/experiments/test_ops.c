/* SPDX-License-Identifier: Apache-2.0 */
/* The operators on a device that computes at once: rows, launches, values, errors. */
#include "tests/unit/fake_world.h"

static void expect_values(const struct tensor *t, int n, const double *value)
{
	assert_int_equal(tensor_elements(t), n);
	for (int i = 0; i < n; i++)
		if (fabs(fake_load(t->memory, t->dtype, t->offset + i) - value[i]) > 1e-6)
			fail_msg("element %d is %g, not %g", i, fake_load(t->memory, t->dtype, i),
				value[i]);
}

#define VALUES(t, n, ...) expect_values(t, n, (const double[]){__VA_ARGS__})

static void test_matmul_nests(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 3), 1), b = counting(w, 2, DIM(3, 2), 1), d;
	assert_int_equal(ops_matmul(&w->ops, &a, &b, &d, &w->err), 0);
	VALUES(&d, 4, 22, 28, 49, 64);
	expect_rows(w,
		"tb::matmul\n"
		"  tb::mm\n"
		"    ~ allocate 512 bytes\n"
		"    > gemm\n");
	expect_calls(w, "alloc 512\ngemm fp32 1x 2x2x3\n");
	ops_free(&a);
	ops_free(&b);
	ops_free(&d);
}

static void test_shapes_and_ids(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 3), 1), b = counting(w, 2, DIM(3, 2), 1), d;
	assert_int_equal(ops_matmul(&w->ops, &a, &b, &d, &w->err), 0);
	ops_free(&d);
	assert_int_equal(ops_matmul(&w->ops, &a, &b, &d, &w->err), 0);
	const struct span *s = w->recorder.span;
	assert_int_equal(w->recorder.n, 7); /* the first call also allocates */
	assert_int_equal(s[0].external, 1);
	assert_int_equal(s[1].external, 2);
	assert_int_equal(s[2].kind, SPAN_SETUP);
	assert_int_equal(s[2].external, 2);
	assert_int_equal(s[3].kind, SPAN_LAUNCH);
	assert_int_equal(s[3].external, 2); /* the innermost operator's */
	assert_int_equal(s[3].correlation, 1);
	assert_int_equal(s[4].external, 3);
	assert_int_equal(s[6].external, 4);
	assert_int_equal(s[6].correlation, 2);
	assert_int_equal(w->ops.current, 0);
	const struct span_shapes *shapes = s[1].shapes;
	assert_non_null(shapes);
	assert_ptr_equal(shapes, s[5].shapes); /* the same set is kept once */
	assert_int_equal(shapes->n, 2);
	assert_int_equal(shapes->tensor[0].rank, 2);
	assert_int_equal(shapes->tensor[0].dim[1], 3);
	assert_int_equal(shapes->tensor[1].dim[0], 3);
	assert_int_equal(shapes->tensor[1].stride[0], 2);
	assert_string_equal(shapes->tensor[0].dtype, "float");
	ops_free(&a);
	ops_free(&b);
	ops_free(&d);
}

static void test_silence(void **state)
{
	struct world *w = *state;
	w->recorder.on = false;
	struct tensor a = counting(w, 2, DIM(2, 2), 1), d;
	assert_int_equal(ops_matmul(&w->ops, &a, &a, &d, &w->err), 0);
	VALUES(&d, 4, 7, 10, 15, 22);
	assert_int_equal(w->recorder.n, 0);
	assert_int_equal(w->ops.last_id, 0);
	ops_free(&a);
	ops_free(&d);
}

static void test_full_recorder(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 2), 1), d;
	w->recorder.room = 2; /* the launch's row does not fit */
	assert_int_equal(ops_matmul(&w->ops, &a, &a, &d, &w->err), 0);
	assert_int_equal(w->recorder.n, 2);
	assert_int_equal(w->recorder.dropped, 2); /* the allocation and the launch */
	assert_int_equal(w->ops.current, 0);
	w->recorder.room = 1000;
	ops_free(&a);
	ops_free(&d);
}

static void test_bmm(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 3, DIM(2, 2, 2), 1), b = counting(w, 3, DIM(2, 2, 2), 1), d;
	assert_int_equal(ops_matmul(&w->ops, &a, &b, &d, &w->err), 0);
	VALUES(&d, 8, 7, 10, 15, 22, 67, 78, 91, 106);
	expect_rows(w,
		"tb::matmul\n"
		"  tb::bmm\n"
		"    ~ allocate 512 bytes\n"
		"    > gemm\n");
	expect_calls(w, "alloc 512\ngemm fp32 2x 2x2x2\n");
	ops_free(&a);
	ops_free(&b);
	ops_free(&d);
}

static void test_views_launch_nothing(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 3), 1), t, v, d;
	assert_int_equal(ops_t(&w->ops, &a, &t, &w->err), 0);
	assert_int_equal(t.dim[0], 3);
	assert_int_equal(t.stride[0], 1);
	assert_int_equal(t.stride[1], 3);
	assert_null(t.storage);
	assert_int_equal(ops_view(&w->ops, &a, 3, DIM(1, 3, 2), &v, &w->err), 0);
	assert_int_equal(v.stride[1], 2);
	expect_calls(w, "");
	assert_int_equal(ops_view(&w->ops, &t, 2, DIM(2, 3), &v, &w->err), -1);
	assert_string_equal(w->err.text, "tb::view: 3x2 cannot be seen as 2x3");
	assert_int_equal(ops_mm(&w->ops, &a, &t, &d, &w->err), 0);
	VALUES(&d, 4, 14, 32, 32, 77);
	ops_free(&t); /* nothing: it only looked */
	ops_free(&a);
	ops_free(&d);
}

static void test_addmm_row(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 2), 1), bias = counting(w, 1, DIM(2), 10), d;
	assert_int_equal(ops_addmm(&w->ops, &bias, &a, &a, &d, &w->err), 0);
	VALUES(&d, 4, 17, 21, 25, 33);
	expect_rows(w,
		"tb::addmm\n"
		"  ~ allocate 512 bytes\n"
		"  > gemm\n");
	expect_calls(w, "alloc 512\ngemm fp32 1x 2x2x2 addend row\n");
	ops_free(&a);
	ops_free(&bias);
	ops_free(&d);
}

static void test_addmm_matrix(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 2), 1), bias = counting(w, 2, DIM(2, 2), 10), d;
	assert_int_equal(ops_addmm(&w->ops, &bias, &a, &a, &d, &w->err), 0);
	VALUES(&d, 4, 17, 21, 27, 35);
	VALUES(&bias, 4, 10, 11, 12, 13);
	expect_rows(w,
		"tb::addmm\n"
		"  ~ allocate 512 bytes\n"
		"  tb::copy_\n"
		"    > copy\n"
		"  > gemm\n");
	expect_calls(w, "alloc 512\ncopy 16\ngemm fp32 1x 2x2x2 accumulate\n");
	ops_free(&d);
	assert_int_equal(ops_addmm_epilogue(&w->ops, &bias, &a, &a, &d, &w->err), 0);
	VALUES(&d, 4, 17, 21, 27, 35);
	expect_calls(w, "gemm fp32 1x 2x2x2 addend\n");
	ops_free(&a);
	ops_free(&bias);
	ops_free(&d);
}

static void test_linear(void **state)
{
	struct world *w = *state;
	struct tensor x = counting(w, 2, DIM(1, 2), 1), weight = counting(w, 2, DIM(3, 2), 1);
	struct tensor bias = counting(w, 1, DIM(3), 100), d;
	assert_int_equal(ops_linear(&w->ops, &x, &weight, &bias, &d, &w->err), 0);
	VALUES(&d, 3, 105, 112, 119);
	expect_rows(w,
		"tb::linear\n"
		"  tb::t\n"
		"  tb::addmm\n"
		"    ~ allocate 512 bytes\n"
		"    > gemm\n");
	expect_calls(w, "alloc 512\ngemm fp32 1x 1x3x2 b transposed addend row\n");
	ops_free(&x);
	ops_free(&weight);
	ops_free(&bias);
	ops_free(&d);
}

static void test_linear_of_a_batch(void **state)
{
	struct world *w = *state;
	struct tensor x = counting(w, 3, DIM(2, 1, 2), 1), weight = counting(w, 2, DIM(3, 2), 1), d;
	struct tensor bias = counting(w, 1, DIM(3), 100);
	assert_int_equal(ops_linear(&w->ops, &x, &weight, NULL, &d, &w->err), 0);
	assert_int_equal(d.rank, 3);
	assert_int_equal(d.dim[0], 2);
	assert_int_equal(d.dim[2], 3);
	VALUES(&d, 6, 5, 11, 17, 11, 25, 39);
	expect_rows(w,
		"tb::linear\n"
		"  tb::t\n"
		"  tb::matmul\n"
		"    tb::view\n"
		"    tb::mm\n"
		"      ~ allocate 512 bytes\n"
		"      > gemm\n"
		"    tb::view\n");
	ops_free(&d);
	assert_int_equal(ops_linear(&w->ops, &x, &weight, &bias, &d, &w->err), 0);
	VALUES(&d, 6, 105, 112, 119, 111, 126, 141);
	ops_free(&x);
	ops_free(&weight);
	ops_free(&bias);
	ops_free(&d);
}

static void test_elements(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 1, DIM(3), -1), b = counting(w, 1, DIM(3), 2), d;
	assert_int_equal(ops_add(&w->ops, &a, &b, &d, &w->err), 0);
	VALUES(&d, 3, 1, 3, 5);
	ops_free(&d);
	assert_int_equal(ops_mul(&w->ops, &a, &b, &d, &w->err), 0);
	VALUES(&d, 3, -2, 0, 4);
	ops_free(&d);
	assert_int_equal(ops_gelu(&w->ops, &a, &d, &w->err), 0);
	VALUES(&d, 3, -0.15880801, 0, 0.84119199); /* torch.nn.functional.gelu(x, "tanh") */
	ops_free(&d);
	assert_int_equal(ops_geglu_tanh(&w->ops, &a, &b, &d, &w->err), 0);
	VALUES(&d, 3, -0.15880801 * 2, 0, 0.84119199 * 4);
	expect_rows(w,
		"tb::add\n  ~ allocate 512 bytes\n  > pointwise\n"
		"tb::mul\n  > pointwise\n"
		"tb::gelu\n  > pointwise\n"
		"tb::geglu_tanh\n  > pointwise\n");
	expect_calls(w,
		"alloc 512\npointwise 3 add \npointwise 3 mul \npointwise 3 gelu \n"
		"pointwise 3 gelu mul generic tracebook_geglu_tanh_generic\n");
	ops_free(&a);
	ops_free(&b);
	ops_free(&d);
}

static void test_whole_rows(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 3, DIM(1, 2, 2), 0), d;
	assert_int_equal(ops_softmax(&w->ops, &a, &d, &w->err), 0);
	VALUES(&d, 4, 0.26894142, 0.73105858, 0.26894142,
		0.73105858); /* 1 / (1 + e) and the rest */
	ops_free(&d);
	assert_int_equal(ops_attention(&w->ops, &a, &a, &a, &d, &w->err), 0);
	/* weights of the first query: e^1 and e^3; of the second: e^3 and e^13 */
	VALUES(&d, 4, 1.76159416, 2.76159416, 1.99990920, 2.99990920);
	expect_rows(w,
		"tb::softmax\n  ~ allocate 512 bytes\n  > rows\n"
		"tb::scaled_dot_product_attention\n  > rows\n");
	expect_calls(w, "alloc 512\nsoftmax fp32 1x 2x2\nattention fp32 1x 2x2\n");
	ops_free(&d);
	ops_free(&a);
}

static void expect_failure(struct world *w, int rc, const char *message)
{
	assert_int_equal(rc, -1);
	assert_string_equal(w->err.text, message);
	w->err = (struct err){0};
	assert_int_equal(w->ops.current, 0);
	expect_calls(w, "");
}

static void test_what_does_not_fit(void **state)
{
	struct world *w = *state;
	struct ops *o = &w->ops;
	struct tensor a = counting(w, 2, DIM(2, 3), 1), b = counting(w, 3, DIM(2, 3, 2), 1);
	struct tensor row = counting(w, 1, DIM(4), 1), t = tensor_transposed(&a), d;
	struct tensor odd = a;
	odd.dtype = DTYPE_BF16;
	expect_failure(
		w, ops_mm(o, &a, &a, &d, &w->err), "tb::mm: fp32 2x3 and fp32 2x3 do not multiply");
	expect_failure(w, ops_mm(o, &odd, &t, &d, &w->err),
		"tb::mm: bf16 2x3 and fp32 3x2 do not multiply");
	expect_failure(w, ops_bmm(o, &a, &b, &d, &w->err),
		"tb::bmm: both factors must be of rank 3, not 2x3 and 2x3x2");
	expect_failure(w, ops_matmul(o, &row, &a, &d, &w->err),
		"tb::mm: both factors must be of rank 2, not 4 and 2x3");
	expect_failure(w, ops_addmm(o, &row, &a, &t, &d, &w->err),
		"tb::addmm: fp32 4 does not fit the product of fp32 2x3 and 3x2");
	expect_failure(w, ops_linear(o, &a, &row, NULL, &d, &w->err),
		"tb::t: a matrix is wanted, not a tensor of rank 1");
	expect_failure(w, ops_add(o, &a, &row, &d, &w->err), "tb::add: fp32 2x3 and fp32 4 differ");
	expect_failure(w, ops_gelu(o, &t, &d, &w->err),
		"tb::gelu: operand 0 is a view with holes or swapped strides");
	expect_failure(
		w, ops_copy_(o, &a, &odd, &w->err), "tb::copy_: fp32 2x3 and bf16 2x3 differ");
	expect_failure(w, ops_softmax(o, &a, &d, &w->err),
		"tb::softmax: a batch of matrices is wanted, not a tensor of rank 2");
	expect_failure(w, ops_transpose(o, &a, &d, &w->err),
		"tb::transpose: a batch of matrices is wanted, not a tensor of rank 2");
	expect_failure(w, ops_attention(o, &b, &b, &a, &d, &w->err),
		"tb::scaled_dot_product_attention: fp32 2x3x2 and fp32 2x3 differ");
	ops_free(&a);
	ops_free(&b);
	ops_free(&row);
}

static void test_transposed_addend(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(2, 2), 1), t = tensor_transposed(&a), d;
	expect_failure(w, ops_addmm(&w->ops, &t, &a, &a, &d, &w->err),
		"tb::addmm: the matrix to add is a view that cannot be copied");
	assert_int_equal(ops_addmm_epilogue(&w->ops, &t, &a, &a, &d, &w->err), 0);
	VALUES(&d, 4, 8, 13, 17, 26);
	ops_free(&a);
	ops_free(&d);
}

static void test_cache(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 1, DIM(100), 0), b, c;
	assert_int_equal(ops_new(&w->ops, DTYPE_F32, 1, DIM(120), &b, &w->err), 0);
	struct device_memory *memory = b.memory;
	assert_ptr_not_equal(memory, a.memory);
	ops_free(&b);
	assert_null(b.memory);
	assert_int_equal(ops_new(&w->ops, DTYPE_F32, 1, DIM(128), &c, &w->err), 0);
	assert_ptr_equal(c.memory, memory); /* both round to 512 bytes */
	assert_int_equal(ops_new(&w->ops, DTYPE_F32, 1, DIM(129), &b, &w->err), 0);
	assert_ptr_not_equal(b.memory, memory);
	expect_rows(w, "~ allocate 512 bytes\n~ allocate 1024 bytes\n");
	ops_free(&a);
	ops_free(&b);
	ops_free(&c);
	assert_int_equal(w->device->alive, 3); /* kept until ops_release */
}

static void test_no_room(void **state)
{
	struct world *w = *state;
	struct tensor a = counting(w, 2, DIM(20, 20), 1), d = {0};
	w->device->fail_alloc_after = 1;
	expect_failure(w, ops_matmul(&w->ops, &a, &a, &d, &w->err),
		"the fake device has no room for 2048 bytes");
	assert_null(d.memory);
	ops_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(matmul_nests),
		TEST(shapes_and_ids),
		TEST(silence),
		TEST(full_recorder),
		TEST(bmm),
		TEST(views_launch_nothing),
		TEST(addmm_row),
		TEST(addmm_matrix),
		TEST(linear),
		TEST(linear_of_a_batch),
		TEST(elements),
		TEST(whole_rows),
		TEST(what_does_not_fit),
		TEST(transposed_addend),
		TEST(cache),
		TEST(no_room),
	};
	return cmocka_run_group_tests_name("ops", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels, operators and calls, short enough for a bar. */
#include "report/name/shorten.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

struct name {
	const char *whole, *short_name;
};

static void assert_names(const struct name *names, size_t n,
	const char *(*shorten)(struct arena *a, const char *name))
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(shorten(&arena, names[i].whole), names[i].short_name);
}

static void kernels(void **state)
{
	static const struct name names[] = {
		{"ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn",
			"ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn"},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<"
		 "c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<"
		 "c10::BFloat16>, std::array<char*, 3ul>)",
			"vectorized_elementwise"},
		{"void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int)",
			"softmax_warp_forward"},
		{"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
		{"void gemm_kernel(float*)", "gemm"},
		{"_kernel", "_kernel"},
		{"<module> (/usr/bin/vllm:1)", "<module> (/usr/bin/vllm:1)"},
		{"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_32x32_tn_align8>(Params)",
			"cutlass_80_wmma_tensorop_bf16_32x32_tn_align8"},
		{"cutlass::Kernel<>", "Kernel"},
		{"brg:avx512_core_bf16 matmul", "matmul"},
		{"brg:avx512_core_bf16 matmul+sum", "matmul+sum"},
		{"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD"},
		{"Memset (Device)", "Memset"},
	};
	(void)state;
	assert_names(names, sizeof names / sizeof *names, shorten_name);
}

static void host_names(void **state)
{
	static const struct name names[] = {
		{"aten::addmm", "addmm"},
		{"aten::_scaled_dot_product_attention", "_scaled_dot_product_attention"},
		{"cudaLaunchKernel", "cudaLaunchKernel"},
		{"ProfilerStep#12", "ProfilerStep#12"},
		{"## Call CompiledFxGraph f1a2 ##", "## Call CompiledFxGraph f1a2 ##"},
		{"queue thread's first wake-up", "queue thread's first wake-up"},
	};
	(void)state;
	assert_names(names, sizeof names / sizeof *names, shorten_name);
}

/* Nothing is ever shortened to nothing, read beyond its end, or made longer. */
static void odd_names(void **state)
{
	static const char *const names[] = {"", "<", ">", "(", ")", "::", "a::", "<a>", "(a)(b)",
		"void ", "void", "::<>()", "operator<", "a<b<c>", "a>b", "->", ": ", "a: ", " ",
		"\xff\xfe::x", "aten::", "µ::→"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *exact = strdup(names[i]); /* so that a sanitizer sees reads behind it */
		const char *text = shorten_name(&arena, exact);
		assert_true(text[0] || !names[i][0]);
		assert_true(strlen(text) <= strlen(names[i]));
		text = tidy_name(&arena, exact);
		assert_true(text[0] || !names[i][0]);
		assert_true(strlen(text) <= strlen(names[i]));
		free(exact);
	}
}

static void tidy_names(void **state)
{
	static const struct name names[] = {
		{"<built-in method conv2d of type object at 0x7eff0cd3e180>",
			"<built-in method conv2d of type object>"},
		{"look at 0xyz", "look at 0xyz"},
		{"void at::native::(anonymous namespace)::f<at::native::g>(int)", "f<g>(int)"},
		{"at::native::f", "f"},
		{"f(void *)", "f(void *)"},
		{"aten::mm", "aten::mm"},
		{"a void b", "a void b"},
		{"void ", "void "},
		{"at::native::", "at::native::"},
	};
	(void)state;
	assert_names(names, sizeof names / sizeof *names, tidy_name);
}

static int clear(void **state)
{
	(void)state;
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

static void told_apart(void **state)
{
	static const char *const names[] = {"a_library_with_a_long_prefix_and_tile128x64",
		"a_library_with_a_long_prefix_and_tile64x64", "a_library_with_something_else",
		"a_library_with_a_long_prefix_and_tile64x64", "gemm", "gemm_", "ünïcödé_ünïcödé_ä",
		"ünïcödé_ünïcödé_ö"};
	enum { N = sizeof names / sizeof *names };
	(void)state;
	assert_string_equal(tell_apart(&arena, names, N, 0, 28), "a_library_…tile128x64");
	assert_string_equal(tell_apart(&arena, names, N, 1, 28), "a_library_…tile64x64");
	assert_string_equal(tell_apart(&arena, names, N, 2, 28), names[2]);
	assert_string_equal(tell_apart(&arena, names, N, 3, 28), "a_library_…tile64x64");
	assert_string_equal(tell_apart(&arena, names, N, 4, 4), "gemm");
	assert_string_equal(tell_apart(&arena, names, N, 0, 60), names[0]);
	assert_string_equal(tell_apart(&arena, names, N, 6, 16), "ünïcödé_ün…é_ä");
	assert_string_equal(tell_apart(&arena, names, 1, 0, 4), names[0]);
	/* What is seen to its end is left alone. */
	static const char *const calls[] = {"cudaLaunchKernel", "cudaLaunchKernelExC"};
	assert_string_equal(tell_apart(&arena, calls, 2, 0, 28), calls[0]);
	assert_string_equal(tell_apart(&arena, calls, 2, 1, 16), "cudaLaunch…rnelExC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(kernels, clear),
		cmocka_unit_test_teardown(told_apart, clear),
		cmocka_unit_test_teardown(host_names, clear),
		cmocka_unit_test_teardown(odd_names, clear),
		cmocka_unit_test_teardown(tidy_names, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

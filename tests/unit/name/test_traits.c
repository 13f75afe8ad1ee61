/* SPDX-License-Identifier: Apache-2.0 */
/* What names tell, one example of each row that two places once told differently. */
#include "report/name/roles.h"
#include "report/name/traits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct example {
	const char *name;
	uint32_t has, lacks;
};

static void assert_traits(const struct example *x, size_t n, uint32_t traits_of(const char *name))
{
	for (size_t i = 0; i < n; i++) {
		uint32_t bits = traits_of(x[i].name);
		if ((bits & x[i].has) != x[i].has || bits & x[i].lacks)
			fail_msg("%s has %x, not %x without %x", x[i].name, bits, x[i].has,
				x[i].lacks);
	}
}

static void kernels(void **state)
{
	(void)state;
	static const struct example x[] = {
		{"void cudnn::cnn::wgrad_alg0_engine<float, 512, 6, 5>(int)",
			TRAIT_PLAIN | TRAIT_PLAIN_FP32, TRAIT_TENSOR},
		{"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma_kernel", TRAIT_PLAIN,
			TRAIT_TENSOR},
		{"sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32",
			TRAIT_TENSOR | TRAIT_TF32, TRAIT_PLAIN},
		{"volta_dgemm_64x64_nn", TRAIT_PLAIN | TRAIT_FP64, TRAIT_PLAIN_FP32},
		{"nvjet_tst_128x256_64x4_2x1_v_bz_TNN", TRAIT_TENSOR, TRAIT_PLAIN},
		{"cublasGemmSmallN<float>", 0, TRAIT_PLAIN | TRAIT_TENSOR},
		{"void fft2d_r2c_32x32<float, false>(float2*)", TRAIT_FOURIER | TRAIT_PLAIN_FP32,
			0},
		{"cutlass_80_tensorop_f16_s16816gemm_f16_64x64_32x6_nn_align1", TRAIT_MISALIGNED,
			0},
		{"cutlass_80_tensorop_f16_s16816gemm_f16_64x64_32x6_nn_align16", 0,
			TRAIT_MISALIGNED},
		{"at::native::batch_norm_collect_statistics_channels_last_kernel", 0,
			TRAIT_CHANNELS_FIRST},
	};
	assert_traits(x, sizeof x / sizeof *x, traits_of_kernel);
}

static void copies(void **state)
{
	(void)state;
	static const struct example x[] = {
		{"Memcpy HtoD (Pageable -> Device)", TRAIT_PAGEABLE | TRAIT_TO_DEVICE,
			TRAIT_TO_HOST | TRAIT_WITHIN},
		{"CopyDeviceToHost", TRAIT_TO_HOST, TRAIT_TO_DEVICE | TRAIT_PAGEABLE},
		{"Memcpy HtoH (host -> host)", TRAIT_WITHIN | TRAIT_HOST_TO_HOST, TRAIT_TO_HOST},
		{"Memcpy PtoP (Device -> Device)", TRAIT_PEER, TRAIT_WITHIN},
	};
	assert_traits(x, sizeof x / sizeof *x, traits_of_copy);
}

static void calls(void **state)
{
	(void)state;
	const uint32_t memory = TRAIT_ALLOCATES | TRAIT_FREES;
	const struct example x[] = {
		{"cudaFree", memory, 0},
		{"cuMemFree_v2", memory, 0},
		{"cudaFreeAsync", TRAIT_ASYNC, memory}, /* a pool takes it */
		{"cudaMallocAsync", TRAIT_ASYNC, memory},
		{"hipMalloc", TRAIT_ALLOCATES, TRAIT_FREES},
		{"cudaGraphLaunch", TRAIT_GRAPH, TRAIT_CAPTURE},
		{"enumerate(DataLoader)#_SingleProcess.__next__", TRAIT_LOADER | TRAIT_INPUT, 0},
		{"my_dataloader.next_batch", TRAIT_INPUT, TRAIT_LOADER},
		{"aten::is_nonzero", TRAIT_WAITS_ITEM, TRAIT_WAITS_NONZERO},
		{"aten::nonzero", TRAIT_WAITS_NONZERO, TRAIT_WAITS_ITEM | TRAIT_WAITS_COPY},
	};
	assert_traits(x, sizeof x / sizeof *x, traits_of_host);
}

static void operators(void **state)
{
	(void)state;
	assert_int_equal(role_of_name("aten::baddbmm"), ROLE_BMM);
	assert_int_equal(role_of_name("tb::mm"), ROLE_MM);
	assert_int_equal(role_of_name("mm"), ROLE_NONE);
	assert_int_equal(role_of_name("aten::mm_out"), ROLE_NONE);
	assert_int_equal(operator_role("aten::addmm")->first, 1);
	assert_int_equal(operator_role("aten::linear")->first, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels),
		cmocka_unit_test(copies),
		cmocka_unit_test(calls),
		cmocka_unit_test(operators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

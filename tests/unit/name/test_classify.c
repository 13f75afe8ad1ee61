/* SPDX-License-Identifier: Apache-2.0 */
/* Names and the classes they belong to. */
#include "report/name/classify.h"
#include "report/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
	enum event_kind kind;
	const char *name;
	enum event_class class;
} cases[] = {
	{EVENT_KERNEL, "brg:avx512_core_bf16 matmul", CLASS_GEMM},
	{EVENT_KERNEL, "brg:avx512_core_bf16 matmul+bias", CLASS_GEMM},
	{EVENT_KERNEL, "gemm:jit matmul+sum", CLASS_GEMM},
	{EVENT_KERNEL, "brg:avx512_core_amx matmul+add", CLASS_GEMM},
	{EVENT_KERNEL, "jit:uni add", CLASS_ADD},
	{EVENT_KERNEL, "jit:uni mul", CLASS_MUL},
	{EVENT_KERNEL, "jit:avx512_core gelu_tanh", CLASS_GELU},
	{EVENT_KERNEL, "jit:avx512_core gelu_tanh*mul", CLASS_FUSED},
	{EVENT_KERNEL, "jit:uni square*add", CLASS_FUSED},
	{EVENT_KERNEL, "jit:uni add*mul*gelu_tanh", CLASS_FUSED},
	{EVENT_KERNEL, "jit:uni square*", CLASS_ELEMENTWISE},
	{EVENT_KERNEL, "void all_of(char const*, char*const", CLASS_KERNEL},
	{EVENT_KERNEL, "jit:avx512_core square", CLASS_ELEMENTWISE},
	{EVENT_KERNEL, "tracebook_geglu_tanh_generic", CLASS_FUSED},
	/* the cuda device */
	{EVENT_KERNEL, "tracebook_add_bf16", CLASS_ADD},
	{EVENT_KERNEL, "tracebook_mul_fp32", CLASS_MUL},
	{EVENT_KERNEL, "tracebook_gelu_tanh_bf16", CLASS_GELU},
	{EVENT_KERNEL, "tracebook_geglu_tanh_generic_bf16", CLASS_FUSED},
	{EVENT_KERNEL, "tracebook_fused_gelu_tanh_mul_25165824", CLASS_FUSED},
	{EVENT_KERNEL, "tracebook_fused_add_square_64", CLASS_FUSED},
	{EVENT_KERNEL, "tracebook_square_row_loop", CLASS_ELEMENTWISE},
	{EVENT_KERNEL, "tracebook_gemm_plain_bf16", CLASS_GEMM},
	{EVENT_KERNEL, "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn", CLASS_GEMM},
	{EVENT_KERNEL, "nvjet_tst_128x256_64x4_2x1_v_bz_TNN", CLASS_GEMM},
	{EVENT_KERNEL, "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_tn>",
		CLASS_GEMM},
	{EVENT_KERNEL, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", CLASS_GEMM},
	{EVENT_KERNEL, "void cublasLt::splitKreduce_kernel<32, 16, int, float>", CLASS_SPLITK},
	{EVENT_KERNEL, "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", CLASS_CONVOLUTION},
	{EVENT_KERNEL, "triton_poi_fused__unsafe_view_gelu_mul_0", CLASS_FUSED},
	{EVENT_KERNEL, "_geglu_tanh_forward_kernel", CLASS_FUSED},
	{EVENT_KERNEL, "triton_red_fused_sum_1", CLASS_REDUCTION},
	{EVENT_KERNEL,
		"void at::native::vectorized_elementwise_kernel<4, "
		"at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >",
		CLASS_ADD},
	{EVENT_KERNEL,
		"void at::native::vectorized_elementwise_kernel<4, "
		"at::native::BinaryFunctor<float, float, float, "
		"at::native::binary_internal::MulFunctor<float> >",
		CLASS_MUL},
	{EVENT_KERNEL,
		"void at::native::vectorized_elementwise_kernel<4, "
		"at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)",
		CLASS_GELU},
	{EVENT_KERNEL,
		"void at::native::vectorized_elementwise_kernel<4, "
		"at::native::FillFunctor<float>",
		CLASS_FILL},
	{EVENT_KERNEL, "void at::native::vectorized_elementwise_kernel<4, pow_tensor_scalar",
		CLASS_ELEMENTWISE},
	{EVENT_KERNEL, "void at::native::reduce_kernel<512, 1>", CLASS_REDUCTION},
	{EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", CLASS_COMMUNICATION},
	{EVENT_KERNEL, "fmhaSm100aKernel_QkvBfloat16", CLASS_ATTENTION},
	{EVENT_KERNEL, "void vectorized_layer_norm_kernel<float>", CLASS_NORM},
	{EVENT_KERNEL, "kernel_flashinfernormkernelsfused_add_rmsnorm", CLASS_NORM},
	{EVENT_KERNEL, "_matmul_ogs_NNT_bf16xbf16xmxfp4_swiglu", CLASS_GEMM},
	{EVENT_KERNEL, "bmm_Bfloat16_t128x8x128u2_m128x8x16_rM_swiGlu", CLASS_GEMM},
	{EVENT_KERNEL, "something_else", CLASS_KERNEL},
	/* by the function's own name, not by what stands around it */
	{EVENT_KERNEL, "void fbgemm_gpu::split_embedding_kernel<float>(fbgemm_gpu::FixedDivisor)",
		CLASS_EMBEDDING},
	{EVENT_KERNEL, "std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(float)",
		CLASS_GEMM},
	{EVENT_KERNEL, "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, (norm)1>()",
		CLASS_REDUCTION},
	{EVENT_KERNEL, "_ZN2ck12_GLOBAL__N_131kernel_grouped_conv_fwd_xdl_gemm", /* cut */
		CLASS_CONVOLUTION},
	{EVENT_KERNEL, "_ZN2ck12_GLOBAL__N_123kernel_grouped_conv_fwdINS_8GridGemm",
		CLASS_CONVOLUTION},
	{EVENT_KERNEL, "void at::native::reduce_kernel<512, at::native::SoftM", CLASS_REDUCTION},
	{EVENT_KERNEL, "moe::dev::routing::routingRenormalize::routingIndices<gemm>()",
		CLASS_KERNEL},
	/* a word of its own, between underscores or capitals */
	{EVENT_KERNEL, "vectorAdd(float const*, float*)", CLASS_ADD},
	{EVENT_KERNEL, "pow_func_tensor_scalar_kernel_rank_1", CLASS_ELEMENTWISE},
	{EVENT_KERNEL, "mean_dim_kernel_inner", CLASS_REDUCTION},
	{EVENT_KERNEL, "mm_kernel_general_host_tma", CLASS_GEMM},
	{EVENT_KERNEL, "address_mmap_meaning", CLASS_KERNEL},
	{EVENT_KERNEL, "void dpsk::ep::internode::combine<8>(int4*)", CLASS_COMMUNICATION},
	{EVENT_KERNEL, "void <", CLASS_KERNEL},
	{EVENT_KERNEL, "(", CLASS_KERNEL},
	{EVENT_KERNEL, "_Z", CLASS_KERNEL},
	{EVENT_KERNEL, "at::", CLASS_KERNEL},
	{EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", CLASS_COPY},
	{EVENT_MEMSET, "Memset (Device)", CLASS_FILL},
	{EVENT_RUNTIME, "cudaLaunchKernelExC", CLASS_LAUNCH},
	{EVENT_RUNTIME, "hipExtModuleLaunchKernel", CLASS_LAUNCH},
	{EVENT_DRIVER, "cuLaunchKernelEx", CLASS_LAUNCH},
	{EVENT_RUNTIME, "hostGraphLaunch", CLASS_LAUNCH},
	{EVENT_RUNTIME, "hostMemcpyAsync", CLASS_COPY_CALL},
	{EVENT_RUNTIME, "cudaMemsetAsync", CLASS_COPY_CALL},
	{EVENT_RUNTIME, "cudaStreamSynchronize", CLASS_SYNC},
	{EVENT_RUNTIME, "hostQueueSynchronize", CLASS_SYNC},
	{EVENT_RUNTIME, "cudaOccupancyMaxActiveClusters", CLASS_QUERY},
	{EVENT_RUNTIME, "cudaMalloc", CLASS_SETUP},
	{EVENT_RUNTIME, "cudaEventRecord", CLASS_CALL},
	{EVENT_OVERHEAD, "Activity Buffer Request", CLASS_SETUP},
	{EVENT_ANNOTATION, "ProfilerStep#12", CLASS_STEP},
	{EVENT_OP, "ProfileStep#2", CLASS_STEP},
	{EVENT_ANNOTATION, "ProfilerStep#", CLASS_ANNOTATION},
	{EVENT_ANNOTATION, "ProfilerStep#2x", CLASS_ANNOTATION},
	{EVENT_OP, "guard check", CLASS_COMPILE},
	{EVENT_OP, "replay graph 0123", CLASS_COMPILE},
	{EVENT_OP, "compiled region ", CLASS_OP},
	{EVENT_OP, "guard checker", CLASS_OP},
	{EVENT_OP, "aten::mm", CLASS_OP},
	{EVENT_PYTHON, "<built-in method>", CLASS_PYTHON},
	{EVENT_OTHER, "render", CLASS_HOST},
	{EVENT_INSTANT, "cudaLaunchKernel", CLASS_NONE},
};

static void classes_of_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum event_class c = classify((uint8_t)cases[i].kind, cases[i].name);
		if (c != cases[i].class)
			fail_msg("%s is %s, not %s", cases[i].name, event_class_name(c),
				event_class_name(cases[i].class));
	}
	for (int c = 0; c < CLASSES; c++)
		assert_non_null(event_class_name((enum event_class)c));
}

/* A word has all its pairs of letters in the name, or characters that share their bits. */
static void words_in_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *word;
		bool in;
	} words[] = {
		{"void cudnn::bn_fw_tr_1C11<float>", "cudnn::bn_", true},
		{"MoDuLe_SoftMax_Kernel", "softmax", true},
		{"kernel_pool", "POOL", true},
		{"poo", "pool", false},
		{"lopo_ploop_pol", "pool", false},
		{"poopool", "pool", true},
		{"pool", "pool", true},
		{"ab1ab2", "ab2", true},
		{"ab1abR", "ab2", false}, /* '2' and 'R' share their bits */
		{"p", "P", true},
		{"q", "p", false},
		{"", "pool", false},
		{"K\xc3\xa4lte", "\xc3\xa4l", true},
		{"\xff\xfe", "pool", false},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct lettered l = lettered_of(words[i].name);
		if (lettered_has(&l, words[i].word) != words[i].in)
			fail_msg("%s in %s", words[i].word, words[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_of_names),
		cmocka_unit_test(words_in_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What names of kernels say: the examples of the reference, and all names of an installed library.
 */
#define _GNU_SOURCE
#include "report/name/kernel_name.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* "nvjet architecture=sm90 ..." */
static const char *decoded(const char *name)
{
	static char text[2048];
	struct kernel_name k;
	size_t n;
	kernel_name_decode(&k, name);
	n = (size_t)snprintf(text, sizeof text, "%s", kernel_family_key(k.family));
	for (int i = 0; i < k.n && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %s=%s",
			kernel_part_key(k.row[i].part), k.row[i].value);
	return text;
}

struct example {
	const char *name, *says;
};

static void check(const struct example *e)
{
	for (; e->name; e++)
		assert_string_equal(decoded(e->name), e->says);
}

static void test_nvjet(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=bf16 tile=256x128 k_step=64 stages=4 cluster=1x2 raster=h addend=bz "
			"flag=coopA epilogue=bias layout=tn unknown=T"},
		{"nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_TNN",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=bf16 tile=192x192 k_step=64 stages=4 cluster=2x1 raster=v addend=bz "
			"flag=coopB layout=tn unknown=N"},
		{"nvjet_sm90_tst_64x64_64x8_2x1_v_bz_splitK_TNT",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=bf16 tile=64x64 k_step=64 stages=8 cluster=2x1 raster=v addend=bz "
			"split_k=split layout=tn unknown=T"},
		{"nvjet_sm90_tss_128x256_64x4_2x1_v_bz_coopA_NTN",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=f32 tile=128x256 k_step=64 stages=4 cluster=2x1 raster=v addend=bz "
			"flag=coopA layout=nt unknown=N"},
		/* before CUDA 13 the chip is not named */
		{"nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NNT",
			"nvjet operation=gemm input=f16 accumulate=f32 output=f16 tile=256x128 "
			"k_step=64 stages=4 cluster=1x2 raster=h addend=bz flag=coopA layout=nn "
			"unknown=T"},
		/* onto what is there */
		{"nvjet_sm90_tst_320x128_64x3_1x2_h_badd_coopB_TNT",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=bf16 tile=320x128 k_step=64 stages=3 cluster=1x2 raster=h "
			"addend=badd flag=coopB layout=tn unknown=T"},
		{"nvjet_sm90_tst_256x128_64x4_1x2_h_bx_coopA_NNT",
			"nvjet operation=gemm architecture=sm90 input=bf16 accumulate=f32 "
			"output=bf16 tile=256x128 k_step=64 stages=4 cluster=1x2 raster=h "
			"addend=bx flag=coopA layout=nn unknown=T"},
		{"nvjet_sm90_qqtst_128x128_128x6_1x1_h_bz_TNT",
			"nvjet operation=gemm architecture=sm90 input=e4m3 accumulate=f32 "
			"output=bf16 tile=128x128 k_step=128 stages=6 cluster=1x1 raster=h addend=bz "
			"layout=tn unknown=T"},
		{"nvjet_sm90_sss_tf32_64x64_32x8_1x1_h_bz_NNT",
			"nvjet operation=gemm architecture=sm90 input=f32 accumulate=f32 "
			"output=f32 multiply=tf32 tile=64x64 k_step=32 stages=8 cluster=1x1 "
			"raster=h addend=bz layout=nn unknown=T"},
		{"nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT",
			"nvjet operation=gemm architecture=sm100 input=bf16 accumulate=f32 "
			"output=bf16 tile=64x16 k_step=64 stages=16 cluster=2x4 flag=2cta raster=h "
			"addend=bz split_k=split layout=tn unknown=T"},
		{"nvjet_sm120_tst_mma_64x64x128_3_32x32x128_tmaAB_alignCD4_bz_TNNN",
			"nvjet operation=gemm architecture=sm120 input=bf16 accumulate=f32 "
			"output=bf16 flag=mma tile=64x64 k_step=128 stages=3 unknown=32x32x128 "
			"unknown=tmaAB unknown=alignCD4 addend=bz layout=tn unknown=NN"},
		{NULL, NULL},
	};
	check(examples);
}

static void test_xmma(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cgasize1x2x1_"
		 "warpgroupsize2x1x1_aligna8_alignc8_execute_segment_k_off_kernel__5x_cublas",
			"xmma architecture=sm90 operation=gemm input=bf16 accumulate=f32 "
			"output=bf16 scale=f32 layout=tn tile=128x128 k_step=64 cluster=1x2x1 "
			"warpgroups=2x1x1 alignment=a8 alignment=c8"},
		{"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_"
		 "aligna4_alignc4_execute_kernel__5x_cublas",
			"xmma architecture=sm80 operation=gemm input=f32 accumulate=f32 output=f32 "
			"scale=f32 layout=tn tile=64x64 k_step=8 stages=3 warps=1x4x1 "
			"instruction=ffma alignment=a4 alignment=c4"},
		{"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_stage4_warpsize2x2x1_"
		 "tensor16x8x8_execute_split_k_kernel__5x_cublas",
			"xmma architecture=sm80 operation=gemm input=f32 multiply=tf32 "
			"accumulate=f32 output=f32 scale=f32 layout=nn tile=128x128 k_step=32 "
			"stages=4 warps=2x2x1 instruction=16x8x8 split_k=split"},
		{"sm89_xmma_gemm_e5m2e4m3bf16_e5m2e4m3f32_f32_tn_n_tilesize64x64x64_stage3_"
		 "warpsize2x2x1_tensor16x8x32_bias_f32_execute_kernel__5x_cublas",
			"xmma architecture=sm89 operation=gemm input=e5m2 e4m3 accumulate=f32 "
			"output=bf16 scale=f32 layout=tn tile=64x64 k_step=64 stages=3 warps=2x2x1 "
			"instruction=16x8x32 epilogue=bias f32"},
		{"sm90_xmma_gemm_f16f16_f16f32_f32_nt_n_tilesize64x128x64_warpgroupsize1x1x1_aux_"
		 "f16_dgelu_execute_segment_k_on_kernel__5x_cublas",
			"xmma architecture=sm90 operation=gemm input=f16 accumulate=f32 output=f16 "
			"scale=f32 layout=nt tile=64x128 k_step=64 warpgroups=1x1x1 "
			"epilogue=aux f16 epilogue=dgelu split_k=segment"},
		{NULL, NULL},
	};
	check(examples);
}

static void test_cublas_and_cutlass(void **state)
{
	(void)state;
	static const struct example examples[] = {
		/* the four names that the posts quote */
		{"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn",
			"cublas architecture=ampere output=bf16 operation=gemm accumulate=f32 "
			"instruction=16x8x16 input=bf16 tile=128x256 vector=8 flag=f2f k_step=64 "
			"stages=3 layout=nn"},
		{"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
			"cublas architecture=ampere output=bf16 operation=gemm accumulate=f32 "
			"instruction=16x8x16 input=bf16 tile=128x128 vector=8 flag=f2f k_step=32 "
			"stages=5 layout=tn"},
		{"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x6_nn",
			"cublas architecture=ampere output=bf16 operation=gemm accumulate=f32 "
			"instruction=16x8x16 input=bf16 tile=64x64 split_k=2 vector=8 flag=f2f "
			"k_step=64 stages=6 layout=nn"},
		{"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_"
		 "tn_align8>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_tn_align8::"
		 "Params)",
			"cutlass architecture=sm80 flag=wmma output=bf16 operation=gemm "
			"accumulate=f32 instruction=16x16x16 input=bf16 tile=32x32 k_step=32 "
			"stages=1 layout=tn alignment=8"},
		/* the result's type stands in front, the operands' behind */
		{"ampere_int32_i16832gemm_int8_128x128_ldg16_stages_64x3_nt",
			"cublas architecture=ampere output=int32 operation=gemm accumulate=int32 "
			"instruction=16x8x32 input=int8 tile=128x128 vector=16 k_step=64 stages=3 "
			"layout=nt"},
		{"ampere_sgemm_128x64_tn",
			"cublas architecture=ampere operation=gemm accumulate=f32 instruction=ffma "
			"tile=128x64 layout=tn"},
		{"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
			"cublas architecture=volta output=fp16 operation=gemm accumulate=f32 "
			"instruction=8x8x4 input=fp16 tile=128x128 vector=8 flag=f2f layout=nn"},
		{"void cutlass::Kernel2<cutlass_80_tensorop_s1688bf16gemm_128x256_16x3_tt_align1>"
		 "(Params)",
			"cutlass architecture=sm80 operation=gemm accumulate=f32 multiply=bf16 "
			"instruction=16x8x8 tile=128x256 k_step=16 stages=3 layout=tt alignment=1"},
		{"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_"
		 "nn_align4>(Params)",
			"cutlass architecture=sm80 output=bf16 operation=gemm accumulate=f32 "
			"instruction=16x8x16 epilogue=relu input=bf16 tile=256x64 k_step=32 "
			"stages=4 layout=nn alignment=4"},
		{NULL, NULL},
	};
	check(examples);
}

static void test_thin_shapes(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>()",
			"splitk operation=sum of a split product"},
		{"void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024>()",
			"vector operation=gemv"},
		{"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16>()",
			"vector operation=gemv layout=t"},
		{"void gemv2N_kernel<int, int, float, float>()", "vector operation=gemv layout=n"},
		{"void internal::gemvx::kernel<int, int, float>()", "vector operation=gemv"},
		{"void gemmSN_TN_kernel<float, 128, 16, 2, 4>()",
			"vector operation=gemm layout=tn"},
		{"void gemmk1_kernel<int, float, 256, 5>()", "vector operation=gemm"},
		{"void dot_kernel<float, 128, 0>()", "vector operation=dot"},
		{"void reduce_1Block_kernel<float, 128, 7>()", "vector operation=sum of a dot"},
		{NULL, NULL},
	};
	check(examples);
}

static void test_pytorch_and_ours(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"triton_poi_fused__unsafe_view_gelu_mul_0",
			"triton operation=pointwise operation=_unsafe_view_gelu_mul number=0"},
		{"triton_red_fused_native_layer_norm_12",
			"triton operation=reduction operation=native_layer_norm number=12"},
		{"triton_xyz_fused_add_3", "triton unknown=xyz operation=add number=3"},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<"
		 "c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<"
		 "c10::BFloat16>, std::array<char*, 3ul>)",
			"aten operation=add vector=4 input=bf16"},
		{"void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl("
		 "at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}, std::array<char*, "
		 "2ul> >(int)",
			"aten operation=gelu vector=8"},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
		 "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
		 "float)::{lambda(float)#1}, std::array<char*, 2ul> >(int)",
			"aten operation=pow vector=4 input=f32"},
		{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(float)",
			"aten operation=reduction input=f32"},
		{"void at::native::something_new<int>(int)",
			"aten unknown=something_new input=int32"},
		{"tracebook_add_bf16", "tracebook input=bf16 operation=add"},
		{"tracebook_geglu_tanh_generic_fp32",
			"tracebook input=f32 operation=geglu_tanh_generic"},
		{"tracebook_fused_gelu_tanh_mul_25165824",
			"tracebook operation=gelu_tanh_mul number=25165824"},
		{"tracebook_gemm_plain_bf16", "tracebook input=bf16 operation=gemm"},
		{"square_kernel_0d1d234", "none"},
		{"Memcpy DtoD (Device -> Device)", "none"},
		{"my_sm90_xmma_gemm", "none"},
		{"", "none"},
		{NULL, NULL},
	};
	check(examples);
}

static void test_is_gemm(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool gemm;
	} examples[] = {
		{"nvjet_sm90_tst_64x64_64x8_2x1_v_bz_splitK_TNT", true},
		{"void cublasLt::splitKreduce_kernel<32, 16, int>()", false},
		{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", true},
		{"sm90_xmma_syrk_u_f64f64_f64f64_n_tilesize32x32x16", false},
		{"ampere_sgemm_128x64_tn", true},
		{"tracebook_add_bf16", false},
		{"anything", false},
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct kernel_name k;
		kernel_name_decode(&k, examples[i].name);
		assert_int_equal(kernel_name_is_gemm(&k), examples[i].gemm);
	}
}

/* Every cut of a name, and names longer than any room, must do no harm. */
static void test_damaged_names(void **state)
{
	(void)state;
	static const char whole[] =
		"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cgasize1x2x1_stage3_"
		"warpgroupsize2x1x1_aux_f16_execute_segment_k_off_kernel__5x_cublas";
	struct kernel_name k;
	for (size_t n = 0; n < sizeof whole; n++) {
		char *cut = strndup(whole, n);
		kernel_name_decode(&k, cut);
		assert_true(k.n <= KERNEL_NAME_ROOM);
		free(cut);
	}
	char *many = malloc(20001);
	memset(many, '_', 20000);
	memcpy(many, "nvjet_", 6);
	for (int i = 6; i < 20000; i += 2)
		many[i] = 'x';
	many[20000] = '\0';
	assert_true(kernel_name_decode(&k, many));
	assert_int_equal(k.n, KERNEL_NAME_ROOM);
	free(many);
}

/* ---- every name in an installed library ---- */

struct names {
	size_t all, explained, gemm;
};

static void count_name(struct names *names, const char *name)
{
	struct kernel_name k;
	names->all++;
	assert_true(kernel_name_decode(&k, name));
	names->gemm += kernel_name_is_gemm(&k);
	names->explained += !kernel_name_part(&k, PART_UNKNOWN);
	assert_non_null(kernel_name_part(&k, PART_ARCHITECTURE));
	assert_non_null(kernel_name_part(&k, PART_TILE));
	assert_non_null(kernel_name_part(&k, PART_LAYOUT));
}

/* Texts of the file that start with `start` and hold `part`. */
static void count_names(
	struct names *names, const char *bytes, size_t n, const char *start, const char *part)
{
	const char *end = bytes + n, *at = bytes;
	size_t length = strlen(start);
	while ((at = memmem(at, (size_t)(end - at), start, length))) {
		char name[256] = "";
		size_t i = 0;
		bool begins = at > bytes && !at[-1];
		while (i < sizeof name - 1 && at + i < end &&
			(at[i] == '_' || (at[i] >= '0' && at[i] <= '9') ||
				(at[i] >= 'a' && at[i] <= 'z') || (at[i] >= 'A' && at[i] <= 'Z'))) {
			name[i] = at[i];
			i++;
		}
		if (begins && at + i < end && !at[i] && strstr(name, part))
			count_name(names, name);
		at += length;
	}
}

static void test_installed_library(void **state)
{
	(void)state;
	const char *toolkit = getenv("CUDA_HOME");
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s/lib64/libcublasLt.so.13",
		toolkit ? toolkit : "/usr/local/cuda");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		print_message("no %s: its names are not read\n", path);
		skip();
	}
	char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	struct names names = {0};
	count_names(&names, bytes, (size_t)st.st_size, "ampere_", "gemm_");
	count_names(&names, bytes, (size_t)st.st_size, "sm90_xmma_gemm_", "_kernel");
	munmap(bytes, (size_t)st.st_size);
	close(fd);
	print_message("%zu names, %zu explained whole\n", names.all, names.explained);
	assert_true(names.all > 1000);
	assert_int_equal(names.gemm, names.all);
	assert_true(names.explained > names.all * 9 / 10);
}

static void test_attention(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::X)",
			"fmha operation=attention input=bf16 flag=aligned tile=64x128 flag=rf "
			"architecture=sm80"},
		{"fmha_cutlassB_f16_aligned_128x64_k64_sm80(X)",
			"fmha operation=attention backward input=f16 flag=aligned tile=128x64 head=64 "
			"architecture=sm80"},
		{"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
		 "128, 128, 4, false, false, cutlass::bfloat16_t, X<64> >, false>(X)",
			"flash operation=attention input=bf16 tile=128x128 warps=4 head=64"},
		{"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_"
		 "4x1x1_cga1x1x1_kernel0_0",
			"cudnn architecture=sm90 operation=attention instruction=wgmma tile=64x128 "
			"head=64 warps=4x1x1 cluster=1x1x1"},
		{"flash_fwd_kernel<X", "flash operation=attention"},
		{"fmha_cutlass", "fmha"},
		{0},
	};
	check(examples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nvjet),
		cmocka_unit_test(test_xmma),
		cmocka_unit_test(test_cublas_and_cutlass),
		cmocka_unit_test(test_thin_shapes),
		cmocka_unit_test(test_pytorch_and_ours),
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_is_gemm),
		cmocka_unit_test(test_damaged_names),
		cmocka_unit_test(test_installed_library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

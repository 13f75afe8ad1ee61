/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_run_names.h - kernels as CUDA's libraries name them, and the cases of a small run.
 */
#ifndef TESTS_UNIT_MADE_RUN_NAMES_H
#define TESTS_UNIT_MADE_RUN_NAMES_H

#define GEMM_NN "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn"
#define GEMM_SMALL "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_nn"
#define GEMM_TN "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_tn_align8"
#define SPLITK "void cublasLt::splitKreduce_kernel<32, 16, int, float>"
#define ADD "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >"
#define GELU "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>"
#define MUL "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float> >"
#define FUSED "triton_poi_fused_gelu_mul_0"
#define COPY "Memcpy DtoD (Device -> Device)"

/* name, workload, mode, warm, size, flop and bytes of a step, expectation */
#define SQUARE_CASE(name, workload, mode, warm, size, flop, bytes, step) \
	"{\"id\": \"" name "\", \"title\": \"Case " name "\", \"workload\": \"" workload \
	"\", \"mode\": \"" mode "\", \"dtype\": \"bf16\", \"warm\": " warm \
	", \"shape\": {\"size\": " size "}, \"flop_per_step\": " flop \
	", \"bytes_per_step\": " bytes ", \"expect\": {\"step\": " step "}}"

#define MLP_CASE(name, mode, step) \
	"{\"id\": \"" name "\", \"title\": \"Case " name \
	"\", \"workload\": \"geglu_mlp\", \"mode\": \"" mode \
	"\", \"dtype\": \"bf16\", \"warm\": true, \"shape\": {\"batch\": 64, \"seq\": 128, " \
	"\"dim\": 768, \"hidden\": 3072}, \"flop_per_step\": 116215775232, " \
	"\"bytes_per_step\": 240648192, \"expect\": {\"step\": " step "}}"

#define LINEAR_CASE(name, mode) \
	"{\"id\": \"" name "\", \"title\": \"Case " name \
	"\", \"workload\": \"linear\", \"mode\": \"" mode \
	"\", \"dtype\": \"bf16\", \"warm\": true, \"shape\": {\"batch\": 1024, \"in_dim\": 32, " \
	"\"out_dim\": 64}, \"flop_per_step\": 4259840, \"bytes_per_step\": 200832, " \
	"\"expect\": {\"step\": [\"gemm\"]}}"

#endif

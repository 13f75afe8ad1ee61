/* SPDX-License-Identifier: Apache-2.0 */
/* The words of kernels' names: the first rule that fits decides, so what is special stands first.
 */
#include "report/name/kernel_rules.h"

#include <stddef.h>

const struct kernel_rule kernel_rules[] = {
	/* the host device: "<implementation> <operation>" */
	{"|matmul", NULL, NULL, CLASS_GEMM},
	{"|matmul+bias", NULL, NULL, CLASS_GEMM},
	{"|matmul+sum", NULL, NULL, CLASS_GEMM},
	{"|matmul+add", NULL, NULL, CLASS_GEMM},
	{"|add", NULL, NULL, CLASS_ADD},
	{"|mul", NULL, NULL, CLASS_MUL},
	{"|gelu_tanh", NULL, NULL, CLASS_GELU},
	{"|square", NULL, NULL, CLASS_ELEMENTWISE},
	{"|*", NULL, NULL, CLASS_FUSED},
	/* the cuda device: tracebook_<operation>_<type>, tracebook_fused_<operations>_<elements> */
	{"^tracebook_add_", NULL, NULL, CLASS_ADD},
	{"^tracebook_mul_", NULL, NULL, CLASS_MUL},
	{"^tracebook_mask", NULL, NULL, CLASS_ELEMENTWISE},
	{"^tracebook_fused_", NULL, NULL, CLASS_FUSED},
	/* torch.compile: named by what kind they are, then by all that was fused */
	{"^triton_poi", NULL, NULL, CLASS_FUSED},
	{"^triton_for", NULL, NULL, CLASS_FUSED},
	{"^triton__", NULL, NULL, CLASS_FUSED}, /* before it named them */
	{"^triton_red", NULL, NULL, CLASS_REDUCTION},
	{"^triton_per", NULL, NULL, CLASS_REDUCTION},
	{"^triton_tem", "attention", NULL, CLASS_ATTENTION},
	{"^triton_tem", "conv", NULL, CLASS_CONVOLUTION},
	{"^triton_tem", "mm", NULL, CLASS_GEMM},
	{"^triton_mm", NULL, NULL, CLASS_GEMM},
	/* other devices, and what waits for them */
	{"nccl", NULL, NULL, CLASS_COMMUNICATION},
	{"rccl", NULL, NULL, CLASS_COMMUNICATION},
	{"^mscclKernel", NULL, NULL, CLASS_COMMUNICATION}, /* in RCCL */
	{"nvshmem", NULL, NULL, CLASS_COMMUNICATION},
	{"deep_ep::", NULL, NULL, CLASS_COMMUNICATION},
	{"all_reduce", NULL, NULL, CLASS_COMMUNICATION},
	{"allreduce", NULL, NULL, CLASS_COMMUNICATION},
	{"all_gather", NULL, NULL, CLASS_COMMUNICATION},
	{"allgather", NULL, NULL, CLASS_COMMUNICATION},
	{"reduce_scatter", NULL, NULL, CLASS_COMMUNICATION},
	{"reducescatter", NULL, NULL, CLASS_COMMUNICATION},
	{"all_to_all", NULL, NULL, CLASS_COMMUNICATION},
	{"alltoall", NULL, NULL, CLASS_COMMUNICATION},
	{"cross_device", NULL, NULL, CLASS_COMMUNICATION},
	{"multimem", NULL, NULL, CLASS_COMMUNICATION},
	{"sendrecv", NULL, NULL, CLASS_COMMUNICATION},
	{"barrier", NULL, NULL, CLASS_COMMUNICATION},
	{"wait_signal", NULL, NULL, CLASS_COMMUNICATION},
	{"internode::", NULL, NULL,
		CLASS_COMMUNICATION}, /* DeepEP and its kin, in whatever name space */
	{"intranode::", NULL, NULL, CLASS_COMMUNICATION},
	{"all-reduce", NULL, NULL, CLASS_COMMUNICATION}, /* as XLA spells them */
	{"all-gather", NULL, NULL, CLASS_COMMUNICATION},
	{"all-to-all", NULL, NULL, CLASS_COMMUNICATION},
	{"reduce-scatter", NULL, NULL, CLASS_COMMUNICATION},
	{"collective-permute", NULL, NULL, CLASS_COMMUNICATION},
	{"userbuffers", NULL, NULL, CLASS_COMMUNICATION}, /* Transformer Engine's */
	{"=a2a", NULL, NULL, CLASS_COMMUNICATION},
	{"comm::", NULL, NULL, CLASS_COMMUNICATION},
	/* lists of numbers are put in order for whatever comes behind */
	{"topk", "softmax", NULL, CLASS_REDUCTION},
	{"topk", NULL, NULL, CLASS_KERNEL},
	{"tensorTrans", NULL, NULL, CLASS_COPY}, /* of layouts, cuDNN's; "sort" stands in it */
	{"sort", NULL, NULL, CLASS_KERNEL},
	{"scan", NULL, NULL, CLASS_KERNEL},
	{"cumsum", NULL, NULL, CLASS_KERNEL},
	{"memset", NULL, NULL, CLASS_FILL},
	{"memcpy", NULL, NULL, CLASS_COPY},
	{"^ln_", NULL, NULL, CLASS_NORM},
	{"finalize", NULL, NULL, CLASS_FUSED}, /* sums up a token's experts */
	{"routing", NULL, NULL, CLASS_KERNEL},
	{"metadata", NULL, NULL, CLASS_KERNEL},
	{"tensormap", NULL, NULL, CLASS_KERNEL}, /* what the copies of a product are told */
	{"src2dst", NULL, NULL, CLASS_KERNEL},
	{"=mapping", NULL, NULL, CLASS_KERNEL},
	{"row_map", NULL, NULL, CLASS_KERNEL},
	{"^setup", NULL, NULL, CLASS_KERNEL},
	{"^zero", NULL, NULL, CLASS_FILL},
	{"^Zero", NULL, NULL, CLASS_FILL},
	/* what its place in attention, or the like, would hide */
	{"splitKreduce", NULL, NULL, CLASS_SPLITK},
	{"reduce_1Block", NULL, NULL, CLASS_SPLITK}, /* the second half of cuBLAS's dot product */
	{"reshape_and_cache", NULL, NULL, CLASS_COPY},
	{"cache", "store", NULL, CLASS_COPY},
	{"kv_buffer", NULL, NULL, CLASS_COPY},
	{"^concat", NULL, NULL, CLASS_COPY},
	{"kv_cache", NULL, NULL, CLASS_COPY},
	{"WithKVCache", NULL, NULL, CLASS_ATTENTION}, /* FlashInfer's, what attends */
	{"WithPagedKVCache", NULL, NULL, CLASS_ATTENTION},
	{"kvcache", "attn", NULL, CLASS_ATTENTION},
	{"kvcache", "attention", NULL, CLASS_ATTENTION},
	{"kvcache", "Batch", NULL, CLASS_ATTENTION}, /* FlashInfer's BatchDecodeWith... */
	{"kvcache", NULL, NULL, CLASS_COPY},
	{"rotary", NULL, NULL, CLASS_FUSED},
	{"rope", "norm", NULL, CLASS_NORM},
	{"rope", NULL, NULL, CLASS_FUSED},
	{"kv_indices", NULL, NULL, CLASS_COPY},
	{"repack", NULL, NULL, CLASS_COPY},
	{"rmsnorm", NULL, NULL, CLASS_NORM},
	/* attention */
	{"^_fwd_kernel", NULL, NULL, CLASS_ATTENTION}, /* of Triton's example, and who took it */
	{"^_fwd_grouped_kernel", NULL, NULL, CLASS_ATTENTION},
	{"^bwd_kernel_", NULL, NULL, CLASS_ATTENTION}, /* PyTorch's for AMD, backward */
	{"^bwd_preprocess", NULL, NULL, CLASS_ATTENTION},
	{"reduce_segments", NULL, NULL, CLASS_ATTENTION}, /* vLLM's, of parts of a row */
	{"^sage_fwd", NULL, NULL, CLASS_ATTENTION},
	{"flashinfer", "norm", NULL, CLASS_NORM}, /* name spaces, in the words of CuTe's compiler */
	{"flashinfer", "gemm", NULL, CLASS_GEMM},
	{"flashinfer", "quantize", NULL, CLASS_FUSED},
	{"flash", NULL, NULL, CLASS_ATTENTION},
	{"mha", NULL, NULL, CLASS_ATTENTION},
	{"_gqa_", NULL, NULL, CLASS_ATTENTION},
	{"_mqa_", NULL, NULL, CLASS_ATTENTION},
	/* attention whose state has one size, or that looks at a part */
	{"delta_rule", NULL, NULL, CLASS_ATTENTION},
	{"gated_delta", NULL, NULL, CLASS_ATTENTION},
	{"^cutlass::device_kernel", NULL, "DeltaRule", CLASS_ATTENTION},
	{"=gdn", NULL, NULL, CLASS_ATTENTION},
	{"=gla", NULL, NULL, CLASS_ATTENTION},
	{"=kda", NULL, NULL, CLASS_ATTENTION},
	{"=nsa", NULL, NULL, CLASS_ATTENTION},
	{"attend", NULL, NULL, CLASS_ATTENTION},
	{"MergeState", NULL, NULL, CLASS_ATTENTION}, /* FlashInfer's, of parts of a row */
	{"merge_state", NULL, NULL, CLASS_ATTENTION},
	{"attention", NULL, NULL, CLASS_ATTENTION},
	{"attn", NULL, NULL, CLASS_ATTENTION},
	{"sdpa", NULL, NULL, CLASS_ATTENTION},
	{"BatchPrefill", NULL, NULL, CLASS_ATTENTION},
	{"BatchDecode", NULL, NULL, CLASS_ATTENTION},
	{"paged", "decode", NULL, CLASS_ATTENTION},
	{"varlen", NULL, NULL, CLASS_ATTENTION},
	{"=mla", NULL, NULL, CLASS_ATTENTION},
	{"compute_dot_do_o", NULL, NULL, CLASS_ATTENTION}, /* cuDNN's, backward */
	{"convert_dq", NULL, NULL, CLASS_ATTENTION},
	{"^cutlass::device_kernel", NULL, "flash", CLASS_ATTENTION},
	{"^cutlass::device_kernel", NULL, "fmha", CLASS_ATTENTION},
	{"kentry", NULL, "fmha", CLASS_ATTENTION}, /* AMD's ck_tile */
	/* embeddings; PyTorch's own gradient is in several kernels */
	{"embedding", NULL, NULL, CLASS_EMBEDDING},
	{"_embs_", NULL, NULL, CLASS_EMBEDDING},
	{"bounds_check_indices", NULL, NULL, CLASS_EMBEDDING},
	{"linearize_index", NULL, NULL, CLASS_EMBEDDING},
	{"compute_grad_weight", NULL, NULL, CLASS_EMBEDDING},
	{"sum_and_scatter", NULL, NULL, CLASS_EMBEDDING},
	{"partial_segment", NULL, NULL, CLASS_EMBEDDING},
	{"partials_per_segment", NULL, NULL, CLASS_EMBEDDING},
	/* norms */
	{"^MIOpen", "Conv", NULL, CLASS_CONVOLUTION}, /* with the norm behind it, too */
	{"normaliz", NULL, NULL, CLASS_NORM},
	{"normal", NULL, NULL, CLASS_ELEMENTWISE}, /* random numbers */
	{"norm", NULL, NULL, CLASS_NORM},
	{"^bn_", NULL, NULL, CLASS_NORM},
	{"=rms", NULL, NULL, CLASS_NORM},
	{"Moments", NULL, NULL, CLASS_NORM},
	{"GammaBeta", NULL, NULL, CLASS_NORM},
	{"cuComputeGradInput", NULL, NULL, CLASS_NORM},
	{"FusedParams", NULL, NULL, CLASS_NORM}, /* PyTorch's, of groups */
	{"ComputeInternalGradients", NULL, NULL, CLASS_NORM},
	/* PyTorch's element-wise kernels, told by their functor */
	{"index_elementwise_kernel", NULL, NULL, CLASS_COPY},
	{"gather_elementwise_kernel", NULL, NULL, CLASS_COPY},
	{"elementwise_kernel", NULL, "FillFunctor", CLASS_FILL},
	{"elementwise_kernel", NULL, "direct_copy_kernel", CLASS_COPY},
	{"elementwise_kernel", NULL, "copy_device_to_device", CLASS_COPY},
	{"elementwise_kernel", NULL, "_copy_kernel_cuda", CLASS_COPY},
	{"elementwise_kernel", NULL, "batch_norm", CLASS_NORM},
	{"elementwise_kernel", NULL, "GroupNorm", CLASS_NORM},
	{"elementwise_kernel", NULL, "GeluCUDAKernelImpl", CLASS_GELU},
	{"elementwise_kernel", NULL, "CUDAFunctor_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "CUDAFunctorOnSelf_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "CUDAFunctorOnOther_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "AddFunctor", CLASS_ADD},
	{"elementwise_kernel", NULL, "MulFunctor", CLASS_MUL},
	{"elementwise_kernel", NULL, "MulScalarFunctor", CLASS_MUL},
	{"elementwise_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"multi_tensor_apply_kernel", NULL, "NormFunctor", CLASS_REDUCTION},
	{"multi_tensor_apply_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"CatArrayBatchedCopy", NULL, NULL, CLASS_COPY},
	/* what is gated is two operations at least */
	{"matmul", NULL, NULL, CLASS_GEMM}, /* with what is fused to it, and "mul" stands in it */
	{"matrixmul", NULL, NULL, CLASS_GEMM},
	{"=mm", NULL, NULL, CLASS_GEMM},
	{"=bmm", NULL, NULL, CLASS_GEMM},
	{"^interleave", NULL, NULL, CLASS_COPY}, /* of weights, for a product */
	{"^bmm_", NULL, NULL, CLASS_GEMM}, /* TensorRT-LLM's, the same */
	{"geglu", NULL, NULL, CLASS_FUSED},
	{"swiglu", NULL, NULL, CLASS_FUSED},
	{"gelu", "mul", NULL, CLASS_FUSED},
	{"silu", "mul", NULL, CLASS_FUSED},
	{"act_and_mul", NULL, NULL, CLASS_FUSED},
	/* products; convolutions often carry "gemm" in their names */
	{"convert", NULL, NULL, CLASS_COPY},
	{"conv", NULL, NULL, CLASS_CONVOLUTION},
	{"implicit_gemm", NULL, NULL, CLASS_CONVOLUTION},
	{"bwd_weight", NULL, NULL, CLASS_CONVOLUTION}, /* AMD's composable kernels */
	{"bwd_data", NULL, NULL, CLASS_CONVOLUTION},
	{"fprop", NULL, NULL, CLASS_CONVOLUTION},
	{"wgrad", NULL, NULL, CLASS_CONVOLUTION},
	{"dgrad", NULL, NULL, CLASS_CONVOLUTION},
	{"winograd", NULL, NULL, CLASS_CONVOLUTION},
	{"scudnn", NULL, NULL, CLASS_CONVOLUTION},
	{"884cudnn", NULL, NULL, CLASS_CONVOLUTION},
	{"816cudnn", NULL, NULL, CLASS_CONVOLUTION},
	{"688cudnn", NULL, NULL, CLASS_CONVOLUTION},
	{"^igemm_", NULL, NULL, CLASS_CONVOLUTION}, /* MIOpen's */
	{"^fft2d_", NULL, NULL, CLASS_CONVOLUTION}, /* cuDNN's, by Fourier transforms */
	{"pointwise_mult_and_sum", NULL, NULL, CLASS_CONVOLUTION}, /* between them */
	{"^compute", "OffsetsKernel", NULL, CLASS_CONVOLUTION}, /* cuDNN's, where its inputs lie */
	{"kern_precompute_indices", NULL, NULL, CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "reduction", CLASS_CONVOLUTION}, /* of cuDNN's split sums */
	{"cutlass", "Kernel", "conv", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "fprop", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "wgrad", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "dgrad", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "gemm", CLASS_GEMM},
	{"kentry", NULL, "sort", CLASS_KERNEL},
	{"kentry", NULL, "norm", CLASS_NORM},
	{"kentry", NULL, "conv", CLASS_CONVOLUTION},
	{"kentry", NULL, "gemm", CLASS_GEMM},
	{"^cutlass", "tensorop", NULL, CLASS_GEMM},
	{"^cutlass", "wmma", NULL, CLASS_GEMM},
	{"nvjet", NULL, NULL, CLASS_GEMM},
	{"gemm", NULL, NULL, CLASS_GEMM},
	{"gemv", NULL, NULL, CLASS_GEMM},
	{"bgmv", NULL, NULL, CLASS_GEMM}, /* of adapters */
	{"fmoe", NULL, NULL, CLASS_GEMM},
	{"sgmv", NULL, NULL, CLASS_GEMM},
	{"^Cijk_", NULL, NULL, CLASS_GEMM},
	{"^dot_kernel", NULL, NULL, CLASS_GEMM},
	{"kittens", NULL, "matmul",
		CLASS_GEMM}, /* ThunderKittens' kernels are all called "kernel" */
	{"mul_mat", NULL, NULL, CLASS_GEMM},
	{"cublas", NULL, NULL, CLASS_GEMM}, /* what is left of it */
	{"^epilogue::", NULL, NULL, CLASS_GEMM},
	{"moe", "loss", NULL, CLASS_REDUCTION},
	{"fused_moe", NULL, NULL, CLASS_GEMM},
	{"moe_stage", NULL, NULL, CLASS_GEMM},
	{"wvSplitK", NULL, NULL, CLASS_GEMM}, /* vLLM's, of few rows */
	{"marlin", NULL, NULL, CLASS_GEMM},
	/* sums */
	{"updateGradInput", NULL, NULL, CLASS_ELEMENTWISE}, /* of a loss */
	{"loss_backward", NULL, NULL, CLASS_ELEMENTWISE},
	{"loss", NULL, NULL, CLASS_REDUCTION},
	{"criterion", NULL, NULL, CLASS_REDUCTION},
	{"kldiv", NULL, NULL, CLASS_REDUCTION},
	{"sparsemax", NULL, NULL, CLASS_REDUCTION},
	{"logsumexp", NULL, NULL, CLASS_REDUCTION},
	{"soft_max", NULL, NULL, CLASS_REDUCTION},
	{"cross_entropy", NULL, NULL, CLASS_REDUCTION},
	{"softmax", NULL, NULL, CLASS_REDUCTION},
	{"reduce", NULL, NULL, CLASS_REDUCTION},
	{"reduction", NULL, NULL, CLASS_REDUCTION},
	{"argmax", NULL, NULL, CLASS_REDUCTION},
	{"_sum", NULL, NULL, CLASS_REDUCTION},
	{"pool", NULL, NULL, CLASS_REDUCTION},
	{"=mean", NULL, NULL, CLASS_REDUCTION},
	{"=var", NULL, NULL, CLASS_REDUCTION},
	{"=amax", NULL, NULL, CLASS_REDUCTION},
	/* what moves elements */
	{"SwapDimension", NULL, NULL, CLASS_COPY}, /* TensorFlow's layouts */
	{"ShuffleInTensor", NULL, NULL, CLASS_COPY},
	{"ToNhwc", NULL, NULL, CLASS_COPY},
	{"ToNchw", NULL, NULL, CLASS_COPY},
	{"ToFolded", NULL, NULL, CLASS_COPY},
	{"padding", NULL, NULL, CLASS_COPY},
	{"transpose", NULL, NULL, CLASS_COPY},
	{"permute", NULL, NULL, CLASS_COPY},
	{"bucketize", NULL, NULL, CLASS_COPY},
	{"quant", NULL, NULL, CLASS_FUSED},
	{"qparam", NULL, NULL, CLASS_FUSED},
	{"gather", NULL, NULL, CLASS_COPY},
	{"scatter", NULL, NULL, CLASS_COPY},
	{"index", NULL, NULL, CLASS_COPY},
	{"copy", NULL, NULL, CLASS_COPY},
	{"cast", NULL, NULL, CLASS_COPY},
	{"_to_float", NULL, NULL, CLASS_COPY},
	{"SubTensorOp", NULL, NULL, CLASS_COPY},
	{"upsample", NULL, NULL, CLASS_COPY},
	{"im", "2col", NULL, CLASS_COPY}, /* im2col, im2d2col, im3d2col, and back */
	{"col2im", NULL, NULL, CLASS_COPY},
	{"to_dense", NULL, NULL, CLASS_COPY},
	{"_pad_", NULL, NULL, CLASS_COPY}, /* replication, reflection */
	{"roll_cuda", NULL, NULL, CLASS_COPY},
	{"fill", NULL, NULL, CLASS_FILL},
	{"pack", NULL, NULL, CLASS_COPY},
	{"=expand", NULL, NULL, CLASS_COPY},
	{"=reshape", NULL, NULL, CLASS_COPY},
	{"swizzle", NULL, NULL, CLASS_COPY},
	{"interleave", NULL, NULL, CLASS_COPY},
	{"=swap", NULL, NULL, CLASS_COPY},
	{"get_rows", NULL, NULL, CLASS_COPY},
	{"set_rows", NULL, NULL, CLASS_COPY},
	{"cpy", NULL, NULL, CLASS_COPY},
	{"=zero", NULL, NULL, CLASS_FILL},
	{"^set_", NULL, NULL, CLASS_FILL},
	/* the rest of what works on each element alone */
	{"gelu", NULL, NULL, CLASS_GELU},
	{"glu", NULL, NULL, CLASS_FUSED},
	{"dropout", NULL, NULL, CLASS_FUSED},
	{"elementwise", NULL, NULL, CLASS_ELEMENTWISE},
	{"pointwise", NULL, NULL, CLASS_ELEMENTWISE},
	{"^transform_kernel", NULL, NULL, CLASS_ELEMENTWISE}, /* rocPRIM's and CUB's */
	{"square", NULL, NULL, CLASS_ELEMENTWISE},
	{"^scal_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"scalePackedTensor", NULL, NULL, CLASS_ELEMENTWISE},
	{"transform_bias", NULL, NULL, CLASS_ELEMENTWISE},
	{"tril", NULL, NULL, CLASS_ELEMENTWISE},
	{"triu", NULL, NULL, CLASS_ELEMENTWISE},
	{"relu", NULL, NULL, CLASS_ELEMENTWISE},
	{"clamp", NULL, NULL, CLASS_ELEMENTWISE},
	{"activation", NULL, NULL, CLASS_ELEMENTWISE},
	{"EigenMetaKernel", NULL, "Reduc", CLASS_REDUCTION},
	{"EigenMetaKernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"^Apply", NULL, NULL, CLASS_ELEMENTWISE}, /* TensorFlow's optimizers */
	{"bias", NULL, NULL, CLASS_ELEMENTWISE},
	{"op_generic_tensor", NULL, NULL, CLASS_ELEMENTWISE}, /* cuDNN's */
	{"^loop_", "fusion", NULL, CLASS_FUSED}, /* XLA's */
	/* libraries that name kernels after the operation alone */
	{"=unary", NULL, NULL, CLASS_ELEMENTWISE},
	{"^scale_", NULL, NULL, CLASS_ELEMENTWISE},
	{"=mask", NULL, NULL, CLASS_ELEMENTWISE},
	{"=binary", NULL, NULL, CLASS_ELEMENTWISE},
	{"addcmul", NULL, NULL, CLASS_ELEMENTWISE},
	{"addcdiv", NULL, NULL, CLASS_ELEMENTWISE},
	{"=add", NULL, NULL, CLASS_ADD},
	{"=mul", NULL, NULL, CLASS_MUL},
	{"=sub", NULL, NULL, CLASS_ELEMENTWISE},
	{"=div", NULL, NULL, CLASS_ELEMENTWISE},
	{"=pow", NULL, NULL, CLASS_ELEMENTWISE},
	{"=exp", NULL, NULL, CLASS_ELEMENTWISE},
	{"=log", NULL, NULL, CLASS_ELEMENTWISE},
	{"=sqrt", NULL, NULL, CLASS_ELEMENTWISE},
	{"=rsqrt", NULL, NULL, CLASS_ELEMENTWISE},
	{"=tanh", NULL, NULL, CLASS_ELEMENTWISE},
	{"=silu", NULL, NULL, CLASS_ELEMENTWISE},
	{"sigmoid", NULL, NULL, CLASS_ELEMENTWISE},
	{"swish", NULL, NULL, CLASS_ELEMENTWISE},
	{"=act", NULL, NULL, CLASS_ELEMENTWISE},
	{"=where", NULL, NULL, CLASS_ELEMENTWISE},
	{"=arange", NULL, NULL, CLASS_ELEMENTWISE},
	{"", NULL, NULL, CLASS_KERNEL},
};

/* cuDNN convolves by Fourier transforms, too. */
const struct kernel_rule operator_rules[] = {
	{"embedding", NULL, NULL, CLASS_EMBEDDING},
	{"attention", NULL, NULL, CLASS_ATTENTION},
	{"convolution", NULL, NULL, CLASS_CONVOLUTION},
	{"norm", NULL, NULL, CLASS_NORM},
	{"softmax", NULL, NULL, CLASS_REDUCTION},
	{"pool", NULL, NULL, CLASS_REDUCTION},
	{"addmm", NULL, NULL, CLASS_GEMM},
	{"::mm", NULL, NULL, CLASS_GEMM},
	{"bmm", NULL, NULL, CLASS_GEMM},
	{"::linear", NULL, NULL, CLASS_GEMM},
	{"::matmul", NULL, NULL, CLASS_GEMM},
	{"", NULL, NULL, CLASS_KERNEL},
};

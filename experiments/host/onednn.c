/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/onednn.h"

static const struct isa {
	dnnl_cpu_isa_t isa;
	const char *name;
	bool bf16_native;
} isas[] = {
	{dnnl_cpu_isa_sse41, "sse41", false},
	{dnnl_cpu_isa_avx, "avx", false},
	{dnnl_cpu_isa_avx2, "avx2", false},
	{dnnl_cpu_isa_avx2_vnni, "avx2_vnni", false},
	{dnnl_cpu_isa_avx512_core, "avx512_core", false},
	{dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni", false},
	{dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16", true},
	{dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx", true},
#if DNNL_VERSION_MAJOR < 3
	{dnnl_cpu_isa_avx512_mic, "avx512_mic", false},
	{dnnl_cpu_isa_avx512_mic_4ops, "avx512_mic_4ops", false},
#else
	/* avx2_vnni_2 turns bf16 into f32 in hardware, and multiplies those */
	{dnnl_cpu_isa_avx2_vnni_2, "avx2_vnni_2", false},
	{dnnl_cpu_isa_avx512_core_fp16, "avx512_core_fp16", true},
	{dnnl_cpu_isa_avx512_core_amx_fp16, "avx512_core_amx_fp16", true},
#endif
};

const char *onednn_isa(bool *bf16_native)
{
	dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
	for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
		if (isas[i].isa == isa) {
			*bf16_native = isas[i].bf16_native;
			return isas[i].name;
		}
	}
	*bf16_native = false;
	return "generic";
}

dnnl_status_t onednn_then_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t algorithm)
{
#if DNNL_VERSION_MAJOR < 3
	return dnnl_post_ops_append_eltwise(post_ops, 1, algorithm, 0, 0);
#else
	return dnnl_post_ops_append_eltwise(post_ops, algorithm, 0, 0);
#endif
}

#if DNNL_VERSION_MAJOR < 3

dnnl_status_t onednn_describe(dnnl_memory_desc_t *desc, int rank, const dnnl_dims_t dim,
	dnnl_data_type_t dtype, const dnnl_dims_t stride)
{
	return dnnl_memory_desc_init_by_strides(desc, rank, dim, dtype, stride);
}

void onednn_release(dnnl_memory_desc_t *desc)
{
	*desc = (dnnl_memory_desc_t){0};
}

dnnl_status_t onednn_memory(
	dnnl_memory_t *memory, const dnnl_memory_desc_t *desc, dnnl_engine_t engine, void *handle)
{
	return dnnl_memory_create(memory, desc, engine, handle);
}

/* What the library wants first: the operation without engine and attributes. */
union description {
	dnnl_matmul_desc_t matmul;
	dnnl_binary_desc_t binary;
	dnnl_eltwise_desc_t eltwise;
	dnnl_softmax_desc_t softmax;
};

static dnnl_status_t describe_operation(union description *u, const struct onednn_operation *o)
{
	switch (o->kind) {
	case ONEDNN_MATMUL:
		return dnnl_matmul_desc_init(&u->matmul, o->a, o->b, o->bias, o->d);
	case ONEDNN_BINARY:
		return dnnl_binary_desc_init(&u->binary, o->algorithm, o->a, o->b, o->d);
	case ONEDNN_ELTWISE:
		return dnnl_eltwise_forward_desc_init(
			&u->eltwise, dnnl_forward_inference, o->algorithm, o->a, 0, 0);
	case ONEDNN_SOFTMAX:
		return dnnl_softmax_forward_desc_init(
			&u->softmax, dnnl_forward_inference, o->a, o->a->ndims - 1);
	}
	return dnnl_invalid_arguments;
}

dnnl_status_t onednn_choose(dnnl_primitive_desc_t *chosen, dnnl_engine_t engine,
	const struct onednn_operation *operation, const_dnnl_primitive_attr_t attributes)
{
	union description u;
	dnnl_status_t status = describe_operation(&u, operation);
	return status ? status : dnnl_primitive_desc_create(chosen, &u, attributes, engine, NULL);
}

size_t onednn_scratchpad_bytes(const_dnnl_primitive_desc_t chosen)
{
	const dnnl_memory_desc_t *desc =
		dnnl_primitive_desc_query_md(chosen, dnnl_query_scratchpad_md, 0);
	return desc ? dnnl_memory_desc_get_size(desc) : 0;
}

dnnl_status_t onednn_scratchpad(dnnl_memory_t *memory, const_dnnl_primitive_desc_t chosen,
	dnnl_engine_t engine, void *handle)
{
	return dnnl_memory_create(memory,
		dnnl_primitive_desc_query_md(chosen, dnnl_query_scratchpad_md, 0), engine, handle);
}

dnnl_status_t onednn_then_sum(dnnl_post_ops_t post_ops)
{
	return dnnl_post_ops_append_sum(post_ops, 1);
}

dnnl_status_t onednn_then_binary(
	dnnl_post_ops_t post_ops, dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t *operand)
{
	return dnnl_post_ops_append_binary(post_ops, algorithm, operand);
}

#else

dnnl_status_t onednn_describe(dnnl_memory_desc_t *desc, int rank, const dnnl_dims_t dim,
	dnnl_data_type_t dtype, const dnnl_dims_t stride)
{
	return dnnl_memory_desc_create_with_strides(desc, rank, dim, dtype, stride);
}

void onednn_release(dnnl_memory_desc_t *desc)
{
	if (*desc)
		dnnl_memory_desc_destroy(*desc);
	*desc = NULL;
}

dnnl_status_t onednn_memory(
	dnnl_memory_t *memory, const dnnl_memory_desc_t *desc, dnnl_engine_t engine, void *handle)
{
	return dnnl_memory_create(memory, *desc, engine, handle);
}

static int onednn_rank(const_dnnl_memory_desc_t desc)
{
	int rank = 0;
	dnnl_memory_desc_query(desc, dnnl_query_ndims_s32, &rank);
	return rank;
}

dnnl_status_t onednn_choose(dnnl_primitive_desc_t *chosen, dnnl_engine_t engine,
	const struct onednn_operation *o, const_dnnl_primitive_attr_t attributes)
{
	switch (o->kind) {
	case ONEDNN_MATMUL:
		return dnnl_matmul_primitive_desc_create(
			chosen, engine, *o->a, *o->b, o->bias ? *o->bias : NULL, *o->d, attributes);
	case ONEDNN_BINARY:
		return dnnl_binary_primitive_desc_create(
			chosen, engine, o->algorithm, *o->a, *o->b, *o->d, attributes);
	case ONEDNN_ELTWISE:
		return dnnl_eltwise_forward_primitive_desc_create(chosen, engine,
			dnnl_forward_inference, o->algorithm, *o->a, *o->d, 0, 0, attributes);
	case ONEDNN_SOFTMAX:
		return dnnl_softmax_forward_primitive_desc_create(chosen, engine,
			dnnl_forward_inference, dnnl_softmax_accurate, *o->a, *o->d,
			onednn_rank(*o->a) - 1, attributes);
	}
	return dnnl_invalid_arguments;
}

size_t onednn_scratchpad_bytes(const_dnnl_primitive_desc_t chosen)
{
	const_dnnl_memory_desc_t desc =
		dnnl_primitive_desc_query_md(chosen, dnnl_query_scratchpad_md, 0);
	return desc ? dnnl_memory_desc_get_size(desc) : 0;
}

dnnl_status_t onednn_scratchpad(dnnl_memory_t *memory, const_dnnl_primitive_desc_t chosen,
	dnnl_engine_t engine, void *handle)
{
	return dnnl_memory_create(memory,
		dnnl_primitive_desc_query_md(chosen, dnnl_query_scratchpad_md, 0), engine, handle);
}

dnnl_status_t onednn_then_sum(dnnl_post_ops_t post_ops)
{
	return dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef);
}

dnnl_status_t onednn_then_binary(
	dnnl_post_ops_t post_ops, dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t *operand)
{
	return dnnl_post_ops_append_binary(post_ops, algorithm, *operand);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onednn.h - what the host device asks of oneDNN, the same for its versions 2 and 3.
 *
 * The two versions differ in how work is described (2: structs by value and a description of the
 * operation; 3: opaque descriptions that must be destroyed, and no description of the operation),
 * and in nothing that runs later. So all that describes goes through here, and the rest of the
 * device calls the library itself. Which version it is was settled by the header that it was
 * compiled with.
 */
#ifndef EXPERIMENTS_HOST_ONEDNN_H
#define EXPERIMENTS_HOST_ONEDNN_H

#include <dnnl.h>
#include <stdbool.h>
#include <stddef.h>

/* Describes memory of `rank` dimensions; strides count elements. `desc` is zeroed before, and is
 * released whether this succeeded or not. */
dnnl_status_t onednn_describe(dnnl_memory_desc_t *desc, int rank, const dnnl_dims_t dim,
	dnnl_data_type_t dtype, const dnnl_dims_t stride);
void onednn_release(dnnl_memory_desc_t *desc);

/* A memory at `handle`, which is lent; DNNL_MEMORY_NONE: it is bound later. */
dnnl_status_t onednn_memory(
	dnnl_memory_t *memory, const dnnl_memory_desc_t *desc, dnnl_engine_t engine, void *handle);

enum onednn_kind { ONEDNN_MATMUL, ONEDNN_BINARY, ONEDNN_ELTWISE, ONEDNN_SOFTMAX };

/* One operation; the descriptions are lent. */
struct onednn_operation {
	enum onednn_kind kind;
	dnnl_alg_kind_t algorithm; /* of a binary or an element-wise one */
	const dnnl_memory_desc_t *a, *b; /* the operands; an element-wise one has no b, and neither
					    has a softmax, which is one over the last dimension */
	const dnnl_memory_desc_t *bias; /* of a matmul; NULL for none */
	const dnnl_memory_desc_t *d; /* the result */
};

/* The library's implementation of an operation for this engine; owned by the caller. */
dnnl_status_t onednn_choose(dnnl_primitive_desc_t *chosen, dnnl_engine_t engine,
	const struct onednn_operation *operation, const_dnnl_primitive_attr_t attributes);

/* The scratch memory that the chosen implementation wants: its bytes (0: none), and a memory for
 * it at `handle`. */
size_t onednn_scratchpad_bytes(const_dnnl_primitive_desc_t chosen);
dnnl_status_t onednn_scratchpad(dnnl_memory_t *memory, const_dnnl_primitive_desc_t chosen,
	dnnl_engine_t engine, void *handle);

/* Operations on the result, in order: plus what was there before; a function of it; with another
 * operand. */
dnnl_status_t onednn_then_sum(dnnl_post_ops_t post_ops);
dnnl_status_t onednn_then_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t algorithm);
dnnl_status_t onednn_then_binary(
	dnnl_post_ops_t post_ops, dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t *operand);

/* The instruction set that the library generates code for, by its name in oneDNN ("generic" for
 * none); `bf16_native`: it multiplies bf16 in hardware. */
const char *onednn_isa(bool *bf16_native);

#endif

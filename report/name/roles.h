/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roles.h - what an operator is for, PyTorch's ("aten::mm") and ours ("tb::mm") alike, by its whole
 * name. Parts of names that say something are in traits.h.
 */
#ifndef REPORT_NAME_ROLES_H
#define REPORT_NAME_ROLES_H

#include <stdbool.h>

enum role {
	ROLE_NONE,
	ROLE_MATMUL,
	ROLE_MM,
	ROLE_BMM,
	ROLE_ADDMM,
	ROLE_LINEAR,
	ROLE_ADD,
	ROLE_COPYING, /* copy_, clone, to, cat, item ...: a copy is what they are for */
	ROLE_VIEW, /* t, transpose, reshape ...: shape and strides only */
};

struct operator_role {
	const char *name; /* after the name space */
	enum role role;
	int first; /* of products: place of A among the inputs; B is behind it */
};

/* Operators of the forward pass that no formula of autograd calls: inside one of its nodes they run
 * a second time. */
#define FORWARD_OPERATORS \
	"aten::linear", "aten::addmm", "aten::conv1d", "aten::conv2d", "aten::conv3d", \
		"aten::layer_norm", "aten::native_layer_norm", "aten::rms_norm", \
		"aten::group_norm", "aten::batch_norm", "aten::gelu", "aten::silu", "aten::relu", \
		"aten::softmax", "aten::embedding", "aten::scaled_dot_product_attention", \
		"aten::dropout", "aten::native_dropout"

/* Random zeros, which only training needs. */
#define DROPOUT_OPERATORS \
	"aten::dropout", "aten::dropout_", "aten::feature_dropout", "aten::alpha_dropout", \
		"aten::native_dropout"

/* Attention that is put together of single operators. */
#define MATH_ATTENTION "aten::_scaled_dot_product_attention_math"

/* The gradient of an embedding, for all rows of its table. */
#define DENSE_EMBEDDING "aten::embedding_dense_backward"
#define DENSE_BAG "aten::_embedding_bag_dense_backward"

/* NULL for an operator without a role; lent for ever. */
const struct operator_role *operator_role(const char *name);

enum role role_of_name(const char *name);

static inline bool is_product_role(enum role r)
{
	return r >= ROLE_MATMUL && r <= ROLE_LINEAR;
}

#endif

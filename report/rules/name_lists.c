/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/name_lists.h"

enum { MOST = 96 };

static const char *const lists[NAME_LISTS][MOST] = {
	[NAMES_MAKERS] = {NAMES_OF_MAKERS},
	[NAMES_JOINS] = {"aten::cat", "aten::stack", "aten::index", "aten::gather",
		"aten::lift_fresh"},
	[NAMES_STARTS] = {"aten::arange", "aten::zeros", "aten::ones", "aten::full", "aten::eye",
		"aten::linspace", "aten::tril_indices", "aten::triu_indices"},
	[NAMES_PARTS] = {"aten::slice", "aten::narrow", "aten::select", "aten::chunk",
		"aten::split", "aten::split_with_sizes", "aten::unbind", "aten::sum", "aten::mean",
		"aten::amax", "aten::amin", "aten::max", "aten::min", "aten::argmax", "aten::item"},
	[NAMES_ALIKE] = {"aten::add", "aten::sub", "aten::mul", "aten::div", "aten::pow",
		"aten::exp", "aten::log", "aten::sqrt", "aten::rsqrt", "aten::cos", "aten::sin",
		"aten::neg", "aten::abs", "aten::relu", "aten::gelu", "aten::silu", "aten::tanh",
		"aten::sigmoid", "aten::clamp", "aten::to", "aten::_to_copy", "aten::clone",
		"aten::contiguous", "aten::where", "aten::masked_fill", "aten::softmax",
		"aten::log_softmax", "aten::layer_norm", "aten::rms_norm", "aten::zeros_like",
		"aten::ones_like", "aten::tril", "aten::triu", "aten::eq", "aten::ne", "aten::lt",
		"aten::le", "aten::gt", "aten::ge", "aten::logical_not", "aten::logical_and",
		"aten::bitwise_not", "aten::bitwise_and", "aten::view", "aten::reshape",
		"aten::permute", "aten::transpose", "aten::t", "aten::unsqueeze", "aten::squeeze",
		"aten::flatten", "aten::detach", "aten::dropout", "aten::square",
		"aten::reciprocal", "aten::cumsum", "aten::unflatten", "aten::swapaxes",
		"aten::movedim", "aten::numpy_T", "aten::leaky_relu", "aten::elu", "aten::hardtanh",
		"aten::hardswish", "aten::softplus", "aten::prelu", "aten::sign", "aten::floor",
		"aten::round", "aten::erf", "aten::maximum", "aten::minimum", "aten::remainder",
		"aten::lerp", "aten::log1p", "aten::expm1"},
	[NAMES_AS_FIRST] = {"aten::batch_norm", "aten::group_norm", "aten::instance_norm",
		"aten::native_layer_norm", "aten::scaled_dot_product_attention", "aten::scatter",
		"aten::scatter_add", "aten::index_add", "aten::index_copy", "aten::index_put",
		"aten::sort", "aten::argsort", "aten::roll", "aten::flip", "aten::type_as"},
	[NAMES_UPLOADS] = {"aten::to", "aten::copy_"},
	[NAMES_VIEWS] = {"aten::select"},
	[NAMES_WRITES] = {"aten::copy_", "aten::fill_"},
	[NAMES_PUTS] = {"aten::copy_", "aten::index_put_", "aten::index_copy_", "aten::scatter_",
		"aten::masked_scatter_", "aten::set_"},
	[NAMES_COPY_FIRST] = {"aten::scatter", "aten::scatter_add", "aten::scatter_reduce",
		"aten::index_add", "aten::index_copy", "aten::index_reduce"},
	[NAMES_COMPARES] = {"aten::sub", "aten::rsub", "aten::mse_loss", "aten::l1_loss",
		"aten::smooth_l1_loss", "aten::huber_loss", "aten::kl_div",
		"aten::binary_cross_entropy", "aten::binary_cross_entropy_with_logits",
		"aten::cosine_similarity", "aten::pairwise_distance", "aten::dist"},
	[NAMES_REDUCES] = {"aten::sum", "aten::mean", "aten::amax", "aten::amin", "aten::max",
		"aten::min", "aten::argmax", "aten::argmin", "aten::norm",
		"aten::linalg_vector_norm", "aten::logsumexp", "aten::std", "aten::var",
		"aten::any", "aten::all", "aten::prod"},
};

_Static_assert(NAME_LISTS <= 16, "a bit each");

uint16_t *name_lists_of(struct arena *arena, const struct names *names)
{
	uint16_t *of = arena_array(arena, names->n, sizeof *of);
	for (int i = 0; i < NAME_LISTS; i++)
		for (int k = 0; k < MOST && lists[i][k]; k++)
			of[names_find(names, lists[i][k])] |= (uint16_t)(1u << i);
	if (names->n)
		of[0] = 0; /* what was not found */
	return of;
}

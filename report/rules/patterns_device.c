/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of the device: a slower kernel than there is for the same work, or work that none needs.
 */
#include "report/rules/pattern.h"

#include <math.h>
#include <string.h>

#define TORCHS_DEPTHWISE "aten::_conv_depthwise2d"

/* What stays of a match that good kernels would do in floor_ns. */
static double above(double floor_ns, const struct match *m)
{
	return m->device_ns > 0 ? fmax(0, 1 - floor_ns / (double)m->device_ns) : 0;
}

static double bytes_ns(const struct facts *s, double bytes)
{
	return bytes / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

static double bytes_of_input(const struct inputs *x, int i)
{
	return (double)elements_of(x, i) * (i < x->n ? x->in[i].bytes : 0);
}

/* ---- attention ---- */

/* Queries [.., length, size] and keys of as many heads: two products. */
static double attention_flop(const struct inputs *x)
{
	if (!x || x->n < 2 || x->in[0].rank < 2 || x->in[1].rank < 2)
		return 0;
	const struct operand *q = &x->in[0], *k = &x->in[1];
	return 4.0 * (double)elements_of(x, 0) * (double)k->dim[k->rank - 2] *
		(q->dim[q->rank - 1] > 0 ? 1 : 0);
}

/* What the fused kernel takes at a good share of the rate. Where that is not known, the products
 * stay as they are: it has to multiply as much, and nothing else goes through memory (Dao et al.,
 * arXiv 2205.14135). */
static double math_attention_goes(const struct facts *s, const struct match *m)
{
	double flop = attention_flop(inputs_of(s->a, m->row));
	if (!s->chip || flop <= 0)
		return above((double)m->products_ns, m);
	return above(flop / (CHIP_REACHED * s->chip->half) * 1e9, m);
}

/* huggingface/transformers#48163: on Hopper cuDNN's attention is 1.7 to 2.3 times as fast as the
 * flash attention that PyTorch brings along, in training; on Ampere it is not. On an H100 the
 * forward kernel alone is 1.84 times as fast at 2048 tokens, 1.98 at 8192. */
enum { HOPPER = 90, LONG_ENOUGH = 512, LONG_FORWARD = 2048 };

static bool is_slower_attention(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	const struct inputs *x = inputs_of(s->a, row);
	if (strncmp(row_name(s, row), "aten::_flash", 12) != 0)
		return false;
	bool half = x && x->in[0].half && x->in[0].rank == 4;
	int64_t least = s->backward ? LONG_ENOUGH : LONG_FORWARD;
	return chip_architecture(s->t) == HOPPER && half &&
		(x->in[0].dim[1] >= least || x->in[0].dim[2] >= least) && x->in[0].dim[3] <= 128;
}

static double slower_attention_goes(const struct facts *s, const struct match *m)
{
	(void)s;
	(void)m;
	return 1 - 1 / 1.7;
}

/* Of the inputs of attention the mask's is behind queries, keys and values; backward the gradient
 * is in front, and for cuDNN what forward gave between. */
static int mask_of(const struct facts *s, uint32_t row)
{
	bool backward = strstr(row_name(s, row), "_backward") != NULL;
	return !backward ? 3 : strstr(row_name(s, row), "cudnn") ? 8 : 4;
}

/* A mask of all queries by all keys, one for all of the batch. */
static bool has_dense_mask(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { SMALL = 32 };
	int at = mask_of(s, row);
	const struct inputs *x = inputs_of(s->a, row);
	(void)m;
	if (!x || x->n <= at)
		return false;
	const struct operand *mask = &x->in[at], *query = &x->in[at > 3];
	if (mask->rank < 2 || query->rank != 4)
		return false;
	int64_t rows = mask->dim[mask->rank - 2];
	return rows >= SMALL && rows == mask->dim[mask->rank - 1] && rows == query->dim[2] &&
		(mask->expanded || elements_of(x, at) == rows * rows);
}

/* Of a square half lies below the diagonal. */
static double dense_mask_goes(const struct facts *s, const struct match *m)
{
	(void)s;
	(void)m;
	return 0.5;
}

/* ---- products ---- */

/* The columns of the bias are as many as the product's, and so are its rows: it is added by a copy
 * of it, which the product then reads. */
static bool has_full_bias(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->n >= 3 && x->in[0].rank == 2 && x->in[1].rank == 2 && !x->in[0].expanded &&
		x->in[0].dim[0] > 1 && x->in[0].dim[0] == x->in[1].dim[0];
}

static double full_bias_goes(const struct facts *s, const struct match *m)
{
	const struct inputs *x = inputs_of(s->a, m->row);
	double passes = 3 * bytes_of_input(x, 0); /* read and written by the copy, and read again */
	return s->chip && m->device_ns > 0 ? fmin(1, bytes_ns(s, passes) / (double)m->device_ns)
					   : 0;
}

/* A batch in which one operand is one matrix, repeated. baddbmm has what it adds in front. */
static bool shares_operand(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { MANY = 8 };
	(void)m;
	const struct inputs *x = inputs_of(s->a, row);
	int at = is_named(s, row, "aten::baddbmm");
	int64_t stride[MOST_DIMS];
	if (!x || x->n < at + 2 || x->in[at].rank != 3 || x->in[at + 1].rank != 3 ||
		x->in[at].expanded == x->in[at + 1].expanded || x->in[at].dim[0] < MANY)
		return false;
	/* the gradient of a sum is one number, repeated, and no matrix */
	return x->in[at + 1].expanded ||
		(!at && first_strides(s->t, row, stride, MOST_DIMS) == 3 &&
			(stride[1] || stride[2]));
}

static double shared_operand_goes(const struct facts *s, const struct match *m)
{
	struct product p;
	if (!s->chip || !product_of(s->a, m->row, &p))
		return 0;
	struct product one = p;
	bool first = inputs_of(s->a, m->row)->in[is_named(s, m->row, "aten::baddbmm")].expanded;
	*(first ? &one.n : &one.m) *= p.batch;
	one.batch = 1;
	double ns = fmax(product_arithmetic_ns(s->chip, &one), product_memory_ns(s->chip, &one));
	return above(ns, m);
}

/* Rows and columns of a matrix, or of each of a batch; of a vector it is one column. */
static bool sizes_of_matrix(const struct operand *x, double *rows, double *columns)
{
	if (x->rank < 1)
		return false;
	*rows = (double)x->dim[x->rank > 1 ? x->rank - 2 : 0];
	*columns = x->rank > 1 ? (double)x->dim[x->rank - 1] : 1;
	return *rows > 0 && *columns > 0;
}

static double matrices_in(const struct operand *x)
{
	double n = 1;
	for (int i = 0; i + 2 < x->rank; i++)
		n *= (double)x->dim[i];
	return n;
}

/* A matrix each, or as many in each batch. */
static bool are_batches_alike(const struct inputs *one, const struct inputs *two)
{
	double n = matrices_in(&one->in[0]);
	return matrices_in(&one->in[1]) == n && matrices_in(&two->in[0]) == n &&
		matrices_in(&two->in[1]) == n;
}

/* A B, and next (A B) C where A (B C) has far less to multiply, or C (A B) where (C A) B has. */
static bool is_far_less(const struct inputs *one, const struct inputs *two)
{
	double m, k, n, rows, columns, of_k, first_m, first_n;
	if (one->n < 2 || two->n < 2 || !are_batches_alike(one, two) ||
		!sizes_of_matrix(&one->in[0], &m, &k) || !sizes_of_matrix(&one->in[1], &of_k, &n) ||
		of_k != k || !sizes_of_matrix(&two->in[0], &first_m, &first_n) ||
		!sizes_of_matrix(&two->in[1], &rows, &columns))
		return false;
	if (first_m == m && first_n == n && rows == n)
		return k * n * columns + m * k * columns < 0.5 * (m * k * n + m * n * columns);
	bool second = rows == m && columns == n && first_n == m;
	return second && first_m * m * k + first_m * k * n < 0.5 * (m * k * n + first_m * m * n);
}

/* The next operator but a factor for all, and what only shows. */
static uint32_t next_but_scaling(const struct facts *s, uint32_t row)
{
	enum { BETWEEN = 3 };
	row = next_operator(s, row);
	for (int i = 0; i < BETWEEN && row != NO_ROW; i++, row = next_operator(s, row)) {
		const struct inputs *x = inputs_of(s->a, row);
		bool scales = (is_named(s, row, "aten::mul") || is_named(s, row, "aten::div")) &&
			x && elements_of(x, 1) <= 1;
		if (!scales && launches_inside(s, row, 0, true))
			break;
	}
	return row;
}

/* A square matrix gives what looks like what it takes: the next may be a product with that. */
static bool is_square(const struct inputs *x)
{
	const struct operand *by = &x->in[1];
	return by->rank > 1 && by->dim[by->rank - 1] == by->dim[by->rank - 2];
}

static bool is_in_wrong_order(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	const struct inputs *one = inputs_of(s->a, row);
	uint32_t next = one && one->n > 1 && is_square(one) ? next_operator(s, row)
							    : next_but_scaling(s, row);
	const struct inputs *two = next == NO_ROW ? NULL : inputs_of(s->a, next);
	return one && two && s->t->name[next] == s->t->name[row] && is_far_less(one, two);
}

/* ---- convolutions ---- */

#define BACKWARD "autograd::engine::evaluate_function: "
#define CAST_BACK BACKWARD "ToCopyBackward0"
#define ACCUMULATES BACKWARD "torch::autograd::AccumulateGrad"
#define CONVOLVES_BACK BACKWARD "ConvolutionBackward0"

/* The outermost operator around a row that convolves, by whatever number of dimensions. */
static uint32_t convolution_around(const struct facts *s, uint32_t row)
{
	enum { DEEP = 8 };
	uint32_t found = NO_ROW;
	for (int i = 0; i < DEEP && row != NO_ROW; i++, row = s->t->parent[row])
		if (s->t->kind[row] == EVENT_OP && !strncmp(row_name(s, row), "aten::conv", 10))
			found = row;
	return found;
}

static bool is_norm_of_channels(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::batch_norm") || is_named(s, row, "aten::instance_norm");
}

/* What stands between a convolution and its norm counts batches. */
static bool is_normed_next(const struct facts *s, uint32_t conv)
{
	uint32_t next = next_operator(s, conv);
	for (int i = 0; i < 2 && next != NO_ROW; i++, next = next_operator(s, next)) {
		if (is_norm_of_channels(s, next))
			return true;
		if (!is_named(s, next, "aten::add_") && !is_named(s, next, "aten::add"))
			return false;
	}
	return false;
}

/* Right in a row, or in what it begins with, is something done to a vector. */
static bool is_of_vector(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->n >= 1 && x->in[0].rank == 1;
}

/* The gradient of a vector, behind those of a convolution: a bias has one. */
static bool is_gradient_of_bias(const struct facts *s, uint32_t row)
{
	enum { BETWEEN = 3 };
	if (row + 1 >= s->t->n || !is_of_vector(s, row + 1))
		return false;
	uint32_t before = operator_before(s, row);
	for (int i = 0;
		i < BETWEEN && (is_named(s, before, CAST_BACK) || is_named(s, before, ACCUMULATES));
		i++)
		before = operator_before(s, before);
	return is_named(s, before, CONVOLVES_BACK);
}

/* Forward the bias is cast and added; backward its gradient is a sum over everything else, which
 * is cast and kept. */
static bool is_useless_bias(const struct facts *s, const struct matches *m, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	bool backward =
		is_named(s, up, "aten::convolution_backward") && is_named(s, row, "aten::sum");
	if (backward || is_named(s, row, CAST_BACK) || is_named(s, row, ACCUMULATES))
		return matched_so_far(m, "conv-bias") > 0 &&
			(backward || is_gradient_of_bias(s, row));
	uint32_t conv = convolution_around(s, up);
	if (conv == NO_ROW || (!is_named(s, up, "aten::_convolution") && !is_of_vector(s, row)))
		return false;
	return is_normed_next(s, conv);
}

/* Noughts around an image, as many at both ends of each dimension, and a convolution behind it. */
static bool is_padding(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { SIDES = 6 };
	int64_t at[SIDES];
	uint32_t up = s->t->parent[row];
	bool inside = up != NO_ROW && is_named(s, up, "aten::pad");
	uint32_t next = next_operator(s, inside ? up : row);
	int n = concrete_numbers(s->t, row, 1, at, SIDES);
	(void)m;
	for (int i = 0; i + 1 < n; i += 2)
		if (at[i] != at[i + 1] || at[i] < 0)
			return false;
	return n > 0 && next != NO_ROW && !strncmp(row_name(s, next), "aten::conv", 10);
}

/* By its operator, or by the kernels that compute gradients. */
static bool runs_torchs_depthwise(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (is_named(s, i, TORCHS_DEPTHWISE) ||
			(event_is_call(t->kind[i]) && t->launch[i] != NO_ROW &&
				strstr(row_name(s, t->launch[i]), "::conv_depthwise2d_")))
			return true;
	return false;
}

/* Do the weights, of one group for each channel: [channels, 1, ..], belong to images whose channels
 * come first? Of a gradient those are behind it; cuDNN's kernels for them do not tell. */
static bool is_depthwise(const struct facts *s, const struct matches *m, uint32_t row)
{
	int64_t stride[MOST_DIMS];
	(void)m;
	const struct inputs *x = inputs_of(s->a, row);
	int at = is_named(s, row, "aten::convolution_backward");
	bool is = x && x->n >= at + 2 && x->in[at].rank == 4 && x->in[at + 1].rank == 4 &&
		x->in[at + 1].dim[1] == 1 && x->in[at + 1].dim[0] >= 8 &&
		x->in[at + 1].dim[0] == x->in[at].dim[1];
	if (!is || runs_torchs_depthwise(s, row))
		return is;
	return !at && first_strides(s->t, row, stride, MOST_DIMS) == 4 && stride[1] != 1;
}

/* The bytes of input and output, once each; of kernels of k by k elements no good kernel was seen
 * that takes less than a third of the time of PyTorch's own, or half of that of cuDNN's for
 * channels that come first. */
static double depthwise_goes(const struct facts *s, const struct match *m)
{
	const struct inputs *x = inputs_of(s->a, m->row);
	double most = runs_torchs_depthwise(s, m->row) ? 2.0 / 3 : 0.5;
	return s->chip ? fmin(most, above(bytes_ns(s, 2 * bytes_of_input(x, 0)), m)) : 0;
}

/* im2col; or a copy of windows that overlap, as Tensor.unfold shows them. */
static bool is_unfolded(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LARGE = 1 << 18, TIMES = 2 };
	int64_t stride[MOST_DIMS], span = 1;
	const struct inputs *x = inputs_of(s->a, row);
	(void)m;
	if (!is_named(s, row, "aten::clone"))
		return true;
	if (!x || elements_of(x, 0) < LARGE ||
		first_strides(s->t, row, stride, MOST_DIMS) != x->in[0].rank)
		return false;
	for (int i = 0; i < x->in[0].rank; i++) {
		if (stride[i] <= 0 && x->in[0].dim[i] > 1)
			return false;
		span += (x->in[0].dim[i] - 1) * stride[i];
	}
	return elements_of(x, 0) >= TIMES * span;
}

static const struct rule rows[] = {
	{PATTERN("math-attention", 1,
		 {.op = {MATH_ATTENTION}, .goes = math_attention_goes, .backward = true}),
		.of_kernels = true,
		.covers = {"attention", "fusion", "precision", "half", "rewrites", "graphs",
			"same-again", "in-place"}},
	{PATTERN("slower-attention", 1,
		 {.op = {"aten::_flash_attention_forward", "aten::_flash_attention_backward"},
			 .is = is_slower_attention,
			 .goes = slower_attention_goes}),
		.of_kernels = true},
	{PATTERN("dense-mask", 1,
		 {.op = {"aten::_scaled_dot_product_efficient_attention*",
			  "aten::_scaled_dot_product_cudnn_attention*"},
			 .is = has_dense_mask,
			 .goes = dense_mask_goes}),
		.of_kernels = true},
	{PATTERN("full-bias", 1,
		 {.op = {"aten::addmm"}, .is = has_full_bias, .goes = full_bias_goes}),
		.of_kernels = true},
	{PATTERN("shared-operand", 1,
		 {.op = {"aten::bmm", "aten::baddbmm"},
			 .is = shares_operand,
			 .goes = shared_operand_goes,
			 .backward = true}),
		.of_kernels = true},
	{PATTERN("order-of-products", 1,
		 {.op = {"aten::matmul", "aten::mm", "aten::bmm"},
			 .not_under = {"aten::matmul", "autograd::engine::evaluate_function*"},
			 .is = is_in_wrong_order,
			 .backward = true}),
		.of_kernels = true},
	{PATTERN("conv-bias", 2,
		 {.op = {"aten::add_", "aten::sum", "aten::to", CAST_BACK, ACCUMULATES},
			 .is = is_useless_bias}),
		.of_kernels = true},
	{PATTERN("conv-padding", 1,
		 {.op = {"aten::constant_pad_nd"},
			 .not_under = {"aten::conv*", "autograd::engine::evaluate_function*"},
			 .is = is_padding,
			 .backward = true}),
		.of_kernels = true, .covers = {"zero-fill"}},
	{PATTERN("depthwise", 1,
		 {.op = {TORCHS_DEPTHWISE, "aten::cudnn_convolution", "aten::convolution_backward"},
			 .is = is_depthwise,
			 .goes = depthwise_goes,
			 .more = plan_strided_norms}),
		.of_kernels = true, .covers = {"channels-last"}},
	{PATTERN("unfold", 1,
		 {.op = {"aten::im2col", "aten::col2im", "aten::clone"}, .is = is_unfolded}),
		.of_kernels = true, .covers = {"rewrites"}},
};

const struct rule_list pattern_device_rows = RULE_LIST(rows);

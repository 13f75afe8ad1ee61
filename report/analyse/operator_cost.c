/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/operator_cost.h"
#include "base/min_max.h"

#include <math.h>
#include <string.h>

static const double UNKNOWN = NAN;

/* ---- inputs ---- */

static double elements(const struct inputs *x, int i)
{
	return (double)elements_of(x, i);
}

/* Of an input that is read whole; what it repeats is read from caches. */
static double input_bytes(const struct inputs *x, int i)
{
	return x->in[i].expanded ? 0 : elements(x, i) * x->in[i].bytes;
}

static double all_bytes(const struct inputs *x)
{
	double sum = 0;
	for (int i = 0; i < x->n; i++)
		sum += input_bytes(x, i);
	return sum;
}

/* Of the shape that all inputs are broadcast to, 0 without one. */
static double broadcast_elements(const struct inputs *x)
{
	int64_t dim[MOST_DIMS] = {0};
	double n = 0;
	for (int i = 0; i < x->n; i++)
		for (int d = 0; d < x->in[i].rank; d++) {
			int64_t *to = &dim[x->in[i].rank - 1 - d];
			*to = max64(x->in[i].dim[d], *to);
		}
	for (int d = 0; d < MOST_DIMS && dim[d]; d++)
		n = (n > 0 ? n : 1) * (double)dim[d];
	return n;
}

static int first_type(const struct inputs *x)
{
	for (int i = 0; i < x->n; i++)
		if (x->in[i].rank > 0 && x->in[i].bytes)
			return x->in[i].bytes;
	return 0;
}

/* ---- convolutions ---- */

static bool is_convolution(const char *name)
{
	return strstr(name, "conv") && !strstr(name, "convert") &&
		!strstr(name, "::_conv_depthwise");
}

/* Places of the arguments of a convolution: the output's shape follows from them. */
struct convolution_form {
	const char *name;
	int stride, padding, dilation, transposed; /* -1: never */
};

static const struct convolution_form convolutions[] = {
	{"aten::conv1d", 3, 4, 5, -1},
	{"aten::conv2d", 3, 4, 5, -1},
	{"aten::conv3d", 3, 4, 5, -1},
	{"aten::convolution", 3, 4, 5, 6},
	{"aten::_convolution", 3, 4, 5, 6},
	{"aten::cudnn_convolution", 3, 2, 4, -1},
	{"aten::mkldnn_convolution", 4, 3, 5, -1},
	{"aten::miopen_convolution", 4, 3, 5, -1},
};

static const struct convolution_form *convolution_form(const char *name)
{
	for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
		if (!strcmp(convolutions[i].name, name))
			return &convolutions[i];
	return NULL;
}

/* One value for each dimension; one alone holds for all. */
static bool numbers_of(
	const struct trace *t, uint32_t row, int which, int n, int64_t number[MOST_DIMS])
{
	int got = concrete_numbers(t, row, which, number, MOST_DIMS);
	for (int d = got; got == 1 && d < n; d++)
		number[d] = number[0];
	return got == n || got == 1;
}

/* Elements of the output of one image and channel, 0 when not known. */
static double output_size(const struct trace *t, uint32_t row, const struct convolution_form *f,
	const struct inputs *x)
{
	int n = x->in[0].rank - 2;
	int64_t stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS];
	if (!numbers_of(t, row, f->stride, n, stride) ||
		!numbers_of(t, row, f->padding, n, padding) ||
		!numbers_of(t, row, f->dilation, n, dilation))
		return 0;
	double size = 1;
	for (int d = 0; d < n; d++) {
		int64_t in = x->in[0].dim[d + 2], filter = x->in[1].dim[d + 2];
		if (stride[d] < 1)
			return 0;
		int64_t out =
			(in + 2 * padding[d] - dilation[d] * (filter - 1) - 1) / stride[d] + 1;
		size *= (double)max64(out, 0);
	}
	return size;
}

/* The same of a transposed one, whose input is what an ordinary one would put out. */
static double transposed_size(const struct trace *t, uint32_t row, const struct convolution_form *f,
	const struct inputs *x)
{
	int n = x->in[0].rank - 2;
	int64_t stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS], more[MOST_DIMS];
	if (!numbers_of(t, row, f->stride, n, stride) ||
		!numbers_of(t, row, f->padding, n, padding) ||
		!numbers_of(t, row, f->dilation, n, dilation) ||
		!numbers_of(t, row, f->transposed + 1, n, more))
		return 0;
	double size = 1;
	for (int d = 0; d < n; d++) {
		int64_t out = (x->in[0].dim[d + 2] - 1) * stride[d] - 2 * padding[d] +
			dilation[d] * (x->in[1].dim[d + 2] - 1) + more[d] + 1;
		size *= (double)max64(out, 0);
	}
	return size;
}

/* Filters are (in, out of a group, ...), and each element of the input meets all of its own. */
static void cost_transposed(struct cost *c, const struct trace *t, uint32_t row,
	const struct convolution_form *f, const struct inputs *x)
{
	const int64_t *in = x->in[0].dim;
	int64_t groups = 1;
	double out = transposed_size(t, row, f, x) * (double)in[0];
	if (out <= 0 || !concrete_numbers(t, row, f->transposed + 2, &groups, 1) || in[1] <= 0)
		return;
	c->flop = 2 * elements(x, 0) / (double)in[1] * elements(x, 1);
	c->bytes = input_bytes(x, 0) + input_bytes(x, 1) +
		out * (double)x->in[1].dim[1] * (double)groups * c->element_bytes;
}

static void cost_forward(struct cost *c, const struct trace *t, uint32_t row,
	const struct convolution_form *f, const struct inputs *x)
{
	int rank = x->in[0].rank;
	if (x->n < 2 || rank < 3 || x->in[1].rank != rank || !c->element_bytes)
		return;
	if (f->transposed >= 0 && concrete_is(t, row, f->transposed, "True")) {
		cost_transposed(c, t, row, f, x);
		return;
	}
	double out = output_size(t, row, f, x) * (double)x->in[0].dim[0];
	if (out <= 0)
		return;
	c->flop = 2 * out * elements(x, 1);
	c->bytes = input_bytes(x, 0) + input_bytes(x, 1) +
		out * (double)x->in[1].dim[0] * c->element_bytes;
}

/* (grad_output, input, weight, ..., output_mask): each gradient costs what the forward pass did. */
static void cost_backward(
	struct cost *c, const struct trace *t, uint32_t row, const struct inputs *x)
{
	if (x->n < 3 || x->in[0].rank < 3 || x->in[2].rank != x->in[0].rank || !c->element_bytes)
		return;
	double out = elements(x, 0) / (double)(x->in[0].dim[1] ? x->in[0].dim[1] : 1);
	const char *concrete = names_text(&t->names, t->inputs[t->side[row]].concrete);
	bool first = strstr(concrete, "[False, True") != NULL; /* no gradient of the input */
	c->flop = 2 * out * elements(x, 2) * (first ? 1 : 2);
	c->bytes = input_bytes(x, 0) + (first ? 1 : 2) * input_bytes(x, 1) + 2 * input_bytes(x, 2);
}

/* ---- attention ---- */

static bool is_attention(const char *name)
{
	return strstr(name, "attention") || strstr(name, "flash_attn");
}

/* Query, key and value are b h s d, or b s h d where flash and efficient attention begin. */
static void cost_attention(struct cost *c, const char *name, const struct inputs *x)
{
	bool backward = strstr(name, "backward") || strstr(name, "_bwd");
	int q = backward ? 1 : 0;
	if (x->n < q + 3 || !c->element_bytes)
		return;
	for (int i = q; i < q + 3; i++)
		if (x->in[i].rank != 4)
			return;
	bool turned = strstr(name, "::_flash_attention") ||
		strstr(name, "::_efficient_attention") || strstr(name, "flash_attn::");
	int s = turned ? 1 : 2, h = turned ? 2 : 1;
	const int64_t *query = x->in[q].dim, *key = x->in[q + 1].dim, *value = x->in[q + 2].dim;
	double square = (double)query[0] * (double)query[h] * (double)query[s] * (double)key[s];
	double deep = (double)query[3], wide = (double)value[3];
	c->flop = 2 * square * (backward ? 3 * deep + 2 * wide : deep + wide);
	double three = input_bytes(x, q) + input_bytes(x, q + 1) + input_bytes(x, q + 2);
	double out =
		(double)query[0] * (double)query[h] * (double)query[s] * wide * c->element_bytes;
	c->bytes = backward ? 2 * three + 2 * out : three + out;
}

/* ---- experts ---- */

static bool is_experts(const char *name)
{
	return strstr(name, "fused_moe") || strstr(name, "fused_experts");
}

/* (tokens, first weights of all experts, second ones, ..., experts of each token): each token is
 * multiplied by both matrices of each of its experts. At least as many experts are read as one
 * token has, at most all. */
static void cost_experts(struct cost *c, const struct inputs *x)
{
	const struct operand *tokens = &x->in[0], *up = &x->in[1], *down = &x->in[2];
	if (x->n < 4 || tokens->rank != 2 || up->rank != 3 || down->rank != 3 ||
		up->dim[0] != down->dim[0] || !c->element_bytes || !up->bytes)
		return;
	const struct operand *routes = NULL;
	for (int i = 3; i < x->n && !routes; i++)
		if (x->in[i].rank == 2 && x->in[i].dim[0] == tokens->dim[0])
			routes = &x->in[i];
	if (!routes || up->dim[0] <= 0)
		return;
	double asked = (double)routes->dim[0] * (double)routes->dim[1],
	       experts = (double)up->dim[0];
	double one = (elements(x, 1) + elements(x, 2)) / experts;
	double around = 2 * elements(x, 0) * c->element_bytes;
	c->flop = 2 * asked * one;
	c->bytes = around + fmin((double)routes->dim[1], experts) * one * up->bytes;
	c->most_bytes = around + fmin(asked, experts) * one * up->bytes;
}

/* ---- element-wise ---- */

/* What an operator does with its tensors. */
enum traffic {
	TRAFFIC_NONE, /* not known */
	TRAFFIC_MAP, /* reads all inputs, writes a result of the shape that they are broadcast to */
	TRAFFIC_REDUCE, /* reads all, writes little */
	TRAFFIC_COPY, /* writes its first input, reads the others */
	TRAFFIC_FILL, /* writes its first input */
	TRAFFIC_ALL /* each input is read or written once: a fused kernel has its results among
		       them */
};

#define DOES(traffic, name) \
	{ \
		name, sizeof(name) - 1, traffic \
	}
#define MAP(name) DOES(TRAFFIC_MAP, name)
#define REDUCE(name) DOES(TRAFFIC_REDUCE, name)

/* Operators of aten by their names without what stands behind: "_" is for one in place. */
static const struct {
	const char *name;
	size_t length;
	enum traffic traffic;
} does[] = {MAP("add"), MAP("sub"), MAP("rsub"), MAP("mul"), MAP("div"), MAP("neg"), MAP("abs"),
	MAP("exp"), MAP("exp2"), MAP("log"), MAP("log2"), MAP("log1p"), MAP("expm1"), MAP("sqrt"),
	MAP("rsqrt"), MAP("pow"), MAP("relu"), MAP("gelu"), MAP("silu"), MAP("mish"), MAP("elu"),
	MAP("sigmoid"), MAP("tanh"), MAP("sin"), MAP("cos"), MAP("erf"), MAP("floor"), MAP("ceil"),
	MAP("round"), MAP("reciprocal"), MAP("square"), MAP("sign"), MAP("leaky_relu"),
	MAP("hardtanh"), MAP("hardswish"), MAP("hardsigmoid"), MAP("softplus"), MAP("clamp"),
	MAP("clamp_min"), MAP("clamp_max"), MAP("where"), MAP("eq"), MAP("ne"), MAP("lt"),
	MAP("gt"), MAP("le"), MAP("ge"), MAP("logical_and"), MAP("logical_or"), MAP("logical_not"),
	MAP("bitwise_and"), MAP("bitwise_or"), MAP("bitwise_not"), MAP("masked_fill"),
	MAP("threshold"), MAP("threshold_backward"), MAP("gelu_backward"), MAP("silu_backward"),
	MAP("sigmoid_backward"), MAP("tanh_backward"), MAP("hardtanh_backward"), MAP("addcmul"),
	MAP("addcdiv"), MAP("lerp"), MAP("maximum"), MAP("minimum"), MAP("fmod"), MAP("remainder"),
	MAP("_softmax"), MAP("_log_softmax"), MAP("_softmax_backward_data"),
	MAP("_log_softmax_backward_data"), MAP("clone"), MAP("native_layer_norm"),
	MAP("native_batch_norm"), MAP("cudnn_batch_norm"), MAP("isnan"), MAP("isfinite"),
	REDUCE("sum"), REDUCE("mean"), REDUCE("amax"), REDUCE("amin"), REDUCE("argmax"),
	REDUCE("norm"), REDUCE("all"), REDUCE("any"), REDUCE("var"), REDUCE("std"), REDUCE("prod"),
	DOES(TRAFFIC_COPY, "copy"), DOES(TRAFFIC_FILL, "fill"), DOES(TRAFFIC_FILL, "zero")};

static enum traffic traffic_of(const char *name, bool *in_place)
{
	if (!strncmp(name, "triton_", 7))
		return TRAFFIC_ALL;
	const char *base = strstr(name, "::");
	if (!base || strncmp(name, "aten", 4) != 0)
		return TRAFFIC_NONE;
	base += 2;
	size_t n = strlen(base);
	*in_place = n && base[n - 1] == '_';
	n -= *in_place;
	for (size_t i = 0; i < sizeof does / sizeof *does; i++)
		if (does[i].length == n && !memcmp(does[i].name, base, n))
			return does[i].traffic;
	return TRAFFIC_NONE;
}

static void cost_pointwise(struct cost *c, const char *name, const struct inputs *x)
{
	bool in_place = false, typed = true;
	enum traffic traffic = traffic_of(name, &in_place);
	double result = in_place ? elements(x, 0) : broadcast_elements(x);
	for (int i = 0; i < x->n; i++)
		typed &= x->in[i].rank < 1 || x->in[i].bytes;
	if (traffic == TRAFFIC_NONE || !typed || !c->element_bytes || result <= 0)
		return;
	c->work = WORK_POINTWISE;
	c->bytes = traffic == TRAFFIC_FILL ? result * x->in[0].bytes : all_bytes(x);
	if (traffic == TRAFFIC_MAP) {
		c->bytes += result * c->element_bytes;
		c->flop = result;
	}
}

/* ---- all ---- */

static void cost_product(struct cost *c, const struct product *p, const struct inputs *x)
{
	c->work = WORK_GEMM;
	c->flop = p->flop;
	c->element_bytes = p->element_bytes;
	if (p->element_bytes)
		c->bytes = all_bytes(x) +
			(double)p->batch * (double)p->m * (double)p->n * p->element_bytes;
}

struct cost cost_of(const struct analysis *a, uint32_t op_row)
{
	const struct trace *t = a->trace;
	struct cost c = {.flop = UNKNOWN, .bytes = UNKNOWN, .most_bytes = UNKNOWN};
	struct product p;
	if (op_row == NO_ROW)
		return c;
	const char *name = names_text(&t->names, t->name[op_row]);
	const struct inputs *x = inputs_of(a, op_row);
	c.element_bytes = x ? first_type(x) : 0;
	const struct convolution_form *f = convolution_form(name);
	if (x && product_of(a, op_row, &p)) {
		cost_product(&c, &p, x);
	} else if (is_convolution(name)) {
		c.work = WORK_CONVOLUTION;
		if (x && f)
			cost_forward(&c, t, op_row, f, x);
		else if (x && !strcmp(name, "aten::convolution_backward"))
			cost_backward(&c, t, op_row, x);
	} else if (is_experts(name)) {
		c.work = WORK_GEMM;
		if (x)
			cost_experts(&c, x);
	} else if (is_attention(name)) {
		c.work = WORK_ATTENTION;
		if (x)
			cost_attention(&c, name, x);
	} else if (x) {
		cost_pointwise(&c, name, x);
	}
	c.most_bytes = isnan(c.most_bytes) ? c.bytes : c.most_bytes;
	return c;
}

double cost_rate(const struct chip *chip, const struct cost *c, enum work_kind work, bool plain)
{
	if (!chip || c->element_bytes > 4 || c->element_bytes < 2)
		return UNKNOWN;
	if (work == WORK_POINTWISE)
		return chip->fp32;
	if (c->element_bytes == 2)
		return chip->half;
	return !plain && chip->tf32 > 0 ? chip->tf32 : chip->fp32;
}

static double pytorch_convolution(const struct trace *t, uint32_t row, const struct inputs *x)
{
	if (x->n < 2 || x->in[0].rank != 4 || x->in[1].rank != 4)
		return 0;
	double out = output_size(t, row, convolution_form("aten::conv2d"), x);
	return 2 * (double)x->in[0].dim[0] * out * elements(x, 1);
}

/* What PyTorch has a formula for. */
enum formula { FORMULA_UNASKED, FORMULA_NONE, FORMULA_PRODUCT, FORMULA_CONVOLUTION, FORMULA_FIRST };

static enum formula formula_of(const char *name)
{
	static const struct {
		const char *name;
		enum formula formula;
	} known[] = {
		{"aten::mm", FORMULA_PRODUCT},
		{"aten::addmm", FORMULA_PRODUCT},
		{"aten::bmm", FORMULA_PRODUCT},
		{"aten::baddbmm", FORMULA_PRODUCT},
		{"aten::conv2d", FORMULA_CONVOLUTION},
		{"aten::add", FORMULA_FIRST},
		{"aten::mul", FORMULA_FIRST},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i].name))
			return known[i].formula;
	return FORMULA_NONE;
}

double pytorch_flop(const struct analysis *a, uint8_t *asked, uint32_t op_row)
{
	const struct trace *t = a->trace;
	if (t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return 0;
	uint8_t *formula = &asked[t->name[op_row]];
	if (*formula == FORMULA_UNASKED)
		*formula = (uint8_t)formula_of(names_text(&t->names, t->name[op_row]));
	struct product p;
	if (*formula == FORMULA_PRODUCT)
		return product_of(a, op_row, &p) ? p.flop : 0;
	const struct inputs *x = *formula == FORMULA_NONE ? NULL : inputs_of(a, op_row);
	if (!x)
		return 0;
	if (*formula == FORMULA_CONVOLUTION)
		return pytorch_convolution(t, op_row, x);
	return x->in[0].rank ? elements(x, 0) : x->in[0].bytes > 0; /* a scalar is one element */
}

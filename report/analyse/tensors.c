/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/tensors.h"

#include <stdlib.h>
#include <string.h>

static int bytes_of_type(const char *name, size_t length)
{
	static const struct {
		const char *name;
		int bytes;
	} types[] = {
		{"float", 4},
		{"c10::BFloat16", 2},
		{"c10::Half", 2},
		{"double", 8},
		{"long int", 8},
		{"long", 8},
		{"int", 4},
		{"unsigned char", 1},
		{"signed char", 1},
		{"bool", 1},
		{"c10::Float8_e4m3fn", 1},
		{"c10::Float8_e5m2", 1},
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
			return types[i].bytes;
	return 0;
}

/* One input from behind its '[' on; returns the place behind its ']'. Lists of tensors, which nest,
 * are no tensor. */
static const char *parse_one(const char *c, struct tensors *x)
{
	int depth = 1, rank = 0;
	bool list = false;
	int64_t *dim = x->in[x->n].dim;
	while (*c && depth) {
		if (*c >= '0' && *c <= '9') {
			char *end;
			long long size = strtoll(c, &end, 10);
			list |= rank == MOST_DIMS || size > INT32_MAX;
			if (!list)
				dim[rank++] = size;
			c = end;
			continue;
		}
		depth += (*c == '[') - (*c == ']');
		list |= depth > 1;
		c++;
	}
	x->in[x->n++].rank = list ? 0 : rank;
	return c;
}

static void parse_dims(const char *c, struct tensors *x)
{
	for (c += *c == '['; *c && *c != ']' && x->n < MOST_TENSORS;) {
		if (*c == '[') {
			c = parse_one(c + 1, x);
		} else if (*c == '"') { /* eras that write scalars as texts */
			const char *end = strchr(c + 1, '"');
			c = end ? end + 1 : c + 1;
		} else {
			c++;
		}
	}
}

static void parse_types(const char *c, struct tensors *x)
{
	for (int i = 0; i < x->n && (c = strchr(c, '"')); i++) {
		const char *end = strchr(++c, '"');
		if (!end)
			return;
		x->in[i].bytes = bytes_of_type(c, (size_t)(end - c));
		c = end + 1;
	}
}

/* Strides have the form of shapes. */
static void parse_strides(const char *text, struct tensors *x)
{
	struct tensors strides = {0};
	parse_dims(text, &strides);
	for (int i = 0; i < x->n && i < strides.n; i++)
		for (int d = 0; d < x->in[i].rank && d < strides.in[i].rank; d++)
			x->in[i].expanded |= !strides.in[i].dim[d] && x->in[i].dim[d] > 1;
}

/* The text of an element of a list of texts: ["", "[2, 2]", "4"]. */
static const char *element_of(const char *c, int which)
{
	for (; (c = strchr(c, '"')); c++) {
		if (!which--)
			return c + 1;
		c = strchr(c + 1, '"');
		if (!c)
			return NULL;
	}
	return NULL;
}

int concrete_numbers(const struct trace *t, uint32_t op_row, int which, int64_t *number, int most)
{
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return 0;
	name_id id = t->inputs[t->side[op_row]].concrete;
	const char *c = element_of(names_text(&t->names, id), which);
	int n = 0;
	while (c && *c != '"' && *c && n < most) {
		char *end;
		long long v = strtoll(c, &end, 10);
		if (end == c || llabs(v) > INT32_MAX) {
			c++;
			continue;
		}
		number[n++] = v;
		c = end;
	}
	return n;
}

/* Shapes and types alone: the strides stay unknown. */
static bool shapes_of(const struct trace *t, uint32_t op_row, struct tensors *x)
{
	memset(x, 0, sizeof *x);
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return false;
	const struct op_inputs *recorded = &t->inputs[t->side[op_row]];
	parse_dims(names_text(&t->names, recorded->dims), x);
	parse_types(names_text(&t->names, recorded->types), x);
	return x->n > 0;
}

bool tensors_of(const struct trace *t, uint32_t op_row, struct tensors *x)
{
	if (!shapes_of(t, op_row, x))
		return false;
	parse_strides(names_text(&t->names, t->inputs[t->side[op_row]].strides), x);
	return true;
}

int64_t tensors_elements(const struct tensors *x, int i)
{
	int64_t n = i < x->n && x->in[i].rank > 0;
	for (int d = 0; i < x->n && d < x->in[i].rank; d++)
		if (__builtin_mul_overflow(n, x->in[i].dim[d], &n))
			return 0;
	return n;
}

/* Which operators multiply, and the place of the first operand. */
static int first_operand(const char *name)
{
	static const struct {
		const char *name;
		int at;
	} ops[] = {{"aten::mm", 0}, {"aten::bmm", 0}, {"aten::addmm", 1}, {"aten::baddbmm", 1},
		{"aten::linear", 0}, {"tb::mm", 0}, {"tb::addmm", 1}};
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (!strcmp(ops[i].name, name))
			return ops[i].at;
	return -1;
}

bool matmul_of(const struct trace *t, uint32_t op_row, struct matmul *p)
{
	struct tensors x;
	const char *name = op_row == NO_ROW ? "" : names_text(&t->names, t->name[op_row]);
	int at = first_operand(name);
	if (at < 0 || !shapes_of(t, op_row, &x) || at + 1 >= x.n || x.in[at].rank < 2 ||
		x.in[at + 1].rank < 2)
		return false;
	int ra = x.in[at].rank, rb = x.in[at + 1].rank;
	const int64_t *a = x.in[at].dim, *b = x.in[at + 1].dim;
	bool linear = strstr(name, "linear") != NULL, batched = ra == 3 && !linear;
	*p = (struct matmul){.batch = batched ? a[0] : 1,
		.m = a[ra - 2],
		.n = linear ? b[0] : b[rb - 1],
		.k = a[ra - 1],
		.bytes = x.in[at].bytes};
	for (int d = 0; linear && d < ra - 2; d++)
		p->m *= a[d];
	return p->m > 0 && p->n > 0 && p->k > 0 && p->batch > 0;
}

double matmul_flop(const struct matmul *p)
{
	return 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
}

double matmul_arithmetic_ns(const struct chip *chip, const struct matmul *p)
{
	double rate = p->bytes > 2 && chip->tf32 > 0 ? chip->tf32 : chip->half;
	return matmul_flop(p) / (CHIP_REACHED * rate) * 1e9;
}

double matmul_memory_ns(const struct chip *chip, const struct matmul *p)
{
	double elements = (double)p->batch *
		((double)p->m * (double)p->k + (double)p->k * (double)p->n +
			(double)p->m * (double)p->n);
	return elements * p->bytes / (MEMORY_REACHED * chip->memory) * 1e9;
}

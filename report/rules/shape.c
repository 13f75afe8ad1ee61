/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 16, MOST_RANK = 8 };

/* Inputs as the file writes them: [[64, 64], [], [64, 64]], ["float", "Scalar", "float"]. */
struct inputs {
	int n;
	int rank[MOST_INPUTS]; /* 0: a scalar, -1: a list of tensors or too many dimensions */
	int64_t size[MOST_INPUTS][MOST_RANK];
	int bytes[MOST_INPUTS]; /* of an element, 0 unknown */
	bool half[MOST_INPUTS];
};

/* One input from its '[' on; returns the place behind its ']' or where the text ends. */
static const char *parse_shape(const char *c, struct inputs *in, int i)
{
	int depth = 0;
	do {
		depth += (*c == '[') - (*c == ']');
		if (depth > 1)
			in->rank[i] = -1;
		if (*c < '0' || *c > '9') {
			c++;
			continue;
		}
		int64_t size = 0;
		for (; *c >= '0' && *c <= '9'; c++)
			size = size > INT32_MAX ? size : 10 * size + (*c - '0');
		if (in->rank[i] == MOST_RANK || size > INT32_MAX)
			in->rank[i] = -1;
		if (in->rank[i] >= 0)
			in->size[i][in->rank[i]++] = size;
	} while (*c && depth > 0);
	return c;
}

static void parse_shapes(const char *text, struct inputs *in)
{
	const char *c = strchr(text, '[');
	if (!c)
		return;
	for (c++; *c && *c != ']' && in->n < MOST_INPUTS;) {
		if (*c == '[')
			c = parse_shape(c, in, in->n++);
		else if (*c == '"' && strchr(c + 1, '"'))
			c = strchr(c + 1, '"') + 1;
		else
			c++;
	}
}

#define TYPE(name, bytes, half) \
	{ \
		name, sizeof(name) - 1, bytes, half \
	}

static const struct {
	const char *name;
	size_t length;
	int bytes;
	bool half;
} types[] = {
	TYPE("float", 4, false),
	TYPE("c10::BFloat16", 2, true),
	TYPE("c10::Half", 2, true),
	TYPE("double", 8, false),
	TYPE("long int", 8, false),
	TYPE("long", 8, false),
	TYPE("int", 4, false),
	TYPE("short int", 2, false),
	TYPE("short", 2, false),
	TYPE("unsigned char", 1, false),
	TYPE("signed char", 1, false),
	TYPE("bool", 1, false),
	TYPE("c10::Float8_e4m3fn", 1, true),
	TYPE("c10::Float8_e5m2", 1, true),
	TYPE("c10::complex<float>", 8, false),
};

static void parse_types(const char *text, struct inputs *in)
{
	const char *c = text;
	for (int i = 0; i < in->n && (c = strchr(c, '"')); i++) {
		const char *end = strchr(++c, '"');
		if (!end)
			return;
		size_t length = (size_t)(end - c);
		for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
			if (types[k].length != length || memcmp(c, types[k].name, length) != 0)
				continue;
			in->bytes[i] = types[k].bytes;
			in->half[i] = types[k].half;
			break;
		}
		c = end + 1;
	}
}

static bool inputs_of(const struct trace *t, uint32_t op_row, struct inputs *in)
{
	memset(in, 0, sizeof *in);
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return false;
	const struct op_inputs *recorded = &t->inputs[t->side[op_row]];
	parse_shapes(names_text(&t->names, recorded->dims), in);
	parse_types(names_text(&t->names, recorded->types), in);
	return in->n > 0;
}

/* More elements have no bytes that anybody could hold, nor sums of them that could overflow. */
static const int64_t MOST_ELEMENTS = 1ll << 50;

/* The product of the first `to` dimensions; 0 when no tensor is that large. */
static int64_t leading(const struct inputs *in, int i, int to)
{
	int64_t n = 1;
	for (int d = 0; d < to; d++)
		if (__builtin_mul_overflow(n, in->size[i][d], &n) || n > MOST_ELEMENTS)
			return 0;
	return n;
}

/* ---- what is worked out once for a text of shapes: operators with the same come in rows ---- */

/* What an operator is, as far as its shapes go. */
struct shape_key {
	name_id types, op; /* op: its name, 0 as a point-wise operator */
};

struct known_shape {
	struct shape_key key;
	uint32_t next; /* of the same shapes, index + 1 */
	bool usable;
	int64_t in, out; /* bytes of a point-wise operator */
	struct product product;
};

struct known_shapes {
	uint32_t *at; /* (names) index + 1 into shape, by the text of the shapes */
	struct known_shape *shape; /* (n) */
	uint32_t n, room;
};

struct known_shapes *known_shapes_of(struct arena *scratch)
{
	return arena_alloc(scratch, sizeof(struct known_shapes));
}

void known_shapes_release(struct known_shapes *k)
{
	if (k)
		free(k->shape);
}

static struct known_shape *add_shape(struct known_shapes *all, struct shape_key key)
{
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 64;
		all->shape = xrealloc(all->shape, all->room, sizeof *all->shape);
	}
	all->shape[all->n] = (struct known_shape){.key = key};
	return &all->shape[all->n++];
}

/* Lent until the next call; *is_new: nothing is worked out yet. NULL when the operator has no
 * recorded inputs. */
static struct known_shape *known_shape(
	const struct facts *x, uint32_t op_row, name_id op, bool *is_new)
{
	const struct trace *t = x->t;
	struct known_shapes *all = x->known;
	if (t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return NULL;
	const struct op_inputs *recorded = &t->inputs[t->side[op_row]];
	if (!all->at)
		all->at = arena_array(x->scratch, t->names.n, sizeof *all->at);
	uint32_t first = all->at[recorded->dims];
	for (uint32_t i = first; i; i = all->shape[i - 1].next) {
		struct known_shape *k = &all->shape[i - 1];
		*is_new = false;
		if (k->key.types == recorded->types && k->key.op == op)
			return k;
	}
	struct known_shape *k = add_shape(all, (struct shape_key){recorded->types, op});
	k->next = first;
	all->at[recorded->dims] = all->n;
	*is_new = true;
	return k;
}

/* ---- products ---- */

/* A and B of an operator: their places among the inputs. */
static bool factors_of(const struct inputs *in, enum role role, const char *name, int *a, int *b)
{
	bool added = role == ROLE_ADDMM || !strncmp(name, "aten::baddbmm", 13);
	*a = added ? 1 : 0;
	*b = *a + 1;
	return in->n > *b && in->rank[*a] >= 1 && in->rank[*b] >= 1;
}

/* matmul and linear fold every leading dimension of A into m when B is a plain matrix. */
static bool sizes_of(const struct inputs *in, int a, int b, bool transposed, struct product *p)
{
	int ra = in->rank[a], rb = in->rank[b];
	if (rb < 2 || ra < 2)
		return false;
	p->batch = rb > 2 ? leading(in, b, rb - 2) : 1;
	p->m = rb > 2 ? in->size[a][ra - 2] : leading(in, a, ra - 1);
	p->k = in->size[a][ra - 1];
	p->n = in->size[b][transposed ? rb - 2 : rb - 1];
	return in->size[b][transposed ? rb - 1 : rb - 2] == p->k;
}

bool product_of(const struct facts *x, uint32_t op_row, enum role role, struct product *p)
{
	const struct trace *t = x->t;
	struct inputs in;
	int a, b;
	*p = (struct product){0};
	if (!inputs_of(t, op_row, &in) ||
		!factors_of(&in, role, names_text(&t->names, t->name[op_row]), &a, &b) ||
		!sizes_of(&in, a, b, role == ROLE_LINEAR, p))
		return false;
	p->element_bytes = in.bytes[a];
	p->half = in.half[a];
	p->flop = 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
	return p->flop > 0;
}

void look_at_products(struct facts *x)
{
	for (size_t g = 0; g < x->gemms.n; g++) {
		uint32_t at = x->product[x->gemms.row[g]];
		struct product_op *op = at == NO_ROW ? NULL : &x->products[at];
		if (!op || op->gemms != 1 || op->shape)
			continue;
		bool is_new;
		struct known_shape *k = known_shape(x, op->row, x->t->name[op->row], &is_new);
		if (k && is_new)
			k->usable = product_of(x, op->row, (enum role)op->role, &k->product);
		if (k && k->usable)
			op->shape = (uint32_t)(k - x->known->shape) + 1;
	}
}

const struct product *product_of_event(const struct facts *x, size_t i)
{
	uint32_t op = x->product[i];
	uint32_t shape = op == NO_ROW ? 0 : x->products[op].shape;
	return shape ? &x->products_known->shape[shape - 1].product : NULL;
}

/* ---- point-wise ---- */

static bool count_bytes(const struct inputs *in, int64_t *in_bytes, int64_t *out_bytes)
{
	int64_t most = 0;
	for (int i = 0; i < in->n; i++) {
		if (in->rank[i] < 0)
			return false;
		if (!in->rank[i])
			continue;
		int64_t n = leading(in, i, in->rank[i]);
		if (!in->bytes[i] || n <= 0)
			return false;
		*in_bytes += n * in->bytes[i];
		if (n > most) {
			most = n;
			*out_bytes = n * in->bytes[i];
		}
	}
	return most > 0;
}

bool pointwise_bytes(const struct facts *x, uint32_t op_row, int64_t *in, int64_t *out)
{
	bool is_new;
	struct known_shape *k = known_shape(x, op_row, 0, &is_new);
	struct inputs inputs;
	if (!k)
		return false;
	if (is_new)
		k->usable =
			inputs_of(x->t, op_row, &inputs) && count_bytes(&inputs, &k->in, &k->out);
	*in = k->in;
	*out = k->out;
	return k->usable;
}

bool rows_and_columns(const struct facts *x, uint32_t op_row, int64_t *rows, int64_t *columns)
{
	struct inputs in;
	if (!inputs_of(x->t, op_row, &in))
		return false;
	int i = 0;
	while (i < in.n && in.rank[i] < 1)
		i++;
	if (i == in.n || in.rank[i] < 2)
		return false;
	*rows = leading(&in, i, in.rank[i] - 1);
	*columns = in.size[i][in.rank[i] - 1];
	return *rows > 0 && *columns > 0;
}

bool first_input(const struct facts *x, uint32_t op_row, int64_t *rows, int64_t *columns,
	int64_t *element_bytes)
{
	struct inputs in;
	if (!inputs_of(x->t, op_row, &in) || in.rank[0] < 2)
		return false;
	*rows = leading(&in, 0, in.rank[0] - 1);
	*columns = in.size[0][in.rank[0] - 1];
	*element_bytes = in.bytes[0];
	return *rows > 0 && *columns > 0 && *element_bytes > 0;
}

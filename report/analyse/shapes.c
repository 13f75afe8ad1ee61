/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/shapes.h"

#include "base/min_max.h"
#include "base/text_builder.h"
#include "report/analyse/analysis_stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- from text to numbers ---- */

/* Inputs as the file writes them: [[64, 64], [], [64, 64]], ["float", "Scalar", "float"]. */
struct reading {
	int n;
	struct operand in[MOST_INPUTS];
	int64_t dim[MOST_INPUTS][MOST_DIMS];
};

static void end_of_listed(struct operand *x, double elements)
{
	int64_t one = elements < 9e15 ? (int64_t)elements : 0;
	x->tensors++;
	x->list_elements += one;
	x->largest = max64(one, x->largest);
}

/* One input from its '[' on; returns the place behind its ']' or where the text ends. */
static const char *read_shape(const char *c, struct reading *x)
{
	int depth = 0, i = x->n++;
	int *rank = &x->in[i].rank;
	double listed = 1;
	do {
		if (*c == ']' && depth == 2) {
			end_of_listed(&x->in[i], listed);
			listed = 1;
		}
		depth += (*c == '[') - (*c == ']');
		if (depth > 1)
			*rank = -1;
		if (*c < '0' || *c > '9') {
			c++;
			continue;
		}
		int64_t size = 0;
		for (; *c >= '0' && *c <= '9'; c++)
			size = size > INT32_MAX ? size : 10 * size + (*c - '0');
		listed *= (double)size;
		if (*rank == MOST_DIMS || size > INT32_MAX)
			*rank = -1;
		if (*rank >= 0)
			x->dim[i][(*rank)++] = size;
	} while (*c && depth > 0);
	return c;
}

/* Some eras write scalars as texts. */
static void read_shapes(const char *text, struct reading *x)
{
	const char *c = strchr(text, '[');
	if (!c)
		return;
	for (c++; *c && *c != ']' && x->n < MOST_INPUTS;) {
		if (*c == '[')
			c = read_shape(c, x);
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
	/* as other programs write them */
	TYPE("BFloat16", 2, true),
	TYPE("Half", 2, true),
	TYPE("Float", 4, false),
	TYPE("Double", 8, false),
	TYPE("Long", 8, false),
	TYPE("Int", 4, false),
};

static void set_type(struct operand *x, const char *name, size_t length)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (types[k].length == length && !memcmp(name, types[k].name, length)) {
			x->bytes = types[k].bytes;
			x->half = types[k].half;
			return;
		}
}

static void read_types(const char *c, struct reading *x)
{
	for (int i = 0; i < x->n && (c = strchr(c, '"')); i++) {
		const char *end = strchr(++c, '"');
		if (!end)
			return;
		set_type(&x->in[i], c, (size_t)(end - c));
		c = end + 1;
	}
}

/* Strides have the form of shapes. */
static void read_strides(const char *text, struct reading *x)
{
	struct reading strides = {0};
	if (!*text)
		return;
	read_shapes(text, &strides);
	for (int i = 0; i < x->n && i < strides.n; i++)
		for (int d = 0; d < x->in[i].rank && d < strides.in[i].rank; d++)
			x->in[i].expanded |= !strides.dim[i][d] && x->dim[i][d] > 1;
}

/* ---- each once ---- */

struct known_inputs {
	name_id dims, types, strides;
	uint32_t next; /* of the same dims, index + 1 */
	const struct inputs *inputs; /* NULL: none */
};

struct shapes {
	const struct inputs **of; /* (trace->n_inputs) */
};

static const struct inputs *inputs_read(
	struct arena *arena, const struct names *names, const struct known_inputs *k)
{
	struct reading x = {0};
	read_shapes(names_text(names, k->dims), &x);
	if (!x.n)
		return NULL;
	read_types(names_text(names, k->types), &x);
	read_strides(names_text(names, k->strides), &x);
	size_t n = (size_t)x.n;
	struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
	struct operand *in = arena_array(arena, n, sizeof *in);
	for (size_t i = 0; i < n; i++) {
		in[i] = x.in[i];
		int64_t *dim =
			arena_array(arena, in[i].rank > 0 ? (size_t)in[i].rank : 0, sizeof *dim);
		for (int d = 0; d < in[i].rank; d++)
			dim[d] = x.dim[i][d];
		in[i].dim = dim;
	}
	*inputs = (struct inputs){in, x.n};
	return inputs;
}

/* Operators with the same shapes come in rows: the last of a text's is asked first. */
struct reader {
	struct known_inputs *known; /* (n) malloc */
	uint32_t n, room;
	uint32_t *first; /* (names) index + 1 into known, by dims; malloc */
};

static const struct known_inputs *known_of(struct reader *r, struct arena *arena,
	const struct names *names, const struct op_inputs *of)
{
	for (uint32_t i = r->known ? r->first[of->dims] : 0; i; i = r->known[i - 1].next) {
		const struct known_inputs *k = &r->known[i - 1];
		if (k->types == of->types && k->strides == of->strides)
			return k;
	}
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 64;
		r->known = xrealloc(r->known, r->room, sizeof *r->known);
	}
	struct known_inputs *k = &r->known[r->n++];
	*k = (struct known_inputs){of->dims, of->types, of->strides, r->first[of->dims], NULL};
	k->inputs = inputs_read(arena, names, k);
	r->first[of->dims] = r->n;
	return k;
}

void analyse_shapes(struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	struct shapes *s = arena_alloc(arena, sizeof *s);
	struct reader r = {.first = xcalloc(t->names.n, sizeof *r.first)};
	s->of = arena_array(arena, t->n_inputs, sizeof *s->of);
	for (size_t i = 0; i < t->n_inputs; i++)
		if (t->inputs[i].dims)
			s->of[i] = known_of(&r, arena, &t->names, &t->inputs[i])->inputs;
	a->shapes = s;
	free(r.known);
	free(r.first);
}

const struct inputs *inputs_of(const struct analysis *a, uint32_t op_row)
{
	const struct trace *t = a->trace;
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return NULL;
	return a->shapes->of[t->side[op_row]];
}

int first_strides(const struct trace *t, uint32_t op_row, int64_t *stride, int most)
{
	struct reading x = {0};
	name_id text = t->side[op_row] == NO_ROW ? 0 : t->inputs[t->side[op_row]].strides;
	int n = 0;
	if (t->kind[op_row] == EVENT_OP && text)
		read_shapes(names_text(&t->names, text), &x);
	for (; x.n && n < x.in[0].rank && n < most; n++)
		stride[n] = x.dim[0][n];
	return n;
}

const char *shape_text(struct arena *arena, const int64_t *dim, int rank)
{
	struct text_builder s = {.arena = arena};
	for (int i = 0; i < rank; i++)
		text_add(&s, "%s%" PRId64, i ? ", " : "[", dim[i]);
	text_add(&s, rank > 0 ? "]" : "[]");
	return text_built(&s);
}

/* ---- what they say ---- */

/* The product of the first `to` dimensions; 0 when no tensor is that large. */
static int64_t leading(const struct operand *x, int to)
{
	/* More elements have no bytes that anybody could hold, nor sums of them that could
	 * overflow. */
	const int64_t most = 1ll << 50;
	int64_t n = 1;
	for (int d = 0; d < to; d++)
		if (__builtin_mul_overflow(n, x->dim[d], &n) || n > most)
			return 0;
	return n;
}

static int64_t operand_elements(const struct operand *x)
{
	return x->rank > 0 ? leading(x, x->rank) : 0;
}

int64_t elements_of(const struct inputs *x, int i)
{
	return i < x->n ? operand_elements(&x->in[i]) : 0;
}

/* One shape "[4, 2]" from its '[' on, which holds no other; returns the place of its ']'. */
static const char *add_shape(const char *c, int64_t rows, double *all, double *with_rows)
{
	double n = 1;
	int rank = 0;
	int64_t first = 0;
	for (c++; *c && *c != ']' && *c != '['; c++) {
		if (*c < '0' || *c > '9')
			continue;
		char *end;
		int64_t size = strtoll(c, &end, 10);
		first = rank++ ? first : size;
		n *= (double)size;
		c = end - 1;
	}
	*all += rank && *c == ']' ? n : 0;
	*with_rows += rank && *c == ']' && first == rows ? n : 0;
	return c;
}

bool elements_with_rows(
	const struct analysis *a, uint32_t op_row, int64_t rows, double *all, double *with_rows)
{
	const struct trace *t = a->trace;
	*all = *with_rows = 0;
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return false;
	for (const char *c = names_text(&t->names, t->inputs[t->side[op_row]].dims); *c;)
		c = *c == '[' ? add_shape(c, rows, all, with_rows) : c + 1;
	return *all > 0;
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

bool concrete_is(const struct trace *t, uint32_t op_row, int which, const char *text)
{
	size_t n = strlen(text);
	if (op_row == NO_ROW || t->kind[op_row] != EVENT_OP || t->side[op_row] == NO_ROW)
		return false;
	const char *c =
		element_of(names_text(&t->names, t->inputs[t->side[op_row]].concrete), which);
	return c && !strncmp(c, text, n) && c[n] == '"';
}

/* ---- products ---- */

/* matmul and linear fold every leading dimension of A into m when B is a plain matrix. */
static bool sizes_of(
	const struct operand *a, const struct operand *b, bool transposed, struct product *p)
{
	int ra = a->rank, rb = b->rank;
	if (rb < 2 || ra < 2)
		return false;
	p->batch = rb > 2 ? leading(b, rb - 2) : 1;
	p->m = rb > 2 ? a->dim[ra - 2] : leading(a, ra - 1);
	p->k = a->dim[ra - 1];
	p->n = b->dim[transposed ? rb - 2 : rb - 1];
	return b->dim[transposed ? rb - 1 : rb - 2] == p->k;
}

bool product_of(const struct analysis *a, uint32_t op_row, struct product *p)
{
	const struct inputs *x = inputs_of(a, op_row);
	const struct operator_role *op = NULL;
	if (x && is_product_role((enum role)a->role[a->trace->name[op_row]]))
		op = operator_role(trace_row_name(a->trace, op_row));
	*p = (struct product){0};
	if (!op || x->n <= op->first + 1 ||
		!sizes_of(&x->in[op->first], &x->in[op->first + 1], op->role == ROLE_LINEAR, p))
		return false;
	p->element_bytes = x->in[op->first].bytes;
	p->half = x->in[op->first].half;
	p->flop = 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
	return p->flop > 0;
}

bool product_launched(
	const struct analysis *a, uint32_t call, uint32_t op, int reach, struct product *p)
{
	if (op == NO_ROW || (call != NO_ROW && host_traits(a, call) & TRAIT_GRAPH))
		return false;
	for (; reach-- && op != NO_ROW && a->class[op] != CLASS_COMPILE; op = a->trace->parent[op])
		if (product_of(a, op, p))
			return true;
	return false;
}

double product_arithmetic_ns(const struct chip *chip, const struct product *p)
{
	double rate = p->element_bytes > 2 && chip->tf32 > 0 ? chip->tf32 : chip->half;
	return p->flop / (CHIP_REACHED * rate) * 1e9;
}

double product_memory_ns(const struct chip *chip, const struct product *p)
{
	double elements = (double)p->batch *
		((double)p->m * (double)p->k + (double)p->k * (double)p->n +
			(double)p->m * (double)p->n);
	return elements * p->element_bytes / (MEMORY_REACHED * chip->memory) * 1e9;
}

/* ---- other work ---- */

bool pointwise_bytes(const struct analysis *a, uint32_t op_row, int64_t *in, int64_t *out)
{
	const struct inputs *x = inputs_of(a, op_row);
	int64_t most = 0;
	*in = *out = 0;
	for (int i = 0; x && i < x->n; i++) {
		if (!x->in[i].rank)
			continue;
		int64_t n = operand_elements(&x->in[i]), bytes = x->in[i].bytes;
		if (!bytes || n <= 0)
			return false;
		*in += n * bytes;
		if (n > most) {
			most = n;
			*out = n * bytes;
		}
	}
	return most > 0;
}

bool rows_and_columns(const struct analysis *a, uint32_t op_row, int64_t *rows, int64_t *columns)
{
	const struct inputs *x = inputs_of(a, op_row);
	int i = 0;
	while (x && i < x->n && x->in[i].rank < 1)
		i++;
	if (!x || i == x->n || x->in[i].rank < 2)
		return false;
	*rows = leading(&x->in[i], x->in[i].rank - 1);
	*columns = x->in[i].dim[x->in[i].rank - 1];
	return *rows > 0 && *columns > 0;
}

bool first_input(const struct analysis *a, uint32_t op_row, int64_t *rows, int64_t *columns,
	int64_t *element_bytes)
{
	const struct inputs *x = inputs_of(a, op_row);
	if (!x || x->in[0].rank < 2)
		return false;
	*rows = leading(&x->in[0], x->in[0].rank - 1);
	*columns = x->in[0].dim[x->in[0].rank - 1];
	*element_bytes = x->in[0].bytes;
	return *rows > 0 && *columns > 0 && *element_bytes > 0;
}

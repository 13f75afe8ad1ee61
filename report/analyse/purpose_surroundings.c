/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/purpose_parts.h"

#include <stdlib.h>
#include <string.h>

enum { SAYING_NAMES = 20 };

/* Names of operators; one that ends in a star begins so. */
static const struct saying {
	uint16_t bits;
	const char *name[SAYING_NAMES];
} sayings[] = {
	{AROUND_FORWARD_ONLY, {FORWARD_OPERATORS}},
	{AROUND_DROPOUT, {DROPOUT_OPERATORS}},
	{AROUND_MATH, {MATH_ATTENTION "*"}},
	{AROUND_JOIN, {"aten::cat", "aten::stack", "aten::repeat*"}},
	{AROUND_INDEX,
		{"aten::index*", "aten::gather*", "aten::scatter*", "aten::take*",
			"aten::masked_select", "aten::_index_put_impl_"}},
	{AROUND_PUT, {"aten::_index_put_impl_", DENSE_EMBEDDING, DENSE_BAG}},
	{AROUND_DENSE, {DENSE_EMBEDDING, DENSE_BAG}},
	{AROUND_EMPTY, {"aten::empty*", "aten::resize_"}},
	{AROUND_SAMPLING, {"aten::upsample*", "aten::_upsample*", "aten::grid_sampler*"}},
	{AROUND_CONSTANT, {"aten::arange", "aten::eye", "aten::tril", "aten::triu"}},
};

static bool is_called(const char *name, const char *form)
{
	size_t n = strlen(form) - 1;
	return form[n] == '*' ? !strncmp(name, form, n) : !strcmp(name, form);
}

static unsigned bits_of_op(const char *name)
{
	unsigned bits = 0;
	for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++)
		for (const char *const *of = sayings[i].name;
			of < sayings[i].name + SAYING_NAMES && *of; of++)
			if (is_called(name, *of))
				bits |= sayings[i].bits;
	return bits;
}

/* A range of the program's own. */
static bool names_place(const struct analysis *a, uint32_t row)
{
	return a->class[row] == CLASS_ANNOTATION &&
		!(host_traits(a, row) & (TRAIT_OPTIMIZER | TRAIT_LOADER));
}

bool ranges_name_places(const struct analysis *a)
{
	const struct trace *t = a->trace;
	size_t i = trace_next_of(t, EVENT_ANNOTATION, 0);
	while (i < t->n && !names_place(a, (uint32_t)i))
		i = trace_next_of(t, EVENT_ANNOTATION, i + 1);
	return i < t->n;
}

static uint16_t bits_of_row(const struct analysis *a, uint32_t row)
{
	const struct trace *t = a->trace;
	const char *name = names_text(&t->names, t->name[row]);
	uint32_t traits = host_traits(a, row);
	unsigned bits = AROUND_ASKED;
	bits |= traits & TRAIT_BACKWARD ? AROUND_BACKWARD : 0u;
	bits |= traits & TRAIT_OPTIMIZER ? AROUND_OPTIMIZER : 0u;
	bits |= traits & TRAIT_GRAPH && event_is_call(t->kind[row]) ? AROUND_GRAPH : 0u;
	if (t->kind[row] == EVENT_OP)
		bits |= bits_of_op(name) | (traits & TRAIT_CASTS ? AROUND_CAST : 0u);
	else if ((t->kind[row] == EVENT_PYTHON && is_module_call(name)) || names_place(a, row))
		bits |= AROUND_NAMED;
	return (uint16_t)bits;
}

struct surroundings surroundings_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct surroundings s = {.a = a,
		.chip = chip_of(t),
		.of_name = xcalloc(t->names.n, sizeof *s.of_name),
		.place = xcalloc(t->n, sizeof *s.place)};
	for (name_id i = 0; i < t->names.n; i++)
		s.trains |= (a->host_traits[i] & (TRAIT_BACKWARD | TRAIT_OPTIMIZER)) != 0;
	return s;
}

void surroundings_release(struct surroundings *s)
{
	free(s->of_name);
	free(s->place);
	free(s->path);
	free(s->remade);
	free(s->of_tables);
}

static uint16_t says(struct surroundings *s, uint32_t row)
{
	uint16_t *of = &s->of_name[s->a->trace->name[row]];
	if (!*of)
		*of = bits_of_row(s->a, row);
	return *of;
}

/* Inside a product of matrices, as formulas call it, too: of a sparse one that is an addmm. */
static bool is_in_product(const struct trace *t, uint32_t row)
{
	enum { DEEP = 3 };
	uint32_t up = t->parent[row];
	for (int i = 0; i < DEEP && up != NO_ROW; i++, up = t->parent[up])
		if (!strcmp(names_text(&t->names, t->name[up]), "aten::mm"))
			return true;
	return false;
}

struct place *place_around(struct surroundings *s, uint32_t row)
{
	const struct trace *t = s->a->trace;
	struct place inner = {0};
	size_t n = 0;
	if (row == NO_ROW)
		return NULL;
	uint32_t up = row;
	for (; up != NO_ROW && !s->place[up].known; up = t->parent[up]) {
		if (n == s->room) {
			s->room = s->room ? 2 * s->room : 64;
			s->path = xrealloc(s->path, s->room, sizeof *s->path);
		}
		s->path[n++] = up;
	}
	if (up != NO_ROW)
		inner = s->place[up];
	while (n--) {
		struct place *p = &s->place[s->path[n]];
		uint16_t bits = says(s, s->path[n]);
		if (bits & AROUND_FORWARD_ONLY && is_in_product(t, s->path[n]))
			bits &= (uint16_t)~AROUND_FORWARD_ONLY;
		inner.module = bits & AROUND_NAMED ? s->path[n] + 1 : inner.module;
		inner.bits |= bits;
		*p = (struct place){inner.module, inner.bits, true, false};
	}
	return &s->place[row];
}

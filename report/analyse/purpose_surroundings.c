/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/purpose_parts.h"

#include <stdlib.h>
#include <string.h>

struct saying {
	const char *name;
	bool begins; /* it is enough that the name begins so */
	uint16_t bits;
};

static const struct saying sayings[] = {
	{"aten::linear", false, AROUND_FORWARD_ONLY},
	{"aten::addmm", false, AROUND_FORWARD_ONLY},
	{"aten::conv1d", false, AROUND_FORWARD_ONLY},
	{"aten::conv2d", false, AROUND_FORWARD_ONLY},
	{"aten::conv3d", false, AROUND_FORWARD_ONLY},
	{"aten::layer_norm", false, AROUND_FORWARD_ONLY},
	{"aten::native_layer_norm", false, AROUND_FORWARD_ONLY},
	{"aten::rms_norm", false, AROUND_FORWARD_ONLY},
	{"aten::group_norm", false, AROUND_FORWARD_ONLY},
	{"aten::batch_norm", false, AROUND_FORWARD_ONLY},
	{"aten::gelu", false, AROUND_FORWARD_ONLY},
	{"aten::silu", false, AROUND_FORWARD_ONLY},
	{"aten::relu", false, AROUND_FORWARD_ONLY},
	{"aten::softmax", false, AROUND_FORWARD_ONLY},
	{"aten::embedding", false, AROUND_FORWARD_ONLY},
	{"aten::scaled_dot_product_attention", false, AROUND_FORWARD_ONLY},
	{"aten::dropout", false, AROUND_DROPOUT | AROUND_FORWARD_ONLY},
	{"aten::native_dropout", false, AROUND_DROPOUT | AROUND_FORWARD_ONLY},
	{"aten::feature_dropout", false, AROUND_DROPOUT},
	{"aten::_scaled_dot_product_attention_math", true, AROUND_MATH},
	{"aten::_to_copy", false, AROUND_CAST},
	{"aten::cat", false, AROUND_JOIN},
	{"aten::stack", false, AROUND_JOIN},
	{"aten::repeat", true, AROUND_JOIN},
	{"aten::index", true, AROUND_INDEX},
	{"aten::gather", true, AROUND_INDEX},
	{"aten::scatter", true, AROUND_INDEX},
	{"aten::take", true, AROUND_INDEX},
	{"aten::masked_select", false, AROUND_INDEX},
	{"aten::_index_put_impl_", false, AROUND_INDEX | AROUND_PUT},
	{"aten::embedding_dense_backward", false, AROUND_DENSE | AROUND_PUT},
	{"aten::empty", true, AROUND_EMPTY},
	{"aten::resize_", false, AROUND_EMPTY},
	{"aten::upsample", true, AROUND_SAMPLING},
	{"aten::_upsample", true, AROUND_SAMPLING},
	{"aten::grid_sampler", true, AROUND_SAMPLING},
	{"aten::arange", false, AROUND_CONSTANT},
	{"aten::eye", false, AROUND_CONSTANT},
	{"aten::tril", false, AROUND_CONSTANT},
	{"aten::triu", false, AROUND_CONSTANT},
};

static uint16_t bits_of_op(const char *name)
{
	for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
		const struct saying *s = &sayings[i];
		if (s->begins ? !strncmp(name, s->name, strlen(s->name)) : !strcmp(name, s->name))
			return s->bits;
	}
	return 0;
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
		bits |= bits_of_op(name);
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
		inner.module = bits & AROUND_NAMED ? s->path[n] + 1 : inner.module;
		inner.bits |= bits;
		*p = (struct place){inner.module, inner.bits, true, false};
	}
	return &s->place[row];
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/min_max.h"
#include "report/read/event_in.h"
#include "report/read/parts.h"

void coming_note(const struct coming *c, enum repair_kind kind)
{
	repair_note(
		&c->part->repairs, kind, 1, c->offset, c->begin, (size_t)(c->raw->end - c->begin));
}

uint32_t coming_key(const struct coming *c, const char *at, size_t n)
{
	return strings_add(&c->part->keys, at, n, TEXT_PLAIN, c->offset);
}

static inline uint32_t join_id(const struct coming *c, enum raw_number number, enum raw_text_of as)
{
	const uint64_t some = RAW_SEEN_NUMBER(number) | RAW_SEEN_TEXT(as);
	if (!(c->raw->seen & some))
		return 0;
	if (seen_number(c->raw, number)) {
		int64_t v = c->raw->number[number];
		if (v <= 0)
			return 0;
		if (v < ID_KEY)
			return (uint32_t)v;
		return ID_KEY | coming_key(c, (const char *)&v, sizeof v);
	}
	return ID_KEY | coming_key(c, c->raw->text[as].at, c->raw->text[as].n);
}

/* 0 is the first number of a thread: kept one higher. */
static uint32_t sequence_id(const struct coming *c)
{
	int64_t v = seen_number(c->raw, RAW_SEQUENCE) ? c->raw->number[RAW_SEQUENCE] : -1;
	if (v < 0 || v == INT64_MAX)
		return 0;
	if (++v < ID_KEY)
		return (uint32_t)v;
	return ID_KEY | coming_key(c, (const char *)&v, sizeof v);
}

uint8_t coming_kind_new(const struct coming *c, uint32_t category)
{
	struct part *p = c->part;
	if (category >= p->kind_room) {
		uint32_t room = p->texts.room;
		p->kind_of = xrealloc(p->kind_of, room, sizeof *p->kind_of);
		memset(p->kind_of + p->kind_room, 0, room - p->kind_room);
		p->kind_room = room;
	}
	if (!p->kind_of[category]) {
		const struct text_entry *e = &p->texts.entry[category];
		p->kind_of[category] = (uint8_t)(event_kind_of(e->text, e->length) + 1);
	}
	uint8_t kind = (uint8_t)(p->kind_of[category] - 1);
	if (kind != KIND_BY_NAME)
		return kind;
	const struct raw_text *name = &c->raw->text[RAW_NAME];
	bool named = seen_text(c->raw, RAW_NAME);
	return (uint8_t)event_kind_by_name(named ? name->at : "", named ? name->n : 0);
}

/* -1 may have been printed as an unsigned number. */
static int32_t clamp(int64_t v)
{
	if (v == UINT32_MAX)
		return -1;
	return v > INT32_MAX ? INT32_MAX : v < -1 ? -1 : (int32_t)v;
}

static int32_t small(const struct raw_event *raw, enum raw_number i)
{
	return seen_number(raw, i) ? clamp(raw->number[i]) : -1;
}

static double bounded(double v)
{
	return clip(v, -TRACE_REAL, TRACE_REAL);
}

static float real(const struct raw_event *raw, enum raw_real i)
{
	return seen_real(raw, i) ? (float)bounded(raw->real[i]) : -1.0f;
}

/* Where a record of a hash stands that would be alike, as its number + 1. */
static inline uint32_t *place_alike(uint32_t **alike, uint64_t hash)
{
	if (!*alike)
		*alike = xcalloc(ALIKE, sizeof **alike);
	return &(*alike)[hash & (ALIKE - 1)];
}

static uint32_t keep_kernel(struct part *p, const struct kernel *k)
{
	uint32_t *at = place_alike(&p->alike_kernels, hash_quick((const char *)k, sizeof *k));
	if (*at && !memcmp(&p->kernels[*at - 1], k, sizeof *k))
		return *at - 1;
	*PUSH(p->kernels, p->n_kernels, p->kernel_room) = *k;
	*at = (uint32_t)p->n_kernels;
	return *at - 1;
}

/* Member by member: they were just made, and would be read back whole too early (hash.h). */
static inline bool same_inputs(const struct op_inputs *a, const struct op_inputs *b)
{
	return a->dims == b->dims && a->types == b->types && a->strides == b->strides &&
		a->concrete == b->concrete && a->extra == b->extra &&
		a->forward_thread == b->forward_thread;
}

static inline uint64_t both_of(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static inline uint64_t hash_of_inputs(const struct op_inputs *in)
{
	uint64_t h = HASH_QUICK_START ^ sizeof *in;
	h = hash_quick_word(h, both_of(in->dims, in->types));
	h = hash_quick_word(h, both_of(in->strides, in->concrete));
	h = hash_quick_word(h, both_of(in->extra, in->forward_thread));
	return hash_quick_tail(h, 0);
}

static inline uint32_t keep_inputs(struct part *p, const struct op_inputs *in)
{
	uint32_t *at = place_alike(&p->alike_inputs, hash_of_inputs(in));
	if (*at && same_inputs(&p->inputs[*at - 1], in))
		return *at - 1;
	*PUSH(p->inputs, p->n_inputs, p->input_room) = *in;
	*at = (uint32_t)p->n_inputs;
	return *at - 1;
}

static uint32_t add_kernel(const struct coming *c)
{
	const struct raw_event *raw = c->raw;
	struct kernel one, *k = &one;
	_Static_assert(sizeof one == 12 * sizeof(int32_t) + sizeof(int64_t) + 2 * sizeof(float),
		"compared as bytes");
	for (unsigned i = 0; i < 3; i++) {
		bool grid = seen_number(raw, RAW_GRID), block = seen_number(raw, RAW_BLOCK);
		k->grid[i] = grid ? clamp(raw->number[RAW_GRID + i]) : -1;
		k->block[i] = block ? clamp(raw->number[RAW_BLOCK + i]) : -1;
	}
	k->registers = small(raw, RAW_REGISTERS);
	k->shared_bytes = small(raw, RAW_SHARED);
	k->occupancy_pct = small(raw, RAW_OCCUPANCY);
	k->device = small(raw, RAW_DEVICE);
	k->context = small(raw, RAW_CONTEXT);
	k->stream = small(raw, RAW_STREAM);
	k->graph_node = seen_number(raw, RAW_GRAPH_NODE) ? raw->number[RAW_GRAPH_NODE] : -1;
	k->blocks_per_sm = real(raw, RAW_BLOCKS_PER_SM);
	k->warps_per_sm = real(raw, RAW_WARPS_PER_SM);
	return keep_kernel(c->part, k);
}

static uint32_t add_copy(const struct coming *c)
{
	struct part *p = c->part;
	const struct raw_event *raw = c->raw;
	struct copy *copy = PUSH(p->copies, p->n_copies, p->copy_room);
	*copy = (struct copy){
		.bytes = seen_number(raw, RAW_BYTES) ? raw->number[RAW_BYTES] : -1,
		.gb_per_s =
			seen_real(raw, RAW_BANDWIDTH) ? bounded(raw->real[RAW_BANDWIDTH]) : -1.0,
		.device = small(raw, RAW_DEVICE),
		.stream = small(raw, RAW_STREAM),
	};
	return (uint32_t)(p->n_copies - 1);
}

/* Of a "[memory]" instant; other instants have no bytes. */
static uint32_t add_change(const struct coming *c)
{
	struct part *p = c->part;
	const struct raw_event *raw = c->raw;
	if (!seen_number(raw, RAW_BYTES))
		return NO_ROW;
	bool allocated = seen_number(raw, RAW_ALLOCATED), reserved = seen_number(raw, RAW_RESERVED);
	struct memory_change *m = PUSH(p->changes, p->n_changes, p->change_room);
	*m = (struct memory_change){.bytes = raw->number[RAW_BYTES],
		.allocated = allocated ? raw->number[RAW_ALLOCATED] : -1,
		.reserved = reserved ? raw->number[RAW_RESERVED] : -1,
		.address = seen_number(raw, RAW_ADDRESS) ? raw->number[RAW_ADDRESS] : 0,
		.device = small(raw, RAW_DEVICE)};
	return (uint32_t)(p->n_changes - 1);
}

static int64_t number_or(const struct raw_event *raw, enum raw_number i, int64_t otherwise)
{
	return seen_number(raw, i) ? raw->number[i] : otherwise;
}

/* What args say of a collective, in one text. */
static uint32_t collective_text(const struct coming *c)
{
	char text[256];
	const struct raw_event *raw = c->raw;
	const struct raw_text *name = &raw->text[RAW_COLLECTIVE], *type = &raw->text[RAW_DTYPE];
	if (!seen_text(raw, RAW_COLLECTIVE) || name->n > 64)
		return 0;
	const struct raw_text *group = &raw->text[RAW_GROUP];
	bool grouped = seen_text(raw, RAW_GROUP) && group->n && group->n <= 64;
	bool typed = seen_text(raw, RAW_DTYPE) && type->n && type->n <= 64;
	int n = snprintf(text, sizeof text, "%.*s %.*s %lld %lld %lld%s%.*s", (int)name->n,
		name->at, typed ? (int)type->n : 1, typed ? type->at : "?",
		(long long)number_or(raw, RAW_IN_ELEMENTS, -1),
		(long long)number_or(raw, RAW_OUT_ELEMENTS, -1),
		(long long)number_or(raw, RAW_GROUP_SIZE, -1), grouped ? " " : "",
		grouped ? (int)group->n : 0, grouped ? group->at : "");
	return strings_add(&c->part->texts, text, (size_t)n, name->form, c->offset);
}

static uint32_t add_inputs(const struct coming *c)
{
	const uint64_t any = RAW_SEEN_TEXT(RAW_DIMS) | RAW_SEEN_TEXT(RAW_TYPES) |
		RAW_SEEN_TEXT(RAW_STRIDES) | RAW_SEEN_TEXT(RAW_CONCRETE) | RAW_SEEN_TEXT(RAW_KIND) |
		RAW_SEEN_TEXT(RAW_COLLECTIVE);
	int64_t thread = number_or(c->raw, RAW_FORWARD_THREAD, 0);
	if (!(c->raw->seen & any) && thread <= 0)
		return NO_ROW;
	const struct op_inputs in = {
		.dims = coming_text(c, RAW_DIMS),
		.types = coming_text(c, RAW_TYPES),
		.strides = coming_text(c, RAW_STRIDES),
		.concrete = coming_text(c, RAW_CONCRETE),
		.extra = seen_text(c->raw, RAW_COLLECTIVE) ? collective_text(c)
							   : coming_text(c, RAW_KIND),
		.forward_thread = thread > 0 ? (uint32_t)clamp(thread) : 0,
	};
	return keep_inputs(c->part, &in);
}

static uint32_t add_counter(const struct coming *c)
{
	struct part *p = c->part;
	struct raw_text series;
	double value;
	if (!event_counter(c->begin, c->raw->end, &series, &value))
		return NO_ROW;
	struct counter *counter = PUSH(p->counters, p->n_counters, p->counter_room);
	*counter = (struct counter){strings_add(&p->texts, series.at, series.n, series.form,
					    coming_place(c, series.at)),
		bounded(value)};
	return (uint32_t)(p->n_counters - 1);
}

static uint32_t add_side(const struct coming *c, uint8_t kind)
{
	switch (kind) {
	case EVENT_KERNEL:
		return add_kernel(c);
	case EVENT_MEMCPY:
	case EVENT_MEMSET:
		return add_copy(c);
	case EVENT_OP:
	case EVENT_ANNOTATION:
		return add_inputs(c);
	case EVENT_COUNTER:
		return add_counter(c);
	case EVENT_INSTANT:
		return add_change(c);
	default:
		return NO_ROW;
	}
}

void part_grow_rows(struct event_rows *r, size_t room)
{
	r->room = room;
	r->start_ns = pages_grow(r->start_ns, room, sizeof *r->start_ns);
	r->dur_ns = pages_grow(r->dur_ns, room, sizeof *r->dur_ns);
	r->name = pages_grow(r->name, room, sizeof *r->name);
	r->category = pages_grow(r->category, room, sizeof *r->category);
	r->lane = pages_grow(r->lane, room, sizeof *r->lane);
	r->correlation = pages_grow(r->correlation, room, sizeof *r->correlation);
	r->external = pages_grow(r->external, room, sizeof *r->external);
	r->side = pages_grow(r->side, room, sizeof *r->side);
	r->kind = pages_grow(r->kind, room, sizeof *r->kind);
}

void coming_row(
	const struct coming *c, uint8_t kind, uint32_t category, uint32_t lane, int64_t dur_ns)
{
	struct event_rows *r = &c->part->rows;
	if (r->n == r->room)
		part_grow_rows(r, 2 * r->room + 64); /* of parts without rows it is 0 */
	size_t i = r->n++;
	r->start_ns[i] = c->raw->number[RAW_TS];
	r->dur_ns[i] = dur_ns;
	r->name[i] = coming_text(c, RAW_NAME);
	r->category[i] = category;
	r->lane[i] = lane;
	r->correlation[i] = kind == EVENT_OP ? sequence_id(c)
					     : join_id(c, RAW_CORRELATION, RAW_CORRELATION_TEXT);
	r->external[i] = join_id(c, RAW_EXTERNAL, RAW_EXTERNAL_TEXT);
	r->side[i] = add_side(c, kind);
	r->kind[i] = kind;
}

#include "report/read_part.h"

#include "report/pages.h"
#include "report/read_kind.h"

#include <stdlib.h>

/* Stamps outside are damage; any difference of two of them plus a duration fits an int64_t. */
static const int64_t FIRST_NS = -1000000000000000000, LAST_NS = 4600000000000000000,
		     LONGEST_NS = 2000000000000000000;

enum { FIRST_ROWS = 4096 };

static void rows_grow(struct rows *r, size_t room)
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

void part_init(struct part *p, size_t rows)
{
	*p = (struct part){0};
	texts_init(&p->texts);
	texts_init(&p->keys);
	lanes_init(&p->lanes);
	rows_grow(&p->rows, rows > FIRST_ROWS ? rows : FIRST_ROWS);
}

void part_release(struct part *p)
{
	texts_release(&p->texts);
	texts_release(&p->keys);
	lanes_release(&p->lanes);
	struct rows *r = &p->rows;
	void *columns[] = {r->start_ns, r->dur_ns, r->name, r->category, r->lane, r->correlation,
		r->external, r->side, r->kind, p->kernels, p->copies, p->inputs, p->marks};
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		pages_free(columns[i]);
	free(p->kind_of);
	free(p->labels);
	free(p->documents);
	*p = (struct part){0};
}

/* One more element in a side table; the new one is zeroed only the first time. */
#define PUSH(array, n, room) \
	((n) == (room) ? (void)((room) = (room) ? 2 * (room) : 1024, \
				 (array) = pages_grow(array, room, sizeof *(array))) \
		       : (void)0, \
		&(array)[(n)++])

void part_document(struct part *p)
{
	p->documents = xrealloc(p->documents, p->n_documents + 1, sizeof *p->documents);
	p->documents[p->n_documents++] = (struct document){.first_row = p->rows.n};
}

static bool seen_number(const struct raw_event *raw, enum raw_number i)
{
	return raw->seen & RAW_SEEN_NUMBER(i);
}

static bool seen_text(const struct raw_event *raw, enum raw_text_of i)
{
	return raw->seen & RAW_SEEN_TEXT(i);
}

/* An event on its way into the part. */
struct coming {
	struct part *part;
	const struct raw_event *raw;
	const char *begin;
	int64_t offset;
};

static void note(const struct coming *c, enum repair_kind kind)
{
	repair_note(
		&c->part->repairs, kind, 1, c->offset, c->begin, (size_t)(c->raw->end - c->begin));
}

static uint32_t text(const struct coming *c, enum raw_text_of i)
{
	const struct raw_text *t = &c->raw->text[i];
	if (!seen_text(c->raw, i))
		return 0;
	return texts_add(&c->part->texts, t->at, t->n, t->escaped, c->offset + (t->at - c->begin));
}

static struct lane_id lane_id(const struct coming *c, enum raw_number number, enum raw_text_of as)
{
	if (seen_number(c->raw, number))
		return (struct lane_id){.number = c->raw->number[number]};
	if (seen_text(c->raw, as))
		return (struct lane_id){.text = text(c, as)};
	return (struct lane_id){.number = LANE_ABSENT};
}

static uint32_t key(const struct coming *c, const char *at, size_t n)
{
	return texts_add(&c->part->keys, at, n, false, c->offset);
}

static uint32_t join_id(const struct coming *c, enum raw_number number, enum raw_text_of as)
{
	if (seen_number(c->raw, number)) {
		int64_t v = c->raw->number[number];
		if (v <= 0)
			return 0;
		if (v < ID_KEY)
			return (uint32_t)v;
		return ID_KEY | key(c, (const char *)&v, sizeof v);
	}
	if (!seen_text(c->raw, as))
		return 0;
	return ID_KEY | key(c, c->raw->text[as].at, c->raw->text[as].n);
}

static uint8_t kind_of(struct part *p, uint32_t category)
{
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
	return (uint8_t)(p->kind_of[category] - 1);
}

static int32_t clamp(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < -1 ? -1 : (int32_t)v;
}

static int32_t small(const struct raw_event *raw, enum raw_number i)
{
	return seen_number(raw, i) ? clamp(raw->number[i]) : -1;
}

static float real(const struct raw_event *raw, enum raw_real i)
{
	return raw->seen & RAW_SEEN_REAL(i) ? (float)raw->real[i] : -1.0f;
}

static uint32_t add_kernel(const struct coming *c)
{
	struct part *p = c->part;
	const struct raw_event *raw = c->raw;
	struct kernel *k = PUSH(p->kernels, p->n_kernels, p->kernel_room);
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
	return (uint32_t)(p->n_kernels - 1);
}

static uint32_t add_copy(const struct coming *c)
{
	struct part *p = c->part;
	const struct raw_event *raw = c->raw;
	struct copy *copy = PUSH(p->copies, p->n_copies, p->copy_room);
	*copy = (struct copy){
		.bytes = seen_number(raw, RAW_BYTES) ? raw->number[RAW_BYTES] : -1,
		.gb_per_s =
			raw->seen & RAW_SEEN_REAL(RAW_BANDWIDTH) ? raw->real[RAW_BANDWIDTH] : -1.0,
		.device = small(raw, RAW_DEVICE),
		.stream = small(raw, RAW_STREAM),
	};
	return (uint32_t)(p->n_copies - 1);
}

static uint32_t add_inputs(const struct coming *c)
{
	const uint64_t any = RAW_SEEN_TEXT(RAW_DIMS) | RAW_SEEN_TEXT(RAW_TYPES) |
		RAW_SEEN_TEXT(RAW_STRIDES) | RAW_SEEN_TEXT(RAW_CONCRETE) | RAW_SEEN_TEXT(RAW_KIND);
	if (!(c->raw->seen & any))
		return NO_ROW;
	struct part *p = c->part;
	struct op_inputs *in = PUSH(p->inputs, p->n_inputs, p->input_room);
	*in = (struct op_inputs){
		.dims = text(c, RAW_DIMS),
		.types = text(c, RAW_TYPES),
		.strides = text(c, RAW_STRIDES),
		.concrete = text(c, RAW_CONCRETE),
		.extra = text(c, RAW_KIND),
	};
	return (uint32_t)(p->n_inputs - 1);
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
	default:
		return NO_ROW;
	}
}

static enum lane_kind lane_kind(uint8_t kind)
{
	return event_on_device(kind) || kind == EVENT_GPU_ANNOTATION || kind == EVENT_DEVICE_SYNC
		? LANE_DEVICE
		: LANE_HOST;
}

static void add_row(
	const struct coming *c, uint8_t kind, uint32_t category, uint32_t lane, int64_t dur_ns)
{
	struct rows *r = &c->part->rows;
	if (r->n == r->room)
		rows_grow(r, r->room * 2);
	size_t i = r->n++;
	r->start_ns[i] = c->raw->number[RAW_TS];
	r->dur_ns[i] = dur_ns;
	r->name[i] = text(c, RAW_NAME);
	r->category[i] = category;
	r->lane[i] = lane;
	r->correlation[i] = join_id(c, RAW_CORRELATION, RAW_CORRELATION_TEXT);
	r->external[i] = join_id(c, RAW_EXTERNAL, RAW_EXTERNAL_TEXT);
	r->side[i] = add_side(c, kind);
	r->kind[i] = kind;
}

static uint32_t lane_of(const struct coming *c, uint8_t kind)
{
	return lanes_find(&c->part->lanes, lane_id(c, RAW_PID, RAW_PID_TEXT),
		lane_id(c, RAW_TID, RAW_TID_TEXT), lane_kind(kind));
}

/* The time stamp is there and sane; otherwise the event is left out. */
static bool timed(const struct coming *c)
{
	const struct raw_event *raw = c->raw;
	if (!seen_number(raw, RAW_TS)) {
		note(c, REPAIR_NO_TIME);
		return false;
	}
	int64_t ts = raw->number[RAW_TS];
	int64_t dur = seen_number(raw, RAW_DUR) ? raw->number[RAW_DUR] : 0;
	if (ts > LAST_NS || ts < FIRST_NS || dur > LONGEST_NS) {
		note(c, REPAIR_TIME_RANGE);
		return false;
	}
	c->part->fraction |= raw->fraction;
	return true;
}

static void add_complete(const struct coming *c)
{
	int64_t dur = 0;
	if (seen_number(c->raw, RAW_DUR))
		dur = c->raw->number[RAW_DUR];
	else
		note(c, REPAIR_NO_DURATION);
	if (dur < 0) {
		note(c, REPAIR_NEGATIVE);
		dur = 0;
	}
	uint32_t category = text(c, RAW_CATEGORY);
	uint8_t kind = kind_of(c->part, category);
	add_row(c, kind, category, lane_of(c, kind), dur);
}

static void add_point(const struct coming *c, enum event_kind kind)
{
	add_row(c, (uint8_t)kind, text(c, RAW_CATEGORY), lane_of(c, (uint8_t)kind), 0);
}

static bool is_label(const struct coming *c, const char *name)
{
	const struct raw_text *t = &c->raw->text[RAW_NAME];
	return seen_text(c->raw, RAW_NAME) && t->n == strlen(name) && !memcmp(t->at, name, t->n);
}

static void add_metadata(const struct coming *c)
{
	static const char *const names[] = {[LABEL_PROCESS] = "process_name",
		[LABEL_THREAD] = "thread_name",
		[LABEL_LABELS] = "process_labels",
		[LABEL_PROCESS_ORDER] = "process_sort_index",
		[LABEL_ORDER] = "thread_sort_index"};
	struct part *p = c->part;
	for (unsigned kind = 0; kind < sizeof names / sizeof *names; kind++) {
		if (!is_label(c, names[kind]))
			continue;
		if (p->n_labels == p->label_room) {
			p->label_room = p->label_room ? 2 * p->label_room : 64;
			p->labels = xrealloc(p->labels, p->label_room, sizeof *p->labels);
		}
		p->labels[p->n_labels++] = (struct label){
			.kind = (enum label_kind)kind,
			.pid = lane_id(c, RAW_PID, RAW_PID_TEXT),
			.tid = lane_id(c, RAW_TID, RAW_TID_TEXT),
			.text = text(c, RAW_LABEL),
			.order = seen_number(c->raw, RAW_SORT_INDEX)
				? c->raw->number[RAW_SORT_INDEX]
				: INT64_MAX,
		};
	}
}

static void add_mark(const struct coming *c, bool begin)
{
	struct part *p = c->part;
	uint32_t category = text(c, RAW_CATEGORY);
	uint8_t kind = kind_of(p, category);
	uint32_t lane = lane_of(c, kind);
	struct mark *m = PUSH(p->marks, p->n_marks, p->mark_room);
	*m = (struct mark){.at_ns = c->raw->number[RAW_TS],
		.row = begin ? (uint32_t)p->rows.n : NO_ROW,
		.name = text(c, RAW_NAME),
		.key = lane,
		.offset = c->offset};
	if (begin)
		add_row(c, kind, category, lane, 0);
}

/* Notes of the parser, with their places. */
static void add_notes(const struct coming *c)
{
	for (uint32_t left = c->raw->noted; left; left &= left - 1) {
		unsigned kind = (unsigned)__builtin_ctz(left);
		const char *at = c->raw->note[kind].at;
		repair_note(&c->part->repairs, kind, c->raw->note[kind].n,
			c->offset + (at - c->begin), at, (size_t)(c->raw->end - at));
	}
}

void part_add(struct part *p, const struct raw_event *raw, const char *begin, int64_t offset)
{
	struct coming c = {p, raw, begin, offset};
	p->phases[(unsigned char)raw->phase & 127]++;
	if (raw->noted)
		add_notes(&c);
	switch (raw->phase) {
	case 'X':
		if (timed(&c))
			add_complete(&c);
		break;
	case 'B':
	case 'E':
		if (timed(&c))
			add_mark(&c, raw->phase == 'B');
		break;
	case 'i':
	case 'I':
	case 'R':
		if (timed(&c))
			add_point(&c, EVENT_INSTANT);
		break;
	case 'C':
		if (timed(&c))
			add_point(&c, EVENT_COUNTER);
		break;
	case 'M':
		add_metadata(&c);
		break;
	case 0:
		note(&c, REPAIR_NO_EVENT);
		break;
	default: /* flows, objects, samples: counted by their phase */
		break;
	}
}

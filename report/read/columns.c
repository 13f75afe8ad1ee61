/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/columns.h"
#include "base/min_max.h"

#include "report/read/event_in.h"
#include "report/read/parts.h"

#include <stdlib.h>

/* Stamps outside are damage; any difference of two of them plus a duration fits an int64_t. What a
 * trace may hold of them is decided when all are known (seal.c). */
static const int64_t FIRST_NS = -1000000000000000000, LAST_NS = 4600000000000000000,
		     LONGEST_NS = 2000000000000000000;

enum { FIRST_ROWS = 16 };

void part_init(struct part *p, size_t rows)
{
	*p = (struct part){0};
	strings_init(&p->texts);
	strings_init(&p->keys);
	lanes_init(&p->lanes);
	part_grow_rows(&p->rows, max_size(rows, FIRST_ROWS));
}

void part_release(struct part *p)
{
	strings_release(&p->texts);
	strings_release(&p->keys);
	lanes_release(&p->lanes);
	struct event_rows *r = &p->rows;
	void *columns[] = {r->start_ns, r->dur_ns, r->name, r->category, r->lane, r->correlation,
		r->external, r->side, r->kind, p->kernels, p->copies, p->counters, p->changes,
		p->inputs, p->marks};
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		pages_free(columns[i]);
	free(p->kind_of);
	free(p->alike_kernels);
	free(p->alike_inputs);
	free(p->labels);
	free(p->documents);
	free(p->scratch);
	*p = (struct part){0};
}

static size_t texts_bytes(const struct strings *t)
{
	return t->n * sizeof *t->entry + t->n_slots * sizeof *t->slots + arena_bytes(&t->arena);
}

size_t part_bytes(const struct part *p)
{
	const struct event_rows *r = &p->rows;
	size_t row = sizeof *r->start_ns + sizeof *r->dur_ns + sizeof *r->name +
		sizeof *r->category + sizeof *r->lane + sizeof *r->correlation +
		sizeof *r->external + sizeof *r->side + sizeof *r->kind;
	return r->n * row + p->n_kernels * sizeof *p->kernels + p->n_copies * sizeof *p->copies +
		p->n_counters * sizeof *p->counters + p->n_inputs * sizeof *p->inputs +
		p->n_changes * sizeof *p->changes + p->n_labels * sizeof *p->labels +
		p->n_marks * sizeof *p->marks + p->lanes.n * sizeof *p->lanes.lane +
		texts_bytes(&p->texts) + texts_bytes(&p->keys);
}

void part_document(struct part *p)
{
	p->documents = xrealloc(p->documents, p->n_documents + 1, sizeof *p->documents);
	p->documents[p->n_documents++] = (struct root){.first_row = p->rows.n};
}

/* The time stamp is there and sane; otherwise the event is left out. */
static bool timed(const struct coming *c)
{
	const struct raw_event *raw = c->raw;
	if (!seen_number(raw, RAW_TS)) {
		coming_note(c, REPAIR_NO_TIME);
		return false;
	}
	int64_t ts = raw->number[RAW_TS];
	int64_t dur = seen_number(raw, RAW_DUR) ? raw->number[RAW_DUR] : 0;
	if (ts > LAST_NS || ts < FIRST_NS || dur > LONGEST_NS) {
		coming_note(c, REPAIR_TIME_RANGE);
		return false;
	}
	c->part->fraction |= raw->fraction;
	c->part->zero_stamps += !ts;
	return true;
}

static void add_complete(const struct coming *c)
{
	int64_t dur = 0;
	if (seen_number(c->raw, RAW_DUR))
		dur = c->raw->number[RAW_DUR];
	else
		coming_note(c, REPAIR_NO_DURATION);
	if (dur < 0) {
		coming_note(c, REPAIR_NEGATIVE);
		dur = 0;
	}
	uint32_t category = coming_text(c, RAW_CATEGORY);
	uint8_t kind = coming_kind(c, category);
	if (kind == EVENT_OTHER && !seen_text(c->raw, RAW_CATEGORY) &&
		seen_text(c->raw, RAW_PID_TEXT))
		kind = (uint8_t)event_kind_by_process(
			c->raw->text[RAW_PID_TEXT].at, c->raw->text[RAW_PID_TEXT].n);
	coming_row(c, kind, category, coming_lane(c, kind), dur);
}

static void add_point(const struct coming *c, enum event_kind kind)
{
	coming_row(
		c, (uint8_t)kind, coming_text(c, RAW_CATEGORY), coming_lane(c, (uint8_t)kind), 0);
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
			.pid = coming_lane_id(c, RAW_PID, RAW_PID_TEXT),
			.tid = coming_lane_id(c, RAW_TID, RAW_TID_TEXT),
			.text = coming_text(c, RAW_LABEL),
			.order = seen_number(c->raw, RAW_SORT_INDEX)
				? c->raw->number[RAW_SORT_INDEX]
				: INT64_MAX,
		};
	}
}

/* The parser knows addresses in the window; a repair wants offsets in the file. */
static void add_notes(const struct coming *c)
{
	for (uint32_t left = c->raw->noted; left; left &= left - 1) {
		unsigned kind = (unsigned)__builtin_ctz(left);
		const char *at = c->raw->note[kind].at;
		repair_note(&c->part->repairs, kind, c->raw->note[kind].n, coming_place(c, at), at,
			(size_t)(c->raw->end - at));
	}
}

/* Flows (s t f), objects (N O D), samples (P) and their like are counted, no more. */
static bool is_timed(char phase)
{
	switch (phase) {
	case 'B':
	case 'E':
	case 'b':
	case 'e':
	case 'S':
	case 'F':
	case 'n':
	case 'i':
	case 'I':
	case 'R':
	case 'C':
		return true;
	default:
		return false;
	}
}

static void add_timed(const struct coming *c)
{
	switch (c->raw->phase) {
	case 'B':
	case 'E':
		coming_nested(c, c->raw->phase == 'B');
		break;
	case 'b':
	case 'e':
		coming_async(c, c->raw->phase == 'b', false);
		break;
	case 'S':
	case 'F':
		coming_async(c, c->raw->phase == 'S', true);
		break;
	case 'n':
		coming_row(c, EVENT_INSTANT, coming_text(c, RAW_CATEGORY), coming_async_lane(c), 0);
		break;
	case 'C':
		add_point(c, EVENT_COUNTER);
		break;
	default:
		add_point(c, EVENT_INSTANT);
		break;
	}
}

static void add_other(const struct coming *c)
{
	char phase = c->raw->phase;
	if (phase == 'M')
		add_metadata(c);
	else if (!phase)
		coming_note(c, REPAIR_NO_EVENT);
	else if (is_timed(phase) && timed(c))
		add_timed(c);
}

void part_add(struct part *p, const struct raw_event *raw, const char *begin, int64_t offset)
{
	struct coming c = {p, raw, begin, offset};
	p->phases[(unsigned char)raw->phase & 127]++;
	if (raw->noted)
		add_notes(&c);
	if (raw->phase != 'X')
		add_other(&c);
	else if (timed(&c))
		add_complete(&c);
}

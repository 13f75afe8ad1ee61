/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/event_in.h"

/* What makes a begin and an end belong together. */
struct place {
	uint8_t kind;
	bool async, anywhere;
	uint32_t category, lane, key;
};

/* 0 for an empty text, too: it tells of no begin which it is. */
static uint32_t telling_text(const struct coming *c, enum raw_text_of i)
{
	return c->raw->text[i].n ? coming_text(c, i) : 0;
}

/* A begin or an end; what pairs is the lane, or an async span's key. */
static void add_mark(const struct coming *c, bool begin, struct place place)
{
	struct part *p = c->part;
	struct mark *m = PUSH(p->marks, p->n_marks, p->mark_room);
	*m = (struct mark){.at_ns = c->raw->number[RAW_TS],
		.row = begin ? (uint32_t)p->rows.n : NO_ROW,
		.name = telling_text(c, RAW_NAME),
		.key = place.key,
		.async = place.async,
		.end = !begin,
		.anywhere = place.anywhere,
		.offset = c->offset};
	if (begin)
		coming_row(c, place.kind, place.category, place.lane, 0);
}

void coming_nested(const struct coming *c, bool begin)
{
	uint32_t category = coming_text(c, RAW_CATEGORY);
	uint8_t kind = coming_kind(c, category);
	bool anywhere = !begin && !telling_text(c, RAW_CATEGORY);
	uint32_t lane = coming_lane(c, kind);
	add_mark(c, begin, (struct place){kind, false, anywhere, category, lane, lane});
}

static void compose(struct part *p, size_t *n, const void *bytes, size_t length)
{
	if (*n + length + 1 > p->scratch_room) {
		p->scratch_room = 2 * (*n + length + 1);
		p->scratch = xrealloc(p->scratch, p->scratch_room, 1);
	}
	memcpy(p->scratch + *n, bytes, length);
	*n += length;
	p->scratch[(*n)++] = '\0';
}

static void compose_text(const struct coming *c, size_t *n, enum raw_text_of i)
{
	if (seen_text(c->raw, i))
		compose(c->part, n, c->raw->text[i].at, c->raw->text[i].n);
	else
		compose(c->part, n, "", 0);
}

/* Async spans pair by category, id and scope, the older ones by name too; a local id belongs to
 * its process. */
static uint32_t async_key(const struct coming *c, bool old)
{
	const struct raw_event *raw = c->raw;
	size_t n = 0;
	compose_text(c, &n, RAW_CATEGORY);
	compose_text(c, &n, RAW_SCOPE);
	if (seen_number(raw, RAW_ID))
		compose(c->part, &n, &raw->number[RAW_ID], sizeof raw->number[RAW_ID]);
	compose_text(c, &n, RAW_ID_TEXT);
	if (old)
		compose_text(c, &n, RAW_NAME);
	if (seen_text(raw, RAW_ID_TEXT) && raw->text[RAW_ID_TEXT].form == TEXT_JSON) {
		if (seen_number(raw, RAW_PID))
			compose(c->part, &n, &raw->number[RAW_PID], sizeof raw->number[RAW_PID]);
		compose_text(c, &n, RAW_PID_TEXT);
	}
	return coming_key(c, c->part->scratch, n);
}

/* Async events stand on a row of their process and category. */
uint32_t coming_async_lane(const struct coming *c)
{
	uint32_t category = coming_text(c, RAW_CATEGORY);
	struct lane_id row = {.text = category ? category : coming_text(c, RAW_NAME)};
	return lanes_find(
		&c->part->lanes, coming_lane_id(c, RAW_PID, RAW_PID_TEXT), row, LANE_ASYNC);
}

void coming_async(const struct coming *c, bool begin, bool old)
{
	add_mark(c, begin,
		(struct place){EVENT_OTHER, true, false, coming_text(c, RAW_CATEGORY),
			coming_async_lane(c), async_key(c, old)});
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_in.h - an event on its way from the parser into a part: what columns.c, row.c and
 * async_spans.c share.
 */
#ifndef REPORT_READ_EVENT_IN_H
#define REPORT_READ_EVENT_IN_H

#include "report/parse/learned_form.h"
#include "report/read/columns.h"
#include "report/trace/growing_arrays.h"

struct coming {
	struct part *part;
	const struct raw_event *raw;
	const char *begin; /* its brace */
	int64_t offset; /* of its brace in the file */
};

static inline bool seen_number(const struct raw_event *raw, enum raw_number i)
{
	return raw->seen & RAW_SEEN_NUMBER(i);
}

static inline bool seen_real(const struct raw_event *raw, enum raw_real i)
{
	return raw->seen & RAW_SEEN_REAL(i);
}

static inline bool seen_text(const struct raw_event *raw, enum raw_text_of i)
{
	return raw->seen & RAW_SEEN_TEXT(i);
}

/* One more element in a side table of the part; only its first use is zeroed. */
#define PUSH(array, n, room) \
	((n) == (room) ? (void)((room) = (room) ? 2 * (room) : 32, \
				 (array) = pages_grow(array, room, sizeof *(array))) \
		       : (void)0, \
		&(array)[(n)++])

/* Counts a repair at the event's brace. */
void coming_note(const struct coming *c, enum repair_kind kind);

/* Where in the file a text stands: in its event or, where that is made of several places, at it. */
static inline int64_t coming_place(const struct coming *c, const char *at)
{
	bool inside =
		(uintptr_t)at >= (uintptr_t)c->begin && (uintptr_t)at <= (uintptr_t)c->raw->end;
	return c->offset + (inside ? at - c->begin : 0);
}

/* The id of one of its texts, 0 when absent. */
static inline uint32_t coming_text(const struct coming *c, enum raw_text_of i)
{
	if (!seen_text(c->raw, i))
		return 0;
	const struct raw_text *t = &c->raw->text[i];
	uint32_t id = known_id(t);
	return id ? id : event_text(&c->part->texts, t, coming_place(c, t->at));
}

/* A pid or tid. */
static inline struct lane_id coming_lane_id(
	const struct coming *c, enum raw_number number, enum raw_text_of as)
{
	if (seen_number(c->raw, number))
		return (struct lane_id){.number = c->raw->number[number]};
	if (seen_text(c->raw, as))
		return (struct lane_id){.text = coming_text(c, as)};
	return (struct lane_id){.number = LANE_ABSENT};
}

/* The id of a key that pairs or joins, in part.keys. */
uint32_t coming_key(const struct coming *c, const char *at, size_t n);

/* The kind of an event of a category. */
uint8_t coming_kind_new(const struct coming *c, uint32_t category);

static inline uint8_t coming_kind(const struct coming *c, uint32_t category)
{
	const struct part *p = c->part;
	uint8_t known = category < p->kind_room ? p->kind_of[category] : 0;
	return known && known <= EVENT_KINDS ? (uint8_t)(known - 1) : coming_kind_new(c, category);
}

/* The lane of its pid and tid for an event of this kind. */
static inline uint32_t coming_lane(const struct coming *c, uint8_t kind)
{
	const uint32_t device = 1u << EVENT_GPU_ANNOTATION | 1u << EVENT_DEVICE_SYNC;
	bool on_device = event_on_device(kind) || device >> kind & 1;
	return lanes_find(&c->part->lanes, coming_lane_id(c, RAW_PID, RAW_PID_TEXT),
		coming_lane_id(c, RAW_TID, RAW_TID_TEXT), on_device ? LANE_DEVICE : LANE_HOST);
}

/* Adds its row. */
void coming_row(
	const struct coming *c, uint8_t kind, uint32_t category, uint32_t lane, int64_t dur_ns);

/* A begin or an end of its thread (B, E), or by id (b, e; S, F, the older form). */
void coming_nested(const struct coming *c, bool begin);
void coming_async(const struct coming *c, bool begin, bool old);

/* The lane of async events: a row of their process and category. */
uint32_t coming_async_lane(const struct coming *c);

#endif

/*
 * read_coming.h - an event on its way from the parser into a part: what read_part.c, read_row.c and
 * read_async.c share.
 */
#ifndef REPORT_READ_COMING_H
#define REPORT_READ_COMING_H

#include "report/pages.h"
#include "report/read_part.h"

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
	((n) == (room) ? (void)((room) = (room) ? 2 * (room) : 1024, \
				 (array) = pages_grow(array, room, sizeof *(array))) \
		       : (void)0, \
		&(array)[(n)++])

void coming_note(const struct coming *c, enum repair_kind kind);

/* The id of one of its texts, 0 when absent. */
uint32_t coming_text(const struct coming *c, enum raw_text_of i);

/* A pid or tid. */
struct lane_id coming_lane_id(const struct coming *c, enum raw_number number, enum raw_text_of as);

/* The id of a key that pairs or joins, in part.keys. */
uint32_t coming_key(const struct coming *c, const char *at, size_t n);

uint8_t coming_kind(const struct coming *c, uint32_t category);

/* The lane of its pid and tid for an event of this kind. */
uint32_t coming_lane(const struct coming *c, uint8_t kind);

/* Adds its row. */
void coming_row(
	const struct coming *c, uint8_t kind, uint32_t category, uint32_t lane, int64_t dur_ns);

/* A begin or an end of its thread (B, E), or by id (b, e; S, F, the older form). */
void coming_nested(const struct coming *c, bool begin);
void coming_async(const struct coming *c, bool begin, bool old);

/* The lane of async events: a row of their process and category. */
uint32_t coming_async_lane(const struct coming *c);

#endif

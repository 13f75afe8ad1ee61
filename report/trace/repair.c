/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/repair.h"

#include <stdlib.h>
#include <string.h>

static const char *const what[REPAIR_KINDS] = {
	[REPAIR_BOM] = "byte order mark before the JSON",
	[REPAIR_WORD] = "word instead of a number (NaN, inf, N/A)",
	[REPAIR_NUMBER] = "number as JSON does not write it (+5, 007, .5, 5.)",
	[REPAIR_COMMA_EXTRA] = "comma too many",
	[REPAIR_COMMA_MISSING] = "comma missing",
	[REPAIR_COMMENT] = "comment in JSON",
	[REPAIR_QUOTES] = "event with bare quotes in a text, mended",
	[REPAIR_NO_EVENT] = "list element that is no event",
	[REPAIR_LOST] = "damaged event, left out",
	[REPAIR_GARBAGE] = "bytes that are no JSON, skipped",
	[REPAIR_SECOND_LIST] = "second traceEvents list, read too",
	[REPAIR_LIST_CLOSED] = "event list closed too early, read on",
	[REPAIR_SECOND_DOCUMENT] = "second document in the file, read too",
	[REPAIR_LINES] = "events on lines of their own, without a list",
	[REPAIR_CUT_EVENT] = "file cut off inside an event",
	[REPAIR_CUT] = "file ends before its closing bracket",
	[REPAIR_TRAILING] = "bytes behind the JSON",
	[REPAIR_CONTROL] = "text with raw control characters",
	[REPAIR_BACKSLASH] = "text with lone backslashes",
	[REPAIR_SURROGATE] = "text with half a surrogate pair",
	[REPAIR_UTF8] = "text that is not UTF-8",
	[REPAIR_NO_TIME] = "event without a time stamp, left out",
	[REPAIR_TIME_RANGE] = "time stamp out of range, event left out",
	[REPAIR_NEGATIVE] = "negative duration, set to 0",
	[REPAIR_NO_DURATION] = "complete event without a duration, set to 0",
	[REPAIR_OTHER_CLOCK] = "time stamp days away from all others, event left out",
	[REPAIR_NO_END] = "begin without an end, closed with what it stands in",
	[REPAIR_NO_BEGIN] = "end without a begin, left out",
	[REPAIR_GZ_CUT] = "compressed data cut off",
	[REPAIR_GZ_DAMAGED] = "compressed data damaged, the rest is lost",
	[REPAIR_GZ_CHECKSUM] = "checksum of the compressed data is wrong",
	[REPAIR_GZ_TRAILING] = "bytes behind the compressed data",
	[REPAIR_UNREADABLE] = "file unreadable from here on",
};

static void keep_context(char *context, size_t size, const char *at, size_t room)
{
	size_t n = room < size - 1 ? room : size - 1;
	for (size_t i = 0; i < n; i++)
		context[i] = at[i] >= ' ' && at[i] <= '~' ? at[i] : '.';
	context[n] = '\0';
}

/* Room for one more place, among the first ones by offset; NULL when it is none of them. */
static struct repair_place *add_place(struct repair *r, int64_t offset)
{
	int at = r->n_places;
	while (at && r->place[at - 1].offset > offset)
		at--;
	if (at == REPAIR_PLACES)
		return NULL;
	int behind = r->n_places - at;
	if (r->n_places < REPAIR_PLACES)
		r->n_places++;
	else
		behind--;
	memmove(&r->place[at + 1], &r->place[at], (size_t)behind * sizeof *r->place);
	r->place[at].offset = offset;
	return &r->place[at];
}

void repair_note(struct repair_tally *tally, enum repair_kind kind, int64_t n, int64_t offset,
	const char *at, size_t room)
{
	struct repair *r = &tally->kind[kind];
	struct repair_place *place = add_place(r, offset);
	if (place)
		keep_context(place->context, sizeof place->context, at, at ? room : 0);
	r->what = what[kind];
	r->kind = kind;
	r->count += n;
}

void repair_merge(struct repair_tally *into, const struct repair_tally *from)
{
	for (int k = 0; k < REPAIR_KINDS; k++) {
		struct repair *r = &into->kind[k];
		const struct repair *other = &from->kind[k];
		for (int i = 0; i < other->n_places; i++) {
			struct repair_place *place = add_place(r, other->place[i].offset);
			if (place)
				*place = other->place[i];
		}
		r->what = what[k];
		r->kind = k;
		r->count += other->count;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct repair *x = a, *y = b;
	if (x->place[0].offset != y->place[0].offset)
		return x->place[0].offset < y->place[0].offset ? -1 : 1;
	return strcmp(x->what, y->what);
}

struct repair *repair_list(struct arena *a, const struct repair_tally *tally, size_t *n)
{
	*n = 0;
	struct repair *list = arena_array(a, REPAIR_KINDS, sizeof *list);
	for (int k = 0; k < REPAIR_KINDS; k++)
		if (tally->kind[k].count)
			list[(*n)++] = tally->kind[k];
	qsort(list, *n, sizeof *list, by_offset);
	return list;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

enum {
	LARGEST_MENDED = 1 << 16,
	MOST_MENDING = 1 << 28,
	LARGEST_EVENT = 256 << 20 /* a larger one is taken for damage */
};

void reader_skip_damage(struct reader *r)
{
	struct input_window *w = &r->w;
	reader_look_ahead(r, RESYNC_REACH); /* what is found must not depend on the chunks */
	r->wasted += w->end - w->p;
	/* Damage that is made to cost time is skipped faster. */
	bool costly = r->wasted > (64 << 20) + 4 * w->end_offset;
	for (const char *from = costly ? w->end : w->p + 1;;) {
		const char *event = resync(from, w->p, w->end);
		if (event) {
			w->p = event;
			return;
		}
		if (w->end - w->p > RESYNC_REACH)
			w->p = w->end - RESYNC_REACH;
		bool more = window_more(w);
		if (!more) {
			w->p = w->end;
			return;
		}
		from = w->p + (w->end - w->p > RESYNC_BACK ? RESYNC_BACK : w->end - w->p);
	}
}

/* It stands in the window, or was mended from what stands there. */
static inline void add_event(struct reader *r, const char *begin)
{
	part_add(r->part, &r->raw, begin, window_offset(&r->w, r->w.p));
	if (r->taker)
		r->taker->event(r->taker, r, begin);
}

/* An event that may only have bare quotes in a text. */
static bool mend(struct reader *r)
{
	struct input_window *w = &r->w;
	struct mended *m = &r->mended;
	reader_look_ahead(r, LARGEST_MENDED);
	bool last = w->end - w->p < LARGEST_MENDED;
	const char *end = last ? w->end : w->p + LARGEST_MENDED;
	r->wasted += end - w->p;
	if (mend_event(m, w->p, end, last) != PARSED)
		return false;
	if (resync(w->p + 1, w->p, w->p + m->taken)) /* that is more than one event */
		return false;
	enum parsed parsed = event_parse(r->parser, m->text, m->text + m->n, true, &r->raw);
	if (parsed != PARSED || !r->raw.phase)
		return false;
	reader_note(r, REPAIR_QUOTES);
	add_event(r, m->text);
	w->p += m->taken;
	return true;
}

/* More of an event that the window ends in, unless it is so large that it is taken for damage. */
static bool more_of_event(struct reader *r)
{
	struct input_window *w = &r->w;
	int64_t largest = r->memory / 4 < LARGEST_EVENT ? (int64_t)r->memory / 4 : LARGEST_EVENT;
	bool last = w->eof;
	return w->end - w->p < largest && (window_more(w) || !last);
}

/* The event whose brace is next. False after damage, when nobody knows whether a comma is due. */
static bool take_event(struct reader *r)
{
	struct input_window *w = &r->w;
	enum parsed parsed;
	do
		parsed = event_parse(r->parser, w->p, w->end, w->eof, &r->raw);
	while (parsed == PARSED_MORE && more_of_event(r));
	if (parsed == PARSED) {
		add_event(r, w->p);
		w->p = r->raw.end;
		return true;
	}
	if (r->wasted <= MOST_MENDING && mend(r))
		return true;
	bool cut = parsed == PARSED_MORE && w->eof && !resync(w->p + 1, w->p, w->end);
	reader_note(r, cut ? REPAIR_CUT_EVENT : REPAIR_LOST);
	r->cut |= cut;
	reader_skip_damage(r);
	return false;
}

bool reader_at_event(struct reader *r)
{
	reader_look_ahead(r, RESYNC_REACH);
	return resync_is_event(r->w.p, r->w.end);
}

/* Is there an event behind the next byte, with or without a comma between? */
static bool events_follow(const struct reader *r)
{
	const char *p = resync_space(r->w.p + 1, r->w.end);
	if (p < r->w.end && *p == ',')
		p = resync_space(p + 1, r->w.end);
	return resync_is_event(p, r->w.end);
}

/* Between elements of a list, or is this the inside of an event whose brace is lost? */
static bool may_follow_element(int c)
{
	return c < 0 || c == ',' || c == ']' || c == '}' || c == '{' || c == '/';
}

/* An element that is no object; true when a comma must follow it. */
static bool take_other_element(struct reader *r, int c, bool lines)
{
	reader_look_ahead(r, RESYNC_REACH);
	if (c == '[' && events_follow(r)) {
		reader_note(r, REPAIR_GARBAGE); /* a bracket too many */
		r->w.p++;
		return false;
	}
	struct keep nothing = {0};
	reader_note(r, REPAIR_NO_EVENT);
	int64_t offset = window_offset(&r->w, r->w.p);
	reader_take_value(r, &nothing);
	if (window_offset(&r->w, r->w.p) == offset)
		r->w.p++; /* a stray bracket */
	r->part->elements++;
	if (lines || may_follow_element(reader_peek(r)))
		return true;
	reader_note(r, REPAIR_LOST);
	reader_skip_damage(r);
	return false;
}

static bool take_comment(struct reader *r)
{
	reader_look_ahead(r, 2);
	if (r->w.end - r->w.p < 2 || r->w.p[1] != '*')
		return false;
	reader_note(r, REPAIR_COMMENT);
	for (int c = reader_next(r), last = 0; c >= 0 && !(last == '*' && c == '/');
		last = c, c = reader_next(r))
		continue;
	return true;
}

static bool both_fit(const struct reader *r, const struct reader *other)
{
	return !other->full && part_bytes(r->part) + part_bytes(other->part) <= r->memory;
}

/* At the place where another thread began, between two events: go on where it ended. */
static bool take_over(struct reader *r)
{
	int64_t offset = window_offset(&r->w, r->w.p);
	if (offset < split_offset(r->split))
		return false;
	struct time_parts *split = r->split;
	r->split = NULL;
	bool met = offset == split_offset(split) && both_fit(r, split_join(split));
	if (met) {
		struct reader *other = split_join(split);
		part_append(r->part, other->part);
		struct input_window w = r->w;
		r->w = other->w;
		other->w = w;
		r->cut |= other->cut;
		r->closed = other->closed;
		r->wasted += other->wasted;
		r->other_source = split_take_source(split);
	}
	split_free(split);
	return met;
}

bool reader_full(struct reader *r)
{
	if (r->weighed == r->w.end_offset || r->full)
		return r->full;
	r->weighed = r->w.end_offset;
	r->full = part_bytes(r->part) > r->memory;
	if (r->full) {
		reader_note(r, REPAIR_MEMORY);
		r->cut = true; /* told already */
		window_stop(&r->w);
	}
	return r->full;
}

/* From behind an event to the next one's brace, where no more than a comma and space are between:
 * none is due then. */
static inline bool next_event(struct reader *r, bool *due)
{
	if (*r->w.p != ',') /* what is behind the window is none */
		return false;
	const char *p = scan_space(r->w.p + 1, SCAN_PLAIN);
	if (*p != '{')
		return false;
	r->w.p = p;
	*due = false;
	return true;
}

/* The event whose brace is next, and all that follow it without anything unusual between; *due: is
 * a comma due, before and behind? False when no more is to be read. */
static bool take_events(struct reader *r, bool lines, bool *due)
{
	bool missing = *due && !lines;
	do {
		if ((r->full || r->weighed != r->w.end_offset) && reader_full(r))
			return false;
		if (missing)
			reader_note(r, REPAIR_COMMA_MISSING);
		if (r->split && !*due && !lines && take_over(r))
			return false;
		*due = take_event(r);
		r->part->elements++;
		missing = false;
	} while (*due && !r->stop && next_event(r, due));
	return true;
}

void reader_take_list(struct reader *r, bool lines)
{
	bool due = false; /* a comma */
	r->closed = false;
	for (bool first = true; !r->stop; first = false) {
		int c = reader_peek(r);
		if (c == '{') {
			if (!take_events(r, lines, &due))
				return;
		} else if (c == ',') {
			if (!due)
				reader_note(r, REPAIR_COMMA_EXTRA);
			r->w.p++;
			due = false;
		} else if (c == ']' && !lines) {
			if (!due && !first)
				reader_note(r, REPAIR_COMMA_EXTRA);
			r->w.p++;
			r->closed = true;
			return;
		} else if (c < 0) {
			if (!lines)
				reader_cut(r);
			return;
		} else if (c != '/' || !take_comment(r)) {
			due = take_other_element(r, c, lines);
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/file.h"

#include "report/parse/number.h"
#include "report/parse/resync.h"
#include "report/read/append.h"
#include "report/read/split.h"

#include <stdlib.h>

enum {
	BYTES_PER_EVENT = 280,
	CONTEXT = 24,
	LONGEST_KEY = 200,
	LONGEST_VALUE = 1 << 20, /* of a member that is read itself */
	LONGEST_OTHER = 1 << 16, /* of all other members; longer ones are cut */
	MOST_MEMBERS = 1000,
	LARGEST_MENDED = 1 << 16,
	MOST_MENDING = 1 << 28,
	LARGEST_EVENT = 256 << 20 /* a larger one is taken for damage */
};

void reader_init(struct reader *r, struct part *part, struct source *source, size_t chunk,
	int64_t offset, enum scan_path path)
{
	*r = (struct reader){.part = part, .path = path, .parser = event_parser_new(path)};
	window_init(&r->w, source, chunk, offset);
}

void reader_release(struct reader *r)
{
	for (size_t i = 0; i < r->n_members; i++) {
		free(r->members[i].key);
		free(r->members[i].value);
	}
	free(r->members);
	free(r->mended.text);
	event_parser_free(r->parser);
	window_release(&r->w);
	split_free(r->split);
	source_close(r->other_source);
}

/* At least n unread bytes, or all there are. */
static void look_ahead(struct reader *r, size_t n)
{
	while ((size_t)(r->w.end - r->w.p) < n && window_more(&r->w))
		continue;
}

static void note(struct reader *r, enum repair_kind kind)
{
	look_ahead(r, CONTEXT);
	repair_note(&r->part->repairs, kind, 1, window_offset(&r->w, r->w.p), r->w.p,
		(size_t)(r->w.end - r->w.p));
}

/* Something is open at the end of the file; told once. */
static void cut(struct reader *r)
{
	if (!r->cut)
		note(r, REPAIR_CUT);
	r->cut = true;
}

/* The next byte that is no space, still unread; -1 at the end. */
static inline int peek(struct reader *r)
{
	if ((unsigned char)*r->w.p > ' ' && r->w.p < r->w.end)
		return (unsigned char)*r->w.p;
	for (;;) {
		const char *p = scan_space(r->w.p, SCAN_PLAIN);
		r->w.p = p < r->w.end ? p : r->w.end;
		if (r->w.p < r->w.end)
			return (unsigned char)*r->w.p;
		if (!window_more(&r->w))
			return -1;
	}
}

/* The next byte, read; -1 at the end. */
static int next(struct reader *r)
{
	if (r->w.p == r->w.end && !window_more(&r->w))
		return -1;
	return (unsigned char)*r->w.p++;
}

/* A text that grows up to a limit; what comes after is dropped. */
struct keep {
	char *text;
	size_t n, room, limit;
};

static void keep(struct keep *k, int c)
{
	if (k->n >= k->limit)
		return;
	if (k->n + 1 >= k->room) {
		k->room = k->room ? 2 * k->room : 64;
		k->text = xrealloc(k->text, k->room, 1);
	}
	k->text[k->n++] = (char)c;
	k->text[k->n] = '\0';
}

/* The inside of a string whose quote has been read. */
static void take_string(struct reader *r, struct keep *k)
{
	for (int c; (c = next(r)) >= 0 && c != '"';) {
		keep(k, c);
		if (c == '\\' && (c = next(r)) >= 0)
			keep(k, c);
	}
}

static void take_container(struct reader *r, struct keep *k)
{
	size_t depth = 0;
	do {
		int c = next(r);
		if (c < 0)
			return;
		keep(k, c);
		if (c == '"') {
			take_string(r, k);
			keep(k, '"');
		} else if ((c | 32) == '{') {
			depth++;
		} else if ((c | 32) == '}') {
			depth--;
		}
	} while (depth);
}

/* Any value, as text. A string loses its quotes. */
static void take_value(struct reader *r, struct keep *k)
{
	int c = peek(r);
	if (c == '"') {
		r->w.p++;
		take_string(r, k);
	} else if ((c | 32) == '{') {
		take_container(r, k);
	} else {
		for (; c > ' ' && c != ',' && c != '}' && c != ']'; c = *r->w.p) {
			keep(k, c);
			r->w.p++;
			if (r->w.p == r->w.end && !window_more(&r->w))
				return;
		}
	}
}

static void add_member(struct reader *r, char *key, struct keep *value)
{
	if (r->n_members == MOST_MEMBERS || !key) {
		free(key);
		free(value->text);
		return;
	}
	if (!(r->n_members & (r->n_members + 1)))
		r->members = xrealloc(r->members, 2 * (r->n_members + 1), sizeof *r->members);
	char *text = value->text ? value->text : xstrdup("");
	r->members[r->n_members++] = (struct member){key, text};
}

const char *reader_member(const struct reader *r, const char *key)
{
	for (size_t i = 0; i < r->n_members; i++)
		if (!strcmp(r->members[i].key, key))
			return r->members[i].value;
	return NULL;
}

/* The event at the window's start is no JSON: go on at the next one that looks like an event. */
static void skip_damage(struct reader *r)
{
	struct input_window *w = &r->w;
	look_ahead(r, RESYNC_REACH); /* what is found must not depend on the chunks */
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

/* An event that may only have bare quotes in a text. */
static bool mend(struct reader *r)
{
	struct input_window *w = &r->w;
	struct mended *m = &r->mended;
	look_ahead(r, LARGEST_MENDED);
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
	note(r, REPAIR_QUOTES);
	part_add(r->part, &r->raw, m->text, window_offset(w, w->p));
	w->p += m->taken;
	return true;
}

/* The event whose brace is next. False after damage, when nobody knows whether a comma is due. */
static bool take_event(struct reader *r)
{
	struct input_window *w = &r->w;
	enum parsed parsed;
	bool last, more;
	do {
		last = w->eof;
		parsed = event_parse(r->parser, w->p, w->end, last, &r->raw);
		more = parsed == PARSED_MORE && w->end - w->p < LARGEST_EVENT;
	} while (more && (window_more(w) || !last));
	if (parsed == PARSED) {
		part_add(r->part, &r->raw, w->p, window_offset(w, w->p));
		w->p = r->raw.end;
		return true;
	}
	if (r->wasted <= MOST_MENDING && mend(r))
		return true;
	bool cut = parsed == PARSED_MORE && w->eof && !resync(w->p + 1, w->p, w->end);
	note(r, cut ? REPAIR_CUT_EVENT : REPAIR_LOST);
	r->cut |= cut;
	skip_damage(r);
	return false;
}

/* Does the object at the window's start begin like an event? */
static bool looks_like_event(struct reader *r)
{
	look_ahead(r, RESYNC_REACH);
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
	look_ahead(r, RESYNC_REACH);
	if (c == '[' && events_follow(r)) {
		note(r, REPAIR_GARBAGE); /* a bracket too many */
		r->w.p++;
		return false;
	}
	struct keep nothing = {0};
	note(r, REPAIR_NO_EVENT);
	int64_t offset = window_offset(&r->w, r->w.p);
	take_value(r, &nothing);
	if (window_offset(&r->w, r->w.p) == offset)
		r->w.p++; /* a stray bracket */
	r->part->elements++;
	if (lines || may_follow_element(peek(r)))
		return true;
	note(r, REPAIR_LOST);
	skip_damage(r);
	return false;
}

static bool take_comment(struct reader *r)
{
	look_ahead(r, 2);
	if (r->w.end - r->w.p < 2 || r->w.p[1] != '*')
		return false;
	note(r, REPAIR_COMMENT);
	for (int c = next(r), last = 0; c >= 0 && !(last == '*' && c == '/'); last = c, c = next(r))
		continue;
	return true;
}

/* At the place where another thread began, between two events: go on where it ended. */
static bool take_over(struct reader *r)
{
	int64_t offset = window_offset(&r->w, r->w.p);
	if (offset < split_offset(r->split))
		return false;
	struct split *split = r->split;
	r->split = NULL;
	bool met = offset == split_offset(split);
	if (met) {
		struct reader *other = split_join(split);
		part_append(r->part, other->part);
		struct input_window w = r->w;
		r->w = other->w;
		other->w = w;
		r->cut |= other->cut;
		r->wasted += other->wasted;
		r->other_source = split_take_source(split);
	}
	split_free(split);
	return met;
}

/* The elements of an event list whose bracket has been read, up to and with its end. In `lines`
 * mode there are no brackets and no commas. */
static void take_list(struct reader *r, bool lines)
{
	bool due = false; /* a comma */
	for (bool first = true; !r->stop; first = false) {
		int c = peek(r);
		if (c == '{') {
			if (due && !lines)
				note(r, REPAIR_COMMA_MISSING);
			if (r->split && !due && !lines && take_over(r))
				return;
			due = take_event(r);
			r->part->elements++;
		} else if (c == ',') {
			if (!due)
				note(r, REPAIR_COMMA_EXTRA);
			r->w.p++;
			due = false;
		} else if (c == ']' && !lines) {
			if (!due && !first)
				note(r, REPAIR_COMMA_EXTRA);
			r->w.p++;
			return;
		} else if (c < 0) {
			if (!lines)
				cut(r);
			return;
		} else if (c != '/' || !take_comment(r)) {
			due = take_other_element(r, c, lines);
		}
	}
}

static void use_member(struct reader *r, const char *key, const char *value)
{
	struct decimal d;
	if (strcmp(key, "baseTimeNanoseconds") || !value)
		return;
	struct part *p = r->part;
	if (decimal_parse(value, strlen(value), &d))
		decimal_to_int(&d, 0, &p->documents[p->n_documents - 1].base_ns);
}

/* Is a list of events next, perhaps without the bracket that begins it? Its bracket is read. */
static bool begin_list(struct reader *r)
{
	int c = peek(r);
	if (c == '[') {
		if (r->list_here)
			note(r, REPAIR_SECOND_LIST);
		r->w.p++;
		return true;
	}
	if (c < 0 || (c == '{' && !looks_like_event(r)) || c == '"' || c == 'n' || c == '-' ||
		(c >= '0' && c <= '9'))
		return false;
	note(r, REPAIR_GARBAGE);
	if (c != '{')
		skip_damage(r);
	return peek(r) == '{';
}

/* One member of the top level; false when there is none. */
static bool take_member(struct reader *r)
{
	struct keep key = {.limit = LONGEST_KEY}, value = {.limit = LONGEST_OTHER};
	if (peek(r) != '"')
		return false;
	r->w.p++;
	take_string(r, &key);
	if (peek(r) != ':') {
		free(key.text);
		return false;
	}
	r->w.p++;
	if (key.text && !strcmp(key.text, "traceEvents") && begin_list(r)) {
		r->lists = r->list_here = true;
		free(key.text);
		take_list(r, false);
		return true;
	}
	if (key.text &&
		(!strcmp(key.text, "deviceProperties") || !strcmp(key.text, "distributedInfo")))
		value.limit = LONGEST_VALUE;
	take_value(r, &value);
	if (key.text)
		use_member(r, key.text, value.text);
	add_member(r, key.text, &value);
	return true;
}

/* Events where a list has just ended: a bracket too many. Reads on as if it were not there. */
static bool resume_list(struct reader *r, int c)
{
	if (!r->list_here || c != '{' || !looks_like_event(r))
		return false;
	note(r, REPAIR_LIST_CLOSED);
	take_list(r, false);
	return true;
}

/* What is no member: up to the next comma or brace. */
static void skip_garbage(struct reader *r)
{
	note(r, REPAIR_GARBAGE);
	r->w.p += r->w.p < r->w.end;
	for (int c; (c = peek(r)) >= 0 && c != ',' && c != '}';)
		r->w.p++;
}

/* The members of an object whose brace has been read. */
static void take_members(struct reader *r)
{
	for (;;) {
		int c = peek(r);
		if (c == ',') {
			r->w.p++;
		} else if (c == '}') {
			r->w.p++;
			return;
		} else if (c < 0) {
			cut(r);
			return;
		} else if (!resume_list(r, c) && !take_member(r)) {
			skip_garbage(r);
		}
	}
}

static void take_document(struct reader *r, int c)
{
	bool again = r->part->n_documents > 0;
	if (again)
		note(r, REPAIR_SECOND_DOCUMENT);
	part_document(r->part);
	r->list_here = false;
	if (c == '[') {
		r->w.p++;
		r->lists = true;
		take_list(r, false);
	} else if (looks_like_event(r)) {
		note(r, REPAIR_LINES);
		take_list(r, true);
	} else {
		r->object |= !again;
		r->w.p++;
		take_members(r);
	}
}

/* JSON's own space only: a file padded with NULs is worth a word. */
static int peek_strict(struct reader *r)
{
	for (;;) {
		look_ahead(r, 1);
		if (r->w.p == r->w.end)
			return -1;
		char c = *r->w.p;
		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return (unsigned char)c;
		r->w.p++;
	}
}

/* Behind the end of the JSON: what looks like more events of the list is read as such. False when
 * there is none. */
static bool take_trailing(struct reader *r)
{
	note(r, REPAIR_TRAILING);
	if (!r->lists)
		return false;
	skip_damage(r);
	if (peek(r) != '{')
		return false;
	take_list(r, false);
	if (r->object && peek(r) >= 0)
		take_members(r);
	return true;
}

void reader_run_list(struct reader *r)
{
	take_list(r, false);
}

size_t reader_rows_expected(int64_t json_bytes)
{
	return json_bytes > 0 ? (size_t)(json_bytes / BYTES_PER_EVENT) : 0;
}

void reader_run(struct reader *r)
{
	look_ahead(r, sizeof r->head);
	r->n_head = (size_t)(r->w.end - r->w.p);
	if (r->n_head > sizeof r->head)
		r->n_head = sizeof r->head;
	memcpy(r->head, r->w.p, r->n_head);
	if (r->n_head >= 3 && !memcmp(r->head, "\xef\xbb\xbf", 3)) {
		note(r, REPAIR_BOM);
		r->w.p += 3;
	}
	for (int c; (c = peek_strict(r)) >= 0;) {
		if (c == ',' && r->list_here) {
			r->w.p++;
			if (resume_list(r, peek(r)))
				continue;
		}
		if (c != '{' && c != '[') {
			if (!r->part->n_documents || !take_trailing(r))
				return;
			continue;
		}
		take_document(r, c);
	}
}

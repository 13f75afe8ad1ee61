/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "report/parse/number.h"

#include <stdlib.h>

enum {
	BYTES_PER_EVENT = 280,
	CONTEXT = 24,
	LONGEST_KEY = 200,
	LONGEST_VALUE = 1 << 20, /* of a member that is read itself */
	LONGEST_OTHER = 1 << 16, /* of all other members; longer ones are cut */
	LONGEST_COPIED = 256 << 20, /* of any, for who wants it as it stands */
	MOST_MEMBERS = 1000
};

void reader_init(struct reader *r, struct part *part, struct source *source, size_t chunk,
	int64_t offset, enum scan_path path)
{
	*r = (struct reader){.part = part,
		.path = path,
		.parser = event_parser_new(path),
		.memory = SIZE_MAX,
		.weighed = -1};
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

void reader_look_ahead(struct reader *r, size_t n)
{
	while ((size_t)(r->w.end - r->w.p) < n && window_more(&r->w))
		continue;
}

void reader_note(struct reader *r, enum repair_kind kind)
{
	reader_look_ahead(r, CONTEXT);
	repair_note(&r->part->repairs, kind, 1, window_offset(&r->w, r->w.p), r->w.p,
		(size_t)(r->w.end - r->w.p));
}

void reader_cut(struct reader *r)
{
	if (!r->cut)
		reader_note(r, REPAIR_CUT);
	r->cut = true;
}

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
	for (int c; (c = reader_next(r)) >= 0 && c != '"';) {
		keep(k, c);
		if (c == '\\' && (c = reader_next(r)) >= 0)
			keep(k, c);
	}
}

static void take_container(struct reader *r, struct keep *k)
{
	size_t depth = 0;
	do {
		int c = reader_next(r);
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

void reader_take_value(struct reader *r, struct keep *k)
{
	int c = reader_peek(r);
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

void reader_keep_member(struct reader *r, char *key, char *value)
{
	if (r->n_members == MOST_MEMBERS || !key) {
		free(key);
		free(value);
		return;
	}
	if (!(r->n_members & (r->n_members + 1)))
		r->members = xrealloc(r->members, 2 * (r->n_members + 1), sizeof *r->members);
	r->members[r->n_members++] = (struct member){key, value ? value : xstrdup("")};
}

const char *reader_member(const struct reader *r, const char *key)
{
	for (size_t i = 0; i < r->n_members; i++)
		if (!strcmp(r->members[i].key, key))
			return r->members[i].value;
	return NULL;
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
	int c = reader_peek(r);
	if (c == '[') {
		if (r->list_here)
			reader_note(r, REPAIR_SECOND_LIST);
		r->w.p++;
		return true;
	}
	if (c < 0 || (c == '{' && !reader_at_event(r)) || c == '"' || c == 'n' || c == '-' ||
		(c >= '0' && c <= '9'))
		return false;
	reader_note(r, REPAIR_GARBAGE);
	if (c != '{')
		reader_skip_damage(r);
	return reader_peek(r) == '{';
}

/* One member of the top level; false when there is none. */
static bool take_member(struct reader *r)
{
	struct keep key = {.limit = LONGEST_KEY}, value = {.limit = LONGEST_OTHER};
	if (reader_peek(r) != '"')
		return false;
	r->w.p++;
	take_string(r, &key);
	if (reader_peek(r) != ':') {
		free(key.text);
		return false;
	}
	r->w.p++;
	if (key.text && !strcmp(key.text, "traceEvents") && begin_list(r)) {
		r->lists = r->list_here = true;
		free(key.text);
		reader_take_list(r, false);
		return true;
	}
	if (key.text &&
		(!strcmp(key.text, "deviceProperties") || !strcmp(key.text, "distributedInfo")))
		value.limit = LONGEST_VALUE;
	if (r->taker)
		value.limit = LONGEST_COPIED;
	bool text = reader_peek(r) == '"';
	reader_take_value(r, &value);
	if (r->taker && key.text)
		r->taker->member(r->taker, r, key.text, value.text ? value.text : "", text);
	if (key.text)
		use_member(r, key.text, value.text);
	reader_keep_member(r, key.text, value.text);
	return true;
}

/* The first event of a list whose beginning was destroyed. */
static void begin_headless(struct reader *r)
{
	reader_note(r, REPAIR_HEAD);
	r->lists = r->list_here = r->object = r->headless = true;
}

/* Events where no member can be. A list has just ended: a bracket too many, which is read over. Or
 * none began: what stood in front of these events was destroyed. */
static bool resume_list(struct reader *r, int c)
{
	if ((r->lists && !r->list_here) || c != '{' || !reader_at_event(r))
		return false;
	if (r->list_here)
		reader_note(r, REPAIR_LIST_CLOSED);
	else
		begin_headless(r);
	reader_take_list(r, false);
	return true;
}

/* What is no member: up to the next comma or brace. */
static void skip_garbage(struct reader *r)
{
	reader_note(r, REPAIR_GARBAGE);
	r->w.p += r->w.p < r->w.end;
	for (int c; (c = reader_peek(r)) >= 0 && c != ',' && c != '}';)
		r->w.p++;
}

/* The members of an object whose brace has been read. */
static void take_members(struct reader *r)
{
	for (;;) {
		int c = reader_peek(r);
		if (c == ',') {
			r->w.p++;
		} else if (c == '}') {
			r->w.p++;
			return;
		} else if (c < 0) {
			reader_cut(r);
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
		reader_note(r, REPAIR_SECOND_DOCUMENT);
	part_document(r->part);
	r->list_here = false;
	if (c == '[') {
		r->w.p++;
		r->lists = true;
		reader_take_list(r, false);
	} else if (reader_at_event(r)) {
		reader_note(r, REPAIR_LINES);
		reader_take_list(r, true);
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
		reader_look_ahead(r, 1);
		if (r->w.p == r->w.end)
			return -1;
		char c = *r->w.p;
		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return (unsigned char)c;
		r->w.p++;
	}
}

/* Behind the end of the JSON: what looks like more events of the list is read as such. Where no
 * list began, its beginning was destroyed, as by a program that died while it wrote; then the first
 * whole event is noted. False when there is none. */
static bool take_trailing(struct reader *r)
{
	if (r->lists)
		reader_note(r, REPAIR_TRAILING);
	reader_skip_damage(r);
	if (reader_peek(r) != '{')
		return false;
	if (!r->part->n_documents)
		part_document(r->part);
	if (!r->lists)
		begin_headless(r);
	reader_take_list(r, false);
	if (r->object && reader_peek(r) >= 0)
		take_members(r);
	return true;
}

size_t reader_rows_expected(int64_t json_bytes)
{
	return json_bytes > 0 ? (size_t)(json_bytes / BYTES_PER_EVENT) : 0;
}

void reader_run(struct reader *r)
{
	reader_look_ahead(r, sizeof r->head);
	r->n_head = (size_t)(r->w.end - r->w.p);
	if (r->n_head > sizeof r->head)
		r->n_head = sizeof r->head;
	memcpy(r->head, r->w.p, r->n_head);
	if (r->n_head >= 3 && !memcmp(r->head, "\xef\xbb\xbf", 3)) {
		reader_note(r, REPAIR_BOM);
		r->w.p += 3;
	}
	for (int c; (c = peek_strict(r)) >= 0;) {
		if (c == ',' && r->list_here) {
			r->w.p++;
			if (resume_list(r, reader_peek(r)))
				continue;
		}
		if (c != '{' && c != '[') {
			if ((!r->part->n_documents && refuse_known(r)) || !take_trailing(r))
				return;
			continue;
		}
		take_document(r, c);
	}
}

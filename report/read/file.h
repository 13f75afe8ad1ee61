/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - the JSON around the events: objects, lists, members, and their damage.
 *
 * One reader walks one stretch of a file and fills one part. Events go to parse/event.h; members of
 * the top level are kept as text; everything else is skipped without being held.
 */
#ifndef REPORT_READ_FILE_H
#define REPORT_READ_FILE_H

#include "report/parse/damage.h"
#include "report/parse/file_window.h"
#include "report/parse/scan.h"
#include "report/read/columns.h"

#include <stdatomic.h>

struct time_parts;

struct member { /* of the top level */
	char *key, *value; /* owned; the value as JSON text, a string without its quotes */
};

/* Who wants the bytes of a file, too (cut.c). */
struct reader;
struct byte_taker {
	/* An event that the part has just got; its bytes end at r->raw.end. */
	void (*event)(struct byte_taker *to, struct reader *r, const char *begin);
	/* A member of the top level as it stands, a text without its quotes. */
	void (*member)(struct byte_taker *to, struct reader *r, const char *key, const char *value,
		bool text);
	void (*flow)(struct byte_taker *to, const char *text, size_t n); /* cut_flows.h */
};

struct reader {
	struct input_window w;
	struct part *part;
	struct event_parser *parser;
	enum scan_path path;
	bool lists, list_here; /* an event list was seen, maybe an empty one; in this document */
	bool object; /* the first root was an object */
	bool headless; /* the beginning of the list was destroyed */
	bool cut; /* the file ended inside something */
	bool closed; /* the last list of events has ended with its bracket */
	int64_t wasted; /* bytes looked at twice because of damage */
	size_t memory; /* what the part may hold; more than it is read no further */
	int64_t weighed; /* the end of the window when that was last asked */
	bool full; /* it holds more */
	struct member *members;
	size_t n_members;
	char head[512]; /* the first bytes of the file, for the message of a refusal */
	size_t n_head;
	struct time_parts *split; /* another thread's reader of the second half, or NULL */
	struct source *other_source; /* owned: of the window that came from another thread */
	atomic_bool stop; /* set by another thread: nobody wants the rest */
	struct byte_taker *taker; /* lent; NULL: nobody */
	struct raw_event raw;
	struct mended mended;
};

/* `offset`: where the source stands in the file. */
void reader_init(struct reader *r, struct part *part, struct source *source, size_t chunk,
	int64_t offset, enum scan_path path);
void reader_release(struct reader *r);

/* Reads to the end of the file, over any number of documents. */
void reader_run(struct reader *r);

/* How many rows so many bytes of JSON usually make; room that is not used costs nothing. */
size_t reader_rows_expected(int64_t json_bytes);

/* One more member, whose texts it takes over. */
void reader_keep_member(struct reader *r, char *key, char *value);

/* The value of the first member with this key, NULL if there is none. */
const char *reader_member(const struct reader *r, const char *key);

/*
 * ---- What file.c and event_list.c share: the bytes under the reader. All move r->w and write
 * repairs into r->part; none can fail. ----
 */

/* At least n unread bytes in the window, or all there are. */
void reader_look_ahead(struct reader *r, size_t n);

/* Counts a repair at the next unread byte, with what stands there. */
void reader_note(struct reader *r, enum repair_kind kind);

/* Notes that something is open at the end of the file; once. */
void reader_cut(struct reader *r);

/* The next byte that is no space, still unread; -1 at the end. */
static inline int reader_peek(struct reader *r)
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
static inline int reader_next(struct reader *r)
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

/* Reads any value and adds it to k as text. A string loses its quotes. */
void reader_take_value(struct reader *r, struct keep *k);

/* Does the part hold more than it may? Asked once a window, so that the same file ends at the same
 * byte. The rest is then passed over. */
bool reader_full(struct reader *r);

/* Reads the elements of an event list whose bracket has been read, up to and with its end. In
 * `lines` mode there are no brackets and no commas, and the list ends with the file. */
void reader_take_list(struct reader *r, bool lines);

/* Does the object at the window's start begin like an event? */
bool reader_at_event(struct reader *r);

/* What stands at the window's start is no JSON: goes on at the next place that looks like an event,
 * or at the end of the file. */
void reader_skip_damage(struct reader *r);

#endif

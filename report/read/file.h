/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - the JSON around the events: objects, lists, members, and their damage.
 *
 * One reader walks one stretch of a file and fills one part. Events go to parse/event.h; members of
 * the top level are kept as text; everything else is skipped without being held.
 */
#ifndef REPORT_READ_FILE_H
#define REPORT_READ_FILE_H

#include "report/parse/mend.h"
#include "report/parse/window.h"
#include "report/read/columns.h"

#include <stdatomic.h>

struct split;

struct member { /* of the top level */
	char *key, *value; /* owned; the value as JSON text, a string without its quotes */
};

struct reader {
	struct input_window w;
	struct part *part;
	struct event_parser *parser;
	enum scan_path path;
	bool lists, list_here; /* an event list was seen, maybe an empty one; in this document */
	bool object; /* the first root was an object */
	bool cut; /* the file ended inside something */
	int64_t wasted; /* bytes looked at twice because of damage */
	struct member *members;
	size_t n_members;
	char head[512]; /* the first bytes of the file, for the message of a refusal */
	size_t n_head;
	struct split *split; /* another thread's reader of the second half, or NULL */
	struct source *other_source; /* owned: of the window that came from another thread */
	atomic_bool stop; /* set by another thread: nobody wants the rest */
	struct raw_event raw;
	struct mended mended;
};

/* `offset`: where the source stands in the file. */
void reader_init(struct reader *r, struct part *part, struct source *source, size_t chunk,
	int64_t offset, enum scan_path path);
void reader_release(struct reader *r);

/* Reads to the end of the file, over any number of documents. */
void reader_run(struct reader *r);

/* Reads the rest of an event list, from the beginning of an event on. */
void reader_run_list(struct reader *r);

/* How many rows so many bytes of JSON usually make; room that is not used costs nothing. */
size_t reader_rows_expected(int64_t json_bytes);

/* The value of the first member with this key, NULL if there is none. */
const char *reader_member(const struct reader *r, const char *key);

#endif

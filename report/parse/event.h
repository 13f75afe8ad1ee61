/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - the room that parses: bytes into one event of a trace, from its brace to its brace.
 *
 * In come the bytes of a file, plain or from gzip (source.h), through a window that moves over them
 * (file_window.h); out goes one `struct raw_event` at a time: numbers in ns, texts as they stand in
 * the file, and what was wrong with them. What surrounds events is the business of read/.
 *
 * The parser knows the keys that matter by sight and skips all others. It is lenient in values and
 * strict in structure: a value of the wrong kind costs that value, a bracket in the wrong place
 * costs the event (damage.h tries to save it). Nothing is copied: texts are spans of the window.
 */
#ifndef REPORT_PARSE_EVENT_H
#define REPORT_PARSE_EVENT_H

#include "report/parse/scan.h"
#include "report/parse/strings.h"
#include "report/trace/repair.h"

/* Numbers of an event, by what they mean. Grid and block take three in a row. */
enum raw_number {
	RAW_TS, /* ns */
	RAW_DUR, /* ns */
	RAW_PID, /* ids are here when they are numbers, else among the texts */
	RAW_TID,
	RAW_ID,
	RAW_EXTERNAL,
	RAW_CORRELATION,
	RAW_STREAM,
	RAW_DEVICE,
	RAW_CONTEXT,
	RAW_REGISTERS,
	RAW_SHARED,
	RAW_OCCUPANCY,
	RAW_BYTES,
	RAW_GRAPH_NODE,
	RAW_SORT_INDEX,
	RAW_ALLOCATED, /* of "[memory]", which has its bytes and device as a copy has */
	RAW_RESERVED,
	RAW_ADDRESS,
	RAW_IN_ELEMENTS, /* of a collective */
	RAW_OUT_ELEMENTS,
	RAW_GROUP_SIZE,
	RAW_SEQUENCE, /* of autograd, of an operator */
	RAW_FORWARD_THREAD, /* of an operator of a backward pass; 0: of any other */
	RAW_GRID,
	RAW_BLOCK = RAW_GRID + 3,
	RAW_NUMBERS = RAW_BLOCK + 3
};

enum raw_real { RAW_BLOCKS_PER_SM, RAW_WARPS_PER_SM, RAW_BANDWIDTH, RAW_REALS };

enum raw_text_of {
	RAW_NAME,
	RAW_CATEGORY,
	RAW_PID_TEXT, /* in the order of RAW_PID .. RAW_CORRELATION */
	RAW_TID_TEXT,
	RAW_ID_TEXT,
	RAW_EXTERNAL_TEXT,
	RAW_CORRELATION_TEXT,
	RAW_SCOPE,
	RAW_DIMS,
	RAW_TYPES,
	RAW_STRIDES,
	RAW_CONCRETE,
	RAW_KIND, /* args.kind */
	RAW_LABEL, /* args.name, args.labels of metadata */
	RAW_COLLECTIVE,
	RAW_DTYPE,
	RAW_GROUP, /* of processes that a collective is of */
	RAW_TEXTS
};

struct known;

struct raw_text {
	const char *at; /* raw bytes between the quotes, or of a whole list */
	uint32_t n;
	enum text_form form;
	uint32_t stamp; /* of what is known, when it was */
	struct known
		*known; /* of this text, by those who read it before (learned_form.h), or NULL */
};

struct raw_event {
	uint64_t seen; /* RAW_SEEN_* bits: the other members are unset where their bit is not */
	char phase; /* first byte of `ph`, 0 when absent */
	bool fraction; /* a stamp or duration had digits behind the point */
	int64_t number[RAW_NUMBERS];
	double real[RAW_REALS];
	struct raw_text text[RAW_TEXTS];
	const char *end; /* one past the closing brace; where it broke, when it did */
	uint32_t noted; /* bit per enum repair_kind, of those of the text */
	uint32_t notes; /* all of them together */
	struct {
		uint32_t n;
		const char *at;
	} note[REPAIR_KINDS];
};

#define RAW_SEEN_NUMBER(i) (1ull << (i))
#define RAW_SEEN_REAL(i) (1ull << (32 + (i)))
#define RAW_SEEN_TEXT(i) (1ull << (40 + (i)))

_Static_assert(RAW_NUMBERS <= 32 && RAW_REALS <= 8 && RAW_TEXTS <= 24, "bits of seen");

enum parsed {
	PARSED, /* raw->end is behind the event */
	PARSED_MORE, /* the window ends inside the event */
	PARSED_BROKEN /* no JSON object: raw->end is where it broke */
};

/* What one reader knows about events: their keys, and what it learned about how they are printed.
 * A path that the processor lacks becomes the next narrower one. */
struct event_parser;
struct event_parser *event_parser_new(enum scan_path path);

/* From now on the members of flows, objects and samples, too, of which else only the phase is
 * taken. */
void event_parser_takes_all(struct event_parser *parser);
void event_parser_free(struct event_parser *parser);

/* Parses the object whose brace is at p; [p, end) and the pad behind it are a window. `last`: the
 * file ends there. */
enum parsed event_parse(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw);

/* The id of a text of an event that was just parsed, added to `texts` if new. Always with the
 * texts of the same part. */
uint32_t event_text(struct strings *texts, const struct raw_text *t, int64_t offset);

/* The first member of a parsed event's args that is a number; false when there is none. */
bool event_counter(const char *begin, const char *end, struct raw_text *key, double *value);

#endif

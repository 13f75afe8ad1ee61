/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pickle.h - a Python pickle of lists, dicts, tuples, texts and numbers, as a tree of values.
 *
 * A pickle is a program for a small machine with a stack. Only those of its instructions are known
 * that make such values and put them together (protocols 2 to 5, cpython/Lib/pickletools.py); what
 * names a class, calls or builds something ends the reading with a failure, so nothing of a file is
 * ever run. A value that stands at several places is one value here, too; so a tree may be endless,
 * and whoever walks it goes down a fixed number of steps and counts his work.
 *
 * Time is linear in the bytes, memory at most some forty bytes for each of them, and bounded. Where
 * the bytes or the room end early, what is open is closed with what it has so far.
 */
#ifndef REPORT_READ_PICKLE_H
#define REPORT_READ_PICKLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pickle_kind {
	PICKLE_NONE, /* None; what is not there */
	PICKLE_BOOL,
	PICKLE_INT, /* one that has no room is the nearest that has */
	PICKLE_REAL,
	PICKLE_TEXT,
	PICKLE_LIST, /* a tuple, too */
	PICKLE_DICT
};

/* A value of a pickle; 0 is None. */
typedef uint64_t pickle_value;

enum { PICKLE_KIND_BITS = 3 };

static inline enum pickle_kind pickle_kind(pickle_value v)
{
	return (enum pickle_kind)(v & ((1u << PICKLE_KIND_BITS) - 1));
}

struct pickle_box; /* what a list or a dict holds, in runs */
struct pickle_run;

struct pickle {
	const char *bytes; /* (n) lent */
	size_t n;
	size_t memory; /* what may be held beside the bytes */
	pickle_value root;
	bool cut; /* the bytes ended in front of its end */
	bool full; /* it would take more memory */

	pickle_value *item; /* of all runs */
	struct pickle_run *run;
	struct pickle_box *box;
	size_t n_items, item_room, n_runs, run_room, n_boxes, box_room;
	pickle_value *stack, *memo;
	size_t *mark; /* heights of the stack */
	size_t depth, stack_room, memos, memo_room, n_marks, mark_room;
};

/* Does a file begin as a pickle does? */
bool pickle_begins(const char *bytes, size_t n);

/* Reads p->bytes into p->root. The failure is one line after the path: it says what is wrong with
 * the pickle, and where. */
int pickle_read(struct pickle *p, const char *path, struct err *err);

void pickle_release(struct pickle *p);

/* Elements of a list; keys and values of a dict, in turn. None of all other values. */
struct pickle_walk {
	const struct pickle *p;
	size_t run, at;
};

struct pickle_walk pickle_walk(const struct pickle *p, pickle_value of);
bool pickle_next(struct pickle_walk *w, pickle_value *v);

/* How many elements a list has, or a dict keys and values. */
size_t pickle_count(const struct pickle *p, pickle_value of);

/* A whole number; `otherwise` for what is none. */
int64_t pickle_int(pickle_value v, int64_t otherwise);

/* A text, lent; (*n) 0 and "" for what is none. Not necessarily UTF-8, and without a NUL behind it.
 */
const char *pickle_text(const struct pickle *p, pickle_value v, size_t *n);

/* The number of a list or a dict, below p->n_boxes: the same value has the same. 0 for all others.
 */
size_t pickle_box(pickle_value v);

/* Is it this text? */
bool pickle_is(const struct pickle *p, pickle_value v, const char *text);

#endif

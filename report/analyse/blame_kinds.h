/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame_kinds.h - what a row of the host is doing, by its own name and those around it.
 */
#ifndef REPORT_ANALYSE_BLAME_KINDS_H
#define REPORT_ANALYSE_BLAME_KINDS_H

#include "report/analyse/blame.h"
#include "report/analyse/breakdown.h"

/* Asked row by row; what is around several rows is looked at once. */
struct host_kinds {
	const struct analysis *a;
	uint8_t *of_name; /* (names) 0: not asked yet */
	uint8_t *known; /* (rows) bits of what was found out */
	uint8_t *what; /* (rows) 1 + enum blame_kind, and HOST_IDLE; 0: not asked yet */
	uint32_t *sayer; /* (rows) who says so, however far, + 1; NO_ROW: nobody; 0: not asked yet;
			    NULL before the first is */
	struct arena *arena;
	struct spans captures; /* while a thread captures a graph */
	uint32_t *first; /* (names) the first launch of a kernel, NO_ROW */
};

/* The arena owns it. */
struct host_kinds host_kinds_of(struct arena *arena, const struct analysis *a);

/* Of a row: it is in nothing but a step or a range, or waits for autograd's threads. */
enum { HOST_IDLE = 0x80 };

uint8_t host_asked(struct host_kinds *k, uint32_t row);

/* 1 + the kind of a row's own time, and HOST_IDLE where it is so. */
static inline uint8_t host_what(struct host_kinds *k, uint32_t row)
{
	return k->what[row] ? k->what[row] : host_asked(k, row);
}

/* Of a row's own time; NO_ROW: nothing is recorded. */
static inline enum blame_kind host_kind(struct host_kinds *k, uint32_t row)
{
	return row == NO_ROW ? BLAME_NOTHING
			     : (enum blame_kind)((host_what(k, row) & ~HOST_IDLE) - 1);
}

static inline bool host_is_idle(struct host_kinds *k, uint32_t row)
{
	return row == NO_ROW || host_what(k, row) & HOST_IDLE;
}

/* What is remembered in k->sayer, found. */
uint32_t host_sayer(struct host_kinds *k, uint32_t row);

enum { HOST_SAYS_REACH = 64 };

/* The span that says so of a row, itself or one around it: where the compiler, loading and getting
 * data are told by another's name. */
static inline uint32_t host_says(struct host_kinds *k, uint32_t row)
{
	const uint16_t *depth = k->a->trace->depth;
	uint32_t said = k->sayer && k->sayer[row] ? k->sayer[row] : host_sayer(k, row);
	return said != NO_ROW && depth[row] - depth[said - 1] < HOST_SAYS_REACH ? said - 1 : row;
}

/* Does a Python function wait there for autograd's threads? */
bool host_hands_over(struct host_kinds *k, uint32_t row);

#endif

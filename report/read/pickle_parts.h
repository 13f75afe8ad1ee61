/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pickle_parts.h - what pickle.c (the machine) and pickle_ask.c (its values) share: the letters of
 * the instructions, and how lists and dicts lie in memory.
 */
#ifndef REPORT_READ_PICKLE_PARTS_H
#define REPORT_READ_PICKLE_PARTS_H

#include "report/read/pickle.h"

/* Instructions, by the letters that stand for them (pickletools.py). */
enum {
	PROTO = 0x80,
	FRAME = 0x95,
	STOP = '.',
	MARK = '(',
	NONE = 'N',
	TRUE = 0x88,
	FALSE = 0x89,
	INT4 = 'J',
	INT1 = 'K',
	INT2 = 'M',
	LONG1 = 0x8a,
	REAL = 'G',
	TEXT1 = 0x8c,
	TEXT4 = 'X',
	TEXT8 = 0x8d,
	EMPTY_LIST = ']',
	EMPTY_DICT = '}',
	EMPTY_TUPLE = ')',
	APPEND = 'a',
	APPENDS = 'e',
	SETITEM = 's',
	SETITEMS = 'u',
	TUPLE = 't',
	TUPLE1 = 0x85,
	TUPLE2 = 0x86,
	TUPLE3 = 0x87,
	MEMOIZE = 0x94,
	PUT1 = 'q',
	PUT4 = 'r',
	GET1 = 'h',
	GET4 = 'j'
};

enum { NO_RUN = 0 };

struct pickle_run {
	size_t first, n; /* items */
	size_t next; /* run, NO_RUN: the last */
};

struct pickle_box {
	size_t first, last; /* runs */
	size_t n;
};

static inline uint64_t what_of(pickle_value v)
{
	return v >> PICKLE_KIND_BITS;
}

/* The first n bytes as a number. */
static inline uint64_t little_endian(const char *at, size_t n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | (unsigned char)at[n];
	return v;
}

#endif

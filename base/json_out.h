/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_out.h - a streaming JSON writer.
 *
 * Commas and closing brackets cannot be wrong: the writer keeps the stack of open containers, and a
 * call that does not fit (a key in an array, a missing key in an object) is a bug() of the caller.
 * Write errors stick to the FILE and are asked once, at its closing. Keys are NULL inside arrays.
 * The one escaping function of the project is json_escape().
 */
#ifndef BASE_JSON_OUT_H
#define BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 64 };

enum json_layout {
	JSON_LINES, /* each member on a line of its own, indented by two spaces a level */
	JSON_INLINE /* the container and all inside it on one line */
};

struct json_out {
	FILE *f;
	int depth;
	struct {
		char close; /* '}' or ']' */
		bool inline_; /* no line breaks from here down */
		bool any; /* a comma is due */
	} stack[JSON_DEPTH];
};

void json_init(struct json_out *j, FILE *f);

/* Checks that everything was closed and writes the last newline. */
void json_finish(struct json_out *j);

void json_object(struct json_out *j, const char *key, enum json_layout layout);
void json_array(struct json_out *j, const char *key, enum json_layout layout);
void json_end(struct json_out *j);

void json_text(struct json_out *j, const char *key, const char *value);
void json_int(struct json_out *j, const char *key, int64_t value);
void json_bool(struct json_out *j, const char *key, bool value);
void json_null(struct json_out *j, const char *key);

/* A number with a fixed count of decimals; NaN and infinities are written as null. */
void json_number(struct json_out *j, const char *key, double value, int decimals);

/* Nanoseconds written as microseconds with three decimals, exactly: 1234567 -> 1234.567. */
void json_us(struct json_out *j, const char *key, int64_t ns);

/* Writes text as a JSON string with its quotes. Invalid UTF-8 bytes become U+FFFD; what a screen
 * obeys (utf8.h) is escaped, so that a reader of JSON gets it and a terminal does not. */
void json_escape(FILE *f, const char *text);

#endif

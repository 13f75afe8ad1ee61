/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - decimal text into integers, exactly.
 *
 * The scanner reads ordinary numbers itself (scan_digits); what it does not know by sight comes
 * here: signs, exponents, missing digits, twenty digits and more, words such as NaN.
 */
#ifndef REPORT_PARSE_NUMBER_H
#define REPORT_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* (-1)^negative * digits * 10^exponent */
struct decimal {
	bool negative;
	uint64_t digits; /* the first 19 significant ones */
	int exponent; /* within +-100000 */
	bool up; /* the first digit left out was 5 or more */
};

/* Reads [+-] digits [. digits] [e [+-] digits]; at least one digit, and nothing but that in the n
 * bytes. */
bool decimal_parse(const char *text, size_t n, struct decimal *d);

/* Does JSON write numbers as the n bytes do: no plus, no zero before another digit, digits on both
 * sides of a point? Asked of what decimal_parse takes. */
bool decimal_is_json(const char *text, size_t n);

/* The value times 10^shift, rounded half away from zero; false when it does not fit. */
bool decimal_to_int(const struct decimal *d, int shift, int64_t *value);

/* As a double, worked out step by step: its last bits may be off. */
double decimal_to_double(const struct decimal *d);

#endif

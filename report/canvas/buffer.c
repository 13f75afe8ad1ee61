/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/ops.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void buffer_release(struct buffer *b)
{
	free(b->text);
	*b = (struct buffer){0};
}

static char *room_for(struct buffer *b, size_t n)
{
	if (b->room - b->n < n) {
		b->room = (b->room + n) * 2;
		b->text = xrealloc(b->text, b->room, 1);
	}
	return b->text + b->n;
}

void buffer_bytes(struct buffer *b, const void *bytes, size_t n)
{
	if (!n)
		return;
	memcpy(room_for(b, n), bytes, n);
	b->n += n;
}

void buffer_text(struct buffer *b, const char *text)
{
	buffer_bytes(b, text, strlen(text));
}

void buffer_char(struct buffer *b, char c)
{
	*room_for(b, 1) = c;
	b->n++;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		bug("cannot format \"%s\"", fmt);
	va_start(args, fmt);
	vsnprintf(room_for(b, (size_t)n + 1), (size_t)n + 1, fmt, args);
	va_end(args);
	b->n += (size_t)n;
}

void buffer_code(struct buffer *b, uint32_t code)
{
	b->n += (size_t)utf8_put(room_for(b, 4), code);
}

static const struct {
	int per; /* steps to a point */
	int step, digits; /* a step is step / 10^digits points */
} grids[GRIDS] = {
	[GRID_16] = {16, 625, 4},
	[GRID_10] = {10, 1, 1},
	[GRID_1000] = {1000, 1, 3},
};

int64_t grid_units(double value, enum grid grid)
{
	return llround(value * grids[grid].per);
}

void buffer_units(struct buffer *b, int64_t units, enum grid grid)
{
	char digits[32], *p = digits + sizeof digits;
	uint64_t n = (uint64_t)(units < 0 ? -units : units);
	uint64_t whole = n / (uint64_t)grids[grid].per;
	uint64_t part = n % (uint64_t)grids[grid].per * (uint64_t)grids[grid].step;
	bool any = false;
	for (int i = 0; i < grids[grid].digits; i++, part /= 10) {
		any |= part % 10 != 0;
		if (any)
			*--p = (char)('0' + part % 10);
	}
	if (any)
		*--p = '.';
	for (; whole; whole /= 10)
		*--p = (char)('0' + whole % 10);
	if (p == digits + sizeof digits)
		*--p = '0';
	if (units < 0)
		*--p = '-';
	buffer_bytes(b, p, (size_t)(digits + sizeof digits - p));
}

void buffer_number(struct buffer *b, double value, enum grid grid)
{
	buffer_units(b, grid_units(value, grid), grid);
}

void buffer_fixed(struct buffer *b, double value)
{
	int64_t n = llround(value * 100);
	buffer_printf(b, "%s%" PRId64 ".%02d", n < 0 ? "-" : "", (n < 0 ? -n : n) / 100,
		(int)((n < 0 ? -n : n) % 100));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/ops.h"

#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void buffer_release(struct buffer *b)
{
	free(b->text);
	*b = (struct buffer){0};
}

void buffer_grow(struct buffer *b, size_t n)
{
	b->room = (b->room + n) * 2;
	b->text = xrealloc(b->text, b->room, 1);
}

/* Nothing but %s, %d, %u and %zu, as the back-ends write a million times? */
static bool is_plain(const char *fmt)
{
	for (const char *p = fmt; (p = strchr(p, '%')); p++)
		if (!strchr("sdu", *++p) && !(*p == 'z' && *++p == 'u'))
			return false;
	return true;
}

static void put_plain(struct buffer *b, const char *fmt, va_list args)
{
	for (const char *p; (p = strchr(fmt, '%')); fmt = p + 1) {
		buffer_bytes(b, fmt, (size_t)(p - fmt));
		switch (*++p) {
		case 's':
			buffer_text(b, va_arg(args, const char *));
			break;
		case 'd':
			buffer_units(b, va_arg(args, int), GRID_1);
			break;
		case 'u':
			buffer_units(b, va_arg(args, unsigned), GRID_1);
			break;
		default: /* %zu */
			buffer_units(b, (int64_t)va_arg(args, size_t), GRID_1);
			p++;
		}
	}
	buffer_text(b, fmt);
}

static void put_any(struct buffer *b, const char *fmt, va_list args)
{
	enum { USUAL = 128 };
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(buffer_room(b, USUAL), USUAL, fmt, args);
	if (n < 0)
		bug("cannot format \"%s\"", fmt);
	if (n >= USUAL)
		vsnprintf(buffer_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	b->n += (size_t)n;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	if (is_plain(fmt))
		put_plain(b, fmt, args);
	else
		put_any(b, fmt, args);
	va_end(args);
}

void buffer_code(struct buffer *b, uint32_t code)
{
	b->n += (size_t)utf8_put(buffer_room(b, 4), code);
}

/* How many steps a point has. */
static const int steps[GRIDS] = {
	[GRID_16] = 16, [GRID_10] = 10, [GRID_100] = 100, [GRID_1000] = 1000, [GRID_1] = 1};

int64_t grid_units(double value, enum grid grid)
{
	return llround(value * steps[grid]);
}

/* Inlined for each grid: divisions by what is known then are none. */
static inline void put_units(
	struct buffer *b, int64_t units, uint64_t per, uint64_t step, int places)
{
	char digits[32], *p = digits + sizeof digits;
	uint64_t n = (uint64_t)(units < 0 ? -units : units);
	uint64_t whole = n / per;
	uint64_t part = n % per * step;
	bool any = false;
	for (int i = 0; i < places; i++, part /= 10) {
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

void buffer_units(struct buffer *b, int64_t units, enum grid grid)
{
	switch (grid) {
	case GRID_16:
		put_units(b, units, 16, 625, 4);
		break;
	case GRID_10:
		put_units(b, units, 10, 1, 1);
		break;
	case GRID_100:
		put_units(b, units, 100, 1, 2);
		break;
	case GRID_1000:
		put_units(b, units, 1000, 1, 3);
		break;
	default:
		put_units(b, units, 1, 1, 0);
	}
}

void buffer_number(struct buffer *b, double value, enum grid grid)
{
	buffer_units(b, grid_units(value, grid), grid);
}

void buffer_fixed(struct buffer *b, double value)
{
	int64_t n = llround(value * 100), size = n < 0 ? -n : n;
	if (n < 0)
		buffer_char(b, '-');
	buffer_units(b, size / 100, GRID_1);
	buffer_bytes(b, (char[]){'.', (char)('0' + size % 100 / 10), (char)('0' + size % 10)}, 3);
}

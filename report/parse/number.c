/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/number.h"

#include "report/parse/scan.h"

enum { MOST_DIGITS = 19, MOST_EXPONENT = 100000 };

const uint64_t scan_ten_to[20] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void clamp_exponent(struct decimal *d, int64_t by)
{
	int64_t e = d->exponent + by;
	d->exponent = (int)(e > MOST_EXPONENT ? MOST_EXPONENT
			: e < -MOST_EXPONENT  ? -MOST_EXPONENT
					      : e);
}

/* Takes a run of digits; those behind the point lower the exponent, those that do not fit raise it.
 */
static const char *take_digits(
	const char *p, const char *end, struct decimal *d, int *kept, bool behind_point)
{
	int64_t by = 0;
	for (; p < end && is_digit(*p); p++) {
		if (*kept < MOST_DIGITS) {
			d->digits = d->digits * 10 + (uint64_t)(*p - '0');
			*kept += d->digits != 0;
			by -= behind_point;
		} else {
			if ((*kept)++ == MOST_DIGITS)
				d->up = *p >= '5';
			by += !behind_point;
		}
	}
	clamp_exponent(d, by);
	return p;
}

static const char *take_exponent(const char *p, const char *end, struct decimal *d)
{
	const char *start = p++;
	bool negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	if (p >= end || !is_digit(*p))
		return start;
	int64_t e = 0;
	for (; p < end && is_digit(*p); p++)
		e = e < MOST_EXPONENT ? e * 10 + (*p - '0') : e;
	clamp_exponent(d, negative ? -e : e);
	return p;
}

bool decimal_is_json(const char *text, size_t n)
{
	const char *p = text + (n && *text == '-'), *end = text + n;
	if (p == end || !is_digit(*p))
		return false;
	if (*p == '0' && p + 1 < end && is_digit(p[1]))
		return false;
	while (p < end && is_digit(*p))
		p++;
	return p == end || *p != '.' || (p + 1 < end && is_digit(p[1]));
}

bool decimal_parse(const char *text, size_t n, struct decimal *d)
{
	const char *p = text, *end = text + n;
	*d = (struct decimal){0};
	int kept = 0;
	d->negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	const char *digits = p;
	p = take_digits(p, end, d, &kept, false);
	bool any = p > digits;
	if (p < end && *p == '.') {
		digits = ++p;
		p = take_digits(p, end, d, &kept, true);
		any = any || p > digits;
	}
	if (!any)
		return false;
	if (p < end && (*p | 32) == 'e')
		p = take_exponent(p, end, d);
	return p == end;
}

bool decimal_to_int(const struct decimal *d, int shift, int64_t *value)
{
	int e = d->exponent + shift;
	uint64_t v = d->digits;
	if (v && e > 19)
		return false;
	if (e > 0 && __builtin_mul_overflow(v, scan_ten_to[v ? e : 0], &v))
		return false;
	if (e < -19) {
		v = 0;
	} else if (e == 0) {
		v += d->up;
	} else if (e < 0) {
		uint64_t ten = scan_ten_to[-e];
		v = v / ten + (v % ten >= ten - ten / 2);
	}
	if (v > INT64_MAX)
		return false;
	*value = d->negative ? -(int64_t)v : (int64_t)v;
	return true;
}

double decimal_to_double(const struct decimal *d)
{
	double v = (double)d->digits;
	for (int e = d->exponent; e > 0 && v != 0.0 && v < 1e308; e--)
		v *= 10;
	int e = -d->exponent;
	for (; e > 19 && v > 0; e -= 19)
		v /= 1e19;
	if (e > 0 && v > 0)
		v /= (double)scan_ten_to[e];
	return d->negative ? -v : v;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits.h - ordinary decimal numbers, sixteen bytes at once.
 *
 * With byte shuffles (SSSE3) the digits of a number go to the places of a number with sixteen, and
 * three multiplications make its value; without them, eight digits at once in a register. Both take
 * the same numbers and refuse the same ones.
 */
#ifndef REPORT_PARSE_DIGITS_H
#define REPORT_PARSE_DIGITS_H

#ifdef __x86_64__

#include "report/parse/learned_form.h"
#include "report/parse/value.h"

/* Which byte of a number goes to which of sixteen places; 0x80: to none, that place is 0. */
struct digit_places {
	_Alignas(16) uint8_t whole[17][16]; /* of n digits */
	_Alignas(16) uint8_t time[14][4][16]; /* of n digits, and of d behind a point: all times
						 1000 */
};

void digit_places_init(struct digit_places *places);

/* The first eight digits of long numbers are mostly those of the last one. */
SCAN_STEP uint64_t value_of_first(uint64_t bytes, struct last_value *last)
{
	if (bytes != last->bytes)
		*last = (struct last_value){bytes, (int64_t)value_of_eight(bytes ^ ZEROS), 8};
	return (uint64_t)last->value;
}

#ifdef __SSE4_1__

/* Bit i: is the i-th byte no digit? */
SCAN_STEP unsigned no_digit_bits(__m128i x)
{
	__m128i d = _mm_xor_si128(x, _mm_set1_epi8('0'));
#ifdef __AVX512BW__
	return _mm_cmpgt_epu8_mask(d, _mm_set1_epi8(9));
#else
	__m128i above = _mm_cmpeq_epi8(_mm_max_epu8(d, _mm_set1_epi8(10)), d);
	return (unsigned)_mm_movemask_epi8(above);
#endif
}

/* Sixteen digits of 0 to 9. */
SCAN_STEP uint64_t value_of_sixteen(__m128i d)
{
	__m128i tens = _mm_set1_epi16(10 | 1 << 8), hundreds = _mm_set1_epi32(100 | 1 << 16);
	__m128i ten_thousands = _mm_set1_epi32(10000 | 1 << 16);
	d = _mm_madd_epi16(_mm_maddubs_epi16(d, tens), hundreds);
	d = _mm_madd_epi16(_mm_packus_epi32(d, d), ten_thousands);
	uint64_t both = (uint64_t)_mm_cvtsi128_si64(d);
	return (uint32_t)both * 100000000ull + (both >> 32);
}

/* The value of those digits of x whose places are given. */
SCAN_STEP uint64_t value_at(__m128i x, const uint8_t *places)
{
	__m128i d = _mm_sub_epi8(x, _mm_set1_epi8('0'));
	return value_of_sixteen(_mm_shuffle_epi8(d, _mm_load_si128((const __m128i *)places)));
}

/* Up to fifteen digits at p: how many, and their value. 0 where there are none or more. */
SCAN_STEP unsigned digits_run(const struct digit_places *places, const char *p, uint64_t *to)
{
	__m128i x = _mm_loadu_si128((const __m128i *)p);
	unsigned n = (unsigned)__builtin_ctz(no_digit_bits(x) | 1u << 16) % 16;
	*to = value_at(x, places->whole[n]);
	return n;
}

/* Microseconds of up to sixteen digits and up to three behind a point, as nanoseconds. */
SCAN_STEP const char *digits_time(const struct digit_places *places, const char *p, int64_t *to,
	struct last_value *last, bool *point)
{
	const char *q = p;
	uint64_t leading = 0;
	__m128i x = _mm_loadu_si128((const __m128i *)p);
	unsigned other = no_digit_bits(x);
	if (!(other & (other - 1)) || !(other & 0x3fff)) {
		uint64_t bytes = load8(p);
		if (other & 0xff)
			return NULL;
		leading = value_of_first(bytes, last);
		q += 8;
		x = _mm_loadu_si128((const __m128i *)q);
		other = no_digit_bits(x);
	}
	unsigned n = (unsigned)__builtin_ctz(other | 1u << 16), decimals = 0;
	if (__builtin_expect(
		    n > 13 || q + n == p || q + n > p + 16 || is_padded(p, (unsigned)(q - p) + n),
		    0))
		return NULL;
	const char *behind = q + n;
	if (*behind == '.') {
		unsigned rest = (other & (other - 1)) | 1u << 16;
		decimals = (unsigned)__builtin_ctz(rest) - n - 1;
		if (__builtin_expect(decimals - 1 > 2, 0))
			return NULL;
		behind += 1 + decimals;
		*point = true;
	}
	if (__builtin_expect(!ends_number(*behind) || leading >= MOST_US / 100000000, 0))
		return NULL;
	*to = (int64_t)(leading * scan_ten_to[n + 3] + value_at(x, places->time[n][decimals]));
	return behind;
}

#else

SCAN_STEP unsigned digits_of(uint64_t other)
{
	return (unsigned)__builtin_ctzll(other | 1ull << 63) / 8;
}

SCAN_STEP unsigned digits_run(const struct digit_places *places, const char *p, uint64_t *to)
{
	(void)places;
	uint64_t leading = 0, w = load8(p) ^ ZEROS, other = no_digits(w);
	unsigned before = 0;
	if (!other) {
		leading = value_of_eight(w);
		before = 8;
		w = load8(p + 8) ^ ZEROS;
		other = no_digits(w);
	}
	unsigned n = digits_of(other);
	*to = leading * scan_ten_to[n] + value_of_few(w, n);
	return other ? before + n : 0;
}

SCAN_STEP const char *digits_time(const struct digit_places *places, const char *p, int64_t *to,
	struct last_value *last, bool *point)
{
	(void)places;
	const char *q = p;
	uint64_t leading = 0, w = load8(q) ^ ZEROS, other = no_digits(w);
	if (!other) {
		leading = value_of_first(w ^ ZEROS, last);
		q += 8;
		w = load8(q) ^ ZEROS;
		other = no_digits(w);
	}
	unsigned n = digits_of(other), decimals = 0, all = (unsigned)(q - p) + n;
	uint64_t below = (1ull << 8 * n) - 1, rest = other & (other - 1);
	if (!other || !all || is_padded(p, all) || leading >= MOST_US / 100000000)
		return NULL;
	if (q[n] == '.') {
		decimals = digits_of(rest) - n - 1;
		if (decimals - 1 > 2 || !rest)
			return NULL;
		w = (w & below) | (w >> 8 & ~below); /* without the point */
		q++;
		*point = true;
	}
	q += n + decimals;
	if (!ends_number(*q))
		return NULL;
	uint64_t few = value_of_few(w, n + decimals);
	*to = (int64_t)(leading * scan_ten_to[n + 3] + few * scan_ten_to[3 - decimals]);
	return q;
}

#endif

/* An integer of up to fifteen digits. NULL at anything else. */
SCAN_STEP const char *digits_int(const struct digit_places *places, const char *p, int64_t *to)
{
	uint64_t v;
	unsigned n = digits_run(places, p, &v);
	if (__builtin_expect(!n || !ends_number(p[n]) || is_padded(p, n), 0))
		return NULL;
	*to = (int64_t)v;
	return p + n;
}

/* The same with up to fifteen digits behind a point; nineteen in all. */
SCAN_STEP const char *digits_real(const struct digit_places *places, const char *p, double *to)
{
	uint64_t whole, fraction = 0;
	unsigned n = digits_run(places, p, &whole), decimals = 0;
	const char *q = p + n;
	if (*q == '.') {
		decimals = digits_run(places, q + 1, &fraction);
		q += decimals ? 1 + decimals : 0;
	}
	if (!n || n + decimals > 19 || !ends_number(*q) || is_padded(p, n))
		return NULL;
	*to = real_of(whole, fraction, decimals);
	return q;
}

#endif

#endif

/*
 * read_scan.h - the smallest steps of reading JSON, without bounds checks.
 *
 * Every pointer here moves through a window (read_window.h) whose unread bytes are followed by
 * WINDOW_PAD quotes. A quote ends every loop below, so a step may run into the pad but never
 * through it; the caller then finds its pointer at or behind the end and asks for more bytes.
 *
 * Each step exists twice, plainly and with vectors, and takes a constant `enum scan_path` so that
 * the compiler keeps one of them. Both give the same result on any bytes (tests/unit/test_read.c).
 */
#ifndef REPORT_READ_SCAN_H
#define REPORT_READ_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum scan_path { SCAN_PLAIN, SCAN_SSE2 };

#define SCAN_STEP static inline __attribute__((always_inline))

SCAN_STEP uint64_t load8(const char *p)
{
	uint64_t w;
	memcpy(&w, p, 8);
	return w;
}

/* The first byte above ' ' at or after p. Control characters count as space: they stand between
 * tokens of damaged files and mean nothing there. */
SCAN_STEP const char *scan_space(const char *p, enum scan_path path)
{
	if ((unsigned char)*p > ' ')
		return p;
	if (path == SCAN_PLAIN) {
		while ((unsigned char)*p <= ' ')
			p++;
		return p;
	}
#ifdef __x86_64__
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)p);
		__m128i above = _mm_subs_epu8(x, _mm_set1_epi8(' '));
		unsigned space =
			(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(above, _mm_setzero_si128()));
		if (space != 0xffff)
			return p + __builtin_ctz(~space);
	}
#endif
	return p;
}

/* The first quote or backslash at or after p. */
SCAN_STEP const char *scan_quote(const char *p, enum scan_path path)
{
	if (path == SCAN_PLAIN) {
		while (*p != '"' && *p != '\\')
			p++;
		return p;
	}
#ifdef __x86_64__
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
			_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask)
			return p + __builtin_ctz(mask);
	}
#endif
	return p;
}

/* The closing quote of a string whose first byte is at p. `escaped` is set when it holds a
 * backslash. */
SCAN_STEP const char *scan_string(const char *p, bool *escaped, enum scan_path path)
{
	p = scan_quote(p, path);
	while (*p == '\\') {
		*escaped = true;
		p = scan_quote(p + 2, path);
	}
	return p;
}

/* The first of { } [ ] " at or after p. */
SCAN_STEP const char *scan_bracket(const char *p, enum scan_path path)
{
	if (path == SCAN_PLAIN) {
		while (*p != '"' && (*p | 32) != '{' && (*p | 32) != '}')
			p++;
		return p;
	}
#ifdef __x86_64__
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)p);
		__m128i low = _mm_or_si128(x, _mm_set1_epi8(32)); /* [ and ] become { and } */
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
			_mm_or_si128(_mm_cmpeq_epi8(low, _mm_set1_epi8('{')),
				_mm_cmpeq_epi8(low, _mm_set1_epi8('}'))));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask)
			return p + __builtin_ctz(mask);
	}
#endif
	return p;
}

/* scan_container() bracket by bracket; `inside` a string at p. */
SCAN_STEP const char *scan_brackets(
	const char *p, const char *end, size_t depth, bool inside, enum scan_path path)
{
	bool escaped;
	if (inside)
		p = scan_string(p, &escaped, path) + 1;
	while (p < end) {
		p = scan_bracket(p, path);
		if (p >= end)
			break;
		if (*p == '"')
			p = scan_string(p + 1, &escaped, path);
		else if ((*p | 32) == '{')
			depth++;
		else if (!--depth)
			return p + 1;
		p++;
	}
	return NULL;
}

#ifdef __x86_64__

/* Bits of the bytes of 32 that are c, after `low` was or-ed to them. */
SCAN_STEP uint32_t scan_mask(__m128i a, __m128i b, char c)
{
	uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_set1_epi8(c)));
	uint32_t high = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(b, _mm_set1_epi8(c)));
	return low | high << 16;
}

/* scan_container() 32 bytes at once: which bytes are inside strings follows from the quotes. */
SCAN_STEP const char *scan_blocks(const char *p, const char *end)
{
	const __m128i bit = _mm_set1_epi8(32); /* makes [ ] of { } */
	size_t depth = 1;
	for (uint32_t carry = 0; p < end; p += 32) {
		__m128i a = _mm_loadu_si128((const __m128i *)p);
		__m128i b = _mm_loadu_si128((const __m128i *)(p + 16));
		uint32_t inside = scan_mask(a, b, '"');
		if (scan_mask(a, b, '\\'))
			return scan_brackets(p, end, depth, carry, SCAN_SSE2);
		inside ^= inside << 1;
		inside ^= inside << 2;
		inside ^= inside << 4;
		inside ^= inside << 8;
		inside ^= inside << 16;
		inside ^= carry;
		a = _mm_or_si128(a, bit);
		b = _mm_or_si128(b, bit);
		uint32_t open = scan_mask(a, b, '{') & ~inside;
		uint32_t close = scan_mask(a, b, '}') & ~inside;
		for (uint32_t left = open | close; left; left &= left - 1) {
			depth += open & left & -left ? 1 : SIZE_MAX;
			if (!depth)
				return p + __builtin_ctz(left) + 1;
		}
		carry = inside >> 31 ? UINT32_MAX : 0;
	}
	return NULL;
}

#endif

/* One past the bracket that closes the container whose first inner byte is at p; NULL when `end`
 * comes first. Kinds of brackets are not told apart: what is in here is skipped, not believed. */
SCAN_STEP const char *scan_container(const char *p, const char *end, enum scan_path path)
{
#ifdef __x86_64__
	if (path == SCAN_SSE2)
		return scan_blocks(p, end);
#endif
	return scan_brackets(p, end, 1, false, path);
}

/* Decimal digits at p, at most eight: their value, and their count in *n. */
SCAN_STEP uint64_t scan_eight(const char *p, unsigned *n)
{
	uint64_t w = load8(p) ^ 0x3030303030303030ull;
	uint64_t other =
		(((w & 0x7f7f7f7f7f7f7f7full) + 0x7676767676767676ull) | w) & 0x8080808080808080ull;
	*n = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
	if (!*n)
		return 0;
	w <<= 64 - 8 * *n; /* leading zeros */
	w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffull;
	w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffull;
	return (w * 10000 + (w >> 32)) & 0xffffffffu;
}

/* 10^n for n of 0 to 19. */
extern const uint64_t scan_ten_to[20];

/* A run of digits at *at that goes on behind the n digits that make v. More than 19 digits, or a
 * value above 2^64, saturate. */
SCAN_STEP uint64_t scan_more_digits(const char **at, unsigned *n, uint64_t v)
{
	unsigned more;
	for (;;) {
		uint64_t next = scan_eight(*at, &more);
		*at += more;
		*n += more;
		if (__builtin_mul_overflow(v, scan_ten_to[more], &v) ||
			__builtin_add_overflow(v, next, &v))
			v = UINT64_MAX;
		if (more < 8)
			return v;
	}
}

/* A run of digits at *at; *n counts them. */
SCAN_STEP uint64_t scan_digits(const char **at, unsigned *n)
{
	uint64_t v = scan_eight(*at, n);
	*at += *n;
	return *n < 8 ? v : scan_more_digits(at, n, v);
}

#endif

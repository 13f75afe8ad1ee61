/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - the smallest steps of reading JSON, without bounds checks.
 *
 * Every pointer here moves through a window (file_window.h) whose unread bytes are followed by
 * WINDOW_PAD quotes. A quote ends every loop below, so a step may run into the pad but never
 * through it; the caller then finds its pointer at or behind the end and asks for more bytes.
 *
 * Each step exists plainly and with vectors, some with vectors of two widths, and takes a constant
 * `enum scan_path` so that the compiler keeps one of them. All give the same result on any bytes
 * (tests/unit/read/test_read_chunks.c).
 */
#ifndef REPORT_PARSE_SCAN_H
#define REPORT_PARSE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum scan_path { SCAN_PLAIN, SCAN_SSE2, SCAN_AVX2, SCAN_AVX512 };

/* The path with the widest vectors that this file is compiled for (event_avx2.c). */
#ifdef __AVX2__
#define SCAN_FAST SCAN_AVX2
#else
#define SCAN_FAST SCAN_SSE2
#endif

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
#ifdef __AVX2__
	for (;; p += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)p);
		__m256i hit = _mm256_or_si256(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')),
			_mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\')));
		unsigned mask = (unsigned)_mm256_movemask_epi8(hit);
		if (mask)
			return p + __builtin_ctz(mask);
	}
#elif defined __x86_64__
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

/* 64 bytes, and bits of those that are c, perhaps with bits or-ed to them. */
#ifdef __AVX2__

struct bytes64 {
	__m256i a, b;
};

SCAN_STEP struct bytes64 block_at(const char *p)
{
	return (struct bytes64){_mm256_loadu_si256((const __m256i *)p),
		_mm256_loadu_si256((const __m256i *)(p + 32))};
}

SCAN_STEP struct bytes64 block_or(struct bytes64 x, char bits)
{
	__m256i v = _mm256_set1_epi8(bits);
	return (struct bytes64){_mm256_or_si256(x.a, v), _mm256_or_si256(x.b, v)};
}

SCAN_STEP uint64_t block_mask(struct bytes64 x, char c)
{
	__m256i v = _mm256_set1_epi8(c);
	uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x.a, v));
	uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x.b, v));
	return low | (uint64_t)high << 32;
}

/* Bit i: are there an odd number of bits at or below i? */
SCAN_STEP uint64_t odd_below(uint64_t bits)
{
	__m128i ones = _mm_set1_epi8(-1), x = _mm_set_epi64x(0, (long long)bits);
	return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(x, ones, 0));
}

#else

struct bytes64 {
	__m128i part[4];
};

SCAN_STEP struct bytes64 block_at(const char *p)
{
	struct bytes64 x;
	for (int i = 0; i < 4; i++)
		x.part[i] = _mm_loadu_si128((const __m128i *)(p + 16 * i));
	return x;
}

SCAN_STEP struct bytes64 block_or(struct bytes64 x, char bits)
{
	for (int i = 0; i < 4; i++)
		x.part[i] = _mm_or_si128(x.part[i], _mm_set1_epi8(bits));
	return x;
}

SCAN_STEP uint64_t block_mask(struct bytes64 x, char c)
{
	uint64_t bits = 0;
	for (int i = 0; i < 4; i++) {
		__m128i same = _mm_cmpeq_epi8(x.part[i], _mm_set1_epi8(c));
		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(same) << 16 * i;
	}
	return bits;
}

SCAN_STEP uint64_t odd_below(uint64_t bits)
{
	for (int i = 1; i < 64; i *= 2)
		bits ^= bits << i;
	return bits;
}

#endif

/* scan_container() 64 bytes at once: which bytes are inside strings follows from the quotes. */
SCAN_STEP const char *scan_blocks(const char *p, const char *end)
{
	const char to_brace = 32; /* makes { } of [ ] */
	size_t depth = 1;
	for (uint64_t carry = 0; p < end; p += 64) {
		struct bytes64 x = block_at(p);
		if (block_mask(x, '\\'))
			return scan_brackets(p, end, depth, carry, SCAN_FAST);
		uint64_t inside = odd_below(block_mask(x, '"')) ^ carry;
		x = block_or(x, to_brace);
		uint64_t open = block_mask(x, '{') & ~inside;
		uint64_t close = block_mask(x, '}') & ~inside;
		for (uint64_t left = open | close; left; left &= left - 1) {
			depth += open & left & -left ? 1 : SIZE_MAX;
			if (!depth)
				return p + __builtin_ctzll(left) + 1;
		}
		carry = inside >> 63 ? UINT64_MAX : 0;
	}
	return NULL;
}

#endif

/* One past the bracket that closes the container whose first inner byte is at p; NULL when `end`
 * comes first. Kinds of brackets are not told apart: what is in here is skipped, not believed. */
SCAN_STEP const char *scan_container(const char *p, const char *end, enum scan_path path)
{
#ifdef __x86_64__
	if (path != SCAN_PLAIN)
		return scan_blocks(p, end);
#endif
	return scan_brackets(p, end, 1, false, path);
}

static const uint64_t ZEROS = 0x3030303030303030ull;

/* Of text ^ ZEROS: the highest bit of every byte that was no digit. */
SCAN_STEP uint64_t no_digits(uint64_t w)
{
	return (((w & 0x7f7f7f7f7f7f7f7full) + 0x7676767676767676ull) | w) & 0x8080808080808080ull;
}

/* Eight digits of 0 to 9, the first one in the lowest byte. */
SCAN_STEP uint64_t value_of_eight(uint64_t w)
{
	w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffull;
	w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffull;
	return (w * 10000 + (w >> 32)) & 0xffffffffu;
}

/* The value of the first n digits of w, at most 7. */
SCAN_STEP uint64_t value_of_few(uint64_t w, unsigned n)
{
	return value_of_eight(w << 8 << (56 - 8 * n));
}

/* Decimal digits at p, at most eight: their value, and their count in *n. */
SCAN_STEP uint64_t scan_eight(const char *p, unsigned *n)
{
	uint64_t w = load8(p) ^ ZEROS, other = no_digits(w);
	*n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
	return other ? value_of_few(w, *n) : value_of_eight(w);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Our inflating (ISA-L's) against zlib's: the same bytes and the same verdict, for everything that
 * zlib can write, cut at every byte, and with a bit changed at every place. */
#include "tests/unit/inflated.h"
#include "tests/unit/read_scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1 << 20 };

/* `what` and `at` name the case in the message. */
static void compare(const unsigned char *bytes, size_t n, size_t step, const char *what, size_t at)
{
	struct inflated ours = inflate_all(bytes, n, step);
	struct inflated zlibs = inflate_by_zlib(bytes, n);
	if (ours.n != zlibs.n || memcmp(ours.bytes, zlibs.bytes, ours.n))
		fail_msg("%s at %zu: %zu bytes, zlib gives %zu", what, at, ours.n, zlibs.n);
	if (ours.trouble != zlibs.trouble)
		fail_msg("%s at %zu: trouble %d, zlib's is %d", what, at, (int)ours.trouble,
			(int)zlibs.trouble);
	if (ours.bad.n != zlibs.bad.n || ours.bad.offset != zlibs.bad.offset)
		fail_msg("%s at %zu: %d bad members, zlib finds %d", what, at, (int)ours.bad.n,
			(int)zlibs.bad.n);
	free(ours.bytes);
	free(zlibs.bytes);
}

/* Damage never passes for sound: what comes out is the text, or trouble is told. Where it is
 * noticed is the library's own business. */
static void assert_told(const unsigned char *bytes, size_t n, size_t step, const char *text,
	size_t text_n, size_t at)
{
	struct inflated out = inflate_all(bytes, n, step);
	bool same = out.n == text_n && !memcmp(out.bytes, text, text_n);
	if (out.trouble == SOURCE_SOUND && !same)
		fail_msg(
			"bit %zu is wrong and nobody says so: %zu bytes of %zu", at, out.n, text_n);
	free(out.bytes);
}

/* A gzip member in malloc'ed memory. */
static unsigned char *compress_as(
	const void *text, size_t n, int level, int strategy, gz_header *header, size_t *size)
{
	z_stream z = {0};
	unsigned char *to = malloc(2 * n + 1000);
	assert_non_null(to);
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, strategy), Z_OK);
	if (header)
		deflateSetHeader(&z, header);
	z.next_in = (unsigned char *)text;
	z.avail_in = (uInt)n;
	z.next_out = to;
	z.avail_out = (uInt)(2 * n + 1000);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*size = z.total_out;
	deflateEnd(&z);
	return to;
}

/* Text that repeats itself at all distances, numbers, and noise. */
static char *make_text(size_t n, unsigned seed)
{
	static const char *const words[] = {"\"ph\": \"X\", ", "\"cat\": \"cpu_op\", ",
		"\"name\": \"aten::add\"", ",\n      ", "aaaaaaaaaaaaaaaa", "ab", "{\n  "};
	char *text = calloc(1, n + 64);
	assert_non_null(text);
	for (size_t i = 0; i < n;) {
		seed = seed * 1103515245 + 12345;
		unsigned kind = seed >> 16 & 15;
		if (kind < 7)
			i += (size_t)snprintf(text + i, 64, "%s", words[kind]);
		else if (kind < 12)
			i += (size_t)snprintf(text + i, 64, "%u", seed >> 8);
		else
			text[i++] = (char)(seed >> 20);
	}
	return text;
}

static void everything_zlib_writes(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 2, 3, 100, 1000, 40000, 300000, MOST};
	static const size_t steps[] = {1, 7, 65536};
	static const int strategies[] = {
		Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		char *text = make_text(sizes[s], (unsigned)s + 1);
		for (int level = 0; level <= 9; level++) {
			for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
				size_t n;
				if (!sweep() && sizes[s] > 50000 && (s + k + (size_t)level) % 4)
					continue;
				unsigned char *gz =
					compress_as(text, sizes[s], level, strategies[k], NULL, &n);
				size_t step = sizes[s] > 50000 ? 65536 : steps[(s + k) % 3];
				compare(gz, n, step, "level", (size_t)level);
				free(gz);
			}
		}
		free(text);
	}
}

static void headers_and_members(void **state)
{
	(void)state;
	char *text = make_text(5000, 3);
	gz_header header = {.text = 1,
		.time = 12345,
		.extra = (unsigned char *)"extra",
		.extra_len = 5,
		.name = (unsigned char *)"trace.json",
		.comment = (unsigned char *)"made",
		.hcrc = 1};
	size_t n, k;
	unsigned char *one = compress_as(text, 5000, 6, Z_DEFAULT_STRATEGY, &header, &n);
	unsigned char *two = compress_as(text + 1000, 3000, 1, Z_DEFAULT_STRATEGY, NULL, &k);
	unsigned char *both = malloc(n + k + 16);
	assert_non_null(both);
	memcpy(both, one, n);
	memcpy(both + n, two, k);
	compare(both, n + k, 13, "two members", 0);
	char *whole = malloc(8000);
	assert_non_null(whole);
	memcpy(whole, text, 5000);
	memcpy(whole + 5000, text + 1000, 3000);
	struct inflated all = inflate_all(both, n + k, 100);
	assert_int_equal(all.n, 8000);
	assert_int_equal(all.trouble, SOURCE_SOUND);
	free(all.bytes);
	static const char *const tails[] = {"\0\0\0\0", "xyz", "\x1f", "\x1f\x8b", "\x1f\x8b\x08"};
	static const size_t tail_sizes[] = {4, 3, 1, 2, 3};
	for (size_t i = 0; i < 5; i++) {
		memcpy(both + n + k, tails[i], tail_sizes[i]);
		compare(both, n + k + tail_sizes[i], 17, "tail", i);
	}
	for (size_t cut = 0; cut < n + k; cut++)
		compare(both, cut, 1000, "cut", cut);
	for (size_t i = 0; i < n + k; i++) {
		both[i] = (unsigned char)(both[i] ^ 1u << i % 8);
		assert_told(both, n + k, 1000, whole, 8000, i);
		both[i] = (unsigned char)(both[i] ^ 1u << i % 8);
	}
	free(whole);
	free(both);
	free(one);
	free(two);
	free(text);
}

/* A member whose checksum or length is wrong costs nothing but trust: the others are there. */
static void bad_members_hide_no_others(void **state)
{
	(void)state;
	enum { PART = 1000, MEMBERS = 4 };
	char *text = make_text(MEMBERS * PART, 5);
	unsigned char *all = malloc(16 * MEMBERS * PART);
	size_t end[MEMBERS], n = 0;
	assert_non_null(all);
	for (int i = 0; i < MEMBERS; i++) {
		size_t k;
		unsigned char *one =
			compress_as(text + i * PART, PART, 6, Z_DEFAULT_STRATEGY, NULL, &k);
		memcpy(all + n, one, k);
		end[i] = n += k;
		free(one);
	}
	all[end[1] - 7] ^= 0x20; /* of the checksum */
	all[end[2] - 3] ^= 1; /* of the length */
	for (size_t step = 1; step < 300; step += 13) {
		struct inflated out = inflate_all(all, n, step);
		assert_int_equal(out.n, MEMBERS * PART);
		assert_memory_equal(out.bytes, text, MEMBERS * PART);
		assert_int_equal(out.trouble, SOURCE_CHECKSUM);
		assert_int_equal(out.bad.n, 2);
		assert_int_equal(out.bad.offset, 2 * PART);
		free(out.bytes);
		compare(all, n, step, "two bad members", step);
		compare(all, n - 5, step, "and the end cut off", step);
	}
	memcpy(all + n, "junk", 4);
	struct inflated out = inflate_all(all, n + 4, 64);
	assert_int_equal(out.n, MEMBERS * PART);
	assert_int_equal(out.trouble, SOURCE_TRAILING);
	assert_int_equal(out.bad.n, 2);
	free(out.bytes);
	for (size_t i = 0; i < 8 * MEMBERS; i++) /* every byte of every trailer */
		for (size_t bit = 0; bit < 8; bit += 3) {
			unsigned char *byte = &all[end[i / 8] - 1 - i % 8];
			*byte = (unsigned char)(*byte ^ 1u << bit);
			compare(all, n, 50, "trailer", i);
			*byte = (unsigned char)(*byte ^ 1u << bit);
		}
	free(all);
	free(text);
}

/* Streams of every kind of block, with every bit changed in turn, or cut. */
static void damage_is_told(void **state)
{
	(void)state;
	static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED};
	for (size_t s = 0; s < 3; s++) {
		for (int level = 0; level <= 9; level += 3) {
			size_t n;
			char *text = make_text(1200, (unsigned)level + 20);
			unsigned char *gz = compress_as(text, 1200, level, strategies[s], NULL, &n);
			for (size_t cut = 0; cut < n; cut++)
				compare(gz, cut, 64, "cut", cut);
			for (size_t bit = 0; bit < 8 * n; bit += level ? 1 : 7) {
				gz[bit / 8] = (unsigned char)(gz[bit / 8] ^ 1u << bit % 8);
				assert_told(gz, n, 64, text, 1200, bit);
				gz[bit / 8] = (unsigned char)(gz[bit / 8] ^ 1u << bit % 8);
			}
			free(gz);
			free(text);
		}
	}
}

static void threads_give_the_same(void **state)
{
	(void)state;
	char *text = make_text(MOST, 77);
	size_t n;
	unsigned char *gz = compress_as(text, MOST, 6, Z_DEFAULT_STRATEGY, NULL, &n);
	struct memory m = {gz, n, 0, 5000};
	struct gzip *g = gzip_open(feed, &m, true);
	char *out = malloc(MOST);
	size_t got = 0, k;
	while ((k = gzip_read(g, out + got, MOST - got < 777 ? MOST - got : 777)))
		got += k;
	assert_int_equal(got, MOST);
	assert_memory_equal(out, text, MOST);
	assert_int_equal(gzip_read(g, out, 1), 0);
	struct bad_members bad;
	assert_int_equal(gzip_trouble(g, &bad), SOURCE_SOUND);
	assert_int_equal(bad.n, 0);
	gzip_close(g);
	g = gzip_open(feed, &(struct memory){gz, n, 0, 5000}, true);
	gzip_close(g); /* before anything was read */
	free(out);
	free(gz);
	free(text);
}

/* What is lent goes on where reading stopped, with the last bytes in front of it. */
static void lends_where_it_lies(void **state)
{
	enum { MUCH = 3 << 20, WHOLE = 1 << 30 };
	const size_t kept[] = {0, 1, 300, 8192};
	(void)state;
	char *text = make_text(MUCH, 78), *out = malloc(MUCH);
	size_t n, k, lent = 0;
	unsigned char *gz = compress_as(text, MUCH, 6, Z_DEFAULT_STRATEGY, NULL, &n);
	for (int threads = 0; threads < 2; threads++) {
		struct gzip *g = gzip_open(feed, &(struct memory){gz, n, 0, 5000}, threads);
		assert_null(gzip_lend(g, out, 0, 100, &k)); /* fewer than lie there */
		size_t at = gzip_read(g, out, 1 << 18);
		for (unsigned i = 0; at < MUCH; i++, at += k) {
			size_t keep = kept[i % 4];
			const char *bytes = gzip_lend(g, text + at - keep, keep, WHOLE, &k);
			if (bytes)
				assert_memory_equal(bytes - keep, text + at - keep, keep + k);
			lent += bytes != NULL;
			if (bytes && i % 4 != 3)
				continue;
			at += bytes ? k : 0;
			k = gzip_read(g, out, 1 << (i % 3 ? 18 : 17));
			assert_memory_equal(out, text + at, k);
		}
		assert_int_equal(at, MUCH);
		assert_null(gzip_lend(g, out, 0, WHOLE, &k));
		assert_int_equal(gzip_read(g, out, 1), 0);
		assert_null(gzip_lend(g, out, 8193, WHOLE, &k));
		gzip_close(g);
	}
	assert_true(lent > 8);
	free(out);
	free(gz);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_zlib_writes),
		cmocka_unit_test(headers_and_members),
		cmocka_unit_test(bad_members_hide_no_others),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(threads_give_the_same),
		cmocka_unit_test(lends_where_it_lies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

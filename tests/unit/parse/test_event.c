/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of every length and values of every kind, read by every path of the reader, each after
 * one that stood in the same place: what was learned there must never stand for another value. */
#include "report/parse/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAD = 512, PATHS = SCAN_AVX512 + 1 };

static struct event_parser *parser[PATHS];

static struct raw_event parse(enum scan_path path, const char *number)
{
	char text[256 + PAD];
	struct raw_event raw = {0};
	int n = snprintf(text, 256,
		"{\"ph\":\"X\",\"ts\":%s,\"dur\":%s,\"pid\":%s,\"args\":{\"bytes\":%s,\"x\":%s,"
		"\"blocks per SM\":%s}}",
		number, number, number, number, number, number);
	memset(text + n, '"', PAD);
	if (event_parse(parser[path], text, text + n, true, &raw) != PARSED)
		fail_msg("%s: path %d takes it for damage", number, (int)path);
	assert_ptr_equal(raw.end, text + n);
	return raw;
}

/* Nanoseconds of up to 15 digits of microseconds, half away from zero; -1 where they are too many.
 */
static int64_t nanoseconds(const char *number)
{
	int64_t ns = 0, scale = 100;
	const char *p = number;
	if (strspn(number, "0123456789") > 15)
		return -1;
	for (; *p >= '0' && *p <= '9'; p++)
		ns = 10 * ns + (*p - '0');
	ns *= 1000;
	for (p += *p == '.'; scale && *p; scale /= 10, p++)
		ns += scale * (*p - '0');
	return ns + (*p >= '5');
}

static void check(const char *number)
{
	struct raw_event plain = parse(SCAN_PLAIN, number);
	int64_t ns = nanoseconds(number);
	if (ns >= 0)
		assert_int_equal(plain.number[RAW_TS], ns);
	double real = strtod(number, NULL), error = plain.real[RAW_BLOCKS_PER_SM] / real - 1;
	assert_true(real == 0 || (error < 1e-15 && error > -1e-15));
	for (int path = SCAN_SSE2; path < PATHS; path++) {
		struct raw_event raw = parse((enum scan_path)path, number);
		assert_true(raw.seen == plain.seen);
		assert_true(raw.noted == plain.noted);
		assert_int_equal(raw.fraction, plain.fraction);
		assert_int_equal(raw.number[RAW_TS], plain.number[RAW_TS]);
		assert_int_equal(raw.number[RAW_DUR], plain.number[RAW_DUR]);
		if (raw.seen & RAW_SEEN_NUMBER(RAW_PID))
			assert_int_equal(raw.number[RAW_PID], plain.number[RAW_PID]);
		if (raw.seen & RAW_SEEN_NUMBER(RAW_BYTES))
			assert_int_equal(raw.number[RAW_BYTES], plain.number[RAW_BYTES]);
		assert_true(raw.real[RAW_BLOCKS_PER_SM] == plain.real[RAW_BLOCKS_PER_SM]);
	}
}

static void same_text(const struct raw_text *a, const struct raw_text *b, const char *of)
{
	if (a->at != b->at || a->n != b->n || a->form != b->form)
		fail_msg("%s: another text", of);
}

/* Whose bit says that this number is there. */
static int bit_of(int number)
{
	return number >= RAW_BLOCK ? RAW_BLOCK : number >= RAW_GRID ? RAW_GRID : number;
}

/* The same as the plain path has read. */
static void same_event(struct event_parser *p, const char *text, int n, enum parsed parsed,
	const struct raw_event *plain)
{
	struct raw_event raw = {0};
	if (event_parse(p, text, text + n, true, &raw) != parsed)
		fail_msg("%s: damage to one path only", text);
	if (parsed != PARSED)
		return;
	if (raw.seen != plain->seen || raw.noted != plain->noted || raw.notes != plain->notes ||
		raw.phase != plain->phase || raw.fraction != plain->fraction ||
		raw.end != plain->end)
		fail_msg("%.*s: seen %#llx, not %#llx", n, text, (unsigned long long)raw.seen,
			(unsigned long long)plain->seen);
	for (int i = 0; i < RAW_NUMBERS; i++)
		if (raw.seen & RAW_SEEN_NUMBER(bit_of(i)) && raw.number[i] != plain->number[i])
			fail_msg("%.*s: number %d", n, text, i);
	for (int i = 0; i < RAW_REALS; i++)
		if (raw.seen & RAW_SEEN_REAL(i) && raw.real[i] != plain->real[i])
			fail_msg("%.*s: real number %d", n, text, i);
	for (int i = 0; i < RAW_TEXTS; i++)
		if (raw.seen & RAW_SEEN_TEXT(i))
			same_text(&raw.text[i], &plain->text[i], text);
}

static int set_up(void **state)
{
	(void)state;
	for (int path = 0; path < PATHS; path++)
		parser[path] = event_parser_new((enum scan_path)path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int path = 0; path < PATHS; path++)
		event_parser_free(parser[path]);
	return 0;
}

static void every_length(void **state)
{
	(void)state;
	static const char digits[] = "91827364554637281909", other[] = "91827364999999999999";
	for (int whole = 1; whole <= 18; whole++) {
		for (int decimals = -1; decimals <= 17 && whole + decimals < 19; decimals++) {
			char number[64];
			if (!decimals)
				continue;
			const char *point = decimals > 0 ? "." : "";
			int behind = decimals > 0 ? decimals : 0;
			snprintf(number, sizeof number, "%.*s%s%.*s", whole, digits, point, behind,
				digits + 1);
			check(number);
			check(number);
			snprintf(number, sizeof number, "%.*s%s%.*s", whole, other, point, behind,
				other);
			check(number);
			snprintf(number, sizeof number, "1%0*d%s%.*s", whole - 1, 0, point, behind,
				"00000000000000000000");
			check(number);
		}
	}
}

/* All the values of two places behind each other. */
static void every_small_number(void **state)
{
	(void)state;
	for (int i = 0; i < 1200; i++) {
		char number[64];
		snprintf(number, sizeof number, "%d", i);
		check(number);
		snprintf(number, sizeof number, "%d.%03d", i % 7, i % 1000);
		check(number);
		snprintf(number, sizeof number, "39123456%d.%d", i, i % 10);
		check(number);
	}
}

/* The largest stamps, where one more would not fit. */
static void limits(void **state)
{
	(void)state;
	static const char *const numbers[] = {"9223372036854774", "9223372036854775",
		"9223372099999999", "9223372000000000", "9223371999999999.999", "9999999999999999",
		"99999999999999999999", "18446744073709551615", "4294967295", "4294967296",
		"999999999999999", "1000000000000000"};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		check(numbers[i]);
}

/* What stands where a value of another kind stood before, after the same key, twice; and keys that
 * come twice: every path must keep the same. */
static void other_values(void **state)
{
	(void)state;
	static const char *const values[] = {"1", "\"a\"", "null", "-3", "[1, 2, 3]", "\"[4,5,6]\"",
		"  7", "1e3", "NaN", "{}", "true", "[]", "\"\"", "12345678", "\"12\"", "[1,2]",
		"\"a\\n\"", "00", "0.5", ".5", "5.", "+5", "007", "123456789012345678901"};
	enum { VALUES = sizeof values / sizeof *values };
	static const char *const keys[] = {"ph", "cat", "name", "pid", "ts", "dur", "id2"};
	static const char *const args[] = {
		"grid", "bytes", "blocks per SM", "Input Dims", "correlation", "unknown"};
	for (size_t i = 0; i < VALUES * VALUES * (sizeof keys / sizeof *keys); i++) {
		const char *one = values[i % VALUES], *two = values[i / VALUES % VALUES];
		size_t k = i / VALUES / VALUES;
		char text[512 + PAD];
		int n = snprintf(text, 512,
			"{\"ph\":\"X\",\"%s\":%s,\"%s\":%s,\"args\":{\"%s\":%s,\"%s\":%s}}",
			keys[k], one, keys[k], two, args[k % 6], two, args[k % 6], one);
		memset(text + n, '"', PAD);
		struct raw_event plain = {0};
		enum parsed parsed = event_parse(parser[SCAN_PLAIN], text, text + n, true, &plain);
		for (int path = SCAN_SSE2; path < PATHS; path++)
			same_event(parser[path], text, n, parsed, &plain);
	}
}

/* A text is called by what it is, whatever is remembered of it. */
static void same_id(struct strings *texts, const struct raw_event *raw, const char *of)
{
	for (int i = 0; i < RAW_TEXTS; i++) {
		const struct raw_text *t = &raw->text[i];
		if (!(raw->seen & RAW_SEEN_TEXT(i)))
			continue;
		const struct text_entry *e = &texts->entry[event_text(texts, t, 0)];
		if (e->length != t->n || memcmp(e->text, t->at, t->n) != 0)
			fail_msg("%s: text %d is called by another", of, i);
	}
}

/* An event of one of the forms that a file has thousands of, or nearly: what repeats in it, repeats
 * for a while. */
static int print_by_rote(char *text, size_t room, unsigned turn, unsigned random)
{
	static const char *const categories[] = {"cpu_op", "kernel", "",
		"a category of so many letters that no phrase has room for it"};
	const char *category = categories[turn / 700 % 4 ? random % 3 : 3];
	unsigned pid = turn / 300 % 3, tid = random >> 8 & 1 ? pid : turn / 500;
	int n = snprintf(text, room,
		"{\"ph\": \"%c\", \"cat\": \"%s\", \"name\": \"n%u\", \"pid\": %u, \"tid\": %u,\n"
		"\"ts\": %u.%03u, \"args\": {\"queued\": 0, \"device\": %u, \"context\": 1, "
		"\"stream\": %u, \"unknown\": %u, \"bytes\": %u}}",
		random >> 12 & 7 ? 'X' : "iMsB"[random >> 15 & 3], category, random >> 3 & 15, pid,
		tid, turn, turn % 1000, turn / 900, 7 + pid, turn / 1100 % 2 * 1234567, random);
	if (random >> 20 & 7)
		return n;
	unsigned at = (random >> 4) % (unsigned)n; /* a byte is lost, or another */
	if (random >> 24 & 1) {
		memmove(text + at, text + at + 1, (size_t)n - at);
		return n - 1;
	}
	text[at] = "0 \"}\\,7-["[random >> 25 & 7];
	return n;
}

/* What is learned of many events never stands for what an event says. */
static void by_rote(void **state)
{
	(void)state;
	struct strings texts[PATHS];
	unsigned random = 1;
	for (int path = 0; path < PATHS; path++)
		strings_init(&texts[path]);
	for (unsigned turn = 0; turn < 20000; turn++) {
		char text[1024 + PAD];
		random = random * 1664525u + 1013904223u;
		int n = print_by_rote(text, 1024, turn, random >> 3);
		memset(text + n, '"', PAD);
		struct raw_event plain = {0}, raw = {0};
		enum parsed parsed = event_parse(parser[SCAN_PLAIN], text, text + n, true, &plain);
		for (int path = SCAN_SSE2; path < PATHS; path++) {
			same_event(parser[path], text, n, parsed, &plain);
			if (event_parse(parser[path], text, text + n, true, &raw) == PARSED)
				same_id(&texts[path], &raw, text);
		}
	}
	for (int path = 0; path < PATHS; path++)
		strings_release(&texts[path]);
}

/* The quote of "\" is no end of it. */
static void a_phase_that_begins_with_an_escape(void **state)
{
	(void)state;
	static const char event[] = "{\"ph\":\"\\\", \\\"\",\"ts\":7}";
	char text[sizeof event + PAD];
	memset(text, '"', sizeof text);
	memcpy(text, event, sizeof event - 1);
	for (int path = SCAN_PLAIN; path < PATHS; path++)
		for (int again = 0; again < 3; again++) {
			struct raw_event raw = {0};
			assert_int_equal(event_parse(parser[path], text, text + sizeof event - 1,
						 true, &raw),
				PARSED);
			assert_ptr_equal(raw.end, text + sizeof event - 1);
			assert_int_equal(raw.phase, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_phase_that_begins_with_an_escape),
		cmocka_unit_test(by_rote),
		cmocka_unit_test(every_length),
		cmocka_unit_test(every_small_number),
		cmocka_unit_test(limits),
		cmocka_unit_test(other_values),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

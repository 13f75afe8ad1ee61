/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged files: what can be saved is saved, and every repair is told. Cut at every byte, one byte
 * changed at every place, and the cases of mkbad.py with what each must give. */
#include "report/read/read.h"
#include "report/trace/repair.h"
#include "tests/unit/read_scratch.h"
#include "tests/unit/trace_digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char *shared(void)
{
	const char *folder = getenv("TRACEBOOK_SHARED");
	return folder ? folder : "../shared";
}

static char *bytes_of(const char *path, size_t *n)
{
	char *bytes = malloc(1 << 20);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(bytes);
	*n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

struct scratch {
	char path[SCRATCH_PATH];
	int fd;
};

static int make_scratch(void **state)
{
	struct scratch *s = calloc(1, sizeof *s);
	s->fd = mkstemp(scratch_name(s->path, "damage"));
	*state = s;
	return s->fd < 0;
}

static int remove_scratch(void **state)
{
	struct scratch *s = *state;
	close(s->fd);
	unlink(s->path);
	free(s);
	return 0;
}

/* 0 and a sealed trace, or -1 and one line. */
static int read_bytes(struct scratch *s, struct trace *t, const char *bytes, size_t n)
{
	struct err err = {0};
	assert_int_equal(pwrite(s->fd, bytes, n, 0), (ssize_t)n);
	assert_int_equal(ftruncate(s->fd, (off_t)n), 0);
	trace_init(t);
	if (trace_read(
		    t, s->path, &(struct read_options){.threads = 1, .vector_bytes = 64}, &err)) {
		assert_true(err.set);
		assert_null(strchr(err.text, '\n'));
		return -1;
	}
	const char *rule = trace_broken(t);
	if (rule)
		fail_msg("%zu bytes: broken rule: %s", n, rule);
	return 0;
}

static const struct repair *find_repair(const struct trace *t, enum repair_kind kind)
{
	for (size_t i = 0; i < t->n_repairs; i++)
		if (t->repairs[i].kind == (int)kind)
			return &t->repairs[i];
	return NULL;
}

/* How many whole elements the first n bytes of an indented file hold: each ends with "\n  }". */
static int64_t whole_events(const char *bytes, size_t n)
{
	int64_t events = 0;
	const char *list = strstr(bytes, "\"traceEvents\"");
	for (const char *p = list; p + 4 <= bytes + n; p++)
		events += !memcmp(p, "\n  }", 4) && (p[4] == ',' || p[4] == '\n');
	return events;
}

static void every_whole_event_survives_a_cut(void **state)
{
	size_t n;
	char *bytes = bytes_of("tests/data/read/era2024.json", &n);
	for (size_t cut = 0; cut < n - 2; cut++) {
		struct trace t;
		int64_t events = whole_events(bytes, cut);
		if (read_bytes(*state, &t, bytes, cut)) {
			assert_int_equal(events, 0);
			continue;
		}
		int64_t read = 0;
		for (int ph = 1; ph < 128; ph++)
			read += t.phases[ph];
		if (read != events)
			fail_msg("cut at %zu: %lld of %lld events", cut, (long long)read,
				(long long)events);
		const struct repair *r = find_repair(&t, REPAIR_CUT);
		r = r ? r : find_repair(&t, REPAIR_CUT_EVENT);
		assert_non_null(r);
		assert_int_equal(r->count, 1);
		assert_true(r->place[0].offset <= (int64_t)cut);
		trace_release(&t);
	}
	free(bytes);
}

/* Any byte may be anything; at most one event may go with it, and never more than the file has. */
static void changed_bytes_cost_one_event(void **state)
{
	static const char changes[] = {
		'"', '\\', '{', '}', '[', ']', ',', ':', '\0', '\xff', 'N', '9', '-', '\n'};
	size_t n, lost = 0, tried = 0;
	char *bytes = bytes_of("tests/data/read/era2024.json", &n);
	size_t list = (size_t)(strstr(bytes, "\"traceEvents\": [") - bytes) + 16;
	int64_t all = whole_events(bytes, n);
	for (size_t at = list; at < n; at += sweep() ? 1 : 5) {
		for (size_t i = 0; i < sizeof changes; i++, tried++) {
			struct trace t;
			char old = bytes[at];
			bytes[at] = changes[i];
			if (read_bytes(*state, &t, bytes, n))
				fail_msg("refused with %02x at %zu", (unsigned char)changes[i], at);
			bytes[at] = old;
			int64_t read = 0;
			for (int ph = 1; ph < 128; ph++)
				read += t.phases[ph];
			assert_true(read <= all + 1);
			if (read < all - 1)
				print_message("at %zu %02x: %lld of %lld\n", at,
					(unsigned char)changes[i], (long long)read, (long long)all);
			lost += read < all - 1;
			trace_release(&t);
		}
	}
	free(bytes);
	print_message("%zu changes, more than one event lost in %zu\n", tried, lost);
	assert_int_equal(lost, 0);
}

/* The same on a file without spaces, where a byte is gone or one too many. */
static void lost_and_added_bytes_cost_one_event(void **state)
{
	static const char added[] = {0, '"', '\\', '{', '}', '[', ']', ',', ':', '9', 'x'};
	char text[4096], *bytes = malloc(sizeof text + 1);
	size_t n = 0, lost = 0;
	enum { EVENTS = 8 };
	assert_non_null(bytes);
	n += (size_t)snprintf(text, sizeof text, "{\"schemaVersion\":1,\"traceEvents\":[");
	size_t list = n;
	for (int i = 0; i < EVENTS; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
			"%s{\"ph\":\"X\",\"name\":\"f<int, 2>(float*)\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,"
			"\"ts\":%d.5,\"dur\":2,\"args\":{\"External id\":%d,\"Input Dims\":[[1,2],[3,4]]}}",
			i ? "," : "", i * 5, i);
	size_t end = n;
	n += (size_t)snprintf(text + n, sizeof text - n, "],\"traceName\":\"t\"}");
	assert_int_equal(read_bytes(*state, &(struct trace){0}, "{\"a\":1}x", 8), -1);
	for (size_t at = list - 1; at <= end; at++) { /* from the list's own bracket on */
		for (size_t i = 0; i < sizeof added; i++) {
			struct trace t;
			bool add = added[i];
			if (at < list && strchr("\"9{", added[i]) && added[i])
				continue; /* that is another value, and no list */
			memcpy(bytes, text, at);
			bytes[at] = added[i];
			memcpy(bytes + at + add, text + at + !add, n - at - !add);
			if (read_bytes(*state, &t, bytes, n + add - !add))
				fail_msg("refused with %02x at %zu", (unsigned char)added[i], at);
			if (t.n < EVENTS - 1)
				print_message("at %zu %02x: %zu of %d\n", at,
					(unsigned char)added[i], t.n, EVENTS);
			lost += t.n < EVENTS - 1;
			assert_true(t.n_repairs || t.n == EVENTS);
			trace_release(&t);
		}
	}
	free(bytes);
	assert_int_equal(lost, 0);
}

/* What mkbad.py makes: rows, and the repairs that must be told (REPAIR_KINDS: none). -1 rows:
 * refused. */
static const struct bad {
	const char *file;
	int rows;
	enum repair_kind repair;
} bad_files[] = {
	{"00_control.json", 7, REPAIR_KINDS},
	{"01_trunc_after_comma.json", 3, REPAIR_CUT},
	{"01_trunc_after_event.json", 4, REPAIR_CUT},
	{"01_trunc_no_close_brace.json", 7, REPAIR_CUT},
	{"01_trunc_number.json", 3, REPAIR_CUT_EVENT},
	{"01_trunc_string.json", 3, REPAIR_CUT_EVENT},
	{"02_empty.json", -1, REPAIR_KINDS},
	{"02_empty_events.json", 0, REPAIR_KINDS},
	{"02_header_only.json", -1, REPAIR_KINDS},
	{"02_no_events.json", -1, REPAIR_KINDS},
	{"02_null_events.json", -1, REPAIR_KINDS},
	{"02_ws.json", -1, REPAIR_KINDS},
	{"03_Infinity_args.json", 7, REPAIR_WORD},
	{"03_NaN_args.json", 7, REPAIR_WORD},
	{"03_NaN_dur.json", 7, REPAIR_NO_DURATION},
	{"03_inf_args.json", 7, REPAIR_WORD},
	{"03_mInfinity_args.json", 7, REPAIR_WORD},
	{"03_mnan_args.json", 7, REPAIR_WORD},
	{"03_nan_args.json", 7, REPAIR_WORD},
	{"04_ctl01.json", 7, REPAIR_CONTROL},
	{"04_newline.json", 7, REPAIR_CONTROL},
	{"04_nul.json", 7, REPAIR_CONTROL},
	{"04_tab.json", 7, REPAIR_CONTROL},
	{"05_esc_lone_surrogate.json", 7, REPAIR_SURROGATE},
	{"05_latin1_in_args.json", 7, REPAIR_KINDS},
	{"05_utf8_cut.json", 7, REPAIR_UTF8},
	{"05_utf8_ff.json", 7, REPAIR_UTF8},
	{"05_utf8_ok.json", 7, REPAIR_KINDS},
	{"05_utf8_overlong.json", 7, REPAIR_UTF8},
	{"05_utf8_surrogate.json", 7, REPAIR_UTF8},
	{"06_dup_args.json", 7, REPAIR_KINDS},
	{"06_dup_te.json", 7, REPAIR_SECOND_LIST},
	{"06_dup_ts.json", 7, REPAIR_KINDS},
	{"07_deep_100.json", 7, REPAIR_KINDS},
	{"07_deep_1100.json", 7, REPAIR_KINDS},
	{"07_deep_20000.json", 7, REPAIR_KINDS},
	{"07_deep_5000000.json", 7, REPAIR_KINDS},
	{"08_1e400.json", 7, REPAIR_KINDS},
	{"08_digits400.json", 7, REPAIR_KINDS},
	{"08_id_neg.json", 7, REPAIR_KINDS},
	{"08_int20_corr.json", 7, REPAIR_KINDS},
	{"08_int21.json", 7, REPAIR_KINDS},
	{"08_stream_u32.json", 7, REPAIR_KINDS},
	{"08_ts20.json", 6, REPAIR_TIME_RANGE},
	{"08_ts_exp.json", 7, REPAIR_KINDS},
	{"09_dur_string.json", 7, REPAIR_KINDS},
	{"09_id_string.json", 7, REPAIR_KINDS},
	{"09_pid_string.json", 7, REPAIR_KINDS},
	{"09_ts_string.json", 7, REPAIR_KINDS},
	{"10_array.json", 7, REPAIR_KINDS},
	{"10_array_open.json", 7, REPAIR_CUT},
	{"10_array_open_comma.json", 7, REPAIR_CUT},
	{"11_bom.json", 7, REPAIR_BOM},
	{"11_ndjson.json", 6, REPAIR_LINES},
	{"11_nul_tail.json", 7, REPAIR_TRAILING},
	{"11_trailing_garbage.json", 7, REPAIR_TRAILING},
	{"11_two_docs.json", 14, REPAIR_SECOND_DOCUMENT},
	{"11_utf16.json", -1, REPAIR_KINDS},
	{"12_comment.json", 7, REPAIR_COMMENT},
	{"12_double_comma.json", 7, REPAIR_COMMA_EXTRA},
	{"12_missing_comma.json", 7, REPAIR_COMMA_MISSING},
	{"12_trailing_comma_arr.json", 6, REPAIR_COMMA_EXTRA},
	{"12_trailing_comma_obj.json", 7, REPAIR_COMMA_EXTRA},
	{"12_unescaped_quotes.json", 7, REPAIR_QUOTES},
	{"12_winpath.json", 7, REPAIR_BACKSLASH},
	{"13_te_nested_first.json", 7, REPAIR_KINDS},
	{"13_te_string_first.json", 7, REPAIR_KINDS},
	{"14_array_event.json", 6, REPAIR_NO_EVENT},
	{"14_empty_event.json", 6, REPAIR_NO_EVENT},
	{"14_null_event.json", 6, REPAIR_NO_EVENT},
	{"14_num_event.json", 6, REPAIR_NO_EVENT},
	{"14_str_event.json", 6, REPAIR_NO_EVENT},
	{"15_5dot.json", 7, REPAIR_NUMBER},
	{"15_dot5.json", 7, REPAIR_NUMBER},
	{"15_hex.json", 7, REPAIR_WORD},
	{"15_leading0.json", 7, REPAIR_NUMBER},
	{"15_neg_dur.json", 7, REPAIR_NEGATIVE},
	{"15_plus.json", 7, REPAIR_NUMBER},
	{"16_hugekey.json", 7, REPAIR_KINDS},
	{"16_hugename.json", 7, REPAIR_LONG},
	{"17_esc_key.json", 7, REPAIR_KINDS},
	{"17_esc_name.json", 7, REPAIR_KINDS},
	{"18_epoch_ns.json", 6, REPAIR_OTHER_CLOCK},
	{"20_args_arr.json", 7, REPAIR_KINDS},
	{"20_args_null.json", 7, REPAIR_KINDS},
	{"20_args_str.json", 7, REPAIR_KINDS},
	{"30_gz_badcrc.json.gz", 200000, REPAIR_GZ_CHECKSUM},
	{"30_gz_badisize.json.gz", 200000, REPAIR_GZ_CHECKSUM},
	{"30_gz_empty.json.gz", -1, REPAIR_KINDS},
	{"30_gz_garbage_tail.json.gz", 200000, REPAIR_GZ_TRAILING},
	{"30_gz_hdronly.json.gz", -1, REPAIR_KINDS},
	{"30_gz_in_gz.json.gz", -1, REPAIR_KINDS},
	{"30_gz_multi.json.gz", 200000, REPAIR_KINDS},
	{"30_gz_not.json.gz", 5901, REPAIR_CUT_EVENT},
	{"30_gz_ok.json.gz", 200000, REPAIR_KINDS},
	{"30_gz_trunc50.json.gz", 100005, REPAIR_GZ_CUT},
	{"30_gz_trunc_trailer.json.gz", 200000, REPAIR_GZ_CUT},
	{"30_gz_zeropad.json.gz", 200000, REPAIR_GZ_TRAILING},
};

static int check_bad(const char *folder, const struct bad *bad, int threads)
{
	char path[2 * SCRATCH_PATH];
	struct trace t;
	struct err err = {0};
	snprintf(path, sizeof path, "%s/%s", folder, bad->file);
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){.threads = threads, .vector_bytes = 64},
		    &err)) {
		if (bad->rows >= 0)
			print_message("%s\n", err.text);
		return bad->rows >= 0;
	}
	const char *rule = trace_broken(&t);
	bool told =
		bad->repair == REPAIR_KINDS ? !t.n_repairs : find_repair(&t, bad->repair) != NULL;
	bool right = !rule && told && (int)t.n == bad->rows;
	if (!right)
		print_message("%s: %zu rows and not %d, %zu repairs, %s\n", bad->file, t.n,
			bad->rows, t.n_repairs, rule ? rule : "");
	trace_release(&t);
	return !right;
}

static void every_bad_file_gives_what_it_can(void **state)
{
	(void)state;
	char folder[SCRATCH_PATH], command[4096];
	snprintf(command, sizeof command, "%s/tools/mkbad.py", shared());
	if (access(command, R_OK) || system("python3 -c '' 2>/dev/null")) {
		print_message("no %s, or no python3\n", command);
		skip();
	}
	assert_non_null(mkdtemp(scratch_name(folder, "mkbad")));
	assert_int_equal(shell("python3 \"$A\" \"$B\" >/dev/null", command, folder), 0);
	int wrong = 0;
	for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++)
		for (int threads = 1; threads <= 2; threads++)
			wrong += check_bad(folder, &bad_files[i], threads);
	assert_int_equal(shell("rm -rf \"$A\"", folder, ""), 0);
	assert_int_equal(wrong, 0);
}

static void check_repair(struct scratch *s, const char *list, enum repair_kind kind, int64_t count,
	int64_t first, const char *context)
{
	struct trace t;
	char bytes[4096];
	int n = snprintf(bytes, sizeof bytes, "[%s]", list);
	assert_int_equal(read_bytes(s, &t, bytes, (size_t)n), 0);
	const struct repair *r = find_repair(&t, kind);
	if (!count) {
		assert_null(r);
	} else {
		assert_non_null(r);
		assert_int_equal(r->count, count);
		assert_int_equal(r->place[0].offset, first);
		assert_memory_equal(r->place[0].context, context, strlen(context));
	}
	trace_release(&t);
}

static void numbers_that_json_does_not_allow_are_told(void **state)
{
#define EVENT(ts) "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"dur\":1,\"ts\":" ts "}"
	static const struct {
		const char *list;
		int64_t count, first;
	} cases[] = {
		{EVENT("+5"), 1, 51}, {EVENT(".5"), 1, 51}, {EVENT("-.5"), 1, 51},
		{EVENT("+007"), 1, 51}, {EVENT("007"), 1, 51}, {EVENT("5."), 1, 51},
		{EVENT("00.5"), 1, 51}, {EVENT("0"), 0, 0}, {EVENT("0.25"), 0, 0},
		{EVENT("5.e1"), 1, 51}, {EVENT("1") "," EVENT("+2e0") "," EVENT("+3"), 2, 104},
		{EVENT("5e0,\"args\":{\"x\":+1,\"y\":+25,\"z\":-0}"), 2, 67}, {EVENT("-1"), 0, 0},
		{EVENT("-0.5"), 0, 0}, {EVENT("0.5e+1"), 0, 0}, {EVENT("1E-2"), 0, 0},
		{EVENT("\"+5\""), 0, 0}, /* a text may hold what it likes */
	};
#undef EVENT
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char context[8] = {0};
		snprintf(context, sizeof context, "%.2s",
			cases[i].count ? cases[i].list + cases[i].first - 1 : "");
		check_repair(*state, cases[i].list, REPAIR_NUMBER, cases[i].count, cases[i].first,
			context);
	}
}

/* The first places of each kind, in the order of the file, whatever was met first. */
static void every_repair_has_its_places(void **state)
{
	char list[4096] = "";
	size_t n = 0;
	struct trace t;
	list[n++] = '[';
	for (int i = 0; i < 20; i++)
		n += (size_t)snprintf(list + n, sizeof list - n,
			"%s{\"ph\":\"X\",\"name\":\"%02d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":-1}",
			i ? "," : "", i, 100 - i);
	list[n++] = ']';
	assert_int_equal(read_bytes(*state, &t, list, n), 0);
	const struct repair *r = find_repair(&t, REPAIR_NEGATIVE);
	assert_non_null(r);
	assert_int_equal(r->count, 20);
	assert_int_equal(r->n_places, REPAIR_PLACES);
	for (int i = 0; i < r->n_places; i++) {
		const char *at = list + r->place[i].offset;
		char name[16];
		snprintf(name, sizeof name, "\"%02d\"", i);
		assert_memory_equal(at, "{\"ph\":\"X\"", 9);
		assert_memory_equal(at + 17, name, 4);
		assert_memory_equal(r->place[i].context, at, sizeof r->place[i].context - 1);
	}
	trace_release(&t);
}

/* What has no place has at least a name. */
static void an_event_of_another_clock_is_named(void **state)
{
	check_repair(*state,
		"{\"ph\":\"X\",\"name\":\"lost\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1},"
		"{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1718039123456789,\"dur\":1},"
		"{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1718039123456790,\"dur\":1}",
		REPAIR_OTHER_CLOCK, 1, -1, "lost");
}

#define MARK(ph, more, ts) "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":7,\"ts\":" ts more "}"
#define BEGIN(name, ts) MARK("B", ",\"name\":\"" name "\"", ts)
#define END(name, ts) MARK("E", ",\"name\":\"" name "\"", ts)

/* Begins and ends, and what must come of them: "name start+duration" in the order of time. */
static void ends_find_their_begins(void **state)
{
	static const struct {
		const char *list, *spans;
		int64_t no_end, no_begin;
	} cases[] = {
		{BEGIN("a", "0") "," BEGIN("b", "1") "," END("b", "2") "," END("a", "3"),
			"a 0+3 b 1+1 ", 0, 0},
		/* they cross, and both ends are there */
		{BEGIN("a", "0") "," BEGIN("b", "1") "," END("a", "2") "," END("b", "3"),
			"a 0+2 b 1+2 ", 0, 0},
		/* the end of b is lost, and b comes again */
		{BEGIN("a", "0") "," BEGIN("b", "1") "," END("a", "2") "," BEGIN("b", "3") "," END(
			 "b", "4"),
			"a 0+2 b 1+1 b 3+1 ", 1, 0},
		{BEGIN("a", "0") "," END("x", "1") "," END("a", "2"), "a 0+2 ", 0, 1},
		{BEGIN("a", "0") "," BEGIN("b", "1") "," MARK("E", "", "2"), "a 0+2 b 1+1 ", 1, 0},
		{BEGIN("a", "0") "," BEGIN("b", "1") "," END("", "2"), "a 0+2 b 1+1 ", 1, 0},
		/* a stream and a thread of one number: the category tells them apart ... */
		{MARK("B", ",\"name\":\"k\",\"cat\":\"kernel\"", "0") "," BEGIN("a", "1") "," MARK(
			 "E", ",\"cat\":\"kernel\"", "2") "," END("a", "3"),
			"k 0+2 a 1+2 ", 0, 0},
		/* ... and an end without one belongs to either */
		{MARK("B", ",\"name\":\"k\",\"cat\":\"kernel\"", "0") "," END("k", "2"), "k 0+2 ",
			0, 0},
		{BEGIN("a", "0") "," MARK("B", ",\"name\":\"k\",\"cat\":\"kernel\"", "1") "," END(
			 "a", "2") "," END("k", "3"),
			"a 0+2 k 1+2 ", 0, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace t;
		char bytes[2048], spans[256] = "";
		size_t used = 0;
		int n = snprintf(bytes, sizeof bytes, "[%s]", cases[i].list);
		assert_int_equal(read_bytes(*state, &t, bytes, (size_t)n), 0);
		for (size_t k = 0; k < t.n; k++)
			used += (size_t)snprintf(spans + used, sizeof spans - used, "%s %lld+%lld ",
				names_text(&t.names, t.name[k]), (long long)t.start_ns[k] / 1000,
				(long long)t.dur_ns[k] / 1000);
		assert_string_equal(spans, cases[i].spans);
		for (uint32_t k = 0; k < t.n_tracks; k++)
			assert_true(t.tracks[k].n > 0);
		const struct repair *no_end = find_repair(&t, REPAIR_NO_END);
		const struct repair *no_begin = find_repair(&t, REPAIR_NO_BEGIN);
		assert_int_equal(no_end ? no_end->count : 0, cases[i].no_end);
		assert_int_equal(no_begin ? no_begin->count : 0, cases[i].no_begin);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_whole_event_survives_a_cut, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			changed_bytes_cost_one_event, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			lost_and_added_bytes_cost_one_event, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			numbers_that_json_does_not_allow_are_told, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			every_repair_has_its_places, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			an_event_of_another_clock_is_named, make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			ends_find_their_begins, make_scratch, remove_scratch),
		cmocka_unit_test(every_bad_file_gives_what_it_can),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

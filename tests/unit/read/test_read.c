/* SPDX-License-Identifier: Apache-2.0 */
/* The hand-made files of tests/data/read, one for each era and form, against their dumps; and what
 * is no trace, refused in one line. */
#include "report/analyse/trace_dump.h"
#include "report/read/read.h"
#include "tests/unit/read_scratch.h"
#include "tests/unit/trace_digest.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char folder[] = "tests/data/read";

static void read_file(struct trace *t, const char *name)
{
	char path[512];
	struct err err = {0};
	snprintf(path, sizeof path, "%s/%s", folder, name);
	trace_init(t);
	if (trace_read(t, path, &(struct read_options){0}, &err))
		fail_msg("%s", err.text);
	const char *rule = trace_broken(t);
	if (rule)
		fail_msg("%s: broken rule: %s", path, rule);
}

static char *dump_of(const char *name)
{
	struct trace t;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	read_file(&t, name);
	trace_dump(&t, f);
	fclose(f);
	trace_release(&t);
	return text;
}

static char *text_of(const char *path)
{
	char *text = NULL;
	size_t n = 0, k;
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	do {
		text = xrealloc(text, n + 4097, 1);
		k = fread(text + n, 1, 4096, f);
		n += k;
	} while (k);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* The first line where two texts differ, for the message. */
static void compare_lines(const char *name, const char *ours, const char *wanted)
{
	for (int line = 1; *ours || *wanted; line++) {
		size_t a = strcspn(ours, "\n"), b = strcspn(wanted, "\n");
		if (a != b || memcmp(ours, wanted, a))
			fail_msg("%s:%d: we say\n%.*s\nand not\n%.*s", name, line, (int)a, ours,
				(int)b, wanted);
		ours += a + (ours[a] == '\n');
		wanted += b + (wanted[b] == '\n');
	}
}

static void dumps_are_as_written_down(void **state)
{
	(void)state;
	int n = 0;
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char dump[512], name[300];
		const char *dot = strchr(e->d_name, '.');
		if (!dot || strncmp(dot, ".json", 5))
			continue;
		snprintf(name, sizeof name, "%s", e->d_name);
		snprintf(dump, sizeof dump, "%s/%.*s.dump", folder, (int)(dot - e->d_name),
			e->d_name);
		char *ours = dump_of(name), *wanted = text_of(dump);
		compare_lines(dump, ours, wanted);
		free(ours);
		free(wanted);
		n++;
	}
	closedir(d);
	assert_true(n >= 16);
}

static uint32_t row_of(const struct trace *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(names_text(&t->names, t->name[i]), name))
			return (uint32_t)i;
	fail_msg("no event %s", name);
	return NO_ROW;
}

/* Epoch microseconds with ns digits do not fit a double; they must come out to the last digit. */
static void times_are_exact(void **state)
{
	(void)state;
	struct trace t;
	read_file(&t, "numbers.json");
	assert_true(t.origin_ns + t.start_ns[row_of(&t, "exact epoch")] == 1718039123456789012);
	assert_true(t.origin_ns + t.start_ns[row_of(&t, "rounds up")] == 1718039123456789013);
	assert_int_equal(t.dur_ns[row_of(&t, "rounds up")], 1);
	assert_int_equal(t.dur_ns[row_of(&t, "exponent")], 2500);
	assert_int_equal(t.dur_ns[row_of(&t, "signs and zeros")], 500);
	trace_release(&t);
	read_file(&t, "era2024.json");
	uint32_t step = row_of(&t, "ProfilerStep#3");
	assert_true(t.origin_ns + t.start_ns[step] == 1718000000000000000 + 39123456789012);
	trace_release(&t);
}

/* One launch, three kernels; the operator is found by the call's thread, never by `External id`. */
static void graphs_belong_to_their_launch(void **state)
{
	(void)state;
	struct trace t;
	read_file(&t, "era2023_graph.json");
	uint32_t launch = row_of(&t, "cudaGraphLaunch");
	assert_int_equal(t.launch[row_of(&t, "first")], launch);
	assert_int_equal(t.launch[row_of(&t, "second")], launch);
	assert_int_equal(t.launch[row_of(&t, "third")], launch);
	assert_int_equal(t.launch[launch], row_of(&t, "first"));
	assert_int_equal(t.parent[launch], row_of(&t, "graph replay"));
	assert_int_equal(t.rank, 3);
	assert_int_equal(t.world, 8);
	trace_release(&t);
}

static int read_bytes(
	char path[SCRATCH_PATH], struct trace *t, const char *bytes, size_t n, struct err *err)
{
	int fd = mkstemp(scratch_name(path, "read"));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
	trace_init(t);
	int status = trace_read(t, path, &(struct read_options){0}, err);
	unlink(path);
	return status;
}

/* Damage costs the event that it is in, and none beside it. */
static void whole_events_beside_damage_survive(void **state)
{
#define WHOLE(first) "{" first "\"pid\":1,\"tid\":1,\"dur\":1,\"ts\":1}"
#define PHASE "\"ph\":\"X\","
#define ATTR "\"attr\":{\"n\":[{}]}," PHASE
	static const char *const lists[] = {
		/* the next event is where a value was */
		"{\"pid\":1," PHASE "\"ts\": " WHOLE(PHASE) "," WHOLE(PHASE),
		"{\"ph\":\"s\",\"id\": " WHOLE("\"cat\":\"a\"," PHASE) "," WHOLE(PHASE),
		/* all between two events is gone */
		"{" PHASE "\"args\":{\"id\":779   " WHOLE(PHASE) "," WHOLE(PHASE),
		/* a brace too many in what is counted only: the end of the list is not its own */
		"{\"ph\":\"s\",\"args\":{{},\"id\":1}," WHOLE(PHASE) "," WHOLE(PHASE),
		"{\"ph\":\"s\",{\"id\":1}," WHOLE(PHASE) "," WHOLE(PHASE),
		/* events that begin with what few have */
		"{:\"attr\":{}," PHASE "\"ts\":1}," WHOLE(ATTR) "," WHOLE(ATTR),
	};
#undef WHOLE
#undef PHASE
#undef ATTR
	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct trace t;
		struct err err = {0};
		char path[SCRATCH_PATH], bytes[1024];
		int n = snprintf(bytes, sizeof bytes,
			"{\"traceEvents\":[%s],\"stackFrames\":{\"1\":{\"name\":\"a\"}}}",
			lists[i]);
		assert_int_equal(read_bytes(path, &t, bytes, (size_t)n, &err), 0);
		if (t.n != 2 || !t.n_repairs || t.repairs[0].kind != REPAIR_LOST ||
			t.repairs[0].count != 1)
			fail_msg("%s: %zu events, %zu repairs", bytes, t.n, t.n_repairs);
		trace_release(&t);
	}
}

/* A program that dies while it writes may leave a file without its beginning: what is whole of it
 * is read, and the place of its first event is told. */
static void a_lost_beginning_costs_what_stood_there(void **state)
{
	(void)state;
#define EVENT(ts) "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"dur\":1,\"ts\":" #ts "}"
	static const char rest[] = "," EVENT(1) "," EVENT(3) "],\"a\":1}";
#undef EVENT
	static const char nuls[40];
	static const struct {
		const char *bytes;
		size_t n;
	} heads[] = {{nuls, sizeof nuls}, {"x", 1}, {"\"dur\": 5}", 9}, {": 1}}\n", 6},
		{"{\"a\": 1, #", 10}, {"{\"a\": [1], \0\0", 13}};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct trace t;
		struct err err = {0};
		char path[SCRATCH_PATH], bytes[256];
		memcpy(bytes, heads[i].bytes, heads[i].n);
		memcpy(bytes + heads[i].n, rest, sizeof rest);
		assert_int_equal(
			read_bytes(path, &t, bytes, heads[i].n + sizeof rest - 1, &err), 0);
		assert_int_equal(t.n, 2);
		const struct repair *r = trace_repair(&t, REPAIR_HEAD);
		assert_non_null(r);
		assert_int_equal(r->count, 1);
		assert_int_equal(r->place[0].offset, heads[i].n + 1);
		trace_release(&t);
	}
}

static void refuse(const char *bytes, size_t n, const char *wanted)
{
	char path[SCRATCH_PATH];
	struct trace t;
	struct err err = {0};
	assert_int_equal(read_bytes(path, &t, bytes, n, &err), -1);
	if (!strstr(err.text, wanted) || strncmp(err.text, path, strlen(path)))
		fail_msg("\"%s\" does not name the file and \"%s\"", err.text, wanted);
	assert_null(strchr(err.text, '\n'));
}

#define REFUSE(bytes, wanted) refuse(bytes, sizeof(bytes) - 1, wanted)

static void other_files_are_refused(void **state)
{
	(void)state;
	REFUSE("", "empty");
	REFUSE(" \n\t ", "only blanks");
	REFUSE("PK\x03\x04zzzz", "zip");
	REFUSE("\x28\xb5\x2f\xfdzzzz", "zstd");
	REFUSE("SQLite format 3\0zzzz", "SQLite");
	REFUSE("\xff\xfe{\0}\0", "UTF-16");
	REFUSE("<!DOCTYPE html>", "HTML");
	REFUSE("\x1f\x8b\x08\0\0\0\0", "cut off");
	REFUSE("hello, world", "text");
	REFUSE("\x01\x02\x03\x04", "binary");
	REFUSE("{\"schemaVersion\": 1,", "cut off");
	REFUSE("{\"traceEvents\": [ {\"ph\": \"X\", \"na", "cut off");
	REFUSE("{\"a\": 1}", "traceEvents");
	REFUSE("{\"traceEvents\": null}", "traceEvents");
	REFUSE("{\"schema\": \"1.0\", \"nodes\": []}", "execution trace");
	REFUSE("{\"meta\": {}, \"libs\": [], \"threads\": []}", "Firefox");
	REFUSE("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\"}",
		"speedscope");
	REFUSE("[[1, 2], [3, 4]]", "2 values");
	REFUSE("[{\"a\": 1}]", "ph");
}

static void paths_are_checked(void **state)
{
	(void)state;
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	assert_int_equal(trace_read(&t, "tests/none.json", &(struct read_options){0}, &err), -1);
	assert_non_null(strstr(err.text, "tests/none.json: No such file"));
	err = (struct err){0};
	trace_init(&t);
	assert_int_equal(trace_read(&t, "tests", &(struct read_options){0}, &err), -1);
	assert_non_null(strstr(err.text, "folder"));
}

static void empty_lists_are_traces(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	static const char json[] = "{\"traceEvents\": []}";
	int fd = mkstemp(scratch_name(path, "empty"));
	assert_int_equal(write(fd, json, sizeof json - 1), (ssize_t)sizeof json - 1);
	close(fd);
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	assert_int_equal(trace_read(&t, path, &(struct read_options){0}, &err), 0);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.n_tracks, 0);
	assert_int_equal(t.n_repairs, 0);
	trace_release(&t);
	unlink(path);
}

/* Steps repeat: of what kernels and operators say beside their times each is kept once. */
static void what_repeats_is_kept_once(void **state)
{
	(void)state;
	enum { STEPS = 1000 };
	char path[SCRATCH_PATH];
	FILE *f = fdopen(mkstemp(scratch_name(path, "alike")), "w");
	fputs("{\"traceEvents\": [", f);
	for (int i = 0; i < STEPS; i++)
		fprintf(f,
			"%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, "
			"\"tid\": 1, \"ts\": %d, \"dur\": 5, \"args\": {\"Input Dims\": [[%d, 4]]}},"
			"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, "
			"\"ts\": %d, \"dur\": 2, \"args\": {\"grid\": [%d, 1, 1]}}",
			i ? "," : "", 10 * i, i % 3, 10 * i + 6, i % 4);
	fputs("]}", f);
	fclose(f);
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	assert_int_equal(trace_read(&t, path, &(struct read_options){.threads = 1}, &err), 0);
	assert_int_equal(t.n, 2 * STEPS);
	assert_int_equal(t.n_inputs, 3);
	assert_int_equal(t.n_kernels, 4);
	for (size_t i = 0; i < STEPS; i++) {
		char dims[32];
		snprintf(dims, sizeof dims, "[[%zu, 4]]", i % 3);
		assert_string_equal(names_text(&t.names, t.inputs[t.side[2 * i]].dims), dims);
		assert_int_equal(t.kernels[t.side[2 * i + 1]].grid[0], i % 4);
	}
	trace_release(&t);
	unlink(path);
}

/* A pipe has no size and cannot be read twice. */
static void pipes_are_read(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	int fd = mkstemp(scratch_name(path, "pipe"));
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(shell("cat \"$A/era2024.json\" >\"$B\" &", folder, path), 0);
	struct trace t, file;
	struct err err = {0};
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){0}, &err))
		fail_msg("%s", err.text);
	unlink(path);
	read_file(&file, "era2024.json");
	assert_true(trace_digest(&t) == trace_digest(&file));
	assert_int_equal(t.file_bytes, -1);
	trace_release(&t);
	trace_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumps_are_as_written_down),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(graphs_belong_to_their_launch),
		cmocka_unit_test(a_lost_beginning_costs_what_stood_there),
		cmocka_unit_test(whole_events_beside_damage_survive),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(paths_are_checked),
		cmocka_unit_test(empty_lists_are_traces),
		cmocka_unit_test(what_repeats_is_kept_once),
		cmocka_unit_test(pipes_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The same columns whatever the size of the pieces, the instructions and the threads: for every
 * hand-made file, for damaged ones, and for real traces. Where not everything is tried, each size
 * is tried with one of the instructions in turn, and real traces are small ones. */
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

enum { REFUSED = 1, ANY_SIZE_UP_TO = 4000, ALL_SIZES_UP_TO = 200 * 1000, LARGEST = 1 << 20 };

static const char *shared(void)
{
	const char *folder = getenv("TRACEBOOK_SHARED");
	return folder ? folder : "../shared";
}

/* The digest of a trace, or REFUSED and the message. */
static uint64_t read_digest(const char *path, struct read_options options, struct err *err)
{
	struct trace t;
	trace_init(&t);
	if (trace_read(&t, path, &options, err))
		return REFUSED;
	const char *rule = trace_broken(&t);
	if (rule)
		fail_msg("%s: broken rule: %s", path, rule);
	uint64_t digest = trace_digest(&t);
	trace_release(&t);
	return digest;
}

static int64_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : st.st_size;
}

/* One of the ways through the bytes: the widest vectors, narrower ones, none. */
enum { WAYS = 4 };

static struct read_options by_way(int way)
{
	static const int bytes[WAYS] = {64, 32, 16, 0};
	return (struct read_options){.plain = way == WAYS - 1, .vector_bytes = bytes[way]};
}

static void compare(
	const char *path, struct read_options options, uint64_t digest, const struct err *message)
{
	struct err err = {0};
	uint64_t other = read_digest(path, options, &err);
	if (other != digest || strcmp(err.text, message->text))
		fail_msg("%s: chunk %zu, threads %d, %s vectors of %d bytes: other columns or "
			 "another message (%s)",
			path, options.chunk_bytes, options.threads, options.plain ? "no" : "with",
			options.vector_bytes, err.text);
}

static void all_ways(const char *path)
{
	static const size_t chunks[] = {1, 2, 3, 5, 7, 13, 31, 64, 127, 256, 1000, 4096, 65536};
	int64_t size = size_of(path);
	struct err message = {0};
	uint64_t digest = read_digest(path, (struct read_options){.threads = 1}, &message);
	for (int way = 0; way < 2 * WAYS; way++) {
		struct read_options options = by_way(way % WAYS);
		options.threads = 1 + way / WAYS;
		compare(path, options, digest, &message);
	}
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
		if (size > ALL_SIZES_UP_TO && chunks[i] < 1000)
			continue;
		for (int way = 0; way < WAYS; way++) {
			struct read_options options = by_way(way);
			if (!sweep() && (i + (size_t)size) % WAYS != (size_t)way)
				continue;
			options.chunk_bytes = chunks[i];
			options.threads = 1;
			compare(path, options, digest, &message);
		}
	}
	for (size_t chunk = 1; size <= ANY_SIZE_UP_TO && chunk <= (size_t)size;
		chunk += sweep() ? 3 : 7)
		compare(path, (struct read_options){.chunk_bytes = chunk, .threads = 2}, digest,
			&message);
}

static int every_file(const char *folder, int64_t largest)
{
	DIR *d = opendir(folder);
	int n = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		int64_t size = size_of(path);
		if (size < 0 || size > largest || strstr(path, ".dump"))
			continue;
		all_ways(path);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static void hand_made_files(void **state)
{
	(void)state;
	assert_true(every_file("tests/data/read", LARGEST) > 0);
}

static void real_traces(void **state)
{
	(void)state;
	static const char *const folders[] = {"chrome", "derived", "issue_snippets", "kineto",
		"not_traces", "odd", "other_gpu", "ranks/dlrm_8", "ranks/torchrec_a2a_4"};
	int n = 0, largest = sweep() ? 300 * 1000 : 25 * 1000;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/traces/%s", shared(), folders[i]);
		n += every_file(path, largest);
	}
	if (!n) {
		print_message("no %s/traces: real traces are not here\n", shared());
		skip();
	}
	print_message("%d files\n", n);
}

static void damaged_files(void **state)
{
	(void)state;
	char folder[SCRATCH_PATH], command[4096];
	snprintf(command, sizeof command, "%s/tools/mkbad.py", shared());
	if (access(command, R_OK)) {
		print_message("no %s: damaged files cannot be made\n", command);
		skip();
	}
	assert_non_null(mkdtemp(scratch_name(folder, "bad")));
	if (shell("python3 \"$A\" \"$B\" >/dev/null", command, folder))
		skip();
	int n = every_file(folder, LARGEST);
	assert_int_equal(shell("rm -rf \"$A\"", folder, ""), 0);
	print_message("%d files\n", n);
	assert_true(n > 80);
}

/* Two threads meet between events of which none has a row; rows come behind. */
static void rows_behind_none(void **state)
{
	(void)state;
	enum { NONE = 8000, ROWS = 3000 };
	char path[SCRATCH_PATH];
	int fd = mkstemp(scratch_name(path, "none"));
	FILE *f = fdopen(fd, "w");
	assert_non_null(f);
	fprintf(f, "{\"traceEvents\": [\n");
	for (int i = 0; i < NONE; i++)
		fprintf(f, "{\"ph\":\"s\",\"id\":%d,\"name\":\"ac2g\",\"ts\":%d},\n", i, i);
	fprintf(f, "]}\n{\"traceEvents\": [\n");
	for (int i = 0; i < ROWS; i++)
		fprintf(f,
			"{\"ph\":\"X\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1},\n",
			i);
	fprintf(f, "]}\n");
	assert_int_equal(fclose(f), 0);
	struct err message = {0};
	uint64_t one = read_digest(path, (struct read_options){.threads = 1}, &message);
	for (size_t chunk = 64; chunk < 16384; chunk *= 2)
		compare(path, (struct read_options){.chunk_bytes = chunk, .threads = 2}, one,
			&message);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hand_made_files),
		cmocka_unit_test(real_traces),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(rows_behind_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

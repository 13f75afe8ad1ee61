/* SPDX-License-Identifier: Apache-2.0 */
/* The health of a trace: each count on a file made to have it, and on real traces whose oddities
 * are known. */
#include "report/analyse/health.h"
#include "report/read/read.h"
#include "tests/unit/read_scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void read_path(struct trace *t, const char *path)
{
	struct err err = {0};
	trace_init(t);
	if (trace_read(t, path, &(struct read_options){0}, &err))
		fail_msg("%s", err.text);
}

static struct health health_at(const char *path)
{
	struct trace t;
	read_path(&t, path);
	struct health h = health_of(&t);
	trace_release(&t);
	return h;
}

static void counts_what_is_wrong(void **state)
{
	(void)state;
	struct trace t;
	read_path(&t, "tests/data/read/health.json");
	struct health h = health_of(&t);
	assert_int_equal(h.clipped, 1);
	assert_int_equal(h.other_clock, 1);
	assert_int_equal(h.zero_stamps, 1);
	assert_int_equal(h.zero_spans.n, 2);
	assert_int_equal(h.crossing.n, 1);
	assert_int_equal(h.crossing.largest_ns, 50000);
	assert_int_equal(h.overlaps.n, 1);
	assert_int_equal(h.overlaps.time_ns, 500);
	assert_string_equal(names_text(&t.names, t.name[h.overlaps.first_row]), "overlaps");
	assert_int_equal(h.device_events, 5);
	assert_int_equal(h.orphans.n, 3);
	assert_int_equal(h.orphans.time_ns, 3000);
	assert_string_equal(names_text(&t.names, t.name[h.orphans.first_row]), "without a launch");
	assert_int_equal(h.launches, 3);
	assert_int_equal(h.idle_launches.n, 1);
	assert_int_equal(h.early.n, 2);
	assert_int_equal(h.early.largest_ns, 1500);
	assert_true(h.external_is_correlation);
	assert_int_equal(h.dropped, -1);
	trace_release(&t);
}

static void counts_repairs_by_what_they_mean(void **state)
{
	(void)state;
	struct health h = health_at("tests/data/read/damaged.json");
	assert_int_equal(h.lost, 3); /* no time, out of range, beyond repair */
	assert_int_equal(h.unfinished, 2); /* no duration, cut off */
	assert_true(h.cut);
	assert_true(h.repairs > 20);
	h = health_at("tests/data/read/begin_end.json");
	assert_int_equal(h.unfinished, 3);
}

static void says_what_is_there(void **state)
{
	(void)state;
	struct health h = health_at("tests/data/read/era2024.json");
	assert_int_equal(h.repairs, 0);
	assert_int_equal(h.of_kind[EVENT_KERNEL], 1);
	assert_int_equal(h.of_kind[EVENT_DEVICE_SYNC], 1);
	assert_int_equal(h.steps, 1); /* the annotation, not its shadow on the device */
	assert_int_equal(h.with_shapes, 1);
	assert_false(h.external_is_correlation);
	h = health_at("tests/data/read/era2023_graph.json");
	assert_int_equal(h.graphs.n, 1);
	assert_int_equal(h.graph_events, 3);
	assert_int_equal(h.widest_launch, 3);
	assert_int_equal(h.graphs.time_ns, 35000);
	h = health_at("tests/data/read/own.json");
	assert_int_equal(h.dropped, 4);
	assert_int_equal(h.idle_launches.n, 1); /* known by its name, not by a list of names */
}

static struct health health_of_text(const char *json)
{
	char path[SCRATCH_PATH];
	int fd = mkstemp(scratch_name(path, "health"));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), (ssize_t)strlen(json));
	close(fd);
	struct health h = health_at(path);
	unlink(path);
	return h;
}

#define EVENT(cat, name, ts, dur, corr) \
	"{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts \
	",\"dur\":" dur ",\"args\":{\"correlation\":" corr "}}"

/* Recorders say it in numbers of their own, and Kineto in a line of its log. */
static void records_that_the_recorder_dropped(void **state)
{
	(void)state;
	static const struct {
		const char *member;
		int64_t dropped;
	} cases[] = {
		{"\"dropped\":0", 0},
		{"\"dropped_spans\":12", 12},
		{"\"droppedEvents\":\"23\",\"other dropped\":2", 25},
		{"\"otherData\":{\"dropped_records\":17,\"lost\":3}", 17},
		{"\"metadata\":{\"stats\":[{\"events_dropped\":1},{\"events_dropped\": 2}]}", 3},
		{"\"WARNING\":[\"WARNING:2024-10-28 1:1 CuptiActivityApi.cpp:268] Dropped 17 activity "
		 "records\",\"Dropped 3 activity records: ctx 1\"]",
			20},
		{"\"INFO\":[\"[10052] Network dropped connection on reset: 5\"]", -1},
		{"\"INFO\":\"dropped 3 packages on the floor\"", -1},
		{"\"state\":\"dropped\"", -1},
		{"\"dropped_by\":\"nobody\"", -1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char json[1024];
		snprintf(json, sizeof json, "{\"traceEvents\":[%s],%s}",
			EVENT("cpu_op", "a", "1", "1", "0"), cases[i].member);
		int64_t dropped = health_of_text(json).dropped;
		if (dropped != cases[i].dropped)
			fail_msg("%s: %lld", cases[i].member, (long long)dropped);
	}
}

/* A driver call inside a runtime call is no launch of its own, whichever of them the kernel names.
 */
static void a_call_within_a_launch_is_part_of_it(void **state)
{
	(void)state;
	struct health h = health_of_text("[" EVENT("cuda_runtime", "cudaLaunchKernel", "0", "20",
		"1") "," EVENT("cuda_driver", "cuLaunchKernel", "2", "5", "1") "," EVENT("kernel",
		"k", "30", "5", "1") "," EVENT("cuda_runtime", "cudaGraphLaunch", "40", "20",
		"2") "," EVENT("cuda_driver", "cuGraphLaunch", "42", "5", "3") "," EVENT("kernel",
		"k", "70", "5", "2") "," EVENT("kernel", "k", "80", "5",
		"3") "," EVENT("cuda_runtime", "cudaLaunchKernel", "90", "5", "4") "]");
	assert_int_equal(h.launches, 3);
	assert_int_equal(h.idle_launches.n, 1);
	assert_int_equal(h.idle_launches.time_ns, 5000);
	assert_int_equal(h.graphs.n, 1);
	assert_int_equal(h.graph_events, 2);
	assert_int_equal(h.widest_launch, 2);
}

static struct health_count crossing(const char *events)
{
	char json[4096];
	snprintf(json, sizeof json, "[%s]", events);
	return health_of_text(json).crossing;
}

/* Each span that begins in another and ends after it, once; also where the other is no neighbour.
 */
static void spans_that_cross(void **state)
{
	(void)state;
	struct health_count c = crossing(EVENT("cpu_op", "a", "0", "20", "0") "," EVENT("cpu_op",
		"b", "10", "20", "0") "," EVENT("cpu_op", "c", "12", "6", "0") "," EVENT("cpu_op",
		"d", "15", "20", "0") "," EVENT("cpu_op", "e", "16", "2", "0"));
	assert_int_equal(c.n, 2);
	assert_int_equal(c.time_ns, 10000 + 17000);
	assert_int_equal(c.largest_ns, 17000);
	c = crossing(EVENT("cpu_op", "a", "0", "20", "0") "," EVENT(
		"cpu_op", "b", "0", "10", "0") "," EVENT("cpu_op", "c", "10", "10",
		"0") "," EVENT("cpu_op", "d", "20", "30", "0"));
	assert_int_equal(c.n, 0);
}

/* A range and the Python frame that marks it: no alarm; a frame and an operator: one. */
static void marking_a_range_is_no_crossing(void **state)
{
	(void)state;
	static const char marked[] = EVENT("python_function", "profiler.py: step", "0", "20",
		"0") "," EVENT("user_annotation", "ProfilerStep#1", "10", "50",
		"0") "," EVENT("python_function", "__exit__", "50", "20", "0");
	char more[1024];
	assert_int_equal(crossing(marked).n, 0);
	snprintf(more, sizeof more, "%s,%s", marked, EVENT("cpu_op", "a", "15", "10", "0"));
	assert_int_equal(crossing(more).n, 1);
}

/* A fill of no bytes is over at once, and has no work to be missing. */
static void what_enqueued_nothing_is_no_launch_without_work(void **state)
{
	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		char path[SCRATCH_PATH];
		FILE *f = fdopen(mkstemp(scratch_name(path, "health")), "w");
		fprintf(f,
			"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
			"\"cudaMemsetAsync\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": %s, \"args\": "
			"{\"correlation\": 1}}]}",
			quick ? "0.2" : "2");
		fclose(f);
		struct health h = health_at(path);
		unlink(path);
		assert_int_equal(h.launches, 1);
		assert_int_equal(h.idle_launches.n, !quick);
	}
}

static void print_has_a_line_for_each(void **state)
{
	(void)state;
	char *text = NULL;
	size_t n = 0;
	struct health h = health_at("tests/data/read/health.json");
	FILE *f = open_memstream(&text, &n);
	health_print(&h, f);
	fclose(f);
	assert_non_null(strstr(text, "health orphans: 3, 3000 ns, largest 3000 ns"));
	assert_non_null(strstr(text, "health early: 2, 2500 ns"));
	assert_non_null(strstr(text, "health lacks: steps shapes\n"));
	assert_null(strstr(text, "dropped"));
	free(text);
}

/* Numbers from the notes on these files, counted by other means. */
static void real_traces_have_their_known_oddities(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		int64_t overlaps, overlap_us, graph_events, early;
		bool external_is_correlation;
	} known[] = {
		{"kineto/b200_eager.json.gz", 74, 69, 0, 0, false},
		{"kineto/sam_fast_a100_head.json.gz", 6, 6, 554, 0, true},
		{"kineto/sglang_qwen3_30b_a3b_decode_b300.json.gz", 674, 813, 676, 0, false},
		{"ranks/torchrec_a2a_4/ip-172-31-16-248.us-east-2.compute.internal_21147."
		 "1698955063520869240.pt.trace.json",
			0, 0, 0, 21, true},
	};
	const char *folder = getenv("TRACEBOOK_SHARED");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char path[1024];
		snprintf(path, sizeof path, "%s/traces/%s", folder ? folder : "../shared",
			known[i].file);
		if (access(path, R_OK)) {
			print_message("no %s: real traces are not here\n", path);
			skip();
		}
		struct health h = health_at(path);
		assert_int_equal(h.overlaps.n, known[i].overlaps);
		assert_int_equal(h.overlaps.time_ns / 1000, known[i].overlap_us);
		assert_int_equal(h.graph_events, known[i].graph_events);
		assert_true(h.early.n >= known[i].early);
		assert_int_equal(h.external_is_correlation, known[i].external_is_correlation);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_wrong),
		cmocka_unit_test(counts_repairs_by_what_they_mean),
		cmocka_unit_test(says_what_is_there),
		cmocka_unit_test(records_that_the_recorder_dropped),
		cmocka_unit_test(a_call_within_a_launch_is_part_of_it),
		cmocka_unit_test(spans_that_cross),
		cmocka_unit_test(marking_a_range_is_no_crossing),
		cmocka_unit_test(what_enqueued_nothing_is_no_launch_without_work),
		cmocka_unit_test(print_has_a_line_for_each),
		cmocka_unit_test(real_traces_have_their_known_oddities),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a process that asks is told to record, and when: by a clock that the test turns. */
#include "collect/awaited.h"
#include "collect/session.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct session session;

static const int64_t second = 1000000000, day = INT64_C(1790000000000000000);

static int clear(void **state)
{
	(void)state;
	session_release(&session);
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

static void begin(struct record_wish wish)
{
	session_init(&session, &wish, "/nowhere", &arena, day);
}

static struct process *process(int32_t pid)
{
	bool is_new;
	struct fabric_call call = {.message = {.kind = FABRIC_REQUEST, .pid = pid}, .sender = pid};
	return session_process(&session, &call, &is_new);
}

static const char *ask(int32_t pid, double at_s)
{
	return session_answer(&session, process(pid), FABRIC_EVENTS | FABRIC_ACTIVITIES,
		day + (int64_t)(at_s * 1e9));
}

/* The start that a configuration names, in ms since the program began. */
static int64_t start_of(const char *text)
{
	const char *at = strstr(text, "PROFILE_START_TIME=");
	assert_non_null(at);
	return strtoll(strchr(at, '=') + 1, NULL, 10) - day / 1000000;
}

static void the_form_of_a_request(void **state)
{
	(void)state;
	begin((struct record_wish){
		.after_ns = 0, .for_ns = second / 2, .with = {.shapes = true, .flops = true}});
	assert_string_equal(ask(7, 1),
		"ACTIVITIES_LOG_FILE=/nowhere/main1.p7.json\n"
		"ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB=1024\n"
		"PROFILE_START_TIME=1790000004200\nACTIVITIES_WARMUP_PERIOD_SECS=1\n"
		"ACTIVITIES_DURATION_MSECS=500\nPROFILE_REPORT_INPUT_SHAPES=true\n"
		"PROFILE_WITH_STACK=false\nPROFILE_PROFILE_MEMORY=false\n"
		"PROFILE_WITH_FLOPS=true\n");
}

static void one_window_for_all(void **state)
{
	(void)state;
	begin((struct record_wish){.after_ns = 20 * second, .for_ns = second});
	assert_string_equal(ask(1, 2), ""); /* until then it may profile itself */
	assert_int_equal(start_of(ask(1, 14)), 20000);
	assert_int_equal(start_of(ask(2, 15)), 20000);
	assert_string_equal(ask(1, 16), ""); /* once */
	assert_int_equal(start_of(ask(3, 18)), 21200); /* too late for that */
}

static void a_lost_request_is_sent_again_with_more_lead(void **state)
{
	(void)state;
	begin((struct record_wish){.after_ns = 0, .for_ns = second});
	int64_t first = start_of(ask(1, 1));
	assert_string_equal(ask(1, 4), "");
	int64_t second_start = start_of(ask(1, 5));
	assert_int_equal(first, 1000 + REQUEST_LEAD_MS);
	assert_int_equal(second_start, 5000 + REQUEST_LEAD_MS + 1500);
}

static void steps_are_asked_for_until_they_count(void **state)
{
	struct process *of;
	(void)state;
	begin((struct record_wish){.after_ns = 0, .for_ns = second, .steps = 4});
	for (int i = 1; i <= 20; i++)
		assert_non_null(strstr(ask(1, i), "ACTIVITIES_ITERATIONS=4\n"));
	assert_non_null(strstr(ask(1, 30), "ACTIVITIES_DURATION_MSECS=1000\n"));
	assert_true(process(1)->by_time);
	assert_true(strstr(ask(2, 30), "ACTIVITIES_ITERATIONS=4\n"));
	assert_non_null(strstr(ask(2, 31), "ACTIVITIES_LOG_FILE=/nowhere/steps23.p2.json\n"));
	assert_int_equal(session_file(&session, "steps23.p2_2.json.tmp", day + 31 * second, &of),
		NEWS_BEGUN);
	assert_string_equal(ask(2, 300), ""); /* steps take their time */
}

static void own_profiler(void **state)
{
	(void)state;
	begin((struct record_wish){.after_ns = 0, .for_ns = second});
	assert_string_equal(session_answer(&session, process(1), FABRIC_EVENTS, day), "");
	assert_true(process(1)->own_profiler);
	assert_true(ask(1, 1)[0] != '\0');
	/* it begins after it was told what to record, before that has begun */
	assert_true(ask(2, 1)[0] != '\0');
	session_answer(&session, process(2), FABRIC_EVENTS, day + 2 * second);
	assert_true(process(2)->own_profiler);
}

/* A profiler that has just made a probe for us is busy with that, and nobody else's. */
static void not_its_own_profiler(void **state)
{
	struct process *of;
	(void)state;
	begin((struct record_wish){.steady = true, .after_ns = -1, .for_ns = second});
	ask(1, 1);
	session_file(&session, "probe1.p1.json.tmp", day + 3 * second, &of);
	session_answer(&session, process(1), FABRIC_EVENTS, day + 4 * second);
	session_file(&session, "probe1.p1.json", day + 5 * second, &of);
	session_answer(&session, process(1), FABRIC_EVENTS, day + 6 * second);
	assert_false(process(1)->own_profiler);
	session_answer(&session, process(1), FABRIC_EVENTS, day + 20 * second);
	assert_true(process(1)->own_profiler);
}

static void files_of_nobody(void **state)
{
	static const char *const names[] = {"", "main", "main1", "main1.p", "main1.p0.json",
		"main1.p-7.json", "main1.p8.json", "probe1.p99999999999999999999.json",
		"other1.p7.json", "main1.p7.txt"};
	struct process *of;
	(void)state;
	begin((struct record_wish){.after_ns = 0, .for_ns = second});
	ask(7, 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(session_file(&session, names[i], day, &of), NEWS_NONE);
	assert_int_equal(session_file(&session, "main1.p7.json", day, &of), NEWS_DONE);
	assert_int_equal(session_file(&session, "main1.p7.json", day, &of), NEWS_NONE);
	assert_true(session_over(&session));
}

static void not_without_end(void **state)
{
	(void)state;
	begin((struct record_wish){.after_ns = 0, .for_ns = second});
	for (int32_t pid = 1; pid <= 1024; pid++)
		assert_non_null(process(pid));
	assert_null(process(1025));
	assert_non_null(process(1024));
}

static void assert_awaited(double at_s, bool from_inside, const char *wanted)
{
	char text[AWAITED_TEXT];
	awaited_text(text, &session, from_inside, day + (int64_t)(at_s * 1e9));
	assert_string_equal(text, wanted);
}

static void what_is_awaited(void **state)
{
	struct process *of;
	(void)state;
	begin((struct record_wish){.after_ns = 20 * second, .for_ns = 2 * second});
	assert_awaited(1, false, "PyTorch, CUDA or NVTX");
	assert_awaited(7.5, true, "its window begins in 13 s");
	assert_awaited(20, true, "recording from inside");
	ask(1, 2);
	assert_awaited(2.1, false, "its window begins in 18 s");
	ask(1, 15);
	assert_awaited(15.5, false, "its window begins in 5 s");
	assert_awaited(20.5, false, "recording, 2 s left");
	assert_awaited(22.5, false, "PyTorch writes its trace");
	session_file(&session, "main1.p1.json", day + 23 * second, &of);
	assert_awaited(24, false, "recorded; the program runs on");
}

static void what_is_awaited_of_probes_and_steps(void **state)
{
	(void)state;
	begin((struct record_wish){.steady = true, .after_ns = -1, .for_ns = second});
	process(1);
	assert_awaited(1, false, "PyTorch will ask for work");
	ask(1, 1);
	assert_awaited(2, false, "probe 1 of at most 6, until it is steady");
	session_release(&session);
	begin((struct record_wish){.after_ns = 0, .for_ns = second, .steps = 4});
	ask(1, 1);
	assert_awaited(2, false, "its optimizer steps have not begun to count");
	process(1)->state = PROCESS_BEGUN;
	assert_awaited(3, false, "4 steps are to be recorded");
}

static void agreement(void **state)
{
	const struct probe steps = {
		.operators = 100, .steps = 5, .step_ns = 1000, .window_ns = 5000};
	struct probe other = steps;
	(void)state;
	other.operators = 10;
	other.step_ns = 1140;
	assert_true(probes_agree(&steps, &other));
	other.step_ns = 1200;
	assert_false(probes_agree(&steps, &other));
	other = steps;
	other.steps = 2; /* then rates decide */
	assert_true(probes_agree(&steps, &other));
	other.operators = 79;
	assert_false(probes_agree(&steps, &other));
	assert_false(probes_agree(&(struct probe){0}, &(struct probe){0}));
	assert_int_equal(probe_ms(0), 200);
	assert_int_equal(probe_ms(1), 200);
	assert_int_equal(probe_ms(3), 800);
	assert_int_equal(probe_ms(50), PROBE_LONGEST_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_form_of_a_request, clear),
		cmocka_unit_test_teardown(one_window_for_all, clear),
		cmocka_unit_test_teardown(a_lost_request_is_sent_again_with_more_lead, clear),
		cmocka_unit_test_teardown(steps_are_asked_for_until_they_count, clear),
		cmocka_unit_test_teardown(own_profiler, clear),
		cmocka_unit_test_teardown(not_its_own_profiler, clear),
		cmocka_unit_test_teardown(files_of_nobody, clear),
		cmocka_unit_test_teardown(not_without_end, clear),
		cmocka_unit_test_teardown(what_is_awaited, clear),
		cmocka_unit_test_teardown(what_is_awaited_of_probes_and_steps, clear),
		cmocka_unit_test_teardown(agreement, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Because of what the device waits, in made traces: each kind, other threads, silence and rhythm.
 */
#include "report/analyse/usual_cost.h"
#include "tests/unit/breakdown_world.h"

#include <string.h>

static uint32_t last_id;

static void kernel(
	struct world *w, const char *name, double call, double called, double start, double end)
{
	world_launch(w, name, ++last_id, call, called, start, end);
}

/* A kernel from 0 to 20, and one whose launch is made from 980 to 990 and that runs at 1000. */
static void frame(struct world *w)
{
	kernel(w, "first", 0, 5, 10, 20);
	kernel(w, "last", 980, 990, 1000, 1010);
}

static double took(const struct breakdown *p, enum blame_kind kind)
{
	return (double)p->blame.whole.ns[kind] / 1000;
}

static void assert_silence(
	const struct world *w, const struct breakdown *p, enum blame_kind kind, const char *name)
{
	assert_true(p->blame.n_silences > 0);
	const struct silence *s = &p->blame.silences[0];
	assert_string_equal(blame_name((enum blame_kind)s->kind), blame_name(kind));
	assert_string_equal(names_text(&w->a.trace->names, s->name), name);
}

static void an_operator_its_call_and_the_queue(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::addmm", 900, 995, 0);
	made_add(&w.made, EVENT_OP, "aten::view", 910, 920, 0);
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_OPERATOR), 80); /* up to the call, the view's too */
	assert_int_equal((int)took(&p, BLAME_LAUNCH), 5 + 10);
	assert_int_equal((int)took(&p, BLAME_QUEUE), 5 + 10);
	assert_int_equal((int)took(&p, BLAME_NOTHING), 880);
}

static void what_computes_on_the_host(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::to", 30, 930, 0);
	made_add(&w.made, EVENT_OP, "aten::_to_copy", 40, 920, 0);
	made_add(&w.made, EVENT_OP, "aten::copy_", 50, 900, 0);
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_COMPUTING), 900);
	assert_int_equal((int)took(&p, BLAME_OPERATOR), 0);
	assert_silence(&w, &p, BLAME_COMPUTING, "aten::copy_");
	assert_int_equal(p.headline, HEADLINE_CPU);
}

static void the_compiler_and_all_in_it(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "_compile.compile_inner (dynamo_timed)", 30, 930, 0);
	made_add(&w.made, EVENT_OP, "aten::empty_strided", 40, 60, 0);
	made_add(&w.made, EVENT_PYTHON, "torch/fx/graph.py(12): run", 100, 900, 0);
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_COMPILER), 900);
	assert_silence(&w, &p, BLAME_COMPILER, "torch/fx/graph.py(12): run");
	assert_int_equal(p.headline, HEADLINE_COMPILE);
}

static void python_with_stacks_and_by_its_range(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "evaluate", 20, 500, 0);
	made_add(&w.made, EVENT_PYTHON, "train.py(7): augment", 500, 900, 0);
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_PYTHON), 880);
	assert_silence(&w, &p, BLAME_PYTHON, "evaluate");
	assert_int_equal(p.headline, HEADLINE_HOST);
}

static void memory_and_code(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_RUNTIME, "cudaMalloc", 30, 430, 0);
	kernel(&w, "first", 0, 5, 10, 20);
	kernel(&w, "last", 440, 990, 1000, 1010); /* its first launch */
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_ALLOCATION), 400);
	assert_int_equal((int)took(&p, BLAME_LOADING), 550);
}

/* What is between the calls that begin and end a capture is set-up, whatever it is. */
static void a_graph_is_captured(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamBeginCapture", 30, 31, 0);
	made_add(&w.made, EVENT_PYTHON, "model.py(7): forward", 40, 900, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamEndCapture", 929, 930, 0);
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_COMPILER), 900);
	assert_int_equal(p.headline, HEADLINE_COMPILE);
}

/* The launching thread is in its range; autograd's works. */
static void another_thread_works(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "backward", 20, 979, 0);
	made_add(&w.made, EVENT_OP, "SlowBackward", 30, 930, 0)->track = MADE_OTHER_THREAD;
	frame(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_COMPUTING), 900);
	assert_int_equal((int)took(&p, BLAME_PYTHON), 980 - 20 - 900 - 1);
	assert_silence(&w, &p, BLAME_COMPUTING, "SlowBackward");
}

/* Forty launches that are 50 us late each, and one that is so by 600: a rhythm and a silence. */
static void silence_and_rhythm(void **state)
{
	TEST_WORLD(w);
	double at = 0;
	for (int i = 0; i < 41; i++) {
		made_add(&w.made, EVENT_OP, "aten::add", at + 10, at + 14, 0);
		kernel(&w, "k", at + 11, at + 13, at + 14, at + 20);
		at += 60;
		if (i == 20) {
			made_add(&w.made, EVENT_PYTHON, "loop.py(3): log", at, at + 540, 0);
			at += 550;
		}
	}
	struct breakdown p = breakdown_of_world(&w);
	const struct blame *b = &p.blame;
	assert_int_equal(b->n_silences, 1);
	assert_int_equal(b->silences[0].n, 1);
	assert_int_equal(b->whole.silence_ns, 550000 + 53000);
	assert_int_equal(b->whole.launches, 40); /* the first with its call alone */
	assert_int_equal(b->whole.rhythm_ns, 2000 + 39 * 53000);
	assert_false(blame_is_silence(&b->whole));
	assert_silence(&w, &p, BLAME_PYTHON, "loop.py(3): log");
	assert_int_equal(p.headline, HEADLINE_LAUNCH);
}

/* Twelve pauses of 5 ms and a bit: another thread has the interpreter's lock. With pauses of any
 * length they are the program's own. */
static void pauses_of_the_lock(struct world *w, bool even)
{
	double at = 0;
	for (int i = 0; i < 13; i++) {
		made_add(&w->made, EVENT_OP, "aten::add", at, at + 14, 0);
		kernel(w, "k", at + 1, at + 3, at + 4, at + 10);
		at += 5100 + (even ? 20 * i : 400 * i);
	}
}

static void another_thread_has_the_lock(void **state)
{
	TEST_WORLD(w);
	pauses_of_the_lock(&w, true);
	struct breakdown p = breakdown_of_world(&w);
	assert_true(took(&p, BLAME_THREAD) > 12 * 5000 && took(&p, BLAME_NOTHING) < 100);
	assert_silence(&w, &p, BLAME_THREAD, "");
	assert_int_equal(p.blame.n_silences, 1);
	assert_int_equal(p.headline, HEADLINE_HOST);
}

static void pauses_of_its_own(void **state)
{
	TEST_WORLD(w);
	pauses_of_the_lock(&w, false);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal((int)took(&p, BLAME_THREAD), 0);
}

/* Behind the last launch the host is busy inside its step, until nothing is recorded. */
static void the_end(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 3000, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 1, 6, 0);
	kernel(&w, "k", 2, 5, 10, 20);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 2500, 2600, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaEventRecord", 3900, 3901, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_silence(&w, &p, BLAME_PYTHON, "");
	const struct silence *s = &p.blame.silences[0];
	assert_string_equal(trace_row_name(w.a.trace, s->after), "aten::mm");
	assert_string_equal(trace_row_name(w.a.trace, s->before), "cudaDeviceSynchronize");
	assert_int_equal((int)took(&p, BLAME_WAIT), 100);
	assert_int_equal(p.headline, HEADLINE_HOST);
}

/* Steps are numbered; what they do is one cause, and has no name of its own. */
static void numbers_tell_nothing_apart(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 3; i++) {
		double at = 1000 * i;
		made_add(&w.made, EVENT_ANNOTATION,
			i == 0		 ? "part 1"
				: i == 1 ? "part 2"
					 : "part 30",
			at + 20, at + 900, 0);
		kernel(&w, "k", at, at + 5, at + 6, at + 15);
	}
	kernel(&w, "k", 3000, 3005, 3006, 3015);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.blame.n_silences, 1);
	assert_int_equal(p.blame.silences[0].n, 3);
	assert_silence(&w, &p, BLAME_PYTHON, "part 1");
}

/* One of many calls of an operator took long by itself; another is long for what is inside it. */
static void what_is_usual(void **state)
{
	TEST_WORLD(w);
	double at = 0;
	for (int i = 0; i < 12; i++) {
		made_add(&w.made, EVENT_OP, "aten::addmm", at, at + (i == 5 ? 800 : 20), 0);
		kernel(&w, "k", at + (i == 5 ? 790 : 10), at + (i == 5 ? 795 : 15), at + 800,
			at + 805);
		at += i == 5 ? 1000 : 820;
	}
	made_add(&w.made, EVENT_OP, "aten::split", at, at + 500, 0);
	for (int i = 0; i < 20; i++)
		made_add(&w.made, EVENT_OP, "aten::view", at + 25 * i, at + 25 * i + 24, 0);
	const struct analysis *a = world_seal(&w);
	uint32_t slow = made_find(a->trace, "aten::addmm", 5);
	assert_int_equal(usual_own_ns(a, slow), 15000);
	assert_int_equal(own_ns(a->trace, slow), 795000);
	assert_int_equal(own_ns(a->trace, made_find(a->trace, "aten::split", 0)), 20000);
	assert_int_equal(usual_own_ns(a, made_find(a->trace, "aten::split", 0)), 1600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_operator_its_call_and_the_queue),
		cmocka_unit_test(what_computes_on_the_host),
		cmocka_unit_test(the_compiler_and_all_in_it),
		cmocka_unit_test(python_with_stacks_and_by_its_range),
		cmocka_unit_test(memory_and_code),
		cmocka_unit_test(a_graph_is_captured),
		cmocka_unit_test(another_thread_works),
		cmocka_unit_test(silence_and_rhythm),
		cmocka_unit_test(another_thread_has_the_lock),
		cmocka_unit_test(pauses_of_its_own),
		cmocka_unit_test(the_end),
		cmocka_unit_test(numbers_tell_nothing_apart),
		cmocka_unit_test(what_is_usual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

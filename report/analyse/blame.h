/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - because of what the device waited: its idle time by what the host did until the next
 * launch was made.
 *
 * The idle stretches of the breakdown are cut further, and not one nanosecond is added or lost: the
 * kinds sum to the idle time of a window, exactly. Getting data, waiting and the recorder's own are
 * the breakdown's parts input, sync and profiler. What it calls launching and stall is blamed,
 * until the call that launched the end of the gap has returned, on the span that has the time
 * (account.h) on the thread of that call; where that thread is in nothing but ranges, or waits in
 * autograd's run_backward, on the thread whose operators and calls cover most of the gap. What is
 * left behind the call, and hand-overs, is the queue's. After the last launch of all it is what the
 * thread that made it does to the end. Time whose launch the file does not show, and an end with
 * nothing recorded, is beyond it.
 *
 * Another thread of Python. A thread that wants the interpreter's lock asks for it every 5 ms
 * (sys.getswitchinterval()), so pauses of Python that are whole multiples of that, LOCK_PAUSES at
 * least and three of four of those that are as long, are another thread's.
 *
 * Causes: the kinds again by name, which sum to them exactly. A name is that of the span which has
 * the time, of a wait the operator that is there to wait; of what the compiler, loading and getting
 * data hold inside, of the span that says so. Numbers do not tell ranges apart; steps have no name.
 *
 * Silence and rhythm. The host's share of a gap is a silence when it is at least SILENCE_NS and
 * SILENCE_TIMES the median of all gaps' (where there are SILENCE_GAPS at least; usual_cost.h says
 * what is the most that a median may be), else it is rhythm: many launches, each a little late. A
 * program is launch-bound by rhythm alone; a silence has a cause of its own, and fewer launches
 * would not end it.
 */
#ifndef REPORT_ANALYSE_BLAME_H
#define REPORT_ANALYSE_BLAME_H

#include "base/enum_names.h"
#include "report/analyse/idle_causes.h"

struct breakdown;

enum { SILENCE_NS = 200000, SILENCE_TIMES = 10, SILENCE_GAPS = 30 };
enum { LOCK_NS = 5000000, LOCK_OVER_NS = 800000, LOCK_MULTIPLES = 4, LOCK_PAUSES = 8 };

#define BLAME_LIST(X) \
	X(BLAME_LAUNCH, "launch") /* a launch, or another call that waits for nothing */ \
	X(BLAME_OPERATOR, "operator") /* an operator's own time */ \
	/* the own time of operators that launch nothing, together at least SILENCE_NS: they \
	   compute on the CPU */ \
	X(BLAME_COMPUTING, "computing") \
	X(BLAME_COMPILER, \
		"compiler") /* Dynamo, Inductor, Triton, autotuning, capture of graphs */ \
	X(BLAME_ALLOCATION, "allocation") /* calls for memory */ \
	X(BLAME_LOADING, "loading") /* of modules and code; the first launch of a kernel where it \
				       takes SILENCE_NS at least */ \
	X(BLAME_PYTHON, "python") /* between operators: a function, or the range around it */ \
	X(BLAME_COLLECTOR, "collector") /* Python's garbage collector */ \
	X(BLAME_THREAD, "thread") /* Python waits for another thread of its own */ \
	X(BLAME_NOTHING, "nothing") /* is recorded of the host */ \
	X(BLAME_INPUT, "input") \
	X(BLAME_WAIT, "wait") \
	X(BLAME_PROFILER, "profiler") \
	X(BLAME_QUEUE, "queue") /* not the host: launched, and not yet begun */ \
	X(BLAME_BEYOND, "beyond") /* what the file shows */
enum blame_kind { BLAME_LIST(KIND_MEMBER) BLAMES };
const char *blame_name(enum blame_kind kind); /* "launch", "operator" ... */

struct blame_sum {
	int64_t ns[BLAMES];
	int64_t silence_ns, rhythm_ns; /* the host's: they sum to the kinds launch ... nothing */
	size_t launches; /* gaps of rhythm */
};

/* Idle time of one kind and name. */
struct blame_cause {
	uint8_t kind;
	name_id name; /* 0: none is recorded */
	uint32_t row; /* of the longest piece, NO_ROW */
	uint32_t n; /* pieces */
	int64_t ns, window_ns, longest_ns;
};

/* Silences of one kind and name; those without a name also by what is around them. */
struct silence {
	uint8_t kind; /* that has most of them */
	name_id name; /* of the innermost span that fills half of them, else of the one with most of
			 the time; 0: nothing is recorded there, or a step alone */
	uint32_t row; /* that span in the longest, NO_ROW */
	/* Around the longest, on the threads that launch: the outermost operator, call or range
	   that ended last in front of it, and the one that began first behind it; NO_ROW */
	uint32_t after, before;
	int64_t usual_ns; /* of an operator or a call: what its like takes by itself */
	uint32_t n;
	int64_t ns, longest_ns;
	int64_t window_ns; /* of it inside breakdown_window() */
};

struct blame {
	struct blame_sum whole, window; /* the window: breakdown_window() */
	struct silence *silences; /* (n_silences) longest first */
	uint32_t n_silences;
	struct blame_cause *causes; /* (n_causes) by kind, then longest in the window first */
	uint32_t n_causes;
	struct spans silent; /* the gaps that are silences */
	const struct spans
		*working; /* (n_tracks) account_working(), where it was asked for; NULL */
};

/* The idle stretches of p must be filled in; the arena owns the result. */
struct blame blame_of(struct arena *arena, const struct analysis *a, const struct idle_causes *l,
	const struct breakdown *p);

/* Is the host's time in a window more silence than rhythm? */
static inline bool blame_is_silence(const struct blame_sum *s)
{
	return s->silence_ns > s->rhythm_ns;
}

/* The cause of a kind with most of the window's time; NULL: it has none. */
const struct blame_cause *blame_largest(const struct blame *b, enum blame_kind kind);

void blame_dump(const struct blame *b, const struct trace *t, FILE *f);

#endif

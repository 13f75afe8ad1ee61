/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - the room of judging: a case's expectations against what its trace shows.
 *
 * In come the expectations as JSON and the case with all that was worked out of it (struct judged);
 * out goes `struct verdicts`, a `struct verdict` for every member: kept, broken or open, with the
 * rows that prove it. What cannot be judged is open, never an error.
 *
 * It reads the "expect" object of a case as run.json carries it (written before anything was
 * measured; the members are described in base/expectation.h), or as a file of `report --expect`
 * does, and gives one verdict a member, in the file's order. The texts are short and hold no words:
 * classes, names of kernels (brief_name of shorten.h), ids of detectors, numbers, "×". Sentences
 * are made from the templates (section/parts.h).
 *
 * Steady steps are those of steps_steady_from (analysis.h). Counts, orders and names must
 * hold in every steady step. A split-K reduction counts with its GEMM, in counts as in orders: the
 * call that launched nothing else is no launch of its own.
 *
 * A trace may be judged as a whole: then all of it counts as one step, whether it has steps or not;
 * only what is about the first step still asks for real ones.
 */
#ifndef REPORT_JUDGE_JUDGE_H
#define REPORT_JUDGE_JUDGE_H

#include "base/arena.h"
#include "base/enum_names.h"
#include "report/rules/rule.h"

#include <cjson/cJSON.h>

struct analysis;

enum verdict_state {
	VERDICT_KEPT,
	VERDICT_BROKEN,
	VERDICT_OPEN,
	VERDICT_NOISE, /* undecided: a limit lies inside the interval of what was measured, or less
			  than a factor of two beyond it where one process says so */
	VERDICT_STATES
};
const char *verdict_state_name(enum verdict_state state); /* "kept", "broken", "open", "noise" */

/* Why a verdict is open. */
#define OPEN_LIST(X) \
	X(OPEN_NOT, "") /* it is not */ \
	X(OPEN_CUT, "cut") /* the trace ends early (trace.h): what is missing may decide */ \
	X(OPEN_NO_STEPS, "no-steps") /* the trace has none */ \
	X(OPEN_ONE_STEP, "one-step") /* "first_step" wants at least two */ \
	X(OPEN_NO_DEVICE, "no-device") /* no device time to judge by */ \
	X(OPEN_NO_CASE, "no-case") /* the other case was not run, or its trace cannot be used */ \
	X(OPEN_NO_GEMM, "no-gemm") /* neither case has one */ \
	X(OPEN_NO_DETECTOR, "no-detector") /* there is none of that id */ \
	X(OPEN_ONE_TRACE, "one-trace") /* the detector compares, and no case is named */ \
	X(OPEN_TWO_TRACES, "two-traces") /* it does not compare, and a case is named */ \
	X(OPEN_NOT_APPLICABLE, "not-applicable") /* the trace lacks what the detector looks at */ \
	X(OPEN_UNKNOWN, "unknown") /* no such expectation */ \
	X(OPEN_MALFORMED, "malformed") /* the value is not of the form it should have */
enum open_reason { OPEN_LIST(KIND_MEMBER) };
const char *open_reason_name(enum open_reason reason); /* "no-steps" ...: words of templates */

/* The first step is wider (C1 of the cheatsheet) when it takes so often the median of the later
 * ones, and so much longer; equal, when it takes less often. Between both it is within the noise: a
 * step of few microseconds takes several times as long when a thread must be woken. */
enum { FIRST_STEP_TIMES = 2, FIRST_STEP_LEAST_US = 30 };

/* Where a ratio of two medians lies: the interval of all steps of both (base/faster_slower_same.h),
 * where there are enough of them for one, else all ratios of one step and another; and as wide at
 * least as the medians of single processes differ, since the steps of one process are alike. */
struct certainty {
	double low, high; /* 0 and 0: not known */
	size_t n_mine, n_others; /* steps */
	int processes; /* recordings, of the case that has fewer */
};

enum { NO_SENTENCE = -1 };

struct asked_finding {
	const char *id; /* as it was asked for; "–" where it has none */
	enum finding_state state;
};

struct verdict {
	const char *key; /* "step", "kernels" ... */
	int sentence; /* of the guess, that it tests; NO_SENTENCE: of none */
	enum verdict_state state;
	enum open_reason reason;
	const char *expected, *observed; /* "gemm, add" / "2" / "1.80 ×"; "–" for nothing */
	const char *other; /* id of the case it is compared with, NULL if none */

	/* Of findings that are expected: what each of the list answered, in its order. */
	const struct asked_finding *asked; /* (n_asked) */
	uint32_t n_asked;

	/* The numbers behind it, where it has any; times are in microseconds. */
	double min, max; /* wanted; -INFINITY, INFINITY where open */
	double value; /* seen */
	double mine, others; /* of a ratio or a difference: this case's number, the other's */
	struct certainty
		certainty; /* of a ratio of medians or of first steps, or of a time in µs */

	/* Where it first differs. */
	uint32_t step; /* index into analysis.steps, NO_ROW */
	uint32_t element; /* place in the ordered list of that step, NO_ROW */
	const char *wanted, *saw; /* that element, or that step's count where steps differ in it;
				     NULL: nothing more */

	/* Broken: the row to look at first, the differing one where there is one; NO_ROW when
	 * nothing in the trace shows it. */
	uint32_t at;
	const uint32_t *evidence; /* (n_evidence) rows of this case's trace that prove it */
	uint32_t n_evidence;
};

struct verdicts {
	struct verdict *verdict; /* (n) */
	int n;
	/* How many are in each state; of a guess in sentences how many of its facts (run/guess.h).
	 */
	int kept, broken, open, noise, follows;
	int shape, shape_kept; /* of a guess in sentences: tests of none of them, and kept ones */
};

/* True of must_fire and must_not_fire. */
bool verdict_of_findings(const struct verdict *v);

/* True where `wanted` and `saw` say more than `expected` and `observed` do. */
bool verdict_differs(const struct verdict *v);

/* What a step is measured by; the first two are times. */
enum quantity { QUANTITY_CPU_US, QUANTITY_DEVICE_US, QUANTITY_KERNELS, QUANTITIES };
enum { QUANTITY_TIMES = QUANTITY_KERNELS };

/* What is worked out of a case once, however many are held against it: zeroed at first, but for the
 * arena, which keeps it. */
struct samples;
struct sure_ratio;
struct known_times {
	struct arena *arena;
	/* By time and by company, alone or with all that did the same
	 * work; NULL: not yet. */
	const struct samples *samples[QUANTITY_TIMES][2];
	const struct sure_ratio *to_itself[QUANTITY_TIMES]; /* NULL: not yet */
	bool has_median[QUANTITIES];
	double median[QUANTITIES];
	const struct view *view;
	const struct count_range *counts[5]; /* by enum counted */
	uint32_t farthest[QUANTITY_TIMES]
			 [2]; /* 1 + the steady step of the least and the most time */
	uint32_t other_kernels[2]; /* 1 + the first step that runs others than the first does, or
				      the first steady one */
	struct facts *side; /* of comparisons (rules_side), owned; NULL: not yet */
};

struct judged {
	const struct analysis *analysis;
	bool whole; /* the whole trace is its only step */
	/* (n_repeats) the same case, recorded again in processes of their own. They say how sure
	 * a ratio is; verdicts are of the first recording. */
	const struct analysis *const *repeat;
	int n_repeats;
	/* (n_same) every recording of the run that did the same work, this case's among them: the
	 * others are as good as repeats, unless both sides of a ratio did that work. `work` numbers
	 * it, 0: not known. */
	const struct analysis *const *same;
	int n_same, work;
	/* How often the median of one process may be that of another in this run, for the same
	 * work: what a ratio of single processes is widened by. 0 or 1: not known. */
	double apart_cpu, apart_device;
	struct known_times *known; /* NULL: nothing is kept */
};

/* Where the judge finds what is not in the trace at hand; each is called with `context`. */
struct judge_sources {
	void *context;
	/* Another case; false when there is none that can be used. */
	bool (*find)(void *context, const char *id, struct judged *other);
	/* What the detectors say of this trace, or of it against another case: NULL when that
	 * cannot be used. NULL: nobody asked them, and verdicts about them stay open. */
	const struct findings *(*findings)(void *context, const char *base_id);
};

/* A ratio of the medians of two cases, mine ÷ others', of the CPU time or the device time of a
 * step, and how sure it is; of a case with itself: which ratios its noise can make. 0 where there
 * is none. */
struct sure_ratio {
	double ratio;
	struct certainty certainty;
	double spread; /* of my steps: the middle half of them, as a share of their median */
};
struct sure_ratio sure_ratio_of(
	struct arena *arena, const struct judged *mine, const struct judged *others, bool device);

/* `expect` may be NULL: no verdicts. The arena owns the result, which lends texts of `expect`, of
 * the traces and of the findings. */
struct verdicts judge(struct arena *arena, const cJSON *expect, const struct judged *seen,
	const struct judge_sources *sources);

#endif

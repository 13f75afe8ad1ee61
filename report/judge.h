/*
 * judge.h - a case's expectations against what its trace shows.
 *
 * Reads the "expect" object of a case as run.json carries it (written before anything was measured;
 * the members are described in base/expectation.h) and gives one verdict a member, in the file's
 * order. The texts are short and hold no words: class and kernel names, numbers, "×". Sentences are
 * made from the templates.
 *
 * Steady steps are all recorded steps but the first, or the only one. Counts and orders must hold
 * in every steady step. A split-K reduction counts with its GEMM, in counts as in orders.
 */
#ifndef REPORT_JUDGE_H
#define REPORT_JUDGE_H

#include "base/arena.h"
#include "report/analysis.h"

#include <cjson/cJSON.h>

enum verdict_state { VERDICT_KEPT, VERDICT_BROKEN, VERDICT_OPEN };

/* Why a verdict is open. */
enum open_reason {
	OPEN_NOT, /* it is not */
	OPEN_NO_STEPS, /* the trace has none */
	OPEN_ONE_STEP, /* "first_step" wants at least two */
	OPEN_NO_DEVICE, /* no device time to judge by */
	OPEN_NO_CASE, /* the other case was not run, or its trace cannot be used */
	OPEN_NO_GEMM, /* neither case has one */
	OPEN_UNKNOWN, /* no such expectation */
	OPEN_MALFORMED /* the value is not of the form it should have */
};
const char *open_reason_name(enum open_reason reason); /* "no-steps" ...: words of templates */

struct verdict {
	const char *key; /* "step", "kernels" ... */
	enum verdict_state state;
	enum open_reason reason;
	const char *expected, *observed; /* "gemm, add" / "2" / "1.80 ×"; "–" for nothing */
	const char *other; /* id of the case it is compared with, NULL if none */

	/* The numbers behind it, where it has any. */
	double min, max; /* wanted; -INFINITY, INFINITY where open */
	double value; /* seen */
	double mine, others; /* of a ratio or a difference: this case's number, the other's */

	/* Where it first differs. */
	uint32_t step; /* index into analysis.steps, NO_ROW */
	uint32_t element; /* place in the ordered list of that step, NO_ROW */

	const uint32_t *evidence; /* (n_evidence) rows of this case's trace that prove it */
	uint32_t n_evidence;
};

struct verdicts {
	struct verdict *verdict; /* (n) */
	int n, kept, broken, open;
};

/* `expect` may be NULL: no verdicts. `find` gives the analysis of another case of the run, NULL if
 * it has none; it is called with `context`. The arena owns the result, which lends texts of
 * `expect` and of the traces. */
struct verdicts judge(struct arena *arena, const cJSON *expect, const struct analysis *analysis,
	const struct analysis *(*find)(void *context, const char *id), void *context);

#endif

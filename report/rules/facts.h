/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what rules share: facts that one walk collects for all, and the few calls by which a
 * rule answers. Private to report/rules/.
 */
#ifndef REPORT_RULES_FACTS_H
#define REPORT_RULES_FACTS_H

#include "report/analyse/analysis_stages.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/chips.h"
#include "report/analyse/kernel_footprint.h"
#include "report/analyse/shapes.h"
#include "report/rules/advice.h"
#include "report/rules/name_lists.h"

struct window_walk;

struct row_list {
	uint32_t *row; /* (n) by start */
	size_t n, room;
};

/* Adds a row to a list that owns its rows: free(list->row). */
void list_row(struct row_list *list, uint32_t row);

/* An operator that only changes the view. */
struct view_op {
	uint32_t row;
	uint32_t outer; /* while walking: the one around it, by index, NO_ROW */
	bool works; /* something in it is put in a queue */
};

/* An operator of products and what was called and ran inside it. */
struct product_op {
	uint32_t row, outer; /* outer: index of the one around it, NO_ROW */
	uint32_t calls; /* runtime and driver calls, of nested ones the outer */
	uint32_t gemms; /* device events */
	uint8_t role;
	bool mm, bmm, addmm; /* operators inside */
	bool copies, others; /* device events inside; fills and split-K reductions count as none */
};

/* Do the self times of the host's rows sum to the totals of the outermost ones? They do unless rows
 * inside one row overlap: then the time that they share is in none of their own times twice, but in
 * both of their durations. */
struct nesting {
	int64_t total_ns; /* of the outermost rows */
	int64_t overlap_ns; /* that children share with an earlier one of the same row */
	uint32_t overlaps;
};

/* An event of the device in the window. */
struct seen_event {
	uint32_t row, call, op; /* call: the outer one that launched it; op: the innermost operator
				   around that; NO_ROW: not in the file */
	name_id op_name; /* 0: not in the file */
	uint32_t traits; /* of its own name */
	uint8_t part; /* enum time_part */
	int64_t exposed_ns; /* of it, inside the window, with nothing better beside it */
};

/* Idle time for which the host is to blame, while no thread is in an operator or a call for long:
 * ELSEWHERE_TIMES what usually lies between two of them, and a hundredth of the window; or
 * SILENCE_NS (blame.h), between rows of the same names as around one so long; or half as long as
 * that one, between operators of the same names. Not where it is short, and backward() hands over
 * to its thread or back, or an optimizer prepares its step: every program does that. */
struct elsewhere {
	int64_t idle_ns, longest_ns;
	int64_t launching_ns; /* of the idle time, what is launching: the rest is behind a step's
				 last work */
	size_t n;
	struct pause {
		struct time_span at;
		uint32_t before, next; /* the rows that end and begin there; NO_ROW */
	} * pause; /* (n) */
	uint32_t row; /* the innermost range or Python function around the longest, NO_ROW */
};

enum { ELSEWHERE_TIMES = 20 };

/* What was asked before. */
struct near {
	size_t idle; /* index into breakdown.idle: where idle time was asked for last */
};

struct matches;
struct repeats;

struct facts {
	const struct trace *t;
	const struct analysis *a;
	const struct health *h;
	const struct idle_causes *l;
	const struct blame_sum *blame; /* of the whole; NULL: not known */
	const struct streams *s;
	const struct case_counters *counted; /* NULL: none */
	const uint16_t *lists; /* (names) name_lists_of() */
	struct arena *scratch;

	/* by index into a->device_rows */
	const uint32_t *launch; /* the outer call, NO_ROW */
	uint32_t *call; /* its index in `calls`, NO_ROW */
	uint32_t *product; /* the innermost of `products` around the launch, NO_ROW */
	const uint32_t *op; /* the innermost operator around the launch, NO_ROW */
	uint32_t *previous, *next; /* on the same stream, by start; NO_ROW */
	struct row_list copies; /* those that copy: such indices, no rows */
	struct row_list gemms; /* products and convolutions, likewise */
	size_t n_links; /* device events with a launch */
	struct footprint *footprint; /* (t->n_kernels); footprint_of() asks */
	uint32_t *fitted; /* which of these, of a kernel that was fitted; else NO_ROW */
	size_t after_last; /* index in `calls` behind the last that put something in a queue */

	struct row_list calls; /* outer runtime and driver calls */
	uint32_t *call_product; /* (calls.n) the innermost of `products` around it, NO_ROW */
	uint32_t *work; /* (calls.n) the first device event that the call caused, NO_ROW */
	uint16_t *caused; /* (calls.n) how many it caused, at most 65535 */
	struct row_list waits; /* those of them that wait: indices in `calls`, not rows */
	struct row_list
		launching; /* rows of calls that put something in a queue, nested ones, too */
	struct row_list compiled; /* rows of compiled code */
	struct row_list overhead;
	struct row_list loaders;
	struct view_op *views; /* (n_views) right inside no other, and without work */
	size_t n_views, view_room;
	struct spans overhead_spans; /* their union */
	struct finding *dispatch; /* shows who hands out the work: never a wait */
	struct nesting nesting;
	struct row_list crossing; /* the host's rows that an earlier one inside the same row may
				     have ended behind */
	bool backward; /* a backward pass is in the file */
	bool shapes, types; /* some operator says them */

	struct planning *planning; /* which launches were planned (findings_occupancy_query.c) */
	struct pair_side *pair; /* what the comparing detectors ask of a side (findings_two_runs.c);
				   NULL: not a side */
	struct product_op *products; /* (n_products) by start */
	uint32_t n_products, product_room;

	/* What actions ask: of the window of the advice, which is a step where there are any. */
	struct repeats *repeats; /* what the host does again and again (repeats.h) */
	struct near *near;
	bool cpu; /* there is no device: the window is the host's */
	int64_t within_ns; /* then: of it an operator was open */
	struct matches *matches; /* what patterns have found (pattern.h) */
	const struct breakdown *p;
	const struct time_parts
		*w; /* the window of the advice; NULL: there is none, nor what follows */
	const struct chip *chip; /* NULL: unknown */
	struct seen_event *event; /* (n) by start (malloc) */
	size_t n;
	uint32_t *move; /* (n_moves) those of them that copy or communicate (in event's block) */
	size_t n_moves;
	uint32_t from, to; /* rows that begin inside the window */
	uint32_t work_from, work_to; /* rows that launched its work: others, where the host is far
					ahead of the device (window_work.c) */
	struct row_list outer; /* operators in it that no other is directly around */
	struct row_list convolutions, optimizers; /* operators and ranges in it, by name */
	uint32_t track; /* the host thread that launches most in it, NO_ROW */
	size_t launches, graph_launches, n_compiled; /* calls and rows in the window */
	size_t operators; /* in the window */
	int64_t launching_ns; /* that its launches take */
	int64_t recording_ns; /* what recording an operator costs: profiler_cost.h */
	const struct replay *replay; /* the window, to be run again; NULL: it cannot be */
	size_t captures; /* graphs that are captured in the window */
	int64_t allocating_ns; /* idle while a thread was in the allocator's calls */
	struct elsewhere elsewhere;
	int64_t launch_gap_ns; /* from one event to the next that was queued in time */
	int64_t computing_ns;
	bool torch;
};

/* The arena is scratch: release it after the last detector, and the facts before it. */
struct facts facts_of(struct arena *scratch, const struct rules_in *in);
void facts_release(struct facts *x);

/* The same facts for detectors on another thread: what detectors write to, the arena, is their own;
 * the rest is lent. */
struct facts facts_beside(struct arena *scratch, const struct facts *x);

/* What to do, and what to leave alone; the arena owns it (advice.c). */
struct advice advice_of(
	struct arena *arena, const struct facts *x, const struct rule_settings *settings);

/* ---- answers ---- */

/* As of nothing: its row, and the thresholds in force. */
void begin_finding(struct finding *f, const struct rule *d, const struct rule_settings *settings);

double limit(const struct finding *f, const char *threshold);
void tell(struct finding *f, const char *value, double number);

/* Several at once: TELL(f, {"kernels", n}, {"share", share}); */
struct told {
	const char *value;
	double number;
};
void tell_all(struct finding *f, const struct told *told); /* {0} ends them */
#define TELL(f, ...) tell_all(f, (const struct told[]){__VA_ARGS__, {0}})

void tell_text(struct finding *f, const char *value, const char *text);
void tell_name(struct finding *f, const char *value, const struct trace *t, uint32_t row);

/* Evidence: the 64 of the largest weight are kept, of equal ones the first. */
void show_kept(struct finding *f, uint32_t row, int64_t weight);

static inline void show(struct finding *f, uint32_t row, int64_t weight)
{
	if (row == NO_ROW)
		return;
	f->n_events++;
	const int last = FINDING_EVIDENCE - 1;
	if (f->n_evidence <= last || weight > f->weight[last] ||
		(weight == f->weight[last] && row < f->evidence[last]))
		show_kept(f, row, weight);
}

/* What another finding shows, and nothing else. */
void show_as(struct finding *f, const struct finding *other);

void show_base(struct finding *f, uint32_t row, int64_t weight);

/* The longest are kept, of equal ones the first. */
void show_gap_kept(struct finding *f, int64_t start_ns, int64_t end_ns, uint32_t beside);

static inline void show_gap(struct finding *f, int64_t start_ns, int64_t end_ns, uint32_t beside)
{
	if (end_ns > start_ns &&
		(f->n_gaps < FINDING_GAPS ||
			end_ns - start_ns > f->gap[FINDING_GAPS - 1].end_ns -
					f->gap[FINDING_GAPS - 1].start_ns))
		show_gap_kept(f, start_ns, end_ns, beside);
}

static inline enum finding_state not_applicable(struct finding *f, enum finding_reason reason)
{
	f->reason = reason;
	return FINDING_NOT_APPLICABLE;
}

static inline enum finding_state fired_if(bool fired)
{
	return fired ? FINDING_FIRED : FINDING_NOT_FIRED;
}

static inline enum finding_state fired_as(struct finding *f, enum finding_reason reason)
{
	f->reason = reason;
	return FINDING_FIRED;
}

/* Give back a time; what is not positive counts as none. */
static inline void gives_back(struct finding *f, double ns)
{
	f->give_back_ns = ns > 0 ? (int64_t)ns : 0;
}

/* The kernels that a rule can judge, and those that it is about. */
struct weighed_sum {
	double known, time; /* that it can judge, and their time */
	double n, counts; /* that it is about, and what counts of their time */
	double most; /* the largest weight so far */
};

/* One more that it is about: `counts` of its time, shown by `weight`. True when none before weighed
 * as much, so that this is the one to name. */
bool weigh(struct finding *f, struct weighed_sum *all, uint32_t row, double counts, double weight);

/* Tells "kernels", how many it is about as `n`, and "share"; fires from the limit "share" on. */
enum finding_state weigh_end(struct finding *f, const struct weighed_sum *all, const char *n);

/* ---- small questions ---- */

/* The innermost of facts.products around a row of the host or at it, NO_ROW. */
uint32_t product_around(const struct facts *x, uint32_t row);

/* The index in facts.calls of the first call at or behind a row. */
size_t call_index(const struct facts *x, uint32_t row);

static inline double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Of an operator; ROLE_NONE for a row of any other kind. */
static inline enum role role_of(const struct facts *x, uint32_t row)
{
	return x->t->kind[row] == EVENT_OP ? (enum role)x->a->role[x->t->name[row]] : ROLE_NONE;
}

/* Is the name of a row, which may be NO_ROW, on a list? */
static inline bool is_on(const struct facts *x, uint32_t row, enum name_list list)
{
	return row != NO_ROW && x->lists[x->t->name[row]] >> list & 1;
}

static inline const char *row_name(const struct facts *x, uint32_t row)
{
	return names_text(&x->t->names, x->t->name[row]);
}

static inline uint32_t device_row(const struct facts *x, size_t i)
{
	return x->a->device_rows[i];
}

/* How the i-th device event fits on its device; zeroes when the file does not tell. */
struct footprint footprint_of(const struct facts *x, size_t i);

/* The index of a device row, which is `from` or behind. */
size_t device_index(const struct facts *x, uint32_t row, size_t from);

static inline uint8_t class_of(const struct facts *x, uint32_t row)
{
	return x->a->class[row];
}

/* A product of matrices, by whichever kernel. */
static inline bool is_gemm(uint8_t class)
{
	return class == CLASS_GEMM;
}

static inline bool is_pointwise(uint8_t class)
{
	return class >= CLASS_ADD && class <= CLASS_ELEMENTWISE;
}

static inline bool copies_within(const struct facts *x, uint32_t row)
{
	return device_traits(x->a, row) & TRAIT_WITHIN;
}

/* Between host and device; what the host device copies within memory is none. */
static inline bool is_pageable(const struct facts *x, uint32_t row)
{
	return (device_traits(x->a, row) & (TRAIT_PAGEABLE | TRAIT_WITHIN)) == TRAIT_PAGEABLE;
}

/* -1 unknown */
int64_t bytes_of(const struct facts *x, uint32_t copy_row);

/* The union of rows, which must be sorted by start. */
struct spans union_of(struct arena *scratch, const struct trace *t, const uint32_t *row, size_t n);

/* What the launching thread spends in the data loader. */
struct spans loading_spans(const struct facts *x);

int64_t window_ns(const struct analysis *a);

/* The median of n numbers, which are sorted in place; n at least 1. */
double median_of(int64_t *samples, size_t n);

/* The median duration of the steps from `first` on; there must be one. */
double median_step_ns(const struct facts *x, uint32_t first);

/* The step that the report shows for all (analyse/case_numbers.h); NULL without steps. */
static inline const struct step *typical_step(const struct analysis *a)
{
	return a->n_steps ? &a->steps[numbers_of(a).typical] : NULL;
}

/* The host's half of the facts (facts_host.c). */
void look_at_rows(struct facts *x, struct window_walk *window);

/* What actions ask (action_window.c): before the walks, of each row and event in them, after them.
 */
struct window_walk *begin_window(struct facts *x, const struct breakdown *p); /* NULL: no window */
void see_row(struct window_walk *w, uint32_t row);
void see_event(struct facts *x, size_t i);
void end_window(struct facts *x, struct window_walk *w);
void free_window(struct facts *x);

/* Where some of the window's work was launched before it: what was counted and listed of the host's
 * rows in it (track, launches, convolutions, optimizers) is that of those that launched its work.
 */
void see_work(struct facts *x);

/* Of the calls that launched what the device works at in the window: the thread of most, where one
 * has the majority, and from which row to which they stand. */
struct launched {
	uint32_t track, from, to;
};

struct launched launched_of(const struct facts *x);

/* What patterns find in the window: nothing was looked for yet; arena. */
struct matches *matches_begin(struct arena *arena);
void matches_free(struct matches *m);

/* Fills in facts.planning. */
void look_at_planning(struct facts *x);

/* Fills in facts.pair. */
void look_at_pair_side(struct facts *x);

/* ---- products ---- */

/* The product that launched a GEMM, by index into a->device_rows: false unless its operator
 * launched exactly one, or where its shapes are not recorded. */
bool product_of_event(const struct facts *x, size_t i, struct product *p);

/* ---- the clock (findings_clock.c) ---- */

/* Of some runs of a kernel: each with the last reading before it. */
struct clock_of_runs {
	double low_mhz, high_mhz;
	double rank; /* Spearman's correlation of duration and clock, -1 to 1 */
};

/* False without readings in the trace, or when the clock or the durations did not vary. */
bool clock_of_runs(const struct facts *x, const uint32_t *row, size_t n, struct clock_of_runs *c);

/* ---- the tables ---- */

struct rule_list {
	const struct rule *row; /* (n) */
	int n;
};

/* All tables, in the order in which their rows are told: a new file of rows is a line here. */
#define RULE_TABLES(X) \
	X(findings_table_rows) \
	X(findings_start_rows) \
	X(findings_planning_rows) \
	X(findings_end_rows) \
	X(findings_request_rows) \
	X(findings_gap_rows) \
	X(findings_lane_rows) \
	X(findings_chain_rows) \
	X(findings_compile_rows) \
	X(findings_layer_rows) \
	X(findings_twin_rows) \
	X(findings_copy_rows) \
	X(findings_product_rows) \
	X(findings_estimate_rows) \
	X(findings_kernel_rows) \
	X(findings_counted_rows) \
	X(findings_field_rows) \
	X(findings_cores_rows) \
	X(findings_launch_rows) \
	X(findings_health_rows) \
	X(findings_pair_rows) \
	X(pattern_setting_rows) \
	X(pattern_device_rows) \
	X(pattern_again_rows) \
	X(pattern_unused_rows) \
	X(pattern_fourier_rows) \
	X(pattern_algebra_rows) \
	X(pattern_growth_rows) \
	X(pattern_memory_rows) \
	X(pattern_in_place_rows) \
	X(pattern_host_rows) \
	X(pattern_compile_rows) \
	X(pattern_pass_rows) \
	X(pattern_weight_rows) \
	X(pattern_rank_rows) \
	X(remedy_device_rows) \
	X(remedy_grid_rows) \
	X(remedy_precision_rows) \
	X(remedy_wait_rows) \
	X(remedy_stall_rows) \
	X(remedy_transfer_rows) \
	X(remedy_round_rows) \
	X(remedy_host_rows) \
	X(remedy_input_rows) \
	X(leave_rows)
#define RULE_TABLE(rows) extern const struct rule_list rows;
RULE_TABLES(RULE_TABLE)

#define RULE_LIST(rows) \
	{ \
		rows, (int)(sizeof(rows) / sizeof *(rows)) \
	}

#endif

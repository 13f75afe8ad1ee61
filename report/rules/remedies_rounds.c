/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for a host that does the same again and again: one call for many. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/stats.h"
#include "report/analyse/breakdown.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops of one kind ---- */

/* What a remedy is about: all repeats of a kind, none inside another. */
struct loops {
	struct loop {
		const struct repeat *of;
		struct time_span rest; /* from the end of the first round on */
	} * loop; /* (n) by thread and time (malloc) */
	size_t n, rounds; /* rounds: of all */
	const struct repeat *longest; /* of which the device waits longest */
	int64_t late_ns, longest_ns; /* late: of all */
	size_t launches; /* that are spared */
};

static void add_loop(
	const struct facts *s, struct finding *f, struct loops *all, const struct repeat *r)
{
	struct time_span rest = repeat_rest(s, r);
	int64_t start = s->t->start_ns[repeat_row(r, 0, 0)];
	int64_t late = late_in_window(s, start, rest.end_ns);
	all->loop[all->n++] = (struct loop){r, rest};
	all->rounds += r->rounds;
	all->late_ns += late;
	if (!all->longest || late > all->longest_ns) {
		all->longest_ns = late;
		all->longest = r;
	}
	prove(f, repeat_row(r, 0, 0));
}

/* What the thread does not spend in operators right before the first of a round. */
static int64_t pause_before(const struct facts *s, const struct repeat *r, size_t unit)
{
	const struct trace *t = s->t;
	const struct unit *u = &r->of->unit[r->first + unit];
	int64_t end = row_end(t, u[-1].row);
	for (uint32_t i = u[-1].row + 1; i < u->row; i++)
		if (t->track[i] == r->of->track && t->kind[i] == EVENT_OP)
			end = max64(end, row_end(t, i));
	return max64(0, t->start_ns[u->row] - end);
}

/* What the interpreter needs to call an operator of a loop: a quartile of the pauses inside its
 * rounds, or between them where each is one operator. */
static int64_t usual_pause(const struct facts *s, const struct repeat *r)
{
	int64_t *pause = xalloc(r->rounds * r->period * sizeof *pause);
	size_t n = 0;
	for (size_t i = 1; i < r->rounds * r->period; i++)
		if (r->period == 1 || i % r->period)
			pause[n++] = pause_before(s, r, i);
	int64_t usual = stats_nth(pause, n, n / 4);
	free(pause);
	return usual;
}

/* The host does nothing for the rounds behind the first; but where the program walks through its
 * modules from one tensor to the next, it has to do that to make the one call, too: what the pause
 * between two rounds is longer than that of a call. */
static void plan_host(const struct facts *s, struct finding *f, const struct loop *loop, bool walks)
{
	const struct repeat *r = loop->of;
	int64_t from = loop->rest.start_ns, usual = walks ? usual_pause(s, r) : 0;
	for (size_t k = 1; walks && k < r->rounds; k++) {
		int64_t start = s->t->start_ns[repeat_row(r, k, 0)],
			walk = max64(0, pause_before(s, r, k * r->period) - usual);
		if (!walk)
			continue;
		plan_spare(f->plan, from, start - walk);
		from = start;
	}
	plan_spare(f->plan, from, loop->rest.end_ns);
}

static void plan_hosts(
	const struct facts *s, struct finding *f, const struct loops *all, bool walks)
{
	for (size_t i = 0; i < all->n; i++) {
		plan_host(s, f, &all->loop[i], walks);
		plan_around_rounds(s, f->plan, all->loop[i].of);
	}
}

/* Of repeats that overlap the one that begins first counts, of those that begin together the one of
 * most operators: is this the one, in place of the last? */
static bool is_longer(const struct repeat *last, const struct repeat *r)
{
	return last->first == r->first && last->rounds * last->period < r->rounds * r->period;
}

static bool is_inside(const struct repeat *last, const struct repeat *r)
{
	return last->of == r->of && r->first < last->first + last->rounds * last->period;
}

static struct loops loops_of_kind(const struct facts *s, struct finding *f, enum repeat_kind kind)
{
	const struct repeats *every = repeats_of(s);
	const struct repeat **picked = xalloc((every->n + 1) * sizeof *picked);
	const struct repeat *last = NULL; /* picked[n - 1] */
	size_t n = 0;
	for (size_t i = 0; i < every->n; i++) {
		const struct repeat *r = &every->run[i];
		bool inside = last && is_inside(last, r);
		if ((inside && !is_longer(last, r)) || repeat_kind_at(s, every, i) != kind)
			continue;
		n -= inside;
		picked[n++] = last = r;
	}
	struct loops all = {.loop = xalloc((n + 1) * 2 * sizeof *all.loop)};
	for (size_t i = 0; i < n; i++)
		add_loop(s, f, &all, picked[i]);
	free(picked);
	return all;
}

/* What autograd does for each round, too: of as many loops of so many rounds as there are forward.
 */
static void add_backward(const struct facts *s, struct finding *f, struct loops *all)
{
	enum { MOST = 32 };
	const struct repeat *taken[MOST];
	size_t forward = all->n, rounds = 0, n = 0;
	bool some = true;
	for (size_t i = 0; i < forward && n < MOST; i++) {
		const struct repeat *r = all->loop[i].of;
		some |= r->rounds != rounds;
		rounds = r->rounds;
		const struct repeat *back = some ? repeat_backward(s, r, taken, n) : NULL;
		some = back != NULL;
		if (!back)
			continue;
		taken[n++] = back;
		add_loop(s, f, all, back);
	}
}

/* Of what an operator launches. */
static const struct loop *loop_of(const struct facts *s, const struct loops *all, uint32_t op)
{
	int64_t at = s->t->start_ns[op];
	for (size_t k = 0; k < all->n;) {
		const struct unit_list *of = all->loop[k].of->of;
		size_t end = k;
		while (end < all->n && all->loop[end].of->of == of)
			end++;
		size_t i = first_where(j, k, end, all->loop[j].rest.end_ns > at);
		if (of->track == s->t->track[op] && i < end && all->loop[i].rest.start_ns <= at)
			return &all->loop[i];
		k = end;
	}
	return NULL;
}

/* The rounds behind the first run beside it, as far as the device has room for them; `fused`: what
 * is no product goes, since the one kernel does it, too. */
static void plan_rounds(const struct facts *s, struct finding *f, struct loops *all, bool fused)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->op == NO_ROW || s->t->kind[e->row] != EVENT_KERNEL ||
			!loop_of(s, all, e->op))
			continue;
		bool moves = e->part == TIME_POINTWISE || e->part == TIME_REDUCTION;
		plan_takes(f->plan, e->row,
			fused && moves	? 0
				: fused ? 1
					: device_fills(s, e->row));
		all->launches++;
	}
}

static void tell_loops(const struct facts *s, struct finding *f, const struct loops *all)
{
	const struct repeat *r = all->longest;
	tell_name(f, "name", s->t, repeat_row(r, 0, 0));
	TELL(f, {"rounds", (double)r->rounds}, {"operators", (double)r->period},
		{"late", (double)all->late_ns});
}

void plan_asking_rounds(const struct facts *s, struct finding *f)
{
	static const enum repeat_kind gone[] = {REPEAT_LEFT, REPEAT_READ},
				      one[] = {REPEAT_MASKED, REPEAT_ROUTED};
	for (int k = 0; k < 2; k++) {
		struct loops all = loops_of_kind(s, f, gone[k]);
		for (size_t i = 0; i < all.n; i++)
			plan_gone(f->plan, all.loop[i].of->of->track, all.loop[i].rest.start_ns,
				all.loop[i].rest.end_ns);
		free(all.loop);
		all = loops_of_kind(s, f, one[k]);
		add_backward(s, f, &all);
		plan_hosts(s, f, &all, false);
		plan_rounds(s, f, &all, false);
		free(all.loop);
	}
}

/* ---- one call for many ---- */

/* Rounds within a step that are no layers by what they work on, and autograd's of them. */
static enum finding_state batch_inside(const struct facts *s, struct finding *f)
{
	static const struct {
		enum repeat_kind kind;
		const char *variant;
	} kinds[] = {{REPEAT_REQUESTS, "requests"}, {REPEAT_SLICES, "slices"},
		{REPEAT_JOINED, "joined"}, {REPEAT_APART, "apart"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct loops all = loops_of_kind(s, f, kinds[i].kind);
		if (all.n) {
			f->variant = kinds[i].variant;
			tell_loops(s, f, &all);
			add_backward(s, f, &all);
			plan_hosts(s, f, &all, false);
			plan_rounds(s, f, &all, false);
			TELL(f, {"launches", (double)all.launches});
		}
		free(all.loop);
		if (all.n)
			return FINDING_FIRED;
	}
	return fired_if(batch_of_equals(s, f));
}

static enum finding_state batch(const struct facts *s, struct finding *f)
{
	double enough = limit(f, "share") * (double)advised_ns(s);
	if (s->graph_launches || s->track == NO_ROW ||
		!is_about(s, f, repeat_gives_ns(s, (int64_t)ceil(enough))))
		return FINDING_NOT_FIRED;
	if (batch_of_passes(s, f) || batch_of_rounds(s, f))
		return FINDING_FIRED;
	return batch_inside(s, f);
}

/* ---- loops of small operators ---- */

static bool has_op(const struct facts *s, const struct repeat *r, const char *const *names)
{
	for (size_t k = 0; k < r->period; k++)
		for (int i = 0; names[i]; i++)
			if (is_named(s, repeat_row(r, 0, k), names[i]))
				return true;
	return false;
}

/* What the rounds do to a list of tensors, where it has a call of its own. */
static const char *what_is_done(const struct facts *s, const struct repeat *r)
{
	static const char *const updates[] = {"aten::addcmul_", "aten::addcdiv_", NULL},
				 *const norms[] = {"aten::linalg_vector_norm", "aten::norm", NULL},
				 *const averages[] = {"aten::lerp_", NULL};
	if (has_op(s, r, updates))
		return "update";
	if (has_op(s, r, norms))
		return "norm";
	bool scaled = r->period == 2 && is_named(s, repeat_row(r, 0, 0), "aten::mul_") &&
		is_named(s, repeat_row(r, 0, 1), "aten::add_");
	return scaled || has_op(s, r, averages) ? "average" : "";
}

/* On the thread that launches most, which may be backward's, and on that of the step. */
static enum finding_state loops(const struct facts *s, struct finding *f)
{
	const int64_t *ns = s->w->ns;
	/* They give back at most what the host is late by, on each thread, and small kernels. */
	int64_t most = 2 * (ns[TIME_LAUNCHING] - s->w->launch_gap_ns + ns[TIME_SYNC]) +
		ns[TIME_POINTWISE] + ns[TIME_REDUCTION];
	if (s->graph_launches || s->captures || s->track == NO_ROW ||
		(double)most < limit(f, "least") * (double)advised_ns(s))
		return FINDING_NOT_FIRED;
	struct loops all = loops_of_kind(s, f, REPEAT_SMALL);
	if (all.n) {
		tell_loops(s, f, &all);
		TELL(f, {"share", share_of_window(s, all.late_ns)});
		add_backward(s, f, &all);
		plan_hosts(s, f, &all, true);
		plan_rounds(s, f, &all, false);
		f->variant = what_is_done(s, all.longest);
	}
	free(all.loop);
	return fired_if(all.n > 0);
}

/* ---- recurrent layers ---- */

static const char *const LAYERS[] = {
	"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu", NULL};

/* Right inside a layer that has a whole sequence: what cuDNN would do in its few kernels. */
static bool is_in_layer(const struct facts *s, uint32_t row)
{
	for (int i = 0; LAYERS[i]; i++)
		if (is_named(s, s->t->parent[row], LAYERS[i]))
			return true;
	return false;
}

/* A cell that the program calls, or all that a layer is made of. */
static bool is_of_cells(const struct facts *s, const struct matches *m, uint32_t row)
{
	const char *name = row_name(s, row);
	(void)m;
	return is_in_layer(s, row) ||
		(strncmp(name, "aten::_", 7) != 0 && !strcmp(name + strlen(name) - 5, "_cell"));
}

static bool is_layer_of_cells(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	f->variant = is_in_layer(s, sum->longest) ? "layer" : "";
	return true;
}

/* One kernel or a few for the whole sequence: what multiplies stays, what else a round does is done
 * in the same kernels. */
static enum finding_state cells(const struct facts *s, struct finding *f)
{
	if (s->graph_launches || s->captures || s->track == NO_ROW)
		return FINDING_NOT_FIRED;
	struct loops all = loops_of_kind(s, f, REPEAT_CELLS);
	size_t n = all.n;
	if (n) {
		tell_loops(s, f, &all);
		add_backward(s, f, &all);
		plan_hosts(s, f, &all, false);
		plan_rounds(s, f, &all, true);
		TELL(f, {"launches", (double)all.launches});
	}
	free(all.loop);
	f->variant = n ? "unrolled" : "";
	if (n)
		return FINDING_FIRED;
	all = loops_of_kind(s, f, REPEAT_DECODES);
	free(all.loop);
	return all.n ? FINDING_NOT_FIRED : pattern_seen(s, f);
}

static struct gain cells_save(const struct facts *s, const struct finding *f)
{
	return !strcmp(f->variant, "unrolled") ? (struct gain){0} : pattern_saves(s, f);
}

static const struct rule rows[] = {
	{.id = "cells",
		.kind = RULE_ACTION,
		.threshold = {{"calls", 8, UNIT_COUNT}, LEAST(0.02)},
		.value = {PATTERN_VALUES, {"rounds", UNIT_COUNT}, {"operators", UNIT_COUNT},
			{"late", UNIT_NS}},
		.covers = {"loops", "batch", "graphs"},
		.before = {"graphs", "fusion"},
		.pattern = &(const struct pattern){.change = CHANGE_LAUNCHES,
			.op = {"aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell",
				"aten::rnn_relu_cell", "aten::_thnn_fused_lstm_cell",
				"aten::_thnn_fused_gru_cell", "aten::matmul", "aten::linear",
				"aten::t", "aten::unbind", "aten::add", "aten::mul", "aten::tanh",
				"aten::relu", "aten::sigmoid", "aten::stack", "aten::unsafe_chunk"},
			.is = is_of_cells,
			.holds = is_layer_of_cells,
			.backward = true},
		.one = cells,
		.saves = cells_save},
	{.id = "batch",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.1), LEAST(0.02)},
		.value = {{"rounds", UNIT_COUNT}, {"operators", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"rows", UNIT_COUNT}, {"all_rows", UNIT_COUNT}, {"late", UNIT_NS},
			{"launches", UNIT_COUNT}},
		.one = batch},
	{.id = "loops",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.05)},
		.value = {{"rounds", UNIT_COUNT}, {"operators", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"late", UNIT_NS}, {"share", UNIT_SHARE}},
		.before = {"graphs", "fusion"},
		.one = loops},
};

const struct rule_list remedy_round_rows = RULE_LIST(rows);

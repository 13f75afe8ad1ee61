/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for a host that is late: fewer calls, or calls that cost less. */
#include "base/binary_search.h"
#include "base/hash.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

static size_t kernels_shorter_than_launch(const struct facts *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->event[i].call != NO_ROW &&
			s->t->dur_ns[s->event[i].row] < s->t->dur_ns[s->event[i].call];
	return n;
}

static void prove_late(const struct facts *s, struct finding *f)
{
	size_t i = 0;
	const struct stretch *idle;
	while ((idle = next_idle(s, TIME_LAUNCHING, &i)))
		if (!idle->launch_gap)
			prove(f, idle->row);
}

/* No graph can hold a wait, as for a number that is read or an upload from pageable memory: how
 * many stand between the launches, and how many launches there are between two of them at most. */
struct cuts {
	size_t waits, longest;
};

/* Backward launches from a thread of its own: a wait is in the way of what its own thread launches
 * in front of it or behind it, too. */
static struct cuts cuts_of(const struct facts *s)
{
	const struct idle_causes *l = s->l;
	uint32_t last = s->track;
	struct cuts c = {0};
	size_t run = 0, next = first_where(k, 0, l->n_waits, l->waits[k] >= s->from);
	for (size_t k = first_where(i, 0, s->a->n_calls, s->a->calls[i] >= s->from);
		k < s->a->n_calls && s->a->calls[k] < s->to; k++) {
		uint32_t call = s->a->calls[k];
		if (s->a->class[call] != CLASS_LAUNCH)
			continue;
		for (; next < l->n_waits && l->waits[next] < call; next++) {
			uint32_t track = s->t->track[l->waits[next]];
			if (track == s->track || track == last || track == s->t->track[call]) {
				c.waits += run > 0;
				run = 0;
			}
		}
		last = s->t->track[call];
		run++;
		c.longest = max_size(run, c.longest);
	}
	return c;
}

/* What stands between two graphs on the device, and could be in them: copies hand over to the next
 * one what the last one gave, point-wise kernels work on that. */
struct handed {
	size_t graphs, n; /* n: how many of them have such work in front of them */
	size_t copies, work;
	int64_t ns;
};

static bool is_of_graph(const struct facts *s, const struct seen_event *e)
{
	return e->call != NO_ROW && host_traits(s->a, e->call) & TRAIT_GRAPH;
}

static bool hands_over(const struct facts *s, const struct seen_event *e)
{
	return e->part == TIME_COPIES && e->call != NO_ROW &&
		device_traits(s->a, e->row) & TRAIT_WITHIN;
}

static bool works_between(const struct facts *s, const struct seen_event *e)
{
	return hands_over(s, e) ||
		(e->call != NO_ROW && (e->part == TIME_POINTWISE || e->part == TIME_REDUCTION));
}

static bool calls_graph(const struct facts *s, uint32_t row)
{
	const char *key;
	int n;
	return s->a->class[row] == CLASS_COMPILE &&
		compile_row_of(row_name(s, row), &key, &n) == COMPILE_GRAPH;
}

/* The compiler's own graphs: it has put into one what it could, and the copies are its inputs and
 * what its caller keeps. */
static bool is_of_compiler(const struct facts *s, uint32_t call)
{
	while (call != NO_ROW && !calls_graph(s, call))
		call = s->t->parent[call];
	return call != NO_ROW;
}

/* The host comes to the next graph without what it does for the work in between. */
static void plan_handed(const struct facts *s, struct finding *f, const struct seen_event *e)
{
	uint32_t up = s->t->parent[e->call];
	prove(f, e->row);
	if (up == NO_ROW || s->t->kind[up] != EVENT_OP) {
		plan_goes(f->plan, s->t, e->row);
	} else if (hands_over(s, e)) {
		plan_goes(f->plan, s->t, up);
	} else {
		plan_spare(f->plan, comes_to(s, up), row_end(s->t, up));
	}
}

/* The copies and the like that end in front of an event, the first of a graph. f: to plan without
 * them, or NULL. */
static void add_handed(const struct facts *s, struct handed *h, size_t i, struct finding *f)
{
	enum { MOST = 32 };
	size_t from = i;
	while (from && i - from < MOST && !is_of_graph(s, &s->event[from - 1]) &&
		works_between(s, &s->event[from - 1]))
		from--;
	if (!from || from == i || !is_of_graph(s, &s->event[from - 1]))
		return;
	h->n++;
	for (; from < i; from++) {
		const struct seen_event *e = &s->event[from];
		h->copies += hands_over(s, e);
		h->work++;
		h->ns += e->exposed_ns;
		if (f)
			plan_handed(s, f, e);
	}
}

static struct handed handed_over(const struct facts *s, struct finding *f)
{
	struct handed h = {0};
	uint32_t graph = NO_ROW;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!is_of_graph(s, e) || e->call == graph)
			continue;
		graph = e->call;
		if (is_of_compiler(s, graph))
			continue;
		h.graphs++;
		add_handed(s, &h, i, f);
	}
	return h;
}

/* Many graphs one behind the other, where one could hold all. */
static bool are_pieces(const struct facts *s, struct finding *f)
{
	enum { MANY = 4 };
	struct handed h = handed_over(s, NULL);
	TELL(f, {"graphs", (double)h.graphs}, {"handed", (double)h.copies},
		{"between", (double)h.work}, {"time", (double)h.ns});
	f->causes = !s->captures && h.graphs >= MANY && 2 * h.n >= h.graphs;
	if (!f->causes)
		return false;
	f->variant = "pieces";
	handed_over(s, f);
	TELL(f, {"launches", (double)s->launches});
	return true;
}

/* Copies on the device right in front of a graph bring its inputs to where it reads them. */
static bool are_fed(const struct facts *s, struct finding *f)
{
	const double share = 0.1; /* of the window, in which they are worth a word */
	struct handed h = {0};
	f->causes = false;
	for (size_t i = 1; s->graph_launches && i < s->n; i++) {
		if (!is_of_graph(s, &s->event[i]) || is_of_graph(s, &s->event[i - 1]))
			continue;
		h.graphs++;
		for (size_t k = i; k-- > 0 && hands_over(s, &s->event[k]); h.n++) {
			const struct seen_event *e = &s->event[k];
			uint32_t up = s->t->parent[e->call];
			h.ns += e->exposed_ns;
			plan_goes(f->plan, s->t,
				up != NO_ROW && s->t->kind[up] == EVENT_OP ? up : e->row);
			prove(f, e->row);
		}
	}
	if (s->captures || (double)h.ns < share * (double)advised_ns(s))
		return false;
	f->causes = true;
	f->variant = "inputs";
	TELL(f, {"graphs", (double)h.graphs}, {"handed", (double)h.n}, {"time", (double)h.ns},
		{"share", share_of_window(s, h.ns)});
	return true;
}

/* Only what compiled code launches is in its graphs: what comes to that, as guards, stays, and so
 * does what stands beside it. False: no row says where that is. */
static bool plan_compiled(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	bool some = false;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		if (!calls_graph(s, i))
			continue;
		int64_t end = row_end(t, i), begun = end;
		for (uint32_t k = i + 1; k < t->n && t->start_ns[k] < begun; k++)
			if (t->track[k] == t->track[i] && s->a->class[k] == CLASS_LAUNCH)
				begun = row_end(t, k);
		plan_one_launch_of(f->plan, s->p, begun, end);
		some = true;
	}
	return some;
}

struct step_hash {
	uint64_t names, sizes;
};

/* Of the operators that a step's thread calls in it, and of the sizes that they are given. */
static struct step_hash hash_of_step(const struct facts *s, const struct step *step)
{
	const struct trace *t = s->t;
	struct step_hash h = {HASH_START, HASH_START};
	for (uint32_t i = step->row + 1; i < t->n && t->start_ns[i] < step->start_ns + step->dur_ns;
		i++) {
		if (t->kind[i] != EVENT_OP || t->track[i] != t->track[step->row])
			continue;
		const struct inputs *x = inputs_of(s->a, i);
		h.names = hash_word(h.names, t->name[i]);
		for (int k = 0; x && k < x->n; k++)
			h.sizes = hash_word(h.sizes, (uint64_t)elements_of(x, k));
	}
	return h;
}

/* Do most steps call the same operators as the one before, with other sizes? A graph holds one. */
static bool sizes_change(const struct facts *s)
{
	size_t alike = 0, other = 0;
	struct step_hash last = {0};
	for (size_t i = 0; i < s->a->n_steps; i++) {
		struct step_hash h = hash_of_step(s, &s->a->steps[i]);
		bool same = i && h.names == last.names && h.names != HASH_START;
		alike += same;
		other += same && h.sizes != last.sizes;
		last = h;
	}
	return 2 * other > alike;
}

static enum finding_state graphs(const struct facts *s, struct finding *f)
{
	if (are_pieces(s, f) || are_fed(s, f))
		return FINDING_FIRED;
	int64_t late = late_launches_ns(s) - s->allocating_ns;
	double least = limit(f, s->p->n_steps ? "launches" : "launches_without_steps");
	if (s->graph_launches || s->captures || (double)s->launches < least ||
		!is_about(s, f, late))
		return FINDING_NOT_FIRED;
	struct cuts cuts = cuts_of(s);
	bool waits = 2 * cuts.longest < s->launches, sizes = s->torch && sizes_change(s);
	if (sizes && 2 * late < advised_ns(s))
		return FINDING_NOT_FIRED; /* what padding adds to the computing */
	prove_late(s, f);
	f->behind = waits || sizes;
	bool compiled = s->torch && !waits && !sizes && s->n_compiled;
	if (!compiled || !plan_compiled(s, f))
		plan_one_launch(f->plan, s->p);
	f->causes = compiled;
	f->variant = !s->torch	       ? "c"
		: waits		       ? "waits"
		: sizes		       ? "sizes"
		: s->n_compiled	       ? "compiled"
		: !chip_compiles(s->t) ? "old"
				       : "";
	TELL(f, {"late", (double)late}, {"share", share_of_window(s, late)},
		{"launches", (double)s->launches},
		{"shorter", (double)kernels_shorter_than_launch(s)}, {"kernels", (double)s->n},
		{"computing", (double)s->computing_ns}, {"waits", (double)cuts.waits});
	return FINDING_FIRED;
}

/* ---- neither operators nor calls ---- */

/* What belongs to a pause: copies to the host in front of it are there for what the program does in
 * it, and operators that launch nothing make something of that. */
static void plan_pause(const struct facts *s, struct finding *f, const struct pause *p)
{
	enum { NEAR = 32 };
	const struct trace *t = s->t;
	const uint32_t *outer = s->outer.row;
	size_t n = s->outer.n, at = first_where(i, 0, n, t->start_ns[outer[i]] >= p->at.end_ns);
	plan_spare(f->plan, p->at.start_ns, p->at.end_ns);
	for (size_t i = at; i > 0 && at - i < NEAR && p->before != NO_ROW; i--) {
		uint32_t op = outer[i - 1];
		if (t->track[op] != t->track[p->before] || !launches_inside(s, op, 0, true))
			continue;
		if (!launches_inside(s, op, TRAIT_TO_HOST, false))
			break;
		plan_goes(f->plan, t, op);
	}
	for (size_t i = at; i < n && i - at < NEAR && p->next != NO_ROW; i++) {
		if (t->track[outer[i]] != t->track[p->next] ||
			launches_inside(s, outer[i], 0, true))
			break;
		plan_off_path(f->plan, t, outer[i]);
	}
}

static enum finding_state elsewhere(const struct facts *s, struct finding *f)
{
	const struct elsewhere *e = &s->elsewhere;
	f->variant = !s->operators ? "calls-only" : e->row == NO_ROW ? "unnamed" : "";
	prove(f, e->row);
	for (size_t i = 0; i < e->n; i++)
		plan_pause(s, f, &e->pause[i]);
	TELL(f, {"n", (double)e->n}, {"idle", (double)e->idle_ns},
		{"share", share_of_window(s, e->idle_ns)}, {"longest", (double)e->longest_ns});
	tell_name(f, "name", s->t, e->row);
	return fired_if(is_about(s, f, e->idle_ns));
}

/* ---- the optimizer ---- */

/* Of torch.optim (2.11): what has a step of one kernel, and what has one over lists of tensors. Any
 * other class is the program's own. */
static const char *const fused_optimizers[] = {"Adam", "AdamW", "SGD", "Adagrad", NULL};
static const char *const listed_optimizers[] = {
	"Adadelta", "Adafactor", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", NULL};

static bool is_in(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

/* By the class that stands in the range's name, Optimizer.step#CLASS.step. */
static void tell_optimizer(struct finding *f, const char *range)
{
	const char *class = strchr(range, '#');
	f->variant = "unnamed";
	if (!class)
		return;
	class = arena_strndup(f->arena, class + 1, strcspn(class + 1, "."));
	f->variant = is_in(fused_optimizers, class) ? ""
		: is_in(listed_optimizers, class)   ? "foreach"
						    : "own";
	tell_text(f, "class", class);
}

/* From its first launch on: what the optimizer prepares in front of it stays. */
static enum finding_state optimizer(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	int64_t idle = 0;
	size_t calls = 0;
	for (size_t o = 0; o < s->optimizers.n; o++) {
		uint32_t i = s->optimizers.row[o];
		int64_t end = row_end(t, i), begun = end;
		for (uint32_t k = i + 1; k < t->n && t->start_ns[k] < end; k++) {
			bool launch = s->a->class[k] == CLASS_LAUNCH &&
				t->track[k] == t->track[i] && is_outer_call(t, k);
			calls += launch;
			begun = launch ? min64(t->start_ns[k], begun) : begun;
		}
		idle += idle_in_window(s, begun, end);
		plan_spare(f->plan, begun, end);
		prove(f, i);
	}
	idle = min64(idle, late_launches_ns(s));
	TELL(f, {"launches", (double)calls}, {"time", (double)idle});
	if (s->optimizers.n)
		tell_optimizer(f, row_name(s, s->optimizers.row[0]));
	return fired_if((double)calls >= limit(f, "launches"));
}

static const struct rule rows[] = {
	{.id = "graphs",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.1), LEAST(0.02), {"launches", 7, UNIT_COUNT},
			{"launches_without_steps", 20, UNIT_COUNT}},
		.value = {{"late", UNIT_NS}, {"share", UNIT_SHARE}, {"launches", UNIT_COUNT},
			{"shorter", UNIT_COUNT}, {"kernels", UNIT_COUNT}, {"computing", UNIT_NS},
			{"waits", UNIT_COUNT}, {"graphs", UNIT_COUNT}, {"handed", UNIT_COUNT},
			{"time", UNIT_NS}, {"between", UNIT_COUNT}},
		.cause_share = 0.1,
		.one = graphs},
	{.id = "elsewhere",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.05)},
		.value = {{"n", UNIT_COUNT}, {"idle", UNIT_NS}, {"share", UNIT_SHARE},
			{"longest", UNIT_NS}, {"name", UNIT_TEXT}},
		.one = elsewhere},
	{.id = "optimizer",
		.kind = RULE_ACTION,
		.threshold = {{"launches", 100, UNIT_COUNT}, LEAST(0.02)},
		.value = {{"launches", UNIT_COUNT}, {"time", UNIT_NS}, {"class", UNIT_TEXT}},
		.one = optimizer},
};

const struct rule_list remedy_host_rows = RULE_LIST(rows);

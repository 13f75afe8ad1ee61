/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/advice.h"

#include "base/json_out.h"
#include "report/advise/advice_parts.h"

#include <inttypes.h>

struct remedy {
	const char *id;
	judge_remedy *judge;
	bool kernels; /* is about the kernels: they are not left alone then */
};

/* Of two that save the same, the first. */
static const struct remedy remedies[] = {
	{"pad", remedy_alignment, true},
	{"channels-last", remedy_layout, true},
	{"attention", remedy_attention, true},
	{"precision", remedy_precision, true},
	{"half", remedy_half, true},
	{"rewrites", remedy_rewrites, true},
	{"sync", remedy_sync, false},
	{"pinned", remedy_pinned, false},
	{"small-copies", remedy_small_copies, false},
	{"batch", remedy_batch, false},
	{"graphs", remedy_graphs, false},
	{"elsewhere", remedy_elsewhere, false},
	{"first-calls", remedy_first_calls, false},
	{"tuning", remedy_tuning, false},
	{"allocator", remedy_allocator, false},
	{"input", remedy_input, false},
	{"buckets", remedy_buckets, false},
	{"overlap-communication", remedy_overlap_communication, false},
	{"overlap-copies", remedy_overlap_copies, false},
	{"optimizer", remedy_optimizer, false},
	{"fusion", remedy_fusion, true},
};
enum { REMEDIES = sizeof remedies / sizeof *remedies };

static const struct remedy left[] = {
	{"products", leave_products, false},
	{"kernels", leave_kernels, true},
	{"flash", leave_flash, false},
	{"hidden", leave_hidden, false},
};
enum { LEFT = sizeof left / sizeof *left };

int remedy_count(void)
{
	return REMEDIES;
}

const char *remedy_id(int i)
{
	return remedies[i].id;
}

int leave_count(void)
{
	return LEFT;
}

const char *leave_id(int i)
{
	return left[i].id;
}

/* ---- ranking ---- */

/* Behind all that give back as much or more, so that of equals the first of the table stays first.
 */
static void rank(struct action *x, int n, const struct action *one)
{
	int at = n;
	for (; at && x[at - 1].gain_ns < one->gain_ns; at--)
		x[at] = x[at - 1];
	x[at] = *one;
}

struct found {
	struct action *x; /* (n) */
	int n;
	bool kernels; /* one of them is about the kernels */
};

/* Nothing gives back more than there is. */
static struct found judge_all(
	const struct sight *s, const struct remedy *r, int n, bool not_kernels)
{
	struct found f = {.x = arena_array(s->arena, (size_t)n, sizeof *f.x)};
	for (int i = 0; i < n; i++) {
		struct action one = {.id = r[i].id, .variant = ""};
		if ((not_kernels && r[i].kernels) || !r[i].judge(s, &one) || one.gain_ns <= 0)
			continue;
		one.gain_ns = one.gain_ns < sight_ns(s) ? one.gain_ns : sight_ns(s);
		f.kernels |= r[i].kernels;
		rank(f.x, f.n++, &one);
	}
	return f;
}

struct advice advice_of(struct arena *arena, const struct analysis *a, const struct ledger *l,
	const struct partition *p)
{
	struct advice x = {.trace = a->trace, .steps = p->n_steps > 0, .host = 1};
	struct sight s = {.arena = arena};
	if (p->lack == LACK_DEVICE || p->headline == HEADLINE_NONE)
		return x;
	sight_of(&s, a, l, p);
	x.window_ns = sight_ns(&s);
	x.torch = s.torch;
	x.captures = s.captures > 0;
	x.recording_ns = s.recording_ns;
	x.host = s.host;
	struct found to_do = judge_all(&s, remedies, REMEDIES, false);
	struct found to_leave = judge_all(&s, left, LEFT, to_do.kernels);
	x.action = to_do.x;
	x.n = to_do.n;
	x.leave = to_leave.x;
	x.n_leave = to_leave.n;
	return x;
}

/* ---- as text ---- */

static void dump_action(const struct action *x, const char *what, FILE *f)
{
	fprintf(f, "  %s %s%s%s %" PRId64, what, x->id, x->variant[0] ? " " : "", x->variant,
		x->gain_ns);
	for (int i = 0; i < x->n_values; i++) {
		const struct advice_value *v = &x->value[i];
		fprintf(f, " %s ", v->name);
		if (v->unit == UNIT_TEXT)
			json_escape(f, v->text);
		else
			fprintf(f, "%.6g", v->number);
	}
	fprintf(f, " events");
	for (int i = 0; i < x->n_evidence; i++)
		fprintf(f, " %" PRIu32, x->evidence[i]);
	fprintf(f, " of %zu\n", x->n_events);
}

void advice_dump(const struct advice *x, FILE *f)
{
	fprintf(f, "advice: %d to do, %d to leave alone\n", x->n, x->n_leave);
	if (x->host < 1)
		fprintf(f, "  recorder %.6g of the time, %" PRId64 " an operator\n", 1 - x->host,
			x->recording_ns);
	for (int i = 0; i < x->n; i++)
		dump_action(&x->action[i], "do", f);
	for (int i = 0; i < x->n_leave; i++)
		dump_action(&x->leave[i], "leave", f);
}

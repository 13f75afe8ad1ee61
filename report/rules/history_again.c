/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/history_again.h"

#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <string.h>

/* LEAST_TIMES: as large as what is written into it; GAP: operators that take less. */
enum { LEAST_TIMES = 16, LEAST_ELEMENTS = 65536, LEAST_OPERATORS = 3, MOST_RANK = 2, GAP = 6 };

/* The elements of the buffer that a part is written into; 0: no part is, or a large one. */
static int64_t written_into(const struct facts *s, uint32_t row, int64_t *part)
{
	bool view = is_on(s, row, NAMES_PARTS) && is_view_of_part(s, row);
	const struct inputs *x = view ? inputs_of(s->a, row) : NULL;
	if (!x || x->in[0].rank > MOST_RANK || !is_named(s, next_operator(s, row), "aten::copy_"))
		return 0;
	int64_t whole = elements_of(x, 0);
	*part = elements_shown(s, row);
	return *part > 0 && whole >= LEAST_ELEMENTS && whole / *part >= LEAST_TIMES ? whole : 0;
}

/* All of a buffer, or all but a few of its ends. */
static bool takes_whole(const struct facts *s, uint32_t row, int64_t whole)
{
	enum { OPERANDS = 3 };
	const struct inputs *x = inputs_of(s->a, row);
	for (int i = 0; x && i < x->n && i < OPERANDS; i++) {
		int64_t n = elements_of(x, i);
		if (n <= whole && n >= whole - whole / LEAST_TIMES)
			return true;
	}
	return false;
}

/* A product, attention, or a gradient takes as much; or a product comes behind `from`. */
static bool is_needed(const struct facts *s, int64_t whole, uint32_t from)
{
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		if (s->t->kind[i] != EVENT_OP)
			continue;
		bool learns = is_node_of_autograd(s, i) || strstr(row_name(s, i), "Backward");
		bool product = multiplies(s, i) || strstr(row_name(s, i), "attention");
		if ((product && i > from) || ((learns || product) && takes_whole(s, i, whole)))
			return true;
	}
	return false;
}

struct history {
	size_t n;
	uint32_t first, last, longest;
	int64_t device_ns;
};

static int64_t device_ns_of(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	int64_t ns = 0;
	for (uint32_t i = op; i < t->n && t->start_ns[i] < row_end(t, op); i++)
		if (t->track[i] == t->track[op] && event_is_call(t->kind[i]) &&
			t->launch[i] != NO_ROW)
			ns += t->dur_ns[t->launch[i]];
	return ns;
}

/* The operators behind a write that take the whole, up to where more than a few do not. */
static struct history history_behind(const struct facts *s, uint32_t write, int64_t whole)
{
	struct history h = {.first = NO_ROW};
	int64_t longest = -1;
	uint32_t at = write;
	for (int gap = 0; gap < GAP && (at = next_operator(s, at)) != NO_ROW && at < s->work_to;
		gap++) {
		if (!takes_whole(s, at, whole) || !launches_inside(s, at, 0, true))
			continue;
		int64_t ns = device_ns_of(s, at);
		h.first = h.first == NO_ROW ? at : h.first;
		h.longest = ns > longest ? at : h.longest;
		longest = ns > longest ? ns : longest;
		h.last = at;
		h.device_ns += ns;
		h.n++;
		gap = -1;
	}
	return h;
}

bool tell_history(const struct facts *s, struct finding *f)
{
	int64_t part = 0, whole = 0;
	uint32_t write = NO_ROW;
	if (!s->shapes || s->track == NO_ROW || !s->p->n_steps)
		return false;
	for (size_t i = 0; i < s->outer.n; i++) {
		int64_t one = 0, of = written_into(s, s->outer.row[i], &one);
		if (!of)
			continue;
		whole = of;
		part = one;
		write = next_operator(s, s->outer.row[i]);
	}
	struct history h = {0};
	if (write != NO_ROW)
		h = history_behind(s, write, whole);
	if (h.n < LEAST_OPERATORS || is_needed(s, whole, h.first))
		return false;
	f->variant = "history";
	prove(f, h.longest);
	plan_gone(f->plan, s->t->track[h.first], s->t->start_ns[h.first], row_end(s->t, h.last));
	tell_name(f, "name", s->t, h.longest);
	TELL(f, {"n", (double)h.n}, {"time", (double)h.device_ns},
		{"share", share_of_window(s, h.device_ns)}, {"host", 0}, {"launches", 0},
		{"times", (double)(whole / part)});
	return true;
}

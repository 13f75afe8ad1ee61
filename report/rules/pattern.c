/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/pattern.h"

#include "report/analyse/forward.h"
#include "report/replay/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A level deeper than programs nest: what lies deeper is not looked at. */
enum { DEEP = 128 };

struct matches {
	bool known;
	int n_rules;
	const struct rule *rule[PATTERNS];
	struct pattern_sum sum[PATTERNS];
	size_t so_far[PATTERNS];
	uint64_t *op, *parent, *under, *not_under; /* (names) a bit for each pattern (malloc) */
	uint64_t has_parent, has_under, has_around; /* around: either of `under` and `not_under` */
	struct match *match; /* (n) by row (malloc) */
	int32_t n, room;
	uint32_t behind; /* rows looked at: those in the window, and those that launched what is */
	int32_t *inner; /* (behind) 1 + the innermost match around a row or at it (malloc) */
	uint32_t *forward; /* (trace.n) forward_of(), once it was asked for (malloc) */
	bool has_forward;
};

/* ---- names ---- */

/* Texts with a star, by the letter with which a name must begin ('*': any). */
struct starred {
	const char *text;
	size_t length; /* without the star */
	uint64_t bit, *of; /* what a name that fits has, and where */
	int next; /* of the same letter, NO_MATCH */
};

enum { STARRED = 64, LETTERS = 256 };

struct marking {
	const struct names *names;
	struct starred starred[STARRED];
	int n, first[LETTERS];
};

static void add_starred(struct marking *x, const char *text, uint64_t bit, uint64_t *of)
{
	int *first = &x->first[(unsigned char)*text];
	if (x->n == STARRED)
		bug("more than %d names with a star", STARRED);
	x->starred[x->n] = (struct starred){text, strlen(text) - 1, bit, of, *first};
	*first = x->n++;
}

/* A list ends where its texts do. True: it has a star, or a name that is there. */
static bool mark_names(
	struct marking *x, const char *const *list, int most, uint64_t bit, uint64_t *of)
{
	bool some = false;
	for (int i = 0; i < most && list[i]; i++) {
		bool star = *list[i] == '*' || list[i][strlen(list[i]) - 1] == '*';
		name_id id = star ? 0 : names_find(x->names, list[i]);
		if (star)
			add_starred(x, list[i], bit, of);
		else if (id)
			of[id] |= bit;
		some = some || star || id;
	}
	return some;
}

static void mark_starred(const struct marking *x)
{
	for (name_id id = 1; id < x->names->n; id++) {
		const char *text = names_text(x->names, id);
		for (int i = x->first[(unsigned char)*text]; i != NO_MATCH; i = x->starred[i].next)
			if (!strncmp(text, x->starred[i].text, x->starred[i].length))
				x->starred[i].of[id] |= x->starred[i].bit;
		int i = x->first['*'];
		for (size_t n = i == NO_MATCH ? 0 : strlen(text); i != NO_MATCH;
			i = x->starred[i].next) {
			const struct starred *s = &x->starred[i];
			if (n >= s->length && !strcmp(text + n - s->length, s->text + 1))
				s->of[id] |= s->bit;
		}
	}
}

/* What the trace cannot have is not looked for: no row gets its bit. */
static void mark_pattern(
	const struct facts *s, struct matches *m, struct marking *x, const struct pattern *p)
{
	uint64_t bit = (uint64_t)1 << m->n_rules;
	if (p->may && !p->may(s))
		return;
	if ((p->parent[0] && !mark_names(x, p->parent, 4, bit, m->parent)) ||
		(p->under[0] && !mark_names(x, p->under, 4, bit, m->under)))
		return;
	mark_names(x, p->op, PATTERN_NAMES, bit, m->op);
	mark_names(x, p->not_under, 4, bit, m->not_under);
	m->has_parent |= p->parent[0] ? bit : 0;
	m->has_under |= p->under[0] ? bit : 0;
	m->has_around |= p->under[0] || p->not_under[0] ? bit : 0;
}

static void mark_all(const struct facts *s, struct matches *m)
{
	const struct names *names = &s->t->names;
	struct marking x = {.names = names};
	uint64_t *of = xcalloc(4 * (size_t)names->n, sizeof *of);
	m->op = of;
	m->parent = of + names->n;
	m->under = of + 2 * (size_t)names->n;
	m->not_under = of + 3 * (size_t)names->n;
	for (int i = 0; i < LETTERS; i++)
		x.first[i] = NO_MATCH;
	for (int i = rule_findings(), n = rule_count(); i < n; i++) {
		const struct rule *rule = rule_at(i);
		if (!rule->pattern)
			continue;
		if (m->n_rules == PATTERNS)
			bug("more than %d patterns", PATTERNS);
		mark_pattern(s, m, &x, rule->pattern);
		m->rule[m->n_rules++] = rule;
	}
	mark_starred(&x);
}

/* ---- rows ---- */

static int32_t match_around(const struct matches *m, uint32_t row)
{
	return row >= m->behind || !m->inner ? NO_MATCH : m->inner[row] - 1;
}

static uint64_t patterns_around(const struct matches *m, int32_t match)
{
	uint64_t of = 0;
	for (; match != NO_MATCH; match = m->match[match].outer)
		of |= m->match[match].of;
	return of;
}

/* Of the patterns that a row's name fits, those that what is around it fits. */
static uint64_t around_fits(
	const struct facts *s, const struct matches *m, uint32_t row, uint64_t of)
{
	uint32_t up = s->t->parent[row];
	uint64_t under = 0, not_under = 0;
	if (of & m->has_parent)
		of &= ~m->has_parent | (up == NO_ROW ? 0 : m->parent[s->t->name[up]]);
	for (int i = 0; of & m->has_around && i < DEEP && up != NO_ROW;
		i++, up = s->t->parent[up]) {
		under |= m->under[s->t->name[up]];
		not_under |= m->not_under[s->t->name[up]];
	}
	return of & (~m->has_under | under) & ~not_under;
}

static uint64_t rows_fit(const struct facts *s, const struct matches *m, uint32_t row, uint64_t of)
{
	for (uint64_t left = of; left; left &= left - 1) {
		int i = __builtin_ctzll(left);
		const struct pattern *p = m->rule[i]->pattern;
		if (p->is && !p->is(s, m, row))
			of &= ~((uint64_t)1 << i);
	}
	return of;
}

static void add_match(struct matches *m, struct match one)
{
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->match = xrealloc(m->match, (size_t)m->room, sizeof *m->match);
	}
	if (!m->inner)
		m->inner = xcalloc(m->behind, sizeof *m->inner);
	for (uint64_t left = one.of; left; left &= left - 1)
		m->so_far[__builtin_ctzll(left)]++;
	m->match[m->n++] = one;
}

static void find_matches(const struct facts *s, struct matches *m)
{
	const struct trace *t = s->t;
	for (uint32_t i = 0; i < m->behind; i++) {
		uint64_t of = m->op[t->name[i]];
		if ((!of && !m->n) || !event_on_host(t->kind[i]))
			continue;
		int32_t outer = m->n ? match_around(m, t->parent[i]) : NO_MATCH;
		if (of)
			of = around_fits(s, m, i, of & ~patterns_around(m, outer));
		if (of)
			of = rows_fit(s, m, i, of);
		if (of)
			add_match(m, (struct match){.row = i, .outer = outer, .of = of});
		if (m->inner)
			m->inner[i] = of ? m->n : outer + 1;
	}
}

static uint32_t launched_by(const struct analysis *a, size_t event)
{
	return a->device_calls[event] != NO_ROW ? a->device_calls[event] : a->device_ops[event];
}

/* What each match launched, in the window and outside it. */
static void add_events(const struct facts *s, struct matches *m)
{
	size_t seen = 0;
	for (uint32_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		bool here = seen < s->n && s->event[seen].row == row;
		bool product = class_of(s, row) == CLASS_GEMM;
		int64_t exposed = here ? s->event[seen++].exposed_ns : 0;
		int32_t at = match_around(m, launched_by(s->a, i));
		for (; at != NO_MATCH; at = m->match[at].outer) {
			struct match *one = &m->match[at];
			one->ns += exposed;
			one->events += here;
			one->device_ns += s->t->dur_ns[row];
			one->products_ns += product ? s->t->dur_ns[row] : 0;
			one->launched++;
		}
	}
}

/* In the window is what launched something there, or begins there and launched nothing. */
static bool is_here(const struct facts *s, const struct match *m)
{
	return m->launched ? m->events > 0 : m->row >= s->work_from && m->row < s->work_to;
}

/* Of each pattern the match that takes the device longest is the one to name. */
static void sum_up(const struct facts *s, struct matches *m)
{
	int64_t most[PATTERNS] = {0};
	for (int32_t i = 0; i < m->n; i++) {
		const struct match *one = &m->match[i];
		for (uint64_t left = one->of; left && is_here(s, one); left &= left - 1) {
			int p = __builtin_ctzll(left);
			int64_t ns = 1000 * one->ns + s->t->dur_ns[one->row];
			m->sum[p].n++;
			m->sum[p].host_ns += s->t->dur_ns[one->row];
			m->sum[p].device_ns += one->ns;
			m->sum[p].events += one->events;
			if (ns > most[p]) {
				most[p] = ns;
				m->sum[p].longest = one->row;
			}
		}
	}
}

static const struct matches *matches_of(const struct facts *s)
{
	struct matches *m = s->matches;
	if (m->known)
		return m;
	m->known = true;
	m->behind = s->to;
	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].call != NO_ROW && s->event[i].call >= m->behind)
			m->behind = s->event[i].call + 1;
	mark_all(s, m);
	find_matches(s, m);
	if (m->n)
		add_events(s, m);
	sum_up(s, m);
	return m;
}

void matches_free(struct matches *m)
{
	free(m->op);
	free(m->match);
	free(m->inner);
	free(m->forward);
}

struct matches *matches_begin(struct arena *a)
{
	return arena_alloc(a, sizeof(struct matches));
}

/* ---- answers ---- */

static int index_of(const struct matches *m, const struct rule *rule)
{
	for (int i = 0; i < m->n_rules; i++)
		if (m->rule[i] == rule)
			return i;
	bug("there is no pattern %s", rule->id);
}

size_t matched_so_far(const struct matches *m, const char *id)
{
	for (int i = 0; i < m->n_rules; i++)
		if (!strcmp(m->rule[i]->id, id))
			return m->so_far[i];
	bug("there is no pattern %s", id);
}

enum finding_state pattern_seen(const struct facts *s, struct finding *f)
{
	const struct matches *m = matches_of(s);
	int p = index_of(m, f->rule);
	const struct pattern_sum *sum = &m->sum[p];
	/* What else goes is no part of the sum: what all saves is asked later. */
	double least = f->rule->pattern->more ? 0 : limit(f, "least") * (double)advised_ns(s);
	if (!sum->n || (double)sum->n < limit(f, "calls") ||
		(double)(sum->host_ns + sum->device_ns) < least)
		return FINDING_NOT_FIRED;
	f->variant = "";
	if (f->rule->pattern->holds && !f->rule->pattern->holds(s, sum, f))
		return FINDING_NOT_FIRED;
	for (int32_t i = 0; i < m->n; i++)
		if (m->match[i].of >> p & 1 && is_here(s, &m->match[i]))
			prove(f, m->match[i].row);
	tell_name(f, "name", s->t, sum->longest);
	TELL(f, {"n", (double)sum->n}, {"time", (double)sum->device_ns},
		{"share", share_of_window(s, sum->device_ns)}, {"host", (double)sum->host_ns},
		{"launches", (double)sum->events});
	return FINDING_FIRED;
}

/* ---- what it saves ---- */

/* Of the k-th match, of n in a window. */
static bool stays(const struct pattern *p, size_t k, size_t n, double keeps)
{
	if (p->change == CHANGE_ONE)
		return k % n == 0;
	return (double)(k % n) < keeps * (double)n || (p->change == CHANGE_HALF && k % 2 == 0);
}

/* What of a match's device time goes, by match; less than 0 where it is none of the pattern's, or
 * one of those that stay: as many as there are windows. */
static double *shares_of(const struct facts *s, const struct matches *m, int p)
{
	const struct pattern *of = m->rule[p]->pattern;
	double *goes = arena_array(s->scratch, (size_t)m->n, sizeof *goes);
	double keeps = of->keeps ? of->keeps(s) : 0;
	size_t k = 0;
	for (int32_t i = 0; i < m->n; i++) {
		goes[i] = -1;
		if (!(m->match[i].of >> p & 1) || stays(of, k++, m->sum[p].n, keeps))
			continue;
		goes[i] = of->change == CHANGE_LAUNCHES ? 0
			: of->goes			? of->goes(s, &m->match[i])
							: 1;
	}
	return goes;
}

static double share_at(const struct matches *m, const double *goes, int32_t at)
{
	for (; at != NO_MATCH; at = m->match[at].outer)
		if (goes[at] >= 0)
			return goes[at];
	return -1;
}

static bool spares_host(const struct pattern *p, double goes)
{
	return p->change == CHANGE_LAUNCHES || goes >= 1;
}

/* Without a device: the time of the rows. */
static double hosts_time_ns(const struct facts *s, const struct matches *m, const double *goes)
{
	double ns = 0;
	for (int32_t i = 0; i < m->n; i++)
		if (goes[i] > 0 && is_here(s, &m->match[i]))
			ns += goes[i] * (double)s->t->dur_ns[m->match[i].row];
	return ns;
}

/* Where autograd's nodes go with the rows that made them; NULL: none do. */
static const uint32_t *forward_rows(const struct facts *s, const struct pattern *p)
{
	struct matches *m = s->matches;
	if (!p->backward || !s->backward)
		return NULL;
	if (!m->has_forward)
		m->forward = forward_of(s->t);
	m->has_forward = true;
	return m->forward;
}

/* Of what a row of the host launches, or waits for. */
static double share_of_row(
	const struct matches *m, const double *goes, const uint32_t *forward, uint32_t row)
{
	double share = share_at(m, goes, match_around(m, row));
	return share < 0 && forward && row != NO_ROW && forward[row] != NO_ROW
		? share_at(m, goes, match_around(m, forward[row]))
		: share;
}

static void plan_nodes(const struct facts *s, const struct pattern *p, const double *goes,
	const uint32_t *forward, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		uint32_t up = t->parent[i];
		if (forward[i] == NO_ROW || (up != NO_ROW && forward[up] != NO_ROW))
			continue;
		double share = share_at(s->matches, goes, match_around(s->matches, forward[i]));
		if (share >= 0 && spares_host(p, share))
			plan_spare(plan, comes_to(s, i), row_end(t, i));
	}
}

static void plan_of(const struct facts *s, const struct matches *m, const struct pattern *p,
	const double *goes, struct replay_plan *plan)
{
	const uint32_t *forward = forward_rows(s, p);
	for (int32_t i = 0; i < m->n; i++) {
		uint32_t row = m->match[i].row;
		if (goes[i] < 0 || !spares_host(p, goes[i]))
			continue;
		plan_spare(plan, comes_to(s, row), row_end(s->t, row));
		if (event_is_call(s->t->kind[row]))
			plan_wait(plan, row);
	}
	if (forward)
		plan_nodes(s, p, goes, forward, plan);
	for (uint32_t i = 0; i < s->a->n_device; i++) {
		double share = share_of_row(m, goes, forward, launched_by(s->a, i));
		if (share > 0)
			plan_sends(plan, s->a->device_rows[i], 1 - share);
	}
	for (size_t i = 0; i < s->l->n_waits; i++) {
		double share = share_of_row(m, goes, forward, s->l->waits[i]);
		if (share >= 0 && spares_host(p, share))
			plan_wait(plan, s->l->waits[i]);
	}
}

struct gain pattern_saves(const struct facts *s, const struct finding *f)
{
	const struct matches *m = matches_of(s);
	int p = index_of(m, f->rule);
	if (s->cpu)
		return (struct gain){.ns = hosts_time_ns(s, m, shares_of(s, m, p))};
	if (!f->plan)
		return (struct gain){0};
	plan_of(s, m, f->rule->pattern, shares_of(s, m, p), f->plan);
	if (f->rule->pattern->more)
		f->rule->pattern->more(s, f->plan);
	return (struct gain){0};
}

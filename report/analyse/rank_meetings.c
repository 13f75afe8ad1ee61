/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/rank_meetings.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/collective_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank in one meeting. */
struct visit {
	uint32_t kind, turn; /* of the collective; how many of that kind were before in the step */
	int64_t step;
	int64_t dur_ns;
	uint32_t row; /* index into ranks.row */
};

ORDER(by_meeting, struct visit, UP(kind) ?: UP(step) ?: UP(turn) ?: UP(dur_ns) ?: UP(row));

struct visits {
	struct visit *list;
	size_t n, room;
	struct names kinds; /* name, group and size, apart by a tab */
	uint32_t *turn; /* (turns) by kind, in the step that is being read */
	uint32_t turns;
};

/* NCCL's kernel SendRecv is an all-to-all's as well: only what args say of it decides. */
static bool is_sent(const char *message)
{
	return !strncmp(message, "send", 4) || !strncmp(message, "recv", 4);
}

/* What args say of the collective that a kernel is, "" nothing. */
static const char *message_text(const struct trace *t, uint32_t row)
{
	uint32_t op = communicating_op(t, t->launch[row]);
	name_id text = op != NO_ROW && t->side[op] != NO_ROW ? t->inputs[t->side[op]].extra : 0;
	return text ? names_text(&t->names, text) : "";
}

/* "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" without what stands in brackets. */
static size_t bare_length(const char *kernel)
{
	return strcspn(kernel, "(<");
}

static name_id kind_of(struct visits *v, const struct trace *t, uint32_t row)
{
	char key[512], name[65] = "", type[65] = "", group[65] = "";
	long long size = -1;
	const char *kernel = trace_row_name(t, row), *text = message_text(t, row);
	if (is_sent(text) || (!*text && strstr(kernel, "SendRecv")))
		return 0;
	if (sscanf(text, "%64s %64s %*d %*d %lld %64[^\n]", name, type, &size, group) >= 3)
		snprintf(key, sizeof key, "%s %s\t%s\t%lld", name, type, group, size);
	else
		snprintf(key, sizeof key, "%.*s\t\t%lld", (int)bare_length(kernel), kernel, size);
	return names_add_text(&v->kinds, key);
}

static uint32_t *turn_of(struct visits *v, uint32_t kind)
{
	if (kind >= v->turns) {
		uint32_t room = 2 * kind + 16;
		v->turn = xrealloc(v->turn, room, sizeof *v->turn);
		memset(v->turn + v->turns, 0, (room - v->turns) * sizeof *v->turn);
		v->turns = room;
	}
	return &v->turn[kind];
}

static void add_step(struct visits *v, const struct analysis *a, const struct step *s, uint32_t row)
{
	if (v->turns)
		memset(v->turn, 0, v->turns * sizeof *v->turn);
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t event = s->device[i];
		uint32_t kind =
			a->class[event] == CLASS_COMMUNICATION ? kind_of(v, a->trace, event) : 0;
		if (!kind)
			continue;
		if (v->n == v->room) {
			v->room = v->room ? 2 * v->room : 256;
			v->list = xrealloc(v->list, v->room, sizeof *v->list);
		}
		v->list[v->n++] = (struct visit){
			kind, (*turn_of(v, kind))++, s->number, a->trace->dur_ns[event], row};
	}
}

/* ---- meetings of one kind ---- */

struct tally {
	uint32_t *last; /* (ranks) times that a rank came last */
	int64_t *margin; /* of the meetings that were clear, with who was last */
	uint32_t *who;
	uint32_t n;
};

static uint32_t members_of(const struct visits *v, size_t from, size_t to, uint8_t *seen)
{
	uint32_t n = 0;
	for (size_t i = from; i < to; i++) {
		n += !seen[v->list[i].row];
		seen[v->list[i].row] = 1;
	}
	for (size_t i = from; i < to; i++)
		seen[v->list[i].row] = 0;
	return n;
}

/* One meeting: visits of it, the shortest first. */
static void add_meeting(struct meeting *m, struct tally *t, const struct visit *v, size_t n)
{
	if (n < 2 || n < m->members) /* of a step that not all have */
		return;
	size_t middle = 1 + (n - 1) / 2; /* of those behind the first */
	int64_t others =
		(n - 1) % 2 ? v[middle].dur_ns : v[middle - 1].dur_ns / 2 + v[middle].dur_ns / 2;
	int64_t margin = others - v[0].dur_ns;
	m->n++;
	if ((double)margin < MEETING_NOISE * (double)others || margin <= 0)
		return;
	m->clear++;
	m->wait_ns += margin;
	t->margin[t->n] = margin;
	t->who[t->n++] = v[0].row;
	t->last[v[0].row]++;
}

static void find_last(struct meeting *m, struct tally *t)
{
	m->row = NO_ROW;
	for (uint32_t i = 0; i < t->n; i++)
		if (m->row == NO_ROW || t->last[t->who[i]] > t->last[m->row])
			m->row = t->who[i];
	if (m->row == NO_ROW)
		return;
	m->last = t->last[m->row];
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->who[i] == m->row)
			t->margin[n++] = t->margin[i];
	m->margin_ns = (int64_t)stats_of(t->margin, n).median;
	for (uint32_t i = 0; i < t->n; i++)
		t->last[t->who[i]] = 0;
}

/* Name, group and size of a kind. False: its group is not known. */
static bool describe(struct arena *a, struct meeting *m, const char *key, uint32_t ranks)
{
	const char *group = strchr(key, '\t'), *size = strrchr(key, '\t');
	m->name = arena_strndup(a, key, (size_t)(group - key));
	m->group = arena_strndup(a, group + 1, (size_t)(size - group - 1));
	long long told = strtoll(size + 1, NULL, 10);
	return *m->group || told < 0 || told >= ranks || m->members == told;
}

ORDER(by_wait, struct meeting, DOWN(wait_ns) ?: DOWN(n));

static void add_kind(struct arena *a, struct meetings *result, struct visits *v, struct tally *t,
	size_t from, size_t to, uint32_t ranks, uint8_t *seen)
{
	struct meeting m = {.members = members_of(v, from, to, seen)};
	t->n = 0;
	if (!describe(a, &m, names_text(&v->kinds, v->list[from].kind), ranks)) {
		result->unnamed++;
		return;
	}
	for (size_t i = from, k; i < to; i = k) {
		for (k = i + 1; k < to && v->list[k].step == v->list[i].step &&
			v->list[k].turn == v->list[i].turn;)
			k++;
		add_meeting(&m, t, &v->list[i], k - i);
	}
	find_last(&m, t);
	if (m.n)
		result->list[result->n++] = m;
}

struct meetings meetings_of(
	struct arena *arena, const struct ranks *r, const struct rank_part *part)
{
	struct visits v = {0};
	struct meetings result = {0};
	names_init(&v.kinds);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct analysis *a = part[r->row[i].part].analysis;
		for (uint32_t k = 0; k < a->n_steps; k++)
			add_step(&v, a, &a->steps[k], i);
	}
	if (v.n)
		qsort(v.list, v.n, sizeof *v.list, by_meeting);
	struct tally t = {xcalloc(r->n + 1, sizeof *t.last), xcalloc(v.n + 1, sizeof *t.margin),
		xcalloc(v.n + 1, sizeof *t.who), 0};
	uint8_t *seen = xcalloc(r->n + 1, 1);
	result.list = arena_array(arena, v.kinds.n + 1, sizeof *result.list);
	for (size_t i = 0, k; i < v.n; i = k) {
		for (k = i + 1; k < v.n && v.list[k].kind == v.list[i].kind;)
			k++;
		add_kind(arena, &result, &v, &t, i, k, r->n, seen);
	}
	qsort(result.list, result.n, sizeof *result.list, by_wait);
	free(seen);
	free(t.last);
	free(t.margin);
	free(t.who);
	free(v.list);
	free(v.turn);
	names_release(&v.kinds);
	return result;
}

/* ---- bubbles ---- */

int64_t pipeline_bubble_ns(const struct analysis *a)
{
	const struct trace *t = a->trace;
	int64_t busy_to = INT64_MIN, bubble = 0, from = 0, to = INT64_MIN;
	bool any = false;
	/* Rows stand by their starts: a wait that is open ends where something computes. */
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		int64_t start = t->start_ns[row], end = row_end(t, row);
		bool waits = a->class[row] == CLASS_COMMUNICATION && is_sent(message_text(t, row));
		if (start < a->window.start_ns || start >= a->window.end_ns)
			continue;
		any |= waits;
		int64_t until = min64(to, start);
		if (until > from)
			bubble += until - from;
		from = max64(from, until);
		if (waits) {
			from = max64(max64(start, busy_to), to > start ? from : start);
			to = max64(to, end);
		} else if (a->class[row] != CLASS_COMMUNICATION) {
			busy_to = max64(busy_to, end);
			from = max64(from, busy_to);
		}
	}
	if (to > from)
		bubble += to - from;
	return any ? bubble : -1;
}

/* ---- nodes ---- */

static size_t digits_before(const char *text, size_t end)
{
	size_t n = end;
	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	return n;
}

/* Up to the last "_PID" before ".TIME.pt.trace.json"; 0: that is not how it is called. */
static size_t by_handler(const char *name)
{
	const char *end = strstr(name, ".pt.trace.json");
	size_t n = end ? (size_t)(end - name) : 0, at = digits_before(name, n);
	if (!n || at == n || !at || name[at - 1] != '.')
		return 0;
	n = at - 1;
	at = digits_before(name, n);
	return at < n && at && name[at - 1] == '_' ? at - 1 : 0;
}

/* Up to "rank" and its number, with what joins them. */
static size_t by_rank_behind(const char *name)
{
	for (const char *p = name; (p = strstr(p, "rank")); p++) {
		const char *digit = p + strlen("rank");
		size_t n = (size_t)(p - name);
		digit += *digit == '_' || *digit == '-';
		if (*digit < '0' || *digit > '9')
			continue;
		while (n && strchr("_-.", name[n - 1]))
			n--;
		return n;
	}
	return 0;
}

const char *node_of(struct arena *arena, const struct trace *t)
{
	static const char *const keys[] = {"hostname", "host_name", "host"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (trace_meta(t, keys[i]) && *trace_meta(t, keys[i]))
			return trace_meta(t, keys[i]);
	const char *slash = t->path ? strrchr(t->path, '/') : NULL;
	const char *name = slash ? slash + 1 : t->path ? t->path : "";
	size_t n = by_handler(name);
	if (!n)
		n = by_rank_behind(name);
	return n ? arena_strndup(arena, name, n) : NULL;
}

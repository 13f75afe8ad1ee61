/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for what moves data: copies and communication; and what is already good. */
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/collective_bytes.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <string.h>

static int64_t copied_bytes(const struct facts *s, uint32_t row)
{
	uint32_t side = s->t->side[row];
	return side == NO_ROW || s->t->copies[side].bytes < 0 ? 0 : s->t->copies[side].bytes;
}

/* ---- copies ---- */

/* How long the host waits behind the call of a copy, in the same operator. */
static int64_t waits_of_copy(
	const struct facts *s, const struct seen_event *e, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	int64_t end = e->op == NO_ROW ? 0 : row_end(t, e->op), sum = 0;
	for (uint32_t i = e->call; i < t->n && (i == e->call || t->start_ns[i] < end); i++) {
		bool waits = t->track[i] == t->track[e->call] && idle_causes_is_wait(s->a, i);
		if (waits && plan)
			plan_wait(plan, i);
		sum += waits && i != e->call ? t->dur_ns[i] : 0;
	}
	return sum;
}

/* A pinned copy runs beside the computing, at what the link takes, and nobody stands there for it.
 */
static void plan_pinned(const struct facts *s, struct finding *f, const struct seen_event *e)
{
	const struct trace *t = s->t;
	double link = s->chip
		? (double)copied_bytes(s, e->row) / (MEMORY_REACHED * s->chip->link) * 1e9
		: 0;
	int64_t took = t->dur_ns[e->row];
	plan_beside(f->plan, e->row);
	if (took > 0 && link > 0 && link < (double)took)
		plan_takes(f->plan, e->row, link / (double)took);
	if (e->call == NO_ROW)
		return;
	plan_off_path(f->plan, t, e->call);
	waits_of_copy(s, e, f->plan);
}

static uint32_t outermost_op(const struct facts *s, uint32_t call)
{
	uint32_t row = call;
	for (uint32_t up = s->t->parent[call]; up != NO_ROW && s->t->kind[up] == EVENT_OP;
		up = s->t->parent[up])
		row = up;
	return row;
}

/* A batch of a loader's workers lies in memory that is shared with them, mapped for it alone:
 * behind its upload it is unmapped, page by page, and the host pauses. The loader's pinned memory
 * is kept; so a pause right behind such an upload goes, too, in all as long as the copies so far at
 * most, which touch each page once: *left_ns. */
static void plan_unmapped(
	const struct facts *s, struct finding *f, const struct seen_event *e, int64_t *left_ns)
{
	const struct elsewhere *all = &s->elsewhere;
	uint32_t op = e->call == NO_ROW ? NO_ROW : outermost_op(s, e->call);
	*left_ns += op == NO_ROW ? 0 : s->t->dur_ns[e->call];
	for (size_t i = 0; op != NO_ROW && i < all->n; i++) {
		const struct pause *x = &all->pause[i];
		if (x->before != op && x->before != e->call)
			continue;
		int64_t ns = min64(*left_ns, x->at.end_ns - x->at.start_ns);
		plan_spare(f->plan, x->at.start_ns, x->at.start_ns + ns);
		*left_ns -= ns;
	}
}

static bool is_pageable_copy(const struct seen_event *e)
{
	return e->part == TIME_COPIES && e->traits & TRAIT_PAGEABLE;
}

/* From memory that the driver must first copy into its own; or of few bytes, for which the host
 * waits until the device has come to them. */
static enum finding_state pinned(const struct facts *s, struct finding *f)
{
	enum { FEW = 8 }; /* small-copies tells more */
	int64_t ns = 0, bytes = 0, waits = 0;
	size_t n = 0, up = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (!is_pageable_copy(e))
			continue;
		n++;
		ns += e->exposed_ns;
		bytes += copied_bytes(s, e->row);
		up += strstr(row_name(s, e->row), "Pageable ->") ? 1 : 0;
		waits += e->call != NO_ROW && e->traits & TRAIT_TO_DEVICE
			? waits_of_copy(s, e, NULL)
			: 0;
		prove(f, e->row);
	}
	bool long_ones = (double)bytes >= limit(f, "bytes") && is_about(s, f, ns);
	if (!n || !(long_ones || (s->torch && n < FEW && 2 * up >= n && is_about(s, f, waits))))
		return FINDING_NOT_FIRED;
	int64_t left_ns = 0;
	bool mapped = s->elsewhere.n && loader_with_workers(s);
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (!is_pageable_copy(e))
			continue;
		plan_pinned(s, f, e);
		if (mapped && e->traits & TRAIT_TO_DEVICE)
			plan_unmapped(s, f, e, &left_ns);
	}
	static const char *const variants[][2] = {
		{"c-no-chip", "c"}, {"to-host-no-chip", "to-host"}, {"no-chip", ""}};
	f->variant = !long_ones ? "waits"
				: variants[!s->torch	       ? 0
						  : 2 * up < n ? 1
							       : 2][s->chip != NULL];
	TELL(f, {"n", (double)n}, {"bytes", (double)bytes}, {"time", (double)ns},
		{"share", share_of_window(s, ns)}, {"rate", (double)bytes / (double)ns * 1e9},
		{"link", s->chip ? (double)bytes / (MEMORY_REACHED * s->chip->link) * 1e9 : 0},
		{"waits", (double)waits});
	return FINDING_FIRED;
}

static bool is_small_upload(
	const struct facts *s, const struct finding *f, const struct seen_event *e)
{
	return e->part == TIME_COPIES && e->call != NO_ROW && e->traits & TRAIT_TO_DEVICE &&
		(double)copied_bytes(s, e->row) <= limit(f, "small");
}

/* Many small tensors to the device, each with a call, and where the memory is pageable a wait, of
 * its own. */
static enum finding_state small_copies(const struct facts *s, struct finding *f)
{
	int64_t cost = 0, bytes = 0, done = s->w->start_ns;
	size_t n = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		size_t i = s->move[k];
		const struct seen_event *e = &s->event[i];
		if (!is_small_upload(s, f, e))
			continue;
		uint32_t op = outermost_op(s, e->call);
		int64_t from = max64(s->t->start_ns[op], done);
		int64_t to = i + 1 < s->n ? s->t->start_ns[s->event[i + 1].row] : s->w->end_ns;
		if (n++) {
			plan_goes(f->plan, s->t, e->row);
			plan_spare(f->plan, prepared_from(s, op), s->t->start_ns[op]);
		}
		bytes += copied_bytes(s, e->row);
		prove(f, e->row);
		cost += e->exposed_ns + (to > from ? idle_in_window(s, from, to) : 0);
		done = max64(to, done);
	}
	TELL(f, {"n", (double)n}, {"bytes", (double)bytes}, {"time", (double)cost},
		{"share", share_of_window(s, cost)});
	return fired_if(n && (double)n >= limit(f, "copies"));
}

/* Computing beside which no copy or communication runs yet. */
static int64_t alone_ns(const struct facts *s, int64_t hidden_ns)
{
	return s->computing_ns > hidden_ns ? s->computing_ns - hidden_ns : 0;
}

/* Is what an upload brings converted to a smaller type behind it? */
static bool is_narrowed(const struct facts *s, const struct seen_event *e)
{
	enum { FAR = 400 };
	const struct trace *t = s->t;
	int64_t bytes = copied_bytes(s, e->row);
	for (uint32_t i = e->call, k = 0; e->traits & TRAIT_TO_DEVICE && i < t->n && k < FAR;
		i++, k++) {
		const struct inputs *x = is_named(s, i, "aten::copy_") ? inputs_of(s->a, i) : NULL;
		if (x && x->n >= 2 && x->in[0].bytes && x->in[0].bytes < x->in[1].bytes &&
			elements_of(x, 1) == elements_of(x, 0) &&
			elements_of(x, 1) * x->in[1].bytes == bytes)
			return true;
	}
	return false;
}

/* Of the time of copies: what computing must be able to hide for a remedy that is half done. */
static const double ALL = 1;

/* To and from the host's pinned memory, which could run beside the computing, and do not: those
 * beside which there is enough to compute, or the others. */
static enum finding_state exposed_copies(const struct facts *s, struct finding *f, bool beside)
{
	int64_t time = 0, ns = 0, bytes = 0, narrowed = 0;
	size_t n = 0;
	for (size_t m = 0; m < s->n_moves; m++) {
		const struct seen_event *e = &s->event[s->move[m]];
		if (e->part != TIME_COPIES || e->traits & TRAIT_PAGEABLE ||
			!(e->traits & (TRAIT_TO_DEVICE | TRAIT_TO_HOST)))
			continue;
		n++;
		ns += e->exposed_ns;
		time += clip_to_window(s, s->t->start_ns[e->row], row_end(s->t, e->row));
		bytes += copied_bytes(s, e->row);
		narrowed += !beside && e->call != NO_ROW && is_narrowed(s, e) ? e->exposed_ns : 0;
		prove(f, e->row);
		if (beside)
			plan_beside(f->plan, e->row);
		else
			plan_takes(f->plan, e->row, 0.5);
	}
	double alone = (double)alone_ns(s, time - ns);
	const double done = 0.25; /* where computing hides all but so much of them, that is done */
	TELL(f, {"n", (double)n}, {"bytes", (double)bytes}, {"time", (double)ns},
		{"share", share_of_window(s, ns)}, {"computing", (double)s->computing_ns},
		{"alone", alone});
	/* Where computing hides most of them already, they run beside it: a word only for the rest.
	 */
	double enough = beside && 2 * ns < time ? ALL : limit(f, "beside");
	bool room = alone >= enough * (double)ns, narrows = 2 * narrowed > ns;
	f->variant = narrows ? "narrowed" : "";
	if (beside && (double)ns < done * (double)time)
		return FINDING_NOT_FIRED;
	return fired_if(n && is_about(s, f, ns) && (narrows || room == beside));
}

static enum finding_state overlap_copies(const struct facts *s, struct finding *f)
{
	enum finding_state state = exposed_copies(s, f, true);
	f->variant = s->torch ? "" : "c";
	return state;
}

/* Of copies, worth a word that computing could hide them. */
static const double SOME = 0.05;

/* Where the computing is covered already, only fewer bytes help: half as many, as a smaller type
 * makes them. */
static enum finding_state smaller_copies(const struct facts *s, struct finding *f)
{
	enum finding_state state = exposed_copies(s, f, false);
	bool room = finding_number(f, "alone") >= SOME * finding_number(f, "time");
	f->variant = *f->variant ? f->variant : !s->computing_ns ? "only" : room ? "room" : "";
	return state;
}

/* ---- communication ---- */

/* Short, or of so few bytes that it is long only for the ranks that it waits for. */
static bool is_small_collective(
	const struct facts *s, const struct finding *f, const struct seen_event *e)
{
	return e->part == TIME_COMMUNICATION &&
		((double)s->t->dur_ns[e->row] <= limit(f, "short") ||
			message_of(s->a, communicating_op(s->t, e->call)).bytes <=
				limit(f, "bytes"));
}

/* The operator of torch.distributed around a collective's launch; else its kernel. */
static uint32_t collective_around(const struct facts *s, const struct seen_event *e)
{
	enum { DEEP = 8 };
	uint32_t row = e->call;
	for (int i = 0; i < DEEP && row != NO_ROW; i++, row = s->t->parent[row])
		if (s->t->kind[row] == EVENT_OP && !strncmp(row_name(s, row), "c10d::", 6))
			return row;
	return e->row;
}

/* Nobody calls it; of one that is long for the ranks that it waits for, that wait stays. */
static void plan_in_a_bucket(
	const struct facts *s, struct finding *f, const struct seen_event *e, double own_ns)
{
	uint32_t row = collective_around(s, e);
	if ((double)s->t->dur_ns[e->row] <= limit(f, "short")) {
		plan_goes(f->plan, s->t, row);
		return;
	}
	plan_exposed(f, e, (double)e->exposed_ns - own_ns);
	if (row != e->row)
		plan_off_path(f->plan, s->t, row);
}

/* In one bucket the others cost nothing of their own. */
static enum finding_state buckets(const struct facts *s, struct finding *f)
{
	double own = 0, longest = 0, time = 0, exposed = 0, n = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (!is_small_collective(s, f, e))
			continue;
		double ns = fmin((double)e->exposed_ns, limit(f, "short"));
		if (n++ > 0)
			plan_in_a_bucket(s, f, e, ns);
		own += ns;
		exposed += (double)e->exposed_ns;
		time += (double)s->t->dur_ns[e->row];
		longest = fmax(longest, ns);
		prove(f, e->row);
	}
	if (n < 1 || n < limit(f, "many"))
		return FINDING_NOT_FIRED;
	TELL(f, {"n", n}, {"each", time / n}, {"time", exposed},
		{"share", exposed / (double)advised_ns(s)}, {"own", own}, {"longest", longest});
	return FINDING_FIRED;
}

/* As much of it as there is computing beside which none runs yet. */
static void plan_hidden(const struct facts *s, struct finding *f, double exposed, double alone)
{
	double left = exposed > alone ? 1 - alone / exposed : 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		double hidden = (double)s->t->dur_ns[e->row] - (double)e->exposed_ns;
		if (e->part != TIME_COMMUNICATION || is_small_collective(s, f, e) ||
			s->t->dur_ns[e->row] <= 0)
			continue;
		plan_takes(f->plan, e->row,
			(fmax(hidden, 0) + left * (double)e->exposed_ns) /
				(double)s->t->dur_ns[e->row]);
	}
}

static enum finding_state overlap_communication(const struct facts *s, struct finding *f)
{
	int64_t ns = 0, time = 0;
	double bytes = 0; /* NAN: not told of one */
	size_t n = 0;
	if (!is_about(s, f, s->w->ns[TIME_COMMUNICATION]))
		return FINDING_NOT_FIRED;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (e->part != TIME_COMMUNICATION || is_small_collective(s, f, e))
			continue;
		n++;
		ns += e->exposed_ns;
		time += s->t->dur_ns[e->row];
		bytes += message_of(s->a, communicating_op(s->t, e->call)).bytes;
		prove(f, e->row);
	}
	if (bytes > 0 && time > 0) {
		f->variant = "rate";
		TELL(f, {"bytes", bytes}, {"rate", bytes / ((double)time * 1e-9)});
	}
	TELL(f, {"n", (double)n}, {"time", (double)time}, {"exposed", (double)ns},
		{"share", share_of_window(s, ns)}, {"computing", (double)s->computing_ns},
		{"alone", (double)alone_ns(s, time > ns ? time - ns : 0)});
	plan_hidden(s, f, (double)ns, (double)alone_ns(s, time > ns ? time - ns : 0));
	return fired_if(n && is_about(s, f, ns));
}

#define COPY_VALUES \
	{"n", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS}, \
	{ \
		"share", UNIT_SHARE \
	}
#define SMALL_COLLECTIVES \
	{"short", 50000, UNIT_NS}, \
	{ \
		"bytes", 1 << 20, UNIT_BYTES \
	}

static const struct rule rows[] = {
	{.id = "pinned",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.02), {"bytes", 100000, UNIT_BYTES}},
		.value = {COPY_VALUES, {"rate", UNIT_BYTES_PER_S}, {"link", UNIT_NS},
			{"waits", UNIT_NS}},
		.one = pinned},
	{.id = "small-copies",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.05), {"copies", 8, UNIT_COUNT}, {"small", 65536, UNIT_BYTES}},
		.value = {COPY_VALUES},
		.one = small_copies},
	{.id = "buckets",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02), {"many", 16, UNIT_COUNT}, SMALL_COLLECTIVES},
		.value = {{"n", UNIT_COUNT}, {"each", UNIT_NS}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}, {"own", UNIT_NS}, {"longest", UNIT_NS}},
		.one = buckets},
	{.id = "overlap-communication",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.05), SMALL_COLLECTIVES},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"exposed", UNIT_NS},
			{"share", UNIT_SHARE}, {"computing", UNIT_NS}, {"alone", UNIT_NS},
			{"bytes", UNIT_BYTES}, {"rate", UNIT_BYTES_PER_S}},
		.one = overlap_communication},
	{.id = "overlap-copies",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.05), LEAST(0.02), {"beside", 0.2, UNIT_SHARE}},
		.value = {COPY_VALUES, {"computing", UNIT_NS}, {"alone", UNIT_NS}},
		.one = overlap_copies},
	{.id = "smaller-copies",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.05), LEAST(0.02), {"beside", 0.5, UNIT_SHARE}},
		.value = {COPY_VALUES, {"computing", UNIT_NS}, {"alone", UNIT_NS}},
		.one = smaller_copies},
};

const struct rule_list remedy_transfer_rows = RULE_LIST(rows);

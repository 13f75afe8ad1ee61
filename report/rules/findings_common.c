/* SPDX-License-Identifier: Apache-2.0 */
/* The field's findings about the whole: idle, waits, copies, communication, loading, skew. */
#include "report/analyse/analysis.h"
#include "report/analyse/blame.h"
#include "report/analyse/health.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/streams.h"
#include "report/rules/advice.h"
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- IDLE-HOST, UTIL-LOW ---- */

/* What of the idle time the host is to blame for while it did not wait: blame.h. */
static double hosts_time(const struct blame_sum *b)
{
	return (double)(b->silence_ns + b->rhythm_ns + b->ns[BLAME_INPUT]);
}

/* Shows the idle stretches in which the next launch had not been made; how many. */
static size_t show_late(const struct facts *x, struct finding *f)
{
	size_t n = 0;
	for (size_t i = 0; i < x->l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(x->l, i);
		if (g.launch == NO_ROW || g.cause == IDLE_HELD || g.cause == IDLE_PROFILER)
			continue;
		show(f, g.launch, g.dur_ns);
		show_gap(f, g.start_ns, g.start_ns + g.dur_ns, g.after);
		n++;
	}
	return n;
}

static enum finding_state idle_by_host(const struct facts *x, struct finding *f)
{
	const struct idle_causes *l = x->l;
	if (!x->a->n_device || !l->window_ns || !x->blame)
		return not_applicable(f, REASON_NO_DEVICE);
	if (!x->n_links)
		return not_applicable(f, REASON_NO_LINKS);
	const struct blame_sum *b = x->blame;
	double idle = (double)l->idle_ns, host = hosts_time(b), waits = (double)b->ns[BLAME_WAIT];
	double share = share_of(host + waits, idle),
	       of_window = share_of(idle, (double)l->window_ns);
	bool named = l->n_waited && l->waited[0].name;
	TELL(f, {"host", host}, {"after_wait", waits}, {"gaps", (double)show_late(x, f)},
		{"share", share}, {"idle", idle}, {"of_window", of_window});
	if (named) {
		tell_text(f, "during", trace_name(x->t, l->waited[0].name));
		tell(f, "during_time", (double)l->waited[0].ns);
	}
	gives_back(f, host + waits);
	f->advice = x->h->graphs.n ? REASON_GRAPHS : REASON_NONE;
	if (share <= limit(f, "share") || of_window <= limit(f, "of_window"))
		return FINDING_NOT_FIRED;
	return fired_as(f, named ? REASON_EXPLAINED : REASON_NONE);
}

static enum finding_state low_utilisation(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	if (!a->n_device || !window_ns(a))
		return not_applicable(f, REASON_NO_DEVICE);
	TELL(f, {"busy", a->window.busy_share}, {"busy_time", (double)a->window.busy_ns},
		{"idle", (double)a->window.idle_ns}, {"window", (double)window_ns(a)},
		{"gaps", (double)a->n_gaps});
	for (size_t i = 0; i < a->n_gaps; i++) {
		struct gap g = analysis_gap(a, i);
		uint32_t beside = g.before != NO_ROW ? g.before : g.after;
		show(f, beside, g.dur_ns);
		show_gap(f, g.start_ns, g.start_ns + g.dur_ns, beside);
	}
	gives_back(f, (double)a->window.idle_ns);
	return fired_if(a->window.busy_share < limit(f, "busy"));
}

/* ---- SYNC ---- */

/* Waits inside the steps; without steps, those after which the work went on. */
static bool is_wait_in_work(const struct facts *x, size_t i)
{
	uint32_t row = x->calls.row[i];
	if (x->t->track[row] != x->a->main_track)
		return false;
	if (x->a->n_steps)
		return analysis_step_at(x->a, x->t->start_ns[row]) != NO_ROW;
	return i < x->after_last;
}

/* Who waits: the operator around the call, else whatever row there is. */
static uint32_t caller_of(const struct trace *t, uint32_t call)
{
	uint32_t op = analysis_op_of(t, call);
	if (op != NO_ROW)
		return op;
	return t->parent[call] == NO_ROW ? call : t->parent[call];
}

static enum finding_state waits_in_step(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	double whole = 0, time = 0, waits = 0, copies = 0;
	double drained = (double)x->l->sum[IDLE_SYNC].ns;
	int64_t *by_caller = xcalloc(t->names.n, sizeof *by_caller);
	bool any = x->l->n_waits > 0;
	name_id most = 0;
	for (size_t k = 0, i = 0; k < x->l->n_waits; k++) {
		uint32_t row = x->l->waits[k];
		while (x->calls.row[i] != row)
			i++;
		if (!is_wait_in_work(x, i))
			continue;
		waits++;
		copies += class_of(x, row) != CLASS_SYNC;
		time += (double)t->dur_ns[row];
		name_id caller = t->name[caller_of(t, row)];
		by_caller[caller] += t->dur_ns[row];
		if (!most || by_caller[caller] > by_caller[most])
			most = caller;
		show(f, row, t->dur_ns[row]);
	}
	for (uint32_t s = 0; s < a->n_steps; s++)
		whole += (double)a->steps[s].dur_ns;
	if (!a->n_steps)
		whole = (double)window_ns(a);
	if (any) {
		TELL(f, {"waits", waits}, {"copies", copies}, {"time", time},
			{"share", share_of(time, whole)}, {"idle_after", drained});
	}
	if (most) {
		tell_text(f, "caller", trace_name(t, most));
		tell(f, "caller_time", (double)by_caller[most]);
	}
	free(by_caller);
	if (!any)
		return not_applicable(f, x->calls.n ? REASON_NO_SYNCS : REASON_NO_CALLS);
	gives_back(f, drained);
	return fired_if(waits > 0 && time > limit(f, "share") * whole);
}

/* ---- MEMCPY-PAGEABLE, X8 ---- */

/* Up to this size CUDA stages a copy to the device and returns: nobody waits ("API synchronization
 * behavior" of the runtime's manual). */
#define PAGEABLE_LEAST 65536

static enum finding_state pageable_copies(const struct facts *x, struct finding *f, bool async_only)
{
	const struct trace *t = x->t;
	double copies = 0, time = 0, bytes = 0, most = -1, least = limit(f, "least");
	bool untold = false;
	if (!x->a->n_copies)
		return not_applicable(f, x->a->n_device ? REASON_NO_COPIES : REASON_NO_DEVICE);
	for (size_t k = 0; k < x->copies.n; k++) {
		uint32_t i = x->copies.row[k], row = device_row(x, i), call = x->launch[i];
		if (!is_pageable(x, row))
			continue;
		if (async_only && (call == NO_ROW || !(host_traits(x->a, call) & TRAIT_ASYNC)))
			continue;
		if (bytes_of(x, row) >= 0 && (double)bytes_of(x, row) < least)
			continue;
		copies++;
		time += (double)t->dur_ns[row];
		bytes += (double)bytes_of(x, row);
		untold |= bytes_of(x, row) < 0;
		show(f, row, t->dur_ns[row]);
		if ((double)t->dur_ns[row] <= most)
			continue;
		most = (double)t->dur_ns[row];
		tell_name(f, "name", t, row);
		if (call != NO_ROW)
			tell_name(f, "caller", t, caller_of(t, call));
	}
	TELL(f, {"copies", copies}, {"time", time});
	if (!untold)
		tell(f, "bytes", bytes);
	if (async_only)
		gives_back(f, time);
	return fired_if(copies > 0);
}

static enum finding_state pageable_async(const struct facts *x, struct finding *f)
{
	return pageable_copies(x, f, true);
}

static enum finding_state pageable_any(const struct facts *x, struct finding *f)
{
	return pageable_copies(x, f, false);
}

/* ---- COMM ---- */

static enum finding_state communication(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	size_t n = 0;
	int64_t *sample = NULL;
	for (uint32_t i = 0; i < x->a->n_activities; i++) {
		const struct activity *act = &x->a->activities[i];
		if (act->class != CLASS_COMMUNICATION)
			continue;
		sample = xrealloc(sample, n + act->calls, sizeof *sample);
		for (size_t k = 0; k < act->calls; k++) {
			sample[n++] = t->dur_ns[act->row[k]];
			show(f, act->row[k], t->dur_ns[act->row[k]]);
		}
	}
	double calls = (double)n, median = n ? median_of(sample, n) : 0;
	free(sample);
	if (!n)
		return not_applicable(
			f, x->a->n_device ? REASON_NO_COMMUNICATION : REASON_NO_DEVICE);
	const struct streams *s = x->s;
	double exposed = (double)s->exposed_communication_ns;
	double each = x->a->n_steps ? calls / x->a->n_steps : calls;
	if (each >= limit(f, "many") && median < limit(f, "short"))
		f->advice = REASON_SMALL_MESSAGES;
	TELL(f, {"calls", calls}, {"median", median}, {"time", (double)s->communication_ns},
		{"exposed", exposed}, {"share", share_of(exposed, (double)s->window_ns)},
		{"overlap", s->overlap_share});
	gives_back(f, exposed);
	return fired_if(exposed > limit(f, "share") * (double)s->window_ns);
}

/* ---- DATALOADER ---- */

static enum finding_state loading(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	struct spans spans = loading_spans(x);
	size_t n = 0;
	for (size_t i = 0; i < x->loaders.n; i++) {
		uint32_t row = x->loaders.row[i];
		if (t->track[row] != a->main_track)
			continue;
		n++;
		show(f, row, t->dur_ns[row]);
	}
	if (!n || !window_ns(a))
		return not_applicable(f, REASON_NO_LOADER);
	double whole = 0, time = 0, idle = 0;
	for (uint32_t s = 0; s < a->n_steps; s++) {
		int64_t from = a->steps[s].start_ns, to = from + a->steps[s].dur_ns;
		whole += (double)(to - from);
		time += (double)spans_covered(&spans, from, to);
	}
	if (!a->n_steps) {
		whole = (double)window_ns(a);
		time = (double)spans_covered(&spans, a->window.start_ns, a->window.end_ns);
	}
	for (size_t i = 0; i < spans.n; i++)
		idle += (double)analysis_idle(a, spans.at[i].start_ns, spans.at[i].end_ns);
	TELL(f, {"loads", (double)n}, {"time", time}, {"share", share_of(time, whole)});
	if (a->n_device)
		tell(f, "idle", idle);
	gives_back(f, a->n_device ? idle : 0);
	if (time <= limit(f, "share") * whole)
		return FINDING_NOT_FIRED;
	return fired_as(f, a->n_device ? REASON_NONE : REASON_NO_DEVICE);
}

/* ---- SKEWED ---- */

static enum finding_state skewed(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct activity *most = NULL;
	double candidates = 0, many = 0, most_off = 0;
	if (!a->n_device)
		return not_applicable(f, REASON_NO_DEVICE);
	for (uint32_t i = 0; i < a->n_activities; i++) {
		const struct activity *act = &a->activities[i];
		double median = act->dur.median, mean = act->dur.mean;
		if ((double)act->calls < limit(f, "calls"))
			continue;
		candidates++;
		if (median < 10 * (double)x->t->resolution_ns || act->share < limit(f, "share") ||
			(mean <= limit(f, "ratio") * median && mean * limit(f, "ratio") >= median))
			continue;
		double off = (mean - median) * (double)act->calls;
		many++;
		off = off > 0 ? off : -off;
		if (off > most_off) {
			most_off = off;
			most = act;
		}
	}
	if (!candidates)
		return not_applicable(f, REASON_FEW_CALLS);
	TELL(f, {"kernels", candidates}, {"skewed", many});
	if (!most)
		return FINDING_NOT_FIRED;
	tell_text(f, "name", trace_name(x->t, most->name));
	TELL(f, {"calls", (double)most->calls}, {"mean", most->dur.mean},
		{"median", most->dur.median}, {"ratio", most->dur.mean / most->dur.median},
		{"max", (double)most->dur.max});
	for (size_t i = 0; i < most->calls; i++)
		show(f, most->row[i], x->t->dur_ns[most->row[i]]);
	return FINDING_FIRED;
}

static const struct rule copy_rows[] = {
	{.id = "PAGEABLE-COPY",
		.label = "X8",
		.repeats = {"pinned", "small-copies"},
		.threshold = {{"least", PAGEABLE_LEAST, UNIT_BYTES}},
		.value = {{"copies", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS},
			{"name", UNIT_TEXT}, {"caller", UNIT_TEXT}},
		.one = pageable_any},
};

const struct rule_list findings_copy_rows = RULE_LIST(copy_rows);

static const struct rule field_rows[] = {
	{.id = "IDLE-HOST",
		.action = "graphs",
		.repeats = {"graphs", "batch", "loops", "elsewhere", "first-calls", "input",
			"small-copies", "allocator", "sync"},
		.gain = GAIN_IDLE,
		.threshold = {{"share", 0.5, UNIT_SHARE}, {"of_window", 0.15, UNIT_SHARE}},
		.value = {{"host", UNIT_NS}, {"after_wait", UNIT_NS}, {"gaps", UNIT_COUNT},
			{"share", UNIT_SHARE}, {"idle", UNIT_NS}, {"of_window", UNIT_SHARE},
			{"during", UNIT_TEXT}, {"during_time", UNIT_NS}},
		.one = idle_by_host},
	{.id = "UTIL-LOW",
		.page = PAGE_ATLAS,
		.gain = GAIN_IDLE,
		.threshold = {{"busy", 0.5, UNIT_SHARE}},
		.value = {{"busy", UNIT_SHARE}, {"busy_time", UNIT_NS}, {"idle", UNIT_NS},
			{"window", UNIT_NS}, {"gaps", UNIT_COUNT}},
		.one = low_utilisation},
	{.id = "SYNC",
		.action = "sync",
		.repeats = {"sync", "tuning", "small-copies", "pinned", "allocator"},
		.gain = GAIN_IDLE,
		.threshold = {{"share", 0.1, UNIT_SHARE}},
		.value = {{"waits", UNIT_COUNT}, {"copies", UNIT_COUNT}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}, {"idle_after", UNIT_NS}, {"caller", UNIT_TEXT},
			{"caller_time", UNIT_NS}},
		.one = waits_in_step},
	{.id = "MEMCPY-PAGEABLE",
		.action = "pinned",
		.repeats = {"pinned", "small-copies"},
		.gain = GAIN_BUSY,
		.threshold = {{"least", PAGEABLE_LEAST, UNIT_BYTES}},
		.value = {{"copies", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS},
			{"name", UNIT_TEXT}, {"caller", UNIT_TEXT}},
		.one = pageable_async},
	{.id = "COMM",
		.action = "overlap-communication",
		.repeats = {"overlap-communication", "buckets"},
		.gain = GAIN_BUSY,
		.threshold = {{"share", 0.1, UNIT_SHARE}, {"many", 100, UNIT_COUNT},
			{"short", 50000, UNIT_NS}},
		.value = {{"calls", UNIT_COUNT}, {"median", UNIT_NS}, {"time", UNIT_NS},
			{"exposed", UNIT_NS}, {"share", UNIT_SHARE}, {"overlap", UNIT_SHARE}},
		.one = communication},
	{.id = "DATALOADER",
		.action = "input",
		.repeats = {"input"},
		.gain = GAIN_IDLE,
		.threshold = {{"share", 0.05, UNIT_SHARE}},
		.value = {{"loads", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE},
			{"idle", UNIT_NS}},
		.one = loading},
	{.id = "SKEWED",
		.page = PAGE_DESCRIBES,
		.threshold = {{"ratio", 1.25, UNIT_RATIO}, {"calls", 10, UNIT_COUNT},
			{"share", 0.01, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"skewed", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"calls", UNIT_COUNT}, {"mean", UNIT_NS}, {"median", UNIT_NS},
			{"ratio", UNIT_RATIO}, {"max", UNIT_NS}},
		.one = skewed},
};

const struct rule_list findings_field_rows = RULE_LIST(field_rows);

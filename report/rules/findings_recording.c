/* SPDX-License-Identifier: Apache-2.0 */
/* HEALTH-UNLINKED, HEALTH-OVERLAP, ZERO-TS, GRAPH: what the recording itself is like. */
#include "report/rules/facts.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/analyse/launches.h"

#include <stdlib.h>
#include <string.h>

static enum finding_state unlinked(const struct facts *x, struct finding *f)
{
	const struct health *h = x->h;
	if (!h->device_events)
		return not_applicable(f, REASON_NO_DEVICE);
	double share = (double)h->orphans.n / (double)h->device_events;
	TELL(f, {"events", (double)h->device_events}, {"unlinked", (double)h->orphans.n},
		{"share", share}, {"time", (double)h->orphans.time_ns});
	for (size_t i = 0; i < x->a->n_device; i++)
		if (x->launch[i] == NO_ROW)
			show(f, device_row(x, i), -(int64_t)i);
	if (share <= limit(f, "share"))
		return FINDING_NOT_FIRED;
	return fired_as(f, x->calls.n ? REASON_NONE : REASON_NO_CALLS);
}

static enum finding_state overlapping(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	const struct health *h = x->h;
	if (!h->device_events)
		return not_applicable(f, REASON_NO_DEVICE);
	TELL(f, {"overlaps", (double)h->overlaps.n}, {"time", (double)h->overlaps.time_ns},
		{"largest", (double)h->overlaps.largest_ns});
	for (size_t i = 0; h->overlaps.n && i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		if (x->previous[i] == NO_ROW)
			continue;
		uint32_t before = device_row(x, x->previous[i]);
		int64_t both = row_end(t, before) - t->start_ns[row];
		both = min64(both, t->dur_ns[row]);
		if (both > 0)
			show(f, row, both);
	}
	return fired_if(h->overlaps.n > 0 && (double)h->overlaps.largest_ns >= limit(f, "least"));
}

/* A file whose own clock starts with its first event has one event at 0. */
static enum finding_state zero_stamps(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double device = 0;
	for (uint32_t i = 0; x->h->zero_stamps && i < t->n; i++) {
		if (t->start_ns[i] + t->origin_ns != 0 || !event_on_device(t->kind[i]))
			continue;
		device++;
		show(f, i, t->dur_ns[i]);
	}
	TELL(f, {"stamps", (double)x->h->zero_stamps}, {"device", device});
	return fired_if(device > limit(f, "device"));
}

static void show_graphs(const struct facts *x, struct finding *f)
{
	for (size_t i = 0; i < x->calls.n; i++)
		if (host_traits(x->a, x->calls.row[i]) & TRAIT_GRAPH)
			show(f, x->calls.row[i], x->caused[i]);
}

static enum finding_state graphs(const struct facts *x, struct finding *f)
{
	const struct health *h = x->h;
	if (!x->calls.n)
		return not_applicable(f, REASON_NO_CALLS);
	TELL(f, {"launches", (double)h->graphs.n}, {"events", (double)h->graph_events},
		{"time", (double)h->graphs.time_ns});
	if (h->graphs.n)
		show_graphs(x, f);
	if (h->graphs.n)
		tell(f, "each", (double)h->graph_events / (double)h->graphs.n);
	return fired_if(h->graphs.n > 0);
}

static const struct rule rows[] = {
	{.id = "HEALTH-UNLINKED",
		.page = PAGE_ATLAS,
		.threshold = {{"share", 0.01, UNIT_SHARE}},
		.value = {{"events", UNIT_COUNT}, {"unlinked", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"time", UNIT_NS}},
		.one = unlinked},
	{.id = "HEALTH-OVERLAP",
		.page = PAGE_ATLAS,
		.threshold = {{"least", 1000, UNIT_NS}},
		.value = {{"overlaps", UNIT_COUNT}, {"time", UNIT_NS}, {"largest", UNIT_NS}},
		.one = overlapping},
	{.id = "ZERO-TS",
		.page = PAGE_ATLAS,
		.threshold = {{"device", 1, UNIT_COUNT}},
		.value = {{"stamps", UNIT_COUNT}, {"device", UNIT_COUNT}},
		.one = zero_stamps},
	{.id = "GRAPH",
		.page = PAGE_DESCRIBES,
		.value = {{"launches", UNIT_COUNT}, {"events", UNIT_COUNT}, {"each", UNIT_COUNT},
			{"time", UNIT_NS}},
		.one = graphs},
};

const struct rule_list findings_health_rows = RULE_LIST(rows);

/* SPDX-License-Identifier: Apache-2.0 */
/* What is large and already good. */
#include "report/rules/action_window.h"

#include "report/analyse/breakdown.h"

/* Products that reach what good kernels reach. */
static enum finding_state good_products(const struct facts *s, struct finding *f)
{
	int64_t ns = 0;
	double flop = 0;
	if (!s->chip || !is_about(s, f, s->w->ns[TIME_GEMM]))
		return FINDING_NOT_FIRED;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		struct product p;
		const struct product *m = product_of_kernel(s, e, &p);
		if (!m)
			continue;
		double peak = m->element_bytes > 2 ? s->chip->tf32 : s->chip->half;
		double reached = m->flop / ((double)s->t->dur_ns[e->row] / 1e9);
		/* More than the peak: one of several kernels of its operator. */
		if (reached < limit(f, "reached") * peak || reached > peak)
			continue;
		ns += e->exposed_ns;
		flop += m->flop;
		prove(f, e->row);
	}
	if (!ns || !is_about(s, f, ns))
		return FINDING_NOT_FIRED;
	TELL(f, {"time", (double)ns}, {"share", share_of_window(s, ns)},
		{"rate", flop / (double)ns * 1e9});
	tell_text(f, "chip", s->chip->name);
	return FINDING_FIRED;
}

/* The kernels as a whole, where they are next to nothing. */
static enum finding_state few_kernels(const struct facts *s, struct finding *f)
{
	double ns = (double)s->computing_ns, most = limit(f, "share") * (double)advised_ns(s);
	TELL(f, {"time", ns}, {"share", share_of_window(s, s->computing_ns)});
	return fired_if(ns > 0 && ns <= most);
}

static enum finding_state flash(const struct facts *s, struct finding *f)
{
	int64_t ns = s->w->ns[TIME_ATTENTION];
	const struct limited_work *w = &s->p->limited;
	bool attends = w->limit && s->a->class[s->a->device_rows[w->event]] == CLASS_ATTENTION;
	if (attends && w->reached < limit(f, "reached"))
		return FINDING_NOT_FIRED;
	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].part == TIME_ATTENTION)
			prove(f, s->event[i].row);
	TELL(f, {"time", (double)ns}, {"share", share_of_window(s, ns)});
	return fired_if(is_about(s, f, ns));
}

/* Communication and copies that run beside the computing. */
static enum finding_state hidden(const struct facts *s, struct finding *f)
{
	int64_t time = 0, exposed = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (e->part != TIME_COMMUNICATION && e->part != TIME_COPIES)
			continue;
		time += clip_to_window(s, s->t->start_ns[e->row], row_end(s->t, e->row));
		exposed += e->exposed_ns;
		prove(f, e->row);
	}
	if (!time || !is_about(s, f, time) || (double)exposed > limit(f, "exposed") * (double)time)
		return FINDING_NOT_FIRED;
	TELL(f, {"time", (double)time}, {"hidden", 1 - (double)exposed / (double)time},
		{"beside", (double)(time - exposed)});
	return FINDING_FIRED;
}

static struct gain hidden_time(const struct facts *s, const struct finding *f)
{
	(void)s;
	return (struct gain){.ns = finding_number(f, "beside")};
}

static const struct rule rows[] = {
	{.id = "products",
		.kind = RULE_LEAVE,
		.threshold = {ABOUT(0.1), {"reached", 0.6, UNIT_SHARE}},
		.value = {{"time", UNIT_NS}, {"share", UNIT_SHARE}, {"rate", UNIT_FLOP_PER_S},
			{"chip", UNIT_TEXT}},
		.one = good_products,
		.saves = saves_time},
	{.id = "kernels",
		.kind = RULE_LEAVE,
		.of_kernels = true,
		.threshold = {ABOUT(0.1)},
		.value = {{"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.one = few_kernels,
		.saves = saves_time},
	{.id = "flash",
		.kind = RULE_LEAVE,
		.threshold = {ABOUT(0.1), {"reached", 0.25, UNIT_SHARE}},
		.value = {{"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.one = flash,
		.saves = saves_time},
	{.id = "hidden",
		.kind = RULE_LEAVE,
		.threshold = {ABOUT(0.1), {"exposed", 0.2, UNIT_SHARE}},
		.value = {{"time", UNIT_NS}, {"hidden", UNIT_SHARE}, {"beside", UNIT_NS}},
		.one = hidden,
		.saves = hidden_time},
};

const struct rule_list leave_rows = RULE_LIST(rows);

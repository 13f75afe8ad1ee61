/* SPDX-License-Identifier: Apache-2.0 */
/* What the median step does not show, in words. */
#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/first_step_causes.h"
#include "report/analyse/uneven_steps.h"
#include "report/section/headline.h"
#include "report/section/parts.h"

static const char *part_word(const struct document *d, enum time_part part)
{
	return time_part_is_computing(part) ? said(d, "breakdown.computing", NULL)
					    : said_by(d, "breakdown.%s", time_part_name(part));
}

/* What spans say of themselves that it is paid once. */
struct paid {
	const char *list; /* "loading 1.20 s, compiling 300 ms": the longest */
	int64_t ns; /* of all */
};

/* First launches are long by what all launches take above the usual ones, where those are known. */
static int64_t paid_ns(const struct cold_start *cold, const struct cold_part *p)
{
	int64_t ns = -cold->usual_launch_ns;
	if (!cold_is_paid_once(p->cause))
		return 0;
	if (p->cause != COLD_FIRST_LAUNCH)
		return p->ns - p->usual_ns;
	for (int i = 0; i < cold->n; i++)
		if (cold->part[i].cause == COLD_LAUNCH || cold->part[i].cause == COLD_FIRST_LAUNCH)
			ns += cold->part[i].ns;
	return cold->usual_ns ? min64(ns, p->ns) : 0;
}

static struct paid paid_of(const struct document *d, const struct cold_start *cold)
{
	enum { NAMED = 3 };
	struct paid paid = {.list = ""};
	int n = 0;
	for (int i = 0; i < cold->n; i++) {
		const struct cold_part *p = &cold->part[i];
		int64_t ns = paid_ns(cold, p);
		if (ns <= 0)
			continue;
		paid.ns += ns;
		if (n++ < NAMED)
			paid.list = listed(d->arena, paid.list, ", ",
				arena_printf(d->arena, "%s %s",
					said_by(d, "cold.short.%s", cold_cause_name(p->cause)),
					format_time(d->arena, (double)ns)));
	}
	return paid;
}

static bool steps_are_the_profilers(const struct report_case *c)
{
	return c->breakdown->steps_by == STEPS_BY_PROFILER &&
		c->analysis->n_steps == c->breakdown->n_steps;
}

/* The first step, above the median one. */
static void add_first(struct document *d, const struct report_case *c, const struct uneven_steps *u)
{
	struct paid paid = {.list = ""};
	if (steps_are_the_profilers(c)) {
		struct cold_start cold = cold_split(d->arena, c->analysis, 0, c->breakdown->median);
		paid = paid_of(d, &cold);
	}
	bool named = 2 * paid.ns >= u->setup_ns;
	if (!named && u->steady < LEAST_UNEVEN)
		return;
	document_say(d, BLOCK_TEXT, named ? "uneven.setup" : "uneven.first", "ns",
		format_time(d->arena, (double)u->setup_ns), "part", part_word(d, u->setup_part),
		"most", format_time(d->arena, (double)u->setup_part_ns), "causes", paid.list, NULL);
}

/* In front of the first step: worth a word where it is as long as what matters of all steps. */
static void add_before(struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	if (!steps_are_the_profilers(c) || !p->n_steps || p->median == NO_ROW)
		return;
	struct cold_start cold = cold_before(d->arena, c->analysis);
	struct paid paid = paid_of(d, &cold);
	double all = (double)split_length(&p->steps[p->median].split) * p->n_steps;
	if ((double)paid.ns >= LONG_SHARE * all)
		document_say(d, BLOCK_TEXT, "uneven.before", "ns",
			format_time(d->arena, (double)paid.ns), "causes", paid.list, NULL);
}

static void add_long(struct document *d, const struct breakdown *p, const struct uneven_steps *u)
{
	struct arena *a = d->arena;
	double each = (double)u->more_ns / u->n, step = (double)u->more_ns / u->steady;
	document_say(d, BLOCK_TEXT, u->every ? "uneven.every" : "uneven.some", "n",
		format_count(a, u->n), "all", format_count(a, u->steady), "every",
		format_count(a, u->every), "first", format_count(a, p->steps[u->first].number),
		"each", format_time(a, each), "part", part_word(d, u->part), "ns",
		format_time(a, (double)u->part_ns / u->n), "step", format_time(a, step), "share",
		format_share(a, (double)u->more_ns / (double)u->all_ns), NULL);
}

/* Steps of the profiler's whose numbers do not follow: which of them are in the file. */
static void add_sampled(struct document *d, const struct breakdown *p)
{
	int64_t every = p->n_steps > 1 ? p->steps[1].number - p->steps[0].number : 1;
	bool even = every > 1, apart = false;
	for (uint32_t i = 1; i < p->n_steps; i++) {
		int64_t more = p->steps[i].number - p->steps[i - 1].number;
		even = even && more == every;
		apart = apart || more > 1;
	}
	if (apart)
		document_say(d, BLOCK_TEXT, even ? "headline.sampled.every" : "headline.sampled",
			"n", format_count(d->arena, p->n_steps), "every",
			format_count(d->arena, every), "first",
			format_count(d->arena, p->steps[0].number), "last",
			format_count(d->arena, p->steps[p->n_steps - 1].number), NULL);
}

void add_uneven_steps(struct document *d, const struct report_case *c)
{
	struct uneven_steps u = uneven_steps_of(c->breakdown);
	if (u.n)
		add_long(d, c->breakdown, &u);
	if (u.setup_ns)
		add_first(d, c, &u);
	add_before(d, c);
	if (c->breakdown->steps_by == STEPS_BY_PROFILER)
		add_sampled(d, c->breakdown);
}

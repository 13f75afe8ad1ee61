/* SPDX-License-Identifier: Apache-2.0 */
/* The word of a verdict and the rule behind it, whose meaning stands in the cheatsheet, too. */
#include "report/section/headline.h"

#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/name/shorten.h"
#include "report/page/template_texts.h"
#include "report/rules/advice.h"

#include <string.h>

bool headline_is_estimated(const struct report_case *c)
{
	return c->advice && c->advice->headline != HEADLINE_NONE;
}

double headline_share(const struct report_case *c)
{
	return headline_is_estimated(c) ? c->advice->headline_share : c->breakdown->headline_share;
}

const char *headline_key(const struct report_case *c)
{
	bool other = headline_is_estimated(c);
	bool solid = other ? c->advice->headline_share >= HEADLINE_SOLID : c->breakdown->solid;
	int of = other ? c->advice->headline : (int)c->breakdown->headline;
	return solid ? headline_name((enum headline)of) : NULL;
}

const char *headline_word(const struct document *d, const struct report_case *c)
{
	if (c->breakdown->headline == HEADLINE_NONE)
		return said(d, headline_none(&c->trace), NULL);
	const char *key = headline_key(c);
	return said_by(d, "headline.%s", key ? key : "mixed");
}

/* Time in spans of each thread: once where spans overlap that do not hold each other. */
static int64_t *busy_of_tracks(struct arena *a, const struct trace *t)
{
	int64_t *ns = arena_array(a, t->n_tracks + 1, sizeof *ns);
	int64_t *until = arena_array(a, t->n_tracks + 1, sizeof *until);
	for (size_t i = 0; i < t->n; i++) { /* by their starts, the first of all at 0 */
		int64_t end = t->start_ns[i] + t->dur_ns[i], *seen = &until[t->track[i]];
		if (!event_on_host(t->kind[i]) || end <= *seen)
			continue;
		ns[t->track[i]] += end - (t->start_ns[i] > *seen ? t->start_ns[i] : *seen);
		*seen = end;
	}
	return ns;
}

/* Tools that know what waited for what write the chain that decided into a lane of its own. */
static const char *chain_of(struct document *d, const struct trace *t)
{
	static const char named[] = "Critical Path";
	int64_t n = 0, ns = 0;
	size_t most = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!event_on_host(t->kind[i]) || t->parent[i] != NO_ROW ||
			strcmp(trace_name(t, t->tracks[t->track[i]].thread), named) != 0)
			continue;
		most = !n++ || t->dur_ns[i] > t->dur_ns[most] ? i : most;
		ns += t->dur_ns[i];
	}
	return !n ? ""
		  : said(d, "headline.chain", "thread", named, "n", format_count(d->arena, n),
			    "time", format_time(d->arena, (double)ns), "name",
			    brief_name(d->arena, trace_row_name(t, (uint32_t)most)), "most",
			    format_time(d->arena, (double)t->dur_ns[most]), NULL);
}

bool add_spans(struct document *d, const struct report_case *c)
{
	const struct profiler_table *all = &c->analysis->profiler_table;
	const struct trace *t = &c->trace;
	if (!all->spans || !all->n || all->self_cpu_ns <= 0)
		return false;
	const struct profiler_row *most = all->row;
	const int64_t *ns = busy_of_tracks(d->arena, t);
	uint32_t longest = 0;
	int64_t threads = 0;
	for (size_t i = 0; i < all->n; i++)
		most = all->row[i].self_cpu_ns > most->self_cpu_ns ? &all->row[i] : most;
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		threads += ns[i] > 0;
		longest = ns[i] > ns[longest] ? i : longest;
	}
	document_say(d, BLOCK_TEXT, "headline.spans", "name",
		brief_name(d->arena, trace_readable(t, most->name)), "share",
		format_share(d->arena, (double)most->self_cpu_ns / (double)all->self_cpu_ns), "own",
		format_time(d->arena, (double)all->self_cpu_ns), "threads",
		format_count(d->arena, threads), "thread", trace_name(t, t->tracks[longest].thread),
		"busy", format_time(d->arena, (double)ns[longest]), "chain", chain_of(d, t), NULL);
	return true;
}

/* What the file does show, where most of its window is not in it: a wait for work from before the
 * recording, say. */
static void add_seen_rest(struct document *d, const struct report_case *c)
{
	struct time_parts left = *breakdown_window(c->breakdown);
	double share;
	if (c->breakdown->headline != HEADLINE_UNSEEN)
		return;
	left.end_ns -= left.ns[TIME_BEFORE] + left.ns[TIME_UNKNOWN];
	left.ns[TIME_BEFORE] = left.ns[TIME_UNKNOWN] = 0;
	if (split_length(&left) <= 0)
		return;
	enum headline of = time_parts_headline(&left, &share);
	document_say(d, BLOCK_TEXT, "headline.unseen.rest", "rest",
		format_time(d->arena, (double)split_length(&left)), "list",
		parts_in_words(d, &left, true), "word",
		share < HEADLINE_SOLID
			? ""
			: said(d, "headline.unseen.word", "word",
				  said_by(d, "headline.%s", headline_name(of)), NULL),
		NULL);
}

void add_verdict_rule(struct document *d, const struct report_case *c)
{
	add_spans(d, c);
	if (c->breakdown->headline == HEADLINE_NONE)
		return;
	add_seen_rest(d, c);
	const char *of = headline_key(c);
	document_say(d, BLOCK_CAPTION, of ? "headline.rule" : "headline.rule.mixed", "word",
		headline_word(d, c), "means", said_by(d, "headline.%s.means", of ? of : "mixed"),
		NULL);
}

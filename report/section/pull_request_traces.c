/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of anybody's for a pull request: what limits each and what to do is seen at once, kernels
 * and idle time when they are asked for. */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/analyse/idle_causes.h"
#include "report/name/shorten.h"
#include "report/section/headline.h"
#include "report/section/limit_words.h"
#include "report/section/parts.h"

#include <string.h>

enum { MOST_KERNELS = 6, NAME_LETTERS = 60 };

static const struct table_form kernels = {
	.column = {{"case.kernel", COLUMN_CODE, 1, 2}, {"case.kernel.calls", COLUMN_NUMBER},
		{"case.kernel.median", COLUMN_NUMBER}, {"case.kernel.share", COLUMN_NUMBER}}};

static const char *short_name(struct document *d, const struct report_case *c, name_id name)
{
	const char *tidy = brief_name(d->arena, trace_name(&c->trace, name));
	size_t n = begin_of(tidy, NAME_LETTERS);
	return tidy[n] ? arena_printf(d->arena, "%.*s…", (int)n, tidy) : tidy;
}

static void fold(struct document *d, const char *place, const char *text)
{
	document_heading(d, 3, place, text)->folds = true;
}

static void add_kernels(struct document *d, const struct report_case *c)
{
	uint32_t n;
	const struct activity *act = activities_by_name(d->arena, c->analysis, &n);
	fold(d, arena_printf(d->arena, "%s-made", c->place), said(d, "trace.made", NULL));
	if (!n) {
		add_described(d, c);
		return;
	}
	struct rows t = rows_begin(d, &kernels, 0);
	for (uint32_t i = 0; i < n && i < MOST_KERNELS; i++) {
		put(&t, short_name(d, c, act[i].name));
		put_count(&t, (int64_t)act[i].calls);
		put_time(&t, act[i].dur.median);
		put(&t, format_share(d->arena, act[i].share));
	}
}

static void add_idle(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device || !c->idle_causes->idle_ns || c->trace.ends_early)
		return;
	fold(d, arena_printf(d->arena, "%s-time", c->place), said(d, "trace.time", NULL));
	add_causes(d, c->idle_causes);
}

static void add_lone(struct document *d, const struct input *in, const struct report_case *c)
{
	if (c->trace.snapshot) {
		add_memory_headline(d, c);
		document_say(d, BLOCK_CAPTION, "trace.more", NULL);
		fold(d, arena_printf(d->arena, "%s-made", c->place), said(d, "memory.who", NULL));
		add_memory(d, c);
		return;
	}
	document_add(d, BLOCK_CAPTION, machine_line(d, c));
	add_question(d, NULL, c);
	add_verdict_table(d, in, c);
	add_headline(d, c);
	add_limit(d, c);
	add_actions(d, c, false);
	add_health_line(d, c);
	document_say(d, BLOCK_CAPTION, "trace.more", NULL);
	add_kernels(d, c);
	add_idle(d, c);
}

/* What all of a run's traces say of their machine is said of the first. */
static void add_new_machine(struct document *d, const struct report_case *c, const char **said_last)
{
	const char *line = machine_line(d, c);
	if (!*said_last || strcmp(*said_last, line))
		document_add(d, BLOCK_CAPTION, line);
	*said_last = line;
}

static void add_one_of_many(struct document *d, const struct input *in, const struct report_case *c,
	const char **machine)
{
	fold(d, c->place, literal(d, c->title));
	if (!c->readable) {
		document_say(d, BLOCK_TEXT, "case.unread", "reason", c->reason, NULL);
		return;
	}
	if (c->trace.snapshot) {
		add_memory_headline(d, c);
		return;
	}
	add_new_machine(d, c, machine);
	add_verdict_table(d, in, c);
	add_headline(d, c);
}

void section_note(struct document *d, const struct input *in)
{
	const struct report_case *lone = input_lone(in);
	const char *machine = NULL;
	d->brief = true;
	if (lone && lone->readable)
		add_lone(d, in, lone);
	if (!lone)
		document_say(d, BLOCK_CAPTION, "trace.more", NULL);
	for (const struct report_case *c = NULL; !lone && (c = next_case(in, c));)
		if (case_is_shown(c))
			add_one_of_many(d, in, c, &machine);
	d->brief = false;
}

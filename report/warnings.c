/* SPDX-License-Identifier: Apache-2.0 */
#include "report/warnings.h"

#include "base/memory.h"
#include "base/verbosity.h"
#include "report/trace/repair.h"

void warn_of_letters(const struct fonts *fonts)
{
	uint32_t code[8];
	size_t most = sizeof code / sizeof *code, n = fonts ? fonts_missed(fonts, code, most) : 0;
	if (!n)
		return;
	fprintf(stderr, "%s: no font here draws", talk_self());
	for (size_t i = 0; i < n && i < most; i++)
		fprintf(stderr, " U+%04X", code[i]);
	const char *absent = fonts_absent(fonts);
	fprintf(stderr, "%s: they stand as U+FFFD%s%s\n", n > most ? " and more" : "",
		absent ? "; install the Debian package " : "", absent ? absent : "");
}

void warn_of_links(const struct document *d)
{
	if (d->lost_link)
		talk_warn("a text of the templates in \"%s\" links to #%s, which is no "
			  "place of this document: it stands without its link",
			texts_lang(d->texts), d->lost_link);
}

static void warn_of_cut(const struct trace *t, const struct repair *r)
{
	if (r && r->place[0].offset == PLACE_IN_TABLE)
		talk_warn("%s is not whole: its database is damaged in the table %s, and "
			  "events are missing; export or copy it again",
			t->path, r->place[0].context);
	else if (r)
		talk_warn("%s is not whole: it is cut off or damaged at byte "
			  "%lld, and events are missing; record or copy it again",
			t->path, (long long)r->place[0].offset);
	else
		talk_warn("%s is a part of a trace that is not whole: events are missing", t->path);
}

static void warn_of_memory(const struct trace *t, const struct repair *r)
{
	struct arena a = {0};
	if (r->place[0].offset == PLACE_IN_TABLE)
		talk_warn("%s is read up to the table %s: the rest would take more memory "
			  "than %s; --memory SIZE sets another limit",
			t->path, r->place[0].context, memory_words(&a));
	else
		talk_warn("%s is read up to byte %lld: the rest would take more "
			  "memory than %s; --memory SIZE sets another limit",
			t->path, (long long)r->place[0].offset, memory_words(&a));
	arena_release(&a);
}

static void warn_of_inflating(const struct trace *t, const struct repair *r)
{
	talk_warn("%s is read up to byte %lld: so far it inflates to more "
		  "than 100 times its size; unpack it first to read all of it",
		t->path, (long long)r->place[0].offset);
}

/* Of each kind a few traces are named, and how many more there are. */
void warn_of_input(const struct input *in)
{
	enum { FEW = 3, KINDS = 3 };
	static void (*const warn[KINDS])(const struct trace *, const struct repair *) = {
		warn_of_cut, warn_of_memory, warn_of_inflating};
	size_t n[KINDS] = {0}, more = 0;
	if (in->left_out)
		talk_warn("left out of the folders: %s", in->left_out);
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		const struct trace *t = &c->trace;
		if (!c->readable)
			continue;
		const struct repair *repair[KINDS] = {trace_cut(t), trace_repair(t, REPAIR_MEMORY),
			trace_repair(t, REPAIR_GZ_INFLATES)};
		bool left = false;
		for (int i = 0; i < KINDS; i++) {
			if (!repair[i] && (i || !t->part.cut_off))
				continue;
			if (n[i]++ < FEW)
				warn[i](t, repair[i]);
			else
				left = true;
		}
		more += left;
	}
	if (more)
		talk_warn("%zu more %s like %s: --json FILE lists what was repaired of each", more,
			more == 1 ? "trace is" : "traces are", more == 1 ? "that" : "these");
}

void tell_of_input(const struct input *in, double seconds)
{
	size_t n = 0;
	if (!talk_is_verbose())
		return;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		const struct trace *t = &c->trace;
		if (!c->readable)
			continue;
		n++;
		talk_detail("read %s: %lld bytes of JSON, %zu events, %d steps", t->path,
			(long long)t->json_bytes, t->n, (int)c->analysis->n_steps);
	}
	talk_detail("%zu trace%s read and analysed in %.2f s", n, n == 1 ? "" : "s", seconds);
}

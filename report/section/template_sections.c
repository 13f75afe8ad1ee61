/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/page/append_document.h"
#include "report/page/document_links.h"
#include "report/page/rich_text.h"
#include "report/run/manifest.h"
#include "report/section/course.h"
#include "report/section/parts.h"

#include <string.h>

const struct section sections[] = {
	{"summary", section_summary, "summary", false},
	{"ranks", section_ranks, "ranks", false},
	{"baseline", section_baseline, "baseline", false},
	{"comment", section_comment, "comment", false},
	{"brief", section_brief, "brief", false},
	{"note", section_note, "", false},
	{"cases", section_cases, "", true},
	{"trace", section_trace, "", true},
	{"reading", NULL, "reading", false},
	{"surprises", section_surprises, "surprises", false},
	{"solutions", NULL, "solutions", false},
	{"noise", NULL, "noise", false},
	{"machine", section_machine, "machine", false},
	{"chapters", NULL, "chapter", false},
	{"comparisons", NULL, "compare", false},
	{"traces", NULL, "traces", false},
	{"kernels", section_kernels, "kernels", false},
	{"tables", NULL, "tables", false},
	{"questions", NULL, "questions question", false},
	{"overview", NULL, "overview", false},
	{"cheatsheet", section_cheatsheet, "cheatsheet", false},
	{"appendix", section_appendix, "appendix definitions", false},
	{"environment", section_environment, "environment", false},
	{"exercises", section_exercises, "exercises", false},
	{"answers", section_answers, "answers", false},
	{0},
};

static const struct section *find(const char *name)
{
	for (const struct section *s = sections; s->name; s++)
		if (name && !strcmp(s->name, name))
			return s;
	return NULL;
}

/* Those of the course say nothing of traces of anybody's. */
static void build_section(struct document *d, const struct input *in, const struct section *s)
{
	const struct course_section *row = d->course ? d->course->sections : NULL;
	while (!s->build && row && row->name && strcmp(row->name, s->name) != 0)
		row++;
	if (s->build)
		s->build(d, in);
	else if (row && row->name)
		row->build(d, in);
}

static int check_course(const struct document *d, const struct input *in, struct err *err)
{
	for (int r = 0; r < in->n_runs && !d->course; r++)
		if (in->runs[r].of_matrix)
			return fail(err,
				"%s is a run of a matrix: its pages are those of the course, and this "
				"program was built without it (report/course)",
				in->runs[r].folder);
	for (int i = 0; i < recorded_shown(in); i++)
		if (check_course(d, &in->recorded->input[i], err))
			return -1;
	return 0;
}

/* Of windows, tabs and what a search finds: by what was read, since all are trace reports. */
static const char *title_of_traces(struct document *d, const struct run *run, int cases)
{
	const char *first = run->n_cases ? run->cases[0].title : "";
	return cases == 1 ? first
			  : said(d, "document.title.traces", "first", first, "n",
				    format_count(d->arena, cases - 1), NULL);
}

static void set_metadata(struct document *d, const struct input *in)
{
	const struct run *run = in->n_runs ? &in->runs[0] : NULL;
	bool ours = in->n_runs && run->of_matrix;
	int cases = 0;
	for (int r = 0; r < in->n_runs; r++)
		cases += in->runs[r].n_cases;
	struct arena *a = d->arena;
	d->title = ours || !cases ? said(d,
					    ours		  ? "document.title"
						    : !in->n_runs ? "document.title.sheet"
								  : "document.title.foreign",
					    NULL)
				  : title_of_traces(d, run, cases);
	d->subject = in->n_runs ? said(d, "document.subject", "n", format_count(a, cases), NULL)
				: said(d, "document.subject.sheet", NULL);
	d->created = ours && run->created[0] ? run->created : NULL;
	const char *commit = ours ? machine_fact(run->machine, "tracebook commit") : NULL;
	enum { SHORT_COMMIT = 12 };
	d->footer = commit ? said(d, "document.footer.commit", "commit",
				     arena_printf(a, "%.*s", SHORT_COMMIT, commit), NULL)
			   : said(d, "document.footer", NULL);
}

/* Appends the sections that `list` names, in its order. */
static int build_sections(struct document *d, const struct input *in, const cJSON *list,
	const char *name, struct err *err)
{
	const cJSON *entry;
	d->sections = list;
	cJSON_ArrayForEach(entry, list)
	{
		const struct section *s = find(cJSON_GetStringValue(entry));
		d->has_cases = d->has_cases || (s && s->of_cases);
	}
	cJSON_ArrayForEach(entry, list)
	{
		const struct section *s = find(cJSON_GetStringValue(entry));
		if (!s) {
			char known[256] = "";
			for (s = sections; s->name; s++)
				snprintf(known + strlen(known), sizeof known - strlen(known), " %s",
					s->name);
			return fail(err,
				"template \"%s\": there is no section \"%s\"; known are:%s", name,
				cJSON_IsString(entry) ? entry->valuestring : "?", known);
		}
		build_section(d, in, s);
	}
	return 0;
}

/* A run that was recorded elsewhere, as a document of its own first: what its sections ask of the
 * document, such as whether a place is there, they shall ask of their part. */
static int build_part(struct document *part, const struct document *d, const struct input *recorded,
	const cJSON *list, const char *name, struct err *err)
{
	document_init(part, d->arena, d->texts, d->fonts);
	part->label = recorded_label(d, &recorded->runs[0]);
	part->sections = d->sections;
	part->course = d->course;
	if (!cJSON_GetArraySize(list)) /* the document's own sections show them beside this run */
		return 0;
	document_add(part, BLOCK_PAGE, "");
	return build_sections(part, recorded, list, name, err);
}

/* Before the document's own sections, which link to them. */
static int build_parts(struct document *d, struct document *part, const struct input *in,
	const cJSON *list, const char *name, struct err *err)
{
	for (int i = 0; i < d->parts; i++)
		if (build_part(&part[i], d, &in->recorded->input[i], list, name, err))
			return -1;
	return 0;
}

static const struct report_case *case_at(const struct input *in, const char *place)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			if (!strcmp(in->runs[r].cases[i].place, place))
				return &in->runs[r].cases[i];
	return NULL;
}

/* Does a section make places of this name, some day? */
static bool makes(const struct section *s, const char *place)
{
	for (const char *p = s->places; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		if (!strncmp(place, p, n) && (!place[n] || place[n] == '-'))
			return true;
		p += n;
	}
	return false;
}

struct lookup {
	const struct document *d, *whole; /* whose links; the one that it becomes a part of */
	const struct input *in;
};

static bool is_elsewhere(const void *data, const char *place)
{
	const struct lookup *l = data;
	const struct report_case *c = case_at(l->in, place);
	if (c)
		return !case_is_shown(c) ||
			(!document_lists(l->d, "cases") && !document_lists(l->d, "trace"));
	if (l->whole && document_has_place(l->whole, place))
		return false;
	for (const struct section *s = sections; s->name; s++)
		if (makes(s, place))
			return !document_lists(l->d, s->name);
	return false;
}

static void loosen_part(
	const struct document *d, struct document *part, const struct input *in, int nth)
{
	document_loosen_links(
		part, is_elsewhere, &(struct lookup){part, d, &in->recorded->input[nth]}, false);
}

/* Then the parts are joined to it. Parts are asked before they are joined: a case of a part may be
 * called like one of this run. */
static void join_parts(struct document *d, struct document *part, const struct input *in)
{
	for (int i = 0; i < d->parts; i++)
		loosen_part(d, &part[i], in, i);
	for (int i = 0; i < d->parts; i++)
		document_join(d, &part[i], recorded_prefix(d->arena, i), part[i].label);
	document_loosen_links(d, is_elsewhere, &(struct lookup){d, NULL, in}, true);
}

void document_join_recorded(
	struct document *d, struct document *part, const struct input *in, int nth)
{
	loosen_part(d, part, in, nth);
	document_join(d, part, recorded_prefix(d->arena, nth), NULL);
}

/* Traces of anybody's, even beside a run, are shown whole when the template says how; one alone on
 * its own few pages. */
static const cJSON *sections_for(const struct input *in, const cJSON *layout)
{
	const cJSON *foreign = config_find(layout, "foreign"), *lone = config_find(layout, "lone");
	if (lone && input_lone(in))
		return lone;
	for (int r = 0; r < in->n_runs && foreign; r++)
		if (!in->runs[r].of_matrix)
			return foreign;
	return config_find(layout, "sections");
}

/* The user's title in place of its own, and the line under it. */
static void put_title(struct document *d, const struct input *in)
{
	struct block *b = d->first;
	while (b && b->kind != BLOCK_TITLE)
		b = b->next;
	if (!b && d->first && d->first->kind == BLOCK_HEADING)
		b = d->first;
	/* In windows, tabs and lists of files, too; there traces are called by their names. */
	if (b && in->n_runs && in->runs[0].of_matrix)
		d->title = rich_plain(d->arena, b->text);
	if (d->asked_title)
		d->title = d->asked_title;
	if (b && d->asked_title)
		b->text = literal(d, d->asked_title);
	if (!b || !d->byline)
		return;
	struct document line;
	document_init(&line, d->arena, d->texts, d->fonts);
	document_add(&line, BLOCK_TEXT, literal(d, d->byline));
	document_insert(d, b, &line);
}

int document_build(struct document *d, const struct input *in, const cJSON *layout,
	const char *name, struct err *err)
{
	if (check_course(d, in, err))
		return -1;
	set_metadata(d, in);
	const cJSON *list = sections_for(in, layout), *recorded = config_find(layout, "recorded");
	if (list == config_find(layout, "foreign") && config_find(layout, "recorded_foreign"))
		recorded = config_find(layout, "recorded_foreign");
	if (!cJSON_GetArraySize(list))
		return fail(err, "template \"%s\" lists no sections", name);
	const struct report_case *first = next_case(in, NULL);
	d->parts = cJSON_IsArray(recorded) ? recorded_shown(in) : 0;
	struct document *part = arena_array(d->arena, (size_t)d->parts + 1, sizeof *part);
	d->sections = list;
	d->part = part;
	if (build_parts(d, part, in, recorded, name, err) || build_sections(d, in, list, name, err))
		return -1;
	join_parts(d, part, in);
	d->part = NULL;
	d->floats = document_lists(d, "chapters") || document_lists(d, "exercises") ||
		(document_lists(d, "trace") && first && case_is_in_full(first));
	put_title(d, in);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/outputs.h"

#include "base/outfile.h"
#include "report/csv_report.h"
#include "report/html_report.h"
#include "report/json_report.h"
#include "report/page/markdown.h"
#include "report/read/cut.h"
#include "report/stacks_report.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static struct canvas_info info_of(const struct document *d)
{
	return (struct canvas_info){.title = d->title,
		.author = "tracebook",
		.subject = d->subject,
		.keywords = "profiling, trace, timeline",
		.lang = texts_lang(d->texts),
		.created = d->created};
}

static int write_pages(const struct output *o, const struct writing *w, struct err *err)
{
	const struct layout *l = o == &outputs[OUTPUT_ATLAS] ? w->atlas_layout : w->layout;
	struct canvas_info info = info_of(l->document);
	struct canvas *c = o->open(w->path[o - outputs], l->document->fonts, &info);
	layout_draw(l, c);
	return canvas_close_noting(c, w->path[o - outputs], w->undrawn, err);
}

/* The document whose figures are files of their own. */
static const struct document *with_figures(const struct writing *w)
{
	return w->atlas ? w->atlas : w->document;
}

enum { FIGURE_PATH = 4200 };

static void figure_path(char path[FIGURE_PATH], const struct output *o, const struct writing *w,
	const struct figure *f)
{
	snprintf(path, FIGURE_PATH, "%s/%s.%s", w->path[o - outputs], f->id, o->option);
}

static int check_figures(const struct output *o, const struct writing *w, struct err *err)
{
	char path[FIGURE_PATH];
	for (const struct block *b = with_figures(w)->first; b; b = b->next) {
		if (!b->figure)
			continue;
		figure_path(path, o, w, b->figure);
		if (overwrite_check_within(o->option, path, &o->mark, err))
			return -1;
	}
	return 0;
}

/* On paper of its own, with a margin and with its legend. */
static int write_figure(
	const struct output *o, const struct writing *w, const struct figure *f, struct err *err)
{
	static const double MARGIN = 6;
	const struct document *d = with_figures(w);
	char path[FIGURE_PATH];
	figure_path(path, o, w, f);
	struct canvas_info info = info_of(d);
	info.id = f->id;
	info.title = f->title;
	info.alt = f->shows;
	info.unnamed = true;
	struct canvas *c = o->open(path, d->fonts, &info);
	struct box box = {MARGIN, MARGIN, document_width, f->height},
		   paper = {0, 0, box.w + 2 * MARGIN, box.h + 2 * MARGIN};
	canvas_page(c, paper.w, paper.h, NULL);
	canvas_rect(c, paper, texts_colour(d->texts, "paper"));
	f->draw(c, box, f->data);
	if (f->legend)
		f->draw_legend(c, box, f->data);
	return canvas_close_noting(c, path, w->undrawn, err);
}

static int write_figures(const struct output *o, const struct writing *w, struct err *err)
{
	if (make_folders(w->path[o - outputs], err))
		return -1;
	for (const struct block *b = with_figures(w)->first; b; b = b->next)
		if (b->figure && write_figure(o, w, b->figure, err))
			return -1;
	return 0;
}

/* The way from a file to a folder; both exist. */
static const char *relative_folder(struct arena *a, const char *file, const char *folder)
{
	char *here = realpath(dirname(arena_strdup(a, file)), NULL),
	     *there = realpath(folder, NULL);
	const char *way = folder;
	if (here && there) {
		const char *from = arena_printf(a, "%s/", here);
		const char *to = arena_printf(a, "%s/", there);
		size_t same = 0;
		for (size_t i = 0; from[i] && from[i] == to[i]; i++)
			same = from[i] == '/' ? i + 1 : same;
		way = to + same;
		for (const char *p = from + same; (p = strchr(p, '/')); p++)
			way = arena_printf(a, "../%s", way);
		way = way[0] ? arena_strndup(a, way, strlen(way) - 1) : ".";
	}
	free(here);
	free(there);
	return way;
}

/* Not shown where Markdown is. */
#define MARKDOWN_MARK "\n<!-- tracebook -->\n"

/* Its pictures are the files of the SVG, unless those are the atlas's. */
static int write_markdown(const struct output *o, const struct writing *w, struct err *err)
{
	const char *path = w->path[o - outputs], *folder = w->atlas ? NULL : w->path[OUTPUT_SVG];
	struct arena scratch = {0};
	struct outfile out;
	if (outfile_open(&out, path, err))
		return -1;
	const struct document *d = w->comment ? w->comment : w->document;
	markdown_write(d, folder ? relative_folder(&scratch, path, folder) : NULL,
		document_has_place(d, "questions") ? "questions" : "cheatsheet", out.f);
	fputs(MARKDOWN_MARK, out.f);
	arena_release(&scratch);
	return outfile_close(&out, err);
}

static int write_json(const struct output *o, const struct writing *w, struct err *err)
{
	return json_report_write(w->input, w->expect, w->texts, w->path[o - outputs], err);
}

static int write_csv(const struct output *o, const struct writing *w, struct err *err)
{
	return csv_report_write(w->input, w->path[o - outputs], err);
}

static int write_stacks(const struct output *o, const struct writing *w, struct err *err)
{
	return stacks_report_write(w->input, w->path[o - outputs], err);
}

static int write_html(const struct output *o, const struct writing *w, struct err *err)
{
	return html_report_write(w->document, w->path[o - outputs], w->undrawn, err);
}

static int write_brief(const struct output *o, const struct writing *w, struct err *err)
{
	struct outfile out;
	if (outfile_open(&out, w->path[o - outputs], err))
		return -1;
	fputs(w->brief, out.f);
	fputs(MARKDOWN_MARK, out.f);
	return outfile_close(&out, err);
}

/* The only trace there is; NULL: there are others. */
static const struct trace *trace_to_cut(const struct input *in, struct err *err)
{
	const struct report_case *first = next_case(in, NULL), *second = next_case(in, first);
	if (first && !second && first->readable)
		return &first->trace;
	fail(err, "--cut writes a part of one trace, and %s",
		second ? "several are read: name one of them, or --rank R" : "none could be read");
	return NULL;
}

static int check_cut(const struct output *o, const struct writing *w, struct err *err)
{
	const struct trace *t = trace_to_cut(w->input, err);
	return t ? cut_check(t, w->path[o - outputs], err) : -1;
}

static int write_cut(const struct output *o, const struct writing *w, struct err *err)
{
	return cut_write(trace_to_cut(w->input, err), w->path[o - outputs], err);
}

static int check_csv(const struct output *o, const struct writing *w, struct err *err)
{
	struct arena scratch = {0};
	int result = 0;
	for (int i = 0; i < n_result_tables && !result; i++)
		result = overwrite_check_within(o->option,
			csv_report_path(&scratch, w->path[o - outputs], &result_tables[i]),
			&o->mark, err);
	arena_release(&scratch);
	return result;
}

#define ABOUT_PAGES "baseline recorded expect set template lang only compile-log " ABOUT_TRACES
const char about_pages[] = ABOUT_PAGES;
const char about_words[] = ABOUT_PAGES " title byline";
const char about_paper[] = ABOUT_PAGES " title byline paper traces-at";

const struct output outputs[OUTPUTS] = {
	[OUTPUT_PDF] = {"output", 'o', "FILE.pdf", "the report (default: report.pdf)", about_paper,
		true, write_pages, canvas_pdf, {"pdf", "%PDF-", NULL, "/Creator (tracebook)"},
		NULL},
	[OUTPUT_ATLAS] = {"atlas", 0, "FILE.pdf",
		"the atlas beside it, from one reading; --svg and --png are its figures",
		"baseline recorded expect set lang compile-log title byline paper " ABOUT_TRACES,
		true, write_pages, canvas_pdf, {"pdf", "%PDF-", NULL, "/Creator (tracebook)"},
		NULL},
	[OUTPUT_SVG] = {"svg", 0, "DIR", "every figure as SVG", about_pages, true, write_figures,
		canvas_svg,
		{"svg", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", NULL, NULL},
		check_figures},
	[OUTPUT_PNG] = {"png", 0, "DIR", "every figure as PNG", about_pages, true, write_figures,
		canvas_png, {"png", "\x89PNG\r\n", NULL, NULL}, check_figures},
	[OUTPUT_MARKDOWN] = {"markdown", 0, "FILE", "a summary for a pull request", about_words,
		true, write_markdown, NULL, {"md", NULL, MARKDOWN_MARK, NULL}, NULL},
	[OUTPUT_JSON] = {"json", 0, "FILE", "numbers, verdicts and findings as data",
		"baseline expect set lang compile-log " ABOUT_TRACES, false, write_json, NULL,
		{"json", "{\n  \"tracebook_report\": ", NULL, NULL}, NULL},
	[OUTPUT_CSV] = {"csv", 0, "DIR", "every table as CSV", ABOUT_TRACES, false, write_csv, NULL,
		{"csv", "trace,", NULL, NULL}, check_csv},
	[OUTPUT_STACKS] = {"stacks", 0, "FILE",
		"time by all that stands around it, for flamegraph.pl and speedscope", ABOUT_TRACES,
		false, write_stacks, NULL, {"folded", STACKS_MARK, NULL, NULL}, NULL},
	[OUTPUT_HTML] = {"html", 0, "FILE",
		"the report as one page for a browser; its tables sort and filter", about_words,
		true, write_html, NULL, {"html", HTML_MARK, NULL, NULL}, NULL},
	[OUTPUT_BRIEF] = {"brief", 0, "FILE",
		"the result in 2 kB of Markdown, for a chat or an agent",
		"baseline expect set lang " ABOUT_TRACES, true, write_brief, NULL,
		{"md", NULL, MARKDOWN_MARK, NULL}, NULL},
	[OUTPUT_CUT] = {"cut", 0, "FILE", "that part as a trace of its own, .json or .json.gz",
		ABOUT_TRACES, false, write_cut, NULL, {NULL, NULL, NULL, CUT_MEMBER}, check_cut},
};

bool outputs_any(const char *const path[OUTPUTS])
{
	bool any = false;
	for (int i = 0; i < OUTPUTS; i++)
		any = any || path[i];
	return any;
}

void outputs_plan(struct planned to[OUTPUTS], const char *const path[OUTPUTS])
{
	for (int i = 0; i < OUTPUTS; i++) {
		if (!outputs[i].mark.begins && !outputs[i].mark.ends && !outputs[i].mark.holds)
			bug("nothing tells the files of --%s", outputs[i].option);
		to[i] = (struct planned){outputs[i].option, path[i], &outputs[i].mark,
			!strcmp(outputs[i].arg, "DIR")};
	}
}

bool outputs_wanted(const struct writing *w, bool pages)
{
	bool any = false;
	for (int i = 0; i < OUTPUTS; i++)
		any = any || (w->path[i] && outputs[i].pages == pages);
	return any;
}

int outputs_check(const struct writing *w, bool pages, struct err *err)
{
	for (int i = 0; i < OUTPUTS; i++)
		if (w->path[i] && outputs[i].check && (pages || !outputs[i].pages) &&
			outputs[i].check(&outputs[i], w, err))
			return -1;
	return 0;
}

int outputs_write(const struct writing *w, bool pages, struct err *err)
{
	for (int i = 0; i < OUTPUTS; i++)
		if (w->path[i] && outputs[i].pages == pages &&
			outputs[i].write(&outputs[i], w, err))
			return -1;
	return 0;
}

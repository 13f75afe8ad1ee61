/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - traces in, documents out.
 */
#include "report/program.h"

#include "base/terminal.h"
#include "base/verbosity.h"
#include "report/check_status.h"
#include "report/compare/compare.h"
#include "report/dump.h"
#include "report/options.h"
#include "report/page/markdown.h"
#include "report/read/compile_log.h"
#include "report/read/read.h"
#include "report/run/learn.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/brief.h"
#include "report/section/headline.h"
#include "report/section/template_sections.h"
#include "report/warnings.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2, BROKEN_PREDICTION = 3, UNDECIDED = 5 };

/* All that the stages share. */
struct job {
	struct options o;
	struct texts *texts;
	struct fonts *fonts;
	struct input input, base;
	struct comparison comparison;
	struct recorded recorded;
	struct rule_settings settings;
	struct expectations expect;
	struct compile_logs compile_logs;
	struct arena arena;
	const struct course *course;
	struct document document, comment, atlas;
	char *brief; /* what --brief writes */
	struct layout *layout, *atlas_layout;
	bool refused; /* something would have been overwritten */
	struct err uncompared; /* why a run stands without what it was measured against */
	struct err undrawn; /* marks that were left out of an output, the first of them */
};

static int open_texts(struct job *j, struct err *err)
{
	if (!j->texts)
		j->texts = texts_open(NULL, j->o.lang ? j->o.lang : "en", err);
	return j->texts ? 0 : -1;
}

static const char *template_name(const struct options *o)
{
	return o->template ? o->template : "report";
}

static bool lists_section(const cJSON *template, const char *name)
{
	const cJSON *entry;
	cJSON_ArrayForEach(entry, config_find(template, "sections"))
	{
		if (cJSON_IsString(entry) && !strcmp(entry->valuestring, name))
			return true;
	}
	return false;
}

/* Options that this template has no pages for; what is wrong with the template itself is told when
 * the document is made. */
static int check_template(struct job *j, struct err *err)
{
	const struct options *o = &j->o;
	bool baseline = o->baseline && !o->check && !o->output[OUTPUT_JSON];
	struct err later = {0};
	if ((!baseline && !o->recorded && !o->only.n) || open_texts(j, &later))
		return 0;
	cJSON *template = texts_template(j->texts, template_name(o), &later);
	const char *idle = NULL;
	if (template && baseline && !lists_section(template, "baseline"))
		idle = "baseline";
	else if (template && o->recorded && !cJSON_IsArray(config_find(template, "recorded")))
		idle = "recorded";
	else if (template && o->only.n && !lists_section(template, "exercises") &&
		!lists_section(template, "answers"))
		idle = "only";
	cJSON_Delete(template);
	return idle ? fail(err, "--%s has no effect with --template %s: it has no such part", idle,
			      template_name(o))
		    : 0;
}

/* Two traces of anybody's are told by their comparison. */
static const char *template_of(const struct job *j)
{
	bool traces = j->comparison.n && j->input.n_runs == 1 && !j->input.runs[0].of_matrix;
	return !j->o.template && traces ? "comparison" : template_name(&j->o);
}

/* What a pull request needs of a comparison, a run of ours or traces of anybody's; NULL: the
 * document itself. */
static const char *comment_of(const struct job *j)
{
	if (j->o.template || !j->o.output[OUTPUT_MARKDOWN])
		return NULL;
	if (j->comparison.n)
		return "comment";
	int foreign = 0;
	for (int r = 0; r < j->input.n_runs; r++)
		foreign += !j->input.runs[r].of_matrix;
	return foreign == j->input.n_runs ? (foreign ? "note" : NULL) : foreign ? NULL : "brief";
}

static void begin_document(struct job *j, struct document *d)
{
	const struct options *o = &j->o;
	document_init(d, &j->arena, j->texts, j->fonts);
	d->course = j->course;
	d->asked_title = o->title;
	d->byline = o->byline;
	d->traces_at = o->traces_at;
	d->only = o->only.item;
	d->n_only = o->only.n;
	while (o->paper && strcmp(d->paper->name, o->paper) != 0)
		d->paper++;
}

/* Another document of the same input. */
static int make_beside(struct job *j, struct document *d, const char *name, struct err *err)
{
	cJSON *template = texts_template(j->texts, name, err);
	if (!template)
		return -1;
	begin_document(j, d);
	int result = document_build(d, &j->input, template, name, err);
	cJSON_Delete(template);
	return result;
}

/* As much as has room. */
static void make_brief(struct job *j)
{
	for (int detail = 0; detail < SHORT_NOTE_DETAILS; detail++) {
		struct document d;
		size_t n;
		free(j->brief);
		begin_document(j, &d);
		brief_build(&d, &j->input, detail);
		FILE *f = open_memstream(&j->brief, &n);
		if (!f)
			bug("no memory for a note");
		markdown_write(&d, NULL, NULL, f);
		fclose(f);
		if (n <= SHORT_NOTE_BYTES)
			return;
	}
}

static int make_document(struct job *j, struct err *err)
{
	const char *name = template_of(j);
	j->fonts = open_texts(j, err) ? NULL : fonts_open(err);
	if (!j->fonts)
		return -1;
	cJSON *template = texts_template(j->texts, name, err);
	if (!template)
		return -1;
	if (!j->input.n_runs && !cJSON_IsFalse(config_find(template, "traces"))) {
		cJSON_Delete(template);
		return fail(err, "template \"%s\" is about traces, and none is named", name);
	}
	begin_document(j, &j->document);
	int result = document_build(&j->document, &j->input, template, name, err);
	if (!result && j->o.only.n && !document_questions(&j->document, &j->input))
		result = fail(err, "--only: no case of these has a question: %s%s",
			j->o.only.item[0], j->o.only.n > 1 ? " ..." : "");
	if (!result && comment_of(j))
		result = make_beside(j, &j->comment, comment_of(j), err);
	if (!result && j->o.output[OUTPUT_ATLAS])
		result = make_beside(j, &j->atlas, "atlas", err);
	if (!result && j->o.output[OUTPUT_BRIEF])
		make_brief(j);
	cJSON_Delete(template);
	if (result || texts_error(j->texts, err))
		return -1;
	j->layout = layout_document(&j->arena, &j->document);
	if (j->o.output[OUTPUT_ATLAS])
		j->atlas_layout = layout_document(&j->arena, &j->atlas);
	talk_detail("template %s: %d pages", name, j->layout->n_pages);
	return texts_error(j->texts, err);
}

static int dump(struct job *j, struct err *err)
{
	if (!strcmp(j->o.dump, "trace"))
		dump_traces(&j->input);
	else if (!strcmp(j->o.dump, "analysis"))
		dump_analyses(&j->input);
	bool pages = !strcmp(j->o.dump, "canvas");
	if (!pages && strcmp(j->o.dump, "document") != 0)
		return 0;
	if (make_document(j, err))
		return -1;
	if (!pages) {
		document_dump(&j->document, stdout);
		return 0;
	}
	struct canvas *c = canvas_text(stdout);
	layout_draw(j->layout, c);
	return canvas_close(c, err);
}

/* Where a document is written to stdout, what is judged is talk: it goes to stderr, until
 * print_again(). */
static int printed_beside(const struct options *o)
{
	bool taken = false;
	for (int i = 0; i < OUTPUTS; i++)
		taken |= o->output[i] && !strcmp(o->output[i], "-");
	int kept = taken && !fflush(stdout) ? dup(STDOUT_FILENO) : -1;
	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

static void print_again(int kept)
{
	if (kept < 0)
		return;
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

static int check(struct job *j, int *status, struct err *err)
{
	if (open_texts(j, err))
		return -1;
	int kept = printed_beside(&j->o);
	enum check_result result = check_print(&j->input, &j->expect, j->texts, &j->o.gate);
	print_again(kept);
	*status = result == CHECK_BROKEN    ? BROKEN_PREDICTION
		: result == CHECK_UNDECIDED ? UNDECIDED
					    : DONE;
	if (result == CHECK_NOTHING && !j->o.talk.quiet && !fflush(stdout))
		talk_warn(
			"nothing was judged: these traces come without predictions, and no --expect names any");
	return texts_error(j->texts, err);
}

/* What a run was measured against, where that is told and there. A report does without it, a check
 * does not. */
static int read_against(struct job *j, struct err *err)
{
	struct err *why = j->o.check ? err : &j->uncompared;
	if (!input_read_against(&j->base, &j->input, why))
		return 0;
	input_release(&j->base);
	j->base = (struct input){0};
	return j->o.check ? -1 : 0;
}

/* Before and after the same part is compared. */
static struct reading reading_of(const struct job *j)
{
	return (struct reading){.settings = &j->settings,
		.part = j->o.part.some ? &j->o.part : NULL,
		.dumped = j->o.dump && !strcmp(j->o.dump, "trace")};
}

static int read_baseline(struct job *j, struct err *err)
{
	if (!j->o.baseline && read_against(j, err))
		return -1;
	if (!j->o.baseline && !j->base.n_runs)
		return 0;
	const struct reading how = reading_of(j);
	if (j->o.baseline && input_read_as(&j->base, &j->o.baseline, 1, &how, err))
		return err_note(err, "--baseline");
	if (j->o.expect)
		expectations_apply_base(&j->expect, &j->base);
	j->comparison = comparison_of(&j->arena, &j->base, &j->input, &j->o.gate);
	const char *first;
	if (!j->comparison.n && (input_cut(&j->base, &first) || input_cut(&j->input, &first)))
		return fail(err,
			"nothing could be compared: %s is not whole, or was not read whole, and what "
			"is missing may decide",
			first);
	if (!j->comparison.n && !j->o.baseline)
		return fail(err,
			"nothing could be compared: the programs before have no case of this run at the "
			"same size");
	if (!j->comparison.n)
		return fail(err,
			"--baseline: nothing could be compared: no case of %s, and no file name of its "
			"traces, stands on the other side (at the same size); where each side is one "
			"trace, names do not matter",
			j->o.baseline);
	const struct report_case *empty = comparison_lacks(&j->comparison);
	if (empty)
		return fail(err, "nothing could be compared: %s holds no time of a step or of work",
			empty->id);
	j->input.base = &j->base;
	j->input.comparison = &j->comparison;
	return 0;
}

static int write_all(struct job *j, int *status, struct err *err)
{
	if (read_baseline(j, err))
		return -1;
	j->recorded.settings = &j->settings;
	if (j->o.recorded && recorded_read(&j->recorded, j->o.recorded, err))
		return err_note(err, "--recorded");
	j->input.recorded = j->o.recorded ? &j->recorded : NULL;
	if (j->o.compile_log && compile_logs_read(&j->compile_logs, j->o.compile_log, err))
		return err_note(err, "--compile-log");
	j->input.compile_logs = j->o.compile_log ? &j->compile_logs : NULL;
	if (j->o.dump)
		return dump(j, err);
	struct writing w = {.input = &j->input,
		.expect = &j->expect,
		.document = &j->document,
		.atlas = j->o.output[OUTPUT_ATLAS] ? &j->atlas : NULL,
		.undrawn = &j->undrawn};
	memcpy(w.path, j->o.output, sizeof w.path);
	bool pages = outputs_wanted(&w, true);
	int made = pages ? make_document(j, err) : 0;
	j->refused = outputs_check(&w, pages && !made, err);
	if (j->refused)
		return -1;
	if (j->o.table)
		dump_tables(&j->input, j->o.talk.quiet);
	if (j->o.learn && learn_write(&j->input, j->o.learn, err))
		return -1;
	if (outputs_wanted(&w, false) && open_texts(j, err))
		return -1;
	w.texts = j->texts;
	if (outputs_write(&w, false, err) || (j->o.check && check(j, status, err)))
		return -1;
	if (made || !pages)
		return made;
	w.layout = j->layout;
	w.atlas_layout = j->atlas_layout;
	w.brief = j->brief;
	w.comment = comment_of(j) ? &j->comment : NULL;
	return outputs_write(&w, true, err);
}

/* For a person who waits: what was written, and of a lone trace what limits it. A program or a file
 * that takes stderr is told nothing. */
static void tell_of_outputs(const struct job *j)
{
	if (j->o.talk.quiet || !isatty(STDERR_FILENO))
		return;
	const struct report_case *lone = input_lone(&j->input);
	const struct breakdown *p = lone && lone->readable ? lone->breakdown : NULL;
	char pages[80] = "", limit[120] = "";
	if (j->layout)
		snprintf(pages, sizeof pages, ": %d page%s", j->layout->n_pages,
			j->layout->n_pages == 1 ? "" : "s");
	if (j->layout && p && p->headline != HEADLINE_NONE && !j->comparison.n)
		snprintf(limit, sizeof limit, ", %s (%.0f %%)", headline_word(&j->document, lone),
			100 * headline_share(lone));
	for (int i = 0; i < OUTPUTS; i++)
		if (j->o.output[i] && strcmp(j->o.output[i], "-") != 0)
			talk_tell("%s%s%s", j->o.output[i], i == OUTPUT_PDF ? pages : "",
				i == OUTPUT_PDF ? limit : "");
	if (j->o.learn && strcmp(j->o.learn, "-") != 0)
		talk_tell("%s", j->o.learn);
}

static int flush_stdout(struct err *err)
{
	if (fflush(stdout) || ferror(stdout))
		return fail_errno(err, "cannot write to standard output");
	return 0;
}

/* What --set says counts more than the file of expectations. */
static int set_thresholds(struct job *j, struct err *err)
{
	j->settings = j->expect.settings;
	for (int i = 0; i < j->o.set.n; i++)
		if (rule_set_threshold(&j->settings, j->o.set.item[i], err))
			return err_note(err, "--set");
	j->input.settings = &j->settings;
	return 0;
}

static int read_input(struct job *j, struct err *err)
{
	if (j->o.expect && expectations_read(&j->expect, j->o.expect, err))
		return -1;
	if (set_thresholds(j, err))
		return -1;
	if (!j->o.paths.n)
		return 0;
	double began = talk_clock();
	const struct reading how = reading_of(j);
	int result = input_read_as(&j->input, j->o.paths.item, j->o.paths.n, &how, err);
	tell_of_input(&j->input, talk_clock() - began);
	return result;
}

static void warn(const struct job *j)
{
	if (j->o.talk.quiet)
		return;
	if (j->undrawn.set)
		talk_warn("%s", j->undrawn.text);
	if (j->uncompared.set)
		talk_warn("%s", j->uncompared.text);
	warn_of_links(&j->document);
	if (!j->document.lost_link)
		warn_of_links(j->comment.lost_link ? &j->comment : &j->atlas);
	warn_of_letters(j->fonts);
	warn_of_input(&j->input);
	warn_of_input(&j->base);
	for (int i = 0; i < j->recorded.n; i++)
		warn_of_input(&j->recorded.input[i]);
}

static int run(struct job *j, int *status, struct err *err)
{
	if (read_input(j, err))
		return -1;
	if (j->o.expect && expectations_apply(&j->expect, &j->input, err))
		return -1;
	if (write_all(j, status, err) || flush_stdout(err))
		return -1;
	tell_of_outputs(j);
	warn(j);
	const char *first;
	int cut = input_cut(&j->base, &first) + input_cut(&j->input, &first);
	if (cut && j->o.check)
		return fail(err, "--check: %d trace%s not whole and %s not judged; the first: %s",
			cut, cut == 1 ? " is" : "s are", cut == 1 ? "was" : "were", first);
	if (j->input.unreadable)
		return fail(err, "%d trace%s could not be read; the first: %s", j->input.unreadable,
			j->input.unreadable == 1 ? "" : "s", j->input.first_problem);
	return 0;
}

static void release(struct job *j)
{
	input_release(&j->input);
	input_release(&j->base);
	recorded_release(&j->recorded);
	expectations_release(&j->expect);
	compile_logs_release(&j->compile_logs);
	free(j->brief);
	fonts_close(j->fonts);
	texts_close(j->texts);
	arena_release(&j->arena);
	options_release(&j->o);
}

int report_main(int argc, char **argv, const struct course *course)
{
	struct err err = {0};
	struct job j = {.course = course};
	int judged = DONE;
	talk_as("report", argc ? argv[0] : NULL);
	terminal_guard();
	signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is a full disk */
	int status = DONE, parsed = options_parse(&j.o, argc, argv, &err);
	if (!parsed)
		parsed = set_thresholds(&j, &err);
	if (!parsed)
		parsed = check_template(&j, &err);
	if (!parsed)
		parsed = options_check_overwriting(&j.o, &err);
	if (parsed < 0)
		status = WRONG_USAGE;
	else if (parsed ? flush_stdout(&err)
			: options_confine(&j.o, &err) || run(&j, &judged, &err))
		status = j.refused ? WRONG_USAGE : FAILED;
	if (err.set)
		fprintf(stderr, "%s: %s\n", talk_self(), err.text);
	if (status == DONE)
		status = judged;
	release(&j);
	return status;
}

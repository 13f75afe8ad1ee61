/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - traces in, documents out.
 */
#include "base/confine.h"
#include "base/memory.h"
#include "base/opt.h"
#include "base/program.h"
#include "base/talk.h"
#include "base/terminal.h"
#include "report/canvas/libraries.h"
#include "report/check.h"
#include "report/compare/compare.h"
#include "report/dump.h"
#include "report/outputs.h"
#include "report/parse/gzip.h"
#include "report/read/read.h"
#include "report/run/learn.h"
#include "report/run/recorded.h"
#include "report/section/section.h"
#include "report/tally/tally.h"
#include "report/warnings.h"

#include <signal.h>
#include <string.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2, BROKEN_PREDICTION = 3 };

struct options {
	const char *output[OUTPUTS], *baseline, *recorded, *expect, *learn, *memory, *template;
	const char *lang, *dump, *title, *byline, *paper;
	bool table, check;
	struct talk_options talk;
	struct opt_list paths, set, only;
};

static void print_version(FILE *f)
{
	struct arena a = {0};
	program_print_version(f, "report");
	libraries_print(f);
	fprintf(f, "%s\n", inflater_library(&a));
	arena_release(&a);
}

static const struct usage usage = {
	.program = "report",
	.paths = "PATH...",
	.purpose =
		"Reads traces, ours or anybody's, and writes a report: PDF, SVG, PNG, Markdown.\n"
		"PATH is a trace (.json, .json.gz) or a folder that holds traces or runs.",
	.epilogue =
		"exit status: 0 done, 1 failed, 2 wrong usage, 3 a prediction was broken or a case became slower\nthan its baseline (--check only)",
	.version = print_version,
};

/* What is done besides writing, and the options that have an effect on it. */
static const struct opt_mode modes[] = {
	{"dump=trace", "memory", true},
	{"dump=analysis", "expect set memory", true},
	{"dump=document", about_words, true},
	{"dump=canvas", about_paper, true},
	{"learn", "expect set memory", false},
	{"check", "baseline expect set memory lang", false},
	{"table", "memory", false},
	{"", about_paper, false},
};

/* Those that have an effect when no trace is named, which a template may allow. */
static const char without_traces[] =
	"output markdown set template lang title byline paper dump=document dump=canvas";

static int check_paths(const struct options *o, const struct opt *table, struct err *err)
{
	if (o->paths.n)
		return 0;
	const struct opt *idle = opt_other_than(table, without_traces);
	if (o->template && idle)
		return fail(err, "no trace is named: --%s has no effect with --template alone",
			idle->name);
	return o->template ? 0 : fail(err, "no trace is named; --help shows how");
}

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt others[] = {
		{"baseline", 0, OPT_INPUT, "PATH", "an earlier run to compare with", &o->baseline},
		{"recorded", 0, OPT_FOLDER, "DIR",
			"runs recorded elsewhere, as a part of their own; not beside a GPU's",
			&o->recorded},
		{"expect", 0, OPT_INPUT, "FILE", "predictions for traces of your own", &o->expect},
		{"learn", 0, OPT_OUTPUT, "FILE", "write what is seen as such predictions",
			&o->learn},
		{"set", 0, OPT_LIST, "ID.threshold=VALUE",
			"another threshold of a finding; repeatable", &o->set},
		{"memory", 0, OPT_TEXT, "SIZE",
			"traces take no more, like 4G (default: half of what there is)",
			&o->memory},
		{"template", 0, OPT_TEXT, "NAME",
			"report (default), atlas, handout, answers, cheatsheet", &o->template},
		{"lang", 0, OPT_TEXT, "TAG", "language of the words (default: en)", &o->lang},
		{"only", 0, OPT_LIST, "GLOB",
			"of handout and answers: only cases whose experiment/tag or tag matches",
			&o->only},
		{"title", 0, OPT_TEXT, "TEXT", "in place of the document's own", &o->title},
		{"byline", 0, OPT_TEXT, "TEXT", "under the title: who, what course, when",
			&o->byline},
		{"paper", 0, OPT_CHOICE, "a4|letter", "size of the pages (default: a4)", &o->paper},
		{"dump", 0, OPT_CHOICE, "trace|analysis|document|canvas", "print one stage as text",
			&o->dump},
		{"table", 0, OPT_FLAG, NULL, "print the profiler table", &o->table},
		{"check", 0, OPT_FLAG, NULL, "judge the predictions and set the exit status",
			&o->check},
		OPT_QUIET(&o->talk),
		OPT_VERBOSE(&o->talk),
	};
	struct opt table[OUTPUTS + sizeof others / sizeof *others + 1] = {0};
	struct opt_mode done[OUTPUTS + sizeof modes / sizeof *modes + 1] = {0};
	for (int i = 0; i < OUTPUTS; i++) {
		const struct output *to = &outputs[i];
		table[i] = (struct opt){to->option, to->letter,
			strcmp(to->arg, "DIR") ? OPT_OUTPUT : OPT_FOLDER, to->arg, to->help,
			&o->output[i]};
		done[i] = (struct opt_mode){to->option, to->uses, false};
	}
	memcpy(table + OUTPUTS, others, sizeof others);
	memcpy(done + OUTPUTS, modes, sizeof modes);
	int result = opt_parse(&usage, table, argc, argv, &o->paths, err);
	if (!result)
		result = talk_begin("report", &o->talk, err);
	if (!result)
		result = opt_check_modes(table, done, err);
	if (!result)
		result = opt_check_streams(table, &o->paths, err);
	memory_limit(o->memory ? memory_of_text(o->memory, err) : memory_found(""));
	if (err->set && !result)
		result = err_note(err, "--memory");
	return result ? result : check_paths(o, table, err);
}

/* All that the stages share. */
struct job {
	struct options o;
	struct texts *texts;
	struct fonts *fonts;
	struct input input, base;
	struct comparison comparison;
	struct recorded recorded;
	struct detect_settings settings;
	struct expectations expect;
	struct arena arena;
	struct document document, comment;
	struct layout *layout;
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
	bool traces = j->comparison.n && j->input.n_runs == 1 && !j->input.runs[0].manifest;
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
		foreign += !j->input.runs[r].manifest;
	return foreign == j->input.n_runs ? (foreign ? "note" : NULL) : foreign ? NULL : "brief";
}

static void begin_document(struct job *j, struct document *d)
{
	const struct options *o = &j->o;
	document_init(d, &j->arena, j->texts, j->fonts);
	d->asked_title = o->title;
	d->byline = o->byline;
	d->only = o->only.item;
	d->n_only = o->only.n;
	while (o->paper && strcmp(d->paper->name, o->paper) != 0)
		d->paper++;
}

static int make_comment(struct job *j, const char *name, struct err *err)
{
	cJSON *template = texts_template(j->texts, name, err);
	if (!template)
		return -1;
	begin_document(j, &j->comment);
	int result = document_build(&j->comment, &j->input, template, name, err);
	cJSON_Delete(template);
	return result;
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
		result = make_comment(j, comment_of(j), err);
	cJSON_Delete(template);
	if (result || texts_error(j->texts, err))
		return -1;
	j->layout = layout_document(&j->arena, &j->document);
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

static void print_tables(const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (c->run->n_cases > 1 || in->n_runs > 1)
			terminal_print("%s\n", c->id);
		if (!c->readable)
			continue;
		struct arena arena = {0};
		struct profiler_table table = tally_profiler_table(&arena, c->analysis, false);
		profiler_table_print(stdout, &table, SIZE_MAX, c->analysis->device);
		arena_release(&arena);
	}
}

static int check(struct job *j, bool *broken, struct err *err)
{
	if (open_texts(j, err))
		return -1;
	enum check_result result = check_print(&j->input, &j->expect, j->texts);
	*broken = result == CHECK_BROKEN;
	if (result == CHECK_NOTHING && !j->o.talk.quiet && !fflush(stdout))
		fputs("report: warning: nothing was judged: these traces come without predictions, and "
		      "no --expect names any\n",
			stderr);
	return texts_error(j->texts, err);
}

static int read_baseline(struct job *j, struct err *err)
{
	if (!j->o.baseline && input_read_against(&j->base, &j->input, err))
		return -1;
	if (!j->o.baseline && !j->base.n_runs)
		return 0;
	if (j->o.baseline && input_read_set(&j->base, &j->o.baseline, 1, &j->settings, err))
		return err_note(err, "--baseline");
	if (j->o.expect)
		expectations_apply_base(&j->expect, &j->base);
	j->comparison = comparison_of(&j->arena, &j->base, &j->input);
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

static int write_all(struct job *j, bool *broken, struct err *err)
{
	if (read_baseline(j, err))
		return -1;
	j->recorded.settings = &j->settings;
	if (j->o.recorded && recorded_read(&j->recorded, j->o.recorded, err))
		return err_note(err, "--recorded");
	j->input.recorded = j->o.recorded ? &j->recorded : NULL;
	if (j->o.dump)
		return dump(j, err);
	struct writing w = {.input = &j->input,
		.expect = &j->expect,
		.document = &j->document,
		.undrawn = &j->undrawn};
	memcpy(w.path, j->o.output, sizeof w.path);
	if (!outputs_wanted(&w, true) && !outputs_wanted(&w, false) && !j->o.table && !j->o.check &&
		!j->o.learn)
		w.path[OUTPUT_PDF] = "report.pdf";
	if (j->o.table)
		print_tables(&j->input);
	if (j->o.learn && learn_write(&j->input, j->o.learn, err))
		return -1;
	if (outputs_wanted(&w, false) && open_texts(j, err))
		return -1;
	w.texts = j->texts;
	if (outputs_write(&w, false, err) || (j->o.check && check(j, broken, err)))
		return -1;
	if (!outputs_wanted(&w, true))
		return 0;
	if (make_document(j, err))
		return -1;
	w.layout = j->layout;
	w.comment = comment_of(j) ? &j->comment : NULL;
	return outputs_write(&w, true, err);
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
		if (detect_set(&j->settings, j->o.set.item[i], err))
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
	int result = input_read_set(&j->input, j->o.paths.item, j->o.paths.n, &j->settings, err);
	tell_of_input(&j->input, talk_clock() - began);
	return result;
}

static void warn(const struct job *j)
{
	if (j->o.talk.quiet)
		return;
	if (j->undrawn.set)
		fprintf(stderr, "report: warning: %s\n", j->undrawn.text);
	warn_of_letters(stderr, j->fonts);
	warn_of_input(stderr, &j->input);
	warn_of_input(stderr, &j->base);
	for (int i = 0; i < j->recorded.n; i++)
		warn_of_input(stderr, &j->recorded.input[i]);
}

static int run(struct job *j, bool *broken, struct err *err)
{
	if (read_input(j, err))
		return -1;
	if (j->o.expect && expectations_apply(&j->expect, &j->input, err))
		return -1;
	if (write_all(j, broken, err) || flush_stdout(err))
		return -1;
	warn(j);
	if (j->input.unreadable)
		return fail(err, "%d trace%s could not be read; the first: %s", j->input.unreadable,
			j->input.unreadable == 1 ? "" : "s", j->input.first_problem);
	return 0;
}

/* Before the first byte of a stranger is read. */
static void confine_to(const struct options *o)
{
	const char *written[OUTPUTS + 2] = {[OUTPUTS] = o->learn, [OUTPUTS + 1] = "report.pdf"};
	memcpy(written, o->output, sizeof o->output);
	confine(written, OUTPUTS + 2);
}

static void release(struct job *j)
{
	input_release(&j->input);
	input_release(&j->base);
	recorded_release(&j->recorded);
	expectations_release(&j->expect);
	fonts_close(j->fonts);
	texts_close(j->texts);
	arena_release(&j->arena);
	opt_list_release(&j->o.paths);
	opt_list_release(&j->o.set);
	opt_list_release(&j->o.only);
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct job j = {0};
	bool broken = false;
	terminal_guard();
	signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is a full disk */
	int status = DONE, parsed = parse(&j.o, argc, argv, &err);
	if (!parsed)
		parsed = set_thresholds(&j, &err);
	if (!parsed)
		parsed = check_template(&j, &err);
	if (!parsed)
		confine_to(&j.o);
	if (parsed < 0)
		status = WRONG_USAGE;
	else if (parsed ? flush_stdout(&err) : run(&j, &broken, &err))
		status = FAILED;
	if (err.set)
		fprintf(stderr, "report: %s\n", err.text);
	if (status == DONE && broken)
		status = BROKEN_PREDICTION;
	release(&j);
	return status;
}

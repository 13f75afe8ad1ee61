/* SPDX-License-Identifier: Apache-2.0 */
#include "report/options.h"

#include "base/memory.h"
#include "base/program_version.h"
#include "base/sandbox.h"
#include "report/canvas/libraries.h"
#include "report/parse/gzip.h"
#include "report/read/nsys.h"

#include <stdlib.h>
#include <string.h>

static void print_version(FILE *f)
{
	struct arena a = {0};
	program_print_version(f, "report");
	libraries_print(f);
	fprintf(f, "%s\n", inflater_library(&a));
	fprintf(f, "SQLite %s\n", nsys_library());
	arena_release(&a);
}

static const struct usage usage = {
	.program = "report",
	.paths = "PATH...",
	.purpose =
		"Reads traces, ours or anybody's, and writes a report: PDF, SVG, PNG, Markdown.\n"
		"PATH is a trace (.json, .json.gz, .pftrace, .sqlite of nsys export, .pickle of a memory snapshot), or a\n"
		"folder that holds traces or runs.",
	.epilogue =
		"exit status: 0 done, 1 failed, 2 wrong usage, 3 a prediction was broken, a case became slower\nthan its baseline or took too long, 5 nothing could be decided (--check only; 5: --fail-on inconclusive)",
	.version = print_version,
};

/* What is done besides writing, and the options that have an effect on it. */
static const struct opt_mode modes[] = {
	{"dump=trace", ABOUT_TRACES, true},
	{"dump=analysis", "expect set " ABOUT_TRACES, true},
	{"dump=document", about_words, true},
	{"dump=canvas", about_paper, true},
	{"learn", "expect set " ABOUT_TRACES, false},
	{"check", "baseline expect set lang fail-on " ABOUT_TRACES, false},
	{"table", ABOUT_TRACES, false},
	{"", about_paper, false},
};

/* Those that have an effect when no trace is named, which a template may allow. */
static const char without_traces[] =
	"output markdown set template lang title byline paper traces-at dump=document dump=canvas";

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

static int parse_gate(struct options *o, struct err *err)
{
	for (int i = 0; i < o->fail_on.n; i++)
		if (gate_parse(&o->gate, o->fail_on.item[i], err))
			return -1;
	return 0;
}

enum { OTHERS = 25, MODES = sizeof modes / sizeof *modes };

/* Outputs first; the row behind the last is empty. */
static void list_options(struct options *o, struct opt table[OUTPUTS + OTHERS + 1])
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
		{"compile-log", 0, OPT_INPUT, "PATH",
			"the log of torch.compile beside the trace, or TORCH_TRACE's folder",
			&o->compile_log},
		{"from", 0, OPT_TEXT, "T",
			"of each trace what begins from then on, as 12.5ms from its begin",
			&o->part.from},
		{"to", 0, OPT_TEXT, "T", "and before then", &o->part.to},
		{"step", 0, OPT_TEXT, "N", "of each trace step N, or N-M", &o->part.step},
		{"range", 0, OPT_TEXT, "NAME",
			"of each trace the first range of that name; NAME/K: the Kth, from 0",
			&o->part.range},
		{"rank", 0, OPT_TEXT, "R", "the trace of rank R, of several or in one",
			&o->part.rank},
		{"template", 0, OPT_TEXT, "NAME",
			"report (default), atlas, handout, answers, cheatsheet", &o->template},
		{"lang", 0, OPT_TEXT, "TAG", "language of the words (default: en)", &o->lang},
		{"only", 0, OPT_LIST, "GLOB",
			"of handout and answers: only cases whose experiment/tag or tag matches",
			&o->only},
		{"title", 0, OPT_TEXT, "TEXT", "in place of the document's own", &o->title},
		{"byline", 0, OPT_TEXT, "TEXT", "under the title: who, what course, when",
			&o->byline},
		{"traces-at", 0, OPT_TEXT, "URL",
			"where a book's traces can be had: its list leads to Perfetto",
			&o->traces_at},
		{"paper", 0, OPT_CHOICE, "a4|letter", "size of the pages (default: a4)", &o->paper},
		{"dump", 0, OPT_CHOICE, "trace|analysis|document|canvas", "print one stage as text",
			&o->dump},
		{"table", 0, OPT_FLAG, NULL, "print the profiler table", &o->table},
		{"check", 0, OPT_FLAG, NULL, "judge the predictions and set the exit status",
			&o->check},
		{"fail-on", 0, OPT_LIST, "RULE",
			"of --check: slower=3%, step=20ms, inconclusive (status 5); repeatable",
			&o->fail_on},
		OPT_QUIET(&o->talk),
		OPT_VERBOSE(&o->talk),
	};
	_Static_assert(sizeof others / sizeof *others == OTHERS, "all of them");
	for (int i = 0; i < OUTPUTS; i++) {
		const struct output *to = &outputs[i];
		table[i] = (struct opt){to->option, to->letter,
			strcmp(to->arg, "DIR") ? OPT_OUTPUT : OPT_FOLDER, to->arg, to->help,
			&o->output[i]};
	}
	memcpy(table + OUTPUTS, others, sizeof others);
}

int options_parse(struct options *o, int argc, char **argv, struct err *err)
{
	struct opt table[OUTPUTS + OTHERS + 1] = {0};
	struct opt_mode done[OUTPUTS + MODES + 1] = {0};
	list_options(o, table);
	for (int i = 0; i < OUTPUTS; i++)
		done[i] = (struct opt_mode){outputs[i].option, outputs[i].uses, false};
	memcpy(done + OUTPUTS, modes, sizeof modes);
	int result = opt_parse(&usage, table, argc, argv, &o->paths, err);
	if (!result)
		result = talk_begin(&o->talk, err);
	if (!result)
		result = opt_check_modes(table, done, err);
	if (!result)
		result = opt_check_streams(table, &o->paths, err) ? -1 : parse_gate(o, err);
	o->part.cut = o->output[OUTPUT_CUT];
	if (!result)
		result = part_of_trace_parse(&o->part, err);
	if (!result && !outputs_any(o->output) && !o->dump && !o->table && !o->check && !o->learn)
		o->output[OUTPUT_PDF] = "report.pdf";
	memory_limit(o->memory ? memory_of_text(o->memory, err) : memory_found(""));
	if (err->set && !result)
		result = err_note(err, "--memory");
	return result ? result : check_paths(o, table, err);
}

int options_check_overwriting(const struct options *o, struct err *err)
{
	static const struct file_mark learnt = {
		"json", "{\n  \"tracebook_expectations\": ", NULL, NULL};
	struct planned planned[OUTPUTS + 1] = {[OUTPUTS] = {"learn", o->learn, &learnt, false}};
	outputs_plan(planned, o->output);
	const char **read = xcalloc((size_t)o->paths.n + 4, sizeof *read);
	int n = 0;
	for (; n < o->paths.n; n++)
		read[n] = o->paths.item[n];
	const char *const others[] = {o->baseline, o->recorded, o->expect, o->compile_log};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i])
			read[n++] = others[i];
	int result = overwrite_check(planned, OUTPUTS + 1, read, n, err);
	free(read);
	return result;
}

int options_confine(const struct options *o, struct err *err)
{
	const char *written[OUTPUTS + 1] = {[OUTPUTS] = o->learn};
	memcpy(written, o->output, sizeof o->output);
	return sandbox(written, OUTPUTS + 1, err);
}

void options_release(struct options *o)
{
	opt_list_release(&o->paths);
	opt_list_release(&o->set);
	opt_list_release(&o->only);
	opt_list_release(&o->fail_on);
}

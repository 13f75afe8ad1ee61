/* SPDX-License-Identifier: Apache-2.0 */
/* collect: runs the experiments of a matrix on a device and writes their traces. */
#include "base/opt.h"
#include "base/program_version.h"
#include "base/terminal.h"
#include "collect/chosen_cases.h"
#include "collect/command_rounds.h"
#include "collect/merge.h"
#include "collect/rounds.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status { DONE = 0, FAILED = 1, WRONG_USAGE = 2, NO_DEVICE = 4 };

struct options {
	const char *device, *out, *shard, *repeat, *against;
	struct opt_list only, rest;
	bool list, dry_run, keep_going, counters, deep, merge;
	struct command_options command;
	char *const *argv; /* of the command, NULL: a matrix runs */
};

static void print_version(FILE *f)
{
	struct arena a = {0};
	struct err err = {0};
	const char *folder = program_folder(&a, &err);
	program_print_version(f, "collect");
	if (folder)
		devices_print_libraries(f, &a, folder);
	program_print_library(f, "cJSON", cJSON_Version());
	arena_release(&a);
}

static const struct usage usage = {
	.program = "collect",
	.paths = "[MATRIX.json | --merge DIR... | [--] COMMAND [ARG]...]",
	.purpose =
		"Runs the cases of a matrix on a device, each in a process of its own, and writes\n"
		"their traces, profiler tables and run.json to DIR/<device>/.\n\n"
		"With COMMAND: runs a program that nobody changed to its end, and records its start\n"
		"and a steady window: PyTorch by its own profiler, else what uses CUDA or NVTX.",
	.epilogue =
		"Without MATRIX.json: experiments/matrix.json, here or beside the program.\n"
		"A case that was measured before from the same specification by the same programs\n"
		"is kept. A case that fails costs only itself: the others run, and the status is 1,\n"
		"or 0 with --keep-going. The folder of the run is printed on stdout.\n\n"
		"Counting runs each case once more, in a process of its own in which nothing is\n"
		"timed. A machine that does not allow it gives a run without counters.\n\n"
		"exit status: 0 done, 1 failed, 2 wrong usage, 4 the wished device is not there;\n"
		"of COMMAND: the command's own, 127 when there is no such command",
	.version = print_version,
};

/* What is done, and the options that have an effect on it; others are wrong usage beside it. */
static const char of_command[] = "after for steps with report out repeat against";
static const struct opt_mode modes[] = {
	{"list", "only shard", true},
	{"merge", "out", true},
	{"dry-run", "device only out shard", true},
	{"", "device only out keep-going counters deep shard repeat against", false},
	{"after", of_command, false}, /* refused before this table is asked */
	{0},
};

static bool ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);
	return n > m && !strcmp(word + n - m, end);
}

static int check_command(const struct options *o, const struct opt *table, struct err *err)
{
	const struct opt *other = opt_other_than(table, of_command);
	const char *program = o->argv[0];
	if (other)
		return fail(err, "--%s is about a matrix: it has no effect with a command",
			other->name);
	if (o->rest.n)
		return fail(err, "a matrix or a command, not both: \"%s\" and \"%s\"",
			o->rest.item[0], program);
	if (ends_with(program, ".py") && (!strchr(program, '/') || access(program, X_OK)))
		return fail(err, "a script needs its Python: collect python3 %s", program);
	return 0;
}

static int check_matrix(const struct options *o, const struct opt *table, struct err *err)
{
	const char *of_matrix = "device only list dry-run out keep-going counters deep shard merge "
				"repeat against";
	const struct opt *other = opt_other_than(table, of_matrix);
	if (other && !o->list && !o->dry_run && !o->merge)
		return fail(err, "--%s is about a program: collect --%s ... -- COMMAND",
			other->name, other->name);
	if (opt_check_modes(table, modes, err))
		return -1;
	if (o->merge && !o->rest.n)
		return fail(err, "--merge takes the folders of the runs");
	if (o->rest.n > 1 && !o->merge)
		return fail(err, "one matrix at a time: \"%s\" and \"%s\"", o->rest.item[0],
			o->rest.item[1]);
	return 0;
}

/* A pipe, as a shell's <(...) makes one, or a device. */
static bool cannot_run(const char *path)
{
	struct stat st;
	return !stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

/* Our words end at "--", or at the first that is no matrix; what follows is the command, whatever
 * it looks like. */
static int split_command(
	struct options *o, const struct opt *table, int argc, char **argv, struct err *err)
{
	int first = opt_first_word(table, argc, argv), i = first;
	bool is_matrix = false;
	for (int k = 1; k < first; k++)
		is_matrix = is_matrix || !strcmp(argv[k], "--merge");
	if (first < argc && !is_matrix)
		is_matrix = ends_with(argv[first], ".json") || !strcmp(argv[first], "-") ||
			cannot_run(argv[first]);
	while (is_matrix && i < argc && strcmp(argv[i], "--") != 0)
		i++;
	if (i == argc)
		return argc;
	int command = i + !strcmp(argv[i], "--");
	if (command == argc)
		return fail(err, "no command behind --: collect [options] -- COMMAND [ARG]...");
	o->argv = argv + command;
	return i;
}

static int parse(struct options *o, struct arena *words, int argc, char **argv, struct err *err)
{
	struct command_options *c = &o->command;
	const struct opt table[] = {
		{"device", 'd', OPT_CHOICE, device_words(words), "where to run (default: auto)",
			&o->device},
		{"only", 0, OPT_LIST, "GLOB", "only cases whose experiment/tag or tag matches",
			&o->only},
		{"list", 'l', OPT_FLAG, NULL, "print the cases and end", &o->list},
		{"dry-run", 'n', OPT_FLAG, NULL, "print what would run, with estimates, and end",
			&o->dry_run},
		{"out", 'o', OPT_FOLDER, "DIR", "folder of the results (default: out/traces)",
			&o->out},
		{"keep-going", 'k', OPT_FLAG, NULL, "status 0 even if cases failed",
			&o->keep_going},
		{"counters", 0, OPT_FLAG, NULL, "count by the GPU's counters, after all is timed",
			&o->counters},
		{"deep", 0, OPT_FLAG, NULL, "the same with counters that take several passes",
			&o->deep},
		{"repeat", 0, OPT_TEXT, "N",
			"record N times (default: by the matrix; --against: 24, command: 8)",
			&o->repeat},
		{"against", 0, OPT_FOLDER, "DIR",
			"in turn with an earlier build; of a command: run in DIR, too",
			&o->against},
		{"shard", 0, OPT_TEXT, "K/N|auto",
			"only every Nth case, from the Kth on; auto: as Slurm counts", &o->shard},
		{"merge", 0, OPT_FLAG, NULL,
			"put the runs in DIR... together (default of --out: out/traces/merged)",
			&o->merge},
		{"after", 0, OPT_TEXT, "T|N",
			"of a command: record after a time or N steps, not from its start",
			&c->after},
		{"for", 0, OPT_TEXT, "T", "of a command: length of its window (default: 500ms)",
			&c->for_},
		{"steps", 0, OPT_TEXT, "N", "of a command: record N optimizer steps", &c->steps},
		{"with", 0, OPT_TEXT, "LIST",
			"of a command: shapes,stacks (default),memory,flops or none", &c->with},
		{"report", 0, OPT_OUTPUT, "FILE.pdf", "of a command: print a report of it",
			&c->report},
		OPT_QUIET(&c->talk),
		OPT_VERBOSE(&c->talk),
		{0},
	};
	int ours = split_command(o, table, argc, argv, err);
	int result = ours < 0 ? -1 : opt_parse(&usage, table, ours, argv, &o->rest, err);
	if (result || talk_begin(&c->talk, err) || opt_check_streams(table, &o->rest, err))
		return result ? result : -1;
	return o->argv ? check_command(o, table, err) : check_matrix(o, table, err);
}

static const char *matrix_path(struct arena *a, const struct options *o, const char *folder)
{
	static const char usual[] = "experiments/matrix.json";
	if (o->rest.n)
		return o->rest.item[0];
	if (!access(usual, F_OK))
		return usual;
	const char *built = arena_printf(a, "%s/../../%s", folder, usual);
	return access(built, F_OK)
		? arena_printf(a, "%s/../../../share/tracebook/%s", folder, usual)
		: built;
}

static size_t n_selected(const struct runner *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->matrix->n_cases; i++)
		n += r->selected[i];
	return n;
}

static void print_list(const struct matrix *m, const bool *selected)
{
	for (size_t i = 0; i < m->n_cases; i++)
		if (selected[i])
			terminal_print("%-48s %s\n", m->cases[i].id, m->cases[i].title);
}

static void print_summary(const struct runner *r)
{
	fprintf(stderr, "%zu measured, %zu kept, %zu failed: %s\n", r->n_done, r->n_kept,
		r->n_failed, r->manifest.path);
}

static enum status measure(struct runner *r, const struct options *o, struct err *err)
{
	struct old_programs old;
	int rounds;
	if (rounds_parse(&rounds, o->repeat, o->against ? AGAINST_ROUNDS : 0, err) ||
		(o->against &&
			old_programs_find(&old, r->arena, o->against,
				o->rest.n ? o->rest.item[0] : NULL, r->matrix->path, err)))
		return WRONG_USAGE;
	int result = rounds_run(r, rounds, o->against ? &old : NULL, err);
	if ((!result && !o->command.talk.quiet) || interrupt_seen(r->interrupt))
		print_summary(r);
	if (!result)
		printf("%s\n", r->folder);
	return result || (r->n_failed && !o->keep_going) ? FAILED : DONE;
}

static enum status run(
	struct runner *r, const struct options *o, const char *folder, struct err *err)
{
	const char *out = o->out ? o->out : "out/traces";
	struct shard shard;
	if (shard_parse(&shard, o->shard, err))
		return FAILED;
	if (shard.n)
		out = arena_printf(r->arena, "%s/shard-%ld-of-%ld", out, shard.k, shard.n);
	if (runner_open(r, arena_printf(r->arena, "%s/%s", out, r->device->name), folder, err))
		return FAILED;
	if (o->dry_run)
		return runner_plan(r, err) ? FAILED : DONE;
	return measure(r, o, err);
}

/* `given` names matrix, selection and arena. */
static enum status on_device(
	const struct runner *given, const struct options *o, const char *folder, struct err *err)
{
	struct interrupt interrupt;
	struct choice device = {0};
	if (interrupt_open(&interrupt, err))
		return FAILED;
	struct runner r = *given;
	r.device = &device;
	r.interrupt = &interrupt;
	enum status status = FAILED;
	if (!choose_device(&device, r.arena, o->device, folder, &interrupt, err)) {
		talk_detail("device %s: %s (%s)", device.name, device.info.name, device.library);
		status = run(&r, o, folder, err);
	} else if (!interrupt_seen(&interrupt))
		status = NO_DEVICE;
	interrupt_close(&interrupt);
	return status;
}

static enum status with_matrix(const struct options *o, struct err *err)
{
	struct arena arena = {0};
	struct matrix matrix = {0};
	enum status status = FAILED;
	const char *folder = program_folder(&arena, err);
	if (!folder || matrix_read(&matrix, matrix_path(&arena, o, folder), err))
		goto out;
	struct runner r = {.matrix = &matrix,
		.arena = &arena,
		.quiet = o->command.talk.quiet,
		.counting = o->deep   ? COUNTING_DEEP
			: o->counters ? COUNTING_PLAIN
				      : COUNTING_NONE};
	r.selected = arena_array(&arena, matrix.n_cases, sizeof *r.selected);
	struct shard shard;
	int rounds;
	if (rounds_parse(&rounds, o->repeat, o->against ? AGAINST_ROUNDS : 0, err) ||
		select_cases(&matrix, &o->only, r.selected, err) ||
		shard_parse(&shard, o->shard, err)) {
		status = WRONG_USAGE; /* before a device is tried */
		goto out;
	}
	shard_select(&shard, r.selected, matrix.n_cases);
	talk_detail(
		"%s: %zu cases, %zu of them wanted", matrix.path, matrix.n_cases, n_selected(&r));
	status = DONE;
	if (o->list)
		print_list(&matrix, r.selected);
	else
		status = on_device(&r, o, folder, err);
out:
	matrix_release(&matrix);
	arena_release(&arena);
	return status;
}

static enum status with_runs(const struct options *o, struct err *err)
{
	const char *out = o->out ? o->out : "out/traces/merged";
	if (merge_runs(o->rest.item, (size_t)o->rest.n, out, err))
		return FAILED;
	printf("%s\n", out);
	return DONE;
}

/* Comes back only when the command was not started. */
static int with_command(struct options *o, struct err *err)
{
	struct arena arena = {0};
	struct recording_options wish;
	int status = WRONG_USAGE, rounds;
	o->command.out = o->out;
	if (!command_recording_options(&wish, &o->command, err) &&
		!rounds_parse(&rounds, o->repeat, o->against ? AGAINST_COMMANDS : 0, err)) {
		const char *folder = program_folder(&arena, err);
		status = !folder ? -1
			: rounds
			? command_rounds(&o->command, rounds, o->against, o->argv, folder, err)
			: command_run(&o->command, &wish, o->argv, folder, err);
	}
	arena_release(&arena);
	return status < 0 ? FAILED : status;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	struct arena words = {0};
	struct err err = {0};
	int status = DONE;
	talk_as("collect", argc ? argv[0] : NULL);
	terminal_guard();
	int parsed = parse(&o, &words, argc, argv, &err);
	if (parsed < 0)
		status = WRONG_USAGE;
	else if (parsed == 0)
		status = o.argv	  ? with_command(&o, &err)
			: o.merge ? (int)with_runs(&o, &err)
				  : (int)with_matrix(&o, &err);
	if (status == DONE && (fflush(stdout) || ferror(stdout)))
		status = fail_errno(&err, "cannot write to stdout") ? FAILED : DONE;
	if (err.set)
		fprintf(stderr, "%s: %s\n", talk_self(), err.text);
	opt_list_release(&o.only);
	opt_list_release(&o.rest);
	arena_release(&words);
	return status;
}

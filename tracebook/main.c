/* SPDX-License-Identifier: Apache-2.0 */
/* tracebook: one name for the programs, as git has it: `tracebook report ...` runs report. */
#include "base/arena.h"
#include "base/program_version.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

static const struct command {
	const char *name, *help;
} commands[] = {
	{"collect", "run the experiments of a matrix, or record a command, and write traces"},
	{"report", "read traces, ours or anybody's, and write a report"},
};

static void print_help(FILE *f)
{
	fputs("usage: tracebook [-q | -v] COMMAND [ARG]...\n"
	      "       tracebook PATH...          the same as tracebook report PATH...\n\ncommands:\n",
		f);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].help);
	fputs("\n-q, --quiet and -v, --verbose may stand before the command or behind it.\n"
	      "tracebook COMMAND --help tells more.\n",
		f);
}

static const struct command *find(const char *word)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(commands[i].name, word))
			return &commands[i];
	return NULL;
}

/* Where the programs are: beside this one as it is built, in libexec as it is installed. */
static const char *program_path(struct arena *a, const char *name, struct err *err)
{
	static const char *const places[] = {"", "/../libexec/tracebook/bin"};
	const char *self = program_folder(a, err);
	for (size_t i = 0; self && i < sizeof places / sizeof *places; i++) {
		const char *path = arena_printf(a, "%s%s/%s", self, places[i], name);
		if (!access(path, X_OK))
			return path;
	}
	if (self)
		fail(err, "there is no %s in %s or %s%s: install tracebook again", name, self, self,
			places[1]);
	return NULL;
}

/* Runs it in place of this program; argv[0] tells it by which name it was called. */
static int become(struct arena *a, const char *name, char **arguments, int n, struct err *err)
{
	const char *path = program_path(a, name, err);
	if (!path)
		return FAILED;
	char **argv = arena_array(a, (size_t)n + 2, sizeof *argv);
	argv[0] = arena_printf(a, "tracebook %s", name);
	memcpy(argv + 1, arguments, (size_t)n * sizeof *argv);
	execv(path, argv);
	fail_errno(err, "cannot run %s", path);
	return FAILED;
}

/* Says how much is said, which is the command's to know. */
static bool is_about_talk(const char *word)
{
	static const char *const words[] = {"-q", "--quiet", "-v", "--verbose"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* The first word that is not, if it is a command, stands first from here on. */
static void command_first(int argc, char **argv)
{
	int i = 1;
	while (i < argc && is_about_talk(argv[i]))
		i++;
	if (i == argc || !find(argv[i]))
		return;
	char *command = argv[i];
	memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof *argv);
	argv[1] = command;
}

/* A word without a dot or a slash that is no file was meant as a command. */
static bool meant_as_command(const char *word)
{
	return word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK);
}

static int run(struct arena *a, int argc, char **argv, struct err *err)
{
	if (argc < 2) {
		print_help(stderr);
		return WRONG_USAGE;
	}
	command_first(argc, argv);
	const char *word = argv[1];
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
		(!strcmp(word, "help") && argc == 2)) {
		print_help(stdout);
		return DONE;
	}
	char ask[] = "--help", *asked = ask;
	if (!strcmp(word, "--version"))
		return become(a, "report", argv + 1, 1, err);
	if (!strcmp(word, "help") && find(argv[2]))
		return become(a, argv[2], &asked, 1, err);
	if (find(word))
		return become(a, word, argv + 2, argc - 2, err);
	if (!meant_as_command(word))
		return become(a, "report", argv + 1, argc - 1, err);
	fail(err, "there is no command and no file \"%s\"; --help lists the commands", word);
	return WRONG_USAGE;
}

int main(int argc, char **argv)
{
	struct arena arena = {0};
	struct err err = {0};
	int status = run(&arena, argc, argv, &err);
	if (status == DONE && (fflush(stdout) || ferror(stdout))) {
		fail_errno(&err, "cannot write to stdout");
		status = FAILED;
	}
	if (err.set)
		fprintf(stderr, "tracebook: %s\n", err.text);
	arena_release(&arena);
	return status;
}

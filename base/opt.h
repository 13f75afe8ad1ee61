/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt.h - one table of options gives parsing, --help and the messages.
 *
 * Long options as `--name value` or `--name=value`, short ones as `-o value`; `--` ends them.
 * Options and paths may be mixed. Every option may be given once, OPT_LIST any number of times.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

enum opt_kind {
	OPT_FLAG, /* to: bool, set to true */
	OPT_TALK, /* the same, of what is said meanwhile: it goes with whatever is done */
	OPT_TEXT, /* to: const char *, lent from argv */
	OPT_INPUT, /* the same, a path to read: "-" becomes OPT_STDIN */
	OPT_OUTPUT, /* the same, a file to write: outfile_open takes "-" for stdout */
	OPT_FOLDER, /* the same, a folder: "-" is refused */
	OPT_LIST, /* to: struct opt_list, lent from argv */
	OPT_CHOICE /* to: const char *, one of the words of `arg`, which are separated by '|' */
};

/* What "-" means where a path is read. */
#define OPT_STDIN "/dev/stdin"

#define OPT_VERSION_HELP "print the version, and those of the libraries that are found"

struct opt_list {
	const char **item; /* (n) owned, the texts are lent */
	int n;
};

struct opt {
	const char *name; /* without the dashes; NULL ends the table */
	char letter; /* short form, 0 for none */
	enum opt_kind kind;
	const char *arg; /* what the value is called in --help */
	const char *help; /* one line */
	void *to;
};

/* Something that a program does, for programs whose options do not all have an effect on all that
 * they do. */
struct opt_mode {
	const char *mode; /* the option that chooses it, "table", or a value of it, "dump=trace";
			     "": what is done when no other is chosen; NULL ends the table */
	const char *uses; /* the other options that have an effect on it, between blanks */
	bool alone; /* nothing else is done: options that choose other modes have no effect */
};

struct usage {
	const char *program; /* "report"; --help says argv[0] where that is "tracebook report" */
	const char *paths; /* what follows the options, "PATH..." or "[MATRIX.json]" */
	const char *purpose; /* one sentence */
	const char *epilogue; /* exit status and the like; may be NULL */
	void (*version)(FILE *f); /* prints what --version shows; NULL: there is no such option */
};

/* Parses argv[1..argc). What is not an option goes to rest, which the caller has set to {0} and
 * frees with opt_list_release. Returns 0; 1 when --help, --version or --describe was asked (printed
 * to stdout); -1 on wrong usage. */
int opt_parse(const struct usage *usage, const struct opt *table, int argc, char **argv,
	struct opt_list *rest, struct err *err);

/* Paths to read behind the options: "-" becomes OPT_STDIN. Refuses two inputs from stdin, and two
 * outputs to stdout; returns -1 then, else 0. */
int opt_check_streams(const struct opt *table, struct opt_list *rest, struct err *err);

/* Refuses the first option that was given and has no effect on anything that is done, naming it and
 * what is done instead; returns -1 then, else 0. Of several modes that are alone the first of the
 * table is done. An option that the table of modes does not know at all is a bug. */
int opt_check_modes(const struct opt *table, const struct opt_mode *modes, struct err *err);

/* Where the first word stands in argv that is neither an option nor the value of one; that may be
 * "--". argc: there is none. */
int opt_first_word(const struct opt *table, int argc, char **argv);

/* Was it given? */
bool opt_given(const struct opt *o);

/* The first option that was given and is none of `words`, as in opt_mode.uses; NULL: there is none.
 */
const struct opt *opt_other_than(const struct opt *table, const char *words);

void opt_help(FILE *f, const struct usage *usage, const struct opt *table);
/* The table for programs, which --describe prints: man pages and completion are made of it
 * (tracebook/forms.awk). Rows of fields separated by tabs, each after the program's name: paths,
 * purpose and epilogue with their text, then an `option` for each: name, letter,
 * flag|text|list|choice, what its value is called, help. In a text \n is a line's end. */
void opt_describe(FILE *f, const struct usage *usage, const struct opt *table);
void opt_list_release(struct opt_list *list);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"

/* A text of several lines as one field of a table: a line's end is \n, a backslash \\. */
static void put_field(FILE *f, const char *text)
{
	for (const char *c = text ? text : ""; *c; c++) {
		if (*c == '\n')
			fputs("\\n", f);
		else if (*c == '\\')
			fputs("\\\\", f);
		else
			fputc(*c, f);
	}
}

static void put_row(FILE *f, const char *program, const char *key, const char *text)
{
	fprintf(f, "%s\t%s\t", program, key);
	put_field(f, text);
	fputc('\n', f);
}

void opt_describe(FILE *f, const struct usage *usage, const struct opt *table)
{
	static const char *const kinds[] = {[OPT_FLAG] = "flag",
		[OPT_TALK] = "flag",
		[OPT_TEXT] = "text",
		[OPT_INPUT] = "text",
		[OPT_OUTPUT] = "text",
		[OPT_FOLDER] = "text",
		[OPT_LIST] = "list",
		[OPT_CHOICE] = "choice"};
	const char *program = usage->program;
	put_row(f, program, "paths", usage->paths);
	put_row(f, program, "purpose", usage->purpose);
	put_row(f, program, "epilogue", usage->epilogue);
	for (const struct opt *o = table; o->name; o++) {
		char letter[2] = {o->letter, '\0'};
		fprintf(f, "%s\toption\t%s\t%s\t%s\t%s\t%s\n", program, o->name, letter,
			kinds[o->kind], o->arg ? o->arg : "", o->help);
	}
	if (usage->version)
		fprintf(f, "%s\toption\tversion\t\tflag\t\t%s\n", program, OPT_VERSION_HELP);
	fprintf(f, "%s\toption\thelp\th\tflag\t\tprint this\n", program);
}

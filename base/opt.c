/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"
#include "base/min_max.h"

#include "base/nearest.h"
#include <stdlib.h>
#include <string.h>

void opt_list_release(struct opt_list *list)
{
	free(list->item);
	*list = (struct opt_list){0};
}

static void list_add(struct opt_list *list, const char *text)
{
	list->item = xrealloc(list->item, (size_t)list->n + 1, sizeof *list->item);
	list->item[list->n++] = text;
}

static const struct opt *find_long(const struct opt *table, const char *name, size_t n)
{
	for (const struct opt *o = table; o->name; o++)
		if (strlen(o->name) == n && !strncmp(o->name, name, n))
			return o;
	return NULL;
}

static const struct opt *find_short(const struct opt *table, char letter)
{
	for (const struct opt *o = table; o->name; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static bool is_choice(const char *words, const char *value)
{
	size_t n = strlen(value);
	for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
		if (!strncmp(w, value, n) && (w[n] == '|' || !w[n]) && n)
			return true;
	return false;
}

static int store(const struct opt *o, const char *value, struct err *err)
{
	switch (o->kind) {
	case OPT_FLAG:
	case OPT_TALK:
		*(bool *)o->to = true;
		return 0;
	case OPT_LIST:
		list_add(o->to, value);
		return 0;
	case OPT_CHOICE:
		if (!is_choice(o->arg, value))
			return fail(
				err, "--%s takes one of %s, not \"%s\"", o->name, o->arg, value);
		break;
	case OPT_FOLDER:
		if (!strcmp(value, "-"))
			return fail(err, "--%s wants a folder, which - is not", o->name);
		break;
	case OPT_TEXT:
	case OPT_INPUT:
	case OPT_OUTPUT:
		break;
	}
	const char **to = o->to;
	if (*to)
		return fail(err, "--%s is given twice: \"%s\" and \"%s\"", o->name, *to, value);
	*to = o->kind == OPT_INPUT && !strcmp(value, "-") ? OPT_STDIN : value;
	return 0;
}

int opt_check_streams(const struct opt *table, struct opt_list *rest, struct err *err)
{
	const char *reads = NULL, *writes = NULL;
	for (const struct opt *o = table; o->name; o++) {
		bool in = o->kind == OPT_INPUT, out = o->kind == OPT_OUTPUT;
		const char *value = in || out ? *(const char **)o->to : NULL;
		if (!value || strcmp(value, in ? OPT_STDIN : "-") != 0)
			continue;
		const char **before = in ? &reads : &writes;
		if (*before)
			return fail(err, "--%s and --%s both want std%s", *before, o->name,
				in ? "in" : "out");
		*before = o->name;
	}
	for (int i = 0; i < rest->n; i++) {
		if (strcmp(rest->item[i], "-") != 0)
			continue;
		if (reads)
			return fail(err, "stdin is read once, and - is given twice");
		rest->item[i] = OPT_STDIN;
		reads = "";
	}
	return 0;
}

static int no_option(const struct opt *table, const char *word, size_t n, struct err *err)
{
	char typed[80];
	snprintf(typed, sizeof typed, "%.*s", (int)n, n ? word + 2 : "");
	struct nearest meant = {.typed = typed};
	for (const struct opt *o = table; o->name; o++)
		nearest_try(&meant, o->name);
	if (meant.name)
		return fail(err, "there is no option %s; did you mean --%s?", word, meant.name);
	return fail(err, "there is no option %s; --help lists them", word);
}

static const struct opt *find(const struct opt *table, const char *word, size_t n)
{
	return word[1] == '-' ? find_long(table, word + 2, n)
		: !word[2]    ? find_short(table, word[1])
			      : NULL;
}

/* Of the name in a long option. */
static size_t name_size(const char *word)
{
	return word[1] == '-' ? strcspn(word, "=") - 2 : 0;
}

static bool is_alone(const struct opt *o)
{
	return o->kind == OPT_FLAG || o->kind == OPT_TALK;
}

/* One option at argv[i]; returns how many words it took, or -1. */
static int take(const struct opt *table, int argc, char **argv, int i, struct err *err)
{
	const char *word = argv[i];
	const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
	const struct opt *o = find(table, word, name_size(word));
	if (!o)
		return no_option(table, word, name_size(word), err);
	if (is_alone(o) && equals)
		return fail(err, "--%s takes no value", o->name);
	if (is_alone(o))
		return store(o, NULL, err) ? -1 : 1;
	const char *value = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;
	if (!value)
		return fail(err, "%s needs a value: %s", word, o->arg);
	return store(o, value, err) ? -1 : equals ? 1 : 2;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

int opt_first_word(const struct opt *table, int argc, char **argv)
{
	int i = 1;
	while (i < argc && is_option(argv[i]) && strcmp(argv[i], "--") != 0) {
		const struct opt *o = find(table, argv[i], name_size(argv[i]));
		i += o && !is_alone(o) && !strchr(argv[i], '=') ? 2 : 1;
	}
	return min_int(i, argc);
}

int opt_parse(const struct usage *usage, const struct opt *table, int argc, char **argv,
	struct opt_list *rest, struct err *err)
{
	struct usage called = *usage;
	if (argc && !strncmp(argv[0], "tracebook ", 10))
		called.program = argv[0];
	for (int i = 1; i < argc;) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			opt_help(stdout, &called, table);
			return 1;
		}
		if (!strcmp(argv[i], "--describe")) {
			opt_describe(stdout, usage, table);
			return 1;
		}
		if (usage->version && !strcmp(argv[i], "--version")) {
			usage->version(stdout);
			return 1;
		}
		if (!strcmp(argv[i], "--")) {
			for (i++; i < argc; i++)
				list_add(rest, argv[i]);
			break;
		}
		if (!is_option(argv[i])) {
			list_add(rest, argv[i++]);
			continue;
		}
		int used = take(table, argc, argv, i, err);
		if (used < 0)
			return -1;
		i += used;
	}
	return 0;
}

bool opt_given(const struct opt *o)
{
	switch (o->kind) {
	case OPT_FLAG:
	case OPT_TALK:
		return *(const bool *)o->to;
	case OPT_LIST:
		return ((const struct opt_list *)o->to)->n > 0;
	case OPT_TEXT:
	case OPT_INPUT:
	case OPT_OUTPUT:
	case OPT_FOLDER:
	case OPT_CHOICE:
		break;
	}
	return *(const char *const *)o->to;
}

/* Is the option one of the words, by its name, or with its value as "name=value"? */
static bool among(const char *words, const struct opt *o)
{
	size_t n = strlen(o->name);
	for (const char *w = words; *w; w += strcspn(w, " "), w += strspn(w, " ")) {
		size_t length = strcspn(w, " ");
		if (length < n || strncmp(w, o->name, n) != 0)
			continue;
		if (length == n)
			return true;
		const char *value = w[n] == '=' && opt_given(o) ? *(const char **)o->to : NULL;
		if (value && strlen(value) == length - n - 1 &&
			!strncmp(w + n + 1, value, length - n - 1))
			return true;
	}
	return false;
}

const struct opt *opt_other_than(const struct opt *table, const char *words)
{
	for (const struct opt *o = table; o->name; o++)
		if (opt_given(o) && o->kind != OPT_TALK && !among(words, o))
			return o;
	return NULL;
}

/* The option that chose a mode; NULL: it was not chosen. */
static const struct opt *chooser(const struct opt *table, const struct opt_mode *mode)
{
	for (const struct opt *o = table; o->name; o++)
		if (opt_given(o) && among(mode->mode, o))
			return o;
	return NULL;
}

/* The mode that alone is done, or the first of those that are, or that without an option. */
static const struct opt_mode *leading(const struct opt *table, const struct opt_mode *modes)
{
	const struct opt_mode *first = NULL, *otherwise = NULL;
	for (const struct opt_mode *m = modes; m->mode; m++) {
		bool chosen = chooser(table, m);
		if (chosen && m->alone)
			return m;
		first = chosen && !first ? m : first;
		otherwise = *m->mode ? otherwise : m;
	}
	return first ? first : otherwise;
}

static bool has_effect(const struct opt *table, const struct opt_mode *modes,
	const struct opt_mode *lead, const struct opt *o)
{
	for (const struct opt_mode *m = modes; m->mode; m++) {
		bool done = m == lead || (!lead->alone && chooser(table, m));
		if (done && (among(m->mode, o) || among(m->uses, o)))
			return true;
	}
	return false;
}

static void assert_known(const struct opt *o, const struct opt_mode *modes)
{
	size_t n = strlen(o->name);
	for (const struct opt_mode *m = modes; m->mode; m++)
		if (among(m->uses, o) ||
			(!strncmp(m->mode, o->name, n) && (!m->mode[n] || m->mode[n] == '=')))
			return;
	bug("no mode knows the option --%s", o->name);
}

int opt_check_modes(const struct opt *table, const struct opt_mode *modes, struct err *err)
{
	const struct opt_mode *lead = leading(table, modes);
	for (const struct opt *o = table; o->name; o++) {
		if (o->kind == OPT_TALK)
			continue;
		assert_known(o, modes);
		if (!opt_given(o) || has_effect(table, modes, lead, o))
			continue;
		const struct opt *by = chooser(table, lead);
		return fail(err, "--%s has no effect with --%s%s%s", o->name, by ? by->name : "",
			by && by->kind == OPT_CHOICE ? " " : "",
			by && by->kind == OPT_CHOICE ? *(const char **)by->to : "");
	}
	return 0;
}

enum { HELP_COLUMN = 36 };

void opt_help(FILE *f, const struct usage *usage, const struct opt *table)
{
	fprintf(f, "usage: %s [options] %s\n\n%s\n\noptions:\n", usage->program, usage->paths,
		usage->purpose);
	for (const struct opt *o = table; o->name; o++) {
		char left[80];
		snprintf(left, sizeof left, "%c%c%c --%s %s", o->letter ? '-' : ' ',
			o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name,
			o->arg ? o->arg : "");
		if (strlen(left) > HELP_COLUMN)
			fprintf(f, "  %s\n  %-*s %s\n", left, HELP_COLUMN, "", o->help);
		else
			fprintf(f, "  %-*s %s\n", HELP_COLUMN, left, o->help);
	}
	fprintf(f, "  %-*s %s\n", HELP_COLUMN, "-h, --help", "print this");
	if (usage->version)
		fprintf(f, "  %-*s %s\n", HELP_COLUMN, "    --version", OPT_VERSION_HELP);
	if (usage->epilogue)
		fprintf(f, "\n%s\n", usage->epilogue);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/command.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	size_t offset; /* of a bool in struct record_with */
} withs[] = {
	{"shapes", offsetof(struct record_with, shapes)},
	{"stacks", offsetof(struct record_with, stacks)},
	{"memory", offsetof(struct record_with, memory)},
	{"flops", offsetof(struct record_with, flops)},
};

enum { WITHS = sizeof withs / sizeof *withs };

static bool is_with(const struct record_with *with, int i)
{
	return *(const bool *)((const char *)with + withs[i].offset);
}

/* "500ms", "2s", "1.5 s", "3m", "1h": what has no unit, is negative or longer than a year is
 * refused.
 */
static int parse_duration(const char *option, const char *text, int64_t *ns, struct err *err)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
	static const double year_s = 366.0 * 86400;
	char *end = NULL;
	double number = strtod(text, &end);
	bool begins = (*text >= '0' && *text <= '9') || *text == '.';
	end += strspn(end, " ");
	for (size_t i = 0; begins && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit) && number * units[i].seconds <= year_s) {
			*ns = (int64_t)(number * units[i].seconds * 1e9 + 0.5);
			return 0;
		}
	return fail(err, "%s takes a time such as 500ms, 2s or 1.5m, not \"%s\"", option, text);
}

static int parse_steps(const char *option, const char *text, long *steps, struct err *err)
{
	char *end = NULL;
	errno = 0;
	long n = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n < 1 || n > 1000000)
		return fail(err, "%s takes a number of steps from 1 to 1000000, not \"%s\"", option,
			text);
	*steps = n;
	return 0;
}

static int set_with(struct record_with *with, const char *word, size_t n)
{
	for (int i = 0; i < WITHS; i++)
		if (strlen(withs[i].word) == n && !strncmp(withs[i].word, word, n)) {
			*(bool *)((char *)with + withs[i].offset) = true;
			return 0;
		}
	return -1;
}

static int parse_with(const char *text, struct record_with *with, struct err *err)
{
	*with = (struct record_with){0};
	if (!strcmp(text, "none"))
		return 0;
	for (const char *word = text;; word++) {
		size_t n = strcspn(word, ",");
		if (set_with(with, word, n))
			return fail(err,
				"--with takes a list of shapes, stacks, memory, flops, or none; not "
				"\"%.*s\"",
				(int)n, word);
		word += n;
		if (!*word)
			break;
	}
	with->shapes = with->shapes || with->flops;
	return 0;
}

int command_recording_options(
	struct recording_options *wish, const struct command_options *o, struct err *err)
{
	static const int64_t usual_ns = 500000000;
	*wish = (struct recording_options){
		.after_ns = -1, .for_ns = usual_ns, .with = {.shapes = true, .stacks = true}};
	bool by_steps = o->after && o->after[strspn(o->after, "0123456789")] == '\0';
	if (o->for_ && o->steps)
		return fail(err, "--for and --steps both say how long: give one of them");
	if (by_steps && o->for_)
		return fail(err, "--after %s counts steps, so --steps says how long, not --for",
			o->after);
	if (o->after &&
		(by_steps ? parse_steps("--after", o->after, &wish->after_steps, err)
			  : parse_duration("--after", o->after, &wish->after_ns, err)))
		return -1;
	if (o->for_ && parse_duration("--for", o->for_, &wish->for_ns, err))
		return -1;
	if (wish->for_ns < 1000000 || wish->for_ns > INT64_C(3600000000000))
		return fail(err, "--for %s: from 1ms to 1h can be recorded", o->for_);
	if (o->steps && parse_steps("--steps", o->steps, &wish->steps, err))
		return -1;
	if (by_steps && !o->steps)
		wish->steps = 5;
	return o->with ? parse_with(o->with, &wish->with, err) : 0;
}

const char *with_words(struct arena *a, const struct record_with *with)
{
	char *words = arena_strdup(a, "");
	for (int i = 0; i < WITHS; i++)
		if (is_with(with, i))
			words = arena_printf(a, "%s%s%s", words, *words ? ", " : "", withs[i].word);
	return words;
}

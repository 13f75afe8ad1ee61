/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/command.h"

#include <string.h>

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

/* The argument that a person would call the program by. */
static const char *telling_argument(char *const *argv)
{
	for (char *const *v = argv; *v; v++) {
		size_t n = strlen(*v);
		if (n > 3 && !strcmp(*v + n - 3, ".py"))
			return *v;
	}
	for (char *const *v = argv; *v; v++)
		if (!strcmp(*v, "-m") && v[1] && strstr(argv[0], "python"))
			return v[1];
	return argv[0];
}

const char *command_name(struct arena *a, char *const *argv)
{
	const char *word = telling_argument(argv), *slash = strrchr(word, '/');
	char *name = arena_strdup(a, slash && slash[1] ? slash + 1 : word);
	char *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
	for (char *p = name; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '_' || *p == '-'))
			*p = '-';
	return *name ? name : "program";
}

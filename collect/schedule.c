/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/schedule.h"

enum { MOST_STEPS = 1000000 };

static long cycle_length(const struct schedule *s)
{
	return s->wait + s->warmup + s->active;
}

long schedule_steps(const struct schedule *s)
{
	return cycle_length(s) * (s->repeat ? s->repeat : 1);
}

enum schedule_action schedule_action(const struct schedule *s, long step)
{
	if (step < 0 || step >= schedule_steps(s))
		return SCHEDULE_NONE;
	long at = step % cycle_length(s);
	if (at < s->wait)
		return SCHEDULE_NONE;
	if (at < s->wait + s->warmup)
		return SCHEDULE_WARMUP;
	return at == cycle_length(s) - 1 ? SCHEDULE_RECORD_AND_SAVE : SCHEDULE_RECORD;
}

int schedule_ok(const struct schedule *s, struct err *err)
{
	const struct {
		const char *name;
		long value, least;
	} part[] = {{"wait", s->wait, 0}, {"warmup", s->warmup, 0}, {"active", s->active, 1},
		{"repeat", s->repeat, 0}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].value < part[i].least || part[i].value > MOST_STEPS)
			return fail(err, "schedule: \"%s\" is %ld; it may be %ld to %d",
				part[i].name, part[i].value, part[i].least, MOST_STEPS);
	if (s->repeat && cycle_length(s) > MOST_STEPS / s->repeat)
		return fail(err, "schedule: more than %d steps", MOST_STEPS);
	return 0;
}

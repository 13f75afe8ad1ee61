#include "report/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ratio, busy", or "none". */
static void list_thresholds(const struct detector *d, char *list, size_t room)
{
	int used = snprintf(list, room, "%s", d->threshold[0].name ? "" : "none");
	for (int i = 0; i < DETECTOR_THRESHOLDS && d->threshold[i].name; i++)
		if (used >= 0 && (size_t)used < room)
			used += snprintf(list + used, room - (size_t)used, "%s%s", i ? ", " : "",
				d->threshold[i].name);
}

static void list_ids(char *list, size_t room)
{
	int used = 0;
	for (int i = 0; i < detector_count() && (size_t)used < room; i++)
		used += snprintf(list + used, room - (size_t)used, "%s%s", i ? ", " : "",
			detector_at(i)->id);
}

/* "T1.ratio=5": where the dot and the sign of equality stand. The id may hold no dot. */
static int split(const char *text, const char **dot, const char **equals, struct err *err)
{
	*dot = strchr(text, '.');
	*equals = *dot ? strchr(*dot, '=') : NULL;
	if (*equals && *dot > text && *equals > *dot + 1 && (*equals)[1])
		return 0;
	return fail(
		err, "\"%s\" sets no threshold: write ID.threshold=number, as T1.ratio=5", text);
}

static int find_threshold(const struct detector *d, const char *name, size_t length)
{
	for (int i = 0; i < DETECTOR_THRESHOLDS && d->threshold[i].name; i++)
		if (strlen(d->threshold[i].name) == length &&
			!strncmp(d->threshold[i].name, name, length))
			return i;
	return -1;
}

static int parse_value(const char *text, const char *number, double *value, struct err *err)
{
	char *end;
	*value = strtod(number, &end);
	if (!*end && isfinite(*value) && *value >= 0)
		return 0;
	return fail(err, "\"%s\": \"%s\" is no number from 0 up", text, number);
}

int detect_set(struct detect_settings *s, const char *text, struct err *err)
{
	const char *dot, *equals;
	char id[64], list[1500];
	double value;
	if (split(text, &dot, &equals, err))
		return -1;
	snprintf(id, sizeof id, "%.*s", (int)(dot - text), text);
	const struct detector *d = detector_find(id);
	if (!d) {
		list_ids(list, sizeof list);
		return fail(err, "there is no detector \"%s\"; there are %s", id, list);
	}
	int threshold = find_threshold(d, dot + 1, (size_t)(equals - dot - 1));
	if (threshold < 0) {
		list_thresholds(d, list, sizeof list);
		return fail(err, "detector %s has no threshold \"%.*s\"; it has %s", d->id,
			(int)(equals - dot - 1), dot + 1, list);
	}
	if (parse_value(text, equals + 1, &value, err))
		return -1;
	if (s->n == DETECT_SETTINGS)
		return fail(err, "more than %d thresholds are set", DETECT_SETTINGS);
	s->set[s->n].detector = d;
	s->set[s->n].threshold = threshold;
	s->set[s->n++].value = value;
	return 0;
}

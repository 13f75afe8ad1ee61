/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/rule.h"

#include "base/nearest.h"
#include "base/word_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is known, for messages ---- */

/* "ratio (10 ratio), busy (0.5 share)", or "none". */
static void list_thresholds(const struct rule *d, char *list, size_t room)
{
	int used = snprintf(list, room, "%s", d->threshold[0].name ? "" : "none");
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		if (used >= 0 && (size_t)used < room)
			used += snprintf(list + used, room - (size_t)used, "%s%s (%.9g %s)",
				i ? ", " : "", d->threshold[i].name, d->threshold[i].value,
				finding_unit_name(d->threshold[i].unit));
}

static void list_ids(char *list, size_t room)
{
	int used = 0;
	for (int i = 0; i < rule_count() && (size_t)used < room; i++)
		used += snprintf(
			list + used, room - (size_t)used, "%s%s", i ? ", " : "", rule_at(i)->id);
}

/* ---- ID.threshold=value ---- */

/* "OVERHEAD-BOUND.ratio=5": where the dot and the sign of equality stand. The id may hold no dot.
 */
static int split(const char *text, const char **dot, const char **equals, struct err *err)
{
	*dot = strchr(text, '.');
	*equals = *dot ? strchr(*dot, '=') : NULL;
	if (*equals && *dot > text && *equals > *dot + 1 && (*equals)[1])
		return 0;
	return fail(err,
		"\"%s\" sets no threshold: write ID.threshold=number, as OVERHEAD-BOUND.ratio=5",
		text);
}

/* What may stand behind a number. */
static const struct {
	enum finding_unit unit;
	const char *suffix;
	double factor;
} suffixes[] = {
	{UNIT_SHARE, "%", 0.01},
	{UNIT_NS, "ns", 1},
	{UNIT_NS, "us", 1e3},
	{UNIT_NS, "ms", 1e6},
	{UNIT_NS, "s", 1e9},
};

static bool take_suffix(enum finding_unit unit, const char *suffix, double *value)
{
	if (!*suffix)
		return true;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		if (suffixes[i].unit != unit || strcmp(suffixes[i].suffix, suffix) != 0)
			continue;
		*value *= suffixes[i].factor;
		return true;
	}
	return false;
}

static int parse_value(const char *text, const char *number, enum finding_unit unit, double *value,
	struct err *err)
{
	char *end;
	*value = strtod(number, &end);
	bool is_number = end > number && isfinite(*value) && take_suffix(unit, end, value);
	if (is_number && *value >= 0 && (unit != UNIT_SHARE || *value <= 1))
		return 0;
	const char *takes = unit == UNIT_SHARE ? "share from 0 to 1, as 0.5 or 50%"
		: unit == UNIT_NS	       ? "time from 0 ns up, as 10000, 10us or 2ms"
					       : "number from 0 up";
	return fail(err, "\"%s\": \"%s\" is no %s", text, number, takes);
}

/* A threshold that is set again takes its old place. */
static int store(
	struct rule_settings *s, const struct rule *d, int threshold, double value, struct err *err)
{
	int at = 0;
	while (at < s->n && (s->set[at].rule != d || s->set[at].threshold != threshold))
		at++;
	if (at == RULE_SETTINGS)
		return fail(err, "more than %d thresholds are set", RULE_SETTINGS);
	s->set[at].rule = d;
	s->set[at].threshold = threshold;
	s->set[at].value = value;
	s->n += at == s->n;
	return 0;
}

static int no_detector(const char *id, struct err *err)
{
	char list[1500];
	struct nearest meant = {.typed = id};
	for (int i = 0; i < rule_findings(); i++)
		nearest_try(&meant, rule_at(i)->id);
	if (meant.name)
		return fail(err, "there is no detector \"%s\"; did you mean %s?", id, meant.name);
	list_ids(list, sizeof list);
	return fail(err, "there is no detector \"%s\"; there are %s", id, list);
}

int rule_set_threshold(struct rule_settings *s, const char *text, struct err *err)
{
	const char *dot, *equals;
	char id[64], list[1500];
	double value;
	if (split(text, &dot, &equals, err))
		return -1;
	snprintf(id, sizeof id, "%.*s", (int)(dot - text), text);
	const struct rule *d = rule_find(id);
	if (!d)
		return no_detector(id, err);
	int threshold = rule_threshold(d, dot + 1, (size_t)(equals - dot - 1));
	if (threshold < 0) {
		list_thresholds(d, list, sizeof list);
		return fail(err, "detector %s has no threshold \"%.*s\"; it has %s", d->id,
			(int)(equals - dot - 1), dot + 1, list);
	}
	if (parse_value(text, equals + 1, d->threshold[threshold].unit, &value, err))
		return -1;
	return store(s, d, threshold, value, err);
}

int rule_set_thresholds(struct rule_settings *s, const cJSON *object, struct err *err)
{
	const cJSON *one;
	char text[256];
	if (!cJSON_IsObject(object))
		return fail(err,
			"\"thresholds\" must be an object: {\"T1.ratio\": 5, \"T1.busy\": \"60%%\"}");
	cJSON_ArrayForEach(one, object)
	{
		if (cJSON_IsNumber(one))
			snprintf(text, sizeof text, "%s=%.17g", one->string, one->valuedouble);
		else if (cJSON_IsString(one))
			snprintf(text, sizeof text, "%s=%s", one->string, one->valuestring);
		else
			return fail(err, "\"thresholds\": \"%s\" must be a number", one->string);
		if (rule_set_threshold(s, text, err))
			return err_note(err, "\"thresholds\"");
	}
	return 0;
}

/* ---- what is in force ---- */

double rule_threshold_used(const struct rule_settings *s, const struct rule *d, int threshold)
{
	for (int i = 0; s && i < s->n; i++)
		if (s->set[i].rule == d && s->set[i].threshold == threshold)
			return s->set[i].value;
	return d->threshold[threshold].value;
}

static double named(const struct rule_settings *s, const char *id, const char *name)
{
	const struct rule *d = rule_find(id);
	int i = d ? rule_threshold(d, name, strlen(name)) : -1;
	if (i < 0)
		bug("the regime has no limit %s.%s", id, name);
	return rule_threshold_used(s, d, i);
}

struct regime_limits rule_regime_limits(const struct rule_settings *s)
{
	return (struct regime_limits){.overhead = {named(s, "OVERHEAD-BOUND", "ratio"),
					      named(s, "OVERHEAD-BOUND", "busy")},
		.compute = {named(s, "DEVICE-BOUND", "busy"), named(s, "DEVICE-BOUND", "waits"),
			named(s, "DEVICE-BOUND", "ratio"), named(s, "DEVICE-BOUND", "least"),
			named(s, "DEVICE-BOUND", "busy_plain")}};
}

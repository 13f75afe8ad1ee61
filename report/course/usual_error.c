/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/usual_error.h"

#include "report/course/measures.h"
#include "report/course/parts.h"
#include "report/section/parts.h"

#include <math.h>

static double bound(const cJSON *fact, const char *name, double none)
{
	const cJSON *b = config_find(fact, name);
	return cJSON_IsNumber(b) ? b->valuedouble : none;
}

static bool is_so(struct document *d, const struct input *in, const cJSON *e, const cJSON *fact)
{
	const char *first = config_words(fact, "first"), *over = config_words(fact, "over");
	const char *id = config_words(fact, "case");
	if (first[0])
		return comparison_may_begin(d, in, config_find(e, "picture"), first);
	if (config_find(fact, "told"))
		return comparison_is_told(d, in, config_find(e, "picture"));
	double value = measure_of(in, config_words(fact, "measure"), id);
	if (over[0])
		value /= measure_of(in, over, id);
	return value >= bound(fact, "least", -INFINITY) && value <= bound(fact, "most", INFINITY);
}

static bool is_right(struct document *d, const struct input *in, const cJSON *e, const cJSON *error)
{
	bool right = false;
	const cJSON *fact;
	cJSON_ArrayForEach(fact, config_find(error, "right_where"))
	{
		right = right || is_so(d, in, e, fact);
	}
	return right;
}

const char *usual_error(struct document *d, const struct input *in, const struct input *there,
	const cJSON *exercise)
{
	const cJSON *error;
	const char *of_one = "";
	cJSON_ArrayForEach(error, config_find(exercise, "wrong"))
	{
		const char *text = config_words(error, "text");
		bool right_here = is_right(d, in, exercise, error);
		bool right_there = there && is_right(d, there, exercise, error);
		if (!right_here && !right_there)
			return text;
		if (of_one[0] || !there || (right_here && right_there))
			continue;
		of_one = said(d, "sheet.below.recorded", "device",
			machine_on_sheet(d, &(right_here ? there : in)->runs[0]), "text", text,
			NULL);
	}
	return of_one;
}

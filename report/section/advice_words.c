/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/advice_words.h"

#include "report/section/value_words.h"

#include <string.h>

static const cJSON *entry_of(const struct texts *texts, const struct finding *x)
{
	return rule_words(texts_data(texts, "advice"), x->detector);
}

/* The text of the variant, else the plain one. */
static const char *variant_of(
	const cJSON *entry, const char *variants, const char *plain, const struct finding *x)
{
	const cJSON *of = config_find(config_find(entry, variants), x->variant);
	const char *text = x->variant[0] ? cJSON_GetStringValue(of) : NULL;
	return text ? text : cJSON_GetStringValue(config_find(entry, plain));
}

static const char *filled(
	const struct texts *texts, struct arena *a, const struct finding *x, const char *text)
{
	struct text_value values[DETECTOR_VALUES];
	const struct detector *d = x->detector;
	int n = 0;
	if (!text)
		return missing_text(texts, a, "advice", d->id);
	for (int i = 0; i < DETECTOR_VALUES && d->value[i].name; i++)
		if (x->value[i].known)
			values[n++] = (struct text_value){d->value[i].name,
				value_in_words(
					a, d->value[i].unit, x->value[i].number, x->value[i].text)};
	return fill_text(texts, a, "advice", d->id, text, values, n);
}

const char *action_sentence(const struct texts *texts, struct arena *a, const struct finding *x)
{
	const cJSON *entry = entry_of(texts, x);
	return filled(texts, a, x, variant_of(entry, "sentences", "sentence", x));
}

const char *action_switch(const struct texts *texts, struct arena *a, const struct finding *x)
{
	const cJSON *entry = entry_of(texts, x);
	return filled(texts, a, x, variant_of(entry, "switches", "switch", x));
}

const char *action_title(const struct texts *texts, const struct finding *x)
{
	return config_words(entry_of(texts, x), "title");
}

const char *action_look(const struct texts *texts, const struct finding *x)
{
	return config_words(entry_of(texts, x), "look");
}

const char *action_at_most(const struct texts *texts, const struct finding *x)
{
	return config_words(entry_of(texts, x), "at_most");
}

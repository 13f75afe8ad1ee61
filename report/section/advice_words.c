/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/advice_words.h"

#include "report/section/value_words.h"

#include <string.h>

static const cJSON *entry_of(const struct texts *texts, const char *list, const char *id)
{
	const cJSON *e;
	cJSON_ArrayForEach(e, config_find(texts_data(texts, "advice"), list))
	{
		if (!strcmp(config_words(e, "id"), id))
			return e;
	}
	return NULL;
}

/* The text of the variant, else the plain one. */
static const char *variant_of(
	const cJSON *entry, const char *variants, const char *plain, const struct action *x)
{
	const cJSON *of = config_find(config_find(entry, variants), x->variant);
	const char *text = x->variant[0] ? cJSON_GetStringValue(of) : NULL;
	return text ? text : cJSON_GetStringValue(config_find(entry, plain));
}

static const char *filled(
	const struct texts *texts, struct arena *a, const struct action *x, const char *text)
{
	struct text_value values[ADVICE_VALUES];
	if (!text)
		return missing_text(texts, a, "advice", x->id);
	for (int i = 0; i < x->n_values; i++)
		values[i] = (struct text_value){x->value[i].name,
			value_in_words(a, x->value[i].unit, x->value[i].number, x->value[i].text)};
	return fill_text(texts, a, "advice", x->id, text, values, x->n_values);
}

const char *action_sentence(
	const struct texts *texts, struct arena *a, const struct action *x, bool leave)
{
	const cJSON *entry = entry_of(texts, leave ? "leave" : "actions", x->id);
	return filled(texts, a, x, variant_of(entry, "sentences", "sentence", x));
}

const char *action_switch(const struct texts *texts, struct arena *a, const struct action *x)
{
	const cJSON *entry = entry_of(texts, "actions", x->id);
	return filled(texts, a, x, variant_of(entry, "switches", "switch", x));
}

const char *action_title(const struct texts *texts, const struct action *x)
{
	return config_words(entry_of(texts, "actions", x->id), "title");
}

const char *action_look(const struct texts *texts, const struct action *x)
{
	return config_words(entry_of(texts, "actions", x->id), "look");
}

const char *action_at_most(const struct texts *texts, const struct action *x)
{
	return config_words(entry_of(texts, "actions", x->id), "at_most");
}

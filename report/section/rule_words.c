/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/rule_words.h"

#include "report/section/value_words.h"

static const char *file_of(const struct rule *d)
{
	return d->kind == RULE_FINDING ? "findings" : "advice";
}

static const cJSON *entry_of(const struct texts *texts, const struct rule *d)
{
	return rule_words(texts_data(texts, file_of(d)), d);
}

const char *rule_text(const struct texts *texts, const struct rule *d, const char *key)
{
	return config_words(entry_of(texts, d), key);
}

const char *rule_title(const struct texts *texts, const struct rule *d)
{
	return rule_text(texts, d, "title");
}

const char *rule_filled(
	const struct texts *texts, struct arena *a, const struct finding *f, const char *text)
{
	const struct rule *d = f->rule;
	struct text_value v[RULE_VALUES + RULE_THRESHOLDS];
	int n = 0;
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++)
		v[n++] = (struct text_value){d->value[i].name,
			f->value[i].known ? value_in_words(a, d->value[i].unit, f->value[i].number,
						    f->value[i].text)
					  : "–"};
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		v[n++] = (struct text_value){arena_printf(a, "threshold.%s", d->threshold[i].name),
			value_in_words(a, d->threshold[i].unit, f->threshold[i], NULL)};
	return fill_text(texts, a, file_of(d), d->id, text, v, n);
}

/* The text for a case of it, else the plain one, filled in. */
static const char *fitting(const struct texts *texts, struct arena *a, const struct finding *f,
	const char *list, const char *which, const char *plain)
{
	const cJSON *entry = entry_of(texts, f->rule);
	const char *text =
		*which ? cJSON_GetStringValue(config_find(config_find(entry, list), which)) : NULL;
	text = text ? text : cJSON_GetStringValue(config_find(entry, plain));
	return text ? rule_filled(texts, a, f, text)
		    : missing_text(texts, a, file_of(f->rule), f->rule->id);
}

const char *rule_sentence(const struct texts *texts, struct arena *a, const struct finding *f)
{
	const char *which =
		f->rule->kind == RULE_FINDING ? finding_reason_name(f->reason) : f->variant;
	return fitting(texts, a, f, "sentences", which, "sentence");
}

const char *rule_do(const struct texts *texts, struct arena *a, const struct finding *f)
{
	if (f->rule->kind != RULE_FINDING)
		return fitting(texts, a, f, "switches", f->variant, "switch");
	const char *why = finding_reason_name(f->advice ? f->advice : f->reason);
	return fitting(texts, a, f, "do_when", why, "do");
}

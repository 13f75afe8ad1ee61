/* SPDX-License-Identifier: Apache-2.0 */
/* The words of rules, held against their rows: every place, threshold and reason. */
#include "base/config.h"
#include "base/json_out.h"
#include "report/rules/advice.h"
#include "tests/unit/detecting.h"

#include <stdlib.h>

static bool is_place_of(const struct rule *d, const char *name, size_t length)
{
	static const char threshold[] = "threshold.";
	size_t prefix = sizeof threshold - 1;
	if (length > prefix && !strncmp(name, threshold, prefix)) {
		for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
			if (strlen(d->threshold[i].name) == length - prefix &&
				!strncmp(d->threshold[i].name, name + prefix, length - prefix))
				return true;
		return false;
	}
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++)
		if (strlen(d->value[i].name) == length && !strncmp(d->value[i].name, name, length))
			return true;
	return false;
}

static void check_places(const struct rule *d, const char *what, const char *text)
{
	for (const char *p = strchr(text, '{'); p; p = strchr(p + 1, '{')) {
		if (!is_place_of(d, p + 1, strcspn(p + 1, "?}")))
			fail_msg("%s: %s asks for %.20s", d->id, what, p);
	}
}

static const char *text_of(const cJSON *entry, const char *key, const char *id)
{
	const char *text = cJSON_GetStringValue(config_find(entry, key));
	if (!text || !text[0])
		fail_msg("%s has no %s", id, key);
	return text;
}

static bool is_reason(const char *name)
{
	for (int i = 1; i < FINDING_REASONS; i++)
		if (!strcmp(finding_reason_name((enum finding_reason)i), name))
			return true;
	return false;
}

/* Every threshold is told in the definition. */
static void check_definition(const cJSON *entry, const struct rule *d)
{
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++) {
		char place[80];
		snprintf(place, sizeof place, "{threshold.%s}", d->threshold[i].name);
		if (!strstr(config_find(entry, "definition")->valuestring, place) &&
			!strstr(config_find(entry, "sentence")->valuestring, place))
			fail_msg("%s does not tell %s", d->id, place);
	}
}

static void check_entry(const cJSON *entry, const struct rule *d)
{
	const cJSON *s;
	assert_string_equal(text_of(entry, "id", d->id), d->id);
	text_of(entry, "title", d->id);
	text_of(entry, "source", d->id);
	check_places(d, "do", text_of(entry, "do", d->id));
	check_places(d, "sentence", text_of(entry, "sentence", d->id));
	if (config_find(entry, "missed"))
		check_places(d, "missed", text_of(entry, "missed", d->id));
	check_places(d, "definition", text_of(entry, "definition", d->id));
	/* What is given back is told where something is, and nowhere else. */
	if (d->gain != GAIN_NOTHING)
		text_of(entry, "at_most", d->id);
	else
		assert_null(config_find(entry, "at_most"));
	cJSON_ArrayForEach(s, config_find(entry, "sentences"))
	{
		if (!is_reason(s->string))
			fail_msg("%s: there is no reason %s", d->id, s->string);
		check_places(d, s->string, s->valuestring);
	}
	check_definition(entry, d);
}

/* In the order of the rows, and with places for what they tell. */
static void words_for_every_action(void **state)
{
	(void)state;
	cJSON *words = read_texts("templates/en/advice.json");
	const cJSON *entry, *s;
	int n[] = {0, 0, 0};
	for (int i = rule_findings(); i < rule_count(); i++) {
		const struct rule *d = rule_at(i);
		const char *list = d->kind == RULE_LEAVE ? "leave" : "actions";
		entry = cJSON_GetArrayItem(config_find(words, list), n[d->kind]++);
		assert_string_equal(text_of(entry, "id", d->id), d->id);
		assert_true(entry == rule_words(words, d));
		text_of(entry, "title", d->id);
		check_places(d, "sentence", text_of(entry, "sentence", d->id));
		check_places(d, "definition", text_of(entry, "definition", d->id));
		check_definition(entry, d);
		if (d->kind == RULE_ACTION)
			check_places(d, "switch", text_of(entry, "switch", d->id));
		if (d->kind == RULE_ACTION)
			text_of(entry, "at_most", d->id);
		cJSON_ArrayForEach(s, config_find(entry, "sentences"))
			check_places(d, s->string, s->valuestring);
		cJSON_ArrayForEach(s, config_find(entry, "switches"))
			check_places(d, s->string, s->valuestring);
	}
	assert_int_equal(n[RULE_ACTION], cJSON_GetArraySize(config_find(words, "actions")));
	assert_int_equal(n[RULE_LEAVE], cJSON_GetArraySize(config_find(words, "leave")));
	assert_true(n[RULE_ACTION] > 20);
	cJSON_Delete(words);
}

static void words_for_every_detector(void **state)
{
	(void)state;
	cJSON *words = read_words();
	const cJSON *list = config_find(words, "findings"), *entry;
	int i = 0;
	assert_int_equal(cJSON_GetArraySize(list), rule_findings());
	cJSON_ArrayForEach(entry, list) check_entry(entry, rule_at(i++));
	cJSON_Delete(words);
}

static void words_for_every_reason(void **state)
{
	(void)state;
	cJSON *words = read_words();
	for (int i = REASON_NO_DEVICE; i < REASON_PLAIN; i++)
		text_of(config_find(words, "reasons"), finding_reason_name((enum finding_reason)i),
			"reasons");
	for (int i = 1; i < GAIN_SOURCES; i++)
		text_of(config_find(words, "gains"), gain_source_name((enum gain_source)i),
			"gains");
	for (int i = 0; i < FINDING_UNITS; i++)
		assert_true(finding_unit_name((enum finding_unit)i)[0]);
	cJSON_Delete(words);
}

/* Ids are words, labels the cheatsheet's numbers: each names one rule, and every row of the sheet
 * has its rule. */
static void ids_and_labels(void **state)
{
	(void)state;
	cJSON *sheet = read_texts("templates/en/cheatsheet.json");
	const cJSON *section, *row;
	int rows = 0, labels = 0;
	for (int i = 0; i < rule_count(); i++) {
		const struct rule *d = rule_at(i);
		assert_true(strlen(d->id) > 2);
		assert_ptr_equal(rule_find(d->id), d);
		assert_ptr_equal(rule_find(rule_label(d)), d);
		labels += d->label != NULL;
	}
	cJSON_ArrayForEach(section, config_find(sheet, "sections"))
	{
		cJSON_ArrayForEach(row, config_find(section, "rows"))
		{
			const struct rule *d = rule_find(config_words(row, "id"));
			rows += d && d->label && !strcmp(d->label, config_words(row, "id"));
		}
	}
	assert_int_equal(labels, 38);
	assert_true(rows > 20);
	cJSON_Delete(sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_and_labels),
		cmocka_unit_test(words_for_every_action),
		cmocka_unit_test(words_for_every_detector),
		cmocka_unit_test(words_for_every_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

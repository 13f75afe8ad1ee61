/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the detectors, thresholds, evidence, ranking, and how they print. */
#include "base/config.h"
#include "base/json_out.h"
#include "report/rules/advice.h"
#include "tests/unit/detecting.h"

#include <stdlib.h>

/* ---- the table ---- */

static void sound_rows(void **state)
{
	(void)state;
	for (int i = 0; i < rule_findings(); i++) {
		const struct rule *d = rule_at(i);
		assert_ptr_equal(rule_find(d->id), d); /* so ids are unique */
		assert_null(strpbrk(d->id, ".= "));
		assert_true(!d->one != !d->two);
		assert_true(d->gain < GAIN_SOURCES);
		for (int k = 0; k < RULE_THRESHOLDS && d->threshold[k].name; k++)
			assert_true(isfinite(d->threshold[k].value));
		for (int k = 0; k < RULE_VALUES && d->value[k].name; k++)
			for (int m = 0; m < k; m++)
				assert_string_not_equal(d->value[k].name, d->value[m].name);
	}
	assert_null(rule_find("T9"));
}

static void every_row_of_the_cheatsheet(void **state)
{
	(void)state;
	struct err err = {0};
	cJSON *sheet = config_read("templates/en/cheatsheet.json", &err);
	const cJSON *section, *row;
	int rows = 0;
	if (!sheet)
		fail_msg("%s", err.text);
	cJSON_ArrayForEach(section, config_find(sheet, "sections"))
		cJSON_ArrayForEach(row, config_find(section, "rows"))
	{
		const char *id = config_find(row, "id")->valuestring;
		if (!rule_find(id))
			fail_msg("there is no detector for row %s", id);
		rows++;
	}
	assert_int_equal(rows, 25);
	cJSON_Delete(sheet);
}

/* ---- thresholds ---- */

static void set_thresholds(void **state)
{
	(void)state;
	struct rule_settings s = {0};
	struct err err = {0};
	assert_int_equal(rule_set_threshold(&s, "OVERHEAD-BOUND.ratio=5.5", &err), 0);
	assert_int_equal(rule_set_threshold(&s, "HEAVY-FOOTPRINT.registers=64", &err), 0);
	assert_int_equal(rule_set_threshold(&s, "IDLE-HOST.share=0", &err), 0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.set[0].rule->id, "OVERHEAD-BOUND");
	assert_true(s.set[0].value == 5.5);
	/* again: the last counts, and takes no more room */
	assert_int_equal(rule_set_threshold(&s, "OVERHEAD-BOUND.ratio=7", &err), 0);
	assert_int_equal(s.n, 3);
	assert_true(rule_threshold_used(&s, rule_find("OVERHEAD-BOUND"), 0) == 7);
	assert_true(rule_threshold_used(&s, rule_find("OVERHEAD-BOUND"), 1) == 0.5);
	assert_true(rule_threshold_used(NULL, rule_find("OVERHEAD-BOUND"), 0) == 10);
	assert_true(rule_regime_limits(&s).overhead.ratio == 7);
	assert_false(err.set);
}

static void set_with_units(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} right[] = {{"OVERHEAD-BOUND.busy=60%", 0.6}, {"OVERHEAD-BOUND.busy=0.6", 0.6},
		{"CHEAP-CALLS.each=20us", 20e3}, {"CHEAP-CALLS.each=20000", 20e3},
		{"DEVICE-BOUND.least=2ms", 2e6}, {"DEVICE-BOUND.least=1s", 1e9},
		{"HIDDEN-COPY.bytes=1e6", 1e6}};
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		struct rule_settings s = {0};
		assert_int_equal(rule_set_threshold(&s, right[i].text, &(struct err){0}), 0);
		assert_true(fabs(s.set[0].value - right[i].value) <= 1e-9 * right[i].value);
	}
}

static void set_from_json(void **state)
{
	(void)state;
	struct rule_settings s = {0};
	struct err err = {0};
	cJSON *right = cJSON_Parse("{\"OVERHEAD-BOUND.ratio\": 0.1, \"UTIL-LOW.busy\": \"60%\"}");
	assert_int_equal(rule_set_thresholds(&s, right, &err), 0);
	assert_int_equal(s.n, 2);
	assert_true(s.set[0].value == 0.1 && fabs(s.set[1].value - 0.6) < 1e-12);
	cJSON_Delete(right);
	static const char *const wrong[][2] = {{"[]", "must be an object"},
		{"{\"OVERHEAD-BOUND.ratio\": true}", "must be a number"},
		{"{\"OVERHEAD-BOUND\": 5}", "ID.threshold"},
		{"{\"OVERHEAD-BOUND.ratio\": -1}", "from 0 up"}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cJSON *json = cJSON_Parse(wrong[i][0]);
		err = (struct err){0};
		assert_int_equal(rule_set_thresholds(&s, json, &err), -1);
		if (!strstr(err.text, wrong[i][1]) || !strstr(err.text, "thresholds"))
			fail_msg("%s is answered with: %s", wrong[i][0], err.text);
		cJSON_Delete(json);
	}
}

static void refuse_thresholds(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"OVERHEAD-BOUND", "ID.threshold=number"},
		{"OVERHEAD-BOUND.ratio", "ID.threshold=number"},
		{".ratio=5", "ID.threshold=number"},
		{"OVERHEAD-BOUND.=5", "ID.threshold=number"},
		{"OVERHEAD-BOUND.ratio=", "ID.threshold=number"},
		{"T9.ratio=5", "there are OVERHEAD-BOUND, DEVICE-BOUND"},
		{"OVERHEAD-BOUND.rat=5", "it has ratio (10 ratio), busy (0.5 share)"},
		{"BUFFER-REQUEST.ratios=5", "it has offset (500000 ns), match (0.2 share)"},
		{"PLAIN-MATMUL.ratio=5", "it has none"},
		{"OVERHEAD-BOUND.ratio=five", "\"five\" is no number"},
		{"OVERHEAD-BOUND.ratio=5x", "\"5x\" is no number"},
		{"OVERHEAD-BOUND.ratio=-1", "from 0 up"},
		{"OVERHEAD-BOUND.ratio=nan", "\"nan\" is no number"},
		{"OVERHEAD-BOUND.ratio=inf", "\"inf\" is no number"},
		{"OVERHEAD-BOUND.ratio=5%", "\"5%\" is no number"},
		{"OVERHEAD-BOUND.ratio=%", "\"%\" is no number"},
		{"OVERHEAD-BOUND.busy=60", "no share from 0 to 1, as 0.5 or 50%"},
		{"OVERHEAD-BOUND.busy=101%", "no share"},
		{"CHEAP-CALLS.each=5m", "no time from 0 ns up, as 10000, 10us or 2ms"},
		{"CHEAP-CALLS.each=us", "no time"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct rule_settings s = {0};
		struct err err = {0};
		assert_int_equal(rule_set_threshold(&s, wrong[i].text, &err), -1);
		if (!strstr(err.text, wrong[i].says))
			fail_msg("\"%s\" is answered with: %s", wrong[i].text, err.text);
		assert_int_equal(s.n, 0);
	}
	struct rule_settings full = {.n = RULE_SETTINGS};
	for (int i = 0; i < RULE_SETTINGS; i++)
		full.set[i].rule = rule_find("DEVICE-BOUND");
	assert_int_equal(rule_set_threshold(&full, "OVERHEAD-BOUND.ratio=5", &(struct err){0}), -1);
}

/* A copy and one product; 60 kernels of 10 us, one of 12. */
static void sample(struct world *w)
{
	for (uint32_t i = 0; i < 100; i++)
		launch(w, i == 40 ? GEMM : ADD, 20.0 * i, 20.0 * i + 3, 20.0 * i + 5 + i % 7,
			i + 1);
	seal(w);
}

static void thresholds_decide(void **state)
{
	(void)state;
	static const char *const busy[] = {"UTIL-LOW.busy=0.9", "UTIL-LOW.busy=0.1"};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		assert_int_equal(rule_set_threshold(&w.settings, busy[i], &(struct err){0}), 0);
		sample(&w);
		detect_world(&w);
		assert_int_equal(
			finding(&w, "UTIL-LOW")->state, i ? FINDING_NOT_FIRED : FINDING_FIRED);
		assert_true(finding(&w, "UTIL-LOW")->threshold[0] == (i ? 0.1 : 0.9));
		world_release(&w);
	}
}

/* ---- evidence and ranking ---- */

static void most_telling_first(void **state)
{
	TEST_WORLD(w);
	assert_int_equal(rule_set_threshold(&w.settings, "HOTSPOT.busy=0", &(struct err){0}), 0);
	sample(&w);
	detect_world(&w);
	const struct finding *f = finding(&w, "HOTSPOT");
	assert_int_equal(f->state, FINDING_FIRED);
	assert_int_equal(f->n_events, 99);
	assert_int_equal(f->n_evidence, FINDING_EVIDENCE);
	const struct trace *t = &w.made.trace;
	for (int i = 0; i < f->n_evidence; i++) {
		assert_string_equal(names_text(&t->names, t->name[f->evidence[i]]), ADD);
		assert_true(!i || t->dur_ns[f->evidence[i]] <= t->dur_ns[f->evidence[i - 1]]);
		if (i && t->dur_ns[f->evidence[i]] == t->dur_ns[f->evidence[i - 1]])
			assert_true(f->evidence[i] > f->evidence[i - 1]);
	}
	/* 99 events of 2 to 8 us: the 64 longest are those of 4 and more (the first 71 of them). */
	assert_int_equal(t->dur_ns[f->evidence[0]], 8000);
	assert_int_equal(t->dur_ns[f->evidence[63]], 4000);
}

static void ranked_by_what_they_give_back(void **state)
{
	TEST_WORLD(w);
	sample(&w);
	detect_world(&w);
	int fired = 0;
	for (int i = 0; i < w.f.n; i++)
		fired += w.f.finding[i].state == FINDING_FIRED;
	assert_true(fired > 3);
	assert_int_equal(w.f.n_fired, fired);
	for (int i = 0; i < w.f.n_fired; i++) {
		const struct finding *f = &w.f.finding[w.f.ranked[i]];
		assert_int_equal(f->state, FINDING_FIRED);
		assert_true(f->give_back_ns <= f->ceiling_ns);
		if (!i)
			continue;
		int64_t before = w.f.finding[w.f.ranked[i - 1]].give_back_ns;
		assert_true(before >= f->give_back_ns);
		assert_true(before > f->give_back_ns || w.f.ranked[i - 1] < w.f.ranked[i]);
	}
}

/* ---- printing ---- */

static char *printed(const struct findings *f, bool json)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	assert_non_null(out);
	if (json) {
		struct json_out j;
		json_init(&j, out);
		json_object(&j, NULL, JSON_LINES);
		cJSON *words = read_words();
		findings_json(&j, "findings", words, f);
		rules_json(&j, "detectors", words, words, NULL);
		cJSON_Delete(words);
		json_end(&j);
		json_finish(&j);
	} else {
		findings_dump(f, out);
	}
	fclose(out);
	return text;
}

static void as_text(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 40, 1);
	launch(&w, "name with \"quotes\"", 5, 40, 50, 2);
	seal(&w);
	detect_world(&w);
	char *text = printed(&w.f, false);
	assert_non_null(strstr(text,
		"finding HOTSPOT fired\n"
		"  name \"" GEMM "\"\n"
		"  p1 0.75 share\n"
		"  time 30000 ns\n"
		"  calls 1 count\n"
		"  second \"name with \\\"quotes\\\"\"\n"
		"  p2 0.25 share\n"
		"  exposed 30000 ns\n"
		"  u 0.8 share\n"
		"  threshold share 0.5 share\n"
		"  threshold lead 2 ratio\n"
		"  threshold busy 0.5 share\n"
		"  gives back 30000 ns of 40000 ns busy\n"
		"  rows 2 of 1\n"));
	assert_non_null(strstr(text, "finding OCCUPANCY-QUERY not applicable no-queries\n"));
	assert_non_null(strstr(text, "\nranked HOTSPOT"));
	free(text);
}

static void as_set(void **state)
{
	TEST_WORLD(w);
	assert_int_equal(rule_set_threshold(&w.settings, "HOTSPOT.share=0.8", &(struct err){0}), 0);
	assert_int_equal(rule_set_threshold(&w.settings, "HOTSPOT.lead=2", &(struct err){0}), 0);
	launch(&w, GEMM, 0, 10, 40, 1);
	launch(&w, ADD, 5, 40, 50, 2);
	seal(&w);
	detect_world(&w);
	char *text = printed(&w.f, false);
	assert_non_null(strstr(text, "finding HOTSPOT not fired\n"));
	assert_non_null(strstr(text,
		"\n  threshold share 0.8 share, set; default 0.5\n"
		"  threshold lead 2 ratio\n"));
	free(text);
	text = printed(&w.f, true);
	assert_non_null(strstr(text,
		"{\"name\": \"share\", \"value\": 0.800000, \"unit\": \"share\", "
		"\"default\": 0.500000, \"set\": true}"));
	assert_non_null(strstr(text,
		"{\"name\": \"lead\", \"value\": 2, \"unit\": \"ratio\", \"default\": 2, "
		"\"set\": false}"));
	free(text);
}

static void as_json(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 40, 1);
	launch(&w, "name with \"quotes\"", 5, 40, 50.5, 2);
	seal(&w);
	detect_world(&w);
	char *text = printed(&w.f, true);
	cJSON *json = cJSON_Parse(text);
	assert_non_null(json);
	const cJSON *all = config_find(json, "findings"), *f = cJSON_GetArrayItem(all, 2);
	assert_int_equal(cJSON_GetArraySize(all), w.f.n);
	assert_int_equal(cJSON_GetArraySize(config_find(json, "detectors")), rule_count());
	assert_string_equal(config_find(f, "id")->valuestring, "HOTSPOT");
	assert_string_equal(config_find(f, "state")->valuestring, "fired");
	const cJSON *row = cJSON_GetArrayItem(config_find(json, "detectors"), 2);
	assert_non_null(strstr(config_words(row, "definition"), "{threshold.share}"));
	assert_string_equal(
		config_words(row, "at_most"), "the row's time without other work beside it");
	assert_null(config_find(cJSON_GetArrayItem(config_find(json, "detectors"), 1), "at_most"));
	const cJSON *value = cJSON_GetArrayItem(config_find(f, "values"), 4);
	assert_string_equal(config_find(value, "name")->valuestring, "second");
	assert_string_equal(config_find(value, "value")->valuestring, "name with \"quotes\"");
	row = cJSON_GetArrayItem(config_find(f, "evidence"), 0);
	assert_true(config_find(row, "dur_us")->valuedouble == 30);
	assert_true(config_find(row, "start_us")->valuedouble == 10);
	assert_true(config_find(config_find(f, "give_back"), "us")->valuedouble == 30);
	assert_string_equal(config_find(config_find(f, "give_back"), "of")->valuestring, "busy");
	cJSON_Delete(json);
	free(text);
}

/* Nothing at all: no detector divides by it, none fires. */
static void empty_trace(void **state)
{
	TEST_WORLD(w);
	seal(&w);
	detect_world(&w);
	assert_int_equal(w.f.n_fired, 0);
	for (int i = 0; i < w.f.n; i++)
		assert_int_equal(w.f.finding[i].n_evidence, 0);
	free(printed(&w.f, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_rows),
		cmocka_unit_test(every_row_of_the_cheatsheet),
		cmocka_unit_test(set_thresholds),
		cmocka_unit_test(set_with_units),
		cmocka_unit_test(set_from_json),
		cmocka_unit_test(refuse_thresholds),
		cmocka_unit_test(thresholds_decide),
		cmocka_unit_test(most_telling_first),
		cmocka_unit_test(ranked_by_what_they_give_back),
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_set),
		cmocka_unit_test(as_json),
		cmocka_unit_test(empty_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

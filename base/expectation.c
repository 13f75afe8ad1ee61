/* SPDX-License-Identifier: Apache-2.0 */
#include "base/expectation.h"

#include "base/config.h"
#include "base/word_list.h"

#include <string.h>

enum expectation_kind {
	COUNT,
	WORD,
	WORDS,
	TEXTS,
	FLAG,
	CASE,
	CASE_BY,
	CASE_RANGE,
	RANGE,
	SHARE_RANGE,
	DETECTORS
};

struct expectation {
	const char *name;
	enum expectation_kind kind;
	const char *const *words; /* the choices of WORD and WORDS, NULL at the end */
};

static const char *const classes[] = {"gemm", "add", "mul", "gelu", "fused", "reduction",
	"attention", "copy", "fill", "other", NULL};
static const char *const regimes[] = {"overhead-bound", "compute-bound", "mixed", NULL};
static const char *const widths[] = {"wider", "equal", NULL};

static const struct expectation expectations[] = {
	{"step", WORDS, classes},
	{"kernels", COUNT, NULL},
	{"copies", COUNT, NULL},
	{"launches", COUNT, NULL},
	{"syncs", COUNT, NULL},
	{"queries", COUNT, NULL},
	{"kernel_names", TEXTS, NULL},
	{"regime", WORD, regimes},
	{"first_step", WORD, widths},
	{"setup_share_first_step", SHARE_RANGE, NULL},
	{"first_step_us", RANGE, NULL},
	{"first_step_ratio", CASE_RANGE, NULL},
	{"widest_step", RANGE, NULL},
	{"cpu_step_us", RANGE, NULL},
	{"device_step_us", RANGE, NULL},
	{"device_busy", SHARE_RANGE, NULL},
	{"fewer_kernels_than", CASE_BY, NULL},
	{"same_gemm_as", CASE, NULL},
	{"other_gemm_than", CASE, NULL},
	{"same_kernels_as", CASE, NULL},
	{"recompiles", COUNT, NULL},
	{"step_time_ratio", CASE_RANGE, NULL},
	{"device_time_ratio", CASE_RANGE, NULL},
	{"same_kernel_every_step", FLAG, NULL},
	{"must_fire", DETECTORS, NULL},
	{"must_not_fire", DETECTORS, NULL},
};
enum { EXPECTATIONS = sizeof expectations / sizeof *expectations };

static const struct expectation *expectation_find(const char *name)
{
	for (size_t i = 0; i < EXPECTATIONS; i++)
		if (!strcmp(expectations[i].name, name))
			return &expectations[i];
	return NULL;
}

static int word_ok(const cJSON *value, const struct expectation *e, struct err *err)
{
	const char *word = cJSON_GetStringValue(value);
	struct words list = {""};
	for (const char *const *w = e->words; *w; w++) {
		if (word && !strcmp(*w, word))
			return 0;
		words_add(&list, *w);
	}
	return fail(err, "\"%s\" takes one of %s%s%s", e->name, list.text, word ? "; not " : "",
		word ? word : "");
}

static int words_ok(const cJSON *value, const struct expectation *e, struct err *err)
{
	if (!cJSON_IsArray(value))
		return fail(err, "\"%s\" must be a list of words", e->name);
	const cJSON *word;
	cJSON_ArrayForEach(word, value)
	{
		if (word_ok(word, e, err))
			return -1;
	}
	return 0;
}

static int case_ok(
	const cJSON *value, const char *name, const struct case_ids *ids, struct err *err)
{
	const char *id = cJSON_GetStringValue(value);
	if (!id)
		return fail(err, "\"%s\" must name a case as \"experiment/tag\"", name);
	if (!ids->known(ids->context, id))
		return fail(
			err, "\"%s\" names the case \"%s\", which is not %s", name, id, ids->where);
	return 0;
}

static int texts_ok(const cJSON *value, const char *name, struct err *err)
{
	const cJSON *text;
	if (!cJSON_IsArray(value))
		return fail(err, "\"%s\" must be a list of texts", name);
	cJSON_ArrayForEach(text, value)
	{
		const char *s = cJSON_GetStringValue(text);
		if (!s || !*s)
			return fail(err, "\"%s\" may hold texts only, and no empty one", name);
	}
	return 0;
}

static int limit_ok(
	const cJSON *object, const struct expectation *e, const char *name, struct err *err)
{
	double value = 1;
	bool may_be_none = e->kind == RANGE || e->kind == SHARE_RANGE;
	if (config_number(object, e->name, name, &value, err))
		return -1;
	if (value < 0 || (value == 0 && !may_be_none))
		return fail(err, "\"%s\": \"%s\" must be %s", e->name, name,
			may_be_none ? "at least 0" : "above 0");
	if (e->kind == SHARE_RANGE && value > 1)
		return fail(err, "\"%s\": \"%s\" is a share: 0 to 1", e->name, name);
	return 0;
}

/* "min" and "max", at least one of them. */
static int limits_ok(const cJSON *value, const struct expectation *e, struct err *err)
{
	const cJSON *min = config_find(value, "min"), *max = config_find(value, "max");
	if (limit_ok(value, e, "min", err) || limit_ok(value, e, "max", err))
		return -1;
	if (!min && !max)
		return fail(err, "\"%s\" needs \"min\" or \"max\"", e->name);
	if (min && max && min->valuedouble > max->valuedouble)
		return fail(err, "\"%s\": \"min\" is above \"max\"", e->name);
	return 0;
}

static int range_ok(const cJSON *value, const struct expectation *e, struct err *err)
{
	static const char *const known[] = {"min", "max", NULL};
	if (!cJSON_IsObject(value))
		return fail(err, "\"%s\" must be an object: {\"min\": ..., \"max\": ...}", e->name);
	return config_known(value, e->name, known, err) ? -1 : limits_ok(value, e, err);
}

/* {"case": id, "by": n} or {"case": id, "min": x, "max": y} */
static int case_and_ok(const cJSON *value, const struct expectation *e, const struct case_ids *ids,
	struct err *err)
{
	static const char *const by[] = {"case", "by", NULL};
	static const char *const range[] = {"case", "min", "max", NULL};
	const char *const *known = e->kind == CASE_RANGE ? range : by;
	if (!cJSON_IsObject(value))
		return fail(err, "\"%s\" must be an object: {\"case\": ..., \"%s\": ...}", e->name,
			known[1]);
	if (config_known(value, e->name, known, err) ||
		case_ok(config_find(value, "case"), e->name, ids, err))
		return -1;
	if (e->kind == CASE_RANGE)
		return limits_ok(value, e, err);
	if (!config_find(value, "by"))
		return fail(err, "\"%s\" needs \"by\"", e->name);
	return limit_ok(value, e, "by", err);
}

/* An entry names a finding, "OVERHEAD-BOUND", or one of a certain case, {"id": "COMPILED-CPU-COST",
 * "case": id}. */
static int detector_ok(
	const cJSON *value, const char *name, const struct case_ids *ids, struct err *err)
{
	static const char *const known[] = {"id", "case", NULL};
	bool pair = cJSON_IsObject(value);
	if (pair && config_known(value, name, known, err))
		return -1;
	const char *id = cJSON_GetStringValue(pair ? config_find(value, "id") : value);
	if (!id || !*id)
		return fail(err,
			"\"%s\" must be a list of detectors: \"OVERHEAD-BOUND\", or {\"id\": \"COMPILED-CPU-COST\", \"case\": "
			"...}",
			name);
	return pair ? case_ok(config_find(value, "case"), name, ids, err) : 0;
}

static int detectors_ok(
	const cJSON *value, const char *name, const struct case_ids *ids, struct err *err)
{
	const cJSON *one;
	if (!cJSON_IsArray(value))
		return detector_ok(NULL, name, ids, err);
	cJSON_ArrayForEach(one, value)
	{
		if (detector_ok(one, name, ids, err))
			return -1;
	}
	return 0;
}

static int count_ok(const cJSON *expect, const char *name, struct err *err)
{
	long n = 0;
	if (config_int(expect, "expect", name, &n, err))
		return -1;
	return n < 0 ? fail(err, "\"%s\" may not be negative", name) : 0;
}

static int member_ok(
	const cJSON *expect, const cJSON *m, const struct case_ids *ids, struct err *err)
{
	const struct expectation *e = expectation_find(m->string);
	bool flag;
	switch (e->kind) {
	case COUNT:
		return count_ok(expect, e->name, err);
	case WORD:
		return word_ok(m, e, err);
	case WORDS:
		return words_ok(m, e, err);
	case TEXTS:
		return texts_ok(m, e->name, err);
	case FLAG:
		return config_bool(expect, "expect", e->name, &flag, err);
	case CASE:
		return case_ok(m, e->name, ids, err);
	case CASE_BY:
	case CASE_RANGE:
		return case_and_ok(m, e, ids, err);
	case RANGE:
	case SHARE_RANGE:
		return range_ok(m, e, err);
	case DETECTORS:
		return detectors_ok(m, e->name, ids, err);
	}
	bug("expectation kind %d", (int)e->kind);
}

int expectation_ok(const cJSON *expect, const struct case_ids *ids, struct err *err)
{
	const char *known[EXPECTATIONS + 1] = {NULL};
	for (size_t i = 0; i < EXPECTATIONS; i++)
		known[i] = expectations[i].name;
	if (!cJSON_IsObject(expect))
		return fail(err, "\"expect\" must be an object");
	if (config_known(expect, "expect", known, err))
		return -1;
	const cJSON *m;
	cJSON_ArrayForEach(m, expect)
	{
		if (member_ok(expect, m, ids, err))
			return -1;
	}
	return 0;
}

/* ---- a guess in sentences ---- */

static const char *const kinds[] = {[false] = "host", [true] = "gpu"};

static int sentence_ok(const cJSON *sentence, const struct case_ids *ids, struct err *err)
{
	static const char *const known[] = {"says", "on", "by", "follows", NULL};
	const char *says = NULL, *on = NULL;
	if (!cJSON_IsObject(sentence))
		return fail(err, "a sentence must be an object: {\"says\": ..., \"by\": ...}");
	if (config_known(sentence, "a sentence", known, err) ||
		config_text(sentence, "a sentence", "says", &says, err) ||
		config_text(sentence, "a sentence", "on", &on, err))
		return -1;
	if (!says || !*says)
		return fail(err, "a sentence needs \"says\"");
	if (on && strcmp(on, kinds[false]) != 0 && strcmp(on, kinds[true]) != 0)
		return fail(err, "\"on\" takes one of host, gpu; not %s", on);
	const cJSON *by = config_find(sentence, "by"), *follows = config_find(sentence, "follows");
	if (follows && case_ok(follows, "follows", ids, err))
		return -1;
	return by ? expectation_ok(by, ids, err) : 0;
}

int guess_ok(const cJSON *sentences, const struct case_ids *ids, struct err *err)
{
	const cJSON *one;
	if (!cJSON_IsArray(sentences))
		return fail(err, "\"guess\" must be a text or a list of sentences");
	cJSON_ArrayForEach(one, sentences)
	{
		if (sentence_ok(one, ids, err))
			return err_note(err, "\"guess\"");
	}
	return 0;
}

bool guess_is_about(const cJSON *sentence, bool gpu)
{
	const char *on = config_words(sentence, "on");
	return !*on || !strcmp(on, kinds[gpu]);
}

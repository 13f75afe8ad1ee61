/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/learn.h"

#include "base/config.h"
#include "base/json_out.h"
#include "base/min_max.h"
#include "base/outfile.h"
#include "report/judge/parts.h"

#include <math.h>
#include <string.h>

const double learn_times = 2, learn_ratios = 1.5, learn_shares = 0.15;

/* One case being looked at, and what is going to be expected of it. */
struct learning {
	struct input *in;
	struct report_case *c;
	const struct analysis *a;
	struct view view;
	cJSON *expect;
};

/* ---- ranges ---- */

struct spread {
	double least, most;
};

/* To three digits, away from what was seen. */
static double round_out(double value, bool up)
{
	if (value <= 0)
		return 0;
	double unit = pow(10, floor(log10(value)) - 2);
	return (up ? ceil(value / unit) : floor(value / unit)) * unit;
}

static void add_limits(cJSON *range, double min, double max)
{
	cJSON_AddNumberToObject(range, "min", round_out(min, false));
	cJSON_AddNumberToObject(range, "max", round_out(max, true));
}

static void add_share(struct learning *l, const char *key, double share)
{
	add_limits(cJSON_AddObjectToObject(l->expect, key), share - learn_shares,
		fmin(share + learn_shares, 1));
}

static struct spread spread_of(const struct view *v, enum quantity quantity)
{
	struct spread s = {(double)INFINITY, 0};
	for (uint32_t i = v->steady; i < v->n; i++) {
		s.least = fmin(s.least, quantity_of(quantity, v, &v->step[i]));
		s.most = fmax(s.most, quantity_of(quantity, v, &v->step[i]));
	}
	return s;
}

static void learn_time(struct learning *l, const char *key, enum quantity quantity)
{
	struct spread s = spread_of(&l->view, quantity);
	if (l->view.n && s.least > 0)
		add_limits(cJSON_AddObjectToObject(l->expect, key), s.least / learn_times,
			s.most * learn_times);
}

/* ---- what a step holds ---- */

static void learn_counts(struct learning *l)
{
	static const struct {
		const char *key;
		enum counted what;
	} counts[] = {{"kernels", COUNTED_KERNELS}, {"copies", COUNTED_COPIES},
		{"launches", COUNTED_LAUNCHES}, {"syncs", COUNTED_SYNCS},
		{"queries", COUNTED_QUERIES}};
	const struct view *v = &l->view;
	for (size_t i = 0; i < sizeof counts / sizeof *counts && v->n; i++)
		cJSON_AddNumberToObject(l->expect, counts[i].key,
			count_rows(v, &v->step[v->steady], counts[i].what, NULL, 0));
}

static void learn_order(struct learning *l)
{
	const struct step *s = &l->view.step[l->view.steady];
	cJSON *words = cJSON_AddArrayToObject(l->expect, "step");
	int n = 0;
	for (uint32_t i = 0; i < s->n_device && n <= LEARN_LIST; i++) {
		if (counts_with_gemm(l->a, s->device[i]))
			continue;
		cJSON_AddItemToArray(words, cJSON_CreateString(word_of(l->a, s->device[i])));
		n++;
	}
	if (n > LEARN_LIST)
		cJSON_DeleteItemFromObjectCaseSensitive(l->expect, "step");
}

static void learn_names(struct learning *l)
{
	const struct step *s = &l->view.step[l->view.steady];
	uint32_t at = 0, row = next_kernel(&l->view, s, &at);
	if (row == NO_ROW)
		return;
	cJSON *names = cJSON_AddArrayToObject(l->expect, "kernel_names");
	for (int n = 0; row != NO_ROW && n < LEARN_LIST; n++) {
		cJSON_AddItemToArray(names, cJSON_CreateString(name_of_row(l->a, row)));
		row = next_kernel(&l->view, s, &at);
	}
}

/* ---- what the trace is like ---- */

static void learn_first_step(struct learning *l)
{
	if (l->a->n_steps < 2)
		return;
	const struct judged alone = {.analysis = l->a};
	struct first_step f = first_step_of(&l->in->arena, &alone);
	double ratio = f.mine_us / f.others_us, more = f.mine_us - f.others_us;
	double surely = f.wider ? learn_ratios : 1 / learn_ratios;
	bool far = ratio >= FIRST_STEP_TIMES * surely && more >= FIRST_STEP_LEAST_US * surely;
	if (far == f.wider)
		cJSON_AddStringToObject(l->expect, "first_step", f.wider ? "wider" : "equal");
}

static void learn_shape(struct learning *l)
{
	const struct analysis *a = l->a;
	if (a->regime.regime != REGIME_NONE && a->regime.regime != REGIME_MIXED)
		cJSON_AddStringToObject(l->expect, "regime", regime_name(a->regime.regime));
	learn_first_step(l);
	if (a->n_steps > 1)
		add_share(l, "setup_share_first_step", setup_share_of(a));
	learn_time(l, "cpu_step_us", QUANTITY_CPU_US);
	learn_time(l, "device_step_us", QUANTITY_DEVICE_US);
	if (a->n_device)
		add_share(l, "device_busy", a->window.busy_share);
	if (a->compile.regions || a->compile.n_hashes)
		cJSON_AddNumberToObject(l->expect, "recompiles", a->compile.recompiles);
	if (l->view.n > 1 && a->n_kernels)
		cJSON_AddTrueToObject(l->expect, "same_kernel_every_step");
}

/* ---- what it was compared with ---- */

/* Another case, its steps, and its name in the file. */
struct other {
	const char *name;
	struct view view;
};

static void learn_ratio(
	struct learning *l, const char *key, const struct other *other, enum quantity quantity)
{
	if (!l->view.n || !other->view.n)
		return;
	struct spread mine = spread_of(&l->view, quantity);
	struct spread theirs = spread_of(&other->view, quantity);
	if (mine.least <= 0 || theirs.least <= 0)
		return;
	cJSON *range = cJSON_AddObjectToObject(l->expect, key);
	cJSON_AddStringToObject(range, "case", other->name);
	add_limits(range, mine.least / theirs.most / learn_ratios,
		mine.most / theirs.least * learn_ratios);
}

static void learn_fewer(struct learning *l, const struct other *other)
{
	if (!l->view.n || !other->view.n)
		return;
	double by = median_steady(&other->view, QUANTITY_KERNELS) -
		median_steady(&l->view, QUANTITY_KERNELS);
	if (by <= 0)
		return;
	cJSON *fewer = cJSON_AddObjectToObject(l->expect, "fewer_kernels_than");
	cJSON_AddStringToObject(fewer, "case", other->name);
	cJSON_AddNumberToObject(fewer, "by", by);
}

/* Which of the two holds is found by judging. */
static void learn_gemms(struct learning *l, const struct other *other)
{
	static const char *const keys[] = {"same_gemm_as", "other_gemm_than"};
	for (int i = 0; i < 2; i++)
		if (!config_find(l->expect, keys[i]))
			cJSON_AddStringToObject(l->expect, keys[i], other->name);
}

static void learn_relation(struct learning *l, const char *key, const struct other *other)
{
	if (!strcmp(key, "step_time_ratio"))
		learn_ratio(l, key, other, QUANTITY_CPU_US);
	else if (!strcmp(key, "device_time_ratio"))
		learn_ratio(l, key, other, QUANTITY_DEVICE_US);
	else if (!strcmp(key, "fewer_kernels_than"))
		learn_fewer(l, other);
	else if (!strcmp(key, "same_gemm_as") || !strcmp(key, "other_gemm_than"))
		learn_gemms(l, other);
	else if (!strcmp(key, "same_kernels_as"))
		cJSON_AddStringToObject(l->expect, key, other->name);
}

/* The shortest end of its path that is no other trace's, of a run's case with its experiment. */
static const char *name_of(struct input *in, const struct report_case *c)
{
	enum { MOST_FOLDERS = 32 };
	const char *name = "";
	for (int folders = c->work ? 1 : 0; folders < MOST_FOLDERS; folders++) {
		int same = 0;
		name = case_trace_file(&in->arena, c, folders);
		for (const struct report_case *o = NULL; (o = next_case(in, o));)
			same += !strcmp(name, case_trace_file(&in->arena, o, folders));
		if (same == 1)
			break;
	}
	return name;
}

static bool find_other(struct learning *l, const char *id, struct other *other)
{
	const struct report_case *c = id ? case_partner(l->in, l->c, id) : NULL;
	if (!c)
		return false;
	const struct judged seen = {.analysis = c->analysis, .whole = c->whole};
	*other = (struct other){name_of(l->in, c), view_of(&l->in->arena, &seen)};
	return true;
}

static bool is_kept(struct learning *l, const char *key, const cJSON *one)
{
	cJSON *trial = cJSON_CreateObject();
	cJSON_AddItemToArray(cJSON_AddArrayToObject(trial, key), cJSON_Duplicate(one, true));
	bool kept = case_judge(l->in, l->c, trial, l->view.whole).kept == 1;
	cJSON_Delete(trial);
	return kept;
}

/* Of a detector, or one beside a case, by its id, whatever it was asked by. */
static cJSON *by_id(const cJSON *asked)
{
	cJSON *one = cJSON_Duplicate(asked, true);
	bool pair = cJSON_IsObject(one);
	const struct rule *d = rule_find(cJSON_GetStringValue(pair ? config_find(one, "id") : one));
	if (d && pair)
		cJSON_ReplaceItemInObjectCaseSensitive(one, "id", cJSON_CreateString(d->id));
	else if (d)
		cJSON_SetValuestring(one, d->id);
	return one;
}

/* What a detector says now; of one that cannot answer, nothing. */
static void learn_detector(struct learning *l, const cJSON *asked)
{
	static const char *const keys[] = {"must_fire", "must_not_fire"};
	for (int i = 0; i < 2; i++) {
		if (!is_kept(l, keys[i], asked))
			continue;
		struct other other;
		cJSON *all = cJSON_GetObjectItemCaseSensitive(l->expect, keys[i]);
		cJSON *one = by_id(asked);
		if (find_other(l, cJSON_GetStringValue(config_find(one, "case")), &other))
			cJSON_ReplaceItemInObjectCaseSensitive(
				one, "case", cJSON_CreateString(other.name));
		all = all ? all : cJSON_AddArrayToObject(l->expect, keys[i]);
		cJSON_AddItemToArray(all, one);
	}
}

static void learn_relations(struct learning *l)
{
	const cJSON *m, *one;
	cJSON_ArrayForEach(m, case_expects(l->c))
	{
		struct other other;
		if (!strcmp(m->string, "must_fire") || !strcmp(m->string, "must_not_fire")) {
			cJSON_ArrayForEach(one, m)
			{
				learn_detector(l, one);
			}
			continue;
		}
		const cJSON *id = cJSON_IsObject(m) ? config_find(m, "case") : m;
		if (find_other(l, cJSON_GetStringValue(id), &other))
			learn_relation(l, m->string, &other);
	}
}

/* ---- all of a case ---- */

/* Judges what was learned: what is not kept now shall not be expected of the next trace. */
static void leave_out_broken(struct learning *l)
{
	struct verdicts all = case_judge(l->in, l->c, l->expect, l->view.whole);
	const char **broken = arena_array(&l->in->arena, (size_t)all.n, sizeof *broken);
	int n = 0;
	for (int i = 0; i < all.n; i++)
		if (all.verdict[i].state != VERDICT_KEPT)
			broken[n++] = all.verdict[i].key;
	while (n--)
		cJSON_DeleteItemFromObjectCaseSensitive(l->expect, broken[n]);
}

cJSON *learn_case(struct input *in, struct report_case *c, bool whole)
{
	const struct judged seen = {.analysis = c->analysis, .whole = whole};
	struct learning l = {in, c, c->analysis, view_of(&in->arena, &seen), cJSON_CreateObject()};
	if (l.view.n)
		learn_order(&l);
	learn_counts(&l);
	if (l.view.n)
		learn_names(&l);
	learn_shape(&l);
	learn_relations(&l);
	leave_out_broken(&l);
	return l.expect;
}

/* ---- the file ---- */

static void put_number(struct json_out *j, const char *key, double value)
{
	int decimals = value > 0 ? 2 - (int)floor(log10(value)) : 0;
	if (value == floor(value))
		json_int(j, key, (int64_t)value);
	else
		json_number(j, key, value, max_int(decimals, 0));
}

/* Small objects and lists on one line. */
static void put_value(struct json_out *j, const char *key, const cJSON *value)
{
	const cJSON *m;
	if (cJSON_IsString(value)) {
		json_text(j, key, value->valuestring);
	} else if (cJSON_IsNumber(value)) {
		put_number(j, key, value->valuedouble);
	} else if (cJSON_IsBool(value)) {
		json_bool(j, key, cJSON_IsTrue(value));
	} else {
		bool lines = key && !strcmp(key, "kernel_names");
		(cJSON_IsArray(value) ? json_array : json_object)(
			j, key, lines ? JSON_LINES : JSON_INLINE);
		cJSON_ArrayForEach(m, value)
		{
			put_value(j, cJSON_IsArray(value) ? NULL : m->string, m);
		}
		json_end(j);
	}
}

static void put_text(struct json_out *j, const char *key, const char *text)
{
	if (*text)
		json_text(j, key, text);
}

static void put_case(struct json_out *j, struct input *in, struct report_case *c)
{
	bool whole = c->whole || !c->analysis->n_steps;
	cJSON *expect = learn_case(in, c, whole);
	const char *name = name_of(in, c);
	json_object(j, NULL, JSON_LINES);
	json_text(j, "trace", name);
	if (!c->work && strcmp(c->title, case_trace_file(&in->arena, c, 0)) != 0)
		json_text(j, "title", c->title);
	put_text(j, "question", c->work ? "" : c->question);
	put_text(j, "guess", c->work ? "" : c->guess);
	if (whole)
		json_bool(j, "whole", true);
	json_object(j, "expect", JSON_LINES);
	const cJSON *m;
	cJSON_ArrayForEach(m, expect)
	{
		put_value(j, m->string, m);
	}
	json_end(j);
	json_end(j);
	cJSON_Delete(expect);
}

static void put_head(struct json_out *j)
{
	json_int(j, "tracebook_expectations", 1);
	json_text(j, "about",
		"Written by report --learn from what the traces showed. Times and ratios are "
		"widened by these factors, shares by this much, down and up.");
	json_object(j, "widened", JSON_INLINE);
	put_number(j, "times", learn_times);
	put_number(j, "ratios", learn_ratios);
	put_number(j, "shares", learn_shares);
	json_end(j);
}

int learn_write(struct input *in, const char *path, struct err *err)
{
	struct outfile out;
	struct json_out j;
	int learnt = 0;
	if (outfile_open(&out, path, err))
		return -1;
	json_init(&j, out.f);
	json_object(&j, NULL, JSON_LINES);
	put_head(&j);
	if (in->settings && in->settings->n)
		rule_settings_json(&j, "thresholds", in->settings);
	json_array(&j, "traces", JSON_LINES);
	for (struct report_case *c = NULL; (c = next_case(in, c));) {
		if (!c->readable || c->trace.ends_early)
			continue;
		put_case(&j, in, c);
		learnt++;
	}
	json_end(&j);
	json_end(&j);
	json_finish(&j);
	if (!learnt) {
		outfile_drop(&out);
		return fail(err,
			"--learn %s: no trace was readable and whole, so there is nothing to learn",
			path);
	}
	return outfile_close(&out, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/rule.h"

#include "base/config.h"
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>

/* As many digits as are the same on every machine: whole numbers as they are, others to six
 * significant ones. */
static void print_number(FILE *out, double v)
{
	if (v == floor(v) && fabs(v) < 1e15)
		fprintf(out, "%.0f", v);
	else
		fprintf(out, "%.6g", v);
}

static void dump_values(const struct finding *f, FILE *out)
{
	const struct rule *d = f->rule;
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++) {
		if (!f->value[i].known)
			continue;
		fprintf(out, "  %s ", d->value[i].name);
		if (d->value[i].unit == UNIT_TEXT) {
			json_escape(out, f->value[i].text);
		} else {
			print_number(out, f->value[i].number);
			fprintf(out, " %s", finding_unit_name(d->value[i].unit));
		}
		fputc('\n', out);
	}
}

/* Of a finding without an answer only what was set. */
static void dump_thresholds(const struct finding *one, FILE *out)
{
	const struct rule *d = one->rule;
	for (int k = 0; k < RULE_THRESHOLDS && d->threshold[k].name; k++) {
		if (one->state == FINDING_NOT_APPLICABLE &&
			one->threshold[k] == d->threshold[k].value)
			continue;
		fprintf(out, "  threshold %s ", d->threshold[k].name);
		print_number(out, one->threshold[k]);
		fprintf(out, " %s", finding_unit_name(d->threshold[k].unit));
		if (one->threshold[k] != d->threshold[k].value) {
			fputs(", set; default ", out);
			print_number(out, d->threshold[k].value);
		}
		fputc('\n', out);
	}
}

/* The first few: the rest is in the JSON. */
static void dump_rows(const char *what, const uint32_t *row, int n, size_t all, FILE *out)
{
	enum { SHOWN = 8 };
	if (!n)
		return;
	fprintf(out, "  %s", what);
	for (int i = 0; i < n && i < SHOWN; i++)
		fprintf(out, " %" PRIu32, row[i]);
	fprintf(out, " of %zu\n", all);
}

/* Which of its sentences fits, "" for the plain one. */
static const char *reason_of(const struct finding *f)
{
	return f->rule->kind == RULE_FINDING ? finding_reason_name(f->reason) : f->variant;
}

void finding_dump(const struct finding *one, FILE *out)
{
	const struct rule *d = one->rule;
	const char *reason = reason_of(one);
	fprintf(out, "%s %s %s%s%s\n", rule_kind_name(d->kind), d->id,
		finding_state_name(one->state), *reason ? " " : "", reason);
	dump_values(one, out);
	dump_thresholds(one, out);
	if (one->give_back_ns)
		fprintf(out, "  gives back %" PRId64 " ns of %" PRId64 " ns %s\n",
			one->give_back_ns, one->ceiling_ns, gain_source_name(one->gain));
	if (one->once_ns)
		fprintf(out, "  once %" PRId64 " ns\n", one->once_ns);
	if (one->state != FINDING_FIRED)
		return;
	dump_rows("rows", one->evidence, one->n_evidence, one->n_events, out);
	dump_rows("base rows", one->base_evidence, one->n_base_evidence, one->n_base_events, out);
}

void findings_dump(const struct findings *f, FILE *out)
{
	for (int i = 0; i < f->n; i++)
		finding_dump(&f->finding[i], out);
	fprintf(out, "ranked");
	for (int i = 0; i < f->n_fired; i++)
		fprintf(out, " %s", f->finding[f->ranked[i]].rule->id);
	fputc('\n', out);
}

/* ---- JSON ---- */

/* Shares and ratios want more digits than times. */
static void json_value(struct json_out *j, const char *key, enum finding_unit unit, double v)
{
	if (v == floor(v) && fabs(v) < 9e15)
		json_int(j, key, (int64_t)v);
	else
		json_number(j, key, v, unit == UNIT_RATIO || unit == UNIT_SHARE ? 6 : 1);
}

static void json_values(struct json_out *j, const struct finding *f)
{
	const struct rule *d = f->rule;
	json_array(j, "values", JSON_LINES);
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++) {
		if (!f->value[i].known)
			continue;
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "name", d->value[i].name);
		if (d->value[i].unit == UNIT_TEXT)
			json_text(j, "value", f->value[i].text);
		else
			json_value(j, "value", d->value[i].unit, f->value[i].number);
		json_text(j, "unit", finding_unit_name(d->value[i].unit));
		json_end(j);
	}
	json_end(j);
}

static void json_threshold(struct json_out *j, const struct rule *d, int i, double value)
{
	enum finding_unit unit = d->threshold[i].unit;
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "name", d->threshold[i].name);
	json_value(j, "value", unit, value);
	json_text(j, "unit", finding_unit_name(unit));
	json_value(j, "default", unit, d->threshold[i].value);
	json_bool(j, "set", value != d->threshold[i].value);
	json_end(j);
}

static void json_evidence(
	struct json_out *j, const char *key, const struct trace *t, const uint32_t *row, int n)
{
	json_array(j, key, JSON_LINES);
	for (int i = 0; i < n; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_int(j, "row", row[i]);
		json_text(j, "name", names_text(&t->names, t->name[row[i]]));
		json_us(j, "start_us", t->start_ns[row[i]]);
		json_us(j, "dur_us", t->dur_ns[row[i]]);
		json_end(j);
	}
	json_end(j);
}

void finding_json(struct json_out *j, const cJSON *words, const struct trace *t,
	const struct trace *base, const struct finding *f)
{
	const struct rule *d = f->rule;
	json_text(j, "name", config_words(rule_words(words, d), "title"));
	json_text(j, "state", finding_state_name(f->state));
	json_text(j, "reason", reason_of(f));
	json_values(j, f);
	json_array(j, "thresholds", JSON_LINES);
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		json_threshold(j, d, i, f->threshold[i]);
	json_end(j);
	json_object(j, "give_back", JSON_INLINE);
	json_us(j, "us", f->give_back_ns);
	json_us(j, "ceiling_us", f->ceiling_ns);
	json_text(j, "of", gain_source_name(f->gain));
	json_end(j);
	if (f->state != FINDING_FIRED)
		return;
	if (d->kind == RULE_FINDING)
		json_int(j, "events", (int64_t)f->n_events);
	json_evidence(j, "evidence", t, f->evidence, f->n_evidence);
	if (base) {
		json_int(j, "base_events", (int64_t)f->n_base_events);
		json_evidence(j, "base_evidence", base, f->base_evidence, f->n_base_evidence);
	}
}

void findings_json(
	struct json_out *j, const char *key, const cJSON *words, const struct findings *f)
{
	json_array(j, key, JSON_LINES);
	for (int i = 0; i < f->n; i++) {
		json_object(j, NULL, JSON_LINES);
		json_text(j, "id", f->finding[i].rule->id);
		if (f->finding[i].rule->label)
			json_text(j, "label", f->finding[i].rule->label);
		finding_json(j, words, f->trace, f->base, &f->finding[i]);
		json_end(j);
	}
	json_end(j);
}

static void json_repeats(struct json_out *j, const struct rule *d)
{
	json_array(j, "repeats", JSON_INLINE);
	for (int i = 0; d->repeats[i]; i++)
		json_text(j, NULL, d->repeats[i]);
	json_end(j);
}

static void json_detector(struct json_out *j, const struct rule *d, const cJSON *words,
	const struct rule_settings *settings)
{
	json_object(j, NULL, JSON_LINES);
	json_text(j, "id", d->id);
	if (d->label)
		json_text(j, "label", d->label);
	json_text(j, "kind", rule_kind_name(d->kind));
	json_text(j, "name", config_words(words, "title"));
	json_text(j, "definition", config_words(words, "definition"));
	if (d->kind == RULE_FINDING)
		json_text(j, "source", config_words(words, "source"));
	enum gain_source gain = d->kind == RULE_FINDING ? d->gain : GAIN_WINDOW;
	json_text(j, "gives_back", gain_source_name(gain));
	if (d->action) {
		json_text(j, "action", d->action);
		json_bool(j, "own_rule", d->own_rule);
	}
	json_repeats(j, d);
	if (d->kind == RULE_ACTION || d->gain != GAIN_NOTHING)
		json_text(j, "at_most", config_words(words, "at_most"));
	json_array(j, "thresholds", JSON_LINES);
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		json_threshold(j, d, i, rule_threshold_used(settings, d, i));
	json_end(j);
	json_array(j, "values", JSON_LINES);
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "name", d->value[i].name);
		json_text(j, "unit", finding_unit_name(d->value[i].unit));
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void rules_json(struct json_out *j, const char *key, const cJSON *findings, const cJSON *advice,
	const struct rule_settings *s)
{
	json_array(j, key, JSON_LINES);
	for (int i = 0; i < rule_count(); i++) {
		const struct rule *d = rule_at(i);
		json_detector(j, d, rule_words(d->kind == RULE_FINDING ? findings : advice, d), s);
	}
	json_end(j);
}

void rule_settings_json(struct json_out *j, const char *key, const struct rule_settings *s)
{
	char name[128];
	json_object(j, key, JSON_INLINE);
	for (int i = 0; s && i < s->n; i++) {
		const struct rule *d = s->set[i].rule;
		int t = s->set[i].threshold;
		snprintf(name, sizeof name, "%s.%s", d->id, d->threshold[t].name);
		json_value(j, name, d->threshold[t].unit, s->set[i].value);
	}
	json_end(j);
}

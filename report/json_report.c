/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json_report.h"

#include "base/outfile.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/cpu_work.h"
#include "report/compare/compare.h"
#include "report/json_facts.h"
#include "report/judge/judge.h"
#include "report/page/rich_text.h"
#include "report/read/cut.h"
#include "report/run/manifest.h"
#include "report/section/compiler_account.h"
#include "report/section/fact_tables.h"
#include "report/section/rule_words.h"

#include <math.h>
#include <stdlib.h>

enum { RATIO_DECIMALS = 6 };

/* What is known only with steps is null without. */
static void put_count(struct json_out *j, const char *key, double value, bool known)
{
	if (!known)
		json_null(j, key);
	else if (value == floor(value))
		json_int(j, key, (int64_t)value);
	else
		json_number(j, key, value, 1); /* a median between two whole numbers */
}

static void put_numbers(struct json_out *j, const struct analysis *a)
{
	struct case_numbers n = numbers_of(a);
	const struct window *w = &a->window;
	bool steps = n.n_steps > 0;
	json_object(j, "numbers", JSON_LINES);
	json_int(j, "steps", n.n_steps);
	json_text(j, "regime", regime_name(a->regime.regime));
	json_ns_if(j, "cpu_ns", n.cpu_ns, steps);
	json_ns_if(j, "device_ns", n.device_ns, steps);
	put_count(j, "kernels", n.kernels, steps);
	put_count(j, "copies", n.copies, steps);
	put_count(j, "launches", n.launches, steps);
	put_count(j, "beside_products", n.beside_products, steps);
	json_number(
		j, "first_ratio", n.first_ratio > 0 ? n.first_ratio : (double)NAN, RATIO_DECIMALS);
	json_int(j, "window_ns", w->end_ns - w->start_ns);
	json_int(j, "busy_ns", w->busy_ns);
	json_int(j, "idle_ns", w->idle_ns);
	json_number(j, "busy_share", w->busy_share, RATIO_DECIMALS);
	json_end(j);
}

/* Without a device a step has its times alone. */
static bool has_parts(const struct time_parts *s)
{
	for (int i = 0; i < TIME_PARTS; i++)
		if (s->ns[i])
			return true;
	return false;
}

static void put_split(struct json_out *j, const struct time_parts *s)
{
	json_int(j, "ns", s->end_ns - s->start_ns);
	json_us(j, "start_us", s->start_ns);
	json_array(j, "parts", JSON_LINES);
	for (int i = 0; i < TIME_PARTS && has_parts(s); i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "part", time_part_name((enum time_part)i));
		json_int(j, "ns", s->ns[i]);
		json_end(j);
	}
	json_end(j);
}

static void put_blame_sum(struct json_out *j, const char *key, const struct blame_sum *s)
{
	json_object(j, key, JSON_LINES);
	json_int(j, "silence_ns", s->silence_ns);
	json_int(j, "rhythm_ns", s->rhythm_ns);
	json_int(j, "rhythm_launches", (int64_t)s->launches);
	json_object(j, "kinds", JSON_INLINE);
	for (int i = 0; i < BLAMES; i++)
		json_int(j, blame_name((enum blame_kind)i), s->ns[i]);
	json_end(j);
	json_end(j);
}

static const char *name_or_null(const struct trace *t, uint32_t row)
{
	return row == NO_ROW ? NULL : names_text(&t->names, t->name[row]);
}

/* Because of what the device was idle: blame.h. */
static void put_blame(struct json_out *j, const struct blame *b, const struct trace *t)
{
	enum { MOST = 10 };
	json_object(j, "blame", JSON_LINES);
	put_blame_sum(j, "window", &b->window);
	put_blame_sum(j, "whole", &b->whole);
	json_array(j, "silences", JSON_LINES);
	for (uint32_t i = 0; i < b->n_silences && i < MOST; i++) {
		const struct silence *s = &b->silences[i];
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "kind", blame_name((enum blame_kind)s->kind));
		json_text(j, "name", names_text(&t->names, s->name));
		json_text_or_null(j, "after", name_or_null(t, s->after));
		json_text_or_null(j, "before", name_or_null(t, s->before));
		json_int(j, "n", s->n);
		json_int(j, "ns", s->ns);
		json_int(j, "longest_ns", s->longest_ns);
		json_int(j, "window_ns", s->window_ns);
		put_count(j, "usual_ns", (double)s->usual_ns, s->usual_ns > 0);
		json_end(j);
	}
	json_end(j);
	json_array(j, "causes", JSON_LINES);
	for (uint32_t i = 0; i < b->n_causes; i++) {
		const struct blame_cause *c = &b->causes[i];
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "kind", blame_name((enum blame_kind)c->kind));
		json_text(j, "name", names_text(&t->names, c->name));
		json_int(j, "n", c->n);
		json_int(j, "ns", c->ns);
		json_int(j, "window_ns", c->window_ns);
		json_int(j, "longest_ns", c->longest_ns);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/* What limits the window: without the recorder where that is something else. */
static void put_headline(struct json_out *j, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	const struct advice *x = c->advice;
	bool estimated = x && x->headline != HEADLINE_NONE;
	enum headline h = estimated ? (enum headline)x->headline : p->headline;
	bool solid = estimated ? x->headline_share >= HEADLINE_SOLID : p->solid;
	json_text(j, "headline", !solid && h != HEADLINE_NONE ? "mixed" : headline_name(h));
	json_text(j, "largest", headline_name(h));
	json_text(j, "recorded_headline", headline_name(p->headline));
	json_object(j, "unrecorded", JSON_LINES);
	if (x && x->estimate && p->headline != HEADLINE_NONE && p->lack != LACK_DEVICE)
		put_split(j, x->estimate);
	json_end(j);
}

static void put_window(struct json_out *j, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	bool step = p->median != NO_ROW;
	json_object(j, "window", JSON_LINES);
	put_split(j, breakdown_window(p));
	json_text(j, "steps_by", steps_by_name(p->steps_by));
	json_text(j, "range", p->range);
	json_int(j, "steps", p->n_steps);
	put_count(j, "step", step ? (double)p->steps[p->median].number : 0, step);
	json_number(j, "headline_share", p->headline_share, RATIO_DECIMALS);
	json_text(j, "lacks", breakdown_lack_name(p->lack));
	json_end(j);
	put_headline(j, c);
	json_object(j, "whole", JSON_LINES);
	put_split(j, &p->whole);
	json_end(j);
}

static void put_cpu(struct json_out *j, const struct report_case *c)
{
	const struct cpu_work w = cpu_work_of(c->analysis, c->breakdown);
	if (!w.n)
		return;
	json_object(j, "cpu_work", JSON_LINES);
	json_us(j, "start_us", w.start_ns);
	json_int(j, "ns", w.end_ns - w.start_ns);
	json_int(j, "within_ns", w.within_ns);
	json_int(j, "own_ns", w.own_ns);
	json_int(j, "moving_ns", w.moving_ns);
	json_int(j, "threads", w.threads);
	json_array(j, "most", JSON_LINES);
	for (uint32_t i = 0; i < w.n; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "name", trace_name(&c->trace, w.most[i].name));
		json_int(j, "own_ns", w.most[i].own_ns);
		json_int(j, "calls", w.most[i].calls);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void put_event(struct json_out *j, const char *key, const struct trace *t, uint32_t row)
{
	json_object(j, key, JSON_INLINE);
	json_int(j, "row", row);
	json_text(j, "name", names_text(&t->names, t->name[row]));
	json_us(j, "start_us", t->start_ns[row]);
	json_us(j, "dur_us", t->dur_ns[row]);
	json_end(j);
}

/* A remedy, or what is left alone, as plain text. */
static void put_action(struct json_out *j, const struct texts *texts, const struct trace *t,
	const struct finding *x, bool leave)
{
	struct arena a = {0};
	json_object(j, NULL, JSON_LINES);
	json_text(j, "id", x->rule->id);
	json_text(j, "variant", x->variant ? x->variant : "");
	json_int(j, leave ? "ns" : "gain_ns", x->give_back_ns);
	if (!leave) {
		json_int(j, "once_ns", x->once_ns);
		json_int(j, "each_ns", x->each_ns);
		json_int(j, "joined_ns", x->joined_ns);
		json_bool(j, "setting", x->rule->setting);
		json_bool(j, "behind", x->behind);
	}
	json_text(j, "sentence", rich_plain(&a, rule_sentence(texts, &a, x)));
	if (!leave)
		json_text(j, "switch", rich_plain(&a, rule_do(texts, &a, x)));
	finding_json(j, texts_data(texts, "advice"), t, NULL, x);
	json_array(j, "events", JSON_LINES);
	for (int i = 0; i < x->n_evidence; i++)
		put_event(j, NULL, t, x->evidence[i]);
	json_end(j);
	json_end(j);
	arena_release(&a);
}

static void put_advice(struct json_out *j, const struct texts *texts, const struct advice *x)
{
	json_array(j, "actions", JSON_LINES);
	for (int i = 0; i < x->n; i++)
		put_action(j, texts, x->trace, &x->action[i], false);
	json_end(j);
	json_array(j, "leave", JSON_LINES);
	for (int i = 0; i < x->n_leave; i++)
		put_action(j, texts, x->trace, &x->leave[i], true);
	json_end(j);
	json_object(j, "recorder", JSON_INLINE);
	double recorded = x->window_ns > 0 ? (double)x->window_ns : 1;
	json_number(j, "share", 1 - (double)x->unrecorded_ns / recorded, RATIO_DECIMALS);
	json_int(j, "operator_ns", x->recording_ns);
	json_int(j, "window_ns", x->unrecorded_ns);
	json_bool(j, "priced", x->priced);
	json_bool(j, "measured", x->measured);
	json_end(j);
}

static void put_place(struct json_out *j, const struct report_case *c, const struct verdict *v)
{
	if (v->step != NO_ROW)
		json_int(j, "step", c->analysis->steps[v->step].number);
	if (v->element != NO_ROW)
		json_int(j, "place", (int64_t)v->element + 1);
	if (verdict_differs(v)) {
		json_text_or_null(j, "wanted", v->wanted);
		json_text_or_null(j, "saw", v->saw);
	}
	if (v->at != NO_ROW)
		put_event(j, "first", &c->trace, v->at);
}

static void put_certainty(struct json_out *j, const struct certainty *x)
{
	json_object(j, "certainty", JSON_INLINE);
	json_number(j, "low", x->low, RATIO_DECIMALS);
	json_number(j, "high", x->high, RATIO_DECIMALS);
	json_int(j, "steps", (int64_t)x->n_mine);
	json_int(j, "steps_of_case", (int64_t)x->n_others);
	json_int(j, "processes", x->processes);
	json_end(j);
}

static void put_sentences(struct json_out *j, const struct report_case *c)
{
	json_array(j, "sentences", JSON_LINES);
	for (int i = 0; i < c->n_sentences; i++) {
		const struct sentence *s = &c->sentence[i];
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "says", s->says);
		json_text(j, "state", s->contrast ? "contrast" : sentence_state_name(s->state));
		json_end(j);
	}
	json_end(j);
}

static void put_verdict(struct json_out *j, const struct report_case *c, const struct verdict *v)
{
	json_object(j, NULL, JSON_LINES);
	json_text(j, "expectation", v->key);
	json_text(j, "state", verdict_state_name(v->state));
	if (v->state == VERDICT_OPEN)
		json_text(j, "reason", open_reason_name(v->reason));
	json_text(j, "expected", v->expected);
	json_text(j, "observed", v->observed);
	if (v->other)
		json_text(j, "case", v->other);
	if (isfinite(v->min) || isfinite(v->max)) {
		json_number(j, "min", v->min, RATIO_DECIMALS);
		json_number(j, "max", v->max, RATIO_DECIMALS);
		json_number(j, "value", v->state == VERDICT_OPEN ? (double)NAN : v->value,
			RATIO_DECIMALS);
	}
	if (v->certainty.n_mine)
		put_certainty(j, &v->certainty);
	put_place(j, c, v);
	json_array(j, "evidence", JSON_LINES);
	for (uint32_t i = 0; i < v->n_evidence; i++)
		put_event(j, NULL, &c->trace, v->evidence[i]);
	json_end(j);
	json_end(j);
}

static void put_compared_cases(
	struct json_out *j, const struct texts *texts, const struct report_case *c)
{
	json_array(j, "compared", JSON_LINES);
	for (const struct compared_case *one = c->compared; one; one = one->next) {
		json_object(j, NULL, JSON_LINES);
		json_text(j, "case", one->id);
		findings_json(j, "findings", texts_data(texts, "findings"), &one->findings);
		json_end(j);
	}
	json_end(j);
}

static void put_case(struct json_out *j, const struct texts *texts, const struct input *in,
	const struct report_case *c)
{
	const struct compile_log *log =
		c->readable ? compile_log_of(in->compile_logs, c->trace.rank) : NULL;
	json_object(j, NULL, JSON_LINES);
	json_text(j, "id", c->id);
	json_text(j, "title", c->title);
	json_text(j, "experiment", c->experiment);
	json_text(j, "tag", c->tag);
	json_text(j, "mode", c->mode);
	json_text(j, "question", c->question);
	json_text(j, "guess", c->guess);
	json_text(j, "status", c->status);
	json_text(j, "reason", c->reason);
	json_bool(j, "readable", c->readable);
	if (c->loading)
		json_loading(j, c->loading);
	if (c->readable) {
		json_int(j, "origin_ns", c->trace.origin_ns);
		if (c->trace.part.of)
			part_json(j, "part", &c->trace.part);
		put_window(j, c);
		put_cpu(j, c);
		put_blame(j, &c->breakdown->blame, &c->trace);
		put_advice(j, texts, c->advice);
		put_numbers(j, c->analysis);
		if (c->n_sentences)
			put_sentences(j, c);
		json_array(j, "verdicts", JSON_LINES);
		for (int i = 0; i < c->verdicts->n; i++)
			put_verdict(j, c, &c->verdicts->verdict[i]);
		json_end(j);
		findings_json(j, "findings", texts_data(texts, "findings"), &c->findings);
		put_compared_cases(j, texts, c);
		if (log)
			json_compiler(j, log, c);
		const struct tables_source facts = case_facts(NULL, c);
		tables_json(j, "tables", &facts);
	}
	json_end(j);
}

static void put_predictions(struct json_out *j, const struct input *in)
{
	int kept = 0, broken = 0, open = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		kept += c->verdicts->kept;
		broken += c->verdicts->broken;
		open += c->verdicts->open;
	}
	json_object(j, "predictions", JSON_INLINE);
	json_int(j, "kept", kept);
	json_int(j, "broken", broken);
	json_int(j, "open", open);
	json_end(j);
}

static void put_run(struct json_out *j, const struct texts *texts, const struct input *in,
	const struct run *run)
{
	json_object(j, NULL, JSON_LINES);
	json_text_or_null(j, "folder", run->folder);
	json_text_or_null(j, "device", run->of_matrix ? run->device : NULL);
	json_text_or_null(j, "created", run->of_matrix ? run->created : NULL);
	json_array(j, "cases", JSON_LINES);
	for (int i = 0; i < run->n_cases; i++)
		put_case(j, texts, in, &run->cases[i]);
	json_end(j);
	if (!run->of_matrix && run->n_cases > 1)
		json_collectives(j, run);
	json_end(j);
}

int json_report_write(const struct input *in, const struct expectations *e,
	const struct texts *texts, const char *path, struct err *err)
{
	struct outfile out;
	struct json_out j;
	if (outfile_open(&out, path, err))
		return -1;
	json_init(&j, out.f);
	json_object(&j, NULL, JSON_LINES);
	json_int(&j, "tracebook_report", 1);
	put_predictions(&j, in);
	rule_settings_json(&j, "thresholds", in->settings);
	json_array(&j, "runs", JSON_LINES);
	for (int r = 0; r < in->n_runs; r++)
		put_run(&j, texts, in, &in->runs[r]);
	json_end(&j);
	json_array(&j, "unseen", JSON_INLINE);
	for (int i = 0; i < e->n; i++)
		if (!e->trace[i].seen)
			json_text(&j, NULL, e->trace[i].name);
	json_end(&j);
	if (in->comparison)
		comparison_json(&j, "comparison", in->comparison);
	rules_json(&j, "detectors", texts_data(texts, "findings"), texts_data(texts, "advice"),
		in->settings);
	json_end(&j);
	json_finish(&j);
	return outfile_close(&out, err);
}

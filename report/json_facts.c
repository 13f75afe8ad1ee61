/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json_facts.h"

#include "report/analyse/rank_meetings.h"
#include "report/run/manifest.h"
#include "report/run/ranks_of_run.h"
#include "report/section/compiler_account.h"

#include <math.h>
#include <stdlib.h>

void json_text_or_null(struct json_out *j, const char *key, const char *text)
{
	if (text)
		json_text(j, key, text);
	else
		json_null(j, key);
}

void json_ns_if(struct json_out *j, const char *key, double ns, bool known)
{
	if (known)
		json_int(j, key, llround(ns));
	else
		json_null(j, key);
}

void json_loading(struct json_out *j, const struct loading_facts *l)
{
	json_object(j, "loading", JSON_INLINE);
	json_number(j, "batches", l->batches, 0);
	json_number(j, "wait_ms", l->wait_ms, 3);
	json_number(j, "work_ms", l->work_ms, 3);
	json_number(j, "workers", l->workers, 0);
	json_number(j, "make_ms", l->make_ms, 3);
	json_number(j, "enough", l->enough, 0);
	json_text_or_null(j, "in", l->in);
	json_text_or_null(j, "at", l->at);
	json_number(j, "in_ms", l->in_ms, 3);
	json_end(j);
}

void json_compiler(struct json_out *j, const struct compile_log *log, const struct report_case *c)
{
	struct compiled *all = compiled_in(log, &c->trace);
	json_object(j, "compiler", JSON_LINES);
	json_array(j, "compilations", JSON_LINES);
	for (int i = 0; i < log->n_compilations; i++) {
		const struct compilation *x = all[i].of;
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "id", x->id);
		json_text(j, "function", x->function);
		json_text(j, "file", x->file);
		json_int(j, "line", x->line);
		json_bool(j, "backward", x->backward);
		json_text_or_null(j, "because", x->because[0] ? x->because : NULL);
		json_text_or_null(j, "failed", x->failed[0] ? x->failed : NULL);
		json_ns_if(j, "log_ns", x->ns, isfinite(x->ns));
		json_ns_if(j, "trace_ns", (double)all[i].trace_ns, all[i].trace_ns >= 0);
		json_end(j);
	}
	json_end(j);
	json_array(j, "graph_breaks", JSON_LINES);
	for (int i = 0; i < log->n_breaks; i++) {
		const struct graph_break *b = &log->graph_break[i];
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "id", b->id);
		json_text(j, "where", b->where);
		json_text(j, "why", b->why);
		json_text_or_null(j, "hint", b->hint[0] ? b->hint : NULL);
		json_int(j, "times", b->times);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	free(all);
}

void json_collectives(struct json_out *j, const struct run *run)
{
	struct arena a = {0};
	uint32_t n;
	const struct rank_part *part = rank_parts_of(&a, run, &n);
	const struct ranks r = ranks_of(&a, part, n);
	const struct meetings m = meetings_of(&a, &r, part);
	json_array(j, "collectives", JSON_LINES);
	for (uint32_t i = 0; i < m.n; i++) {
		const struct meeting *one = &m.list[i];
		bool late = one->row != NO_ROW;
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "collective", one->name);
		json_text(j, "group", one->group);
		json_int(j, "ranks", one->members);
		json_int(j, "times", one->n);
		json_int(j, "clear_times", one->clear);
		json_ns_if(j, "late_rank", late ? (double)r.row[one->row].rank : 0, late);
		json_int(j, "late_times", one->last);
		json_ns_if(j, "late_by_ns", (double)one->margin_ns, late);
		json_int(j, "wait_ns", one->wait_ns);
		json_end(j);
	}
	json_end(j);
	arena_release(&a);
}

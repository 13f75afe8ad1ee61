/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis.h"

#include "base/json_out.h"

#include <inttypes.h>

/* Integers stay nanoseconds; doubles get as many digits as are the same on every machine. */

static void print_name(FILE *f, const struct trace *t, name_id name)
{
	json_escape(f, names_text(&t->names, name));
}

static void print_row(FILE *f, uint32_t row)
{
	if (row == NO_ROW)
		fputs(" -", f);
	else
		fprintf(f, " %" PRIu32, row);
}

static void print_rows(FILE *f, const char *what, const uint32_t *row, size_t n)
{
	fprintf(f, "  %s", what);
	for (size_t i = 0; i < n; i++)
		print_row(f, row[i]);
	fputc('\n', f);
}

static void print_stats(FILE *f, const char *what, const struct stats *s)
{
	fprintf(f,
		"  %s n %zu total %" PRId64 " min %" PRId64 " p5 %.1f p25 %.1f median %.1f "
		"mean %.1f p75 %.1f p95 %.1f max %" PRId64 " mad %.1f\n",
		what, s->n, s->total, s->min, s->p5, s->p25, s->median, s->mean, s->p75, s->p95,
		s->max, s->mad);
}

static void dump_launches(const struct trace *t, const uint32_t *device_row, size_t n, FILE *f)
{
	struct stats delay = launch_delays_of(t, device_row, n),
		     call = launch_calls_of(t, device_row, n);
	print_stats(f, "delay", &delay);
	print_stats(f, "call", &call);
}

static void dump_counts(const struct analysis *a, FILE *f)
{
	fprintf(f, "device \"%s\"\n", a->device);
	fprintf(f, "main track");
	print_row(f, a->main_track);
	fprintf(f,
		"\ndevice events %zu: kernels %zu copies %zu fills %zu unlinked %zu, %" PRId64
		" ns, kernels %" PRId64 " ns\n",
		a->n_device, a->n_kernels, a->n_copies, a->n_fills, a->n_unlinked, a->device_ns,
		a->kernel_ns);
	fprintf(f, "calls: launches %zu copies %zu syncs %zu queries %zu\n", a->n_launches,
		a->n_copy_calls, a->n_syncs, a->n_queries);
	if (a->n_device) {
		dump_launches(a->trace, a->device_rows, a->n_device, f);
	}
}

static void dump_step(const struct analysis *a, const struct step *s, FILE *f)
{
	fprintf(f, "step %" PRId64 " row %" PRIu32 " at %" PRId64 " for %" PRId64 "\n", s->number,
		s->row, s->start_ns, s->dur_ns);
	fprintf(f,
		"  device %" PRId64 "..%" PRId64 " busy %" PRId64 " sum %" PRId64
		" kernels %" PRIu32 " copies %" PRIu32 " fills %" PRIu32 "\n",
		s->device_start_ns, s->device_end_ns, s->busy_ns, s->device_ns, s->kernels,
		s->copies, s->fills);
	fprintf(f,
		"  calls: launches %" PRIu32 " copies %" PRIu32 " syncs %" PRIu32 " (%" PRId64
		" ns) queries %" PRIu32 "\n",
		s->launches, s->copy_calls, s->syncs, s->sync_ns, s->queries);
	print_rows(f, "rows", s->device, s->n_device);
	if (!s->n_setup)
		return;
	fprintf(f, "  setup %" PRId64 " ns\n", s->setup_ns);
	for (uint32_t i = 0; i < s->n_setup_sums; i++) {
		fprintf(f, "    %" PRId64 " ns in %" PRIu32 " ", s->setup_sum[i].ns,
			s->setup_sum[i].calls);
		print_name(f, a->trace, s->setup_sum[i].name);
		fputc('\n', f);
	}
	print_rows(f, "  rows", s->setup, s->n_setup);
}

static void dump_window(const struct analysis *a, FILE *f)
{
	static const char *const sources[] = {
		[WINDOW_NONE] = "none",
		[WINDOW_STEPS] = "steps",
		[WINDOW_DEVICE] = "device",
		[WINDOW_HOST] = "host",
	};
	const struct window *w = &a->window;
	fprintf(f,
		"window %s %" PRId64 "..%" PRId64 " busy %" PRId64 " kernels %" PRId64
		" idle %" PRId64 " share %.6f\n",
		sources[w->source], w->start_ns, w->end_ns, w->busy_ns, w->kernel_busy_ns,
		w->idle_ns, w->busy_share);
	for (int i = 0; i < BUSY_RULES; i++)
		fprintf(f, "busy %" PRId64 " of %" PRId64 ": %s\n", a->busy[i].busy_ns,
			a->busy[i].window_ns, busy_rule_name((enum busy_rule)i));
}

static void dump_regime(const struct regime_judgement *r, FILE *f)
{
	fprintf(f,
		"regime %s (plain %s, robust %s): self CPU %" PRId64 " self device %" PRId64
		" ratio %.6f wait %" PRId64 " overhead %" PRId64 " handed %" PRId64
		" loading %" PRId64 " dispatch %" PRId64 " share %.6f\n",
		regime_name(r->regime), regime_name(r->plain), regime_name(r->robust),
		r->self_cpu_ns, r->self_device_ns, r->ratio, r->wait_ns, r->overhead_ns,
		r->handed_ns, r->loading_ns, r->dispatch_ns, r->busy_share);
}

static void dump_activity(const struct analysis *a, const struct activity *act, FILE *f)
{
	fprintf(f, "activity %s ", event_class_name(act->class));
	print_name(f, a->trace, act->name);
	if (act->grid[0] >= 0)
		fprintf(f, " grid %d,%d,%d block %d,%d,%d", act->grid[0], act->grid[1],
			act->grid[2], act->block[0], act->block[1], act->block[2]);
	fprintf(f, "\n  calls %zu in steps %zu (%.3f a step) share %.6f\n", act->calls,
		act->calls_in_steps, act->calls_per_step, act->share);
	print_stats(f, "duration", &act->dur);
	dump_launches(a->trace, act->row, act->calls, f);
	print_rows(f, "rows", act->row, act->calls);
}

static void dump_gaps(const struct analysis *a, FILE *f)
{
	fprintf(f, "gaps %zu\n", a->n_gaps);
	for (size_t i = 0; i < a->n_gaps; i++) {
		struct gap g = analysis_gap(a, i);
		fprintf(f, "  at %" PRId64 " for %" PRId64 " between", g.start_ns, g.dur_ns);
		print_row(f, g.before);
		fputs(" and", f);
		print_row(f, g.after);
		fputc('\n', f);
	}
	print_rows(f, "longest", a->longest, a->n_longest);
}

static void dump_compile(const struct compile_facts *c, FILE *f)
{
	fprintf(f,
		"compile: lookups %" PRIu32 " (%" PRId64 " ns) guards %" PRIu32 " (%" PRId64
		" ns) prologues %" PRIu32 " (%" PRId64 " ns) regions %" PRIu32 " of %" PRIu32
		" frames, graph calls %" PRIu32 ", recompiles %" PRIu32 "\n",
		c->lookups, c->lookup_ns, c->guards, c->guard_ns, c->prologues, c->prologue_ns,
		c->regions, c->frames, c->graph_calls, c->recompiles);
	for (uint32_t i = 0; i < c->n_hashes; i++) {
		fputs("  graph ", f);
		json_escape(f, c->hash[i]);
		fputc('\n', f);
	}
}

static void dump_classes(const struct analysis *a, FILE *f)
{
	size_t rows[CLASSES] = {0};
	for (size_t i = 0; i < a->trace->n; i++)
		rows[a->class[i]]++;
	fputs("classes:", f);
	for (int c = 0; c < CLASSES; c++)
		if (rows[c])
			fprintf(f, " %zu %s,", rows[c], event_class_name((enum event_class)c));
	fputs(" in all\n", f);
}

void analysis_dump(const struct analysis *a, FILE *f)
{
	dump_counts(a, f);
	dump_classes(a, f);
	dump_window(a, f);
	dump_regime(&a->regime, f);
	dump_compile(&a->compile, f);
	for (uint32_t i = 0; i < a->n_steps; i++)
		dump_step(a, &a->steps[i], f);
	for (uint32_t i = 0; i < a->n_activities; i++)
		dump_activity(a, &a->activities[i], f);
	dump_gaps(a, f);
	struct profiler_table times = a->profiler_table;
	times.has_memory = times.has_flop = false;
	profiler_table_print(f, &times, times.n, a->device);
}

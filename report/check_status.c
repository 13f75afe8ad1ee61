/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_status.h"

#include "base/terminal.h"
#include "base/verbosity.h"
#include "report/analyse/case_numbers.h"
#include "report/compare/compare.h"
#include "report/judge/judge.h"
#include "report/page/rich_text.h"
#include "report/section/comparison_words.h"
#include "report/section/parts.h"

#include <inttypes.h>
#include <string.h>

/* Whole microseconds and three decimals, exactly. */
static void print_us(int64_t ns)
{
	terminal_print("%" PRId64 ".%03d us", ns / 1000, (int)(ns % 1000));
}

static void print_event(const struct trace *t, uint32_t row)
{
	terminal_print(
		"  row %" PRIu32 ", \"%s\": starts ", row, names_text(&t->names, t->name[row]));
	print_us(t->start_ns[row]);
	terminal_print(" into the trace, takes ");
	print_us(t->dur_ns[row]);
	putchar('\n');
}

static void print_broken(
	const struct report_case *c, const struct verdict *v, const struct texts *texts)
{
	struct arena scratch = {0};
	const struct sentence *s = tested_sentence(c, v);
	if (s && s->state == SENTENCE_FOLLOWS) {
		terminal_print(
			"FOLLOWS %s: %s: as in %s, and counts there\n", c->id, v->key, s->follows);
		return;
	}
	const char *where = rich_plain(&scratch, verdict_where(&scratch, texts, c, v));
	terminal_print(
		"BROKEN %s: %s: expected %s, saw %s\n", c->id, v->key, v->expected, v->observed);
	if (*where)
		terminal_print("  %s\n", where);
	if (v->at != NO_ROW)
		print_event(&c->trace, v->at);
	terminal_print("  %s\n", rich_plain(&scratch, verdict_hint(&scratch, texts, v)));
	arena_release(&scratch);
}

static void print_ratio(
	const char *verdict, const struct pair *p, const char *what, const struct ratio *r)
{
	terminal_print("%s %s: %s %.2fx", verdict, p->id, what, r->ratio);
	if (r->level > 0)
		terminal_print(" (%.2f to %.2f, %.6g %% sure by these recordings)", r->low, r->high,
			100 * r->level);
	putchar('\n');
}

/* The kernels that a gate may fail for. */
static void print_slower_kernels(const struct pair *p)
{
	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct compared_kernel *k = &p->kernel[i];
		if (!kernel_is_worse(p, k))
			continue;
		print_ratio("SLOWER", p, "a kernel", &k->time);
		terminal_print("  %s%s%s\n", k->name, *k->op ? " of " : "", k->op);
	}
}

static void print_parts(const struct pair *p)
{
	struct part_bar bar[PART_BARS];
	const struct part_bar *most = pair_bars(p, bar) ? largest_bar(bar) : NULL;
	if (!most)
		return;
	terminal_print(
		"  largest difference%s: %s, ", p->after.whole ? "" : " of a step", most->part);
	int64_t ns = most->after_ns - most->before_ns;
	terminal_print("%s", ns < 0 ? "-" : "+");
	print_us(ns < 0 ? -ns : ns);
	putchar('\n');
}

/* What is not the same in both recordings; of a device always, of all else where `all`. */
static void print_differences(const struct pair *p, const struct texts *texts, bool all)
{
	for (int i = 0; i < p->n_differs; i++) {
		const struct difference *one = &p->differs[i];
		struct arena scratch = {0};
		const char *what = one->own ? one->what : say(texts, &scratch, one->what, NULL);
		if (all || !strcmp(one->what, "differs.device"))
			terminal_print("  %s: %s, before: %s\n", what,
				*one->after ? one->after : "not told",
				*one->before ? one->before : "not told");
		arena_release(&scratch);
	}
}

static void print_pair(const struct pair *p, const struct texts *texts)
{
	static const char *const word[CHANGES] = {"SAME", "FASTER", "SLOWER", "INCONCLUSIVE"};
	if (p->identical) {
		terminal_print("IDENTICAL %s\n", p->id);
		return;
	}
	if (pair_is_unlike(p)) {
		terminal_print("%s %s\n", word[p->step.change], p->id);
	} else {
		print_ratio(word[p->step.change], p,
			p->after.whole	       ? "the recording"
				: p->estimated ? "step, without the profiler"
					       : "step",
			&p->step);
		print_parts(p);
	}
	if (pair_doubt(p)) {
		struct arena scratch = {0};
		terminal_print("  %s\n", rich_plain(&scratch, change_doubt(&scratch, texts, p)));
		const char *needs = change_needs(&scratch, texts, p);
		if (*needs)
			terminal_print("  %s\n", rich_plain(&scratch, needs));
		arena_release(&scratch);
	}
	if (pair_is_unrelated(p)) {
		struct arena scratch = {0};
		terminal_print("  %s\n",
			rich_plain(&scratch, say(texts, &scratch, "baseline.unrelated", NULL)));
		arena_release(&scratch);
	}
	if (p->step.change != CHANGE_FASTER && p->device.change == CHANGE_FASTER)
		print_ratio("FASTER", p, "device", &p->device);
	if (pair_change(p) != CHANGE_SLOWER)
		return;
	if (p->cpu.change == CHANGE_SLOWER)
		print_ratio("SLOWER", p, "CPU", &p->cpu);
	if (p->device.change == CHANGE_SLOWER)
		print_ratio("SLOWER", p, "device", &p->device);
	print_slower_kernels(p);
}

/* How many fail the gate. */
static int print_comparison(const struct comparison *all, const struct texts *texts)
{
	if (all->identical) {
		terminal_print("identical\n");
		return 0;
	}
	for (int i = 0; i < all->n; i++) {
		print_differences(&all->pair[i], texts, !i);
		print_pair(&all->pair[i], texts);
	}
	if (all->only_before || all->only_after)
		terminal_print(
			"not compared, without a partner of that name and size: %d before, %d after\n",
			all->only_before, all->only_after);
	terminal_print("%d compared: %d slower, %d faster, %d same, %d inconclusive\n", all->n,
		all->slower, all->faster, all->same, all->inconclusive);
	if (all->inconclusive)
		talk_warn(
			"%d of %d pairs are inconclusive: too few samples, or too "
			"much noise; tracebook collect --against measures both sides in turn, --repeat N "
			"times",
			all->inconclusive, all->n);
	return all->slower;
}

/* Steps that take longer than they may. */
static int print_over(const struct input *in, int64_t most_ns)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		const struct breakdown *p = c->readable ? c->breakdown : NULL;
		int64_t ns = p && (p->n_steps || p->lack != LACK_DEVICE)
			? split_length(breakdown_window(p))
			: p ? (int64_t)numbers_of(c->analysis).cpu_ns
			    : 0;
		if (!p || ns <= most_ns)
			continue;
		n++;
		terminal_print("OVER %s: %s takes ", c->id,
			c->analysis->n_steps || p->n_steps ? "a step" : "the recording");
		print_us(ns);
		terminal_print(", and may take ");
		print_us(most_ns);
		putchar('\n');
	}
	return n;
}

static void print_settings(const struct rule_settings *s)
{
	for (int i = 0; s && i < s->n; i++) {
		const struct rule *d = s->set[i].rule;
		int t = s->set[i].threshold;
		terminal_print("SET %s.%s=%.9g, default %.9g\n", d->id, d->threshold[t].name,
			s->set[i].value, d->threshold[t].value);
	}
}

enum check_result check_print(const struct input *in, const struct expectations *e,
	const struct texts *texts, const struct gate *gate)
{
	int kept = 0, broken = 0, open = 0, noise = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		kept += c->verdicts->kept;
		broken += c->verdicts->broken;
		open += c->verdicts->open;
		noise += c->verdicts->noise;
		for (int v = 0; v < c->verdicts->n; v++)
			if (c->verdicts->verdict[v].state == VERDICT_BROKEN)
				print_broken(c, &c->verdicts->verdict[v], texts);
	}
	for (int i = 0; i < e->n; i++)
		if (!e->trace[i].seen)
			terminal_print(
				"UNSEEN %s: no trace of that name was read\n", e->trace[i].name);
	print_settings(in->settings);
	bool predicted = kept || broken || noise || open;
	if (predicted || !in->comparison)
		terminal_print("%d predictions kept, %d broken", kept, broken);
	if (noise)
		terminal_print(", %d undecided", noise);
	if (open)
		terminal_print(", %d not judged", open);
	if (predicted || !in->comparison)
		putchar('\n');
	int worse = in->comparison ? print_comparison(in->comparison, texts) : 0;
	int over = gate->step_ns ? print_over(in, gate->step_ns) : 0;
	if (broken || worse || over)
		return CHECK_BROKEN;
	if (gate->inconclusive && in->comparison && in->comparison->inconclusive)
		return CHECK_UNDECIDED;
	if (gate->step_ns)
		return CHECK_GOOD;
	return in->comparison || kept || open || noise ? CHECK_GOOD : CHECK_NOTHING;
}

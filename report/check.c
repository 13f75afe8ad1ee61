/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check.h"

#include "report/page/rich.h"
#include "report/run/baseline.h"
#include "report/section/parts.h"

#include <inttypes.h>

/* Whole microseconds and three decimals, exactly. */
static void print_us(int64_t ns)
{
	printf("%" PRId64 ".%03d us", ns / 1000, (int)(ns % 1000));
}

static void print_event(const struct trace *t, uint32_t row)
{
	printf("  row %" PRIu32 ", \"%s\": starts ", row, names_text(&t->names, t->name[row]));
	print_us(t->start_ns[row]);
	printf(" into the trace, takes ");
	print_us(t->dur_ns[row]);
	putchar('\n');
}

static void print_broken(
	const struct report_case *c, const struct verdict *v, const struct texts *texts)
{
	struct arena scratch = {0};
	const char *where = rich_plain(&scratch, verdict_where(&scratch, texts, c, v));
	printf("BROKEN %s: %s: expected %s, saw %s\n", c->id, v->key, v->expected, v->observed);
	if (*where)
		printf("  %s\n", where);
	if (v->at != NO_ROW)
		print_event(&c->trace, v->at);
	printf("  %s\n", rich_plain(&scratch, verdict_hint(&scratch, texts, v)));
	arena_release(&scratch);
}

static int print_slower(const struct input *in, int *compared)
{
	struct arena a = {0};
	struct baseline b = baseline_of(&a, in->base, in);
	for (int i = 0; i < b.n; i++) {
		const struct baseline_row *r = &b.row[i];
		if (r->cpu.change == CHANGE_SLOWER)
			printf("SLOWER %s: CPU %.2fx\n", r->now->id, r->cpu.ratio);
		if (r->device.change == CHANGE_SLOWER)
			printf("SLOWER %s: device %.2fx\n", r->now->id, r->device.ratio);
	}
	printf("%d of %d cases slower than the base run, %d faster\n", b.slower, b.n, b.faster);
	*compared = b.n;
	arena_release(&a);
	return b.slower;
}

static void print_settings(const struct detect_settings *s)
{
	for (int i = 0; s && i < s->n; i++) {
		const struct detector *d = s->set[i].detector;
		int t = s->set[i].threshold;
		printf("SET %s.%s=%.9g, default %.9g\n", d->id, d->threshold[t].name,
			s->set[i].value, d->threshold[t].value);
	}
}

enum check_result check_print(
	const struct input *in, const struct expectations *e, const struct texts *texts)
{
	int kept = 0, broken = 0, open = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		kept += c->verdicts.kept;
		broken += c->verdicts.broken;
		open += c->verdicts.open;
		for (int v = 0; v < c->verdicts.n; v++)
			if (c->verdicts.verdict[v].state == VERDICT_BROKEN)
				print_broken(c, &c->verdicts.verdict[v], texts);
	}
	for (int i = 0; i < e->n; i++)
		if (!e->trace[i].seen)
			printf("UNSEEN %s: no trace of that name was read\n", e->trace[i].name);
	print_settings(in->settings);
	printf("%d predictions kept, %d broken", kept, broken);
	if (open)
		printf(", %d not judged", open);
	putchar('\n');
	int compared = 0, slower = in->base ? print_slower(in, &compared) : 0;
	if (broken || slower)
		return CHECK_BROKEN;
	if (in->base && !compared)
		return CHECK_NOT_COMPARED;
	return in->base || kept || open ? CHECK_GOOD : CHECK_NOTHING;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/same_work.h"

#include "base/dtype.h"
#include "base/names.h"
#include "base/text_builder.h"
#include "report/analyse/case_numbers.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>

/* What the device runs in a typical step: another kernel for the same shapes is other work. */
static const char *kernels_text(struct arena *a, const struct analysis *an)
{
	const struct step *s = &an->steps[numbers_of(an).typical];
	struct text_builder names = {.arena = a};
	for (uint32_t i = 0; i < s->n_device; i++)
		text_add(&names, "\n%s", trace_row_name(an->trace, s->device[i]));
	return text_built(&names);
}

/* Its work as a text; NULL: not known, or cold, so that its later steps are not settled. */
static const char *work_text(struct arena *a, const struct report_case *c)
{
	const struct case_work *w = c->work;
	if (!w || !w->warm || !c->readable || !c->analysis->n_steps || !w->workload[0] ||
		!w->shape.n)
		return NULL;
	const char *text = arena_printf(a, "%s %s %s", w->workload, w->mode, dtype_name(w->dtype));
	for (int i = 0; i < w->shape.n; i++)
		text = arena_printf(
			a, "%s %s %.17g", text, w->shape.size[i].name, w->shape.size[i].n);
	return arena_printf(a, "%s %.17g%s", text, w->flop, kernels_text(a, c->analysis));
}

struct range {
	double low, high;
};

static void add_recording(struct range *r, const struct report_case *c, bool device)
{
	if (!c->readable || !c->analysis->n_steps)
		return;
	struct case_numbers n = numbers_of(c->analysis);
	double ns = device ? n.device_ns : n.cpu_ns;
	if (!(ns > 0))
		return;
	r->low = r->low > 0 ? fmin(r->low, ns) : ns;
	r->high = fmax(r->high, ns);
}

static void add_all(struct range *r, const struct report_case *c)
{
	add_recording(r, c, true);
	for (int i = 0; i < c->n_repeats; i++)
		add_recording(r, &c->repeat[i], true);
}

static void add_group(
	struct run *run, struct range *group, const struct report_case *c, bool device)
{
	struct range *r = &group[c->same_work];
	double *most = device ? &run->apart_device : &run->apart_cpu;
	double before = r->high;
	add_recording(r, c, device);
	if (before > 0 && r->low > 0)
		*most = fmax(*most, r->high / r->low);
}

/* Every recording of each work, side by side. */
static void set_recordings(struct arena *a, struct run *run, size_t n_works)
{
	run->works = arena_array(a, n_works, sizeof *run->works);
	for (int i = 0; i < run->n_cases; i++)
		run->works[run->cases[i].same_work].n += 1 + run->cases[i].n_repeats;
	for (size_t i = 1; i < n_works; i++) {
		struct recordings *w = &run->works[i];
		w->recording = arena_array(a, (size_t)w->n, sizeof *w->recording);
		w->n = 0;
	}
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		struct recordings *w = &run->works[c->same_work];
		if (!c->same_work)
			continue;
		w->recording[w->n++] = c->analysis;
		for (int k = 0; k < c->n_repeats; k++)
			w->recording[w->n++] = c->repeat[k].analysis;
	}
	run->works[0].n = 0;
}

static void find_in(struct arena *a, struct run *run)
{
	struct names works;
	names_init(&works);
	struct range *cpu = xcalloc((size_t)run->n_cases + 2, sizeof *cpu);
	struct range *device = xcalloc((size_t)run->n_cases + 2, sizeof *device);
	struct range *all = xcalloc((size_t)run->n_cases + 2, sizeof *all);
	run->apart_cpu = run->apart_device = 0;
	for (int i = 0; i < run->n_cases; i++) {
		struct report_case *c = &run->cases[i];
		const char *text = work_text(a, c);
		c->same_work = text ? (int)names_add_text(&works, text) : 0;
		if (c->same_work)
			add_all(&all[c->same_work], c);
		if (!c->same_work || c->n_repeats)
			continue;
		add_group(run, cpu, c, false);
		add_group(run, device, c, true);
	}
	for (int i = 0; i < run->n_cases; i++) {
		struct report_case *c = &run->cases[i];
		struct range r = all[c->same_work];
		if (!c->same_work)
			add_all(&r, c);
		c->apart = r.low > 0 ? r.high / r.low : 1;
	}
	set_recordings(a, run, works.n + 1);
	free(all);
	free(cpu);
	free(device);
	names_release(&works);
}

void same_work_find(struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		find_in(&in->arena, &in->runs[r]);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/passes_reread.h"

#include "base/min_max.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <math.h>

enum { LEAST_PASSES = 3, MOST_PASSES = 256, LEAST_TIMES = 8 };

struct passes {
	uint32_t lookup[MOST_PASSES]; /* (n) each pass begins with one */
	int64_t words[MOST_PASSES]; /* (n) that are looked up */
	size_t n;
};

static bool picks(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::argmax") || is_named(s, row, "aten::multinomial") ||
		is_named(s, row, "aten::topk");
}

/* As large as that of the first lookup: beside the words, places and kinds may be looked up. */
static bool is_of_table(const struct facts *s, const struct passes *all, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->n >= 2 && x->in[0].rank == 2 && elements_of(x, 1) > 0 &&
		(!all->n || elements_at(s, all->lookup[0], 0) == elements_of(x, 0));
}

/* A lookup behind what was picked since the last one; one that comes before is of another table, or
 * there is no sequence. */
static struct passes passes_of(const struct facts *s)
{
	const struct unit_list *of = &repeats_of(s)->thread[0];
	struct passes all = {.n = 0};
	bool picked = true;
	for (size_t i = 0; i < of->n && all.n < MOST_PASSES; i++) {
		uint32_t row = of->unit[i].row;
		picked |= picks(s, row);
		if (!picked || !is_named(s, row, "aten::embedding") || !is_of_table(s, &all, row))
			continue;
		all.words[all.n] = elements_at(s, row, 1);
		all.lookup[all.n++] = row;
		picked = false;
	}
	return all;
}

/* As many more each time, and few beside those that were there. */
static int64_t words_added(const struct passes *all)
{
	if (all->n < LEAST_PASSES)
		return 0;
	int64_t added = all->words[1] - all->words[0];
	for (size_t i = 1; i < all->n; i++)
		if (all->words[i] - all->words[i - 1] != added)
			return 0;
	return added > 0 && added * LEAST_TIMES <= all->words[0] ? added : 0;
}

/* A product reads its weights for a single word, too. */
static double weights_ns(const struct facts *s, uint32_t op)
{
	struct product p;
	if (!s->chip || !product_of(s->a, op, &p))
		return 0;
	double bytes = (double)(p.batch * p.n * p.k * p.element_bytes);
	return bytes / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

/* Of each kernel of the passes behind the first what the new words take. */
static int64_t plan_new_words(
	const struct facts *s, struct finding *f, const struct passes *all, int64_t added)
{
	int64_t spared = 0;
	size_t pass = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		int64_t took = s->t->dur_ns[e->row];
		if (e->op == NO_ROW || s->t->kind[e->row] != EVENT_KERNEL || took <= 0)
			continue;
		while (pass + 1 < all->n && all->lookup[pass + 1] <= e->op)
			pass++;
		if (!pass || s->t->track[e->op] != s->t->track[all->lookup[0]])
			continue;
		double share = fmax((double)added / (double)all->words[pass],
			fmin(1, weights_ns(s, e->op) / (double)took));
		plan_takes(f->plan, e->row, share);
		spared += (int64_t)((1 - share) * (double)e->exposed_ns);
	}
	return spared;
}

bool tell_reread(const struct facts *s, struct finding *f)
{
	if (s->backward || s->track == NO_ROW || !names_find(&s->t->names, "aten::embedding"))
		return false;
	struct passes all = passes_of(s);
	int64_t added = words_added(&all);
	if (!added)
		return false;
	for (size_t i = 0; i < all.n; i++)
		prove(f, all.lookup[i]);
	int64_t ns = plan_new_words(s, f, &all, added);
	f->variant = "reread";
	tell_name(f, "name", s->t, all.lookup[0]);
	TELL(f, {"n", (double)all.words[0]}, {"time", (double)ns},
		{"share", share_of_window(s, ns)}, {"host", 0}, {"launches", (double)s->launches},
		{"times", (double)all.n});
	return true;
}

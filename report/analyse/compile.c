/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis.h"

#include "report/analyse/analysis_stages.h"

#include <stdlib.h>
#include <string.h>

/* Distinct texts among the compile rows; ids begin at 1, as 0 is the empty text. */
struct distinct {
	struct names regions; /* "F/C" */
	struct names frames; /* "F" */
	struct names hashes;
};

/* Rows of one name: what they are is the same for all of them. */
static void count_name(struct compile_facts *c, struct distinct *d, const char *name, uint32_t rows,
	int64_t total_ns)
{
	const char *key;
	int length;
	switch (compile_row_of(name, &key, &length)) {
	case COMPILE_LOOKUP:
		c->lookups += rows;
		c->lookup_ns += total_ns;
		break;
	case COMPILE_GUARD:
		c->guards += rows;
		c->guard_ns += total_ns;
		break;
	case COMPILE_PROLOGUE:
		c->prologues += rows;
		c->prologue_ns += total_ns;
		break;
	case COMPILE_REGION:
		c->regions += rows;
		names_add(&d->regions, key, (size_t)length);
		names_add(&d->frames, key, strcspn(key, "/ "));
		break;
	case COMPILE_GRAPH:
		c->graph_calls += rows;
		names_add(&d->hashes, key, (size_t)length);
		break;
	case COMPILE_NONE:
		break;
	}
}

static void count_names(const struct analysis *a, struct compile_facts *c, struct distinct *d)
{
	const struct trace *t = a->trace;
	uint32_t *rows = xcalloc(t->names.n, sizeof *rows);
	int64_t *total_ns = xcalloc(t->names.n, sizeof *total_ns);
	name_id *order = xcalloc(t->names.n, sizeof *order);
	uint32_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (a->class[i] != CLASS_COMPILE)
			continue;
		if (!rows[t->name[i]]++)
			order[n++] = t->name[i];
		total_ns[t->name[i]] += t->dur_ns[i];
	}
	for (uint32_t i = 0; i < n; i++)
		count_name(
			c, d, names_text(&t->names, order[i]), rows[order[i]], total_ns[order[i]]);
	free(rows);
	free(total_ns);
	free(order);
}

void analyse_compile(struct analysis *a, struct arena *arena)
{
	struct compile_facts *c = &a->compile;
	struct distinct d;
	names_init(&d.regions);
	names_init(&d.frames);
	names_init(&d.hashes);
	count_names(a, c, &d);

	c->frames = d.frames.n - 1;
	c->n_hashes = d.hashes.n - 1;
	c->hash = arena_array(arena, c->n_hashes, sizeof *c->hash);
	for (uint32_t i = 0; i < c->n_hashes; i++)
		c->hash[i] = arena_strdup(arena, names_text(&d.hashes, i + 1));
	if (c->regions)
		c->recompiles = d.regions.n - d.frames.n;
	else if (c->n_hashes)
		c->recompiles = c->n_hashes - 1;
	names_release(&d.regions);
	names_release(&d.frames);
	names_release(&d.hashes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the memory, where most of it is allocated. */
#include "report/tables/parts.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static void put_known(struct result_table *t, int64_t n)
{
	put_number(t, n >= 0 ? (double)n : (double)NAN);
}

void tables_memory_peaks(struct result_table *t, const struct tables_source *s)
{
	for (int i = 0; s->memory && i < s->memory->n_devices; i++) {
		const struct memory_of_device *d = &s->memory->device[i];
		bool pieces = d->free_bytes > 0;
		put_number(t, d->device);
		put_number(t, (double)d->peak_ns);
		put_number(t, (double)d->peak_bytes);
		put_known(t, d->reserved_bytes);
		put_known(t, d->free_bytes);
		put_known(t, d->largest_free_bytes);
		put_number(t,
			pieces ? 1 - (double)d->largest_free_bytes / (double)d->free_bytes
			       : (double)NAN);
		put_number(t, (double)d->blocks);
		put_number(t, (double)d->known_bytes);
		put_number(t, (double)d->end_bytes);
		put_number(t, (double)d->refused);
	}
}

static const char *holder_text(const struct trace *t, const struct memory_holder *h)
{
	return h->before ? MEMORY_BEFORE : h->name ? trace_name(t, h->name) : MEMORY_OUTSIDE;
}

static void put_holders(struct result_table *t, const struct tables_source *s,
	const struct memory_of_device *d, enum memory_asker by)
{
	struct arena own = {0};
	size_t n;
	const struct memory_holder *h = memory_holders(&own, s->memory, d, by, &n);
	for (size_t i = 0; i < n; i++) {
		put_number(t, d->device);
		put_text(t, memory_asker_name(by));
		put_text(t, holder_text(s->a->trace, &h[i]));
		put_number(t, (double)h[i].bytes);
		put_number(t, over((double)h[i].bytes, (double)d->peak_bytes));
		put_number(t, (double)h[i].blocks);
		put_number(t, (double)h[i].largest);
		put_number(t, (double)h[i].calls);
		put_number(t, (double)h[i].all_bytes);
	}
	arena_release(&own);
}

void tables_memory_holders(struct result_table *t, const struct tables_source *s)
{
	for (int i = 0; s->memory && i < s->memory->n_devices; i++)
		for (int by = 0; by < MEMORY_ASKERS; by++)
			if (s->memory->who[by] && s->memory->device[i].blocks)
				put_holders(t, s, &s->memory->device[i], (enum memory_asker)by);
}

static const char *address_text(struct result_table *t, int64_t address)
{
	return arena_printf(t->arena, "0x%llx", (unsigned long long)address);
}

ORDER(by_size, struct memory_block, DOWN(bytes) ?: UP(row) ?: UP(address));

static void put_block(
	struct result_table *t, const struct tables_source *s, const struct memory_block *b)
{
	const struct trace *trace = s->a->trace;
	enum memory_asker by = trace->snapshot ? ASKED_LINE : ASKED_OPERATOR;
	bool before = b->row == NO_ROW;
	name_id name = before ? 0 : s->memory->who[by][trace->side[b->row]];
	put_number(t, b->device);
	put_number(t, (double)b->bytes);
	put_number(t, before ? (double)NAN : (double)trace->start_ns[b->row]);
	put_number(t, b->end_row == NO_ROW ? (double)NAN : (double)trace->start_ns[b->end_row]);
	put_text(t, address_text(t, b->address));
	put_text(t, memory_asker_name(by));
	put_text(t, before ? MEMORY_BEFORE : name ? trace_name(trace, name) : MEMORY_OUTSIDE);
}

void tables_memory_blocks(struct result_table *t, const struct tables_source *s)
{
	for (int i = 0; s->memory && i < s->memory->n_devices; i++) {
		const struct memory_of_device *d = &s->memory->device[i];
		struct memory_block *all = xcalloc((size_t)d->blocks + 1, sizeof *all);
		size_t n = 0;
		for (size_t k = 0; k < s->memory->n_blocks; k++)
			if (s->memory->block[k].device == d->device &&
				memory_block_lives(&s->memory->block[k], d->peak_row))
				all[n++] = s->memory->block[k];
		qsort(all, n, sizeof *all, by_size);
		for (size_t k = 0; k < n; k++)
			put_block(t, s, &all[k]);
		free(all);
	}
}

void tables_memory_segments(struct result_table *t, const struct tables_source *s)
{
	static const char *const acts[] = {[MEMORY_GOT] = "got",
		[MEMORY_GAVE_BACK] = "gave back",
		[MEMORY_REFUSED] = "out of memory",
		[MEMORY_AT_END] = "at the end"};
	const struct trace *trace = s->a->trace;
	for (size_t i = 0; i < trace->n_segments; i++) {
		const struct memory_segment *x = &trace->segments[i];
		bool used = x->act >= MEMORY_REFUSED && x->used_bytes >= 0;
		put_number(t, x->device);
		put_number(t, (double)(x->at_ns - trace->clock_ns));
		put_text(t, acts[x->act]);
		put_number(t, (double)x->bytes);
		put_number(t, used ? (double)x->used_bytes : (double)NAN);
		put_text(t, x->act == MEMORY_REFUSED ? "" : address_text(t, x->address));
		put_text(t, x->line);
	}
}

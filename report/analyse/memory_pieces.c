/* SPDX-License-Identifier: Apache-2.0 */
/* What the segments of a snapshot have beside the blocks, at the peak. */
#include "report/analyse/memory_use.h"

#include "base/binary_search.h"
#include "base/sort.h"

#include <stdlib.h>

/* What rounding leaves behind a block is no piece. */
enum { LEAST_PIECE = 512 };

/* The address space of a device, cut wherever a segment begins or ends. */
struct space {
	int64_t *edge; /* (n + 1) ascending */
	uint32_t *next; /* (n + 1) the first stretch from here on that has no owner yet */
	uint32_t *owner; /* (n) what segment it belongs to + 1; 0: it is not the allocator's */
	size_t n;
};

enum { EXPANDABLE = UINT32_MAX }; /* owner of what may join its neighbours */

static int64_t end_of(const struct memory_segment *s)
{
	return s->address > INT64_MAX - s->bytes ? INT64_MAX : s->address + s->bytes;
}

static uint32_t unowned(struct space *s, uint32_t i)
{
	uint32_t root = i;
	while (s->next[root] != root)
		root = s->next[root];
	while (s->next[i] != root) {
		uint32_t next = s->next[i];
		s->next[i] = root;
		i = next;
	}
	return root;
}

/* The latest that is known of a stretch decides: it is asked for that first. */
static void paint(struct space *s, const struct memory_segment *segment, size_t nth, bool held)
{
	uint32_t n = (uint32_t)s->n;
	uint32_t from = first_where(i, 0u, n, s->edge[i] >= segment->address);
	int64_t end = end_of(segment);
	for (uint32_t i = unowned(s, from); i < n && s->edge[i] < end; i = unowned(s, i)) {
		s->owner[i] = !held ? 0 : segment->expandable ? EXPANDABLE : (uint32_t)nth + 1;
		s->next[i] = i + 1;
	}
}

static void cut_space(struct space *s, const struct memory_use *use, int32_t device)
{
	const struct trace *t = use->trace;
	size_t n = 0, kept = 0;
	s->edge = xcalloc(2 * t->n_segments + 1, sizeof *s->edge);
	for (size_t i = 0; i < t->n_segments; i++)
		if (t->segments[i].device == device && t->segments[i].act != MEMORY_REFUSED) {
			s->edge[n++] = t->segments[i].address;
			s->edge[n++] = end_of(&t->segments[i]);
		}
	qsort(s->edge, n, sizeof *s->edge, by_int64);
	for (size_t i = 0; i < n; i++)
		if (!kept || s->edge[i] != s->edge[kept - 1])
			s->edge[kept++] = s->edge[i];
	s->n = kept ? kept - 1 : 0;
	s->owner = xcalloc(s->n + 1, sizeof *s->owner);
	s->next = xcalloc(s->n + 1, sizeof *s->next);
	for (uint32_t i = 0; i <= s->n; i++)
		s->next[i] = i;
}

/* Backwards from the peak; then forwards, where what was got later was not there; then what is
 * there at the end. */
static void paint_all(
	struct space *s, const struct memory_use *use, const struct memory_of_device *d)
{
	const struct trace *t = use->trace;
	int64_t peak_ns = d->peak_ns + t->clock_ns;
	for (size_t i = t->n_segments; i-- > 0;) {
		const struct memory_segment *x = &t->segments[i];
		if (x->device == d->device && x->act <= MEMORY_GAVE_BACK && x->at_ns <= peak_ns)
			paint(s, x, i, x->act == MEMORY_GOT);
	}
	for (size_t i = 0; i < t->n_segments; i++) {
		const struct memory_segment *x = &t->segments[i];
		if (x->device == d->device && x->act <= MEMORY_GAVE_BACK && x->at_ns > peak_ns)
			paint(s, x, i, x->act == MEMORY_GAVE_BACK);
	}
	for (size_t i = 0; i < t->n_segments; i++)
		if (t->segments[i].device == d->device && t->segments[i].act == MEMORY_AT_END)
			paint(s, &t->segments[i], i, true);
}

/* ---- free pieces ---- */

struct lying {
	int64_t address, end;
};

ORDER(by_address, struct lying, UP(address) ?: UP(end));

static struct lying *blocks_at_peak(
	const struct memory_use *use, const struct memory_of_device *d, size_t *n)
{
	struct lying *all = xcalloc((size_t)d->blocks + 1, sizeof *all);
	*n = 0;
	for (size_t i = 0; i < use->n_blocks; i++) {
		const struct memory_block *b = &use->block[i];
		if (b->device == d->device && memory_block_lives(b, d->peak_row))
			all[(*n)++] = (struct lying){b->address,
				b->address > INT64_MAX - b->bytes ? INT64_MAX
								  : b->address + b->bytes};
	}
	qsort(all, *n, sizeof *all, by_address);
	return all;
}

static void add_piece(struct memory_of_device *d, int64_t from, int64_t end)
{
	if (end <= from)
		return;
	d->free_bytes += end - from;
	if (end - from >= LEAST_PIECE && end - from > d->largest_free_bytes)
		d->largest_free_bytes = end - from;
}

/* Blocks and stretches, both by address, once along each other. */
static void sum_pieces(struct memory_of_device *d, const struct space *s, const struct lying *block,
	size_t n_blocks)
{
	size_t b = 0;
	for (size_t i = 0, k; i < s->n; i = k) {
		for (k = i + 1; k < s->n && s->owner[k] == s->owner[i]; k++)
			continue;
		int64_t at = s->edge[i], end = s->edge[k];
		if (!s->owner[i])
			continue;
		while (b < n_blocks && block[b].end <= at)
			b++;
		for (; b < n_blocks && block[b].address < end; b++) {
			add_piece(d, at, block[b].address);
			at = block[b].end > at ? block[b].end : at;
			if (at >= end)
				break; /* it may reach into the next */
		}
		add_piece(d, at, end);
	}
}

void memory_find_pieces(struct memory_use *use)
{
	for (int i = 0; i < use->n_devices; i++) {
		struct memory_of_device *d = &use->device[i];
		struct space s;
		size_t n;
		d->free_bytes = d->largest_free_bytes = -1;
		if (!use->trace->n_segments)
			continue;
		cut_space(&s, use, d->device);
		paint_all(&s, use, d);
		struct lying *block = blocks_at_peak(use, d, &n);
		d->free_bytes = d->largest_free_bytes = 0;
		sum_pieces(d, &s, block, n);
		free(block);
		free(s.edge);
		free(s.owner);
		free(s.next);
	}
}

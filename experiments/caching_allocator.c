/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/caching_allocator.h"

#include <stdio.h>
#include <stdlib.h>

enum { GRAIN_BYTES = 512 };

static struct storage *find_free(const struct storage_cache *cache, size_t bytes)
{
	for (struct storage *s = cache->first; s; s = s->next)
		if (!s->used && s->bytes == bytes)
			return s;
	return NULL;
}

static struct span *begin_allocate(struct storage_cache *cache, size_t bytes)
{
	if (!cache->recorder->on)
		return NULL;
	char text[64];
	snprintf(text, sizeof text, "allocate %zu bytes", bytes);
	name_id id = names_add_text(cache->names, text);
	return span_begin(cache->recorder, SPAN_SETUP, names_text(cache->names, id));
}

static struct storage *allocate(struct storage_cache *cache, size_t bytes, struct err *err)
{
	struct span *span = begin_allocate(cache, bytes);
	struct device_memory *memory = cache->call->alloc(cache->device, bytes, err);
	span_end(span);
	if (!memory)
		return NULL;
	struct storage *s = xalloc(sizeof *s);
	*s = (struct storage){.memory = memory, .bytes = bytes, .next = cache->first};
	cache->first = s;
	return s;
}

struct storage *storage_take(struct storage_cache *cache, size_t bytes, struct err *err)
{
	size_t rounded = (bytes + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
	struct storage *s = find_free(cache, rounded);
	if (!s)
		s = allocate(cache, rounded, err);
	if (s)
		s->used = true;
	return s;
}

void storage_give_back(struct storage *s)
{
	if (!s->used)
		bug("memory was given back twice");
	s->used = false;
}

void storage_cache_release(struct storage_cache *cache)
{
	while (cache->first) {
		struct storage *s = cache->first;
		cache->first = s->next;
		cache->call->free(cache->device, s->memory);
		free(s);
	}
}

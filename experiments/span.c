/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/span.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct span) == 64, "a span is one cache line");

void recorder_init(struct recorder *r, size_t room)
{
	size_t bytes;
	if (__builtin_mul_overflow(room ? room : 1, sizeof(struct span), &bytes))
		out_of_memory(SIZE_MAX);
	*r = (struct recorder){.room = room, .thread = (uint32_t)gettid()};
	r->span = aligned_alloc(sizeof(struct span), bytes);
	if (!r->span)
		out_of_memory(bytes);
	memset(r->span, 0, bytes);
}

void recorder_release(struct recorder *r)
{
	free(r->span);
	*r = (struct recorder){0};
}

int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct span *span_begin(struct recorder *r, enum span_kind kind, const char *name)
{
	if (!r->on)
		return NULL;
	if (r->n == r->room) {
		r->dropped++;
		return NULL;
	}
	struct span *s = &r->span[r->n++];
	*s = (struct span){.name = name, .kind = (uint8_t)kind, .thread = r->thread};
	/* last, so that the span does not hold its own making */
	s->start_ns = clock_ns();
	return s;
}

void span_end(struct span *s)
{
	if (s)
		s->end_ns = clock_ns();
}

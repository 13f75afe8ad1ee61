/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/gzip.h"
#include "base/min_max.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { SLOT = 1024, SLOTS = 6 }; /* so that small inputs cross from one to the next */
#else
enum { SLOT = 256 * 1024, SLOTS = 6 };
#endif

/* Unread bytes of a slot go to the front of the next one: part of an event, rarely more. */
enum { FRONT = 8 * 1024 };

struct slot {
	size_t n; /* inflated bytes in it; 0: the end, or where the damage begins */
	unsigned char bytes[FRONT + SLOT + SOURCE_PAD]; /* from FRONT on */
};

struct gzip {
	struct inflater *inflater;
	struct slot *slot; /* (SLOTS) filled and emptied in turn */
	bool threaded; /* by a thread and by the reader; else both by the reader */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, emptied; /* slots, ever */
	size_t taken; /* bytes of the slot that is being emptied */
	bool lent; /* all of it */
	bool stop;
};

/* Inflates into a slot; false when nothing came, at the end or where the damage begins. */
static bool fill(struct gzip *g, struct slot *s)
{
	s->n = inflater_fill(g->inflater, s->bytes + FRONT, SLOT);
	return s->n;
}

/* A slot that can be filled; NULL when nobody wants more. */
static struct slot *wait_for_room(struct gzip *g)
{
	pthread_mutex_lock(&g->lock);
	while (!g->stop && g->filled - g->emptied >= SLOTS - 1)
		pthread_cond_wait(&g->changed, &g->lock);
	struct slot *s = g->stop ? NULL : &g->slot[g->filled % SLOTS];
	pthread_mutex_unlock(&g->lock);
	return s;
}

static void count_up(struct gzip *g, size_t *count)
{
	pthread_mutex_lock(&g->lock);
	++*count;
	pthread_cond_signal(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

static void *fill_slots(void *gzip)
{
	struct gzip *g = gzip;
	for (struct slot *s; (s = wait_for_room(g));) {
		bool more = fill(g, s);
		count_up(g, &g->filled);
		if (!more)
			break;
	}
	return NULL;
}

struct gzip *gzip_open(gzip_feed *feed, void *from, bool thread)
{
	struct gzip *g = xcalloc(1, sizeof *g);
	g->inflater = inflater_new(feed, from);
	g->slot = xalloc(SLOTS * sizeof *g->slot);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	g->threaded = thread && !pthread_create(&g->thread, NULL, fill_slots, g);
	return g;
}

/* The first slot that is neither emptied nor lent. */
static struct slot *wait_for_bytes(struct gzip *g)
{
	size_t next = g->emptied + g->lent;
	struct slot *s = &g->slot[next % SLOTS];
	if (!g->threaded && g->filled == next) {
		fill(g, s);
		g->filled++;
	}
	pthread_mutex_lock(&g->lock);
	while (g->filled == next)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return s;
}

static void take_back(struct gzip *g)
{
	if (!g->lent)
		return;
	g->lent = false;
	count_up(g, &g->emptied);
}

char *gzip_lend(struct gzip *g, const char *kept, size_t n_kept, size_t most, size_t *n)
{
	if (g->taken || n_kept > FRONT || most < SLOT)
		return NULL;
	struct slot *s = wait_for_bytes(g);
	if (!s->n)
		return NULL;
	memcpy(s->bytes + FRONT - n_kept, kept, n_kept);
	take_back(g);
	g->lent = true;
	*n = s->n;
	return (char *)s->bytes + FRONT;
}

size_t gzip_read(struct gzip *g, char *to, size_t n)
{
	size_t got = 0;
	take_back(g);
	while (got < n) {
		struct slot *s = wait_for_bytes(g);
		if (!s->n)
			break;
		size_t k = min_size(s->n - g->taken, n - got);
		memcpy(to + got, s->bytes + FRONT + g->taken, k);
		got += k;
		g->taken += k;
		if (g->taken < s->n)
			break;
		g->taken = 0;
		count_up(g, &g->emptied);
	}
	return got;
}

enum source_trouble gzip_trouble(const struct gzip *g, struct bad_members *bad)
{
	return inflater_trouble(g->inflater, bad);
}

void gzip_close(struct gzip *g)
{
	if (g->threaded) {
		pthread_mutex_lock(&g->lock);
		g->stop = true;
		pthread_cond_signal(&g->changed);
		pthread_mutex_unlock(&g->lock);
		pthread_join(g->thread, NULL);
	}
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	free(g->slot);
	inflater_free(g->inflater);
	free(g);
}

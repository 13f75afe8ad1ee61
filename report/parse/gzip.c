/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/gzip.h"

#include "report/parse/inflate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COMPRESSED_CHUNK = 64 * 1024, GZIP_BITS = 15 + 16, SLOT = 256 * 1024, SLOTS = 6 };

struct slot {
	size_t n; /* bytes in it; 0: the end */
	/* the last bytes of the slot before, then its own */
	unsigned char bytes[SLOT];
};

struct gzip {
	struct inflater *inflater; /* ISA-L's; NULL: zlib's, which is what follows */
	gzip_feed *feed;
	void *from;
	enum source_trouble trouble;
	bool ended;
	struct bad_members bad;
	int64_t given; /* bytes, before those that are being asked for */
	z_stream z;
	unsigned char in[COMPRESSED_CHUNK];

	struct slot *slot; /* (SLOTS) filled and emptied in turn */
	bool threaded; /* by a thread and by the reader; else both by the reader */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, emptied; /* slots, ever */
	size_t taken; /* bytes of the slot that is being emptied */
	bool stop;
};

static bool refill(struct gzip *g)
{
	if (g->z.avail_in)
		return true;
	g->z.next_in = g->in;
	g->z.avail_in = (uInt)g->feed(g->from, g->in, sizeof g->in);
	return g->z.avail_in > 0;
}

/* Behind a member: another one, or nothing, or bytes that are none. */
static void next_member(struct gzip *g)
{
	g->ended = !refill(g);
	if (g->ended)
		return;
	if (g->z.next_in[0] == 0x1f) {
		inflateReset(&g->z);
		return;
	}
	g->trouble = SOURCE_TRAILING;
	g->ended = true;
}

static void stop_at(struct gzip *g, enum source_trouble trouble)
{
	g->trouble = trouble;
	g->ended = true;
}

/* The bytes of a member are there, and so may others be behind it. A wrong checksum is found before
 * the length is read. */
static void bad_member(struct gzip *g, bool checksum, int64_t offset)
{
	if (!g->bad.n++)
		g->bad.offset = offset;
	for (int left = checksum ? 4 : 0; left; left--) {
		if (!refill(g)) {
			stop_at(g, SOURCE_CUT);
			return;
		}
		g->z.avail_in--;
		g->z.next_in++;
	}
	next_member(g);
}

static size_t inflate_some(struct gzip *g, unsigned char *to, size_t n)
{
	g->z.next_out = to;
	g->z.avail_out = (uInt)n;
	while (g->z.avail_out && !g->ended) {
		/* Without input there may still be output: a copy that did not fit. */
		uInt room = g->z.avail_out;
		bool dry = !refill(g);
		int status = inflate(&g->z, Z_NO_FLUSH);
		bool wrong = status == Z_DATA_ERROR && g->z.msg;
		bool checksum = wrong && strstr(g->z.msg, "data check");
		bool length = wrong && strstr(g->z.msg, "length check");
		if (status == Z_STREAM_END)
			next_member(g);
		else if (checksum || length)
			bad_member(g, checksum, g->given + (int64_t)(n - g->z.avail_out));
		else if (status != Z_OK && status != Z_BUF_ERROR)
			stop_at(g, SOURCE_DAMAGED);
		else if (dry && g->z.avail_out == room)
			stop_at(g, SOURCE_CUT);
	}
	g->given += (int64_t)(n - g->z.avail_out);
	return n - g->z.avail_out;
}

/* Fills the next slot; false at the end. */
static bool fill(struct gzip *g, struct slot *s)
{
	if (!g->inflater) {
		s->n = inflate_some(g, s->bytes, SLOT);
		return s->n;
	}
	s->n = inflater_fill(g->inflater, s->bytes, SLOT);
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

struct gzip *gzip_open(gzip_feed *feed, void *from, bool thread, bool plain)
{
	struct gzip *g = xcalloc(1, sizeof *g);
	g->feed = feed;
	g->from = from;
	if (!plain)
		g->inflater = inflater_new(feed, from);
	else if (inflateInit2(&g->z, GZIP_BITS) != Z_OK)
		out_of_memory(0);
	g->slot = xalloc(SLOTS * sizeof *g->slot);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	g->threaded = thread && !pthread_create(&g->thread, NULL, fill_slots, g);
	return g;
}

static struct slot *wait_for_bytes(struct gzip *g)
{
	struct slot *s = &g->slot[g->emptied % SLOTS];
	if (!g->threaded && g->filled == g->emptied) {
		fill(g, s);
		g->filled++;
	}
	pthread_mutex_lock(&g->lock);
	while (g->filled == g->emptied)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return s;
}

size_t gzip_read(struct gzip *g, char *to, size_t n)
{
	size_t got = 0;
	while (got < n) {
		struct slot *s = wait_for_bytes(g);
		if (!s->n)
			break;
		size_t k = s->n - g->taken < n - got ? s->n - g->taken : n - got;
		memcpy(to + got, s->bytes + g->taken, k);
		got += k;
		g->taken += k;
		if (g->taken < s->n)
			break;
		g->taken = 0;
		count_up(g, &g->emptied);
	}
	return got;
}

enum source_trouble gzip_trouble(const struct gzip *g)
{
	if (g->inflater)
		return inflater_trouble(g->inflater);
	return !g->trouble && g->bad.n ? SOURCE_CHECKSUM : g->trouble;
}

struct bad_members gzip_bad_members(const struct gzip *g)
{
	return g->inflater ? inflater_bad_members(g->inflater) : g->bad;
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
	if (g->inflater)
		inflater_free(g->inflater);
	else
		inflateEnd(&g->z);
	free(g);
}

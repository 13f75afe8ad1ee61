/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - the keys of events that mean something, recognised without comparing strings.
 *
 * A key of up to 32 bytes is read as four overlapping words; its hash finds the one slot it can be
 * in. Keys are looked up a few times per event, several hundred million times in a large file.
 */
#ifndef REPORT_PARSE_KEYS_H
#define REPORT_PARSE_KEYS_H

#include "report/parse/event.h"

/* How the value of a key is taken. */
enum take {
	TAKE_SKIP,
	TAKE_ARGS,
	TAKE_TIME,
	TAKE_ID, /* a number, or a text beside it */
	TAKE_INT,
	TAKE_REAL,
	TAKE_TRIPLE,
	TAKE_TEXT,
	TAKE_END, /* no key: the event ends */
	/* Behind these it is known better what else to expect. */
	TAKE_CATEGORY, /* a text */
	TAKE_PHASE
};

/* Keys of the event itself, and of its args. */
enum { LEVEL_TOP, LEVEL_ARGS };

/* Every known key has a place of its own; unknown ones share 64 for each level. */
enum { LONGEST_KEY = 32, KEY_SLOTS = 256, KEY_STRANGERS = 64, KEY_PLACES = KEY_SLOTS + 128 };

/* What a key leads to. */
struct meaning {
	uint16_t place; /* below KEY_PLACES */
	uint8_t take, index, level;
};

/* A key of up to 32 bytes as four overlapping words: equal words and length are equal keys. */
struct key_words {
	uint64_t first, last, second, third;
	uint64_t shape; /* length, and the level above it */
};

struct key_slot {
	struct key_words words;
	struct meaning meaning;
};

struct event_keys {
	struct key_slot slot[KEY_SLOTS];
	bool whole; /* members of flows and their like matter, too */
};

/* Reads up to 32 bytes at key, which the pad allows. */
SCAN_STEP struct key_words words_of(const char *key, size_t n, int level)
{
	struct key_words w = {.shape = n << 1 | (uint64_t)level};
	w.first = load8(key);
	if (n < 8) {
		w.first &= (1ull << 8 * n) - 1;
		return w;
	}
	w.last = load8(key + n - 8);
	if (n > 16) {
		w.second = load8(key + 8);
		w.third = load8(key + n - 16);
	}
	return w;
}

SCAN_STEP unsigned slot_of(const struct key_words *w)
{
	uint64_t h = (w->first ^ w->last << 1 ^ w->shape << 17) * 0x9e3779b97f4a7c15ull;
	return (unsigned)(h >> 56);
}

SCAN_STEP bool same_key(const struct key_words *a, const struct key_words *b)
{
	return a->first == b->first && a->last == b->last && a->shape == b->shape &&
		a->second == b->second && a->third == b->third;
}

/* A key that nobody knows: what stands behind it is skipped. */
SCAN_STEP struct meaning key_stranger(unsigned hash, int level)
{
	return (struct meaning){.place = (uint16_t)(KEY_SLOTS + hash % KEY_STRANGERS +
					(unsigned)level * KEY_STRANGERS),
		.take = TAKE_SKIP,
		.level = (uint8_t)level};
}

SCAN_STEP struct meaning key_find(
	const struct event_keys *keys, const char *key, size_t n, int level)
{
	if (n > LONGEST_KEY || !n)
		return key_stranger(0, level);
	struct key_words w = words_of(key, n, level);
	unsigned hash = slot_of(&w);
	for (unsigned at = hash;; at = (at + 1) % KEY_SLOTS) {
		if (same_key(&keys->slot[at].words, &w))
			return keys->slot[at].meaning;
		if (!keys->slot[at].words.shape)
			return key_stranger(hash, level);
	}
}

void event_keys_init(struct event_keys *keys);

/* The same for a key with escapes in it ("\\u0070h"), up to `end`. */
struct meaning key_find_escaped(
	const struct event_keys *keys, const char *key, const char *end, int level);

#endif

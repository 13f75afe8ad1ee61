/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/strings.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

static uint64_t load(const char *p)
{
	uint64_t w;
	memcpy(&w, p, 8);
	return w;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two lanes of multiplications, 32 bytes a turn: kernel names are long. */
static uint32_t hash_of(const char *p, size_t n)
{
	uint64_t a = n ^ 0xa0761d6478bd642full, b = 0xe7037ed1a0b428dbull;
	while (n >= 32) {
		a = mix(load(p) ^ 0x8ebc6af09c88c6e3ull, load(p + 8) ^ a);
		b = mix(load(p + 16) ^ 0x589965cc75374cc3ull, load(p + 24) ^ b);
		p += 32;
		n -= 32;
	}
	if (n >= 16) {
		a = mix(load(p) ^ 0x8ebc6af09c88c6e3ull, load(p + 8) ^ a);
		p += 16;
		n -= 16;
	}
	uint64_t low = 0, high = 0;
	if (n > 8) {
		low = load(p);
		high = load(p + n - 8);
	} else if (n >= 4) {
		uint32_t w[2];
		memcpy(&w[0], p, 4);
		memcpy(&w[1], p + n - 4, 4);
		low = (uint64_t)w[0] << 32 | w[1];
	} else if (n) {
		low = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8 |
			(unsigned char)p[n - 1];
	}
	a = mix(low ^ 0x1d8e4e27c47d124full, high ^ a ^ b);
	return (uint32_t)(a ^ a >> 32);
}

void strings_init(struct strings *t)
{
	*t = (struct strings){.n = 1, .room = 256, .n_slots = FIRST_SLOTS};
	t->entry = xalloc(t->room * sizeof *t->entry);
	t->entry[0] = (struct text_entry){.text = ""};
	t->slots = xcalloc(t->n_slots, sizeof *t->slots);
}

void strings_release(struct strings *t)
{
	arena_release(&t->arena);
	free(t->entry);
	free(t->slots);
	*t = (struct strings){0};
}

static void rehash(struct strings *t)
{
	t->n_slots *= 2;
	free(t->slots);
	t->slots = xcalloc(t->n_slots, sizeof *t->slots);
	for (uint32_t id = 1; id < t->n; id++) {
		uint32_t i = t->entry[id].hash;
		while (t->slots[i &= t->n_slots - 1])
			i++;
		t->slots[i] = id;
	}
}

static uint32_t add_new(struct strings *t, struct text_entry e, uint32_t *slot)
{
	if (t->n == t->room) {
		t->room *= 2;
		t->entry = xrealloc(t->entry, t->room, sizeof *t->entry);
	}
	uint32_t id = t->n++;
	e.text = arena_strndup(&t->arena, e.text, e.length);
	t->entry[id] = e;
	*slot = id;
	if (t->n * 2 > t->n_slots)
		rehash(t);
	return id;
}

uint32_t strings_add(
	struct strings *t, const char *text, size_t n, enum text_form form, int64_t offset)
{
	uint32_t h = hash_of(text, n), i = h;
	for (;; i++) {
		i &= t->n_slots - 1;
		uint32_t id = t->slots[i];
		if (!id)
			break;
		const struct text_entry *e = &t->entry[id];
		if (e->hash == h && e->length == n && e->form == form && !memcmp(e->text, text, n))
			return id;
	}
	struct text_entry e = {.text = text,
		.length = (uint32_t)n,
		.hash = h,
		.offset = offset,
		.form = (uint8_t)form};
	return add_new(t, e, &t->slots[i]);
}

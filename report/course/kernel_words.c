/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/kernel_words.h"

#include "base/number_format.h"
#include "report/name/kernel_name.h"

#include <stdio.h>
#include <string.h>

static struct decoded_part *part_of(struct decoded *d, const char *key)
{
	for (int i = 0; i < d->n; i++)
		if (!strcmp(d->part[i].key, key))
			return &d->part[i];
	if (d->n == DECODED_ROOM)
		return NULL;
	d->part[d->n] = (struct decoded_part){.key = key};
	return &d->part[d->n++];
}

static void add(struct decoded *d, const char *key, const char *value, size_t length)
{
	struct decoded_part *p = length ? part_of(d, key) : NULL;
	if (!p)
		return;
	size_t used = strlen(p->value);
	snprintf(p->value + used, sizeof p->value - used, "%s%.*s", used ? " " : "", (int)length,
		value);
}

/* "brg:avx512_core_bf16 matmul+sum": only oneDNN has a colon before a space, and no "::". */
static bool decode_onednn(struct decoded *d, const char *name)
{
	size_t implementation = strcspn(name, ": ");
	const char *rest = name + implementation;
	if (!implementation || rest[0] != ':' || rest[1] == ':' || !strchr(rest, ' ') ||
		strpbrk(name, "<("))
		return false;
	const char *set = rest + 1, *operation = strrchr(name, ' ') + 1;
	add(d, "implementation", name, implementation);
	add(d, "set", set, (size_t)(operation - 1 - set));
	size_t length = strcspn(operation, "+");
	add(d, "operation", operation, length);
	if (operation[length])
		add(d, "epilogue", operation + length + 1, strlen(operation + length + 1));
	return true;
}

bool decode_name(struct decoded *d, const char *name)
{
	*d = (struct decoded){0};
	if (decode_onednn(d, name))
		return true;
	struct kernel_name k;
	if (!kernel_name_decode(&k, name))
		return false;
	const char *family = kernel_family_key(k.family);
	add(d, "family", family, strlen(family));
	for (int i = 0; i < k.n; i++)
		add(d, kernel_part_key(k.row[i].part), k.row[i].value, strlen(k.row[i].value));
	return true;
}

static const char *value_of(const struct decoded *d, const char *key)
{
	for (int i = 0; i < d->n; i++)
		if (!strcmp(d->part[i].key, key))
			return d->part[i].value;
	return NULL;
}

struct difference {
	const struct texts *texts;
	struct arena *a;
	const char *text;
	int n, most;
};

/* NULL: the name has no such part. */
static void differ(struct difference *f, const char *key, const char *from, const char *to)
{
	const char *none = say(f->texts, f->a, "part.none", NULL);
	if ((from && to && !strcmp(from, to)) || f->n++ >= f->most)
		return;
	from = from ? from : none;
	to = to ? to : none;
	const char *word = say(f->texts, f->a, arena_printf(f->a, "part.%s", key), NULL);
	f->text = listed(f->a, f->text, " · ",
		say(f->texts, f->a, "part.change", "part", word, "from", from, "to", to, NULL));
}

const char *decoded_difference(
	const struct texts *texts, struct arena *a, const char *from, const char *to, int most)
{
	struct decoded x, y;
	struct difference f = {texts, a, "", 0, most};
	if (!strcmp(from, to))
		return NULL;
	bool both = decode_name(&x, from);
	both = decode_name(&y, to) && both;
	for (int i = 0; both && i < x.n; i++)
		differ(&f, x.part[i].key, x.part[i].value, value_of(&y, x.part[i].key));
	for (int i = 0; both && i < y.n; i++)
		if (!value_of(&x, y.part[i].key))
			differ(&f, y.part[i].key, NULL, y.part[i].value);
	if (!f.n)
		return say(texts, a, "part.other", NULL);
	if (f.n <= most)
		return f.text;
	return say(texts, a, "part.more", "list", f.text, "n", format_count(a, f.n - most), NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/read/pftrace_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- text ---- */

static char *room_for(struct pf_json *j, size_t n)
{
	if (j->n + n + WINDOW_PAD > j->room) {
		j->room = 2 * (j->n + n + WINDOW_PAD);
		j->text = xrealloc(j->text, j->room, 1);
	}
	return j->text + j->n;
}

void pf_json_add(struct pf_json *j, const char *text, size_t n)
{
	memcpy(room_for(j, n), text, n);
	j->n += n;
}

void pf_json_begin(struct pf_json *j)
{
	j->n = 0;
	pf_json_add(j, "{\"args\": {", 10);
}

void pf_json_text(struct pf_json *j, struct pf_text text)
{
	static const char hex[] = "0123456789abcdef";
	char *p = room_for(j, 6 * text.n + 2), *begin = p;
	*p++ = '"';
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.at[i];
		if (c == '"' || c == '\\')
			*p++ = '\\';
		if (c < ' ') {
			const char code[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
			memcpy(p, code, sizeof code);
			p += sizeof code;
		} else {
			*p++ = (char)c;
		}
	}
	*p++ = '"';
	j->n += (size_t)(p - begin);
}

static void separate(struct pf_json *j)
{
	if (!strchr("{[", j->text[j->n - 1]))
		pf_json_add(j, ", ", 2);
}

void pf_json_key(struct pf_json *j, struct pf_text key)
{
	separate(j);
	pf_json_text(j, key);
	pf_json_add(j, ": ", 2);
}

static void add_int(struct pf_json *j, int64_t value)
{
	char text[32];
	pf_json_add(j, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)value));
}

void pf_json_number(struct pf_json *j, double value)
{
	char text[32];
	if (isfinite(value))
		pf_json_add(j, text, (size_t)snprintf(text, sizeof text, "%.17g", value));
	else
		pf_json_add(j, "null", 4);
}

void pf_json_int(struct pf_json *j, const char *key, int64_t value)
{
	pf_json_key(j, pf_word(key));
	add_int(j, value);
}

/* ---- annotations ---- */

/* Names of other writers for what Kineto writes. */
static struct pf_text key_of(struct pf_text name)
{
	static const char *const keys[][2] = {
		{"correlation_id", "correlation"}, {"corr_id", "correlation"}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (pf_is(name, keys[i][0]))
			return pf_word(keys[i][1]);
	return name.at ? name : pf_word("");
}

static void add_value(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m, int depth);

/* Kineto's own writer puts the members of `args` into one text, without the braces around them. */
static bool is_members(struct pf_text name, struct pf_text text)
{
	return pf_is(name, "metadata") && text.n > 1 && *text.at == '"';
}

static struct pf_text name_of(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	struct pf_text name = {0};
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			name = pf_interned_text(x, s, PF_ANNOTATION, f.value);
		else if (f.number == 10)
			name = pf_span(&f);
	}
	return name;
}

static void add_member(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m, int depth)
{
	pf_json_key(&x->json, key_of(name_of(x, s, m)));
	add_value(x, s, m, depth);
}

/* Values of the older form: lists of keys and of values. */
static void add_nested(struct pf_json *j, struct proto_message m, int depth)
{
	struct proto_field f;
	struct proto_message keys = m, all = m;
	uint64_t type = 0;
	while (proto_next(&m, &f))
		if (f.number == 1)
			type = f.value;
	bool list = type == 2, leaf = true;
	if (type && depth < PF_DEEPEST) {
		pf_json_add(j, list ? "[" : "{", 1);
		while (proto_next(&all, &f)) {
			struct proto_field key;
			if (f.number != (list ? 4 : 3))
				continue;
			if (list) {
				separate(j);
			} else {
				while (proto_next(&keys, &key) && key.number != 2)
					continue;
				pf_json_key(j, pf_span(&key));
			}
			add_nested(j, proto_in(&f), depth + 1);
		}
		pf_json_add(j, list ? "]" : "}", 1);
		return;
	}
	while (proto_next(&all, &f) && leaf) {
		leaf = f.number < 5 || f.number > 8;
		if (f.number == 5)
			add_int(j, proto_int(&f));
		else if (f.number == 6)
			pf_json_number(j, proto_double(&f));
		else if (f.number == 7)
			pf_json_add(j, f.value ? "true" : "false", f.value ? 4 : 5);
		else if (f.number == 8)
			pf_json_text(j, pf_span(&f));
	}
	if (leaf)
		pf_json_add(j, "null", 4);
}

static bool add_simple(
	struct pftrace *x, const struct pf_sequence *s, const struct proto_field *f, int depth)
{
	struct pf_json *j = &x->json;
	char text[32];
	switch (f->number) {
	case 2:
		pf_json_add(j, f->value ? "true" : "false", f->value ? 4 : 5);
		return true;
	case 3:
		pf_json_add(j, text,
			(size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)f->value));
		return true;
	case 4:
		add_int(j, proto_int(f));
		return true;
	case 5:
		pf_json_number(j, proto_double(f));
		return true;
	case 6:
	case 9:
		pf_json_text(j, pf_span(f));
		return true;
	case 7:
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)f->value);
		pf_json_text(j, pf_word(text));
		return true;
	case 8:
		add_nested(j, proto_in(f), depth);
		return true;
	case 17:
		pf_json_text(j, pf_interned_text(x, s, PF_STRING, f->value));
		return true;
	}
	return false;
}

/* A list that is empty has no value at all. */
static void add_value(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m, int depth)
{
	struct pf_json *j = &x->json;
	struct proto_field f;
	char open = 0;
	while (proto_next(&m, &f)) {
		bool inner = f.number == 11 || f.number == 12;
		if (!inner && !open && add_simple(x, s, &f, depth))
			return;
		if (!inner || (open && open != (f.number == 11 ? '{' : '[')))
			continue;
		if (!open) {
			open = f.number == 11 ? '{' : '[';
			pf_json_add(j, &open, 1);
		}
		if (depth >= PF_DEEPEST)
			continue;
		if (open == '{') {
			add_member(x, s, proto_in(&f), depth + 1);
		} else {
			separate(j);
			add_value(x, s, proto_in(&f), depth + 1);
		}
	}
	pf_json_add(j, !open ? "[]" : open == '{' ? "}" : "]", open ? 1 : 2);
}

void pf_annotation(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct proto_message all = m;
	struct proto_field f;
	struct pf_text name = name_of(x, s, m);
	while (proto_next(&all, &f))
		if (f.number == 6 && is_members(name, pf_span(&f))) {
			separate(&x->json);
			pf_json_add(&x->json, f.at, f.value);
			return;
		}
	add_member(x, s, m, 0);
}

static enum parsed parse(struct pftrace *x)
{
	struct pf_json *j = &x->json;
	pf_json_add(j, "}}", 2);
	memset(room_for(j, 0), '"', WINDOW_PAD);
	return event_parse(x->r->parser, j->text, j->text + j->n, true, &x->raw);
}

void pf_parse_args(struct pftrace *x)
{
	if (parse(x) == PARSED)
		return;
	/* Members that came as a text, and are none. */
	pf_json_begin(&x->json);
	parse(x);
}

/* ---- what a slice without a category is ---- */

static bool has(const struct pf_json *j, const char *key)
{
	return memmem(j->text, j->n, key, strlen(key));
}

/* Namespaces of operators are small letters; what a model calls its own is none. */
static bool is_operator(struct pf_text name)
{
	const char *of = name.at ? memmem(name.at, name.n, "::", 2) : NULL;
	for (const char *p = name.at; of && p < of; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
			return false;
	return of && of > name.at;
}

static const char *on_device(const struct pf_json *j, struct pf_text name)
{
	if (has(j, "\"cuda_sync_kind\": "))
		return "cuda_sync";
	if (pf_starts(name, "Memcpy "))
		return "gpu_memcpy";
	if (pf_starts(name, "Memset "))
		return "gpu_memset";
	return has(j, "\"grid\": ") ? "kernel" : NULL;
}

struct pf_text pf_category(
	const struct pftrace *x, struct pf_text name, const struct pf_place *place)
{
	const struct pf_json *j = &x->json;
	const char *known = has(j, "\"stream\": ") ? on_device(j, name) : NULL;
	if (known)
		return pf_word(known);
	if (pf_is(place->process, "Overhead"))
		return pf_word("overhead");
	if (has(j, "\"cbid\": "))
		return pf_word(
			name.n > 2 && pf_starts(name, "cu") && isupper((unsigned char)name.at[2])
				? "cuda_driver"
				: "cuda_runtime");
	if (has(j, "\"Python id\": "))
		return pf_word("python_function");
	if (pf_starts(place->process, "GPU "))
		return pf_word("gpu_user_annotation");
	if (pf_starts(name, "PyTorch Profiler ("))
		return pf_word("Trace");
	if (!has(j, "\"External id\": ") && !has(j, "\"Record function id\": "))
		return (struct pf_text){0};
	bool op = is_operator(name) || has(j, "\"Sequence number\": ");
	return pf_word(op ? "cpu_op" : "user_annotation");
}

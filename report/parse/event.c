/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/event.h"

#include "base/err.h"
#include "base/min_max.h"
#include "report/parse/fast_event.h"
#include "report/parse/learned_form.h"
#include "report/parse/next_value.h"
#include "report/parse/number.h"

#include <stdlib.h>
#include <string.h>

/* Not part of event_parse(), which is to begin with nothing but a jump. */
static __attribute__((noinline)) enum parsed parse_plain(const struct event_keys *keys,
	const char *p, const char *end, bool last, struct raw_event *raw)
{
	struct meaning m = {.level = LEVEL_TOP};
	raw_clear(raw);
	p = step(keys, raw, p + 1, end, true, &m, SCAN_PLAIN);
	while (p && m.take != TAKE_END) {
		p = take_value(raw, m.take, m.index, p, end, SCAN_PLAIN);
		if (!p)
			return stop(raw, end, end);
		if (m.take == TAKE_PHASE && !keys->whole && !phase_matters(raw->phase)) {
			bool far;
			const char *rest = skip_rest(p, end, last, &far, SCAN_PLAIN);
			if (rest || !far)
				return rest ? ended(raw, rest) : stop(raw, end, end);
		}
		p = step(keys, raw, p, end, false, &m, SCAN_PLAIN);
	}
	return p ? ended(raw, p) : stop(raw, raw->end, end);
}

#ifdef __x86_64__

static __attribute__((noinline)) enum parsed parse_sse2(struct event_parser *parser, const char *p,
	const char *end, bool last, struct raw_event *raw)
{
	return parse_learned(parser, p, end, last, raw);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
		__builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

struct event_parser *event_parser_new(enum scan_path path)
{
	enum { LINE = _Alignof(struct event_parser) };
	size_t bytes = path == SCAN_PLAIN ? offsetof(struct event_parser, at)
					  : sizeof(struct event_parser);
	char *memory = xalloc(bytes + LINE - 1);
	struct event_parser *parser = (void *)(memory + -(uintptr_t)memory % LINE);
	memset(parser, 0, min_size(bytes, offsetof(struct event_parser, learned)));
	parser->memory = memory;
	event_keys_init(&parser->keys);
	parser->path = path;
	if (path == SCAN_PLAIN)
		return parser;
	learn_init(&parser->learned);
	digit_places_init(&parser->places);
	if (path == SCAN_AVX512 && !has_avx512())
		path = SCAN_AVX2;
	parser->path = path == SCAN_AVX2 && !has_avx2() ? SCAN_SSE2 : path;
	return parser;
}

enum parsed event_parse(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw)
{
	switch (parser->path) {
	case SCAN_AVX512:
		return event_parse_avx512(parser, p, end, last, raw);
	case SCAN_AVX2:
		return event_parse_avx2(parser, p, end, last, raw);
	case SCAN_SSE2:
		return parse_sse2(parser, p, end, last, raw);
	case SCAN_PLAIN:
		break;
	}
	return parse_plain(&parser->keys, p, end, last, raw);
}

void event_parser_free(struct event_parser *parser)
{
	if (parser)
		free(parser->memory);
}

#else

struct event_parser {
	struct event_keys keys;
};

struct event_parser *event_parser_new(enum scan_path path)
{
	(void)path;
	struct event_parser *parser = xcalloc(1, sizeof *parser);
	event_keys_init(&parser->keys);
	return parser;
}

enum parsed event_parse(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw)
{
	return parse_plain(&parser->keys, p, end, last, raw);
}

void event_parser_free(struct event_parser *parser)
{
	free(parser);
}

#endif

void event_parser_takes_all(struct event_parser *parser)
{
	parser->keys.whole = true;
}

uint32_t event_text(struct strings *texts, const struct raw_text *t, int64_t offset)
{
	struct known *known = t->known;
	if (!known || known->stamp != t->stamp)
		return strings_add(texts, t->at, t->n, t->form, offset);
	if (!known->id)
		known->id = strings_add(texts, t->at, t->n, t->form, offset);
	return known->id;
}

/* The next key at or after p, and its value; NULL behind the last one. */
static const char *pass_key(const char *p, const char *end, struct raw_text *key)
{
	bool escaped = false;
	while (p < end && *p != '"' && *p != '}')
		p++;
	if (p >= end || *p == '}')
		return NULL;
	const char *q = scan_string(p + 1, &escaped, SCAN_PLAIN);
	*key = raw_string(p + 1, q, escaped);
	for (q++; q < end && *q != ':'; q++)
		continue;
	return scan_space(q + 1, SCAN_PLAIN);
}

bool event_counter(const char *begin, const char *end, struct raw_text *key, double *value)
{
	bool args = false;
	for (const char *p = begin + 1; (p = pass_key(p, end, key)) && p < end;) {
		struct decimal d;
		if (!args && key->n == 4 && !memcmp(key->at, "args", 4) && *p == '{') {
			args = true;
			p++;
			continue;
		}
		const char *q = value_pass(p, end);
		if (args && decimal_parse(p, (size_t)(q - p), &d)) {
			*value = decimal_to_double(&d);
			return true;
		}
		p = q;
	}
	return false;
}

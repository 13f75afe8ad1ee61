/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/nsys_parts.h"

#include "base/text_builder.h"

#include <ctype.h>
#include <stdlib.h>

#define HAS(c) (1ull << NSYS_##c)

/* ENUM_NSYS_EVENT_TYPE: a mark, a range that was pushed and popped, one that was started and
 * ended, and the name of a domain. */
enum { MARK = 34, PUSHED = 59, STARTED = 60, DOMAIN_NAME = 75 };

enum { MOST_DOMAINS = 1 << 12 };

static uint32_t text_of(struct nsys *x, const struct nsys_row *row)
{
	if (nsys_has(row, NSYS_TEXT) && row->text[NSYS_TEXT].at)
		return nsys_text(x, row->text[NSYS_TEXT].at, row->text[NSYS_TEXT].n, TEXT_PLAIN);
	return nsys_has(row, NSYS_TEXT_ID) ? nsys_string(x, row->number[NSYS_TEXT_ID]) : 0;
}

static void take_domain(struct nsys *x, const struct nsys_row *row)
{
	uint32_t text = nsys_or(row, NSYS_EVENT_TYPE, 0) == DOMAIN_NAME ? text_of(x, row) : 0;
	if (!text || x->n_domains == MOST_DOMAINS)
		return;
	x->domain = xrealloc(x->domain, x->n_domains + 1, sizeof *x->domain);
	x->domain_id = xrealloc(x->domain_id, x->n_domains + 1, sizeof *x->domain_id);
	x->domain_id[x->n_domains] = nsys_or(row, NSYS_DOMAIN, 0);
	x->domain[x->n_domains++] = text;
}

/* "NCCL:ncclAllReduce"; the default domain has no name. */
static uint32_t in_domain(struct nsys *x, int64_t domain, uint32_t text)
{
	const struct strings *texts = &x->r->part->texts;
	for (size_t i = 0; i < x->n_domains && domain; i++) {
		if (x->domain_id[i] != domain)
			continue;
		const struct text_entry *of = &texts->entry[x->domain[i]], *e = &texts->entry[text];
		struct arena a = {0};
		const char *whole = arena_printf(
			&a, "%.*s:%.*s", (int)of->length, of->text, (int)e->length, e->text);
		text = nsys_text(x, whole, strlen(whole), TEXT_PLAIN);
		arena_release(&a);
		break;
	}
	return text;
}

/* ---- what emit_nvtx() makes of an operator ----
 * Its name, then ", seq = N", ", op_id = N", ", sizes = [[...], ...]", ", input_op_ids = [...]":
 * whichever there are, in this order (torch/csrc/profiler/util.cpp, getNvtxStr). */

static const char *const members[] = {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

/* Where the first of them begins, NULL if there is none. */
static const char *members_of(const char *text)
{
	const char *first = NULL;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const char *at = strstr(text, members[i]);
		char c = at ? at[strlen(members[i])] : 0;
		if (at && (isdigit((unsigned char)c) || c == '[') && (!first || at < first))
			first = at;
	}
	return first;
}

/* Namespaces of operators are small letters; what a model calls its own is none. */
static bool is_operator(const char *name, size_t n)
{
	const char *of = strstr(name, "::");
	if (of && of > name && of < name + n && islower((unsigned char)*name))
		return true;
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n > 8 && !memcmp(name + n - 8, "Backward", 8);
}

/* The list of lists that begins at p. */
static size_t list_length(const char *p)
{
	size_t n = 0;
	for (int depth = 0; p[n]; n++) {
		depth += (p[n] == '[') - (p[n] == ']');
		if (!depth)
			return n + 1;
	}
	return 0;
}

static void give_recorded(struct nsys *x, const char *name, const char *end)
{
	size_t n = (size_t)(end - name);
	const char *sizes = strstr(end, members[2]);
	size_t list = sizes ? list_length(sizes += strlen(members[2])) : 0;
	uint32_t shapes = list ? nsys_text(x, sizes, list, TEXT_JSON) : 0;
	const char *category = is_operator(name, n) ? "cpu_op" : "user_annotation";
	nsys_give(x, RAW_CATEGORY, nsys_text(x, category, strlen(category), TEXT_PLAIN));
	nsys_give(x, RAW_NAME, nsys_text(x, name, n, TEXT_PLAIN));
	nsys_give(x, RAW_DIMS, shapes);
}

static void give_range(struct nsys *x, const struct nsys_row *row)
{
	static const char annotation[] = "user_annotation", nameless[] = "range";
	int64_t domain = nsys_or(row, NSYS_DOMAIN, 0);
	uint32_t text = text_of(x, row);
	const char *name = x->r->part->texts.entry[text].text; /* ends with a NUL */
	const char *end = text && !domain ? members_of(name) : NULL;
	if (end && end > name) {
		give_recorded(x, name, end);
		return;
	}
	nsys_give(x, RAW_CATEGORY, nsys_text(x, annotation, strlen(annotation), TEXT_PLAIN));
	nsys_give(x, RAW_NAME,
		text ? in_domain(x, domain, text)
		     : nsys_text(x, nameless, strlen(nameless), TEXT_PLAIN));
}

static void take_range(struct nsys *x, const struct nsys_row *row)
{
	int64_t type = nsys_or(row, NSYS_EVENT_TYPE, PUSHED), global, dur;
	if (type != MARK && type != PUSHED && type != STARTED)
		return;
	bool ended = nsys_has(row, NSYS_END);
	/* A range that was open at the end of the recording has none. */
	nsys_begin(x, type == MARK ? 'i' : ended ? 'X' : 'B');
	give_range(x, row);
	global = nsys_or(row, NSYS_GLOBAL_TID, 0);
	nsys_number(x, RAW_PID, nsys_pid(global));
	nsys_number(x, RAW_TID, nsys_tid(global));
	if (nsys_has(row, NSYS_START))
		nsys_number(x, RAW_TS, row->number[NSYS_START]);
	if (ended && type != MARK)
		nsys_number(x, RAW_DUR,
			__builtin_sub_overflow(
				row->number[NSYS_END], nsys_or(row, NSYS_START, 0), &dur)
				? -1
				: dur);
	nsys_add(x);
}

void nsys_ranges(struct nsys *x)
{
	nsys_table(x, "NVTX_EVENTS", HAS(START) | HAS(EVENT_TYPE), take_domain);
	nsys_table(x, "NVTX_EVENTS", HAS(START), take_range);
}

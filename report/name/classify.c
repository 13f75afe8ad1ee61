/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/classify.h"

#include "report/name/kernel_class.h"
#include "report/trace/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = {CLASS_LIST(KIND_NAME)};

const char *event_class_name(enum event_class c)
{
	return class_names[c];
}

/* A name belongs to the first rule whose words it has, in any case. */
struct rule {
	const char *first, *also; /* also: NULL: one is enough */
	enum event_class class;
};

static const struct rule call_rules[] = {
	{"Occupancy", NULL, CLASS_QUERY},
	{"MaxPotentialClusterSize", NULL, CLASS_QUERY},
	{"Memcpy", NULL, CLASS_COPY_CALL},
	{"Memset", NULL, CLASS_COPY_CALL},
	{"Synchron", NULL, CLASS_SYNC},
	{"Launch", NULL, CLASS_LAUNCH},
	{"enqueue", "copy", CLASS_COPY_CALL},
	{"enqueue", "fill", CLASS_COPY_CALL},
	{"enqueue", NULL, CLASS_LAUNCH},
	{"Malloc", NULL, CLASS_SETUP},
	{"HostAlloc", NULL, CLASS_SETUP},
	{"Free", NULL, CLASS_SETUP},
	{"FuncSetAttribute", NULL, CLASS_SETUP},
	{"FuncGetAttributes", NULL, CLASS_SETUP},
	{"ModuleLoad", NULL, CLASS_SETUP},
	{"LibraryLoad", NULL, CLASS_SETUP},
	{"", NULL, CLASS_CALL},
};

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

struct lettered lettered_of_part(const char *part, size_t n)
{
	struct lettered l = {.name = part, .length = n};
	for (size_t i = 1; i < n; i++)
		l.follows[lettered_bits(part[i - 1])] |= 1U << lettered_bits(part[i]);
	return l;
}

struct lettered lettered_of(const char *name)
{
	return lettered_of_part(name, strlen(name));
}

bool lettered_has(const struct lettered *l, const char *word)
{
	unsigned char first = fold(*word);
	if (!lettered_may_have(l, word))
		return false;
	for (const char *c = l->name, *end = c + l->length; c < end; c++) {
		if (fold(*c) != first)
			continue;
		size_t n = 1, most = (size_t)(end - c);
		while (n < most && word[n] && fold(c[n]) == fold(word[n]))
			n++;
		if (!word[n])
			return true;
	}
	return false;
}

static bool rule_fits(const struct rule *r, const struct lettered *l)
{
	return (!r->first[0] || lettered_has(l, r->first)) &&
		(!r->also || lettered_has(l, r->also));
}

/* The last rule of a table fits every name. */
static enum event_class first_fit(const struct rule *rules, const char *name)
{
	struct lettered l = lettered_of(name);
	while (!rule_fits(rules, &l))
		rules++;
	return rules->class;
}

bool is_module_call(const char *name)
{
	return !strncmp(name, MODULE_CALL, sizeof MODULE_CALL - 1);
}

bool is_cpu_collective(const char *name)
{
	static const char *const libraries[] = {"gloo:", "mpi:", "ucc:"};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (!strncmp(name, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

int64_t profiler_step_number(const char *name)
{
	static const char *const prefixes[] = {"ProfilerStep#", "ProfileStep#"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);
		char *end;
		if (strncmp(name, prefixes[i], n) || !isdigit((unsigned char)name[n]))
			continue;
		long long number = strtoll(name + n, &end, 10);
		return *end ? -1 : number;
	}
	return -1;
}

/* `key`: what is named after the prefix, up to the next blank. */
static const struct compile_prefix {
	const char *text;
	enum compile_row row;
} compile_prefixes[] = {
	{"cache lookup", COMPILE_LOOKUP},
	{"TorchDynamo Cache Lookup", COMPILE_LOOKUP},
	{"guard check", COMPILE_GUARD},
	{"compiled region ", COMPILE_REGION},
	{"Torch-Compiled Region: ", COMPILE_REGION},
	{"AOTDispatcher Runtime Wrapper Prologue", COMPILE_PROLOGUE},
	{"prologue", COMPILE_PROLOGUE},
	{"call graph ", COMPILE_GRAPH},
	{"replay graph ", COMPILE_GRAPH},
	{"## Call CompiledFxGraph ", COMPILE_GRAPH},
};

enum compile_row compile_row_of(const char *name, const char **key, int *key_length)
{
	for (size_t i = 0; i < sizeof compile_prefixes / sizeof *compile_prefixes; i++) {
		const struct compile_prefix *p = &compile_prefixes[i];
		size_t n = strlen(p->text);
		if (strncmp(name, p->text, n))
			continue;
		bool keyed = p->row == COMPILE_REGION || p->row == COMPILE_GRAPH;
		*key = name + n;
		*key_length = (int)strcspn(*key, " ");
		if (keyed ? *key_length > 0 : !**key)
			return p->row;
	}
	return COMPILE_NONE;
}

static enum event_class classify_host(const char *name, enum event_class otherwise)
{
	const char *key;
	int n;
	if (profiler_step_number(name) >= 0)
		return CLASS_STEP;
	return compile_row_of(name, &key, &n) == COMPILE_NONE ? otherwise : CLASS_COMPILE;
}

enum event_class classify(uint8_t kind, const char *name)
{
	switch ((enum event_kind)kind) {
	case EVENT_OTHER:
		return CLASS_HOST;
	case EVENT_OP: /* before user_annotation there was one category for both */
		return classify_host(
			name, strncmp(name, "Optimizer.", 10) ? CLASS_OP : CLASS_ANNOTATION);
	case EVENT_ANNOTATION:
		return classify_host(name, CLASS_ANNOTATION);
	case EVENT_PYTHON:
		return CLASS_PYTHON;
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
		return first_fit(call_rules, name);
	case EVENT_KERNEL:
		return class_of_kernel(name);
	case EVENT_MEMCPY:
		return CLASS_COPY;
	case EVENT_MEMSET:
		return CLASS_FILL;
	case EVENT_GPU_ANNOTATION:
		return CLASS_DEVICE_RANGE;
	case EVENT_DEVICE_SYNC:
		return CLASS_DEVICE_WAIT;
	case EVENT_OVERHEAD:
		return CLASS_SETUP;
	case EVENT_SPAN:
	case EVENT_INSTANT:
	case EVENT_COUNTER:
	case EVENT_KINDS:
		break;
	}
	return CLASS_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of NVTX, version 2 of its injection. What follows of its binary interface are the numbers
 * of its functions and the places of the fields that are read; they have not changed since NVTX 2.
 */
#define _GNU_SOURCE
#include "base/utf8.h"
#include "collect/inject/inject.h"
#include "experiments/span.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- the interface ---- */

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

enum core {
	CORE_MARK_EX = 1,
	CORE_MARK_A,
	CORE_MARK_W,
	CORE_START_EX,
	CORE_START_A,
	CORE_START_W,
	CORE_END,
	CORE_PUSH_EX,
	CORE_PUSH_A,
	CORE_PUSH_W,
	CORE_POP
};

enum core2 {
	CORE2_MARK_EX = 1,
	CORE2_START_EX,
	CORE2_END,
	CORE2_PUSH_EX,
	CORE2_POP,
	CORE2_REGISTER_A = 10,
	CORE2_REGISTER_W,
	CORE2_DOMAIN_A,
	CORE2_DOMAIN_W,
	CORE2_DOMAIN_DESTROY
};

enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

typedef void function(void);

struct callbacks {
	size_t bytes;
	int (*module)(int module, function ****table, unsigned *n);
};

struct attributes {
	uint16_t version, bytes;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, reserved;
	uint64_t payload;
	struct message {
		int32_t type;
		union {
			const char *ascii;
			const wchar_t *wide;
			const struct text *registered;
		};
	} message;
};
_Static_assert(offsetof(struct attributes, message.ascii) == 40, "the layout of NVTX's attributes");

/* What a handle points to: a registered string, or the name of a domain. */
struct text {
	char *words;
};

int InitializeInjectionNvtx2(const void *(*table)(uint32_t id));

/* ---- texts ---- */

static char *narrow(const wchar_t *wide)
{
	size_t n = wide ? wcslen(wide) : 0;
	char *words = calloc(n + 1, 4), *to = words;
	for (size_t i = 0; words && i < n; i++)
		to += utf8_put(to, (uint32_t)wide[i]);
	return words;
}

static uint32_t name_of(struct inject *in, struct message m)
{
	char *narrowed = m.type == MESSAGE_WIDE ? narrow(m.wide) : NULL;
	const char *words = m.type == MESSAGE_ASCII ? m.ascii
		: m.type != MESSAGE_REGISTERED	    ? narrowed
		: m.registered			    ? m.registered->words
						    : NULL;
	uint32_t name = ring_name(&in->ring, words && *words ? words : "range without a name");
	free(narrowed);
	return name;
}

static struct message message_of(const struct attributes *a)
{
	return a && a->bytes >= sizeof *a ? a->message : (struct message){0};
}

static struct message ascii(const char *words)
{
	return (struct message){.type = MESSAGE_ASCII, .ascii = words};
}

static struct message wide(const wchar_t *words)
{
	return (struct message){.type = MESSAGE_WIDE, .wide = words};
}

static struct text *text_new(char *words)
{
	struct text *t = malloc(sizeof *t);
	if (t)
		t->words = words;
	else
		free(words);
	return t;
}

static struct text *register_a(struct text *domain, const char *words)
{
	(void)domain;
	return text_new(strdup(words ? words : ""));
}

static struct text *register_w(struct text *domain, const wchar_t *words)
{
	(void)domain;
	return text_new(narrow(words));
}

static struct text *domain_a(const char *words)
{
	return text_new(strdup(words ? words : ""));
}

static struct text *domain_w(const wchar_t *words)
{
	return text_new(narrow(words));
}

/* Ranges of it may still be open: their domain is compared, never looked into. */
static void domain_destroy(struct text *domain)
{
	(void)domain;
}

/* ---- ranges ---- */

enum { DEEPEST = 128, OPEN = 1024, OPEN_LANES = 2000000000 };

struct range {
	const struct text *domain;
	int64_t start_ns;
	uint32_t name;
	uint64_t id; /* of a range that may end on another thread; 0 free */
	uint64_t turn; /* of its slot in the ring, 0 none */
	uint32_t pid; /* whose it is: who forks has copies of its parent's ranges */
};

static _Thread_local struct {
	struct range range[DEEPEST];
	int n, too_deep;
} stack;

/* Ranges that may end anywhere. Each has a row of its own while it is open, since they overlap. */
static struct {
	pthread_mutex_t lock;
	struct range range[OPEN];
	uint64_t last_id;
} open_ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t put_new(struct inject *in, const struct range *r, int64_t end_ns, uint32_t thread)
{
	uint64_t number;
	struct ring_slot *s = ring_take(&in->ring, &number);
	s->kind = SPAN_ANNOTATION;
	s->start_ns = r->start_ns;
	s->end_ns = end_ns;
	s->name = r->name;
	s->thread = thread;
	s->correlation = 0;
	s->bytes = 0;
	ring_done(s, number);
	return number + 1;
}

static void set_alive(struct inject *in, int64_t at_ns)
{
	atomic_store_explicit(&in->ring.head->alive_ns, at_ns, memory_order_relaxed);
}

/* From now on it is in the ring, whatever ends the program. */
static void put_open(struct inject *in, struct range *r, uint32_t thread)
{
	if (!inject_in_window(in, r->start_ns))
		return;
	r->turn = put_new(in, r, RING_OPEN, thread);
	set_alive(in, r->start_ns);
}

static void put(struct inject *in, const struct range *r, int64_t end_ns, uint32_t thread)
{
	if (r->pid != in->ring.head->pid)
		return;
	struct ring_slot *s = r->turn ? ring_retake(&in->ring, r->turn - 1) : NULL;
	if (!inject_in_window(in, end_ns))
		return; /* a slot of its own stays taken: it is void */
	set_alive(in, end_ns);
	if (!s) {
		put_new(in, r, end_ns, thread);
		return;
	}
	s->end_ns = end_ns;
	ring_done(s, r->turn - 1);
}

static void mark(struct message m)
{
	int64_t now_ns = clock_ns();
	struct inject *in = inject_here();
	if (!in)
		return;
	struct range r = {.start_ns = now_ns, .name = name_of(in, m), .pid = in->ring.head->pid};
	put(in, &r, now_ns, inject_thread());
}

static int push(const struct text *domain, struct message m)
{
	struct inject *in = inject_here();
	if (!in)
		return -1;
	if (stack.n == DEEPEST) {
		stack.too_deep++;
		atomic_fetch_add(&in->ring.head->open, 1);
		return DEEPEST + stack.too_deep - 1;
	}
	struct range *r = &stack.range[stack.n];
	*r = (struct range){.domain = domain,
		.name = name_of(in, m),
		.start_ns = clock_ns(),
		.pid = in->ring.head->pid};
	put_open(in, r, inject_thread());
	return stack.n++;
}

static int pop(const struct text *domain)
{
	int64_t now_ns = clock_ns();
	struct inject *in = inject_here();
	if (!in)
		return -1;
	if (stack.too_deep)
		return DEEPEST + --stack.too_deep;
	int i = stack.n - 1;
	while (i >= 0 && stack.range[i].domain != domain)
		i--;
	if (i < 0)
		return -2; /* as NVTX says it of a pop without a push */
	put(in, &stack.range[i], now_ns, inject_thread());
	stack.n--;
	memmove(&stack.range[i], &stack.range[i + 1], (size_t)(stack.n - i) * sizeof *stack.range);
	return i;
}

static uint64_t start(const struct text *domain, struct message m)
{
	struct inject *in = inject_here();
	uint64_t id = 0;
	if (!in)
		return 0;
	uint32_t name = name_of(in, m);
	pthread_mutex_lock(&open_ranges.lock);
	for (size_t i = 0; i < OPEN && !id; i++)
		if (!open_ranges.range[i].id) {
			id = ++open_ranges.last_id;
			open_ranges.range[i] = (struct range){.domain = domain,
				.start_ns = clock_ns(),
				.name = name,
				.id = id,
				.pid = in->ring.head->pid};
			put_open(in, &open_ranges.range[i], OPEN_LANES + (uint32_t)i);
		}
	pthread_mutex_unlock(&open_ranges.lock);
	if (!id)
		atomic_fetch_add(&in->ring.head->open, 1);
	return id;
}

static void end(uint64_t id)
{
	int64_t now_ns = clock_ns();
	struct inject *in = inject_here();
	pthread_mutex_lock(&open_ranges.lock);
	for (size_t i = 0; in && i < OPEN && id; i++)
		if (open_ranges.range[i].id == id) {
			put(in, &open_ranges.range[i], now_ns, OPEN_LANES + (uint32_t)i);
			open_ranges.range[i].id = 0;
			break;
		}
	pthread_mutex_unlock(&open_ranges.lock);
}

/* ---- NVTX's functions ---- */

static void mark_ex(const struct attributes *a)
{
	mark(message_of(a));
}

static void mark_a(const char *words)
{
	mark(ascii(words));
}

static void mark_w(const wchar_t *words)
{
	mark(wide(words));
}

static void domain_mark_ex(const struct text *domain, const struct attributes *a)
{
	(void)domain;
	mark_ex(a);
}

static uint64_t domain_start_ex(const struct text *domain, const struct attributes *a)
{
	return start(domain, message_of(a));
}

static uint64_t start_ex(const struct attributes *a)
{
	return start(NULL, message_of(a));
}

static uint64_t start_a(const char *words)
{
	return start(NULL, ascii(words));
}

static uint64_t start_w(const wchar_t *words)
{
	return start(NULL, wide(words));
}

static void domain_end(const struct text *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static int domain_push_ex(const struct text *domain, const struct attributes *a)
{
	return push(domain, message_of(a));
}

static int push_ex(const struct attributes *a)
{
	return push(NULL, message_of(a));
}

static int push_a(const char *words)
{
	return push(NULL, ascii(words));
}

static int push_w(const wchar_t *words)
{
	return push(NULL, wide(words));
}

static int pop_here(void)
{
	return pop(NULL);
}

struct hook {
	unsigned number;
	function *run;
};

#define HOOK(number, name) \
	{ \
		number, (function *)(name) \
	}

static const struct hook core_hooks[] = {
	HOOK(CORE_MARK_EX, mark_ex),
	HOOK(CORE_MARK_A, mark_a),
	HOOK(CORE_MARK_W, mark_w),
	HOOK(CORE_START_EX, start_ex),
	HOOK(CORE_START_A, start_a),
	HOOK(CORE_START_W, start_w),
	HOOK(CORE_END, end),
	HOOK(CORE_PUSH_EX, push_ex),
	HOOK(CORE_PUSH_A, push_a),
	HOOK(CORE_PUSH_W, push_w),
	HOOK(CORE_POP, pop_here),
	{0},
};

static const struct hook core2_hooks[] = {
	HOOK(CORE2_MARK_EX, domain_mark_ex),
	HOOK(CORE2_START_EX, domain_start_ex),
	HOOK(CORE2_END, domain_end),
	HOOK(CORE2_PUSH_EX, domain_push_ex),
	HOOK(CORE2_POP, pop),
	HOOK(CORE2_REGISTER_A, register_a),
	HOOK(CORE2_REGISTER_W, register_w),
	HOOK(CORE2_DOMAIN_A, domain_a),
	HOOK(CORE2_DOMAIN_W, domain_w),
	HOOK(CORE2_DOMAIN_DESTROY, domain_destroy),
	{0},
};

static void set_hooks(const struct callbacks *c, int module, const struct hook *hooks)
{
	function ***table = NULL;
	unsigned n = 0;
	if (!c->module(module, &table, &n) || !table)
		return;
	for (; hooks->run; hooks++)
		if (hooks->number < n && table[hooks->number])
			*table[hooks->number] = hooks->run;
}

/* Called by the NVTX of every library that has one, the first time that it is used. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
	const void *(*table)(uint32_t id))
{
	const struct callbacks *c = table ? table(TABLE_CALLBACKS) : NULL;
	if (!c || c->bytes < sizeof *c || inject_left_to_torch())
		return 0;
	set_hooks(c, MODULE_CORE, core_hooks);
	set_hooks(c, MODULE_CORE2, core2_hooks);
	return 1;
}

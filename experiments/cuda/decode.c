/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/decode.h"

#include "experiments/cuda/nvidia_libraries.h"
#include "experiments/cuda/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library, not the header, decides how long a record is; these are the lengths that the fields
 * below were taken from (CUPTI 13.0). */
_Static_assert(sizeof(CUpti_ActivityKernel10) == 216, "the layout of a kernel's record");
_Static_assert(sizeof(CUpti_ActivityMemcpy6) == 96, "the layout of a copy's record");
_Static_assert(sizeof(CUpti_ActivityMemset4) == 88, "the layout of a fill's record");
_Static_assert(sizeof(CUpti_ActivityAPI) == 40, "the layout of a call's record");
_Static_assert(sizeof(CUpti_ActivityOverhead3) == 56, "the layout of an overhead's record");

void decoder_init(struct decoder *d, const struct cupti_api *cupti,
	const struct device_properties *properties, struct arena *arena, struct names *names)
{
	*d = (struct decoder){
		.cupti = cupti, .properties = properties, .arena = arena, .names = names};
}

void decoder_release(struct decoder *d)
{
	free(d->span);
	free(d->runtime);
	free(d->external);
	free(d->readable);
	*d = (struct decoder){0};
}

void decoder_reset(struct decoder *d)
{
	d->n = d->n_external = 0;
}

/* ---- names ---- */

void decode_strip_version(char *to, size_t room, const char *name)
{
	snprintf(to, room, "%s", name);
	char *end = strrchr(to, '_');
	if (!end || end[1] != 'v')
		return;
	size_t digits = strspn(end + 2, "0123456789");
	if (digits >= 4 && !end[2 + digits])
		*end = '\0';
}

static const char *interned(struct decoder *d, const char *text)
{
	return names_text(d->names, names_add_text(d->names, text));
}

static const char *find_call_name(struct decoder *d, bool runtime, uint32_t number)
{
	char name[128];
	const char *raw = NULL;
	CUpti_CallbackDomain domain =
		runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
	if (d->cupti->cuptiGetCallbackName(domain, number, &raw) || !raw) {
		snprintf(name, sizeof name, "%s call %u", runtime ? "runtime" : "driver", number);
		return interned(d, name);
	}
	decode_strip_version(name, sizeof name, raw);
	return interned(d, name);
}

static const char *call_name(struct decoder *d, bool runtime, uint32_t number)
{
	if (number >= DECODE_CALLS)
		return find_call_name(d, runtime, number);
	const char **name = &d->call_name[runtime][number];
	if (!*name)
		*name = find_call_name(d, runtime, number);
	return *name;
}

/* __cxa_demangle(), which every machine with a C++ program has; without it names stay as they are.
 */
static void seek_demangler(struct decoder *d)
{
	struct arena a = {0};
	struct err ignored = {0};
	void *library = library_open(&a, &library_demangler, NULL, &ignored);
	void *function = library
		? library_function(library, &library_demangler, "__cxa_demangle", &ignored)
		: NULL;
	memcpy(&d->demangle, &function, sizeof function);
	d->demangle_sought = true;
	arena_release(&a);
}

static const char *demangled(struct decoder *d, const char *raw)
{
	if (strncmp(raw, "_Z", 2) != 0)
		return raw;
	if (!d->demangle_sought)
		seek_demangler(d);
	int status = 0;
	char *text = d->demangle ? d->demangle(raw, NULL, NULL, &status) : NULL;
	const char *name = text ? interned(d, text) : raw;
	free(text);
	return name;
}

static const char *kernel_name(struct decoder *d, const char *raw)
{
	if (!raw)
		return "kernel without a name";
	name_id id = names_add_text(d->names, raw);
	if (id >= d->n_readable) {
		size_t n = (size_t)id * 2 + 64;
		d->readable = xrealloc(d->readable, n, sizeof *d->readable);
		memset(d->readable + d->n_readable, 0, (n - d->n_readable) * sizeof *d->readable);
		d->n_readable = n;
	}
	if (!d->readable[id])
		d->readable[id] = demangled(d, names_text(d->names, id));
	return d->readable[id];
}

/* ---- rows ---- */

/* NULL when CUPTI could not stamp it. */
static struct span *add(struct decoder *d, enum span_kind kind, uint64_t start, uint64_t end)
{
	if (!start || end < start) {
		d->zero_stamped++;
		return NULL;
	}
	if (d->n == d->room) {
		d->room = d->room ? d->room * 2 : 4096;
		d->span = xrealloc(d->span, d->room, sizeof *d->span);
		d->runtime = xrealloc(d->runtime, d->room, sizeof *d->runtime);
	}
	d->runtime[d->n] = 0;
	struct span *s = &d->span[d->n++];
	*s = (struct span){
		.start_ns = (int64_t)start, .end_ns = (int64_t)end, .kind = (uint8_t)kind};
	return s;
}

static struct span_facts *facts_new(struct decoder *d, struct span *s)
{
	struct span_facts *f = arena_alloc(d->arena, sizeof *f);
	s->facts = f;
	return f;
}

static bool waits(const char *name)
{
	return strstr(name, "Synchronize") != NULL;
}

static void add_call(struct decoder *d, const CUpti_ActivityAPI *r, bool runtime)
{
	const char *name = call_name(d, runtime, r->cbid);
	enum span_kind kind = !runtime ? SPAN_DRIVER : waits(name) ? SPAN_SYNC : SPAN_LAUNCH;
	struct span *s = add(d, kind, r->start, r->end);
	if (!s)
		return;
	s->name = name;
	s->correlation = r->correlationId;
	s->thread = r->threadId;
	struct span_facts *f = facts_new(d, s);
	f->call = r->cbid;
	f->result = r->returnValue;
}

static void add_kernel(struct decoder *d, const CUpti_ActivityKernel10 *r)
{
	struct span *s = add(d, SPAN_KERNEL, r->start, r->end);
	if (!s)
		return;
	s->name = kernel_name(d, r->name);
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	struct span_facts *f = facts_new(d, s);
	struct span_kernel *k = arena_alloc(d->arena, sizeof *k);
	f->device = r->deviceId;
	f->context = r->contextId;
	f->graph = r->graphId;
	f->graph_node = r->graphNodeId;
	f->queued_ns = (int64_t)r->queued;
	f->submitted_ns = (int64_t)r->submitted;
	f->kernel = k;
	*k = (struct span_kernel){
		.grid = {r->gridX, r->gridY, r->gridZ},
		.block = {r->blockX, r->blockY, r->blockZ},
		.cluster = {(int32_t)r->clusterX, (int32_t)r->clusterY, (int32_t)r->clusterZ},
		.registers = r->registersPerThread,
		.static_shared_bytes = r->staticSharedMemory,
		.dynamic_shared_bytes = r->dynamicSharedMemory,
		.local_bytes = (int32_t)r->localMemoryPerThread,
	};
	if (d->properties)
		occupancy_of(k, d->properties);
}

static const char *memory_name(uint32_t kind)
{
	static const char *const names[] = {"Unknown", "Pageable", "Pinned", "Device", "Array",
		"Managed", "Device Static", "Managed Static"};
	return kind < sizeof names / sizeof *names ? names[kind] : "Unknown";
}

static const char *direction_name(uint32_t kind)
{
	static const char *const names[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
		"AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
	return kind < sizeof names / sizeof *names ? names[kind] : "Unknown";
}

static const char *copy_name(struct decoder *d, uint32_t kind, uint32_t from, uint32_t to)
{
	char name[96];
	snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", direction_name(kind), memory_name(from),
		memory_name(to));
	return interned(d, name);
}

static void add_copy(struct decoder *d, const CUpti_ActivityMemcpy6 *r)
{
	struct span *s = add(d, SPAN_COPY, r->start, r->end);
	if (!s)
		return;
	s->name = copy_name(d, r->copyKind, r->srcKind, r->dstKind);
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	s->bytes = (int64_t)r->bytes;
	d->runtime[d->n - 1] = r->runtimeCorrelationId;
	struct span_facts *f = facts_new(d, s);
	f->device = r->deviceId;
	f->context = r->contextId;
	f->graph = r->graphId;
	f->graph_node = r->graphNodeId;
}

static void add_peer_copy(struct decoder *d, const CUpti_ActivityMemcpyPtoP4 *r)
{
	struct span *s = add(d, SPAN_COPY, r->start, r->end);
	if (!s)
		return;
	s->name = copy_name(d, r->copyKind, r->srcKind, r->dstKind);
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	s->bytes = (int64_t)r->bytes;
	struct span_facts *f = facts_new(d, s);
	f->device = r->deviceId;
	f->context = r->contextId;
	f->graph = r->graphId;
	f->graph_node = r->graphNodeId;
}

static void add_fill(struct decoder *d, const CUpti_ActivityMemset4 *r)
{
	char name[64];
	struct span *s = add(d, SPAN_FILL, r->start, r->end);
	if (!s)
		return;
	snprintf(name, sizeof name, "Memset (%s)", memory_name(r->memoryKind));
	s->name = interned(d, name);
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	s->bytes = (int64_t)r->bytes;
	struct span_facts *f = facts_new(d, s);
	f->device = r->deviceId;
	f->context = r->contextId;
	f->graph = r->graphId;
	f->graph_node = r->graphNodeId;
}

static void add_wait(struct decoder *d, const CUpti_ActivitySynchronization2 *r)
{
	static const char *const names[] = {
		"Unknown", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
	struct span *s = add(d, SPAN_WAIT, r->start, r->end);
	if (!s)
		return;
	s->name = names[r->type < sizeof names / sizeof *names ? r->type : 0];
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	struct span_facts *f = facts_new(d, s);
	f->context = r->contextId;
	f->wait = s->name;
}

static const char *overhead_name(uint32_t kind)
{
	static const char *const cupti[] = {"Unknown", "Buffer Flush", "Instrumentation",
		"Resource", "Runtime Triggered Module Loading", "Lazy Function Loading",
		"Command Buffer Full", "Activity Buffer Request", "UVM Activity Init"};
	if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER)
		return "Driver Compiler";
	uint32_t number = kind >> 16;
	bool known = !(kind & 0xffff) && number < sizeof cupti / sizeof *cupti;
	return cupti[known ? number : 0];
}

static void add_overhead(struct decoder *d, const CUpti_ActivityOverhead3 *r)
{
	struct span *s = add(d, SPAN_OVERHEAD, r->start, r->end);
	bool of_thread = r->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
	/* an older library's record ends before these fields */
	bool whole = d->cupti->version >= 130000;
	if (s) {
		s->name = overhead_name(r->overheadKind);
		s->thread = of_thread ? r->objectId.pt.threadId : 0;
		s->correlation = whole ? r->correlationId : 0;
	}
	if (whole)
		free(r->overheadData); /* CUPTI leaves it to its client */
}

/* One row for all that a graph launch did: what is recorded instead of its nodes. */
static void add_graph(struct decoder *d, const CUpti_ActivityGraphTrace2 *r)
{
	char name[64];
	struct span *s = add(d, SPAN_KERNEL, r->start, r->end);
	if (!s)
		return;
	snprintf(name, sizeof name, "CUDA graph %u", r->graphId);
	s->name = interned(d, name);
	s->correlation = r->correlationId;
	s->thread = r->streamId;
	struct span_facts *f = facts_new(d, s);
	f->device = r->deviceId;
	f->context = r->contextId;
	f->graph = r->graphId;
}

static void add_external(struct decoder *d, const CUpti_ActivityExternalCorrelation *r)
{
	if (d->n_external == d->room_external) {
		d->room_external = d->room_external ? d->room_external * 2 : 4096;
		d->external = xrealloc(d->external, d->room_external, sizeof *d->external);
	}
	d->external[d->n_external++] = (struct decoded_external){
		r->correlationId, (uint32_t)r->externalKind, (uint32_t)r->externalId};
}

static void add_record(struct decoder *d, const CUpti_Activity *r)
{
	d->records++;
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		add_call(d, (const void *)r, r->kind == CUPTI_ACTIVITY_KIND_RUNTIME);
		break;
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
	case CUPTI_ACTIVITY_KIND_KERNEL:
		add_kernel(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		add_copy(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		add_peer_copy(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		add_fill(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		add_wait(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		add_overhead(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		add_graph(d, (const void *)r);
		break;
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
		add_external(d, (const void *)r);
		break;
	default:
		d->unknown++;
		break;
	}
}

void decode_buffer(struct decoder *d, uint8_t *buffer, size_t bytes)
{
	CUpti_Activity *r = NULL;
	while (bytes && !d->cupti->cuptiActivityGetNextRecord(buffer, bytes, &r))
		add_record(d, r);
}

/* ---- what belongs to what ---- */

static int by_correlation(const void *va, const void *vb)
{
	const struct decoded_external *a = va, *b = vb;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool is_call(const struct span *s)
{
	return s->kind == SPAN_LAUNCH || s->kind == SPAN_DRIVER || s->kind == SPAN_SYNC;
}

static bool on_device(const struct span *s)
{
	return s->kind == SPAN_KERNEL || s->kind == SPAN_COPY || s->kind == SPAN_FILL;
}

/* Calls by correlation, as (correlation, kind, index); of two the runtime's comes first, which
 * encloses the driver's. */
struct calls {
	struct decoded_external *call; /* (n) */
	size_t n;
};

static struct calls calls_of(const struct decoder *d)
{
	struct calls c = {xcalloc(d->n + 1, sizeof *c.call), 0};
	for (size_t i = 0; i < d->n; i++)
		if (is_call(&d->span[i]) && d->span[i].correlation)
			c.call[c.n++] = (struct decoded_external){
				(uint32_t)d->span[i].correlation, d->span[i].kind, (uint32_t)i};
	qsort(c.call, c.n, sizeof *c.call, by_correlation);
	return c;
}

/* The first row of a sorted list with this correlation; n when there is none. */
static size_t first_with(const struct decoded_external *row, size_t n, uint32_t correlation)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (row[middle].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && row[low].correlation == correlation ? low : n;
}

static void join_device_work(struct decoder *d, const struct calls *c, size_t i)
{
	struct span *s = &d->span[i];
	size_t at = first_with(c->call, c->n, (uint32_t)s->correlation);
	if (at == c->n && d->runtime[i]) {
		at = first_with(c->call, c->n, d->runtime[i]);
		if (at < c->n)
			s->correlation = d->runtime[i];
	}
	if (at == c->n)
		d->orphans++;
	else if (d->span[c->call[at].id].start_ns > s->start_ns)
		d->early++;
}

static void join_external(struct decoder *d, struct span *s)
{
	size_t at = first_with(d->external, d->n_external, (uint32_t)s->correlation);
	/* made here, so it may be changed here */
	struct span_facts *f = (struct span_facts *)(uintptr_t)s->facts;
	for (; at < d->n_external && d->external[at].correlation == s->correlation; at++) {
		const struct decoded_external *e = &d->external[at];
		if (e->kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
			s->external = e->id;
		else if (e->kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1 && f)
			f->range = e->id;
	}
}

static int by_start(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

void decode_finish(struct decoder *d)
{
	struct calls calls = calls_of(d);
	if (d->n_external)
		qsort(d->external, d->n_external, sizeof *d->external, by_correlation);
	for (size_t i = 0; i < d->n; i++)
		if (on_device(&d->span[i]))
			join_device_work(d, &calls, i);
	for (size_t i = 0; i < d->n; i++)
		if (d->span[i].correlation)
			join_external(d, &d->span[i]);
	free(calls.call);
	if (d->n)
		qsort(d->span, d->n, sizeof *d->span, by_start);
}

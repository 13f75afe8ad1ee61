/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/inject_trace.h"

#include "base/min_max.h"
#include "base/outfile.h"
#include "collect/inject/crash_proof_ring.h"
#include "collect/kineto_writer.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A ring that nobody writes to any more. */
struct mapped {
	const char *base;
	size_t bytes;
	const struct ring_head *head;
	const char *texts;
	uint32_t name_bytes;
	const struct ring_slot *slot;
};

static size_t ring_bytes(size_t slots)
{
	return RING_HEAD_BYTES + RING_NAME_BYTES + slots * sizeof(struct ring_slot);
}

static int map(struct mapped *m, const char *path, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	*m = (struct mapped){0};
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return fail_errno(err, "cannot read %s", path);
	}
	m->bytes = (size_t)st.st_size;
	void *base = S_ISREG(st.st_mode) && m->bytes >= ring_bytes(1)
		? mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, fd, 0)
		: MAP_FAILED;
	close(fd);
	if (base == MAP_FAILED)
		return fail(err, "%s is no ring", path);
	m->base = base;
	m->head = base;
	m->texts = m->base + RING_HEAD_BYTES;
	m->slot = (const void *)(m->texts + RING_NAME_BYTES);
	m->name_bytes = atomic_load(&m->head->name_bytes);
	if (m->head->magic == RING_MAGIC && m->head->slots &&
		ring_bytes(m->head->slots) == m->bytes && m->name_bytes <= RING_NAME_BYTES)
		return 0;
	munmap(base, m->bytes);
	return fail(err, "%s is no ring", path);
}

static void unmap(struct mapped *m)
{
	munmap((void *)(uintptr_t)m->base, m->bytes);
}

/* A range that had not ended when the program did: up to when it was last seen alive. */
static bool is_open(const struct ring_slot *s)
{
	return s->kind == SPAN_ANNOTATION && s->end_ns == RING_OPEN && s->start_ns > 0;
}

static int64_t end_of(const struct mapped *m, const struct ring_slot *s)
{
	int64_t alive_ns = atomic_load(&m->head->alive_ns);
	if (!is_open(s))
		return s->end_ns;
	return max64(alive_ns, s->start_ns);
}

/* A slot that was written to its end and not overtaken. */
static bool is_whole(const struct mapped *m, size_t i)
{
	uint64_t turn = atomic_load(&m->slot[i].turn), next = atomic_load(&m->head->next);
	int64_t end_ns = end_of(m, &m->slot[i]);
	return turn && (turn - 1) % m->head->slots == i && turn <= next &&
		next - turn < m->head->slots && m->slot[i].kind < SPAN_KINDS &&
		m->slot[i].start_ns >= 0 && end_ns >= m->slot[i].start_ns && end_ns < INT64_MAX / 2;
}

static const char *text_at(const struct mapped *m, uint32_t at)
{
	bool inside = at && at < m->name_bytes && memchr(m->texts + at, 0, m->name_bytes - at);
	return inside ? m->texts + at : "?";
}

static bool device_kind(uint8_t kind)
{
	return kind == SPAN_KERNEL || kind == SPAN_COPY || kind == SPAN_FILL || kind == SPAN_WAIT;
}

/* ---- what it is ---- */

int ring_look(struct ring_facts *f, struct arena *a, const char *path, struct err *err)
{
	struct mapped m;
	*f = (struct ring_facts){.path = path};
	if (map(&m, path, err))
		return -1;
	const struct ring_head *h = m.head;
	uint64_t next = atomic_load(&h->next);
	for (size_t i = 0; i < h->slots; i++)
		if (is_whole(&m, i)) {
			f->spans++;
			f->on_gpu = f->on_gpu || device_kind(m.slot[i].kind);
		}
	f->began_ns = h->began_ns;
	f->pid = (pid_t)h->pid;
	f->rank = h->world > 1 ? h->rank : -1;
	f->program = arena_strndup(a, h->program, strnlen(h->program, sizeof h->program));
	f->overtaken = next > h->slots ? next - h->slots : 0;
	f->lost = atomic_load(&h->lost) + atomic_load(&h->open);
	if (h->n_devices > 0)
		f->gpu = arena_strndup(
			a, h->device[0].name, strnlen(h->device[0].name, sizeof h->device[0].name));
	if (atomic_load(&h->cuda) == RING_REFUSED)
		f->refused = arena_strndup(a, h->reason, strnlen(h->reason, sizeof h->reason));
	unmap(&m);
	return 0;
}

/* ---- as a trace ---- */

static int multiprocessors(const struct mapped *m, uint32_t device)
{
	return device < RING_DEVICES ? m->head->device[device].multiprocessors : 0;
}

static const struct span_kernel *kernel_of(struct arena *a, const struct ring_slot *s, int sms)
{
	struct span_kernel *k = arena_alloc(a, sizeof *k);
	for (int i = 0; i < 3; i++) {
		k->grid[i] = s->grid[i];
		k->block[i] = s->block[i];
		k->cluster[i] = s->cluster[i];
	}
	k->registers = s->registers;
	k->static_shared_bytes = s->static_shared;
	k->dynamic_shared_bytes = s->dynamic_shared;
	k->local_bytes = s->local;
	double blocks = (double)s->grid[0] * s->grid[1] * s->grid[2];
	double warps = ceil((double)s->block[0] * s->block[1] * s->block[2] / 32);
	k->blocks_per_sm = sms > 0 ? blocks / sms : 0;
	k->warps_per_sm = k->blocks_per_sm * warps;
	return k;
}

static void take_span(struct arena *a, const struct mapped *m, size_t i, struct span *to)
{
	const struct ring_slot *s = &m->slot[i];
	const char *name = text_at(m, s->name);
	*to = (struct span){.start_ns = s->start_ns,
		.end_ns = end_of(m, s),
		.name = is_open(s) ? arena_printf(a, "%s (open at the end)", name) : name,
		.correlation = s->correlation,
		.bytes = s->bytes,
		.thread = s->thread,
		.kind = s->kind};
	if (s->kind == SPAN_ANNOTATION)
		return;
	struct span_facts *f = arena_alloc(a, sizeof *f);
	f->call = s->call;
	f->result = s->result;
	f->device = s->device < KINETO_DEVICES ? s->device : 0;
	f->context = s->context;
	f->graph = s->graph;
	f->graph_node = s->graph_node;
	if (s->kind == SPAN_WAIT)
		f->wait = to->name;
	if (s->kind == SPAN_KERNEL && s->grid[0])
		f->kernel = kernel_of(a, s, multiprocessors(m, s->device));
	to->facts = f;
}

/* In the order of their numbers, which is nearly that of time. */
static struct recording take_spans(
	struct arena *a, const struct mapped *m, struct kineto_window *window)
{
	size_t slots = m->head->slots, first = (size_t)(atomic_load(&m->head->next) % slots);
	struct span *cpu = arena_array(a, slots, sizeof *cpu);
	struct span *device = arena_array(a, slots, sizeof *device);
	struct recording r = {.cpu = cpu, .device = device};
	*window = (struct kineto_window){INT64_MAX, INT64_MIN};
	for (size_t k = 0; k < slots; k++) {
		size_t i = (first + k) % slots;
		if (!is_whole(m, i))
			continue;
		struct span *to =
			device_kind(m->slot[i].kind) ? &device[r.n_device++] : &cpu[r.n_cpu++];
		take_span(a, m, i, to);
		if (to->start_ns < window->start_ns)
			window->start_ns = to->start_ns;
		if (to->end_ns > window->end_ns)
			window->end_ns = to->end_ns;
	}
	return r;
}

static struct device_properties *properties_of(struct arena *a, const struct ring_head *h, int n)
{
	struct device_properties *all = arena_array(a, (size_t)n, sizeof *all);
	for (int i = 0; i < n; i++) {
		const struct ring_device *d = &h->device[i];
		all[i] = (struct device_properties){.id = i,
			.memory_bytes = d->memory_bytes,
			.name = arena_strndup(a, d->name, strnlen(d->name, sizeof d->name)),
#define COPY(member, attribute) .member = d->member,
			RING_DEVICE_NUMBERS(COPY)
#undef COPY
		};
	}
	return all;
}

static int write_trace(const struct mapped *m, const char *to, long rank, struct err *err)
{
	struct arena a = {0};
	struct kineto_window window;
	struct recording r = take_spans(&a, m, &window);
	struct rows rows = rows_of(&a, &r);
	const struct ring_head *h = m->head;
	int n = h->n_devices > 0 && h->n_devices <= RING_DEVICES ? h->n_devices : 0;
	uint64_t next = atomic_load(&h->next), overtaken = next > h->slots ? next - h->slots : 0;
	const struct device_number numbers[] = {{"cuda_driver_version", h->driver_version},
		{"cupti_version", h->cupti_version}, {"cupti_clock_offset_ns", h->clock_offset_ns}};
	const struct device_info info = {.number = numbers, .n_numbers = h->cupti_version ? 3 : 0};
	const char *slash = strrchr(to, '/');
	const char *program = arena_strndup(&a, h->program, strnlen(h->program, sizeof h->program));
	struct kineto k = {.trace_name = slash ? slash + 1 : to,
		.of_program = true,
		.rank = max64(rank, 0),
		.world = rank < 0 ? 0 : h->world,
		.process = program,
		.pid = (long)h->pid,
		.device = {.name = r.n_device ? program : NULL,
			.lane = "GPU 0",
			.call_category = "cuda_runtime",
			.driver_category = "cuda_driver"},
		.window = &window,
		.n_windows = 1,
		.dropped = (size_t)(overtaken + atomic_load(&h->lost) + atomic_load(&h->open)),
		.devices = properties_of(&a, h, n),
		.n_devices = (size_t)n,
		.info = &info};
	struct outfile out;
	int result = outfile_open_unnamed(&out, to, err);
	if (!result) {
		kineto_write(out.f, &k, &rows);
		result = outfile_close(&out, err);
	}
	arena_release(&a);
	return result;
}

int ring_write_trace(const char *ring, const char *to, long rank, struct err *err)
{
	struct mapped m;
	if (map(&m, ring, err))
		return -1;
	int result = write_trace(&m, to, rank, err);
	unmap(&m);
	return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/inject/crash_proof_ring.h"

#include "experiments/span.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char full[] = "(more names than there is room for)";

enum { TRIES = 100 };

static int rings_in(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;
	for (struct dirent *e; folder && (e = readdir(folder));)
		n += !strncmp(e->d_name, "ring.", 5);
	if (folder)
		closedir(folder);
	return n;
}

/* A process may have got its id, and its folder, from one that has run before it. */
static int make_file(const char *folder, size_t bytes, struct err *err)
{
	char path[4096];
	int fd = -1;
	for (int i = 0; i < TRIES && fd < 0; i++) {
		snprintf(path, sizeof path, "%s/ring.%d.%d", folder, (int)getpid(), i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return fail_errno(err, "cannot make %s", path);
	int why = posix_fallocate(fd, 0, (off_t)bytes);
	if (!why)
		return fd;
	unlink(path);
	close(fd);
	errno = why;
	return fail_errno(err, "no room for %s", path);
}

static void read_program(char *text, size_t room)
{
	FILE *f = fopen("/proc/self/comm", "re");
	if (!f || !fgets(text, (int)room, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* -1 when the environment has no such number. */
static int32_t number(const char *name)
{
	const char *text = getenv(name);
	long n = text && *text >= '0' && *text <= '9' ? strtol(text, NULL, 10) : -1;
	return n <= INT32_MAX ? (int32_t)n : -1;
}

/* By torchrun, mpirun or srun; a job of one process has no rank. */
static void read_rank(struct ring_head *head)
{
	static const char *const launchers[][2] = {{"RANK", "WORLD_SIZE"},
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"},
		{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !head->world; i++) {
		int32_t rank = number(launchers[i][0]), world = number(launchers[i][1]);
		if (rank < 0 || world < 2)
			continue;
		head->rank = rank;
		head->world = world;
	}
}

int ring_open(struct ring *r, const char *folder, struct err *err)
{
	size_t bytes = RING_HEAD_BYTES + RING_NAME_BYTES + sizeof(struct ring_slot) * RING_SLOTS;
	*r = (struct ring){.bytes = bytes};
	if (rings_in(folder) >= RING_MOST)
		return fail(err, "there are %d rings already", RING_MOST);
	int fd = make_file(folder, bytes, err);
	if (fd < 0)
		return -1;
	char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (base == MAP_FAILED)
		return fail_errno(err, "cannot map the ring");
	/* a child that forks makes its own */
	madvise(base, bytes, MADV_DONTFORK);
	pthread_mutex_init(&r->lock, NULL);
	names_init(&r->names);
	struct ring_head *head = (struct ring_head *)(void *)base;
	r->texts = base + RING_HEAD_BYTES;
	r->slot = (struct ring_slot *)(void *)(r->texts + RING_NAME_BYTES);
	memcpy(r->texts + 1, full, sizeof full);
	head->slots = RING_SLOTS;
	head->pid = (uint32_t)getpid();
	head->began_ns = clock_ns();
	atomic_store(&head->name_bytes, 1 + sizeof full);
	read_program(head->program, sizeof head->program);
	read_rank(head);
	head->magic = RING_MAGIC;
	r->head = head;
	return 0;
}

static uint32_t add_text(struct ring *r, const char *text)
{
	size_t n = strlen(text) + 1;
	uint32_t at = atomic_load(&r->head->name_bytes);
	if (n > RING_NAME_BYTES - at)
		return 1; /* the text that says so */
	memcpy(r->texts + at, text, n);
	atomic_store(&r->head->name_bytes, at + (uint32_t)n);
	return at;
}

uint32_t ring_name(struct ring *r, const char *text)
{
	pthread_mutex_lock(&r->lock);
	/* once they are full, what is new is not remembered either */
	bool no_room = atomic_load(&r->head->name_bytes) + strlen(text) >= RING_NAME_BYTES;
	name_id id = no_room ? names_find(&r->names, text) : names_add_text(&r->names, text);
	if (id >= r->n_offsets) {
		size_t n = (size_t)id * 2 + 64;
		r->offset = xrealloc(r->offset, n, sizeof *r->offset);
		memset(r->offset + r->n_offsets, 0, (n - r->n_offsets) * sizeof *r->offset);
		r->n_offsets = n;
	}
	if (!r->offset[id])
		r->offset[id] = no_room ? 1 : add_text(r, text);
	uint32_t at = r->offset[id];
	pthread_mutex_unlock(&r->lock);
	return at;
}

struct ring_slot *ring_take(struct ring *r, uint64_t *number)
{
	*number = atomic_fetch_add(&r->head->next, 1);
	struct ring_slot *s = &r->slot[*number % RING_SLOTS];
	atomic_store_explicit(&s->turn, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	return s;
}

void ring_done(struct ring_slot *s, uint64_t number)
{
	atomic_store_explicit(&s->turn, number + 1, memory_order_release);
}

struct ring_slot *ring_retake(struct ring *r, uint64_t number)
{
	struct ring_slot *s = &r->slot[number % RING_SLOTS];
	uint64_t turn = number + 1;
	return atomic_compare_exchange_strong(&s->turn, &turn, 0) ? s : NULL;
}

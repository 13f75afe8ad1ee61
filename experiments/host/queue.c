/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/host/queue.h"

#include "experiments/span.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void pause_cpu(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#endif
}

static bool cores_to_spare(void)
{
	cpu_set_t set;
	return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1;
}

static bool arrived(struct queue *q, uint32_t next)
{
	return atomic_load_explicit(&q->pushed, memory_order_acquire) != next;
}

static void look_for_work(struct queue *q, uint32_t next)
{
	enum { LOOKS_PER_CLOCK = 16 };
	int64_t end_ns = clock_ns() + QUEUE_SPIN_NS;
	do {
		for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
			if (arrived(q, next))
				return;
			pause_cpu();
		}
	} while (clock_ns() < end_ns);
}

/* The flag is raised before the last look and lowered after; the other side counts up before it
 * looks at the flag. One of the two always sees the other (all sequentially consistent). */
static void sleep_for_work(struct queue *q, uint32_t next)
{
	atomic_store(&q->asleep, 1);
	while (atomic_load(&q->pushed) == next)
		futex_wait(&q->pushed, next);
	atomic_store(&q->asleep, 0);
}

static void tell_done(struct queue *q, uint32_t done)
{
	atomic_store(&q->done, done);
	if (atomic_load(&q->waiting) && atomic_load(&q->target) == done)
		futex_wake(&q->done);
}

static void *queue_main(void *argument)
{
	struct queue *q = argument;
	pthread_setname_np(pthread_self(), "host queue");
	for (uint32_t next = 0;; next++) {
		if (q->spins && !arrived(q, next))
			look_for_work(q, next);
		if (!arrived(q, next))
			sleep_for_work(q, next);
		if (atomic_load_explicit(&q->stop, memory_order_relaxed))
			return NULL;
		q->run(q->context, &q->ring[next % QUEUE_ROOM]);
		tell_done(q, next + 1);
	}
}

int queue_start(struct queue *q, void (*run)(void *context, const struct work *w), void *context,
	struct err *err)
{
	q->run = run;
	q->context = context;
	q->spins = cores_to_spare();
	/* signals are for the program's own threads */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = pthread_create(&q->thread, NULL, queue_main, q);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (errno)
		return fail_errno(err, "host device: cannot start the queue's thread");
	q->started = true;
	return 0;
}

static void wait_until_done(struct queue *q, uint32_t target)
{
	atomic_store(&q->target, target);
	atomic_store(&q->waiting, 1);
	for (;;) {
		uint32_t done = atomic_load(&q->done);
		if ((int32_t)(done - target) >= 0)
			break;
		futex_wait(&q->done, done);
	}
	atomic_store(&q->waiting, 0);
}

static void publish(struct queue *q, uint32_t pushed)
{
	atomic_store(&q->pushed, pushed);
	if (atomic_load(&q->asleep))
		futex_wake(&q->pushed);
}

void queue_push(struct queue *q, const struct work *w)
{
	uint32_t next = atomic_load_explicit(&q->pushed, memory_order_relaxed);
	if (next - q->done_seen == QUEUE_ROOM)
		q->done_seen = atomic_load_explicit(&q->done, memory_order_acquire);
	if (next - q->done_seen == QUEUE_ROOM) {
		wait_until_done(q, next - QUEUE_ROOM + 1);
		q->done_seen = next - QUEUE_ROOM + 1;
	}
	q->ring[next % QUEUE_ROOM] = *w;
	publish(q, next + 1);
}

bool queue_idle(struct queue *q)
{
	return atomic_load_explicit(&q->done, memory_order_acquire) ==
		atomic_load_explicit(&q->pushed, memory_order_relaxed);
}

void queue_wait(struct queue *q)
{
	if (!queue_idle(q))
		wait_until_done(q, atomic_load_explicit(&q->pushed, memory_order_relaxed));
}

void queue_stop(struct queue *q)
{
	if (!q->started)
		return;
	queue_wait(q);
	/* one more count without an entry, so that a sleeping thread cannot miss it */
	atomic_store(&q->stop, true);
	publish(q, atomic_load_explicit(&q->pushed, memory_order_relaxed) + 1);
	pthread_join(q->thread, NULL);
	q->started = false;
}

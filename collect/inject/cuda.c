/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA by CUPTI: the recorder of experiments/cuda, emptied into the ring by a thread of ours. What
 * the program has left undone when it is ended (SIGKILL, _exit, a crash) is what was not yet
 * emptied: FLUSH_MS at most.
 */
#define _GNU_SOURCE
#include "base/min_max.h"
#include "collect/inject/inject.h"
#include "experiments/cuda/nvidia_libraries.h"
#include "experiments/cuda/recording.h"

#include <cuda.h>

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FLUSH_MS = 100, GRACE_MS = 300 };

static struct {
	struct cupti_recording recording;
	struct decoder decoder;
	struct arena arena; /* libraries' paths */
	struct arena spans; /* facts, until they are in the ring */
	struct names names;
	pthread_mutex_t lock; /* of all of it */
	pid_t pid;
	int wake; /* an eventfd: a signal came */
	volatile sig_atomic_t signal;
	bool stopped, devices_told;
	uint32_t teller; /* the thread that asked the driver for us, and when: its calls are ours */
	int64_t told_from_ns, told_to_ns;
} cuda = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1};

__attribute__((visibility("default"))) int InitializeInjection(void);

/* ---- into the ring ---- */

static void put_kernel(struct ring_slot *to, const struct span_kernel *k)
{
	for (int i = 0; i < 3; i++) {
		to->grid[i] = k->grid[i];
		to->block[i] = k->block[i];
		to->cluster[i] = (uint8_t)k->cluster[i];
	}
	to->registers = k->registers;
	to->static_shared = k->static_shared_bytes;
	to->dynamic_shared = k->dynamic_shared_bytes;
	to->local = k->local_bytes;
}

static void put_span(struct inject *in, const struct span *s)
{
	static const struct span_facts none;
	const struct span_facts *f = s->facts ? s->facts : &none;
	uint64_t number;
	bool call = s->kind == SPAN_LAUNCH || s->kind == SPAN_DRIVER || s->kind == SPAN_SYNC;
	bool ours = call && s->thread == cuda.teller && s->start_ns >= cuda.told_from_ns &&
		s->end_ns <= cuda.told_to_ns;
	if (ours || s->start_ns > in->end_ns || s->end_ns < in->start_ns)
		return;
	uint32_t name = ring_name(&in->ring, s->name);
	struct ring_slot *to = ring_take(&in->ring, &number);
	to->kind = s->kind;
	to->start_ns = s->start_ns;
	to->end_ns = s->end_ns;
	to->name = name;
	to->correlation = s->correlation;
	to->bytes = s->bytes;
	to->thread = s->thread;
	to->device = f->device;
	to->context = f->context;
	to->graph = f->graph;
	to->graph_node = f->graph_node;
	to->call = f->call;
	to->result = f->result;
	put_kernel(to, f->kernel ? f->kernel : &(struct span_kernel){0});
	ring_done(to, number);
}

static void empty(struct inject *in, bool all)
{
	struct decoder *d = &cuda.decoder;
	size_t unstamped = d->zero_stamped;
	recording_take(&cuda.recording, d, all);
	for (size_t i = 0; i < d->n; i++)
		put_span(in, &d->span[i]);
	atomic_fetch_add(
		&in->ring.head->lost, cuda.recording.dropped + (d->zero_stamped - unstamped));
	decoder_reset(d);
	arena_reset(&cuda.spans, (struct arena_mark){0});
}

/* ---- what the GPUs are ---- */

static void tell_device(struct ring_device *d, int number, int (*get)(int *, int, int),
	int (*name)(char *, int, int), int (*memory)(size_t *, int))
{
	size_t bytes = 0;
	int value = 0;
	if (name)
		name(d->name, sizeof d->name, number);
	if (memory && !memory(&bytes, number))
		d->memory_bytes = (int64_t)bytes;
#define ASK(member, attribute) \
	if (get && !get(&value, CU_DEVICE_ATTRIBUTE_##attribute, number)) \
		d->member = value;
	RING_DEVICE_NUMBERS(ASK)
#undef ASK
}

/* By the driver that the program itself has loaded, once it has made a context. */
static void tell_devices(struct inject *in)
{
	int (*count)(int *), (*version)(int *), (*get)(int *, int, int);
	int (*name)(char *, int, int), (*memory)(size_t *, int);
	int n = 0, v = 0;
	struct err ignored = {0};
	void *driver = library_open(&cuda.arena, &library_driver, NULL, &ignored);
	if (!driver)
		return;
	cuda.teller = (uint32_t)gettid();
	cuda.told_from_ns = clock_ns();
	*(void **)&count = dlsym(driver, "cuDeviceGetCount");
	*(void **)&version = dlsym(driver, "cuDriverGetVersion");
	*(void **)&get = dlsym(driver, "cuDeviceGetAttribute");
	*(void **)&name = dlsym(driver, "cuDeviceGetName");
	*(void **)&memory = dlsym(driver, "cuDeviceTotalMem_v2");
	if (!count || count(&n) || n < 1)
		return;
	if (version && !version(&v))
		in->ring.head->driver_version = v;
	for (int i = 0; i < n && i < RING_DEVICES; i++)
		tell_device(&in->ring.head->device[i], i, get, name, memory);
	in->ring.head->n_devices = min_int(n, RING_DEVICES);
	cuda.told_to_ns = clock_ns();
	cuda.devices_told = true;
}

/* ---- when ---- */

static void stop(struct inject *in)
{
	struct err ignored = {0};
	if (cuda.stopped)
		return;
	cuda.stopped = true;
	if (cuda.recording.on) {
		empty(in, true);
		recording_set(&cuda.recording, false, &ignored);
		empty(in, false);
	}
	recording_close(&cuda.recording);
}

/* On and off by the window; work that was launched in it has some time to end. */
static void look(struct inject *in)
{
	struct err err = {0};
	int64_t now_ns = clock_ns();
	if (cuda.stopped)
		return;
	if (inject_left_to_torch()) {
		stop(in);
		atomic_store(&in->ring.head->cuda, RING_LEFT_TO_TORCH);
	} else if (now_ns > in->end_ns + GRACE_MS * INT64_C(1000000)) {
		stop(in);
	} else if (now_ns >= in->start_ns && !cuda.recording.on) {
		if (recording_set(&cuda.recording, true, &err))
			snprintf(in->ring.head->reason, sizeof in->ring.head->reason, "%.255s",
				err.text);
		atomic_store(&in->ring.head->cuda, err.set ? RING_REFUSED : RING_RECORDED);
		in->ring.head->clock_offset_ns = cuda.recording.clock_offset_ns;
		if (err.set)
			stop(in);
	} else if (cuda.recording.on) {
		empty(in, false);
		atomic_store(&in->ring.head->alive_ns, now_ns);
		if (!cuda.devices_told && atomic_load(&in->ring.head->next))
			tell_devices(in);
	}
}

/* The signal was only noted; now that all is in the ring it does what it would have done. */
static void obey_signal(struct inject *in)
{
	int number = cuda.signal;
	pthread_mutex_lock(&cuda.lock);
	stop(in);
	pthread_mutex_unlock(&cuda.lock);
	signal(number, SIG_DFL);
	kill(getpid(), number);
}

static void *empty_now_and_then(void *unused)
{
	(void)unused;
	struct inject *in = inject_here();
	for (bool on = in != NULL; on;) {
		struct pollfd p = {cuda.wake, POLLIN, 0};
		int64_t left_ms = (in->start_ns - clock_ns()) / 1000000 + 1;
		bool early = left_ms > 0 && left_ms < FLUSH_MS;
		poll(&p, 1, early ? (int)left_ms : FLUSH_MS);
		if (cuda.signal) {
			obey_signal(in);
			return NULL;
		}
		pthread_mutex_lock(&cuda.lock);
		look(in);
		on = !cuda.stopped;
		pthread_mutex_unlock(&cuda.lock);
	}
	return NULL;
}

static void at_signal(int number)
{
	uint64_t one = 1;
	cuda.signal = number;
	ssize_t ignored = write(cuda.wake, &one, sizeof one);
	(void)ignored;
}

/* Only where nobody else has: a program that handles its signals ends in its own way. */
static void take_signal(int number)
{
	struct sigaction before, ours = {.sa_handler = at_signal, .sa_flags = SA_RESTART};
	if (!sigaction(number, NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
		before.sa_handler == SIG_DFL)
		sigaction(number, &ours, NULL);
}

static void at_end(void)
{
	struct inject *in = getpid() == cuda.pid ? inject_here() : NULL;
	if (!in)
		return;
	pthread_mutex_lock(&cuda.lock);
	if (!cuda.devices_told && cuda.recording.on)
		tell_devices(in);
	stop(in);
	pthread_mutex_unlock(&cuda.lock);
}

static int begin(struct inject *in, struct err *err)
{
	struct recording_options options = recording_options();
	pthread_t thread;
	sigset_t all, before;
	names_init(&cuda.names);
	if (recording_open(&cuda.recording, &cuda.arena, &options, err))
		return -1;
	in->ring.head->cupti_version = (int32_t)cuda.recording.cupti.version;
	decoder_init(&cuda.decoder, &cuda.recording.cupti, NULL, &cuda.spans, &cuda.names);
	cuda.pid = getpid();
	cuda.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	look(in);
	atexit(at_end);
	take_signal(SIGINT);
	take_signal(SIGTERM);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int why = pthread_create(&thread, NULL, empty_now_and_then, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!why)
		pthread_detach(thread);
	return 0;
}

/* Called by the CUDA driver when it is started. */
int InitializeInjection(void)
{
	struct err err = {0};
	struct inject *in = inject_here();
	if (!in || cuda.pid)
		return 1;
	if (begin(in, &err)) {
		snprintf(in->ring.head->reason, sizeof in->ring.head->reason, "%.255s", err.text);
		atomic_store(&in->ring.head->cuda, RING_REFUSED);
	}
	return 1;
}

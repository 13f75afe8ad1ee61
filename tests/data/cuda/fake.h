/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake.h - what the parts of the fake GPU share. README says what it is for.
 */
#ifndef TESTS_DATA_CUDA_FAKE_H
#define TESTS_DATA_CUDA_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is FAKE_CUDA set to this? */
bool fake_is(const char *how);

/* A call of the driver or the runtime library while it is recorded. */
struct fake_call {
	bool runtime;
	uint32_t number, correlation;
	int64_t start_ns;
};
struct fake_call fake_call_begin(bool runtime, uint32_t number);
void fake_call_end(const struct fake_call *call, uint32_t result);

/* Work of the device: done at once, or kept while a stream is captured. `run` gets `context`, which
 * is copied. */
struct fake_work {
	enum { FAKE_KERNEL, FAKE_COPY } kind;
	void (*run)(void *context);
	_Alignas(16) unsigned char context[512];
	const char *name; /* KERNEL */
	unsigned grid[3], block[3];
	int registers, shared_bytes, dynamic_shared_bytes;
	uint64_t bytes; /* COPY */
	int from, to, direction; /* COPY: CUPTI's numbers */
	unsigned stream;
};
void fake_work_put(const struct fake_work *w, const struct fake_call *call);

/* CUPTI's side; `graph` and `node` are 0 outside graphs. */
void fake_record_call(const struct fake_call *call, int64_t end_ns, uint32_t result);
void fake_record_work(const struct fake_work *w, uint32_t correlation, int64_t start_ns,
	int64_t end_ns, uint32_t graph, uint64_t node);
void fake_record_wait(uint32_t correlation, int64_t start_ns, int64_t end_ns);

/* Loads what CUDA_INJECTION64_PATH names, the first time. */
void fake_inject(void);

/* A kernel ran; counted while counters are on. */
void fake_count_kernel(void);

int64_t fake_now_ns(void);

/* Runs a kernel's function for every thread. */
typedef void fake_kernel(void *context);
/* One after the other; `together`: threads of a block may wait for each other (fake_threads.c). */
void fake_for_each_thread(const unsigned grid[3], const unsigned block[3], bool together,
	fake_kernel *kernel, void *context);

/* Runs the n threads of a block; `become` says which one runs next. */
typedef void fake_thread(unsigned thread);
void fake_block(unsigned n, fake_kernel *kernel, void *context, fake_thread *become);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block that wait for each other: each has a stack of its own, and whoever waits
 * lets the next one run. All threads of a block that have not ended wait equally often. */
#include "tests/data/cuda/fake.h"

#include <stdlib.h>
#include <ucontext.h>

enum { THREADS = 1024, STACK = 128 << 10 };

void emulated_wait(void); /* emulate_warp.cuh */

static struct {
	ucontext_t scheduler, thread[THREADS];
	char *stack;
	bool ended[THREADS];
	unsigned current, left; /* `left` have not ended */
	fake_kernel *kernel;
	void *context;
} block;

void emulated_wait(void)
{
	swapcontext(&block.thread[block.current], &block.scheduler);
}

static void run_thread(void)
{
	block.kernel(block.context);
	block.ended[block.current] = true;
}

void fake_block(unsigned n, fake_kernel *kernel, void *context, fake_thread *become)
{
	if (!block.stack)
		block.stack = malloc((size_t)THREADS * STACK);
	block.left = n;
	block.kernel = kernel;
	block.context = context;
	for (unsigned t = 0; t < n; t++) {
		ucontext_t *c = &block.thread[t];
		getcontext(c);
		c->uc_stack.ss_sp = block.stack + (size_t)t * STACK;
		c->uc_stack.ss_size = STACK;
		c->uc_link = &block.scheduler;
		makecontext(c, run_thread, 0);
		block.ended[t] = false;
	}
	while (block.left)
		for (unsigned t = 0; t < n; t++) {
			if (block.ended[t])
				continue;
			become(t);
			block.current = t;
			swapcontext(&block.scheduler, &block.thread[t]);
			block.left -= block.ended[t];
		}
}

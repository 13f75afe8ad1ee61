/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject.h - what tracebook-inject.so shares among its parts: one ring a process, and when to write
 * into it.
 *
 * The library gets into a program in two ways, both by NVIDIA's own doors: the NVTX that is
 * compiled into it loads the file named by NVTX_INJECTION64_PATH at its first range, and the CUDA
 * driver that of CUDA_INJECTION64_PATH when it is started. It prints nothing, and where it cannot
 * record it leaves the program alone. A process in which tracebook-torch-recorder.py is at work is
 * left to PyTorch's own profiler, since CUPTI takes one client a process.
 *
 * TRACEBOOK_INJECT tells where and when: "FOLDER START END", times in ns of CLOCK_REALTIME.
 *
 * The state of this library cannot be passed to callbacks that NVIDIA's libraries call without a
 * context, so there is one of it in a process.
 */
#ifndef COLLECT_INJECT_INJECT_H
#define COLLECT_INJECT_INJECT_H

#include "collect/inject/crash_proof_ring.h"

#include <stdbool.h>

struct inject {
	struct ring ring;
	char folder[4096];
	int64_t start_ns, end_ns; /* of the window */
};

/* The process's own, open; NULL when there is nothing to record in it. */
struct inject *inject_here(void);

/* The file of PyTorch's library of operators, if it is loaded here. */
const char *inject_torch_library(void);

/* Does PyTorch's own profiler record in this process (recorder_notes.h)? */
bool inject_left_to_torch(void);

/* gettid(), asked of the system once a thread. */
uint32_t inject_thread(void);

/* Is this the time to record? */
bool inject_in_window(const struct inject *in, int64_t at_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_facts.h - what /proc tells of a running process of ours. Linux only.
 */
#ifndef COLLECT_PROCESS_FACTS_H
#define COLLECT_PROCESS_FACTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* Has it PyTorch in it? */
bool process_has_torch(pid_t pid);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_choice.h - which device a run uses.
 */
#ifndef COLLECT_DEVICE_CHOICE_H
#define COLLECT_DEVICE_CHOICE_H

#include "base/arena.h"
#include "collect/child_process.h"
#include "experiments/device.h"

#include <stdio.h>

struct choice {
	const char *name; /* "host", "cuda" */
	const char *library; /* its shared object */
	struct device_info info; /* texts in the arena */
};

/* "auto|host|cuda": what may be wished, for a table of options; in the arena. */
const char *device_words(struct arena *a);

/* Lines of --version: what each device works with, as far as it is found without opening it, or why
 * the device does not load. */
void devices_print_libraries(FILE *f, struct arena *a, const char *program_folder);

/* `wish` is one of these words; "auto" and NULL take the best device that is there and opens, the
 * host after all others. Each device is opened in a process of its own. Fails with what is missing
 * and where it was looked for. */
int choose_device(struct choice *c, struct arena *a, const char *wish, const char *program_folder,
	struct interrupt *in, struct err *err);

#endif

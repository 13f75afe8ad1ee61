/*
 * choice.h - which device a run uses.
 */
#ifndef COLLECT_CHOICE_H
#define COLLECT_CHOICE_H

#include "base/arena.h"
#include "collect/child.h"
#include "experiments/device.h"

struct choice {
	const char *name; /* "host", "cuda" */
	const char *library; /* its shared object */
	struct device_info info; /* texts in the arena */
};

/* `wish` is "host", "cuda" or "auto": cuda when it is there and opens, else host. Each device is
 * opened in a process of its own. Fails with what is missing and where it was looked for. */
int choose_device(struct choice *c, struct arena *a, const char *wish, const char *program_folder,
	struct interrupt *in, struct err *err);

#endif

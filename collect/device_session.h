/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_session.h - a device's shared object, found and opened; in a child the open device with
 * everything that a workload needs around it.
 */
#ifndef COLLECT_DEVICE_SESSION_H
#define COLLECT_DEVICE_SESSION_H

#include "experiments/workload.h"

/* Where the shared object of the device `name` must lie: beside the program, in ../lib. */
const char *device_library(struct arena *a, const char *program_folder, const char *name);

/* Opens the shared object, which stays open until the process ends. NULL on failure. */
const struct device_ops *device_load(const char *library, struct err *err);

struct device_session {
	struct bench bench; /* lends the members below */
	struct recorder recorder; /* off until it is turned on */
	struct arena arena;
	struct names names;
};

/* `spec` is NULL for work that is no case; `room` is how many CPU spans fit. Close it also after a
 * failure. */
int device_session_open(struct device_session *s, const char *library, const struct case_spec *spec,
	size_t room, struct err *err);
void device_session_close(struct device_session *s);

#endif

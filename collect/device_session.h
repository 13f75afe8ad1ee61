/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_session.h - an open device with everything that a workload needs around it. Lives in a
 * child.
 */
#ifndef COLLECT_DEVICE_SESSION_H
#define COLLECT_DEVICE_SESSION_H

#include "experiments/workload.h"

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

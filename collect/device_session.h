/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_session.h - an open device with everything that a workload needs around it. Lives in a
 * child.
 */
#ifndef COLLECT_DEVICE_SESSION_H
#define COLLECT_DEVICE_SESSION_H

#include "experiments/workload.h"

struct station {
	struct bench bench; /* lends the members below */
	struct recorder recorder; /* off until it is turned on */
	struct arena arena;
	struct names names;
};

/* `spec` is NULL for work that is no case; `room` is how many CPU spans fit. Close it also after a
 * failure. */
int station_open(struct station *s, const char *library, const struct case_spec *spec, size_t room,
	struct err *err);
void station_close(struct station *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cupti_api.h - the functions of CUPTI that record activity, found while the program runs.
 */
#ifndef EXPERIMENTS_CUDA_CUPTI_API_H
#define EXPERIMENTS_CUDA_CUPTI_API_H

#include "base/arena.h"
#include "base/err.h"

#include <cupti.h>

#define CUPTI_FUNCTIONS(X) \
	X(cuptiGetVersion) \
	X(cuptiGetResultString) \
	X(cuptiGetCallbackName) \
	X(cuptiSubscribe_v2) \
	X(cuptiUnsubscribe) \
	X(cuptiSetThreadIdType) \
	X(cuptiGetTimestamp) \
	X(cuptiActivityRegisterCallbacks) \
	X(cuptiActivitySetAttribute) \
	X(cuptiActivityEnable) \
	X(cuptiActivityDisable) \
	X(cuptiActivityFlushAll) \
	X(cuptiActivityGetNextRecord) \
	X(cuptiActivityGetNumDroppedRecords) \
	X(cuptiActivityPushExternalCorrelationId) \
	X(cuptiActivityPopExternalCorrelationId)

struct cupti_api {
#define X(name) __typeof__(name) *name;
	CUPTI_FUNCTIONS(X)
#undef X
	void *library;
	const char *path; /* of libcupti, in the arena */
	uint32_t version; /* 130001 */
};

/* Needs no driver and no GPU. Refuses what is older than CUDA 12: its records are laid out
 * otherwise. */
int cupti_api_open(struct cupti_api *c, struct arena *a, struct err *err);

/* "what: what CUPTI says"; returns -1. */
int cupti_fail(const struct cupti_api *c, CUptiResult result, const char *what, struct err *err);

#endif

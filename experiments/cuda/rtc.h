/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtc.h - CUDA C++ source to machine code, while the program runs.
 */
#ifndef EXPERIMENTS_CUDA_RTC_H
#define EXPERIMENTS_CUDA_RTC_H

#include "base/arena.h"
#include "base/err.h"

#include <nvrtc.h>

#define RTC_FUNCTIONS(X) \
	X(nvrtcVersion) \
	X(nvrtcGetErrorString) \
	X(nvrtcCreateProgram) \
	X(nvrtcDestroyProgram) \
	X(nvrtcCompileProgram) \
	X(nvrtcGetProgramLogSize) \
	X(nvrtcGetProgramLog) \
	X(nvrtcGetCUBINSize) \
	X(nvrtcGetCUBIN) \
	X(nvrtcGetPTXSize) \
	X(nvrtcGetPTX)

struct rtc {
#define X(name) __typeof__(name) *name;
	RTC_FUNCTIONS(X)
#undef X
	const char *path; /* of libnvrtc, in the arena */
	int major, minor;
};

/* Needs no driver and no GPU. */
int rtc_open(struct rtc *r, struct arena *a, struct err *err);

struct rtc_code {
	char *bytes; /* malloc'ed; PTX ends with a NUL that is counted */
	size_t n;
};

enum rtc_kind { RTC_CUBIN, RTC_PTX };

/* `capability` is 90 for compute capability 9.0. `name` names the source in messages. On failure
 * the compiler's words are in the message and `code` is empty. */
int rtc_compile(const struct rtc *r, struct rtc_code *code, enum rtc_kind kind, const char *name,
	const char *source, int capability, struct err *err);

#endif

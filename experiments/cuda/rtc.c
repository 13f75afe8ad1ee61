/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/rtc.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rtc_fail(const struct rtc *r, nvrtcResult result, const char *what, struct err *err)
{
	return fail(err, "%s: NVRTC says \"%s\"", what, r->nvrtcGetErrorString(result));
}

int rtc_open(struct rtc *r, struct arena *a, struct err *err)
{
	void *library = library_open(a, &library_nvrtc, &r->path, err);
	if (!library)
		return -1;
#define X(name) \
	void *name##_found = library_function(library, &library_nvrtc, #name, err); \
	memcpy(&r->name, &name##_found, sizeof r->name);
	RTC_FUNCTIONS(X)
#undef X
	if (err->set)
		return -1;
	nvrtcResult result = r->nvrtcVersion(&r->major, &r->minor);
	return result ? rtc_fail(r, result, "asking for the version", err) : 0;
}

static int fail_with_log(const struct rtc *r, nvrtcProgram program, nvrtcResult result,
	const char *name, struct err *err)
{
	size_t n = 0;
	char *log = NULL;
	if (!r->nvrtcGetProgramLogSize(program, &n) && n > 1) {
		log = xcalloc(n + 1, 1);
		r->nvrtcGetProgramLog(program, log);
	}
	fail(err, "compiling %s: NVRTC says \"%s\"%s%.1500s", name, r->nvrtcGetErrorString(result),
		log ? ":\n" : "", log ? log : "");
	free(log);
	return -1;
}

static nvrtcResult take_code(
	const struct rtc *r, nvrtcProgram program, enum rtc_kind kind, struct rtc_code *code)
{
	nvrtcResult result = kind == RTC_PTX ? r->nvrtcGetPTXSize(program, &code->n)
					     : r->nvrtcGetCUBINSize(program, &code->n);
	if (result)
		return result;
	code->bytes = xalloc(code->n);
	return kind == RTC_PTX ? r->nvrtcGetPTX(program, code->bytes)
			       : r->nvrtcGetCUBIN(program, code->bytes);
}

int rtc_compile(const struct rtc *r, struct rtc_code *code, enum rtc_kind kind, const char *name,
	const char *source, int capability, struct err *err)
{
	char arch[64];
	const char *const options[] = {arch, "--std=c++17"};
	nvrtcProgram program;
	*code = (struct rtc_code){0};
	snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", kind == RTC_PTX ? "compute" : "sm",
		capability);
	nvrtcResult result = r->nvrtcCreateProgram(&program, source, name, 0, NULL, NULL);
	if (result)
		return rtc_fail(r, result, name, err);
	int status = 0;
	result = r->nvrtcCompileProgram(program, 2, options);
	if (result)
		status = fail_with_log(r, program, result, name, err);
	else if ((result = take_code(r, program, kind, code)))
		status = rtc_fail(r, result, name, err);
	if (status) {
		free(code->bytes);
		*code = (struct rtc_code){0};
	}
	r->nvrtcDestroyProgram(&program);
	return status;
}

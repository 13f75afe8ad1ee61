/* SPDX-License-Identifier: Apache-2.0 */
/* The driver, NVRTC and NVML: "machine code" is a shared object that g++ makes of the source. */
#define _GNU_SOURCE
#include "tests/data/cuda/fake.h"

#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the driver ---- */

/* As the driver does it: once, before anything else. */
void fake_inject(void)
{
	static bool done;
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*initialize)(void) = NULL;
	void *library = path && !done ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	done = true;
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize)
		initialize();
}

CUresult cuInit(unsigned flags)
{
	(void)flags;
	fake_inject();
	return fake_is("nodevice") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	(void)error;
	*text = "a fake failure of the driver";
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *n)
{
	*n = 1;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int room, CUdevice device)
{
	(void)device;
	snprintf(name, (size_t)room, "fake GPU (tests)");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	(void)device;
	*value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT	    ? 132
		: attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
									    : 1000 + (int)attribute;
	return CUDA_SUCCESS;
}

/* One context is all there is. */
CUresult cuCtxGetCurrent(CUcontext *context)
{
	static int one;
	*context = (CUcontext)&one;
	return CUDA_SUCCESS;
}

static int temporary(char path[64], const void *bytes, size_t n)
{
	snprintf(path, 64, "%s/fake_XXXXXX", P_tmpdir);
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		return -1;
	close(fd);
	return 0;
}

/* The code's first word is its length: the driver is not told how long it is. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	uint64_t n;
	char path[64];
	memcpy(&n, image, sizeof n);
	if (temporary(path, (const char *)image + sizeof n, n))
		return CUDA_ERROR_INVALID_IMAGE;
	*module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*module)
		fprintf(stderr, "%s\n", dlerror());
	unlink(path);
	return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

struct named_function {
	void (*function)(void *, void *, void *, void *, void *);
	char name[128];
	void *module;
	struct named_function *next;
};

static struct named_function *functions;

CUresult cuModuleUnload(CUmodule module)
{
	for (struct named_function **at = &functions; *at;) {
		struct named_function *f = *at;
		if (f->module != module) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		free(f);
	}
	dlclose(module);
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct named_function *f = calloc(1, sizeof *f);
	void *found = dlsym(module, name);
	memcpy(&f->function, &found, sizeof found);
	snprintf(f->name, sizeof f->name, "%s", name);
	f->module = module;
	f->next = functions;
	functions = f;
	*function = (CUfunction)f;
	return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

struct module_call {
	const struct named_function *f;
	void *pointer[5];
	unsigned grid[3], block[3];
};

static void one_thread(void *context)
{
	struct module_call *m = context;
	m->f->function(m->pointer[0], m->pointer[1], m->pointer[2], m->pointer[3], m->pointer[4]);
}

static void all_threads(void *context)
{
	struct module_call *m = context;
	fake_for_each_thread(m->grid, m->block, false, one_thread, m);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
	void **parameters, void **extra)
{
	struct fake_call call = fake_call_begin(false, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
	struct module_call m = {.f = (const struct named_function *)function,
		.grid = {grid_x, grid_y, grid_z},
		.block = {block_x, block_y, block_z}};
	struct fake_work w = {.kind = FAKE_KERNEL, .run = all_threads, .registers = 40};
	(void)shared, (void)stream, (void)extra;
	for (int i = 0; i < 5; i++)
		memcpy(&m.pointer[i], parameters[i], sizeof m.pointer[i]);
	memcpy(w.context, &m, sizeof m);
	memcpy(w.grid, m.grid, sizeof m.grid);
	memcpy(w.block, m.block, sizeof m.block);
	w.name = m.f->name;
	w.stream = 13;
	fake_work_put(&w, &call);
	fake_call_end(&call, 0);
	return CUDA_SUCCESS;
}

/* ---- NVRTC ---- */

static const char fake_threads[1];

struct _nvrtcProgram {
	char *source, *code, log[4096];
	size_t n;
};

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
	return result ? "a fake failure of the compiler" : "no error";
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
	int n_headers, const char *const *headers, const char *const *names)
{
	(void)name, (void)n_headers, (void)headers, (void)names;
	*program = calloc(1, sizeof **program);
	(*program)->source = strdup(source);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	free((*program)->source);
	free((*program)->code);
	free(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

static int read_all(const char *path, struct _nvrtcProgram *p)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	uint64_t n = (uint64_t)st.st_size;
	p->n = sizeof n + n;
	p->code = malloc(p->n);
	memcpy(p->code, &n, sizeof n);
	ssize_t got = read(fd, p->code + sizeof n, n);
	close(fd);
	return got == (ssize_t)n ? 0 : -1;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int n_options, const char *const *options)
{
	char source[64], code[80], command[512];
	Dl_info self; /* this library holds the thread's indices */
	(void)n_options, (void)options;
	if (!dladdr(fake_threads, &self) ||
		temporary(source, program->source, strlen(program->source)))
		return NVRTC_ERROR_COMPILATION;
	snprintf(code, sizeof code, "%s.so", source);
	setenv("FAKE_LIBRARY", self.dli_fname, 1); /* its path may hold whatever a shell reads */
	snprintf(command, sizeof command,
		"g++ -O1 -w -shared -fPIC -include "
		"\"${TRACEBOOK_TOP:-.}/tests/data/cuda/emulate.cuh\" -x c++ %s -x none "
		"\"$FAKE_LIBRARY\" -o %s",
		source, code);
	bool made = system(command) == 0 && read_all(code, program) == 0;
	unlink(source);
	unlink(code);
	snprintf(program->log, sizeof program->log, "%s", made ? "" : "g++ failed");
	return made ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *n)
{
	*n = strlen(program->log) + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
	memcpy(log, program->log, strlen(program->log) + 1);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *n)
{
	*n = program->n;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
	memcpy(code, program->code, program->n);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *n)
{
	return nvrtcGetCUBINSize(program, n);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *code)
{
	return nvrtcGetCUBIN(program, code);
}

/* ---- NVML: its header is nowhere, see experiments/cuda/clocks.h ---- */

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *version, unsigned room);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned room)
{
	snprintf(version, room, "999.99 (fake)");
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	*device = &*device;
	return strcmp(bus, "0000:FA:4E.0") ? 6 : 0;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
	(void)device;
	*mhz = clock == 1 ? 1980 : 3201;
	return 0;
}

int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
	return nvmlDeviceGetClockInfo(device, clock, mhz);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
	(void)device, (void)sensor;
	*celsius = 41;
	return 0;
}

/* Not every GPU tells its power. */
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt)
{
	(void)device;
	*milliwatt = 0;
	return 3;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	(void)device;
	*reasons = 1;
	return 0;
}

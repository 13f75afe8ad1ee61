/* SPDX-License-Identifier: Apache-2.0 */
/* Where NVIDIA's libraries are looked for, and what is said when they are not there. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/cupti_api.h"
#include "experiments/cuda/driver.h"
#include "experiments/cuda/nvidia_libraries.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char *candidates(const struct library_wish *wish)
{
	static char text[65536];
	struct arena a = {0};
	snprintf(text, sizeof text, "%s", library_candidates(&a, wish));
	arena_release(&a);
	return text;
}

static void before(const char *text, const char *first, const char *second)
{
	const char *at = strstr(text, first), *then = strstr(text, second);
	if (!at || !then || at > then)
		fail_msg("\"%s\" does not stand before \"%s\" in %s", first, second, text);
}

static void test_order(void **state)
{
	(void)state;
	setenv("TRACEBOOK_CUPTI", "/somewhere/my_cupti.so", 1);
	setenv("CUDA_HOME", "/opt/my-cuda", 1);
	const char *list = candidates(&library_cupti);
	before(list, "/somewhere/my_cupti.so", " libcupti.so.13");
	before(list, " libcupti.so.13", "/opt/my-cuda/lib64/libcupti.so.13");
	before(list, "/opt/my-cuda/lib64/libcupti.so.13", "/opt/my-cuda/extras/CUPTI/lib64/");
	before(list, "/opt/my-cuda/extras", "/usr/local/cuda/lib64/libcupti.so.13");
	unsetenv("TRACEBOOK_CUPTI");
	unsetenv("CUDA_HOME");
}

/* A folder in the variable, and packages beside the python3 of $PATH. */
static void test_folder_and_packages(void **state)
{
	(void)state;
	char top[256], lib[512], file[600];
	const char *place = getenv("TMPDIR"), *path = getenv("PATH");
	char *old_path = strdup(path ? path : "");
	snprintf(top, sizeof top, "%s/venv_XXXXXX", place ? place : P_tmpdir);
	assert_non_null(mkdtemp(top));
	setenv("A", top, 1);
	assert_int_equal(
		system("mkdir -p \"$A/bin\" \"$A/lib/python3.12/site-packages/nvidia/cu13/lib\" "
		       "&& touch \"$A/bin/python3\" && chmod +x \"$A/bin/python3\""),
		0);
	snprintf(lib, sizeof lib, "%s/bin", top);
	setenv("PATH", lib, 1);
	snprintf(file, sizeof file,
		"%s/bin/../lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", top);
	assert_non_null(strstr(candidates(&library_nvrtc), file));
	setenv("PATH", old_path, 1);
	setenv("TRACEBOOK_NVRTC", top, 1);
	snprintf(file, sizeof file, "%s/libnvrtc.so.13", top);
	assert_ptr_equal(strstr(candidates(&library_nvrtc), file), candidates(&library_nvrtc));
	unsetenv("TRACEBOOK_NVRTC");
	assert_int_equal(system("rm -rf \"$A\""), 0);
	free(old_path);
}

/* Not the one that a machine with a GPU has. */
static const struct library_wish missing = {
	"library of dreams", "TRACEBOOK_DREAMS", {"libdreams.so.7"}};

static void test_missing(void **state)
{
	(void)state;
	struct arena a = {0};
	struct err err = {0};
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_null(library_open(&a, &missing, NULL, &err));
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_non_null(strstr(err.text, "no library of dreams: libdreams.so.7 is missing"));
	assert_non_null(strstr(err.text, "libdreams.so.7 on the loader's path"));
	assert_non_null(strstr(err.text, "TRACEBOOK_DREAMS names another place"));
	assert_true(
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9 <
		1);
	arena_release(&a);
}

/* A file that is there but is no library says why. */
static void test_broken_file(void **state)
{
	(void)state;
	struct arena a = {0};
	struct err err = {0};
	char path[300];
	const char *place = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/broken_XXXXXX", place ? place : P_tmpdir);
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, "no library", 10) == 10);
	close(fd);
	setenv("TRACEBOOK_DREAMS", path, 1);
	assert_null(library_open(&a, &missing, NULL, &err));
	assert_non_null(strstr(err.text, path));
	unsetenv("TRACEBOOK_DREAMS");
	unlink(path);
	arena_release(&a);
}

/* The C++ library stands in for one that lacks what is wanted. */
static void test_wrong_library(void **state)
{
	(void)state;
	struct arena a = {0};
	struct err err = {0};
	struct driver driver = {0};
	setenv("TRACEBOOK_CUDA_DRIVER", "libm.so.6", 1);
	assert_int_equal(driver_open(&driver, &a, &err), -1);
	assert_non_null(strstr(err.text, "has no function cuInit"));
	unsetenv("TRACEBOOK_CUDA_DRIVER");
	arena_release(&a);
}

/* Without a driver CUPTI opens, tells its version and names functions. */
static void test_cupti_without_driver(void **state)
{
	(void)state;
	static const struct {
		CUpti_CallbackDomain domain;
		uint32_t number;
		const char *name;
	} names[] = {
		{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
			"cudaLaunchKernel_v7000"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
			"cudaDeviceSynchronize_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API,
			CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6000,
			"cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6000"},
		{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
			"cuLaunchKernel"},
		{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
			"cuLaunchKernelEx"},
	};
	struct arena a = {0};
	struct err err = {0};
	struct cupti_api cupti = {0};
	if (cupti_api_open(&cupti, &a, &err)) {
		print_message("%s\n", err.text);
		arena_release(&a);
		skip();
	}
	assert_true(cupti.version >= 130000);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *name = NULL;
		assert_int_equal(
			cupti.cuptiGetCallbackName(names[i].domain, names[i].number, &name), 0);
		assert_string_equal(name, names[i].name);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_folder_and_packages),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_broken_file),
		cmocka_unit_test(test_wrong_library),
		cmocka_unit_test(test_cupti_without_driver),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

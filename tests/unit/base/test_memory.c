/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine and its cgroups leave to a process, and how much of it a trace may take. */
#include "base/memory.h"

#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const size_t MB = 1 << 20;
static char root[4096];

static void put(const char *name, const char *text)
{
	struct err err = {0};
	struct outfile out;
	char path[4200];
	snprintf(path, sizeof path, "%s%s", root, name);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs(text, out.f);
	assert_int_equal(outfile_close(&out, &err), 0);
}

static int set_up(void **state)
{
	const char *folder = getenv("TMPDIR");
	(void)state;
	snprintf(root, sizeof root, "%s/memory.%d", folder ? folder : "/tmp", (int)getpid());
	return 0;
}

static void what_there_is(void **state)
{
	(void)state;
	size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	assert_true(memory_found("/nowhere") == all / 2);
	assert_in_range(memory_found(""), 1, all / 2);
}

/* The least of the group and all above it counts. */
static void cgroups(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/a.slice/b.scope\n");
	put("/sys/fs/cgroup/a.slice/memory.max", "104857600\n");
	put("/sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n");
	assert_true(memory_found(root) == 50 * MB);
	put("/sys/fs/cgroup/a.slice/b.scope/memory.max", "20971520\n");
	assert_true(memory_found(root) == 10 * MB);
	put("/proc/self/cgroup", "9:cpu:/\n4:memory:/c/d\n1:name=systemd:/\n0::/gone\n");
	put("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "8388608\n");
	put("/sys/fs/cgroup/memory/c/d/memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(memory_found(root) == 4 * MB);
	/* In a container the path is that of the host, and the top is the container's own. */
	put("/proc/self/cgroup", "0::/docker/0123\n");
	put("/sys/fs/cgroup/memory.max", "41943040\n");
	assert_true(memory_found(root) == 20 * MB);
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
	} good[] = {{"16M", 16u << 20}, {"0.5G", 512u << 20}, {"4g", (size_t)4 << 30},
		{"20000000", 20000000}, {"20480KiB", 20u << 20}, {"1.5GB", (size_t)3 << 29}};
	static const char *const bad[] = {
		"", "G", "15M", "-4G", "4X", "4Gi", "nan", "inf", "1e30", "4G ", "0"};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct err err = {0};
		assert_true(memory_of_text(good[i].text, &err) == good[i].bytes);
		assert_false(err.set);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};
		assert_true(memory_of_text(bad[i], &err) == 0);
		assert_true(err.set);
	}
}

static void shares(void **state)
{
	(void)state;
	memory_limit(0);
	assert_true(memory_for_trace() == SIZE_MAX);
	memory_limit(100 * MB);
	assert_true(memory_for_trace() == 40 * MB);
	memory_taken(40 * MB);
	assert_true(memory_for_trace() == 16 * MB);
	memory_taken(200 * MB);
	assert_true(memory_for_trace() == 4 * MB);
	memory_limit(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_there_is),
		cmocka_unit_test_setup(cgroups, set_up),
		cmocka_unit_test(sizes),
		cmocka_unit_test(shares),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A file that changes while it is read. */
#define _GNU_SOURCE
#include "report/parse/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int fd;
static char path[64];
static const char text[] = "0123456789";

static int begin(void **state)
{
	(void)state;
	fd = memfd_create("source", 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return fd < 0 || write(fd, text, 10) != 10;
}

static int end(void **state)
{
	(void)state;
	return close(fd);
}

/* Who writes as fast as we read would be read for ever. */
static void what_grows_is_read_as_it_was(void **state)
{
	(void)state;
	struct err err = {0};
	char got[64];
	struct source *s = source_open(path, 1, &err);
	assert_non_null(s);
	struct source *other = source_split(s, 4);
	assert_int_equal(write(fd, text, 10), 10);
	assert_int_equal(source_read(s, got, sizeof got), 10);
	assert_memory_equal(got, text, 10);
	assert_int_equal(source_read(s, got, sizeof got), 0);
	assert_int_equal(source_read(other, got, sizeof got), 6);
	assert_memory_equal(got, text + 4, 6);
	source_close(other);
	source_close(s);
}

static void what_shrinks_ends_early(void **state)
{
	(void)state;
	struct err err = {0};
	char got[64];
	struct source *s = source_open(path, 1, &err);
	assert_non_null(s);
	assert_int_equal(ftruncate(fd, 6), 0);
	assert_int_equal(source_read(s, got, sizeof got), 6);
	assert_int_equal(source_read(s, got, sizeof got), 0);
	source_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_grows_is_read_as_it_was, begin, end),
		cmocka_unit_test_setup_teardown(what_shrinks_ends_early, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

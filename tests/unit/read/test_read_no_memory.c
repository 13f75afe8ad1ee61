/* SPDX-License-Identifier: Apache-2.0 */
/* Reading without memory: whichever allocation is the one that fails, reading ends with one line
 * and status 1, or gives the same trace as ever; it never crashes and never gives another one. */
#define _GNU_SOURCE
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

/* How many allocations of this process are left before one fails; below 0: none will. */
static long left = -1;

static bool fails(void)
{
	return left >= 0 && !left--;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t bytes);

/* These stand before the C library's, for all that is loaded. */
void *malloc(size_t bytes)
{
	return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t bytes)
{
	return fails() ? NULL : __libc_realloc(old, bytes);
}

void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	return fails() ? MAP_FAILED : real(at, bytes, rights, flags, fd, offset);
}

enum { SAME = 0, REFUSED = 1, OTHER = 2, MORE = 3 };

/* In a process of its own, without its n-th allocation. MORE: as SAME, and there were fewer. */
static int read_without(const char *path, long n, uint64_t digest, char *said, size_t room)
{
	int pipes[2], status;
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (!child) {
		struct trace t;
		struct err err = {0};
		dup2(pipes[1], STDERR_FILENO);
		trace_init(&t);
		left = n;
		int failed = trace_read(&t, path, &(struct read_options){.threads = 1}, &err);
		bool unused = left >= 0;
		left = -1;
		if (failed)
			fprintf(stderr, "%s\n", err.text);
		_exit(failed ? REFUSED : trace_digest(&t) != digest ? OTHER : unused ? MORE : SAME);
	}
	close(pipes[1]);
	ssize_t k = 0;
	size_t used = 0;
	while (used < room - 1 && (k = read(pipes[0], said + used, room - 1 - used)) > 0)
		used += (size_t)k;
	said[used] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status))
		fail_msg("%s without allocation %ld: signal %d: %s", path, n, WTERMSIG(status),
			said);
	return WEXITSTATUS(status);
}

static void every_allocation(const char *path)
{
	struct trace t;
	struct err err = {0};
	char said[4096];
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){.threads = 1}, &err))
		fail_msg("%s", err.text);
	uint64_t digest = trace_digest(&t);
	trace_release(&t);
	for (long n = 0;; n++) {
		int result = read_without(path, n, digest, said, sizeof said);
		if (result == MORE) {
			assert_true(n > 20);
			return;
		}
		if (result == OTHER)
			fail_msg("%s without allocation %ld: another trace", path, n);
		if (result == REFUSED &&
			(!strstr(said, "no memory") || strchr(said, '\n') != strrchr(said, '\n')))
			fail_msg("%s without allocation %ld: %s", path, n, said);
	}
}

static void no_memory(void **state)
{
	(void)state;
	every_allocation("tests/data/read/era2024.json");
	every_allocation("tests/data/read/damaged.json");
	every_allocation("tests/data/read/amd.json");
	every_allocation("tests/data/read/two_members.json.gz");
}

#else

static void no_memory(void **state)
{
	(void)state;
	skip(); /* the sanitizer has these functions */
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

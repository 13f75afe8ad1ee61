/* SPDX-License-Identifier: Apache-2.0 */
#include "base/confine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static int may_write(const char *path)
{
	FILE *f = fopen(path, "w");
	int done = f && fputs("x", f) >= 0;
	return f ? !fclose(f) && done : 0;
}

/* In a child: the number of what it could do and must not, or could not and must. */
static int try_all(void)
{
	const char *outputs[] = {"in/out.pdf", "new/deep/svg", NULL, "-"};
	confine(outputs, 4);
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 1;
	execl("/bin/true", "true", (char *)NULL);
	if (errno != EPERM && errno != EACCES)
		return 2;
	FILE *f = fopen("/proc/self/status", "r");
	if (!f || fclose(f))
		return 3;
	if (!may_write("in/out.pdf") || rename("in/out.pdf", "in/other.pdf"))
		return 4;
	if (syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u) < 1)
		return SKIPPED;
	/* `new` is to be made, so its folder may be written. */
	if (may_write("../elsewhere") || errno != EACCES)
		return 5;
	if (!unlink("../victim") || mkdir("new", 0777) || !may_write("new/x"))
		return 6;
	return 0;
}

static void test_confined(void **state)
{
	char folder[512];
	(void)state;
	const char *place = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/tracebook-confine-XXXXXX", place ? place : "/tmp");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_true(may_write("victim"));
	assert_int_equal(mkdir("work", 0777), 0);
	assert_int_equal(chdir("work"), 0);
	assert_int_equal(mkdir("in", 0777), 0);
	pid_t child = fork();
	if (!child)
		_exit(try_all());
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		print_message("no Landlock in this kernel: writing was not tried\n");
	else
		assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_confined)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

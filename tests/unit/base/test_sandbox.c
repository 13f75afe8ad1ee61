/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

/* The sanitizers' own work keeps other processes allowed. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define PROCESSES
#endif

static int may_write(const char *path)
{
	FILE *f = fopen(path, "w");
	int done = f && fputs("x", f) >= 0;
	return f ? !fclose(f) && done : 0;
}

/* Of another process, or of a file that is no output: by name, or by what is open for reading. */
static int try_calls(const char *victim, pid_t parent)
{
	int fd = open(victim, O_RDONLY);
	const struct timespec times[2] = {{1, 0}, {1, 0}};
	struct stat st;
	int flags = 0;
	if (fd < 0)
		return 20;
	if (!truncate(victim, 0) || errno != EPERM)
		return 21;
	if (!chmod(victim, 0777) || !fchmod(fd, 0777) || !fchmodat(AT_FDCWD, victim, 0777, 0))
		return 22;
	if (!chown(victim, 1, 1) || !lchown(victim, 1, 1) || !fchown(fd, 1, 1))
		return 23;
	if (!utimensat(AT_FDCWD, victim, times, 0) || !futimens(fd, times))
		return 24;
	if (!setxattr(victim, "user.x", "y", 1, 0) || errno != EPERM)
		return 25;
	if (!fsetxattr(fd, "user.x", "y", 1, 0) || errno != EPERM)
		return 26;
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) || errno != EPERM)
		return 27;
	if (!kill(parent, 0) || errno != EPERM || !kill(1, 0) || kill(getpid(), 0))
		return 28;
	if (!unshare(CLONE_NEWUSER) || errno != EPERM)
		return 29;
	if (ioctl(STDIN_FILENO, TIOCSTI, "x") >= 0 || errno != EPERM)
		return 30;
	return stat(victim, &st) || st.st_size != 1 || (st.st_mode & 0777) == 0777 ||
			st.st_mtime == 1
		? 31
		: 0;
}

#ifdef PROCESSES
static void *nothing(void *at)
{
	return at;
}

/* Threads come, processes do not. */
static int try_processes(pid_t parent)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		return 40;
	if (fork() >= 0 || errno != EPERM)
		return 41;
	if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EPERM)
		return 42;
	return !ptrace(PTRACE_ATTACH, parent, NULL, NULL) ? 43 : 0;
}
#endif

/* In a child: the number of what it could do and must not, or could not and must. */
static int try_all(void)
{
	const char *outputs[] = {"in/out.pdf", "new/deep/svg", NULL, "-"};
	struct err err = {0};
	pid_t parent = getppid();
	if (sandbox(outputs, 4, &err))
		return 7;
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
	int done = try_calls("../victim", parent);
#ifdef PROCESSES
	done = done ? done : try_processes(parent);
#endif
	if (done)
		return done;
	if (syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u) < 1)
		return SKIPPED;
	/* `new` is to be made, so its folder may be written. */
	if (may_write("../elsewhere") || errno != EACCES)
		return 5;
	if (!unlink("../victim") || mkdir("new", 0777) || !may_write("new/x") ||
		!may_write("new/x"))
		return 6;
	return 0;
}

/* No file may be opened beyond those that are: the folder of an output cannot be looked at. */
static int try_without_files(void)
{
	const struct rlimit none = {4, 4};
	const char *outputs[] = {"in/out.pdf"};
	struct err err = {0};
	setrlimit(RLIMIT_NOFILE, &none);
	if (!sandbox(outputs, 1, &err))
		return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u) < 1 ? 0 : 1;
	return strstr(err.text, "Too many open files") ? 0 : 2;
}

static int status_of(int (*in_child)(void))
{
	int status;
	pid_t child = fork();
	if (!child)
		_exit(in_child());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
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
	int status = status_of(try_all);
	if (status == SKIPPED)
		print_message("no Landlock in this kernel: writing was not tried\n");
	else
		assert_int_equal(status, 0);
	assert_int_equal(status_of(try_without_files), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_confined)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

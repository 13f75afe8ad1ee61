/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/run_supervised.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

static sigset_t watched_set(void)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
		sigaddset(&set, watched[i]);
	return set;
}

/* execvp() says EACCES where a folder of PATH may not be searched, even if none has the command; a
 * shell has not found it then. */
static bool is_on_path(const char *name)
{
	const char *path = getenv("PATH");
	char place[PATH_MAX];
	for (size_t n; path && !strchr(name, '/'); path = path[n] ? path + n + 1 : NULL) {
		n = strcspn(path, ":");
		snprintf(place, sizeof place, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (!access(place, F_OK))
			return true;
	}
	return strchr(name, '/');
}

static _Noreturn void be_program(
	char *const *argv, const struct setting *settings, const sigset_t *mask, int tell)
{
	for (; settings->name; settings++)
		setenv(settings->name, settings->value, 1);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	int why = errno == EACCES && !is_on_path(argv[0]) ? ENOENT : errno;
	ssize_t told = write(tell, &why, sizeof why);
	_exit(told < 0 || why == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

int supervise_start(
	struct supervised *s, char *const *argv, const struct setting *settings, struct err *err)
{
	sigset_t set = watched_set(), before;
	int tell[2];
	*s = (struct supervised){.signals = -1};
	if (sigprocmask(SIG_BLOCK, &set, &before))
		return fail_errno(err, "cannot block signals");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0 || pipe2(tell, O_CLOEXEC))
		return fail_errno(err, "cannot watch a program");
	fflush(NULL);
	s->pid = fork();
	if (s->pid == 0)
		be_program(argv, settings, &before, tell[1]);
	close(tell[1]);
	if (s->pid < 0) {
		close(tell[0]);
		return fail_errno(err, "cannot start a process");
	}
	ssize_t n;
	do
		n = read(tell[0], &s->not_started, sizeof s->not_started);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof s->not_started)
		s->not_started = 0;
	close(tell[0]);
	return 0;
}

/* The terminal sends to all of its job at once (SI_KERNEL); anything else was meant for the program
 * that we stand for. */
static void hand_on(const struct supervised *s, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo != SIGCHLD && info->ssi_code != SI_KERNEL && s->pid > 0)
		kill(s->pid, (int)info->ssi_signo);
}

bool supervise_look(struct supervised *s)
{
	struct signalfd_siginfo info;
	while (read(s->signals, &info, sizeof info) == (ssize_t)sizeof info)
		hand_on(s, &info);
	if (s->pid > 0 && waitpid(s->pid, &s->status, WNOHANG) == s->pid)
		s->pid = 0;
	return s->pid == 0;
}

int supervise_status(const struct supervised *s)
{
	return WIFSIGNALED(s->status) ? 128 + WTERMSIG(s->status) : WEXITSTATUS(s->status);
}

_Noreturn void supervise_end_as(const struct supervised *s)
{
	if (WIFSIGNALED(s->status)) {
		/* the program has left its core already, if one was wanted */
		struct rlimit none = {0, 0};
		sigset_t set;
		int number = WTERMSIG(s->status);
		setrlimit(RLIMIT_CORE, &none);
		signal(number, SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, number);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		raise(number);
	}
	_exit(supervise_status(s));
}

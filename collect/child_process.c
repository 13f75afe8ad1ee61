/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/child_process.h"

#include "base/config.h"
#include "base/verbosity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- interrupts ---- */

static sigset_t ending_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

int interrupt_open(struct interrupt *in, struct err *err)
{
	sigset_t set = ending_signals();
	*in = (struct interrupt){.fd = -1};
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return fail_errno(err, "cannot block signals");
	in->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return in->fd < 0 ? fail_errno(err, "cannot watch signals") : 0;
}

void interrupt_close(struct interrupt *in)
{
	sigset_t set = ending_signals();
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int interrupt_seen(struct interrupt *in)
{
	struct signalfd_siginfo info;
	if (!in->signal && read(in->fd, &info, sizeof info) == (ssize_t)sizeof info)
		in->signal = (int)info.ssi_signo;
	return in->signal;
}

/* ---- the child's side ---- */

static void write_answer(const struct child_job *job, FILE *to)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct json_out j;
	struct err err = {0};
	if (!f)
		out_of_memory(0);
	json_init(&j, f);
	json_object(&j, NULL, JSON_INLINE);
	bool failed = job->run(job->context, &j, &err) != 0;
	if (!failed) {
		json_end(&j);
		json_finish(&j);
	}
	fclose(f);
	if (!failed) {
		fwrite(text, 1, n, to);
		return;
	}
	json_init(&j, to);
	json_object(&j, NULL, JSON_INLINE);
	json_text(&j, "failed", err.text);
	json_end(&j);
	json_finish(&j);
}

static _Noreturn void be_child(const struct child_job *job, pid_t parent, int answer, int talk)
{
	sigset_t set = ending_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (job->memory)
		setrlimit(RLIMIT_DATA, &(struct rlimit){job->memory, job->memory});
	dup2(talk, STDOUT_FILENO);
	dup2(talk, STDERR_FILENO);
	FILE *to = fdopen(answer, "w");
	if (!to)
		_exit(1);
	write_answer(job, to);
	fflush(stdout);
	_exit(fclose(to) ? 1 : 0);
}

/* ---- the parent's side ---- */

struct stream {
	int fd; /* -1 after the end */
	char *text; /* (n) and a NUL; owned */
	size_t n, room;
};

struct child {
	pid_t pid;
	struct stream answer, talk;
};

static int start(struct child *c, const struct child_job *job, struct err *err)
{
	int answer[2] = {-1, -1}, talk[2] = {-1, -1};
	pid_t parent = getpid();
	fflush(NULL);
	if (pipe2(answer, O_CLOEXEC) || pipe2(talk, O_CLOEXEC) || (c->pid = fork()) < 0) {
		fail_errno(err, "cannot start a process");
		for (int i = 0; i < 2; i++) {
			if (answer[i] >= 0)
				close(answer[i]);
			if (talk[i] >= 0)
				close(talk[i]);
		}
		return -1;
	}
	if (c->pid == 0)
		be_child(job, parent, answer[1], talk[1]);
	close(answer[1]);
	close(talk[1]);
	c->answer.fd = answer[0];
	c->talk.fd = talk[0];
	return 0;
}

/* Reads what is there; returns the bytes that came. */
static size_t take(struct stream *s)
{
	enum { AT_ONCE = 4096 };
	if (s->room - s->n < AT_ONCE + 1) {
		s->room = s->room * 2 + AT_ONCE + 1;
		s->text = xrealloc(s->text, s->room, 1);
	}
	ssize_t got = read(s->fd, s->text + s->n, AT_ONCE);
	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0) {
		close(s->fd);
		s->fd = -1;
		return 0;
	}
	s->n += (size_t)got;
	s->text[s->n] = '\0';
	return (size_t)got;
}

static void pass_on(const struct stream *talk, size_t got)
{
	if (got && got == talk->n && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (got)
		fwrite(talk->text + talk->n - got, 1, got, stderr);
}

/* Until both pipes are at their end, or a reason to end the child. */
static int listen_to(
	struct child *c, const struct child_job *job, struct interrupt *in, struct err *err)
{
	double end_s = talk_clock() + job->limit_s;
	while (c->answer.fd >= 0 || c->talk.fd >= 0) {
		double left_s = end_s - talk_clock();
		if (left_s <= 0)
			return fail(err, "not done after %.0f s: ended", job->limit_s);
		struct pollfd p[] = {
			{c->answer.fd, POLLIN, 0}, {c->talk.fd, POLLIN, 0}, {in->fd, POLLIN, 0}};
		int left_ms = left_s > 1e6 ? 1000000000 : (int)(left_s * 1e3) + 1;
		if (poll(p, 3, left_ms) < 0 && errno != EINTR)
			return fail_errno(err, "cannot wait for a process");
		if (interrupt_seen(in))
			return fail(err, "interrupted by %s", strsignal(in->signal));
		if (p[0].revents)
			take(&c->answer);
		size_t got = p[1].revents ? take(&c->talk) : 0;
		if (!job->held)
			pass_on(&c->talk, got);
	}
	return 0;
}

/* The last line that the child said, without its newline; "" if none. */
static const char *last_words(struct stream *talk)
{
	if (!talk->n)
		return "";
	while (talk->n && (talk->text[talk->n - 1] == '\n' || talk->text[talk->n - 1] == '\r'))
		talk->text[--talk->n] = '\0';
	const char *line = strrchr(talk->text, '\n');
	line = line ? line + 1 : talk->text;
	return line + strspn(line, " ");
}

static int judge_end(struct child *c, int status, struct err *err)
{
	const char *words = last_words(&c->talk);
	const char *colon = *words ? ": " : "";
	if (WIFSIGNALED(status))
		return fail(err, "its process was ended by signal %d (%s)%s%.300s",
			WTERMSIG(status), strsignal(WTERMSIG(status)), colon, words);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return fail(err, "its process ended with status %d%s%.300s", WEXITSTATUS(status),
			colon, words);
	return 0;
}

static cJSON *parse_answer(const struct stream *answer, struct err *err)
{
	cJSON *root = answer->n ? cJSON_Parse(answer->text) : NULL;
	const cJSON *failed = config_find(root, "failed");
	if (!root)
		fail(err, "its process gave no answer");
	else if (failed)
		fail(err, "%s", cJSON_GetStringValue(failed));
	if (!err->set)
		return root;
	cJSON_Delete(root);
	return NULL;
}

/* With `answer` NULL none is awaited. */
static int run_child(
	const struct child_job *job, cJSON **answer, struct interrupt *in, struct err *err)
{
	struct child c = {.answer = {.fd = -1}, .talk = {.fd = -1}};
	int status = 0;
	if (start(&c, job, err))
		return -1;
	if (listen_to(&c, job, in, err))
		kill(c.pid, SIGKILL);
	while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!err->set && !judge_end(&c, status, err) && job->held)
		pass_on(&c.talk, c.talk.n);
	if (!err->set && (answer || c.answer.n)) {
		cJSON *said = parse_answer(&c.answer, err);
		if (answer)
			*answer = said;
		else
			cJSON_Delete(said);
	}
	if (c.answer.fd >= 0)
		close(c.answer.fd);
	if (c.talk.fd >= 0)
		close(c.talk.fd);
	free(c.answer.text);
	free(c.talk.text);
	return err->set ? -1 : 0;
}

cJSON *child_run(const struct child_job *job, struct interrupt *in, struct err *err)
{
	cJSON *answer = NULL;
	run_child(job, &answer, in, err);
	return answer;
}

/* The pipe of the answer closes by itself when the program takes over. */
static int become(void *argv, struct json_out *answer, struct err *err)
{
	char *const *words = argv;
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	(void)answer;
	if (nowhere >= 0)
		dup2(nowhere, STDOUT_FILENO);
	execv(words[0], words);
	return fail_errno(err, "cannot run %s", words[0]);
}

int child_program(const char *const *argv, double limit_s, struct interrupt *in, struct err *err)
{
	void *words;
	memcpy(&words, &argv, sizeof words); /* execv() takes them without const and changes none */
	return run_child(
		&(struct child_job){
			.run = become, .context = words, .limit_s = limit_s, .held = true},
		NULL, in, err);
}

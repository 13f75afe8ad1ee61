/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_call.c - lets one single call that changes files fail, whichever process makes it.
 *
 * usage: fail_call FOLDER N ERRNO LOG COMMAND [ARGUMENT]...
 *
 * The Nth write, rename, mkdir, sync, close or creation below FOLDER, counted over the command and
 * all that it starts, fails with ERRNO (a number) and does nothing; 0: none fails. Each is a line
 * of LOG: its number, the call, the file. The status is the command's. N may also be a call and its
 * file as LOG names them ("rename svg"): the first such call fails.
 *
 * By the kernel's user notifications (Linux 5.5): no process is traced, so threads, children and
 * programs under sanitizers run as they do. Status 77: this kernel does not let us.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the file is named: by a descriptor or a path, and which argument that is. */
enum named { BY_FD, BY_PATH };

static const struct call {
	long number;
	const char *name;
	enum named by;
	int argument;
	int folder; /* argument with the folder of a relative path; -1: the current one */
	int flags; /* argument that must have O_CREAT; -1: none */
} calls[] = {
	{SYS_write, "write", BY_FD, 0, -1, -1},
	{SYS_writev, "write", BY_FD, 0, -1, -1},
	{SYS_pwrite64, "write", BY_FD, 0, -1, -1},
	{SYS_ftruncate, "truncate", BY_FD, 0, -1, -1},
	{SYS_fallocate, "allocate", BY_FD, 0, -1, -1},
	{SYS_copy_file_range, "write", BY_FD, 2, -1, -1},
	{SYS_fsync, "sync", BY_FD, 0, -1, -1},
	{SYS_fdatasync, "sync", BY_FD, 0, -1, -1},
	{SYS_close, "close", BY_FD, 0, -1, -1},
	{SYS_openat, "create", BY_PATH, 1, 0, 2},
	{SYS_mkdirat, "mkdir", BY_PATH, 1, 0, -1},
	{SYS_renameat, "rename", BY_PATH, 3, 2, -1},
	{SYS_renameat2, "rename", BY_PATH, 3, 2, -1},
#ifdef SYS_open
	{SYS_open, "create", BY_PATH, 0, -1, 1},
	{SYS_mkdir, "mkdir", BY_PATH, 0, -1, -1},
	{SYS_rename, "rename", BY_PATH, 1, -1, -1},
#endif
};

enum { CALLS = sizeof calls / sizeof *calls };

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(77);
}

static int listen_to_calls(void)
{
	struct sock_filter code[CALLS + 3];
	struct sock_fprog program = {CALLS + 3, code};
	code[0] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned)calls[i].number, (unsigned char)(CALLS - i), 0);
	code[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		die("no new privileges");
	/* A signal does not begin a call anew that waits for an answer: on a busy machine a timer
	 * would do so for ever. Kernels before 5.19 do not know it. */
	unsigned long once = 0;
#ifdef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	once = SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
#endif
	int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | once, &program);
	return fd >= 0 || !once ? fd
				: (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					  SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* ---- a descriptor through a socket: sendmsg() is none of the calls ---- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr head;
};

static void send_fd(int to, int fd)
{
	union control control = {0};
	char byte = 0;
	struct iovec one = {&byte, 1};
	struct msghdr m = {.msg_iov = &one,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control};
	control.head = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	if (sendmsg(to, &m, 0) != 1)
		_exit(77);
}

static int receive_fd(int from)
{
	union control control = {0};
	char byte;
	int fd = -1;
	struct iovec one = {&byte, 1};
	struct msghdr m = {.msg_iov = &one,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control};
	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && control.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

/* ---- which file ---- */

static bool link_of(char to[PATH_MAX], const char *path)
{
	ssize_t n = readlink(path, to, PATH_MAX - 1);
	to[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static bool path_of_call(char to[PATH_MAX], const struct seccomp_notif *n, const struct call *c)
{
	char name[64], text[PATH_MAX] = "", folder[PATH_MAX];
	snprintf(name, sizeof name, "/proc/%u/mem", n->pid);
	int memory = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t got = memory < 0
		? -1
		: pread(memory, text, sizeof text - 1, (off_t)n->data.args[c->argument]);
	if (memory >= 0)
		close(memory);
	if (got <= 0 || !*text)
		return false;
	int fd = c->folder < 0 ? AT_FDCWD : (int)n->data.args[c->folder];
	if (fd == AT_FDCWD)
		snprintf(name, sizeof name, "/proc/%u/cwd", n->pid);
	else
		snprintf(name, sizeof name, "/proc/%u/fd/%d", n->pid, fd);
	if (*text == '/')
		return snprintf(to, PATH_MAX, "%s", text) < PATH_MAX;
	return link_of(folder, name) && snprintf(to, PATH_MAX, "%s/%s", folder, text) < PATH_MAX;
}

static bool file_of(char to[PATH_MAX], const struct seccomp_notif *n, const struct call *c)
{
	char name[64];
	if (c->flags >= 0 && !(n->data.args[c->flags] & O_CREAT))
		return false;
	if (c->by == BY_PATH)
		return path_of_call(to, n, c);
	snprintf(name, sizeof name, "/proc/%u/fd/%d", n->pid, (int)n->data.args[c->argument]);
	struct stat st;
	return link_of(to, name) && !stat(name, &st) && S_ISREG(st.st_mode);
}

/* What a close of a file for reading finds is no loss, and a folder that is there is not made. */
static bool counts(const struct seccomp_notif *n, const struct call *c, const char *file)
{
	struct stat st;
	if (!strcmp(c->name, "mkdir"))
		return lstat(file, &st) != 0;
	if (strcmp(c->name, "close") != 0)
		return true;
	char name[64], line[256];
	bool writes = false;
	snprintf(name, sizeof name, "/proc/%u/fdinfo/%d", n->pid, (int)n->data.args[0]);
	FILE *f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "flags:", 6))
			writes = (strtol(line + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
	if (f)
		fclose(f);
	return writes;
}

static const struct call *find(long number)
{
	for (int i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* ---- */

struct fault {
	const char *folder;
	const char *named; /* call and file, until it has failed */
	long at, n;
	int error;
	FILE *log;
};

static int judge(struct fault *f, const struct seccomp_notif *n)
{
	const struct call *c = find(n->data.nr);
	char file[PATH_MAX];
	size_t length = strlen(f->folder);
	if (!c || !file_of(file, n, c) || strncmp(file, f->folder, length) != 0 ||
		file[length] != '/' || !counts(n, c, file))
		return 0;
	char what[PATH_MAX + 16];
	snprintf(what, sizeof what, "%s %s", c->name, file + length + 1);
	fprintf(f->log, "%ld %s\n", ++f->n, what);
	if (f->named && !strcmp(what, f->named)) {
		f->named = NULL;
		f->at = f->n;
	}
	return f->n == f->at ? f->error : 0;
}

static void answer(struct fault *f, int listener)
{
	struct seccomp_notif n = {0};
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n))
		return;
	int error = judge(f, &n);
	struct seccomp_notif_resp r = {.id = n.id,
		.error = -error,
		.flags = error ? 0 : (unsigned)SECCOMP_USER_NOTIF_FLAG_CONTINUE};
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
}

/* Until the last process with the filter is gone. */
static void supervise(struct fault *f, int listener)
{
	for (;;) {
		struct pollfd p = {listener, POLLIN, 0};
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return;
		if (p.revents & POLLIN)
			answer(f, listener);
		else if (p.revents & POLLHUP)
			return;
	}
}

int main(int argc, char **argv)
{
	int pair[2], status = 0;
	char folder[PATH_MAX];
	if (argc < 6 || !realpath(argv[1], folder))
		return 2;
	struct fault f = {.folder = folder,
		.named = strchr(argv[2], ' ') ? argv[2] : NULL,
		.at = strtol(argv[2], NULL, 10),
		.error = (int)strtol(argv[3], NULL, 10),
		.log = fopen(argv[4], "we")};
	if (!f.log || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		die(argv[4]);
	pid_t pid = fork();
	if (pid == 0) {
		int listener = listen_to_calls();
		if (listener < 0)
			_exit(77);
		send_fd(pair[1], listener);
		execvp(argv[5], argv + 5);
		_exit(127);
	}
	close(pair[1]);
	int listener = receive_fd(pair[0]);
	if (listener >= 0)
		supervise(&f, listener);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	fclose(f.log);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

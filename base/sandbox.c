/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/sandbox.h"

#if defined __linux__ && !defined PLAIN_POSIX

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

/* The leak checker ends by looking at the process from another one. */
#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED
#endif

#ifdef OUR_ARCH

enum { X32 = 0x40000000 };

/* Newer than some headers; the same on every machine. */
enum { FCHMODAT2 = 452, SETXATTRAT = 463, REMOVEXATTRAT = 466, FILE_SETATTR = 469 };

/* io_uring could do what the others are refused; clone3 hides what it asks for, and the C library
 * does with clone where it is not there. */
static const uint32_t refused[] = {
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_execve,
	SYS_execveat,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_keyctl,
	SYS_add_key,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_userfaultfd,
	SYS_truncate,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fchownat,
	SYS_utimensat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_pidfd_send_signal,
	SYS_pidfd_open,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_tkill,
	FCHMODAT2,
	SETXATTRAT,
	REMOVEXATTRAT,
	FILE_SETATTR,
#ifdef SYS_chmod
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
	SYS_fork,
	SYS_vfork,
#endif
#ifndef SANITIZED
	SYS_ptrace,
#endif
};

/* A call that stays for this value of an argument; rows of one call stand together. */
struct bounded {
	uint32_t call;
	int argument; /* 0 is the first */
	uint32_t value;
	bool bit; /* the value is a bit that it must have */
};

/* A program, its parts counted while they are added. */
struct filter {
	struct sock_filter code[256];
	unsigned short n;
};

static void add(struct filter *f, struct sock_filter step)
{
	if (f->n == sizeof f->code / sizeof *f->code)
		bug("confine: the filter has no room");
	f->code[f->n++] = step;
}

static void load(struct filter *f, size_t offset)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void end(struct filter *f, uint32_t with)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, with));
}

/* The next step but where the number is this one. */
static void unless(struct filter *f, uint16_t test, uint32_t value, uint32_t then)
{
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, 1));
	end(f, then);
}

static const uint32_t REFUSE = SECCOMP_RET_ERRNO | EPERM, ALLOW = SECCOMP_RET_ALLOW;

/* The low half of the argument; the high one of these is not looked at by the kernel either. */
static void add_bounded(struct filter *f, const struct bounded *b, int n)
{
	for (int i = 0; i < n;) {
		int same = 1;
		while (i + same < n && b[i + same].call == b[i].call)
			same++;
		/* Over the load, each test with its end, and the refusal. */
		add(f,
			(struct sock_filter)BPF_JUMP(
				BPF_JMP | BPF_JEQ | BPF_K, b[i].call, 0, (uint8_t)(2 * same + 2)));
		load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)b[i].argument);
		for (int k = 0; k < same; k++)
			unless(f, b[i + k].bit ? BPF_JSET : BPF_JEQ, b[i + k].value, ALLOW);
		end(f, REFUSE);
		i += same;
	}
}

/* No process of its own, signals to itself, and of terminals only what they are. */
static void refuse_by_argument(struct filter *f)
{
	uint32_t self = (uint32_t)getpid();
	const struct bounded bounded[] = {
#ifndef SANITIZED
		{SYS_clone, 0, CLONE_THREAD, true},
#endif
		{SYS_kill, 0, self, false},
		{SYS_tgkill, 0, self, false},
		{SYS_ioctl, 1, TCGETS, false},
		{SYS_ioctl, 1, TIOCGWINSZ, false},
	};
	add_bounded(f, bounded, sizeof bounded / sizeof *bounded);
}

static void refuse_calls(void)
{
	struct filter f = {.n = 0};
	load(&f, offsetof(struct seccomp_data, arch));
	add(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0));
	end(&f, REFUSE);
	load(&f, offsetof(struct seccomp_data, nr));
	unless(&f, BPF_JGE, X32, REFUSE);
	unless(&f, BPF_JEQ, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		unless(&f, BPF_JEQ, refused[i], REFUSE);
	refuse_by_argument(&f);
	end(&f, ALLOW);
	const struct sock_fprog program = {f.n, f.code};
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static void refuse_calls(void)
{
}

#endif

/* Rights that the headers of older systems do not name. */
static const uint64_t RIGHT_TRUNCATE = 1 << 14, RIGHT_IOCTL_DEVICE = 1 << 15;
enum { KNOWS_TRUNCATE = 3, KNOWS_IOCTL_DEVICE = 5 };

/* What the kernel knows of the rights, as it is asked for none that it does not. */
struct rights {
	uint64_t outputs; /* what a rule gives back for their folders */
	uint64_t never; /* what nobody gets back */
};

static struct rights rights_of(int version)
{
	return (struct rights){.outputs = LANDLOCK_ACCESS_FS_WRITE_FILE |
			LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			(version >= KNOWS_TRUNCATE ? RIGHT_TRUNCATE : 0),
		.never = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
			LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM |
			(version >= KNOWS_IOCTL_DEVICE ? RIGHT_IOCTL_DEVICE : 0)};
}

/* A ruleset in hand. */
struct rules {
	int fd;
	struct rights rights;
};

static int allow_folder(const struct rules *r, const char *folder, struct err *err)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = r->rights.outputs, .parent_fd = open(folder, O_PATH | O_CLOEXEC)};
	if (rule.parent_fd < 0)
		return fail_errno(err, "cannot open %s, where something is to be written", folder);
	syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The path if it is a folder, else the nearest folder above it that is there. */
static int allow_near(const struct rules *r, const char *path, struct err *err)
{
	char *text = xstrdup(path), *folder = text;
	while (!is_folder(folder) && strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0)
		folder = dirname(folder);
	int result = allow_folder(r, folder, err);
	free(text);
	return result;
}

static int allow_output(const struct rules *r, const char *path, struct err *err)
{
	char *real = realpath(path, NULL); /* written in place through a link */
	int result = real ? allow_near(r, real, err) : 0;
	free(real);
	return result ? result : allow_near(r, path, err);
}

static int refuse_writing(const char *const *outputs, int n, struct err *err)
{
	int version =
		(int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct rules r = {.rights = rights_of(version)};
	const struct landlock_ruleset_attr all = {
		.handled_access_fs = r.rights.outputs | r.rights.never};
	errno = 0;
	r.fd = version < 1
		? -1
		: (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
	if (r.fd < 0)
		return errno == EMFILE || errno == ENFILE
			? fail_errno(err, "cannot give up what is not needed")
			: 0;
	int result = 0;
	for (int i = 0; i < n && !result; i++)
		if (outputs[i] && strcmp(outputs[i], "-") != 0)
			result = allow_output(&r, outputs[i], err);
	if (!result)
		syscall(SYS_landlock_restrict_self, r.fd, 0);
	close(r.fd);
	return result;
}

int sandbox(const char *const *outputs, int n, struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 0;
	if (refuse_writing(outputs, n, err))
		return -1;
	refuse_calls();
	return 0;
}

#else

int sandbox(const char *const *outputs, int n, struct err *err)
{
	(void)outputs;
	(void)n;
	(void)err;
	return 0;
}

#endif

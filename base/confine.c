/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/confine.h"

#if defined __linux__ && !defined PLAIN_POSIX

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_ARCH

/* io_uring could do what the others are refused. */
static const uint32_t refused[] = {SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_execve,
	SYS_execveat, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf,
	SYS_perf_event_open, SYS_process_vm_readv, SYS_process_vm_writev, SYS_keyctl, SYS_add_key,
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd};

enum { REFUSED = sizeof refused / sizeof *refused, X32 = 0x40000000, BEFORE = 5 };

static void refuse_calls(void)
{
	struct sock_filter code[BEFORE + REFUSED + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, REFUSED + 1, 0),
	};
	for (int i = 0; i < REFUSED; i++)
		code[BEFORE + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, refused[i], (uint8_t)(REFUSED - i), 0);
	code[BEFORE + REFUSED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[BEFORE + REFUSED + 1] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	const struct sock_fprog program = {sizeof code / sizeof *code, code};
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static void refuse_calls(void)
{
}

#endif

/* What a rule gives back for the folders of the outputs. */
static const uint64_t WRITING = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
	LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;

/* What nobody gets back. */
static const uint64_t NEVER = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
	LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK |
	LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;

static void allow_folder(int rules, const char *folder)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = WRITING, .parent_fd = open(folder, O_PATH | O_CLOEXEC)};
	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

static int is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The path if it is a folder, else the nearest folder above it that is there. */
static void allow_near(int rules, const char *path)
{
	char *text = xstrdup(path), *folder = text;
	while (!is_folder(folder) && strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0)
		folder = dirname(folder);
	allow_folder(rules, folder);
	free(text);
}

static void refuse_writing(const char *const *outputs, int n)
{
	const struct landlock_ruleset_attr all = {.handled_access_fs = WRITING | NEVER};
	int rules =
		(int)syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
	if (rules < 0)
		return;
	for (int i = 0; i < n; i++) {
		if (!outputs[i] || !strcmp(outputs[i], "-"))
			continue;
		char *real = realpath(outputs[i], NULL); /* written in place through a link */
		if (real)
			allow_near(rules, real);
		free(real);
		allow_near(rules, outputs[i]);
	}
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

void confine(const char *const *outputs, int n)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return;
	refuse_writing(outputs, n);
	refuse_calls();
}

#else

void confine(const char *const *outputs, int n)
{
	(void)outputs;
	(void)n;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fabric.h - the daemon's side of the protocol by which PyTorch's profiler asks for work.
 *
 * libkineto, which is in every PyTorch since 2.0, asks a daemon for work when KINETO_USE_DAEMON is
 * set. Daemon and processes are AF_UNIX datagram sockets in one folder (KINETO_IPC_SOCKET_DIR); the
 * daemon's is called "dynolog". A message is one datagram: the size of its content (8 bytes), its
 * type (32 bytes, ended by a NUL), the content. Two types are known, both in the byte order of the
 * machine:
 *
 *   "ctxt"  int32 gpu, int32 pid, int64 job                a process registers; the answer, of the
 *                                                          same type, is the int32 count of them
 *   "req"   int32 type, int32 n, int64 job, int32 pids[n]  a process asks, itself first, then its
 *                                                          ancestors; the answer, of the same type,
 *                                                          is the text of a configuration
 * (request.h)
 *
 * A process waits about 90 ms for its answer and asks again some seconds later. Whoever can write
 * into the folder can send anything, so a message is believed only when every size in it fits the
 * datagram and the kernel says that a process of our own user sent it.
 */
#ifndef COLLECT_FABRIC_H
#define COLLECT_FABRIC_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

enum fabric_kind { FABRIC_CONTEXT, FABRIC_REQUEST };

enum {
	FABRIC_ANCESTORS = 64, /* libkineto names at most 11 */
	FABRIC_FOLDER = 54, /* bytes of the folder's path at most: a client adds a name of 52 to it
			       and does not look whether that fits into sun_path */
	/* Bits of a request's type: what the process could start now. */
	FABRIC_EVENTS = 1,
	FABRIC_ACTIVITIES = 2 /* missing while a profiler is at work in the process */
};

struct fabric_message {
	enum fabric_kind kind;
	int32_t pid; /* as the process says itself; of a namespace of its own in a container */
	int32_t gpu; /* CONTEXT */
	int32_t type; /* REQUEST: bits */
	int64_t job; /* SLURM_JOB_ID, or 0 */
};

/* What is in a datagram of n bytes. -1 when it is not whole, not known, or its sizes are wrong. */
int fabric_parse(struct fabric_message *m, const void *datagram, size_t n);

struct fabric {
	int fd;
	char path[FABRIC_FOLDER + 16];
	size_t refused; /* messages that were not believed */
};

/* A message and who sent it. */
struct fabric_call {
	struct fabric_message message;
	pid_t sender; /* as the kernel says, in our namespace */
	struct sockaddr_un from;
	socklen_t from_bytes;
};

/* Makes the daemon's socket in `folder`, which must be ours alone. */
int fabric_open(struct fabric *f, const char *folder, struct err *err);

/* Closes it and removes its name. */
void fabric_close(struct fabric *f);

/* The next message that can be believed, never waiting. Returns 1, or 0 when there is none. */
int fabric_receive(struct fabric *f, struct fabric_call *call);

/* Never waits; a process that does not listen gets nothing and asks again. */
void fabric_answer(struct fabric *f, const struct fabric_call *call, const void *content, size_t n);

#endif

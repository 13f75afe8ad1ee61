/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/fabric.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TYPE_BYTES = 32, HEAD_BYTES = 8 + TYPE_BYTES, ANSWER_BYTES = 16384 };

static const char *const type_names[] = {[FABRIC_CONTEXT] = "ctxt", [FABRIC_REQUEST] = "req"};

static int32_t int32_at(const unsigned char *bytes)
{
	int32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static int64_t int64_at(const unsigned char *bytes)
{
	int64_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static int parse_context(struct fabric_message *m, const unsigned char *content, size_t n)
{
	if (n != 16)
		return -1;
	m->gpu = int32_at(content);
	m->pid = int32_at(content + 4);
	m->job = int64_at(content + 8);
	return m->pid > 0 ? 0 : -1;
}

static int parse_request(struct fabric_message *m, const unsigned char *content, size_t n)
{
	if (n < 16)
		return -1;
	int32_t pids = int32_at(content + 4);
	if (pids < 1 || pids > FABRIC_ANCESTORS || n != 16 + 4 * (size_t)pids)
		return -1;
	m->type = int32_at(content);
	m->job = int64_at(content + 8);
	m->pid = int32_at(content + 16);
	return m->pid > 0 && !(m->type & ~(FABRIC_EVENTS | FABRIC_ACTIVITIES)) ? 0 : -1;
}

int fabric_parse(struct fabric_message *m, const void *datagram, size_t n)
{
	const unsigned char *bytes = datagram;
	uint64_t size;
	*m = (struct fabric_message){0};
	if (n < HEAD_BYTES)
		return -1;
	memcpy(&size, bytes, sizeof size);
	const char *type = (const char *)bytes + sizeof size;
	if (size != n - HEAD_BYTES || !memchr(type, '\0', TYPE_BYTES))
		return -1;
	if (!strcmp(type, type_names[FABRIC_CONTEXT])) {
		m->kind = FABRIC_CONTEXT;
		return parse_context(m, bytes + HEAD_BYTES, (size_t)size);
	}
	if (!strcmp(type, type_names[FABRIC_REQUEST])) {
		m->kind = FABRIC_REQUEST;
		return parse_request(m, bytes + HEAD_BYTES, (size_t)size);
	}
	return -1;
}

int fabric_open(struct fabric *f, const char *folder, struct err *err)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int on = 1;
	*f = (struct fabric){.fd = -1};
	if (strlen(folder) > FABRIC_FOLDER)
		return fail(err, "the folder of the socket has too long a path: %s", folder);
	snprintf(f->path, sizeof f->path, "%s/dynolog", folder);
	snprintf(name.sun_path, sizeof name.sun_path, "%s", f->path);
	f->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (f->fd < 0)
		return fail_errno(err, "cannot make a socket");
	if (setsockopt(f->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) ||
		bind(f->fd, (const struct sockaddr *)&name, sizeof name)) {
		fail_errno(err, "cannot make the socket %s", f->path);
		fabric_close(f);
		return -1;
	}
	return 0;
}

void fabric_close(struct fabric *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	unlink(f->path);
	f->fd = -1;
}

/* Of our own user, by what the kernel says; descriptors that somebody sends along are not taken. */
static bool sent_by_us(struct msghdr *m, pid_t *sender)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct ucred who;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&who, CMSG_DATA(c), sizeof who);
		*sender = who.pid;
		return who.uid == geteuid() || who.uid == 0;
	}
	return false;
}

/* 1 believed, 0 nothing there, -1 refused. */
static int receive_one(struct fabric *f, struct fabric_call *call)
{
	unsigned char datagram[HEAD_BYTES + 16 + 4 * FABRIC_ANCESTORS + 1];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec part = {datagram, sizeof datagram};
	*call = (struct fabric_call){0};
	struct msghdr m = {.msg_name = &call->from,
		.msg_namelen = sizeof call->from,
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	ssize_t n = recvmsg(f->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EINTR ? -1 : 0;
	call->from_bytes = m.msg_namelen;
	bool whole = !(m.msg_flags & MSG_TRUNC);
	if (sent_by_us(&m, &call->sender) && whole &&
		!fabric_parse(&call->message, datagram, (size_t)n))
		return 1;
	f->refused++;
	return -1;
}

int fabric_receive(struct fabric *f, struct fabric_call *call)
{
	enum { AT_ONCE = 64 }; /* so that a flood keeps nobody else waiting */
	int got = -1;
	for (int i = 0; i < AT_ONCE && got < 0; i++)
		got = receive_one(f, call);
	return got > 0;
}

void fabric_answer(struct fabric *f, const struct fabric_call *call, const void *content, size_t n)
{
	unsigned char datagram[HEAD_BYTES + ANSWER_BYTES] = {0};
	uint64_t size = n;
	if (n > ANSWER_BYTES || call->from_bytes <= sizeof(sa_family_t))
		return;
	memcpy(datagram, &size, sizeof size);
	snprintf((char *)datagram + sizeof size, TYPE_BYTES, "%s", type_names[call->message.kind]);
	memcpy(datagram + HEAD_BYTES, content, n);
	sendto(f->fd, datagram, HEAD_BYTES + n, MSG_DONTWAIT | MSG_NOSIGNAL,
		(const struct sockaddr *)&call->from, call->from_bytes);
}

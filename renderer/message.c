// SPDX-License-Identifier: MIT
/*
 * Messages over a Unix socket, see message.h.
 */
#include "message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct message_type {
	size_t size;
	int n_fds;
};

static const struct message_type types[] = {
#define TYPE(upper, lower) \
	[SUNDOG_MESSAGE_##upper] = { sizeof(struct sundog_message_##lower), SUNDOG_MESSAGE_##upper##_FDS }
	TYPE(HELLO, hello),
	TYPE(WELCOME, welcome),
	TYPE(CHANNEL_CREATE, channel_create),
	TYPE(CHANNEL_DESTROY, channel_destroy),
	TYPE(CLIENT_DESTROY, client_destroy),
	TYPE(CHANNEL_STATE, channel_state),
	TYPE(RESET, reset),
	TYPE(RESET_DONE, reset_done),
	TYPE(ERROR, error),
	TYPE(GUEST_MAP, guest_map),
	TYPE(GUEST_MAPPED, guest_mapped),
	TYPE(GUEST_UNMAP, guest_unmap),
	TYPE(GUEST_UNMAPPED, guest_unmapped),
#undef TYPE
};

void message_close_fds(struct message *m)
{
	for (int i = 0; i < m->n_fds; i++)
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	m->n_fds = 0;
}

static void take_fds(struct message *m, struct msghdr *msg)
{
	struct cmsghdr *c;

	m->n_fds = 0;
	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(m->fds, CMSG_DATA(c), m->n_fds * sizeof(int));
	}
}

static bool well_formed(const struct message *m, ssize_t size)
{
	const struct message_type *type;

	if (size < (ssize_t)sizeof(m->header) || m->header.size != (size_t)size)
		return false;
	if (m->header.type >= sizeof(types) / sizeof(types[0]))
		return false;
	type = &types[m->header.type];
	if (type->size != (size_t)size)
		return false;
	if (m->n_fds == type->n_fds)
		return true;
	/* The memories of these two are brought by one side only. */
	return !m->n_fds && (m->header.type == SUNDOG_MESSAGE_HELLO ||
			     m->header.type == SUNDOG_MESSAGE_WELCOME);
}

/* Size that the next message says it has; 0 when the peer closed, or -errno. */
static ssize_t peek_size(int sock)
{
	struct sundog_message header;
	ssize_t got;

	do {
		got = recv(sock, &header, sizeof(header), MSG_PEEK | MSG_WAITALL);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0 && errno != ECONNRESET ? -errno : 0;
	if (got < (ssize_t)sizeof(header) || header.size < sizeof(header) || header.size > MESSAGE_MAX_SIZE)
		return -EPROTO;
	return header.size;
}

int message_receive(int sock, struct message *m)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8)));
	const ssize_t expected = peek_size(sock);
	struct iovec iov = { m->bytes, expected };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t size;

	if (expected <= 0)
		return expected;
	do {
		size = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return errno == ECONNRESET ? 0 : -errno;
	if (!size)
		return 0;
	take_fds(m, &msg);
	if ((msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || !well_formed(m, size)) {
		message_close_fds(m);
		return -EPROTO;
	}
	return 1;
}

bool message_waits(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

int message_send(int sock, const struct sundog_message *header, const int *fds, int n_fds)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec iov = { (void *)header, header->size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t size;

	if (n_fds) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	do {
		size = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	return size == (ssize_t)header->size ? 0 : -EIO;
}

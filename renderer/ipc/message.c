// SPDX-License-Identifier: MIT
/*
 * Messages over Unix sockets, see message.h: checks of size and descriptor count, and
 * sendmsg()/recvmsg() with partial transfers. Runs in the broker's event thread and in workers.
 */
#include "ipc/message.h"

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
	[SUNDOG_MESSAGE_##upper] = { sizeof(struct sundog_message_##lower), \
				     SUNDOG_MESSAGE_##upper##_FDS }
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
	TYPE(REVOKE, revoke),
	TYPE(REVOKED, revoked),
#undef TYPE
	[MESSAGE_SETUP] = { sizeof(struct message_setup), MESSAGE_OUR_FDS },
	[MESSAGE_SEALED] = { sizeof(struct message_sealed), 2 },
	[MESSAGE_PROGRESS] = { sizeof(struct message_progress), 0 },
};

void message_close_fds(struct message *m)
{
	for (int i = 0; i < m->n_fds; i++)
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	m->n_fds = 0;
}

/*
 * Appends the descriptors of @msg to m->fds. Returns false if the kernel truncated them or there
 * are more than a sundog message can have.
 */
static bool take_fds(struct message *m, struct msghdr *msg)
{
	struct cmsghdr *c;
	int n;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(m->fds + m->n_fds, CMSG_DATA(c), n * sizeof(int));
		m->n_fds += n;
	}
	return !(msg->msg_flags & MSG_CTRUNC) && m->n_fds <= MESSAGE_OUR_FDS;
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
	/* In HELLO and WELCOME only one of the roles sends the memfds. */
	return !m->n_fds && (m->header.type == SUNDOG_MESSAGE_HELLO ||
			     m->header.type == SUNDOG_MESSAGE_WELCOME);
}

/*
 * Receives more of @m, up to @size bytes in all. Returns the number of bytes, 0 if the peer closed
 * the socket, or -errno.
 */
static ssize_t receive_more(int sock, struct message *m, size_t size)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8)));
	struct iovec iov = { m->bytes + m->have, size - m->have };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	ssize_t got;

	/*
	 * The control buffer has room for all descriptors that Linux can deliver at once, whatever
	 * m->fds has already: descriptors without room would be closed in this thread, which takes
	 * as long as their owner likes. CMSG_LEN() and not CMSG_SPACE(), which rounds up and could
	 * have room for one more than m->fds.
	 */
	msg.msg_controllen = CMSG_LEN(MESSAGE_MAX_FDS * sizeof(int));
	do {
		got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == ECONNRESET ? 0 : -errno;
	m->have += got;
	return take_fds(m, &msg) && !(msg.msg_flags & MSG_TRUNC) ? got : -EPROTO;
}

int message_continue(int sock, bool stream, struct message *m)
{
	size_t size = stream ? sizeof(m->header) : MESSAGE_MAX_SIZE;
	ssize_t got;

	do {
		if (stream && m->have >= sizeof(m->header)) {
			size = m->header.size;
			if (size <= sizeof(m->header) || size > MESSAGE_MAX_SIZE)
				return -EPROTO;
		}
		got = receive_more(sock, m, size);
		if (got <= 0)
			return got;
	} while (stream && (m->have <= sizeof(m->header) || m->have < m->header.size));
	return well_formed(m, m->have) ? 1 : -EPROTO;
}

int message_receive(int sock, struct message *m)
{
	int got;

	message_begin(m);
	got = message_continue(sock, false, m);
	if (got <= 0)
		message_close_fds(m);
	return got;
}

bool message_waits(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

int message_send_more(int sock, const struct sundog_message *header, const int *fds, int n_fds,
		      size_t *sent)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	ssize_t size;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	if (n_fds)
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	while (*sent < header->size) {
		struct iovec iov = { (char *)header + *sent, header->size - *sent };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

		/* The descriptors go with the first byte. */
		if (n_fds && !*sent) {
			msg.msg_control = control;
			msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		}
		do {
			size = sendmsg(sock, &msg, MSG_NOSIGNAL);
		} while (size < 0 && errno == EINTR);
		if (size < 0)
			return -errno;
		*sent += size;
	}
	return 0;
}

int message_send(int sock, const struct sundog_message *header, const int *fds, int n_fds)
{
	size_t sent = 0;

	return message_send_more(sock, header, fds, n_fds, &sent);
}

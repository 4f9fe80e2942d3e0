// SPDX-License-Identifier: MIT
/*
 * Malicious messages, see scribble.h. Used by peer.c and stub-worker.c.
 */
#define _GNU_SOURCE
#include "scribble.h"

#include <string.h>
#include <sys/socket.h>

#include "pool.h"

/*
 * Changes the descriptors: replaces one, adds one, uses a few, or up to the maximum that Linux
 * allows in a message.
 */
static void take_fds(struct message *m, uint8_t party, struct input *in)
{
	const uint8_t how = input_take(in);
	const int many = (how - 223) * 8;

	if (how < 128) {
		const int at = how < 64 && m->n_fds ? how % m->n_fds : m->n_fds++;

		m->fds[at] = pool_get(party, input_take(in));
		return;
	}
	m->n_fds = many <= 0 ? how % 8 : many < MESSAGE_MAX_FDS ? many : MESSAGE_MAX_FDS;
	for (int i = 0; i < m->n_fds; i++)
		m->fds[i] = i < 8 ? pool_get(party, input_take(in)) : m->fds[0];
}

/* Returns the number of bytes sent. */
static size_t send_part(int sock, const char *bytes, size_t size, const int *fds, int n_fds)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	struct iovec iov = { (char *)bytes, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t sent;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	if (n_fds) {
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
	}
	sent = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	return sent < 0 ? 0 : sent;
}

/* Marks the message with its party, so that receivers can detect messages of another party. */
static void sign(struct message *m, uint8_t party)
{
	switch (m->header.type) {
	case SUNDOG_MESSAGE_HELLO:
		m->hello.vram_size = pool_size(party, m->hello.vram_size);
		break;
	case SUNDOG_MESSAGE_GUEST_MAP:
	case SUNDOG_MESSAGE_GUEST_UNMAP:
		m->guest_map.size = pool_size(party, m->guest_map.size);
		break;
	case SUNDOG_MESSAGE_REVOKE:
		m->revoke.serial = (m->revoke.serial & 0xfffffff) | (uint32_t)party << 28;
		break;
	case SUNDOG_MESSAGE_CHANNEL_STATE:
		m->channel_state.arg = party;
		break;
	}
}

static void change(struct message *m, struct input *in)
{
	const size_t size = m->header.size;

	for (int n = input_take(in) % 4; n >= 0; n--) {
		const uint8_t at = input_take(in);

		m->bytes[at % size] ^= 1 + input_take(in) % 255;
	}
}

void scribble_send(int sock, uint8_t party, struct message *m, uint8_t wrong, struct input *in,
		   struct scribble_rest *rest)
{
	size_t size = m->header.size, sent;

	memset(m->bytes + size, 0, sizeof(m->bytes) - size);
	if (wrong & SCRIBBLE_BYTES)
		change(m, in);
	sign(m, party);
	if (wrong & SCRIBBLE_FDS)
		take_fds(m, party, in);
	if (wrong & SCRIBBLE_SIZE)
		size += input_take(in) * 15 + 1;
	sent = wrong & SCRIBBLE_CUT ? input_take(in) % size : size;
	sent = send_part(sock, m->bytes, sent, m->fds, m->n_fds);
	if (!rest)
		return;
	rest->at = sent;
	rest->size = size;
	memcpy(rest->bytes, m->bytes, size);
}

void scribble_continue(int sock, uint8_t party, struct scribble_rest *rest, struct input *in)
{
	const size_t left = rest->size - rest->at;
	const uint8_t how = input_take(in);
	struct message more = { .n_fds = 0 };

	if (how & 0x80)
		take_fds(&more, party, in);
	if (left)
		rest->at += send_part(sock, rest->bytes + rest->at,
				      how & 0x40 ? how % 64 % left : left, more.fds, more.n_fds);
}

bool scribble_finish(int sock, struct scribble_rest *rest)
{
	if (rest->at < rest->size)
		rest->at += send_part(sock, rest->bytes + rest->at, rest->size - rest->at, NULL, 0);
	return rest->at == rest->size;
}

/* SPDX-License-Identifier: MIT */
/*
 * Messages over a Unix socket, with file descriptors. See protocol/sundog.yaml, messages.
 * A message says its size, so that both SOCK_SEQPACKET and SOCK_STREAM (QEMU's chardev) carry it.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maps.h"
#include "sundog_messages.h"

#define MESSAGE_MAX_FDS 253		/* what Linux lets a message have */
#define MESSAGE_OUR_FDS 4		/* what one of ours has, at most */
#define MESSAGE_MAX_SIZE 4096

/* What only the broker and its workers say to one another, in numbers that the protocol does not have. */
enum { MESSAGE_SETUP = 64, MESSAGE_SEALED, MESSAGE_PROGRESS };

/*
 * To a worker, its first message: its client, and that one's memories (VRAM, table, channels, channels). The
 * table and the first of the channels' are for reading only.
 */
struct message_setup {
	struct sundog_message header;
	uint32_t client;
	uint32_t extent_shift;		/* 0: all of VRAM is the client's */
	uint64_t vram_size;
	uint64_t awake_ns;		/* how long it may look for its client's next entry before it sleeps */
};

#define MESSAGE_MAX_FILES 16

/*
 * Its answer: it cannot map these without the broker any more. With the notifications of that (jail_seal()), and
 * its /proc/PID/maps. Nothing of a client has run in it yet, so the broker believes it.
 */
struct message_sealed {
	struct sundog_message header;
	uint32_t fds[4];		/* numbers of setup's descriptors in the worker; the table's is heap GUEST's now */
	uint32_t n_files, reserved;
	struct file_id files[MESSAGE_MAX_FILES];	/* that it had open before it got a client: the host driver's */
};

/* From a worker whose main thread is not free to answer: the work that it waits for makes progress. */
struct message_progress {
	struct sundog_message header;
};

/* A received message. The receiver owns the file descriptors until message_close_fds(). */
struct message {
	union {
		struct sundog_message header;
		struct sundog_message_hello hello;
		struct sundog_message_welcome welcome;
		struct sundog_message_channel_create channel_create;
		struct sundog_message_channel_destroy channel_destroy;
		struct sundog_message_client_destroy client_destroy;
		struct sundog_message_channel_state channel_state;
		struct sundog_message_reset reset;
		struct sundog_message_reset_done reset_done;
		struct sundog_message_error error;
		struct sundog_message_guest_map guest_map;
		struct sundog_message_guest_mapped guest_mapped;
		struct sundog_message_guest_unmap guest_unmap;
		struct sundog_message_guest_unmapped guest_unmapped;
		struct sundog_message_revoke revoke;
		struct sundog_message_revoked revoked;
		struct message_setup setup;
		struct message_sealed sealed;
		char bytes[MESSAGE_MAX_SIZE];
	};
	size_t have;			/* bytes received so far */
	int fds[MESSAGE_OUR_FDS + MESSAGE_MAX_FDS];	/* what it may keep, and what comes then */
	int n_fds;
};

/* Nothing of it was received yet. */
static inline void message_begin(struct message *m)
{
	m->have = 0;
	m->n_fds = 0;
}

/*
 * Receive one message from a SOCK_SEQPACKET socket and check that its type is known, its size is the type's and it brings the
 * file descriptors that the type asks for (hello may bring none).
 * Returns 1, 0 when the peer closed, or -errno; -EAGAIN when the socket is non-blocking and empty,
 * -EPROTO for a malformed message.
 */
int message_receive(int sock, struct message *m);

/*
 * Receive @m, or what there is of it, after message_begin(): a SOCK_STREAM socket has it in pieces.
 * Returns as message_receive(); after -EAGAIN call again. Whatever it returns, the file descriptors are the
 * caller's.
 */
int message_continue(int sock, bool stream, struct message *m);

/* Is there a message to be received, or has the peer closed? */
bool message_waits(int sock);

/* Close the file descriptors that were not taken (a taken one is set to -1). */
void message_close_fds(struct message *m);

/*
 * Send the rest of @header and what follows it (header->size bytes), from byte *@sent on.
 * Returns 0 or -errno; -EAGAIN when a non-blocking socket has no room for more.
 */
int message_send_more(int sock, const struct sundog_message *header, const int *fds, int n_fds, size_t *sent);

/* Send all of it to a socket that waits. Returns 0 or -errno. */
int message_send(int sock, const struct sundog_message *header, const int *fds, int n_fds);

/* Fill in the header of a message struct. */
#define message_init(m, TYPE) \
	(*(m) = (__typeof__(*(m))){ .header = { SUNDOG_MESSAGE_##TYPE, sizeof(*(m)) } })

#endif

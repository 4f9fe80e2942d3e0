/* SPDX-License-Identifier: MIT */
/*
 * Messages over Unix sockets, with file descriptors. See protocol/sundog.yaml, messages. The broker
 * and the workers use it; a message carries its size, so that both SOCK_SEQPACKET and SOCK_STREAM
 * (QEMU's chardev) work.
 */
#ifndef IPC_MESSAGE_H
#define IPC_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/file.h"
#include "sundog_messages.h"

#define MESSAGE_MAX_FDS 253		/* limit of Linux (SCM_MAX_FD) */
#define MESSAGE_OUR_FDS 4		/* most descriptors of a sundog message */
#define MESSAGE_MAX_SIZE 4096

/* Message types between the broker and its workers, above the numbers of the protocol. */
enum { MESSAGE_SETUP = 64, MESSAGE_SEALED, MESSAGE_PROGRESS };

/*
 * First message to a worker: its client and the client's memories. The descriptors are VRAM, table,
 * channels and channels again; the table and the first channels descriptor are read-only.
 */
struct message_setup {
	struct sundog_message header;
	uint32_t client;
	uint32_t extent_shift;		/* 0: all of VRAM belongs to the client */
	uint64_t vram_size;
	/* how long to poll for the next ring entry before sleeping */
	uint64_t awake_ns;
};

#define MESSAGE_MAX_FILES 16

/*
 * The worker's answer to MESSAGE_SETUP: from now on it cannot map these descriptors without the
 * broker. The message carries the listener of worker_sandbox_seal() and /proc/PID/maps of the
 * worker. No client data has been processed yet, so the broker trusts it.
 */
struct message_sealed {
	struct sundog_message header;
	/*
	 * MESSAGE_SETUP's descriptors, as numbered in the worker; the table's refers to heap GUEST
	 * from now on
	 */
	uint32_t fds[4];
	uint32_t n_files, reserved;
	/* files that the worker had open before it got a client: the host driver's */
	struct file_id files[MESSAGE_MAX_FILES];
};

/*
 * From a worker whose main thread is busy with work that must finish before it can answer: that
 * work makes progress.
 */
struct message_progress {
	struct sundog_message header;
};

/* A received message. The receiver owns the descriptors until message_close_fds(). */
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
	/* the most a message may have, plus one full recvmsg() */
	int fds[MESSAGE_OUR_FDS + MESSAGE_MAX_FDS];
	int n_fds;
};

/* Prepares @m for message_continue(). */
static inline void message_begin(struct message *m)
{
	m->have = 0;
	m->n_fds = 0;
}

/*
 * Receives one message from a SOCK_SEQPACKET socket and checks that its type is known, that its
 * size is that of the type, and that it has as many descriptors as the type wants (HELLO and
 * WELCOME may have none). Returns 1; 0 if the peer closed the socket; or -errno: -EAGAIN if the
 * socket is non-blocking and empty, -EPROTO for a malformed message. Closes the descriptors unless
 * it returns 1.
 */
int message_receive(int sock, struct message *m);

/*
 * Receives @m after message_begin(), or a part of it: a SOCK_STREAM socket delivers it in pieces.
 * Returns as message_receive(); call it again after -EAGAIN. The caller owns the descriptors
 * whatever it returns.
 */
int message_continue(int sock, bool stream, struct message *m);

/* Returns true if a message can be received or the peer has closed the socket. */
bool message_waits(int sock);

/*
 * Closes the descriptors, except entries of -1 (the receiver sets an entry to -1 when it takes the
 * descriptor over).
 */
void message_close_fds(struct message *m);

/*
 * Sends @header and the rest of the message (header->size bytes), from byte *@sent on, and advances
 * *@sent. Returns 0 or -errno; -EAGAIN if a non-blocking socket has no room for more.
 */
int message_send_more(int sock, const struct sundog_message *header, const int *fds, int n_fds,
		      size_t *sent);

/* Sends the whole message to a blocking socket. Returns 0 or -errno. */
int message_send(int sock, const struct sundog_message *header, const int *fds, int n_fds);

/* Clears *@m, a message struct, and sets its header. */
#define message_init(m, TYPE) \
	(*(m) = (__typeof__(*(m))){ .header = { SUNDOG_MESSAGE_##TYPE, sizeof(*(m)) } })

#endif

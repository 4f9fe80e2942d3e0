/* SPDX-License-Identifier: MIT */
/* Messages between device or client, broker and worker.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#ifndef SUNDOG_MESSAGES_H
#define SUNDOG_MESSAGES_H

#include "sundog_hw.h"

/* Every message starts with this. */
struct sundog_message {
	/* SUNDOG_MESSAGE_* */
	__u32 type;
	/* bytes of the whole message */
	__u32 size;
};

/* First message, to the broker. Role DEVICE sends the three memfds, role DIRECT sends none */
/* file descriptors: vram, table, channels */
#define SUNDOG_MESSAGE_HELLO 1
#define SUNDOG_MESSAGE_HELLO_FDS 3
struct sundog_message_hello {
	struct sundog_message header;
	/* MAGIC */
	__u32 magic;
	/* major << 16 | minor */
	__u32 version;
	/* role */
	__u32 role;
	/* EXTENT_SHIFT (DEVICE), or 0 (DIRECT): the client owns all of VRAM */
	__u32 extent_shift;
	/* bytes of VRAM: the size (DEVICE) or the requested size (DIRECT) */
	__u64 vram_size;
};

/* Answer to hello. Role DIRECT receives the three memfds */
/* file descriptors: vram, table, channels */
#define SUNDOG_MESSAGE_WELCOME 2
#define SUNDOG_MESSAGE_WELCOME_FDS 3
struct sundog_message_welcome {
	struct sundog_message header;
	/* bytes of VRAM */
	__u64 vram_size;
	/* capabilities */
	struct sundog_caps caps;
};

/* Create a channel in a client's worker. It has two eventfds: the worker reads doorbell and
 * writes irq */
/* file descriptors: doorbell, irq */
#define SUNDOG_MESSAGE_CHANNEL_CREATE 3
#define SUNDOG_MESSAGE_CHANNEL_CREATE_FDS 2
struct sundog_message_channel_create {
	struct sundog_message header;
	/* client id, not 0 */
	__u32 client;
	/* channel slot */
	__u32 channel;
};

/* Stop a channel. When nothing of it runs any more, channel_state reports OFF once; not again if
 * its client ended before */
#define SUNDOG_MESSAGE_CHANNEL_DESTROY 4
#define SUNDOG_MESSAGE_CHANNEL_DESTROY_FDS 0
struct sundog_message_channel_destroy {
	struct sundog_message header;
	/* client id */
	__u32 client;
	/* channel slot */
	__u32 channel;
};

/* End a client and its worker; its channels go OFF */
#define SUNDOG_MESSAGE_CLIENT_DESTROY 5
#define SUNDOG_MESSAGE_CLIENT_DESTROY_FDS 0
struct sundog_message_client_destroy {
	struct sundog_message header;
	/* client id */
	__u32 client;
	/* 0 */
	__u32 reserved;
};

/* A channel changed its state */
#define SUNDOG_MESSAGE_CHANNEL_STATE 6
#define SUNDOG_MESSAGE_CHANNEL_STATE_FDS 0
struct sundog_message_channel_state {
	struct sundog_message header;
	/* channel slot */
	__u32 channel;
	/* channel_state */
	__u32 state;
	/* fault_code */
	__u32 fault;
	/* 0 */
	__u32 reserved;
	/* seqno of the faulting ring entry */
	__u64 seqno;
	/* byte offset of the faulting packet in its stream */
	__u64 offset;
	/* see fault_code */
	__u64 arg;
};

/* End every client. Answered by reset_done */
#define SUNDOG_MESSAGE_RESET 7
#define SUNDOG_MESSAGE_RESET_FDS 0
struct sundog_message_reset {
	struct sundog_message header;
	/* 0 */
	__u32 reserved;
	/* 0 */
	__u32 reserved1;
};

/* Every client has ended */
#define SUNDOG_MESSAGE_RESET_DONE 8
#define SUNDOG_MESSAGE_RESET_DONE_FDS 0
struct sundog_message_reset_done {
	struct sundog_message header;
	/* 0 */
	__u32 reserved;
	/* 0 */
	__u32 reserved1;
};

/* Add pages of the guest, as a dma-buf, to heap GUEST. The broker answers the device with
 * guest_mapped */
/* file descriptors: memory */
#define SUNDOG_MESSAGE_GUEST_MAP 10
#define SUNDOG_MESSAGE_GUEST_MAP_FDS 1
struct sundog_message_guest_map {
	struct sundog_message header;
	/* byte offset in the heap, a multiple of PAGE_SIZE */
	__u64 offset;
	/* bytes of the dma-buf, a multiple of PAGE_SIZE */
	__u64 size;
};

/* Table entries that are read from now on can use the pages. Size 0: they cannot, since other
 * maps use the descriptors of the broker; the map exists without pages until guest_unmap.
 * Devices before version 5.8 disconnect at size 0 and get the size of such a map, too */
#define SUNDOG_MESSAGE_GUEST_MAPPED 11
#define SUNDOG_MESSAGE_GUEST_MAPPED_FDS 0
struct sundog_message_guest_mapped {
	struct sundog_message header;
	/* as in guest_map */
	__u64 offset;
	/* as in guest_map, or 0 */
	__u64 size;
};

/* Remove a map of guest_map. Answered by guest_unmapped, in the order of the requests */
#define SUNDOG_MESSAGE_GUEST_UNMAP 12
#define SUNDOG_MESSAGE_GUEST_UNMAP_FDS 0
struct sundog_message_guest_unmap {
	struct sundog_message header;
	/* as in guest_map */
	__u64 offset;
	/* as in guest_map */
	__u64 size;
};

/* No worker has access to the pages any more */
#define SUNDOG_MESSAGE_GUEST_UNMAPPED 13
#define SUNDOG_MESSAGE_GUEST_UNMAPPED_FDS 0
struct sundog_message_guest_unmapped {
	struct sundog_message header;
	/* as in guest_map */
	__u64 offset;
	/* as in guest_map */
	__u64 size;
};

/* Workers unmap the VRAM that no longer belongs to their client. Answered by revoked, in the
 * order of the requests */
#define SUNDOG_MESSAGE_REVOKE 14
#define SUNDOG_MESSAGE_REVOKE_FDS 0
struct sundog_message_revoke {
	struct sundog_message header;
	/* number of the request on this connection, from 1 */
	__u32 serial;
	/* 0 */
	__u32 reserved;
};

/* No worker maps the revoked memory any more */
#define SUNDOG_MESSAGE_REVOKED 15
#define SUNDOG_MESSAGE_REVOKED_FDS 0
struct sundog_message_revoked {
	struct sundog_message header;
	/* as in revoke */
	__u32 serial;
	/* 0 */
	__u32 reserved;
};

/* The last message was refused; the connection closes */
#define SUNDOG_MESSAGE_ERROR 9
#define SUNDOG_MESSAGE_ERROR_FDS 0
struct sundog_message_error {
	struct sundog_message header;
	/* reason, NUL-terminated */
	char text[256];
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The broker: accepts a device or direct clients and runs one worker process per client. main.c
 * calls broker_run(). One thread of the broker process owns struct broker with all connections,
 * clients and worker processes.
 */
#ifndef BROKER_BROKER_H
#define BROKER_BROKER_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/listener.h"
#include "ipc/worker_options.h"
#include "sundog_messages.h"

struct connection;
struct worker_process;

struct broker_options {
	int device_fd;			/* connected socket of a device, or -1 */
	const char *socket_path;	/* SOCK_SEQPACKET socket for direct clients, or NULL */
	const char *stream_path;	/* SOCK_STREAM socket for QEMU's chardev, or NULL */
	mode_t socket_mode;		/* of the files of these sockets */
	gid_t socket_group;		/* -1: the renderer's */
	struct passed_sockets passed;	/* instead of these sockets */
	uint64_t max_vram;		/* VRAM limit of a direct client, bytes */
	struct worker_options worker;
	unsigned int max_connections;
	unsigned int max_handshakes;	/* connections without HELLO, per listener */
	unsigned int handshake_ms;	/* time limit for HELLO; 0: none */
	unsigned int ready_ms;		/* time limit for a worker to start; 0: none */
	unsigned int max_peers;		/* connections of one user and role */
	unsigned int max_workers;	/* of all connections */
	unsigned int max_clients;	/* per connection; each client has a worker */
};

/* State that the files of the broker share. */
struct broker {
	const struct broker_options *options;
	struct listener listeners[2];	/* [0]: direct clients; [1]: devices */
	struct connection *connections;
	unsigned int n_connections;
	/* The limits of the options, reduced to what RLIMIT_NOFILE allows. */
	unsigned int max_connections, max_peers, max_handshakes;
	unsigned int max_maps;		/* of guest pages, and of what async_close.h counts */
	int program_fd;			/* O_PATH descriptor of this program; workers execute it */
	int oom_score_fd;		/* of the broker's oom_score_adj, or -1 */
	char oom_score[8];		/* what the file had at the start */
	/* A new worker inherits its socket as [0] and its log pipe as [1]. */
	int handed_fds[2];
	struct worker_process *workers;	/* every worker process that is not yet reaped */
	unsigned int n_workers;
	struct worker_process *idle;
	/* the host's capabilities; header.size 0: not known yet */
	struct sundog_message_welcome welcome;
	bool stop;
	/* the reason why the renderer ends with status 1: it cannot serve; "": it can */
	char failure[256];
};

/*
 * A connection ended. Stops the broker if it has no listener, so that nobody can connect any more.
 */
void broker_connection_ended(struct broker *b);

/*
 * Receives and handles all pending messages of worker @w. Kills @w after a message that it must not
 * send.
 */
void broker_hear(struct worker_process *w);

/* Initializes @b without connections, workers and listeners. @options must outlive @b. */
void broker_begin(struct broker *b, const struct broker_options *options);

/*
 * Handles one event, or waits for it until the next deadline. Returns the number of events (0 or 1)
 * or -errno.
 */
int broker_step(struct broker *b);

/* Kills and reaps all workers. */
void broker_end(struct broker *b);

/*
 * Serves until the device disconnects; with a listener, forever, unless the host's Vulkan driver
 * cannot be used. Returns the exit status of the process.
 */
int broker_run(const struct broker_options *options);

#endif

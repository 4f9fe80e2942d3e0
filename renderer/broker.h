/* SPDX-License-Identifier: MIT */
/*
 * The broker: accepts a device or direct clients, runs one worker process per client.
 */
#ifndef BROKER_H
#define BROKER_H

#include <stdbool.h>
#include <stdint.h>

#include "listener.h"
#include "sundog_messages.h"
#include "worker.h"

struct connection;
struct worker_process;

struct broker_options {
	int device_fd;			/* connected socket of a device, or -1 */
	const char *socket_path;	/* where to listen, or NULL */
	const char *stream_path;	/* the same with SOCK_STREAM, for QEMU's chardev, or NULL */
	uint64_t max_vram;		/* bytes that a direct client may ask for */
	struct worker_options worker;
	unsigned int max_connections;
	unsigned int max_handshakes;	/* of them, those that did not say hello yet, for each listener */
	unsigned int handshake_ms;	/* what they may take to say it */
	unsigned int ready_ms;		/* what a worker may take to get ready, 0: for ever */
	unsigned int max_peers;		/* of them, those of one user */
	unsigned int max_workers;	/* of all connections together */
	unsigned int max_clients;	/* of a connection, each with its worker */
};

/* What the broker's files share. */
struct broker {
	const struct broker_options *options;
	struct listener listeners[2];	/* for direct clients, for devices */
	struct connection *connections;
	unsigned int n_connections;
	/* As the options, or what descriptors allow. */
	unsigned int max_connections, max_peers, max_handshakes;
	int program_fd;			/* this program, for workers */
	int handed_fds[2];		/* where a worker finds its socket and its pipe to the log at its start */
	struct worker_process *workers;	/* all */
	unsigned int n_workers;
	struct worker_process *idle;
	struct sundog_message_welcome welcome;	/* header.size 0: no worker was ready yet */
	bool stop;
};

/* One is over: so may be all. */
void broker_connection_ended(struct broker *b);

/* Take in what the worker has said. It may be killed for that. */
void broker_hear(struct worker_process *w);

/* It has nobody to serve, and no way in, yet. */
void broker_begin(struct broker *b, const struct broker_options *options);

/* Handle one event, or wait for it until a deadline. Returns how many there were, or -errno. */
int broker_step(struct broker *b);

/* All its workers end. */
void broker_end(struct broker *b);

/* Serve until the device goes away (or, listening, for ever). Returns the process's exit status. */
int broker_run(const struct broker_options *options);

#endif

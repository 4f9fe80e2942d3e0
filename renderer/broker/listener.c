// SPDX-License-Identifier: MIT
/*
 * Listening sockets of the broker, see listener.h: accepts connections within the limits per
 * broker, user and handshake.
 */
#define _GNU_SOURCE
#include "broker/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/broker.h"
#include "broker/connection.h"
#include "ipc/file.h"
#include "ipc/log.h"

/* Pause after accept4() failed for lack of descriptors or memory. */
#define PAUSE_MS 500
/* Pause while the closer threads have too much to do. */
#define SHORT_PAUSE_MS 1

/*
 * A peer that connects and disconnects in a loop shares this queue with others: it is short, so
 * that they get their turn soon.
 */
#define BACKLOG 16

/*
 * Returns true if a process listens at @address, with any socket type. The stale socket of an
 * earlier run refuses connections.
 */
static bool is_taken(const struct sockaddr_un *address, int type)
{
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool taken;

	if (fd < 0)
		return false;
	taken = !connect(fd, (const struct sockaddr *)address, sizeof(*address)) ||
		errno == EAGAIN || errno == EPROTOTYPE;
	close(fd);
	return taken;
}

static int listen_at(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat old;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		log_error("%s: path is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	if (is_taken(&address, type)) {
		log_error("%s: another renderer listens there", path);
		return -1;
	}
	if (!lstat(path, &old) && !S_ISSOCK(old.st_mode)) {
		log_error("%s: there is something that is no socket", path);
		return -1;
	}
	unlink(path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(path, 0600) || listen(fd, BACKLOG)) {
		log_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

bool listener_begin(struct listener *l, const char *path, int type, uint32_t role)
{
	l->source = (struct source){ SOURCE_LISTENER, listen_at(path, type), l };
	l->role = role;
	if (l->source.fd < 0)
		return false;
	source_watch(&l->source);
	return true;
}

int64_t listener_resume(struct listener *l, int64_t now_ms)
{
	if (!l->resume_ms || now_ms < l->resume_ms)
		return l->resume_ms;
	l->resume_ms = 0;
	source_watch(&l->source);
	return 0;
}

/*
 * Returns the number of connections without HELLO, and the oldest of them. b->connections begins
 * with the youngest.
 */
static unsigned int handshakes(const struct broker *b, uint32_t role, struct connection **oldest)
{
	unsigned int n = 0;

	*oldest = NULL;
	for (struct connection *c = b->connections; c; c = c->next) {
		if (c->role == role && !c->greeted && !c->ending) {
			*oldest = c;
			n++;
		}
	}
	return n;
}

/*
 * Drops the oldest connection that has not sent HELLO, to free a slot. Returns false if there is
 * none.
 */
static bool make_room(struct broker *b, uint32_t role)
{
	struct connection *oldest;

	if (!handshakes(b, role, &oldest))
		return false;
	connection_end(oldest, "others want to say hello");
	return true;
}

static unsigned int connections_of(const struct broker *b, uid_t uid)
{
	unsigned int n = 0;

	for (const struct connection *c = b->connections; c; c = c->next)
		n += c->uid == uid;
	return n;
}

/* Returns the reason why user @uid cannot have another connection, or NULL. */
static const char *no_room(const struct broker *b, int fd, uid_t uid)
{
	if (b->n_connections >= b->max_connections || closers_are_stuck())
		return "there are too many connections";
	if (connections_of(b, uid) >= b->max_peers)
		return "there are too many connections of this user";
	if (!file_may_stay(fd))
		return "too many files are open";
	return NULL;
}

static void refuse(int fd, const char *text)
{
	struct sundog_message_error m;

	log_warn("connection refused: %s", text);
	message_init(&m, ERROR);
	snprintf(m.text, sizeof(m.text), "%s", text);
	message_send(fd, &m.header, NULL, 0);
	close_later(&fd, 1);
}

static void listener_pause(struct listener *l, int ms)
{
	source_unwatch(&l->source);
	l->resume_ms = now_ms() + ms;
}

void listener_accept(struct broker *b, struct listener *l)
{
	struct connection *oldest;
	const char *error;
	int fd;

	if (closers_are_busy() && !closers_are_stuck()) {
		listener_pause(l, SHORT_PAUSE_MS);
		return;
	}
	fd = accept4(l->source.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		log_warn("accept: %s", strerror(errno));
		listener_pause(l, PAUSE_MS);
		return;
	}
	error = no_room(b, fd, connection_peer(fd));
	if (error && !make_room(b, SUNDOG_ROLE_DIRECT) && !make_room(b, SUNDOG_ROLE_DEVICE)) {
		refuse(fd, error);
		return;
	}
	connection_new(b, fd, l->role, false);
	if (handshakes(b, l->role, &oldest) > b->max_handshakes)
		make_room(b, l->role);
}

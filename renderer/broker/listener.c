// SPDX-License-Identifier: MIT
/*
 * Listening sockets of the broker, see listener.h: accepts connections within the limits per
 * broker, user and handshake.
 */
#define _GNU_SOURCE
#include "broker/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

/*
 * Pause after accept4() failed for lack of descriptors or memory, and while peers delay the close()
 * of refused connections.
 */
#define PAUSE_MS 500
/* Pause while too many files wait for async_close.c. */
#define SHORT_PAUSE_MS 1

/*
 * A peer that connects and disconnects in a loop shares this queue with others: it is short, so
 * that they get their turn soon.
 */
#define BACKLOG 16

/* The descriptor of the first socket that systemd passes (SD_LISTEN_FDS_START). */
#define FIRST_PASSED 3

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

/*
 * Creates the socket file, at first for its owner only, and then gives it the mode and group of the
 * options.
 */
static bool bind_to(int fd, const struct sockaddr_un *address, const struct broker_options *o)
{
	const mode_t mask = umask(0177);
	const bool ok = !bind(fd, (const struct sockaddr *)address, sizeof(*address));

	umask(mask);
	return ok &&
	       (o->socket_group == (gid_t)-1 || !chown(address->sun_path, -1, o->socket_group)) &&
	       !chmod(address->sun_path, o->socket_mode);
}

static int listen_at(const char *path, int type, const struct broker_options *o)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat old;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		log_error("%s: path of %zu bytes is too long for a socket, at most %zu", path,
			  strlen(path), sizeof(address.sun_path) - 1);
		return -1;
	}
	strcpy(address.sun_path, path);
	if (is_taken(&address, type)) {
		log_error("%s: another renderer listens there; end it or choose another path",
			  path);
		return -1;
	}
	if (!lstat(path, &old) && !S_ISSOCK(old.st_mode)) {
		log_error("%s: the file exists and is no socket; remove it or choose another path",
			  path);
		return -1;
	}
	unlink(path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || !bind_to(fd, &address, o) || listen(fd, BACKLOG)) {
		log_error("%s: cannot listen: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

void listener_begin_passed(struct listener *l, int fd, uint32_t role)
{
	l->source = (struct event_source){ SOURCE_LISTENER, fd, l };
	l->role = role;
	event_source_watch(&l->source);
}

bool listener_begin(struct listener *l, const struct broker_options *o, const char *path,
		    uint32_t role)
{
	const int type = role == SUNDOG_ROLE_DIRECT ? SOCK_SEQPACKET : SOCK_STREAM;
	const int fd = listen_at(path, type, o);

	if (fd >= 0)
		listener_begin_passed(l, fd, role);
	return fd >= 0;
}

/* Returns a socket option of @fd, -1 if it has none. */
static int socket_option(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static bool take_socket(int fd, struct passed_sockets *out)
{
	const int type = socket_option(fd, SO_TYPE);
	int *place = type == SOCK_SEQPACKET ? &out->direct : &out->device;

	if (socket_option(fd, SO_DOMAIN) != AF_UNIX || socket_option(fd, SO_ACCEPTCONN) != 1 ||
	    (type != SOCK_SEQPACKET && type != SOCK_STREAM)) {
		log_error("LISTEN_FDS: descriptor %d is no listening Unix socket; use "
			  "ListenSequentialPacket= for programs and ListenStream= for QEMU", fd);
		return false;
	}
	if (*place >= 0) {
		log_error("LISTEN_FDS: descriptors %d and %d are both for %s; pass one of each "
			  "kind", *place, fd, type == SOCK_SEQPACKET ? "programs" : "QEMU");
		return false;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) {
		log_error("LISTEN_FDS: descriptor %d: %s", fd, strerror(errno));
		return false;
	}
	*place = fd;
	return true;
}

bool listener_take_passed(struct passed_sockets *out)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	/* The variables of another process, which started this one, do not count. */
	const bool ours = pid && fds && strtoul(pid, NULL, 10) == (unsigned long)getpid();
	const unsigned long n = ours ? strtoul(fds, NULL, 10) : 0;

	*out = (struct passed_sockets){ .direct = -1, .device = -1 };
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	/* At most one of each kind is taken, so a third one is an error. */
	for (unsigned long i = 0; i < n; i++)
		if (!take_socket(FIRST_PASSED + i, out))
			return false;
	return true;
}

int64_t listener_resume(struct listener *l, int64_t now_ms)
{
	if (!l->resume_ms || now_ms < l->resume_ms)
		return l->resume_ms;
	l->resume_ms = 0;
	event_source_watch(&l->source);
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
	connection_refuse(oldest, "no HELLO yet, and a new connection needs the place; "
				  "--max-connections %u, --max-handshakes %u",
			  b->max_connections, b->max_handshakes);
	connection_end(oldest, oldest->error);
	return true;
}

/* Returns the option to raise for more connections, or what reduced it (limit_connections()). */
static const char *limit_of_connections(const struct broker *b)
{
	return b->max_connections < b->options->max_connections ?
	       "the limit of open files (ulimit -n)" :
	       "--max-connections and the limit of open files (ulimit -n)";
}

static const char *limit_of_peers(const struct broker *b)
{
	return b->max_peers < b->options->max_peers ? limit_of_connections(b) : "--max-peers";
}

/* Returns the number of connections of a role, those of one user only if @uid is not NULL. */
static unsigned int connections_of(const struct broker *b, uint32_t role, const uid_t *uid)
{
	unsigned int n = 0;

	for (const struct connection *c = b->connections; c; c = c->next)
		n += c->role == role && (!uid || c->uid == *uid);
	return n;
}

/* Returns true if there is a place for another connection of a role; if not, writes why. */
static bool has_place(const struct broker *b, uint32_t role, char *why, size_t size)
{
	/* A quarter of the places is kept for VMs. */
	const unsigned int max = b->max_connections - b->max_connections / 4;

	if (b->n_connections >= b->max_connections)
		snprintf(why, size, "%u connections, at most %u; raise %s", b->n_connections,
			 b->max_connections, limit_of_connections(b));
	else if (role == SUNDOG_ROLE_DIRECT && connections_of(b, role, NULL) >= max)
		snprintf(why, size, "%u connections of programs, at most %u; raise %s", max, max,
			 limit_of_connections(b));
	else
		return true;
	return false;
}

/* Frees a place for a connection of a role. A program gets none of a VM. */
static bool make_place(struct broker *b, uint32_t role)
{
	return make_room(b, SUNDOG_ROLE_DIRECT) ||
	       (role == SUNDOG_ROLE_DEVICE && make_room(b, SUNDOG_ROLE_DEVICE));
}

/*
 * Returns true if user @uid may have another connection of a role, @fd; otherwise writes the reason
 * to @why.
 */
static bool may_connect(const struct broker *b, uint32_t role, int fd, uid_t uid, char *why,
			size_t size)
{
	const unsigned int n = connections_of(b, role, &uid);

	if (async_close_is_stuck())
		snprintf(why, size, "descriptors of earlier connections take too long to close; "
			 "end the programs that sent them");
	else if (n >= b->max_peers)
		snprintf(why, size, "%u connections of user %u, at most %u; raise %s", n,
			 (unsigned int)uid, b->max_peers, limit_of_peers(b));
	else if (!file_may_stay(fd))
		snprintf(why, size, "the renderer's limit of open files is reached; raise it "
			 "(ulimit -n)");
	else
		return true;
	return false;
}

static void refuse(int fd, uid_t uid, const char *text)
{
	struct sundog_message_error m;

	log_warn("refusing a connection of user %u: %s", (unsigned int)uid, text);
	message_init(&m, ERROR);
	snprintf(m.text, sizeof(m.text), "%s", text);
	message_send(fd, &m.header, NULL, 0);
	async_close(&fd, 1);
}

void listener_end(struct listener *l, const char *text)
{
	int fd;

	if (l->source.fd < 0)
		return;
	while ((fd = accept4(l->source.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		refuse(fd, connection_peer(fd), text);
	event_source_close(&l->source);
	l->source.fd = -1;
}

static void listener_pause(struct listener *l, int ms)
{
	event_source_unwatch(&l->source);
	l->resume_ms = now_ms() + ms;
}

void listener_accept(struct broker *b, struct listener *l)
{
	struct connection *oldest;
	char why[256];
	uid_t uid;
	int fd;

	if (async_close_is_busy() && !async_close_is_stuck()) {
		listener_pause(l, SHORT_PAUSE_MS);
		return;
	}
	/* A peer can also delay the close() of a connection that is refused. */
	if (async_close_is_stuck() && async_closer_is_slow(NULL)) {
		listener_pause(l, PAUSE_MS);
		return;
	}
	fd = accept4(l->source.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		log_warn("accept: %s, trying again after %d ms", strerror(errno), PAUSE_MS);
		listener_pause(l, PAUSE_MS);
		return;
	}
	uid = connection_peer(fd);
	if (!may_connect(b, l->role, fd, uid, why, sizeof(why)) ||
	    (!has_place(b, l->role, why, sizeof(why)) && !make_place(b, l->role))) {
		refuse(fd, uid, why);
		return;
	}
	connection_new(b, fd, l->role, false);
	if (handshakes(b, l->role, &oldest) > b->max_handshakes)
		make_room(b, l->role);
}

// SPDX-License-Identifier: MIT
/*
 * Attacks the renderer with descriptors on which it blocks, see locked-files.h: an epoll set whose
 * lock the attacker holds, and eventfds in that set.
 *
 * The attackers hold the lock until they are killed. Meanwhile the renderer of with-renderd.sh has
 * to answer other clients. Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/message.h"
#include "locked-files.h"
#include "patience.h"

#define VRAM_SIZE (16ull << 20)
#define N_CLIENTS 5
#define N_EVENTS 200
#define N_REFUSED 100
#define MANY_THREADS 64
/* Blocked by connections, and by those that are refused after that. */
#define MANY_PEERS_THREADS 100

static unsigned int count;
static bool failed;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	fflush(stdout);
	failed |= !ok;
}

/* A peer */

static bool receive(int fd, struct message *m, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	message_begin(m);
	return poll(&p, 1, timeout_ms) == 1 && message_continue(fd, false, m) == 1;
}

/* Connects a client. Returns its socket, or -1 if the renderer did not send WELCOME in time. */
static int client_new(int timeout_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sundog_message_hello m;
	struct message answer;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", getenv("SUNDOG_SOCKET"));
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "%s", address.sun_path);
	message_init(&m, HELLO);
	m.magic = SUNDOG_MAGIC;
	m.version = SUNDOG_VERSION;
	m.role = SUNDOG_ROLE_DIRECT;
	m.vram_size = VRAM_SIZE;
	message_send(fd, &m.header, NULL, 0);
	if (receive(fd, &answer, timeout_ms) && answer.header.type == SUNDOG_MESSAGE_WELCOME) {
		message_close_fds(&answer);
		return fd;
	}
	close(fd);
	return -1;
}

static void create_channel(int fd, uint32_t client, uint32_t channel, int doorbell, int irq)
{
	struct sundog_message_channel_create m;

	message_init(&m, CHANNEL_CREATE);
	m.client = client;
	m.channel = channel;
	message_send(fd, &m.header, (const int[]){ doorbell, irq }, 2);
}

static bool channel_runs(int fd)
{
	struct message m;

	create_channel(fd, 1, 0, eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC));
	return receive(fd, &m, PATIENCE_MS) && m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE &&
	       m.channel_state.state == SUNDOG_CHANNEL_STATE_RUN;
}

static void destroy_client(int fd, uint32_t client)
{
	struct sundog_message_client_destroy m;

	message_init(&m, CLIENT_DESTROY);
	m.client = client;
	message_send(fd, &m.header, NULL, 0);
}

static int set;				/* epoll set */
static int events[N_EVENTS];		/* members of @set */

/*
 * Attacks. Each has a connection and an eventfd that is in the set. The renderer is stopped
 * (SIGSTOP) meanwhile, so that it closes the last descriptor of the eventfd.
 */

static void doorbell_is_set(int fd, int event)
{
	create_channel(fd, 1, 0, set, event);
}

static void refused(int fd, int event)
{
	create_channel(fd, 1, 99999, eventfd(0, EFD_CLOEXEC), event);
	close(event);
}

/* Repeats it, so that a renderer with a fixed number of threads would have all of them blocked. */
static void refused_often(int fd, int event)
{
	refused(fd, event);
	for (int i = 0; i < N_REFUSED; i++)
		refused(fd, events[i]);
}

/*
 * The renderer starts a worker for each client but the first. The last client is destroyed before
 * its worker is ready.
 */
static void destroyed_early(int fd, int event)
{
	for (uint32_t i = 1; i <= N_CLIENTS; i++)
		create_channel(fd, i, i, eventfd(0, EFD_CLOEXEC),
			       i == N_CLIENTS ? event : eventfd(0, EFD_CLOEXEC));
	close(event);
	destroy_client(fd, N_CLIENTS);
}

/* Sends @event on a new connection and leaves. Returns false if the listener's queue is full. */
static bool send_and_leave(int event)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool ok;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", getenv("SUNDOG_SOCKET"));
	ok = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));
	if (ok) {
		create_channel(fd, 1, 0, eventfd(0, EFD_CLOEXEC), event);
		close(event);
	}
	close(fd);
	return ok;
}

/*
 * More and more connections, each with an eventfd. The renderer stops accepting them, and after a
 * second it accepts them to refuse them.
 */
static void many_peers(int fd, int event)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));
	int n = 0;

	refused(fd, event);
	for (int tries = 0; n < N_EVENTS && tries < 60; tries++) {
		kill(renderd, SIGSTOP);
		while (n < N_EVENTS && send_and_leave(events[n]))
			n++;
		kill(renderd, SIGCONT);
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
}

static void attacker(void (*attack)(int fd, int event), int done)
{
	const int fd = client_new(PATIENCE_MS), renderd = atoi(getenv("SUNDOG_RENDERD"));
	int files[1 + N_EVENTS];
	const char ok = 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0)
		errx(1, "no attack");
	set = locked_files_new(files, 1 + N_EVENTS);
	memcpy(events, files + 1, sizeof(events));
	kill(renderd, SIGSTOP);
	attack(fd, files[0]);
	kill(renderd, SIGCONT);
	if (write(done, &ok, 1) != 1)
		err(1, "write");
	for (;;)
		pause();
}

static bool is_answered(void)
{
	const int fd = client_new(PATIENCE_MS);

	close(fd);
	return fd >= 0;
}

/* The first clients get the workers that were started meanwhile. */
static bool are_served(void)
{
	for (int i = 0; i < 3; i++) {
		const int fd = client_new(PATIENCE_MS);
		const bool ok = fd >= 0 && channel_runs(fd);

		close(fd);
		if (!ok)
			return false;
	}
	return true;
}

static int threads_now(void)
{
	char path[64], line[256];
	FILE *status;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%s/status", getenv("SUNDOG_RENDERD"));
	status = fopen(path, "re");
	if (!status)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "Threads: %d", &n) == 1)
			break;
	fclose(status);
	return n;
}

/* Returns false if the number of the renderer's threads exceeds @limit within a second. */
static bool are_few_threads(int limit)
{
	for (int i = 0; i < 100; i++) {
		if (threads_now() > limit)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return true;
}

/* Returns the process of an attacker that has begun and goes on until it is killed. */
static pid_t attacker_start(void (*attack)(int fd, int event))
{
	struct pollfd p = { .events = POLLIN };
	int done[2];
	char ok = 0;
	pid_t pid;

	if (pipe2(done, O_CLOEXEC))
		err(1, "pipe2");
	pid = fork();
	if (!pid)
		attacker(attack, done[1]);
	close(done[1]);
	p.fd = done[0];
	if (poll(&p, 1, PATIENCE_MS) != 1 || read(done[0], &ok, 1) != 1) {
		kill(pid, SIGKILL);
		errx(1, "no attack");
	}
	close(done[0]);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	return pid;
}

/* The kernel releases the lock when the process exits. */
static void attacker_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test(void (*attack)(int fd, int event), const char *name)
{
	const pid_t pid = attacker_start(attack);
	char line[128];

	snprintf(line, sizeof(line), "%s: a hello is answered", name);
	report(is_answered(), line);
	snprintf(line, sizeof(line), "%s: who comes next is served", name);
	report(are_served(), line);
	snprintf(line, sizeof(line), "%s: few threads wait", name);
	report(are_few_threads(MANY_THREADS), line);
	attacker_end(pid);
}

static void test_many_peers(void)
{
	const pid_t pid = attacker_start(many_peers);

	printf("# %d threads\n", threads_now());
	report(are_few_threads(MANY_PEERS_THREADS),
	       "an eventfd of each of many peers: few threads wait");
	attacker_end(pid);
	report(is_answered(), "after that a hello is answered");
}

int main(void)
{
	int first;

	signal(SIGPIPE, SIG_IGN);
	if (!locked_files_work()) {
		puts("1..0 # SKIP userfaultfd is not for us");
		return 0;
	}
	first = client_new(PATIENCE_MS);
	if (first < 0)
		errx(1, "the renderer does not answer");
	test(doorbell_is_set, "a doorbell that is an epoll set");
	test(refused, "an eventfd of a channel that cannot be");
	test(refused_often, "an eventfd of each of a hundred such channels");
	test(destroyed_early, "an eventfd of a client that is destroyed before it is served");
	test_many_peers();
	report(channel_runs(first), "a client from before all that is served");
	printf("1..%u\n", count);
	return failed;
}

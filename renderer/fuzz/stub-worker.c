// SPDX-License-Identifier: MIT
/*
 * Workers without processes, see stub-worker.h. Called by fuzz-broker.c and, in place of spawn.c,
 * by the broker.
 */
#define _GNU_SOURCE
#include "stub-worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "broker/broker.h"
#include "broker/spawn.h"
#include "ipc/message.h"
#include "worker/worker_sandbox.h"
#include "pool.h"
#include "scribble.h"

#define MAX_WORKERS 16
/* Numbers of the setup message's descriptors in a worker. */
enum { FD_VRAM = 4, FD_TABLE, FD_CHANNELS, FD_STATUS };

struct stub_worker {
	pid_t pid;			/* 0: dead */
	int sock, output, end, filter;	/* -1: none, or closed */
	int maps;			/* kept for the next worker */
	bool killed, honest;
	/* its system calls are interrupted before its descriptor is replaced */
	bool interrupts;
	/* its descriptor was not replaced: the broker must kill it */
	bool is_stale;
	uint8_t party;			/* of its client; 0: no setup received */
	uint64_t asked;			/* unmap requests that it has read */
	int status;
};

static struct stub_worker workers[MAX_WORKERS];
static unsigned int n_started, fail_next;
static bool is_honest_first, is_silent;

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

void stub_workers_init(void)
{
	for (int i = 0; i < MAX_WORKERS; i++)
		workers[i].maps = memfd_create("maps", MFD_CLOEXEC);
}

void stub_workers_reset(bool honest_first, bool silent)
{
	n_started = fail_next = 0;
	is_honest_first = honest_first;
	is_silent = silent;
}

void stub_workers_fail(unsigned int n)
{
	fail_next = n;
}

static struct stub_worker *find(pid_t pid)
{
	for (int i = 0; i < MAX_WORKERS; i++)
		if (pid && workers[i].pid == pid)
			return &workers[i];
	MUST(false, "a process is killed or waited for that is nobody's worker");
	return NULL;
}

struct stub_worker *stub_worker_pick(uint8_t which)
{
	for (unsigned int i = 0; i < MAX_WORKERS; i++) {
		struct stub_worker *w = &workers[(which + i) % MAX_WORKERS];

		if (w->pid && !w->honest)
			return w;
	}
	return NULL;
}

struct stub_worker *stub_worker_honest(void)
{
	return &workers[0];
}

/* Messages to the broker */

static void post(struct stub_worker *w, const void *m, const int *fds, int n_fds)
{
	if (w->sock >= 0)
		message_send(w->sock, m, fds, n_fds);
}

static void send_welcome(struct stub_worker *w)
{
	struct sundog_message_welcome m;

	message_init(&m, WELCOME);
	m.caps.features = SUNDOG_FEATURE_HEAP_GUEST;
	post(w, &m, NULL, 0);
}

static void send_state(struct stub_worker *w, uint32_t channel, uint32_t state)
{
	struct sundog_message_channel_state m;

	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = state;
	m.arg = w->party;
	post(w, &m, NULL, 0);
}

static void send_sealed(struct stub_worker *w, uint32_t n_files)
{
	const struct message_sealed m = {
		.header = { MESSAGE_SEALED, sizeof(m) },
		.fds = { FD_VRAM, FD_TABLE, FD_CHANNELS, FD_STATUS },
		.n_files = n_files,
	};
	int pair[2];

	if (w->filter >= 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return;
	w->filter = pair[0];
	post(w, &m, (const int[]){ pair[1], w->maps }, 2);
	close(pair[1]);
}

/* System calls that the kernel forwards */

static void stop_at(struct stub_worker *w, const struct seccomp_notif *n)
{
	if (w->filter >= 0)
		send(w->filter, n, sizeof(*n), MSG_NOSIGNAL);
}

static void ask_confirm(struct stub_worker *w, uint64_t request)
{
	const struct seccomp_notif n = {
		.id = w->pid, .pid = w->pid, .data.args = { [4] = FD_VRAM, [5] = request },
	};

	stop_at(w, &n);
}

static int receive_request(int fd, struct seccomp_notif *n)
{
	if (recv(fd, n, sizeof(*n), MSG_DONTWAIT) == sizeof(*n))
		return 0;
	errno = ENOENT;
	return -1;
}

/*
 * SECCOMP_IOCTL_NOTIF_ADDFD: the worker gets a copy of a broker descriptor, for a table or guest
 * pages.
 */
static int add_descriptor(const struct seccomp_notif_addfd *add)
{
	struct stub_worker *w = find(add->id);
	const uint8_t party = pool_party_of_memory(add->srcfd);

	MUST(!party || party == w->party, "a worker gets somebody else's memory");
	if (!w->interrupts)
		return add->newfd;
	w->is_stale = true;
	errno = ENOENT;
	return -1;
}

/* The broker limits the address space of a running process only. */
bool spawn_limit_addresses(pid_t pid, uint64_t mapped)
{
	(void)mapped;
	find(pid);
	return true;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case SECCOMP_IOCTL_NOTIF_RECV:
		return receive_request(fd, arg);
	case SECCOMP_IOCTL_NOTIF_SEND:
		return send(fd, arg, sizeof(struct seccomp_notif_resp),
			    MSG_NOSIGNAL | MSG_DONTWAIT) < 0
			       ? -1
			       : 0;
	case SECCOMP_IOCTL_NOTIF_ADDFD:
		return add_descriptor(arg);
	default:
		return __real_ioctl(fd, request, arg);
	}
}

static void read_answers(struct stub_worker *w)
{
	struct seccomp_notif_resp r;

	while (w->filter >= 0 && recv(w->filter, &r, sizeof(r), MSG_DONTWAIT) == sizeof(r))
		MUST((pid_t)r.id == w->pid, "a worker gets an answer to somebody else");
}

/* Messages from the broker */

static void on_setup(struct stub_worker *w, const struct message *m)
{
	w->party = pool_party(m->setup.vram_size);
	MUST(pool_party_of_memory(m->fds[0]) == w->party, "a worker gets somebody else's VRAM");
	for (int i = 1; i < 4; i++) {
		const uint8_t party = pool_party_of_memory(m->fds[i]);

		/* The broker's own memories for direct clients have no party. */
		MUST(!party || party == w->party, "a worker gets somebody else's memory");
	}
}

static void must_be_ours(const struct stub_worker *w, uint8_t party)
{
	MUST(!party || party == w->party, "a worker gets somebody else's message");
}

static void take(struct stub_worker *w, const struct message *m)
{
	const bool is_create = m->header.type == SUNDOG_MESSAGE_CHANNEL_CREATE;

	MUST(m->n_fds == (m->header.type == MESSAGE_SETUP ? 4 : is_create ? 2 : 0),
	     "a worker gets a message with other descriptors than it has");
	switch (m->header.type) {
	case MESSAGE_SETUP:
		on_setup(w, m);
		break;
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		for (int i = 0; i < 2; i++)
			MUST(pool_party_of_event(m->fds[i]) == w->party,
			     "a worker gets other events than its own");
		break;
	case SUNDOG_MESSAGE_GUEST_UNMAP:
		must_be_ours(w, pool_party(m->guest_unmap.size));
		w->asked++;
		break;
	case SUNDOG_MESSAGE_REVOKE:
		must_be_ours(w, m->revoke.serial >> 28);
		w->asked++;
		break;
	case SUNDOG_MESSAGE_CHANNEL_DESTROY:
		w->asked++;
		break;
	default:
		MUST(false, "a worker gets a message that is not for workers");
	}
}

static void answer(struct stub_worker *w, const struct message *m)
{
	switch (m->header.type) {
	case MESSAGE_SETUP:
		send_sealed(w, 0);
		break;
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		send_state(w, m->channel_create.channel, SUNDOG_CHANNEL_STATE_RUN);
		break;
	default:
		ask_confirm(w, w->asked);
	}
}

void stub_worker_serve(struct stub_worker *w)
{
	struct message m;
	int got;

	MUST(!w->is_stale || w->killed, "a worker goes on whose descriptor was not replaced");
	read_answers(w);
	while (w->sock >= 0 && (got = message_receive(w->sock, &m)) != -EAGAIN) {
		MUST(got >= 0, "a worker gets a malformed message");
		if (!got)
			break;
		take(w, &m);
		answer(w, &m);
		message_close_fds(&m);
	}
}

/* Arbitrary actions */

void stub_worker_send(struct stub_worker *w, struct input *in)
{
	const uint8_t what = input_take(in), arg = input_take(in);
	struct message m;

	message_begin(&m);
	switch (what % 8) {
	case 0:
		send_welcome(w);
		return;
	case 1:
		w->interrupts = !w->honest && arg & 128;
		send_sealed(w, arg % 32);
		return;
	case 2:
		message_init(&m.error, ERROR);
		memset(m.error.text, arg, sizeof(m.error.text));
		break;
	case 3:
		m.header = (struct sundog_message){ arg, sizeof(struct sundog_message_reset) };
		break;
	default:
		message_init(&m.channel_state, CHANNEL_STATE);
		m.channel_state.channel = arg >> 4 == 15 ? SUNDOG_MAX_CHANNELS : arg >> 4;
		m.channel_state.state = arg % 8;
		m.channel_state.arg = w->party;
	}
	scribble_send(w->sock, w->party, &m, scribble_ways(what), in, NULL);
}

static uint64_t number(struct input *in)
{
	static const uint64_t edges[] = {
		1,
		SUNDOG_PAGE_SIZE - 1,
		SUNDOG_CHANNEL_STATUS,
		SUNDOG_CHANNEL_SIZE,
		SUNDOG_CHANNEL_SIZE + SUNDOG_CHANNEL_STATUS,
		16ull << 20,
		17ull << 20,
		SUNDOG_CHANNELS_MEMORY,
		1ull << 32,
		1ull << 44,
		1ull << 63,
		-4096ull,
		-1ull,
		INT64_MAX,
		SUNDOG_CHANNELS_MEMORY - SUNDOG_PAGE_SIZE,
		(uint64_t)SUNDOG_MAX_CHANNELS * SUNDOG_CHANNEL_SIZE,
	};
	const uint8_t what = input_take(in);

	return what < 16 ? what : what < 224 ? (uint64_t)(what - 16) << 12 : edges[what % 16];
}

/*
 * Writes lines of /proc/PID/maps. Linux writes this file, so files are memories of a party, but the
 * numbers may be arbitrary.
 */
static void show_maps(struct stub_worker *w, struct input *in)
{
	char text[1024];
	size_t size = 0;

	for (unsigned int n = input_take(in) % 4; n; n--) {
		const uint8_t what = input_take(in);
		struct stat st = { 0 };
		uint64_t start;

		fstat(pool_get(w->party ? w->party : 1, what % 16), &st);
		start = number(in);
		size += snprintf(text + size, sizeof(text) - size,
				 "%lx-%lx rw-s %lx %02x:%02x %lu      /memfd:x\n", start,
				 start + number(in), number(in), major(st.st_dev), minor(st.st_dev),
				 (unsigned long)st.st_ino);
	}
	MUST(!ftruncate(w->maps, 0) && pwrite(w->maps, text, size, 0) == (ssize_t)size, "maps");
}

void stub_worker_ask(struct stub_worker *w, struct input *in)
{
	static const uint64_t fds[] = { FD_VRAM, FD_TABLE, FD_CHANNELS, FD_STATUS };
	const uint8_t what = input_take(in);
	struct seccomp_notif n = { .id = w->pid, .pid = w->pid };

	read_answers(w);
	if (what & 0x80)
		show_maps(w, in);
	if ((what & 0x60) == 0x60 && what & 1) {
		const struct message_progress m = { .header = { MESSAGE_PROGRESS, sizeof(m) } };

		for (unsigned int i = 0; i <= (what >> 1 & 15); i++)
			post(w, &m, NULL, 0);
	}
	if (what & 0x40) {
		ask_confirm(w, what & 0x20 ? w->asked : number(in));
		return;
	}
	n.data.args[4] = fds[what % 4] | (uint64_t)(what >> 2 & 3) << 32;
	n.data.args[5] = number(in);
	if (!(what & 0x10)) {
		n.data.args[1] = number(in);
		n.data.args[2] = PROT_READ | PROT_WRITE;
		n.data.args[3] = MAP_SHARED | MAP_FIXED;
	}
	if (what & 0x20) {
		n.data.args[input_take(in) % 6] = number(in);
		n.pid += input_take(in) % 2;
	}
	stop_at(w, &n);
}

/* Writes lines to the worker's log; the last one may be incomplete. */
void stub_worker_say(struct stub_worker *w, struct input *in)
{
	char text[4096];
	const uint8_t how = input_take(in), with = input_take(in);

	if (w->output < 0)
		return;
	memset(text, with, sizeof(text));
	for (size_t i = how & 15; i < sizeof(text); i += (how & 15) * 8 + 1)
		text[i] = '\n';
	if (write(w->output, text, (how >> 4) * 272 + 1) < 0 && errno == EPIPE)
		MUST(false, "nobody reads a worker's log");
}

/* Start and end */

pid_t spawn_worker(const struct broker *b, int sock, int output, int *end)
{
	static pid_t last;
	struct stub_worker *w = workers;

	(void)b;
	while (w < workers + MAX_WORKERS && w->pid)
		w++;
	MUST(w < workers + MAX_WORKERS, "there are more workers than there may be");
	errno = EAGAIN;
	if (fail_next && fail_next--)
		return -1;
	*w = (struct stub_worker){
		.pid = ++last,
		.sock = fcntl(sock, F_DUPFD_CLOEXEC, 0),
		.output = fcntl(output, F_DUPFD_CLOEXEC, 0),
		.end = eventfd(0, EFD_CLOEXEC),
		.filter = -1,
		.maps = w->maps,
		.status = -1,
		.honest = !n_started++ && is_honest_first,
	};
	*end = fcntl(w->end, F_DUPFD_CLOEXEC, 0);
	if (w->sock < 0 || w->output < 0 || *end < 0) {
		close(w->sock);
		close(w->output);
		close(w->end);
		w->pid = 0;
		errno = EMFILE;
		return -1;
	}
	MUST(!ftruncate(w->maps, 0), "maps");
	fcntl(w->sock, F_SETFL, O_NONBLOCK);
	fcntl(w->output, F_SETFL, O_NONBLOCK);
	if (!is_silent)
		send_welcome(w);
	return w->pid;
}

void spawn_kill(pid_t pid)
{
	find(pid)->killed = true;
}

/* The process stays a zombie until spawn_reap(). */
static void die(struct stub_worker *w)
{
	const uint64_t one = 1;

	if (w->sock < 0)
		return;
	close(w->sock);
	close(w->output);
	w->sock = w->output = -1;
	MUST(write(w->end, &one, sizeof(one)) == sizeof(one), "eventfd");
}

void stub_worker_exit(struct stub_worker *w, int status)
{
	if (w->sock >= 0 && !w->killed)
		w->status = status;
	die(w);
}

bool stub_workers_die(void)
{
	bool any = false;

	for (int i = 0; i < MAX_WORKERS; i++) {
		if (!workers[i].pid || !workers[i].killed || workers[i].sock < 0)
			continue;
		die(&workers[i]);
		any = true;
	}
	return any;
}

int spawn_reap(pid_t pid)
{
	struct stub_worker *w = find(pid);

	MUST(w->killed, "a worker that lives is waited for");
	die(w);
	close(w->end);
	if (w->filter >= 0)
		close(w->filter);
	w->pid = 0;
	return w->status;
}

bool stub_workers_have(uint8_t party)
{
	for (int i = 0; i < MAX_WORKERS; i++)
		if (workers[i].pid && workers[i].sock >= 0 && workers[i].party == party)
			return true;
	return false;
}

void stub_workers_check(void)
{
	for (int i = 0; i < MAX_WORKERS; i++)
		MUST(!workers[i].pid, "a worker is left");
}

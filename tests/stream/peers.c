// SPDX-License-Identifier: MIT
/*
 * Attacks the renderer with hostile peers. During each attack the renderer has to answer the HELLO
 * of other clients and to go on serving older clients. Runs on the renderer of with-renderd.sh,
 * also with few descriptors. The renderer's --handshake-timeout must be longer than the timeouts of
 * this test.
 *
 * usage: peers [TEST]. `late` only tests the end of --handshake-timeout, which should be short
 * then. `shares`, `device-shares`, `places`, `maps`, `locked-maps`, `locked-channels` and
 * `locked-shares` test limits, with the options that meson.build passes. Prints TAP.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ipc/message.h"
#include "locked-files.h"
#include "patience.h"

#define VRAM_SIZE (16ull << 20)
#define MAX_HELD 1024			/* sockets that an attack keeps open */
#ifdef __SANITIZE_ADDRESS__
#define N_ATTACKERS 32			/* workers take ten times as long to start */
#else
#define N_ATTACKERS 256
#endif
#define NOBODY 65534

static unsigned int count;
static bool failed;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	fflush(stdout);
	failed |= !ok;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void sleep_ms(int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&t, NULL);
}

/* Sockets */

static int try_connect(const char *variable, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv(variable);
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (!path || strlen(path) >= sizeof(address.sun_path))
		errx(1, "%s does not name a socket", variable);
	strcpy(address.sun_path, path);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static int connect_direct(void)
{
	return try_connect("SUNDOG_SOCKET", SOCK_SEQPACKET);
}

static int connect_device(void)
{
	return try_connect("SUNDOG_DEVICE_SOCKET", SOCK_STREAM);
}

static struct sundog_message_hello hello(uint32_t role)
{
	struct sundog_message_hello m;

	message_init(&m, HELLO);
	m.magic = SUNDOG_MAGIC;
	m.version = SUNDOG_VERSION;
	m.role = role;
	m.extent_shift = role == SUNDOG_ROLE_DEVICE ? 16 : 0;
	m.vram_size = VRAM_SIZE;
	return m;
}

static bool receive(int fd, bool stream, struct message *m, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	message_begin(m);
	return poll(&p, 1, timeout_ms) == 1 && message_continue(fd, stream, m) == 1;
}

static bool is_open(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

/* Waits until the renderer closes the connection. Returns false after the timeout. */
static bool is_closed(int fd, bool stream, int timeout_ms)
{
	struct message m;

	while (receive(fd, stream, &m, timeout_ms))
		message_close_fds(&m);
	return !is_open(fd);
}

/* Connects a direct client. Returns its socket, or -1 if the renderer did not send WELCOME. */
static int client_new(void)
{
	const struct sundog_message_hello m = hello(SUNDOG_ROLE_DIRECT);
	const int fd = connect_direct();
	struct message answer;
	bool ok;

	if (fd < 0)
		return -1;
	ok = !message_send(fd, &m.header, NULL, 0) && receive(fd, false, &answer, PATIENCE_MS);
	if (ok && answer.header.type == SUNDOG_MESSAGE_WELCOME) {
		message_close_fds(&answer);
		return fd;
	}
	if (ok && answer.header.type == SUNDOG_MESSAGE_ERROR)
		printf("# %s\n", answer.error.text);
	close(fd);
	return -1;
}

static int sealed_memory(uint64_t size)
{
	const int fd = memfd_create("device", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		err(1, "memfd");
	return fd;
}

/* Sends the first message of a device. Returns @fd, or -1 if there is no WELCOME. */
static int device_greet(int fd, uint32_t version)
{
	struct sundog_message_hello m = hello(SUNDOG_ROLE_DEVICE);
	const int fds[3] = {
		sealed_memory(VRAM_SIZE),
		sealed_memory(SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE),
		sealed_memory(SUNDOG_CHANNELS_MEMORY),
	};
	struct message answer;

	m.version = version;
	if (fd >= 0 && (message_send(fd, &m.header, fds, 3) ||
			!receive(fd, true, &answer, PATIENCE_MS) ||
			answer.header.type != SUNDOG_MESSAGE_WELCOME)) {
		close(fd);
		fd = -1;
	}
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	return fd;
}

/* Connects a device. Returns its socket, or -1 if the renderer did not send WELCOME. */
static int device_new(void)
{
	return device_greet(connect_device(), SUNDOG_VERSION);
}

static int device_new_with(uid_t uid, uint32_t version)
{
	int fd;

	if (seteuid(uid))
		err(1, "seteuid");
	fd = device_greet(connect_device(), version);
	if (seteuid(0))
		err(1, "seteuid");
	return fd;
}

static int device_new_of(uid_t uid)
{
	return device_new_with(uid, SUNDOG_VERSION);
}

/* A client with a channel that was there before all attacks. */
struct bystander {
	int fd, events[2];
};

static bool expect_state(int fd, uint32_t state)
{
	struct message m;

	return receive(fd, false, &m, PATIENCE_MS) &&
	       m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE &&
	       m.channel_state.state == state;
}

static bool create_channel(const struct bystander *b, uint32_t channel)
{
	struct sundog_message_channel_create m;

	message_init(&m, CHANNEL_CREATE);
	m.client = 1;
	m.channel = channel;
	return !message_send(b->fd, &m.header, b->events, 2) &&
	       expect_state(b->fd, SUNDOG_CHANNEL_STATE_RUN);
}

static bool destroy_channel(const struct bystander *b, uint32_t channel)
{
	struct sundog_message_channel_destroy m;

	message_init(&m, CHANNEL_DESTROY);
	m.client = 1;
	m.channel = channel;
	return !message_send(b->fd, &m.header, NULL, 0) &&
	       expect_state(b->fd, SUNDOG_CHANNEL_STATE_OFF);
}

/* Makes a bystander without the channel. */
static struct bystander channelless_new(void)
{
	return (struct bystander){ client_new(),
				   { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) } };
}

static void bystander_del(const struct bystander *b)
{
	close(b->fd);
	close(b->events[0]);
	close(b->events[1]);
}

static struct bystander bystander_new(void)
{
	struct bystander b = channelless_new();

	if (b.fd < 0 || !create_channel(&b, 0))
		errx(1, "the renderer does not serve its first client");
	return b;
}

/*
 * Connects a client as soon as the renderer has noticed that earlier ones have gone, because the
 * connections of a user are limited. Returns -1 after the timeout.
 */
static int client_new_later(void)
{
	const int64_t start = now_ms();
	int fd = client_new();

	while (fd < 0 && now_ms() - start < PATIENCE_MS) {
		sleep_ms(10);
		fd = client_new();
	}
	return fd;
}

/*
 * Sends HELLO for new clients while attackers run or their sockets are open. An attack that blocks
 * the renderer blocks it longer than the timeout.
 */
static bool is_answered(void)
{
	const int64_t start = now_ms();
	int fd;

	for (int i = 0; i < 9; i++) {
		fd = client_new_later();
		if (fd < 0)
			return false;
		close(fd);
	}
	printf("# %d ms\n", (int)(now_ms() - start));
	return now_ms() - start < PATIENCE_MS;
}

/* Attacks that keep sockets open */

static int held[MAX_HELD];
static unsigned int n_held;

static void hold(int fd)
{
	if (fd >= 0 && n_held < MAX_HELD)
		held[n_held++] = fd;
}

static void let_go(void)
{
	while (n_held)
		close(held[--n_held]);
}

static void send_some(int fd, size_t size)
{
	const struct sundog_message_hello m = hello(SUNDOG_ROLE_DEVICE);

	if (fd >= 0 && send(fd, &m, size, MSG_NOSIGNAL) < 0)
		warn("send");
	hold(fd);
}

static void hold_parts(void)
{
	for (int i = 0; i < 4; i++) {
		send_some(connect_device(), 8);
		send_some(connect_device(), 1);
		send_some(connect_device(), sizeof(struct sundog_message_hello) - 1);
	}
}

static void hold_silent(void)
{
	for (int i = 0; i < 200; i++) {
		hold(connect_direct());
		hold(connect_device());
	}
}

/*
 * Makes a socket on which close() blocks: it lingers for data that the other end never reads. @pair
 * gets both ends.
 */
static void lingering_socket(int pair[2])
{
	const struct linger linger = { .l_onoff = 1, .l_linger = 5 * PATIENCE_MS / 1000 };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int room = 4096;
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(address);
	char data[4096] = { 0 };

	pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size) ||
	    connect(pair[0], (struct sockaddr *)&address, size))
		err(1, "no TCP");
	pair[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	while (send(pair[0], data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

/* Sends @n lingering sockets in a message that must not have any, or in place of two eventfds. */
static void send_lingering(int renderd, struct sundog_message *m, int n)
{
	int fd = client_new_later(), fds[8], pair[2];
	bool ok;

	for (int i = 0; i < n; i++) {
		lingering_socket(pair);
		fds[i] = pair[0];
		hold(pair[1]);
	}
	/*
	 * The stopped renderer holds the last descriptor of each socket, so its close() is the one
	 * that blocks.
	 */
	kill(renderd, SIGSTOP);
	ok = fd >= 0 && !message_send(fd, m, fds, n);
	hold(fd);
	for (int i = 0; ok && i < n; i++)
		close(fds[i]);
	kill(renderd, SIGCONT);
	if (!ok)
		errx(1, "the renderer does not take this");
}

static void hold_lingering(void)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));
	struct sundog_message_channel_destroy destroy;
	struct sundog_message_channel_create create;

	message_init(&destroy, CHANNEL_DESTROY);
	message_init(&create, CHANNEL_CREATE);
	create.client = 1;
	send_lingering(renderd, &destroy.header, 1);
	send_lingering(renderd, &destroy.header, 8);
	send_lingering(renderd, &create.header, 2);
	sleep_ms(100);
}

static void send_part(int fd, const void *part, size_t size, const int *fds, int n)
{
	char control[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec iov = { (void *)part, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = CMSG_SPACE(n * sizeof(int)) };

	*CMSG_FIRSTHDR(&msg) = (struct cmsghdr){ CMSG_LEN(n * sizeof(int)), SOL_SOCKET,
						 SCM_RIGHTS };
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, n * sizeof(int));
	if (sendmsg(fd, &msg, MSG_NOSIGNAL) != (ssize_t)size)
		err(1, "sendmsg");
}

/*
 * Sends the largest number of descriptors behind those that came with the first bytes of the
 * message.
 */
static void hold_lingering_parts(void)
{
	const struct sundog_message_hello m = hello(SUNDOG_ROLE_DEVICE);
	const int renderd = atoi(getenv("SUNDOG_RENDERD")), fd = connect_device();
	int fds[MESSAGE_MAX_FDS], pair[2];

	for (int i = 0; i < MESSAGE_OUR_FDS; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC);
	send_part(fd, &m, 8, fds, MESSAGE_OUR_FDS);
	for (int i = 0; i < MESSAGE_OUR_FDS; i++)
		close(fds[i]);
	sleep_ms(100);
	for (int i = 0; i < MESSAGE_MAX_FDS; i++) {
		lingering_socket(pair);
		fds[i] = pair[0];
		hold(pair[1]);
	}
	kill(renderd, SIGSTOP);
	send_part(fd, (const char *)&m + 8, 8, fds, MESSAGE_MAX_FDS);
	for (int i = 0; i < MESSAGE_MAX_FDS; i++)
		close(fds[i]);
	kill(renderd, SIGCONT);
	hold(fd);
	sleep_ms(100);
}

static void test_held(void (*attack)(void), const char *name)
{
	attack();
	report(is_answered(), name);
	let_go();
}

/* Attacks that go on */

static int send_revoke(int fd)
{
	struct sundog_message_revoke m;

	message_init(&m, REVOKE);
	return message_send(fd, &m.header, NULL, 0);
}

/* Sends messages that are answered, and reads no answer. */
static void flood_and_read_nothing(void)
{
	const int fd = device_new();

	while (!send_revoke(fd))
		;
	close(fd);
}

static void flood_and_read(void)
{
	struct message answer;
	const int fd = device_new();

	while (!send_revoke(fd) && receive(fd, true, &answer, PATIENCE_MS))
		;
	close(fd);
}

static void connect_and_leave(void)
{
	const int fd = rand() % 2 ? connect_direct() : connect_device();

	if (fd >= 0 && rand() % 2)
		send(fd, "12345678901234567890", 1 + rand() % 20, MSG_NOSIGNAL);
	close(fd);
}

/* Makes the renderer start workers, and leaves before they are ready. */
static void client_and_leave(void)
{
	const struct bystander b = channelless_new();
	struct sundog_message_channel_create m;

	message_init(&m, CHANNEL_CREATE);
	m.client = 1;
	if (b.fd >= 0)
		message_send(b.fd, &m.header, b.events, 2);
	sleep_ms(10);
	bystander_del(&b);
}

static void anything(void)
{
	static void (*const attacks[])(void) = {
		flood_and_read_nothing, connect_and_leave, client_and_leave, connect_and_leave,
	};

	attacks[rand() % 4]();
}

/*
 * Makes the sockets accessible for other users. Returns false if this process is not root and so
 * cannot act as another user.
 */
static bool open_doors(void)
{
	const char *paths[] = { getenv("SUNDOG_SOCKET"), getenv("SUNDOG_DEVICE_SOCKET") };
	char folder[108];

	if (geteuid())
		return false;
	for (int i = 0; i < 2; i++) {
		snprintf(folder, sizeof(folder), "%s", paths[i]);
		*strrchr(folder, '/') = 0;
		if (chmod(folder, 0711) || chmod(paths[i], 0666))
			err(1, "%s", paths[i]);
	}
	return true;
}

/* Forks @n processes that repeat the attack. @others: as another user. */
static void attackers_start(pid_t *pids, unsigned int n, void (*attack)(void), bool others)
{
	fflush(stdout);
	for (unsigned int i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		/* Lower priority than the clients under attack. */
		setpriority(PRIO_PROCESS, 0, 19);
		fclose(stdout);
		srand(i);
		if (others && setresuid(NOBODY, NOBODY, NOBODY))
			err(1, "setresuid");
		for (;;)
			attack();
	}
	sleep_ms(500);
}

static void attackers_end(const pid_t *pids, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	for (unsigned int i = 0; i < n; i++)
		waitpid(pids[i], NULL, 0);
}

static void test_flood(unsigned int n, void (*attack)(void), bool others, const char *name)
{
	pid_t pids[N_ATTACKERS];

	attackers_start(pids, n, attack, others);
	report(is_answered(), name);
	attackers_end(pids, n);
}

/* Refused messages */

/*
 * Waits until the renderer closes the connection. Returns true if its ERROR message contains @text.
 */
static bool is_refused(int fd, bool stream, const char *text)
{
	struct message m;
	bool ok = false;

	while (receive(fd, stream, &m, PATIENCE_MS)) {
		if (m.header.type == SUNDOG_MESSAGE_ERROR)
			ok = strstr(m.error.text, text);
		message_close_fds(&m);
	}
	if (!ok)
		printf("# no '%s'\n", text);
	close(fd);
	return ok;
}

static void test_roles(void)
{
	struct sundog_message_hello device = hello(SUNDOG_ROLE_DEVICE),
		direct = hello(SUNDOG_ROLE_DIRECT);
	const int fds[3] = { sealed_memory(VRAM_SIZE), sealed_memory(VRAM_SIZE),
			     sealed_memory(VRAM_SIZE) };
	int fd = connect_direct();

	message_send(fd, &device.header, fds, 3);
	report(is_refused(fd, false, "not for role"),
	       "there are no devices at the socket for direct clients");
	fd = connect_device();
	message_send(fd, &direct.header, NULL, 0);
	report(is_refused(fd, true, "not for role"),
	       "nor direct clients at the one for devices");
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static bool map_is_refused(int memory)
{
	struct sundog_message_guest_map m;
	const int fd = device_new();

	message_init(&m, GUEST_MAP);
	m.size = 4096;
	message_send(fd, &m.header, &memory, 1);
	close(memory);
	return is_refused(fd, true, "GUEST_MAP");
}

static void test_files(void)
{
	struct sundog_message_channel_create m;
	char path[] = "/tmp/peers-XXXXXX";
	const int file = mkstemp(path),
		loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const int fd = client_new();

	if (file < 0 || unlink(path) || ftruncate(file, 4096) || ftruncate(loose, 4096))
		err(1, "no file");
	message_init(&m, CHANNEL_CREATE);
	m.client = 1;
	message_send(fd, &m.header, (const int[]){ file, file }, 2);
	report(is_refused(fd, false, "eventfds"), "a file is no doorbell");
	report(map_is_refused(file), "nor memory of a guest");
	report(map_is_refused(loose), "a memory that can shrink is none, either");
}

/*
 * Destroys the client and then the channel itself: before the peer has got the answer for the
 * client (@at_once), or after it.
 */
static bool ends_once(bool at_once)
{
	const struct bystander b = channelless_new();
	struct sundog_message_channel_destroy channel;
	struct sundog_message_client_destroy client;
	bool ok = create_channel(&b, 0);

	message_init(&client, CLIENT_DESTROY);
	client.client = 1;
	message_init(&channel, CHANNEL_DESTROY);
	channel.client = 1;
	ok = ok && !message_send(b.fd, &client.header, NULL, 0);
	if (at_once)
		ok = ok && !message_send(b.fd, &channel.header, NULL, 0);
	ok = ok && expect_state(b.fd, SUNDOG_CHANNEL_STATE_OFF);
	if (!at_once)
		ok = ok && !message_send(b.fd, &channel.header, NULL, 0);
	/* The next answer belongs to the next channel. */
	ok = ok && create_channel(&b, 0);
	bystander_del(&b);
	return ok;
}

static uint64_t cpu_ms(int pid)
{
	unsigned long user = 0, system = 0;
	char path[64], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file))
		sscanf(strrchr(line, ')') + 2,
		       "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &system);
	if (file)
		fclose(file);
	return (user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

/*
 * Returns the CPU time that the renderer uses in one second while peers wait. It may still be
 * closing connections of other tests.
 */
static uint64_t silent_cpu_ms(int renderd)
{
	uint64_t before;

	hold_silent();
	sleep_ms(200);
	before = cpu_ms(renderd);
	sleep_ms(1000);
	before = cpu_ms(renderd) - before;
	let_go();
	return before;
}

/*
 * Takes the minimum of several seconds: a busy loop uses CPU time in each of them, on slow
 * machines, too.
 */
static void test_idle(int renderd)
{
	uint64_t ms = UINT64_MAX;

	for (int i = 0; i < 20 && ms >= 200; i++)
		ms = silent_cpu_ms(renderd);
	printf("# %d ms\n", (int)ms);
	report(ms < 200, "a renderer that has no room for more peers does not turn in circles");
}

/* The timeout that meson.build passes is over one second. */
static void test_late_hello(void)
{
	const int64_t start = now_ms();
	const int fd = connect_direct();

	report(is_closed(fd, false, PATIENCE_MS) && now_ms() - start > 1000,
	       "who never says hello is hung up on");
	close(fd);
}

static void test_attacks(int renderd)
{
	report(is_answered(), "a hello is answered (or this test looks at nothing)");
	test_held(hold_parts, "while others sent parts of a message");
	test_held(hold_silent, "while others said nothing");
	test_held(hold_lingering, "while others sent files that cannot be closed soon");
	if (getenv("SUNDOG_RENDERD_FILES"))
		report(true,
		       "while they sent more of them in parts "
		       "# SKIP the renderer has no room for them");
	else
		test_held(hold_lingering_parts, "while they sent more of them in parts");
	test_flood(4, flood_and_read_nothing, false, "while others ask and read no answers");
	test_flood(4, flood_and_read, false, "while others ask and read the answers");
	test_flood(4, connect_and_leave, false, "while others come and go");
	test_flood(4, client_and_leave, false, "while others start workers and go");
	/* One user may have fewer connections than there are in all: only two users can use all. */
	if (open_doors())
		test_flood(N_ATTACKERS, anything, true,
			   "while many of another user's do any of it");
	else
		test_flood(N_ATTACKERS / 2, anything, false, "while many of them do any of it");
	test_idle(renderd);
	test_roles();
	test_files();
	report(ends_once(true), "a channel that goes with its client ends once");
	report(ends_once(false), "a channel that went with its client does not end again");
}

/* Creates a channel of a client of a device, which has the same number. */
static bool device_serves_with(int fd, uint32_t client, const int events[2])
{
	struct sundog_message_channel_create create;
	struct message m;

	message_init(&create, CHANNEL_CREATE);
	create.client = create.channel = client;
	return fd >= 0 && !message_send(fd, &create.header, events, 2) &&
	       receive(fd, true, &m, PATIENCE_MS) &&
	       m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE && m.channel_state.channel == client &&
	       m.channel_state.state == SUNDOG_CHANNEL_STATE_RUN;
}

static bool device_serves(int fd, uint32_t client)
{
	const int events[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	const bool ok = device_serves_with(fd, client, events);

	close(events[0]);
	close(events[1]);
	return ok;
}

static bool device_is_served(void)
{
	const int fd = device_new();
	const bool ok = device_serves(fd, 1);

	close(fd);
	return ok;
}

/*
 * Needs --max-workers MAX_WORKERS. The direct clients of one user together get half of the workers,
 * however many connections they have.
 */
static void test_shares(void)
{
	enum { MAX_WORKERS = 8 };
	struct bystander all[MAX_WORKERS];
	int served = 1;			/* main() has one */

	for (int i = 0; i < MAX_WORKERS; i++) {
		all[i] = channelless_new();
		served += create_channel(&all[i], 0);
	}
	printf("# %d of %d workers\n", served, MAX_WORKERS);
	report(served == MAX_WORKERS / 2, "direct clients of a user have half of the workers");
	report(device_is_served(), "a device has one of the rest");
	for (int i = 0; i < MAX_WORKERS; i++)
		bystander_del(&all[i]);
}

/*
 * Needs --max-workers MAX_WORKERS, of which main() has one. Each device that is connected asks for
 * all workers.
 */
static void test_device_shares(void)
{
	enum { MAX_WORKERS = 8, N_DEVICES = 3 };
	int devices[N_DEVICES], n[N_DEVICES] = { 0 }, all = 0, other;
	const bool root = open_doors();
	int64_t start;

	for (int i = 0; i < N_DEVICES; i++)
		devices[i] = device_new();
	for (int i = 0; i < N_DEVICES; i++) {
		while (n[i] < MAX_WORKERS && device_serves(devices[i], n[i] + 1))
			n[i]++;
		printf("# device %d has %d workers\n", i, n[i]);
		all += n[i];
	}
	report(n[0] && n[1] && n[2], "each device gets workers, however many the others want");
	report(all <= MAX_WORKERS - MAX_WORKERS / 4, "the user's devices leave a quarter");
	other = root ? device_new_of(NOBODY) : -1;
	report(!root || device_serves(other, 1), root ? "of which another user's device gets some" :
	       "another user's device # SKIP only root can act as another user");
	close(other);
	for (int i = 1; i < N_DEVICES; i++)
		close(devices[i]);
	start = now_ms();
	while (n[0] < MAX_WORKERS - 1 && now_ms() - start < PATIENCE_MS) {
		if (device_serves(devices[0], n[0] + 1))
			n[0]++;
		else
			sleep_ms(10);
	}
	report(n[0] == MAX_WORKERS - 1, "a device that is connected alone gets all that are free");
	close(devices[0]);
}

/*
 * Programs leave places for devices, and a user who may have no more connections ends nobody's
 * handshake. Expects --max-connections 8.
 */
static void test_places(void)
{
	enum { PLACES = 8, OF_PROGRAMS = 6 };
	int clients[PLACES], devices[2], n = 1;			/* main() has one */

	while (n < PLACES && (clients[n] = client_new()) >= 0)
		n++;
	printf("# %d programs of %d connections\n", n, PLACES);
	report(n == OF_PROGRAMS, "programs have three quarters of the connections");
	devices[0] = device_new();
	report(devices[0] >= 0, "a device has one of the rest");
	devices[1] = connect_device();
	report(client_new() < 0, "a program beyond its limit is refused");
	devices[1] = device_greet(devices[1], SUNDOG_VERSION);
	report(devices[1] >= 0, "no handshake of a device was ended for it");
	close(clients[--n]);
	clients[n] = client_new_later();
	report(clients[n] >= 0, "when one ends there is a place again");
	for (int i = 1; i <= n; i++)
		close(clients[i]);
	for (int i = 0; i < 2; i++)
		close(devices[i]);
}

static int answer_ms = PATIENCE_MS;	/* how long to wait for the answer to a device */

/* Receives the next message of a device that is no CHANNEL_STATE. */
static bool receive_answer(int fd, uint32_t type, struct message *m)
{
	do {
		if (!receive(fd, true, m, answer_ms))
			return false;
	} while (m->header.type == SUNDOG_MESSAGE_CHANNEL_STATE);
	return m->header.type == type;
}

/* Maps a page of guest memory. Returns 1, 0 if the renderer refuses the map, or -1 on errors. */
static int map_page(int fd, uint32_t nth)
{
	const int memory = sealed_memory(SUNDOG_PAGE_SIZE);
	struct sundog_message_guest_map m;
	struct message answer;
	int ret = -1;

	message_init(&m, GUEST_MAP);
	m.offset = nth * SUNDOG_PAGE_SIZE;
	m.size = SUNDOG_PAGE_SIZE;
	if (!message_send(fd, &m.header, &memory, 1) &&
	    receive_answer(fd, SUNDOG_MESSAGE_GUEST_MAPPED, &answer) &&
	    answer.guest_mapped.offset == m.offset)
		ret = answer.guest_mapped.size == m.size ? 1 : answer.guest_mapped.size ? -1 : 0;
	close(memory);
	return ret;
}

static bool unmap_page(int fd, uint32_t nth)
{
	struct sundog_message_guest_unmap m;
	struct message answer;

	message_init(&m, GUEST_UNMAP);
	m.offset = nth * SUNDOG_PAGE_SIZE;
	m.size = SUNDOG_PAGE_SIZE;
	return !message_send(fd, &m.header, NULL, 0) &&
	       receive(fd, true, &answer, PATIENCE_MS) &&
	       answer.header.type == SUNDOG_MESSAGE_GUEST_UNMAPPED &&
	       answer.guest_unmapped.offset == m.offset;
}

/* Returns the number that the next descriptor of a process gets. */
static int next_file(int pid)
{
	char path[64];
	int fd = 0;

	do {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd++);
	} while (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW));
	return fd - 1;
}

/*
 * Maps more pages than any share. An old device cannot be told that a map is refused, but must not
 * get more descriptors.
 */
static bool old_device_goes_on(int renderd, int last)
{
	enum { N_MAPS = 200, OLD = 5 << 16 | 7 };
	const int fd = device_new_with(NOBODY, OLD);
	bool ok = true;

	for (uint32_t i = 0; ok && i < N_MAPS; i++)
		ok = map_page(fd, i) == 1;
	for (uint32_t i = 0; ok && i < N_MAPS; i++)
		ok = unmap_page(fd, i);
	close(fd);
	return ok && next_file(renderd) < last;
}

/*
 * The devices of one user map pages until the renderer refuses them or has no more descriptors.
 * Expects a limit of FILES open files.
 */
static void test_maps(int renderd)
{
	enum { FILES = 256, LAST = FILES - FILES / 4 - 1, N_DEVICES = 10 };
	int victim = device_new(), devices[N_DEVICES], mapped = 0, last = 1, n = 0;
	uint32_t i = 0;
	bool ok;

	if (!open_doors()) {
		report(true, "shares of maps # SKIP only root can act as another user");
		close(victim);
		return;
	}
	ok = map_page(victim, 0) == 1;
	while (n < N_DEVICES && next_file(renderd) < LAST) {
		devices[n] = device_new_of(NOBODY);
		for (i = 0; (last = map_page(devices[n], i)) == 1; i++) {
			mapped++;
			if (next_file(renderd) >= LAST)
				break;
		}
		n++;
	}
	printf("# %d maps of %d devices, next descriptor %d of %d\n", mapped, n, next_file(renderd),
	       LAST);
	report(ok && last == 0, "a map beyond the share is refused");
	report(last == 0 && unmap_page(devices[n - 1], i) && map_page(devices[n - 1], i) == 0,
	       "and its device goes on");
	report(map_page(victim, 1) == 1 && map_page(victim, 2) == 1 && map_page(victim, 3) == 1,
	       "while a device of another user maps more pages");
	report(device_is_served(), "and another device gets a worker");
	report(old_device_goes_on(renderd, LAST), "a device that knows no refusal goes on");
	while (n)
		close(devices[--n]);
	close(victim);
}

/* Attacks of a process that holds the lock of files, see locked-files.h, until it is killed */

static bool can_lock(void)
{
	const bool ok = open_doors() && locked_files_work();

	if (!ok)
		report(true, "files that cannot be closed # SKIP only root can attack so");
	return ok;
}

/* Starts an attacker. Returns its process when the attack is complete. */
static pid_t locker_start(void (*attack)(void))
{
	struct pollfd p = { .events = POLLIN };
	char ok = 0;
	int done[2];
	pid_t pid;

	fflush(stdout);
	if (pipe2(done, O_CLOEXEC))
		err(1, "pipe2");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		attack();
		if (write(done[1], &ok, 1) != 1)
			err(1, "write");
		for (;;)
			pause();
	}
	close(done[1]);
	p.fd = done[0];
	if (poll(&p, 1, PATIENCE_MS) != 1 || read(done[0], &ok, 1) != 1) {
		kill(pid, SIGKILL);
		errx(1, "no attack");
	}
	close(done[0]);
	return pid;
}

static void locker_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool reset_device(int fd)
{
	struct sundog_message_reset m;
	struct message answer;

	message_init(&m, RESET);
	return !message_send(fd, &m.header, NULL, 0) &&
	       receive_answer(fd, SUNDOG_MESSAGE_RESET_DONE, &answer);
}

/* A connection has BLOCKED threads for close(). */
enum { BLOCKED = 64, MORE_BLOCKED = 8, RESETS = 4, ROUNDS = 4 };

/*
 * Sends BLOCKED locked files for the second one of two new clients, which is destroyed before its
 * worker is ready, so that the renderer has the last descriptors. Clients and channels begin at
 * @first.
 */
static void queue_and_destroy(int fd, const int *files, uint32_t first)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));
	const int events[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	struct sundog_message_channel_create create;
	struct sundog_message_client_destroy destroy;
	bool ok;

	message_init(&create, CHANNEL_CREATE);
	message_init(&destroy, CLIENT_DESTROY);
	create.client = create.channel = first;
	kill(renderd, SIGSTOP);
	ok = !message_send(fd, &create.header, events, 2);
	create.client = destroy.client = first + 1;
	for (int i = 0; ok && i < BLOCKED; i += 2) {
		create.channel++;
		ok = !message_send(fd, &create.header, files + i, 2);
	}
	ok = ok && !message_send(fd, &destroy.header, NULL, 0);
	for (int i = 0; i < BLOCKED; i++)
		close(files[i]);
	kill(renderd, SIGCONT);
	if (!ok)
		errx(1, "the renderer does not take this");
	close(events[0]);
	close(events[1]);
	sleep_ms(300);
}

/* Sends MORE_BLOCKED locked files for channels that cannot be. */
static void send_more(int fd, const int *files)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));
	struct sundog_message_channel_create create;
	bool ok = true;

	message_init(&create, CHANNEL_CREATE);
	create.channel = UINT32_MAX;
	for (int i = 0; ok && i < MORE_BLOCKED; i += 2) {
		kill(renderd, SIGSTOP);
		ok = !message_send(fd, &create.header, files + i, 2);
		close(files[i]);
		close(files[i + 1]);
		kill(renderd, SIGCONT);
	}
	if (!ok)
		errx(1, "the renderer does not take this");
}

/*
 * With all its threads blocked, maps pages and resets, again and again, until the renderer does not
 * read any more. Threads that were still closing other files at first are blocked, too.
 */
static void map_and_reset(void)
{
	const int fd = device_new_of(NOBODY);
	int files[BLOCKED + MORE_BLOCKED];

	locked_files_new(files, BLOCKED + MORE_BLOCKED);
	queue_and_destroy(fd, files, 1);
	send_more(fd, files + BLOCKED);
	answer_ms = 2000;
	for (int i = 0; i < RESETS; i++) {
		uint32_t n = 0;

		while (map_page(fd, n) == 1)
			n++;
		printf("# %u maps\n", n);
		if (!reset_device(fd))
			break;
	}
	fflush(stdout);
}

/* Repeats that with other clients. */
static void queue_channels(void)
{
	const int fd = device_new_of(NOBODY);
	int files[ROUNDS * BLOCKED];

	locked_files_new(files, ROUNDS * BLOCKED);
	for (int i = 0; i < ROUNDS; i++)
		queue_and_destroy(fd, files + i * BLOCKED, 1 + i * BLOCKED);
}

/* Descriptors that wait to be closed are of the device's share. Expects few open files. */
static void test_locked(int renderd, void (*attack)(void))
{
	int victim = device_new();
	bool ok = map_page(victim, 0) == 1;
	pid_t pid;

	if (!can_lock()) {
		close(victim);
		return;
	}
	pid = locker_start(attack);
	printf("# next descriptor %d\n", next_file(renderd));
	for (uint32_t i = 1; i < 4; i++)
		ok = ok && map_page(victim, i) == 1;
	report(ok, "a device with files that cannot be closed leaves maps for others");
	report(device_is_served(), "and another device gets a worker");
	locker_end(pid);
	close(victim);
}

enum { LOCKED_CLIENTS = 4 };

/* Leaves workers that cannot exit: they have the last descriptors of locked files. */
static void leave_workers(void)
{
	const int fd = device_new_of(NOBODY);
	int files[2 * LOCKED_CLIENTS];

	locked_files_new(files, 2 * LOCKED_CLIENTS);
	for (uint32_t i = 0; i < LOCKED_CLIENTS; i++) {
		if (!device_serves_with(fd, i + 1, files + 2 * i))
			errx(1, "the renderer does not take this");
		close(files[2 * i]);
		close(files[2 * i + 1]);
	}
	close(fd);
	sleep_ms(300);
}

/*
 * Needs --max-workers MAX_WORKERS, of which main() has one, and --max-clients LOCKED_CLIENTS. A
 * device of a user leaves, and another one of this user asks for all workers.
 */
static void test_locked_shares(void)
{
	enum { MAX_WORKERS = 8 };
	int next, other, n = 0;
	pid_t pid;

	if (!can_lock())
		return;
	pid = locker_start(leave_workers);
	next = device_new_of(NOBODY);
	while (n < MAX_WORKERS && device_serves(next, n + 1))
		n++;
	printf("# %d workers that cannot exit, and %d of the user's next device\n", LOCKED_CLIENTS,
	       n);
	report(n > 0, "a device gets workers while others of its user cannot exit");
	other = device_new();
	report(device_serves(other, 1), "and leaves some for another user's device");
	locker_end(pid);
	close(next);
	close(other);
}

int main(int argc, char **argv)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));
	struct rlimit files = { 4096, 4096 };
	struct bystander b = bystander_new();

	signal(SIGPIPE, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 2 && !strcmp(argv[1], "late"))
		test_late_hello();
	else if (argc == 2 && !strcmp(argv[1], "shares"))
		test_shares();
	else if (argc == 2 && !strcmp(argv[1], "device-shares"))
		test_device_shares();
	else if (argc == 2 && !strcmp(argv[1], "places"))
		test_places();
	else if (argc == 2 && !strcmp(argv[1], "maps"))
		test_maps(renderd);
	else if (argc == 2 && !strcmp(argv[1], "locked-maps"))
		test_locked(renderd, map_and_reset);
	else if (argc == 2 && !strcmp(argv[1], "locked-channels"))
		test_locked(renderd, queue_channels);
	else if (argc == 2 && !strcmp(argv[1], "locked-shares"))
		test_locked_shares();
	else
		test_attacks(renderd);
	report(is_open(b.fd) && create_channel(&b, 1) && destroy_channel(&b, 0) &&
	       destroy_channel(&b, 1),
	       "a client from before all that goes on");
	printf("1..%u\n", count);
	return failed;
}

// SPDX-License-Identifier: MIT
/*
 * File descriptors of all kinds, see pool.h. Used by fuzz-broker.c, peer.c and stub-worker.c.
 */
#define _GNU_SOURCE
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "input.h"
#include "sundog_hw.h"

/* Few enough that a handful of peers can use them all up. */
#define MAX_FILES 1024

#define VRAM_SIZE (16ull << 20)
#define TABLE_SIZE ((uint64_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry))
#define GUEST_SIZE (1ull << 20)

static int own[MAX_PARTIES + 1][POOL_OWN], shared[POOL_KINDS];
static bool was_open[MAX_FILES];

/* Ranges that pool_write() has written. */
static struct { uint8_t party, kind; uint64_t offset; size_t size; } written[256];
static unsigned int n_written;

static int memory(uint64_t size, int seals)
{
	const int fd = memfd_create("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	MUST(fd >= 0 && !ftruncate(fd, size) && !fcntl(fd, F_ADD_SEALS, seals), "memfd_create");
	return fd;
}

static void make_own(uint8_t party)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	int *fds = own[party];

	fds[POOL_VRAM] = memory(pool_size(party, VRAM_SIZE), seals);
	fds[POOL_TABLE] = memory(pool_size(party, TABLE_SIZE), seals);
	fds[POOL_CHANNELS] = memory(pool_size(party, SUNDOG_CHANNELS_MEMORY), seals);
	fds[POOL_GUEST] = memory(pool_size(party, GUEST_SIZE), seals);
	fds[POOL_DOORBELL] = eventfd(party, EFD_CLOEXEC | EFD_NONBLOCK);
	fds[POOL_IRQ] = eventfd(party, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void make_shared(void)
{
	int pipe_ends[2], pair[2];
	char path[32];

	MUST(!pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) &&
	     !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), "pipe2");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", own[1][POOL_VRAM]);
	shared[POOL_LOOSE] = memory(1ull << 30, 0);
	shared[POOL_GROWS] = memory(1ull << 30, F_SEAL_SHRINK);
	shared[POOL_SMALL] = memory(SUNDOG_PAGE_SIZE, F_SEAL_SHRINK | F_SEAL_GROW);
	shared[POOL_PATH] = open(path, O_PATH | O_CLOEXEC);
	shared[POOL_PIPE_IN] = pipe_ends[1];
	shared[POOL_PIPE_OUT] = pipe_ends[0];
	shared[POOL_SOCKET] = pair[0];
	shared[POOL_FOLDER] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	shared[POOL_NULL] = open("/dev/null", O_RDWR | O_CLOEXEC);
	shared[POOL_EPOLL] = epoll_create1(EPOLL_CLOEXEC);
	shared[POOL_TIMER] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* Finds out which descriptors are open, with one system call. */
static void look(bool *open)
{
	static struct pollfd polls[MAX_FILES];

	for (int fd = 0; fd < MAX_FILES; fd++)
		polls[fd] = (struct pollfd){ .fd = fd };
	MUST(poll(polls, MAX_FILES, 0) >= 0, "poll");
	for (int fd = 0; fd < MAX_FILES; fd++)
		open[fd] = !(polls[fd].revents & POLLNVAL);
}

void pool_init(void)
{
	const struct rlimit files = { MAX_FILES, MAX_FILES };

	MUST(!setrlimit(RLIMIT_NOFILE, &files), "setrlimit");
	for (uint8_t party = 1; party <= MAX_PARTIES; party++)
		make_own(party);
	make_shared();
}

int pool_get(uint8_t party, unsigned int kind)
{
	kind %= POOL_KINDS;
	return kind < POOL_OWN ? own[party ? party : 1][kind] : shared[kind];
}

uint64_t pool_size(uint8_t party, uint64_t size)
{
	return (size & ~0xf000ull) | (uint64_t)party << 12;
}

uint8_t pool_party(uint64_t size)
{
	const uint8_t party = size >> 12 & 15;

	return party <= MAX_PARTIES ? party : 0;
}

uint8_t pool_party_of_memory(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode) ? 0 : pool_party(st.st_size);
}

static bool is_guest(const struct stat *st)
{
	struct stat own_st;
	const uint8_t party = S_ISREG(st->st_mode) ? pool_party(st->st_size) : 0;

	return party && party <= MAX_PARTIES && !fstat(own[party][POOL_GUEST], &own_st) &&
	       own_st.st_dev == st->st_dev && own_st.st_ino == st->st_ino;
}

unsigned int pool_guest_copies(void)
{
	unsigned int n = 0;
	struct stat st;

	for (int fd = 0; fd < MAX_FILES; fd++)
		n += !fstat(fd, &st) && is_guest(&st);
	return n - MAX_PARTIES;
}

uint8_t pool_party_of_event(int fd)
{
	uint64_t party = 0;

	if (read(fd, &party, sizeof(party)) != sizeof(party))
		return 0;
	MUST(write(fd, &party, sizeof(party)) == sizeof(party), "eventfd");
	return party;
}

void pool_write(uint8_t party, enum pool_kind kind, uint64_t offset, const void *data, size_t size)
{
	if (n_written == sizeof(written) / sizeof(written[0]))
		return;
	written[n_written++] = (__typeof__(written[0])){ party, kind, offset, size };
	MUST(pwrite(own[party][kind], data, size, offset) == (ssize_t)size, "pwrite");
}

static void unwrite(void)
{
	static const char zeroes[SUNDOG_PAGE_SIZE];

	while (n_written) {
		const __typeof__(written[0]) *w = &written[--n_written];

		MUST(pwrite(own[w->party][w->kind], zeroes, w->size, w->offset) == (ssize_t)w->size,
		     "pwrite");
	}
}

void pool_begin(void)
{
	look(was_open);
}

void pool_end(void)
{
	bool is_open[MAX_FILES];
	char path[32], what[256] = "nothing";

	unwrite();
	look(is_open);
	for (int fd = 0; fd < MAX_FILES; fd++) {
		if (is_open[fd] == was_open[fd])
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (is_open[fd])
			MUST(readlink(path, what, sizeof(what) - 1) > 0, "readlink");
		fprintf(stderr, "descriptor %d is %s\n", fd, what);
		MUST(false, "other descriptors are open than at the beginning");
	}
}

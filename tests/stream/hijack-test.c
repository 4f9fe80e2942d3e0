// SPDX-License-Identifier: MIT
/*
 * Tests what a worker that an attacker took over can reach. This program plays a device with two
 * clients and makes the worker of one of them execute its requests (hijack.h). The other client's
 * memory is full of canaries, which must be neither read nor changed. Prints TAP.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fake-device.h"
#include "hijack.h"
#include "patience.h"

/*
 * The first half of VRAM belongs to the hijacked client and the second half to the victim, except
 * for the allocation that both list.
 */
enum { OWN = STREAM + 1, VICTIM, SHARED, GUEST };
#define HALF (VRAM_SIZE / 2)
#define OWN_OFFSET STREAM_SIZE
#define VICTIM_OFFSET HALF
#define SHARED_OFFSET (VRAM_SIZE - EXTENT)
#define SIZE (16 * PAGE)
#define CANARY 0xca9a27ca9a27ull

/*
 * Address of the VRAM window in workers. The page after the stream is for results, the next one for
 * arguments.
 */
#define HOME 0x200000000000ull
#define RESULT_OFFSET (OWN_OFFSET + SIZE)
#define ARGUMENT_OFFSET (RESULT_OFFSET + PAGE)
/* An address range without mappings. */
#define ELSEWHERE 0x700000000000ull

/* The range that a process may unmap. The window lies below it and stays mapped. */
#define LOWEST 0x400000000000ull
#define HIGHEST 0x7ffffffff000ull

#define HEAP_OFFSET (16 * PAGE)

/* Since Linux 6.11; older headers lack it. */
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08
#endif

struct scene {
	struct device *d;
	struct channel ch, victim;	/* the victim's channel is the next slot */
	int pid, victim_pid;		/* PIDs of the workers */
	int vram, table, channels, status;	/* descriptors in the hijacked worker */
	struct pages pages;
};

/* The worker's code */

static void post_hijack(struct scene *s, struct hijack h)
{
	static const uint32_t list[] = { OWN, 0 };

	h.magic = HIJACK_MAGIC;
	h.result = HOME + RESULT_OFFSET;
	memcpy(s->d->stream.map, &h, sizeof(h));
	s->d->stream.used = sizeof(h) / 4;
	memset(s->d->vram + RESULT_OFFSET, 0x55, sizeof(struct hijack_result));
	submit(s->d, &s->ch, STREAM, list);
}

static struct hijack_result hijack(struct scene *s, struct hijack h)
{
	struct hijack_result result;

	post_hijack(s, h);
	if (!wait_done(s->d, &s->ch))
		errx(1, "the worker does not run our code");
	memcpy(&result, s->d->vram + RESULT_OFFSET, sizeof(result));
	return result;
}

static int64_t call_with(struct scene *s, const uint64_t *args)
{
	struct hijack h = { .op = HIJACK_SYSCALL };

	memcpy(h.args, args, sizeof(h.args));
	return hijack(s, h).value;
}

/* Executes a system call in the worker. Returns its result, or -errno. */
#define call(s, ...) call_with(s, (const uint64_t[7]){ __VA_ARGS__ })

static int64_t map_fd(struct scene *s, uint64_t fd, uint64_t offset, uint64_t size)
{
	return call(s, SYS_mmap, ELSEWHERE, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    fd, offset);
}

static int64_t unmap(struct scene *s)
{
	return call(s, SYS_munmap, ELSEWHERE, VRAM_SIZE);
}

static bool there_is_nothing(struct scene *s, uint64_t address)
{
	const struct hijack_result read = hijack(s, (struct hijack){ .op = HIJACK_READ,
								     .args = { address } });
	const struct hijack_result write = hijack(s, (struct hijack){ .op = HIJACK_WRITE,
								      .args = { address, 1 } });

	if (read.value != -EFAULT)
		printf("# %#llx can be read: %#llx\n", (unsigned long long)address,
		       (unsigned long long)read.data);
	return read.value == -EFAULT && write.value == -EFAULT;
}

/* Writes an argument to memory that the worker can read. Returns its address in the worker. */
static uint64_t argument(struct scene *s, uint64_t offset, const void *data, size_t size)
{
	memcpy(s->d->vram + ARGUMENT_OFFSET + offset, data, size);
	return HOME + ARGUMENT_OFFSET + offset;
}

/* The scene */

static bool fd_is(int pid, const char *fd, const char *what, int mode)
{
	char path[300], line[300];
	int flags = -1;
	ssize_t size;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, fd);
	size = readlink(path, line, sizeof(line) - 1);
	if (size < 0)
		return false;
	line[size] = 0;
	if (!strstr(line, what))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "flags: %o", &flags);
	if (f)
		fclose(f);
	return flags >= 0 && (flags & O_ACCMODE) == mode;
}

static bool has_limit(int pid, int resource, rlim_t most)
{
	struct rlimit limit;

	return !prlimit(pid, resource, NULL, &limit) && limit.rlim_max <= most;
}

/* Returns the number of the worker's descriptor of file @what, or -1 if there is none. */
static int look_for_fd(int pid, const char *what, int mode)
{
	char path[64];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (fd_is(pid, entry->d_name, what, mode))
			fd = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return fd;
}

static int find_fd(int pid, const char *what, int mode)
{
	const int fd = look_for_fd(pid, what, mode);

	if (fd < 0)
		errx(1, "the worker has no %s", what);
	return fd;
}

static int new_worker(const struct workers *before)
{
	const struct workers now = wait_for_workers(before->n + 1);

	for (int i = 0; i < now.n; i++)
		if (!before->n || now.pids[i] != before->pids[0])
			return now.pids[i];
	errx(1, "no worker");
}

static void set_canaries(struct scene *s)
{
	uint64_t *at = (uint64_t *)(s->d->vram + VICTIM_OFFSET);

	for (uint64_t i = 0; i < HALF / 8; i++)
		at[i] = CANARY + i;
}

static bool canaries_live(const struct scene *s)
{
	const uint64_t *at = (uint64_t *)(s->d->vram + VICTIM_OFFSET);

	for (uint64_t i = 0; i < (HALF - EXTENT) / 8; i++)
		if (at[i] != CANARY + i)
			return false;
	return true;
}

static bool use(struct scene *s, struct channel *ch, uint32_t handle)
{
	const uint32_t list[] = { handle, 0 };

	emit_fill(s->d, handle, PAGE, 1);
	return run(s->d, ch, list);
}

static struct scene scene_new(void)
{
	struct scene s = { .d = device_new(), .pages = pages_new(4 * PAGE) };
	struct workers workers = { .n = 0 };

	give_extents(s.d, 0, HALF, 1);
	give_extents(s.d, VICTIM_OFFSET, HALF - EXTENT, 2);
	publish(s.d, OWN, SUNDOG_HEAP_VRAM, OWN_OFFSET, SIZE);
	publish(s.d, VICTIM, SUNDOG_HEAP_VRAM, VICTIM_OFFSET, SIZE);
	publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, SIZE);
	publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, s.pages.size);
	if (!map_pages(s.d, HEAP_OFFSET, &s.pages))
		errx(1, "no heap GUEST");
	s.ch = channel_new(s.d, 1, 0);
	s.pid = new_worker(&workers);
	workers = wait_for_workers(1);
	s.victim = channel_new(s.d, 2, 1);
	s.victim_pid = new_worker(&workers);
	if (!use(&s, &s.ch, OWN) || !use(&s, &s.ch, SHARED) || !use(&s, &s.ch, GUEST))
		errx(1, "the worker does not work");
	/* The extents of the victim's stream are not its own. */
	if (!use(&s, &s.victim, VICTIM) || !use(&s, &s.victim, SHARED) ||
	    !use(&s, &s.victim, GUEST))
		errx(1, "the victim's worker does not work");
	s.vram = find_fd(s.pid, "memfd:device-vram", O_RDWR);
	s.channels = find_fd(s.pid, "memfd:device-channels", O_RDONLY);
	s.status = find_fd(s.pid, "memfd:device-channels", O_RDWR);
	s.table = find_fd(s.pid, getenv(PAGES_UDMABUF) ? "/dmabuf:" : "memfd:pages", O_RDWR);
	set_canaries(&s);
	return s;
}

static bool victim_is_well(struct scene *s)
{
	const bool ok = canaries_live(s);

	return ok && kill(s->victim_pid, 0) == 0 && use(s, &s->victim, VICTIM);
}

static void scene_free(struct scene *s)
{
	channel_free(&s->ch);
	channel_free(&s->victim);
	device_free(s->d);
	pages_free(&s->pages);
}

/* Attacks */

/* Sizes of an allocation that VRAM does not have, or that are not whole pages. */
static const uint64_t odd_sizes[] = { SIZE + PAGE / 2, EXTENT + PAGE, 1ull << 40, -PAGE, 0 };

static void test_vram(void)
{
	struct scene s = scene_new();
	bool ok = map_fd(&s, s.vram, OWN_OFFSET, EXTENT) == (int64_t)ELSEWHERE && !unmap(&s),
		none = true;

	report(ok, "the worker can map an extent of its client (or this test looks at nothing)");
	for (uint64_t at = 0; at < VRAM_SIZE; at += EXTENT)
		if (at >= HALF)
			ok = ok && map_fd(&s, s.vram, at, EXTENT) == -EACCES &&
			     map_fd(&s, s.vram, at, PAGE) == -EACCES;
	report(ok, "no extent of anybody else");
	ok = map_fd(&s, s.vram, 0, VRAM_SIZE) == -EACCES &&
	     map_fd(&s, s.vram, HALF - EXTENT, 2 * EXTENT) == -EACCES &&
	     map_fd(&s, s.vram, HALF - PAGE, PAGE + 1) == -EACCES &&
	     map_fd(&s, s.vram, VRAM_SIZE, PAGE) == -EACCES &&
	     map_fd(&s, s.vram, PAGE, UINT64_MAX - 100) == -EACCES &&
	     map_fd(&s, s.vram, HALF - PAGE, UINT64_MAX - PAGE + 1) == -EACCES;
	report(ok, "not all of VRAM, nor a range that reaches out");
	ok = map_fd(&s, s.vram | 1ull << 32, VICTIM_OFFSET, PAGE) == -EACCES &&
	     map_fd(&s, s.vram | 0xffffffffull << 32, VICTIM_OFFSET, PAGE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)VICTIM << 32, VICTIM_OFFSET, SIZE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)OWN << 32, VICTIM_OFFSET, SIZE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET, SIZE + PAGE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET - PAGE, SIZE) == -EACCES;
	report(ok, "whatever is in the upper half of the descriptor");
	ok = use(&s, &s.ch, SHARED) &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET, SIZE) ==
	     (int64_t)ELSEWHERE &&
	     !unmap(&s);
	report(ok, "of what is shared, what was listed");
	memset(s.ch.list, 0, SUNDOG_LIST_ENTRIES * sizeof(*s.ch.list));
	ok = map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET, SIZE) ==
	     (int64_t)ELSEWHERE && !unmap(&s) &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET + SIZE - PAGE, PAGE) ==
	     (int64_t)ELSEWHERE && !unmap(&s);
	report(ok, "and that again, or a part of it, without a look at its lists");
	ok = map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET + SIZE, PAGE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET + PAGE, SIZE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET - PAGE, PAGE) == -EACCES &&
	     map_fd(&s, s.vram | (uint64_t)SHARED << 32, VICTIM_OFFSET, PAGE) == -EACCES;
	report(ok, "but nothing around it, nor with its name");
	/* The broker keeps what it allows, and looks at all of it when memory is revoked. */
	ok = true;
	for (uint32_t i = 0; i < sizeof(odd_sizes) / sizeof(odd_sizes[0]); i++) {
		publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, odd_sizes[i]);
		s.ch.list[0] = list_entry(s.d, SHARED);
		ok = ok && map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET, PAGE) ==
				   -EACCES;
	}
	memset(s.ch.list, 0, SUNDOG_LIST_ENTRIES * sizeof(*s.ch.list));
	report(ok, "nor of an allocation that is larger than VRAM, or not whole pages");
	publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, SIZE);
	ok = map_fd(&s, s.vram | (uint64_t)SHARED << 32, SHARED_OFFSET, SIZE) == -EACCES;
	report(ok, "but not what has its name now, in the same place");
	ok = call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, s.vram, VICTIM_OFFSET) ==
	     -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, s.vram, OWN_OFFSET) == -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, s.vram, OWN_OFFSET) ==
	     -EACCES;
	report(ok, "no private copies, no code");
	for (uint64_t at = HALF; at < VRAM_SIZE; at += EXTENT)
		none = none && there_is_nothing(&s, HOME + at);
	none = none && there_is_nothing(&s, HOME - 8) &&
	       there_is_nothing(&s, HOME - (2ull << 30)) &&
	       there_is_nothing(&s, HOME + (2ull << 30)) &&
	       there_is_nothing(&s, HOME + (4ull << 30));
	report(none, "there is nothing in the window but the client's memory");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

/*
 * Makes the same calls in a thread other than the main thread, the only one for which the broker
 * grants any.
 */
static void test_thread(void)
{
	struct scene s = scene_new();
	struct hijack h = {
		.op = HIJACK_SYSCALL, .thread = 1,
		.args = { SYS_mmap, ELSEWHERE, EXTENT, PROT_READ, MAP_SHARED | MAP_FIXED, s.vram,
			  OWN_OFFSET },
	};

	report(hijack(&s, h).value == -EACCES, "other threads than the main one map nothing");
	h.args[2] = 0;
	h.args[6] = 1;
	report(hijack(&s, h).value == -EACCES, "and confirm nothing");
	scene_free(&s);
}

static void test_channels(void)
{
	const uint64_t other = SUNDOG_CHANNEL_SIZE,
		table = SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS;
	struct scene s = scene_new();
	bool ok = true;

	for (uint64_t page = 0; page < SUNDOG_CHANNEL_SIZE; page += PAGE)
		ok = ok &&
		     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, s.channels, other + page) ==
		     -EACCES &&
		     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, s.status, other + page) ==
		     -EACCES;
	report(ok, "ring, list, control and status of another client's channel");
	ok = call(&s, SYS_mmap, 0, 2 * SUNDOG_CHANNEL_SIZE, PROT_READ, MAP_SHARED, s.channels) ==
	     -EACCES &&
	     call(&s, SYS_mmap, 0, SUNDOG_CHANNELS_MEMORY, PROT_READ, MAP_SHARED, s.channels) ==
	     -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, s.channels, 2 * other) == -EACCES;
	report(ok, "all of them, or one of nobody's");
	ok = call(&s, SYS_mmap, 0, SUNDOG_CHANNEL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		  s.channels) < 0 &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s.status,
		  SUNDOG_CHANNEL_LIST) == -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s.status,
		  SUNDOG_CHANNEL_RING) == -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s.status, table) ==
	     -EACCES &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s.channels, table) < 0;
	report(ok, "its own ring and list, and the extent table, cannot be written");
	ok = call(&s, SYS_mmap, ELSEWHERE, SUNDOG_CHANNEL_SIZE, PROT_READ, MAP_SHARED | MAP_FIXED,
		  s.channels) > 0 &&
	     call(&s, SYS_mprotect, ELSEWHERE, SUNDOG_CHANNEL_SIZE, PROT_READ | PROT_WRITE) ==
	     -EACCES;
	report(ok, "nor made so");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

/* Returns the address of the worker's mapping of file @what in /proc, or 0 if there is none. */
static uint64_t find_map(int pid, const char *what)
{
	char path[64], line[512];
	unsigned long start = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && !start && fgets(line, sizeof(line), f))
		if (strstr(line, what))
			start = strtoul(line, NULL, 16);
	if (f)
		fclose(f);
	return start;
}

static void test_code(struct scene *s)
{
	static const uint64_t both[] = { PROT_WRITE | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC,
					 1ull << 32 | PROT_WRITE | PROT_EXEC };
	const int64_t memory = call(s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1);
	bool ok = memory > 0;

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		ok = ok && call(s, SYS_mmap, 0, PAGE, both[i], MAP_PRIVATE | MAP_ANONYMOUS, -1) ==
		     -EPERM &&
		     call(s, SYS_mprotect, memory, PAGE, both[i]) == -EPERM &&
		     call(s, SYS_pkey_mprotect, memory, PAGE, both[i], 0) == -EPERM;
	report(ok, "no memory is writable and executable");
	report(call(s, SYS_mprotect, memory, PAGE, PROT_READ | PROT_EXEC) == 0 &&
	       call(s, SYS_munmap, memory, PAGE) == 0,
	       "code that is complete is executable");
}

static void test_other_ways(void)
{
	struct scene s = scene_new();
	const int fds[] = { s.vram, s.table, s.channels, s.status };
	const uint64_t home = HOME + OWN_OFFSET, name = argument(&s, 0, "/proc/self/mem", 15);
	const uint64_t table = find_map(s.pid, "memfd:device-table");
	const int heap = look_for_fd(s.pid, "memfd:allocation fd", O_RDWR);
	bool ok = true;

	report(table && call(&s, SYS_mprotect, table, PAGE, PROT_READ | PROT_WRITE) == -EACCES,
	       "the allocation table cannot be made writable");
	ok = call(&s, SYS_mremap, home, PAGE, VRAM_SIZE, MREMAP_MAYMOVE) == -EPERM &&
	     call(&s, SYS_mremap, home, 0, EXTENT, MREMAP_MAYMOVE) == -EPERM &&
	     call(&s, SYS_mremap, home, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, ELSEWHERE) ==
	     -EPERM &&
	     call(&s, SYS_remap_file_pages, home, PAGE, 0, VICTIM_OFFSET / PAGE) == -EPERM;
	report(ok, "mappings do not grow, move or show something else");
	for (int i = 0; i < 4; i++) {
		static const uint64_t calls[] = {
			SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_preadv,
			SYS_sendfile, SYS_splice,
			SYS_ftruncate, SYS_fallocate, SYS_lseek, SYS_close, SYS_dup, SYS_dup2,
			SYS_dup3, SYS_fcntl,
			SYS_ioctl, SYS_copy_file_range, SYS_close_range,
		};

		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
			for (uint64_t high = 0; high <= 1ull << 32; high += 1ull << 32)
				ok = ok &&
				     call(&s, calls[k], fds[i] | high, HOME + ARGUMENT_OFFSET, 8,
					  VICTIM_OFFSET) == -EPERM;
	}
	report(ok, "descriptors of memories cannot be read, written, closed, copied");
	ok = call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1) ==
	     -EPERM &&
	     call(&s, SYS_mmap, 0, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB,
		  -1) == -EPERM &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN,
		  -1) == -EPERM &&
	     call(&s, SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK |
		  MAP_GROWSDOWN, -1) == -EPERM &&
	     (call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_DROPPABLE | MAP_ANONYMOUS,
		   -1) == -EPERM) &&
	     call(&s, SYS_memfd_create, name) == -EPERM;
	report(ok, "no memory that does not count");
	report(heap >= 0 && call(&s, SYS_mmap, ELSEWHERE, PAGE, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, heap) == -EACCES &&
	       call(&s, SYS_mmap, ELSEWHERE, PAGE, PROT_NONE, MAP_SHARED | MAP_FIXED, heap) ==
	       -EACCES,
	       "no memory of the host driver in the client's place");
	report(heap >= 0 && call(&s, SYS_mmap, 0, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED,
				 heap) == -EPERM,
	       "none that is shared and executable");
	report(call(&s, SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		    CLONE_THREAD | CLONE_PIDFD) == -EPERM,
	       "no descriptors of threads");
	report(has_limit(s.pid, RLIMIT_SIGPENDING, 0) && has_limit(s.pid, RLIMIT_NOFILE, 4096),
	       "no queued signals, and not too many descriptors");
	test_code(&s);
	ok = call(&s, SYS_open, name, O_RDWR) == -EPERM &&
	     call(&s, SYS_openat, AT_FDCWD, name, O_RDWR) == -EPERM &&
	     call(&s, SYS_creat, name) == -EPERM &&
	     call(&s, SYS_openat2, AT_FDCWD, name, HOME + RESULT_OFFSET, 24) == -EPERM &&
	     call(&s, SYS_execve, name) == -EPERM &&
	     call(&s, SYS_mount, name, name, name) == -EPERM &&
	     call(&s, SYS_unlink, name) == -EPERM;
	report(ok, "no file");
	ok = call(&s, SYS_socket, AF_UNIX, SOCK_STREAM) == -EPERM &&
	     call(&s, SYS_socket, AF_INET, SOCK_STREAM) == -EPERM &&
	     call(&s, SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, HOME + ARGUMENT_OFFSET) == -EPERM &&
	     call(&s, SYS_connect, 3, name, 16) == -EPERM && call(&s, SYS_accept, 3) == -EPERM &&
	     call(&s, SYS_bind, 3, name, 16) == -EPERM &&
	     call(&s, SYS_io_uring_setup, 1, name) == -EPERM;
	report(ok, "no socket");
	ok = call(&s, SYS_fork) == -EPERM && call(&s, SYS_vfork) == -EPERM &&
	     call(&s, SYS_clone, SIGCHLD) == -EPERM &&
	     call(&s, SYS_clone, CLONE_VM | SIGCHLD) == -EPERM &&
	     call(&s, SYS_clone3, HOME + ARGUMENT_OFFSET, 64) == -ENOSYS &&
	     call(&s, SYS_unshare, CLONE_NEWUSER) == -EPERM;
	report(ok, "no process");
	ok = call(&s, SYS_kill, s.victim_pid, SIGKILL) == -EPERM &&
	     call(&s, SYS_tgkill, s.victim_pid, s.victim_pid, SIGKILL) == -EPERM &&
	     call(&s, SYS_tkill, s.victim_pid, SIGKILL) == -EPERM &&
	     call(&s, SYS_ptrace, PTRACE_ATTACH, s.victim_pid) == -EPERM &&
	     call(&s, SYS_process_vm_readv, s.victim_pid, name, 1, name, 1) == -EPERM &&
	     call(&s, SYS_process_vm_writev, s.victim_pid, name, 1, name, 1) == -EPERM &&
	     call(&s, SYS_pidfd_open, s.victim_pid) == -EPERM &&
	     call(&s, SYS_pidfd_getfd, 3, s.vram) == -EPERM &&
	     call(&s, SYS_process_madvise, 3, name, 1, MADV_DONTNEED) == -EPERM &&
	     call(&s, SYS_kcmp, s.victim_pid, s.victim_pid) == -EPERM;
	report(ok, "nothing of another process");
	ok = call(&s, SYS_seccomp, 1, 8, name) == -EPERM &&
	     call(&s, SYS_prctl, PR_SET_DUMPABLE, 1) == -EPERM &&
	     call(&s, SYS_prctl, PR_SET_PDEATHSIG) == -EPERM &&
	     call(&s, SYS_userfaultfd) == -EPERM &&
	     call(&s, SYS_bpf, 0, name, 8) == -EPERM &&
	     call(&s, SYS_perf_event_open, name, 0, -1, -1) == -EPERM;
	report(ok, "nothing changes the sandbox");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

static int count_broker_fds(void)
{
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", getenv("SUNDOG_RENDERD"));
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/*
 * Waits until the broker has at most @most descriptors: it closes those of an ended worker
 * asynchronously.
 */
static bool broker_has_fds(int most)
{
	const int64_t end = patience_end();

	while (count_broker_fds() > most)
		if (!patience_pause(end))
			return false;
	return true;
}

/*
 * Memory that was written and then made read-only does not count as data in Linux, but uses address
 * space.
 */
static void test_addresses(void)
{
	enum { MOST_GIB = 16 };
	struct scene s = scene_new();
	int64_t at = 0;
	int n = 0;

	while (n <= MOST_GIB && at >= 0) {
		at = call(&s, SYS_mmap, 0, 1 << 30, PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		n += at >= 0;
	}
	if (at != -ENOMEM)
		printf("# %d GiB\n", n);
	report(at == -ENOMEM && n > 1, "memory that is not written any more has an end");
/* worker_sandbox.c has no such rules with ASan, whose shadow memory lies below, too */
#ifndef __SANITIZE_ADDRESS__
	at = call(&s, SYS_mmap, HOME + HALF, EXTENT, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	report(at == -EPERM && call(&s, SYS_munmap, HOME + HALF, EXTENT) == -EPERM &&
	       call(&s, SYS_mprotect, HOME + HALF, EXTENT, PROT_READ) == -EPERM &&
	       call(&s, SYS_munmap, LOWEST - PAGE, 2 * PAGE) == -EPERM &&
	       there_is_nothing(&s, HOME + HALF), "nor does it take the addresses of the window");
#endif
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

/* The broker refuses a confirmation that it has not asked for. */
static void test_confirm(void)
{
	struct scene s = scene_new();
	bool ok = call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.vram) == -EINVAL &&
		  call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.vram, 1) == -EINVAL &&
		  call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.vram, UINT64_MAX) == -EINVAL;
	struct channel third;

	report(ok, "nothing is confirmed that was not asked for");
	third = channel_new(s.d, 1, 2);
	destroy(s.d, &third);
	report(call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.vram, 1) == -EINVAL, "nor twice");
	channel_free(&third);
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

static void lie(struct scene *s)
{
	hijack(s, (struct hijack){ .op = HIJACK_LIE });
}

static bool is_gone(const struct scene *s)
{
	struct workers workers = { .pids = { s->pid }, .n = 1 };

	return !any_runs(&workers);
}

/*
 * Returns true if the worker is ended and the message @type (its memory is released) comes only
 * after that.
 */
static bool ends(struct scene *s, uint32_t type)
{
	bool dead = false, given = false;
	struct message m;

	while ((!dead || !given) && receive(s->d, &m)) {
		given |= m.header.type == type;
		dead |= m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE && !m.channel_state.channel &&
			m.channel_state.state == SUNDOG_CHANNEL_STATE_DEAD &&
			m.channel_state.fault == SUNDOG_FAULT_CODE_WORKER;
		if (given && !is_gone(s))
			return false;
	}
	return dead && given;
}

/* The broker accepts descriptors from a worker only once, and ends a worker that sends more. */
static void test_messages(void)
{
	struct scene s = scene_new();
	struct message_sealed sealed = { .header = { MESSAGE_SEALED, sizeof(sealed) } };
	char control[CMSG_SPACE(2 * sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	const int fds[2] = { s.vram, s.vram }, before = count_broker_fds();
	struct iovec iov = { .iov_len = sizeof(sealed) };
	struct msghdr msg = { .msg_iovlen = 1, .msg_controllen = sizeof(control) };
	struct hijack h = { .op = HIJACK_SYSCALL, .args = { SYS_sendmsg, 3 } };
	bool ok;

	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fds)), .cmsg_level = SOL_SOCKET,
			       .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	iov.iov_base = (void *)argument(&s, 512, &sealed, sizeof(sealed));
	msg.msg_iov = (void *)argument(&s, 1024, &iov, sizeof(iov));
	msg.msg_control = (void *)argument(&s, 1536, control, sizeof(control));
	h.args[2] = argument(&s, 2048, &msg, sizeof(msg));
	post_hijack(&s, h);
	s.d->stream.used = 0;
	ok = expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER) &&
	     is_gone(&s);
	report(ok && broker_has_fds(before), "a worker that sends descriptors ends");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

/* Makes the worker unmap its own code. */
static bool crash(struct scene *s)
{
	post_hijack(s, (struct hijack){
		.op = HIJACK_SYSCALL, .args = { SYS_munmap, LOWEST, HIGHEST - LOWEST } });
	s->d->stream.used = 0;
	return expect_state(s->d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
}

/* Destroys the client and makes it again, as a driver does. */
static void start_again(struct scene *s)
{
	struct sundog_message_client_destroy m;

	destroy(s->d, &s->ch);
	channel_free(&s->ch);
	message_init(&m, CLIENT_DESTROY);
	m.client = 1;
	send_message(s->d, &m.header, NULL, 0);
	s->ch = channel_new(s->d, 1, 0);
}

static void test_crashes(void)
{
	struct scene s = scene_new();
	const int before = count_broker_fds();
	bool ok = true;

	for (int i = 0; ok && i < 20; i++) {
		ok = crash(&s) && use(&s, &s.victim, VICTIM);
		start_again(&s);
	}
	report(ok && broker_has_fds(before),
	       "a client whose workers crash in a loop costs itself only");
	scene_free(&s);
}

/*
 * The broker limits the rate of progress reports and ends a worker that exceeds it. Revokes of
 * extents do not wait for progress.
 */
static void test_claims(void)
{
	enum { FEW = 32, FLOOD = 4096 };
	struct scene s = scene_new();
	bool ok;

	hijack(&s, (struct hijack){ .op = HIJACK_CLAIM, .args = { FEW } });
	report(!is_gone(&s), "a worker that tells of progress now and then goes on");
	post_hijack(&s, (struct hijack){ .op = HIJACK_CLAIM, .args = { FLOOD } });
	s.d->stream.used = 0;
	ok = expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER) &&
	     is_gone(&s);
	report(ok, "a worker that tells of progress all the time ends");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

static void test_keep_extents(bool at_home)
{
	struct scene s = scene_new();
	bool ok = true;

	if (at_home)
		lie(&s);
	else
		ok = map_fd(&s, s.vram, HALF - EXTENT, EXTENT) == (int64_t)ELSEWHERE;
	give_extents(s.d, HALF - EXTENT, EXTENT, 0);
	post_revoke(s.d);
	report(ok && ends(&s, SUNDOG_MESSAGE_REVOKED),
	       at_home ? "a worker that keeps an extent ends" :
	       "and one that has it in another place, too");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

static void test_keep_shared(void)
{
	struct scene s = scene_new();

	lie(&s);
	unpublish(s.d, SHARED);
	post_revoke(s.d);
	report(ends(&s, SUNDOG_MESSAGE_REVOKED), "a worker that keeps a shared allocation ends");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

static void test_keep_channel(void)
{
	struct scene s = scene_new();
	struct channel third = channel_new(s.d, 1, 2);
	bool ok;

	lie(&s);
	post_destroy(s.d, &third);
	ok = expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER) &&
	     is_gone(&s) &&
	     expect_state(s.d, 2, SUNDOG_CHANNEL_STATE_OFF, 0);
	report(ok, "a worker that keeps a channel ends");
	report(victim_is_well(&s), "the victim noticed nothing");
	channel_free(&third);
	scene_free(&s);
}

static void test_guest(void)
{
	struct scene s = scene_new();
	bool ok = map_fd(&s, s.table, 0, s.pages.size) == (int64_t)ELSEWHERE && !unmap(&s);

	report(ok && map_fd(&s, s.table, 0, s.pages.size + PAGE) == -EACCES,
	       "of guest pages that were listed it maps no more than there are");
	publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET + PAGE, PAGE);
	ok = call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.table | (uint64_t)GUEST << 32,
		  HEAP_OFFSET) == -EACCES &&
	     call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.table | (uint64_t)GUEST << 32,
		  HEAP_OFFSET + PAGE) == -EACCES &&
	     call(&s, SYS_mmap, 0, 0, 0, MAP_SHARED, s.table | (uint64_t)OWN << 32, HEAP_OFFSET) ==
	     -EACCES;
	report(ok, "and none that were not");
	ok = unmap_pages(s.d, HEAP_OFFSET, s.pages.size) && map_fd(&s, s.table, 0, PAGE) == -EACCES;
	report(ok, "its descriptor is of no use when they are unmapped");
	scene_free(&s);

	s = scene_new();
	lie(&s);
	post_unmap(s.d, HEAP_OFFSET, s.pages.size);
	report(ends(&s, SUNDOG_MESSAGE_GUEST_UNMAPPED), "a worker that keeps guest pages ends");
	report(victim_is_well(&s), "the victim noticed nothing");
	scene_free(&s);
}

/* A worker that completes some of the requests in time gets no more time for the others. */
static void test_dawdle(void)
{
	enum { MORE = 4 };
	struct scene s = scene_new();
	struct channel channels[MORE];
	uint32_t off = 0;
	bool dead = false;
	struct message m;

	for (uint32_t i = 0; i < MORE; i++)
		channels[i] = channel_new(s.d, 1, i + 2);
	hijack(&s, (struct hijack){ .op = HIJACK_DAWDLE, .args = { 7 } });
	for (uint32_t i = 0; i < MORE; i++)
		post_destroy(s.d, &channels[i]);
	while (off < MORE && receive(s.d, &m)) {
		if (m.header.type != SUNDOG_MESSAGE_CHANNEL_STATE)
			continue;
		dead |= !m.channel_state.channel &&
			m.channel_state.state == SUNDOG_CHANNEL_STATE_DEAD;
		off += m.channel_state.state == SUNDOG_CHANNEL_STATE_OFF;
	}
	report(dead && is_gone(&s),
	       "a worker that confirms one thing after the other, each in time, is late");
	report(victim_is_well(&s), "the victim noticed nothing");
	for (uint32_t i = 0; i < MORE; i++)
		channel_free(&channels[i]);
	scene_free(&s);
}

/* Waits for a message of type @type; skips other messages, such as that of a worker's end. */
static void wait_for(struct scene *s, uint32_t type)
{
	struct message m = { .header.type = 0 };

	while (m.header.type != type)
		if (!receive(s->d, &m))
			errx(1, "no message %u", type);
}

/* Unmaps the pages of heap GUEST. If the worker does not give them up, the broker ends it first. */
static void take_pages(struct scene *s)
{
	post_unmap(s->d, HEAP_OFFSET, s->pages.size);
	wait_for(s, SUNDOG_MESSAGE_GUEST_UNMAPPED);
}

/*
 * Makes the worker fill the pages that it believes to be its own. Returns false if it faults or is
 * ended.
 */
static bool fill_guest(struct scene *s)
{
	struct pollfd poll_fd = { s->d->sock, POLLIN, 0 };
	const int64_t end = patience_end();
	const uint32_t list[] = { GUEST, 0 };
	struct message m;

	emit_fill(s->d, GUEST, PAGE, 1);
	submit(s->d, &s->ch, STREAM, list);
	s->d->stream.used = 0;
	while (!is_done(&s->ch)) {
		if (!poll(&poll_fd, 1, 0) && !patience_pause(end))
			errx(1, "the worker neither works nor ends");
		if (poll_fd.revents && receive(s->d, &m) &&
		    m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE &&
		    !m.channel_state.channel)
			return false;
	}
	return true;
}

/*
 * Gives the old pages to another owner, maps new pages in their place, and makes the worker use
 * them. Returns true if the old pages are unchanged.
 */
static bool takes_no_old_pages(struct scene *s, bool *usable)
{
	uint64_t *const foreign = (uint64_t *)s->pages.map;
	struct pages pages = pages_new(s->pages.size), old = s->pages;
	bool ok = true;

	for (uint64_t i = 0; i < old.size / 8; i++)
		foreign[i] = CANARY + i;
	post_map(s->d, HEAP_OFFSET, &pages);
	wait_for(s, SUNDOG_MESSAGE_GUEST_MAPPED);
	publish(s->d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, pages.size);
	*usable = !is_gone(s) && fill_guest(s);
	for (uint64_t i = 0; i < old.size / 8; i++)
		ok = ok && foreign[i] == CANARY + i;
	pages_free(&old);
	s->pages = pages;
	return ok;
}

/*
 * A worker interrupts its requests to the broker while guest pages come and go. In each of @rounds
 * rounds the pages get a new owner: the broker has to end the worker or leave it without access to
 * them.
 */
static void test_interrupts(unsigned int rounds)
{
	unsigned int harmless = 0, ended = 0;

	for (unsigned int i = 0; i < rounds;) {
		struct scene s = scene_new();

		hijack(&s, (struct hijack){ .op = HIJACK_INTERRUPT, .args = { s.pages.size } });
		for (bool usable = true; i < rounds && usable; i++) {
			take_pages(&s);
			harmless += takes_no_old_pages(&s, &usable);
		}
		ended += is_gone(&s);
		scene_free(&s);
	}
	printf("# %u rounds, %u workers ended\n", rounds, ended);
	report(harmless == rounds,
	       "interrupted questions leave nothing of guest pages that somebody else has");
	if (getenv(HIJACK_OLD_LINUX))
		report(ended, "some of them were interrupted (or this test looks at nothing)");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "interrupts")) {
		test_interrupts(argc > 2 ? strtoul(argv[2], NULL, 10) : 30);
		return report_end();
	}

	if (argc > 1 && !strcmp(argv[1], "dawdle")) {
		test_dawdle();
		return report_end();
	}
	test_vram();
	test_thread();
	test_channels();
	test_other_ways();
	test_addresses();
	test_confirm();
	test_messages();
	test_claims();
	test_crashes();
	test_keep_extents(true);
	test_keep_extents(false);
	test_keep_shared();
	test_keep_channel();
	test_guest();
	return report_end();
}

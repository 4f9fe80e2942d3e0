// SPDX-License-Identifier: MIT
/*
 * Heap GUEST as the renderer does it: pages of a guest are mapped, used by streams without a copy, and
 * taken back. Then what a guest's driver that does wrong could try.
 *
 * This program plays the device (SUNDOG_DEVICE_SOCKET, of process SUNDOG_RENDERD); memfds stand for the udmabufs
 * that QEMU makes.
 * Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <vulkan/vulkan_core.h>

#include "message.h"
#include "sundog_emit.h"

#define PAGE SUNDOG_PAGE_SIZE
#define VRAM_SIZE (16ull << 20)
#define TIMEOUT_MS 60000

/* Device handles of the allocations, and where they are in VRAM. */
enum { STREAM = 1, LOCAL, GUEST, MOVER, RACER };
#define STREAM_OFFSET 0
#define STREAM_SIZE (1ull << 20)
#define LOCAL_OFFSET STREAM_SIZE
#define LOCAL_SIZE (64 * PAGE)
#define MOVER_OFFSET (LOCAL_OFFSET + LOCAL_SIZE)
#define RACER_OFFSET (MOVER_OFFSET + LOCAL_SIZE)

/* Two runs of guest pages make up allocation GUEST. */
#define HEAP_OFFSET (16 * PAGE)
#define FIRST_SIZE (2 * PAGE)
#define SECOND_SIZE (3 * PAGE)
#define GUEST_SIZE (FIRST_SIZE + SECOND_SIZE)

struct channel {
	uint32_t client, index;
	int doorbell, irq;
	struct sundog_ring_control *control;
	const volatile struct sundog_ring_status *status;
	struct sundog_ring_entry *ring;
	struct sundog_list_entry *list;
	uint64_t seqno;
};

struct device {
	int sock;
	int fds[3];
	char *vram, *channels;
	struct sundog_alloc_entry *table;
	uint64_t generation;
	struct sundog_stream stream;
};

/* Pages of the guest: what the device maps and what a program in the guest sees. */
struct pages {
	int fd;
	uint32_t *map;
	uint64_t size;
};

static unsigned int count;
static bool failed;

static void report(bool ok, const char *name)
{
	printf("%s %u - %s\n", ok ? "ok" : "not ok", ++count, name);
	failed |= !ok;
}

static int sealed_memory(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		err(1, "%s", name);
	return fd;
}

static void *map_memory(int fd, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		err(1, "mmap");
	return map;
}

static struct pages pages_new(uint64_t size)
{
	struct pages pages = { .fd = sealed_memory("pages", size), .size = size };

	pages.map = map_memory(pages.fd, size);
	return pages;
}

static void pages_free(struct pages *pages)
{
	munmap(pages->map, pages->size);
	close(pages->fd);
}

static bool is_filled(const uint32_t *map, uint64_t size, uint32_t value)
{
	for (uint64_t i = 0; i < size / 4; i++)
		if (map[i] != value)
			return false;
	return true;
}

/* The socket */

static void send_message(struct device *d, const struct sundog_message *m, const int *fds, int n_fds)
{
	if (message_send(d->sock, m, fds, n_fds))
		errx(1, "the renderer takes no messages");
}

/* The next message. False: the renderer hung up. */
static bool receive(struct device *d, struct message *m)
{
	struct pollfd p = { .fd = d->sock, .events = POLLIN };

	if (poll(&p, 1, TIMEOUT_MS) != 1)
		errx(1, "the renderer says nothing");
	message_begin(m);
	return message_continue(d->sock, true, m) == 1;
}

static bool expect(struct device *d, uint32_t type, struct message *m)
{
	return receive(d, m) && m->header.type == type;
}

static bool expect_state(struct device *d, uint32_t channel, uint32_t state, uint32_t fault)
{
	struct message m;

	return expect(d, SUNDOG_MESSAGE_CHANNEL_STATE, &m) && m.channel_state.channel == channel &&
	       m.channel_state.state == state && m.channel_state.fault == fault;
}

static struct device *device_new(void)
{
	const uint64_t sizes[3] = {
		VRAM_SIZE, SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE,
		(uint64_t)SUNDOG_MAX_CHANNELS * SUNDOG_CHANNEL_SIZE,
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("SUNDOG_DEVICE_SOCKET");
	struct device *d = calloc(1, sizeof(*d));
	struct sundog_message_hello hello;
	struct message m;

	if (!d || !path || strlen(path) >= sizeof(address.sun_path))
		errx(1, "SUNDOG_DEVICE_SOCKET does not name a socket");
	strcpy(address.sun_path, path);
	d->sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->sock < 0 || connect(d->sock, (struct sockaddr *)&address, sizeof(address)))
		err(1, "%s", path);
	for (int i = 0; i < 3; i++)
		d->fds[i] = sealed_memory("device", sizes[i]);
	d->vram = map_memory(d->fds[0], sizes[0]);
	d->table = map_memory(d->fds[1], sizes[1]);
	d->channels = map_memory(d->fds[2], sizes[2]);

	message_init(&hello, HELLO);
	hello.magic = SUNDOG_MAGIC;
	hello.version = SUNDOG_VERSION;
	hello.role = SUNDOG_ROLE_DEVICE;
	hello.vram_size = VRAM_SIZE;
	send_message(d, &hello.header, d->fds, 3);
	if (!expect(d, SUNDOG_MESSAGE_WELCOME, &m))
		errx(1, "the renderer does not welcome a device");
	if (!(m.welcome.caps.features & SUNDOG_FEATURE_HEAP_GUEST))
		errx(1, "the renderer has no heap GUEST");
	return d;
}

static void device_free(struct device *d)
{
	close(d->sock);
	munmap(d->vram, VRAM_SIZE);
	munmap(d->table, SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE);
	munmap(d->channels, (uint64_t)SUNDOG_MAX_CHANNELS * SUNDOG_CHANNEL_SIZE);
	for (int i = 0; i < 3; i++)
		close(d->fds[i]);
	free(d);
}

static struct channel channel_new(struct device *d, uint32_t client, uint32_t index)
{
	char *segment = d->channels + (uint64_t)index * SUNDOG_CHANNEL_SIZE;
	struct channel ch = {
		.client = client, .index = index,
		.doorbell = eventfd(0, EFD_CLOEXEC), .irq = eventfd(0, EFD_CLOEXEC),
		.control = (void *)(segment + SUNDOG_CHANNEL_CONTROL),
		.status = (void *)(segment + SUNDOG_CHANNEL_STATUS),
		.ring = (void *)(segment + SUNDOG_CHANNEL_RING),
		.list = (void *)(segment + SUNDOG_CHANNEL_LIST),
	};
	struct sundog_message_channel_create m;

	memset(segment, 0, SUNDOG_CHANNEL_SIZE);
	message_init(&m, CHANNEL_CREATE);
	m.client = client;
	m.channel = index;
	send_message(d, &m.header, (const int[]){ ch.doorbell, ch.irq }, 2);
	if (!expect_state(d, index, SUNDOG_CHANNEL_STATE_RUN, 0))
		errx(1, "channel %u does not run", index);
	return ch;
}

static void destroy(struct device *d, const struct channel *ch)
{
	struct sundog_message_channel_destroy m;

	message_init(&m, CHANNEL_DESTROY);
	m.channel = ch->index;
	send_message(d, &m.header, NULL, 0);
	if (!expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_OFF, 0))
		errx(1, "channel %u does not end", ch->index);
}

static void channel_free(struct channel *ch)
{
	close(ch->doorbell);
	close(ch->irq);
}

/* Heap GUEST */

static void post_map(struct device *d, uint64_t offset, const struct pages *pages)
{
	struct sundog_message_guest_map m;

	message_init(&m, GUEST_MAP);
	m.offset = offset;
	m.size = pages->size;
	send_message(d, &m.header, &pages->fd, 1);
}

static bool map_pages(struct device *d, uint64_t offset, const struct pages *pages)
{
	struct message m;

	post_map(d, offset, pages);
	return expect(d, SUNDOG_MESSAGE_GUEST_MAPPED, &m) && m.guest_mapped.offset == offset &&
	       m.guest_mapped.size == pages->size;
}

static void post_unmap(struct device *d, uint64_t offset, uint64_t size)
{
	struct sundog_message_guest_unmap m;

	message_init(&m, GUEST_UNMAP);
	m.offset = offset;
	m.size = size;
	send_message(d, &m.header, NULL, 0);
}

static bool expect_unmapped(struct device *d, uint64_t offset, uint64_t size)
{
	struct message m;

	return expect(d, SUNDOG_MESSAGE_GUEST_UNMAPPED, &m) && m.guest_unmapped.offset == offset &&
	       m.guest_unmapped.size == size;
}

static bool unmap_pages(struct device *d, uint64_t offset, uint64_t size)
{
	post_unmap(d, offset, size);
	return expect_unmapped(d, offset, size);
}

/* Workers, as /proc shows them */

#define MAX_WORKERS 8

struct workers {
	int pids[MAX_WORKERS], n;
};

/* Does it run with memory of this device? A dead one has none, even if it was not reaped yet. */
static bool is_worker(int pid)
{
	char path[64], line[512];
	bool ours = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && !ours && fgets(line, sizeof(line), maps))
		ours = strstr(line, "memfd:device");
	if (maps)
		fclose(maps);
	return ours;
}

static struct workers find_workers(void)
{
	struct workers w = { .n = 0 };
	char path[64];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/children", getenv("SUNDOG_RENDERD"), getenv("SUNDOG_RENDERD"));
	children = fopen(path, "r");
	if (!children)
		err(1, "%s", path);
	while (fscanf(children, "%d", &pid) == 1 && w.n < MAX_WORKERS)
		if (is_worker(pid))
			w.pids[w.n++] = pid;
	fclose(children);
	return w;
}

static bool any_runs(const struct workers *w)
{
	for (int i = 0; i < w->n; i++)
		if (is_worker(w->pids[i]))
			return true;
	return false;
}

/* The driver's part */

static void publish(struct device *d, uint32_t handle, uint32_t heap, uint64_t offset, uint64_t size)
{
	struct sundog_alloc_entry *entry = &d->table[handle];
	const uint64_t generation = ++d->generation;

	__atomic_store_n(&entry->generation, 0, __ATOMIC_RELEASE);
	entry->size = size;
	entry->heap = heap;
	entry->n_runs = 1;
	entry->offset = offset;
	if (!entry->birth)
		entry->birth = generation;
	__atomic_store_n(&entry->generation, generation, __ATOMIC_RELEASE);
}

static void publish_all(struct device *d)
{
	publish(d, STREAM, SUNDOG_HEAP_VRAM, STREAM_OFFSET, STREAM_SIZE);
	publish(d, LOCAL, SUNDOG_HEAP_VRAM, LOCAL_OFFSET, LOCAL_SIZE);
	publish(d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
	d->stream = (struct sundog_stream){ .map = (uint32_t *)d->vram, .size = STREAM_SIZE / 4 };
}

static struct sundog_mem mem(uint32_t handle)
{
	return (struct sundog_mem){ 0, handle };
}

static void emit_fill(struct device *d, uint32_t handle, uint64_t size, uint32_t value)
{
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = mem(handle), .size = size }, .value = value,
	};

	sundog_emit_fill_buffer(&d->stream, &fill);
}

static void emit_copy(struct device *d, uint32_t src, uint32_t dst, uint64_t size)
{
	const struct sundog_cmd_copy_buffer copy = { .src = mem(src), .dst = mem(dst), .size = size };

	sundog_emit_copy_buffer(&d->stream, &copy);
}

static struct sundog_list_entry list_entry(struct device *d, uint32_t handle)
{
	return (struct sundog_list_entry){
		.index = handle, .handle = handle, .generation = d->table[handle].generation,
		.access = SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE,
	};
}

/* Submit what was emitted, with the @list_count entries from @first on that the channel's list has. */
static void submit_list(struct device *d, struct channel *ch, uint32_t stream, uint32_t first, uint32_t list_count)
{
	const uint32_t put = ch->control->put;
	const uint64_t one = 1;

	ch->ring[put % SUNDOG_RING_SLOTS] = (struct sundog_ring_entry){
		.seqno = ++ch->seqno,
		.stream_handle = stream, .stream_generation = d->table[stream].generation,
		.stream_dwords = d->stream.used,
		.list_first = first, .list_count = list_count,
	};
	__atomic_store_n(&ch->control->put, put + 1, __ATOMIC_RELEASE);
	if (write(ch->doorbell, &one, sizeof(one)) != sizeof(one))
		err(1, "doorbell");
}

/* Submit what was emitted, with these handles (0 ends them) in the list. */
static void submit(struct device *d, struct channel *ch, uint32_t stream, const uint32_t *handles)
{
	const uint32_t first = ch->control->put % SUNDOG_RING_SLOTS * SUNDOG_LIST_PER_SLOT;
	uint32_t n = 0;

	for (; *handles; handles++)
		ch->list[first + n++] = list_entry(d, *handles);
	submit_list(d, ch, stream, first, n);
}

static bool is_done(const struct channel *ch)
{
	return ch->status->completed >= ch->seqno;
}

/* False: it was not done in time. The stream is empty afterwards. */
static bool wait_done(struct device *d, struct channel *ch)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (int i = 0; !is_done(ch) && i < TIMEOUT_MS * 10; i++)
		nanosleep(&moment, NULL);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	d->stream.used = 0;
	return is_done(ch);
}

static bool run(struct device *d, struct channel *ch, const uint32_t *handles)
{
	submit(d, ch, STREAM, handles);
	return wait_done(d, ch);
}

/* The channel faults with @code and dies of it. */
static bool faults(struct device *d, struct channel *ch, uint32_t code)
{
	d->stream.used = 0;
	return expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_FAULT, code) &&
	       expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_DEAD, code);
}

/* A device with a channel, and pages that allocation GUEST is made of. */
struct scene {
	struct device *d;
	struct channel ch;
	struct pages first, second;
};

static struct scene scene_new(void)
{
	struct scene s = { .d = device_new(), .first = pages_new(FIRST_SIZE), .second = pages_new(SECOND_SIZE) };

	publish_all(s.d);
	s.ch = channel_new(s.d, 1, 0);
	return s;
}

static bool scene_map(struct scene *s)
{
	return map_pages(s->d, HEAP_OFFSET, &s->first) &&
	       map_pages(s->d, HEAP_OFFSET + FIRST_SIZE, &s->second);
}

static bool shows(const struct scene *s, uint32_t value)
{
	return is_filled(s->first.map, FIRST_SIZE, value) && is_filled(s->second.map, SECOND_SIZE, value);
}

static void scene_free(struct scene *s)
{
	channel_free(&s->ch);
	device_free(s->d);
	pages_free(&s->first);
	pages_free(&s->second);
}

static const uint32_t guest[] = { GUEST, 0 }, guest_and_local[] = { GUEST, LOCAL, 0 }, local[] = { LOCAL, 0 };

static bool fill_guest(struct scene *s, struct channel *ch, uint32_t value)
{
	emit_fill(s->d, GUEST, GUEST_SIZE, value);
	return run(s->d, ch, guest) && shows(s, value);
}

static void test_zero_copy(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	for (uint32_t i = 1; i <= 10; i++)
		ok = ok && fill_guest(&s, &s.ch, i);
	report(ok, "streams write pages of the guest");

	for (uint32_t i = 0; i < FIRST_SIZE / 4; i++)
		s.first.map[i] = i;
	for (uint32_t i = 0; i < SECOND_SIZE / 4; i++)
		s.second.map[i] = ~i;
	emit_copy(s.d, GUEST, LOCAL, GUEST_SIZE);
	ok = run(s.d, &s.ch, guest_and_local) && !memcmp(s.d->vram + LOCAL_OFFSET, s.first.map, FIRST_SIZE) &&
	     !memcmp(s.d->vram + LOCAL_OFFSET + FIRST_SIZE, s.second.map, SECOND_SIZE);
	report(ok, "streams read what the guest wrote to them");
	scene_free(&s);
}

/* A worker that was there and one that comes later. */
static void test_workers(void)
{
	struct scene s = scene_new();
	struct channel late;
	bool ok = scene_map(&s);

	late = channel_new(s.d, 2, 1);
	ok = ok && fill_guest(&s, &s.ch, 1) && fill_guest(&s, &late, 2);
	report(ok, "a worker that starts later has the pages too");
	ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
	submit(s.d, &late, STREAM, guest);
	report(ok && faults(s.d, &late, SUNDOG_FAULT_CODE_LIST), "and loses them with the others");
	channel_free(&late);
	scene_free(&s);
}

/* What was mapped can be used as soon as the device hears of it, again and again. */
static void test_map_use_unmap(void)
{
	struct scene s = scene_new();
	bool ok = true;

	for (uint32_t i = 1; ok && i <= 200; i++) {
		ok = scene_map(&s);
		publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
		ok = ok && fill_guest(&s, &s.ch, i) && unmap_pages(s.d, HEAP_OFFSET + FIRST_SIZE, SECOND_SIZE) &&
		     unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
	}
	report(ok, "map, use and unmap, 200 times");
	scene_free(&s);
}

/* Into the guest's pages and back to VRAM, under the same handle. */
static void test_move(void)
{
	const uint32_t mover[] = { MOVER, LOCAL, 0 };
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	for (uint32_t i = 1; ok && i <= 10; i++) {
		publish(s.d, MOVER, SUNDOG_HEAP_VRAM, MOVER_OFFSET, GUEST_SIZE);
		emit_fill(s.d, MOVER, GUEST_SIZE, i);
		ok = run(s.d, &s.ch, mover) && is_filled((void *)(s.d->vram + MOVER_OFFSET), GUEST_SIZE, i);
		publish(s.d, MOVER, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
		emit_fill(s.d, MOVER, GUEST_SIZE, ~i);
		emit_copy(s.d, MOVER, LOCAL, GUEST_SIZE);
		ok = ok && run(s.d, &s.ch, mover) && shows(&s, ~i) &&
		     is_filled((void *)(s.d->vram + LOCAL_OFFSET), GUEST_SIZE, ~i) &&
		     is_filled((void *)(s.d->vram + MOVER_OFFSET), GUEST_SIZE, i);
	}
	report(ok, "an allocation moves between VRAM and the guest's pages");
	scene_free(&s);
}

static void test_unmapped(void)
{
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 2, 1);

	submit(s.d, &s.ch, STREAM, guest);
	report(faults(s.d, &s.ch, SUNDOG_FAULT_CODE_LIST), "pages that were never mapped");
	report(map_pages(s.d, HEAP_OFFSET, &s.first), "half of the pages are mapped");
	submit(s.d, &other, STREAM, guest);
	report(faults(s.d, &other, SUNDOG_FAULT_CODE_LIST), "an allocation with a hole");
	channel_free(&other);
	scene_free(&s);
}

/* The table still says so, but the pages are gone; the worker is none the worse for it. */
static void test_stale(void)
{
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 1, 1);
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1) &&
		  unmap_pages(s.d, HEAP_OFFSET + FIRST_SIZE, SECOND_SIZE);

	emit_fill(s.d, GUEST, GUEST_SIZE, 2);
	submit(s.d, &s.ch, STREAM, guest);
	ok = ok && faults(s.d, &s.ch, SUNDOG_FAULT_CODE_LIST) && shows(&s, 1);
	report(ok, "pages that were taken back");
	emit_fill(s.d, LOCAL, LOCAL_SIZE, 3);
	report(run(s.d, &other, local), "another channel of that client goes on");
	channel_free(&other);
	scene_free(&s);
}

/*
 * A list names an allocation, and at its end what its handle became meanwhile. The first one is not listed
 * any more then: nothing can be made of it. In between are allocations that are new to the worker, which
 * takes its time for them.
 */
#define RACES 1000
#define BYSTANDERS (SUNDOG_LIST_ENTRIES - 2)

/* The fault that the channel dies of: the list lost the race or won it; 0: the entry was run. */
static uint32_t race(struct device *d, struct channel *ch, uint32_t id, unsigned int delay_us)
{
	const struct timespec delay = { .tv_nsec = delay_us * 1000l };
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = { .kres = 1 }, .type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_B8G8R8A8_UNORM,
		.extent = { 64, 64, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};
	struct message m = { .n_fds = 0 };

	for (uint32_t i = 1; i <= BYSTANDERS; i++) {
		publish(d, RACER + i, SUNDOG_HEAP_VRAM, LOCAL_OFFSET, PAGE);
		ch->list[i] = list_entry(d, RACER + i);
	}
	publish(d, RACER, SUNDOG_HEAP_VRAM, RACER_OFFSET, LOCAL_SIZE);
	ch->list[0] = ch->list[BYSTANDERS + 1] = list_entry(d, RACER);
	ch->list[0].kres = 1;
	ch->list[0].index = 0;
	ch->list[BYSTANDERS + 1].generation = ++d->generation;
	sundog_emit_create_image(&d->stream, &image);
	submit_list(d, ch, STREAM, 0, BYSTANDERS + 2);
	nanosleep(&delay, NULL);
	__atomic_store_n(&d->table[RACER].generation, d->generation, __ATOMIC_RELEASE);
	while (!is_done(ch) && !message_waits(d->sock))
		sched_yield();
	d->stream.used = 0;
	if (is_done(ch))
		return 0;
	if (!expect(d, SUNDOG_MESSAGE_CHANNEL_STATE, &m) ||
	    !expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_DEAD, m.channel_state.fault))
		errx(1, "the channel does not die");
	return m.channel_state.fault;
}

static void test_list_race(void)
{
	uint32_t won = 0, fault = SUNDOG_FAULT_CODE_LIST;
	struct scene s = scene_new();
	bool ok = true;

	for (uint32_t i = 0; i < RACES && ok && won < 3; i++) {
		struct channel ch = channel_new(s.d, 1, 1);

		fault = race(s.d, &ch, i + 1, i % 50 * 100);
		won += fault == SUNDOG_FAULT_CODE_NOT_LISTED;
		ok = fault == SUNDOG_FAULT_CODE_NOT_LISTED || fault == SUNDOG_FAULT_CODE_LIST;
		destroy(s.d, &ch);
		channel_free(&ch);
	}
	printf("# won %u times, the last fault is %u\n", won, fault);
	report(ok && won == 3, "what a handle named before it changed is not listed any more");
	scene_free(&s);
}

/* Nobody may free pages that a job still writes, so the answer waits for the job. */
static void test_unmap_busy(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s), waited = true;

	for (uint32_t i = 1; ok && i <= 5; i++) {
		for (int j = 0; j < 2000; j++)
			emit_fill(s.d, GUEST, GUEST_SIZE, i << 16 | j);
		submit(s.d, &s.ch, STREAM, guest);
		/* The entry is taken: it was checked while the pages were there. */
		while (s.ch.status->get != s.ch.control->put)
			sched_yield();
		ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
		waited = waited && is_done(&s.ch);
		ok = ok && wait_done(s.d, &s.ch) && map_pages(s.d, HEAP_OFFSET, &s.first);
		publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
	}
	report(ok && waited, "pages are taken back when the job on them is done");
	scene_free(&s);
}

static void test_stream_in_guest(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	emit_fill(s.d, LOCAL, LOCAL_SIZE, 1);
	submit(s.d, &s.ch, GUEST, local);
	report(ok && faults(s.d, &s.ch, SUNDOG_FAULT_CODE_STREAM), "a stream in the guest's pages is refused");
	scene_free(&s);
}

static void test_reset(void)
{
	struct scene s = scene_new();
	struct sundog_message_reset reset;
	struct message m;
	bool ok = scene_map(&s);

	message_init(&reset, RESET);
	send_message(s.d, &reset.header, NULL, 0);
	ok = ok && expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_OFF, 0) && expect(s.d, SUNDOG_MESSAGE_RESET_DONE, &m);
	report(ok && scene_map(&s), "a reset takes everything back");
	scene_free(&s);
}

/* A device that sends nonsense is told so, its clients are ended, and it is hung up on. */
static bool is_refused(struct device *d)
{
	struct message m;
	const bool refused = expect(d, SUNDOG_MESSAGE_ERROR, &m);

	while (receive(d, &m))
		;
	return refused;
}

static void test_bad_map(const char *name, uint64_t offset, uint64_t size)
{
	struct scene s = scene_new();
	struct sundog_message_guest_map m;
	bool ok = scene_map(&s);

	message_init(&m, GUEST_MAP);
	m.offset = offset;
	m.size = size;
	send_message(s.d, &m.header, &s.first.fd, 1);
	report(ok && is_refused(s.d), name);
	scene_free(&s);
}

static void test_bad_unmap(const char *name, uint64_t offset, uint64_t size)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	post_unmap(s.d, offset, size);
	report(ok && is_refused(s.d), name);
	scene_free(&s);
}

/* A device may give memory of its clients to somebody else once it is told, or hung up on. */
static void test_end_of_workers(bool reset)
{
	struct scene s = scene_new();
	struct channel others[MAX_WORKERS - 1];
	struct sundog_message_reset message;
	struct workers workers;
	struct message m;
	bool ok;

	for (uint32_t i = 0; i < MAX_WORKERS - 1; i++)
		others[i] = channel_new(s.d, i + 2, i + 1);
	workers = find_workers();
	ok = workers.n == MAX_WORKERS && any_runs(&workers);
	message_init(&message, RESET);
	if (reset)
		send_message(s.d, &message.header, NULL, 0);
	else
		post_unmap(s.d, HEAP_OFFSET, FIRST_SIZE);
	ok = ok && receive(s.d, &m) && !any_runs(&workers);
	report(ok, reset ? "no worker runs when the first channel is OFF after a reset" :
			   "no worker runs when the device is hung up on");
	for (uint32_t i = 0; i < MAX_WORKERS - 1; i++)
		channel_free(&others[i]);
	scene_free(&s);
}

/* Half of all maps, and a worker that reads none of them. */
#define SOME_MAPS (SUNDOG_MAX_GUEST_MAPS / 2)

static uint64_t map_offset(uint32_t i)
{
	return HEAP_OFFSET + i * FIRST_SIZE;
}

static struct scene scene_stopped(struct workers *workers)
{
	struct scene s = scene_new();
	bool ok = true;

	*workers = find_workers();
	publish(s.d, GUEST, SUNDOG_HEAP_GUEST, map_offset(SUNDOG_MAX_GUEST_MAPS - 1), FIRST_SIZE);
	kill(workers->pids[0], SIGSTOP);
	for (uint32_t i = 0; ok && i < SOME_MAPS; i++)
		ok = map_pages(s.d, map_offset(i), &s.first);
	report(ok && workers->n == 1, "a worker that reads nothing holds up no map");
	return s;
}

static bool fill_last_map(struct scene *s, struct channel *ch, uint32_t value)
{
	emit_fill(s->d, GUEST, FIRST_SIZE, value);
	return run(s->d, ch, guest) && is_filled(s->first.map, FIRST_SIZE, value);
}

/* More messages than a socket holds, some before a worker can read. What is said to be mapped is. */
static void test_slow_worker(void)
{
	struct workers workers;
	struct scene s = scene_stopped(&workers);
	struct channel late;
	struct message m;
	bool ok = true;

	for (uint32_t i = SOME_MAPS; i < SUNDOG_MAX_GUEST_MAPS; i++)
		post_map(s.d, map_offset(i), &s.first);
	kill(workers.pids[0], SIGCONT);
	for (uint32_t i = SOME_MAPS; ok && i < SUNDOG_MAX_GUEST_MAPS; i++)
		ok = expect(s.d, SUNDOG_MESSAGE_GUEST_MAPPED, &m) && m.guest_mapped.offset == map_offset(i);
	report(ok && fill_last_map(&s, &s.ch, 1), "when it reads again it gets all of them in time");
	late = channel_new(s.d, 2, 1);
	ok = fill_last_map(&s, &late, 2);
	channel_free(&late);
	late = channel_new(s.d, 3, 2);
	report(ok && fill_last_map(&s, &late, 3), "and so do new ones");
	ok = unmap_pages(s.d, map_offset(0), FIRST_SIZE) && map_pages(s.d, map_offset(0), &s.first);
	report(ok, "all of them go on");
	channel_free(&late);
	scene_free(&s);
}

static void test_stuck_worker(void)
{
	struct workers workers;
	struct scene s = scene_stopped(&workers);
	struct channel other = channel_new(s.d, 2, 1);
	uint32_t mapped = SOME_MAPS;
	struct message m;
	bool ok = true;

	for (uint32_t i = SOME_MAPS; i < SUNDOG_MAX_GUEST_MAPS; i++)
		post_map(s.d, map_offset(i), &s.first);
	while (ok && mapped < SUNDOG_MAX_GUEST_MAPS) {
		ok = receive(s.d, &m);
		if (ok && m.header.type != SUNDOG_MESSAGE_GUEST_MAPPED)
			break;
		mapped++;
	}
	/* Maps that waited for it come before its channels. */
	ok = ok && mapped == SUNDOG_MAX_GUEST_MAPS &&
	     expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
	report(ok && !any_runs(&workers), "one that reads nothing for long is ended");
	report(fill_last_map(&s, &other, 1), "and others go on");
	channel_free(&other);
	scene_free(&s);
}

int main(void)
{
	test_zero_copy();
	test_workers();
	test_map_use_unmap();
	test_move();
	test_unmapped();
	test_stale();
	test_list_race();
	test_unmap_busy();
	test_stream_in_guest();
	test_reset();
	test_end_of_workers(true);
	test_end_of_workers(false);
	test_slow_worker();
	test_stuck_worker();
	test_bad_map("a map over another one", HEAP_OFFSET + PAGE, FIRST_SIZE);
	test_bad_map("a map of more than there is", 0, 2 * FIRST_SIZE);
	test_bad_map("a map of nothing", 0, 0);
	test_bad_map("a map at half a page", PAGE / 2, FIRST_SIZE);
	test_bad_map("a map past the end of all", UINT64_MAX - PAGE + 1, FIRST_SIZE);
	test_bad_unmap("an unmap of nothing", 0, FIRST_SIZE);
	test_bad_unmap("an unmap of a part", HEAP_OFFSET, PAGE);
	test_bad_unmap("an unmap of two", HEAP_OFFSET, GUEST_SIZE);
	printf("1..%u\n", count);
	return failed;
}

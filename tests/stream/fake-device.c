// SPDX-License-Identifier: MIT
/* The messages, rings and tables of the fake device and its driver, see fake-device.h. */
#define _GNU_SOURCE
#include "fake-device.h"
#include "patience.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/udmabuf.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static unsigned int reported;
static bool failed;

void report(bool ok, const char *name)
{
	printf("%s %u - %s\n", ok ? "ok" : "not ok", ++reported, name);
	fflush(stdout);
	failed |= !ok;
}

int report_end(void)
{
	printf("1..%u\n", reported);
	return failed;
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

/* Makes a dma-buf of the pages of a memfd, as QEMU does with guest memory. */
static int udmabuf_of(int memfd, uint64_t size)
{
	struct udmabuf_create create = { .memfd = memfd, .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = size };
	const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int fd;

	if (device < 0)
		err(1, "/dev/udmabuf");
	fd = ioctl(device, UDMABUF_CREATE, &create);
	if (fd < 0)
		err(1, "UDMABUF_CREATE");
	close(device);
	return fd;
}

struct pages pages_new(uint64_t size)
{
	struct pages pages = { .fd = sealed_memory("pages", size), .size = size };

	pages.map = map_memory(pages.fd, size);
	if (getenv(PAGES_UDMABUF)) {
		const int memfd = pages.fd;

		pages.fd = udmabuf_of(memfd, size);
		close(memfd);
	}
	return pages;
}

void pages_free(struct pages *pages)
{
	munmap(pages->map, pages->size);
	close(pages->fd);
}

bool is_filled(const uint32_t *map, uint64_t size, uint32_t value)
{
	for (uint64_t i = 0; i < size / 4; i++)
		if (map[i] != value)
			return false;
	return true;
}

/* The socket */

void send_message(struct device *d, const struct sundog_message *m, const int *fds, int n_fds)
{
	if (message_send(d->sock, m, fds, n_fds))
		errx(1, "the renderer takes no messages");
}

bool receive(struct device *d, struct message *m)
{
	struct pollfd p = { .fd = d->sock, .events = POLLIN };

	if (poll(&p, 1, PATIENCE_MS) != 1)
		errx(1, "the renderer says nothing");
	message_begin(m);
	return message_continue(d->sock, true, m) == 1;
}

bool expect(struct device *d, uint32_t type, struct message *m)
{
	return receive(d, m) && m->header.type == type;
}

bool expect_state(struct device *d, uint32_t channel, uint32_t state, uint32_t fault)
{
	struct message m;

	return expect(d, SUNDOG_MESSAGE_CHANNEL_STATE, &m) && m.channel_state.channel == channel &&
	       m.channel_state.state == state && m.channel_state.fault == fault;
}

bool crashes(struct device *d, uint32_t channel)
{
	const struct sundog_message_channel_state *s;
	struct message m;

	if (!expect(d, SUNDOG_MESSAGE_CHANNEL_STATE, &m))
		return false;
	s = &m.channel_state;
	if (s->channel != channel || s->fault != SUNDOG_FAULT_CODE_WORKER)
		return false;
	d->n_crashed++;
	if (s->state != SUNDOG_CHANNEL_STATE_FAULT)
		return s->state == SUNDOG_CHANNEL_STATE_DEAD;
	d->n_named += s->seqno != 0;
	return expect_state(d, channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
}

struct device *device_new(void)
{
	const uint64_t sizes[3] = {
		VRAM_SIZE, SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE, SUNDOG_CHANNELS_MEMORY,
	};
	static const char *const names[3] = { "device-vram", "device-table", "device-channels" };
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
		d->fds[i] = sealed_memory(names[i], sizes[i]);
	d->vram = map_memory(d->fds[0], sizes[0]);
	d->table = map_memory(d->fds[1], sizes[1]);
	d->channels = map_memory(d->fds[2], sizes[2]);
	d->extents = (uint32_t *)(d->channels + SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS);
	d->stream = (struct sundog_stream){ .map = (uint32_t *)d->vram, .size = STREAM_SIZE / 4 };
	publish(d, STREAM, SUNDOG_HEAP_VRAM, STREAM_OFFSET, STREAM_SIZE);

	message_init(&hello, HELLO);
	hello.magic = SUNDOG_MAGIC;
	hello.version = SUNDOG_VERSION;
	hello.role = SUNDOG_ROLE_DEVICE;
	hello.extent_shift = EXTENT_SHIFT;
	hello.vram_size = VRAM_SIZE;
	send_message(d, &hello.header, d->fds, 3);
	if (!expect(d, SUNDOG_MESSAGE_WELCOME, &m))
		errx(1, "the renderer does not welcome a device");
	if (!(m.welcome.caps.features & SUNDOG_FEATURE_HEAP_GUEST))
		errx(1, "the renderer has no heap GUEST");
	d->layout_flags = m.welcome.caps.layout_flags;
	return d;
}

void device_free(struct device *d)
{
	close(d->sock);
	munmap(d->vram, VRAM_SIZE);
	munmap(d->table, SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE);
	munmap(d->channels, SUNDOG_CHANNELS_MEMORY);
	for (int i = 0; i < 3; i++)
		close(d->fds[i]);
	free(d);
	/*
	 * The renderer ends its workers asynchronously; find_workers() for the next device must not
	 * find them.
	 */
	wait_for_workers(0);
}

struct channel channel_new(struct device *d, uint32_t client, uint32_t index)
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

void post_destroy(struct device *d, const struct channel *ch)
{
	struct sundog_message_channel_destroy m;

	message_init(&m, CHANNEL_DESTROY);
	m.channel = ch->index;
	send_message(d, &m.header, NULL, 0);
}

void destroy(struct device *d, const struct channel *ch)
{
	post_destroy(d, ch);
	if (!expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_OFF, 0))
		errx(1, "channel %u does not end", ch->index);
}

void channel_free(struct channel *ch)
{
	close(ch->doorbell);
	close(ch->irq);
}

/* Heap GUEST */

void post_map(struct device *d, uint64_t offset, const struct pages *pages)
{
	struct sundog_message_guest_map m;

	message_init(&m, GUEST_MAP);
	m.offset = offset;
	m.size = pages->size;
	send_message(d, &m.header, &pages->fd, 1);
}

bool map_pages(struct device *d, uint64_t offset, const struct pages *pages)
{
	struct message m;

	post_map(d, offset, pages);
	return expect(d, SUNDOG_MESSAGE_GUEST_MAPPED, &m) && m.guest_mapped.offset == offset &&
	       m.guest_mapped.size == pages->size;
}

void post_unmap(struct device *d, uint64_t offset, uint64_t size)
{
	struct sundog_message_guest_unmap m;

	message_init(&m, GUEST_UNMAP);
	m.offset = offset;
	m.size = size;
	send_message(d, &m.header, NULL, 0);
}

bool expect_unmapped(struct device *d, uint64_t offset, uint64_t size)
{
	struct message m;

	return expect(d, SUNDOG_MESSAGE_GUEST_UNMAPPED, &m) && m.guest_unmapped.offset == offset &&
	       m.guest_unmapped.size == size;
}

bool unmap_pages(struct device *d, uint64_t offset, uint64_t size)
{
	post_unmap(d, offset, size);
	return expect_unmapped(d, offset, size);
}

/* Workers, as /proc shows them */

/*
 * Returns true if process @pid maps memory of this device. An exited process has no mappings, even
 * before it is reaped.
 */
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

struct workers find_workers(void)
{
	struct workers w = { .n = 0 };
	char path[64];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/children", getenv("SUNDOG_RENDERD"),
		 getenv("SUNDOG_RENDERD"));
	children = fopen(path, "r");
	if (!children)
		err(1, "%s", path);
	while (fscanf(children, "%d", &pid) == 1 && w.n < MAX_WORKERS)
		if (is_worker(pid))
			w.pids[w.n++] = pid;
	fclose(children);
	return w;
}

struct workers wait_for_workers(int n)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct workers found = find_workers();

	for (int i = 0; found.n != n; i++) {
		if (i == PATIENCE_MS)
			errx(1, "%d workers instead of %d", found.n, n);
		nanosleep(&moment, NULL);
		found = find_workers();
	}
	return found;
}

bool any_runs(const struct workers *w)
{
	for (int i = 0; i < w->n; i++)
		if (is_worker(w->pids[i]))
			return true;
	return false;
}

uint32_t count_areas(const struct device *d, int pid, uint64_t offset, uint64_t size)
{
	unsigned long start, end, at, vram;
	char path[64], line[512];
	struct stat st;
	uint32_t n = 0;
	FILE *maps;

	if (fstat(d->fds[0], &st))
		err(1, "fstat");
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %lu", &start, &end, &at, &vram) == 4)
			n += at < offset + size && offset < at + (end - start) && vram == st.st_ino;
	if (maps)
		fclose(maps);
	return n;
}

/* The driver's part */

void give_extents(struct device *d, uint64_t offset, uint64_t size, uint32_t client)
{
	for (uint64_t i = offset / EXTENT; i < (offset + size) / EXTENT; i++)
		__atomic_store_n(&d->extents[i], client, __ATOMIC_RELEASE);
}

void post_revoke(struct device *d)
{
	struct sundog_message_revoke m;

	message_init(&m, REVOKE);
	m.serial = ++d->revokes;
	send_message(d, &m.header, NULL, 0);
}

bool expect_revoked(struct device *d)
{
	struct message m;

	return expect(d, SUNDOG_MESSAGE_REVOKED, &m) && m.revoked.serial == d->revokes;
}

void unpublish(struct device *d, uint32_t handle)
{
	__atomic_store_n(&d->table[handle].generation, 0, __ATOMIC_RELEASE);
}

void publish(struct device *d, uint32_t handle, uint32_t heap, uint64_t offset, uint64_t size)
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

struct sundog_mem mem(uint32_t handle)
{
	return (struct sundog_mem){ 0, handle };
}

void emit_fill(struct device *d, uint32_t handle, uint64_t size, uint32_t value)
{
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = mem(handle), .size = size }, .value = value,
	};

	sundog_emit_fill_buffer(&d->stream, &fill);
}

void emit_copy(struct device *d, uint32_t src, uint32_t dst, uint64_t size)
{
	const struct sundog_cmd_copy_buffer copy = { .src = mem(src), .dst = mem(dst),
						     .size = size };

	sundog_emit_copy_buffer(&d->stream, &copy);
}

struct sundog_list_entry list_entry(struct device *d, uint32_t handle)
{
	return (struct sundog_list_entry){
		.index = handle, .handle = handle, .generation = d->table[handle].generation,
		.access = SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE,
	};
}

void submit_list(struct device *d, struct channel *ch, uint32_t stream, uint32_t first,
		 uint32_t list_count)
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

void submit(struct device *d, struct channel *ch, uint32_t stream, const uint32_t *handles)
{
	const uint32_t first = ch->control->put % SUNDOG_RING_SLOTS * SUNDOG_LIST_PER_SLOT;
	uint32_t n = 0;

	for (; *handles; handles++)
		ch->list[first + n++] = list_entry(d, *handles);
	submit_list(d, ch, stream, first, n);
}

bool is_done(const struct channel *ch)
{
	return ch->status->completed >= ch->seqno;
}

/* Returns whether the renderer's next message says that the channel is dead; leaves it there. */
static bool has_ended(const struct device *d, const struct channel *ch)
{
	struct sundog_message_channel_state m;

	if (recv(d->sock, &m, sizeof(m), MSG_PEEK | MSG_DONTWAIT) != sizeof(m) ||
	    m.header.type != SUNDOG_MESSAGE_CHANNEL_STATE || m.channel != ch->index ||
	    m.state == SUNDOG_CHANNEL_STATE_RUN)
		return false;
	printf("# channel %u ended with fault %u\n", m.channel, m.fault);
	return true;
}

bool wait_done(struct device *d, struct channel *ch)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (int i = 0; !is_done(ch) && i < PATIENCE_MS * 10; i++) {
		if (i % 1000 == 999 && has_ended(d, ch))
			break;
		nanosleep(&moment, NULL);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	d->stream.used = 0;
	return is_done(ch);
}

bool run(struct device *d, struct channel *ch, const uint32_t *handles)
{
	submit(d, ch, STREAM, handles);
	return wait_done(d, ch);
}

bool faults(struct device *d, struct channel *ch, uint32_t code)
{
	d->stream.used = 0;
	return expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_FAULT, code) &&
	       expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_DEAD, code);
}


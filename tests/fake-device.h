/* SPDX-License-Identifier: MIT */
/*
 * For tests of the renderer as a device has it (SUNDOG_DEVICE_SOCKET, of process SUNDOG_RENDERD): the part of
 * QEMU, of the guest's kernel driver and of programs in the guest, in one process. What does not work at all
 * ends it.
 */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "sundog_emit.h"

#define PAGE SUNDOG_PAGE_SIZE
#ifndef VRAM_SIZE
#define VRAM_SIZE (16ull << 20)
#define EXTENT_SHIFT 16
#endif
#define EXTENT (1ull << EXTENT_SHIFT)

/* The stream's device handle, and where it is in VRAM. */
#define STREAM 1
#define STREAM_OFFSET 0
#define STREAM_SIZE (1ull << 20)

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
	uint32_t *extents;
	uint64_t generation;
	uint32_t revokes;
	uint32_t n_crashed, n_named;	/* workers; those that said at whose work */
	struct sundog_stream stream;
};

/* In the environment: pages of the guest are dma-bufs of udmabuf, as from QEMU, and not memfds. */
#define PAGES_UDMABUF "SUNDOG_PAGES_UDMABUF"

/* Pages of the guest: what the device maps and what a program in the guest sees. */
struct pages {
	int fd;
	uint32_t *map;
	uint64_t size;
};

struct pages pages_new(uint64_t size);
void pages_free(struct pages *pages);
bool is_filled(const uint32_t *map, uint64_t size, uint32_t value);

/* TAP: a line of it; the end of it, and the exit status of the program. */
void report(bool ok, const char *name);
int report_end(void);

/* The socket */

void send_message(struct device *d, const struct sundog_message *m, const int *fds, int n_fds);
/* The next message. False: the renderer hung up. */
bool receive(struct device *d, struct message *m);
bool expect(struct device *d, uint32_t type, struct message *m);
bool expect_state(struct device *d, uint32_t channel, uint32_t state, uint32_t fault);
/* The worker of a channel crashes, at the work of that channel if it says so. */
bool crashes(struct device *d, uint32_t channel);

/* With its stream in the table, and no extent anybody's. */
struct device *device_new(void);
/* Returns when its workers are gone. */
void device_free(struct device *d);

struct channel channel_new(struct device *d, uint32_t client, uint32_t index);
void post_destroy(struct device *d, const struct channel *ch);
void destroy(struct device *d, const struct channel *ch);
void channel_free(struct channel *ch);

/* Heap GUEST */

void post_map(struct device *d, uint64_t offset, const struct pages *pages);
bool map_pages(struct device *d, uint64_t offset, const struct pages *pages);
void post_unmap(struct device *d, uint64_t offset, uint64_t size);
bool expect_unmapped(struct device *d, uint64_t offset, uint64_t size);
bool unmap_pages(struct device *d, uint64_t offset, uint64_t size);

/* Workers, as /proc shows them */

#define MAX_WORKERS 8

struct workers {
	int pids[MAX_WORKERS], n;
};

struct workers find_workers(void);
/* When there are @n, as there will be in a moment: a process that is just made looks like who made it. */
struct workers wait_for_workers(int n);
bool any_runs(const struct workers *w);
/* The areas of @pid's memory that show a part of VRAM. */
uint32_t count_areas(const struct device *d, int pid, uint64_t offset, uint64_t size);

/* The driver's part */

/* These bytes of VRAM, whole extents, are @client's, or nobody's if it is 0. */
void give_extents(struct device *d, uint64_t offset, uint64_t size, uint32_t client);
void post_revoke(struct device *d);
bool expect_revoked(struct device *d);
void publish(struct device *d, uint32_t handle, uint32_t heap, uint64_t offset, uint64_t size);
/* @handle names nothing any more. */
void unpublish(struct device *d, uint32_t handle);

struct sundog_mem mem(uint32_t handle);
void emit_fill(struct device *d, uint32_t handle, uint64_t size, uint32_t value);
void emit_copy(struct device *d, uint32_t src, uint32_t dst, uint64_t size);

struct sundog_list_entry list_entry(struct device *d, uint32_t handle);
/* Submit what was emitted, with the @list_count entries from @first on that the channel's list has. */
void submit_list(struct device *d, struct channel *ch, uint32_t stream, uint32_t first, uint32_t list_count);
/* Submit what was emitted, with these handles (0 ends them) in the list. */
void submit(struct device *d, struct channel *ch, uint32_t stream, const uint32_t *handles);
bool is_done(const struct channel *ch);
/* False: it was not done in time. The stream is empty afterwards. */
bool wait_done(struct device *d, struct channel *ch);
bool run(struct device *d, struct channel *ch, const uint32_t *handles);
/* The channel faults with @code and dies of it. */
bool faults(struct device *d, struct channel *ch, uint32_t code);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A device for tests of the renderer: plays QEMU, the guest's kernel driver and guest programs in
 * one process. Talks to the renderer of process SUNDOG_RENDERD at socket SUNDOG_DEVICE_SOCKET. A
 * setup step that fails ends the program.
 */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/message.h"
#include "sundog_emit.h"

#define PAGE SUNDOG_PAGE_SIZE
#ifndef VRAM_SIZE
#define VRAM_SIZE (16ull << 20)
#define EXTENT_SHIFT 16
#endif
#define EXTENT (1ull << EXTENT_SHIFT)

/* Device handle of the stream, and its offset and size in VRAM. */
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
	uint32_t layout_flags;		/* of the renderer's capabilities */
	/* crashed workers; crashes for which the broker reported a seqno */
	uint32_t n_crashed, n_named;
	struct sundog_stream stream;
};

/*
 * Environment variable: if set, guest pages are udmabuf dma-bufs, as from QEMU, instead of memfds.
 */
#define PAGES_UDMABUF "SUNDOG_PAGES_UDMABUF"

/* Guest pages: @fd is the file that the device maps, @map the guest program's mapping. */
struct pages {
	int fd;
	uint32_t *map;
	uint64_t size;
};

struct pages pages_new(uint64_t size);
void pages_free(struct pages *pages);
bool is_filled(const uint32_t *map, uint64_t size, uint32_t value);

/*
 * report() prints a line of TAP. report_end() prints the plan and returns the exit status of the
 * program.
 */
void report(bool ok, const char *name);
int report_end(void);

/* The socket */

void send_message(struct device *d, const struct sundog_message *m, const int *fds, int n_fds);
/* Receives the next message. Returns false if the renderer closed the connection. */
bool receive(struct device *d, struct message *m);
bool expect(struct device *d, uint32_t type, struct message *m);
bool expect_state(struct device *d, uint32_t channel, uint32_t state, uint32_t fault);
/*
 * Returns true if the next messages report that the worker of @channel crashed: an optional FAULT
 * state and then DEAD, both with fault WORKER. Counts the crash in @n_crashed and, if the FAULT
 * state has a seqno, in @n_named.
 */
bool crashes(struct device *d, uint32_t channel);

/* Connects a device with its stream in the allocation table. All extents are free. */
struct device *device_new(void);
/* Disconnects. Returns when all workers of the device have exited. */
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
/*
 * Waits until there are @n workers. A worker that was just forked still has the mappings of its
 * parent, so that the number is wrong for a moment.
 */
struct workers wait_for_workers(int n);
bool any_runs(const struct workers *w);
/* Returns the number of mappings of process @pid that overlap the range of VRAM. */
uint32_t count_areas(const struct device *d, int pid, uint64_t offset, uint64_t size);

/* The driver's part */

/*
 * Makes @client the owner of the extents in the range, or nobody if it is 0. @offset and @size are
 * multiples of EXTENT.
 */
void give_extents(struct device *d, uint64_t offset, uint64_t size, uint32_t client);
void post_revoke(struct device *d);
bool expect_revoked(struct device *d);
void publish(struct device *d, uint32_t handle, uint32_t heap, uint64_t offset, uint64_t size);
/* Removes @handle from the allocation table. */
void unpublish(struct device *d, uint32_t handle);

struct sundog_mem mem(uint32_t handle);
void emit_fill(struct device *d, uint32_t handle, uint64_t size, uint32_t value);
void emit_copy(struct device *d, uint32_t src, uint32_t dst, uint64_t size);

struct sundog_list_entry list_entry(struct device *d, uint32_t handle);
/* Submits the emitted stream with the @list_count entries from @first on of the channel's list. */
void submit_list(struct device *d, struct channel *ch, uint32_t stream, uint32_t first,
		 uint32_t list_count);
/* Submits the emitted stream. @handles are the entries of its list, terminated by 0. */
void submit(struct device *d, struct channel *ch, uint32_t stream, const uint32_t *handles);
bool is_done(const struct channel *ch);
/* Waits for the last submission and empties the stream. Returns false after a timeout. */
bool wait_done(struct device *d, struct channel *ch);
bool run(struct device *d, struct channel *ch, const uint32_t *handles);
/* Returns true if the channel reports a fault of @code and then that it is dead. */
bool faults(struct device *d, struct channel *ch, uint32_t code);

#endif

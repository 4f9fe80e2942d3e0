/* SPDX-License-Identifier: MIT */
/*
 * What tests of sharing with other devices have in common: those devices, dma-bufs, and the fences
 * that travel with them.
 */
#ifndef SUNDOG_SHARE_H
#define SUNDOG_SHARE_H

#include <poll.h>

#include <linux/dma-buf.h>

#include "sundog_test.h"

/* Other devices; they skip where there is none. */
int sd_open_vgem(void);
int sd_open_virtio_gpu(void);
int sd_open_cirrus(void);
/* The render node of the second sundog device. */
int sd_open_second(void);

/* A device's name on its bus. */
void sd_device_name(int fd, char *name, size_t size);
/* @what: bind or unbind, the device of that name. */
void sd_tell_driver(const char *what, const char *name);
/* Skips unless SUNDOG_SLEEP says how the machine sleeps, as /sys/power/state has it. */
void sd_require_sleep(void);
/* So it does, until somebody wakes it up: 0 or -errno. */
int sd_sleep_try(void);

bool sd_has_guest_heap(int fd);
/* Skip unless the device has heap GUEST, or unless it has not. */
void sd_require_guest_heap(int fd);
void sd_require_no_guest_heap(int fd);

/* dma-bufs that exist in the whole system, and a wait until there are @count again. */
int sd_count_dma_bufs(void);
void sd_wait_dma_bufs(int count);

/* A GEM handle for a dma-buf, of any driver: 0 or -errno. */
int sd_import_try(int fd, int dma_buf, uint32_t *handle);
/* The same for a dma-buf of @size bytes from another driver, on a sundog device. */
struct sd_bo sd_import(int fd, int dma_buf, uint64_t size);
uint32_t *sd_map_dma_buf(int dma_buf, uint64_t size);

/* A sync_file of what an access with @flags (DMA_BUF_SYNC_*) would have to wait for. */
int sd_export_sync_file(int dma_buf, uint32_t flags);
/* The fence becomes one of an access with @flags (DMA_BUF_SYNC_*). */
void sd_import_sync_file(int dma_buf, uint32_t flags, int sync_file);
/* 0: it has not signalled, 1: it has, -errno: it failed. Makes nobody look for its end. */
int sd_sync_file_status(int sync_file);
bool sd_is_ready(int fd, short events, int timeout_ms);
bool sd_is_done(struct sd_context *ctx, uint64_t seqno);

struct sd_progress {
	pid_t pid;
	int submitted;
};

/*
 * A child submits @n times. Returns when it did that, or waits for room in the queue; what is returned is a page that
 * it goes on to count in.
 */
struct sd_progress *sd_submit_often(int fd, const struct drm_sundog_submit *args, int n);
/* After a while that is long enough for a submission that nothing holds back. */
bool sd_is_held_back(struct sd_context *ctx, uint64_t seqno);

#endif

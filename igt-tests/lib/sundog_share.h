/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests that share memory with other devices: the other devices, dma-bufs, and the
 * fences in the reservation objects of dma-bufs.
 */
#ifndef SUNDOG_SHARE_H
#define SUNDOG_SHARE_H

#include <poll.h>

#include <linux/dma-buf.h>

#include "sundog_test.h"

/* Load the module of another driver and open its primary node; skip if that fails. */
int sd_open_vgem(void);
int sd_open_virtio_gpu(void);
int sd_open_cirrus(void);
/* Opens the render node of the second sundog device; skips if there is none. */
int sd_open_second(void);

/* Stores the name of the device on its bus in @name. */
void sd_device_name(int fd, char *name, size_t size);
/* @what is "bind" or "unbind": binds the device @name to the sundog driver, or unbinds it. */
void sd_tell_driver(const char *what, const char *name);
/* Skips unless SUNDOG_SLEEP is set. Its value is a state for /sys/power/state, such as "mem". */
void sd_require_sleep(void);
/* Suspends the machine with that state. Returns 0 after the resume, or -errno. */
int sd_sleep_try(void);

bool sd_has_guest_heap(int fd);
/* Skip unless the device has, or has not, heap GUEST. */
void sd_require_guest_heap(int fd);
void sd_require_no_guest_heap(int fd);

/*
 * sd_count_dma_bufs() returns the number of dma-bufs in the system; it skips if debugfs does not
 * have it. sd_wait_dma_bufs() waits until the number is @count.
 */
int sd_count_dma_bufs(void);
void sd_wait_dma_bufs(int count);

/* Imports a dma-buf into a device of any driver. Returns 0 or -errno. */
int sd_import_try(int fd, int dma_buf, uint32_t *handle);
/* Imports a dma-buf of @size bytes from another driver into a sundog device. */
struct sd_bo sd_import(int fd, int dma_buf, uint64_t size);
uint32_t *sd_map_dma_buf(int dma_buf, uint64_t size);

/* Returns a sync_file of the fences that an access with @flags (DMA_BUF_SYNC_*) has to wait for. */
int sd_export_sync_file(int dma_buf, uint32_t flags);
/*
 * Adds the fence of @sync_file to the dma-buf as the fence of an access with @flags
 * (DMA_BUF_SYNC_*).
 */
void sd_import_sync_file(int dma_buf, uint32_t flags, int sync_file);
/*
 * Returns 0 if the fence is unsignalled, 1 if it is signalled, -errno if it is signalled with an
 * error. Does not enable software signaling of the fence.
 */
int sd_sync_file_status(int sync_file);
bool sd_is_ready(int fd, short events, int timeout_ms);
bool sd_is_done(struct sd_context *ctx, uint64_t seqno);

struct sd_progress {
	pid_t pid;
	int submitted;
};

/*
 * Forks a child that submits @args @n times. Returns when the child has submitted all, or sleeps
 * since the queue is full. The result is a shared page in which the child counts its submissions,
 * also later.
 */
struct sd_progress *sd_submit_often(int fd, const struct drm_sundog_submit *args, int n);
/*
 * Returns true if the submission is not done after 200 ms, which is long enough for a submission
 * that waits for no fence.
 */
bool sd_is_held_back(struct sd_context *ctx, uint64_t seqno);

#endif

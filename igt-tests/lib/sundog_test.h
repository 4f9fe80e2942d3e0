/* SPDX-License-Identifier: MIT */
/*
 * Helpers that all tests share: the ioctls of sundog_drm.h as functions, debugfs, and waits.
 * sd_try() and the functions named *_try return 0 or -errno; the others fail the subtest when the
 * call fails.
 */
#ifndef SUNDOG_TEST_H
#define SUNDOG_TEST_H

#include <errno.h>

#include "sundog_igt.h"

#include "sundog_drm.h"
#include "sundog_emit.h"

#define PAGE SUNDOG_PAGE_SIZE
/* Flags of a BO on a list, with implicit synchronisation; EXPLICIT() removes it. */
#define READ (DRM_SUNDOG_SUBMIT_READ | DRM_SUNDOG_SUBMIT_IMPLICIT)
#define WRITE (DRM_SUNDOG_SUBMIT_WRITE | DRM_SUNDOG_SUBMIT_IMPLICIT)
#define EXPLICIT(flags) ((flags) & ~DRM_SUNDOG_SUBMIT_IMPLICIT)
#define WAIT DRM_SUNDOG_SYNC_WAIT
#define SIGNAL DRM_SUNDOG_SYNC_SIGNAL
#define SHARED DRM_SUNDOG_RESOURCE_SHARED

/* The first minor numbers of primary and of render nodes. */
#define SD_PRIMARY_MINOR 0
#define SD_RENDER_MINOR 128

/*
 * Opens the nth device of @driver, with the nodes from @first_minor on. Returns a negative value if
 * there is none.
 */
int sd_open_driver(const char *driver, int first_minor, int nth);
/* Opens the render node of the first sundog device; skips if there is none. */
int sd_open(void);
/* As sd_open(), but skips if the device has no renderer. */
int sd_open_renderer(void);
/* Waits until the device has a renderer. */
void sd_wait_renderer(int fd);
/* Opens the primary node of the same device, for framebuffers. */
int sd_open_primary(void);

/*
 * Maps a part of a BAR by /dev/mem, as the device sees it: BAR 0 has the registers, BAR 2 VRAM, BAR
 * 4 the tables and the channels. Skips if the kernel was not started with iomem=relaxed. The caller
 * unmaps it with munmap().
 */
void *sd_map_bar(int fd, int bar, uint64_t offset, size_t bytes, int protection);

int sd_try(int fd, unsigned long request, void *arg);
#define sd_ioctl(fd, request, arg) igt_assert_eq(sd_try(fd, request, arg), 0)

int sd_param_try(int fd, uint32_t param, uint64_t *value);
uint64_t sd_param(int fd, uint32_t param);

/*
 * Returns the free bytes of VRAM, and waits until they are @bytes: the driver frees memory some
 * time after its handle.
 */
uint64_t sd_vram_free(int fd);
void sd_wait_vram_free(int fd, uint64_t bytes);

/*
 * The number of objects of each kind that the driver has, from debugfs; skips if debugfs cannot be
 * read. The fields are described at struct sundog_stats.
 */
struct sd_counts {
	int live, shared, zombie, resources, res_ids, kres, contexts, jobs;
};

struct sd_counts sd_counts(int fd);
/*
 * Waits until the driver has no contexts, no jobs and no zombies (memory without a handle), which
 * earlier tests may have left. The other two functions return the counts, or the free VRAM, after
 * that wait. Only the first wait of a process may time out; after a timeout none waits any more.
 */
void sd_wait_idle(int fd);
struct sd_counts sd_idle_counts(int fd);
uint64_t sd_idle_vram_free(int fd);
/* Returns a value of debugfs file sundog_vram. */
uint64_t sd_vram_number(int fd, const char *name);
/* Returns a value of debugfs file sundog_lists: totals of the work for the lists of submissions. */
uint64_t sd_lists_number(int fd, const char *name);
/*
 * Waits until no client has unused VRAM and no revoke is pending: there are no zombies, no empty or
 * leaving extents, and no pages that wait for a revoke.
 */
void sd_settle(int fd);
/* Waits until the counts are @expected: some objects are freed a while after their last handle. */
void sd_wait_counts(int fd, const struct sd_counts *expected);
/*
 * Like sd_wait_counts(), for @idle and one more allocation that only mappings keep. This allocation
 * is a zombie; or it is still live, on kernels where a mapping refers to the GEM object and not
 * only to its memory.
 */
void sd_wait_mapped(int fd, const struct sd_counts *idle);

/*
 * Makes the host do something that tools/guest/ask knows; sd_require_host() skips if there is no
 * host that listens.
 */
void sd_require_host(void);
void sd_ask(const char *what);

/* Returns a number of iterations: @few in a quick run, @many if SUNDOG_LONG is set. */
int sd_rounds(int few, int many);

/* Allocations */

struct sd_bo {
	uint32_t handle;
	uint32_t device_handle;
	uint32_t index;
	uint64_t size;
	uint64_t map_offset;
	struct sundog_mem mem;
};

int sd_alloc_try(int fd, uint64_t res, const uint64_t *sizes, uint32_t count, struct sd_bo *bos);
/*
 * sd_alloc() touches the allocation, which places it in VRAM unless that is full; sd_alloc_try()
 * leaves it untouched.
 */
struct sd_bo sd_alloc(int fd, uint64_t size);
void sd_touch(int fd, const struct sd_bo *bo);
int sd_dealloc_try(int fd, uint64_t res, const uint32_t *handles, uint32_t count);
void sd_dealloc(int fd, const struct sd_bo *bo);
int sd_info_try(int fd, uint32_t handle, struct drm_sundog_alloc_info *info);
void *sd_map(int fd, const struct sd_bo *bo);
void sd_unmap(void *map, const struct sd_bo *bo);
/* The CPU writes @value to every dword. */
void sd_fill(int fd, const struct sd_bo *bo, uint32_t value);
void sd_gem_close(int fd, uint32_t handle);
int sd_export(int fd, uint32_t handle);
int sd_wait_try(int fd, uint32_t handle, uint32_t flags, int64_t timeout_ns);
void sd_wait(int fd, const struct sd_bo *bo);

/* Resources */

struct sd_resource {
	uint64_t res;
	uint32_t kres;
	uint32_t count;
	struct sd_bo bos[DRM_SUNDOG_MAX_ALLOCS];
};

/*
 * Creates a resource with @count allocations of @size bytes and touches them. sd_destroy() frees
 * the result; free() frees it and leaves the resource alone.
 */
struct sd_resource *sd_resource(int fd, uint32_t flags, uint64_t size, uint32_t count);
/* Adds @count allocations of a page to the resource, behind those that @res has. */
int sd_add_try(int fd, struct sd_resource *res, uint32_t count);
/* Frees @count allocations of the resource from index @first on; does not update @res. */
int sd_remove_try(int fd, const struct sd_resource *res, uint32_t first, uint32_t count);
int sd_open_try(int fd, int dmabuf, struct sd_resource *res, uint32_t *index);
struct sd_resource *sd_opened(int fd, int dmabuf);
int sd_destroy_try(int fd, uint64_t res);
void sd_destroy(int fd, struct sd_resource *res);

/* Creates a resource with @count PRIVATE allocations of @size bytes, and does not touch them. */
struct sd_resource *sd_private_resource(int fd, uint64_t size, uint32_t count);

/* Residency lists. @flags: access; 0 takes the allocation off the list. */

uint32_t sd_reslist(int fd);
int sd_reslist_put_try(int fd, uint32_t list, uint32_t handle, uint32_t flags);
int sd_reslist_destroy_try(int fd, uint32_t list);
/* Submits an empty stream that lists nothing but the list. */
int sd_reslist_submit_try(int fd, uint32_t ctx, uint32_t list, uint64_t *seqno);

/* Contexts and submissions */

struct sd_context {
	int fd;
	uint32_t id;
	const volatile struct drm_sundog_status *status;
	struct sd_bo stream_bo;
	uint32_t *stream_map;
	struct sundog_stream stream;
	struct drm_sundog_submit_alloc list[64];
	uint32_t count;
};

int sd_context_try(int fd, uint32_t *id, uint64_t *status_offset);
int sd_context_destroy_try(int fd, uint32_t id);
struct sd_context *sd_context(int fd);
/* Creates a context after sd_wait_idle(). */
struct sd_context *sd_idle_context(int fd);
void sd_context_free(struct sd_context *ctx);
/*
 * Unmaps and frees the user-space side only. A mapping keeps the file open, so this must precede
 * the last close().
 */
void sd_context_unmap(struct sd_context *ctx);
struct drm_sundog_context_query sd_query(struct sd_context *ctx);
/* Waits until the context is dead: a fault shows some time after its submission. */
struct drm_sundog_context_query sd_wait_dead(struct sd_context *ctx);
/* Adds an allocation to the list of the submission that is being built. */
void sd_list(struct sd_context *ctx, const struct sd_bo *bo, uint32_t access);
/*
 * Submits the stream and the list, both of which are empty afterwards. The memory of the stream is
 * not reused before the submission is done.
 */
int sd_submit_try(struct sd_context *ctx, uint64_t *seqno);
uint64_t sd_submit(struct sd_context *ctx);
/* Waits until @seqno is done. */
void sd_wait_seqno(struct sd_context *ctx, uint64_t seqno);
/* Submits and waits. */
void sd_run(struct sd_context *ctx);
/* Emits @times fills of @bo, which keep the device busy for a while, and lists @bo. */
void sd_emit_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value, int times);
void sd_emit_copy(struct sd_context *ctx, const struct sd_bo *src, const struct sd_bo *dst);
/* Returns true if every dword of @bo is @value. */
bool sd_is_filled(int fd, const struct sd_bo *bo, uint32_t value);

/*
 * sd_start_child() forks a child that runs @what until sd_kill_child() kills it, or until the
 * parent dies.
 */
pid_t sd_start_child(void (*what)(void));
void sd_kill_child(pid_t child);

int64_t sd_now_plus_ms(int ms);
/*
 * Time to wait for an event that should come: 2 minutes, or SUNDOG_PATIENCE seconds. It is not a
 * measure of speed, since a machine may stand still for some seconds at any time. sd_deadline() is
 * the end of that time from now on, in ns of CLOCK_MONOTONIC.
 */
int sd_patience_ms(void);
int64_t sd_deadline(void);

/* Send and receive a file descriptor through a Unix socket, with @size bytes of @data. */
void sd_send_fd(int socket, int fd, const void *data, size_t size);
int sd_receive_fd(int socket, void *data, size_t size);

#endif

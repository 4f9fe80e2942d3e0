/* SPDX-License-Identifier: MIT */
/*
 * What the tests share: the ioctls of sundog_drm.h as functions. sd_try() and the *_try functions
 * return 0 or -errno, the others fail the subtest when the call fails.
 */
#ifndef SUNDOG_TEST_H
#define SUNDOG_TEST_H

#include <errno.h>

#include "sundog_igt.h"

#include "sundog_drm.h"
#include "sundog_emit.h"

#define PAGE SUNDOG_PAGE_SIZE
#define READ DRM_SUNDOG_SUBMIT_READ
#define WRITE DRM_SUNDOG_SUBMIT_WRITE
#define SHARED DRM_SUNDOG_RESOURCE_SHARED

/* The first minor numbers of primary and of render nodes. */
#define SD_PRIMARY_MINOR 0
#define SD_RENDER_MINOR 128

/* A new open file of the nth device of @driver; negative where there is none. */
int sd_open_driver(const char *driver, int first_minor, int nth);
/* A new open file of the first sundog device's render node; skips where there is none. */
int sd_open(void);
/* As sd_open(), but skips where the device has no renderer. */
int sd_open_renderer(void);
/* Wait until the device has a renderer. */
void sd_wait_renderer(int fd);
/* The primary node of the same device, for framebuffers. */
int sd_open_primary(void);

/*
 * Some of a BAR, as the device sees it: 0 is registers, 2 is VRAM, 4 has the tables and the channels. Skips where the
 * kernel was not started with iomem=relaxed. munmap() ends it.
 */
void *sd_map_bar(int fd, int bar, uint64_t offset, size_t bytes, int protection);

int sd_try(int fd, unsigned long request, void *arg);
#define sd_ioctl(fd, request, arg) igt_assert_eq(sd_try(fd, request, arg), 0)

int sd_param_try(int fd, uint32_t param, uint64_t *value);
uint64_t sd_param(int fd, uint32_t param);

/* Free VRAM, and a wait until it is @bytes again: memory is freed some time after its handle. */
uint64_t sd_vram_free(int fd);
void sd_wait_vram_free(int fd, uint64_t bytes);

/*
 * How many of each thing the driver has, from debugfs; skips where that cannot be read. The fields
 * are described at struct sundog_stats.
 */
struct sd_counts {
	int live, shared, zombie, resources, res_ids, kres, contexts, jobs;
};

struct sd_counts sd_counts(int fd);
/*
 * Waits until what others had is gone, too: nobody has contexts, jobs, or memory that has no name any more.
 * The others have the counts, or the free VRAM, then.
 */
void sd_wait_idle(int fd);
struct sd_counts sd_idle_counts(int fd);
uint64_t sd_idle_vram_free(int fd);
/* A number that debugfs says of VRAM. */
uint64_t sd_vram_number(int fd, const char *name);
/* The same of what was ever done for the lists of submissions. */
uint64_t sd_lists_number(int fd, const char *name);
/* Waits until nobody has VRAM that he does not use, and nothing is to be revoked. */
void sd_settle(int fd);
/* Wait until the counts are those: some things end a while after their last name. */
void sd_wait_counts(int fd, const struct sd_counts *expected);
/*
 * The same for @idle and one allocation that only mappings keep. It is a zombie; or live still, on
 * kernels where a mapping has the GEM object and not only its memory.
 */
void sd_wait_mapped(int fd, const struct sd_counts *idle);

/*
 * Has the host do something that tools/guest-ask knows; sd_require_host() skips where there is no host
 * that listens.
 */
void sd_require_host(void);
void sd_ask(const char *what);

/* How often to do something: @few in a quick run, @many in one with SUNDOG_LONG set. */
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
/* Touched, so that it has its place in VRAM, unless that is full; sd_alloc_try() leaves it untouched. */
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

/* Makes @count allocations of @size bytes, and touches them. The result is freed with free(). */
struct sd_resource *sd_resource(int fd, uint32_t flags, uint64_t size, uint32_t count);
/* Gives @count more pages to the resource, behind those that @res has already. */
int sd_add_try(int fd, struct sd_resource *res, uint32_t count);
/* Frees @count allocations of the resource from number @first on; @res stays as it is. */
int sd_remove_try(int fd, const struct sd_resource *res, uint32_t first, uint32_t count);
int sd_open_try(int fd, int dmabuf, struct sd_resource *res, uint32_t *index);
struct sd_resource *sd_opened(int fd, int dmabuf);
int sd_destroy_try(int fd, uint64_t res);
void sd_destroy(int fd, struct sd_resource *res);

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
/* One that is alone, see sd_wait_idle(). */
struct sd_context *sd_idle_context(int fd);
void sd_context_free(struct sd_context *ctx);
/* Only our side of it: mappings keep the file open, so they must go before it can close. */
void sd_context_unmap(struct sd_context *ctx);
struct drm_sundog_context_query sd_query(struct sd_context *ctx);
/* Wait until the context is dead, for a fault shows some time after its submission. */
struct drm_sundog_context_query sd_wait_dead(struct sd_context *ctx);
/* List an allocation in the submission that is being built. */
void sd_list(struct sd_context *ctx, const struct sd_bo *bo, uint32_t access);
/* Submit stream and list; both are empty afterwards, the stream's memory is not reused before the
 * submission is done. */
int sd_submit_try(struct sd_context *ctx, uint64_t *seqno);
uint64_t sd_submit(struct sd_context *ctx);
/* Wait until @seqno is done. */
void sd_wait_seqno(struct sd_context *ctx, uint64_t seqno);
/* Submit and wait. */
void sd_run(struct sd_context *ctx);
/* Packets that the device takes a while to execute: fills of @bo, @times over. */
void sd_emit_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value, int times);
void sd_emit_copy(struct sd_context *ctx, const struct sd_bo *src, const struct sd_bo *dst);
/* Every dword of the first @size bytes is @value. */
bool sd_is_filled(int fd, const struct sd_bo *bo, uint32_t value);

/* A child that does @what until it is killed, and the end of one. */
pid_t sd_start_child(void (*what)(void));
void sd_kill_child(pid_t child);

int64_t sd_now_plus_ms(int ms);
/*
 * How long to wait for what should come: 2 minutes, or SUNDOG_PATIENCE seconds. No measure of anything, since a
 * machine may stand still for some seconds at any time. sd_deadline() is the end of that, from now on.
 */
int sd_patience_ms(void);
int64_t sd_deadline(void);

/* Send a file descriptor through a Unix socket, with @size bytes beside it. */
void sd_send_fd(int socket, int fd, const void *data, size_t size);
int sd_receive_fd(int socket, void *data, size_t size);

#endif

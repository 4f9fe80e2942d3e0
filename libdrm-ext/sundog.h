/* SPDX-License-Identifier: MIT */
/*
 * libdrm_sundog: buffers, resources, contexts, submissions and fences of a sundog device.
 *
 * Two back ends behind the same calls: a DRM file descriptor of the sundog kernel driver, or
 * "direct", a Unix socket of sundog-renderd with no kernel driver in between.
 *
 * Objects are reference counted: _new and _open return one reference, _ref adds one, _del drops one
 * and accepts NULL. A child keeps its parent alive. All calls are thread-safe, except that one
 * submit object belongs to one thread at a time. Functions that return int return 0 or -errno.
 */
#ifndef SUNDOG_H
#define SUNDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog_emit.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdrm_device;
struct sdrm_resource;
struct sdrm_bo;
struct sdrm_context;
struct sdrm_submit;
struct sdrm_fence;
struct sdrm_semaphore;
struct sdrm_reslist;

/* Timeouts are absolute CLOCK_MONOTONIC nanoseconds; SDRM_FOREVER: no timeout, 0: poll. */
#define SDRM_FOREVER INT64_MAX

/* Device */

/* Open a device on a DRM file descriptor of the sundog driver, which is duplicated. Returns NULL
 * with errno on failure. Open one device per open file: two would share its GEM handles without
 * knowing of each other. */
struct sdrm_device *sdrm_device_new(int fd);
/* Connect to sundog-renderd at @path with @vram_size bytes of own VRAM (0: the default, 1 GiB). */
struct sdrm_device *sdrm_device_new_direct(const char *path, uint64_t vram_size);
struct sdrm_device *sdrm_device_ref(struct sdrm_device *dev);
void sdrm_device_del(struct sdrm_device *dev);
/* The device's own DRM file descriptor, -1 for a direct device. */
int sdrm_device_fd(const struct sdrm_device *dev);
/* Capabilities of the renderer; valid while the device lives. */
const struct sundog_caps *sdrm_device_caps(const struct sdrm_device *dev);
uint64_t sdrm_device_vram_size(const struct sdrm_device *dev);
/* Bytes of VRAM that are free now; 0 also if the query fails. On a DRM device larger allocations
 * succeed, too: BOs that do not fit in VRAM are in system memory. */
uint64_t sdrm_device_vram_free(struct sdrm_device *dev);

/* Resources: a group of allocations with one kernel handle (kres) */

#define SDRM_RESOURCE_SHARED (1u << 0)	/* may be exported and opened elsewhere */

/* Create a resource with @count allocations of @sizes bytes, and attach a copy of @priv (may be
 * NULL). */
int sdrm_resource_new(struct sdrm_device *dev, uint32_t flags, const uint64_t *sizes,
		      uint32_t count, const void *priv, size_t priv_size,
		      struct sdrm_resource **out);
/* Open a shared resource through a dma-buf of one of its allocations; *@index becomes the index of
 * that allocation. -EOPNOTSUPP on a direct device. */
int sdrm_resource_open(struct sdrm_device *dev, int fd, uint32_t *index,
		       struct sdrm_resource **out);
struct sdrm_resource *sdrm_resource_ref(struct sdrm_resource *res);
void sdrm_resource_del(struct sdrm_resource *res);
/* Returns true if the caller has the only reference to the resource and its buffers. A submit holds
 * a reference to each listed buffer until its flush; from then on sdrm_bo_wait() tells whether
 * the buffer is busy. */
bool sdrm_resource_is_unique(const struct sdrm_resource *res);
uint32_t sdrm_resource_kres(const struct sdrm_resource *res);
/* One more than the highest index of its allocations. */
uint32_t sdrm_resource_count(const struct sdrm_resource *res);
/* Add @count allocations to an unshared resource, or to a shared one that has none yet; @bos gets
 * them, borrowed. They get free indices: on a direct device the lowest ones; a DRM device reuses
 * the index of a freed allocation only after it has used all. -EBUSY: the resource is sealed. */
int sdrm_resource_add(struct sdrm_resource *res, const uint64_t *sizes, uint32_t count,
		      struct sdrm_bo **bos);
/* Returns allocation @index, borrowed: it lives as long as the resource. NULL if there is none. */
struct sdrm_bo *sdrm_resource_bo(struct sdrm_resource *res, uint32_t index);
/* Returns the private data of the resource's creator, borrowed; NULL if there is none. */
const void *sdrm_resource_private(const struct sdrm_resource *res, size_t *size);
/* Free the allocations at @indices of an unshared resource (-EBUSY: it is shared), or with
 * SDRM_DESTROY_RESOURCE drop the caller's reference to the resource; @indices is ignored then. */
#define SDRM_DESTROY_RESOURCE (1u << 0)
int sdrm_allocation_destroy(struct sdrm_device *dev, struct sdrm_resource *res,
			    const uint32_t *indices, uint32_t count, uint32_t flags);

/* Buffers: one allocation */

/* Allocate a device-owned buffer of @size bytes, which reads as zero. */
int sdrm_bo_new(struct sdrm_device *dev, uint64_t size, struct sdrm_bo **out);
/* Allocate a private buffer: it can be neither exported (-EPERM) nor scanned out, and contexts do
 * not synchronise implicitly on it, so use fences. Thousands of private buffers can be listed at
 * little cost, see sdrm_reslist_new(). */
int sdrm_bo_new_private(struct sdrm_device *dev, uint64_t size, struct sdrm_bo **out);
/* Import a dma-buf that no shared resource owns; streams name the buffer by its device handle. */
int sdrm_bo_import(struct sdrm_device *dev, int fd, struct sdrm_bo **out);
/* Make a buffer of a GEM handle of sdrm_device_fd(); takes over the handle. DRM only. */
int sdrm_bo_from_gem(struct sdrm_device *dev, uint32_t handle, struct sdrm_bo **out);
struct sdrm_bo *sdrm_bo_ref(struct sdrm_bo *bo);
void sdrm_bo_del(struct sdrm_bo *bo);
uint64_t sdrm_bo_size(const struct sdrm_bo *bo);
/* Returns the name of the buffer in streams. List the buffer with sdrm_submit_add() in every
 * submission whose stream uses it. */
struct sundog_mem sdrm_bo_mem(const struct sdrm_bo *bo);
/* GEM handle in sdrm_device_fd(); 0 for a direct device. */
uint32_t sdrm_bo_gem(const struct sdrm_bo *bo);
/* Map the buffer for reading and writing; the mapping is kept until the buffer is freed. Returns
 * NULL with errno on failure. */
void *sdrm_bo_map(struct sdrm_bo *bo);
/* Export a new dma-buf. Returns the fd or -errno (-EOPNOTSUPP on a direct device). */
int sdrm_bo_export(struct sdrm_bo *bo);
/* Wait until no queued submission writes (@write false) or uses (@write true) the buffer. With
 * @write false this does not wait for submissions that have the buffer on a residency list, unless
 * it is private: wait for a fence of theirs. -ETIME: the timeout passed. */
int sdrm_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns);

/* Contexts and submissions */

/* Returns NULL with errno on failure: EBUSY, all channels of the device are in use, or the file or
 * its user has reached its limit; EIO or ENODEV, no renderer. */
struct sdrm_context *sdrm_context_new(struct sdrm_device *dev);
struct sdrm_context *sdrm_context_ref(struct sdrm_context *ctx);
/* Drop a reference; submits and fences hold one each. The last one waits at most ten seconds for
 * the queued submissions, then drops them. */
void sdrm_context_del(struct sdrm_context *ctx);

enum sdrm_context_state {
	SDRM_CONTEXT_RUNNING,	/* accepts submissions */
	SDRM_CONTEXT_LOST,	/* accepts none, queued submissions may still run */
	SDRM_CONTEXT_ENDED,	/* accepts none, none of its submissions runs any more */
};

/* Besides SUNDOG_FAULT_CODE_*: the device was reset or unplugged, or the renderer ended. */
#define SDRM_FAULT_DEVICE 0x10000

struct sdrm_context_status {
	uint32_t state;		/* SDRM_CONTEXT_* */
	uint32_t fault;		/* SUNDOG_FAULT_CODE_* or SDRM_FAULT_DEVICE; 0: it was not lost */
	uint64_t seqno;		/* submission that faulted, 0: not known */
	uint64_t offset;	/* of the bad packet in the submission's stream, bytes */
	uint64_t arg;		/* detail, depends on the fault code */
	bool guilty;		/* its own submission is the cause, or may be: one was queued
				 * when the worker ended */
};

/* Returns true if the context accepts no more submissions. Makes no system call on a DRM device, so
 * a program can ask every frame. */
bool sdrm_context_is_lost(struct sdrm_context *ctx);
/* Query the state of a context and, if it was lost, the fault. */
int sdrm_context_query(struct sdrm_context *ctx, struct sdrm_context_status *status);
/* Returns the opcode of the packet at byte @offset of submission @seqno, both from struct
 * sdrm_context_status. -ENOENT: the stream of the submission was overwritten or freed. */
int sdrm_context_packet(struct sdrm_context *ctx, uint64_t seqno, uint64_t offset);

/* Allocate an object id of the device (images, views, samplers, shaders); 0: none is left. */
uint32_t sdrm_object_id_new(struct sdrm_device *dev);
/* Free an object id. The packet that destroys the object must have been executed, see
 * sdrm_fence_wait(): any context may get the id next. */
void sdrm_object_id_del(struct sdrm_device *dev, uint32_t id);

/* Create a submit, which builds one submission after the other. Its streams have room for
 * @dwords. */
struct sdrm_submit *sdrm_submit_new(struct sdrm_context *ctx, uint32_t dwords);
/* Replace the current stream, which must be empty, by one with room for @dwords. The next stream
 * has the size given to sdrm_submit_new() again. -EBUSY: the stream is not empty; -EINVAL:
 * @dwords is 0 or more than SUNDOG_MAX_STREAM_DWORDS; -ENOMEM. */
int sdrm_submit_reserve(struct sdrm_submit *submit, uint32_t dwords);
void sdrm_submit_del(struct sdrm_submit *submit);
/* The stream into which the sundog_emit_*() functions write packets. */
struct sundog_stream *sdrm_submit_stream(struct sdrm_submit *submit);
/* List a buffer with SUNDOG_ACCESS_* flags; repeated calls add flags. The submit keeps a reference
 * until the flush. -ENOSPC: the list is full, flush and go on. */
int sdrm_submit_add(struct sdrm_submit *submit, struct sdrm_bo *bo, uint32_t access);
/* Returns the access flags with which @bo is listed so far, 0 if it is not listed. */
uint32_t sdrm_submit_access(const struct sdrm_submit *submit, const struct sdrm_bo *bo);
/* List the buffers on @list with each submission, from the next flush on; NULL: no residency list.
 * The submit keeps a reference to @list. */
void sdrm_submit_set_reslist(struct sdrm_submit *submit, struct sdrm_reslist *list);
/* Queue the submission and begin a new one with an empty stream and list. The submission waits for
 * @in_fence_fd, a sync_file or -1. *@out, if @out is not NULL, becomes a new fence; if there is
 * nothing to queue, it stands for the submission before. -EIO: the context is lost; -EOVERFLOW: the
 * stream overflowed, nothing was queued. The submit is empty afterwards, on errors, too. */
int sdrm_submit_flush(struct sdrm_submit *submit, int in_fence_fd, struct sdrm_fence **out);

/* A binary syncobj of sdrm_device_fd(), or a point of a timeline syncobj. */
struct sdrm_sync {
	uint32_t handle;
	uint64_t point;		/* 0: the syncobj is binary */
};

/* Syncobjs that a submission waits for before it runs, and those that it signals on completion. */
struct sdrm_syncs {
	const struct sdrm_sync *waits, *signals;
	uint32_t n_waits, n_signals;
};

/* Same as sdrm_submit_flush(), with syncobjs instead of an in-fence. The points in @syncs->waits
 * must have a fence already. -EOPNOTSUPP: a direct device has no syncobjs. */
int sdrm_submit_flush_syncs(struct sdrm_submit *submit, const struct sdrm_syncs *syncs,
			    struct sdrm_fence **out);

/* Residency lists: buffers that many submissions use, or may use. They have no implicit
 * synchronisation: submissions wait for other users of a buffer, and make others wait, only by
 * their syncs, and by the fences that the caller moves to and from a dma-buf
 * (DMA_BUF_IOCTL_EXPORT_SYNC_FILE, DMA_BUF_IOCTL_IMPORT_SYNC_FILE). */

int sdrm_reslist_new(struct sdrm_device *dev, struct sdrm_reslist **out);
struct sdrm_reslist *sdrm_reslist_ref(struct sdrm_reslist *list);
void sdrm_reslist_del(struct sdrm_reslist *list);
/* Put a buffer on the list with SUNDOG_ACCESS_* flags, or remove it with @access 0. The list keeps
 * a reference to each buffer. -ENOENT: the buffer to remove is not on the list; -EDQUOT: the list
 * is full, or the file or its user has reached its limit. */
int sdrm_reslist_set(struct sdrm_reslist *list, struct sdrm_bo *bo, uint32_t access);

/* Fences */

struct sdrm_fence *sdrm_fence_ref(struct sdrm_fence *fence);
void sdrm_fence_del(struct sdrm_fence *fence);
/* Wait for a fence. 0: signalled; -ETIME: not yet; -EIO: the context was lost before the submission
 * completed, and nothing of the context runs any more. */
int sdrm_fence_wait(struct sdrm_fence *fence, int64_t timeout_ns);
/* Export a new sync_file. Returns the fd or -errno (-EOPNOTSUPP on a direct device). */
int sdrm_fence_export(struct sdrm_fence *fence);
/* Make a fence of a sync_file; the caller keeps @fd. -EINVAL: @fd is not a sync_file. */
int sdrm_fence_import(struct sdrm_device *dev, int fd, struct sdrm_fence **out);

/* Semaphores: a binary DRM syncobj, which holds one fence and is shared by an opaque file
 * descriptor. Not reference counted. -EOPNOTSUPP on a direct device. */

/* Create a semaphore that holds no fence. */
int sdrm_semaphore_new(struct sdrm_device *dev, struct sdrm_semaphore **out);
/* Import the semaphore of a file descriptor; the caller keeps @fd. -EINVAL: @fd is not a
 * semaphore. */
int sdrm_semaphore_import(struct sdrm_device *dev, int fd, struct sdrm_semaphore **out);
/* Export a new file descriptor. Returns the fd or -errno. */
int sdrm_semaphore_export(struct sdrm_semaphore *sem);
void sdrm_semaphore_del(struct sdrm_semaphore *sem);
/* Replace the semaphore's fence by @fence: the semaphore signals when @fence does. */
int sdrm_semaphore_signal(struct sdrm_semaphore *sem, struct sdrm_fence *fence);
/* Take the fence out of the semaphore, for the caller to wait for. -EAGAIN: it holds no fence. */
int sdrm_semaphore_wait(struct sdrm_semaphore *sem, struct sdrm_fence **out);

#ifdef __cplusplus
}
#endif

#endif

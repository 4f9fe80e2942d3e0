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

struct sundog_device;
struct sundog_resource;
struct sundog_bo;
struct sundog_context;
struct sundog_submit;
struct sundog_fence;
struct sundog_semaphore;
struct sundog_reslist;

/* Absolute CLOCK_MONOTONIC nanoseconds; SUNDOG_FOREVER waits without end, 0 just looks. */
#define SUNDOG_FOREVER INT64_MAX

/* Device */

/* Take a DRM file descriptor of the sundog driver; it is duplicated. NULL with errno on failure.
 * One device per open file: two would share its GEM handles without knowing of each other. */
struct sundog_device *sundog_device_new(int fd);
/* Connect to sundog-renderd at @path with @vram_size bytes of own VRAM (0: the default, 1 GiB). */
struct sundog_device *sundog_device_new_direct(const char *path, uint64_t vram_size);
struct sundog_device *sundog_device_ref(struct sundog_device *dev);
void sundog_device_del(struct sundog_device *dev);
/* The device's own DRM file descriptor, -1 for a direct device. */
int sundog_device_fd(const struct sundog_device *dev);
/* Capabilities of the renderer; valid while the device lives. */
const struct sundog_caps *sundog_device_caps(const struct sundog_device *dev);
uint64_t sundog_device_vram_size(const struct sundog_device *dev);
/* Bytes of VRAM that nobody has now; what does not fit there waits in system memory. 0 also where that cannot be told. */
uint64_t sundog_device_vram_free(struct sundog_device *dev);

/* Resources: a group of allocations with one kernel handle (kres) */

#define SUNDOG_RESOURCE_SHARED (1u << 0)	/* may be exported and opened elsewhere */

/* Make a resource with @count allocations of @sizes bytes, and attach @priv (may be NULL). */
int sundog_resource_new(struct sundog_device *dev, uint32_t flags, const uint64_t *sizes,
			uint32_t count, const void *priv, size_t priv_size,
			struct sundog_resource **out);
/* Open a shared resource through a dma-buf of one of its allocations; *@index is that allocation's.
 * -EOPNOTSUPP on a direct device. */
int sundog_resource_open(struct sundog_device *dev, int fd, uint32_t *index,
			 struct sundog_resource **out);
struct sundog_resource *sundog_resource_ref(struct sundog_resource *res);
void sundog_resource_del(struct sundog_resource *res);
/* Is the caller's the only reference to the resource and its buffers? Submits hold what they list
 * until they are flushed; then sundog_bo_wait() knows of it. */
bool sundog_resource_is_unique(const struct sundog_resource *res);
uint32_t sundog_resource_kres(const struct sundog_resource *res);
/* Upper bound of the indices of its allocations. */
uint32_t sundog_resource_count(const struct sundog_resource *res);
/* Give an unshared resource, or a shared one that has none yet, @count more allocations; @bos gets
 * them, borrowed. Their indices are free ones: on a direct device the lowest, on a DRM device none that was freed, before
 * all were used. -EBUSY: sealed. */
int sundog_resource_add(struct sundog_resource *res, const uint64_t *sizes, uint32_t count,
			struct sundog_bo **bos);
/* Allocation @index, borrowed: it lives as long as the resource. NULL if there is none. */
struct sundog_bo *sundog_resource_bo(struct sundog_resource *res, uint32_t index);
/* The creator's private data, borrowed; NULL if none. */
const void *sundog_resource_private(const struct sundog_resource *res, size_t *size);
/* Free some allocations of an unshared resource, or with SUNDOG_DESTROY_RESOURCE all and the
 * resource (the caller's reference included). */
#define SUNDOG_DESTROY_RESOURCE (1u << 0)
int sundog_allocation_destroy(struct sundog_device *dev, struct sundog_resource *res,
			      const uint32_t *indices, uint32_t count, uint32_t flags);

/* Buffers: one allocation */

/* A device-owned allocation of @size bytes, reads as zero. */
int sundog_bo_new(struct sundog_device *dev, uint64_t size, struct sundog_bo **out);
/* The same, but never to be exported (-EPERM) or shown, and not synchronised implicitly between contexts:
 * that is for fences. Thousands of them can be listed at little cost, see sundog_reslist_new(). */
int sundog_bo_new_private(struct sundog_device *dev, uint64_t size, struct sundog_bo **out);
/* Import a plain dma-buf that no shared resource owns; named by its device handle. */
int sundog_bo_import(struct sundog_device *dev, int fd, struct sundog_bo **out);
/* A buffer for a GEM handle of sundog_device_fd(); takes over the handle. DRM only. */
int sundog_bo_from_gem(struct sundog_device *dev, uint32_t handle, struct sundog_bo **out);
struct sundog_bo *sundog_bo_ref(struct sundog_bo *bo);
void sundog_bo_del(struct sundog_bo *bo);
uint64_t sundog_bo_size(const struct sundog_bo *bo);
/* How streams name it; list it with sundog_submit_add() in every submission that touches it. */
struct sundog_mem sundog_bo_mem(const struct sundog_bo *bo);
/* GEM handle in sundog_device_fd(); 0 for a direct device. */
uint32_t sundog_bo_gem(const struct sundog_bo *bo);
/* Map it for reading and writing; the mapping is kept until the bo dies. NULL with errno. */
void *sundog_bo_map(struct sundog_bo *bo);
/* A new dma-buf. Returns the fd or -errno (-EOPNOTSUPP on a direct device). */
int sundog_bo_export(struct sundog_bo *bo);
/* Wait until the device no longer writes (@write false) or uses (true) it. -ETIME: it still does. */
int sundog_bo_wait(struct sundog_bo *bo, bool write, int64_t timeout_ns);

/* Contexts and submissions */

/* NULL with errno: EBUSY, every channel of the device is in use, or as many as one file or user may have; EIO or ENODEV,
 * no renderer. */
struct sundog_context *sundog_context_new(struct sundog_device *dev);
struct sundog_context *sundog_context_ref(struct sundog_context *ctx);
/* With the last reference (submits and fences hold one) this waits, ten seconds at most, for what is queued;
 * then it is dropped. */
void sundog_context_del(struct sundog_context *ctx);

enum sundog_context_state {
	SUNDOG_CONTEXT_RUNNING,	/* takes work */
	SUNDOG_CONTEXT_LOST,	/* takes none, what it had taken may still run */
	SUNDOG_CONTEXT_ENDED,	/* nothing of it runs any more */
};

/* Besides SUNDOG_FAULT_CODE_*: the device was reset or is gone, or the renderer is. */
#define SUNDOG_FAULT_DEVICE 0x10000

struct sundog_context_status {
	uint32_t state;		/* SUNDOG_CONTEXT_* */
	uint32_t fault;		/* why it was lost; 0: it was not */
	uint64_t seqno;		/* submission that faulted, 0: not known */
	uint64_t offset;	/* of the bad packet in its stream, bytes */
	uint64_t arg;		/* see fault */
	bool guilty;		/* its own work is the reason, or may be: it was there when the worker ended */
};

/* Whether it takes no more work: on a DRM device without a call to the kernel, so it can be asked every frame. */
bool sundog_context_is_lost(struct sundog_context *ctx);
/* What became of a context, and why. */
int sundog_context_query(struct sundog_context *ctx, struct sundog_context_status *status);
/* The opcode of the packet at @offset of submission @seqno, as a status names it. -ENOENT: not known. */
int sundog_context_packet(struct sundog_context *ctx, uint64_t seqno, uint64_t offset);

/* A new object id of the device's id space (images, views, samplers, shaders); 0: none is left. */
uint32_t sundog_object_id_new(struct sundog_device *dev);
/* Give an id back, after the destroy packet that ends it was executed: see sundog_fence_wait(). Any
 * context may get it next. */
void sundog_object_id_del(struct sundog_device *dev, uint32_t id);

/* One submission being built. The stream has room for @dwords. */
struct sundog_submit *sundog_submit_new(struct sundog_context *ctx, uint32_t dwords);
/* Have the stream that is being built, of which nothing is used yet, be one with room for @dwords; the next
 * one is as sundog_submit_new() was told. -EBUSY: it is used, -EINVAL: no stream is that large, -ENOMEM. */
int sundog_submit_reserve(struct sundog_submit *submit, uint32_t dwords);
void sundog_submit_del(struct sundog_submit *submit);
/* Where to emit packets, with the sundog_emit_*() functions. */
struct sundog_stream *sundog_submit_stream(struct sundog_submit *submit);
/* List a buffer with SUNDOG_ACCESS_* flags; access adds up over repeated calls. Keeps a reference
 * until the flush. -ENOSPC: the list is full, flush what you have. */
int sundog_submit_add(struct sundog_submit *submit, struct sundog_bo *bo, uint32_t access);
/* Access with which @bo is listed so far, 0 if it is not. */
uint32_t sundog_submit_access(const struct sundog_submit *submit, const struct sundog_bo *bo);
/* List what is on @list as well, from the next flush on; NULL: nothing. Keeps a reference. */
void sundog_submit_set_reslist(struct sundog_submit *submit, struct sundog_reslist *list);
/* Queue what was built and start anew with an empty stream and list. @in_fence_fd (sync_file or -1)
 * is waited for first; *@out, if @out is not NULL, becomes a new fence (with nothing to queue, that
 * of the submission before). -EIO: the context is lost; -EOVERFLOW: the stream overflowed, nothing
 * was queued. Either way the submit is empty again. */
int sundog_submit_flush(struct sundog_submit *submit, int in_fence_fd, struct sundog_fence **out);

/* A syncobj of sundog_device_fd(), or a point of one that is a timeline. */
struct sundog_sync {
	uint32_t handle;
	uint64_t point;		/* 0: the syncobj is binary */
};

/* What a submission waits for before it runs, and what is signalled when it is done. */
struct sundog_syncs {
	const struct sundog_sync *waits, *signals;
	uint32_t n_waits, n_signals;
};

/* Likewise, with syncobjs; -EOPNOTSUPP on a direct device, if there is one. Points to wait for must be there. */
int sundog_submit_flush_syncs(struct sundog_submit *submit, const struct sundog_syncs *syncs,
			      struct sundog_fence **out);

/* Residency lists: buffers that many submissions use */

int sundog_reslist_new(struct sundog_device *dev, struct sundog_reslist **out);
struct sundog_reslist *sundog_reslist_ref(struct sundog_reslist *list);
void sundog_reslist_del(struct sundog_reslist *list);
/* Put a buffer on it with SUNDOG_ACCESS_* flags, or with 0 take it off (-ENOENT: it is not on it). Keeps a
 * reference. -ENOSPC: the list is full. */
int sundog_reslist_set(struct sundog_reslist *list, struct sundog_bo *bo, uint32_t access);

/* Fences */

struct sundog_fence *sundog_fence_ref(struct sundog_fence *fence);
void sundog_fence_del(struct sundog_fence *fence);
/* 0: done; -ETIME: not yet; -EIO: its context was lost first, nothing of it runs any more. */
int sundog_fence_wait(struct sundog_fence *fence, int64_t timeout_ns);
/* A new sync_file, or -errno (-EOPNOTSUPP on a direct device). */
int sundog_fence_export(struct sundog_fence *fence);
/* A fence for a sync_file; @fd stays the caller's. -EINVAL: it is none. */
int sundog_fence_import(struct sundog_device *dev, int fd, struct sundog_fence **out);

/* Semaphores: a place for one fence, shared by an opaque file descriptor (a syncobj). Not reference
 * counted. -EOPNOTSUPP on a direct device. */

/* A semaphore that holds no fence. */
int sundog_semaphore_new(struct sundog_device *dev, struct sundog_semaphore **out);
/* The semaphore behind a file descriptor; @fd stays the caller's. -EINVAL: it is none. */
int sundog_semaphore_import(struct sundog_device *dev, int fd, struct sundog_semaphore **out);
/* A new file descriptor, or -errno. */
int sundog_semaphore_export(struct sundog_semaphore *sem);
void sundog_semaphore_del(struct sundog_semaphore *sem);
/* Signal it when @fence does: @fence takes the place of what it held. */
int sundog_semaphore_signal(struct sundog_semaphore *sem, struct sundog_fence *fence);
/* Take out the fence that it holds, for somebody to wait for. -EAGAIN: it holds none. */
int sundog_semaphore_wait(struct sundog_semaphore *sem, struct sundog_fence **out);

#ifdef __cplusplus
}
#endif

#endif

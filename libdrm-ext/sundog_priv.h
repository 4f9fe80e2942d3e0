/* SPDX-License-Identifier: MIT */
/*
 * Internals of libdrm_sundog: the objects behind the public types, and the vtable that the two back
 * ends (sundog_drm.c, sundog_direct*.c) fill in.
 *
 * Locks: sdrm_device.lock guards the timelines and the uses of every buffer, and further fields
 * of a back end, which lists them. sdrm_context.lock orders submissions of a context and guards
 * its stream chunks; it is taken before the device's lock.
 */
#ifndef SUNDOG_PRIV_H
#define SUNDOG_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "sundog.h"
#include "sundog_ids.h"
#include "sundog_list.h"
#include "sundog_vram.h"

#define SUNDOG_PUBLIC __attribute__((visibility("default")))

#define SUNDOG_ALIGN(value, to) (((value) + (to) - 1) & ~((__typeof__(value))(to) - 1))

/* The submissions of one context, to which the uses of buffers refer. A slot with serial 0 is
 * free. */
struct sdrm_timeline {
	uint32_t serial;
	bool over;	/* its submissions all ended, even if status->completed lags behind */
	const struct sundog_ring_status *status;
};

/* The last submissions of one timeline that read and wrote a buffer. */
struct sdrm_use {
	uint32_t slot, serial;
	uint64_t read, write;
};

/* One use inline, since nearly every buffer is used by one context only. */
struct sdrm_uses {
	struct sdrm_use first;
	struct sdrm_use *more;
	uint32_t n_more;
};

struct sdrm_link {
	struct sdrm_link *prev, *next;
};

/* A MAP_SHARED mapping, which a forked child replaces, see sundog_fork.c. */
struct sdrm_shared_map {
	struct sdrm_link link;
	void *at;
	size_t size;
};

/* A mutex that is unlocked in a forked child, see sundog_fork.c. */
struct sdrm_lock {
	struct sdrm_link link;
	pthread_mutex_t mutex;
};

/* Identity of a file. */
struct sdrm_file {
	dev_t dev;
	ino_t ino;
};

struct sdrm_device {
	const struct sdrm_ops *ops;
	atomic_uint refs;
	int fd;				/* DRM file; -1 on a direct device */
	int socket;			/* connection of a direct device; -1 on a DRM device */
	uint64_t vram_size;
	uint32_t max_list;
	struct sundog_caps caps;
	struct sdrm_lock lock;
	struct sdrm_timeline timelines[SUNDOG_MAX_CHANNELS];
	uint32_t serial;
	struct sdrm_ids objects;
	struct sdrm_link link;	/* in the list of all devices */
	/* In a forked child, for sdrm_device_connect(): */
	const struct sdrm_ops *_Atomic inherited;	/* operations of the parent's device; NULL:
							 * connected */
	dev_t node;			/* number of the parent's device node */
	struct sdrm_file held;		/* the pipe that @fd was replaced by; 0: none */
};

struct sdrm_resource {
	struct sdrm_device *dev;
	atomic_uint refs;
	uint32_t flags;
	uint64_t id;			/* DRM: handle of the resource in this file */
	uint32_t kres;
	uint32_t n_bos;
	struct sdrm_bo **bos;		/* by index, with holes; guarded by dev->lock */
	void *priv;
	size_t priv_size;
};

/*
 * A reference to a BO of a resource includes one to the resource, except for the reference that the
 * resource itself holds. A device-owned BO holds a reference to its device.
 */
struct sdrm_bo {
	struct sdrm_device *dev;
	struct sdrm_resource *res;
	atomic_uint refs;
	uint32_t handle;		/* DRM: of GEM; direct: of the device; 0 after dealloc */
	uint64_t size;
	struct sundog_mem mem;
	bool private;			/* never exported */
	void *_Atomic map;
	struct sdrm_uses uses;
	union {
		struct {
			uint64_t map_offset;
			struct sdrm_shared_map shared;
			atomic_bool external;	/* may have users that @uses does not know: ask
						 * the kernel whether it is idle */
			bool foreign;		/* imported or from a GEM handle: close the handle,
						 * do not DEALLOC */
		} drm;
		struct {
			struct sdrm_vram_block *block;
			uint64_t generation;
			uint64_t dirty;		/* bytes from its start that must be cleared */
		} direct;
	};
};

/* A submission. The DRM back end waits for it, and exports it, by its point on the timeline syncobj
 * of the context. */
struct sdrm_point {
	uint64_t seqno;
	uint64_t syncobj;
};

/* Location of a submission's stream in its chunk, dwords. */
struct sdrm_stream_place {
	uint64_t seqno;
	const struct sdrm_chunk *chunk;	/* NULL: it was reused or freed */
	uint32_t first, dwords;
};

struct sdrm_context {
	struct sdrm_device *dev;
	atomic_uint refs;
	uint32_t slot, serial;
	const struct sundog_ring_status *status;
	struct sdrm_lock lock;
	struct sdrm_point last;	/* the newest submission, seqno 0: none yet */
	atomic_bool waits_long;		/* last wait was long: do not poll, see sundog_fence.c */
	struct sdrm_chunk *chunks;	/* not in use by a submit, oldest first */
	uint32_t n_chunks;
	struct sdrm_stream_place places[SUNDOG_RING_SLOTS];	/* by seqno % SUNDOG_RING_SLOTS */
	struct {
		uint32_t id;
		struct sdrm_shared_map shared;	/* mapping of @status */
		uint32_t timeline;	/* syncobj; its points are submissions */
		uint32_t in;		/* binary syncobj for in-fences, 0 until needed */
		struct drm_sundog_submit_alloc *allocs;
		uint32_t max_allocs;
	} drm;
};

/* Stream memory. Streams follow each other in a chunk; it is reused when its last stream is
 * done. */
struct sdrm_chunk {
	struct sdrm_chunk *next;
	struct sdrm_bo *bo;
	uint32_t *map;
	uint32_t size, used;		/* dwords */
	struct sdrm_point last;
};

struct sdrm_reslist {
	struct sdrm_device *dev;
	atomic_uint refs;
	struct sdrm_lock lock;	/* guards @list; taken before the device's lock */
	struct sdrm_list list;
	atomic_uint n;			/* items of @list with access, that is, with a buffer */
	uint32_t id;			/* DRM: handle of the kernel's list */
};

struct sdrm_submit {
	struct sdrm_context *ctx;
	struct sdrm_reslist *reslist;
	uint32_t dwords;
	struct sundog_stream stream;
	struct sdrm_list list;
	struct sdrm_chunk *chunk;
};

/* The fence of a submission, or an imported one; ctx is NULL if it was imported. */
struct sdrm_fence {
	atomic_uint refs;
	struct sdrm_context *ctx;
	struct sdrm_point at;
	int fd;				/* imported sync_file, else -1 */
};

/* Operations of a back end. Functions that return int return 0 or -errno. */
struct sdrm_ops {
	void (*device_fini)(struct sdrm_device *dev);
	/* Optional: close the parent's files, except @fd, at the start of a forked child. Must be
	 * async-signal-safe. */
	void (*in_child)(struct sdrm_device *dev);
	/* In a forked child, replace the parent's connection, of which there are no objects, by a
	 * new one. Caps and VRAM size must stay the same. May be called again if it fails. */
	int (*reopen)(struct sdrm_device *dev);

	/* Create @res on the device, with memory for its BOs, whose sizes are set. */
	int (*resource_new)(struct sdrm_resource *res, const void *priv, size_t priv_size);
	int (*resource_open)(struct sdrm_device *dev, int fd, uint32_t *index,
			     struct sdrm_resource **out);
	/* Destroy the resource on the device, with the memory of all its BOs. */
	void (*resource_fini)(struct sdrm_resource *res);

	/* Allocate memory for BOs, whose sizes are set, all or none. @res NULL: device-owned. */
	int (*alloc)(struct sdrm_device *dev, struct sdrm_resource *res,
		     struct sdrm_bo **bos, uint32_t count);
	int (*dealloc)(struct sdrm_device *dev, struct sdrm_resource *res,
		       struct sdrm_bo **bos, uint32_t count);
	int (*bo_import)(struct sdrm_device *dev, int fd, struct sdrm_bo **out);
	int (*bo_from_gem)(struct sdrm_device *dev, uint32_t handle, struct sdrm_bo **out);
	uint32_t (*bo_gem)(struct sdrm_bo *bo);
	void *(*bo_map)(struct sdrm_bo *bo);
	int (*bo_export)(struct sdrm_bo *bo);
	int (*bo_wait)(struct sdrm_bo *bo, bool write, int64_t timeout_ns);
	uint64_t (*vram_free)(struct sdrm_device *dev);

	/* Sets slot, serial and status of the context. */
	int (*context_init)(struct sdrm_context *ctx);
	void (*context_fini)(struct sdrm_context *ctx);
	bool (*context_is_lost)(struct sdrm_context *ctx);
	int (*context_query)(struct sdrm_context *ctx, struct sdrm_context_status *status);

	/* NULL in a back end without residency lists, see sdrm_reslist_add_to(). */
	int (*reslist_init)(struct sdrm_reslist *list);
	void (*reslist_fini)(struct sdrm_reslist *list);
	int (*reslist_set)(struct sdrm_reslist *list, struct sdrm_bo *bo, uint32_t access);

	/* Queue the submission, whose stream is at submit->chunk->used. Sets @at. The caller holds
	 * ctx->lock. */
	int (*submit)(struct sdrm_submit *submit, int in_fence_fd,
		      const struct sdrm_syncs *syncs, struct sdrm_point *at);
	/* Wait for a submission. -ETIME: timeout; -EIO: the context ended before it completed. */
	int (*point_wait)(struct sdrm_context *ctx, const struct sdrm_point *at,
			  int64_t timeout_ns);
	int (*fence_export)(struct sdrm_fence *fence);
};

/* sundog_device.c */
void sdrm_device_init(struct sdrm_device *dev, const struct sdrm_ops *ops);
void sdrm_device_fini(struct sdrm_device *dev);
/* Returns true if the device still has these capabilities and this size of VRAM. */
bool sdrm_device_is(const struct sdrm_device *dev, const struct sundog_caps *caps,
		    uint64_t vram_size);
/*
 * Prints that the other side has version @major.@minor and this library needs @ours. @text names
 * the side. Returns -EPROTONOSUPPORT.
 */
int sdrm_version_differs(const char *text, unsigned int major, unsigned int minor,
			 unsigned int ours);
/* Take a reference unless the count is 0. Returns true if it did. */
bool sdrm_ref_get(atomic_uint *refs);

/* sundog_bo.c */
struct sdrm_bo *sdrm_bo_alloc(struct sdrm_device *dev, struct sdrm_resource *res,
			      uint64_t size);
void sdrm_bo_free(struct sdrm_bo *bo);
/* Take a reference unless the last one is being dropped. Returns true if it did. */
bool sdrm_bo_get(struct sdrm_bo *bo);

/* sundog_resource.c */
struct sdrm_resource *sdrm_resource_alloc(struct sdrm_device *dev, uint32_t flags,
					  const uint64_t *sizes, uint32_t count);
void sdrm_resource_free(struct sdrm_resource *res);
int sdrm_resource_set_private(struct sdrm_resource *res, const void *priv, size_t size);

/* sundog_submit.c */
/* Returns true if the submission lists a BO that an unfinished submission of another context uses,
 * and at least one of the two writes it. */
bool sdrm_submit_shares(const struct sdrm_submit *submit);

/* sundog_reslist.c */
/* Add the buffers on the list to the list of @submit. */
int sdrm_reslist_add_to(struct sdrm_reslist *list, struct sdrm_submit *submit);

/* sundog_use.c; the caller holds dev->lock, except for sdrm_seqno_done() */
uint32_t sdrm_timeline_new(struct sdrm_device *dev, uint32_t slot,
			   const struct sundog_ring_status *status);
bool sdrm_seqno_done(const struct sundog_ring_status *status, uint64_t seqno);
int sdrm_use_add(struct sdrm_device *dev, struct sdrm_uses *uses,
		 const struct sdrm_context *ctx, uint64_t seqno, uint32_t access);
/* Returns true if a submission of @ctx with @access must run after an unfinished submission of
 * another context. */
bool sdrm_use_conflicts(const struct sdrm_device *dev, const struct sdrm_uses *uses,
			const struct sdrm_context *ctx, uint32_t access);
/* Returns true if an unfinished submission writes (@write false) or uses (@write true) the buffer;
 * @busy and @seqno become that use and its submission. */
bool sdrm_use_busy(const struct sdrm_device *dev, const struct sdrm_uses *uses, bool write,
		   struct sdrm_use *busy, uint64_t *seqno);

/* sundog_fork.c */
void sdrm_lock_init(struct sdrm_lock *lock);
void sdrm_lock_fini(struct sdrm_lock *lock);
void sdrm_lock(struct sdrm_lock *lock);
void sdrm_unlock(struct sdrm_lock *lock);
/* The slow path of sdrm_device_connect(). */
int sdrm_fork_connect(struct sdrm_device *dev);
void sdrm_fork_add(struct sdrm_device *dev);
void sdrm_fork_remove(struct sdrm_device *dev);
/* Register a mapping, which a forked child replaces by private memory. Remove it before
 * munmap(). */
void sdrm_fork_add_map(struct sdrm_shared_map *map, void *at, size_t size);
void sdrm_fork_remove_map(struct sdrm_shared_map *map);
/* Stores the mapping @*at in @place and registers it, in one step for a fork. Returns false if
 * @place has a mapping, which @*at becomes; the caller unmaps its own. */
bool sdrm_fork_publish_map(struct sdrm_shared_map *map, void *_Atomic *place, void **at,
			   size_t size);
/* Closes @*fd of a device, which becomes -1 before: a forked child replaces or closes the files of
 * devices, and another file may get the number as soon as it is free. */
void sdrm_fork_close(int *fd);
/* In a forked child, gives @fd the number of @dev's file, which callers of sdrm_device_fd() know.
 * Takes over @fd. -ENODEV: the child has another file with that number, which it keeps. */
int sdrm_fork_replace(struct sdrm_device *dev, int fd);

/*
 * Call this before an object is created on @dev. In a forked child it connects a device of the
 * parent anew. Returns -ENODEV if objects of the parent are left, or another -errno.
 */
static inline int sdrm_device_connect(struct sdrm_device *dev)
{
	return atomic_load_explicit(&dev->inherited, memory_order_acquire) ?
	       sdrm_fork_connect(dev) : 0;
}

/* sundog_fence.c */
/* Computes the time left until @timeout_ns: *@left points to @store, or is NULL for SDRM_FOREVER.
 * Returns false if the timeout has passed. */
bool sdrm_time_left(int64_t timeout_ns, struct timespec *store, struct timespec **left);
/* Wait until @fd is readable. Returns 0, -ETIME or another -errno. */
int sdrm_poll_fd(int fd, int64_t timeout_ns);

#endif

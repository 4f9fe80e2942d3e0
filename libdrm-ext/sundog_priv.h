/* SPDX-License-Identifier: MIT */
/*
 * What the parts of libdrm_sundog share: the objects behind the public types, and the vtable that
 * the two back ends (sundog_drm.c, sundog_direct*.c) fill in.
 *
 * Locks: sundog_device.lock guards the timelines and every buffer's uses, and in a back end what
 * that says. sundog_context.lock orders submissions of a context and guards its stream chunks; it
 * is taken before the device's.
 */
#ifndef SUNDOG_PRIV_H
#define SUNDOG_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "sundog.h"
#include "sundog_ids.h"
#include "sundog_list.h"
#include "sundog_vram.h"

#define SUNDOG_PUBLIC __attribute__((visibility("default")))

#define SUNDOG_ALIGN(value, to) (((value) + (to) - 1) & ~((__typeof__(value))(to) - 1))

/* The submissions of one context, as seen by buffers; a slot is free while its serial is 0. */
struct sundog_timeline {
	uint32_t serial;
	bool over;	/* nothing of it runs any more, whatever completed says */
	const struct sundog_ring_status *status;
};

/* The last submissions of one timeline that read and wrote a buffer. */
struct sundog_use {
	uint32_t slot, serial;
	uint64_t read, write;
};

/* One use inline, since nearly every buffer is used by one context only. */
struct sundog_uses {
	struct sundog_use first;
	struct sundog_use *more;
	uint32_t n_more;
};

struct sundog_link {
	struct sundog_link *prev, *next;
};

/* Memory that is shared with others, see sundog_fork.c. */
struct sundog_shared_map {
	struct sundog_link link;
	void *at;
	size_t size;
};

/* One that a forked child does not find taken, see sundog_fork.c. */
struct sundog_lock {
	struct sundog_link link;
	pthread_mutex_t mutex;
};

struct sundog_device {
	const struct sundog_ops *ops;
	atomic_uint refs;
	int fd;				/* DRM, else -1 */
	int socket;			/* direct, else -1 */
	uint64_t vram_size;
	uint32_t max_list;
	struct sundog_caps caps;
	struct sundog_lock lock;
	struct sundog_timeline timelines[SUNDOG_MAX_CHANNELS];
	uint32_t serial;
	struct sundog_ids objects;
	struct sundog_link link;	/* of all devices */
};

struct sundog_resource {
	struct sundog_device *dev;
	atomic_uint refs;
	uint32_t flags;
	uint64_t id;			/* DRM */
	uint32_t kres;
	uint32_t n_bos;
	struct sundog_bo **bos;		/* by index, with holes; guarded by dev->lock */
	void *priv;
	size_t priv_size;
};

/*
 * A reference to a bo of a resource is also one to the resource, except for the resource's own one.
 * A device-owned bo holds its device.
 */
struct sundog_bo {
	struct sundog_device *dev;
	struct sundog_resource *res;
	atomic_uint refs;
	uint32_t handle;		/* DRM: GEM handle; direct: device handle; 0 once it was freed */
	uint64_t size;
	struct sundog_mem mem;
	bool private;			/* never exported */
	void *_Atomic map;
	struct sundog_uses uses;
	union {
		struct {
			uint64_t map_offset;
			struct sundog_shared_map shared;
			atomic_bool external;	/* others may know it, the kernel has to be asked */
			bool foreign;		/* imported, or from a GEM handle: closed, not freed */
		} drm;
		struct {
			struct sundog_vram_block *block;
			uint64_t generation;
			uint64_t dirty;		/* bytes from its start to be cleared */
		} direct;
	};
};

/* A submission. DRM waits and exports by its point on the context's timeline syncobj. */
struct sundog_point {
	uint64_t seqno;
	uint64_t syncobj;
};

/* Where the stream of a submission is. */
struct sundog_stream_place {
	uint64_t seqno;
	const struct sundog_chunk *chunk;	/* NULL: it is not known any more */
	uint32_t first, dwords;
};

struct sundog_context {
	struct sundog_device *dev;
	atomic_uint refs;
	uint32_t slot, serial;
	const struct sundog_ring_status *status;
	struct sundog_lock lock;
	struct sundog_point last;	/* the newest submission, seqno 0: none yet */
	atomic_bool waits_long;		/* so it was the last time, see sundog_fence.c */
	struct sundog_chunk *chunks;	/* not in use by a submit, oldest first */
	uint32_t n_chunks;
	struct sundog_stream_place places[SUNDOG_RING_SLOTS];	/* of the newest, by seqno */
	struct {
		uint32_t id;
		struct sundog_shared_map shared;	/* @status */
		uint32_t timeline;	/* syncobj; its points are submissions */
		uint32_t in;		/* binary syncobj for in-fences, 0 until needed */
		struct drm_sundog_submit_alloc *allocs;
		uint32_t max_allocs;
	} drm;
};

/* Stream memory. Streams follow each other in it; it is used anew when its last one is done. */
struct sundog_chunk {
	struct sundog_chunk *next;
	struct sundog_bo *bo;
	uint32_t *map;
	uint32_t size, used;		/* dwords */
	struct sundog_point last;
};

struct sundog_reslist {
	struct sundog_device *dev;
	atomic_uint refs;
	struct sundog_lock lock;	/* for @list; taken before the device's */
	struct sundog_list list;
	atomic_uint n;			/* items of @list that have a buffer */
	uint32_t id;			/* DRM */
};

struct sundog_submit {
	struct sundog_context *ctx;
	struct sundog_reslist *reslist;
	uint32_t dwords;
	struct sundog_stream stream;
	struct sundog_list list;
	struct sundog_chunk *chunk;
};

/* Of a submission, or imported (then ctx is NULL). */
struct sundog_fence {
	atomic_uint refs;
	struct sundog_context *ctx;
	struct sundog_point at;
	int fd;				/* imported sync_file, else -1 */
};

struct sundog_ops {
	void (*device_fini)(struct sundog_device *dev);

	/* Fill in a resource whose bos have their sizes. */
	int (*resource_new)(struct sundog_resource *res, const void *priv, size_t priv_size);
	int (*resource_open)(struct sundog_device *dev, int fd, uint32_t *index,
			     struct sundog_resource **out);
	/* Give up the resource on the device, with the memory of all its bos. */
	void (*resource_fini)(struct sundog_resource *res);

	/* Memory for bos that have their sizes, of @res or of the device: all or nothing. */
	int (*alloc)(struct sundog_device *dev, struct sundog_resource *res,
		     struct sundog_bo **bos, uint32_t count);
	int (*dealloc)(struct sundog_device *dev, struct sundog_resource *res,
		       struct sundog_bo **bos, uint32_t count);
	int (*bo_import)(struct sundog_device *dev, int fd, struct sundog_bo **out);
	int (*bo_from_gem)(struct sundog_device *dev, uint32_t handle, struct sundog_bo **out);
	uint32_t (*bo_gem)(struct sundog_bo *bo);
	void *(*bo_map)(struct sundog_bo *bo);
	int (*bo_export)(struct sundog_bo *bo);
	int (*bo_wait)(struct sundog_bo *bo, bool write, int64_t timeout_ns);
	uint64_t (*vram_free)(struct sundog_device *dev);

	/* Sets slot, serial and status of the context. */
	int (*context_init)(struct sundog_context *ctx);
	void (*context_fini)(struct sundog_context *ctx);
	bool (*context_is_lost)(struct sundog_context *ctx);
	int (*context_query)(struct sundog_context *ctx, struct sundog_context_status *status);

	/* None in a back end that has no lists of its own: see sundog_reslist_add_to(). */
	int (*reslist_init)(struct sundog_reslist *list);
	void (*reslist_fini)(struct sundog_reslist *list);
	int (*reslist_set)(struct sundog_reslist *list, struct sundog_bo *bo, uint32_t access);

	/* Queue what was built, at the unused part of its chunk; under ctx->lock. Sets @at. */
	int (*submit)(struct sundog_submit *submit, int in_fence_fd,
		      const struct sundog_syncs *syncs, struct sundog_point *at);
	/* Wait for a submission that is not known to be done. -EIO: it never will be. */
	int (*point_wait)(struct sundog_context *ctx, const struct sundog_point *at,
			  int64_t timeout_ns);
	int (*fence_export)(struct sundog_fence *fence);
};

/* sundog_device.c */
void sundog_device_init(struct sundog_device *dev, const struct sundog_ops *ops);
void sundog_device_fini(struct sundog_device *dev);
bool sundog_ref_get(atomic_uint *refs);

/* sundog_bo.c */
struct sundog_bo *sundog_bo_alloc(struct sundog_device *dev, struct sundog_resource *res,
				  uint64_t size);
void sundog_bo_free(struct sundog_bo *bo);
/* Take a reference unless the last one is being given up. */
bool sundog_bo_get(struct sundog_bo *bo);

/* sundog_resource.c */
struct sundog_resource *sundog_resource_alloc(struct sundog_device *dev, uint32_t flags,
					      const uint64_t *sizes, uint32_t count);
void sundog_resource_free(struct sundog_resource *res);
int sundog_resource_set_private(struct sundog_resource *res, const void *priv, size_t size);

/* sundog_submit.c */
/* Does it use what another context uses now, and one of them writes? */
bool sundog_submit_shares(const struct sundog_submit *submit);

/* sundog_reslist.c */
/* List in @submit what is on the list. */
int sundog_reslist_add_to(struct sundog_reslist *list, struct sundog_submit *submit);

/* sundog_use.c; all under dev->lock */
uint32_t sundog_timeline_new(struct sundog_device *dev, uint32_t slot,
			     const struct sundog_ring_status *status);
bool sundog_seqno_done(const struct sundog_ring_status *status, uint64_t seqno);
int sundog_use_add(struct sundog_device *dev, struct sundog_uses *uses,
		   const struct sundog_context *ctx, uint64_t seqno, uint32_t access);
/* Has another context a submission under way that one of @ctx with @access has to come after? */
bool sundog_use_conflicts(const struct sundog_device *dev, const struct sundog_uses *uses,
			  const struct sundog_context *ctx, uint32_t access);
/* A use that is not done (@write: also of readers), copied to @busy with @seqno. */
bool sundog_use_busy(const struct sundog_device *dev, const struct sundog_uses *uses, bool write,
		     struct sundog_use *busy, uint64_t *seqno);

/* sundog_fork.c */
void sundog_lock_init(struct sundog_lock *lock);
void sundog_lock_fini(struct sundog_lock *lock);
void sundog_lock(struct sundog_lock *lock);
void sundog_unlock(struct sundog_lock *lock);
void sundog_fork_add(struct sundog_device *dev);
void sundog_fork_remove(struct sundog_device *dev);
/* A child has memory of its own at @at from now on; until it is removed, before it is unmapped. */
void sundog_fork_add_map(struct sundog_shared_map *map, void *at, size_t size);
void sundog_fork_remove_map(struct sundog_shared_map *map);

/* sundog_fence.c */
/* What is left until @timeout_ns; false: nothing. NULL in *@left: no limit. */
bool sundog_time_left(int64_t timeout_ns, struct timespec *store, struct timespec **left);
int sundog_poll_fd(int fd, int64_t timeout_ns);

#endif

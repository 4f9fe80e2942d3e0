/* SPDX-License-Identifier: MIT */
/*
 * The direct back end: a client of sundog-renderd that does in the application's process, without a
 * kernel driver, what the kernel driver does for a guest. VRAM, the allocation table and the
 * channels are memfds of this connection.
 *
 * Locks, outermost first: sdrm_context.lock; direct_channel.wait_lock;
 * direct_device.message_lock; sdrm_device.lock, which also guards VRAM, table, freed memory and
 * the choice of channels.
 */
#ifndef SUNDOG_DIRECT_H
#define SUNDOG_DIRECT_H

#include "sundog_messages.h"
#include "sundog_priv.h"

/* Memory of a deleted BO, kept until the last submission that uses it is done. */
struct direct_freed {
	struct direct_freed *next;
	struct sdrm_uses uses;
	struct sdrm_vram_block *block;
	uint32_t handle;
};

/* A channel slot, used by one context after the other. */
struct direct_channel {
	uint32_t slot;
	bool taken;			/* dev->lock */
	uint32_t client;		/* its client, or its last one: message_lock */
	_Atomic uint32_t state;		/* SUNDOG_CHANNEL_STATE_* */
	_Atomic uint32_t serial;	/* of the timeline of its context */
	int doorbell, irq;		/* eventfds, never closed before the device: a thread may
					 * poll them */

	struct sundog_ring_control *control;
	const struct sundog_ring_status *status;
	struct sundog_ring_entry *ring;
	struct sundog_list_entry *list;

	/* State of the submitting thread: sdrm_context.lock */
	uint64_t seqno, list_put;
	uint32_t put;
	uint64_t list_end[SUNDOG_RING_SLOTS];	/* list_put after the entry in the slot */

	/* One waiter polls irq and socket, the others wait on wait_cond for it: wait_lock */
	pthread_mutex_t wait_lock;
	pthread_cond_t wait_cond;
	bool polled;

	/* message_lock */
	struct sdrm_context_status fault;
	bool innocent;			/* the worker ended at a submission of another channel */
};

/* Number of memfds: VRAM, the allocation table, the channel segments. */
#define DIRECT_MEMORIES 3

struct direct_device {
	struct sdrm_device base;
	char *path;			/* of the socket */
	uint64_t vram_wanted;		/* bytes */
	pthread_mutex_t message_lock;
	atomic_bool lost;
	uint32_t client;		/* client of new channels: message_lock */
	bool client_ended;		/* the worker of @client has ended: message_lock */

	int vram_fd;
	char *vram;
	struct sundog_alloc_entry *table;
	char *segments;
	struct sdrm_shared_map shared[DIRECT_MEMORIES];
	struct direct_channel channels[SUNDOG_MAX_CHANNELS];

	struct sdrm_vram space;
	struct sdrm_ids handles, kres;
	uint64_t generation;
	struct direct_freed *freed, **freed_end;
	_Atomic uint64_t order;		/* order of the last submission of any context */
	uint32_t named_client;		/* last client whose worker named the faulting channel:
					 * message_lock */
};

static inline struct direct_device *to_direct(struct sdrm_device *dev)
{
	return (struct direct_device *)dev;
}

/* sundog_direct.c */
/* Send a message with @count file descriptors. Returns 0 or -errno. */
int direct_send(struct direct_device *direct, const void *message, size_t size, const int *fds,
		int count);
/* Handle all messages that the broker has sent, without blocking. */
void direct_receive(struct direct_device *direct);

/* sundog_direct_memory.c */
int direct_resource_new(struct sdrm_resource *res, const void *priv, size_t priv_size);
void direct_resource_fini(struct sdrm_resource *res);
int direct_alloc(struct sdrm_device *dev, struct sdrm_resource *res, struct sdrm_bo **bos,
		 uint32_t count);
int direct_dealloc(struct sdrm_device *dev, struct sdrm_resource *res, struct sdrm_bo **bos,
		   uint32_t count);
void *direct_bo_map(struct sdrm_bo *bo);
int direct_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns);
/* Free memory of deleted BOs that is idle; looks at the oldest few only. The caller holds
 * dev->lock. */
void direct_reap(struct direct_device *direct);
void direct_memory_fini(struct direct_device *direct);

/* sundog_direct_channel.c */
/* Sets a channel to the state before direct_channel_map(), without files. */
void direct_channel_init(struct direct_device *direct, uint32_t slot);
/* Sets the addresses of a channel, when the segments are mapped. */
void direct_channel_map(struct direct_device *direct, uint32_t slot);
void direct_channel_close(struct direct_channel *channel);
void direct_channel_fini(struct direct_channel *channel);
/* Handle a CHANNEL_STATE message of the broker. The caller holds message_lock. */
void direct_channel_set(struct direct_device *direct,
			const struct sundog_message_channel_state *message);
/* Mark all channels DEAD because the connection was lost. The caller holds message_lock. */
void direct_channels_lost(struct direct_device *direct);
int direct_context_init(struct sdrm_context *ctx);
void direct_context_fini(struct sdrm_context *ctx);
bool direct_context_is_lost(struct sdrm_context *ctx);
int direct_context_query(struct sdrm_context *ctx, struct sdrm_context_status *status);
int direct_submit(struct sdrm_submit *submit, int in_fence_fd, const struct sdrm_syncs *syncs,
		  struct sdrm_point *at);
int direct_point_wait(struct sdrm_context *ctx, const struct sdrm_point *at,
		      int64_t timeout_ns);
/* Wait until submission @seqno of a use is done or was dropped. Returns 0 or -ETIME. */
int direct_use_wait(struct direct_device *direct, const struct sdrm_use *use, uint64_t seqno,
		    int64_t timeout_ns);

#endif

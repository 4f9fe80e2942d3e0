/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A display head and its planes: the state that all parts of mode setting share. */
#ifndef _SUNDOG_HEAD_H_
#define _SUNDOG_HEAD_H_

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <drm/drm_connector.h>
#include <drm/drm_crtc.h>
#include <drm/drm_encoder.h>
#include <drm/drm_plane.h>
#include <drm/drm_writeback.h>

#include "sundog_hw.h"

/* Longer than the longest period, on a host that leaves QEMU without a processor for seconds. */
#define SUNDOG_LATCH_TIMEOUT_US	(30 * USEC_PER_SEC)

struct drm_framebuffer;
struct drm_pending_vblank_event;
struct sundog_device;
struct sundog_head;

/* Planes of a head, by their indices; what is between is overlays. */
#define SUNDOG_PLANE_PRIMARY	0
#define SUNDOG_PLANE_CURSOR	(SUNDOG_HEAD_PLANES - 1)

/* Width and height of a cursor, in pixels, as user space is told. */
#define SUNDOG_CURSOR_SIZE	256

/**
 * struct sundog_plane - a plane, which belongs to one head
 */
struct sundog_plane {
	/** @base: plane */
	struct drm_plane base;
	/** @head: its head */
	struct sundog_head *head;
	/** @index: which of the head's */
	unsigned int index;
	/** @written: the shadow registers have all of its state; under &sundog_head.commit_lock */
	bool written;
};

/**
 * struct sundog_plane_state - state of a plane
 */
struct sundog_plane_state {
	/** @base: state */
	struct drm_plane_state base;
	/** @token: commit that its framebuffer came with; U64_MAX: it is not committed */
	u64 token;
};

/**
 * struct sundog_head - a display head: planes, a CRTC, connectors
 *
 * The device has shadow registers, which COMMIT takes over as a whole; LATCHED tells which commit
 * was the last to take effect.
 */
struct sundog_head {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @index: which of the device's heads, and the index of @crtc */
	unsigned int index;
	/** @crtc: CRTC */
	struct drm_crtc crtc;
	/** @planes: primary plane, overlays, cursor */
	struct sundog_plane planes[SUNDOG_HEAD_PLANES];
	/** @encoder: encoder */
	struct drm_encoder encoder;
	/** @connector: connector */
	struct drm_connector connector;
	/**
	 * @max_period: how long a frame on the screen may last, in ns; 0: it has one rate. Written
	 * when the EDID is read, under &drm_mode_config.mutex, and read without
	 */
	u32 max_period;
	/** @writeback: connector that writes frames to framebuffers, see sundog_writeback.c */
	struct drm_writeback_connector writeback;
	/** @n_writeback_jobs: how many framebuffers are pinned for that */
	atomic_t n_writeback_jobs;
	/** @writeback_ended: no frame is written any more; under @commit_lock */
	bool writeback_ended;
	/** @n_old_cursors: how many pictures of a cursor are kept, see sundog_plane.c */
	atomic_t n_old_cursors;
	/** @commit_lock: keeps what a commit writes together; outside of @lock */
	struct mutex commit_lock;
	/**
	 * @longest: how long a frame may last that no commit ends, in ns, as it was last written;
	 * 0: all are of one length; under @commit_lock
	 */
	u32 longest;
	/** @lock: protects everything that follows; irq-safe */
	spinlock_t lock;
	/** @writeback_jobs: struct sundog_writeback_job of queued jobs, in their order */
	struct list_head writeback_jobs;
	/** @control: HEAD_CONTROL as it was last written */
	u32 control;
	/** @token: token of the last commit; the device knows its low 32 bits */
	u64 token;
	/** @event: to be sent when @event_token is latched, with a vblank reference, or NULL */
	struct drm_pending_vblank_event *event;
	/** @event_token: commit that @event belongs to */
	u64 event_token;
	/** @crc_readers: of frames' CRCs, see sundog_crtc.c; two only as one goes and one comes */
	unsigned int crc_readers;
	/** @crc_frame: VBLANK_COUNT of the last frame whose CRC nobody waits for any more */
	u64 crc_frame;
	/** @crc_busy: some are on their way to who reads them */
	bool crc_busy;
	/** @clock_ahead: by how many ns CLOCK_MONOTONIC is ahead of CLOCK, see sundog_crtc.c */
	s64 clock_ahead;
};

static inline struct sundog_plane *to_sundog_plane(struct drm_plane *plane)
{
	return container_of(plane, struct sundog_plane, base);
}

static inline struct sundog_plane_state *to_sundog_plane_state(struct drm_plane_state *state)
{
	return container_of(state, struct sundog_plane_state, base);
}

static inline struct sundog_head *to_sundog_head(struct drm_crtc *crtc)
{
	return container_of(crtc, struct sundog_head, crtc);
}

void sundog_head_set_control(struct sundog_head *head, u32 clear, u32 set);
void sundog_head_commit(struct sundog_head *head, struct drm_pending_vblank_event *event);
void sundog_head_commit_async(struct sundog_head *head);
void sundog_head_commit_move(struct sundog_head *head);
u64 sundog_head_latched(struct sundog_head *head);
void sundog_head_wait_latched(struct sundog_head *head);
bool sundog_head_is_writing(struct sundog_head *head);
bool sundog_head_has_vrr(const struct sundog_head *head);

int sundog_fb_pin(struct drm_framebuffer *fb, bool starts_over);
void sundog_fb_unpin(struct drm_framebuffer *fb);
u64 sundog_fb_vram_offset(struct drm_framebuffer *fb, unsigned int part);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A display head and its planes: the data that all parts of mode setting share. */
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

/* Longer than the longest frame, even if the host does not run QEMU for seconds. */
#define SUNDOG_LATCH_TIMEOUT_US	(30 * USEC_PER_SEC)

struct drm_framebuffer;
struct drm_pending_vblank_event;
struct sundog_device;
struct sundog_head;

/* Indices of planes; the planes between these two are overlays. */
#define SUNDOG_PLANE_PRIMARY	0
#define SUNDOG_PLANE_CURSOR	(SUNDOG_HEAD_PLANES - 1)

/* Width and height of a cursor that the driver reports to user space, in pixels. */
#define SUNDOG_CURSOR_SIZE	256

/**
 * struct sundog_plane - a plane, which belongs to one head
 */
struct sundog_plane {
	/** @base: plane */
	struct drm_plane base;
	/** @head: head that the plane belongs to */
	struct sundog_head *head;
	/** @index: index in &sundog_head.planes */
	unsigned int index;
	/** @written: shadow registers have its complete state; under &sundog_head.commit_lock */
	bool written;
};

/**
 * struct sundog_plane_state - state of a plane
 */
struct sundog_plane_state {
	/** @base: state */
	struct drm_plane_state base;
	/** @token: token of the commit that first showed its framebuffer; U64_MAX: no commit */
	u64 token;
};

/**
 * struct sundog_head - a display head: planes, a CRTC, connectors
 *
 * The device has shadow registers. A write of a token to COMMIT makes them take effect as a whole;
 * LATCHED returns the token of the last commit that took effect.
 */
struct sundog_head {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @index: index in &sundog_device.heads, and of @crtc */
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
	 * @max_period: longest duration of a frame that the screen allows, in ns; 0: fixed rate.
	 * Written under &drm_mode_config.mutex when the EDID is read; read without a lock
	 */
	u32 max_period;
	/** @writeback: connector that writes frames to framebuffers, see sundog_writeback.c */
	struct drm_writeback_connector writeback;
	/** @n_writeback_jobs: number of writeback jobs with a pinned framebuffer */
	atomic_t n_writeback_jobs;
	/** @writeback_ended: new writeback jobs fail at once; protected by @commit_lock */
	bool writeback_ended;
	/** @n_old_cursors: number of replaced cursor framebuffers to unpin, see sundog_plane.c */
	atomic_t n_old_cursors;
	/** @commit_lock: serializes the shadow register writes of commits; outside of @lock */
	struct mutex commit_lock;
	/**
	 * @longest: last value written to HEAD_PERIOD_MAX: duration of a frame that no commit ends,
	 * in ns; 0: fixed rate; protected by @commit_lock
	 */
	u32 longest;
	/** @lock: protects all members that follow; irq-safe */
	spinlock_t lock;
	/** @writeback_jobs: struct sundog_writeback_job of unfinished jobs, in order of commits */
	struct list_head writeback_jobs;
	/** @gone: there are no more vblanks; written with @lock and @commit_lock held */
	bool gone;
	/** @control: last value written to HEAD_CONTROL */
	u32 control;
	/** @token: token of the last commit; the device gets the low 32 bits */
	u64 token;
	/** @event: event to send when @event_token is latched, with a vblank reference, or NULL */
	struct drm_pending_vblank_event *event;
	/** @event_token: token of the commit of @event */
	u64 event_token;
	/** @crc_readers: readers of CRCs; more than 1 only while one closes, see sundog_crtc.c */
	unsigned int crc_readers;
	/** @crc_frame: VBLANK_COUNT of the last frame whose CRC was reported or skipped */
	u64 crc_frame;
	/** @crc_busy: the display interrupt adds CRCs; cleared by store-release, without @lock */
	bool crc_busy;
	/** @vblank: last VBLANK_COUNT that the core read; one more if @gone */
	u32 vblank;
	/** @vblank_time: CLOCK at @vblank */
	u64 vblank_time;
	/** @clock_ahead: offset of CLOCK_MONOTONIC from CLOCK in ns, see sundog_crtc.c */
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

int sundog_head_set_control(struct sundog_head *head, u32 clear, u32 set);
void sundog_head_commit(struct sundog_head *head, struct drm_pending_vblank_event *event);
void sundog_head_commit_async(struct sundog_head *head);
void sundog_head_commit_move(struct sundog_head *head);
u64 sundog_head_latched(struct sundog_head *head);
void sundog_head_wait_latched(struct sundog_head *head);
bool sundog_head_is_writing(struct sundog_head *head);
bool sundog_head_has_vrr(const struct sundog_head *head);

bool sundog_fb_can_show(struct drm_framebuffer *fb);
int sundog_fb_pin(struct drm_framebuffer *fb, bool starts_over);
void sundog_fb_unpin(struct drm_framebuffer *fb);
u64 sundog_fb_vram_offset(struct drm_framebuffer *fb, unsigned int part);

#endif

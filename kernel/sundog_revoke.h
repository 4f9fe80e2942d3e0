/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Revokes of VRAM by the device. */
#ifndef _SUNDOG_REVOKE_H_
#define _SUNDOG_REVOKE_H_

#include <linux/jiffies.h>
#include <linux/types.h>

struct sundog_device;
struct sundog_extents;
struct sundog_range;

/**
 * SUNDOG_REVOKE_TIMEOUT - timeout of sundog_revoke_wait(), in jiffies
 *
 * By default the renderer kills a worker that has not unmapped its memory within 25 seconds. The
 * end of the worker takes additional time.
 */
#define SUNDOG_REVOKE_TIMEOUT	(30 * HZ)

void sundog_revoke_range(struct sundog_extents *ex, struct sundog_range *range);
bool sundog_revoke_is_under_way(const struct sundog_extents *ex);
void sundog_revoke_ask(struct sundog_extents *ex);
void sundog_revoke_look(struct sundog_extents *ex);
u32 sundog_revoke_epoch(struct sundog_device *sdev);
bool sundog_revoke_is_pending(struct sundog_device *sdev, u32 epoch);
long sundog_revoke_wait(struct sundog_device *sdev, u32 epoch, long timeout);
void sundog_revoke_event(struct sundog_device *sdev);
void sundog_revoke_restart(struct sundog_device *sdev);
void sundog_revoke_gone(struct sundog_device *sdev);

#endif

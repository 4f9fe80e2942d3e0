// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who has room_lock for writing, and what is in its way.
 *
 * Asked by what TTM calls, which does not know for whom it evicts or finds a place. Who gets to be
 * the owner, and waits for what is in the way, is in sundog_room.c.
 */

#include <linux/sched.h>

#include <drm/ttm/ttm_bo.h>

#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_room_owner.h"

/**
 * sundog_room_is_mine() - does this call have room_lock for writing?
 * @sdev: device
 *
 * Return: the answer.
 */
bool sundog_room_is_mine(struct sundog_device *sdev)
{
	return READ_ONCE(sdev->room_owner) == current;
}

/**
 * sundog_room_note_busy() - something is in the way and in use
 * @tbo: allocation, its dma_resv is locked
 *
 * If it is in the way of one who has room_lock for writing, and the first, that one waits for it.
 */
void sundog_room_note_busy(struct ttm_buffer_object *tbo)
{
	struct sundog_device *sdev = to_sundog_device(tbo->base.dev);

	if (!sundog_room_is_mine(sdev) || sdev->room_busy)
		return;
	ttm_bo_get(tbo);
	sdev->room_busy = tbo;
}

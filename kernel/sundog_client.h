/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Clients of the device and the busy time of files. */
#ifndef _SUNDOG_CLIENT_H_
#define _SUNDOG_CLIENT_H_

#include <linux/kref.h>
#include <linux/types.h>

#include "sundog_sched.h"

struct drm_file;
struct sundog_device;
struct sundog_file;

/**
 * struct sundog_client - DRM file as the device sees it: one worker and one space of object ids
 */
struct sundog_client {
	/** @kref: held by the file and by its contexts */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @id: client id, not used again before the client is freed */
	u32 id;
	/** @busy: time during which its channels had work */
	struct sundog_busy busy;
	/** @known: CREATE was posted, so the device knows the client; protected by command_lock */
	bool known;
	/** @killed: no more jobs; CLIENT_DESTROY was posted if @known; protected by command_lock */
	bool killed;
};

int sundog_client_init(struct sundog_device *sdev);
struct sundog_client *sundog_client_get(struct sundog_file *sfile, struct sundog_device *sdev);
void sundog_client_put(struct sundog_client *client);
void sundog_client_reset_all(struct sundog_device *sdev);
u64 sundog_client_busy_ns(struct drm_file *file);

#endif

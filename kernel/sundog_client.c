// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Clients: DRM files as the device sees them, and the busy time of each file.
 *
 * Contexts get and put clients, in ioctls and in works. fdinfo reads the busy time.
 * sundog_file.lock protects the client of a file, the xarray's lock the client ids.
 * sundog_context_state.c ends a client, with its contexts.
 */

#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "sundog_client.h"
#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_file.h"
#include "sundog_sched.h"

static void sundog_client_free(struct kref *kref)
{
	struct sundog_client *client = container_of(kref, struct sundog_client, kref);

	xa_erase(&client->sdev->clients, client->id);
	kfree(client);
}

/**
 * sundog_client_put() - drop a reference
 * @client: client
 */
void sundog_client_put(struct sundog_client *client)
{
	kref_put(&client->kref, sundog_client_free);
}

static struct sundog_client *sundog_client_create(struct sundog_device *sdev)
{
	struct sundog_client *client = kzalloc_obj(*client, GFP_KERNEL_ACCOUNT);
	int ret;

	if (!client)
		return ERR_PTR(-ENOMEM);
	kref_init(&client->kref);
	spin_lock_init(&client->busy.lock);
	client->sdev = sdev;
	ret = xa_alloc_cyclic(&sdev->clients, &client->id, client, XA_LIMIT(1, INT_MAX),
			      &sdev->clients_next, GFP_KERNEL);
	if (ret < 0) {
		kfree(client);
		return ERR_PTR(ret);
	}
	return client;
}

/**
 * sundog_client_get() - find or create the client of a file
 * @sfile: DRM file
 * @sdev: device
 *
 * Creates another client if the last one was killed, because it hung or lost its worker.
 *
 * Return: the client with a reference, or an error pointer.
 */
struct sundog_client *sundog_client_get(struct sundog_file *sfile, struct sundog_device *sdev)
{
	struct sundog_client *client;

	mutex_lock(&sfile->lock);
	client = sfile->client;
	if (!client || READ_ONCE(client->killed)) {
		client = sundog_client_create(sdev);
		if (IS_ERR(client))
			goto out_unlock;
		sundog_extents_set_client(sfile->vram_owner, client->id);
		if (sfile->client) {
			sfile->busy_ns += sundog_busy_ns(&sfile->client->busy);
			sundog_client_put(sfile->client);
		}
		sfile->client = client;
	}
	kref_get(&client->kref);
out_unlock:
	mutex_unlock(&sfile->lock);
	return client;
}

/**
 * sundog_client_reset_all() - mark all clients as killed, so that files get new ones
 * @sdev: device that was reset, and has no clients any more
 */
void sundog_client_reset_all(struct sundog_device *sdev)
{
	struct sundog_client *client;
	unsigned long id;

	xa_lock(&sdev->clients);
	xa_for_each(&sdev->clients, id, client)
		WRITE_ONCE(client->killed, true);
	xa_unlock(&sdev->clients);
}

/**
 * sundog_client_busy_ns() - compute how long the device worked for a file
 * @file: DRM file
 *
 * Return: nanoseconds during which at least one of its channels had work; never decreases.
 */
u64 sundog_client_busy_ns(struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	struct sundog_file *sfile = file->driver_priv;
	u64 ns;

	mutex_lock(&sfile->lock);
	ns = sfile->busy_ns;
	if (sfile->client) {
		sundog_sched_scan(sdev, &sfile->client->busy);
		ns += sundog_busy_ns(&sfile->client->busy);
	}
	mutex_unlock(&sfile->lock);
	return ns;
}

static void sundog_client_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	drm_WARN_ON(drm, !xa_empty(&sdev->clients));
	xa_destroy(&sdev->clients);
}

/**
 * sundog_client_init() - initialise the ids of clients
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_client_init(struct sundog_device *sdev)
{
	xa_init_flags(&sdev->clients, XA_FLAGS_ALLOC1);
	return drmm_add_action_or_reset(&sdev->drm, sundog_client_fini, NULL);
}

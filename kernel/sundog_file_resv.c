// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The reservation of a file's PRIVATE allocations, see struct sundog_file_resv.
 */

#include <linux/slab.h>

#include "sundog_file_resv.h"

/**
 * sundog_file_resv_create() - for a file that opens
 *
 * Return: the reservation with one reference, or NULL without memory.
 */
struct sundog_file_resv *sundog_file_resv_create(void)
{
	struct sundog_file_resv *shared = kzalloc(sizeof(*shared), GFP_KERNEL_ACCOUNT);

	if (!shared)
		return NULL;
	kref_init(&shared->kref);
	dma_resv_init(&shared->resv);
	atomic64_set(&shared->version, 1);
	return shared;
}

static void sundog_file_resv_free(struct kref *kref)
{
	struct sundog_file_resv *shared = container_of(kref, struct sundog_file_resv, kref);

	dma_resv_fini(&shared->resv);
	kfree(shared);
}

/**
 * sundog_file_resv_get() - take a reference
 * @shared: reservation
 *
 * Return: @shared.
 */
struct sundog_file_resv *sundog_file_resv_get(struct sundog_file_resv *shared)
{
	kref_get(&shared->kref);
	return shared;
}

/**
 * sundog_file_resv_put() - drop a reference
 * @shared: reservation
 */
void sundog_file_resv_put(struct sundog_file_resv *shared)
{
	kref_put(&shared->kref, sundog_file_resv_free);
}

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_FILE_RESV_H_
#define _SUNDOG_FILE_RESV_H_

#include <linux/atomic.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>

/**
 * struct sundog_file_resv - the reservation that all PRIVATE allocations of a file share
 *
 * One lock and one set of fences, however many they are: a submission that uses thousands of them
 * takes it once. What they cost is that none of them is idle while another is not.
 */
struct sundog_file_resv {
	/** @kref: held by the file and by its PRIVATE allocations */
	struct kref kref;
	/** @resv: the reservation */
	struct dma_resv resv;
	/** @version: counts changes to allocations that residency lists noted; from 1 on */
	atomic64_t version;
};

struct sundog_file_resv *sundog_file_resv_create(void);
struct sundog_file_resv *sundog_file_resv_get(struct sundog_file_resv *shared);
void sundog_file_resv_put(struct sundog_file_resv *shared);

#endif

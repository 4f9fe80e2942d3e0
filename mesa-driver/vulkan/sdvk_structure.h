/* SPDX-License-Identifier: MIT */
/*
 * Acceleration structures of ray queries: trees in memory of the application, with the layout of
 * sdvk_bvh.h. Compute shaders of this driver build and copy them. The object is that of Mesa's
 * runtime; nothing of it changes after its creation.
 */
#ifndef SDVK_STRUCTURE_H
#define SDVK_STRUCTURE_H

#include <sundog.h>

#include "sdvk_bvh.h"
#include "util/simple_mtx.h"
#include "vk_acceleration_structure.h"

struct sdvk_cmd_buffer;
struct sdvk_device;
struct sdvk_layout;
struct sdvk_query_pool;

/* Compute shaders of builds and copies, see sdvk_bvh_build.comp. */
enum sdvk_kernel {
   SDVK_KERNEL_INIT,
   SDVK_KERNEL_LEAVES,
   SDVK_KERNEL_MORTON,
   SDVK_KERNEL_RANK,
   SDVK_KERNEL_HISTOGRAM,
   SDVK_KERNEL_SCATTER,
   SDVK_KERNEL_SCAN_SUMS,
   SDVK_KERNEL_SCAN,
   SDVK_KERNEL_SCAN_APPLY,
   SDVK_KERNEL_HIERARCHY,
   SDVK_KERNEL_EMIT,
   SDVK_KERNEL_COPY,
   SDVK_NUM_KERNELS,
};

/* They are created on first use, and live as long as the device. */
struct sdvk_builder {
   simple_mtx_t lock;
   struct sdvk_layout *layout; /* NULL: not created yet */
   uint32_t kernels[SDVK_NUM_KERNELS]; /* ids; 0: not created yet */
};

void
sdvk_builder_init(struct sdvk_builder *builder);
/* Releases what refers to other objects of the device. */
void
sdvk_builder_forget(struct sdvk_device *device, struct sdvk_builder *builder);
void
sdvk_builder_fini(struct sdvk_builder *builder);

/* Returns a range of the memory of a structure. */
struct sundog_mem_range
sdvk_structure_range(const struct vk_acceleration_structure *structure, uint64_t offset,
                     uint64_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Descriptors. Set layouts and sets are objects of the renderer; a write to a set is a packet that
 * is submitted before the next command buffers. One thread at a time changes a pool or a set;
 * layouts are constant and counted by references.
 */
#ifndef SDVK_DESCRIPTOR_H
#define SDVK_DESCRIPTOR_H

#include <sundog.h>

#include "sdvk_image.h"
#include "sdvk_spirv.h"
#include "util/list.h"
#include "util/vma.h"
#include "vk_buffer_view.h"
#include "vk_descriptor_set_layout.h"
#include "vk_pipeline_layout.h"
#include "vk_sampler.h"
#include "vk_ycbcr_conversion.h"

struct sdvk_sampler {
   struct vk_sampler vk;
   uint32_t id;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_sampler, vk.base, VkSampler, VK_OBJECT_TYPE_SAMPLER)

struct sdvk_buffer_view {
   struct vk_buffer_view vk;
   uint32_t id;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_buffer_view, vk.base, VkBufferView, VK_OBJECT_TYPE_BUFFER_VIEW)

struct sdvk_binding {
   uint32_t number, count;
   /* planes of the largest Y'CbCr format of its samplers' conversions, otherwise 1 */
   uint32_t n_planes;
   /* the renderer's binding of each plane; the first is `number` */
   uint32_t planes[SDVK_MAX_PLANES];
   VkDescriptorType type;
   /* index of the first immutable sampler in the layout's `samplers` + 1; 0: none are immutable */
   uint32_t samplers;
   uint32_t block;    /* of an inline uniform block: its offset in the blocks of the set */
};

struct sdvk_immutable_sampler {
   uint32_t id;
   struct vk_ycbcr_conversion_state conversion; /* no format: no conversion */
};

struct sdvk_set_layout {
   struct vk_descriptor_set_layout vk;
   uint32_t id;
   uint32_t n_bindings, n_dynamic, n_samplers;
   uint32_t inline_size; /* total bytes of inline uniform blocks */
   /* descriptors of a set, if the renderer may hold it to be a large one, otherwise 0 */
   uint32_t n_large;
   struct sdvk_binding *bindings; /* sorted by number */
   struct sdvk_immutable_sampler *samplers;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_set_layout, vk.base, VkDescriptorSetLayout,
                               VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT)

/* Returns true if the layouts are defined identically: sets of either are compatible with both. */
bool
sdvk_set_layouts_alike(const struct sdvk_set_layout *a, const struct sdvk_set_layout *b);

struct sdvk_layout;

struct sdvk_pipeline_layout {
   struct vk_pipeline_layout vk;
   struct sdvk_layout *layout; /* shared by identical layouts */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline_layout, vk.base, VkPipelineLayout,
                               VK_OBJECT_TYPE_PIPELINE_LAYOUT)

static inline const struct sdvk_layout *
sdvk_renderer_layout(const struct vk_pipeline_layout *layout)
{
   return container_of(layout, const struct sdvk_pipeline_layout, vk)->layout;
}

/* Returns binding @number of set @set; NULL: the layout has none. */
const struct sdvk_binding *
sdvk_find_binding(const struct vk_pipeline_layout *layout, uint32_t set, uint32_t number);

/*
 * Returns the descriptor type of the renderer's packets. They have no input attachments and no
 * acceleration structures: sdvk_spirv_fragment.c and sdvk_spirv_rays.c turn accesses to them into
 * accesses to sampled images and to storage buffers.
 */
uint32_t
sdvk_packet_descriptor_type(VkDescriptorType type);

/* Returns the Y'CbCr conversion of element @element of a binding; NULL: none. */
const struct vk_ycbcr_conversion_state *
sdvk_find_conversion(const struct vk_pipeline_layout *layout, uint32_t set,
                     const struct sdvk_binding *binding, uint32_t element);

struct sdvk_device;

VkResult
sdvk_pipeline_layout_new(struct sdvk_device *device, const VkPipelineLayoutCreateInfo *info,
                         struct vk_pipeline_layout **out);

/* Returns the renderer's layout of @layout's sets, followed by the sets of @repeats. */
VkResult
sdvk_get_layout(struct sdvk_device *device, const struct vk_pipeline_layout *layout,
                const struct sdvk_spirv_repeats *repeats, struct sdvk_layout **out);

struct sdvk_descriptor_pool {
   struct vk_object_base base;
   uint32_t max_sets, n_sets;
   struct list_head sets;
   struct sdrm_bo *blocks; /* memory of inline uniform blocks; NULL: none */
   char *blocks_map;
   struct util_vma_heap heap; /* allocates from @blocks */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_descriptor_pool, base, VkDescriptorPool,
                               VK_OBJECT_TYPE_DESCRIPTOR_POOL)

struct sdvk_set {
   struct vk_object_base base;
   struct list_head link; /* in the pool's `sets`, or in the command buffer's `pushed_sets` */
   struct sdvk_set_layout *layout;
   uint32_t id;
   uint64_t blocks; /* address of its inline uniform blocks in the pool's heap; 0: none */
   char *blocks_map;
   bool pushed_compute;  /* bind point and slot of a push descriptor set */
   uint32_t pushed_slot;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_set, base, VkDescriptorSet, VK_OBJECT_TYPE_DESCRIPTOR_SET)

#endif

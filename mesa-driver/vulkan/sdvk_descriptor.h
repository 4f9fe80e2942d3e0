/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: layouts and sets are objects of the renderer, and what is written to a set are packets that go before
 * the next submission.
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
   uint32_t n_planes;                /* of images that are converted when they are sampled, otherwise 1 */
   uint32_t planes[SDVK_MAX_PLANES]; /* the renderer's bindings that have them: the first is `number` */
   VkDescriptorType type;
   uint32_t samplers; /* index of the first immutable one in the layout's + 1; 0: they are written */
   uint32_t block;    /* of an inline uniform block: where it begins in those of the set */
};

struct sdvk_immutable_sampler {
   uint32_t id;
   struct vk_ycbcr_conversion_state conversion; /* no format: none */
};

struct sdvk_set_layout {
   struct vk_descriptor_set_layout vk;
   uint32_t id;
   uint32_t n_bindings, n_dynamic, n_samplers;
   uint32_t inline_size; /* bytes of inline uniform blocks */
   uint32_t n_large;     /* descriptors, if a set of them may be a large one */
   struct sdvk_binding *bindings; /* by number */
   struct sdvk_immutable_sampler *samplers;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_set_layout, vk.base, VkDescriptorSetLayout,
                               VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT)

/* Are they defined identically? A set of one is as good as one of the other then. */
bool
sdvk_set_layouts_alike(const struct sdvk_set_layout *a, const struct sdvk_set_layout *b);

struct sdvk_layout;

struct sdvk_pipeline_layout {
   struct vk_pipeline_layout vk;
   struct sdvk_layout *layout; /* the renderer's */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline_layout, vk.base, VkPipelineLayout,
                               VK_OBJECT_TYPE_PIPELINE_LAYOUT)

static inline const struct sdvk_layout *
sdvk_renderer_layout(const struct vk_pipeline_layout *layout)
{
   return container_of(layout, const struct sdvk_pipeline_layout, vk)->layout;
}

/* The binding @number of set @set; NULL: there is none. */
const struct sdvk_binding *
sdvk_find_binding(const struct vk_pipeline_layout *layout, uint32_t set, uint32_t number);

/*
 * A type as the renderer's packets have it: it has no input attachments, and shaders none that come to it, see
 * sdvk_spirv_fragment.c.
 */
uint32_t
sdvk_packet_descriptor_type(VkDescriptorType type);

/* The conversion of what is at element @element of a binding; NULL: none. */
const struct vk_ycbcr_conversion_state *
sdvk_find_conversion(const struct vk_pipeline_layout *layout, uint32_t set, const struct sdvk_binding *binding,
                     uint32_t element);

struct sdvk_device;

VkResult
sdvk_pipeline_layout_new(struct sdvk_device *device, const VkPipelineLayoutCreateInfo *info,
                         struct vk_pipeline_layout **out);

/* The renderer's of the layout, and behind its sets some of them again. */
VkResult
sdvk_get_layout(struct sdvk_device *device, const struct vk_pipeline_layout *layout,
                const struct sdvk_spirv_repeats *repeats, struct sdvk_layout **out);

struct sdvk_descriptor_pool {
   struct vk_object_base base;
   uint32_t max_sets, n_sets;
   struct list_head sets;
   struct sundog_bo *blocks; /* inline uniform blocks, NULL: none */
   char *blocks_map;
   struct util_vma_heap heap; /* of them */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_descriptor_pool, base, VkDescriptorPool,
                               VK_OBJECT_TYPE_DESCRIPTOR_POOL)

struct sdvk_set {
   struct vk_object_base base;
   struct list_head link; /* of its pool, or its command buffer's that are pushed */
   struct sdvk_set_layout *layout;
   uint32_t id;
   uint64_t blocks; /* address in the pool's heap, 0: none */
   char *blocks_map;
   bool pushed_compute;  /* where it is pushed to */
   uint32_t pushed_slot;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_set, base, VkDescriptorSet, VK_OBJECT_TYPE_DESCRIPTOR_SET)

#endif

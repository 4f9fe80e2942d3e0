/* SPDX-License-Identifier: MIT */
/*
 * Inline uniform blocks: see sdvk_inline.h. Called by sdvk_descriptor_set.c and sdvk_set_layout.c,
 * by one thread at a time for each pool.
 */
#include "sdvk_inline.h"

#include "sdvk_device.h"
#include "sdvk_memory.h"
#include "util/u_math.h"
#include "vk_log.h"
#include "vk_physical_device.h"
#include "vk_util.h"

/* First address of the heap, which uses address 0 for failure. */
#define HEAP_START 4096

static uint32_t
alignment(const struct sdvk_device *device)
{
   return device->vk.physical->properties.minUniformBufferOffsetAlignment;
}

VkResult
sdvk_inline_pool_init(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
                      const VkDescriptorPoolCreateInfo *info)
{
   const VkDescriptorPoolInlineUniformBlockCreateInfo *blocks =
      vk_find_struct_const(info->pNext, DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO);
   uint64_t size = 0;
   VkResult result;

   for (uint32_t i = 0; i < info->poolSizeCount; i++) {
      if (info->pPoolSizes[i].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
         size += info->pPoolSizes[i].descriptorCount;
   }
   if (!size || !blocks)
      return VK_SUCCESS;
   size += (uint64_t)blocks->maxInlineUniformBlockBindings * alignment(device);
   result = sdvk_bo_allocate(device, size, &pool->blocks);
   if (result != VK_SUCCESS)
      return result;
   pool->blocks_map = sdrm_bo_map(pool->blocks);
   if (!pool->blocks_map) {
      sdvk_bo_free(device, pool->blocks);
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   }
   util_vma_heap_init(&pool->heap, HEAP_START, size);
   return VK_SUCCESS;
}

void
sdvk_inline_pool_fini(struct sdvk_device *device, struct sdvk_descriptor_pool *pool)
{
   if (!pool->blocks)
      return;
   util_vma_heap_finish(&pool->heap);
   sdvk_bo_free(device, pool->blocks);
}

void
sdvk_inline_layout(const struct sdvk_device *device, struct sdvk_set_layout *layout)
{
   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      struct sdvk_binding *binding = &layout->bindings[i];

      if (binding->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
         continue;
      binding->block = layout->inline_size;
      layout->inline_size += align(binding->count, alignment(device));
   }
}

static void
describe_block(struct sdvk_device *device, const struct sdvk_descriptor_pool *pool,
               const struct sdvk_set *set, const struct sdvk_binding *binding)
{
   const struct sundog_cmd_write_set write = {set->id, binding->number, 0, 1};
   const struct sundog_set_descriptor descriptor = {
      .range = {sdrm_bo_mem(pool->blocks), set->blocks - HEAP_START + binding->block,
                binding->count},
   };

   sundog_emit_write_set(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &write, &descriptor);
   sdvk_object_end(device);
}

VkResult
sdvk_inline_allocate(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
                     struct sdvk_set *set)
{
   const struct sdvk_set_layout *layout = set->layout;

   if (!layout->inline_size)
      return VK_SUCCESS;
   if (!pool->blocks)
      return vk_error(device, VK_ERROR_OUT_OF_POOL_MEMORY);
   set->blocks = util_vma_heap_alloc(&pool->heap, layout->inline_size, alignment(device));
   if (!set->blocks)
      return vk_error(device, VK_ERROR_OUT_OF_POOL_MEMORY);
   set->blocks_map = pool->blocks_map + set->blocks - HEAP_START;
   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      if (layout->bindings[i].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
         describe_block(device, pool, set, &layout->bindings[i]);
   }
   return VK_SUCCESS;
}

void
sdvk_inline_free(struct sdvk_descriptor_pool *pool, struct sdvk_set *set)
{
   if (set->blocks)
      util_vma_heap_free(&pool->heap, set->blocks, set->layout->inline_size);
}

void *
sdvk_inline_bytes(const struct sdvk_set *set, uint32_t number, uint32_t at, uint32_t size)
{
   for (uint32_t i = 0; i < set->layout->n_bindings; i++) {
      const struct sdvk_binding *binding = &set->layout->bindings[i];

      if (binding->number == number && binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
         return at <= binding->count && size <= binding->count - at
                   ? set->blocks_map + binding->block + at
                   : NULL;
   }
   return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Descriptor pools and sets, descriptor writes, and binding. Writes to sets are packets that go
 * before the next submission, or into the command buffer for push descriptors. Any thread of the
 * program calls this, one at a time for each pool, set and command buffer.
 */
#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_descriptor.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_inline.h"
#include "sdvk_physical_device.h"
#include "sdvk_structure.h"
#include "vk_alloc.h"
#include "vk_descriptor_update_template.h"
#include "vk_log.h"
#include "vk_physical_device.h"
#include "vk_util.h"

/* Elements of one packet. */
#define MAX_WRITES 64

/* Pools */

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateDescriptorPool(VkDevice _device, const VkDescriptorPoolCreateInfo *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator, VkDescriptorPool *pPool)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_descriptor_pool *pool =
      vk_object_zalloc(&device->vk, pAllocator, sizeof(*pool), VK_OBJECT_TYPE_DESCRIPTOR_POOL);
   VkResult result;

   if (!pool)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = sdvk_inline_pool_init(device, pool, pCreateInfo);
   if (result != VK_SUCCESS) {
      vk_object_free(&device->vk, pAllocator, pool);
      return result;
   }
   pool->max_sets = pCreateInfo->maxSets;
   list_inithead(&pool->sets);
   *pPool = sdvk_descriptor_pool_to_handle(pool);
   return VK_SUCCESS;
}

static void
set_del(struct sdvk_device *device, struct sdvk_set *set)
{
   const uint32_t n_large = set->layout->n_large;

   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SET, set->id);
   vk_descriptor_set_layout_unref(&device->vk, &set->layout->vk);
   list_del(&set->link);
   vk_object_free(&device->vk, NULL, set);
   p_atomic_add(&device->n_large_descriptors, -n_large);
}

static void
free_set(struct sdvk_device *device, struct sdvk_descriptor_pool *pool, struct sdvk_set *set)
{
   sdvk_inline_free(pool, set);
   set_del(device, set);
   pool->n_sets--;
}

static void
free_sets(struct sdvk_device *device, struct sdvk_descriptor_pool *pool)
{
   list_for_each_entry_safe(struct sdvk_set, set, &pool->sets, link)
      free_set(device, pool, set);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_ResetDescriptorPool(VkDevice _device, VkDescriptorPool _pool, VkDescriptorPoolResetFlags flags)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_descriptor_pool, pool, _pool);

   free_sets(device, pool);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyDescriptorPool(VkDevice _device, VkDescriptorPool _pool,
                           const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_descriptor_pool, pool, _pool);

   if (!pool)
      return;
   free_sets(device, pool);
   sdvk_inline_pool_fini(device, pool);
   vk_object_free(&device->vk, pAllocator, pool);
}

/* Elements */

/*
 * A descriptor of a set. Beyond the last element of a binding it goes on in the next binding
 * (Vulkan 1.4, "Consecutive Binding Updates"), also in copies
 * (VUID-VkCopyDescriptorSet-srcArrayElement-00346).
 */
struct cursor {
   const struct sdvk_set *set;
   uint32_t binding, element; /* index in the layout's `bindings` */
};

static struct cursor
cursor_at(const struct sdvk_set *set, uint32_t number, uint32_t element)
{
   struct cursor c = {set, 0, element};

   while (c.binding < set->layout->n_bindings && set->layout->bindings[c.binding].number < number)
      c.binding++;
   return c;
}

/*
 * Returns the binding at the cursor, and in @n how many of @count elements it has from there on.
 * NULL: end of the set.
 */
static const struct sdvk_binding *
cursor_binding(struct cursor *c, uint32_t count, uint32_t *n)
{
   const struct sdvk_set_layout *layout = c->set->layout;

   while (c->binding < layout->n_bindings && c->element >= layout->bindings[c->binding].count) {
      c->element -= layout->bindings[c->binding].count;
      c->binding++;
   }
   if (c->binding == layout->n_bindings)
      return NULL;
   *n = MIN2(count, layout->bindings[c->binding].count - c->element);
   return &layout->bindings[c->binding];
}

static struct sundog_set_descriptor
packet_range(const struct sdvk_device *device, const VkDescriptorBufferInfo *info, uint64_t most)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, info->buffer);
   struct sundog_set_descriptor d = {0};

   if (!buffer)
      return d;
   d.range = (struct sundog_mem_range){
      buffer->mem,
      buffer->offset + info->offset,
      MIN2(vk_buffer_range(&buffer->vk, info->offset, info->range), most),
   };
   return d;
}

/*
 * Returns the header of an acceleration structure, where shaders read its address, see
 * sdvk_spirv_rays.c.
 */
static struct sundog_set_descriptor
packet_structure(VkAccelerationStructureKHR _structure)
{
   VK_FROM_HANDLE(vk_acceleration_structure, structure, _structure);
   struct sundog_set_descriptor d = {0};

   if (structure)
      d.range = sdvk_structure_range(structure, 0, sizeof(struct sdvk_bvh_header));
   return d;
}

static uint32_t
packet_sampler(const struct sdvk_set_layout *layout, const struct sdvk_binding *binding,
               uint32_t element, const VkDescriptorImageInfo *info)
{
   if (binding->samplers)
      return layout->samplers[binding->samplers - 1 + element].id;
   return info->sampler ? sdvk_sampler_from_handle(info->sampler)->id : 0;
}

static uint32_t
packet_view(const VkDescriptorImageInfo *info)
{
   return info->imageView ? sdvk_image_view_from_handle(info->imageView)->id : 0;
}

static uint32_t
packet_input(const VkDescriptorImageInfo *info)
{
   return info->imageView ? sdvk_image_view_from_handle(info->imageView)->input_id : 0;
}

/*
 * Returns the packet's descriptor for element @element of @binding as @type. @info is a
 * VkDescriptorImageInfo, VkDescriptorBufferInfo, VkBufferView or VkAccelerationStructureKHR,
 * depending on the type.
 */
static struct sundog_set_descriptor
packet_descriptor(const struct sdvk_device *device, const struct sdvk_set_layout *layout,
                  const struct sdvk_binding *binding, uint32_t element, VkDescriptorType type,
                  const void *info)
{
   const struct vk_properties *limits = &device->vk.physical->properties;
   const VkBufferView *texels = info;
   const VkAccelerationStructureKHR *structure = info;
   struct sundog_set_descriptor d = {0};

   switch (type) {
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      return packet_range(device, info, limits->maxUniformBufferRange);
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return packet_range(device, info, limits->maxStorageBufferRange);
   case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      d.view = *texels ? sdvk_buffer_view_from_handle(*texels)->id : 0;
      return d;
   case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return packet_structure(*structure);
   /*
    * Only members that the type uses are valid. The cases are separate, since GCC 14 with -O3 drops
    * comparisons behind a default.
    */
   case VK_DESCRIPTOR_TYPE_SAMPLER:
      d.sampler = packet_sampler(layout, binding, element, info);
      return d;
   case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      d.sampler = packet_sampler(layout, binding, element, info);
      d.view = packet_view(info);
      return d;
   case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      d.view = packet_input(info);
      return d;
   default:
      d.view = packet_view(info);
      return d;
   }
}

/*
 * Emits a write in the command buffer, or before the next submission if @cmd is NULL. @type is that
 * of the elements, in case the binding is mutable.
 */
static void
emit_write(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd,
           const struct sdvk_binding *binding, VkDescriptorType type,
           const struct sundog_cmd_write_set *write,
           const struct sundog_set_descriptor *descriptors)
{
   const uint32_t dwords = SDVK_PACKET_DWORDS + write->count * 8;
   struct sundog_stream *stream =
      cmd ? sdvk_stream_reserve(&cmd->stream, dwords) : sdvk_object_packet(device, dwords);

   if (binding->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) {
      const struct sundog_cmd_write_mutable_set mutable = {
         write->set, write->binding, write->first, sdvk_packet_descriptor_type(type), write->count,
      };

      sundog_emit_write_mutable_set(stream, &mutable, descriptors);
   } else {
      sundog_emit_write_set(stream, write, descriptors);
   }
   if (!cmd)
      sdvk_object_end(device);
}

/* Writes the descriptors of further planes; @descriptors has those of the first plane. */
static void
write_chroma(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd,
             const struct sdvk_binding *binding, const struct sundog_cmd_write_set *write,
             struct sundog_set_descriptor *descriptors, const void *infos, size_t stride)
{
   for (uint32_t plane = 1; plane < binding->n_planes; plane++) {
      const struct sundog_cmd_write_set chroma = {write->set, binding->planes[plane], write->first,
                                                  write->count};

      for (uint32_t i = 0; i < write->count; i++) {
         const VkDescriptorImageInfo *info = (const void *)((const char *)infos + i * stride);
         VK_FROM_HANDLE(sdvk_image_view, view, info->imageView);

         descriptors[i].view = view ? view->chroma_ids[plane - 1] : 0;
      }
      emit_write(device, cmd, binding, binding->type, &chroma, descriptors);
   }
}

static void
write_elements(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd, const struct sdvk_set *set,
               uint32_t number, uint32_t element, uint32_t count, VkDescriptorType type,
               const void *infos, size_t stride)
{
   struct cursor c = cursor_at(set, number, element);
   const struct sdvk_binding *binding;
   uint32_t n;

   for (; count && (binding = cursor_binding(&c, MIN2(count, MAX_WRITES), &n)); count -= n) {
      struct sundog_set_descriptor descriptors[MAX_WRITES];
      const struct sundog_cmd_write_set write = {set->id, binding->number, c.element, n};

      for (uint32_t i = 0; i < n; i++)
         descriptors[i] = packet_descriptor(device, set->layout, binding, c.element + i, type,
                                            (const char *)infos + i * stride);
      emit_write(device, cmd, binding, type, &write, descriptors);
      write_chroma(device, cmd, binding, &write, descriptors, infos, stride);
      infos = (const char *)infos + n * stride;
      c.element += n;
   }
}

/* Sets */

/*
 * Writes immutable VK_DESCRIPTOR_TYPE_SAMPLER bindings, which programs must not write
 * (VUID-VkWriteDescriptorSet-descriptorType-02752).
 */
static void
write_samplers(struct sdvk_device *device, const struct sdvk_set *set)
{
   const struct sdvk_set_layout *layout = set->layout;
   const VkDescriptorImageInfo none = {0};

   for (uint32_t b = 0; b < layout->n_bindings; b++) {
      const struct sdvk_binding *binding = &layout->bindings[b];

      if (binding->type == VK_DESCRIPTOR_TYPE_SAMPLER && binding->samplers)
         write_elements(device, NULL, set, binding->number, 0, binding->count, binding->type, &none,
                        0);
   }
}

/* Creates a set and adds it to @list. NULL: no memory. */
static struct sdvk_set *
set_new(struct sdvk_device *device, struct sdvk_set_layout *layout, struct list_head *list)
{
   struct sundog_cmd_create_set cmd = {.layout = layout->id};
   struct sundog_stream *stream;
   struct sdvk_set *set =
      vk_object_zalloc(&device->vk, NULL, sizeof(*set), VK_OBJECT_TYPE_DESCRIPTOR_SET);

   if (!set)
      return NULL;
   stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);
   if (!stream) {
      vk_object_free(&device->vk, NULL, set);
      return NULL;
   }
   sundog_emit_create_set(stream, &cmd);
   sdvk_object_end(device);
   vk_descriptor_set_layout_ref(&layout->vk);
   set->layout = layout;
   set->id = cmd.id;
   list_addtail(&set->link, list);
   write_samplers(device, set);
   return set;
}

/*
 * Reserves @count descriptors of large sets. False: the renderer would have no room, and the device
 * would be lost.
 */
static bool
take_large(struct sdvk_device *device, uint32_t count)
{
   const uint32_t most = sdvk_device_physical(device)->caps.max_large_descriptors;

   if (!count || !most || p_atomic_add_return(&device->n_large_descriptors, count) <= most)
      return true;
   p_atomic_add(&device->n_large_descriptors, -count);
   return false;
}

static VkResult
allocate_set(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
             struct sdvk_set_layout *layout, VkDescriptorSet *out)
{
   struct sdvk_set *set;
   VkResult result;

   if (pool->n_sets == pool->max_sets)
      return vk_error(pool, VK_ERROR_OUT_OF_POOL_MEMORY);
   if (!take_large(device, layout->n_large))
      return vk_errorf(device, VK_ERROR_OUT_OF_POOL_MEMORY,
                       "large sets: no %u more descriptors, the device has %u for all sets",
                       layout->n_large, sdvk_device_physical(device)->caps.max_large_descriptors);
   set = set_new(device, layout, &pool->sets);
   if (!set) {
      p_atomic_add(&device->n_large_descriptors, -layout->n_large);
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   }
   pool->n_sets++;
   result = sdvk_inline_allocate(device, pool, set);
   if (result != VK_SUCCESS) {
      free_set(device, pool, set);
      return result;
   }
   *out = sdvk_set_to_handle(set);
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_AllocateDescriptorSets(VkDevice _device, const VkDescriptorSetAllocateInfo *pAllocateInfo,
                            VkDescriptorSet *pDescriptorSets)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_descriptor_pool, pool, pAllocateInfo->descriptorPool);
   VkResult result = VK_SUCCESS;
   uint32_t n = 0;

   for (; n < pAllocateInfo->descriptorSetCount; n++) {
      VK_FROM_HANDLE(sdvk_set_layout, layout, pAllocateInfo->pSetLayouts[n]);

      result = allocate_set(device, pool, layout, &pDescriptorSets[n]);
      if (result != VK_SUCCESS)
         break;
   }
   if (result == VK_SUCCESS)
      return VK_SUCCESS;
   /* A call that fails leaves no set, and null handles (Vulkan 1.4, vkAllocateDescriptorSets()). */
   for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; i++) {
      if (i < n)
         free_set(device, pool, sdvk_set_from_handle(pDescriptorSets[i]));
      pDescriptorSets[i] = VK_NULL_HANDLE;
   }
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_FreeDescriptorSets(VkDevice _device, VkDescriptorPool _pool, uint32_t count,
                        const VkDescriptorSet *pDescriptorSets)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_descriptor_pool, pool, _pool);

   for (uint32_t i = 0; i < count; i++) {
      VK_FROM_HANDLE(sdvk_set, set, pDescriptorSets[i]);

      if (set)
         free_set(device, pool, set);
   }
   return VK_SUCCESS;
}

/* Updates */

static void
write_block(const struct sdvk_set *set, uint32_t number, uint32_t at, uint32_t size,
            const void *data)
{
   void *bytes = sdvk_inline_bytes(set, number, at, size);

   if (bytes)
      memcpy(bytes, data, size);
}

static void
copy_elements(struct sdvk_device *device, const VkCopyDescriptorSet *copy)
{
   VK_FROM_HANDLE(sdvk_set, src, copy->srcSet);
   VK_FROM_HANDLE(sdvk_set, dst, copy->dstSet);
   const void *block =
      sdvk_inline_bytes(src, copy->srcBinding, copy->srcArrayElement, copy->descriptorCount);
   struct cursor from = cursor_at(src, copy->srcBinding, copy->srcArrayElement);
   struct cursor to = cursor_at(dst, copy->dstBinding, copy->dstArrayElement);
   uint32_t count = copy->descriptorCount, n;

   if (block) {
      write_block(dst, copy->dstBinding, copy->dstArrayElement, count, block);
      return;
   }
   while (count) {
      const struct sdvk_binding *a = cursor_binding(&from, count, &n);
      const struct sdvk_binding *b = a ? cursor_binding(&to, n, &n) : NULL;

      if (!b)
         return;
      for (uint32_t plane = 0; plane < MIN2(a->n_planes, b->n_planes); plane++) {
         const struct sundog_cmd_copy_set cmd = {
            src->id, a->planes[plane], from.element, dst->id, b->planes[plane], to.element, n,
         };

         sundog_emit_copy_set(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
         sdvk_object_end(device);
      }
      from.element += n;
      to.element += n;
      count -= n;
   }
}

/* Returns the infos that a write of this type reads, and their stride. */
static const void *
write_infos(const VkWriteDescriptorSet *write, size_t *stride)
{
   const VkWriteDescriptorSetAccelerationStructureKHR *structures =
      vk_find_struct_const(write->pNext, WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);

   switch (write->descriptorType) {
   case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      *stride = sizeof(*structures->pAccelerationStructures);
      return structures->pAccelerationStructures;
   case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      *stride = sizeof(*write->pTexelBufferView);
      return write->pTexelBufferView;
   case VK_DESCRIPTOR_TYPE_SAMPLER:
   case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
   case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
   case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
   case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      *stride = sizeof(*write->pImageInfo);
      return write->pImageInfo;
   default:
      *stride = sizeof(*write->pBufferInfo);
      return write->pBufferInfo;
   }
}

static void
write_set(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd, const struct sdvk_set *set,
          const VkWriteDescriptorSet *write)
{
   const VkWriteDescriptorSetInlineUniformBlock *block =
      vk_find_struct_const(write->pNext, WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
   size_t stride;
   const void *infos = write_infos(write, &stride);

   if (write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      write_block(set, write->dstBinding, write->dstArrayElement, block->dataSize, block->pData);
      return;
   }
   write_elements(device, cmd, set, write->dstBinding, write->dstArrayElement,
                  write->descriptorCount, write->descriptorType, infos, stride);
}

static void
write_template(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd, const struct sdvk_set *set,
               const struct vk_descriptor_update_template *template, const void *data)
{
   for (uint32_t i = 0; i < template->entry_count; i++) {
      const struct vk_descriptor_template_entry *entry = &template->entries[i];
      const void *infos = (const char *)data + entry->offset;

      if (entry->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
         write_block(set, entry->binding, entry->array_element, entry->array_count, infos);
      else
         write_elements(device, cmd, set, entry->binding, entry->array_element, entry->array_count,
                        entry->type, infos, entry->stride);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_UpdateDescriptorSets(VkDevice _device, uint32_t writeCount,
                          const VkWriteDescriptorSet *pWrites, uint32_t copyCount,
                          const VkCopyDescriptorSet *pCopies)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   for (uint32_t i = 0; i < writeCount; i++)
      write_set(device, NULL, sdvk_set_from_handle(pWrites[i].dstSet), &pWrites[i]);
   for (uint32_t i = 0; i < copyCount; i++)
      copy_elements(device, &pCopies[i]);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_UpdateDescriptorSetWithTemplate(VkDevice _device, VkDescriptorSet _set,
                                     VkDescriptorUpdateTemplate _template, const void *pData)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_set, set, _set);
   VK_FROM_HANDLE(vk_descriptor_update_template, template, _template);

   write_template(device, NULL, set, template, pData);
}

/* Binding */

static void
bind_sets(struct sdvk_cmd_buffer *cmd, const VkBindDescriptorSetsInfoKHR *info, bool compute)
{
   const uint32_t *offsets = info->pDynamicOffsets;

   for (uint32_t i = 0; i < info->descriptorSetCount; i++) {
      VK_FROM_HANDLE(sdvk_set, set, info->pDescriptorSets[i]);
      const uint32_t slot = info->firstSet + i, n_offsets = set ? set->layout->n_dynamic : 0;

      sdvk_cmd_bind_set(cmd, compute, slot, set ? set->id : 0, n_offsets, offsets);
      offsets += n_offsets;
      if (set)
         cmd->sets[compute].bound |= BITFIELD_BIT(slot);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBindDescriptorSets2KHR(VkCommandBuffer commandBuffer,
                               const VkBindDescriptorSetsInfoKHR *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
      bind_sets(cmd, info, true);
   if (info->stageFlags & ~VK_SHADER_STAGE_COMPUTE_BIT)
      bind_sets(cmd, info, false);
}

/*
 * Push descriptors: a command buffer has sets of its own, which its commands write. A draw copies
 * the bound sets when it is executed, so one set for each slot and layout is enough, even if the
 * command buffer is submitted several times.
 */

static struct sdvk_set *
pushed_set(struct sdvk_device *device, struct sdvk_cmd_buffer *cmd, struct sdvk_set_layout *layout,
           bool compute, uint32_t slot)
{
   struct sdvk_set *set;

   list_for_each_entry(struct sdvk_set, old, &cmd->pushed_sets, link) {
      if (sdvk_set_layouts_alike(old->layout, layout) && old->pushed_compute == compute &&
          old->pushed_slot == slot)
         return old;
   }
   if (!take_large(device, layout->n_large)) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      return NULL;
   }
   set = set_new(device, layout, &cmd->pushed_sets);
   if (!set) {
      p_atomic_add(&device->n_large_descriptors, -layout->n_large);
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
      return NULL;
   }
   set->pushed_compute = compute;
   set->pushed_slot = slot;
   return set;
}

void
sdvk_cmd_free_pushed_sets(struct sdvk_cmd_buffer *cmd)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   list_for_each_entry_safe(struct sdvk_set, set, &cmd->pushed_sets, link)
      set_del(device, set);
}

/* A push: writes, or data for a template. */
struct push {
   VkPipelineLayout layout;
   uint32_t slot, n_writes;
   const VkWriteDescriptorSet *writes;
   const struct vk_descriptor_update_template *template;
   const void *data;
};

static void
push_set(struct sdvk_cmd_buffer *cmd, const struct push *push, bool compute)
{
   VK_FROM_HANDLE(sdvk_pipeline_layout, layout, push->layout);
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   struct sdvk_set_layout *set_layout =
      container_of(layout->vk.set_layouts[push->slot], struct sdvk_set_layout, vk);
   const struct sdvk_set *set = pushed_set(device, cmd, set_layout, compute, push->slot);

   if (!set)
      return;
   for (uint32_t i = 0; i < push->n_writes; i++)
      write_set(device, cmd, set, &push->writes[i]);
   if (push->template)
      write_template(device, cmd, set, push->template, push->data);
   sdvk_cmd_bind_set(cmd, compute, push->slot, set->id, 0, NULL);
   cmd->sets[compute].bound |= BITFIELD_BIT(push->slot);
}

/*
 * Programs may leave sets unbound that their shaders declare but never read, for instance because
 * of a specialisation constant, although Vulkan asks for all that are in static use
 * (VUID-vkCmdDraw-None-08600). The renderer requires all declared sets: bind an unwritten one.
 */
void
sdvk_cmd_bind_missing_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program)
{
   static const uint32_t offsets[SUNDOG_MAX_DYNAMIC_OFFSETS];
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   struct sdvk_bound_sets *bound = &cmd->sets[program->compute];

   if (bound->layout != program->layout)
      bound->filled = 0;
   bound->layout = program->layout;
   u_foreach_bit(slot, program->sets & ~bound->bound & ~bound->filled) {
      struct sdvk_set_layout *layout =
         container_of(program->layout->set_layouts[slot], struct sdvk_set_layout, vk);
      const struct sdvk_set *set = pushed_set(device, cmd, layout, program->compute, slot);

      if (!set)
         return;
      sdvk_cmd_bind_set(cmd, program->compute, slot, set->id, layout->n_dynamic, offsets);
      bound->filled |= BITFIELD_BIT(slot);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdPushDescriptorSet2KHR(VkCommandBuffer commandBuffer, const VkPushDescriptorSetInfoKHR *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct push push = {
      .layout = info->layout,
      .slot = info->set,
      .n_writes = info->descriptorWriteCount,
      .writes = info->pDescriptorWrites,
   };

   if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
      push_set(cmd, &push, true);
   if (info->stageFlags & ~VK_SHADER_STAGE_COMPUTE_BIT)
      push_set(cmd, &push, false);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdPushDescriptorSetWithTemplate2KHR(VkCommandBuffer commandBuffer,
                                          const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(vk_descriptor_update_template, template, info->descriptorUpdateTemplate);
   const struct push push = {
      .layout = info->layout,
      .slot = info->set,
      .template = template,
      .data = info->pData,
   };

   push_set(cmd, &push, template->bind_point == VK_PIPELINE_BIND_POINT_COMPUTE);
}

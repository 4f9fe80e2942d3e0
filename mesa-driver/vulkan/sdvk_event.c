/* SPDX-License-Identifier: MIT */
/*
 * VkEvent: a word of memory that the CPU and commands set. A command that waits for an event is a
 * barrier: commands run in order, so the one that set it came first. The CPU has to set an event
 * before it submits the wait (VUID-vkSetEvent-event-09543). Any thread of the program calls the
 * entry points; the word is accessed by atomic operations.
 */
#include "sdvk_event.h"

#include <stdlib.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_memory.h"
#include "util/bitset.h"
#include "util/u_atomic.h"
#include "vk_log.h"

#define BLOCK_EVENTS 1024

struct block {
   struct list_head link;
   struct sdrm_bo *bo;
   uint32_t *map;
   BITSET_DECLARE(used, BLOCK_EVENTS);
};

struct sdvk_event {
   struct vk_object_base base;
   struct block *block;
   uint32_t index; /* in the block */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_event, base, VkEvent, VK_OBJECT_TYPE_EVENT)

void
sdvk_events_init(struct sdvk_events *events)
{
   simple_mtx_init(&events->lock, mtx_plain);
   list_inithead(&events->blocks);
}

void
sdvk_events_fini(struct sdvk_events *events)
{
   assert(list_is_empty(&events->blocks));
   simple_mtx_destroy(&events->lock);
}

static void
block_del(struct sdvk_device *device, struct block *block)
{
   sdvk_bo_free(device, block->bo);
   free(block);
}

static struct block *
block_new(struct sdvk_device *device)
{
   struct block *block = calloc(1, sizeof(*block));

   if (!block)
      return NULL;
   if (sdvk_bo_allocate(device, BLOCK_EVENTS * sizeof(*block->map), &block->bo) == VK_SUCCESS)
      block->map = sdrm_bo_map(block->bo);
   if (!block->map) {
      block_del(device, block);
      return NULL;
   }
   list_add(&block->link, &device->events.blocks);
   return block;
}

/* Returns a block with a free word; NULL: no memory. */
static struct block *
find_block(struct sdvk_device *device)
{
   list_for_each_entry (struct block, block, &device->events.blocks, link) {
      if (BITSET_COUNT(block->used) < BLOCK_EVENTS)
         return block;
   }
   return block_new(device);
}

static VkResult
take_word(struct sdvk_device *device, struct sdvk_event *event)
{
   struct block *block;

   simple_mtx_lock(&device->events.lock);
   block = find_block(device);
   if (block) {
      event->block = block;
      while (BITSET_TEST(block->used, event->index))
         event->index++;
      BITSET_SET(block->used, event->index);
   }
   simple_mtx_unlock(&device->events.lock);
   return block ? VK_SUCCESS : vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

static void
give_word_back(struct sdvk_device *device, const struct sdvk_event *event)
{
   struct block *block = event->block;

   simple_mtx_lock(&device->events.lock);
   BITSET_CLEAR(block->used, event->index);
   if (BITSET_IS_EMPTY(block->used)) {
      list_del(&block->link);
      block_del(device, block);
   }
   simple_mtx_unlock(&device->events.lock);
}

static uint32_t *
word_of(const struct sdvk_event *event)
{
   return &event->block->map[event->index];
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyEvent(VkDevice _device, VkEvent _event, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_event, event, _event);

   if (!event)
      return;
   give_word_back(device, event);
   vk_object_free(&device->vk, pAllocator, event);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateEvent(VkDevice _device, const VkEventCreateInfo *pCreateInfo,
                 const VkAllocationCallbacks *pAllocator, VkEvent *pEvent)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_event *event =
      vk_object_zalloc(&device->vk, pAllocator, sizeof(*event), VK_OBJECT_TYPE_EVENT);
   VkResult result;

   if (!event)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = take_word(device, event);
   if (result != VK_SUCCESS) {
      vk_object_free(&device->vk, pAllocator, event);
      return result;
   }
   p_atomic_set(word_of(event), false);
   *pEvent = sdvk_event_to_handle(event);
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetEventStatus(VkDevice _device, VkEvent _event)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_event, event, _event);
   VkResult status = vk_device_check_status(&device->vk);

   if (status != VK_SUCCESS)
      return status;
   if (!p_atomic_read(word_of(event)))
      return VK_EVENT_RESET;
   sdvk_host_imports_look(device);
   return VK_EVENT_SET;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_SetEvent(VkDevice _device, VkEvent _event)
{
   VK_FROM_HANDLE(sdvk_event, event, _event);

   p_atomic_set(word_of(event), true);
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_ResetEvent(VkDevice _device, VkEvent _event)
{
   VK_FROM_HANDLE(sdvk_event, event, _event);

   p_atomic_set(word_of(event), false);
   return VK_SUCCESS;
}

/*
 * Sets or resets the event after all earlier commands; the stage mask is ignored, since events are
 * rare.
 */
static void
emit_event(struct sdvk_cmd_buffer *cmd, const struct sdvk_event *event, bool set)
{
   const struct sundog_cmd_barrier barrier = {
      VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      VK_ACCESS_2_MEMORY_WRITE_BIT,
      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      VK_ACCESS_2_TRANSFER_WRITE_BIT,
   };
   const struct sundog_cmd_fill_buffer fill = {
      .dst = {sdrm_bo_mem(event->block->bo), event->index * sizeof(uint32_t), sizeof(uint32_t)},
      .value = set,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
   sundog_emit_fill_buffer(sdvk_cmd_packet(cmd), &fill);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdSetEvent2(VkCommandBuffer commandBuffer, VkEvent _event, const VkDependencyInfo *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_event, event, _event);

   emit_event(cmd, event, true);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdResetEvent2(VkCommandBuffer commandBuffer, VkEvent _event, VkPipelineStageFlags2 stages)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_event, event, _event);

   emit_event(cmd, event, false);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent *pEvents,
                    const VkDependencyInfo *infos)
{
   for (uint32_t i = 0; i < eventCount; i++)
      sdvk_CmdPipelineBarrier2(commandBuffer, &infos[i]);
}

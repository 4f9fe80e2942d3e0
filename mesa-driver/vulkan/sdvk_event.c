/* SPDX-License-Identifier: MIT */
/*
 * VkEvent: a word of memory that the CPU and commands set. A command that waits for an event is a
 * barrier: commands run in order, so the one that set it came first. The CPU has to set an event
 * before it submits the wait (VUID-vkSetEvent-event-09543). Any thread of the program calls the
 * entry points; the word is accessed by atomic operations.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_memory.h"
#include "util/u_atomic.h"
#include "vk_log.h"

struct sdvk_event {
   struct vk_object_base base;
   struct sdrm_bo *bo;
   uint32_t *map;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_event, base, VkEvent, VK_OBJECT_TYPE_EVENT)

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyEvent(VkDevice _device, VkEvent _event, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_event, event, _event);

   if (!event)
      return;
   sdvk_bo_free(device, event->bo);
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
   result = sdvk_bo_allocate(device, sizeof(*event->map), &event->bo);
   event->map = result == VK_SUCCESS ? sdrm_bo_map(event->bo) : NULL;
   if (!event->map) {
      sdvk_DestroyEvent(_device, sdvk_event_to_handle(event), pAllocator);
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   }
   *event->map = false;
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
   if (!p_atomic_read(event->map))
      return VK_EVENT_RESET;
   sdvk_host_imports_look(device);
   return VK_EVENT_SET;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_SetEvent(VkDevice _device, VkEvent _event)
{
   VK_FROM_HANDLE(sdvk_event, event, _event);

   p_atomic_set(event->map, true);
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_ResetEvent(VkDevice _device, VkEvent _event)
{
   VK_FROM_HANDLE(sdvk_event, event, _event);

   p_atomic_set(event->map, false);
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
      .dst = {sdrm_bo_mem(event->bo), 0, sizeof(*event->map)},
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

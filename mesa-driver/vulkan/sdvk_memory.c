/* SPDX-License-Identifier: MIT */
#include "sdvk_memory.h"

#include <errno.h>

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "vk_log.h"

static VkResult
alloc_result(struct sdvk_device *device, int ret)
{
   if (!ret)
      return VK_SUCCESS;
   return vk_error(device, ret == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY
                                          : VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

static VkResult
allocate(struct sdvk_device *device, struct sdvk_memory *memory)
{
   int ret = sundog_bo_new_private(device->dev, memory->vk.size, &memory->bo);

   if (ret)
      return alloc_result(device, ret);
   ret = sundog_reslist_set(device->memory, memory->bo, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   if (ret)
      sundog_bo_del(memory->bo);
   return alloc_result(device, ret);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_AllocateMemory(VkDevice _device, const VkMemoryAllocateInfo *pAllocateInfo,
                    const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_memory *memory =
      vk_device_memory_create(&device->vk, pAllocateInfo, pAllocator, sizeof(*memory));
   VkResult result;

   if (!memory)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = allocate(device, memory);
   if (result != VK_SUCCESS) {
      vk_device_memory_destroy(&device->vk, pAllocator, &memory->vk);
      return result;
   }
   *pMemory = sdvk_memory_to_handle(memory);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_FreeMemory(VkDevice _device, VkDeviceMemory _memory, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_memory, memory, _memory);

   if (!memory)
      return;
   /* Packets that make images in it find it listed for the last time. */
   if (sdvk_queue_submit_pending(device) != VK_SUCCESS)
      vk_device_set_lost(&device->vk, "objects in memory that is freed cannot be made");
   sundog_reslist_set(device->memory, memory->bo, 0);
   sundog_bo_del(memory->bo);
   vk_device_memory_destroy(&device->vk, pAllocator, &memory->vk);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_MapMemory2KHR(VkDevice _device, const VkMemoryMapInfoKHR *pMemoryMapInfo, void **ppData)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_memory, memory, pMemoryMapInfo->memory);
   char *map = sundog_bo_map(memory->bo);

   if (!map)
      return vk_error(device, VK_ERROR_MEMORY_MAP_FAILED);
   *ppData = map + pMemoryMapInfo->offset;
   return VK_SUCCESS;
}

/* The mapping stays as long as the memory. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_UnmapMemory2KHR(VkDevice _device, const VkMemoryUnmapInfoKHR *pMemoryUnmapInfo)
{
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_FlushMappedMemoryRanges(VkDevice _device, uint32_t count, const VkMappedMemoryRange *ranges)
{
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_InvalidateMappedMemoryRanges(VkDevice _device, uint32_t count,
                                  const VkMappedMemoryRange *ranges)
{
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceMemoryCommitment(VkDevice _device, VkDeviceMemory _memory, VkDeviceSize *pCommitted)
{
   VK_FROM_HANDLE(sdvk_memory, memory, _memory);

   *pCommitted = memory->vk.size;
}

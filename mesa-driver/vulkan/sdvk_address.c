/* SPDX-License-Identifier: MIT */
/*
 * Device addresses: see sdvk_address.h. Any thread of the program calls this; sdvk_addresses::lock
 * guards the heap.
 */
#include "sdvk_address.h"

#include "sdvk_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "vk_log.h"
#include "vk_util.h"

/* Alignment of each allocation, which suits any data at offset 0 of memory. */
#define ALIGNMENT SUNDOG_MIN_ADDRESS

void
sdvk_addresses_init(struct sdvk_addresses *addresses)
{
   simple_mtx_init(&addresses->lock, mtx_plain);
   util_vma_heap_init(&addresses->heap, SUNDOG_MIN_ADDRESS,
                      (1ull << SUNDOG_ADDRESS_BITS) - SUNDOG_MIN_ADDRESS);
}

void
sdvk_addresses_fini(struct sdvk_addresses *addresses)
{
   util_vma_heap_finish(&addresses->heap);
   simple_mtx_destroy(&addresses->lock);
}

static uint64_t
room_for(uint64_t size)
{
   return align64(size, ALIGNMENT);
}

/*
 * Allocates an address, or the @captured one; 0: none. Capture-replay memory is allocated from the
 * low end of the heap and other memory from the high end, so that replayed addresses are not in
 * use.
 */
static uint64_t
choose(struct sdvk_addresses *addresses, uint64_t size, bool replayable, uint64_t captured)
{
   uint64_t address;

   simple_mtx_lock(&addresses->lock);
   addresses->heap.alloc_high = !replayable;
   if (!captured)
      address = util_vma_heap_alloc(&addresses->heap, room_for(size), ALIGNMENT);
   else
      address = util_vma_heap_alloc_addr(&addresses->heap, captured, room_for(size)) ? captured : 0;
   simple_mtx_unlock(&addresses->lock);
   return address;
}

static bool
is_possible(uint64_t size, uint64_t address)
{
   const uint64_t end = 1ull << SUNDOG_ADDRESS_BITS;

   return address >= SUNDOG_MIN_ADDRESS && address % ALIGNMENT == 0 && address < end &&
          room_for(size) <= end - address;
}

VkResult
sdvk_address_reserve(struct sdvk_device *device, uint64_t size, bool replayable, uint64_t captured,
                     uint64_t *address)
{
   *address = !captured || is_possible(size, captured)
                 ? choose(&device->addresses, size, replayable, captured)
                 : 0;
   if (!*address)
      return vk_error(device, captured ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS
                                       : VK_ERROR_OUT_OF_DEVICE_MEMORY);
   return VK_SUCCESS;
}

void
sdvk_address_release(struct sdvk_device *device, uint64_t address, uint64_t size)
{
   simple_mtx_lock(&device->addresses.lock);
   util_vma_heap_free(&device->addresses.heap, address, room_for(size));
   simple_mtx_unlock(&device->addresses.lock);
}

VkResult
sdvk_address_map(struct sdvk_device *device, struct sdvk_memory *memory,
                 const VkMemoryAllocateInfo *info)
{
   const VkMemoryOpaqueCaptureAddressAllocateInfo *opaque =
      vk_find_struct_const(info->pNext, MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
   struct sundog_cmd_map_address cmd = {.mem = sdrm_bo_mem(memory->bo)};
   VkResult result;

   /* Acceleration structures need addresses, whether the application asks for them or not. */
   if (!(memory->vk.alloc_flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) &&
       !device->vk.enabled_features.accelerationStructure)
      return VK_SUCCESS;
   result = sdvk_address_reserve(
      device, sdrm_bo_size(memory->bo),
      memory->vk.alloc_flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
      opaque ? opaque->opaqueCaptureAddress : 0, &memory->address);
   if (result != VK_SUCCESS)
      return result;
   cmd.address = memory->address;
   sundog_emit_map_address(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
   sdvk_object_end(device);
   return VK_SUCCESS;
}

void
sdvk_address_unmap(struct sdvk_device *device, const struct sdvk_memory *memory)
{
   const struct sundog_cmd_unmap_address cmd = {.address = memory->address};

   if (!memory->address)
      return;
   sundog_emit_unmap_address(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
   sdvk_object_end(device);
   sdvk_address_release(device, memory->address, sdrm_bo_size(memory->bo));
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL
sdvk_GetBufferDeviceAddress(VkDevice _device, const VkBufferDeviceAddressInfo *pInfo)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, pInfo->buffer);

   return buffer->address;
}

VKAPI_ATTR uint64_t VKAPI_CALL
sdvk_GetBufferOpaqueCaptureAddress(VkDevice _device, const VkBufferDeviceAddressInfo *pInfo)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, pInfo->buffer);

   return buffer->address;
}

VKAPI_ATTR uint64_t VKAPI_CALL
sdvk_GetDeviceMemoryOpaqueCaptureAddress(VkDevice _device,
                                         const VkDeviceMemoryOpaqueCaptureAddressInfo *pInfo)
{
   VK_FROM_HANDLE(sdvk_memory, memory, pInfo->memory);

   return memory->address;
}

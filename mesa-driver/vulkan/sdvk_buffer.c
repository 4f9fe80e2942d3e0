/* SPDX-License-Identifier: MIT */
/*
 * VkBuffer: creation, memory requirements, and binding to device memory. Any thread of the program
 * calls the entry points; a buffer does not change after it is bound.
 */
#include "sdvk_buffer.h"

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_host_memory.h"
#include "sdvk_physical_device.h"
#include "util/u_math.h"
#include "vk_log.h"
#include "vk_util.h"

static bool
is_external_host(const VkBufferCreateInfo *info)
{
   const VkExternalMemoryBufferCreateInfo *external =
      vk_find_struct_const(info->pNext, EXTERNAL_MEMORY_BUFFER_CREATE_INFO);

   return external &&
          (external->handleTypes & VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
}

static bool
is_sparse(const VkBufferCreateInfo *info)
{
   return info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
}

static VkResult
init_sparse(struct sdvk_device *device, struct sdvk_buffer *buffer, const VkBufferCreateInfo *info)
{
   const VkBufferOpaqueCaptureAddressCreateInfo *opaque =
      vk_find_struct_const(info->pNext, BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
   const struct sdvk_sparse_info sparse = {
      .size = align64(info->size, SDVK_SPARSE_ALIGN),
      .residency = info->flags & VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT,
      .replayable = info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
      .captured = opaque ? opaque->opaqueCaptureAddress : 0,
   };
   VkResult result;

   if (!is_sparse(info))
      return VK_SUCCESS;
   result = sdvk_sparse_init(device, &buffer->sparse, &sparse);
   buffer->mem = sdvk_sparse_mem(&buffer->sparse);
   buffer->address = buffer->sparse.address;
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateBuffer(VkDevice _device, const VkBufferCreateInfo *pCreateInfo,
                  const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_buffer *buffer =
      vk_buffer_create(&device->vk, pCreateInfo, pAllocator, sizeof(*buffer));
   VkResult result;

   if (!buffer)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = init_sparse(device, buffer, pCreateInfo);
   if (result != VK_SUCCESS) {
      vk_buffer_destroy(&device->vk, pAllocator, &buffer->vk);
      return result;
   }
   buffer->external_host = is_external_host(pCreateInfo);
   *pBuffer = sdvk_buffer_to_handle(buffer);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyBuffer(VkDevice _device, VkBuffer _buffer, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);

   if (!buffer)
      return;
   sdvk_sparse_fini(device, &buffer->sparse);
   vk_buffer_destroy(&device->vk, pAllocator, &buffer->vk);
}

/*
 * Returns the alignment of buffers in memory, which meets the alignment of each usage but for that
 * of acceleration structures, whose addresses are multiples of 256
 * (vkGetAccelerationStructureDeviceAddressKHR()).
 */
static uint64_t
alignment(const struct sundog_caps *caps, VkBufferUsageFlags2 usage)
{
   if (usage & VK_BUFFER_USAGE_2_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR)
      return 256;
   return MAX2(MAX3(caps->min_ubo_align, caps->min_ssbo_align, caps->min_texel_align), 64);
}

static VkBufferUsageFlags2
usage_of(const VkBufferCreateInfo *info)
{
   const VkBufferUsageFlags2CreateInfo *flags =
      vk_find_struct_const(info->pNext, BUFFER_USAGE_FLAGS_2_CREATE_INFO);

   return flags ? flags->usage : info->usage;
}

static void
memory_requirements(const struct sdvk_device *device, uint64_t size, VkBufferUsageFlags2 usage,
                    bool sparse, bool external_host, VkMemoryRequirements2 *out)
{
   const uint64_t align =
      sparse ? SDVK_SPARSE_ALIGN : alignment(&sdvk_device_physical(device)->caps, usage);
   VkMemoryDedicatedRequirements *dedicated =
      vk_find_struct(out->pNext, MEMORY_DEDICATED_REQUIREMENTS);

   out->memoryRequirements = (VkMemoryRequirements){
      .size = align64(size, align),
      .alignment = align,
      .memoryTypeBits =
         1 << SDVK_MEMORY_TYPE | (external_host && !sparse) << SDVK_HOST_MEMORY_TYPE,
   };
   if (dedicated)
      dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = false;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceBufferMemoryRequirements(VkDevice _device,
                                       const VkDeviceBufferMemoryRequirements *pInfo,
                                       VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   memory_requirements(device, pInfo->pCreateInfo->size, usage_of(pInfo->pCreateInfo),
                       is_sparse(pInfo->pCreateInfo), is_external_host(pInfo->pCreateInfo),
                       pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetBufferMemoryRequirements2(VkDevice _device, const VkBufferMemoryRequirementsInfo2 *pInfo,
                                  VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_buffer, buffer, pInfo->buffer);

   memory_requirements(device, buffer->vk.size, buffer->vk.usage, buffer->sparse.id,
                       buffer->external_host, pMemoryRequirements);
}

/*
 * Returns true if only copies use the buffer. Command buffers record copies that use an import
 * (sdvk_cmd_use_host()); buffers with other usage mark the import as used by each submission.
 */
static bool
is_for_copies(const struct sdvk_buffer *buffer)
{
   return !(buffer->vk.usage &
            ~(VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT_KHR | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR));
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_BindBufferMemory2(VkDevice _device, uint32_t bindInfoCount,
                       const VkBindBufferMemoryInfo *pBindInfos)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   for (uint32_t i = 0; i < bindInfoCount; i++) {
      VK_FROM_HANDLE(sdvk_buffer, buffer, pBindInfos[i].buffer);
      VK_FROM_HANDLE(sdvk_memory, memory, pBindInfos[i].memory);

      buffer->mem = sdrm_bo_mem(memory->bo);
      buffer->offset = pBindInfos[i].memoryOffset;
      buffer->address = memory->address ? memory->address + buffer->offset : 0;
      buffer->import = memory->import;
      if (memory->import && !is_for_copies(buffer))
         sdvk_host_import_use_all(device, memory->import);
      sdvk_memory_tell_bound(pBindInfos[i].pNext, VK_SUCCESS);
   }
   return VK_SUCCESS;
}

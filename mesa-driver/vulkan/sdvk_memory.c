/* SPDX-License-Identifier: MIT */
/*
 * VkDeviceMemory: allocation, import, export, mapping; and the device's residency list. Any thread
 * of the program calls the entry points; listed_lock guards the residency list.
 */
#include "sdvk_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_host_memory.h"
#include "sdvk_pending.h"
#include "sdvk_physical_device.h"
#include "sdvk_sparse.h"
#include "util/hash_table.h"
#include "util/u_atomic.h"
#include "vk_log.h"
#include "vk_util.h"

static VkResult
alloc_result(struct sdvk_device *device, int ret)
{
   if (!ret)
      return VK_SUCCESS;
   return vk_error(device, ret == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY
                                          : VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

/*
 * The residency list. An allocation may be imported several times, and stays listed until the last
 * import is freed. Each submission needs all that is listed in VRAM at the same time, except for
 * memory of other drivers.
 */

static uint64_t
list_key(const struct sdrm_bo *bo)
{
   const struct sundog_mem mem = sdrm_bo_mem(bo);

   return (uint64_t)mem.kres << 32 | mem.index;
}

/* The BO of an allocation that is on the list; imports of the same allocation are not. */
struct listed {
   struct sdrm_bo *bo;
   uint64_t vram;    /* bytes of VRAM that it needs */
   uint32_t imports; /* BOs of the allocation, this one included */
};

static int
list_first(struct sdvk_device *device, struct sdrm_bo *bo, uint64_t vram)
{
   const uint64_t heap = sdvk_physical_device_heap_size(sdvk_device_physical(device));
   struct listed *listed;
   int ret;

   if (device->listed_vram + vram > heap)
      return -ENOSPC;
   listed = malloc(sizeof(*listed));
   if (!listed)
      return -ENOMEM;
   *listed = (struct listed){bo, vram, 1};
   ret = sdrm_reslist_set(device->memory, bo, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   if (ret) {
      free(listed);
      return ret;
   }
   device->listed_vram += vram;
   _mesa_hash_table_u64_insert(device->listed, list_key(bo), listed);
   return 0;
}

static int
list(struct sdvk_device *device, struct sdrm_bo *bo, uint64_t vram)
{
   struct listed *listed;
   int ret = 0;

   simple_mtx_lock(&device->listed_lock);
   listed = _mesa_hash_table_u64_search(device->listed, list_key(bo));
   if (listed)
      listed->imports++;
   else
      ret = list_first(device, bo, vram);
   simple_mtx_unlock(&device->listed_lock);
   return ret;
}

/* Returns true if no import of the allocation is left. */
static bool
unlist(struct sdvk_device *device, struct sdrm_bo *bo)
{
   struct listed *listed;
   bool last;

   simple_mtx_lock(&device->listed_lock);
   listed = _mesa_hash_table_u64_search(device->listed, list_key(bo));
   last = !--listed->imports;
   if (last) {
      _mesa_hash_table_u64_remove(device->listed, list_key(bo));
      sdrm_reslist_set(device->memory, listed->bo, 0);
      device->listed_vram -= listed->vram;
      free(listed);
   }
   simple_mtx_unlock(&device->listed_lock);
   return last;
}

VkResult
sdvk_bo_allocate(struct sdvk_device *device, uint64_t size, struct sdrm_bo **out)
{
   struct sdrm_bo *bo;
   int ret = sdrm_bo_new_private(device->dev, size, &bo);

   if (ret)
      return alloc_result(device, ret);
   ret = list(device, bo, sdrm_bo_size(bo));
   if (ret)
      sdrm_bo_del(bo);
   else
      *out = bo;
   return alloc_result(device, ret);
}

/* A BO, and the shared resource that owns it; NULL: none does. */
struct owned {
   struct sdrm_bo *bo;
   struct sdrm_resource *resource;
};

static void
del(struct owned owned)
{
   if (owned.resource)
      sdrm_resource_del(owned.resource);
   else
      sdrm_bo_del(owned.bo);
}

/*
 * Frees the BO. Pending packets may create images in it, and are submitted before it leaves the
 * list. If VRAM has no room for that, the packets that name the BO are removed instead, since the
 * program frees memory to make room.
 */
static void
end(struct sdvk_device *device, struct owned owned)
{
   const struct sundog_mem mem = sdrm_bo_mem(owned.bo);
   bool ok = true;

   sdvk_queue_submit_pending(device, NULL);
   /* No submission in between has packets that name memory which is not on the list. */
   simple_mtx_lock(&device->objects.lock);
   if (unlist(device, owned.bo))
      ok = sdvk_pending_strip(&device->objects, &mem);
   simple_mtx_unlock(&device->objects.lock);
   if (!ok)
      vk_device_set_lost(&device->vk, "packets of memory that is freed cannot be removed");
   del(owned);
}

void
sdvk_bo_free(struct sdvk_device *device, struct sdrm_bo *bo)
{
   if (bo)
      end(device, (struct owned){.bo = bo});
}

/* Memory */

static void
free_memory(struct sdvk_memory *memory)
{
   del((struct owned){memory->bo, memory->resource});
}

/* Allocates memory that other processes and devices may import. */
static VkResult
allocate_shared(struct sdvk_device *device, struct sdvk_memory *memory)
{
   int ret = sdrm_resource_new(device->dev, SDRM_RESOURCE_SHARED, &memory->vk.size, 1, NULL, 0,
                               &memory->resource);

   if (ret)
      return alloc_result(device, ret);
   memory->bo = sdrm_resource_bo(memory->resource, 0);
   ret = list(device, memory->bo, sdrm_bo_size(memory->bo));
   if (ret)
      free_memory(memory);
   return alloc_result(device, ret);
}

/*
 * Imports an allocation of a shared resource, or a BO without an owner, as those of other drivers
 * are.
 */
static int
open_fd(struct sdvk_device *device, struct sdvk_memory *memory, int fd)
{
   uint32_t index;
   int ret = sdrm_resource_open(device->dev, fd, &index, &memory->resource);

   if (!ret) {
      memory->bo = sdrm_resource_bo(memory->resource, index);
      return 0;
   }
   memory->resource = NULL;
   if (ret == -ENOMEM)
      return ret;
   return sdrm_bo_import(device->dev, fd, &memory->bo);
}

static VkResult
open_result(struct sdvk_device *device, int fd, int ret)
{
   if (ret == -ENOMEM || ret == -ENOSPC || ret == -EDQUOT)
      return alloc_result(device, ret);
   return vk_errorf(device, VK_ERROR_INVALID_EXTERNAL_HANDLE,
                    "cannot import memory of file descriptor %d: %s", fd, strerror(-ret));
}

static VkResult
import(struct sdvk_device *device, struct sdvk_memory *memory, int fd)
{
   int ret = open_fd(device, memory, fd);

   if (ret)
      return open_result(device, fd, ret);
   if (sdrm_bo_size(memory->bo) < memory->vk.size) {
      free_memory(memory);
      return vk_errorf(device, VK_ERROR_INVALID_EXTERNAL_HANDLE,
                       "imported memory has %" PRIu64 " bytes, allocationSize is %" PRIu64,
                       sdrm_bo_size(memory->bo), memory->vk.size);
   }
   ret = list(device, memory->bo, memory->resource ? sdrm_bo_size(memory->bo) : 0);
   if (ret) {
      free_memory(memory);
      return alloc_result(device, ret);
   }
   /* A successful import takes over the file descriptor (Vulkan 1.4, VkImportMemoryFdInfoKHR). */
   close(fd);
   return VK_SUCCESS;
}

/* Handle types of host pointers, of which the driver imports the first. */
#define HOST_TYPES                                                                                 \
   (VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT |                                       \
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT)

static VkResult
allocate(struct sdvk_device *device, struct sdvk_memory *memory, const VkMemoryAllocateInfo *info)
{
   const VkImportMemoryFdInfoKHR *import_info =
      vk_find_struct_const(info->pNext, IMPORT_MEMORY_FD_INFO_KHR);

   if (memory->vk.import_handle_type & HOST_TYPES)
      return sdvk_host_import(device, memory);
   if (import_info && import_info->handleType)
      return import(device, memory, import_info->fd);
   if (memory->vk.export_handle_types)
      return allocate_shared(device, memory);
   return sdvk_bo_allocate(device, memory->vk.size, &memory->bo);
}

/* Allocates memory, and maps it at a device address. */
static VkResult
allocate_mapped(struct sdvk_device *device, struct sdvk_memory *memory,
                const VkMemoryAllocateInfo *info)
{
   VkResult result = allocate(device, memory, info);

   if (result != VK_SUCCESS)
      return result;
   result = sdvk_address_map(device, memory, info);
   if (result != VK_SUCCESS) {
      sdvk_host_import_del(device, memory->import);
      unlist(device, memory->bo);
      free_memory(memory);
   }
   return result;
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
   list_inithead(&memory->pieces);
   result = allocate_mapped(device, memory, pAllocateInfo);
   if (result != VK_SUCCESS) {
      vk_device_memory_destroy(&device->vk, pAllocator, &memory->vk);
      return result;
   }
   p_atomic_add(&sdvk_device_physical(device)->allocated, memory->vk.size);
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
   p_atomic_add(&sdvk_device_physical(device)->allocated, -memory->vk.size);
   sdvk_host_import_del(device, memory->import);
   sdvk_address_unmap(device, memory);
   sdvk_sparse_forget(device, memory);
   end(device, (struct owned){memory->bo, memory->resource});
   vk_device_memory_destroy(&device->vk, pAllocator, &memory->vk);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetMemoryFdKHR(VkDevice _device, const VkMemoryGetFdInfoKHR *pGetFdInfo, int *pFd)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_memory, memory, pGetFdInfo->memory);
   int fd = sdrm_bo_export(memory->bo);

   if (fd < 0)
      return vk_errorf(device, VK_ERROR_TOO_MANY_OBJECTS, "cannot export memory of %" PRIu64
                       " bytes: %s", memory->vk.size, strerror(-fd));
   *pFd = fd;
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetMemoryFdPropertiesKHR(VkDevice _device, VkExternalMemoryHandleTypeFlagBits handleType,
                              int fd, VkMemoryFdPropertiesKHR *pMemoryFdProperties)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_memory memory = {0};
   int ret = handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
                ? open_fd(device, &memory, fd)
                : -EINVAL;

   /* The only shortage that the specification lets this function report is one of the host. */
   if (ret == -ENOSPC || ret == -EDQUOT)
      ret = -ENOMEM;
   if (ret)
      return open_result(device, fd, ret);
   free_memory(&memory);
   pMemoryFdProperties->memoryTypeBits = 1 << SDVK_MEMORY_TYPE;
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_MapMemory2KHR(VkDevice _device, const VkMemoryMapInfoKHR *pMemoryMapInfo, void **ppData)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_memory, memory, pMemoryMapInfo->memory);
   char *map = memory->import ? sdvk_host_pointer(memory->import) : sdrm_bo_map(memory->bo);

   if (!map)
      return vk_error(device, VK_ERROR_MEMORY_MAP_FAILED);
   *ppData = map + pMemoryMapInfo->offset;
   return VK_SUCCESS;
}

/* The BO stays mapped until it is freed. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_UnmapMemory2KHR(VkDevice _device, const VkMemoryUnmapInfoKHR *pMemoryUnmapInfo)
{
   return VK_SUCCESS;
}

/* Returns the bytes of @range, which may be VK_WHOLE_SIZE, within @memory. */
static uint64_t
range_size(const struct sdvk_memory *memory, const VkMappedMemoryRange *range)
{
   return MIN2(range->size, memory->vk.size - MIN2(range->offset, memory->vk.size));
}

/* Imports of host pointers are the only memory that is not coherent. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_FlushMappedMemoryRanges(VkDevice _device, uint32_t count, const VkMappedMemoryRange *ranges)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   for (uint32_t i = 0; i < count; i++) {
      VK_FROM_HANDLE(sdvk_memory, memory, ranges[i].memory);

      if (memory->import)
         sdvk_host_import_flush(device, memory->import, ranges[i].offset,
                                range_size(memory, &ranges[i]));
   }
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_InvalidateMappedMemoryRanges(VkDevice _device, uint32_t count,
                                  const VkMappedMemoryRange *ranges)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   for (uint32_t i = 0; i < count; i++) {
      VK_FROM_HANDLE(sdvk_memory, memory, ranges[i].memory);

      if (memory->import)
         sdvk_host_import_invalidate(device, memory->import, ranges[i].offset,
                                     range_size(memory, &ranges[i]));
   }
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceMemoryCommitment(VkDevice _device, VkDeviceMemory _memory, VkDeviceSize *pCommitted)
{
   VK_FROM_HANDLE(sdvk_memory, memory, _memory);

   *pCommitted = memory->vk.size;
}

/* The priority is ignored: memory stays where it is. */
VKAPI_ATTR void VKAPI_CALL
sdvk_SetDeviceMemoryPriorityEXT(VkDevice _device, VkDeviceMemory _memory, float priority)
{
}

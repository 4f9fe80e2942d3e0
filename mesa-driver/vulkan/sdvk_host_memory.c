/* SPDX-License-Identifier: MIT */
/*
 * Memory imported from host pointers: see sdvk_host_memory.h.
 *
 * Pages of the program have other data beside the import that other threads use, since an import
 * begins and ends at page boundaries and a program's array does not. So the driver writes only
 * bytes to the pages that the device changed: `last` has the bytes that pages and VRAM last had in
 * common, and a byte of VRAM that differs from it was written by the device. The driver also copies
 * only bytes of the pages to VRAM that differ from `last`, since a submission in flight may have
 * changed others there.
 *
 * A program may unmap the pages while the import exists, though Vulkan forbids it. The kernel
 * copies between the pages and a memfd, which fails where a load or a store would end the program.
 */
#include "sdvk_host_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "util/anon_file.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "vk_common_entrypoints.h"
#include "vk_log.h"

/* Linux 5.14; older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define CHUNK_SIZE (256 * 1024)
/* Runs of bytes that one call writes. */
#define MAX_RUNS 512

struct sdvk_host_import {
   struct list_head link;
   uint8_t *host; /* the program's pages */
   uint8_t *map;  /* the allocation in VRAM */
   uint64_t size;
   uint8_t *last; /* see the top of this file; NULL: the device never wrote */
   pid_t pid; /* process that imported it: a forked child has its own pages there, and no device */
   bool used_by_all;
   bool gone;                  /* the pages were unmapped */
   bool written;               /* VRAM may have bytes to be copied back */
   uint64_t submission;        /* number of the last submission that writes */
   struct sdrm_fence *fence; /* of that one, or of a later one; NULL: there is none */
};

void
sdvk_host_imports_init(struct sdvk_host_imports *imports)
{
   simple_mtx_init(&imports->lock, mtx_plain);
   list_inithead(&imports->list);
   imports->fd = -1;
}

void
sdvk_host_imports_fini(struct sdvk_host_imports *imports)
{
   if (imports->staging)
      munmap(imports->staging, CHUNK_SIZE);
   if (imports->fd >= 0)
      close(imports->fd);
   free(imports->chunk);
   simple_mtx_destroy(&imports->lock);
}

uint64_t
sdvk_host_alignment(void)
{
   return MAX2(sysconf(_SC_PAGESIZE), SUNDOG_PAGE_SIZE);
}

/* The caller holds the lock. */
static bool
make_staging(struct sdvk_host_imports *imports)
{
   if (imports->staging)
      return true;
   if (imports->fd < 0)
      imports->fd = os_create_anonymous_file(CHUNK_SIZE, "sundog host memory");
   if (!imports->chunk)
      imports->chunk = malloc(CHUNK_SIZE);
   if (imports->fd < 0 || !imports->chunk)
      return false;
   imports->staging = mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, imports->fd, 0);
   if (imports->staging != MAP_FAILED)
      return true;
   imports->staging = NULL;
   return false;
}

/* Copies. The caller holds the lock. */

static bool
is_reachable(const struct sdvk_host_import *import)
{
   return !import->gone && import->pid == getpid();
}

static void
lose(struct sdvk_host_import *import)
{
   import->gone = true;
   mesa_logw("sundog: host memory at %p (%" PRIu64 " bytes) was unmapped while Vulkan has it: "
             "free its VkDeviceMemory first", import->host, import->size);
}

/* Reads up to CHUNK_SIZE bytes of the pages to `staging`. Returns false if the pages are gone. */
static bool
read_pages(struct sdvk_host_imports *imports, struct sdvk_host_import *import, uint64_t offset,
           size_t size)
{
   if (pwrite(imports->fd, import->host + offset, size, 0) == (ssize_t)size)
      return true;
   lose(import);
   return false;
}

/*
 * Writes the first @size bytes of `staging` to @runs of the pages. Returns false if the pages are
 * gone.
 */
static bool
write_pages(struct sdvk_host_imports *imports, struct sdvk_host_import *import,
            const struct iovec *runs, uint32_t n_runs, size_t size)
{
   if (!n_runs || preadv(imports->fd, runs, n_runs, 0) == (ssize_t)size)
      return true;
   lose(import);
   return false;
}

/* Copies the bytes of `staging` that differ from @last to @map, and to @last. */
static void
merge(const uint8_t *staging, uint8_t *last, uint8_t *map, size_t size)
{
   if (!memcmp(staging, last, size))
      return;
   for (size_t i = 0; i < size; i++) {
      if (staging[i] != last[i])
         map[i] = last[i] = staging[i];
   }
}

static void
copy_to_vram(struct sdvk_host_imports *imports, struct sdvk_host_import *import, uint64_t offset,
             uint64_t size)
{
   const uint64_t end = offset + size;

   for (uint64_t at = offset; at < end && is_reachable(import); at += CHUNK_SIZE) {
      const size_t part = MIN2(end - at, CHUNK_SIZE);

      if (!read_pages(imports, import, at, part))
         return;
      if (import->last)
         merge(imports->staging, import->last + at, import->map + at, part);
      else
         memcpy(import->map + at, imports->staging, part);
   }
}

/* Works on a copy of the chunk, since the device may write to VRAM at the same time. */
static bool
copy_chunk_back(struct sdvk_host_imports *imports, struct sdvk_host_import *import, uint64_t at,
                size_t size)
{
   uint8_t *now = imports->chunk, *last = import->last + at;
   struct iovec runs[MAX_RUNS];
   uint32_t n_runs = 0;
   size_t used = 0;

   memcpy(now, import->map + at, size);
   if (!memcmp(now, last, size))
      return true;
   for (size_t i = 0; i < size;) {
      const size_t begin = i;

      while (i < size && now[i] != last[i])
         i++;
      if (i == begin) {
         i++;
         continue;
      }
      memcpy(imports->staging + used, now + begin, i - begin);
      runs[n_runs++] = (struct iovec){import->host + at + begin, i - begin};
      used += i - begin;
      if (n_runs < MAX_RUNS)
         continue;
      if (!write_pages(imports, import, runs, n_runs, used))
         return false;
      n_runs = used = 0;
   }
   memcpy(last, now, size);
   return write_pages(imports, import, runs, n_runs, used);
}

static void
copy_back(struct sdvk_host_imports *imports, struct sdvk_host_import *import, uint64_t offset,
          uint64_t size)
{
   const uint64_t end = offset + size;

   for (uint64_t at = offset; import->last && at < end && is_reachable(import); at += CHUNK_SIZE) {
      if (!copy_chunk_back(imports, import, at, MIN2(end - at, CHUNK_SIZE)))
         return;
   }
}

/* Imports */

/*
 * Returns true if the pages are mapped and the process may write to them; otherwise sets errno. The
 * kernel faults the pages in, which changes no byte.
 */
static bool
is_writable(VkExternalMemoryHandleTypeFlagBits type, const void *pointer, uint64_t size)
{
   if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT || !size ||
       (uintptr_t)pointer % sdvk_host_alignment() || size % sdvk_host_alignment()) {
      errno = EINVAL;
      return false;
   }
   return !madvise((void *)pointer, size, MADV_POPULATE_WRITE);
}

static struct sdvk_host_import *
import_new(struct sdvk_device *device, const struct sdvk_memory *memory)
{
   struct sdvk_host_imports *imports = &device->host_imports;
   struct sdvk_host_import *import = calloc(1, sizeof(*import));
   bool made;

   if (!import)
      return NULL;
   import->host = memory->vk.host_ptr;
   import->map = sdrm_bo_map(memory->bo);
   import->size = memory->vk.size;
   import->pid = getpid();
   simple_mtx_lock(&imports->lock);
   made = import->map && make_staging(imports);
   if (made) {
      list_addtail(&import->link, &imports->list);
      p_atomic_inc(&imports->count);
   }
   simple_mtx_unlock(&imports->lock);
   if (made)
      return import;
   free(import);
   return NULL;
}

VkResult
sdvk_host_import(struct sdvk_device *device, struct sdvk_memory *memory)
{
   VkResult result;

   if (!is_writable(memory->vk.import_handle_type, memory->vk.host_ptr, memory->vk.size))
      return vk_errorf(device, VK_ERROR_INVALID_EXTERNAL_HANDLE,
                       "host memory at %p (%" PRIu64 " bytes) is not writable: %s",
                       memory->vk.host_ptr, memory->vk.size, strerror(errno));
   result = sdvk_bo_allocate(device, memory->vk.size, &memory->bo);
   if (result != VK_SUCCESS)
      return result;
   memory->import = import_new(device, memory);
   if (memory->import)
      return VK_SUCCESS;
   sdvk_bo_free(device, memory->bo);
   memory->bo = NULL;
   return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
}

/*
 * Drops writes of the device that the program did not wait for: the pages may have another use by
 * now.
 */
void
sdvk_host_import_del(struct sdvk_device *device, struct sdvk_host_import *import)
{
   struct sdvk_host_imports *imports = &device->host_imports;

   if (!import)
      return;
   simple_mtx_lock(&imports->lock);
   list_del(&import->link);
   p_atomic_dec(&imports->count);
   simple_mtx_unlock(&imports->lock);
   sdrm_fence_del(import->fence);
   free(import->last);
   free(import);
}

void *
sdvk_host_pointer(const struct sdvk_host_import *import)
{
   return import->host;
}

void
sdvk_host_import_use_all(struct sdvk_device *device, struct sdvk_host_import *import)
{
   simple_mtx_lock(&device->host_imports.lock);
   import->used_by_all = true;
   simple_mtx_unlock(&device->host_imports.lock);
}

void
sdvk_host_import_flush(struct sdvk_device *device, struct sdvk_host_import *import, uint64_t offset,
                       uint64_t size)
{
   simple_mtx_lock(&device->host_imports.lock);
   copy_to_vram(&device->host_imports, import, offset, size);
   simple_mtx_unlock(&device->host_imports.lock);
}

void
sdvk_host_import_invalidate(struct sdvk_device *device, struct sdvk_host_import *import,
                            uint64_t offset, uint64_t size)
{
   simple_mtx_lock(&device->host_imports.lock);
   copy_back(&device->host_imports, import, offset, size);
   simple_mtx_unlock(&device->host_imports.lock);
}

/* Submissions */

void
sdvk_cmd_use_host(struct sdvk_cmd_buffer *cmd, struct sdvk_host_import *import, bool written)
{
   struct sdvk_host_use *added;

   util_dynarray_foreach(&cmd->host_uses, struct sdvk_host_use, use) {
      if (use->import == import) {
         use->written |= written;
         return;
      }
   }
   added = sdvk_cmd_grow(cmd, &cmd->host_uses, 1, sizeof(*added));
   if (added)
      *added = (struct sdvk_host_use){import, written};
}

/*
 * Allocates `last` for the first submission that writes: until then VRAM has the bytes that were
 * last read from the pages.
 */
static bool
prepare(struct sdvk_host_imports *imports, struct sdvk_host_import *import, bool written)
{
   copy_to_vram(imports, import, 0, import->size);
   if (!written || !is_reachable(import))
      return true;
   if (!import->last) {
      import->last = malloc(import->size);
      if (!import->last)
         return false;
      memcpy(import->last, import->map, import->size);
   }
   import->written = true;
   import->submission = imports->n_submissions;
   return true;
}

VkResult
sdvk_host_imports_begin(struct sdvk_device *device, struct vk_command_buffer *const *cmds,
                        uint32_t n_cmds, uint64_t *submission)
{
   struct sdvk_host_imports *imports = &device->host_imports;
   bool prepared = true;

   simple_mtx_lock(&imports->lock);
   *submission = ++imports->n_submissions;
   for (uint32_t i = 0; i < n_cmds; i++) {
      util_dynarray_foreach(&sdvk_cmd_buffer(cmds[i])->host_uses, struct sdvk_host_use, use)
         prepared = prepared && prepare(imports, use->import, use->written);
   }
   list_for_each_entry(struct sdvk_host_import, import, &imports->list, link) {
      if (import->used_by_all && n_cmds)
         prepared = prepared && prepare(imports, import, true);
   }
   imports->submitting += prepared;
   simple_mtx_unlock(&imports->lock);
   return prepared ? VK_SUCCESS : vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
}

/*
 * The program may know already that the submission is done, and may have freed its command buffers
 * and imports (VUID-vkFreeMemory-memory-00677), so this function reads no command buffer. An import
 * that only a later submission writes gets the fence as well, until that one has its own.
 */
void
sdvk_host_imports_end(struct sdvk_device *device, uint64_t submission, struct sdrm_fence *fence)
{
   struct sdvk_host_imports *imports = &device->host_imports;

   simple_mtx_lock(&imports->lock);
   imports->submitting--;
   list_for_each_entry(struct sdvk_host_import, import, &imports->list, link) {
      if (!fence || !import->written || import->submission < submission)
         continue;
      sdrm_fence_del(import->fence);
      import->fence = sdrm_fence_ref(fence);
   }
   simple_mtx_unlock(&imports->lock);
}

/* Returns true if all submissions that write to @import are done. */
static bool
is_done(const struct sdvk_host_imports *imports, const struct sdvk_host_import *import)
{
   return !imports->submitting && (!import->fence || !sdrm_fence_wait(import->fence, 0));
}

/*
 * Returns the lowest submission number after @submission that is the last writer of an import; 0:
 * none.
 */
static uint64_t
next_writer(const struct sdvk_host_imports *imports, uint64_t submission)
{
   uint64_t next = 0;

   list_for_each_entry(struct sdvk_host_import, import, &imports->list, link) {
      if (import->written && import->submission > submission &&
          (!next || import->submission < next))
         next = import->submission;
   }
   return next;
}

static void
look_at(struct sdvk_host_imports *imports, struct sdvk_host_import *import)
{
   /* Before the copy, which misses what the device writes afterwards. */
   const bool done = is_done(imports, import);

   copy_back(imports, import, 0, import->size);
   import->written = !done;
}

/*
 * Copies imports in the order of their last submissions: several may have the same pages, and the
 * bytes of the last one have to stay.
 */
void
sdvk_host_imports_look(struct sdvk_device *device)
{
   struct sdvk_host_imports *imports = &device->host_imports;
   uint64_t submission = 0;

   if (!p_atomic_read(&imports->count))
      return;
   simple_mtx_lock(&imports->lock);
   while ((submission = next_writer(imports, submission))) {
      list_for_each_entry(struct sdvk_host_import, import, &imports->list, link) {
         if (import->written && import->submission == submission)
            look_at(imports, import);
      }
   }
   simple_mtx_unlock(&imports->lock);
}

/*
 * Entry points: host pointer properties, and the calls that report finished work, but for events
 * (sdvk_event.c)
 */

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetMemoryHostPointerPropertiesEXT(VkDevice _device,
                                       VkExternalMemoryHandleTypeFlagBits handleType,
                                       const void *pHostPointer,
                                       VkMemoryHostPointerPropertiesEXT *pProperties)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   const bool possible = is_writable(handleType, pHostPointer, sdvk_host_alignment());

   pProperties->memoryTypeBits = possible ? 1 << SDVK_HOST_MEMORY_TYPE : 0;
   return possible ? VK_SUCCESS : vk_error(device, VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

static VkResult
look_after(VkDevice _device, VkResult result)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   if (result == VK_SUCCESS)
      sdvk_host_imports_look(device);
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll,
                   uint64_t timeout)
{
   return look_after(device,
                     vk_common_WaitForFences(device, fenceCount, pFences, waitAll, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetFenceStatus(VkDevice device, VkFence fence)
{
   return look_after(device, vk_common_GetFenceStatus(device, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo, uint64_t timeout)
{
   return look_after(device, vk_common_WaitSemaphores(device, pWaitInfo, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *pValue)
{
   return look_after(device, vk_common_GetSemaphoreCounterValue(device, semaphore, pValue));
}

/* vkDeviceWaitIdle() calls this, too. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_QueueWaitIdle(VkQueue _queue)
{
   VK_FROM_HANDLE(vk_queue, queue, _queue);

   return look_after(vk_device_to_handle(queue->base.device), vk_common_QueueWaitIdle(_queue));
}

/* SPDX-License-Identifier: MIT */
/*
 * VkQueue: submissions of command buffers and of pending packets, with their waits and signals.
 * Mesa's runtime calls driver_submit() on one thread at a time, and any thread submits pending
 * packets; sdvk_objects::lock guards the stream.
 */
#include "sdvk_queue.h"

#include <errno.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_fault.h"
#include "sdvk_pending.h"
#include "sdvk_physical_device.h"
#include "sdvk_sparse.h"
#include "sdvk_sync.h"
#include "vk_alloc.h"
#include "vk_drm_syncobj.h"
#include "vk_log.h"
#include "vk_util.h"

static const struct sdvk_stream no_packets;

static void
copy_packets(struct sundog_stream *to, const struct sdvk_stream *from, uint32_t dwords)
{
   /* queue_stream() reserved the length of all of them. */
   assert(to->size - to->used >= dwords);
   if (dwords)
      memcpy(to->map + to->used, from->packets.map, dwords * 4);
   to->used += dwords;
}

static VkResult
to_result(struct sdvk_device *device, int ret)
{
   switch (ret) {
   case 0:
      return VK_SUCCESS;
   case -EIO:
   case -ENODEV:
      return sdvk_device_lost(device);
   case -ENOMEM:
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   case -ENOSPC:
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "cannot submit: all memory of the device has to be in VRAM at the same"
                       " time, and VRAM has %" PRIu64 " MiB: raise vram=",
                       sdrm_device_vram_size(device->dev) >> 20);
   default:
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "cannot submit: %s", strerror(-ret));
   }
}

/*
 * Submits the first @n_pending dwords of pending packets, the packets of @binds, and @n_cmds
 * command buffers.
 */
static VkResult
queue_stream(struct sdvk_device *device, const struct sdrm_syncs *syncs, uint32_t n_pending,
             const struct sdvk_stream *binds, struct vk_command_buffer *const *cmds,
             uint32_t n_cmds, struct sdrm_fence **fence)
{
   struct sdrm_submit *submit = device->queue.submit;
   struct sundog_stream *stream = sdrm_submit_stream(submit);
   uint64_t dwords = (uint64_t)n_pending + binds->packets.used;
   int ret;

   for (uint32_t i = 0; i < n_cmds; i++)
      dwords += sdvk_cmd_buffer(cmds[i])->stream.packets.used;
   if (dwords > SUNDOG_MAX_STREAM_DWORDS)
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "a submission of %" PRIu64 " dwords, at most %u: submit it in parts", dwords,
                       SUNDOG_MAX_STREAM_DWORDS);
   if (sdrm_submit_reserve(submit, MAX2(dwords, 1)))
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   copy_packets(stream, &device->objects.pending, n_pending);
   copy_packets(stream, binds, binds->packets.used);
   for (uint32_t i = 0; i < n_cmds; i++) {
      const struct sdvk_stream *packets = &sdvk_cmd_buffer(cmds[i])->stream;

      copy_packets(stream, packets, packets->packets.used);
   }
   ret = sdrm_submit_flush_syncs(submit, syncs, fence);
   if (ret)
      return to_result(device, ret);
   sdvk_objects_queued(device, n_pending, *fence);
   return VK_SUCCESS;
}

/*
 * Submits many pending packets in parts. At most twice SDVK_PENDING_DWORDS are left, or one packet.
 * Packets collect if VRAM has no room for submissions.
 */
static VkResult
submit_many_pending(struct sdvk_device *device)
{
   const struct sdvk_stream *pending = &device->objects.pending;
   const struct sdrm_syncs none = {0};
   VkResult result = VK_SUCCESS;

   while (result == VK_SUCCESS && pending->packets.used > 2 * SDVK_PENDING_DWORDS) {
      const uint32_t part = sdvk_pending_part(pending, SDVK_PENDING_DWORDS);
      struct sdrm_fence *fence = NULL;

      if (part == pending->packets.used)
         break;
      result = queue_stream(device, &none, part, &no_packets, NULL, 0, &fence);
      sdrm_fence_del(fence);
   }
   return result;
}

/*
 * Prepares the pending packets for submissions. The caller holds sdvk_objects::lock until it has
 * submitted them.
 */
static VkResult
begin_submission(struct sdvk_device *device)
{
   struct sdvk_objects *objects = &device->objects;

   if (vk_device_is_lost(&device->vk)) {
      /* Packets of a lost device are never executed. */
      sdvk_stream_reset(&objects->pending);
      return VK_ERROR_DEVICE_LOST;
   }
   if (objects->pending.packets.overflow || !sdvk_pending_strip(objects, NULL))
      return vk_device_set_lost(&device->vk, "no memory for packets of objects");
   return submit_many_pending(device);
}

bool
sdvk_queue_is_busy(struct sdvk_device *device)
{
   bool busy;

   simple_mtx_lock(&device->objects.lock);
   busy = device->queue.last && sdrm_fence_wait(device->queue.last, 0) == -ETIME;
   simple_mtx_unlock(&device->objects.lock);
   return busy;
}

VkResult
sdvk_queue_submit_pending(struct sdvk_device *device, struct sdrm_fence **out)
{
   struct sdvk_objects *objects = &device->objects;
   const struct sdrm_syncs none = {0};
   struct sdrm_fence *fence = NULL;
   VkResult result = VK_SUCCESS;

   simple_mtx_lock(&objects->lock);
   if (objects->pending.packets.used)
      result = begin_submission(device);
   if (result == VK_SUCCESS && objects->pending.packets.used)
      result = queue_stream(device, &none, objects->pending.packets.used, &no_packets, NULL, 0,
                            &fence);
   else if (result == VK_SUCCESS && out)
      result = to_result(device, sdrm_submit_flush_syncs(device->queue.submit, &none, &fence));
   /* A submission without room in VRAM takes long to fail, so it is seldom tried again. */
   objects->many = MAX2(2 * objects->pending.packets.used, SDVK_PENDING_DWORDS);
   simple_mtx_unlock(&objects->lock);
   if (out)
      *out = fence;
   else
      sdrm_fence_del(fence);
   return result;
}

/*
 * The host holds a copy of a large set for each combination of kinds that shaders of a stream use,
 * until the stream ends. Returns true if there is room for few: then each command buffer gets a
 * stream of its own, which can reuse the places of the one before.
 */
static bool
has_few_copies(const struct sdvk_device *device)
{
   const uint64_t most = sdvk_device_physical(device)->caps.max_large_descriptors;

   return most && (uint64_t)p_atomic_read(&device->n_large_descriptors) * 4 > most;
}

/*
 * Returns how many command buffers fit into a stream with the pending packets: at least one, or 0
 * if the pending packets have to go first.
 */
static uint32_t
count_fitting(const struct sdvk_device *device, struct vk_command_buffer *const *cmds,
              uint32_t n_cmds)
{
   uint64_t dwords = device->objects.pending.packets.used, results = 0;
   const uint32_t most = has_few_copies(device) ? MIN2(n_cmds, 1) : n_cmds;
   uint32_t n = 0;

   while (n < most) {
      dwords += sdvk_cmd_buffer(cmds[n])->stream.packets.used;
      results += sdvk_cmd_buffer(cmds[n])->n_results;
      if ((n || device->objects.pending.packets.used) && dwords > SUNDOG_MAX_STREAM_DWORDS)
         break;
      if (n && results > SUNDOG_MAX_RESULT_COPIES)
         break;
      n++;
   }
   return n;
}

/*
 * Submits all command buffers, in as many streams as needed: the first one waits, the last one
 * signals. Streams run in order, and with them the commands, as submission order requires (Vulkan
 * 1.4, 7.2 Implicit Synchronization Guarantees). Returns VK_ERROR_DEVICE_LOST if only the first
 * ones were submitted: other errors promise that nothing was (Vulkan 1.4, vkQueueSubmit).
 */
static VkResult
submit_all(struct sdvk_device *device, const struct vk_queue_submit *submit,
           const struct sdrm_syncs *syncs, const struct sdvk_stream *binds,
           struct sdrm_fence **fence)
{
   struct vk_command_buffer *const *cmds = submit->command_buffers;
   struct sdrm_syncs part = {.waits = syncs->waits, .n_waits = syncs->n_waits};
   uint32_t left = submit->command_buffer_count;
   bool queued = false, done = false;
   VkResult result;

   simple_mtx_lock(&device->objects.lock);
   result = begin_submission(device);
   while (result == VK_SUCCESS && !done) {
      const uint32_t n = count_fitting(device, cmds, left);

      done = n == left;
      if (done) {
         part.signals = syncs->signals;
         part.n_signals = syncs->n_signals;
      }
      sdrm_fence_del(*fence);
      *fence = NULL;
      result = queue_stream(device, &part, device->objects.pending.packets.used, binds, cmds, n,
                            fence);
      binds = &no_packets;
      if (queued && result != VK_SUCCESS)
         result = vk_device_set_lost(&device->vk, "a part of a submission was refused");
      /* Pending packets alone are no part of the submission. */
      queued |= n || part.n_waits;
      part.n_waits = 0;
      cmds += n;
      left -= n;
   }
   if (*fence && submit->command_buffer_count) {
      sdrm_fence_del(device->queue.last);
      device->queue.last = sdrm_fence_ref(*fence);
   }
   simple_mtx_unlock(&device->objects.lock);
   return result;
}

static struct sdrm_sync
to_syncobj(struct vk_sync *kernel, uint64_t value)
{
   return (struct sdrm_sync){vk_sync_as_drm_syncobj(kernel)->syncobj, value};
}

/*
 * Lists the syncobjs to wait for. The device has one queue, which runs in order and need not wait
 * for itself.
 */
static uint32_t
list_waits(const struct vk_queue_submit *submit, struct sdrm_sync *list)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < submit->wait_count; i++) {
      struct vk_sync *kernel = sdvk_sync_kernel(submit->waits[i].sync);

      if (kernel)
         list[n++] = to_syncobj(kernel, submit->waits[i].wait_value);
   }
   return n;
}

/* Lists the syncobjs to signal; @own has the other fences and semaphores. */
static uint32_t
list_signals(const struct vk_queue_submit *submit, struct sdrm_sync *list, struct vk_sync **own)
{
   uint32_t n = 0, n_own = 0;

   for (uint32_t i = 0; i < submit->signal_count; i++) {
      struct vk_sync *kernel = sdvk_sync_kernel(submit->signals[i].sync);

      if (kernel)
         list[n++] = to_syncobj(kernel, submit->signals[i].signal_value);
      else
         own[n_own++] = submit->signals[i].sync;
   }
   return n;
}

static VkResult
submit_with_syncs(struct sdvk_device *device, const struct vk_queue_submit *submit,
                  const struct sdvk_stream *binds, struct sdrm_fence **out)
{
   STACK_ARRAY(struct sdrm_sync, waits, submit->wait_count);
   STACK_ARRAY(struct sdrm_sync, signals, submit->signal_count);
   STACK_ARRAY(struct vk_sync *, own, submit->signal_count);
   const struct sdrm_syncs syncs = {
      .waits = waits,
      .signals = signals,
      .n_waits = list_waits(submit, waits),
      .n_signals = list_signals(submit, signals, own),
   };
   const uint32_t n_own = submit->signal_count - syncs.n_signals;
   VkResult result = submit_all(device, submit, &syncs, binds, out);

   for (uint32_t i = 0; *out && i < n_own; i++) {
      if (sdvk_sync_set_fence(device, own[i], *out) != VK_SUCCESS)
         result = vk_device_set_lost(&device->vk, "a fence or semaphore cannot be signaled");
   }
   STACK_ARRAY_FINISH(waits);
   STACK_ARRAY_FINISH(signals);
   STACK_ARRAY_FINISH(own);
   return result;
}

/*
 * Waits until all submitted command buffers are done. The renderer maps memory at once, also where
 * earlier commands may still read sparse resources.
 */
static void
wait_for_last(struct sdvk_device *device)
{
   struct sdrm_fence *last;

   simple_mtx_lock(&device->objects.lock);
   last = device->queue.last ? sdrm_fence_ref(device->queue.last) : NULL;
   simple_mtx_unlock(&device->objects.lock);
   if (last)
      sdrm_fence_wait(last, INT64_MAX);
   sdrm_fence_del(last);
}

/*
 * Binds memory to sparse resources. The pieces change before the packets are submitted, so a device
 * whose packets are refused is lost.
 */
static VkResult
submit_binds(struct sdvk_device *device, const struct vk_queue_submit *submit,
             struct sdrm_fence **fence)
{
   struct sdvk_stream binds;
   VkResult result;

   wait_for_last(device);
   simple_mtx_lock(&device->sparse.lock);
   result = sdvk_sparse_bind(device, submit, &binds);
   if (result == VK_SUCCESS)
      result = submit_with_syncs(device, submit, &binds, fence);
   if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
      result = vk_device_set_lost(&device->vk, "memory cannot be bound to a sparse resource");
   simple_mtx_unlock(&device->sparse.lock);
   sdvk_stream_fini(&binds);
   return result;
}

static VkResult
driver_submit(struct vk_queue *queue, struct vk_queue_submit *submit)
{
   struct sdvk_device *device = container_of(queue->base.device, struct sdvk_device, vk);
   struct sdrm_fence *fence = NULL;
   uint64_t number;
   VkResult result = sdvk_host_imports_begin(device, submit->command_buffers,
                                             submit->command_buffer_count, &number);

   if (result != VK_SUCCESS)
      return result;
   result = vk_queue_submit_has_bind(submit)
               ? submit_binds(device, submit, &fence)
               : submit_with_syncs(device, submit, &no_packets, &fence);
   sdvk_host_imports_end(device, number, fence);
   sdrm_fence_del(fence);
   return result;
}

/* Returns VK_ERROR_NOT_PERMITTED for a priority above the highest one. */
static VkResult
check_priority(struct sdvk_device *device, const VkDeviceQueueCreateInfo *info)
{
   const VkDeviceQueueGlobalPriorityCreateInfoKHR *priority =
      vk_find_struct_const(info->pNext, DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR);

   if (priority && priority->globalPriority > SDVK_MAX_PRIORITY)
      return vk_errorf(device, VK_ERROR_NOT_PERMITTED_KHR,
                       "a queue of global priority %u, at most %u (medium)",
                       priority->globalPriority, SDVK_MAX_PRIORITY);
   return VK_SUCCESS;
}

VkResult
sdvk_queue_init(struct sdvk_device *device, const VkDeviceQueueCreateInfo *info)
{
   struct sdvk_queue *queue = &device->queue;
   VkResult result = check_priority(device, info);

   if (result != VK_SUCCESS)
      return result;
   queue->ctx = sdrm_context_new(device->dev);
   if (!queue->ctx)
      return vk_errorf(device, VK_ERROR_INITIALIZATION_FAILED, "cannot create a context: %s",
                       strerror(errno));
   queue->submit = sdrm_submit_new(queue->ctx, 1);
   result = queue->submit ? vk_queue_init(&queue->vk, &device->vk, info, 0)
                          : vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   if (result != VK_SUCCESS) {
      sdrm_submit_del(queue->submit);
      sdrm_context_del(queue->ctx);
      return result;
   }
   sdrm_submit_set_reslist(queue->submit, device->memory);
   queue->vk.driver_submit = driver_submit;
   return VK_SUCCESS;
}

void
sdvk_queue_fini(struct sdvk_queue *queue)
{
   vk_queue_finish(&queue->vk);
   sdrm_fence_del(queue->last);
   sdrm_submit_del(queue->submit);
   sdrm_context_del(queue->ctx);
}

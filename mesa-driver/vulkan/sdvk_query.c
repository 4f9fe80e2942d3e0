/* SPDX-License-Identifier: MIT */
/*
 * VkQueryPool, query commands, and results for the CPU: see sdvk_query.h. Any thread reads results,
 * without a lock: a word of memory says that a result is complete. The thread that records a
 * command buffer calls the commands.
 */
#include "sdvk_query.h"

#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_memory.h"
#include "sdvk_structure.h"
#include "util/bitscan.h"
#include "util/os_time.h"
#include "vk_log.h"

/* Pools */

static enum sundog_pool_type
packet_type(VkQueryType type)
{
   switch (type) {
   case VK_QUERY_TYPE_PIPELINE_STATISTICS:
      return SUNDOG_POOL_TYPE_STATISTICS;
   case VK_QUERY_TYPE_TIMESTAMP:
      return SUNDOG_POOL_TYPE_TIMESTAMP;
   case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
      return SUNDOG_POOL_TYPE_FEEDBACK;
   case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
      return SUNDOG_POOL_TYPE_PRIMITIVES;
   case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
      return SUNDOG_POOL_TYPE_MESH_PRIMITIVES;
   default:
      return SUNDOG_POOL_TYPE_OCCLUSION;
   }
}

/* Queries of acceleration structures: the renderer does not have their results. */
static bool
is_of_structures(const struct sdvk_query_pool *pool)
{
   switch (pool->vk.query_type) {
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR:
      return true;
   default:
      return false;
   }
}

static uint32_t
result_words(const struct vk_query_pool *vk)
{
   if (vk->query_type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
      return util_bitcount(vk->pipeline_statistics);
   return vk->query_type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? 2 : 1;
}

static uint64_t
result_offset(const struct sdvk_query_pool *pool, uint32_t query)
{
   return (uint64_t)query * pool->words * 8;
}

static uint64_t
available_offset(const struct sdvk_query_pool *pool, uint32_t query)
{
   return result_offset(pool, pool->vk.query_count) + query * 4;
}

static VkResult
allocate(struct sdvk_device *device, struct sdvk_query_pool *pool)
{
   const uint64_t size = available_offset(pool, pool->vk.query_count);
   VkResult result = sdvk_bo_allocate(device, size, &pool->bo);

   if (result != VK_SUCCESS)
      return result;
   pool->map = sdrm_bo_map(pool->bo);
   if (!pool->map)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   memset(pool->map, 0, size);
   return VK_SUCCESS;
}

/*
 * Reserves queries, of which a client may have SUNDOG_MAX_CLIENT_QUERIES. Queries of a destroyed
 * pool count until its destroy packet is queued. Returns false if there are too many.
 */
static bool
take_queries(struct sdvk_device *device, struct sdvk_query_pool *pool, uint32_t count)
{
   if (p_atomic_add_return(&device->n_queries, count) > SUNDOG_MAX_CLIENT_QUERIES) {
      p_atomic_add(&device->n_queries, -count);
      return false;
   }
   pool->taken = count;
   return true;
}

static VkResult
init(struct sdvk_device *device, struct sdvk_query_pool *pool)
{
   struct sundog_cmd_create_query_pool cmd = {
      .type = packet_type(pool->vk.query_type),
      .count = pool->vk.query_count,
      .statistics = pool->vk.pipeline_statistics,
   };
   struct sundog_stream *stream;
   VkResult result;

   if (cmd.count > SUNDOG_MAX_POOL_QUERIES || !take_queries(device, pool, cmd.count))
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "a pool of %u queries, at most %u in a pool and %u in all", cmd.count,
                       SUNDOG_MAX_POOL_QUERIES, SUNDOG_MAX_CLIENT_QUERIES);
   pool->words = result_words(&pool->vk);
   result = allocate(device, pool);
   if (result != VK_SUCCESS)
      return result;
   stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);
   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   sundog_emit_create_query_pool(stream, &cmd);
   sdvk_object_end(device);
   pool->id = cmd.id;
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyQueryPool(VkDevice _device, VkQueryPool _pool, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);

   if (!pool)
      return;
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_QUERY_POOL, pool->id);
   sdvk_bo_free(device, pool->bo);
   p_atomic_add(&device->n_queries, -pool->taken);
   vk_query_pool_destroy(&device->vk, pAllocator, &pool->vk);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateQueryPool(VkDevice _device, const VkQueryPoolCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkQueryPool *pQueryPool)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_query_pool *pool =
      vk_query_pool_create(&device->vk, pCreateInfo, pAllocator, sizeof(*pool));
   VkResult result;

   if (!pool)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = init(device, pool);
   if (result != VK_SUCCESS) {
      sdvk_DestroyQueryPool(_device, sdvk_query_pool_to_handle(pool), pAllocator);
      return result;
   }
   *pQueryPool = sdvk_query_pool_to_handle(pool);
   return VK_SUCCESS;
}

/* Host commands */

VKAPI_ATTR void VKAPI_CALL
sdvk_ResetQueryPool(VkDevice _device, VkQueryPool _pool, uint32_t first, uint32_t count)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   const struct sundog_cmd_reset_query_pool cmd = {pool->id, first, count};

   if (!count)
      return;
   memset(pool->map + available_offset(pool, first), 0, count * 4);
   if (is_of_structures(pool))
      memset(pool->map + result_offset(pool, first), 0, count * 8);
   sundog_emit_reset_query_pool(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
   sdvk_object_end(device);
}

static bool
is_available(const struct sdvk_query_pool *pool, uint32_t query)
{
   return p_atomic_read((uint32_t *)(pool->map + available_offset(pool, query)));
}

#define LOOK_AGAIN_US 50

/*
 * Waits for the result of a query. The wait ends if the device is lost: it must return in finite
 * time (Vulkan 1.4, "Lost Device").
 */
static VkResult
wait_available(struct sdvk_device *device, const struct sdvk_query_pool *pool, uint32_t query)
{
   while (!is_available(pool, query)) {
      const VkResult status = vk_device_check_status(&device->vk);

      if (status != VK_SUCCESS)
         return status;
      os_time_sleep(LOOK_AGAIN_US);
   }
   return VK_SUCCESS;
}

/*
 * With maintenance7, a result of 32 bits is the lower half of the one of 64 bits (Vulkan 1.4,
 * Queries, vkGetQueryPoolResults).
 */
static void
write_word(void *data, uint32_t i, uint64_t value, VkQueryResultFlags flags)
{
   if (flags & VK_QUERY_RESULT_64_BIT)
      ((uint64_t *)data)[i] = value;
   else
      ((uint32_t *)data)[i] = value;
}

/*
 * Writes the result of a query. VK_NOT_READY: it is not available, and VK_QUERY_RESULT_PARTIAL_BIT
 * is not set. With that bit the result may be any value up to the final one, so it is 0 (Vulkan
 * 1.4, "Query Operation").
 */
static VkResult
write_result(const struct sdvk_query_pool *pool, uint32_t query, void *data,
             VkQueryResultFlags flags)
{
   const uint64_t *words = (const uint64_t *)(pool->map + result_offset(pool, query));
   const bool available = is_available(pool, query);

   for (uint32_t i = 0; i < pool->words && (available || (flags & VK_QUERY_RESULT_PARTIAL_BIT));
        i++)
      write_word(data, i, available ? words[i] : 0, flags);
   if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
      write_word(data, pool->words, available, flags);
   return available || (flags & VK_QUERY_RESULT_PARTIAL_BIT) ? VK_SUCCESS : VK_NOT_READY;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetQueryPoolResults(VkDevice _device, VkQueryPool _pool, uint32_t first, uint32_t count,
                         size_t dataSize, void *pData, VkDeviceSize stride,
                         VkQueryResultFlags flags)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   VkResult result = vk_device_check_status(&device->vk);

   if (result != VK_SUCCESS)
      return result;
   for (uint32_t i = 0; i < count; i++) {
      VkResult one =
         flags & VK_QUERY_RESULT_WAIT_BIT ? wait_available(device, pool, first + i) : VK_SUCCESS;

      if (one == VK_SUCCESS)
         one = write_result(pool, first + i, (char *)pData + i * stride, flags);
      if (one != VK_SUCCESS)
         result = one;
      if (one < 0)
         return one;
   }
   return result;
}

/* Device commands */

/* Orders a transfer after earlier ones. */
static void
emit_barrier(struct sdvk_cmd_buffer *cmd)
{
   const struct sundog_cmd_barrier barrier = {
      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      VK_ACCESS_2_TRANSFER_WRITE_BIT,
      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
}

static void
emit_available(struct sdvk_cmd_buffer *cmd, const struct sdvk_query_pool *pool, uint32_t first,
               uint32_t count, bool available)
{
   const struct sundog_cmd_fill_buffer fill = {
      .dst = {sdrm_bo_mem(pool->bo), available_offset(pool, first), count * 4},
      .value = available,
   };

   sundog_emit_fill_buffer(sdvk_cmd_packet(cmd), &fill);
}

bool
sdvk_cmd_count_results(struct sdvk_cmd_buffer *cmd, uint64_t count)
{
   cmd->n_results += count;
   if (cmd->n_results > SUNDOG_MAX_RESULT_COPIES)
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   return cmd->n_results <= SUNDOG_MAX_RESULT_COPIES;
}

static void
emit_results(struct sdvk_cmd_buffer *cmd, const struct sdvk_ended_queries *ended)
{
   const struct sdvk_query_pool *pool = ended->pool;
   const struct sundog_cmd_copy_query_results copy = {
      .pool = pool->id,
      .first = ended->first,
      .count = ended->count,
      .flags = SUNDOG_RESULT_FLAG_64BIT,
      .mem = sdrm_bo_mem(pool->bo),
      .offset = result_offset(pool, ended->first),
      .stride = pool->words * 8,
   };

   if (sdvk_cmd_count_results(cmd, ended->count))
      sundog_emit_copy_query_results(sdvk_cmd_packet(cmd), &copy);
}

/*
 * Copies all results before it marks them as available, so that the CPU reads no incomplete result.
 */
void
sdvk_cmd_copy_ended_queries(struct sdvk_cmd_buffer *cmd)
{
   if (!cmd->ended_queries.size)
      return;
   util_dynarray_foreach(&cmd->ended_queries, struct sdvk_ended_queries, ended)
      emit_results(cmd, ended);
   emit_barrier(cmd);
   util_dynarray_foreach(&cmd->ended_queries, struct sdvk_ended_queries, ended)
      emit_available(cmd, ended->pool, ended->first, ended->count, true);
   util_dynarray_clear(&cmd->ended_queries);
}

static void
add_ended(struct sdvk_cmd_buffer *cmd, struct sdvk_query_pool *pool, uint32_t query)
{
   const uint32_t count = sdvk_cmd_queries_of_one(cmd);
   struct sdvk_ended_queries *last =
      cmd->ended_queries.size
         ? util_dynarray_top_ptr(&cmd->ended_queries, struct sdvk_ended_queries)
         : NULL;

   if (last && last->pool == pool && last->first + last->count == query) {
      last->count += count;
      return;
   }
   last = sdvk_cmd_grow(cmd, &cmd->ended_queries, 1, sizeof(*last));
   if (last)
      *last = (struct sdvk_ended_queries){pool, query, count};
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdResetQueryPool(VkCommandBuffer commandBuffer, VkQueryPool _pool, uint32_t first,
                       uint32_t count)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   const struct sundog_cmd_reset_query_pool reset = {pool->id, first, count};

   if (!count)
      return;
   sdvk_cmd_copy_ended_queries(cmd);
   sundog_emit_reset_query_pool(sdvk_cmd_packet(cmd), &reset);
   /* After copies of results by earlier command buffers. */
   emit_barrier(cmd);
   emit_available(cmd, pool, first, count, false);
   if (is_of_structures(pool))
      sundog_emit_fill_buffer(sdvk_cmd_packet(cmd), &(struct sundog_cmd_fill_buffer){
         .dst = {sdrm_bo_mem(pool->bo), result_offset(pool, first), count * 8},
      });
   emit_barrier(cmd);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool _pool, uint32_t query,
                             VkQueryControlFlags flags, uint32_t index)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   const struct sundog_cmd_begin_pool_query begin = {
      pool->id, query, index, !!(flags & VK_QUERY_CONTROL_PRECISE_BIT),
   };

   sundog_emit_begin_pool_query(sdvk_cmd_packet(cmd), &begin);
   sdvk_cmd_open_in_rendering(cmd);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool _pool, uint32_t query,
                           uint32_t index)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   const struct sundog_cmd_end_pool_query end = {pool->id, query, index};

   sundog_emit_end_pool_query(sdvk_cmd_packet(cmd), &end);
   sdvk_cmd_close_in_rendering(cmd);
   add_ended(cmd, pool, query);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdWriteTimestamp2(VkCommandBuffer commandBuffer, VkPipelineStageFlags2 stage,
                        VkQueryPool _pool, uint32_t query)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   const struct sundog_cmd_write_pool_timestamp write = {pool->id, query};

   sundog_emit_write_pool_timestamp(sdvk_cmd_packet(cmd), &write);
   add_ended(cmd, pool, query);
}

/* Limit of a field of the packet. */
#define MAX_RESULT_STRIDE 0x10000

/*
 * Returns true if one packet can copy several results. It bounds the stride, and its results do not
 * overlap; Vulkan only wants a multiple of the size of a number
 * (VUID-vkCmdCopyQueryPoolResults-queryCount-09438).
 */
static bool
stride_fits(const struct sdvk_query_pool *pool, VkDeviceSize stride, VkQueryResultFlags flags)
{
   const uint32_t numbers = pool->words + !!(flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);

   return stride <= MAX_RESULT_STRIDE &&
          stride >= numbers * (flags & VK_QUERY_RESULT_64_BIT ? 8 : 4);
}

/*
 * Copies results from the pool's memory. That of a query that is not available is 0, also without
 * VK_QUERY_RESULT_PARTIAL_BIT: the copy is recorded before it is known.
 */
static void
copy_structure_results(struct sdvk_cmd_buffer *cmd, const struct sdvk_query_pool *pool,
                       const struct sundog_cmd_copy_query_results *results)
{
   const bool with_available = results->flags & SUNDOG_RESULT_FLAG_AVAILABILITY;
   const uint64_t size = results->flags & SUNDOG_RESULT_FLAG_64BIT ? 8 : 4;

   for (uint32_t i = 0; i < results->count && with_available; i++) {
      const struct sundog_cmd_fill_buffer fill = {
         .dst = {results->mem, results->offset + i * results->stride + size, size},
      };

      sundog_emit_fill_buffer(sdvk_cmd_packet(cmd), &fill);
   }
   emit_barrier(cmd);
   for (uint32_t i = 0; i < results->count; i++) {
      struct sundog_cmd_copy_buffer copy = {
         .src = sdrm_bo_mem(pool->bo),
         .dst = results->mem,
         .src_offset = result_offset(pool, results->first + i),
         .dst_offset = results->offset + i * results->stride,
         .size = size,
      };

      sundog_emit_copy_buffer(sdvk_cmd_packet(cmd), &copy);
      if (!with_available)
         continue;
      copy.src_offset = available_offset(pool, results->first + i);
      copy.dst_offset += size;
      copy.size = 4;
      sundog_emit_copy_buffer(sdvk_cmd_packet(cmd), &copy);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyQueryPoolResults(VkCommandBuffer commandBuffer, VkQueryPool _pool, uint32_t first,
                             uint32_t count, VkBuffer _buffer, VkDeviceSize offset,
                             VkDeviceSize stride, VkQueryResultFlags flags)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   struct sundog_cmd_copy_query_results copy = {
      .pool = pool->id,
      .first = first,
      .count = count,
      .flags = flags & (SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY |
                        SUNDOG_RESULT_FLAG_PARTIAL),
      .mem = buffer->mem,
      .offset = buffer->offset + offset,
      .stride = stride,
   };

   if (buffer->import)
      sdvk_cmd_use_host(cmd, buffer->import, true);
   if (is_of_structures(pool)) {
      copy_structure_results(cmd, pool, &copy);
      return;
   }
   if (!sdvk_cmd_count_results(cmd, count))
      return;
   if (count > 1 && stride_fits(pool, stride, flags)) {
      sundog_emit_copy_query_results(sdvk_cmd_packet(cmd), &copy);
      return;
   }
   /* A single result has no stride. */
   copy.count = 1;
   copy.stride = 0;
   for (uint32_t i = 0; i < count; i++) {
      sundog_emit_copy_query_results(sdvk_cmd_packet(cmd), &copy);
      copy.first++;
      copy.offset += stride;
   }
}

/* Properties of acceleration structures */

/* Returns where the header of a structure has the result of a query. */
static uint64_t
header_offset(VkQueryType type)
{
   switch (type) {
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
      return offsetof(struct sdvk_bvh_header, serialized_size);
   case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
      return offsetof(struct sdvk_bvh_header, n_handles);
   default:
      return offsetof(struct sdvk_bvh_header, size);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdWriteAccelerationStructuresPropertiesKHR(VkCommandBuffer commandBuffer, uint32_t count,
                                                 const VkAccelerationStructureKHR *pStructures,
                                                 VkQueryType queryType, VkQueryPool _pool,
                                                 uint32_t first)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_query_pool, pool, _pool);

   for (uint32_t i = 0; i < count; i++) {
      VK_FROM_HANDLE(vk_acceleration_structure, structure, pStructures[i]);
      const struct sundog_mem_range word =
         sdvk_structure_range(structure, header_offset(queryType), sizeof(uint64_t));
      const struct sundog_cmd_copy_buffer copy = {
         .src = word.mem,
         .dst = sdrm_bo_mem(pool->bo),
         .src_offset = word.offset,
         .dst_offset = result_offset(pool, first + i),
         .size = word.size,
      };

      sundog_emit_copy_buffer(sdvk_cmd_packet(cmd), &copy);
   }
   emit_barrier(cmd);
   emit_available(cmd, pool, first, count, true);
}

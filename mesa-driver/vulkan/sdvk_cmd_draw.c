/* SPDX-License-Identifier: MIT */
/*
 * Draws and dispatches, and their vertex buffers, index buffers and push constants. The thread that
 * records the command buffer calls this; the program keeps other threads away.
 */
#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_physical_device.h"
#include "util/macros.h"

/* Limits a binding to its buffer: shaders read nothing of the memory behind it. */
static struct sundog_mem_range
packet_range(const struct sdvk_buffer *buffer, VkDeviceSize offset, VkDeviceSize size)
{
   return (struct sundog_mem_range){
      buffer->mem,
      buffer->offset + offset,
      vk_buffer_range(&buffer->vk, offset, size),
   };
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBindVertexBuffers2(VkCommandBuffer commandBuffer, uint32_t firstBinding,
                           uint32_t bindingCount, const VkBuffer *pBuffers,
                           const VkDeviceSize *pOffsets, const VkDeviceSize *pSizes,
                           const VkDeviceSize *pStrides)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_mem_range ranges[SUNDOG_MAX_VERTEX_BUFFERS] = {0};
   const struct sundog_cmd_bind_vertex_ranges bind = {
      .first = firstBinding,
      .count = MIN2(bindingCount, SUNDOG_MAX_VERTEX_BUFFERS),
   };

   if (pStrides)
      vk_cmd_set_vertex_binding_strides(&cmd->vk, firstBinding, bindingCount, pStrides);
   for (uint32_t i = 0; i < bind.count; i++) {
      VK_FROM_HANDLE(sdvk_buffer, buffer, pBuffers[i]);

      if (buffer)
         ranges[i] = packet_range(buffer, pOffsets[i], pSizes ? pSizes[i] : VK_WHOLE_SIZE);
   }
   /* None is allowed if there are no sizes and strides. */
   if (bind.count)
      sundog_emit_bind_vertex_ranges(sdvk_cmd_packet(cmd), &bind, ranges);
}

static uint32_t
index_size(VkIndexType type)
{
   return type == VK_INDEX_TYPE_UINT8_KHR ? 1 : type == VK_INDEX_TYPE_UINT16 ? 2 : 4;
}

static uint32_t
packet_index_type(VkIndexType type)
{
   return type == VK_INDEX_TYPE_UINT8_KHR ? 2 : type;
}

/*
 * With VK_NULL_HANDLE as index buffer, which maintenance6 permits
 * (VUID-vkCmdBindIndexBuffer2-None-09493), all indices are zero (nullDescriptor): `zeros` is a BO
 * full of zeros. The number of indices of an indirect draw is unknown here; beyond the end of an
 * allocation the host reads zero, too.
 */
#define FEWEST_ZEROS 4096

static VkIndexType
zeros_type(const struct sdvk_cmd_buffer *cmd)
{
   const struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   return sdvk_device_physical(device)->caps.features & SUNDOG_FEATURE_INDEX_UINT8
             ? VK_INDEX_TYPE_UINT8_KHR
             : VK_INDEX_TYPE_UINT16;
}

static struct sdrm_bo *
new_zeros(struct sdvk_cmd_buffer *cmd, uint64_t size)
{
   struct sdrm_bo *bo = sdvk_cmd_new_scratch(cmd, size);
   void *map = bo ? sdrm_bo_map(bo) : NULL;

   if (!map) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
      return NULL;
   }
   memset(map, 0, size);
   return bo;
}

/* Binds at least @count zero indices. Returns false if there is no memory. */
static bool
bind_zeros(struct sdvk_cmd_buffer *cmd, uint32_t count)
{
   const VkIndexType type = zeros_type(cmd);
   const uint64_t size = (uint64_t)MAX2(count, FEWEST_ZEROS) * index_size(type);
   struct sundog_cmd_bind_index_buffer bind = {.type = packet_index_type(type)};

   if (!cmd->zeros || sdrm_bo_size(cmd->zeros) < size)
      cmd->zeros = new_zeros(cmd, size);
   if (!cmd->zeros)
      return false;
   bind.mem = sdrm_bo_mem(cmd->zeros);
   sundog_emit_bind_index_buffer(sdvk_cmd_packet(cmd), &bind);
   return true;
}

/* With maintenance6 no index buffer need be bound (VUID-vkCmdDrawIndexed-None-07312). */
bool
sdvk_cmd_need_indices(struct sdvk_cmd_buffer *cmd)
{
   if (cmd->null_indices || cmd->n_indices)
      return true;
   cmd->null_indices = bind_zeros(cmd, 0);
   return cmd->null_indices;
}

static void
draw_zeros(struct sdvk_cmd_buffer *cmd, struct sundog_cmd_draw_indexed draw)
{
   draw.first_index = 0;
   /* A larger count needs a larger BO. */
   if (!draw.index_count || (draw.index_count > FEWEST_ZEROS && !bind_zeros(cmd, draw.index_count)))
      return;
   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_indexed(sdvk_cmd_packet(cmd), &draw);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBindIndexBuffer2KHR(VkCommandBuffer commandBuffer, VkBuffer _buffer, VkDeviceSize offset,
                            VkDeviceSize size, VkIndexType indexType)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   struct sundog_cmd_bind_index_buffer bind = {.type = packet_index_type(indexType)};

   cmd->null_indices = !buffer;
   if (!buffer) {
      bind_zeros(cmd, 0);
      return;
   }
   bind.mem = buffer->mem;
   bind.offset = buffer->offset + offset;
   cmd->n_indices = vk_buffer_range(&buffer->vk, offset, size) / index_size(indexType);
   sundog_emit_bind_index_buffer(sdvk_cmd_packet(cmd), &bind);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdPushConstants2KHR(VkCommandBuffer commandBuffer, const VkPushConstantsInfoKHR *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_push_constants push = {.offset = info->offset, .count = info->size / 4};

   memcpy((char *)cmd->push_constants + info->offset, info->pValues, info->size);
   sundog_emit_push_constants(sdvk_cmd_packet(cmd), &push, info->pValues);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDraw(VkCommandBuffer commandBuffer, uint32_t vertexCount, uint32_t instanceCount,
             uint32_t firstVertex, uint32_t firstInstance)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_draw draw = {vertexCount, instanceCount, firstVertex, firstInstance};

   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw(sdvk_cmd_packet(cmd), &draw);
}

/*
 * Leaves out primitives with indices beyond the end of the index buffer, which would all refer to
 * one vertex. With robustBufferAccess2 such draws are valid
 * (VUID-vkCmdDrawIndexed-robustBufferAccess2-08798).
 */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndexed(VkCommandBuffer commandBuffer, uint32_t indexCount, uint32_t instanceCount,
                    uint32_t firstIndex, int32_t vertexOffset, uint32_t firstInstance)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_cmd_draw_indexed draw = {
      .instance_count = instanceCount,
      .first_index = firstIndex,
      .vertex_offset = vertexOffset,
      .first_instance = firstInstance,
   };

   if (!sdvk_cmd_need_indices(cmd))
      return;
   draw.index_count = sdvk_cmd_bound_indices(cmd, firstIndex, indexCount);
   if (cmd->null_indices)
      draw_zeros(cmd, draw);
   if (cmd->null_indices || !draw.index_count)
      return;
   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_indexed(sdvk_cmd_packet(cmd), &draw);
}

/* Limit of packets. */
#define MAX_INDIRECT_DRAWS 0x100000

/* Kinds of indirect draws, which differ in their arguments and in their packet. */
enum draw_kind {
   DRAW_VERTICES,
   DRAW_INDICES,
   DRAW_MESH,
};

static uint32_t
arguments_size(enum draw_kind kind)
{
   switch (kind) {
   case DRAW_VERTICES:
      return sizeof(VkDrawIndirectCommand);
   case DRAW_INDICES:
      return sizeof(VkDrawIndexedIndirectCommand);
   default:
      return sizeof(VkDrawMeshTasksIndirectCommandEXT);
   }
}

static struct sundog_indirect
packet_indirect(VkBuffer _buffer, VkDeviceSize offset, uint32_t draws, uint32_t stride)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);

   return (struct sundog_indirect){
      .mem = buffer->mem,
      .offset = buffer->offset + offset,
      .stride = stride,
      .max_draws = draws,
   };
}

static struct sundog_indirect
packet_indirect_count(VkBuffer buffer, VkDeviceSize offset, VkBuffer _count,
                      VkDeviceSize count_offset, uint32_t max_draws, uint32_t stride)
{
   VK_FROM_HANDLE(sdvk_buffer, count, _count);
   /* Only the count in memory is limited (VUID-vkCmdDrawIndirectCount-countBuffer-02717). */
   const uint32_t draws = MIN2(max_draws, MAX_INDIRECT_DRAWS);
   struct sundog_indirect out = packet_indirect(buffer, offset, draws, stride);

   out.count_mem = count->mem;
   out.count_offset = count->offset + count_offset;
   return out;
}

/* Emits the state and the packet of an indirect draw of any kind. */
static void
draw_indirect(VkCommandBuffer commandBuffer, enum draw_kind kind, struct sundog_indirect indirect)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_stream *stream;

   if (!indirect.max_draws)
      return;
   /*
    * Vulkan restricts the stride only if drawCount is greater than 1
    * (VUID-vkCmdDrawIndirect-drawCount-00476).
    */
   if (indirect.max_draws == 1)
      indirect.stride = arguments_size(kind);
   if (kind == DRAW_INDICES && !sdvk_cmd_need_indices(cmd))
      return;
   sdvk_cmd_flush_graphics(cmd);
   stream = sdvk_cmd_packet(cmd);
   switch (kind) {
   case DRAW_VERTICES:
      sundog_emit_draw_indirect(stream, &(struct sundog_cmd_draw_indirect){indirect});
      break;
   case DRAW_INDICES:
      sundog_emit_draw_indexed_indirect(stream,
                                        &(struct sundog_cmd_draw_indexed_indirect){indirect});
      break;
   case DRAW_MESH:
      sundog_emit_draw_mesh_indirect(stream, &(struct sundog_cmd_draw_mesh_indirect){indirect});
      break;
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,
                     uint32_t drawCount, uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_VERTICES, packet_indirect(buffer, offset, drawCount, stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndexedIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,
                            uint32_t drawCount, uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_INDICES, packet_indirect(buffer, offset, drawCount, stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndirectCount(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,
                          VkBuffer countBuffer, VkDeviceSize countBufferOffset,
                          uint32_t maxDrawCount, uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_VERTICES,
                 packet_indirect_count(buffer, offset, countBuffer, countBufferOffset, maxDrawCount,
                                       stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndexedIndirectCount(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                 VkDeviceSize offset, VkBuffer countBuffer,
                                 VkDeviceSize countBufferOffset, uint32_t maxDrawCount,
                                 uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_INDICES,
                 packet_indirect_count(buffer, offset, countBuffer, countBufferOffset, maxDrawCount,
                                       stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawMeshTasksEXT(VkCommandBuffer commandBuffer, uint32_t x, uint32_t y, uint32_t z)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_draw_mesh draw = {{x, y, z}};

   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_mesh(sdvk_cmd_packet(cmd), &draw);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawMeshTasksIndirectEXT(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                 VkDeviceSize offset, uint32_t drawCount, uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_MESH, packet_indirect(buffer, offset, drawCount, stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                      VkDeviceSize offset, VkBuffer countBuffer,
                                      VkDeviceSize countBufferOffset, uint32_t maxDrawCount,
                                      uint32_t stride)
{
   draw_indirect(commandBuffer, DRAW_MESH,
                 packet_indirect_count(buffer, offset, countBuffer, countBufferOffset, maxDrawCount,
                                       stride));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDispatch(VkCommandBuffer commandBuffer, uint32_t x, uint32_t y, uint32_t z)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_dispatch dispatch = {{x, y, z}};

   sdvk_cmd_flush_compute(cmd);
   sundog_emit_dispatch(sdvk_cmd_packet(cmd), &dispatch);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDispatchBase(VkCommandBuffer commandBuffer, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                     uint32_t x, uint32_t y, uint32_t z)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_dispatch_base dispatch = {{baseX, baseY, baseZ}, {x, y, z}};

   sdvk_cmd_flush_compute(cmd);
   sundog_emit_dispatch_base(sdvk_cmd_packet(cmd), &dispatch);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDispatchIndirect(VkCommandBuffer commandBuffer, VkBuffer _buffer, VkDeviceSize offset)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   const struct sundog_cmd_dispatch_indirect dispatch = {buffer->mem, buffer->offset + offset};

   sdvk_cmd_flush_compute(cmd);
   sundog_emit_dispatch_indirect(sdvk_cmd_packet(cmd), &dispatch);
}

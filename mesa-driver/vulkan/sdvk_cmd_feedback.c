/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback and conditional rendering. The renderer keeps the fill level of a buffer in a
 * counter object, one for each place that the program names as counter buffer; the contents of the
 * counter buffer are never read. The thread that records the command buffer calls this; the program
 * keeps other threads away. counters_lock guards the counters of a buffer, which several command
 * buffers may use.
 */
#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"

/* Creates a counter. Returns its id; 0: no id is left. */
static uint32_t
new_counter(struct sdvk_device *device)
{
   struct sundog_cmd_create_feedback_counter cmd;
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return 0;
   sundog_emit_create_feedback_counter(stream, &cmd);
   sdvk_object_end(device);
   return cmd.id;
}

/*
 * Returns the counter at @offset of @buffer, which it creates if needed; 0: no id, or no memory.
 * The caller holds counters_lock.
 */
static uint32_t
find_counter(struct sdvk_device *device, struct sdvk_buffer *buffer, uint64_t offset)
{
   struct sdvk_counter *new;

   util_dynarray_foreach(&buffer->counters, struct sdvk_counter, counter) {
      if (counter->offset == offset)
         return counter->id;
   }
   new = util_dynarray_grow(&buffer->counters, struct sdvk_counter, 1);
   if (!new)
      return 0;
   *new = (struct sdvk_counter){offset, new_counter(device)};
   if (new->id)
      return new->id;
   (void)util_dynarray_pop(&buffer->counters, struct sdvk_counter);
   return 0;
}

/* Takes counters_lock: several threads may record commands that use the same buffer. */
static uint32_t
counter_of(struct sdvk_cmd_buffer *cmd, VkBuffer _buffer, uint64_t offset)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   uint32_t id;

   simple_mtx_lock(&device->counters_lock);
   id = find_counter(device, buffer, offset);
   simple_mtx_unlock(&device->counters_lock);
   if (!id)
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   return id;
}

/*
 * Returns the command buffer's own counter for transform feedback buffer @i, for which the program
 * names none.
 */
static uint32_t
own_counter(struct sdvk_cmd_buffer *cmd, uint32_t i)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   if (!cmd->own_counters[i])
      cmd->own_counters[i] = new_counter(device);
   if (!cmd->own_counters[i])
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   return cmd->own_counters[i];
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer commandBuffer, uint32_t firstBinding,
                                        uint32_t bindingCount, const VkBuffer *pBuffers,
                                        const VkDeviceSize *pOffsets, const VkDeviceSize *pSizes)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   for (uint32_t i = 0; i < bindingCount && firstBinding + i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++) {
      VK_FROM_HANDLE(sdvk_buffer, buffer, pBuffers[i]);

      cmd->feedback.buffers[firstBinding + i] = (struct sundog_mem_range){
         buffer->mem,
         buffer->offset + pOffsets[i],
         vk_buffer_range(&buffer->vk, pOffsets[i], pSizes ? pSizes[i] : VK_WHOLE_SIZE) &
            ~UINT64_C(3),
      };
   }
}

/*
 * Adds counters to the packet that begins transform feedback. One that the begin command names
 * holds the offset to resume at; one that the end command names receives the final offset.
 */
static void
name_counters(struct sdvk_cmd_buffer *cmd, uint32_t first, uint32_t count, const VkBuffer *buffers,
              const VkDeviceSize *offsets, bool resume)
{
   struct sundog_cmd_begin_feedback *begin = &cmd->feedback.begin;

   for (uint32_t i = first; buffers && i < MIN2(first + count, SUNDOG_MAX_FEEDBACK_BUFFERS); i++) {
      if (!cmd->feedback.buffers[i].size || !buffers[i - first] || begin->counters[i])
         continue;
      begin->counters[i] = counter_of(cmd, buffers[i - first], offsets ? offsets[i - first] : 0);
      begin->resume |= resume ? BITFIELD_BIT(i) : 0;
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginTransformFeedbackEXT(VkCommandBuffer commandBuffer, uint32_t firstCounterBuffer,
                                  uint32_t counterBufferCount, const VkBuffer *pCounterBuffers,
                                  const VkDeviceSize *pCounterBufferOffsets)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_bind_feedback_buffers bind = {.count = SUNDOG_MAX_FEEDBACK_BUFFERS};

   cmd->feedback.begin = (struct sundog_cmd_begin_feedback){0};
   name_counters(cmd, firstCounterBuffer, counterBufferCount, pCounterBuffers,
                 pCounterBufferOffsets, true);
   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_bind_feedback_buffers(sdvk_cmd_packet(cmd), &bind, cmd->feedback.buffers);
   cmd->feedback.begin_at = cmd->stream.packets.used;
   sundog_emit_begin_feedback(sdvk_cmd_packet(cmd), &cmd->feedback.begin);
   sdvk_cmd_open_in_rendering(cmd);
}

/*
 * Rewrites the begin packet in place, since counters that only the end command names belong to it,
 * too.
 */
static void
emit_begin_again(struct sdvk_cmd_buffer *cmd)
{
   struct sundog_stream *packets = &cmd->stream.packets;
   const uint32_t used = packets->used;

   if (packets->overflow)
      return;
   packets->used = cmd->feedback.begin_at;
   sundog_emit_begin_feedback(packets, &cmd->feedback.begin);
   packets->used = used;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdEndTransformFeedbackEXT(VkCommandBuffer commandBuffer, uint32_t firstCounterBuffer,
                                uint32_t counterBufferCount, const VkBuffer *pCounterBuffers,
                                const VkDeviceSize *pCounterBufferOffsets)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   name_counters(cmd, firstCounterBuffer, counterBufferCount, pCounterBuffers,
                 pCounterBufferOffsets, false);
   for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++) {
      if (cmd->feedback.buffers[i].size && !cmd->feedback.begin.counters[i])
         cmd->feedback.begin.counters[i] = own_counter(cmd, i);
   }
   emit_begin_again(cmd);
   sundog_emit_end_feedback(sdvk_cmd_packet(cmd));
   sdvk_cmd_close_in_rendering(cmd);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndirectByteCountEXT(VkCommandBuffer commandBuffer, uint32_t instanceCount,
                                 uint32_t firstInstance, VkBuffer counterBuffer,
                                 VkDeviceSize counterBufferOffset, uint32_t counterOffset,
                                 uint32_t vertexStride)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_draw_feedback draw = {
      .counter = counter_of(cmd, counterBuffer, counterBufferOffset),
      .stride = vertexStride,
      .instance_count = instanceCount,
      .first_instance = firstInstance,
   };

   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_feedback(sdvk_cmd_packet(cmd), &draw);
}

/* Conditional rendering */

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginConditionalRenderingEXT(VkCommandBuffer commandBuffer,
                                     const VkConditionalRenderingBeginInfoEXT *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, buffer, info->buffer);
   const struct sundog_cmd_begin_memory_condition begin = {
      .mem = buffer->mem,
      .offset = buffer->offset + info->offset,
      .inverted = !!(info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT),
   };

   sundog_emit_begin_memory_condition(sdvk_cmd_packet(cmd), &begin);
   cmd->condition = (struct sdvk_condition){true, cmd->rendering.active, begin};
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdEndConditionalRenderingEXT(VkCommandBuffer commandBuffer)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   sundog_emit_end_condition(sdvk_cmd_packet(cmd));
   cmd->condition = (struct sdvk_condition){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback and conditional rendering. The renderer keeps the fill level of a buffer in a
 * counter object. A command buffer has one for each feedback buffer: it is loaded from the counter
 * buffer that the program names before it is resumed, and copied there at the end. The thread that
 * records the command buffer calls this; the program keeps other threads away.
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

/* Returns counter @i of the command buffer, an index of `counters`; 0 after an error. */
static uint32_t
own_counter(struct sdvk_cmd_buffer *cmd, uint32_t i)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   if (!cmd->counters[i])
      cmd->counters[i] = new_counter(device);
   if (!cmd->counters[i])
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   return cmd->counters[i];
}

/* Sets counter @i to the word at @offset of a buffer, less @base, and @limit at most. */
static void
load_counter(struct sdvk_cmd_buffer *cmd, uint32_t i, VkBuffer _buffer, uint64_t offset,
             uint32_t base, uint32_t limit)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   const struct sundog_cmd_load_feedback_counter load = {
      .counter = own_counter(cmd, i),
      .mem = buffer->mem,
      .offset = buffer->offset + offset,
      .base = base,
      .limit = limit,
   };

   sundog_emit_load_feedback_counter(sdvk_cmd_packet(cmd), &load);
}

/* Copies counter @i to @offset of a buffer. */
static void
copy_counter(struct sdvk_cmd_buffer *cmd, uint32_t i, VkBuffer _buffer, uint64_t offset)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, _buffer);
   const struct sundog_cmd_copy_feedback_counter copy = {
      .counter = own_counter(cmd, i),
      .mem = buffer->mem,
      .offset = buffer->offset + offset,
   };

   sundog_emit_copy_feedback_counter(sdvk_cmd_packet(cmd), &copy);
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
         MIN2(vk_buffer_range(&buffer->vk, pOffsets[i], pSizes ? pSizes[i] : VK_WHOLE_SIZE),
              SUNDOG_MAX_FEEDBACK_SIZE) &
            ~UINT64_C(3),
      };
   }
}

static bool
has_room(const struct sdvk_feedback *feedback)
{
   for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++) {
      if (feedback->buffers[i].size)
         return true;
   }
   return false;
}

/*
 * The state of draws need not be complete yet: shader objects and viewports may be set later. No
 * buffer need be bound, either.
 */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginTransformFeedbackEXT(VkCommandBuffer commandBuffer, uint32_t firstCounterBuffer,
                                  uint32_t counterBufferCount, const VkBuffer *pCounterBuffers,
                                  const VkDeviceSize *pCounterBufferOffsets)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_bind_feedback_buffers bind = {.count = SUNDOG_MAX_FEEDBACK_BUFFERS};
   const struct sundog_mem_range *buffers = cmd->feedback.buffers;
   struct sundog_cmd_begin_feedback begin = {0};

   cmd->feedback.on = has_room(&cmd->feedback);
   if (!cmd->feedback.on)
      return;
   for (uint32_t n = 0; pCounterBuffers && n < counterBufferCount; n++) {
      const uint32_t i = firstCounterBuffer + n;

      if (i >= SUNDOG_MAX_FEEDBACK_BUFFERS || !buffers[i].size || !pCounterBuffers[n])
         continue;
      load_counter(cmd, i, pCounterBuffers[n],
                   pCounterBufferOffsets ? pCounterBufferOffsets[n] : 0, 0, buffers[i].size);
      begin.resume |= BITFIELD_BIT(i);
   }
   for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++)
      begin.counters[i] = buffers[i].size ? own_counter(cmd, i) : 0;
   sundog_emit_bind_feedback_buffers(sdvk_cmd_packet(cmd), &bind, buffers);
   sundog_emit_begin_feedback(sdvk_cmd_packet(cmd), &begin);
   sdvk_cmd_open_in_rendering(cmd);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdEndTransformFeedbackEXT(VkCommandBuffer commandBuffer, uint32_t firstCounterBuffer,
                                uint32_t counterBufferCount, const VkBuffer *pCounterBuffers,
                                const VkDeviceSize *pCounterBufferOffsets)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   if (!cmd->feedback.on)
      return;
   cmd->feedback.on = false;
   sundog_emit_end_feedback(sdvk_cmd_packet(cmd));
   sdvk_cmd_close_in_rendering(cmd);
   for (uint32_t n = 0; pCounterBuffers && n < counterBufferCount; n++) {
      const uint32_t i = firstCounterBuffer + n;

      if (i < SUNDOG_MAX_FEEDBACK_BUFFERS && cmd->feedback.buffers[i].size && pCounterBuffers[n])
         copy_counter(cmd, i, pCounterBuffers[n],
                      pCounterBufferOffsets ? pCounterBufferOffsets[n] : 0);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawIndirectByteCountEXT(VkCommandBuffer commandBuffer, uint32_t instanceCount,
                                 uint32_t firstInstance, VkBuffer counterBuffer,
                                 VkDeviceSize counterBufferOffset, uint32_t counterOffset,
                                 uint32_t vertexStride)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_cmd_draw_feedback draw = {
      .counter = own_counter(cmd, SDVK_DRAW_COUNTER),
      .stride = vertexStride,
      .instance_count = instanceCount,
      .first_instance = firstInstance,
   };

   sdvk_cmd_flush_graphics(cmd);
   load_counter(cmd, SDVK_DRAW_COUNTER, counterBuffer, counterBufferOffset, counterOffset,
                UINT32_MAX);
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

void
sdvk_cmd_pause_condition(struct sdvk_cmd_buffer *cmd)
{
   if (cmd->condition.open)
      sundog_emit_end_condition(sdvk_cmd_packet(cmd));
   else if (cmd->inherits_condition)
      sdvk_cmd_add_mark(cmd, (struct sdvk_mark){SDVK_MARK_PAUSE});
}

void
sdvk_cmd_resume_condition(struct sdvk_cmd_buffer *cmd)
{
   if (cmd->condition.open)
      sundog_emit_begin_memory_condition(sdvk_cmd_packet(cmd), &cmd->condition.begin);
   else if (cmd->inherits_condition)
      sdvk_cmd_add_mark(cmd, (struct sdvk_mark){SDVK_MARK_RESUME});
}

/* SPDX-License-Identifier: MIT */
/*
 * VK_EXT_multi_draw. A shader sees the index of each draw (DrawIndex), so a multi-draw becomes an
 * indirect draw; its records are in scratch memory of the command buffer, which several commands
 * share. But the renderer refuses an indirect draw with more patches or primitives than the host
 * has room for, while it splits a direct draw. So draws with tessellation or geometry shaders are
 * direct draws, if no shader reads DrawIndex. The thread that records the command buffer calls
 * this; the program keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "util/u_math.h"

/*
 * Returns memory for @draws records of @size bytes each, and @out for the packet. NULL: no memory.
 */
static void *
new_records(struct sdvk_cmd_buffer *cmd, uint32_t draws, uint32_t size, struct sundog_indirect *out)
{
   struct sundog_mem_range range;
   void *records = sdvk_cmd_new_data(cmd, (uint64_t)draws * size, &range);

   if (records)
      *out = (struct sundog_indirect){
         .mem = range.mem,
         .offset = range.offset,
         .stride = size,
         .max_draws = draws,
      };
   return records;
}

/*
 * Returns true if a multi-draw has to be direct draws. The program of shader objects is made by the
 * first draw with them; that of a pipeline is there already, and must not be replaced.
 */
static bool
are_plain(struct sdvk_cmd_buffer *cmd, uint32_t draws)
{
   const struct sdvk_program *program;

   if (draws == 1)
      return true;
   if (cmd->objects.used[false])
      sdvk_cmd_link_objects(cmd, false);
   program = cmd->programs[false];
   return program && !program->counts_draws &&
          (program->shaders[SUNDOG_STAGE_TESS_EVAL] || program->shaders[SUNDOG_STAGE_GEOMETRY]);
}

static const VkMultiDrawInfoEXT *
draw_info(const VkMultiDrawInfoEXT *infos, uint32_t i, uint32_t stride)
{
   return (const void *)((const char *)infos + (size_t)i * stride);
}

static const VkMultiDrawIndexedInfoEXT *
indexed_info(const VkMultiDrawIndexedInfoEXT *infos, uint32_t i, uint32_t stride)
{
   return (const void *)((const char *)infos + (size_t)i * stride);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawMultiEXT(VkCommandBuffer commandBuffer, uint32_t drawCount,
                     const VkMultiDrawInfoEXT *pVertexInfo, uint32_t instanceCount,
                     uint32_t firstInstance, uint32_t stride)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_cmd_draw_indirect draw;
   VkDrawIndirectCommand *records;

   if (!drawCount || !instanceCount)
      return;
   if (are_plain(cmd, drawCount)) {
      for (uint32_t i = 0; i < drawCount; i++) {
         const VkMultiDrawInfoEXT *info = draw_info(pVertexInfo, i, stride);

         sdvk_CmdDraw(commandBuffer, info->vertexCount, instanceCount, info->firstVertex,
                      firstInstance);
      }
      return;
   }
   records = new_records(cmd, drawCount, sizeof(*records), &draw.indirect);
   for (uint32_t i = 0; records && i < drawCount; i++) {
      const VkMultiDrawInfoEXT *info = draw_info(pVertexInfo, i, stride);

      records[i] = (VkDrawIndirectCommand){info->vertexCount, instanceCount, info->firstVertex,
                                           firstInstance};
   }
   if (!records)
      return;
   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_indirect(sdvk_cmd_packet(cmd), &draw);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdDrawMultiIndexedEXT(VkCommandBuffer commandBuffer, uint32_t drawCount,
                            const VkMultiDrawIndexedInfoEXT *pIndexInfo, uint32_t instanceCount,
                            uint32_t firstInstance, uint32_t stride, const int32_t *pVertexOffset)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_cmd_draw_indexed_indirect draw;
   VkDrawIndexedIndirectCommand *records;

   if (!drawCount || !instanceCount)
      return;
   if (are_plain(cmd, drawCount)) {
      for (uint32_t i = 0; i < drawCount; i++) {
         const VkMultiDrawIndexedInfoEXT *info = indexed_info(pIndexInfo, i, stride);

         sdvk_CmdDrawIndexed(commandBuffer, info->indexCount, instanceCount, info->firstIndex,
                             pVertexOffset ? *pVertexOffset : info->vertexOffset, firstInstance);
      }
      return;
   }
   if (!sdvk_cmd_need_indices(cmd))
      return;
   records = new_records(cmd, drawCount, sizeof(*records), &draw.indirect);
   for (uint32_t i = 0; records && i < drawCount; i++) {
      const VkMultiDrawIndexedInfoEXT *info = indexed_info(pIndexInfo, i, stride);

      records[i] = (VkDrawIndexedIndirectCommand){
         sdvk_cmd_bound_indices(cmd, info->firstIndex, info->indexCount),
         instanceCount,
         info->firstIndex,
         pVertexOffset ? *pVertexOffset : info->vertexOffset,
         firstInstance,
      };
   }
   if (!records)
      return;
   sdvk_cmd_flush_graphics(cmd);
   sundog_emit_draw_indexed_indirect(sdvk_cmd_packet(cmd), &draw);
}

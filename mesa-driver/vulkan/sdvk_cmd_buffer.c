/* SPDX-License-Identifier: MIT */
/*
 * VkCommandBuffer: allocation, begin and end, execution of secondary command buffers. The thread
 * that records a command buffer, or that uses its pool, calls this; the program keeps other threads
 * away.
 */
#include "sdvk_cmd_buffer.h"

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "vk_alloc.h"
#include "vk_command_pool.h"
#include "vk_log.h"
#include "vk_render_pass.h"
#include "vk_util.h"

static VkResult
create(struct vk_command_pool *pool, VkCommandBufferLevel level, struct vk_command_buffer **out)
{
   struct sdvk_cmd_buffer *cmd =
      vk_zalloc(&pool->alloc, sizeof(*cmd), 8, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
   VkResult result;

   if (!cmd)
      return vk_error(pool->base.device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = vk_command_buffer_init(pool, &cmd->vk, &sdvk_cmd_buffer_ops, level);
   if (result != VK_SUCCESS) {
      vk_free(&pool->alloc, cmd);
      return result;
   }
   util_dynarray_init(&cmd->marks, NULL);
   util_dynarray_init(&cmd->ended_queries, NULL);
   util_dynarray_init(&cmd->scratch, NULL);
   util_dynarray_init(&cmd->host_uses, NULL);
   list_inithead(&cmd->pushed_sets);
   cmd->vk.dynamic_graphics_state.vi = &cmd->vertex_input;
   cmd->vk.dynamic_graphics_state.ms.sample_locations = &cmd->sample_locations;
   *out = &cmd->vk;
   return VK_SUCCESS;
}

static void
reset(struct vk_command_buffer *vk, VkCommandBufferResetFlags flags)
{
   struct sdvk_cmd_buffer *cmd = sdvk_cmd_buffer(vk);

   vk_command_buffer_reset(vk);
   sdvk_stream_reset(&cmd->stream);
   util_dynarray_clear(&cmd->marks);
   util_dynarray_clear(&cmd->ended_queries);
   util_dynarray_clear(&cmd->host_uses);
   sdvk_cmd_free_pushed_sets(cmd);
   sdvk_cmd_free_scratch(cmd);
   memset(cmd->shaders, 0, sizeof(cmd->shaders));
   cmd->pipeline = NULL;
   memset(cmd->programs, 0, sizeof(cmd->programs));
   cmd->objects = (struct sdvk_bound_objects){0};
   sdvk_cmd_forget_sets(cmd);
   cmd->rendering = (struct sdvk_rendering){0};
   cmd->feedback = (struct sdvk_feedback){0};
   cmd->condition = (struct sdvk_condition){0};
   cmd->inherits_condition = false;
   cmd->n_results = cmd->n_indices = 0;
   cmd->null_indices = false;
}

static void
destroy(struct vk_command_buffer *vk)
{
   const VkAllocationCallbacks *alloc = &vk->pool->alloc;
   struct sdvk_cmd_buffer *cmd = sdvk_cmd_buffer(vk);

   for (uint32_t i = 0; i < ARRAY_SIZE(cmd->counters); i++)
      sdvk_object_destroy(container_of(vk->base.device, struct sdvk_device, vk),
                          SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER, cmd->counters[i]);
   sdvk_stream_fini(&cmd->stream);
   util_dynarray_fini(&cmd->marks);
   util_dynarray_fini(&cmd->ended_queries);
   sdvk_cmd_free_pushed_sets(cmd);
   sdvk_cmd_free_scratch(cmd);
   util_dynarray_fini(&cmd->scratch);
   util_dynarray_fini(&cmd->host_uses);
   vk_command_buffer_finish(vk);
   vk_free(alloc, cmd);
}

const struct vk_command_buffer_ops sdvk_cmd_buffer_ops = {
   .create = create,
   .reset = reset,
   .destroy = destroy,
};

/*
 * Unbinds all vertex buffers: a draw may have bindings that no attribute reads and that the program
 * did not bind.
 */
static void
unbind_vertex_buffers(struct sdvk_cmd_buffer *cmd)
{
   static const struct sundog_mem_range none[SUNDOG_MAX_VERTEX_BUFFERS];
   const struct sundog_cmd_bind_vertex_ranges bind = {.count = SUNDOG_MAX_VERTEX_BUFFERS};

   sundog_emit_bind_vertex_ranges(sdvk_cmd_packet(cmd), &bind, none);
}

static void
inherit(struct sdvk_rendering *rendering, const VkCommandBufferInheritanceRenderingInfo *info,
        const VkRenderingInfo *resume)
{
   rendering->active = true;
   for (uint32_t i = 0; i < MIN2(info->colorAttachmentCount, SUNDOG_MAX_COLOR_ATTACHMENTS); i++)
      rendering->colors |= info->pColorAttachmentFormats[i] ? BITFIELD_BIT(i) : 0;
   rendering->color_count = util_last_bit(rendering->colors);
   rendering->depth = info->depthAttachmentFormat;
   rendering->stencil = info->stencilAttachmentFormat;
   rendering->view_mask = info->viewMask;
   if (resume)
      sdvk_rendering_describe(rendering, resume);
}

/*
 * Takes the output locations of attachments from the inheritance info. Without them, attachment i
 * has location i.
 */
static void
inherit_locations(struct sdvk_cmd_buffer *cmd, const VkCommandBufferInheritanceInfo *info)
{
   const VkRenderingAttachmentLocationInfoKHR *locations =
      vk_find_struct_const(info->pNext, RENDERING_ATTACHMENT_LOCATION_INFO_KHR);

   if (locations)
      vk_cmd_set_rendering_attachment_locations(&cmd->vk, locations);
}

static bool
inherits_condition(const VkCommandBufferInheritanceInfo *info)
{
   const VkCommandBufferInheritanceConditionalRenderingInfoEXT *condition =
      vk_find_struct_const(info->pNext, COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);

   return condition && condition->conditionalRenderingEnable;
}

/*
 * Returns true if the primary may have a query or a condition active. The inheritance info has to
 * announce them (VUID-vkCmdExecuteCommands-commandBuffer-00102,
 * VUID-vkCmdExecuteCommands-commandBuffer-00104). Queries of other types are not inherited
 * (VUID-vkCmdExecuteCommands-commandBuffer-07594).
 */
static bool
inherits_open(const VkCommandBufferInheritanceInfo *info)
{
   return info->occlusionQueryEnable || info->pipelineStatistics || inherits_condition(info);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo *pBeginInfo)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   char data[VK_GCBIARR_DATA_SIZE(SUNDOG_MAX_COLOR_ATTACHMENTS)];
   const VkCommandBufferInheritanceRenderingInfo *inherited =
      vk_get_command_buffer_inheritance_rendering_info(cmd->vk.level, pBeginInfo);

   vk_command_buffer_begin(&cmd->vk, pBeginInfo);
   /* With shader objects no other state implies depth clipping, and programs need not set it. */
   cmd->vk.dynamic_graphics_state.rs.depth_clip_enable = VK_MESA_DEPTH_CLIP_ENABLE_NOT_CLAMP;
   cmd->all_dirty = true;
   cmd->inherits_condition = cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY &&
                             inherits_condition(pBeginInfo->pInheritanceInfo);
   if (inherited) {
      /*
       * If a query or condition may be active, only the primary knows whether the rendering may be
       * restarted.
       */
      inherit(&cmd->rendering, inherited,
              inherits_open(pBeginInfo->pInheritanceInfo)
                 ? NULL
                 : vk_get_command_buffer_inheritance_as_rendering_resume(cmd->vk.level, pBeginInfo,
                                                                         data));
      inherit_locations(cmd, pBeginInfo->pInheritanceInfo);
   }
   unbind_vertex_buffers(cmd);
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_EndCommandBuffer(VkCommandBuffer commandBuffer)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   const struct sundog_stream *packets = &cmd->stream.packets;
   bool is_full;

   /* The primary copies the queries of a command buffer that is within a rendering. */
   if (!cmd->rendering.active)
      sdvk_cmd_copy_ended_queries(cmd);
   /* A command buffer is submitted in one stream, which does not grow much beyond the limit. */
   is_full = packets->used > SUNDOG_MAX_STREAM_DWORDS ||
             (packets->overflow && packets->size > SUNDOG_MAX_STREAM_DWORDS);
   if (packets->overflow && !is_full)
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (is_full)
      vk_command_buffer_set_error(&cmd->vk,
                                  vk_errorf(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                            "a command buffer has more than %u bytes of packets",
                                            SUNDOG_MAX_STREAM_DWORDS * 4));
   return vk_command_buffer_end(&cmd->vk);
}

static void
apply_mark(struct sdvk_cmd_buffer *cmd, const struct sdvk_mark *mark)
{
   switch (mark->kind) {
   case SDVK_MARK_RESTART:
      sdvk_cmd_restart_rendering(cmd, &mark->barrier, &mark->condition);
      break;
   case SDVK_MARK_PAUSE:
      sdvk_cmd_pause_condition(cmd);
      break;
   case SDVK_MARK_RESUME:
      sdvk_cmd_resume_condition(cmd);
      break;
   }
}

/*
 * Appends the packets of @secondary, and does at its marks what only the primary can do.
 */
static void
append_packets(struct sdvk_cmd_buffer *cmd, const struct sdvk_cmd_buffer *secondary)
{
   const struct sundog_stream *packets = &secondary->stream.packets;
   uint32_t at = 0;

   util_dynarray_foreach (&secondary->marks, struct sdvk_mark, mark) {
      if (mark->kind == SDVK_MARK_RESTART && cmd->rendering.open)
         continue;
      sdvk_stream_append(&cmd->stream, packets->map + at, mark->at - at);
      at = mark->at;
      apply_mark(cmd, mark);
   }
   sdvk_stream_append(&cmd->stream, packets->map + at, packets->used - at);
   cmd->stream.packets.overflow |= packets->overflow;
}

static void
append_ended_queries(struct sdvk_cmd_buffer *cmd, const struct util_dynarray *ended)
{
   void *at = ended->size ? sdvk_cmd_grow(cmd, &cmd->ended_queries, ended->size, 1) : NULL;

   if (at)
      memcpy(at, ended->data, ended->size);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdExecuteCommands(VkCommandBuffer commandBuffer, uint32_t commandBufferCount,
                        const VkCommandBuffer *pCommandBuffers)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   /* The secondaries may reset queries that ended here. */
   if (!cmd->rendering.active)
      sdvk_cmd_copy_ended_queries(cmd);
   for (uint32_t i = 0; i < commandBufferCount; i++) {
      VK_FROM_HANDLE(sdvk_cmd_buffer, secondary, pCommandBuffers[i]);

      append_packets(cmd, secondary);
      sdvk_cmd_count_results(cmd, secondary->n_results);
      append_ended_queries(cmd, &secondary->ended_queries);
      util_dynarray_foreach(&secondary->host_uses, struct sdvk_host_use, use)
         sdvk_cmd_use_host(cmd, use->import, use->written);
   }
   /* All state is undefined now (Vulkan 1.4, 6 Command Buffers). */
   cmd->all_dirty = true;
   sdvk_cmd_forget_sets(cmd);
}

void
sdvk_cmd_bind_program(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program)
{
   const struct sdvk_program *last = cmd->programs[program->compute];

   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++) {
      if ((i == SUNDOG_STAGE_COMPUTE) == program->compute)
         cmd->shaders[i] = program->shaders[i];
   }
   cmd->programs[program->compute] = program;
   cmd->shaders_dirty = true;
   /* Blend factors depend on the second colour, see packet_factor(). */
   if (last && last->second_color != program->second_color)
      BITSET_SET(cmd->vk.dynamic_graphics_state.dirty, MESA_VK_DYNAMIC_CB_BLEND_EQUATIONS);
}

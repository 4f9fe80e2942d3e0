/* SPDX-License-Identifier: MIT */
/*
 * Dynamic rendering; Mesa's runtime translates render passes to it. The thread that records the
 * command buffer calls this; the program keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_texels.h"
#include "util/macros.h"
#include "vk_common_entrypoints.h"
#include "vk_format.h"
#include "vk_util.h"

/*
 * A rendering that resumes another one does not perform load operations, and one that is suspended
 * performs no store and resolve operations (Vulkan 1.4, VkRenderingAttachmentInfo).
 */
static enum sundog_load_op
packet_load(VkAttachmentLoadOp op, bool resuming)
{
   if (resuming)
      return SUNDOG_LOAD_OP_LOAD;
   switch (op) {
   case VK_ATTACHMENT_LOAD_OP_CLEAR:
      return SUNDOG_LOAD_OP_CLEAR;
   case VK_ATTACHMENT_LOAD_OP_DONT_CARE:
      return SUNDOG_LOAD_OP_DONT_CARE;
   default:
      return SUNDOG_LOAD_OP_LOAD;
   }
}

static struct sundog_attachment
packet_attachment(const VkRenderingAttachmentInfo *info, bool resuming)
{
   struct sundog_attachment out = {0};

   if (!info || !info->imageView)
      return out;
   VK_FROM_HANDLE(sdvk_image_view, view, info->imageView);
   out.view = view->attachment_id;
   out.load = packet_load(info->loadOp, resuming);
   /*
    * Always store: resolves and restarted renderings read the attachment, and it costs nothing for
    * the others.
    */
   out.store = SUNDOG_STORE_OP_STORE;
   memcpy(out.clear, &info->clearValue, sizeof(out.clear));
   if (vk_format_has_depth(view->vk.format))
      sdvk_clear_to_number(out.clear);
   return out;
}

static void
add_texels(struct sdvk_rendering *rendering, VkImageView _view)
{
   VK_FROM_HANDLE(sdvk_image_view, view, _view);

   if (view && view->texels.bo)
      rendering->texels[rendering->n_texels++] = view;
}

static void
add_resolve(struct sdvk_rendering *rendering, const VkRenderingAttachmentInfo *info,
            VkImageAspectFlagBits aspect)
{
   if (!info || !info->imageView || info->resolveMode == VK_RESOLVE_MODE_NONE)
      return;
   rendering->resolves[rendering->n_resolves++] = (struct sdvk_resolve){
      sdvk_image_view_from_handle(info->imageView),
      sdvk_image_view_from_handle(info->resolveImageView),
      aspect,
      info->resolveMode,
   };
}

/* Returns the number of colour attachments up to the last one that has a view. */
static uint32_t
count_colors(const VkRenderingInfo *info)
{
   uint32_t n = MIN2(info->colorAttachmentCount, SUNDOG_MAX_COLOR_ATTACHMENTS);

   while (n && !info->pColorAttachments[n - 1].imageView)
      n--;
   return n;
}

/* Returns the area of the only device of the group in a chain, which replaces @area, or @area. */
static const VkRect2D *
render_area(const void *chain, const VkRect2D *area)
{
   const VkDeviceGroupRenderPassBeginInfo *group =
      vk_find_struct_const(chain, DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);

   return group && group->deviceRenderAreaCount ? group->pDeviceRenderAreas : area;
}

/* Mesa makes renderings of render passes, without the area of the device group. */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginRenderPass2(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *info,
                         const VkSubpassBeginInfo *subpass)
{
   VkRenderPassBeginInfo begin = *info;

   begin.renderArea = *render_area(info->pNext, &info->renderArea);
   vk_common_CmdBeginRenderPass2(commandBuffer, &begin, subpass);
}

/* Clear values of packets have depth first, then stencil, as VkClearDepthStencilValue. */
void
sdvk_rendering_describe(struct sdvk_rendering *rendering, const VkRenderingInfo *info)
{
   const bool resuming = info->flags & VK_RENDERING_RESUMING_BIT;

   rendering->begin = (struct sundog_cmd_begin_rendering){
      .area = sdvk_packet_rect(render_area(info->pNext, &info->renderArea)),
      .layers = MAX2(info->layerCount, 1),
      .depth = packet_attachment(info->pDepthAttachment, resuming),
      .stencil = packet_attachment(info->pStencilAttachment, resuming),
      .count = count_colors(info),
   };
   rendering->n_texels = 0;
   for (uint32_t i = 0; i < rendering->begin.count; i++) {
      rendering->attachments[i] = packet_attachment(&info->pColorAttachments[i], resuming);
      add_texels(rendering, info->pColorAttachments[i].imageView);
      add_texels(rendering, info->pColorAttachments[i].resolveImageView);
   }
   rendering->known = true;
}

static void
emit_begin_multiview(struct sdvk_cmd_buffer *cmd)
{
   const struct sdvk_rendering *rendering = &cmd->rendering;
   const struct sundog_cmd_begin_multiview begin = {
      .area = rendering->begin.area,
      .view_mask = rendering->view_mask,
      .depth = rendering->begin.depth,
      .stencil = rendering->begin.stencil,
      .count = rendering->begin.count,
   };

   sundog_emit_begin_multiview(sdvk_cmd_packet(cmd), &begin, rendering->attachments);
}

/* Begins the rendering. Load operations become LOAD afterwards, for when it is restarted. */
static void
emit_begin(struct sdvk_cmd_buffer *cmd)
{
   struct sdvk_rendering *rendering = &cmd->rendering;

   sdvk_cmd_load_texels(cmd);
   if (rendering->view_mask)
      emit_begin_multiview(cmd);
   else
      sundog_emit_begin_rendering(sdvk_cmd_packet(cmd), &rendering->begin, rendering->attachments);
   rendering->begin.depth.load = rendering->begin.stencil.load = SUNDOG_LOAD_OP_LOAD;
   for (uint32_t i = 0; i < rendering->begin.count; i++)
      rendering->attachments[i].load = SUNDOG_LOAD_OP_LOAD;
}

/*
 * Ends the rendering, emits the barrier and begins the rendering again. A secondary command buffer
 * that does not know its attachments records a mark instead, for the primary. A
 * condition that began within the rendering is interrupted, too: that of @cmd, otherwise @condition
 * of the secondary that is executed.
 */
void
sdvk_cmd_restart_rendering(struct sdvk_cmd_buffer *cmd, const struct sundog_cmd_barrier *barrier,
                           const struct sdvk_condition *condition)
{
   if (cmd->condition.within)
      condition = &cmd->condition;
   if (!cmd->rendering.known) {
      sdvk_cmd_add_mark(cmd, (struct sdvk_mark){
         .kind = SDVK_MARK_RESTART,
         .barrier = *barrier,
         .condition = *condition,
      });
      return;
   }
   if (condition->within)
      sundog_emit_end_condition(sdvk_cmd_packet(cmd));
   sundog_emit_end_rendering(sdvk_cmd_packet(cmd));
   sdvk_cmd_store_texels(cmd);
   sundog_emit_barrier(sdvk_cmd_packet(cmd), barrier);
   emit_begin(cmd);
   if (condition->within)
      sundog_emit_begin_memory_condition(sdvk_cmd_packet(cmd), &condition->begin);
}

/* Resets output locations: attachment i has location i until a command sets others. */
static void
forget_locations(struct sdvk_cmd_buffer *cmd)
{
   const VkRenderingAttachmentLocationInfoKHR info = {.colorAttachmentCount =
                                                         SUNDOG_MAX_COLOR_ATTACHMENTS};

   vk_cmd_set_rendering_attachment_locations(&cmd->vk, &info);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBeginRendering(VkCommandBuffer commandBuffer, const VkRenderingInfo *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sdvk_rendering *rendering = &cmd->rendering;
   const bool suspending = info->flags & VK_RENDERING_SUSPENDING_BIT;

   *rendering = (struct sdvk_rendering){
      .active = true,
      .color_count = count_colors(info),
      .depth = info->pDepthAttachment && info->pDepthAttachment->imageView,
      .stencil = info->pStencilAttachment && info->pStencilAttachment->imageView,
      .area = *render_area(info->pNext, &info->renderArea),
      .layers = MAX2(info->layerCount, 1),
      .view_mask = info->viewMask,
   };
   for (uint32_t i = 0; i < rendering->color_count; i++) {
      const VkRenderingAttachmentInfo *color = &info->pColorAttachments[i];

      rendering->colors |= color->imageView ? BITFIELD_BIT(i) : 0;
      if (!suspending)
         add_resolve(rendering, color, VK_IMAGE_ASPECT_COLOR_BIT);
   }
   if (!suspending) {
      add_resolve(rendering, info->pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
      add_resolve(rendering, info->pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
   }
   sdvk_rendering_describe(rendering, info);
   emit_begin(cmd);
   forget_locations(cmd);
   /* The blend packet has as many attachments as the rendering. */
   BITSET_SET(cmd->vk.dynamic_graphics_state.dirty, MESA_VK_DYNAMIC_CB_ATTACHMENT_COUNT);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdEndRendering(VkCommandBuffer commandBuffer)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);

   sundog_emit_end_rendering(sdvk_cmd_packet(cmd));
   sdvk_cmd_resolve(cmd);
   sdvk_cmd_store_texels(cmd);
   cmd->rendering = (struct sdvk_rendering){0};
}

/*
 * Returns the packet's clear; without an aspect if the rendering has no such attachment: then the
 * clear has no effect (Vulkan 1.4, vkCmdClearAttachments()).
 */
static struct sundog_clear_attachment
packet_clear(const struct sdvk_rendering *rendering, const VkClearAttachment *clear)
{
   struct sundog_clear_attachment out = {0};

   if (clear->aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) {
      if (clear->colorAttachment < SUNDOG_MAX_COLOR_ATTACHMENTS &&
          (rendering->colors & BITFIELD_BIT(clear->colorAttachment))) {
         out.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
         out.index = clear->colorAttachment;
      }
   } else {
      out.aspect = clear->aspectMask & ((rendering->depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) |
                                        (rendering->stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0));
   }
   memcpy(out.clear, &clear->clearValue, sizeof(out.clear));
   if (out.aspect & VK_IMAGE_ASPECT_DEPTH_BIT)
      sdvk_clear_to_number(out.clear);
   return out;
}

static void
emit_clears(struct sdvk_cmd_buffer *cmd, const struct sundog_clear_attachment *attachment,
            const VkClearRect *rects, uint32_t n_rects)
{
   for (uint32_t i = 0; i < n_rects; i++) {
      const struct sundog_cmd_clear_attachments clear = {
         .rect = sdvk_packet_rect(&rects[i].rect),
         .base_layer = rects[i].baseArrayLayer,
         .layers = rects[i].layerCount,
         .count = 1,
      };

      sundog_emit_clear_attachments(sdvk_cmd_packet(cmd), &clear, attachment);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdClearAttachments(VkCommandBuffer commandBuffer, uint32_t attachmentCount,
                         const VkClearAttachment *pAttachments, uint32_t rectCount,
                         const VkClearRect *pRects)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   for (uint32_t i = 0; i < attachmentCount; i++) {
      const struct sundog_clear_attachment attachment =
         packet_clear(&cmd->rendering, &pAttachments[i]);

      if (attachment.aspect)
         emit_clears(cmd, &attachment, pRects, rectCount);
   }
}

/* SPDX-License-Identifier: MIT */
/* Renderings; render passes become those in the runtime. */
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_texels.h"
#include "util/macros.h"

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
   /* What is resolved, or drawn to again, must be there; it costs nothing to have the rest, too. */
   out.store = SUNDOG_STORE_OP_STORE;
   memcpy(out.clear, &info->clearValue, sizeof(out.clear));
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

/* Without those behind the last that is there. */
static uint32_t
count_colors(const VkRenderingInfo *info)
{
   uint32_t n = MIN2(info->colorAttachmentCount, SUNDOG_MAX_COLOR_ATTACHMENTS);

   while (n && !info->pColorAttachments[n - 1].imageView)
      n--;
   return n;
}

/* The value of a clear is depth first, then stencil. */
void
sdvk_rendering_describe(struct sdvk_rendering *rendering, const VkRenderingInfo *info)
{
   const bool resuming = info->flags & VK_RENDERING_RESUMING_BIT;

   rendering->begin = (struct sundog_cmd_begin_rendering){
      .area = sdvk_packet_rect(&info->renderArea),
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

/* What is there when it begins is loaded. */
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
 * One that does not know what is drawn to leaves it to whoever executes it. A condition that began within is @condition,
 * of a command buffer that is executed, or our own.
 */
void
sdvk_cmd_restart_rendering(struct sdvk_cmd_buffer *cmd, const struct sundog_cmd_barrier *barrier,
                           const struct sdvk_condition *condition)
{
   if (cmd->condition.within)
      condition = &cmd->condition;
   if (!cmd->rendering.known) {
      struct sdvk_restart *restart = sdvk_cmd_grow(cmd, &cmd->restarts, 1, sizeof(*restart));

      if (restart)
         *restart = (struct sdvk_restart){cmd->stream.packets.used, *barrier, *condition};
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

/* Until a command says something else, each attachment has the output of its own number. */
static void
forget_locations(struct sdvk_cmd_buffer *cmd)
{
   const VkRenderingAttachmentLocationInfoKHR info = {.colorAttachmentCount = SUNDOG_MAX_COLOR_ATTACHMENTS};

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
      .area = info->renderArea,
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
   /* Blending is set for as many attachments as there are. */
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

/* No aspect: the rendering has no such attachment, and nothing is cleared. */
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
      const struct sundog_clear_attachment attachment = packet_clear(&cmd->rendering, &pAttachments[i]);

      if (attachment.aspect)
         emit_clears(cmd, &attachment, pRects, rectCount);
   }
}

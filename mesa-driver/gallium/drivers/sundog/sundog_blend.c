/* SPDX-License-Identifier: MIT */
/* The blend state objects, the blend colour and their packets. The state tracker calls the pipe
 * functions, draws call the emit functions. Runs on the context's thread. */
#include "sundog_blend.h"

#include "sundog_context.h"
#include "sundog_fetch.h"
#include "sundog_render.h"
#include "util/format/u_format.h"
#include "util/u_dual_blend.h"
#include "util/u_memory.h"
#include "vulkan/vulkan_core.h"

static VkBlendFactor
blend_factor(unsigned factor)
{
   switch (factor) {
   case PIPE_BLENDFACTOR_ONE:
      return VK_BLEND_FACTOR_ONE;
   case PIPE_BLENDFACTOR_SRC_COLOR:
      return VK_BLEND_FACTOR_SRC_COLOR;
   case PIPE_BLENDFACTOR_SRC_ALPHA:
      return VK_BLEND_FACTOR_SRC_ALPHA;
   case PIPE_BLENDFACTOR_DST_ALPHA:
      return VK_BLEND_FACTOR_DST_ALPHA;
   case PIPE_BLENDFACTOR_DST_COLOR:
      return VK_BLEND_FACTOR_DST_COLOR;
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE:
      return VK_BLEND_FACTOR_SRC_ALPHA_SATURATE;
   case PIPE_BLENDFACTOR_CONST_COLOR:
      return VK_BLEND_FACTOR_CONSTANT_COLOR;
   case PIPE_BLENDFACTOR_CONST_ALPHA:
      return VK_BLEND_FACTOR_CONSTANT_ALPHA;
   case PIPE_BLENDFACTOR_SRC1_COLOR:
      return VK_BLEND_FACTOR_SRC1_COLOR;
   case PIPE_BLENDFACTOR_SRC1_ALPHA:
      return VK_BLEND_FACTOR_SRC1_ALPHA;
   case PIPE_BLENDFACTOR_INV_SRC_COLOR:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR;
   case PIPE_BLENDFACTOR_INV_SRC_ALPHA:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
   case PIPE_BLENDFACTOR_INV_DST_ALPHA:
      return VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA;
   case PIPE_BLENDFACTOR_INV_DST_COLOR:
      return VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR;
   case PIPE_BLENDFACTOR_INV_CONST_COLOR:
      return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR;
   case PIPE_BLENDFACTOR_INV_CONST_ALPHA:
      return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
   case PIPE_BLENDFACTOR_INV_SRC1_COLOR:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR;
   case PIPE_BLENDFACTOR_INV_SRC1_ALPHA:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
   default:
      return VK_BLEND_FACTOR_ZERO;
   }
}

static void
fill_attachment(struct sundog_blend_attachment *out, const struct pipe_rt_blend_state *rt)
{
   /* PIPE_BLEND_* and PIPE_MASK_* have the same values as in Vulkan. */
   STATIC_ASSERT(PIPE_BLEND_MAX == (int)VK_BLEND_OP_MAX);
   STATIC_ASSERT(PIPE_MASK_A == (int)VK_COLOR_COMPONENT_A_BIT);
   out->enable = rt->blend_enable;
   out->write_mask = rt->colormask;
   if (!rt->blend_enable)
      return;
   out->src_color = blend_factor(rt->rgb_src_factor);
   out->dst_color = blend_factor(rt->rgb_dst_factor);
   out->color_op = rt->rgb_func;
   out->src_alpha = blend_factor(rt->alpha_src_factor);
   out->dst_alpha = blend_factor(rt->alpha_dst_factor);
   out->alpha_op = rt->alpha_func;
}

static VkLogicOp
logic_op(unsigned op)
{
   static const VkLogicOp ops[] = {
      [PIPE_LOGICOP_CLEAR] = VK_LOGIC_OP_CLEAR,
      [PIPE_LOGICOP_NOR] = VK_LOGIC_OP_NOR,
      [PIPE_LOGICOP_AND_INVERTED] = VK_LOGIC_OP_AND_INVERTED,
      [PIPE_LOGICOP_COPY_INVERTED] = VK_LOGIC_OP_COPY_INVERTED,
      [PIPE_LOGICOP_AND_REVERSE] = VK_LOGIC_OP_AND_REVERSE,
      [PIPE_LOGICOP_INVERT] = VK_LOGIC_OP_INVERT,
      [PIPE_LOGICOP_XOR] = VK_LOGIC_OP_XOR,
      [PIPE_LOGICOP_NAND] = VK_LOGIC_OP_NAND,
      [PIPE_LOGICOP_AND] = VK_LOGIC_OP_AND,
      [PIPE_LOGICOP_EQUIV] = VK_LOGIC_OP_EQUIVALENT,
      [PIPE_LOGICOP_NOOP] = VK_LOGIC_OP_NO_OP,
      [PIPE_LOGICOP_OR_INVERTED] = VK_LOGIC_OP_OR_INVERTED,
      [PIPE_LOGICOP_COPY] = VK_LOGIC_OP_COPY,
      [PIPE_LOGICOP_OR_REVERSE] = VK_LOGIC_OP_OR_REVERSE,
      [PIPE_LOGICOP_OR] = VK_LOGIC_OP_OR,
      [PIPE_LOGICOP_SET] = VK_LOGIC_OP_SET,
   };

   return ops[op];
}

static void *
sdog_create_blend_state(struct pipe_context *pctx, const struct pipe_blend_state *state)
{
   struct sdog_blend *blend = CALLOC_STRUCT(sdog_blend);

   if (!blend)
      return NULL;
   blend->base = *state;
   blend->dual_source = state->rt[0].blend_enable && util_blend_state_is_dual(state, 0);
   blend->cmd.logic_enable = state->logicop_enable;
   blend->cmd.logic_op = logic_op(state->logicop_func);
   for (unsigned i = 0; i < PIPE_MAX_COLOR_BUFS; i++)
      fill_attachment(&blend->attachments[i],
                      &state->rt[state->independent_blend_enable ? i : 0]);
   return blend;
}

static void
sdog_bind_blend_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->blend = cso;
   ctx->dirty |= SDOG_DIRTY_BLEND | SDOG_DIRTY_MULTISAMPLE | SDOG_DIRTY_SHADER_KEY;
}

static void
sdog_delete_blend_state(struct pipe_context *pctx, void *cso)
{
   FREE(cso);
}

static void
sdog_set_blend_color(struct pipe_context *pctx, const struct pipe_blend_color *color)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->blend_color = *color;
   ctx->dirty |= SDOG_DIRTY_BLEND_COLOR;
}

static bool
is_integer(const struct pipe_framebuffer_state *fb, unsigned index)
{
   return index < fb->nr_cbufs && fb->cbufs[index] &&
          util_format_is_pure_integer(fb->cbufs[index]->format);
}

/* Enables blending with factors that ignore the framebuffer. */
static void
blend_with_nothing(struct sundog_blend_attachment *attachment)
{
   attachment->enable = true;
   attachment->src_color = attachment->src_alpha = VK_BLEND_FACTOR_ONE;
   attachment->dst_color = attachment->dst_alpha = VK_BLEND_FACTOR_ZERO;
   attachment->color_op = attachment->alpha_op = VK_BLEND_OP_ADD;
}

/*
 * The host may drop fragments below a primitive that neither blends nor has a logic operation, even
 * if its shader fetches their colours (feature ORDERED_FETCH). Blending that changes nothing
 * prevents that. Integer formats cannot be blended, so they get the logic operation COPY. It
 * disables blending in all buffers, so it is left out if another buffer blends; that is safe with
 * llvmpipe, which drops no fragments in a rendering with several buffers.
 */
static void
keep_for_fetch(const struct sdog_context *ctx, struct sundog_cmd_set_blend *cmd,
               struct sundog_blend_attachment *attachments)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   bool integers = false, blends = false;

   if (cmd->logic_enable)
      return;
   u_foreach_bit(i, sdog_fetched_colors(ctx) & BITFIELD_MASK(cmd->count)) {
      if (is_integer(fb, i))
         integers = true;
      else if (!attachments[i].enable)
         blend_with_nothing(&attachments[i]);
   }
   for (unsigned i = 0; i < cmd->count; i++)
      blends |= attachments[i].enable && !is_integer(fb, i);
   if (integers && !blends) {
      cmd->logic_enable = true;
      cmd->logic_op = VK_LOGIC_OP_COPY;
   }
}

void
sdog_blend_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_set_blend cmd = ctx->blend->cmd;
   struct sundog_blend_attachment attachments[PIPE_MAX_COLOR_BUFS];

   memcpy(attachments, ctx->blend->attachments, sizeof(attachments));
   cmd.count = sdog_color_count(&ctx->framebuffer);
   /* The device supports dual-source blending with a single colour buffer only, as
    * MAX_DUAL_SOURCE_DRAW_BUFFERS says (OpenGL 4.6, 17.3.6.3 Dual Source Blending and Multiple Draw
    * Buffers). GL rejects dual-source blending for the other buffers and leaves the result in the
    * first one undefined. */
   if (ctx->blend->dual_source && cmd.count > 1)
      attachments[0].enable = false;
   keep_for_fetch(ctx, &cmd, attachments);
   sundog_emit_set_blend(ctx->batch.stream, &cmd, attachments);
}

void
sdog_blend_constants_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_set_blend_constants cmd;

   memcpy(cmd.color, ctx->blend_color.color, sizeof(cmd.color));
   sundog_emit_set_blend_constants(ctx->batch.stream, &cmd);
}

void
sdog_init_blend_functions(struct pipe_context *pctx)
{
   pctx->create_blend_state = sdog_create_blend_state;
   pctx->bind_blend_state = sdog_bind_blend_state;
   pctx->delete_blend_state = sdog_delete_blend_state;
   pctx->set_blend_color = sdog_set_blend_color;
}

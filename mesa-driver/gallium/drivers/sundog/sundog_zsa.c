/* SPDX-License-Identifier: MIT */
/* The depth and stencil state objects and their packets. The state tracker calls the pipe
 * functions, draws the others. Runs on the context's thread. */
#include "sundog_zsa.h"

#include "sundog_context.h"
#include "util/u_memory.h"
#include "vulkan/vulkan_core.h"

static VkStencilOp
stencil_op(unsigned op)
{
   static const VkStencilOp ops[] = {
      [PIPE_STENCIL_OP_KEEP] = VK_STENCIL_OP_KEEP,
      [PIPE_STENCIL_OP_ZERO] = VK_STENCIL_OP_ZERO,
      [PIPE_STENCIL_OP_REPLACE] = VK_STENCIL_OP_REPLACE,
      [PIPE_STENCIL_OP_INCR] = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
      [PIPE_STENCIL_OP_DECR] = VK_STENCIL_OP_DECREMENT_AND_CLAMP,
      [PIPE_STENCIL_OP_INCR_WRAP] = VK_STENCIL_OP_INCREMENT_AND_WRAP,
      [PIPE_STENCIL_OP_DECR_WRAP] = VK_STENCIL_OP_DECREMENT_AND_WRAP,
      [PIPE_STENCIL_OP_INVERT] = VK_STENCIL_OP_INVERT,
   };

   return ops[op];
}

static void
fill_face(struct sundog_stencil_face *out, const struct pipe_stencil_state *face)
{
   out->fail_op = stencil_op(face->fail_op);
   out->pass_op = stencil_op(face->zpass_op);
   out->depth_fail_op = stencil_op(face->zfail_op);
   out->compare_op = face->func;
   out->compare_mask = face->valuemask;
   out->write_mask = face->writemask;
}

static void *
sdog_create_zsa_state(struct pipe_context *pctx,
                      const struct pipe_depth_stencil_alpha_state *state)
{
   struct sdog_zsa *zsa = CALLOC_STRUCT(sdog_zsa);
   struct sundog_cmd_set_depth_stencil *cmd;

   if (!zsa)
      return NULL;
   /* PIPE_FUNC_* have the same values as in Vulkan. */
   STATIC_ASSERT(PIPE_FUNC_ALWAYS == (int)VK_COMPARE_OP_ALWAYS);
   cmd = &zsa->cmd;
   cmd->flags = (state->depth_enabled ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST : 0) |
                (state->depth_writemask ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE : 0) |
                (state->depth_bounds_test ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS : 0) |
                (state->stencil[0].enabled ? SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST : 0);
   cmd->depth_compare = state->depth_func;
   cmd->bounds_min = state->depth_bounds_min;
   cmd->bounds_max = state->depth_bounds_max;
   zsa->two_sided = state->stencil[1].enabled;
   fill_face(&cmd->front, &state->stencil[0]);
   fill_face(&cmd->back, &state->stencil[zsa->two_sided]);
   return zsa;
}

static void
sdog_bind_zsa_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->zsa = cso;
   ctx->dirty |= SDOG_DIRTY_ZSA | SDOG_DIRTY_STENCIL_REF;
}

static void
sdog_delete_zsa_state(struct pipe_context *pctx, void *cso)
{
   FREE(cso);
}

static void
sdog_set_stencil_ref(struct pipe_context *pctx, const struct pipe_stencil_ref ref)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->stencil_ref = ref;
   ctx->dirty |= SDOG_DIRTY_STENCIL_REF;
}

/* GL passes the tests if there is no depth or stencil buffer (OpenGL 4.6, 17.3.3 Stencil Test and
 * 17.3.4 Depth Buffer Test). On the device, they must not be enabled then. */
void
sdog_depth_stencil_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_set_depth_stencil cmd = ctx->zsa->cmd;

   if (!ctx->framebuffer.zsbuf)
      cmd.flags = 0;
   sundog_emit_set_depth_stencil(ctx->batch.stream, &cmd);
}

void
sdog_stencil_reference_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_set_stencil_reference cmd = {
      .front = ctx->stencil_ref.ref_value[0],
      .back = ctx->stencil_ref.ref_value[ctx->zsa->two_sided],
   };

   sundog_emit_set_stencil_reference(ctx->batch.stream, &cmd);
}

void
sdog_init_zsa_functions(struct pipe_context *pctx)
{
   pctx->create_depth_stencil_alpha_state = sdog_create_zsa_state;
   pctx->bind_depth_stencil_alpha_state = sdog_bind_zsa_state;
   pctx->delete_depth_stencil_alpha_state = sdog_delete_zsa_state;
   pctx->set_stencil_ref = sdog_set_stencil_ref;
}

/* SPDX-License-Identifier: MIT */
/* Tracks hazards between the uses of a resource within one submission and emits the barriers: see
 * sundog_barrier.h. Draws, clears, dispatches and transfers call it, on their context's thread. */
#include "sundog_barrier.h"

#include "sundog_context.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "util/bitscan.h"
#include "util/u_atomic.h"
#include "vulkan/vulkan_core.h"

#define VERTEX_STAGES                                                                              \
   (VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |  \
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |                                       \
    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT)
#define SHADER_STAGES (VERTEX_STAGES | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT)

/* The types of resource that a use applies to. */
enum use_kind {
   BUFFERS = BITFIELD_BIT(0),
   IMAGES = BITFIELD_BIT(1),
};

struct use_masks {
   uint64_t stages;
   uint64_t access;
   uint32_t kinds;
   bool writes;
   /* The accesses are made by shader instructions, which nothing orders implicitly. */
   bool storage;
};

static const struct use_masks uses[SDOG_NUM_USES] = {
   [SDOG_USE_VERTEX_TEXTURE] = {VERTEX_STAGES, VK_ACCESS_2_SHADER_READ_BIT, BUFFERS | IMAGES},
   [SDOG_USE_FRAGMENT_TEXTURE] = {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                  VK_ACCESS_2_SHADER_READ_BIT, BUFFERS | IMAGES},
   [SDOG_USE_COLOR] = {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
                          VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                       IMAGES, .writes = true},
   [SDOG_USE_DEPTH] = {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                          VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                       VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                          VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                       IMAGES, .writes = true},
   [SDOG_USE_VERTEX] = {VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT,
                        VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT, BUFFERS},
   [SDOG_USE_INDEX] = {VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT, BUFFERS},
   [SDOG_USE_INDIRECT] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                          VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, BUFFERS},
   [SDOG_USE_UNIFORM] = {SHADER_STAGES, VK_ACCESS_2_UNIFORM_READ_BIT, BUFFERS},
   [SDOG_USE_STORAGE_READ] = {SHADER_STAGES, VK_ACCESS_2_SHADER_READ_BIT, BUFFERS | IMAGES,
                              .storage = true},
   [SDOG_USE_STORAGE_WRITE] = {SHADER_STAGES,
                               VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT,
                               BUFFERS | IMAGES, .writes = true, .storage = true},
   [SDOG_USE_FEEDBACK] = {VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                          VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT |
                             VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
                             VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
                          BUFFERS, .writes = true},
   [SDOG_USE_DRAW_COUNT] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                            VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT, BUFFERS},
   [SDOG_USE_TRANSFER_READ] = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                               VK_ACCESS_2_TRANSFER_READ_BIT, BUFFERS | IMAGES},
   [SDOG_USE_TRANSFER_WRITE] = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                IMAGES, .writes = true},
   [SDOG_USE_BUFFER_WRITE] = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                              VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
                              BUFFERS, .writes = true},
};

static uint64_t clock_now = 1;

static bool
storage_conflicts(const struct sdog_hazards *hazards, const struct sdog_resource *rsc,
                  enum sdog_use use)
{
   return rsc->storage_time >= hazards->visible[use] &&
          (!uses[use].storage || rsc->storage_time < hazards->fence);
}

/* Returns true if @use of @rsc needs a barrier after the earlier uses in this submission. */
static bool
use_conflicts(const struct sdog_hazards *hazards, const struct sdog_resource *rsc,
              enum sdog_use use)
{
   uint64_t visible = hazards->visible[use];

   return rsc->write_time >= visible || (uses[use].writes && rsc->read_time >= visible) ||
          storage_conflicts(hazards, rsc, use);
}

static bool
must_precede(enum sdog_use earlier, enum sdog_use later)
{
   return (uses[earlier].writes || uses[later].writes) &&
          (uses[earlier].kinds & uses[later].kinds);
}

/* Returns the mask of earlier uses that a barrier before @use must wait for. */
static uint32_t
earlier_uses(const struct sdog_hazards *hazards, enum sdog_use use)
{
   uint32_t earlier = 0;

   for (unsigned i = 0; i < SDOG_NUM_USES; i++) {
      if (hazards->last[i] >= hazards->visible[use] && must_precede(i, use))
         earlier |= BITFIELD_BIT(i);
   }
   return earlier;
}

/* Returns true if some hosts may treat a barrier from @earlier to @use as a no-op: hosts that
 * execute draws in order and copies in order after draws, and hosts that complete transform
 * feedback with its draw. */
static bool
may_be_ordered(uint32_t earlier, enum sdog_use use)
{
   const uint32_t fragments = BITFIELD_BIT(SDOG_USE_FRAGMENT_TEXTURE) |
                              BITFIELD_BIT(SDOG_USE_COLOR) | BITFIELD_BIT(SDOG_USE_DEPTH);
   const uint32_t transfers = BITFIELD_BIT(SDOG_USE_TRANSFER_READ) |
                              BITFIELD_BIT(SDOG_USE_TRANSFER_WRITE) |
                              BITFIELD_BIT(SDOG_USE_BUFFER_WRITE);

   return !(earlier & ~BITFIELD_BIT(SDOG_USE_FEEDBACK)) ||
          (!(earlier & ~fragments) && (BITFIELD_BIT(use) & (fragments | transfers)));
}

static void
emit_barrier(struct sdog_context *ctx, uint32_t earlier, uint32_t later)
{
   struct sdog_hazards *hazards = &ctx->hazards;
   struct sundog_cmd_barrier cmd = {0};

   assert(!ctx->rendering);
   u_foreach_bit(i, earlier) {
      cmd.src_stages |= uses[i].stages;
      if (uses[i].writes)
         cmd.src_access |= uses[i].access;
   }
   hazards->now = p_atomic_inc_return(&clock_now);
   u_foreach_bit(i, later) {
      cmd.dst_stages |= uses[i].stages;
      cmd.dst_access |= uses[i].access;
      hazards->visible[i] = hazards->now;
   }
   sundog_emit_barrier(ctx->batch.stream, &cmd);
}

void
sdog_barrier_all(struct sdog_context *ctx)
{
   const uint32_t all = BITFIELD_MASK(SDOG_NUM_USES);

   emit_barrier(ctx, all, all);
}

/* Makes all earlier work visible to at least the uses in @later. */
static void
barrier(struct sdog_context *ctx, uint32_t later)
{
   /* A host that does not skip a barrier waits for all earlier work, so one barrier for all uses
    * costs no more. */
   u_foreach_bit(use, later) {
      if (!may_be_ordered(earlier_uses(&ctx->hazards, use), use)) {
         sdog_barrier_all(ctx);
         return;
      }
   }
   u_foreach_bit(use, later)
      emit_barrier(ctx, earlier_uses(&ctx->hazards, use), BITFIELD_BIT(use));
}

void
sdog_use_resource(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use)
{
   struct sdog_hazards *hazards = &ctx->hazards;
   uint64_t *time = &rsc->read_time;
   uint32_t access = SUNDOG_ACCESS_READ;

   if (uses[use].writes) {
      time = uses[use].storage ? &rsc->storage_time : &rsc->write_time;
      access |= SUNDOG_ACCESS_WRITE;
   }
   hazards->last[use] = hazards->now;
   *time = MAX2(*time, hazards->now);
   sdog_batch_add(ctx, rsc, access);
}

void
sdog_uses_look(struct sdog_context *ctx)
{
   ctx->hazards.looking = true;
   ctx->hazards.conflicts = 0;
   ctx->hazards.unlisted = 0;
}

bool
sdog_uses_fit(struct sdog_context *ctx)
{
   ctx->hazards.looking = false;
   if (sdog_batch_make_room(ctx, ctx->hazards.unlisted))
      return false;
   ctx->hazards.looking = true;
   return true;
}

void
sdog_uses_note(struct sdog_context *ctx)
{
   barrier(ctx, ctx->hazards.conflicts);
   ctx->hazards.looking = false;
}

void
sdog_use_for_draw(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use)
{
   struct sdog_hazards *hazards = &ctx->hazards;

   if (!hazards->looking) {
      sdog_use_resource(ctx, rsc, use);
      return;
   }
   hazards->unlisted += sdog_batch_missing(&ctx->batch, rsc);
   if (use_conflicts(hazards, rsc, use))
      hazards->conflicts |= BITFIELD_BIT(use);
}

void
sdog_order(struct sdog_context *ctx, const struct sdog_resource *rsc, enum sdog_use use)
{
   if (use_conflicts(&ctx->hazards, rsc, use))
      barrier(ctx, BITFIELD_BIT(use));
}

void
sdog_hazards_reset(struct sdog_hazards *hazards)
{
   hazards->now = p_atomic_inc_return(&clock_now);
   for (unsigned i = 0; i < SDOG_NUM_USES; i++)
      hazards->visible[i] = hazards->now;
}

static void
sdog_memory_barrier(struct pipe_context *pctx, unsigned flags)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_hazards *hazards = &ctx->hazards;

   if (hazards->last[SDOG_USE_STORAGE_WRITE] < hazards->fence ||
       hazards->last[SDOG_USE_STORAGE_WRITE] < hazards->visible[SDOG_USE_STORAGE_WRITE])
      return;
   /* The next draw checks all its uses for hazards and begins another rendering. */
   sdog_render_end(ctx);
   hazards->now = hazards->fence = p_atomic_inc_return(&clock_now);
}

void
sdog_init_barrier_functions(struct pipe_context *pctx)
{
   pctx->memory_barrier = sdog_memory_barrier;
}

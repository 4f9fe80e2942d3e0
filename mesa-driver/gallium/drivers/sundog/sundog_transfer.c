/* SPDX-License-Identifier: MIT */
/* Maps resources for the CPU: directly, after waiting, after a replacement of the memory, or
 * through staging memory. Runs on the context's thread. */
#include "sundog_transfer.h"

#include <inttypes.h>

#include "sundog_context.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_upload.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_inlines.h"
#include "util/u_transfer.h"
#include "util/u_upload_mgr.h"

/* Busy buffers up to this size are copied to new memory by the CPU instead of waiting for the
 * device. */
#define RENAME_COPY_LIMIT (1u << 20)
/* Up to RENAME_CHEAP_SIZE, a copy by the CPU costs less than a copy from staging memory by the
 * device. The same holds if the program writes at least 1/RENAME_CHEAP_PART of the buffer. */
#define RENAME_CHEAP_SIZE (64u << 10)
#define RENAME_CHEAP_PART 4

/* While the CPU writes this much, the device has time to execute the earlier commands. */
#define LARGE_WRITE (1u << 20)

struct sdog_transfer {
   struct pipe_transfer base;
   /* Holds the data until unmap, or NULL if the resource itself is mapped. */
   struct pipe_resource *staging;
   unsigned staging_offset;
   /* Size of the staged data; 0 after the first copy from it. */
   uint64_t staged;
   /* For a multisampled image: the transfer of @staging, which has one sample. */
   struct pipe_transfer *resolved;
};

static struct sdog_transfer *
sdog_transfer(struct pipe_transfer *ptrans)
{
   return (struct sdog_transfer *)ptrans;
}

/* Returns true if the submission being built uses the memory in a way that the CPU has to wait
 * for. */
static bool
is_pending(const struct sdog_context *ctx, const struct sdog_resource *rsc, bool write)
{
   uint32_t access = sdog_batch_access(&ctx->batch, rsc);

   return access & (write ? SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE : SUNDOG_ACCESS_WRITE);
}

/* Waits for the jobs of other APIs that use the memory and that the program made the context wait
 * for. They may have left no implicit fence: submissions of the Vulkan driver have none. Returns
 * false on a timeout. */
static bool
wait_for_others(struct sdog_context *ctx, const struct sdog_resource *rsc, int timeout_ms)
{
   return !rsc->shared || sdog_batch_wait_in_fence(ctx, timeout_ms);
}

static bool
is_busy(struct sdog_context *ctx, const struct sdog_resource *rsc, bool write)
{
   sdog_uploads_settle(ctx);
   return is_pending(ctx, rsc, write) || !wait_for_others(ctx, rsc, 0) ||
          sdrm_bo_wait(rsc->bo, write, 0) != 0;
}

void
sdog_resource_wait(struct sdog_context *ctx, struct sdog_resource *rsc, bool write)
{
   sdog_render_flush_clears(ctx, &rsc->base);
   if (is_pending(ctx, rsc, write))
      sdog_batch_flush(ctx);
   if (wait_for_others(ctx, rsc, 0) && sdrm_bo_wait(rsc->bo, write, 0) == 0)
      return;
   if (SDOG_DBG(PERF))
      mesa_logi("sundog: the CPU waits for a resource of %" PRIu64 " bytes", rsc->size);
   wait_for_others(ctx, rsc, -1);
   sdrm_bo_wait(rsc->bo, write, SDRM_FOREVER);
   /* The worker may have ended during the wait. */
   sdog_uploads_settle(ctx);
   sdrm_bo_wait(rsc->bo, write, SDRM_FOREVER);
}

/* Flushes before the CPU writes much, so that the device starts to execute. It may be done by the
 * next such write, which then needs neither a wait nor other memory, which would not be in the
 * CPU's caches. */
static void
before_write(struct sdog_context *ctx, unsigned usage, uint64_t bytes)
{
   if ((usage & PIPE_MAP_WRITE) && !(usage & PIPE_MAP_UNSYNCHRONIZED) && bytes >= LARGE_WRITE &&
       ctx->batch.listed)
      sdog_batch_flush(ctx);
}

static struct sdog_transfer *
transfer_new(struct sdog_context *ctx, struct pipe_resource *prsc, unsigned level, unsigned usage,
             const struct pipe_box *box)
{
   struct sdog_transfer *trans;

   trans = slab_zalloc(&ctx->transfer_pool);
   if (!trans)
      return NULL;
   pipe_resource_reference(&trans->base.resource, prsc);
   trans->base.level = level;
   trans->base.usage = usage;
   trans->base.box = *box;
   return trans;
}

static void
transfer_del(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   pipe_resource_reference(&trans->base.resource, NULL);
   pipe_resource_reference(&trans->staging, NULL);
   slab_free(&ctx->transfer_pool, trans);
}

/* Buffers */

/* Adjusts @usage: a range that was never written has no user to wait for. */
static unsigned
buffer_usage(const struct sdog_resource *rsc, unsigned usage, const struct pipe_box *box)
{
   if (!rsc->shared && (usage & PIPE_MAP_WRITE) &&
       !util_ranges_intersect(&rsc->valid_range, box->x, box->x + box->width))
      usage |= PIPE_MAP_UNSYNCHRONIZED;
   if ((usage & PIPE_MAP_DISCARD_RANGE) && box->x == 0 && box->width == rsc->base.width0)
      usage |= PIPE_MAP_DISCARD_WHOLE_RESOURCE;
   if (usage & PIPE_MAP_UNSYNCHRONIZED)
      usage &= ~(PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE);
   return usage;
}

static bool
buffer_rename(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t keep)
{
   if (!sdog_buffer_rename(ctx, rsc, keep))
      return false;
   sdog_context_rebind_buffer(ctx, rsc);
   return true;
}

/* Replaces the memory by new memory with the same contents; the device continues to read the
 * old. */
static bool
buffer_rename_copy(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   return rsc->base.width0 <= RENAME_COPY_LIMIT && !is_busy(ctx, rsc, false) &&
          buffer_rename(ctx, rsc, rsc->base.width0);
}

static bool
is_cheap_to_copy(const struct sdog_resource *rsc, const struct pipe_box *box)
{
   return rsc->base.width0 <= RENAME_CHEAP_SIZE ||
          rsc->base.width0 / RENAME_CHEAP_PART <= box->width;
}

/* Allocates staging memory for a range of a busy buffer that the program overwrites as a whole. The
 * device copies it to the buffer at unmap. The map has the same alignment as the range. */
static uint8_t *
buffer_stage(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   const struct pipe_box *box = &trans->base.box;
   unsigned before = box->x % ctx->base.screen->caps.min_map_buffer_alignment;
   uint8_t *map = NULL;

   sdog_uploads_wait_for_room(ctx);
   u_upload_alloc(ctx->base.stream_uploader, 0, before + box->width,
                  ctx->base.screen->caps.min_map_buffer_alignment, &trans->staging_offset,
                  &trans->staging, (void **)&map);
   trans->staging_offset += before;
   trans->staged = box->width;
   return map ? map + before : NULL;
}

/* Replaces the memory of a busy buffer and preserves the contents that the program does not
 * discard. Returns false if the buffer keeps its memory. */
static bool
buffer_replace(struct sdog_context *ctx, struct sdog_resource *rsc, unsigned usage,
               const struct pipe_box *box)
{
   if (usage & PIPE_MAP_DISCARD_WHOLE_RESOURCE)
      return buffer_rename(ctx, rsc, 0);
   if (usage & PIPE_MAP_DISCARD_RANGE)
      return is_cheap_to_copy(rsc, box) && buffer_rename_copy(ctx, rsc);
   return buffer_rename_copy(ctx, rsc);
}

/* Records this context as a user before it writes. Another context that replaces the memory of a
 * buffer copies the contents to be kept, and must not do so while this context writes. Both take
 * the rename lock, so whichever is second sees the other. */
static void
note_writer(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   if (p_atomic_read(&rsc->user) == ctx || rsc->several_users)
      return;
   sdog_naming_begin(ctx);
   sdog_buffer_add_user(ctx, rsc);
   sdog_naming_end(ctx);
}

/* The staging memory and the destination must be in VRAM at once. */
static bool
stage_fits(const struct sdog_context *ctx, const struct sdog_resource *rsc, uint64_t size)
{
   return sdrm_bo_size(rsc->bo) + size <= ctx->batch.room;
}

/* Returns the address at which the program accesses the buffer: its own memory if no other user has
 * to be waited for. */
static uint8_t *
buffer_map(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct sdog_resource *rsc = sdog_resource(trans->base.resource);
   const struct pipe_box *box = &trans->base.box;
   unsigned usage = trans->base.usage;
   bool write = usage & PIPE_MAP_WRITE;
   bool movable = write && !(usage & (PIPE_MAP_PERSISTENT | PIPE_MAP_COHERENT));
   uint8_t *map = NULL;

   if (write)
      note_writer(ctx, rsc);
   before_write(ctx, usage, box->width);
   if (!(usage & PIPE_MAP_UNSYNCHRONIZED) && is_busy(ctx, rsc, write) &&
       !(movable && buffer_replace(ctx, rsc, usage, box))) {
      if (movable && (usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE)) &&
          stage_fits(ctx, rsc, box->width))
         map = buffer_stage(ctx, trans);
      if (map)
         return map;
      sdog_resource_wait(ctx, rsc, write);
   }
   /* An unsynchronized write is not counted: the program promises that no upload to that range is
    * pending. */
   rsc->cpu_writes += write && !(usage & PIPE_MAP_UNSYNCHRONIZED);
   map = sdog_resource_map(rsc);
   return map ? map + box->x : NULL;
}

/* Returns true if a PIPE_MAP_DONTBLOCK map would have to wait. */
static bool
would_block(struct sdog_context *ctx, const struct sdog_resource *rsc, unsigned usage)
{
   return (usage & PIPE_MAP_DONTBLOCK) && !(usage & PIPE_MAP_UNSYNCHRONIZED) &&
          is_busy(ctx, rsc, usage & PIPE_MAP_WRITE);
}

static void *
sdog_buffer_map(struct pipe_context *pctx, struct pipe_resource *prsc, unsigned level,
                unsigned usage, const struct pipe_box *box, struct pipe_transfer **out)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_resource *rsc = sdog_resource(prsc);
   struct sdog_transfer *trans;
   uint8_t *map;

   usage = buffer_usage(rsc, usage, box);
   if (would_block(ctx, rsc, usage))
      return NULL;
   trans = transfer_new(ctx, prsc, level, usage, box);
   if (!trans)
      return NULL;
   map = buffer_map(ctx, trans);
   if (!map) {
      transfer_del(ctx, trans);
      return NULL;
   }
   if ((usage & PIPE_MAP_WRITE) && !(usage & PIPE_MAP_FLUSH_EXPLICIT))
      util_range_add(prsc, &rsc->valid_range, box->x, box->x + box->width);
   *out = &trans->base;
   return map;
}

/* Emits the copy of @size bytes from offset @start of the staged data. */
static void
buffer_copy_staged(struct sdog_context *ctx, struct sdog_transfer *trans, unsigned start,
                   unsigned size)
{
   if (!trans->staging || !size)
      return;
   sdog_upload_buffer(ctx, sdog_resource(trans->base.resource), trans->base.box.x + start,
                      sdog_resource(trans->staging), trans->staging_offset + start, size,
                      trans->staged);
   trans->staged = 0;
}

static void
sdog_buffer_unmap(struct pipe_context *pctx, struct pipe_transfer *ptrans)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_transfer *trans = sdog_transfer(ptrans);

   if (!(ptrans->usage & PIPE_MAP_FLUSH_EXPLICIT))
      buffer_copy_staged(ctx, trans, 0, ptrans->box.width);
   transfer_del(ctx, trans);
}

/* Textures */

static uint8_t *
texture_direct(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdog_resource *rsc = sdog_resource(trans->base.resource);
   const struct sundog_image_level *lvl = &rsc->levels[trans->base.level];
   const struct pipe_box *box = &trans->base.box;
   enum pipe_format format = rsc->base.format;
   uint8_t *map;

   /* Another context may be moving the texture to shareable memory. */
   simple_mtx_lock(&screen->object_lock);
   map = sdog_resource_map(rsc);
   simple_mtx_unlock(&screen->object_lock);
   if (!map)
      return NULL;
   if (trans->base.usage & PIPE_MAP_WRITE)
      rsc->cpu_writes++;
   trans->base.stride = lvl->pitch;
   trans->base.layer_stride = lvl->slice;
   return map + lvl->offset + box->z * lvl->slice +
          util_format_get_nblocksy(format, box->y) * (uint64_t)lvl->pitch +
          util_format_get_nblocksx(format, box->x) * util_format_get_blocksize(format);
}

/* Returns true if the data can be staged: the program overwrites the whole box, and the device
 * copies it. A copy by the device has a single aspect, but the CPU sees depth and stencil
 * interleaved, so these formats are not staged. */
static bool
can_stage(const struct sdog_transfer *trans)
{
   return sdog_resource(trans->base.resource)->foreign != SDOG_FOREIGN_READ_ONLY &&
          (trans->base.usage & PIPE_MAP_WRITE) && !(trans->base.usage & PIPE_MAP_READ) &&
          (trans->base.usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE)) &&
          !util_format_is_depth_or_stencil(trans->base.resource->format);
}

static bool
is_all_of_it(const struct sdog_transfer *trans)
{
   const struct pipe_resource *prsc = trans->base.resource;
   const struct pipe_box *box = &trans->base.box;

   return !prsc->last_level && prsc->array_size == 1 && prsc->depth0 == 1 &&
          box->width == prsc->width0 && box->height == prsc->height0;
}

static bool
is_drawn_to(const struct sdog_context *ctx, const struct pipe_resource *prsc)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   bool found = fb->zsbuf && fb->zsbuf->texture == prsc;

   for (unsigned i = 0; i < fb->nr_cbufs; i++)
      found |= fb->cbufs[i] && fb->cbufs[i]->texture == prsc;
   return found;
}

/* Replaces the memory of a busy texture that the program overwrites as a whole: to create its
 * device objects again costs less than a copy by the device. */
static bool
texture_rename(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct sdog_resource *rsc = sdog_resource(trans->base.resource);

   if (rsc->size < RENAME_CHEAP_SIZE || !is_all_of_it(trans) || rsc->foreign || rsc->dt ||
       rsc->base.next || is_drawn_to(ctx, &rsc->base) ||
       !sdog_texture_rename(ctx, rsc))
      return false;
   sdog_context_rebind_texture(ctx, rsc);
   return true;
}

/* Alignment of staged data. The device copies from offsets that are multiples of 4 bytes and of a
 * texel, and texels with three channels have sizes that are not powers of two. */
#define STAGING_ALIGN 192

/* Allocates staging memory; the device copies it to the texture at unmap, in stream order. */
static void *
texture_stage(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   enum pipe_format format = trans->base.resource->format;
   const struct pipe_box *box = &trans->base.box;
   unsigned start, offset, aligned;
   uint8_t *map = NULL;
   uint64_t size;

   trans->base.stride = util_format_get_stride(format, box->width);
   trans->base.layer_stride = util_format_get_2d_size(format, trans->base.stride, box->height);
   size = trans->base.layer_stride * box->depth;
   if (size > INT32_MAX)
      return NULL;
   sdog_uploads_wait_for_room(ctx);
   /* The uploader supports only power-of-two alignments, relative to its buffer and not to the
    * memory. */
   u_upload_alloc(ctx->base.stream_uploader, 0, size + STAGING_ALIGN, 64, &offset,
                  &trans->staging, (void **)&map);
   if (!map)
      return NULL;
   start = sdog_resource(trans->staging)->offset;
   aligned = util_align_npot(start + offset, STAGING_ALIGN) - start;
   trans->staged = size;
   trans->staging_offset = aligned;
   return map + aligned - offset;
}

/* Multisampled images are mapped through an image with one sample. */

static void
copy_samples(struct sdog_context *ctx, struct pipe_resource *dst, unsigned dst_level,
             const struct pipe_box *dst_box, struct pipe_resource *src, unsigned src_level,
             const struct pipe_box *src_box)
{
   struct pipe_blit_info blit = {
      .dst = {.resource = dst, .level = dst_level, .box = *dst_box, .format = dst->format},
      .src = {.resource = src, .level = src_level, .box = *src_box, .format = src->format},
      .mask = util_format_get_mask(dst->format),
      .filter = PIPE_TEX_FILTER_NEAREST,
   };

   ctx->base.blit(&ctx->base, &blit);
}

static struct pipe_box
box_at_origin(const struct pipe_box *box)
{
   struct pipe_box out = *box;

   out.x = out.y = out.z = 0;
   return out;
}

static struct pipe_resource *
create_resolved(struct sdog_context *ctx, const struct pipe_resource *prsc,
                const struct pipe_box *box)
{
   struct pipe_resource templ = *prsc;

   templ.width0 = box->width;
   templ.height0 = box->height;
   templ.array_size = box->depth;
   templ.nr_samples = templ.nr_storage_samples = 0;
   templ.bind &= ~(PIPE_BIND_SHARED | PIPE_BIND_SCANOUT | PIPE_BIND_DISPLAY_TARGET);
   return ctx->base.screen->resource_create(ctx->base.screen, &templ);
}

static void *
resolved_map(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct pipe_transfer *ptrans = &trans->base;
   const struct pipe_box box = box_at_origin(&ptrans->box);
   void *map;

   trans->staging = create_resolved(ctx, ptrans->resource, &box);
   if (!trans->staging)
      return NULL;
   if (!(ptrans->usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE)))
      copy_samples(ctx, trans->staging, 0, &box, ptrans->resource, ptrans->level, &ptrans->box);
   map = ctx->base.texture_map(&ctx->base, trans->staging, 0,
                               ptrans->usage & ~PIPE_MAP_UNSYNCHRONIZED, &box, &trans->resolved);
   if (!map)
      return NULL;
   ptrans->stride = trans->resolved->stride;
   ptrans->layer_stride = trans->resolved->layer_stride;
   return map;
}

static void
resolved_unmap(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct pipe_transfer *ptrans = &trans->base;
   const struct pipe_box box = box_at_origin(&ptrans->box);

   ctx->base.texture_unmap(&ctx->base, trans->resolved);
   if (ptrans->usage & PIPE_MAP_WRITE)
      copy_samples(ctx, ptrans->resource, ptrans->level, &ptrans->box, trans->staging, 0, &box);
}

static uint64_t
box_size(enum pipe_format format, const struct pipe_box *box)
{
   return (uint64_t)util_format_get_2d_size(format, util_format_get_stride(format, box->width),
                                            box->height) * box->depth;
}

/* Maps the texture directly, or staging memory for it. */
static void *
plain_map(struct sdog_context *ctx, struct sdog_transfer *trans)
{
   struct sdog_resource *rsc = sdog_resource(trans->base.resource);
   const uint64_t size = box_size(rsc->base.format, &trans->base.box);
   bool write = trans->base.usage & PIPE_MAP_WRITE;
   void *map = NULL;
   bool busy;

   before_write(ctx, trans->base.usage, size);
   busy = !(trans->base.usage & PIPE_MAP_UNSYNCHRONIZED) && is_busy(ctx, rsc, write);
   if (busy && can_stage(trans) && texture_rename(ctx, trans))
      return texture_direct(ctx, trans);
   if (busy && can_stage(trans) && stage_fits(ctx, rsc, size))
      map = texture_stage(ctx, trans);
   if (busy && !map)
      sdog_resource_wait(ctx, rsc, write);
   return map ? map : texture_direct(ctx, trans);
}

static void *
sdog_texture_map(struct pipe_context *pctx, struct pipe_resource *prsc, unsigned level,
                 unsigned usage, const struct pipe_box *box, struct pipe_transfer **out)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_resource *rsc = sdog_resource(prsc);
   struct sdog_transfer *trans;
   void *map;

   if (!(usage & PIPE_MAP_UNSYNCHRONIZED))
      sdog_render_flush_clears(ctx, prsc);
   if (would_block(ctx, rsc, usage))
      return NULL;
   trans = transfer_new(ctx, prsc, level, usage, box);
   if (!trans)
      return NULL;
   map = sdog_samples(prsc) > 1 ? resolved_map(ctx, trans) : plain_map(ctx, trans);
   if (!map) {
      transfer_del(ctx, trans);
      return NULL;
   }
   *out = &trans->base;
   return map;
}

static void
sdog_texture_unmap(struct pipe_context *pctx, struct pipe_transfer *ptrans)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_transfer *trans = sdog_transfer(ptrans);

   if (trans->resolved)
      resolved_unmap(ctx, trans);
   else if (trans->staging)
      sdog_upload_texture(ctx, sdog_resource(trans->staging), trans->staging_offset,
                          ptrans->stride, trans->staged, sdog_resource(ptrans->resource),
                          ptrans->level, &ptrans->box);
   transfer_del(ctx, trans);
}

static void
sdog_transfer_flush_region(struct pipe_context *pctx, struct pipe_transfer *ptrans,
                           const struct pipe_box *box)
{
   struct sdog_resource *rsc = sdog_resource(ptrans->resource);
   unsigned start = ptrans->box.x + box->x;

   if (ptrans->resource->target != PIPE_BUFFER)
      return;
   util_range_add(ptrans->resource, &rsc->valid_range, start, start + box->width);
   buffer_copy_staged(sdog_context(pctx), sdog_transfer(ptrans), box->x, box->width);
}

static void
sdog_invalidate_resource(struct pipe_context *pctx, struct pipe_resource *prsc)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_resource *rsc = sdog_resource(prsc);

   if (prsc->target != PIPE_BUFFER)
      return;
   /* The program may map the buffer UNSYNCHRONIZED after this call, so it must be idle. */
   if (is_busy(ctx, rsc, true) && !buffer_rename(ctx, rsc, 0))
      sdog_resource_wait(ctx, rsc, true);
   /* A rendering of another context may still write to the buffer without recording it again. */
   if (!rsc->several_users)
      util_range_set_empty(&rsc->valid_range);
}

void
sdog_init_transfer_functions(struct pipe_context *pctx)
{
   pctx->buffer_map = sdog_buffer_map;
   pctx->buffer_unmap = sdog_buffer_unmap;
   pctx->buffer_subdata = u_default_buffer_subdata;
   pctx->clear_buffer = u_default_clear_buffer;
   pctx->texture_map = sdog_texture_map;
   pctx->texture_unmap = sdog_texture_unmap;
   pctx->texture_subdata = u_default_texture_subdata;
   pctx->transfer_flush_region = sdog_transfer_flush_region;
   pctx->invalidate_resource = sdog_invalidate_resource;
}

/* SPDX-License-Identifier: MIT */
/* pipe_context::resource_copy_region and the transfer packets, on the context's thread. */
#include "sundog_copy.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_surface.h"

struct sundog_image_region
sdog_image_region(uint32_t image, uint32_t aspect, unsigned level, int x, int y, int z)
{
   return (struct sundog_image_region){
      .image = image,
      .aspect = aspect,
      .level = level,
      .offset = {x, y, z},
   };
}

/* Stream space, in dwords, for a transfer packet, the creation of its images, the end of a
 * rendering and barriers. */
#define TRANSFER_DWORDS 1024

void
sdog_transfer_begin(struct sdog_context *ctx, struct sdog_resource *src, struct sdog_resource *dst)
{
   enum sdog_use write =
      dst->base.target == PIPE_BUFFER ? SDOG_USE_BUFFER_WRITE : SDOG_USE_TRANSFER_WRITE;

   sdog_batch_make_room(ctx, sdog_batch_missing(&ctx->batch, src) +
                                sdog_batch_missing(&ctx->batch, dst) +
                                sdog_render_clears_missing(ctx));
   sdog_batch_prepare(ctx, TRANSFER_DWORDS);
   sdog_render_end(ctx);
   if (src != dst)
      sdog_order(ctx, src, SDOG_USE_TRANSFER_READ);
   sdog_order(ctx, dst, write);
   if (src != dst)
      sdog_use_resource(ctx, src, SDOG_USE_TRANSFER_READ);
   sdog_use_resource(ctx, dst, write);
}

void
sdog_copy_buffer_to_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                            unsigned stride, struct sdog_resource *dst, unsigned level,
                            const struct pipe_box *box)
{
   enum pipe_format format = dst->base.format;
   unsigned block = util_format_get_blocksize(format);
   struct sundog_cmd_copy_buffer_to_image cmd = {
      .row_length = stride / block * util_format_get_blockwidth(format),
      .offset = src->offset + offset,
      .extent = {box->width, box->height, box->depth},
   };

   sdog_naming_begin(ctx);
   sdog_transfer_begin(ctx, src, dst);
   cmd.mem = src->mem;
   cmd.dst = sdog_image_region(sdog_image_id(ctx, dst), sdog_format_aspects(format), level, box->x,
                               box->y, box->z);
   sundog_emit_copy_buffer_to_image(ctx->batch.stream, &cmd);
   sdog_naming_end(ctx);
}

void
sdog_copy_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                 struct sdog_resource *src, unsigned src_offset, unsigned size)
{
   struct sundog_cmd_copy_buffer cmd = {
      .src_offset = src->offset + src_offset,
      .dst_offset = dst->offset + dst_offset,
      .size = size,
   };

   sdog_naming_begin(ctx);
   sdog_transfer_begin(ctx, src, dst);
   cmd.src = src->mem;
   cmd.dst = dst->mem;
   util_range_add(&dst->base, &dst->valid_range, dst_offset, dst_offset + size);
   sundog_emit_copy_buffer(ctx->batch.stream, &cmd);
   sdog_naming_end(ctx);
}

void
sdog_copy_image(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_level, int x,
                int y, int z, struct sdog_resource *src, unsigned src_level,
                const struct pipe_box *box, uint32_t aspects)
{
   uint32_t src_image, dst_image;

   sdog_transfer_begin(ctx, src, dst);
   src_image = sdog_image_id(ctx, src);
   dst_image = sdog_image_id(ctx, dst);
   u_foreach_bit(i, aspects) {
      uint32_t aspect = BITFIELD_BIT(i);
      struct sundog_cmd_copy_image cmd = {
         .src = sdog_image_region(src_image, aspect, src_level, box->x, box->y, box->z),
         .dst = sdog_image_region(dst_image, aspect, dst_level, x, y, z),
         .extent = {box->width, box->height, box->depth},
      };

      sundog_emit_copy_image(ctx->batch.stream, &cmd);
   }
}

static void
copy_texture_to_buffer(struct sdog_context *ctx, struct sdog_resource *dst,
                       struct sdog_resource *src, unsigned level, const struct pipe_box *box)
{
   struct sundog_cmd_copy_image_to_buffer cmd = {
      .extent = {box->width, box->height, box->depth},
      .offset = dst->offset,
   };

   sdog_naming_begin(ctx);
   sdog_transfer_begin(ctx, src, dst);
   cmd.mem = dst->mem;
   cmd.src = sdog_image_region(sdog_image_id(ctx, src), SUNDOG_ASPECT_COLOR, level, box->x, box->y,
                               box->z);
   sundog_emit_copy_image_to_buffer(ctx->batch.stream, &cmd);
   sdog_naming_end(ctx);
}

/* Returns true if the box is made of whole blocks inside the level. The device copies only whole
 * blocks of both images between images. OpenGL counts just the texels inside the level of a block
 * at its edge, whatever the destination is. */
static bool
is_whole_blocks(const struct pipe_resource *prsc, unsigned level, int x, int y,
                const struct pipe_box *box)
{
   return box->width % util_format_get_blockwidth(prsc->format) == 0 &&
          box->height % util_format_get_blockheight(prsc->format) == 0 &&
          x + box->width <= u_minify(prsc->width0, level) &&
          y + box->height <= u_minify(prsc->height0, level);
}

/* Returns the box in @dst that has as many blocks as @box has in the source. */
static struct pipe_box
matching_box(enum pipe_format dst, int x, int y, int z, enum pipe_format src,
             const struct pipe_box *box, unsigned width, unsigned height)
{
   unsigned columns = util_format_get_nblocksx(src, box->width);
   unsigned rows = util_format_get_nblocksy(src, box->height);
   struct pipe_box out = {
      .x = x,
      .y = y,
      .z = z,
      /* The last block may extend beyond the edge of the level. */
      .width = MIN2(columns * util_format_get_blockwidth(dst), width - x),
      .height = MIN2(rows * util_format_get_blockheight(dst), height - y),
      .depth = box->depth,
   };

   return out;
}

/* Copies through a buffer: between compressed and uncompressed images, and parts of blocks. */
static void
copy_blocks(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_level, int x, int y,
            int z, struct sdog_resource *src, unsigned src_level, const struct pipe_box *box)
{
   enum pipe_format format = src->base.format;
   unsigned stride = util_format_get_stride(format, box->width);
   unsigned rows = util_format_get_nblocksy(format, box->height);
   struct pipe_box to = matching_box(dst->base.format, x, y, z, format, box,
                                     u_minify(dst->base.width0, dst_level),
                                     u_minify(dst->base.height0, dst_level));
   struct pipe_resource *buffer;

   /* The destination has no whole block for so few texels. */
   if (!to.width || !to.height)
      return;
   buffer = pipe_buffer_create(ctx->base.screen, 0, PIPE_USAGE_DEFAULT,
                               stride * rows * box->depth);
   if (!buffer)
      return;
   copy_texture_to_buffer(ctx, sdog_resource(buffer), src, src_level, box);
   sdog_copy_buffer_to_texture(ctx, sdog_resource(buffer), 0, stride, dst, dst_level, &to);
   pipe_resource_reference(&buffer, NULL);
}

static void
sdog_resource_copy_region(struct pipe_context *pctx, struct pipe_resource *pdst,
                          unsigned dst_level, unsigned x, unsigned y, unsigned z,
                          struct pipe_resource *psrc, unsigned src_level,
                          const struct pipe_box *box)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_resource *dst = sdog_resource(pdst);
   struct sdog_resource *src = sdog_resource(psrc);

   if (!box->width || !box->height || !box->depth)
      return;
   if (pdst->target == PIPE_BUFFER && psrc->target == PIPE_BUFFER)
      sdog_copy_buffer(ctx, dst, x, src, box->x, box->width);
   else if (pdst->target == PIPE_BUFFER || psrc->target == PIPE_BUFFER ||
            dst->foreign == SDOG_FOREIGN_READ_ONLY)
      util_resource_copy_region(pctx, pdst, dst_level, x, y, z, psrc, src_level, box);
   else if (util_format_is_compressed(psrc->format) != util_format_is_compressed(pdst->format) ||
            !is_whole_blocks(psrc, src_level, box->x, box->y, box) ||
            !is_whole_blocks(pdst, dst_level, x, y, box))
      copy_blocks(ctx, dst, dst_level, x, y, z, src, src_level, box);
   else
      sdog_copy_image(ctx, dst, dst_level, x, y, z, src, src_level, box,
                 sdog_format_aspects(psrc->format));
}

void
sdog_init_copy_functions(struct pipe_context *pctx)
{
   pctx->resource_copy_region = sdog_resource_copy_region;
}

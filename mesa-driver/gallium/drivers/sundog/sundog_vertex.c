/* SPDX-License-Identifier: MIT */
/* Vertex elements and vertex buffers: state objects and packets. The state tracker calls the pipe
 * functions, draws the others. Runs on the context's thread. */
#include "sundog_vertex.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_resource.h"
#include "util/u_helpers.h"
#include "util/u_memory.h"

/* Limit on the offset of an attribute: the minimum that both Vulkan (maxVertexInputAttributeOffset)
 * and GL guarantee. In GL, the second half of a double vector may exceed it. */
#define MAX_OFFSET 2047

/* Stride and divisor belong to the element in Gallium and to the slot on the device, so a buffer
 * whose elements differ in them takes several slots. So do elements with a large offset. */
static unsigned
find_or_add_slot(struct sdog_vertex_elements *velems, const struct pipe_vertex_element *element)
{
   uint16_t base = element->src_offset > MAX_OFFSET ? element->src_offset : 0;
   unsigned slot;

   for (slot = 0; slot < velems->cmd.n_bindings; slot++) {
      if (velems->buffers[slot] == element->vertex_buffer_index && velems->bases[slot] == base &&
          velems->cmd.bindings[slot].stride == element->src_stride &&
          velems->cmd.bindings[slot].divisor == element->instance_divisor)
         return slot;
   }
   velems->buffers[slot] = element->vertex_buffer_index;
   velems->bases[slot] = base;
   velems->cmd.bindings[slot].stride = element->src_stride;
   velems->cmd.bindings[slot].divisor = element->instance_divisor;
   velems->cmd.n_bindings++;
   return slot;
}

static void *
sdog_create_vertex_elements_state(struct pipe_context *pctx, unsigned count,
                                  const struct pipe_vertex_element *elements)
{
   struct sdog_vertex_elements *velems = CALLOC_STRUCT(sdog_vertex_elements);

   if (!velems)
      return NULL;
   velems->cmd.count = count;
   for (unsigned i = 0; i < count; i++) {
      const struct pipe_vertex_element *element = &elements[i];
      unsigned slot = find_or_add_slot(velems, element);

      velems->attributes[i] = (struct sundog_vertex_attribute){
         .location = i,
         .binding = slot,
         .format = sdog_vk_format(element->src_format),
         .offset = element->src_offset - velems->bases[slot],
      };
   }
   return velems;
}

static void
sdog_bind_vertex_elements_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->vertex_elements = cso;
   ctx->dirty |= SDOG_DIRTY_VERTEX_ELEMENTS;
}

static void
sdog_delete_vertex_elements_state(struct pipe_context *pctx, void *cso)
{
   FREE(cso);
}

static void
sdog_set_vertex_buffers(struct pipe_context *pctx, unsigned count,
                        const struct pipe_vertex_buffer *buffers)
{
   struct sdog_context *ctx = sdog_context(pctx);

   util_set_vertex_buffers_count(ctx->vertex_buffers, &ctx->num_vertex_buffers, buffers, count,
                                 true);
   ctx->dirty |= SDOG_DIRTY_VERTEX_BUFFERS;
}

void
sdog_vertex_elements_emit(struct sdog_context *ctx)
{
   const struct sdog_vertex_elements *velems = ctx->vertex_elements;

   sundog_emit_set_vertex_input(ctx->batch.stream, &velems->cmd, velems->attributes);
}

void
sdog_vertex_buffers_order(struct sdog_context *ctx)
{
   for (unsigned i = 0; i < ctx->num_vertex_buffers; i++) {
      struct pipe_resource *prsc = ctx->vertex_buffers[i].buffer.resource;

      if (prsc)
         sdog_use_for_draw(ctx, sdog_resource(prsc), SDOG_USE_VERTEX);
   }
}

/* A slot without a buffer, or with an offset past the buffer's end, reads as zero. */
static struct sundog_mem_range
vertex_range(const struct pipe_vertex_buffer *buffer, unsigned base)
{
   const struct sdog_resource *rsc = sdog_resource(buffer->buffer.resource);
   uint64_t offset = (uint64_t)buffer->buffer_offset + base;

   if (!rsc || offset >= rsc->size)
      return (struct sundog_mem_range){0};
   return (struct sundog_mem_range){
      .mem = rsc->mem,
      .offset = rsc->offset + offset,
      .size = rsc->size - offset,
   };
}

static void
emit_whole(struct sdog_context *ctx, const struct sundog_mem_range *ranges, uint32_t count)
{
   const struct sundog_cmd_bind_vertex_buffers cmd = {.count = count};
   struct sundog_buffer_binding bindings[SUNDOG_MAX_VERTEX_BUFFERS];

   for (unsigned i = 0; i < count; i++) {
      bindings[i] = (struct sundog_buffer_binding){
         .mem = ranges[i].mem,
         .offset = ranges[i].offset,
      };
   }
   sundog_emit_bind_vertex_buffers(ctx->batch.stream, &cmd, bindings);
}

void
sdog_vertex_buffers_emit(struct sdog_context *ctx)
{
   struct sundog_mem_range ranges[SUNDOG_MAX_VERTEX_BUFFERS];
   const struct sdog_vertex_elements *velems = ctx->vertex_elements;
   const struct sundog_cmd_bind_vertex_ranges cmd = {.count = velems->cmd.n_bindings};

   for (unsigned i = 0; i < cmd.count; i++)
      ranges[i] = vertex_range(&ctx->vertex_buffers[velems->buffers[i]], velems->bases[i]);
   if (!cmd.count)
      return;
   /* The memory after the end of a buffer may have data of another one. A robust context must not
    * read it, so its ranges have a size, which costs the host more. */
   if (ctx->robust)
      sundog_emit_bind_vertex_ranges(ctx->batch.stream, &cmd, ranges);
   else
      emit_whole(ctx, ranges, cmd.count);
}

void
sdog_init_vertex_functions(struct pipe_context *pctx)
{
   pctx->create_vertex_elements_state = sdog_create_vertex_elements_state;
   pctx->bind_vertex_elements_state = sdog_bind_vertex_elements_state;
   pctx->delete_vertex_elements_state = sdog_delete_vertex_elements_state;
   pctx->set_vertex_buffers = sdog_set_vertex_buffers;
}

/* SPDX-License-Identifier: MIT */
/* The context: one queue of submissions, and the state of their draws and dispatches. Only one
 * thread at a time uses a context; the state tracker guarantees it. */
#ifndef SUNDOG_CONTEXT_H
#define SUNDOG_CONTEXT_H

#include "pipe/p_context.h"
#include "sundog_barrier.h"
#include "sundog_batch.h"
#include "sundog_condition.h"
#include "sundog_edges.h"
#include "sundog_feedback.h"
#include "sundog_handle.h"
#include "sundog_loss.h"
#include "sundog_object.h"
#include "sundog_query.h"
#include "sundog_shader_buffer.h"
#include "sundog_shader_image.h"
#include "sundog_stage.h"
#include "sundog_upload.h"
#include "util/slab.h"
#include "vulkan/vulkan_core.h"

struct blitter_context;
struct sdog_blend;
struct sdog_rasterizer;
struct sdog_resource;
struct sdog_sampler;
struct sdog_sampler_view;
struct sdog_shader;
struct sdog_variant;
struct sdog_vertex_elements;
struct sdog_zsa;

/* State that must be emitted, or checked, before the next draw. */
enum sdog_dirty {
   SDOG_DIRTY_VIEWPORT = BITFIELD_BIT(0),
   SDOG_DIRTY_SCISSOR = BITFIELD_BIT(1),
   SDOG_DIRTY_RASTERIZER = BITFIELD_BIT(2),
   SDOG_DIRTY_ZSA = BITFIELD_BIT(3),
   SDOG_DIRTY_STENCIL_REF = BITFIELD_BIT(4),
   SDOG_DIRTY_BLEND = BITFIELD_BIT(5),
   SDOG_DIRTY_BLEND_COLOR = BITFIELD_BIT(6),
   SDOG_DIRTY_MULTISAMPLE = BITFIELD_BIT(7),
   SDOG_DIRTY_VERTEX_ELEMENTS = BITFIELD_BIT(8),
   SDOG_DIRTY_VERTEX_BUFFERS = BITFIELD_BIT(9),
   SDOG_DIRTY_INDEX_BUFFER = BITFIELD_BIT(10),
   /* The variants of the graphics shaders may have to change. */
   SDOG_DIRTY_SHADER_KEY = BITFIELD_BIT(11),
   /* The shaders bound on the device are out of date. */
   SDOG_DIRTY_SHADERS = BITFIELD_BIT(12),
   SDOG_DIRTY_FRAMEBUFFER = BITFIELD_BIT(13),
   SDOG_DIRTY_PATCH = BITFIELD_BIT(14),
   SDOG_DIRTY_HANDLES = BITFIELD_BIT(15),
   SDOG_DIRTY_DRAW_PARAMETERS = BITFIELD_BIT(22),
   /* The variant of the compute shader may have to change. */
   SDOG_DIRTY_COMPUTE_KEY = BITFIELD_BIT(23),
};

/* Dirty bits with one bit per stage: shift them left by the stage. They are macros because enum
 * constants may be limited to 32 bits. */
#define SDOG_DIRTY_STAGE(kind) BITFIELD64_BIT(24 + (kind) * SDOG_STAGES)
#define SDOG_DIRTY_CONSTANTS SDOG_DIRTY_STAGE(0)
#define SDOG_DIRTY_TEXTURES SDOG_DIRTY_STAGE(1)
#define SDOG_DIRTY_BLOCKS SDOG_DIRTY_STAGE(2)
#define SDOG_DIRTY_SSBOS SDOG_DIRTY_STAGE(3)
#define SDOG_DIRTY_IMAGES SDOG_DIRTY_STAGE(4)
/* All bindings of stage 0. */
#define SDOG_DIRTY_BINDINGS                                                                        \
   (SDOG_DIRTY_CONSTANTS | SDOG_DIRTY_TEXTURES | SDOG_DIRTY_BLOCKS | SDOG_DIRTY_SSBOS |            \
    SDOG_DIRTY_IMAGES)
/* The bindings of all graphics stages. */
#define SDOG_DIRTY_DRAW_BINDINGS (SDOG_DIRTY_BINDINGS * BITFIELD_MASK(SDOG_GRAPHICS_STAGES))
/* State of dispatches, which draws do not emit. */
#define SDOG_DIRTY_COMPUTE (SDOG_DIRTY_COMPUTE_KEY | SDOG_DIRTY_BINDINGS << SUNDOG_STAGE_COMPUTE)
#define SDOG_DIRTY_ALL UINT64_MAX
/* State that stays valid across submissions. */
#define SDOG_DIRTY_KEYS (SDOG_DIRTY_SHADER_KEY | SDOG_DIRTY_COMPUTE_KEY)

static inline uint64_t
sdog_dirty_key(unsigned stage)
{
   return stage == SUNDOG_STAGE_COMPUTE ? SDOG_DIRTY_COMPUTE_KEY : SDOG_DIRTY_SHADER_KEY;
}

/* Uniforms of a stage: in @data if they fit, otherwise in @buffer at @offset. @offset and @size are
 * in bytes. */
struct sdog_constants {
   struct pipe_resource *buffer;
   uint32_t offset;
   uint32_t size;
   uint32_t data[SDOG_PUSH_DWORDS];
};

/* A uniform block: a range of a buffer, in bytes. */
struct sdog_block {
   struct pipe_resource *buffer;
   uint32_t offset;
   uint32_t size;
};

struct sdog_stage {
   struct sdog_constants constants;
   /* By slot. Slot 0 is unused: @constants has its uniforms. */
   struct sdog_block blocks[SUNDOG_MAX_UBOS];
   struct sdog_shader_buffers shader_buffers;
   struct sdog_shader_image shader_images[SUNDOG_MAX_IMAGES];
   struct sdog_sampler_view *views[SUNDOG_MAX_TEXTURES];
   struct sdog_sampler *samplers[SUNDOG_MAX_TEXTURES];
};

struct sdog_context {
   struct pipe_context base;
   struct sdog_batch batch;
   struct sdog_loss loss;
   /* PIPE_CONTEXT_ROBUST_BUFFER_ACCESS: reads out of the bounds of a vertex buffer must not return
    * other data. */
   bool robust;
   struct sdog_objects objects;
   struct sdog_uploads uploads;
   struct sdog_hazards hazards;
   struct blitter_context *blitter;
   /* Copy of uniforms in user memory, from which the blitter restores them. */
   uint32_t saved_constants[SDOG_PUSH_DWORDS];
   struct slab_child_pool transfer_pool;
   struct list_head images;
   /* One of the images has more views than the limit: see sdog_context_trim_views(). */
   bool many_views;

   uint64_t dirty;
   /* Value of screen->renames at the last check by this context. */
   uint32_t renames;
   /* Nesting depth of sdog_naming_begin(). */
   unsigned naming;
   /* Between begin_rendering and end_rendering. */
   bool rendering;

   struct sdog_blend *blend;
   struct sdog_rasterizer *rasterizer;
   /* The current draw is in its second pass: see sundog_rasterizer.h. */
   bool back_turn;
   struct sdog_zsa *zsa;
   struct sdog_vertex_elements *vertex_elements;
   struct pipe_blend_color blend_color;
   struct pipe_stencil_ref stencil_ref;
   struct pipe_viewport_state viewports[SUNDOG_MAX_VIEWPORTS];
   struct pipe_scissor_state scissors[SUNDOG_MAX_VIEWPORTS];
   /* caps.max_viewports if the shader selects the viewport, otherwise 1. */
   unsigned num_viewports;
   /* The depth range of clip space is [0, 1], not [-1, 1]. */
   bool clip_halfz;
   struct pipe_poly_stipple stipple;
   unsigned sample_mask;
   /* Minimum number of samples that the fragment shader runs for. */
   unsigned min_samples;
   unsigned patch_vertices;
   /* Work group size of the last dispatch of a shader with a variable size. */
   uint16_t group_size[3];
   /* Four outer and two inner levels, for programs without a tessellation control shader. */
   struct sdog_constants tess_levels;
   struct pipe_vertex_buffer vertex_buffers[SUNDOG_MAX_VERTEX_BUFFERS];
   unsigned num_vertex_buffers;
   struct sdog_stage stages[SDOG_STAGES];
   /* For texel fetches from textures without a sampler. Created when first needed. */
   struct sdog_sampler *plain_sampler;

   struct pipe_framebuffer_state framebuffer;
   /* PIPE_CLEAR_* mask of the clears that the next rendering begins with. */
   unsigned clears;
   union pipe_color_union clear_color[PIPE_MAX_COLOR_BUFS];
   float clear_depth;
   uint32_t clear_stencil;

   struct sdog_shader *shaders[SDOG_STAGES];
   struct sdog_variant *variants[SDOG_STAGES];
   /* Parameters of the last emitted set_raster, index buffer and draw parameters. */
   struct sdog_emitted {
      enum mesa_prim prim;
      bool restart;
      enum mesa_prim source;
      unsigned triangles;
      struct sundog_cmd_bind_index_buffer index;
      uint32_t draw_parameters[2];
   } emitted;

   /* Texture with the polygon stipple pattern, its view and its sampler. Created when first
    * needed. */
   struct sdog_stipple {
      struct pipe_resource *texture;
      struct pipe_sampler_view *view;
      void *sampler;
      bool dirty;
   } stipple_texture;

   struct sdog_residents residents;
   struct sdog_edges edges;
   struct sdog_feedback feedback;
   struct sdog_queries queries;
   struct sdog_condition condition;
};

static inline struct sdog_context *
sdog_context(struct pipe_context *pctx)
{
   return (struct sdog_context *)pctx;
}

/* Makes all bindings of @rsc in this context dirty, because its memory changed. */
void
sdog_context_rebind_buffer(struct sdog_context *ctx, struct sdog_resource *rsc);
/* As sdog_context_rebind_buffer(), for a texture that is not an attachment. */
void
sdog_context_rebind_texture(struct sdog_context *ctx, struct sdog_resource *rsc);
/* Takes and releases the screen's rename lock for reading; calls can be nested. Until
 * sdog_naming_end() no context replaces the memory of a buffer, so the memory that packets name is
 * the memory that the submission lists. sdog_naming_begin() makes bindings dirty if another context
 * replaced memory before. */
void
sdog_naming_begin(struct sdog_context *ctx);
void
sdog_naming_end(struct sdog_context *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/* Shaders, and their variants for state that the device has no packet for. */
#ifndef SUNDOG_SHADER_H
#define SUNDOG_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "compiler/shader_enums.h"
#include "pipe/p_defines.h"
#include "sundog_object.h"
#include "util/list.h"

struct nir_shader;
struct pipe_context;
struct sdog_context;

/* Number of slots whose depth comparisons or texels the shader can swizzle. */
#define SDOG_SWIZZLE_SLOTS 16

/* The edges of unfilled polygons that are drawn. */
struct sdog_edges_key {
   /* MESA_PRIM_* that the triangles are part of. MESA_PRIM_POINTS: no edges are hidden. */
   uint8_t source;
   bool first_provokes;
   /* Slot of the varying with the edge data. */
   uint8_t slot;
   /* Draw each corner that several triangles share only once. */
   bool once;
   /* Number of triangles of a polygon. */
   uint32_t triangles;
};

/* Properties of the view through which a fragment shader fetches from a colour buffer. */
struct sdog_fetch_key {
   /* @dim is an enum glsl_sampler_dim. @layered: the view is an array; with @views its layer is the
    * view index, otherwise the layer that is rendered to. */
   uint8_t dim;
   bool layered;
   bool views;
   /* For a 3D texture: the slice of layer 0 of the rendering. */
   uint16_t slice;
};

struct sdog_shader_key {
   /* Varying slots that the shader reads and the previous stage does not write. */
   uint64_t missing_inputs;
   uint32_t missing_patch_inputs;
   /* Varying slots between two stages that are numbered consecutively, because their fixed
    * locations would collide. */
   uint64_t packed_inputs;
   uint64_t packed_outputs;
   /* Another stage comes between this one and rasterization, so transform feedback does not capture
    * it. */
   bool not_last;
   /* For the passthrough tessellation control shader: vertices per patch, otherwise 0. */
   uint8_t patch_vertices;
   /* Mask of clip distances that are written but not enabled. On the device, all that are written
    * clip. */
   uint8_t disabled_planes;
   /* For a vertex shader: a geometry shader reads its edge flags. */
   bool pass_flags;
   /* For that geometry shader. */
   struct sdog_edges_key edges;
   /* For the fragment shader after that geometry shader: the slot of the varying, and the polygon
    * modes of front and back faces. */
   uint8_t edges_slot;
   uint8_t edge_modes[2];
   /* MESA_PRIM_* that the triangles are part of, if the fragment shader reads gl_PrimitiveID. */
   uint8_t counted;
   /* Do not write a point size: points have size one. */
   bool drop_point_size;
   /* Increase the point size by one pixel for the smooth edge. */
   bool wide_points;
   /* Mask of texture coordinates that are replaced by point coordinates; the latter are flipped in
    * y if @point_coord_flip. */
   uint16_t coord_replace;
   bool point_coord_flip;
   bool point_smooth;
   /* Number of samples of a framebuffer in which points are circles, otherwise 0. */
   uint8_t round_samples;
   /* PIPE_FACE_* mask of the faces whose polygons are stippled. */
   uint8_t stipple;
   /* Blending is dual-source, but the shader does not write the second colour. */
   bool second_color;
   /* The rendering has several views, each of which has the single layer 0. */
   bool views;
   /* @per_sample: run for each sample. @single_sample: the framebuffer has one sample. */
   bool per_sample;
   bool single_sample;
   /* One per colour buffer in sdog_shader::fetched_colors; the others are zero. */
   struct sdog_fetch_key fetch[SUNDOG_MAX_COLOR_ATTACHMENTS];
   /* Work group size, if the shader leaves it to the dispatch. */
   uint16_t group_size[3];
   /* Number of colour buffers that gl_FragColor is written to. */
   uint8_t color_outputs;
   /* SDOG_SWIZZLE() per slot in sdog_shader.shadows. Only the first component is set, unless the
    * slot is in legacy_shadow, too. */
   uint16_t shadow_swizzle[SDOG_SWIZZLE_SLOTS];
   /* SDOG_SWIZZLE() per slot in sdog_shader.texels, because buffer views of the device have no
    * swizzle. */
   uint16_t texel_swizzle[SDOG_SWIZZLE_SLOTS];
   /* Masks of the slots in sdog_shader.integers with signed and unsigned integer textures. */
   uint32_t sint_textures;
   uint32_t uint_textures;
   /* Mask of the slots in sdog_shader.shadows whose samplers do not compare. */
   uint32_t uncompared;
};

struct sdog_variant {
   struct list_head link;
   struct sdog_shader_key key;
   struct sdog_object object;
   /* The compilation failed, memory was short or the shader is too large: nothing is drawn with
    * this variant. */
   bool refused;
   /* Masks of the texture slots that are read, and of those whose views must not swizzle. */
   uint32_t textures;
   uint32_t plain_textures;
   /* Mask of the texture buffer slots that are read. */
   uint32_t texels;
   /* Masks of the storage buffer slots that are used and written. */
   uint32_t ssbos;
   uint32_t ssbos_written;
   /* Mask of the image slots. Below: @storage_texels, the mask of buffer image slots;
    * @images_written, the written slots of both. */
   uint32_t images;
   /* VkImageViewType of each image in the shader. */
   uint8_t image_types[SUNDOG_MAX_IMAGES];
   uint32_t storage_texels;
   uint32_t images_written;
   /* Size of the uniforms outside of blocks in bytes, and whether they are push constants. */
   uint32_t uniform_size;
   bool push;
   /* Uses draw parameters, see SDOG_DRAW_PARAMETERS. */
   bool knows_draw;
   /* Mask of the uniform block slots. */
   uint32_t blocks;
   /* @handles: accesses textures or images by handle. @handles_written: stores to such images. */
   bool handles;
   bool handles_written;
   /* Mask of the colour buffers that are read through the slots from SDOG_FETCH_SLOT. */
   uint8_t fetched_colors;
};

struct sdog_shader {
   gl_shader_stage stage;
   struct nir_shader *nir;
   struct list_head variants;
   /* Masks of varying slots. */
   uint64_t varyings_read;
   uint64_t varyings_written;
   /* Mask of per-patch varyings, which tessellation control shaders write and evaluation shaders
    * read. */
   uint32_t patch_varyings;
   /* The members from here on select the parts of the key that make different variants. */
   uint32_t legacy_shadow;
   uint32_t texels;
   /* Slots that integers are read from, or with a query that does not depend on texels. */
   uint32_t integers;
   /* Slots with depth comparisons, if their samplers compare. */
   uint32_t shadows;
   bool reads_texcoords;
   bool broadcasts_color;
   bool writes_second_color;
   /* Writes a sample mask or interpolates at a sample. */
   bool knows_samples;
   /* Mask of the colour buffers that a fragment shader reads. */
   uint8_t fetched_colors;
   bool counts_primitives;
   /* Leaves the work group size to the dispatch. */
   bool takes_group_size;
   uint32_t clip_planes;
   bool writes_point_size;
   bool writes_viewport;
   /* Writes the layer, or is a fragment shader that reads it. */
   bool knows_layers;
   /* For a vertex shader: see sdog_nir_edges_shader(). Created when first needed. */
   struct sdog_shader *edges;
   /* For a vertex shader: see sdog_nir_passthrough_shader(). Created when first needed. */
   struct sdog_shader *passthrough;
   /* For a geometry or tessellation evaluation shader: the primitive that it outputs. */
   enum mesa_prim output_prim;
};

/* Takes over @nir. Returns NULL if memory is short. */
struct sdog_shader *
sdog_shader_new(struct nir_shader *nir);

/* Returns the variant for @key, which it creates if needed, or NULL on failure. */
struct sdog_variant *
sdog_variant_get(struct sdog_context *ctx, struct sdog_shader *shader,
                 const struct sdog_shader_key *key);

/* Emits the binding of ctx->variants, for draws and dispatches. */
void
sdog_shaders_emit(struct sdog_context *ctx);

void
sdog_init_shader_functions(struct pipe_context *pctx);

#endif

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

/* Slots whose depth comparisons, or texels, the shader may swizzle. */
#define SDOG_SWIZZLE_SLOTS 16

/* Which edges of unfilled polygons are drawn. */
struct sdog_edges_key {
   /* What the triangles are parts of; MESA_PRIM_POINTS: all are drawn. */
   uint8_t source;
   bool first_provokes;
   /* Of the varying that says which are drawn. */
   uint8_t slot;
   /* A corner of several of them is drawn once. */
   bool once;
   /* How many make a polygon. */
   uint32_t triangles;
};

/* The view of a colour buffer from which a fragment shader fetches the framebuffer's colour. */
struct sdog_fetch_key {
   /* enum glsl_sampler_dim; its texture is an array, whose layer is the one drawn to, or the view. */
   uint8_t dim;
   bool layered;
   bool views;
   /* Of a 3D texture: the slice that is the first layer drawn to. */
   uint16_t slice;
};

struct sdog_shader_key {
   /* Varying slots that the shader reads and the stage before does not write. */
   uint64_t missing_inputs;
   uint32_t missing_patch_inputs;
   /* Varying slots between two shaders whose fixed locations would collide. */
   uint64_t packed_inputs;
   uint64_t packed_outputs;
   /* Others stand between it and rasterisation: it feeds nothing back. */
   bool not_last;
   /* Of the tessellation control shader that is made here. */
   uint8_t patch_vertices;
   /* Clip distances that are written and not enabled; on the device all that are written clip. */
   uint8_t disabled_planes;
   /* Of a vertex shader: a geometry shader takes its edge flags. */
   bool pass_flags;
   /* Of that geometry shader. */
   struct sdog_edges_key edges;
   /* Of the fragment shader then: that varying's slot, and the polygon modes of front and back
    * faces. */
   uint8_t edges_slot;
   uint8_t edge_modes[2];
   /* The MESA_PRIM_* that triangles are parts of, where the fragment shader counts primitives. */
   uint8_t counted;
   /* Points have size one, whatever the shader writes. */
   bool drop_point_size;
   /* Points are larger by the pixel that their smooth edge is wide. */
   bool wide_points;
   /* Texture coordinates that are point coordinates, and from which side y counts. */
   uint16_t coord_replace;
   bool point_coord_flip;
   bool point_smooth;
   /* PIPE_FACE_* whose polygons are stippled. */
   uint8_t stipple;
   /* Blending takes a second colour, which the shader does not write. */
   bool second_color;
   /* It is drawn to views, of which each has one layer, 0. */
   bool views;
   /* Runs for each sample; or there is just one. */
   bool per_sample;
   bool single_sample;
   /* Of each colour buffer in sdog_shader::fetched_colors; the others are zero. */
   struct sdog_fetch_key fetch[SUNDOG_MAX_COLOR_ATTACHMENTS];
   /* Of its work group, if it takes any. */
   uint16_t group_size[3];
   /* Colour buffers that gl_FragColor goes to. */
   uint8_t color_outputs;
   /* Four times three bits of PIPE_SWIZZLE_*, for slots of sdog_shader.shadows; all but the
    * first three bits are 0 unless a slot is of legacy_shadow, too. */
   uint16_t shadow_swizzle[SDOG_SWIZZLE_SLOTS];
   /* The same for slots of sdog_shader.texels: the device's views of buffers do not swizzle. */
   uint16_t texel_swizzle[SDOG_SWIZZLE_SLOTS];
   /* Of sdog_shader.integers: what has integers with and without a sign. */
   uint32_t sint_textures;
   uint32_t uint_textures;
   /* Of sdog_shader.shadows: what their samplers do not compare. */
   uint32_t uncompared;
};

struct sdog_variant {
   struct list_head link;
   struct sdog_shader_key key;
   struct sdog_object object;
   /* The device would not take it, or there was no memory for it: nothing is drawn with it. */
   bool refused;
   /* Texture slots read, and those of them that must not be swizzled by the view. */
   uint32_t textures;
   uint32_t plain_textures;
   /* Slots of texture buffers read. */
   uint32_t texels;
   /* Slots of storage buffers, and those of them that are written. */
   uint32_t ssbos;
   uint32_t ssbos_written;
   /* Slots of images, of images of buffers, and those of both that are written. */
   uint32_t images;
   /* What each of those images is to the shader: VkImageViewType. */
   uint8_t image_types[SUNDOG_MAX_IMAGES];
   uint32_t storage_texels;
   uint32_t images_written;
   /* Bytes of uniforms outside of blocks, and whether they come as push constants. */
   uint32_t uniform_size;
   bool push;
   /* See SDOG_DRAW_PARAMETERS. */
   bool knows_draw;
   /* Slots of uniform blocks. */
   uint32_t blocks;
   /* It picks textures or images by handle, and stores to images of those. */
   bool handles;
   bool handles_written;
   /* Colour buffers as bits whose slots, from SDOG_FETCH_SLOT on, are read. */
   uint8_t fetched_colors;
};

struct sdog_shader {
   gl_shader_stage stage;
   struct nir_shader *nir;
   struct list_head variants;
   /* Varying slots. */
   uint64_t varyings_read;
   uint64_t varyings_written;
   /* Those of patches, that tessellation control shaders write and evaluation shaders read. */
   uint32_t patch_varyings;
   /* Which parts of the key make different variants of it. */
   uint32_t legacy_shadow;
   uint32_t texels;
   /* Slots that integers are read from, or what does not depend on texels. */
   uint32_t integers;
   /* Slots that are compared, if their samplers do. */
   uint32_t shadows;
   bool reads_texcoords;
   bool broadcasts_color;
   bool writes_second_color;
   /* Writes a sample mask, or interpolates at samples. */
   bool knows_samples;
   /* Colour buffers, as bits, whose contents a fragment shader reads. */
   uint8_t fetched_colors;
   bool counts_primitives;
   /* Its work groups are as large as the dispatch says. */
   bool takes_group_size;
   uint32_t clip_planes;
   bool writes_point_size;
   bool writes_viewport;
   /* Writes the layer, or is a fragment shader that reads it. */
   bool knows_layers;
   /* Of a vertex shader: see sdog_nir_edges_shader(); made when first needed. */
   struct sdog_shader *edges;
   /* Likewise, see sdog_nir_passthrough_shader(). */
   struct sdog_shader *passthrough;
   /* Of a geometry or tessellation evaluation shader: what it makes of primitives. */
   enum mesa_prim output_prim;
};

/* Takes the NIR. */
struct sdog_shader *
sdog_shader_new(struct nir_shader *nir);

/* Makes it if need be. NULL if that failed. */
struct sdog_variant *
sdog_variant_get(struct sdog_context *ctx, struct sdog_shader *shader,
                 const struct sdog_shader_key *key);

/* Bind ctx->variants, of draws and of dispatches. */
void
sdog_shaders_emit(struct sdog_context *ctx);

void
sdog_init_shader_functions(struct pipe_context *pctx);

#endif

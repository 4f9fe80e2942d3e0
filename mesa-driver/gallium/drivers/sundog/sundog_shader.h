/* SPDX-License-Identifier: MIT */
/* Shaders, and their variants for state that the device has no packet for. */
#ifndef SUNDOG_SHADER_H
#define SUNDOG_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "compiler/shader_enums.h"
#include "pipe/p_defines.h"
#include "util/list.h"

struct nir_shader;
struct pipe_context;
struct sdog_context;

/* Slots whose legacy depth comparison may be swizzled. */
#define SDOG_SHADOW_SLOTS 16

struct sdog_shader_key {
   /* Locations that the fragment shader reads and the vertex shader does not write. */
   uint32_t missing_inputs;
   /* Texture coordinates that are point coordinates, and from which side y counts. */
   uint16_t coord_replace;
   bool point_coord_flip;
   bool point_smooth;
   bool stipple;
   /* Colour buffers that gl_FragColor goes to. */
   uint8_t color_outputs;
   /* Four times three bits of PIPE_SWIZZLE_*, for slots of sdog_shader.legacy_shadow. */
   uint16_t shadow_swizzle[SDOG_SHADOW_SLOTS];
};

struct sdog_variant {
   struct list_head link;
   struct sdog_shader_key key;
   /* Shader object. */
   uint32_t id;
   /* Texture slots read, and those of them that must not be swizzled by the view. */
   uint32_t textures;
   uint32_t plain_textures;
   /* Slots of texture buffers read. */
   uint32_t texels;
   /* Bytes of uniforms, and whether they come as push constants. */
   uint32_t uniform_size;
   bool push;
   /* Slot of the stipple texture, if the key asks for it. */
   unsigned stipple_slot;
};

struct sdog_shader {
   gl_shader_stage stage;
   struct nir_shader *nir;
   struct list_head variants;
   /* Locations written (vertex) or read (fragment). */
   uint32_t varyings;
   /* Which parts of the key make different variants of it. */
   uint32_t legacy_shadow;
   bool reads_texcoords;
   bool broadcasts_color;
};

/* Choose ctx->variants for drawing @prim, making them if need be. False if that failed. */
bool
sdog_shaders_update(struct sdog_context *ctx, enum mesa_prim prim);
/* Bind them. */
void
sdog_shaders_emit(struct sdog_context *ctx);

void
sdog_init_shader_functions(struct pipe_context *pctx);

#endif

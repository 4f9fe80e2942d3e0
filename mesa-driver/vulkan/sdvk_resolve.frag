#version 450
/* SPDX-License-Identifier: MIT */
/*
 * Resolves the samples of a depth, stencil or colour attachment. meson.build compiles a variant of
 * it for each; sdvk_cmd_resolve.c draws with them.
 */
#extension GL_ARB_shader_stencil_export : require
#extension GL_ARB_shader_texture_image_samples : require

/* Values of VkResolveModeFlagBits. */
#define SAMPLE_ZERO 1
#define AVERAGE 2
#define MIN 4

#if defined(COLOR)
#define NUMBER COLOR
#define PART(texel) texel
layout(location = 0) out COLOR color;
#elif defined(STENCIL)
#define NUMBER uint
#define PART(texel) texel.r
#define SAMPLES usampler2DMSArray
#else
#define NUMBER float
#define PART(texel) texel.r
#define SAMPLES sampler2DMSArray
#endif

layout(location = 0) flat in ivec2 layer_and_mode;
layout(set = 1, binding = 1) uniform SAMPLES samples; /* stage FRAGMENT, BINDING_TEXTURE0 */

void main()
{
   const ivec3 place = ivec3(gl_FragCoord.xy, layer_and_mode.x);
   const int mode = layer_and_mode.y, count = mode == SAMPLE_ZERO ? 1 : textureSamples(samples);
   NUMBER one = PART(texelFetch(samples, place, 0)), sum = one;

   for (int i = 1; i < count; i++) {
      const NUMBER next = PART(texelFetch(samples, place, i));

      one = mode == MIN ? min(one, next) : max(one, next);
      sum += next;
   }
#if defined(COLOR)
   color = mode == AVERAGE ? sum / count : one;
#elif defined(STENCIL)
   gl_FragStencilRefARB = int(one);
#else
   gl_FragDepth = mode == AVERAGE ? sum / count : one;
#endif
}

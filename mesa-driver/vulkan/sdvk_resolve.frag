#version 450
/* SPDX-License-Identifier: MIT */
/* The samples of a depth, or of a stencil. */
#extension GL_ARB_shader_stencil_export : require
#extension GL_ARB_shader_texture_image_samples : require

/* Values of VkResolveModeFlagBits. */
#define SAMPLE_ZERO 1
#define AVERAGE 2
#define MIN 4

#ifdef STENCIL
#define NUMBER uint
#define SAMPLES usampler2DMSArray
#else
#define NUMBER float
#define SAMPLES sampler2DMSArray
#endif

layout(location = 0) flat in ivec2 layer_and_mode;
layout(set = 1, binding = 1) uniform SAMPLES samples; /* stage FRAGMENT, BINDING_TEXTURE0 */

void main()
{
   const ivec3 place = ivec3(gl_FragCoord.xy, layer_and_mode.x);
   const int mode = layer_and_mode.y, count = mode == SAMPLE_ZERO ? 1 : textureSamples(samples);
   NUMBER one = texelFetch(samples, place, 0).r, sum = one;

   for (int i = 1; i < count; i++) {
      const NUMBER next = texelFetch(samples, place, i).r;

      one = mode == MIN ? min(one, next) : max(one, next);
      sum += next;
   }
#ifdef STENCIL
   gl_FragStencilRefARB = int(one);
#else
   gl_FragDepth = mode == AVERAGE ? sum / count : one;
#endif
}

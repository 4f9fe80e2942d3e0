#version 450
// SPDX-License-Identifier: MIT
// Reads a texture of CLASS (sampler, isampler or usampler) and KIND (an index of kinds[] in stream-views.c) at places
// that depend on the pixel, near and far. What was fetched goes to x, what was sampled to y, as WORD
// makes it. With HANDLES it takes the texture from the table at that binding, at a number that it is told.
#define PASTE(class, type) class##type
#define SAMPLER(class, type) PASTE(class, type)

#if KIND == 0
#define TYPE 1D
#define FETCH texelFetch(tex, at.x, at.w)
#define SAMPLE textureLod(tex, to.x, level)
#elif KIND == 1
#define TYPE 2D
#define FETCH texelFetch(tex, at.xy, at.w)
#define SAMPLE textureLod(tex, to.xy, level)
#elif KIND == 2
#define TYPE 3D
#define FETCH texelFetch(tex, at.xyz, at.w)
#define SAMPLE textureLod(tex, to, level)
#elif KIND == 3
#define TYPE Cube
#define SAMPLE textureLod(tex, to, level)
#elif KIND == 4
#define TYPE 1DArray
#define FETCH texelFetch(tex, at.xz, at.w)
#define SAMPLE textureLod(tex, to.xz, level)
#elif KIND == 5
#define TYPE 2DArray
#define FETCH texelFetch(tex, at.xyz, at.w)
#define SAMPLE textureLod(tex, to, level)
#elif KIND == 6
#define TYPE CubeArray
#define SAMPLE textureLod(tex, to.xyzz, level)
#elif KIND == 7
#define TYPE 2DMS
#define FETCH texelFetch(tex, at.xy, at.w)
#else
#define TYPE 2DMSArray
#define FETCH texelFetch(tex, at.xyz, at.w)
#endif

#ifdef HANDLES
layout(set = 6, binding = HANDLES) uniform SAMPLER(CLASS, TYPE) table[4096];
layout(push_constant) uniform Probe { int probe, handle; };
#define tex table[handle]
#else
layout(set = 1, binding = 1) uniform SAMPLER(CLASS, TYPE) tex;
layout(push_constant) uniform Probe { int probe; };
#endif
layout(location = 0) out uvec2 bits;

void main()
{
	ivec2 pixel = ivec2(gl_FragCoord.xy);
	int i = pixel.y * 64 + pixel.x - 512;
	ivec4 at;	// column, row, layer or slice, and level or sample

	switch (probe) {
	case 0:
		at = ivec4(pixel.x & 7, pixel.x >> 3, pixel.y, 0);
		break;
	case 1:
		at = ivec4(pixel.x & 7, 0, i * 8, 0);
		break;
	case 2:
		at = ivec4(0, 0, i * 4096, 0);
		break;
	case 3:
		at = ivec4(pixel.x * 64, pixel.y * 4096, 0, (i & 31) - 8);
		break;
	default:
		at = ivec4(0, 0, 0, i);
		break;
	}
	vec3 to = vec3(at.xy / 8.0, at.z);
	float level = float(at.w);

	bits = uvec2(0);
#ifdef FETCH
	bits.x = WORD((FETCH).x);
#endif
#ifdef SAMPLE
	bits.y = WORD((SAMPLE).x);
#endif
}

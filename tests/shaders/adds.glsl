#version 460
// SPDX-License-Identifier: MIT
// Adds to floats from the number on that is pushed, or has the less or the greater there, and says what was there. A
// compute or a fragment shader.
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#if defined(LESS)
#define CHANGE atomicMin
#define CHANGE_IMAGE imageAtomicMin
#define STEP 0xff000000u
#elif defined(GREATER)
#define CHANGE atomicMax
#define CHANGE_IMAGE imageAtomicMax
#define STEP 0x7f000000u
#else
#define CHANGE atomicAdd
#define CHANGE_IMAGE imageAtomicAdd
#define STEP 0x79800000u
#endif
#ifdef FRAGMENT
#define SET 1
layout(location = 0) out uvec2 pixel;
#else
#define SET 5
layout(local_size_x = 64) in;
shared uint before[64];
shared float middle[64];
shared uint behind[64];
#endif
layout(set = SET, binding = 34) buffer Floats { float floats[]; } buffers[16];
layout(set = SET, binding = 35, r32f) uniform image2D picture;
layout(set = SET, binding = 83, r32f) uniform imageBuffer texels;
layout(push_constant) uniform Push { uint op; int number; };

float add(int i)
{
	const float step = uintBitsToFloat(STEP);

	switch (op) {
	case 0u:
		return CHANGE(buffers[1].floats[number + i], step);
	case 1u:
		return CHANGE_IMAGE(picture, ivec2(number + i % 8, number + i / 8), step);
	default:
		return CHANGE_IMAGE(texels, number + i, step);
	}
}

void main()
{
#ifdef FRAGMENT
	const ivec2 at = ivec2(gl_FragCoord.xy);

	pixel = uvec2(floatBitsToUint(add(at.x)), at.y);
#else
	const uint l = gl_LocalInvocationIndex;

	if (op < 3u) {
		buffers[0].floats[l] = add(int(l));
		return;
	}
	before[l] = behind[l] = 7u;
	middle[l] = 0.0;
	barrier();
	CHANGE(middle[number + int(l)], uintBitsToFloat(STEP));
	barrier();
	buffers[0].floats[l] = uintBitsToFloat(before[l] + behind[l]);
#endif
}

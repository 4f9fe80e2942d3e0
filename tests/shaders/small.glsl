#version 460
// SPDX-License-Identifier: MIT
// Stores of 8, 16 and 64 bits, and indices of few bits, at numbers that a test chooses. A compute or a fragment shader.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require
#ifdef FRAGMENT
#define SET 1
layout(location = 0) out uvec2 pixel;
#else
#define SET 5
layout(local_size_x = 64) in;
shared uint8_t before[64];
shared u8vec3 middle[64];
shared uint16_t behind[64];
shared uint64_t total[64];
#endif
layout(scalar, set = SET, binding = 34) buffer Bytes { uint8_t numbers[]; } bytes[16];
layout(scalar, set = SET, binding = 34) buffer Shorts { int16_t numbers[]; } shorts[16];
layout(scalar, set = SET, binding = 34) buffer Halves { float16_t numbers[]; } halves[16];
layout(scalar, set = SET, binding = 34) buffer Vectors { uint8_t first; u8vec3 numbers[]; } vectors[16];
layout(scalar, set = SET, binding = 34) buffer Longs { int64_t numbers[]; } longs[16];
layout(scalar, set = SET, binding = 34) buffer Words { uint numbers[]; } words[16];
layout(push_constant) uniform Push { uint op, number; };

void store(uint i)
{
	const int8_t byte = int8_t(i);
	const uint16_t word = uint16_t(i);

	switch (op) {
	case 0u:
		bytes[i].numbers[i] = bytes[i].numbers[i + 1u] / uint8_t(i);
		break;
	case 1u:
		shorts[i].numbers[i] = int16_t(0x8000) % int16_t(i);
		break;
	case 2u:
		halves[i].numbers[i] = halves[i >> 1].numbers[i >> 1] * float16_t(i);
		break;
	case 3u:
		vectors[i].numbers[i][i] = uint8_t(i);
		break;
	case 4u:
		atomicMax(longs[i].numbers[i], int64_t(i) << i);
		break;
	case 5u:
		words[byte].numbers[byte] = 1u;
		break;
	default:
		words[word].numbers[word] = 1u;
	}
}

void main()
{
#ifdef FRAGMENT
	const uint me = uint(gl_FragCoord.x);
#else
	const uint me = gl_LocalInvocationIndex;
#endif
	uint8_t own[16];
	const uint i = me * number;

	for (uint n = 0u; n < 16u; n++)
		own[n] = uint8_t(n);
	own[int8_t(i)] = uint8_t(3);
	store(i);
#ifdef FRAGMENT
	pixel = uvec2(own[me & 15u], 1u);
#else
	before[me] = uint8_t(7);
	behind[me] = uint16_t(7);
	barrier();
	middle[int16_t(i)][int8_t(i)] = uint8_t(9);
	atomicAdd(total[i], 0xfffffffffful);
	barrier();
	words[0].numbers[me] = uint(before[me]) + uint(behind[me]) + uint(own[me & 15u]) * 0x100u;
#endif
}

#version 460
// SPDX-License-Identifier: MIT
// Numbers of 8 and 16 bits wherever memory is, and indices of them.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 0) uniform Block { uint8_t bytes[64]; f16vec4 halves[8]; };
layout(set = 5, binding = 34) buffer Numbers { int8_t bytes[16]; u16vec3 shorts[16]; float16_t halves[]; } buffers[2];
layout(push_constant) uniform Push { uint8_t first; int16_t second; float16_t third; };
shared uint8_t shared_bytes[64];
shared f16vec2 shared_halves[8];

void main()
{
	const uint8_t me = uint8_t(gl_LocalInvocationIndex);
	int16_t own[32];

	for (uint16_t i = 0us; i < 32us; i++)
		own[i] = int16_t(i) * second / int16_t(me);
	shared_bytes[me] = bytes[me] + first;
	shared_halves[me & 7] = f16vec2(halves[me & 7].xz) * third;
	barrier();
	buffers[0].bytes[me & 15] = int8_t(shared_bytes[63 - me]) % int8_t(second);
	buffers[1].shorts[own[first & 31]] = u16vec3(own[me & 31]) << 3;
	buffers[1].halves[second] = sin(shared_halves[first & 7].y) + float16_t(own[3]);
}

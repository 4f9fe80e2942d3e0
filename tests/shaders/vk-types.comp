#version 460
// SPDX-License-Identifier: MIT
// Numbers of all sizes, computed with; memory of all kinds, with Vulkan's memory model.
#pragma use_vulkan_memory_model
#extension GL_EXT_integer_dot_product : require
#extension GL_EXT_null_initializer : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x_id = 0) in;
layout(scalar, set = 0, binding = 0) readonly buffer In {
	int8_t bytes[64];
	u16vec3 shorts[64];
	float16_t halves[64];
} source;
layout(scalar, set = 0, binding = 1) buffer Out {
	uint64_t total;
	uint words[64][4];
	int8_t bytes[64];
	u16vec3 shorts[64];
	float16_t halves[64];
} result;
layout(scalar, set = 0, binding = 3) uniform Block {
	uint add;
	uint8_t bytes[60];
} block;
layout(scalar, push_constant) uniform Push {
	uint8_t factor;
	int16_t sum;
	float16_t scale;
};
shared uint zeros[64] = {};

void main()
{
	const uint i = gl_LocalInvocationIndex;
	int8_t own[64];

	for (int8_t n = int8_t(0); n < int8_t(64); n++)
		own[n] = source.bytes[n] * int8_t(factor);
	result.bytes[i] = own[int16_t(i)] / int8_t(3);
	result.shorts[i] = source.shorts[i].zyx + uint16_t(sum);
	result.halves[i] = source.halves[i] * scale + float16_t(0.5);
	result.words[i][0] = zeros[i] + zeros[63u - i] + gl_WorkGroupSize.x;
	result.words[i][1] = dotPacked4x8EXT(i * 0x01020304u, 0x05060708u);
	result.words[i][2] = uint(dotPacked4x8AccSatEXT(int(i), 0x7f, 0x7ffffff0));
	result.words[i][3] = block.add + uint(block.bytes[i % 60u]);
	barrier();
	zeros[i] = 5u;
	atomicAdd(result.total, uint64_t(i) << 32 | 1ul);
}

#version 460
// SPDX-License-Identifier: MIT
// What two clocks say before and after some work.
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Words {
	uint words[];
} result;

void main()
{
	const uint begin = clock2x32ARB().x, device_begin = clockRealtime2x32EXT().x;

	for (uint n = 0u; n < 10000u; n++)
		result.words[8u + n % 8u] += n;
	result.words[0] = begin;
	result.words[1] = device_begin;
	result.words[2] = uint(clockARB());
	result.words[3] = uint(clockRealtimeEXT());
}

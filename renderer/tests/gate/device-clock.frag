#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_realtime_clock : require
layout(location = 0) out uvec2 result;

void main()
{
	result = clockRealtime2x32EXT();
}

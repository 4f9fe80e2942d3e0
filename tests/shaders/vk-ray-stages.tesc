#version 460
// SPDX-License-Identifier: MIT
// Patches of one vertex. TRACE: with the result of its ray.
#extension GL_GOOGLE_include_directive : require
#ifdef TRACE
#include "vk-ray-stages.h"
#endif

layout(vertices = 1) out;
layout(location = 0) in float value_in[];
layout(location = 1) in vec2 at_in[];
layout(location = 0) out float value[];
layout(location = 1) out vec2 at[];

void main()
{
	at[gl_InvocationID] = at_in[gl_InvocationID];
#ifdef TRACE
	value[gl_InvocationID] = trace(at_in[gl_InvocationID]);
#else
	value[gl_InvocationID] = value_in[gl_InvocationID];
#endif
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	for (uint i = 0; i < 4; i++)
		gl_TessLevelOuter[i] = 1;
	gl_TessLevelInner[0] = gl_TessLevelInner[1] = 1;
}

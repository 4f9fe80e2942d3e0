#version 460
// SPDX-License-Identifier: MIT
// Points with the result of their rays.
#extension GL_GOOGLE_include_directive : require
#include "vk-ray-stages.h"

layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in float value_in[];
layout(location = 1) in vec2 at_in[];
layout(location = 0) out float value;
layout(location = 1) out vec2 at;

void main()
{
	at = at_in[0];
	value = trace(at_in[0]);
	gl_Position = gl_in[0].gl_Position;
	gl_PointSize = 1;
	EmitVertex();
}

#version 460
// SPDX-License-Identifier: MIT
// Points in the place of a patch. TRACE: with the result of its ray.
#extension GL_GOOGLE_include_directive : require
#ifdef TRACE
#include "vk-ray-stages.h"
#endif

layout(triangles, equal_spacing, point_mode) in;
layout(location = 0) in float value_in[];
layout(location = 1) in vec2 at_in[];
layout(location = 0) out float value;
layout(location = 1) out vec2 at;

void main()
{
	at = at_in[0];
#ifdef TRACE
	value = trace(at_in[0]);
#else
	value = value_in[0];
#endif
	gl_Position = gl_in[0].gl_Position;
	gl_PointSize = 1;
}

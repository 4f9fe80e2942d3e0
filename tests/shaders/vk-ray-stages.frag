#version 460
// SPDX-License-Identifier: MIT
// Writes the value of an earlier stage. TRACE: the result of the pixel's ray.
#extension GL_GOOGLE_include_directive : require
#ifdef TRACE
#include "vk-ray-stages.h"
#endif

layout(location = 0) in float value;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 color;

void main()
{
#ifdef TRACE
	color = vec4(trace(gl_FragCoord.xy));
#else
	color = vec4(value);
#endif
}

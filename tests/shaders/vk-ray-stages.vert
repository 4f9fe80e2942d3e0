#version 460
// SPDX-License-Identifier: MIT
// A point in each pixel of 16x16. TRACE: with the result of its ray. COVER: a triangle instead.
#extension GL_GOOGLE_include_directive : require
#ifdef TRACE
#include "vk-ray-stages.h"
#endif

layout(location = 0) out float value;
layout(location = 1) out vec2 at;

void main()
{
	at = vec2(gl_VertexIndex % 16, gl_VertexIndex / 16) + 0.5;
#ifdef COVER
	at = vec2(gl_VertexIndex % 2, gl_VertexIndex / 2) * 32;
#endif
#ifdef TRACE
	value = trace(at);
#else
	value = 0;
#endif
	gl_Position = vec4(at / 8 - 1, 0, 1);
	gl_PointSize = 1;
}

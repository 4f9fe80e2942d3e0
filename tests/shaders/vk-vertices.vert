#version 450
// SPDX-License-Identifier: MIT
// A point of a grid for each vertex and instance, or a corner of all there is: what each form adds is its test's.
#ifdef PARAMETERS
#extension GL_ARB_shader_draw_parameters : require
#endif
#ifdef LAYERS
#extension GL_ARB_shader_viewport_layer_array : require
#endif
layout(location = 0) flat out uint value;
#ifdef CAPTURED
layout(location = 1, xfb_buffer = 0, xfb_stride = 8, xfb_offset = 0) out uvec2 pair;
layout(location = 2, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out uint single;
#endif
#ifdef CAPTURED_BLOCKS
layout(location = 1, xfb_buffer = 0, xfb_stride = 8) out Block {
	flat uint other;
	layout(xfb_offset = 4) flat uint second;
	layout(xfb_offset = 0) flat uint first;
} block;
layout(xfb_buffer = 1, xfb_stride = 4) out gl_PerVertex {
	vec4 gl_Position;
	layout(xfb_offset = 0) float gl_PointSize;
};
#endif
#ifdef ELEMENTS
layout(location = 0) in uint element;
#endif
#ifdef STORES
layout(binding = 0) buffer Words { uint words[]; };
#endif

vec4 corner()
{
	return vec4((gl_VertexIndex & 1) * 2 - 1, (gl_VertexIndex & 2) - 1, 0, 1);
}

void main()
{
	gl_PointSize = 1.0;
	gl_Position = vec4((vec2(gl_VertexIndex, gl_InstanceIndex) + 0.5) / 8.0 - 1.0, 0, 1);
	value = 1 + gl_VertexIndex + 16 * gl_InstanceIndex;
#ifdef CORNERS
	gl_Position = corner();
#endif
#ifdef PARAMETERS
	value = 4096 + gl_DrawIDARB + 16 * gl_BaseVertexARB + 256 * gl_BaseInstanceARB;
#endif
#ifdef CAPTURED
	pair = uvec2(gl_VertexIndex * 3 + 7, gl_InstanceIndex);
	single = gl_VertexIndex ^ 0xabc;
#endif
#ifdef CAPTURED_BLOCKS
	block.other = 77;
	block.first = gl_VertexIndex * 3 + 7;
	block.second = gl_InstanceIndex;
#endif
#ifdef ELEMENTS
	value = element;
#endif
#ifdef LAYERS
	gl_Position = corner();
	gl_ViewportIndex = 4 - gl_InstanceIndex % 4;
	gl_Layer = 2 - gl_InstanceIndex / 4;
	value = 100 + gl_InstanceIndex;
#endif
#ifdef CLIP
	gl_Position = corner();
	value = 50;
	gl_ClipDistance[0] = gl_Position.x;
	gl_ClipDistance[1] = gl_Position.y + 0.5;
#endif
#ifdef CULL
	// Columns: seen, of vertices that are all out, of some that are, of all that are but not by the same distance.
	gl_Position = corner();
	gl_Position.x = (gl_Position.x + 1.0) / 4.0 + gl_InstanceIndex * 0.5 - 1.0;
	value = 200 + gl_InstanceIndex;
	bool odd = (gl_VertexIndex & 1) != 0, inner = gl_VertexIndex == 1 || gl_VertexIndex == 2;
	bool out0 = gl_InstanceIndex == 1 || gl_InstanceIndex == 2 && !inner || gl_InstanceIndex == 3 && odd;
	gl_CullDistance[0] = out0 ? -1.0 : 1.0;
	gl_CullDistance[1] = gl_InstanceIndex == 3 && !odd ? -1.0 : 1.0;
#endif
#ifdef STORES
	atomicOr(words[0], 1 << gl_VertexIndex);
	words[8 + gl_VertexIndex] = 1000 + 3 * gl_VertexIndex;
#endif
}

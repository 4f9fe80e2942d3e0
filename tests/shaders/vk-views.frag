#version 450
// SPDX-License-Identifier: MIT
// The view of the fragment and of the stages before it; or what is read of an input attachment, or the layer, or both.
#extension GL_EXT_multiview : require
layout(push_constant) uniform Push { uint number; };
layout(location = 0) flat in uint stages;
layout(location = 0) out uvec4 color;
#ifdef INPUT
layout(input_attachment_index = 0, binding = 0) uniform usubpassInput source;
#endif

void main()
{
#if defined(INPUT)
	color = subpassLoad(source) + uvec4(1000, 0, 0, VIEW);
#elif defined(VIEW_AND_LAYER)
	color = uvec4(gl_ViewIndex, stages, number + uint(gl_Layer - gl_ViewIndex), 7);
#elif defined(LAYER)
	color = uvec4(gl_Layer, stages, number, 7);
#else
	color = uvec4(gl_ViewIndex, stages, number, 7);
#endif
}

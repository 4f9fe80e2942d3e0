#version 450
// SPDX-License-Identifier: MIT
// The view that is drawn; or the layer, if there is one.
#extension GL_EXT_multiview : require
layout(location = 0) out uvec2 words;

void main()
{
#ifdef LAYER
	words = uvec2(7, gl_Layer);
#else
	words = uvec2(7, 100 + gl_ViewIndex);
#endif
}

#version 450
// SPDX-License-Identifier: MIT
// What is at a layer of an array, whether it is one or not.
layout(set = 1, binding = 1) uniform usampler2DArray tex;
layout(push_constant) uniform Layer { int layer; };
layout(location = 0) out uint word;

void main()
{
	word = texelFetch(tex, ivec3(gl_FragCoord.xy, layer), 0).x;
}

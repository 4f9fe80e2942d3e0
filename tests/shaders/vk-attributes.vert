#version 450
// SPDX-License-Identifier: MIT
// Captures what attributes are, each as numbers of another type than its format has, and the vertex.
layout(location = 0) in ATTRIBUTE value;
layout(location = 0, xfb_buffer = 0, xfb_stride = 20, xfb_offset = 0) out uvec4 words;
layout(location = 1, xfb_buffer = 0, xfb_stride = 20, xfb_offset = 16) out uint vertex;

void main()
{
	words = WORDS(value);
	vertex = gl_VertexIndex;
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}

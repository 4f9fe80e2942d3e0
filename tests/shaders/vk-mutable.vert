#version 450
// SPDX-License-Identifier: MIT
// A triangle that covers all, with a colour from a uniform buffer.
layout(std140, set = 0, binding = 0) uniform Uniform {
	uvec4 words;
} uniforms[2];
layout(location = 0) flat out uint value;

void main()
{
	value = uniforms[0].words.x;
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}

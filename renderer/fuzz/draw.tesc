#version 450
// SPDX-License-Identifier: MIT
// Passes the points of a patch to evaluation shaders of the fuzzer. Writes all inputs that these
// may read, and levels that produce some vertices.
layout(vertices = 3) out;
layout(location = 0) in vec4 a_in[];
layout(location = 1) in vec4 b_in[];
layout(location = 0) out vec4 a[];
layout(location = 1) out vec4 b[];
layout(location = 2) patch out vec4 c;
void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	a[gl_InvocationID] = a_in[gl_InvocationID];
	b[gl_InvocationID] = b_in[gl_InvocationID];
	c = a_in[0];
	gl_TessLevelOuter = float[](3.0, 4.0, 5.0, 2.0);
	gl_TessLevelInner = float[](3.5, 4.0);
}

#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_gpu_shader_int64 : require
layout(points) in;
layout(line_strip, max_vertices = 4) out;

void main()
{
	uint i = uint(gl_in[0].gl_Position.x);
	uint64_t n = 7ul * uint64_t(i);

	gl_Position = vec4(float(n), 0.0, 0.0, 1.0);
	EmitVertex();
	gl_Position.x = float(i);
	EmitVertex();
	EndPrimitive();
}

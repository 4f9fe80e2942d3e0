#version 450
// SPDX-License-Identifier: MIT
// As much of uniform blocks as there are slots for, and as drivers declare them.
layout(set = 0, binding = 0) uniform First { vec4 first[4096]; };
layout(set = 0, binding = 33) uniform Others { vec4 words[4096]; } others[15];
layout(location = 0) in vec4 vertex;

void main()
{
	gl_Position = vertex + first[gl_VertexIndex] + others[gl_InstanceIndex].words[gl_VertexIndex];
}

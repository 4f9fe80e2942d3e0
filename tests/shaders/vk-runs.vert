#version 450
// SPDX-License-Identifier: MIT
// Which instance this is, and which of its vertices.
layout(location = 0) out uvec2 id;

void main()
{
	id = uvec2(gl_InstanceIndex, gl_VertexIndex);
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}

#version 450
// SPDX-License-Identifier: MIT
layout(triangles_adjacency, invocations = 2) in;
layout(triangle_strip, max_vertices = 60) out;
layout(location = 0) in vec4 color_in[];
layout(location = 0) out vec4 color;
in gl_PerVertex {
	vec4 gl_Position;
	float gl_ClipDistance[8];
} gl_in[];
out gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize;
	float gl_ClipDistance[8];
};

void main()
{
	for (int i = 0; i < gl_in.length(); i++) {
		color = color_in[i] + float(gl_PrimitiveIDIn + gl_InvocationID);
		gl_Position = gl_in[i].gl_Position;
		gl_PointSize = 1.0;
		for (int k = 0; k < 8; k++)
			gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[k];
		gl_PrimitiveID = i;
		gl_Layer = i;
		EmitVertex();
	}
	EndPrimitive();
}

#version 450
// SPDX-License-Identifier: MIT
// A vertex shader that writes nothing, or the position of a triangle with COVERS. With DECLARES it
// has outputs to which it does not write.
#ifdef DECLARES
out gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
};
layout(location = 20) out vec4 outside;
#endif

void main()
{
#ifdef COVERS
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5,
			   1.0);
#endif
}

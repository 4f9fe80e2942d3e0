#version 450
// SPDX-License-Identifier: MIT
// With READ a patch has the position of its vertex, and its vertex none.
layout(vertices = 1) out;
layout(location = 0) patch out uvec4 seen;

void main()
{
#ifdef READ
	seen = floatBitsToUint(gl_in[0].gl_Position);
#else
	seen = uvec4(0u);
#endif
	gl_TessLevelOuter = float[](1.0, 1.0, 1.0, 1.0);
	gl_TessLevelInner = float[](1.0, 1.0);
}

#version 450
// SPDX-License-Identifier: MIT
// Points. With READ they have the position of the patch's vertex, and with POSITION a place in the
// picture.
layout(quads, point_mode) in;
layout(location = 0) patch in uvec4 seen;
layout(location = 0) flat out uvec4 value;

void main()
{
	value = seen;
#ifdef READ
	value += floatBitsToUint(gl_in[0].gl_Position);
#endif
#ifdef POSITION
	gl_Position = vec4((float(gl_PrimitiveID) + 0.5) / 2.0 - 1.0, -0.75, 0.0, 1.0);
	gl_PointSize = 1.0;
#endif
}

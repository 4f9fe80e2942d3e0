#version 450
// SPDX-License-Identifier: MIT
// All of the picture.
layout(quads) in;
layout(location = 0) patch in uint seen;
layout(location = 0) flat out uint value;

void main()
{
	value = seen;
	gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0);
}

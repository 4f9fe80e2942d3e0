#version 450
// SPDX-License-Identifier: MIT
// Vertices that are full of one number, so that a stray write or read of them is seen. BARE: they
// have a position only.
layout(quads) in;
#ifndef BARE
layout(location = 0) out vec4 v[8];
#endif

void main()
{
	gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0);
#ifndef BARE
	for (int i = 0; i < 8; i++)
		v[i] = vec4(uintBitsToFloat(0x41414141u));
#endif
}

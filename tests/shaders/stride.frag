#version 450
// SPDX-License-Identifier: MIT
// Fragment shaders for which llvmpipe adds different slots to vertices. FACE: 0, without
// FrontFacing; 1, uses it; 2, declares it, but the result does not depend on it; 3, uses
// PrimitiveId instead. PLACE: the location that it reads.
#if FACE != 3
layout(location = PLACE) flat in vec4 v;
#endif
layout(location = 0) out uvec2 color;

void main()
{
#if FACE == 1
	color = gl_FrontFacing ? floatBitsToUint(v.xy) : floatBitsToUint(v.zw);
#elif FACE == 3
	color = uvec2(gl_PrimitiveID < 65536 ? 0x41414141u : uint(gl_PrimitiveID));
#elif FACE == 2
	color = floatBitsToUint(v.xy) + uint(gl_FrontFacing) * 0u;
#else
	color = floatBitsToUint(v.xy);
#endif
}

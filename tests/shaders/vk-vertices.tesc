#version 450
// SPDX-License-Identifier: MIT
// One vertex of each patch goes on; how many it has is said.
layout(vertices = 1) out;
layout(location = 0) flat in uint before[];
layout(location = 0) patch out uint vertices;
layout(location = 1) patch out uint number;
#ifdef STORES
layout(binding = 0) buffer Words { uint words[]; };
#endif

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position;
	gl_TessLevelOuter = float[](1.0, 1.0, 1.0, 1.0);
	gl_TessLevelInner = float[](1.0, 1.0);
	vertices = gl_PatchVerticesIn;
	number = gl_PrimitiveID;
#ifdef STORES
	atomicOr(words[1], 1 << gl_PrimitiveID);
#endif
}

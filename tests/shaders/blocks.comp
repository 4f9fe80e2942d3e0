#version 450
// SPDX-License-Identifier: MIT
// Blocks of a compressed image as texels, at the place of each invocation, which may be anywhere: stored, or fetched to
// the buffer.
layout(local_size_x = 8, local_size_y = 8, local_size_z = 4) in;
layout(set = 5, binding = 34) buffer Words { uvec2 words[]; } buffers[1];
#ifdef WRITE
layout(set = 5, binding = 35) writeonly uniform uimage2DArray blocks;
#else
layout(set = 5, binding = 1) uniform usampler2DArray blocks;
#endif
layout(push_constant) uniform Push { ivec3 first; };

void main()
{
	const ivec3 at = first + ivec3(gl_GlobalInvocationID);

#ifdef WRITE
	imageStore(blocks, at, uvec4(0x600d0000 + at.x + at.y * 16 + at.z * 256));
#else
	buffers[0].words[gl_LocalInvocationIndex] = texelFetch(blocks, at, 0).xy;
#endif
}

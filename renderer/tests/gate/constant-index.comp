#version 450
// SPDX-License-Identifier: MIT
// Two elements are where 31 bits reach, the third one ends behind that, the fourth one is anywhere.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uvec4 head[4]; uvec4 words[]; };

void main()
{
	words[3].x = words[0x7fffffa].y + words[0x7fffffb].z + words[gl_GlobalInvocationID.x].w;
}

#version 450
// SPDX-License-Identifier: MIT
// As many parts as a storage buffer may have, in a uniform block.
layout(local_size_x = 1) in;
layout(set = 5, binding = 0) uniform Vectors { vec4 vectors[300000]; };
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	words[0] = floatBitsToUint(vectors[words[1]].x);
}

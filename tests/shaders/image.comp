#version 450
// SPDX-License-Identifier: MIT
// Stores, adds or loads a texel of an IMAGE at the place of each invocation; what it saw goes to the buffer.
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[1];
layout(set = 5, binding = BINDING, FORMAT) uniform IMAGE image;
layout(push_constant) uniform Push { ivec3 first; uint op; };

void main()
{
	ivec3 id = ivec3(gl_GlobalInvocationID), at = first + id;
	int i = id.x + id.y * 8 + id.z * 64;

	if (op == 0u) {
		// Each texel has one store.
		if (OTHERS == 0)
			imageStore(image, COORD, VALUE(at.x + at.y * 16 + at.z * 256 + 1));
	} else {
		buffers[0].words[i] = uint(imageLoad(image, COORD).x);
	}
}

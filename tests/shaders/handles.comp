#version 450
// SPDX-License-Identifier: MIT
// Stores to, loads from or adds to an image of whole numbers, or texels of a buffer, that is in the tables of handles at
// a number that it is told, or at one for each invocation; what it saw goes to the buffer.
layout(local_size_x = 64) in;
#ifdef TEXELS
layout(set = 6, binding = 59, r32ui) uniform uimageBuffer images[4096];
layout(set = 6, binding = 89, r32ui) uniform uimageBuffer counters[4096];
#define AT at
#else
layout(set = 6, binding = 35, r32ui) uniform uimage2D images[4096];
layout(set = 6, binding = 65, r32ui) uniform uimage2D counters[4096];
#define AT ivec2(at & 7, at >> 3)
#endif
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[1];
layout(push_constant) uniform Push { int op, handle, first; };

void main()
{
	int i = int(gl_GlobalInvocationID.x), at = first + i;

	switch (op) {
	case 0:
		imageStore(images[handle], AT, uvec4(i + 1));
		break;
	case 1:
		buffers[0].words[i] = imageLoad(images[handle], AT).x;
		break;
	case 2:
		buffers[0].words[i] = imageAtomicAdd(counters[handle], AT, 1000u);
		break;
	default:
		// Each another entry.
		buffers[0].words[i] = imageLoad(images[i & 3], AT).x;
		break;
	}
}

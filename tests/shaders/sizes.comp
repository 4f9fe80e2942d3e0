#version 450
// SPDX-License-Identifier: MIT
// A group of X * Y * Z invocations: each stores to what they share, from the number on that is pushed.
layout(local_size_x = X, local_size_y = Y, local_size_z = Z) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint unused, number; };

shared uint before[X * Y * Z];
shared uint middle[X * Y * Z];
shared uint behind[X * Y * Z];

void main()
{
	const uvec3 id = gl_LocalInvocationID;
	const uint l = (id.z * Y + id.y) * X + id.x;

	before[l] = behind[l] = 7u;
	barrier();
	middle[l + number] = 9u;
	barrier();
	buffers[0].words[l] = l == gl_LocalInvocationIndex ? before[l] + behind[l] : 0u;
}

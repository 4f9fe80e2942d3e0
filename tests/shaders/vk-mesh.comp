// SPDX-License-Identifier: MIT
#version 460

/* Nothing, for groups that begin somewhere. COUNT: how many invocations there are. */

#ifdef COUNT
layout(local_size_x = 3) in;

layout(binding = 0) buffer Counts {
	uint tasks, meshes;
};
#else
layout(local_size_x = 1) in;
#endif

void main()
{
#ifdef COUNT
	atomicAdd(tasks, 1);
#endif
}

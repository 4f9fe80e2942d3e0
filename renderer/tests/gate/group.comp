#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
struct thing { float f[3]; uvec3 u; };
shared float tile[64];
shared thing things[16];
shared uint counter;

void main()
{
	uvec3 all = gl_NumWorkGroups + gl_WorkGroupSize + gl_WorkGroupID + gl_LocalInvocationID + gl_GlobalInvocationID;

	tile[gl_LocalInvocationIndex] = float(all.x + all.y + all.z);
	things[all.z].u[all.y] = all.x;
	atomicAdd(counter, 1u);
	memoryBarrier();
	memoryBarrierShared();
	groupMemoryBarrier();
	barrier();
	things[all.x].f[counter] = tile[all.y];
}

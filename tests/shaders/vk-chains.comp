#version 460
// SPDX-License-Identifier: MIT
// Words go a long way: each invocation gives its own to its group, one of the group gives what that has to the device,
// and the group that comes last sees all of them, whose invocations got them from one of theirs.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#define BOTH_WAYS (gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible)
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 1) nonprivate buffer Out {
	uint arrived;
	uint sums[16];
	uint words[];
} result;
shared uint number;

void group_barrier()
{
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, BOTH_WAYS);
}

void main()
{
	const uint i = gl_LocalInvocationIndex;
	uint sum = 0u;

	result.words[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u + 1u;
	group_barrier();
	if (i == 0u)
		number = atomicAdd(result.arrived, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, BOTH_WAYS);
	group_barrier();
	if (number != gl_NumWorkGroups.x - 1u)
		return;
	for (uint group = 0u; group < gl_NumWorkGroups.x; group++)
		sum += result.words[group * 16u + i];
	result.sums[i] = sum;
}

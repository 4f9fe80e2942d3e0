#version 460
// SPDX-License-Identifier: MIT
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	const uint me = gl_LocalInvocationIndex;
	const uint old = atomicAdd(words[me], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
				   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);

	controlBarrier(gl_ScopeWorkgroup, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
		       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
	atomicStore(words[63u - me], old, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

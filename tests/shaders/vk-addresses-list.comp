#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// Each invocation walks along a list, from another node on, until there is none.
#include "vk-addresses.h"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push {
	Node head;
	Words sums;
};

void main()
{
	Node at = head;
	uint sum = 0;

	for (uint i = 0; i < gl_LocalInvocationIndex; i++)
		at = at.next;
	for (; any(notEqual(uvec2(at), uvec2(0))); at = at.next) {
		sum += at.value;
		atomicAdd(at.visits, 1);
	}
	sums.word[gl_LocalInvocationIndex] = sum;
}

// SPDX-License-Identifier: MIT
// What is at the addresses that the test hands on; vk-addresses.c has the same.
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
	Node next;
	uint value, visits;
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words {
	uint word[];
};

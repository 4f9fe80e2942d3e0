#version 450
#extension GL_EXT_buffer_reference : require
// SPDX-License-Identifier: MIT
/*
 * Copies a counter of transform feedback, see feedback.c. Client memory is read once, because a
 * client may change it meanwhile: the value that is written is the one that was limited.
 */
layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 4) volatile buffer Word {
	uint word;
};

/* struct counter_copy of feedback.c */
layout(push_constant) uniform Arguments {
	Word from, to;
	uint base, limit;
};

void main()
{
	const uint bytes = from.word;

	to.word = min(bytes - min(bytes, base), limit) & ~3;
}

#version 450
// SPDX-License-Identifier: MIT
// A bit for each distance that has its value, and one for the fragment.
in float gl_ClipDistance[CLIPS];
in float gl_CullDistance[CULLS];
layout(location = 0) out uint bits;

bool fits(float value, int number)
{
	return abs(value - float(number + 1)) < 0.01;
}

void main()
{
	bits = 1u << (CLIPS + CULLS);
	for (int i = 0; i < CLIPS; i++)
		bits |= uint(fits(gl_ClipDistance[i], i)) << i;
	for (int i = 0; i < CULLS; i++)
		bits |= uint(fits(gl_CullDistance[i], CLIPS + i)) << (CLIPS + i);
}

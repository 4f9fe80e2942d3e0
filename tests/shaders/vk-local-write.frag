#version 450
// SPDX-License-Identifier: MIT
// Numbers for attachments, in outputs of their own or an array.
layout(push_constant) uniform Push {
	uint number;
};
#ifdef EIGHT
layout(location = 0) out uint all_of_them[8];
#elif defined(ARRAY)
layout(location = 0) out uint values[3];
#else
layout(location = 0) out uint first;
layout(location = 1) out uint second;
#endif

void main()
{
	const uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);

#ifdef EIGHT
	all_of_them = uint[8](0, 1000, 2000, 3000, 4000, 5000, 6000, 7000);
	for (int i = 0; i < 8; i++)
		all_of_them[i] += x + number;
#elif defined(ARRAY)
	if (x == 0) {
		values = uint[3](number, number + 1, number + 2);
		return;
	}
	values[0] = 1000 + x;
	values[1] = 2000 + y;
	values[2] = 3000 + number;
	values[2] += values[0];
#else
	first = x + number;
	second = y + 2 * number;
#endif
}

#version 450
// SPDX-License-Identifier: MIT
// What is as large as constants that are specialised say, of Vulkan 1.1: the group is declared as one of defaults there.
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint n = 1;
layout(constant_id = 3) const bool more = false;
layout(binding = 0) buffer Results { uint size[2], lengths[4], sums[]; };

const uint length_of = more ? n % 7 + 2 : 1;

shared uint of_group[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
shared uint chosen[length_of], bits[(n | 8) ^ 1], back[-int(~n)];

void main()
{
	const uint i = gl_LocalInvocationIndex, count = gl_WorkGroupSize.x * gl_WorkGroupSize.y;

	of_group[i] = i * i;
	for (uint k = i; k < bits.length(); k += count)
		bits[k] = k;
	for (uint k = i; k < back.length(); k += count)
		back[k] = k;
	for (uint k = i; k < chosen.length(); k += count)
		chosen[k] = k;
	barrier();
	size[0] = gl_WorkGroupSize.x;
	size[1] = gl_WorkGroupSize.y;
	lengths[0] = of_group.length();
	lengths[1] = chosen.length() + 0 * chosen[chosen.length() - 1];
	lengths[2] = bits[bits.length() - 1] + 1;
	lengths[3] = back[back.length() - 1] + 1;
	sums[i] = of_group[(i + 1) % count];
}

#version 450
// SPDX-License-Identifier: MIT
// What a validator walks over for too long.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[17][17][17][17][17]; };

void main()
{
	words[0][0][0][0][0] = 1;
}

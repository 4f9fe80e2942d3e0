#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in uvec4 value;
layout(location = 0) out uvec4 result;

void main()
{
	result = value + 7u;
}

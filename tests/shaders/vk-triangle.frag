#version 450
// SPDX-License-Identifier: MIT
// The pipeline may swap colours, and add to one.
layout(constant_id = 3) const bool swapped = false;
layout(constant_id = 7) const float green = 0.0;
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main()
{
	first = (swapped ? color.bgra : color) + vec4(0.0, green, 0.0, 0.0);
	second = vec4(0.0, 1.0, 1.0, 1.0);
}

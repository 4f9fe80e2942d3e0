#version 450
// SPDX-License-Identifier: MIT
layout(constant_id = 7) const bool swapped = false;
layout(constant_id = 9) const float share = 0.0;
layout(location = 2) uniform vec4 color;
layout(binding = 1, std140) uniform Block { vec4 added[2]; };
layout(binding = 4) uniform sampler2D image;
layout(location = 3) in vec2 place;
layout(location = 0) out vec4 result;

void main()
{
	const vec4 sum = color + added[1] + texture(image, vec2(0.5)) + vec4(0.0, 0.0, share, 0.0);

	result = (place.x < 0.0) == swapped ? sum.yxzw : sum;
}

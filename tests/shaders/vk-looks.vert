#version 450
// SPDX-License-Identifier: MIT
// Corners that a buffer moves, with a shade that goes from one to the next.
layout(location = 0) in vec2 corner;
layout(location = 0) out float shade;
layout(set = 0, binding = 0) uniform Place {
	vec4 place;
};
#ifdef KINDS
layout(set = 0, binding = 1) uniform usampler2D numbers[2];
#endif

void main()
{
	gl_Position = vec4(corner + place.xy, place.z, 1.0);
	shade = corner.x * 0.5 + 0.5;
#ifdef KINDS
	shade *= float(textureLod(numbers[0], vec2(0.5), 0.0).r) / 255.0;
#endif
}

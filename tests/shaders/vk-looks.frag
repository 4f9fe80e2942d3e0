#version 450
// SPDX-License-Identifier: MIT
// Two colours, which tell the layer, and whether they are a sample's or a whole pixel's.
layout(location = 0) in float shade;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(set = 1, binding = 0) uniform Paint {
	vec4 paint;
};
#ifdef KINDS
layout(set = 0, binding = 1) uniform sampler3D volumes[2];
#endif

void main()
{
	const bool in_center = abs(fract(gl_FragCoord.x) - 0.5) < 0.1;

	first = vec4(paint.rg * shade, gl_Layer == 0 ? 0.25 : 0.75, 0.5);
	second = vec4(paint.b, shade, in_center ? 0.0 : 1.0, 1.0);
#ifdef KINDS
	first.b *= textureLod(volumes[1], vec3(0.5), 0.0).r;
#endif
}

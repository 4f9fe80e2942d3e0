#version 460
// SPDX-License-Identifier: MIT
layout(set = 1, binding = 1) uniform samplerCube cube;
layout(location = 0) in vec3 direction;
layout(location = 0) out vec4 color;

void main()
{
	vec3 v = direction * 2.0;
	double d = double(v.x);

	color = texture(cube, vec3(1.0, 2.0, float(d * 2.0lf)));
}

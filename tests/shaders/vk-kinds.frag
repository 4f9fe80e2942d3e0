#version 450
// SPDX-License-Identifier: MIT
// What the vertices have of one kind of texture, and fragments of two others at the same binding.
layout(set = 0, binding = 0) uniform sampler2D colors[3];
layout(set = 0, binding = 0) uniform sampler3D volumes[3];
layout(location = 0) flat in uint number;
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(float(number) / 255.0, textureLod(colors[0], vec2(0.5), 0.0).r,
		     textureLod(volumes[2], vec3(0.5), 0.0).r, 1.0);
}

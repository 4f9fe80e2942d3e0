#version 450
// SPDX-License-Identifier: MIT
// The triangle's, with so many lookups that it takes a minute to compile.
layout(location = 0) in vec2 coord;
layout(set = 1, binding = 1) uniform sampler2D tex;
layout(location = 0) out vec4 color;

#define ONE	if (color.x > color.y) color += texture(tex, color.xy + coord); else color = textureLod(tex, color.zw, color.y);
#define EIGHT	ONE ONE ONE ONE ONE ONE ONE ONE
#define MANY	EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

void main()
{
	color = texture(tex, coord);
	MANY MANY MANY MANY MANY MANY MANY MANY
}

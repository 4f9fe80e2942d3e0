#version 450
// SPDX-License-Identifier: MIT
// State that draws change: a set with a uniform buffer and COUNT textures, push constants, and a
// specialisation constant.
layout(constant_id = 0) const uint shade = 0u;
layout(set = 0, binding = 0) uniform Tint {
	vec4 tint;
};
layout(set = 0, binding = 1) uniform sampler2D textures[COUNT];
layout(push_constant) uniform Push {
	vec4 push;
};
layout(location = 0) out vec4 color;

void main()
{
	color = texture(textures[COUNT - 1], gl_FragCoord.xy / 1024.0) * tint + push +
		uintBitsToFloat(0x3f800000u | shade) - 1.0;
}

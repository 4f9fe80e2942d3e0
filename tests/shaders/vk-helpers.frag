#version 460
// SPDX-License-Identifier: MIT
// Finds an address in a loop, which helper invocations leave much later, and loads from there.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference) readonly buffer Data {
	float value;
};

layout(push_constant) uniform Parameters {
	uvec2 first, second;
	uint steps, helper_steps, never;
};

layout(location = 0) out vec4 color;

void main()
{
	const uint most = gl_HelperInvocation ? helper_steps : steps;
	uvec2 address = uvec2(0);

	for (uint i = 0; ; i++) {
		if (i == most) {
			address = first;
			break;
		}
		if (i == never) {
			address = second;
			break;
		}
	}
	color = vec4(Data(address).value);
}

// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

/* Green, if the inputs are what vk-mesh-outputs.mesh wrote, else red. */
layout(location = 0) out vec4 result;

#ifdef LONG
layout(location = 0) flat in double number;
layout(location = 0, component = 2) flat in double other;
layout(location = 1) flat in dvec3 three;
layout(location = 3) flat in u64vec2 two;
layout(location = 4) in Block {
	layout(location = 4) float part;
	layout(location = 5) flat dvec4 four;
} block;
layout(location = 7) perprimitiveEXT flat in i64vec4 primitive;
layout(location = 9) perprimitiveEXT flat in double last;
#endif
#ifdef PAYLOAD
layout(location = 0) flat in uvec4 found;
#endif

void main()
{
	bool ok = true;

#ifdef NUMBER
	/* The second triangle has the lower right corner. */
	const float sum = gl_FragCoord.x + gl_FragCoord.y;

	ok = gl_PrimitiveID == (sum > 16 ? 70001 : 70000) || sum == 16;
#endif
#ifdef LONG
	ok = number == 0.1lf && other == -1e300lf && three == dvec3(1, 2, 3) / 7 &&
	     two == u64vec2(0x123456789abcdef0ul, 5) && block.part == 2.5 &&
	     block.four == dvec4(4, 5, 6, 7) / 9 &&
	     primitive == i64vec4(-1, 2, -3, 1l << 40) && last == 1e-200lf;
#endif
#ifdef PAYLOAD
	ok = found == uvec4(11, 12, 13, 14);
#endif
	result = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}

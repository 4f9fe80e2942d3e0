// SPDX-License-Identifier: MIT
// A block whose members have their own locations: not in order, with gaps, with components and with
// several kinds of interpolation. OFFSET(n) captures a member.
#ifndef OFFSET
#define OFFSET(n)
#endif
#define BLOCK Varyings { \
	layout(location = 5 OFFSET(0)) vec3 color; \
	layout(location = 1) flat int number; \
	layout(location = 7, component = 2 OFFSET(16)) vec2 place; \
	layout(location = 7, component = 1) float one; \
	layout(location = 8, component = 3) flat uint bits; \
	layout(location = 9 OFFSET(32)) mat2 twist; \
	layout(location = 30) noperspective float list[2]; \
}
#define FILL(to, at, from) \
	to.color = vec3(0.25, 0.5, from); \
	to.number = -7; \
	to.place = at; \
	to.one = 1.0; \
	to.bits = 0xdeadbeefu; \
	to.twist = mat2(1.0, 2.0, 3.0, 4.0); \
	to.list[0] = 8.0; \
	to.list[1] = at.y;
#define PASS(to, from) \
	to.color = from.color; \
	to.number = from.number; \
	to.place = from.place; \
	to.one = from.one; \
	to.bits = from.bits; \
	to.twist = from.twist; \
	to.list = from.list;
#define MIX(name) \
	varyings.name = given[0].name * gl_TessCoord.x + given[1].name * gl_TessCoord.y + \
			given[2].name * gl_TessCoord.z;

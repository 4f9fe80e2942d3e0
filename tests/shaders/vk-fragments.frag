#version 450
// SPDX-License-Identifier: MIT
// Fragments with two colours to blend, or that see levels through two samplers (LEVELS). Or those of
// every second column become helpers (DEMOTE), end (END), or end in functions that the condition of
// a loop and its step call (CALL).
#if defined(DEMOTE) || defined(END)
#extension GL_EXT_demote_to_helper_invocation : enable
#extension GL_EXT_terminate_invocation : enable
layout(std430, binding = 0) buffer Result {
	uint at[];
} result;
#elif defined(LEVELS)
layout(binding = 2) uniform sampler2D levels[2];
#else
layout(location = 0, index = 1) out vec4 factor;
#endif
layout(location = 0, index = 0) out vec4 color;

#if defined(CALL)
// Returns true twenty times for fragments that do not end.
bool goes_on(bool ends, int turn)
{
	if (ends && turn > 2)
		terminateInvocation;
	return turn < 20;
}

void step_on(bool ends, inout int turn)
{
	if (ends && turn > 2)
		discard;
	turn++;
}
#endif

void main()
{
#if defined(DEMOTE) || defined(END)
	const bool odd = (uint(gl_FragCoord.x) & 1u) != 0u;
#endif
#if defined(DEMOTE)
	if (odd)
		demote;
	atomicAdd(result.at[0], 1u);
	// What has become a helper is still there for its neighbour.
	color = vec4(dFdx(helperInvocationEXT() ? 51.0 : 11.0) / 255.0, 0.0, 1.0, 1.0);
#elif defined(CALL)
	const bool first = (uint(gl_FragCoord.y) & 1u) != 0u;
	int turn = 0;

	do
		turn++;
	while (goes_on(odd && first, turn));
	for (turn = 0; turn < 20; step_on(odd && !first, turn))
		color.r = turn;
	atomicAdd(result.at[0], 1u);
	color = vec4(turn * 2.0 / 255.0, 0.0, 1.0, 1.0);
#elif defined(END)
	if (odd)
		terminateInvocation;
	atomicAdd(result.at[0], 1u);
	color = vec4(40.0 / 255.0, 0.0, 1.0, 1.0);
#elif defined(LEVELS)
	// Eight texels to the right for each one down.
	const vec2 place = gl_FragCoord.xy * vec2(8.0, 1.0) / 16.0;

	color = vec4(texture(levels[0], place).r, texture(levels[1], place).r, 0.0, 1.0);
#else
	color = vec4(1.0, 0.8, 0.4, 0.2);
	factor = vec4(0.6, 0.2, 1.0, 0.4);
#endif
}

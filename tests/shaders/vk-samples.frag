#version 450
// SPDX-License-Identifier: MIT
// Where in its pixel a fragment is, in sixteenths, by various ways to know it; or what was found out so.
layout(push_constant) uniform Push { float depth; uint number; };
layout(location = 0) out uvec4 color;
#ifdef READ
layout(set = 0, binding = 0) uniform usampler2DMS samples;
#else
layout(location = 0) PLACE in vec2 place;
#endif

void main()
{
#if defined(READ)
	color = texelFetch(samples, ivec2(gl_FragCoord.xy), int(number));
#elif defined(IDS)
	color = uvec4(16.0 * gl_SamplePosition, gl_SampleID, number);
#else
	color = uvec4(16.0 * fract(WHERE), 0, number);
#endif
}

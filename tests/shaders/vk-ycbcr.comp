// SPDX-License-Identifier: MIT
// Samples an image in as many ways as there are: by itself, in an array, with layers, and in functions.
#version 450
#ifdef SPARSE
#extension GL_ARB_sparse_texture2 : require
#endif

#define WAYS 10

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler2D one;
layout(set = 0, binding = 1) uniform sampler2D two[2];
layout(set = 0, binding = 2) uniform sampler2DArray layered;
/* The second is converted in another way. */
layout(set = 0, binding = 5) uniform sampler2D pair[2];
layout(constant_id = 0) const uint SECOND = 0;
layout(set = 0, binding = 3) buffer Places { vec2 places[]; };
layout(set = 0, binding = 4) buffer Results { vec4 results[]; };

vec4 inner(vec2 place, sampler2D of, float level);

vec4 outer(sampler2D of, vec2 place)
{
	return inner(place, of, 0.0);
}

vec4 inner(vec2 place, sampler2D of, float level)
{
#ifdef SPARSE
	vec4 texel;

	return sparseTexelsResidentARB(sparseTextureLodARB(of, place, level, texel)) ? texel :
	       vec4(-1.0);
#else
	return textureLod(of, place, level);
#endif
}

vec4 first(sampler2D of[2], vec2 place)
{
	return textureLod(of[0], place, 0.0);
}

void main()
{
	const uint i = gl_LocalInvocationIndex * WAYS;
	const vec2 place = places[gl_LocalInvocationIndex];

	results[i] = textureLod(one, place, 0.0);
	results[i + 1] = outer(one, place);
	results[i + 2] = textureGrad(one, place, vec2(0.0), vec2(0.0));
	results[i + 3] = textureProjLod(one, vec3(place * 4.0, 4.0), 0.0);
	results[i + 4] = inner(place, two[1], 0.0);
	/* Of the other layer. */
	results[i + 5] = textureLod(two[0], place, 0.0);
	results[i + 6] = textureLod(layered, vec3(place, 1.0), 0.0);
	results[i + 7] = first(two, place);
	results[i + 8] = textureLod(pair[0], place, 0.0);
	results[i + 9] = textureLod(pair[SECOND], place, 0.0);
}

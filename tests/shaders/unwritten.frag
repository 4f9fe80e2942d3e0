#version 450
// SPDX-License-Identifier: MIT
// Shows two of twelve words in each column, plus one, so that columns without a fragment differ.
// READS: words that it reads of the stage before; otherwise those that an earlier stage has read.
#ifdef READS
in float gl_ClipDistance[1];
in float gl_CullDistance[1];
layout(location = 20) flat in vec4 missing;
#else
layout(location = 0) flat in uvec4 seen[3];
#endif
layout(location = 0) out uvec2 color;

#ifdef NUMBER
#define NUMBER_READ uint(gl_PrimitiveID)
#else
#define NUMBER_READ 0u
#endif

void main()
{
	uint pair = uint(gl_FragCoord.x) % 6u;
#ifdef READS
	uvec4 seen[3];

	seen[0] = uvec4(floatBitsToUint(gl_ClipDistance[0]), floatBitsToUint(gl_CullDistance[0]),
			uint(gl_Layer), NUMBER_READ);
	seen[1] = uvec4(0u);
	seen[2] = floatBitsToUint(missing);
#endif
	color = (pair & 1u) == 0u ? seen[pair / 2u].xy : seen[pair / 2u].zw;
	color += 1u;
}

#version 450
// SPDX-License-Identifier: MIT
// A patch becomes a column of the target, by its number, which must be NUMBER, too, if that is there; or all that a
// vertex can have in OUTPUTS.
layout(DOMAIN) in;
layout(location = 0) in uint numbers[];
layout(location = 0) flat out uint number;
layout(location = 1) flat out uint column;
#ifdef OUTPUTS
layout(location = 2) out vec4 outputs[OUTPUTS];
#endif
#ifdef FEEDBACK
layout(xfb_buffer = 0, xfb_stride = 16) out;
layout(location = 2, xfb_buffer = 0, xfb_offset = 0) out vec4 place;
#endif

void main()
{
	float u = gl_TessCoord.x, v = gl_TessCoord.y;

	number = column = numbers[0];
#ifdef NUMBER
	if (NUMBER != numbers[0])
		column = 1000;
#endif
	gl_Position = vec4((column + 0.25 + u / 2.0) / 32.0 - 1.0, v * 2.0 - 1.0, 0.0, 1.0);
	gl_PointSize = 1.0;
#ifdef OUTPUTS
	for (int i = 0; i < OUTPUTS; i++)
		outputs[i] = vec4(u, v, column, i);
#endif
#ifdef FEEDBACK
	place = vec4(u, v, column, 1.0);
#endif
}

#version 450
// SPDX-License-Identifier: MIT
// A triangle that covers the target, with CLIPS clip distances and CULLS cull distances that are
// captured. Numbers of cull distances follow those of clip distances.
layout(push_constant) uniform Push { int negative; };
layout(xfb_buffer = 0, xfb_stride = 4 * (CLIPS + CULLS)) out gl_PerVertex {
	vec4 gl_Position;
	layout(xfb_offset = 0) float gl_ClipDistance[CLIPS];
	layout(xfb_offset = 4 * CLIPS) float gl_CullDistance[CULLS];
};

float distance_of(int number)
{
	return number == negative ? -1.0 : float(number + 1);
}

void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
	for (int i = 0; i < CLIPS; i++)
		gl_ClipDistance[i] = distance_of(i);
	for (int i = 0; i < CULLS; i++)
		gl_CullDistance[i] = distance_of(CLIPS + i);
}

#version 460
// SPDX-License-Identifier: MIT
layout(location = 0) in dvec4 two;
layout(location = 30) in dvec3 last;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 40) out dvec4 wide;
layout(location = 2, xfb_buffer = 0, xfb_offset = 32) out double narrow;
layout(location = 3, component = 2) out double half_of;

void main()
{
	dmat4 m = dmat4(two, two, two, wide);
	dvec4 sum = m * two;
	int e;

	wide = sum + dvec4(last, frexp(sum.x, e)) + double(e) + ldexp(sum.y, 3) + fma(sum.z, sum.x, sum.y);
	narrow = packDouble2x32(unpackDouble2x32(sum.w)) + sqrt(sum.x) + double(float(sum.y));
	half_of = narrow;
	gl_Position = vec4(sum);
}

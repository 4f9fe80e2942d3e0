#version 450
// SPDX-License-Identifier: MIT
// Functions that call each other, 60 deep.
layout(location = 0) flat in vec4 v;
layout(location = 0) out vec4 color;

vec4 f0(vec4 a) { return a * a.yzwx; }
#define ONCE(name, of) vec4 name(vec4 a) { return of(a.wxyz); }
ONCE(g1, f0) ONCE(g2, g1) ONCE(g3, g2) ONCE(g4, g3) ONCE(g5, g4) ONCE(g6, g5)
ONCE(g7, g6) ONCE(g8, g7) ONCE(g9, g8) ONCE(g10, g9) ONCE(g11, g10) ONCE(g12, g11)
ONCE(g13, g12) ONCE(g14, g13) ONCE(g15, g14) ONCE(g16, g15) ONCE(g17, g16) ONCE(g18, g17)
ONCE(g19, g18) ONCE(g20, g19) ONCE(g21, g20) ONCE(g22, g21) ONCE(g23, g22) ONCE(g24, g23)
ONCE(g25, g24) ONCE(g26, g25) ONCE(g27, g26) ONCE(g28, g27) ONCE(g29, g28) ONCE(g30, g29)
ONCE(g31, g30) ONCE(g32, g31) ONCE(g33, g32) ONCE(g34, g33) ONCE(g35, g34) ONCE(g36, g35)
ONCE(g37, g36) ONCE(g38, g37) ONCE(g39, g38) ONCE(g40, g39) ONCE(g41, g40) ONCE(g42, g41)
ONCE(g43, g42) ONCE(g44, g43) ONCE(g45, g44) ONCE(g46, g45) ONCE(g47, g46) ONCE(g48, g47)
ONCE(g49, g48) ONCE(g50, g49) ONCE(g51, g50) ONCE(g52, g51) ONCE(g53, g52) ONCE(g54, g53)
ONCE(g55, g54) ONCE(g56, g55) ONCE(g57, g56) ONCE(g58, g57) ONCE(g59, g58) ONCE(g60, g59)

void main()
{
	color = g60(v);
}

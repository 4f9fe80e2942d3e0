#version 450
// SPDX-License-Identifier: MIT
// Each function calls the one before twice: a million calls.
layout(location = 0) flat in vec4 v;
layout(location = 0) out vec4 color;

vec4 f0(vec4 a) { return a * a.yzwx; }
#define TWICE(name, of) vec4 name(vec4 a) { return of(a) + of(a.wxyz); }
TWICE(f1, f0)
TWICE(f2, f1)
TWICE(f3, f2)
TWICE(f4, f3)
TWICE(f5, f4)
TWICE(f6, f5)
TWICE(f7, f6)
TWICE(f8, f7)
TWICE(f9, f8)
TWICE(f10, f9)
TWICE(f11, f10)
TWICE(f12, f11)
TWICE(f13, f12)
TWICE(f14, f13)
TWICE(f15, f14)
TWICE(f16, f15)
TWICE(f17, f16)
TWICE(f18, f17)
TWICE(f19, f18)
TWICE(f20, f19)

void main()
{
	color = f20(v);
}

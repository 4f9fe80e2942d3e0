#version 450
// SPDX-License-Identifier: MIT
// 4681 parts, no deeper and no larger than other types may be.
struct A { float a, b, c, d, e, f, g, h; };
struct B { A a, b, c, d, e, f, g, h; };
struct C { B a, b, c, d, e, f, g, h; };
struct D { C a, b, c, d, e, f, g, h; };
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

void main()
{
	D tree[2];

	color = vec4(tree[index].a.b.c.d);
}

#version 450
// SPDX-License-Identifier: MIT
layout(points) in;
layout(points, max_vertices = 1) out;
#define FOUR EmitVertex(); EmitVertex(); EmitVertex(); EmitVertex();
#define MANY FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
#define MORE MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY MANY

void main()
{
	MORE MORE MORE MORE MORE
}

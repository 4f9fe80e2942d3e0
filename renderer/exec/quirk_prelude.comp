#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;

void main()
{
}

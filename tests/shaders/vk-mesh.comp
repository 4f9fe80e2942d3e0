// SPDX-License-Identifier: MIT
#version 460

/* Nothing, for groups that begin somewhere. */

layout(local_size_x = 1) in;

void main()
{
}

#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Longs { int64_t longs[]; };
shared uint64_t total;

void main()
{
	atomicAdd(total, 7ul);
	barrier();
	atomicMin(longs[int(total)], -3l);
	atomicCompSwap(longs[1], 5l, 6l);
}

// SPDX-License-Identifier: MIT
// Layouts of constant buffers, dynamic indices, matrices, integer and float arithmetic.
// entry: ps_layout ps_5_0
// entry: ps_indexed ps_5_0
// entry: ps_matrices ps_5_0
// entry: ps_arithmetic ps_5_0
// entry: ps_trigonometry ps_5_0
// entry: ps_table ps_5_0
// entry: ps_precise ps_5_0
// entry: ps_swizzles ps_5_0
struct light {
	float3 at;
	float power;
	int kind;
	float3x3 frame;
};
cbuffer lights : register(b0)
{
	light list[8];
	int n;
	float2 after;
	float tail[5];
};
cbuffer other : register(b3)
{
	column_major float2x3 a;
	row_major float3x2 b;
	float4x4 c;
	bool flag;
};
static const float table[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };

float4 ps_layout(float4 at : SV_Position) : SV_Target
{
	return float4(list[2].at, list[3].power) + float4(tail[3], after, n) + list[7].kind;
}

float4 ps_indexed(float4 at : SV_Position) : SV_Target
{
	float3 sum = 0;
	for (int i = 0; i < min(n, 8); i++) {
		if (list[i].kind == 0)
			continue;
		sum += mul(list[i].frame, list[i].at) * list[i].power * tail[i % 5];
	}
	return float4(sum, 1);
}

float4 ps_matrices(float4 at : SV_Position) : SV_Target
{
	float2x2 ab = mul(a, b);
	float4x4 t = transpose(c);
	t[n & 3] = at;
	t._m21 = determinant(ab);
	float4 v = mul(t, mul(at, c));
	return flag ? v : v + float4(a[1], ab._m00) + c._m03_m13_m23_m33;
}

float4 ps_arithmetic(float4 at : SV_Position) : SV_Target
{
	int i = n / 3 + n % 5, j = -n;
	uint u = asuint(at.x);
	i = (i << 3) ^ (j >> 1) | (i & ~j);
	u = u / (uint(n) | 1) + u % 9u;
	float4 f = frac(at) + floor(at) * ceil(at) - trunc(at) + round(at) + fmod(at, 3);
	f += rcp(at) + rsqrt(abs(at)) + saturate(at) + sign(at) + step(at, 2) + smoothstep(0, 1, at);
	f += isnan(at) ? 1 : isinf(at) ? 2 : 0;
	return f + mad(at, f, i) + u;
}

float4 ps_trigonometry(float4 at : SV_Position) : SV_Target
{
	float4 f = sin(at) + cos(at) * tan(at) + atan2(at, at.yxwz) + asin(at / 100);
	f += acos(at / 100) + atan(at);
	f += exp(at / 9) + log2(abs(at)) + pow(abs(at), 1.5) + exp2(at / 10);
	f += sqrt(abs(at)) + sinh(at / 50);
	return f + float4(reflect(at.xyz, at.yzx), refract(at.xy, at.yx, 0.5).x) +
		float4(cross(at.xyz, at.zxy), distance(at, 1));
}

float4 ps_table(float4 at : SV_Position) : SV_Target
{
	const float local[4] = { 3, 1, 4, 1 };
	return table[n & 7] + local[int(at.x) & 3] + table[int(at.y) & 7];
}

float4 ps_precise(float4 at : SV_Position) : SV_Target
{
	precise float4 x = at * c[0] + c[1];
	precise float y = x.x * x.y - x.z * x.w;
	return x + y;
}

float4 ps_swizzles(float4 at : SV_Position) : SV_Target
{
	float4 v = at.wzyx;
	v.xz = v.zx * 2;
	v.yw += at.xx;
	v[n & 3] = 1;
	bool4 m = v > at;
	return m.xyzw ? v.xxyy : (m.x && !m.y || m.z) ? at : v.wwww;
}

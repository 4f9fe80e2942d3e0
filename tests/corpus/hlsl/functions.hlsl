// SPDX-License-Identifier: MIT
// Functions: out and inout parameters, structs and arrays as results, returns in loops.
// entry: ps_inout ps_5_0
// entry: ps_struct ps_5_0
// entry: ps_array ps_5_0
// entry: ps_loop_return ps_5_0
// entry: ps_static ps_5_0
cbuffer params : register(b0)
{
	float4 scale;
	int4 counts;
};
static float4 total = 0;
static int calls;

struct surface {
	float3 normal;
	float2 uv;
	float4 layers[3];
};

void add(inout float4 to, out float old, float4 what)
{
	old = to.x;
	to += what;
}

float4 ps_inout(float4 at : SV_Position) : SV_Target
{
	float4 sum = at;
	float a, b;
	add(sum, a, scale);
	add(sum, b, sum.wzyx);
	return sum + float4(a, b, 0, 0);
}

surface make(float2 uv)
{
	surface s;
	s.normal = normalize(float3(uv, 1));
	s.uv = uv * 2;
	for (int i = 0; i < 3; i++)
		s.layers[i] = scale * i;
	return s;
}

float4 shade(surface s, int layer)
{
	return s.layers[layer] * dot(s.normal, scale.xyz) + float4(s.uv, 0, 1);
}

float4 ps_struct(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	surface a = make(uv), b = make(uv.yx);
	if (uv.x > 0.5)
		a = b;
	return shade(a, counts.x % 3) + shade(b, counts.y % 3);
}

float4 ps_array(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	float values[8];
	[unroll] for (int i = 0; i < 8; i++)
		values[i] = uv.x * i;
	values[counts.x & 7] = 5;
	float sum = 0;
	[loop] for (int j = 0; j < counts.y; j++)
		sum += values[(j * 3) & 7];
	return sum;
}

int first_above(float limit)
{
	for (int i = 0; i < counts.x; i++) {
		float x = i * scale.x;
		if (x > limit)
			return i;
		if (x < -limit)
			return -i;
	}
	return counts.y;
}

float4 ps_loop_return(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	return float4(first_above(uv.x), first_above(uv.y), 0, 1);
}

void gather(float4 what)
{
	total += what;
	calls++;
}

float4 ps_static(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	gather(at);
	if (uv.x > 0.5)
		gather(scale);
	do {
		gather(float4(uv, uv));
	} while (calls < counts.x);
	return total / calls;
}

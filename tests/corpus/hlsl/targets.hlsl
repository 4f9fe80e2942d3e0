// SPDX-License-Identifier: MIT
// Outputs of pixel shaders: several targets, depth, coverage, samples.
// entry: ps_targets ps_5_0
// entry: ps_depth ps_5_0
// entry: ps_depth_greater ps_5_0
// entry: ps_coverage ps_5_0
// entry: ps_sample_rate ps_5_0
// entry: ps_integers ps_5_0
// entry: ps_early ps_5_0
struct targets {
	float4 a : SV_Target0;
	float2 b : SV_Target1;
	uint c : SV_Target2;
};
RWTexture2D<uint> hits : register(u3);

targets ps_targets(float4 at : SV_Position, float4 colour : COLOR0)
{
	targets o;
	o.a = colour;
	o.b = at.xy;
	o.c = uint(at.x) ^ uint(at.y);
	return o;
}

float4 ps_depth(float4 at : SV_Position, out float depth : SV_Depth) : SV_Target
{
	depth = at.z * at.z;
	return at;
}

float4 ps_depth_greater(float4 at : SV_Position, out float depth : SV_DepthGreaterEqual) : SV_Target
{
	depth = at.z + 0.1;
	return at;
}

float4 ps_coverage(float4 at : SV_Position, inout uint mask : SV_Coverage) : SV_Target
{
	uint n = countbits(mask);
	mask &= 5;
	return n;
}

float4 ps_sample_rate(float4 at : SV_Position, sample float4 colour : COLOR0,
	uint i : SV_SampleIndex) : SV_Target
{
	return colour * i + EvaluateAttributeAtCentroid(colour);
}

int4 ps_integers(float4 at : SV_Position, nointerpolation int4 numbers : NUMBERS) : SV_Target
{
	int4 n = numbers << 2;
	n.x = firstbithigh(numbers.x);
	n.y = reversebits(uint(numbers.y));
	n.z /= numbers.z | 1;
	n.w %= 7;
	return n;
}

[earlydepthstencil]
float4 ps_early(float4 at : SV_Position, uint primitive : SV_PrimitiveID) : SV_Target
{
	uint old;
	InterlockedAdd(hits[uint2(at.xy)], primitive, old);
	return old;
}

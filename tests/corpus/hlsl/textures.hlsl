// SPDX-License-Identifier: MIT
// Samples, loads, gathers, comparisons, sizes and derivatives.
// entry: ps_sample ps_5_0
// entry: ps_levels ps_5_0
// entry: ps_compare ps_5_0
// entry: ps_gather ps_5_0
// entry: ps_load ps_5_0
// entry: ps_kinds ps_5_0
// entry: ps_sizes ps_5_0
// entry: ps_derivatives ps_5_0
// entry: ps_branch_sample ps_5_0
Texture2D<float4> picture : register(t0);
Texture2DArray<float4> layers : register(t1);
TextureCube<float4> cube : register(t2);
Texture3D<float4> volume : register(t3);
Texture2D<float> depth : register(t4);
Texture2DMS<float4> samples : register(t5);
Texture1D<uint4> numbers : register(t6);
Buffer<float4> texels : register(t7);
SamplerState linear_sampler : register(s0);
SamplerComparisonState compare_sampler : register(s1);

float4 ps_sample(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	return picture.Sample(linear_sampler, uv) * picture.Sample(linear_sampler, uv, int2(1, -1));
}

float4 ps_levels(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	return picture.SampleLevel(linear_sampler, uv, 2) + picture.SampleBias(linear_sampler, uv, -1) +
		picture.SampleGrad(linear_sampler, uv, ddx(uv), ddy(uv) * 2);
}

float4 ps_compare(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	float sum = 0;
	for (int x = -1; x <= 1; x++)
		for (int y = -1; y <= 1; y++)
			sum += depth.SampleCmpLevelZero(compare_sampler, uv + float2(x, y) / 512, at.z);
	return sum / 9;
}

float4 ps_gather(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	return picture.GatherGreen(linear_sampler, uv) + picture.Gather(linear_sampler, uv, int2(2, 3));
}

float4 ps_load(float4 at : SV_Position) : SV_Target
{
	return picture.Load(int3(at.xy, 0)) + samples.Load(int2(at.xy), 2) + texels[int(at.x)] +
		numbers.Load(int2(at.x, 0));
}

float4 ps_kinds(float4 at : SV_Position, float3 uv : TEXCOORD0) : SV_Target
{
	return layers.Sample(linear_sampler, uv) + cube.Sample(linear_sampler, uv) +
		volume.Sample(linear_sampler, uv);
}

float4 ps_sizes(float4 at : SV_Position) : SV_Target
{
	uint w, h, n, levels;
	picture.GetDimensions(1, w, h, levels);
	float4 sum = float4(w, h, levels, 0);
	layers.GetDimensions(w, h, n);
	sum.w = n;
	samples.GetDimensions(w, h, n);
	return sum + float4(w, h, n, samples.GetSamplePosition(1).x);
}

float4 ps_derivatives(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	float2 x = ddx_fine(uv), y = ddy_coarse(uv * uv);
	return float4(x, y) + fwidth(uv.xyxy) + picture.CalculateLevelOfDetail(linear_sampler, uv);
}

float4 ps_branch_sample(float4 at : SV_Position, float2 uv : TEXCOORD0, bool front : SV_IsFrontFace)
	: SV_Target
{
	[branch] if (front)
		return picture.SampleLevel(linear_sampler, uv, 0);
	float4 sum = 0;
	[loop] for (int i = 0; i < 4; i++) {
		float4 c = layers.SampleLevel(linear_sampler, float3(uv, i), 0);
		if (c.w == 0)
			break;
		sum += c;
	}
	return sum;
}

// SPDX-License-Identifier: MIT
// What Wine's compiler takes, too: no structured buffers, no barriers.
// entry: vs_transform vs_5_0
// entry: vs_light vs_5_0
// entry: vs_wave vs_5_0
// entry: vs_palette vs_5_0
// entry: vs_ids vs_5_0
// entry: ps_flat ps_5_0
// entry: ps_texture ps_5_0
// entry: ps_levels ps_5_0
// entry: ps_load ps_5_0
// entry: ps_cube ps_5_0
// entry: ps_compare ps_5_0
// entry: ps_loop ps_5_0
// entry: ps_nested ps_5_0
// entry: ps_early ps_5_0
// entry: ps_discard ps_5_0
// entry: ps_dynamic ps_5_0
// entry: ps_integers ps_5_0
// entry: ps_bits ps_5_0
// entry: ps_matrix ps_5_0
// entry: ps_derivatives ps_5_0
// entry: ps_targets ps_5_0
// entry: ps_depth ps_5_0
// entry: ps_face ps_5_0
// entry: ps_function ps_5_0
// entry: cs_fill cs_5_0
// entry: cs_image cs_5_0
// entry: cs_raw cs_5_0
cbuffer scene : register(b0)
{
	float4x4 transform;
	float4 colours[8];
	float4 light;
	int count;
	uint mask;
	float time;
};
Texture2D picture : register(t0);
TextureCube sky : register(t1);
Texture2D depths : register(t2);
Texture3D fog : register(t3);
SamplerState plain : register(s0);
SamplerComparisonState shadow : register(s1);
RWTexture2D<float4> image : register(u0);
RWBuffer<uint> numbers : register(u1);

struct vertex {
	float4 at : SV_Position;
	float2 uv : TEXCOORD0;
	float3 normal : NORMAL;
};

vertex vs_transform(float4 at : POSITION, float2 uv : TEXCOORD0, float3 normal : NORMAL)
{
	vertex v;
	v.at = mul(transform, at);
	v.uv = uv;
	v.normal = mul((float3x3)transform, normal);
	return v;
}

vertex vs_light(float4 at : POSITION, float2 uv : TEXCOORD0, float3 normal : NORMAL)
{
	vertex v;
	v.at = at;
	v.uv = uv * saturate(dot(normal, light.xyz));
	v.normal = normalize(normal);
	return v;
}

vertex vs_wave(float4 at : POSITION, float2 uv : TEXCOORD0)
{
	vertex v;
	v.at = at + float4(0, sin(at.x + time) * 0.25, cos(at.y * time), 0);
	v.uv = frac(uv);
	v.normal = float3(0, 0, 1);
	return v;
}

vertex vs_palette(float4 at : POSITION, int index : INDEX)
{
	vertex v;
	v.at = at * colours[index & 7].w;
	v.uv = colours[index & 7].xy;
	v.normal = colours[(index + 1) & 7].xyz;
	return v;
}

vertex vs_ids(uint id : SV_VertexID, uint instance : SV_InstanceID)
{
	vertex v;
	v.at = float4((id & 1) * 2.0 - 1, (id >> 1) * 2.0 - 1, instance * 0.125, 1);
	v.uv = float2(id, instance);
	v.normal = float3(id, 0, 0);
	return v;
}

float4 ps_flat(vertex v) : SV_Target { return colours[2] * light; }
float4 ps_texture(vertex v) : SV_Target { return picture.Sample(plain, v.uv) * float4(v.normal, 1); }

float4 ps_levels(vertex v) : SV_Target
{
	return picture.SampleLevel(plain, v.uv, 1.5) + picture.SampleBias(plain, v.uv, -0.5) +
		picture.SampleGrad(plain, v.uv, v.uv, v.uv * 2) + fog.SampleLevel(plain, v.normal, 0);
}

float4 ps_load(vertex v) : SV_Target
{
	return picture.Load(int3(v.at.xy, 0)) + picture.Load(int3(count, (int)mask & 15, 0));
}

float4 ps_cube(vertex v) : SV_Target { return sky.Sample(plain, v.normal); }

float4 ps_compare(vertex v) : SV_Target
{
	return depths.SampleCmpLevelZero(shadow, v.uv, v.normal.z).xxxx;
}

float4 ps_loop(vertex v) : SV_Target
{
	float4 sum = 0;
	for (int i = 0; i < count; i++)
		sum += colours[i & 7] * picture.SampleLevel(plain, v.uv * i, 0);
	return sum;
}

float4 ps_nested(vertex v) : SV_Target
{
	float4 sum = 0;
	for (int i = 0; i < 4; i++) {
		for (int k = i; k < 8; k++) {
			if (v.uv.x > k * 0.125)
				continue;
			if (v.uv.y > 0.9)
				break;
			sum += colours[k] / (i + 1);
		}
	}
	return sum;
}

float4 ps_early(vertex v) : SV_Target
{
	if (v.uv.x < 0.25)
		return colours[0];
	if (v.uv.y < 0.25)
		return colours[1];
	if (count > 4)
		return picture.SampleLevel(plain, v.uv, 0);
	return light;
}

float4 ps_discard(vertex v) : SV_Target
{
	float4 colour = picture.Sample(plain, v.uv);
	if (colour.a < 0.5)
		discard;
	clip(v.normal.z - 0.1);
	return colour;
}

float4 ps_dynamic(vertex v) : SV_Target
{
	float4 local[4];
	local[0] = colours[0];
	local[1] = light;
	local[2] = v.at;
	local[3] = float4(v.uv, 0, 1);
	local[count & 3] = 1;
	return local[(int)(v.uv.x * 4) & 3];
}

float4 ps_integers(vertex v) : SV_Target
{
	int a = (int)v.at.x, b = count | 1;
	uint c = mask + (uint)v.at.y;
	return float4(a / b, a % b, c / 3, c % 7) + float4(a << 2, c >> 1, min(a, b), max(c, 9u));
}

float4 ps_bits(vertex v) : SV_Target
{
	uint a = asuint(v.uv.x), b = (a & mask) ^ (a | 255);
	return float4(b, ~a, asfloat(a), a == b);
}

float4 ps_matrix(vertex v) : SV_Target
{
	float4x4 m = transform;
	m[1] = light;
	m[2][3] = time;
	return mul(m, v.at) + mul(v.at, transpose(m)) + m[count & 3];
}

float4 ps_derivatives(vertex v) : SV_Target
{
	return float4(ddx(v.uv), ddy(v.uv)) + fwidth(v.uv.x);
}

struct targets {
	float4 first : SV_Target0, second : SV_Target1;
};
targets ps_targets(vertex v)
{
	targets t;
	t.first = colours[0] * v.uv.x;
	t.second = lerp(colours[1], light, v.uv.y);
	return t;
}

float4 ps_depth(vertex v, out float depth : SV_Depth) : SV_Target
{
	depth = saturate(v.at.z * 0.5 + time);
	return light;
}

float4 ps_face(vertex v, bool front : SV_IsFrontFace) : SV_Target { return front ? light : -light; }

float3 tint(float3 colour, float amount, out float left)
{
	left = 1 - amount;
	if (amount > 0.5)
		return colour * amount;
	return pow(abs(colour), 2.2) + sqrt(amount);
}

float4 ps_function(vertex v) : SV_Target
{
	float left, again;
	float3 colour = tint(light.xyz, v.uv.x, left);
	colour += tint(colour.zyx, left, again);
	return float4(colour, again);
}

[numthreads(8, 1, 1)] void cs_fill(uint3 id : SV_DispatchThreadID)
{
	numbers[id.x & 63] = id.x * mask + count;
}

[numthreads(4, 4, 1)] void cs_image(uint3 id : SV_DispatchThreadID)
{
	image[id.xy & 15] = picture.Load(int3(id.xy & 15, 0)) * light + float4(id, 1);
}

[numthreads(4, 1, 1)] void cs_raw(uint3 id : SV_DispatchThreadID)
{
	if (id.x > mask)
		return;
	numbers[id.x & 63] = numbers[(id.x + 1) & 63] + 1;
}

// SPDX-License-Identifier: MIT
// Vertex shaders: matrices, instances, skinning, clip distances, interpolators.
// entry: vs_matrix vs_5_0
// entry: vs_instance vs_5_0
// entry: vs_skin vs_5_0
// entry: vs_clip vs_5_0
// entry: vs_interpolators vs_5_0
// entry: vs_buffer vs_5_0
cbuffer frame : register(b0)
{
	float4x4 view;
	row_major float4x4 projection;
	float3x4 bones[16];
	float4 planes[2];
};
StructuredBuffer<float4> positions : register(t0);

float4 vs_matrix(float4 position : POSITION) : SV_Position
{
	return mul(projection, mul(view, position));
}

float4 vs_instance(float3 position : POSITION, uint instance : SV_InstanceID,
	uint vertex : SV_VertexID) : SV_Position
{
	float angle = instance * 0.1 + (vertex & 3);
	float s, c;
	sincos(angle, s, c);
	float2x2 turn = float2x2(c, -s, s, c);
	return mul(view, float4(mul(turn, position.xy), position.z, 1));
}

float4 vs_skin(float4 position : POSITION, uint4 joints : BLENDINDICES,
	float4 weights : BLENDWEIGHT) : SV_Position
{
	float3 sum = 0;
	for (int i = 0; i < 4; i++)
		sum += mul(bones[joints[i] & 15], position) * weights[i];
	return mul(projection, float4(sum, 1));
}

struct clipped {
	float4 position : SV_Position;
	float2 distances : SV_ClipDistance0;
	float cull : SV_CullDistance0;
};

clipped vs_clip(float4 position : POSITION)
{
	clipped o;
	o.position = mul(projection, position);
	o.distances = float2(dot(position, planes[0]), dot(position, planes[1]));
	o.cull = position.w;
	return o;
}

struct varied {
	float4 position : SV_Position;
	nointerpolation uint id : ID;
	noperspective float2 uv : TEXCOORD0;
	centroid float3 normal : NORMAL;
	float4 colours[2] : COLOR0;
};

varied vs_interpolators(float4 position : POSITION, float3 normal : NORMAL, uint id : SV_VertexID)
{
	varied o;
	o.position = position;
	o.id = id;
	o.uv = position.xy;
	o.normal = normal;
	o.colours[0] = position;
	o.colours[1] = float4(normal, id);
	return o;
}

float4 vs_buffer(uint id : SV_VertexID) : SV_Position
{
	uint count, stride;
	positions.GetDimensions(count, stride);
	if (id >= count)
		return float4(0, 0, 0, 1);
	return positions[id];
}

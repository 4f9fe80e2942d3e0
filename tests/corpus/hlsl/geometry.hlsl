// SPDX-License-Identifier: MIT
// Geometry, hull and domain shaders.
// entry: gs_triangles gs_5_0
// entry: gs_points gs_5_0
// entry: gs_instances gs_5_0
// entry: hs_quad hs_5_0
// entry: hs_triangle hs_5_0
// entry: ds_quad ds_5_0
// entry: ds_triangle ds_5_0
struct vertex {
	float4 position : SV_Position;
	float4 colour : COLOR0;
};
cbuffer params : register(b0)
{
	float4 size;
	float4x4 views[4];
};

[maxvertexcount(6)] void gs_triangles(triangle vertex v[3], inout TriangleStream<vertex> stream)
{
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < 3; i++) {
			vertex o = v[side == 0 ? i : 2 - i];
			o.position.x += size.x * side;
			stream.Append(o);
		}
		stream.RestartStrip();
	}
}

[maxvertexcount(4)] void gs_points(point vertex v[1], uint id : SV_PrimitiveID,
	inout TriangleStream<vertex> stream)
{
	if (v[0].colour.w == 0)
		return;
	for (uint i = 0; i < 4; i++) {
		vertex o = v[0];
		o.position.xy += (float2(i & 1, i >> 1) - 0.5) * size.xy;
		o.colour.x += id;
		stream.Append(o);
	}
}

[instance(4)] [maxvertexcount(2)] void gs_instances(line vertex v[2], uint i : SV_GSInstanceID,
	inout LineStream<vertex> stream)
{
	for (int k = 0; k < 2; k++) {
		vertex o;
		o.position = mul(views[i], v[k].position);
		o.colour = v[k].colour;
		stream.Append(o);
	}
}

struct control {
	float3 position : POSITION;
	float4 colour : COLOR0;
};
struct quad_factors {
	float edges[4] : SV_TessFactor;
	float inside[2] : SV_InsideTessFactor;
};
struct triangle_factors {
	float edges[3] : SV_TessFactor;
	float inside : SV_InsideTessFactor;
	float3 middle : MIDDLE;
};

quad_factors quad_constants(InputPatch<control, 4> patch, uint id : SV_PrimitiveID)
{
	quad_factors o;
	for (int i = 0; i < 4; i++)
		o.edges[i] = max(1, length(patch[i].position - patch[(i + 1) & 3].position) * size.x);
	o.inside[0] = o.inside[1] = id & 7;
	return o;
}

[domain("quad")] [partitioning("fractional_odd")]
[outputtopology("triangle_cw")] [outputcontrolpoints(4)]
[patchconstantfunc("quad_constants")]
control hs_quad(InputPatch<control, 4> patch, uint i : SV_OutputControlPointID)
{
	control o = patch[i];
	o.colour *= i;
	return o;
}

triangle_factors triangle_constants(InputPatch<control, 3> patch)
{
	triangle_factors o;
	o.edges[0] = o.edges[1] = o.edges[2] = size.y;
	o.inside = size.z;
	o.middle = (patch[0].position + patch[1].position + patch[2].position) / 3;
	return o;
}

[domain("tri")] [partitioning("integer")] [outputtopology("triangle_ccw")] [outputcontrolpoints(3)]
[patchconstantfunc("triangle_constants")]
control hs_triangle(InputPatch<control, 3> patch, uint i : SV_OutputControlPointID)
{
	return patch[i];
}

[domain("quad")] vertex ds_quad(quad_factors f, float2 uv : SV_DomainLocation,
	const OutputPatch<control, 4> patch)
{
	vertex o;
	float3 a = lerp(patch[0].position, patch[1].position, uv.x);
	float3 b = lerp(patch[3].position, patch[2].position, uv.x);
	o.position = float4(lerp(a, b, uv.y), 1);
	o.colour = patch[0].colour;
	return o;
}

[domain("tri")] vertex ds_triangle(triangle_factors f, float3 uvw : SV_DomainLocation,
	const OutputPatch<control, 3> patch)
{
	vertex o;
	float3 p = 0;
	for (int i = 0; i < 3; i++)
		p += patch[i].position * uvw[i];
	o.position = float4(p + f.middle, 1);
	o.colour = patch[1].colour;
	return o;
}

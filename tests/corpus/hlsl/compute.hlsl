// SPDX-License-Identifier: MIT
// Compute shaders: group memory, atomics, byte address, append and structured buffers.
// entry: cs_reduce cs_5_0
// entry: cs_scan cs_5_0
// entry: cs_atomics cs_5_0
// entry: cs_bytes cs_5_0
// entry: cs_append cs_5_0
// entry: cs_counter cs_5_0
// entry: cs_structs cs_5_0
// entry: cs_images cs_5_0
// entry: cs_early_out cs_5_0
// entry: cs_bits cs_5_0
struct item {
	float3 at;
	uint4 id;
	float weights[3];
};
cbuffer params : register(b0)
{
	uint count, offset;
	float factor;
};
StructuredBuffer<item> items : register(t0);
ByteAddressBuffer raw : register(t1);
ConsumeStructuredBuffer<float4> queue : register(u0);
AppendStructuredBuffer<float4> list : register(u1);
RWByteAddressBuffer bytes : register(u2);
RWStructuredBuffer<item> results : register(u3);
RWTexture2D<float4> image : register(u4);
RWTexture3D<uint> cells : register(u5);
RWBuffer<uint> counters : register(u6);
RWStructuredBuffer<uint> numbered : register(u7);
groupshared float sums[64];
groupshared uint bins[16];

[numthreads(64, 1, 1)] void cs_reduce(uint i : SV_GroupIndex, uint3 id : SV_DispatchThreadID,
	uint3 group : SV_GroupID)
{
	sums[i] = id.x < count ? items[id.x].at.x : 0;
	GroupMemoryBarrierWithGroupSync();
	for (uint s = 32; s > 0; s >>= 1) {
		if (i < s)
			sums[i] += sums[i + s];
		GroupMemoryBarrierWithGroupSync();
	}
	if (i == 0)
		bytes.Store(group.x * 4, asuint(sums[0]));
}

[numthreads(64, 1, 1)] void cs_scan(uint i : SV_GroupIndex)
{
	sums[i] = i * factor;
	for (uint s = 1; s < 64; s *= 2) {
		GroupMemoryBarrierWithGroupSync();
		float x = i >= s ? sums[i - s] : 0;
		GroupMemoryBarrierWithGroupSync();
		sums[i] += x;
	}
	bytes.Store(i * 4, asuint(sums[i]));
}

[numthreads(16, 4, 1)] void cs_atomics(uint i : SV_GroupIndex, uint3 id : SV_DispatchThreadID)
{
	uint old;
	if (i < 16)
		bins[i] = 0;
	GroupMemoryBarrierWithGroupSync();
	InterlockedAdd(bins[raw.Load(id.x * 4) & 15], 1);
	InterlockedMax(bins[3], id.y, old);
	GroupMemoryBarrierWithGroupSync();
	if (i < 16) {
		InterlockedAdd(counters[i], bins[i]);
		InterlockedCompareExchange(counters[16], 0, i + old, old);
	}
	AllMemoryBarrier();
	InterlockedXor(cells[id], old);
}

[numthreads(8, 8, 1)] void cs_bytes(uint3 id : SV_DispatchThreadID)
{
	uint4 a = raw.Load4(id.x * 16);
	uint2 b = raw.Load2(id.y * 8 + 4);
	bytes.Store3(id.x * 12, a.xyz + b.xyx);
	uint old;
	bytes.InterlockedOr(offset, a.w, old);
	bytes.Store2(1024, uint2(old, f32tof16(asfloat(a.x))));
}

[numthreads(32, 1, 1)] void cs_append(uint3 id : SV_DispatchThreadID)
{
	float4 v = queue.Consume();
	if (dot(v, v) > factor)
		list.Append(v * 2);
}

[numthreads(32, 1, 1)] void cs_counter(uint3 id : SV_DispatchThreadID)
{
	uint at = numbered.IncrementCounter();
	numbered[at] = id.x;
}

[numthreads(1, 1, 1)] void cs_structs(uint3 id : SV_DispatchThreadID)
{
	item best = items[0];
	for (uint i = 1; i < count; i++) {
		item x = items[i];
		if (x.weights[i % 3] > best.weights[(i + 1) % 3])
			best = x;
		else if (x.id.y == offset)
			break;
	}
	best.id.zw = best.id.xy;
	results[id.x] = best;
}

[numthreads(8, 8, 1)] void cs_images(uint3 id : SV_DispatchThreadID)
{
	uint w, h;
	image.GetDimensions(w, h);
	if (any(id.xy >= uint2(w, h)))
		return;
	float4 sum = 0;
	for (int y = -1; y <= 1; y++)
		for (int x = -1; x <= 1; x++)
			sum += image[int2(id.xy) + int2(x, y)];
	DeviceMemoryBarrier();
	image[id.xy] = sum / 9;
}

uint work(uint x)
{
	if (x == 0)
		return 7;
	while (x > 1) {
		if ((x & 1) == 0) {
			x >>= 1;
			continue;
		}
		x = 3 * x + 1;
		if (x > count)
			return x;
	}
	return offset;
}

[numthreads(4, 4, 4)] void cs_early_out(uint3 id : SV_DispatchThreadID)
{
	if (id.x >= count)
		return;
	counters[id.x] = work(id.y) + work(id.z);
}

[numthreads(64, 1, 1)] void cs_bits(uint3 id : SV_DispatchThreadID)
{
	uint x = raw.Load(id.x * 4);
	int y = asint(x) >> (id.x & 31);
	uint z = countbits(x) + firstbitlow(x) * reversebits(x) + abs(y) + min(x, 7u) + max(y, -3);
	double d = asdouble(x, z);
	counters[id.x] = z ^ (d > 1.0 ? 1 : 2) ^ f32tof16(f16tof32(x)) ^ uint(round(asfloat(y)));
}

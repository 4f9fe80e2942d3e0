#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 5, binding = 35, r32f) uniform readonly image1D line;
layout(set = 5, binding = 36, rgba8) uniform image1DArray lines;
layout(set = 5, binding = 37, r32ui) uniform uimage2D counters;
layout(set = 5, binding = 38) uniform writeonly iimage2DArray layers;
layout(set = 5, binding = 39, rg16f) uniform image3D volume;
layout(set = 5, binding = 40, r32i) uniform iimageCube cube;
layout(set = 5, binding = 41, rgba32f) uniform readonly imageCubeArray cubes;
layout(set = 5, binding = 42, rgba8) uniform image2DMS samples;
layout(set = 5, binding = 43, rgba8) uniform readonly image2DMSArray sample_layers;
layout(set = 5, binding = 83, r32ui) uniform uimageBuffer words;
layout(set = 5, binding = 98, rgba32f) uniform readonly imageBuffer vectors;

void main()
{
	int i = int(gl_GlobalInvocationID.x);
	vec4 sum = imageLoad(line, i) + imageLoad(lines, ivec2(i)) + imageLoad(volume, ivec3(i)) +
		   imageLoad(cubes, ivec3(i)) + imageLoad(samples, ivec2(i), i) +
		   imageLoad(sample_layers, ivec3(i), i) + imageLoad(vectors, i);
	uint n = imageAtomicAdd(counters, ivec2(i), 1u) + imageAtomicCompSwap(words, i, 1u, 2u) +
		 imageAtomicExchange(words, i, 7u);

	sum.xy += vec2(imageSize(samples) + imageSize(layers).xy + imageSize(words)) + float(imageSamples(samples));
	imageStore(lines, ivec2(i), sum);
	imageStore(layers, ivec3(i), ivec4(n));
	imageStore(volume, ivec3(i), sum);
	imageStore(samples, ivec2(i), 3, sum);
	imageAtomicMin(cube, ivec3(i), int(n));
	memoryBarrierImage();
}

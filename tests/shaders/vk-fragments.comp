#version 450
// SPDX-License-Identifier: MIT
// What is seen of pictures through samplers, what is read from and written to images, what lies in blocks.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Result {
	uint at[];
} result;
layout(binding = 1) uniform sampler2D pictures[4];
layout(binding = 3) uniform samplerCube cubes[2];
layout(binding = 4) uniform samplerCubeArray cube_array;
layout(binding = 5) readonly uniform image2D any_read;
layout(binding = 6) writeonly uniform image2D any_written;
layout(binding = 7, rg8) writeonly uniform image2D small;
layout(binding = 8, rgb10_a2) writeonly uniform image2D packed_image;
layout(binding = 9, r11f_g11f_b10f) writeonly uniform image2D packed_floats;
layout(std430, binding = 10) uniform Standard {
	uint data[8];
} standard;
layout(scalar, binding = 11) readonly buffer Relaxed {
	uint first;
	uvec3 vector;
	uint another;
	uvec2 pair;
} relaxed;
layout(binding = 12) uniform usampler2D stencil;
layout(binding = 13) writeonly uniform image2D linear_view;
layout(binding = 14) uniform sampler2D srgb_view;
layout(binding = 15) uniform sampler2D blue_first;
layout(binding = 16) uniform usampler2D numbers;

uint word(vec4 color)
{
	return packUnorm4x8(color);
}

uint red(vec4 color)
{
	return uint(round(color.r * 255.0));
}

void look_through_samplers()
{
	const ivec2 offsets[4] = { ivec2(0), ivec2(1, 2), ivec2(-2, 1), ivec2(3, -3) };
	const vec3 directions[6] = { vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 1, 0), vec3(0, -1, 0), vec3(0, 0, 1),
				     vec3(0, 0, -1) };

	result.at[0] = word(textureLod(pictures[1], vec2(1.5), 0.0));
	result.at[1] = word(textureLod(pictures[2], vec2(-0.5), 0.0));
	result.at[2] = red(textureLod(pictures[3], vec2(-5.5, 2.5) / 16.0, 0.0));
	result.at[3] = red(textureLod(pictures[3], vec2(-27.5, 40.5) / 16.0, 0.0));
	result.at[4] = word(textureGatherOffsets(pictures[0], vec2(5.75) / 16.0, offsets));
	result.at[5] = red(textureLod(cubes[0], vec3(1.0, 0.0, 0.9999), 0.0));
	result.at[6] = red(textureLod(cubes[1], vec3(1.0, 0.0, 0.9999), 0.0));
	for (uint i = 0; i < 6; i++)
		result.at[7 + i] = red(textureLod(cube_array, vec4(directions[i], 1.0), 0.0));
	result.at[13] = texelFetch(stencil, ivec2(3, 4), 0).r;
	result.at[14] = red(texelFetch(srgb_view, ivec2(3, 4), 0));
}

void look_at_borders()
{
	const uvec4 border = textureLod(numbers, vec2(0.5, -0.25), 0.0);

	result.at[32] = word(textureLod(blue_first, vec2(1.25, 0.5), 0.0));
	for (uint i = 0; i < 4; i++)
		result.at[33 + i] = border[i];
}

void read_and_write()
{
	const vec4 color = vec4(0.2, 0.4, 0.6, 0.8);

	result.at[15] = word(imageLoad(any_read, ivec2(7, 9)));
	result.at[16] = word(imageLoad(any_read, ivec2(16, 9))) & 0xffffffu;
	result.at[17] = word(imageLoad(any_read, ivec2(-1, 9))) & 0xffffffu;
	result.at[18] = word(imageLoad(any_read, ivec2(7, 16))) & 0xffffffu;
	result.at[19] = word(texelFetch(pictures[0], ivec2(16, 9), 0)) & 0xffffffu;
	imageStore(any_written, ivec2(5, 6), color);
	imageStore(any_written, ivec2(-1, 6), color);
	imageStore(any_written, ivec2(16, 6), color);
	imageStore(any_written, ivec2(5, 16), color);
	imageStore(small, ivec2(5, 6), color);
	imageStore(packed_image, ivec2(5, 6), vec4(1.0, 0.0, 1.0, 1.0 / 3.0));
	imageStore(packed_floats, ivec2(5, 6), vec4(1.0, 2.0, 0.5, 0.0));
	imageStore(linear_view, ivec2(3, 4), color);
}

void main()
{
	look_through_samplers();
	look_at_borders();
	read_and_write();
	for (uint i = 0; i < 8; i++)
		result.at[20 + i] = standard.data[i];
	result.at[28] = relaxed.first;
	result.at[29] = relaxed.vector.x + relaxed.vector.y * 0x100u + relaxed.vector.z * 0x10000u;
	result.at[30] = relaxed.another;
	result.at[31] = relaxed.pair.x + relaxed.pair.y * 0x100u;
}

/* SPDX-License-Identifier: MIT */
/*
 * d3d11: a Windows program that draws with Direct3D 11, which DXVK translates to Vulkan. It checks
 * what it has drawn and computed, and then shows a picture in a window until it is killed. Prints
 * TAP.
 */
#define COBJMACROS
#define INITGUID
#include <d3d11.h>
#include <d3dcompiler.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

#define SIZE 64

static struct {
	ID3D11Device *device;
	ID3D11DeviceContext *context;
	ID3D11Texture2D *picture, *copy;	/* SIZE by SIZE, R8G8B8A8 */
	ID3D11RenderTargetView *target;
	ID3D11VertexShader *full, *corners;
	ID3D11InputLayout *corners_layout;
	ID3D11PixelShader *plain;
	IDXGISwapChain *chain;
	ID3D11RenderTargetView *window;
} app;

static const char shaders[] =
	"cbuffer values : register(b0) { float4 colour; float4 place; };\n"
	"Texture2D<float4> picture : register(t0);\n"
	"Texture2DMS<float4> samples : register(t1);\n"
	"Buffer<uint2> pairs : register(t2);\n"
	"SamplerState linear_sampler : register(s0);\n"
	"struct vertex { float4 at : SV_Position; float2 uv : TEXCOORD; float4 tint : COLOR; };\n"
	"vertex full(uint id : SV_VertexID)\n"
	"{\n"
	"	vertex v;\n"
	"	v.uv = float2((id << 1) & 2, id & 2);\n"
	"	v.at = float4(v.uv * float2(2, -2) + float2(-1, 1), place.z, 1);\n"
	"	v.tint = float4(1, 1, 1, 1);\n"
	"	return v;\n"
	"}\n"
	"vertex corners(float2 at : POSITION, float4 tint : COLOR, float2 offset : OFFSET)\n"
	"{\n"
	"	vertex v;\n"
	"	v.at = float4(at + offset, place.z, 1);\n"
	"	v.uv = at;\n"
	"	v.tint = tint;\n"
	"	return v;\n"
	"}\n"
	"float4 plain(vertex v) : SV_Target { return colour * v.tint; }\n"
	"float4 sampled(vertex v) : SV_Target { return picture.SampleLevel(linear_sampler, v.uv, "
	"place.w); }\n"
	"float4 pieces(vertex v) : SV_Target { if (((uint)v.at.x & 1) == 1) discard; "
	"return colour; }\n"
	"float4 second(vertex v) : SV_Target { return samples.Load(int2(v.at.xy), 1); }\n"
	"float4 looked_up(vertex v) : SV_Target\n"
	"{\n"
	"	uint2 pair = pairs[(uint)v.at.x];\n"
	"	return float4(pair.x / 255.0, pair.y / 255.0, 0, 1);\n"
	"}\n"
	"RWBuffer<uint2> made : register(u0);\n"
	"RWTexture2D<float4> painted : register(u1);\n"
	"[numthreads(64, 1, 1)]\n"
	"void compute(uint i : SV_GroupIndex, uint3 id : SV_DispatchThreadID, "
	"uint3 group : SV_GroupID)\n"
	"{\n"
	"	made[id.x] = uint2(id.x * 3, id.x & 255);\n"
	"	painted[uint2(i, group.x)] = float4(i / 255.0, group.x / 255.0, 1, 1);\n"
	"}\n";

struct values {
	float colour[4];
	float place[4];		/* z: depth; w: level */
};

static ID3DBlob *compile(const char *entry, const char *target)
{
	ID3DBlob *code = NULL, *errors = NULL;
	HRESULT result = D3DCompile(shaders, strlen(shaders), NULL, NULL, NULL, entry, target, 0, 0,
				    &code, &errors);

	if (FAILED(result) && errors)
		printf("# %s\n", (char *)ID3D10Blob_GetBufferPointer(errors));
	need(result, entry);
	return code;
}

static const void *bytes(ID3DBlob *code)
{
	return ID3D10Blob_GetBufferPointer(code);
}

static SIZE_T size(ID3DBlob *code)
{
	return ID3D10Blob_GetBufferSize(code);
}

static ID3D11PixelShader *pixel_shader(const char *entry)
{
	ID3DBlob *code = compile(entry, "ps_5_0");
	ID3D11PixelShader *shader;

	NEED(ID3D11Device_CreatePixelShader(app.device, bytes(code), size(code), NULL, &shader));
	ID3D10Blob_Release(code);
	return shader;
}

static ID3D11Buffer *buffer(UINT length, UINT bind, UINT flags, const void *content)
{
	const D3D11_BUFFER_DESC desc = {
		.ByteWidth = length, .BindFlags = bind, .MiscFlags = flags,
	};
	const D3D11_SUBRESOURCE_DATA data = { .pSysMem = content };
	ID3D11Buffer *made;

	NEED(ID3D11Device_CreateBuffer(app.device, &desc, content ? &data : NULL, &made));
	return made;
}

static ID3D11Texture2D *texture(DXGI_FORMAT format, UINT levels, UINT samples, UINT bind,
				UINT flags)
{
	const D3D11_TEXTURE2D_DESC desc = {
		.Width = SIZE, .Height = SIZE, .MipLevels = levels, .ArraySize = 1,
		.Format = format, .SampleDesc = { samples, 0 }, .BindFlags = bind,
		.MiscFlags = flags,
	};
	ID3D11Texture2D *made;

	NEED(ID3D11Device_CreateTexture2D(app.device, &desc, NULL, &made));
	return made;
}

static void set_values(float r, float g, float b, float a, float depth, float level)
{
	static ID3D11Buffer *constants;
	const struct values values = { { r, g, b, a }, { 0, 0, depth, level } };
	const D3D11_BUFFER_DESC desc = {
		.ByteWidth = sizeof(values), .BindFlags = D3D11_BIND_CONSTANT_BUFFER,
		.Usage = D3D11_USAGE_DYNAMIC, .CPUAccessFlags = D3D11_CPU_ACCESS_WRITE,
	};
	D3D11_MAPPED_SUBRESOURCE map;

	if (!constants)
		NEED(ID3D11Device_CreateBuffer(app.device, &desc, NULL, &constants));
	NEED(ID3D11DeviceContext_Map(app.context, (ID3D11Resource *)constants, 0,
				     D3D11_MAP_WRITE_DISCARD, 0, &map));
	memcpy(map.pData, &values, sizeof(values));
	ID3D11DeviceContext_Unmap(app.context, (ID3D11Resource *)constants, 0);
	ID3D11DeviceContext_VSSetConstantBuffers(app.context, 0, 1, &constants);
	ID3D11DeviceContext_PSSetConstantBuffers(app.context, 0, 1, &constants);
}

static void draw_full(ID3D11PixelShader *shader)
{
	ID3D11DeviceContext_IASetInputLayout(app.context, NULL);
	ID3D11DeviceContext_IASetPrimitiveTopology(app.context,
						   D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
	ID3D11DeviceContext_VSSetShader(app.context, app.full, NULL, 0);
	ID3D11DeviceContext_PSSetShader(app.context, shader, NULL, 0);
	ID3D11DeviceContext_Draw(app.context, 3, 0);
}

static void begin(ID3D11RenderTargetView *target, ID3D11DepthStencilView *depth)
{
	const D3D11_VIEWPORT viewport = { .Width = SIZE, .Height = SIZE, .MaxDepth = 1 };
	const float black[4] = { 0 };

	ID3D11DeviceContext_ClearState(app.context);
	ID3D11DeviceContext_OMSetRenderTargets(app.context, 1, &target, depth);
	ID3D11DeviceContext_RSSetViewports(app.context, 1, &viewport);
	ID3D11DeviceContext_ClearRenderTargetView(app.context, target, black);
}

/* Returns the pixel at (x, y) of a picture as 0xAABBGGRR. */
static UINT pixel(ID3D11Texture2D *picture, int x, int y)
{
	D3D11_MAPPED_SUBRESOURCE map;
	UINT value;

	ID3D11DeviceContext_CopyResource(app.context, (ID3D11Resource *)app.copy,
					 (ID3D11Resource *)picture);
	NEED(ID3D11DeviceContext_Map(app.context, (ID3D11Resource *)app.copy, 0, D3D11_MAP_READ, 0,
				     &map));
	memcpy(&value, (char *)map.pData + y * map.RowPitch + 4 * x, 4);
	ID3D11DeviceContext_Unmap(app.context, (ID3D11Resource *)app.copy, 0);
	return value;
}

static void check_pixel(int x, int y, UINT expected, const char *what)
{
	check_colour(x, y, pixel(app.picture, x, y), expected, 4, 1, what);
}

static void try_clears(void)
{
	begin(app.target, NULL);
	set_values(0.2f, 0.4f, 0.6f, 1, 0, 0);
	draw_full(app.plain);
	check_pixel(3, 60, 0xff996633, "a triangle over all has the colour of a constant");
	for (int i = 0; i < 100; i++) {
		set_values(i / 255.f, 0, 0, 1, 0, 0);
		draw_full(app.plain);
	}
	check_pixel(32, 32, 0xff000063,
		    "of a hundred draws with constants that were discarded each the last one wins");
}

struct corner {
	float at[2];
	unsigned char tint[4];
};

/*
 * Makes draws use triangles with these corners, and an offset for each instance. The context keeps
 * references to the buffers that are bound.
 */
static void bind_corners(const struct corner *corners, UINT count, const float (*offsets)[2],
			 UINT instances)
{
	ID3D11Buffer *buffers[] = {
		buffer(count * sizeof(*corners), D3D11_BIND_VERTEX_BUFFER, 0, corners),
		buffer(instances * sizeof(*offsets), D3D11_BIND_VERTEX_BUFFER, 0, offsets),
	};
	const UINT strides[] = { sizeof(*corners), sizeof(*offsets) }, starts[] = { 0, 0 };

	ID3D11DeviceContext_IASetInputLayout(app.context, app.corners_layout);
	ID3D11DeviceContext_IASetVertexBuffers(app.context, 0, 2, buffers, strides, starts);
	ID3D11DeviceContext_IASetPrimitiveTopology(app.context,
						   D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
	ID3D11DeviceContext_VSSetShader(app.context, app.corners, NULL, 0);
	ID3D11DeviceContext_PSSetShader(app.context, app.plain, NULL, 0);
	ID3D11Buffer_Release(buffers[0]);
	ID3D11Buffer_Release(buffers[1]);
}

/* Indexed and instanced draws: two triangles per instance, in the left and in the right half. */
static void try_vertices(void)
{
	static const struct corner corners[] = {
		{ { -1, -1 }, { 255, 0, 0, 255 } }, { { -1, 1 }, { 255, 0, 0, 255 } },
		{ { 0, 1 }, { 255, 0, 0, 255 } }, { { 0, -1 }, { 255, 0, 0, 255 } },
	};
	static const float offsets[][2] = { { 9, 9 }, { 0, 0 }, { 1, 0 } };
	static const unsigned short indices[] = { 0, 1, 2, 0, 2, 3 };
	ID3D11Buffer *index = buffer(sizeof(indices), D3D11_BIND_INDEX_BUFFER, 0, indices);

	begin(app.target, NULL);
	set_values(1, 1, 1, 1, 0, 0);
	bind_corners(corners, 4, offsets, 3);
	ID3D11DeviceContext_IASetIndexBuffer(app.context, index, DXGI_FORMAT_R16_UINT, 0);
	ID3D11DeviceContext_DrawIndexedInstanced(app.context, 6, 1, 0, 0, 1);
	check_pixel(10, 50, 0xff0000ff, "two indexed triangles cover the left half");
	check_pixel(50, 10, 0, "and nothing of the right one");
	ID3D11DeviceContext_DrawIndexedInstanced(app.context, 6, 1, 0, 0, 2);
	check_pixel(50, 10, 0xff0000ff, "which the next instance covers");
	ID3D11Buffer_Release(index);
}

static void try_depth(void)
{
	const D3D11_DEPTH_STENCILOP_DESC counted = {
		D3D11_STENCIL_OP_KEEP, D3D11_STENCIL_OP_KEEP, D3D11_STENCIL_OP_INCR,
		D3D11_COMPARISON_EQUAL,
	};
	const D3D11_DEPTH_STENCIL_DESC desc = {
		.DepthEnable = TRUE, .DepthWriteMask = D3D11_DEPTH_WRITE_MASK_ALL,
		.DepthFunc = D3D11_COMPARISON_LESS, .StencilEnable = TRUE, .StencilReadMask = 255,
		.StencilWriteMask = 255, .FrontFace = counted, .BackFace = counted,
	};
	ID3D11Texture2D *depth = texture(DXGI_FORMAT_D24_UNORM_S8_UINT, 1, 1,
					 D3D11_BIND_DEPTH_STENCIL, 0);
	ID3D11DepthStencilView *view;
	ID3D11DepthStencilState *state;

	NEED(ID3D11Device_CreateDepthStencilView(app.device, (ID3D11Resource *)depth, NULL, &view));
	NEED(ID3D11Device_CreateDepthStencilState(app.device, &desc, &state));
	begin(app.target, view);
	ID3D11DeviceContext_ClearDepthStencilView(app.context, view,
						  D3D11_CLEAR_DEPTH | D3D11_CLEAR_STENCIL, 1, 7);
	ID3D11DeviceContext_OMSetDepthStencilState(app.context, state, 7);
	set_values(1, 0, 0, 1, 0.5f, 0);
	draw_full(app.plain);
	ID3D11DeviceContext_OMSetDepthStencilState(app.context, state, 8);
	set_values(0, 1, 0, 1, 0.75f, 0);
	draw_full(app.plain);
	check_pixel(30, 30, 0xff0000ff, "what is farther does not cover what is nearer");
	ID3D11DeviceContext_OMSetDepthStencilState(app.context, state, 7);
	set_values(0, 1, 0, 1, 0.25f, 0);
	draw_full(app.plain);
	check_pixel(30, 30, 0xff0000ff, "nor does what another stencil is asked for");
	ID3D11DeviceContext_OMSetDepthStencilState(app.context, state, 8);
	set_values(0, 0, 1, 1, 0.25f, 0);
	draw_full(app.plain);
	check_pixel(30, 30, 0xffff0000, "what is nearer and has the stencil does");
	ID3D11DepthStencilState_Release(state);
	ID3D11DepthStencilView_Release(view);
	ID3D11Texture2D_Release(depth);
}

static void try_blending(void)
{
	const D3D11_BLEND_DESC desc = {
		.RenderTarget[0] = {
			TRUE, D3D11_BLEND_SRC_ALPHA, D3D11_BLEND_INV_SRC_ALPHA, D3D11_BLEND_OP_ADD,
			D3D11_BLEND_ONE, D3D11_BLEND_ONE, D3D11_BLEND_OP_ADD,
			D3D11_COLOR_WRITE_ENABLE_ALL,
		},
	};
	const D3D11_RASTERIZER_DESC scissored = {
		.FillMode = D3D11_FILL_SOLID, .CullMode = D3D11_CULL_NONE,
		.DepthClipEnable = TRUE, .ScissorEnable = TRUE,
	};
	const D3D11_RECT rect = { 16, 16, 48, 48 };
	ID3D11PixelShader *pieces = pixel_shader("pieces");
	ID3D11RasterizerState *raster;
	ID3D11BlendState *blend;

	NEED(ID3D11Device_CreateBlendState(app.device, &desc, &blend));
	NEED(ID3D11Device_CreateRasterizerState(app.device, &scissored, &raster));
	begin(app.target, NULL);
	set_values(1, 0, 0, 1, 0, 0);
	draw_full(app.plain);
	ID3D11DeviceContext_OMSetBlendState(app.context, blend, NULL, 0xffffffff);
	ID3D11DeviceContext_RSSetState(app.context, raster);
	ID3D11DeviceContext_RSSetScissorRects(app.context, 1, &rect);
	set_values(0, 0, 1, 0.5f, 0, 0);
	draw_full(pieces);
	check_pixel(10, 20, 0xff0000ff, "outside of a scissor nothing is drawn");
	check_pixel(21, 20, 0xff0000ff, "nor where the shader discards");
	check_pixel(20, 20, 0xff800080, "elsewhere it is half of both");
	ID3D11PixelShader_Release(pieces);
	ID3D11RasterizerState_Release(raster);
	ID3D11BlendState_Release(blend);
}

/* A texture that is half white and half black; its smallest level is grey. */
static void try_textures(void)
{
	const D3D11_SAMPLER_DESC desc = {
		.Filter = D3D11_FILTER_MIN_MAG_MIP_LINEAR, .AddressU = D3D11_TEXTURE_ADDRESS_CLAMP,
		.AddressV = D3D11_TEXTURE_ADDRESS_CLAMP, .AddressW = D3D11_TEXTURE_ADDRESS_CLAMP,
		.MaxLOD = 99,
	};
	static const unsigned char block[8] = { 0x00, 0xf8, 0x00, 0xf8 };	/* red, all of it */
	unsigned char blocks[SIZE / 4 * SIZE / 4][8];
	UINT texels[SIZE * SIZE];
	ID3D11Texture2D *mips = texture(DXGI_FORMAT_R8G8B8A8_UNORM, 0, 1,
					D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET,
					D3D11_RESOURCE_MISC_GENERATE_MIPS);
	ID3D11Texture2D *packed = texture(DXGI_FORMAT_BC1_UNORM, 1, 1, D3D11_BIND_SHADER_RESOURCE,
					  0);
	ID3D11PixelShader *sampled = pixel_shader("sampled");
	ID3D11ShaderResourceView *view, *packed_view;
	ID3D11SamplerState *sampler;

	for (int i = 0; i < SIZE * SIZE; i++)
		texels[i] = i % SIZE < SIZE / 2 ? 0xffffffff : 0xff000000;
	for (unsigned int i = 0; i < SIZE * SIZE / 16; i++)
		memcpy(blocks[i], block, sizeof(block));
	NEED(ID3D11Device_CreateShaderResourceView(app.device, (ID3D11Resource *)mips, NULL,
						   &view));
	NEED(ID3D11Device_CreateShaderResourceView(app.device, (ID3D11Resource *)packed, NULL,
						   &packed_view));
	NEED(ID3D11Device_CreateSamplerState(app.device, &desc, &sampler));
	begin(app.target, NULL);
	ID3D11DeviceContext_UpdateSubresource(app.context, (ID3D11Resource *)mips, 0, NULL, texels,
					      SIZE * 4, 0);
	ID3D11DeviceContext_UpdateSubresource(app.context, (ID3D11Resource *)packed, 0, NULL,
					      blocks, SIZE / 4 * 8, 0);
	ID3D11DeviceContext_GenerateMips(app.context, view);
	ID3D11DeviceContext_PSSetSamplers(app.context, 0, 1, &sampler);
	ID3D11DeviceContext_PSSetShaderResources(app.context, 0, 1, &view);
	set_values(0, 0, 0, 0, 0, 0);
	draw_full(sampled);
	check_pixel(20, 10, 0xffffffff, "a texture is white on the left");
	check_pixel(45, 10, 0xff000000, "and black on the right");
	set_values(0, 0, 0, 0, 0, 6);
	draw_full(sampled);
	check_pixel(45, 10, 0xff808080, "its last level is the mean of both");
	ID3D11DeviceContext_PSSetShaderResources(app.context, 0, 1, &packed_view);
	set_values(0, 0, 0, 0, 0, 0);
	draw_full(sampled);
	check_pixel(33, 33, 0xff0000ff, "one that is compressed is red");
	ID3D11SamplerState_Release(sampler);
	ID3D11ShaderResourceView_Release(packed_view);
	ID3D11ShaderResourceView_Release(view);
	ID3D11PixelShader_Release(sampled);
	ID3D11Texture2D_Release(packed);
	ID3D11Texture2D_Release(mips);
}

static void try_samples(void)
{
	static const struct corner corners[] = {
		{ { -1, -1 }, { 255, 255, 255, 255 } }, { { -1, 1 }, { 255, 255, 255, 255 } },
		{ { 1, -1 }, { 255, 255, 255, 255 } },
	};
	static const float offsets[1][2];
	ID3D11Texture2D *many = texture(DXGI_FORMAT_R8G8B8A8_UNORM, 1, 4,
					D3D11_BIND_RENDER_TARGET | D3D11_BIND_SHADER_RESOURCE, 0);
	ID3D11PixelShader *second = pixel_shader("second");
	ID3D11ShaderResourceView *read;
	ID3D11RenderTargetView *view;
	UINT edge;

	NEED(ID3D11Device_CreateRenderTargetView(app.device, (ID3D11Resource *)many, NULL, &view));
	NEED(ID3D11Device_CreateShaderResourceView(app.device, (ID3D11Resource *)many, NULL,
						   &read));
	begin(view, NULL);
	set_values(1, 1, 1, 1, 0, 0);
	bind_corners(corners, 3, offsets, 1);
	ID3D11DeviceContext_Draw(app.context, 3, 0);
	ID3D11DeviceContext_ResolveSubresource(app.context, (ID3D11Resource *)app.picture, 0,
					       (ID3D11Resource *)many, 0,
					       DXGI_FORMAT_R8G8B8A8_UNORM);
	check_pixel(10, 50, 0xffffffff, "four samples are one colour inside of a triangle");
	edge = pixel(app.picture, 30, 30) & 255;
	check(edge > 0 && edge < 255, "and something between at its edge");

	begin(app.target, NULL);
	set_values(0, 0, 0, 0, 0, 0);
	ID3D11DeviceContext_PSSetShaderResources(app.context, 1, 1, &read);
	draw_full(second);
	edge = pixel(app.picture, 30, 33) & 255;
	check(edge == 0 || edge == 255, "a shader that reads one of them gets what it is");
	ID3D11ShaderResourceView_Release(read);
	ID3D11PixelShader_Release(second);
	ID3D11RenderTargetView_Release(view);
	ID3D11Texture2D_Release(many);
}

static void read_words(ID3D11Buffer *from, UINT length, UINT *words)
{
	const D3D11_BUFFER_DESC desc = {
		.ByteWidth = length, .Usage = D3D11_USAGE_STAGING,
		.CPUAccessFlags = D3D11_CPU_ACCESS_READ,
	};
	D3D11_MAPPED_SUBRESOURCE map;
	ID3D11Buffer *copy;

	NEED(ID3D11Device_CreateBuffer(app.device, &desc, NULL, &copy));
	ID3D11DeviceContext_CopyResource(app.context, (ID3D11Resource *)copy,
					 (ID3D11Resource *)from);
	NEED(ID3D11DeviceContext_Map(app.context, (ID3D11Resource *)copy, 0, D3D11_MAP_READ, 0,
				     &map));
	memcpy(words, map.pData, length);
	ID3D11DeviceContext_Unmap(app.context, (ID3D11Resource *)copy, 0);
	ID3D11Buffer_Release(copy);
}

/*
 * An indirect dispatch of all but the last of SIZE groups, of 64 threads each, fills a buffer and a
 * picture.
 */
static void try_compute(void)
{
	static const UINT groups[] = { 0, SIZE - 1, 1, 1 }, fives[] = { 5, 5, 5, 5 };
	static UINT pairs[2 * SIZE * SIZE];
	const D3D11_UNORDERED_ACCESS_VIEW_DESC written = {
		.Format = DXGI_FORMAT_R32G32_UINT, .ViewDimension = D3D11_UAV_DIMENSION_BUFFER,
		.Buffer = { 0, SIZE * SIZE, 0 },
	};
	const D3D11_SHADER_RESOURCE_VIEW_DESC read = {
		.Format = DXGI_FORMAT_R32G32_UINT, .ViewDimension = D3D11_SRV_DIMENSION_BUFFER,
		.Buffer = { { 0 }, { SIZE * SIZE } },
	};
	ID3DBlob *code = compile("compute", "cs_5_0");
	ID3D11PixelShader *looked_up = pixel_shader("looked_up");
	ID3D11Buffer *made = buffer(sizeof(pairs),
				    D3D11_BIND_UNORDERED_ACCESS | D3D11_BIND_SHADER_RESOURCE, 0,
				    NULL);
	ID3D11Buffer *arguments = buffer(sizeof(groups), 0, D3D11_RESOURCE_MISC_DRAWINDIRECT_ARGS,
					 groups);
	ID3D11Texture2D *painted = texture(DXGI_FORMAT_R8G8B8A8_UNORM, 1, 1,
					   D3D11_BIND_UNORDERED_ACCESS, 0);
	ID3D11UnorderedAccessView *views[2];
	ID3D11ShaderResourceView *view;
	ID3D11ComputeShader *shader;
	int ok = 1;

	NEED(ID3D11Device_CreateComputeShader(app.device, bytes(code), size(code), NULL, &shader));
	NEED(ID3D11Device_CreateUnorderedAccessView(app.device, (ID3D11Resource *)made, &written,
						    &views[0]));
	NEED(ID3D11Device_CreateUnorderedAccessView(app.device, (ID3D11Resource *)painted, NULL,
						    &views[1]));
	NEED(ID3D11Device_CreateShaderResourceView(app.device, (ID3D11Resource *)made, &read,
						   &view));
	ID3D11DeviceContext_ClearState(app.context);
	ID3D11DeviceContext_ClearUnorderedAccessViewUint(app.context, views[0], fives);
	ID3D11DeviceContext_CSSetShader(app.context, shader, NULL, 0);
	ID3D11DeviceContext_CSSetUnorderedAccessViews(app.context, 0, 2, views, NULL);
	ID3D11DeviceContext_DispatchIndirect(app.context, arguments, 4);
	read_words(made, sizeof(pairs), pairs);
	for (UINT i = 0; i < SIZE * (SIZE - 1); i++)
		ok &= pairs[2 * i] == 3 * i && pairs[2 * i + 1] == (i & 255);
	check(ok, "groups fill a buffer");
	ok = 1;
	for (UINT i = SIZE * (SIZE - 1); i < SIZE * SIZE; i++)
		ok &= pairs[2 * i] == 5 && pairs[2 * i + 1] == 5;
	check(ok, "what is left is what it was cleared to");
	check(pixel(painted, 17, 40) == 0xffff2811, "each paints its own texel");

	begin(app.target, NULL);
	set_values(0, 0, 0, 0, 0, 0);
	ID3D11DeviceContext_PSSetShaderResources(app.context, 2, 1, &view);
	draw_full(looked_up);
	check_pixel(9, 9, 0xff00091b, "and a pixel shader reads what they wrote");
	ID3D11UnorderedAccessView_Release(views[0]);
	ID3D11UnorderedAccessView_Release(views[1]);
	ID3D11ShaderResourceView_Release(view);
	ID3D11ComputeShader_Release(shader);
	ID3D11PixelShader_Release(looked_up);
	ID3D11Texture2D_Release(painted);
	ID3D11Buffer_Release(arguments);
	ID3D11Buffer_Release(made);
	ID3D10Blob_Release(code);
}

static UINT64 query_result(ID3D11Query *query)
{
	UINT64 value = 0;

	while (ID3D11DeviceContext_GetData(app.context, (ID3D11Asynchronous *)query, &value,
					   sizeof(value), 0) != S_OK)
		;
	return value;
}

static void try_queries(void)
{
	const D3D11_QUERY_DESC occlusion = { D3D11_QUERY_OCCLUSION, 0 },
			       time = { D3D11_QUERY_TIMESTAMP, 0 };
	ID3D11Query *pixels, *stamps[2];

	NEED(ID3D11Device_CreateQuery(app.device, &occlusion, &pixels));
	NEED(ID3D11Device_CreateQuery(app.device, &time, &stamps[0]));
	NEED(ID3D11Device_CreateQuery(app.device, &time, &stamps[1]));
	begin(app.target, NULL);
	set_values(1, 1, 1, 1, 0, 0);
	ID3D11DeviceContext_End(app.context, (ID3D11Asynchronous *)stamps[0]);
	ID3D11DeviceContext_Begin(app.context, (ID3D11Asynchronous *)pixels);
	draw_full(app.plain);
	ID3D11DeviceContext_End(app.context, (ID3D11Asynchronous *)pixels);
	ID3D11DeviceContext_End(app.context, (ID3D11Asynchronous *)stamps[1]);
	check(query_result(pixels) == SIZE * SIZE, "a query counts all pixels");
	check(query_result(stamps[0]) <= query_result(stamps[1]), "time does not go backwards");
	ID3D11Query_Release(pixels);
	ID3D11Query_Release(stamps[0]);
	ID3D11Query_Release(stamps[1]);
}

/* Two command lists of a deferred context, which are executed in the reverse order. */
static void try_lists(void)
{
	ID3D11DeviceContext *context = app.context, *deferred;
	ID3D11CommandList *lists[2];

	NEED(ID3D11Device_CreateDeferredContext(app.device, 0, &deferred));
	app.context = deferred;
	for (int i = 0; i < 2; i++) {
		begin(app.target, NULL);
		set_values(i, 1 - i, 0, 1, 0, 0);
		draw_full(app.plain);
		NEED(ID3D11DeviceContext_FinishCommandList(deferred, FALSE, &lists[i]));
	}
	app.context = context;
	ID3D11DeviceContext_ExecuteCommandList(context, lists[1], FALSE);
	ID3D11DeviceContext_ExecuteCommandList(context, lists[0], FALSE);
	check_pixel(5, 5, 0xff00ff00, "lists are executed in the order that they are given");
	ID3D11CommandList_Release(lists[0]);
	ID3D11CommandList_Release(lists[1]);
	ID3D11DeviceContext_Release(deferred);
}

static void open_device(void)
{
	static const D3D_FEATURE_LEVEL wanted = D3D_FEATURE_LEVEL_11_1;
	const DXGI_SWAP_CHAIN_DESC desc = {
		.BufferDesc = { .Width = WINDOW_WIDTH, .Height = WINDOW_HEIGHT,
				.Format = DXGI_FORMAT_R8G8B8A8_UNORM },
		.SampleDesc = { 1, 0 }, .BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT,
		.BufferCount = 2, .OutputWindow = open_window(), .Windowed = TRUE,
		.SwapEffect = DXGI_SWAP_EFFECT_FLIP_DISCARD,
	};
	ID3D11Texture2D *picture;
	D3D_FEATURE_LEVEL level;

	NEED(D3D11CreateDeviceAndSwapChain(NULL, D3D_DRIVER_TYPE_HARDWARE, NULL, 0, &wanted, 1,
					   D3D11_SDK_VERSION, &desc, &app.chain, &app.device,
					   &level, &app.context));
	check(level == wanted, "the device has feature level 11.1");
	NEED(IDXGISwapChain_GetBuffer(app.chain, 0, &IID_ID3D11Texture2D, (void **)&picture));
	NEED(ID3D11Device_CreateRenderTargetView(app.device, (ID3D11Resource *)picture, NULL,
						 &app.window));
}

static void set_up(void)
{
	static const D3D11_INPUT_ELEMENT_DESC elements[] = {
		{ "POSITION", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0 },
		{ "COLOR", 0, DXGI_FORMAT_R8G8B8A8_UNORM, 0, 8, D3D11_INPUT_PER_VERTEX_DATA, 0 },
		{ "OFFSET", 0, DXGI_FORMAT_R32G32_FLOAT, 1, 0, D3D11_INPUT_PER_INSTANCE_DATA, 1 },
	};
	const D3D11_TEXTURE2D_DESC copy = {
		.Width = SIZE, .Height = SIZE, .MipLevels = 1, .ArraySize = 1,
		.Format = DXGI_FORMAT_R8G8B8A8_UNORM, .SampleDesc = { 1, 0 },
		.Usage = D3D11_USAGE_STAGING, .CPUAccessFlags = D3D11_CPU_ACCESS_READ,
	};
	ID3DBlob *full = compile("full", "vs_5_0"), *corners = compile("corners", "vs_5_0");

	NEED(ID3D11Device_CreateVertexShader(app.device, bytes(full), size(full), NULL, &app.full));
	NEED(ID3D11Device_CreateVertexShader(app.device, bytes(corners), size(corners), NULL,
					     &app.corners));
	NEED(ID3D11Device_CreateInputLayout(app.device, elements, 3, bytes(corners), size(corners),
					    &app.corners_layout));
	ID3D10Blob_Release(full);
	ID3D10Blob_Release(corners);
	app.plain = pixel_shader("plain");
	app.picture = texture(DXGI_FORMAT_R8G8B8A8_UNORM, 1, 1, D3D11_BIND_RENDER_TARGET, 0);
	NEED(ID3D11Device_CreateTexture2D(app.device, &copy, NULL, &app.copy));
	NEED(ID3D11Device_CreateRenderTargetView(app.device, (ID3D11Resource *)app.picture, NULL,
						 &app.target));
}

/* Draws green on the left and blue on the right. */
static void frame(void)
{
	begin(app.window, NULL);
	for (int half = 0; half < 2; half++) {
		const D3D11_VIEWPORT viewport = { half * WINDOW_WIDTH / 2, 0, WINDOW_WIDTH / 2,
						  WINDOW_HEIGHT, 0, 1 };

		ID3D11DeviceContext_RSSetViewports(app.context, 1, &viewport);
		set_values(0, !half, half, 1, 0, 0);
		draw_full(app.plain);
	}
	NEED(IDXGISwapChain_Present(app.chain, 1, 0));
}

int main(void)
{
	open_device();
	set_up();
	try_clears();
	try_vertices();
	try_depth();
	try_blending();
	try_textures();
	try_samples();
	try_compute();
	try_queries();
	try_lists();
	show(frame);
	return 0;
}

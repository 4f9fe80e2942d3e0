/* SPDX-License-Identifier: MIT */
/*
 * d3d9: a Windows program that draws with Direct3D 9, which DXVK translates to Vulkan, mostly
 * without shaders of its own. It checks what it has drawn, and then shows a picture in a window
 * until it is killed. Prints TAP.
 */
#define COBJMACROS
#define INITGUID
#include <d3d9.h>
#include <d3dcompiler.h>
#include <string.h>

#include "program.h"

#define SIZE 64

static struct {
	IDirect3DDevice9 *device;
	IDirect3DSurface9 *window, *picture, *copy;	/* the last two have SIZE by SIZE pixels */
} app;

/* Tests a pixel of the picture; colours are 0xRRGGBB. */
static void check_pixel(int x, int y, UINT expected, const char *what)
{
	D3DLOCKED_RECT map;
	UINT value;

	NEED(IDirect3DDevice9_GetRenderTargetData(app.device, app.picture, app.copy));
	NEED(IDirect3DSurface9_LockRect(app.copy, &map, NULL, D3DLOCK_READONLY));
	memcpy(&value, (char *)map.pBits + y * map.Pitch + 4 * x, 4);
	IDirect3DSurface9_UnlockRect(app.copy);
	check_colour(x, y, value, expected, 3, 2, what);
}

static void set(D3DRENDERSTATETYPE state, DWORD value)
{
	IDirect3DDevice9_SetRenderState(app.device, state, value);
}

static DWORD bits(float value)
{
	DWORD word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static void begin(void)
{
	NEED(IDirect3DDevice9_SetRenderTarget(app.device, 0, app.picture));
	IDirect3DDevice9_Clear(app.device, 0, NULL,
			       D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, 0, 1, 0);
	set(D3DRS_LIGHTING, FALSE);
	set(D3DRS_CULLMODE, D3DCULL_NONE);
}

/*
 * Draws a rectangle over the whole target with transformed positions, one colour, a depth, and
 * texture coordinates from 0 to 1.
 */
static void rectangle(DWORD colour, float z)
{
	const struct {
		float at[3];
		float normal[3];
		DWORD colour;
		float uv[2];
	} corners[] = {
		{ { -1, -1, z }, { 0, 0, -1 }, colour, { 0, 1 } },
		{ { -1, 1, z }, { 0, 0, -1 }, colour, { 0, 0 } },
		{ { 1, -1, z }, { 0, 0, -1 }, colour, { 1, 1 } },
		{ { 1, 1, z }, { 0, 0, -1 }, colour, { 1, 0 } },
	};

	NEED(IDirect3DDevice9_SetFVF(app.device,
				     D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX1));
	NEED(IDirect3DDevice9_BeginScene(app.device));
	NEED(IDirect3DDevice9_DrawPrimitiveUP(app.device, D3DPT_TRIANGLESTRIP, 2, corners,
					      sizeof(corners[0])));
	NEED(IDirect3DDevice9_EndScene(app.device));
}

static void try_colours(void)
{
	static const D3DMATERIAL9 material = { .Diffuse = { 0.5f, 1, 0, 1 } };
	static const D3DLIGHT9 light = {
		.Type = D3DLIGHT_DIRECTIONAL, .Diffuse = { 1, 0.5f, 1, 1 },
		.Direction = { 0, 0, 1 },
	};

	begin();
	rectangle(0xff336699, 0.5f);
	check_pixel(3, 60, 0x336699, "a rectangle has the colour of its corners");
	set(D3DRS_LIGHTING, TRUE);
	set(D3DRS_DIFFUSEMATERIALSOURCE, D3DMCS_MATERIAL);
	set(D3DRS_AMBIENT, 0);
	IDirect3DDevice9_SetMaterial(app.device, &material);
	IDirect3DDevice9_SetLight(app.device, 0, &light);
	IDirect3DDevice9_LightEnable(app.device, 0, TRUE);
	rectangle(0xff336699, 0.5f);
	check_pixel(3, 60, 0x808000, "a light in front of it gives it that of its material");
}

static void try_fog(void)
{
	begin();
	set(D3DRS_FOGENABLE, TRUE);
	set(D3DRS_FOGCOLOR, 0xffffffff);
	set(D3DRS_FOGTABLEMODE, D3DFOG_LINEAR);
	set(D3DRS_FOGSTART, bits(0));
	set(D3DRS_FOGEND, bits(1));
	rectangle(0xff000000, 0.25f);
	check_pixel(30, 30, 0x404040, "a quarter is fog");
	set(D3DRS_FOGENABLE, FALSE);
}

static void try_tests(void)
{
	begin();
	rectangle(0xffff0000, 0.5f);
	rectangle(0xff00ff00, 0.75f);
	check_pixel(30, 30, 0xff0000, "what is farther does not cover what is nearer");
	set(D3DRS_ALPHATESTENABLE, TRUE);
	set(D3DRS_ALPHAFUNC, D3DCMP_GREATER);
	set(D3DRS_ALPHAREF, 0x80);
	rectangle(0x400000ff, 0.25f);
	check_pixel(30, 30, 0xff0000, "nor does what fails the test of alpha");
	rectangle(0xc00000ff, 0.25f);
	check_pixel(30, 30, 0x0000ff, "what passes it does");
	set(D3DRS_ALPHATESTENABLE, FALSE);
	set(D3DRS_ALPHABLENDENABLE, TRUE);
	set(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA);
	set(D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA);
	rectangle(0x80ff0000, 0.125f);
	check_pixel(30, 30, 0x80007f, "and blends");
	set(D3DRS_ALPHABLENDENABLE, FALSE);
}

static void try_clip_plane(void)
{
	static const float right_half[] = { 1, 0, 0, 0 };

	begin();
	IDirect3DDevice9_SetClipPlane(app.device, 0, right_half);
	set(D3DRS_CLIPPLANEENABLE, D3DCLIPPLANE0);
	rectangle(0xffffffff, 0.5f);
	check_pixel(20, 30, 0, "a plane clips the left half");
	check_pixel(40, 30, 0xffffff, "and leaves the right one");
	set(D3DRS_CLIPPLANEENABLE, 0);
}

static IDirect3DTexture9 *texture(D3DFORMAT format, UINT rows, UINT bytes, const void *texels)
{
	IDirect3DTexture9 *made;
	D3DLOCKED_RECT map;

	NEED(IDirect3DDevice9_CreateTexture(app.device, 4, 4, 1, 0, format, D3DPOOL_MANAGED, &made,
					    NULL));
	NEED(IDirect3DTexture9_LockRect(made, 0, &map, NULL, 0));
	for (UINT i = 0; i < rows; i++)
		memcpy((char *)map.pBits + i * map.Pitch, (const char *)texels + i * bytes, bytes);
	NEED(IDirect3DTexture9_UnlockRect(made, 0));
	return made;
}

/* Texture stages that combine two textures, a 16-bit one and a compressed one. */
static void try_stages(void)
{
	static const unsigned char red[8] = { 0x00, 0xf8, 0x00, 0xf8 };
	static const unsigned short greens[16] = {
		0x07e0, 0x07e0, 0, 0, 0x07e0, 0x07e0, 0, 0, 0x07e0, 0x07e0, 0, 0, 0x07e0, 0x07e0, 0,
		0,
	};
	IDirect3DTexture9 *first = texture(D3DFMT_R5G6B5, 4, 8, greens),
			  *second = texture(D3DFMT_DXT1, 1, 8, red);

	begin();
	IDirect3DDevice9_SetTexture(app.device, 0, (IDirect3DBaseTexture9 *)first);
	rectangle(0xff808080, 0.5f);
	check_pixel(10, 30, 0x008000, "a texture is multiplied with the colour");
	IDirect3DDevice9_SetTexture(app.device, 1, (IDirect3DBaseTexture9 *)second);
	IDirect3DDevice9_SetTextureStageState(app.device, 1, D3DTSS_COLOROP, D3DTOP_ADD);
	IDirect3DDevice9_SetTextureStageState(app.device, 1, D3DTSS_COLORARG1, D3DTA_TEXTURE);
	IDirect3DDevice9_SetTextureStageState(app.device, 1, D3DTSS_COLORARG2, D3DTA_CURRENT);
	IDirect3DDevice9_SetTextureStageState(app.device, 1, D3DTSS_TEXCOORDINDEX, 0);
	rectangle(0xff808080, 0.25f);
	check_pixel(10, 30, 0xff8000, "a second one is added");
	check_pixel(50, 30, 0xff0000, "everywhere");
	IDirect3DDevice9_SetTextureStageState(app.device, 1, D3DTSS_COLOROP, D3DTOP_DISABLE);
	IDirect3DDevice9_SetTexture(app.device, 0, NULL);
	IDirect3DDevice9_SetTexture(app.device, 1, NULL);
	IDirect3DTexture9_Release(first);
	IDirect3DTexture9_Release(second);
}

static ID3DBlob *compile(const char *source, const char *target)
{
	ID3DBlob *code;

	NEED(D3DCompile(source, strlen(source), NULL, NULL, NULL, "main", target, 0, 0, &code,
			NULL));
	return code;
}

static void try_shaders(void)
{
	static const float values[][4] = { { 0.5f, 0, 0, 0 }, { 0, 0, 1, 1 } };
	ID3DBlob *vertex = compile("float4 move : register(c0);\n"
				   "float4 main(float4 at : POSITION) : POSITION\n"
				   "{ return at + float4(move.x, 0, 0, 0); }",
				   "vs_3_0");
	ID3DBlob *pixel = compile("float4 colour : register(c0);\n"
				  "float4 main(float2 at : VPOS) : COLOR\n"
				  "{ return at.y < 32 ? colour : colour.zyxw; }", "ps_3_0");
	IDirect3DVertexShader9 *vertex_shader;
	IDirect3DPixelShader9 *pixel_shader;
	IDirect3DQuery9 *query;
	DWORD pixels = 0;

	NEED(IDirect3DDevice9_CreateVertexShader(app.device, ID3D10Blob_GetBufferPointer(vertex),
						 &vertex_shader));
	NEED(IDirect3DDevice9_CreatePixelShader(app.device, ID3D10Blob_GetBufferPointer(pixel),
						&pixel_shader));
	NEED(IDirect3DDevice9_CreateQuery(app.device, D3DQUERYTYPE_OCCLUSION, &query));
	begin();
	IDirect3DDevice9_SetVertexShader(app.device, vertex_shader);
	IDirect3DDevice9_SetPixelShader(app.device, pixel_shader);
	IDirect3DDevice9_SetVertexShaderConstantF(app.device, 0, values[0], 1);
	IDirect3DDevice9_SetPixelShaderConstantF(app.device, 0, values[1], 1);
	IDirect3DQuery9_Issue(query, D3DISSUE_BEGIN);
	rectangle(0, 0.5f);
	IDirect3DQuery9_Issue(query, D3DISSUE_END);
	check_pixel(10, 30, 0, "a vertex shader moves it");
	check_pixel(20, 10, 0x0000ff, "a pixel shader colours it");
	check_pixel(20, 50, 0xff0000, "by its place");
	while (IDirect3DQuery9_GetData(query, &pixels, sizeof(pixels), D3DGETDATA_FLUSH) == S_FALSE)
		;
	check(pixels == SIZE * SIZE * 3 / 4, "and a query counts its pixels");
	IDirect3DDevice9_SetVertexShader(app.device, NULL);
	IDirect3DDevice9_SetPixelShader(app.device, NULL);
	IDirect3DQuery9_Release(query);
	IDirect3DVertexShader9_Release(vertex_shader);
	IDirect3DPixelShader9_Release(pixel_shader);
	ID3D10Blob_Release(vertex);
	ID3D10Blob_Release(pixel);
}

static void set_up(void)
{
	D3DPRESENT_PARAMETERS parameters = {
		.BackBufferWidth = WINDOW_WIDTH, .BackBufferHeight = WINDOW_HEIGHT,
		.BackBufferFormat = D3DFMT_X8R8G8B8, .BackBufferCount = 1,
		.SwapEffect = D3DSWAPEFFECT_DISCARD, .Windowed = TRUE,
		.EnableAutoDepthStencil = TRUE, .AutoDepthStencilFormat = D3DFMT_D24S8,
	};
	IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);

	parameters.hDeviceWindow = open_window();
	NEED(IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, parameters.hDeviceWindow,
				     D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters,
				     &app.device));
	NEED(IDirect3DDevice9_GetRenderTarget(app.device, 0, &app.window));
	NEED(IDirect3DDevice9_CreateRenderTarget(app.device, SIZE, SIZE, D3DFMT_X8R8G8B8,
						 D3DMULTISAMPLE_NONE, 0, FALSE, &app.picture,
						 NULL));
	NEED(IDirect3DDevice9_CreateOffscreenPlainSurface(app.device, SIZE, SIZE, D3DFMT_X8R8G8B8,
							  D3DPOOL_SYSTEMMEM, &app.copy, NULL));
}

/* Draws a red frame with a yellow middle. */
static void frame(void)
{
	const D3DRECT middle = { WINDOW_WIDTH / 4, WINDOW_HEIGHT / 4, WINDOW_WIDTH * 3 / 4,
				 WINDOW_HEIGHT * 3 / 4 };

	NEED(IDirect3DDevice9_SetRenderTarget(app.device, 0, app.window));
	IDirect3DDevice9_Clear(app.device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0, 1, 0);
	rectangle(0xffff0000, 0.5f);
	IDirect3DDevice9_Clear(app.device, 1, &middle, D3DCLEAR_TARGET, 0xffffff00, 1, 0);
	NEED(IDirect3DDevice9_Present(app.device, NULL, NULL, NULL, NULL));
}

int main(void)
{
	set_up();
	try_colours();
	try_fog();
	try_tests();
	try_clip_plane();
	try_stages();
	try_shaders();
	show(frame);
	return 0;
}

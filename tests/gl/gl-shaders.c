// SPDX-License-Identifier: MIT
/*
 * Features that GLSL has since 1.30, one expression at a time, in vertex and fragment shaders; the
 * results are compared with the specification. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>

/* An expression of type uvec4, and its value; floats are compared as bits. */
struct expression {
	const char *text;
	union {
		uint32_t words[4];
		float floats[4];
	};
};

#define BITS(text) "floatBitsToUint(" text ")"
#define WORDS(text) "uvec4(" text ")"

/* The compiler does not know the values of n (7), s (-7), f (2.5) and g (-2.5). */
static const struct expression expressions[] = {
	/* integers */
	{ WORDS("n / 2u, n % 4u, n << 3u, n ^ 5u"), .words = { 3, 3, 56, 2 } },
	{ WORDS("s / 2, s >> 1, ~s, s * s"), .words = { -3, -4, 6, 49 } },
	{ WORDS("n & 3u, n | 8u, uint(s) >> 28u, -n"), .words = { 3, 15, 15, -7 } },
	{ WORDS("abs(s), sign(s), min(s, 3), max(s, 3)"), .words = { 7, -1, -7, 3 } },
	{ WORDS("clamp(s, -5, 5), uint(f), int(g), uint(n > 6u)"), .words = { -5, 2, -2, 1 } },
	{ WORDS("uvec3(n, n + 1u, n + 2u).zyx, ivec2(s, 1).x"), .words = { 9, 8, 7, -7 } },
	{ WORDS("0xffffffffu / n, 0x80000000u % n, 4294967295u * n, 1u - 2u"),
	  .words = { 613566756, 2, 4294967289u, 4294967295u } },
	/* bits of floats */
	{ WORDS("floatBitsToInt(f), floatBitsToUint(g), floatBitsToUint(intBitsToFloat(s)) != 0u, "
		"uintBitsToFloat(0x40200000u) == f"),
		{ .words = { 0x40200000, 0xc0200000, 1, 1 } } },
	/* rounding and classes */
	{ BITS("vec4(trunc(g), round(f * 1.5), roundEven(f), modf(g, whole))"),
	  .floats = { -2.0f, 4.0f, 2.0f, -0.5f } },
	{ WORDS("isinf(1.0 / (f - 2.5)), isnan(sqrt(g)), isinf(f), isnan(f)"),
	  .words = { 1, 1, 0, 0 } },
	{ BITS("vec4(mix(1.0, 2.0, n == 7u), mix(vec2(1, 2), vec2(3, 4), bvec2(n == 7u, n == 6u)), "
		"floor(g))"),
	  .floats = { 2.0f, 3.0f, 2.0f, -3.0f } },
	{ BITS("vec4(determinant(mat2(f, 1, 2, f)), inverse(mat2(f, 0, 0, 2))[1][1], "
		"outerProduct(vec2(f, 1), vec2(2, 3))[1][0], transpose(mat2(1, f, 3, 4))[0][1])"),
	  .floats = { 4.25f, 0.5f, 7.5f, 3.0f } },
	{ BITS("vec4(cosh(f - 2.5), sinh(f - 2.5), acosh(f - 1.5), tanh(f - 2.5))"),
	  .floats = { 1.0f, 0, 0, 0 } },
	/* arrays, switch, loops */
	{ WORDS("table[n % 4u], table.length(), table[n - 6u], switched(int(n))"),
	  .words = { 40, 4, 20, 77 } },
	{ WORDS("summed(n), structure[n - 6u].b, nested(n), 1u"), .words = { 28, 60, 9, 1 } },
	/* texels: 4x4 with levels, texel (x, y) of level l is (x, y, l, 255) */
	{ WORDS("texelFetch(image, ivec2(s + 9, 1), 0) * 255.5"), .words = { 2, 1, 0, 255 } },
	{ WORDS("texelFetch(image, ivec2(1, n - 7u), 1) * 255.5"), .words = { 1, 0, 1, 255 } },
	{ WORDS("texelFetchOffset(image, ivec2(1, 1), 0, ivec2(2, 1)) * 255.5"),
	  .words = { 3, 2, 0, 255 } },
	{ WORDS("textureLod(image, vec2(0.875, 0.125), f - 2.5) * 255.5"),
	  .words = { 3, 0, 0, 255 } },
	{ WORDS("textureLodOffset(image, vec2(0.875, 0.125), 0.0, ivec2(-2, 1)) * 255.5"),
	  .words = { 1, 1, 0, 255 } },
	{ WORDS("textureGrad(image, vec2(0.25), vec2(0.5, 0), vec2(0, 0.5)) * 255.5"),
	  .words = { 0, 0, 1, 255 } },
	{ WORDS("textureGradOffset(image, vec2(0.25), vec2(0.5, 0), vec2(0, 0.5), "
		"ivec2(1)) * 255.5"),
	  .words = { 1, 1, 1, 255 } },
	{ WORDS("textureProjLod(image, vec3(1.75, 0.25, 2.0), 0.0) * 255.5"),
	  .words = { 3, 0, 0, 255 } },
	{ WORDS("textureProjGrad(image, vec4(1.75, 0.25, 9.0, 2.0), vec2(0), vec2(0)) * 255.5"),
	  .words = { 3, 0, 0, 255 } },
	{ WORDS("textureSize(image, 0), textureSize(image, int(n) - 6)"), .words = { 4, 4, 2, 2 } },
	{ WORDS("textureSize(layers, 0), textureSize(line, 0)"), .words = { 4, 4, 3, 8 } },
	{ WORDS("textureSize(numbers, 0), textureSize(rectangle)"), .words = { 4, 4, 5, 3 } },
	{ WORDS("textureSize(volume, 0), textureSize(cube, 0).x"), .words = { 2, 2, 2, 4 } },
	/* the same of other kinds: texel i is i, layer or slice l adds 100 * l */
	{ WORDS("texelFetch(layers, ivec3(1, 2, n - 5u), "
		"0).x * 255.5, texture(layers, vec3(0.9, 0.9, 1)).x * 255.5, "
		"texture(layers, vec3(0.1, 0.1, 17)).x * 255.5, 0"),
		.words = { 209, 115, 200, 0 } },
	{ WORDS("texelFetch(line, s + 10, 0).x * 255.5, textureLod(line, 0.9, 0.0).x * 255.5, "
		"texelFetchOffset(line, 2, 0, 3).x * 255.5, 0"), .words = { 3, 7, 5, 0 } },
	{ WORDS("texelFetch(volume, ivec3(1, 0, 1), 0).x * 255.5, textureLod(volume, vec3(0.25), "
		"0.0).x * 255.5, "
		"textureLod(volume, vec3(0.75), 0.0).x * 255.5, 0"), .words = { 101, 0, 103, 0 } },
	{ WORDS("texelFetch(rectangle, ivec2(4, 2)).x * 255.5, "
		"texture(rectangle, vec2(1.5, 2.5)).x * 255.5, "
		"textureProj(rectangle, vec3(3.0, 5.0, 2.0)).x * 255.5, 0"),
		.words = { 14, 11, 11, 0 } },
	{ WORDS("wrong_in_row(), 0, 0, 0"), .words = { 0 } },
	{ WORDS("textureLod(cube, vec3(1, 0.1, 0.1), "
		"0.0).x * 255.5, textureLod(cube, vec3(-0.1, 0.2, -1), 0.0).x * 255.5, "
		"textureGrad(cube, vec3(0, 1, 0), vec3(0), vec3(0)).x * 255.5, 0"),
		.words = { 1, 6, 3, 0 } },
	{ "texelFetch(numbers, ivec2(1, 2), 0)", .words = { 0x10000001, 2, 3, 0xffffffff } },
	{ "uvec4(texelFetch(negatives, ivec2(1, 2), 0))", .words = { -1, 2, -3, 0x7fffffff } },
	{ "texture(numbers, vec2(0.1, 0.9))", .words = { 0x30000000, 2, 3, 0xffffffff } },
	/* shadows: 0.5 everywhere; the same in each layer or face */
	{ BITS("vec4(textureLod(shade, vec3(0.5, 0.5, 0.25), 0.0), "
		"textureLod(shade, vec3(0.5, 0.5, 0.75), 0.0), "
		"textureGrad(shade, vec3(0.5, 0.5, 0.25), vec2(0), vec2(0)), "
		"textureProjLod(shade, vec4(1.0, 1.0, 0.5, 2.0), 0.0))"),
		.floats = { 1.0f, 0, 1.0f, 1.0f } },
	{ BITS("vec4(textureGrad(shades, vec4(0.5, 0.5, 1.0, 0.25), vec2(0), vec2(0)), "
		"textureGrad(shades, vec4(0.5, 0.5, 0.0, 0.75), vec2(0), vec2(0)), "
		"textureLodOffset(shade, vec3(0.5, 0.5, 0.25), 0.0, ivec2(1)), "
		"float(textureSize(shades, 0).z))"),
	  .floats = { 1.0f, 0, 1.0f, 2.0f } },
	/* of GL_MESA_shader_integer_functions */
	{ WORDS("bitfieldExtract(n * 0x11u, 4, 3), bitfieldExtract(s, 0, 4), "
		"bitfieldInsert(n, 3u, 8, 4), bitfieldReverse(n)"),
	  .words = { 7, -7, 0x307, 0xe0000000 } },
	{ WORDS("bitCount(n), findLSB(n + 1u), findMSB(n), findMSB(s)"), .words = { 3, 3, 2, 2 } },
	{ WORDS("uaddCarry(0xfffffffeu, n, carry), carry, usubBorrow(3u, n, carry), carry"),
	  .words = { 5, 1, -4, 1 } },
	{ WORDS("multiplied(0x10000000u, n * 16u), "
		"frexp(f, exponent) == 0.625, ldexp(f, int(n)) == 320.0"),
	  .words = { 7, 0, 1, 1 } },
	{ WORDS("bitfieldExtract(uvec2(n, n * 2u), 1, 2), bitCount(ivec2(s, n))"),
	  .words = { 3, 3, 30, 3 } },
	/* packing */
	{ WORDS("packHalf2x16(vec2(f, g)), packUnorm2x16(vec2(1.0, 0.0)), "
		"packSnorm2x16(vec2(-1.0, 1.0)), 0"),
	  .words = { 0xc1004100, 0xffff, 0x7fff8001, 0 } },
	{ BITS("vec4(unpackHalf2x16(0xc1004100u * (n - 6u)), unpackUnorm2x16(0xffffu))"),
	  .floats = { 2.5f, -2.5f, 1.0f, 0 } },
};

/* Expressions with implicit levels or derivatives, which only fragment shaders have. */
static const struct expression fragment_expressions[] = {
	{ WORDS("texture(image, vec2(0.125)) * 255.5"), .words = { 0, 0, 0, 255 } },
	{ WORDS("texture(image, vec2(0.25), 1.0) * 255.5"), .words = { 1, 1, 0, 255 } },
	{ WORDS("textureOffset(image, vec2(0.125), ivec2(1, 2)) * 255.5"),
	  .words = { 1, 2, 0, 255 } },
	{ WORDS("textureProj(image, vec3(1.75, 0.25, 2.0)) * 255.5"), .words = { 3, 0, 0, 255 } },
	{ WORDS("textureProjOffset(image, vec3(1.75, 0.25, 2.0), ivec2(-1, 1)) * 255.5"),
	  .words = { 2, 1, 0, 255 } },
	{ BITS("vec4(texture(shade, vec3(0.5, 0.5, 0.25)), "
		"texture(shades, vec4(0.5, 0.5, 1.0, 0.75)), "
		"texture(shade_cube, vec4(1, 0.2, 0.3, 0.25)), "
		"texture(shade_cube, vec4(0, 0.2, -1, 0.75)))"),
	  .floats = { 1.0f, 0, 1.0f, 0 } },
	{ BITS("vec4(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), fwidth(gl_FragCoord.x), f)"),
	  .floats = { 1.0f, 1.0f, 1.0f, 2.5f } },
	{ WORDS("gl_FrontFacing, gl_FragCoord.xy, gl_PointCoord.x * 0.0"),
	  .words = { 1, 0, 0, 0 } },
};

static const char common_source[] =
	"uniform uint n;\n"
	"uniform int s;\n"
	"uniform float f, g;\n"
	"uniform sampler2D image;\n"
	"uniform sampler2DArray layers;\n"
	"uniform sampler1D line;\n"
	"uniform sampler3D volume;\n"
	"uniform samplerCube cube;\n"
	"uniform sampler2DRect rectangle;\n"
	"uniform sampler2DRect row;\n"
	"uniform usampler2D numbers;\n"
	"uniform isampler2D negatives;\n"
	"uniform sampler2DShadow shade;\n"
	"uniform sampler2DArrayShadow shades;\n"
	"uniform samplerCubeShadow shade_cube;\n"
	"float whole;\n"
	"uint carry;\n"
	"int exponent;\n"
	"uvec2 multiplied(uint a, uint b) { uint high, low; umulExtended(a, b, high, low); "
	"return uvec2(high, low); }\n"
	"const uint table[4] = uint[](10u, 20u, 30u, 40u);\n"
	"struct { uint a; int b; } structure[2];\n"
	"uint wrong_in_row() {\n"
	"	uint wrong = 0u;\n"
	"	for (int x = 0; x < 129; x++)\n"
	"		wrong += uint(texture(row, vec2(x, 0)).x * 255.5) != uint(x) ? 1u : 0u;\n"
	"	return wrong;\n"
	"}\n"
	"uint switched(int x) {\n"
	"	uint y = 0u;\n"
	"	switch (x) { case 6: return 66u; case 7: y = 70u; case 8: y += 7u; break; "
	"default: y = 1u; }\n"
	"	return y;\n"
	"}\n"
	"uint summed(uint x) { uint y = 0u; for (uint i = 0u; ; i++) { if (i > x) break; y += i; } "
	"return y; }\n"
	"uint nested(uint x) { uint y[3]; for (int i = 0; i < 3; i++) y[i] = x + uint(i); "
	"return y[x - 5u]; }\n"
	"uvec4 value() {\n"
	"	structure[0].b = 50; structure[1].b = 60;\n"
	"	return EXPRESSION;\n"
	"}\n";

enum {
	IMAGE,
	LAYERS,
	LINE,
	VOLUME,
	CUBE,
	RECTANGLE,
	ROW,
	NUMBERS,
	NEGATIVES,
	SHADE,
	SHADES,
	SHADE_CUBE,
	TEXTURES
};

static const char *const names[TEXTURES] = {
	"image", "layers", "line", "volume", "cube", "rectangle", "row", "numbers", "negatives",
	"shade", "shades",
	"shade_cube",
};

static void begin_texture(int unit, GLenum target)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glActiveTexture(GL_TEXTURE0 + unit);
	glBindTexture(target, texture);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
			unit == IMAGE ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
}

static void make_image(void)
{
	begin_texture(IMAGE, GL_TEXTURE_2D);
	for (int level = 0; level < 3; level++) {
		const int size = 4 >> level;
		uint8_t texels[16][4];

		for (int i = 0; i < size * size; i++)
			memcpy(texels[i], (uint8_t[4]){ i % size, i / size, level, 255 }, 4);
		glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, size, size, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, texels);
	}
}

static void make_numbers(int unit, GLenum format, GLenum type, bool is_signed)
{
	uint32_t texels[16][4];

	begin_texture(unit, GL_TEXTURE_2D);
	for (uint32_t i = 0; i < 16; i++) {
		const uint32_t words[2][4] = {
			{ (i / 4) * 0x10000000 + i % 4, 2, 3, 0xffffffff },
			{ -1, 2, -3, 0x7fffffff },
		};

		memcpy(texels[i], words[is_signed], sizeof(texels[i]));
	}
	texels[2 * 4 + 1][0] = is_signed ? -1 : 0x10000001;
	glTexImage2D(GL_TEXTURE_2D, 0, format, 4, 4, 0, GL_RGBA_INTEGER, type, texels);
}

static void make_bytes(void)
{
	uint8_t bytes[129];

	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
	for (int i = 0; i < 48; i++)
		bytes[i] = i % 16 + 100 * (i / 16);
	begin_texture(LAYERS, GL_TEXTURE_2D_ARRAY);
	glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R8, 4, 4, 3, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
	begin_texture(LINE, GL_TEXTURE_1D);
	glTexImage1D(GL_TEXTURE_1D, 0, GL_R8, 8, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
	begin_texture(RECTANGLE, GL_TEXTURE_RECTANGLE);
	glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_R8, 5, 3, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
	for (int i = 0; i < 129; i++)
		bytes[i] = i;
	begin_texture(ROW, GL_TEXTURE_RECTANGLE);
	glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_R8, 129, 1, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
	for (int i = 0; i < 8; i++)
		bytes[i] = i % 4 + 100 * (i / 4);
	begin_texture(VOLUME, GL_TEXTURE_3D);
	glTexImage3D(GL_TEXTURE_3D, 0, GL_R8, 2, 2, 2, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
	begin_texture(CUBE, GL_TEXTURE_CUBE_MAP);
	for (int face = 0; face < 6; face++) {
		memset(bytes, face + 1, 16);
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_R8, 4, 4, 0, GL_RED,
			     GL_UNSIGNED_BYTE, bytes);
	}
}

static void compare(GLenum target)
{
	glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static void make_shades(void)
{
	float half[32];

	for (int i = 0; i < 32; i++)
		half[i] = 0.5f;
	begin_texture(SHADE, GL_TEXTURE_2D);
	compare(GL_TEXTURE_2D);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 4, 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
		     half);
	begin_texture(SHADES, GL_TEXTURE_2D_ARRAY);
	compare(GL_TEXTURE_2D_ARRAY);
	glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT24, 4, 4, 2, 0, GL_DEPTH_COMPONENT,
		     GL_FLOAT, half);
	begin_texture(SHADE_CUBE, GL_TEXTURE_CUBE_MAP);
	compare(GL_TEXTURE_CUBE_MAP);
	for (int face = 0; face < 6; face++)
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_DEPTH_COMPONENT16, 4, 4,
			     0, GL_DEPTH_COMPONENT, GL_FLOAT, half);
}

/* Returns a program that shows the value of @text in a vertex or in a fragment shader. */
static GLuint program_of(const char *text, bool in_vertex)
{
	static const char version[] =
		"#version 330\n"
		"#extension GL_ARB_shading_language_packing : require\n"
		"#extension GL_MESA_shader_integer_functions : require\n";
	char vertex[8192], fragment[8192];
	GLuint program;

	if (in_vertex) {
		snprintf(vertex, sizeof(vertex), "%s#define EXPRESSION %s\n%s"
			 "flat out uvec4 words;\n"
			 "void main() { words = value(); gl_Position = vec4(0, 0, 0, 1); }\n",
			 version, text, common_source);
		snprintf(fragment, sizeof(fragment), "#version 330\n"
						     "flat in uvec4 words;\n"
						     "out uvec4 result;\n"
			 "void main() { result = words; }\n");
	} else {
		snprintf(vertex, sizeof(vertex),
			"#version 330\n"
			"void main() { gl_Position = vec4(0, 0, 0, 1); }\n");
		snprintf(fragment, sizeof(fragment), "%s#define EXPRESSION %s\n%s"
			 "out uvec4 result;\n"
			 "void main() { result = value(); }\n", version, text, common_source);
	}
	program = core_stages(vertex, NULL, fragment);
	glUseProgram(program);
	for (int i = 0; i < TEXTURES; i++)
		glUniform1i(glGetUniformLocation(program, names[i]), i);
	glUniform1ui(glGetUniformLocation(program, "n"), 7);
	glUniform1i(glGetUniformLocation(program, "s"), -7);
	glUniform1f(glGetUniformLocation(program, "f"), 2.5f);
	glUniform1f(glGetUniformLocation(program, "g"), -2.5f);
	return program;
}

static void test_expression(const struct expression *e, bool in_vertex)
{
	static const uint32_t untouched[4] = { 0xdead, 0xdead, 0xdead, 0xdead };
	GLuint program = program_of(e->text, in_vertex);
	uint32_t seen[4] = { 0 };

	glClearBufferuiv(GL_COLOR, 0, untouched);
	glDrawArrays(GL_POINTS, 0, 1);
	glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, seen);
	tap(!memcmp(seen, e->words, sizeof(seen)), "%s: %s", in_vertex ? "vertex" : "fragment",
	    e->text);
	if (memcmp(seen, e->words, sizeof(seen)))
		printf("# %08x %08x %08x %08x instead of %08x %08x %08x %08x\n", seen[0], seen[1],
		       seen[2], seen[3], e->words[0], e->words[1], e->words[2], e->words[3]);
	glDeleteProgram(program);
}

int main(void)
{
	GLuint target;

	core_open();
	make_image();
	make_bytes();
	make_numbers(NUMBERS, GL_RGBA32UI, GL_UNSIGNED_INT, false);
	make_numbers(NEGATIVES, GL_RGBA32I, GL_INT, true);
	make_shades();
	glActiveTexture(GL_TEXTURE0 + TEXTURES);
	glGenTextures(1, &target);
	glBindTexture(GL_TEXTURE_2D, target);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, 1, 1, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
		     NULL);
	gl_draw_to(target, 1, 1);
	for (unsigned i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		test_expression(&expressions[i], false);
		test_expression(&expressions[i], true);
	}
	for (unsigned i = 0; i < sizeof(fragment_expressions) / sizeof(fragment_expressions[0]);
	     i++)
		test_expression(&fragment_expressions[i], false);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

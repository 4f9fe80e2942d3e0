// SPDX-License-Identifier: MIT
/*
 * Texture look-ups: arrays of samplers beside other samplers and with polygon stipple, swizzles of
 * comparisons, and filters with bounded levels of detail. Prints TAP.
 */
#include "gl-core.h"

#define RED 0xff0000ff
#define GREEN 0x00ff00ff

/* From the compatibility profile. */
#define DEPTH_TEXTURE_MODE 0x884b
#define POLYGON_STIPPLE 0x0b42
#define LUMINANCE 0x1909

static void unit_new(int unit, GLenum target)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glActiveTexture(GL_TEXTURE0 + unit);
	glBindTexture(target, texture);
}

static void color_on(int unit, uint32_t color)
{
	glActiveTexture(GL_TEXTURE0 + unit);
	gl_texture_new(1, color);
}

/* Makes a cube map whose faces have their number in blue; red and green are 1. */
static void cube_on(int unit)
{
	unit_new(unit, GL_TEXTURE_CUBE_MAP);
	for (int face = 0; face < 6; face++) {
		const GLubyte texel[4] = { 0xff, 0xff, 0x10 * face, 0xff };

		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 1, 1, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, texel);
	}
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

/* Makes a texture without filters. */
static void nearest_on(int unit)
{
	unit_new(unit, GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static void number_on(int unit, GLuint number)
{
	nearest_on(unit);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, 1, 1, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &number);
}

static void buffer_on(int unit, float value)
{
	unit_new(unit, GL_TEXTURE_BUFFER);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F,
		    core_buffer(GL_TEXTURE_BUFFER, sizeof(value), &value));
}

/* Makes a depth texture of one texel, which is compared. */
static void depth_on(int unit, float depth)
{
	nearest_on(unit);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 1, 1, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
		     &depth);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
}

/* Arrays: a sampler that is declared behind an array is no element of it */

#define ARRAY								\
	"#version 420\nlayout(binding = 0) uniform sampler2D array[2];\n" \
	"uniform int i = 1;\nout vec4 result;\n"

static void test_arrays(void)
{
	color_on(0, RED);
	color_on(1, GREEN);
	cube_on(2);
	core_is_seen(ARRAY "layout(binding = 2) uniform samplerCube cube;\n"
		     "void main() { result = vec4(texture(array[i], vec2(0.5)).rg, texture(cube, "
		     "vec3(0, 0, -1)).b, 1); }\n",
		     0x00ff50ff, "an array of samplers and a cube");
	core_is_seen(ARRAY "layout(binding = 2) uniform samplerCube cube;\n"
		     "void main() {\n"
		     "	float b = texture(cube, vec3(0, 0, -1)).b;\n"
		     "	result = vec4(texture(array[i], vec2(0.5)).rg, b, 1);\n"
		     "}\n",
		     0x00ff50ff, "a cube and an array of samplers");
	number_on(2, 0x40);
	core_is_seen(ARRAY "layout(binding = 2) uniform usampler2D number;\n"
		     "void main() {\n"
		     "	result = vec4(texture(array[i], vec2(0.5)).rg, float(texture(number, "
		     "vec2(0.5)).r) / 255.0, 1);\n"
		     "}\n", 0x00ff40ff, "an array of samplers and integers");
	buffer_on(2, 1.0f);
	core_is_seen(ARRAY "layout(binding = 2) uniform samplerBuffer values;\n"
		     "void main() { result = vec4(texture(array[i], vec2(0.5)).rg, "
		     "texelFetch(values, 0).r, 1); }\n",
		     0x00ffffff, "an array of samplers and a buffer");
	core_is_seen("#version 430\n"
		     "layout(binding = 0) uniform sampler2D array[2][1];\n"
		     "uniform int i = 1;\n"
		     "out vec4 result;\n"
		     "layout(binding = 2) uniform samplerBuffer values;\n"
		     "void main() { result = vec4(texture(array[i][0], vec2(0.5)).rg, "
		     "texelFetch(values, 0).r, 1); }\n",
		     0x00ffffff, "an array of arrays and a buffer");
}

/* Each element has the comparison mode and the swizzle of its own texture. */
static void test_compared_arrays(void)
{
	static const char source[] =
		"#version 420\n"
		"layout(binding = 0) uniform sampler2DShadow array[2];\n"
		"uniform int i = 1;\n"
		"out vec4 result;\n"
		"void main() { result = vec4(texture(array[i], vec3(0.5)), texture(array[i], "
		"vec3(0.1)), 0, 1); }\n";

	depth_on(0, 0.8f);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
	depth_on(1, 0.2f);
	core_is_seen(source, 0x00ff00ff, "a comparison beside a texture that is not compared");
	depth_on(0, 0.8f);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_ZERO);
	core_is_seen(source, 0x00ff00ff, "and beside one with another swizzle");
}

/* Swizzles apply to the result of a comparison, which is red */

static void test_compared_swizzles(void)
{
	static const struct {
		GLenum swizzle;
		uint32_t expected;
		const char *what;
	} swizzles[] = {
		{ GL_RED, 0x00ff00ff, "a comparison as red" }, { GL_GREEN, 0x000000ff, "as green" },
		{ GL_ALPHA, 0xffff00ff, "as alpha" }, { GL_ZERO, 0x000000ff, "as zero" },
		{ GL_ONE, 0xffff00ff, "as one" },
	};

	depth_on(0, 0.2f);
	for (int i = 0; i < 5; i++) {
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, swizzles[i].swizzle);
		core_is_seen("#version 330\nuniform sampler2DShadow image;\nout vec4 result;\n"
			     "void main() { result = vec4(texture(image, vec3(0.5)), "
			     "texture(image, vec3(0.1)), 0, 1); }\n",
			     swizzles[i].expected, swizzles[i].what);
	}
}

static const char old_fragment[] =
	"#version 120\n"
	"uniform sampler2DShadow image;\n"
	"varying vec4 of_vertex;\n"
	"void main() { gl_FragColor = vec4(shadow2D(image, vec3(0.1)).r, shadow2D(image, "
	"vec3(0.1)).a, of_vertex.ra); }\n";

static const char old_vertex[] =
	"#version 120\n"
	"uniform sampler2DShadow image;\n"
	"attribute vec2 vertex;\n"
	"varying vec4 of_vertex;\n"
	"void main() { of_vertex = shadow2DLod(image, vec3(0.5), 0.0); "
	"gl_Position = vec4(vertex, 0, 1); }\n";

/* Red and alpha of a comparison that passes, then of one that fails. */
static void test_depth_modes(void)
{
	static const struct {
		GLint mode;
		uint32_t expected;
		const char *what;
	} modes[] = {
		{ LUMINANCE, 0xffff00ff, "luminance" }, { GL_RED, 0xffff00ff, "red" },
		{ GL_ALPHA, 0x00ff0000, "alpha" },
	};

	depth_on(0, 0.2f);
	glUseProgram(core_program(old_vertex, old_fragment, 0, NULL, 0));
	for (int i = 0; i < 3; i++) {
		glTexParameteri(GL_TEXTURE_2D, DEPTH_TEXTURE_MODE, modes[i].mode);
		glDrawArrays(GL_TRIANGLES, 0, 3);
		tap(gl_pixel_is(7, 7, modes[i].expected, 0),
		    "comparisons of old shaders are %s: %08x", modes[i].what, gl_pixel(7, 7));
	}
}

/* Filters with a bounded level of detail and without mipmaps */

static void test_bounded_levels(void)
{
	static const GLubyte texels[4 * 2] = { 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff };
	/*
	 * The coordinate is in the first texel, between its middle and the second texel. One shader
	 * minifies, the other one magnifies.
	 */
	static const char minified[] =
		"#version 330\nuniform sampler2D image;\nout vec4 result;\n"
		"void main() { result = textureGrad(image, vec2(0.4, 0.5), vec2(2, 0), "
		"vec2(0, 2)); }\n";
	static const char magnified[] =
		"#version 330\nuniform sampler2D image;\nout vec4 result;\n"
		"void main() { result = textureGrad(image, vec2(0.4, 0.5), vec2(0.01, 0), vec2(0, "
		"0.01)); }\n";

	unit_new(0, GL_TEXTURE_2D);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	core_is_seen(magnified, 0x000000ff, "magnified");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 0);
	core_is_seen(minified, 0x000000ff, "what is never beyond level 0 is magnified");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 1000);
	core_is_seen(minified, 0x000000ff, "minified");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 1);
	core_is_seen(magnified, 0x000000ff, "what is never before level 1 is minified");
}

/* Polygon stipple uses a texture, too */

static void test_stippled_array(void)
{
	static const char source[] =
		"#version 120\n"
		"uniform sampler2D array[2];\n"
		"void main() { gl_FragColor = texture2D(array[0], vec2(0.5)) + texture2D(array[1], "
		"vec2(0.5)); }\n";
	void (*polygon_stipple)(const GLubyte *) = (void *)eglGetProcAddress("glPolygonStipple");
	GLuint program = core_program(core_position, source, 0, NULL, 0);
	GLubyte pattern[32 * 4];

	for (int i = 0; i < 32 * 4; i++)
		pattern[i] = 0xff;
	polygon_stipple(pattern);
	color_on(0, RED);
	color_on(1, GREEN);
	glUseProgram(program);
	glUniform1iv(glGetUniformLocation(program, "array"), 2, (const GLint[]){ 0, 1 });
	for (int i = 0; i < 2; i++) {
		if (i)
			glDisable(POLYGON_STIPPLE);
		else
			glEnable(POLYGON_STIPPLE);
		glClear(GL_COLOR_BUFFER_BIT);
		glDrawArrays(GL_TRIANGLES, 0, 3);
		tap(gl_pixel_is(7, 7, 0xffff00ff, 0), "an array of samplers, %s: %08x",
		    i ? "not stippled any more" : "stippled", gl_pixel(7, 7));
	}
}

int main(void)
{
	static const EGLint compatible[] = {
		EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
		EGL_NONE,
	};

	core_open();
	core_cover();
	test_arrays();
	test_compared_arrays();
	test_compared_swizzles();
	test_bounded_levels();
	core_use_new(compatible);
	core_cover();
	test_depth_modes();
	test_stippled_array();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

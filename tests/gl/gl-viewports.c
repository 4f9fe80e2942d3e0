// SPDX-License-Identifier: MIT
/* Viewports, scissors and layers that shaders select, clip control, cull distances. Prints TAP. */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLACK 0x000000ff

static const char color_source[] =
	"#version 410\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

/* Each invocation draws the triangle to another viewport. */
static const char spread_source[] =
	"#version 410\n"
	"layout(triangles, invocations = 16) in;\n"
	"layout(triangle_strip, max_vertices = 3) out;\n"
	"void main() {\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		gl_ViewportIndex = gl_InvocationID;\n"
	"		gl_Position = gl_in[i].gl_Position;\n"
	"		EmitVertex();\n"
	"	}\n"
	"}\n";

static const char index_source[] =
	"#version 430\n"
	"out vec4 result;\n"
	"void main() { result = vec4(float(gl_ViewportIndex) / 15.0, 0, 0, 1); }\n";

/* Covers the picture, at half depth. */
static const GLfloat cover[] = { -1, -1, 0.5f, 1, 3, -1, 0.5f, 1, -1, 3, 0.5f, 1 };

static void clear_black(void)
{
	glClearColor(0, 0, 0, 1);
	glClearDepth(1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void use_color(GLuint program, float r, float g)
{
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), r, g, 0, 1);
}

/* Sixteen viewports, four by four pixels each. */
static void test_viewports(void)
{
	GLuint program = core_stages(core_position, spread_source, index_source);
	bool all = true;
	GLint n = 0;

	glGetIntegerv(GL_MAX_VIEWPORTS, &n);
	tap(n == 16, "%d viewports", n);
	for (int i = 0; i < 16; i++)
		glViewportIndexedf(i, i % 4 * 4, i / 4 * 4, 4, 4);
	clear_black();
	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	for (int i = 0; i < 16; i++)
		all = all &&
		      gl_pixel_is(i % 4 * 4 + 1, i / 4 * 4 + 2, (uint32_t)i * 17 << 24 | 0xff, 0);
	tap(all, "a geometry shader draws to each, and the fragments know");

	clear_black();
	for (int i = 0; i < 16; i++) {
		glScissorIndexed(i, i % 4 * 4 + 1, i / 4 * 4, 1, 4);
		glEnablei(GL_SCISSOR_TEST, i);
	}
	glDrawArrays(GL_TRIANGLES, 0, 3);
	all = true;
	for (int i = 1; i < 16; i++)
		all = all &&
		      gl_pixel_is(i % 4 * 4 + 1, i / 4 * 4 + 2, (uint32_t)i * 17 << 24 | 0xff, 0) &&
		      gl_pixel_is(i % 4 * 4 + 2, i / 4 * 4 + 2, BLACK, 0);
	tap(all, "each has a scissor");
	glDisable(GL_SCISSOR_TEST);

	/* Programs that do not write gl_ViewportIndex draw to the first viewport. */
	glDeleteProgram(program);
	program = core_stages(core_position, NULL, color_source);
	clear_black();
	use_color(program, 0, 1);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(2, 2, GREEN, 0) && gl_pixel_is(6, 6, BLACK, 0),
	    "the first is for those who do not choose");
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDeleteProgram(program);
}

/* gl_ViewportIndex and gl_Layer are 0 if no stage writes them; other varyings are not affected. */
static void test_none_chosen(void)
{
	static const char giving_source[] =
		"#version 430\n"
		"layout(location = 0) in vec4 vertex;\n"
		"out vec4 given;\n"
		"void main() { gl_Position = vertex; given = vec4(1, 2, 3, 4); }\n";
	static const char looking_source[] =
		"#version 430\n"
		"in vec4 given;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	bool right = gl_Layer == 0 && gl_ViewportIndex == 0 && given == vec4(1, "
		"2, 3, 4);\n"
		"	result = vec4(!right, right, 0, 1);\n"
		"}\n";
	GLuint program = core_stages(giving_source, NULL, looking_source);

	clear_black();
	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(2, 2, GREEN, 0), "fragments read layer and viewport, which nobody writes");
	glDeleteProgram(program);
}

static void test_depth_ranges(void)
{
	GLuint program = core_stages(core_position, spread_source, index_source);
	GLfloat depth[CORE_SIZE * CORE_SIZE];
	bool all = true;

	for (int i = 0; i < 16; i++) {
		glViewportIndexedf(i, i % 4 * 4, i / 4 * 4, 4, 4);
		glDepthRangeIndexed(i, i / 16.0, i / 32.0);
	}
	clear_black();
	glEnable(GL_DEPTH_TEST);
	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDisable(GL_DEPTH_TEST);
	glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
	/* Depth 0.5 is three quarters of the way. */
	for (int i = 0; i < 16; i++)
		all = all && fabsf(depth[(i / 4 * 4 + 2) * CORE_SIZE + i % 4 * 4 + 2] -
				   (i / 16.0f + 0.75f * (i / 32.0f - i / 16.0f))) < 1e-4f;
	tap(all, "each has a depth range");
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDepthRange(0, 1);
	glDeleteProgram(program);
}

/* gl_ViewportIndex and gl_Layer from a vertex shader, without a geometry shader. */
static void test_vertex_choice(void)
{
	static const char source[] =
		"#version 410\n"
		"#extension GL_ARB_shader_viewport_layer_array: require\n"
		"in vec4 vertex;\n"
		"void main() { gl_Position = vertex; gl_ViewportIndex = gl_InstanceID * 5; }\n";
	static const char layered[] =
		"#version 410\n"
		"#extension GL_ARB_shader_viewport_layer_array: require\n"
		"in vec4 vertex;\n"
		"void main() { gl_Position = vertex; gl_Layer = gl_InstanceID; }\n";
	static const char layer_source[] =
		"#version 430\n"
		"out vec4 result;\n"
		"void main() { result = vec4(float(gl_Layer + 1) / 3.0, 0, 0, 1); }\n";
	GLuint program = core_stages(source, NULL, index_source), texture, framebuffer;
	GLint old;

	for (int i = 0; i < 16; i++)
		glViewportIndexedf(i, i % 4 * 4, i / 4 * 4, 4, 4);
	clear_black();
	glUseProgram(program);
	glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 3);
	tap(gl_pixel_is(6, 6, 0x550000ff, 0) && gl_pixel_is(10, 10, 0xaa0000ff, 0) &&
		    gl_pixel_is(14, 14, BLACK, 0),
	    "a vertex shader chooses a viewport");
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDeleteProgram(program);

	program = core_stages(layered, NULL, layer_source);
	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, CORE_SIZE, CORE_SIZE, 3);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
	glUseProgram(program);
	glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 3);
	for (int i = 0; i < 3; i++) {
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, i);
		tap(gl_pixel_is(7, 7, (uint32_t)(i + 1) * 85 << 24 | 0xff, 0),
		    "a vertex shader chooses layer %d", i);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

static float depth_at(int x, int y)
{
	GLfloat depth = -1;

	glReadPixels(x, y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
	return depth;
}

static void test_clip_control(void)
{
	/* The triangle below the diagonal of the lower half, at depth -0.5. */
	static const GLfloat low[] = { -1, -1, -0.5f, 1, 1, -1, -0.5f, 1, -1, 0, -0.5f, 1 };
	GLuint program = core_stages(core_position, NULL, color_source);

	glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(low), low);
	use_color(program, 1, 0);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_ALWAYS);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 1, RED, 0) && fabsf(depth_at(1, 1) - 0.25f) < 1e-4f,
	    "depth -0.5 is a quarter: %f", depth_at(1, 1));

	glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 1, BLACK, 0), "and is clipped where depths begin at 0");
	glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(cover), cover);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(fabsf(depth_at(1, 1) - 0.5f) < 1e-4f, "where depth 0.5 stays: %f", depth_at(1, 1));
	glDepthRange(1, 0.5);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(fabsf(depth_at(1, 1) - 0.75f) < 1e-4f, "and is mapped to a range: %f", depth_at(1, 1));
	glDepthRange(0, 1);

	glClipControl(GL_UPPER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
	glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(low), low);
	glEnable(GL_CULL_FACE);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 14, RED, 0) && gl_pixel_is(1, 1, BLACK, 0),
	    "the other way up it is above");
	glCullFace(GL_FRONT);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 14, BLACK, 0), "and shows its front still");
	glCullFace(GL_BACK);
	glDisable(GL_CULL_FACE);
	glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
	glDisable(GL_DEPTH_TEST);
	glDepthFunc(GL_LESS);
	glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(cover), cover);
	glDeleteProgram(program);
}

static void test_cull_distance(void)
{
	static const char source[] =
		"#version 410\n"
		"#extension GL_ARB_cull_distance: require\n"
		"in vec4 vertex;\n"
		"uniform vec3 first, second;\n"
		"out float gl_CullDistance[2];\n"
		"out float gl_ClipDistance[1];\n"
		"void main() {\n"
		"	gl_Position = vertex;\n"
		"	gl_CullDistance[0] = first[gl_VertexID];\n"
		"	gl_CullDistance[1] = second[gl_VertexID];\n"
		"	gl_ClipDistance[0] = vertex.x;\n"
		"}\n";
	GLuint program = core_stages(source, NULL, color_source);
	GLint first, second;

	use_color(program, 1, 0);
	first = glGetUniformLocation(program, "first");
	second = glGetUniformLocation(program, "second");
	clear_black();
	glUniform3f(first, -1, -1, 1);
	glUniform3f(second, 1, -1, -1);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(2, 2, RED, 0),
	    "a triangle that is partly outside of two is drawn in whole");
	clear_black();
	glUniform3f(second, -1, -1, -1);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(2, 2, BLACK, 0), "one that is outside of one is not");
	glUniform3f(second, 1, 1, 1);
	glEnable(GL_CLIP_DISTANCE0);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDisable(GL_CLIP_DISTANCE0);
	tap(gl_pixel_is(2, 2, BLACK, 0) && gl_pixel_is(12, 2, RED, 0),
	    "clip distances work beside them");
	glDeleteProgram(program);
}

/* Fragment shaders that read clip and cull distances. */
static void test_read_distances(void)
{
	static const char vertex[] =
		"#version 410\n"
		"#extension GL_ARB_cull_distance: require\n"
		"in vec4 vertex;\n"
		"out float gl_CullDistance[2];\n"
		"out float gl_ClipDistance[6];\n"
		"void main() {\n"
		"	gl_Position = vertex;\n"
		"	gl_CullDistance[0] = 1.0;\n"
		"	gl_CullDistance[1] = vertex.x + 1.0;\n"
		"	for (int i = 0; i < 6; i++)\n"
		"		gl_ClipDistance[i] = vertex.y + 1.0 + float(i);\n"
		"}\n";
	static const char fragment[] =
		"#version 410\n"
		"#extension GL_ARB_cull_distance: require\n"
		"in float gl_CullDistance[2];\n"
		"in float gl_ClipDistance[6];\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	result = vec4(abs(gl_CullDistance[1] * 8.0 - gl_FragCoord.x) < 0.01,\n"
		"		abs((gl_ClipDistance[5] - 5.0) * 8.0 - gl_FragCoord.y) < 0.01, "
		"gl_CullDistance[0], 1);\n"
		"}\n";
	GLuint program = core_stages(vertex, NULL, fragment);

	clear_black();
	glUseProgram(program);
	glEnable(GL_CLIP_DISTANCE5);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDisable(GL_CLIP_DISTANCE5);
	tap(gl_pixel_is(3, 11, 0xffffffff, 0), "fragment shaders read distances");
	glDeleteProgram(program);
}

int main(void)
{
	GLuint depth;

	core_open();
	glGenRenderbuffers(1, &depth);
	glBindRenderbuffer(GL_RENDERBUFFER, depth);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, CORE_SIZE, CORE_SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
	core_buffer(GL_ARRAY_BUFFER, sizeof(cover), cover);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	test_viewports();
	test_none_chosen();
	test_depth_ranges();
	test_vertex_choice();
	test_clip_control();
	test_cull_distance();
	test_read_distances();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

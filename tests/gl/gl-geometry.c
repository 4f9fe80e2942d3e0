// SPDX-License-Identifier: MIT
/* Geometry shaders and layered framebuffers of OpenGL 3.3. Prints TAP. */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>

#define BLACK 0x000000ff
#define WHITE 0xffffffff
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define LAYERS 6

static const char vertex_source[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"out Data { vec4 color; flat int number; } data;\n"
	"out float clip_by;\n"
	"void main() {\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"	gl_PointSize = 3.0;\n"
	"	data.color = vec4(vertex * 0.5 + 0.5, 0.0, 1.0);\n"
	"	data.number = gl_VertexID;\n"
	"	clip_by = vertex.x;\n"
	"}\n";

static const char color_source[] =
	"#version 330\n"
	"flat in vec4 shown;\n"
	"out vec4 result;\n"
	"void main() { result = shown; }\n";

static GLuint buffer;

static void set_corners(const GLfloat *corners, size_t n)
{
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, n * sizeof(GLfloat), corners, GL_DYNAMIC_DRAW);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

static void clear_black(void)
{
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
}

/*
 * Points become squares. The side is in a uniform block, and the colour comes from the vertex
 * shader.
 */
static void test_points(void)
{
	static const char source[] =
		"#version 330\n"
		"layout(points) in;\n"
		"layout(triangle_strip, max_vertices = 4) out;\n"
		"in Data { vec4 color; flat int number; } data[];\n"
		"layout(std140) uniform Side { float unused, side; };\n"
		"uniform vec4 tint[20];\n"
		"uniform int which;\n"
		"flat out vec4 shown;\n"
		"void main() {\n"
		"	for (int i = 0; i < 4; i++) {\n"
		"		shown = data[0].color * tint[which] + vec4(0, 0, "
		"data[0].number, 0);\n"
		"		gl_Position = gl_in[0].gl_Position + side * vec4(i & 1, "
		"i >> 1, 0, 0);\n"
		"		EmitVertex();\n"
		"	}\n"
		"	EndPrimitive();\n"
		"}\n";
	static const GLfloat points[] = { -1, -1, 0, 0 }, side[4] = { 0, 0.5f };
	GLuint program = core_stages(vertex_source, source, color_source);
	GLuint block = core_buffer(GL_UNIFORM_BUFFER, sizeof(side), side);

	glUseProgram(program);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
	glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Side"), 0);
	glUniform4f(glGetUniformLocation(program, "tint[13]"), 1, 0, 1, 1);
	glUniform1i(glGetUniformLocation(program, "which"), 13);
	set_corners(points, 4);
	clear_black();
	glDrawArrays(GL_POINTS, 0, 2);
	tap(gl_pixel_is(0, 0, BLACK, 0) && gl_pixel_is(3, 3, BLACK, 0) &&
		    gl_pixel_is(4, 4, BLACK, 0),
	    "a square whose colour is black");
	tap(gl_pixel_is(8, 8, 0x8000ffff, 1) && gl_pixel_is(11, 11, 0x8000ffff, 1) &&
		    gl_pixel_is(12, 12, BLACK, 0) && gl_pixel_is(7, 7, BLACK, 0),
	    "points become squares, of uniforms and of a block");
	glDeleteProgram(program);
}

/*
 * Each kind of input primitive. The shader draws a square for each primitive in the bottom row, at
 * gl_PrimitiveIDIn.
 */
static void test_inputs(void)
{
	static const struct {
		const char *layout;
		GLenum mode;
		int vertices, in_primitive, primitives;
	} kinds[] = {
		{ "points", GL_POINTS, 5, 1, 5 },
		{ "lines", GL_LINES, 6, 2, 3 },
		{ "lines", GL_LINE_STRIP, 6, 2, 5 },
		{ "lines", GL_LINE_LOOP, 6, 2, 6 },
		{ "lines_adjacency", GL_LINES_ADJACENCY, 8, 4, 2 },
		{ "lines_adjacency", GL_LINE_STRIP_ADJACENCY, 8, 4, 5 },
		{ "triangles", GL_TRIANGLES, 9, 3, 3 },
		{ "triangles", GL_TRIANGLE_STRIP, 9, 3, 7 },
		{ "triangles", GL_TRIANGLE_FAN, 9, 3, 7 },
		{ "triangles_adjacency", GL_TRIANGLES_ADJACENCY, 12, 6, 2 },
		{ "triangles_adjacency", GL_TRIANGLE_STRIP_ADJACENCY, 12, 6, 4 },
	};
	GLfloat nothing[24] = { 0 };

	set_corners(nothing, 24);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char source[1024];
		GLuint program;
		int seen = 0;
		bool all = true;

		snprintf(source, sizeof(source),
			 "#version 330\n"
			 "layout(%s) in;\n"
			 "layout(points, max_vertices = 1) out;\n"
			 "in Data { vec4 color; flat int number; } data[];\n"
			 "flat out vec4 shown;\n"
			 "void main() {\n"
			 "	shown = vec4(float(data.length()) / 255.0, 0, 1, 1);\n"
			 "	gl_Position = vec4((float(gl_PrimitiveIDIn) + 0.5) / 8.0 - 1.0, "
			 "-0.95, 0, 1);\n"
			 "	gl_PointSize = 1.0;\n"
			 "	EmitVertex();\n"
			 "}\n", kinds[i].layout);
		program = core_stages(vertex_source, source, color_source);
		glUseProgram(program);
		clear_black();
		glDrawArrays(kinds[i].mode, 0, kinds[i].vertices);
		for (int x = 0; x < CORE_SIZE; x++) {
			if (gl_pixel(x, 0) == BLACK)
				continue;
			seen++;
			all &= x < kinds[i].primitives &&
			       gl_pixel_is(x, 0, (uint32_t)kinds[i].in_primitive << 24 | 0xffff, 0);
		}
		tap(all && seen == kinds[i].primitives,
		    "mode %u: %d primitives of %d vertices (%s)", kinds[i].mode, seen,
		    kinds[i].in_primitive, kinds[i].layout);
		glDeleteProgram(program);
	}
}

/* Several strips, several vertices, and the provoking vertex. */
static void test_strips(void)
{
	static const char source[] =
		"#version 330\n"
		"layout(triangles) in;\n"
		"layout(triangle_strip, max_vertices = 6) out;\n"
		"flat out vec4 shown;\n"
		"void main() {\n"
		"	for (int i = 0; i < 6; i++) {\n"
		"		shown = vec4(i == 0 || i == 3, i == 2 || i == 5, 0, 1);\n"
		"		gl_Position = gl_in[i % 3].gl_Position + vec4(i / 3, 0, 0, 0);\n"
		"		EmitVertex();\n"
		"		if (i == 2)\n"
		"			EndPrimitive();\n"
		"	}\n"
		"}\n";
	static const GLfloat corners[] = { -1, -1, 0, -1, -1, 1 };
	GLuint program = core_stages(vertex_source, source, color_source);

	glUseProgram(program);
	set_corners(corners, 6);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 1, GREEN, 0) && gl_pixel_is(9, 1, GREEN, 0) &&
		    gl_pixel_is(7, 14, BLACK, 0),
	    "two strips; the last vertex provokes");
	glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 1, RED, 0) && gl_pixel_is(9, 1, RED, 0), "the first vertex provokes");
	glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
	glDeleteProgram(program);
}

/*
 * Inputs that the vertex shader does not write, outputs that no stage reads, point sizes, and clip
 * distances.
 */
static void test_interfaces(void)
{
	static const char source[] =
		"#version 330\n"
		"layout(points) in;\n"
		"layout(points, max_vertices = 3) out;\n"
		"in float clip_by[];\n"
		"flat out vec4 shown;\n"
		"out vec4 unread;\n"
		"out gl_PerVertex { vec4 gl_Position; float gl_PointSize; "
		"float gl_ClipDistance[2]; };\n"
		"void main() {\n"
		"	for (int i = 0; i < 3; i++) {\n"
		"		shown = vec4(1, gl_in[0].gl_PointSize == 3.0, 0, 1);\n"
		"		unread = vec4(i);\n"
		"		gl_Position = vec4(float(i - 1) * 0.5, 0.0, 0.0, 1.0);\n"
		"		gl_PointSize = 3.0;\n"
		"		gl_ClipDistance[0] = float(1 - i);\n"
		"		gl_ClipDistance[1] = clip_by[0] - 5.0;\n"
		"		EmitVertex();\n"
		"	}\n"
		"}\n";
	static const GLfloat point[] = { 0, 0 };
	GLuint program = core_stages(vertex_source, source, color_source);

	glUseProgram(program);
	set_corners(point, 2);
	glEnable(GL_PROGRAM_POINT_SIZE);
	glEnable(GL_CLIP_DISTANCE0);
	clear_black();
	glDrawArrays(GL_POINTS, 0, 1);
	glDisable(GL_CLIP_DISTANCE0);
	glDisable(GL_PROGRAM_POINT_SIZE);
	tap(gl_pixel_is(4, 8, 0xffff00ff, 0) && gl_pixel_is(3, 7, 0xffff00ff, 0) &&
		    gl_pixel_is(8, 8, 0xffff00ff, 0),
	    "points have the size that is written");
	tap(gl_pixel_is(12, 8, BLACK, 0),
	    "a clip distance that is enabled clips, the other does not");
	glDeleteProgram(program);
}

/* Point sizes that come from the context instead of the shader. */
static void test_point_size(void)
{
	static const char source[] =
		"#version 330\n"
		"layout(points) in;\n"
		"layout(points, max_vertices = 1) out;\n"
		"flat out vec4 shown;\n"
		"void main() { shown = vec4(1); gl_Position = gl_in[0].gl_Position; "
		"SIZE EmitVertex(); }\n";
	static const char *const sizes[] = { "", "gl_PointSize = 7.0;" };
	static const GLfloat point[] = { 0.0625f, 0.0625f };

	set_corners(point, 2);
	for (int i = 0; i < 2; i++)
		for (int size = 1; size < 6; size += 4) {
			char text[1024];
			GLuint program;

			snprintf(text, sizeof(text),
				"#version 330\n"
				"#define SIZE %s\n"
				"%s", sizes[i], strchr(source, '\n') + 1);
			program = core_stages(vertex_source, text, color_source);
			glUseProgram(program);
			glPointSize(size);
			clear_black();
			glDrawArrays(GL_POINTS, 0, 1);
			tap(gl_pixel_is(8, 8, WHITE, 0) &&
				    gl_pixel_is(10, 10, size == 5 ? WHITE : BLACK, 0) &&
				    gl_pixel_is(11, 8, BLACK, 0),
			    "points of glPointSize(%d)%s", size,
			    i ? ", whatever the shader writes" : "");
			glDeleteProgram(program);
		}
	glPointSize(1);
}

/* The maximum number of varyings. */
static void test_varyings(void)
{
	char geometry[4096] = "#version 330\n"
			      "layout(points) in;\n"
			      "layout(triangle_strip, max_vertices = 4) out;\n"
			      "in Data { vec4 color; flat int number; } data[];\n";
	char fragment[4096] = "#version 330\nout vec4 result;\n", line[96];
	static const GLfloat point[] = { 0, 0 };
	GLint components = 0;
	GLuint program;

	glGetIntegerv(GL_MAX_GEOMETRY_OUTPUT_COMPONENTS, &components);
	tap(components >= 128, "%d components of a geometry shader's outputs", components);
	for (int i = 0; i < 31; i++) {
		snprintf(line, sizeof(line), "out vec4 v%d;\n", i);
		strcat(geometry, line);
		snprintf(line, sizeof(line), "in vec4 v%d;\n", i);
		strcat(fragment, line);
	}
	strcat(geometry, "void main() { for (int i = 0; i < 4; i++) {\n");
	strcat(fragment, "void main() { vec4 sum = vec4(0);\n");
	for (int i = 0; i < 31; i++) {
		snprintf(line, sizeof(line), "v%d = vec4(%d, i, 1, 255) / 255.0;\n", i, i);
		strcat(geometry, line);
		snprintf(line, sizeof(line), "sum += v%d * %d.0;\n", i, i == 30 ? 2 : i == 17);
		strcat(fragment, line);
	}
	strcat(geometry, "gl_Position = vec4(i & 1, i >> 1, 0, 0.5) * 2.0 - vec4(1, 1, 0, 0); "
	       "EmitVertex(); } }\n");
	strcat(fragment, "result = vec4(sum.x, 0.0, sum.z, 1.0); }\n");
	program = core_stages(vertex_source, geometry, fragment);
	glUseProgram(program);
	set_corners(point, 2);
	clear_black();
	glDrawArrays(GL_POINTS, 0, 1);
	tap(gl_pixel_is(5, 5, (30 * 2 + 17) << 24 | 0x0003ff, 0),
	    "31 varyings from a geometry shader");
	glDeleteProgram(program);
}

/* gl_PrimitiveID in fragment shaders, with and without a geometry shader that writes it. */
static void test_primitive_id(void)
{
	static const char source[] =
		"#version 330\n"
		"layout(triangles) in;\n"
		"layout(triangle_strip, max_vertices = 3) out;\n"
		"void main() {\n"
		"	for (int i = 0; i < 3; i++) {\n"
		"		gl_PrimitiveID = gl_PrimitiveIDIn + 7;\n"
		"		gl_Position = gl_in[i].gl_Position;\n"
		"		EmitVertex();\n"
		"	}\n"
		"}\n";
	static const char fragment[] =
		"#version 330\n"
		"out vec4 result;\n"
		"void main() { result = vec4(gl_PrimitiveID, 0, 255, 255) / 255.0; }\n";
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

	for (int with = 0; with < 2; with++) {
		GLuint program = core_stages(vertex_source, with ? source : NULL, fragment);
		const uint32_t first = with ? 7 : 0;

		glUseProgram(program);
		set_corners(corners, 8);
		clear_black();
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		tap(gl_pixel_is(1, 1, first << 24 | 0xffff, 0) &&
			    gl_pixel_is(14, 14, (first + 1) << 24 | 0xffff, 0),
		    "numbers of primitives %s a geometry shader", with ? "from" : "without");
		glDeleteProgram(program);
	}
}

/* Layers */

static const char layer_source[] =
	"#version 330\n"
	"layout(triangles) in;\n"
	"layout(triangle_strip, max_vertices = 18) out;\n"
	"uniform int layers;\n"
	"flat out vec4 shown;\n"
	"void main() {\n"
	"	for (int layer = 0; layer < layers; layer++) {\n"
	"		for (int i = 0; i < 3; i++) {\n"
	"			shown = vec4(1, layer * 40, 255, 255) / 255.0;\n"
	"			gl_Layer = layer;\n"
	"			gl_Position = gl_in[i].gl_Position;\n"
	"			EmitVertex();\n"
	"		}\n"
	"		EndPrimitive();\n"
	"	}\n"
	"}\n";

static bool layer_is(GLuint texture, GLenum target, int layer, int x, int y, uint32_t color)
{
	GLuint framebuffer;
	bool ok;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
	if (target == GL_TEXTURE_CUBE_MAP)
		glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
				       GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer, texture, 0);
	else
		glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0,
					  layer);
	ok = gl_pixel_is(x, y, color, 0);
	glDeleteFramebuffers(1, &framebuffer);
	return ok;
}

static void test_layers(GLenum target, const char *name)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1 };
	GLuint program = core_stages(vertex_source, layer_source, color_source), framebuffer,
	       texture, depth = 0;
	bool drawn = true, cleared = true, part = true;

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	if (target == GL_TEXTURE_CUBE_MAP)
		for (int face = 0; face < 6; face++)
			glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, CORE_SIZE,
				     CORE_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	else
		glTexImage3D(target, 0, GL_RGBA8, CORE_SIZE, CORE_SIZE, LAYERS, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
	if (target == GL_TEXTURE_2D_ARRAY) {
		glGenTextures(1, &depth);
		glBindTexture(target, depth);
		glTexImage3D(target, 0, GL_DEPTH_COMPONENT24, CORE_SIZE, CORE_SIZE, LAYERS, 0,
			     GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
		glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth, 0);
		glEnable(GL_DEPTH_TEST);
	}
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
	    "%s: layered framebuffer", name);
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "layers"), LAYERS);
	set_corners(corners, 6);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEnable(GL_SCISSOR_TEST);
	glScissor(14, 14, 2, 2);
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	glDisable(GL_DEPTH_TEST);
	for (int layer = 0; layer < LAYERS; layer++) {
		drawn &= layer_is(texture, target, layer, 1, 1,
				  1u << 24 | layer * 40 << 16 | 0xffff);
		cleared &= layer_is(texture, target, layer, 13, 13, WHITE);
		part &= layer_is(texture, target, layer, 15, 15, BLACK);
	}
	tap(drawn, "%s: each layer is drawn to", name);
	tap(cleared, "%s: all layers are cleared", name);
	tap(part, "%s: a part of all layers is cleared", name);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
	glDeleteTextures(1, &depth);
	glDeleteProgram(program);
}

/* Attachments with different numbers of layers are cleared in all their layers. */
static void test_uneven_layers(void)
{
	static const int layers[2] = { 2, 5 };
	static const GLenum buffers[2] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 };
	GLuint framebuffer, textures[2];
	bool cleared = true, part = true;

	glGenTextures(2, textures);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	for (int i = 0; i < 2; i++) {
		glBindTexture(GL_TEXTURE_2D_ARRAY, textures[i]);
		glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, CORE_SIZE, CORE_SIZE, layers[i], 0,
			     GL_RGBA, GL_UNSIGNED_BYTE, NULL);
		glFramebufferTexture(GL_FRAMEBUFFER, buffers[i], textures[i], 0);
	}
	glDrawBuffers(2, buffers);
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 3, 3);
	clear_black();
	glDisable(GL_SCISSOR_TEST);
	for (int i = 0; i < 2; i++) {
		for (int layer = 0; layer < layers[i]; layer++) {
			cleared &= layer_is(textures[i], GL_TEXTURE_2D_ARRAY, layer, 3, 3, WHITE);
			part &= layer_is(textures[i], GL_TEXTURE_2D_ARRAY, layer, 2, 2, BLACK);
		}
	}
	tap(cleared, "all layers of buffers that have not the same number are cleared");
	tap(part, "and so is a part of them");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(2, textures);
}

/* The compatibility profile's varyings together with so many others that the maximum is reached. */
static void test_many_legacy(void)
{
	char geometry[4096] = "#version 150 compatibility\nlayout(triangles) in;\n"
			      "layout(triangle_strip, max_vertices = 3) out;\n"
			      "out vec4 gl_TexCoord[5];\n";
	char fragment[4096] = "#version 150 compatibility\nin vec4 gl_TexCoord[5];\n", line[96];
	static const char vertex[] =
		"#version 150 compatibility\n"
		"in vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0, 1); }\n";
	GLuint program;

	for (int i = 0; i < 25; i++) {
		snprintf(line, sizeof(line), "out vec4 v%d;\n", i);
		strcat(geometry, line);
		snprintf(line, sizeof(line), "in vec4 v%d;\n", i);
		strcat(fragment, line);
	}
	strcat(geometry, "void main() { for (int i = 0; i < 3; i++) {\n"
			 "gl_Position = gl_in[i].gl_Position; gl_FrontColor = vec4(0.2);\n"
			 "for (int j = 0; j < 5; j++) gl_TexCoord[j] = vec4(j) / 50.0;\n");
	strcat(fragment, "void main() { vec4 sum = vec4(0); float texture = 0.0;\n");
	for (int i = 0; i < 25; i++) {
		snprintf(line, sizeof(line), "v%d = vec4(%d) / 510.0;\n", i, i);
		strcat(geometry, line);
		snprintf(line, sizeof(line), "sum += v%d;\n", i);
		strcat(fragment, line);
	}
	strcat(geometry, "EmitVertex(); } }\n");
	strcat(fragment, "for (int j = 0; j < 5; j++) texture += gl_TexCoord[j].x;\n"
			 "gl_FragColor = vec4(sum.x, gl_Color.x, texture, 1.0); }\n");
	program = core_stages(vertex, geometry, fragment);
	glUseProgram(program);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(3, 3, 150u << 24 | 0x3333ff, 1), "with 25 varyings of the program's own");
}

/*
 * The maximum number of vertices and invocations, with more output than a host device allows at
 * once. Only the last primitive is visible, as a point.
 */
static void test_large(void)
{
	static const char vertex[] =
		"#version 400\n"
		"uniform int last;\n"
		"flat out int seen;\n"
		"void main() { seen = int(gl_VertexID == last); "
		"gl_Position = vec4(0.0625, 0.0625, 0, 1); }\n";
	static const char source[] =
		"#version 400\n"
		"layout(%s, invocations = 32) in;\n"
		"layout(points, max_vertices = 256) out;\n"
		"flat in int seen[];\n"
		"void main() {\n"
		"	gl_Position = gl_in[0].gl_Position - vec4(0.125 * (gl_InvocationID & 7), "
		"0, 0, 0);\n"
		"	for (int i = 0; i < seen.length(); i++)\n"
		"		if (seen[i] != 0) EmitVertex();\n"
		"}\n";
	static const char fragment[] =
		"#version 400\n"
		"out vec4 color;\n"
		"void main() { color = vec4(1); }\n";
	static const struct {
		const char *name;
		GLenum mode;
		int count;
		GLuint primitives;
	} ways[] = {
		{ "points", GL_POINTS, 2500, 2500 }, { "lines", GL_LINES, 5000, 2500 },
		{ "lines", GL_LINE_STRIP, 2500, 2499 }, { "triangles", GL_TRIANGLES, 7500, 2500 },
		{ "triangles", GL_TRIANGLE_STRIP, 2500, 2498 },
		{ "triangles", GL_TRIANGLE_FAN, 80, 78 },
	};
	const GLuint arguments[] = { 2500, 1, 0, 0 };
	GLuint program, queries[2], made, run;
	char geometry[1024];

	glGenQueries(2, queries);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(geometry, sizeof(geometry), source, ways[i].name);
		program = core_stages(vertex, geometry, fragment);
		glUseProgram(program);
		glUniform1i(glGetUniformLocation(program, "last"), ways[i].count - 1);
		clear_black();
		glBeginQuery(GL_PRIMITIVES_GENERATED, queries[0]);
		glBeginQuery(GL_GEOMETRY_SHADER_INVOCATIONS, queries[1]);
		glDrawArrays(ways[i].mode, 0, ways[i].count);
		glEndQuery(GL_PRIMITIVES_GENERATED);
		glEndQuery(GL_GEOMETRY_SHADER_INVOCATIONS);
		glGetQueryObjectuiv(queries[0], GL_QUERY_RESULT, &made);
		glGetQueryObjectuiv(queries[1], GL_QUERY_RESULT, &run);
		tap(made == 32 && run && run % ways[i].primitives == 0 &&
		    gl_pixel_is(8, 8, 0xffffffff, 0) && gl_pixel_is(1, 8, 0xffffffff, 0) &&
		    gl_pixel_is(9, 8, BLACK, 0),
		    "%d vertices of mode %u in invocations of 256 vertices: %u points of %u",
		    ways[i].count, ways[i].mode, made, run);
	}
	snprintf(geometry, sizeof(geometry), source, "points");
	program = core_stages(vertex, geometry, fragment);
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "last"), 2499);
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(arguments), arguments);
	clear_black();
	glDrawArraysIndirect(GL_POINTS, NULL);
	tap(gl_pixel_is(8, 8, 0xffffffff, 0) && gl_pixel_is(9, 8, BLACK, 0),
	    "and with their number in a buffer");
	glDeleteQueries(2, queries);
}

/* Varyings of the compatibility profile. */
static void test_legacy(void)
{
	static const char vertex[] =
		"#version 150 compatibility\n"
		"in vec2 vertex;\n"
		"void main() {\n"
		"	gl_Position = vec4(vertex, 0, 1);\n"
		"	gl_FrontColor = vec4(0.2, 0, 0, 1);\n"
		"	gl_BackColor = vec4(0, 0, 1, 1);\n"
		"	gl_TexCoord[0] = vec4(0, 0.4, 0, 0);\n"
		"	gl_TexCoord[3] = vec4(0, 0, 0.6, 0);\n"
		"}\n";
	static const char geometry[] =
		"#version 150 compatibility\n"
		"layout(triangles) in;\n"
		"layout(triangle_strip, max_vertices = 3) out;\n"
		"void main() {\n"
		"	for (int i = 0; i < 3; i++) {\n"
		"		gl_Position = gl_in[i].gl_Position;\n"
		"		gl_FrontColor = gl_in[i].gl_FrontColor;\n"
		"		gl_BackColor = gl_in[i].gl_BackColor;\n"
		"		gl_TexCoord[0] = gl_in[i].gl_TexCoord[0];\n"
		"		gl_TexCoord[3] = gl_in[i].gl_TexCoord[3];\n"
		"		EmitVertex();\n"
		"	}\n"
		"}\n";
	static const char fragment[] =
		"#version 150 compatibility\n"
		"void main() { gl_FragColor = gl_Color + gl_TexCoord[0] + gl_TexCoord[3]; }\n";
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1 };
	GLuint program;

	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(CORE_SIZE, 0), CORE_SIZE, CORE_SIZE);
	glGenBuffers(1, &buffer);
	program = core_stages(vertex, geometry, fragment);
	glUseProgram(program);
	set_corners(corners, 6);
	clear_black();
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(3, 3, 0x336699ff, 1),
	    "colours and texture coordinates of the compatibility profile");
	test_many_legacy();
	tap(core_no_error(), "and there is no error to tell");
	gl_close();
}

int main(void)
{
	GLint picture;

	core_open();
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &picture);
	glGenBuffers(1, &buffer);
	test_points();
	test_inputs();
	test_strips();
	test_interfaces();
	test_point_size();
	test_varyings();
	test_primitive_id();
	test_layers(GL_TEXTURE_2D_ARRAY, "array");
	test_layers(GL_TEXTURE_CUBE_MAP, "cube");
	test_layers(GL_TEXTURE_3D, "volume");
	test_uneven_layers();
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	test_large();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	test_legacy();
	return tap_failures() != 0;
}

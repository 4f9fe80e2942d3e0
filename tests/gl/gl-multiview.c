// SPDX-License-Identifier: MIT
/*
 * Views (GL_OVR_multiview2): one draw to several layers, with gl_ViewID_OVR. Prints TAP.
 * usage: gl-multiview [outlines]: with an argument, only tests unfilled polygons, which the
 * installed lavapipe draws to the first view only
 */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>

#include <GL/glext.h>

#define LAYERS 8
/* First layer of the views. */
#define BASE 1

#define HEAD(n)							\
	"#version 430\n"					\
	"#extension GL_OVR_multiview2: require\n"		\
	"layout(num_views = " #n ") in;\n"

static const GLfloat cover[] = { -1, -1, 3, -1, -1, 3 };
static const uint32_t black = 0xff;

/*
 * The triangle ends at the middle of the picture in view 0, and one pixel further in each next
 * view.
 */
static const char move_3[] = HEAD(3)
	"in vec4 vertex;\n"
	"out float gl_ClipDistance[1];\n"
	"void main() {\n"
	"	gl_Position = vertex;\n"
	"	gl_ClipDistance[0] = float(gl_ViewID_OVR) / 8.0 - vertex.x;\n"
	"}\n";
static const char plain_3[] = HEAD(3) "in vec4 vertex; void main() { gl_Position = vertex; }\n";
static const char plain_6[] = HEAD(6) "in vec4 vertex; void main() { gl_Position = vertex; }\n";
static const char colours[] =
	"#version 430\n"
	"#extension GL_OVR_multiview2: require\n"
	"out vec4 colour;\n"
	"void main() {\n"
	"	colour = vec4(gl_ViewID_OVR == 0u, gl_ViewID_OVR == 1u, "
	"float(gl_ViewID_OVR) * 0.2, 1.0);\n"
	"}\n";
static const char white[] = "#version 430\nout vec4 colour; void main() { colour = vec4(1.0); }\n";

static PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC attach_views;
static PFNGLBLENDBARRIERKHRPROC blend_barrier;

static struct {
	GLuint texture, depth;		/* LAYERS layers */
	GLuint views;			/* framebuffer of the layers from BASE on */
	GLuint layer;			/* framebuffer to read one layer */
} scene;

static GLuint array_new(GLenum format)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, format, CORE_SIZE, CORE_SIZE, LAYERS);
	return texture;
}

/* Makes all layers black, and @n of them views. */
static void begin(int n, bool depth)
{
	glDisable(GL_DEPTH_TEST);
	for (int i = 0; i < LAYERS; i++) {
		glBindFramebuffer(GL_FRAMEBUFFER, scene.layer);
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, scene.texture, 0,
					  i);
		glClearColor(0, 0, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, scene.views);
	attach_views(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, scene.texture, 0, BASE, n);
	attach_views(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth ? scene.depth : 0, 0, BASE, n);
}

static uint32_t seen(int layer, int x, int y)
{
	glBindFramebuffer(GL_FRAMEBUFFER, scene.layer);
	glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, scene.texture, 0, layer);
	return gl_pixel(x, y);
}

static bool are_seen(int x, int y, int n, const uint32_t *expected)
{
	bool right = true;

	for (int i = 0; i < LAYERS; i++) {
		const uint32_t wanted = i >= BASE && i < BASE + n ? expected[i - BASE] : black;
		const uint32_t is = seen(i, x, y);

		if (is != wanted)
			printf("# layer %d at %d, %d: %08x, not %08x\n", i, x, y, is, wanted);
		right &= is == wanted;
	}
	return right;
}

static void draw(const char *vertex, const char *fragment, int instances)
{
	GLuint program = core_stages(vertex, NULL, fragment);

	glUseProgram(program);
	glDrawArraysInstanced(GL_TRIANGLES, 0, 3, instances);
	glDeleteProgram(program);
}

static void test_numbers(void)
{
	static const uint32_t numbers[] = {
		0xff0000ff, 0x00ff33ff, 0x000066ff, 0x000099ff, 0x0000ccff, 0x0000ffff,
	};
	static const uint32_t whites[] = { 0xffffffff, 0xffffffff, 0xffffffff };
	static const uint32_t further[][3] = {
		{ 0x000000ff, 0xffffffff, 0xffffffff }, { 0x000000ff, 0x000000ff, 0xffffffff },
	};

	begin(3, false);
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
	    "a framebuffer of views is complete");
	draw(plain_3, colours, 1);
	tap(are_seen(5, 5, 3, numbers), "fragments know their view");
	begin(6, false);
	draw(plain_6, colours, 1);
	tap(are_seen(5, 5, 6, numbers), "there are six");
	begin(3, false);
	glEnable(GL_CLIP_DISTANCE0);
	draw(move_3, white, 1);
	glDisable(GL_CLIP_DISTANCE0);
	tap(are_seen(7, 3, 3, whites) && are_seen(8, 3, 3, further[0]) &&
		    are_seen(9, 3, 3, further[1]),
	    "so do vertices");
}

/* Unfilled polygons take another path, through more stages. */
static void test_outlines(void)
{
	static const char small[] = HEAD(3)
		"in vec4 vertex;\n"
		"void main() { gl_Position = vec4(vertex.xy * 0.5 + 1.0 / 16.0, 0.0, 1.0); }\n";
	static const uint32_t numbers[] = { 0xff0000ff, 0x00ff33ff, 0x000066ff };
	static const uint32_t none[] = { 0xff, 0xff, 0xff };

	begin(3, false);
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	draw(small, colours, 1);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	tap(are_seen(8, 4, 3, numbers) && are_seen(7, 7, 3, none),
	    "outlines are in the views that they are drawn in");
}

static void test_clears(void)
{
	static const uint32_t clear[] = { 0x336699ff, 0x336699ff, 0x336699ff };
	static const uint32_t numbers[] = { 0xff0000ff, 0x00ff33ff, 0x000066ff };
	static const uint32_t red[] = { 0x330000ff, 0x33ff33ff, 0x330066ff };
	static const uint32_t green[] = { 0x33ff00ff, 0x33ff33ff, 0x33ff66ff };

	begin(3, false);
	glClearColor(0.2f, 0.4f, 0.6f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	tap(are_seen(5, 5, 3, clear), "a clear is of all views");
	begin(3, false);
	draw(plain_3, colours, 1);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 8, 8);
	glClearColor(0.2f, 0.4f, 0.6f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	tap(are_seen(5, 5, 3, clear) && are_seen(9, 9, 3, numbers),
	    "so is one of a part, behind a draw");
	begin(3, false);
	draw(plain_3, colours, 1);
	glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_FALSE);
	glClearColor(0.2f, 0.4f, 0.6f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	tap(are_seen(5, 5, 3, red), "and one of a component");
	glBindFramebuffer(GL_FRAMEBUFFER, scene.views);
	glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_FALSE);
	glClearColor(0, 1, 0, 0);
	glClear(GL_COLOR_BUFFER_BIT);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	tap(are_seen(5, 5, 3, green), "and of another one");
}

/* The second triangle is nearer in view 1 only. */
static void test_depth(void)
{
	static const char deep[] = HEAD(3)
		"in vec4 vertex;\n"
		"void main() { gl_Position = vec4(vertex.xy, gl_ViewID_OVR == 1u ? -0.5 : 0.5, "
		"1.0); }\n";

	begin(3, true);
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	glEnable(GL_DEPTH_TEST);
	draw(plain_3, colours, 1);
	draw(deep, white, 1);
	glDisable(GL_DEPTH_TEST);
	tap(are_seen(5, 5, 3, (const uint32_t[]){ 0xff0000ff, 0xffffffff, 0x000066ff }),
	    "each view has its depths");
}

static GLuint counted(GLenum target, const char *vertex, int instances)
{
	GLuint query, value;

	begin(3, false);
	glGenQueries(1, &query);
	glBeginQuery(target, query);
	draw(vertex, white, instances);
	glEndQuery(target);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
	glDeleteQueries(1, &query);
	return value;
}

static void test_queries(void)
{
	const GLuint all = CORE_SIZE * CORE_SIZE;
	GLuint queries[2], value;

	value = counted(GL_SAMPLES_PASSED, plain_3, 1);
	tap(value >= all && value <= 3 * all, "samples are counted: %u", value);
	tap(counted(GL_ANY_SAMPLES_PASSED, plain_3, 1) == GL_TRUE, "there are some");
	value = counted(GL_PRIMITIVES_GENERATED, plain_3, 5);
	tap(value >= 5 && value <= 15, "so are primitives: %u", value);
	counted(GL_TIME_ELAPSED, plain_3, 1);
	tap(core_no_error(), "time that goes by is no error");

	/* Two queries at once over many draws need more query slots than there are. */
	glGenQueries(2, queries);
	begin(3, false);
	glBeginQuery(GL_SAMPLES_PASSED, queries[0]);
	glBeginQuery(GL_PRIMITIVES_GENERATED, queries[1]);
	for (int i = 0; i < 50; i++) {
		glPolygonMode(GL_FRONT_AND_BACK, i % 2 ? GL_FILL : GL_LINE);
		draw(plain_3, i % 3 ? white : colours, 1);
		if (i % 7 == 0)
			glFlush();
	}
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	glEndQuery(GL_SAMPLES_PASSED);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	glGetQueryObjectuiv(queries[1], GL_QUERY_RESULT, &value);
	tap(value >= 50 && core_no_error(), "many draws are counted: %u", value);
	glDeleteQueries(2, queries);
}

/* Draws that OpenGL does not allow with views must not lose the context. */
static void test_others(void)
{
	static const char layers[] =
		"#version 430\n"
		"#extension GL_ARB_shader_viewport_layer_array: require\n"
		"in vec4 vertex;\n"
		"void main() { gl_Position = vertex; gl_Layer = gl_InstanceID; }\n";
	static const char reads_layer[] =
		"#version 430\n"
		"out vec4 colour;\n"
		"void main() { colour = gl_Layer == 0 ? vec4(1.0) : vec4(0.5); }\n";
	static const char *const captured = "gl_Position";
	static const uint32_t numbers[] = { 0xff0000ff, 0x00ff33ff, 0x000066ff };
	GLuint program = core_program(plain_3, colours, 1, &captured, GL_INTERLEAVED_ATTRIBS);
	GLuint buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL);

	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	begin(3, false);
	glUseProgram(program);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEndTransformFeedback();
	while (glGetError() != GL_NO_ERROR)
		;
	glDeleteProgram(program);
	begin(3, false);
	draw(plain_3, colours, 1);
	tap(are_seen(5, 5, 3, numbers), "views are drawn to after feedback");
	begin(3, false);
	draw(layers, white, 2);
	tap(are_seen(5, 5, 3, (const uint32_t[]){ ~0u, ~0u, ~0u }),
	    "a layer that a shader writes is none of views");
	begin(3, false);
	draw(plain_3, colours, 1);
	draw(plain_3, reads_layer, 1);
	tap(are_seen(5, 5, 3, (const uint32_t[]){ ~0u, ~0u, ~0u }), "and 0 to those who read it");
	glBindFramebuffer(GL_FRAMEBUFFER, scene.layer);
	draw(plain_3, colours, 1);
	tap(gl_pixel(5, 5) == 0xff0000ff, "without views it is the first one");
}

static void test_blending(void)
{
	static const char multiplied[] =
		"#version 430\n"
		"#extension GL_KHR_blend_equation_advanced: require\n"
		"layout(blend_support_multiply) out;\n"
		"out vec4 colour;\n"
		"void main() { colour = vec4(1.0, 0.4, 0.6, 1.0); }\n";

	begin(3, false);
	draw(plain_3, colours, 1);
	blend_barrier();
	glEnable(GL_BLEND);
	glBlendEquation(GL_MULTIPLY_KHR);
	draw(plain_3, multiplied, 1);
	glDisable(GL_BLEND);
	glBlendEquation(GL_FUNC_ADD);
	tap(are_seen(5, 5, 3, (const uint32_t[]){ 0xff0000ff, 0x00661fff, 0x00003dff }),
	    "equations see their view's colour");
}

/* A renderbuffer or a single layer that replaces views leaves no views in the attachment. */
static void test_attachments(void)
{
	GLuint framebuffer, buffer;

	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, CORE_SIZE, CORE_SIZE);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	attach_views(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, scene.texture, 0, BASE, 3);
	attach_views(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, scene.depth, 0, BASE, 3);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_INCOMPLETE_VIEW_TARGETS_OVR,
	    "views and a renderbuffer are not complete");
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	tap(glGetError() == GL_INVALID_FRAMEBUFFER_OPERATION, "nor cleared");
	glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, scene.texture, 0, 0);
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
	    "a layer and a renderbuffer are");
	glClearColor(0, 1, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	tap(gl_pixel(5, 5) == 0x00ff00ff && core_no_error(), "and cleared");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &buffer);
}

/* gl_ViewID_OVR exists in compute shaders, too, as an unsigned number. */
static void test_compute(void)
{
	GLuint buffer = core_words(4, 7);
	uint32_t words[4] = { 0 };

	glUseProgram(core_compute("#version 430\n"
				  "#extension GL_OVR_multiview2: require\n"
				  "layout(local_size_x = 1) in;\n"
				  "layout(std430, binding = 0) buffer Out { uint words[]; };\n"
				  "uint number(uint n) { return n; }\n"
				  "uint number(float n) { return 50u; }\n"
				  "void main() { words[1] = number(gl_ViewID_OVR) + 3u; }\n"));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(1, 1, 1);
	core_read_words(buffer, 0, words, 4);
	tap(words[1] == 3 && words[0] == 7, "compute shaders are no view");
}

static void test_all(void)
{
	test_numbers();
	test_clears();
	test_depth();
	test_queries();
	test_others();
	test_blending();
	test_attachments();
	test_compute();
}

int main(int argc, char **argv)
{
	core_open();
	attach_views = (PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC)eglGetProcAddress(
		"glFramebufferTextureMultiviewOVR");
	blend_barrier = (PFNGLBLENDBARRIERKHRPROC)eglGetProcAddress("glBlendBarrierKHR");
	scene.texture = array_new(GL_RGBA8);
	scene.depth = array_new(GL_DEPTH_COMPONENT24);
	glGenFramebuffers(1, &scene.views);
	glGenFramebuffers(1, &scene.layer);
	core_buffer(GL_ARRAY_BUFFER, sizeof(cover), cover);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	if (argc > 1 && !strcmp(argv[1], "outlines"))
		test_outlines();
	else
		test_all();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

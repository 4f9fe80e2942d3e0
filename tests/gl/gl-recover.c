// SPDX-License-Identifier: MIT
/*
 * A crash of the renderer's worker costs at most a few frames: the test kills the worker, and
 * contexts that did not ask for reset notification draw on. A picture depends on all kinds of
 * objects and is checked colour by colour before, during and after that; a context that ends its
 * workers again and again is lost for good. Argument: number of kills of each kind, or "hang":
 * shaders that do not end. Prints TAP.
 */
#include "gl-core.h"
#include "sundog.h"
#include "workers.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WRONG 3	/* frames that a crash may cost */
#define KILLS 3		/* of each kind, unless the argument is a number */
#define WORK 2000	/* draws that keep a worker busy */
#define VRAM_SIZE (16 << 20)
#define CALM 16		/* frames after which a crash does not count as the next one in a row */

static const char vertex_source[] =
	"#version 430\n"
	"in vec2 vertex;\n"
	"out vec4 captured;\n"
	"void main() { gl_Position = captured = vec4(vertex, 0.0, 1.0); }\n";

static const char captured_source[] =
	"#version 430\n"
	"in vec4 vertex;\n"
	"void main() { gl_Position = vertex; }\n";

static const char plain_source[] =
	"#version 430\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

/* Each source of colours fills a column, two pixels wide. */
static const char columns_source[] =
	"#version 430\n"
	"layout(binding = 0) uniform sampler2D sampled;\n"
	"layout(binding = 1) uniform samplerBuffer texels;\n"
	"layout(binding = 2) uniform sampler2D drawn;\n"
	"layout(binding = 0, std140) uniform block { vec4 blocks; };\n"
	"layout(binding = 0, std430) buffer words { vec4 stored; };\n"
	"layout(binding = 0, rgba8) uniform readonly image2D image;\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	switch (int(gl_FragCoord.x) / 2) {\n"
	"	case 0: result = textureLod(sampled, vec2(0.5), 0.0); break;\n"
	"	case 1: result = textureLod(sampled, vec2(0.5), 1.0); break;\n"
	"	case 2: result = texelFetch(texels, 1); break;\n"
	"	case 3: result = blocks; break;\n"
	"	case 4: result = stored; break;\n"
	"	case 5: result = imageLoad(image, ivec2(0)); break;\n"
	"	case 6: result = texture(drawn, vec2(0.5)); break;\n"
	"	default: result = color; break;\n"
	"	}\n"
	"}\n";

static const char compute_source[] =
	"#version 430\n"
	"layout(local_size_x = 1) in;\n"
	"layout(binding = 0, std430) buffer words { vec4 stored; };\n"
	"layout(binding = 0, rgba8) uniform writeonly image2D image;\n"
	"uniform vec4 color;\n"
	"void main() { stored = color; imageStore(image, ivec2(0), vec4(1.0) - color); }\n";

/* The colours of the columns. */
static const uint32_t expected[8] = {
	0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff, 0x00ff0000, 0xff00ffff, 0x00ffffff,
	0xffffffff,
};

static struct scene {
	GLuint sampled, columns, plain, captured, compute;
	GLuint feedback, query, texels;
	GLuint quad_array, captured_array;
	GLuint picture, target;	/* framebuffers */
} scene;

static GLuint framebuffer_of(GLuint texture)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	return framebuffer;
}

static GLuint array_of(GLuint buffer, int components)
{
	GLuint array;

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glVertexAttribPointer(0, components, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	return array;
}

static void set_color(GLuint program, float r, float g, float b, float a)
{
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), r, g, b, a);
}

/* Level 0 is red, level 1 green. */
static void make_sampled(void)
{
	static const uint32_t red[4] = { 0xff0000ff, 0xff0000ff, 0xff0000ff, 0xff0000ff },
			      green = 0xff00ff00;
	GLuint texture, sampler;

	glActiveTexture(GL_TEXTURE0);
	glGenTextures(1, &texture);
	scene.sampled = texture;
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, red);
	glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, &green);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
	glGenSamplers(1, &sampler);
	glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	glBindSampler(0, sampler);
}

/*
 * The second texel is blue. The driver does not replace the memory of so large a buffer when it is
 * busy.
 */
static void make_texels(void)
{
	static uint32_t texels[1 << 20] = { 0, 0xffff0000 };
	GLuint texture;

	glActiveTexture(GL_TEXTURE1);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_BUFFER, texture);
	scene.texels = core_buffer(GL_TEXTURE_BUFFER, sizeof(texels), texels);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, scene.texels);
}

static void make_image(void)
{
	GLuint texture;

	glActiveTexture(GL_TEXTURE3);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
	glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA8);
}

static void make_programs(void)
{
	static const char *const varying = "captured";
	const struct core_shader compute[] = { { GL_COMPUTE_SHADER, compute_source }, { 0 } };

	scene.columns = core_program(vertex_source, columns_source, 1, &varying,
				     GL_INTERLEAVED_ATTRIBS);
	scene.plain = core_program(vertex_source, plain_source, 1, &varying,
				   GL_INTERLEAVED_ATTRIBS);
	scene.captured = core_program(captured_source, plain_source, 0, NULL, 0);
	scene.compute = core_link(compute, 0, NULL, 0);
	set_color(scene.columns, 1, 1, 1, 1);
	set_color(scene.captured, 0, 1, 1, 1);
	set_color(scene.compute, 0, 1, 0, 0);
}

static void make_buffers(void)
{
	static const float corners[8] = { -1, -1, 1, -1, -1, 1, 1, 1 }, yellow[4] = { 1, 1, 0, 1 };
	GLuint captured = core_buffer(GL_ARRAY_BUFFER, 256, NULL);

	scene.captured_array = array_of(captured, 4);
	scene.quad_array = array_of(core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners), 2);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, core_words(4, 0));
	glBindBufferBase(GL_UNIFORM_BUFFER, 0,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(yellow), yellow));
	glGenTransformFeedbacks(1, &scene.feedback);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, scene.feedback);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
}

static void scene_new(void)
{
	core_open();
	make_programs();
	make_sampled();
	make_texels();
	make_buffers();
	make_image();
	glActiveTexture(GL_TEXTURE2);
	scene.target = framebuffer_of(gl_texture_new(4, 0));
	glActiveTexture(GL_TEXTURE3);
	scene.picture = framebuffer_of(gl_texture_new(CORE_SIZE, 0));
	glGenQueries(1, &scene.query);
}

/* Captures the two triangles of the quad. */
static void capture(void)
{
	glBindFramebuffer(GL_FRAMEBUFFER, scene.picture);
	glBindVertexArray(scene.quad_array);
	glUseProgram(scene.plain);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
}

/* Draws the captured vertices to the texture of column 6. */
static void draw_captured(void)
{
	glBindFramebuffer(GL_FRAMEBUFFER, scene.target);
	glViewport(0, 0, 4, 4);
	glClear(GL_COLOR_BUFFER_BIT);
	glBindVertexArray(scene.captured_array);
	glUseProgram(scene.captured);
	glDrawTransformFeedback(GL_TRIANGLES, scene.feedback);
}

static void draw_columns(int times)
{
	glBindFramebuffer(GL_FRAMEBUFFER, scene.picture);
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glClear(GL_COLOR_BUFFER_BIT);
	glBindVertexArray(scene.quad_array);
	glUseProgram(scene.columns);
	glBeginQuery(GL_SAMPLES_PASSED, scene.query);
	while (times--)
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glEndQuery(GL_SAMPLES_PASSED);
}

static void draw_frame(int times)
{
	glUseProgram(scene.compute);
	glDispatchCompute(1, 1, 1);
	glMemoryBarrier(GL_ALL_BARRIER_BITS);
	capture();
	draw_captured();
	draw_columns(times);
}

/* Returns true if the picture is right and the query counted @samples. */
static bool is_right(GLuint samples)
{
	GLuint counted;

	glGetQueryObjectuiv(scene.query, GL_QUERY_RESULT, &counted);
	for (int i = 0; i < 8; i++)
		if (!gl_pixel_is(2 * i + 1, CORE_SIZE / 2, expected[i], 0))
			return false;
	return counted == samples;
}

/* Returns the number of wrong frames before a right one, or MAX_WRONG + 1. */
static int wrong_frames(void)
{
	int n;

	for (n = 0; n <= MAX_WRONG; n++) {
		draw_frame(1);
		if (is_right(CORE_SIZE * CORE_SIZE))
			break;
	}
	return n;
}

static bool are_right(int frames)
{
	while (frames--) {
		draw_frame(1);
		if (!is_right(CORE_SIZE * CORE_SIZE))
			return false;
	}
	return true;
}

/*
 * Kills the worker. The next frame knows of it, because the renderer reports the end of a worker
 * before it answers a new client.
 */
static void kill_now(void)
{
	struct sdrm_device *client;

	workers_kill();
	client = sdrm_device_new_direct(getenv("SUNDOG_SOCKET"), VRAM_SIZE);
	if (!client)
		err(1, "the renderer takes no client");
	sdrm_device_del(client);
}

static void kill_at_work(int i)
{
	draw_frame(WORK);
	glFlush();
	usleep(i * 1000);
	kill_now();
}

/* Nothing is in flight, so nothing is lost. */
static void kill_idle(void)
{
	glFinish();
	kill_now();
}

static void test_idle(int kills)
{
	int wrong = 0;

	for (int i = 0; i < kills; i++) {
		kill_idle();
		wrong += wrong_frames();
	}
	tap(wrong == 0,
	    "a worker that has nothing to do is killed %d times, and no frame is wrong (%d)", kills,
	    wrong);
}

static void test_busy(int kills)
{
	int wrong = 0, most = 0;
	bool calm = true;

	for (int i = 0; i < kills; i++) {
		int n;

		calm &= are_right(CALM);
		kill_at_work(i);
		n = wrong_frames();
		most = n > most ? n : most;
		wrong += n;
	}
	tap(calm && most <= MAX_WRONG, "one at work is killed %d times, and %d frames are wrong",
	    kills, wrong);
}

/* Kills the worker while the driver emits a frame. */
static void test_within(int kills)
{
	int most = 0;

	for (int i = 0; i < kills; i++) {
		int n;

		are_right(CALM);
		capture();
		if (i % 2)
			glFlush();
		workers_kill();
		draw_captured();
		draw_columns(1);
		n = wrong_frames();
		most = n > most ? n : most;
	}
	tap(most <= MAX_WRONG,
	    "one is killed in the middle of a frame, %d times, and the picture is right again",
	    kills);
}

/* Only the killed worker knew how much was captured. */
static void test_captured(void)
{
	are_right(CALM);
	capture();
	kill_idle();
	draw_captured();
	draw_columns(1);
	tap(is_right(CORE_SIZE * CORE_SIZE), "what was captured before is drawn");
}

/* Feedback is resumed after the worker in which it began has ended. */
static void test_paused(void)
{
	are_right(CALM);
	glBindFramebuffer(GL_FRAMEBUFFER, scene.picture);
	glBindVertexArray(scene.quad_array);
	glUseProgram(scene.plain);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glPauseTransformFeedback();
	kill_idle();
	glResumeTransformFeedback();
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glEndTransformFeedback();
	tap(wrong_frames() == 0, "feedback that was paused does not stand in the way");
}

/* The first of the two time stamps of the query is lost with the worker. */
static void test_time(void)
{
	GLuint query;
	GLuint64 ns;

	are_right(CALM);
	glGenQueries(1, &query);
	glBeginQuery(GL_TIME_ELAPSED, query);
	kill_at_work(0);
	glEndQuery(GL_TIME_ELAPSED);
	glGetQueryObjectui64v(query, GL_QUERY_RESULT, &ns);
	tap(ns < 60000000000, "a time that was lost in part is none (%.0f ns)", (double)ns);
	glDeleteQueries(1, &query);
}

/* Memory keeps its contents: a texture that was drawn to once, and one that was only uploaded. */
static void test_memory(void)
{
	static const uint32_t green = 0x008000ff;
	GLuint texture = gl_texture_new(CORE_SIZE, 0), framebuffer = framebuffer_of(texture);

	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, green);
	kill_idle();
	are_right(1);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	tap(gl_pixel_is(3, 3, green, 0), "a picture of before is there");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
}

static void upload(uint32_t color, uint32_t texel)
{
	const uint32_t colors[4] = { color, color, color, color };

	glActiveTexture(GL_TEXTURE0);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, colors);
	glActiveTexture(GL_TEXTURE3);
	glBindBuffer(GL_TEXTURE_BUFFER, scene.texels);
	glBufferSubData(GL_TEXTURE_BUFFER, sizeof(texel), sizeof(texel), &texel);
}

/*
 * A texture and a buffer get their old contents again while the worker that uses them has not done
 * so.
 */
static void test_uploads(int kills)
{
	bool right = true;

	for (int i = 0; i < kills; i++) {
		are_right(CALM);
		upload(0, 0);
		draw_frame(WORK);
		glFlush();
		upload(0xff0000ff, 0xffff0000);
		if (i % 2)
			glFlush();
		kill_now();
		right &= wrong_frames() <= MAX_WRONG;
	}
	tap(right, "what was uploaded while the worker ended is there, %d times", kills);
}

static void upload_sampled(uint32_t color)
{
	const uint32_t texels[4] = { color, color, color, color };

	glActiveTexture(GL_TEXTURE0);
	glBindTexture(GL_TEXTURE_2D, scene.sampled);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/*
 * Another context uploads data that the first one draws with; then it waits for all its work, or is
 * destroyed.
 */
static void test_upload_of_another(bool ends)
{
	EGLContext first = gl.context, second = gl_context_new(first);

	are_right(CALM);
	upload_sampled(0);
	draw_frame(WORK);
	glFlush();
	gl_use(second);
	upload_sampled(0xff0000ff);
	glFlush();
	kill_now();
	if (!ends)
		glFinish();
	gl_use(first);
	if (ends)
		eglDestroyContext(gl.display, second);
	tap(wrong_frames() <= MAX_WRONG && are_right(CALM),
	    "what a context uploaded that %s is there", ends ? "ended" : "finished");
	if (!ends)
		eglDestroyContext(gl.display, second);
}

/* Two uploads, neither of which the killed worker may have done: the second one counts. */
static void test_last_upload(void)
{
	are_right(CALM);
	draw_frame(WORK);
	glFlush();
	upload(0, 0);
	kill_now();
	upload(0xff0000ff, 0xffff0000);
	tap(wrong_frames() <= MAX_WRONG && are_right(CALM), "the last upload is what is there");
}

/* Uploads while the worker is busy, so that the upload has to wait for it. */
static void upload_at_work(void)
{
	are_right(CALM);
	upload(0, 0);
	draw_frame(WORK);
	glFlush();
	upload(0xff0000ff, 0xffff0000);
}

static void test_read_back(void)
{
	uint32_t texel = 0;

	upload_at_work();
	glFlush();
	kill_now();
	glGetBufferSubData(GL_TEXTURE_BUFFER, sizeof(texel), sizeof(texel), &texel);
	tap(texel == 0xffff0000, "the CPU reads what was uploaded, too (%08x)", texel);
	are_right(CALM);
}

/* The CPU writes to another part of the buffer without synchronisation. */
static void test_unsynchronized(void)
{
	uint32_t *map;

	upload_at_work();
	map = glMapBufferRange(GL_TEXTURE_BUFFER, 2 * sizeof(*map), sizeof(*map),
			       GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT);
	if (map)
		*map = 1;
	glUnmapBuffer(GL_TEXTURE_BUFFER);
	glFlush();
	kill_now();
	tap(map && wrong_frames() <= MAX_WRONG && are_right(CALM),
	    "an upload outlives a write beside it");
}

/* The first object that is made for the new worker is a shader of a middle stage. */
static void test_middle_shader(void)
{
	static const char vertex[] = "#version 430\n"
				     "void main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, "
				     "gl_VertexID / 2 * 4 - 1, 0, 1); }\n";
	static const char evaluation[] =
		"#version 430\n"
		"layout(triangles) in;\n"
		"void main()\n"
		"{\n"
		"	gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + "
		"gl_TessCoord.y * gl_in[1].gl_Position +\n"
		"		gl_TessCoord.z * gl_in[2].gl_Position;\n"
		"}\n";
	static const char fragment[] = "#version 430\n"
				       "out vec4 color;\n"
				       "void main() { color = vec4(0, 1, 0, 1); }\n";
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex },
		{ GL_TESS_EVALUATION_SHADER, evaluation },
		{ GL_FRAGMENT_SHADER, fragment },
		{ 0 },
	};

	are_right(CALM);
	glUseProgram(core_link(shaders, 0, NULL, 0));
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glDrawArrays(GL_PATCHES, 0, 3);
	kill_idle();
	/* The driver's own control shader differs for each number of vertices in a patch. */
	glPatchParameteri(GL_PATCH_VERTICES, 4);
	glDrawArrays(GL_PATCHES, 0, 4);
	tap(gl_pixel_is(3, 3, 0x00ff00ff, 0), "a control shader may be what is made first");
	tap(are_right(CALM), "and the picture is right");
}

/* Deletes objects that only the old worker had. */
static void test_deleted(void)
{
	GLuint textures[8], buffers[8];

	for (int i = 0; i < 8; i++) {
		textures[i] = gl_texture_new(4, 0);
		framebuffer_of(textures[i]);
		glClear(GL_COLOR_BUFFER_BIT);
		buffers[i] = core_words(16, 1);
	}
	kill_idle();
	glDeleteTextures(8, textures);
	glDeleteBuffers(8, buffers);
	tap(wrong_frames() == 0 && are_right(CALM),
	    "objects that ended with the worker can be deleted");
}

static void test_others(void)
{
	EGLContext first = gl.context, second = gl_context_new(first);
	GLuint texture, framebuffer;

	are_right(CALM);
	texture = gl_texture_new(CORE_SIZE, expected[0]);
	gl_use(second);
	framebuffer = framebuffer_of(texture);
	tap(gl_pixel_is(1, 1, expected[0], 0), "another context reads a texture");
	gl_use(first);
	kill_at_work(3);
	gl_use(second);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, expected[1]);
	tap(gl_pixel_is(1, 1, expected[1], 0),
	    "and draws to it, when the first one lost the worker of both");
	glDeleteFramebuffers(1, &framebuffer);
	gl_use(first);
	tap(wrong_frames() <= MAX_WRONG, "and so does the first");
	eglDestroyContext(gl.display, second);
}

static const char endless_source[] =
	"#version 430\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	float sum = 0.0;\n"
	"	while (sum < 1.0)\n"
	"		sum += color.x * 0.001;\n"
	"	result = vec4(sum);\n"
	"}\n";

static void draw_for_ever(void)
{
	static GLuint endless;

	if (!endless)
		endless = core_stages(captured_source, NULL, endless_source);
	glBindFramebuffer(GL_FRAMEBUFFER, scene.picture);
	glBindVertexArray(scene.quad_array);
	set_color(endless, 0, 0, 0, 0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/*
 * Ends with a scene that is lost. On a busy machine the test may kill a worker before it starts the
 * draw, which does not count against the scene; therefore each wait is longer than the one before.
 */
static void test_again_and_again(void)
{
	bool lost = false;

	for (int i = 1; i <= 20 && !lost; i++) {
		for (int j = 0; j < 5; j++) {
			draw_for_ever();
			glFlush();
			usleep(i * 10000);
			kill_now();
		}
		lost = wrong_frames() > MAX_WRONG;
	}
	tap(lost, "who ends his workers at once, always, is lost for good");
}

static void hang(void)
{
	draw_for_ever();
	glFinish();
}

static void test_hang(void)
{
	scene_new();
	tap(are_right(CALM), "the picture is right");
	hang();
	tap(wrong_frames() <= MAX_WRONG && are_right(CALM),
	    "a shader that does not end costs some frames");
	hang();
	tap(wrong_frames() <= MAX_WRONG, "and so does the next one");
	hang();
	tap(wrong_frames() > MAX_WRONG, "the one at once after it costs the context");
	gl_close();
}

static void test_kills(int kills)
{
	scene_new();
	tap(are_right(CALM), "the picture is right");
	test_idle(kills);
	test_busy(kills);
	test_within(kills);
	test_captured();
	test_paused();
	test_time();
	test_memory();
	test_uploads(kills);
	test_last_upload();
	test_upload_of_another(false);
	test_upload_of_another(true);
	test_read_back();
	test_unsynchronized();
	test_middle_shader();
	test_deleted();
	test_others();
	tap(core_no_error(), "OpenGL has no error to tell");
	are_right(CALM);
	test_again_and_again();
	gl_close();
	scene_new();
	tap(are_right(1), "who begins anew draws again");
	gl_close();
}

int main(int argc, char **argv)
{
	if (!getenv("SUNDOG_RENDERD"))
		printf("ok - # SKIP the renderer is out of reach\n");
	else if (argc > 1 && !strcmp(argv[1], "hang"))
		test_hang();
	else
		test_kills(argc > 1 ? atoi(argv[1]) : KILLS);
	return tap_failures() != 0;
}

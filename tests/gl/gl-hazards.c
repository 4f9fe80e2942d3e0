// SPDX-License-Identifier: MIT
/*
 * Hazards: a dispatch has to read the data of the draw before it, even if that draw needs a barrier
 * for another resource. Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>

/* Shaders are slow, and the test checks the word and the texel that are written last. */
#define SIZE 1024
#define LAST 64
#define TIMES 5

#define SLOW								\
	"uniform uint value;\n"						\
	"bool never() {\n"						\
	"	uint k = value;\n"					\
	"	for (uint i = 0u; i < 300u; i++)\n"			\
	"		k = k * 1664525u + 1013904223u;\n"		\
	"	return k == 1u;\n"					\
	"}\n"

static const char storing_source[] =
	"#version 430\n"
	SLOW
	"layout(std430, binding = 0) buffer Stored { uint words[]; };\n"
	"out vec4 color;\n"
	"void main() {\n"
	"	words[int(gl_FragCoord.y) * 1024 + int(gl_FragCoord.x)] = never() ? 0u : value;\n"
	"	color = vec4(0.0, 1.0, 0.0, 1.0);\n"
	"}\n";

static const char drawing_source[] =
	"#version 430\n"
	SLOW
	"layout(location = 0) out vec4 first;\n"
	"layout(location = 1) out vec4 second;\n"
	"void main() {\n"
	"	first = never() ? vec4(0.0) : vec4(float(value) / 255.0, 0.0, 0.0, 1.0);\n"
	"	second = vec4(0.0, 1.0, 0.0, 1.0);\n"
	"}\n";

static const char filling_source[] =
	"#version 430\n"
	"layout(local_size_x = 16, local_size_y = 16) in;\n"
	"layout(rgba8, binding = 0) uniform writeonly image2D image;\n"
	"void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(1.0, 0.0, 0.0, "
	"1.0)); }\n";

static const char sampling_source[] =
	"#version 430\n"
	"layout(local_size_x = 16, local_size_y = 16) in;\n"
	"uniform sampler2D picture;\n"
	"layout(std430, binding = 1) buffer Found { uint found; };\n"
	"void main() {\n"
	"	if (texelFetch(picture, ivec2(gl_GlobalInvocationID.xy), 0).x > 2.0)\n"
	"		atomicAdd(found, 1u);\n"
	"}\n";

static const char words_source[] =
	"#version 430\n"
	"layout(local_size_x = 64) in;\n"
	"layout(std430, binding = 0) readonly buffer Stored { uint words[]; };\n"
	"layout(std430, binding = 1) buffer Found { uint found; };\n"
	"uniform uint value;\n"
	"void main() {\n"
	"	if (words[1024u * 1024u - 1u - gl_GlobalInvocationID.x] == value)\n"
	"		atomicAdd(found, 1u);\n"
	"}\n";

static const char texels_source[] =
	"#version 430\n"
	"layout(local_size_x = 64) in;\n"
	"uniform sampler2D picture;\n"
	"layout(std430, binding = 1) buffer Found { uint found; };\n"
	"uniform uint value;\n"
	"void main() {\n"
	"	ivec2 at = ivec2(1023 - int(gl_GlobalInvocationID.x), 1023);\n"
	"	if (uint(round(texelFetch(picture, at, 0).x * 255.0)) == value)\n"
	"		atomicAdd(found, 1u);\n"
	"}\n";

static GLuint storing, drawing, filling, sampling, count_words, count_texels;
static GLuint textures[2], framebuffers[2], stored, other, found;

static void create_pictures(void)
{
	static const GLenum both[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 };

	glGenTextures(2, textures);
	glGenFramebuffers(2, framebuffers);
	for (int i = 0; i < 2; i++) {
		glBindTexture(GL_TEXTURE_2D, textures[i]);
		glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	}
	/* The first framebuffer has one of the textures, the second has both. */
	for (int i = 0; i < 2; i++) {
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
		for (int k = 0; k <= i; k++)
			glFramebufferTexture2D(GL_FRAMEBUFFER, both[k], GL_TEXTURE_2D, textures[k],
					       0);
		glDrawBuffers(i + 1, both);
	}
	glViewport(0, 0, SIZE, SIZE);
	glBindImageTexture(0, textures[0], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
}

static void create(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

	storing = core_program(core_position, storing_source, 0, NULL, 0);
	drawing = core_program(core_position, drawing_source, 0, NULL, 0);
	filling = core_compute(filling_source);
	sampling = core_compute(sampling_source);
	count_words = core_compute(words_source);
	count_texels = core_compute(texels_source);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, 0);
	create_pictures();
	stored = core_buffer(GL_SHADER_STORAGE_BUFFER, SIZE * SIZE * 4, NULL);
	other = core_words(1, 0);
	found = core_words(1, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, found);
}

static void use(GLuint program, uint32_t value)
{
	glUseProgram(program);
	glUniform1ui(glGetUniformLocation(program, "value"), value);
}

/* Stores @value to all words with a draw. */
static void draw_storing(uint32_t value)
{
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, stored);
	use(storing, value);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/* Waits for all earlier work, and clears the result. */
static void begin(void)
{
	const uint32_t none = 0;

	glBindBuffer(GL_SHADER_STORAGE_BUFFER, found);
	glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(none), &none);
	glFinish();
}

/* Returns true if @program finds only @value in the last part that the draw wrote. */
static bool is_found(GLuint program, uint32_t value)
{
	uint32_t words = 0;

	use(program, value);
	glDispatchCompute(1, 1, 1);
	core_read_words(found, 0, &words, 1);
	return words == LAST;
}

/* The barrier before the storing draw is for the framebuffer, which another draw wrote. */
static void test_draws(void)
{
	int right = 0;

	glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
	glScissor(0, 0, 1, 1);
	for (uint32_t i = 1; i <= TIMES; i++) {
		begin();
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, other);
		use(storing, 0);
		glEnable(GL_SCISSOR_TEST);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glDisable(GL_SCISSOR_TEST);
		glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
		draw_storing(i);
		right += is_found(count_words, i);
	}
	tap(right == TIMES, "stored by a draw after one to the same picture: %d of %d", right,
	    TIMES);
}

/* The barrier before the storing draw is for the framebuffer, which a shader stored to. */
static void test_images(void)
{
	int right = 0;

	glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
	for (uint32_t i = 11; i <= 10 + TIMES; i++) {
		begin();
		glUseProgram(filling);
		glDispatchCompute(SIZE / 16, SIZE / 16, 1);
		glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
		draw_storing(i);
		right += is_found(count_words, i);
	}
	tap(right == TIMES, "stored by a draw to what a shader stored to: %d of %d", right, TIMES);
}

/*
 * Of two attachments, the second one needs a barrier before the draw; the dispatch reads the first.
 */
static void test_pictures(void)
{
	int right = 0;

	glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
	for (uint32_t i = 1; i <= TIMES; i++) {
		begin();
		glUseProgram(sampling);
		glBindTexture(GL_TEXTURE_2D, textures[1]);
		glDispatchCompute(SIZE / 16, SIZE / 16, 1);
		glBindTexture(GL_TEXTURE_2D, 0);
		use(drawing, 10 * i);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glBindTexture(GL_TEXTURE_2D, textures[0]);
		right += is_found(count_texels, 10 * i);
	}
	tap(right == TIMES, "drawn beside what was read before: %d of %d", right, TIMES);
}

int main(void)
{
	core_open();
	create();
	test_draws();
	test_images();
	test_pictures();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

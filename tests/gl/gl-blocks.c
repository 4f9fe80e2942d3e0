// SPDX-License-Identifier: MIT
/*
 * Uniform blocks of OpenGL 3.3: their bindings, their offsets, and buffers whose contents change.
 * Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>

#define BLOCKS 15
#define WHITE 0xffffffff

static const char vertex_source[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"layout(std140) uniform Scale { vec4 unused[3]; mat2 scale; } placing;\n"
	"void main() { gl_Position = vec4(placing.scale * vertex, 0.0, 1.0); }\n";

/* Plain uniforms beside an array of blocks. */
static const char fragment_source[] =
	"#version 330\n"
	"layout(std140) uniform Color { float pad; vec3 rgb; int more[3]; } colors[15];\n"
	"uniform int which, element;\n"
	"out vec4 result;\n"
	"#define CASE(i) case i: result = vec4(colors[i].rgb, "
	"float(colors[i].more[element]) / 255.0); break;\n"
	"void main() {\n"
	"	switch (which) {\n"
	"	CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) "
	"CASE(8) CASE(9) CASE(10) CASE(11)\n"
	"	CASE(12) CASE(13) CASE(14)\n"
	"	}\n"
	"}\n";

struct color {
	float pad[4], rgb[4];
	int more[3][4];
};

struct scale {
	float unused[12], columns[2][4];
};

static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

static GLuint program;

static uint32_t draw(int which, int element)
{
	glUniform1i(glGetUniformLocation(program, "which"), which);
	glUniform1i(glGetUniformLocation(program, "element"), element);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	return gl_pixel(CORE_SIZE / 2, CORE_SIZE / 2);
}

static struct color color_of(int block, int step)
{
	struct color color = { .rgb = { block / 15.0f, step / 15.0f, (15 - block) / 15.0f } };

	for (int i = 0; i < 3; i++)
		color.more[i][0] = 16 * block + i;
	return color;
}

static uint32_t wanted(int block, int step, int element)
{
	return (uint32_t)block * 17 << 24 | step * 17 << 16 | (15 - block) * 17 << 8 |
	       (16 * block + element);
}

static void test_slots(GLuint buffer, GLint align)
{
	static const int drawn[] = { 0, 5, 14 };

	for (int i = 0; i < BLOCKS; i++) {
		struct color color = color_of(i, 3);
		char name[16];

		snprintf(name, sizeof(name), "Color[%d]", i);
		glUniformBlockBinding(program, glGetUniformBlockIndex(program, name), 1 + i);
		glBufferSubData(GL_UNIFORM_BUFFER, i * align, sizeof(color), &color);
		glBindBufferRange(GL_UNIFORM_BUFFER, 1 + i, buffer, i * align, sizeof(color));
	}
	for (int i = 0; i < 3; i++)
		for (int element = 0; element < 3; element++) {
			uint32_t seen = draw(drawn[i], element);

			tap(seen == wanted(drawn[i], 3, element), "block %d, element %d: %08x",
			    drawn[i], element, seen);
		}
}

/* Each draw sees the contents that the buffer had at the time of the draw call. */
static void test_updates(GLuint buffer)
{
	static const char *const how[] = { "glBufferSubData", "glMapBufferRange", "glBufferData" };
	bool ok[3] = { true, true, true };

	for (int step = 0; step < 15; step++) {
		struct color color = color_of(5, step);
		GLuint other = 0;

		switch (step % 3) {
		case 0:
			glBindBuffer(GL_UNIFORM_BUFFER, buffer);
			glBindBufferRange(GL_UNIFORM_BUFFER, 6, buffer, 0, sizeof(color));
			glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(color), &color);
			break;
		case 1:
			glBindBuffer(GL_UNIFORM_BUFFER, buffer);
			memcpy(glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof(color),
						GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT),
			       &color, sizeof(color));
			glUnmapBuffer(GL_UNIFORM_BUFFER);
			break;
		case 2:
			other = core_buffer(GL_UNIFORM_BUFFER, sizeof(color), &color);
			glBindBufferBase(GL_UNIFORM_BUFFER, 6, other);
			break;
		}
		glUniform1i(glGetUniformLocation(program, "which"), 5);
		glUniform1i(glGetUniformLocation(program, "element"), 1);
		glEnable(GL_SCISSOR_TEST);
		glScissor(step, 0, 1, CORE_SIZE);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glDisable(GL_SCISSOR_TEST);
		glDeleteBuffers(!!other, &other);
	}
	for (int step = 0; step < 15; step++)
		ok[step % 3] &= gl_pixel_is(step, 3, wanted(5, step, 1), 0);
	for (int i = 0; i < 3; i++)
		tap(ok[i], "draws see each change by %s", how[i]);
}

/* The device copies to a uniform buffer that earlier draws read. */
static void test_copies(GLuint buffer)
{
	struct color color = color_of(11, 9);
	GLuint source = core_buffer(GL_COPY_READ_BUFFER, sizeof(color), &color);
	uint32_t seen;

	color = color_of(11, 2);
	glBindBuffer(GL_UNIFORM_BUFFER, buffer);
	glBufferData(GL_UNIFORM_BUFFER, sizeof(color), &color, GL_DYNAMIC_DRAW);
	glBindBufferBase(GL_UNIFORM_BUFFER, 12, buffer);
	glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
	glUniform1i(glGetUniformLocation(program, "which"), 11);
	glUniform1i(glGetUniformLocation(program, "element"), 0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof(color));
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, CORE_SIZE / 2, CORE_SIZE);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glDisable(GL_SCISSOR_TEST);
	tap(gl_pixel_is(1, 1, wanted(11, 9, 0), 0) &&
		    gl_pixel_is(CORE_SIZE - 2, 1, wanted(11, 2, 0), 0),
	    "a copy comes between the draws before and after it");
	glDeleteBuffers(1, &source);

	glBindBufferBase(GL_UNIFORM_BUFFER, 12, 0);
	seen = draw(11, 0);
	tap(seen == 0, "a block without a buffer is zero: %08x", seen);
}

/* A buffer that is bound as a whole may be larger than a block. */
static void test_size(void)
{
	const GLsizeiptr size = 1 << 20;
	struct color color = color_of(0, 7);
	GLuint buffer = core_buffer(GL_UNIFORM_BUFFER, size, NULL);
	uint32_t seen;

	glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(color), &color);
	glBindBufferBase(GL_UNIFORM_BUFFER, 1, buffer);
	seen = draw(0, 2);
	tap(seen == wanted(0, 7, 2), "a block in a buffer of a mebibyte: %08x", seen);
	glDeleteBuffers(1, &buffer);
}

/*
 * A buffer becomes smaller than the range of it that is bound: the part past its end does not
 * exist.
 */
static void test_shrunk(void)
{
	static const struct { GLintptr offset; GLsizeiptr size; } shrunk[] = {
		{ 8192, 128 }, { 32768, 256 }, { 1 << 20, 64 }, { 512, 128 },
	};
	static const float white[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct color color = color_of(0, 7);
	GLuint buffer = core_buffer(GL_UNIFORM_BUFFER, 2 << 20, NULL);
	uint32_t seen;

	for (int i = 0; i < 4; i++) {
		glBindBuffer(GL_UNIFORM_BUFFER, buffer);
		glBufferData(GL_UNIFORM_BUFFER, 2 << 20, NULL, GL_DYNAMIC_DRAW);
		glBindBufferRange(GL_UNIFORM_BUFFER, 1, buffer, shrunk[i].offset, sizeof(color));
		glBufferData(GL_UNIFORM_BUFFER, shrunk[i].size, NULL, GL_DYNAMIC_DRAW);
		glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(white), white);
		seen = draw(0, 2);
		tap(seen == 0, "a block at %d of %d bytes is zero: %08x", (int)shrunk[i].offset,
		    (int)shrunk[i].size, seen);
	}
	glBufferData(GL_UNIFORM_BUFFER, sizeof(color), &color, GL_DYNAMIC_DRAW);
	glBindBufferBase(GL_UNIFORM_BUFFER, 1, buffer);
	seen = draw(0, 2);
	tap(seen == wanted(0, 7, 2), "and one that is there again is seen: %08x", seen);
	glDeleteBuffers(1, &buffer);
}

static void test_vertex(GLuint placing)
{
	struct scale scale = { .columns = { { 0.5f }, { 0, 1.0f } } };

	glBindBuffer(GL_UNIFORM_BUFFER, placing);
	glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(scale), &scale);
	glClearColor(1, 1, 1, 1);
	draw(0, 0);
	tap(gl_pixel_is(1, 8, WHITE, 0) && !(gl_pixel(CORE_SIZE / 2, 8) == WHITE),
	    "a matrix in a block of the vertex shader");
}

/*
 * The program writes through a persistent map while the device reads; GL commands change the buffer
 * meanwhile.
 */
static void test_persistent(void)
{
	const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
	static const char *const how[] = { "a part of", "all of" };
	struct color color = color_of(0, 7), none[64] = { 0 };

	for (int i = 0; i < 2; i++) {
		GLuint buffer;
		uint32_t seen;
		void *map;

		glGenBuffers(1, &buffer);
		glBindBuffer(GL_UNIFORM_BUFFER, buffer);
		glBufferStorage(GL_UNIFORM_BUFFER, sizeof(none), none,
				access | GL_DYNAMIC_STORAGE_BIT);
		map = glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof(none), access);
		glBindBufferBase(GL_UNIFORM_BUFFER, 1, buffer);
		draw(0, 2);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		if (i)
			glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(none), none);
		else
			glBufferSubData(GL_UNIFORM_BUFFER, sizeof(color), sizeof(color), none);
		memcpy(map, &color, sizeof(color));
		seen = draw(0, 2);
		tap(seen == wanted(0, 7, 2),
		    "a map outlives glBufferSubData of %s the buffer: %08x", how[i], seen);
		glDeleteBuffers(1, &buffer);
	}
}

int main(void)
{
	struct scale scale = { .columns = { { 1.0f }, { 0, 1.0f } } };
	GLuint buffer, placing;
	GLint align = 0, blocks = 0, size = 0;

	core_open();
	program = core_stages(vertex_source, NULL, fragment_source);
	glUseProgram(program);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
	glGetIntegerv(GL_MAX_FRAGMENT_UNIFORM_BLOCKS, &blocks);
	glGetIntegerv(GL_MAX_UNIFORM_BLOCK_SIZE, &size);
	tap(blocks >= BLOCKS && size >= 16384, "%d blocks of %d bytes", blocks, size);
	align = (sizeof(struct color) + align - 1) / align * align;
	placing = core_buffer(GL_UNIFORM_BUFFER, sizeof(scale), &scale);
	glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Scale"), 0);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0, placing);
	buffer = core_buffer(GL_UNIFORM_BUFFER, align * BLOCKS, NULL);
	test_slots(buffer, align);
	test_updates(buffer);
	test_copies(buffer);
	test_size();
	test_shrunk();
	test_persistent();
	test_vertex(placing);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

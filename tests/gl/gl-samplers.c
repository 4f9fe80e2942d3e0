// SPDX-License-Identifier: MIT
/*
 * New kinds of samplers and textures appear while draws with other ones run: the tables that the
 * host's shaders use grow. Prints TAP.
 * usage: gl-samplers [many]; with an argument there are many kinds of both, for which a host like
 * Debian's has too little memory.
 */
#include "gl-core.h"

#include <stdio.h>

#define SIDE 128		/* of the picture; large, so that a draw takes a while */
#define ORANGE 0xff8000ff

static const char fragment_source[] =
	"#version 330\n"
	"uniform sampler2D image;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	vec4 sum = vec4(0.0);\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		sum += texture(image, gl_FragCoord.yx / 128.0 + float(i) / 16.0);\n"
	"	result = sum / 16.0;\n"
	"}\n";

static const GLenum wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT };
static const GLenum filters[] = {
	GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
	GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR,
};
/* All of these formats can represent orange. */
static const GLenum formats[] = { GL_RGBA8, GL_RGB8, GL_RGBA16F, GL_RGBA32F,
				  GL_RGBA16, GL_RGB10_A2, GL_R11F_G11F_B10F, GL_RGB565 };

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define KINDS (COUNT(wraps) * COUNT(wraps) * COUNT(filters) * 2)

static GLuint sampler_new(int kind)
{
	GLuint sampler;

	glGenSamplers(1, &sampler);
	glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, filters[kind % COUNT(filters)]);
	kind /= COUNT(filters);
	glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, kind % 2 ? GL_LINEAR : GL_NEAREST);
	kind /= 2;
	glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, wraps[kind % COUNT(wraps)]);
	glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, wraps[kind / COUNT(wraps)]);
	return sampler;
}

static GLuint texture_new(GLenum format)
{
	static const GLfloat orange[4] = { 1.0f, 0x80 / 255.0f, 0.0f, 1.0f };
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, format, 1, 1, 0, GL_RGBA, GL_FLOAT, orange);
	return texture;
}

static void target_new(void)
{
	GLuint framebuffer, buffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
	glViewport(0, 0, SIDE, SIDE);
}

/* Makes each sampler while the draw with the one before runs; nothing waits in between. */
static void draw_with_new_samplers(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		glBindSampler(0, sampler_new(kind));
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glFlush();
	}
}

/*
 * The device creates each of these kinds, although the scissor of the draws with them is empty. A
 * lost context stays lost.
 */
static void test_many(void)
{
	static const EGLint robust[] = {
		EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
		EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
		EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE,
	};
	static const GLint channels[] = { GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE };
	enum { MANY = 400 };

	core_use_new(robust);
	target_new();
	glUseProgram(core_program(core_position, fragment_source, 0, NULL, GL_INTERLEAVED_ATTRIBS));
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < MANY; i++) {
		const GLint swizzle[] = { channels[i % 6], channels[i / 6 % 6],
					  channels[i / 36 % 6], channels[i / 216 % 6] };
		const GLuint sampler = sampler_new(i % KINDS);

		glSamplerParameteri(sampler, GL_TEXTURE_WRAP_R, wraps[i / KINDS % COUNT(wraps)]);
		glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE,
				    i / KINDS / COUNT(wraps) ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
		texture_new(GL_RGBA8);
		glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
		glBindSampler(0, sampler);
		glScissor(0, 0, 0, 0);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	}
	texture_new(GL_RGBA8);
	glDisable(GL_SCISSOR_TEST);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_pixel_is(SIDE / 3, SIDE / 2, ORANGE, 4) &&
		    glGetGraphicsResetStatus() == GL_NO_ERROR && core_no_error(),
	    "%d kinds of textures, and as many of samplers", MANY);
}

int main(int argc, char **argv)
{
	(void)argv;
	core_open();
	if (argc > 1) {
		test_many();
		return tap_failures() != 0;
	}
	target_new();
	glUseProgram(core_program(core_position, fragment_source, 0, NULL, GL_INTERLEAVED_ATTRIBS));
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	for (int i = 0; i < COUNT(formats); i++) {
		texture_new(formats[i]);
		draw_with_new_samplers();
		tap(gl_pixel_is(SIDE / 3, SIDE / 2, ORANGE, 4),
		    "a texture of format %#x is drawn while samplers come", formats[i]);
	}
	tap(core_no_error(), "no error");
	return tap_failures() != 0;
}

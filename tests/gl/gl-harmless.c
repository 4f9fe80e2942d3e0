// SPDX-License-Identifier: MIT
/*
 * Legal calls of OpenGL 3.3 and later with values that no device accepts as they are: each has to
 * do what the specification says, and none may lose the context. gl-limits.c does the same for
 * older versions. Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define WHITE 0xffffffff
#define POINT_SMOOTH 0x0b10	/* of the compatibility profile */

/* Four vertices of a triangle strip that cover the picture. */
static const char cover_source[] =
	"#version 430\n"
	"out gl_PerVertex { vec4 gl_Position; };\n"
	"void main() {\n"
	"	vec2 at = vec2(gl_VertexID % 2, gl_VertexID / 2);\n"
	"	gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);\n"
	"}\n";

/* Three vertices of a triangle that cover the picture. */
static const char large_source[] =
	"#version 430\n"
	"out gl_PerVertex { vec4 gl_Position; };\n"
	"void main() {\n"
	"	vec2 at = vec2(gl_VertexID % 2, gl_VertexID / 2);\n"
	"	gl_Position = vec4(4.0 * at - 1.0, 0.0, 1.0);\n"
	"}\n";

static const char green_source[] =
	"#version 330\n"
	"out vec4 result;\n"
	"void main() { result = vec4(0.0, 1.0, 0.0, 1.0); }\n";

/* Makes a new context current, for a test that may lose it. */
static void begin(void)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
	};

	core_use_new(attributes);
}

/* Attributes of the compatibility profile. */
static const EGLint compatible[] = {
	EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
	EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT, EGL_NONE,
};

static bool draws(void)
{
	gl_draw_to(gl_texture_new(CORE_SIZE, RED), CORE_SIZE, CORE_SIZE);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, GREEN);
	return gl_pixel_is(3, 5, GREEN, 0);
}

/* Indirect draws of patches, with shaders whose maximum output per patch is very large */

static const char patch_source[] =
	"#version 430\n"
	"layout(quads, equal_spacing) in;\n"
	"out gl_PerVertex { vec4 gl_Position; };\n"
	"void main() { gl_Position = vec4(2.0 * gl_TessCoord.xy - 1.0, 0.0, 1.0); }\n";

static const char same_source[] =
	"#version 430\n"
	"layout(triangles) in;\n"
	"layout(triangle_strip, max_vertices = 3) out;\n"
	"in gl_PerVertex { vec4 gl_Position; } gl_in[];\n"
	"out gl_PerVertex { vec4 gl_Position; };\n"
	"void main() {\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		gl_Position = gl_in[i].gl_Position;\n"
	"		EmitVertex();\n"
	"	}\n"
	"}\n";

static const char wide_patch_source[] =
	"#version 400\n"
	"layout(quads, equal_spacing) in;\n"
	"out vec4 parts[9];\n"
	"void main() {\n"
	"	gl_Position = vec4(2.0 * gl_TessCoord.xy - 1.0, 0.0, 1.0);\n"
	"	for (int i = 0; i < 9; i++)\n"
	"		parts[i] = vec4(0.0, 1.0, 0.0, 1.0) / 9.0;\n"
	"}\n";

static const char sum_source[] =
	"#version 400\n"
	"in vec4 parts[9];\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	result = vec4(0.0);\n"
	"	for (int i = 0; i < 9; i++)\n"
	"		result += parts[i];\n"
	"}\n";

static const char control_source[] =
	"#version 430\n"
	"layout(vertices = 3) out;\n"
	"in gl_PerVertex { vec4 gl_Position; } gl_in[];\n"
	"out gl_PerVertex { vec4 gl_Position; } gl_out[];\n"
	"void main() {\n"
	"	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
	"	for (int i = 0; i < 3; i++)\n"
	"		gl_TessLevelOuter[i] = 1.0;\n"
	"	gl_TessLevelInner[0] = 1.0;\n"
	"}\n";

static const char inner_source[] =
	"#version 430\n"
	"layout(triangles, equal_spacing) in;\n"
	"in gl_PerVertex { vec4 gl_Position; } gl_in[];\n"
	"out gl_PerVertex { vec4 gl_Position; };\n"
	"void main() {\n"
	"	gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + "
	"gl_TessCoord.y * gl_in[1].gl_Position +\n"
	"		      gl_TessCoord.z * gl_in[2].gl_Position;\n"
	"}\n";

static void test_patches(int vertices, const char *tessellation, const char *geometry,
			 const char *fragment, const char *what)
{
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, cover_source }, { GL_TESS_EVALUATION_SHADER, tessellation },
		{ GL_GEOMETRY_SHADER, geometry }, { GL_FRAGMENT_SHADER, fragment }, { 0 },
	};
	const GLuint arguments[] = { vertices, 1, 0, 0 };

	begin();
	glUseProgram(core_link(shaders, 0, NULL, 0));
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(arguments), arguments);
	glPatchParameteri(GL_PATCH_VERTICES, vertices);
	glDrawArraysIndirect(GL_PATCHES, 0);
	tap(gl_corners_are(CORE_SIZE, GREEN) && draws(),
	    "patches of %d vertices whose number is in memory, with %s", vertices, what);
}

/*
 * Draws with a pipeline of all stages. Then draws without the tessellation stages, whose programs
 * are deleted.
 */
static void test_deleted_stages(void)
{
	static const char *const sources[] = { cover_source, control_source, inner_source,
					       same_source, green_source };
	static const struct {
		GLenum type;
		GLbitfield bit;
	} stages[] = {
		{ GL_VERTEX_SHADER, GL_VERTEX_SHADER_BIT },
		{ GL_TESS_CONTROL_SHADER, GL_TESS_CONTROL_SHADER_BIT },
		{ GL_TESS_EVALUATION_SHADER, GL_TESS_EVALUATION_SHADER_BIT },
		{ GL_GEOMETRY_SHADER, GL_GEOMETRY_SHADER_BIT },
		{ GL_FRAGMENT_SHADER, GL_FRAGMENT_SHADER_BIT },
	};
	GLuint pipeline, programs[5];

	begin();
	glGenProgramPipelines(1, &pipeline);
	glBindProgramPipeline(pipeline);
	for (int i = 0; i < 5; i++) {
		programs[i] = glCreateShaderProgramv(stages[i].type, 1, &sources[i]);
		glUseProgramStages(pipeline, stages[i].bit, programs[i]);
	}
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glDrawArrays(GL_PATCHES, 0, 3);
	glUseProgramStages(pipeline, GL_TESS_CONTROL_SHADER_BIT | GL_TESS_EVALUATION_SHADER_BIT, 0);
	glDeleteProgram(programs[1]);
	glDeleteProgram(programs[2]);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(1, 1, GREEN, 0) && draws(),
	    "a draw after tessellation shaders that were drawn with are gone");
}

/* Samplers */

static const char texture_source[] =
	"#version 330\n"
	"uniform sampler2D image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, gl_FragCoord.xy / 16.0); }\n";

static void test_bias(float bias)
{
	GLuint texture;

	begin();
	texture = gl_texture_new(1, WHITE);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, bias);
	glUseProgram(core_program(cover_source, texture_source, 0, NULL, 0));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_corners_are(CORE_SIZE, WHITE) && draws(), "a texture with a bias of %g", bias);
}

/* Blits and copies */

static void test_blit(int x, int y, GLenum filter)
{
	const int size = 1000;
	GLuint framebuffer;

	begin();
	gl_draw_to(gl_texture_new(size, GREEN), size, size);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
			       gl_texture_new(CORE_SIZE, RED), 0);
	glBlitFramebuffer(x, y, x + size + 1, y + size + 1, 0, 0, CORE_SIZE, CORE_SIZE,
			  GL_COLOR_BUFFER_BIT, filter);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, GREEN, 0) && draws(),
	    "a blit from %d, %d that leaves its source by less than a pixel", x, y);
}

static void test_copies_of_nothing(void)
{
	GLuint textures[2], blocks, words;

	begin();
	textures[0] = gl_texture_new(CORE_SIZE, WHITE);
	textures[1] = gl_texture_new(CORE_SIZE, GREEN);
	for (int i = 0; i < 3; i++)
		glCopyImageSubData(textures[0], GL_TEXTURE_2D, 0, 0, 0, 0, textures[1],
				   GL_TEXTURE_2D, 0, 0, 0, 0, i != 0, i != 1, i != 2);
	gl_draw_to(textures[1], CORE_SIZE, CORE_SIZE);
	tap(gl_corners_are(CORE_SIZE, GREEN) && draws(), "copies of nothing");

	begin();
	glGenTextures(1, &blocks);
	glBindTexture(GL_TEXTURE_2D, blocks);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_COMPRESSED_RGBA_BPTC_UNORM, 6, 4);
	glGenTextures(1, &words);
	glBindTexture(GL_TEXTURE_2D, words);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32UI, 1, 1);
	glCopyImageSubData(blocks, GL_TEXTURE_2D, 0, 4, 0, 0, words, GL_TEXTURE_2D, 0, 1, 0, 0, 2,
			   4, 1);
	tap(draws(), "a copy of a part of a block, to where there is nothing");
}

/* Depth */

static void test_depth(float depth)
{
	GLuint texture, buffer;
	GLfloat seen = -1;

	begin();
	texture = gl_texture_new(CORE_SIZE, RED);
	gl_draw_to(texture, CORE_SIZE, CORE_SIZE);
	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, CORE_SIZE, CORE_SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
	glClearBufferfv(GL_DEPTH, 0, &depth);
	glUseProgram(core_program(cover_source, green_source, 0, NULL, 0));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glReadPixels(3, 5, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &seen);
	tap(gl_corners_are(CORE_SIZE, GREEN) && (depth > 1 ? seen >= 1 : seen <= 0) && draws(),
	    "a buffer of depths that are floats, cleared to %g: %g is there", depth, seen);
}

/* A program is deleted after a draw, and a dispatch precedes a draw */

static const char store_source[] =
	"#version 430\n"
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Out { uint word; };\n"
	"void main() { word = 0x600du; }\n";

static void test_dispatch(void)
{
	const char *const vertex = cover_source, *const fragment = green_source;
	GLuint pipeline, programs[3], query, buffer;
	uint32_t word = 0;

	begin();
	for (int i = 0; i < 2; i++)
		programs[i] = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &vertex);
	programs[2] = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &fragment);
	glGenProgramPipelines(1, &pipeline);
	glBindProgramPipeline(pipeline);
	glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, programs[0]);
	glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, programs[2]);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glGenQueries(1, &query);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glEndQuery(GL_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &word);

	glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, programs[1]);
	glDeleteProgram(programs[0]);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glEndConditionalRender();
	buffer = core_words(1, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glUseProgram(core_compute(store_source));
	glDispatchCompute(1, 1, 1);
	core_read_words(buffer, 0, &word, 1);
	tap(word == 0x600d, "a dispatch after a vertex shader that was drawn with is gone");
	glUseProgram(0);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_corners_are(CORE_SIZE, GREEN) && draws(), "and a draw with the one in its place");
}

/* Memory */

static void test_large_buffer(void)
{
	const GLsizeiptr size = 3ll << 30;
	const uint32_t wanted = 0x12345678;
	uint32_t seen = wanted;
	GLuint buffer;
	bool there;

	begin();
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
	glBufferData(GL_COPY_WRITE_BUFFER, size, NULL, GL_STATIC_DRAW);
	there = glGetError() != GL_OUT_OF_MEMORY;
	if (there) {
		glBufferSubData(GL_COPY_WRITE_BUFFER, size - 4, 4, &wanted);
		glGetBufferSubData(GL_COPY_WRITE_BUFFER, size - 4, 4, &seen);
	}
	tap(seen == wanted && draws(), "a buffer of 3 GiB %s", there ? "is there" : "is refused");
	glDeleteBuffers(1, &buffer);
}

/* Integer constants that have the bits of a float constant before them */

static void image_on(GLenum target, GLenum format)
{
	GLuint image;

	glGenTextures(1, &image);
	glBindTexture(target, image);
	if (target == GL_TEXTURE_3D)
		glTexStorage3D(target, 1, format, 4, 4, 4);
	else
		glTexStorage2DMultisample(target, 4, format, 4, 4, GL_TRUE);
	glBindImageTexture(0, image, 0, GL_TRUE, 0, GL_READ_WRITE, format);
}

#define WORDS "layout(std430, binding = 0) buffer Words { float words[]; };\n" \
	      "uniform float x = 0.25;\n"

static void is_computed(const char *source, const char *what)
{
	const GLuint words = core_words(4, 0);
	uint32_t seen;

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, words);
	glUseProgram(core_compute(source));
	glDispatchCompute(1, 1, 1);
	core_read_words(words, 0, &seen, 1);
	tap(seen == 0x3e800000 && draws(), "%s: %#x", what, seen);
}

static void test_zeroes(void)
{
	begin();
	image_on(GL_TEXTURE_2D_MULTISAMPLE, GL_R32F);
	is_computed("#version 450\n"
		    "layout(local_size_x = 1) in;\n"
		    "layout(binding = 0, r32f) uniform image2DMS image;\n" WORDS
		    "void main() {\n"
		    "	float v = max(x, 0.0);\n"
		    "	imageStore(image, ivec2(gl_GlobalInvocationID.xy), 0, vec4(v, v * v, "
		    "0.0, 1.0));\n"
		    "	memoryBarrierImage();\n"
		    "	words[0] = imageLoad(image, ivec2(0), 0).x;\n"
		    "}\n", "the first sample, after a float 0");
	begin();
	image_on(GL_TEXTURE_3D, GL_RGBA8);
	is_computed("#version 450\n"
		    "layout(local_size_x = 1) in;\n"
		    "layout(binding = 0, rgba8) writeonly uniform image3D image;\n"
		    WORDS "void main() {\n"
		    "	float v = max(x, 0.0);\n"
		    "	imageStore(image, ivec3(0), vec4(v, v * v, 0.0, 1.0));\n"
		    "	words[0] = v;\n"
		    "}\n", "the first texel of a volume");
	begin();
	is_computed("#version 450\n#extension GL_ARB_shader_ballot: require\n"
		    "#extension GL_ARB_gpu_shader_int64: require\n"
		    "layout(local_size_x = 1) in;\n" WORDS
		    "void main() {\n"
		    "	float v = max(x, 0.0);\n"
		    "	words[0] = readInvocationARB(v, 0u);\n"
		    "}\n", "the first invocation");
}

/* Smooth points: their coverage goes to alpha, which not all shaders write */

static void test_smooth_points(void)
{
	static const char vertex[] = "#version 130\n"
				     "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
	static const char *const fragments[] = {
		"#version 130\nout vec3 result;\nvoid main() { result = vec3(1, 0, 0); }\n",
		"#version 130\nout float result;\nvoid main() { result = 1.0; }\n",
		"#version 130\nvoid main() { gl_FragColor.rgb = vec3(1, 0, 0); }\n",
	};

	for (int i = 0; i < 3; i++) {
		core_use_new(compatible);
		glUseProgram(core_stages(vertex, NULL, fragments[i]));
		glEnable(POINT_SMOOTH);
		glPolygonMode(GL_FRONT, GL_LINE);	/* has no effect on points */
		glPointSize(8);
		glColorMask(true, false, false, false);
		glDrawArrays(GL_POINTS, 0, 1);
		tap(gl_pixel_is(7, 7, 0xff000000, 0) && gl_pixel_is(4, 4, 0, 0) &&
			    gl_pixel_is(1, 1, 0, 0),
		    "a round point of %s",
		    i == 0   ? "three components"
		    : i == 1 ? "one"
			     : "no alpha");
	}
}

/*
 * Several instances share an element of a client array. The page behind the array must not be read.
 */
static void test_shared_elements(void)
{
	static const char vertex[] =
		"#version 130\n"
		"in vec2 each;\n"
		"void main() { gl_Position = vec4(each, 0, 1); }\n";
	const long page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	GLfixed *last = (GLfixed *)(pages + page) - 2;

	munmap(pages + page, page);
	core_use_new(compatible);
	glUseProgram(core_stages(vertex, NULL, green_source));
	last[0] = last[1] = 0;
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glVertexAttribPointer(0, 2, GL_FIXED, GL_FALSE, 0, last);
	glVertexAttribDivisor(0, 1000000);
	glEnableVertexAttribArray(0);
	glPointSize(4);
	glDrawArraysInstanced(GL_POINTS, 0, 1, 10000);
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, GREEN, 0), "an element of many instances");
	munmap(pages, page);
}

/*
 * An index past the end of a buffer whose vertices have an offset and a stride that no device
 * fetches: in a robust context, the attribute has to come from within the buffer.
 */
static void test_far_indices(GLuint far)
{
	static const EGLint robust[] = {
		EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
		EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE, EGL_NONE,
	};
	static const char vertex[] =
		"#version 330\n"
		"layout(location = 0) in vec2 each;\n"
		"void main() { gl_Position = vec4(each, 0, 1); }\n";
	enum { STRIDE = 17, BEGIN = 1 };
	const GLuint indices[] = { 0, 1, 2, 2, 1, 3, 0, 1, far };
	GLubyte data[BEGIN + 4 * STRIDE] = { 0 };

	core_use_new(robust);
	for (int i = 0; i < 4; i++) {
		const GLfloat at[] = { i % 2 ? 1 : -1, i / 2 ? 1 : -1 };

		memcpy(data + BEGIN + i * STRIDE, at, sizeof(at));
	}
	glUseProgram(core_stages(vertex, NULL, green_source));
	core_buffer(GL_ARRAY_BUFFER, sizeof(data), data);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, STRIDE, (void *)BEGIN);
	glEnableVertexAttribArray(0);
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_INT, NULL);
	tap(gl_pixel_is(3, 5, GREEN, 0) && gl_pixel_is(CORE_SIZE - 3, CORE_SIZE - 5, GREEN, 0) &&
		    draws(),
	    "index %#x past a buffer", far);
}

/* A shader with more local memory than the device has: it must fail to link, or do nothing. */
static void test_local_arrays(void)
{
	static const char source[] =
		"#version 430\n"
		"layout(local_size_x = 1) in;\n"
		"layout(std430, binding = 0) buffer Words { uint words[]; };\n"
		"uniform int n = 3;\n"
		"void main() {\n"
		"	uint a[16385];\n"
		"	for (int i = 0; i < n; i++)\n"
		"		a[(i * 7) % 16385] = uint(i);\n"
		"	words[0] = a[n];\n"
		"}\n";
	const char *sources[] = { source };
	GLuint program;
	GLint linked;

	begin();
	program = glCreateShaderProgramv(GL_COMPUTE_SHADER, 1, sources);
	glGetProgramiv(program, GL_LINK_STATUS, &linked);
	if (linked) {
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, core_words(4, 0));
		glUseProgram(program);
		glDispatchCompute(1, 1, 1);
	}
	tap(draws(), "an array that is too large");
}

/* The maximum number of uniforms, in arrays of the smallest types. */
static void test_uniforms(void)
{
	static const char fragment[] =
		"#version 330\n"
		"uniform float a[2500];\n"
		"uniform float b[2500];\n"
		"uniform vec3 v[1000];\n"
		"uniform int i;\n"
		"out vec4 result;\n"
		"void main() { result = vec4(a[i], b[i + 1], v[i / 4].z, 1.0); }\n";
	GLuint program;

	begin();
	program = core_stages(cover_source, NULL, fragment);
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "i"), 2400);
	glUniform1f(glGetUniformLocation(program, "a[2400]"), 1.0f);
	glUniform1f(glGetUniformLocation(program, "b[2401]"), 0.6f);
	glUniform3f(glGetUniformLocation(program, "v[600]"), 0.0f, 0.0f, 0.2f);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_pixel_is(3, 5, 0xff9933ff, 0) && draws(), "arrays of thousands of floats");
}

/*
 * An attribute at about the largest relative offset. A dvec4 takes two attributes of the device,
 * the second of which lies beyond that offset.
 */
static void test_far_attribute(void)
{
	static const char vertex[] =
		"#version 430\n"
		"layout(location = 1) in dvec4 color;\n"
		"layout(location = 2) in float one;\n"
		"out vec4 shown;\n"
		"void main() {\n"
		"	vec2 at = vec2(gl_VertexID % 2, gl_VertexID / 2);\n"
		"	gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);\n"
		"	shown = vec4(color) * one;\n"
		"}\n";
	static const char fragment[] = "#version 430\n"
				       "in vec4 shown;\n"
				       "out vec4 result;\n"
				       "void main() { result = shown; }\n";
	static const GLdouble color[] = { 1.0, 0.6, 0.2, 1.0 };
	static GLubyte data[4 * 2080];
	const GLfloat one = 1.0f;

	begin();
	for (int i = 0; i < 4; i++) {
		memcpy(data + 2080 * i, &one, sizeof(one));
		memcpy(data + 2080 * i + 2032, color, sizeof(color));
	}
	glVertexAttribLFormat(1, 4, GL_DOUBLE, 2032);
	glVertexAttribFormat(2, 1, GL_FLOAT, GL_FALSE, 0);
	glBindVertexBuffer(1, core_buffer(GL_ARRAY_BUFFER, sizeof(data), data), 0, 2080);
	for (int i = 1; i <= 2; i++) {
		glVertexAttribBinding(i, 1);
		glEnableVertexAttribArray(i);
	}
	glUseProgram(core_stages(vertex, NULL, fragment));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_pixel_is(3, 5, 0xff9933ff, 0) && draws(),
	    "a vector of doubles at an offset of 2032");
}

/* An index that restarts primitives of other modes is a vertex of a patch. */
static void test_patches_without_restart(void)
{
	static const GLushort indices[] = { 0, 1, 2 };

	begin();
	glUseProgram(core_link((const struct core_shader[]){
		{ GL_VERTEX_SHADER, large_source }, { GL_TESS_CONTROL_SHADER, control_source },
		{ GL_TESS_EVALUATION_SHADER, inner_source }, { GL_FRAGMENT_SHADER, green_source },
		{ 0, NULL },
	}, 0, NULL, 0));
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glEnable(GL_PRIMITIVE_RESTART);
	glPrimitiveRestartIndex(1);
	glDrawElements(GL_PATCHES, 3, GL_UNSIGNED_SHORT, NULL);
	glDisable(GL_PRIMITIVE_RESTART);
	tap(gl_pixel_is(3, 5, GREEN, 0), "patches do not restart");
}

/* A draw with more indices than its buffer has: the existing ones are drawn. */
static void test_short_indices(void)
{
	static const GLuint indices[] = { 0, 1, 2 };

	begin();
	glUseProgram(core_stages(large_source, NULL, green_source));
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_INT, NULL);
	tap(gl_pixel_is(3, 5, GREEN, 0), "indices up to the end of their buffer are drawn");
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, (void *)64);
	glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, (void *)0x70000000);
	tap(gl_pixel(3, 5) != GREEN, "and those behind it are not");
}

/*
 * Feedback that the driver captures in parts, from a geometry shader whose maximum output is close
 * to that of one pass.
 */
static void test_captured_parts(void)
{
	enum { PARTS = 64 };
	static const char vertex[] = "#version 430\n"
				     "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
	static const struct { GLuint count, instances, first, base; } one = { 1, 1, 0, 0 };
	static char geometry[16 * 1024], names[PARTS][8];
	const char *varyings[PARTS];
	GLfloat seen[2] = { 0 };
	GLuint out;
	char *at = geometry;

	begin();
	at += sprintf(at, "#version 430\n"
			  "layout(points, invocations = 14) in;\n"
			  "layout(points, max_vertices = 15) out;\n");
	for (int i = 0; i < PARTS; i++) {
		at += sprintf(at, "out float f%d;\n", i);
		sprintf(names[i], "f%d", PARTS - 1 - i);
		varyings[i] = names[i];
	}
	at += sprintf(at, "void main() {\n");
	for (int i = 0; i < PARTS; i++)
		at += sprintf(at, "	f%d = %d.5;\n", i, i);
	sprintf(at, "	gl_Position = vec4(0, 0, 0, 1);\n	EmitVertex();\n}\n");
	glUseProgram(core_link((const struct core_shader[]){
		{ GL_VERTEX_SHADER, vertex }, { GL_GEOMETRY_SHADER, geometry },
		{ GL_FRAGMENT_SHADER, green_source }, { 0, NULL },
	}, PARTS, varyings, GL_INTERLEAVED_ATTRIBS));
	out = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, PARTS * 14 * sizeof(GLfloat), NULL);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, out);
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(one), &one);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArraysIndirect(GL_POINTS, NULL);
	glEndTransformFeedback();
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(seen), seen);
	tap(seen[0] == 63.5f && seen[1] == 62.5f && draws(), "outputs captured in parts: %g %g",
	    seen[0], seen[1]);
}

int main(void)
{
	core_open();
	test_patches(4, patch_source, same_source, green_source, "a geometry shader");
	test_patches(1, wide_patch_source, NULL, sum_source, "many outputs");
	test_deleted_stages();
	test_bias(20);
	test_bias(-20);
	test_blit(0, 0, GL_NEAREST);
	test_blit(-1, -1, GL_LINEAR);
	test_copies_of_nothing();
	test_depth(2);
	test_depth(-1);
	test_dispatch();
	test_large_buffer();
	test_uniforms();
	test_far_attribute();
	test_patches_without_restart();
	test_short_indices();
	test_captured_parts();
	test_zeroes();
	test_smooth_points();
	test_shared_elements();
	test_local_arrays();
	test_far_indices(2000);
	test_far_indices(100000000);
	test_far_indices(0xfffffff0);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

// SPDX-License-Identifier: MIT
/*
 * Attributes of contexts and the values that contexts report: debug output, no-error contexts,
 * robustness, parallel shader compilation, no flush on release. Prints TAP.
 */
#include "gl-core.h"
#include "patience.h"

#include <string.h>

#define VERSION EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5

static const char fragment_source[] =
	"#version 450\n"
	"layout(location = 0) uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

/* Draws one colour. Returns true if the picture has it. */
static bool draws(void)
{
	glUseProgram(core_program(core_position, fragment_source, 0, NULL, 0));
	glUniform4f(0, 0.2f, 0.4f, 0.6f, 1);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	return gl_pixel_is(5, 5, 0x336699ff, 0);
}

/* Total and available memory, in KiB. */

#define LARGE_KIB 65536

static void test_memory(void)
{
	static unsigned char data[LARGE_KIB * 1024];
	const GLint total = core_memory(TOTAL_AVAILABLE_MEMORY);
	const GLint before = core_memory(CURRENT_AVAILABLE_MEMORY);
	GLint after, other;
	GLuint buffer;

	tap(total >= LARGE_KIB && before > 0 && before <= total,
	    "a context says how much memory there is");
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
	glBufferData(GL_COPY_WRITE_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
	glFinish();
	after = core_memory(CURRENT_AVAILABLE_MEMORY);
	other = core_memory(VBO_FREE_MEMORY);
	tap(after <= before - LARGE_KIB / 2, "there is less when a buffer takes some");
	tap(other > 0 && other <= total, "both extensions say so");
	glDeleteBuffers(1, &buffer);
}

static bool has_flag(GLint flag)
{
	GLint flags = 0;

	glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
	return flags & flag;
}

/* Debug output */

struct message {
	GLenum source, type, severity;
	GLuint id;
	int count;
};

static void APIENTRY remember(GLenum source, GLenum type, GLuint id, GLenum severity,
			      GLsizei length, const GLchar *text, const void *data)
{
	struct message *last = (struct message *)data;

	(void)length;
	(void)text;
	*last = (struct message){ source, type, severity, id, last->count + 1 };
}

static bool was_told(const struct message *m, GLenum source, GLenum type, GLenum severity,
		     int count)
{
	return m->source == source && m->type == type && m->severity == severity &&
	       m->count == count;
}

static void make_error(void)
{
	glEnable(0xdead);
}

static void test_callback(void)
{
	static struct message last;

	glDebugMessageCallback(remember, &last);
	glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
	make_error();
	tap(was_told(&last, GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, GL_DEBUG_SEVERITY_HIGH, 1) &&
	    glGetError() == GL_INVALID_ENUM, "an error is told of where it is made");
	glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 76,
			     GL_DEBUG_SEVERITY_LOW, -1, "there");
	glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 77,
			     GL_DEBUG_SEVERITY_MEDIUM, -1, "here");
	tap(was_told(&last, GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER,
		     GL_DEBUG_SEVERITY_MEDIUM, 2) &&
		    last.id == 77,
	    "so is what the program says itself, unless it is of low severity");
	glDebugMessageControl(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, GL_DONT_CARE, 0, NULL,
			      GL_FALSE);
	make_error();
	tap(last.count == 2 && glGetError() == GL_INVALID_ENUM,
	    "errors that nobody wants to hear of are errors");
	glPushDebugGroup(GL_DEBUG_SOURCE_THIRD_PARTY, 5, -1, "group");
	tap(was_told(&last, GL_DEBUG_SOURCE_THIRD_PARTY, GL_DEBUG_TYPE_PUSH_GROUP,
		     GL_DEBUG_SEVERITY_NOTIFICATION, 3),
	    "a group begins");
	glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
	make_error();
	tap(last.count == 4 && glGetError() == GL_INVALID_ENUM, "in it, errors are told of");
	glPopDebugGroup();
	make_error();
	tap(was_told(&last, GL_DEBUG_SOURCE_THIRD_PARTY, GL_DEBUG_TYPE_POP_GROUP,
		     GL_DEBUG_SEVERITY_NOTIFICATION, 5) &&
		    glGetError() == GL_INVALID_ENUM,
	    "after it, they are not");
	glDebugMessageCallback(NULL, NULL);
}

static void test_log(void)
{
	GLenum source, type, severity;
	GLchar text[64] = "";
	GLsizei length;
	GLint logged = -1;
	GLuint id, got;

	glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
	glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, 3,
			     GL_DEBUG_SEVERITY_MEDIUM, 5, "hello there");
	glGetIntegerv(GL_DEBUG_LOGGED_MESSAGES, &logged);
	got = glGetDebugMessageLog(1, sizeof(text), &source, &type, &id, &severity, &length, text);
	tap(logged == 1 && got == 1 && id == 3 && length == 6 && !strcmp(text, "hello") &&
	    severity == GL_DEBUG_SEVERITY_MEDIUM, "without a callback messages are kept");
}

static void test_labels(void)
{
	GLuint buffer = core_buffer(GL_ARRAY_BUFFER, 4, NULL);
	GLsizei length = 0;
	GLchar label[8];

	glObjectLabel(GL_BUFFER, buffer, -1, "corners of it");
	glGetObjectLabel(GL_BUFFER, buffer, sizeof(label), &length, label);
	tap(length == 7 && !strcmp(label, "corners"),
	    "buffers have labels, cut where there is no room");
}

static void test_debug(void)
{
	static const EGLint attributes[] = { VERSION, EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE,
					     EGL_NONE };

	core_use_new(attributes);
	tap(has_flag(GL_CONTEXT_FLAG_DEBUG_BIT) && glIsEnabled(GL_DEBUG_OUTPUT),
	    "a debug context has debug output");
	test_callback();
	test_log();
	test_labels();
	tap(draws() && core_no_error(), "and draws");
}

/* No errors */

static void test_no_error(void)
{
	static const EGLint attributes[] = { VERSION, EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE,
					     EGL_NONE };
	static const EGLint with_debug[] = {
		VERSION, EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE, EGL_CONTEXT_OPENGL_DEBUG,
		EGL_TRUE, EGL_NONE,
	};

	core_use_new(attributes);
	tap(has_flag(GL_CONTEXT_FLAG_NO_ERROR_BIT_KHR), "a context without errors says so");
	tap(draws() && core_no_error(), "and draws");
	tap(eglCreateContext(gl.display, gl.config, EGL_NO_CONTEXT, with_debug) == EGL_NO_CONTEXT &&
	    eglGetError() == EGL_BAD_MATCH, "errors cannot be told of and not be there");
}

/* Robustness (GL_ARB_robust_buffer_access_behavior, GL_KHR_robust_buffer_access_behavior) */

static bool strategy_is(EGLint strategy, GLint wanted)
{
	const EGLint attributes[] = {
		VERSION, EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, strategy,
		EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE, EGL_NONE,
	};
	GLint is = 0;

	core_use_new(attributes);
	glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &is);
	return is == wanted && has_flag(GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT) &&
	       glGetGraphicsResetStatus() == GL_NO_ERROR;
}

/*
 * Returns true if the bounded read functions write neither past the size that they get nor before
 * an error.
 */
static bool is_bounded(void)
{
	GLubyte pixels[9] = { 0 };
	GLfloat values[5] = { 9, 9, 9, 9, 9 };
	bool refused;

	glReadnPixels(0, 0, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE, 7, pixels);
	refused = glGetError() == GL_INVALID_OPERATION && !pixels[0];
	glReadnPixels(0, 0, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE, 8, pixels);
	refused = refused && pixels[0] == 0x33 && pixels[7] == 0xff && !pixels[8];
	glGetnUniformfv(1, 0, 4 * sizeof(*values) - 1, values);
	refused = refused && glGetError() != GL_NO_ERROR && values[0] == 9;
	return refused;
}

static void test_robustness(void)
{
	tap(strategy_is(EGL_NO_RESET_NOTIFICATION, GL_NO_RESET_NOTIFICATION),
	    "a robust context that need not know of resets");
	tap(strategy_is(EGL_LOSE_CONTEXT_ON_RESET, GL_LOSE_CONTEXT_ON_RESET), "and one that does");
	tap(draws() && is_bounded() && core_no_error(), "what is asked for fits where it is put");
}

/*
 * Out-of-bounds accesses in a robust context: stores are dropped or stay in the buffer, and loads
 * return zero or contents of the buffer.
 */
static void test_bounds(void)
{
	static const char source[] =
		"#version 450\n"
		"layout(local_size_x = 1) in;\n"
		"layout(location = 0) uniform uint at;\n"
		"layout(std430, binding = 0) buffer In { uint in_words[]; };\n"
		"layout(std430, binding = 1) buffer Out { uint out_words[]; };\n"
		"layout(std140, binding = 0) uniform Block { uvec4 block[4]; };\n"
		"void main() {\n"
		"	in_words[at] = 5u;\n"
		"	out_words[0] = in_words[at];\n"
		"	out_words[1] = block[at].x;\n"
		"	out_words[2] = uint(in_words.length());\n"
		"}\n";
	const uint32_t blocks[] = { 3, 3, 3, 3 };
	const GLuint in = core_words(4, 7), behind = core_words(4, 99), out = core_words(4, 99);
	uint32_t words[4], untouched[4], other[4];

	glUseProgram(core_compute(source));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, in);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, out);
	glBindBufferRange(GL_UNIFORM_BUFFER, 0,
			  core_buffer(GL_UNIFORM_BUFFER, sizeof(blocks), blocks), 0,
			  sizeof(blocks));
	glUniform1ui(0, 0x3ffffff0);
	glDispatchCompute(1, 1, 1);
	core_read_words(out, 0, words, 4);
	core_read_words(in, 0, untouched, 4);
	core_read_words(behind, 0, other, 4);
	tap((words[0] == 0 || words[0] == 5 || words[0] == 7) && (words[1] == 0 || words[1] == 3) &&
		    words[2] == 4,
	    "what is out of bounds reads as zero, or what is in bounds");
	tap(words[3] == 99 && other[0] == 99 && untouched[0] == 7 && untouched[1] == 7 &&
		    untouched[2] == 7,
	    "and other memory is not written");
}

/* Vertices behind the end of a buffer, whose memory belonged to another buffer before. */
static void test_vertices(void)
{
	static const char source[] =
		"#version 450\n"
		"layout(location = 0) in float value;\n"
		"out float seen;\n"
		"void main() { seen = value; gl_Position = vec4(0, 0, 0, 1); }\n";
	static const char *const varyings[] = { "seen" };
	static const GLushort indices[] = { 0, 10, 500 };
	const GLuint program = core_program(source, fragment_source, 1, varyings,
					    GL_INTERLEAVED_ATTRIBS);
	GLfloat values[1000], seen[3] = { 9, 9, 9 };
	GLuint old, out;

	for (int i = 0; i < 1000; i++)
		values[i] = 0.75f;
	old = core_buffer(GL_ARRAY_BUFFER, sizeof(values), values);
	glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glUseProgram(program);
	glDrawArrays(GL_POINTS, 0, 3);
	glDeleteBuffers(1, &old);
	/* The driver drops the deleted buffer when the next draw binds another one. */
	core_buffer(GL_ARRAY_BUFFER, 1 << 16, NULL);
	glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
	glDrawArrays(GL_POINTS, 0, 3);
	glFinish();

	core_buffer(GL_ARRAY_BUFFER, 3 * sizeof(*values), (const GLfloat[]){ 0.25f, 0.25f, 0.25f });
	glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	out = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(seen), seen);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, out);
	glBeginTransformFeedback(GL_POINTS);
	glDrawElements(GL_POINTS, 3, GL_UNSIGNED_SHORT, NULL);
	glEndTransformFeedback();
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(seen), seen);
	tap(seen[0] == 0.25f && (seen[1] == 0 || seen[1] == 0.25f) &&
		    (seen[2] == 0 || seen[2] == 0.25f),
	    "vertices out of bounds read as zero, or what is in bounds: %g %g", seen[1], seen[2]);
}

/* Parallel compilation */

static bool completes(GLuint name, void (*get)(GLuint, GLenum, GLint *))
{
	const int64_t end = patience_end();
	GLint done = GL_FALSE;

	do
		get(name, GL_COMPLETION_STATUS_KHR, &done);
	while (!done && patience_pause(end));
	return done;
}

static GLuint shader_new(GLenum type, const char *source)
{
	const GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	return shader;
}

static void compile_with(PFNGLMAXSHADERCOMPILERTHREADSKHRPROC set_threads, GLuint threads)
{
	GLuint shaders[2], program = glCreateProgram();
	GLint set = -1, linked = GL_FALSE;
	bool done = true;

	set_threads(threads);
	glGetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &set);
	shaders[0] = shader_new(GL_VERTEX_SHADER, core_position);
	shaders[1] = shader_new(GL_FRAGMENT_SHADER, fragment_source);
	for (int i = 0; i < 2; i++) {
		done = completes(shaders[i], glGetShaderiv) && done;
		glAttachShader(program, shaders[i]);
	}
	glLinkProgram(program);
	done = completes(program, glGetProgramiv) && done;
	glGetProgramiv(program, GL_LINK_STATUS, &linked);
	tap(done && linked && (GLuint)set == threads && core_no_error(),
	    "shaders that %u threads may compile", threads);
}

static void test_parallel(void)
{
	PFNGLMAXSHADERCOMPILERTHREADSKHRPROC set_threads = (PFNGLMAXSHADERCOMPILERTHREADSKHRPROC)
		eglGetProcAddress("glMaxShaderCompilerThreadsKHR");

	compile_with(set_threads, 0);
	compile_with(set_threads, 3);
	compile_with(set_threads, UINT32_MAX);
}

/* Contexts that do not flush when they are released */

static void test_release(void)
{
	static const EGLint attributes[] = {
		VERSION, EGL_CONTEXT_RELEASE_BEHAVIOR_KHR, EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR,
		EGL_NONE,
	};
	GLint behavior = -1;

	glGetIntegerv(GL_CONTEXT_RELEASE_BEHAVIOR, &behavior);
	tap(behavior == GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH, "contexts flush when they are released");
	core_use_new(attributes);
	glGetIntegerv(GL_CONTEXT_RELEASE_BEHAVIOR, &behavior);
	tap(behavior == GL_NONE && draws() && core_no_error(), "unless they need not");
}

int main(void)
{
	core_open();
	test_memory();
	test_debug();
	test_no_error();
	test_robustness();
	test_bounds();
	test_vertices();
	test_parallel();
	test_release();
	gl_close();
	return tap_failures() != 0;
}

// SPDX-License-Identifier: MIT
/*
 * Programs that run for long, that submit much at once, and whose contexts share objects. Prints
 * TAP.
 */
#include "gl.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gles.h"
#include "workers.h"

/* From desktop OpenGL; the OpenGL ES headers lack these. */
#define GL_SAMPLES_PASSED 0x8914
#define GL_COPY_READ_BUFFER 0x8F36
#define GL_COPY_WRITE_BUFFER 0x8F37

#define SIZE 64
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define WHITE 0xffffffff
#define BLACK 0x000000ff

static PFNGLGENQUERIESEXTPROC gen_queries;
static PFNGLBEGINQUERYEXTPROC begin_query;
static PFNGLENDQUERYEXTPROC end_query;
static PFNGLGETQUERYOBJECTUIVEXTPROC get_query_object;
static PFNGLMULTIDRAWARRAYSEXTPROC multi_draw_arrays;
static PFNGLCOPYBUFFERSUBDATANVPROC copy_buffer;
static PFNGLMAPBUFFERRANGEEXTPROC map_buffer_range;
static PFNGLUNMAPBUFFEROESPROC unmap_buffer;

static GLuint frame, white;

/* A second context that shares objects with the first. It is current in a thread of its own. */

static struct {
	EGLContext context;
	pthread_t thread;
	sem_t go, done;
	void (*what)(void);
	GLuint frame;
} other;

static void *other_main(void *arg)
{
	(void)arg;
	eglBindAPI(EGL_OPENGL_API);
	gl_use(other.context);
	other.frame = gl_texture_new(SIZE, BLACK);
	gl_draw_to(other.frame, SIZE, SIZE);
	for (;;) {
		sem_post(&other.done);
		sem_wait(&other.go);
		if (!other.what)
			break;
		other.what();
	}
	gl_use(EGL_NO_CONTEXT);
	return NULL;
}

static void other_start(void)
{
	other.context = gl_context_new(gl.context);
	sem_init(&other.go, 0, 0);
	sem_init(&other.done, 0, 0);
	pthread_create(&other.thread, NULL, other_main, NULL);
	sem_wait(&other.done);
}

static void other_end(void)
{
	other.what = NULL;
	sem_post(&other.go);
	pthread_join(other.thread, NULL);
	eglDestroyContext(gl.display, other.context);
}

/* Runs @what in the thread of the other context, and waits for its end. */
static void other_do(void (*what)(void))
{
	other.what = what;
	sem_post(&other.go);
	sem_wait(&other.done);
}

/* Long lives */

static void draw_new_textures(int count)
{
	while (count--) {
		GLuint texture = gl_texture_new(4, WHITE);

		gl_draw(GL_TEXTURE_2D, texture);
		glDeleteTextures(1, &texture);
		if (count % 100 == 0)
			glFinish();
	}
}

/*
 * A leak grows the renderer by the same amount with each 10,000 textures. One round may grow it
 * without a leak: on a busy machine more textures may be in flight than before, and their memory is
 * kept for the next ones.
 */
static void test_textures(void)
{
	const bool here = getenv("SUNDOG_RENDERD");
	long before, after = 0;
	int rounds = 0;

	draw_new_textures(2000);
	do {
		before = after ? after : here ? renderer_memory_kib() : 0;
		draw_new_textures(10000);
		after = here ? renderer_memory_kib() : 0;
		rounds++;
	} while (after - before >= 4096 && rounds < 5);
	tap(gl_pixel_is(SIZE / 2, SIZE / 2, WHITE, 0), "12,000 textures come, are drawn and go");
	if (!here) {
		printf("ok - and leave nothing behind in the renderer "
		       "# SKIP it runs on the host\n");
		return;
	}
	printf("# the renderer had %ld KiB, %ld KiB after 10,000 more, in round %d\n", before,
	       after, rounds);
	tap(before > 0 && after - before < 4096, "and leave nothing behind in the renderer");
}

/* Much at once */

static GLuint samples_of(GLuint query)
{
	GLuint samples = 0;

	get_query_object(query, GL_QUERY_RESULT_EXT, &samples);
	return samples;
}

static void test_passes(void)
{
	const int passes = 300;
	GLuint query, second = gl_texture_new(SIZE, BLACK);

	gen_queries(1, &query);
	begin_query(GL_SAMPLES_PASSED, query);
	for (int i = 0; i < passes; i++) {
		gl_draw_to(i % 2 ? frame : second, SIZE, SIZE);
		glClearColor(0, 0, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		gl_draw(GL_TEXTURE_2D, white);
	}
	end_query(GL_SAMPLES_PASSED);
	tap(samples_of(query) == passes * SIZE * SIZE, "a query counts through %d passes", passes);
	gl_draw_to(frame, SIZE, SIZE);
	glDeleteTextures(1, &second);
}

static void test_multi_draw(void)
{
	enum { COUNT = 100000 };
	GLfloat *points = calloc(COUNT, 2 * sizeof(*points));
	GLint *first = calloc(COUNT, sizeof(*first));
	GLsizei *count = calloc(COUNT, sizeof(*count));
	GLuint query, program = gles_program(
		"attribute vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n",
		"void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n");

	for (int i = 0; i < COUNT; i++) {
		points[2 * i] = (i % SIZE + 0.5f) * 2 / SIZE - 1;
		points[2 * i + 1] = (i / SIZE % SIZE + 0.5f) * 2 / SIZE - 1;
		first[i] = COUNT - 1 - i;
		count[i] = 1;
	}
	gl_fill(0, 0, SIZE, SIZE, RED);
	glUseProgram(program);
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, points);
	glEnableVertexAttribArray(0);
	gen_queries(1, &query);
	begin_query(GL_SAMPLES_PASSED, query);
	multi_draw_arrays(GL_POINTS, first, count, COUNT);
	end_query(GL_SAMPLES_PASSED);
	glUseProgram(0);
	tap(samples_of(query) == COUNT, "%d draws of one call are drawn", COUNT);
	tap(gl_pixel_is(0, 0, GREEN, 0) && gl_pixel_is(SIZE - 1, SIZE - 1, GREEN, 0),
	    "all over the frame");
	free(points);
	free(first);
	free(count);
}

static void test_timeout(void)
{
	EGLSyncKHR sync;

	gl_draw_often(white, 2000);
	sync = gl.eglCreateSyncKHR(gl.display, EGL_SYNC_FENCE_KHR, NULL);
	tap(gl.eglClientWaitSyncKHR(gl.display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, INT64_MAX) ==
		    EGL_CONDITION_SATISFIED_KHR,
	    "a wait of three hundred years ends when its fence signals");
	gl.eglDestroySyncKHR(gl.display, sync);
}

/* Several contexts */

static GLuint shared_buffer, shared_renderbuffer;

static void draw_shared_buffer(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	gl_draw_buffer(GL_TEXTURE_2D, white);
	glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void other_draw_buffer(void)
{
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	draw_shared_buffer();
}

static void other_check_buffer(void)
{
	tap(gl_pixel_is(1, 1, WHITE, 0) && gl_pixel_is(SIZE - 2, SIZE - 2, WHITE, 0),
	    "a context draws the vertices that were there, though another replaced them");
}

static void test_buffer(void)
{
	enum { MORE = 500 };	/* enough to take all memory that the driver keeps for reuse */
	static const GLfloat nothing[8];
	GLuint more[MORE];

	glGenBuffers(1, &shared_buffer);
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners, GL_STATIC_DRAW);
	glFinish();
	other_do(other_draw_buffer);

	/*
	 * This context was the last user of the buffer and replaces its storage; as far as it
	 * knows, the old memory is idle.
	 */
	draw_shared_buffer();
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(nothing), nothing, GL_STATIC_DRAW);
	glFinish();
	glGenBuffers(MORE, more);
	for (int i = 0; i < MORE; i++) {
		glBindBuffer(GL_ARRAY_BUFFER, more[i]);
		glBufferData(GL_ARRAY_BUFFER, sizeof(nothing), nothing, GL_STATIC_DRAW);
	}
	other_do(other_check_buffer);
	glDeleteBuffers(MORE, more);
	glDeleteBuffers(1, &shared_buffer);
}

/*
 * Two quads in a buffer. One context writes the first and the other context the second, while both
 * draw from it.
 */

static const GLfloat nowhere[16];
static GLuint source_buffer;

static void finish(void)
{
	glFinish();
}

static void other_copy_first(void)
{
	glBindBuffer(GL_COPY_READ_BUFFER, source_buffer);
	glBindBuffer(GL_COPY_WRITE_BUFFER, shared_buffer);
	copy_buffer(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof(gl_corners));
}

static void write_second(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferSubData(GL_ARRAY_BUFFER, sizeof(gl_corners), sizeof(gl_corners), gl_corners);
	glFinish();
}

static bool draws_white(void)
{
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	draw_shared_buffer();
	return gl_pixel_is(1, 1, WHITE, 0) && gl_pixel_is(SIZE - 2, SIZE - 2, WHITE, 0);
}

static void test_two_writers(void)
{
	glGenBuffers(1, &source_buffer);
	glBindBuffer(GL_ARRAY_BUFFER, source_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners, GL_STATIC_DRAW);
	glGenBuffers(1, &shared_buffer);
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(nowhere), nowhere, GL_STATIC_DRAW);
	glFinish();
	other_do(other_copy_first);
	draw_shared_buffer();
	write_second();
	other_do(finish);
	tap(draws_white(),
	    "what a context has not flushed stays when another writes to its buffer");
	glDeleteBuffers(1, &shared_buffer);
	glDeleteBuffers(1, &source_buffer);
}

static void draw_quad(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void use_green(void)
{
	glUseProgram(gles_program("attribute vec4 vertex; void main() { gl_Position = vertex; }",
				  "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }"));
}

/* Uses the buffer in a long submission that is flushed, and then in a submission that is not. */
static void other_use_long(void)
{
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	gl_draw_often(white, 2000);
	use_green();
	draw_quad();
	glFlush();
	draw_quad();
}

static void other_check_written(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	draw_quad();
	tap(gl_pixel_is(1, 1, GREEN, 0) && gl_pixel_is(SIZE - 2, SIZE - 2, GREEN, 0),
	    "a context sees what another wrote and finished");
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glUseProgram(0);
}

static void test_written_elsewhere(bool all)
{
	GLfloat both[16] = { 0 };

	memcpy(both, gl_corners, sizeof(gl_corners));
	glGenBuffers(1, &shared_buffer);
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(nowhere), nowhere, GL_STATIC_DRAW);
	glFinish();
	other_do(other_use_long);
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferSubData(GL_ARRAY_BUFFER, 0, all ? sizeof(both) : sizeof(gl_corners), both);
	glFinish();
	other_do(other_check_written);
	glDeleteBuffers(1, &shared_buffer);
}

/*
 * One context draws from a buffer all the time while the other replaces its contents, each time in
 * new memory.
 */

#define DRAWS 1000

static atomic_bool drawn;

static void other_draw_replaced(void)
{
	use_green();
	for (int i = 0; i < DRAWS; i++) {
		draw_quad();
		glFlush();
	}
	drawn = true;
}

static void other_check_replaced(void)
{
	tap(draws_white(), "a context draws on from a buffer that another replaces meanwhile");
}

static void test_replaced(void)
{
	glGenBuffers(1, &shared_buffer);
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners, GL_STATIC_DRAW);
	glFinish();
	use_green();
	other.what = other_draw_replaced;
	sem_post(&other.go);
	while (!drawn) {
		draw_quad();
		glBufferData(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners, GL_STATIC_DRAW);
	}
	glFinish();
	sem_wait(&other.done);
	other_do(other_check_replaced);
	tap(draws_white(), "and so does the one that replaced it");
	glDeleteBuffers(1, &shared_buffer);
}

/* A buffer of which each context writes one half, and one context draws. */

enum { HALF_WORDS = 1 << 17, PIECE_WORDS = 64 };

static atomic_bool filled;

static void fill_half(int first, int n, GLuint value)
{
	static _Thread_local GLuint words[HALF_WORDS];

	for (int i = 0; i < n; i++)
		words[i] = value + i;
	glBufferSubData(GL_ARRAY_BUFFER, first * 4, n * 4, words);
}

static void other_fill_half(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
	for (int i = 0; i < HALF_WORDS; i += PIECE_WORDS) {
		fill_half(HALF_WORDS + i, PIECE_WORDS, i);
		sched_yield();
	}
	glFinish();
	filled = true;
}

static int lost_words(void)
{
	const GLuint *words = map_buffer_range(GL_ARRAY_BUFFER, HALF_WORDS * 4, HALF_WORDS * 4,
					       GL_MAP_READ_BIT_EXT);
	int lost = 0;

	for (GLuint i = 0; words && i < HALF_WORDS; i++)
		lost += words[i] != i;
	unmap_buffer(GL_ARRAY_BUFFER);
	return words ? lost : -1;
}

static void test_halves(void)
{
	int lost = 0;

	for (int i = 0; i < 20; i++) {
		glGenBuffers(1, &shared_buffer);
		glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
		glBufferData(GL_ARRAY_BUFFER, HALF_WORDS * 8, NULL, GL_DYNAMIC_DRAW);
		fill_half(0, HALF_WORDS, 0);
		glFinish();
		filled = false;
		other.what = other_fill_half;
		sem_post(&other.go);
		while (!filled) {
			draw_quad();
			fill_half(0, HALF_WORDS, i);
		}
		sem_wait(&other.done);
		glFinish();
		glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
		lost += lost_words();
		glDeleteBuffers(1, &shared_buffer);
	}
	tap(!lost,
	    "nothing is lost of what a context writes while another writes beside it: %d words",
	    lost);
}

static void other_draw_renderbuffer(void)
{
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  shared_renderbuffer);
	gl_fill(0, 0, SIZE, SIZE / 2, RED);
	tap(gl_pixel_is(1, 1, RED, 0), "a context draws to a renderbuffer that another draws to");
	gl_draw_to(other.frame, SIZE, SIZE);
}

static void test_renderbuffer(void)
{
	glGenRenderbuffers(1, &shared_renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, shared_renderbuffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  shared_renderbuffer);
	/*
	 * Clears one half only, because the driver may defer a clear of the whole. Then draws to
	 * another framebuffer, so that the renderbuffer is not bound.
	 */
	gl_fill(0, SIZE / 2, SIZE, SIZE / 2, GREEN);
	gl_draw_to(frame, SIZE, SIZE);
	gl_fill(0, 0, SIZE, SIZE / 2, GREEN);
	other_do(other_draw_renderbuffer);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  shared_renderbuffer);
	gl_fill(0, SIZE / 2, SIZE, SIZE / 4, GREEN);
	tap(gl_pixel_is(1, SIZE - 2, GREEN, 0), "and the other goes on drawing to it");
	gl_draw_to(frame, SIZE, SIZE);
	glDeleteRenderbuffers(1, &shared_renderbuffer);
}

/* Order */

static GLuint shared_frame, new_program;

/* Makes a program that draws red. It takes long to compile, and each number has its own. */
static void make_program(int number)
{
	char fragment[8192];
	int length;

	length = snprintf(fragment, sizeof(fragment),
			  "uniform float zero; void main() { float x = gl_FragCoord.x + %d.5;\n",
			  number);
	length += gl_slow_statements(fragment + length, sizeof(fragment) - length, number);
	snprintf(fragment + length, sizeof(fragment) - length,
		 "gl_FragColor = vec4(1.0, x * zero, 0.0, 1.0); }\n");
	new_program = gles_program("attribute vec4 vertex; void main() { gl_Position = vertex; }",
				   fragment);
}

static void draw_red(void)
{
	glUseProgram(new_program);
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, gl_corners);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFlush();
	glUseProgram(0);
	glDeleteProgram(new_program);
}

/* Draws instead of clearing, because the driver may defer a clear. */
static void other_draw_white(void)
{
	gl_draw_to(shared_frame, SIZE, SIZE);
	gl_draw(GL_TEXTURE_2D, white);
	glFlush();
	gl_draw_to(other.frame, SIZE, SIZE);
}

static void test_order(void)
{
	bool ordered = true;

	shared_frame = gl_texture_new(SIZE, BLACK);
	other_do(other_draw_white);
	gl_draw_to(shared_frame, SIZE, SIZE);
	for (int i = 0; i < tap_rounds(3, 8); i++) {
		make_program(i);
		draw_red();
		other_do(other_draw_white);
		ordered &= gl_pixel_is(SIZE / 2, SIZE / 2, WHITE, 0);
	}
	tap(ordered,
	    "draws of contexts to one texture run in their order, however long shaders take");
	gl_draw_to(frame, SIZE, SIZE);
	glDeleteTextures(1, &shared_frame);
}

static void other_draw_red(void)
{
	gl_draw_to(shared_frame, SIZE, SIZE);
	draw_red();
	gl_draw_to(other.frame, SIZE, SIZE);
}

/*
 * A context flushes and is destroyed while the shaders of another context are compiled, whose draw
 * precedes its own.
 */
static void test_last_work(void)
{
	bool drawn = true;

	shared_frame = gl_texture_new(SIZE, BLACK);
	for (int i = 0; i < tap_rounds(2, 4); i++) {
		EGLContext context;

		/*
		 * Not in the context that is destroyed: Mesa must not link the program there, for
		 * the other context keeps it.
		 */
		make_program(100 + i);
		context = gl_context_new(gl.context);
		gl_use(context);
		gl_draw_to(shared_frame, SIZE, SIZE);
		gl_draw(GL_TEXTURE_2D, white);
		glFinish();
		other_do(other_draw_red);
		gl_draw(GL_TEXTURE_2D, white);
		glFlush();
		gl_use(EGL_NO_CONTEXT);
		eglDestroyContext(gl.display, context);
		gl_use(gl.context);
		gl_draw_to(shared_frame, SIZE, SIZE);
		drawn &= gl_pixel_is(SIZE / 2, SIZE / 2, WHITE, 0);
	}
	tap(drawn, "what a context flushed is drawn though it is destroyed");
	gl_draw_to(frame, SIZE, SIZE);
	glDeleteTextures(1, &shared_frame);
}

/* Two contexts make an EGLImage of the same texture, and both only read it. */

#define LARGE_SIDE 4096

static GLuint large;
static pthread_barrier_t barrier;
static EGLImageKHR large_images[2];

static EGLImageKHR image_of_large(EGLContext context)
{
	pthread_barrier_wait(&barrier);
	return gl.eglCreateImageKHR(gl.display, context, EGL_GL_TEXTURE_2D_KHR,
				    (EGLClientBuffer)(uintptr_t)large, NULL);
}

static void other_image_of_large(void)
{
	large_images[1] = image_of_large(other.context);
}

static void test_images(void)
{
	bool made = true;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < tap_rounds(3, 8); i++) {
		large = gl_texture_new(LARGE_SIDE, RED);
		glFinish();
		other.what = other_image_of_large;
		sem_post(&other.go);
		large_images[0] = image_of_large(gl.context);
		sem_wait(&other.done);
		for (int j = 0; j < 2; j++) {
			made &= large_images[j] != EGL_NO_IMAGE_KHR;
			gl.eglDestroyImageKHR(gl.display, large_images[j]);
		}
		gl_draw(GL_TEXTURE_2D, large);
		made &= gl_pixel_is(SIZE / 2, SIZE / 2, RED, 0);
		glDeleteTextures(1, &large);
	}
	pthread_barrier_destroy(&barrier);
	tap(made, "two threads make images of a texture");
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gen_queries = (PFNGLGENQUERIESEXTPROC)eglGetProcAddress("glGenQueries");
	begin_query = (PFNGLBEGINQUERYEXTPROC)eglGetProcAddress("glBeginQuery");
	end_query = (PFNGLENDQUERYEXTPROC)eglGetProcAddress("glEndQuery");
	get_query_object = (PFNGLGETQUERYOBJECTUIVEXTPROC)eglGetProcAddress("glGetQueryObjectuiv");
	copy_buffer = (PFNGLCOPYBUFFERSUBDATANVPROC)eglGetProcAddress("glCopyBufferSubData");
	map_buffer_range = (PFNGLMAPBUFFERRANGEEXTPROC)eglGetProcAddress("glMapBufferRange");
	unmap_buffer = (PFNGLUNMAPBUFFEROESPROC)eglGetProcAddress("glUnmapBuffer");
	multi_draw_arrays = (PFNGLMULTIDRAWARRAYSEXTPROC)eglGetProcAddress("glMultiDrawArrays");
	frame = gl_texture_new(SIZE, BLACK);
	white = gl_texture_new(1, WHITE);
	gl_draw_to(frame, SIZE, SIZE);

	test_textures();
	test_passes();
	test_multi_draw();
	test_timeout();
	other_start();
	test_buffer();
	test_two_writers();
	test_written_elsewhere(false);
	test_written_elsewhere(true);
	test_replaced();
	test_halves();
	test_renderbuffer();
	test_order();
	test_last_work();
	test_images();
	other_end();
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	gl_draw(GL_TEXTURE_2D, white);
	tap(gl_pixel_is(SIZE / 2, SIZE / 2, WHITE, 0), "the first context draws on");
	tap(glGetError() == GL_NO_ERROR, "and has no error to tell");
	gl_close();
	return tap_failures() != 0;
}

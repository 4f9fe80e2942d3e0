// SPDX-License-Identifier: MIT
/*
 * Synchronisation of GL with other users: native fences, semaphores and memory objects. The other
 * user is libdrm_sundog with its own open file. A fence of vgem, which the test signals, blocks the
 * work that has to wait; memory is read through mappings that do not wait. Prints TAP.
 */
#define _GNU_SOURCE
#include "gl.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>

#include "gate.h"
#include "patience.h"
#include "sundog.h"

#define SIZE 64
#define PITCH (SIZE * 4)
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLUE 0x0000ffff

#define MS 1000000ll
#define FOREVER (PATIENCE_MS * MS)

/* Native fences of EGL */

/* Makes GL wait for @fd, which stays the caller's. Returns false if GL refuses it. */
static bool wait_fd(int fd)
{
	const EGLint attributes[] = { EGL_SYNC_NATIVE_FENCE_FD_ANDROID, dup(fd), EGL_NONE };
	EGLSyncKHR fence = gl.eglCreateSyncKHR(gl.display, EGL_SYNC_NATIVE_FENCE_ANDROID,
					       attributes);

	if (!fence) {
		close(attributes[1]);
		return false;
	}
	return gl.eglWaitSyncKHR(gl.display, fence, 0) && gl.eglDestroySyncKHR(gl.display, fence);
}

/* Returns true if all commands of the context so far are done within @timeout ns. */
static bool done_in(int64_t timeout)
{
	EGLSyncKHR fence = gl_fence_new();
	const EGLint result = gl.eglClientWaitSyncKHR(gl.display, fence, 0, timeout);

	gl.eglDestroySyncKHR(gl.display, fence);
	return result == EGL_CONDITION_SATISFIED_KHR;
}

static bool fd_done_in(int fd, int64_t timeout)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout / MS) == 1;
}

/* A texture whose memory the other user can read */

struct shared {
	struct sdrm_resource *res;
	struct sdrm_bo *bo;
	const uint8_t *map;
	EGLImageKHR image;
	GLuint texture;
};

static struct shared shared_new(void)
{
	const uint64_t size = PITCH * SIZE;
	struct gl_dmabuf buf = {
		.fourcc = DRM_FORMAT_ABGR8888, .width = SIZE, .height = SIZE, .n_planes = 1,
		.modifier = DRM_FORMAT_MOD_LINEAR,
	};
	struct shared s = { 0 };

	if (sdrm_resource_new(gl.dev, SDRM_RESOURCE_SHARED, &size, 1, NULL, 0, &s.res))
		errx(1, "no memory");
	s.bo = sdrm_resource_bo(s.res, 0);
	s.map = sdrm_bo_map(s.bo);
	buf.planes[0] = (struct gl_plane){ sdrm_bo_export(s.bo), 0, PITCH };
	s.image = gl_import(&buf);
	close(buf.planes[0].fd);
	s.texture = gl_texture_of(s.image, GL_TEXTURE_2D);
	gl_draw_to(s.texture, SIZE, SIZE);
	return s;
}

static void shared_del(struct shared *s)
{
	glDeleteTextures(1, &s->texture);
	gl.eglDestroyImageKHR(gl.display, s->image);
	sdrm_resource_del(s->res);
}

static bool memory_is(const uint8_t *map, int x, int y, uint32_t color)
{
	const uint8_t *at = map + y * PITCH + x * 4;

	return at[0] == color >> 24 && at[1] == (color >> 16 & 255) &&
	       at[2] == (color >> 8 & 255) && at[3] == (color & 255);
}

static void test_native_fences(void)
{
	struct shared s = shared_new();
	EGLContext other = gl_context_new(EGL_NO_CONTEXT);
	struct gate first, second;
	GLuint picture = gl_texture_new(1024, RED);
	int fd;

	/* Enough work that a fence which signals early is noticed. */
	gl_draw_often(picture, 500);
	gl_fill(0, 0, SIZE, SIZE, BLUE);
	fd = gl_fence_fd_new();
	tap(fd >= 0 && fd_done_in(fd, FOREVER) && memory_is(s.map, 63, 63, BLUE),
	    "a fence signals when what came before it is done");
	close(fd);

	first = gate_new();
	second = gate_new();
	tap(wait_fd(first.fd), "GL takes the fence of another driver");
	gl_fill(0, 0, SIZE, SIZE, GREEN);
	tap(!done_in(200 * MS) && memory_is(s.map, 5, 5, BLUE), "and waits for it");
	fd = gl_fence_fd_new();
	gl_use(other);
	gl_draw_to(gl_texture_new(SIZE, RED), SIZE, SIZE);
	gl_fill(0, 0, SIZE, SIZE, BLUE);
	tap(done_in(FOREVER), "another context does not wait");
	tap(wait_fd(fd) && wait_fd(second.fd), "it takes the fence of the first, and one more");
	gl_fill(0, 0, SIZE, SIZE, GREEN);
	tap(!done_in(100 * MS), "and waits");
	gate_open(&first);
	tap(fd_done_in(fd, FOREVER) && memory_is(s.map, 5, 5, GREEN), "the first context goes on");
	tap(!done_in(100 * MS), "the other waits for both fences");
	gate_open(&second);
	tap(done_in(FOREVER) && gl_pixel_is(3, 3, GREEN, 0), "then it goes on, too");
	close(fd);

	fd = memfd_create("not a fence", 0);
	tap(!wait_fd(fd) && eglGetError() == EGL_BAD_ATTRIBUTE,
	    "a file that is no fence is refused");
	close(fd);
	gl_fill(0, 0, SIZE, SIZE, RED);
	tap(gl_pixel_is(3, 3, RED, 0), "and costs nothing");
	gl_use(gl.context);
	eglDestroyContext(gl.display, other);
	glDeleteTextures(1, &picture);
	shared_del(&s);
}

/* Memory objects and semaphores: the other side is a producer with a queue of its own. */

struct producer {
	struct sdrm_resource *res;
	struct sdrm_bo *bo;
	uint8_t *map;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_semaphore *ready, *done;	/* signalled by the producer, and by GL */
	GLuint memory, gl_ready, gl_done;
};

static GLuint import_semaphore(struct sdrm_semaphore *semaphore)
{
	GLuint name;

	gl.glGenSemaphoresEXT(1, &name);
	gl.glImportSemaphoreFdEXT(name, GL_HANDLE_TYPE_OPAQUE_FD_EXT,
				  sdrm_semaphore_export(semaphore));
	return name;
}

static GLuint import_memory(int fd, uint64_t size)
{
	GLuint name;

	gl.glCreateMemoryObjectsEXT(1, &name);
	gl.glImportMemoryFdEXT(name, size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, fd);
	return name;
}

static struct producer producer_new(uint64_t size)
{
	struct producer p = { .ctx = sdrm_context_new(gl.dev) };

	if (!p.ctx ||
	    sdrm_resource_new(gl.dev, SDRM_RESOURCE_SHARED, &size, 1, NULL, 0, &p.res) ||
	    sdrm_semaphore_new(gl.dev, &p.ready) || sdrm_semaphore_new(gl.dev, &p.done))
		errx(1, "no producer");
	p.bo = sdrm_resource_bo(p.res, 0);
	p.map = sdrm_bo_map(p.bo);
	p.submit = sdrm_submit_new(p.ctx, 1024);
	p.memory = import_memory(sdrm_bo_export(p.bo), size);
	p.gl_ready = import_semaphore(p.ready);
	p.gl_done = import_semaphore(p.done);
	return p;
}

static void producer_del(struct producer *p)
{
	gl.glDeleteSemaphoresEXT(1, &p->gl_ready);
	gl.glDeleteSemaphoresEXT(1, &p->gl_done);
	gl.glDeleteMemoryObjectsEXT(1, &p->memory);
	sdrm_semaphore_del(p->ready);
	sdrm_semaphore_del(p->done);
	sdrm_submit_del(p->submit);
	sdrm_context_del(p->ctx);
	sdrm_resource_del(p->res);
}

/* Fills the memory when @gate is open, and signals. */
static void produce(struct producer *p, uint32_t color, const struct gate *gate)
{
	struct sundog_cmd_fill_buffer fill = {
		.dst = { sdrm_bo_mem(p->bo), 0, sdrm_bo_size(p->bo) },
		.value = __builtin_bswap32(color),
	};
	struct sdrm_fence *fence;

	sundog_emit_fill_buffer(sdrm_submit_stream(p->submit), &fill);
	sdrm_submit_add(p->submit, p->bo, SUNDOG_ACCESS_WRITE);
	if (sdrm_submit_flush(p->submit, gate->fd, &fence) ||
	    sdrm_semaphore_signal(p->ready, fence))
		errx(1, "the producer cannot produce");
	sdrm_fence_del(fence);
}

static int64_t in_ns(int64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * MS + now.tv_nsec + ns;
}

static void test_semaphores(void)
{
	struct producer p = producer_new(PITCH * SIZE);
	struct sdrm_fence *fence = NULL;
	struct gate gate = gate_new();
	GLuint frame, texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	gl.glTexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, SIZE, SIZE, p.memory, 0);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	tap(glGetError() == GL_NO_ERROR, "a texture in imported memory");

	/* This picture does not use the memory: only the semaphore can delay it. */
	frame = gl_texture_new(SIZE, RED);
	gl_draw_to(frame, SIZE, SIZE);
	produce(&p, BLUE, &gate);
	gl.glWaitSemaphoreEXT(p.gl_ready, 0, NULL, 1, &texture,
			      (GLenum[]){ GL_LAYOUT_GENERAL_EXT });
	gl_fill(0, 0, SIZE, SIZE, GREEN);
	tap(!done_in(200 * MS), "GL waits for a semaphore that was not signalled");
	tap(sdrm_semaphore_wait(p.ready, &fence) == -EAGAIN, "a wait takes the signal away");
	gate_open(&gate);
	tap(done_in(FOREVER) && gl_pixel_is(1, 1, GREEN, 0),
	    "GL goes on with the producer's signal");
	gl_draw(GL_TEXTURE_2D, texture);
	tap(gl_pixel_is(0, 0, BLUE, 0) && gl_pixel_is(63, 63, BLUE, 0),
	    "and sees what was produced");

	gate = gate_new();
	wait_fd(gate.fd);
	gl_draw_to(texture, SIZE, SIZE);
	gl_fill(0, 0, SIZE, SIZE, RED);
	gl.glSignalSemaphoreEXT(p.gl_done, 0, NULL, 1, &texture,
				(GLenum[]){ GL_LAYOUT_GENERAL_EXT });
	tap(!sdrm_semaphore_wait(p.done, &fence), "GL signals a semaphore");
	tap(sdrm_fence_wait(fence, in_ns(200 * MS)) == -ETIME && memory_is(p.map, 9, 9, BLUE),
	    "that stays closed until GL has drawn");
	gate_open(&gate);
	tap(!sdrm_fence_wait(fence, in_ns(FOREVER)) && memory_is(p.map, 9, 9, RED) &&
	    memory_is(p.map, 63, 63, RED), "then the producer sees what GL drew");
	sdrm_fence_del(fence);
	glDeleteTextures(1, &texture);
	glDeleteTextures(1, &frame);
	producer_del(&p);
}

/* Offsets in imported memory */

static void test_memory_objects(void)
{
	const uint32_t offset = 8192, vertices = 4096, second_level = PITCH * SIZE;
	struct producer p = producer_new(65536);
	GLuint texture, frame, buffer;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	gl.glTexStorageMem2DEXT(GL_TEXTURE_2D, 2, GL_RGBA8_OES, SIZE, SIZE, p.memory, offset);
	gl_draw_to(texture, SIZE, SIZE);
	gl_fill(0, 0, SIZE, SIZE, BLUE);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 1);
	gl_fill(0, 0, SIZE / 2, SIZE / 2, GREEN);
	glFinish();
	tap(memory_is(p.map + offset, 0, 0, BLUE) && memory_is(p.map + offset, 63, 63, BLUE) &&
	    memory_is(p.map + offset + second_level, 0, 0, GREEN) && memory_is(p.map, 0, 0, 0) &&
	    memory_is(p.map + offset - PITCH, 63, 0, 0), "a texture with two levels at an offset");

	memcpy(p.map + vertices, gl_corners, sizeof(gl_corners));
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	gl.glBufferStorageMemEXT(GL_ARRAY_BUFFER, sizeof(gl_corners), p.memory, vertices);
	tap(glGetError() == GL_NO_ERROR, "a buffer in the same memory");
	frame = gl_texture_new(SIZE, RED);
	gl_draw_to(frame, SIZE, SIZE);
	gl_draw_buffer(GL_TEXTURE_2D, texture);
	tap(gl_pixel_is(0, 0, BLUE, 0) && gl_pixel_is(63, 63, BLUE, 0), "its vertices are drawn");
	glDeleteBuffers(1, &buffer);
	glDeleteTextures(1, &texture);
	glDeleteTextures(1, &frame);
	producer_del(&p);
}

static GLenum storage_error(GLuint memory, int size, uint64_t offset)
{
	GLuint texture;
	GLenum error;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	gl.glTexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, size, size, memory, offset);
	error = glGetError();
	glDeleteTextures(1, &texture);
	return error;
}

static void test_refused(void)
{
	const uint64_t size = PITCH * SIZE;
	struct producer p = producer_new(size);
	const int fds = fds_open(), ids = driver_count("res_ids");
	GLuint bad = import_memory(memfd_create("not memory of a device", 0), size), semaphore;

	tap(storage_error(p.memory, SIZE + 4, 0) == GL_OUT_OF_MEMORY,
	    "refused: more than the memory has");
	tap(storage_error(p.memory, SIZE, 64) == GL_OUT_OF_MEMORY,
	    "refused: an end behind the memory");
	tap(storage_error(p.memory, SIZE / 2, 4) == GL_OUT_OF_MEMORY,
	    "refused: an offset that is not aligned");
	tap(storage_error(bad, SIZE, 0) == GL_OUT_OF_MEMORY, "refused: a file that is no memory");
	gl.glGenSemaphoresEXT(1, &semaphore);
	gl.glImportSemaphoreFdEXT(semaphore, GL_HANDLE_TYPE_OPAQUE_FD_EXT,
				  memfd_create("not a semaphore", 0));
	gl.glWaitSemaphoreEXT(semaphore, 0, NULL, 0, NULL, NULL);
	gl.glSignalSemaphoreEXT(semaphore, 0, NULL, 0, NULL, NULL);
	gl.glWaitSemaphoreEXT(p.gl_ready, 0, NULL, 0, NULL, NULL);
	tap(done_in(FOREVER),
	    "semaphores that are none, or that nobody signalled, are not waited for");
	gl.glDeleteSemaphoresEXT(1, &semaphore);
	gl.glDeleteMemoryObjectsEXT(1, &bad);
	tap(fds_open() == fds && driver_count("res_ids") == ids,
	    "nothing is left of what was refused");
	producer_del(&p);
}

static void test_uuids(void)
{
	static const GLubyte none[GL_UUID_SIZE_EXT];
	GLubyte device[GL_UUID_SIZE_EXT] = { 0 }, driver[GL_UUID_SIZE_EXT] = { 0 };

	gl.glGetUnsignedBytevEXT(GL_DRIVER_UUID_EXT, driver);
	glGetError();
	gl.glGetUnsignedBytevEXT(GL_DEVICE_UUID_EXT, device);
	tap(memcmp(driver, none, sizeof(none)) && memcmp(driver, device, sizeof(none)),
	    "driver and device have names");
}

int main(void)
{
	gate_open_vgem();
	gl_open(EGL_OPENGL_API);
	test_native_fences();
	test_semaphores();
	test_memory_objects();
	test_refused();
	test_uuids();
	gl_close();
	return tap_failures() != 0;
}

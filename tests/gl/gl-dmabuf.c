// SPDX-License-Identifier: MIT
/*
 * dma-bufs that GL, EGL and GBM import and export: between processes, from video decoders, within a
 * process. Pixels are compared with computed ones. Prints TAP.
 *
 * With SUNDOG_SOCKET set there is no kernel driver and no dma-buf; the test then checks that EGL
 * and GL do not offer any.
 */
#define _GNU_SOURCE
#include "gl.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <gbm.h>
#include <xf86drm.h>

#include "sundog.h"

#define SIZE 64
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLUE 0x0000ffff
#define WHITE 0xffffffff

static const char *const egl_extensions[] = {
	"EGL_EXT_image_dma_buf_import", "EGL_EXT_image_dma_buf_import_modifiers",
	"EGL_MESA_image_dma_buf_export", "EGL_ANDROID_native_fence_sync",
};

static const char *const gl_extensions[] = {
	"GL_EXT_memory_object", "GL_EXT_memory_object_fd", "GL_EXT_semaphore",
	"GL_EXT_semaphore_fd",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_offered(bool wanted)
{
	for (size_t i = 0; i < COUNT(egl_extensions); i++)
		tap(egl_has(egl_extensions[i]) == wanted, "%s is %soffered", egl_extensions[i],
		    wanted ? "" : "not ");
	for (size_t i = 0; i < COUNT(gl_extensions); i++)
		tap(gl_has(gl_extensions[i]) == wanted, "%s is %soffered", gl_extensions[i],
		    wanted ? "" : "not ");
}

/* Modifiers */

static bool only_modifier_is(int fourcc, uint64_t modifier, EGLBoolean external)
{
	EGLuint64KHR modifiers[4];
	EGLBoolean external_only[4];
	EGLint n;

	return gl.eglQueryDmaBufModifiersEXT(gl.display, fourcc, 4, modifiers, external_only, &n) &&
	       n == 1 && modifiers[0] == modifier && external_only[0] == external;
}

static bool knows_format(int fourcc)
{
	EGLint formats[256], n;

	if (!gl.eglQueryDmaBufFormatsEXT(gl.display, 256, formats, &n))
		return false;
	for (int i = 0; i < n; i++)
		if (formats[i] == fourcc)
			return true;
	return false;
}

static void test_modifiers(void)
{
	static const uint64_t tiled = I915_FORMAT_MOD_X_TILED;
	static const uint64_t both[] = { I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR };
	struct gbm_bo *bo;

	tap(knows_format(DRM_FORMAT_ARGB8888) && knows_format(DRM_FORMAT_RGB565) &&
	    knows_format(DRM_FORMAT_NV12) && knows_format(DRM_FORMAT_YUV420) &&
	    knows_format(DRM_FORMAT_P010), "formats: RGB, NV12, YUV420 and P010");
	tap(only_modifier_is(DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR, EGL_FALSE) &&
	    only_modifier_is(DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR, EGL_TRUE),
	    "modifiers: linear, YUV for external textures only");
	bo = gbm_bo_create_with_modifiers(gl.gbm, SIZE, SIZE, DRM_FORMAT_XRGB8888, &tiled, 1);
	tap(!bo, "a tiled modifier is refused");
	bo = gbm_bo_create_with_modifiers(gl.gbm, SIZE, SIZE, DRM_FORMAT_XRGB8888, both, 2);
	tap(bo && gbm_bo_get_modifier(bo) == DRM_FORMAT_MOD_LINEAR,
	    "of a list the linear one is taken");
	gbm_bo_destroy(bo);
}

/*
 * The other process samples the images that it receives, draws a green left half, and sends a
 * message when it is done.
 */

/* Makes GL wait for a fence; takes over the file descriptor. */
static void fence_fd_wait(int fd)
{
	const EGLint attributes[] = { EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE };
	EGLSyncKHR fence = gl.eglCreateSyncKHR(gl.display, EGL_SYNC_NATIVE_FENCE_ANDROID,
					       attributes);

	gl.eglWaitSyncKHR(gl.display, fence, 0);
	gl.eglDestroySyncKHR(gl.display, fence);
}

struct verdict {
	bool imported, saw_red, saw_blue;
};

static int painter(int socket)
{
	struct verdict verdict = { 0 };
	struct gl_dmabuf buf;
	EGLImageKHR image;
	GLuint texture;
	int fds[2];

	gl_open(EGL_OPENGL_ES_API);
	if (!fds_receive(socket, &buf, sizeof(buf), fds, 2))
		errx(1, "no image came");
	buf.planes[0].fd = fds[0];
	image = gl_import(&buf);
	fence_fd_wait(fds[1]);
	texture = gl_texture_of(image, GL_TEXTURE_2D);
	verdict.imported = texture != 0;
	gl_draw_to(texture, SIZE, SIZE);
	verdict.saw_red = gl_pixel_is(5, 7, RED, 0) && gl_pixel_is(60, 60, RED, 0);
	gl_fill(0, 0, SIZE / 2, SIZE, GREEN);
	fds[1] = gl_fence_fd_new();
	fds_send(socket, &verdict, sizeof(verdict), &fds[1], 1);
	close(fds[1]);

	if (!fds_receive(socket, &buf.fourcc, sizeof(buf.fourcc), &fds[1], 1))
		errx(1, "no fence came");
	fence_fd_wait(fds[1]);
	verdict.saw_blue = gl_pixel_is(40, 2, BLUE, 0) && gl_pixel_is(40, 60, RED, 0);
	fds_send(socket, &verdict, sizeof(verdict), NULL, 0);
	gl.eglDestroyImageKHR(gl.display, image);
	close(fds[0]);
	gl_close();
	return 0;
}

static pid_t start_painter(int *socket)
{
	char arg[16];
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	pid = fork();
	if (!pid) {
		snprintf(arg, sizeof(arg), "%d", dup(pair[1]));
		execl("/proc/self/exe", "gl-dmabuf", "--painter", arg, NULL);
		_exit(127);
	}
	close(pair[1]);
	*socket = pair[0];
	return pid;
}

static void test_two_processes(void)
{
	struct gl_dmabuf buf = { .width = SIZE, .height = SIZE };
	GLuint texture = gl_texture_new(SIZE, WHITE);
	struct verdict verdict = { 0 };
	int socket, status, fds[2];
	EGLImageKHR image;
	pid_t pid;

	gl_draw_to(texture, SIZE, SIZE);
	gl_fill(0, 0, SIZE, SIZE, RED);
	image = gl.eglCreateImageKHR(gl.display, gl.context, EGL_GL_TEXTURE_2D,
				     (EGLClientBuffer)(uintptr_t)texture, NULL);
	tap(image && gl_export(image, &buf) && buf.n_planes == 1 &&
		    buf.modifier == DRM_FORMAT_MOD_LINEAR,
	    "a texture that was not made for it is exported");
	tap(gl_pixel_is(1, 1, RED, 0), "and keeps what was drawn");

	pid = start_painter(&socket);
	fds[0] = buf.planes[0].fd;
	fds[1] = gl_fence_fd_new();
	fds_send(socket, &buf, sizeof(buf), fds, 2);
	close(fds[0]);
	close(fds[1]);
	if (fds_receive(socket, &verdict, sizeof(verdict), fds, 1))
		fence_fd_wait(fds[0]);
	tap(verdict.imported, "another process imports it");
	tap(verdict.saw_red, "and sees what we drew before our fence");
	tap(gl_pixel_is(5, 7, GREEN, 0) && gl_pixel_is(40, 7, RED, 0),
	    "we see what it drew before its fence");
	gl_fill(SIZE / 2, 0, SIZE / 2, 4, BLUE);
	fds[0] = gl_fence_fd_new();
	fds_send(socket, &buf.fourcc, sizeof(buf.fourcc), fds, 1);
	close(fds[0]);
	fds_receive(socket, &verdict, sizeof(verdict), NULL, 0);
	tap(verdict.saw_blue, "it sees what we drew next");
	waitpid(pid, &status, 0);
	tap(WIFEXITED(status) && !WEXITSTATUS(status), "it ends well");
	close(socket);
	gl.eglDestroyImageKHR(gl.display, image);
	glDeleteTextures(1, &texture);
}

/* Memory whose layout the test chooses */

struct memory {
	struct sdrm_resource *res;	/* NULL: a plain allocation */
	struct sdrm_bo *bos[3];
	int n, fds[3];
};

/* Returns one plain allocation, or a shared resource of @n allocations. */
static struct memory memory_new(const uint64_t *sizes, int n, bool resource)
{
	struct memory mem = { .n = n };
	int ret;

	ret = resource ? sdrm_resource_new(gl.dev, SDRM_RESOURCE_SHARED, sizes, n, NULL, 0,
					   &mem.res)
		       : sdrm_bo_new(gl.dev, sizes[0], &mem.bos[0]);
	if (ret)
		errx(1, "no memory: %s", strerror(-ret));
	for (int i = 0; i < n; i++) {
		if (resource)
			mem.bos[i] = sdrm_resource_bo(mem.res, i);
		mem.fds[i] = sdrm_bo_export(mem.bos[i]);
		if (mem.fds[i] < 0 || !sdrm_bo_map(mem.bos[i]))
			errx(1, "memory cannot be exported and mapped");
	}
	return mem;
}

static void memory_del(struct memory *mem)
{
	for (int i = 0; i < mem->n; i++)
		close(mem->fds[i]);
	if (mem->res)
		sdrm_resource_del(mem->res);
	else
		sdrm_bo_del(mem->bos[0]);
}

/* Video frames: four cells of one colour each, in a format of one to three planes. */

struct yuv {
	uint8_t y, u, v;
};

static const struct yuv cells[4] = {
	{ 81, 90, 240 }, { 145, 54, 34 }, { 41, 240, 110 }, { 180, 100, 140 }
};

struct component {
	int plane, at, x, y;		/* byte in the texel; log2 of the subsampling */
	int step, bytes;		/* size of a texel and of the component, in bytes */
};

struct video {
	const char *name;
	uint32_t fourcc;
	int width, height, n_planes;
	uint32_t pitches[3];
	bool apart;			/* each plane is an allocation of a shared resource */
	struct component y, u, v;
};

#define FULL(plane, at, step, bytes) { plane, at, 0, 0, step, bytes }
#define HALF(plane, at, step, bytes) { plane, at, 1, 1, step, bytes }
#define NV12_PLANES 2, .y = FULL(0, 0, 1, 1), .u = HALF(1, 0, 2, 1), .v = HALF(1, 1, 2, 1)
#define YUV420_PLANES 3, .y = FULL(0, 0, 1, 1), .u = HALF(1, 0, 1, 1), .v = HALF(2, 0, 1, 1)
#define YVU420_PLANES 3, .y = FULL(0, 0, 1, 1), .u = HALF(2, 0, 1, 1), .v = HALF(1, 0, 1, 1)
#define YUYV_PLANES 1, .y = FULL(0, 0, 2, 1), .u = { 0, 1, 1, 0, 4, 1 }, .v = { 0, 3, 1, 0, 4, 1 }
#define P010_PLANES 2, .y = FULL(0, 0, 2, 2), .u = HALF(1, 0, 4, 2), .v = HALF(1, 2, 4, 2)

static const struct video videos[] = {
	{ "NV12, one dma-buf", DRM_FORMAT_NV12, 64, 48, NV12_PLANES, .pitches = { 64, 64 } },
	{ "NV12, a resource of two allocations", DRM_FORMAT_NV12, 64, 48, NV12_PLANES,
	  .pitches = { 64, 64 }, .apart = true },
	{ "NV12, rows not aligned, at the end of its memory", DRM_FORMAT_NV12, 36, 22, NV12_PLANES,
	  .pitches = { 38, 42 } },
	{ "YUV420, one dma-buf", DRM_FORMAT_YUV420, 128, 48, YUV420_PLANES,
	  .pitches = { 128, 64, 64 } },
	{ "YUV420, a resource of three allocations", DRM_FORMAT_YUV420, 128, 48, YUV420_PLANES,
	  .pitches = { 128, 64, 64 }, .apart = true },
	{ "YUV420, rows not aligned, at the end of its memory", DRM_FORMAT_YUV420, 36, 22,
	  YUV420_PLANES,
	  .pitches = { 37, 19, 21 } },
	{ "YVU420, one dma-buf", DRM_FORMAT_YVU420, 128, 48, YVU420_PLANES,
	  .pitches = { 128, 64, 64 } },
	{ "YUYV", DRM_FORMAT_YUYV, 64, 48, YUYV_PLANES, .pitches = { 128 } },
	{ "P010, one dma-buf", DRM_FORMAT_P010, 64, 48, P010_PLANES, .pitches = { 128, 128 } },
};

static uint64_t plane_size(const struct video *video, int plane)
{
	return (uint64_t)video->pitches[plane] * (plane ? video->height / 2 : video->height);
}

/* Returns the bytes of all planes without the padding of the last row. */
static uint64_t tight_size(const struct video *video)
{
	const int last = video->n_planes - 1;
	uint64_t size = video->width / 2 * video->u.step - video->pitches[last];

	for (int i = 0; i <= last; i++)
		size += plane_size(video, i);
	return size;
}

/* Writes component @which of each cell. */
static void paint_component(const struct video *video, const struct component *c, uint8_t *map,
			    size_t which)
{
	const int width = video->width >> c->x, height = video->height >> c->y;

	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			const struct yuv *cell = &cells[(y >= height / 2) * 2 + (x >= width / 2)];
			uint8_t *to = map + y * video->pitches[c->plane] + x * c->step + c->at;

			/* The cell has the high eight bits. */
			to[c->bytes - 1] = ((const uint8_t *)cell)[which];
		}
	}
}

static uint8_t clamp(double value)
{
	return value < 0 ? 0 : value > 255 ? 255 : value + 0.5;
}

/* Converts BT.601 in limited range. */
static uint32_t to_rgb(const struct yuv *c)
{
	const double y = 1.164 * (c->y - 16), u = c->u - 128, v = c->v - 128;

	return (uint32_t)clamp(y + 1.596 * v) << 24 | clamp(y - 0.392 * u - 0.813 * v) << 16 |
	       clamp(y + 2.017 * u) << 8 | 0xff;
}

static bool shows_cells(int width, int height)
{
	bool ok = true;

	for (int i = 0; i < 4; i++)
		ok &= gl_pixel_is(width / 4 + i % 2 * width / 2, height / 4 + i / 2 * height / 2,
				  to_rgb(&cells[i]), 3);
	return ok;
}

static bool draw_video(EGLImageKHR image, int width, int height)
{
	GLuint texture = gl_texture_of(image, GL_TEXTURE_EXTERNAL_OES);
	GLuint frame = gl_texture_new(128, WHITE);
	bool ok;

	gl_draw_to(frame, width, height);
	gl_draw(GL_TEXTURE_EXTERNAL_OES, texture);
	ok = shows_cells(width, height);
	glDeleteTextures(1, &texture);
	glDeleteTextures(1, &frame);
	return ok;
}

/*
 * Imports @buf in GBM and exports it again to @back. GBM can export each plane; EGL's export has
 * only the first.
 */
static bool there_and_back(const struct gl_dmabuf *buf, struct gl_dmabuf *back)
{
	struct gbm_import_fd_modifier_data data = {
		.width = buf->width, .height = buf->height, .format = buf->fourcc,
		.num_fds = buf->n_planes, .modifier = buf->modifier,
	};
	struct gbm_bo *bo;
	bool same;

	for (int i = 0; i < buf->n_planes; i++) {
		data.fds[i] = buf->planes[i].fd;
		data.strides[i] = buf->planes[i].pitch;
		data.offsets[i] = buf->planes[i].offset;
	}
	bo = gbm_bo_import(gl.gbm, GBM_BO_IMPORT_FD_MODIFIER, &data, 0);
	if (!bo)
		return false;
	same = gbm_bo_get_plane_count(bo) == buf->n_planes &&
	       gbm_bo_get_modifier(bo) == buf->modifier;
	*back = *buf;
	for (int i = 0; i < buf->n_planes; i++) {
		struct gl_plane *plane = &back->planes[i];

		*plane = (struct gl_plane){ gbm_bo_get_fd_for_plane(bo, i),
					    gbm_bo_get_offset(bo, i),
					    gbm_bo_get_stride_for_plane(bo, i) };
		same &= plane->fd >= 0 && plane->offset == buf->planes[i].offset &&
			plane->pitch == buf->planes[i].pitch;
	}
	gbm_bo_destroy(bo);
	return same;
}

static bool draw_imported(const struct gl_dmabuf *buf)
{
	EGLImageKHR image = gl_import(buf);
	const bool ok = image && draw_video(image, buf->width, buf->height);

	if (image)
		gl.eglDestroyImageKHR(gl.display, image);
	return ok;
}

static bool draw_there_and_back(const struct gl_dmabuf *buf)
{
	struct gl_dmabuf back;
	bool ok;

	if (!there_and_back(buf, &back))
		return false;
	ok = draw_imported(&back);
	for (int i = 0; i < back.n_planes; i++)
		close(back.planes[i].fd);
	return ok;
}

static void test_video(const struct video *video)
{
	const struct component *components[3] = { &video->y, &video->u, &video->v };
	struct gl_dmabuf buf = {
		.fourcc = video->fourcc, .width = video->width, .height = video->height,
		.modifier = DRM_FORMAT_MOD_LINEAR, .n_planes = video->n_planes,
	};
	const bool at_end = video->pitches[0] % 16;
	uint64_t sizes[3] = { 0 }, at = 0;
	struct memory mem;
	bool ok;

	for (int i = 0; i < video->n_planes; i++)
		sizes[video->apart ? i : 0] += plane_size(video, i);
	mem = memory_new(sizes, video->apart ? video->n_planes : 1, video->apart);
	if (at_end)
		at = sdrm_bo_size(mem.bos[0]) - tight_size(video);
	for (int i = 0; i < video->n_planes; i++) {
		buf.planes[i] = (struct gl_plane){ mem.fds[video->apart ? i : 0], at,
						   video->pitches[i] };
		at += video->apart ? 0 : plane_size(video, i);
	}
	for (int i = 0; i < 3; i++) {
		const int plane = components[i]->plane;
		uint8_t *map = sdrm_bo_map(mem.bos[video->apart ? plane : 0]);

		paint_component(video, components[i], map + buf.planes[plane].offset, i);
	}
	ok = draw_imported(&buf) && draw_there_and_back(&buf);
	/* With an offset of two more bytes, the last row exceeds the memory. */
	if (at_end) {
		buf.planes[video->n_planes - 1].offset += 2;
		ok &= !gl_import(&buf) && eglGetError() == EGL_BAD_ALLOC;
	}
	tap(ok, "%s", video->name);
	memory_del(&mem);
}

/* RGB images whose layout comes from another driver */

#define FILL 0x5a

static bool only_inside(const uint8_t *map, uint64_t size, const struct gl_dmabuf *buf)
{
	const struct gl_plane *plane = &buf->planes[0];

	for (uint64_t i = 0; i < size; i++) {
		const uint64_t at = i - plane->offset, x = at % plane->pitch, y = at / plane->pitch;
		const bool inside = i >= plane->offset && x < buf->width * 4u &&
				    y < (unsigned)buf->height;

		if (!inside && map[i] != FILL) {
			printf("# byte %d of memory was written\n", (int)i);
			return false;
		}
	}
	return true;
}

static void test_foreign_layout(const char *name, uint32_t offset, uint32_t pitch, bool drawable)
{
	static const uint64_t size = 65536;
	struct memory mem = memory_new(&size, 1, true);
	uint8_t *map = sdrm_bo_map(mem.bos[0]);
	struct gl_dmabuf buf = {
		.fourcc = DRM_FORMAT_ABGR8888, .width = 50, .height = 30, .n_planes = 1,
		.modifier = DRM_FORMAT_MOD_INVALID, .planes = { { mem.fds[0], offset, pitch } },
	};
	GLuint frame = gl_texture_new(SIZE, WHITE), texture;
	EGLImageKHR image;
	bool ok;

	memset(map, FILL, size);
	for (int y = 0; y < buf.height; y++)
		for (int x = 0; x < buf.width * 4; x++)
			map[offset + y * pitch + x] = x % 4 == 0 ? y : x % 4 == 1 ? x / 4 : 0xff;
	image = gl_import(&buf);
	texture = gl_texture_of(image, GL_TEXTURE_2D);
	gl_draw_to(frame, buf.width, buf.height);
	gl_draw(GL_TEXTURE_2D, texture);
	ok = gl_pixel_is(0, 0, 0x0000ffff, 0) && gl_pixel_is(49, 29, 0x1d31ffff, 0) &&
	     gl_pixel_is(20, 10, 0x0a14ffff, 0);
	if (drawable) {
		gl_draw_to(texture, buf.width, buf.height);
		gl_fill(0, 0, buf.width, buf.height, GREEN);
		glFinish();
		ok &= !memcmp(map + offset + 29 * pitch + 49 * 4, "\0\xff\0\xff", 4);
	}
	tap(ok && only_inside(map, size, &buf), "%s", name);
	glDeleteTextures(1, &texture);
	glDeleteTextures(1, &frame);
	gl.eglDestroyImageKHR(gl.display, image);
	memory_del(&mem);
}

/* Bad arguments */

static void refused(const char *what, struct gl_dmabuf buf, EGLint error)
{
	EGLImageKHR image = gl_import(&buf);
	const EGLint got = eglGetError();

	if (got != error)
		printf("# EGL error is %#x instead of %#x\n", got, error);
	tap(!image && got == error, "refused: %s", what);
	if (image)
		gl.eglDestroyImageKHR(gl.display, image);
}

static void test_refused(void)
{
	static const uint64_t size = 65536;
	struct memory mem = memory_new(&size, 1, true);
	const struct gl_dmabuf good = {
		.fourcc = DRM_FORMAT_ABGR8888, .width = 128, .height = 128, .n_planes = 1,
		.modifier = DRM_FORMAT_MOD_LINEAR, .planes = { { mem.fds[0], 0, 512 } },
	};
	const int fds = fds_open(), ids = driver_count("res_ids"),
		  memfd = memfd_create("not a dma-buf", 0);
	struct gl_dmabuf buf;

	buf = good, buf.height = 129;
	refused("an image larger than its memory", buf, EGL_BAD_ALLOC);
	buf = good, buf.fourcc = DRM_FORMAT_R8, buf.width = 20000, buf.height = 1,
	buf.planes[0].pitch = 20032;
	refused("an image wider than the device can", buf, EGL_BAD_ALLOC);
	buf = good, buf.planes[0].offset = 4;
	refused("an image that ends behind its memory", buf, EGL_BAD_ALLOC);
	buf = good, buf.planes[0].offset = 1 << 30;
	refused("an image behind its memory", buf, EGL_BAD_ALLOC);
	buf = good, buf.planes[0].pitch = 508;
	refused("rows that overlap", buf, EGL_BAD_ALLOC);
	buf = good, buf.height = 64, buf.planes[0].pitch = 513;
	refused("rows between texels", buf, EGL_BAD_ALLOC);
	buf = good, buf.planes[0].fd = memfd;
	refused("a file that is no dma-buf", buf, EGL_BAD_ALLOC);
	buf = good, buf.modifier = I915_FORMAT_MOD_X_TILED;
	refused("a tiled image", buf, EGL_BAD_MATCH);
	buf = good, buf.fourcc = 0x20202020;
	refused("an unknown format", buf, EGL_BAD_MATCH);
	buf = good, buf.fourcc = DRM_FORMAT_NV12, buf.width = 1, buf.n_planes = 2;
	buf.planes[1] = buf.planes[0];
	refused("NV12 of one column", buf, EGL_BAD_ALLOC);
	buf = good, buf.fourcc = DRM_FORMAT_NV12;
	refused("NV12 with one plane", buf, EGL_BAD_PARAMETER);
	close(memfd);
	tap(fds_open() == fds && driver_count("res_ids") == ids,
	    "nothing is left of what was refused");
	memory_del(&mem);
}

/* Each image is one driver resource, and each import a new one. */

static void test_one_to_one(void)
{
	const int resources = driver_count("resources"), ids = driver_count("res_ids");
	struct gbm_bo *bo = gbm_bo_create(gl.gbm, SIZE, SIZE, GBM_FORMAT_ABGR8888,
					  GBM_BO_USE_RENDERING);
	struct gl_dmabuf buf = {
		.fourcc = DRM_FORMAT_ABGR8888, .width = SIZE, .height = SIZE, .n_planes = 1,
		.modifier = DRM_FORMAT_MOD_LINEAR,
	};
	EGLImageKHR images[3];
	int fd = gbm_bo_get_fd(bo);

	tap(driver_count("resources") == resources + 1 && driver_count("res_ids") == ids + 1,
	    "a buffer is one resource");
	buf.planes[0] = (struct gl_plane){ fd, 0, gbm_bo_get_stride(bo) };
	for (int i = 0; i < 3; i++)
		images[i] = gl_import(&buf);
	tap(driver_count("resources") == resources + 1 && driver_count("res_ids") == ids + 4,
	    "each import has an id of its own of that resource");
	gbm_bo_destroy(bo);
	close(fd);
	for (int i = 0; i < 2; i++)
		gl.eglDestroyImageKHR(gl.display, images[i]);
	tap(driver_count("resources") == resources + 1 && driver_count("res_ids") == ids + 1,
	    "the last import keeps it");
	gl.eglDestroyImageKHR(gl.display, images[2]);
	tap(driver_count("resources") == resources && driver_count("res_ids") == ids,
	    "and is its end");
}

/* GBM */

static bool map_and_fill(struct gbm_bo *bo, uint32_t color)
{
	uint32_t stride;
	void *data = NULL;
	uint8_t *map = gbm_bo_map(bo, 0, 0, SIZE, SIZE, GBM_BO_TRANSFER_WRITE, &stride, &data);

	if (!map)
		return false;
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE * 4; x++)
			map[y * stride + x] = color >> (24 - x % 4 * 8);
	gbm_bo_unmap(bo, data);
	return true;
}

static bool map_shows(struct gbm_bo *bo, int x, int y, uint32_t color)
{
	uint32_t stride;
	void *data = NULL;
	const uint8_t *map = gbm_bo_map(bo, x, y, 1, 1, GBM_BO_TRANSFER_READ, &stride, &data);
	const bool ok = map && map[0] == color >> 24 && map[1] == (color >> 16 & 255) &&
			map[2] == (color >> 8 & 255) && map[3] == (color & 255);

	if (map)
		gbm_bo_unmap(bo, data);
	return ok;
}

static EGLImageKHR image_of_bo(struct gbm_bo *bo)
{
	return gl.eglCreateImageKHR(gl.display, EGL_NO_CONTEXT, EGL_NATIVE_PIXMAP_KHR,
				    (EGLClientBuffer)bo, NULL);
}

/* Draws to a GBM buffer as a texture. */
static void fill_bo(struct gbm_bo *bo, int width, uint32_t color)
{
	EGLImageKHR image = image_of_bo(bo);
	GLuint texture = gl_texture_of(image, GL_TEXTURE_2D);

	gl_draw_to(texture, SIZE, SIZE);
	gl_fill(0, 0, width, SIZE, color);
	glFlush();
	glDeleteTextures(1, &texture);
	gl.eglDestroyImageKHR(gl.display, image);
}

static void test_gbm(void)
{
	struct gbm_bo *bo = gbm_bo_create(gl.gbm, SIZE, SIZE, GBM_FORMAT_ABGR8888,
					  GBM_BO_USE_RENDERING | GBM_BO_USE_SCANOUT);
	struct gbm_import_fd_data plain = {
		.fd = gbm_bo_get_fd(bo), .width = SIZE, .height = SIZE,
		.stride = gbm_bo_get_stride(bo), .format = GBM_FORMAT_ABGR8888,
	};
	struct gbm_import_fd_modifier_data modified = {
		.width = SIZE, .height = SIZE, .format = GBM_FORMAT_ABGR8888, .num_fds = 1,
		.fds = { gbm_bo_get_fd_for_plane(bo, 0) },
		.strides = { gbm_bo_get_stride_for_plane(bo, 0) },
		.offsets = { gbm_bo_get_offset(bo, 0) }, .modifier = gbm_bo_get_modifier(bo),
	};
	struct gbm_bo *imports[2];

	tap(map_and_fill(bo, RED) && map_shows(bo, 63, 63, RED), "gbm_bo_map writes and reads");
	fill_bo(bo, SIZE / 2, GREEN);
	tap(map_shows(bo, 3, 50, GREEN) && map_shows(bo, 50, 3, RED), "gbm_bo_map waits for GL");
	imports[0] = gbm_bo_import(gl.gbm, GBM_BO_IMPORT_FD, &plain, GBM_BO_USE_RENDERING);
	imports[1] = gbm_bo_import(gl.gbm, GBM_BO_IMPORT_FD_MODIFIER, &modified,
				   GBM_BO_USE_RENDERING);
	tap(imports[0] && map_shows(imports[0], 3, 50, GREEN), "GBM imports a file descriptor");
	tap(imports[1] && map_shows(imports[1], 3, 50, GREEN), "GBM imports one with a modifier");
	fill_bo(imports[1], SIZE, BLUE);
	tap(map_shows(imports[0], 50, 3, BLUE) && map_shows(bo, 3, 50, BLUE),
	    "all of them are the same memory");
	close(plain.fd);
	close(modified.fds[0]);
	gbm_bo_destroy(imports[0]);
	gbm_bo_destroy(imports[1]);
	gbm_bo_destroy(bo);
	plain.fd = memfd_create("not a dma-buf", 0);
	tap(!gbm_bo_import(gl.gbm, GBM_BO_IMPORT_FD, &plain, 0),
	    "GBM refuses a file that is no dma-buf");
	close(plain.fd);
}

/*
 * GBM devices of one open file are one device to the driver until the last of them is destroyed; a
 * file that then has its number is another device. The handle of a buffer has to belong to the file
 * of its device.
 */
static void test_gbm_devices(void)
{
	char *node = drmGetRenderDeviceNameFromFd(gl.drm);
	int first = open(node, O_RDWR | O_CLOEXEC), second = open(node, O_RDWR | O_CLOEXEC);
	struct gbm_device *a, *b, *c;
	struct gbm_bo *bo;
	uint32_t handle;
	int dma_buf = -1;

	a = gbm_create_device(first);
	b = gbm_create_device(first);
	gbm_device_destroy(a);
	c = gbm_create_device(second);
	bo = c ? gbm_bo_create(c, SIZE, SIZE, GBM_FORMAT_ABGR8888, GBM_BO_USE_RENDERING) : NULL;
	handle = bo ? gbm_bo_get_handle(bo).u32 : 0;
	tap(handle && !drmPrimeHandleToFD(second, handle, DRM_CLOEXEC, &dma_buf),
	    "a device has its own file's handles");
	close(dma_buf);
	if (bo)
		gbm_bo_destroy(bo);
	gbm_device_destroy(b);
	gbm_device_destroy(c);
	for (int i = 0; i < 2; i++) {
		a = gbm_create_device(first);
		bo = a ? gbm_bo_create(a, SIZE, SIZE, GBM_FORMAT_ABGR8888, GBM_BO_USE_RENDERING)
		       : NULL;
		tap(bo && map_and_fill(bo, RED) && map_shows(bo, 3, 5, RED),
		    "a device that comes after others");
		if (bo)
			gbm_bo_destroy(bo);
		gbm_device_destroy(a);
	}
	close(first);
	close(second);
	free(node);
}

/* Imports an exported image: both are the same memory. */
static void test_round_trip(void)
{
	struct gbm_bo *bo = gbm_bo_create(gl.gbm, SIZE, SIZE, GBM_FORMAT_ABGR8888,
					  GBM_BO_USE_RENDERING);
	EGLImageKHR first = image_of_bo(bo), second = NULL;
	struct gl_dmabuf buf = { .width = SIZE, .height = SIZE };
	GLuint texture;

	map_and_fill(bo, RED);
	tap(first && gl_export(first, &buf), "an image of a buffer is exported");
	second = gl_import(&buf);
	texture = gl_texture_of(second, GL_TEXTURE_2D);
	gl_draw_to(texture, SIZE, SIZE);
	tap(gl_pixel_is(9, 9, RED, 0), "and imported again");
	gl_fill(0, 0, SIZE, SIZE, GREEN);
	glFlush();
	tap(map_shows(bo, 9, 9, GREEN), "it is the same memory");
	glDeleteTextures(1, &texture);
	gl.eglDestroyImageKHR(gl.display, second);
	gl.eglDestroyImageKHR(gl.display, first);
	close(buf.planes[0].fd);
	gbm_bo_destroy(bo);
}

/*
 * The driver places a large texture at any offset of its memory, and moves it to offset 0 for the
 * export.
 */
static void test_large(void)
{
	const int size = 600;
	struct gl_dmabuf buf = { .width = size, .height = size };
	GLuint texture = gl_texture_new(size, WHITE), again;
	EGLImageKHR image, imported;

	gl_draw_to(texture, size, size);
	gl_fill(0, size / 2, size, size / 2, RED);
	image = gl.eglCreateImageKHR(gl.display, gl.context, EGL_GL_TEXTURE_2D,
				     (EGLClientBuffer)(uintptr_t)texture, NULL);
	tap(image && gl_export(image, &buf) && buf.planes[0].offset == 0,
	    "a large texture is exported, and begins where its memory does");
	gl_fill(0, 0, size / 2, size, GREEN);
	glFinish();
	imported = gl_import(&buf);
	again = gl_texture_of(imported, GL_TEXTURE_2D);
	gl_draw_to(again, size, size);
	tap(gl_pixel_is(0, 0, GREEN, 0) && gl_pixel_is(size - 1, 0, WHITE, 0) &&
		    gl_pixel_is(size - 1, size - 1, RED, 0),
	    "its picture is whole where it is imported, with what was drawn since");
	gl_fill(size / 2, 0, size / 2, size, BLUE);
	glFinish();
	gl_draw_to(texture, size, size);
	tap(gl_pixel_is(0, size - 1, GREEN, 0) && gl_pixel_is(size - 1, size - 1, BLUE, 0),
	    "and so is what is drawn there");
	glDeleteTextures(1, &again);
	glDeleteTextures(1, &texture);
	gl.eglDestroyImageKHR(gl.display, imported);
	gl.eglDestroyImageKHR(gl.display, image);
	close(buf.planes[0].fd);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--painter"))
		return painter(atoi(argv[2]));
	gl_open(EGL_OPENGL_ES_API);
	test_offered(gl.drm >= 0);
	if (gl.drm >= 0) {
		test_modifiers();
		test_two_processes();
		for (size_t i = 0; i < COUNT(videos); i++)
			test_video(&videos[i]);
		test_foreign_layout("RGB at an offset", 4096, 256, true);
		test_foreign_layout("RGB with long rows", 64, 320, true);
		test_foreign_layout("RGB with rows aligned to 16 bytes, at any 16", 48, 208, true);
		test_foreign_layout("RGB with rows that are not aligned, to sample", 52, 204,
				    false);
		test_refused();
		test_one_to_one();
		test_gbm();
		test_gbm_devices();
		test_round_trip();
		test_large();
	}
	gl_close();
	return tap_failures() != 0;
}

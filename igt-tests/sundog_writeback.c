// SPDX-License-Identifier: MIT
/*
 * Writeback connectors: a frame that is written to a framebuffer is what the head shows, each
 * writeback completes or has an error, and nothing is left behind.
 */
#include "sundog_head.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <linux/sync_file.h>

IGT_TEST_DESCRIPTION("Writeback connectors of a sundog device");

#define MAX_HEADS 4
#define CELL 32
#define MARK 0x5a5a5a5a

/* A head and its writeback connector. */
struct writer {
	struct sd_head head;
	uint32_t connector;
};

static struct writer find_writer(int fd, uint32_t index)
{
	struct writer w = { .head = sd_find_head(fd, index) };
	drmModeConnectorPtr connector = sd_find_connector(fd, index, DRM_MODE_CONNECTOR_WRITEBACK);

	igt_require(connector);
	w.connector = connector->connector_id;
	drmModeFreeConnector(connector);
	return w;
}

static void set_connector(drmModeAtomicReqPtr req, const struct writer *w, const char *name,
			  uint64_t value)
{
	sd_set(req, w->head.fd, w->connector, DRM_MODE_OBJECT_CONNECTOR, name, value);
}

static int commit(const struct writer *w, drmModeAtomicReqPtr req, uint32_t flags)
{
	int ret = drmModeAtomicCommit(w->head.fd, req, flags, NULL);

	drmModeAtomicFree(req);
	return ret;
}

/*
 * Shows the planes and attaches the writeback connector, so that frames can be written from now on.
 */
static void start(const struct writer *w, const struct sd_shown *shown, uint32_t n)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	igt_assert_eq(sd_show_try(&w->head, shown, n), 0);
	set_connector(req, w, "CRTC_ID", w->head.crtc);
	igt_assert_eq(commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
}

static int detach_try(const struct writer *w)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	set_connector(req, w, "CRTC_ID", 0);
	return commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET);
}

static void stop(const struct writer *w)
{
	igt_assert_eq(detach_try(w), 0);
	igt_assert_eq(sd_turn_off(&w->head), 0);
}

static void add_write(drmModeAtomicReqPtr req, const struct writer *w, uint32_t fb, int32_t *fence)
{
	set_connector(req, w, "WRITEBACK_FB_ID", fb);
	set_connector(req, w, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)fence);
}

/* Commits the planes with a writeback of the frame to @fb. Returns 0 or -errno. */
static int write_try(const struct writer *w, const struct sd_shown *shown, uint32_t n, uint32_t fb,
		     int32_t *fence, uint32_t flags)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	sd_add_shown(req, &w->head, shown, n);
	add_write(req, w, fb, fence);
	return commit(w, req, flags);
}

/* Waits for a fence and closes it. Returns 1, or the fence's error. */
static int wait_fence(int fence)
{
	struct sync_file_info info = { 0 };

	igt_assert(fence >= 0);
	igt_assert(sd_is_ready(fence, POLLIN, sd_patience_ms()));
	igt_assert_eq(ioctl(fence, SYNC_IOC_FILE_INFO, &info), 0);
	close(fence);
	return info.status;
}

static void write_frame(const struct writer *w, const struct sd_shown *shown, uint32_t n,
			const struct sd_picture *to)
{
	int32_t fence = -1;

	igt_assert_eq(write_try(w, shown, n, to->fb, &fence, 0), 0);
	igt_assert_eq(wait_fence(fence), 1);
}

static bool is_same(const struct sd_picture *written, const struct sd_picture *expected)
{
	for (uint32_t y = 0; y < expected->height; y++) {
		for (uint32_t x = 0; x < expected->width; x++) {
			if (*sd_pixel_at(written, x, y) !=
			    (*sd_pixel_at(expected, x, y) | 0xff000000)) {
				igt_info("(%u, %u) is %08x and not %08x\n", x, y,
					 *sd_pixel_at(written, x, y), *sd_pixel_at(expected, x, y));
				return false;
			}
		}
	}
	return true;
}

static void fill_picture(const struct sd_picture *p, uint32_t pixel)
{
	sd_paint(p, 0, 0, p->width, p->height, pixel);
}

/* Tests */

/* Checks that the written frame is as the CPU draws it, and has the CRC of the head. */
static void check_frame(const struct writer *w, const struct sd_shown *shown, uint32_t n,
			const struct sd_picture *expected)
{
	struct sd_picture to = sd_canvas(&w->head);

	write_frame(w, shown, n, &to);
	igt_assert(is_same(&to, expected));
	igt_assert_eq_u32(sd_next_crc(&w->head), sd_crc32(&to));
	sd_picture_free(w->head.fd, &to);
}

static void test_pixels(const struct writer *w)
{
	const int fd = w->head.fd;
	struct sd_picture below = sd_canvas(&w->head), expected = sd_canvas(&w->head);
	struct sd_picture cell = sd_picture(fd, DRM_FORMAT_XRGB8888, CELL, CELL);
	struct sd_picture cursor = sd_picture(fd, DRM_FORMAT_ARGB8888, CELL, CELL);
	const struct sd_shown shown[] = {
		{ .picture = &below },
		{ .picture = &cell, .x = 40, .y = 50, .width = 2 * CELL, .height = 3 * CELL },
		{ 0 },
		{ .picture = &cursor, .x = 300, .y = -8 },
	};
	struct drm_color_lut lut[256];

	sd_paint_places(&below);
	sd_paint_places(&expected);
	start(w, shown, 1);
	check_frame(w, shown, 1, &expected);

	fill_picture(&below, 0x204060);
	fill_picture(&expected, 0x204060);
	sd_paint_places(&cell);
	for (int y = 0; y < 3 * CELL; y++) {
		for (int x = 0; x < 2 * CELL; x++)
			*sd_pixel_at(&expected, 40 + x, 50 + y) = sd_place(x / 2, y / 3);
	}
	fill_picture(&cursor, 0x80402010);
	sd_paint(&expected, 300, -8, CELL, CELL, 0x504040);
	check_frame(w, shown, 4, &expected);

	for (int i = 0; i < 256; i++)
		lut[i] = (struct drm_color_lut) { 65535 - 257 * i, 65535 - 257 * i,
						  65535 - 257 * i, 0 };
	for (uint32_t y = 0; y < expected.height; y++) {
		for (uint32_t x = 0; x < expected.width; x++)
			*sd_pixel_at(&expected, x, y) ^= 0xffffff;
	}
	igt_assert_eq(sd_set_color(&w->head, "GAMMA_LUT", lut, sizeof(lut)), 0);
	check_frame(w, shown, 4, &expected);
	igt_assert_eq(sd_set_color(&w->head, "GAMMA_LUT", NULL, 0), 0);
	stop(w);
	sd_picture_free(fd, &cursor);
	sd_picture_free(fd, &cell);
	sd_picture_free(fd, &expected);
	sd_picture_free(fd, &below);
}

/* Writes to a framebuffer in the middle of a larger one: the pixels around it stay. */
static void test_part(const struct writer *w)
{
	const uint32_t width = w->head.mode.hdisplay, height = w->head.mode.vdisplay;
	const int fd = w->head.fd;
	struct sd_picture canvas = sd_canvas(&w->head);
	struct sd_picture large = sd_picture(fd, DRM_FORMAT_XRGB8888, width + 64, height + 3),
		part = large;
	const struct sd_shown shown = { .picture = &canvas };
	uint32_t handles[4] = { large.handle }, pitches[4] = { large.pitch };
	uint32_t offsets[4] = { 2 * large.pitch + 16 * 4 };

	part.width = width;
	part.height = height;
	part.map += offsets[0];
	igt_assert_eq(drmModeAddFB2(fd, width, height, DRM_FORMAT_XRGB8888, handles, pitches,
				    offsets, &part.fb, 0), 0);
	sd_paint_places(&canvas);
	fill_picture(&large, MARK);
	start(w, &shown, 1);
	write_frame(w, &shown, 1, &part);
	igt_assert(is_same(&part, &canvas));
	fill_picture(&part, MARK);
	for (uint32_t y = 0; y < large.height; y++) {
		for (uint32_t x = 0; x < large.width; x++)
			igt_assert_eq_u32(*sd_pixel_at(&large, x, y), MARK);
	}
	stop(w);
	igt_assert_eq(drmModeRmFB(fd, part.fb), 0);
	sd_picture_free(fd, &large);
	sd_picture_free(fd, &canvas);
}

static bool has_format(const struct writer *w, uint32_t format)
{
	drmModePropertyBlobPtr blob;
	uint64_t id = 0;
	bool found = false;

	igt_assert(sd_find_prop(w->head.fd, w->connector, DRM_MODE_OBJECT_CONNECTOR,
				"WRITEBACK_PIXEL_FORMATS", &id));
	blob = drmModeGetPropertyBlob(w->head.fd, id);
	igt_assert(blob);
	for (uint32_t i = 0; i < blob->length / 4; i++)
		found |= ((const uint32_t *)blob->data)[i] == format;
	drmModeFreePropertyBlob(blob);
	return found;
}

/* The connector writes the formats that it advertises, and no others that planes show. */
static void test_formats(const struct writer *w)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB2101010,
		DRM_FORMAT_ARGB16161616F,
		DRM_FORMAT_RGB565, DRM_FORMAT_NV12,
	};
	struct sd_picture canvas = sd_canvas(&w->head);
	const struct sd_shown shown = { .picture = &canvas };

	sd_paint_places(&canvas);
	start(w, &shown, 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct sd_picture to = sd_picture(w->head.fd, formats[i], canvas.width,
						  canvas.height);
		int32_t fence = -1;

		igt_assert_eq(has_format(w, formats[i]), i < 2);
		if (i < 2) {
			write_frame(w, &shown, 1, &to);
			igt_assert(is_same(&to, &canvas));
		} else {
			igt_assert_eq(write_try(w, &shown, 1, to.fb, &fence, 0), -EINVAL);
			igt_assert_eq(fence, -1);
		}
		sd_picture_free(w->head.fd, &to);
	}
	stop(w);
	sd_picture_free(w->head.fd, &canvas);
}

static void test_invalid(const struct writer *w)
{
	const int fd = w->head.fd;
	struct sd_picture canvas = sd_canvas(&w->head);
	struct sd_picture small = sd_picture(fd, DRM_FORMAT_XRGB8888, canvas.width - 1,
					     canvas.height);
	struct sd_picture large = sd_picture(fd, DRM_FORMAT_XRGB8888, canvas.width,
					     canvas.height + 1);
	const struct sd_shown shown = { .picture = &canvas };
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int32_t fence = -1;

	/* A connector without a CRTC, and one whose CRTC is off. */
	add_write(req, w, canvas.fb, &fence);
	igt_assert_eq(commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET), -EINVAL);
	start(w, &shown, 1);
	req = drmModeAtomicAlloc();
	sd_set(req, fd, w->head.crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 0);
	add_write(req, w, canvas.fb, &fence);
	igt_assert_eq(commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET), -EINVAL);

	igt_assert_eq(write_try(w, &shown, 1, small.fb, &fence, 0), -EINVAL);
	igt_assert_eq(write_try(w, &shown, 1, large.fb, &fence, 0), -EINVAL);
	igt_assert_eq(write_try(w, &shown, 1, w->head.crtc, &fence, 0), -EINVAL);
	/* An out-fence without a framebuffer. */
	igt_assert_eq(write_try(w, &shown, 1, 0, &fence, 0), -EINVAL);
	igt_assert_eq(fence, -1);
	igt_assert_eq(write_try(w, &shown, 1, 0, NULL, 0), 0);
	igt_assert_eq(write_try(w, &shown, 1, large.fb, NULL, DRM_MODE_ATOMIC_TEST_ONLY), -EINVAL);
	stop(w);
	sd_picture_free(fd, &large);
	sd_picture_free(fd, &small);
	sd_picture_free(fd, &canvas);
}

/* Writes all heads in one commit; each head shows something else. */
static void test_heads(int fd)
{
	const uint32_t count = sd_count_heads(fd);
	struct sd_picture canvases[MAX_HEADS], tos[MAX_HEADS];
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct writer writers[MAX_HEADS];
	int32_t fences[MAX_HEADS];

	igt_require(count > 1);
	igt_assert(count <= MAX_HEADS);
	for (uint32_t i = 0; i < count; i++) {
		struct sd_shown shown = { .picture = &canvases[i] };

		writers[i] = find_writer(fd, i);
		canvases[i] = sd_canvas(&writers[i].head);
		tos[i] = sd_canvas(&writers[i].head);
		sd_paint_places(&canvases[i]);
		sd_paint(&canvases[i], 10 * i, 0, 10, 10, 0xffffff);
		start(&writers[i], &shown, 1);
		sd_add_shown(req, &writers[i].head, &shown, 1);
		add_write(req, &writers[i], tos[i].fb, &fences[i]);
	}
	igt_assert_eq(commit(&writers[0], req, DRM_MODE_ATOMIC_NONBLOCK), 0);
	for (uint32_t i = 0; i < count; i++) {
		igt_assert_eq(wait_fence(fences[i]), 1);
		igt_assert(is_same(&tos[i], &canvases[i]));
	}
	for (uint32_t i = 0; i < count; i++) {
		stop(&writers[i]);
		sd_picture_free(fd, &canvases[i]);
		sd_picture_free(fd, &tos[i]);
	}
}

/* A head whose only connector is the writeback connector. */
static void test_alone(const struct writer *w)
{
	const int fd = w->head.fd;
	struct sd_picture canvas = sd_canvas(&w->head), to = sd_canvas(&w->head);
	const struct sd_shown shown = { .picture = &canvas };
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int32_t fence = -1;
	uint32_t mode;

	sd_paint_places(&canvas);
	igt_assert_eq(drmModeCreatePropertyBlob(fd, &w->head.mode, sizeof(w->head.mode), &mode), 0);
	set_connector(req, w, "CRTC_ID", w->head.crtc);
	sd_set(req, fd, w->head.crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", mode);
	sd_set(req, fd, w->head.crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
	sd_add_shown(req, &w->head, &shown, 1);
	add_write(req, w, to.fb, &fence);
	igt_assert_eq(commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
	igt_assert_eq(wait_fence(fence), 1);
	igt_assert(is_same(&to, &canvas));
	drmModeDestroyPropertyBlob(fd, mode);
	req = drmModeAtomicAlloc();
	set_connector(req, w, "CRTC_ID", 0);
	sd_set(req, fd, w->head.crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", 0);
	sd_set(req, fd, w->head.crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 0);
	sd_add_shown(req, &w->head, NULL, 0);
	igt_assert_eq(commit(w, req, DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
	sd_picture_free(fd, &to);
	sd_picture_free(fd, &canvas);
}

/* Each frame is written while the next one is committed. */
static void test_flips(const struct writer *w)
{
	const uint32_t rounds = sd_rounds(20, 500);
	const int fd = w->head.fd;
	struct sd_picture canvases[2], tos[2];
	int32_t fences[2] = { -1, -1 };

	for (uint32_t i = 0; i < 2; i++) {
		canvases[i] = sd_canvas(&w->head);
		tos[i] = sd_canvas(&w->head);
		fill_picture(&canvases[i], 0x112233 * (i + 1));
	}
	start(w, &(const struct sd_shown) { .picture = &canvases[0] }, 1);
	for (uint32_t i = 0; i < rounds; i++) {
		const struct sd_shown shown = { .picture = &canvases[i % 2] };

		igt_assert_eq(write_try(w, &shown, 1, tos[i % 2].fb, &fences[i % 2], 0), 0);
		if (i) {
			igt_assert_eq(wait_fence(fences[(i - 1) % 2]), 1);
			igt_assert(is_same(&tos[(i - 1) % 2], &canvases[(i - 1) % 2]));
			fill_picture(&tos[(i - 1) % 2], MARK);
		}
	}
	igt_assert_eq(wait_fence(fences[(rounds - 1) % 2]), 1);
	stop(w);
	for (uint32_t i = 0; i < 2; i++) {
		sd_picture_free(fd, &canvases[i]);
		sd_picture_free(fd, &tos[i]);
	}
}

/*
 * Frames that take the device long: the preferred mode, with half-transparent planes over each
 * other.
 */
struct slow {
	struct writer writer;
	struct sd_picture canvas, above, to;
	struct sd_shown shown[3];
};

static void slow_start(struct slow *s, const struct writer *w)
{
	s->writer = *w;
	s->writer.head.mode = sd_preferred_mode(&w->head);
	s->canvas = sd_canvas(&s->writer.head);
	s->to = sd_canvas(&s->writer.head);
	s->above = sd_picture(w->head.fd, DRM_FORMAT_ARGB8888, s->canvas.width, s->canvas.height);
	fill_picture(&s->canvas, 0x204060);
	fill_picture(&s->to, MARK);
	s->shown[0] = (struct sd_shown) { .picture = &s->canvas };
	s->shown[1] = s->shown[2] = (struct sd_shown) { .picture = &s->above };
	start(&s->writer, s->shown, 3);
}

static int32_t slow_write(struct slow *s, uint32_t flags)
{
	int32_t fence = -1;

	igt_assert_eq(write_try(&s->writer, s->shown, 3, s->to.fb, &fence, flags), 0);
	return fence;
}

static void slow_free(struct slow *s)
{
	const int fd = s->writer.head.fd;

	sd_picture_free(fd, &s->to);
	sd_picture_free(fd, &s->above);
	sd_picture_free(fd, &s->canvas);
}

static void on_flip(int fd, unsigned int frame, unsigned int sec, unsigned int usec, void *data)
{
	(void)fd, (void)frame, (void)sec, (void)usec;
	*(bool *)data = true;
}

static void wait_flip(int fd, bool *flipped)
{
	drmEventContext events = { .version = 2, .page_flip_handler = on_flip };

	while (!*flipped) {
		igt_assert(sd_is_ready(fd, POLLIN, sd_patience_ms()));
		igt_assert_eq(drmHandleEvent(fd, &events), 0);
	}
}

/* A client that learns that its picture is not shown any more draws to it at once. */
static void test_flip_meanwhile(const struct writer *w, uint32_t flags)
{
	const int fd = w->head.fd;
	struct sd_picture other, expected;
	bool flipped = false;
	struct slow s;
	int32_t fence;

	slow_start(&s, w);
	other = sd_canvas(&s.writer.head);
	expected = sd_canvas(&s.writer.head);
	fill_picture(&expected, 0x204060);
	fence = slow_write(&s, 0);
	igt_assert_eq(drmModePageFlip(fd, w->head.crtc, other.fb, DRM_MODE_PAGE_FLIP_EVENT | flags,
				      &flipped), 0);
	wait_flip(fd, &flipped);
	memset(s.canvas.map, 0xff, s.canvas.size);
	igt_assert_eq(wait_fence(fence), 1);
	igt_assert(is_same(&s.to, &expected));
	stop(&s.writer);
	sd_picture_free(fd, &expected);
	sd_picture_free(fd, &other);
	slow_free(&s);
}

/* The framebuffer is removed while it is written; the writeback completes. */
static void test_removed(const struct writer *w)
{
	struct slow s;
	int32_t fence;

	slow_start(&s, w);
	fence = slow_write(&s, DRM_MODE_ATOMIC_NONBLOCK);
	igt_assert_eq(drmModeRmFB(w->head.fd, s.to.fb), 0);
	igt_assert_eq(wait_fence(fence), 1);
	igt_assert(is_same(&s.to, &s.canvas));
	stop(&s.writer);
	munmap(s.to.map, s.to.size);
	igt_assert_eq(drmModeDestroyDumbBuffer(w->head.fd, s.to.handle), 0);
	sd_picture_free(w->head.fd, &s.above);
	sd_picture_free(w->head.fd, &s.canvas);
}

/* Turning a head off completes its writeback. */
static void test_off(const struct writer *w)
{
	struct slow s;
	int32_t fence;

	for (int i = 0; i < 3; i++) {
		slow_start(&s, w);
		fence = slow_write(&s, DRM_MODE_ATOMIC_NONBLOCK);
		stop(&s.writer);
		/* The fence must have signalled by now. */
		igt_assert(sd_is_ready(fence, POLLIN, 0));
		igt_assert_eq(wait_fence(fence), 1);
		igt_assert(is_same(&s.to, &s.canvas));
		slow_free(&s);
	}
}

static int begun[2];

static void open_master(int *fd)
{
	*fd = sd_open_master();
	igt_assert_eq(drmSetClientCap(*fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1), 0);
}

static void write_and_wait(void)
{
	struct writer w;
	struct slow s;
	int fd;

	open_master(&fd);
	w = find_writer(fd, 0);
	slow_start(&s, &w);
	slow_write(&s, DRM_MODE_ATOMIC_NONBLOCK);
	igt_assert_eq(write(begun[1], "", 1), 1);
	pause();
}

/* A client is killed: its framebuffers are freed, and their memory. */
static void test_killed(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	pid_t child;
	char byte;

	igt_assert_eq(drmDropMaster(fd), 0);
	igt_assert_eq(pipe(begun), 0);
	child = sd_start_child(write_and_wait);
	close(begun[1]);
	igt_assert_eq(read(begun[0], &byte, 1), 1);
	close(begun[0]);
	sd_kill_child(child);
	sd_wait_counts(fd, &idle);
	igt_assert_eq(drmSetMaster(fd), 0);
}

/* The driver is unbound: the writeback completes, or its fence has an error. */
static void test_unbind(int *fd)
{
	struct slow s;
	char name[64];
	int32_t fence;
	int status;

	for (int i = 0; i < 3; i++) {
		const struct writer w = find_writer(*fd, 0);

		sd_device_name(*fd, name, sizeof(name));
		slow_start(&s, &w);
		fence = slow_write(&s, i % 2 ? DRM_MODE_ATOMIC_NONBLOCK : 0);
		sd_tell_driver("unbind", name);
		status = wait_fence(fence);
		igt_info("status %d\n", status);
		igt_assert(status == 1 || status == -ENODEV);
		munmap(s.to.map, s.to.size);
		munmap(s.above.map, s.above.size);
		munmap(s.canvas.map, s.canvas.size);
		close(*fd);
		sd_tell_driver("bind", name);
		open_master(fd);
	}
}

static struct slow slow_off;

static void stop_and_pause(void)
{
	detach_try(&slow_off.writer);
	sd_turn_off(&slow_off.writer.head);
	pause();
}

/* Returns true if the process sleeps in a function of the driver, false if it is in pause(). */
static bool sleeps_in_driver(pid_t pid)
{
	const int64_t end = sd_deadline();
	char path[64], function[64] = "";
	int file;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	while (!strstr(function, "sundog")) {
		if (strstr(function, "pause"))
			return false;
		igt_assert_f(sd_now_plus_ms(0) < end, "process %d sleeps in %s\n", pid, function);
		file = open(path, O_RDONLY | O_CLOEXEC);
		igt_assert(file >= 0);
		memset(function, 0, sizeof(function));
		igt_assert(read(file, function, sizeof(function) - 1) >= 0);
		close(file);
	}
	return true;
}

/* Unbinds the driver in a child. Fails if that takes too long: then it never ends. */
static void unbind_in_time(const char *name)
{
	const int64_t end = sd_deadline();
	const pid_t pid = fork();
	int status;

	igt_assert(pid >= 0);
	if (!pid) {
		sd_tell_driver("unbind", name);
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		igt_assert_f(sd_now_plus_ms(0) < end, "the driver is not unbound in time\n");
		usleep(1000);
	}
	igt_assert_eq(status, 0);
}

/* The driver is unbound while a head that is being turned off waits for its frame. */
static void test_unbind_off(int *fd)
{
	int seen = 0;

	for (int i = 0; i < 5; i++) {
		const struct writer w = find_writer(*fd, 0);
		int32_t fence;
		char name[64];
		pid_t child;
		int status;

		sd_device_name(*fd, name, sizeof(name));
		slow_start(&slow_off, &w);
		fence = slow_write(&slow_off, DRM_MODE_ATOMIC_NONBLOCK);
		child = sd_start_child(stop_and_pause);
		seen += sleeps_in_driver(child);
		unbind_in_time(name);
		sd_kill_child(child);
		status = wait_fence(fence);
		igt_assert(status == 1 || status == -ENODEV);
		munmap(slow_off.to.map, slow_off.to.size);
		munmap(slow_off.above.map, slow_off.above.size);
		munmap(slow_off.canvas.map, slow_off.canvas.size);
		close(*fd);
		sd_tell_driver("bind", name);
		open_master(fd);
	}
	igt_info("in %d of 5 tries the head waited\n", seen);
}

igt_main()
{
	static struct writer w;
	static int fd;

	igt_fixture() {
		open_master(&fd);
		w = find_writer(fd, 0);
	}

	igt_describe("A written frame has the pixels that the head shows, with scaled and blended "
		     "planes and a GAMMA_LUT.");
	igt_subtest("pixels")
		test_pixels(&w);

	igt_describe("A writeback framebuffer can have any offset and pitch, and the pixels around "
		     "it are not written.");
	igt_subtest("part")
		test_part(&w);

	igt_describe("The connector writes each format that it advertises, and rejects other "
		     "formats.");
	igt_subtest("formats")
		test_formats(&w);

	igt_describe("A writeback of a wrong size, of a head that is off, or with a fence alone "
		     "fails with EINVAL.");
	igt_subtest("invalid")
		test_invalid(&w);

	igt_describe("One commit writes the frames of all heads.");
	igt_subtest("heads")
		test_heads(fd);

	igt_describe("A head whose only connector is the writeback connector writes its frame.");
	igt_subtest("alone")
		test_alone(&w);

	igt_describe("Each frame is written while the next one is committed.");
	igt_subtest("flips")
		test_flips(&w);

	igt_describe("A flip completes only after the writeback that still reads the previous "
		     "picture.");
	igt_subtest("flip-meanwhile")
		test_flip_meanwhile(&w, 0);
	igt_subtest("async-flip-meanwhile")
		test_flip_meanwhile(&w, DRM_MODE_PAGE_FLIP_ASYNC);

	igt_describe("The writeback completes if its framebuffer is removed meanwhile.");
	igt_subtest("removed")
		test_removed(&w);

	igt_describe("Turning a head off completes its writeback.");
	igt_subtest("off")
		test_off(&w);

	igt_describe("Killing a client during its writeback frees its framebuffers.");
	igt_subtest("killed")
		test_killed(fd);

	igt_describe("When the driver is unbound, a writeback completes or its fence signals "
		     "ENODEV.");
	igt_subtest("unbind")
		test_unbind(&fd);

	igt_describe("The driver can be unbound while turning a head off waits for its writeback.");
	igt_subtest("unbind-while-off")
		test_unbind_off(&fd);

	igt_fixture()
		close(fd);
}

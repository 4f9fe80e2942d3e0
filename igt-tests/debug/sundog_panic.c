// SPDX-License-Identifier: MIT
/*
 * The panic screen over framebuffers of formats that drm_panic does not support. The driver shows
 * the screen in another format instead, so the result is the same as over a framebuffer of that
 * format. Needs a kernel whose debugfs can draw the panic screen without a panic.
 */
#include "sundog_head.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("The panic screen over pictures of any format");

/* Offset in pixels of the visible part in the picture, in the second round. */
#define MARGIN 64

/* Draws the panic screen over the first head's primary plane. */
static void panic_screen(int fd)
{
	struct stat stat;
	char path[64];
	int file;

	igt_assert_eq(fstat(fd, &stat), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/drm_panic_plane_0",
		 minor(stat.st_rdev));
	file = open(path, O_WRONLY);
	igt_require(file >= 0);
	igt_assert_eq(write(file, "1", 1), 1);
	close(file);
}

/* CRCs of the head without and with the panic screen. */
struct panic {
	uint32_t before, after;
};

static struct panic panic_over(const struct sd_head *head, uint32_t format, uint32_t margin)
{
	const uint32_t width = head->mode.hdisplay, height = head->mode.vdisplay;
	struct sd_picture picture = sd_picture(head->fd, format, width + 2 * margin,
					       height + 2 * margin);
	const struct sd_shown shown = {
		.picture = &picture, .width = width, .height = height,
		.src_x = margin, .src_y = margin, .src_w = width, .src_h = height,
	};
	struct panic panic;

	memset(picture.map, 0x3a, picture.size);
	panic.before = sd_crc_of(head, &shown, 1);
	panic_screen(head->fd);
	panic.after = sd_next_crc(head);
	igt_assert_eq(sd_turn_off(head), 0);
	sd_picture_free(head->fd, &picture);
	return panic;
}

static void check_same(const struct sd_head *head, uint32_t format, uint32_t drawn)
{
	for (uint32_t margin = 0; margin <= MARGIN; margin += MARGIN) {
		const struct panic expected = panic_over(head, drawn, margin),
			panic = panic_over(head, format, margin);

		igt_assert_neq_u32(expected.before, expected.after);
		igt_assert_neq_u32(panic.before, panic.after);
		igt_assert_eq_u32(panic.after, expected.after);
	}
}

static void check_nothing(const struct sd_head *head, uint32_t format)
{
	const struct panic panic = panic_over(head, format, 0);

	igt_assert_eq_u32(panic.after, panic.before);
}

igt_main()
{
	static struct sd_head head;
	static int fd = -1;

	igt_fixture() {
		fd = sd_open_master();
		head = sd_find_head(fd, 0);
	}

	igt_describe("Over half floats it is drawn in XRGB8888.");
	igt_subtest("half-floats") {
		check_same(&head, DRM_FORMAT_XRGB16161616F, DRM_FORMAT_XRGB8888);
		check_same(&head, DRM_FORMAT_ARGB16161616F, DRM_FORMAT_XRGB8888);
	}

	igt_describe("Over P010 it is drawn in RGB565.");
	igt_subtest("p010")
		check_same(&head, DRM_FORMAT_P010, DRM_FORMAT_RGB565);

	igt_describe("A picture that is too small for any format that can be drawn in stays "
		     "as it is.");
	igt_subtest("nv12")
		check_nothing(&head, DRM_FORMAT_NV12);

	igt_fixture()
		close(fd);
}

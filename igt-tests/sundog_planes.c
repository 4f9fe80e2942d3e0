// SPDX-License-Identifier: MIT
/*
 * Planes: all formats and properties that they advertise, compared by the CRC of the head with the
 * same picture drawn by the CPU.
 */
#include "sundog_head.h"
#include "sundog_share.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <drm_fourcc.h>

IGT_TEST_DESCRIPTION("Formats and properties of the planes of a sundog device");

#define CELL 32			/* size of test pictures, see sd_place() */

/* Property values of the kernel. */
enum { BLEND_PREMULTI, BLEND_COVERAGE, BLEND_PIXEL_NONE };
enum { ROTATE_0 = 1, ROTATE_90 = 2, ROTATE_180 = 4, ROTATE_270 = 8, REFLECT_X = 16,
       REFLECT_Y = 32 };

static void test_crc(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head);
	uint32_t black = sd_crc32(&canvas), crc;

	igt_assert_eq_u32(sd_crc_of_picture(head, &canvas), black);
	sd_paint_places(&canvas);
	crc = sd_crc32(&canvas);
	igt_assert_neq_u32(crc, black);
	igt_assert_eq_u32(sd_crc_of_picture(head, &canvas), crc);
	sd_picture_free(head->fd, &canvas);
}

/*
 * CRCs of each frame, the first one included, of a picture so large that the device does not finish
 * it within a frame.
 */
static void test_crc_each_frame(const struct sd_head *first)
{
	struct sd_head head = *first;
	struct sd_picture canvas, above;
	uint32_t begin, frame, next, crc;

	head.mode = sd_preferred_mode(first);
	canvas = sd_canvas(&head);
	above = sd_picture(head.fd, DRM_FORMAT_ARGB8888, head.mode.hdisplay, head.mode.vdisplay);
	sd_paint_places(&canvas);
	crc = sd_crc32(&canvas);
	igt_assert_eq(sd_show_try(&head, (const struct sd_shown[]) {
				  { .picture = &canvas }, { .picture = &above } }, 2), 0);
	for (int turn = 0; turn < 3; turn++) {
		sd_open_crcs(&head);
		begin = sd_wait_vblank(&head);
		igt_assert_eq_u32(sd_read_crc(&frame), crc);
		igt_assert((int32_t)(frame - begin) <= 1);
		for (int i = 0; i < 10; i++) {
			igt_assert_eq_u32(sd_read_crc(&next), crc);
			igt_assert_eq_u32(next, ++frame);
		}
		sd_close_crcs();
	}
	igt_assert_eq(sd_turn_off(&head), 0);
	sd_picture_free(head.fd, &above);
	sd_picture_free(head.fd, &canvas);
}

/*
 * Reopens the CRCs while the device reports those of several frames at a time, since the picture is
 * so large that composing it takes that long.
 */
static void test_crc_reopened(const struct sd_head *first)
{
	struct sd_head head = *first;
	struct sd_picture canvas, above;
	uint32_t frame, read = 0;
	uint64_t before, ns;

	head.mode = sd_preferred_mode(first);
	canvas = sd_canvas(&head);
	above = sd_picture(head.fd, DRM_FORMAT_ARGB8888, head.mode.hdisplay, head.mode.vdisplay);
	igt_assert_eq(sd_show_try(&head, (const struct sd_shown[]) {
				  { .picture = &canvas }, { .picture = &above } }, 2), 0);
	for (int i = 0; i < sd_rounds(20, 60); i++) {
		/* The report of the previous frames is still running, or was until now. */
		sd_open_crcs(&head);
		for (int j = 0; j <= i % 4; j++)
			sd_read_crc(&frame);
		igt_assert_eq(drmCrtcGetSequence(head.fd, head.crtc, &before, &ns), 0);
		sd_open_crcs(&head);
		if (sd_poll_crc(100)) {
			sd_read_crc(&frame);
			igt_assert_f((int32_t)(frame - (uint32_t)before) > 0,
				     "frame %u, opened after %lu\n", frame, before);
			read++;
		}
		sd_close_crcs();
	}
	igt_info("%u had one soon\n", read);
	igt_assert_eq(sd_turn_off(&head), 0);
	sd_picture_free(head.fd, &above);
	sd_picture_free(head.fd, &canvas);
}

/*
 * CRCs that are read too late for the kernel to buffer all of them still arrive one after the
 * other.
 */
static void test_crc_read_late(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head);
	uint32_t begin, frame, next, crc;

	sd_paint_places(&canvas);
	crc = sd_crc_of_picture(head, &canvas);
	sd_open_crcs(head);
	igt_assert_eq_u32(sd_read_crc(&frame), crc);
	begin = frame;
	while (sd_wait_vblank(head) - begin < 300)
		usleep(100000);
	while (frame - begin < 300) {
		igt_assert_eq_u32(sd_read_crc(&next), crc);
		igt_assert_eq_u32(next, ++frame);
	}
	sd_close_crcs();
	sd_picture_free(head->fd, &canvas);
}

static void test_no_plane(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head);
	uint32_t black = sd_crc_of_picture(head, &canvas);

	igt_assert_eq_u32(sd_crc_of(head, NULL, 0), black);
	sd_paint(&canvas, 0, 0, CELL, CELL, 0xffffff);
	igt_assert_neq_u32(sd_crc_of_picture(head, &canvas), black);
	igt_assert_eq_u32(sd_crc_of(head, NULL, 0), black);
	sd_picture_free(head->fd, &canvas);
}

/* Shows each plane by itself at and beyond each edge of the head. */
static void test_position(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_ARGB8888, CELL, CELL);
	const int width = head->mode.hdisplay, height = head->mode.vdisplay;
	const int places[][2] = {
		{ 0, 0 }, { 5, 9 }, { -3, 20 }, { 20, -7 }, { width - 5, 11 }, { 13, height - 1 },
		{ width, 0 }, { 0, -CELL },
	};

	sd_paint(&cell, 0, 0, CELL, CELL, 0xff3366cc);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint32_t expected;

		sd_paint(&canvas, 0, 0, width, height, 0);
		sd_paint(&canvas, places[i][0], places[i][1], CELL, CELL, 0xff3366cc);
		expected = sd_crc_of_picture(head, &canvas);
		for (uint32_t p = 0; p < head->count; p++) {
			struct sd_shown shown[SD_MAX_PLANES] = { 0 };

			shown[p] = (struct sd_shown) { .picture = &cell, .x = places[i][0],
						       .y = places[i][1] };
			igt_assert_eq_u32(sd_crc_of(head, shown, head->count), expected);
		}
	}
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

static void test_part(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
	const struct sd_shown part = { .picture = &cell, .x = 50, .y = 60,
				       .width = 10, .height = 11,
				       .src_x = 3, .src_y = 4, .src_w = 10, .src_h = 11 };
	uint32_t expected;

	sd_paint_places(&cell);
	for (uint32_t y = 0; y < 11; y++) {
		for (uint32_t x = 0; x < 10; x++)
			*sd_pixel_at(&canvas, 50 + x, 60 + y) = sd_place(3 + x, 4 + y);
	}
	expected = sd_crc_of_picture(head, &canvas);
	igt_assert_eq_u32(sd_crc_of(head, &part, 1), expected);
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

/*
 * A pixel and the colour that it shows. NV12 and P010 have a luma sample and one of each chroma
 * instead of the pixel.
 */
static const struct sample {
	uint32_t format;
	uint64_t pixel;
	uint32_t luma, chroma[2];
	uint32_t shown;
} samples[] = {
	{ DRM_FORMAT_XRGB8888, 0x00123456, 0, { 0 }, 0x123456 },
	{ DRM_FORMAT_ARGB8888, 0x80402010, 0, { 0 }, 0x402010 },
	{ DRM_FORMAT_XBGR8888, 0x00563412, 0, { 0 }, 0x123456 },
	{ DRM_FORMAT_ABGR8888, 0x80102040, 0, { 0 }, 0x402010 },
	{ DRM_FORMAT_XRGB2101010, 0x3ffu << 20 | 0x201 << 10 | 0x001, 0, { 0 }, 0xff8000 },
	{ DRM_FORMAT_ARGB2101010, 3u << 30 | 0x0ffu << 20 | 0x3ff, 0, { 0 }, 0x4000ff },
	{ DRM_FORMAT_RGB565, 0x1f << 11 | 0x20 << 5 | 0x01, 0, { 0 }, 0xff8208 },
	{ DRM_FORMAT_XRGB16161616F, 0x0000380034003c00, 0, { 0 }, 0x8040ff },
	{ DRM_FORMAT_ARGB16161616F, 0x3c00400000003a00, 0, { 0 }, 0xff00bf },
	{ DRM_FORMAT_NV12, 0, 235, { 128, 128 }, 0xffffff },
	{ DRM_FORMAT_NV12, 0, 16, { 128, 128 }, 0x000000 },
	{ DRM_FORMAT_NV12, 0, 81, { 90, 240 }, 0xfe0000 },
	{ DRM_FORMAT_P010, 0, 940 << 6, { 512 << 6, 512 << 6 }, 0xffffff },
	{ DRM_FORMAT_P010, 0, 64 << 6, { 512 << 6, 512 << 6 }, 0x000000 },
};

static void put_sample(const struct sd_picture *p, const struct sample *s)
{
	const uint32_t bytes = sd_format_bytes(s->format);

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			uint8_t *to = p->map + (size_t)p->pitch * y + x * bytes;

			if (!sd_format_is_yuv(s->format)) {
				memcpy(to, &s->pixel, bytes);
				continue;
			}
			memcpy(to, &s->luma, bytes);
			/*
			 * Chroma has half as many rows; its samples alternate between the two
			 * components.
			 */
			to = p->map + (size_t)p->pitch * (p->height + y / 2) + x * bytes;
			memcpy(to, &s->chroma[x % 2], bytes);
		}
	}
}

/* Tests each format of the plane, so a format without a sample fails. */
static void test_formats(const struct sd_head *head, uint32_t plane)
{
	const uint32_t last = sizeof(samples) / sizeof(samples[0]);
	drmModePlanePtr info = drmModeGetPlane(head->fd, head->planes[plane]);
	struct sd_picture canvas = sd_canvas(head);
	bool with_alpha = false, without = false;

	for (uint32_t f = 0; f < info->count_formats; f++) {
		struct sd_picture cell = sd_picture(head->fd, info->formats[f], CELL, CELL);
		uint32_t used = 0;

		for (uint32_t i = 0; i < last; i++) {
			struct sd_shown shown[SD_MAX_PLANES] = { 0 };
			uint32_t expected;

			if (samples[i].format != info->formats[f])
				continue;
			used++;
			put_sample(&cell, &samples[i]);
			shown[plane] = (struct sd_shown) { .picture = &cell, .x = 8, .y = 8,
				.names = { "pixel blend mode" }, .values = { BLEND_PIXEL_NONE } };
			sd_paint(&canvas, 8, 8, CELL, CELL, samples[i].shown);
			expected = sd_crc_of_picture(head, &canvas);
			igt_info("format %.4s, sample %u\n", (char *)&info->formats[f], i);
			igt_assert_eq_u32(sd_crc_of(head, shown, head->count), expected);
		}
		igt_assert(used);
		with_alpha |= info->formats[f] == DRM_FORMAT_ARGB8888;
		without |= info->formats[f] == DRM_FORMAT_XRGB8888;
		sd_picture_free(head->fd, &cell);
	}
	igt_assert(with_alpha && without);
	sd_picture_free(head->fd, &canvas);
	drmModeFreePlane(info);
}

/* Alpha of the plane and of each pixel, in each blend mode. */
static void test_blend(const struct sd_head *head)
{
	static const struct {
		uint64_t mode, alpha;
		uint32_t shown;
	} cases[] = {
		/* 0x80402010 over 0x204060 */
		{ BLEND_PREMULTI, 0xffff, 0x504040 },
		{ BLEND_COVERAGE, 0xffff, 0x303038 },
		{ BLEND_PIXEL_NONE, 0xffff, 0x402010 },
		{ BLEND_PIXEL_NONE, 0x8080, 0x303038 },
		{ BLEND_PREMULTI, 0, 0x204060 },
		{ BLEND_COVERAGE, 0, 0x204060 },
	};
	struct sd_picture canvas = sd_canvas(head), below = sd_canvas(head);
	struct sd_picture cell = sd_picture(head->fd, DRM_FORMAT_ARGB8888, CELL, CELL);

	sd_paint(&cell, 0, 0, CELL, CELL, 0x80402010);
	sd_paint(&canvas, 0, 0, canvas.width, canvas.height, 0x204060);
	sd_paint(&below, 0, 0, below.width, below.height, 0x204060);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t expected;

		sd_paint(&canvas, 8, 8, CELL, CELL, cases[i].shown);
		expected = sd_crc_of_picture(head, &canvas);
		for (uint32_t p = 1; p < head->count; p++) {
			struct sd_shown shown[SD_MAX_PLANES] = { { .picture = &below } };

			shown[p] = (struct sd_shown) { .picture = &cell, .x = 8, .y = 8,
				.names = { "pixel blend mode", "alpha" },
				.values = { cases[i].mode, cases[i].alpha } };
			igt_info("case %zu, plane %u\n", i, p);
			igt_assert_eq_u32(sd_crc_of(head, shown, head->count), expected);
		}
	}
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &below);
	sd_picture_free(head->fd, &canvas);
}

/* Three planes overlap, in each z order. */
static void test_zpos(const struct sd_head *head)
{
	static const uint64_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	static const uint32_t colors[3] = { 0xff0000, 0x00ff00, 0x0000ff };
	struct sd_picture canvas = sd_canvas(head), cells[3];

	igt_assert_eq(head->count, 4);
	for (int i = 0; i < 3; i++) {
		cells[i] = sd_picture(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
		sd_paint(&cells[i], 0, 0, CELL, CELL, colors[i]);
	}
	for (int o = 0; o < 6; o++) {
		struct sd_shown shown[3];
		uint32_t expected;

		for (uint32_t z = 0; z < 3; z++) {
			for (int i = 0; i < 3; i++) {
				if (orders[o][i] == z)
					sd_paint(&canvas, 8 * i, 8 * i, CELL, CELL, colors[i]);
			}
		}
		for (int i = 0; i < 3; i++)
			shown[i] = (struct sd_shown) { .picture = &cells[i], .x = 8 * i, .y = 8 * i,
						       .names = { "zpos" },
						       .values = { orders[o][i] } };
		expected = sd_crc_of_picture(head, &canvas);
		igt_assert_eq_u32(sd_crc_of(head, shown, 3), expected);
	}
	for (int i = 0; i < 3; i++)
		sd_picture_free(head->fd, &cells[i]);
	sd_picture_free(head->fd, &canvas);
}

/*
 * Maps the position (*x, *y) in a rotated picture of @width x @height to the position of that pixel
 * in the source. Rotations are those of the kernel.
 */
static void turn_back(uint64_t rotation, uint32_t width, uint32_t height, uint32_t *x, uint32_t *y)
{
	const uint32_t u = *x, v = *y;

	/* Counter-clockwise: the top row comes from the right column. */
	switch (rotation & 15) {
	case ROTATE_90:
		*x = width - 1 - v;
		*y = u;
		break;
	case ROTATE_180:
		*x = width - 1 - u;
		*y = height - 1 - v;
		break;
	case ROTATE_270:
		*x = v;
		*y = height - 1 - u;
		break;
	}
	if (rotation & REFLECT_X)
		*x = width - 1 - *x;
	if (rotation & REFLECT_Y)
		*y = height - 1 - *y;
}

static void test_rotation(const struct sd_head *head)
{
	const uint32_t width = CELL, height = CELL / 2;
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_XRGB8888, width, height);

	sd_paint_places(&cell);
	for (uint64_t rotation = ROTATE_0; rotation < 64; rotation++) {
		const bool swaps = rotation & (ROTATE_90 | ROTATE_270);
		const uint32_t w = swaps ? height : width, h = swaps ? width : height;
		struct sd_shown shown[2] = { { 0 }, { .picture = &cell, .x = 8, .y = 8,
						      .width = w, .height = h,
						      .names = { "rotation" },
						      .values = { rotation } } };
		uint32_t expected;

		if (__builtin_popcount(rotation & 15) != 1)
			continue;
		sd_paint(&canvas, 0, 0, 64, 64, 0);
		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x++) {
				uint32_t u = x, v = y;

				turn_back(rotation, width, height, &u, &v);
				*sd_pixel_at(&canvas, 8 + x, 8 + y) = sd_place(u, v);
			}
		}
		expected = sd_crc_of_picture(head, &canvas);
		igt_info("rotation 0x%llx\n", (unsigned long long)rotation);
		igt_assert_eq_u32(sd_crc_of(head, shown, 2), expected);
	}
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

/* The whole screen, for which the device copies in other directions. */
static void test_rotation_large(const struct sd_head *head)
{
	static const uint64_t rotations[] = {
		ROTATE_180, ROTATE_0 | REFLECT_X, ROTATE_0 | REFLECT_Y
	};
	struct sd_picture canvas = sd_canvas(head), turned = sd_canvas(head);
	const uint32_t width = canvas.width, height = canvas.height;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			*sd_pixel_at(&canvas, x, y) = y << 12 | x;
	for (size_t i = 0; i < sizeof(rotations) / sizeof(rotations[0]); i++) {
		struct sd_shown shown = { .picture = &turned, .width = width, .height = height,
					  .names = { "rotation" }, .values = { rotations[i] } };
		uint32_t expected;

		for (uint32_t y = 0; y < height; y++) {
			for (uint32_t x = 0; x < width; x++) {
				uint32_t u = x, v = y;

				turn_back(rotations[i], width, height, &u, &v);
				*sd_pixel_at(&turned, x, y) = v << 12 | u;
			}
		}
		expected = sd_crc_of_picture(head, &canvas);
		igt_assert_eq_u32(sd_crc_of(head, &shown, 1), expected);
	}
	sd_picture_free(head->fd, &turned);
	sd_picture_free(head->fd, &canvas);
}

/* Enlarges and shrinks; too large factors are rejected. */
static void test_scaling(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
	static const uint32_t sizes[][2] = { { 64, 64 }, { 96, 16 }, { 16, 8 }, { 48, 320 } };
	struct sd_shown shown[2] = { { 0 }, { .picture = &cell, .x = 4, .y = 4 } };
	uint32_t expected;

	sd_paint_places(&cell);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t w = sizes[i][0], h = sizes[i][1];

		sd_paint(&canvas, 0, 0, canvas.width, canvas.height, 0);
		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x++)
				*sd_pixel_at(&canvas, 4 + x, 4 + y) =
					sd_place((2 * x + 1) * CELL / (2 * w),
						 (2 * y + 1) * CELL / (2 * h));
		}
		expected = sd_crc_of_picture(head, &canvas);
		shown[1].width = w;
		shown[1].height = h;
		igt_assert_eq_u32(sd_crc_of(head, shown, 2), expected);
	}
	shown[1].width = CELL * 16 + 16;
	igt_assert_eq(sd_show_try(head, shown, 2), -ERANGE);
	shown[1].width = 1;
	igt_assert_eq(sd_show_try(head, shown, 2), -ERANGE);
	/* The factor is less than 16, but the result is larger than the device allows. */
	shown[1].picture = &canvas;
	shown[1].width = canvas.width * 15;
	igt_assert_eq(sd_show_try(head, shown, 2), -ERANGE);
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

/* One colour in each encoding and range. */
static void test_encodings(const struct sd_head *head)
{
	static const double kr[3] = { 0.299, 0.2126, 0.2627 }, kb[3] = { 0.114, 0.0722, 0.0593 };
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_NV12, CELL, CELL);

	for (uint64_t i = 0; i < 6; i++) {
		const uint64_t encoding = i / 2, range = i % 2;
		const double y = range ? 100 / 255.0 : (100 - 16) / 219.0,
			scale = range ? 255 : 224;
		const double cb = (150 - 128) / scale, cr = (90 - 128) / scale;
		const double kg = 1 - kr[encoding] - kb[encoding];
		const double rgb[3] = {
			y + 2 * (1 - kr[encoding]) * cr,
			y - 2 * (1 - kr[encoding]) * kr[encoding] / kg * cr -
				2 * (1 - kb[encoding]) * kb[encoding] / kg * cb,
			y + 2 * (1 - kb[encoding]) * cb,
		};
		const struct sample sample = { DRM_FORMAT_NV12, 0, 100, { 150, 90 }, 0 };
		struct sd_shown shown = { .picture = &cell, .x = 8, .y = 8,
					  .names = { "COLOR_ENCODING", "COLOR_RANGE" },
				       .values = { encoding, range } };
		uint32_t pixel = 0, expected;

		for (int c = 0; c < 3; c++)
			pixel = pixel << 8 | (uint32_t)lround(rgb[c] * 255);
		put_sample(&cell, &sample);
		sd_paint(&canvas, 8, 8, CELL, CELL, pixel);
		expected = sd_crc_of_picture(head, &canvas);
		igt_info("encoding %llu, range %llu: %06x\n", (unsigned long long)encoding,
			  (unsigned long long)range, pixel);
		igt_assert_eq_u32(sd_crc_of(head, &shown, 1), expected);
	}
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

/* Returns the CRC of the head with one colour on the primary plane, and nothing else. */
static uint32_t crc_of_color(const struct sd_head *head, const struct sd_picture *p, uint32_t pixel)
{
	sd_paint(p, 0, 0, p->width, p->height, pixel);
	return sd_crc_of_picture(head, p);
}

/*
 * The CTM swaps red and green and halves blue; then the LUT inverts all, set by the property and by
 * the legacy ioctl.
 */
static void test_color(const struct sd_head *head)
{
	const struct drm_color_ctm ctm = {
		{ 0, 1ull << 32, 0, 1ull << 32, 0, 0, 0, 0, 1ull << 31 }
	};
	/* CTM entries are not in two's complement: the sign is a bit of its own. */
	const struct drm_color_ctm negative = {
		{ 1ull << 32, 0, 0, 1ull << 32, 1ull << 63 | 1ull << 31, 0, 0, 0, 0 }
	};
	struct sd_picture canvas = sd_canvas(head), other = sd_canvas(head);
	const struct sd_shown shown = { .picture = &canvas };
	struct drm_color_lut lut[256];
	uint16_t ramp[256];
	uint32_t plain, swapped, inverted, mixed;

	for (int i = 0; i < 256; i++) {
		ramp[i] = 65535 - 257 * i;
		lut[i] = (struct drm_color_lut) { ramp[i], ramp[i], ramp[i], 0 };
	}
	swapped = crc_of_color(head, &other, 0x402015);
	inverted = crc_of_color(head, &other, 0xbfdfea);
	mixed = crc_of_color(head, &other, 0x200000);
	sd_paint(&canvas, 0, 0, canvas.width, canvas.height, 0x20402a);
	plain = sd_crc_of(head, &shown, 1);

	igt_assert_eq(sd_set_color(head, "CTM", &ctm, sizeof(ctm)), 0);
	igt_assert_eq_u32(sd_next_crc(head), swapped);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", lut, sizeof(lut) - sizeof(lut[0])), -EINVAL);
	igt_assert_eq_u32(sd_next_crc(head), swapped);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", lut, sizeof(lut)), 0);
	igt_assert_eq_u32(sd_next_crc(head), inverted);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", NULL, 0), 0);
	igt_assert_eq(sd_set_color(head, "CTM", &negative, sizeof(negative)), 0);
	/* 0x20 - 0x40 / 2 */
	igt_assert_eq_u32(sd_next_crc(head), mixed);
	igt_assert_eq(sd_set_color(head, "CTM", NULL, 0), 0);
	igt_assert_eq_u32(sd_next_crc(head), plain);

	igt_assert_eq(drmModeCrtcSetGamma(head->fd, head->crtc, 256, ramp, ramp, ramp), 0);
	igt_assert_neq_u32(sd_next_crc(head), plain);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", NULL, 0), 0);
	igt_assert_eq_u32(sd_next_crc(head), plain);
	sd_picture_free(head->fd, &canvas);
	sd_picture_free(head->fd, &other);
}

/* The first LUT halves red, the CTM swaps red and green, the second LUT inverts blue. */
static void test_degamma(const struct sd_head *head)
{
	const struct drm_color_ctm ctm = {
		{ 0, 1ull << 32, 0, 1ull << 32, 0, 0, 0, 0, 1ull << 32 }
	};
	struct sd_picture canvas = sd_canvas(head), other = sd_canvas(head);
	const struct sd_shown shown = { .picture = &canvas };
	struct drm_color_lut before[256], after[256];
	uint32_t plain, halved, swapped, inverted;

	for (int i = 0; i < 256; i++) {
		before[i] = (struct drm_color_lut) { 257 * i / 2, 257 * i, 257 * i, 0 };
		after[i] = (struct drm_color_lut) { 257 * i, 257 * i, 65535 - 257 * i, 0 };
	}
	halved = crc_of_color(head, &other, 0x104060);
	swapped = crc_of_color(head, &other, 0x401060);
	inverted = crc_of_color(head, &other, 0x40109f);
	sd_paint(&canvas, 0, 0, canvas.width, canvas.height, 0x204060);
	plain = sd_crc_of(head, &shown, 1);

	igt_assert_eq(sd_set_color(head, "DEGAMMA_LUT", before, sizeof(before) - sizeof(before[0])),
		      -EINVAL);
	igt_assert_eq_u32(sd_next_crc(head), plain);
	igt_assert_eq(sd_set_color(head, "DEGAMMA_LUT", before, sizeof(before)), 0);
	igt_assert_eq_u32(sd_next_crc(head), halved);
	igt_assert_eq(sd_set_color(head, "CTM", &ctm, sizeof(ctm)), 0);
	igt_assert_eq_u32(sd_next_crc(head), swapped);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", after, sizeof(after)), 0);
	igt_assert_eq_u32(sd_next_crc(head), inverted);
	igt_assert_eq(sd_set_color(head, "GAMMA_LUT", NULL, 0), 0);
	igt_assert_eq(sd_set_color(head, "CTM", NULL, 0), 0);
	igt_assert_eq_u32(sd_next_crc(head), halved);
	igt_assert_eq(sd_set_color(head, "DEGAMMA_LUT", NULL, 0), 0);
	igt_assert_eq_u32(sd_next_crc(head), plain);
	sd_picture_free(head->fd, &canvas);
	sd_picture_free(head->fd, &other);
}

/* The device does not keep the colour state of a head that is off. */
static void test_color_off(const struct sd_head *head)
{
	const struct drm_color_ctm none = { { 0 } };
	struct sd_picture canvas = sd_canvas(head);
	const struct sd_shown shown = { .picture = &canvas };
	uint32_t plain;

	sd_paint_places(&canvas);
	plain = sd_crc_of(head, &shown, 1);
	igt_assert_eq(sd_set_color(head, "CTM", &none, sizeof(none)), 0);
	igt_assert_neq_u32(sd_next_crc(head), plain);
	igt_assert_eq(sd_turn_off(head), 0);
	igt_assert_eq(sd_set_color(head, "CTM", NULL, 0), 0);
	igt_assert_eq_u32(sd_crc_of(head, &shown, 1), plain);
	sd_picture_free(head->fd, &canvas);
}

static void set_active(const struct sd_head *head, bool active)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", active);
	igt_assert_eq(drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	drmModeAtomicFree(req);
}

/*
 * A cursor that moves and is hidden while the head is off is not shown when the head is on again.
 */
static void test_cursor_off(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head),
		cell = sd_picture(head->fd, DRM_FORMAT_ARGB8888, 64, 64);
	const struct sd_shown shown = { .picture = &canvas };
	uint32_t plain = sd_crc_of(head, &shown, 1);

	sd_paint(&cell, 0, 0, 64, 64, 0xffffffff);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, cell.handle, 64, 64), 0);
	igt_assert_neq_u32(sd_next_crc(head), plain);
	set_active(head, false);
	igt_assert_eq(drmModeMoveCursor(head->fd, head->crtc, 5, 5), 0);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, 0, 0, 0), 0);
	set_active(head, true);
	igt_assert_eq_u32(sd_next_crc(head), plain);
	sd_picture_free(head->fd, &cell);
	sd_picture_free(head->fd, &canvas);
}

/* Framebuffers whose last row of chroma is inside the BO, or outside. */
static void test_chroma_bounds(int fd)
{
	static const struct {
		uint32_t width, height, pitch, offset;
		bool fits;
	} cases[] = {
		{ 64, 32, 64, 64 * 32, true },
		{ 64, 64, 64, 8192 - 64 * 32, true },
		{ 64, 64, 64, 8192 - 64 * 32 + 4, false },
		{ 64, 3, 4096, 0, true },
		{ 64, 3, 4096, 4096, false },
		{ 64, 3, 1 << 20, 4096, false },
		{ 64, 1, 64, 8192 - 64, true },
		{ 64, 1, 64, 8192, false },
		{ 64, 1, 1 << 20, 1 << 20, false },
		{ 63, 32, 64, 8192 - 64 * 16, true },
		{ 63, 1, 64, 8192 - 64 + 4, false },
	};
	uint32_t handle, pitch, fb;
	uint64_t size;

	igt_assert_eq(drmModeCreateDumbBuffer(fd, 64, 128, 8, 0, &handle, &pitch, &size), 0);
	igt_assert_eq_u64(size, 8192);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t handles[4] = { handle, handle }, pitches[4] = { 64, cases[i].pitch };
		const uint32_t offsets[4] = { 0, cases[i].offset };
		int ret = drmModeAddFB2(fd, cases[i].width, cases[i].height, DRM_FORMAT_NV12,
					handles, pitches, offsets, &fb, 0);

		igt_info("%ux%u, chroma at %u with pitch %u\n", cases[i].width, cases[i].height,
			 cases[i].offset, cases[i].pitch);
		igt_assert_eq(ret, cases[i].fits ? 0 : -EINVAL);
		if (!ret)
			igt_assert_eq(drmModeRmFB(fd, fb), 0);
	}
	igt_assert_eq(drmModeDestroyDumbBuffer(fd, handle), 0);
}

struct bad_framebuffer {
	int fd;
	uint32_t handle;
	atomic_bool stops;
	int ret;		/* of the last ADDFB2 */
};

/* Adds a framebuffer that the driver rejects, since its chroma is not aligned, again and again. */
static void *add_bad_framebuffer(void *arg)
{
	struct bad_framebuffer *bad = arg;
	const uint32_t handles[4] = { bad->handle, bad->handle }, pitches[4] = { 64, 64 };
	const uint32_t offsets[4] = { 0, 4098 };
	uint32_t fb;

	while (!bad->stops)
		bad->ret = drmModeAddFB2(bad->fd, 64, 3, DRM_FORMAT_NV12, handles, pitches, offsets,
					 &fb, 0);
	return NULL;
}

/*
 * The core publishes the id of a framebuffer before the driver can reject it. A plane that used it
 * meanwhile could show VRAM of others: older kernels leave the size of odd chroma to the driver.
 */
static void test_rejected_framebuffer(const struct sd_head *head)
{
	const int64_t end = sd_now_plus_ms(5000);
	struct bad_framebuffer bad = { .fd = head->fd };
	struct sd_picture canvas = sd_canvas(head);
	struct sd_picture next;
	int ret = -ENOENT, met = 0;
	pthread_t adder;
	uint32_t pitch;
	uint64_t size;

	igt_assert_eq(sd_show_try(head, (const struct sd_shown[]) { { .picture = &canvas } }, 1),
		      0);
	igt_assert_eq(drmModeCreateDumbBuffer(bad.fd, 64, 128, 8, 0, &bad.handle, &pitch, &size),
		      0);
	/* The next framebuffer gets the lowest free id, like this one. */
	next = sd_picture(bad.fd, DRM_FORMAT_XRGB8888, 64, 64);
	sd_picture_free(bad.fd, &next);
	igt_assert_eq(pthread_create(&adder, NULL, add_bad_framebuffer, &bad), 0);
	while (ret && met < 20 && sd_now_plus_ms(0) < end) {
		ret = drmModeSetPlane(bad.fd, head->planes[1], head->crtc, next.fb, 0, 0, 0, 64,
				      3, 0, 0, 64 << 16, 3 << 16);
		met += ret == -EINVAL;
	}
	bad.stops = true;
	pthread_join(adder, NULL);
	igt_info("SETPLANE found a framebuffer that is rejected %d times\n", met);
	igt_assert_neq(ret, 0);
	igt_assert_eq(bad.ret, -EINVAL);
	igt_assert_eq(drmModeDestroyDumbBuffer(bad.fd, bad.handle), 0);
	sd_picture_free(bad.fd, &canvas);
}

/* The driver has to reject modes that the device rejects: it would wait for them. */
static void test_large_modes(const struct sd_head *first)
{
	struct sd_head head = *first;

	head.mode.hdisplay = 16384;
	head.mode.hsync_start = head.mode.hsync_end = head.mode.htotal = 16400;
	head.mode.vdisplay = 64;
	igt_assert_eq(sd_show_try(&head, NULL, 0), -EINVAL);
	head.mode = first->mode;
	head.mode.hdisplay = 64;
	head.mode.vdisplay = 16384;
	head.mode.vsync_start = head.mode.vsync_end = head.mode.vtotal = 16400;
	igt_assert_eq(sd_show_try(&head, NULL, 0), -EINVAL);
}

static int show_damaged_try(const struct sd_head *head, const struct sd_picture *p,
			    const void *clips, size_t size)
{
	struct sd_shown shown = { .picture = p, .names = { "FB_DAMAGE_CLIPS" } };
	uint32_t blob;
	int ret;

	igt_assert_eq(drmModeCreatePropertyBlob(head->fd, clips, size, &blob), 0);
	shown.values[0] = blob;
	ret = sd_show_try(head, &shown, 1);
	drmModeDestroyPropertyBlob(head->fd, blob);
	return ret;
}

/* The last clip misses the drawn pixels: damage clips are a hint, so the head still shows them. */
static void test_damage_clips(const struct sd_head *head)
{
	static const struct drm_mode_rect good[] = {
		{ 0, 0, 8, 8 }, { 4, 0, 200, 100 }, { 50, 50, 60, 60 }
	};
	static const struct drm_mode_rect bad[] = { { -1, 0, 8, 8 }, { 8, 0, 8, 8 } };
	struct sd_picture canvas = sd_canvas(head);

	for (int i = 0; i < 3; i++) {
		igt_assert_eq_u32(sd_crc_of_picture(head, &canvas), sd_crc32(&canvas));
		sd_paint(&canvas, 0, 0, 8, 8, 0x112233 * (i + 1));
		igt_assert_eq(show_damaged_try(head, &canvas, &good[i], sizeof(good[i])), 0);
		igt_assert_eq_u32(sd_next_crc(head), sd_crc32(&canvas));
	}
	for (int i = 0; i < 2; i++)
		igt_assert_eq(show_damaged_try(head, &canvas, &bad[i], sizeof(bad[i])), -EINVAL);
	igt_assert_eq(show_damaged_try(head, &canvas, good, sizeof(good[0]) - 4), -EINVAL);
	sd_picture_free(head->fd, &canvas);
}

/* A fence for a plane without a framebuffer, about which the kernel's helpers would warn. */
static void test_lone_fence(const struct sd_head *head)
{
	struct sd_picture canvas = sd_canvas(head);
	const int dma_buf = sd_export(head->fd, canvas.handle);
	const int fence = sd_export_sync_file(dma_buf, DMA_BUF_SYNC_RW);

	for (uint32_t i = 0; i < head->count; i++) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		sd_set_plane(req, head->fd, head->planes[i], "FB_ID", 0);
		sd_set_plane(req, head->fd, head->planes[i], "CRTC_ID", 0);
		sd_set_plane(req, head->fd, head->planes[i], "IN_FENCE_FD", fence);
		igt_assert_eq(drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET,
						  NULL), 0);
		drmModeAtomicFree(req);
	}
	close(fence);
	close(dma_buf);
	sd_picture_free(head->fd, &canvas);
}

/* Shows the pictures on all heads in one commit. */
static void show_all(const struct sd_head *heads, uint32_t count, const struct sd_picture *pictures)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	for (uint32_t i = 0; i < count; i++)
		sd_set_plane(req, heads[i].fd, heads[i].planes[0], "FB_ID", pictures[i].fb);
	igt_assert_eq(drmModeAtomicCommit(heads[0].fd, req, 0, NULL), 0);
	drmModeAtomicFree(req);
}

/* All heads, each with its own picture; then the heads exchange the pictures in a circle. */
static void test_heads(const struct sd_head *first)
{
	const uint32_t count = sd_count_heads(first->fd);
	struct sd_head heads[4];
	struct sd_picture pictures[4];
	uint32_t crcs[4];

	igt_require(count > 1);
	igt_assert(count <= 4);
	for (uint32_t i = 0; i < count; i++) {
		heads[i] = sd_find_head(first->fd, i);
		pictures[i] = sd_canvas(&heads[i]);
		sd_paint_places(&pictures[i]);
		sd_paint(&pictures[i], 10 * i, 0, 10, 10, 0xffffff);
		crcs[i] = sd_crc_of_picture(&heads[i], &pictures[i]);
		for (uint32_t j = 0; j < i; j++)
			igt_assert_neq_u32(crcs[i], crcs[j]);
	}
	for (uint32_t turn = 0; turn < count; turn++) {
		for (uint32_t i = 0; i < count; i++) {
			const struct sd_shown shown = { .picture = &pictures[(i + turn) % count] };

			igt_assert_eq(sd_show_try(&heads[i], &shown, 1), 0);
		}
		for (uint32_t i = 0; i < count; i++)
			igt_assert_eq_u32(sd_next_crc(&heads[i]), crcs[(i + turn) % count]);
	}
	show_all(heads, count, pictures);
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq_u32(sd_next_crc(&heads[i]), crcs[i]);
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq(sd_turn_off(&heads[i]), 0);
	for (uint32_t i = 0; i < count; i++)
		sd_picture_free(first->fd, &pictures[i]);
}

/* Sets modes of all sizes on all heads in turn, as fast as possible. */
static void test_mode_sets(const struct sd_head *first)
{
	const uint32_t count = sd_count_heads(first->fd);
	const int rounds = sd_rounds(40, 1000);

	for (int i = 0; i < rounds; i++) {
		struct sd_head head = sd_find_head(first->fd, i % count);
		drmModeConnectorPtr connector = drmModeGetConnector(first->fd, head.connector);
		struct sd_picture black;
		uint32_t crc;

		head.mode = connector->modes[i % connector->count_modes];
		drmModeFreeConnector(connector);
		if (i % 8) {
			igt_assert_eq(sd_show_try(&head, NULL, 0), 0);
		} else {
			black = sd_canvas(&head);
			crc = sd_crc32(&black);
			igt_assert_eq_u32(sd_crc_of_picture(&head, &black), crc);
			sd_picture_free(first->fd, &black);
		}
		if (i % 3 == 2)
			igt_assert_eq(sd_turn_off(&head), 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct sd_head head = sd_find_head(first->fd, i);

		igt_assert_eq(sd_turn_off(&head), 0);
	}
}

igt_main()
{
	static struct sd_head head;
	int fd;

	igt_fixture() {
		fd = sd_open_master();
		head = sd_find_head(fd, 0);
	}

	igt_describe("The CRC of a head is the CRC-32 of the pixels that it shows.");
	igt_subtest("crc")
		test_crc(&head);

	igt_describe("Each frame gets a CRC, also if the device cannot compose the picture within "
		     "a frame.");
	igt_subtest("crc-each-frame")
		test_crc_each_frame(&head);

	igt_describe("After the CRCs are opened again, no CRC of an earlier frame is read.");
	igt_subtest("crc-reopened")
		test_crc_reopened(&head);

	igt_describe("CRCs that are read late arrive complete and in order, although the kernel "
		     "cannot buffer all of them.");
	igt_subtest("crc-read-late")
		test_crc_read_late(&head);

	igt_describe("An active CRTC without a plane shows black.");
	igt_subtest("no-plane")
		test_no_plane(&head);

	igt_describe("Each plane can be at and beyond each edge of the head, and the rest of the "
		     "head is black.");
	igt_subtest("position")
		test_position(&head);

	igt_describe("A plane shows a part of its framebuffer.");
	igt_subtest("part")
		test_part(&head);

	igt_describe("Each format of the plane shows the right colours.");
	igt_subtest("formats-primary")
		test_formats(&head, 0);
	igt_subtest("formats-overlay")
		test_formats(&head, 1);
	igt_subtest("formats-cursor")
		test_formats(&head, 3);

	igt_describe("Alpha of planes and of pixels blends as each blend mode defines.");
	igt_subtest("blend")
		test_blend(&head);

	igt_describe("Planes overlap in the order of their zpos.");
	igt_subtest("zpos")
		test_zpos(&head);

	igt_describe("A plane shows each combination of rotation and reflection.");
	igt_subtest("rotation")
		test_rotation(&head);

	igt_describe("A plane that fills the head can be rotated by 180 degrees, and reflected.");
	igt_subtest("rotation-large")
		test_rotation_large(&head);

	igt_describe("Scaling takes the nearest pixel; too large factors fail with ERANGE.");
	igt_subtest("scaling")
		test_scaling(&head);

	igt_describe("NV12 shows the right colours in each encoding and range.");
	igt_subtest("encodings")
		test_encodings(&head);

	igt_describe("CTM and GAMMA_LUT change the head's colours, and so does the legacy gamma "
		     "ioctl.");
	igt_subtest("color")
		test_color(&head);

	igt_describe("DEGAMMA_LUT changes colours before the CTM does, and GAMMA_LUT after it.");
	igt_subtest("degamma")
		test_degamma(&head);

	igt_describe("A colour property that is set while a head is off applies when the head is "
		     "turned on.");
	igt_subtest("color-off")
		test_color_off(&head);

	igt_describe("A cursor that is hidden while a head is off is not shown when the head is "
		     "turned on.");
	igt_subtest("cursor-off")
		test_cursor_off(&head);

	igt_describe("ADDFB2 rejects NV12 framebuffers whose chroma exceeds the BO.");
	igt_subtest("chroma-bounds")
		test_chroma_bounds(fd);

	igt_describe("No plane uses a framebuffer that ADDFB2 is about to reject.");
	igt_subtest("rejected-framebuffer")
		test_rejected_framebuffer(&head);

	igt_describe("Modes that are too large for the device fail with EINVAL.");
	igt_subtest("large-modes")
		test_large_modes(&head);

	igt_describe("A head shows drawn pixels even if the damage clips miss them; invalid clips "
		     "fail with EINVAL.");
	igt_subtest("damage-clips")
		test_damage_clips(&head);

	igt_describe("A commit with IN_FENCE_FD for a plane without a framebuffer succeeds.");
	igt_subtest("lone-fence")
		test_lone_fence(&head);

	igt_describe("Each head shows its own picture, also after the heads exchange their "
		     "pictures.");
	igt_subtest("heads")
		test_heads(&head);

	igt_describe("Many mode sets on all heads in turn, with and without planes, succeed.");
	igt_subtest("mode-sets")
		test_mode_sets(&head);

	igt_fixture()
		close(fd);
}

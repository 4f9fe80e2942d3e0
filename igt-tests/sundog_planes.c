// SPDX-License-Identifier: MIT
/*
 * Planes: everything that they advertise, against the same picture drawn by the CPU. What a head shows is known by
 * its CRC.
 */
#include "sundog_share.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("What planes of a sundog device show");

#define MAX_PLANES 8
#define CELL 32			/* of pictures in which places differ */

/* As the kernel numbers them. */
enum { BLEND_PREMULTI, BLEND_COVERAGE, BLEND_PIXEL_NONE };
enum { ROTATE_0 = 1, ROTATE_90 = 2, ROTATE_180 = 4, ROTATE_270 = 8, REFLECT_X = 16, REFLECT_Y = 32 };

struct head {
	int fd;
	uint32_t index, crtc, connector;
	drmModeModeInfo mode;
	uint32_t planes[MAX_PLANES];	/* primary, overlays, cursor */
	uint32_t count;
};

/* A framebuffer, and the CPU's view of it. */
struct picture {
	uint32_t width, height, format, handle, fb, pitch;
	uint64_t size;
	uint8_t *map;
};

/* What a plane shows; what is 0 is what it usually is. */
struct shown {
	const struct picture *picture;
	int32_t x, y;
	uint32_t width, height;		/* on the head */
	uint32_t src_x, src_y, src_w, src_h;
	const char *names[3];		/* of other properties */
	uint64_t values[3];
};

/* Properties by name */

static uint32_t find_prop(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value)
{
	drmModeObjectPropertiesPtr props = drmModeObjectGetProperties(fd, object, type);
	uint32_t id = 0;

	igt_assert(props);
	for (uint32_t i = 0; i < props->count_props && !id; i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, props->props[i]);

		if (!strcmp(prop->name, name)) {
			id = prop->prop_id;
			if (value)
				*value = props->prop_values[i];
		}
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
	return id;
}

static void set(drmModeAtomicReqPtr req, int fd, uint32_t object, uint32_t type, const char *name, uint64_t value)
{
	uint32_t prop = find_prop(fd, object, type, name, NULL);

	igt_assert(prop);
	igt_assert(drmModeAtomicAddProperty(req, object, prop, value) > 0);
}

static void set_plane(drmModeAtomicReqPtr req, int fd, uint32_t plane, const char *name, uint64_t value)
{
	set(req, fd, plane, DRM_MODE_OBJECT_PLANE, name, value);
}

/* Heads */

static uint64_t plane_type(int fd, uint32_t plane)
{
	uint64_t type = 0;

	igt_assert(find_prop(fd, plane, DRM_MODE_OBJECT_PLANE, "type", &type));
	return type;
}

/* In the order of their types: primary, overlays, cursor. */
static void find_planes(struct head *head)
{
	static const uint64_t types[] = { DRM_PLANE_TYPE_PRIMARY, DRM_PLANE_TYPE_OVERLAY, DRM_PLANE_TYPE_CURSOR };
	drmModePlaneResPtr planes = drmModeGetPlaneResources(head->fd);

	for (int t = 0; t < 3; t++) {
		for (uint32_t i = 0; i < planes->count_planes; i++) {
			drmModePlanePtr plane = drmModeGetPlane(head->fd, planes->planes[i]);

			if (plane->possible_crtcs == 1u << head->index &&
			    plane_type(head->fd, plane->plane_id) == types[t]) {
				igt_assert(head->count < MAX_PLANES);
				head->planes[head->count++] = plane->plane_id;
			}
			drmModeFreePlane(plane);
		}
	}
	drmModeFreePlaneResources(planes);
	igt_assert(head->count >= 3);
}

/* The smallest mode, so that the CPU has little to draw. */
static drmModeModeInfo smallest_mode(drmModeConnectorPtr connector)
{
	drmModeModeInfo mode = connector->modes[0];

	for (int i = 1; i < connector->count_modes; i++) {
		if (connector->modes[i].hdisplay * connector->modes[i].vdisplay < mode.hdisplay * mode.vdisplay)
			mode = connector->modes[i];
	}
	return mode;
}

static struct head find_head(int fd, uint32_t index)
{
	drmModeResPtr res = drmModeGetResources(fd);
	struct head head = { .fd = fd, .index = index };
	drmModeConnectorPtr connector;

	igt_require((int)index < res->count_crtcs);
	head.crtc = res->crtcs[index];
	head.connector = res->connectors[index];
	connector = drmModeGetConnector(fd, head.connector);
	igt_require(connector->connection == DRM_MODE_CONNECTED && connector->count_modes);
	head.mode = smallest_mode(connector);
	drmModeFreeConnector(connector);
	drmModeFreeResources(res);
	find_planes(&head);
	return head;
}

/* Pictures */

static uint32_t bytes_per_pixel(uint32_t format)
{
	switch (format) {
	case DRM_FORMAT_NV12:
		return 1;
	case DRM_FORMAT_RGB565:
	case DRM_FORMAT_P010:
		return 2;
	case DRM_FORMAT_XRGB16161616F:
	case DRM_FORMAT_ARGB16161616F:
		return 8;
	default:
		return 4;
	}
}

static bool is_yuv(uint32_t format)
{
	return format == DRM_FORMAT_NV12 || format == DRM_FORMAT_P010;
}

static struct picture picture_new(int fd, uint32_t format, uint32_t width, uint32_t height)
{
	struct picture p = { .width = width, .height = height, .format = format };
	uint32_t rows = is_yuv(format) ? height + height / 2 : height;
	uint32_t handles[4] = { 0 }, pitches[4] = { 0 }, offsets[4] = { 0 };
	uint64_t offset;

	igt_assert_eq(drmModeCreateDumbBuffer(fd, width, rows, bytes_per_pixel(format) * 8, 0, &p.handle, &p.pitch,
					      &p.size), 0);
	igt_assert_eq(drmModeMapDumbBuffer(fd, p.handle, &offset), 0);
	p.map = mmap(NULL, p.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	igt_assert(p.map != MAP_FAILED);
	memset(p.map, 0, p.size);
	handles[0] = p.handle;
	pitches[0] = p.pitch;
	if (is_yuv(format)) {
		handles[1] = p.handle;
		pitches[1] = p.pitch;
		offsets[1] = p.pitch * height;
	}
	igt_assert_eq(drmModeAddFB2(fd, width, height, format, handles, pitches, offsets, &p.fb, 0), 0);
	return p;
}

static void picture_free(int fd, struct picture *p)
{
	igt_assert_eq(drmModeRmFB(fd, p->fb), 0);
	munmap(p->map, p->size);
	igt_assert_eq(drmModeDestroyDumbBuffer(fd, p->handle), 0);
}

static uint32_t *pixel_at(const struct picture *p, uint32_t x, uint32_t y)
{
	return (uint32_t *)(p->map + (size_t)p->pitch * y + x * 4);
}

/* Of 4 bytes a pixel; what lies outside is left out. */
static void fill(const struct picture *p, int x, int y, int width, int height, uint32_t pixel)
{
	for (int v = y; v < y + height; v++) {
		for (int u = x; u < x + width; u++) {
			if (u >= 0 && v >= 0 && u < (int)p->width && v < (int)p->height)
				*pixel_at(p, u, v) = pixel;
		}
	}
}

/* No two places alike, nor rows, nor columns. */
static uint32_t place(uint32_t x, uint32_t y)
{
	return 0xff000000 | (x * 7 + 3) << 16 | (y * 5 + 40) << 8 | (x ^ y);
}

static void fill_places(const struct picture *p)
{
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++)
			*pixel_at(p, x, y) = place(x, y);
	}
}

/* What a head shows */

static void add_plane(drmModeAtomicReqPtr req, const struct head *head, uint32_t plane, const struct shown *shown)
{
	const struct picture *p = shown->picture;
	const int fd = head->fd;

	if (!p) {
		set_plane(req, fd, plane, "FB_ID", 0);
		set_plane(req, fd, plane, "CRTC_ID", 0);
		return;
	}
	set_plane(req, fd, plane, "FB_ID", p->fb);
	set_plane(req, fd, plane, "CRTC_ID", head->crtc);
	set_plane(req, fd, plane, "CRTC_X", (int64_t)shown->x);
	set_plane(req, fd, plane, "CRTC_Y", (int64_t)shown->y);
	set_plane(req, fd, plane, "CRTC_W", shown->width ? shown->width : p->width);
	set_plane(req, fd, plane, "CRTC_H", shown->height ? shown->height : p->height);
	set_plane(req, fd, plane, "SRC_X", (uint64_t)shown->src_x << 16);
	set_plane(req, fd, plane, "SRC_Y", (uint64_t)shown->src_y << 16);
	set_plane(req, fd, plane, "SRC_W", (uint64_t)(shown->src_w ? shown->src_w : p->width) << 16);
	set_plane(req, fd, plane, "SRC_H", (uint64_t)(shown->src_h ? shown->src_h : p->height) << 16);
}

/* What planes have that nobody asked for in between. */
static void reset_plane(drmModeAtomicReqPtr req, const struct head *head, uint32_t i)
{
	const uint32_t plane = head->planes[i];

	set_plane(req, head->fd, plane, "alpha", 0xffff);
	set_plane(req, head->fd, plane, "pixel blend mode", 0);
	if (i == head->count - 1)
		return;
	set_plane(req, head->fd, plane, "rotation", ROTATE_0);
	set_plane(req, head->fd, plane, "zpos", i);
	set_plane(req, head->fd, plane, "COLOR_ENCODING", 0);
	set_plane(req, head->fd, plane, "COLOR_RANGE", 0);
}

/* All planes of the head, of which the first @n show something. */
static int show_try(const struct head *head, const struct shown *shown, uint32_t n)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t mode;
	int ret;

	igt_assert_eq(drmModeCreatePropertyBlob(head->fd, &head->mode, sizeof(head->mode), &mode), 0);
	set(req, head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", head->crtc);
	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", mode);
	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
	for (uint32_t i = 0; i < head->count; i++) {
		const struct shown nothing = { 0 }, *s = i < n ? &shown[i] : &nothing;

		reset_plane(req, head, i);
		add_plane(req, head, head->planes[i], s);
		for (int p = 0; p < 3 && s->names[p]; p++)
			set_plane(req, head->fd, head->planes[i], s->names[p], s->values[p]);
	}
	ret = drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
	drmModeAtomicFree(req);
	drmModeDestroyPropertyBlob(head->fd, mode);
	return ret;
}

static int turn_off(const struct head *head)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int ret;

	set(req, head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", 0);
	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", 0);
	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 0);
	for (uint32_t i = 0; i < head->count; i++) {
		set_plane(req, head->fd, head->planes[i], "FB_ID", 0);
		set_plane(req, head->fd, head->planes[i], "CRTC_ID", 0);
	}
	ret = drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
	drmModeAtomicFree(req);
	return ret;
}

static int open_crc(const struct head *head, const char *file, int flags)
{
	struct stat st;
	char path[128];
	int fd;

	igt_assert_eq(fstat(head->fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/crtc-%u/crc/%s", minor(st.st_rdev), head->index, file);
	fd = open(path, flags);
	igt_assert(fd >= 0);
	return fd;
}

/* Of a frame that begins after this was called. */
static uint32_t next_crc(const struct head *head)
{
	int control = open_crc(head, "control", O_WRONLY), data;
	uint32_t frame, crc;
	char line[64] = "";

	igt_assert_eq(write(control, "auto", 4), 4);
	close(control);
	data = open_crc(head, "data", O_RDONLY);
	igt_assert(read(data, line, sizeof(line) - 1) > 0);
	close(data);
	igt_assert_eq(sscanf(line, "%x %x", &frame, &crc), 2);
	return crc;
}

static uint32_t crc_of(const struct head *head, const struct shown *shown, uint32_t n)
{
	igt_assert_eq(show_try(head, shown, n), 0);
	return next_crc(head);
}

/* Of a picture that the primary plane shows by itself. */
static uint32_t crc_of_picture(const struct head *head, const struct picture *p)
{
	const struct shown shown = { .picture = p };

	return crc_of(head, &shown, 1);
}

static struct picture canvas_new(const struct head *head)
{
	return picture_new(head->fd, DRM_FORMAT_XRGB8888, head->mode.hdisplay, head->mode.vdisplay);
}

/* Tests */

/* As zlib has it, of blue, green, red and 0xff. */
static uint32_t crc32_of(const struct picture *p)
{
	uint32_t crc = ~0u;

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t i = 0; i < p->width * 4; i++) {
			crc ^= i % 4 == 3 ? 0xff : p->map[(size_t)p->pitch * y + i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
	}
	return ~crc;
}

static void test_crc(const struct head *head)
{
	struct picture canvas = canvas_new(head);
	uint32_t black = crc32_of(&canvas), crc;

	igt_assert_eq_u32(crc_of_picture(head, &canvas), black);
	fill_places(&canvas);
	crc = crc32_of(&canvas);
	igt_assert_neq_u32(crc, black);
	igt_assert_eq_u32(crc_of_picture(head, &canvas), crc);
	picture_free(head->fd, &canvas);
}

static void test_no_plane(const struct head *head)
{
	struct picture canvas = canvas_new(head);
	uint32_t black = crc_of_picture(head, &canvas);

	igt_assert_eq_u32(crc_of(head, NULL, 0), black);
	fill(&canvas, 0, 0, CELL, CELL, 0xffffff);
	igt_assert_neq_u32(crc_of_picture(head, &canvas), black);
	igt_assert_eq_u32(crc_of(head, NULL, 0), black);
	picture_free(head->fd, &canvas);
}

/* Each plane by itself, at and beyond each edge of the head. */
static void test_position(const struct head *head)
{
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_ARGB8888, CELL, CELL);
	const int width = head->mode.hdisplay, height = head->mode.vdisplay;
	const int places[][2] = {
		{ 0, 0 }, { 5, 9 }, { -3, 20 }, { 20, -7 }, { width - 5, 11 }, { 13, height - 1 },
		{ width, 0 }, { 0, -CELL },
	};

	fill(&cell, 0, 0, CELL, CELL, 0xff3366cc);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint32_t expected;

		fill(&canvas, 0, 0, width, height, 0);
		fill(&canvas, places[i][0], places[i][1], CELL, CELL, 0xff3366cc);
		expected = crc_of_picture(head, &canvas);
		for (uint32_t p = 0; p < head->count; p++) {
			struct shown shown[MAX_PLANES] = { 0 };

			shown[p] = (struct shown) { .picture = &cell, .x = places[i][0], .y = places[i][1] };
			igt_assert_eq_u32(crc_of(head, shown, head->count), expected);
		}
	}
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

static void test_part(const struct head *head)
{
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
	const struct shown part = { .picture = &cell, .x = 50, .y = 60, .width = 10, .height = 11,
				    .src_x = 3, .src_y = 4, .src_w = 10, .src_h = 11 };
	uint32_t expected;

	fill_places(&cell);
	for (uint32_t y = 0; y < 11; y++) {
		for (uint32_t x = 0; x < 10; x++)
			*pixel_at(&canvas, 50 + x, 60 + y) = place(3 + x, 4 + y);
	}
	expected = crc_of_picture(head, &canvas);
	igt_assert_eq_u32(crc_of(head, &part, 1), expected);
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

/* A pixel, or with NV12 and P010 a sample of luma and one of each chroma, and what it looks like. */
static const struct sample {
	uint32_t format;
	uint64_t pixel;
	uint32_t luma, chroma[2];
	uint32_t shown;
} samples[] = {
	{ DRM_FORMAT_XRGB8888, 0x00123456, 0, { 0 }, 0x123456 },
	{ DRM_FORMAT_ARGB8888, 0x80402010, 0, { 0 }, 0x402010 },
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

static void put_sample(const struct picture *p, const struct sample *s)
{
	const uint32_t bytes = bytes_per_pixel(s->format);

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			uint8_t *to = p->map + (size_t)p->pitch * y + x * bytes;

			if (!is_yuv(s->format)) {
				memcpy(to, &s->pixel, bytes);
				continue;
			}
			memcpy(to, &s->luma, bytes);
			/* Half as many rows, and as many columns of two. */
			to = p->map + (size_t)p->pitch * (p->height + y / 2) + x * bytes;
			memcpy(to, &s->chroma[x % 2], bytes);
		}
	}
}

/* Every format that the plane has, so that one without a sample fails. */
static void test_formats(const struct head *head, uint32_t plane)
{
	const uint32_t last = sizeof(samples) / sizeof(samples[0]);
	drmModePlanePtr info = drmModeGetPlane(head->fd, head->planes[plane]);
	struct picture canvas = canvas_new(head);

	for (uint32_t f = 0; f < info->count_formats; f++) {
		struct picture cell = picture_new(head->fd, info->formats[f], CELL, CELL);
		uint32_t used = 0;

		for (uint32_t i = 0; i < last; i++) {
			struct shown shown[MAX_PLANES] = { 0 };
			uint32_t expected;

			if (samples[i].format != info->formats[f])
				continue;
			used++;
			put_sample(&cell, &samples[i]);
			shown[plane] = (struct shown) { .picture = &cell, .x = 8, .y = 8,
				.names = { "pixel blend mode" }, .values = { BLEND_PIXEL_NONE } };
			fill(&canvas, 8, 8, CELL, CELL, samples[i].shown);
			expected = crc_of_picture(head, &canvas);
			igt_info("format %.4s, sample %u\n", (char *)&info->formats[f], i);
			igt_assert_eq_u32(crc_of(head, shown, head->count), expected);
		}
		igt_assert(used);
		picture_free(head->fd, &cell);
	}
	picture_free(head->fd, &canvas);
	drmModeFreePlane(info);
}

/* Half transparent in the whole, and in each pixel, as each mode has it. */
static void test_blend(const struct head *head)
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
	struct picture canvas = canvas_new(head), below = canvas_new(head);
	struct picture cell = picture_new(head->fd, DRM_FORMAT_ARGB8888, CELL, CELL);

	fill(&cell, 0, 0, CELL, CELL, 0x80402010);
	fill(&canvas, 0, 0, canvas.width, canvas.height, 0x204060);
	fill(&below, 0, 0, below.width, below.height, 0x204060);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t expected;

		fill(&canvas, 8, 8, CELL, CELL, cases[i].shown);
		expected = crc_of_picture(head, &canvas);
		for (uint32_t p = 1; p < head->count; p++) {
			struct shown shown[MAX_PLANES] = { { .picture = &below } };

			shown[p] = (struct shown) { .picture = &cell, .x = 8, .y = 8,
				.names = { "pixel blend mode", "alpha" },
				.values = { cases[i].mode, cases[i].alpha } };
			igt_info("case %zu, plane %u\n", i, p);
			igt_assert_eq_u32(crc_of(head, shown, head->count), expected);
		}
	}
	picture_free(head->fd, &cell);
	picture_free(head->fd, &below);
	picture_free(head->fd, &canvas);
}

/* Three planes overlap, in each order. */
static void test_zpos(const struct head *head)
{
	static const uint64_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	static const uint32_t colors[3] = { 0xff0000, 0x00ff00, 0x0000ff };
	struct picture canvas = canvas_new(head), cells[3];

	igt_assert_eq(head->count, 4);
	for (int i = 0; i < 3; i++) {
		cells[i] = picture_new(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
		fill(&cells[i], 0, 0, CELL, CELL, colors[i]);
	}
	for (int o = 0; o < 6; o++) {
		struct shown shown[3];
		uint32_t expected;

		for (uint32_t z = 0; z < 3; z++) {
			for (int i = 0; i < 3; i++) {
				if (orders[o][i] == z)
					fill(&canvas, 8 * i, 8 * i, CELL, CELL, colors[i]);
			}
		}
		for (int i = 0; i < 3; i++)
			shown[i] = (struct shown) { .picture = &cells[i], .x = 8 * i, .y = 8 * i,
						    .names = { "zpos" }, .values = { orders[o][i] } };
		expected = crc_of_picture(head, &canvas);
		igt_assert_eq_u32(crc_of(head, shown, 3), expected);
	}
	for (int i = 0; i < 3; i++)
		picture_free(head->fd, &cells[i]);
	picture_free(head->fd, &canvas);
}

/* Where the pixel comes from that a picture of @width x @height shows at (*x, *y), by the names of the kernel. */
static void turn_back(uint64_t rotation, uint32_t width, uint32_t height, uint32_t *x, uint32_t *y)
{
	const uint32_t u = *x, v = *y;

	/* Counter-clockwise: what is at the top comes from the right. */
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

static void test_rotation(const struct head *head)
{
	const uint32_t width = CELL, height = CELL / 2;
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_XRGB8888, width, height);

	fill_places(&cell);
	for (uint64_t rotation = ROTATE_0; rotation < 64; rotation++) {
		const bool swaps = rotation & (ROTATE_90 | ROTATE_270);
		const uint32_t w = swaps ? height : width, h = swaps ? width : height;
		struct shown shown[2] = { { 0 }, { .picture = &cell, .x = 8, .y = 8, .width = w, .height = h,
						   .names = { "rotation" }, .values = { rotation } } };
		uint32_t expected;

		if (__builtin_popcount(rotation & 15) != 1)
			continue;
		fill(&canvas, 0, 0, 64, 64, 0);
		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x++) {
				uint32_t u = x, v = y;

				turn_back(rotation, width, height, &u, &v);
				*pixel_at(&canvas, 8 + x, 8 + y) = place(u, v);
			}
		}
		expected = crc_of_picture(head, &canvas);
		igt_info("rotation 0x%llx\n", (unsigned long long)rotation);
		igt_assert_eq_u32(crc_of(head, shown, 2), expected);
	}
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

/* Larger and smaller; too much of either is refused. */
static void test_scaling(const struct head *head)
{
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_XRGB8888, CELL, CELL);
	static const uint32_t sizes[][2] = { { 64, 64 }, { 96, 16 }, { 16, 8 }, { 48, 320 } };
	struct shown shown[2] = { { 0 }, { .picture = &cell, .x = 4, .y = 4 } };
	uint32_t expected;

	fill_places(&cell);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t w = sizes[i][0], h = sizes[i][1];

		fill(&canvas, 0, 0, canvas.width, canvas.height, 0);
		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x++)
				*pixel_at(&canvas, 4 + x, 4 + y) = place((2 * x + 1) * CELL / (2 * w),
									 (2 * y + 1) * CELL / (2 * h));
		}
		expected = crc_of_picture(head, &canvas);
		shown[1].width = w;
		shown[1].height = h;
		igt_assert_eq_u32(crc_of(head, shown, 2), expected);
	}
	shown[1].width = CELL * 16 + 16;
	igt_assert_eq(show_try(head, shown, 2), -ERANGE);
	shown[1].width = 1;
	igt_assert_eq(show_try(head, shown, 2), -ERANGE);
	/* By less than 16, but larger than the device takes. */
	shown[1].picture = &canvas;
	shown[1].width = canvas.width * 15;
	igt_assert_eq(show_try(head, shown, 2), -ERANGE);
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

/* A colour, as each encoding and range has it. */
static void test_encodings(const struct head *head)
{
	static const double kr[3] = { 0.299, 0.2126, 0.2627 }, kb[3] = { 0.114, 0.0722, 0.0593 };
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_NV12, CELL, CELL);

	for (uint64_t i = 0; i < 6; i++) {
		const uint64_t encoding = i / 2, range = i % 2;
		const double y = range ? 100 / 255.0 : (100 - 16) / 219.0, scale = range ? 255 : 224;
		const double cb = (150 - 128) / scale, cr = (90 - 128) / scale;
		const double kg = 1 - kr[encoding] - kb[encoding];
		const double rgb[3] = {
			y + 2 * (1 - kr[encoding]) * cr,
			y - 2 * (1 - kr[encoding]) * kr[encoding] / kg * cr -
				2 * (1 - kb[encoding]) * kb[encoding] / kg * cb,
			y + 2 * (1 - kb[encoding]) * cb,
		};
		const struct sample sample = { DRM_FORMAT_NV12, 0, 100, { 150, 90 }, 0 };
		struct shown shown = { .picture = &cell, .x = 8, .y = 8, .names = { "COLOR_ENCODING", "COLOR_RANGE" },
				       .values = { encoding, range } };
		uint32_t pixel = 0, expected;

		for (int c = 0; c < 3; c++)
			pixel = pixel << 8 | (uint32_t)lround(rgb[c] * 255);
		put_sample(&cell, &sample);
		fill(&canvas, 8, 8, CELL, CELL, pixel);
		expected = crc_of_picture(head, &canvas);
		igt_info("encoding %llu, range %llu: %06x\n", (unsigned long long)encoding,
			  (unsigned long long)range, pixel);
		igt_assert_eq_u32(crc_of(head, &shown, 1), expected);
	}
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

static int set_color(const struct head *head, const char *name, const void *data, size_t size)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t blob = 0;
	int ret;

	if (data)
		igt_assert_eq(drmModeCreatePropertyBlob(head->fd, data, size, &blob), 0);
	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, name, blob);
	ret = drmModeAtomicCommit(head->fd, req, 0, NULL);
	drmModeAtomicFree(req);
	if (blob)
		drmModeDestroyPropertyBlob(head->fd, blob);
	return ret;
}

/* Red and green change places and blue is half of it, then all is inverted; each in both ways there are. */
static void test_color(const struct head *head)
{
	const struct drm_color_ctm ctm = { { 0, 1ull << 32, 0, 1ull << 32, 0, 0, 0, 0, 1ull << 31 } };
	/* Not two's complement: the sign is a bit of its own. */
	const struct drm_color_ctm negative = { { 1ull << 32, 0, 0, 1ull << 32, 1ull << 63 | 1ull << 31, 0, 0, 0, 0 } };
	struct picture canvas = canvas_new(head), other = canvas_new(head);
	const struct shown shown = { .picture = &canvas };
	struct drm_color_lut lut[256];
	uint16_t ramp[256];
	uint32_t plain, swapped, inverted, mixed;

	for (int i = 0; i < 256; i++) {
		ramp[i] = 65535 - 257 * i;
		lut[i] = (struct drm_color_lut) { ramp[i], ramp[i], ramp[i], 0 };
	}
	fill(&other, 0, 0, other.width, other.height, 0x402015);
	swapped = crc_of_picture(head, &other);
	fill(&other, 0, 0, other.width, other.height, 0xbfdfea);
	inverted = crc_of_picture(head, &other);
	fill(&other, 0, 0, other.width, other.height, 0x200000);
	mixed = crc_of_picture(head, &other);
	fill(&canvas, 0, 0, canvas.width, canvas.height, 0x20402a);
	plain = crc_of(head, &shown, 1);

	igt_assert_eq(set_color(head, "CTM", &ctm, sizeof(ctm)), 0);
	igt_assert_eq_u32(next_crc(head), swapped);
	igt_assert_eq(set_color(head, "GAMMA_LUT", lut, sizeof(lut) - sizeof(lut[0])), -EINVAL);
	igt_assert_eq_u32(next_crc(head), swapped);
	igt_assert_eq(set_color(head, "GAMMA_LUT", lut, sizeof(lut)), 0);
	igt_assert_eq_u32(next_crc(head), inverted);
	igt_assert_eq(set_color(head, "GAMMA_LUT", NULL, 0), 0);
	igt_assert_eq(set_color(head, "CTM", &negative, sizeof(negative)), 0);
	/* 0x20 - 0x40 / 2 */
	igt_assert_eq_u32(next_crc(head), mixed);
	igt_assert_eq(set_color(head, "CTM", NULL, 0), 0);
	igt_assert_eq_u32(next_crc(head), plain);

	igt_assert_eq(drmModeCrtcSetGamma(head->fd, head->crtc, 256, ramp, ramp, ramp), 0);
	igt_assert_neq_u32(next_crc(head), plain);
	igt_assert_eq(set_color(head, "GAMMA_LUT", NULL, 0), 0);
	igt_assert_eq_u32(next_crc(head), plain);
	picture_free(head->fd, &canvas);
	picture_free(head->fd, &other);
}

/* What the head's colours were is not kept while it is off. */
static void test_color_off(const struct head *head)
{
	const struct drm_color_ctm none = { { 0 } };
	struct picture canvas = canvas_new(head);
	const struct shown shown = { .picture = &canvas };
	uint32_t plain;

	fill_places(&canvas);
	plain = crc_of(head, &shown, 1);
	igt_assert_eq(set_color(head, "CTM", &none, sizeof(none)), 0);
	igt_assert_neq_u32(next_crc(head), plain);
	igt_assert_eq(turn_off(head), 0);
	igt_assert_eq(set_color(head, "CTM", NULL, 0), 0);
	igt_assert_eq_u32(crc_of(head, &shown, 1), plain);
	picture_free(head->fd, &canvas);
}

static void set_active(const struct head *head, bool active)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", active);
	igt_assert_eq(drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	drmModeAtomicFree(req);
}

/* A cursor that moves and goes while the head is off is not there when it is on again. */
static void test_cursor_off(const struct head *head)
{
	struct picture canvas = canvas_new(head), cell = picture_new(head->fd, DRM_FORMAT_ARGB8888, 64, 64);
	const struct shown shown = { .picture = &canvas };
	uint32_t plain = crc_of(head, &shown, 1);

	fill(&cell, 0, 0, 64, 64, 0xffffffff);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, cell.handle, 64, 64), 0);
	igt_assert_neq_u32(next_crc(head), plain);
	set_active(head, false);
	igt_assert_eq(drmModeMoveCursor(head->fd, head->crtc, 5, 5), 0);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, 0, 0, 0), 0);
	set_active(head, true);
	igt_assert_eq_u32(next_crc(head), plain);
	picture_free(head->fd, &cell);
	picture_free(head->fd, &canvas);
}

/* Framebuffers whose last row of chroma is there, or not. */
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
		int ret = drmModeAddFB2(fd, cases[i].width, cases[i].height, DRM_FORMAT_NV12, handles, pitches,
					offsets, &fb, 0);

		igt_info("%ux%u, chroma at %u with pitch %u\n", cases[i].width, cases[i].height, cases[i].offset,
			 cases[i].pitch);
		igt_assert_eq(ret, cases[i].fits ? 0 : -EINVAL);
		if (!ret)
			igt_assert_eq(drmModeRmFB(fd, fb), 0);
	}
	igt_assert_eq(drmModeDestroyDumbBuffer(fd, handle), 0);
}

/* One that the device refuses would be waited for. */
static void test_large_modes(const struct head *first)
{
	struct head head = *first;

	head.mode.hdisplay = 16384;
	head.mode.hsync_start = head.mode.hsync_end = head.mode.htotal = 16400;
	head.mode.vdisplay = 64;
	igt_assert_eq(show_try(&head, NULL, 0), -EINVAL);
	head.mode = first->mode;
	head.mode.hdisplay = 64;
	head.mode.vdisplay = 16384;
	head.mode.vsync_start = head.mode.vsync_end = head.mode.vtotal = 16400;
	igt_assert_eq(show_try(&head, NULL, 0), -EINVAL);
}

/* In one commit. */
static void show_all(const struct head *heads, uint32_t count, const struct picture *pictures)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	for (uint32_t i = 0; i < count; i++)
		set_plane(req, heads[i].fd, heads[i].planes[0], "FB_ID", pictures[i].fb);
	igt_assert_eq(drmModeAtomicCommit(heads[0].fd, req, 0, NULL), 0);
	drmModeAtomicFree(req);
}

/* All heads, each with a picture of its own; then the pictures go round. */
static void test_heads(const struct head *first)
{
	drmModeResPtr res = drmModeGetResources(first->fd);
	const uint32_t count = res->count_crtcs;
	struct head heads[4];
	struct picture pictures[4];
	uint32_t crcs[4];

	drmModeFreeResources(res);
	igt_require(count > 1);
	igt_assert(count <= 4);
	for (uint32_t i = 0; i < count; i++) {
		heads[i] = find_head(first->fd, i);
		pictures[i] = canvas_new(&heads[i]);
		fill_places(&pictures[i]);
		fill(&pictures[i], 10 * i, 0, 10, 10, 0xffffff);
		crcs[i] = crc_of_picture(&heads[i], &pictures[i]);
		for (uint32_t j = 0; j < i; j++)
			igt_assert_neq_u32(crcs[i], crcs[j]);
	}
	for (uint32_t turn = 0; turn < count; turn++) {
		for (uint32_t i = 0; i < count; i++) {
			const struct shown shown = { .picture = &pictures[(i + turn) % count] };

			igt_assert_eq(show_try(&heads[i], &shown, 1), 0);
		}
		for (uint32_t i = 0; i < count; i++)
			igt_assert_eq_u32(next_crc(&heads[i]), crcs[(i + turn) % count]);
	}
	show_all(heads, count, pictures);
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq_u32(next_crc(&heads[i]), crcs[i]);
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq(turn_off(&heads[i]), 0);
	for (uint32_t i = 0; i < count; i++)
		picture_free(first->fd, &pictures[i]);
}

/* Modes of all sizes, on all heads in turn, as fast as they come. */
static void test_mode_sets(const struct head *first)
{
	drmModeResPtr res = drmModeGetResources(first->fd);
	const uint32_t count = res->count_crtcs;
	const int rounds = sd_rounds(40, 1000);

	drmModeFreeResources(res);
	for (int i = 0; i < rounds; i++) {
		struct head head = find_head(first->fd, i % count);
		drmModeConnectorPtr connector = drmModeGetConnector(first->fd, head.connector);
		struct picture black;
		uint32_t crc;

		head.mode = connector->modes[i % connector->count_modes];
		drmModeFreeConnector(connector);
		if (i % 8) {
			igt_assert_eq(show_try(&head, NULL, 0), 0);
		} else {
			black = canvas_new(&head);
			crc = crc32_of(&black);
			igt_assert_eq_u32(crc_of_picture(&head, &black), crc);
			picture_free(first->fd, &black);
		}
		if (i % 3 == 2)
			igt_assert_eq(turn_off(&head), 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct head head = find_head(first->fd, i);

		igt_assert_eq(turn_off(&head), 0);
	}
}

igt_main()
{
	static struct head head;
	int fd;

	igt_fixture() {
		fd = sd_open_primary();
		igt_require(drmIsMaster(fd));
		igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
		igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
		head = find_head(fd, 0);
	}

	igt_describe("The CRC of a head is that of the pixels that it shows.");
	igt_subtest("crc")
		test_crc(&head);

	igt_describe("A CRTC may be active with no plane: it shows black.");
	igt_subtest("no-plane")
		test_no_plane(&head);

	igt_describe("Each plane may be anywhere, and the head is black where none is.");
	igt_subtest("position")
		test_position(&head);

	igt_describe("A plane shows a part of its framebuffer.");
	igt_subtest("part")
		test_part(&head);

	igt_describe("Each format that a plane has looks as it should.");
	igt_subtest("formats-primary")
		test_formats(&head, 0);
	igt_subtest("formats-overlay")
		test_formats(&head, 1);
	igt_subtest("formats-cursor")
		test_formats(&head, 3);

	igt_describe("Alpha of planes and of pixels, in each blend mode.");
	igt_subtest("blend")
		test_blend(&head);

	igt_describe("Planes overlap in the order of their zpos.");
	igt_subtest("zpos")
		test_zpos(&head);

	igt_describe("Rotation and reflection, all of them.");
	igt_subtest("rotation")
		test_rotation(&head);

	igt_describe("Scaling takes the nearest pixel; too much of it is refused.");
	igt_subtest("scaling")
		test_scaling(&head);

	igt_describe("Colours of NV12 in each encoding and range.");
	igt_subtest("encodings")
		test_encodings(&head);

	igt_describe("A transform and a table change the head's colours.");
	igt_subtest("color")
		test_color(&head);

	igt_describe("Colours that are set while a head is off are its colours when it is on.");
	igt_subtest("color-off")
		test_color_off(&head);

	igt_describe("A cursor that goes while a head is off is gone.");
	igt_subtest("cursor-off")
		test_cursor_off(&head);

	igt_describe("A framebuffer has all of its chroma.");
	igt_subtest("chroma-bounds")
		test_chroma_bounds(fd);

	igt_describe("Modes that are too large for the device are refused.");
	igt_subtest("large-modes")
		test_large_modes(&head);

	igt_describe("Heads show what each was told to.");
	igt_subtest("heads")
		test_heads(&head);

	igt_describe("Many changes of modes, with and without planes.");
	igt_subtest("mode-sets")
		test_mode_sets(&head);

	igt_fixture()
		close(fd);
}

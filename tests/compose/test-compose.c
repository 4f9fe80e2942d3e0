// SPDX-License-Identifier: MIT
/*
 * Tests of the device's composition of planes (sundog-compose.h): pixels that were computed by
 * hand, pictures of random planes against a reference, and planes of a hostile guest, which the
 * check has to refuse. Runs without QEMU. Prints TAP.
 */
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "tap.h"

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define ONE (1 << 16)	/* one pixel in the units of a source rectangle */

_Static_assert(SUNDOG_FOURCC_AR4H == DRM_FORMAT_ARGB16161616F &&
		       SUNDOG_FOURCC_XR30 == DRM_FORMAT_XRGB2101010 &&
		       SUNDOG_FOURCC_RG16 == DRM_FORMAT_RGB565 &&
		       SUNDOG_FOURCC_NV12 == DRM_FORMAT_NV12 &&
		       SUNDOG_FOURCC_AB24 == DRM_FORMAT_ABGR8888,
	       "formats are DRM's");
_Static_assert(SUNDOG_PLANE_ROTATION_0 == DRM_MODE_ROTATE_0 &&
		       SUNDOG_PLANE_ROTATION_90 == DRM_MODE_ROTATE_90 &&
		       SUNDOG_PLANE_ROTATION_180 == DRM_MODE_ROTATE_180 &&
		       SUNDOG_PLANE_ROTATION_270 == DRM_MODE_ROTATE_270 &&
		       SUNDOG_PLANE_ROTATION_REFLECT_X == DRM_MODE_REFLECT_X &&
		       SUNDOG_PLANE_ROTATION_REFLECT_Y == DRM_MODE_REFLECT_Y,
	       "rotations are DRM's");

static const uint32_t formats[] = {
	DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB2101010, DRM_FORMAT_ARGB2101010,
	DRM_FORMAT_XRGB16161616F, DRM_FORMAT_ARGB16161616F, DRM_FORMAT_RGB565, DRM_FORMAT_NV12,
	DRM_FORMAT_P010, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888,
};

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d >> 16;
}

/* Returns a random number from LOW to HIGH, both included. */
static int64_t between(int64_t low, int64_t high)
{
	return low + (int64_t)(any() % (uint64_t)(high - low + 1));
}

static bool one_in(unsigned n)
{
	return any() % n == 0;
}

/*
 * Returns a plane with a buffer of this size at the start of VRAM, shown unscaled in the corner of
 * the head.
 */
static SundogPlane plain(uint32_t format, unsigned width, unsigned height, unsigned pitch)
{
	return (SundogPlane){
		.enable = true, .format = format, .pitch = { pitch, pitch }, .fb_width = width,
		.fb_height = height, .offset = { 0, pitch * height }, .src_w = width * ONE,
		.src_h = height * ONE, .dst_w = width, .dst_h = height, .alpha = 0xffff,
		.blend = SUNDOG_PLANE_BLEND_PREMULTI, .rotation = SUNDOG_PLANE_ROTATION_0,
	};
}

static uint32_t show_pixel(const SundogPlane *planes, unsigned n, const void *vram)
{
	uint32_t pixel = 0;

	sundog_compose(planes, n, NULL, vram, 1, 0, 1, &pixel, sizeof(pixel));
	return pixel & 0xffffff;
}

static void test_formats(void)
{
	static const struct {
		uint32_t format, encoding, range;
		uint64_t sample, chroma;
		uint32_t want;
	} cases[] = {
		{ DRM_FORMAT_XRGB8888, 0, 0, 0x00000000, 0, 0x000000 },
		{ DRM_FORMAT_XRGB8888, 0, 0, 0x00ffffff, 0, 0xffffff },
		{ DRM_FORMAT_XRGB8888, 0, 0, 0x55804020, 0, 0x804020 },
		{ DRM_FORMAT_ARGB8888, 0, 0, 0xff804020, 0, 0x804020 },
		{ DRM_FORMAT_ARGB8888, 0, 0, 0xffffffff, 0, 0xffffff },
		{ DRM_FORMAT_XBGR8888, 0, 0, 0x55204080, 0, 0x804020 },
		{ DRM_FORMAT_ABGR8888, 0, 0, 0xff204080, 0, 0x804020 },
		{ DRM_FORMAT_XRGB2101010, 0, 0, 0x00000000, 0, 0x000000 },
		{ DRM_FORMAT_XRGB2101010, 0, 0, 0x3fffffff, 0, 0xffffff },
		{ DRM_FORMAT_XRGB2101010, 0, 0, 512 << 20 | 256 << 10 | 3, 0, 0x804001 },
		{ DRM_FORMAT_ARGB2101010, 0, 0, 0xc0000000 | 1023 << 20 | 2 << 10 | 1, 0,
		  0xff0000 },
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0x0000000000000000, 0, 0x000000 },
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0x00003c003c003c00, 0, 0xffffff },
		/* 1/2, 1/4, 1/8 */
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0x0000380034003000, 0, 0x804020 },
		/* infinite, NaN, 2 */
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0x00007c007e004000, 0, 0xff00ff },
		/* -1, -infinite, -NaN */
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0xffffbc00fc00fe00, 0, 0x000000 },
		/* denormal, -0, below 1 */
		{ DRM_FORMAT_XRGB16161616F, 0, 0, 0x000003ff80003bff, 0, 0x0000ff },
		{ DRM_FORMAT_ARGB16161616F, 0, 0, 0x3c0038003c000000, 0, 0x80ff00 },
		{ DRM_FORMAT_RGB565, 0, 0, 0x0000, 0, 0x000000 },
		{ DRM_FORMAT_RGB565, 0, 0, 0xffff, 0, 0xffffff },
		{ DRM_FORMAT_RGB565, 0, 0, 16 << 11 | 32 << 5 | 1, 0, 0x848208 },
		{ DRM_FORMAT_NV12, 0, 0, 16, 0x8080, 0x000000 },
		{ DRM_FORMAT_NV12, 0, 0, 235, 0x8080, 0xffffff },
		{ DRM_FORMAT_NV12, 0, 0, 0, 0x8080, 0x000000 },
		{ DRM_FORMAT_NV12, 0, 0, 255, 0x8080, 0xffffff },
		{ DRM_FORMAT_NV12, 0, 0, 126, 0x8080, 0x808080 },
		{ DRM_FORMAT_NV12, 0, 0, 81, 240 << 8 | 90, 0xfe0000 },
		{ DRM_FORMAT_NV12, 1, 0, 32, 118 << 8 | 240, 0x0100ff },
		{ DRM_FORMAT_NV12, 0, 1, 0, 0x8080, 0x000000 },
		{ DRM_FORMAT_NV12, 0, 1, 255, 0x8080, 0xffffff },
		{ DRM_FORMAT_NV12, 0, 1, 128, 0x8080, 0x808080 },
		{ DRM_FORMAT_NV12, 1, 1, 0, 128 << 8 | 255, 0x0000ec },
		{ DRM_FORMAT_NV12, 2, 1, 0, 255 << 8 | 128, 0xbb0000 },
		{ DRM_FORMAT_P010, 0, 0, 64 << 6, 0x80008000, 0x000000 },
		{ DRM_FORMAT_P010, 0, 0, 940 << 6 | 0x3f, 0x803f803f, 0xffffff },
		{ DRM_FORMAT_P010, 0, 0, 502 << 6, 0x80008000, 0x808080 },
		{ DRM_FORMAT_P010, 0, 1, 1023 << 6, 0x80008000, 0xffffff },
		{ DRM_FORMAT_P010, 2, 1, 0, 1023u << 22 | 0x8000, 0xbc0000 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t vram[2] = { cases[i].sample, cases[i].chroma };
		SundogPlane p = plain(cases[i].format, 1, 1, 8);
		uint32_t pixel;

		p.encoding = cases[i].encoding;
		p.range = cases[i].range;
		pixel = show_pixel(&p, 1, vram);
		tap(!sundog_plane_check(&p, sizeof(vram)) && pixel == cases[i].want,
		    "%.4s of %llx, %llx is %06x, not %06x", (const char *)&p.format,
		    (unsigned long long)vram[0],
		    (unsigned long long)vram[1], cases[i].want, pixel);
	}
}

static void test_blends(void)
{
	static const struct {
		const char *name;
		uint32_t format, blend, alpha, over_black, over_white;
	} cases[] = {
		{ "premultiplied", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_PREMULTI, 0xffff,
		  0x804000, 0xffbf7f },
		{ "premultiplied, half", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_PREMULTI, 0x8080,
		  0x402000, 0xffdfbf },
		{ "coverage", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_COVERAGE, 0xffff, 0x402000,
		  0xbf9f7f },
		{ "coverage, half", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_COVERAGE, 0x8080,
		  0x201000, 0xdfcfbf },
		{ "none", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_PIXEL_NONE, 0xffff, 0x804000,
		  0x804000 },
		{ "none, half", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_PIXEL_NONE, 0x8080,
		  0x402000, 0xbf9f7f },
		{ "no alpha, half", DRM_FORMAT_XRGB8888, SUNDOG_PLANE_BLEND_COVERAGE, 0x8080,
		  0x402000, 0xbf9f7f },
		{ "nothing of it", DRM_FORMAT_ARGB8888, SUNDOG_PLANE_BLEND_PREMULTI, 0, 0x000000,
		  0xffffff },
	};
	static const uint32_t vram[] = { 0x80804000, 0xffffff, 0x80ffffff };

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		SundogPlane p[2] = { plain(DRM_FORMAT_XRGB8888, 1, 1, 4),
				     plain(cases[i].format, 1, 1, 4) };
		uint32_t black, white;

		p[0].offset[0] = 4;
		p[1].blend = cases[i].blend;
		p[1].alpha = cases[i].alpha;
		white = show_pixel(p, 2, vram);
		p[0].enable = false;
		black = show_pixel(p, 2, vram);
		tap(black == cases[i].over_black && white == cases[i].over_white,
		    "%s: %06x over black, %06x over white", cases[i].name, black, white);
	}
	{
		SundogPlane p[2] = { plain(DRM_FORMAT_XRGB8888, 1, 1, 4),
				     plain(DRM_FORMAT_ARGB8888, 1, 1, 4) };

		p[0].offset[0] = 4;
		p[1].offset[0] = 8;
		tap(show_pixel(p, 2, vram) == 0xffffff, "more colour than alpha stays white");
	}
}

/* Writes a picture of letters to @out, with slashes between its rows. */
static void show_letters(const SundogPlane *planes, unsigned n, const uint32_t *vram,
			 unsigned width, unsigned height, char *out)
{
	uint32_t pixels[16 * 16];

	sundog_compose(planes, n, NULL, (const uint8_t *)vram, width, 0, height, pixels, width * 4);
	for (unsigned y = 0; y < height; y++) {
		for (unsigned x = 0; x < width; x++)
			*out++ = pixels[y * width + x] & 0xff ? pixels[y * width + x] & 0xff : '.';
		*out++ = y + 1 < height ? '/' : 0;
	}
}

static void test_rotations(void)
{
	static const uint32_t vram[] = { 'a', 'b', 'c', 'd', 'e', 'f' };
	static const char *const want[4][4] = {	/* by reflection: none, X, Y, both */
		{ "ab/cd/ef", "ba/dc/fe", "ef/cd/ab", "fe/dc/ba" },
		{ "bdf/ace", "ace/bdf", "fdb/eca", "eca/fdb" },
		{ "fe/dc/ba", "ef/cd/ab", "ba/dc/fe", "ab/cd/ef" },
		{ "eca/fdb", "fdb/eca", "ace/bdf", "bdf/ace" },
	};

	for (unsigned i = 0; i < 16; i++) {
		const bool turned = i / 4 % 2;
		SundogPlane p = plain(DRM_FORMAT_XRGB8888, 2, 3, 8);
		char have[16];

		p.rotation = 1u << i / 4 | i % 4 << 4;
		p.dst_w = turned ? 3 : 2;
		p.dst_h = turned ? 2 : 3;
		show_letters(&p, 1, vram, p.dst_w, p.dst_h, have);
		tap(!strcmp(have, want[i / 4][i % 4]), "rotation %02x makes %s", p.rotation, have);
	}
}

static void test_places(void)
{
	static const uint32_t vram[] = { 'a', 'b', 'c', 'd', 'e', 'f' };
	SundogPlane p[3] = { plain(DRM_FORMAT_XRGB8888, 3, 1, 12) };
	char have[64];

	p[0].dst_w = 2;
	show_letters(p, 1, vram, 4, 1, have);
	tap(!strcmp(have, "ac.."), "three pixels on two: %s", have);
	p[0].src_w = 2 * ONE;
	p[0].dst_w = 5;
	show_letters(p, 1, vram, 6, 1, have);
	tap(!strcmp(have, "aabbb."), "two pixels on five: %s", have);
	p[0].src_x = ONE / 2;
	p[0].dst_w = 2;
	show_letters(p, 1, vram, 3, 1, have);
	tap(!strcmp(have, "bc."), "half a pixel further: %s", have);

	for (unsigned i = 0; i < 3; i++) {
		p[i] = plain(DRM_FORMAT_XRGB8888, 2, 1, 8);
		p[i].offset[0] = 8 * i;
		p[i].dst_x = i;
	}
	show_letters(p, 3, vram, 5, 1, have);
	tap(!strcmp(have, "acef."), "alike in zpos: %s", have);
	p[0].zpos = 0xffffffff;
	p[1].zpos = 0x80000000;
	show_letters(p, 3, vram, 5, 1, have);
	tap(!strcmp(have, "abdf."), "by zpos: %s", have);
	p[0].dst_x = -1;
	p[1].dst_y = 1;
	p[2].dst_x = 4;
	show_letters(p, 3, vram, 5, 2, have);
	tap(!strcmp(have, "b...e/.cd.."), "in part beside the head: %s", have);
	p[0].dst_x = INT32_MIN;
	p[1].dst_y = INT32_MAX;
	p[2].dst_y = -1;
	show_letters(p, 3, vram, 5, 1, have);
	tap(!strcmp(have, "....."), "beside the head: %s", have);
}

static void test_colors(void)
{
	static const uint32_t vram[] = { 0x804020 };
	SundogColor color = { .has_ctm = true,
			      .ctm = { [1] = 1ll << 32, [3] = 1ll << 33, [6] = -(1ll << 32) } };
	const SundogPlane p = plain(DRM_FORMAT_XRGB8888, 1, 1, 4);
	uint32_t pixels[2];

	sundog_compose(&p, 1, &color, (const uint8_t *)vram, 2, 0, 1, pixels, 8);
	tap(pixels[0] == 0xff40ff00 && pixels[1] == 0xff000000, "transform makes %08x %08x",
	    pixels[0], pixels[1]);
	color.has_ctm = false;
	color.has_gamma = true;
	color.gamma[0][1] = 0x5555;
	color.gamma[0x40][1] = 0x1111;
	color.gamma[0x80][0] = 0x3333;
	sundog_compose(&p, 1, &color, (const uint8_t *)vram, 2, 0, 1, pixels, 8);
	tap(pixels[0] == 0xff331100 && pixels[1] == 0xff005500, "gamma makes %08x %08x", pixels[0],
	    pixels[1]);
	/* Red and green are swapped between the two tables. */
	color.has_degamma = color.has_ctm = true;
	color.ctm[3] = 1ll << 32;
	color.ctm[6] = 0;
	color.degamma[0x80][0] = color.degamma[0x00][2] = 0x4040;
	color.degamma[0x40][1] = 0x8080;
	sundog_compose(&p, 1, &color, (const uint8_t *)vram, 2, 0, 1, pixels, 8);
	tap(pixels[0] == 0xff331100 && pixels[1] == 0xff005500, "degamma makes %08x %08x",
	    pixels[0], pixels[1]);
}

static void random_place(SundogPlane *p, unsigned width, unsigned height)
{
	p->src_w = between(1, p->fb_width * ONE);
	p->src_h = between(1, p->fb_height * ONE);
	if (one_in(2)) {
		p->src_w = between(1, p->fb_width) * ONE;
		p->src_h = between(1, p->fb_height) * ONE;
	}
	p->src_x = between(0, p->fb_width * ONE - p->src_w);
	p->src_y = between(0, p->fb_height * ONE - p->src_h);
	p->dst_w = one_in(16) ? between(1, 8192) : between(1, 40);
	p->dst_h = between(1, 40);
	if (one_in(2) && p->src_w >= ONE && p->src_h >= ONE) {
		p->dst_w = p->src_w / ONE;
		p->dst_h = p->src_h / ONE;
	}
	p->dst_x = between(-(int)p->dst_w - 2, width + 2);
	p->dst_y = between(-(int)p->dst_h - 2, height + 2);
	if (one_in(2)) {
		p->dst_x = between(-2, 2);
		p->dst_y = between(-2, 2);
	}
}

static SundogPlane random_plane(uint64_t vram_size, unsigned width, unsigned height)
{
	static const uint32_t alphas[] = { 0xffff, 0xffff, 0, 0x8080, 0xfffe };
	SundogPlane p = {
		.enable = !one_in(8),
		.format = one_in(2) ? DRM_FORMAT_XRGB8888 : formats[any() % ARRAY_SIZE(formats)],
		.fb_width = one_in(4) ? between(1, 400) : between(1, 40),
		.fb_height = between(1, 12),
		.alpha = one_in(4) ? between(0, 0xffff) : alphas[any() % ARRAY_SIZE(alphas)],
		.blend = any() % 3,
		.rotation = 1u << any() % 4 | (one_in(2) ? any() % 4 << 4 : 0),
		.zpos = any() % 3,
		.encoding = any() % 3,
		.range = any() % 2,
	};

	if (one_in(2))
		p.rotation = SUNDOG_PLANE_ROTATION_0;
	random_place(&p, width, height);
	do {
		for (unsigned i = 0; i < 2; i++) {
			p.pitch[i] = between(1, 420) * 8;
			p.offset[i] = between(0, vram_size / 8) * 8;
		}
	} while (sundog_plane_check(&p, vram_size));
	return p;
}

static SundogColor random_color(void)
{
	SundogColor color = { .has_degamma = one_in(2),
			      .has_ctm = one_in(2),
			      .has_gamma = one_in(2) };

	for (unsigned i = 0; i < 9; i++)
		color.ctm[i] = ((int64_t)(any() << 16) >> between(16, 48)) * (one_in(8) ? ONE : 1);
	for (unsigned i = 0; i < 256 * 3; i++) {
		color.degamma[i / 3][i % 3] = any();
		color.gamma[i / 3][i % 3] = any();
	}
	return color;
}

/* Fills @to with random bytes, and with runs of the least and of the greatest value. */
static void random_bytes(uint8_t *to, size_t size)
{
	for (size_t i = 0, end; i < size; i = end) {
		const unsigned kind = any() % 8;

		end = i + between(1, 64);
		end = end > size ? size : end;
		for (size_t at = i; at < end; at++)
			to[at] = kind ? kind == 1 ? 0xff : any() : 0;
	}
}

/*
 * Composes some rows of a random picture into memory whose other rows must not change, and its CRC.
 * Returns true if both match the reference.
 */
static bool compose_random(uint8_t *vram, uint64_t vram_size)
{
	const unsigned width = one_in(4) ? between(1, 600) : between(1, 48),
		       height = between(1, 24);
	const unsigned n = between(0, SUNDOG_HEAD_PLANES), top = between(0, height),
		       bottom = between(top, height);
	const unsigned stride = width + between(0, 3);
	const size_t size = (size_t)(bottom - top) * stride;
	const SundogColor color = random_color();
	const SundogColor *used = one_in(2) ? &color : NULL;
	uint32_t *want = malloc(width * height * 4), *have = malloc(size * 4 + 1);
	SundogPlane planes[SUNDOG_HEAD_PLANES];
	uint32_t crc = 0;
	bool good = true;

	random_bytes(vram, vram_size);
	memset(have, 0x5a, size * 4 + 1);
	for (unsigned i = 0; i < n; i++)
		planes[i] = random_plane(vram_size, width, height);
	reference_compose(planes, n, used, vram, width, height, want);
	sundog_compose(planes, n, used, vram, width, top, bottom, have, stride * 4);
	for (unsigned y = top; y < bottom; y++) {
		const uint32_t *row = have + (y - top) * stride;

		good &= !memcmp(row, want + y * width, width * 4);
		for (unsigned x = width; x < stride; x++)
			good &= row[x] == 0x5a5a5a5a;
		crc = sundog_compose_crc(crc, row, width);
	}
	good &= crc == reference_crc(want + top * width, (bottom - top) * width);
	free(want);
	free(have);
	return good;
}

static void test_random(unsigned times)
{
	const uint64_t vram_size = 65536;
	uint8_t *vram = malloc(vram_size);
	unsigned good = 0;

	for (unsigned i = 0; i < times; i++)
		good += compose_random(vram, vram_size);
	tap(good == times, "%u of %u random pictures are like the reference", good, times);
	free(vram);
}

static void test_crc(void)
{
	static const uint32_t digits[2] = { 0x34333231, 0x38373635 };

	tap(sundog_compose_crc(0, digits, 2) == 0x9ae0daaf, "the CRC of 12345678");
}

struct field {
	size_t offset, size;
};

#define FIELD(name) { offsetof(SundogPlane, name), sizeof(((SundogPlane *)0)->name) }

/* The fields of a plane that a guest writes in registers. */
static const struct field fields[] = {
	FIELD(format), FIELD(offset[0]), FIELD(offset[1]), FIELD(pitch[0]), FIELD(pitch[1]),
	FIELD(fb_width), FIELD(fb_height), FIELD(src_x), FIELD(src_y), FIELD(src_w), FIELD(src_h),
	FIELD(dst_x), FIELD(dst_y), FIELD(dst_w), FIELD(dst_h), FIELD(alpha), FIELD(blend),
	FIELD(rotation), FIELD(zpos), FIELD(encoding), FIELD(range),
};

static uint64_t hostile_value(uint64_t now)
{
	switch (any() % 6) {
	case 0:
		return now + between(-8, 8);
	case 1:
		return now + (uint64_t)between(-2, 2) * ONE;
	case 2:
		return formats[any() % ARRAY_SIZE(formats)];
	case 3:
		return (1ull << any() % 64) + between(-1, 1);
	case 4:
		return -(uint64_t)between(0, 16);
	}
	return between(0, 64);
}

/* Returns a plane whose buffer ends at the end of VRAM, with some wrong fields. */
static SundogPlane hostile_plane(uint64_t *vram_size)
{
	SundogPlane p = plain(formats[any() % ARRAY_SIZE(formats)], between(1, 64), between(1, 64),
			      512);

	p.rotation = 1u << any() % 4;
	p.blend = any() % 3;
	*vram_size = p.offset[1] + sundog_plane_bytes(&p, 1);
	if (!sundog_plane_bytes(&p, 1))
		*vram_size = sundog_plane_bytes(&p, 0);
	if (one_in(4))
		*vram_size += between(-1, 1);
	for (unsigned n = between(0, 3); n; n--) {
		const unsigned i = any() % ARRAY_SIZE(fields);
		uint8_t *field = (uint8_t *)&p + fields[i].offset;
		uint64_t v = 0;

		memcpy(&v, field, fields[i].size);
		v = hostile_value(v);
		memcpy(field, &v, fields[i].size);
	}
	return p;
}

/*
 * Composes a plane that passed the check, from VRAM of exactly @vram_size bytes: the sanitizer
 * reports accesses past it.
 */
static void compose_corner(const SundogPlane *p, uint64_t vram_size)
{
	uint8_t *vram = calloc(1, vram_size);
	uint32_t *pixels = malloc(64 * 64 * 4);
	SundogPlane far = *p;

	sundog_compose(p, 1, NULL, vram, 64, 0, 64, pixels, 64 * 4);
	far.dst_x = 64 - (int32_t)p->dst_w;
	far.dst_y = 64 - (int32_t)p->dst_h;
	sundog_compose(&far, 1, NULL, vram, 64, 0, 64, pixels, 64 * 4);
	free(pixels);
	free(vram);
}

static void test_hostile(unsigned times)
{
	unsigned allowed = 0, wrong = 0;

	for (unsigned i = 0; i < times; i++) {
		uint64_t vram_size;
		const SundogPlane p = hostile_plane(&vram_size);
		const bool good = !sundog_plane_check(&p, vram_size);

		wrong += good != reference_allows(&p, vram_size);
		if (good && ++allowed % 8 == 0)
			compose_corner(&p, vram_size);
	}
	tap(!wrong && allowed > times / 8 && allowed < times / 2,
	    "of %u planes %u are allowed, and %u judged wrongly", times, allowed, wrong);
}

#define CASE(name, value, good) { #name " = " #value, FIELD(name), value, good }

/* A buffer of 4 x 4 pixels in a VRAM of 4096 bytes, of which 3 x 3 are shown. */
static void test_check(void)
{
	static const struct {
		const char *name;
		struct field field;
		uint64_t value;
		bool good;
	} cases[] = {
		CASE(format, DRM_FORMAT_XRGB2101010, true),
		CASE(format, DRM_FORMAT_BGRX8888, false), CASE(format, 0, false),
		CASE(offset[0], 4032, true), CASE(offset[0], 4036, false),
		CASE(offset[0], 2, false), CASE(offset[0], 1ull << 63, false),
		CASE(offset[0], -4ull, false), CASE(offset[0], -64ull, false),
		CASE(pitch[0], 1360, true), CASE(pitch[0], 1364, false), CASE(pitch[0], 12, false),
		CASE(pitch[0], 18, false), CASE(pitch[0], 0xfffffffc, false),
		CASE(pitch[0], 0, false), CASE(pitch[0], 1u << 30, false), CASE(fb_width, 3, true),
		CASE(fb_width, 2, false), CASE(fb_width, 5, false), CASE(fb_width, 0, false),
		CASE(fb_width, 0x40000004, false), CASE(fb_height, 256, true),
		CASE(fb_height, 257, false), CASE(fb_height, 2, false), CASE(fb_height, 0, false),
		CASE(fb_height, 0x10000004, false), CASE(src_x, ONE, true),
		CASE(src_x, ONE + 1, false), CASE(src_x, 0xfffd0000, false), CASE(src_y, ONE, true),
		CASE(src_y, ONE + 1, false), CASE(src_y, 0xfffd0000, false),
		CASE(src_w, 4 * ONE, true), CASE(src_w, 4 * ONE + 1, false), CASE(src_w, 1, true),
		CASE(src_w, 0, false), CASE(src_h, 4 * ONE, true), CASE(src_h, 4 * ONE + 1, false),
		CASE(src_h, 0, false), CASE(src_h, 0xffffffff, false),
		CASE(dst_x, 0x7fffffff, true), CASE(dst_x, 0x80000000, true),
		CASE(dst_y, 0x7fffffff, true), CASE(dst_y, 0x80000000, true),
		CASE(dst_w, 8192, true), CASE(dst_w, 8193, false), CASE(dst_w, 0, false),
		CASE(dst_h, 8192, true), CASE(dst_h, 8193, false), CASE(dst_h, 0, false),
		CASE(dst_h, 0xffffffff, false), CASE(alpha, 0, true), CASE(alpha, 0x10000, false),
		CASE(blend, 2, true), CASE(blend, 3, false), CASE(rotation, 0x38, true),
		CASE(rotation, 0x30, false), CASE(rotation, 0, false), CASE(rotation, 3, false),
		CASE(rotation, 0x41, false), CASE(zpos, 0xffffffff, true), CASE(encoding, 2, true),
		CASE(encoding, 3, false), CASE(range, 1, true), CASE(range, 2, false),
		CASE(pitch[1], 1, true), CASE(offset[1], -1ull, true),
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		SundogPlane p = plain(DRM_FORMAT_XRGB8888, 4, 4, 16);
		const char *error;

		p.src_w = p.src_h = 3 * ONE;
		memcpy((uint8_t *)&p + cases[i].field.offset, &cases[i].value, cases[i].field.size);
		error = sundog_plane_check(&p, 4096);
		tap(!error == cases[i].good, "%s: %s", cases[i].name, error ? error : "good");
		p.enable = false;
		if (sundog_plane_check(&p, 4096))
			tap(false, "%s of a plane that is off", cases[i].name);
	}
}

/* The chroma plane of a buffer of 5 x 3 pixels has 2 rows of 3 pairs. */
static void test_check_chroma(void)
{
	static const struct {
		uint32_t format, pitch;
		uint64_t offset;
		bool good;
	} cases[] = {
		{ DRM_FORMAT_NV12, 8, 4096 - 14, false }, { DRM_FORMAT_NV12, 8, 4096 - 16, true },
		{ DRM_FORMAT_NV12, 8, 4096 - 12, false }, { DRM_FORMAT_NV12, 4, 0, false },
		{ DRM_FORMAT_NV12, 6, 0, false }, { DRM_FORMAT_NV12, 4088, 0, true },
		{ DRM_FORMAT_NV12, 4092, 0, false }, { DRM_FORMAT_NV12, 0xfffffff8, 0, false },
		{ DRM_FORMAT_NV12, 8, -16ull, false }, { DRM_FORMAT_P010, 12, 4096 - 24, true },
		{ DRM_FORMAT_P010, 12, 4096 - 20, false }, { DRM_FORMAT_P010, 8, 0, false },
		{ DRM_FORMAT_P010, 12, 2, false }, { DRM_FORMAT_XRGB16161616F, 0, 1, true },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		SundogPlane p = plain(cases[i].format, 5, 3, 40);

		p.pitch[1] = cases[i].pitch;
		p.offset[1] = cases[i].offset;
		tap(!sundog_plane_check(&p, 4096) == cases[i].good,
		    "%.4s with pitch %u of chroma at 0x%llx", (const char *)&p.format, p.pitch[1],
		    (unsigned long long)p.offset[1]);
	}
	for (unsigned i = 0; i < 2; i++) {
		SundogPlane p = plain(DRM_FORMAT_ARGB16161616F, 4, 4, i ? 36 : 32);

		p.offset[0] = i ? 0 : 4;
		tap(sundog_plane_check(&p, 4096), "half floats are aligned by 8");
	}
}

int main(void)
{
	test_check();
	test_check_chroma();
	test_formats();
	test_blends();
	test_rotations();
	test_places();
	test_colors();
	test_crc();
	test_random(3000);
	test_hostile(200000);
	return tap_failures() ? 1 : 0;
}

// SPDX-License-Identifier: MIT
/*
 * Reference of the composition, written from sundog-compose.h and DRM's headers: it paints whole
 * planes, forwards, and rotates rectangles as the kernel does. Numbers are doubles where these are
 * exact or far from a half; the others are 128-bit integers.
 */
#include "reference.h"

#include <drm_fourcc.h>
#include <drm_mode.h>
#include <math.h>
#include <stdlib.h>

typedef __int128 wide;

struct color {
	long c[4];	/* R, G, B, A */
};

static long rounded(double v)
{
	return floor(v + 0.5);
}

static long clamped(double v)
{
	return v < 0 ? 0 : v > 65535 ? 65535 : v;
}

static bool is_yuv(const SundogPlane *p)
{
	return p->format == DRM_FORMAT_NV12 || p->format == DRM_FORMAT_P010;
}

static bool has_alpha(const SundogPlane *p)
{
	return p->format == DRM_FORMAT_ARGB8888 || p->format == DRM_FORMAT_ABGR8888 ||
	       p->format == DRM_FORMAT_ARGB2101010 || p->format == DRM_FORMAT_ARGB16161616F;
}

/*
 * Returns the bytes of a sample in a part of the buffer, where a pair of chroma samples counts as
 * one; 0 for an unknown format.
 */
static unsigned sample_size(const SundogPlane *p, unsigned part)
{
	switch (p->format) {
	case DRM_FORMAT_XRGB8888:
	case DRM_FORMAT_ARGB8888:
	case DRM_FORMAT_XBGR8888:
	case DRM_FORMAT_ABGR8888:
	case DRM_FORMAT_XRGB2101010:
	case DRM_FORMAT_ARGB2101010:
		return 4;
	case DRM_FORMAT_XRGB16161616F:
	case DRM_FORMAT_ARGB16161616F:
		return 8;
	case DRM_FORMAT_RGB565:
		return 2;
	case DRM_FORMAT_NV12:
		return part ? 2 : 1;
	case DRM_FORMAT_P010:
		return part ? 4 : 2;
	}
	return 0;
}

static uint64_t sample(const SundogPlane *p, const uint8_t *vram, unsigned part, unsigned x,
		       unsigned y)
{
	const unsigned size = sample_size(p, part);
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)vram[p->offset[part] + (uint64_t)p->pitch[part] * y + x * size + i]
		     << 8 * i;
	return v;
}

static double half(unsigned v)
{
	const unsigned e = v >> 10 & 31, m = v & 1023;
	const double size = e == 31 ? m ? NAN : INFINITY
			    : e     ? ldexp(1024 + m, (int)e - 25)
				    : ldexp(m, -24);

	return v >> 15 ? -size : size;
}

static long half_channel(uint64_t v)
{
	const double h = half(v & 0xffff);

	return isnan(h) ? 0 : rounded(65535 * (h < 0 ? 0 : h > 1 ? 1 : h));
}

static long channel(uint64_t v, unsigned low, unsigned bits)
{
	const unsigned max = (1u << bits) - 1;

	return rounded((v >> low & max) * 65535. / max);
}

static double factor(double f, double range)
{
	return rounded(65536. * 65535 * f / range);
}

static struct color yuv(const SundogPlane *p, unsigned n, double luma, double cb, double cr)
{
	static const double weights[][2] = { { 0.299, 0.114 },
					     { 0.2126, 0.0722 },
					     { 0.2627, 0.0593 } };
	const double kr = weights[p->encoding][0], kb = weights[p->encoding][1], kg = 1 - kr - kb;
	const double scale = 1 << (n - 8), max = (1 << n) - 1;
	const double y = factor(1, p->range ? max : 219 * scale) *
			 (luma - (p->range ? 0 : 16 * scale));
	const double range = p->range ? max : 224 * scale, b = cb - 128 * scale,
		     r = cr - 128 * scale;

	return (struct color) { {
		clamped(rounded((y + factor(2 - 2 * kr, range) * r) / 65536)),
		clamped(rounded((y - factor((2 - 2 * kr) * kr / kg, range) * r -
				 factor((2 - 2 * kb) * kb / kg, range) * b) / 65536)),
		clamped(rounded((y + factor(2 - 2 * kb, range) * b) / 65536)),
		65535,
	} };
}

static struct color fetch(const SundogPlane *p, const uint8_t *vram, unsigned u, unsigned v)
{
	const uint64_t s = sample(p, vram, 0, u, v);
	const uint64_t c = is_yuv(p) ? sample(p, vram, 1, u / 2, v / 2) : 0;

	switch (p->format) {
	case DRM_FORMAT_XRGB8888:
	case DRM_FORMAT_ARGB8888:
		return (struct color){ { channel(s, 16, 8), channel(s, 8, 8), channel(s, 0, 8),
					 channel(s, 24, 8) } };
	case DRM_FORMAT_XBGR8888:
	case DRM_FORMAT_ABGR8888:
		return (struct color){ { channel(s, 0, 8), channel(s, 8, 8), channel(s, 16, 8),
					 channel(s, 24, 8) } };
	case DRM_FORMAT_XRGB2101010:
	case DRM_FORMAT_ARGB2101010:
		return (struct color) { { channel(s, 20, 10), channel(s, 10, 10), channel(s, 0, 10),
					  channel(s, 30, 2) } };
	case DRM_FORMAT_RGB565:
		return (struct color){ { channel(s, 11, 5), channel(s, 5, 6), channel(s, 0, 5),
					 65535 } };
	case DRM_FORMAT_NV12:
		return yuv(p, 8, s, c & 0xff, c >> 8);
	case DRM_FORMAT_P010:
		return yuv(p, 10, s >> 6, (c & 0xffff) >> 6, c >> 22);
	}
	return (struct color) { { half_channel(s >> 32), half_channel(s >> 16), half_channel(s),
				  half_channel(s >> 48) } };
}

static void blend(const SundogPlane *p, struct color from, struct color *to)
{
	const long fa = has_alpha(p) && p->blend != SUNDOG_PLANE_BLEND_PIXEL_NONE ? from.c[3]
										  : 65535;
	const long a = rounded((double)p->alpha * fa / 65535);
	const long f = p->blend == SUNDOG_PLANE_BLEND_PREMULTI ? p->alpha : a;

	for (int i = 0; i < 3; i++)
		to->c[i] = clamped(
			rounded(((double)from.c[i] * f + (double)to->c[i] * (65535 - a)) / 65535));
}

/* Returns the source pixel at the middle of step STEP of STEPS over the source. */
static unsigned pick(uint32_t start, uint32_t size, unsigned step, unsigned steps)
{
	return floor((start + (step + 0.5) * size / steps) / 65536);
}

/* drm_rect_rotate() of the pixel (x, y) of a picture of w by h pixels. */
static void rotate(uint32_t rotation, long w, long h, long *x, long *y)
{
	const long a = rotation & DRM_MODE_REFLECT_X ? w - (*x + 1) : *x;
	const long b = rotation & DRM_MODE_REFLECT_Y ? h - (*y + 1) : *y;

	switch (rotation & DRM_MODE_ROTATE_MASK) {
	case DRM_MODE_ROTATE_0:
		*x = a;
		*y = b;
		break;
	case DRM_MODE_ROTATE_90:
		*x = b;
		*y = w - (a + 1);
		break;
	case DRM_MODE_ROTATE_180:
		*x = w - (a + 1);
		*y = h - (b + 1);
		break;
	case DRM_MODE_ROTATE_270:
		*x = h - (b + 1);
		*y = a;
		break;
	}
}

static void paint(const SundogPlane *p, const uint8_t *vram, unsigned width, unsigned height,
		  struct color *canvas)
{
	const bool turned = p->rotation & (DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_270);
	const unsigned w = turned ? p->dst_h : p->dst_w, h = turned ? p->dst_w : p->dst_h;

	for (unsigned row = 0; row < h; row++) {
		for (unsigned column = 0; column < w; column++) {
			long x = column, y = row;

			rotate(p->rotation, w, h, &x, &y);
			x += p->dst_x;
			y += p->dst_y;
			if (x < 0 || y < 0 || x >= width || y >= height)
				continue;
			blend(p, fetch(p, vram, pick(p->src_x, p->src_w, column, w),
				       pick(p->src_y, p->src_h, row, h)), &canvas[y * width + x]);
		}
	}
}

static void transform(const int64_t ctm[9], struct color *c)
{
	const struct color in = *c;

	for (int i = 0; i < 3; i++) {
		wide sum = 0, whole;

		for (int j = 0; j < 3; j++) {
			const wide max = (wide)8192 << 32, k = ctm[3 * i + j];

			sum += (k > max ? max : k < -max ? -max : k) * in.c[j];
		}
		sum += (wide)1 << 31;
		whole = sum < 0 ? -1 : sum / ((wide)1 << 32);
		c->c[i] = whole < 0 ? 0 : whole > 65535 ? 65535 : whole;
	}
}

static void correct(const uint16_t table[256][3], struct color *c)
{
	for (int i = 0; i < 3; i++) {
		const long at = c->c[i] / 257, f = c->c[i] % 257;

		c->c[i] = f ? rounded((table[at][i] * (257. - f) + table[at + 1][i] * (double)f) /
				      257)
			    : table[at][i];
	}
}

/*
 * Returns the lowest plane above LAST, or the lowest of all if LAST is NULL; NULL if there is none.
 */
static const SundogPlane *next_plane(const SundogPlane *planes, unsigned n, const SundogPlane *last)
{
	const SundogPlane *best = NULL;

	for (const SundogPlane *p = planes; p < planes + n; p++) {
		if (last && (p->zpos < last->zpos || (p->zpos == last->zpos && p <= last)))
			continue;
		if (!best || p->zpos < best->zpos)
			best = p;
	}
	return best;
}

void reference_compose(const SundogPlane *planes, unsigned n, const SundogColor *color,
		       const uint8_t *vram, unsigned width, unsigned height, uint32_t *pixels)
{
	struct color *canvas = calloc((size_t)width * height, sizeof(*canvas));

	for (const SundogPlane *p = next_plane(planes, n, NULL); p; p = next_plane(planes, n, p)) {
		if (p->enable)
			paint(p, vram, width, height, canvas);
	}
	for (size_t i = 0; i < (size_t)width * height; i++) {
		struct color *c = &canvas[i];

		if (color && color->has_degamma)
			correct(color->degamma, c);
		if (color && color->has_ctm)
			transform(color->ctm, c);
		if (color && color->has_gamma)
			correct(color->gamma, c);
		pixels[i] = 0xff000000 | (uint32_t)rounded(c->c[0] / 257.) << 16 |
			    (uint32_t)rounded(c->c[1] / 257.) << 8 |
			    (uint32_t)rounded(c->c[2] / 257.);
	}
	free(canvas);
}

static bool allows_part(const SundogPlane *p, unsigned part, uint64_t vram_size)
{
	const unsigned columns = part ? (p->fb_width + 1) / 2 : p->fb_width;
	const unsigned rows = part ? (p->fb_height + 1) / 2 : p->fb_height;
	const unsigned align = sample_size(p, part) == 8 ? 8 : 4;
	const wide row = (wide)columns * sample_size(p, part);

	return p->pitch[part] % align == 0 && p->offset[part] % align == 0 &&
	       p->pitch[part] >= row &&
	       p->offset[part] + (wide)p->pitch[part] * (rows - 1) + row <= vram_size;
}

static bool allows_rotation(uint32_t rotation)
{
	const uint32_t rotate = rotation & ~(uint32_t)DRM_MODE_REFLECT_MASK;

	return rotate == DRM_MODE_ROTATE_0 || rotate == DRM_MODE_ROTATE_90 ||
	       rotate == DRM_MODE_ROTATE_180 || rotate == DRM_MODE_ROTATE_270;
}

static bool within(wide v, wide low, wide high)
{
	return v >= low && v <= high;
}

bool reference_allows(const SundogPlane *p, uint64_t vram_size)
{
	if (!p->enable)
		return true;
	return sample_size(p, 0) && within(p->fb_width, 1, 8192) && within(p->fb_height, 1, 8192) &&
	       within(p->dst_w, 1, 8192) && within(p->dst_h, 1, 8192) && p->src_w && p->src_h &&
	       (wide)p->src_x + p->src_w <= (wide)p->fb_width * 65536 &&
	       (wide)p->src_y + p->src_h <= (wide)p->fb_height * 65536 && p->alpha <= 65535 &&
	       p->blend <= 2 && allows_rotation(p->rotation) && p->encoding <= 2 && p->range <= 1 &&
	       allows_part(p, 0, vram_size) && (!is_yuv(p) || allows_part(p, 1, vram_size));
}

uint32_t reference_crc(const uint32_t *pixels, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n * 4; i++) {
		crc ^= pixels[i / 4] >> 8 * (i % 4) & 0xff;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

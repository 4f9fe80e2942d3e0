/*
 * sundog, a GPU in software: composition of a head's planes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Composition is integer arithmetic, which this comment defines to the last
 * bit, so that tests can compute the same picture. "Rounded" is to the nearest
 * integer, halves up; division is of integers, towards minus infinity.
 *
 * Position. A plane shows the source rectangle of its buffer, reflected, then
 * rotated counter-clockwise, then scaled to the destination rectangle, as DRM
 * defines it. W and H are the size of the destination, swapped for a rotation
 * by 90 or 270 degrees. Without rotation and reflection, pixel (x, y) of the
 * destination is pixel (u, v) of the buffer:
 *
 *   u = (src_x + (2 * x + 1) * src_w / (2 * W)) >> 16      v likewise with H
 *
 * Otherwise reflection along X replaces x by W - 1 - x there, along Y it
 * replaces y by H - 1 - y, and (x, y) is first computed from the destination
 * pixel (dx, dy):
 *
 *   by 90:   x = W - 1 - dy, y = dx           by 180: x = W - 1 - dx,
 *   by 270:  x = dy, y = H - 1 - dx                   y = H - 1 - dy
 *
 * Channels have 16 bits. One of n bits is rounded(v * 65535 / (2^n - 1)), a
 * half float is rounded(65535 * v) with v clamped to [0, 1] and NaN as 0. In
 * NV12 and P010, pixel (u, v) has the chroma sample (u / 2, v / 2); P010 uses
 * the upper 10 of its 16 bits. With KR, KB of the encoding (BT.601: 0.299,
 * 0.114; BT.709: 0.2126, 0.0722; BT.2020: 0.2627, 0.0593), KG = 1 - KR - KB and
 * n bits, y = Y - y0, b = Cb - 2^(n - 1), r = Cr - 2^(n - 1), where
 *
 *   limited range: y0 = 16 * 2^(n - 8), YR = 219 * 2^(n - 8),
 *                  CR = 224 * 2^(n - 8)
 *   full range:    y0 = 0, YR = CR = 2^n - 1
 *   k(f, range) = rounded(2^16 * 65535 * f / range)
 *
 *   R = rounded((k(1, YR) * y + k(2 - 2 * KR, CR) * r) / 2^16)
 *   G = rounded((k(1, YR) * y - k((2 - 2 * KR) * KR / KG, CR) * r
 *                             - k((2 - 2 * KB) * KB / KG, CR) * b) / 2^16)
 *   B = rounded((k(1, YR) * y + k(2 - 2 * KB, CR) * b) / 2^16)
 *
 * and each is clamped to 0..65535.
 *
 * Blending. Planes are blended over black in the order of zpos; of two planes
 * with equal zpos the one with the higher index is above. pa is the plane's
 * alpha, f a channel of its pixel and fa the pixel's alpha, which is 65535 if
 * the format has none and with PIXEL_NONE:
 *
 *   a = rounded(pa * fa / 65535)
 *   k = pa with PREMULTI, else a
 *   c = rounded((f * k + c * (65535 - a)) / 65535)
 *
 * for each channel c of the picture below it, clamped to 65535.
 *
 * Colour. Each pixel of the head, black included, then goes through the degamma
 * table, linear between its entries: with i = v / 257 and f = v % 257,
 *
 *   v = rounded((degamma[i] * (257 - f) + degamma[i + 1] * f) / 257)
 *
 * the transform:
 *
 *   channel i = rounded((ctm[3 * i] * R + ctm[3 * i + 1] * G +
 *                        ctm[3 * i + 2] * B) / 2^32), clamped to 0..65535
 *
 * with coefficients clamped to -2^45..2^45, which is -8192.0..8192.0; and the
 * gamma table, which is used in the same way as the degamma table.
 *
 * Output. A channel becomes rounded(v / 257), a pixel
 * 0xff000000 | R << 16 | G << 8 | B.
 */

#ifndef SUNDOG_COMPOSE_H
#define SUNDOG_COMPOSE_H

#include "sundog_hw.h"

/* Format codes as in drm_fourcc.h. */
#define SUNDOG_FOURCC(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | \
     (uint32_t)(d) << 24)
#define SUNDOG_FOURCC_XR24  SUNDOG_FOURCC('X', 'R', '2', '4')
#define SUNDOG_FOURCC_AR24  SUNDOG_FOURCC('A', 'R', '2', '4')
#define SUNDOG_FOURCC_XB24  SUNDOG_FOURCC('X', 'B', '2', '4')
#define SUNDOG_FOURCC_AB24  SUNDOG_FOURCC('A', 'B', '2', '4')
#define SUNDOG_FOURCC_XR30  SUNDOG_FOURCC('X', 'R', '3', '0')
#define SUNDOG_FOURCC_AR30  SUNDOG_FOURCC('A', 'R', '3', '0')
#define SUNDOG_FOURCC_XR4H  SUNDOG_FOURCC('X', 'R', '4', 'H')
#define SUNDOG_FOURCC_AR4H  SUNDOG_FOURCC('A', 'R', '4', 'H')
#define SUNDOG_FOURCC_RG16  SUNDOG_FOURCC('R', 'G', '1', '6')
#define SUNDOG_FOURCC_NV12  SUNDOG_FOURCC('N', 'V', '1', '2')
#define SUNDOG_FOURCC_P010  SUNDOG_FOURCC('P', '0', '1', '0')

typedef struct SundogPlane {
    bool enable;
    uint32_t format;            /* SUNDOG_FOURCC_* */
    uint64_t offset[2];         /* in VRAM; [1] is the chroma plane */
    uint32_t pitch[2];          /* bytes */
    uint32_t fb_width;          /* pixels of the buffer */
    uint32_t fb_height;
    uint32_t src_x;             /* 16.16, in the buffer */
    uint32_t src_y;
    uint32_t src_w;
    uint32_t src_h;
    int32_t dst_x;              /* on the head, may lie outside of it */
    int32_t dst_y;
    uint32_t dst_w;
    uint32_t dst_h;
    uint32_t alpha;             /* 0..0xffff */
    uint32_t blend;             /* SUNDOG_PLANE_BLEND_* */
    uint32_t rotation;          /* SUNDOG_PLANE_ROTATION_* */
    uint32_t zpos;
    uint32_t encoding;          /* SUNDOG_PLANE_ENCODING_* */
    uint32_t range;             /* SUNDOG_PLANE_RANGE_* */
} SundogPlane;

typedef uint16_t SundogTable[256][3];   /* R, G, B */

typedef struct SundogColor {
    bool has_degamma;
    bool has_ctm;
    bool has_gamma;
    SundogTable degamma;
    int64_t ctm[9];             /* rows for R, G, B; 32 fractional bits */
    SundogTable gamma;
} SundogColor;

/* Returns true if the colour stage is not the identity. */
static inline bool sundog_color_is_on(const SundogColor *color)
{
    return color->has_degamma || color->has_ctm || color->has_gamma;
}

/*
 * Checks a plane. Returns NULL if it is valid, as a disabled plane always is,
 * or what is wrong with it. The other functions take valid planes only.
 */
const char *sundog_plane_check(const SundogPlane *p, uint64_t vram_size);

/*
 * Returns the bytes of the buffer from offset[i] on, without the padding of the
 * last row; 0 if the plane is disabled or the format has no such part.
 */
uint64_t sundog_plane_bytes(const SundogPlane *p, unsigned i);

/* Returns true if the plane hides all planes below it. */
bool sundog_plane_is_opaque(const SundogPlane *p);

/*
 * Composes rows [top, bottom) of a head of this width. Row TOP goes to PIXELS;
 * STRIDE is in bytes. COLOR may be NULL. VRAM may change during the call: each
 * pixel then is an old or a new one.
 */
void sundog_compose(const SundogPlane *planes, unsigned n,
                    const SundogColor *color, const uint8_t *vram,
                    unsigned width, unsigned top, unsigned bottom,
                    uint32_t *pixels, size_t stride);

/*
 * Returns CRC, which is 0 for the first row, with a row of the composed picture
 * added: zlib's crc32() of 4 bytes per pixel, B, G, R and 0xff.
 */
uint32_t sundog_compose_crc(uint32_t crc, const uint32_t *row, unsigned width);

#endif

/*
 * sundog, a GPU in software: composition of a head's planes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row is split where planes begin and end in it. In each piece only planes
 * from the topmost opaque one upwards are visible; if that is the only one and
 * needs no arithmetic, its pixels are copied, with any step in the buffer. All
 * other pieces go through two short rows of pixels with 16 bits per channel,
 * one with the result so far and one with the next plane.
 *
 * The guest may change VRAM at any time. Each sample that is used in arithmetic
 * is read by one volatile load, and the value of copied pixels does not matter.
 *
 * This file does not depend on the device and its registers; tests/compose
 * builds it without QEMU.
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "qemu/bswap.h"
#include "sundog-compose.h"

#define PIECE       256         /* pixels composed at a time */
#define ONE         0xffff      /* maximum of a channel */
#define CTM_MAX     (INT64_C(1) << 45)

#define ROTATIONS \
    (SUNDOG_PLANE_ROTATION_0 | SUNDOG_PLANE_ROTATION_90 | \
     SUNDOG_PLANE_ROTATION_180 | SUNDOG_PLANE_ROTATION_270)
#define REFLECTIONS \
    (SUNDOG_PLANE_ROTATION_REFLECT_X | SUNDOG_PLANE_ROTATION_REFLECT_Y)

typedef struct SundogFormat {
    uint32_t fourcc;
    uint8_t bytes;              /* of a sample in part 0 */
    uint8_t align;              /* of offsets and pitches */
    bool alpha;
    bool chroma;                /* part 1 has pairs of chroma samples */
} SundogFormat;

static const SundogFormat formats[] = {
    { SUNDOG_FOURCC_XR24, 4, 4, false, false },
    { SUNDOG_FOURCC_AR24, 4, 4, true, false },
    { SUNDOG_FOURCC_XB24, 4, 4, false, false },
    { SUNDOG_FOURCC_AB24, 4, 4, true, false },
    { SUNDOG_FOURCC_XR30, 4, 4, false, false },
    { SUNDOG_FOURCC_AR30, 4, 4, true, false },
    { SUNDOG_FOURCC_XR4H, 8, 8, false, false },
    { SUNDOG_FOURCC_AR4H, 8, 8, true, false },
    { SUNDOG_FOURCC_RG16, 2, 4, false, false },
    { SUNDOG_FOURCC_NV12, 1, 4, false, true },
    { SUNDOG_FOURCC_P010, 2, 4, false, true },
};

typedef struct SundogPixel {
    uint16_t r, g, b, a;
} SundogPixel;

/* Coordinates of pixels in a buffer. */
typedef struct SundogPositions {
    uint16_t u[PIECE];
    uint16_t v[PIECE];
} SundogPositions;

/* Sampling of a buffer along one of its directions. */
typedef struct SundogAxis {
    uint32_t start;             /* 16.16 */
    uint32_t size;              /* 16.16 */
    uint32_t steps;
    bool backwards;
} SundogAxis;

/* Factors of luma and chroma, with 16 fractional bits. */
typedef struct SundogYuv {
    int y0, c0;
    int64_t y, rv, gu, gv, bu;
} SundogYuv;

/* Planes of a part of the picture, lowest first. */
typedef struct SundogStack {
    const SundogPlane *planes[SUNDOG_HEAD_PLANES];
    unsigned n;
} SundogStack;

static const SundogFormat *sundog_format(uint32_t fourcc)
{
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        if (formats[i].fourcc == fourcc) {
            return &formats[i];
        }
    }
    return NULL;
}

static uint32_t sundog_row_bytes(const SundogPlane *p, const SundogFormat *f,
                                 unsigned i)
{
    return f->bytes * (i ? DIV_ROUND_UP(p->fb_width, 2) * 2 : p->fb_width);
}

uint64_t sundog_plane_bytes(const SundogPlane *p, unsigned i)
{
    const SundogFormat *f = sundog_format(p->format);
    uint32_t rows = i ? DIV_ROUND_UP(p->fb_height, 2) : p->fb_height;

    if (!p->enable || (i && !f->chroma)) {
        return 0;
    }
    return (uint64_t)p->pitch[i] * (rows - 1) + sundog_row_bytes(p, f, i);
}

static const char *sundog_check_part(const SundogPlane *p,
                                     const SundogFormat *f, unsigned i,
                                     uint64_t vram_size)
{
    if (p->pitch[i] % f->align || p->pitch[i] < sundog_row_bytes(p, f, i)) {
        return "PLANE_PITCH is less than a row, or not aligned";
    }
    if (p->offset[i] % f->align) {
        return "PLANE_OFFSET is not aligned to the format";
    }
    if (p->offset[i] > vram_size ||
        sundog_plane_bytes(p, i) > vram_size - p->offset[i]) {
        return "a plane's buffer ends behind VRAM";
    }
    return NULL;
}

static bool sundog_is_size(uint32_t size)
{
    return size >= 1 && size <= SUNDOG_MAX_PLANE_SIZE;
}

/* Returns true if a source range in 16.16 is not empty and in the buffer. */
static bool sundog_is_source(uint32_t start, uint32_t size, uint32_t pixels)
{
    return size && (uint64_t)start + size <= (uint64_t)pixels << 16;
}

static bool sundog_is_rotation(uint32_t rotation)
{
    uint32_t rotate = rotation & ROTATIONS;

    return !(rotation & ~(ROTATIONS | REFLECTIONS)) && rotate &&
           !(rotate & (rotate - 1));
}

const char *sundog_plane_check(const SundogPlane *p, uint64_t vram_size)
{
    const SundogFormat *f = sundog_format(p->format);
    const char *error;

    if (!p->enable) {
        return NULL;
    }
    if (!f) {
        return "PLANE_FORMAT is unknown";
    }
    if (!sundog_is_size(p->fb_width) || !sundog_is_size(p->fb_height)) {
        return "PLANE_WIDTH or PLANE_HEIGHT is not 1 to MAX_PLANE_SIZE";
    }
    if (!sundog_is_size(p->dst_w) || !sundog_is_size(p->dst_h)) {
        return "PLANE_DST_W or PLANE_DST_H is not 1 to MAX_PLANE_SIZE";
    }
    if (!sundog_is_source(p->src_x, p->src_w, p->fb_width) ||
        !sundog_is_source(p->src_y, p->src_h, p->fb_height)) {
        return "PLANE_SRC is empty or ends behind the buffer";
    }
    if (p->alpha > ONE || p->blend > SUNDOG_PLANE_BLEND_PIXEL_NONE) {
        return "PLANE_BLEND or PLANE_ALPHA is unknown";
    }
    if (!sundog_is_rotation(p->rotation)) {
        return "PLANE_ROTATION is unknown";
    }
    if (p->encoding > SUNDOG_PLANE_ENCODING_BT2020 ||
        p->range > SUNDOG_PLANE_RANGE_FULL) {
        return "PLANE_ENCODING or PLANE_RANGE is unknown";
    }
    error = sundog_check_part(p, f, 0, vram_size);
    if (!error && f->chroma) {
        error = sundog_check_part(p, f, 1, vram_size);
    }
    return error;
}

static bool sundog_has_pixel_alpha(const SundogPlane *p)
{
    return p->blend != SUNDOG_PLANE_BLEND_PIXEL_NONE &&
           sundog_format(p->format)->alpha;
}

bool sundog_plane_is_opaque(const SundogPlane *p)
{
    return p->alpha == ONE && !sundog_has_pixel_alpha(p);
}

static bool sundog_is_turned(const SundogPlane *p)
{
    return p->rotation & (SUNDOG_PLANE_ROTATION_90 |
                          SUNDOG_PLANE_ROTATION_270);
}

/*
 * Returns true if rows of an opaque plane are unscaled pixels of its buffer in
 * the output format, in any direction.
 */
static bool sundog_is_plain(const SundogPlane *p)
{
    return (p->format == SUNDOG_FOURCC_XR24 ||
            p->format == SUNDOG_FOURCC_AR24) &&
           (sundog_is_turned(p) ? p->src_h : p->src_w) == p->dst_w << 16;
}

static uint32_t sundog_pick(const SundogAxis *axis, uint32_t step)
{
    uint64_t middle;

    if (axis->backwards) {
        step = axis->steps - 1 - step;
    }
    middle = 2 * (uint64_t)step + 1;
    if (axis->size == axis->steps << 16) {
        return (axis->start + (middle << 15)) >> 16;
    }
    return (axis->start + middle * axis->size / (2 * axis->steps)) >> 16;
}

/* Computes the buffer positions of N destination pixels from (X, Y) on. */
static void sundog_locate(const SundogPlane *p, uint32_t x, uint32_t y,
                          unsigned n, SundogPositions *at)
{
    uint32_t r = p->rotation;
    bool turned = sundog_is_turned(p);
    SundogAxis u = {
        .start = p->src_x,
        .size = p->src_w,
        .steps = turned ? p->dst_h : p->dst_w,
        .backwards = !(r & (SUNDOG_PLANE_ROTATION_90 |
                            SUNDOG_PLANE_ROTATION_180)) !=
                     !(r & SUNDOG_PLANE_ROTATION_REFLECT_X),
    };
    SundogAxis v = {
        .start = p->src_y,
        .size = p->src_h,
        .steps = turned ? p->dst_w : p->dst_h,
        .backwards = !(r & (SUNDOG_PLANE_ROTATION_180 |
                            SUNDOG_PLANE_ROTATION_270)) !=
                     !(r & SUNDOG_PLANE_ROTATION_REFLECT_Y),
    };
    const SundogAxis *moving = turned ? &v : &u;
    uint16_t *moves = turned ? at->v : at->u;
    uint16_t *rests = turned ? at->u : at->v;
    uint32_t rest = sundog_pick(turned ? &u : &v, y);

    for (unsigned i = 0; i < n; i++) {
        moves[i] = sundog_pick(moving, x + i);
        rests[i] = rest;
    }
}

static const void *sundog_sample(const SundogPlane *p, const uint8_t *vram,
                                 unsigned part, uint32_t x, uint32_t y,
                                 unsigned bytes)
{
    return vram + p->offset[part] + (uint64_t)p->pitch[part] * y + x * bytes;
}

static uint32_t sundog_load8(const void *from)
{
    return *(const volatile uint8_t *)from;
}

static uint32_t sundog_load16(const void *from)
{
    return le16_to_cpu(*(const volatile uint16_t *)from);
}

static uint32_t sundog_load32(const void *from)
{
    return le32_to_cpu(*(const volatile uint32_t *)from);
}

static uint64_t sundog_load64(const void *from)
{
    return le64_to_cpu(*(const volatile uint64_t *)from);
}

/* Returns the low BITS of V, scaled to a channel of 16 bits. */
static uint16_t sundog_widen(uint32_t v, unsigned bits)
{
    uint32_t max = (1u << bits) - 1;

    return ((v & max) * ONE + max / 2) / max;
}

/* A half float is m * 2^(e - 25); with e of 15 or more it is at least 1. */
static uint16_t sundog_half(uint16_t v)
{
    uint32_t e = v >> 10 & 31, m = v & 1023;

    if (v & 0x8000 || (e == 31 && m)) {
        return 0;
    }
    if (e >= 15) {
        return ONE;
    }
    if (e) {
        m += 1024;
    } else {
        e = 1;
    }
    return (m * ONE + (1u << (24 - e))) >> (25 - e);
}

static SundogPixel sundog_from_8888(uint32_t v)
{
    return (SundogPixel) {
        .r = sundog_widen(v >> 16, 8),
        .g = sundog_widen(v >> 8, 8),
        .b = sundog_widen(v, 8),
        .a = sundog_widen(v >> 24, 8),
    };
}

/* Formats with red in the lowest byte. */
static SundogPixel sundog_from_bgr8888(uint32_t v)
{
    SundogPixel pixel = sundog_from_8888(v);

    return (SundogPixel) { pixel.b, pixel.g, pixel.r, pixel.a };
}

static SundogPixel sundog_from_2101010(uint32_t v)
{
    return (SundogPixel) {
        .r = sundog_widen(v >> 20, 10),
        .g = sundog_widen(v >> 10, 10),
        .b = sundog_widen(v, 10),
        .a = sundog_widen(v >> 30, 2),
    };
}

static SundogPixel sundog_from_half(uint64_t v)
{
    return (SundogPixel) {
        .r = sundog_half(v >> 32),
        .g = sundog_half(v >> 16),
        .b = sundog_half(v),
        .a = sundog_half(v >> 48),
    };
}

static SundogPixel sundog_from_565(uint32_t v)
{
    return (SundogPixel) {
        .r = sundog_widen(v >> 11, 5),
        .g = sundog_widen(v >> 5, 6),
        .b = sundog_widen(v, 5),
    };
}

static uint16_t sundog_clamp(int64_t v)
{
    return MAX(MIN(v, ONE), 0);
}

/* Returns rounded(2^16 * 65535 * F / (BELOW * RANGE)), k() of the header. */
static int64_t sundog_factor(uint64_t f, uint64_t below, unsigned range)
{
    uint64_t whole = UINT64_C(65536) * ONE;

    return (whole * f + below * range / 2) / (below * range);
}

static SundogYuv sundog_yuv(const SundogPlane *p, unsigned bits)
{
    /* KR and KB in units of 1/10000. */
    static const unsigned weights[][2] = {
        [SUNDOG_PLANE_ENCODING_BT601] = { 2990, 1140 },
        [SUNDOG_PLANE_ENCODING_BT709] = { 2126, 722 },
        [SUNDOG_PLANE_ENCODING_BT2020] = { 2627, 593 },
    };
    bool limited = p->range == SUNDOG_PLANE_RANGE_LIMITED;
    unsigned scale = 1 << (bits - 8), max = (1 << bits) - 1;
    unsigned luma = limited ? 219 * scale : max;
    unsigned chroma = limited ? 224 * scale : max;
    uint64_t kr = weights[p->encoding][0], kb = weights[p->encoding][1];
    uint64_t kg = 10000 - kr - kb;

    return (SundogYuv) {
        .y0 = limited ? 16 * scale : 0,
        .c0 = 128 * scale,
        .y = sundog_factor(1, 1, luma),
        .rv = sundog_factor(20000 - 2 * kr, 10000, chroma),
        .gv = sundog_factor((20000 - 2 * kr) * kr, 10000 * kg, chroma),
        .gu = sundog_factor((20000 - 2 * kb) * kb, 10000 * kg, chroma),
        .bu = sundog_factor(20000 - 2 * kb, 10000, chroma),
    };
}

static SundogPixel sundog_from_yuv(const SundogYuv *k, int y, int u, int v)
{
    int64_t grey = k->y * (y - k->y0) + 0x8000;

    u -= k->c0;
    v -= k->c0;
    return (SundogPixel) {
        .r = sundog_clamp((grey + k->rv * v) >> 16),
        .g = sundog_clamp((grey - k->gu * u - k->gv * v) >> 16),
        .b = sundog_clamp((grey + k->bu * u) >> 16),
    };
}

static void sundog_fetch_nv12(const SundogPlane *p, const uint8_t *vram,
                              const SundogPositions *at, unsigned n,
                              SundogPixel *out)
{
    SundogYuv k = sundog_yuv(p, 8);

    for (unsigned i = 0; i < n; i++) {
        uint32_t y = sundog_load8(sundog_sample(p, vram, 0, at->u[i],
                                                at->v[i], 1));
        uint32_t c = sundog_load16(sundog_sample(p, vram, 1, at->u[i] / 2,
                                                 at->v[i] / 2, 2));

        out[i] = sundog_from_yuv(&k, y, c & 0xff, c >> 8);
    }
}

static void sundog_fetch_p010(const SundogPlane *p, const uint8_t *vram,
                              const SundogPositions *at, unsigned n,
                              SundogPixel *out)
{
    SundogYuv k = sundog_yuv(p, 10);

    for (unsigned i = 0; i < n; i++) {
        uint32_t y = sundog_load16(sundog_sample(p, vram, 0, at->u[i],
                                                 at->v[i], 2));
        uint32_t c = sundog_load32(sundog_sample(p, vram, 1, at->u[i] / 2,
                                                 at->v[i] / 2, 4));

        out[i] = sundog_from_yuv(&k, y >> 6, c >> 6 & 1023, c >> 22);
    }
}

#define FETCH(bits, convert)                                            \
    for (unsigned i = 0; i < n; i++) {                                  \
        out[i] = convert(sundog_load ## bits(                           \
            sundog_sample(p, vram, 0, at->u[i], at->v[i], bits / 8)));  \
    }

/* Reads N pixels. Their alpha is undefined if the plane has no pixel alpha. */
static void sundog_fetch(const SundogPlane *p, const uint8_t *vram,
                         const SundogPositions *at, unsigned n,
                         SundogPixel *out)
{
    switch (p->format) {
    case SUNDOG_FOURCC_XR24:
    case SUNDOG_FOURCC_AR24:
        FETCH(32, sundog_from_8888);
        break;
    case SUNDOG_FOURCC_XB24:
    case SUNDOG_FOURCC_AB24:
        FETCH(32, sundog_from_bgr8888);
        break;
    case SUNDOG_FOURCC_XR30:
    case SUNDOG_FOURCC_AR30:
        FETCH(32, sundog_from_2101010);
        break;
    case SUNDOG_FOURCC_XR4H:
    case SUNDOG_FOURCC_AR4H:
        FETCH(64, sundog_from_half);
        break;
    case SUNDOG_FOURCC_RG16:
        FETCH(16, sundog_from_565);
        break;
    case SUNDOG_FOURCC_NV12:
        sundog_fetch_nv12(p, vram, at, n, out);
        break;
    case SUNDOG_FOURCC_P010:
        sundog_fetch_p010(p, vram, at, n, out);
        break;
    }
}

static uint16_t sundog_mix(uint64_t a, uint32_t of_a, uint64_t b, uint32_t of_b)
{
    return MIN((a * of_a + b * of_b + ONE / 2) / ONE, ONE);
}

static void sundog_blend(const SundogPlane *p, const SundogPixel *from,
                         unsigned n, SundogPixel *to)
{
    bool pixel_alpha = sundog_has_pixel_alpha(p);
    bool premultiplied = p->blend == SUNDOG_PLANE_BLEND_PREMULTI;

    for (unsigned i = 0; i < n; i++) {
        uint32_t a = sundog_mix(p->alpha, pixel_alpha ? from[i].a : ONE, 0, 0);
        uint32_t f = premultiplied ? p->alpha : a;

        to[i].r = sundog_mix(from[i].r, f, to[i].r, ONE - a);
        to[i].g = sundog_mix(from[i].g, f, to[i].g, ONE - a);
        to[i].b = sundog_mix(from[i].b, f, to[i].b, ONE - a);
    }
}

static void sundog_transform(const int64_t *ctm, unsigned n, SundogPixel *to)
{
    int64_t k[9];

    for (unsigned i = 0; i < 9; i++) {
        k[i] = MAX(MIN(ctm[i], CTM_MAX), -CTM_MAX);
    }
    for (unsigned i = 0; i < n; i++) {
        int64_t r = to[i].r, g = to[i].g, b = to[i].b, half = 1u << 31;

        to[i].r = sundog_clamp((k[0] * r + k[1] * g + k[2] * b + half) >> 32);
        to[i].g = sundog_clamp((k[3] * r + k[4] * g + k[5] * b + half) >> 32);
        to[i].b = sundog_clamp((k[6] * r + k[7] * g + k[8] * b + half) >> 32);
    }
}

static uint16_t sundog_look_up(const SundogTable table, unsigned channel,
                               uint32_t v)
{
    uint32_t i = v / 257, f = v % 257;
    uint32_t low = table[i][channel], high = table[MIN(i + 1, 255)][channel];

    return (low * (257 - f) + high * f + 128) / 257;
}

static void sundog_correct(const SundogTable table, unsigned n,
                           SundogPixel *to)
{
    for (unsigned i = 0; i < n; i++) {
        to[i].r = sundog_look_up(table, 0, to[i].r);
        to[i].g = sundog_look_up(table, 1, to[i].g);
        to[i].b = sundog_look_up(table, 2, to[i].b);
    }
}

static void sundog_color(const SundogColor *color, unsigned n, SundogPixel *to)
{
    if (color->has_degamma) {
        sundog_correct(color->degamma, n, to);
    }
    if (color->has_ctm) {
        sundog_transform(color->ctm, n, to);
    }
    if (color->has_gamma) {
        sundog_correct(color->gamma, n, to);
    }
}

static uint32_t sundog_narrow(uint16_t v)
{
    return (v + 128u) / 257;
}

static void sundog_pack(const SundogPixel *from, unsigned n, uint32_t *to)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] = 0xff000000 | sundog_narrow(from[i].r) << 16 |
                sundog_narrow(from[i].g) << 8 | sundog_narrow(from[i].b);
    }
}

/* Composes N pixels, at most PIECE, from (X, Y) of the head on. */
static void sundog_make(const SundogStack *stack, const SundogColor *color,
                        const uint8_t *vram, unsigned x, unsigned y, unsigned n,
                        uint32_t *to)
{
    SundogPixel made[PIECE], next[PIECE];
    SundogPositions at;

    memset(made, 0, n * sizeof(made[0]));
    for (unsigned i = 0; i < stack->n; i++) {
        const SundogPlane *p = stack->planes[i];
        bool opaque = sundog_plane_is_opaque(p);

        sundog_locate(p, x - p->dst_x, y - p->dst_y, n, &at);
        sundog_fetch(p, vram, &at, n, opaque ? made : next);
        if (!opaque) {
            sundog_blend(p, next, n, made);
        }
    }
    if (color) {
        sundog_color(color, n, made);
    }
    sundog_pack(made, n, to);
}

static uint32_t sundog_copy_pixel(const uint8_t *from)
{
    return le32_to_cpu(*(const uint32_t *)from) | 0xff000000;
}

/* Copies N pixels, whose distance in the buffer is that of the first two. */
static void sundog_copy(const SundogPlane *p, const uint8_t *vram, unsigned x,
                        unsigned y, unsigned n, uint32_t *to)
{
    const uint8_t *from;
    SundogPositions at;
    ptrdiff_t step;

    sundog_locate(p, x - p->dst_x, y - p->dst_y, MIN(n, 2), &at);
    from = sundog_sample(p, vram, 0, at.u[0], at.v[0], 4);
    step = n > 1 ? (const uint8_t *)sundog_sample(p, vram, 0, at.u[1], at.v[1],
                                                  4) - from : 0;
    if (step == 4) {
        for (unsigned i = 0; i < n; i++) {
            to[i] = sundog_copy_pixel(from + 4 * i);
        }
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        to[i] = sundog_copy_pixel(from + step * i);
    }
}

/* Composes pixels of a row that the same planes cover. */
static void sundog_compose_piece(const SundogStack *stack,
                                 const SundogColor *color, const uint8_t *vram,
                                 unsigned x, unsigned y, unsigned n,
                                 uint32_t *to)
{
    bool colored = color && sundog_color_is_on(color);
    const SundogPlane *lowest = stack->planes[0];

    if (stack->n == 1 && !colored && sundog_plane_is_opaque(lowest) &&
        sundog_is_plain(lowest)) {
        sundog_copy(lowest, vram, x, y, n, to);
        return;
    }
    while (n) {
        unsigned now = MIN(n, PIECE);

        sundog_make(stack, color, vram, x, y, now, to);
        x += now;
        to += now;
        n -= now;
    }
}

static bool sundog_covers(int32_t start, uint32_t size, unsigned at)
{
    return (int64_t)at >= start && (int64_t)at < (int64_t)start + size;
}

/*
 * Computes the planes of a row that are visible at X. Returns the next X at
 * which a plane begins or ends, or WIDTH.
 */
static unsigned sundog_stack_at(const SundogStack *row, unsigned x,
                                unsigned width, SundogStack *seen)
{
    int64_t end = width;

    seen->n = 0;
    seen->planes[0] = NULL;
    for (unsigned i = 0; i < row->n; i++) {
        const SundogPlane *p = row->planes[i];

        if (p->dst_x > (int64_t)x) {
            end = MIN(end, p->dst_x);
        } else if (sundog_covers(p->dst_x, p->dst_w, x)) {
            end = MIN(end, (int64_t)p->dst_x + p->dst_w);
            if (sundog_plane_is_opaque(p)) {
                seen->n = 0;
            }
            seen->planes[seen->n++] = p;
        }
    }
    return end;
}

static void sundog_stack_row(const SundogStack *all, unsigned y,
                             SundogStack *row)
{
    row->n = 0;
    for (unsigned i = 0; i < all->n; i++) {
        if (sundog_covers(all->planes[i]->dst_y, all->planes[i]->dst_h, y)) {
            row->planes[row->n++] = all->planes[i];
        }
    }
}

static void sundog_stack_all(const SundogPlane *planes, unsigned n,
                             SundogStack *all)
{
    assert(n <= SUNDOG_HEAD_PLANES);
    all->n = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned place = all->n;

        if (!planes[i].enable) {
            continue;
        }
        while (place && all->planes[place - 1]->zpos > planes[i].zpos) {
            all->planes[place] = all->planes[place - 1];
            place--;
        }
        all->planes[place] = &planes[i];
        all->n++;
    }
}

void sundog_compose(const SundogPlane *planes, unsigned n,
                    const SundogColor *color, const uint8_t *vram,
                    unsigned width, unsigned top, unsigned bottom,
                    uint32_t *pixels, size_t stride)
{
    SundogStack all, row, seen;

    sundog_stack_all(planes, n, &all);
    for (unsigned y = top; y < bottom; y++) {
        sundog_stack_row(&all, y, &row);
        for (unsigned x = 0, end; x < width; x = end) {
            end = sundog_stack_at(&row, x, width, &seen);
            sundog_compose_piece(&seen, color, vram, x, y, end - x, pixels + x);
        }
        pixels = (uint32_t *)((uint8_t *)pixels + stride);
    }
}

uint32_t sundog_compose_crc(uint32_t crc, const uint32_t *row, unsigned width)
{
    return crc32(crc, (const uint8_t *)row, width * 4);
}

/*
 * sundog, a GPU in software: a plane that UIs show as their own cursor
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pointer that a UI takes is left out of the console's picture, and the UI
 * gets its pixels and hot spot instead, and shows it where the user's mouse is:
 * to move it draws nothing. Where the guest has it is told to nobody: a UI
 * might move the user's mouse there. What else looks at a head, CRCs and
 * writeback, has it where it is.
 *
 * It is told beside the latch, and not when a UI asks for a frame: one whose
 * picture does not change asks every few seconds. As often as a guest likes to
 * change it would be too much for one that has a network in between.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "sundog.h"
#include "trace.h"

/* Pixels: there are VNC viewers that take a larger one for an error. */
#define MAX_CURSOR_SIZE     256

/* From one time that a UI is told to the next, ns at least. */
#define CURSOR_INTERVAL     5000000

/* What it is told, bytes in a second at most. */
#define CURSOR_RATE         (16 * MiB)

#define PLANE_REG(name)     (SUNDOG_REG_ ## name(0) - SUNDOG_PLANE_BASE)

/* Make a pointer of the shadow registers. Returns what is wrong, or NULL. */
const char *sundog_cursor_decode(const uint32_t *shadow, SundogPointer *at)
{
    const uint32_t pointer = shadow[PLANE_REG(PLANE_POINTER) / 4];

    if (pointer > 1) {
        return "unknown value of PLANE_POINTER";
    }
    if (pointer) {
        at->enable = true;
        at->hot_x = shadow[PLANE_REG(PLANE_HOT_X) / 4];
        at->hot_y = shadow[PLANE_REG(PLANE_HOT_Y) / 4];
    }
    return NULL;
}

/* Does writing this register of a plane leave its picture what it is? */
bool sundog_cursor_only_moves(hwaddr reg)
{
    switch (reg) {
    case PLANE_REG(PLANE_DST_X):
    case PLANE_REG(PLANE_DST_Y):
    case PLANE_REG(PLANE_HOT_X):
    case PLANE_REG(PLANE_HOT_Y):
        return true;
    default:
        return false;
    }
}

static int sundog_topmost_plane(const SundogMode *m)
{
    int top = -1;

    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        if (m->planes[i].enable &&
            (top < 0 || m->planes[i].zpos >= m->planes[top].zpos)) {
            top = i;
        }
    }
    return top;
}

/* Is P nothing but pixels that a UI can take, as they are? */
static bool sundog_is_cursor(const SundogPlane *p, const SundogPointer *at)
{
    return at->enable &&
           (p->format == SUNDOG_FOURCC_AR24 ||
            p->format == SUNDOG_FOURCC_XR24) &&
           p->alpha == 0xffff &&
           p->rotation == SUNDOG_PLANE_ROTATION_0 &&
           p->dst_w <= MAX_CURSOR_SIZE && p->src_w == p->dst_w << 16 &&
           p->dst_h <= MAX_CURSOR_SIZE && p->src_h == p->dst_h << 16 &&
           !(p->src_x & 0xffff) && !(p->src_y & 0xffff) &&
           at->hot_x >= 0 && at->hot_x < p->dst_w &&
           at->hot_y >= 0 && at->hot_y < p->dst_h;
}

/* A mouse that is bound to no head moves over all that are on. */
static bool sundog_is_only_head(const SundogHead *head)
{
    const SundogState *s = head->s;

    for (unsigned i = 0; i < s->num_heads; i++) {
        if (&s->heads[i] != head && s->heads[i].mode.enable) {
            return false;
        }
    }
    return true;
}

/* The plane that the UI can show as its cursor now, or -1. */
int sundog_cursor_plane(const SundogHead *head)
{
    const SundogMode *m = &head->mode;
    const int top = sundog_topmost_plane(m);

    return top >= 0 && head->s->host_cursor && sundog_is_only_head(head) &&
           !sundog_color_is_on(&m->color) &&
           sundog_is_cursor(&m->planes[top], &m->pointers[top]) &&
           dpy_cursor_define_supported(head->con) ? top : -1;
}

/* QEMU's cursors are premultiplied, as Linux' are that virtio-gpu hands on. */
static uint32_t sundog_cursor_pixel(const SundogPlane *p, uint32_t pixel)
{
    const uint32_t alpha = pixel >> 24;
    uint32_t made = alpha << 24;

    if (p->format == SUNDOG_FOURCC_XR24 ||
        p->blend == SUNDOG_PLANE_BLEND_PIXEL_NONE) {
        return pixel | 0xff000000;
    }
    if (p->blend == SUNDOG_PLANE_BLEND_PREMULTI) {
        return pixel;
    }
    for (int shift = 0; shift < 24; shift += 8) {
        made |= ((pixel >> shift & 0xff) * alpha + 127) / 255 << shift;
    }
    return made;
}

static QEMUCursor *sundog_copy_cursor(const SundogHead *head)
{
    const SundogPlane *p = &head->mode.planes[head->pointer];
    const SundogPointer *at = &head->mode.pointers[head->pointer];
    const uint8_t *row = memory_region_get_ram_ptr(&head->s->vram);
    QEMUCursor *c = cursor_alloc(p->dst_w, p->dst_h);
    uint32_t *to = c->data;

    c->hot_x = at->hot_x;
    c->hot_y = at->hot_y;
    row += sundog_first_pixel(p);
    for (uint32_t y = 0; y < p->dst_h; y++, row += p->pitch[0]) {
        for (uint32_t x = 0; x < p->dst_w; x++) {
            *to++ = sundog_cursor_pixel(p, ldl_le_p(row + x * 4));
        }
    }
    return c;
}

/*
 * Most are small in a large picture: what is left is the box of all that shows,
 * and of the hot spot.
 */
static QEMUCursor *sundog_crop_cursor(QEMUCursor *c)
{
    int left = c->hot_x, right = left + 1, top = c->hot_y, bottom = top + 1;
    QEMUCursor *made;

    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++) {
            if (c->data[y * c->width + x]) {
                left = MIN(left, x);
                right = MAX(right, x + 1);
                top = MIN(top, y);
                bottom = MAX(bottom, y + 1);
            }
        }
    }
    made = cursor_alloc(right - left, bottom - top);
    made->hot_x = c->hot_x - left;
    made->hot_y = c->hot_y - top;
    for (int y = 0; y < made->height; y++) {
        memcpy(&made->data[y * made->width],
               &c->data[(top + y) * c->width + left],
               made->width * sizeof(made->data[0]));
    }
    cursor_unref(c);
    return made;
}

static size_t sundog_cursor_bytes(const QEMUCursor *c)
{
    return (size_t)c->width * c->height * sizeof(c->data[0]);
}

static bool sundog_is_same_cursor(const QEMUCursor *a, const QEMUCursor *b)
{
    return a->width == b->width && a->height == b->height &&
           a->hot_x == b->hot_x && a->hot_y == b->hot_y &&
           !memcmp(a->data, b->data, sundog_cursor_bytes(a));
}

/* Returns how many bytes that are. */
static size_t sundog_tell_cursor(SundogHead *head, QEMUCursor *c)
{
    trace_sundog_cursor_define(head->index, c->width, c->height, c->hot_x,
                               c->hot_y);
    dpy_cursor_define(head->con, c);
    return sundog_cursor_bytes(c);
}

static size_t sundog_define_cursor(SundogHead *head)
{
    QEMUCursor *c = sundog_crop_cursor(sundog_copy_cursor(head));

    head->cursor_stale = false;
    head->cursor_at = head->mode.pointers[head->pointer];
    if (head->cursor && sundog_is_same_cursor(c, head->cursor)) {
        cursor_unref(c);
        return 0;
    }
    cursor_unref(head->cursor);
    head->cursor = c;
    return sundog_tell_cursor(head, c);
}

/* One that is none: few UIs look at whether it is on. */
static size_t sundog_hide_cursor(SundogHead *head)
{
    QEMUCursor *nothing;
    size_t bytes;

    if (!head->cursor) {
        return 0;
    }
    nothing = cursor_alloc(1, 1);
    bytes = sundog_tell_cursor(head, nothing);
    cursor_unref(nothing);
    cursor_unref(head->cursor);
    head->cursor = NULL;
    return bytes;
}

static void sundog_cursor_soon(SundogHead *head)
{
    const int64_t now = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);

    if (!timer_pending(head->cursor_timer)) {
        timer_mod_ns(head->cursor_timer, MAX(now, head->s->cursor_rests));
    }
}

/*
 * All heads share what time there is, and what the network takes. When the UI
 * asked for a frame last it may have kept up, and had another viewer.
 */
static void sundog_cursor_tell(void *opaque)
{
    SundogHead *head = opaque;
    SundogState *s = head->s;
    const int64_t begin = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
    size_t bytes = 0;
    int64_t now;

    if (begin < s->cursor_rests) {
        sundog_cursor_soon(head);
        return;
    }
    sundog_scanout_look(head);
    if (head->pointer < 0) {
        bytes = sundog_hide_cursor(head);
    } else if (head->cursor_stale) {
        bytes = sundog_define_cursor(head);
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
    s->cursor_rests = now + MAX(MAX(CURSOR_INTERVAL, now - begin),
                                bytes * NANOSECONDS_PER_SECOND / CURSOR_RATE);
}

/* The picture of what the UI shows as its cursor may have been drawn to. */
void sundog_cursor_damage(SundogHead *head)
{
    if (head->pointer >= 0) {
        head->cursor_stale = true;
        sundog_cursor_soon(head);
    }
}

/* The head's mode is another one, or there are other UIs, or heads. */
void sundog_cursor_changed(SundogHead *head)
{
    const SundogMode *m = &head->mode;
    const int pointer = sundog_cursor_plane(head);
    const bool other = pointer != head->pointer;

    head->pointer = pointer;
    if (pointer < 0) {
        if (head->cursor) {
            sundog_cursor_soon(head);
        }
        return;
    }
    if (other || m->pictures & 1u << pointer || !head->cursor ||
        m->pointers[pointer].hot_x != head->cursor_at.hot_x ||
        m->pointers[pointer].hot_y != head->cursor_at.hot_y) {
        head->cursor_stale = true;
        sundog_cursor_soon(head);
    }
}

void sundog_cursor_realize(SundogHead *head)
{
    head->pointer = -1;
    head->cursor_timer = timer_new_ns(QEMU_CLOCK_REALTIME, sundog_cursor_tell,
                                      head);
}

/* Consoles outlive the device, and UIs get nothing from it any more. */
void sundog_cursor_unplug(SundogHead *head)
{
    head->pointer = -1;
    sundog_hide_cursor(head);
}

void sundog_cursor_exit(SundogHead *head)
{
    timer_free(head->cursor_timer);
}

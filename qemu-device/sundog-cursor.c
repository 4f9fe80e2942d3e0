/*
 * sundog, a GPU in software: a plane that UIs show as their own cursor
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pointer plane that a UI can show is not in the console's picture. The UI
 * gets its pixels and hot spot instead, and shows it at the user's mouse, so
 * that no move draws anything. UIs do not get the guest's position of the
 * pointer, to which they might move the user's mouse. CRCs and writeback
 * contain the pointer plane at its position.
 *
 * A timer, started by the latch, sends the cursor to the UI. A UI's request for
 * a frame would come too late: with an unchanged picture it comes every few
 * seconds. The rate is limited, because a UI may be behind a network.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "sundog.h"
#include "trace.h"

/* Pixels; some VNC viewers treat a larger cursor as an error. */
#define MAX_CURSOR_SIZE     256

/* Minimum interval of cursor updates, ns. */
#define CURSOR_INTERVAL     5000000

/* Maximum rate of cursor updates, bytes per second. */
#define CURSOR_RATE         (16 * MiB)

#define PLANE_REG(name)     (SUNDOG_REG_ ## name(0) - SUNDOG_PLANE_BASE)

/* Decodes the shadow registers. Returns what is wrong with them, or NULL. */
const char *sundog_cursor_decode(const uint32_t *shadow, SundogPointer *at)
{
    const uint32_t pointer = shadow[PLANE_REG(PLANE_POINTER) / 4];

    if (pointer > 1) {
        return "PLANE_POINTER is not 0 or 1";
    }
    if (pointer) {
        at->enable = true;
        at->hot_x = shadow[PLANE_REG(PLANE_HOT_X) / 4];
        at->hot_y = shadow[PLANE_REG(PLANE_HOT_Y) / 4];
    }
    return NULL;
}

/* Returns true if a write to this plane register does not change its pixels. */
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

/* Returns true if P is a pointer whose pixels a UI can use unchanged. */
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

/*
 * Returns true if no other head is enabled. A mouse that is not bound to a head
 * moves over all enabled heads, and each would need the cursor.
 */
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

/* Returns the plane that the UI can show as its cursor now, or -1. */
int sundog_cursor_plane(const SundogHead *head)
{
    const SundogMode *m = &head->mode;
    const int top = sundog_topmost_plane(m);

    return top >= 0 && head->s->host_cursor && sundog_is_only_head(head) &&
           !sundog_color_is_on(&m->color) &&
           sundog_is_cursor(&m->planes[top], &m->pointers[top]) &&
           dpy_cursor_define_supported(head->con) ? top : -1;
}

/*
 * Converts a pixel to premultiplied alpha, as UIs expect: virtio-gpu passes on
 * the cursors of Linux, which are premultiplied.
 */
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
 * Crops a cursor to the box of its visible pixels and its hot spot, since most
 * cursors are small in a large plane. Frees C.
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

/* Sends a cursor to the UI. Returns its size in bytes. */
static size_t sundog_tell_cursor(SundogHead *head, QEMUCursor *c)
{
    trace_sundog_cursor_define(head->index, c->width, c->height, c->hot_x,
                               c->hot_y);
    dpy_cursor_define(head->con, c);
    return sundog_cursor_bytes(c);
}

/* Sends the cursor to the UI if it changed. Returns the bytes sent. */
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

/*
 * Sends a transparent cursor, since few UIs evaluate whether the cursor is on.
 * Returns the bytes sent.
 */
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
 * Updates the UI's cursor; all heads share the limits of rate and time. This
 * checks again whether the UI supports a cursor, since its viewers may be other
 * ones than at its last request for a frame.
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

/* The pixels of the plane that is the UI's cursor may have changed. */
void sundog_cursor_damage(SundogHead *head)
{
    if (head->pointer >= 0) {
        head->cursor_stale = true;
        sundog_cursor_soon(head);
    }
}

/* The head's mode changed, or UIs or heads were added or removed. */
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

/* Hides the cursor: consoles outlive the device and would keep it. */
void sundog_cursor_unplug(SundogHead *head)
{
    head->pointer = -1;
    sundog_hide_cursor(head);
}

void sundog_cursor_exit(SundogHead *head)
{
    timer_free(head->cursor_timer);
}

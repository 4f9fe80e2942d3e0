/*
 * sundog, a GPU in software: console surfaces and damage of heads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If a head shows unmodified pixels of one buffer only, the console's surface
 * is VRAM itself. Else it is a separate surface, into which sundog-compose.c
 * draws the planes. A plane that UIs show as their cursor is in neither.
 *
 * Rows are drawn when the UI requests a frame. Damage comes from commits, from
 * DAMAGE and, for writes of the guest's vCPUs, from the dirty log. A renderer's
 * writes are not logged: its driver writes DAMAGE or flips.
 */

#include "qemu/osdep.h"
#include "sundog.h"
#include "trace.h"

/* Time slice of composition, ns of real time. */
#define COMPOSE_SLICE 20000000
/* Maximum times that all rows are drawn before a waiting UI gets its frame. */
#define MAX_TURNS 4

/* Returns the offset in VRAM of the first pixel, of 4 bytes, that P shows. */
uint64_t sundog_first_pixel(const SundogPlane *p)
{
    return p->offset[0] + (uint64_t)p->pitch[0] * (p->src_y >> 16) +
           (p->src_x >> 16) * 4;
}

/*
 * Returns true if P alone makes the head's picture and a UI can use its buffer
 * as a surface. Premultiplied colours over black do not change. Some UIs read
 * pitch * height bytes, and compute that product as an int: it must not
 * overflow, and the bytes must be in VRAM.
 */
static bool sundog_is_surface(const SundogHead *head, const SundogPlane *p)
{
    const SundogMode *m = &head->mode;
    uint64_t size = (uint64_t)p->pitch[0] * m->height;
    uint64_t first = sundog_first_pixel(p);

    return (p->format == SUNDOG_FOURCC_XR24 ||
            (p->format == SUNDOG_FOURCC_AR24 &&
             p->blend != SUNDOG_PLANE_BLEND_COVERAGE)) &&
           p->alpha == 0xffff &&
           p->rotation == SUNDOG_PLANE_ROTATION_0 &&
           !p->dst_x && !p->dst_y &&
           p->dst_w == m->width && p->src_w == m->width << 16 &&
           p->dst_h == m->height && p->src_h == m->height << 16 &&
           !(p->src_x & 0xffff) && !(p->src_y & 0xffff) &&
           size <= INT32_MAX && first <= head->s->vram_size &&
           size <= head->s->vram_size - first;
}

/*
 * Returns the plane whose buffer is the console's surface, or NULL if the
 * picture must be composed. An opaque topmost plane hides the others.
 */
static const SundogPlane *sundog_surface_plane(const SundogHead *head)
{
    const SundogPlane *top = NULL;
    unsigned n = 0;

    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        const SundogPlane *p = &head->shown[i];

        if (p->enable) {
            top = top && top->zpos > p->zpos ? top : p;
            n++;
        }
    }
    return top && (n == 1 || sundog_plane_is_opaque(top)) &&
           !sundog_color_is_on(&head->mode.color) &&
           sundog_is_surface(head, top) ? top : NULL;
}

static uint8_t *sundog_vram(const SundogHead *head)
{
    return memory_region_get_ram_ptr(&head->s->vram);
}

/*
 * Damages rows [top, bottom), clipped to the picture. Drawing goes on at the
 * current row and goes through all damaged rows once more, whichever rows the
 * new damage has.
 */
void sundog_scanout_damage(SundogHead *head, int64_t top, int64_t bottom)
{
    top = MAX(top, 0);
    bottom = MIN(bottom, head->mode.height);
    if (top >= bottom) {
        return;
    }
    if (head->damage_left) {
        top = MIN(top, head->damage_top);
        bottom = MAX(bottom, head->damage_bottom);
    }
    head->damage_top = top;
    head->damage_bottom = bottom;
    head->damage_left = bottom - top;
    if (head->damage_next < top || head->damage_next >= bottom) {
        head->damage_next = top;
    }
}

/* Clips the damage to a new height of the picture. */
static void sundog_cut_damage(SundogHead *head)
{
    const uint32_t top = head->damage_top;
    const uint32_t bottom = head->damage_bottom;
    const bool damaged = head->damage_left;

    head->damage_left = 0;
    if (damaged) {
        sundog_scanout_damage(head, top, bottom);
    }
}

void sundog_scanout_damage_plane(SundogHead *head, const SundogPlane *p)
{
    if (p->enable) {
        sundog_scanout_damage(head, p->dst_y, (int64_t)p->dst_y + p->dst_h);
    }
}

/* Computes the planes of the console's picture: all but the UI's cursor. */
static void sundog_choose_shown(SundogHead *head)
{
    memcpy(head->shown, head->mode.planes, sizeof(head->shown));
    if (head->pointer >= 0) {
        memset(&head->shown[head->pointer], 0, sizeof(head->shown[0]));
    }
}

static void sundog_choose_surface(SundogHead *head, const SundogMode *old)
{
    const SundogMode *m = &head->mode;
    const SundogPlane *p = sundog_surface_plane(head);
    uint8_t *surface = p ? sundog_vram(head) + sundog_first_pixel(p) : NULL;
    uint32_t pitch = p ? p->pitch[0] : 0;

    if (m->enable != old->enable || m->width != old->width ||
        m->height != old->height || surface != head->surface ||
        pitch != head->pitch) {
        head->stale = true;
    }
    head->surface = surface;
    head->pitch = pitch;
}

/*
 * Updates the other heads: a UI shows a pointer as its cursor only if one head
 * is enabled.
 */
static void sundog_look_at_others(SundogHead *head)
{
    SundogState *s = head->s;

    for (unsigned i = 0; i < s->num_heads; i++) {
        if (&s->heads[i] != head) {
            sundog_scanout_look(&s->heads[i]);
        }
    }
}

/* The head's mode changed from OLD, or UIs were added or removed. */
void sundog_scanout_changed(SundogHead *head, const SundogMode *old)
{
    const SundogMode *m = &head->mode;
    SundogPlane before[SUNDOG_HEAD_PLANES];

    memcpy(before, head->shown, sizeof(before));
    sundog_cursor_changed(head);
    sundog_choose_shown(head);
    sundog_choose_surface(head, old);
    sundog_cut_damage(head);
    if (memcmp(&m->color, &old->color, sizeof(m->color))) {
        sundog_scanout_damage(head, 0, m->height);
    }
    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        if (memcmp(&head->shown[i], &before[i], sizeof(before[i]))) {
            sundog_scanout_damage_plane(head, &before[i]);
            sundog_scanout_damage_plane(head, &head->shown[i]);
        }
    }
    sundog_dirty_log(head->s);
    if (m->enable != old->enable) {
        sundog_look_at_others(head);
    }
}

/* Checks whether UIs or viewers changed, and with them the cursor plane. */
void sundog_scanout_look(SundogHead *head)
{
    if (sundog_cursor_plane(head) != head->pointer) {
        sundog_scanout_changed(head, &head->mode);
    }
}

void sundog_scanout_forget(SundogHead *head)
{
    qemu_free_displaysurface(head->next);
    head->next = NULL;
}

/*
 * Gives the console a new surface. One that must be composed replaces the old
 * one only when all of its rows are drawn.
 */
static void sundog_new_surface(SundogHead *head)
{
    const SundogMode *m = &head->mode;
    DisplaySurface *surface = NULL;

    trace_sundog_scanout_surface(head->index, !head->surface, m->width,
                                 m->height);
    sundog_scanout_forget(head);
    if (m->enable && !head->surface) {
        head->next = qemu_create_displaysurface(m->width, m->height);
        head->next_missing = m->height;
    } else {
        if (m->enable) {
            surface = qemu_create_displaysurface_from(m->width, m->height,
                                                      PIXMAN_LE_x8r8g8b8,
                                                      head->pitch,
                                                      head->surface);
        }
        dpy_gfx_replace_surface(head->con, surface);
    }
    head->stale = false;
    sundog_scanout_damage(head, 0, m->height);
}

/* Composes row Y of PLANES: the mode's, or those that the console shows. */
static void sundog_compose_row(const SundogHead *head,
                               const SundogPlane *planes, uint32_t y,
                               void *pixels)
{
    const SundogMode *m = &head->mode;

    sundog_compose(planes, SUNDOG_HEAD_PLANES, &m->color, sundog_vram(head),
                   m->width, y, y + 1, pixels, 0);
}

/*
 * Starts a time slice; returns false if composition must pause. Between two
 * slices the main loop has as much time for other work as the slice took.
 */
static bool sundog_has_time(SundogState *s)
{
    s->compose_begin = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
    s->compose_had_time = s->compose_begin >= s->compose_rests;
    return s->compose_had_time;
}

/*
 * Sets TIMER to the end of the pause. Work that had the last slice goes on one
 * ns later than work that had none, which therefore comes first.
 */
void sundog_scanout_wait(SundogState *s, QEMUTimer *timer)
{
    timer_mod_ns(timer, s->compose_rests + s->compose_had_time);
}

/* Returns true if the slice is used up; computes the end of the next pause. */
static bool sundog_time_is_up(SundogState *s)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);

    s->compose_rests = now + (now - s->compose_begin);
    return now - s->compose_begin > COMPOSE_SLICE;
}

/*
 * Composes rows of the mode's planes from *NEXT on for one time slice, and
 * calls TAKE for each. Returns true if all rows are done, else sets GOES_ON to
 * the next slice. Does not depend on a UI.
 */
bool sundog_scanout_rows(SundogHead *head, uint32_t *next, SundogTakeRow *take,
                         QEMUTimer *goes_on)
{
    const SundogMode *m = &head->mode;
    g_autofree uint32_t *row = g_new(uint32_t, m->width);
    bool has_time = sundog_has_time(head->s);

    while (has_time && *next < m->height) {
        sundog_compose_row(head, m->planes, *next, row);
        take(head, *next, row);
        ++*next;
        has_time = !sundog_time_is_up(head->s);
    }
    if (*next < m->height) {
        sundog_scanout_wait(head->s, goes_on);
    }
    return *next == m->height;
}

/* Tells the UI about drawn rows, unless they are in the next surface. */
static void sundog_show_rows(SundogHead *head, uint32_t top, uint32_t bottom)
{
    if (top < bottom && !head->next) {
        dpy_gfx_update(head->con, 0, top, head->mode.width, bottom - top);
    }
}

static void sundog_show_next(SundogHead *head)
{
    dpy_gfx_replace_surface(head->con, head->next);
    head->next = NULL;
    sundog_show_rows(head, 0, head->mode.height);
}

/*
 * Draws the next damaged row. Rows are drawn in a cycle, so the next surface is
 * complete when as many rows were drawn as it has.
 */
static void sundog_draw_row(SundogHead *head)
{
    DisplaySurface *to = head->next ?: qemu_console_surface(head->con);
    const uint32_t y = head->damage_next;

    sundog_compose_row(head, head->shown, y, surface_data(to) +
                       (size_t)surface_stride(to) * y);
    head->damage_left--;
    head->damage_next++;
    head->n_drawn++;
    head->n_waited++;
    if (head->next && !--head->next_missing) {
        sundog_show_next(head);
    }
}

/* Draws damaged rows for one time slice. */
static void sundog_draw_rows(SundogHead *head)
{
    uint32_t first = head->damage_next;

    if (!sundog_has_time(head->s)) {
        return;
    }
    while (head->damage_left && !sundog_time_is_up(head->s)) {
        sundog_draw_row(head);
        if (head->damage_next == head->damage_bottom) {
            sundog_show_rows(head, first, head->damage_next);
            first = head->damage_next = head->damage_top;
        }
    }
    sundog_show_rows(head, first, head->damage_next);
}

/*
 * Returns true if a UI need not wait longer, although damage is left: it may
 * come as fast as it is drawn. The picture is as new as the UI's last request
 * when each row was drawn once since then, or twice with a new surface. A
 * viewer may repeat its request before that, each time for a newer picture, so
 * the first request waits for MAX_TURNS pictures at most.
 */
static bool sundog_had_turns(const SundogHead *head)
{
    const uint32_t height = head->mode.height;

    return head->n_drawn >= (head->next ? 2 : 1) * height ||
           head->n_waited >= MAX_TURNS * height;
}

/*
 * Draws for one time slice. Returns true if the console's picture is as new as
 * the UI's request.
 */
static bool sundog_scanout_draw(SundogHead *head)
{
    const SundogMode *m = &head->mode;

    if (head->stale) {
        sundog_new_surface(head);
    }
    if (!m->enable) {
        sundog_boot_draw(head);
        return true;
    }
    if (!head->damage_left) {
        return true;
    }
    trace_sundog_scanout_rows(head->index, head->damage_top,
                              head->damage_bottom);
    if (!head->surface) {
        sundog_draw_rows(head);
        return !head->damage_left || sundog_had_turns(head);
    }
    head->damage_left = 0;
    dpy_gfx_update(head->con, 0, head->damage_top, m->width,
                   head->damage_bottom - head->damage_top);
    return true;
}

void sundog_scanout_go_on(void *opaque)
{
    SundogHead *head = opaque;

    if (sundog_scanout_draw(head)) {
        timer_del(head->draw_goes_on);
        graphic_hw_update_done(head->con);
    } else {
        sundog_scanout_wait(head->s, head->draw_goes_on);
    }
}

/*
 * The UI requests a frame; graphic_hw_update_done() tells it when the frame is
 * complete. sundog_dirty_collect() drops the BQL, so the device may be
 * unplugged meanwhile.
 */
void sundog_scanout_update(SundogHead *head)
{
    SundogState *s = head->s;

    object_ref(OBJECT(s));
    sundog_dirty_collect(head);
    if (sundog_is_present(s)) {
        sundog_scanout_look(head);
        head->n_drawn = 0;
        if (!timer_pending(head->draw_goes_on)) {
            head->n_waited = 0;
        }
        sundog_scanout_go_on(head);
    }
    object_unref(OBJECT(s));
}

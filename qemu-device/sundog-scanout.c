/*
 * sundog, a GPU in software: from VRAM to the console
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A head that shows nothing but pixels of one buffer, as they are, has VRAM
 * itself as the console's surface. Else there is a surface of its own, into
 * which sundog-compose.c puts the planes; but for one that UIs show as their
 * cursor, which is in neither.
 *
 * Work is done when the UI asks for a frame. Commits and DAMAGE say which rows
 * changed, the dirty log says it for the guest's CPUs; a renderer's writes are
 * in neither, its driver says DAMAGE or flips.
 */

#include "qemu/osdep.h"
#include "sundog.h"
#include "trace.h"

/* How long rows are made at a time, ns of real time. */
#define COMPOSE_SLICE 20000000
/* How often all rows of a picture are drawn for who waits for it. */
#define MAX_TURNS 4

/* Where in VRAM the first pixel is that P shows, of 4 bytes. */
uint64_t sundog_first_pixel(const SundogPlane *p)
{
    return p->offset[0] + (uint64_t)p->pitch[0] * (p->src_y >> 16) +
           (p->src_x >> 16) * 4;
}

/*
 * Is P by itself what the head shows, and so that a UI can take it as a surface?
 * Premultiplied colours over black are what they are. Some UIs take pitch *
 * height bytes, and compute that in int: they must all be in VRAM.
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
 * The plane whose buffer is the console's surface, or NULL: it is composed.
 * What an opaque one covers is not seen.
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
 * Rows [top, bottom) have to be drawn again; what lies outside the picture is
 * cut off. All that is damaged is drawn once more from where drawing has got
 * to, whichever rows these are.
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

/* The picture has another height. */
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

/* What the mode's planes are in the console's picture. */
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

/* Whether a pointer can be shown by the UI depends on how many heads are on. */
static void sundog_look_at_others(SundogHead *head)
{
    SundogState *s = head->s;

    for (unsigned i = 0; i < s->num_heads; i++) {
        if (&s->heads[i] != head) {
            sundog_scanout_look(&s->heads[i]);
        }
    }
}

/* The head's mode is a new one, it was OLD; or there are other UIs. */
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

/* There may be another UI than before, or another viewer. */
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

/* Until all rows of a picture are made the console keeps what it has. */
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

/* A row of the mode's planes, or of those that the console shows. */
static void sundog_compose_row(const SundogHead *head,
                               const SundogPlane *planes, uint32_t y,
                               void *pixels)
{
    const SundogMode *m = &head->mode;

    sundog_compose(planes, SUNDOG_HEAD_PLANES, &m->color, sundog_vram(head),
                   m->width, y, y + 1, pixels, 0);
}

/*
 * A picture that takes long is made a few rows at a time, and the main loop has
 * as much time for others.
 */
static bool sundog_has_time(SundogState *s)
{
    s->compose_begin = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
    s->compose_had_time = s->compose_begin >= s->compose_rests;
    return s->compose_had_time;
}

/* Whoever asked last goes on when there is time, after those who had none. */
void sundog_scanout_wait(SundogState *s, QEMUTimer *timer)
{
    timer_mod_ns(timer, s->compose_rests + s->compose_had_time);
}

static bool sundog_time_is_up(SundogState *s)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);

    s->compose_rests = now + (now - s->compose_begin);
    return now - s->compose_begin > COMPOSE_SLICE;
}

/*
 * Go on with the rows of what the head shows, from *NEXT on, whether anybody
 * looks at it or not; TAKE gets each. Is that all of it? Else GOES_ON comes
 * when there is time for more.
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

/* Rows were drawn to what the console shows, or to what it is going to. */
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

/* In turn: a picture is there when as many were drawn as it has. */
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

/* Damaged rows, as far as there is time. */
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
 * Where damage comes as fast as it is drawn, the picture is as new as it was
 * asked for when each row has had its turn: once more where it became another
 * one meanwhile. A viewer asks again before that, and each time it is to be
 * newer, but who asked first waits for a few turns only.
 */
static bool sundog_had_turns(const SundogHead *head)
{
    const uint32_t height = head->mode.height;

    return head->n_drawn >= (head->next ? 2 : 1) * height ||
           head->n_waited >= MAX_TURNS * height;
}

/* Is the console's picture as new as it was asked for? */
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
 * The UI wants a frame, and hears when it is there. Without the BQL the device
 * may go away.
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

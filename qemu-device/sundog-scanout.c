/*
 * sundog, a GPU in software: from VRAM to the console
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With only the primary plane on, the console's surface is VRAM itself. A
 * cursor is drawn into a copy, so that screen dumps and every UI show it; a
 * head without primary plane is black. A picture whose last row's padding lies
 * behind VRAM is copied as well, see sundog_is_linear().
 *
 * Work is done when the UI asks for a frame. Commits and DAMAGE say which rows
 * changed, the dirty log says it for the guest's CPUs; a renderer's writes are
 * in neither, its driver says DAMAGE or flips. The log is on only while a head
 * shows VRAM: it makes first writes to a page slow.
 */

#include "qemu/osdep.h"
#include "sundog.h"
#include "trace.h"

/* Bytes of memory in a word of the dirty log: 64 pages of 4 KiB. */
#define DIRTY_BLOCK (64 * 4096)

static bool sundog_is_copied(const SundogMode *m)
{
    return m->cursor || !m->primary || !m->linear;
}

static uint8_t *sundog_row(const SundogHead *head, uint32_t y)
{
    uint8_t *vram = memory_region_get_ram_ptr(&head->s->vram);

    return vram + head->mode.offset + (uint64_t)head->mode.pitch * y;
}

/*
 * Rows [top, bottom) have to be drawn again; what lies outside the picture is
 * cut off.
 */
void sundog_scanout_damage(SundogHead *head, int64_t top, int64_t bottom)
{
    top = MAX(top, 0);
    bottom = MIN(bottom, head->mode.height);
    if (top >= bottom) {
        return;
    }
    if (head->damage_top < head->damage_bottom) {
        top = MIN(top, head->damage_top);
        bottom = MAX(bottom, head->damage_bottom);
    }
    head->damage_top = top;
    head->damage_bottom = bottom;
}

static void sundog_damage_cursor(SundogHead *head, const SundogMode *m)
{
    sundog_scanout_damage(head, m->cursor_y,
                          (int64_t)m->cursor_y + SUNDOG_MAX_CURSOR);
}

static void sundog_log_writes(SundogState *s)
{
    bool wanted = false;

    for (unsigned i = 0; i < s->num_heads; i++) {
        wanted |= s->heads[i].mode.enable && s->heads[i].mode.primary;
    }
    if (wanted != s->log_writes) {
        s->log_writes = wanted;
        trace_sundog_scanout_log(wanted);
        memory_region_set_log(&s->vram, wanted, DIRTY_MEMORY_VGA);
    }
}

/* The head's mode is a new one, it was OLD. */
void sundog_scanout_changed(SundogHead *head, const SundogMode *old)
{
    const SundogMode *m = &head->mode;

    if (m->enable != old->enable || m->width != old->width ||
        m->height != old->height ||
        sundog_is_copied(m) != sundog_is_copied(old) ||
        (!sundog_is_copied(m) &&
         (m->offset != old->offset || m->pitch != old->pitch))) {
        head->stale = true;
    }
    head->damage_bottom = MIN(head->damage_bottom, m->height);
    if (!m->cursor || !old->cursor || m->primary != old->primary ||
        m->offset != old->offset || m->pitch != old->pitch) {
        sundog_scanout_damage(head, 0, m->height);
    } else {
        sundog_damage_cursor(head, old);
        sundog_damage_cursor(head, m);
    }
    sundog_log_writes(head->s);
}

static void sundog_new_surface(SundogHead *head)
{
    const SundogMode *m = &head->mode;
    bool copied = sundog_is_copied(m);
    DisplaySurface *surface = NULL;

    trace_sundog_scanout_surface(head->index, copied, m->width, m->height);
    if (m->enable && copied) {
        surface = qemu_create_displaysurface(m->width, m->height);
    } else if (m->enable) {
        surface = qemu_create_displaysurface_from(m->width, m->height,
                                                  PIXMAN_LE_x8r8g8b8, m->pitch,
                                                  sundog_row(head, 0));
    }
    dpy_gfx_replace_surface(head->con, surface);
    head->stale = false;
    sundog_scanout_damage(head, 0, m->height);
}

/* Rows of the head that are in [start, end) of VRAM, where SNAP is valid. */
static void sundog_apply_dirty(SundogHead *head, DirtyBitmapSnapshot *snap,
                               uint64_t start, uint64_t end)
{
    const SundogMode *m = &head->mode;

    if (!m->enable || !m->primary) {
        return;
    }
    for (uint32_t y = 0; y < m->height; y++) {
        uint64_t row = m->offset + (uint64_t)m->pitch * y;
        uint64_t from = MAX(row, start);
        uint64_t to = MIN(row + m->width * 4, end);

        if (from < to &&
            memory_region_snapshot_get_dirty(&head->s->vram, snap, from,
                                             to - from)) {
            sundog_scanout_damage(head, y, y + 1);
        }
    }
}

/*
 * Add the rows that a CPU of the guest wrote to, for every head: heads may show
 * the same memory, and the snapshot takes the log's bits away, in whole
 * DIRTY_BLOCKs. It also waits for the CPUs without the BQL, so they may change
 * modes meanwhile.
 */
static void sundog_collect_dirty(SundogHead *head)
{
    const SundogMode *m = &head->mode;
    SundogState *s = head->s;
    g_autofree DirtyBitmapSnapshot *snap = NULL;
    uint64_t start, end;

    if (!m->enable || !m->primary) {
        return;
    }
    start = m->offset;
    end = start + (uint64_t)m->pitch * (m->height - 1) + m->width * 4;
    start = QEMU_ALIGN_DOWN(start, DIRTY_BLOCK);
    end = MIN(QEMU_ALIGN_UP(end, DIRTY_BLOCK), s->vram_size);
    snap = memory_region_snapshot_and_clear_dirty(&s->vram, start, end - start,
                                                  DIRTY_MEMORY_VGA);
    for (unsigned i = 0; i < s->num_heads; i++) {
        sundog_apply_dirty(&s->heads[i], snap, start, end);
    }
}

static void sundog_copy_rows(SundogHead *head, uint32_t top, uint32_t bottom)
{
    const SundogMode *m = &head->mode;
    DisplaySurface *surface = qemu_console_surface(head->con);
    uint8_t *to = surface_data(surface);

    for (uint32_t y = top; y < bottom; y++) {
        uint8_t *row = to + (uint64_t)surface_stride(surface) * y;

        if (m->primary) {
            memcpy(row, sundog_row(head, y), m->width * 4);
        } else {
            memset(row, 0, m->width * 4);
        }
    }
}

/*
 * Only into rows [top, bottom), which are fresh copies: blending twice would
 * show.
 */
static void sundog_draw_cursor(SundogHead *head, uint32_t top, uint32_t bottom)
{
    const SundogMode *m = &head->mode;
    DisplaySurface *surface = qemu_console_surface(head->con);
    uint8_t *vram = memory_region_get_ram_ptr(&head->s->vram);
    int64_t cursor_top = m->cursor_y;
    int64_t first = MAX(cursor_top, top);
    int64_t last = MIN(cursor_top + SUNDOG_MAX_CURSOR, bottom);
    pixman_image_t *cursor;

    if (!m->cursor || first >= last || m->cursor_x <= -SUNDOG_MAX_CURSOR ||
        m->cursor_x >= (int64_t)m->width) {
        return;
    }
    cursor = pixman_image_create_bits(PIXMAN_LE_a8r8g8b8,
                                      SUNDOG_MAX_CURSOR, SUNDOG_MAX_CURSOR,
                                      (uint32_t *)(vram + m->cursor_offset),
                                      SUNDOG_MAX_CURSOR * 4);
    pixman_image_composite32(PIXMAN_OP_OVER, cursor, NULL, surface->image,
                             0, first - cursor_top, 0, 0, m->cursor_x, first,
                             SUNDOG_MAX_CURSOR, last - first);
    pixman_image_unref(cursor);
}

static void sundog_scanout_draw(SundogHead *head)
{
    const SundogMode *m = &head->mode;
    uint32_t top, bottom;

    if (head->stale) {
        sundog_new_surface(head);
    }
    if (!m->enable) {
        return;
    }
    top = head->damage_top;
    bottom = head->damage_bottom;
    if (top >= bottom) {
        return;
    }
    head->damage_top = 0;
    head->damage_bottom = 0;
    trace_sundog_scanout_rows(head->index, top, bottom);
    if (sundog_is_copied(m)) {
        sundog_copy_rows(head, top, bottom);
        sundog_draw_cursor(head, top, bottom);
    }
    dpy_gfx_update(head->con, 0, top, m->width, bottom - top);
}

/* The UI wants a frame. Without the BQL the device may go away. */
void sundog_scanout_update(SundogHead *head)
{
    SundogState *s = head->s;

    object_ref(OBJECT(s));
    sundog_collect_dirty(head);
    if (sundog_is_present(s)) {
        sundog_scanout_draw(head);
    }
    object_unref(OBJECT(s));
}

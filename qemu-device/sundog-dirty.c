/*
 * sundog, a GPU in software: damage from writes of the guest's vCPUs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's dirty log of VRAM has a bit for each page that a vCPU wrote. It is on
 * only while a head shows VRAM, because it slows the first write to a page.
 *
 * Reading the log clears it, so the dirty pages that one head finds are applied
 * to all heads. A head reads each page of the log once, even if several planes
 * show it, into a bitmap, which is then checked once for each part of a plane.
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "sundog.h"
#include "trace.h"

#define PAGE        4096

/* Bytes of VRAM per word of the log, which is read in whole words. */
#define BLOCK       (64 * PAGE)

#define MAX_RANGES  (SUNDOG_HEAD_PLANES * 2)

/* A range of VRAM in bytes, in whole pages. */
typedef struct SundogRange {
    uint64_t start;
    uint64_t end;
} SundogRange;

/* The dirty pages of a range. */
typedef struct SundogDirty {
    SundogRange range;
    unsigned long *pages;       /* bitmap, set: dirty */
} SundogDirty;

static bool sundog_shows_vram(const SundogHead *head)
{
    bool shows = false;

    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        shows |= head->mode.planes[i].enable;
    }
    return shows;
}

/* Switches the log on or off after the mode of a head changed. */
void sundog_dirty_log(SundogState *s)
{
    bool wanted = false;

    for (unsigned i = 0; i < s->num_heads; i++) {
        wanted |= sundog_shows_vram(&s->heads[i]);
    }
    if (wanted != s->log_writes) {
        s->log_writes = wanted;
        trace_sundog_dirty_log(wanted);
        memory_region_set_log(&s->vram, wanted, DIRTY_MEMORY_VGA);
    }
}

/* Returns true if each row of the buffer is a row of the head, unscaled. */
static bool sundog_keeps_rows(const SundogPlane *p)
{
    return p->rotation == SUNDOG_PLANE_ROTATION_0 &&
           !sundog_plane_bytes(p, 1) && !(p->src_y & 0xffff) &&
           p->src_h == p->dst_h << 16;
}

/* Returns true if a page of SIZE bytes from OFFSET on is dirty. */
static bool sundog_is_dirty(const SundogDirty *d, uint64_t offset,
                            uint64_t size)
{
    const uint64_t from = MAX(offset, d->range.start);
    const uint64_t to = MIN(offset + size, d->range.end);
    unsigned long end;

    if (from >= to) {
        return false;
    }
    end = (to - 1 - d->range.start) / PAGE + 1;
    return find_next_bit(d->pages, end, (from - d->range.start) / PAGE) < end;
}

/*
 * Damages the rows of an unscaled plane from the first to the last dirty one.
 */
static void sundog_damage_rows(SundogHead *head, const SundogPlane *p,
                               const SundogDirty *d)
{
    const uint64_t pitch = p->pitch[0], offset = p->offset[0];
    const uint64_t row = sundog_plane_bytes(p, 0) - pitch * (p->fb_height - 1);
    const int64_t top = (int64_t)p->dst_y - (p->src_y >> 16);
    uint32_t begin = p->src_y >> 16, end = begin + (p->src_h >> 16);

    while (begin < end && !sundog_is_dirty(d, offset + pitch * begin, row)) {
        begin++;
    }
    while (begin < end &&
           !sundog_is_dirty(d, offset + pitch * (end - 1), row)) {
        end--;
    }
    sundog_scanout_damage(head, top + begin, top + end);
}

static void sundog_apply_part(SundogHead *head, const SundogPlane *p,
                              unsigned part, const SundogDirty *d)
{
    if (!sundog_is_dirty(d, p->offset[part], sundog_plane_bytes(p, part))) {
        return;
    }
    if (head->pointer >= 0 && p == &head->mode.planes[head->pointer]) {
        sundog_cursor_damage(head);
    } else if (sundog_keeps_rows(p)) {
        sundog_damage_rows(head, p, d);
    } else {
        sundog_scanout_damage_plane(head, p);
    }
}

static void sundog_apply(SundogHead *head, const SundogDirty *d)
{
    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        const SundogPlane *p = &head->mode.planes[i];

        for (unsigned part = 0; p->enable && part < 2; part++) {
            sundog_apply_part(head, p, part, d);
        }
    }
}

/* Reads the log block by block first, since most blocks are clean. */
static void sundog_read_snapshot(SundogState *s, DirtyBitmapSnapshot *snap,
                                 SundogDirty *d)
{
    const SundogRange *r = &d->range;

    for (uint64_t at = r->start; at < r->end; at += BLOCK) {
        const uint64_t end = MIN(at + BLOCK, r->end);

        if (!memory_region_snapshot_get_dirty(&s->vram, snap, at, end - at)) {
            continue;
        }
        for (uint64_t page = at; page < end; page += PAGE) {
            if (memory_region_snapshot_get_dirty(&s->vram, snap, page, PAGE)) {
                set_bit((page - r->start) / PAGE, d->pages);
            }
        }
    }
}

/*
 * Reads the log of a range and applies it to all heads, which may show the same
 * memory. The snapshot drops the BQL while it waits for the vCPUs, so modes may
 * change during the call.
 */
static void sundog_take_range(SundogHead *head, SundogRange range)
{
    SundogState *s = head->s;
    const uint64_t size = range.end - range.start;
    g_autofree unsigned long *pages = bitmap_new(size / PAGE);
    g_autofree DirtyBitmapSnapshot *snap = NULL;
    SundogDirty d = { .range = range, .pages = pages };

    trace_sundog_dirty_look(head->index, range.start, size);
    snap = memory_region_snapshot_and_clear_dirty(&s->vram, range.start, size,
                                                  DIRTY_MEMORY_VGA);
    sundog_read_snapshot(s, snap, &d);
    for (unsigned i = 0; i < s->num_heads; i++) {
        sundog_apply(&s->heads[i], &d);
    }
}

/*
 * Adds R to N ranges, which are sorted and do not touch; merges those that do.
 * Returns the new number of ranges.
 */
static unsigned sundog_add_range(SundogRange *ranges, unsigned n, SundogRange r)
{
    unsigned place = 0, end;

    while (place < n && ranges[place].end < r.start) {
        place++;
    }
    for (end = place; end < n && ranges[end].start <= r.end; end++) {
        r.start = MIN(r.start, ranges[end].start);
        r.end = MAX(r.end, ranges[end].end);
    }
    memmove(&ranges[place + 1], &ranges[end], (n - end) * sizeof(r));
    ranges[place] = r;
    return n - (end - place) + 1;
}

/*
 * Reads the log of all memory that this head shows; damages rows of any head.
 */
void sundog_dirty_collect(SundogHead *head)
{
    SundogRange ranges[MAX_RANGES];
    unsigned n = 0;

    for (unsigned i = 0; i < MAX_RANGES; i++) {
        const SundogPlane *p = &head->mode.planes[i / 2];
        const uint64_t offset = p->offset[i % 2];
        const uint64_t size = sundog_plane_bytes(p, i % 2);

        if (size) {
            n = sundog_add_range(ranges, n, (SundogRange) {
                .start = QEMU_ALIGN_DOWN(offset, BLOCK),
                .end = MIN(QEMU_ALIGN_UP(offset + size, BLOCK),
                           head->s->vram_size),
            });
        }
    }
    for (unsigned i = 0; i < n; i++) {
        sundog_take_range(head, ranges[i]);
    }
}

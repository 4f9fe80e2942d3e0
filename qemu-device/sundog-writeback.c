/*
 * sundog, a GPU in software: frames written to VRAM (writeback)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A commit may request that the device writes the frame that it shows to VRAM.
 * A timer composes it in time slices, like a picture of the console. Other
 * commits do not take effect until it is complete, so that its planes do not
 * change; a commit that disables the head cancels it.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "system/runstate.h"
#include "sundog.h"
#include "trace.h"

#define BYTES_PER_PIXEL 4
#define STOPPED_WAIT    100000000   /* ns, poll interval of a stopped machine */

/* Returns what is wrong with the writeback of a mode, or NULL. */
const char *sundog_writeback_check(const SundogMode *m, uint64_t vram_size)
{
    const SundogWriteback *w = &m->writeback;
    const uint64_t row_size = (uint64_t)m->width * BYTES_PER_PIXEL;

    if (!w->format) {
        return NULL;
    }
    if (w->format != SUNDOG_FOURCC_XR24 && w->format != SUNDOG_FOURCC_AR24) {
        return "WRITEBACK_FORMAT is not XR24 or AR24";
    }
    if (w->pitch % BYTES_PER_PIXEL || w->pitch < row_size) {
        return "WRITEBACK_PITCH is less than a row, or no multiple of 4";
    }
    if (w->offset % BYTES_PER_PIXEL) {
        return "WRITEBACK_OFFSET is no multiple of 4";
    }
    if (w->offset > vram_size ||
        (uint64_t)w->pitch * (m->height - 1) + row_size >
        vram_size - w->offset) {
        return "the writeback ends behind VRAM";
    }
    return NULL;
}

bool sundog_writeback_is_on(const SundogHead *head)
{
    return head->mode.writeback.format;
}

/* Sets the row dirty, because other heads may show this memory. */
static void sundog_write_row(SundogHead *head, uint32_t y, const uint32_t *row)
{
    const SundogWriteback *w = &head->mode.writeback;
    const uint64_t offset = w->offset + (uint64_t)w->pitch * y;
    MemoryRegion *vram = &head->s->vram;
    uint8_t *to = memory_region_get_ram_ptr(vram);

    to += offset;
    for (uint32_t x = 0; x < head->mode.width; x++) {
        stl_le_p(to + x * BYTES_PER_PIXEL, row[x]);
    }
    memory_region_set_dirty(vram, offset, head->mode.width * BYTES_PER_PIXEL);
}

/* Starts the writeback in a timer: the commit must return at once. */
void sundog_writeback_begin(SundogHead *head)
{
    if (sundog_writeback_is_on(head)) {
        timer_mod_ns(head->writeback_goes_on,
                     qemu_clock_get_ns(QEMU_CLOCK_REALTIME));
    }
}

void sundog_writeback_go_on(void *opaque)
{
    SundogHead *head = opaque;
    SundogWriteback *w = &head->mode.writeback;

    /* The memory of a stopped machine must not change. */
    if (!runstate_is_running()) {
        timer_mod_ns(head->writeback_goes_on,
                     qemu_clock_get_ns(QEMU_CLOCK_REALTIME) + STOPPED_WAIT);
        return;
    }
    if (!sundog_scanout_rows(head, &w->row, sundog_write_row,
                             head->writeback_goes_on)) {
        return;
    }
    trace_sundog_writeback(head->index, w->token);
    w->format = 0;
    head->written = w->token;
    sundog_head_written(head);
}

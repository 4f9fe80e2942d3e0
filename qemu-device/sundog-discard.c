/*
 * sundog, a GPU in software: giving pages of VRAM back to the host
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pages read as zero afterwards, whatever the host could do about their
 * memory. A write to DISCARD is bounded by MAX_DISCARD, so that the CPU that
 * made it, and the BQL, are not held for long.
 */

#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "sundog.h"
#include "trace.h"

/*
 * Not where somebody has pinned the guest's memory (VFIO), and not where the
 * host's pages are larger than the device's.
 */
bool sundog_can_discard(const SundogState *s)
{
    return !sundog_guest_others_pin() &&
           qemu_ram_pagesize(s->vram.ram_block) <= SUNDOG_PAGE_SIZE;
}

void sundog_discard(SundogState *s, uint32_t pages)
{
    uint64_t offset = s->discard_offset;
    uint64_t size = (uint64_t)pages * SUNDOG_PAGE_SIZE;
    bool cleared = false;

    if (pages < 1 || pages > SUNDOG_MAX_DISCARD ||
        offset % SUNDOG_PAGE_SIZE || offset > s->vram_size ||
        size > s->vram_size - offset) {
        sundog_guest_error(s, "discard of %u pages at 0x%" PRIx64 " refused",
                           pages, offset);
        return;
    }
    if (!sundog_can_discard(s) ||
        ram_block_discard_range(s->vram.ram_block, offset, size) < 0) {
        memset((uint8_t *)memory_region_get_ram_ptr(&s->vram) + offset, 0,
               size);
        cleared = true;
    }
    /* For the screen, and for a migration that has sent what was there. */
    memory_region_set_dirty(&s->vram, offset, size);
    trace_sundog_discard(offset, size, cleared);
}

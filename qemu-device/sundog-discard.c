/*
 * sundog, a GPU in software: return of VRAM pages to the host
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Discarded pages read as zero, even if the host cannot free them. MAX_DISCARD
 * limits the pages of a write to DISCARD, so that it does not stop the vCPU and
 * hold the BQL for long.
 */

#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "sundog.h"
#include "trace.h"

/*
 * Returns true if pages can be freed: no other device, such as VFIO, has pinned
 * guest memory, and the host's pages are not larger than the device's.
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
        sundog_guest_error(s, "discard of %u pages at 0x%" PRIx64 " refused: "
                           "not 1 to %d pages of VRAM, 0x%" PRIx64 " bytes",
                           pages, offset, SUNDOG_MAX_DISCARD, s->vram_size);
        return;
    }
    if (!sundog_can_discard(s) ||
        ram_block_discard_range(s->vram.ram_block, offset, size) < 0) {
        memset((uint8_t *)memory_region_get_ram_ptr(&s->vram) + offset, 0,
               size);
        cleared = true;
    }
    /* The screen and a migration must see the change. */
    memory_region_set_dirty(&s->vram, offset, size);
    trace_sundog_discard(offset, size, cleared);
}

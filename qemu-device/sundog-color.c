/*
 * sundog, a GPU in software: colour registers of heads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shadow registers of the degamma table, CTM and gamma table are two
 * structs of the protocol, which a commit decodes. sundog-compose.h defines how
 * the tables and the CTM change colours.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "sundog.h"

#define FLAGS \
    (SUNDOG_HEAD_COLOR_FLAG_DEGAMMA | SUNDOG_HEAD_COLOR_FLAG_CTM | \
     SUNDOG_HEAD_COLOR_FLAG_GAMMA)

/*
 * The decoders return false for the identity, so that composition skips the
 * stage.
 */
static bool sundog_decode_ctm(const __u64 *from, int64_t *ctm)
{
    bool changes = false;

    for (int i = 0; i < 9; i++) {
        ctm[i] = le64_to_cpu(from[i]);
        changes |= ctm[i] != (i % 4 ? 0 : 1ll << 32);
    }
    return changes;
}

static bool sundog_decode_table(const __u64 *from, SundogTable table)
{
    bool changes = false;

    for (int i = 0; i < 256; i++) {
        uint64_t entry = le64_to_cpu(from[i]);

        for (int c = 0; c < 3; c++) {
            table[i][c] = entry >> 16 * c;
            changes |= table[i][c] != 257 * i;
        }
    }
    return changes;
}

/* Decodes the shadow registers. Returns what is wrong with them, or NULL. */
const char *sundog_color_decode(const SundogHead *head, SundogColor *color)
{
    uint32_t flags = le32_to_cpu(head->color.flags);

    if (flags & ~FLAGS) {
        return "HEAD_COLOR has an unknown flag";
    }
    if (flags & SUNDOG_HEAD_COLOR_FLAG_DEGAMMA) {
        color->has_degamma = sundog_decode_table(head->degamma.degamma,
                                                 color->degamma);
    }
    if (flags & SUNDOG_HEAD_COLOR_FLAG_CTM) {
        color->has_ctm = sundog_decode_ctm(head->color.ctm, color->ctm);
    }
    if (flags & SUNDOG_HEAD_COLOR_FLAG_GAMMA) {
        color->has_gamma = sundog_decode_table(head->color.gamma,
                                               color->gamma);
    }
    return NULL;
}

static uint32_t sundog_struct_read(const void *from, size_t size, hwaddr reg)
{
    return reg < size ? ldl_le_p((const uint8_t *)from + reg) : 0;
}

static void sundog_struct_write(const SundogHead *head, void *to, size_t size,
                                hwaddr reg, uint32_t val)
{
    if (reg < size) {
        stl_le_p((uint8_t *)to + reg, val);
    } else {
        sundog_guest_error(head->s, "write of 0x%x to 0x%" HWADDR_PRIx
                           " of the colours of head %u ignored: no writable"
                           " register", val, reg, head->index);
    }
}

uint32_t sundog_color_read(SundogHead *head, hwaddr reg)
{
    return sundog_struct_read(&head->color, sizeof(head->color), reg);
}

void sundog_color_write(SundogHead *head, hwaddr reg, uint32_t val)
{
    sundog_struct_write(head, &head->color, sizeof(head->color), reg, val);
}

uint32_t sundog_degamma_read(SundogHead *head, hwaddr reg)
{
    return sundog_struct_read(&head->degamma, sizeof(head->degamma), reg);
}

void sundog_degamma_write(SundogHead *head, hwaddr reg, uint32_t val)
{
    sundog_struct_write(head, &head->degamma, sizeof(head->degamma), reg, val);
}

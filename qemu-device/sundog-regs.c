/*
 * sundog, a GPU in software: registers of BAR0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dispatches register accesses of the guest to the files of heads, channels
 * and the device. Registers are 32 bits wide; the memory core refuses accesses
 * of other sizes. An address without a register reads as 0.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/bswap.h"
#include "sundog.h"
#include "trace.h"

#define CHANNEL_BASE        SUNDOG_REG_CHANNEL_STATE(0)
#define CHANNEL_STRIDE      (SUNDOG_REG_CHANNEL_STATE(1) - CHANNEL_BASE)
#define EDID_STRIDE         (SUNDOG_REG_EDID(1) - SUNDOG_REG_EDID(0))
#define DOORBELL_STRIDE     (SUNDOG_REG_DOORBELL(1) - SUNDOG_REG_DOORBELL(0))
#define EVENTS_STRIDE \
    (SUNDOG_REG_CHANNEL_EVENTS(1) - SUNDOG_REG_CHANNEL_EVENTS(0))

/*
 * Returns true if ADDR is in COUNT blocks of STRIDE bytes from BASE on. *INDEX
 * becomes the number of the block, *REG the offset in it.
 */
static bool in_block(hwaddr addr, hwaddr base, hwaddr stride, unsigned count,
                     unsigned *index, hwaddr *reg)
{
    if (addr < base || addr - base >= stride * count) {
        return false;
    }
    *index = (addr - base) / stride;
    *reg = (addr - base) % stride;
    return true;
}

static uint64_t features(const SundogState *s)
{
    uint64_t features = sundog_can_discard(s) ? SUNDOG_FEATURE_DISCARD : 0;

    if (s->renderer_state == SUNDOG_RENDERER_STATE_READY) {
        features |= le64_to_cpu(s->caps.features);
    }
    return features;
}

static uint32_t sundog_device_read(SundogState *s, hwaddr addr)
{
    switch (addr) {
    case SUNDOG_REG_MAGIC:
        return SUNDOG_MAGIC;
    case SUNDOG_REG_VERSION:
        return SUNDOG_VERSION;
    case SUNDOG_REG_FEATURES:
        return features(s);
    case SUNDOG_REG_FEATURES + 4:
        return features(s) >> 32;
    case SUNDOG_REG_VRAM_SIZE:
        return s->vram_size;
    case SUNDOG_REG_VRAM_SIZE + 4:
        return s->vram_size >> 32;
    case SUNDOG_REG_NUM_CHANNELS:
        return s->num_channels;
    case SUNDOG_REG_NUM_HEADS:
        return s->num_heads;
    case SUNDOG_REG_RESET:
        return s->resetting;
    case SUNDOG_REG_RENDERER_STATE:
        return s->renderer_state;
    case SUNDOG_REG_EXTENT_SHIFT:
        return sundog_extent_shift(s);
    case SUNDOG_REG_CHANNEL_CLIENT:
        return s->channel_client;
    case SUNDOG_REG_DISCARD_OFFSET:
        return s->discard_offset;
    case SUNDOG_REG_DISCARD_OFFSET + 4:
        return s->discard_offset >> 32;
    case SUNDOG_REG_GUEST_HEAP_SIZE:
        return s->guest_heap_size;
    case SUNDOG_REG_GUEST_HEAP_SIZE + 4:
        return s->guest_heap_size >> 32;
    case SUNDOG_REG_GUEST_OFFSET:
        return s->guest_offset;
    case SUNDOG_REG_GUEST_OFFSET + 4:
        return s->guest_offset >> 32;
    case SUNDOG_REG_GUEST_LIST:
        return s->guest_list;
    case SUNDOG_REG_GUEST_LIST + 4:
        return s->guest_list >> 32;
    case SUNDOG_REG_GUEST_STATE:
        return s->guest_state;
    case SUNDOG_REG_GUEST_UNMAPPED:
        return s->guest_unmapped;
    case SUNDOG_REG_REVOKED:
        return s->revoked;
    case SUNDOG_REG_CLOCK:
        s->kept_clock = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        return s->kept_clock;
    case SUNDOG_REG_CLOCK + 4:
        return s->kept_clock >> 32;
    case SUNDOG_REG_DISPLAY_EVENTS:
        return s->display_events;
    case SUNDOG_REG_DEVICE_EVENTS:
        return s->device_events;
    default:
        return 0;
    }
}

static uint32_t sundog_caps_read(const SundogState *s, hwaddr offset)
{
    if (s->renderer_state != SUNDOG_RENDERER_STATE_READY) {
        return 0;
    }
    return ldl_le_p((const uint8_t *)&s->caps + offset);
}

static uint64_t sundog_regs_read(void *opaque, hwaddr addr, unsigned size)
{
    SundogState *s = opaque;
    uint32_t val;
    unsigned i;
    hwaddr reg;

    if (!sundog_is_present(s)) {
        return 0;
    }
    if (in_block(addr, SUNDOG_REG_CHANNEL_EVENTS(0), EVENTS_STRIDE,
                 ARRAY_SIZE(s->channel_events), &i, &reg)) {
        val = s->channel_events[i];
    } else if (in_block(addr, SUNDOG_HEAD_BASE, SUNDOG_HEAD_STRIDE,
                        s->num_heads, &i, &reg)) {
        val = sundog_head_read(&s->heads[i], reg);
    } else if (in_block(addr, SUNDOG_PLANE_BASE, SUNDOG_PLANE_STRIDE,
                        s->num_heads * SUNDOG_HEAD_PLANES, &i, &reg)) {
        val = sundog_plane_read(&s->heads[i / SUNDOG_HEAD_PLANES],
                                i % SUNDOG_HEAD_PLANES, reg);
    } else if (in_block(addr, SUNDOG_COLOR_BASE, SUNDOG_COLOR_STRIDE,
                        s->num_heads, &i, &reg)) {
        val = sundog_color_read(&s->heads[i], reg);
    } else if (in_block(addr, SUNDOG_DEGAMMA_BASE, SUNDOG_DEGAMMA_STRIDE,
                        s->num_heads, &i, &reg)) {
        val = sundog_degamma_read(&s->heads[i], reg);
    } else if (in_block(addr, SUNDOG_REG_EDID(0), EDID_STRIDE,
                        s->num_heads, &i, &reg)) {
        val = ldl_le_p(s->heads[i].edid + reg);
    } else if (in_block(addr, CHANNEL_BASE, CHANNEL_STRIDE,
                        SUNDOG_MAX_CHANNELS, &i, &reg)) {
        val = sundog_channel_read(&s->channels[i], reg);
    } else if (in_block(addr, SUNDOG_REG_CAPS, sizeof(s->caps), 1, &i, &reg)) {
        val = sundog_caps_read(s, reg);
    } else {
        val = sundog_device_read(s, addr);
    }
    trace_sundog_read(addr, val);
    return val;
}

static void sundog_device_write(SundogState *s, hwaddr addr, uint32_t val)
{
    switch (addr) {
    case SUNDOG_REG_RESET:
        if (val == 1) {
            sundog_reset(s);
        }
        break;
    case SUNDOG_REG_CHANNEL_CLIENT:
        s->channel_client = val;
        break;
    case SUNDOG_REG_CHANNEL_CMD:
        sundog_channel_command(s, val >> 16, val & 0xffff);
        break;
    case SUNDOG_REG_DISCARD_OFFSET:
        s->discard_offset = deposit64(s->discard_offset, 0, 32, val);
        break;
    case SUNDOG_REG_DISCARD_OFFSET + 4:
        s->discard_offset = deposit64(s->discard_offset, 32, 32, val);
        break;
    case SUNDOG_REG_DISCARD:
        sundog_discard(s, val);
        break;
    case SUNDOG_REG_GUEST_OFFSET:
        s->guest_offset = deposit64(s->guest_offset, 0, 32, val);
        break;
    case SUNDOG_REG_GUEST_OFFSET + 4:
        s->guest_offset = deposit64(s->guest_offset, 32, 32, val);
        break;
    case SUNDOG_REG_GUEST_LIST:
        s->guest_list = deposit64(s->guest_list, 0, 32, val);
        break;
    case SUNDOG_REG_GUEST_LIST + 4:
        s->guest_list = deposit64(s->guest_list, 32, 32, val);
        break;
    case SUNDOG_REG_GUEST_MAP:
        sundog_guest_map(s, val);
        break;
    case SUNDOG_REG_GUEST_UNMAP:
        sundog_guest_unmap(s);
        break;
    case SUNDOG_REG_REVOKE:
        sundog_revoke(s);
        break;
    case SUNDOG_REG_DISPLAY_EVENTS:
        s->display_events &= ~val;
        break;
    case SUNDOG_REG_DEVICE_EVENTS:
        s->device_events &= ~val;
        break;
    default:
        sundog_guest_error(s, "write of 0x%x to 0x%" HWADDR_PRIx
                           " ignored: no writable register", val, addr);
        break;
    }
}

static void sundog_regs_write(void *opaque, hwaddr addr, uint64_t val,
                              unsigned size)
{
    SundogState *s = opaque;
    unsigned i;
    hwaddr reg;

    if (!sundog_is_present(s)) {
        return;
    }
    trace_sundog_write(addr, val);
    if (in_block(addr, SUNDOG_REG_DOORBELL(0), DOORBELL_STRIDE,
                 SUNDOG_MAX_CHANNELS, &i, &reg)) {
        sundog_channel_ring(&s->channels[i]);
    } else if (in_block(addr, SUNDOG_REG_CHANNEL_EVENTS(0), EVENTS_STRIDE,
                        ARRAY_SIZE(s->channel_events), &i, &reg)) {
        s->channel_events[i] &= ~(uint32_t)val;
    } else if (in_block(addr, SUNDOG_HEAD_BASE, SUNDOG_HEAD_STRIDE,
                        s->num_heads, &i, &reg)) {
        sundog_head_write(&s->heads[i], reg, val);
    } else if (in_block(addr, SUNDOG_PLANE_BASE, SUNDOG_PLANE_STRIDE,
                        s->num_heads * SUNDOG_HEAD_PLANES, &i, &reg)) {
        sundog_plane_write(&s->heads[i / SUNDOG_HEAD_PLANES],
                           i % SUNDOG_HEAD_PLANES, reg, val);
    } else if (in_block(addr, SUNDOG_COLOR_BASE, SUNDOG_COLOR_STRIDE,
                        s->num_heads, &i, &reg)) {
        sundog_color_write(&s->heads[i], reg, val);
    } else if (in_block(addr, SUNDOG_DEGAMMA_BASE, SUNDOG_DEGAMMA_STRIDE,
                        s->num_heads, &i, &reg)) {
        sundog_degamma_write(&s->heads[i], reg, val);
    } else {
        sundog_device_write(s, addr, val);
    }
}

const MemoryRegionOps sundog_regs_ops = {
    .read = sundog_regs_read,
    .write = sundog_regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

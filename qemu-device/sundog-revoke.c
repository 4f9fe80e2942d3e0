/*
 * sundog, a GPU in software: VRAM that workers have to unmap
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The extent table says which client's worker may map which part of VRAM. When
 * the guest takes a part from a client, it asks that nobody maps it any more
 * before somebody else gets it.
 *
 * One request is with the broker at a time, for all that the guest asked until
 * then: what it asks meanwhile is the next one, however often it does.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "sundog.h"
#include "trace.h"

/* Extents are small where VRAM is, so that many clients find some. */
#define EXTENT_SHIFT_MIN    16
#define EXTENT_SHIFT        21
#define EXTENTS             1024

unsigned sundog_extent_shift(const SundogState *s)
{
    unsigned shift = EXTENT_SHIFT_MIN;

    while (s->vram_size >> shift > EXTENTS &&
           (shift < EXTENT_SHIFT || s->vram_size >> shift > SUNDOG_MAX_EXTENTS)) {
        shift++;
    }
    return shift;
}

static void set_revoked(SundogState *s, uint32_t serial)
{
    s->revoked = serial;
    sundog_raise_device(s, SUNDOG_DEVICE_EVENT_REVOKED);
}

static void ask_broker(SundogState *s)
{
    struct sundog_message_revoke msg = { .serial = cpu_to_le32(s->revokes) };

    trace_sundog_revoke(s->revokes);
    s->revoking = s->revokes;
    sundog_renderer_send(s, SUNDOG_MESSAGE_REVOKE, &msg, sizeof(msg), NULL, 0);
}

void sundog_revoke(SundogState *s)
{
    if (s->resetting) {
        return;
    }
    s->revokes++;
    if (s->renderer_state != SUNDOG_RENDERER_STATE_READY) {
        s->revoking = s->revokes;
        set_revoked(s, s->revokes);
    } else if (s->revoking == s->revoked) {
        ask_broker(s);
    }
}

/* False: the broker breaks the protocol. */
bool sundog_revoke_done(SundogState *s, uint32_t serial)
{
    if (s->revoking == s->revoked || serial != s->revoking) {
        return false;
    }
    set_revoked(s, serial);
    /* A reset that is under way forgets what else was asked. */
    if (s->revokes != s->revoking && !s->resetting) {
        ask_broker(s);
    }
    return true;
}

/* The broker is gone and its workers with it. */
void sundog_revoke_lost(SundogState *s)
{
    s->revoking = s->revokes;
    if (s->revoked != s->revokes) {
        set_revoked(s, s->revokes);
    }
}

/* Every client has ended. */
void sundog_revoke_reset(SundogState *s)
{
    s->revokes = s->revoking = s->revoked = 0;
}

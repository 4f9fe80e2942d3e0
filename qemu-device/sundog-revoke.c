/*
 * sundog, a GPU in software: revocation of VRAM mappings
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The extent table says which client's worker may map which extents of VRAM.
 * When the guest takes an extent from a client, it requests a revoke, and gives
 * the extent to another client only after all workers have unmapped it.
 *
 * The broker has one request at a time, which covers all requests of the guest
 * up to then. All requests that the guest makes meanwhile become the next one.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "sundog.h"
#include "trace.h"

/* A small VRAM has small extents, so that there are enough for many clients. */
#define EXTENT_SHIFT_MIN    16
#define EXTENT_SHIFT        21
#define EXTENTS             1024

unsigned sundog_extent_shift(const SundogState *s)
{
    unsigned shift = EXTENT_SHIFT_MIN;

    while (s->vram_size >> shift > EXTENTS &&
           (shift < EXTENT_SHIFT ||
            s->vram_size >> shift > SUNDOG_MAX_EXTENTS)) {
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

/* Handles REVOKED. Returns false if the broker breaks the protocol. */
bool sundog_revoke_done(SundogState *s, uint32_t serial)
{
    if (s->revoking == s->revoked || serial != s->revoking) {
        return false;
    }
    set_revoked(s, serial);
    /* A reset in progress drops the other requests. */
    if (s->revokes != s->revoking && !s->resetting) {
        ask_broker(s);
    }
    return true;
}

/* The renderer was lost with its workers: all requests are done. */
void sundog_revoke_lost(SundogState *s)
{
    s->revoking = s->revokes;
    if (s->revoked != s->revokes) {
        set_revoked(s, s->revokes);
    }
}

/* A reset has ended every client, so no mapping is left. */
void sundog_revoke_reset(SundogState *s)
{
    s->revokes = s->revoking = s->revoked = 0;
}

/*
 * sundog, a GPU in software: times of vblanks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The times of vblanks are computed from the virtual clock and do not depend on
 * when the host runs a timer. The epoch is a vblank; others follow it every
 * period_max. With a period_max longer than the period (variable refresh) a
 * commit causes an earlier vblank, which becomes the next epoch. All times are
 * ns of the virtual clock.
 */

#include "qemu/osdep.h"
#include "sundog.h"

int64_t sundog_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Returns the number of vblanks after the epoch, up to AT. */
static uint64_t sundog_periods(const SundogHead *head, int64_t at)
{
    return head->mode.enable ? (at - head->epoch) / head->mode.period_max : 0;
}

/* Returns the number of vblanks since the head was enabled, up to AT. */
uint64_t sundog_vblank_count(const SundogHead *head, int64_t at)
{
    return head->vblanks + sundog_periods(head, at);
}

/* Returns the time of the last vblank, at or before AT. */
int64_t sundog_vblank_time(const SundogHead *head, int64_t at)
{
    return head->epoch + sundog_periods(head, at) * head->mode.period_max;
}

/* Returns the time of the next vblank without a commit; it is after AT. */
int64_t sundog_vblank_next(const SundogHead *head, int64_t at)
{
    return sundog_vblank_time(head, at) + head->mode.period_max;
}

/*
 * Returns the time of the vblank that a commit at AT causes: at AT or later,
 * and no later than sundog_vblank_next().
 */
int64_t sundog_vblank_due(const SundogHead *head, int64_t at)
{
    return MAX(at, sundog_vblank_time(head, at) + head->mode.period);
}

/* Starts to count vblanks: the head is enabled at AT. */
void sundog_vblank_start(SundogHead *head, int64_t at)
{
    head->vblanks = 0;
    head->epoch = at;
}

/* Moves the epoch to the last vblank up to AT, before the mode changes. */
void sundog_vblank_stop(SundogHead *head, int64_t at)
{
    const uint64_t periods = sundog_periods(head, at);

    head->vblanks += periods;
    head->epoch += periods * head->mode.period_max;
}

/* Adds a vblank at AT, which is after the last and not after the next one. */
void sundog_vblank_make(SundogHead *head, int64_t at)
{
    sundog_vblank_stop(head, at - 1);
    head->vblanks++;
    head->epoch = at;
}

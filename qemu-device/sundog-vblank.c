/*
 * sundog, a GPU in software: when vblanks are
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * They are arithmetic on the virtual clock, whatever else the host does. The
 * epoch is one of them, and what follows it comes by itself, one each
 * period_max. Where that is longer than the period, a commit makes a vblank
 * earlier, which is the next epoch.
 */

#include "qemu/osdep.h"
#include "sundog.h"

int64_t sundog_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* From the epoch up to the time AT, ns. */
static uint64_t sundog_periods(const SundogHead *head, int64_t at)
{
    return head->mode.enable ? (at - head->epoch) / head->mode.period_max : 0;
}

/* How many there were since the head was enabled. */
uint64_t sundog_vblank_count(const SundogHead *head, int64_t at)
{
    return head->vblanks + sundog_periods(head, at);
}

/* When the last of them was. */
int64_t sundog_vblank_time(const SundogHead *head, int64_t at)
{
    return head->epoch + sundog_periods(head, at) * head->mode.period_max;
}

/* When the next one comes, should no commit make one; always after AT. */
int64_t sundog_vblank_next(const SundogHead *head, int64_t at)
{
    return sundog_vblank_time(head, at) + head->mode.period_max;
}

/* When a commit makes one: never before AT, nor after the next. */
int64_t sundog_vblank_due(const SundogHead *head, int64_t at)
{
    return MAX(at, sundog_vblank_time(head, at) + head->mode.period);
}

/* The head is enabled. */
void sundog_vblank_start(SundogHead *head, int64_t at)
{
    head->vblanks = 0;
    head->epoch = at;
}

/* Those up to AT have been; what comes after them the next mode says. */
void sundog_vblank_stop(SundogHead *head, int64_t at)
{
    const uint64_t periods = sundog_periods(head, at);

    head->vblanks += periods;
    head->epoch += periods * head->mode.period_max;
}

/* There is one at AT: after the last, and no later than the next. */
void sundog_vblank_make(SundogHead *head, int64_t at)
{
    sundog_vblank_stop(head, at - 1);
    head->vblanks++;
    head->epoch = at;
}

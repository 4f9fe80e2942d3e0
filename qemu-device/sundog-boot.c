/*
 * sundog, a GPU in software: the screen before a driver has it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With ramfb=on firmware gets a framebuffer in RAM of the guest, which QEMU's
 * ramfb has it describe by fw_cfg, and head 0 shows that until a driver turns
 * on a head. From then on heads are the driver's: one that it turns off is
 * black, since nobody draws for the firmware any more. The next firmware, which
 * comes with a reset, gets it back.
 *
 * fw_cfg never forgets a file, so what ramfb has for it is never freed, and
 * there is one in a machine, of a device that was there from the start.
 */

#include "qemu/osdep.h"
#include "hw/nvram/fw_cfg.h"
#include "qapi/error.h"
#include "sundog.h"

#define RAMFB_FILE  "etc/ramfb"

static bool sundog_boot_exists(const FWCfgState *fw_cfg)
{
    const FWCfgFiles *files = fw_cfg->files;
    uint32_t n = files ? be32_to_cpu(files->count) : 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!strcmp(files->f[i].name, RAMFB_FILE)) {
            return true;
        }
    }
    return false;
}

bool sundog_boot_check(const SundogState *s, Error **errp)
{
    const FWCfgState *fw_cfg = fw_cfg_find();

    if (!s->ramfb) {
        return true;
    }
    if (DEVICE(s)->hotplugged) {
        error_setg(errp, "sundog: ramfb=on is for firmware, which does not see "
                   "a device that is plugged in while the machine runs");
        return false;
    }
    if (!fw_cfg || !fw_cfg->dma_enabled) {
        error_setg(errp, "sundog: ramfb=on needs a machine with fw_cfg and its "
                   "DMA");
        return false;
    }
    if (sundog_boot_exists(fw_cfg)) {
        error_setg(errp, "sundog: ramfb=on is for one device of a machine, and "
                   "another one has it");
        return false;
    }
    return true;
}

/* All was checked before. */
void sundog_boot_realize(SundogState *s)
{
    if (s->ramfb) {
        s->boot = ramfb_setup(&error_abort);
    }
}

/* The machine starts, too, with a reset. */
void sundog_boot_reset(SundogState *s)
{
    s->booting = s->ramfb;
}

/* A driver has turned on a head, this or another one. */
void sundog_boot_end(SundogState *s)
{
    if (s->booting) {
        s->booting = false;
        s->heads[0].stale = true;
    }
}

/* What a head shows that is off. */
void sundog_boot_draw(SundogHead *head)
{
    if (head->index == 0 && head->s->booting) {
        ramfb_display_update(head->con, head->s->boot);
    }
}

/*
 * sundog, a GPU in software: framebuffer of the firmware
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With ramfb=on firmware has a framebuffer in guest RAM, which it describes by
 * the fw_cfg file of QEMU's ramfb. Head 0 shows it until a driver enables a
 * head. From then on a disabled head is black, since firmware does not draw any
 * more; writes to the file are ignored and no RAM is mapped. A reset gives head
 * 0 back to the firmware, without the framebuffer of the one before.
 *
 * fw_cfg files cannot be removed, so SundogBoot is never freed, and only one
 * device of a machine, which must not be hotplugged, can have it.
 */

#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "hw/display/bochs-vbe.h"
#include "hw/loader.h"
#include "hw/nvram/fw_cfg.h"
#include "qapi/error.h"
#include "sundog.h"

#define RAMFB_FILE  "etc/ramfb"
#define MIN_SIZE    16              /* pixels, as with ramfb */

/* Contents of the fw_cfg file, which firmware writes; big-endian. */
typedef struct QEMU_PACKED SundogBootConfig {
    uint64_t addr;
    uint32_t fourcc;
    uint32_t flags;
    uint32_t width;
    uint32_t height;
    uint32_t stride;                /* 0: rows have no padding */
} SundogBootConfig;

struct SundogBoot {
    SundogState *s;                 /* NULL: the device was unplugged */
    SundogBootConfig config;
    DisplaySurface *surface;        /* next surface of the console, or NULL */
    bool shown;                     /* the console has a surface of this file */
};

static void sundog_boot_unmap(pixman_image_t *image, void *opaque)
{
    const hwaddr size = (hwaddr)pixman_image_get_stride(image) *
                        pixman_image_get_height(image);

    cpu_physical_memory_unmap(pixman_image_get_data(image), size, false, 0);
}

/*
 * Maps the framebuffer and returns a surface of it. Returns NULL if pixman or
 * UIs cannot use it: they need 32 bits per pixel, rows of whole words and a
 * size that fits in an int; or if it is not all in RAM.
 */
static DisplaySurface *sundog_boot_surface(const SundogBootConfig *config)
{
    const uint32_t fourcc = be32_to_cpu(config->fourcc);
    const uint32_t width = be32_to_cpu(config->width);
    const uint32_t height = be32_to_cpu(config->height);
    const uint32_t stride = be32_to_cpu(config->stride) ?: width * 4;
    const hwaddr size = (hwaddr)stride * height;
    hwaddr mapped = size;
    DisplaySurface *surface;
    void *data;

    if ((fourcc != SUNDOG_FOURCC_XR24 && fourcc != SUNDOG_FOURCC_AR24) ||
        width < MIN_SIZE || width > VBE_DISPI_MAX_XRES ||
        height < MIN_SIZE || height > VBE_DISPI_MAX_YRES ||
        stride < width * 4 || stride % 4 || size > INT_MAX) {
        return NULL;
    }
    data = cpu_physical_memory_map(be64_to_cpu(config->addr), &mapped, false);
    if (!data) {
        return NULL;
    }
    if (mapped != size) {
        cpu_physical_memory_unmap(data, mapped, false, 0);
        return NULL;
    }
    surface = qemu_create_displaysurface_from(width, height,
                                              fourcc == SUNDOG_FOURCC_XR24 ?
                                              PIXMAN_LE_x8r8g8b8 :
                                              PIXMAN_LE_a8r8g8b8, stride, data);
    pixman_image_set_destroy_function(surface->image, sundog_boot_unmap, NULL);
    return surface;
}

/* Firmware wrote the file. An invalid configuration is ignored. */
static void sundog_boot_written(void *opaque, off_t offset, size_t len)
{
    SundogBoot *boot = opaque;
    DisplaySurface *surface;

    surface = boot->s && boot->s->booting ? sundog_boot_surface(&boot->config) :
              NULL;
    if (surface) {
        qemu_free_displaysurface(boot->surface);
        boot->surface = surface;
    }
}

/*
 * Drops the framebuffer. One that the console shows is freed when head 0 gets
 * another surface, for which it is marked stale.
 */
static void sundog_boot_forget(SundogBoot *boot)
{
    qemu_free_displaysurface(boot->surface);
    boot->surface = NULL;
    if (boot->shown) {
        boot->shown = false;
        boot->s->heads[0].stale = true;
    }
}

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
                   "a device that is plugged in while the machine runs: leave "
                   "it out of device_add");
        return false;
    }
    if (!fw_cfg || !fw_cfg->dma_enabled) {
        error_setg(errp, "sundog: ramfb=on needs a machine with fw_cfg and its "
                   "DMA, such as q35 or pc");
        return false;
    }
    if (sundog_boot_exists(fw_cfg)) {
        error_setg(errp, "sundog: ramfb=on is for one device of a machine, and "
                   "another one has it: leave it out of one, or remove -device "
                   "ramfb");
        return false;
    }
    return true;
}

/* sundog_boot_check() has checked the requirements. */
void sundog_boot_realize(SundogState *s)
{
    if (s->ramfb) {
        s->boot = g_new0(SundogBoot, 1);
        s->boot->s = s;
        rom_add_vga("vgabios-ramfb.bin");
        fw_cfg_add_file_callback(fw_cfg_find(), RAMFB_FILE, NULL,
                                 sundog_boot_written, s->boot,
                                 &s->boot->config, sizeof(s->boot->config),
                                 false);
    }
}

void sundog_boot_exit(SundogState *s)
{
    if (s->boot) {
        sundog_boot_forget(s->boot);
        s->boot->s = NULL;
    }
}

/* Gives head 0 to the firmware. The start of a machine is a reset, too. */
void sundog_boot_reset(SundogState *s)
{
    s->booting = s->ramfb;
    if (s->boot) {
        sundog_boot_forget(s->boot);
    }
}

/* Ends the use by firmware: a driver has enabled any head. */
void sundog_boot_end(SundogState *s)
{
    if (s->booting) {
        s->booting = false;
        sundog_boot_forget(s->boot);
    }
}

/* Updates the console of a disabled head. */
void sundog_boot_draw(SundogHead *head)
{
    SundogBoot *boot = head->s->boot;

    if (head->index || !head->s->booting) {
        return;
    }
    if (boot->surface) {
        dpy_gfx_replace_surface(head->con, boot->surface);
        boot->surface = NULL;
        boot->shown = true;
    }
    if (boot->shown) {
        dpy_gfx_update_full(head->con);
    }
}

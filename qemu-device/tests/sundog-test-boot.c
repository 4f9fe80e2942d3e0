/*
 * sundog: qtest of the firmware's framebuffer on head 0 (ramfb=on)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqos/fw_cfg.h"
#include "libqos/libqos.h"
#include "libqos/malloc-pc.h"
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"

#define RG24        0x34324752
#define XB24        0x34324258

/* Addresses in the guest's RAM, of which a machine has 128 MiB. */
#define PICTURE     (16 * MiB)
#define RAM_SIZE    (128 * MiB)
#define NO_RAM      (1ull << 40)

#define BOOT_COLOR      0x00102030
#define DRIVER_COLOR    0x00405060

/* Contents of the fw_cfg file etc/ramfb, big-endian. */
typedef struct QEMU_PACKED Ramfb {
    uint64_t addr;
    uint32_t fourcc;
    uint32_t flags;
    uint32_t width;
    uint32_t height;
    uint32_t stride;
} Ramfb;

static void set_ramfb(Fixture *f, uint64_t addr, uint32_t fourcc,
                      uint32_t width, uint32_t height, uint32_t stride)
{
    QFWCFG *fw_cfg = pc_fw_cfg_init(f->qts);
    QOSState qs = { .qts = f->qts };
    Ramfb ramfb = {
        .addr = cpu_to_be64(addr),
        .fourcc = cpu_to_be32(fourcc),
        .width = cpu_to_be32(width),
        .height = cpu_to_be32(height),
        .stride = cpu_to_be32(stride),
    };

    pc_alloc_init(&qs.alloc, f->qts, ALLOC_NO_FLAGS);
    g_assert_cmpuint(qfw_cfg_write_file(fw_cfg, &qs, "etc/ramfb", &ramfb,
                                        sizeof(ramfb)), ==, sizeof(ramfb));
    alloc_destroy(&qs.alloc);
    pc_fw_cfg_uninit(fw_cfg);
}

static void draw_boot(Fixture *f, uint32_t pixel)
{
    uint32_t image[64 * 64];

    for (int i = 0; i < 64 * 64; i++) {
        image[i] = cpu_to_le32(pixel);
    }
    qtest_memwrite(f->qts, PICTURE, image, sizeof(image));
}

/* Draws and configures the framebuffer, as firmware does when it starts. */
static void boot(Fixture *f)
{
    draw_boot(f, BOOT_COLOR);
    set_ramfb(f, PICTURE, XR24, 64, 64, 0);
}

static void check_shown(Fixture *f, uint32_t pixel)
{
    uint32_t pixels[64 * 64];

    screendump(f, pixels);
    g_assert_cmphex(pixels[0], ==, pixel);
    g_assert_cmphex(pixels[64 * 64 - 1], ==, pixel);
}

static void turn_on(Fixture *f, unsigned head, uint32_t control)
{
    fill(f, 0, DRIVER_COLOR);
    set_head_mode(f, head, control, 64, 64, 0);
    wr(f, SUNDOG_REG_COMMIT(head), 1);
    qtest_clock_step(f->qts, PERIOD);
}

/*
 * The firmware's screen is shown from its configuration until a driver enables
 * the head, and then not before the next machine reset.
 */
static void test_shown(void)
{
    Fixture f;

    start(&f, ",ramfb=on");
    for (int i = 0; i < 2; i++) {
        boot(&f);
        check_shown(&f, BOOT_COLOR);
        draw_boot(&f, BOOT_COLOR + 1);
        check_shown(&f, BOOT_COLOR + 1);
        wr(&f, SUNDOG_REG_RESET, 1);
        check_shown(&f, BOOT_COLOR + 1);

        turn_on(&f, 0, CONTROL_ON);
        check_shown(&f, DRIVER_COLOR);
        boot(&f);
        check_shown(&f, DRIVER_COLOR);
        turn_on(&f, 0, 0);
        check_shown(&f, 0);
        wr(&f, SUNDOG_REG_RESET, 1);
        boot(&f);
        check_shown(&f, 0);
        reset_machine(&f);
    }
    stop(&f);
}

/* A machine reset while the head is enabled clears the screen. */
static void test_reset_while_on(void)
{
    Fixture f;

    start(&f, ",ramfb=on");
    boot(&f);
    check_shown(&f, BOOT_COLOR);
    turn_on(&f, 0, CONTROL_ON);
    check_shown(&f, DRIVER_COLOR);
    reset_machine(&f);
    check_shown(&f, 0);
    boot(&f);
    check_shown(&f, BOOT_COLOR);
    stop(&f);
}

/* A driver that enables another head ends the firmware's use of head 0. */
static void test_other_head(void)
{
    Fixture f;

    start(&f, ",ramfb=on,heads=2");
    boot(&f);
    check_shown(&f, BOOT_COLOR);
    turn_on(&f, 1, CONTROL_ON);
    check_shown(&f, 0);
    stop(&f);
}

/*
 * After a reset the old framebuffer is not shown: neither one that was never
 * shown, nor one that was configured while a driver used the head, nor one that
 * was shown.
 */
static void test_forgotten(void)
{
    Fixture f;

    start(&f, ",ramfb=on");
    for (int i = 0; i < 3; i++) {
        if (i != 1) {
            boot(&f);
        }
        if (i == 2) {
            check_shown(&f, BOOT_COLOR);
        } else {
            turn_on(&f, 0, CONTROL_ON);
            check_shown(&f, DRIVER_COLOR);
        }
        if (i == 1) {
            boot(&f);
        }
        reset_machine(&f);
        check_shown(&f, 0);
    }
    stop(&f);
}

/* An invalid configuration is ignored, the screen stays. */
static void test_refused(void)
{
    static const struct {
        uint64_t addr;
        uint32_t fourcc;
        uint32_t width;
        uint32_t height;
        uint32_t stride;
    } values[] = {
        { PICTURE, 0, 64, 64, 0 },
        { PICTURE, ~0u, 64, 64, 0 },
        { PICTURE, XR24, 0, 64, 0 },
        { PICTURE, XR24, 64, 0, 0 },
        { PICTURE, XR24, ~0u, 64, 0 },
        { PICTURE, XR24, 64, 0x80000000, 0 },
        { PICTURE, XR24, 64, 64, 1 },
        { PICTURE, XR24, 64, 64, 258 },
        { PICTURE, XR24, 64, 64, ~0u },
        { PICTURE, XR24, 64, 64, 0x80000000 },
        { PICTURE, XR24, 64, 64, 0x7ffffffc },
        { PICTURE, XR24, 64, 64, 64 * 4 - 4 },
        { PICTURE, XR24, 64, 16, 0x0c000000 },
        { PICTURE, RG24, 64, 64, 0 },
        { PICTURE, XB24, 64, 64, 0 },
        { PICTURE, XR24, 8192, 8192, 0 },
        { RAM_SIZE - 64 * 64 * 4 + 4, XR24, 64, 64, 0 },
        { NO_RAM, XR24, 64, 64, 0 },
        { -(uint64_t)4096, XR24, 64, 64, 0 },
    };
    Fixture f;

    start(&f, ",ramfb=on");
    boot(&f);
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        g_test_message("set %u", i);
        set_ramfb(&f, values[i].addr, values[i].fourcc, values[i].width,
                  values[i].height, values[i].stride);
        check_shown(&f, BOOT_COLOR);
    }
    stop(&f);
}

/*
 * cpu_physical_memory_map() maps addresses without RAM by a bounce buffer, of
 * which there is one: an address without RAM must not leak it.
 */
static void test_no_memory(void)
{
    Fixture f;

    start(&f, ",ramfb=on");
    set_ramfb(&f, NO_RAM, XR24, 32, 32, 0);
    set_ramfb(&f, NO_RAM, XR24, 32, 32, 0);
    boot(&f);
    check_shown(&f, BOOT_COLOR);
    stop(&f);
}

#define RAMFB_DEVICE    "-device sundog,vram=16M,renderer=none,ramfb=on"

/* A machine has one device with ramfb=on, which is not hotplugged. */
static void test_one(void)
{
    g_autofree char *said = NULL;
    Fixture f;

    check_refuses_to_start(RAMFB_DEVICE " " RAMFB_DEVICE,
                           "another one has it");
    check_refuses_to_start("-device ramfb " RAMFB_DEVICE, "another one has it");
    check_refuses_to_start("-global fw_cfg.dma_enabled=off " RAMFB_DEVICE,
                           "needs a machine");
    f.qts = qtest_init("-machine pc -vga none -nodefaults");
    said = qtest_hmp(f.qts, "device_add sundog,vram=16M,ramfb=on");
    g_assert_nonnull(strstr(said, "while the machine runs"));
    qtest_quit(f.qts);
}

void add_boot_tests(void)
{
    qtest_add_func("/sundog/boot/shown", test_shown);
    qtest_add_func("/sundog/boot/reset-while-on", test_reset_while_on);
    qtest_add_func("/sundog/boot/other-head", test_other_head);
    qtest_add_func("/sundog/boot/forgotten", test_forgotten);
    qtest_add_func("/sundog/boot/refused", test_refused);
    qtest_add_func("/sundog/boot/no-memory", test_no_memory);
    qtest_add_func("/sundog/boot/one", test_one);
}

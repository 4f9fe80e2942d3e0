/*
 * sundog: qtest of the PCI device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest is not trusted: most of this is about values that no driver writes.
 */

#include "qemu/osdep.h"
#include "sundog-test-fixture.h"

static void test_identity(void)
{
    Fixture f;

    start(&f, "");
    g_assert_cmphex(qpci_config_readw(f.dev, 0), ==, SUNDOG_PCI_VENDOR);
    g_assert_cmphex(qpci_config_readw(f.dev, 2), ==, SUNDOG_PCI_DEVICE);
    g_assert_cmphex(qpci_config_readw(f.dev, 10), ==, 0x0380);
    g_assert_cmpuint(qpci_msix_table_size(f.dev), ==, SUNDOG_NUM_VECTORS);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    g_assert_cmphex(rd(&f, SUNDOG_REG_VERSION), ==, SUNDOG_VERSION);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_FEATURES), ==, 0);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_VRAM_SIZE), ==, VRAM_SIZE);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_NUM_CHANNELS), ==, SUNDOG_MAX_CHANNELS);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_NUM_HEADS), ==, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                     SUNDOG_RENDERER_STATE_NONE);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RESET), ==, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_HEAD_STATUS(0)), ==, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_HEAD_STATUS(1)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CAPS), ==, 0);
    stop(&f);
}

static void test_memories(void)
{
    const uint64_t ends[] = { 0, SUNDOG_CONTROL_CHANNELS - 8,
                              SUNDOG_CONTROL_CHANNELS };
    Fixture f;

    start(&f, "");
    qpci_io_writeq(f.dev, f.vram, VRAM_SIZE - 8, 0x1122334455667788);
    g_assert_cmphex(qpci_io_readq(f.dev, f.vram, VRAM_SIZE - 8), ==,
                    0x1122334455667788);
    for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
        qpci_io_writeq(f.dev, f.control, ends[i], i + 1);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
        g_assert_cmphex(qpci_io_readq(f.dev, f.control, ends[i]), ==, i + 1);
    }
    stop(&f);
}

static void test_read_only(void)
{
    static const uint32_t regs[] = {
        SUNDOG_REG_MAGIC, SUNDOG_REG_VERSION, SUNDOG_REG_FEATURES,
        SUNDOG_REG_VRAM_SIZE, SUNDOG_REG_VRAM_SIZE + 4, SUNDOG_REG_NUM_CHANNELS,
        SUNDOG_REG_NUM_HEADS, SUNDOG_REG_RENDERER_STATE,
        SUNDOG_REG_HEAD_STATUS(0), SUNDOG_REG_LATCHED(0),
        SUNDOG_REG_VBLANK_COUNT(0), SUNDOG_REG_EDID(0),
        SUNDOG_REG_CHANNEL_STATE(255), SUNDOG_REG_CHANNEL_FAULT(0),
        SUNDOG_REG_CAPS, SUNDOG_REG_CAPS + 2044, SUNDOG_REGS_SIZE - 4,
    };
    Fixture f;

    start(&f, "");
    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        uint32_t before = rd(&f, regs[i]);

        wr(&f, regs[i], ~before);
        g_assert_cmphex(rd(&f, regs[i]), ==, before);
    }
    stop(&f);
}

static void test_access_sizes(void)
{
    Fixture f;

    start(&f, "");
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 0x11223344);
    qpci_io_writeb(f.dev, f.regs, SUNDOG_REG_CHANNEL_CLIENT, 0xff);
    qpci_io_writew(f.dev, f.regs, SUNDOG_REG_CHANNEL_CLIENT, 0xffff);
    qpci_io_writel(f.dev, f.regs, SUNDOG_REG_CHANNEL_CLIENT + 2, ~0u);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CHANNEL_CLIENT), ==, 0x11223344);
    for (uint32_t reg = 0; reg < SUNDOG_REGS_SIZE; reg += 0x3d) {
        qpci_io_readb(f.dev, f.regs, reg);
        qpci_io_readw(f.dev, f.regs, reg);
        qpci_io_readl(f.dev, f.regs, MIN(reg, SUNDOG_REGS_SIZE - 4));
        qpci_io_readq(f.dev, f.regs, MIN(reg, SUNDOG_REGS_SIZE - 8));
    }
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    stop(&f);
}

static void test_reset(void)
{
    Fixture f;

    start(&f, "");
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 1);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, PERIOD);
    wr(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RESET), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_RESET);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_CONTROL(0)), ==, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_CLIENT), ==, 0);
    qtest_clock_step(f.qts, 2 * PERIOD);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);

    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_system_reset(f.qts);
    unmap_device(&f);
    map_device(&f);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 0);
    stop(&f);
}

/* Anything anywhere, with the clock going and frames being asked for. */
static void test_random(void)
{
    uint32_t ignored[64 * 64];
    Fixture f;

    start(&f, ",heads=4");
    for (int i = 0; i < 20000; i++) {
        uint32_t head = SUNDOG_REG_HEAD_STATUS(0) +
                        g_test_rand_int_range(0, 0x400);
        uint32_t any = g_test_rand_int_range(0, SUNDOG_REGS_SIZE);
        uint32_t val = g_test_rand_int();

        wr(&f, (i % 2 ? head : any) & ~3, i % 3 ? val : val & 0xff);
        if (i % 100 == 0) {
            qtest_clock_step(f.qts, PERIOD);
        }
        if (i % 1000 == 0) {
            g_autofree char *hmp = qtest_hmp(f.qts, "screendump /dev/null");
        }
    }
    wr(&f, SUNDOG_REG_RESET, 1);
    fill(&f, 0, 0x010203);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    screendump(&f, ignored);
    g_assert_cmphex(ignored[0], ==, 0x010203);
    stop(&f);
}

int main(int argc, char **argv)
{
    if (argc == 3 && g_str_equal(argv[1], "--device-fd")) {
        return broker_main(atoi(argv[2]));
    }
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/sundog/identity", test_identity);
    qtest_add_func("/sundog/memories", test_memories);
    qtest_add_func("/sundog/read-only", test_read_only);
    qtest_add_func("/sundog/access-sizes", test_access_sizes);
    qtest_add_func("/sundog/reset", test_reset);
    qtest_add_func("/sundog/random", test_random);
    add_display_tests();
    add_renderer_tests();
    return g_test_run();
}

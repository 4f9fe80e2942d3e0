/*
 * sundog: qtest of the PCI device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers, BARs, reset, discard and heap GUEST, and main(). The guest is not
 * trusted: most tests write values that no driver writes.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "hw/pci/pci_regs.h"
#include "standard-headers/linux/virtio_pci.h"
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
    g_assert_cmphex(rd64(&f, SUNDOG_REG_FEATURES), ==, SUNDOG_FEATURE_DISCARD);
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
    wr64(&f, SUNDOG_REG_DISCARD_OFFSET, 0x123456789a);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_DISCARD_OFFSET), ==, 0x123456789a);
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
    g_assert_cmphex(rd64(&f, SUNDOG_REG_DISCARD_OFFSET), ==, 0);
    qtest_clock_step(f.qts, 2 * PERIOD);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);

    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    reset_machine(&f);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 0);
    stop(&f);
}

static void discard(Fixture *f, uint64_t offset, uint32_t pages)
{
    wr64(f, SUNDOG_REG_DISCARD_OFFSET, offset);
    wr(f, SUNDOG_REG_DISCARD, pages);
}

/* Writes the first and the last dword of a page. */
static void write_page(Fixture *f, uint64_t page, uint32_t val)
{
    qpci_io_writel(f->dev, f->vram, page * SUNDOG_PAGE_SIZE, val);
    qpci_io_writel(f->dev, f->vram, (page + 1) * SUNDOG_PAGE_SIZE - 4, val);
}

static void check_page(Fixture *f, uint64_t page, uint32_t val)
{
    uint64_t start = page * SUNDOG_PAGE_SIZE;

    g_assert_cmphex(qpci_io_readl(f->dev, f->vram, start), ==, val);
    g_assert_cmphex(qpci_io_readl(f->dev, f->vram,
                                  start + SUNDOG_PAGE_SIZE - 4), ==, val);
}

static void test_discard(void)
{
    const uint64_t last = VRAM_SIZE / SUNDOG_PAGE_SIZE - 1;
    Fixture f;

    start(&f, "");
    for (uint64_t page = 0; page < 4; page++) {
        write_page(&f, page, 0x11111111);
        write_page(&f, last - page, 0x22222222);
    }
    discard(&f, SUNDOG_PAGE_SIZE, 2);
    check_page(&f, 0, 0x11111111);
    check_page(&f, 1, 0);
    check_page(&f, 2, 0);
    check_page(&f, 3, 0x11111111);
    /* DISCARD_OFFSET stays, and discarded pages can be written again. */
    write_page(&f, 1, 0x33333333);
    write_page(&f, 2, 0x33333333);
    wr(&f, SUNDOG_REG_DISCARD, 1);
    check_page(&f, 1, 0);
    check_page(&f, 2, 0x33333333);

    discard(&f, last * SUNDOG_PAGE_SIZE, 1);
    check_page(&f, last, 0);
    check_page(&f, last - 1, 0x22222222);
    discard(&f, VRAM_SIZE - SUNDOG_MAX_DISCARD * SUNDOG_PAGE_SIZE,
            SUNDOG_MAX_DISCARD);
    check_page(&f, last - 1, 0);
    stop(&f);
}

static void test_discard_refused(void)
{
    const uint64_t last = VRAM_SIZE - SUNDOG_PAGE_SIZE;
    const struct {
        uint64_t offset;
        uint32_t pages;
    } values[] = {
        { 0, 0 }, { 0, SUNDOG_MAX_DISCARD + 1 }, { 0, ~0u },
        { 0, 0x100001 },                /* 4 GiB and a page */
        { 1, 1 }, { SUNDOG_PAGE_SIZE / 2, 1 }, { 0xffffffffffffffff, 1 },
        { last, 2 }, { last, SUNDOG_MAX_DISCARD }, { VRAM_SIZE, 1 },
        { 1ull << 32, 1 }, { (1ull << 32) + last, 1 },
        { -(uint64_t)SUNDOG_PAGE_SIZE, 1 },
        { -(uint64_t)SUNDOG_PAGE_SIZE, 2 },
    };
    Fixture f;

    start(&f, "");
    write_page(&f, 0, 0x11111111);
    write_page(&f, last / SUNDOG_PAGE_SIZE, 0x22222222);
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        discard(&f, values[i].offset, values[i].pages);
        check_page(&f, 0, 0x11111111);
        check_page(&f, last / SUNDOG_PAGE_SIZE, 0x22222222);
    }
    stop(&f);
}

/* With a cursor the picture is composed: only damaged rows are drawn. */
static void test_discard_shows(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x404040);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    set_cursor(&f, 0, 64, 0, MiB);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    screendump(&f, pixels);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[SUNDOG_PAGE_SIZE / 4], ==, 0x404040);
    discard(&f, SUNDOG_PAGE_SIZE, 1);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[SUNDOG_PAGE_SIZE / 4 - 1], ==, 0x404040);
    g_assert_cmphex(pixels[SUNDOG_PAGE_SIZE / 4], ==, 0);
    stop(&f);
}

/* A discard frees host memory, and a renderer still shares the pages. */
static void test_discard_gives_back(void)
{
    const size_t size = SUNDOG_MAX_DISCARD * SUNDOG_PAGE_SIZE;
    g_autofree uint8_t *ones = g_malloc(size);
    struct stat full, empty;
    uint8_t *vram;
    Fixture f;
    Message m;

    start_connected(&f, &m);
    vram = mmap(NULL, VRAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, m.fds[0],
                0);
    g_assert_true(vram != MAP_FAILED);
    memset(ones, 0xff, size);
    qpci_memwrite(f.dev, f.vram, MiB, ones, size);
    g_assert_cmphex(vram[MiB], ==, 0xff);
    g_assert_cmpint(fstat(m.fds[0], &full), ==, 0);
    discard(&f, MiB, SUNDOG_MAX_DISCARD);
    g_assert_cmpint(fstat(m.fds[0], &empty), ==, 0);
    g_assert_cmpint(full.st_blocks - empty.st_blocks, ==, size / 512);
    g_assert_cmphex(vram[MiB], ==, 0);
    vram[MiB] = 0x55;
    g_assert_cmphex(qpci_io_readb(f.dev, f.vram, MiB), ==, 0x55);
    munmap(vram, VRAM_SIZE);
    broker_close_fds(&m);
    stop_connected(&f);
}

/* Heap GUEST. Most of these tests need /dev/udmabuf of the host. */

#define GUEST_RAM       (64 * MiB)
#define GUEST_RAM_OPTIONS \
    "-m 64M -object memory-backend-memfd,id=ram,size=64M,share=on " \
    "-machine memory-backend=ram"
#define GUEST_LIST      (1 * MiB)       /* address of the list of runs */
#define GUEST_PAGES     (2 * MiB)       /* unused RAM from here on */

static bool has_udmabuf(void)
{
    return access("/dev/udmabuf", R_OK | W_OK) == 0;
}

#define GUEST_DEVICE    " -device sundog,renderer=none,guest-memory=on"

static void test_guest_realize(void)
{
    check_refuses_to_start(GUEST_DEVICE, "memory-backend-memfd");
    check_refuses_to_start("-m 64M -object memory-backend-memfd,id=ram,"
                           "size=64M,share=off -machine memory-backend=ram"
                           GUEST_DEVICE, "memory-backend-memfd");
    check_refuses_to_start("-m 64M -object memory-backend-memfd,id=ram,"
                           "size=64M,share=on,seal=off "
                           "-machine memory-backend=ram"
                           GUEST_DEVICE, "memory-backend-memfd");
    check_refuses_to_start("-m 64M -object memory-backend-memfd,id=ram,"
                           "size=64M,share=on -numa node,memdev=ram"
                           GUEST_DEVICE, "memory-backend-memfd");
    if (!has_udmabuf()) {
        check_refuses_to_start(GUEST_RAM_OPTIONS GUEST_DEVICE, "/dev/udmabuf");
    }
}

static void guest_map(Fixture *f, uint64_t offset, uint32_t n_runs)
{
    wr64(f, SUNDOG_REG_GUEST_OFFSET, offset);
    wr64(f, SUNDOG_REG_GUEST_LIST, GUEST_LIST);
    wr(f, SUNDOG_REG_GUEST_MAP, n_runs);
}

static void guest_unmap(Fixture *f, uint64_t offset)
{
    wr64(f, SUNDOG_REG_GUEST_OFFSET, offset);
    wr(f, SUNDOG_REG_GUEST_UNMAP, 1);
}

/* Sets entry I of the list: PAGES pages from ADDR on. */
static void set_run(Fixture *f, unsigned i, uint64_t addr, uint32_t pages)
{
    qtest_writeq(f->qts, GUEST_LIST + i * 8, addr | (pages - 1));
}

/* The device has no heap GUEST, though its broker supports it. */
static void test_guest_off(void)
{
    Fixture f;

    start_ready(&f);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_GUEST_HEAP_SIZE), ==, 0);
    set_run(&f, 0, GUEST_PAGES, 1);
    guest_map(&f, 0, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_STATE), ==,
                     SUNDOG_GUEST_STATE_REFUSED);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_GUEST);
    guest_unmap(&f, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_UNMAPPED), ==, 0);
    broker_expect_nothing(f.broker);
    stop_connected(&f);
}

/* Starts QEMU with heap GUEST. Returns false if the test is skipped. */
static bool start_guest(Fixture *f)
{
    Message hello;

    if (!has_udmabuf()) {
        g_test_skip("there is no /dev/udmabuf");
        return false;
    }
    start_connected_with(f, &hello, GUEST_RAM_OPTIONS, ",reconnect-ms=50",
                         ",guest-memory=on");
    welcome(f, &hello);
    g_assert_cmphex(rd64(f, SUNDOG_REG_GUEST_HEAP_SIZE), ==, GUEST_RAM);
    g_assert_true(rd64(f, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_HEAP_GUEST);
    return true;
}

static void expect_guest_map(Fixture *f, Message *m, uint64_t offset,
                             uint64_t size)
{
    broker_expect(f->broker, m, SUNDOG_MESSAGE_GUEST_MAP, sizeof(m->guest_map),
                  SUNDOG_MESSAGE_GUEST_MAP_FDS);
    g_assert_cmphex(m->guest_map.offset, ==, offset);
    g_assert_cmphex(m->guest_map.size, ==, size);
    g_assert_cmpint(lseek(m->fds[0], 0, SEEK_END), ==, size);
}

/* Maps one run at OFFSET; M has the udmabuf. */
static void map_run(Fixture *f, Message *m, uint64_t offset, uint64_t addr,
                    uint32_t pages)
{
    const uint64_t size = pages * SUNDOG_PAGE_SIZE;

    set_run(f, 0, addr, pages);
    guest_map(f, offset, 1);
    g_assert_cmpuint(rd(f, SUNDOG_REG_GUEST_STATE), ==,
                     SUNDOG_GUEST_STATE_BUSY);
    expect_guest_map(f, m, offset, size);
    broker_send_guest_mapped(f->broker, offset, size);
    wait_for(f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_DONE);
}

static void expect_guest_unmap(Fixture *f, uint64_t offset, uint64_t size)
{
    Message m;

    broker_expect(f->broker, &m, SUNDOG_MESSAGE_GUEST_UNMAP,
                  sizeof(m.guest_unmap), 0);
    g_assert_cmphex(m.guest_unmap.offset, ==, offset);
    g_assert_cmphex(m.guest_unmap.size, ==, size);
}

/* The udmabuf has the pages of the list, in its order, and no others. */
static void test_guest_map(void)
{
    const uint64_t size = 4 * SUNDOG_PAGE_SIZE;
    uint32_t *pages;
    Message m;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    for (uint32_t i = 0; i < 8; i++) {
        qtest_writel(f.qts, GUEST_PAGES + i * SUNDOG_PAGE_SIZE, i);
    }
    set_run(&f, 0, GUEST_PAGES + 6 * SUNDOG_PAGE_SIZE, 1);
    set_run(&f, 1, GUEST_PAGES + 1 * SUNDOG_PAGE_SIZE, 2);
    set_run(&f, 2, GUEST_PAGES + 4 * SUNDOG_PAGE_SIZE, 1);
    guest_map(&f, 3 * MiB, 3);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_STATE), ==,
                     SUNDOG_GUEST_STATE_BUSY);
    expect_guest_map(&f, &m, 3 * MiB, size);
    /* The device has copied the list and does not read it again. */
    set_run(&f, 0, 0, 1);
    pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m.fds[0], 0);
    g_assert_true(pages != MAP_FAILED);
    g_assert_cmpuint(pages[0], ==, 6);
    g_assert_cmpuint(pages[1024], ==, 1);
    g_assert_cmpuint(pages[2048], ==, 2);
    g_assert_cmpuint(pages[3072], ==, 4);
    pages[3073] = 0x12345678;
    g_assert_cmphex(qtest_readl(f.qts, GUEST_PAGES + 4 * SUNDOG_PAGE_SIZE + 4),
                    ==, 0x12345678);
    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    broker_send_guest_mapped(f.broker, 3 * MiB, size);
    wait_for(&f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_DONE);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_GUEST);

    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    guest_unmap(&f, 3 * MiB);
    guest_unmap(&f, 3 * MiB);
    expect_guest_unmap(&f, 3 * MiB, size);
    broker_expect_nothing(f.broker);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_UNMAPPED), ==, 0);
    broker_send_guest_unmapped(f.broker, 3 * MiB, size);
    wait_for(&f, SUNDOG_REG_GUEST_UNMAPPED, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_GUEST);
    munmap(pages, size);
    broker_close_fds(&m);
    stop_connected(&f);
}

static void check_map_refused(Fixture *f, uint64_t offset, uint32_t n_runs)
{
    guest_map(f, offset, n_runs);
    g_assert_cmpuint(rd(f, SUNDOG_REG_GUEST_STATE), ==,
                     SUNDOG_GUEST_STATE_REFUSED);
}

static void check_run_refused(Fixture *f, uint64_t addr, uint32_t pages)
{
    set_run(f, 0, GUEST_PAGES, 1);
    set_run(f, 1, addr, pages);
    check_map_refused(f, 0, 2);
}

/* Pages that are not RAM of the guest, and invalid lists, are refused. */
static void test_guest_map_refused(void)
{
    Message m;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    check_run_refused(&f, GUEST_RAM, 1);
    check_run_refused(&f, GUEST_RAM - SUNDOG_PAGE_SIZE, 2);
    check_run_refused(&f, f.vram.addr, 1);
    check_run_refused(&f, f.regs.addr, 1);
    check_run_refused(&f, f.control.addr, 1);
    check_run_refused(&f, 0xfffff000, 1);
    check_run_refused(&f, 0xf0000, 1);
    check_run_refused(&f, 1ull << 40, 1);
    check_run_refused(&f, -1ull << 12, 1);
    check_run_refused(&f, -1ull << 12, 2);
    check_run_refused(&f, GUEST_PAGES, SUNDOG_MAX_GUEST_PAGES);

    set_run(&f, 0, GUEST_PAGES, 1);
    check_map_refused(&f, 0, 0);
    check_map_refused(&f, 0, SUNDOG_MAX_GUEST_RUNS + 1);
    check_map_refused(&f, 0, UINT32_MAX);
    check_map_refused(&f, 1, 1);
    check_map_refused(&f, GUEST_RAM, 1);
    check_map_refused(&f, -1ull << 12, 1);
    wr64(&f, SUNDOG_REG_GUEST_OFFSET, 0);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t lists[] = { GUEST_LIST + 8, 1ull << 40, f.regs.addr };

        wr64(&f, SUNDOG_REG_GUEST_LIST, lists[i]);
        wr(&f, SUNDOG_REG_GUEST_MAP, 1);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_STATE), ==,
                         SUNDOG_GUEST_STATE_REFUSED);
    }
    broker_expect_nothing(f.broker);

    map_run(&f, &m, MiB, GUEST_PAGES, 2);
    broker_close_fds(&m);
    set_run(&f, 0, GUEST_PAGES, 2);
    check_map_refused(&f, MiB, 1);
    check_map_refused(&f, MiB + SUNDOG_PAGE_SIZE, 1);
    check_map_refused(&f, MiB - SUNDOG_PAGE_SIZE, 1);
    guest_unmap(&f, MiB + SUNDOG_PAGE_SIZE);
    guest_unmap(&f, 0);
    guest_unmap(&f, UINT64_MAX);
    broker_expect_nothing(f.broker);
    map_run(&f, &m, GUEST_RAM - SUNDOG_PAGE_SIZE, GUEST_RAM - SUNDOG_PAGE_SIZE,
            1);
    broker_close_fds(&m);
    stop_connected(&f);
}

/* One map can be in progress, and MAX_GUEST_MAPS can exist. */
static void test_guest_map_many(void)
{
    Message m;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    set_run(&f, 0, GUEST_PAGES, 1);
    guest_map(&f, 0, 1);
    guest_map(&f, MiB, 1);
    expect_guest_map(&f, &m, 0, SUNDOG_PAGE_SIZE);
    broker_close_fds(&m);
    broker_expect_nothing(f.broker);
    guest_unmap(&f, 0);
    broker_expect_nothing(f.broker);
    broker_send_guest_mapped(f.broker, 0, SUNDOG_PAGE_SIZE);
    wait_for(&f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_DONE);
    for (unsigned i = 1; i < SUNDOG_MAX_GUEST_MAPS; i++) {
        map_run(&f, &m, i * SUNDOG_PAGE_SIZE, GUEST_PAGES, 1);
        broker_close_fds(&m);
    }
    set_run(&f, 0, GUEST_PAGES, 1);
    check_map_refused(&f, SUNDOG_MAX_GUEST_MAPS * SUNDOG_PAGE_SIZE, 1);
    stop_connected(&f);
}

/* The broker has no room for a map: the device removes it for the guest. */
static void test_guest_map_no_room(void)
{
    Message m;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    set_run(&f, 0, GUEST_PAGES, 1);
    guest_map(&f, MiB, 1);
    expect_guest_map(&f, &m, MiB, SUNDOG_PAGE_SIZE);
    broker_close_fds(&m);
    broker_send_guest_mapped(f.broker, MiB, 0);
    wait_for(&f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_REFUSED);
    expect_guest_unmap(&f, MiB, SUNDOG_PAGE_SIZE);
    guest_unmap(&f, MiB);
    check_map_refused(&f, MiB, 1);
    broker_expect_nothing(f.broker);
    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    broker_send_guest_unmapped(f.broker, MiB, SUNDOG_PAGE_SIZE);
    map_run(&f, &m, 2 * MiB, GUEST_PAGES, 1);
    broker_close_fds(&m);
    /* The guest did not ask for that unmap. */
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_UNMAPPED), ==, 0);
    map_run(&f, &m, MiB, GUEST_PAGES, 1);
    broker_close_fds(&m);
    stop_connected(&f);
}

/* A broker that reconnects gets the maps of the one before. */
static void test_guest_lost(void)
{
    Message m, hello;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    map_run(&f, &m, 0, GUEST_PAGES, 1);
    broker_close_fds(&m);
    map_run(&f, &m, MiB, GUEST_PAGES, 2);
    broker_close_fds(&m);
    set_run(&f, 0, GUEST_PAGES, 3);
    guest_map(&f, 2 * MiB, 1);
    guest_unmap(&f, 0);
    close(f.broker);
    wait_for(&f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_REFUSED);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_UNMAPPED), ==, 1);

    accept_hello(&f, &hello);
    welcome(&f, &hello);
    expect_guest_map(&f, &m, MiB, 2 * SUNDOG_PAGE_SIZE);
    broker_close_fds(&m);
    broker_expect_nothing(f.broker);
    guest_unmap(&f, MiB);
    expect_guest_unmap(&f, MiB, 2 * SUNDOG_PAGE_SIZE);
    broker_send_guest_mapped(f.broker, MiB, 2 * SUNDOG_PAGE_SIZE);
    broker_send_guest_unmapped(f.broker, MiB, 2 * SUNDOG_PAGE_SIZE);
    wait_for(&f, SUNDOG_REG_GUEST_UNMAPPED, 2);
    stop_connected(&f);
}

/* A broker that reconnects has no room: the guest removes the map. */
static void test_guest_lost_no_room(void)
{
    Message m, hello;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    map_run(&f, &m, MiB, GUEST_PAGES, 1);
    broker_close_fds(&m);
    close(f.broker);
    accept_hello(&f, &hello);
    welcome(&f, &hello);
    expect_guest_map(&f, &m, MiB, SUNDOG_PAGE_SIZE);
    broker_close_fds(&m);
    broker_send_guest_mapped(f.broker, MiB, 0);
    map_run(&f, &m, 2 * MiB, GUEST_PAGES, 1);
    broker_close_fds(&m);
    guest_unmap(&f, MiB);
    expect_guest_unmap(&f, MiB, SUNDOG_PAGE_SIZE);
    broker_send_guest_unmapped(f.broker, MiB, SUNDOG_PAGE_SIZE);
    wait_for(&f, SUNDOG_REG_GUEST_UNMAPPED, 1);
    stop_connected(&f);
}

/*
 * A reset removes all maps, including one in progress, which the broker maps
 * or, with SIZE 0, refuses before it gets RESET. After RESET it has no maps.
 */
static void check_guest_reset(uint64_t size)
{
    Message m;
    Fixture f;

    if (!start_guest(&f)) {
        return;
    }
    map_run(&f, &m, 0, GUEST_PAGES, 1);
    broker_close_fds(&m);
    set_run(&f, 0, GUEST_PAGES, 1);
    guest_map(&f, MiB, 1);
    expect_guest_map(&f, &m, MiB, SUNDOG_PAGE_SIZE);
    broker_close_fds(&m);
    wr(&f, SUNDOG_REG_RESET, 1);
    broker_expect(f.broker, &m, SUNDOG_MESSAGE_RESET,
                  sizeof(struct sundog_message_reset), 0);
    guest_unmap(&f, 0);
    broker_expect_nothing(f.broker);
    broker_send_guest_mapped(f.broker, MiB, size);
    wait_for(&f, SUNDOG_REG_GUEST_STATE, size ? SUNDOG_GUEST_STATE_DONE :
                                                SUNDOG_GUEST_STATE_REFUSED);
    broker_expect_nothing(f.broker);
    broker_send_reset_done(f.broker);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_GUEST_STATE), ==,
                     SUNDOG_GUEST_STATE_DONE);
    guest_unmap(&f, 0);
    guest_unmap(&f, MiB);
    broker_expect_nothing(f.broker);
    map_run(&f, &m, 0, GUEST_PAGES, 1);
    broker_close_fds(&m);
    stop_connected(&f);
}

static void test_guest_reset(void)
{
    check_guest_reset(SUNDOG_PAGE_SIZE);
}

static void test_guest_reset_refused(void)
{
    check_guest_reset(0);
}

/* A minimal driver of virtio-balloon: the inflate queue only. */

#define BALLOON_SLOT    3
#define BALLOON_BAR     0xe9000000
#define BALLOON_NOTIFY  0x3000
#define BALLOON_DESC    (3 * MiB)       /* in RAM, as the next three */
#define BALLOON_AVAIL   (BALLOON_DESC + 0x1000)
#define BALLOON_USED    (BALLOON_DESC + 0x2000)
#define BALLOON_PFNS    (BALLOON_DESC + 0x3000)

static QPCIDevice *start_balloon(Fixture *f, QPCIBar *bar)
{
    QPCIDevice *balloon = qpci_device_find(f->bus, QPCI_DEVFN(BALLOON_SLOT, 0));

    g_assert_nonnull(balloon);
    qpci_device_enable(balloon);
    *bar = (QPCIBar) { .addr = BALLOON_BAR };
    qpci_config_writel(balloon, PCI_BASE_ADDRESS_4, bar->addr);
    qpci_config_writel(balloon, PCI_BASE_ADDRESS_5, 0);
    qpci_io_writel(balloon, *bar, VIRTIO_PCI_COMMON_GFSELECT, 1);
    qpci_io_writel(balloon, *bar, VIRTIO_PCI_COMMON_GF, 1);  /* VERSION_1 */
    qpci_io_writeb(balloon, *bar, VIRTIO_PCI_COMMON_STATUS, 0xb);
    qpci_io_writew(balloon, *bar, VIRTIO_PCI_COMMON_Q_SELECT, 0);
    qpci_io_writew(balloon, *bar, VIRTIO_PCI_COMMON_Q_SIZE, 8);
    qpci_io_writel(balloon, *bar, VIRTIO_PCI_COMMON_Q_DESCLO, BALLOON_DESC);
    qpci_io_writel(balloon, *bar, VIRTIO_PCI_COMMON_Q_AVAILLO, BALLOON_AVAIL);
    qpci_io_writel(balloon, *bar, VIRTIO_PCI_COMMON_Q_USEDLO, BALLOON_USED);
    qpci_io_writew(balloon, *bar, VIRTIO_PCI_COMMON_Q_ENABLE, 1);
    qpci_io_writeb(balloon, *bar, VIRTIO_PCI_COMMON_STATUS, 0xf);
    return balloon;
}

/* Inflates the balloon by the page at ADDR, the INDEXth one from 1 on. */
static void inflate(Fixture *f, QPCIDevice *balloon, QPCIBar bar, uint64_t addr,
                    uint16_t index)
{
    qtest_writel(f->qts, BALLOON_PFNS, addr / SUNDOG_PAGE_SIZE);
    qtest_writeq(f->qts, BALLOON_DESC, BALLOON_PFNS);
    qtest_writeq(f->qts, BALLOON_DESC + 8, sizeof(uint32_t));
    qtest_writew(f->qts, BALLOON_AVAIL + 4 + (index - 1) % 8 * 2, 0);
    qtest_writew(f->qts, BALLOON_AVAIL + 2, index);
    qpci_io_writew(balloon, bar, BALLOON_NOTIFY, 0);
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (qtest_readw(f->qts, BALLOON_USED + 2) == index) {
            return;
        }
        g_usleep(1000);
    }
    g_assert_not_reached();
}

/*
 * The balloon does not discard RAM while there are maps: the renderer's page
 * would differ from the guest's. VRAM can still be discarded, and RAM can be
 * when no map is left.
 */
static void test_guest_balloon(void)
{
    QPCIDevice *balloon;
    Message m, hello;
    QPCIBar bar;
    Fixture f;

    if (!has_udmabuf()) {
        g_test_skip("there is no /dev/udmabuf");
        return;
    }
    start_connected_with(&f, &hello, GUEST_RAM_OPTIONS " -device "
                         "virtio-balloon-pci,disable-legacy=on,addr="
                         stringify(BALLOON_SLOT), "", ",guest-memory=on");
    welcome(&f, &hello);
    balloon = start_balloon(&f, &bar);

    qtest_writel(f.qts, GUEST_PAGES, 0x12345678);
    map_run(&f, &m, 0, GUEST_PAGES, 1);
    inflate(&f, balloon, bar, GUEST_PAGES, 1);
    g_assert_cmphex(qtest_readl(f.qts, GUEST_PAGES), ==, 0x12345678);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_DISCARD, ==,
                    SUNDOG_FEATURE_DISCARD);

    guest_unmap(&f, 0);
    expect_guest_unmap(&f, 0, SUNDOG_PAGE_SIZE);
    broker_send_guest_unmapped(f.broker, 0, SUNDOG_PAGE_SIZE);
    wait_for(&f, SUNDOG_REG_GUEST_UNMAPPED, 1);
    inflate(&f, balloon, bar, GUEST_PAGES, 2);
    g_assert_cmphex(qtest_readl(f.qts, GUEST_PAGES), ==, 0);
    broker_close_fds(&m);
    g_free(balloon);
    stop_connected(&f);
}

/* A machine reset with maps kills the renderer; a new one has no maps. */
static void test_guest_machine_reset(void)
{
    Fixture f;
    pid_t pid;

    if (!has_udmabuf()) {
        g_test_skip("there is no /dev/udmabuf");
        return;
    }
    start_spawned(&f, ",guest-memory=on " GUEST_RAM_OPTIONS);
    pid = spawned_pid(&f);
    reset_machine(&f);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpint(spawned_pid(&f), ==, pid);

    for (unsigned i = 0; i < 3; i++) {
        set_run(&f, 0, GUEST_PAGES, 1);
        guest_map(&f, 0, 1);
        wait_for(&f, SUNDOG_REG_GUEST_STATE, SUNDOG_GUEST_STATE_DONE);
        pid = spawned_pid(&f);
        reset_machine(&f);
        wait_for(&f, SUNDOG_REG_RESET, 0);
        g_assert_cmpint(kill(pid, 0), <, 0);
        step_ms(&f, RESTART_MS);
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
        g_assert_cmpint(spawned_pid(&f), !=, pid);
    }
    stop(&f);
}

/* QEMU disconnects a broker that answers without a request. */
static void test_guest_misuse(void)
{
    Message m;
    Fixture f;

    for (int i = 0; i < 4; i++) {
        if (!start_guest(&f)) {
            return;
        }
        map_run(&f, &m, MiB, GUEST_PAGES, 1);
        broker_close_fds(&m);
        switch (i) {
        case 0:
            broker_send_guest_mapped(f.broker, 0, SUNDOG_PAGE_SIZE);
            break;
        case 1:
            broker_send_guest_mapped(f.broker, MiB, SUNDOG_PAGE_SIZE);
            break;
        case 2:
            broker_send_guest_unmapped(f.broker, MiB, SUNDOG_PAGE_SIZE);
            break;
        case 3:
            guest_unmap(&f, MiB);
            broker_send_guest_unmapped(f.broker, MiB, 2 * SUNDOG_PAGE_SIZE);
            break;
        }
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
        stop_connected(&f);
    }
}

/* Random register writes, with steps of the clock and screendumps. */
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
    if (argc >= 3 && g_str_equal(argv[1], "--device-fd")) {
        return broker_main(atoi(argv[2]), argv + 3);
    }
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/sundog/identity", test_identity);
    qtest_add_func("/sundog/memories", test_memories);
    qtest_add_func("/sundog/read-only", test_read_only);
    qtest_add_func("/sundog/access-sizes", test_access_sizes);
    qtest_add_func("/sundog/reset", test_reset);
    qtest_add_func("/sundog/discard/zeroes", test_discard);
    qtest_add_func("/sundog/discard/refused", test_discard_refused);
    qtest_add_func("/sundog/discard/shows", test_discard_shows);
    qtest_add_func("/sundog/discard/gives-back", test_discard_gives_back);
    qtest_add_func("/sundog/guest/realize", test_guest_realize);
    qtest_add_func("/sundog/guest/off", test_guest_off);
    qtest_add_func("/sundog/guest/map", test_guest_map);
    qtest_add_func("/sundog/guest/map-refused", test_guest_map_refused);
    qtest_add_func("/sundog/guest/map-many", test_guest_map_many);
    qtest_add_func("/sundog/guest/map-no-room", test_guest_map_no_room);
    qtest_add_func("/sundog/guest/lost", test_guest_lost);
    qtest_add_func("/sundog/guest/lost-no-room", test_guest_lost_no_room);
    qtest_add_func("/sundog/guest/reset", test_guest_reset);
    qtest_add_func("/sundog/guest/reset-refused", test_guest_reset_refused);
    qtest_add_func("/sundog/guest/machine-reset", test_guest_machine_reset);
    qtest_add_func("/sundog/guest/misuse", test_guest_misuse);
    qtest_add_func("/sundog/guest/balloon", test_guest_balloon);
    qtest_add_func("/sundog/random", test_random);
    add_boot_tests();
    add_display_tests();
    add_cursor_tests();
    add_damage_tests();
    add_renderer_tests();
    add_vrr_tests();
    add_writeback_tests();
    add_hostile_tests();
    add_machine_tests();
    add_fuzz_tests();
    return g_test_run();
}

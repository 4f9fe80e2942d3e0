/*
 * sundog: qtest of writeback, that is, frames that are written to VRAM
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The written pixels must equal a screendump of the head.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqos/pci-pc.h"
#include "sundog-test-fixture.h"

#define MARK        0x5a5a5a5au
#define BUFFER      (4 * MiB)

/* A picture that takes many time slices to compose. */
#define LARGE_WIDTH     2048
#define LARGE_HEIGHT    1024
#define LARGE_BUFFER    (8 * MiB)

static void ask_for_frame(Fixture *f, unsigned head, uint32_t format,
                          uint32_t pitch, uint64_t offset)
{
    wr(f, SUNDOG_REG_WRITEBACK_FORMAT(head), format);
    wr(f, SUNDOG_REG_WRITEBACK_PITCH(head), pitch);
    wr64(f, SUNDOG_REG_WRITEBACK_OFFSET(head), offset);
}

static void read_pixels(Fixture *f, uint64_t offset, uint32_t *pixels,
                        unsigned n)
{
    qpci_memread(f->dev, f->vram, offset, pixels, n * 4);
    for (unsigned i = 0; i < n; i++) {
        pixels[i] = le32_to_cpu(pixels[i]);
    }
}

static uint32_t read_pixel(Fixture *f, uint64_t offset)
{
    return qpci_io_readl(f->dev, f->vram, offset);
}

/* The buffer's rows are four pixels longer than the head's. */
static void check_frame(Fixture *f, uint64_t offset)
{
    const unsigned stride = 68;
    uint32_t shown[64 * 64], pixels[68 * 64];

    screendump(f, shown);
    read_pixels(f, offset, pixels, ARRAY_SIZE(pixels));
    for (unsigned i = 0; i < ARRAY_SIZE(pixels); i++) {
        const unsigned x = i % stride, y = i / stride;

        g_assert_cmphex(pixels[i], ==,
                        x < 64 ? shown[64 * y + x] | 0xff000000 : MARK);
    }
}

/* A frame has blended planes and changed colours; each commit writes one. */
static void test_frame(void)
{
    static const uint32_t formats[] = { XR24, AR24 };
    const uint64_t inverted = offsetof(struct sundog_head_color, gamma);
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00204060);
    fill(&f, MiB, 0x80402010);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    set_cursor(&f, 0, 20, 10, MiB);
    for (unsigned i = 0; i < 256; i++) {
        wr64(&f, SUNDOG_REG_HEAD_COLOR(0) + inverted + i * 8,
             (255 - i) * 257 * 0x100010001);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t buffer = BUFFER + i * 68 * 64 * 4;

        fill(&f, buffer, MARK);
        fill(&f, buffer + 4 * 64 * 4, MARK);
        wr(&f, SUNDOG_REG_HEAD_COLOR(0),
           i / 2 ? SUNDOG_HEAD_COLOR_FLAG_GAMMA : 0);
        ask_for_frame(&f, 0, formats[i % 2], 68 * 4, buffer);
        wr(&f, SUNDOG_REG_COMMIT(0), i + 1);
        g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_FORMAT(0)), ==, 0);
        qtest_clock_step(f.qts, PERIOD);
        wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), i + 1);
        g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==,
                        SUNDOG_DISPLAY_EVENT_WRITEBACK);
        g_assert_true(qpci_msix_pending(f.dev, SUNDOG_VECTOR_DISPLAY));
        wr(&f, SUNDOG_REG_DISPLAY_EVENTS, ~0u);
        check_frame(&f, buffer);
    }
    /* Later commits do not write to the first buffer. */
    fill(&f, BUFFER, MARK);
    wr(&f, SUNDOG_REG_COMMIT(0), 5);
    qtest_clock_step(f.qts, PERIOD);
    ask_for_frame(&f, 0, XR24, 64 * 4, 2 * BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 6);
    qtest_clock_step(f.qts, PERIOD);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 6);
    g_assert_cmphex(read_pixel(&f, BUFFER), ==, MARK);
    g_assert_cmphex(read_pixel(&f, 2 * BUFFER), ==, 0xffdfbf9f);
    stop(&f);
}

static void prepare_frame(Fixture *f)
{
    set_mode(f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(f, 0, XR24, 64 * 4, BUFFER);
}

static void test_bounds(void)
{
    static const Bound values[] = {
        { SUNDOG_REG_WRITEBACK_FORMAT(0), 0, true },
        { SUNDOG_REG_WRITEBACK_FORMAT(0), XR24, true },
        { SUNDOG_REG_WRITEBACK_FORMAT(0), AR24, true },
        { SUNDOG_REG_WRITEBACK_FORMAT(0), 1, false },
        { SUNDOG_REG_WRITEBACK_FORMAT(0), 0x30335258 /* XR30 */, false },
        { SUNDOG_REG_WRITEBACK_FORMAT(0), ~0u, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 0, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 252, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 258, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 260, true },
        { SUNDOG_REG_WRITEBACK_PITCH(0), VRAM_SIZE, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 0x80000000, false },
        { SUNDOG_REG_WRITEBACK_PITCH(0), 0xfffffffc, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0), 2, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0), VRAM_SIZE - 64 * 64 * 4, true },
        { SUNDOG_REG_WRITEBACK_OFFSET(0), VRAM_SIZE - 64 * 64 * 4 + 4, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0), VRAM_SIZE, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0), 0xfffffffc, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0) + 4, 1, false },
        { SUNDOG_REG_WRITEBACK_OFFSET(0) + 4, ~0u, false },
        { SUNDOG_REG_HEAD_WIDTH(0), 65, false },
        { SUNDOG_REG_WRITEBACK_DONE(0), 1, true },
    };
    Fixture f;

    start(&f, "");
    check_bounds(&f, prepare_frame, values, ARRAY_SIZE(values));
    /* Sums that wrap in 64 bits, and a size that overflows 32 bits. */
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, -(uint64_t)(64 * 64 * 4));
    g_assert_false(commit_takes(&f));
    set_mode(&f, CONTROL_ON, 1, 8192, 0);
    ask_for_frame(&f, 0, XR24, 0x80004, 0);
    g_assert_false(commit_takes(&f));
    /* A disabled head accepts any values, and writes nothing. */
    set_mode(&f, 0, 64, 64, 0);
    g_assert_true(commit_takes(&f));
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_FORMAT(0)), ==, 0);
    stop(&f);
}

/* Commits, with token 1, a large frame and its writeback. */
static void start_large(Fixture *f)
{
    fill(f, 0, 0x00204060);
    fill(f, MiB, 0x80402010);
    fill(f, LARGE_BUFFER, MARK);
    set_mode(f, CONTROL_ON, 64, 64, 0);
    wr(f, SUNDOG_REG_HEAD_WIDTH(0), LARGE_WIDTH);
    wr(f, SUNDOG_REG_HEAD_HEIGHT(0), LARGE_HEIGHT);
    for (unsigned plane = PRIMARY(0); plane <= CURSOR(0); plane++) {
        if (plane != PRIMARY(0)) {
            set_plane(f, plane, AR24, 64, 64, MiB);
        }
        wr(f, SUNDOG_REG_PLANE_DST_W(plane), LARGE_WIDTH);
        wr(f, SUNDOG_REG_PLANE_DST_H(plane), LARGE_HEIGHT);
    }
    ask_for_frame(f, 0, XR24, LARGE_WIDTH * 4, LARGE_BUFFER);
    wr(f, SUNDOG_REG_COMMIT(0), 1);
    g_assert_cmpuint(rd(f, SUNDOG_REG_LATCHED(0)), ==, 1);
}

/*
 * A commit during a writeback waits for its end, and then for a vblank, even if
 * it is ASYNC.
 */
static void test_waits(void)
{
    static const uint32_t controls[] = {
        CONTROL_ON, CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(controls); i++) {
        const uint64_t last = LARGE_BUFFER +
                              (LARGE_WIDTH * LARGE_HEIGHT - 1) * 4;
        unsigned waited = 0;
        Fixture f;

        start(&f, "");
        start_large(&f);
        set_mode(&f, controls[i], 64, 64, 0);
        wr(&f, SUNDOG_REG_COMMIT(0), 2);
        while (!rd(&f, SUNDOG_REG_WRITEBACK_DONE(0))) {
            /* Read LATCHED first: the writeback may complete in between. */
            const uint32_t latched = rd(&f, SUNDOG_REG_LATCHED(0));

            if (!rd(&f, SUNDOG_REG_WRITEBACK_DONE(0))) {
                g_assert_cmpuint(latched, ==, 1);
                waited++;
            }
            qtest_clock_step(f.qts, PERIOD);
            g_usleep(1000);
        }
        g_assert_cmpuint(waited, >, 0);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_WRITEBACK_DONE(0)), ==, 1);
        g_assert_cmphex(read_pixel(&f, last), ==,
                        read_pixel(&f, LARGE_BUFFER));
        g_assert_cmphex(read_pixel(&f, last), !=, MARK);
        qtest_clock_step(f.qts, PERIOD);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 2);
        stop(&f);
    }
}

/* A commit that waited takes effect at a vblank, not at the writeback's end. */
static void test_waits_for_vblank(void)
{
    Fixture f;

    start(&f, "");
    start_large(&f);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, 3 * PERIOD / 2);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    qtest_clock_step(f.qts, PERIOD / 2 - 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    qtest_clock_step(f.qts, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 2);
    stop(&f);
}

static bool is_written(Fixture *f)
{
    return rd(f, SUNDOG_REG_WRITEBACK_DONE(0));
}

/*
 * With variable refresh a commit that waits for a writeback causes no vblank
 * until the end of the writeback, and then one as soon as possible.
 */
static void test_waits_with_vrr(void)
{
    const uint32_t longest = 4 * PERIOD;
    uint64_t begin, now;
    Fixture f;

    start(&f, "");
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), longest);
    start_large(&f);
    begin = rd64(&f, SUNDOG_REG_CLOCK);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, longest - 1);
    g_assert_false(is_written(&f));
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 0);
    qtest_clock_step(f.qts, 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==, begin + longest);
    /* The writeback ends within a frame, after its minimum period. */
    qtest_clock_step(f.qts, 2 * PERIOD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==,
                     begin + longest + 2 * PERIOD);

    /* Disabling the head waits for the minimum period only. */
    wr(&f, SUNDOG_REG_RESET, 1);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), longest);
    start_large(&f);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, 2 * PERIOD);
    set_mode(&f, 0, 64, 64, 0);
    now = rd64(&f, SUNDOG_REG_CLOCK);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 3);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==, now);
    g_assert_false(is_written(&f));
    stop(&f);
}

/*
 * Commits in one frame with a pending writeback: a second writeback is refused,
 * a commit without one is part of the frame, a size that does not fit the
 * buffer is refused, and disabling the head cancels the writeback.
 */
static void test_one_frame(void)
{
    const uint64_t end = VRAM_SIZE - 64 * 64 * 4;
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00111111);
    fill(&f, MiB, 0x00222222);
    fill(&f, BUFFER, MARK);
    fill(&f, end, MARK);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    ask_for_frame(&f, 0, XR24, 64 * 4, end);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_COMMIT(0)), ==, 2);
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_FORMAT(0)), ==, XR24);
    wr(&f, SUNDOG_REG_WRITEBACK_FORMAT(0), 0);
    wr(&f, SUNDOG_REG_HEAD_HEIGHT(0), 65);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_COMMIT(0)), ==, 2);
    set_mode(&f, CONTROL_ON, 64, 64, MiB);
    wr(&f, SUNDOG_REG_COMMIT(0), 5);
    qtest_clock_step(f.qts, PERIOD);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 5);
    g_assert_cmphex(read_pixel(&f, end), ==, 0xff222222);
    g_assert_cmphex(read_pixel(&f, BUFFER), ==, MARK);
    wr(&f, SUNDOG_REG_DISPLAY_EVENTS, ~0u);

    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 6);
    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 7);
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 7);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, end);
    wr(&f, SUNDOG_REG_COMMIT(0), 8);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 8);
    g_assert_cmphex(read_pixel(&f, BUFFER), ==, MARK);
    g_assert_cmphex(read_pixel(&f, end), ==, 0xff111111);
    stop(&f);
}

/* A head shows, in a composed surface, the buffer of another's writeback. */
static void test_other_head(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, ",heads=2");
    fill(&f, 0, 0x00123456);
    set_head_mode(&f, 1, CONTROL_ON, 64, 64, BUFFER);
    set_cursor(&f, 1, 64, 0, MiB);
    wr(&f, SUNDOG_REG_COMMIT(1), 1);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[64 * 64 - 1], ==, 0);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 7);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 7);
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_DONE(1)), ==, 0);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[0], ==, 0x123456);
    g_assert_cmphex(pixels[64 * 64 - 1], ==, 0x123456);

    ask_for_frame(&f, 1, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(1), 2);
    qtest_clock_step(f.qts, PERIOD);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(1), 2);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==,
                    3 * SUNDOG_DISPLAY_EVENT_WRITEBACK);
    stop(&f);
}

/* Reads the first pixel of each row. */
static void read_large(Fixture *f, uint32_t pixels[LARGE_HEIGHT])
{
    for (unsigned y = 0; y < LARGE_HEIGHT; y++) {
        pixels[y] = read_pixel(f, LARGE_BUFFER + y * LARGE_WIDTH * 4);
    }
}

/*
 * A commit that disables the head takes effect at its vblank and cancels the
 * writeback.
 */
static void test_off(void)
{
    uint32_t before[LARGE_HEIGHT], after[LARGE_HEIGHT];
    Fixture f;

    start(&f, "");
    start_large(&f);
    set_mode(&f, 0, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 2);
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_DONE(0)), ==, 0);
    read_large(&f, before);
    g_assert_cmphex(before[LARGE_HEIGHT - 1], ==, 0);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 3);
    read_large(&f, after);
    g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
    stop(&f);
}

/* A long writeback of one head does not block that of another one. */
static void test_turns(void)
{
    Fixture f;

    start(&f, ",heads=2");
    start_large(&f);
    set_head_mode(&f, 1, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 1, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(1), 1);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(1), 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_DONE(0)), ==, 0);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 1);
    stop(&f);
}

/* A reset cancels a writeback, without an event. */
static void test_reset(void)
{
    uint32_t before[LARGE_HEIGHT], after[LARGE_HEIGHT];
    Fixture f;

    start(&f, "");
    start_large(&f);
    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_WRITEBACK_DONE(0)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
    read_large(&f, before);
    g_assert_cmphex(before[LARGE_HEIGHT - 1], ==, 0);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 2);
    read_large(&f, after);
    g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
    stop(&f);
}

static void test_unplug(void)
{
    Fixture f;

    /* libqos supports ACPI hotplug of the slots of this machine. */
    f.qts = qtest_initf("-machine pc -vga none -d guest_errors -D /dev/null "
                        "-device sundog,id=gpu,addr=%d,vram=16M,renderer=none",
                        SLOT);
    for (int i = 0; i < 3; i++) {
        map_device(&f);
        start_large(&f);
        unmap_device(&f);
        qpci_unplug_acpi_device_test(f.qts, "gpu", SLOT);
        qtest_qmp_assert_success(f.qts, "{ 'execute': 'device_add', "
                                 "'arguments': { 'driver': 'sundog', "
                                 "'id': 'gpu', 'addr': %s, "
                                 "'vram': 16777216, 'renderer': 'none' } }",
                                 stringify(SLOT));
    }
    map_device(&f);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    ask_for_frame(&f, 0, XR24, 64 * 4, BUFFER);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    wait_for(&f, SUNDOG_REG_WRITEBACK_DONE(0), 2);
    stop(&f);
}

void add_writeback_tests(void)
{
    qtest_add_func("/sundog/writeback/frame", test_frame);
    qtest_add_func("/sundog/writeback/bounds", test_bounds);
    qtest_add_func("/sundog/writeback/waits", test_waits);
    qtest_add_func("/sundog/writeback/waits-for-vblank",
                   test_waits_for_vblank);
    qtest_add_func("/sundog/writeback/waits-with-vrr", test_waits_with_vrr);
    qtest_add_func("/sundog/writeback/one-frame", test_one_frame);
    qtest_add_func("/sundog/writeback/other-head", test_other_head);
    qtest_add_func("/sundog/writeback/off", test_off);
    qtest_add_func("/sundog/writeback/turns", test_turns);
    qtest_add_func("/sundog/writeback/reset", test_reset);
    qtest_add_func("/sundog/writeback/unplug", test_unplug);
}

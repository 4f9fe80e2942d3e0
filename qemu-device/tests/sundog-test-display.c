/*
 * sundog: qtest of the heads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commits, vblanks, screendumps, damage, CRCs, colours and EDIDs.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"
#include "sundog-test-vnc.h"

static void test_edid(void)
{
    static const uint8_t magic[8] = { 0, 255, 255, 255, 255, 255, 255, 0 };
    uint8_t edid[SUNDOG_EDID_SIZE];
    uint8_t sum = 0;
    Fixture f;

    start(&f, ",heads=2,xres=1024,yres=768");
    for (unsigned i = 0; i < sizeof(edid); i += 4) {
        stl_le_p(edid + i, rd(&f, SUNDOG_REG_EDID(1) + i));
    }
    g_assert_cmpmem(edid, 8, magic, 8);
    for (unsigned i = 0; i < 128; i++) {
        sum += edid[i];
    }
    g_assert_cmpuint(sum, ==, 0);
    g_assert_cmpuint(edid[54 + 2] | (edid[54 + 4] & 0xf0) << 4, ==, 1024);
    g_assert_cmpuint(edid[54 + 5] | (edid[54 + 7] & 0xf0) << 4, ==, 768);
    g_assert_cmphex(rd(&f, SUNDOG_REG_EDID(2)), ==, 0);
    stop(&f);
}

static void prepare_mode(Fixture *f)
{
    set_mode(f, CONTROL_ON, 64, 64, 0);
}

static void test_commit_bounds(void)
{
    static const Bound values[] = {
        { SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON, true },
        { SUNDOG_REG_HEAD_CONTROL(0), ~0u, false },
        { SUNDOG_REG_HEAD_WIDTH(0), 0, false },
        { SUNDOG_REG_HEAD_WIDTH(0), 65, true },
        { SUNDOG_REG_HEAD_WIDTH(0), 8193, false },
        { SUNDOG_REG_HEAD_WIDTH(0), ~0u, false },
        { SUNDOG_REG_HEAD_HEIGHT(0), 0, false },
        { SUNDOG_REG_HEAD_HEIGHT(0), 8193, false },
        { SUNDOG_REG_HEAD_HEIGHT(0), 0x80000000, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 0, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 999999, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 1000000, true },
        { SUNDOG_REG_HEAD_PERIOD(0), 1000000001, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 0x80000000, false },
        { SUNDOG_REG_PLANE_FORMAT(0), AR24, true },
        { SUNDOG_REG_PLANE_FORMAT(0), 0, true },
        { SUNDOG_REG_PLANE_FORMAT(0), 1, false },
        { SUNDOG_REG_PLANE_BLEND(0), SUNDOG_PLANE_BLEND_PIXEL_NONE, true },
        { SUNDOG_REG_PLANE_BLEND(0), SUNDOG_PLANE_BLEND_PIXEL_NONE + 1, false },
        { SUNDOG_REG_PLANE_ALPHA(0), 0x10000, false },
        { SUNDOG_REG_PLANE_ROTATION(0), 0, false },
        { SUNDOG_REG_PLANE_ROTATION(0), 3, false },
        { SUNDOG_REG_PLANE_ROTATION(0), 0x32, true },
        { SUNDOG_REG_PLANE_ROTATION(0), 0x41, false },
        { SUNDOG_REG_PLANE_WIDTH(0), 63, false },
        { SUNDOG_REG_PLANE_HEIGHT(0), 63, false },
        { SUNDOG_REG_PLANE_HEIGHT(0), 8193, false },
        { SUNDOG_REG_PLANE_SRC_X(0), 1, false },
        { SUNDOG_REG_PLANE_SRC_Y(0), ~0u, false },
        { SUNDOG_REG_PLANE_SRC_W(0), 0, false },
        { SUNDOG_REG_PLANE_SRC_W(0), 1, true },
        { SUNDOG_REG_PLANE_SRC_H(0), ~0u, false },
        { SUNDOG_REG_PLANE_DST_X(0), 0x80000000, true },
        { SUNDOG_REG_PLANE_DST_Y(0), 0x7fffffff, true },
        { SUNDOG_REG_PLANE_DST_W(0), 0, false },
        { SUNDOG_REG_PLANE_DST_H(0), 8192, true },
        { SUNDOG_REG_PLANE_DST_H(0), 8193, false },
        { SUNDOG_REG_PLANE_ENCODING(0), 3, false },
        { SUNDOG_REG_PLANE_RANGE(0), 2, false },
        { SUNDOG_REG_PLANE_FORMAT(3), AR24, false },
        { SUNDOG_REG_PLANE_PITCH(0), 0, false },
        { SUNDOG_REG_PLANE_PITCH(0), 252, false },
        { SUNDOG_REG_PLANE_PITCH(0), 258, false },
        { SUNDOG_REG_PLANE_PITCH(0), 260, true },
        { SUNDOG_REG_PLANE_PITCH(0), VRAM_SIZE, false },
        { SUNDOG_REG_PLANE_PITCH(0), 0x7ffffffc, false },
        { SUNDOG_REG_PLANE_PITCH(0), 0x80000000, false },
        { SUNDOG_REG_PLANE_PITCH(0), 0xfffffffc, false },
        { SUNDOG_REG_PLANE_OFFSET(0), 2, false },
        { SUNDOG_REG_PLANE_OFFSET(0), VRAM_SIZE - 64 * 64 * 4, true },
        { SUNDOG_REG_PLANE_OFFSET(0), VRAM_SIZE - 64 * 64 * 4 + 4, false },
        { SUNDOG_REG_PLANE_OFFSET(0), VRAM_SIZE, false },
        { SUNDOG_REG_PLANE_OFFSET(0), 0xfffffffc, false },
        { SUNDOG_REG_PLANE_OFFSET(0) + 4, 1, false },
        { SUNDOG_REG_PLANE_OFFSET(0) + 4, ~0u, false },
    };
    Fixture f;

    start(&f, "");
    check_bounds(&f, prepare_mode, values, ARRAY_SIZE(values));
    stop(&f);
}

/*
 * Offsets whose sum with the size wraps in 64 bits, and a picture whose size
 * overflows 32 bits.
 */
static void test_commit_overflow(void)
{
    Fixture f;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, -(uint64_t)(64 * 64 * 4));
    g_assert_false(commit_takes(&f));
    set_mode(&f, CONTROL_ON, 64, 64, -(uint64_t)4);
    g_assert_false(commit_takes(&f));
    set_mode(&f, CONTROL_ON, 1, 8192, 0);
    wr(&f, SUNDOG_REG_PLANE_PITCH(0), 0x80004);
    g_assert_false(commit_takes(&f));
    stop(&f);
}

static void test_commit_cursor(void)
{
    static const struct {
        uint64_t offset;
        bool taken;
    } values[] = {
        { 0, true },
        { 2, false },
        { VRAM_SIZE - 64 * 64 * 4, true },
        { VRAM_SIZE - 64 * 64 * 4 + 4, false },
        { 1ull << 32, false },
        { -(uint64_t)(64 * 64 * 4), false },
    };
    Fixture f;

    start(&f, "");
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        set_mode(&f, CONTROL_ON, 64, 64, 0);
        set_cursor(&f, 0, 0, 0, values[i].offset);
        g_assert_cmpint(commit_takes(&f), ==, values[i].taken);
    }
    stop(&f);
}

static void test_vblank(void)
{
    Fixture f;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 7);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 7);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 0);

    qtest_clock_step(f.qts, 3 * PERIOD + PERIOD / 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 3);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);

    wr(&f, SUNDOG_REG_HEAD_CONTROL(0),
       CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ);
    g_assert_false(qpci_msix_pending(f.dev, SUNDOG_VECTOR_DISPLAY));
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==,
                    SUNDOG_DISPLAY_EVENT_VBLANK);
    g_assert_true(qpci_msix_pending(f.dev, SUNDOG_VECTOR_DISPLAY));
    wr(&f, SUNDOG_REG_DISPLAY_EVENTS, SUNDOG_DISPLAY_EVENT_VBLANK);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);

    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON);
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 5);
    stop(&f);
}

/* There is exactly one vblank per period, also when the period changes. */
static void test_vblank_time(void)
{
    uint64_t begin;
    Fixture f;

    start(&f, "");
    qtest_clock_step(f.qts, 12345);
    begin = rd64(&f, SUNDOG_REG_CLOCK);
    g_assert_cmpuint(begin, >=, 12345);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 0);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==, begin);

    for (uint64_t i = 1; i < 100; i++) {
        qtest_clock_step(f.qts, PERIOD + PERIOD / 128);
        g_assert_cmpuint(rd64(&f, SUNDOG_REG_CLOCK), ==,
                         begin + i * (PERIOD + PERIOD / 128));
        g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, i);
        g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==,
                         begin + i * PERIOD);
    }
    wr(&f, SUNDOG_REG_HEAD_PERIOD(0), PERIOD / 4);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, PERIOD / 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 101);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==,
                     begin + 100 * PERIOD + PERIOD / 4);
    stop(&f);
}

/* The words of a register, and VBLANK_TIME and _COUNT, are read atomically. */
static void test_vblank_kept(void)
{
    const int64_t wrap = 1ll << 32;
    Fixture f;
    uint64_t time;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, wrap - rd64(&f, SUNDOG_REG_CLOCK) - 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CLOCK), ==, ~0u);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, wrap / PERIOD);
    time = rd64(&f, SUNDOG_REG_VBLANK_TIME(0));
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CLOCK + 4), ==, 0);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==, time);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_CLOCK), ==, wrap - 1 + PERIOD);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==,
                     wrap / PERIOD + 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_TIME(0)), ==, time + PERIOD);
    stop(&f);
}

/* A flip and a cursor move that are committed in one frame show together. */
static void test_flip_and_cursor(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00111111);
    fill(&f, MiB, 0x00222222);
    fill(&f, 2 * MiB, 0xff333333);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    set_cursor(&f, 0, 64, 0, 2 * MiB);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, PERIOD / 2);

    wr64(&f, SUNDOG_REG_PLANE_OFFSET(0), MiB);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    wr(&f, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), 32);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[0], ==, 0x111111);
    g_assert_cmphex(pixels[32], ==, 0x111111);
    qtest_clock_step(f.qts, PERIOD / 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 3);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[0], ==, 0x222222);
    g_assert_cmphex(pixels[32], ==, 0x333333);
    stop(&f);
}

/*
 * A commit on an enabled head waits for the vblank, and VBLANK_COUNT goes on.
 */
static void test_flip(void)
{
    Fixture f;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, PERIOD / 2);
    set_mode(&f, CONTROL_ON, 64, 64, 4096);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_COMMIT(0)), ==, 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 1);
    qtest_clock_step(f.qts, PERIOD / 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 2);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 1);

    set_mode(&f, 0, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 3);
    qtest_clock_step(f.qts, 100 * (int64_t)PERIOD);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 2);

    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 4);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 0);
    stop(&f);
}

static void test_flip_async(void)
{
    Fixture f;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, 2 * PERIOD + PERIOD / 2);
    set_mode(&f, CONTROL_ON, 64, 64, 4096);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC, 64, 64, 8192);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 3);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 2);
    qtest_clock_step(f.qts, PERIOD / 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, 3);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, 3);
    stop(&f);
}

static void test_scanout(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0xff112233);
    fill(&f, MiB, 0x00445566);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[0], ==, 0x112233);
    g_assert_cmphex(pixels[64 * 64 - 1], ==, 0x112233);

    set_mode(&f, CONTROL_ON, 64, 64, MiB);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, PERIOD);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[64 * 32], ==, 0x445566);

    qpci_io_writel(f.dev, f.vram, MiB + 64 * 32 * 4, 0x778899);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[64 * 32], ==, 0x778899);
    g_assert_cmphex(pixels[64 * 32 + 1], ==, 0x445566);

    wr(&f, SUNDOG_REG_PLANE_FORMAT(0), 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    qtest_clock_step(f.qts, PERIOD);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[64 * 32], ==, 0);
    stop(&f);
}

/*
 * Two heads show the same memory in composed surfaces (because of a cursor
 * outside of the picture): both show a vCPU's write, in any order of dumps.
 */
static void test_clone(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, ",heads=2");
    for (unsigned head = 0; head < 2; head++) {
        set_head_mode(&f, head, CONTROL_ON, 64, 64, 4096 * head);
        set_cursor(&f, head, 64, 0, MiB);
        wr(&f, SUNDOG_REG_COMMIT(head), 1);
        screendump_head(&f, head, pixels);
    }
    for (unsigned first = 0; first < 2; first++) {
        qpci_io_writel(f.dev, f.vram, 8192, 0x111111 + first);
        for (unsigned i = 0; i < 2; i++) {
            unsigned head = first ^ i;

            screendump_head(&f, head, pixels);
            g_assert_cmphex(pixels[(8192 - 4096 * head) / 4], ==,
                            0x111111 + first);
        }
    }
    stop(&f);
}

/*
 * A picture is composed if the padding of its last row is behind VRAM. Writes
 * of a renderer show at once if VRAM is the console's surface, and only after
 * DAMAGE in a composed one.
 */
static void test_padding(void)
{
    const uint32_t pitch = 512;
    const uint64_t linear = VRAM_SIZE - 64 * pitch;
    uint32_t pixels[64 * 64];
    uint32_t *vram;
    Message hello;
    Fixture f;

    start_connected(&f, &hello);
    vram = mmap(NULL, VRAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                hello.fds[0], 0);
    g_assert_true(vram != MAP_FAILED);
    for (int copied = 0; copied < 2; copied++) {
        uint64_t offset = linear + (copied ? pitch - 64 * 4 : 0);

        set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC, 64, 64, offset);
        wr(&f, SUNDOG_REG_PLANE_PITCH(0), pitch);
        wr(&f, SUNDOG_REG_COMMIT(0), copied + 1);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, copied + 1);
        screendump(&f, pixels);
        vram[(offset + 63 * pitch) / 4 + 63] = cpu_to_le32(0x123456);
        screendump(&f, pixels);
        g_assert_cmphex(pixels[64 * 64 - 1], ==, copied ? 0 : 0x123456);
        wr(&f, SUNDOG_REG_DAMAGE(0), 1);
        screendump(&f, pixels);
        g_assert_cmphex(pixels[64 * 64 - 1], ==, 0x123456);
    }
    munmap(vram, VRAM_SIZE);
    broker_close_fds(&hello);
    stop_connected(&f);
}

/*
 * If an opaque plane covers the others, VRAM is the console's surface: writes
 * of a renderer show at once.
 */
static void test_covered(void)
{
    uint32_t pixels[64 * 64];
    uint32_t *vram;
    Message hello;
    Fixture f;

    start_connected(&f, &hello);
    vram = mmap(NULL, VRAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                hello.fds[0], 0);
    g_assert_true(vram != MAP_FAILED);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC, 64, 64, 0);
    set_plane(&f, PRIMARY(0) + 1, AR24, 64, 64, MiB);
    for (uint32_t i = 1; i < 5; i++) {
        const bool above = i < 3, opaque = i % 2;

        wr(&f, SUNDOG_REG_PLANE_ZPOS(PRIMARY(0) + 1), above ? 1 : 0);
        wr(&f, SUNDOG_REG_PLANE_ZPOS(PRIMARY(0)), above ? 0 : 1);
        wr(&f, SUNDOG_REG_PLANE_BLEND(PRIMARY(0) + 1),
           opaque ? SUNDOG_PLANE_BLEND_PIXEL_NONE :
           SUNDOG_PLANE_BLEND_PREMULTI);
        wr(&f, SUNDOG_REG_COMMIT(0), i);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, i);
        screendump(&f, pixels);
        vram[above ? MiB / 4 : 0] = cpu_to_le32(0xff000000 | i);
        screendump(&f, pixels);
        g_assert_cmphex(pixels[0], ==, above && !opaque ? 1 : i);
    }
    munmap(vram, VRAM_SIZE);
    broker_close_fds(&hello);
    stop_connected(&f);
}

#define LARGE_WIDTH     2048
#define LARGE_HEIGHT    1024
#define LARGE_COLOR     0x404040

/* N planes that cover a large head with one colour and are slow to compose. */
static void set_large_planes(Fixture *f, unsigned n)
{
    for (unsigned i = 1; i <= n; i++) {
        set_plane(f, PRIMARY(0) + i, AR24, 64, 64, 8 * MiB);
        wr(f, SUNDOG_REG_PLANE_DST_W(PRIMARY(0) + i), LARGE_WIDTH);
        wr(f, SUNDOG_REG_PLANE_DST_H(PRIMARY(0) + i), LARGE_HEIGHT);
    }
}

static void start_large(Fixture *f, const char *options)
{
    start(f, options);
    qtest_memset(f->qts, f->vram.addr, 0x40, 8 * MiB);
    fill(f, 8 * MiB, 0x80604020);
    set_mode(f, CONTROL_ON, LARGE_WIDTH, LARGE_HEIGHT, 0);
}

/* A viewer keeps the old picture until all rows of the new one are composed. */
static void test_switch(void)
{
    g_autofree char *path = g_strdup_printf("%s/sundog-test-%d.vnc",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *options = g_strdup_printf(
        " -vnc unix:%s,id=vnc0,display=gpu,head=0", path);
    Viewer *v;
    Fixture f;

    start_large(&f, options);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    v = viewer_open(path, false);
    while (v->pixels[0] != LARGE_COLOR) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
    for (uint32_t i = 2; i < 4; i++) {
        const uint32_t before = v->pixels[0];

        v->black = false;
        if (i % 2) {
            wr(&f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(0) + 1), 0);
            wr(&f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(0) + 2), 0);
        } else {
            set_large_planes(&f, 2);
        }
        wr(&f, SUNDOG_REG_COMMIT(0), i);
        qtest_clock_step(f.qts, PERIOD);
        while (v->pixels[0] == before) {
            g_assert_true(viewer_receive(v, PATIENCE_MS));
            g_assert_false(v->black);
        }
    }
    viewer_close(v);
    stop(&f);
    unlink(path);
}

#define HUGE_WIDTH      4096
#define HUGE_HEIGHT     4096

/* A half transparent plane above another, both of 64 x 64 pixels and scaled. */
static void set_huge_mode(Fixture *f, uint32_t control)
{
    static const unsigned planes[] = { PRIMARY(0), CURSOR(0) };

    fill(f, 0, 0x00204060);
    fill(f, MiB, 0x80402010);
    set_mode(f, control, 64, 64, 0);
    set_cursor(f, 0, 0, 0, MiB);
    wr(f, SUNDOG_REG_HEAD_WIDTH(0), HUGE_WIDTH);
    wr(f, SUNDOG_REG_HEAD_HEIGHT(0), HUGE_HEIGHT);
    for (unsigned i = 0; i < ARRAY_SIZE(planes); i++) {
        wr(f, SUNDOG_REG_PLANE_DST_W(planes[i]), HUGE_WIDTH);
        wr(f, SUNDOG_REG_PLANE_DST_H(planes[i]), HUGE_HEIGHT);
    }
}

/*
 * A screendump completes while a viewer requests frames and the guest flips in
 * each of them.
 */
static void test_dump_of_animation(void)
{
    g_autofree char *path = g_strdup_printf("%s/sundog-test-%d.vnc",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *dump = g_strdup_printf("%s/sundog-test-%d.ppm",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *options = g_strdup_printf(
        " -vnc unix:%s,id=vnc0,display=gpu,head=0", path);
    int64_t end;
    Viewer *v;
    Fixture f;

    start(&f, options);
    fill(&f, 2 * MiB, 0x00602040);
    set_huge_mode(&f, CONTROL_ON);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    v = viewer_open(path, false);
    g_assert_true(viewer_receive(v, PATIENCE_MS));
    qtest_qmp_send(f.qts, "{ 'execute': 'screendump', 'arguments': {"
                   " 'filename': %s, 'head': 0, 'device': 'gpu' } }", dump);
    end = g_get_monotonic_time() + PATIENCE_MS * 1000;
    for (uint32_t i = 2; access(dump, F_OK); i++) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        wr64(&f, SUNDOG_REG_PLANE_OFFSET(PRIMARY(0)), i % 2 * 2 * MiB);
        wr(&f, SUNDOG_REG_COMMIT(0), i);
        qtest_clock_step(f.qts, PERIOD);
        viewer_receive(v, 5);
    }
    qobject_unref(qtest_qmp_receive(f.qts));
    viewer_close(v);
    stop(&f);
    unlink(dump);
    unlink(path);
}

/* A half transparent cursor at every edge and outside of the picture. */
static void test_cursor(void)
{
    static const int32_t edges[] = { INT32_MIN, -64, -63, -10, 0, 5, 63, 64,
                                     INT32_MAX };
    uint32_t pixels[64 * 64];
    uint32_t token = 0;
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00404040);
    fill(&f, MiB, 0x80800000);
    for (unsigned i = 0; i < ARRAY_SIZE(edges) * ARRAY_SIZE(edges); i++) {
        int64_t x = edges[i % ARRAY_SIZE(edges)];
        int64_t y = edges[i / ARRAY_SIZE(edges)];

        set_mode(&f, CONTROL_ON, 64, 64, 0);
        set_cursor(&f, 0, x, y, MiB);
        wr(&f, SUNDOG_REG_COMMIT(0), ++token);
        qtest_clock_step(f.qts, PERIOD);
        screendump(&f, pixels);
        for (int p = 0; p < 64 * 64; p++) {
            bool in = p % 64 >= x && p % 64 < x + 64 &&
                      p / 64 >= y && p / 64 < y + 64;

            g_assert_cmphex(pixels[p], ==, in ? 0xa02020 : 0x404040);
        }
    }
    stop(&f);
}

/*
 * The dirty log is switched off with the last head and on with the next one.
 * With a cursor the picture is composed: only damaged rows are drawn.
 */
static void test_scanout_again(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, ",heads=2");
    for (uint32_t i = 1; i < 4; i++) {
        unsigned head = i % 2;

        set_head_mode(&f, head, CONTROL_ON, 64, 64, 0);
        set_cursor(&f, head, 64, 0, MiB);
        wr(&f, SUNDOG_REG_COMMIT(head), i);
        screendump_head(&f, head, pixels);
        screendump_head(&f, head, pixels);
        g_assert_cmphex(pixels[0], ==, i == 1 ? 0 : i - 1 + 0x20);
        qpci_io_writel(f.dev, f.vram, 0, i + 0x10);
        screendump_head(&f, head, pixels);
        g_assert_cmphex(pixels[0], ==, i + 0x10);

        wr(&f, SUNDOG_REG_HEAD_CONTROL(head), 0);
        wr(&f, SUNDOG_REG_COMMIT(head), i);
        qtest_clock_step(f.qts, PERIOD);
        qpci_io_writel(f.dev, f.vram, 0, i + 0x20);
    }
    stop(&f);
}

/* Returns how often TEXT occurs in QEMU's log. */
static unsigned count_lines(const char *path, const char *text)
{
    g_autofree char *log = NULL;
    unsigned n = 0;

    g_assert_true(g_file_get_contents(path, &log, NULL, NULL));
    for (const char *at = log; (at = strstr(at, text)); at++) {
        n++;
    }
    return n;
}

/*
 * An update of a head reads log ranges that several planes share once, no
 * matter which plane was written, applies them to all heads, and does not read
 * ranges between planes.
 */
static void test_look(void)
{
    const uint64_t far = 8 * MiB, wide = 256 * 1024;
    g_autofree char *path = g_strdup_printf("%s/sundog-test-%d.log",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *options = g_strdup_printf(
        ",heads=4 -d trace:sundog_dirty_look -D %s", path);
    const struct {
        uint64_t to;
        unsigned pixel;
    } writes[] = { { 4, 1 }, { 8192 + 64, 16 }, { far + 8, 2 } };
    uint32_t pixels[64 * 64];
    unsigned before;
    Fixture f;

    start(&f, options);
    for (unsigned head = 0; head < 4; head++) {
        set_head_mode(&f, head, CONTROL_ON, 64, 64, 0);
        set_plane(&f, PRIMARY(head) + 1, NV12, 64, 64, 4096);
        wr64(&f, SUNDOG_REG_PLANE_OFFSET1(PRIMARY(head) + 1), wide);
        wr(&f, SUNDOG_REG_PLANE_PITCH1(PRIMARY(head) + 1), 256);
        wr(&f, SUNDOG_REG_PLANE_ALPHA(PRIMARY(head) + 1), 0);
        set_plane(&f, PRIMARY(head) + 2, AR24, 64, 64, 8192);
        set_cursor(&f, head, 0, 0, far);
        wr(&f, SUNDOG_REG_COMMIT(head), 1);
        screendump_head(&f, head, pixels);
    }
    before = count_lines(path, "sundog_dirty_look");
    screendump_head(&f, 0, pixels);
    g_assert_cmpuint(count_lines(path, "sundog_dirty_look") - before, ==, 2);
    g_assert_cmpuint(count_lines(path, "head 0 offset 0x0 size 0x80000"),
                     ==, 2);
    g_assert_cmpuint(count_lines(path, "head 0 offset 0x800000 size 0x40000"),
                     ==, 2);
    for (uint32_t i = 0; i < ARRAY_SIZE(writes); i++) {
        qpci_io_writel(f.dev, f.vram, writes[i].to, i | 0xff000000);
        for (unsigned head = 0; head < 4; head++) {
            screendump_head(&f, head, pixels);
            g_assert_cmphex(pixels[writes[i].pixel], ==, i);
        }
    }
    stop(&f);
    unlink(path);
}

/* An overlay in the middle, below the primary plane and then above it. */
static void test_planes(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, ",heads=2");
    fill(&f, 0, 0x00112233);
    fill(&f, MiB, 0x00445566);
    set_head_mode(&f, 1, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_PLANE_DST_X(PRIMARY(1)), 16);
    set_plane(&f, PRIMARY(1) + 1, XR24, 32, 32, MiB);
    wr(&f, SUNDOG_REG_PLANE_DST_W(PRIMARY(1) + 1), 64);
    wr(&f, SUNDOG_REG_PLANE_ALPHA(PRIMARY(1) + 1), 0);
    wr(&f, SUNDOG_REG_COMMIT(1), 1);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[15], ==, 0);
    g_assert_cmphex(pixels[16], ==, 0x112233);

    wr(&f, SUNDOG_REG_PLANE_ALPHA(PRIMARY(1) + 1), 0xffff);
    wr(&f, SUNDOG_REG_COMMIT(1), 2);
    qtest_clock_step(f.qts, PERIOD);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[0], ==, 0x445566);
    g_assert_cmphex(pixels[31 * 64 + 63], ==, 0x445566);
    g_assert_cmphex(pixels[32 * 64 + 15], ==, 0);
    g_assert_cmphex(pixels[32 * 64 + 16], ==, 0x112233);

    wr(&f, SUNDOG_REG_PLANE_ZPOS(PRIMARY(1)), 2);
    wr(&f, SUNDOG_REG_COMMIT(1), 3);
    qtest_clock_step(f.qts, PERIOD);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[15], ==, 0x445566);
    g_assert_cmphex(pixels[16], ==, 0x112233);

    /* The plane is scaled to twice the width: a write changes two pixels. */
    qpci_io_writel(f.dev, f.vram, MiB + 3 * 4, 0x778899);
    screendump_head(&f, 1, pixels);
    g_assert_cmphex(pixels[5], ==, 0x445566);
    g_assert_cmphex(pixels[6], ==, 0x778899);
    g_assert_cmphex(pixels[7], ==, 0x778899);
    g_assert_cmphex(pixels[8], ==, 0x445566);
    stop(&f);
}

/* HEAD_CRC is that of a frame's picture; some frames have none. */
static void test_crc(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00123456);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qtest_clock_step(f.qts, PERIOD);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_HEAD_CRC_FRAME(0)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_CRC(0)), ==, 0);

    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON | SUNDOG_HEAD_CONTROL_CRC);
    for (unsigned i = 2; i < 5; i++) {
        const uint64_t before = rd64(&f, SUNDOG_REG_HEAD_CRC_FRAME(0));
        uint64_t frame;

        qpci_io_writel(f.dev, f.vram, i * 4, 0);
        screendump(&f, pixels);
        /* Composition pauses after its slice, and CRCs skip frames then. */
        do {
            g_usleep(100000);
            qtest_clock_step(f.qts, PERIOD);
            frame = rd64(&f, SUNDOG_REG_HEAD_CRC_FRAME(0));
        } while (frame == before);
        g_assert_cmpuint(frame, >, before);
        g_assert_cmpuint(frame, <=, rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)));
        g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_CRC(0)), ==,
                        crc32_of(pixels, 64 * 64));
    }
    g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
    stop(&f);
}

static void wait_crc_frame(Fixture *f, uint64_t frame)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (rd64(f, SUNDOG_REG_HEAD_CRC_FRAME(0)) >= frame) {
            break;
        }
        g_usleep(1000);
    }
    g_assert_cmpuint(rd64(f, SUNDOG_REG_HEAD_CRC_FRAME(0)), ==, frame);
}

/*
 * An asynchronous commit while the CRC of the frame is being computed: the CRC
 * is that of the new picture and of the same frame. Repeats if the CRC was
 * complete before the commit.
 */
static void test_crc_async(void)
{
    const unsigned n = LARGE_WIDTH * LARGE_HEIGHT;
    g_autofree uint32_t *pixels = g_new(uint32_t, n);
    uint64_t frame;
    bool late;
    Fixture f;

    start_large(&f, "");
    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON | SUNDOG_HEAD_CONTROL_CRC);
    do {
        set_large_planes(&f, 3);
        wr(&f, SUNDOG_REG_COMMIT(0), 1);
        qtest_clock_step(f.qts, PERIOD);
        frame = rd64(&f, SUNDOG_REG_VBLANK_COUNT(0));
        wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON |
           SUNDOG_HEAD_CONTROL_CRC | SUNDOG_HEAD_CONTROL_ASYNC);
        wr(&f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(0) + 3), 0);
        late = rd64(&f, SUNDOG_REG_HEAD_CRC_FRAME(0)) == frame;
        wr(&f, SUNDOG_REG_COMMIT(0), 2);
        wait_crc_frame(&f, frame);
        wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON |
           SUNDOG_HEAD_CONTROL_CRC);
    } while (late);
    screendump_size(&f, 0, LARGE_WIDTH, LARGE_HEIGHT, pixels);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_CRC(0)), ==, crc32_of(pixels, n));
    stop(&f);
}

static void set_color(Fixture *f, const struct sundog_head_color *color)
{
    for (unsigned i = 0; i < sizeof(*color); i += 4) {
        wr(f, SUNDOG_REG_HEAD_COLOR(0) + i,
           ldl_le_p((const uint8_t *)color + i));
    }
}

/*
 * A picture that takes many time slices: a screendump is complete, and so is
 * the CRC, which is available some frames later.
 */
static void test_large(void)
{
    const unsigned width = HUGE_WIDTH, height = HUGE_HEIGHT;
    g_autofree uint32_t *pixels = g_new(uint32_t, width * height);
    uint64_t frame;
    Fixture f;

    start(&f, "");
    set_huge_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_CRC);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    screendump_size(&f, 0, width, height, pixels);
    for (unsigned i = 0; i < width * height; i++) {
        g_assert_cmphex(pixels[i], ==, 0x504040);
    }
    do {
        qtest_clock_step(f.qts, PERIOD);
        g_usleep(10000);
        frame = rd64(&f, SUNDOG_REG_HEAD_CRC_FRAME(0));
    } while (!frame);
    g_assert_cmpuint(frame, ==, 1);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), >, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_CRC(0)), ==,
                    crc32_of(pixels, width * height));
    /* HMP's screendump polls an AioContext, which runs its own timers only. */
    for (uint32_t token = 2; token < 4; token++) {
        g_autofree char *said = NULL;

        wr64(&f, SUNDOG_REG_PLANE_OFFSET(PRIMARY(0)), token % 2 * 64);
        wr(&f, SUNDOG_REG_COMMIT(0), token);
        qtest_clock_step(f.qts, PERIOD);
        said = qtest_hmp(f.qts, "screendump /dev/null");
        g_assert_cmpstr(said, ==, "");
    }
    stop(&f);
}

/*
 * The degamma table halves red, the CTM exchanges red and green, the gamma
 * table inverts all channels; in all combinations of flags.
 */
static void test_color(void)
{
    static const uint8_t swap[9] = { 0, 1, 0, 1, 0, 0, 0, 0, 1 };
    static const uint32_t expected[] = {
        0x102030, 0x201030, 0xefdfcf, 0xdfefcf,
        0x082030, 0x200830, 0xf7dfcf, 0xdff7cf,
    };
    struct sundog_head_color color = { 0 };
    uint32_t pixels[64 * 64];
    Fixture f;

    start(&f, "");
    fill(&f, 0, 0x00102030);
    for (int i = 0; i < 9; i++) {
        color.ctm[i] = cpu_to_le64((uint64_t)swap[i] << 32);
    }
    for (int i = 0; i < 256; i++) {
        color.gamma[i] = cpu_to_le64((255 - i) * 257 * 0x100010001);
    }
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    /* Halve red; the unused bits of an entry are set and must be ignored. */
    for (uint32_t i = 0; i < 256; i++) {
        wr64(&f, SUNDOG_REG_HEAD_DEGAMMA(0) + i * 8,
             i * 257 * 0x100010000 | i * 257 / 2 | 1ull << 63);
    }
    for (uint32_t flags = 0; flags < 9; flags++) {
        color.flags = cpu_to_le32(flags);
        set_color(&f, &color);
        g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_COLOR(0)), ==, flags);
        wr(&f, SUNDOG_REG_COMMIT(0), flags + 1);
        qtest_clock_step(f.qts, PERIOD);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==,
                         MIN(flags + 1, 8));
        screendump(&f, pixels);
        g_assert_cmphex(pixels[64 * 63], ==, expected[MIN(flags, 7)]);
    }
    wr(&f, SUNDOG_REG_HEAD_COLOR(0) + sizeof(color), ~0u);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_COLOR(0) + sizeof(color)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_COLOR(1)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_DEGAMMA(0) + 4), ==, 1u << 31);
    wr(&f, SUNDOG_REG_HEAD_DEGAMMA(0) + sizeof(struct sundog_head_degamma),
       ~0u);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_DEGAMMA(0) +
                       sizeof(struct sundog_head_degamma)), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_DEGAMMA(1)), ==, 0);
    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_HEAD_DEGAMMA(0) + 4), ==, 0);
    stop(&f);
}

void add_display_tests(void)
{
    qtest_add_func("/sundog/display/edid", test_edid);
    qtest_add_func("/sundog/display/commit-bounds", test_commit_bounds);
    qtest_add_func("/sundog/display/commit-overflow", test_commit_overflow);
    qtest_add_func("/sundog/display/commit-cursor", test_commit_cursor);
    qtest_add_func("/sundog/display/vblank", test_vblank);
    qtest_add_func("/sundog/display/vblank-time", test_vblank_time);
    qtest_add_func("/sundog/display/vblank-kept", test_vblank_kept);
    qtest_add_func("/sundog/display/flip", test_flip);
    qtest_add_func("/sundog/display/flip-and-cursor", test_flip_and_cursor);
    qtest_add_func("/sundog/display/flip-async", test_flip_async);
    qtest_add_func("/sundog/display/scanout", test_scanout);
    qtest_add_func("/sundog/display/scanout-again", test_scanout_again);
    qtest_add_func("/sundog/display/clone", test_clone);
    qtest_add_func("/sundog/display/look", test_look);
    qtest_add_func("/sundog/display/padding", test_padding);
    qtest_add_func("/sundog/display/covered", test_covered);
    qtest_add_func("/sundog/display/switch", test_switch);
    qtest_add_func("/sundog/display/cursor", test_cursor);
    qtest_add_func("/sundog/display/planes", test_planes);
    qtest_add_func("/sundog/display/crc", test_crc);
    qtest_add_func("/sundog/display/crc-async", test_crc_async);
    qtest_add_func("/sundog/display/large", test_large);
    qtest_add_func("/sundog/display/dump-of-animation", test_dump_of_animation);
    qtest_add_func("/sundog/display/color", test_color);
}

/*
 * sundog: qtest of damage: a SPICE client receives damaged pixels only
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's SPICE server compares damaged rows with those that it sent before, in
 * blocks of columns, and sends the blocks that differ. To find the damage of
 * the device, tests change pixels without a log: the server sends those of
 * damaged rows only.
 *
 * Before a head changes its size the server waits until it has sent everything,
 * and QEMU waits for the server. So a test must read all that does not fit in
 * the socket's buffer before it changes a size.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "libqos/pci-pc.h"
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"
#include "sundog-test-spice.h"

#define WIDTH       256
#define HEIGHT      128
#define PIXELS      (WIDTH * HEIGHT)

/* Columns of a block of the server's comparison. */
#define BLOCK       32

#define COLOR       0x305070u
#define OTHER_COLOR 0x996633u

/* Several refresh intervals of a UI, ms. */
#define QUIET_MS    300

/* QEMU with heads, each of which shows VRAM from HEAD MiB on. */
typedef struct Scene {
    Fixture f;
    Message hello;
    uint32_t *vram;             /* a renderer's mapping */
    char *dir;
    char *path;
    SpiceViewer *v;
    uint32_t token;
} Scene;

typedef struct Box {
    unsigned left;
    unsigned top;
    unsigned width;
    unsigned height;
} Box;

static char *scene_options(Scene *s)
{
    s->dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_assert_nonnull(s->dir);
    s->path = g_strdup_printf("%s/spice", s->dir);
    s->token = 0;
    return g_strdup_printf(SPICE_OPTIONS, s->path);
}

static void scene_remove(Scene *s)
{
    unlink(s->path);
    rmdir(s->dir);
    g_free(s->path);
    g_free(s->dir);
}

static void commit(Scene *s, unsigned head)
{
    wr(&s->f, SUNDOG_REG_COMMIT(head), ++s->token);
    qtest_clock_step(s->f.qts, PERIOD);
    g_assert_cmpuint(rd(&s->f, SUNDOG_REG_LATCHED(head)), ==, s->token);
}

static void paint(Scene *s, uint64_t offset, unsigned n, uint32_t color)
{
    for (unsigned i = 0; i < n; i++) {
        s->vram[offset / 4 + i] = cpu_to_le32(color);
    }
}

/* Sets the size of a head; the screendump makes UIs update theirs at once. */
static void show_size(Scene *s, unsigned head, unsigned width, unsigned height)
{
    g_autofree uint32_t *pixels = g_new(uint32_t, width * height);

    set_head_mode(&s->f, head, CONTROL_ON, width, height, head * MiB);
    commit(s, head);
    screendump_size(&s->f, head, width, height, pixels);
}

/* Starts QEMU and a client; each head has its own colour. */
static void scene_start(Scene *s, unsigned n_heads)
{
    g_autofree char *options = scene_options(s);
    g_autofree char *device = g_strdup_printf(",heads=%u", n_heads);

    start_connected_with(&s->f, &s->hello, options, "", device);
    s->vram = mmap(NULL, VRAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                   s->hello.fds[0], 0);
    g_assert_true(s->vram != MAP_FAILED);
    for (unsigned head = 0; head < n_heads; head++) {
        paint(s, head * MiB, PIXELS, COLOR + head);
        show_size(s, head, WIDTH, HEIGHT);
    }
    s->v = spice_open(s->path, n_heads);
    g_assert_cmpuint(s->v->n_offered, ==, n_heads);
}

static void scene_stop(Scene *s)
{
    spice_close(s->v);
    munmap(s->vram, VRAM_SIZE);
    broker_close_fds(&s->hello);
    stop_connected(&s->f);
    scene_remove(s);
}

static bool is_same(const SpiceScreen *screen, const uint32_t *pixels,
                    unsigned width, unsigned height)
{
    if (screen->width != width || screen->height != height) {
        return false;
    }
    for (unsigned y = 0; y < height; y++) {
        if (memcmp(&screen->pixels[y * SPICE_WIDTH], &pixels[y * width],
                   width * sizeof(pixels[0]))) {
            return false;
        }
    }
    return true;
}

/* Waits until the viewer's picture equals a screendump. */
static void wait_same_size(Scene *s, unsigned head, unsigned width,
                           unsigned height)
{
    g_autofree uint32_t *pixels = g_new(uint32_t, width * height);

    screendump_size(&s->f, head, width, height, pixels);
    while (!is_same(&s->v->screens[head], pixels, width, height)) {
        g_assert_true(spice_receive(s->v, PATIENCE_MS));
    }
}

static void wait_same(Scene *s, unsigned head)
{
    wait_same_size(s, head, WIDTH, HEIGHT);
}

static void wait_pixel(Scene *s, unsigned head, unsigned x, unsigned y,
                       uint32_t color)
{
    while (s->v->screens[head].pixels[y * SPICE_WIDTH + x] != color) {
        g_assert_true(spice_receive(s->v, PATIENCE_MS));
    }
}

/* Handles messages until none arrives for a while. */
static void settle(Scene *s)
{
    while (spice_receive(s->v, QUIET_MS)) {
    }
}

/* Clears the record of received pixels. */
static void begin(Scene *s)
{
    settle(s);
    for (unsigned head = 0; head < s->v->n_heads; head++) {
        memset(s->v->screens[head].drawn, 0, sizeof(s->v->screens[0].drawn));
        s->v->screens[head].n_draws = 0;
    }
}

/* Checks that the viewer received pixels in the box of this head only. */
static void check_drawn(Scene *s, unsigned head, Box box)
{
    settle(s);
    for (unsigned i = 0; i < s->v->n_heads; i++) {
        g_assert_cmpint(s->v->screens[i].n_draws > 0, ==, i == head);
    }
    for (unsigned i = 0; i < SPICE_PIXELS; i++) {
        const unsigned x = i % SPICE_WIDTH, y = i / SPICE_WIDTH;

        if (s->v->screens[head].drawn[i]) {
            g_assert_cmpuint(x, >=, box.left);
            g_assert_cmpuint(x, <, box.left + box.width);
            g_assert_cmpuint(y, >=, box.top);
            g_assert_cmpuint(y, <, box.top + box.height);
        }
    }
}

/* Writes a pixel as a vCPU, whose writes are in the dirty log. */
static void write_pixel(Scene *s, unsigned head, unsigned x, unsigned y,
                        uint32_t color)
{
    qpci_io_writel(s->f.dev, s->f.vram, head * MiB + (y * WIDTH + x) * 4,
                   color);
}

/* Writes a pixel as a renderer, whose writes are not logged. */
static void draw_pixel(Scene *s, unsigned x, unsigned y, uint32_t color)
{
    paint(s, (y * WIDTH + x) * 4, 1, color);
}

/* An unchanged head is not sent, not even after screendumps and DAMAGE. */
static void test_idle(void)
{
    Scene s;

    scene_start(&s, 1);
    wait_same(&s, 0);
    begin(&s);
    for (int i = 0; i < 5; i++) {
        wait_same(&s, 0);
        wr(&s.f, SUNDOG_REG_DAMAGE(0), 1);
        settle(&s);
    }
    g_assert_cmpuint(s.v->screens[0].n_draws, ==, 0);
    scene_stop(&s);
}

/* A vCPU's write damages its own rows only. */
static void test_writes(void)
{
    Scene s;

    scene_start(&s, 1);
    wait_same(&s, 0);
    begin(&s);
    write_pixel(&s, 0, 100, 40, OTHER_COLOR);
    write_pixel(&s, 0, 101, 40, OTHER_COLOR);
    wait_same(&s, 0);
    check_drawn(&s, 0, (Box) { 96, 40, BLOCK, 1 });

    /* The log has a bit per page, which is four rows. */
    begin(&s);
    draw_pixel(&s, 10, 8, OTHER_COLOR);
    write_pixel(&s, 0, 200, 100, OTHER_COLOR);
    wait_pixel(&s, 0, 200, 100, OTHER_COLOR);
    check_drawn(&s, 0, (Box) { 192, 100, BLOCK, 1 });
    g_assert_cmphex(s.v->screens[0].pixels[8 * SPICE_WIDTH + 10], ==, COLOR);

    begin(&s);
    wr(&s.f, SUNDOG_REG_DAMAGE(0), 1);
    wait_same(&s, 0);
    check_drawn(&s, 0, (Box) { 0, 8, BLOCK, 1 });
    scene_stop(&s);
}

/* After a flip the client receives the differences only. */
static void test_flip(void)
{
    Scene s;

    scene_start(&s, 1);
    paint(&s, 8 * MiB, PIXELS, COLOR);
    for (unsigned y = 50; y < 60; y++) {
        paint(&s, 8 * MiB + (y * WIDTH + 30) * 4, 20, OTHER_COLOR);
    }
    wait_same(&s, 0);
    begin(&s);
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(PRIMARY(0)), 8 * MiB);
    commit(&s, 0);
    wait_same(&s, 0);
    check_drawn(&s, 0, (Box) { 0, 50, 2 * BLOCK, 10 });
    scene_stop(&s);
}

/*
 * A move of a plane damages the rows where it was and where it is, and no
 * others. The pointer is such a plane: SPICE does not show it as its cursor.
 */
static void test_planes(void)
{
    Scene s;

    scene_start(&s, 1);
    paint(&s, 8 * MiB, 64 * 64, OTHER_COLOR);
    set_cursor(&s.f, 0, 70, 10, 8 * MiB);
    wr(&s.f, SUNDOG_REG_PLANE_POINTER(CURSOR(0)), 1);
    wr(&s.f, SUNDOG_REG_PLANE_BLEND(CURSOR(0)), SUNDOG_PLANE_BLEND_PIXEL_NONE);
    commit(&s, 0);
    wait_same(&s, 0);
    g_assert_cmphex(s.v->screens[0].pixels[10 * SPICE_WIDTH + 70], ==,
                    OTHER_COLOR);
    begin(&s);
    draw_pixel(&s, 10, 120, OTHER_COLOR);
    wr(&s.f, SUNDOG_REG_PLANE_DST_Y(CURSOR(0)), 12);
    commit(&s, 0);
    wait_same(&s, 0);
    check_drawn(&s, 0, (Box) { 64, 10, 3 * BLOCK, 66 });
    scene_stop(&s);
}

/* Each head is sent on a channel of its own. */
static void test_heads(void)
{
    Scene s;

    scene_start(&s, SPICE_HEADS);
    for (unsigned head = 0; head < SPICE_HEADS; head++) {
        wait_same(&s, head);
        g_assert_cmphex(s.v->screens[head].pixels[0], ==, COLOR + head);
    }
    for (unsigned head = 0; head < SPICE_HEADS; head++) {
        begin(&s);
        write_pixel(&s, head, 200, 20 * head, OTHER_COLOR);
        wait_same(&s, head);
        check_drawn(&s, head, (Box) { 192, 20 * head, BLOCK, 1 });
    }
    scene_stop(&s);
}

/* Heads prefer the sizes of their windows, and the client follows them. */
static void test_resize(void)
{
    static const uint32_t sizes[][2] = {
        { 200 << 16 | 100, 240 << 16 | 120 },
        { 200 << 16 | 100, 160 << 16 | 80 },
        { 128 << 16 | 64, 256 << 16 | 128 },
    };
    Scene s;

    scene_start(&s, 2);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint32_t events = 0;

        wr(&s.f, SUNDOG_REG_DISPLAY_EVENTS, ~0u);
        spice_ask_for_sizes(s.v, sizes[i]);
        for (unsigned head = 0; head < 2; head++) {
            const bool same = i && sizes[i][head] == sizes[i - 1][head];

            wait_size(&s.f, head, sizes[i][head]);
            events |= same ? 0 : SUNDOG_DISPLAY_EVENT_HOTPLUG << head;
        }
        wait_for(&s.f, SUNDOG_REG_DISPLAY_EVENTS, events);
        for (unsigned head = 0; head < 2; head++) {
            settle(&s);
            show_size(&s, head, sizes[i][head] >> 16,
                      sizes[i][head] & 0xffff);
            wait_same_size(&s, head, sizes[i][head] >> 16,
                           sizes[i][head] & 0xffff);
        }
    }
    scene_stop(&s);
}

/* The device is unplugged and plugged in again while a client is connected. */
static void test_plug(void)
{
    const uint32_t size = 320 << 16 | 240;
    Scene s;
    g_autofree char *options = scene_options(&s);

    /* libqos supports ACPI hotplug of the slots of this machine. */
    s.f.qts = qtest_initf("-machine pc -vga none %s -device sundog,id=gpu,"
                          "addr=%d,vram=16M,renderer=none", options, SLOT);
    s.v = spice_open(s.path, 1);
    for (unsigned i = 0; i < 3; i++) {
        map_device(&s.f);
        fill(&s.f, 0, COLOR + i);
        settle(&s);
        show_size(&s, 0, 64, 64);
        wait_same_size(&s, 0, 64, 64);
        g_assert_cmphex(s.v->screens[0].pixels[0], ==, COLOR + i);
        spice_ask_for_sizes(s.v, &size);
        wait_size(&s.f, 0, size);
        unmap_device(&s.f);
        qpci_unplug_acpi_device_test(s.f.qts, "gpu", SLOT);
        while (s.v->screens[0].pixels[0] == COLOR + i) {
            g_assert_true(spice_receive(s.v, PATIENCE_MS));
        }
        qtest_qmp_assert_success(s.f.qts, "{ 'execute': 'device_add', "
                                 "'arguments': { 'driver': 'sundog', "
                                 "'id': 'gpu', 'addr': %s, "
                                 "'vram': 16777216, 'renderer': 'none' } }",
                                 stringify(SLOT));
    }
    spice_close(s.v);
    qtest_quit(s.f.qts);
    scene_remove(&s);
}

void add_damage_tests(void)
{
    qtest_add_func("/sundog/spice/idle", test_idle);
    qtest_add_func("/sundog/spice/writes", test_writes);
    qtest_add_func("/sundog/spice/flip", test_flip);
    qtest_add_func("/sundog/spice/planes", test_planes);
    qtest_add_func("/sundog/spice/heads", test_heads);
    qtest_add_func("/sundog/spice/resize", test_resize);
    qtest_add_func("/sundog/spice/plug", test_plug);
}

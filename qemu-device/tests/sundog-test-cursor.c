/*
 * sundog: qtest of a pointer plane that UIs show as their own cursor
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * VNC clients of the test check the cursor and the picture that they receive.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "libqos/pci-pc.h"
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"
#include "sundog-test-socket.h"
#include "sundog-test-vnc.h"

#define SCREEN      0x404040u
#define COLOR       0x336699u
#define OTHER_COLOR 0x996633u
#define PICTURE     MiB
#define OTHER       (2 * MiB)
#define FRAME       (4 * MiB)

/* Position and hot spot of the pointer. */
#define X           20
#define Y           10
#define HOT_X       3
#define HOT_Y       5

/* Longer than the interval of cursor updates, us. */
#define MOMENT      20000

/* Trace event of a hidden cursor, which is a transparent one. */
#define HIDDEN      "sundog_cursor_define head 0 1x1"

#define OPAQUE(color)   (0xff000000 | (color))

/* QEMU with a VNC server per head, and its log of cursor trace events. */
typedef struct Scene {
    Fixture f;
    char *dir;
    char *path[2];              /* VNC sockets of the heads */
    char *log;
    uint32_t token;
} Scene;

static void scene_paths(Scene *s)
{
    s->dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_assert_nonnull(s->dir);
    s->path[0] = g_strdup_printf("%s/vnc0", s->dir);
    s->path[1] = g_strdup_printf("%s/vnc1", s->dir);
    s->log = g_strdup_printf("%s/log", s->dir);
    s->token = 0;
}

static char *scene_options(const Scene *s, const char *machine)
{
    return g_strdup_printf(" %s -d guest_errors,trace:sundog_cursor_*,"
                           "trace:sundog_scanout_rows -D %s -vnc "
                           "unix:%s,id=vnc0,display=gpu,head=0", machine,
                           s->log, s->path[0]);
}

static void scene_start_with(Scene *s, const char *device, const char *machine)
{
    g_autofree char *options = NULL, *all = NULL;

    scene_paths(s);
    options = scene_options(s, machine);
    all = g_strconcat(device, options, NULL);
    start(&s->f, all);
}

static void scene_start(Scene *s)
{
    scene_start_with(s, "", TABLET_OPTIONS);
}

static void scene_remove(Scene *s)
{
    unlink(s->path[0]);
    unlink(s->path[1]);
    unlink(s->log);
    rmdir(s->dir);
    g_free(s->path[0]);
    g_free(s->path[1]);
    g_free(s->log);
    g_free(s->dir);
}

static void scene_stop(Scene *s)
{
    stop(&s->f);
    scene_remove(s);
}

static void commit_head(Scene *s, unsigned head)
{
    wr(&s->f, SUNDOG_REG_COMMIT(head), ++s->token);
    qtest_clock_step(s->f.qts, PERIOD);
    g_assert_cmpuint(rd(&s->f, SUNDOG_REG_LATCHED(head)), ==, s->token);
}

static void commit(Scene *s)
{
    commit_head(s, 0);
}

static void set_pointer(Scene *s, unsigned head)
{
    const unsigned plane = CURSOR(head);

    set_cursor(&s->f, head, X, Y, PICTURE);
    wr(&s->f, SUNDOG_REG_PLANE_POINTER(plane), 1);
    wr(&s->f, SUNDOG_REG_PLANE_HOT_X(plane), HOT_X);
    wr(&s->f, SUNDOG_REG_PLANE_HOT_Y(plane), HOT_Y);
}

static void set_all(Scene *s)
{
    fill(&s->f, 0, SCREEN);
    fill(&s->f, PICTURE, OPAQUE(COLOR));
    fill(&s->f, OTHER, OPAQUE(OTHER_COLOR));
    set_mode(&s->f, CONTROL_ON, 64, 64, 0);
    set_pointer(s, 0);
}

static void show_all(Scene *s)
{
    set_all(s);
    commit(s);
}

static void point_with(Scene *s, uint32_t reg, uint32_t val)
{
    wr(&s->f, reg, val);
    commit(s);
}

/* Checks the first pixel only: cursors of this test have one colour. */
static bool viewer_has(const Viewer *v, unsigned size, unsigned hot_x,
                       unsigned hot_y, uint32_t color)
{
    return v->width == size && v->height == size && v->hot_x == hot_x &&
           v->hot_y == hot_y && v->opaque[0] && v->cursor[0] == color;
}

static void wait_cursor_at(Viewer *v, unsigned hot_x, unsigned hot_y,
                           uint32_t color)
{
    while (!viewer_has(v, 64, hot_x, hot_y, color)) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
}

static void wait_cursor(Viewer *v, uint32_t color)
{
    wait_cursor_at(v, HOT_X, HOT_Y, color);
}

static void wait_no_cursor(Viewer *v)
{
    while (viewer_shows_cursor(v)) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
}

/* Waits for a colour at the pointer's position, and the screen beside it. */
static void wait_picture(Viewer *v, uint32_t color)
{
    while (v->pixels[Y * 64 + X] != color || v->pixels[0] != SCREEN) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
}

static bool is_in(unsigned i, unsigned x, unsigned y)
{
    return i % 64 >= x && i / 64 >= y;
}

static void check_dump(Scene *s, unsigned head, unsigned x, unsigned y,
                       uint32_t color)
{
    uint32_t pixels[64 * 64];

    screendump_head(&s->f, head, pixels);
    for (unsigned i = 0; i < 64 * 64; i++) {
        g_assert_cmphex(pixels[i], ==, is_in(i, x, y) ? color : SCREEN);
    }
}

static void check_pixel(Scene *s, unsigned x, unsigned y, uint32_t color)
{
    uint32_t pixels[64 * 64];

    screendump(&s->f, pixels);
    g_assert_cmphex(pixels[y * 64 + x], ==, color);
}

static void check_composed(Scene *s)
{
    check_dump(s, 0, X, Y, COLOR);
}

static void check_left_out(Scene *s)
{
    check_dump(s, 0, X, Y, SCREEN);
}

static unsigned count_log(const Scene *s, const char *what)
{
    g_autofree char *text = NULL;
    unsigned n = 0;

    if (!g_file_get_contents(s->log, &text, NULL, NULL)) {
        return 0;
    }
    for (const char *at = text; (at = strstr(at, what)); at++) {
        n++;
    }
    return n;
}

static void wait_log(const Scene *s, const char *what, unsigned n)
{
    for (int i = 0; count_log(s, what) < n && i < PATIENCE_MS; i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(count_log(s, what), ==, n);
}

/* The viewer gets shape, hot spot and pixels; the picture has no cursor. */
static void test_shape(void)
{
    Viewer *v;
    Scene s;

    scene_start(&s);
    v = viewer_open(s.path[0], true);
    show_all(&s);
    wait_cursor(v, COLOR);
    for (unsigned i = 0; i < 64 * 64; i++) {
        g_assert_true(v->opaque[i]);
        g_assert_cmphex(v->cursor[i], ==, COLOR);
    }
    wait_picture(v, SCREEN);
    check_left_out(&s);

    /* Change the hot spot, then the buffer. */
    point_with(&s, SUNDOG_REG_PLANE_HOT_Y(CURSOR(0)), 63);
    wait_cursor_at(v, HOT_X, 63, COLOR);
    point_with(&s, SUNDOG_REG_PLANE_HOT_X(CURSOR(0)), 0);
    wait_cursor_at(v, 0, 63, COLOR);
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), OTHER);
    commit(&s);
    wait_cursor_at(v, 0, 63, OTHER_COLOR);
    /* A vCPU draws into the buffer. */
    fill(&s.f, OTHER, OPAQUE(COLOR));
    wait_cursor_at(v, 0, 63, COLOR);
    check_left_out(&s);
    viewer_close(v);
    scene_stop(&s);
}

/* A cursor that is a part of a larger buffer, with a longer pitch. */
static void test_part(void)
{
    uint32_t pixels[64 * 64];
    Viewer *v;
    Scene s;

    scene_start(&s);
    for (unsigned i = 0; i < 64 * 64; i++) {
        pixels[i] = cpu_to_le32(OPAQUE(i));
    }
    set_all(&s);
    qpci_memwrite(s.f.dev, s.f.vram, PICTURE, pixels, sizeof(pixels));
    wr(&s.f, SUNDOG_REG_PLANE_SRC_X(CURSOR(0)), 7 << 16);
    wr(&s.f, SUNDOG_REG_PLANE_SRC_Y(CURSOR(0)), 9 << 16);
    wr(&s.f, SUNDOG_REG_PLANE_SRC_W(CURSOR(0)), 30 << 16);
    wr(&s.f, SUNDOG_REG_PLANE_SRC_H(CURSOR(0)), 20 << 16);
    wr(&s.f, SUNDOG_REG_PLANE_DST_W(CURSOR(0)), 30);
    wr(&s.f, SUNDOG_REG_PLANE_DST_H(CURSOR(0)), 20);
    commit(&s);
    v = viewer_open(s.path[0], true);
    while (v->width != 30) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
    g_assert_cmpuint(v->height, ==, 20);
    for (unsigned i = 0; i < 30 * 20; i++) {
        g_assert_cmphex(v->cursor[i], ==, (9 + i / 30) * 64 + 7 + i % 30);
    }
    viewer_close(v);
    scene_stop(&s);
}

/* The device sends the box of the visible pixels and the hot spot only. */
static void test_crop(void)
{
    static const struct {
        unsigned hot_x;
        unsigned hot_y;
        unsigned width;
        unsigned height;
        unsigned left;
        unsigned top;
    } cases[] = {
        { 12, 13, 5, 7, 10, 12 },
        { 3, 5, 12, 14, 3, 5 },
        { 63, 63, 54, 52, 10, 12 },
        { 12, 63, 5, 52, 10, 12 },
        { 0, 12, 15, 7, 0, 12 },
    };
    uint32_t pixels[64 * 64] = {};
    Viewer *v;
    Scene s;

    scene_start(&s);
    set_all(&s);
    for (unsigned i = 0; i < 5 * 7; i++) {
        pixels[(12 + i / 5) * 64 + 10 + i % 5] = cpu_to_le32(OPAQUE(i));
    }
    qpci_memwrite(s.f.dev, s.f.vram, PICTURE, pixels, sizeof(pixels));
    v = viewer_open(s.path[0], true);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        wr(&s.f, SUNDOG_REG_PLANE_HOT_X(CURSOR(0)), cases[i].hot_x);
        wr(&s.f, SUNDOG_REG_PLANE_HOT_Y(CURSOR(0)), cases[i].hot_y);
        commit(&s);
        while (v->width != cases[i].width || v->height != cases[i].height ||
               v->hot_x != cases[i].hot_x - cases[i].left ||
               v->hot_y != cases[i].hot_y - cases[i].top) {
            g_assert_true(viewer_receive(v, PATIENCE_MS));
        }
        for (unsigned k = 0; k < 5 * 7; k++) {
            const unsigned at = (12 - cases[i].top + k / 5) * v->width + 10 -
                                cases[i].left + k % 5;

            g_assert_true(v->opaque[at]);
            g_assert_cmphex(v->cursor[at], ==, k);
        }
    }
    fill(&s.f, PICTURE, 0);
    while (v->width != 1 || v->height != 1 || v->hot_x || v->hot_y) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
    check_left_out(&s);
    viewer_close(v);
    scene_stop(&s);
}

/* A viewer that supports alpha receives alpha and premultiplied colours. */
static void test_alpha(void)
{
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    v = viewer_open_alpha(s.path[0]);
    wait_cursor(v, OPAQUE(COLOR));
    wait_picture(v, SCREEN);
    check_left_out(&s);
    fill(&s.f, OTHER, 0x80402010);
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), OTHER);
    commit(&s);
    wait_cursor(v, 0x80402010);
    point_with(&s, SUNDOG_REG_PLANE_BLEND(CURSOR(0)),
               SUNDOG_PLANE_BLEND_COVERAGE);
    wait_cursor(v, 0x80201008);
    point_with(&s, SUNDOG_REG_PLANE_POINTER(CURSOR(0)), 0);
    wait_no_cursor(v);
    viewer_close(v);
    scene_stop(&s);
}

/*
 * Formats and blend modes. QEMU's mask has pixels with alpha of 0x80 or more.
 */
static void test_blend(void)
{
    static const struct {
        uint32_t format;
        uint32_t blend;
        uint32_t pixel;
        bool opaque;
        uint32_t color;
    } cases[] = {
        { AR24, SUNDOG_PLANE_BLEND_PREMULTI, 0xff123456, true, 0x123456 },
        { AR24, SUNDOG_PLANE_BLEND_PREMULTI, 0x80123456, true, 0x123456 },
        { AR24, SUNDOG_PLANE_BLEND_PREMULTI, 0x7f654321, false, 0x654321 },
        { AR24, SUNDOG_PLANE_BLEND_COVERAGE, 0xff123457, true, 0x123457 },
        { AR24, SUNDOG_PLANE_BLEND_COVERAGE, 0x80ff0103, true, 0x800102 },
        { AR24, SUNDOG_PLANE_BLEND_COVERAGE, 0x00ff8060, false, 0 },
        { AR24, SUNDOG_PLANE_BLEND_PIXEL_NONE, 0x00ff8060, true, 0xff8060 },
        { XR24, SUNDOG_PLANE_BLEND_PREMULTI, 0x00ff8061, true, 0xff8061 },
        { XR24, SUNDOG_PLANE_BLEND_COVERAGE, 0x80ff8062, true, 0xff8062 },
    };
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        g_test_message("case %u", i);
        fill(&s.f, OTHER, cases[i].pixel);
        set_pointer(&s, 0);
        wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), OTHER);
        wr(&s.f, SUNDOG_REG_PLANE_FORMAT(CURSOR(0)), cases[i].format);
        wr(&s.f, SUNDOG_REG_PLANE_BLEND(CURSOR(0)), cases[i].blend);
        commit(&s);
        while (v->opaque[0] != cases[i].opaque ||
               v->cursor[0] != cases[i].color) {
            g_assert_true(viewer_receive(v, PATIENCE_MS));
        }
        g_assert_cmphex(v->cursor[v->width * v->height - 1], ==,
                        cases[i].color);
    }
    viewer_close(v);
    scene_stop(&s);
}

/* Moves of the pointer neither draw rows nor update the cursor. */
static void test_moves(void)
{
    Viewer *v;
    Scene s;
    unsigned rows, cursors, defined;

    scene_start(&s);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    wait_picture(v, SCREEN);
    check_left_out(&s);
    rows = count_log(&s, "sundog_scanout_rows");
    defined = count_log(&s, "sundog_cursor_define");
    cursors = v->n_cursors;
    for (int i = 1; i <= 20; i++) {
        wr(&s.f, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), X + i);
        wr(&s.f, SUNDOG_REG_PLANE_DST_Y(CURSOR(0)), Y - i);
        commit(&s);
        g_usleep(MOMENT);
        check_left_out(&s);
    }
    g_assert_cmpuint(count_log(&s, "sundog_scanout_rows"), ==, rows);
    g_assert_cmpuint(count_log(&s, "sundog_cursor_define"), ==, defined);
    /* The viewer received nothing either: this is its next cursor. */
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), OTHER);
    commit(&s);
    wait_cursor(v, OTHER_COLOR);
    g_assert_cmpuint(v->n_cursors, ==, cursors + 1);
    viewer_close(v);
    scene_stop(&s);
}

/*
 * Writes of a renderer are not in the dirty log: they show after DAMAGE, and
 * after a commit that writes any plane register but position and hot spot.
 */
static void test_renderer_draws(void)
{
    g_autofree char *options = NULL, *machine = NULL;
    uint32_t *vram;
    unsigned defined;
    Message hello;
    Viewer *v;
    Scene s;

    scene_paths(&s);
    options = scene_options(&s, TABLET_OPTIONS);
    start_connected_with(&s.f, &hello, "", "", options);
    vram = mmap(NULL, VRAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                hello.fds[0], 0);
    g_assert_true(vram != MAP_FAILED);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    check_left_out(&s);

    vram[PICTURE / 4] = cpu_to_le32(OPAQUE(1));
    defined = count_log(&s, "sundog_cursor_define");
    point_with(&s, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), X + 1);
    g_usleep(MOMENT);
    check_left_out(&s);
    g_assert_cmpuint(count_log(&s, "sundog_cursor_define"), ==, defined);
    wr(&s.f, SUNDOG_REG_DAMAGE(0), 1);
    wait_cursor(v, 1);

    vram[PICTURE / 4] = cpu_to_le32(OPAQUE(2));
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), PICTURE);
    commit(&s);
    wait_cursor(v, 2);
    /* Two commits in one frame, the last of which only moves the plane. */
    vram[PICTURE / 4] = cpu_to_le32(OPAQUE(3));
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), PICTURE);
    wr(&s.f, SUNDOG_REG_COMMIT(0), ++s.token);
    point_with(&s, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), X + 2);
    wait_cursor(v, 3);
    /* A refused commit passes the change on to the next one. */
    vram[PICTURE / 4] = cpu_to_le32(OPAQUE(4));
    wr64(&s.f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), PICTURE);
    wr(&s.f, SUNDOG_REG_HEAD_WIDTH(0), 0);
    wr(&s.f, SUNDOG_REG_COMMIT(0), 0xbad);
    g_assert_cmphex(rd(&s.f, SUNDOG_REG_COMMIT(0)), ==, s.token);
    point_with(&s, SUNDOG_REG_HEAD_WIDTH(0), 64);
    wait_cursor(v, 4);

    viewer_close(v);
    munmap(vram, VRAM_SIZE);
    broker_close_fds(&hello);
    stop_connected(&s.f);
    scene_remove(&s);
}

static uint32_t next_crc(Scene *s)
{
    const uint64_t before = rd64(&s->f, SUNDOG_REG_HEAD_CRC_FRAME(0));

    for (int i = 0; i < PATIENCE_MS / 10; i++) {
        qtest_clock_step(s->f.qts, PERIOD);
        if (rd64(&s->f, SUNDOG_REG_HEAD_CRC_FRAME(0)) != before) {
            return rd(&s->f, SUNDOG_REG_HEAD_CRC(0));
        }
        g_usleep(10000);
    }
    g_assert_not_reached();
}

/* CRCs and writebacks contain the pointer, even if a UI shows it. */
static void check_others_have_it(Scene *s)
{
    uint32_t expected[64 * 64], written[64 * 64];

    for (unsigned i = 0; i < 64 * 64; i++) {
        expected[i] = is_in(i, X, Y) ? COLOR : SCREEN;
    }
    wr(&s->f, SUNDOG_REG_HEAD_CONTROL(0),
       CONTROL_ON | SUNDOG_HEAD_CONTROL_CRC);
    g_assert_cmphex(next_crc(s), ==, crc32_of(expected, 64 * 64));
    wr(&s->f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON);
    wr(&s->f, SUNDOG_REG_WRITEBACK_FORMAT(0), XR24);
    wr(&s->f, SUNDOG_REG_WRITEBACK_PITCH(0), 64 * 4);
    wr64(&s->f, SUNDOG_REG_WRITEBACK_OFFSET(0), FRAME);
    commit(s);
    wait_for(&s->f, SUNDOG_REG_WRITEBACK_DONE(0), s->token);
    qpci_memread(s->f.dev, s->f.vram, FRAME, written, sizeof(written));
    for (unsigned i = 0; i < 64 * 64; i++) {
        g_assert_cmphex(le32_to_cpu(written[i]), ==, OPAQUE(expected[i]));
    }
}

static void test_crc(void)
{
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    check_composed(&s);
    check_others_have_it(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    check_left_out(&s);
    check_others_have_it(&s);
    check_left_out(&s);
    viewer_close(v);
    scene_stop(&s);
}

/* The pointer is composed unless the only viewer can show it as its cursor. */
static void test_viewers(void)
{
    Viewer *with, *other;
    Scene s;

    scene_start(&s);
    show_all(&s);
    check_composed(&s);
    for (int i = 0; i < 2; i++) {
        with = viewer_open(s.path[0], true);
        wait_cursor(with, COLOR);
        wait_picture(with, SCREEN);
        check_left_out(&s);

        other = viewer_open(s.path[0], i);
        wait_picture(other, COLOR);
        wait_no_cursor(other);
        wait_no_cursor(with);
        wait_picture(with, COLOR);
        check_composed(&s);
        viewer_close(other);
        wait_cursor(with, COLOR);
        wait_picture(with, SCREEN);
        check_left_out(&s);
        g_assert_cmpuint(with->n_cursors, >=, 3);

        viewer_close(with);
        wait_log(&s, HIDDEN, 2 * i + 1);
        do {
            /* The server notices the disconnect asynchronously. */
            g_autofree char *done = qtest_hmp(s.f.qts, "screendump /dev/null");
            g_usleep(1000);
        } while (count_log(&s, HIDDEN) != 2 * i + 2);
        check_composed(&s);
    }
    scene_stop(&s);
}

/* A VNC server without a client does not matter. */
static void test_servers(void)
{
    g_autofree char *options = NULL, *all = NULL;
    Viewer *v, *other;
    Scene s;

    scene_paths(&s);
    options = scene_options(&s, TABLET_OPTIONS);
    all = g_strdup_printf("%s -vnc unix:%s,id=vnc1,display=gpu,head=0",
                          options, s.path[1]);
    start(&s.f, all);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    wait_picture(v, SCREEN);
    check_left_out(&s);
    other = viewer_open(s.path[1], true);
    wait_picture(other, COLOR);
    wait_no_cursor(v);
    wait_picture(v, COLOR);
    check_composed(&s);
    viewer_close(v);
    wait_cursor(other, COLOR);
    check_left_out(&s);
    viewer_close(other);
    scene_stop(&s);
}

/* A client that has not completed the handshake does not count as a viewer. */
static void test_handshake(void)
{
    unsigned told;
    Viewer *v;
    int vnc;
    Scene s;

    scene_start(&s);
    show_all(&s);
    vnc = dial(s.path[0]);
    g_usleep(MOMENT);
    check_composed(&s);
    g_assert_cmpuint(count_log(&s, "sundog_cursor"), ==, 0);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    wait_picture(v, SCREEN);
    check_left_out(&s);
    close(vnc);
    told = count_log(&s, "sundog_cursor");
    for (int i = 0; i < 5; i++) {
        vnc = dial(s.path[0]);
        g_usleep(MOMENT);
        check_left_out(&s);
        close(vnc);
    }
    g_assert_cmpuint(count_log(&s, "sundog_cursor"), ==, told);
    viewer_close(v);
    scene_stop(&s);
}

/* A pointer that a UI cannot show is composed until it can show it again. */
static void test_composed(void)
{
    static const struct {
        uint32_t reg;
        uint32_t val;
        uint32_t color;
    } cases[] = {
        { SUNDOG_REG_PLANE_POINTER(3), 0, COLOR },
        { SUNDOG_REG_PLANE_FORMAT(3), 0, SCREEN },
        { SUNDOG_REG_PLANE_FORMAT(3), 0x34324241 /* AB24 */, OTHER_COLOR },
        { SUNDOG_REG_PLANE_ALPHA(3), 0xfffe, COLOR },
        { SUNDOG_REG_PLANE_ROTATION(3), 0x11, COLOR },
        { SUNDOG_REG_PLANE_ROTATION(3), SUNDOG_PLANE_ROTATION_180, COLOR },
        { SUNDOG_REG_PLANE_SRC_W(3), 63 << 16, COLOR },
        { SUNDOG_REG_PLANE_SRC_H(3), (64 << 16) - 1, COLOR },
        { SUNDOG_REG_PLANE_DST_W(3), 65, COLOR },
        { SUNDOG_REG_PLANE_DST_H(3), 32, COLOR },
        { SUNDOG_REG_PLANE_HOT_X(3), -1, COLOR },
        { SUNDOG_REG_PLANE_HOT_X(3), 64, COLOR },
        { SUNDOG_REG_PLANE_HOT_Y(3), INT32_MIN, COLOR },
        { SUNDOG_REG_PLANE_HOT_Y(3), INT32_MAX, COLOR },
        { SUNDOG_REG_PLANE_ZPOS(0), 4, SCREEN },
        { SUNDOG_REG_PLANE_FORMAT(1), XR24, SCREEN },
        { SUNDOG_REG_HEAD_COLOR(0), SUNDOG_HEAD_COLOR_FLAG_GAMMA, 0 },
        { SUNDOG_REG_HEAD_CONTROL(0), 0, SCREEN },
    };
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        wait_cursor(v, COLOR);
        check_left_out(&s);
        g_test_message("register 0x%x = 0x%x", cases[i].reg, cases[i].val);
        set_plane(&s.f, PRIMARY(0) + 1, XR24, 64, 64, 0);
        wr(&s.f, SUNDOG_REG_PLANE_ZPOS(PRIMARY(0) + 1), 9);
        wr(&s.f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(0) + 1), 0);
        point_with(&s, cases[i].reg, cases[i].val);
        if (rd(&s.f, SUNDOG_REG_HEAD_CONTROL(0))) {
            check_pixel(&s, 40, 40, cases[i].color);
        }
        wait_no_cursor(v);
        wr(&s.f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(0) + 1), 0);
        wr(&s.f, SUNDOG_REG_HEAD_COLOR(0), 0);
        show_all(&s);
    }
    wait_cursor(v, COLOR);
    wr(&s.f, SUNDOG_REG_RESET, 1);
    wait_no_cursor(v);
    show_all(&s);
    wait_cursor(v, COLOR);
    viewer_close(v);
    scene_stop(&s);
}

/* Fills the buffer of the largest cursor with an opaque colour. */
static void fill_large(Scene *s)
{
    g_autofree uint32_t *pixels = g_new(uint32_t, 256 * 256);

    for (unsigned i = 0; i < 256 * 256; i++) {
        pixels[i] = cpu_to_le32(OPAQUE(COLOR));
    }
    qpci_memwrite(s->f.dev, s->f.vram, PICTURE, pixels, 256 * 256 * 4);
}

/* Sizes up to the largest that UIs support, and one above it. */
static void test_sizes(void)
{
    static const unsigned sizes[] = { 1, 256, 257 };
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    fill_large(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        set_plane(&s.f, CURSOR(0), AR24, sizes[i], sizes[i], PICTURE);
        wr(&s.f, SUNDOG_REG_PLANE_HOT_X(CURSOR(0)), sizes[i] - 1);
        wr(&s.f, SUNDOG_REG_PLANE_HOT_Y(CURSOR(0)), 0);
        commit(&s);
        if (sizes[i] > 256) {
            check_pixel(&s, 0, 0, COLOR);
            wait_no_cursor(v);
            continue;
        }
        while (!viewer_has(v, sizes[i], sizes[i] - 1, 0, COLOR)) {
            g_assert_true(viewer_receive(v, PATIENCE_MS));
        }
    }
    viewer_close(v);
    scene_stop(&s);
}

static void check_never_told(const char *device, const char *machine)
{
    Viewer *v;
    Scene s;

    scene_start_with(&s, device, machine);
    show_all(&s);
    v = viewer_open(s.path[0], true);
    wait_picture(v, COLOR);
    check_composed(&s);
    point_with(&s, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), X + 1);
    check_dump(&s, 0, X + 1, Y, COLOR);
    g_assert_cmpuint(v->n_cursors, ==, 0);
    g_assert_cmpuint(count_log(&s, "sundog_cursor"), ==, 0);
    viewer_close(v);
    scene_stop(&s);
}

static void test_property(void)
{
    check_never_told(",host-cursor=off", TABLET_OPTIONS);
}

/* With a relative mouse the viewer's pointer is elsewhere than the guest's. */
static void test_relative(void)
{
    check_never_told("", "");
}

/* SDL has one cursor for all windows and does not support cursors of heads. */
static void test_other_ui(void)
{
    g_setenv("SDL_VIDEODRIVER", "dummy", true);
    check_never_told("", TABLET_OPTIONS " -display sdl");
    g_unsetenv("SDL_VIDEODRIVER");
}

/*
 * A mouse that is not bound to a head moves over all enabled heads: the pointer
 * is composed while another head is enabled, with or without a viewer.
 */
static void test_heads(void)
{
    g_autofree char *options = NULL, *all = NULL;
    Viewer *v[2];
    Scene s;

    scene_paths(&s);
    options = scene_options(&s, TABLET_OPTIONS);
    all = g_strdup_printf(",heads=2%s -vnc unix:%s,id=vnc1,display=gpu,head=1",
                          options, s.path[1]);
    start(&s.f, all);
    show_all(&s);
    v[0] = viewer_open(s.path[0], true);
    set_head_mode(&s.f, 1, CONTROL_ON, 64, 64, 0);
    set_pointer(&s, 1);
    for (int i = 0; i < 2; i++) {
        wait_cursor(v[0], COLOR);
        wait_picture(v[0], SCREEN);
        check_left_out(&s);
        wr(&s.f, SUNDOG_REG_HEAD_CONTROL(1), CONTROL_ON);
        commit_head(&s, 1);
        wait_no_cursor(v[0]);
        wait_picture(v[0], COLOR);
        check_composed(&s);
        check_dump(&s, 1, X, Y, COLOR);
        if (!i) {
            v[1] = viewer_open(s.path[1], true);
        }
        wait_picture(v[1], COLOR);
        check_composed(&s);
        check_dump(&s, 1, X, Y, COLOR);
        wr(&s.f, SUNDOG_REG_HEAD_CONTROL(1), 0);
        commit_head(&s, 1);
    }
    wait_cursor(v[0], COLOR);
    g_assert_cmpuint(v[1]->n_cursors, ==, 0);
    /* Move the pointer to the other head. */
    wr(&s.f, SUNDOG_REG_HEAD_CONTROL(1), CONTROL_ON);
    commit_head(&s, 1);
    point_with(&s, SUNDOG_REG_HEAD_CONTROL(0), 0);
    wait_no_cursor(v[0]);
    wait_cursor(v[1], COLOR);
    wait_picture(v[1], SCREEN);
    check_dump(&s, 1, X, Y, SCREEN);
    wr(&s.f, SUNDOG_REG_RESET, 1);
    wait_no_cursor(v[1]);
    for (unsigned head = 0; head < 2; head++) {
        viewer_close(v[head]);
    }
    scene_stop(&s);
}

/* An unplug hides the cursor, and the next device shows its own. */
static void test_unplug(void)
{
    Viewer *v;
    Scene s;

    scene_paths(&s);
    /* libqos supports ACPI hotplug of the slots of this machine. */
    s.f.qts = qtest_initf("-machine pc -vga none -device sundog,id=gpu,addr=%d,"
                          "vram=16M,renderer=none " TABLET_OPTIONS
                          " -vnc unix:%s,display=gpu", SLOT, s.path[0]);
    v = viewer_open(s.path[0], true);
    for (int i = 0; i < 3; i++) {
        map_device(&s.f);
        show_all(&s);
        wait_cursor(v, COLOR);
        unmap_device(&s.f);
        qpci_unplug_acpi_device_test(s.f.qts, "gpu", SLOT);
        wait_no_cursor(v);
        qtest_qmp_assert_success(s.f.qts, "{ 'execute': 'device_add', "
                                 "'arguments': { 'driver': 'sundog', "
                                 "'id': 'gpu', 'addr': %s, "
                                 "'vram': 16777216, 'renderer': 'none' } }",
                                 stringify(SLOT));
    }
    viewer_close(v);
    qtest_quit(s.f.qts);
    scene_remove(&s);
}

static void show_large(Scene *s)
{
    set_plane(&s->f, CURSOR(0), AR24, 256, 256, PICTURE);
    wr(&s->f, SUNDOG_REG_HEAD_CONTROL(0),
       CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC);
}

/* Gives the cursor new pixels, by a vCPU's write, a commit and DAMAGE. */
static void change_large(Scene *s, unsigned i)
{
    const uint32_t pixel = cpu_to_le32(OPAQUE(i));

    qpci_memwrite(s->f.dev, s->f.vram, PICTURE + 4, &pixel, sizeof(pixel));
    wr64(&s->f, SUNDOG_REG_PLANE_OFFSET(CURSOR(0)), PICTURE);
    wr(&s->f, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), i % 64);
    wr(&s->f, SUNDOG_REG_COMMIT(0), ++s->token);
    wr(&s->f, SUNDOG_REG_DAMAGE(0), 1);
}

/*
 * A guest that changes the cursor all the time: the updates have a limited
 * rate, which is 16 MiB per second for large cursors.
 */
static void test_storm(void)
{
    const int64_t begin = g_get_monotonic_time();
    unsigned n;
    int64_t took;
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    fill_large(&s);
    v = viewer_open_alpha(s.path[0]);
    wait_cursor(v, OPAQUE(COLOR));
    show_large(&s);
    for (int i = 0; i < 300; i++) {
        change_large(&s, i);
        g_usleep(2000);
        while (viewer_receive(v, 0)) {
            /* This viewer reads everything. */
        }
    }
    /* Count before taking the time: later updates must not count. */
    n = count_log(&s, "sundog_cursor_define head 0 256x256");
    took = (g_get_monotonic_time() - begin) / 1000;
    g_test_message("%u in %" PRId64 " ms", n, took);
    g_assert_cmpuint(n, >, 2);
    g_assert_cmpuint(n, <=, took * 64 / 1000 + 2);
    while (!viewer_has(v, 256, HOT_X, HOT_Y, OPAQUE(COLOR))) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
    check_left_out(&s);
    viewer_close(v);
    scene_stop(&s);
}

/* A viewer that does not read gets no more cursors until it does. */
static void test_slow(void)
{
    unsigned n, i = 0;
    Viewer *v;
    Scene s;

    scene_start(&s);
    show_all(&s);
    fill_large(&s);
    v = viewer_open(s.path[0], true);
    wait_cursor(v, COLOR);
    show_large(&s);
    while (!count_log(&s, HIDDEN)) {
        change_large(&s, i++);
        g_assert_cmpuint(i, <, PATIENCE_MS);
    }
    n = count_log(&s, "sundog_cursor_define");
    fill_large(&s);
    wr(&s.f, SUNDOG_REG_PLANE_DST_X(CURSOR(0)), X);
    wr(&s.f, SUNDOG_REG_PLANE_DST_Y(CURSOR(0)), Y);
    commit(&s);
    check_composed(&s);
    g_usleep(MOMENT);
    g_assert_cmpuint(count_log(&s, "sundog_cursor_define"), ==, n);
    /* The last cursor is not lost. */
    while (!viewer_has(v, 256, HOT_X, HOT_Y, COLOR) || v->n_cursors <= n) {
        g_assert_true(viewer_receive(v, PATIENCE_MS));
    }
    wait_picture(v, SCREEN);
    check_left_out(&s);
    viewer_close(v);
    scene_stop(&s);
}

static void prepare_pointer(Fixture *f)
{
    set_mode(f, CONTROL_ON, 64, 64, 0);
    set_cursor(f, 0, X, Y, PICTURE);
    wr(f, SUNDOG_REG_PLANE_POINTER(CURSOR(0)), 1);
}

static void test_bounds(void)
{
    static const Bound values[] = {
        { SUNDOG_REG_PLANE_POINTER(0), 0, true },
        { SUNDOG_REG_PLANE_POINTER(0), 1, true },
        { SUNDOG_REG_PLANE_POINTER(0), 2, false },
        { SUNDOG_REG_PLANE_POINTER(0), 0x100, false },
        { SUNDOG_REG_PLANE_POINTER(0), 0x80000001, false },
        { SUNDOG_REG_PLANE_POINTER(0), ~0u, false },
        { SUNDOG_REG_PLANE_POINTER(3), 1, true },
        { SUNDOG_REG_PLANE_POINTER(3), 2, false },
        /* The first plane is disabled, the second one is of the next head. */
        { SUNDOG_REG_PLANE_POINTER(1), ~0u, true },
        { SUNDOG_REG_PLANE_POINTER(4), ~0u, true },
        { SUNDOG_REG_PLANE_HOT_X(3), 0x80000000, true },
        { SUNDOG_REG_PLANE_HOT_X(3), 0x7fffffff, true },
        { SUNDOG_REG_PLANE_HOT_Y(3), 0x80000000, true },
        { SUNDOG_REG_PLANE_HOT_Y(3), ~0u, true },
        { SUNDOG_REG_PLANE_HOT_Y(3) + 4, 1, true },
    };
    Fixture f;

    start(&f, ",heads=2");
    check_bounds(&f, prepare_pointer, values, ARRAY_SIZE(values));
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        wr(&f, values[i].reg, values[i].val);
        g_assert_cmphex(rd(&f, values[i].reg), ==,
                        values[i].reg == SUNDOG_REG_PLANE_HOT_Y(3) + 4 ?
                        0 : values[i].val);
    }
    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_PLANE_POINTER(CURSOR(0))), ==, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_PLANE_HOT_Y(CURSOR(0))), ==, 0);
    stop(&f);
}

void add_cursor_tests(void)
{
    qtest_add_func("/sundog/cursor/bounds", test_bounds);
    qtest_add_func("/sundog/cursor/shape", test_shape);
    qtest_add_func("/sundog/cursor/part", test_part);
    qtest_add_func("/sundog/cursor/crop", test_crop);
    qtest_add_func("/sundog/cursor/alpha", test_alpha);
    qtest_add_func("/sundog/cursor/blend", test_blend);
    qtest_add_func("/sundog/cursor/sizes", test_sizes);
    qtest_add_func("/sundog/cursor/moves", test_moves);
    qtest_add_func("/sundog/cursor/renderer-draws", test_renderer_draws);
    qtest_add_func("/sundog/cursor/crc", test_crc);
    qtest_add_func("/sundog/cursor/viewers", test_viewers);
    qtest_add_func("/sundog/cursor/servers", test_servers);
    qtest_add_func("/sundog/cursor/handshake", test_handshake);
    qtest_add_func("/sundog/cursor/composed", test_composed);
    qtest_add_func("/sundog/cursor/property", test_property);
    qtest_add_func("/sundog/cursor/relative", test_relative);
    qtest_add_func("/sundog/cursor/other-ui", test_other_ui);
    qtest_add_func("/sundog/cursor/heads", test_heads);
    qtest_add_func("/sundog/cursor/unplug", test_unplug);
    qtest_add_func("/sundog/cursor/storm", test_storm);
    qtest_add_func("/sundog/cursor/slow", test_slow);
}

/*
 * sundog: a VNC client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A minimal client, which supports the encodings raw, desktop size, and cursor
 * with a mask or with alpha. Pixels have the server's format: 32 bits, in the
 * host's byte order.
 */

#include "qemu/osdep.h"
#include <poll.h>
#include "qemu/bswap.h"
#include "sundog-test-socket.h"
#include "sundog-test-vnc.h"

enum {
    ENCODING_RAW = 0,
    ENCODING_DESKTOP_SIZE = -223,
    ENCODING_CURSOR = -239,
    ENCODING_ALPHA_CURSOR = -314,
};

int vnc_connect(const char *path)
{
    int vnc = dial(path);
    g_autofree char *name = NULL;
    uint8_t start[4 + 24];
    char text[12];

    get_bytes(vnc, text, sizeof(text));
    put_bytes(vnc, "RFB 003.008\n", 12);
    /* Security type None; ClientInit: shared; SecurityResult, ServerInit. */
    get_bytes(vnc, text, 2);
    put_bytes(vnc, "\1\1", 2);
    get_bytes(vnc, start, sizeof(start));
    name = g_malloc(ldl_be_p(start + 24));
    get_bytes(vnc, name, ldl_be_p(start + 24));
    return vnc;
}

void vnc_ask_for_size(int vnc, uint16_t width, uint16_t height)
{
    uint8_t message[24] = { 251, [6] = 1 };

    stw_be_p(message + 2, width);
    stw_be_p(message + 4, height);
    stw_be_p(message + 16, width);
    stw_be_p(message + 18, height);
    put_bytes(vnc, message, sizeof(message));
}

static void ask_for_update(Viewer *v)
{
    uint8_t message[10] = { 3, v->n_rects > 0 };

    stw_be_p(message + 6, VIEWER_WIDTH);
    stw_be_p(message + 8, VIEWER_HEIGHT);
    put_bytes(v->vnc, message, sizeof(message));
}

static Viewer *viewer_open_with(const char *path, int32_t cursors)
{
    Viewer *v = g_new0(Viewer, 1);
    uint8_t message[4 + 3 * 4] = { 2, [3] = 3 };

    v->vnc = vnc_connect(path);
    stl_be_p(message + 4, ENCODING_RAW);
    stl_be_p(message + 8, ENCODING_DESKTOP_SIZE);
    stl_be_p(message + 12, cursors);
    put_bytes(v->vnc, message, sizeof(message));
    ask_for_update(v);
    return v;
}

Viewer *viewer_open(const char *path, bool cursors)
{
    return viewer_open_with(path, cursors ? ENCODING_CURSOR : ENCODING_RAW);
}

Viewer *viewer_open_alpha(const char *path)
{
    return viewer_open_with(path, ENCODING_ALPHA_CURSOR);
}

void viewer_close(Viewer *v)
{
    close(v->vnc);
    g_free(v);
}

static void get_pixels(Viewer *v, unsigned x, unsigned y, unsigned width,
                       unsigned height)
{
    g_autofree uint32_t *row = g_new(uint32_t, width);

    for (unsigned i = 0; i < height; i++) {
        get_bytes(v->vnc, row, width * 4);
        for (unsigned k = 0; k < width; k++) {
            v->black |= !(row[k] & 0xffffff);
            if (x + k < VIEWER_WIDTH && y + i < VIEWER_HEIGHT) {
                v->pixels[(y + i) * VIEWER_WIDTH + x + k] = row[k] & 0xffffff;
            }
        }
    }
    v->n_rects++;
}

static void get_cursor_size(Viewer *v, unsigned x, unsigned y, unsigned width,
                            unsigned height)
{
    g_assert_cmpuint(width, <=, VIEWER_CURSOR);
    g_assert_cmpuint(height, <=, VIEWER_CURSOR);
    v->width = width;
    v->height = height;
    v->hot_x = x;
    v->hot_y = y;
    v->n_cursors++;
}

/* Pixels of the cursor have an encoding: raw, as blue, green, red, alpha. */
static void get_alpha_cursor(Viewer *v)
{
    const unsigned n = v->width * v->height;
    uint8_t encoding[4];

    get_bytes(v->vnc, encoding, sizeof(encoding));
    g_assert_cmpint(ldl_be_p(encoding), ==, ENCODING_RAW);
    get_bytes(v->vnc, v->cursor, n * 4);
    for (unsigned i = 0; i < n; i++) {
        v->cursor[i] = le32_to_cpu(v->cursor[i]);
        v->opaque[i] = v->cursor[i] >> 24;
    }
}

/* The mask has a bit per pixel; its rows are padded to whole bytes. */
static void get_cursor(Viewer *v)
{
    const unsigned width = v->width, height = v->height;
    const unsigned pitch = DIV_ROUND_UP(width, 8);
    g_autofree uint8_t *mask = g_malloc(pitch * height);

    get_bytes(v->vnc, v->cursor, width * height * 4);
    get_bytes(v->vnc, mask, pitch * height);
    for (unsigned i = 0; i < width * height; i++) {
        const unsigned at = i % width;

        v->cursor[i] &= 0xffffff;
        v->opaque[i] = mask[i / width * pitch + at / 8] & 0x80 >> at % 8;
    }
}

static bool get_rect(Viewer *v)
{
    uint8_t rect[12];
    unsigned x, y, width, height;

    get_bytes(v->vnc, rect, sizeof(rect));
    x = lduw_be_p(rect);
    y = lduw_be_p(rect + 2);
    width = lduw_be_p(rect + 4);
    height = lduw_be_p(rect + 6);
    switch ((int32_t)ldl_be_p(rect + 8)) {
    case ENCODING_RAW:
        get_pixels(v, x, y, width, height);
        return true;
    case ENCODING_CURSOR:
        get_cursor_size(v, x, y, width, height);
        get_cursor(v);
        return false;
    case ENCODING_ALPHA_CURSOR:
        get_cursor_size(v, x, y, width, height);
        get_alpha_cursor(v);
        return false;
    default:
        g_assert_cmpint(ldl_be_p(rect + 8), ==, ENCODING_DESKTOP_SIZE);
        return false;
    }
}

bool viewer_receive(Viewer *v, int ms)
{
    struct pollfd pollfd = { .fd = v->vnc, .events = POLLIN };
    uint8_t head[4];
    bool answered = false;

    if (poll(&pollfd, 1, ms) <= 0) {
        return false;
    }
    get_bytes(v->vnc, head, sizeof(head));
    g_assert_cmpuint(head[0], ==, 0);
    for (unsigned n = lduw_be_p(head + 2); n; n--) {
        answered |= get_rect(v);
    }
    if (answered) {
        ask_for_update(v);
    }
    return true;
}

bool viewer_shows_cursor(const Viewer *v)
{
    for (unsigned i = 0; i < v->width * v->height; i++) {
        if (v->opaque[i]) {
            return true;
        }
    }
    return false;
}

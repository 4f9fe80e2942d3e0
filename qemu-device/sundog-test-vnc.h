/*
 * sundog: a VNC client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_VNC_H
#define SUNDOG_TEST_VNC_H

/* A mouse that says where it is, without which viewers show no cursors. */
#define TABLET_OPTIONS  "-machine i8042=off -device virtio-tablet-pci"

#define VIEWER_WIDTH    64
#define VIEWER_HEIGHT   64
#define VIEWER_CURSOR   256     /* pixels, the largest */

/* One that looks at 64 x 64 pixels of a head, and what it was sent. */
typedef struct Viewer {
    int vnc;
    unsigned n_rects;           /* of pixels, ever */
    bool black;                 /* a pixel was, wherever on the head */
    unsigned n_cursors;
    uint32_t pixels[VIEWER_WIDTH * VIEWER_HEIGHT];      /* 0xRRGGBB */
    unsigned width;             /* of its cursor */
    unsigned height;
    unsigned hot_x;
    unsigned hot_y;
    uint32_t cursor[VIEWER_CURSOR * VIEWER_CURSOR];     /* 0xAARRGGBB */
    bool opaque[VIEWER_CURSOR * VIEWER_CURSOR];
} Viewer;

/* A client that has said hello, and one that wants its head to have a size. */
int vnc_connect(const char *path);
void vnc_ask_for_size(int vnc, uint16_t width, uint16_t height);

/*
 * With CURSORS it shows them itself; the other one takes alpha, too, which is 0
 * for this one. To be freed by viewer_close().
 */
Viewer *viewer_open(const char *path, bool cursors);
Viewer *viewer_open_alpha(const char *path);
void viewer_close(Viewer *v);

/* Take a message, if one comes within MS. */
bool viewer_receive(Viewer *v, int ms);

bool viewer_shows_cursor(const Viewer *v);

#endif

/*
 * sundog: a VNC client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_VNC_H
#define SUNDOG_TEST_VNC_H

/* An absolute pointing device, without which QEMU sends no cursors. */
#define TABLET_OPTIONS  "-machine i8042=off -device virtio-tablet-pci"

#define VIEWER_WIDTH    64
#define VIEWER_HEIGHT   64
#define VIEWER_CURSOR   256     /* pixels, the largest */

/*
 * A client that shows 64 x 64 pixels of a head, and the data that it received.
 */
typedef struct Viewer {
    int vnc;
    unsigned n_rects;           /* rectangles of pixels, in total */
    bool black;                 /* it received a black pixel of the head */
    unsigned n_cursors;
    uint32_t pixels[VIEWER_WIDTH * VIEWER_HEIGHT];      /* 0xRRGGBB */
    unsigned width;             /* of its cursor */
    unsigned height;
    unsigned hot_x;
    unsigned hot_y;
    uint32_t cursor[VIEWER_CURSOR * VIEWER_CURSOR];     /* 0xAARRGGBB */
    bool opaque[VIEWER_CURSOR * VIEWER_CURSOR];
} Viewer;

/* Connect and complete the handshake; request a size of the head. */
int vnc_connect(const char *path);
void vnc_ask_for_size(int vnc, uint16_t width, uint16_t height);

/*
 * Connects a client, which viewer_close() frees. With CURSORS it shows cursors
 * itself; viewer_open_alpha() also supports alpha, which else is 0 in cursor[].
 */
Viewer *viewer_open(const char *path, bool cursors);
Viewer *viewer_open_alpha(const char *path);
void viewer_close(Viewer *v);

/* Handles a message. Returns false if none arrives within MS. */
bool viewer_receive(Viewer *v, int ms);

/* Returns true if any pixel of the cursor is opaque. */
bool viewer_shows_cursor(const Viewer *v);

#endif

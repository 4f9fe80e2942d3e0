/*
 * sundog: a SPICE client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_SPICE_H
#define SUNDOG_TEST_SPICE_H

/*
 * A server at the path ADDR that sends pixels as they are. Windows have sizes
 * while an agent of the guest's is there: who has a serial port open is one.
 */
#define SPICE_OPTIONS \
    "-spice unix=on,disable-ticketing=on,image-compression=off," \
    "jpeg-wan-compression=never,zlib-glz-wan-compression=never,addr=%s " \
    "-chardev spicevmc,id=agent,name=vdagent -serial chardev:agent"

#define SPICE_HEADS     4
#define SPICE_WIDTH     640     /* the largest */
#define SPICE_HEIGHT    480
#define SPICE_PIXELS    (SPICE_WIDTH * SPICE_HEIGHT)

/* A head, as the viewer sees it, and what it was sent of it. */
typedef struct SpiceScreen {
    unsigned width;                     /* 0: there is no picture */
    unsigned height;
    uint32_t pixels[SPICE_PIXELS];      /* 0xRRGGBB, rows of SPICE_WIDTH */
    bool drawn[SPICE_PIXELS];           /* for the test to clear */
    unsigned n_draws;                   /* ever */
} SpiceScreen;

/* After how many messages the server wants to hear that they came; 0: never. */
typedef struct SpiceChannel {
    int fd;
    uint32_t window;
    uint32_t left;
} SpiceChannel;

/* One that looks at the first N_HEADS heads. Channel 0 is the main one. */
typedef struct SpiceViewer {
    SpiceChannel channels[1 + SPICE_HEADS];
    SpiceScreen screens[SPICE_HEADS];
    unsigned n_heads;
    unsigned n_offered;                 /* heads that the server has */
    uint32_t session;
    bool has_agent;
} SpiceViewer;

/* To be freed by spice_close(). */
SpiceViewer *spice_open(const char *path, unsigned n_heads);
void spice_close(SpiceViewer *v);

/* Take what comes within MS, of each channel a message; false: nothing. */
bool spice_receive(SpiceViewer *v, int ms);

/* The windows of all its heads have these sizes, width << 16 | height. */
void spice_ask_for_sizes(SpiceViewer *v, const uint32_t *sizes);

#endif

/*
 * sundog: a SPICE client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_SPICE_H
#define SUNDOG_TEST_SPICE_H

/*
 * A server at the path addr= that sends uncompressed pixels. It accepts window
 * sizes only while the guest has an agent, as which the serial port counts.
 */
#define SPICE_OPTIONS \
    "-spice unix=on,disable-ticketing=on,image-compression=off," \
    "jpeg-wan-compression=never,zlib-glz-wan-compression=never,addr=%s " \
    "-chardev spicevmc,id=agent,name=vdagent -serial chardev:agent"

#define SPICE_HEADS     4
#define SPICE_WIDTH     640     /* the largest */
#define SPICE_HEIGHT    480
#define SPICE_PIXELS    (SPICE_WIDTH * SPICE_HEIGHT)

/* The viewer's picture of a head, and which pixels it received. */
typedef struct SpiceScreen {
    unsigned width;                     /* 0: no surface */
    unsigned height;
    uint32_t pixels[SPICE_PIXELS];      /* 0xRRGGBB, rows of SPICE_WIDTH */
    bool drawn[SPICE_PIXELS];           /* received; the test clears this */
    unsigned n_draws;                   /* messages since the test cleared it */
} SpiceScreen;

typedef struct SpiceChannel {
    int fd;
    uint32_t window;                    /* messages per ACK; 0: no ACKs */
    uint32_t left;                      /* messages until the next ACK */
} SpiceChannel;

/* A client of the first N_HEADS heads. Channel 0 is the main channel. */
typedef struct SpiceViewer {
    SpiceChannel channels[1 + SPICE_HEADS];
    SpiceScreen screens[SPICE_HEADS];
    unsigned n_heads;
    unsigned n_offered;                 /* display channels of the server */
    uint32_t session;
    bool has_agent;
} SpiceViewer;

/* Connects a client, which spice_close() frees. */
SpiceViewer *spice_open(const char *path, unsigned n_heads);
void spice_close(SpiceViewer *v);

/*
 * Handles one message of each channel that is readable within MS. Returns false
 * if none is.
 */
bool spice_receive(SpiceViewer *v, int ms);

/* Sends the sizes of all windows, width << 16 | height. */
void spice_ask_for_sizes(SpiceViewer *v, const uint32_t *sizes);

#endif

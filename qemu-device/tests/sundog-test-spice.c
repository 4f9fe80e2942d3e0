/*
 * sundog: a SPICE client, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A minimal client, which supports mini headers and no other feature. For it
 * QEMU's server has one surface per head and draws it with DRAW_COPY messages
 * of bitmaps of 32 bits per pixel only.
 */

#include "qemu/osdep.h"
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <poll.h>
#include <spice/enums.h>
#include <spice/protocol.h>
#include <spice/vd_agent.h>
#include "qemu/bswap.h"
#include "sundog-test-broker.h"
#include "sundog-test-socket.h"
#include "sundog-test-spice.h"

#define MAX_MESSAGE     (16 * 1024 * 1024)

/* Offsets of fields in a DRAW_COPY message, and of those in its image. */
enum {
    DRAW_SURFACE = 0,
    DRAW_BOX = 4,               /* top, left, bottom, right */
    DRAW_CLIP = 20,
    DRAW_IMAGE = 21,            /* offset of the image in the message */
    DRAW_SIZE = 25,
    IMAGE_TYPE = 8,
    BITMAP_FORMAT = 18,
    BITMAP_FLAGS = 19,
    BITMAP_WIDTH = 20,
    BITMAP_HEIGHT = 24,
    BITMAP_STRIDE = 28,
    BITMAP_PIXELS = 36,
};

static void put_message(SpiceChannel *c, uint16_t type, const void *body,
                        uint32_t size)
{
    const SpiceMiniDataHeader header = { cpu_to_le16(type), cpu_to_le32(size) };

    put_bytes(c->fd, &header, sizeof(header));
    if (size) {
        put_bytes(c->fd, body, size);
    }
}

/* Sends the ticket: the empty password, encrypted with the server's key. */
static void put_ticket(int fd, const uint8_t *key)
{
    const uint32_t mechanism = cpu_to_le32(SPICE_COMMON_CAP_AUTH_SPICE);
    uint8_t ticket[SPICE_TICKET_KEY_PAIR_LENGTH / 8];
    size_t size = sizeof(ticket);
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &key, SPICE_TICKET_PUBKEY_BYTES);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(pkey, NULL);

    g_assert_cmpint(EVP_PKEY_encrypt_init(context), ==, 1);
    g_assert_cmpint(EVP_PKEY_CTX_set_rsa_padding(
                        context, RSA_PKCS1_OAEP_PADDING), ==, 1);
    g_assert_cmpint(EVP_PKEY_encrypt(context, ticket, &size,
                                     (const uint8_t *)"", 1), ==, 1);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(pkey);
    put_bytes(fd, &mechanism, sizeof(mechanism));
    put_bytes(fd, ticket, size);
}

static SpiceChannel link_channel(const char *path, uint32_t session,
                                 uint8_t type, uint8_t id)
{
    const struct QEMU_PACKED {
        SpiceLinkHeader header;
        SpiceLinkMess mess;
        uint32_t caps;
    } hello = {
        .header.magic = cpu_to_le32(ldl_le_p("REDQ")),
        .header.major_version = cpu_to_le32(SPICE_VERSION_MAJOR),
        .header.minor_version = cpu_to_le32(SPICE_VERSION_MINOR),
        .header.size = cpu_to_le32(sizeof(hello) - sizeof(hello.header)),
        .mess.connection_id = cpu_to_le32(session),
        .mess.channel_type = type,
        .mess.channel_id = id,
        .mess.num_common_caps = cpu_to_le32(1),
        .mess.caps_offset = cpu_to_le32(sizeof(hello.mess)),
        .caps = cpu_to_le32(1 << SPICE_COMMON_CAP_PROTOCOL_AUTH_SELECTION |
                            1 << SPICE_COMMON_CAP_AUTH_SPICE |
                            1 << SPICE_COMMON_CAP_MINI_HEADER),
    };
    SpiceChannel c = { .fd = dial(path) };
    g_autofree SpiceLinkReply *reply = NULL;
    SpiceLinkHeader header;
    uint32_t size, result;

    put_bytes(c.fd, &hello, sizeof(hello));
    get_bytes(c.fd, &header, sizeof(header));
    size = le32_to_cpu(header.size);
    g_assert_cmpuint(size, >=, sizeof(*reply));
    g_assert_cmpuint(size, <=, MAX_MESSAGE);
    reply = g_malloc(size);
    get_bytes(c.fd, reply, size);
    g_assert_cmpuint(le32_to_cpu(reply->error), ==, SPICE_LINK_ERR_OK);
    put_ticket(c.fd, reply->pub_key);
    get_bytes(c.fd, &result, sizeof(result));
    g_assert_cmpuint(le32_to_cpu(result), ==, SPICE_LINK_ERR_OK);
    return c;
}

/* A head has surface 0 only, of at most SPICE_WIDTH x SPICE_HEIGHT. */
static void make_surface(SpiceScreen *s, const uint8_t *body)
{
    g_assert_cmpuint(ldl_le_p(body), ==, 0);
    s->width = ldl_le_p(body + 4);
    s->height = ldl_le_p(body + 8);
    g_assert_cmpuint(s->width, <=, SPICE_WIDTH);
    g_assert_cmpuint(s->height, <=, SPICE_HEIGHT);
    memset(s->pixels, 0, sizeof(s->pixels));
}

static void draw_row(SpiceScreen *s, unsigned y, unsigned left, unsigned width,
                     const uint8_t *row)
{
    for (unsigned i = 0; i < width; i++) {
        const unsigned at = y * SPICE_WIDTH + left + i;

        s->pixels[at] = ldl_le_p(row + i * 4) & 0xffffff;
        s->drawn[at] = true;
    }
}

static void draw_copy(SpiceScreen *s, const uint8_t *body, uint32_t size)
{
    const unsigned top = ldl_le_p(body + DRAW_BOX);
    const unsigned left = ldl_le_p(body + DRAW_BOX + 4);
    const unsigned height = ldl_le_p(body + DRAW_BOX + 8) - top;
    const unsigned width = ldl_le_p(body + DRAW_BOX + 12) - left;
    const uint32_t at = ldl_le_p(body + DRAW_IMAGE);
    const uint8_t *image = body + at;
    uint64_t stride;

    g_assert_cmpuint(size, >=, DRAW_SIZE);
    g_assert_cmpuint(ldl_le_p(body + DRAW_SURFACE), ==, 0);
    g_assert_cmpuint(body[DRAW_CLIP], ==, SPICE_CLIP_TYPE_NONE);
    g_assert_cmpuint((uint64_t)left + width, <=, s->width);
    g_assert_cmpuint((uint64_t)top + height, <=, s->height);
    g_assert_cmpuint((uint64_t)at + BITMAP_PIXELS, <=, size);
    g_assert_cmpuint(image[IMAGE_TYPE], ==, SPICE_IMAGE_TYPE_BITMAP);
    g_assert_cmpuint(image[BITMAP_FORMAT], ==, SPICE_BITMAP_FMT_32BIT);
    g_assert_cmpuint(ldl_le_p(image + BITMAP_WIDTH), ==, width);
    g_assert_cmpuint(ldl_le_p(image + BITMAP_HEIGHT), ==, height);
    stride = ldl_le_p(image + BITMAP_STRIDE);
    g_assert_cmpuint(stride, >=, width * 4);
    g_assert_cmpuint(at + BITMAP_PIXELS + stride * height, <=, size);
    for (unsigned y = 0; y < height; y++) {
        const bool down = image[BITMAP_FLAGS] & SPICE_BITMAP_FLAGS_TOP_DOWN;

        draw_row(s, top + y, left, width, image + BITMAP_PIXELS +
                 stride * (down ? y : height - 1 - y));
    }
    s->n_draws++;
}

static void take_display(SpiceScreen *s, uint16_t type, const uint8_t *body,
                         uint32_t size)
{
    switch (type) {
    case SPICE_MSG_DISPLAY_SURFACE_CREATE:
        make_surface(s, body);
        break;
    case SPICE_MSG_DISPLAY_SURFACE_DESTROY:
        s->width = s->height = 0;
        break;
    case SPICE_MSG_DISPLAY_DRAW_COPY:
        draw_copy(s, body, size);
        break;
    default:
        /* The server must not draw or move pixels with other messages. */
        g_assert_cmpuint(type, !=, SPICE_MSG_DISPLAY_COPY_BITS);
        g_assert_false(type >= SPICE_MSG_DISPLAY_STREAM_CREATE &&
                       type <= SPICE_MSG_DISPLAY_STREAM_DATA);
        g_assert_false(type >= SPICE_MSG_DISPLAY_DRAW_FILL &&
                       type <= SPICE_MSG_DISPLAY_DRAW_ALPHA_BLEND);
        break;
    }
}

static void count_heads(SpiceViewer *v, const uint8_t *body, uint32_t size)
{
    const uint32_t n = ldl_le_p(body);

    g_assert_cmpuint(size, ==, 4 + 2 * (uint64_t)n);
    for (uint32_t i = 0; i < n; i++) {
        v->n_offered += body[4 + 2 * i] == SPICE_CHANNEL_DISPLAY;
    }
}

static void take_main(SpiceViewer *v, uint16_t type, const uint8_t *body,
                      uint32_t size)
{
    switch (type) {
    case SPICE_MSG_MAIN_INIT:
        v->session = ldl_le_p(body);
        v->has_agent = ldl_le_p(body + 16);
        break;
    case SPICE_MSG_MAIN_CHANNELS_LIST:
        count_heads(v, body, size);
        break;
    }
}

/* Handles messages of all channels. Returns false if it is another message. */
static bool take_common(SpiceChannel *c, uint16_t type, const uint8_t *body)
{
    switch (type) {
    case SPICE_MSG_SET_ACK:
        c->left = c->window = ldl_le_p(body + 4);
        put_message(c, SPICE_MSGC_ACK_SYNC, body, 4);
        return true;
    case SPICE_MSG_PING:
        put_message(c, SPICE_MSGC_PONG, body, 12);
        return true;
    default:
        return false;
    }
}

static void acknowledge(SpiceChannel *c)
{
    if (c->window && !--c->left) {
        c->left = c->window;
        put_message(c, SPICE_MSGC_ACK, NULL, 0);
    }
}

static void take_message(SpiceViewer *v, unsigned channel)
{
    SpiceChannel *c = &v->channels[channel];
    g_autofree uint8_t *body = NULL;
    SpiceMiniDataHeader header;
    uint16_t type;
    uint32_t size;

    get_bytes(c->fd, &header, sizeof(header));
    type = le16_to_cpu(header.type);
    size = le32_to_cpu(header.size);
    g_assert_cmpuint(size, <=, MAX_MESSAGE);
    body = g_malloc0(MAX(size, 64));
    if (size) {
        get_bytes(c->fd, body, size);
    }
    acknowledge(c);
    if (take_common(c, type, body)) {
        return;
    }
    if (channel) {
        take_display(&v->screens[channel - 1], type, body, size);
    } else {
        take_main(v, type, body, size);
    }
}

bool spice_receive(SpiceViewer *v, int ms)
{
    struct pollfd fds[1 + SPICE_HEADS];

    for (unsigned i = 0; i <= v->n_heads; i++) {
        fds[i] = (struct pollfd) { v->channels[i].fd, POLLIN };
    }
    if (poll(fds, 1 + v->n_heads, ms) <= 0) {
        return false;
    }
    for (unsigned i = 0; i <= v->n_heads; i++) {
        if (fds[i].revents) {
            take_message(v, i);
        }
    }
    return true;
}

/*
 * The server waits for this message, and blocks its other clients until then.
 */
static void init_display(SpiceChannel *c)
{
    const uint8_t no_caches[14] = {};

    put_message(c, SPICE_MSGC_DISPLAY_INIT, no_caches, sizeof(no_caches));
}

SpiceViewer *spice_open(const char *path, unsigned n_heads)
{
    SpiceViewer *v = g_new0(SpiceViewer, 1);

    v->channels[0] = link_channel(path, 0, SPICE_CHANNEL_MAIN, 0);
    put_message(&v->channels[0], SPICE_MSGC_MAIN_ATTACH_CHANNELS, NULL, 0);
    while (!v->session || !v->n_offered) {
        g_assert_true(spice_receive(v, PATIENCE_MS));
    }
    g_assert_cmpuint(n_heads, <=, v->n_offered);
    for (unsigned i = 0; i < n_heads; i++) {
        v->channels[1 + i] = link_channel(path, v->session,
                                          SPICE_CHANNEL_DISPLAY, i);
        init_display(&v->channels[1 + i]);
    }
    v->n_heads = n_heads;
    return v;
}

void spice_close(SpiceViewer *v)
{
    for (unsigned i = 0; i <= v->n_heads; i++) {
        close(v->channels[i].fd);
    }
    g_free(v);
}

void spice_ask_for_sizes(SpiceViewer *v, const uint32_t *sizes)
{
    const uint8_t tokens[4] = { 10 };
    struct QEMU_PACKED {
        VDAgentMessage message;
        VDAgentMonitorsConfig config;
        VDAgentMonConfig monitors[SPICE_HEADS];
    } ask = {
        .message.protocol = cpu_to_le32(VD_AGENT_PROTOCOL),
        .message.type = cpu_to_le32(VD_AGENT_MONITORS_CONFIG),
        .config.num_of_monitors = cpu_to_le32(v->n_heads),
    };
    const size_t size = offsetof(typeof(ask), monitors[v->n_heads]);

    ask.message.size = cpu_to_le32(size - sizeof(ask.message));
    for (unsigned i = 0; i < v->n_heads; i++) {
        ask.monitors[i].width = cpu_to_le32(sizes[i] >> 16);
        ask.monitors[i].height = cpu_to_le32(sizes[i] & 0xffff);
        ask.monitors[i].depth = cpu_to_le32(32);
    }
    g_assert_true(v->has_agent);
    put_message(&v->channels[0], SPICE_MSGC_MAIN_AGENT_START, tokens,
                sizeof(tokens));
    put_message(&v->channels[0], SPICE_MSGC_MAIN_AGENT_DATA, &ask, size);
}

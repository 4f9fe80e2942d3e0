/*
 * sundog, a GPU in software: the connection to the broker
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The connection is a UNIX socket behind a chardev: the user's (chardev=), or
 * one that the device creates for a renderer that it starts (renderer=).
 * Message boundaries come from the messages' headers, so that both stream and
 * packet sockets work.
 *
 * The guest never waits for the broker: messages are queued, and a bottom half
 * writes as many as the socket takes. Messages of the broker are checked like
 * register writes of a guest; a broker that breaks the protocol is
 * disconnected.
 *
 * The device kills a renderer that it started when the connection ends, and
 * channels go to DEAD when it has been reaped. Then it starts a new one, with
 * pauses that double while renderers keep ending. If no renderer was ever
 * READY, it starts no other: that would fail for the same reason.
 *
 * A renderer behind the user's chardev ends its workers before it closes the
 * connection. If the device disconnects it, it ends them when it notices; the
 * device does not wait for that, since the renderer may hang.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "chardev/char-socket.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qapi/qapi-types-char.h"
#include "qemu/coroutine.h"
#include "system/runstate.h"
#include "sundog.h"
#include "trace.h"

/* Features of a renderer that this device supports. */
#define SUPPORTED_FEATURES \
    (SUNDOG_FEATURE_RENDER | SUNDOG_FEATURE_LINEAR_LAYOUT | \
     SUNDOG_FEATURE_RAW_MOVE | SUNDOG_STREAM_FEATURES)

/* Limits of the pause between a renderer's end and the next start. */
#define RESTART_MIN_MS      250
#define RESTART_MAX_MS      30000

/* A chardev that has no connection for so long is reported. */
#define ABSENT_MS           5000

/* With more queued messages than this the broker counts as hung. */
#define TX_MAX              4096

/*
 * After this many messages in a period the device stops reading until the next
 * one, so that the broker cannot keep the main loop busy.
 */
#define RX_BURST            256
#define RX_PERIOD_MS        10

struct SundogPacket {
    QSIMPLEQ_ENTRY(SundogPacket) next;
    size_t size;
    size_t written;
    int fds[SUNDOG_MESSAGE_HELLO_FDS];
    unsigned n_fds;             /* owned by the packet, not sent yet */
    bool incomplete;            /* duplicating a descriptor failed */
    uint8_t data[];
};

static void sundog_packet_free(SundogPacket *p)
{
    for (unsigned i = 0; i < p->n_fds; i++) {
        close(p->fds[i]);
    }
    g_free(p);
}

static void sundog_tx_clear(SundogState *s)
{
    SundogPacket *p;

    while ((p = QSIMPLEQ_FIRST(&s->tx))) {
        QSIMPLEQ_REMOVE_HEAD(&s->tx, next);
        sundog_packet_free(p);
    }
    s->tx_length = 0;
    if (s->tx_watch) {
        g_source_remove(s->tx_watch);
        s->tx_watch = 0;
    }
}

static void sundog_renderer_enter(SundogState *s, uint32_t state)
{
    trace_sundog_renderer_state(s->renderer_state, state);
    s->renderer_state = state;
    sundog_raise_device(s, SUNDOG_DEVICE_EVENT_RENDERER);
}

static bool sundog_connected(const SundogState *s)
{
    return s->renderer_state == SUNDOG_RENDERER_STATE_STARTING ||
           s->renderer_state == SUNDOG_RENDERER_STATE_READY;
}

static void sundog_renderer_restart_later(SundogState *s)
{
    int64_t now = qemu_clock_get_ms(sundog_wait_clock());

    if (now - s->started > RESTART_MAX_MS) {
        s->restart_delay = 0;
    }
    s->restart_delay = MIN(MAX(2 * s->restart_delay, RESTART_MIN_MS),
                           RESTART_MAX_MS);
    trace_sundog_renderer_restart(s->restart_delay);
    timer_mod(s->restart_timer, now + s->restart_delay);
}

/* The connection ended: all channels end, the display goes on. */
static void sundog_renderer_lost(SundogState *s)
{
    if (!sundog_connected(s)) {
        return;
    }
    if (!runstate_check(RUN_STATE_SHUTDOWN)) {
        sundog_renderer_warn(s, "lost the renderer: the guest's contexts are "
                             "lost, the display goes on");
    }
    sundog_tx_clear(s);
    sundog_renderer_enter(s, SUNDOG_RENDERER_STATE_LOST);
    sundog_guest_lost(s);
    sundog_revoke_lost(s);
    if (s->resetting) {
        sundog_reset_done(s);
    } else {
        sundog_channels_lost(s);
    }
    /*
     * Restart even after a shutdown, since the machine may be reset and go on.
     * If QEMU ends, the timer never fires.
     */
    if (s->proven) {
        sundog_renderer_restart_later(s);
    }
}

static void sundog_renderer_closed(SundogState *s)
{
    s->rx_length = 0;
    if (s->child && sundog_connected(s)) {
        s->ending = true;
        sundog_spawn_kill(s);
    } else {
        sundog_renderer_lost(s);
    }
}

/*
 * The child was reaped. If messages of it are still unread, CHR_EVENT_CLOSED
 * follows them; only after that event is the renderer lost.
 */
void sundog_renderer_ended(SundogState *s)
{
    if (s->ending) {
        s->ending = false;
        sundog_renderer_lost(s);
    }
}

/*
 * Disconnects the broker. CHR_EVENT_CLOSED follows; the state becomes LOST
 * then, or when the child has been reaped.
 */
void sundog_renderer_disconnect(SundogState *s, const char *fmt, ...)
{
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, fmt);
    why = g_strdup_vprintf(fmt, args);
    va_end(args);
    sundog_renderer_warn(s, "disconnecting the renderer: %s", why);
    qemu_chr_fe_disconnect(&s->chr);
}

static gboolean sundog_tx_ready(void *do_not_use, GIOCondition cond,
                                void *opaque)
{
    SundogState *s = opaque;

    s->tx_watch = 0;
    qemu_bh_schedule(s->tx_bh);
    return G_SOURCE_REMOVE;
}

/*
 * Returns true if the renderer has closed the connection. Its last messages may
 * still be unread, and CHR_EVENT_CLOSED follows them.
 */
static bool sundog_has_hung_up(SundogState *s)
{
    const SocketChardev *chr = SOCKET_CHARDEV(qemu_chr_fe_get_driver(&s->chr));
    GPollFD end = { .fd = chr->sioc ? chr->sioc->fd : -1 };

    return !chr->sioc || (g_poll(&end, 1, 0) == 1 && end.revents & G_IO_HUP);
}

/*
 * A write failed with ERR: EAGAIN, or EINVAL for all other reasons. If the
 * renderer has ended, its last message or its status has the reason.
 */
static void sundog_tx_failed(SundogState *s, int err)
{
    if (err == EAGAIN) {
        s->tx_watch = qemu_chr_fe_add_watch(&s->chr, G_IO_OUT,
                                            sundog_tx_ready, s);
    } else if (sundog_connected(s) && !sundog_has_hung_up(s)) {
        sundog_renderer_disconnect(s, "a message cannot be sent");
    }
}

/*
 * Writes a packet or a part of it. Returns false if no more can be written now;
 * the queue may have been cleared then.
 */
static bool sundog_tx_packet(SundogState *s, SundogPacket *p)
{
    int ret;

    if (p->incomplete) {
        sundog_renderer_disconnect(s, "QEMU has no descriptors for a message, "
                                   "raise its ulimit -n");
        return false;
    }
    if (p->n_fds && qemu_chr_fe_set_msgfds(&s->chr, p->fds, p->n_fds) < 0) {
        sundog_renderer_disconnect(s, "its chardev is not a UNIX socket, use "
                                   "-chardev socket,path=PATH");
        return false;
    }
    ret = qemu_chr_fe_write(&s->chr, p->data + p->written,
                            p->size - p->written);
    if (ret < 0) {
        sundog_tx_failed(s, errno);
        return false;
    }
    while (p->n_fds) {
        close(p->fds[--p->n_fds]);
    }
    p->written += ret;
    return true;
}

static void sundog_tx(void *opaque)
{
    SundogState *s = opaque;
    SundogPacket *p;

    if (s->ending || !qemu_chr_fe_backend_open(&s->chr)) {
        return;
    }
    while (!s->tx_watch && (p = QSIMPLEQ_FIRST(&s->tx))) {
        if (!sundog_tx_packet(s, p)) {
            return;
        }
        if (p->written == p->size) {
            QSIMPLEQ_REMOVE_HEAD(&s->tx, next);
            s->tx_length--;
            sundog_packet_free(p);
        }
    }
    if (s->tx_length > TX_MAX) {
        sundog_renderer_disconnect(s, "it does not read its messages, %u wait, "
                                   "at most %d may", s->tx_length, TX_MAX);
    }
}

/*
 * Queues a message, whose header this fills in. The caller keeps FDS, which are
 * duplicated.
 */
void sundog_renderer_send(SundogState *s, uint32_t type, void *msg, size_t size,
                          const int *fds, unsigned n_fds)
{
    struct sundog_message *header = msg;
    SundogPacket *p;

    if (s->ending) {
        return;
    }
    p = g_malloc0(sizeof(*p) + size);
    header->type = cpu_to_le32(type);
    header->size = cpu_to_le32(size);
    memcpy(p->data, msg, size);
    p->size = size;
    for (p->n_fds = 0; p->n_fds < n_fds; p->n_fds++) {
        p->fds[p->n_fds] = qemu_dup(fds[p->n_fds]);
        if (p->fds[p->n_fds] < 0) {
            /* The caller is not done, so sundog_tx() disconnects later. */
            p->incomplete = true;
            break;
        }
    }
    trace_sundog_send(type, size, p->n_fds);
    QSIMPLEQ_INSERT_TAIL(&s->tx, p, next);
    s->tx_length++;
    qemu_bh_schedule(s->tx_bh);
}

static void sundog_hello(SundogState *s)
{
    struct sundog_message_hello msg = {
        .magic = cpu_to_le32(SUNDOG_MAGIC),
        .version = cpu_to_le32(SUNDOG_VERSION),
        .role = cpu_to_le32(SUNDOG_ROLE_DEVICE),
        .extent_shift = cpu_to_le32(sundog_extent_shift(s)),
        .vram_size = cpu_to_le64(s->vram_size),
    };
    const int fds[SUNDOG_MESSAGE_HELLO_FDS] = {
        memory_region_get_fd(&s->vram),
        memory_region_get_fd(&s->table),
        memory_region_get_fd(&s->channels_ram),
    };

    sundog_renderer_send(s, SUNDOG_MESSAGE_HELLO, &msg, sizeof(msg), fds,
                         ARRAY_SIZE(fds));
}

static bool sundog_on_welcome(SundogState *s, const void *data)
{
    const struct sundog_message_welcome *msg = data;
    uint32_t version = le32_to_cpu(msg->caps.version);

    if (s->renderer_state != SUNDOG_RENDERER_STATE_STARTING) {
        return false;
    }
    if (version >> 16 != SUNDOG_VERSION_MAJOR) {
        sundog_renderer_warn(s, "the renderer speaks protocol %u.%u, the "
                             "device %u.%u: build QEMU and renderer from one "
                             "checkout", version >> 16, version & 0xffff,
                             SUNDOG_VERSION_MAJOR, SUNDOG_VERSION_MINOR);
        return false;
    }
    if (le64_to_cpu(msg->vram_size) != s->vram_size) {
        sundog_renderer_warn(s, "the renderer has %" PRIu64 " bytes of VRAM, "
                             "the device %" PRIu64 ": build QEMU and renderer "
                             "from one checkout", le64_to_cpu(msg->vram_size),
                             s->vram_size);
        return false;
    }
    s->caps = msg->caps;
    s->caps.features &= cpu_to_le64(SUPPORTED_FEATURES |
                                    (s->guest_memory ?
                                     SUNDOG_FEATURE_HEAP_GUEST : 0));
    s->caps.size = cpu_to_le32(MIN(le32_to_cpu(s->caps.size),
                                   sizeof(s->caps)));
    s->caps.host_driver[sizeof(s->caps.host_driver) - 1] = 0;
    s->caps.host_device[sizeof(s->caps.host_device) - 1] = 0;
    s->proven |= s->spawned;
    sundog_guest_connected(s);
    sundog_renderer_enter(s, SUNDOG_RENDERER_STATE_READY);
    return true;
}

static bool sundog_on_channel_state(SundogState *s, const void *data)
{
    if (s->renderer_state != SUNDOG_RENDERER_STATE_READY) {
        return false;
    }
    sundog_channel_report(s, data);
    return true;
}

static bool sundog_on_reset_done(SundogState *s, const void *data)
{
    if (!s->resetting) {
        return false;
    }
    sundog_reset_done(s);
    return true;
}

static bool sundog_on_guest_mapped(SundogState *s, const void *data)
{
    const struct sundog_message_guest_mapped *msg = data;

    return sundog_guest_mapped(s, le64_to_cpu(msg->offset),
                               le64_to_cpu(msg->size));
}

static bool sundog_on_guest_unmapped(SundogState *s, const void *data)
{
    const struct sundog_message_guest_unmapped *msg = data;

    return sundog_guest_unmapped(s, le64_to_cpu(msg->offset),
                                 le64_to_cpu(msg->size));
}

static bool sundog_on_revoked(SundogState *s, const void *data)
{
    const struct sundog_message_revoked *msg = data;

    return sundog_revoke_done(s, le32_to_cpu(msg->serial));
}

static bool sundog_on_error(SundogState *s, const void *data)
{
    const struct sundog_message_error *msg = data;
    char text[sizeof(msg->text) + 1] = "";

    /* The text may go to a terminal: remove escape sequences. */
    for (size_t i = 0; i < sizeof(msg->text) && msg->text[i]; i++) {
        text[i] = g_ascii_isprint(msg->text[i]) ? msg->text[i] : '?';
    }
    sundog_renderer_warn(s, "the renderer says: %s", text);
    return false;
}

static const struct {
    size_t size;
    bool (*handle)(SundogState *s, const void *data);   /* false: disconnect */
} sundog_messages[] = {
    [SUNDOG_MESSAGE_WELCOME] = {
        sizeof(struct sundog_message_welcome), sundog_on_welcome
    },
    [SUNDOG_MESSAGE_CHANNEL_STATE] = {
        sizeof(struct sundog_message_channel_state), sundog_on_channel_state
    },
    [SUNDOG_MESSAGE_RESET_DONE] = {
        sizeof(struct sundog_message_reset_done), sundog_on_reset_done
    },
    [SUNDOG_MESSAGE_GUEST_MAPPED] = {
        sizeof(struct sundog_message_guest_mapped), sundog_on_guest_mapped
    },
    [SUNDOG_MESSAGE_GUEST_UNMAPPED] = {
        sizeof(struct sundog_message_guest_unmapped), sundog_on_guest_unmapped
    },
    [SUNDOG_MESSAGE_REVOKED] = {
        sizeof(struct sundog_message_revoked), sundog_on_revoked
    },
    [SUNDOG_MESSAGE_ERROR] = {
        sizeof(struct sundog_message_error), sundog_on_error
    },
};

QEMU_BUILD_BUG_ON(sizeof(struct sundog_message_welcome) > SUNDOG_MESSAGE_MAX);

/*
 * Returns the size of the first message in rx, 0 if it is incomplete, or -1 if
 * its type or size is invalid.
 */
static int sundog_rx_message(const SundogState *s)
{
    const struct sundog_message *header = (const void *)s->rx;
    uint32_t type, size;

    if (s->rx_length < sizeof(*header)) {
        return 0;
    }
    type = le32_to_cpu(header->type);
    size = le32_to_cpu(header->size);
    if (type >= ARRAY_SIZE(sundog_messages) || !sundog_messages[type].handle ||
        size != sundog_messages[type].size) {
        return -1;
    }
    return size <= s->rx_length ? size : 0;
}

/*
 * Removes the first message, of SIZE bytes, from rx and handles it. It must be
 * removed first: an interrupt may reach another device that runs bottom halves,
 * and the bottom half of this device may disconnect, which clears rx. Returns
 * false if the broker breaks the protocol.
 */
static bool sundog_handle(SundogState *s, size_t size)
{
    uint8_t message[SUNDOG_MESSAGE_MAX] QEMU_ALIGNED(8);
    uint32_t type;

    memcpy(message, s->rx, size);
    s->rx_length -= size;
    memmove(s->rx, s->rx + size, s->rx_length);

    type = le32_to_cpu(((const struct sundog_message *)message)->type);
    trace_sundog_receive(type, size);
    if (!sundog_rate_allows(&s->rx_rate, RX_PERIOD_MS * SCALE_MS, RX_BURST)) {
        timer_mod(s->rx_timer, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) +
                  RX_PERIOD_MS);
    }
    return sundog_messages[type].handle(s, message);
}

static int sundog_can_receive(void *opaque)
{
    SundogState *s = opaque;

    return timer_pending(s->rx_timer) ? 0 : sizeof(s->rx) - s->rx_length;
}

static void sundog_rx_again(void *opaque)
{
    SundogState *s = opaque;

    qemu_chr_fe_accept_input(&s->chr);
}

static void sundog_receive(void *opaque, const uint8_t *buf, int len)
{
    SundogState *s = opaque;
    const struct sundog_message *header = (const void *)s->rx;
    uint32_t type, bytes;
    int size;

    assert(len <= sizeof(s->rx) - s->rx_length);
    memcpy(s->rx + s->rx_length, buf, len);
    s->rx_length += len;

    while ((size = sundog_rx_message(s)) != 0) {
        type = le32_to_cpu(header->type);
        bytes = le32_to_cpu(header->size);
        if (size < 0 || !sundog_handle(s, size)) {
            sundog_renderer_disconnect(s, "message type %u of %u bytes is an "
                                       "error or not expected", type, bytes);
            break;
        }
    }
}

static void sundog_chr_event(void *opaque, QEMUChrEvent event)
{
    SundogState *s = opaque;

    switch (event) {
    case CHR_EVENT_OPENED:
        sundog_renderer_enter(s, SUNDOG_RENDERER_STATE_STARTING);
        /*
         * Drop messages for the last broker: MSIs that the guest aimed at the
         * device's registers may have queued some since it was lost.
         */
        sundog_tx_clear(s);
        timer_del(s->absent_timer);
        sundog_hello(s);
        break;
    case CHR_EVENT_CLOSED:
        sundog_renderer_closed(s);
        break;
    default:
        break;
    }
}

/* Creates the device's own chardev for a connected socket; takes over FD. */
static bool sundog_chardev_for(SundogState *s, int fd, Error **errp)
{
    g_autofree char *fd_name = g_strdup_printf("%d", fd);
    FdSocketAddress fd_address = { .str = fd_name };
    SocketAddressLegacy address = {
        .type = SOCKET_ADDRESS_TYPE_FD,
        .u.fd.data = &fd_address,
    };
    ChardevSocket socket = { .addr = &address, .has_server = true };
    ChardevBackend backend = {
        .type = CHARDEV_BACKEND_KIND_SOCKET,
        .u.socket.data = &socket,
    };
    Coroutine *self = qemu_coroutine_self();
    Monitor *monitor = monitor_set_cur(self, NULL);
    Chardev *chr;

    /*
     * If a monitor plugs in the device, it is the current one, and the chardev
     * would look up the descriptor's number as a name of the monitor's (getfd).
     */
    chr = qemu_chardev_new(NULL, TYPE_CHARDEV_SOCKET, &backend, NULL, errp);
    monitor_set_cur(self, monitor);
    if (!chr) {
        close(fd);
        return false;
    }
    s->spawned = true;
    return qemu_chr_fe_init(&s->chr, chr, errp);
}

static bool sundog_renderer_start(SundogState *s, Error **errp)
{
    int fd = sundog_spawn(s, errp);

    s->started = qemu_clock_get_ms(sundog_wait_clock());
    if (fd < 0) {
        return false;
    }
    if (!sundog_chardev_for(s, fd, errp)) {
        sundog_spawn_end(s);
        return false;
    }
    return true;
}

static void sundog_renderer_attach(SundogState *s)
{
    qemu_chr_fe_set_handlers(&s->chr, sundog_can_receive, sundog_receive,
                             sundog_chr_event, NULL, s, NULL, true);
}

static void sundog_renderer_restart(void *opaque)
{
    SundogState *s = opaque;
    Error *err = NULL;

    qemu_chr_fe_deinit(&s->chr, true);
    if (sundog_renderer_start(s, &err)) {
        sundog_renderer_attach(s);
    } else {
        warn_report_err(err);
        sundog_renderer_restart_later(s);
    }
}

/* The chardev has had no connection since the device was plugged. */
static void sundog_renderer_absent(void *opaque)
{
    SundogState *s = opaque;
    const Chardev *chr = qemu_chr_fe_get_driver(&s->chr);

    warn_report("sundog: no renderer at chardev=%s (%s) for %d ms, the device "
                "only displays until there is one: start sundog-renderd "
                "--chardev PATH, or correct the path", chr->label,
                chr->filename ?: "no address", ABSENT_MS);
}

/*
 * Starts the renderer, if the device has one of its own. Returns true if the
 * device can go on: without renderer= and renderer-options= it only displays
 * where no renderer can be started.
 */
static bool sundog_renderer_start_first(SundogState *s, Error **errp)
{
    Error *err = NULL;

    if (!s->program || sundog_renderer_start(s, &err)) {
        return true;
    }
    if (s->renderer || (s->renderer_options && s->renderer_options[0])) {
        error_propagate(errp, err);
        return false;
    }
    warn_report_err(err);
    warn_report("sundog: the device has no renderer and only displays; "
                "renderer=none says that this is intended");
    s->program = NULL;
    return true;
}

bool sundog_renderer_realize(SundogState *s, Error **errp)
{
    QSIMPLEQ_INIT(&s->tx);
    if (!sundog_renderer_start_first(s, errp)) {
        return false;
    }
    if (!qemu_chr_fe_backend_connected(&s->chr)) {
        return true;
    }
    s->restart_timer = timer_new_ms(sundog_wait_clock(),
                                    sundog_renderer_restart, s);
    s->absent_timer = timer_new_ms(sundog_wait_clock(), sundog_renderer_absent,
                                   s);
    s->rx_timer = timer_new_ms(QEMU_CLOCK_REALTIME, sundog_rx_again, s);
    s->tx_bh = qemu_bh_new_guarded(sundog_tx, s,
                                   &DEVICE(s)->mem_reentrancy_guard);
    if (!qemu_chr_fe_backend_open(&s->chr)) {
        timer_mod(s->absent_timer, qemu_clock_get_ms(sundog_wait_clock()) +
                  ABSENT_MS);
    }
    sundog_renderer_attach(s);
    return true;
}

void sundog_renderer_exit(SundogState *s)
{
    if (!s->tx_bh) {
        return;
    }
    sundog_spawn_end(s);
    timer_free(s->restart_timer);
    timer_free(s->absent_timer);
    /* A renderer behind the user's chardev must see the connection close. */
    qemu_chr_fe_set_handlers(&s->chr, NULL, NULL, NULL, NULL, NULL, NULL, true);
    qemu_chr_fe_disconnect(&s->chr);
    qemu_chr_fe_deinit(&s->chr, s->spawned);
    timer_free(s->rx_timer);
    sundog_tx_clear(s);
    qemu_bh_delete(s->tx_bh);
}

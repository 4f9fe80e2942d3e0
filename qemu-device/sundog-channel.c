/*
 * sundog, a GPU in software: channel slots
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest's driver and the worker use the ring of a channel without the
 * device. The device creates the two eventfds that wake them (doorbell, fence
 * interrupt), sends creations and destructions to the broker, and shows the
 * state of the channel that the broker reports.
 *
 * A slot is wired, that is, it has its eventfds, from CREATE until the channel
 * is DEAD or OFF.
 *
 * A worker can signal its eventfd at any rate: the device mutes a channel that
 * exceeds its share of the interrupts until the next period.
 */

#include "qemu/osdep.h"
#include <poll.h>
#include <sys/uio.h>
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/kvm.h"
#include "sundog.h"
#include "trace.h"

#define CHANNEL_REG(name) \
    (SUNDOG_REG_CHANNEL_ ## name(0) - SUNDOG_REG_CHANNEL_STATE(0))

/* Fence interrupts of all channels of a device in each period. */
#define IRQ_BURST           512
#define IRQ_PERIOD_MS       10

/*
 * Limit for all sundog devices of the machine. QEMU aborts if KVM refuses an
 * ioeventfd, so the guest must not be able to exhaust them.
 */
#define MAX_IOEVENTFDS      512

static unsigned n_ioeventfds;

/*
 * Like event_notifier_test_and_clear(), but does not block even if the broker,
 * which shares the open file, has removed O_NONBLOCK from it.
 */
static bool sundog_channel_take_irq(SundogChannel *ch)
{
    uint64_t count;
    struct iovec iov = { &count, sizeof(count) };
    ssize_t ret;

    do {
        ret = preadv2(event_notifier_get_fd(&ch->irq), &iov, 1, -1,
                      RWF_NOWAIT);
    } while (ret < 0 && errno == EINTR);
    if (ret < 0 && errno == EOPNOTSUPP) {
        /* eventfd supports RWF_NOWAIT since Linux 5.8. */
        return event_notifier_test_and_clear(&ch->irq);
    }
    return ret > 0;
}

static void sundog_channel_irq(EventNotifier *n)
{
    SundogChannel *ch = container_of(n, SundogChannel, irq);
    SundogState *s = ch->s;
    unsigned share = MAX(IRQ_BURST / s->n_wired, 1);

    if (!sundog_channel_take_irq(ch)) {
        return;
    }
    if (!sundog_rate_allows(&ch->irq_rate, IRQ_PERIOD_MS * SCALE_MS,
                            share - 1)) {
        trace_sundog_channel_muted(ch->index);
        ch->irq_muted = true;
        event_notifier_set_handler(&ch->irq, NULL);
        if (!timer_pending(s->irq_timer)) {
            timer_mod(s->irq_timer, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) +
                      IRQ_PERIOD_MS);
        }
    }
    sundog_notify_last(s, SUNDOG_VECTOR_FENCE);
}

/*
 * Starts the next period. The signals of a muted channel have accumulated in
 * its eventfd and raise one interrupt.
 */
static void sundog_channels_unmute(void *opaque)
{
    SundogState *s = opaque;

    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        SundogChannel *ch = &s->channels[i];

        if (ch->irq_muted) {
            ch->irq_muted = false;
            ch->irq_rate = (SundogRate) {};
            event_notifier_set_handler(&ch->irq, sundog_channel_irq);
        }
    }
}

/* Adds an ioeventfd if the limits allow; other doorbells trap to QEMU. */
static void sundog_channel_add_ioeventfd(SundogChannel *ch)
{
    SundogState *s = ch->s;

    if (!kvm_enabled() || s->n_ioeventfds >= s->max_ioeventfds ||
        n_ioeventfds >= MAX_IOEVENTFDS) {
        return;
    }
    memory_region_add_eventfd(&s->regs, SUNDOG_REG_DOORBELL(ch->index), 4,
                              false, 0, &ch->doorbell);
    ch->ioeventfd = true;
    s->n_ioeventfds++;
    n_ioeventfds++;
}

static void sundog_channel_del_ioeventfd(SundogChannel *ch)
{
    SundogState *s = ch->s;

    if (!ch->ioeventfd) {
        return;
    }
    memory_region_del_eventfd(&s->regs, SUNDOG_REG_DOORBELL(ch->index), 4,
                              false, 0, &ch->doorbell);
    ch->ioeventfd = false;
    s->n_ioeventfds--;
    n_ioeventfds--;
}

static bool sundog_channel_wire(SundogChannel *ch)
{
    if (event_notifier_init(&ch->doorbell, 0) < 0) {
        return false;
    }
    if (event_notifier_init(&ch->irq, 0) < 0) {
        event_notifier_cleanup(&ch->doorbell);
        return false;
    }
    sundog_channel_add_ioeventfd(ch);
    event_notifier_set_handler(&ch->irq, sundog_channel_irq);
    ch->wired = true;
    ch->s->n_wired++;
    return true;
}

static void sundog_channel_unwire(SundogChannel *ch)
{
    if (!ch->wired) {
        return;
    }
    ch->wired = false;
    ch->irq_muted = false;
    ch->s->n_wired--;
    /* Deliver the worker's last fence interrupt. */
    if (sundog_channel_take_irq(ch)) {
        sundog_notify(ch->s, SUNDOG_VECTOR_FENCE);
    }
    event_notifier_set_handler(&ch->irq, NULL);
    sundog_channel_del_ioeventfd(ch);
    event_notifier_cleanup(&ch->irq);
    event_notifier_cleanup(&ch->doorbell);
}

/*
 * Rings a doorbell without an ioeventfd. The broker, which shares the open
 * file, may have removed O_NONBLOCK, so poll before writing: an eventfd that
 * cannot be written without blocking is signalled already.
 */
void sundog_channel_ring(SundogChannel *ch)
{
    struct pollfd p = { .events = POLLOUT };

    if (!ch->wired) {
        sundog_guest_error(ch->s, "doorbell of channel %u ignored: it is %s",
                           ch->index, ch->state == SUNDOG_CHANNEL_STATE_OFF ?
                           "off" : "stopped");
        return;
    }
    p.fd = event_notifier_get_fd(&ch->doorbell);
    if (poll(&p, 1, 0) == 1) {
        event_notifier_set(&ch->doorbell);
    }
}

/* Enters a state that the driver did not set itself, and interrupts it. */
static void sundog_channel_enter(SundogChannel *ch, uint32_t state)
{
    SundogState *s = ch->s;

    trace_sundog_channel_state(ch->index, ch->state, state);
    if (state == SUNDOG_CHANNEL_STATE_OFF ||
        state == SUNDOG_CHANNEL_STATE_DEAD) {
        sundog_channel_unwire(ch);
    }
    ch->state = state;
    if (state == SUNDOG_CHANNEL_STATE_OFF) {
        ch->known = false;
        ch->client = 0;
    }
    s->channel_events[ch->index / 32] |= 1u << ch->index % 32;
    sundog_raise_device(s, SUNDOG_DEVICE_EVENT_CHANNEL);
}

/* Records a fault. Only the first one counts: it causes the others. */
static void sundog_channel_fault(SundogChannel *ch, SundogFault fault)
{
    if (fault.code == SUNDOG_FAULT_CODE_NONE ||
        ch->fault.code != SUNDOG_FAULT_CODE_NONE) {
        return;
    }
    trace_sundog_channel_fault(ch->index, fault.code, fault.seqno,
                               fault.offset, fault.arg);
    ch->fault = fault;
}

static void sundog_channel_create(SundogState *s, SundogChannel *ch)
{
    struct sundog_message_channel_create msg = {
        .client = cpu_to_le32(s->channel_client),
        .channel = cpu_to_le32(ch->index),
    };
    int fds[SUNDOG_MESSAGE_CHANNEL_CREATE_FDS];

    if (ch->state != SUNDOG_CHANNEL_STATE_OFF || s->channel_client == 0 ||
        s->renderer_state != SUNDOG_RENDERER_STATE_READY) {
        sundog_guest_error(s, "cannot create channel %u for client %u: "
                           "channel state %u, renderer state %u", ch->index,
                           s->channel_client, ch->state, s->renderer_state);
        return;
    }
    ch->fault = (SundogFault) {};
    ch->client = s->channel_client;
    if (!sundog_channel_wire(ch)) {
        warn_report_once("sundog: no eventfd for channel %u: %s; its context "
                         "is lost, raise QEMU's ulimit -n", ch->index,
                         strerror(errno));
        sundog_channel_fault(ch, (SundogFault) { SUNDOG_FAULT_CODE_HOST });
        sundog_channel_enter(ch, SUNDOG_CHANNEL_STATE_DEAD);
        return;
    }
    trace_sundog_channel_state(ch->index, ch->state,
                               SUNDOG_CHANNEL_STATE_CREATING);
    ch->state = SUNDOG_CHANNEL_STATE_CREATING;
    ch->known = true;
    fds[0] = event_notifier_get_fd(&ch->doorbell);
    fds[1] = event_notifier_get_fd(&ch->irq);
    sundog_renderer_send(s, SUNDOG_MESSAGE_CHANNEL_CREATE, &msg, sizeof(msg),
                         fds, ARRAY_SIZE(fds));
}

/* Ends a channel: at once, or when the broker, if it knows it, reports OFF. */
static void sundog_channel_end(SundogState *s, SundogChannel *ch)
{
    struct sundog_message_channel_destroy msg = {
        .client = cpu_to_le32(ch->client),
        .channel = cpu_to_le32(ch->index),
    };

    if (!ch->known) {
        sundog_channel_enter(ch, SUNDOG_CHANNEL_STATE_OFF);
        return;
    }
    trace_sundog_channel_state(ch->index, ch->state,
                               SUNDOG_CHANNEL_STATE_DESTROYING);
    ch->state = SUNDOG_CHANNEL_STATE_DESTROYING;
    sundog_renderer_send(s, SUNDOG_MESSAGE_CHANNEL_DESTROY, &msg, sizeof(msg),
                         NULL, 0);
}

static void sundog_channel_destroy(SundogState *s, SundogChannel *ch)
{
    if (ch->state != SUNDOG_CHANNEL_STATE_RUN &&
        ch->state != SUNDOG_CHANNEL_STATE_FAULT &&
        ch->state != SUNDOG_CHANNEL_STATE_DEAD) {
        sundog_guest_error(s, "cannot destroy channel %u in state %u: it is "
                           "not RUN, FAULT or DEAD", ch->index, ch->state);
        return;
    }
    sundog_channel_end(s, ch);
}

/*
 * Destroys a client. Each of its channels gets a message of its own, since a
 * broker that has just refused to create a channel does not count it as one of
 * the client, but answers OFF to CHANNEL_DESTROY. CLIENT_DESTROY is the one
 * message that a guest can queue without limit, and the guest relies on it: if
 * too many messages wait, sundog_tx() treats the broker as hung.
 */
static void sundog_client_destroy(SundogState *s)
{
    struct sundog_message_client_destroy msg = {
        .client = cpu_to_le32(s->channel_client),
    };

    if (s->channel_client == 0) {
        sundog_guest_error(s, "cannot destroy client 0: write CHANNEL_CLIENT "
                           "first");
        return;
    }
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        SundogChannel *ch = &s->channels[i];

        if (ch->client == s->channel_client &&
            ch->state != SUNDOG_CHANNEL_STATE_DESTROYING) {
            sundog_channel_end(s, ch);
        }
    }
    if (s->renderer_state == SUNDOG_RENDERER_STATE_READY) {
        sundog_renderer_send(s, SUNDOG_MESSAGE_CLIENT_DESTROY, &msg,
                             sizeof(msg), NULL, 0);
    }
}

void sundog_channel_command(SundogState *s, uint32_t op, uint32_t index)
{
    if (s->resetting) {
        sundog_guest_error(s, "channel command %u ignored during a reset: wait "
                           "for the event RESET", op);
        return;
    }
    if (op == SUNDOG_CHANNEL_OP_CLIENT_DESTROY) {
        sundog_client_destroy(s);
        return;
    }
    if (index >= s->num_channels) {
        sundog_guest_error(s, "channel command %u for channel %u ignored: the "
                           "device has %u", op, index, s->num_channels);
        return;
    }
    switch (op) {
    case SUNDOG_CHANNEL_OP_CREATE:
        sundog_channel_create(s, &s->channels[index]);
        break;
    case SUNDOG_CHANNEL_OP_DESTROY:
        sundog_channel_destroy(s, &s->channels[index]);
        break;
    default:
        sundog_guest_error(s, "channel command %u for channel %u ignored: "
                           "unknown command", op, index);
        break;
    }
}

uint32_t sundog_channel_read(SundogChannel *ch, hwaddr reg)
{
    switch (reg) {
    case CHANNEL_REG(STATE):
        return ch->state;
    case CHANNEL_REG(FAULT):
        return ch->fault.code;
    case CHANNEL_REG(FAULT_SEQNO):
        return ch->fault.seqno;
    case CHANNEL_REG(FAULT_SEQNO) + 4:
        return ch->fault.seqno >> 32;
    case CHANNEL_REG(FAULT_OFFSET):
        return ch->fault.offset;
    case CHANNEL_REG(FAULT_OFFSET) + 4:
        return ch->fault.offset >> 32;
    case CHANNEL_REG(FAULT_ARG):
        return ch->fault.arg;
    case CHANNEL_REG(FAULT_ARG) + 4:
        return ch->fault.arg >> 32;
    default:
        return 0;
    }
}

static bool sundog_channel_may_enter(uint32_t from, uint32_t to)
{
    switch (to) {
    case SUNDOG_CHANNEL_STATE_RUN:
        return from == SUNDOG_CHANNEL_STATE_CREATING;
    case SUNDOG_CHANNEL_STATE_FAULT:
        return from == SUNDOG_CHANNEL_STATE_CREATING ||
               from == SUNDOG_CHANNEL_STATE_RUN;
    case SUNDOG_CHANNEL_STATE_DEAD:
        return from == SUNDOG_CHANNEL_STATE_CREATING ||
               from == SUNDOG_CHANNEL_STATE_RUN ||
               from == SUNDOG_CHANNEL_STATE_FAULT;
    case SUNDOG_CHANNEL_STATE_OFF:
        return from == SUNDOG_CHANNEL_STATE_DESTROYING;
    default:
        return false;
    }
}

/*
 * Handles a CHANNEL_STATE message. A message that crossed a destruction or a
 * reset comes too late, which is no error.
 */
void sundog_channel_report(SundogState *s,
                           const struct sundog_message_channel_state *msg)
{
    uint32_t index = le32_to_cpu(msg->channel);
    uint32_t state = le32_to_cpu(msg->state);
    SundogFault fault = {
        .code = le32_to_cpu(msg->fault),
        .seqno = le64_to_cpu(msg->seqno),
        .offset = le64_to_cpu(msg->offset),
        .arg = le64_to_cpu(msg->arg),
    };
    SundogChannel *ch;

    if (index >= SUNDOG_MAX_CHANNELS) {
        warn_report_once("sundog: the renderer reports channel %u, the last is "
                         "%d, ignoring it: build QEMU and renderer from one "
                         "checkout", index, SUNDOG_MAX_CHANNELS - 1);
        return;
    }
    ch = &s->channels[index];
    if (s->resetting || !sundog_channel_may_enter(ch->state, state)) {
        trace_sundog_channel_late(index, ch->state, state);
        /* Other contexts of the client need the channel that is guilty. */
        if (!s->resetting && ch->state == SUNDOG_CHANNEL_STATE_DESTROYING &&
            state == SUNDOG_CHANNEL_STATE_FAULT &&
            (fault.code == SUNDOG_FAULT_CODE_WORKER ||
             fault.code == SUNDOG_FAULT_CODE_TIMEOUT)) {
            sundog_channel_fault(ch, fault);
        }
        return;
    }
    sundog_channel_fault(ch, fault);
    sundog_channel_enter(ch, state);
}

/*
 * The connection to the broker ended. A renderer that the device started has
 * been reaped, and its workers were killed with it (PR_SET_PDEATHSIG). Another
 * broker ends its workers before it closes the connection; if it crashed, or
 * the device disconnected it, they end at about this time.
 */
void sundog_channels_lost(SundogState *s)
{
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        SundogChannel *ch = &s->channels[i];

        if (!ch->known) {
            continue;
        }
        ch->known = false;
        if (ch->state == SUNDOG_CHANNEL_STATE_DESTROYING) {
            sundog_channel_enter(ch, SUNDOG_CHANNEL_STATE_OFF);
        } else if (ch->state != SUNDOG_CHANNEL_STATE_DEAD) {
            sundog_channel_fault(ch, (SundogFault) {
                                     SUNDOG_FAULT_CODE_WORKER
                                 });
            sundog_channel_enter(ch, SUNDOG_CHANNEL_STATE_DEAD);
        }
    }
}

/* First half of a reset: no doorbell and no fence interrupt from here on. */
void sundog_channels_stop(SundogState *s)
{
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        SundogChannel *ch = &s->channels[i];

        sundog_channel_unwire(ch);
        if (ch->state != SUNDOG_CHANNEL_STATE_OFF) {
            ch->state = SUNDOG_CHANNEL_STATE_DESTROYING;
        }
    }
}

/*
 * Second half of a reset: no submission of any channel runs. The RESET event
 * reports this for all channels.
 */
void sundog_channels_off(SundogState *s)
{
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        SundogChannel *ch = &s->channels[i];

        ch->state = SUNDOG_CHANNEL_STATE_OFF;
        ch->client = 0;
        ch->known = false;
        ch->fault = (SundogFault) {};
    }
}

void sundog_channel_init(SundogState *s)
{
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        s->channels[i].s = s;
        s->channels[i].index = i;
    }
    s->irq_timer = timer_new_ms(QEMU_CLOCK_REALTIME, sundog_channels_unmute, s);
}

void sundog_channel_exit(SundogState *s)
{
    sundog_channels_stop(s);
    timer_free(s->irq_timer);
}

/*
 * sundog: qtest of attacks that would crash or block QEMU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest points MSIs at any address; the broker sends any messages and
 * signals at any rate.
 */

#include "qemu/osdep.h"
#include <sys/resource.h>
#include "libqos/pci-pc.h"
#include "qemu/atomic.h"
#include "sundog-test-fixture.h"

#define FLOOD_MS        1000
#define CALM_MS         300     /* longer than any channel is muted */
#define PERIOD_MS       10      /* period of the device's rate limits */

/* A thread that sends messages or signals until it is stopped. */
typedef struct Flood {
    GThread *thread;
    int fd;
    bool stop;
    uint64_t sent;
} Flood;

static void start_flood(Flood *flood, GThreadFunc func, int fd)
{
    *flood = (Flood) { .fd = fd };
    flood->thread = g_thread_new("flood", func, flood);
}

static void stop_flood(Flood *flood)
{
    qatomic_set(&flood->stop, true);
    g_thread_join(flood->thread);
}

/*
 * Checks that there were at most LIMIT events per period since START, with a
 * tolerance of three periods.
 */
static void check_rate(uint64_t count, int64_t start, uint64_t limit)
{
    int64_t ms = (g_get_monotonic_time() - start) / 1000;

    g_test_message("%" PRIu64 " in %" PRId64 " ms", count, ms);
    g_assert_cmpuint(count, <=, (ms / PERIOD_MS + 3) * limit);
}

/*
 * An MSI resets a disk, which waits for its I/O thread and runs bottom halves
 * meanwhile; that of the device finds that it cannot write to the broker any
 * more, and disconnects it, while a message of that broker is being handled.
 */
static void test_hang_up_inside(void)
{
    const struct sundog_message_channel_state dead = {
        .header = { SUNDOG_MESSAGE_CHANNEL_STATE, sizeof(dead) },
        .state = SUNDOG_CHANNEL_STATE_DEAD,
    };
    const uint64_t one = 1;
    Message m, channel;
    QPCIDevice *disk;
    QPCIBar bar;
    pid_t qemu;
    Fixture f;

    start_connected_with(&f, &m, DISK_OPTIONS, ",reconnect-ms=50", "");
    welcome(&f, &m);
    create_channel(&f, 1, 0, &channel);
    disk = start_disk(&f, &bar);
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 2);
    aim_msix(&f, SUNDOG_VECTOR_FENCE, SUNDOG_REG_CHANNEL_CMD,
             SUNDOG_CHANNEL_OP_CLIENT_DESTROY << 16);
    aim_msix_at(&f, SUNDOG_VECTOR_EVENT, bar.addr + DISK_STATUS, 0);
    /* A pending MSI has reset the disk. */
    qpci_io_writeb(disk, bar, DISK_STATUS, 0xf);

    /* The fence's MSI queues a message just before DEAD is handled. */
    qemu = qtest_pid(f.qts);
    g_assert_cmpint(kill(qemu, SIGSTOP), ==, 0);
    g_assert_cmpint(write(channel.fds[1], &one, sizeof(one)), ==, sizeof(one));
    broker_send_bytes(f.broker, &dead, sizeof(dead));
    shutdown(f.broker, SHUT_RD);
    g_assert_cmpint(kill(qemu, SIGCONT), ==, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_DEAD);
    close(f.broker);
    accept_hello(&f, &m);
    welcome(&f, &m);
    g_assert_cmpuint(qpci_io_readb(disk, bar, DISK_STATUS), ==, 0);
    broker_close_fds(&channel);
    g_free(disk);
    stop_connected(&f);
}

/* Sends as many messages as the socket takes; they change no state. */
static gpointer send_messages(gpointer opaque)
{
    struct sundog_message_channel_state messages[64];
    Flood *flood = opaque;

    for (unsigned i = 0; i < ARRAY_SIZE(messages); i++) {
        messages[i] = (struct sundog_message_channel_state) {
            .header = { SUNDOG_MESSAGE_CHANNEL_STATE, sizeof(messages[i]) },
            .channel = i,
            .state = SUNDOG_CHANNEL_STATE_RUN,
        };
    }
    /* Stop at the end of a message only. */
    while (!qatomic_read(&flood->stop) || flood->sent % sizeof(messages[0])) {
        size_t done = flood->sent % sizeof(messages);
        ssize_t ret = send(flood->fd, (char *)messages + done,
                           sizeof(messages) - done,
                           MSG_NOSIGNAL | MSG_DONTWAIT);

        if (ret > 0) {
            flood->sent += ret;
        } else {
            g_usleep(100);
        }
    }
    return NULL;
}

static void test_message_flood(void)
{
    const size_t size = sizeof(struct sundog_message_channel_state);
    int64_t begin;
    Flood flood;
    Fixture f;

    start_ready(&f);
    begin = g_get_monotonic_time();
    start_flood(&flood, send_messages, f.broker);
    g_usleep(FLOOD_MS * 1000);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    stop_flood(&flood);
    /* RX_BURST and the rest of the device's buffer; the socket has more. */
    check_rate(flood.sent / size, begin, 256 + 4096 / size);

    /* Messages are delayed, but none is lost. */
    ask_for_channel(&f, 1, 0);
    broker_send_channel_state(f.broker, 0, SUNDOG_CHANNEL_STATE_RUN,
                              0, 0, 0, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
    stop_connected(&f);
}

static gpointer signal_fences(gpointer opaque)
{
    const uint64_t one = 1;
    Flood *flood = opaque;

    while (!qatomic_read(&flood->stop)) {
        flood->sent += write(flood->fd, &one, sizeof(one)) == sizeof(one);
    }
    return NULL;
}

/* Returns the number of interrupts: each MSI sends a message to the broker. */
static uint64_t count_interrupts(Fixture *f, int64_t until)
{
    uint64_t count = 0;
    Message m;

    while (g_get_monotonic_time() < until) {
        if (broker_readable(f->broker, 100)) {
            broker_expect(f->broker, &m, SUNDOG_MESSAGE_CLIENT_DESTROY,
                          sizeof(m.client_destroy), 0);
            count++;
        }
    }
    return count;
}

/* A worker gets its share of interrupts only. */
static void test_fence_flood(void)
{
    const unsigned channels = 8;
    const uint64_t one = 1;
    Message m[8], last;
    int64_t begin;
    Flood flood;
    Fixture f;

    start_ready(&f);
    for (unsigned i = 0; i < channels; i++) {
        create_channel(&f, 1, i, &m[i]);
    }
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 2);
    aim_msix(&f, SUNDOG_VECTOR_FENCE, SUNDOG_REG_CHANNEL_CMD,
             SUNDOG_CHANNEL_OP_CLIENT_DESTROY << 16);

    begin = g_get_monotonic_time();
    start_flood(&flood, signal_fences, m[0].fds[1]);
    check_rate(count_interrupts(&f, begin + FLOOD_MS * 1000), begin,
               512 / channels);
    stop_flood(&flood);

    /* No channel stays muted, and the last signal is not lost. */
    while (count_interrupts(&f, g_get_monotonic_time() + CALM_MS * 1000)) {
    }
    for (unsigned i = 0; i < channels; i++) {
        g_assert_cmpint(write(m[i].fds[1], &one, sizeof(one)), ==, sizeof(one));
        broker_expect(f.broker, &last, SUNDOG_MESSAGE_CLIENT_DESTROY,
                      sizeof(last.client_destroy), 0);
        g_assert_cmpuint(count_interrupts(&f, g_get_monotonic_time() +
                                          CALM_MS * 1000), ==, 0);
        broker_close_fds(&m[i]);
    }
    stop_connected(&f);
}

/* The broker tries to block QEMU in a write to a full doorbell eventfd. */
static void test_full_doorbell(void)
{
    const uint64_t full = UINT64_MAX - 1;
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 0, &m);
    g_assert_cmpint(fcntl(m.fds[0], F_SETFL, 0), ==, 0);
    g_assert_cmpint(write(m.fds[0], &full, sizeof(full)), ==, sizeof(full));
    wr(&f, SUNDOG_REG_DOORBELL(0), 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    broker_close_fds(&m);
    stop_connected(&f);
}

/* Five devices with 256 ioeventfds each: more than MAX_IOEVENTFDS in all. */
static void test_kvm_ioeventfds(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autoptr(GString) options = g_string_new("-accel kvm -machine q35 -S "
                                              "-vga none");
    struct rlimit files;
    Fixture f[5] = {};

    if (access("/dev/kvm", R_OK | W_OK)) {
        g_test_skip("there is no /dev/kvm");
        return;
    }
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (unsigned i = 0; i < ARRAY_SIZE(f); i++) {
        g_string_append_printf(options, " -device sundog,addr=%u,vram=16M,"
                               "ioeventfds=256,renderer=%s", SLOT + i, self);
    }
    f[0].qts = qtest_init(options->str);
    f[0].bus = qpci_new_pc(f[0].qts, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(f); i++) {
        f[i].dev = qpci_device_find(f[0].bus, QPCI_DEVFN(SLOT + i, 0));
        qpci_device_enable(f[i].dev);
        f[i].regs = qpci_iomap(f[i].dev, 0, NULL);
        wait_for(&f[i], SUNDOG_REG_RENDERER_STATE,
                 SUNDOG_RENDERER_STATE_READY);
        for (uint32_t channel = 0; channel < SUNDOG_MAX_CHANNELS; channel++) {
            ask_for_channel(&f[i], 1, channel);
        }
        wait_for(&f[i], SUNDOG_REG_CHANNEL_STATE(SUNDOG_MAX_CHANNELS - 1),
                 SUNDOG_CHANNEL_STATE_RUN);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(f); i++) {
        g_free(f[i].dev);
    }
    qpci_free_pc(f[0].bus);
    qtest_quit(f[0].qts);
}

static void test_channels_property(void)
{
    Message m;
    Fixture f;

    start_connected_with(&f, &m, "", "", ",channels=4");
    welcome(&f, &m);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_NUM_CHANNELS), ==, 4);
    create_channel(&f, 1, 3, &m);
    broker_close_fds(&m);
    ask_for_channel(&f, 1, 4);
    ask_for_channel(&f, 1, SUNDOG_MAX_CHANNELS - 1);
    broker_expect_nothing(f.broker);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(4)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    stop_connected(&f);
}

void add_hostile_tests(void)
{
    qtest_add_func("/sundog/hostile/hang-up-inside", test_hang_up_inside);
    qtest_add_func("/sundog/hostile/message-flood", test_message_flood);
    qtest_add_func("/sundog/hostile/fence-flood", test_fence_flood);
    qtest_add_func("/sundog/hostile/full-doorbell", test_full_doorbell);
    qtest_add_func("/sundog/hostile/kvm-ioeventfds", test_kvm_ioeventfds);
    qtest_add_func("/sundog/hostile/channels", test_channels_property);
}

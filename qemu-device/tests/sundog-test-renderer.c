/*
 * sundog: qtest of the channels and the renderer's connection
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The test plays the broker, see sundog-test-broker.h.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"

static void wait_fence_irq(Fixture *f)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (qpci_msix_pending(f->dev, SUNDOG_VECTOR_FENCE)) {
            return;
        }
        g_usleep(1000);
    }
    g_assert_not_reached();
}

static void command(Fixture *f, uint32_t op, uint32_t channel)
{
    wr(f, SUNDOG_REG_CHANNEL_CMD, op << 16 | channel);
}

static void test_no_renderer(void)
{
    Fixture f;

    start(&f, "");
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 1);
    for (uint32_t op = 0; op < 5; op++) {
        command(&f, op, 0);
        command(&f, op, SUNDOG_MAX_CHANNELS);
        command(&f, op, 0xffff);
    }
    for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
        wr(&f, SUNDOG_REG_DOORBELL(i), i);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(i)), ==,
                         SUNDOG_CHANNEL_STATE_OFF);
    }
    stop(&f);
}

/* The memory can be mapped for writing, as vhost-user back ends do. */
static void check_memory(int fd, off_t size)
{
    struct stat st;
    void *map;

    g_assert_cmpint(fstat(fd, &st), ==, 0);
    g_assert_cmpint(st.st_size, ==, size);
    g_assert_cmphex(fcntl(fd, F_GET_SEALS), ==,
                    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    g_assert_true(map != MAP_FAILED);
    munmap(map, size);
}

static void test_hello(void)
{
    const size_t table_size = SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE;
    uint64_t *table;
    Message m;
    Fixture f;

    start_connected(&f, &m);
    g_assert_cmphex(m.hello.magic, ==, SUNDOG_MAGIC);
    g_assert_cmphex(m.hello.version, ==, SUNDOG_VERSION);
    g_assert_cmpuint(m.hello.role, ==, SUNDOG_ROLE_DEVICE);
    g_assert_cmpuint(m.hello.vram_size, ==, VRAM_SIZE);
    g_assert_cmpuint(m.hello.extent_shift, ==,
                     rd(&f, SUNDOG_REG_EXTENT_SHIFT));
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                     SUNDOG_RENDERER_STATE_STARTING);

    check_memory(m.fds[0], VRAM_SIZE);
    check_memory(m.fds[1], table_size);
    check_memory(m.fds[2], SUNDOG_CHANNELS_MEMORY);
    table = mmap(NULL, table_size, PROT_READ, MAP_SHARED, m.fds[1], 0);
    g_assert_true(table != MAP_FAILED);
    qpci_io_writeq(f.dev, f.control, SUNDOG_CONTROL_TABLE + 8, 0x1234567890);
    g_assert_cmphex(le64_to_cpu(table[1]), ==, 0x1234567890);
    munmap(table, table_size);
    broker_close_fds(&m);
    stop_connected(&f);
}

/* The welcome comes in two parts, as a stream may deliver it. */
static void test_welcome(void)
{
    struct sundog_message_welcome welcome;
    Message m;
    Fixture f;

    start_connected(&f, &m);
    broker_close_fds(&m);
    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    broker_fill_welcome(&welcome, VRAM_SIZE);
    broker_send_bytes(f.broker, &welcome, 100);
    g_usleep(50000);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                     SUNDOG_RENDERER_STATE_STARTING);
    broker_send_bytes(f.broker, (char *)&welcome + 100, sizeof(welcome) - 100);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_RENDERER);
    g_assert_true(qpci_msix_pending(f.dev, SUNDOG_VECTOR_EVENT));
    g_assert_cmphex(rd64(&f, SUNDOG_REG_FEATURES), ==, SUNDOG_FEATURE_RENDER |
                    SUNDOG_FEATURE_LINEAR_LAYOUT | SUNDOG_FEATURE_RAW_MOVE |
                    SUNDOG_FEATURE_DISCARD | SUNDOG_STREAM_FEATURES);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CAPS), ==, sizeof(struct sundog_caps));
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CAPS +
                        offsetof(struct sundog_caps, max_image_2d)), ==, 16384);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CAPS + sizeof(struct sundog_caps)), ==,
                     0);
    stop_connected(&f);
}

static void test_channel(void)
{
    uint64_t count;
    Message m, d;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 77, 40, &m);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_CHANNEL);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CHANNEL_EVENTS(1)), ==, 1 << 8);
    wr(&f, SUNDOG_REG_CHANNEL_EVENTS(1), 1 << 8);
    g_assert_cmphex(rd(&f, SUNDOG_REG_CHANNEL_EVENTS(1)), ==, 0);

    wr(&f, SUNDOG_REG_DOORBELL(40), 0xabcdef);
    wr(&f, SUNDOG_REG_DOORBELL(41), 0);
    g_assert_cmpint(read(m.fds[0], &count, sizeof(count)), ==, sizeof(count));
    g_assert_cmpuint(count, ==, 1);
    g_assert_false(qpci_msix_pending(f.dev, SUNDOG_VECTOR_FENCE));
    g_assert_cmpint(write(m.fds[1], &count, sizeof(count)), ==, sizeof(count));
    wait_fence_irq(&f);

    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_FAULT,
                              SUNDOG_FAULT_CODE_OPCODE, 1ull << 40, 24, 99);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(40), SUNDOG_CHANNEL_STATE_FAULT);
    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_DEAD,
                              SUNDOG_FAULT_CODE_WORKER, 1, 2, 3);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(40), SUNDOG_CHANNEL_STATE_DEAD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(40)), ==,
                     SUNDOG_FAULT_CODE_OPCODE);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_CHANNEL_FAULT_SEQNO(40)), ==,
                     1ull << 40);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_CHANNEL_FAULT_OFFSET(40)), ==, 24);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_CHANNEL_FAULT_ARG(40)), ==, 99);
    wr(&f, SUNDOG_REG_DOORBELL(40), 0);

    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 40);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(40)), ==,
                     SUNDOG_CHANNEL_STATE_DESTROYING);
    broker_expect(f.broker, &d, SUNDOG_MESSAGE_CHANNEL_DESTROY,
                  sizeof(d.destroy), 0);
    g_assert_cmpuint(d.destroy.client, ==, 77);
    g_assert_cmpuint(d.destroy.channel, ==, 40);
    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_OFF,
                              0, 0, 0, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(40), SUNDOG_CHANNEL_STATE_OFF);
    broker_close_fds(&m);

    create_channel(&f, 78, 40, &m);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(40)), ==,
                     SUNDOG_FAULT_CODE_NONE);
    broker_close_fds(&m);
    stop_connected(&f);
}

/*
 * A channel in state DESTROYING records a fault if it is the reason why its
 * client's worker ends, and no other faults.
 */
static void test_late_fault(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 77, 40, &m);
    broker_close_fds(&m);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 40);
    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_FAULT,
                              SUNDOG_FAULT_CODE_OPCODE, 6, 0, 0);
    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_FAULT,
                              SUNDOG_FAULT_CODE_TIMEOUT, 7, 0, 5000);
    broker_send_channel_state(f.broker, 40, SUNDOG_CHANNEL_STATE_OFF,
                              0, 0, 0, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(40), SUNDOG_CHANNEL_STATE_OFF);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(40)), ==,
                     SUNDOG_FAULT_CODE_TIMEOUT);
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_CHANNEL_FAULT_SEQNO(40)), ==, 7);
    stop_connected(&f);
}

/* The broker tries to block QEMU in a read of the fence's eventfd. */
static void test_blocking_irq(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 0, &m);
    g_assert_cmpint(fcntl(m.fds[1], F_SETFL, 0), ==, 0);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 0);
    broker_send_channel_state(f.broker, 0, SUNDOG_CHANNEL_STATE_OFF,
                              0, 0, 0, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_OFF);
    broker_close_fds(&m);
    stop_connected(&f);
}

static void test_channel_misuse(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 0);
    create_channel(&f, 1, 0, &m);
    broker_close_fds(&m);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 0);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, SUNDOG_MAX_CHANNELS);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 0xffff);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 1);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 0xffff);
    command(&f, 0, 0);
    command(&f, 0xffff, 0);
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 0);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 1);
    command(&f, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, 0);
    broker_expect_nothing(f.broker);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_RUN);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 0);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 0);
    broker_expect(f.broker, &m, SUNDOG_MESSAGE_CHANNEL_DESTROY,
                  sizeof(m.destroy), 0);
    broker_expect_nothing(f.broker);
    stop_connected(&f);
}

/* Expects the messages that end CLIENT, which has channels 0 to COUNT - 1. */
static void expect_client_destroy(Fixture *f, uint32_t client, uint32_t count)
{
    Message m;

    for (uint32_t i = 0; i < count; i++) {
        broker_expect(f->broker, &m, SUNDOG_MESSAGE_CHANNEL_DESTROY,
                      sizeof(m.destroy), 0);
        g_assert_cmpuint(m.destroy.client, ==, client);
        g_assert_cmpuint(m.destroy.channel, ==, i);
    }
    broker_expect(f->broker, &m, SUNDOG_MESSAGE_CLIENT_DESTROY,
                  sizeof(m.client_destroy), 0);
    g_assert_cmpuint(m.client_destroy.client, ==, client);
}

/*
 * CLIENT_DESTROY crosses the broker's DEAD for a channel that it could not
 * create: DEAD comes too late, only OFF ends the channel.
 */
static void test_client_destroy_early(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 5);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 0);
    command(&f, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, 0);
    command(&f, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, 0);
    broker_expect(f.broker, &m, SUNDOG_MESSAGE_CHANNEL_CREATE,
                  sizeof(m.create), SUNDOG_MESSAGE_CHANNEL_CREATE_FDS);
    broker_close_fds(&m);
    broker_send_channel_state(f.broker, 0, SUNDOG_CHANNEL_STATE_DEAD,
                              SUNDOG_FAULT_CODE_WORKER, 0, 0, 0);
    expect_client_destroy(&f, 5, 1);
    expect_client_destroy(&f, 5, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_DESTROYING);
    broker_send_channel_state(f.broker, 0, SUNDOG_CHANNEL_STATE_OFF,
                              0, 0, 0, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_OFF);
    stop_connected(&f);
}

static void test_client_destroy(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    for (int i = 0; i < 3; i++) {
        create_channel(&f, 5 + i / 2, i, &m);
        broker_close_fds(&m);
    }
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 5);
    command(&f, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, 0);
    expect_client_destroy(&f, 5, 2);
    for (int i = 0; i < 2; i++) {
        g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(i)), ==,
                         SUNDOG_CHANNEL_STATE_DESTROYING);
        broker_send_channel_state(f.broker, i, SUNDOG_CHANNEL_STATE_OFF,
                                  0, 0, 0, 0);
        wait_for(&f, SUNDOG_REG_CHANNEL_STATE(i), SUNDOG_CHANNEL_STATE_OFF);
    }
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(2)), ==,
                     SUNDOG_CHANNEL_STATE_RUN);
    stop_connected(&f);
}

static void test_renderer_reset(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 9, &m);
    broker_close_fds(&m);
    wr(&f, SUNDOG_REG_RESET, 1);
    broker_expect(f.broker, &m, SUNDOG_MESSAGE_RESET,
                  sizeof(struct sundog_message_reset), 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RESET), ==, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==, 0);

    wr(&f, SUNDOG_REG_RESET, 1);
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 2);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 10);
    broker_expect_nothing(f.broker);
    broker_send_channel_state(f.broker, 9, SUNDOG_CHANNEL_STATE_OFF,
                              0, 0, 0, 0);
    broker_send_reset_done(f.broker);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_RESET);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(9)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                     SUNDOG_RENDERER_STATE_READY);
    create_channel(&f, 1, 9, &m);
    broker_close_fds(&m);
    stop_connected(&f);
}

/*
 * Many channels end at once, and a fence of the last one signals while the
 * device handles that: its MSI writes the device's own RESET.
 */
static void end_channels(Fixture *f, unsigned delay_us)
{
    struct sundog_message_channel_state dead[16] = {};
    const unsigned last = ARRAY_SIZE(dead) - 1;
    uint64_t one = 1;
    Message m;

    for (unsigned i = 0; i <= last; i++) {
        dead[i].header.type = SUNDOG_MESSAGE_CHANNEL_STATE;
        dead[i].header.size = sizeof(dead[i]);
        dead[i].channel = i;
        dead[i].state = SUNDOG_CHANNEL_STATE_DEAD;
        create_channel(f, 1, i, &m);
        if (i < last) {
            broker_close_fds(&m);
        }
    }
    broker_send_bytes(f->broker, dead, sizeof(dead));
    g_usleep(delay_us);
    g_assert_cmpint(write(m.fds[1], &one, sizeof(one)), ==, sizeof(one));
    broker_close_fds(&m);
    wr(f, SUNDOG_REG_RESET, 1);
    broker_expect(f->broker, &m, SUNDOG_MESSAGE_RESET,
                  sizeof(struct sundog_message_reset), 0);
    broker_send_reset_done(f->broker);
    wait_for(f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(f, SUNDOG_REG_CHANNEL_STATE(last)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
}

static void test_interrupt_loop(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    aim_msix(&f, SUNDOG_VECTOR_FENCE, SUNDOG_REG_RESET, 1);
    for (int i = 0; i < 30; i++) {
        end_channels(&f, i * 20);
    }

    create_channel(&f, 1, 0, &m);
    broker_close_fds(&m);
    aim_msix(&f, SUNDOG_VECTOR_EVENT, SUNDOG_REG_RESET, 1);
    shutdown(f.broker, SHUT_RDWR);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    /* No reset: the reentrancy guard drops MSIs of the device to itself. */
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_DEAD);
    stop_connected(&f);
}

/* A message that an MSI queues at a disconnect is not for the next broker. */
static void test_stale_message(void)
{
    Message m;
    Fixture f;

    start_connected_with(&f, &m, "", ",reconnect-ms=50", "");
    welcome(&f, &m);
    create_channel(&f, 1, 0, &m);
    broker_close_fds(&m);
    aim_msix(&f, SUNDOG_VECTOR_EVENT, SUNDOG_REG_CHANNEL_CMD,
             SUNDOG_CHANNEL_OP_DESTROY << 16);
    close(f.broker);
    accept_hello(&f, &m);
    broker_close_fds(&m);
    stop_connected(&f);
}

static void ask_revoke(Fixture *f, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        wr(f, SUNDOG_REG_REVOKE, 1);
    }
}

static void expect_revoke(Fixture *f, uint32_t serial)
{
    Message m;

    broker_expect(f->broker, &m, SUNDOG_MESSAGE_REVOKE,
                  sizeof(struct sundog_message_revoke), 0);
    g_assert_cmpuint(m.revoke.serial, ==, serial);
}

/* The broker has one REVOKE at a time, which covers all earlier requests. */
static void test_revoke(void)
{
    Fixture f;

    start_ready(&f);
    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    ask_revoke(&f, 1);
    expect_revoke(&f, 1);
    ask_revoke(&f, 100);
    broker_expect_nothing(f.broker);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_REVOKED), ==, 0);
    broker_send_revoked(f.broker, 1);
    wait_for(&f, SUNDOG_REG_REVOKED, 1);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_REVOKED);
    expect_revoke(&f, 101);
    broker_send_revoked(f.broker, 101);
    wait_for(&f, SUNDOG_REG_REVOKED, 101);
    broker_expect_nothing(f.broker);
    stop_connected(&f);
}

/* Without a renderer no worker has mappings: requests complete at once. */
static void test_revoke_lost(void)
{
    Fixture f;

    start_ready(&f);
    ask_revoke(&f, 3);
    expect_revoke(&f, 1);
    shutdown(f.broker, SHUT_RDWR);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_REVOKED), ==, 3);
    ask_revoke(&f, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_REVOKED), ==, 4);
    stop_connected(&f);
}

static void test_revoke_misuse(void)
{
    const uint32_t serials[] = { 0, 1, 3 };

    for (unsigned i = 0; i < ARRAY_SIZE(serials); i++) {
        Fixture f;

        start_ready(&f);
        if (i) {
            ask_revoke(&f, 2);
            expect_revoke(&f, 1);
            broker_send_revoked(f.broker, 1);
            expect_revoke(&f, 2);
        }
        broker_send_revoked(f.broker, serials[i]);
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
        stop_connected(&f);
    }
}

static void test_renderer_lost(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 0, &m);
    broker_close_fds(&m);
    create_channel(&f, 1, 1, &m);
    broker_close_fds(&m);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 1);
    wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
    shutdown(f.broker, SHUT_RDWR);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                    SUNDOG_DEVICE_EVENT_RENDERER | SUNDOG_DEVICE_EVENT_CHANNEL);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_DEAD);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(0)), ==,
                     SUNDOG_FAULT_CODE_WORKER);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(1)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    g_assert_cmphex(rd64(&f, SUNDOG_REG_FEATURES), ==, SUNDOG_FEATURE_DISCARD);

    wr(&f, SUNDOG_REG_DOORBELL(0), 1);
    command(&f, SUNDOG_CHANNEL_OP_DESTROY, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    command(&f, SUNDOG_CHANNEL_OP_CREATE, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    g_assert_true(commit_takes(&f));
    stop_connected(&f);
}

/* The renderer is lost while the device waits for its reset. */
static void test_renderer_lost_in_reset(void)
{
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 0, &m);
    broker_close_fds(&m);
    wr(&f, SUNDOG_REG_RESET, 1);
    shutdown(f.broker, SHUT_RDWR);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    stop_connected(&f);
}

/* A broker that hangs does not keep the guest from a reset. */
static void test_renderer_hung_reset(void)
{
    Fixture f;

    start_ready(&f);
    wr(&f, SUNDOG_REG_RESET, 1);
    step_ms(&f, RESET_MS - 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RESET), ==, 1);
    step_ms(&f, 1);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                     SUNDOG_RENDERER_STATE_LOST);
    stop_connected(&f);
}

/* QEMU disconnects a broker that sends invalid messages. */
static void test_renderer_misuse(void)
{
    struct sundog_message_welcome wrong_major;
    const struct sundog_message messages[] = {
        { 0, 8 },
        { 0xffffffff, 8 },
        { SUNDOG_MESSAGE_HELLO, 32 },
        { SUNDOG_MESSAGE_WELCOME, 0 },
        { SUNDOG_MESSAGE_WELCOME, 8 },
        { SUNDOG_MESSAGE_WELCOME, 0xffffffff },
        { SUNDOG_MESSAGE_CHANNEL_STATE, 7 },
    };
    Message m;
    Fixture f;

    for (unsigned i = 0; i <= ARRAY_SIZE(messages); i++) {
        start_connected(&f, &m);
        broker_close_fds(&m);
        if (i < ARRAY_SIZE(messages)) {
            broker_send_bytes(f.broker, &messages[i], sizeof(messages[i]));
        } else {
            broker_fill_welcome(&wrong_major, VRAM_SIZE);
            wrong_major.caps.version = (SUNDOG_VERSION_MAJOR + 1) << 16;
            broker_send_bytes(f.broker, &wrong_major, sizeof(wrong_major));
        }
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
        stop_connected(&f);
    }
}

/* The device ignores states that a channel cannot enter. */
static void test_channel_state_misuse(void)
{
    static const uint32_t states[] = {
        SUNDOG_CHANNEL_STATE_OFF, SUNDOG_CHANNEL_STATE_CREATING,
        SUNDOG_CHANNEL_STATE_RUN, SUNDOG_CHANNEL_STATE_DESTROYING, 6, ~0u,
    };
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 1, 3, &m);
    broker_close_fds(&m);
    for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
        broker_send_channel_state(f.broker, 3, states[i], 1, 1, 1, 1);
        broker_send_channel_state(f.broker, 4, SUNDOG_CHANNEL_STATE_RUN,
                                  1, 1, 1, 1);
        broker_send_channel_state(f.broker, ~0u, states[i], 1, 1, 1, 1);
    }
    create_channel(&f, 1, 5, &m);
    broker_close_fds(&m);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(3)), ==,
                     SUNDOG_CHANNEL_STATE_RUN);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(3)), ==, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(4)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    stop_connected(&f);
}

static void post_client_destroys(Fixture *f, uint32_t client, uint32_t count)
{
    wr(f, SUNDOG_REG_CHANNEL_CLIENT, client);
    for (uint32_t i = 0; i < count; i++) {
        command(f, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, 0);
    }
}

/* The broker reads late: no message is missing. */
static void test_renderer_slow(void)
{
    const uint32_t posted = 2000;
    Message m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 2, 0, &m);
    broker_close_fds(&m);
    post_client_destroys(&f, 1, posted);
    post_client_destroys(&f, 2, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_DESTROYING);
    for (uint32_t i = 0; i < posted; i++) {
        expect_client_destroy(&f, 1, 0);
    }
    expect_client_destroy(&f, 2, 1);
    stop_connected(&f);
}

/* The broker does not read: the guest goes on, QEMU's queue is limited. */
static void test_renderer_stuck(void)
{
    Fixture f;

    start_ready(&f);
    post_client_destroys(&f, 1, 10000);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    g_assert_cmphex(rd(&f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    stop_connected(&f);
}

/* Checks a string of the capabilities, at OFFSET. */
static void check_name(Fixture *f, size_t offset, const char *expected)
{
    char name[sizeof(((struct sundog_caps *)0)->host_driver)];

    for (unsigned i = 0; i < sizeof(name); i += 4) {
        stl_le_p(name + i, rd(f, SUNDOG_REG_CAPS + offset + i));
    }
    g_assert_cmpstr(name, ==, expected);
}

/* The machine names the cause and what to do. */
static void test_spawn_refused(void)
{
    check_refuses_to_start("-device sundog,vram=16M,renderer=/nowhere/none",
                           "or correct renderer=");
    check_refuses_to_start("-sandbox on,spawn=deny -device sundog,vram=16M,"
                           "renderer=/bin/true", "use chardev= instead");
}

/* The folder that PATH of the next QEMU names, with or without a renderer. */
typedef struct Folder {
    char *path;
    char *renderer;
    char *old;                  /* PATH of this process */
} Folder;

static void folder_begin(Folder *folder, bool has_renderer)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);

    folder->old = g_strdup(g_getenv("PATH"));
    folder->path = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    folder->renderer = g_strdup_printf("%s/sundog-renderd", folder->path);
    if (has_renderer) {
        g_assert_cmpint(symlink(self, folder->renderer), ==, 0);
    }
    g_setenv("PATH", folder->path, true);
}

static void folder_end(Folder *folder)
{
    g_setenv("PATH", folder->old, true);
    unlink(folder->renderer);
    rmdir(folder->path);
    g_free(folder->renderer);
    g_free(folder->path);
    g_free(folder->old);
}

static void check_state(const char *options, uint32_t state, const char *text)
{
    g_autofree char *messages = NULL;
    Fixture f;
    Log log;

    log_begin(&log);
    start_with(&f, options);
    log_started(&log);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, state);
    stop(&f);
    messages = log_end(&log);
    g_test_message("%s: %s", options, messages);
    if (text) {
        g_assert_nonnull(strstr(messages, text));
    } else {
        g_assert_null(strstr(messages, "warning"));
    }
}

/*
 * Without renderer= and chardev= the device starts sundog-renderd of PATH, and
 * warns if there is none. renderer=auto is refused then.
 */
static void test_default(void)
{
    Folder folder;

    folder_begin(&folder, true);
    check_state(",vram=64M", SUNDOG_RENDERER_STATE_READY, NULL);
    check_state(",vram=64M,renderer-options=--log", SUNDOG_RENDERER_STATE_READY,
                NULL);
    check_state(",renderer=none", SUNDOG_RENDERER_STATE_NONE, NULL);
    check_state(",renderer=", SUNDOG_RENDERER_STATE_NONE, NULL);
    folder_end(&folder);

    folder_begin(&folder, false);
    check_state(",vram=64M", SUNDOG_RENDERER_STATE_NONE,
                "has no renderer and only displays");
    check_state(",vram=64M", SUNDOG_RENDERER_STATE_NONE,
                "Install sundog-renderd");
    check_state(" -sandbox on,spawn=deny", SUNDOG_RENDERER_STATE_NONE,
                "use chardev= instead");
    check_refuses_to_start("-device sundog,vram=64M,renderer=auto",
                           "Install sundog-renderd");
    check_refuses_to_start("-device sundog,vram=64M,renderer-options=--log",
                           "Install sundog-renderd");
    folder_end(&folder);
}

/* With chardev= no renderer is started, even if PATH has one. */
static void test_default_chardev(void)
{
    g_autofree char *messages = NULL;
    Folder folder;
    Fixture f;
    Log log;

    folder_begin(&folder, true);
    log_begin(&log);
    start_ready(&f);
    log_started(&log);
    g_assert_cmpint(spawned_pid(&f), ==, 0);
    step_ms(&f, 2 * ABSENT_MS);
    stop_connected(&f);
    messages = log_end(&log);
    g_assert_null(strstr(messages, "no renderer at chardev"));
    folder_end(&folder);
}

static void test_options_refused(void)
{
    check_refuses_to_start("-device sundog,renderer=none,renderer-options=--x",
                           "renderer-options=--x are for a renderer that");
    check_refuses_to_start("-chardev socket,id=c,path=/nowhere,reconnect-ms=9 "
                           "-device sundog,chardev=c,renderer-options=--x",
                           "give them to the renderer at the socket");
    check_refuses_to_start("-chardev socket,id=c,host=127.0.0.1,port=0,"
                           "server=on,wait=off -device sundog,chardev=c",
                           "chardev=c is not a UNIX socket");
    check_refuses_to_start("-chardev null,id=c -device sundog,chardev=c",
                           "chardev=c is not a UNIX socket");
    check_refuses_to_start("-device sundog,renderer=none,vram=3M",
                           "vram=3M must be");
    check_refuses_to_start("-device sundog,renderer=none,vram=5000",
                           "vram=5000 must be");
    check_refuses_to_start("-device sundog,renderer=none,xres=100000",
                           "xres=100000 must be 1 to 8192 pixels");
    check_refuses_to_start("-device sundog,renderer=none,yres=8193",
                           "yres=8193 must be");
    check_refuses_to_start("-device sundog,renderer=none,xmax=8193",
                           "xmax=8193 must be");
    check_refuses_to_start("-device sundog,renderer=none,ymax=8193",
                           "ymax=8193 must be");
    check_refuses_to_start("-device sundog,renderer=none,refresh_rate=60",
                           "refresh_rate=60 must be 1000 to 1000000 mHz");
}

/* A chardev to a path where nobody listens is reported after a while, once. */
static void test_absent(void)
{
    g_autofree char *messages = NULL;
    Fixture f;
    Log log;

    log_begin(&log);
    start_with(&f, ",chardev=c -chardev socket,id=c,path=/nowhere/broker,"
                   "reconnect-ms=1000");
    log_started(&log);
    step_ms(&f, ABSENT_MS - 1);
    messages = log_end(&log);
    g_assert_null(strstr(messages, "no renderer at chardev"));
    stop(&f);

    g_free(messages);
    log_begin(&log);
    start_with(&f, ",chardev=c -chardev socket,id=c,path=/nowhere/broker,"
                   "reconnect-ms=1000");
    log_started(&log);
    step_ms(&f, 10 * ABSENT_MS);
    stop(&f);
    messages = log_end(&log);
    g_assert_nonnull(strstr(messages, "no renderer at chardev=c "
                                      "(disconnected:unix:/nowhere/broker)"));
    g_assert_null(strstr(strstr(messages, "at chardev=c") + 1, "at chardev=c"));
}

/* If the renderer ends at once, its status is the reason, and not the write. */
static void test_ends_at_once(void)
{
    for (unsigned i = 0; i < 8; i++) {
        g_autofree char *messages = NULL;
        Fixture f;
        Log log;

        log_begin(&log);
        start_with(&f, ",renderer=/bin/false");
        log_started(&log);
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
        stop(&f);
        messages = log_end(&log);
        g_test_message("%s", messages);
        g_assert_nonnull(strstr(messages, "ended with status 1"));
        g_assert_null(strstr(messages, "cannot be sent"));
        g_assert_null(strstr(messages, "is not a UNIX socket"));
    }
}

static void test_small_vram(void)
{
    g_autofree char *messages = messages_of_refusal(
        "-device sundog,vram=64M,renderer=/nowhere/none");

    g_assert_null(strstr(messages, "is too small for most"));
    check_refuses_to_start("-device sundog,vram=32M,renderer=/nowhere/none",
                           "vram=32M is too small for most");
}

static void test_spawn_options(void)
{
    Fixture f;

    start_spawned(&f, ",renderer-options=\"--one 1 --two '2 3'\"");
    check_name(&f, offsetof(struct sundog_caps, host_device),
               "--one|1|--two|2 3");
    stop(&f);
}

static void test_spawn(void)
{
    Fixture f;

    start_spawned(&f, "");
    check_name(&f, offsetof(struct sundog_caps, host_driver), "qtest");
    check_name(&f, offsetof(struct sundog_caps, host_device), "");
    ask_for_channel(&f, 1, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
    wr(&f, SUNDOG_REG_RESET, 1);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    stop(&f);
}

/* A crash of the renderer ends all channels; the restart pause doubles. */
static void test_spawn_crash(void)
{
    Fixture f;

    start_spawned(&f, "");
    for (int64_t pause_ms = RESTART_MS; pause_ms <= 1000; pause_ms *= 2) {
        pid_t pid = spawned_pid(&f);

        ask_for_channel(&f, 1, 0);
        wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
        wr(&f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
        ask_for_channel(&f, BROKER_CLIENT_CRASH, 1);
        for (unsigned i = 0; i < 2; i++) {
            wait_for(&f, SUNDOG_REG_CHANNEL_STATE(i),
                     SUNDOG_CHANNEL_STATE_DEAD);
            g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_FAULT(i)), ==,
                             SUNDOG_FAULT_CODE_WORKER);
        }
        g_assert_cmpint(kill(pid, 0), <, 0);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                         SUNDOG_RENDERER_STATE_LOST);
        g_assert_cmphex(rd(&f, SUNDOG_REG_DEVICE_EVENTS), ==,
                        SUNDOG_DEVICE_EVENT_RENDERER |
                        SUNDOG_DEVICE_EVENT_CHANNEL);
        g_assert_cmphex(rd(&f, SUNDOG_REG_CAPS), ==, 0);

        step_ms(&f, pause_ms - 1);
        g_assert_cmpuint(rd(&f, SUNDOG_REG_RENDERER_STATE), ==,
                         SUNDOG_RENDERER_STATE_LOST);
        step_ms(&f, 1);
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
        g_assert_cmpint(spawned_pid(&f), !=, pid);
        for (unsigned i = 0; i < 2; i++) {
            command(&f, SUNDOG_CHANNEL_OP_DESTROY, i);
            g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(i)), ==,
                             SUNDOG_CHANNEL_STATE_OFF);
        }
    }
    stop(&f);
}

/* The next renderer gets no REVOKE for requests that completed without one. */
static void test_spawn_revoke(void)
{
    Fixture f;

    start_spawned(&f, "");
    ask_revoke(&f, 1);
    wait_for(&f, SUNDOG_REG_REVOKED, 1);
    ask_for_channel(&f, BROKER_CLIENT_CRASH, 1);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    ask_revoke(&f, 2);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_REVOKED), ==, 3);
    step_ms(&f, RESTART_MS);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
    ask_revoke(&f, 1);
    wait_for(&f, SUNDOG_REG_REVOKED, 4);
    stop(&f);
}

#define ACPI_BASE   0x600

/* A renderer that ends while the machine is shut down is restarted. */
static void test_spawn_shutdown(void)
{
    Fixture f;
    pid_t pid;

    start_spawned(&f, " -no-shutdown");
    pid = spawned_pid(&f);
    /* Program the address of the ACPI registers, as firmware does. */
    qtest_outl(f.qts, 0xcf8, 0x8000f840);
    qtest_outl(f.qts, 0xcfc, ACPI_BASE | 1);
    qtest_outl(f.qts, 0xcf8, 0x8000f844);
    qtest_outb(f.qts, 0xcfc, 0x80);
    qtest_outw(f.qts, ACPI_BASE + 4, 0x2000);
    qtest_qmp_eventwait(f.qts, "SHUTDOWN");
    kill(pid, SIGKILL);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_LOST);
    reset_machine(&f);
    qtest_qmp_assert_success(f.qts, "{ 'execute': 'cont' }");
    step_ms(&f, RESTART_MS);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
    stop(&f);
}

/* A reset kills a renderer that hangs before it completes. */
static void test_spawn_hang(void)
{
    Fixture f;
    pid_t pid;

    start_spawned(&f, "");
    pid = spawned_pid(&f);
    ask_for_channel(&f, 1, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
    ask_for_channel(&f, BROKER_CLIENT_HANG, 1);
    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmpint(kill(pid, 0), ==, 0);
    step_ms(&f, RESET_MS);
    wait_for(&f, SUNDOG_REG_RESET, 0);
    g_assert_cmpint(kill(pid, 0), <, 0);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(0)), ==,
                     SUNDOG_CHANNEL_STATE_OFF);
    step_ms(&f, RESTART_MS);
    wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
    ask_for_channel(&f, 1, 0);
    wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
    stop(&f);
}

void add_renderer_tests(void)
{
    qtest_add_func("/sundog/channel/no-renderer", test_no_renderer);
    qtest_add_func("/sundog/channel/life", test_channel);
    qtest_add_func("/sundog/channel/late-fault", test_late_fault);
    qtest_add_func("/sundog/channel/misuse", test_channel_misuse);
    qtest_add_func("/sundog/channel/state-misuse", test_channel_state_misuse);
    qtest_add_func("/sundog/channel/client-destroy", test_client_destroy);
    qtest_add_func("/sundog/channel/client-destroy-early",
                   test_client_destroy_early);
    qtest_add_func("/sundog/channel/interrupt-loop", test_interrupt_loop);
    qtest_add_func("/sundog/channel/stale-message", test_stale_message);
    qtest_add_func("/sundog/channel/blocking-irq", test_blocking_irq);
    qtest_add_func("/sundog/renderer/hello", test_hello);
    qtest_add_func("/sundog/renderer/welcome", test_welcome);
    qtest_add_func("/sundog/renderer/revoke", test_revoke);
    qtest_add_func("/sundog/renderer/revoke-lost", test_revoke_lost);
    qtest_add_func("/sundog/renderer/revoke-misuse", test_revoke_misuse);
    qtest_add_func("/sundog/renderer/reset", test_renderer_reset);
    qtest_add_func("/sundog/renderer/lost", test_renderer_lost);
    qtest_add_func("/sundog/renderer/lost-in-reset",
                   test_renderer_lost_in_reset);
    qtest_add_func("/sundog/renderer/hung-reset", test_renderer_hung_reset);
    qtest_add_func("/sundog/renderer/misuse", test_renderer_misuse);
    qtest_add_func("/sundog/renderer/slow", test_renderer_slow);
    qtest_add_func("/sundog/renderer/stuck", test_renderer_stuck);
    qtest_add_func("/sundog/renderer/spawn", test_spawn);
    qtest_add_func("/sundog/renderer/spawn-refused", test_spawn_refused);
    qtest_add_func("/sundog/renderer/small-vram", test_small_vram);
    qtest_add_func("/sundog/renderer/default", test_default);
    qtest_add_func("/sundog/renderer/default-chardev", test_default_chardev);
    qtest_add_func("/sundog/renderer/options-refused", test_options_refused);
    qtest_add_func("/sundog/renderer/absent", test_absent);
    qtest_add_func("/sundog/renderer/ends-at-once", test_ends_at_once);
    qtest_add_func("/sundog/renderer/spawn-options", test_spawn_options);
    qtest_add_func("/sundog/renderer/spawn-crash", test_spawn_crash);
    qtest_add_func("/sundog/renderer/spawn-revoke", test_spawn_revoke);
    qtest_add_func("/sundog/renderer/spawn-shutdown", test_spawn_shutdown);
    qtest_add_func("/sundog/renderer/spawn-hang", test_spawn_hang);
}

/*
 * sundog: fuzz test of the device, as a qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plays a random guest and a random broker at the same time: registers, memory,
 * lists of pages, MSIs that write to the device itself and to others, messages,
 * descriptors, disconnects, resets; VNC clients connect and disconnect. QEMU
 * must not crash, and the device must work after a reset. `--seed` repeats a
 * run, `-m slow` makes it longer.
 */

#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "sundog-test-fixture.h"
#include "sundog-test-vnc.h"

#define STEPS           20000
#define STEPS_SLOW      2000000
#define LIST            0x100000u   /* in RAM: lists of pages and the pages */

/* A range of heap GUEST. */
typedef struct Range {
    uint64_t offset;
    uint64_t size;
} Range;

typedef struct Fuzz {
    Fixture f;
    QPCIDevice *disk;
    QPCIBar disk_bar;
    int irqs[16];               /* eventfds that the broker got */
    unsigned n_irqs;
    uint32_t revoke;            /* serial of the last REVOKE, or 0 */
    bool resetting;             /* RESET is not answered yet */
    GArray *maps;               /* Range of each unanswered GUEST_MAP */
    GArray *unmaps;             /* Range of each unanswered GUEST_UNMAP */
    char *vnc[2];               /* paths of the heads' sockets */
    Viewer *viewers[2];         /* or NULL */
} Fuzz;

static uint32_t below(uint32_t n)
{
    return g_test_rand_int_range(0, n);
}

/* Prefers small numbers and the ends of ranges, where mistakes are likely. */
static uint32_t any_value(void)
{
    static const uint32_t edges[] = { 0, 1, 2, 0x7fffffff, 0x80000000,
                                      0xfffff000, 0xffffffff };

    switch (below(4)) {
    case 0:
        return edges[below(ARRAY_SIZE(edges))];
    case 1:
        return below(0x400);
    case 2:
        return 1u << below(32);
    default:
        return g_test_rand_int();
    }
}

static uint32_t any_register(void)
{
    static const uint32_t busy[] = {
        SUNDOG_REG_RESET, SUNDOG_REG_CHANNEL_CLIENT, SUNDOG_REG_CHANNEL_CMD,
        SUNDOG_REG_DISCARD, SUNDOG_REG_GUEST_MAP, SUNDOG_REG_GUEST_UNMAP,
        SUNDOG_REG_REVOKE, SUNDOG_REG_COMMIT(0), SUNDOG_REG_HEAD_CONTROL(0),
        SUNDOG_REG_DISPLAY_EVENTS, SUNDOG_REG_DEVICE_EVENTS,
        SUNDOG_REG_DOORBELL(0), SUNDOG_REG_GUEST_OFFSET,
    };

    switch (below(3)) {
    case 0:
        return busy[below(ARRAY_SIZE(busy))];
    case 1:
        return SUNDOG_REG_HEAD_STATUS(0) + (below(0x400) & ~3);
    default:
        return below(SUNDOG_REGS_SIZE) & ~3;
    }
}

static void fuzz_write(Fuzz *z)
{
    wr(&z->f, any_register(), any_value());
}

static void fuzz_read(Fuzz *z)
{
    rd(&z->f, any_register());
}

static void fuzz_command(Fuzz *z)
{
    wr(&z->f, SUNDOG_REG_CHANNEL_CLIENT, below(4));
    wr(&z->f, SUNDOG_REG_CHANNEL_CMD, (below(5) << 16) | below(20));
}

static void fuzz_writeback(Fuzz *z)
{
    const unsigned head = below(2);

    wr(&z->f, SUNDOG_REG_WRITEBACK_FORMAT(head), below(8) ? XR24 : any_value());
    wr(&z->f, SUNDOG_REG_WRITEBACK_PITCH(head),
       below(8) ? 64 * 4 : any_value());
    wr64(&z->f, SUNDOG_REG_WRITEBACK_OFFSET(head), below(VRAM_SIZE) & ~3);
}

static void fuzz_period_max(Fuzz *z)
{
    const uint32_t values[] = {
        0, PERIOD, PERIOD + below(3 * PERIOD), any_value(),
    };

    wr(&z->f, SUNDOG_REG_HEAD_PERIOD_MAX(below(2)),
       values[below(ARRAY_SIZE(values))]);
}

/* Sets a pointer, which a UI can often show as its cursor. */
static void fuzz_pointer(Fuzz *z)
{
    const unsigned head = below(2), plane = CURSOR(head);

    set_cursor(&z->f, head, below(8) ? below(64) : any_value(),
               below(8) ? below(64) : any_value(), below(VRAM_SIZE) & ~3);
    wr(&z->f, SUNDOG_REG_PLANE_POINTER(plane), below(16) ? 1 : any_value());
    wr(&z->f, SUNDOG_REG_PLANE_HOT_X(plane),
       below(8) ? below(64) : any_value());
    wr(&z->f, SUNDOG_REG_PLANE_HOT_Y(plane),
       below(8) ? below(64) : any_value());
}

/* Commits a random mode, which is often valid. */
static void fuzz_commit(Fuzz *z)
{
    static const uint32_t formats[] = {
        0, XR24, AR24, 0x34324241 /* AB24 */, 0x30335258 /* XR30 */,
        0x48345241 /* AR4H */, 0x36314752 /* RG16 */, 0x3231564e /* NV12 */,
        0x30313050 /* P010 */,
    };

    set_head_mode(&z->f, below(2), below(32), 1 + below(64), 1 + below(64),
                  below(VRAM_SIZE) & ~3);
    set_plane(&z->f, below(2 * SUNDOG_HEAD_PLANES),
              formats[below(ARRAY_SIZE(formats))], 1 + below(64),
              1 + below(64), below(VRAM_SIZE) & ~7);
    wr(&z->f, SUNDOG_REG_PLANE_FORMAT(0) + (below(0x400) & ~3), any_value());
    wr(&z->f, SUNDOG_REG_HEAD_COLOR(below(2)) + (below(0x860) & ~3),
       any_value());
    wr(&z->f, SUNDOG_REG_HEAD_DEGAMMA(below(2)) + (below(0x810) & ~3),
       any_value());
    wr(&z->f, SUNDOG_REG_HEAD_COLOR(below(2)), below(8));
    fuzz_period_max(z);
    if (below(2)) {
        fuzz_writeback(z);
    }
    if (below(2)) {
        fuzz_pointer(z);
        wr(&z->f, SUNDOG_REG_HEAD_COLOR(below(2)), 0);
    }
    wr(&z->f, SUNDOG_REG_COMMIT(below(2)), any_value());
}

static void fuzz_memory(Fuzz *z)
{
    qpci_io_writel(z->f.dev, z->f.vram, below(VRAM_SIZE) & ~3, any_value());
    qpci_io_writel(z->f.dev, z->f.control, below(SUNDOG_CONTROL_SIZE) & ~3,
                   any_value());
}

/* Maps pages, and sometimes resets the device before the broker answers. */
static void fuzz_map(Fuzz *z)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t run = below(2) ? LIST + below(64) * SUNDOG_PAGE_SIZE
                                : (uint64_t)any_value() << below(33);

        qtest_writeq(z->f.qts, LIST + i * 8, run | below(4));
    }
    wr64(&z->f, SUNDOG_REG_GUEST_LIST, below(8) ? LIST : any_value());
    wr64(&z->f, SUNDOG_REG_GUEST_OFFSET, below(64) * SUNDOG_PAGE_SIZE);
    wr(&z->f, SUNDOG_REG_GUEST_MAP, below(6));
    if (!below(4)) {
        wr(&z->f, SUNDOG_REG_RESET, 1);
    }
}

static void fuzz_unmap(Fuzz *z)
{
    wr64(&z->f, SUNDOG_REG_GUEST_OFFSET, below(64) * SUNDOG_PAGE_SIZE);
    wr(&z->f, SUNDOG_REG_GUEST_UNMAP, 1);
}

static void fuzz_aim(Fuzz *z)
{
    const uint64_t targets[] = {
        z->f.regs.addr + any_register(),
        z->f.vram.addr + (below(VRAM_SIZE) & ~3),
        z->f.control.addr + (below(SUNDOG_CONTROL_SIZE) & ~3),
        z->f.dev->msix_table_off + z->f.control.addr,
        z->disk_bar.addr + DISK_NOTIFY + (below(0x1000) & ~3),
        LIST, any_value() & ~3,
    };

    aim_msix_at(&z->f, below(SUNDOG_NUM_VECTORS),
                targets[below(ARRAY_SIZE(targets))],
                below(2) ? any_value() : below(4) << 16 | below(20));
}

/* Writes values of a driver only: others make QEMU's disk abort. */
static void fuzz_aim_at_disk(Fuzz *z)
{
    aim_msix_at(&z->f, below(SUNDOG_NUM_VECTORS),
                z->disk_bar.addr + DISK_STATUS, below(2) ? 0xf : 0);
}

static void fuzz_disk(Fuzz *z)
{
    qpci_io_writeb(z->disk, z->disk_bar, DISK_STATUS, below(2) ? 0xf : 0);
}

static void fuzz_clock(Fuzz *z)
{
    qtest_clock_step(z->f.qts, below(3 * PERIOD));
}

static void fuzz_screendump(Fuzz *z)
{
    g_autofree char *hmp = qtest_hmp(z->f.qts, "screendump /dev/null");
}

/* Each head has at most one viewer, with or without cursors. */
static void fuzz_viewer(Fuzz *z)
{
    const unsigned head = below(2);

    if (!z->viewers[head]) {
        z->viewers[head] = below(4) ? viewer_open(z->vnc[head], below(4)) :
                                      viewer_open_alpha(z->vnc[head]);
    } else if (!below(8)) {
        viewer_close(z->viewers[head]);
        z->viewers[head] = NULL;
    } else {
        while (viewer_receive(z->viewers[head], below(10))) {
            /* The contents do not matter. */
        }
    }
}

/* Shows a pointer on the only head long enough for cursor updates. */
static void fuzz_cursor(Fuzz *z)
{
    const unsigned head = below(2);

    wr(&z->f, SUNDOG_REG_HEAD_CONTROL(1 - head), below(4) ? 0 : CONTROL_ON);
    wr(&z->f, SUNDOG_REG_COMMIT(1 - head), any_value());
    set_head_mode(&z->f, head, CONTROL_ON, 64, 64, below(VRAM_SIZE) & ~3);
    wr(&z->f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(head) + 1), 0);
    wr(&z->f, SUNDOG_REG_PLANE_FORMAT(PRIMARY(head) + 2), 0);
    wr(&z->f, SUNDOG_REG_HEAD_COLOR(head), 0);
    for (unsigned n = below(8); n; n--) {
        fuzz_pointer(z);
        wr(&z->f, SUNDOG_REG_PLANE_FORMAT(CURSOR(head)) + (below(0x68) & ~3),
           any_value());
        wr(&z->f, SUNDOG_REG_COMMIT(head), any_value());
        fuzz_clock(z);
        if (z->viewers[head]) {
            viewer_receive(z->viewers[head], below(20));
        }
        wr(&z->f, SUNDOG_REG_DAMAGE(head), 1);
    }
}

static void forget_viewers(Fuzz *z)
{
    for (unsigned head = 0; head < 2; head++) {
        if (z->viewers[head]) {
            viewer_close(z->viewers[head]);
        }
        unlink(z->vnc[head]);
        g_free(z->vnc[head]);
    }
}

/* Disables the device's BARs or its DMA for a moment. */
static void fuzz_bus(Fuzz *z)
{
    uint16_t command = qpci_config_readw(z->f.dev, PCI_COMMAND);

    qpci_config_writew(z->f.dev, PCI_COMMAND, command & any_value());
    fuzz_clock(z);
    qpci_config_writew(z->f.dev, PCI_COMMAND, command);
}

static void forget_irqs(Fuzz *z)
{
    while (z->n_irqs) {
        close(z->irqs[--z->n_irqs]);
    }
}

static void fuzz_greet(Fuzz *z)
{
    struct sundog_message_welcome welcome;

    broker_fill_welcome(&welcome, VRAM_SIZE);
    broker_send_some(z->f.broker, &welcome, sizeof(welcome));
}

static void forget_requests(Fuzz *z)
{
    z->revoke = 0;
    z->resetting = false;
    g_array_set_size(z->maps, 0);
    g_array_set_size(z->unmaps, 0);
}

/* Accepts a new connection, which the device makes after a disconnect. */
static void fuzz_accept(Fuzz *z)
{
    if (!broker_readable(z->f.listener, 0)) {
        return;
    }
    forget_irqs(z);
    forget_requests(z);
    close(z->f.broker);
    z->f.broker = broker_accept(z->f.listener);
    if (below(8)) {
        fuzz_greet(z);
    }
}

static void note_range(GArray *ranges, uint64_t offset, uint64_t size)
{
    const Range range = { offset, size };

    g_array_append_val(ranges, range);
}

/* After RESET the broker has no maps, and knows of no unmap. */
static void note_request(Fuzz *z, const Message *m)
{
    switch (m->header.type) {
    case SUNDOG_MESSAGE_REVOKE:
        z->revoke = m->revoke.serial;
        break;
    case SUNDOG_MESSAGE_RESET:
        z->resetting = true;
        break;
    case SUNDOG_MESSAGE_GUEST_MAP:
        g_assert_false(z->resetting);
        note_range(z->maps, m->guest_map.offset, m->guest_map.size);
        break;
    case SUNDOG_MESSAGE_GUEST_UNMAP:
        g_assert_false(z->resetting);
        note_range(z->unmaps, m->guest_unmap.offset, m->guest_unmap.size);
        break;
    }
}

/* Reads all messages of the device; keeps some of the eventfds. */
static void fuzz_drain(Fuzz *z)
{
    Message m;

    while (broker_receive(z->f.broker, &m)) {
        note_request(z, &m);
        if (m.n_fds == SUNDOG_MESSAGE_CHANNEL_CREATE_FDS &&
            z->n_irqs < ARRAY_SIZE(z->irqs)) {
            close(m.fds[0]);
            z->irqs[z->n_irqs++] = m.fds[1];
        } else {
            broker_close_fds(&m);
        }
    }
}

static void fuzz_fence(Fuzz *z)
{
    const uint64_t one = 1;

    if (z->n_irqs) {
        g_assert_cmpint(write(z->irqs[below(z->n_irqs)], &one, sizeof(one)),
                        ==, sizeof(one));
    }
}

static void fuzz_channel_state(Fuzz *z)
{
    struct sundog_message_channel_state m = {
        .header = { SUNDOG_MESSAGE_CHANNEL_STATE, sizeof(m) },
        .channel = below(8) ? below(20) : any_value(),
        .state = below(7),
        .fault = any_value(),
    };

    broker_send_some(z->f.broker, &m, sizeof(m));
}

/* Takes the oldest of RANGES, or a wrong one. */
static Range take_range(GArray *ranges, bool wrong)
{
    Range range = { any_value(), any_value() };

    if (ranges->len) {
        if (!wrong) {
            range = g_array_index(ranges, Range, 0);
        }
        g_array_remove_index(ranges, 0);
    }
    return range;
}

static void answer_map(Fuzz *z, bool wrong)
{
    const Range range = take_range(z->maps, wrong);
    const struct sundog_message_guest_mapped m = {
        .header = { SUNDOG_MESSAGE_GUEST_MAPPED, sizeof(m) },
        .offset = range.offset,
        .size = below(8) ? range.size : 0,
    };

    broker_send_some(z->f.broker, &m, sizeof(m));
}

static void answer_unmap(Fuzz *z, bool wrong)
{
    const Range range = take_range(z->unmaps, wrong);
    const struct sundog_message_guest_unmapped m = {
        .header = { SUNDOG_MESSAGE_GUEST_UNMAPPED, sizeof(m) },
        .offset = range.offset,
        .size = range.size,
    };

    broker_send_some(z->f.broker, &m, sizeof(m));
}

/*
 * Sends an answer, mostly the right one: a wrong one ends the connection. Maps
 * and unmaps are answered during a reset, too, and not all of them.
 */
static void fuzz_answer(Fuzz *z)
{
    const bool wrong = !below(100);
    const struct sundog_message_reset_done done = {
        .header = { SUNDOG_MESSAGE_RESET_DONE, sizeof(done) },
    };
    const struct sundog_message_revoked revoked = {
        .header = { SUNDOG_MESSAGE_REVOKED, sizeof(revoked) },
        .serial = wrong ? any_value() : z->revoke,
    };

    if (z->resetting && below(2)) {
        forget_requests(z);
        broker_send_some(z->f.broker, &done, sizeof(done));
    } else if (z->revoke || (wrong && below(2))) {
        z->revoke = 0;
        broker_send_some(z->f.broker, &revoked, sizeof(revoked));
    } else if (z->maps->len || (wrong && below(2))) {
        answer_map(z, wrong);
    } else if (z->unmaps->len || wrong) {
        answer_unmap(z, wrong);
    }
}

/* Sends random data, which most likely ends the connection. */
static void fuzz_garbage(Fuzz *z)
{
    uint32_t words[16];

    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        words[i] = any_value();
    }
    words[0] = below(20);
    broker_send_some(z->f.broker, words, below(sizeof(words) + 1));
}

static void fuzz_hang_up(Fuzz *z)
{
    shutdown(z->f.broker, below(3));
}

static void fuzz_machine_reset(Fuzz *z)
{
    qtest_system_reset(z->f.qts);
    unmap_device(&z->f);
    g_free(z->disk);
    map_device(&z->f);
    z->disk = start_disk(&z->f, &z->disk_bar);
}

static const struct {
    void (*run)(Fuzz *z);
    unsigned weight;
} actions[] = {
    { fuzz_write, 400 }, { fuzz_read, 50 }, { fuzz_command, 200 },
    { fuzz_commit, 50 }, { fuzz_memory, 20 }, { fuzz_map, 40 },
    { fuzz_unmap, 80 },
    { fuzz_aim, 35 }, { fuzz_aim_at_disk, 5 }, { fuzz_disk, 20 },
    { fuzz_clock, 20 },
    { fuzz_screendump, 1 }, { fuzz_viewer, 3 }, { fuzz_cursor, 3 },
    { fuzz_bus, 5 },
    { fuzz_accept, 20 },
    { fuzz_drain, 120 }, { fuzz_fence, 60 }, { fuzz_channel_state, 80 },
    { fuzz_answer, 120 }, { fuzz_garbage, 1 }, { fuzz_hang_up, 1 },
    { fuzz_machine_reset, 1 },
};

static void fuzz_step(Fuzz *z)
{
    unsigned total = 0, choice;

    for (unsigned i = 0; i < ARRAY_SIZE(actions); i++) {
        total += actions[i].weight;
    }
    choice = below(total);
    for (unsigned i = 0; i < ARRAY_SIZE(actions); i++) {
        if (choice < actions[i].weight) {
            actions[i].run(z);
            return;
        }
        choice -= actions[i].weight;
    }
}

/* Checks that the device works after a reset. */
static void check_useful(Fuzz *z)
{
    Fixture *f = &z->f;
    Message m;

    fuzz_machine_reset(z);
    g_assert_cmphex(rd(f, SUNDOG_REG_MAGIC), ==, SUNDOG_MAGIC);
    /* The broker may have sent random data: reconnect. */
    shutdown(f->broker, SHUT_RDWR);
    close(f->broker);
    accept_hello(f, &m);
    welcome(f, &m);
    wait_for(f, SUNDOG_REG_RESET, 0);
    create_channel(f, 1, 7, &m);
    broker_close_fds(&m);
}

static void test_fuzz(void)
{
    const unsigned steps = g_test_slow() ? STEPS_SLOW : STEPS;
    const bool guest_memory = !access("/dev/udmabuf", R_OK | W_OK);
    g_autofree char *dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_autofree char *device = NULL;
    Fuzz z = {
        .maps = g_array_new(false, false, sizeof(Range)),
        .unmaps = g_array_new(false, false, sizeof(Range)),
    };
    Message m;

    z.vnc[0] = g_strdup_printf("%s/vnc0", dir);
    z.vnc[1] = g_strdup_printf("%s/vnc1", dir);
    device = g_strdup_printf(",heads=2%s " TABLET_OPTIONS " -vnc unix:%s,"
                             "id=vnc0,display=gpu,head=0 -vnc unix:%s,id=vnc1,"
                             "display=gpu,head=1",
                             guest_memory ? ",guest-memory=on" : "", z.vnc[0],
                             z.vnc[1]);
    start_connected_with(&z.f, &m, guest_memory ?
                         "-m 64M -object memory-backend-memfd,id=ram,size=64M,"
                         "share=on -machine memory-backend=ram " DISK_OPTIONS :
                         DISK_OPTIONS, ",reconnect-ms=10", device);
    welcome(&z.f, &m);
    z.disk = start_disk(&z.f, &z.disk_bar);
    for (unsigned i = 0; i < steps; i++) {
        fuzz_step(&z);
    }
    check_useful(&z);
    forget_viewers(&z);
    rmdir(dir);
    forget_irqs(&z);
    g_array_free(z.maps, true);
    g_array_free(z.unmaps, true);
    g_free(z.disk);
    stop_connected(&z.f);
}

void add_fuzz_tests(void)
{
    qtest_add_func("/sundog/fuzz", test_fuzz);
}

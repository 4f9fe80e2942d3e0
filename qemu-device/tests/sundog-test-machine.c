/*
 * sundog: qtest of hotplug, unplug, suspend and resized windows
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "libqos/pci-pc.h"
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"
#include "sundog-test-vnc.h"

#define COLOR       0x00305070

static void show_color(Fixture *f, unsigned head)
{
    fill(f, head * MiB, COLOR + head);
    set_head_mode(f, head, CONTROL_ON, 64, 64, head * MiB);
    wr(f, SUNDOG_REG_COMMIT(head), 1);
}

static void check_color(Fixture *f, unsigned head)
{
    uint32_t pixels[64 * 64];

    screendump_head(f, head, pixels);
    g_assert_cmphex(pixels[0], ==, COLOR + head);
    g_assert_cmphex(pixels[64 * 64 - 1], ==, COLOR + head);
}

/* Waits for the end of a process that is not a child of this one. */
static void wait_ended(pid_t pid)
{
    for (int i = 0; kill(pid, 0) == 0 && i < PATIENCE_MS; i++) {
        g_usleep(1000);
    }
    g_assert_cmpint(kill(pid, 0), <, 0);
}

/*
 * The device is unplugged while it is in use, and plugged in again. The unplug
 * ends its renderer, even one that hangs. The next device gets its consoles,
 * and prefers the sizes of their windows.
 */
static void test_plug(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/vnc", dir);
    int vnc;
    Fixture f;

    /* libqos supports ACPI hotplug of the slots of this machine. */
    f.qts = qtest_initf("-machine pc -vga none -d guest_errors -D /dev/null "
                        "-device sundog,id=gpu,addr=%d,vram=16M,heads=2,"
                        "renderer=%s -vnc unix:%s,display=gpu,head=1", SLOT,
                        self, path);
    vnc = vnc_connect(path);
    vnc_ask_for_size(vnc, 1000, 700);
    for (int i = 0; i < 3; i++) {
        g_autofree char *said = NULL;
        pid_t pid;

        map_device(&f);
        wait_size(&f, 1, 1000 << 16 | 700);
        wait_for(&f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
        pid = spawned_pid(&f);
        ask_for_channel(&f, 1, 0);
        wait_for(&f, SUNDOG_REG_CHANNEL_STATE(0), SUNDOG_CHANNEL_STATE_RUN);
        for (int head = 0; head < 2; head++) {
            show_color(&f, head);
            check_color(&f, head);
        }
        if (i == 2) {
            ask_for_channel(&f, BROKER_CLIENT_HANG, 1);
        }
        unmap_device(&f);
        qpci_unplug_acpi_device_test(f.qts, "gpu", SLOT);
        wait_ended(pid);
        said = qtest_hmp(f.qts, "screendump /dev/null");
        g_assert_cmpstr(said, ==, "");
        qtest_qmp_assert_success(f.qts, "{ 'execute': 'device_add', "
                                 "'arguments': { 'driver': 'sundog', "
                                 "'id': 'gpu', 'addr': %s, 'vram': 16777216, "
                                 "'heads': 2, 'renderer': %s } }",
                                 stringify(SLOT), self);
    }
    close(vnc);
    qtest_quit(f.qts);
    unlink(path);
    rmdir(dir);
}

/*
 * An unplug disconnects a renderer behind a chardev. The next device with that
 * chardev sends HELLO on a new connection.
 */
static void test_plug_chardev(void)
{
    g_autofree char *dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/broker", dir);
    Message hello;
    Fixture f;

    f.listener = broker_listen(path);
    f.qts = qtest_initf("-machine pc -vga none -d guest_errors -D /dev/null "
                        "-chardev socket,id=broker,path=%s,reconnect-ms=100 "
                        "-device sundog,id=gpu,addr=%d,vram=16M,chardev=broker",
                        path, SLOT);
    for (int i = 0; i < 3; i++) {
        map_device(&f);
        accept_hello(&f, &hello);
        welcome(&f, &hello);
        unmap_device(&f);
        qpci_unplug_acpi_device_test(f.qts, "gpu", SLOT);
        g_assert_true(broker_readable(f.broker, PATIENCE_MS));
        g_assert_cmpint(recv(f.broker, &hello, sizeof(hello), 0), ==, 0);
        close(f.broker);
        qtest_qmp_assert_success(f.qts, "{ 'execute': 'device_add', "
                                 "'arguments': { 'driver': 'sundog', "
                                 "'id': 'gpu', 'addr': %s, 'vram': 16777216, "
                                 "'chardev': 'broker' } }", stringify(SLOT));
    }
    qtest_quit(f.qts);
    close(f.listener);
    unlink(path);
    rmdir(dir);
}

#define PORT_SLOT   4
#define PORT_ECAM   0xb0000000u
/* PCI_EXP_SLTCTL: power controller and power indicator are off. */
#define SLOT_OFF    (PCI_EXP_SLTCTL_PCC | PCI_EXP_SLTCTL_PWR_IND_OFF)

/*
 * Starts QEMU with the device behind a root port, whose slot control register
 * can power off the slot. Returns the address of that register in memory.
 */
static uint64_t start_behind_port(Fixture *f, const char *options)
{
    QPCIDevice *port, *mch;
    uint8_t cap;

    f->qts = qtest_initf("-machine q35 -vga none -d guest_errors -D /dev/null "
                         "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support"
                         "=off "
                         "-device pcie-root-port,id=root,chassis=1,addr=%d "
                         "%s,id=gpu,bus=root,vram=16M", PORT_SLOT, options);
    f->bus = qpci_new_pc(f->qts, NULL);
    mch = qpci_device_find(f->bus, QPCI_DEVFN(0, 0));
    qpci_config_writel(mch, 0x64, 0);
    qpci_config_writel(mch, 0x60, PORT_ECAM | 1);
    g_free(mch);
    port = qpci_device_find(f->bus, QPCI_DEVFN(PORT_SLOT, 0));
    qpci_config_writel(port, PCI_PRIMARY_BUS, 0x00010100);
    /* The whole range from which libqos allocates BARs. */
    qpci_config_writel(port, PCI_MEMORY_BASE, 0xeff0e000);
    qpci_device_enable(port);
    cap = qpci_find_capability(port, PCI_CAP_ID_EXP, 0);
    g_free(port);
    map_device_at(f, 1 << 8);
    return PORT_ECAM + (PORT_SLOT << 15) + cap + PCI_EXP_SLTCTL;
}

static void check_off(Fixture *f)
{
    for (int i = 0; i < PATIENCE_MS &&
                    qpci_config_readw(f->dev, PCI_VENDOR_ID) != 0xffff; i++) {
        step_ms(f, 1);
        g_usleep(1000);
    }
    g_assert_cmphex(qpci_config_readw(f->dev, PCI_VENDOR_ID), ==, 0xffff);
    step_ms(f, 1000);
    g_free(f->dev);
    qpci_free_pc(f->bus);
    qtest_quit(f->qts);
}

/* A vblank interrupt whose MSI powers off the device's own slot. */
static void test_unplugs_itself_vblank(void)
{
    Fixture f;
    uint64_t slot = start_behind_port(&f, "-device sundog,renderer=none");

    aim_msix_at(&f, SUNDOG_VECTOR_DISPLAY, slot, SLOT_OFF);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    check_off(&f);
}

/* The same without mapped BARs, which would hold references to the device. */
static void test_unplugs_itself_unmapped(void)
{
    Fixture f;
    uint64_t slot = start_behind_port(&f, "-device sundog,renderer=none");

    aim_msix_at(&f, SUNDOG_VECTOR_DISPLAY, slot, SLOT_OFF);
    set_mode(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    qpci_config_writew(f.dev, PCI_COMMAND, PCI_COMMAND_MASTER);
    check_off(&f);
}

static uint64_t start_behind_port_ready(Fixture *f)
{
    g_autofree char *options = NULL, *path = NULL;
    Message hello;
    uint64_t slot;

    f->dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    path = g_strdup_printf("%s/broker", f->dir);
    options = g_strdup_printf("-chardev socket,id=broker,path=%s "
                              "-device sundog,chardev=broker", path);
    f->listener = broker_listen(path);
    slot = start_behind_port(f, options);
    accept_hello(f, &hello);
    welcome(f, &hello);
    return slot;
}

static void end_broker(Fixture *f)
{
    g_autofree char *path = g_strdup_printf("%s/broker", f->dir);

    close(f->broker);
    close(f->listener);
    unlink(path);
    rmdir(f->dir);
    g_free(f->dir);
}

/* The same with the fence interrupt of a channel. */
static void test_unplugs_itself_fence(void)
{
    const uint64_t one = 1;
    Message m;
    Fixture f;
    uint64_t slot = start_behind_port_ready(&f);

    create_channel(&f, 1, 0, &m);
    aim_msix_at(&f, SUNDOG_VECTOR_FENCE, slot, SLOT_OFF);
    qpci_config_writew(f.dev, PCI_COMMAND, PCI_COMMAND_MASTER);
    g_assert_cmpint(write(m.fds[1], &one, sizeof(one)), ==, sizeof(one));
    check_off(&f);
    broker_close_fds(&m);
    end_broker(&f);
}

/* The same with the first of several interrupts for a lost renderer. */
static void test_unplugs_itself_lost(void)
{
    Fixture f;
    uint64_t slot = start_behind_port_ready(&f);

    ask_for_channel(&f, 1, 0);
    wr(&f, SUNDOG_REG_REVOKE, 1);
    /* Send pending interrupts to RAM. */
    aim_msix_at(&f, SUNDOG_VECTOR_EVENT, 0x1000, 0);
    aim_msix_at(&f, SUNDOG_VECTOR_EVENT, slot, SLOT_OFF);
    g_assert_cmphex(qpci_config_readw(f.dev, PCI_VENDOR_ID), ==,
                    SUNDOG_PCI_VENDOR);
    shutdown(f.broker, SHUT_RDWR);
    check_off(&f);
    end_broker(&f);
}

/* Suspends to RAM (S3) and wakes up, which resets the PCI configuration. */
static void sleep_and_wake(Fixture *f)
{
    enum { PM_BASE = 0xb000, CONTROL = PM_BASE + 4, SLEEP_TO_RAM = 9 << 10 };
    QPCIDevice *lpc = qpci_device_find(f->bus, QPCI_DEVFN(0x1f, 0));

    qpci_config_writel(lpc, 0x40, PM_BASE | 1);
    qpci_config_writeb(lpc, 0x44, 0x80);
    g_free(lpc);
    unmap_device(f);
    qtest_outw(f->qts, CONTROL, SLEEP_TO_RAM);
    qtest_qmp_eventwait(f->qts, "SUSPEND");
    qtest_qmp_assert_success(f->qts, "{ 'execute': 'system_wakeup' }");
    qtest_qmp_eventwait(f->qts, "WAKEUP");
    map_device(f);
}

/* VRAM, tables, channels and clients survive a suspend. */
static void test_sleep(void)
{
    Message created, m;
    Fixture f;

    start_ready(&f);
    create_channel(&f, 7, 3, &created);
    show_color(&f, 0);
    qpci_io_writeq(f.dev, f.control, 8, 0x1234567890);
    qpci_io_writeq(f.dev, f.control, SUNDOG_CONTROL_EXTENTS, 7);
    sleep_and_wake(&f);
    check_color(&f, 0);
    g_assert_cmphex(qpci_io_readq(f.dev, f.control, 8), ==, 0x1234567890);
    g_assert_cmphex(qpci_io_readq(f.dev, f.control, SUNDOG_CONTROL_EXTENTS),
                    ==, 7);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_CHANNEL_STATE(3)), ==,
                     SUNDOG_CHANNEL_STATE_RUN);
    wr(&f, SUNDOG_REG_DOORBELL(3), 1);
    broker_close_fds(&created);

    /* The broker received no message before this one. */
    wr(&f, SUNDOG_REG_CHANNEL_CLIENT, 7);
    wr(&f, SUNDOG_REG_CHANNEL_CMD, SUNDOG_CHANNEL_OP_DESTROY << 16 | 3);
    broker_expect(f.broker, &m, SUNDOG_MESSAGE_CHANNEL_DESTROY,
                  sizeof(m.destroy), 0);
    stop_connected(&f);
}

/*
 * Each of four windows changes its size 200 times while its head is drawn: each
 * head prefers the size of its own window, and raises HOTPLUG.
 */
static void test_resize(void)
{
    g_autofree char *dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_autoptr(GString) options = g_string_new(",heads=4");
    char *paths[4];
    int vnc[4];
    Fixture f;

    for (unsigned head = 0; head < 4; head++) {
        paths[head] = g_strdup_printf("%s/%u", dir, head);
        g_string_append_printf(options, " -vnc unix:%s,id=vnc%u,display=gpu,"
                               "head=%u", paths[head], head, head);
    }
    start(&f, options->str);
    for (unsigned head = 0; head < 4; head++) {
        vnc[head] = vnc_connect(paths[head]);
        show_color(&f, head);
    }
    for (unsigned i = 0; i < 4 * 200; i++) {
        const unsigned head = i % 4, width = 640 + i, height = 1480 - i;

        wr(&f, SUNDOG_REG_DISPLAY_EVENTS, ~0u);
        vnc_ask_for_size(vnc[head], width, height);
        wr(&f, SUNDOG_REG_DAMAGE(head), 1);
        qtest_clock_step(f.qts, PERIOD);
        wait_size(&f, head, width << 16 | height);
        g_assert_cmphex(rd(&f, SUNDOG_REG_DISPLAY_EVENTS), ==,
                        SUNDOG_DISPLAY_EVENT_HOTPLUG << head);
    }
    for (unsigned head = 0; head < 4; head++) {
        wait_size(&f, head, (640 + 796 + head) << 16 | (1480 - 796 - head));
        check_color(&f, head);
        close(vnc[head]);
    }
    stop(&f);
    for (unsigned head = 0; head < 4; head++) {
        unlink(paths[head]);
        g_free(paths[head]);
    }
    rmdir(dir);
}

void add_machine_tests(void)
{
    qtest_add_func("/sundog/machine/plug", test_plug);
    qtest_add_func("/sundog/machine/plug-chardev", test_plug_chardev);
    qtest_add_func("/sundog/machine/unplugs-itself-vblank",
                   test_unplugs_itself_vblank);
    qtest_add_func("/sundog/machine/unplugs-itself-unmapped",
                   test_unplugs_itself_unmapped);
    qtest_add_func("/sundog/machine/unplugs-itself-fence",
                   test_unplugs_itself_fence);
    qtest_add_func("/sundog/machine/unplugs-itself-lost",
                   test_unplugs_itself_lost);
    qtest_add_func("/sundog/machine/sleep", test_sleep);
    qtest_add_func("/sundog/machine/resize", test_resize);
}

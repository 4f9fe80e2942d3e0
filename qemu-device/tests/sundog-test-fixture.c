/*
 * sundog: QEMU with the device under test, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sundog-test-fixture.h.
 */

#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "libqos/pci-pc.h"
#include "qemu/bswap.h"
#include "sundog-test-fixture.h"

uint32_t rd(Fixture *f, uint32_t reg)
{
    return qpci_io_readl(f->dev, f->regs, reg);
}

uint64_t rd64(Fixture *f, uint32_t reg)
{
    return rd(f, reg) | (uint64_t)rd(f, reg + 4) << 32;
}

void wr(Fixture *f, uint32_t reg, uint32_t val)
{
    qpci_io_writel(f->dev, f->regs, reg, val);
}

void wr64(Fixture *f, uint32_t reg, uint64_t val)
{
    wr(f, reg, val);
    wr(f, reg + 4, val >> 32);
}

void wait_for(Fixture *f, uint32_t reg, uint32_t val)
{
    for (int i = 0; rd(f, reg) != val && i < PATIENCE_MS; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(rd(f, reg), ==, val);
}

void step_ms(Fixture *f, int64_t ms)
{
    qtest_clock_step(f->qts, ms * 1000000);
}

void map_device(Fixture *f)
{
    f->bus = qpci_new_pc(f->qts, NULL);
    map_device_at(f, QPCI_DEVFN(SLOT, 0));
}

void map_device_at(Fixture *f, int devfn)
{
    f->dev = qpci_device_find(f->bus, devfn);
    g_assert_nonnull(f->dev);
    qpci_device_enable(f->dev);
    f->regs = qpci_iomap(f->dev, 0, NULL);
    qpci_msix_enable(f->dev);
    f->vram = qpci_iomap(f->dev, 2, NULL);
    f->control = qpci_iomap(f->dev, 4, NULL);
}

void unmap_device(Fixture *f)
{
    qpci_msix_disable(f->dev);
    g_free(f->dev);
    qpci_free_pc(f->bus);
}

void reset_machine(Fixture *f)
{
    unmap_device(f);
    qtest_system_reset(f->qts);
    map_device(f);
}

void aim_msix_at(Fixture *f, unsigned vector, uint64_t addr, uint32_t val)
{
    uint64_t entry = f->dev->msix_table_off + vector * PCI_MSIX_ENTRY_SIZE;

    qpci_io_writel(f->dev, f->dev->msix_table_bar,
                   entry + PCI_MSIX_ENTRY_LOWER_ADDR, addr);
    qpci_io_writel(f->dev, f->dev->msix_table_bar,
                   entry + PCI_MSIX_ENTRY_UPPER_ADDR, addr >> 32);
    qpci_io_writel(f->dev, f->dev->msix_table_bar,
                   entry + PCI_MSIX_ENTRY_DATA, val);
    qpci_io_writel(f->dev, f->dev->msix_table_bar,
                   entry + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
}

void aim_msix(Fixture *f, unsigned vector, uint32_t reg, uint32_t val)
{
    aim_msix_at(f, vector, f->regs.addr + reg, val);
}

void start_with(Fixture *f, const char *options)
{
    f->qts = qtest_initf("-machine q35 -vga none -d guest_errors -D /dev/null "
                         "-device sundog,id=gpu,addr=%d,vram=16M%s", SLOT,
                         options);
    map_device(f);
}

void start(Fixture *f, const char *options)
{
    g_autofree char *all = g_strdup_printf(",renderer=none%s", options);

    start_with(f, all);
}

void start_spawned(Fixture *f, const char *options)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *all = g_strdup_printf(",renderer=%s%s", self, options);

    start_with(f, all);
    wait_for(f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
}

void log_begin(Log *log)
{
    int fd = g_file_open_tmp("sundog-test-XXXXXX", &log->path, NULL);

    g_assert_cmpint(fd, >=, 0);
    log->old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

void log_started(Log *log)
{
    dup2(log->old, STDERR_FILENO);
    close(log->old);
}

char *log_end(Log *log)
{
    char *messages = NULL;

    g_assert_true(g_file_get_contents(log->path, &messages, NULL, NULL));
    unlink(log->path);
    g_free(log->path);
    return messages;
}

char *messages_of_refusal(const char *options)
{
    g_autofree char *command = g_strdup_printf(
        "%s -M q35 -display none -vga none %s",
        getenv("QTEST_QEMU_BINARY"), options);
    char *messages = NULL;
    int status;

    g_assert_true(g_spawn_command_line_sync(command, NULL, &messages, &status,
                                            NULL));
    g_assert_false(g_spawn_check_wait_status(status, NULL));
    return messages;
}

void check_refuses_to_start(const char *options, const char *text)
{
    g_autofree char *messages = messages_of_refusal(options);

    g_assert_nonnull(strstr(messages, text));
}

pid_t spawned_pid(Fixture *f)
{
    return rd(f, SUNDOG_REG_CAPS + offsetof(struct sundog_caps, host_vendor));
}

void stop(Fixture *f)
{
    unmap_device(f);
    qtest_quit(f->qts);
}

void start_connected(Fixture *f, Message *hello)
{
    start_connected_with(f, hello, "", "", "");
}

void start_connected_with(Fixture *f, Message *hello, const char *machine,
                          const char *chardev, const char *device)
{
    g_autofree char *path = NULL;

    f->dir = g_dir_make_tmp("sundog-test-XXXXXX", NULL);
    g_assert_nonnull(f->dir);
    path = g_strdup_printf("%s/broker", f->dir);
    f->listener = broker_listen(path);
    f->qts = qtest_initf("-machine q35 %s -vga none "
                         "-d guest_errors -D /dev/null "
                         "-chardev socket,id=broker,path=%s%s "
                         "-device sundog,id=gpu,addr=%d,vram=16M,"
                         "chardev=broker%s", machine, path, chardev, SLOT,
                         device);
    map_device(f);
    accept_hello(f, hello);
}

void accept_hello(Fixture *f, Message *hello)
{
    f->broker = broker_accept(f->listener);
    broker_expect(f->broker, hello, SUNDOG_MESSAGE_HELLO, sizeof(hello->hello),
                  SUNDOG_MESSAGE_HELLO_FDS);
}

void start_ready(Fixture *f)
{
    Message hello;

    start_connected(f, &hello);
    welcome(f, &hello);
}

void welcome(Fixture *f, Message *hello)
{
    struct sundog_message_welcome welcome;

    broker_close_fds(hello);
    broker_fill_welcome(&welcome, VRAM_SIZE);
    broker_send_bytes(f->broker, &welcome, sizeof(welcome));
    wait_for(f, SUNDOG_REG_RENDERER_STATE, SUNDOG_RENDERER_STATE_READY);
    wr(f, SUNDOG_REG_DEVICE_EVENTS, ~0u);
}

void stop_connected(Fixture *f)
{
    g_autofree char *path = g_strdup_printf("%s/broker", f->dir);

    stop(f);
    close(f->broker);
    close(f->listener);
    unlink(path);
    rmdir(f->dir);
    g_free(f->dir);
}

void ask_for_channel(Fixture *f, uint32_t client, uint32_t channel)
{
    wr(f, SUNDOG_REG_CHANNEL_CLIENT, client);
    wr(f, SUNDOG_REG_CHANNEL_CMD, SUNDOG_CHANNEL_OP_CREATE << 16 | channel);
}

void create_channel(Fixture *f, uint32_t client, uint32_t channel, Message *m)
{
    ask_for_channel(f, client, channel);
    g_assert_cmpuint(rd(f, SUNDOG_REG_CHANNEL_STATE(channel)), ==,
                     SUNDOG_CHANNEL_STATE_CREATING);
    broker_expect(f->broker, m, SUNDOG_MESSAGE_CHANNEL_CREATE,
                  sizeof(m->create), SUNDOG_MESSAGE_CHANNEL_CREATE_FDS);
    g_assert_cmpuint(m->create.client, ==, client);
    g_assert_cmpuint(m->create.channel, ==, channel);
    broker_send_channel_state(f->broker, channel, SUNDOG_CHANNEL_STATE_RUN,
                              0, 0, 0, 0);
    wait_for(f, SUNDOG_REG_CHANNEL_STATE(channel), SUNDOG_CHANNEL_STATE_RUN);
}

QPCIDevice *start_disk(Fixture *f, QPCIBar *bar)
{
    QPCIDevice *disk = qpci_device_find(f->bus, QPCI_DEVFN(DISK_SLOT, 0));

    g_assert_nonnull(disk);
    qpci_device_enable(disk);
    /* libqos has no address space left behind the control region. */
    *bar = (QPCIBar) { .addr = 0xe8000000 };
    qpci_config_writel(disk, PCI_BASE_ADDRESS_4, bar->addr);
    qpci_config_writel(disk, PCI_BASE_ADDRESS_5, 0);
    /* ACKNOWLEDGE, DRIVER, FEATURES_OK, DRIVER_OK. */
    qpci_io_writeb(disk, *bar, DISK_STATUS, 0xf);
    g_assert_cmphex(qpci_io_readb(disk, *bar, DISK_STATUS), ==, 0xf);
    return disk;
}

void set_plane(Fixture *f, unsigned plane, uint32_t format,
               uint32_t width, uint32_t height, uint64_t offset)
{
    wr(f, SUNDOG_REG_PLANE_FORMAT(plane), format);
    wr(f, SUNDOG_REG_PLANE_BLEND(plane), SUNDOG_PLANE_BLEND_PREMULTI);
    wr(f, SUNDOG_REG_PLANE_ALPHA(plane), 0xffff);
    wr(f, SUNDOG_REG_PLANE_ROTATION(plane), SUNDOG_PLANE_ROTATION_0);
    wr64(f, SUNDOG_REG_PLANE_OFFSET(plane), offset);
    wr(f, SUNDOG_REG_PLANE_PITCH(plane), width * 4);
    wr(f, SUNDOG_REG_PLANE_WIDTH(plane), width);
    wr(f, SUNDOG_REG_PLANE_HEIGHT(plane), height);
    wr(f, SUNDOG_REG_PLANE_SRC_X(plane), 0);
    wr(f, SUNDOG_REG_PLANE_SRC_Y(plane), 0);
    wr(f, SUNDOG_REG_PLANE_SRC_W(plane), width << 16);
    wr(f, SUNDOG_REG_PLANE_SRC_H(plane), height << 16);
    wr(f, SUNDOG_REG_PLANE_DST_X(plane), 0);
    wr(f, SUNDOG_REG_PLANE_DST_Y(plane), 0);
    wr(f, SUNDOG_REG_PLANE_DST_W(plane), width);
    wr(f, SUNDOG_REG_PLANE_DST_H(plane), height);
    wr(f, SUNDOG_REG_PLANE_ZPOS(plane), plane % SUNDOG_HEAD_PLANES);
}

void set_cursor(Fixture *f, unsigned head, int32_t x, int32_t y,
                uint64_t offset)
{
    set_plane(f, CURSOR(head), AR24, 64, 64, offset);
    wr(f, SUNDOG_REG_PLANE_DST_X(CURSOR(head)), x);
    wr(f, SUNDOG_REG_PLANE_DST_Y(CURSOR(head)), y);
}

void set_head_mode(Fixture *f, unsigned head, uint32_t control,
                   uint32_t width, uint32_t height, uint64_t offset)
{
    wr(f, SUNDOG_REG_HEAD_CONTROL(head), control);
    wr(f, SUNDOG_REG_HEAD_WIDTH(head), width);
    wr(f, SUNDOG_REG_HEAD_HEIGHT(head), height);
    wr(f, SUNDOG_REG_HEAD_PERIOD(head), PERIOD);
    set_plane(f, PRIMARY(head), XR24, width, height, offset);
}

void set_mode(Fixture *f, uint32_t control, uint32_t width,
              uint32_t height, uint64_t offset)
{
    set_head_mode(f, 0, control, width, height, offset);
}

bool commit_takes(Fixture *f)
{
    static uint32_t token;
    bool taken;

    wr(f, SUNDOG_REG_COMMIT(0), ++token);
    taken = rd(f, SUNDOG_REG_LATCHED(0)) == token;
    if (taken) {
        wr(f, SUNDOG_REG_RESET, 1);
    }
    return taken;
}

void check_bounds(Fixture *f, void (*prepare)(Fixture *f), const Bound *bounds,
                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_test_message("register 0x%x = 0x%x", bounds[i].reg, bounds[i].val);
        wr(f, SUNDOG_REG_RESET, 1);
        prepare(f);
        wr(f, bounds[i].reg, bounds[i].val);
        g_assert_cmpint(commit_takes(f), ==, bounds[i].taken);
    }
}

void screendump_size(Fixture *f, unsigned head, unsigned width,
                     unsigned height, uint32_t *pixels)
{
    g_autofree char *path = g_strdup_printf("%s/sundog-test-%d.ppm",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *ppm = NULL;
    g_autofree char *header = g_strdup_printf("P6\n%u %u\n255\n", width,
                                              height);
    const size_t skip = strlen(header);
    gsize length;

    qtest_qmp_assert_success(f->qts, "{ 'execute': 'screendump',"
                             " 'arguments': { 'filename': %s, 'head': %u,"
                             " 'device': 'gpu' } }", path, head);
    g_assert_true(g_file_get_contents(path, &ppm, &length, NULL));
    unlink(path);
    g_assert_cmpuint(length, ==, skip + width * height * 3);
    g_assert_cmpmem(ppm, skip, header, skip);
    for (int i = 0; i < width * height; i++) {
        const uint8_t *p = (uint8_t *)ppm + skip + i * 3;

        pixels[i] = p[0] << 16 | p[1] << 8 | p[2];
    }
}

void screendump_head(Fixture *f, unsigned head, uint32_t pixels[64 * 64])
{
    screendump_size(f, head, 64, 64, pixels);
}

void screendump(Fixture *f, uint32_t pixels[64 * 64])
{
    screendump_head(f, 0, pixels);
}

/* Returns the first detailed timing of the EDID: the preferred mode. */
static uint32_t preferred_size(Fixture *f, unsigned head)
{
    uint8_t timing[8];

    for (unsigned i = 0; i < sizeof(timing); i++) {
        uint32_t at = 54 + i;

        timing[i] = rd(f, SUNDOG_REG_EDID(head) + (at & ~3)) >> 8 * (at % 4);
    }
    return (timing[2] | (timing[4] & 0xf0) << 4) << 16 |
           (timing[5] | (timing[7] & 0xf0) << 4);
}

void wait_size(Fixture *f, unsigned head, uint32_t size)
{
    for (int i = 0; preferred_size(f, head) != size && i < PATIENCE_MS; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(preferred_size(f, head), ==, size);
}

void fill(Fixture *f, uint64_t offset, uint32_t pixel)
{
    uint32_t image[64 * 64];

    for (int i = 0; i < 64 * 64; i++) {
        image[i] = cpu_to_le32(pixel);
    }
    qpci_memwrite(f->dev, f->vram, offset, image, sizeof(image));
}

uint32_t crc32_of(const uint32_t *pixels, unsigned n)
{
    uint32_t crc = ~0u;

    for (unsigned i = 0; i < n * 4; i++) {
        crc ^= (pixels[i / 4] | 0xff000000) >> 8 * (i % 4) & 0xff;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/*
 * sundog: QEMU with the device under test, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Starts and stops QEMU, accesses registers as a driver does, and plays the
 * broker. A failed check ends the test.
 */

#ifndef SUNDOG_TEST_FIXTURE_H
#define SUNDOG_TEST_FIXTURE_H

#include "libqtest.h"
#include "libqos/pci.h"
#include "../../hw/display/sundog/sundog_hw.h"
#include "sundog-test-broker.h"

#define MiB             (1024 * 1024)
#define VRAM_SIZE       (16 * MiB)
#define SLOT            5
#define XR24            0x34325258
#define AR24            0x34325241
#define NV12            0x3231564e
#define PERIOD          10000000u       /* ns */

#define CONTROL_ON      SUNDOG_HEAD_CONTROL_ENABLE

/* Numbers of planes. */
#define PRIMARY(head)   ((head) * SUNDOG_HEAD_PLANES)
#define CURSOR(head)    (PRIMARY(head) + SUNDOG_HEAD_PLANES - 1)

typedef struct Fixture {
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *dev;
    QPCIBar regs;
    QPCIBar vram;
    QPCIBar control;
    char *dir;
    int listener;
    int broker;                 /* the broker's socket */
} Fixture;

uint32_t rd(Fixture *f, uint32_t reg);
uint64_t rd64(Fixture *f, uint32_t reg);
void wr(Fixture *f, uint32_t reg, uint32_t val);
void wr64(Fixture *f, uint32_t reg, uint64_t val);

/* Waits until REG is VAL: QEMU handles the broker's messages asynchronously. */
void wait_for(Fixture *f, uint32_t reg, uint32_t val);

/* Timeouts of the device for a renderer, ms of the virtual clock. */
#define RESET_MS        3000
#define RESTART_MS      250
#define ABSENT_MS       5000
void step_ms(Fixture *f, int64_t ms);

/* Starts QEMU with a device without a renderer, and maps its BARs. */
void start(Fixture *f, const char *options);

/* The same, with renderer= or chardev= in OPTIONS, or the default renderer. */
void start_with(Fixture *f, const char *options);

/* The same, with broker_main() as the renderer, which is READY on return. */
void start_spawned(Fixture *f, const char *options);
pid_t spawned_pid(Fixture *f);

/* Collects the stderr of QEMUs that are started before log_started(). */
typedef struct Log {
    char *path;
    int old;                    /* stderr of this process */
} Log;
void log_begin(Log *log);
void log_started(Log *log);

/* Returns the messages until now, which the caller frees. */
char *log_end(Log *log);

/*
 * Checks that QEMU does not start with OPTIONS. Returns its messages, which the
 * caller frees.
 */
char *messages_of_refusal(const char *options);

/* The same, and checks that the messages contain TEXT. */
void check_refuses_to_start(const char *options, const char *text);

void stop(Fixture *f);
void map_device(Fixture *f);
void map_device_at(Fixture *f, int devfn);
void unmap_device(Fixture *f);
/* Resets the machine, as a reset button does, and maps the BARs again. */
void reset_machine(Fixture *f);

/* Makes the vector's MSI a write of VAL to ADDR, or to REG of the device. */
void aim_msix_at(Fixture *f, unsigned vector, uint64_t addr, uint32_t val);
void aim_msix(Fixture *f, unsigned vector, uint32_t reg, uint32_t val);

/* Starts QEMU; the broker has received HELLO, but not answered yet. */
void start_connected(Fixture *f, Message *hello);
void start_connected_with(Fixture *f, Message *hello, const char *machine,
                          const char *chardev, const char *device);
void start_ready(Fixture *f);

/* Steps of start_ready(), for devices that connect again: HELLO and READY. */
void accept_hello(Fixture *f, Message *hello);
void welcome(Fixture *f, Message *hello);
void stop_connected(Fixture *f);

/*
 * CREATE of a channel. create_channel() also answers RUN as the broker; M has
 * the descriptors of doorbell (0) and irq (1).
 */
void ask_for_channel(Fixture *f, uint32_t client, uint32_t channel);
void create_channel(Fixture *f, uint32_t client, uint32_t channel, Message *m);

/*
 * A disk whose reset, a write of 0 to DISK_STATUS of its BAR, waits for an I/O
 * thread. The caller frees the device.
 */
#define DISK_SLOT       4
#define DISK_STATUS     20      /* VIRTIO_PCI_COMMON_STATUS */
#define DISK_NOTIFY     0x3000
#define DISK_OPTIONS \
    "-object iothread,id=io -blockdev null-co,node-name=disk,size=1048576 " \
    "-device virtio-blk-pci,addr=" stringify(DISK_SLOT) ",drive=disk," \
    "iothread=io,disable-legacy=on"
QPCIDevice *start_disk(Fixture *f, QPCIBar *bar);

void set_mode(Fixture *f, uint32_t control, uint32_t width, uint32_t height,
              uint64_t offset);

/* Shows a whole buffer of 4 bytes per pixel at the head's upper left corner. */
void set_plane(Fixture *f, unsigned plane, uint32_t format,
               uint32_t width, uint32_t height, uint64_t offset);

/* Shows 64 x 64 pixels in the cursor plane at (x, y). */
void set_cursor(Fixture *f, unsigned head, int32_t x, int32_t y,
                uint64_t offset);

void set_head_mode(Fixture *f, unsigned head, uint32_t control,
                   uint32_t width, uint32_t height, uint64_t offset);

/*
 * COMMIT on a disabled head, which takes effect at once. Returns true if it was
 * accepted.
 */
bool commit_takes(Fixture *f);

/*
 * A value of one register and whether a commit with it is accepted. PREPARE
 * writes the other registers after a reset.
 */
typedef struct Bound {
    uint32_t reg;
    uint32_t val;
    bool taken;
} Bound;
void check_bounds(Fixture *f, void (*prepare)(Fixture *f), const Bound *bounds,
                  size_t n);

/* Screendump of the console: 64 x 64 pixels as 0xRRGGBB. */
void screendump(Fixture *f, uint32_t pixels[64 * 64]);
void screendump_head(Fixture *f, unsigned head, uint32_t pixels[64 * 64]);
void screendump_size(Fixture *f, unsigned head, unsigned width,
                     unsigned height, uint32_t *pixels);

/* Waits until the head's EDID prefers SIZE, width << 16 | height. */
void wait_size(Fixture *f, unsigned head, uint32_t size);

/* Returns HEAD_CRC of a head that shows these pixels. */
uint32_t crc32_of(const uint32_t *pixels, unsigned n);

/* Writes 64 x 64 equal pixels to VRAM. */
void fill(Fixture *f, uint64_t offset, uint32_t pixel);

/* Each adds the tests of one file. */
void add_boot_tests(void);
void add_cursor_tests(void);
void add_damage_tests(void);
void add_display_tests(void);
void add_fuzz_tests(void);
void add_hostile_tests(void);
void add_machine_tests(void);
void add_renderer_tests(void);
void add_vrr_tests(void);
void add_writeback_tests(void);

#endif

/*
 * sundog: the device under test and what drives it, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
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

/* The broker's messages come when QEMU's main loop gets to them. */
void wait_for(Fixture *f, uint32_t reg, uint32_t val);

/* How long the device waits for a renderer, in ms of the clock that we step. */
#define RESET_MS        3000
#define RESTART_MS      250
void step_ms(Fixture *f, int64_t ms);

/* QEMU with the device, and its BARs mapped. */
void start(Fixture *f, const char *options);

/* With a renderer that QEMU started, which is READY: broker_main(). */
void start_spawned(Fixture *f, const char *options);
pid_t spawned_pid(Fixture *f);

/* QEMU must end with TEXT in what it says. */
void check_refuses_to_start(const char *options, const char *text);

void stop(Fixture *f);
void map_device(Fixture *f);
void map_device_at(Fixture *f, int devfn);
void unmap_device(Fixture *f);
/* What a reset button does; its BARs are mapped again. */
void reset_machine(Fixture *f);

/* The vector's message is a write of VAL: to ADDR, or to REG of the device. */
void aim_msix_at(Fixture *f, unsigned vector, uint64_t addr, uint32_t val);
void aim_msix(Fixture *f, unsigned vector, uint32_t reg, uint32_t val);

/* With a broker that has got its hello and not answered it yet. */
void start_connected(Fixture *f, Message *hello);
void start_connected_with(Fixture *f, Message *hello, const char *machine,
                          const char *chardev, const char *device);
void start_ready(Fixture *f);

/* The steps of that: a hello, also of a device that connects again; READY. */
void accept_hello(Fixture *f, Message *hello);
void welcome(Fixture *f, Message *hello);
void stop_connected(Fixture *f);

/* CREATE; and with a broker that answers RUN: M keeps doorbell (0) and irq (1). */
void ask_for_channel(Fixture *f, uint32_t client, uint32_t channel);
void create_channel(Fixture *f, uint32_t client, uint32_t channel, Message *m);

/*
 * A disk whose reset, a write of 0 to DISK_STATUS of its BAR, waits for an I/O
 * thread. The device is the caller's to free.
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

/* A plane shows all of a buffer with 4 bytes a pixel, at the head's corner. */
void set_plane(Fixture *f, unsigned plane, uint32_t format,
               uint32_t width, uint32_t height, uint64_t offset);

/* The cursor's plane shows 64 x 64 pixels at (x, y). */
void set_cursor(Fixture *f, unsigned head, int32_t x, int32_t y,
                uint64_t offset);

void set_head_mode(Fixture *f, unsigned head, uint32_t control,
                   uint32_t width, uint32_t height, uint64_t offset);

/* COMMIT on a head that is off: taken at once, or not at all. */
bool commit_takes(Fixture *f);

/*
 * Is a commit taken that has this value in one register, and else what PREPARE
 * wrote after a reset?
 */
typedef struct Bound {
    uint32_t reg;
    uint32_t val;
    bool taken;
} Bound;
void check_bounds(Fixture *f, void (*prepare)(Fixture *f), const Bound *bounds,
                  size_t n);

/* QEMU's picture of the console: 64 x 64 pixels as 0xRRGGBB. */
void screendump(Fixture *f, uint32_t pixels[64 * 64]);
void screendump_head(Fixture *f, unsigned head, uint32_t pixels[64 * 64]);
void screendump_size(Fixture *f, unsigned head, unsigned width,
                     unsigned height, uint32_t *pixels);

/* The head prefers this mode, width << 16 | height, by now or soon. */
void wait_size(Fixture *f, unsigned head, uint32_t size);

/* What HEAD_CRC is of a head that shows these. */
uint32_t crc32_of(const uint32_t *pixels, unsigned n);

/* 64 x 64 pixels in VRAM, all the same. */
void fill(Fixture *f, uint64_t offset, uint32_t pixel);

/* One file of tests each. */
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

/*
 * sundog, a GPU in software: state and functions that the device's files share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sundog.c: the PCI device: BARs, memories, interrupts, reset, properties
 *
 * sundog-regs.c: BAR0: dispatch of register accesses to the other files
 *
 * sundog-discard.c: return of VRAM pages to the host
 *
 * sundog-display.c: heads: shadow registers, commit, vblank interrupt, EDID
 *
 * sundog-vblank.c: heads: times of vblanks
 *
 * sundog-color.c: heads: registers of the degamma, CTM and gamma
 *
 * sundog-scanout.c: heads: console surface, damage
 *
 * sundog-compose.c: heads: composition of planes
 *
 * sundog-dirty.c: heads: dirty log of VRAM
 *
 * sundog-cursor.c: heads: a plane that UIs show as their own cursor
 *
 * sundog-writeback.c: heads: frames written to VRAM
 *
 * sundog-boot.c: heads: framebuffer of the firmware (ramfb)
 *
 * sundog-channel.c: channel slots: state, doorbell, fence interrupt, fault
 * record
 *
 * sundog-renderer.c: the connection to the broker
 *
 * sundog-spawn.c: the renderer process that the device starts
 *
 * sundog-guest.c: pages of guest RAM as memory of the device (heap GUEST)
 *
 * sundog-revoke.c: revocation of VRAM mappings of workers
 *
 * Everything here runs in the QEMU process under the BQL.
 */

#ifndef HW_DISPLAY_SUNDOG_H
#define HW_DISPLAY_SUNDOG_H

#include "hw/pci/pci_device.h"
#include "hw/display/edid.h"
#include "chardev/char-fe.h"
#include "qemu/event_notifier.h"
#include "qemu/interval-tree.h"
#include "qemu/log.h"
#include "qemu/queue.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/qtest.h"
#include "ui/console.h"

#include "sundog-compose.h"
#include "sundog_hw.h"
#include "sundog_messages.h"

#define TYPE_SUNDOG "sundog"
OBJECT_DECLARE_SIMPLE_TYPE(SundogState, SUNDOG)

/* Blocks of registers of the heads and planes: first offset and stride. */
#define SUNDOG_HEAD_BASE    0x400
#define SUNDOG_HEAD_STRIDE  (SUNDOG_REG_COMMIT(1) - SUNDOG_REG_COMMIT(0))
#define SUNDOG_PLANE_BASE   SUNDOG_REG_PLANE_FORMAT(0)
#define SUNDOG_PLANE_STRIDE (SUNDOG_REG_PLANE_FORMAT(1) - SUNDOG_PLANE_BASE)
#define SUNDOG_COLOR_BASE   SUNDOG_REG_HEAD_COLOR(0)
#define SUNDOG_COLOR_STRIDE (SUNDOG_REG_HEAD_COLOR(1) - SUNDOG_COLOR_BASE)
#define SUNDOG_DEGAMMA_BASE SUNDOG_REG_HEAD_DEGAMMA(0)
#define SUNDOG_DEGAMMA_STRIDE (SUNDOG_REG_HEAD_DEGAMMA(1) - SUNDOG_DEGAMMA_BASE)

/* Size of the receive buffer: at least that of the broker's longest message. */
#define SUNDOG_MESSAGE_MAX  4096

/* Rate limit: the number of events since the start of a period. */
typedef struct SundogRate {
    int64_t start;              /* of the period, ns of real time */
    unsigned count;
} SundogRate;

/* Destination and progress of a frame that is written to VRAM. */
typedef struct SundogWriteback {
    uint32_t format;            /* SUNDOG_FOURCC_*, 0: no writeback */
    uint32_t pitch;             /* bytes per row */
    uint64_t offset;            /* in VRAM */
    uint32_t token;             /* of the commit that requested it */
    uint32_t row;               /* next row to write */
} SundogWriteback;

/* Whether a plane is a pointer (cursor), and its hot spot in plane pixels. */
typedef struct SundogPointer {
    bool enable;
    int32_t hot_x;
    int32_t hot_y;
} SundogPointer;

/* The state that a head shows. Contains checked values only. */
typedef struct SundogMode {
    bool enable;
    uint32_t width;
    uint32_t height;
    uint32_t period;            /* ns, minimum length of a frame */
    uint32_t period_max;        /* ns, length of a frame without a commit */
    SundogPlane planes[SUNDOG_HEAD_PLANES];
    SundogPointer pointers[SUNDOG_HEAD_PLANES];
    uint32_t pictures;          /* mask of planes that did more than move */
    SundogColor color;
    SundogWriteback writeback;
} SundogMode;

typedef struct SundogHead {
    SundogState *s;
    unsigned index;
    QemuConsole *con;

    uint32_t shadow[SUNDOG_HEAD_STRIDE / 4];
    uint32_t planes[SUNDOG_HEAD_PLANES][SUNDOG_PLANE_STRIDE / 4];
    uint32_t pictures;          /* SundogMode.pictures of the next commit */
    struct sundog_head_color color;
    struct sundog_head_degamma degamma;
    uint32_t committed;         /* token of the last COMMIT */
    uint32_t latched;
    SundogMode mode;
    SundogMode pending;
    bool has_pending;
    int64_t due;                /* ns, vblank at which pending takes effect */

    QEMUTimer *vblank;
    uint64_t vblanks;           /* vblanks up to epoch */
    int64_t epoch;              /* ns, time of a vblank */
    uint64_t kept_count;        /* latched by a read of VBLANK_COUNT */
    int64_t kept_time;

    uint32_t crc;
    uint64_t crc_frame;         /* VBLANK_COUNT of the frame of crc */
    uint32_t kept_crc;          /* latched by a read of HEAD_CRC_FRAME */
    uint64_t kept_crc_frame;
    QEMUTimer *crc_goes_on;     /* pending: a CRC is being computed */
    uint32_t crc_row;           /* its next row */
    uint32_t crc_sum;
    uint64_t crc_begun;         /* VBLANK_COUNT at its start */

    uint32_t written;           /* token of the last completed writeback */
    QEMUTimer *writeback_goes_on;

    qemu_edid_info edid_info;
    uint8_t edid[SUNDOG_EDID_SIZE];

    bool stale;                 /* the console needs another surface */
    uint8_t *surface;           /* first pixel in VRAM; NULL: composed */
    uint32_t pitch;             /* of surface, bytes per row */
    DisplaySurface *next;       /* new surface while its rows are composed */
    uint32_t next_missing;      /* rows that next still needs */
    uint32_t damage_top;        /* rows to draw again, top..bottom - 1 */
    uint32_t damage_bottom;
    uint32_t damage_next;       /* next row to draw, wraps to damage_top */
    uint32_t damage_left;       /* rows left to draw; 0: no damage */
    uint32_t n_drawn;           /* rows drawn since the UI's last request */
    uint32_t n_waited;          /* rows drawn since its first unmet request */
    QEMUTimer *draw_goes_on;    /* pending: the UI waits for a frame */
    SundogPlane shown[SUNDOG_HEAD_PLANES];  /* planes without the UI's cursor */

    int pointer;                /* plane that is the UI's cursor, -1: none */
    QEMUCursor *cursor;         /* last cursor that the UI got, or NULL */
    SundogPointer cursor_at;    /* pointer from which cursor was made */
    bool cursor_stale;          /* cursor may differ from the plane */
    QEMUTimer *cursor_timer;    /* pending: the UI needs an update */
} SundogHead;

/* Why a channel stopped; the meaning of the numbers depends on the code. */
typedef struct SundogFault {
    uint32_t code;              /* fault_code */
    uint64_t seqno;
    uint64_t offset;
    uint64_t arg;
} SundogFault;

typedef struct SundogChannel {
    SundogState *s;
    unsigned index;
    uint32_t state;             /* channel_state */
    uint32_t client;
    bool known;                 /* the connected broker has this channel */
    bool wired;                 /* the two eventfds below exist */
    bool ioeventfd;             /* KVM signals the doorbell, without an exit */
    EventNotifier doorbell;
    EventNotifier irq;
    SundogRate irq_rate;
    bool irq_muted;             /* over its limit: irq has no handler now */

    SundogFault fault;
} SundogChannel;

typedef struct SundogBoot SundogBoot;
typedef struct SundogPacket SundogPacket;
typedef struct SundogChild SundogChild;
typedef struct SundogGuestMap SundogGuestMap;

struct SundogState {
    PCIDevice parent_obj;

    MemoryRegion regs;          /* BAR0 */
    MemoryRegion msix;          /* BAR1 */
    MemoryRegion vram;          /* BAR2 */
    MemoryRegion control;       /* BAR4, contains the next two */
    MemoryRegion table;
    MemoryRegion channels_ram;

    uint64_t vram_size;
    uint32_t num_heads;
    uint32_t num_channels;
    uint32_t max_ioeventfds;
    bool host_cursor;
    qemu_edid_info edid_info;
    char *renderer;             /* NULL: auto, but the device may go without */
    char *renderer_options;
    const char *program;        /* that the device starts, NULL: none */
    CharBackend chr;
    bool spawned;               /* the device owns the chardev of chr */
    SundogChild *child;         /* the renderer that the device started */
    bool ending;                /* child is disconnected, but not reaped yet */
    bool proven;                /* a child of this device was READY once */
    int64_t started;            /* time of the last start, ms */
    int64_t restart_delay;      /* pause before the next start, ms */
    QEMUTimer *restart_timer;
    QEMUTimer *absent_timer;    /* pending: no renderer has connected yet */
    Error *migration_blocker;

    uint32_t display_events;
    uint32_t device_events;
    uint32_t channel_events[SUNDOG_MAX_CHANNELS / 32];
    uint32_t channel_client;
    int64_t kept_clock;         /* latched by a read of CLOCK */
    uint64_t discard_offset;
    bool resetting;
    bool quiet;                 /* machine reset or unplug: no interrupts */
    uint32_t vectors;           /* mask of pending interrupts */
    QEMUBH *deliver_bh;
    QEMUTimer *reset_timer;     /* timeout of the broker's RESET_DONE */

    SundogHead heads[SUNDOG_MAX_HEADS];
    int64_t compose_begin;      /* start of the time slice, ns of real time */
    int64_t compose_rests;      /* no rows are composed before, ns */
    bool compose_had_time;      /* the last caller of sundog_has_time() did */
    int64_t cursor_rests;       /* UIs get no cursors before, ns of real time */
    bool log_writes;            /* the dirty log of VRAM is on */
    bool ramfb;
    SundogBoot *boot;           /* the firmware's framebuffer, with ramfb */
    bool booting;               /* head 0 shows boot while it is off */
    SundogChannel channels[SUNDOG_MAX_CHANNELS];
    unsigned n_wired;
    unsigned n_ioeventfds;
    QEMUTimer *irq_timer;       /* ends the pause of muted channels */

    uint32_t renderer_state;
    struct sundog_caps caps;
    QEMUBH *tx_bh;
    guint tx_watch;
    unsigned tx_length;
    QSIMPLEQ_HEAD(, SundogPacket) tx;
    SundogRate rx_rate;
    QEMUTimer *rx_timer;        /* pending: reading of messages pauses */
    size_t rx_length;
    uint8_t rx[SUNDOG_MESSAGE_MAX];

    bool guest_memory;
    int udmabuf;                /* /dev/udmabuf */
    uint64_t guest_heap_size;
    uint64_t guest_offset;
    uint64_t guest_list;
    uint32_t guest_state;       /* guest_state */
    uint32_t guest_unmapped;
    IntervalTreeRoot guest_maps;
    unsigned n_guest_maps;
    SundogGuestMap *guest_mapping;  /* map that guest_state BUSY waits for */
    QSIMPLEQ_HEAD(, SundogGuestMap) guest_unmapping;

    uint32_t revokes;           /* number of requests of the guest */
    uint32_t revoking;          /* last request that the broker got */
    uint32_t revoked;           /* last request that is done */

    SundogRate guest_log;
    SundogRate renderer_log;
};

/* sundog.c */
void sundog_notify(SundogState *s, unsigned vector);
void sundog_notify_last(SundogState *s, unsigned vector);
void sundog_raise_display(SundogState *s, uint32_t events);
void sundog_raise_device(SundogState *s, uint32_t events);
bool sundog_is_present(SundogState *s);
void sundog_reset(SundogState *s);
void sundog_reset_done(SundogState *s);
bool sundog_rate_allows(SundogRate *rate, int64_t period, unsigned limit);
bool sundog_may_log(SundogRate *log);

/*
 * The clock for timeouts of the renderer, a process of the host: real time. A
 * qtest steps the virtual clock instead, so that slow hosts cause no timeouts.
 */
static inline QEMUClockType sundog_wait_clock(void)
{
    return qtest_enabled() ? QEMU_CLOCK_VIRTUAL : QEMU_CLOCK_REALTIME;
}

/* Logs an error of the guest, rate limited: guests repeat their errors. */
#define sundog_guest_error(s, fmt, ...)                                 \
    do {                                                                \
        if (qemu_loglevel_mask(LOG_GUEST_ERROR) &&                      \
            sundog_may_log(&(s)->guest_log)) {                          \
            qemu_log("sundog: " fmt "\n", ## __VA_ARGS__);              \
        }                                                               \
    } while (0)

/* Warns about the renderer, rate limited: a chardev may reconnect often. */
#define sundog_renderer_warn(s, fmt, ...)                               \
    do {                                                                \
        if (sundog_may_log(&(s)->renderer_log)) {                       \
            warn_report("sundog: " fmt, ## __VA_ARGS__);                \
        }                                                               \
    } while (0)

/* sundog-regs.c */
extern const MemoryRegionOps sundog_regs_ops;

/* sundog-discard.c */
bool sundog_can_discard(const SundogState *s);
void sundog_discard(SundogState *s, uint32_t pages);

/* sundog-display.c */
void sundog_display_realize(SundogState *s);
void sundog_display_exit(SundogState *s);
void sundog_display_reset(SundogState *s);
void sundog_head_written(SundogHead *head);
uint32_t sundog_head_read(SundogHead *head, hwaddr reg);
void sundog_head_write(SundogHead *head, hwaddr reg, uint32_t val);
uint32_t sundog_plane_read(SundogHead *head, unsigned plane, hwaddr reg);
void sundog_plane_write(SundogHead *head, unsigned plane, hwaddr reg,
                        uint32_t val);

/* sundog-vblank.c */
int64_t sundog_now(void);
uint64_t sundog_vblank_count(const SundogHead *head, int64_t at);
int64_t sundog_vblank_time(const SundogHead *head, int64_t at);
int64_t sundog_vblank_next(const SundogHead *head, int64_t at);
int64_t sundog_vblank_due(const SundogHead *head, int64_t at);
void sundog_vblank_start(SundogHead *head, int64_t at);
void sundog_vblank_stop(SundogHead *head, int64_t at);
void sundog_vblank_make(SundogHead *head, int64_t at);

/* sundog-color.c */
const char *sundog_color_decode(const SundogHead *head, SundogColor *color);
uint32_t sundog_color_read(SundogHead *head, hwaddr reg);
void sundog_color_write(SundogHead *head, hwaddr reg, uint32_t val);
uint32_t sundog_degamma_read(SundogHead *head, hwaddr reg);
void sundog_degamma_write(SundogHead *head, hwaddr reg, uint32_t val);

/* sundog-cursor.c */
const char *sundog_cursor_decode(const uint32_t *shadow, SundogPointer *at);
bool sundog_cursor_only_moves(hwaddr reg);
int sundog_cursor_plane(const SundogHead *head);
void sundog_cursor_changed(SundogHead *head);
void sundog_cursor_damage(SundogHead *head);
void sundog_cursor_realize(SundogHead *head);
void sundog_cursor_unplug(SundogHead *head);
void sundog_cursor_exit(SundogHead *head);

/* sundog-scanout.c */
uint64_t sundog_first_pixel(const SundogPlane *p);
void sundog_scanout_update(SundogHead *head);
void sundog_scanout_look(SundogHead *head);
void sundog_scanout_forget(SundogHead *head);
void sundog_scanout_go_on(void *opaque);
void sundog_scanout_changed(SundogHead *head, const SundogMode *old);
void sundog_scanout_damage(SundogHead *head, int64_t top, int64_t bottom);
void sundog_scanout_damage_plane(SundogHead *head, const SundogPlane *p);
void sundog_scanout_wait(SundogState *s, QEMUTimer *timer);
typedef void SundogTakeRow(SundogHead *head, uint32_t y, const uint32_t *row);
bool sundog_scanout_rows(SundogHead *head, uint32_t *next, SundogTakeRow *take,
                         QEMUTimer *goes_on);

/* sundog-dirty.c */
void sundog_dirty_log(SundogState *s);
void sundog_dirty_collect(SundogHead *head);

/* sundog-writeback.c */
const char *sundog_writeback_check(const SundogMode *m, uint64_t vram_size);
void sundog_writeback_begin(SundogHead *head);
void sundog_writeback_go_on(void *opaque);
bool sundog_writeback_is_on(const SundogHead *head);

/* sundog-boot.c */
bool sundog_boot_check(const SundogState *s, Error **errp);
void sundog_boot_realize(SundogState *s);
void sundog_boot_exit(SundogState *s);
void sundog_boot_reset(SundogState *s);
void sundog_boot_end(SundogState *s);
void sundog_boot_draw(SundogHead *head);

/* sundog-channel.c */
void sundog_channel_init(SundogState *s);
void sundog_channel_exit(SundogState *s);
void sundog_channel_ring(SundogChannel *ch);
void sundog_channel_command(SundogState *s, uint32_t op, uint32_t index);
uint32_t sundog_channel_read(SundogChannel *ch, hwaddr reg);
void sundog_channel_report(SundogState *s,
                           const struct sundog_message_channel_state *msg);
void sundog_channels_lost(SundogState *s);
void sundog_channels_stop(SundogState *s);
void sundog_channels_off(SundogState *s);

/* sundog-renderer.c */
bool sundog_renderer_realize(SundogState *s, Error **errp);
void sundog_renderer_exit(SundogState *s);
void sundog_renderer_disconnect(SundogState *s, const char *fmt, ...)
    G_GNUC_PRINTF(2, 3);
void sundog_renderer_send(SundogState *s, uint32_t type, void *msg, size_t size,
                          const int *fds, unsigned n_fds);
void sundog_renderer_ended(SundogState *s);

/* sundog-guest.c */
bool sundog_guest_realize(SundogState *s, Error **errp);
void sundog_guest_exit(SundogState *s);
bool sundog_guest_others_pin(void);
bool sundog_guest_has_heap(const SundogState *s);
void sundog_guest_map(SundogState *s, uint32_t n_runs);
void sundog_guest_unmap(SundogState *s);
bool sundog_guest_mapped(SundogState *s, uint64_t offset, uint64_t size);
bool sundog_guest_unmapped(SundogState *s, uint64_t offset, uint64_t size);
void sundog_guest_connected(SundogState *s);
void sundog_guest_lost(SundogState *s);
void sundog_guest_reset(SundogState *s);

/* sundog-revoke.c */
unsigned sundog_extent_shift(const SundogState *s);
void sundog_revoke(SundogState *s);
bool sundog_revoke_done(SundogState *s, uint32_t serial);
void sundog_revoke_lost(SundogState *s);
void sundog_revoke_reset(SundogState *s);

/* sundog-spawn.c */
#define SUNDOG_RENDERER_AUTO    "sundog-renderd"    /* looked up in PATH */
int sundog_spawn(SundogState *s, Error **errp);
void sundog_spawn_kill(SundogState *s);
void sundog_spawn_end(SundogState *s);

#endif

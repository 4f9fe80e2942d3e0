/*
 * sundog, a GPU in software: the PCI device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Realize, unrealize, reset, properties, interrupts and memory regions.
 *
 * BAR0 has the registers, BAR1 MSI-X, BAR2 VRAM, BAR4 the control region. VRAM
 * and the two parts of the control region are memfds that QEMU creates and
 * sends to one broker.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/host-utils.h"
#include "qemu/memfd.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "chardev/char-socket.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "migration/blocker.h"
#include "qapi/error.h"
#include "sundog.h"
#include "trace.h"

#define SUNDOG_BAR_REGS     0
#define SUNDOG_BAR_MSIX     1
#define SUNDOG_BAR_VRAM     2
#define SUNDOG_BAR_CONTROL  4

#define SUNDOG_VRAM_MIN     (16 * MiB)
#define SUNDOG_VRAM_MAX     (1 * TiB)

/* mHz, as HEAD_PERIOD allows */
#define SUNDOG_REFRESH_MIN  1000
#define SUNDOG_REFRESH_MAX  1000000

#define SUNDOG_LOG_BURST    10

/* Timeout of the broker's RESET_DONE; less than the driver's own timeout. */
#define SUNDOG_RESET_TIMEOUT_MS 3000

/* Counts an event. Returns true for the first LIMIT of each PERIOD (ns). */
bool sundog_rate_allows(SundogRate *rate, int64_t period, unsigned limit)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);

    if (now - rate->start > period) {
        rate->start = now;
        rate->count = 0;
    }
    return rate->count++ < limit;
}

bool sundog_may_log(SundogRate *log)
{
    return sundog_rate_allows(log, NANOSECONDS_PER_SECOND, SUNDOG_LOG_BURST);
}

/*
 * Returns false after an unplug, which a guest can do behind a port with a
 * hotplug slot. An access or a frame that was in progress must not use the
 * timers then: they are freed.
 */
bool sundog_is_present(SundogState *s)
{
    return qatomic_read(&DEVICE(s)->realized);
}

/*
 * Delivers pending interrupts. An MSI is a write to an address that the guest
 * chose, possibly a register of this device, or of the port, which unplugs it.
 * So a bottom half delivers it, when no other code of the device is running.
 */
static void sundog_deliver(void *opaque)
{
    SundogState *s = opaque;
    uint32_t vectors = s->vectors;

    s->vectors = 0;
    object_ref(OBJECT(s));
    for (unsigned i = 0; i < SUNDOG_NUM_VECTORS; i++) {
        if (vectors & 1u << i && sundog_is_present(s)) {
            msix_notify(PCI_DEVICE(s), i);
        }
    }
    object_unref(OBJECT(s));
}

void sundog_notify(SundogState *s, unsigned vector)
{
    if (!s->quiet) {
        s->vectors |= 1u << vector;
        qemu_bh_schedule(s->deliver_bh);
    }
}

/*
 * Raises an interrupt at once, without the bottom half. The caller must not use
 * the device afterwards.
 */
void sundog_notify_last(SundogState *s, unsigned vector)
{
    if (!s->quiet) {
        msix_notify(PCI_DEVICE(s), vector);
    }
}

void sundog_raise_display(SundogState *s, uint32_t events)
{
    s->display_events |= events;
    sundog_notify(s, SUNDOG_VECTOR_DISPLAY);
}

void sundog_raise_device(SundogState *s, uint32_t events)
{
    s->device_events |= events;
    sundog_notify(s, SUNDOG_VECTOR_EVENT);
}

/*
 * Starts a reset. Heads and doorbells are off at once. Channels are OFF, and
 * the guest can reuse their memory, only after RESET_DONE: the broker has ended
 * every client.
 */
void sundog_reset(SundogState *s)
{
    struct sundog_message_reset msg = {};

    trace_sundog_reset();
    sundog_display_reset(s);
    sundog_channels_stop(s);
    s->display_events = 0;
    s->device_events = 0;
    memset(s->channel_events, 0, sizeof(s->channel_events));
    s->channel_client = 0;
    s->discard_offset = 0;

    if (s->resetting) {
        return;
    }
    s->resetting = true;
    if (s->renderer_state == SUNDOG_RENDERER_STATE_READY) {
        sundog_renderer_send(s, SUNDOG_MESSAGE_RESET, &msg, sizeof(msg),
                             NULL, 0);
        timer_mod(s->reset_timer, qemu_clock_get_ms(sundog_wait_clock()) +
                  SUNDOG_RESET_TIMEOUT_MS);
    } else {
        sundog_reset_done(s);
    }
}

/* The broker hangs: a disconnect completes the reset without it. */
static void sundog_reset_timeout(void *opaque)
{
    SundogState *s = opaque;

    if (s->resetting) {
        sundog_renderer_disconnect(s, "it does not finish a reset within %d ms",
                                   SUNDOG_RESET_TIMEOUT_MS);
    }
}

void sundog_reset_done(SundogState *s)
{
    trace_sundog_reset_done();
    timer_del(s->reset_timer);
    sundog_channels_off(s);
    sundog_guest_reset(s);
    sundog_revoke_reset(s);
    s->resetting = false;
    sundog_raise_device(s, SUNDOG_DEVICE_EVENT_RESET);
}

static void sundog_reset_hold(Object *obj, ResetType type)
{
    SundogState *s = SUNDOG(obj);

    /*
     * A guest that wakes up from S3 has all of its RAM and goes on, and so do
     * its clients: the device keeps its state, only PCI resets its own.
     */
    if (type == RESET_TYPE_WAKEUP) {
        return;
    }
    /*
     * The guest boots again and reuses all of its RAM, so workers must not use
     * its mapped pages until the broker handles the reset: kill the renderer.
     * QEMU cannot kill a broker behind a chardev. This is no failure of the
     * renderer, so the next one starts without a longer pause.
     */
    if (s->n_guest_maps && s->child) {
        sundog_spawn_kill(s);
        s->restart_delay = 0;
    }
    /* An MSI would write to memory or devices that have been reset. */
    s->quiet = true;
    s->vectors = 0;
    sundog_reset(s);
    sundog_boot_reset(s);
    s->quiet = false;
}

/*
 * Creates a memory region with a memfd that is sealed against changes of size:
 * an access of QEMU behind its end would be a SIGBUS. It is not sealed against
 * writes: a vhost-user back end of the machine maps all RAM for writing.
 */
static bool sundog_init_memory(SundogState *s, MemoryRegion *mr,
                               const char *name, uint64_t size, Error **errp)
{
    int fd;

    fd = qemu_memfd_create(name, size, false, 0,
                           F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, errp);
    if (fd < 0) {
        return false;
    }
    if (!memory_region_init_ram_from_fd(mr, OBJECT(s), name, size, RAM_SHARED,
                                        fd, 0, errp)) {
        close(fd);
        return false;
    }
    return true;
}

static bool sundog_init_memories(SundogState *s, Error **errp)
{
    Object *obj = OBJECT(s);

    if (!sundog_init_memory(s, &s->vram, "sundog-vram", s->vram_size, errp) ||
        !sundog_init_memory(s, &s->table, "sundog-table",
                            SUNDOG_CONTROL_CHANNELS - SUNDOG_CONTROL_TABLE,
                            errp) ||
        !sundog_init_memory(s, &s->channels_ram, "sundog-channels",
                            SUNDOG_CHANNELS_MEMORY, errp)) {
        return false;
    }

    memory_region_init(&s->control, obj, "sundog-control", SUNDOG_CONTROL_SIZE);
    return true;
}

/*
 * A subregion holds a reference to the device until sundog_empty_control()
 * removes it.
 */
static void sundog_fill_control(SundogState *s)
{
    memory_region_add_subregion(&s->control, SUNDOG_CONTROL_TABLE, &s->table);
    memory_region_add_subregion(&s->control, SUNDOG_CONTROL_CHANNELS,
                                &s->channels_ram);
}

static void sundog_empty_control(SundogState *s)
{
    memory_region_del_subregion(&s->control, &s->table);
    memory_region_del_subregion(&s->control, &s->channels_ram);
}

/* The smallest VRAM that is enough for one program with a window */
#define SUNDOG_VRAM_DRAWS (64 * MiB)

/* Chooses the program that the device starts as renderer. */
static void sundog_choose_renderer(SundogState *s)
{
    const char *name = s->renderer;

    if (!name) {
        name = qemu_chr_fe_backend_connected(&s->chr) ? "none" : "auto";
    }
    if (!name[0] || g_str_equal(name, "none")) {
        s->program = NULL;
    } else {
        s->program = g_str_equal(name, "auto") ? SUNDOG_RENDERER_AUTO : name;
    }
}

/* Returns false for chardevs that cannot pass descriptors. */
static bool sundog_may_be_unix_socket(Chardev *chr)
{
    const SocketAddress *addr;

    if (!object_dynamic_cast(OBJECT(chr), TYPE_CHARDEV_SOCKET)) {
        return false;
    }
    addr = SOCKET_CHARDEV(chr)->addr;
    return !addr || addr->type == SOCKET_ADDRESS_TYPE_UNIX ||
           addr->type == SOCKET_ADDRESS_TYPE_FD;
}

static bool sundog_check_renderer(SundogState *s, Error **errp)
{
    Chardev *chr = qemu_chr_fe_get_driver(&s->chr);

    if (s->program && chr) {
        error_setg(errp, "sundog: renderer= starts a renderer and chardev= "
                   "uses a running one, give one of them");
        return false;
    }
    if (!s->program && s->renderer_options && s->renderer_options[0]) {
        error_setg(errp, "sundog: renderer-options=%s are for a renderer that "
                   "the device starts: with chardev= give them to the renderer "
                   "at the socket, with renderer=none leave them out",
                   s->renderer_options);
        return false;
    }
    if (chr && !sundog_may_be_unix_socket(chr)) {
        error_setg(errp, "sundog: chardev=%s is not a UNIX socket, use "
                   "-chardev socket,id=%s,path=PATH", chr->label, chr->label);
        return false;
    }
    return true;
}

/* Checks one of the properties that make the EDID. 0 is its default. */
static bool sundog_check_edid(const char *name, uint32_t value, uint32_t min,
                              uint32_t max, const char *unit, Error **errp)
{
    if (value && (value < min || value > max)) {
        error_setg(errp, "sundog: %s=%" PRIu32 " must be %" PRIu32 " to %"
                   PRIu32 " %s", name, value, min, max, unit);
        return false;
    }
    return true;
}

static bool sundog_check_edids(const SundogState *s, Error **errp)
{
    const qemu_edid_info *info = &s->edid_info;
    const uint32_t max = SUNDOG_MAX_PLANE_SIZE;

    return sundog_check_edid("xres", info->prefx, 1, max, "pixels", errp) &&
           sundog_check_edid("yres", info->prefy, 1, max, "pixels", errp) &&
           sundog_check_edid("xmax", info->maxx, 1, max, "pixels", errp) &&
           sundog_check_edid("ymax", info->maxy, 1, max, "pixels", errp) &&
           sundog_check_edid("refresh_rate", info->refresh_rate,
                             SUNDOG_REFRESH_MIN, SUNDOG_REFRESH_MAX, "mHz",
                             errp);
}

/* Returns a size as a user writes it: 100M, or a number of bytes. */
static char *sundog_size_text(uint64_t size)
{
    static const char *const units[] = { "", "K", "M", "G", "T" };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(units) - 1 && size && size % KiB == 0; i++) {
        size /= KiB;
    }
    return g_strdup_printf("%" PRIu64 "%s", size, units[i]);
}

static bool sundog_check_properties(SundogState *s, Error **errp)
{
    if (!is_power_of_2(s->vram_size) || s->vram_size < SUNDOG_VRAM_MIN ||
        s->vram_size > SUNDOG_VRAM_MAX) {
        g_autofree char *size = sundog_size_text(s->vram_size);

        error_setg(errp, "sundog: vram=%s must be a power of two from 16M to "
                   "1T", size);
        return false;
    }
    if (s->num_heads < 1 || s->num_heads > SUNDOG_MAX_HEADS) {
        error_setg(errp, "sundog: heads=%" PRIu32 " must be 1 to %d",
                   s->num_heads, SUNDOG_MAX_HEADS);
        return false;
    }
    if (s->num_channels < 1 || s->num_channels > SUNDOG_MAX_CHANNELS) {
        error_setg(errp, "sundog: channels=%" PRIu32 " must be 1 to %d",
                   s->num_channels, SUNDOG_MAX_CHANNELS);
        return false;
    }
    sundog_choose_renderer(s);
    if (!sundog_check_renderer(s, errp) || !sundog_check_edids(s, errp)) {
        return false;
    }
    if (s->vram_size < SUNDOG_VRAM_DRAWS &&
        (s->program || qemu_chr_fe_backend_connected(&s->chr))) {
        warn_report("sundog: vram=%" PRIu64 "M is too small for most OpenGL "
                    "and Vulkan programs, give it 64M or more",
                    s->vram_size / MiB);
    }
    return sundog_boot_check(s, errp);
}

static void sundog_realize(PCIDevice *pci, Error **errp)
{
    SundogState *s = SUNDOG(pci);
    const uint8_t ram = PCI_BASE_ADDRESS_SPACE_MEMORY |
                        PCI_BASE_ADDRESS_MEM_TYPE_64 |
                        PCI_BASE_ADDRESS_MEM_PREFETCH;

    if (!sundog_check_properties(s, errp) || !sundog_init_memories(s, errp)) {
        return;
    }
    /* Use a blocker, since an unmigratable VMState gives no reason. */
    error_setg(&s->migration_blocker, "sundog: the renderer cannot save the "
               "objects of running programs: unplug the device first "
               "(device_del)");
    if (migrate_add_blocker(&s->migration_blocker, errp) < 0) {
        return;
    }
    if (msix_init_exclusive_bar(pci, SUNDOG_NUM_VECTORS, SUNDOG_BAR_MSIX,
                                errp)) {
        migrate_del_blocker(&s->migration_blocker);
        return;
    }
    for (int i = 0; i < SUNDOG_NUM_VECTORS; i++) {
        msix_vector_use(pci, i);
    }

    memory_region_init_io(&s->regs, OBJECT(s), &sundog_regs_ops, s,
                          "sundog-regs", SUNDOG_REGS_SIZE);
    pci_register_bar(pci, SUNDOG_BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->regs);
    pci_register_bar(pci, SUNDOG_BAR_VRAM, ram, &s->vram);
    pci_register_bar(pci, SUNDOG_BAR_CONTROL, ram, &s->control);
    if (pci_bus_is_express(pci_get_bus(pci))) {
        pcie_endpoint_cap_init(pci, 0x80);
    } else {
        pci->cap_present &= ~QEMU_PCI_CAP_EXPRESS;
    }

    s->quiet = false;
    s->deliver_bh = qemu_bh_new_guarded(sundog_deliver, s,
                                        &DEVICE(s)->mem_reentrancy_guard);
    sundog_channel_init(s);
    s->reset_timer = timer_new_ms(sundog_wait_clock(), sundog_reset_timeout, s);
    if (!sundog_guest_realize(s, errp) || !sundog_renderer_realize(s, errp)) {
        sundog_guest_exit(s);
        sundog_channel_exit(s);
        timer_free(s->reset_timer);
        qemu_bh_delete(s->deliver_bh);
        msix_uninit_exclusive_bar(pci);
        migrate_del_blocker(&s->migration_blocker);
        return;
    }
    sundog_fill_control(s);
    sundog_display_realize(s);
    sundog_boot_realize(s);
}

static void sundog_exit(PCIDevice *pci)
{
    SundogState *s = SUNDOG(pci);

    s->quiet = true;
    sundog_display_exit(s);
    sundog_channel_exit(s);
    sundog_renderer_exit(s);
    sundog_guest_exit(s);
    timer_free(s->reset_timer);
    qemu_bh_delete(s->deliver_bh);
    msix_uninit_exclusive_bar(pci);
    sundog_empty_control(s);
    migrate_del_blocker(&s->migration_blocker);
}

static void sundog_init(Object *obj)
{
    PCI_DEVICE(obj)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static const Property sundog_properties[] = {
    DEFINE_PROP_SIZE("vram", SundogState, vram_size, 1 * GiB),
    DEFINE_PROP_UINT32("heads", SundogState, num_heads, 1),
    DEFINE_PROP_UINT32("channels", SundogState, num_channels,
                       SUNDOG_MAX_CHANNELS),
    DEFINE_PROP_UINT32("ioeventfds", SundogState, max_ioeventfds, 128),
    DEFINE_PROP_STRING("renderer", SundogState, renderer),
    DEFINE_PROP_STRING("renderer-options", SundogState, renderer_options),
    DEFINE_PROP_CHR("chardev", SundogState, chr),
    DEFINE_PROP_BOOL("guest-memory", SundogState, guest_memory, false),
    DEFINE_PROP_BOOL("host-cursor", SundogState, host_cursor, true),
    DEFINE_PROP_BOOL("ramfb", SundogState, ramfb, false),
    DEFINE_EDID_PROPERTIES(SundogState, edid_info),
};

static void sundog_describe_properties(ObjectClass *klass)
{
    object_class_property_set_description(klass, "vram",
        "size of VRAM, a power of two; 1G or more lies above 4 GiB");
    object_class_property_set_description(klass, "heads",
        "display heads, 1 to 4");
    object_class_property_set_description(klass, "channels",
        "channel slots, 1 to 256: what the guest's programs can have at a time");
    object_class_property_set_description(klass, "ioeventfds",
        "channels whose doorbells KVM rings by itself, which is faster; all "
        "devices together have 512");
    object_class_property_set_description(klass, "renderer",
        "program to start as renderer, again when it ends; auto: "
        "sundog-renderd from PATH; none: the device only displays (default: "
        "auto if there is no chardev=, and none if that cannot be started)");
    object_class_property_set_description(klass, "renderer-options",
        "options for the program that the device starts, as on a command "
        "line: what its workers may use, and for how long");
    object_class_property_set_description(klass, "chardev",
        "UNIX socket to a renderer that runs already");
    object_class_property_set_description(klass, "guest-memory",
        "let the guest hand pages of its RAM to the renderer, to share them "
        "with other devices without copying; needs RAM from a "
        "memory-backend-memfd and /dev/udmabuf");
    object_class_property_set_description(klass, "host-cursor",
        "let a VNC viewer show the guest's pointer as its own cursor, where that "
        "is right: it is not in the picture of the screen then");
    object_class_property_set_description(klass, "ramfb",
        "let firmware show its screen on head 0 until a driver has it; for one "
        "device of a machine");
}

static void sundog_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    k->vendor_id = SUNDOG_PCI_VENDOR;
    k->device_id = SUNDOG_PCI_DEVICE;
    k->class_id = PCI_CLASS_DISPLAY_OTHER;
    k->realize = sundog_realize;
    k->exit = sundog_exit;

    rc->phases.hold = sundog_reset_hold;

    dc->desc = "sundog GPU";
    device_class_set_props(dc, sundog_properties);
    sundog_describe_properties(klass);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
}

static const TypeInfo sundog_type_info = {
    .name = TYPE_SUNDOG,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(SundogState),
    .instance_init = sundog_init,
    .class_init = sundog_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { },
    },
};

static void sundog_register_types(void)
{
    type_register_static(&sundog_type_info);
}

type_init(sundog_register_types)

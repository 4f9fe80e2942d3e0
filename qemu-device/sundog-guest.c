/*
 * sundog, a GPU in software: pages of guest RAM as memory of the device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heap GUEST is a range of addresses, like a GART. The driver maps pages of
 * guest RAM into it; the device makes a udmabuf of these pages only and sends
 * it to the broker, so that the renderer has no access to other guest RAM. The
 * device copies a list of pages once, and checks that every page of the copy is
 * RAM that the device can reach.
 *
 * A map exists from GUEST_MAP until the broker reports that no worker has it
 * mapped. A compromised worker that acknowledges an unmap but keeps its mapping
 * can read and write the pages until it ends, whatever the guest uses them for;
 * with a compromised broker every worker can.
 *
 * A udmabuf pins its pages. If the balloon discarded them, their memory would
 * not be freed, and the guest would get other pages in their place. So the
 * device disables uncoordinated discards of RAM while there are maps.
 */

#include "qemu/osdep.h"
#include <sys/ioctl.h>
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "exec/ramblock.h"
#include "hw/boards.h"
#include "standard-headers/linux/udmabuf.h"
#include "sundog.h"
#include "trace.h"

/* A run in the list: address of its first page | pages - 1. */
#define RUN_PAGES_MASK      (SUNDOG_PAGE_SIZE - 1)

QEMU_BUILD_BUG_ON(SUNDOG_MAX_GUEST_PAGES > RUN_PAGES_MASK + 1);
QEMU_BUILD_BUG_ON(SUNDOG_MAX_GUEST_RUNS * sizeof(uint64_t) > SUNDOG_PAGE_SIZE);

/* Number of maps of all sundog devices of the machine. */
static unsigned n_pinned;

struct SundogGuestMap {
    IntervalTreeNode node;      /* byte offsets in the heap */
    QSIMPLEQ_ENTRY(SundogGuestMap) next;    /* in guest_unmapping */
    int fd;                     /* the udmabuf */
    bool mapped;                /* the connected broker has answered the map */
    bool unmapping;
    bool refused;               /* the guest knows of no map here */
};

static uint64_t map_offset(const SundogGuestMap *map)
{
    return map->node.start;
}

static uint64_t map_size(const SundogGuestMap *map)
{
    return map->node.last - map->node.start + 1;
}

/* Returns the map that starts at OFFSET, or NULL. */
static SundogGuestMap *find_map(SundogState *s, uint64_t offset)
{
    IntervalTreeNode *node = interval_tree_iter_first(&s->guest_maps, offset,
                                                      offset);

    if (!node || node->start != offset) {
        return NULL;
    }
    return container_of(node, SundogGuestMap, node);
}

/* Returns false if another device requires discards of RAM. */
static bool pin_ram(void)
{
    if (!n_pinned && ram_block_uncoordinated_discard_disable(true) < 0) {
        return false;
    }
    n_pinned++;
    return true;
}

static void unpin_ram(void)
{
    if (!--n_pinned) {
        ram_block_uncoordinated_discard_disable(false);
    }
}

/*
 * Returns true if another device pins memory, possibly VRAM, too: discards are
 * disabled even without the maps of sundog devices.
 */
bool sundog_guest_others_pin(void)
{
    bool others;

    if (!n_pinned) {
        return ram_block_discard_is_disabled();
    }
    ram_block_uncoordinated_discard_disable(false);
    others = ram_block_discard_is_disabled();
    ram_block_uncoordinated_discard_disable(true);
    return others;
}

static void free_map(SundogState *s, SundogGuestMap *map)
{
    interval_tree_remove(&map->node, &s->guest_maps);
    s->n_guest_maps--;
    close(map->fd);
    unpin_ram();
    g_free(map);
}

static void set_state(SundogState *s, uint32_t state)
{
    trace_sundog_guest_state(s->guest_state, state);
    s->guest_state = state;
    sundog_raise_device(s, SUNDOG_DEVICE_EVENT_GUEST);
}

static MemoryRegion *machine_ram(void)
{
    return current_machine->ram;
}

bool sundog_guest_realize(SundogState *s, Error **errp)
{
    MemoryRegion *ram = machine_ram();
    int seals;

    QSIMPLEQ_INIT(&s->guest_unmapping);
    s->udmabuf = -1;
    if (!s->guest_memory) {
        return true;
    }
    /* With memory per NUMA node machine_ram() is a container, not RAM. */
    seals = ram && memory_region_is_ram(ram) && memory_region_get_fd(ram) >= 0 ?
            fcntl(memory_region_get_fd(ram), F_GET_SEALS) : -1;
    if (seals < 0 || !qemu_ram_is_shared(ram->ram_block) ||
        (seals & (F_SEAL_SHRINK | F_SEAL_WRITE)) != F_SEAL_SHRINK) {
        error_setg(errp, "sundog: guest-memory=on needs RAM in one shared "
                   "memfd: add -object memory-backend-memfd,id=ram,size=SIZE,"
                   "share=on -machine memory-backend=ram");
        return false;
    }
    if (qemu_ram_pagesize(ram->ram_block) != SUNDOG_PAGE_SIZE) {
        error_setg(errp, "sundog: guest-memory=on needs RAM in pages of 4 KiB, "
                   "not %zu KiB: leave hugetlb=on out",
                   qemu_ram_pagesize(ram->ram_block) / 1024);
        return false;
    }
    s->udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (s->udmabuf < 0) {
        error_setg_errno(errp, errno, "sundog: guest-memory=on cannot open "
                         "/dev/udmabuf (run modprobe udmabuf on the host, and "
                         "let QEMU's user open it)");
        return false;
    }
    s->guest_heap_size = memory_region_size(ram);
    return true;
}

void sundog_guest_exit(SundogState *s)
{
    sundog_guest_reset(s);
    if (s->udmabuf >= 0) {
        close(s->udmabuf);
    }
}

/*
 * Computes the offset of a run of pages in the file of the guest's RAM. Returns
 * false if the pages are not all writable RAM of the machine.
 */
static bool find_run(SundogState *s, uint64_t addr, uint64_t size,
                     uint64_t *offset)
{
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));
    MemoryRegionSection section = memory_region_find(as->root, addr, size);
    bool ok;

    if (!section.mr) {
        return false;
    }
    ok = section.mr == machine_ram() && !section.readonly &&
         section.offset_within_address_space == addr &&
         int128_get64(section.size) == size &&
         section.offset_within_region % SUNDOG_PAGE_SIZE == 0;
    *offset = section.offset_within_region + section.mr->ram_block->fd_offset;
    memory_region_unref(section.mr);
    return ok;
}

/*
 * Converts the driver's list of runs to one of udmabuf. Returns its size in
 * bytes, or 0 if the list is invalid.
 */
static uint64_t fill_list(SundogState *s, struct udmabuf_create_list *list,
                          uint32_t n_runs)
{
    uint64_t runs[SUNDOG_MAX_GUEST_RUNS];
    const int ram = memory_region_get_fd(machine_ram());
    uint64_t total = 0;

    if (s->guest_list % SUNDOG_PAGE_SIZE ||
        pci_dma_read(PCI_DEVICE(s), s->guest_list, runs,
                     n_runs * sizeof(runs[0])) != MEMTX_OK) {
        return 0;
    }
    list->flags = UDMABUF_FLAGS_CLOEXEC;
    list->count = n_runs;
    for (uint32_t i = 0; i < n_runs; i++) {
        uint64_t run = le64_to_cpu(runs[i]);
        uint64_t size = ((run & RUN_PAGES_MASK) + 1) * SUNDOG_PAGE_SIZE;
        uint64_t offset;

        total += size;
        if (total > (uint64_t)SUNDOG_MAX_GUEST_PAGES * SUNDOG_PAGE_SIZE ||
            !find_run(s, run & ~(uint64_t)RUN_PAGES_MASK, size, &offset)) {
            return 0;
        }
        list->list[i] = (struct udmabuf_create_item) {
            .memfd = ram, .offset = offset, .size = size,
        };
    }
    return total;
}

static bool range_is_free(SundogState *s, uint64_t offset, uint64_t size)
{
    return offset % SUNDOG_PAGE_SIZE == 0 && offset <= s->guest_heap_size &&
           size <= s->guest_heap_size - offset &&
           !interval_tree_iter_first(&s->guest_maps, offset, offset + size - 1);
}

static SundogGuestMap *new_map(SundogState *s, uint32_t n_runs)
{
    g_autofree struct udmabuf_create_list *list =
        g_malloc0(sizeof(*list) +
                  SUNDOG_MAX_GUEST_RUNS * sizeof(list->list[0]));
    SundogGuestMap *map;
    uint64_t size;
    int fd;

    if (n_runs < 1 || n_runs > SUNDOG_MAX_GUEST_RUNS ||
        s->n_guest_maps >= SUNDOG_MAX_GUEST_MAPS) {
        return NULL;
    }
    size = fill_list(s, list, n_runs);
    if (!size || !range_is_free(s, s->guest_offset, size) || !pin_ram()) {
        return NULL;
    }
    fd = ioctl(s->udmabuf, UDMABUF_CREATE_LIST, list);
    if (fd < 0) {
        sundog_guest_error(s, "no udmabuf of %u runs of pages: %s", n_runs,
                           strerror(errno));
        unpin_ram();
        return NULL;
    }
    map = g_new0(SundogGuestMap, 1);
    map->fd = fd;
    map->node.start = s->guest_offset;
    map->node.last = s->guest_offset + size - 1;
    interval_tree_insert(&map->node, &s->guest_maps);
    s->n_guest_maps++;
    return map;
}

static void send_map(SundogState *s, SundogGuestMap *map)
{
    struct sundog_message_guest_map msg = {
        .offset = cpu_to_le64(map_offset(map)),
        .size = cpu_to_le64(map_size(map)),
    };

    map->mapped = false;
    sundog_renderer_send(s, SUNDOG_MESSAGE_GUEST_MAP, &msg, sizeof(msg),
                         &map->fd, 1);
}

static void send_unmap(SundogState *s, SundogGuestMap *map)
{
    struct sundog_message_guest_unmap msg = {
        .offset = cpu_to_le64(map_offset(map)),
        .size = cpu_to_le64(map_size(map)),
    };

    sundog_renderer_send(s, SUNDOG_MESSAGE_GUEST_UNMAP, &msg, sizeof(msg),
                         NULL, 0);
}

bool sundog_guest_has_heap(const SundogState *s)
{
    return s->renderer_state == SUNDOG_RENDERER_STATE_READY && !s->resetting &&
           le64_to_cpu(s->caps.features) & SUNDOG_FEATURE_HEAP_GUEST;
}

void sundog_guest_map(SundogState *s, uint32_t n_runs)
{
    SundogGuestMap *map;

    if (s->guest_state == SUNDOG_GUEST_STATE_BUSY) {
        sundog_guest_error(s, "guest map at 0x%" PRIx64 " ignored: GUEST_STATE "
                           "is BUSY", s->guest_offset);
        return;
    }
    map = sundog_guest_has_heap(s) ? new_map(s, n_runs) : NULL;
    if (!map) {
        sundog_guest_error(s, "guest map of %u runs at 0x%" PRIx64 " refused: "
                           "at most %d runs, %d pages, %d maps in free ranges",
                           n_runs, s->guest_offset, SUNDOG_MAX_GUEST_RUNS,
                           SUNDOG_MAX_GUEST_PAGES, SUNDOG_MAX_GUEST_MAPS);
        set_state(s, SUNDOG_GUEST_STATE_REFUSED);
        return;
    }
    trace_sundog_guest_map(map_offset(map), map_size(map), n_runs);
    s->guest_state = SUNDOG_GUEST_STATE_BUSY;
    s->guest_mapping = map;
    send_map(s, map);
}

void sundog_guest_unmap(SundogState *s)
{
    SundogGuestMap *map = find_map(s, s->guest_offset);

    /* A reset removes all maps, and the broker may have done so already. */
    if (s->resetting || !map || map == s->guest_mapping || map->unmapping) {
        sundog_guest_error(s, "guest unmap at 0x%" PRIx64 " ignored: no "
                           "complete map begins there", s->guest_offset);
        return;
    }
    trace_sundog_guest_unmap(map_offset(map), map_size(map));
    map->unmapping = true;
    QSIMPLEQ_INSERT_TAIL(&s->guest_unmapping, map, next);
    if (s->renderer_state != SUNDOG_RENDERER_STATE_READY) {
        sundog_guest_lost(s);
        return;
    }
    send_unmap(s, map);
}

/*
 * Handles GUEST_MAPPED with SIZE, or with 0 if the broker refuses the map. The
 * broker then has the map, without pages. If the guest waits for it, the device
 * removes it, and its range is free after the broker's answer; during a reset
 * the broker removes it, and has no map to unmap after RESET. Otherwise it is a
 * map of the last broker, which the guest will remove. Returns false if the
 * broker breaks the protocol.
 */
bool sundog_guest_mapped(SundogState *s, uint64_t offset, uint64_t size)
{
    SundogGuestMap *map = find_map(s, offset);

    if (!map || map->mapped || (size && map_size(map) != size)) {
        return false;
    }
    map->mapped = true;
    if (s->guest_mapping != map) {
        return true;
    }
    s->guest_mapping = NULL;
    if (size) {
        set_state(s, SUNDOG_GUEST_STATE_DONE);
        return true;
    }
    if (!s->resetting) {
        map->refused = true;
        map->unmapping = true;
        QSIMPLEQ_INSERT_TAIL(&s->guest_unmapping, map, next);
        send_unmap(s, map);
    }
    set_state(s, SUNDOG_GUEST_STATE_REFUSED);
    return true;
}

/* Completes the oldest pending unmap, which is that of MAP. */
static void take_back(SundogState *s, SundogGuestMap *map)
{
    const bool refused = map->refused;

    QSIMPLEQ_REMOVE_HEAD(&s->guest_unmapping, next);
    free_map(s, map);
    if (!refused) {
        s->guest_unmapped++;
        sundog_raise_device(s, SUNDOG_DEVICE_EVENT_GUEST);
    }
}

/*
 * Handles GUEST_UNMAPPED; the broker answers in order. Returns false if it
 * breaks the protocol.
 */
bool sundog_guest_unmapped(SundogState *s, uint64_t offset, uint64_t size)
{
    SundogGuestMap *map = QSIMPLEQ_FIRST(&s->guest_unmapping);

    if (!map || map_offset(map) != offset || map_size(map) != size) {
        return false;
    }
    take_back(s, map);
    return true;
}

/* A broker connected: sends it the maps of the last one. */
void sundog_guest_connected(SundogState *s)
{
    IntervalTreeNode *node = interval_tree_iter_first(&s->guest_maps, 0,
                                                      UINT64_MAX);

    for (; node; node = interval_tree_iter_next(node, 0, UINT64_MAX)) {
        send_map(s, container_of(node, SundogGuestMap, node));
    }
}

/*
 * The renderer was lost with its workers: pending unmaps are done, a pending
 * map is refused.
 */
void sundog_guest_lost(SundogState *s)
{
    SundogGuestMap *map;

    while ((map = QSIMPLEQ_FIRST(&s->guest_unmapping))) {
        take_back(s, map);
    }
    if (s->guest_mapping) {
        free_map(s, s->guest_mapping);
        s->guest_mapping = NULL;
        set_state(s, SUNDOG_GUEST_STATE_REFUSED);
    }
}

/* A reset has ended every client: removes all maps. */
void sundog_guest_reset(SundogState *s)
{
    IntervalTreeNode *node;

    QSIMPLEQ_INIT(&s->guest_unmapping);
    while ((node = interval_tree_iter_first(&s->guest_maps, 0, UINT64_MAX))) {
        free_map(s, container_of(node, SundogGuestMap, node));
    }
    s->guest_mapping = NULL;
    s->guest_state = SUNDOG_GUEST_STATE_DONE;
    s->guest_unmapped = 0;
    s->guest_offset = 0;
    s->guest_list = 0;
}

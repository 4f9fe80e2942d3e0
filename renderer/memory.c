// SPDX-License-Identifier: MIT
/*
 * Allocations as a worker sees them, see memory.h.
 */
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log.h"
#include "worker.h"

/* Names of a submission: at most LIST_ENTRIES, kept at most half full. */
#define NAMES_SIZE 16384u

static const VkBufferUsageFlags buffer_usage =
	VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
	VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
	VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

static bool find_import_type(struct worker *w)
{
	VkMemoryHostPointerPropertiesEXT props = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};

	if (w->vk.GetMemoryHostPointerPropertiesEXT(w->vk.device,
						    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
						    w->memory.space.home, &props) != VK_SUCCESS ||
	    !props.memoryTypeBits)
		return false;
	w->vk.import_memory_type = __builtin_ctz(props.memoryTypeBits);
	return true;
}

void memory_prepare(struct worker *w)
{
	w->memory.space.max_pieces = mapping_max_pieces();
	w->memory.sweep_at = w->memory.space.max_pieces / 2;
}

bool memory_init(struct worker *w, int vram_fd, uint64_t vram_size, int table_fd)
{
	const size_t table_size = (size_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
	struct memory *m = &w->memory;
	void *table, *vram;
	int err;

	err = mapping_space_init(&m->space, vram_fd, vram_size, m->space.max_pieces);
	if (err) {
		log_error("cannot map VRAM: %s", strerror(-err));
		return false;
	}
	vram = mmap(NULL, vram_size, PROT_READ, MAP_SHARED, vram_fd, 0);
	table = mmap(NULL, table_size, PROT_READ, MAP_SHARED, table_fd, 0);
	m->slots = mmap(NULL, SUNDOG_TABLE_ENTRIES * sizeof(*m->slots), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	m->names = calloc(NAMES_SIZE, sizeof(*m->names));
	if (vram == MAP_FAILED || table == MAP_FAILED || m->slots == MAP_FAILED || !m->names) {
		log_error("cannot map the client's memory: %s", strerror(errno));
		return false;
	}
	m->vram = vram;
	m->table = table;
	m->names_mask = NAMES_SIZE - 1;
	if (!find_import_type(w)) {
		log_error("the Vulkan device cannot import VRAM");
		return false;
	}
	return true;
}

void memory_begin(struct worker *w)
{
	w->memory.stamp++;
}

/*
 * Copy a table entry that the guest may be writing: generation first, then the rest, then
 * generation again, so that a copy of two halves is not taken for an entry.
 */
static bool table_read(const struct memory *m, uint32_t handle, uint64_t generation,
		       struct sundog_alloc_entry *out)
{
	const struct sundog_alloc_entry *entry = &m->table[handle];

	if (!generation || __atomic_load_n(&entry->generation, __ATOMIC_ACQUIRE) != generation)
		return false;
	memcpy(out, entry, sizeof(*out));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&entry->generation, __ATOMIC_RELAXED) != generation)
		return false;
	out->generation = generation;
	if (out->n_runs != 1 || !out->size || out->size % SUNDOG_PAGE_SIZE || out->offset % SUNDOG_PAGE_SIZE)
		return false;
	if (out->heap == SUNDOG_HEAP_GUEST)
		return guest_heap_covers(&m->space.guest, out->offset, out->size);
	return out->heap == SUNDOG_HEAP_VRAM && out->offset <= m->space.size &&
	       out->size <= m->space.size - out->offset;
}

static struct mapping_place entry_place(const struct memory *m, const struct sundog_alloc_entry *entry)
{
	const int fd = entry->heap == SUNDOG_HEAP_GUEST ? MAPPING_GUEST : m->space.fd;

	return (struct mapping_place){ fd, entry->offset, entry->size };
}

/* Is @alloc where the table says, or has it moved, is it on its way, is it gone? */
static bool is_current(const struct memory *m, const struct alloc *alloc)
{
	return alloc->generation &&
	       __atomic_load_n(&m->table[alloc->handle].generation, __ATOMIC_ACQUIRE) == alloc->generation;
}

/*
 * The handle does not name @alloc any more: only what lives on it keeps it. An entry of the submission's list
 * may have named it; nothing new can be made of it.
 */
static void alloc_drop(struct worker *w, struct alloc *alloc)
{
	alloc->stamp = 0;
	w->memory.slots[alloc->handle] = NULL;
	object_unref(w, &alloc->object);
}

/*
 * Drop the owners of pieces that are not where the table said and that nothing lives on: if they come
 * back, they are made anew.
 */
static void sweep(struct worker *w)
{
	struct memory *m = &w->memory;
	struct mapping *next;
	uint32_t left = m->space.n_pieces;

	for (struct mapping *mapping = m->space.pieces; mapping; mapping = next) {
		struct alloc *alloc = mapping->owner;

		next = mapping->next;
		if (!alloc || alloc->object.refs != 1 || m->slots[alloc->handle] != alloc || is_current(m, alloc))
			continue;
		alloc_drop(w, alloc);
		left--;
	}
	m->sweep_at = left + (m->space.max_pieces - left) / 2 + 1;
}

/* Can nothing new be made of @alloc, because its handle names another one, or nothing? */
static bool give_up(struct worker *w, struct alloc *alloc)
{
	struct memory *m = &w->memory;

	if (!alloc || !mapping_is_home(alloc->mapping))
		return false;
	if (m->slots[alloc->handle] == alloc) {
		if (alloc->object.refs != 1 || is_current(m, alloc))
			return false;
		alloc_drop(w, alloc);
	}
	mapping_give_up(&m->space, alloc->mapping);
	return true;
}

/* Addresses of a new allocation: those at home, if they were left to the dead. */
static struct mapping *alloc_map(struct worker *w, struct alloc *alloc, const struct mapping_place *place)
{
	struct mapping_space *space = &w->memory.space;
	struct mapping *other;

	while ((other = mapping_overlap(space, place)) && give_up(w, other->owner))
		;
	if (other && space->n_pieces >= w->memory.sweep_at)
		sweep(w);
	return mapping_new(space, place, alloc);
}

static bool import(struct worker *w, struct alloc *alloc)
{
	VkImportMemoryHostPointerInfoEXT host = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = alloc->mapping->addr,
	};
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = &host,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags,
		.allocationSize = alloc->size, .memoryTypeIndex = w->vk.import_memory_type,
	};
	VkResult r = w->vk.AllocateMemory(w->vk.device, &info, NULL, &alloc->memory);

	return r == VK_SUCCESS || fault(w, SUNDOG_FAULT_CODE_HOST, -r);
}

static struct alloc *alloc_new(struct worker *w, uint32_t handle, const struct sundog_alloc_entry *entry,
			       const struct mapping_place *place)
{
	struct alloc *alloc = calloc(1, sizeof(*alloc));

	if (!alloc) {
		fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	alloc->object = (struct object){ .kind = OBJECT_ALLOC, .refs = 1 };
	alloc->handle = handle;
	alloc->generation = entry->generation;
	alloc->birth = entry->birth;
	alloc->size = entry->size;
	alloc->mapping = alloc_map(w, alloc, place);
	if (!alloc->mapping) {
		log_warn("cannot map an allocation, %u are not at home: %s", w->memory.space.n_pieces, strerror(errno));
		fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		free(alloc);
		return NULL;
	}
	if (!import(w, alloc)) {
		mapping_free(&w->memory.space, alloc->mapping);
		free(alloc);
		return NULL;
	}
	return alloc;
}

static bool alloc_move(struct worker *w, struct alloc *alloc, const struct sundog_alloc_entry *entry,
		       const struct mapping_place *place)
{
	int err;

	if (w->memory.space.n_pieces >= w->memory.sweep_at)
		sweep(w);
	err = mapping_move(&w->memory.space, alloc->mapping, place);
	if (err) {
		log_warn("cannot move an allocation, %u are not at home: %s", w->memory.space.n_pieces, strerror(-err));
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	alloc->generation = entry->generation;
	return true;
}

/*
 * The allocation that the table has at @handle, which is not where it was last seen, if it was.
 * Without objects on it a move is not worth memory areas. NULL: a fault is recorded, @i its argument.
 */
static struct alloc *alloc_place(struct worker *w, uint32_t handle, uint64_t generation, uint32_t i)
{
	struct memory *m = &w->memory;
	struct alloc *alloc = m->slots[handle];
	struct sundog_alloc_entry entry;
	struct mapping_place place;

	if (!table_read(m, handle, generation, &entry)) {
		fault(w, SUNDOG_FAULT_CODE_LIST, i);
		return NULL;
	}
	place = entry_place(m, &entry);
	if (alloc && alloc->object.refs > 1 && alloc->birth && alloc->birth == entry.birth &&
	    alloc->size == entry.size && (w->caps.features & SUNDOG_FEATURE_RAW_MOVE))
		return alloc_move(w, alloc, &entry, &place) ? alloc : NULL;
	if (alloc)
		alloc_drop(w, alloc);
	alloc = alloc_new(w, handle, &entry, &place);
	m->slots[handle] = alloc;
	return alloc;
}

static uint32_t name_hash(uint32_t kres, uint32_t index)
{
	uint64_t h = ((uint64_t)kres << 32 | index) * 0x9e3779b97f4a7c15ull;

	return h >> 40;
}

/* The slot of a name: the one that has it, else the first free one. */
static struct memory_name *name_slot(struct memory *m, uint32_t kres, uint32_t index)
{
	uint32_t i = name_hash(kres, index);

	for (;; i++) {
		struct memory_name *name = &m->names[i & m->names_mask];

		if (name->stamp != m->stamp || (name->kres == kres && name->index == index))
			return name;
	}
}

bool memory_list(struct worker *w, const struct sundog_list_entry *entry, uint32_t i)
{
	struct memory *m = &w->memory;
	struct memory_name *name;
	struct alloc *alloc;

	if (!entry->handle || entry->handle >= SUNDOG_TABLE_ENTRIES || !entry->generation ||
	    (entry->access & ~(SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE)))
		return fault(w, SUNDOG_FAULT_CODE_LIST, i);

	/* Freed since it was last listed? */
	if (__atomic_load_n(&m->table[entry->handle].generation, __ATOMIC_ACQUIRE) != entry->generation)
		return fault(w, SUNDOG_FAULT_CODE_LIST, i);
	alloc = m->slots[entry->handle];
	if (!alloc || alloc->generation != entry->generation)
		alloc = alloc_place(w, entry->handle, entry->generation, i);
	if (!alloc)
		return false;
	if (alloc->stamp != m->stamp)
		alloc->access = 0;
	alloc->stamp = m->stamp;
	alloc->access |= entry->access;
	if (entry->kres) {
		name = name_slot(m, entry->kres, entry->index);
		*name = (struct memory_name){ m->stamp, entry->kres, entry->index, alloc };
	}
	return true;
}

bool memory_check(struct worker *w, const struct alloc *alloc, uint32_t access)
{
	if (alloc->stamp != w->memory.stamp)
		return fault(w, SUNDOG_FAULT_CODE_NOT_LISTED, alloc->handle);
	if ((alloc->access & access) != access)
		return fault(w, SUNDOG_FAULT_CODE_ACCESS, alloc->handle);
	return true;
}

struct alloc *memory_find(struct worker *w, struct sundog_mem mem, uint32_t access)
{
	struct memory *m = &w->memory;
	struct alloc *alloc = NULL;

	if (mem.kres) {
		struct memory_name *name = name_slot(m, mem.kres, mem.index);

		if (name->stamp == m->stamp)
			alloc = name->alloc;
	} else if (mem.index && mem.index < SUNDOG_TABLE_ENTRIES) {
		alloc = m->slots[mem.index];
	}
	if (!alloc) {
		fault(w, SUNDOG_FAULT_CODE_NOT_LISTED, mem.index);
		return NULL;
	}
	return memory_check(w, alloc, access) ? alloc : NULL;
}

bool memory_range(struct worker *w, const struct alloc *alloc, uint64_t offset, uint64_t size)
{
	if (offset > alloc->size || size > alloc->size - offset)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return true;
}

bool memory_buffer_range(struct worker *w, const struct alloc *alloc, uint64_t offset, uint64_t size)
{
	if (!memory_range(w, alloc, offset, size))
		return false;
	return offset + size <= w->vk.max_buffer || fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
}

VkBuffer memory_buffer(struct worker *w, struct alloc *alloc)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external,
		.size = alloc->size < w->vk.max_buffer ? alloc->size : w->vk.max_buffer, .usage = buffer_usage,
	};
	VkBufferDeviceAddressInfo address = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
	VkBuffer buffer;
	VkResult r;

	if (alloc->buffer)
		return alloc->buffer;
	r = w->vk.CreateBuffer(w->vk.device, &info, NULL, &buffer);
	if (r == VK_SUCCESS) {
		r = w->vk.BindBufferMemory(w->vk.device, buffer, alloc->memory, 0);
		if (r != VK_SUCCESS)
			w->vk.DestroyBuffer(w->vk.device, buffer, NULL);
	}
	if (r != VK_SUCCESS) {
		fault(w, SUNDOG_FAULT_CODE_HOST, -r);
		return VK_NULL_HANDLE;
	}
	address.buffer = alloc->buffer = buffer;
	alloc->address = w->vk.GetBufferDeviceAddress(w->vk.device, &address);
	return buffer;
}

const void *memory_peek(struct worker *w, uint32_t handle, uint64_t generation, uint64_t offset,
			uint64_t size)
{
	struct sundog_alloc_entry entry;

	if (!handle || handle >= SUNDOG_TABLE_ENTRIES ||
	    !table_read(&w->memory, handle, generation, &entry) || entry.heap != SUNDOG_HEAP_VRAM ||
	    offset > entry.size || size > entry.size - offset)
		return NULL;
	return w->memory.vram + entry.offset + offset;
}

int memory_guest_add(struct worker *w, uint64_t offset, uint64_t size, int fd)
{
	return guest_heap_add(&w->memory.space.guest, offset, size, fd);
}

/* What lives on it stays, for an allocation that is only moving out. */
static void alloc_revoked(void *owner)
{
	struct alloc *alloc = owner;

	alloc->generation = 0;
}

bool memory_guest_remove(struct worker *w, uint64_t offset, uint64_t size)
{
	struct mapping_space *space = &w->memory.space;

	return guest_heap_remove(&space->guest, offset, size) && mapping_revoke(space, offset, size, alloc_revoked);
}

void memory_alloc_free(struct worker *w, struct alloc *alloc)
{
	w->vk.DestroyBuffer(w->vk.device, alloc->buffer, NULL);
	w->vk.FreeMemory(w->vk.device, alloc->memory, NULL);
	mapping_free(&w->memory.space, alloc->mapping);
	free(alloc);
}

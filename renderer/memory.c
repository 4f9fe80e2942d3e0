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
						    w->memory.vram, &props) != VK_SUCCESS ||
	    !props.memoryTypeBits)
		return false;
	w->vk.import_memory_type = __builtin_ctz(props.memoryTypeBits);
	return true;
}

bool memory_init(struct worker *w, int vram_fd, uint64_t vram_size, int table_fd)
{
	const size_t table_size = (size_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
	struct memory *m = &w->memory;
	void *table;

	m->vram = mmap(NULL, vram_size, PROT_READ | PROT_WRITE, MAP_SHARED, vram_fd, 0);
	table = mmap(NULL, table_size, PROT_READ, MAP_SHARED, table_fd, 0);
	m->slots = mmap(NULL, SUNDOG_TABLE_ENTRIES * sizeof(*m->slots), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	m->names = calloc(NAMES_SIZE, sizeof(*m->names));
	if (m->vram == MAP_FAILED || table == MAP_FAILED || m->slots == MAP_FAILED || !m->names) {
		log_error("cannot map the client's memory: %s", strerror(errno));
		return false;
	}
	m->vram_size = vram_size;
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
	return out->heap == SUNDOG_HEAP_VRAM && out->n_runs == 1 && out->size &&
	       out->size % SUNDOG_PAGE_SIZE == 0 && out->offset % SUNDOG_PAGE_SIZE == 0 &&
	       out->offset <= m->vram_size && out->size <= m->vram_size - out->offset;
}

static struct alloc *alloc_new(struct worker *w, uint32_t handle, uint64_t generation)
{
	struct sundog_alloc_entry entry;
	struct alloc *alloc;

	if (!table_read(&w->memory, handle, generation, &entry))
		return NULL;
	alloc = calloc(1, sizeof(*alloc));
	if (!alloc)
		return NULL;
	alloc->object = (struct object){ .kind = OBJECT_ALLOC, .refs = 1 };
	alloc->handle = handle;
	alloc->generation = generation;
	alloc->offset = entry.offset;
	alloc->size = entry.size;
	return alloc;
}

static bool import(struct worker *w, struct alloc *alloc)
{
	VkImportMemoryHostPointerInfoEXT host = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = w->memory.vram + alloc->offset,
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
	if (!alloc || alloc->generation != entry->generation) {
		struct alloc *fresh = alloc_new(w, entry->handle, entry->generation);

		if (!fresh)
			return fault(w, SUNDOG_FAULT_CODE_LIST, i);
		if (!import(w, fresh)) {
			free(fresh);
			return false;
		}
		if (alloc)
			object_unref(w, &alloc->object);
		m->slots[entry->handle] = alloc = fresh;
	}
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

VkBuffer memory_buffer(struct worker *w, struct alloc *alloc)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external,
		.size = alloc->size, .usage = buffer_usage,
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
	    !table_read(&w->memory, handle, generation, &entry) ||
	    offset > entry.size || size > entry.size - offset)
		return NULL;
	return w->memory.vram + entry.offset + offset;
}

void memory_alloc_free(struct worker *w, struct alloc *alloc)
{
	w->vk.DestroyBuffer(w->vk.device, alloc->buffer, NULL);
	w->vk.FreeMemory(w->vk.device, alloc->memory, NULL);
	free(alloc);
}

// SPDX-License-Identifier: MIT
/*
 * Allocations: the table, the submission's list, imports and revokes, see memory.h. Runs on the
 * worker's main thread.
 */
#define _GNU_SOURCE
#include "exec/memory.h"
#include "exec/barrier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/address.h"
#include "exec/exec.h"
#include "exec/sparse_memory.h"
#include "ipc/log.h"

/*
 * Size of the hash table of names: a submission has at most LIST_ENTRIES, so it is at most half
 * full.
 */
#define NAMES_SIZE 16384u

static VkBufferUsageFlags buffer_usage(const struct vk *vk)
{
	return VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
	       VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
	       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
	       VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
	       VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
	       VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
	       (vk->feedback ? VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT : 0) |
	       (vk->conditions ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0);
}

static bool find_import_type(struct exec *x)
{
	void *page = aligned_alloc(SUNDOG_PAGE_SIZE, SUNDOG_PAGE_SIZE);
	VkMemoryHostPointerPropertiesEXT props = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	VkResult r = VK_ERROR_OUT_OF_HOST_MEMORY;

	if (page)
		r = x->vk.GetMemoryHostPointerPropertiesEXT(
			x->vk.device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, page,
			&props);
	free(page);
	if (r != VK_SUCCESS || !props.memoryTypeBits)
		return false;
	x->vk.import_memory_type = __builtin_ctz(props.memoryTypeBits);
	return true;
}

bool memory_prepare(struct exec *x)
{
	x->memory.max_pieces = mapping_max_pieces();
	x->memory.sweep_at = x->memory.max_pieces / 2;
	return find_import_type(x);
}

bool memory_init(struct exec *x, const struct message_setup *setup, const int fds[4])
{
	const size_t table_size = (size_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
	const size_t extents_size = SUNDOG_MAX_EXTENTS * sizeof(uint32_t);
	struct memory *m = &x->memory;
	struct mapping_config config = {
		.fd = fds[0],
		.guest_fd = fds[1],
		.size = setup->vram_size,
		.max_pieces = m->max_pieces,
		.extent_shift = setup->extent_shift,
		.client = setup->client,
	};
	void *table, *extents = NULL;
	int err;

	table = mmap(NULL, table_size, PROT_READ, MAP_SHARED, fds[1], 0);
	if (setup->extent_shift)
		extents = mmap(NULL, extents_size, PROT_READ, MAP_SHARED, fds[2],
			       SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS);
	m->slots = mmap(NULL, SUNDOG_TABLE_ENTRIES * sizeof(*m->slots), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	m->names = calloc(NAMES_SIZE, sizeof(*m->names));
	if (extents == MAP_FAILED || table == MAP_FAILED || m->slots == MAP_FAILED || !m->names) {
		log_error("cannot map the client's tables: %s, ending the worker", strerror(errno));
		return false;
	}
	m->table = table;
	m->names_mask = NAMES_SIZE - 1;
	config.extents = extents;
	err = mapping_space_init(&m->space, &config);
	if (err)
		log_error("cannot reserve addresses for VRAM: %s, ending the worker; raise the "
			  "limit of address space (ulimit -v)", strerror(-err));
	return !err;
}

uint64_t memory_list_version(struct exec *x)
{
	struct memory *m = &x->memory;

	if (!m->list_compared)
		m->list_version += m->list_differs || m->n_differ ||
				   m->n_listed != m->n_listed_before;
	m->list_compared = true;
	return m->list_version;
}

void memory_begin(struct exec *x)
{
	struct memory *m = &x->memory;

	memory_list_version(x);
	m->stamp++;
	m->n_listed_before = m->n_listed;
	m->n_listed = m->n_differ = 0;
	m->list_differs = m->list_compared = false;
}

static void list_alloc(struct memory *m, struct alloc *alloc, uint32_t access)
{
	if (alloc->stamp != m->stamp) {
		m->list_differs |= alloc->stamp != m->stamp - 1;
		alloc->stamp = m->stamp;
		alloc->access_before = alloc->access;
		alloc->access = 0;
		m->n_listed++;
		m->n_differ += alloc->access_before != 0;
	}
	m->n_differ -= alloc->access != alloc->access_before;
	alloc->access |= access;
	m->n_differ += alloc->access != alloc->access_before;
}

/*
 * Copy a table entry that the guest may be writing: generation first, then the rest, then
 * generation again, so that a torn copy is not used. Returns false if the entry is not of
 * @generation or is not valid.
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
	if (out->n_runs != 1 || !out->size || out->size % SUNDOG_PAGE_SIZE ||
	    out->offset % SUNDOG_PAGE_SIZE)
		return false;
	/* No mapping is larger than the window. */
	if (out->heap == SUNDOG_HEAP_GUEST)
		return out->size <= m->space.window_size && out->offset <= UINT64_MAX - out->size;
	return out->heap == SUNDOG_HEAP_VRAM && out->offset <= m->space.config.size &&
	       out->size <= m->space.config.size - out->offset;
}

static struct mapping_place entry_place(const struct memory *m, uint32_t handle,
					const struct sundog_alloc_entry *entry)
{
	const int fd = entry->heap == SUNDOG_HEAP_GUEST ? MAPPING_GUEST : m->space.config.fd;

	return (struct mapping_place){ fd, entry->offset, entry->size, handle };
}

/* Returns true if @alloc is where the table says. False if it moved, is moving or was freed. */
static bool is_current(const struct memory *m, const struct alloc *alloc)
{
	return alloc->generation && __atomic_load_n(&m->table[alloc->handle].generation,
						    __ATOMIC_ACQUIRE) == alloc->generation;
}

/*
 * The handle no longer names @alloc: only the objects bound to it keep it alive. The submission's
 * list may have named it; then no new object can be bound to it.
 */
static void alloc_drop(struct exec *x, struct alloc *alloc)
{
	alloc->stamp = 0;
	x->memory.list_version++;
	x->memory.slots[alloc->handle] = NULL;
	object_unref(x, &alloc->object);
}

/*
 * Drop the allocations of pieces that are no longer where the table says and that no object is
 * bound to. If the client lists them again, they are imported again.
 */
static void sweep(struct exec *x)
{
	struct memory *m = &x->memory;
	struct mapping *next;
	uint32_t left = m->space.n_pieces;

	for (struct mapping *mapping = m->space.pieces; mapping; mapping = next) {
		struct alloc *alloc = mapping->owner;

		next = mapping->next;
		if (!alloc || alloc->object.refs != 1 || m->slots[alloc->handle] != alloc ||
		    is_current(m, alloc))
			continue;
		alloc_drop(x, alloc);
		left--;
	}
	m->sweep_at = left + (m->max_pieces - left) / 2 + 1;
}

/*
 * Release the home of @alloc if no new object can be bound to it, because its handle names another
 * allocation or none. Returns true if the home was released.
 */
static bool give_up(struct exec *x, struct alloc *alloc)
{
	struct memory *m = &x->memory;

	if (!alloc || !mapping_is_home(alloc->mapping))
		return false;
	if (m->slots[alloc->handle] == alloc) {
		if (alloc->object.refs != 1 || is_current(m, alloc))
			return false;
		alloc_drop(x, alloc);
	}
	mapping_give_up(&m->space, alloc->mapping);
	return true;
}

/* Map a new allocation: at home, if only dead allocations own these addresses. */
static struct mapping *alloc_map(struct exec *x, struct alloc *alloc,
				 const struct mapping_place *place)
{
	struct mapping_space *space = &x->memory.space;
	struct mapping *other;

	while ((other = mapping_overlap(space, place)) && give_up(x, other->owner))
		;
	if (other && space->n_pieces >= x->memory.sweep_at)
		sweep(x);
	return mapping_new(space, place, alloc);
}

bool memory_import(struct exec *x, struct alloc *alloc)
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
		.allocationSize = alloc->size, .memoryTypeIndex = x->vk.import_memory_type,
	};
	VkResult r = x->vk.AllocateMemory(x->vk.device, &info, NULL, &alloc->memory);

	return r == VK_SUCCESS || fault(x, SUNDOG_FAULT_CODE_HOST, -r);
}

/*
 * Record the fault for a failed mapping: the driver listed as entry @i memory that it must not, or
 * the host has no VMAs or memory left.
 */
static bool map_fault(struct exec *x, int err, uint32_t i)
{
	if (err == EACCES || err == ENXIO)
		return fault(x, SUNDOG_FAULT_CODE_LIST, i);
	log_warn("cannot map an allocation besides %u with a VMA of their own: %s; see "
		 "vm.max_map_count", x->memory.space.n_pieces,
		 strerror(err));
	return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
}

static struct alloc *alloc_new(struct exec *x, const struct sundog_alloc_entry *entry,
			       const struct mapping_place *place, uint32_t i)
{
	struct alloc *alloc = calloc(1, sizeof(*alloc));

	if (!alloc) {
		fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	alloc->object = (struct object){ .kind = OBJECT_ALLOC, .refs = 1 };
	alloc->handle = place->handle;
	alloc->generation = entry->generation;
	alloc->birth = entry->birth;
	alloc->size = entry->size;
	alloc->mapping = alloc_map(x, alloc, place);
	if (!alloc->mapping) {
		map_fault(x, errno, i);
		free(alloc);
		return NULL;
	}
	if (!memory_import(x, alloc)) {
		mapping_free(&x->memory.space, alloc->mapping);
		free(alloc);
		return NULL;
	}
	return alloc;
}

static bool alloc_move(struct exec *x, struct alloc *alloc,
		       const struct sundog_alloc_entry *entry, const struct mapping_place *place,
		       uint32_t i)
{
	int err;

	if (x->memory.space.n_pieces >= x->memory.sweep_at)
		sweep(x);
	err = mapping_move(&x->memory.space, alloc->mapping, place);
	if (!err)
		err = addresses_move(x, alloc, place);
	if (err)
		return map_fault(x, -err, i);
	alloc->generation = entry->generation;
	return true;
}

/*
 * Import the allocation that the table has at @handle, or move it if it is already imported. A move
 * of an allocation without objects is not worth a VMA: it is imported again. Returns NULL with a
 * fault recorded, @i its argument.
 */
static struct alloc *alloc_place(struct exec *x, uint32_t handle, uint64_t generation, uint32_t i)
{
	struct memory *m = &x->memory;
	struct alloc *alloc = m->slots[handle];
	struct sundog_alloc_entry entry;
	struct mapping_place place;

	if (!table_read(m, handle, generation, &entry)) {
		fault(x, SUNDOG_FAULT_CODE_LIST, i);
		return NULL;
	}
	place = entry_place(m, handle, &entry);
	if (alloc && alloc->object.refs > 1 && alloc->birth && alloc->birth == entry.birth &&
	    alloc->size == entry.size && (x->caps.features & SUNDOG_FEATURE_RAW_MOVE))
		return alloc_move(x, alloc, &entry, &place, i) ? alloc : NULL;
	if (alloc)
		alloc_drop(x, alloc);
	alloc = alloc_new(x, &entry, &place, i);
	m->slots[handle] = alloc;
	return alloc;
}

static uint32_t name_hash(uint32_t kres, uint32_t index)
{
	uint64_t h = ((uint64_t)kres << 32 | index) * 0x9e3779b97f4a7c15ull;

	return h >> 40;
}

/* Returns the slot that has the name, else the first free one. */
static struct memory_name *name_slot(struct memory *m, uint32_t kres, uint32_t index)
{
	uint32_t i = name_hash(kres, index);

	for (;; i++) {
		struct memory_name *name = &m->names[i & m->names_mask];

		if (name->stamp != m->stamp || (name->kres == kres && name->index == index))
			return name;
	}
}

/*
 * Returns the allocation that the table has at (@handle, @generation) now. Returns NULL with a
 * fault recorded, @i its argument.
 */
static struct alloc *alloc_get(struct exec *x, uint32_t handle, uint64_t generation, uint32_t i)
{
	struct memory *m = &x->memory;
	struct alloc *alloc;

	/* The allocation may have been freed since it was last listed. */
	if (!handle || handle >= SUNDOG_TABLE_ENTRIES || !generation ||
	    __atomic_load_n(&m->table[handle].generation, __ATOMIC_ACQUIRE) != generation) {
		fault(x, SUNDOG_FAULT_CODE_LIST, i);
		return NULL;
	}
	alloc = m->slots[handle];
	if (!alloc || alloc->generation != generation)
		alloc = alloc_place(x, handle, generation, i);
	return alloc;
}

bool memory_list(struct exec *x, const struct sundog_list_entry *entry, uint32_t i)
{
	struct memory *m = &x->memory;
	struct memory_name *name;
	struct alloc *alloc;

	if (entry->access & ~(SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE))
		return fault(x, SUNDOG_FAULT_CODE_LIST, i);
	alloc = alloc_get(x, entry->handle, entry->generation, i);
	if (!alloc)
		return false;
	list_alloc(m, alloc, entry->access);
	/*
	 * If this submission is refused, the value is that of the next batch, which is later than
	 * necessary.
	 */
	alloc->batch = batches_recording_value(&x->batches);
	if (entry->kres) {
		name = name_slot(m, entry->kres, entry->index);
		*name = (struct memory_name){ m->stamp, entry->kres, entry->index, alloc };
	}
	return true;
}

bool memory_check(struct exec *x, const struct alloc *alloc, uint32_t access)
{
	if (!memory_is_listed(&x->memory, alloc))
		return fault(x, SUNDOG_FAULT_CODE_NOT_LISTED, alloc->handle);
	if ((alloc->access & access) != access)
		return fault(x, SUNDOG_FAULT_CODE_ACCESS, alloc->handle);
	return true;
}

struct alloc *memory_find(struct exec *x, struct sundog_mem mem, uint32_t access)
{
	struct memory *m = &x->memory;
	struct alloc *alloc = NULL;

	if (!mem.kres && mem.index & SUNDOG_SPARSE_INDEX &&
	    (mem.index & ~SUNDOG_SPARSE_INDEX) < SUNDOG_MAX_OBJECTS)
		return sparse_memory_find(x, mem.index & ~SUNDOG_SPARSE_INDEX);
	if (mem.kres) {
		struct memory_name *name = name_slot(m, mem.kres, mem.index);

		if (name->stamp == m->stamp)
			alloc = name->alloc;
	} else if (mem.index && mem.index < SUNDOG_TABLE_ENTRIES) {
		alloc = m->slots[mem.index];
	}
	if (!alloc) {
		fault(x, SUNDOG_FAULT_CODE_NOT_LISTED, mem.index);
		return NULL;
	}
	return memory_check(x, alloc, access) ? alloc : NULL;
}

struct alloc *memory_find_alloc(struct exec *x, struct sundog_mem mem, uint32_t access)
{
	struct alloc *alloc = memory_find(x, mem, access);

	if (!alloc || alloc->object.kind == OBJECT_ALLOC)
		return alloc;
	fault(x, SUNDOG_FAULT_CODE_RANGE, mem.index);
	return NULL;
}

bool memory_range(struct exec *x, const struct alloc *alloc, uint64_t offset, uint64_t size)
{
	if (offset > alloc->size || size > alloc->size - offset)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return true;
}

bool memory_buffer_range(struct exec *x, const struct alloc *alloc, uint64_t offset,
			 uint64_t size)
{
	if (!memory_range(x, alloc, offset, size))
		return false;
	return offset + size <= x->vk.max_buffer ||
	       fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
}

/*
 * Creates a buffer from byte @at of @alloc to the end. Returns VK_NULL_HANDLE with a fault recorded
 * if the host fails.
 */
static VkBuffer make_buffer(struct exec *x, const struct alloc *alloc, uint64_t at)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external,
		.size = (alloc->size < x->vk.max_buffer ? alloc->size : x->vk.max_buffer) - at,
		.usage = buffer_usage(&x->vk),
	};
	VkBuffer buffer;
	VkResult r;

	r = x->vk.CreateBuffer(x->vk.device, &info, NULL, &buffer);
	if (r == VK_SUCCESS) {
		r = x->vk.BindBufferMemory(x->vk.device, buffer, alloc->memory, at);
		if (r != VK_SUCCESS)
			x->vk.DestroyBuffer(x->vk.device, buffer, NULL);
	}
	if (r == VK_SUCCESS)
		return buffer;
	fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	return VK_NULL_HANDLE;
}

VkBuffer memory_buffer(struct exec *x, struct alloc *alloc)
{
	VkBufferDeviceAddressInfo address = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO
	};

	if (alloc->images)
		memory_aliased(x);
	if (alloc->buffer)
		return alloc->buffer;
	alloc->buffer = make_buffer(x, alloc, 0);
	if (!alloc->buffer)
		return VK_NULL_HANDLE;
	address.buffer = alloc->buffer;
	alloc->address = x->vk.GetBufferDeviceAddress(x->vk.device, &address);
	return alloc->buffer;
}

/*
 * Buffers begin at multiples of a power of two, which leaves 1 or 2 if it is divided by 3. So one
 * of three such buffers in a row has a whole number of texels of three numbers before *@offset.
 */
VkBuffer memory_texels(struct exec *x, struct alloc *alloc, uint64_t *offset, uint32_t size)
{
	VkBuffer buffer = memory_buffer(x, alloc);
	VkMemoryRequirements need;

	if (!buffer || *offset % size == 0)
		return buffer;
	x->vk.GetBufferMemoryRequirements(x->vk.device, buffer, &need);
	for (uint32_t i = 0; i < 2; i++) {
		const uint64_t at = (i + 1) * need.alignment;

		if (*offset < at || (*offset - at) % size)
			continue;
		if (!alloc->shifted[i])
			alloc->shifted[i] = make_buffer(x, alloc, at);
		*offset -= at;
		return alloc->shifted[i];
	}
	fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return VK_NULL_HANDLE;
}

VkBuffer memory_words(struct exec *x, struct alloc *alloc, uint64_t offset, uint64_t size)
{
	if (!memory_buffer_range(x, alloc, offset, size))
		return VK_NULL_HANDLE;
	if (offset % 4) {
		fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
		return VK_NULL_HANDLE;
	}
	return memory_buffer(x, alloc);
}

const void *memory_peek(struct exec *x, uint32_t handle, uint64_t generation, uint64_t offset,
			uint64_t size)
{
	const struct alloc *alloc = alloc_get(x, handle, generation, 0);

	if (!alloc || alloc->mapping->place.fd == MAPPING_GUEST || offset > alloc->size ||
	    size > alloc->size - offset)
		return NULL;
	return memory_at(alloc, offset);
}

static void see_batch(void *owner, void *data)
{
	const struct alloc *alloc = owner;
	uint64_t *batch = data;

	if (alloc->batch > *batch)
		*batch = alloc->batch;
}

bool memory_has_guest(const struct exec *x, uint64_t offset, uint64_t size, uint64_t *batch)
{
	*batch = 0;
	return mapping_shows_guest(&x->memory.space, offset, size, see_batch, batch);
}

/* The objects on the allocation stay, because it may only be moving. */
static void alloc_revoked(void *owner)
{
	struct alloc *alloc = owner;

	alloc->generation = 0;
}

bool memory_revoke_guest(struct exec *x, uint64_t offset, uint64_t size)
{
	return mapping_revoke_guest(&x->memory.space, offset, size, alloc_revoked);
}

static bool revoke_stale(void *owner, void *data)
{
	struct alloc *alloc = owner;

	if (is_current(data, alloc))
		return false;
	alloc_revoked(alloc);
	return true;
}

bool memory_revoke_vram(struct exec *x)
{
	return mapping_revoke_vram(&x->memory.space, revoke_stale, &x->memory);
}

void memory_import_end(struct exec *x, struct alloc *alloc)
{
	x->vk.DestroyBuffer(x->vk.device, alloc->buffer, NULL);
	for (uint32_t i = 0; i < 2; i++)
		x->vk.DestroyBuffer(x->vk.device, alloc->shifted[i], NULL);
	x->vk.FreeMemory(x->vk.device, alloc->memory, NULL);
}

void memory_alloc_free(struct exec *x, struct alloc *alloc)
{
	memory_import_end(x, alloc);
	mapping_free(&x->memory.space, alloc->mapping);
	free(alloc);
}

/* SPDX-License-Identifier: MIT */
/*
 * Allocations as a worker sees them: entries of the allocation table, imported into Vulkan. The
 * worker's main thread makes all calls.
 *
 * Each submission lists the allocations that it may access. memory_list() checks an entry against
 * the table and stamps the allocation with the submission's number; packets can only name stamped
 * allocations.
 *
 * A worker may map its client's extents, and allocations that the kernel listed for this client.
 * The broker decides; memory of other clients cannot be listed.
 *
 * An allocation that moved (feature RAW_MOVE) keeps its addresses and the objects bound to it, see
 * mapping.h. The guest driver moves only idle allocations. A driver that breaks this rule changes
 * memory under running work: the work accesses the old place or the new one, both memory of the
 * same guest, and has no other effect.
 */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/mapping.h"
#include "exec/object.h"
#include "host/vk.h"
#include "ipc/message.h"
#include "sundog_packets.h"

struct exec;

/*
 * The allocation that a device handle names, wherever it moves, or sparse memory (sparse_memory.h).
 * Its slot in `slots`, images and device addresses hold references.
 */
struct alloc {
	struct object object;
	uint32_t handle;
	uint32_t access;		/* SUNDOG_ACCESS_* in submission `stamp` */
	/* SUNDOG_ACCESS_* in the previous submission that listed it */
	uint32_t access_before;
	uint64_t stamp;			/* number of the last submission that listed it */
	/* timeline value of that submission's batch, if it was submitted */
	uint64_t batch;
	uint64_t generation, birth;	/* of the current place, 0: none; of the first place */
	uint64_t size;			/* bytes */
	struct mapping *mapping;
	/* list of its mappings at device addresses, each of which holds a reference */
	struct mapping *devices;
	VkDeviceMemory memory;		/* the import */
	/* covers the allocation; created at first use, see memory_buffer() */
	VkBuffer buffer;
	/* begin 1 and 2 alignments behind it; created at first use, see memory_texels() */
	VkBuffer shifted[2];
	uint32_t images;		/* number of images bound to it */
	VkDeviceAddress address;	/* of buffer */
};

/* Hash table entry: {kres, index} in the current submission -> allocation. */
struct memory_name {
	uint64_t stamp;
	uint32_t kres, index;
	struct alloc *alloc;
};

struct memory {
	struct mapping_space space;
	/* limit of `space`; number of pieces that triggers a sweep */
	uint32_t max_pieces, sweep_at;
	const struct sundog_alloc_entry *table;	/* read-only mapping; the guest writes it */
	struct alloc **slots;			/* by handle, TABLE_ENTRIES entries */
	uint64_t stamp;				/* number of the current submission */
	uint64_t list_version;			/* see memory_list_version() */
	/* entries listed by the current submission and by the previous one */
	uint32_t n_listed, n_listed_before;
	/* of them, listed with other access than the last time */
	uint32_t n_differ;
	bool list_differs, list_compared;
	/* an image was bound to memory that another image or a buffer uses */
	bool aliases;
	struct memory_name *names;		/* hash table of the current submission's names */
	uint32_t names_mask;
};

/*
 * Collect facts about the machine that memory_init() needs; runs before the worker is sandboxed.
 * Returns false if VRAM cannot be imported.
 */
bool memory_prepare(struct exec *x);

/*
 * Map the client's tables and reserve addresses for its memory. @fds (see message_setup) must stay
 * open. On failure logs the reason and returns false; the worker must end.
 */
bool memory_init(struct exec *x, const struct message_setup *setup, const int fds[4]);

/* Start a new submission with an empty list. */
void memory_begin(struct exec *x);

/*
 * Check and list entry @i of the submission's list. Returns false with a fault recorded if the
 * entry is refused.
 */
bool memory_list(struct exec *x, const struct sundog_list_entry *entry, uint32_t i);

/*
 * Returns the version of the list: it changes if the list differs from the previous submission's.
 * Call it after all entries are listed.
 */
uint64_t memory_list_version(struct exec *x);

/*
 * Returns the allocation that a packet names if it is listed with @access; NULL with a fault
 * recorded if not.
 */
struct alloc *memory_find(struct exec *x, struct sundog_mem mem, uint32_t access);

/*
 * As memory_find(), but sparse memory causes fault RANGE: it has no place of its own, and what is
 * mapped there is not known to this thread.
 */
struct alloc *memory_find_alloc(struct exec *x, struct sundog_mem mem, uint32_t access);

/*
 * Returns true if an allocation that an object is bound to is listed with @access, else false with
 * a fault recorded.
 */
bool memory_check(struct exec *x, const struct alloc *alloc, uint32_t access);

/* Returns true if the range is inside @alloc, else false with a fault recorded. */
bool memory_range(struct exec *x, const struct alloc *alloc, uint64_t offset, uint64_t size);

/* Returns true if the range is inside @alloc and its buffer, else false with a fault recorded. */
bool memory_buffer_range(struct exec *x, const struct alloc *alloc, uint64_t offset,
			 uint64_t size);

/*
 * Returns the buffer that covers @alloc as far as the host can; VK_NULL_HANDLE with a fault
 * recorded if it fails.
 */
VkBuffer memory_buffer(struct exec *x, struct alloc *alloc);
/*
 * As memory_buffer(), and checks that @size bytes at @offset are inside and that @offset is a
 * multiple of 4.
 */
VkBuffer memory_words(struct exec *x, struct alloc *alloc, uint64_t offset, uint64_t size);

/*
 * Returns a buffer in which byte *@offset of @alloc is at a multiple of @size, the bytes of a texel
 * block, and stores its offset there. VK_NULL_HANDLE with a fault recorded if there is none: texels
 * of three numbers have it if *@offset is a multiple of the power of two in @size, and not below
 * the alignment of buffers. memory_buffer_range() must hold.
 */
VkBuffer memory_texels(struct exec *x, struct alloc *alloc, uint64_t *offset, uint32_t size);

/*
 * Returns the address of byte @offset of @alloc, which memory_find_alloc() found. memory_range()
 * must hold.
 */
static inline void *memory_at(const struct alloc *alloc, uint64_t offset)
{
	return alloc->mapping->addr + offset;
}

/*
 * Returns true if any of these pages of heap GUEST is mapped, with the value of the last batch that
 * may use them in *@batch.
 */
bool memory_has_guest(const struct exec *x, uint64_t offset, uint64_t size, uint64_t *batch);
/*
 * Unmap these pages of heap GUEST; no running batch uses them. Returns false if some may still be
 * mapped: the worker must end.
 */
bool memory_revoke_guest(struct exec *x, uint64_t offset, uint64_t size);

/*
 * Unmap VRAM that no longer belongs to the client. Returns false if some may still be mapped: the
 * worker must end.
 */
bool memory_revoke_vram(struct exec *x);

/*
 * Returns the address of VRAM of table entry (handle, generation), which need not be listed; for
 * reading streams. Returns NULL if there is no such memory.
 */
const void *memory_peek(struct exec *x, uint32_t handle, uint64_t generation, uint64_t offset,
			uint64_t size);

void memory_alloc_free(struct exec *x, struct alloc *alloc);

/*
 * Import the addresses of @alloc->mapping into Vulkan, as @alloc->memory. Returns false with a
 * fault recorded if the host fails.
 */
bool memory_import(struct exec *x, struct alloc *alloc);
/* Destroy the import, and the buffers that were created in it. */
void memory_import_end(struct exec *x, struct alloc *alloc);

/* Returns true if the submission lists @alloc, or need not since it is sparse memory. */
static inline bool memory_is_listed(const struct memory *m, const struct alloc *alloc)
{
	return alloc->stamp == m->stamp || alloc->object.kind == SUNDOG_OBJECT_KIND_SPARSE_MEMORY;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Allocations as a worker sees them: entries of the allocation table, imported into Vulkan.
 *
 * Each submission lists the allocations it may touch. memory_list() checks an entry against the
 * table and stamps its allocation with the submission; what is not stamped cannot be named.
 *
 * A worker may map what its client's extents have, and allocations that the kernel listed for this client. The
 * broker decides; memory that is not the client's cannot be listed.
 *
 * An allocation that moved (RAW_MOVE) keeps its addresses and all that lives on it, see mapping.h. The
 * driver moves only what is idle. One that does not care changes memory under work that runs: that
 * work reads and writes the old place or the new one, both the guest's own, and nothing else breaks.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "mapping.h"
#include "message.h"
#include "object.h"
#include "sundog_packets.h"
#include "vk.h"

struct worker;

/* What a device handle names, wherever it moves. Referenced by its table slot, by images and by device addresses. */
struct alloc {
	struct object object;
	uint32_t handle;
	uint32_t access;		/* SUNDOG_ACCESS_* in submission `stamp` */
	uint32_t access_before;		/* in the one before that listed it */
	uint64_t stamp;			/* last submission that listed it */
	uint64_t batch;			/* value of that one's batch, if it was submitted */
	uint64_t generation, birth;	/* of its place, 0: nowhere; of its first place */
	uint64_t size;			/* bytes */
	struct mapping *mapping;
	struct mapping *devices;	/* others of it, at device addresses; a reference each */
	VkDeviceMemory memory;		/* the import */
	VkBuffer buffer;		/* all of it; made at first use, see memory_buffer() */
	uint32_t images;		/* bound to it */
	VkDeviceAddress address;	/* of buffer */
};

/* {kres, index} of the current submission -> allocation. */
struct memory_name {
	uint64_t stamp;
	uint32_t kres, index;
	struct alloc *alloc;
};

struct memory {
	struct mapping_space space;
	uint32_t max_pieces, sweep_at;		/* of space: there may be; that make a sweep worth while */
	const struct sundog_alloc_entry *table;	/* read-only mapping; the guest writes it */
	struct alloc **slots;			/* by handle, TABLE_ENTRIES of them */
	uint64_t stamp;				/* of the current submission */
	uint64_t list_version;			/* see memory_list_version() */
	uint32_t n_listed, n_listed_before;	/* by the current submission, and the one before */
	uint32_t n_differ;			/* of those, listed with other access than the last time */
	bool list_differs, list_compared;
	bool aliases;				/* an image shared its memory with another one, or a buffer */
	struct memory_name *names;		/* hash of the current submission's names */
	uint32_t names_mask;
};

/* Before the jail: what memory_init() needs to know of the machine. False: VRAM cannot be imported. */
bool memory_prepare(struct worker *w);

/*
 * Map the client's tables, and make room for its memory. @fds (see message_setup) must stay open. False: logged,
 * fatal.
 */
bool memory_init(struct worker *w, const struct message_setup *setup, const int fds[4]);

/* Start a new submission: nothing is listed. */
void memory_begin(struct worker *w);

/* Check and list entry @i of the submission's list. */
bool memory_list(struct worker *w, const struct sundog_list_entry *entry, uint32_t i);

/* Another number for another list than the submission before had; once all is listed. */
uint64_t memory_list_version(struct worker *w);

/* The listed allocation that a packet names, if it is listed with @access. */
struct alloc *memory_find(struct worker *w, struct sundog_mem mem, uint32_t access);

/* An allocation that an object is bound to: still listed, with @access? */
bool memory_check(struct worker *w, const struct alloc *alloc, uint32_t access);

/* Offset and size inside @alloc? */
bool memory_range(struct worker *w, const struct alloc *alloc, uint64_t offset, uint64_t size);

/* Offset and size inside @alloc and its buffer? */
bool memory_buffer_range(struct worker *w, const struct alloc *alloc, uint64_t offset, uint64_t size);

/* The buffer that covers @alloc as far as the host can; VK_NULL_HANDLE with a fault recorded if it fails. */
VkBuffer memory_buffer(struct worker *w, struct alloc *alloc);
/* The same, if @size bytes at @offset of it are inside, and begin with a word of 32 bits. */
VkBuffer memory_words(struct worker *w, struct alloc *alloc, uint64_t offset, uint64_t size);

/* barrier.c: Some memory has a second object from now on. */
void memory_aliased(struct worker *w);

/* Address of byte @offset of @alloc, where memory_range() holds. */
static inline void *memory_at(const struct alloc *alloc, uint64_t offset)
{
	return alloc->mapping->addr + offset;
}

/* Is any of these pages of heap GUEST mapped? Then *@batch is the value of the last batch that may use them. */
bool memory_has_guest(const struct worker *w, uint64_t offset, uint64_t size, uint64_t *batch);
/* They go; nothing that uses them runs. False: they may still be mapped, the worker must end. */
bool memory_revoke_guest(struct worker *w, uint64_t offset, uint64_t size);

/* VRAM that is not the client's any more goes. False: some may still be mapped, the worker must end. */
bool memory_revoke_vram(struct worker *w);

/* VRAM of the table entry (handle, generation), which need not be listed: for streams. NULL: there is none. */
const void *memory_peek(struct worker *w, uint32_t handle, uint64_t generation, uint64_t offset,
			uint64_t size);

void memory_alloc_free(struct worker *w, struct alloc *alloc);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Sparse memory: the addresses of a sparse buffer or image, and the memory that is bound there.
 * The renderer has an object for it, which packets name as they name memory, and maps pieces of
 * memory at its addresses. The buffer or the image owns it; any thread calls the functions, and
 * sdvk_sparse_state::lock guards the pieces.
 *
 * Images with partial residency have rows at multiples of pages, so that each page belongs to one
 * row: a sparse image block is a page of texels in a row. Addresses of a resource with partial
 * residency where nothing is bound show memory of the driver: what shaders read there is undefined
 * (residencyNonResidentStrict is false), and stores are harmless. A table in front of such an image
 * tells sparse instructions of shaders which pages are bound.
 */
#ifndef SDVK_SPARSE_H
#define SDVK_SPARSE_H

#include <sundog.h>

#include "util/rb_tree.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"
#include "vulkan/vulkan_core.h"

struct sdvk_device;
struct sdvk_memory;
struct sdvk_physical_device;
struct sdvk_stream;
struct vk_image;
struct vk_queue_submit;

/* The bits of a word of a table of residency (image_flag RESIDENCY). */
#define SDVK_SPARSE_TABLE_BITS 32

/* Alignment of what is bound, in bytes: of resources that are bound as a whole, and of blocks. */
#define SDVK_SPARSE_ALIGN 0x10000
#define SDVK_SPARSE_BLOCK SUNDOG_PAGE_SIZE

struct sdvk_sparse {
   uint32_t id; /* object of the renderer; 0: none */
   bool residency; /* parts may be used while others are not bound */
   uint64_t address, size; /* device addresses of the resource */
   struct rb_tree pieces;  /* struct piece by offset in the resource */
   /* A table that shaders read for the residency of pages precedes the resource; NULL: none. */
   struct sdrm_bo *table;
   uint64_t head; /* bytes of it, 0: none; the resource is at this offset of the memory */
   uint32_t *words; /* one bit for each page, from the end of the table on backwards */
};

struct sdvk_sparse_info {
   uint64_t size;
   bool residency;    /* parts may be used while others are not bound */
   bool table;        /* shaders may ask what is bound */
   bool replayable;   /* the address may be captured and replayed */
   uint64_t captured; /* the address, or 0 */
};

/* State of a device. */
struct sdvk_sparse_state {
   simple_mtx_t lock;
   struct sdrm_bo *filler; /* what unbound addresses show; NULL: not needed yet */
   /*
    * Pieces are mappings of the worker, of which it can have a limited number: those that resources
    * may have besides memory, those of memory, and those that binds which wait add at most.
    */
   uint64_t n_reserved, n_bound, n_planned;
   /* struct plan, calls of vkQueueBindSparse() with binds that are not submitted yet, in order */
   struct util_dynarray plans;
};

void
sdvk_sparse_state_init(struct sdvk_sparse_state *state);
void
sdvk_sparse_state_fini(struct sdvk_device *device);

/*
 * Initialises sparse memory at a device address.
 * VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS: the captured address is in use or out of range.
 */
VkResult
sdvk_sparse_init(struct sdvk_device *device, struct sdvk_sparse *sparse,
                 const struct sdvk_sparse_info *info);
/* Does nothing if it was not initialised. */
void
sdvk_sparse_fini(struct sdvk_device *device, struct sdvk_sparse *sparse);

/* Returns the name of the memory in packets. */
static inline struct sundog_mem
sdvk_sparse_mem(const struct sdvk_sparse *sparse)
{
   return (struct sundog_mem){.index = SUNDOG_SPARSE_INDEX | sparse->id};
}

/*
 * Changes the pieces as the binds of @submit say. @stream becomes the packets for that, also if an
 * error is returned. The caller holds the lock until it has submitted them.
 */
VkResult
sdvk_sparse_bind(struct sdvk_device *device, const struct vk_queue_submit *submit,
                 struct sdvk_stream *stream);

/* Unbinds memory that is freed. It has to be on the residency list still. */
void
sdvk_sparse_forget(struct sdvk_device *device, struct sdvk_memory *memory);

/*
 * Returns byte @offset of the memory for the CPU, and how many bytes follow it in *@size. NULL:
 * nothing is bound there, or it cannot be mapped.
 */
char *
sdvk_sparse_map(struct sdvk_device *device, const struct sdvk_sparse *sparse, uint64_t offset,
                uint64_t *size);

/* Returns true if images of @format can be sparse: a page has a whole number of blocks. */
bool
sdvk_sparse_format(VkFormat format);
/* Returns the texels of a sparse image block. */
VkExtent3D
sdvk_sparse_granularity(VkFormat format);

#endif

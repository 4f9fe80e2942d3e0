/* SPDX-License-Identifier: MIT */
/*
 * Resources. A pipe_resource is a libdrm resource with one allocation. Its bytes follow the
 * device's layout rule, so that the CPU maps textures directly. An imported resource may have a
 * layout of its own and be only a part of its allocation. An image with several planes is a chain
 * of resources.
 */
#ifndef SUNDOG_RESOURCE_H
#define SUNDOG_RESOURCE_H

#include <sundog.h>
#include <sundog_image_layout.h>

#include "pipe/p_state.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/u_range.h"

struct sdog_context;
struct sdog_screen;
struct sw_displaytarget;

/* Whether the layout of an image is the device's own or comes from an exporter. The device
 * cannot write to images whose rows or texels are not sufficiently aligned, mostly planes of
 * video frames. */
enum sdog_foreign {
   SDOG_FOREIGN_NO,
   SDOG_FOREIGN_READ_WRITE,
   SDOG_FOREIGN_READ_ONLY,
};

struct sdog_resource {
   struct pipe_resource base;
   /* NULL for imported memory that belongs to no resource; @bo is then a reference of its own. */
   struct sdrm_resource *kres;
   struct sdrm_bo *bo;
   struct sundog_mem mem;
   /* Unique id of the memory. @mem is not unique: its numbers are reused after the memory is
    * freed. */
   uint64_t memory;
   /* @offset of the image or buffer in the memory, and its size, in bytes. The offset is not 0 for
    * imported resources and for large ones that are not shared: see COPY_OFFSET in
    * sundog_resource.c. */
   uint64_t offset;
   uint64_t size;
   enum sdog_foreign foreign;
   /* Index of the plane in the imported image. */
   unsigned plane;
   /* List of struct sdog_image, one per context that uses the resource as an image. Protected by
    * screen->object_lock. */
   struct list_head images;
   struct util_range valid_range;
   struct sw_displaytarget *dt;
   unsigned dt_stride;
   /* Exported or imported: others may use the memory, so it must not be replaced. */
   bool shared;
   /* The memory is being replaced by memory that can be exported. Protected by
    * screen->object_lock. */
   bool sharing;
   /* Number of writes by the CPU, and of replacements of the memory. */
   uint32_t cpu_writes;
   /* Id of the submission that last listed the memory, and its access. */
   uint64_t batch;
   uint32_t batch_access;
   /* For a buffer: the first context that listed it in a submission, wrote to it by the CPU or
    * replaced its memory; and whether another context did, too. */
   const struct sdog_context *user;
   bool several_users;
   /* Times (see sundog_barrier.h) of the last uses by the device. */
   uint64_t read_time;
   uint64_t write_time;
   uint64_t storage_time;
   /* The layout of each level of the image. */
   struct sundog_image_level levels[];
};

static inline struct sdog_resource *
sdog_resource(struct pipe_resource *prsc)
{
   return (struct sdog_resource *)prsc;
}

static inline unsigned
sdog_samples(const struct pipe_resource *prsc)
{
   return MAX2(prsc->nr_samples, 1);
}

/* Returns the CPU mapping of the image or buffer, which is created by the first call and lives as
 * long as the memory. Returns NULL if the CPU cannot map it: imported memory, or no address space
 * left. */
static inline uint8_t *
sdog_resource_map(struct sdog_resource *rsc)
{
   uint8_t *map = sdrm_bo_map(rsc->bo);

   return map ? map + rsc->offset : NULL;
}

/* Replaces the memory of a texture by new, mapped memory, so that the CPU can write it while the
 * device reads the old. Returns false if @rsc has to keep its memory, for example because contexts
 * other than @ctx have images of it. On success, the images of @ctx are destroyed. */
bool
sdog_texture_rename(struct sdog_context *ctx, struct sdog_resource *rsc);

/* As sdog_texture_rename(), for a buffer, which @ctx becomes a user of. The first @keep bytes are
 * preserved. If @keep is not 0, the buffer keeps its memory once another context has used it,
 * because that context may write to it in a submission that it is still building. It also keeps its
 * memory between sdog_naming_begin() and sdog_naming_end() of @ctx. */
bool
sdog_buffer_rename(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t keep);
/* Records that @ctx uses the memory of a buffer. */
void
sdog_buffer_add_user(struct sdog_context *ctx, struct sdog_resource *rsc);

/* Moves @rsc, with its contents, to memory that can be exported. Work that other contexts have not
 * flushed is lost. Returns false if @rsc has to keep its memory. On success, its images are
 * destroyed. */
bool
sdog_resource_make_shared(struct sdog_screen *screen, struct sdog_resource *rsc);

/* Returns a resource that has a layout, but no memory yet, or NULL. */
struct sdog_resource *
sdog_resource_new(struct pipe_screen *pscreen, const struct pipe_resource *templ);
/* Gives @rsc allocation @index of @kres, or the memory @bo without a resource. Takes over the
 * reference. */
void
sdog_resource_set_memory(struct sdog_resource *rsc, struct sdrm_resource *kres, uint32_t index);
void
sdog_resource_set_bo(struct sdog_resource *rsc, struct sdrm_bo *bo);
void
sdog_resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *prsc);

void
sdog_init_resource_functions(struct pipe_screen *pscreen);

#endif

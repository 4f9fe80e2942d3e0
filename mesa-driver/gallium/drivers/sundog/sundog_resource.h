/* SPDX-License-Identifier: MIT */
/*
 * Resources: one pipe_resource is one libdrm resource with one allocation, whose bytes follow the
 * device's layout rule, so that the CPU maps textures as they are. Imported ones may have a layout
 * of their own, and are a part of their memory; an image of several planes is a chain of them.
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

/* Whose layout an image has. Images that the device cannot write have rows or texels that are not
 * aligned enough: planes of video frames, mostly. */
enum sdog_foreign {
   SDOG_FOREIGN_NO,
   SDOG_FOREIGN_READ_WRITE,
   SDOG_FOREIGN_READ_ONLY,
};

struct sdog_resource {
   struct pipe_resource base;
   /* NULL for memory that was imported and belongs to no resource; @bo is a reference then. */
   struct sundog_resource *kres;
   struct sundog_bo *bo;
   struct sundog_mem mem;
   /* Which memory that is: @mem's numbers are given to other memory when this is gone. */
   uint64_t memory;
   /* Of the image or buffer in the memory. Not 0 for imported ones, and for large ones that are not
    * shared: see COPY_OFFSET in sundog_resource.c. */
   uint64_t offset;
   uint64_t size;
   enum sdog_foreign foreign;
   /* Which of the image's imported planes. */
   unsigned plane;
   /* struct sdog_image, one per context that needed one. */
   struct list_head images;
   struct util_range valid_range;
   struct sw_displaytarget *dt;
   unsigned dt_stride;
   /* Exported or opened: memory must stay, and others may use it. */
   bool shared;
   /* Its memory is being moved to where that is possible. Protected by screen->object_lock. */
   bool sharing;
   /* How often the CPU wrote to the memory as it is. */
   uint32_t cpu_writes;
   /* The submission that lists it, and with what access. */
   uint64_t batch;
   uint32_t batch_access;
   /* Of a buffer: the first context whose submissions listed it, or whose CPU wrote to its memory or
    * gave it other memory, and whether another one did. */
   const struct sdog_context *user;
   bool several_users;
   /* Times (see sundog_barrier.h) of the last uses by the device. */
   uint64_t read_time;
   uint64_t write_time;
   uint64_t storage_time;
   /* As many as it has; where they are in the image. */
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

/* The image or buffer as the CPU sees it, mapped when first asked for; the mapping goes with the
 * memory. NULL if the CPU cannot reach it: imported memory, or no room in the address space. */
static inline uint8_t *
sdog_resource_map(struct sdog_resource *rsc)
{
   uint8_t *map = sundog_bo_map(rsc->bo);

   return map ? map + rsc->offset : NULL;
}

/* Give a texture fresh memory, mapped, so that the CPU can write it while the device reads the old.
 * False if it has to keep its memory, as it has if others than @ctx have images of it. Those of @ctx
 * are void. */
bool
sdog_texture_rename(struct sdog_context *ctx, struct sdog_resource *rsc);

/* The same of a buffer, which @ctx uses from now on; the first @keep bytes are as they were. With
 * something to keep, it keeps its memory if another context used it ever: that may write to it, in a
 * submission that it still builds. It keeps it while @ctx names memory to the device, too. */
bool
sdog_buffer_rename(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t keep);
/* @ctx uses the memory of a buffer, from now on. */
void
sdog_buffer_add_user(struct sdog_context *ctx, struct sdog_resource *rsc);

/* Give @rsc memory that can be exported, with what is in it now. What other contexts of the
 * process have not flushed is lost. False if it has to keep its memory. Its images are void. */
bool
sdog_resource_make_shared(struct sdog_screen *screen, struct sdog_resource *rsc);

/* A resource with its layout and no memory yet. */
struct sdog_resource *
sdog_resource_new(struct pipe_screen *pscreen, const struct pipe_resource *templ);
/* Put it on allocation @index of @kres, or on plain memory; takes over the reference. */
void
sdog_resource_set_memory(struct sdog_resource *rsc, struct sundog_resource *kres, uint32_t index);
void
sdog_resource_set_bo(struct sdog_resource *rsc, struct sundog_bo *bo);
void
sdog_resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *prsc);

void
sdog_init_resource_functions(struct pipe_screen *pscreen);

#endif

/* SPDX-License-Identifier: MIT */
/* The screen: one per device file or connection, shared by its contexts. */
#ifndef SUNDOG_SCREEN_H
#define SUNDOG_SCREEN_H

#include <sundog.h>

#include "pipe/p_screen.h"
#include "sundog_cache.h"
#include "sundog_debug.h"
#include "sundog_handle.h"
#include "util/rwlock.h"
#include "util/simple_mtx.h"
#include "util/slab.h"

struct disk_cache;
struct nir_shader_compiler_options;

struct sdog_screen {
   struct pipe_screen base;
   struct sundog_device *dev;
   const struct sundog_caps *caps;
   struct nir_shader_compiler_options *nir_options;
   /* Shows pictures where there is no DRM, else NULL. The loader owns it. */
   struct sw_winsys *sws;
   char name[96];
   struct slab_parent_pool transfer_pool;
   struct sdog_cache cache;
   struct sdog_handles handles;
   /* Of shaders; NULL if there is none. */
   struct disk_cache *disk_cache;
   /* Protects the lists of images, and what is left to contexts to destroy. */
   simple_mtx_t object_lock;
   /* Taken to write while a buffer gets other memory, and to read by who names memory to the device,
    * from its listing on: see sdog_naming_begin(). Taken before object_lock. */
   struct u_rwlock rename_lock;
   /* Held while a resource becomes shareable, and taken before both. */
   simple_mtx_t share_lock;
   /* How often a buffer that several contexts use got other memory. */
   uint32_t renames;
   /* By how many nanoseconds the device's clock is ahead of the CPU's, once that is known; and how
    * long the CPU's had slept when that was measured. */
   simple_mtx_t clock_lock;
   bool clock_known;
   int64_t clock_lead;
   int64_t clock_slept;
};

static inline struct sdog_screen *
sdog_screen(struct pipe_screen *pscreen)
{
   return (struct sdog_screen *)pscreen;
}

#endif

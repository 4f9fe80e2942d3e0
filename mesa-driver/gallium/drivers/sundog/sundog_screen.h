/* SPDX-License-Identifier: MIT */
/* The screen: one per device file or connection, shared by its contexts and their threads. */
#ifndef SUNDOG_SCREEN_H
#define SUNDOG_SCREEN_H

#include <sys/types.h>

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
   struct sdrm_device *dev;
   const struct sundog_caps *caps;
   struct nir_shader_compiler_options *nir_options;
   /* Presents copies of frames where the window system takes no buffers of a device, otherwise
    * NULL. Owned by the loader. */
   struct sw_winsys *sws;
   char name[96];
   struct slab_parent_pool transfer_pool;
   struct sdog_cache cache;
   struct sdog_handles handles;
   /* Cache of compiled shaders, or NULL. Threads of process @pid write it. */
   struct disk_cache *disk_cache;
   /* The process that uses the screen, see sdog_screen_adopt(). Protected by adopt_lock. */
   pid_t pid;
   simple_mtx_t adopt_lock;
   /* Protects the lists of images and the lists of objects that other threads leave to a context to
    * destroy. Lock order: share_lock, rename_lock, object_lock. */
   simple_mtx_t object_lock;
   /* Held for writing while a buffer gets other memory, and for reading from the time that memory
    * is listed until the packets that name it are emitted: see sdog_naming_begin(). */
   struct u_rwlock rename_lock;
   /* Serializes the moves of resources to shareable memory. */
   simple_mtx_t share_lock;
   /* Number of times that a buffer used by several contexts got other memory. Protected by
    * rename_lock. */
   uint32_t renames;
   /* @clock_lead is the offset of the device's clock from the CPU's in nanoseconds, valid if
    * @clock_known. @clock_slept is how long the machine had been suspended when it was measured.
    * All are protected by clock_lock. */
   simple_mtx_t clock_lock;
   bool clock_known;
   int64_t clock_lead;
   int64_t clock_slept;
};

/* Makes the screen usable in a forked child, which calls this before its first new context. The
 * child gets a cache of shaders of its own, since it lacks the threads that write the parent's, and
 * deletes its copies of the parent's kept memory, so that libdrm connects the device anew. */
void
sdog_screen_adopt(struct sdog_screen *screen);

static inline struct sdog_screen *
sdog_screen(struct pipe_screen *pscreen)
{
   return (struct sdog_screen *)pscreen;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A cache of released allocations. Creating and freeing an allocation costs system calls, and
 * programs that stream data do it constantly. Only memory that was never shared is cached.
 */
#ifndef SUNDOG_CACHE_H
#define SUNDOG_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"
#include "util/simple_mtx.h"

struct sdrm_device;
struct sdrm_resource;

/* Sizes are rounded up to a quarter of a power of two; see cache_bucket(). */
#define SDOG_CACHE_BUCKETS 64

struct sdog_cache {
   simple_mtx_t lock;
   struct list_head buckets[SDOG_CACHE_BUCKETS];
   /* All entries, oldest first. */
   struct list_head lru;
   uint64_t size;
};

void
sdog_cache_init(struct sdog_cache *cache);
void
sdog_cache_finish(struct sdog_cache *cache);

/* Returns the size to allocate for @size bytes, so that sdog_cache_put() accepts the resource. */
uint64_t
sdog_cache_round(uint64_t size);

/* Returns an idle resource of sdog_cache_round(@size) bytes, or NULL. The caller owns the
 * reference. */
struct sdrm_resource *
sdog_cache_get(struct sdog_cache *cache, uint64_t size);
/* Takes over the reference to @res, whose size came from sdog_cache_round(). The device may still
 * use it, and submissions that are being built may list it. */
void
sdog_cache_put(struct sdog_cache *cache, struct sdrm_resource *res, uint64_t size);
/* Frees all entries. For use when the device is out of memory. */
void
sdog_cache_trim(struct sdog_cache *cache);

#endif

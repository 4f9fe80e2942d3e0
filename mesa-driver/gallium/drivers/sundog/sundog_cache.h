/* SPDX-License-Identifier: MIT */
/*
 * Idle memory, kept for reuse: making and freeing an allocation costs system calls, and streaming
 * programs do it all the time. Only memory that was never shared comes here.
 */
#ifndef SUNDOG_CACHE_H
#define SUNDOG_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"
#include "util/simple_mtx.h"

struct sundog_device;
struct sundog_resource;

/* Sizes are rounded up to a quarter of a power of two; see cache_bucket(). */
#define SDOG_CACHE_BUCKETS 64

struct sdog_cache {
   simple_mtx_t lock;
   struct list_head buckets[SDOG_CACHE_BUCKETS];
   /* Oldest first, over all buckets. */
   struct list_head lru;
   uint64_t size;
};

void
sdog_cache_init(struct sdog_cache *cache);
void
sdog_cache_finish(struct sdog_cache *cache);

/* What sdog_cache_put() will take: the size to ask the device for. */
uint64_t
sdog_cache_round(uint64_t size);

/* An idle resource of at least sdog_cache_round(@size) bytes, or NULL. */
struct sundog_resource *
sdog_cache_get(struct sdog_cache *cache, uint64_t size);
/* Takes over @res, whose size came from sdog_cache_round(). The device may still use it, and
 * submissions that are being built may list it. */
void
sdog_cache_put(struct sdog_cache *cache, struct sundog_resource *res, uint64_t size);
/* Free everything; for when the device is out of memory. */
void
sdog_cache_trim(struct sdog_cache *cache);

#endif

/* SPDX-License-Identifier: MIT */
/* The cache of released allocations: see sundog_cache.h. Called from all threads of the process;
 * sdog_cache::lock protects the lists. */
#include "sundog_cache.h"

#include <sundog.h>

#include "sundog_debug.h"
#include "util/os_time.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#define CACHE_LIMIT (128ull << 20)
#define CACHE_MAX_ENTRY (32ull << 20)
#define CACHE_TIMEOUT_NS (2ll * 1000 * 1000 * 1000)
/* An allocation of at least this size is first searched for among the last CACHE_WARM_TRIES
 * released, whose contents may still be in the CPU's caches. */
#define CACHE_WARM_SIZE (256ull << 10)
#define CACHE_WARM_TRIES 4

struct cache_entry {
   struct list_head bucket;
   struct list_head lru;
   struct sdrm_resource *res;
   uint64_t size;
   int64_t since;
};

void
sdog_cache_init(struct sdog_cache *cache)
{
   simple_mtx_init(&cache->lock, mtx_plain);
   list_inithead(&cache->lru);
   for (unsigned i = 0; i < SDOG_CACHE_BUCKETS; i++)
      list_inithead(&cache->buckets[i]);
}

static void
entry_free(struct sdog_cache *cache, struct cache_entry *entry)
{
   list_del(&entry->bucket);
   list_del(&entry->lru);
   cache->size -= entry->size;
   sdrm_resource_del(entry->res);
   FREE(entry);
}

void
sdog_cache_trim(struct sdog_cache *cache)
{
   simple_mtx_lock(&cache->lock);
   list_for_each_entry_safe(struct cache_entry, entry, &cache->lru, lru)
      entry_free(cache, entry);
   simple_mtx_unlock(&cache->lock);
}

void
sdog_cache_finish(struct sdog_cache *cache)
{
   sdog_cache_trim(cache);
   simple_mtx_destroy(&cache->lock);
}

uint64_t
sdog_cache_round(uint64_t size)
{
   uint64_t step;

   size = MAX2(size, SUNDOG_PAGE_SIZE);
   step = MAX2(1ull << util_logbase2_64(size) >> 2, SUNDOG_PAGE_SIZE);
   return align64(size, step);
}

/* Rounded sizes are 4, 5, 6 or 7 times a power of two, so two bits beside the exponent identify
 * them. */
static unsigned
cache_bucket(uint64_t size)
{
   unsigned log2 = util_logbase2_64(size);
   unsigned quarter = size >> (log2 - 2) & 3;

   return MIN2((log2 - util_logbase2(SUNDOG_PAGE_SIZE)) * 4 + quarter, SDOG_CACHE_BUCKETS - 1);
}

/* A submission that is being built holds a reference to the resources it lists. sdrm_bo_wait()
 * does not know of that use yet, so the reference count is checked, too. */
static bool
entry_busy(const struct cache_entry *entry)
{
   return !sdrm_resource_is_unique(entry->res) ||
          sdrm_bo_wait(sdrm_resource_bo(entry->res, 0), true, 0) != 0;
}

static struct cache_entry *
find_oldest(const struct list_head *bucket, uint64_t size)
{
   list_for_each_entry(struct cache_entry, entry, bucket, bucket) {
      if (entry->size != size)
         continue;
      /* The list is in order of release: if this entry is busy, so are the later ones. */
      return entry_busy(entry) ? NULL : entry;
   }
   return NULL;
}

static struct cache_entry *
find_warm(const struct list_head *bucket, uint64_t size)
{
   unsigned tries = size < CACHE_WARM_SIZE ? 0 : CACHE_WARM_TRIES;

   list_for_each_entry_rev(struct cache_entry, entry, bucket, bucket) {
      if (!tries--)
         return NULL;
      if (entry->size == size && !entry_busy(entry))
         return entry;
   }
   return NULL;
}

struct sdrm_resource *
sdog_cache_get(struct sdog_cache *cache, uint64_t size)
{
   struct sdrm_resource *res = NULL;
   struct list_head *bucket;
   struct cache_entry *entry;

   size = sdog_cache_round(size);
   if (size > CACHE_MAX_ENTRY)
      return NULL;
   bucket = &cache->buckets[cache_bucket(size)];
   simple_mtx_lock(&cache->lock);
   entry = find_warm(bucket, size);
   if (!entry)
      entry = find_oldest(bucket, size);
   if (entry) {
      res = sdrm_resource_ref(entry->res);
      entry_free(cache, entry);
   }
   simple_mtx_unlock(&cache->lock);
   return res;
}

void
sdog_cache_put(struct sdog_cache *cache, struct sdrm_resource *res, uint64_t size)
{
   int64_t now = os_time_get_nano();
   struct cache_entry *entry;

   if (size > CACHE_MAX_ENTRY || SDOG_DBG(NO_CACHE) ||
       !(entry = CALLOC_STRUCT(cache_entry))) {
      sdrm_resource_del(res);
      return;
   }
   entry->res = res;
   entry->size = size;
   entry->since = now;
   simple_mtx_lock(&cache->lock);
   list_addtail(&entry->bucket, &cache->buckets[cache_bucket(size)]);
   list_addtail(&entry->lru, &cache->lru);
   cache->size += size;
   list_for_each_entry_safe(struct cache_entry, old, &cache->lru, lru) {
      if (cache->size <= CACHE_LIMIT && now - old->since < CACHE_TIMEOUT_NS)
         break;
      entry_free(cache, old);
   }
   simple_mtx_unlock(&cache->lock);
}

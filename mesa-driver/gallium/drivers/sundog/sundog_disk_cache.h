/* SPDX-License-Identifier: MIT */
/* Mesa's shader cache on disk. */
#ifndef SUNDOG_DISK_CACHE_H
#define SUNDOG_DISK_CACHE_H

struct disk_cache;
struct pipe_screen;
struct sundog_caps;

/* Returns NULL if the cache is disabled or fails. The caller destroys it. */
struct disk_cache *
sdog_disk_cache_create(const struct sundog_caps *caps);

void
sdog_init_disk_cache_functions(struct pipe_screen *pscreen);

#endif

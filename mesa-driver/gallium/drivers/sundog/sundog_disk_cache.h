/* SPDX-License-Identifier: MIT */
/* Mesa's cache of shaders on disk. */
#ifndef SUNDOG_DISK_CACHE_H
#define SUNDOG_DISK_CACHE_H

struct disk_cache;
struct pipe_screen;
struct sundog_caps;

/* NULL if there is none; the caller destroys it. */
struct disk_cache *
sdog_disk_cache_create(const struct sundog_caps *caps);

void
sdog_init_disk_cache_functions(struct pipe_screen *pscreen);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Queries are the renderer's. What they counted is copied to memory of the pool when a command buffer that ended them
 * is at its end, for the CPU to read: first the words of all queries, 8 bytes each, then 4 bytes each that say
 * whether they are there.
 */
#ifndef SDVK_QUERY_H
#define SDVK_QUERY_H

#include <sundog.h>

#include "util/u_dynarray.h"
#include "vk_query_pool.h"

struct sdvk_cmd_buffer;

struct sdvk_query_pool {
   struct vk_query_pool vk;
   uint32_t id;
   uint32_t words; /* of a result */
   uint32_t taken; /* of the device's n_queries */
   struct sundog_bo *bo;
   char *map;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_query_pool, vk.base, VkQueryPool, VK_OBJECT_TYPE_QUERY_POOL)

/* Queries that a command buffer has ended and not copied yet. */
struct sdvk_ended_queries {
   struct sdvk_query_pool *pool;
   uint32_t first, count;
};

/* Copy those that ended, outside a rendering. */
void
sdvk_cmd_copy_ended_queries(struct sdvk_cmd_buffer *cmd);

#endif

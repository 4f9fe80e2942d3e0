/* SPDX-License-Identifier: MIT */
/*
 * VkQueryPool. The renderer counts; a command buffer that ended queries copies their results at its
 * end to memory of the pool, where the CPU reads them. The memory has the result words of all
 * queries, 8 bytes each, then 4 bytes for each query that say whether the result is available. The
 * pool owns the memory.
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
   uint32_t words; /* number of words of a result */
   uint32_t taken; /* taken from the device's n_queries */
   struct sdrm_bo *bo;
   char *map;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_query_pool, vk.base, VkQueryPool, VK_OBJECT_TYPE_QUERY_POOL)

/* Queries that a command buffer has ended and whose results it has not copied yet. */
struct sdvk_ended_queries {
   struct sdvk_query_pool *pool;
   uint32_t first, count;
};

/* Copies the results of ended queries. Called outside of a rendering. */
void
sdvk_cmd_copy_ended_queries(struct sdvk_cmd_buffer *cmd);

#endif

// SPDX-License-Identifier: MIT
/*
 * VRAM and the allocation table of a direct device. See sundog_direct.h.
 *
 * Memory of a deleted BO stays in the table until the last submission that listed it is done,
 * because the worker checks the generation when it starts a submission. New memory reads as zero;
 * pages that were never allocated need no clear.
 */
#include "sundog_direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Bytes from which punching a hole is cheaper than writing zeros. */
#define PUNCH_SIZE (16u << 20)
/* Freed entries that direct_reap() looks at. */
#define REAP_FEW 16

/* Allocations; the caller holds dev->lock, except for direct_alloc() and clear() */

static void table_set(struct direct_device *direct, const struct sdrm_bo *bo)
{
	struct sundog_alloc_entry *entry = &direct->table[bo->handle];

	entry->size = bo->size;
	entry->heap = SUNDOG_HEAP_VRAM;
	entry->flags = 0;
	entry->n_runs = 1;
	entry->run_list = 0;
	entry->offset = sdrm_vram_page(bo->direct.block) * SUNDOG_PAGE_SIZE;
	entry->birth = bo->direct.generation;
	__atomic_store_n(&entry->generation, bo->direct.generation, __ATOMIC_RELEASE);
}

static void release(struct direct_device *direct, uint32_t handle, struct sdrm_vram_block *block)
{
	__atomic_store_n(&direct->table[handle].generation, 0, __ATOMIC_RELEASE);
	sdrm_ids_del(&direct->handles, handle);
	sdrm_vram_del(&direct->space, block);
}

static int bo_alloc(struct direct_device *direct, struct sdrm_bo *bo)
{
	uint64_t used;

	bo->handle = sdrm_ids_new(&direct->handles);
	if (!bo->handle)
		return -ENOSPC;
	bo->direct.block = sdrm_vram_new(&direct->space, bo->size / SUNDOG_PAGE_SIZE, &used);
	if (!bo->direct.block) {
		sdrm_ids_del(&direct->handles, bo->handle);
		return -ENOSPC;
	}
	bo->direct.generation = ++direct->generation;
	bo->direct.dirty = used * SUNDOG_PAGE_SIZE;
	bo->mem = (struct sundog_mem){ 0, bo->handle };
	table_set(direct, bo);
	return 0;
}

static void bos_release(struct direct_device *direct, struct sdrm_bo **bos, uint32_t count)
{
	while (count--)
		release(direct, bos[count]->handle, bos[count]->direct.block);
}

static int bos_alloc(struct direct_device *direct, struct sdrm_bo **bos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int ret = bo_alloc(direct, bos[i]);

		if (ret) {
			bos_release(direct, bos, i);
			return ret;
		}
	}
	return 0;
}

/* Frees the idle ones of the first @few freed entries. Returns true if none is left, else @busy and
 * @seqno are a use of one that is busy. */
static bool reap(struct direct_device *direct, uint32_t few, struct sdrm_use *busy,
		 uint64_t *seqno)
{
	struct direct_freed **at = &direct->freed;

	while (*at && few--) {
		struct direct_freed *freed = *at;

		if (sdrm_use_busy(&direct->base, &freed->uses, true, busy, seqno)) {
			at = &freed->next;
			continue;
		}
		*at = freed->next;
		if (!*at)
			direct->freed_end = at;
		release(direct, freed->handle, freed->block);
		free(freed->uses.more);
		free(freed);
	}
	return !direct->freed;
}

void direct_reap(struct direct_device *direct)
{
	struct sdrm_use busy;
	uint64_t seqno;

	if (direct->freed)
		reap(direct, REAP_FEW, &busy, &seqno);
}

/* Gives the BOs the lowest free indices of the resource. */
static void name_bos(struct sdrm_resource *res, struct sdrm_bo **bos, uint32_t count)
{
	uint32_t index = 0;

	for (uint32_t i = 0; i < count; i++, index++) {
		while (index < res->n_bos && res->bos[index] && res->bos[index] != bos[i])
			index++;
		bos[i]->mem = (struct sundog_mem){ res->kres, index };
	}
}

/* Gives the resource a kres with its first allocations. */
static int name_resource(struct direct_device *direct, struct sdrm_resource *res)
{
	if (!res->kres)
		res->kres = sdrm_ids_new(&direct->kres);
	return res->kres ? 0 : -ENOMEM;
}

static void clear(struct direct_device *direct, const struct sdrm_bo *bo)
{
	const uint64_t offset = sdrm_vram_page(bo->direct.block) * SUNDOG_PAGE_SIZE;

	if (bo->direct.dirty >= PUNCH_SIZE &&
	    !fallocate(direct->vram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
		       bo->direct.dirty))
		return;
	memset(direct->vram + offset, 0, bo->direct.dirty);
}

/* Allocates, and while VRAM is full waits for freed memory to become idle, oldest first, with
 * dev->lock dropped. */
static int bos_alloc_wait(struct direct_device *direct, struct sdrm_bo **bos, uint32_t count)
{
	struct sdrm_use busy;
	bool all_idle = false;
	uint64_t seqno;
	int ret;

	direct_reap(direct);
	while ((ret = bos_alloc(direct, bos, count)) && !all_idle) {
		all_idle = reap(direct, UINT32_MAX, &busy, &seqno);
		if (all_idle)
			continue;
		sdrm_unlock(&direct->base.lock);
		direct_use_wait(direct, &busy, seqno, SDRM_FOREVER);
		sdrm_lock(&direct->base.lock);
	}
	return ret;
}

int direct_alloc(struct sdrm_device *dev, struct sdrm_resource *res, struct sdrm_bo **bos,
		 uint32_t count)
{
	struct direct_device *direct = to_direct(dev);
	int ret;

	if (res && res->kres && res->flags & SDRM_RESOURCE_SHARED)
		return -EBUSY;
	sdrm_lock(&dev->lock);
	ret = bos_alloc_wait(direct, bos, count);
	if (!ret && res) {
		ret = name_resource(direct, res);
		if (ret)
			bos_release(direct, bos, count);
		else
			name_bos(res, bos, count);
	}
	sdrm_unlock(&dev->lock);
	for (uint32_t i = 0; !ret && i < count; i++)
		clear(direct, bos[i]);
	return ret;
}

/* Frees the memory of a BO, now if it is idle, else in a later reap(). */
static void give_up(struct direct_device *direct, struct sdrm_bo *bo)
{
	struct direct_freed *freed;
	struct sdrm_use busy;
	uint64_t seqno;

	if (!sdrm_use_busy(&direct->base, &bo->uses, true, &busy, &seqno)) {
		release(direct, bo->handle, bo->direct.block);
		bo->handle = 0;
		return;
	}
	freed = malloc(sizeof(*freed));
	if (!freed)
		return;		/* leaks the memory until the device is closed, no more */
	*freed = (struct direct_freed){
		.uses = bo->uses,
		.block = bo->direct.block,
		.handle = bo->handle,
	};
	bo->uses = (struct sdrm_uses){ 0 };
	bo->handle = 0;
	*direct->freed_end = freed;
	direct->freed_end = &freed->next;
}

int direct_dealloc(struct sdrm_device *dev, struct sdrm_resource *res, struct sdrm_bo **bos,
		   uint32_t count)
{
	struct direct_device *direct = to_direct(dev);

	(void)res;
	sdrm_lock(&dev->lock);
	for (uint32_t i = 0; i < count; i++)
		give_up(direct, bos[i]);
	direct_reap(direct);
	sdrm_unlock(&dev->lock);
	return 0;
}

int direct_resource_new(struct sdrm_resource *res, const void *priv, size_t priv_size)
{
	(void)priv, (void)priv_size;
	return res->n_bos ? direct_alloc(res->dev, res, res->bos, res->n_bos) : 0;
}

void direct_resource_fini(struct sdrm_resource *res)
{
	struct direct_device *direct = to_direct(res->dev);

	sdrm_lock(&direct->base.lock);
	for (uint32_t i = 0; i < res->n_bos; i++) {
		if (res->bos[i])
			give_up(direct, res->bos[i]);
	}
	if (res->kres)
		sdrm_ids_del(&direct->kres, res->kres);
	sdrm_unlock(&direct->base.lock);
}

/* All of VRAM is mapped from the start. */
void *direct_bo_map(struct sdrm_bo *bo)
{
	struct direct_device *direct = to_direct(bo->dev);
	char *map = direct->vram + sdrm_vram_page(bo->direct.block) * SUNDOG_PAGE_SIZE;

	atomic_store_explicit(&bo->map, map, memory_order_release);
	return map;
}

int direct_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns)
{
	struct direct_device *direct = to_direct(bo->dev);
	struct sdrm_use busy;
	uint64_t seqno;
	int ret = 0;

	while (!ret) {
		sdrm_lock(&direct->base.lock);
		if (!sdrm_use_busy(&direct->base, &bo->uses, write, &busy, &seqno)) {
			sdrm_unlock(&direct->base.lock);
			return 0;
		}
		sdrm_unlock(&direct->base.lock);
		ret = direct_use_wait(direct, &busy, seqno, timeout_ns);
	}
	return ret;
}

void direct_memory_fini(struct direct_device *direct)
{
	for (struct direct_freed *freed = direct->freed, *next; freed; freed = next) {
		next = freed->next;
		free(freed->uses.more);
		free(freed);
	}
	sdrm_vram_fini(&direct->space);
}

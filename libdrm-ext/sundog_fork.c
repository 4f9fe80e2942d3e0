// SPDX-License-Identifier: MIT
/*
 * Protects the devices of a process from its forked children, with handlers of pthread_atfork().
 *
 * The channels, shared mappings and handles of a device belong to the parent: a child that submits,
 * or frees its copies of objects (as exit handlers do), would do that to the parent's device. So in
 * the child the devices that existed at the fork get operations that do nothing, shared mappings
 * are replaced by private zeroed memory, and their DRM file by a pipe: code that uses the
 * descriptor's number, as the Vulkan runtime does, gets errors. Files of a direct device, whose
 * numbers nobody else knows, are closed. The child may open new devices.
 *
 * Only the handlers trust the numbers of files: later the child may have closed all files, as
 * daemons do, and have opened its own.
 *
 * EGL and Vulkan open a device before they need one, and keep it. A child in which nothing of the
 * parent's device is left, because there was no object or because the child deleted its copies,
 * connects to it anew with the first object that it creates: see sdrm_device_connect().
 *
 * The child has no other threads, so a mutex that one of them held would stay locked: the child
 * initializes every struct sdrm_lock again. The parent holds the device locks across the fork,
 * because the child frees the data that they guard, which must be consistent. No device lock is
 * held for long, or while fork_lock is taken.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Guards the lists of devices, locks and mappings; held across a fork, outside of device locks. */
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sdrm_link devices = { &devices, &devices }, locks = { &locks, &locks },
			  maps = { &maps, &maps };
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Held while a child connects a device anew, and across a fork; taken before fork_lock. */
static pthread_mutex_t connect_lock = PTHREAD_MUTEX_INITIALIZER;

static void no_device_fini(struct sdrm_device *dev)
{
	(void)dev;
}

static int no_resource_new(struct sdrm_resource *res, const void *priv, size_t priv_size)
{
	(void)res, (void)priv, (void)priv_size;
	return -ENODEV;
}

static int no_resource_open(struct sdrm_device *dev, int fd, uint32_t *index,
			    struct sdrm_resource **out)
{
	(void)dev, (void)fd, (void)index, (void)out;
	return -ENODEV;
}

static void no_resource_fini(struct sdrm_resource *res)
{
	(void)res;
}

static int no_alloc(struct sdrm_device *dev, struct sdrm_resource *res, struct sdrm_bo **bos,
		    uint32_t count)
{
	(void)dev, (void)res, (void)bos, (void)count;
	return -ENODEV;
}

static int no_dealloc(struct sdrm_device *dev, struct sdrm_resource *res,
		      struct sdrm_bo **bos, uint32_t count)
{
	(void)dev, (void)res, (void)bos, (void)count;
	return 0;
}

static int no_bo_import(struct sdrm_device *dev, int fd, struct sdrm_bo **out)
{
	(void)dev, (void)fd, (void)out;
	return -ENODEV;
}

static int no_bo_from_gem(struct sdrm_device *dev, uint32_t handle, struct sdrm_bo **out)
{
	(void)dev, (void)handle, (void)out;
	return -ENODEV;
}

static uint32_t no_bo_gem(struct sdrm_bo *bo)
{
	(void)bo;
	return 0;
}

static void *no_bo_map(struct sdrm_bo *bo)
{
	(void)bo;
	return NULL;
}

static int no_bo_export(struct sdrm_bo *bo)
{
	(void)bo;
	return -ENODEV;
}

static int no_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns)
{
	(void)bo, (void)write, (void)timeout_ns;
	return 0;
}

static uint64_t no_vram_free(struct sdrm_device *dev)
{
	(void)dev;
	return 0;
}

static int no_context_init(struct sdrm_context *ctx)
{
	(void)ctx;
	return -ENODEV;
}

static void no_context_fini(struct sdrm_context *ctx)
{
	(void)ctx;
}

/* Not lost: the child must not report a lost context or create another one. */
static bool no_context_is_lost(struct sdrm_context *ctx)
{
	(void)ctx;
	return false;
}

static int no_context_query(struct sdrm_context *ctx, struct sdrm_context_status *status)
{
	(void)ctx;
	*status = (struct sdrm_context_status){ 0 };
	return 0;
}

static int no_reslist_init(struct sdrm_reslist *list)
{
	(void)list;
	return -ENODEV;
}

static void no_reslist_fini(struct sdrm_reslist *list)
{
	(void)list;
}

static int no_reslist_set(struct sdrm_reslist *list, struct sdrm_bo *bo, uint32_t access)
{
	(void)list, (void)bo, (void)access;
	return 0;
}

static int no_submit(struct sdrm_submit *submit, int in_fence_fd,
		     const struct sdrm_syncs *syncs, struct sdrm_point *at)
{
	(void)in_fence_fd, (void)syncs;
	*at = submit->ctx->last;
	return 0;
}

static int no_point_wait(struct sdrm_context *ctx, const struct sdrm_point *at,
			 int64_t timeout_ns)
{
	(void)ctx, (void)at, (void)timeout_ns;
	return 0;
}

static int no_fence_export(struct sdrm_fence *fence)
{
	(void)fence;
	return -ENODEV;
}

static const struct sdrm_ops no_ops = {
	.device_fini = no_device_fini,
	.resource_new = no_resource_new,
	.resource_open = no_resource_open,
	.resource_fini = no_resource_fini,
	.alloc = no_alloc,
	.dealloc = no_dealloc,
	.bo_import = no_bo_import,
	.bo_from_gem = no_bo_from_gem,
	.bo_gem = no_bo_gem,
	.bo_map = no_bo_map,
	.bo_export = no_bo_export,
	.bo_wait = no_bo_wait,
	.vram_free = no_vram_free,
	.context_init = no_context_init,
	.context_fini = no_context_fini,
	.context_is_lost = no_context_is_lost,
	.context_query = no_context_query,
	.reslist_init = no_reslist_init,
	.reslist_fini = no_reslist_fini,
	.reslist_set = no_reslist_set,
	.submit = no_submit,
	.point_wait = no_point_wait,
	.fence_export = no_fence_export,
};

static void link_add(struct sdrm_link *list, struct sdrm_link *link)
{
	link->prev = list;
	link->next = list->next;
	list->next->prev = link;
	list->next = link;
}

static void link_del(struct sdrm_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->next = NULL;
}

static struct sdrm_device *device_of(struct sdrm_link *link)
{
	return (struct sdrm_device *)((char *)link - offsetof(struct sdrm_device, link));
}

static void before_fork(void)
{
	pthread_mutex_lock(&connect_lock);
	pthread_mutex_lock(&fork_lock);
	for (struct sdrm_link *link = devices.next; link != &devices; link = link->next)
		sdrm_lock(&device_of(link)->lock);
}

static void in_parent(void)
{
	for (struct sdrm_link *link = devices.next; link != &devices; link = link->next)
		sdrm_unlock(&device_of(link)->lock);
	pthread_mutex_unlock(&fork_lock);
	pthread_mutex_unlock(&connect_lock);
}

/*
 * Replaces the DRM file of @dev by a pipe, and remembers the pipe's identity. The number must stay
 * in use, or the next file that the child opens would get it. Unlike an eventfd a pipe has an
 * inode of its own, and unlike a memfd it cannot be mapped.
 */
static void disconnect(struct sdrm_device *dev)
{
	struct stat st;
	int ends[2];

	dev->held = (struct sdrm_file){ 0 };
	if (dev->fd < 0)
		return;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		close(dev->fd);
		return;
	}
	if (dup3(ends[0], dev->fd, O_CLOEXEC) >= 0 && !fstat(dev->fd, &st))
		dev->held = (struct sdrm_file){ st.st_dev, st.st_ino };
	close(ends[0]);
	close(ends[1]);
}

/* Replaces a shared mapping by private memory. A mapping that cannot be replaced is unmapped. */
static void replace(const struct sdrm_shared_map *map)
{
	if (mmap(map->at, map->size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		munmap(map->at, map->size);
}

/* Remembers the device node, by which a child opens the device again. */
static dev_t node_of(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_rdev : 0;
}

static void in_child(void)
{
	for (struct sdrm_link *link = devices.next; link != &devices; link = link->next) {
		struct sdrm_device *dev = device_of(link);

		dev->node = node_of(dev->fd);
		atomic_store(&dev->inherited, dev->ops);
		if (dev->ops->in_child)
			dev->ops->in_child(dev);
		dev->ops = &no_ops;
		disconnect(dev);
	}
	for (struct sdrm_link *link = locks.next; link != &locks; link = link->next)
		pthread_mutex_init(&((struct sdrm_lock *)link)->mutex, NULL);
	for (struct sdrm_link *link = maps.next; link != &maps; link = link->next)
		replace((struct sdrm_shared_map *)link);
	devices = (struct sdrm_link){ &devices, &devices };
	maps = (struct sdrm_link){ &maps, &maps };
	pthread_mutex_init(&fork_lock, NULL);
	pthread_mutex_init(&connect_lock, NULL);
}

/* Returns true if the parent's device has no object any more that this process knows. */
static bool is_unused(struct sdrm_device *dev)
{
	return atomic_load(&dev->refs) == 1 && sdrm_ids_unused(&dev->objects);
}

/* Connects @dev again. The renderer may have been replaced meanwhile: code that uses the device
 * relies on the capabilities that it has read. Returns 0 or -errno. */
static int connect_again(struct sdrm_device *dev)
{
	const struct sdrm_ops *ops = atomic_load(&dev->inherited);
	int ret;

	if (!is_unused(dev))
		return -ENODEV;
	memset(dev->timelines, 0, sizeof(dev->timelines));
	ret = ops->reopen(dev);
	if (ret)
		return ret;
	dev->ops = ops;
	sdrm_fork_add(dev);
	return 0;
}

/* Moves @fd to the number of @dev's file if that number is free. Closes @fd if it fails. */
static int take_free_number(struct sdrm_device *dev, int fd)
{
	int number = fcntl(fd, F_DUPFD_CLOEXEC, dev->fd);
	int ret = number < 0 ? -errno : 0;

	close(fd);
	if (number >= 0 && number != dev->fd) {
		close(number);
		ret = -ENODEV;
	}
	return ret;
}

int sdrm_fork_replace(struct sdrm_device *dev, int fd)
{
	struct stat st;
	int ret = 0;

	if (fd == dev->fd)
		return 0;
	if (fstat(dev->fd, &st))
		return take_free_number(dev, fd);
	if (!dev->held.ino || st.st_dev != dev->held.dev || st.st_ino != dev->held.ino)
		ret = -ENODEV;
	else if (dup3(fd, dev->fd, O_CLOEXEC) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int sdrm_fork_connect(struct sdrm_device *dev)
{
	int ret = 0;

	pthread_mutex_lock(&connect_lock);
	if (atomic_load(&dev->inherited)) {
		ret = connect_again(dev);
		if (!ret)
			atomic_store(&dev->inherited, NULL);
	}
	pthread_mutex_unlock(&connect_lock);
	return ret;
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

void sdrm_lock_init(struct sdrm_lock *lock)
{
	pthread_once(&once, watch_forks);
	pthread_mutex_init(&lock->mutex, NULL);
	pthread_mutex_lock(&fork_lock);
	link_add(&locks, &lock->link);
	pthread_mutex_unlock(&fork_lock);
}

void sdrm_lock_fini(struct sdrm_lock *lock)
{
	pthread_mutex_lock(&fork_lock);
	link_del(&lock->link);
	pthread_mutex_unlock(&fork_lock);
	pthread_mutex_destroy(&lock->mutex);
}

void sdrm_lock(struct sdrm_lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
}

void sdrm_unlock(struct sdrm_lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}

void sdrm_fork_add(struct sdrm_device *dev)
{
	pthread_mutex_lock(&fork_lock);
	link_add(&devices, &dev->link);
	pthread_mutex_unlock(&fork_lock);
}

void sdrm_fork_remove(struct sdrm_device *dev)
{
	pthread_mutex_lock(&fork_lock);
	link_del(&dev->link);
	pthread_mutex_unlock(&fork_lock);
}

void sdrm_fork_close(int *fd)
{
	int old;

	pthread_mutex_lock(&fork_lock);
	old = *fd;
	*fd = -1;
	pthread_mutex_unlock(&fork_lock);
	if (old >= 0)
		close(old);
}

bool sdrm_fork_publish_map(struct sdrm_shared_map *map, void *_Atomic *place, void **at,
			   size_t size)
{
	void *expected = NULL;
	bool first;

	pthread_mutex_lock(&fork_lock);
	first = atomic_compare_exchange_strong(place, &expected, *at);
	if (first) {
		map->at = *at;
		map->size = size;
		link_add(&maps, &map->link);
	} else {
		*at = expected;
	}
	pthread_mutex_unlock(&fork_lock);
	return first;
}

void sdrm_fork_add_map(struct sdrm_shared_map *map, void *at, size_t size)
{
	map->at = at;
	map->size = size;
	pthread_mutex_lock(&fork_lock);
	link_add(&maps, &map->link);
	pthread_mutex_unlock(&fork_lock);
}

void sdrm_fork_remove_map(struct sdrm_shared_map *map)
{
	pthread_mutex_lock(&fork_lock);
	if (map->link.next)
		link_del(&map->link);
	pthread_mutex_unlock(&fork_lock);
}

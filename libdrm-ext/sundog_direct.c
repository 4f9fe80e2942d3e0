// SPDX-License-Identifier: MIT
/*
 * The device of the direct back end: connection, messages, mappings. See sundog_direct.h.
 */
#include "sundog_direct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_VRAM (1ull << 30)
#define MAX_FDS DIRECT_MEMORIES

union message {
	struct sundog_message header;
	struct sundog_message_welcome welcome;
	struct sundog_message_channel_state state;
	struct sundog_message_error error;
};

union fd_space {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
};

int direct_send(struct direct_device *direct, const void *message, size_t size, const int *fds,
		int count)
{
	union fd_space space;
	struct iovec iov = { .iov_base = (void *)message, .iov_len = size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t ret;

	if (count) {
		space.header = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(count * sizeof(int)),
		};
		memcpy(CMSG_DATA(&space.header), fds, count * sizeof(int));
		msg.msg_control = &space;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	do {
		ret = sendmsg(direct->base.socket, &msg, MSG_NOSIGNAL);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* Receives one message; its file descriptors go to @fds, -1 for none. Returns its size or
 * -errno. */
static ssize_t receive(struct direct_device *direct, union message *message, int fds[MAX_FDS],
		       int flags)
{
	union fd_space space;
	struct iovec iov = { .iov_base = message, .iov_len = sizeof(*message) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *cmsg;
	ssize_t size;

	do {
		size = recvmsg(direct->base.socket, &msg, MSG_CMSG_CLOEXEC | flags);
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	memset(fds, -1, MAX_FDS * sizeof(int));
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(cmsg), cmsg->cmsg_len - CMSG_LEN(0));
	if (!size)
		return -ECONNRESET;
	if ((size_t)size < sizeof(message->header) || message->header.size != size)
		return -EPROTO;
	return size;
}

static void close_fds(const int fds[MAX_FDS])
{
	for (int i = 0; i < MAX_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static void handle(struct direct_device *direct, const union message *message, ssize_t size)
{
	if (message->header.type == SUNDOG_MESSAGE_CHANNEL_STATE &&
	    size == sizeof(message->state))
		direct_channel_set(direct, &message->state);
	else if (message->header.type == SUNDOG_MESSAGE_ERROR && size == sizeof(message->error))
		fprintf(stderr, "libdrm_sundog: the renderer says: %.*s\n",
			(int)sizeof(message->error.text), message->error.text);
}

void direct_receive(struct direct_device *direct)
{
	union message message;
	int fds[MAX_FDS];
	ssize_t size;

	pthread_mutex_lock(&direct->message_lock);
	while (!direct->lost) {
		size = receive(direct, &message, fds, MSG_DONTWAIT);
		if (size == -EAGAIN)
			break;
		if (size < 0) {
			direct->lost = true;
			direct_channels_lost(direct);
			break;
		}
		close_fds(fds);
		handle(direct, &message, size);
	}
	pthread_mutex_unlock(&direct->message_lock);
}

static int connect_to(struct direct_device *direct, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	direct->base.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (direct->base.socket < 0)
		return -errno;
	if (!connect(direct->base.socket, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	/* The renderer's socket for QEMU is a SOCK_STREAM. */
	if (errno == EPROTOTYPE)
		fprintf(stderr, "libdrm_sundog: %s is a socket for QEMU (--chardev of "
			"sundog-renderd), use that of --socket\n", path);
	return -errno;
}

static int map_memory(struct sdrm_shared_map *shared, int fd, uint64_t size, void *out)
{
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) || (uint64_t)st.st_size < size)
		return -EPROTO;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	memcpy(out, &map, sizeof(map));
	sdrm_fork_add_map(shared, map, size);
	return 0;
}

static int map_memories(struct direct_device *direct, const int fds[MAX_FDS])
{
	const uint64_t table = SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
	const uint64_t segments = SUNDOG_MAX_CHANNELS * (uint64_t)SUNDOG_CHANNEL_SIZE;
	int ret = map_memory(&direct->shared[0], fds[0], direct->base.vram_size, &direct->vram);

	if (!ret)
		ret = map_memory(&direct->shared[1], fds[1], table, &direct->table);
	if (!ret)
		ret = map_memory(&direct->shared[2], fds[2], segments, &direct->segments);
	return ret;
}

/* Handles the answer to HELLO. Takes over the first of @fds, of VRAM, and sets it to -1. */
static int welcome(struct direct_device *direct, const union message *message, ssize_t size,
		   int fds[MAX_FDS])
{
	int ret;

	if (message->header.type == SUNDOG_MESSAGE_ERROR) {
		handle(direct, message, size);
		return -ECONNABORTED;
	}
	if (message->header.type != SUNDOG_MESSAGE_WELCOME || size != sizeof(message->welcome))
		return -EPROTO;
	direct->base.caps = message->welcome.caps;
	direct->base.vram_size = message->welcome.vram_size;
	if (direct->base.caps.version >> 16 != SUNDOG_VERSION_MAJOR)
		return sdrm_version_differs("the renderer's protocol is",
					    direct->base.caps.version >> 16,
					    direct->base.caps.version & 0xffff,
					    SUNDOG_VERSION_MAJOR);
	ret = map_memories(direct, fds);
	direct->vram_fd = fds[0];
	fds[0] = -1;
	return ret;
}

static int greet(struct direct_device *direct, uint64_t vram_size)
{
	const struct sundog_message_hello hello = {
		.header = { .type = SUNDOG_MESSAGE_HELLO, .size = sizeof(hello) },
		.magic = SUNDOG_MAGIC,
		.version = SUNDOG_VERSION,
		.role = SUNDOG_ROLE_DIRECT,
		.vram_size = vram_size,
	};
	union message message;
	int fds[MAX_FDS];
	ssize_t size;
	int ret = direct_send(direct, &hello, sizeof(hello), NULL, 0);

	/*
	 * A renderer that refuses may close the connection before it reads HELLO. Linux then
	 * reports ECONNRESET once, before the reason that the renderer has sent.
	 */
	size = receive(direct, &message, fds, 0);
	if (size == -ECONNRESET)
		size = receive(direct, &message, fds, 0);
	if (size < 0)
		return ret ? ret : size;
	ret = welcome(direct, &message, size, fds);
	close_fds(fds);
	return ret;
}

static void unmap(void *map, uint64_t size)
{
	if (map)
		munmap(map, size);
}

/* Frees what open_connection() made, also if it failed. */
static void close_connection(struct direct_device *direct)
{
	sdrm_fork_close(&direct->base.socket);
	sdrm_fork_close(&direct->vram_fd);
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++)
		direct_channel_fini(&direct->channels[slot]);
	direct_memory_fini(direct);
	for (uint32_t i = 0; i < MAX_FDS; i++)
		sdrm_fork_remove_map(&direct->shared[i]);
	unmap(direct->vram, direct->base.vram_size);
	unmap(direct->table, SUNDOG_TABLE_ENTRIES * sizeof(*direct->table));
	unmap(direct->segments, SUNDOG_MAX_CHANNELS * (uint64_t)SUNDOG_CHANNEL_SIZE);
	sdrm_ids_fini(&direct->handles);
	sdrm_ids_fini(&direct->kres);
	pthread_mutex_destroy(&direct->message_lock);
}

/* Sets what belongs to a connection to the state before open_connection(). */
static void init_connection(struct direct_device *direct)
{
	pthread_mutex_init(&direct->message_lock, NULL);
	direct->lost = false;
	direct->client = 1;
	direct->client_ended = false;
	direct->vram_fd = -1;
	direct->vram = direct->segments = NULL;
	direct->table = NULL;
	memset(direct->shared, 0, sizeof(direct->shared));
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++)
		direct_channel_init(direct, slot);
	direct->space = (struct sdrm_vram){ 0 };
	sdrm_ids_init(&direct->handles, SUNDOG_TABLE_ENTRIES);
	sdrm_ids_init(&direct->kres, UINT32_MAX);
	direct->generation = 0;
	direct->freed = NULL;
	direct->freed_end = &direct->freed;
	direct->order = 0;
	direct->named_client = 0;
}

static void direct_device_fini(struct sdrm_device *dev)
{
	struct direct_device *direct = to_direct(dev);

	close_connection(direct);
	sdrm_device_fini(dev);
	free(direct->path);
	free(direct);
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void direct_in_child(struct sdrm_device *dev)
{
	struct direct_device *direct = to_direct(dev);

	close_file(&dev->socket);
	close_file(&direct->vram_fd);
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++)
		direct_channel_close(&direct->channels[slot]);
}

static int direct_reopen(struct sdrm_device *dev);

/* Import and export fail: connections do not share memory with each other. */

static int direct_resource_open(struct sdrm_device *dev, int fd, uint32_t *index,
				struct sdrm_resource **out)
{
	(void)dev, (void)fd, (void)index, (void)out;
	return -EOPNOTSUPP;
}

static int direct_bo_import(struct sdrm_device *dev, int fd, struct sdrm_bo **out)
{
	(void)dev, (void)fd, (void)out;
	return -EOPNOTSUPP;
}

static int direct_bo_from_gem(struct sdrm_device *dev, uint32_t handle, struct sdrm_bo **out)
{
	(void)dev, (void)handle, (void)out;
	return -EOPNOTSUPP;
}

static int direct_bo_export(struct sdrm_bo *bo)
{
	(void)bo;
	return -EOPNOTSUPP;
}

static int direct_fence_export(struct sdrm_fence *fence)
{
	(void)fence;
	return -EOPNOTSUPP;
}

static uint32_t direct_bo_gem(struct sdrm_bo *bo)
{
	(void)bo;
	return 0;
}

static uint64_t direct_vram_free(struct sdrm_device *dev)
{
	struct direct_device *direct = to_direct(dev);
	uint64_t pages;

	sdrm_lock(&dev->lock);
	pages = direct->space.unused;
	sdrm_unlock(&dev->lock);
	return pages * SUNDOG_PAGE_SIZE;
}

static const struct sdrm_ops direct_ops = {
	.device_fini = direct_device_fini,
	.in_child = direct_in_child,
	.reopen = direct_reopen,
	.resource_new = direct_resource_new,
	.resource_open = direct_resource_open,
	.resource_fini = direct_resource_fini,
	.alloc = direct_alloc,
	.dealloc = direct_dealloc,
	.bo_import = direct_bo_import,
	.bo_from_gem = direct_bo_from_gem,
	.bo_gem = direct_bo_gem,
	.bo_map = direct_bo_map,
	.bo_export = direct_bo_export,
	.bo_wait = direct_bo_wait,
	.vram_free = direct_vram_free,
	.context_init = direct_context_init,
	.context_fini = direct_context_fini,
	.context_is_lost = direct_context_is_lost,
	.context_query = direct_context_query,
	.submit = direct_submit,
	.point_wait = direct_point_wait,
	.fence_export = direct_fence_export,
};

static int open_connection(struct direct_device *direct)
{
	int ret = connect_to(direct, direct->path);

	if (!ret)
		ret = greet(direct, direct->vram_wanted);
	if (!ret && sdrm_vram_init(&direct->space, direct->base.vram_size / SUNDOG_PAGE_SIZE))
		ret = -ENOMEM;
	for (uint32_t slot = 0; !ret && slot < SUNDOG_MAX_CHANNELS; slot++)
		direct_channel_map(direct, slot);
	return ret;
}

/*
 * Makes the parent's connection one that close_connection() can close. Its mappings are in no list
 * any more, and threads of the parent may have held or waited for locks and conditions.
 */
static void adopt_connection(struct direct_device *direct)
{
	memset(direct->shared, 0, sizeof(direct->shared));
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++)
		direct_channel_init(direct, slot);
	pthread_mutex_init(&direct->message_lock, NULL);
}

static int direct_reopen(struct sdrm_device *dev)
{
	struct direct_device *direct = to_direct(dev);
	const struct sundog_caps caps = dev->caps;
	const uint64_t vram_size = dev->vram_size;
	int ret;

	adopt_connection(direct);
	close_connection(direct);
	init_connection(direct);
	ret = open_connection(direct);
	if (!ret && !sdrm_device_is(dev, &caps, vram_size))
		ret = -ENODEV;
	if (!ret)
		return 0;
	close_connection(direct);
	init_connection(direct);
	dev->caps = caps;
	dev->vram_size = vram_size;
	return ret;
}

/* Makes the path absolute, if the directory has a path: a child may change its directory before it
 * connects. */
static int keep_path(struct direct_device *direct)
{
	char *here, *path;
	int ret;

	if (direct->path[0] == '/')
		return 0;
	here = getcwd(NULL, 0);
	if (!here)
		return 0;
	ret = asprintf(&path, "%s/%s", here, direct->path);
	free(here);
	if (ret < 0)
		return -ENOMEM;
	free(direct->path);
	direct->path = path;
	return 0;
}

SUNDOG_PUBLIC struct sdrm_device *sdrm_device_new_direct(const char *path, uint64_t vram_size)
{
	struct direct_device *direct = calloc(1, sizeof(*direct));
	int ret;

	if (!direct)
		return NULL;
	/* A forked child closes the files that a device of the list has. */
	init_connection(direct);
	sdrm_device_init(&direct->base, &direct_ops);
	direct->base.max_list = SUNDOG_LIST_ENTRIES;
	direct->vram_wanted = vram_size ? vram_size : DEFAULT_VRAM;
	direct->path = strdup(path);
	ret = direct->path ? open_connection(direct) : -ENOMEM;
	if (!ret)
		ret = keep_path(direct);
	if (ret) {
		direct_device_fini(&direct->base);
		errno = -ret;
		return NULL;
	}
	return &direct->base;
}

// SPDX-License-Identifier: MIT
/*
 * The broker's mmap filter, see mmap_filter.h: answers the seccomp notifications of sealed workers.
 * renderer/model.py reads the tables of steps.
 */
#define _GNU_SOURCE
#include "broker/mmap_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "broker/access_table.h"
#include "broker/broker.h"
#include "broker/client.h"
#include "broker/connection.h"
#include "broker/process.h"
#include "broker/spawn.h"
#include "ipc/file.h"
#include "ipc/log.h"

/* Indices of mmap_filter.fds. */
enum { VRAM, GUEST, CHANNELS, STATUS };

/* The arguments of an mmap() of a worker. */
struct request {
	uint64_t id;
	uint64_t size, prot, flags, offset;
	uint32_t fd, handle;
};

void mmap_filter_init(struct worker_process *w)
{
	w->filter = (struct mmap_filter){ .source = { SOURCE_MMAP_FILTER, -1, w }, .maps = -1 };
}

static bool know(struct mmap_filter *n, struct file_id file)
{
	struct file_id *known;

	if (mmap_filter_knows(n, &file))
		return true;
	known = realloc(n->known, (n->n_known + 1) * sizeof(*known));
	if (!known)
		return false;
	n->known = known;
	n->known[n->n_known++] = file;
	return true;
}

static bool know_area(const struct maps_area *area, void *data)
{
	return know(data, area->file);
}

/* Records the files that the worker has open and maps now, none of which is the client's. */
static bool know_files(struct mmap_filter *n, const struct message_sealed *m, int maps,
		       uint64_t *mapped)
{
	if (m->n_files > MESSAGE_MAX_FILES)
		return false;
	for (uint32_t i = 0; i < m->n_files; i++)
		if (!know(n, m->files[i]))
			return false;
	return maps_each(maps, know_area, n, mapped);
}

bool mmap_filter_knows(const struct mmap_filter *n, const struct file_id *file)
{
	for (uint32_t i = 0; i < n->n_known; i++)
		if (file_id_equal(&n->known[i], file))
			return true;
	return false;
}

bool mmap_filter_begin(struct worker_process *w, struct message *m)
{
	uint64_t mapped = 0;

	if (w->filter.source.fd >= 0 || !file_may_stay(m->fds[0]) || !file_may_stay(m->fds[1]) ||
	    !know_files(&w->filter, &m->sealed, m->fds[1], &mapped) ||
	    !spawn_limit_addresses(w->pid, mapped))
		return false;
	w->filter.source.fd = m->fds[0];
	w->filter.maps = m->fds[1];
	m->fds[0] = m->fds[1] = -1;
	memcpy(w->filter.fds, m->sealed.fds, sizeof(w->filter.fds));
	event_source_watch(&w->filter.source);
	return true;
}

void mmap_filter_end(struct worker_process *w)
{
	free(w->filter.known);
	w->filter.known = NULL;
	w->filter.n_known = 0;
	if (w->filter.source.fd < 0)
		return;
	event_source_close(&w->filter.source);
	close(w->filter.maps);
	mmap_filter_init(w);
}

static void answer(const struct worker_process *w, const struct request *r, uint32_t flags,
		   int error, int64_t value)
{
	struct seccomp_notif_resp response = { .id = r->id, .val = value, .error = error,
					       .flags = flags };

	/* ENOENT: the worker ended, or its call was interrupted. */
	if (ioctl(w->filter.source.fd, SECCOMP_IOCTL_NOTIF_SEND, &response) && errno != ENOENT)
		log_error("worker %d: cannot answer its mmap(): %s", (int)w->pid, strerror(errno));
}

/*
 * Makes the worker's descriptor of heap GUEST a copy of @fd. If the worker did not wait for that,
 * it may still have the old descriptor: kills it and returns false.
 */
static bool set_guest_fd(const struct worker_process *w, const struct request *r, int fd)
{
	struct seccomp_notif_addfd add = {
		.id = r->id, .flags = SECCOMP_ADDFD_FLAG_SETFD, .srcfd = fd,
		.newfd = w->filter.fds[GUEST], .newfd_flags = O_CLOEXEC,
	};

	if (ioctl(w->filter.source.fd, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0)
		return true;
	client_kill(w->client, "cannot replace its descriptor of guest pages: %s", strerror(errno));
	return false;
}

/* Checks of mmap(). Each returns 0 or -errno. */

static int map_vram(struct client *client, const struct request *r)
{
	const struct connection *c = client->connection;
	struct sundog_alloc_entry entry;

	if (r->offset > c->vram_size || r->size > c->vram_size - r->offset)
		return -EACCES;
	if (!c->extent_shift)
		return 0;
	if (access_range(client, r->offset, r->size)) {
		const uint64_t first = r->offset >> c->extent_shift;

		mappings_grant_extents(&client->mappings, first,
				       ((r->offset + r->size - 1) >> c->extent_shift) + 1 - first);
		return 0;
	}
	if (!access_allocation(c, r->handle, &entry) || entry.heap != SUNDOG_HEAP_VRAM ||
	    r->offset < entry.offset || r->offset - entry.offset > entry.size ||
	    r->size > entry.size - (r->offset - entry.offset))
		return -EACCES;
	/*
	 * A granted allocation may be mapped again until it is revoked. This comes before the
	 * search of the lists, which are long and as many as there are channels.
	 */
	if (mappings_have_allocation(&client->mappings, r->handle, entry.generation,
				     entry.offset, entry.size))
		return 0;
	if (!access_listed(client, r->handle, entry.generation))
		return -EACCES;
	return mappings_grant_allocation(&client->mappings, r->handle, entry.generation,
					 entry.offset, entry.size) ? 0 : -ENOMEM;
}

static int map_channels(const struct client *client, const struct request *r)
{
	const uint64_t channel = r->offset / SUNDOG_CHANNEL_SIZE;

	if (channel >= SUNDOG_MAX_CHANNELS || !client_has_channel(client, channel) ||
	    r->size > (channel + 1) * SUNDOG_CHANNEL_SIZE - r->offset)
		return -EACCES;
	if (r->fd == client->worker->filter.fds[STATUS] &&
	    (r->offset % SUNDOG_CHANNEL_SIZE != SUNDOG_CHANNEL_STATUS ||
	     r->size != SUNDOG_PAGE_SIZE))
		return -EACCES;
	return 0;
}

static int map_guest(const struct client *client, const struct request *r)
{
	const struct guest_map *map = &client->guest;

	if (!map->size || !mappings_have_guest(&client->mappings, &client->guest_file) ||
	    r->offset > map->size || r->size > map->size - r->offset)
		return -EACCES;
	return 0;
}

static int may_map(struct client *client, struct request *r)
{
	const struct worker_process *w = client->worker;

	if ((r->prot & ~(uint64_t)(PROT_READ | PROT_WRITE)) ||
	    (r->flags & ~(uint64_t)MAP_FIXED) != MAP_SHARED ||
	    r->offset % SUNDOG_PAGE_SIZE || r->size > UINT64_MAX - SUNDOG_PAGE_SIZE)
		return -EACCES;
	/* Linux maps whole pages. */
	r->size = (r->size + SUNDOG_PAGE_SIZE - 1) / SUNDOG_PAGE_SIZE * SUNDOG_PAGE_SIZE;
	if (r->fd == w->filter.fds[VRAM])
		return map_vram(client, r);
	if (r->fd == w->filter.fds[GUEST])
		return map_guest(client, r);
	if (r->fd == w->filter.fds[CHANNELS] || r->fd == w->filter.fds[STATUS])
		return map_channels(client, r);
	/* Other shared memory with MAP_FIXED would replace mappings of the client's memories. */
	return -EACCES;
}

/*
 * Questions of the worker: an mmap() of size 0. The broker answers each in steps. Between the steps
 * the worker can do anything, such as end its wait with a signal, or run in other threads. Grants
 * are for files, which keeps that harmless: renderer/model.py reads these tables and tries
 * everything that a worker can do between the steps. The order is a second protection: the broker
 * replaces the descriptor before it grants pages or reports to the device that they are free. A
 * step returns 0 or -errno; after an error no further step runs.
 */
struct question {
	struct client *client;
	const struct request *r;
	const struct guest_map *map;	/* the pages that the worker asks for */
	struct file_id file;
	int64_t value;			/* the answer */
};

typedef int step_fn(struct question *q);

/*
 * Steps of map_request_guest(). The guest's kernel listed allocation @r->handle for this client,
 * and the map found here has the part of it at @r->offset.
 */
static int find_pages(struct question *q)
{
	const struct connection *c = q->client->connection;
	const struct request *r = q->r;
	struct sundog_alloc_entry entry;

	if (!access_allocation(c, r->handle, &entry) || entry.heap != SUNDOG_HEAP_GUEST ||
	    r->offset < entry.offset || r->offset - entry.offset >= entry.size ||
	    !access_listed(q->client, r->handle, entry.generation))
		return -EACCES;
	q->map = guest_heap_at(&c->guest, r->offset);
	return q->map && file_id_get(q->map->fd, &q->file) ? 0 : -ENXIO;
}

static int give_descriptor(struct question *q)
{
	const struct guest_map *map = q->map;

	/*
	 * Keep a descriptor that is right already: the worker cannot change it, and to replace it
	 * the broker has to wait for the worker's thread.
	 */
	if ((!q->client->guest.size || !file_id_equal(&q->client->guest_file, &q->file)) &&
	    !set_guest_fd(q->client->worker, q->r, map->fd))
		return -EPERM;
	q->client->guest = *map;
	q->client->guest_file = q->file;
	q->value = (int64_t)((q->r->offset - map->offset) / SUNDOG_PAGE_SIZE) << 32 |
		   (map->offset + map->size - q->r->offset) / SUNDOG_PAGE_SIZE;
	return 0;
}

static int grant_pages(struct question *q)
{
	if (mappings_grant_guest(&q->client->mappings, q->map, &q->file))
		return 0;
	client_kill(q->client, "no memory for a grant of guest pages");
	return -ENOMEM;
}

static step_fn *const select_steps[] = { find_pages, give_descriptor, grant_pages };

/* Steps of map_request_confirm(). Messages that the worker sent before come first. */
static int hear_worker(struct question *q)
{
	broker_hear(q->client->worker);
	return q->client->worker->killed ? -EPERM : 0;
}

static int check_maps(struct question *q)
{
	return client_check(q->client, q->r->offset);
}

static int take_descriptor(struct question *q)
{
	struct client *client = q->client;

	if (!client->guest.size || !mappings_end_guest_with(&client->mappings, &client->guest_file,
							    q->r->offset))
		return 0;
	if (!set_guest_fd(client->worker, q->r, client->connection->table_ro))
		return -EPERM;
	client->guest = (struct guest_map){ 0 };
	return 0;
}

static int end_grants(struct question *q)
{
	client_confirm(q->client, q->r->offset);
	return 0;
}

static step_fn *const confirm_steps[] = { hear_worker, check_maps, take_descriptor, end_grants };

/* Runs @n steps. Returns 0 or -errno; the worker may be killed. */
static int answer_question(struct client *client, const struct request *r, step_fn *const *steps,
			   size_t n, int64_t *value)
{
	struct question q = { .client = client, .r = r };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = steps[i](&q);
	*value = q.value;
	return err;
}

#define STEPS(steps) (steps), sizeof(steps) / sizeof((steps)[0])

static void handle(struct worker_process *w, struct request *r, bool main_thread)
{
	struct client *client = w->client;
	int64_t value = 0;
	int err = -EACCES;

	if (main_thread && r->size)
		err = may_map(client, r);
	else if (main_thread && r->fd == w->filter.fds[GUEST])
		err = answer_question(client, r, STEPS(select_steps), &value);
	else if (main_thread && r->fd == w->filter.fds[VRAM])
		err = answer_question(client, r, STEPS(confirm_steps), &value);
	if (w->killed)
		return;
	if (!err && r->size)
		answer(w, r, SECCOMP_USER_NOTIF_FLAG_CONTINUE, 0, 0);
	else
		answer(w, r, 0, err, value);
}

void mmap_filter_receive(struct worker_process *w, uint32_t events)
{
	struct seccomp_notif n;
	struct request r;

	/* The worker ended; its socket has an event for that. */
	if (!(events & EPOLLIN)) {
		event_source_unwatch(&w->filter.source);
		return;
	}
	memset(&n, 0, sizeof(n));
	if (ioctl(w->filter.source.fd, SECCOMP_IOCTL_NOTIF_RECV, &n))
		return;
	r = (struct request){
		.id = n.id, .size = n.data.args[1], .prot = n.data.args[2], .flags = n.data.args[3],
		.fd = n.data.args[4], .handle = n.data.args[4] >> 32, .offset = n.data.args[5],
	};
	handle(w, &r, n.pid == (uint32_t)w->pid);
}

// SPDX-License-Identifier: MIT
/*
 * The handshake, see handshake.h: a device brings its memfds in HELLO; the broker makes those of a
 * direct client and sends them in WELCOME.
 */
#include "broker/handshake.h"

#include <fcntl.h>

#include "broker/broker.h"
#include "broker/connection.h"
#include "broker/process.h"
#include "ipc/file.h"

#define DEFAULT_VRAM (1ull << 30)
#define MIN_VRAM (16ull << 20)
/* At least a page, and at most what a file offset can express. */
#define MIN_EXTENT_SHIFT 12
#define MAX_EXTENT_SHIFT 40

static const uint64_t table_size =
	(uint64_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);

static const char *make_memories(struct broker *b, struct connection *c, struct message *m)
{
	if (!c->vram_size)
		c->vram_size = DEFAULT_VRAM;
	if (m->n_fds || c->vram_size < MIN_VRAM || c->vram_size > b->options->max_vram ||
	    c->vram_size % SUNDOG_PAGE_SIZE)
		return "hello: VRAM size is out of range";
	c->memfds[0] = memfd_new("sundog-vram", c->vram_size);
	c->memfds[1] = memfd_new("sundog-table", table_size);
	c->memfds[2] = memfd_new("sundog-channels", SUNDOG_CHANNELS_MEMORY);
	if (c->memfds[0] < 0 || c->memfds[1] < 0 || c->memfds[2] < 0)
		return "cannot make the client's memories";
	return NULL;
}

static const char *take_memories(struct connection *c, struct message *m)
{
	const uint32_t shift = m->hello.extent_shift;

	if (m->n_fds != 3 || !c->vram_size || c->vram_size % SUNDOG_PAGE_SIZE)
		return "hello: a device brings three memories";
	if (shift < MIN_EXTENT_SHIFT || shift > MAX_EXTENT_SHIFT ||
	    c->vram_size >> shift > SUNDOG_MAX_EXTENTS)
		return "hello: extents of that size are not possible";
	c->extent_shift = shift;
	for (int i = 0; i < 3; i++) {
		c->memfds[i] = m->fds[i];
		m->fds[i] = -1;
	}
	if (!memfd_is_ok(c->memfds[0], c->vram_size) || !memfd_is_ok(c->memfds[1], table_size) ||
	    !memfd_is_ok(c->memfds[2], SUNDOG_CHANNELS_MEMORY))
		return "hello: a memory is too small or not sealed";
	return NULL;
}

static const char *get_memories(struct broker *b, struct connection *c, struct message *m)
{
	const char *error;

	c->vram_size = m->hello.vram_size;
	error = c->role == SUNDOG_ROLE_DIRECT ? make_memories(b, c, m) : take_memories(c, m);
	if (error)
		return error;
	/* Write seals are no alternative: a direct client maps its table for writing after this. */
	c->table_ro = file_reopen(c->memfds[1], O_RDONLY);
	c->channels_ro = file_reopen(c->memfds[2], O_RDONLY);
	if (c->table_ro < 0 || c->channels_ro < 0)
		return "cannot open a memory for reading; is /proc there?";
	return NULL;
}

void hello_answer(struct broker *b, struct connection *c)
{
	struct sundog_message_welcome welcome = b->welcome;

	if (c->welcomed || !c->greeted || !welcome.header.size)
		return;
	welcome.vram_size = c->vram_size;
	/* A direct client has no guest, so it has no guest pages. */
	if (c->role == SUNDOG_ROLE_DIRECT)
		welcome.caps.features &= ~(uint64_t)SUNDOG_FEATURE_HEAP_GUEST;
	connection_send(c, &welcome.header, c->role == SUNDOG_ROLE_DIRECT ? 3 : 0);
	c->welcomed = true;
}

/* Returns true if the descriptors may stay open as long as the connection. */
static bool may_stay(const struct connection *c)
{
	for (int i = 0; i < 3; i++)
		if (!file_may_stay(c->memfds[i]))
			return false;
	return file_may_stay(c->table_ro) && file_may_stay(c->channels_ro);
}

const char *hello_receive(struct broker *b, struct connection *c, struct message *m)
{
	const struct sundog_message_hello *hello = &m->hello;
	const char *error;

	if (c->greeted || hello->magic != SUNDOG_MAGIC)
		return "hello: not a sundog device or client";
	if (hello->version >> 16 != SUNDOG_VERSION_MAJOR)
		return "hello: protocol major version is not the renderer's";
	if (hello->role != c->role)
		return "hello: this socket is not for that role";
	error = get_memories(b, c, m);
	if (error)
		return error;
	if (!may_stay(c))
		return "too many files are open";
	c->greeted = true;
	if (!b->idle)
		b->idle = process_new(b);
	if (!b->idle && !b->welcome.header.size)
		return "no worker can be started";
	hello_answer(b, c);
	return NULL;
}

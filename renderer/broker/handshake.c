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
	if (m->n_fds)
		return connection_refuse(c, "HELLO: a direct client must not send descriptors, "
					 "got %d", m->n_fds);
	if (c->vram_size < MIN_VRAM || c->vram_size > b->options->max_vram ||
	    c->vram_size % SUNDOG_PAGE_SIZE)
		return connection_refuse(c, "HELLO: %llu bytes of VRAM; the size must be a "
					 "multiple of %llu, from %llu to %llu (--max-vram)",
					 (unsigned long long)c->vram_size,
					 (unsigned long long)SUNDOG_PAGE_SIZE, MIN_VRAM,
					 (unsigned long long)b->options->max_vram);
	c->memfds[0] = memfd_new("sundog-vram", c->vram_size);
	c->memfds[1] = memfd_new("sundog-table", table_size);
	c->memfds[2] = memfd_new("sundog-channels", SUNDOG_CHANNELS_MEMORY);
	if (c->memfds[0] < 0 || c->memfds[1] < 0 || c->memfds[2] < 0)
		return connection_refuse(c, "cannot create memfds for %llu bytes of VRAM; free "
					 "memory or raise the renderer's limit of open files "
					 "(ulimit -n)", (unsigned long long)c->vram_size);
	return NULL;
}

static const char *take_memories(struct connection *c, struct message *m)
{
	static const char *const names[3] = { "vram", "table", "channels" };
	const uint64_t sizes[3] = { c->vram_size, table_size, SUNDOG_CHANNELS_MEMORY };
	const uint32_t shift = m->hello.extent_shift;

	if (m->n_fds != 3)
		return connection_refuse(c, "HELLO: a device must send 3 memfds, got %d", m->n_fds);
	if (!c->vram_size || c->vram_size % SUNDOG_PAGE_SIZE)
		return connection_refuse(c, "HELLO: %llu bytes of VRAM are no multiple of %llu",
					 (unsigned long long)c->vram_size,
					 (unsigned long long)SUNDOG_PAGE_SIZE);
	if (shift < MIN_EXTENT_SHIFT || shift > MAX_EXTENT_SHIFT ||
	    c->vram_size >> shift > SUNDOG_MAX_EXTENTS)
		return connection_refuse(c, "HELLO: extent shift %u for %llu bytes of VRAM; it "
					 "must be %d to %d, for at most %d extents", shift,
					 (unsigned long long)c->vram_size, MIN_EXTENT_SHIFT,
					 MAX_EXTENT_SHIFT, SUNDOG_MAX_EXTENTS);
	c->extent_shift = shift;
	for (int i = 0; i < 3; i++) {
		c->memfds[i] = m->fds[i];
		m->fds[i] = -1;
	}
	for (int i = 0; i < 3; i++)
		if (!memfd_is_ok(c->memfds[i], sizes[i]))
			return connection_refuse(c, "HELLO: memfd %s must have %llu bytes and the "
						 "seals SHRINK and GROW", names[i],
						 (unsigned long long)sizes[i]);
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
		return "cannot open the client's memfds for reading by /proc/self/fd; mount /proc, "
		       "or raise the renderer's limit of open files (ulimit -n)";
	return NULL;
}

void handshake_answer(struct broker *b, struct connection *c)
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

const char *handshake_receive(struct broker *b, struct connection *c, struct message *m)
{
	const struct sundog_message_hello *hello = &m->hello;
	const char *error;

	if (c->greeted)
		return "HELLO: sent a second time";
	if (hello->magic != SUNDOG_MAGIC)
		return connection_refuse(c, "HELLO: magic %#x is not %#x, the peer is no sundog "
					 "device or client", hello->magic, SUNDOG_MAGIC);
	if (hello->version >> 16 != SUNDOG_VERSION_MAJOR)
		return connection_refuse(c, "HELLO: protocol version %u.%u, the renderer has "
					 "%u.%u; build all parts from one checkout",
					 hello->version >> 16,
					 hello->version & 0xffff, SUNDOG_VERSION_MAJOR,
					 SUNDOG_VERSION_MINOR);
	if (hello->role != c->role)
		return connection_refuse(c, "HELLO: this socket is not for role %u; QEMU connects "
					 "to that of --chardev, programs to that of --socket",
					 hello->role);
	error = get_memories(b, c, m);
	if (error)
		return error;
	if (!may_stay(c))
		return "the renderer's limit of open files is reached; raise it (ulimit -n)";
	c->version = hello->version;
	c->greeted = true;
	if (!b->idle)
		b->idle = process_new(b);
	if (!b->idle && !b->welcome.header.size)
		return "no worker can be started; the renderer's log has the reason";
	handshake_answer(b, c);
	return NULL;
}

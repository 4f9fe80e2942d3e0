/* SPDX-License-Identifier: MIT */
/*
 * Address space of a worker: which part of which file is mapped at which address.
 *
 * All of a client's memory is mapped in one window of addresses, at the same place in every worker.
 * The window's size is a power of two. It contains only memory that the client may use, with 4 GiB
 * of guard pages on both sides, so that an offset that is wrong in 32 bits, signed or unsigned,
 * stays inside.
 *
 * The window starts with "home", which is as large as VRAM and at most a 32nd of the window: it has
 * an address for each byte of VRAM, valid if the byte lies in an extent of this client. An extent
 * is mapped when memory in it is first used, together with its neighbours. Mappings inside home
 * need no memory area (VMA) of their own. Three kinds of mappings need one, called a piece:
 * - a mapping that moved: its addresses show another place until it moves back or is freed;
 * - a mapping without a home: its memory is not in an extent of this client, or not VRAM, or
 *   another mapping has its home. It lives in the upper half of the window;
 * - a mapping at a device address, which the client chose. Device addresses have their own range in
 *   front of the window, the only range that pointers in shaders can reach (mask_addresses.c).
 *
 * Mappings never share addresses. The number of VMAs of a process is limited, so pieces are
 * counted.
 *
 * The worker's main thread makes all calls. Other threads may access a mapping while it moves: they
 * see the old bytes or the new ones, and never an unmapped page.
 */
#ifndef EXEC_MAPPING_H
#define EXEC_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/address_range.h"

/* mapping_place.fd of a part of heap GUEST, which consists of many files. */
#define MAPPING_GUEST (-2)

/* A part of a file. */
struct mapping_place {
	int fd;				/* or MAPPING_GUEST */
	uint64_t offset, size;		/* bytes, whole pages, size is not 0 */
	/* of the allocation there; the broker checks the map request against it */
	uint32_t handle;
};

struct mapping {
	char *addr;			/* constant, as is place.size */
	struct mapping_place place;	/* where the addresses point now */
	/* the caller's; NULL: freed, but the addresses could not be unmapped */
	void *owner;
	bool claims;			/* owns its addresses in home */
	bool piece;			/* has a memory area (VMA) of its own */
	bool device;			/* is at a device address */
	struct mapping *sibling;	/* next mapping of the same owner at a device address */
	uint64_t start;			/* such a mapping shows the owner from this byte on */
	struct mapping *next, **link;	/* in mapping_space.pieces or in a free list */
};

/*
 * Limit of the bytes mapped at device addresses, or four times VRAM if that is more. It bounds
 * their page tables.
 */
#define MAPPING_DEVICE_BYTES (64ull << 30)

/* Memory that a worker may map. The caller keeps the files open. */
struct mapping_config {
	int fd, guest_fd;		/* of VRAM; of heap GUEST, see map_request.h */
	uint64_t size;			/* bytes of VRAM */
	uint32_t max_pieces;
	/* the extent table; NULL: all of VRAM belongs to the client */
	const uint32_t *extents;
	uint32_t extent_shift, client;
};

struct mapping_space {
	struct mapping_config config;
	char *window;			/* with the device addresses in front of it, and guards */
	uint64_t window_size;
	char *home;
	uint64_t n_extents;
	bool *mapped;			/* by extent */
	void *claims;			/* tree of the mappings at home, by address */
	void *away;			/* tree of the mappings in `claims` that moved away */
	void *devices;			/* tree of the mappings at device addresses */
	uint64_t device_bytes;		/* bytes mapped at device addresses */
	struct mapping *pieces;
	uint32_t n_pieces;
	char *unused, *end;		/* addresses that were never part of a piece */
	/* addresses of former pieces, by the logarithm of their size */
	struct mapping *free[64];
};

/* Returns how many pieces this machine lets a process have. Reads /proc. */
uint32_t mapping_max_pieces(void);

/* Reserve the window. Returns 0 or -errno. */
int mapping_space_init(struct mapping_space *s, const struct mapping_config *config);

/* Returns a mapping whose home overlaps that of @place, or NULL. */
struct mapping *mapping_overlap(const struct mapping_space *s, const struct mapping_place *place);

/*
 * Map @place: at home if home belongs to this client and is free. Returns NULL with errno set;
 * ENOSPC: too many pieces; EACCES: the client may not map @place.
 */
struct mapping *mapping_new(struct mapping_space *s, const struct mapping_place *place,
			    void *owner);

/* Returns the mapping at a device address, or NULL. */
struct mapping *mapping_at_device(const struct mapping_space *s, uint64_t address);

/*
 * Map @place once more, at a device address. Returns NULL with errno set as mapping_new() does, or
 * EEXIST if the addresses are in use, or ENOMEM if device addresses show the maximum of memory
 * already.
 */
struct mapping *mapping_new_at_device(struct mapping_space *s, uint64_t address,
				      const struct mapping_place *place, void *owner);

/*
 * Make the mapping's addresses show @place, which is as large as the old place. Returns 0 or
 * -errno. On an error the addresses show the old place, or, if the machine is out of memory, may be
 * unmapped until the next try.
 */
int mapping_move(struct mapping_space *s, struct mapping *m, const struct mapping_place *place);

/* Returns true if the mapping is at home. mapping_give_up() does nothing for other mappings. */
static inline bool mapping_is_home(const struct mapping *m)
{
	return m->claims && !m->piece;
}

/* Release the home of a mapping that is there and will not move any more; it stays usable. */
void mapping_give_up(struct mapping_space *s, struct mapping *m);

/*
 * Returns true if a mapping shows a part of this range of heap GUEST. Calls @shows for each such
 * mapping that has an owner.
 */
bool mapping_shows_guest(const struct mapping_space *s, uint64_t offset, uint64_t size,
			 void (*shows)(void *owner, void *data), void *data);

/*
 * Unmap all addresses that show a part of this range of heap GUEST; they stay empty until the
 * mapping moves. Calls @revoked with the owner of each. Returns false if some are still mapped.
 */
bool mapping_revoke_guest(struct mapping_space *s, uint64_t offset, uint64_t size,
			  void (*revoked)(void *owner));

/*
 * Unmap extents at home that no longer belong to the client, and pieces of VRAM that have no owner
 * or whose owner is @stale. Returns false if some are still mapped.
 */
bool mapping_revoke_vram(struct mapping_space *s, bool (*stale)(void *owner, void *data),
			 void *data);

void mapping_free(struct mapping_space *s, struct mapping *m);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Addresses of memory in a worker: which part of which file is mapped where.
 *
 * All of a client's memory is in one window of addresses, which is the same in every worker: a power of two
 * large, nothing there but what the client may use, and nothing for 4 GiB on both sides of it. An offset
 * that is wrong in 32 bits, with or without a sign, stays in there.
 *
 * Its start is "home", as large as VRAM and a 32nd of it at most: the address of each byte of VRAM, if it lies in an extent of this client.
 * Extents are mapped when something in them is first used, as many as are side by side; the addresses of
 * memory in them cost nothing then. Three things cost a memory area of their own, a piece:
 *  - a mapping that moved: its addresses show another place until it comes back or is freed;
 *  - a mapping of what has no home: it belongs to no extent of this client, is no VRAM, or its home belongs
 *    to another mapping. It lives in the upper half of the window;
 *  - a mapping at a device address, which the client chose. Device addresses have a range of their own in front of
 *    the window, the only one that pointers in shaders lead to (gate_address.c).
 * Mappings never share addresses. How many areas a process may have is limited, so pieces are counted.
 *
 * One thread calls this. Others may be using the addresses of a mapping that moves: they find the old
 * bytes or the new ones, and never a hole.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* mapping_place.fd of a part of heap GUEST, which many files make up. */
#define MAPPING_GUEST (-2)

/* A part of a file. */
struct mapping_place {
	int fd;				/* or MAPPING_GUEST */
	uint64_t offset, size;		/* bytes, whole pages, size is not 0 */
	uint32_t handle;		/* of the allocation there: the broker asks what it is mapped for */
};

struct mapping {
	char *addr;			/* constant, as is place.size */
	struct mapping_place place;	/* what is there now */
	void *owner;			/* the caller's; NULL: freed, its addresses could not be given back */
	bool claims;			/* has its addresses in home */
	bool piece;			/* has a memory area of its own */
	bool device;			/* at a device address */
	struct mapping *sibling;	/* the owner's, of those at device addresses */
	struct mapping *next, **link;	/* in mapping_space.pieces, or free */
};

/* Where device address 0 is. */
#define MAPPING_DEVICE 0x1e0000000000ull
/* A device address and what begins there stay in its range, or in this many bytes of nothing on both sides of it. */
#define MAPPING_GUARD (4ull << 30)
/* How many bytes of them may show memory: so much, or four times VRAM. Their page tables have an end then. */
#define MAPPING_DEVICE_BYTES (64ull << 30)

/* What a worker may map. The files are kept open by the caller. */
struct mapping_config {
	int fd, guest_fd;		/* of VRAM; of heap GUEST, see permit.h */
	uint64_t size;			/* of VRAM, bytes */
	uint32_t max_pieces;
	const uint32_t *extents;	/* the extent table; NULL: all of VRAM is the client's */
	uint32_t extent_shift, client;
};

struct mapping_space {
	struct mapping_config config;
	char *window;			/* with device addresses in front of it, and its guards */
	uint64_t window_size;
	char *home;
	uint64_t n_extents;
	bool *mapped;			/* of each extent */
	void *claims;			/* tree of the mappings at home, by address */
	void *away;			/* those of them that moved */
	void *devices;			/* tree of the mappings at device addresses */
	uint64_t device_bytes;		/* what those show */
	struct mapping *pieces;
	uint32_t n_pieces;
	char *unused, *end;		/* addresses that no piece ever had */
	struct mapping *free[64];	/* addresses that pieces had, by the logarithm of their size */
};

/* How many pieces this machine lets a process have; needs /proc. */
uint32_t mapping_max_pieces(void);

/* Reserve the window. Returns 0 or -errno. */
int mapping_space_init(struct mapping_space *s, const struct mapping_config *config);

/* A mapping whose home overlaps that of @place, or NULL. */
struct mapping *mapping_overlap(const struct mapping_space *s, const struct mapping_place *place);

/*
 * A mapping of @place: at home if that is this client's and free. NULL with errno set; ENOSPC: too many pieces;
 * EACCES: the client may not map that.
 */
struct mapping *mapping_new(struct mapping_space *s, const struct mapping_place *place, void *owner);

/* The mapping at a device address, or NULL. */
struct mapping *mapping_at_device(const struct mapping_space *s, uint64_t address);

/*
 * Another mapping of @place, at a device address. NULL with errno set: as of mapping_new(), EEXIST where something
 * is, and ENOMEM if they show too much already.
 */
struct mapping *mapping_new_at_device(struct mapping_space *s, uint64_t address, const struct mapping_place *place,
				      void *owner);

/*
 * Show @place, as large as the old one, at the mapping's addresses. Returns 0 or -errno; the addresses
 * then show what they showed, or, when the machine is out of memory, may be gone until the next try.
 */
int mapping_move(struct mapping_space *s, struct mapping *m, const struct mapping_place *place);

/* Is it where home shows it? Only then mapping_give_up() does something. */
static inline bool mapping_is_home(const struct mapping *m)
{
	return m->claims && !m->piece;
}

/* Let others have the home of a mapping that is there and will not move any more; it can still be used. */
void mapping_give_up(struct mapping_space *s, struct mapping *m);

/* Does anything show a part of this range of heap GUEST? Calls @shows with the owner of each that has one. */
bool mapping_shows_guest(const struct mapping_space *s, uint64_t offset, uint64_t size,
			 void (*shows)(void *owner, void *data), void *data);

/*
 * Leave nothing at the addresses that show any of this range of heap GUEST, until they are moved. Calls
 * @revoked with the owner of each. False: some still show it.
 */
bool mapping_revoke_guest(struct mapping_space *s, uint64_t offset, uint64_t size, void (*revoked)(void *owner));

/*
 * Leave nothing where home shows extents that are not the client's any more, nor at pieces of VRAM that nobody
 * owns, or whose owner is @stale. False: some is still there.
 */
bool mapping_revoke_vram(struct mapping_space *s, bool (*stale)(void *owner, void *data), void *data);

void mapping_free(struct mapping_space *s, struct mapping *m);

#endif

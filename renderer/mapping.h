/* SPDX-License-Identifier: MIT */
/*
 * Addresses of memory in a worker: which part of which file is mapped where.
 *
 * Host objects know memory by its address, so a mapping has the same addresses for life, wherever the
 * memory goes. All of VRAM is mapped once, in order ("home"); the addresses of a part of it normally
 * are just those, for nothing. Two things cost a memory area of their own, a piece:
 *  - a mapping that moved: its addresses show another place until it comes back or is freed;
 *  - a mapping of a part of VRAM whose home belongs to another mapping: it lives elsewhere.
 * Mappings never share addresses. How many areas a process may have is limited, so pieces are counted.
 *
 * One thread calls this. Others may be using the addresses of a mapping that moves: they find the old
 * bytes or the new ones, and never a hole.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"

/* mapping_place.fd of a part of heap GUEST, which many files make up. */
#define MAPPING_GUEST (-2)

/* A part of a file. */
struct mapping_place {
	int fd;				/* or MAPPING_GUEST */
	uint64_t offset, size;		/* bytes, whole pages, size is not 0 */
};

struct mapping {
	char *addr;			/* constant, as is place.size */
	struct mapping_place place;	/* what is there now */
	void *owner;			/* the caller's; NULL: freed, its home could not be restored */
	bool claims;			/* has its addresses in home */
	bool piece;			/* has a memory area of its own */
	struct mapping *next, **link;	/* in mapping_space.pieces */
};

struct mapping_space {
	char *home;
	int fd;				/* of home; kept open by the caller */
	uint64_t size;			/* of home, bytes */
	void *claims;			/* tree of the mappings at home, by address */
	struct mapping *pieces;
	uint32_t n_pieces, max_pieces;
	struct guest_heap guest;	/* the caller's to fill */
};

/* How many pieces this machine lets a process have; needs /proc. */
uint32_t mapping_max_pieces(void);

/* Map @size bytes of @fd as home. Returns 0 or -errno. */
int mapping_space_init(struct mapping_space *s, int fd, uint64_t size, uint32_t max_pieces);

/* A mapping whose home overlaps that of @place, or NULL. */
struct mapping *mapping_overlap(const struct mapping_space *s, const struct mapping_place *place);

/* A mapping of @place: at home if that is free. NULL with errno set; ENOSPC: too many pieces. */
struct mapping *mapping_new(struct mapping_space *s, const struct mapping_place *place, void *owner);

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

/*
 * Leave nothing at the addresses that show any of this range of heap GUEST, until they are moved. Calls
 * @revoked with the owner of each. False: some still show it.
 */
bool mapping_revoke(struct mapping_space *s, uint64_t offset, uint64_t size, void (*revoked)(void *owner));

void mapping_free(struct mapping_space *s, struct mapping *m);

#endif

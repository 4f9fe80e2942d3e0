// SPDX-License-Identifier: MIT
/*
 * Addresses of memory in a worker, see mapping.h.
 */
#define _GNU_SOURCE
#include "mapping.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Linux's default of vm.max_map_count. */
#define DEFAULT_AREAS 65530u

/* A piece in the middle of an area makes two more of it. A quarter is for everything else. */
uint32_t mapping_max_pieces(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned int areas;

	if (!f || fscanf(f, "%u", &areas) != 1)
		areas = DEFAULT_AREAS;
	if (f)
		fclose(f);
	return areas / 8 * 3;
}

/* Addresses at which there is nothing; anywhere for NULL. */
static void *map_nothing(char *addr, uint64_t size)
{
	return mmap(addr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (addr ? MAP_FIXED : 0),
		    -1, 0);
}

static void *map(char *addr, const struct mapping_place *place)
{
	return mmap(addr, place->size, PROT_READ | PROT_WRITE, MAP_SHARED | (addr ? MAP_FIXED : 0),
		    place->fd, place->offset);
}

/* Heap GUEST is covered: each of its maps there is an area. */
static bool map_guest_at(const struct mapping_space *s, char *addr, const struct mapping_place *place)
{
	uint64_t done = 0;

	while (done < place->size) {
		const struct guest_map *part_of = guest_heap_at(&s->guest, place->offset + done);
		const uint64_t skip = place->offset + done - part_of->offset;
		const uint64_t left = place->size - done, here = part_of->size - skip;
		const struct mapping_place part = { part_of->fd, skip, here < left ? here : left };

		if (map(addr + done, &part) == MAP_FAILED)
			return false;
		done += part.size;
	}
	return true;
}

static void *map_guest(const struct mapping_space *s, char *addr, const struct mapping_place *place)
{
	char *to = addr;

	if (!guest_heap_covers(&s->guest, place->offset, place->size)) {
		errno = ENXIO;
		return MAP_FAILED;
	}
	if (!to)
		to = map_nothing(NULL, place->size);
	if (to == MAP_FAILED || map_guest_at(s, to, place))
		return to;
	if (!addr)
		munmap(to, place->size);
	return MAP_FAILED;
}

static void *map_place(const struct mapping_space *s, char *addr, const struct mapping_place *place)
{
	return place->fd == MAPPING_GUEST ? map_guest(s, addr, place) : map(addr, place);
}

int mapping_space_init(struct mapping_space *s, int fd, uint64_t size, uint32_t max_pieces)
{
	*s = (struct mapping_space){ .fd = fd, .size = size, .max_pieces = max_pieces };
	s->home = map(NULL, &(struct mapping_place){ fd, 0, size });
	return s->home == MAP_FAILED ? -errno : 0;
}

/* Those at home do not overlap, so that "equal" finds what overlaps. */
static int compare(const void *va, const void *vb)
{
	const struct mapping *a = va, *b = vb;

	if (a->addr + a->place.size <= b->addr)
		return -1;
	return b->addr + b->place.size <= a->addr;
}

static bool shows_home(const struct mapping_space *s, const char *addr, const struct mapping_place *place)
{
	return place->fd == s->fd && addr == s->home + place->offset;
}

static void add_piece(struct mapping_space *s, struct mapping *m)
{
	m->piece = true;
	m->next = s->pieces;
	m->link = &s->pieces;
	if (m->next)
		m->next->link = &m->next;
	s->pieces = m;
	s->n_pieces++;
}

static void del_piece(struct mapping_space *s, struct mapping *m)
{
	m->piece = false;
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	s->n_pieces--;
}

struct mapping *mapping_overlap(const struct mapping_space *s, const struct mapping_place *place)
{
	struct mapping key = { .addr = s->home + place->offset, .place = *place };
	struct mapping **found = place->fd == s->fd ? tfind(&key, &s->claims, compare) : NULL;

	return found ? *found : NULL;
}

/* Into home. False: no memory. */
static bool claim(struct mapping_space *s, struct mapping *m)
{
	m->addr = s->home + m->place.offset;
	m->claims = tsearch(m, &s->claims, compare);
	return m->claims;
}

static bool map_elsewhere(struct mapping_space *s, struct mapping *m)
{
	if (s->n_pieces >= s->max_pieces) {
		errno = ENOSPC;
		return false;
	}
	m->addr = map_place(s, NULL, &m->place);
	if (m->addr == MAP_FAILED)
		return false;
	add_piece(s, m);
	return true;
}

struct mapping *mapping_new(struct mapping_space *s, const struct mapping_place *place, void *owner)
{
	struct mapping *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m)
		return NULL;
	m->place = *place;
	m->owner = owner;
	if (place->fd == s->fd && !mapping_overlap(s, place))
		ok = claim(s, m);
	else
		ok = map_elsewhere(s, m);
	if (!ok) {
		free(m);
		return NULL;
	}
	return m;
}

int mapping_move(struct mapping_space *s, struct mapping *m, const struct mapping_place *place)
{
	const bool piece = !shows_home(s, m->addr, place);
	int err = 0;

	if (piece && !m->piece && s->n_pieces >= s->max_pieces)
		return -ENOSPC;
	if (map_place(s, m->addr, place) == MAP_FAILED) {
		err = errno;
		/* Some of the heap's pages may show already, mapping_revoke() must find them. */
		if (place->fd != MAPPING_GUEST)
			return -err;
	}
	m->place = *place;
	if (piece && !m->piece)
		add_piece(s, m);
	else if (!piece && m->piece)
		del_piece(s, m);
	return -err;
}

void mapping_give_up(struct mapping_space *s, struct mapping *m)
{
	if (!mapping_is_home(m))
		return;
	tdelete(m, &s->claims, compare);
	m->claims = false;
}

bool mapping_revoke(struct mapping_space *s, uint64_t offset, uint64_t size, void (*revoked)(void *owner))
{
	bool ok = true;

	for (struct mapping *m = s->pieces; m; m = m->next) {
		if (m->place.fd != MAPPING_GUEST || m->place.offset >= offset + size ||
		    offset >= m->place.offset + m->place.size)
			continue;
		if (map_nothing(m->addr, m->place.size) == MAP_FAILED)
			ok = false;
		else if (m->owner)
			revoked(m->owner);
	}
	return ok;
}

void mapping_free(struct mapping_space *s, struct mapping *m)
{
	const struct mapping_place home = { s->fd, m->addr - s->home, m->place.size };

	m->owner = NULL;
	if (m->claims) {
		/* Without its place home is not to be used: the mapping keeps it. */
		if (m->piece && mapping_move(s, m, &home))
			return;
		mapping_give_up(s, m);
	} else if (m->piece) {
		munmap(m->addr, m->place.size);
		del_piece(s, m);
	}
	free(m);
}

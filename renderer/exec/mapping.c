// SPDX-License-Identifier: MIT
/*
 * Address space of a worker, see mapping.h. Runs on the worker's main thread. All file mappings go
 * through the broker's filter (map_request.h).
 */
#define _GNU_SOURCE
#include "exec/mapping.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ipc/map_request.h"
#include "sundog_hw.h"

/* Linux's default of vm.max_map_count. */
#define DEFAULT_AREAS 65530u

#define WINDOW_START 0x200000000000ull
#define WINDOW_MIN (1ull << 30)
/*
 * The window has many times as many addresses as VRAM: they cost nothing, and freed addresses of
 * pieces are not merged.
 */
#define WINDOW_VRAMS 32
/* Larger than any VRAM: all of it is one extent. */
#define ALL_SHIFT 62

/*
 * A piece in the middle of a VMA adds two VMAs. A quarter of the limit is left for everything else.
 */
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

/* Replace the mapping at these addresses by inaccessible pages. Returns false if mmap() fails. */
static bool map_nothing(char *addr, uint64_t size)
{
	return mmap(addr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		    -1, 0) == addr;
}

/* Map a place in heap GUEST. Each of its files needs a VMA of its own. */
static bool map_guest(const struct mapping_space *s, char *addr, const struct mapping_place *place)
{
	uint64_t done = 0;

	while (done < place->size) {
		uint64_t offset, size;

		if (!map_request_guest(s->config.guest_fd, place->handle, place->offset + done,
				       &offset, &size))
			return false;
		if (size > place->size - done)
			size = place->size - done;
		if (!map_request(addr + done, size, s->config.guest_fd, place->handle, offset))
			return false;
		done += size;
	}
	return true;
}

static bool map_place(const struct mapping_space *s, char *addr, const struct mapping_place *place)
{
	if (place->fd == MAPPING_GUEST)
		return map_guest(s, addr, place);
	return map_request(addr, place->size, place->fd, place->handle, place->offset);
}

/* The window */

_Static_assert(MAPPING_DEVICE % (1ull << SUNDOG_ADDRESS_BITS) == 0,
	       "an address is a part of a pointer");
_Static_assert(MAPPING_DEVICE + (1ull << SUNDOG_ADDRESS_BITS) + MAPPING_GUARD <=
		       WINDOW_START - MAPPING_GUARD,
	       "guards are between");

static bool reserve(struct mapping_space *s)
{
	uint64_t size = WINDOW_MIN;
	char *start;

	while (size < WINDOW_VRAMS * s->config.size)
		size *= 2;
	s->window_size = WINDOW_START - MAPPING_DEVICE + size + 2 * MAPPING_GUARD;
	s->window = mmap((void *)(MAPPING_DEVICE - MAPPING_GUARD), s->window_size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (s->window == MAP_FAILED)
		return false;
	start = (char *)WINDOW_START;
	s->home = start;
	s->unused = start + size / 2;
	s->end = start + size;
	return true;
}

int mapping_space_init(struct mapping_space *s, const struct mapping_config *config)
{
	*s = (struct mapping_space){ .config = *config };
	if (!config->extents)
		s->config.extent_shift = ALL_SHIFT;
	s->n_extents = config->extents ? config->size >> config->extent_shift : 1;
	s->mapped = calloc(s->n_extents + 1, sizeof(*s->mapped));
	if (!s->mapped)
		return -ENOMEM;
	return reserve(s) ? 0 : -errno;
}

/* Home */

/* Mappings at home do not overlap, so "equal" finds a mapping that overlaps the key. */
static int compare(const void *va, const void *vb)
{
	const struct mapping *a = va, *b = vb;

	if (a->addr + a->place.size <= b->addr)
		return -1;
	return b->addr + b->place.size <= a->addr;
}

/* Returns a mapping of @tree whose addresses overlap home between two offsets, or NULL. */
static struct mapping *find(const struct mapping_space *s, void *const *tree, uint64_t from,
			    uint64_t to)
{
	const struct mapping key = { .addr = s->home + from, .place = { .size = to - from } };
	struct mapping **found = tfind(&key, tree, compare);

	return found ? *found : NULL;
}

static bool is_mapped(const struct mapping_space *s, uint64_t extent)
{
	return extent < s->n_extents && s->mapped[extent];
}

static bool is_own(const struct mapping_space *s, uint64_t extent)
{
	if (extent >= s->n_extents)
		return false;
	return !s->config.extents ||
	       __atomic_load_n(&s->config.extents[extent], __ATOMIC_ACQUIRE) == s->config.client;
}

static uint64_t extent_start(const struct mapping_space *s, uint64_t extent)
{
	const uint64_t start = extent << s->config.extent_shift;

	return start < s->config.size ? start : s->config.size;
}

/*
 * Map the contents of home between two offsets: VRAM in mapped extents, inaccessible pages
 * elsewhere. Returns false if mmap() fails.
 */
static bool show_home(const struct mapping_space *s, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t extent = from >> s->config.extent_shift, end;
		const bool there = is_mapped(s, extent);

		do {
			end = extent_start(s, ++extent);
		} while (end < to && is_mapped(s, extent) == there);
		if (end > to)
			end = to;
		if (!(there ? map_request(s->home + from, end - from, s->config.fd, 0, from) :
			      map_nothing(s->home + from, end - from)))
			return false;
		from = end;
	}
	return true;
}

/* As show_home(), except for the addresses of mappings that moved away: these stay. */
static bool show_home_around(const struct mapping_space *s, uint64_t from, uint64_t to)
{
	const struct mapping *away = find(s, &s->away, from, to);
	uint64_t start, end;

	if (!away)
		return show_home(s, from, to);
	start = away->addr - s->home;
	end = start + away->place.size;
	return (from >= start || show_home_around(s, from, start)) &&
	       (end >= to || show_home_around(s, end, to));
}

static bool set_mapped(struct mapping_space *s, uint64_t from, uint64_t to, bool mapped)
{
	for (uint64_t extent = from; extent < to; extent++)
		s->mapped[extent] = mapped;
	return show_home_around(s, extent_start(s, from), extent_start(s, to));
}

static bool map_extents(struct mapping_space *s, uint64_t from, uint64_t to)
{
	int err;

	if (set_mapped(s, from, to, true))
		return true;
	err = errno;
	set_mapped(s, from, to, false);
	errno = err;
	return false;
}

static bool is_wanted(const struct mapping_space *s, uint64_t extent)
{
	return is_own(s, extent) && !is_mapped(s, extent);
}

/*
 * Returns true if @place is in extents of the client, and maps these extents with their neighbours.
 */
static bool has_home(struct mapping_space *s, const struct mapping_place *place)
{
	const uint64_t first = place->offset >> s->config.extent_shift;
	const uint64_t last = (place->offset + place->size - 1) >> s->config.extent_shift;

	if (place->fd != s->config.fd)
		return false;
	for (uint64_t extent = first; extent <= last; extent++)
		if (!is_own(s, extent))
			return false;
	for (uint64_t extent = first; extent <= last; extent++) {
		uint64_t from = extent, to = extent;

		if (is_mapped(s, extent))
			continue;
		while (from && is_wanted(s, from - 1))
			from--;
		while (is_wanted(s, to))
			to++;
		/*
		 * The driver may revoke one of the neighbours meanwhile: then map this extent
		 * alone.
		 */
		if (!map_extents(s, from, to) && !map_extents(s, extent, extent + 1))
			return false;
	}
	return true;
}

struct mapping *mapping_overlap(const struct mapping_space *s, const struct mapping_place *place)
{
	if (place->fd != s->config.fd)
		return NULL;
	return find(s, &s->claims, place->offset, place->offset + place->size);
}

/* Give the mapping its addresses in home. Returns false if there is no memory. */
static bool claim(struct mapping_space *s, struct mapping *m)
{
	m->addr = s->home + m->place.offset;
	m->claims = tsearch(m, &s->claims, compare);
	return m->claims;
}

/* Pieces */

/* Returns false if there is no memory. */
static bool add_piece(struct mapping_space *s, struct mapping *m)
{
	if (m->claims && !tsearch(m, &s->away, compare)) {
		errno = ENOMEM;
		return false;
	}
	m->piece = true;
	m->next = s->pieces;
	m->link = &s->pieces;
	if (m->next)
		m->next->link = &m->next;
	s->pieces = m;
	s->n_pieces++;
	return true;
}

static void del_piece(struct mapping_space *s, struct mapping *m)
{
	if (m->claims)
		tdelete(m, &s->away, compare);
	m->piece = false;
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	s->n_pieces--;
}

/* Addresses are allocated in powers of two and return to the free list of their size. */
static unsigned int size_class(uint64_t size)
{
	return 64 - __builtin_clzll(size - 1);
}

static struct mapping *take_addresses(struct mapping_space *s, uint64_t size)
{
	const unsigned int class = size_class(size);
	struct mapping *m = s->free[class];

	if (m) {
		s->free[class] = m->next;
		return m;
	}
	if (1ull << class > (uint64_t)(s->end - s->unused)) {
		errno = ENOSPC;
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->addr = s->unused;
	s->unused += 1ull << class;
	return m;
}

static void give_addresses(struct mapping_space *s, struct mapping *m)
{
	struct mapping **free = &s->free[size_class(m->place.size)];

	m->next = *free;
	*free = m;
}

static struct mapping *new_piece(struct mapping_space *s, const struct mapping_place *place)
{
	struct mapping *m;
	int err;

	if (s->n_pieces >= s->config.max_pieces) {
		errno = ENOSPC;
		return NULL;
	}
	m = take_addresses(s, place->size);
	if (!m)
		return NULL;
	m->place = *place;
	if (map_place(s, m->addr, place)) {
		add_piece(s, m);
		return m;
	}
	err = errno;
	/* Some pages of heap GUEST may be mapped already. */
	if (place->fd != MAPPING_GUEST || map_nothing(m->addr, place->size))
		give_addresses(s, m);
	errno = err;
	return NULL;
}

static struct mapping *new_at_home(struct mapping_space *s, const struct mapping_place *place)
{
	struct mapping *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->place = *place;
	if (claim(s, m))
		return m;
	free(m);
	return NULL;
}

struct mapping *mapping_new(struct mapping_space *s, const struct mapping_place *place, void *owner)
{
	const bool home = !mapping_overlap(s, place) && has_home(s, place);
	struct mapping *m = home ? new_at_home(s, place) : new_piece(s, place);

	if (m)
		m->owner = owner;
	return m;
}

/* Device addresses */

struct mapping *mapping_at_device(const struct mapping_space *s, uint64_t address)
{
	const struct mapping key = { .addr = (char *)MAPPING_DEVICE + address,
				     .place = { .size = 1 } };
	struct mapping **found = tfind(&key, &s->devices, compare);

	return found && (*found)->addr == key.addr ? *found : NULL;
}

/*
 * Insert the mapping in the tree. Returns false with errno set if the addresses are in use or there
 * is no memory.
 */
static bool take_device(struct mapping_space *s, struct mapping *m)
{
	struct mapping **at = tsearch(m, &s->devices, compare);

	m->device = at && *at == m;
	if (m->device)
		s->device_bytes += m->place.size;
	errno = at ? EEXIST : ENOMEM;
	return m->device;
}

static bool has_device_room(const struct mapping_space *s, uint64_t size)
{
	const uint64_t much = 4 * s->config.size,
		       limit = much > MAPPING_DEVICE_BYTES ? much : MAPPING_DEVICE_BYTES;

	return size <= limit && s->device_bytes <= limit - size;
}

struct mapping *mapping_new_at_device(struct mapping_space *s, uint64_t address,
				      const struct mapping_place *place, void *owner)
{
	struct mapping *m;
	int err;

	if (s->n_pieces >= s->config.max_pieces) {
		errno = ENOSPC;
		return NULL;
	}
	if (!has_device_room(s, place->size)) {
		errno = ENOMEM;
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	*m = (struct mapping){ .addr = (char *)MAPPING_DEVICE + address,
			       .place = *place,
			       .owner = owner };
	if (take_device(s, m)) {
		add_piece(s, m);
		if (map_place(s, m->addr, place))
			return m;
		err = errno;
		mapping_free(s, m);
	} else {
		err = errno;
		free(m);
	}
	errno = err;
	return NULL;
}

static bool is_home_of(const struct mapping_space *s, const struct mapping *m,
		       const struct mapping_place *place)
{
	return m->claims && m->addr == s->home + place->offset;
}

int mapping_move(struct mapping_space *s, struct mapping *m, const struct mapping_place *place)
{
	const bool home = is_home_of(s, m, place) && has_home(s, place), was_piece = m->piece;
	int err = 0;

	if (home && !was_piece) {
		m->place = *place;
		return 0;
	}
	if (!was_piece && s->n_pieces >= s->config.max_pieces)
		return -ENOSPC;
	if (!was_piece && !add_piece(s, m))
		return -errno;
	if (!map_place(s, m->addr, place)) {
		err = errno;
		/*
		 * Some pages of heap GUEST may be mapped already; mapping_revoke_guest() must find
		 * them.
		 */
		if (place->fd != MAPPING_GUEST) {
			if (!was_piece)
				del_piece(s, m);
			return -err;
		}
	}
	m->place = *place;
	if (home)
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

static bool shows_guest(const struct mapping *m, uint64_t offset, uint64_t size)
{
	return m->place.fd == MAPPING_GUEST && m->place.offset < offset + size &&
	       offset < m->place.offset + m->place.size;
}

bool mapping_shows_guest(const struct mapping_space *s, uint64_t offset, uint64_t size,
			 void (*shows)(void *owner, void *data), void *data)
{
	bool any = false;

	for (const struct mapping *m = s->pieces; m; m = m->next) {
		if (!shows_guest(m, offset, size))
			continue;
		any = true;
		if (m->owner)
			shows(m->owner, data);
	}
	return any;
}

bool mapping_revoke_guest(struct mapping_space *s, uint64_t offset, uint64_t size,
			  void (*revoked)(void *owner))
{
	bool ok = true;

	for (struct mapping *m = s->pieces; m; m = m->next) {
		if (!shows_guest(m, offset, size))
			continue;
		if (!map_nothing(m->addr, m->place.size))
			ok = false;
		else if (m->owner)
			revoked(m->owner);
	}
	return ok;
}

bool mapping_revoke_vram(struct mapping_space *s, bool (*stale)(void *owner, void *data),
			 void *data)
{
	bool ok = true;

	for (uint64_t from = 0, to; from < s->n_extents; from = to) {
		const bool revoked = s->mapped[from] && !is_own(s, from);

		for (to = from + 1; revoked && to < s->n_extents && s->mapped[to] && !is_own(s, to);
		     to++)
			;
		if (revoked)
			ok &= set_mapped(s, from, to, false);
	}
	for (struct mapping *m = s->pieces; m; m = m->next)
		if (m->place.fd == s->config.fd && (!m->owner || stale(m->owner, data)))
			ok &= map_nothing(m->addr, m->place.size);
	return ok;
}

/*
 * Addresses outside home that cannot be unmapped are never reused: the mapping stays in the list of
 * pieces without an owner.
 */
void mapping_free(struct mapping_space *s, struct mapping *m)
{
	const uint64_t home = m->addr - s->home;

	m->owner = NULL;
	if (m->device) {
		if (!map_nothing(m->addr, m->place.size))
			return;
		tdelete(m, &s->devices, compare);
		s->device_bytes -= m->place.size;
		del_piece(s, m);
	} else if (m->claims) {
		if (m->piece && !show_home(s, home, home + m->place.size) &&
		    !map_nothing(m->addr, m->place.size))
			return;
		if (m->piece)
			del_piece(s, m);
		mapping_give_up(s, m);
	} else if (m->piece) {
		if (!map_nothing(m->addr, m->place.size))
			return;
		del_piece(s, m);
		give_addresses(s, m);
		return;
	}
	free(m);
}

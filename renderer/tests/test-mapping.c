// SPDX-License-Identifier: MIT
/*
 * Tests mapping.h: allocations move, but each mapping shows its allocation at constant addresses.
 * In the end the home window is one memory area that shows VRAM in order, or only the client's
 * extents if it does not own all of them. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/mapping.h"
#include "sundog_hw.h"

#define PAGE 4096ull
#define PAGES 256u
#define OTHER_FILE 0x10000u	/* added to the page numbers of the second file */
#define MAX_PIECES 64

/* For cases with extents: 16 pages each. The last one never belongs to the client. */
#define EXTENT_SHIFT 16
#define EXTENT 16u
#define EXTENTS (PAGES / EXTENT - 1)
#define CLIENT 7u

static int vram, other, pipes[2];

/* Returns a file each of whose pages starts with its number. */
static int numbered_file(uint32_t first)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, PAGES * PAGE))
		abort();
	for (uint32_t i = 0; i < PAGES; i++) {
		const uint32_t n = first + i;

		if (pwrite(fd, &n, sizeof(n), i * PAGE) != sizeof(n))
			abort();
	}
	return fd;
}

static struct mapping_place at(uint32_t page, uint32_t pages)
{
	return (struct mapping_place){ vram, page * PAGE, pages * PAGE, 0 };
}

static bool shows(const char *addr, const struct mapping_place *place)
{
	for (uint64_t i = 0; i < place->size / PAGE; i++) {
		const uint32_t want = place->offset / PAGE + i +
				      (place->fd == other ? OTHER_FILE : 0);
		uint32_t have;

		memcpy(&have, addr + i * PAGE, sizeof(have));
		if (have != want) {
			printf("# page %llu shows %#x, not %#x\n", (unsigned long long)i, have,
			       want);
			return false;
		}
	}
	return true;
}

/* Returns the number of memory areas in the home window. */
static int count_areas(const struct mapping_space *s)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && end > (uintptr_t)s->home &&
		    start < (uintptr_t)s->home + s->config.size)
			n++;
	fclose(f);
	return n;
}

static bool is_as_new(const struct mapping_space *s)
{
	const struct mapping_place all = at(0, PAGES);

	return !s->claims && !s->pieces && !s->n_pieces && count_areas(s) == 1 &&
	       shows(s->home, &all);
}

static struct mapping *new_at(struct mapping_space *s, uint32_t page, uint32_t pages)
{
	return mapping_new(s, &(struct mapping_place){ vram, page * PAGE, pages * PAGE, 0 }, s);
}

static int move_to(struct mapping_space *s, struct mapping *m, uint32_t page)
{
	const struct mapping_place place = at(page, m->place.size / PAGE);

	return mapping_move(s, m, &place);
}

static bool ok(const struct mapping *m)
{
	return shows(m->addr, &m->place);
}

/* Cases. The space is new and must be as new after each. */

static bool stays_home(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 0, 8), *b = new_at(s, 8, 1), *c = new_at(s, PAGES - 1, 1);
	const bool good = a->addr == s->home && b->addr == s->home + 8 * PAGE &&
			  c->addr == s->home + (PAGES - 1) * PAGE && !s->n_pieces &&
			  count_areas(s) == 1;

	mapping_free(s, b);
	mapping_free(s, a);
	mapping_free(s, c);
	return good;
}

static bool moves_and_comes_back(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 4, 4);
	char *const addr = a->addr;
	bool good = !move_to(s, a, 100) && a->addr == addr && ok(a) && s->n_pieces == 1;

	good &= !move_to(s, a, 7) && ok(a) && s->n_pieces == 1;		/* over its own home */
	good &= !move_to(s, a, 4) && ok(a) && s->n_pieces == 0 && count_areas(s) == 1;
	mapping_free(s, a);
	return good;
}

static bool free_brings_home_back(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 4, 4), *b;
	bool good = !move_to(s, a, 100);

	mapping_free(s, a);
	b = new_at(s, 2, 8);
	good &= b->addr == s->home + 2 * PAGE && ok(b);
	mapping_free(s, b);
	return good;
}

static bool change_places(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 0, 4), *b = new_at(s, 4, 4), *c;
	bool good = !move_to(s, a, 4) && !move_to(s, b, 0) && ok(a) && ok(b);

	/* The addresses of a are not available for c, although a is elsewhere. */
	c = new_at(s, 1, 2);
	good &= c->addr != s->home + PAGE && ok(a) && ok(b) && ok(c) && s->n_pieces == 3;
	good &= !move_to(s, c, 50) && ok(c);
	mapping_free(s, a);
	good &= ok(b) && ok(c);
	mapping_free(s, b);
	good &= ok(c);
	mapping_free(s, c);
	return good;
}

static bool neighbours_are_left_alone(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 0, 4), *b = new_at(s, 4, 4), *c = new_at(s, 8, 4);
	bool good = !move_to(s, b, 30) && ok(a) && ok(b) && ok(c);

	mapping_free(s, b);
	good &= ok(a) && ok(c) && count_areas(s) == 1;
	mapping_free(s, a);
	mapping_free(s, c);
	return good;
}

static bool overlaps_are_found(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 10, 10);
	bool good = true;

	for (uint32_t page = 5; page < 25; page++) {
		const struct mapping_place one = at(page, 1), across = at(page - 1, 3);

		good &= (mapping_overlap(s, &one) == a) == (page >= 10 && page < 20);
		good &= (mapping_overlap(s, &across) == a) == (page >= 9 && page < 21);
	}
	mapping_free(s, a);
	return good;
}

static bool home_is_given_up(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 0, 4), *b, *c;
	bool good;

	mapping_give_up(s, a);
	b = new_at(s, 0, 4);
	good = b->addr == s->home && ok(a);
	mapping_free(s, a);
	good &= ok(b) && !move_to(s, b, 40);
	/* A mapping that has moved away keeps its addresses. */
	mapping_give_up(s, b);
	c = new_at(s, 0, 4);
	good &= c->addr != s->home && ok(b) && ok(c);
	mapping_free(s, b);
	mapping_free(s, c);
	return good;
}

static bool other_files(struct mapping_space *s)
{
	const struct mapping_place place = { other, 0, 4 * PAGE, 0 },
		second = { other, 8 * PAGE, 4 * PAGE, 0 };
	struct mapping *a = mapping_new(s, &place, s), *b = new_at(s, 0, 4);
	bool good = ok(a) && b->addr == s->home && ok(b) && s->n_pieces == 1;

	good &= !mapping_move(s, b, &second) && ok(b) && !move_to(s, a, 0) && ok(a) &&
		s->n_pieces == 2;
	good &= !move_to(s, b, 0) && ok(b) && s->n_pieces == 1;
	mapping_free(s, b);
	mapping_free(s, a);
	return good;
}

static bool pieces_are_limited(struct mapping_space *s)
{
	struct mapping *m[MAX_PIECES + 1];
	bool good = true;

	for (uint32_t i = 0; i <= MAX_PIECES; i++) {
		m[i] = new_at(s, 2 * i, 1);
		good &= move_to(s, m[i], 2 * i + 1) == (i < MAX_PIECES ? 0 : -ENOSPC);
	}
	good &= ok(m[MAX_PIECES]) && mapping_is_home(m[MAX_PIECES]);
	good &= !new_at(s, 0, 1) && errno == ENOSPC;
	/* A mapping that is a piece can still move. */
	good &= !move_to(s, m[0], 77) && ok(m[0]);
	mapping_free(s, m[1]);
	good &= !move_to(s, m[MAX_PIECES], 0) && ok(m[MAX_PIECES]);
	for (uint32_t i = 0; i <= MAX_PIECES; i++)
		if (i != 1)
			mapping_free(s, m[i]);
	return good;
}

/* A mapping of an invalid file or range fails and changes nothing. */
static bool bad_files_are_refused(struct mapping_space *s)
{
	const struct mapping_place closed = { -1, 0, PAGE, 0 };
	struct mapping *a = new_at(s, 0, 1);
	bool good = mapping_move(s, a, &closed) == -EBADF && ok(a) && !s->n_pieces;

	good &= !mapping_new(s, &closed, s) && errno == EBADF;
	mapping_free(s, a);
	return good;
}

static bool anything_goes(struct mapping_space *s)
{
	struct mapping *m[40] = { NULL };
	char *addr[40];
	bool good = true;

	srandom(1);
	for (int step = 0; step < 20000 && good; step++) {
		const int i = random() % 40;
		const uint32_t page = random() % (PAGES - 16), pages = random() % 16 + 1;
		uint32_t pieces = 0;

		if (!m[i]) {
			m[i] = new_at(s, page, pages);
			addr[i] = m[i] ? m[i]->addr : NULL;
			good &= m[i] != NULL;
		} else if (random() % 3) {
			good &= !move_to(s, m[i], m[i]->claims &&
					 page % 4 == 0 ? (m[i]->addr - s->home) / PAGE : page);
		} else {
			mapping_free(s, m[i]);
			m[i] = NULL;
		}
		for (int k = 0; k < 40; k++) {
			if (!m[k])
				continue;
			good &= m[k]->addr == addr[k] && ok(m[k]);
			pieces += m[k]->addr != s->home + m[k]->place.offset;
		}
		good &= pieces == s->n_pieces;
	}
	for (int i = 0; i < 40; i++)
		if (m[i])
			mapping_free(s, m[i]);
	return good;
}

/* Cases with extents. Extents with @owners[i] == CLIENT belong to the client. */

static uint32_t owners[EXTENTS + 1];

static void own(uint32_t first, uint32_t n, uint32_t client)
{
	for (uint32_t i = first; i < first + n; i++)
		owners[i] = client;
}

/* Returns true if none of the pages is readable. */
static bool is_nothing(const char *addr, uint32_t pages)
{
	bool nothing = true;

	for (uint32_t i = 0; i < pages; i++)
		nothing &= write(pipes[1], addr + i * PAGE, 1) < 0 && errno == EFAULT;
	return nothing;
}

static bool home_shows(const struct mapping_space *s, uint32_t first, uint32_t n)
{
	const struct mapping_place place = at(first * EXTENT, n * EXTENT);

	return shows(s->home + first * EXTENT * PAGE, &place);
}

static bool home_has_nothing(const struct mapping_space *s, uint32_t first, uint32_t n)
{
	return is_nothing(s->home + first * EXTENT * PAGE, n * EXTENT);
}

static bool never_stale(void *owner, void *data)
{
	return !owner || !data;
}

static bool always_stale(void *owner, void *data)
{
	return owner && data;
}

static bool own_are_mapped_together(struct mapping_space *s)
{
	struct mapping *a;
	bool good = home_has_nothing(s, 0, EXTENTS);

	own(3, 4, CLIENT);
	own(9, 1, CLIENT);
	own(2, 1, CLIENT + 1);
	a = new_at(s, 5 * EXTENT + 3, 2);
	good &= a->addr == s->home + (5 * EXTENT + 3) * PAGE && home_shows(s, 3, 4) &&
		count_areas(s) == 3;
	good &= home_has_nothing(s, 0, 3) && home_has_nothing(s, 7, EXTENTS - 7);
	mapping_free(s, a);
	return good && home_shows(s, 3, 4);
}

static bool foreign_is_elsewhere(struct mapping_space *s)
{
	struct mapping *a, *b, *c;
	const char *addr;
	bool good;

	own(3, 2, CLIENT);
	a = new_at(s, 3 * EXTENT - 1, 2);
	addr = a->addr;
	b = new_at(s, 5 * EXTENT - 1, 2);
	c = new_at(s, EXTENTS * EXTENT, 1);
	good = ok(a) && ok(b) && ok(c) && s->n_pieces == 3 && count_areas(s) == 1;
	good &= a->addr >= s->home + s->config.size && b->addr >= s->home + s->config.size;
	mapping_free(s, a);
	mapping_free(s, b);
	mapping_free(s, c);
	return good && is_nothing(addr, 2) && !s->n_pieces;
}

static bool revoked_is_nothing(struct mapping_space *s)
{
	struct mapping *a, *b;
	bool good;

	own(3, 4, CLIENT);
	a = new_at(s, 3 * EXTENT, 2);
	b = new_at(s, 0, 4);
	own(4, 2, 0);
	good = mapping_revoke_vram(s, never_stale, s) && ok(a) && ok(b) && home_shows(s, 3, 1) &&
	       home_has_nothing(s, 4, 2) && home_shows(s, 6, 1);
	good &= mapping_revoke_vram(s, always_stale, s) && is_nothing(b->addr, 4) && ok(a);
	own(3, 4, 0);
	good &= mapping_revoke_vram(s, never_stale, s) && home_has_nothing(s, 0, EXTENTS) &&
		count_areas(s) == 1;
	mapping_free(s, a);
	mapping_free(s, b);
	return good;
}

/* The addresses of moved mappings are within extents that are revoked and granted again. */
static bool moved_stays(struct mapping_space *s)
{
	struct mapping *m[8], *late;
	bool good = true;

	own(0, 8, CLIENT);
	for (uint32_t i = 0; i < 8; i++) {
		m[i] = new_at(s, i * EXTENT + i, 3);
		good &= !move_to(s, m[i], (i + 1) * EXTENT - 4) && ok(m[i]);
	}
	own(0, 8, CLIENT + 1);
	good &= mapping_revoke_vram(s, never_stale, s);
	for (uint32_t i = 0; i < 8; i++)
		good &= ok(m[i]);
	good &= is_nothing(m[7]->addr + 3 * PAGE, 4);
	mapping_free(s, m[0]);
	good &= home_has_nothing(s, 0, 1);
	own(0, 8, CLIENT);
	late = new_at(s, 7 * EXTENT + 12, 2);
	good &= late->addr == s->home + (7 * EXTENT + 12) * PAGE && ok(late) && home_shows(s, 0, 1);
	for (uint32_t i = 1; i < 8; i++) {
		good &= ok(m[i]);
		mapping_free(s, m[i]);
	}
	mapping_free(s, late);
	return good && home_shows(s, 0, 8) && count_areas(s) == 2;
}

/* An allocation comes back to a home that was revoked. */
static bool comes_back_to_new_extents(struct mapping_space *s)
{
	struct mapping *a;
	bool good;

	own(5, 2, CLIENT);
	a = new_at(s, 5 * EXTENT + 8, 16);
	own(5, 2, 0);
	good = mapping_revoke_vram(s, never_stale, s) && is_nothing(a->addr, 16);
	good &= !move_to(s, a, 2) && ok(a) && s->n_pieces == 1;
	own(5, 1, CLIENT);
	good &= !move_to(s, a, 5 * EXTENT + 8) && ok(a) && s->n_pieces == 1;
	own(6, 1, CLIENT);
	good &= !move_to(s, a, 5 * EXTENT + 8) && ok(a) && s->n_pieces == 0 && home_shows(s, 5, 2);
	mapping_free(s, a);
	return good;
}

static bool addresses_are_used_again(struct mapping_space *s)
{
	char *first = NULL;
	bool good = true;

	for (uint32_t i = 0; i < 5000 && good; i++) {
		struct mapping *a = new_at(s, 1, 1 + i % 7), *b = new_at(s, 2, 1);

		good &= ok(a) && ok(b);
		if (i % 7 == 2)
			good &= !first || first == a->addr;
		if (i % 7 == 2)
			first = a->addr;
		mapping_free(s, a);
		mapping_free(s, b);
	}
	return good && !s->n_pieces;
}

/* Makes second mappings at device addresses, of mappings at home, moved ones and other files. */
static bool shows_at_device(struct mapping_space *s)
{
	const struct mapping_place place = at(3, 2), far = { other, 5 * PAGE, 2 * PAGE, 0 };
	struct mapping *home = new_at(s, 3, 2), *a = mapping_new_at_device(s, 0x10000, &place, s);
	bool good = ok(home) && ok(a) && s->n_pieces == 1;

	good &= !mapping_new_at_device(s, 0x10000, &place, s) && errno == EEXIST;
	good &= !mapping_new_at_device(s, 0x10000 + PAGE, &place, s) && errno == EEXIST;
	good &= !mapping_new_at_device(s, 0x10000 - PAGE, &place, s) && errno == EEXIST;
	good &= mapping_at_device(s, 0x10000) == a && !mapping_at_device(s, 0x10000 + PAGE);
	good &= !move_to(s, a, 100) && ok(a) && ok(home) && !mapping_move(s, a, &far) && ok(a);
	mapping_free(s, a);
	good &= is_nothing((char *)MAPPING_DEVICE + 0x10000, 2) && !mapping_at_device(s, 0x10000);
	a = mapping_new_at_device(s, (1ull << SUNDOG_ADDRESS_BITS) - 2 * PAGE, &place, s);
	good &= ok(a) && mapping_revoke_vram(s, always_stale, s) && is_nothing(a->addr, 2);
	good &= !move_to(s, a, 3) && ok(a);
	mapping_free(s, a);
	mapping_free(s, home);
	return good;
}

/*
 * @with_extents: only the extents that a case names belong to the client, and home need not be as
 * new at the end.
 */
static const struct {
	const char *name;
	bool (*run)(struct mapping_space *s);
	bool with_extents;
} cases[] = {
	{ "what stays where it is costs nothing", stays_home, false },
	{ "a move keeps the addresses, also over its own home", moves_and_comes_back, false },
	{ "the end of a mapping brings home back", free_brings_home_back, false },
	{ "two change places, a third gets addresses of its own", change_places, false },
	{ "neighbours are left alone", neighbours_are_left_alone, false },
	{ "overlaps are found to the page", overlaps_are_found, false },
	{ "home can be given up, but not while away", home_is_given_up, false },
	{ "other files, to and fro", other_files, false },
	{ "pieces are limited, and nothing breaks there", pieces_are_limited, false },
	{ "a map that fails changes nothing", bad_files_are_refused, false },
	{ "anything, in any order", anything_goes, false },
	{ "own extents are mapped when one is used, side by side", own_are_mapped_together, true },
	{ "what is in other extents, or in none, lives elsewhere", foreign_is_elsewhere, true },
	{ "nothing is where extents were taken back", revoked_is_nothing, true },
	{ "what moved stays where it is when extents go and come", moved_stays, true },
	{ "an allocation comes back to extents that were away", comes_back_to_new_extents, true },
	{ "addresses of pieces are used again", addresses_are_used_again, true },
	{ "device addresses show what they are told to, until it is taken back", shows_at_device,
	  false },
};

static void space_end(struct mapping_space *s)
{
	munmap(s->window, s->window_size);
	for (size_t i = 0; i < sizeof(s->free) / sizeof(s->free[0]); i++) {
		while (s->free[i]) {
			struct mapping *m = s->free[i];

			s->free[i] = m->next;
			free(m);
		}
	}
	free(s->mapped);
}

int main(void)
{
	const int n = sizeof(cases) / sizeof(cases[0]);
	struct mapping_space s;

	vram = numbered_file(0);
	other = numbered_file(OTHER_FILE);
	if (pipe(pipes))
		return 1;
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		const struct mapping_config config = {
			.fd = vram, .guest_fd = -1, .size = PAGES * PAGE, .max_pieces = MAX_PIECES,
			.extents = cases[i].with_extents ? owners : NULL,
			.extent_shift = EXTENT_SHIFT,
			.client = CLIENT,
		};
		bool good;

		if (mapping_space_init(&s, &config))
			return 1;
		own(0, EXTENTS, 0);
		good = cases[i].run(&s) && (cases[i].with_extents || is_as_new(&s));
		printf("%sok %d - %s\n", good ? "" : "not ", i + 1, cases[i].name);
		space_end(&s);
	}
	return 0;
}

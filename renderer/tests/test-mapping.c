// SPDX-License-Identifier: MIT
/*
 * Addresses of memory, see mapping.h: whatever moves, each mapping shows its place at constant
 * addresses, and in the end home is one memory area that shows VRAM in order. Prints TAP.
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

#include "mapping.h"

#define PAGE 4096ull
#define PAGES 256
#define OTHER_FILE 0x10000u	/* added to the page numbers of the second file */
#define MAX_PIECES 64

static int vram, other;

/* A file whose pages start with their number. */
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
	return (struct mapping_place){ vram, page * PAGE, pages * PAGE };
}

static bool shows(const char *addr, const struct mapping_place *place)
{
	for (uint64_t i = 0; i < place->size / PAGE; i++) {
		const uint32_t want = place->offset / PAGE + i + (place->fd == other ? OTHER_FILE : 0);
		uint32_t have;

		memcpy(&have, addr + i * PAGE, sizeof(have));
		if (have != want) {
			printf("# page %llu shows %#x, not %#x\n", (unsigned long long)i, have, want);
			return false;
		}
	}
	return true;
}

/* Memory areas that home is made of. */
static int count_areas(const struct mapping_space *s)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && end > (uintptr_t)s->home &&
		    start < (uintptr_t)s->home + s->size)
			n++;
	fclose(f);
	return n;
}

static bool is_as_new(const struct mapping_space *s)
{
	const struct mapping_place all = at(0, PAGES);

	return !s->claims && !s->pieces && !s->n_pieces && count_areas(s) == 1 && shows(s->home, &all);
}

static struct mapping *new_at(struct mapping_space *s, uint32_t page, uint32_t pages)
{
	return mapping_new(s, &(struct mapping_place){ vram, page * PAGE, pages * PAGE }, s);
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

/* Cases; the space is new and must be as new after each */

static bool stays_home(struct mapping_space *s)
{
	struct mapping *a = new_at(s, 0, 8), *b = new_at(s, 8, 1), *c = new_at(s, PAGES - 1, 1);
	const bool good = a->addr == s->home && b->addr == s->home + 8 * PAGE &&
			  c->addr == s->home + (PAGES - 1) * PAGE && !s->n_pieces && count_areas(s) == 1;

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

	/* Where a's addresses are is no place for c, though a is not there. */
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
	/* One that is away keeps it. */
	mapping_give_up(s, b);
	c = new_at(s, 0, 4);
	good &= c->addr != s->home && ok(b) && ok(c);
	mapping_free(s, b);
	mapping_free(s, c);
	return good;
}

static bool other_files(struct mapping_space *s)
{
	const struct mapping_place place = { other, 0, 4 * PAGE }, second = { other, 8 * PAGE, 4 * PAGE };
	struct mapping *a = mapping_new(s, &place, s), *b = new_at(s, 0, 4);
	bool good = ok(a) && b->addr == s->home && ok(b) && s->n_pieces == 1;

	good &= !mapping_move(s, b, &second) && ok(b) && !move_to(s, a, 0) && ok(a) && s->n_pieces == 2;
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
	/* One that is a piece goes on moving. */
	good &= !move_to(s, m[0], 77) && ok(m[0]);
	mapping_free(s, m[1]);
	good &= !move_to(s, m[MAX_PIECES], 0) && ok(m[MAX_PIECES]);
	for (uint32_t i = 0; i <= MAX_PIECES; i++)
		if (i != 1)
			mapping_free(s, m[i]);
	return good;
}

/* No mapping of a part that is not there; nothing changes. */
static bool bad_files_are_refused(struct mapping_space *s)
{
	const struct mapping_place closed = { -1, 0, PAGE };
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
			good &= !move_to(s, m[i], m[i]->claims && page % 4 == 0 ? (m[i]->addr - s->home) / PAGE : page);
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

static const struct {
	const char *name;
	bool (*run)(struct mapping_space *s);
} cases[] = {
	{ "what stays where it is costs nothing", stays_home },
	{ "a move keeps the addresses, also over its own home", moves_and_comes_back },
	{ "the end of a mapping brings home back", free_brings_home_back },
	{ "two change places, a third gets addresses of its own", change_places },
	{ "neighbours are left alone", neighbours_are_left_alone },
	{ "overlaps are found to the page", overlaps_are_found },
	{ "home can be given up, but not while away", home_is_given_up },
	{ "other files, to and fro", other_files },
	{ "pieces are limited, and nothing breaks there", pieces_are_limited },
	{ "a map that fails changes nothing", bad_files_are_refused },
	{ "anything, in any order", anything_goes },
};

int main(void)
{
	const int n = sizeof(cases) / sizeof(cases[0]);
	struct mapping_space s;

	vram = numbered_file(0);
	other = numbered_file(OTHER_FILE);
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		if (mapping_space_init(&s, vram, PAGES * PAGE, MAX_PIECES))
			return 1;
		printf("%sok %d - %s\n", cases[i].run(&s) && is_as_new(&s) ? "" : "not ", i + 1, cases[i].name);
		munmap(s.home, s.size);
	}
	return 0;
}

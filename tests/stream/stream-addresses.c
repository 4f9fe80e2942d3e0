// SPDX-License-Identifier: MIT
/*
 * Tests device addresses (MAP_ADDRESS) and sparse memory: reads and writes, invalid packets, and
 * accesses at addresses that were a client's or were never mapped, beside another client whose
 * memory is full of canaries. With an argument, shaders access unmapped addresses, which ends their
 * worker. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "fake-device.h"

#include "addresses_comp.h"
#include "addresses_few_comp.h"

/* Each client owns a part of VRAM. SHARED, which both use, is in extents that no client owns. */
enum { DATA = STREAM + 1, RESULT, OTHER, SHARED, GUEST, LAST };
#define PART (4ull << 20)
#define FIRST_OFFSET PART
#define RESULT_OFFSET (FIRST_OFFSET + PART / 2)
#define SECOND_OFFSET (2 * PART)
#define SHARED_OFFSET (3 * PART)
#define SIZE (16 * PAGE)
#define SECOND_CLIENT 1000

#define CANARY 0x7aceca11u
#define SHADER 1
#define SPARSE 2
#define IMAGE 3

/* Device addresses that the driver chose. */
#define DATA_AT 0x10000000ull
#define RESULT_AT 0x20000ull
#define OTHER_AT 0x8000000000ull
#define SPARSE_AT 0x4000000000ull
#define SPARSE_PAGES 8
#define END (1ull << SUNDOG_ADDRESS_BITS)

enum way { READ, WRITE, ADD, READ_VECTOR, WRITE_VECTOR, READ_LARGE, WRITE_LARGE, SWAP, WRITE_LONG,
	   N_WAYS };

struct push {
	uint64_t at, result;
	uint32_t way, index, value, times;
};

struct scene {
	struct device *d;
	struct channel first, second;
	/* id of the first client; a new one each time its worker has ended */
	uint32_t client;
	/* the worker ends often, so the test compiles a shorter shader */
	bool wild;
};

static const uint32_t all[] = { DATA, RESULT, 0 };

static uint32_t *words_of(const struct scene *s, uint32_t handle)
{
	return (uint32_t *)(s->d->vram + s->d->table[handle].offset);
}

static void emit_map(struct scene *s, uint32_t handle, uint64_t address)
{
	sundog_emit_map_address(&s->d->stream, &(struct sundog_cmd_map_address){
		mem(handle), address });
}

static void emit_unmap(struct scene *s, uint64_t address)
{
	sundog_emit_unmap_address(&s->d->stream, &(struct sundog_cmd_unmap_address){ address });
}

static void fill(uint32_t *words, uint64_t size, uint32_t value)
{
	for (uint64_t i = 0; i < size / 4; i++)
		words[i] = value;
}

/* Word i of the data is i + 1. */
static void fill_data(struct scene *s)
{
	for (uint32_t i = 0; i < SIZE / 4; i++)
		words_of(s, DATA)[i] = i + 1;
	fill(words_of(s, RESULT), SIZE, 0x5d5d5d5d);
}

/* Creates the shader, and maps DATA and RESULT at their addresses. */
static void make_objects(struct scene *s)
{
	const struct sundog_cmd_create_shader shader = {
		.id = SHADER, .stage = SUNDOG_STAGE_COMPUTE, .push_size = sizeof(struct push),
		.n_dwords = s->wild ? sizeof(addresses_few_comp) / 4 : sizeof(addresses_comp) / 4,
	};

	sundog_emit_create_shader(&s->d->stream, &shader,
				  s->wild ? addresses_few_comp : addresses_comp);
	emit_map(s, DATA, DATA_AT);
	emit_map(s, RESULT, RESULT_AT);
}

static bool begin(struct scene *s)
{
	give_extents(s->d, FIRST_OFFSET, PART, s->client);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	publish(s->d, RESULT, SUNDOG_HEAP_VRAM, RESULT_OFFSET, SIZE);
	s->first = channel_new(s->d, s->client, 0);
	fill_data(s);
	make_objects(s);
	return run(s->d, &s->first, all);
}

static struct scene scene_new(bool wild)
{
	struct scene s = { .d = device_new(), .client = 1, .wild = wild };

	publish(s.d, OTHER, SUNDOG_HEAP_VRAM, SECOND_OFFSET, PART);
	publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, SIZE);
	give_extents(s.d, SECOND_OFFSET, PART, SECOND_CLIENT);
	s.second = channel_new(s.d, SECOND_CLIENT, 1);
	emit_fill(s.d, OTHER, PART, CANARY);
	report(run(s.d, &s.second, (const uint32_t[]){ OTHER, 0 }) && begin(&s),
	       "two clients, one with addresses");
	return s;
}

static bool is_intact(const struct scene *s)
{
	return is_filled((uint32_t *)(s->d->vram + SECOND_OFFSET), PART, CANARY);
}

static void scene_free(struct scene *s)
{
	report(is_intact(s), "the other client's memory is as it was");
	channel_free(&s->first);
	channel_free(&s->second);
	device_free(s->d);
}

static void emit_access(struct scene *s, enum way way, uint64_t at, uint32_t index, uint32_t times)
{
	const struct push push = { at, RESULT_AT, way, index, 0xbad, times };
	struct sundog_cmd_bind_shaders bind = { .shaders = { [SUNDOG_STAGE_COMPUTE] = SHADER } };

	sundog_emit_bind_shaders(&s->d->stream, &bind);
	sundog_emit_push_constants(&s->d->stream,
				   &(struct sundog_cmd_push_constants){ .count = sizeof(push) / 4 },
				   (const uint32_t *)&push);
	sundog_emit_dispatch(&s->d->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
}

static bool do_access(struct scene *s, enum way way, uint64_t at, uint32_t index)
{
	emit_access(s, way, at, index, 0);
	words_of(s, RESULT)[1000] = 0;
	return run(s->d, &s->first, all) && words_of(s, RESULT)[1000] == 1;
}

static bool reads(struct scene *s, uint64_t at, uint32_t index, uint32_t value)
{
	return do_access(s, READ, at, index) && words_of(s, RESULT)[0] == value;
}

/* Destroys the client. begin() makes another one. */
static void again(struct scene *s)
{
	struct sundog_message_client_destroy m;

	destroy(s->d, &s->first);
	channel_free(&s->first);
	message_init(&m, CLIENT_DESTROY);
	m.client = s->client++;
	send_message(s->d, &m.header, NULL, 0);
}

/* Accesses at mapped addresses */

static void test_ways(struct scene *s)
{
	uint32_t *data = words_of(s, DATA), *result = words_of(s, RESULT);
	bool ok = reads(s, DATA_AT, 0, 1) && reads(s, DATA_AT, 100, 101) &&
		  reads(s, DATA_AT + 16 * PAGE - 4, 0, SIZE / 4);

	ok = ok && do_access(s, READ_VECTOR, DATA_AT + 16, 2) && result[0] == 13 && result[3] == 16;
	ok = ok && do_access(s, READ_LARGE, DATA_AT + 4, 3) && result[0] == 602 &&
	     result[199] == 801;
	report(ok, "words, vectors and structs are read");
	ok = do_access(s, WRITE, DATA_AT, 7) && data[7] == 0xbad && data[8] == 9;
	ok = ok && do_access(s, WRITE_VECTOR, DATA_AT, 4) && data[16] == 0xbad &&
	     data[19] == 0xbad && data[20] == 21;
	ok = ok && do_access(s, ADD, DATA_AT, 30) && data[30] == 31 + 0xbad && result[0] == 31;
	ok = ok && do_access(s, SWAP, DATA_AT, 7) && data[7] == 0xbad + 1;
	fill(result, 800, 0x600d);
	ok = ok && do_access(s, WRITE_LARGE, DATA_AT, 1) && data[199] == 200 &&
	     data[200] == 0x600d && data[399] == 0x600d &&
	     data[400] == 401;
	report(ok, "and written, and changed atomically");
	fill_data(s);
}

/* Address bits above SUNDOG_ADDRESS_BITS, and indices that bring an address back into range. */
static void test_other_bits(struct scene *s)
{
	bool ok = true;

	for (uint32_t bit = SUNDOG_ADDRESS_BITS; bit < 64; bit++)
		ok = ok && reads(s, DATA_AT | 1ull << bit, 5, 6) &&
		     reads(s, DATA_AT | ~0ull << bit, 5, 6);
	report(ok, "bits that are none of an address are nothing");
	ok = reads(s, DATA_AT - 4ull * 0xfffff, 0xfffff, 1) && reads(s, DATA_AT + 4 - END, 0, 2);
	/* Indices are signed. */
	ok = ok && reads(s, DATA_AT + 400, -50, 51);
	report(ok, "where an index leads is what counts");
	for (uint32_t i = 1; i < 4; i++)
		ok = ok && reads(s, DATA_AT + 40 + i, 0, 11) &&
		     do_access(s, ADD, DATA_AT + 80 + i, 0);
	ok = ok && words_of(s, DATA)[20] == 21 + 3 * 0xbad && words_of(s, DATA)[19] == 20 &&
	     words_of(s, DATA)[21] == 22;
	for (uint32_t i = 1; i < 16; i++)
		ok = ok && do_access(s, READ_VECTOR, DATA_AT + 160 + i, 0) &&
		     words_of(s, RESULT)[0] == 41 + i / 4;
	report(ok, "words are read and changed where they are aligned");
	fill_data(s);
}

static void test_unmap(struct scene *s)
{
	bool ok;

	emit_map(s, DATA, OTHER_AT);
	ok = run(s->d, &s->first, all) && reads(s, OTHER_AT, 8, 9) && reads(s, DATA_AT, 8, 9);
	report(ok, "memory at two addresses");
	emit_unmap(s, DATA_AT);
	emit_map(s, RESULT, DATA_AT);
	ok = run(s->d, &s->first, all) && reads(s, OTHER_AT, 8, 9) &&
	     reads(s, DATA_AT, 8, 0x5d5d5d5d);
	report(ok, "other memory at an address that was given back");
	emit_unmap(s, DATA_AT);
	emit_unmap(s, OTHER_AT);
	emit_map(s, DATA, END - SIZE);
	ok = run(s->d, &s->first, all) && reads(s, END - SIZE, 0, 1) &&
	     reads(s, END - 4, 0, SIZE / 4);
	emit_unmap(s, END - SIZE);
	emit_map(s, DATA, SUNDOG_MIN_ADDRESS);
	ok = ok && run(s->d, &s->first, all) && reads(s, SUNDOG_MIN_ADDRESS, 0, 1);
	emit_unmap(s, SUNDOG_MIN_ADDRESS);
	emit_map(s, DATA, DATA_AT);
	report(ok && run(s->d, &s->first, all), "the first address and the last one");
}

/* The driver moves the allocation: its address has to show the new contents. */
static void test_move(struct scene *s)
{
	bool ok = true;

	for (uint32_t i = 1; i < 20 && ok; i++) {
		const uint64_t offset = i % 2 ? FIRST_OFFSET + i * SIZE : SHARED_OFFSET + i * SIZE;

		unpublish(s->d, DATA);
		fill((uint32_t *)(s->d->vram + offset), SIZE, i);
		publish(s->d, DATA, SUNDOG_HEAP_VRAM, offset, SIZE);
		ok = reads(s, DATA_AT, 5, i) && do_access(s, WRITE, DATA_AT, 6) &&
		     words_of(s, DATA)[6] == 0xbad;
	}
	report(ok, "memory that moves is at its address wherever it is");
	unpublish(s->d, DATA);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	fill_data(s);
	report(reads(s, DATA_AT, 5, 6), "and back");
}

/*
 * A revoked shared allocation is unmapped everywhere. When it comes back it is not at its old
 * address.
 */
static void test_revoke(struct scene *s)
{
	const uint32_t list[] = { SHARED, RESULT, DATA, 0 };
	struct workers w = find_workers();
	bool ok;

	fill(words_of(s, SHARED), SIZE, 77);
	emit_map(s, SHARED, OTHER_AT);
	ok = run(s->d, &s->first, list) && reads(s, OTHER_AT, 3, 77);
	unpublish(s->d, SHARED);
	post_revoke(s->d);
	ok = ok && expect_revoked(s->d);
	for (int i = 0; i < w.n; i++)
		ok = ok && !count_areas(s->d, w.pids[i], SHARED_OFFSET, SIZE);
	report(ok && reads(s, DATA_AT, 5, 6), "shared memory that is revoked is at no address");
	publish(s->d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET + SIZE, SIZE);
	fill(words_of(s, SHARED), SIZE, 78);
	emit_access(s, READ, OTHER_AT, 3, 0);
	ok = run(s->d, &s->first, list) && words_of(s, RESULT)[0] == 78;
	report(ok, "when it comes back it is there again");
	emit_unmap(s, OTHER_AT);
	report(run(s->d, &s->first, list), "and can be taken away");
	/* Revokes the client's own extents, except for those of RESULT. */
	unpublish(s->d, DATA);
	give_extents(s->d, FIRST_OFFSET, PART / 2, 0);
	post_revoke(s->d);
	ok = expect_revoked(s->d);
	for (int i = 0; i < w.n; i++)
		ok = ok && !count_areas(s->d, w.pids[i], FIRST_OFFSET, PART / 2);
	report(ok, "nor are extents");
	give_extents(s->d, FIRST_OFFSET, PART / 2, s->client);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	fill_data(s);
	report(reads(s, DATA_AT, 5, 6), "until they are the client's again");
}

/* Guest pages can be mapped at addresses. They are unmapped on GUEST_UNMAP. */
static void test_guest(struct scene *s)
{
	const uint32_t list[] = { GUEST, RESULT, DATA, 0 };
	struct pages pages = pages_new(SIZE);
	bool ok = map_pages(s->d, 0, &pages);

	publish(s->d, GUEST, SUNDOG_HEAP_GUEST, 0, SIZE);
	fill(pages.map, SIZE, 55);
	emit_map(s, GUEST, OTHER_AT);
	emit_access(s, READ, OTHER_AT, 3, 0);
	ok = ok && run(s->d, &s->first, list) && words_of(s, RESULT)[0] == 55;
	report(ok, "pages of the guest at an address");
	unpublish(s->d, GUEST);
	report(unmap_pages(s->d, 0, SIZE) && reads(s, DATA_AT, 5, 6), "they are given back");
	emit_unmap(s, OTHER_AT);
	report(run(s->d, &s->first, all), "and their address is free");
	pages_free(&pages);
}

/* Sparse memory, which consists of pages of DATA */

static struct sundog_mem sparse_mem(void)
{
	return (struct sundog_mem){ .index = SUNDOG_SPARSE_INDEX | SPARSE };
}

static void emit_map_range(struct scene *s, struct sundog_mem mem, uint64_t offset, uint64_t size,
			   uint64_t address)
{
	sundog_emit_map_address_range(&s->d->stream, &(struct sundog_cmd_map_address_range){
		mem, offset, size, address });
}

static void emit_sparse(struct scene *s, uint32_t id, uint64_t address, uint64_t size)
{
	sundog_emit_create_sparse_memory(&s->d->stream, &(struct sundog_cmd_create_sparse_memory){
		id, address, size });
}

static void emit_destroy(struct scene *s, uint32_t kind, uint32_t id)
{
	sundog_emit_destroy(&s->d->stream, &(struct sundog_cmd_destroy){ kind, id });
}

/* Page i of the sparse memory is page sparse_pages[i] of DATA. */
static const uint32_t sparse_pages[SPARSE_PAGES] = { 3, 1, 5, 6, 0, 9, 8, 12 };

static void make_sparse(struct scene *s)
{
	for (uint32_t i = 0; i < SPARSE_PAGES; i++)
		emit_map_range(s, mem(DATA), sparse_pages[i] * PAGE, PAGE, SPARSE_AT + i * PAGE);
	emit_sparse(s, SPARSE, SPARSE_AT, SPARSE_PAGES * PAGE);
}

static void drop_sparse(struct scene *s)
{
	emit_destroy(s, SUNDOG_OBJECT_KIND_SPARSE_MEMORY, SPARSE);
	for (uint32_t i = 0; i < SPARSE_PAGES; i++)
		emit_unmap(s, SPARSE_AT + i * PAGE);
}

/* Returns true if the pages of DATA in sparse memory are full of @value, and others as before. */
static bool shows(const struct scene *s, uint32_t value)
{
	const uint32_t *data = words_of(s, DATA);
	uint32_t n = 0;

	for (uint32_t page = 0; page < SIZE / PAGE; page++) {
		const uint32_t first = page * (PAGE / 4);
		bool sparse = false;

		for (uint32_t i = 0; i < SPARSE_PAGES; i++)
			sparse |= sparse_pages[i] == page;
		for (uint32_t i = first; i < first + PAGE / 4; i++)
			n += data[i] != (sparse ? value : i + 1);
	}
	return !n;
}

static void emit_sparse_fill(struct scene *s, uint32_t value)
{
	sundog_emit_fill_buffer(&s->d->stream, &(struct sundog_cmd_fill_buffer){
		{ sparse_mem(), 0, SPARSE_PAGES * PAGE }, value });
}

static void test_sparse(struct scene *s)
{
	const struct sundog_cmd_copy_buffer copy = {
		.src = sparse_mem(), .dst = mem(RESULT), .size = SPARSE_PAGES * PAGE,
	};
	bool ok = true;

	make_sparse(s);
	sundog_emit_copy_buffer(&s->d->stream, &copy);
	ok = run(s->d, &s->first, all);
	for (uint32_t i = 0; i < SPARSE_PAGES * PAGE / 4; i++)
		ok = ok && words_of(s, RESULT)[i] ==
				   sparse_pages[i / (PAGE / 4)] * (PAGE / 4) + i % (PAGE / 4) + 1;
	report(ok, "sparse memory is what is mapped there");
	emit_sparse_fill(s, 0xf111);
	ok = run(s->d, &s->first, all) && shows(s, 0xf111) &&
	     reads(s, SPARSE_AT + 2 * PAGE, 4, 0xf111);
	report(ok, "and is written, also through its addresses");
	fill_data(s);

	unpublish(s->d, DATA);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, SHARED_OFFSET + PAGE, SIZE);
	fill_data(s);
	emit_sparse_fill(s, 0xf222);
	ok = run(s->d, &s->first, all) && shows(s, 0xf222);
	unpublish(s->d, DATA);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	fill_data(s);
	emit_sparse_fill(s, 0xf333);
	report(ok && run(s->d, &s->first, all) && shows(s, 0xf333),
	       "memory that moves is there in parts");
	fill_data(s);

	/* Pages 0 and 1 change places. */
	emit_unmap(s, SPARSE_AT);
	emit_unmap(s, SPARSE_AT + PAGE);
	emit_map_range(s, mem(DATA), sparse_pages[1] * PAGE, PAGE, SPARSE_AT);
	emit_map_range(s, mem(DATA), sparse_pages[0] * PAGE, PAGE, SPARSE_AT + PAGE);
	ok = run(s->d, &s->first, all) && reads(s, SPARSE_AT, 0, PAGE / 4 + 1) &&
	     reads(s, SPARSE_AT + PAGE, 0, 3 * (PAGE / 4) + 1);
	report(ok, "other parts at addresses that were given back");
	drop_sparse(s);
	report(run(s->d, &s->first, all), "and all of it is given back");
}

/* The driver evicts DATA to pages of the guest, and revokes these. */
static void test_sparse_guest(struct scene *s)
{
	struct pages pages = pages_new(SIZE);
	bool ok = map_pages(s->d, 0, &pages);

	make_sparse(s);
	ok = ok && run(s->d, &s->first, all);
	unpublish(s->d, DATA);
	publish(s->d, DATA, SUNDOG_HEAP_GUEST, 0, SIZE);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		pages.map[i] = i + 1;
	emit_sparse_fill(s, 0xf555);
	ok = ok && run(s->d, &s->first, all);
	for (uint32_t i = 0; i < SPARSE_PAGES; i++)
		ok = ok && is_filled(pages.map + sparse_pages[i] * (PAGE / 4), PAGE, 0xf555);
	ok = ok && pages.map[2 * (PAGE / 4)] == 2 * (PAGE / 4) + 1;
	report(ok, "sparse memory of pages of the guest");
	unpublish(s->d, DATA);
	publish(s->d, DATA, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	report(unmap_pages(s->d, 0, SIZE), "they are given back");
	fill_data(s);
	emit_sparse_fill(s, 0xf666);
	report(run(s->d, &s->first, all) && shows(s, 0xf666), "and the memory is in VRAM again");
	drop_sparse(s);
	report(run(s->d, &s->first, all), "without sparse memory");
	fill_data(s);
	pages_free(&pages);
}

/* An image whose rows are pages: each row is in the page of DATA that is mapped there. */
static void test_page_rows(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = IMAGE, .mem = sparse_mem(), .flags = SUNDOG_IMAGE_FLAG_PAGE_ROWS,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 5, 4, 1 }, .levels = 2, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};
	const struct sundog_cmd_clear_image clear = {
		.image = IMAGE, .levels = 1, .layers = 1, .aspect = SUNDOG_ASPECT_COLOR,
		.clear = { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
	};
	const uint32_t *data = words_of(s, DATA);
	bool ok = true;

	if (!(s->d->layout_flags & SUNDOG_LAYOUT_FLAG_PAGE_ROWS)) {
		report(true, "rows of an image are pages # SKIP the host has no such rows");
		return;
	}
	make_sparse(s);
	sundog_emit_create_image(&s->d->stream, &image);
	sundog_emit_clear_image(&s->d->stream, &clear);
	ok = run(s->d, &s->first, all);
	for (uint32_t row = 0; row < 8; row++) {
		const uint32_t first = sparse_pages[row] * (PAGE / 4);

		for (uint32_t i = 0; i < 5; i++)
			ok = ok && data[first + i] == (row < 4 ? ~0u : first + i + 1);
	}
	report(ok, "rows of an image are pages");
	emit_destroy(s, SUNDOG_OBJECT_KIND_IMAGE, IMAGE);
	drop_sparse(s);
	report(run(s->d, &s->first, all), "and all of them are given back");
	fill_data(s);
}

/* Invalid packets */

static void range_of_nothing(struct scene *s)
{
	emit_map_range(s, mem(DATA), 0, 0, OTHER_AT);
}

static void range_of_a_part(struct scene *s)
{
	emit_map_range(s, mem(DATA), 0, PAGE / 2, OTHER_AT);
}

static void range_from_a_part(struct scene *s)
{
	emit_map_range(s, mem(DATA), PAGE / 2, PAGE, OTHER_AT);
}

static void range_past_end(struct scene *s)
{
	emit_map_range(s, mem(DATA), SIZE - PAGE, 2 * PAGE, OTHER_AT);
}

static void range_that_wraps(struct scene *s)
{
	emit_map_range(s, mem(DATA), -PAGE, 2 * PAGE, OTHER_AT);
}

static void range_unlisted(struct scene *s)
{
	emit_map_range(s, mem(OTHER), 0, PAGE, OTHER_AT);
}

static void range_too_low(struct scene *s)
{
	emit_map_range(s, mem(DATA), 0, PAGE, SUNDOG_MIN_ADDRESS - PAGE);
}

static void range_past_addresses(struct scene *s)
{
	emit_map_range(s, mem(DATA), 0, 2 * PAGE, END - PAGE);
}

static void range_over_another(struct scene *s)
{
	emit_map_range(s, mem(DATA), 0, 2 * PAGE, OTHER_AT);
	emit_map_range(s, mem(DATA), 4 * PAGE, PAGE, OTHER_AT + PAGE);
}

static void range_of_sparse(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
	emit_map_range(s, sparse_mem(), 0, PAGE, OTHER_AT);
}

static void map_sparse(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
	sundog_emit_map_address(&s->d->stream, &(struct sundog_cmd_map_address){
		sparse_mem(), OTHER_AT });
}

static void sparse_of_nothing(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, 0);
}

static void sparse_of_a_part(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE / 2);
}

static void sparse_unaligned(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT + 64, PAGE);
}

static void sparse_past_addresses(struct scene *s)
{
	emit_sparse(s, SPARSE, END - PAGE, 2 * PAGE);
}

static void sparse_that_wraps(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, -PAGE);
}

static void sparse_twice(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
}

static void sparse_missing(struct scene *s)
{
	emit_sparse_fill(s, 1);
}

static void sparse_that_is_a_shader(struct scene *s)
{
	sundog_emit_fill_buffer(&s->d->stream, &(struct sundog_cmd_fill_buffer){
		{ { .index = SUNDOG_SPARSE_INDEX | SHADER }, 0, PAGE }, 1 });
}

static void past_sparse(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
	emit_sparse_fill(s, 1);
}

static void image_past_sparse(struct scene *s)
{
	emit_sparse(s, SPARSE, SPARSE_AT, PAGE);
	sundog_emit_create_image(&s->d->stream, &(struct sundog_cmd_create_image){
		.id = IMAGE, .mem = sparse_mem(), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { 64, 64, 1 }, .levels = 1,
		.layers = 1, .samples = 1, .usage = SUNDOG_IMAGE_USAGE_TRANSFER_DST });
}

static void page_rows_of_samples(struct scene *s)
{
	sundog_emit_create_image(&s->d->stream, &(struct sundog_cmd_create_image){
		.id = IMAGE, .mem = mem(DATA), .flags = SUNDOG_IMAGE_FLAG_PAGE_ROWS,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 4, 1 }, .levels = 1, .layers = 1, .samples = 4,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT });
}

static void emit_residency(struct scene *s, uint32_t flags, uint64_t offset)
{
	sundog_emit_create_image(&s->d->stream, &(struct sundog_cmd_create_image){
		.id = IMAGE, .mem = mem(DATA), .offset = offset, .flags = flags,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 4, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED });
}

static void residency_without_rows(struct scene *s)
{
	emit_residency(s, SUNDOG_IMAGE_FLAG_RESIDENCY, PAGE);
}

/* Shaders would read the table in front of the memory. */
static void residency_before_memory(struct scene *s)
{
	emit_residency(s, SUNDOG_IMAGE_FLAG_PAGE_ROWS | SUNDOG_IMAGE_FLAG_RESIDENCY, 0);
}

static void map_unlisted(struct scene *s)
{
	emit_map(s, OTHER, OTHER_AT);
}

static void map_nothing(struct scene *s)
{
	emit_map(s, 0, OTHER_AT);
}

static void map_at(struct scene *s, uint64_t address)
{
	emit_map(s, DATA, address);
}

static void map_first(struct scene *s)
{
	map_at(s, 0);
}

static void map_low(struct scene *s)
{
	map_at(s, SUNDOG_MIN_ADDRESS - PAGE);
}

static void map_unaligned(struct scene *s)
{
	map_at(s, OTHER_AT + 0x800);
}

static void map_past_end(struct scene *s)
{
	map_at(s, END - SIZE + PAGE);
}

static void map_end(struct scene *s)
{
	map_at(s, END);
}

static void map_far(struct scene *s)
{
	map_at(s, 1ull << 63);
}

static void map_wrapping(struct scene *s)
{
	map_at(s, -SIZE);
}

static void map_twice(struct scene *s)
{
	map_at(s, OTHER_AT);
	map_at(s, OTHER_AT);
}

static void map_over_start(struct scene *s)
{
	map_at(s, OTHER_AT);
	map_at(s, OTHER_AT - SIZE + PAGE);
}

static void map_over_end(struct scene *s)
{
	map_at(s, OTHER_AT);
	map_at(s, OTHER_AT + SIZE - PAGE);
}

static void unmap_none(struct scene *s)
{
	emit_unmap(s, OTHER_AT);
}

static void unmap_middle(struct scene *s)
{
	map_at(s, OTHER_AT);
	emit_unmap(s, OTHER_AT + PAGE);
}

static void unmap_far(struct scene *s)
{
	emit_unmap(s, DATA_AT + END);
}

static void unmap_twice(struct scene *s)
{
	map_at(s, OTHER_AT);
	emit_unmap(s, OTHER_AT);
	emit_unmap(s, OTHER_AT);
}

static const struct {
	const char *name;
	void (*record)(struct scene *s);
	uint32_t code;
} bad[] = {
	{ "another client's memory", map_unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "no memory", map_nothing, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "address 0", map_first, SUNDOG_FAULT_CODE_RANGE },
	{ "an address that is too low", map_low, SUNDOG_FAULT_CODE_RANGE },
	{ "a part of a page", map_unaligned, SUNDOG_FAULT_CODE_RANGE },
	{ "past the last address", map_past_end, SUNDOG_FAULT_CODE_RANGE },
	{ "behind the last address", map_end, SUNDOG_FAULT_CODE_RANGE },
	{ "bits that no address has", map_far, SUNDOG_FAULT_CODE_RANGE },
	{ "an end before the beginning", map_wrapping, SUNDOG_FAULT_CODE_RANGE },
	{ "an address twice", map_twice, SUNDOG_FAULT_CODE_RANGE },
	{ "into the beginning of another", map_over_start, SUNDOG_FAULT_CODE_RANGE },
	{ "over the end of another", map_over_end, SUNDOG_FAULT_CODE_RANGE },
	{ "the end of what is not there", unmap_none, SUNDOG_FAULT_CODE_RANGE },
	{ "the end of a part", unmap_middle, SUNDOG_FAULT_CODE_RANGE },
	{ "the end of an address with other bits", unmap_far, SUNDOG_FAULT_CODE_RANGE },
	{ "an end twice", unmap_twice, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of nothing", range_of_nothing, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that ends in a page", range_of_a_part, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that begins in a page", range_from_a_part, SUNDOG_FAULT_CODE_RANGE },
	{ "a range past its memory", range_past_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that wraps around", range_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of another client's memory", range_unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a range at an address that is too low", range_too_low, SUNDOG_FAULT_CODE_RANGE },
	{ "a range past the last address", range_past_addresses, SUNDOG_FAULT_CODE_RANGE },
	{ "a range over another", range_over_another, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of sparse memory", range_of_sparse, SUNDOG_FAULT_CODE_RANGE },
	{ "an address of sparse memory", map_sparse, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory of no size", sparse_of_nothing, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory that ends in a page", sparse_of_a_part, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory that begins in a page", sparse_unaligned, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory past the last address", sparse_past_addresses, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory that wraps around", sparse_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "sparse memory twice", sparse_twice, SUNDOG_FAULT_CODE_OBJECT },
	{ "sparse memory that is not there", sparse_missing, SUNDOG_FAULT_CODE_OBJECT },
	{ "sparse memory that is a shader", sparse_that_is_a_shader, SUNDOG_FAULT_CODE_OBJECT },
	{ "past the end of sparse memory", past_sparse, SUNDOG_FAULT_CODE_RANGE },
	{ "an image past the end of sparse memory", image_past_sparse, SUNDOG_FAULT_CODE_RANGE },
	{ "rows at pages of several samples", page_rows_of_samples, SUNDOG_FAULT_CODE_RANGE },
	{ "a table of residency without such rows", residency_without_rows,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "a table of residency before the memory", residency_before_memory,
	  SUNDOG_FAULT_CODE_RANGE },
};

/* After each fault a new client maps the same addresses. */
static void test_bad(struct scene *s)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool ok;

		bad[i].record(s);
		submit(s->d, &s->first, STREAM, all);
		ok = faults(s->d, &s->first, bad[i].code);
		report(ok && is_intact(s), bad[i].name);
		again(s);
		ok = begin(s);
		if (!ok)
			report(false, "a new client");
	}
}

/* DATA is listed, but not for writing. */
static void test_read_only(struct scene *s)
{
	s->first.list[0] = list_entry(s->d, DATA);
	s->first.list[0].access = SUNDOG_ACCESS_READ;
	emit_map(s, DATA, OTHER_AT);
	submit_list(s->d, &s->first, STREAM, 0, 1);
	report(faults(s->d, &s->first, SUNDOG_FAULT_CODE_ACCESS),
	       "memory that is listed for reading");
	again(s);
	report(begin(s), "a new client");
}

/* Unmapped addresses */

/* Returns true if the worker ends, or if the shader has seen no canary. */
static bool survives(struct scene *s, enum way way, uint64_t at, uint32_t index)
{
	bool ok;

	fill(words_of(s, RESULT), SIZE, 0);
	emit_access(s, way, at, index, 0);
	submit(s->d, &s->first, STREAM, all);
	ok = crashes(s->d, s->first.index);
	s->d->stream.used = 0;
	for (uint32_t i = 0; i < SIZE / 4; i++)
		ok &= words_of(s, RESULT)[i] != CANARY;
	ok &= is_intact(s);
	if (!ok)
		printf("# way %u at %#llx, index %u\n", way, (unsigned long long)at, index);
	again(s);
	return begin(s) && ok;
}

static void test_bit_patterns(struct scene *s)
{
	bool ok = survives(s, READ, 0, 0);

	for (uint32_t bit = 0; bit < SUNDOG_ADDRESS_BITS && ok;
	     bit += getenv("SUNDOG_LONG") ? 1 : 3) {
		const uint64_t at = 1ull << bit;

		/* These two addresses are mapped. */
		if (at < RESULT_AT || at >= RESULT_AT + SIZE)
			ok = at == DATA_AT || survives(s, bit % WRITE_LONG, at, 0);
	}
	report(ok, "single bits of an address");
	ok = survives(s, READ, ~0ull, 0) && survives(s, WRITE, ~0ull << 20, 0) &&
	     survives(s, ADD, END - 4, 0);
	ok = ok && survives(s, READ_LARGE, END - 4, 0) && survives(s, READ_VECTOR, -16ull, 0);
	report(ok, "all of its bits");
	ok = survives(s, READ, DATA_AT + SIZE, 0) && survives(s, WRITE, DATA_AT - 4, 0) &&
	     survives(s, READ, DATA_AT, 0x7fffffff) && survives(s, ADD, DATA_AT, 0x80000000) &&
	     survives(s, WRITE_VECTOR, DATA_AT, 0xfffffff0) &&
	     survives(s, READ_LARGE, DATA_AT + SIZE - 4, 0) &&
	     survives(s, WRITE_LARGE, DATA_AT, 0xffffffff);
	report(ok, "beside what is there");
	printf("# %u of %u workers\n", s->d->n_named, s->d->n_crashed);
	report(s->d->n_named > s->d->n_crashed / 2, "most workers say at whose work they crash");
}

/* Tries addresses of the renderer's own: its VRAM window, its stack and its code. */
static void test_pointers(struct scene *s)
{
	const uint64_t window = 0x200000000000ull;
	bool ok = true;

	for (uint32_t way = READ; way < WRITE_LONG; way++)
		ok = ok && survives(s, way, window + SECOND_OFFSET, 0);
	ok = ok && survives(s, READ, window + FIRST_OFFSET, 0) &&
	     survives(s, READ, 0x7fffffffe000, 0) &&
	     survives(s, WRITE, 0x555555554000, 0);
	report(ok, "pointers of the renderer");
}

/* Packets that reach pages of sparse memory where nothing is mapped end their own worker. */
static void test_sparse_holes(struct scene *s)
{
	bool ok;

	emit_map_range(s, mem(DATA), 0, PAGE, SPARSE_AT);
	emit_sparse(s, SPARSE, SPARSE_AT, SPARSE_PAGES * PAGE);
	emit_sparse_fill(s, 0xf444);
	submit(s->d, &s->first, STREAM, all);
	ok = crashes(s->d, s->first.index);
	s->d->stream.used = 0;
	again(s);
	report(begin(s) && ok && is_intact(s), "holes in sparse memory");
}

/* The driver gives the memory to the other client after the renderer has confirmed the revoke. */
static bool hand_over(struct scene *s)
{
	unpublish(s->d, DATA);
	give_extents(s->d, FIRST_OFFSET, PART / 2, 0);
	post_revoke(s->d);
	if (!expect_revoked(s->d))
		return false;
	give_extents(s->d, FIRST_OFFSET, PART / 2, SECOND_CLIENT);
	publish(s->d, LAST, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	emit_fill(s->d, LAST, SIZE, CANARY);
	return run(s->d, &s->second, (const uint32_t[]){ LAST, 0 });
}

static bool is_dead(struct scene *s)
{
	return crashes(s->d, 0);
}

static bool take_again(struct scene *s)
{
	unpublish(s->d, LAST);
	give_extents(s->d, FIRST_OFFSET, PART / 2, 0);
	post_revoke(s->d);
	if (!expect_revoked(s->d))
		return false;
	again(s);
	return begin(s);
}

/* Accesses an address whose memory now belongs to another client. */
static void test_stale(struct scene *s)
{
	static const enum way ways[] = { READ, WRITE, ADD, READ_LARGE };
	const uint32_t list[] = { RESULT, 0 };
	bool ok = true;

	for (uint32_t i = 0; i < 4 && ok; i++) {
		ok = reads(s, DATA_AT, 5, 6) && hand_over(s);
		fill(words_of(s, RESULT), SIZE, 0);
		emit_access(s, ways[i], DATA_AT, 5, 0);
		submit(s->d, &s->first, STREAM, list);
		ok = ok && is_dead(s) && is_filled(words_of(s, LAST), SIZE, CANARY) &&
		     words_of(s, RESULT)[0] != CANARY;
		s->d->stream.used = 0;
		ok = take_again(s) && ok;
	}
	report(ok, "addresses of memory that is another client's now");
}

/* Waits for the end of the worker and for REVOKED, in either order. */
static bool ends_and_gives_back(struct scene *s)
{
	bool dead = false, given = false;
	struct message m;

	while ((!dead || !given) && receive(s->d, &m)) {
		given |= m.header.type == SUNDOG_MESSAGE_REVOKED;
		dead |= m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE &&
			m.channel_state.state == SUNDOG_CHANNEL_STATE_DEAD;
	}
	return dead && given;
}

/* Revokes memory while a shader writes to it. REVOKED must not wait for the shader. */
static void test_race(struct scene *s)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	const uint32_t list[] = { RESULT, 0 };
	bool ok = true;

	for (uint32_t i = 0; i < 5 && ok; i++) {
		emit_access(s, WRITE_LONG, DATA_AT, 0, 1u << 31);
		submit(s->d, &s->first, STREAM, list);
		nanosleep(&moment, NULL);
		s->d->stream.used = 0;
		unpublish(s->d, DATA);
		give_extents(s->d, FIRST_OFFSET, PART / 2, 0);
		post_revoke(s->d);
		ok = ends_and_gives_back(s);
		fill((uint32_t *)(s->d->vram + FIRST_OFFSET), SIZE, CANARY);
		nanosleep(&moment, NULL);
		ok = ok && is_filled((uint32_t *)(s->d->vram + FIRST_OFFSET), SIZE, CANARY);
		again(s);
		ok = begin(s) && ok;
	}
	report(ok, "memory that is taken away while it is written to");
}

int main(int argc, char **argv)
{
	struct scene s = scene_new(argc > 1);

	(void)argv;
	if (s.wild) {
		test_bit_patterns(&s);
		test_pointers(&s);
		test_sparse_holes(&s);
		test_stale(&s);
		test_race(&s);
	} else {
		test_ways(&s);
		test_other_bits(&s);
		test_unmap(&s);
		test_sparse(&s);
		test_page_rows(&s);
		test_sparse_guest(&s);
		test_move(&s);
		test_revoke(&s);
		test_guest(&s);
		test_bad(&s);
		test_read_only(&s);
	}
	scene_free(&s);
	return report_end();
}

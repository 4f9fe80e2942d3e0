// SPDX-License-Identifier: MIT
/*
 * Tests allocations that move between submissions, as the memory manager of a kernel driver moves
 * them: same handle and birth, new generation and offset. Objects in the memory go on working, and
 * every pixel is checked. Then the same from a faulty driver: only its own client may be affected.
 *
 * This program plays the driver on the allocation table of a direct device (SUNDOG_SOCKET). Prints
 * TAP.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "patience.h"
#include "sundog_direct.h"
#include "triangle.frag.h"
#include "triangle.vert.h"

#define SIZE 64				/* width and height of every picture */
#define TEXTURES 3
#define STREAM_DWORDS 8192
#define SLOT_SIZE (STREAM_DWORDS * 4 * 4ull)	/* no allocation is larger than a stream chunk */
#define ARENA_SLOTS 64
#define POISON 0x5a			/* fills the old place of a moved allocation */

enum { ID_TARGET = 1, ID_TARGET_VIEW, ID_SAMPLER, ID_VERTEX, ID_FRAGMENT, ID_TEXTURES };

/* The allocations that move. */
enum { TARGET, VERTICES, MATRIX, COPY, COUNT, FIRST_TEXTURE, N_BOS = FIRST_TEXTURE + TEXTURES };

struct scene {
	struct sdrm_device *dev;
	struct direct_device *direct;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_bo *bos[N_BOS];
	struct sdrm_bo *arena;	/* VRAM that allocations are moved to */
	uint64_t samples;		/* samples that COUNT should have counted */
	uint32_t serial;		/* version of the last picture */
	bool created;			/* the objects exist */
};

static void *must(void *p)
{
	if (!p)
		err(1, "no memory");
	return p;
}

/* The driver's part */

static struct sundog_alloc_entry *entry_of(struct scene *s, const struct sdrm_bo *bo)
{
	return &s->direct->table[bo->handle];
}

/* Evicts @bo: copies its contents to @keep, and poisons its memory. */
static void evict(struct scene *s, struct sdrm_bo *bo, void *keep)
{
	struct sundog_alloc_entry *entry = entry_of(s, bo);
	char *place = s->direct->vram + entry->offset;

	__atomic_store_n(&entry->generation, 0, __ATOMIC_RELEASE);
	memcpy(keep, place, bo->size);
	memset(place, POISON, bo->size);
}

static void publish(struct scene *s, struct sdrm_bo *bo, uint64_t offset)
{
	struct sundog_alloc_entry *entry = entry_of(s, bo);

	entry->offset = offset;
	bo->direct.generation = ++s->direct->generation;
	__atomic_store_n(&entry->generation, bo->direct.generation, __ATOMIC_RELEASE);
	bo->map = s->direct->vram + offset;
}

static void bring_back(struct scene *s, struct sdrm_bo *bo, uint64_t offset, const void *kept)
{
	memcpy(s->direct->vram + offset, kept, bo->size);
	publish(s, bo, offset);
}

static void move(struct scene *s, struct sdrm_bo *bo, uint64_t offset)
{
	char kept[SLOT_SIZE];

	evict(s, bo, kept);
	bring_back(s, bo, offset, kept);
}

static void exchange(struct scene *s, struct sdrm_bo *a, struct sdrm_bo *b)
{
	const uint64_t place_a = entry_of(s, a)->offset, place_b = entry_of(s, b)->offset;
	char kept_a[SLOT_SIZE], kept_b[SLOT_SIZE];

	evict(s, a, kept_a);
	evict(s, b, kept_b);
	bring_back(s, a, place_b, kept_a);
	bring_back(s, b, place_a, kept_b);
}

static uint64_t arena_slot(struct scene *s, uint32_t i)
{
	return entry_of(s, s->arena)->offset + i % ARENA_SLOTS * SLOT_SIZE;
}

/* Returns the offset of an unused slot of the arena. */
static uint64_t free_slot(struct scene *s)
{
	for (;;) {
		const uint64_t offset = arena_slot(s, random());
		bool taken = s->submit->chunk &&
			     entry_of(s, s->submit->chunk->bo)->offset == offset;

		for (int i = 0; i < N_BOS; i++)
			taken |= entry_of(s, s->bos[i])->offset == offset;
		if (!taken)
			return offset;
	}
}

/* Moves the stream chunk that is written next. All earlier streams are done. */
static void move_stream(struct scene *s, uint64_t offset)
{
	struct sdrm_chunk *chunk = s->submit->chunk;

	move(s, chunk->bo, offset);
	chunk->map = chunk->bo->map;
	chunk->used = 0;
	s->submit->stream.map = chunk->map;
}

/* The client's part */

static uint32_t color_of(uint32_t texture, uint32_t serial)
{
	return 0xff000000 | (texture + 1) << 16 | (serial & 0xffff);
}

static uint32_t texture_image(uint32_t texture)
{
	return ID_TEXTURES + 2 * texture;
}

static void create_picture(struct scene *s, int bo, uint32_t id, uint32_t usage)
{
	struct sundog_stream *stream = sdrm_submit_stream(s->submit);
	struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(s->bos[bo]), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_B8G8R8A8_UNORM, .extent = { SIZE, SIZE, 1 },
		.levels = 1, .layers = 1, .samples = 1, .usage = usage,
	};
	struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = VK_IMAGE_VIEW_TYPE_2D, .format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1,
		.usage = usage & ~SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
	};

	sundog_emit_create_image(stream, &image);
	sundog_emit_create_image_view(stream, &view);
}

static void create_shader(struct scene *s, uint32_t id, uint32_t stage, uint32_t binding,
			  uint32_t type,
			  const uint32_t *code, size_t size)
{
	struct sundog_cmd_create_shader shader = {
		.id = id, .stage = stage, .n_bindings = 1,
		.bindings = { { binding, 1, type } }, .n_dwords = size / 4,
	};

	sundog_emit_create_shader(sdrm_submit_stream(s->submit), &shader, code);
}

static void create_objects(struct scene *s)
{
	struct sundog_cmd_create_sampler sampler = { .id = ID_SAMPLER, .max_anisotropy = 1.0f };

	create_picture(s, TARGET, ID_TARGET,
		       SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC);
	for (uint32_t i = 0; i < TEXTURES; i++)
		create_picture(s, FIRST_TEXTURE + i, texture_image(i), SUNDOG_IMAGE_USAGE_SAMPLED);
	sundog_emit_create_sampler(sdrm_submit_stream(s->submit), &sampler);
	create_shader(s, ID_VERTEX, SUNDOG_STAGE_VERTEX, SUNDOG_BINDING_UBO0,
		      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, triangle_vert, sizeof(triangle_vert));
	create_shader(s, ID_FRAGMENT, SUNDOG_STAGE_FRAGMENT, SUNDOG_BINDING_TEXTURE0,
		      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, triangle_frag,
		      sizeof(triangle_frag));
	s->created = true;
}

static void set_state(struct sundog_stream *stream)
{
	struct sundog_viewport viewport = { 0.0f, 0.0f, SIZE, SIZE, 0.0f, 1.0f };
	struct sundog_rect scissor = { 0, 0, SIZE, SIZE };
	struct sundog_cmd_set_raster raster = {
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .line_width = 1.0f,
		.stipple_factor = 1,
	};
	struct sundog_cmd_set_vertex_input input = { .n_bindings = 1, .bindings = { { 16, 0 } },
						     .count = 1 };

	sundog_emit_set_viewports(stream, &(struct sundog_cmd_set_viewports){ 1 }, &viewport);
	sundog_emit_set_scissors(stream, &(struct sundog_cmd_set_scissors){ 1 }, &scissor);
	sundog_emit_set_raster(stream, &raster);
	sundog_emit_set_depth_stencil(stream, &(struct sundog_cmd_set_depth_stencil){ 0 });
	sundog_emit_set_stencil_reference(stream, &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(stream, &(struct sundog_cmd_set_blend){ .count = 1 },
			      &(struct sundog_blend_attachment){ .write_mask = 15 });
	sundog_emit_set_blend_constants(stream, &(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(stream, &(struct sundog_cmd_set_multisample){
		.samples = 1, .mask = ~0u });
	sundog_emit_set_vertex_input(stream, &input, &(struct sundog_vertex_attribute){
		.format = VK_FORMAT_R32G32B32A32_SFLOAT });
	sundog_emit_bind_shaders(stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
}

static void bind(struct scene *s, struct sundog_stream *stream, uint32_t texture)
{
	struct sundog_cmd_bind_ubo ubo = {
		.stage = SUNDOG_STAGE_VERTEX, .range = { sdrm_bo_mem(s->bos[MATRIX]), 0, 64 },
	};
	struct sundog_texture_binding binding = { texture_image(texture) + 1, ID_SAMPLER };

	sundog_emit_bind_vertex_buffers(stream,
					&(struct sundog_cmd_bind_vertex_buffers){ .count = 1 },
					&(struct sundog_buffer_binding){
						sdrm_bo_mem(s->bos[VERTICES]), 0 });
	sundog_emit_bind_ubo(stream, &ubo);
	sundog_emit_bind_textures(stream,
				  &(struct sundog_cmd_bind_textures){ SUNDOG_STAGE_FRAGMENT, 0, 1 },
				  &binding);
}

/* Clears the target, draws all of it with @texture @draws times, and counts the samples. */
static void emit_rendering(struct scene *s, struct sundog_stream *stream, uint32_t texture,
			   int draws)
{
	struct sundog_cmd_begin_rendering begin = { .area = { 0, 0, SIZE, SIZE }, .layers = 1,
						    .count = 1 };
	struct sundog_attachment color = {
		.view = ID_TARGET_VIEW, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};
	struct sundog_cmd_begin_query query = {
		.type = SUNDOG_QUERY_TYPE_OCCLUSION, .mem = sdrm_bo_mem(s->bos[COUNT]),
	};
	const float clear[4] = { 1.0f, 0.0f, 1.0f, 1.0f };

	memcpy(color.clear, clear, sizeof(clear));
	set_state(stream);
	bind(s, stream, texture);
	sundog_emit_begin_rendering(stream, &begin, &color);
	sundog_emit_begin_query(stream, &query);
	for (int i = 0; i < draws; i++)
		sundog_emit_draw(stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_query(stream, &(struct sundog_cmd_end_query){ 0 });
	sundog_emit_end_rendering(stream);
}

static void emit_copy(struct scene *s, struct sundog_stream *stream)
{
	struct sundog_cmd_barrier barrier = {
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT,
	};
	struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(s->bos[COPY]),
		.src = { .image = ID_TARGET, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { SIZE, SIZE, 1 },
	};

	sundog_emit_barrier(stream, &barrier);
	sundog_emit_copy_image_to_buffer(stream, &copy);
}

/* Submits work that uses all allocations. Returns 0 or -errno. */
static int submit(struct scene *s, uint32_t texture, int draws, struct sdrm_fence **fence)
{
	struct sundog_stream *stream = sdrm_submit_stream(s->submit);

	for (int i = 0; i < N_BOS; i++)
		sdrm_submit_add(s->submit, s->bos[i], SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	if (!s->created)
		create_objects(s);
	emit_rendering(s, stream, texture, draws);
	emit_copy(s, stream);
	s->samples += SIZE * SIZE * (uint64_t)draws;
	return sdrm_submit_flush(s->submit, -1, fence);
}

static int submit_and_wait(struct scene *s, uint32_t texture)
{
	struct sdrm_fence *fence;
	int error = submit(s, texture, 1, &fence);

	if (error)
		return error;
	error = sdrm_fence_wait(fence, SDRM_FOREVER);
	sdrm_fence_del(fence);
	return error;
}

/* Writes texels by the CPU mapping, which follows the allocation. */
static void paint(struct scene *s, uint32_t texture, uint32_t color)
{
	uint32_t *texels = sdrm_bo_map(s->bos[FIRST_TEXTURE + texture]);

	for (int i = 0; i < SIZE * SIZE; i++)
		texels[i] = color;
}

static bool is_filled(struct scene *s, int bo, uint32_t color)
{
	const uint32_t *pixels = sdrm_bo_map(s->bos[bo]);

	for (int i = 0; i < SIZE * SIZE; i++) {
		if (pixels[i] != color) {
			printf("# %s: pixel %d is %08x, not %08x\n",
			       bo == TARGET ? "target" : "copy", i, pixels[i], color);
			return false;
		}
	}
	return true;
}

/* Draws with each texture as it was painted, and checks all results. */
static bool draws_right(struct scene *s)
{
	for (uint32_t i = 0; i < TEXTURES; i++) {
		const int error = submit_and_wait(s, i);
		uint64_t samples;

		if (error) {
			printf("# submission: %s\n", strerror(-error));
			return false;
		}
		memcpy(&samples, sdrm_bo_map(s->bos[COUNT]), sizeof(samples));
		if (samples != s->samples) {
			printf("# counted %llu samples, not %llu\n", (unsigned long long)samples,
			       (unsigned long long)s->samples);
			return false;
		}
		if (!is_filled(s, TARGET, color_of(i, s->serial)) ||
		    !is_filled(s, COPY, color_of(i, s->serial)))
			return false;
	}
	return true;
}

/* Draws with the old texels, and with new ones from the CPU. */
static bool works(struct scene *s)
{
	if (!draws_right(s))
		return false;
	s->serial++;
	for (uint32_t i = 0; i < TEXTURES; i++)
		paint(s, i, color_of(i, s->serial));
	return draws_right(s);
}

static void fill_memory(struct scene *s)
{
	/* One triangle that covers the target. */
	static const float vertices[3][4] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
	static const float identity[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };

	memcpy(sdrm_bo_map(s->bos[VERTICES]), vertices, sizeof(vertices));
	memcpy(sdrm_bo_map(s->bos[MATRIX]), identity, sizeof(identity));
	for (uint32_t i = 0; i < TEXTURES; i++)
		paint(s, i, color_of(i, s->serial));
}

static void scene_init(struct scene *s, struct sdrm_device *dev)
{
	*s = (struct scene){ .dev = dev, .direct = to_direct(dev),
			     .ctx = must(sdrm_context_new(dev)) };
	s->submit = must(sdrm_submit_new(s->ctx, STREAM_DWORDS));
	for (int i = 0; i < N_BOS; i++)
		if (sdrm_bo_new(dev, SIZE * SIZE * 4, &s->bos[i]))
			errx(1, "no VRAM");
	if (sdrm_bo_new(dev, ARENA_SLOTS * SLOT_SIZE, &s->arena))
		errx(1, "no VRAM");
	fill_memory(s);
	/*
	 * Moves all allocations to slots of the arena before the worker first sees them, so that
	 * the stream fits into the former place of any of them.
	 */
	for (int i = 0; i < N_BOS; i++)
		move(s, s->bos[i], free_slot(s));
}

static void scene_fini(struct scene *s)
{
	sdrm_submit_del(s->submit);
	sdrm_context_del(s->ctx);
	for (int i = 0; i < N_BOS; i++)
		sdrm_bo_del(s->bos[i]);
	sdrm_bo_del(s->arena);
}

/*
 * Moves of a correct driver. Every case starts with a scene that has drawn and whose objects exist.
 */

static bool nothing_moves(struct scene *s)
{
	return works(s);
}

static bool texture_moves(struct scene *s)
{
	move(s, s->bos[FIRST_TEXTURE], free_slot(s));
	return works(s);
}

static bool target_moves(struct scene *s)
{
	move(s, s->bos[TARGET], free_slot(s));
	return works(s);
}

static bool buffers_move(struct scene *s)
{
	for (int i = VERTICES; i <= COUNT; i++)
		move(s, s->bos[i], free_slot(s));
	return works(s);
}

static bool stream_moves(struct scene *s)
{
	const uint64_t old = entry_of(s, s->bos[FIRST_TEXTURE])->offset;

	for (int i = 0; i < 8; i++) {
		move_stream(s, free_slot(s));
		if (!works(s))
			return false;
	}
	/*
	 * Moves the stream to the offset for which the worker named the texture's addresses, and
	 * from which the texture has moved away.
	 */
	move(s, s->bos[FIRST_TEXTURE], free_slot(s));
	if (!works(s))
		return false;
	move_stream(s, old);
	return works(s);
}

static bool two_exchange(struct scene *s)
{
	exchange(s, s->bos[FIRST_TEXTURE], s->bos[FIRST_TEXTURE + 1]);
	if (!works(s))
		return false;
	exchange(s, s->bos[FIRST_TEXTURE], s->bos[TARGET]);
	return works(s);
}

/* Another allocation moves to the former place of the texture. */
static bool old_place_is_reused(struct scene *s)
{
	const uint64_t old = entry_of(s, s->bos[FIRST_TEXTURE])->offset;

	move(s, s->bos[FIRST_TEXTURE], free_slot(s));
	if (!works(s))
		return false;
	move(s, s->bos[VERTICES], old);
	if (!works(s))
		return false;
	move(s, s->bos[VERTICES], free_slot(s));
	move(s, s->bos[FIRST_TEXTURE + 1], old);
	return works(s);
}

static bool fills(struct scene *s, struct sdrm_bo *bo, uint32_t value)
{
	const uint32_t *words = sdrm_bo_map(bo);

	sdrm_submit_add(s->submit, bo, SUNDOG_ACCESS_WRITE);
	sundog_emit_fill_buffer(sdrm_submit_stream(s->submit),
				&(struct sundog_cmd_fill_buffer){ { sdrm_bo_mem(bo), 0,
								    bo->size }, value });
	if (sdrm_submit_flush(s->submit, -1, NULL) || sdrm_bo_wait(bo, true, SDRM_FOREVER))
		return false;
	for (uint64_t i = 0; i < bo->size / 4; i++)
		if (words[i] != value)
			return false;
	return true;
}

/*
 * While the texture is evicted, a new allocation takes its place and is drawn with. Then both are
 * in VRAM.
 */
static bool evicted_and_back(struct scene *s)
{
	struct sdrm_bo *out = s->bos[FIRST_TEXTURE], *in;
	const uint64_t old = entry_of(s, out)->offset;
	char kept[SLOT_SIZE];
	bool ok;

	evict(s, out, kept);
	if (sdrm_bo_new(s->dev, SIZE * SIZE * 4, &in))
		return false;
	publish(s, in, old);
	ok = fills(s, in, 0x77777777);
	bring_back(s, out, free_slot(s), kept);
	ok = ok && works(s) && fills(s, in, 0x88888888) && works(s);
	sdrm_bo_del(in);
	return ok;
}

static void emit_destroy(struct scene *s, uint32_t kind, uint32_t id)
{
	sundog_emit_destroy(sdrm_submit_stream(s->submit), &(struct sundog_cmd_destroy){
		kind, id });
}

/* Frees a texture that has moved. Its memory, handle and object ids are reused. */
static bool freed_and_reused(struct scene *s)
{
	struct sdrm_bo **bo = &s->bos[FIRST_TEXTURE];

	for (int i = 0; i < 20; i++) {
		/* The library reuses the offset that it knows, so no allocation may be there. */
		move(s, *bo, free_slot(s));
		move(s, s->bos[FIRST_TEXTURE + 1], free_slot(s));
		if (!works(s))
			return false;
		emit_destroy(s, SUNDOG_OBJECT_KIND_IMAGE_VIEW, texture_image(0) + 1);
		emit_destroy(s, SUNDOG_OBJECT_KIND_IMAGE, texture_image(0));
		sdrm_bo_del(*bo);
		if (sdrm_bo_new(s->dev, SIZE * SIZE * 4, bo))
			return false;
		paint(s, 0, color_of(0, s->serial));
		/*
		 * Half of the new textures get an offset after which another allocation's addresses
		 * are named.
		 */
		if (i % 2)
			exchange(s, *bo, s->bos[FIRST_TEXTURE + 1]);
		for (int k = 0; k < N_BOS; k++)
			sdrm_submit_add(s->submit, s->bos[k], SUNDOG_ACCESS_READ);
		create_picture(s, FIRST_TEXTURE, texture_image(0), SUNDOG_IMAGE_USAGE_SAMPLED);
		if (!works(s))
			return false;
	}
	return true;
}

static bool anything_moves(struct scene *s)
{
	for (int i = 0; i < 60; i++) {
		for (int n = random() % 4; n >= 0; n--) {
			struct sdrm_bo *bo = s->bos[random() % N_BOS],
				*other = s->bos[random() % N_BOS];

			if (bo != other && random() % 2)
				exchange(s, bo, other);
			else
				move(s, bo, free_slot(s));
		}
		if (random() % 4 == 0)
			move_stream(s, free_slot(s));
		if (!works(s))
			return false;
	}
	return true;
}

/* Faulty drivers. The worker runs with sanitizers. */

static struct sdrm_context_status status_of(struct sdrm_context *ctx)
{
	struct sdrm_context_status status = { 0 };

	sdrm_context_query(ctx, &status);
	return status;
}

/* Waits until the worker has taken all submissions, with their lists and streams. */
static void wait_taken(struct scene *s)
{
	const struct direct_channel *channel = &s->direct->channels[s->ctx->slot];

	while (__atomic_load_n(&channel->status->get, __ATOMIC_ACQUIRE) != channel->put)
		;
}

/* The results of these draws are undefined. The client goes on, and draws correctly afterwards. */
static bool move_while_it_runs(struct scene *s)
{
	for (int i = 0; i < 100; i++) {
		if (submit(s, i % TEXTURES, 50, NULL))
			return false;
		wait_taken(s);
		publish(s, s->bos[i % 2 ? TARGET : FIRST_TEXTURE + i % TEXTURES], free_slot(s));
	}
	s->serial++;
	for (uint32_t i = 0; i < TEXTURES; i++)
		paint(s, i, color_of(i, s->serial));
	return works(s) && status_of(s->ctx).state == SDRM_CONTEXT_RUNNING;
}

static bool is_dead_of(struct sdrm_context *ctx, uint32_t code)
{
	struct sdrm_context_status status = status_of(ctx);
	const int64_t end = patience_end();

	while (status.state != SDRM_CONTEXT_ENDED && patience_pause(end))
		status = status_of(ctx);
	if (status.state != SDRM_CONTEXT_ENDED || status.fault != code)
		printf("# state %u, fault %u, not %u\n", status.state, status.fault, code);
	return status.state == SDRM_CONTEXT_ENDED && status.fault == code;
}

/*
 * Fills @bo in a new context. Returns 0 or the error of the fence. *@out is the context, which the
 * caller frees.
 */
static int fill_with_new_context(struct scene *s, struct sdrm_bo *bo, struct sdrm_context **out)
{
	struct sdrm_context *ctx = must(sdrm_context_new(s->dev));
	struct sdrm_submit *submit = must(sdrm_submit_new(ctx, STREAM_DWORDS));
	struct sdrm_fence *fence = NULL;
	int error;

	sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE);
	sundog_emit_fill_buffer(sdrm_submit_stream(submit),
				&(struct sundog_cmd_fill_buffer){ { sdrm_bo_mem(bo), 0, 4096 },
								  0x12345678 });
	error = sdrm_submit_flush(submit, -1, &fence);
	if (!error)
		error = sdrm_fence_wait(fence, SDRM_FOREVER);
	if (fence)
		sdrm_fence_del(fence);
	sdrm_submit_del(submit);
	*out = ctx;
	return error;
}

static bool others_work(struct scene *s)
{
	struct sdrm_context *ctx;
	struct sdrm_bo *bo;
	bool ok;

	if (sdrm_bo_new(s->dev, 4096, &bo))
		return false;
	ok = !fill_with_new_context(s, bo, &ctx) &&
	     ((uint32_t *)sdrm_bo_map(bo))[1023] == 0x12345678;
	sdrm_context_del(ctx);
	sdrm_bo_del(bo);
	return ok;
}

/* Returns true if the next draw faults with @code and another context of the client works. */
static bool only_the_context_faults(struct scene *s, uint32_t code)
{
	submit_and_wait(s, 0);
	return is_dead_of(s->ctx, code) && others_work(s);
}

/*
 * The handle names another allocation than that of the image: the image must not be used with it.
 */
static bool other_size(struct scene *s)
{
	entry_of(s, s->bos[FIRST_TEXTURE])->size += SUNDOG_PAGE_SIZE;
	publish(s, s->bos[FIRST_TEXTURE], free_slot(s));
	return only_the_context_faults(s, SUNDOG_FAULT_CODE_NOT_LISTED);
}

static bool other_birth(struct scene *s)
{
	entry_of(s, s->bos[FIRST_TEXTURE])->birth++;
	publish(s, s->bos[FIRST_TEXTURE], free_slot(s));
	return only_the_context_faults(s, SUNDOG_FAULT_CODE_NOT_LISTED);
}

static bool no_birth(struct scene *s)
{
	entry_of(s, s->bos[FIRST_TEXTURE])->birth = 0;
	publish(s, s->bos[FIRST_TEXTURE], free_slot(s));
	return only_the_context_faults(s, SUNDOG_FAULT_CODE_NOT_LISTED);
}

static bool place_outside(struct scene *s)
{
	const uint64_t vram = sdrm_device_vram_size(s->dev), places[] = {
		vram, vram - SUNDOG_PAGE_SIZE, UINT64_MAX & ~(SUNDOG_PAGE_SIZE - 1ull), 1ull << 60,
		64,
	};
	const uint64_t old = entry_of(s, s->bos[TARGET])->offset;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct sdrm_context *ctx;
		bool ok;

		publish(s, s->bos[TARGET], places[i]);
		fill_with_new_context(s, s->bos[TARGET], &ctx);
		ok = is_dead_of(ctx, SUNDOG_FAULT_CODE_LIST);
		sdrm_context_del(ctx);
		if (!ok)
			return false;
	}
	publish(s, s->bos[TARGET], old);
	return works(s);
}

/* Two allocations at the same offset: each shows pixels of either. */
static bool same_place(struct scene *s)
{
	publish(s, s->bos[FIRST_TEXTURE], entry_of(s, s->bos[FIRST_TEXTURE + 1])->offset);
	if (submit_and_wait(s, 0) || !is_filled(s, TARGET, color_of(1, s->serial)))
		return false;
	publish(s, s->bos[TARGET], entry_of(s, s->bos[COPY])->offset);
	publish(s, s->bos[VERTICES], entry_of(s, s->bos[MATRIX])->offset + SUNDOG_PAGE_SIZE);
	return !submit_and_wait(s, 2) && status_of(s->ctx).state == SDRM_CONTEXT_RUNNING;
}

/*
 * Many small pictures that move: the worker needs a memory mapping for each, and mappings are
 * limited.
 */

#define CROWD 6000
#define CROWD_STREAM 0x80000
#define CROWD_ID 1000

/*
 * Returns the number of moved pictures that exceeds the machine's limit of mappings, or 0 if that
 * is too large to try.
 */
static uint32_t max_moved(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned int areas = 0;

	if (!f || fscanf(f, "%u", &areas) != 1 || areas > 100000)
		areas = 0;
	if (f)
		fclose(f);
	return areas / 2;
}

static bool list_crowd(struct sdrm_submit *submit, struct sdrm_bo **bos)
{
	struct sdrm_fence *fence;
	int error;

	for (int i = 0; i < CROWD; i++)
		sdrm_submit_add(submit, bos[i], SUNDOG_ACCESS_READ);
	error = sdrm_submit_flush(submit, -1, &fence);
	if (error)
		return false;
	error = sdrm_fence_wait(fence, SDRM_FOREVER);
	sdrm_fence_del(fence);
	return !error;
}

/*
 * Creates pictures, moves them, and destroys them if not @keep. Returns false if the context
 * faulted.
 */
static bool crowd_moves(struct scene *s, struct sdrm_submit *submit, uint32_t first_id, bool keep)
{
	struct sundog_stream *stream = sdrm_submit_stream(submit);
	struct sdrm_bo *bos[CROWD];
	bool ok;

	for (int i = 0; i < CROWD; i++) {
		if (sdrm_bo_new(s->dev, 4096, &bos[i]))
			errx(1, "no VRAM");
		sundog_emit_create_image(stream, &(struct sundog_cmd_create_image){
			.id = first_id + i, .mem = sdrm_bo_mem(bos[i]), .type = VK_IMAGE_TYPE_2D,
			.format = VK_FORMAT_B8G8R8A8_UNORM, .extent = { 32, 32, 1 },
			.levels = 1, .layers = 1, .samples = 1,
			.usage = SUNDOG_IMAGE_USAGE_SAMPLED });
	}
	ok = list_crowd(submit, bos);
	for (int i = 0; i < CROWD; i++)
		publish(s, bos[i], arena_slot(s, i));
	for (int i = 0; i < CROWD && !keep; i++)
		sundog_emit_destroy(stream, &(struct sundog_cmd_destroy){
			SUNDOG_OBJECT_KIND_IMAGE, first_id + i });
	ok = ok && list_crowd(submit, bos);
	/* Removes them from the table. Their handles stay unused. */
	for (int i = 0; i < CROWD; i++)
		entry_of(s, bos[i])->generation = 0;
	return ok;
}

/* Destroyed pictures must free their mappings in the worker. */
static bool crowds_come_and_go(struct scene *s)
{
	struct sdrm_submit *submit = must(sdrm_submit_new(s->ctx, CROWD_STREAM));
	bool ok = true;

	for (uint32_t moved = 0; moved < max_moved() && ok; moved += CROWD)
		ok = crowd_moves(s, submit, CROWD_ID, false);
	sdrm_submit_del(submit);
	return ok && works(s);
}

/* Too many moved pictures are a fault of the context and nothing more. */
static bool crowd_stays(struct scene *s)
{
	struct sdrm_submit *submit = must(sdrm_submit_new(s->ctx, CROWD_STREAM));
	bool ok = true;

	for (uint32_t moved = 0; moved < max_moved() && ok; moved += CROWD)
		ok = crowd_moves(s, submit, CROWD_ID + moved, true);
	sdrm_submit_del(submit);
	return !ok && is_dead_of(s->ctx, SUNDOG_FAULT_CODE_HOST) && others_work(s);
}

static const struct {
	const char *name;
	bool (*run)(struct scene *s);
	bool needs_limit;
} cases[] = {
	{ "nothing moves", nothing_moves, false },
	{ "a texture moves", texture_moves, false },
	{ "the render target moves", target_moves, false },
	{ "vertices, constants, copy and query result move", buffers_move, false },
	{ "the stream itself moves", stream_moves, false },
	{ "two exchange their places", two_exchange, false },
	{ "somebody else comes to the old place", old_place_is_reused, false },
	{ "evicted, and back at another place", evicted_and_back, false },
	{ "freed and made anew after a move", freed_and_reused, false },
	{ "anything moves anywhere", anything_moves, false },
	{ "many move, and go away again", crowds_come_and_go, true },
	{ "more move than the host has memory areas for", crowd_stays, true },
	{ "hostile: moves while work runs", move_while_it_runs, false },
	{ "hostile: another size", other_size, false },
	{ "hostile: another birth", other_birth, false },
	{ "hostile: no birth", no_birth, false },
	{ "hostile: a place outside of VRAM", place_outside, false },
	{ "hostile: two in one place", same_place, false },
};

/* Each case has its own device, so that its worker starts without moved allocations. */
static bool run_case(int i)
{
	struct sdrm_device *dev = device_open();
	struct scene s;
	bool ok;

	scene_init(&s, dev);
	ok = works(&s) && cases[i].run(&s);
	scene_fini(&s);
	sdrm_device_del(dev);
	return ok;
}

int main(void)
{
	const int n = sizeof(cases) / sizeof(cases[0]);

	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		if (cases[i].needs_limit && !max_moved()) {
			printf("ok %d - %s # SKIP the machine allows too many memory areas\n",
			       i + 1, cases[i].name);
			continue;
		}
		srandom(i);
		printf("%sok %d - %s\n", run_case(i) ? "" : "not ", i + 1, cases[i].name);
		fflush(stdout);
	}
	return 0;
}

// SPDX-License-Identifier: MIT
/* Implements hostile.h on libdrm-ext: BOs with canaries, contexts, and a render target. */
#include "hostile.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"

#define STREAM_DWORDS 65536
#define TARGET_SIZE (1u << 20)		/* more than any layout takes */
#define CANARY_WINDOW (64ull << 20)
#define OTHERS_SIZE (32ull << 20)
#define GUARD_SIZE (8ull << 20)

static int failures;

void hostile_result(bool ok, const char *fmt, ...)
{
	va_list args;

	printf(ok ? "ok - " : "not ok - ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	failures += !ok;
}

int hostile_status(void)
{
	return failures != 0;
}

/* Memory */

static struct sdrm_bo *new_bo(struct sdrm_device *dev, uint64_t size)
{
	struct sdrm_bo *bo;

	if (sdrm_bo_new(dev, size, &bo) || !sdrm_bo_map(bo))
		errx(1, "no room for %llu bytes", (unsigned long long)size);
	return bo;
}

struct sdrm_bo *hostile_bo(struct hostile *h, uint64_t size)
{
	return new_bo(h->dev, size);
}

/* The part of @bo at its start (@end false) or end that has canaries. */
static uint32_t *window(const struct sdrm_bo *bo, bool end, uint64_t *words)
{
	const uint64_t size = sdrm_bo_size(bo);
	char *map = sdrm_bo_map((struct sdrm_bo *)bo);

	*words = (size < CANARY_WINDOW ? size : CANARY_WINDOW) / 4;
	return (uint32_t *)(end ? map + size - *words * 4 : map);
}

static struct sdrm_bo *new_canaries(struct sdrm_device *dev, uint64_t size)
{
	struct sdrm_bo *bo = new_bo(dev, size);
	uint64_t words;

	for (int end = 0; end < 2; end++) {
		uint32_t *at = window(bo, end, &words);

		for (uint64_t i = 0; i < words; i++)
			at[i] = CANARY;
	}
	return bo;
}

struct sdrm_bo *hostile_canaries(struct hostile *h, uint64_t size)
{
	return new_canaries(h->dev, size);
}

void hostile_guard_front(struct hostile *h)
{
	h->front = hostile_canaries(h, GUARD_SIZE);
}

void hostile_guard_back(struct hostile *h)
{
	h->back = hostile_canaries(h, GUARD_SIZE);
}

bool hostile_canaries_live(const struct sdrm_bo *bo)
{
	uint64_t words;

	for (int end = 0; end < 2; end++) {
		const uint32_t *at = window(bo, end, &words);

		for (uint64_t i = 0; i < words; i++)
			if (at[i] != CANARY)
				return false;
	}
	return true;
}

void hostile_list(struct hostile *h, struct sdrm_bo *bo)
{
	sdrm_submit_add(h->submit, bo, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
}

/* Device and context */

static void make_context(struct hostile *h)
{
	h->ctx = sdrm_context_new(h->dev);
	h->submit = h->ctx ? sdrm_submit_new(h->ctx, STREAM_DWORDS) : NULL;
	if (!h->submit)
		err(1, "no context");
	h->stream = sdrm_submit_stream(h->submit);
}

static void drop_context(struct hostile *h)
{
	sdrm_submit_del(h->submit);
	sdrm_context_del(h->ctx);
}

static void make_objects(struct hostile *h)
{
	const struct sundog_cmd_create_image image = {
		.id = HOSTILE_TARGET, .mem = sdrm_bo_mem(h->target), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT, .extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
		.levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = HOSTILE_TARGET_VIEW, .image = HOSTILE_TARGET, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT, .aspect = SUNDOG_ASPECT_COLOR, .levels = 1,
		.layers = 1,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
	};
	const struct sundog_cmd_create_sampler sampler = {
		.id = HOSTILE_SAMPLER, .address_u = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.address_v = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.address_w = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .max_anisotropy = 1.0f,
	};

	hostile_list(h, h->target);
	sundog_emit_create_image(h->stream, &image);
	sundog_emit_create_image_view(h->stream, &view);
	sundog_emit_create_sampler(h->stream, &sampler);
	if (!hostile_run(h))
		errx(1, "cannot make a target");
}

struct hostile *hostile_new(void)
{
	struct hostile *h = calloc(1, sizeof(*h));

	if (!h)
		err(1, "hostile");
	h->dev = device_open();
	h->other = device_open();
	h->others = new_canaries(h->other, OTHERS_SIZE);
	h->target = hostile_bo(h, TARGET_SIZE);
	h->readback = hostile_bo(h, HOSTILE_PIXELS * 8);
	make_context(h);
	make_objects(h);
	return h;
}

static void drop_guards(struct hostile *h)
{
	if (!h->front)
		return;
	hostile_result(hostile_canaries_live(h->front) && hostile_canaries_live(h->back),
		       "no other memory was written");
	sdrm_bo_del(h->front);
	sdrm_bo_del(h->back);
}

void hostile_del(struct hostile *h)
{
	drop_guards(h);
	hostile_result(hostile_canaries_live(h->others), "another client's memory is as it was");
	drop_context(h);
	sdrm_bo_del(h->target);
	sdrm_bo_del(h->readback);
	sdrm_device_del(h->dev);
	sdrm_bo_del(h->others);
	sdrm_device_del(h->other);
	free(h);
}

bool hostile_run(struct hostile *h)
{
	struct sdrm_fence *fence;
	bool ok;

	if (sdrm_submit_flush(h->submit, -1, &fence))
		return false;
	ok = !sdrm_fence_wait(fence, SDRM_FOREVER);
	sdrm_fence_del(fence);
	return ok;
}

bool hostile_runs(struct hostile *h)
{
	if (hostile_run(h))
		return true;
	printf("# fault %u\n", hostile_fault(h));
	return false;
}

void hostile_fault_beside(struct hostile *h)
{
	struct hostile beside = { .dev = h->dev };

	make_context(&beside);
	sundog_emit_end_rendering(beside.stream);
	if (hostile_run(&beside))
		errx(1, "the end of no rendering was taken");
	drop_context(&beside);
}

void hostile_need(struct hostile *h, const char *what)
{
	if (hostile_run(h))
		return;
	printf("Bail out! no %s: fault %u\n", what, hostile_fault(h));
	exit(1);
}

enum sundog_fault_code hostile_fault(struct hostile *h)
{
	const struct timespec pause = { 0, 1000000 };
	struct sdrm_context_status status;

	do {
		nanosleep(&pause, NULL);
		if (sdrm_context_query(h->ctx, &status))
			errx(1, "no status");
	} while (status.state != SDRM_CONTEXT_ENDED);
	drop_context(h);
	make_context(h);
	/* Its objects went with a worker that ended. */
	if (status.fault == SUNDOG_FAULT_CODE_WORKER)
		errx(1, "the worker ended");
	return status.fault;
}

/* Drawing */

void hostile_shader(struct hostile *h, uint32_t id, const struct sundog_cmd_create_shader *cmd,
		    const uint32_t *code, size_t size)
{
	struct sundog_cmd_create_shader shader = *cmd;

	shader.id = id;
	shader.n_dwords = size / 4;
	sundog_emit_create_shader(h->stream, &shader, code);
}

void hostile_begin(struct hostile *h, uint32_t topology)
{
	const struct sundog_cmd_set_viewports viewports = { .count = 1 };
	const struct sundog_viewport viewport = { 0.0f, 0.0f, HOSTILE_WIDTH, HOSTILE_HEIGHT, 0.0f,
						  1.0f };
	const struct sundog_cmd_set_scissors scissors = { .count = 1 };
	const struct sundog_rect all = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT };
	const struct sundog_cmd_set_raster raster = {
		.topology = topology, .line_width = 1.0f, .stipple_factor = 1,
	};
	const struct sundog_cmd_set_blend blend = { .count = 1 };
	const struct sundog_blend_attachment attachment = { .write_mask = 15 };
	const struct sundog_cmd_set_multisample multisample = { .samples = 1, .mask = ~0u };
	const struct sundog_cmd_begin_rendering begin = { .area = all, .layers = 1, .count = 1 };
	const struct sundog_attachment color = {
		.view = HOSTILE_TARGET_VIEW, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};

	hostile_list(h, h->target);
	hostile_list(h, h->readback);
	sundog_emit_set_viewports(h->stream, &viewports, &viewport);
	sundog_emit_set_scissors(h->stream, &scissors, &all);
	sundog_emit_set_raster(h->stream, &raster);
	sundog_emit_set_depth_stencil(h->stream, &(struct sundog_cmd_set_depth_stencil){ 0 });
	sundog_emit_set_stencil_reference(h->stream,
					  &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(h->stream, &blend, &attachment);
	sundog_emit_set_blend_constants(h->stream, &(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(h->stream, &multisample);
	sundog_emit_begin_rendering(h->stream, &begin, &color);
}

void hostile_end(struct hostile *h)
{
	const struct sundog_cmd_barrier barrier = {
		.src_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.src_access = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dst_access = VK_ACCESS_2_MEMORY_READ_BIT,
	};
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(h->readback),
		.src = { .image = HOSTILE_TARGET, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
	};

	sundog_emit_end_rendering(h->stream);
	sundog_emit_barrier(h->stream, &barrier);
	sundog_emit_copy_image_to_buffer(h->stream, &copy);
}

void hostile_work(struct hostile *h, uint32_t stage, uint32_t vertex, uint32_t shader)
{
	struct sundog_cmd_bind_shaders bind = { .shaders = { [SUNDOG_STAGE_VERTEX] = vertex } };

	bind.shaders[stage] = shader;
	if (stage == SUNDOG_STAGE_COMPUTE) {
		bind.shaders[SUNDOG_STAGE_VERTEX] = 0;
		sundog_emit_bind_shaders(h->stream, &bind);
		sundog_emit_dispatch(h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
		return;
	}
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &bind);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

void hostile_refused(struct hostile *h, enum sundog_fault_code code, const char *name)
{
	enum sundog_fault_code is = SUNDOG_FAULT_CODE_NONE;

	if (!hostile_run(h))
		is = hostile_fault(h);
	if (is != code)
		printf("# fault %u, expected %u\n", is, code);
	hostile_result(is == code, "refused: %s", name);
}

void hostile_faults(struct hostile *h, struct scene *s, const struct hostile_fault *faults,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		faults[i].record(s);
		hostile_refused(h, faults[i].code, faults[i].name);
	}
}

const uint32_t *hostile_pixels(const struct hostile *h)
{
	return sdrm_bo_map(h->readback);
}

// SPDX-License-Identifier: MIT
/*
 * Two programs that run side by side, of which one loses its workers. `draw` draws until SIGTERM
 * and compares each frame. `lose` submits small work until it has lost CONTEXTS contexts, and makes
 * a new one each time. Both print their counts. The exit status is 0 if each frame and the memory
 * was right and a context works at the end.
 *
 * usage: stream-beside draw | lose CONTEXTS
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "fragment-shaders.h"
#include "hostile.h"
#include "patience.h"

#define WORDS_SIZE (HOSTILE_PIXELS * 4)
#define MEMORY_SIZE 65536u

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT };

/* draw */

static void make_shaders(struct hostile *h)
{
	struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_VERTEX };

	hostile_shader(h, ID_VERTEX, &cmd, probe_vert, sizeof(probe_vert));
	cmd = (struct sundog_cmd_create_shader){
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	hostile_shader(h, ID_FRAGMENT, &cmd, stores_frag, sizeof(stores_frag));
	hostile_need(h, "shaders");
}

/*
 * Draws frame @number: all pixels and one word per pixel get the number. Returns true if they have
 * it.
 */
static bool frame(struct hostile *h, struct sdrm_bo *bo, uint32_t number)
{
	const struct sundog_mem_range range = { sdrm_bo_mem(bo), 0, WORDS_SIZE };
	const uint32_t *words = sdrm_bo_map(bo), *pixels = hostile_pixels(h);

	hostile_list(h, bo);
	sundog_emit_bind_ssbos(h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_FRAGMENT, 0, 1 }, &range);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   (const uint32_t[]){ 0, number });
	hostile_work(h, SUNDOG_STAGE_FRAGMENT, ID_VERTEX, ID_FRAGMENT);
	if (!hostile_runs(h))
		return false;
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[2 * i] != i % HOSTILE_WIDTH || pixels[2 * i + 1] != number ||
		    words[i] != number + i % 2) {
			printf("frame %u: pixel %u is %#x %#x, its word %#x\n", number, i,
			       pixels[2 * i],
			       pixels[2 * i + 1], words[i]);
			return false;
		}
	return true;
}

static volatile sig_atomic_t told;

static void on_term(int signal)
{
	(void)signal;
	told = 1;
}

static int draw(void)
{
	struct hostile *h = hostile_new();
	struct sdrm_bo *bo = hostile_bo(h, WORDS_SIZE);
	uint32_t n = 0;

	signal(SIGTERM, on_term);
	make_shaders(h);
	for (; !told; n++) {
		if (!frame(h, bo, n))
			return 1;
		if (!n) {
			printf("draws\n");
			fflush(stdout);
		}
	}
	printf("%u frames\n", n);
	sdrm_bo_del(bo);
	hostile_del(h);
	return hostile_status();
}

/* lose */

/* Submits work, if @wait until the context is lost. Returns the number of completed submissions. */
static uint32_t work(struct sdrm_context *ctx, struct sdrm_bo *bo, bool wait)
{
	const int64_t end = patience_end();
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	uint32_t *words = sdrm_bo_map(bo), n = 0;
	struct sdrm_fence *fence;

	do {
		memset(words, 0, MEMORY_SIZE);
		sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE);
		sundog_emit_fill_buffer(sdrm_submit_stream(submit),
					&(struct sundog_cmd_fill_buffer){
			{ sdrm_bo_mem(bo), 0, MEMORY_SIZE }, ++n });
		if (sdrm_submit_flush(submit, -1, &fence))
			break;
		if (!sdrm_fence_wait(fence, SDRM_FOREVER) && words[MEMORY_SIZE / 4 - 1] != n)
			errx(1, "%#x is not %#x", words[MEMORY_SIZE / 4 - 1], n);
		sdrm_fence_del(fence);
	} while (!sdrm_context_is_lost(ctx) && wait && patience_pause(end));
	sdrm_submit_del(submit);
	return n;
}

static int lose(uint32_t wanted)
{
	struct sdrm_device *dev = device_open();
	const int64_t end = patience_end();
	uint32_t n = 0, lost = 0, refused = 0;
	struct sdrm_bo *bo;
	bool well = false;

	if (sdrm_bo_new(dev, MEMORY_SIZE, &bo))
		errx(1, "no room");
	do {
		struct sdrm_context *ctx = sdrm_context_new(dev);

		if (!ctx) {
			refused++;
			continue;
		}
		n += work(ctx, bo, lost < wanted);
		well = !sdrm_context_is_lost(ctx);
		lost += !well;
		sdrm_context_del(ctx);
	} while (!well && patience_pause(end));
	printf("%u submissions, %u contexts lost, %u refused\n", n, lost, refused);
	sdrm_bo_del(bo);
	sdrm_device_del(dev);
	return !well || lost < wanted;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "draw"))
		return draw();
	if (argc == 3 && !strcmp(argv[1], "lose"))
		return lose(atoi(argv[2]));
	errx(2, "usage: stream-beside draw | lose CONTEXTS");
}

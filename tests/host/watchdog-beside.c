// SPDX-License-Identifier: MIT
/*
 * Runs a work group that takes half of the watchdog's limit for a batch while the renderer checks
 * shaders of another context in its other threads. The watchdog must not end the worker, although
 * both together exceed the limit: the renderer has one CPU for all threads (on-one-cpu.sh). Prints
 * TAP.
 *
 * usage: watchdog-beside LIMIT-MS, the --timeout of the renderer
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "sundog.h"
#include "sundog_priv.h"
#include "tap.h"

#include "watchdog-rounds.h"
#include "watchdog-checks.h"
#include "watchdog-checks-long.h"

#define STREAM_DWORDS (1u << 20)
#define SIZE 65536
#define PROBE_ROUNDS 20000000u
#define SHADERS 8		/* each takes half a second to check */
/*
 * index of the generator word of a module. Different values make different modules: the renderer
 * checks equal modules only once.
 */
#define GENERATOR 2

enum { ID_ROUNDS = 1, ID_CHECKED };

struct side {
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static struct side side_new(struct sdrm_device *dev)
{
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct side side = { ctx, ctx ? sdrm_submit_new(ctx, STREAM_DWORDS) : NULL };

	if (!side.submit)
		err(1, "no context");
	return side;
}

static void create(const struct side *side, uint32_t id, const uint32_t *code, size_t size)
{
	const struct sundog_cmd_create_shader shader = {
		.id = id, .stage = SUNDOG_STAGE_COMPUTE, .push_size = 4, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
		.n_dwords = size / 4,
	};

	sundog_emit_create_shader(sdrm_submit_stream(side->submit), &shader, code);
}

static void bind(const struct side *side, uint32_t id)
{
	const struct sundog_cmd_bind_shaders shaders =
		{ .shaders = { [SUNDOG_STAGE_COMPUTE] = id } };

	sundog_emit_bind_shaders(sdrm_submit_stream(side->submit), &shaders);
}

static struct sdrm_fence *flush(const struct side *side)
{
	struct sdrm_fence *fence;

	errno = -sdrm_submit_flush(side->submit, -1, &fence);
	if (errno)
		err(1, "a submission is not taken");
	return fence;
}

static struct sdrm_fence *dispatch(const struct side *side, struct sdrm_bo *words,
				   uint32_t rounds)
{
	const struct sundog_mem_range ssbo = { sdrm_bo_mem(words), 0, SIZE };
	struct sundog_stream *stream = sdrm_submit_stream(side->submit);

	sdrm_submit_add(side->submit, words, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	bind(side, ID_ROUNDS);
	sundog_emit_bind_ssbos(stream, &(struct sundog_cmd_bind_ssbos){
		.stage = SUNDOG_STAGE_COMPUTE, .count = 1 }, &ssbo);
	sundog_emit_push_constants(stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &rounds);
	sundog_emit_dispatch(stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	return flush(side);
}

/*
 * Returns the seconds that @rounds rounds take: the minimum of five, which other load disturbed
 * least.
 */
static double time_rounds(const struct side *side, struct sdrm_bo *words, uint32_t rounds)
{
	double least = 1e9, begun;

	for (int i = 0; i < 5; i++) {
		begun = now();
		if (sdrm_fence_wait(dispatch(side, words, rounds), SDRM_FOREVER))
			errx(1, "a short group is lost");
		if (now() - begun < least)
			least = now() - begun;
	}
	return least;
}

/*
 * Returns the longest time without progress that a guest kernel would see until @fence is done, as
 * a fraction of the whole wait.
 */
static double longest_silence(const struct side *side, struct sdrm_fence *fence)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	const double begun = now();
	uint64_t progress = side->ctx->status->progress;
	double heard = begun, longest = 0;
	bool done;

	do {
		nanosleep(&pause, NULL);
		done = sdrm_fence_wait(fence, 0) != -ETIME;
		if (!done && side->ctx->status->progress == progress)
			continue;
		if (now() - heard > longest)
			longest = now() - heard;
		heard = now();
		progress = side->ctx->status->progress;
	} while (!done);
	return longest / (now() - begun);
}

int main(int argc, char **argv)
{
	const double limit = argc == 2 ? atof(argv[1]) / 1e3 : 0;
	struct sdrm_device *dev = device_open();
	const struct side a = side_new(dev), b = side_new(dev), c = side_new(dev);
	struct sdrm_context_status status = { 0 };
	struct sdrm_fence *group, *checks = NULL;
	struct sdrm_bo *words;
	uint32_t code[sizeof(watchdog_checks) / 4], rounds;
	double begun, silence;
	int error;

	if (limit <= 0)
		errx(2, "usage: watchdog-beside LIMIT-MS");
	if (sdrm_bo_new(dev, SIZE, &words))
		errx(1, "no memory");
	create(&a, ID_ROUNDS, watchdog_rounds, sizeof(watchdog_rounds));
	time_rounds(&a, words, 1);
	rounds = limit / 2 / time_rounds(&a, words, PROBE_ROUNDS) * PROBE_ROUNDS;

	printf("1..3\n");
	begun = now();
	group = dispatch(&a, words, rounds);
	memcpy(code, watchdog_checks, sizeof(code));
	for (uint32_t i = 0; i < SHADERS; i++) {
		code[GENERATOR] = i;
		create(&b, ID_CHECKED + i, code, sizeof(code));
		checks = flush(&b);
	}
	error = sdrm_fence_wait(group, SDRM_FOREVER);
	printf("# the group took %.1f s\n", now() - begun);
	sdrm_context_query(a.ctx, &status);
	tap(!error, "a group is not ended because shaders are checked (%s, fault %u)",
	    strerror(-error), status.fault);
	tap(!sdrm_fence_wait(checks, SDRM_FOREVER), "and they are");
	printf("# the checks took %.1f s\n", now() - begun);
	create(&c, ID_CHECKED + SHADERS, watchdog_checks_long, sizeof(watchdog_checks_long));
	bind(&c, ID_CHECKED + SHADERS);		/* waits for the checks */
	silence = longest_silence(&c, flush(&c));
	tap(silence < 0.2,
	    "the checks of one shader count as progress "
	    "(for %.0f %% of the time at most they do not)",
	    100 * silence);
	return tap_failures() > 0;
}

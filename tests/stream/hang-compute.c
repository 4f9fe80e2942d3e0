// SPDX-License-Identifier: MIT
/*
 * Dispatches the largest number of groups in two dimensions, which would take hours, of shader
 * COMPUTE_SHADER, and prints how the submission ended. Runs on the device that device.h finds.
 */
#include <err.h>
#include <errno.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "sundog.h"

#include COMPUTE_SHADER

#define STREAM_DWORDS (1u << 20)

enum { ID_SHADER = 1 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void record(struct sundog_stream *stream, const uint32_t *most)
{
	const struct sundog_cmd_create_shader shader = {
		.id = ID_SHADER, .stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
		.n_dwords = sizeof(hang_comp) / 4,
	};
	const struct sundog_cmd_bind_shaders bind =
		{ .shaders = { [SUNDOG_STAGE_COMPUTE] = ID_SHADER } };
	const struct sundog_cmd_dispatch dispatch = { { most[0], most[1], 1 } };

	sundog_emit_create_shader(stream, &shader, hang_comp);
	sundog_emit_bind_shaders(stream, &bind);
	sundog_emit_dispatch(stream, &dispatch);
}

int main(void)
{
	struct sdrm_device *dev = device_open();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = ctx ? sdrm_submit_new(ctx, STREAM_DWORDS) : NULL;
	struct sdrm_context_status status = { 0 };
	struct sdrm_fence *fence;
	double begun;

	if (!submit)
		err(1, "no context");
	record(sdrm_submit_stream(submit), sdrm_device_caps(dev)->max_group_count);
	begun = now();
	errno = -sdrm_submit_flush(submit, -1, &fence);
	if (errno)
		err(1, "the dispatch is not taken");
	errno = -sdrm_fence_wait(fence, SDRM_FOREVER);
	if (!errno)
		errx(2, "all groups are done");
	sdrm_context_query(ctx, &status);
	err(1, "dispatch: fault %u after %d ms", status.fault, (int)((now() - begun) * 1e3));
}

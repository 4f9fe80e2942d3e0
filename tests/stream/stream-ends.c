// SPDX-License-Identifier: MIT
/*
 * Draws with vertices that end where the client's memory ends. An attribute whose last byte, or all
 * bytes, are behind its buffer is zero (robustBufferAccess), and no byte there is read. The
 * installed lavapipe reads one byte, if only that is missing (lavapipe/patches/0008). So only suite
 * lavapipe runs this. Prints TAP.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

#include "ends.frag.h"
#include "ends.vert.h"
#include "hostile.h"

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT };

/* Returns a BO of all that is left of VRAM, so that it has the end. */
static struct sdrm_bo *all_vram(struct hostile *h)
{
	struct sdrm_bo *bo = NULL;

	for (uint64_t size = sdrm_device_vram_free(h->dev); size && sdrm_bo_new(h->dev, size, &bo);)
		size -= SUNDOG_PAGE_SIZE;
	return bo;
}

static bool all_zero(const uint32_t *pixels)
{
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[2 * i] || pixels[2 * i + 1] != 5)
			return false;
	return true;
}

/* Draws with an attribute @offset bytes after a binding that begins @back bytes before the end. */
static bool reads_zero(struct hostile *h, struct sdrm_bo *bo, uint32_t format, uint32_t back,
		       uint32_t offset, uint32_t divisor)
{
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { 4, divisor } }, .count = 1,
	};
	const struct sundog_vertex_attribute attribute = { 0, 0, format, offset };
	const struct sundog_cmd_bind_vertex_buffers bind = { .count = 1 };
	const struct sundog_buffer_binding buffer = { sdrm_bo_mem(bo), sdrm_bo_size(bo) - back };

	hostile_list(h, bo);
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &input, &attribute);
	sundog_emit_bind_shaders(h->stream,
				 &(struct sundog_cmd_bind_shaders){ { ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_bind_vertex_buffers(h->stream, &bind, &buffer);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
	return hostile_runs(h) && all_zero(hostile_pixels(h));
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t format, size;
	} formats[] = {
		{ "a byte", VK_FORMAT_R8_UINT, 1 },
		{ "a word", VK_FORMAT_R32_UINT, 4 },
		{ "four words", VK_FORMAT_R32G32B32A32_UINT, 16 },
	};
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	struct hostile *h = hostile_new();
	struct sdrm_bo *bo = all_vram(h);

	hostile_need(h, "shaders");
	hostile_shader(h, ID_VERTEX, &vertex, ends_vert, sizeof(ends_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, ends_frag, sizeof(ends_frag));
	memset((char *)sdrm_bo_map(bo) + sdrm_bo_size(bo) - SUNDOG_PAGE_SIZE, 0x77,
	       SUNDOG_PAGE_SIZE);
	for (uint32_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (uint32_t divisor = 0; divisor < 2; divisor++) {
			const uint32_t size = formats[i].size;

			hostile_result(reads_zero(h, bo, formats[i].format, 16, 16, divisor),
				       "%s at the end of memory, divisor %u", formats[i].name,
				       divisor);
			hostile_result(reads_zero(h, bo, formats[i].format, size, 1, divisor),
				       "%s with a byte behind the end, divisor %u",
				       formats[i].name, divisor);
		}
	}
	sdrm_bo_del(bo);
	hostile_del(h);
	return hostile_status();
}

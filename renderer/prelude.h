/* SPDX-License-Identifier: MIT */
/*
 * What the command buffer of every batch begins with on Mesa's lavapipe: a draw of nothing.
 *
 * A command buffer of lavapipe does not know how many samples it renders with before its first draw.
 * Told there, it sets the framebuffer once more, and that ends the scene: clears by load operation
 * would be rasterised on their own before anything is drawn, in a pass over all of the framebuffer.
 * After a draw in a rendering without attachments it knows. Ours knows from the attachments (lavapipe/README.md).
 */
#ifndef PRELUDE_H
#define PRELUDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct worker;

/* A shader of the renderer's own, after the layouts of descriptors.c are made. */
bool prelude_shader(struct worker *w, uint32_t stage, const uint32_t *code, size_t size, VkShaderEXT *shader);

/* After the layouts of descriptors.c are made. Does nothing on hosts that need none. */
bool prelude_init(struct worker *w);

/* Record it to @cmd, outside of renderings; no state that was set before is there afterwards. */
void prelude_record(struct worker *w, VkCommandBuffer cmd);

/*
 * Before a query of statistics begins in the stream that is being decoded: lavapipe looks at the compute shader then,
 * and that there is none crashes it once push constants were set. Nothing where the stream has bound one; one that was
 * refused, or that the host did not make, is none.
 */
void prelude_compute(struct worker *w);

#endif

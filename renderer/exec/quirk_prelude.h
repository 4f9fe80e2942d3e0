/* SPDX-License-Identifier: MIT */
/*
 * The prelude: an empty draw at the start of each batch's command buffer, a workaround for Mesa's
 * lavapipe (QUIRK_SAMPLES_AT_DRAW). Called on the worker's main thread.
 *
 * A lavapipe command buffer does not know its sample count before its first draw. When it learns
 * the count there, it sets the framebuffer once more, which ends the scene: clears by load
 * operation would be rasterized on their own, in a pass over the whole framebuffer, before anything
 * is drawn. After a draw in a rendering without attachments it knows the count. The patched
 * lavapipe derives the count from the attachments and needs no prelude (lavapipe/README.md).
 */
#ifndef EXEC_QUIRK_PRELUDE_H
#define EXEC_QUIRK_PRELUDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct exec;

/*
 * Create a shader of the renderer itself, after the layouts of descriptor.c. Returns false if the
 * host fails.
 */
bool prelude_shader(struct exec *x, uint32_t stage, const uint32_t *code, size_t size,
		    VkShaderEXT *shader);

/*
 * Create the prelude's shaders, after the layouts of descriptor.c. Does nothing on hosts that need
 * no prelude. Returns false if the host fails.
 */
bool prelude_init(struct exec *x);

/*
 * Record the prelude to @cmd, outside renderings. All state that was set before is invalid
 * afterwards.
 */
void prelude_record(struct exec *x, VkCommandBuffer cmd);

/*
 * Bind the idle compute shader if the stream has none. Call it before a query of pipeline
 * statistics begins: lavapipe then reads the compute shader, and crashes without one once push
 * constants were set. A shader that was refused, or that the host could not create, counts as none.
 */
void prelude_compute(struct exec *x);

#endif

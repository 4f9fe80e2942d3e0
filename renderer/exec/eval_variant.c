// SPDX-License-Identifier: MIT
/*
 * Tessellation evaluation shaders of hosts that keep a vertex stride in their code
 * (QUIRK_EVAL_STRIDE), and smooth lines, see eval_variant.h. Called by the decoder on the worker's
 * main thread.
 *
 * llvmpipe's draw module appends slots to vertices: for FrontFacing of polygons that are not
 * filled, for PrimitiveId that no shader writes, and for the distance from a smooth line. The code
 * of an evaluation shader has the stride of the draw that it was compiled for, and llvmpipe uses it
 * for other draws, which may have allocated smaller vertices.
 *
 * The number of slots depends on what the host's optimizer has left of the fragment shader, and on
 * earlier draws. The renderer does not predict it:
 *
 * - A draw whose vertices may have a slot for FrontFacing or PrimitiveId gets an evaluation shader
 *   of its own, maybe in vain. Other draws share the shader of vertices without such a slot. The
 *   key of the host's code has the slot of PrimitiveId, but not whether it follows the outputs of
 *   the evaluation shader or is one of the geometry shader.
 * - Lines of patches and of geometry shaders are not smooth. The slot for their distance appears
 *   in the middle of the first draw of a fragment shader, and later parts of that draw read
 *   vertices of a size that the code does not write.
 *
 * The host shares no code between shader objects.
 *
 * Every llvmpipe (QUIRK_SMOOTH_SLOT) takes the location behind the start of the last input of the
 * fragment shader for the distance from a smooth line. If that input is an array, its second
 * element reads the slot. Only lines write to it, so all other draws have plain lines.
 */
#include "exec/eval_variant.h"

#include "exec/exec.h"
#include "exec/patch.h"

void smooth_lines_to_host(struct exec *x, bool never)
{
	struct draw *d = &x->draw;
	const bool plain = d->smooth_lines && never;

	if (plain == d->plain_lines)
		return;
	x->vk.CmdSetLineRasterizationModeEXT(d->cmd, plain ?
				VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT :
				VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT);
	d->plain_lines = plain;
}

static void bind(struct exec *x, const struct shader *eval)
{
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;

	x->vk.CmdBindShadersEXT(x->draw.cmd, 1, &stage, &eval->shader);
	patch_origin_to_host(x);
}

/* Binds a copy of @eval that no other draw uses. It is freed when the batch has completed. */
static bool bind_copy(struct exec *x, const struct shader *eval)
{
	VkResult r;
	struct shader *copy = shader_copy(x, eval, &r);

	if (!copy)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	bind(x, copy);
	batch_note_code(x, eval->n_dwords);
	object_unref(x, &copy->object);
	return true;
}

bool eval_variant_to_host(struct exec *x)
{
	const struct shader *eval = x->draw.shaders[SUNDOG_STAGE_TESS_EVAL];
	const bool copied = x->draw.eval_copied;
	const bool keeps_stride = vk_has_quirk(&x->vk, QUIRK_EVAL_STRIDE);
	const bool no_lines = vk_has_quirk(&x->vk, QUIRK_SMOOTH_SLOT) && !draw_has_lines(&x->draw);

	smooth_lines_to_host(x, no_lines || (keeps_stride &&
					     (eval || x->draw.shaders[SUNDOG_STAGE_GEOMETRY])));
	if (!keeps_stride)
		return true;
	x->draw.eval_copied = eval && draw_may_add_slot(&x->draw);
	if (x->draw.eval_copied)
		return bind_copy(x, eval);
	if (eval && copied)
		bind(x, eval);
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * Descriptors of image views. Views cache them, because asking the host takes longer. Called on the
 * worker's main thread.
 */
#include "exec/image_descriptor.h"

#include <stdlib.h>

#include "exec/exec.h"
#include "exec/object.h"

/*
 * Allocate *@bytes for a descriptor if it is NULL. Returns *@bytes, or NULL with a fault recorded.
 */
static void *make_room(struct exec *x, void **bytes, enum slot_kind kind)
{
	if (!*bytes)
		*bytes = calloc(1, x->draw.descriptor_size[kind]);
	if (!*bytes)
		fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	return *bytes;
}

const void *image_view_descriptor(struct exec *x, struct image_view *view,
				  const struct sampler *sampler)
{
	struct view_descriptor *d;

	for (uint32_t i = 0; i < VIEW_CACHED_SAMPLERS; i++)
		if (view->descriptors[i].sampler_serial == sampler->serial)
			return view->descriptors[i].bytes;
	d = &view->descriptors[view->next_descriptor++ % VIEW_CACHED_SAMPLERS];
	if (!make_room(x, &d->bytes, SLOT_TEXTURE))
		return NULL;
	descriptor_of_image(x, SLOT_TEXTURE, view->view, sampler->sampler, d->bytes);
	d->sampler_serial = sampler->serial;
	return d->bytes;
}

const void *image_view_plain_descriptor(struct exec *x, struct image_view *view,
					enum slot_kind kind)
{
	void **bytes = &view->plain_descriptors[kind == SLOT_IMAGE];

	if (*bytes)
		return *bytes;
	if (!make_room(x, bytes, kind))
		return NULL;
	descriptor_of_image(x, kind, view->view, VK_NULL_HANDLE, *bytes);
	return *bytes;
}

void image_view_descriptors_free(struct image_view *view)
{
	for (uint32_t i = 0; i < VIEW_CACHED_SAMPLERS; i++)
		free(view->descriptors[i].bytes);
	for (uint32_t i = 0; i < 2; i++)
		free(view->plain_descriptors[i]);
}

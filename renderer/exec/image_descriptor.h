/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of image views, which views cache. Called by the decoder on the worker's main
 * thread.
 */
#ifndef EXEC_IMAGE_DESCRIPTOR_H
#define EXEC_IMAGE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/descriptor.h"

struct exec;
struct image_view;
struct sampler;

/*
 * Return the descriptor of a view with a sampler, or as @kind without one; NULL with a fault
 * recorded.
 */
const void *image_view_descriptor(struct exec *x, struct image_view *view,
				  const struct sampler *sampler);
const void *image_view_plain_descriptor(struct exec *x, struct image_view *view,
					enum slot_kind kind);
void image_view_descriptors_free(struct image_view *view);

#endif

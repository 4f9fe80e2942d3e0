/* SPDX-License-Identifier: MIT */
/*
 * Buffer views: descriptors and destruction. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_BUFFER_VIEW_H
#define EXEC_BUFFER_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/descriptor.h"
#include "sundog_packets.h"

struct buffer_view;
struct exec;

/*
 * Returns true if @view can be bound as @kind of texel buffer. buffer_view_descriptor() returns the
 * descriptor for that; NULL with a fault recorded.
 */
bool buffer_view_can_be(const struct exec *x, const struct buffer_view *view,
			enum slot_kind kind);
const void *buffer_view_descriptor(struct exec *x, struct buffer_view *view, enum slot_kind kind);

void buffer_view_free(struct exec *x, struct buffer_view *view);

#endif

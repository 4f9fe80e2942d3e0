// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What user space is given as the device has it: the interface's own names are the protocol's, by
 * value and by place. Nothing here makes code.
 */

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include "uapi/sundog_drm.h"

#include "sundog_hw.h"

#define SUNDOG_SAME(a, b) static_assert((u64)DRM_SUNDOG_##a == (u64)SUNDOG_##b)

#define SUNDOG_SAME_FIELD(name, field) \
	static_assert(offsetof(struct drm_sundog_##name, field) == \
		      offsetof(struct sundog_##name, field) && \
		      sizeof_field(struct drm_sundog_##name, field) == \
		      sizeof_field(struct sundog_##name, field))

SUNDOG_SAME(FAULT_NONE, FAULT_CODE_NONE);
SUNDOG_SAME(FAULT_RING, FAULT_CODE_RING);
SUNDOG_SAME(FAULT_STREAM, FAULT_CODE_STREAM);
SUNDOG_SAME(FAULT_LIST, FAULT_CODE_LIST);
SUNDOG_SAME(FAULT_OPCODE, FAULT_CODE_OPCODE);
SUNDOG_SAME(FAULT_LENGTH, FAULT_CODE_LENGTH);
SUNDOG_SAME(FAULT_FIELD, FAULT_CODE_FIELD);
SUNDOG_SAME(FAULT_OBJECT, FAULT_CODE_OBJECT);
SUNDOG_SAME(FAULT_NOT_LISTED, FAULT_CODE_NOT_LISTED);
SUNDOG_SAME(FAULT_ACCESS, FAULT_CODE_ACCESS);
SUNDOG_SAME(FAULT_RANGE, FAULT_CODE_RANGE);
SUNDOG_SAME(FAULT_SHADER, FAULT_CODE_SHADER);
SUNDOG_SAME(FAULT_STATE, FAULT_CODE_STATE);
SUNDOG_SAME(FAULT_HOST, FAULT_CODE_HOST);
SUNDOG_SAME(FAULT_WORKER, FAULT_CODE_WORKER);
SUNDOG_SAME(FAULT_TIMEOUT, FAULT_CODE_TIMEOUT);

SUNDOG_SAME(FEATURE_RENDER, FEATURE_RENDER);
SUNDOG_SAME(FEATURE_LINEAR_LAYOUT, FEATURE_LINEAR_LAYOUT);
SUNDOG_SAME(FEATURE_RAW_MOVE, FEATURE_RAW_MOVE);
SUNDOG_SAME(FEATURE_HEAP_GUEST, FEATURE_HEAP_GUEST);
SUNDOG_SAME(FEATURE_DISCARD, FEATURE_DISCARD);

SUNDOG_SAME(LAYOUT_RULE_NONE, LAYOUT_RULE_NONE);
SUNDOG_SAME(LAYOUT_RULE_LINEAR, LAYOUT_RULE_LINEAR);
SUNDOG_SAME(LAYOUT_EXPLICIT, LAYOUT_FLAG_EXPLICIT);

SUNDOG_SAME(FORMAT_SAMPLED, FORMAT_FEATURE_SAMPLED);
SUNDOG_SAME(FORMAT_FILTER, FORMAT_FEATURE_FILTER);
SUNDOG_SAME(FORMAT_COLOR, FORMAT_FEATURE_COLOR);
SUNDOG_SAME(FORMAT_BLEND, FORMAT_FEATURE_BLEND);
SUNDOG_SAME(FORMAT_DEPTH_STENCIL, FORMAT_FEATURE_DEPTH_STENCIL);
SUNDOG_SAME(FORMAT_STORAGE, FORMAT_FEATURE_STORAGE);
SUNDOG_SAME(FORMAT_VERTEX, FORMAT_FEATURE_VERTEX);
SUNDOG_SAME(FORMAT_TEXEL_BUFFER, FORMAT_FEATURE_TEXEL_BUFFER);
SUNDOG_SAME(FORMAT_BLIT, FORMAT_FEATURE_BLIT);

static_assert(sizeof(struct drm_sundog_caps) == sizeof(struct sundog_caps));
SUNDOG_SAME_FIELD(caps, size);
SUNDOG_SAME_FIELD(caps, version);
SUNDOG_SAME_FIELD(caps, features);
SUNDOG_SAME_FIELD(caps, host_driver);
SUNDOG_SAME_FIELD(caps, host_device);
SUNDOG_SAME_FIELD(caps, host_api);
SUNDOG_SAME_FIELD(caps, host_driver_id);
SUNDOG_SAME_FIELD(caps, host_vendor);
SUNDOG_SAME_FIELD(caps, host_software);
SUNDOG_SAME_FIELD(caps, layout_rule);
SUNDOG_SAME_FIELD(caps, layout_block);
SUNDOG_SAME_FIELD(caps, layout_pitch_align);
SUNDOG_SAME_FIELD(caps, layout_level_align);
SUNDOG_SAME_FIELD(caps, layout_flags);
SUNDOG_SAME_FIELD(caps, max_image_1d);
SUNDOG_SAME_FIELD(caps, max_image_2d);
SUNDOG_SAME_FIELD(caps, max_image_3d);
SUNDOG_SAME_FIELD(caps, max_image_cube);
SUNDOG_SAME_FIELD(caps, max_image_layers);
SUNDOG_SAME_FIELD(caps, max_texel_elements);
SUNDOG_SAME_FIELD(caps, max_ubo_range);
SUNDOG_SAME_FIELD(caps, max_ssbo_range);
SUNDOG_SAME_FIELD(caps, min_ubo_align);
SUNDOG_SAME_FIELD(caps, min_ssbo_align);
SUNDOG_SAME_FIELD(caps, min_texel_align);
SUNDOG_SAME_FIELD(caps, max_color_attachments);
SUNDOG_SAME_FIELD(caps, max_viewports);
SUNDOG_SAME_FIELD(caps, max_vertex_attributes);
SUNDOG_SAME_FIELD(caps, max_vertex_buffers);
SUNDOG_SAME_FIELD(caps, max_vertex_stride);
SUNDOG_SAME_FIELD(caps, max_varyings);
SUNDOG_SAME_FIELD(caps, sample_counts);
SUNDOG_SAME_FIELD(caps, max_anisotropy);
SUNDOG_SAME_FIELD(caps, max_lod_bias);
SUNDOG_SAME_FIELD(caps, point_size_min);
SUNDOG_SAME_FIELD(caps, point_size_max);
SUNDOG_SAME_FIELD(caps, line_width_min);
SUNDOG_SAME_FIELD(caps, line_width_max);
SUNDOG_SAME_FIELD(caps, timestamp_period);
SUNDOG_SAME_FIELD(caps, formats);

/* The worker's part of the status page is in front of the kernel's. */
static_assert(offsetof(struct drm_sundog_status, completed) ==
	      offsetof(struct sundog_ring_status, completed));
static_assert(offsetof(struct drm_sundog_status, lost) >= sizeof(struct sundog_ring_status));
static_assert(sizeof(struct drm_sundog_status) <= SUNDOG_PAGE_SIZE);

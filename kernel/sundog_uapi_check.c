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

#define SUNDOG_SAME_CAP(a, b) \
	static_assert(offsetof(struct drm_sundog_caps, a) == offsetof(struct sundog_caps, b))

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
SUNDOG_SAME(FEATURE_GEOMETRY, FEATURE_GEOMETRY);
SUNDOG_SAME(FEATURE_FEEDBACK, FEATURE_FEEDBACK);
SUNDOG_SAME(FEATURE_COMPUTE, FEATURE_COMPUTE);
SUNDOG_SAME(FEATURE_STORAGE, FEATURE_STORAGE);
SUNDOG_SAME(FEATURE_TESSELLATION, FEATURE_TESSELLATION);
SUNDOG_SAME(FEATURE_INDIRECT, FEATURE_INDIRECT);
SUNDOG_SAME(FEATURE_FLOAT64, FEATURE_FLOAT64);
SUNDOG_SAME(FEATURE_INT64, FEATURE_INT64);
SUNDOG_SAME(FEATURE_SAMPLE_SHADING, FEATURE_SAMPLE_SHADING);
SUNDOG_SAME(FEATURE_CUBE_ARRAYS, FEATURE_CUBE_ARRAYS);
SUNDOG_SAME(FEATURE_STREAMS, FEATURE_STREAMS);
SUNDOG_SAME(FEATURE_STATISTICS, FEATURE_STATISTICS);
SUNDOG_SAME(FEATURE_SHADER_LAYER, FEATURE_SHADER_LAYER);
SUNDOG_SAME(FEATURE_SUBGROUPS, FEATURE_SUBGROUPS);

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
SUNDOG_SAME(FORMAT_STORAGE_TEXEL_BUFFER, FORMAT_FEATURE_STORAGE_TEXEL_BUFFER);
SUNDOG_SAME(FORMAT_ATOMIC, FORMAT_FEATURE_ATOMIC);
SUNDOG_SAME(FORMAT_BLIT_SRC, FORMAT_FEATURE_BLIT_SRC);

static_assert(sizeof(struct drm_sundog_caps) == sizeof(struct sundog_caps));
SUNDOG_SAME_CAP(size, size);
SUNDOG_SAME_CAP(version, version);
SUNDOG_SAME_CAP(features, features);
SUNDOG_SAME_CAP(host_driver, host_driver);
SUNDOG_SAME_CAP(host_device, host_device);
SUNDOG_SAME_CAP(host_api, host_api);
SUNDOG_SAME_CAP(host_driver_id, host_driver_id);
SUNDOG_SAME_CAP(host_vendor, host_vendor);
SUNDOG_SAME_CAP(host_software, host_software);
SUNDOG_SAME_CAP(layout_rule, layout_rule);
SUNDOG_SAME_CAP(layout_block, layout_block);
SUNDOG_SAME_CAP(layout_pitch_align, layout_pitch_align);
SUNDOG_SAME_CAP(layout_level_align, layout_level_align);
SUNDOG_SAME_CAP(layout_flags, layout_flags);
SUNDOG_SAME_CAP(max_image_1d, max_image_1d);
SUNDOG_SAME_CAP(max_image_2d, max_image_2d);
SUNDOG_SAME_CAP(max_image_3d, max_image_3d);
SUNDOG_SAME_CAP(max_image_cube, max_image_cube);
SUNDOG_SAME_CAP(max_image_layers, max_image_layers);
SUNDOG_SAME_CAP(max_texel_elements, max_texel_elements);
SUNDOG_SAME_CAP(max_ubo_range, max_ubo_range);
SUNDOG_SAME_CAP(max_ssbo_range, max_ssbo_range);
SUNDOG_SAME_CAP(min_ubo_align, min_ubo_align);
SUNDOG_SAME_CAP(min_ssbo_align, min_ssbo_align);
SUNDOG_SAME_CAP(min_texel_align, min_texel_align);
SUNDOG_SAME_CAP(max_color_attachments, max_color_attachments);
SUNDOG_SAME_CAP(max_viewports, max_viewports);
SUNDOG_SAME_CAP(max_vertex_attributes, max_vertex_attributes);
SUNDOG_SAME_CAP(max_vertex_buffers, max_vertex_buffers);
SUNDOG_SAME_CAP(max_vertex_stride, max_vertex_stride);
SUNDOG_SAME_CAP(max_varyings, max_varyings);
SUNDOG_SAME_CAP(sample_counts, sample_counts);
SUNDOG_SAME_CAP(max_anisotropy, max_anisotropy);
SUNDOG_SAME_CAP(max_lod_bias, max_lod_bias);
SUNDOG_SAME_CAP(point_size_min, point_size_min);
SUNDOG_SAME_CAP(point_size_max, point_size_max);
SUNDOG_SAME_CAP(line_width_min, line_width_min);
SUNDOG_SAME_CAP(line_width_max, line_width_max);
SUNDOG_SAME_CAP(timestamp_period, timestamp_period);
SUNDOG_SAME_CAP(max_buffer, max_buffer);
SUNDOG_SAME_CAP(max_group_count, max_group_count);
SUNDOG_SAME_CAP(max_group_size, max_group_size);
SUNDOG_SAME_CAP(max_group_invocations, max_group_invocations);
SUNDOG_SAME_CAP(max_shared_memory, max_shared_memory);
SUNDOG_SAME_CAP(max_tess_level, max_tess_level);
SUNDOG_SAME_CAP(max_patch_vertices, max_patch_vertices);
SUNDOG_SAME_CAP(max_indirect_draws, max_indirect_draws);
SUNDOG_SAME_CAP(subgroup_size, subgroup_size);
SUNDOG_SAME_CAP(min_gather_offset, min_gather_offset);
SUNDOG_SAME_CAP(max_gather_offset, max_gather_offset);
SUNDOG_SAME_CAP(min_interpolation_offset, min_interpolation_offset);
SUNDOG_SAME_CAP(max_interpolation_offset, max_interpolation_offset);
SUNDOG_SAME_CAP(max_views, max_views);
SUNDOG_SAME_CAP(large_set, large_set);
SUNDOG_SAME_CAP(max_large_descriptors, max_large_descriptors);
SUNDOG_SAME_CAP(host_conformance, host_conformance);
SUNDOG_SAME_CAP(formats, formats);

/* The worker's part of the status page is in front of the kernel's. */
static_assert(offsetof(struct drm_sundog_status, completed) ==
	      offsetof(struct sundog_ring_status, completed));
static_assert(offsetof(struct drm_sundog_status, lost) >= sizeof(struct sundog_ring_status));
static_assert(sizeof(struct drm_sundog_status) <= SUNDOG_PAGE_SIZE);

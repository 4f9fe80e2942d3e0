/* SPDX-License-Identifier: MIT */
/* Field tables of all packets, for the validator and the disassembler.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#include "packet.h"

static const struct sundog_field elements_of_mem_range[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "size", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_mem_word[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_viewport[] = {
	{ "x", 0, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "y", 1, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "width", 2, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "height", 3, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "min_depth", 4, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "max_depth", 5, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_rect[] = {
	{ "x", 0, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "y", 1, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "width", 2, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "height", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
};

static const struct sundog_field elements_of_blend_attachment[] = {
	{ "enable", 0, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "src_color", 1, SUNDOG_FIELD_U32, 0x0, 0x12 },
	{ "dst_color", 2, SUNDOG_FIELD_U32, 0x0, 0x12 },
	{ "color_op", 3, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "src_alpha", 4, SUNDOG_FIELD_U32, 0x0, 0x12 },
	{ "dst_alpha", 5, SUNDOG_FIELD_U32, 0x0, 0x12 },
	{ "alpha_op", 6, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "write_mask", 7, SUNDOG_FIELD_U32, 0x0, 0xf },
};

static const struct sundog_field elements_of_vertex_attribute[] = {
	{ "location", 0, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "binding", 1, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "format", 2, SUNDOG_FIELD_U32, 0x0, 0xbf },
	{ "offset", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
};

static const struct sundog_field elements_of_buffer_binding[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_texture_binding[] = {
	{ "view", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "sampler", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_set_binding[] = {
	{ "binding", 0, SUNDOG_FIELD_U32, 0x0, 0xfffffffe },
	{ "type", 1, SUNDOG_FIELD_U32, 0x0, 0xa },
	{ "count", 2, SUNDOG_FIELD_U32, 0x1, 0xf4240 },
};

static const struct sundog_field elements_of_set_descriptor[] = {
	{ "view", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "sampler", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.mem.kres", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.mem.index", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.offset", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "range.size", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_attachment[] = {
	{ "view", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "load", 1, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "store", 2, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "clear[0]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[1]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[2]", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[3]", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_clear_attachment[] = {
	{ "aspect", 0, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "index", 1, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "clear[0]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[1]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[2]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[3]", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field elements_of_u32[] = {
	{ "", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_nop[] = {
	{ "count", 0, SUNDOG_FIELD_U32, 0x0, 0xfffff },
};

static const struct sundog_field fields_of_destroy[] = {
	{ "kind", 0, SUNDOG_FIELD_U32, 0x1, 0xc },
	{ "id", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_image[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "flags", 5, SUNDOG_FIELD_MASK, 0x0, 0x1be },
	{ "type", 6, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "format", 7, SUNDOG_FIELD_U32, 0x0, 0xbf },
	{ "extent.width", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.height", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.depth", 10, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "levels", 11, SUNDOG_FIELD_U32, 0x0, 0x10 },
	{ "layers", 12, SUNDOG_FIELD_U32, 0x0, 0x800 },
	{ "samples", 13, SUNDOG_FIELD_U32, 0x0, 0x40 },
	{ "usage", 14, SUNDOG_FIELD_MASK, 0x0, 0x3f },
};

static const struct sundog_field fields_of_create_linear_image[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "pitch", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "flags", 6, SUNDOG_FIELD_MASK, 0x0, 0x1be },
	{ "format", 7, SUNDOG_FIELD_U32, 0x0, 0xbf },
	{ "width", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "height", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "usage", 10, SUNDOG_FIELD_MASK, 0x0, 0x3f },
};

static const struct sundog_field fields_of_create_image_view[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "image", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "type", 2, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "format", 3, SUNDOG_FIELD_U32, 0x0, 0xbf },
	{ "swizzle[0]", 4, SUNDOG_FIELD_U32, 0x0, 0x6 },
	{ "swizzle[1]", 5, SUNDOG_FIELD_U32, 0x0, 0x6 },
	{ "swizzle[2]", 6, SUNDOG_FIELD_U32, 0x0, 0x6 },
	{ "swizzle[3]", 7, SUNDOG_FIELD_U32, 0x0, 0x6 },
	{ "aspect", 8, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "base_level", 9, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "levels", 10, SUNDOG_FIELD_U32, 0x0, 0x10 },
	{ "base_layer", 11, SUNDOG_FIELD_U32, 0x0, 0x7ff },
	{ "layers", 12, SUNDOG_FIELD_U32, 0x0, 0x800 },
	{ "usage", 13, SUNDOG_FIELD_MASK, 0x0, 0x3f },
};

static const struct sundog_field fields_of_create_sampler[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "flags", 1, SUNDOG_FIELD_MASK, 0x0, 0x3f },
	{ "mag_filter", 2, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "min_filter", 3, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "mipmap_mode", 4, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "address_u", 5, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "address_v", 6, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "address_w", 7, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "compare_op", 8, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "lod_bias", 9, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "max_anisotropy", 10, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "min_lod", 11, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "max_lod", 12, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "border[0]", 13, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "border[1]", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "border[2]", 15, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "border[3]", 16, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "border_format", 17, SUNDOG_FIELD_U32, 0x0, 0xbf },
	{ "border_int", 18, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

static const struct sundog_field fields_of_create_shader[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stage", 1, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "push_size", 2, SUNDOG_FIELD_U32, 0x0, 0x100 },
	{ "n_bindings", 3, SUNDOG_FIELD_U32, 0x0, 0x63 },
	{ "bindings[0].binding", 4, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[0].count", 5, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[0].type", 6, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[1].binding", 7, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[1].count", 8, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[1].type", 9, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[2].binding", 10, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[2].count", 11, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[2].type", 12, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[3].binding", 13, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[3].count", 14, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[3].type", 15, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[4].binding", 16, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[4].count", 17, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[4].type", 18, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[5].binding", 19, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[5].count", 20, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[5].type", 21, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[6].binding", 22, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[6].count", 23, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[6].type", 24, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[7].binding", 25, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[7].count", 26, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[7].type", 27, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[8].binding", 28, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[8].count", 29, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[8].type", 30, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[9].binding", 31, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[9].count", 32, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[9].type", 33, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[10].binding", 34, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[10].count", 35, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[10].type", 36, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[11].binding", 37, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[11].count", 38, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[11].type", 39, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[12].binding", 40, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[12].count", 41, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[12].type", 42, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[13].binding", 43, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[13].count", 44, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[13].type", 45, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[14].binding", 46, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[14].count", 47, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[14].type", 48, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[15].binding", 49, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[15].count", 50, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[15].type", 51, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[16].binding", 52, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[16].count", 53, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[16].type", 54, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[17].binding", 55, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[17].count", 56, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[17].type", 57, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[18].binding", 58, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[18].count", 59, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[18].type", 60, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[19].binding", 61, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[19].count", 62, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[19].type", 63, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[20].binding", 64, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[20].count", 65, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[20].type", 66, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[21].binding", 67, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[21].count", 68, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[21].type", 69, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[22].binding", 70, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[22].count", 71, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[22].type", 72, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[23].binding", 73, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[23].count", 74, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[23].type", 75, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[24].binding", 76, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[24].count", 77, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[24].type", 78, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[25].binding", 79, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[25].count", 80, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[25].type", 81, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[26].binding", 82, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[26].count", 83, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[26].type", 84, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[27].binding", 85, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[27].count", 86, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[27].type", 87, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[28].binding", 88, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[28].count", 89, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[28].type", 90, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[29].binding", 91, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[29].count", 92, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[29].type", 93, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[30].binding", 94, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[30].count", 95, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[30].type", 96, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[31].binding", 97, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[31].count", 98, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[31].type", 99, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[32].binding", 100, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[32].count", 101, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[32].type", 102, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[33].binding", 103, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[33].count", 104, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[33].type", 105, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[34].binding", 106, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[34].count", 107, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[34].type", 108, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[35].binding", 109, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[35].count", 110, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[35].type", 111, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[36].binding", 112, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[36].count", 113, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[36].type", 114, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[37].binding", 115, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[37].count", 116, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[37].type", 117, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[38].binding", 118, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[38].count", 119, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[38].type", 120, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[39].binding", 121, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[39].count", 122, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[39].type", 123, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[40].binding", 124, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[40].count", 125, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[40].type", 126, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[41].binding", 127, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[41].count", 128, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[41].type", 129, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[42].binding", 130, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[42].count", 131, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[42].type", 132, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[43].binding", 133, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[43].count", 134, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[43].type", 135, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[44].binding", 136, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[44].count", 137, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[44].type", 138, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[45].binding", 139, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[45].count", 140, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[45].type", 141, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[46].binding", 142, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[46].count", 143, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[46].type", 144, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[47].binding", 145, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[47].count", 146, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[47].type", 147, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[48].binding", 148, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[48].count", 149, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[48].type", 150, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[49].binding", 151, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[49].count", 152, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[49].type", 153, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[50].binding", 154, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[50].count", 155, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[50].type", 156, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[51].binding", 157, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[51].count", 158, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[51].type", 159, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[52].binding", 160, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[52].count", 161, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[52].type", 162, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[53].binding", 163, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[53].count", 164, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[53].type", 165, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[54].binding", 166, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[54].count", 167, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[54].type", 168, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[55].binding", 169, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[55].count", 170, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[55].type", 171, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[56].binding", 172, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[56].count", 173, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[56].type", 174, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[57].binding", 175, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[57].count", 176, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[57].type", 177, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[58].binding", 178, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[58].count", 179, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[58].type", 180, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[59].binding", 181, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[59].count", 182, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[59].type", 183, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[60].binding", 184, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[60].count", 185, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[60].type", 186, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[61].binding", 187, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[61].count", 188, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[61].type", 189, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[62].binding", 190, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[62].count", 191, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[62].type", 192, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[63].binding", 193, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[63].count", 194, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[63].type", 195, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[64].binding", 196, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[64].count", 197, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[64].type", 198, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[65].binding", 199, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[65].count", 200, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[65].type", 201, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[66].binding", 202, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[66].count", 203, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[66].type", 204, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[67].binding", 205, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[67].count", 206, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[67].type", 207, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[68].binding", 208, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[68].count", 209, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[68].type", 210, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[69].binding", 211, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[69].count", 212, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[69].type", 213, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[70].binding", 214, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[70].count", 215, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[70].type", 216, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[71].binding", 217, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[71].count", 218, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[71].type", 219, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[72].binding", 220, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[72].count", 221, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[72].type", 222, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[73].binding", 223, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[73].count", 224, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[73].type", 225, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[74].binding", 226, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[74].count", 227, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[74].type", 228, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[75].binding", 229, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[75].count", 230, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[75].type", 231, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[76].binding", 232, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[76].count", 233, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[76].type", 234, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[77].binding", 235, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[77].count", 236, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[77].type", 237, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[78].binding", 238, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[78].count", 239, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[78].type", 240, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[79].binding", 241, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[79].count", 242, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[79].type", 243, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[80].binding", 244, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[80].count", 245, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[80].type", 246, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[81].binding", 247, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[81].count", 248, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[81].type", 249, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[82].binding", 250, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[82].count", 251, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[82].type", 252, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[83].binding", 253, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[83].count", 254, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[83].type", 255, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[84].binding", 256, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[84].count", 257, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[84].type", 258, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[85].binding", 259, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[85].count", 260, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[85].type", 261, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[86].binding", 262, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[86].count", 263, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[86].type", 264, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[87].binding", 265, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[87].count", 266, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[87].type", 267, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[88].binding", 268, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[88].count", 269, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[88].type", 270, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[89].binding", 271, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[89].count", 272, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[89].type", 273, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[90].binding", 274, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[90].count", 275, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[90].type", 276, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[91].binding", 277, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[91].count", 278, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[91].type", 279, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[92].binding", 280, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[92].count", 281, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[92].type", 282, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[93].binding", 283, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[93].count", 284, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[93].type", 285, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[94].binding", 286, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[94].count", 287, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[94].type", 288, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[95].binding", 289, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[95].count", 290, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[95].type", 291, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[96].binding", 292, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[96].count", 293, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[96].type", 294, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[97].binding", 295, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[97].count", 296, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[97].type", 297, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bindings[98].binding", 298, SUNDOG_FIELD_U32, 0x0, 0x62 },
	{ "bindings[98].count", 299, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "bindings[98].type", 300, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "n_dwords", 301, SUNDOG_FIELD_U32, 0x0, 0x80000 },
};

static const struct sundog_field fields_of_create_buffer_view[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "range.size", 5, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "format", 7, SUNDOG_FIELD_U32, 0x0, 0xbf },
};

static const struct sundog_field fields_of_create_feedback_counter[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_handle_table[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_set_layout[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "count", 1, SUNDOG_FIELD_U32, 0x0, 0x2000 },
};

static const struct sundog_field fields_of_create_pipeline_layout[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "push_size", 1, SUNDOG_FIELD_U32, 0x0, 0x100 },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x8 },
};

static const struct sundog_field fields_of_create_set[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "layout", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_layout_shader[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stage", 1, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "layout", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "n_dwords", 3, SUNDOG_FIELD_U32, 0x0, 0x80000 },
};

static const struct sundog_field fields_of_report_shader[] = {
	{ "shader", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_query_pool[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "type", 1, SUNDOG_FIELD_U32, 0x0, 0x5 },
	{ "count", 2, SUNDOG_FIELD_U32, 0x1, 0x10000 },
	{ "statistics", 3, SUNDOG_FIELD_U32, 0x0, 0x1fff },
};

static const struct sundog_field fields_of_set_viewports[] = {
	{ "count", 0, SUNDOG_FIELD_U32, 0x1, 0x10 },
};

static const struct sundog_field fields_of_set_scissors[] = {
	{ "count", 0, SUNDOG_FIELD_U32, 0x1, 0x10 },
};

static const struct sundog_field fields_of_set_raster[] = {
	{ "flags", 0, SUNDOG_FIELD_MASK, 0x0, 0xff },
	{ "topology", 1, SUNDOG_FIELD_U32, 0x0, 0xa },
	{ "polygon_mode", 2, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "cull_mode", 3, SUNDOG_FIELD_U32, 0x0, 0x3 },
	{ "front_face", 4, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "line_mode", 5, SUNDOG_FIELD_U32, 0x0, 0x3 },
	{ "line_width", 6, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "stipple_factor", 7, SUNDOG_FIELD_U32, 0x1, 0x100 },
	{ "stipple_pattern", 8, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bias_constant", 9, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "bias_clamp", 10, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "bias_slope", 11, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_set_depth_stencil[] = {
	{ "flags", 0, SUNDOG_FIELD_MASK, 0x0, 0xf },
	{ "depth_compare", 1, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "bounds_min", 2, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "bounds_max", 3, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "front.fail_op", 4, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "front.pass_op", 5, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "front.depth_fail_op", 6, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "front.compare_op", 7, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "front.compare_mask", 8, SUNDOG_FIELD_U32, 0x0, 0xff },
	{ "front.write_mask", 9, SUNDOG_FIELD_U32, 0x0, 0xff },
	{ "back.fail_op", 10, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "back.pass_op", 11, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "back.depth_fail_op", 12, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "back.compare_op", 13, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "back.compare_mask", 14, SUNDOG_FIELD_U32, 0x0, 0xff },
	{ "back.write_mask", 15, SUNDOG_FIELD_U32, 0x0, 0xff },
};

static const struct sundog_field fields_of_set_stencil_reference[] = {
	{ "front", 0, SUNDOG_FIELD_U32, 0x0, 0xff },
	{ "back", 1, SUNDOG_FIELD_U32, 0x0, 0xff },
};

static const struct sundog_field fields_of_set_blend[] = {
	{ "logic_enable", 0, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "logic_op", 1, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x8 },
};

static const struct sundog_field fields_of_set_blend_constants[] = {
	{ "color[0]", 0, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "color[1]", 1, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "color[2]", 2, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
	{ "color[3]", 3, SUNDOG_FIELD_F32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_set_multisample[] = {
	{ "flags", 0, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "samples", 1, SUNDOG_FIELD_U32, 0x1, 0x40 },
	{ "mask", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_set_vertex_input[] = {
	{ "n_bindings", 0, SUNDOG_FIELD_U32, 0x0, 0x10 },
	{ "bindings[0].stride", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[0].divisor", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[1].stride", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[1].divisor", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[2].stride", 5, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[2].divisor", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[3].stride", 7, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[3].divisor", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[4].stride", 9, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[4].divisor", 10, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[5].stride", 11, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[5].divisor", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[6].stride", 13, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[6].divisor", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[7].stride", 15, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[7].divisor", 16, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[8].stride", 17, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[8].divisor", 18, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[9].stride", 19, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[9].divisor", 20, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[10].stride", 21, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[10].divisor", 22, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[11].stride", 23, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[11].divisor", 24, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[12].stride", 25, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[12].divisor", 26, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[13].stride", 27, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[13].divisor", 28, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[14].stride", 29, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[14].divisor", 30, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "bindings[15].stride", 31, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "bindings[15].divisor", 32, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "count", 33, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_bind_vertex_buffers[] = {
	{ "first", 0, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "count", 1, SUNDOG_FIELD_U32, 0x0, 0x10 },
};

static const struct sundog_field fields_of_bind_index_buffer[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "type", 4, SUNDOG_FIELD_U32, 0x0, 0x2 },
};

static const struct sundog_field fields_of_bind_shaders[] = {
	{ "shaders[0]", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[1]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[2]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[3]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[4]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[5]", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_bind_mesh_shaders[] = {
	{ "shaders[0]", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[1]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[2]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[3]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[4]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[5]", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[6]", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "shaders[7]", 7, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_bind_ubo[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "slot", 1, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "range.mem.kres", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.mem.index", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "range.offset", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "range.size", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_bind_vertex_ranges[] = {
	{ "first", 0, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "count", 1, SUNDOG_FIELD_U32, 0x0, 0x10 },
};

static const struct sundog_field fields_of_bind_textures[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_push_constants[] = {
	{ "offset", 0, SUNDOG_FIELD_U32, 0x0, 0xfc },
	{ "count", 1, SUNDOG_FIELD_U32, 0x0, 0x40 },
};

static const struct sundog_field fields_of_bind_texel_buffers[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_bind_feedback_buffers[] = {
	{ "count", 0, SUNDOG_FIELD_U32, 0x0, 0x4 },
};

static const struct sundog_field fields_of_set_patch[] = {
	{ "vertices", 0, SUNDOG_FIELD_U32, 0x1, 0x20 },
	{ "origin", 1, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

static const struct sundog_field fields_of_bind_ssbos[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_bind_images[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x10 },
};

static const struct sundog_field fields_of_bind_storage_texels[] = {
	{ "stage", 0, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "count", 2, SUNDOG_FIELD_U32, 0x0, 0x10 },
};

static const struct sundog_field fields_of_bind_handles[] = {
	{ "table", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_bind_set[] = {
	{ "compute", 0, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "slot", 1, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "set", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "count", 3, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_write_set[] = {
	{ "set", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "binding", 1, SUNDOG_FIELD_U32, 0x0, 0xfffffffe },
	{ "first", 2, SUNDOG_FIELD_U32, 0x0, 0xf423f },
	{ "count", 3, SUNDOG_FIELD_U32, 0x0, 0x400 },
};

static const struct sundog_field fields_of_copy_set[] = {
	{ "src", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src_binding", 1, SUNDOG_FIELD_U32, 0x0, 0xfffffffe },
	{ "src_first", 2, SUNDOG_FIELD_U32, 0x0, 0xf423f },
	{ "dst", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst_binding", 4, SUNDOG_FIELD_U32, 0x0, 0xfffffffe },
	{ "dst_first", 5, SUNDOG_FIELD_U32, 0x0, 0xf423f },
	{ "count", 6, SUNDOG_FIELD_U32, 0x0, 0xf4240 },
};

static const struct sundog_field fields_of_write_mutable_set[] = {
	{ "set", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "binding", 1, SUNDOG_FIELD_U32, 0x0, 0xfffffffe },
	{ "first", 2, SUNDOG_FIELD_U32, 0x0, 0xf423f },
	{ "type", 3, SUNDOG_FIELD_U32, 0x0, 0x7 },
	{ "count", 4, SUNDOG_FIELD_U32, 0x0, 0x400 },
};

static const struct sundog_field fields_of_write_handle[] = {
	{ "table", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "binding", 1, SUNDOG_FIELD_U32, 0x0, 0x59 },
	{ "index", 2, SUNDOG_FIELD_U32, 0x1, 0xfff },
	{ "view", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "sampler", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_begin_rendering[] = {
	{ "area.x", 0, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "area.y", 1, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "area.width", 2, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "area.height", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "layers", 4, SUNDOG_FIELD_U32, 0x1, 0x800 },
	{ "depth.view", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.load", 6, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "depth.store", 7, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "depth.clear[0]", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[1]", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[2]", 10, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[3]", 11, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.view", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.load", 13, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "stencil.store", 14, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "stencil.clear[0]", 15, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[1]", 16, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[2]", 17, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[3]", 18, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "count", 19, SUNDOG_FIELD_U32, 0x0, 0x8 },
};

static const struct sundog_field fields_of_begin_multiview[] = {
	{ "area.x", 0, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "area.y", 1, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "area.width", 2, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "area.height", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "view_mask", 4, SUNDOG_FIELD_U32, 0x1, 0xff },
	{ "depth.view", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.load", 6, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "depth.store", 7, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "depth.clear[0]", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[1]", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[2]", 10, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "depth.clear[3]", 11, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.view", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.load", 13, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "stencil.store", 14, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "stencil.clear[0]", 15, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[1]", 16, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[2]", 17, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stencil.clear[3]", 18, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "count", 19, SUNDOG_FIELD_U32, 0x0, 0x8 },
};

static const struct sundog_field fields_of_draw[] = {
	{ "vertex_count", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "instance_count", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first_vertex", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first_instance", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_indexed[] = {
	{ "index_count", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "instance_count", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first_index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "vertex_offset", 3, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "first_instance", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_feedback[] = {
	{ "counter", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "stride", 1, SUNDOG_FIELD_U32, 0x1, 0x800 },
	{ "instance_count", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first_instance", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_indirect[] = {
	{ "indirect.mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "indirect.stride", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.max_draws", 5, SUNDOG_FIELD_U32, 0x0, 0x100000 },
	{ "indirect.count_mem.kres", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_mem.index", 7, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_offset", 8, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_indexed_indirect[] = {
	{ "indirect.mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "indirect.stride", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.max_draws", 5, SUNDOG_FIELD_U32, 0x0, 0x100000 },
	{ "indirect.count_mem.kres", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_mem.index", 7, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_offset", 8, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_mesh[] = {
	{ "groups[0]", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[1]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[2]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_draw_mesh_indirect[] = {
	{ "indirect.mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "indirect.stride", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.max_draws", 5, SUNDOG_FIELD_U32, 0x0, 0x100000 },
	{ "indirect.count_mem.kres", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_mem.index", 7, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "indirect.count_offset", 8, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_dispatch[] = {
	{ "groups[0]", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[1]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[2]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_dispatch_indirect[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_dispatch_base[] = {
	{ "base[0]", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "base[1]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "base[2]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[0]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[1]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "groups[2]", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_clear_attachments[] = {
	{ "rect.x", 0, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "rect.y", 1, SUNDOG_FIELD_I32, 0x0, 0x7fff },
	{ "rect.width", 2, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "rect.height", 3, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "base_layer", 4, SUNDOG_FIELD_U32, 0x0, 0x7ff },
	{ "layers", 5, SUNDOG_FIELD_U32, 0x1, 0x800 },
	{ "count", 6, SUNDOG_FIELD_U32, 0x0, 0x9 },
};

static const struct sundog_field fields_of_fill_buffer[] = {
	{ "dst.mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "dst.size", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "value", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_copy_buffer[] = {
	{ "src.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.kres", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.index", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src_offset", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "dst_offset", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "size", 8, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_copy_buffer_to_image[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "row_length", 4, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "image_height", 5, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "dst.image", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.aspect", 7, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "dst.level", 8, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "dst.offset.x", 9, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.y", 10, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.z", 11, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "extent.width", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.height", 13, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.depth", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_copy_image_to_buffer[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "row_length", 4, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "image_height", 5, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "src.image", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src.aspect", 7, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "src.level", 8, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "src.offset.x", 9, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.y", 10, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.z", 11, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "extent.width", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.height", 13, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.depth", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_copy_image[] = {
	{ "src.image", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src.aspect", 1, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "src.level", 2, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "src.offset.x", 3, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.y", 4, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.z", 5, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.image", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.aspect", 7, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "dst.level", 8, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "dst.offset.x", 9, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.y", 10, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.z", 11, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "extent.width", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.height", 13, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.depth", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_blit_image[] = {
	{ "src.image", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src.aspect", 1, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "src.level", 2, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "src.offset.x", 3, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.y", 4, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.z", 5, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src_end.x", 6, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src_end.y", 7, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src_end.z", 8, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.image", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.aspect", 10, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "dst.level", 11, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "dst.offset.x", 12, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.y", 13, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.z", 14, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst_end.x", 15, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst_end.y", 16, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst_end.z", 17, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "filter", 18, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

static const struct sundog_field fields_of_resolve_image[] = {
	{ "src.image", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "src.aspect", 1, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "src.level", 2, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "src.offset.x", 3, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.y", 4, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "src.offset.z", 5, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.image", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "dst.aspect", 7, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "dst.level", 8, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "dst.offset.x", 9, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.y", 10, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "dst.offset.z", 11, SUNDOG_FIELD_I32, 0x80000000, 0x7fffffff },
	{ "extent.width", 12, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.height", 13, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "extent.depth", 14, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_barrier[] = {
	{ "src_stages", 0, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "src_access", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "dst_stages", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "dst_access", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_update_buffer[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "count", 4, SUNDOG_FIELD_U32, 0x1, 0x4000 },
};

static const struct sundog_field fields_of_clear_image[] = {
	{ "image", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "aspect", 1, SUNDOG_FIELD_MASK, 0x0, 0x7 },
	{ "base_level", 2, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "levels", 3, SUNDOG_FIELD_U32, 0x1, 0x10 },
	{ "base_layer", 4, SUNDOG_FIELD_U32, 0x0, 0x7ff },
	{ "layers", 5, SUNDOG_FIELD_U32, 0x1, 0x800 },
	{ "clear[0]", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[1]", 7, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[2]", 8, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "clear[3]", 9, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_map_address[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "address", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_unmap_address[] = {
	{ "address", 0, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_map_address_range[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "size", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "address", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_create_sparse_memory[] = {
	{ "id", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "address", 1, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "size", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_begin_query[] = {
	{ "query", 0, SUNDOG_FIELD_U32, 0x0, 0x3f },
	{ "type", 1, SUNDOG_FIELD_U32, 0x0, 0x4 },
	{ "stream", 2, SUNDOG_FIELD_U32, 0x0, 0x3 },
	{ "mem.kres", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 5, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_end_query[] = {
	{ "query", 0, SUNDOG_FIELD_U32, 0x0, 0x3f },
};

static const struct sundog_field fields_of_begin_feedback[] = {
	{ "resume", 0, SUNDOG_FIELD_U32, 0x0, 0xf },
	{ "counters[0]", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "counters[1]", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "counters[2]", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "counters[3]", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_copy_feedback_counter[] = {
	{ "counter", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_load_feedback_counter[] = {
	{ "counter", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "base", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "limit", 6, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_write_timestamp[] = {
	{ "query", 0, SUNDOG_FIELD_U32, 0x0, 0x3f },
	{ "mem.kres", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 3, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_compute_query_value[] = {
	{ "value", 0, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "operation", 1, SUNDOG_FIELD_U32, 0x0, 0x1 },
	{ "added", 2, SUNDOG_FIELD_U32, 0x0, 0x20 },
	{ "count", 3, SUNDOG_FIELD_U32, 0x0, 0x20 },
};

static const struct sundog_field fields_of_copy_query_value[] = {
	{ "value", 0, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "type", 1, SUNDOG_FIELD_U32, 0x0, 0x2 },
	{ "mem.kres", 2, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 3, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 4, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
};

static const struct sundog_field fields_of_reset_query_pool[] = {
	{ "pool", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "count", 2, SUNDOG_FIELD_U32, 0x1, 0x10000 },
};

static const struct sundog_field fields_of_begin_pool_query[] = {
	{ "pool", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "query", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "stream", 2, SUNDOG_FIELD_U32, 0x0, 0x3 },
	{ "precise", 3, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

static const struct sundog_field fields_of_end_pool_query[] = {
	{ "pool", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "query", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "stream", 2, SUNDOG_FIELD_U32, 0x0, 0x3 },
};

static const struct sundog_field fields_of_write_pool_timestamp[] = {
	{ "pool", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "query", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
};

static const struct sundog_field fields_of_copy_query_results[] = {
	{ "pool", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "first", 1, SUNDOG_FIELD_U32, 0x0, 0xffff },
	{ "count", 2, SUNDOG_FIELD_U32, 0x1, 0x10000 },
	{ "flags", 3, SUNDOG_FIELD_MASK, 0x0, 0xd },
	{ "mem.kres", 4, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 5, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 6, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "stride", 8, SUNDOG_FIELD_U32, 0x0, 0x10000 },
};

static const struct sundog_field fields_of_begin_condition[] = {
	{ "value", 0, SUNDOG_FIELD_U32, 0x0, 0x1f },
	{ "inverted", 1, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

static const struct sundog_field fields_of_begin_memory_condition[] = {
	{ "mem.kres", 0, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "mem.index", 1, SUNDOG_FIELD_U32, 0x0, 0xffffffff },
	{ "offset", 2, SUNDOG_FIELD_U64, 0x0, 0xffffffff },
	{ "inverted", 4, SUNDOG_FIELD_U32, 0x0, 0x1 },
};

const struct sundog_packet_desc sundog_packets[SUNDOG_NUM_OPCODES] = {
	[SUNDOG_OP_NOP] = {
		.name = "nop",
		.dwords = 2,
		.fields = fields_of_nop,
		.n_fields = 1,
		.array = "data",
		.count_dword = 0,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_DESTROY] = {
		.name = "destroy",
		.dwords = 3,
		.fields = fields_of_destroy,
		.n_fields = 2,
	},
	[SUNDOG_OP_CREATE_IMAGE] = {
		.name = "create_image",
		.dwords = 16,
		.fields = fields_of_create_image,
		.n_fields = 14,
	},
	[SUNDOG_OP_CREATE_LINEAR_IMAGE] = {
		.name = "create_linear_image",
		.dwords = 12,
		.fields = fields_of_create_linear_image,
		.n_fields = 10,
	},
	[SUNDOG_OP_CREATE_IMAGE_VIEW] = {
		.name = "create_image_view",
		.dwords = 15,
		.fields = fields_of_create_image_view,
		.n_fields = 14,
	},
	[SUNDOG_OP_CREATE_SAMPLER] = {
		.name = "create_sampler",
		.dwords = 20,
		.fields = fields_of_create_sampler,
		.n_fields = 19,
	},
	[SUNDOG_OP_CREATE_SHADER] = {
		.name = "create_shader",
		.dwords = 303,
		.fields = fields_of_create_shader,
		.n_fields = 302,
		.array = "code",
		.count_dword = 301,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_CREATE_BUFFER_VIEW] = {
		.name = "create_buffer_view",
		.dwords = 9,
		.fields = fields_of_create_buffer_view,
		.n_fields = 6,
	},
	[SUNDOG_OP_CREATE_FEEDBACK_COUNTER] = {
		.name = "create_feedback_counter",
		.dwords = 2,
		.fields = fields_of_create_feedback_counter,
		.n_fields = 1,
	},
	[SUNDOG_OP_CREATE_HANDLE_TABLE] = {
		.name = "create_handle_table",
		.dwords = 2,
		.fields = fields_of_create_handle_table,
		.n_fields = 1,
	},
	[SUNDOG_OP_CREATE_SET_LAYOUT] = {
		.name = "create_set_layout",
		.dwords = 3,
		.fields = fields_of_create_set_layout,
		.n_fields = 2,
		.array = "bindings",
		.count_dword = 1,
		.element_dwords = 3,
		.elements = elements_of_set_binding,
		.n_elements = 3,
	},
	[SUNDOG_OP_CREATE_PIPELINE_LAYOUT] = {
		.name = "create_pipeline_layout",
		.dwords = 4,
		.fields = fields_of_create_pipeline_layout,
		.n_fields = 3,
		.array = "layouts",
		.count_dword = 2,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_CREATE_SET] = {
		.name = "create_set",
		.dwords = 3,
		.fields = fields_of_create_set,
		.n_fields = 2,
	},
	[SUNDOG_OP_CREATE_LAYOUT_SHADER] = {
		.name = "create_layout_shader",
		.dwords = 5,
		.fields = fields_of_create_layout_shader,
		.n_fields = 4,
		.array = "code",
		.count_dword = 3,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_REPORT_SHADER] = {
		.name = "report_shader",
		.dwords = 6,
		.fields = fields_of_report_shader,
		.n_fields = 4,
	},
	[SUNDOG_OP_CREATE_QUERY_POOL] = {
		.name = "create_query_pool",
		.dwords = 5,
		.fields = fields_of_create_query_pool,
		.n_fields = 4,
	},
	[SUNDOG_OP_SET_VIEWPORTS] = {
		.name = "set_viewports",
		.dwords = 2,
		.fields = fields_of_set_viewports,
		.n_fields = 1,
		.array = "viewports",
		.count_dword = 0,
		.element_dwords = 6,
		.elements = elements_of_viewport,
		.n_elements = 6,
	},
	[SUNDOG_OP_SET_SCISSORS] = {
		.name = "set_scissors",
		.dwords = 2,
		.fields = fields_of_set_scissors,
		.n_fields = 1,
		.array = "scissors",
		.count_dword = 0,
		.element_dwords = 4,
		.elements = elements_of_rect,
		.n_elements = 4,
	},
	[SUNDOG_OP_SET_RASTER] = {
		.name = "set_raster",
		.dwords = 13,
		.fields = fields_of_set_raster,
		.n_fields = 12,
	},
	[SUNDOG_OP_SET_DEPTH_STENCIL] = {
		.name = "set_depth_stencil",
		.dwords = 17,
		.fields = fields_of_set_depth_stencil,
		.n_fields = 16,
	},
	[SUNDOG_OP_SET_STENCIL_REFERENCE] = {
		.name = "set_stencil_reference",
		.dwords = 3,
		.fields = fields_of_set_stencil_reference,
		.n_fields = 2,
	},
	[SUNDOG_OP_SET_BLEND] = {
		.name = "set_blend",
		.dwords = 4,
		.fields = fields_of_set_blend,
		.n_fields = 3,
		.array = "attachments",
		.count_dword = 2,
		.element_dwords = 8,
		.elements = elements_of_blend_attachment,
		.n_elements = 8,
	},
	[SUNDOG_OP_SET_BLEND_CONSTANTS] = {
		.name = "set_blend_constants",
		.dwords = 5,
		.fields = fields_of_set_blend_constants,
		.n_fields = 4,
	},
	[SUNDOG_OP_SET_MULTISAMPLE] = {
		.name = "set_multisample",
		.dwords = 4,
		.fields = fields_of_set_multisample,
		.n_fields = 3,
	},
	[SUNDOG_OP_SET_VERTEX_INPUT] = {
		.name = "set_vertex_input",
		.dwords = 35,
		.fields = fields_of_set_vertex_input,
		.n_fields = 34,
		.array = "attributes",
		.count_dword = 33,
		.element_dwords = 4,
		.elements = elements_of_vertex_attribute,
		.n_elements = 4,
	},
	[SUNDOG_OP_BIND_VERTEX_BUFFERS] = {
		.name = "bind_vertex_buffers",
		.dwords = 3,
		.fields = fields_of_bind_vertex_buffers,
		.n_fields = 2,
		.array = "buffers",
		.count_dword = 1,
		.element_dwords = 4,
		.elements = elements_of_buffer_binding,
		.n_elements = 3,
	},
	[SUNDOG_OP_BIND_INDEX_BUFFER] = {
		.name = "bind_index_buffer",
		.dwords = 6,
		.fields = fields_of_bind_index_buffer,
		.n_fields = 4,
	},
	[SUNDOG_OP_BIND_SHADERS] = {
		.name = "bind_shaders",
		.dwords = 7,
		.fields = fields_of_bind_shaders,
		.n_fields = 6,
	},
	[SUNDOG_OP_BIND_MESH_SHADERS] = {
		.name = "bind_mesh_shaders",
		.dwords = 9,
		.fields = fields_of_bind_mesh_shaders,
		.n_fields = 8,
	},
	[SUNDOG_OP_BIND_UBO] = {
		.name = "bind_ubo",
		.dwords = 9,
		.fields = fields_of_bind_ubo,
		.n_fields = 6,
	},
	[SUNDOG_OP_BIND_VERTEX_RANGES] = {
		.name = "bind_vertex_ranges",
		.dwords = 3,
		.fields = fields_of_bind_vertex_ranges,
		.n_fields = 2,
		.array = "ranges",
		.count_dword = 1,
		.element_dwords = 6,
		.elements = elements_of_mem_range,
		.n_elements = 4,
	},
	[SUNDOG_OP_BIND_TEXTURES] = {
		.name = "bind_textures",
		.dwords = 4,
		.fields = fields_of_bind_textures,
		.n_fields = 3,
		.array = "textures",
		.count_dword = 2,
		.element_dwords = 2,
		.elements = elements_of_texture_binding,
		.n_elements = 2,
	},
	[SUNDOG_OP_PUSH_CONSTANTS] = {
		.name = "push_constants",
		.dwords = 3,
		.fields = fields_of_push_constants,
		.n_fields = 2,
		.array = "data",
		.count_dword = 1,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_BIND_TEXEL_BUFFERS] = {
		.name = "bind_texel_buffers",
		.dwords = 4,
		.fields = fields_of_bind_texel_buffers,
		.n_fields = 3,
		.array = "views",
		.count_dword = 2,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_BIND_FEEDBACK_BUFFERS] = {
		.name = "bind_feedback_buffers",
		.dwords = 2,
		.fields = fields_of_bind_feedback_buffers,
		.n_fields = 1,
		.array = "buffers",
		.count_dword = 0,
		.element_dwords = 6,
		.elements = elements_of_mem_range,
		.n_elements = 4,
	},
	[SUNDOG_OP_SET_PATCH] = {
		.name = "set_patch",
		.dwords = 3,
		.fields = fields_of_set_patch,
		.n_fields = 2,
	},
	[SUNDOG_OP_BIND_SSBOS] = {
		.name = "bind_ssbos",
		.dwords = 4,
		.fields = fields_of_bind_ssbos,
		.n_fields = 3,
		.array = "ranges",
		.count_dword = 2,
		.element_dwords = 6,
		.elements = elements_of_mem_range,
		.n_elements = 4,
	},
	[SUNDOG_OP_BIND_IMAGES] = {
		.name = "bind_images",
		.dwords = 4,
		.fields = fields_of_bind_images,
		.n_fields = 3,
		.array = "views",
		.count_dword = 2,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_BIND_STORAGE_TEXELS] = {
		.name = "bind_storage_texels",
		.dwords = 4,
		.fields = fields_of_bind_storage_texels,
		.n_fields = 3,
		.array = "views",
		.count_dword = 2,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_BIND_HANDLES] = {
		.name = "bind_handles",
		.dwords = 2,
		.fields = fields_of_bind_handles,
		.n_fields = 1,
	},
	[SUNDOG_OP_BIND_SET] = {
		.name = "bind_set",
		.dwords = 5,
		.fields = fields_of_bind_set,
		.n_fields = 4,
		.array = "offsets",
		.count_dword = 3,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_WRITE_SET] = {
		.name = "write_set",
		.dwords = 5,
		.fields = fields_of_write_set,
		.n_fields = 4,
		.array = "descriptors",
		.count_dword = 3,
		.element_dwords = 8,
		.elements = elements_of_set_descriptor,
		.n_elements = 6,
	},
	[SUNDOG_OP_COPY_SET] = {
		.name = "copy_set",
		.dwords = 8,
		.fields = fields_of_copy_set,
		.n_fields = 7,
	},
	[SUNDOG_OP_WRITE_MUTABLE_SET] = {
		.name = "write_mutable_set",
		.dwords = 6,
		.fields = fields_of_write_mutable_set,
		.n_fields = 5,
		.array = "descriptors",
		.count_dword = 4,
		.element_dwords = 8,
		.elements = elements_of_set_descriptor,
		.n_elements = 6,
	},
	[SUNDOG_OP_WRITE_HANDLE] = {
		.name = "write_handle",
		.dwords = 6,
		.fields = fields_of_write_handle,
		.n_fields = 5,
	},
	[SUNDOG_OP_BEGIN_RENDERING] = {
		.name = "begin_rendering",
		.dwords = 21,
		.fields = fields_of_begin_rendering,
		.n_fields = 20,
		.array = "colors",
		.count_dword = 19,
		.element_dwords = 7,
		.elements = elements_of_attachment,
		.n_elements = 7,
	},
	[SUNDOG_OP_BEGIN_MULTIVIEW] = {
		.name = "begin_multiview",
		.dwords = 21,
		.fields = fields_of_begin_multiview,
		.n_fields = 20,
		.array = "colors",
		.count_dword = 19,
		.element_dwords = 7,
		.elements = elements_of_attachment,
		.n_elements = 7,
	},
	[SUNDOG_OP_END_RENDERING] = {
		.name = "end_rendering",
		.dwords = 1,
	},
	[SUNDOG_OP_DRAW] = {
		.name = "draw",
		.dwords = 5,
		.fields = fields_of_draw,
		.n_fields = 4,
	},
	[SUNDOG_OP_DRAW_INDEXED] = {
		.name = "draw_indexed",
		.dwords = 6,
		.fields = fields_of_draw_indexed,
		.n_fields = 5,
	},
	[SUNDOG_OP_DRAW_FEEDBACK] = {
		.name = "draw_feedback",
		.dwords = 5,
		.fields = fields_of_draw_feedback,
		.n_fields = 4,
	},
	[SUNDOG_OP_DRAW_INDIRECT] = {
		.name = "draw_indirect",
		.dwords = 11,
		.fields = fields_of_draw_indirect,
		.n_fields = 8,
	},
	[SUNDOG_OP_DRAW_INDEXED_INDIRECT] = {
		.name = "draw_indexed_indirect",
		.dwords = 11,
		.fields = fields_of_draw_indexed_indirect,
		.n_fields = 8,
	},
	[SUNDOG_OP_DRAW_MESH] = {
		.name = "draw_mesh",
		.dwords = 4,
		.fields = fields_of_draw_mesh,
		.n_fields = 3,
	},
	[SUNDOG_OP_DRAW_MESH_INDIRECT] = {
		.name = "draw_mesh_indirect",
		.dwords = 11,
		.fields = fields_of_draw_mesh_indirect,
		.n_fields = 8,
	},
	[SUNDOG_OP_DISPATCH] = {
		.name = "dispatch",
		.dwords = 4,
		.fields = fields_of_dispatch,
		.n_fields = 3,
	},
	[SUNDOG_OP_DISPATCH_INDIRECT] = {
		.name = "dispatch_indirect",
		.dwords = 5,
		.fields = fields_of_dispatch_indirect,
		.n_fields = 3,
	},
	[SUNDOG_OP_DISPATCH_BASE] = {
		.name = "dispatch_base",
		.dwords = 7,
		.fields = fields_of_dispatch_base,
		.n_fields = 6,
	},
	[SUNDOG_OP_CLEAR_ATTACHMENTS] = {
		.name = "clear_attachments",
		.dwords = 8,
		.fields = fields_of_clear_attachments,
		.n_fields = 7,
		.array = "attachments",
		.count_dword = 6,
		.element_dwords = 6,
		.elements = elements_of_clear_attachment,
		.n_elements = 6,
	},
	[SUNDOG_OP_FILL_BUFFER] = {
		.name = "fill_buffer",
		.dwords = 8,
		.fields = fields_of_fill_buffer,
		.n_fields = 5,
	},
	[SUNDOG_OP_COPY_BUFFER] = {
		.name = "copy_buffer",
		.dwords = 11,
		.fields = fields_of_copy_buffer,
		.n_fields = 7,
	},
	[SUNDOG_OP_COPY_BUFFER_TO_IMAGE] = {
		.name = "copy_buffer_to_image",
		.dwords = 16,
		.fields = fields_of_copy_buffer_to_image,
		.n_fields = 14,
	},
	[SUNDOG_OP_COPY_IMAGE_TO_BUFFER] = {
		.name = "copy_image_to_buffer",
		.dwords = 16,
		.fields = fields_of_copy_image_to_buffer,
		.n_fields = 14,
	},
	[SUNDOG_OP_COPY_IMAGE] = {
		.name = "copy_image",
		.dwords = 16,
		.fields = fields_of_copy_image,
		.n_fields = 15,
	},
	[SUNDOG_OP_BLIT_IMAGE] = {
		.name = "blit_image",
		.dwords = 20,
		.fields = fields_of_blit_image,
		.n_fields = 19,
	},
	[SUNDOG_OP_RESOLVE_IMAGE] = {
		.name = "resolve_image",
		.dwords = 16,
		.fields = fields_of_resolve_image,
		.n_fields = 15,
	},
	[SUNDOG_OP_BARRIER] = {
		.name = "barrier",
		.dwords = 9,
		.fields = fields_of_barrier,
		.n_fields = 4,
	},
	[SUNDOG_OP_UPDATE_BUFFER] = {
		.name = "update_buffer",
		.dwords = 6,
		.fields = fields_of_update_buffer,
		.n_fields = 4,
		.array = "data",
		.count_dword = 4,
		.element_dwords = 1,
		.elements = elements_of_u32,
		.n_elements = 1,
	},
	[SUNDOG_OP_CLEAR_IMAGE] = {
		.name = "clear_image",
		.dwords = 11,
		.fields = fields_of_clear_image,
		.n_fields = 10,
	},
	[SUNDOG_OP_MAP_ADDRESS] = {
		.name = "map_address",
		.dwords = 5,
		.fields = fields_of_map_address,
		.n_fields = 3,
	},
	[SUNDOG_OP_UNMAP_ADDRESS] = {
		.name = "unmap_address",
		.dwords = 3,
		.fields = fields_of_unmap_address,
		.n_fields = 1,
	},
	[SUNDOG_OP_MAP_ADDRESS_RANGE] = {
		.name = "map_address_range",
		.dwords = 9,
		.fields = fields_of_map_address_range,
		.n_fields = 5,
	},
	[SUNDOG_OP_CREATE_SPARSE_MEMORY] = {
		.name = "create_sparse_memory",
		.dwords = 6,
		.fields = fields_of_create_sparse_memory,
		.n_fields = 3,
	},
	[SUNDOG_OP_BEGIN_QUERY] = {
		.name = "begin_query",
		.dwords = 8,
		.fields = fields_of_begin_query,
		.n_fields = 6,
	},
	[SUNDOG_OP_END_QUERY] = {
		.name = "end_query",
		.dwords = 2,
		.fields = fields_of_end_query,
		.n_fields = 1,
	},
	[SUNDOG_OP_BEGIN_FEEDBACK] = {
		.name = "begin_feedback",
		.dwords = 6,
		.fields = fields_of_begin_feedback,
		.n_fields = 5,
	},
	[SUNDOG_OP_END_FEEDBACK] = {
		.name = "end_feedback",
		.dwords = 1,
	},
	[SUNDOG_OP_COPY_FEEDBACK_COUNTER] = {
		.name = "copy_feedback_counter",
		.dwords = 6,
		.fields = fields_of_copy_feedback_counter,
		.n_fields = 4,
	},
	[SUNDOG_OP_LOAD_FEEDBACK_COUNTER] = {
		.name = "load_feedback_counter",
		.dwords = 8,
		.fields = fields_of_load_feedback_counter,
		.n_fields = 6,
	},
	[SUNDOG_OP_WRITE_TIMESTAMP] = {
		.name = "write_timestamp",
		.dwords = 6,
		.fields = fields_of_write_timestamp,
		.n_fields = 4,
	},
	[SUNDOG_OP_COMPUTE_QUERY_VALUE] = {
		.name = "compute_query_value",
		.dwords = 5,
		.fields = fields_of_compute_query_value,
		.n_fields = 4,
		.array = "words",
		.count_dword = 3,
		.element_dwords = 4,
		.elements = elements_of_mem_word,
		.n_elements = 3,
	},
	[SUNDOG_OP_COPY_QUERY_VALUE] = {
		.name = "copy_query_value",
		.dwords = 7,
		.fields = fields_of_copy_query_value,
		.n_fields = 5,
	},
	[SUNDOG_OP_RESET_QUERY_POOL] = {
		.name = "reset_query_pool",
		.dwords = 4,
		.fields = fields_of_reset_query_pool,
		.n_fields = 3,
	},
	[SUNDOG_OP_BEGIN_POOL_QUERY] = {
		.name = "begin_pool_query",
		.dwords = 5,
		.fields = fields_of_begin_pool_query,
		.n_fields = 4,
	},
	[SUNDOG_OP_END_POOL_QUERY] = {
		.name = "end_pool_query",
		.dwords = 4,
		.fields = fields_of_end_pool_query,
		.n_fields = 3,
	},
	[SUNDOG_OP_WRITE_POOL_TIMESTAMP] = {
		.name = "write_pool_timestamp",
		.dwords = 3,
		.fields = fields_of_write_pool_timestamp,
		.n_fields = 2,
	},
	[SUNDOG_OP_COPY_QUERY_RESULTS] = {
		.name = "copy_query_results",
		.dwords = 10,
		.fields = fields_of_copy_query_results,
		.n_fields = 8,
	},
	[SUNDOG_OP_BEGIN_CONDITION] = {
		.name = "begin_condition",
		.dwords = 3,
		.fields = fields_of_begin_condition,
		.n_fields = 2,
	},
	[SUNDOG_OP_BEGIN_MEMORY_CONDITION] = {
		.name = "begin_memory_condition",
		.dwords = 6,
		.fields = fields_of_begin_memory_condition,
		.n_fields = 4,
	},
	[SUNDOG_OP_END_CONDITION] = {
		.name = "end_condition",
		.dwords = 1,
	},
};

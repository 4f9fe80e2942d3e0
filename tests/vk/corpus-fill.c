// SPDX-License-Identifier: MIT
/* Fills buffers and texels by their SPIR-V types, see corpus-fill.h. */
#include "corpus-fill.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

/* bytes at the start of a buffer with few different numbers, see fill_number() */
#define FEW_BYTES 1024

uint16_t half_of(uint32_t n)
{
	return 0x3000 + (n % 16 << 8);	/* 0.125 to 1.75 */
}

struct fill {
	const struct spirv *s;
	uint8_t *base;
	size_t size;
	uint32_t n, budget;
	uint64_t address;	/* pointers */
	bool few;		/* all integers are 1 to 3 */
};

/*
 * Floats are neither NaN nor denormal nor 0. The first integers of a buffer are often counts and
 * indices of descriptors, so they are small.
 */
static void fill_number(struct fill *f, size_t at, enum spirv_class class, uint32_t width)
{
	const uint32_t n = f->n++;
	const double real = (n * 7 % 61 + 1) / (f->few ? 64.0 : 8.0);
	const float single = real;
	static const uint8_t few[] = { 3, 1, 1, 2 };
	uint64_t bits = f->few ? few[n % 4] : at < FEW_BYTES ? n * 5 / 2 % 4 : n % 61;

	if (at + width / 8 > f->size)
		return;
	if (class == SPIRV_FLOAT && width == 64)
		memcpy(&bits, &real, 8);
	else if (class == SPIRV_FLOAT && width == 32)
		memcpy(&bits, &single, 4);
	else if (class == SPIRV_FLOAT)
		bits = half_of(n);
	memcpy(f->base + at, &bits, width / 8);
}

struct matrix_layout {
	uint32_t stride;
	bool row_major;
};

static void fill_type(struct fill *f, uint32_t type, size_t at, struct matrix_layout layout,
		      int depth);

static void fill_vector(struct fill *f, const uint32_t *op, size_t at, uint32_t stride)
{
	enum spirv_class class;
	uint32_t width;

	if (!spirv_number(f->s, spirv_arg(op, 2), &class, &width))
		return;
	for (uint32_t i = 0; i < spirv_arg(op, 3) && i < 4; i++)
		fill_number(f, at + i * (stride ? stride : width / 8), class, width);
}

/*
 * 4x4 matrices are often projections of a vertex shader. Arbitrary numbers would clip most
 * vertices, so the matrix scales by 0.75 and translates by 0.125.
 */
static void fill_projection(struct fill *f, size_t at, struct matrix_layout layout)
{
	for (uint32_t c = 0; c < 4; c++) {
		for (uint32_t r = 0; r < 4; r++) {
			const uint32_t major = layout.row_major ? r : c;
			const uint32_t minor = layout.row_major ? c : r;
			const size_t to = at + (size_t)major * layout.stride + minor * 4;
			float value = c == r ? 0.75f : 0;

			if (c == 3)
				value = r == 3 ? 1 : 0.125f;
			if (to + 4 <= f->size)
				memcpy(f->base + to, &value, 4);
		}
	}
}

static void fill_matrix(struct fill *f, const uint32_t *op, size_t at, struct matrix_layout layout)
{
	const uint32_t *column = spirv_def(f->s, spirv_arg(op, 2));
	enum spirv_class class;
	uint32_t width;

	if (spirv_opcode(column) != SpvOpTypeVector ||
	    !spirv_number(f->s, spirv_arg(column, 2), &class, &width))
		return;
	if (f->few && width == 32 && spirv_arg(op, 3) == 4 && spirv_arg(column, 3) == 4) {
		fill_projection(f, at, layout);
		return;
	}
	for (uint32_t i = 0; i < spirv_arg(op, 3) && i < 4; i++) {
		if (layout.row_major)
			fill_vector(f, column, at + i * width / 8, layout.stride);
		else
			fill_vector(f, column, at + (size_t)i * layout.stride, 0);
	}
}

static void fill_array(struct fill *f, const uint32_t *op, size_t at, struct matrix_layout layout,
		       int depth)
{
	uint32_t stride = 0, length = UINT32_MAX;

	spirv_decoration(f->s, op[1], SPIRV_NO_MEMBER, SpvDecorationArrayStride, &stride);
	if (!stride || (spirv_opcode(op) == SpvOpTypeArray &&
			!spirv_constant(f->s, spirv_arg(op, 3), &length)))
		length = 1;
	for (uint32_t i = 0; i < length && at < f->size && f->budget; i++, at += stride)
		fill_type(f, spirv_arg(op, 2), at, layout, depth + 1);
}

static void fill_struct(struct fill *f, const uint32_t *op, size_t at, int depth)
{
	for (uint32_t m = 0; m + 2 < spirv_words(op); m++) {
		struct matrix_layout layout = { 0 };
		uint32_t offset;

		if (!spirv_decoration(f->s, op[1], m, SpvDecorationOffset, &offset))
			continue;
		spirv_decoration(f->s, op[1], m, SpvDecorationMatrixStride, &layout.stride);
		layout.row_major = spirv_decoration(f->s, op[1], m, SpvDecorationRowMajor, NULL);
		fill_type(f, spirv_arg(op, 2 + m), at + offset, layout, depth + 1);
	}
}

/* Fills a type: numbers, and the pointee's address for pointers. */
static void fill_type(struct fill *f, uint32_t type, size_t at, struct matrix_layout layout,
		      int depth)
{
	const uint32_t *op = spirv_def(f->s, type);
	enum spirv_class class;
	uint32_t width;

	if (depth > SPIRV_MAX_DEPTH || at >= f->size || !f->budget)
		return;
	f->budget--;
	switch (spirv_opcode(op)) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		if (spirv_number(f->s, type, &class, &width))
			fill_number(f, at, class, width);
		break;
	case SpvOpTypeVector:
		fill_vector(f, op, at, 0);
		break;
	case SpvOpTypeMatrix:
		fill_matrix(f, op, at, layout);
		break;
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		fill_array(f, op, at, layout, depth);
		break;
	case SpvOpTypeStruct:
		fill_struct(f, op, at, depth);
		break;
	case SpvOpTypePointer:
		if (at + 8 <= f->size)
			memcpy(f->base + at, &f->address, 8);
		break;
	}
}

void fill_buffer(const struct spirv *s, void *base, size_t size, uint32_t type,
		 uint32_t seed, uint64_t address, bool few)
{
	struct fill f = { s, base, size, seed, 1 << 18, address, few };

	for (size_t at = 0; at < size; at += 4)
		fill_number(&f, at, type || seed % 2 == 0 ? SPIRV_UINT : SPIRV_FLOAT, 32);
	f.n = seed;
	fill_type(&f, type, 0, (struct matrix_layout){ 0 }, 0);
}

/* Texels. */

/* By SpvImageFormat. */
static const struct texel texels[] = {
	[SpvImageFormatRgba32f] = { VK_FORMAT_R32G32B32A32_SFLOAT, TEXEL_F32, 16 },
	[SpvImageFormatRgba16f] = { VK_FORMAT_R16G16B16A16_SFLOAT, TEXEL_F16, 8 },
	[SpvImageFormatR32f] = { VK_FORMAT_R32_SFLOAT, TEXEL_F32, 4 },
	[SpvImageFormatRgba8] = { VK_FORMAT_R8G8B8A8_UNORM, TEXEL_N8, 4 },
	[SpvImageFormatRgba8Snorm] = { VK_FORMAT_R8G8B8A8_SNORM, TEXEL_N8, 4 },
	[SpvImageFormatRg32f] = { VK_FORMAT_R32G32_SFLOAT, TEXEL_F32, 8 },
	[SpvImageFormatRg16f] = { VK_FORMAT_R16G16_SFLOAT, TEXEL_F16, 4 },
	[SpvImageFormatR11fG11fB10f] = { VK_FORMAT_B10G11R11_UFLOAT_PACK32, TEXEL_F11, 4 },
	[SpvImageFormatR16f] = { VK_FORMAT_R16_SFLOAT, TEXEL_F16, 2 },
	[SpvImageFormatRgba16] = { VK_FORMAT_R16G16B16A16_UNORM, TEXEL_N16, 8 },
	[SpvImageFormatRgb10A2] = { VK_FORMAT_A2B10G10R10_UNORM_PACK32, TEXEL_A2, 4 },
	[SpvImageFormatRg16] = { VK_FORMAT_R16G16_UNORM, TEXEL_N16, 4 },
	[SpvImageFormatRg8] = { VK_FORMAT_R8G8_UNORM, TEXEL_N8, 2 },
	[SpvImageFormatR16] = { VK_FORMAT_R16_UNORM, TEXEL_N16, 2 },
	[SpvImageFormatR8] = { VK_FORMAT_R8_UNORM, TEXEL_N8, 1 },
	[SpvImageFormatRgba16Snorm] = { VK_FORMAT_R16G16B16A16_SNORM, TEXEL_N16, 8 },
	[SpvImageFormatRg16Snorm] = { VK_FORMAT_R16G16_SNORM, TEXEL_N16, 4 },
	[SpvImageFormatRg8Snorm] = { VK_FORMAT_R8G8_SNORM, TEXEL_N8, 2 },
	[SpvImageFormatR16Snorm] = { VK_FORMAT_R16_SNORM, TEXEL_N16, 2 },
	[SpvImageFormatR8Snorm] = { VK_FORMAT_R8_SNORM, TEXEL_N8, 1 },
	[SpvImageFormatRgba32i] = { VK_FORMAT_R32G32B32A32_SINT, TEXEL_I32, 16 },
	[SpvImageFormatRgba16i] = { VK_FORMAT_R16G16B16A16_SINT, TEXEL_I16, 8 },
	[SpvImageFormatRgba8i] = { VK_FORMAT_R8G8B8A8_SINT, TEXEL_I8, 4 },
	[SpvImageFormatR32i] = { VK_FORMAT_R32_SINT, TEXEL_I32, 4 },
	[SpvImageFormatRg32i] = { VK_FORMAT_R32G32_SINT, TEXEL_I32, 8 },
	[SpvImageFormatRg16i] = { VK_FORMAT_R16G16_SINT, TEXEL_I16, 4 },
	[SpvImageFormatRg8i] = { VK_FORMAT_R8G8_SINT, TEXEL_I8, 2 },
	[SpvImageFormatR16i] = { VK_FORMAT_R16_SINT, TEXEL_I16, 2 },
	[SpvImageFormatR8i] = { VK_FORMAT_R8_SINT, TEXEL_I8, 1 },
	[SpvImageFormatRgba32ui] = { VK_FORMAT_R32G32B32A32_UINT, TEXEL_I32, 16 },
	[SpvImageFormatRgba16ui] = { VK_FORMAT_R16G16B16A16_UINT, TEXEL_I16, 8 },
	[SpvImageFormatRgba8ui] = { VK_FORMAT_R8G8B8A8_UINT, TEXEL_I8, 4 },
	[SpvImageFormatR32ui] = { VK_FORMAT_R32_UINT, TEXEL_I32, 4 },
	[SpvImageFormatRgb10a2ui] = { VK_FORMAT_A2B10G10R10_UINT_PACK32, TEXEL_A2, 4 },
	[SpvImageFormatRg32ui] = { VK_FORMAT_R32G32_UINT, TEXEL_I32, 8 },
	[SpvImageFormatRg16ui] = { VK_FORMAT_R16G16_UINT, TEXEL_I16, 4 },
	[SpvImageFormatRg8ui] = { VK_FORMAT_R8G8_UINT, TEXEL_I8, 2 },
	[SpvImageFormatR16ui] = { VK_FORMAT_R16_UINT, TEXEL_I16, 2 },
	[SpvImageFormatR8ui] = { VK_FORMAT_R8_UINT, TEXEL_I8, 1 },
	[SpvImageFormatR64ui] = { VK_FORMAT_R64_UINT, TEXEL_I64, 8 },
	[SpvImageFormatR64i] = { VK_FORMAT_R64_SINT, TEXEL_I64, 8 },
};

static const struct texel depth_texel = { VK_FORMAT_D32_SFLOAT, TEXEL_F32, 4 };

struct texel texel_of(const struct spirv *s, const struct spirv_binding *b)
{
	static const uint32_t wide[] = {
		SpvImageFormatRgba32f, SpvImageFormatRgba32i, SpvImageFormatRgba32ui,
	};
	static const uint32_t narrow[] = {
		SpvImageFormatR32f, SpvImageFormatR32i, SpvImageFormatR32ui,
	};
	const bool stored = b->descriptor == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
			    b->descriptor == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;

	if (stored && b->format < sizeof(texels) / sizeof(texels[0]) && texels[b->format].format)
		return texels[b->format];
	if (b->width == 64)
		return texels[b->class == SPIRV_INT ? SpvImageFormatR64i : SpvImageFormatR64ui];
	/* Atomic instructions need one component of 32 bits. */
	if (stored)
		return texels[spirv_uses(s, SpvOpImageTexelPointer) ? narrow[b->class]
								    : wide[b->class]];
	if (b->depth)
		return depth_texel;
	if (b->class == SPIRV_FLOAT && b->descriptor != VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
		return texels[SpvImageFormatRgba8];
	return texels[wide[b->class]];
}

void fill_texels(void *to, size_t size, enum texel_kind kind, uint32_t seed)
{
	static const uint8_t steps[] = {
		[TEXEL_N8] = 1, [TEXEL_N16] = 2, [TEXEL_F16] = 2, [TEXEL_F32] = 4, [TEXEL_I8] = 1,
		[TEXEL_I16] = 2, [TEXEL_I32] = 4, [TEXEL_I64] = 8, [TEXEL_F11] = 4, [TEXEL_A2] = 4,
	};
	uint32_t n = seed;

	for (size_t at = 0; at + steps[kind] <= size; at += steps[kind], n++) {
		const float single = (n * 7 % 61 + 1) / 64.0f;
		uint64_t bits = n % 61;

		switch (kind) {
		case TEXEL_N8:
			bits = n * 7 % 61 * 4 + 3;
			break;
		case TEXEL_N16:
			bits = n * 7 % 61 * 1021 + 3;
			break;
		case TEXEL_F16:
			bits = half_of(n);
			break;
		case TEXEL_F32:
			memcpy(&bits, &single, 4);
			break;
		case TEXEL_F11:	/* exponents of 13 to 16: 0.25 to 2 */
			bits = (13 + n % 4) << 6 | (13 + n / 4 % 4) << 17 |
			       (uint64_t)(13 + n / 2 % 4) << 27;
			break;
		case TEXEL_A2:
			bits = n * 2654435761u;
			break;
		default:
			break;
		}
		memcpy((uint8_t *)to + at, &bits, steps[kind]);
	}
}

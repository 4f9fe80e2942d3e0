// SPDX-License-Identifier: MIT
/*
 * Transfers to and from textures of all kinds, in parts and as a whole, while the device is idle,
 * has commands that use the texture, or executes them. Prints TAP.
 */
#include "gl-core.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 8
/*
 * Unpack and pack parameters of rows with gaps: skipped texels, skipped rows, and padding in texels
 * and rows.
 */
#define SKIP_PIXELS 3
#define SKIP_ROWS 2
#define PADDING 7
/* Offset of the texels in a buffer: within a cache line. */
#define BUFFER_START 16

/*
 * For transfers of a MiB and more, the driver flushes earlier commands: one level of most kinds is
 * as large. The kinds called large have four MiB, which exceeds the caches.
 */
struct kind {
	const char *name;
	GLenum target, internal, format, type;	/* compressed: type 0 */
	int block, bytes;	/* texels on each side of a block, and bytes of a block */
	int width, height, depth, levels;
};

static const struct kind kinds[] = {
	{ "RGBA8", GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 768, 512, 1, 1 },
	{ "RGBA8, small", GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 31, 17, 1, 1 },
	{ "RGBA8, levels", GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 768, 512, 1,
	  8 },
	{ "RGBA8 as BGRA", GL_TEXTURE_2D, GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, 1, 4, 768, 512, 1,
	  1 },
	{ "RGBA8, large", GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 1100, 1001, 1,
	  1 },
	{ "R8, large", GL_TEXTURE_2D, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, 2501, 1703, 1, 1 },
	{ "RG32F, large layers", GL_TEXTURE_2D_ARRAY, GL_RG32F, GL_RG, GL_FLOAT, 1, 8, 1024, 513, 2,
	  1 },
	{ "R8, odd width", GL_TEXTURE_2D, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, 1501, 999, 1, 2 },
	{ "RGB8", GL_TEXTURE_2D, GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 1, 3, 767, 511, 1, 1 },
	{ "RGB565", GL_TEXTURE_2D, GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 1, 2, 1024, 768, 1,
	  2 },
	{ "RGB10_A2", GL_TEXTURE_2D, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 1, 4,
	  768, 512, 1, 1 },
	{ "RG16F", GL_TEXTURE_2D, GL_RG16F, GL_RG, GL_HALF_FLOAT, 1, 4, 768, 512, 1, 2 },
	{ "RGB32F", GL_TEXTURE_2D, GL_RGB32F, GL_RGB, GL_FLOAT, 1, 12, 401, 257, 1, 2 },
	{ "RGBA32F", GL_TEXTURE_2D, GL_RGBA32F, GL_RGBA, GL_FLOAT, 1, 16, 384, 256, 1, 1 },
	{ "R32UI", GL_TEXTURE_RECTANGLE, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 1, 4, 768, 512,
	  1, 1 },
	{ "DEPTH32F", GL_TEXTURE_2D, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, 1, 4, 768,
	  512, 1, 1 },
	{ "DEPTH24_STENCIL8", GL_TEXTURE_2D, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL,
	  GL_UNSIGNED_INT_24_8,
	  1, 4, 768, 512, 1, 1 },
	{ "RGTC1", GL_TEXTURE_2D, GL_COMPRESSED_RED_RGTC1, GL_COMPRESSED_RED_RGTC1, 0, 4, 8, 2048,
	  1024, 1, 3 },
	{ "BPTC", GL_TEXTURE_2D_ARRAY, GL_COMPRESSED_RGBA_BPTC_UNORM, GL_COMPRESSED_RGBA_BPTC_UNORM,
	  0,
	  4, 16, 512, 512, 5, 2 },
	{ "a line", GL_TEXTURE_1D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 4096, 1, 1, 3 },
	{ "lines", GL_TEXTURE_1D_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 1024, 300, 1,
	  2 },
	{ "layers", GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 256, 200, 6,
	  3 },
	{ "a volume", GL_TEXTURE_3D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 96, 64, 50, 3 },
	{ "a cube", GL_TEXTURE_CUBE_MAP, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 256, 256, 6,
	  2 },
	{ "cubes", GL_TEXTURE_CUBE_MAP_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, 128, 128,
	  18, 2 },
};

/* State of the device when the program accesses a texture. */
enum busy { IDLE, TOLD, AT_IT, N_BUSY };

static const char *const busy_names[N_BUSY] = { "idle", "told to use it", "at it" };

/* Place and layout of the program's texels. */
enum place { TIGHT, LOOSE, BUFFER, N_PLACES };

static const char *const place_names[N_PLACES] = { "rows without gaps", "rows with gaps",
						   "a buffer" };

struct box {
	int x, y, z, width, height, depth;
};

/* The expected contents of a texture. */
struct model {
	uint8_t *levels[MAX_LEVELS];
};

static GLuint transfer_buffer;

/* Sizes, and texels in memory */

static int level_size(int size, int level)
{
	return size >> level ? size >> level : 1;
}

/* 1: one-dimensional, 2: two-dimensional or an array of lines, 3: all others. */
static int dimensions(const struct kind *k)
{
	switch (k->target) {
	case GL_TEXTURE_1D:
		return 1;
	case GL_TEXTURE_2D:
	case GL_TEXTURE_RECTANGLE:
	case GL_TEXTURE_1D_ARRAY:
		return 2;
	}
	return 3;
}

static struct box level_box(const struct kind *k, int level)
{
	return (struct box){
		.width = level_size(k->width, level),
		.height = k->target == GL_TEXTURE_1D_ARRAY ?
			k->height : level_size(k->height, level),
		.depth = k->target == GL_TEXTURE_3D ? level_size(k->depth, level) : k->depth,
	};
}

/*
 * Returns a range in the middle that begins at a block, and ends at a block or at the end of the
 * level.
 */
static void middle(int size, int block, int *at, int *length)
{
	const int end = size < 4 * block ? size : size * 3 / 4 / block * block;

	*at = size / 4 / block * block;
	*length = end - *at;
}

static struct box part_of(const struct kind *k, int level)
{
	const struct box all = level_box(k, level);
	struct box box = all;

	middle(all.width, k->block, &box.x, &box.width);
	middle(all.height, k->block, &box.y, &box.height);
	middle(all.depth, 1, &box.z, &box.depth);
	return box;
}

static int blocks(const struct kind *k, int texels)
{
	return (texels + k->block - 1) / k->block;
}

static size_t row_size(const struct kind *k, const struct box *box)
{
	return (size_t)blocks(k, box->width) * k->bytes;
}

static size_t box_size(const struct kind *k, const struct box *box)
{
	return row_size(k, box) * blocks(k, box->height) * box->depth;
}

/* Rows, in bytes; layers, in rows. */
struct pitch {
	size_t row, layer;
};

static void copy_box(const struct kind *k, const struct box *box, uint8_t *to,
		     struct pitch to_pitch, const uint8_t *from, struct pitch from_pitch)
{
	for (int z = 0; z < box->depth; z++)
		for (int y = 0; y < blocks(k, box->height); y++)
			memcpy(to + (z * to_pitch.layer + y) * to_pitch.row,
			       from + (z * from_pitch.layer + y) * from_pitch.row,
			       row_size(k, box));
}

static struct pitch tight(const struct kind *k, const struct box *box)
{
	return (struct pitch){ row_size(k, box), blocks(k, box->height) };
}

static struct pitch loose(const struct kind *k, const struct box *box)
{
	return (struct pitch){ (size_t)(box->width + PADDING) * k->bytes, box->height + PADDING };
}

/*
 * Returns the offset of the first texel of rows with gaps. Parameters of dimensions that the
 * texture lacks are not used.
 */
static size_t loose_start(const struct kind *k, const struct box *box)
{
	return SKIP_PIXELS * k->bytes + (dimensions(k) > 1 ? SKIP_ROWS * loose(k, box).row : 0);
}

static size_t loose_size(const struct kind *k, const struct box *box)
{
	const struct pitch pitch = loose(k, box);

	return box->depth * pitch.layer * pitch.row;
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		err(1, "memory");
	return memory;
}

/* Returns bytes below 0x3c, so that all floats are finite and some are valid depths. */
static uint8_t *texels_new(size_t size, uint32_t seed)
{
	uint8_t *texels = allocate(size);

	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		texels[i] = (seed >> 16) % 0x3c;
	}
	return texels;
}

/* GL calls */

/* Sets GL_UNPACK_x or GL_PACK_x. Mesa would use the image height for lines, too. */
static void say_loose(bool pack, const struct kind *k, const struct box *box, bool on)
{
	const struct pitch pitch = loose(k, box);
	const int n = on ? dimensions(k) : 0;

	glPixelStorei(pack ? GL_PACK_ROW_LENGTH : GL_UNPACK_ROW_LENGTH,
		      n > 0 ? pitch.row / k->bytes : 0);
	glPixelStorei(pack ? GL_PACK_SKIP_PIXELS : GL_UNPACK_SKIP_PIXELS, n > 0 ? SKIP_PIXELS : 0);
	glPixelStorei(pack ? GL_PACK_SKIP_ROWS : GL_UNPACK_SKIP_ROWS, n > 1 ? SKIP_ROWS : 0);
	glPixelStorei(pack ? GL_PACK_IMAGE_HEIGHT : GL_UNPACK_IMAGE_HEIGHT,
		      n > 2 ? pitch.layer : 0);
}

static void upload(const struct kind *k, GLuint texture, int level, const struct box *b,
		   const void *data)
{
	const int n = dimensions(k);

	if (!k->type && n == 2)
		glCompressedTextureSubImage2D(texture, level, b->x, b->y, b->width, b->height,
					      k->format, box_size(k, b), data);
	else if (!k->type)
		glCompressedTextureSubImage3D(texture, level, b->x, b->y, b->z, b->width, b->height,
					      b->depth, k->format, box_size(k, b), data);
	else if (n == 1)
		glTextureSubImage1D(texture, level, b->x, b->width, k->format, k->type, data);
	else if (n == 2)
		glTextureSubImage2D(texture, level, b->x, b->y, b->width, b->height, k->format,
				    k->type, data);
	else
		glTextureSubImage3D(texture, level, b->x, b->y, b->z, b->width, b->height, b->depth,
				    k->format, k->type, data);
}

static void upload_loose(const struct kind *k, GLuint texture, int level, const struct box *box,
			 const uint8_t *texels)
{
	uint8_t *memory = allocate(loose_size(k, box) + loose_start(k, box));

	copy_box(k, box, memory + loose_start(k, box), loose(k, box), texels, tight(k, box));
	say_loose(false, k, box, true);
	upload(k, texture, level, box, memory);
	say_loose(false, k, box, false);
	free(memory);
}

static void upload_buffer(const struct kind *k, GLuint texture, int level, const struct box *box,
			  const uint8_t *texels)
{
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, transfer_buffer);
	glBufferData(GL_PIXEL_UNPACK_BUFFER, BUFFER_START + box_size(k, box), NULL, GL_STREAM_DRAW);
	glBufferSubData(GL_PIXEL_UNPACK_BUFFER, BUFFER_START, box_size(k, box), texels);
	upload(k, texture, level, box, (void *)BUFFER_START);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

static void download(const struct kind *k, GLuint texture, int level, size_t size, void *data)
{
	if (k->type)
		glGetTextureImage(texture, level, k->format, k->type, size, data);
	else
		glGetCompressedTextureImage(texture, level, size, data);
}

static void download_loose(const struct kind *k, GLuint texture, int level, const struct box *box,
			   uint8_t *texels)
{
	const size_t size = loose_size(k, box) + loose_start(k, box);
	uint8_t *memory = allocate(size);

	say_loose(true, k, box, true);
	download(k, texture, level, size, memory);
	say_loose(true, k, box, false);
	copy_box(k, box, texels, tight(k, box), memory + loose_start(k, box), loose(k, box));
	free(memory);
}

static void download_buffer(const struct kind *k, GLuint texture, int level, const struct box *box,
			    uint8_t *texels)
{
	glBindBuffer(GL_PIXEL_PACK_BUFFER, transfer_buffer);
	glBufferData(GL_PIXEL_PACK_BUFFER, box_size(k, box), NULL, GL_STREAM_READ);
	download(k, texture, level, box_size(k, box), NULL);
	glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, box_size(k, box), texels);
	glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

/* Textures */

static GLuint texture_new(const struct kind *k)
{
	GLuint texture;

	glCreateTextures(k->target, 1, &texture);
	if (dimensions(k) == 1)
		glTextureStorage1D(texture, k->levels, k->internal, k->width);
	else if (dimensions(k) == 2 || k->target == GL_TEXTURE_CUBE_MAP)
		glTextureStorage2D(texture, k->levels, k->internal, k->width, k->height);
	else
		glTextureStorage3D(texture, k->levels, k->internal, k->width, k->height, k->depth);
	return texture;
}

/* Writes texels of @seed to a part of a level, or to all of it, and to the model. */
static void change(const struct kind *k, GLuint texture, struct model *model, int level, bool part,
		   enum place place, uint32_t seed)
{
	const struct box all = level_box(k, level), box = part ? part_of(k, level) : all;
	uint8_t *texels = texels_new(box_size(k, &box), seed + level);
	const struct pitch pitch = tight(k, &all);
	const size_t at = (box.z * pitch.layer + box.y / k->block) * pitch.row +
			  (size_t)box.x / k->block * k->bytes;

	copy_box(k, &box, model->levels[level] + at, pitch, texels, tight(k, &box));
	if (place == BUFFER)
		upload_buffer(k, texture, level, &box, texels);
	else if (place == LOOSE)
		upload_loose(k, texture, level, &box, texels);
	else
		upload(k, texture, level, &box, texels);
	free(texels);
}

static bool is_like(const struct kind *k, GLuint texture, const struct model *model,
		    enum place place)
{
	bool same = true;

	for (int level = 0; level < k->levels; level++) {
		const struct box box = level_box(k, level);
		const size_t size = box_size(k, &box);
		uint8_t *texels = allocate(size);

		if (place == BUFFER)
			download_buffer(k, texture, level, &box, texels);
		else if (place == LOOSE)
			download_loose(k, texture, level, &box, texels);
		else
			download(k, texture, level, size, texels);
		for (size_t i = 0; same && i < size; i++) {
			same = texels[i] == model->levels[level][i];
			if (!same)
				printf("# level %d, byte %zu: %#x instead of %#x\n", level, i,
				       texels[i], model->levels[level][i]);
		}
		free(texels);
	}
	return same;
}

static void copy_texture(const struct kind *k, GLuint to, GLuint from)
{
	for (int level = 0; level < k->levels; level++) {
		struct box box = level_box(k, level);

		if (k->target == GL_TEXTURE_1D_ARRAY) {
			box.depth = box.height;
			box.height = 1;
		}
		glCopyImageSubData(from, k->target, level, 0, 0, 0, to, k->target, level, 0, 0, 0,
				   box.width, box.height, box.depth);
	}
}

/*
 * Makes the device copy @from: with the next flush (TOLD), or at once, behind other work (AT_IT).
 */
static void keep_busy(const struct kind *k, GLuint to, GLuint from, enum busy busy)
{
	if (busy == IDLE)
		return;
	if (busy == AT_IT)
		core_take_time();
	copy_texture(k, to, from);
	if (busy == AT_IT)
		glFlush();
}

static void model_copy(const struct kind *k, struct model *to, const struct model *from)
{
	for (int level = 0; level < k->levels; level++) {
		const struct box box = level_box(k, level);

		memcpy(to->levels[level], from->levels[level], box_size(k, &box));
	}
}

static struct model model_new(const struct kind *k)
{
	struct model model = { 0 };

	for (int level = 0; level < k->levels; level++) {
		const struct box box = level_box(k, level);

		model.levels[level] = allocate(box_size(k, &box));
	}
	return model;
}

static void model_del(const struct model *model)
{
	for (int level = 0; level < MAX_LEVELS; level++)
		free(model->levels[level]);
}

/* Compressed blocks are not tested in rows with gaps. */
static bool has_place(const struct kind *k, enum place place)
{
	return place != LOOSE || k->type;
}

/*
 * Writes new texels while the device copies the old ones: the copy must have the old texels, the
 * texture the new ones.
 */
static bool is_written(const struct kind *k, enum busy busy, bool part, enum place place)
{
	const GLuint textures[] = { texture_new(k), texture_new(k) };
	struct model old = model_new(k), new = model_new(k);
	bool ok;

	for (int level = 0; level < k->levels; level++) {
		change(k, textures[0], &old, level, false, TIGHT, 1);
		change(k, textures[1], &new, level, false, TIGHT, 1);
	}
	glFinish();
	keep_busy(k, textures[1], textures[0], busy);
	model_copy(k, &new, &old);
	for (int level = 0; level < k->levels; level++)
		change(k, textures[0], &new, level, part, place, 100 + part);
	ok = is_like(k, textures[0], &new, TIGHT) && is_like(k, textures[1], &old, TIGHT);
	if (!ok)
		printf("# %s of it from %s\n", part ? "a part" : "all", place_names[place]);
	model_del(&old);
	model_del(&new);
	glDeleteTextures(2, textures);
	return ok;
}

static void test_writes(const struct kind *k)
{
	for (enum busy busy = 0; busy < N_BUSY; busy++) {
		bool ok = true;

		for (enum place place = 0; place < N_PLACES; place++)
			for (int part = 0; part < 2 && has_place(k, place); part++)
				ok &= is_written(k, busy, part, place);
		tap(ok, "%s, the device %s: what is written is there, and what was there is copied",
		    k->name, busy_names[busy]);
	}
}

/* A read returns the texels that a pending copy of the device writes. */
static bool is_read(const struct kind *k, enum busy busy, enum place place)
{
	const GLuint textures[] = { texture_new(k), texture_new(k) };
	struct model model = model_new(k);
	bool ok;

	for (int level = 0; level < k->levels; level++) {
		change(k, textures[1], &model, level, false, TIGHT, 10);
		change(k, textures[0], &model, level, false, TIGHT, busy == IDLE ? 10 : 11);
	}
	glFinish();
	keep_busy(k, textures[1], textures[0], busy);
	ok = is_like(k, textures[1], &model, place);
	if (!ok)
		printf("# read to %s\n", place_names[place]);
	model_del(&model);
	glDeleteTextures(2, textures);
	return ok;
}

static void test_reads(const struct kind *k)
{
	for (enum busy busy = 0; busy < N_BUSY; busy++) {
		bool ok = true;

		for (enum place place = 0; place < N_PLACES; place++)
			if (has_place(k, place))
				ok &= is_read(k, busy, place);
		tap(ok, "%s, the device %s: what it writes is read", k->name, busy_names[busy]);
	}
}

static void create(void)
{
	glGenBuffers(1, &transfer_buffer);
	glPixelStorei(GL_PACK_ALIGNMENT, 1);
	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
}

int main(void)
{
	core_open();
	create();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		test_writes(&kinds[i]);
		test_reads(&kinds[i]);
	}
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}

// SPDX-License-Identifier: MIT
/* Pictures as PNG files, with libpng's simplified interface; see picture.h. */
#include "picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_save(const char *path, const uint8_t *rgba, int width, int height, ptrdiff_t pitch)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION, .width = width, .height = height,
		.format = PNG_FORMAT_RGBA,
	};

	if (png_image_write_to_file(&image, path, 0, rgba, pitch, NULL))
		return true;
	fprintf(stderr, "%s: %s\n", path, image.message);
	return false;
}

bool picture_load(const char *path, uint8_t **rgba, int *width, int *height)
{
	png_image image = { .version = PNG_IMAGE_VERSION };

	*rgba = NULL;
	if (png_image_begin_read_from_file(&image, path)) {
		image.format = PNG_FORMAT_RGBA;
		*rgba = malloc(PNG_IMAGE_SIZE(image));
		*width = image.width;
		*height = image.height;
		if (*rgba && png_image_finish_read(&image, NULL, *rgba, 0, NULL))
			return true;
	}
	fprintf(stderr, "%s: %s\n", path, image.message);
	png_image_free(&image);
	free(*rgba);
	return false;
}

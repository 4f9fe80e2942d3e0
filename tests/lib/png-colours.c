// SPDX-License-Identifier: MIT
/*
 * png-colours FILE RRGGBB[~TOLERANCE]=PIXELS...: checks that a picture has at least PIXELS pixels
 * of each of these colours. A pixel has a colour if no channel differs by more than TOLERANCE
 * (default 0). Prints the counts. Exit status 0: yes, 1: no, 2: the picture cannot be read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"

struct colour {
	unsigned int rgb;
	int tolerance;
	long pixels;
};

static bool parse(const char *text, struct colour *colour)
{
	char end;

	colour->tolerance = 0;
	return sscanf(text, "%6x=%ld%c", &colour->rgb, &colour->pixels, &end) == 2 ||
	       sscanf(text, "%6x~%d=%ld%c", &colour->rgb, &colour->tolerance, &colour->pixels,
		      &end) == 3;
}

static bool has_colour(const uint8_t *pixel, const struct colour *colour)
{
	for (int c = 0; c < 3; c++)
		if (abs(pixel[c] - (int)(colour->rgb >> (16 - 8 * c) & 0xff)) > colour->tolerance)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	int width, height, status = 0;
	struct colour colour;
	uint8_t *rgba;

	if (argc < 3) {
		fprintf(stderr, "usage: png-colours FILE RRGGBB[~TOLERANCE]=PIXELS...\n");
		return 2;
	}
	if (!picture_load(argv[1], &rgba, &width, &height))
		return 2;
	for (int i = 2; i < argc; i++) {
		long found = 0;

		if (!parse(argv[i], &colour)) {
			fprintf(stderr, "png-colours: '%s' is not RRGGBB[~TOLERANCE]=PIXELS\n",
				argv[i]);
			status = 2;
			break;
		}
		for (long p = 0; p < (long)width * height; p++)
			found += has_colour(rgba + p * 4, &colour);
		printf("%s: %ld pixels\n", argv[i], found);
		if (found < colour.pixels)
			status = 1;
	}
	free(rgba);
	return status;
}

// SPDX-License-Identifier: MIT
/*
 * png-compare A B TOLERANCE [PIXELS]: compares two pictures. At most PIXELS (default 0) pixels may
 * have a channel that differs by more than TOLERANCE. Exit status 0: equal, 1: different, 2: they
 * cannot be compared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"

int main(int argc, char **argv)
{
	uint8_t *a, *b;
	int aw, ah, bw, bh, tolerance, most = 0, over = 0;
	long allowed;

	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: png-compare A B TOLERANCE [PIXELS]\n");
		return 2;
	}
	tolerance = atoi(argv[3]);
	allowed = argc == 5 ? atol(argv[4]) : 0;
	if (!picture_load(argv[1], &a, &aw, &ah) || !picture_load(argv[2], &b, &bw, &bh))
		return 2;
	if (aw != bw || ah != bh) {
		fprintf(stderr, "sizes differ: %dx%d, %dx%d\n", aw, ah, bw, bh);
		return 1;
	}
	for (long i = 0; i < (long)aw * ah; i++) {
		int worst = 0;

		for (int c = 0; c < 4; c++)
			if (abs(a[i * 4 + c] - b[i * 4 + c]) > worst)
				worst = abs(a[i * 4 + c] - b[i * 4 + c]);
		over += worst > tolerance;
		most = worst > most ? worst : most;
	}
	printf("%d pixels over tolerance %d (allowed %ld), largest difference %d\n", over,
	       tolerance, allowed,
	       most);
	free(a);
	free(b);
	return over > allowed;
}

/* SPDX-License-Identifier: MIT */
/*
 * The scene of the triangle test, which triangle-stream.c and triangle-gl.c share: a textured
 * triangle, drawn several times per frame with a different matrix each time.
 */
#ifndef TRIANGLE_H
#define TRIANGLE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXTURE_SIZE 64
#define TRIANGLE_IN_FLIGHT 3

struct triangle_options {
	int width, height;
	int frames, draws;
	int in_flight;		/* frames in flight, at most */
	const char *png;	/* file for the last frame, or NULL */
};

/* x, y, s, t */
static const float triangle_vertices[3][4] = {
	{ -0.9f, -0.9f, 0.0f, 0.0f },
	{ 0.9f, -0.9f, 2.0f, 0.0f },
	{ 0.0f, 0.9f, 1.0f, 2.0f },
};

static const float triangle_clear[4] = { 0.1f, 0.2f, 0.3f, 1.0f };

/* Orange and blue checks with a gradient: shows swapped channels, flips and wrong pitches. */
static inline void triangle_texel(int x, int y, uint8_t rgba[4])
{
	const int check = (x / 8 + y / 8) & 1;

	rgba[0] = check ? 255 : 4 * y;
	rgba[1] = 128;
	rgba[2] = check ? 4 * x : 255;
	rgba[3] = 255;
}

/* Column-major matrix of draw @draw of frame @frame: each draw is smaller and further rotated. */
static inline void triangle_matrix(int frame, int draw, float m[16])
{
	const float angle = 0.01f * frame + 0.3f * draw, size = 1.0f / (1.0f + 0.5f * draw);

	memset(m, 0, 16 * sizeof(*m));
	m[0] = m[5] = size * cosf(angle);
	m[1] = size * sinf(angle);
	m[4] = -m[1];
	m[10] = m[15] = 1.0f;
}

static inline double triangle_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Parses --frames N --draws N --in-flight N --size WxH --png FILE; exits on anything else. */
static inline struct triangle_options triangle_parse(int argc, char **argv)
{
	struct triangle_options o = { 256, 256, 1, 1, TRIANGLE_IN_FLIGHT, NULL };

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--frames") && atoi(value) > 0)
			o.frames = atoi(value);
		else if (!strcmp(argv[i], "--draws") && atoi(value) > 0)
			o.draws = atoi(value);
		else if (!strcmp(argv[i], "--in-flight") && atoi(value) > 0 &&
			 atoi(value) <= TRIANGLE_IN_FLIGHT)
			o.in_flight = atoi(value);
		else if (!strcmp(argv[i], "--size") &&
			 sscanf(value, "%dx%d", &o.width, &o.height) == 2)
			continue;
		else if (!strcmp(argv[i], "--png") && *value)
			o.png = value;
		else {
			fprintf(stderr,
				"usage: %s [--frames N] [--draws N] [--in-flight N] [--size WxH] "
				"[--png FILE]\n",
				argv[0]);
			exit(2);
		}
	}
	return o;
}

#endif

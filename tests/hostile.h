/* SPDX-License-Identifier: MIT */
/*
 * What the programs have in common that drive a device out of bounds and look at what they get.
 *
 * Canaries stand in memory that no submission lists: a program that sees one read what it must not,
 * one that is missing was overwritten.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog.h"

/* As a float it is a number, too. */
#define CANARY 0x7aceca11u

/* Object ids of what hostile_new() made; the programs' own begin at HOSTILE_FREE. */
enum { HOSTILE_TARGET = 1, HOSTILE_TARGET_VIEW, HOSTILE_SAMPLER, HOSTILE_FREE };

/* The target: pixels of two words each. */
#define HOSTILE_WIDTH 64
#define HOSTILE_HEIGHT 16
#define HOSTILE_PIXELS (HOSTILE_WIDTH * HOSTILE_HEIGHT)

struct hostile {
	struct sundog_device *dev;
	struct sundog_context *ctx;
	struct sundog_submit *submit;
	struct sundog_stream *stream;
	struct sundog_bo *target, *readback;
	struct sundog_device *other;		/* another client, which does nothing */
	struct sundog_bo *others;		/* its canaries */
	struct sundog_bo *front, *back;		/* canaries around what is used, if the program has them */
};

/* Ends the program if there is no device. */
struct hostile *hostile_new(void);
/* With a line of TAP each: is the other client's memory as it was, and are the guards? */
void hostile_del(struct hostile *h);

/* An allocation of @size bytes. Ends the program if there is no room. */
struct sundog_bo *hostile_bo(struct hostile *h, uint64_t size);
/* The same, full of canaries; at most the first and the last 64 MiB of it. */
struct sundog_bo *hostile_canaries(struct hostile *h, uint64_t size);
/* Some MiB of them in front of what is allocated next, and behind what was: hostile_del() looks at both. */
void hostile_guard_front(struct hostile *h);
void hostile_guard_back(struct hostile *h);
/* Are all of them there? */
bool hostile_canaries_live(const struct sundog_bo *bo);

/* List @bo in the submission, for reading and writing. */
void hostile_list(struct hostile *h, struct sundog_bo *bo);

void hostile_shader(struct hostile *h, uint32_t id, const struct sundog_cmd_create_shader *cmd,
		    const uint32_t *code, size_t size);

/* State for a draw of @topology to the target, all but shaders and vertices; and the rendering. */
void hostile_begin(struct hostile *h, uint32_t topology);
/* End it, and have the pixels copied out. */
void hostile_end(struct hostile *h);

/*
 * A dispatch of one group of @shader, or a draw of a triangle with @vertex and it, as @stage says. hostile_pixels()
 * has what was drawn.
 */
void hostile_work(struct hostile *h, uint32_t stage, uint32_t vertex, uint32_t shader);

/* Submit and wait. False: the context was lost, which hostile_fault() explains. */
bool hostile_run(struct hostile *h);
/* The same, with a note of the fault that explains it, and a new context. */
bool hostile_runs(struct hostile *h);
/* Another context of this client runs a stream that ends in a fault, and changes nothing. */
void hostile_fault_beside(struct hostile *h);
/* Submit what all that comes needs: @what. Ends the program if it was refused. */
void hostile_need(struct hostile *h, const char *what);
/* The fault of a context that was lost, and a new context. */
enum sundog_fault_code hostile_fault(struct hostile *h);
/* Submit; with a line of TAP: was it refused with @code? */
void hostile_refused(struct hostile *h, enum sundog_fault_code code, const char *name);

/* What must not be sent; each program has a scene of its own. */
struct scene;
struct hostile_fault {
	const char *name;
	void (*record)(struct scene *s);
	enum sundog_fault_code code;
};

/* hostile_refused() for each of @n. */
void hostile_faults(struct hostile *h, struct scene *s, const struct hostile_fault *faults, size_t n);

/* What the last rendering drew: two words for each pixel, rows follow each other. */
const uint32_t *hostile_pixels(const struct hostile *h);

/* One line of TAP. */
void hostile_result(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Exit status of the program. */
int hostile_status(void);

#endif

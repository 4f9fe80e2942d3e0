/* SPDX-License-Identifier: MIT */
/*
 * Setup, canaries and results for the programs that submit out-of-bounds work to a device.
 *
 * Canaries fill memory that no submission lists. A program that reads a canary has read memory out
 * of bounds, and a missing canary was overwritten out of bounds.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog.h"

/* A finite number if it is read as a float, too. */
#define CANARY 0x7aceca11u

/* Ids of the objects of hostile_new(). The ids of a program's own objects start at HOSTILE_FREE. */
enum { HOSTILE_TARGET = 1, HOSTILE_TARGET_VIEW, HOSTILE_SAMPLER, HOSTILE_FREE };

/* The render target has pixels of two words each. */
#define HOSTILE_WIDTH 64
#define HOSTILE_HEIGHT 16
#define HOSTILE_PIXELS (HOSTILE_WIDTH * HOSTILE_HEIGHT)

struct hostile {
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sundog_stream *stream;
	struct sdrm_bo *target, *readback;
	struct sdrm_device *other;		/* another client, which submits nothing */
	struct sdrm_bo *others;		/* canaries of @other */
	/* canaries before and after the program's memory, optional */
	struct sdrm_bo *front, *back;
};

/* Opens the device and makes the render target. Ends the program if there is no device. */
struct hostile *hostile_new(void);
/* Checks the canaries of the other client and the guards, with a line of TAP for each. Frees @h. */
void hostile_del(struct hostile *h);

/* Allocates and maps @size bytes. Ends the program if the allocation fails. */
struct sdrm_bo *hostile_bo(struct hostile *h, uint64_t size);
/* Allocates @size bytes and fills the first and the last 64 MiB of them with canaries. */
struct sdrm_bo *hostile_canaries(struct hostile *h, uint64_t size);
/*
 * Allocate some MiB of canaries before the program's next allocations and behind its previous ones.
 * hostile_del() checks both.
 */
void hostile_guard_front(struct hostile *h);
void hostile_guard_back(struct hostile *h);
/* Returns true if no canary of @bo was overwritten. */
bool hostile_canaries_live(const struct sdrm_bo *bo);

/* Adds @bo to the submission's list, for reading and writing. */
void hostile_list(struct hostile *h, struct sdrm_bo *bo);

void hostile_shader(struct hostile *h, uint32_t id, const struct sundog_cmd_create_shader *cmd,
		    const uint32_t *code, size_t size);

/*
 * Sets all state for a draw of @topology to the target but shaders and vertices, and begins
 * rendering.
 */
void hostile_begin(struct hostile *h, uint32_t topology);
/* Ends rendering and copies the pixels to the readback BO. */
void hostile_end(struct hostile *h);

/*
 * Emits a dispatch of one group of @shader, if @stage is compute, or else a draw of a triangle with
 * @vertex and @shader. hostile_pixels() returns the result of the draw.
 */
void hostile_work(struct hostile *h, uint32_t stage, uint32_t vertex, uint32_t shader);

/* Submits and waits. Returns false if the context was lost. hostile_fault() returns the reason. */
bool hostile_run(struct hostile *h);
/* Like hostile_run(), but prints the fault code of a lost context and makes a new context. */
bool hostile_runs(struct hostile *h);
/* Makes another context of this client fault, with a stream that changes nothing. */
void hostile_fault_beside(struct hostile *h);
/* Submits the setup @what of all later work. Ends the program if the device refuses it. */
void hostile_need(struct hostile *h, const char *what);
/*
 * Waits for the end of a lost context and makes a new one. Returns the fault code of the lost
 * context.
 */
enum sundog_fault_code hostile_fault(struct hostile *h);
/* Submits, and prints a line of TAP: passes if the device refused the submission with @code. */
void hostile_refused(struct hostile *h, enum sundog_fault_code code, const char *name);

/*
 * State of a program for its record() functions, which emit invalid work. Each program defines its
 * own.
 */
struct scene;
struct hostile_fault {
	const char *name;
	void (*record)(struct scene *s);
	enum sundog_fault_code code;
};

/* Calls record() and hostile_refused() for each of the @n faults. */
void hostile_faults(struct hostile *h, struct scene *s, const struct hostile_fault *faults,
		    size_t n);

/* Returns the pixels of the last rendering: two words for each pixel, in rows without padding. */
const uint32_t *hostile_pixels(const struct hostile *h);

/* Prints a line of TAP. */
void hostile_result(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the exit status of the program. */
int hostile_status(void);

#endif

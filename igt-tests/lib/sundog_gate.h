/* SPDX-License-Identifier: MIT */
/*
 * Fences that are signalled when the test says so, to hold the device back. They are those of
 * igt-tests/gate, which signal by themselves after twice the time that a test waits for anything.
 * Where that module is not there they are vgem's, which do so after 10 s: a subtest that fails after
 * such a time is run again (run.sh).
 */
#ifndef SUNDOG_GATE_H
#define SUNDOG_GATE_H

#include "sundog_test.h"

struct sd_gate {
	int device;		/* the file of the module, or -1 */
	int vgem;		/* else vgem's, or -1 */
	uint32_t n;		/* fences */
	int sync_file;		/* of all of them */
};

/* A new gate, which is shut; skips where there is no vgem. */
struct sd_gate sd_gate(void);
/* The same with @n fences of different contexts, for a dma_resv to hold one by one. */
struct sd_gate sd_gate_of(int n);
/* Submissions of @ctx wait from now on, in the scheduler's queue, until a new gate is lifted. */
struct sd_gate sd_gate_before(struct sd_context *ctx);
/* Signals the fences. The gate is gone then. */
void sd_gate_lift(struct sd_gate *gate);
/* So does another process after some time, in which the caller may begin to wait; the other one waits for its end. */
void sd_gate_lift_later(struct sd_gate *gate);
void sd_gate_join(struct sd_gate *gate);

#endif

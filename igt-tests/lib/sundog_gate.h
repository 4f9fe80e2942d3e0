/* SPDX-License-Identifier: MIT */
/*
 * A fence that is signalled when the test says so, to hold the device back. It is one of vgem's, which
 * signals it after 10 s in any case: a subtest that fails after such a time is run again (run.sh).
 */
#ifndef SUNDOG_GATE_H
#define SUNDOG_GATE_H

#include "sundog_test.h"

struct sd_gate {
	int vgem;
	uint32_t fence;
	/* The fence for others to wait for. */
	int sync_file;
};

/* A new gate, which is shut; skips where there is no vgem. */
struct sd_gate sd_gate(void);
/* Submissions of @ctx wait from now on, in the scheduler's queue, until a new gate is lifted. */
struct sd_gate sd_gate_before(struct sd_context *ctx);
/* Signals the fence. The gate is gone then. */
void sd_gate_lift(struct sd_gate *gate);
/* So does another process after some time, in which the caller may begin to wait; the other one waits for its end. */
void sd_gate_lift_later(struct sd_gate *gate);
void sd_gate_join(struct sd_gate *gate);

#endif

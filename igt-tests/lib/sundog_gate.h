/* SPDX-License-Identifier: MIT */
/*
 * Gates hold the device back: they are fences that the test signals. They come from
 * /dev/sundog_gate (igt-tests/gate) and signal by themselves after twice the time that a test waits
 * for anything (sd_patience_ms()). Without that module they come from vgem, whose fences time out
 * after 10 s: run.sh runs a subtest again that failed after such a time.
 */
#ifndef SUNDOG_GATE_H
#define SUNDOG_GATE_H

#include "sundog_test.h"

struct sd_gate {
	int device;		/* /dev/sundog_gate, or -1 */
	int vgem;		/* vgem if there is no @device, or -1 */
	uint32_t n;		/* number of fences */
	int sync_file;		/* signals with the last of them */
};

/*
 * Returns a new gate with one unsignalled fence. Skips if the kernel has neither /dev/sundog_gate
 * nor vgem.
 */
struct sd_gate sd_gate(void);
/*
 * Like sd_gate(), with @n fences of different fence contexts, which a dma_resv keeps apart. Needs
 * vgem if @n > 1.
 */
struct sd_gate sd_gate_of(int n);
/* Submits an empty job of context @ctx of @fd that waits for a sync_file, such as a gate's. */
void sd_submit_after(int fd, uint32_t ctx, int sync_file);
/*
 * Submits an empty job of @ctx that waits for a new gate. All later submissions of @ctx stay behind
 * it in the scheduler's queue until the gate is lifted.
 */
struct sd_gate sd_gate_before(struct sd_context *ctx);
/*
 * Suspends and resumes all sundog devices, to RAM or to disk. Returns 0 or -errno. Skips without
 * /dev/sundog_gate, and on a kernel that does not sleep. No thread may submit meanwhile.
 */
int sd_driver_sleep_try(bool to_disk);
/* Signals the fences and closes the gate. */
void sd_gate_lift(struct sd_gate *gate);
/*
 * A child process lifts the gate after 300 ms, so that the caller can begin to wait before.
 * sd_gate_join() waits for the child and closes the caller's side of the gate.
 */
void sd_gate_lift_later(struct sd_gate *gate);
void sd_gate_join(struct sd_gate *gate);

#endif

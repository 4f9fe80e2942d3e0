/* SPDX-License-Identifier: MIT */
/*
 * Fences that a test signals itself, of the kernel's vgem driver: work of other drivers that waits
 * for such a fence cannot begin before the test lets it. Implemented by gate.c. vgem itself signals
 * a fence after ten seconds.
 */
#ifndef GATE_H
#define GATE_H

#include <stdint.h>

struct gate {
	int fd;			/* sync_file */
	uint32_t bo, fence;
};

/* Opens vgem's device for the other functions. Exits if there is none. */
void gate_open_vgem(void);
/* Returns a gate whose fence is not signaled. Exits on failure. */
struct gate gate_new(void);
/*
 * Signals the fence and frees the gate. Exits with EX_TEMPFAIL if vgem signaled the fence before,
 * since the test has then checked nothing: its caller runs it again.
 */
void gate_open(struct gate *gate);

#endif

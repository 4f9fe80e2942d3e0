/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Device coredumps of lost contexts. */
#ifndef _SUNDOG_DUMP_H_
#define _SUNDOG_DUMP_H_

#include <linux/types.h>

struct sundog_channel;
struct sundog_device;

/**
 * struct sundog_fault - reason for the loss of a context
 */
struct sundog_fault {
	/** @code: enum drm_sundog_fault */
	u32 code;
	/** @guilty: the context's own work is the reason */
	bool guilty;
	/** @seqno: seqno of the faulting submission, 0 if unknown */
	u64 seqno;
	/** @offset: byte offset of the faulting packet in the stream */
	u64 offset;
	/** @arg: argument of the fault, depends on @code */
	u64 arg;
};

int sundog_dump_init(struct sundog_device *sdev);
const char *sundog_fault_name(u32 code);
void sundog_dump_take(struct sundog_channel *ch, const char *comm, pid_t pid,
		      const struct sundog_fault *fault);

#endif

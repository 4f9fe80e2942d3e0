/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The interface of /dev/sundog_gate, between the module (sundog_gate.c) and
 * igt-tests/lib/sundog_gate.c.
 */
#ifndef SUNDOG_GATE_UAPI_H
#define SUNDOG_GATE_UAPI_H

#include <linux/ioctl.h>

#define SUNDOG_GATE_DEVICE "/dev/sundog_gate"

/*
 * Adds a new fence to the open file and returns its sync_file. The argument is the timeout in
 * milliseconds from now: then all fences of the file signal by themselves.
 */
#define SUNDOG_GATE_FENCE _IO('G', 0x5d)

/*
 * Suspends and resumes each sundog device, one after the other, with user space running: to RAM,
 * or to disk if the argument is not 0. Returns the first error.
 */
#define SUNDOG_GATE_SLEEP _IO('G', 0x5e)

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The interface of /dev/sundog_gate, see sundog_gate.c; igt-tests/lib/sundog_gate.c uses it.
 */
#ifndef SUNDOG_GATE_UAPI_H
#define SUNDOG_GATE_UAPI_H

#include <linux/ioctl.h>

#define SUNDOG_GATE_DEVICE "/dev/sundog_gate"

/*
 * A new fence of the open file. The argument is when all of its fences signal by themselves, in
 * milliseconds from now. Returns a sync_file.
 */
#define SUNDOG_GATE_FENCE _IO('G', 0x5d)

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_DUMP_H_
#define _SUNDOG_DUMP_H_

#include <linux/types.h>

struct sundog_context;
struct sundog_device;

int sundog_dump_init(struct sundog_device *sdev);
const char *sundog_fault_name(u32 code);
void sundog_dump_take(struct sundog_context *ctx);

#endif

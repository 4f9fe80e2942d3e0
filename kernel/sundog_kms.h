/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Mode setting: interface to the rest of the driver. */
#ifndef _SUNDOG_KMS_H_
#define _SUNDOG_KMS_H_

#include <linux/types.h>

struct sundog_device;
struct sundog_head;

int sundog_kms_init(struct sundog_device *sdev);
void sundog_kms_event(struct sundog_device *sdev, u32 events);
void sundog_kms_call_heads(struct sundog_device *sdev, void (*fn)(struct sundog_head *head));
void sundog_kms_wait(struct sundog_device *sdev);
int sundog_kms_settle(struct sundog_device *sdev);

#endif

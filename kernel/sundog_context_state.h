/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* State changes of contexts and their channel slots. */
#ifndef _SUNDOG_CONTEXT_STATE_H_
#define _SUNDOG_CONTEXT_STATE_H_

#include <linux/types.h>

struct sundog_client;
struct sundog_context;
struct sundog_device;
struct sundog_sched_funcs;

extern const struct sundog_sched_funcs sundog_context_sched_funcs;

unsigned long sundog_context_stop_timeout(void);
int sundog_context_start(struct sundog_context *ctx);
void sundog_context_abandon(struct sundog_context *ctx);
void sundog_context_kill_all(struct sundog_device *sdev);
void sundog_context_end_all(struct sundog_device *sdev, u32 code, bool quiet);
void sundog_client_kill(struct sundog_client *client, u32 code, bool by_itself);
void sundog_channel_events(struct sundog_device *sdev);

#endif

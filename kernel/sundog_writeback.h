/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Writeback connector of a head: interface to the other parts of mode setting. */
#ifndef _SUNDOG_WRITEBACK_H_
#define _SUNDOG_WRITEBACK_H_

struct drm_atomic_commit;
struct sundog_head;

int sundog_writeback_init(struct sundog_head *head);
void sundog_writeback_queue(struct sundog_head *head, struct drm_atomic_commit *state);
void sundog_writeback_done(struct sundog_head *head);
void sundog_writeback_off(struct sundog_head *head);
void sundog_writeback_finish(struct sundog_head *head);
void sundog_writeback_cancel(struct sundog_head *head);
void sundog_writeback_end(struct sundog_head *head);
void sundog_writeback_wait(struct sundog_head *head);

#endif

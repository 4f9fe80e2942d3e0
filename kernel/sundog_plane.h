/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The planes of a head: interface to the other parts of mode setting. */
#ifndef _SUNDOG_PLANE_H_
#define _SUNDOG_PLANE_H_

struct sundog_head;
struct sundog_plane;

int sundog_plane_init(struct sundog_head *head);
void sundog_plane_off(struct sundog_plane *plane);
void sundog_cursor_wait(struct sundog_head *head);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The capability block: what the host can do, and how it lays out images.
 */
#ifndef CAPS_H
#define CAPS_H

struct worker;

/* Fill in w->caps. Needs w->vk and w->batches; probes the layout rule by drawing into memory of its own. */
void caps_init(struct worker *w);

#endif

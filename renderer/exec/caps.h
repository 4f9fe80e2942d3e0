/* SPDX-License-Identifier: MIT */
/*
 * The capability block: features, limits and formats of the host, and its image layout rule.
 */
#ifndef EXEC_CAPS_H
#define EXEC_CAPS_H

struct worker;

/*
 * Fill in w->caps. Needs w->vk and w->batches; probes the layout rule by drawing into private
 * memory. Main thread, at startup.
 */
void caps_init(struct worker *w);

#endif

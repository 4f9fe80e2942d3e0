/* SPDX-License-Identifier: MIT */
/* How often threads of a renderer's workers went to sleep. */
#ifndef SWITCHES_H
#define SWITCHES_H

/* Of the renderer that with-renderd.sh started, so far; -1 if there is none. */
long worker_switches(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Counts context switches of the threads of a renderer's workers. */
#ifndef SWITCHES_H
#define SWITCHES_H

/*
 * Returns the number of voluntary context switches so far of all workers that the renderer of
 * with-renderd.sh has, or -1 if SUNDOG_RENDERD is not set.
 */
long worker_switches(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Workers without processes: the fuzz target plays them. They stand in for spawn.c, and for the kernel that passes
 * system calls of a sealed worker on to the broker.
 *
 * What a worker may bring as its notifications and its /proc/PID/maps is right, since a worker is sealed before it
 * has seen anything of its client. All else may be anything.
 */
#ifndef STUB_WORKER_H
#define STUB_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"

struct stub_worker;

void stub_workers_init(void);

/* A new execution: none is there. */
void stub_workers_reset(bool honest_first, bool silent);

/* The next @n cannot be started. */
void stub_workers_fail(unsigned int n);

/* One of those that may do harm. NULL: there is none. */
struct stub_worker *stub_worker_pick(uint8_t which);

/* The first one, which does none. */
struct stub_worker *stub_worker_honest(void);

/* Do what a worker does: read what there is, and answer. */
void stub_worker_serve(struct stub_worker *w);

/* Or whatever @in says. */
void stub_worker_send(struct stub_worker *w, struct input *in);
void stub_worker_ask(struct stub_worker *w, struct input *in);
void stub_worker_say(struct stub_worker *w, struct input *in);
void stub_worker_exit(struct stub_worker *w, int status);

/* Those that were killed are dead now. False: there were none. */
bool stub_workers_die(void);

/* One of this party's is there, dead or alive. */
bool stub_workers_have(uint8_t party);

/* The execution ends: none may be left. */
void stub_workers_check(void);

#endif

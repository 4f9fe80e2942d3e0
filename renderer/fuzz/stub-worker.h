/* SPDX-License-Identifier: MIT */
/*
 * Workers without processes, played by the fuzz target. They replace spawn.c, and the kernel's
 * forwarding of a sandboxed worker's system calls to the broker.
 *
 * The notification descriptor and the /proc/PID/maps that a worker sends are valid, because a
 * worker is sandboxed before it receives anything of its client. Everything else may be arbitrary.
 */
#ifndef STUB_WORKER_H
#define STUB_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"

struct stub_worker;

void stub_workers_init(void);

/* Forgets all workers at the start of an execution. */
void stub_workers_reset(bool honest_first, bool silent);

/* Makes the next @n starts of workers fail. */
void stub_workers_fail(unsigned int n);

/* Returns a worker that may be malicious, NULL if there is none. */
struct stub_worker *stub_worker_pick(uint8_t which);

/* Returns the first worker, which is not malicious. */
struct stub_worker *stub_worker_honest(void);

/* Acts as a correct worker: reads all pending messages and answers them. */
void stub_worker_serve(struct stub_worker *w);

/* Act as @in describes: send a message, make a system call, write to the log, or exit. */
void stub_worker_send(struct stub_worker *w, struct input *in);
void stub_worker_ask(struct stub_worker *w, struct input *in);
void stub_worker_say(struct stub_worker *w, struct input *in);
void stub_worker_exit(struct stub_worker *w, int status);

/* Ends the workers that were killed. Returns false if there were none. */
bool stub_workers_die(void);

/* Returns true if a worker of this party is still running. */
bool stub_workers_have(uint8_t party);

/* Aborts if a worker is left at the end of the execution. */
void stub_workers_check(void);

#endif

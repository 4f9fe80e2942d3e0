/* SPDX-License-Identifier: MIT */
/*
 * Threads that compile shaders: they run the gate and have the host compile its output.
 *
 * The main thread adds a shader when it decodes the packet, or earlier (shader_prefetch.h), and
 * calls compiler_finish() when it needs the code. `lock` protects the lists of waiting and compiled
 * shaders. The compiling thread owns a shader until `progress` is SHADER_COMPILED, except for its
 * `object`, which the main thread owns. The compiler holds a reference to a shader until the main
 * thread collects it or takes it back.
 */
#ifndef EXEC_COMPILER_H
#define EXEC_COMPILER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "exec/watch.h"

struct shader;
struct exec;

#define COMPILER_SHADERS 256			/* limit of waiting shaders */
#define COMPILER_DWORDS (4u << 20)		/* limit of their code */

struct compiler {
	pthread_t threads[COMPILER_THREADS];
	/* 0: compiler_add() compiles on the calling thread */
	uint32_t n_threads;
	/* eventfd; written when a shader is compiled, or taken back */
	int event;
	atomic_uint n_started;
	pthread_mutex_t lock;
	/* signalled when a shader waits; when one is compiled */
	pthread_cond_t more, less;
	struct shader *first, *last;		/* list of waiting shaders */
	uint32_t n_shaders;
	uint64_t dwords;			/* size of their code */
	/* references that the compiler holds; owned by the main thread */
	uint32_t n_held;
	/* list of compiled shaders that the main thread has not collected */
	struct shader *compiled;
};

bool compiler_init(struct exec *x);

/* The main thread calls all functions below. */

/* Queue @shader for compilation. Returns false if too many shaders wait already. */
bool compiler_queue(struct exec *x, struct shader *shader);

/* As compiler_queue(), or compile @shader at once if it cannot be queued. */
void compiler_add(struct exec *x, struct shader *shader);

/* Move @shader to the front of the queue, because the main thread waits for it. */
void compiler_hurry(struct exec *x, struct shader *shader);

/* Wait until @shader is compiled. If it still waits in the queue, the caller compiles it. */
void compiler_finish(struct exec *x, struct shader *shader);

/* Remove @shader from the queue if it still waits: its code is not needed any more. */
void compiler_forget(struct exec *x, struct shader *shader);

/* Drop the references to compiled shaders. */
void compiler_collect(struct exec *x);

#endif

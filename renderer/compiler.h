/* SPDX-License-Identifier: MIT */
/*
 * Threads that compile shaders: the gate, and what the host makes of its result.
 *
 * A shader is added when its packet is decoded, or seen ahead (ahead.h); who needs its code finishes it. What waits
 * and what is done is protected by `lock`. A shader belongs to the thread that compiles it until its `progress` says
 * SHADER_COMPILED, but for its object, which is the main thread's; until the main thread heard of that, or took it
 * back, the compiler holds a reference.
 */
#ifndef COMPILER_H
#define COMPILER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "watchdog.h"

struct shader;
struct worker;

#define COMPILER_SHADERS 256			/* that may wait */
#define COMPILER_DWORDS (4u << 20)		/* of code that may wait */

struct compiler {
	pthread_t threads[COMPILER_THREADS];
	uint32_t n_threads;			/* 0: whoever adds a shader compiles it */
	int event;				/* written when a shader is compiled, or will not be */
	atomic_uint n_started;
	pthread_mutex_t lock;
	pthread_cond_t more, less;		/* shaders wait; one is compiled */
	struct shader *first, *last;		/* that wait */
	uint32_t n_shaders;
	uint64_t dwords;			/* of their code */
	uint32_t n_held;			/* references that the compiler holds; the main thread's */
	struct shader *compiled;		/* that the main thread has not heard of */
};

bool compiler_init(struct worker *w);

/* Main thread, all of these. */

/* Have @shader compiled. False: too many wait already. */
bool compiler_queue(struct worker *w, struct shader *shader);

/* The same, or compile it now. */
void compiler_add(struct worker *w, struct shader *shader);

/* May @shader, which somebody waits for, be compiled next? */
void compiler_hurry(struct worker *w, struct shader *shader);

/* Wait for the code of @shader; nobody else is waited for. */
void compiler_finish(struct worker *w, struct shader *shader);

/* Nobody needs the code of @shader. */
void compiler_forget(struct worker *w, struct shader *shader);

/* Take back what is compiled. */
void compiler_collect(struct worker *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Creation and destruction of a context. Each file with functions of pipe_context has an
 * sdog_init_*_functions() that fills them in. Only this file calls all of them, so the others need
 * not know each other.
 */
#ifndef SUNDOG_CONTEXT_CREATE_H
#define SUNDOG_CONTEXT_CREATE_H

struct pipe_context;
struct pipe_screen;

struct pipe_context *
sdog_context_create(struct pipe_screen *pscreen, void *priv, unsigned flags);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The start and the end of a context. Every file that has functions of the context puts them in by
 * its sdog_init_*_functions(); this one knows them all, so that they need not know each other.
 */
#ifndef SUNDOG_CONTEXT_CREATE_H
#define SUNDOG_CONTEXT_CREATE_H

struct pipe_context;
struct pipe_screen;

struct pipe_context *
sdog_context_create(struct pipe_screen *pscreen, void *priv, unsigned flags);

#endif

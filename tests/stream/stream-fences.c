// SPDX-License-Identifier: MIT
/*
 * Submits more fences than the renderer keeps, from many contexts, behind work that takes a while:
 * each fence has to signal, although no submission follows it. Runs on the device that device.h
 * finds. Prints TAP.
 */
#include <err.h>
#include <stdio.h>
#include <time.h>

#include "device.h"
#include "patience.h"
#include "sundog.h"

#define SIZE (64ull << 20)
#define FILLS 40
#define CONTEXTS 20
/*
 * per context: fewer than a ring has, but over all contexts more than the 1024 that the renderer
 * keeps
 */
#define FENCES 60
#define ROUNDS 20

struct context {
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_fence *last;
};

static struct context context_new(struct sdrm_device *dev)
{
	struct context c = { .ctx = sdrm_context_new(dev) };

	c.submit = c.ctx ? sdrm_submit_new(c.ctx, 1024) : NULL;
	if (!c.submit)
		errx(1, "no context");
	return c;
}

static void context_del(struct context *c)
{
	sdrm_submit_del(c->submit);
	sdrm_context_del(c->ctx);
}

static void flush(struct context *c, struct sdrm_fence **fence)
{
	if (sdrm_submit_flush(c->submit, -1, fence))
		errx(1, "a submission was refused");
}

static void submit_fills(struct context *c, struct sdrm_bo *bo)
{
	const struct sundog_cmd_fill_buffer fill = { .dst = { .mem = sdrm_bo_mem(bo),
							      .size = SIZE } };

	sdrm_submit_add(c->submit, bo, SUNDOG_ACCESS_WRITE);
	for (int i = 0; i < FILLS; i++)
		sundog_emit_fill_buffer(sdrm_submit_stream(c->submit), &fill);
	flush(c, NULL);
}

/* Submits entries without work. */
static void submit_fences(struct context *c, struct sdrm_bo *bo)
{
	for (int i = 0; i < FENCES; i++) {
		sdrm_submit_add(c->submit, bo, SUNDOG_ACCESS_READ);
		flush(c, i < FENCES - 1 ? NULL : &c->last);
	}
}

static bool are_told(struct context *contexts, struct sdrm_bo *bo)
{
	const int64_t late = patience_end();
	bool ok = true;

	submit_fills(&contexts[0], bo);
	for (int i = 0; i < CONTEXTS; i++)
		submit_fences(&contexts[i], bo);
	for (int i = 0; i < CONTEXTS; i++) {
		ok &= !sdrm_fence_wait(contexts[i].last, late);
		sdrm_fence_del(contexts[i].last);
	}
	return ok;
}

int main(void)
{
	struct sdrm_device *dev = device_open();
	struct context contexts[CONTEXTS];
	struct sdrm_bo *bo;
	int round = 0;

	if (sdrm_bo_new(dev, SIZE, &bo))
		errx(1, "no memory");
	for (int i = 0; i < CONTEXTS; i++)
		contexts[i] = context_new(dev);
	while (round < ROUNDS && are_told(contexts, bo))
		round++;
	printf("1..1\n%s 1 - fences behind work are told of, %d times\n",
	       round == ROUNDS ? "ok" : "not ok", round);
	for (int i = 0; i < CONTEXTS; i++)
		context_del(&contexts[i]);
	sdrm_bo_del(bo);
	sdrm_device_del(dev);
	return round < ROUNDS;
}

// SPDX-License-Identifier: MIT
/*
 * Measures the time that a thread spends in one submission which uses N buffers of a page each:
 * listed by the submission one by one, or on a residency list. The previous submission is complete
 * before the next one begins. Each kind runs for at least the given time, so that costs that the
 * driver defers to one submission in many are included. Prints JSON lines. Runs on the device that
 * device.h finds.
 *
 * usage: list-rate [SECONDS [N...]]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "rate.h"
#include "sundog.h"

#define SIZE 4096

struct bench {
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_bo **bos;
	struct sdrm_reslist *list;
	unsigned long n;
};

static void set_up(struct bench *b)
{
	b->ctx = sdrm_context_new(b->dev);
	b->submit = b->ctx ? sdrm_submit_new(b->ctx, 1024) : NULL;
	b->bos = calloc(b->n, sizeof(*b->bos));
	if (!b->submit || !b->bos || sdrm_reslist_new(b->dev, &b->list))
		errx(1, "no context or no residency list");
	for (unsigned long i = 0; i < b->n; i++)
		if (sdrm_bo_new_private(b->dev, SIZE, &b->bos[i]) ||
		    sdrm_reslist_set(b->list, b->bos[i], SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE))
			errx(1, "buffer %lu of %lu: out of memory, or the list is full", i, b->n);
}

static void tear_down(struct bench *b)
{
	sdrm_reslist_del(b->list);
	for (unsigned long i = 0; i < b->n; i++)
		sdrm_bo_del(b->bos[i]);
	free(b->bos);
	sdrm_submit_del(b->submit);
	sdrm_context_del(b->ctx);
}

/* Submits once, waits until that is complete, and returns the time of the submission alone. */
static double submit(struct bench *b, bool listed)
{
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = sdrm_bo_mem(b->bos[0]), .size = 4 },
	};
	struct sdrm_fence *fence;
	double start, end;

	sundog_emit_fill_buffer(sdrm_submit_stream(b->submit), &fill);
	start = rate_now();
	for (unsigned long i = 0; i < (listed ? b->n : 0); i++)
		if (sdrm_submit_add(b->submit, b->bos[i], SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE))
			errx(1, "buffer %lu of %lu: the list is full", i, b->n);
	if (sdrm_submit_flush(b->submit, -1, &fence))
		errx(1, "the submission was refused");
	end = rate_now();
	if (sdrm_fence_wait(fence, INT64_MAX))
		errx(1, "the context is lost");
	sdrm_fence_del(fence);
	return end - start;
}

static void measure(struct bench *b, bool listed, double seconds)
{
	struct rate rate;
	double busy = 0;

	sdrm_submit_set_reslist(b->submit, listed ? NULL : b->list);
	submit(b, listed);
	rate = rate_begin(seconds);
	do
		busy += submit(b, listed);
	while (rate_add(&rate, 1));
	printf("{\"group\": \"lists\", \"buffers\": %lu, \"listed\": \"%s\", "
	       "\"submissions\": %.0f, \"ns_per_submission\": %.0f}\n", b->n,
	       listed ? "one by one" : "residency list", rate.done, busy / rate.done * 1e9);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static char *defaults[] = { "16", "1024", "7000" };
	const double seconds = argc > 1 ? atof(argv[1]) : 2.0;
	char **counts = argc > 2 ? argv + 2 : defaults;
	const int n_counts = argc > 2 ? argc - 2 : 3;
	struct bench b = { .dev = device_open() };

	for (int i = 0; i < n_counts; i++) {
		b.n = strtoul(counts[i], NULL, 0);
		if (!b.n)
			errx(1, "'%s' is not a number of buffers", counts[i]);
		set_up(&b);
		measure(&b, true, seconds);
		measure(&b, false, seconds);
		tear_down(&b);
	}
	sdrm_device_del(b.dev);
	return 0;
}

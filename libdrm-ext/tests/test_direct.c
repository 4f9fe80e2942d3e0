// SPDX-License-Identifier: MIT
/*
 * Unit test of the direct back end with a fake renderer: rings that fill up and wrap, memory that
 * must not be reused early, waits, faults, lost connections, resources.
 */
#include "check.h"
#include "fake_renderer.h"
#include "sundog.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VRAM (8u << 20)
#define PAGE 4096

static struct fake_renderer fake;

static struct sdrm_device *begin_with(uint64_t vram)
{
	struct sdrm_device *dev;

	memset(&fake, 0, sizeof(fake));
	fake_renderer_start(&fake);
	dev = sdrm_device_new_direct(fake.path, vram);
	CHECK(dev && sdrm_device_vram_size(dev) == vram && sdrm_device_fd(dev) == -1);
	return dev;
}

static struct sdrm_device *begin(void)
{
	return begin_with(VRAM);
}

static void end(struct sdrm_device *dev)
{
	sdrm_device_del(dev);
	fake_renderer_join(&fake);
}

static void emit(struct sdrm_submit *submit, uint32_t verb, uint32_t value, uint32_t handles)
{
	const struct fake_order order = { verb, value, handles };
	const struct sundog_cmd_nop nop = { .count = sizeof(order) / 4 };

	sundog_emit_nop(sdrm_submit_stream(submit), &nop, (const uint32_t *)&order);
}

static int64_t now_plus(int64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + ns;
}

static struct sdrm_bo *new_bo(struct sdrm_device *dev, uint64_t size, uint32_t value)
{
	struct sdrm_bo *bo;
	uint32_t *map;

	CHECK(!sdrm_bo_new(dev, size, &bo));
	map = sdrm_bo_map(bo);
	for (uint64_t i = 0; i < size / 4; i++)
		CHECK(!map[i]);
	map[0] = value;
	map[size / 4 - 1] = value;
	return bo;
}

/* Queues more submissions than the ring has slots, with more list entries than fit, and allocates
 * more memory in total than VRAM has. */
static void *run_ring(void *arg)
{
	struct sdrm_device *dev = arg;
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_fence *fence;
	unsigned int seed = 1;

	CHECK(ctx && submit);
	for (uint32_t i = 1; i <= 3000; i++) {
		uint32_t count = rand_r(&seed) % (i % 100 ? 8 : 500);
		uint32_t handles = 0;

		while (count--) {
			struct sdrm_bo *bo = new_bo(dev, PAGE, i);

			CHECK(!sdrm_submit_add(submit, bo, SUNDOG_ACCESS_READ));
			CHECK(!sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
			CHECK(sdrm_submit_access(submit, bo) ==
			      (SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE));
			handles += sdrm_bo_mem(bo).index;
			sdrm_bo_del(bo);
		}
		emit(submit, FAKE_CHECK, i, handles);
		CHECK(!sdrm_submit_flush(submit, -1, i % 50 ? NULL : &fence));
		if (i % 50 == 0) {
			CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
			sdrm_fence_del(fence);
		}
	}
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	sdrm_fence_del(fence);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	return NULL;
}

static void test_ring(void)
{
	struct sdrm_device *dev = begin();
	pthread_t threads[3];
	struct sdrm_bo *bo;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run_ring, dev);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK(atomic_load(&fake.done) == 9000);
	CHECK(!sdrm_bo_new(dev, VRAM, &bo));		/* all of it is free again */
	sdrm_bo_del(bo);
	end(dev);
}

enum { LISTED = 1000 };

static void *run_lists(void *arg)
{
	struct sdrm_device *dev = arg;
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_bo *bos[LISTED];

	for (int i = 0; i < LISTED; i++)
		bos[i] = new_bo(dev, PAGE, 1);
	for (int round = 0; round < 100; round++) {
		uint32_t handles = 0;

		for (int i = round; i < LISTED; i++) {
			CHECK(!sdrm_submit_add(submit, bos[i], SUNDOG_ACCESS_READ));
			handles += sdrm_bo_mem(bos[i]).index;
		}
		emit(submit, FAKE_CHECK, 1, handles);
		CHECK(!sdrm_submit_flush(submit, -1, NULL));
	}
	for (int i = 0; i < LISTED; i++)
		sdrm_bo_del(bos[i]);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	return NULL;
}

/* A submission must wait for the worker if the list is full, even if the ring is not. */
static void test_lists(void)
{
	struct sdrm_device *dev = begin();
	pthread_t thread;

	fake.hold = true;
	pthread_create(&thread, NULL, run_lists, dev);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	fake.hold = false;
	pthread_join(thread, NULL);
	end(dev);
}

enum { GATES = 3000 };

struct waiter {
	pthread_t thread;
	struct sdrm_fence *fence;
	struct sdrm_bo *bo;
};

static void *run_waiter(void *arg)
{
	struct waiter *waiter = arg;

	CHECK(!sdrm_fence_wait(waiter->fence, SDRM_FOREVER));
	CHECK(!sdrm_bo_wait(waiter->bo, true, now_plus(60000000000ll)));
	return NULL;
}

static void test_wait(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct waiter waiters[8];

	fake.hold = true;
	for (uint32_t i = 0; i < 8; i++) {
		waiters[i].bo = new_bo(dev, PAGE, i);
		emit(submit, FAKE_CHECK, i, sdrm_bo_mem(waiters[i].bo).index);
		CHECK(!sdrm_submit_add(submit, waiters[i].bo, SUNDOG_ACCESS_READ));
		CHECK(!sdrm_submit_flush(submit, -1, &waiters[i].fence));
		CHECK(sdrm_fence_wait(waiters[i].fence, 0) == -ETIME);
		CHECK(sdrm_fence_wait(waiters[i].fence, now_plus(2000000)) == -ETIME);
		CHECK(!sdrm_bo_wait(waiters[i].bo, false, 0));
		CHECK(sdrm_bo_wait(waiters[i].bo, true, 0) == -ETIME);
	}
	for (int i = 7; i >= 0; i--)
		pthread_create(&waiters[i].thread, NULL, run_waiter, &waiters[i]);
	fake.hold = false;
	for (int i = 0; i < 8; i++) {
		pthread_join(waiters[i].thread, NULL);
		sdrm_fence_del(waiters[i].fence);
		sdrm_bo_del(waiters[i].bo);
	}
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

/* Two threads wait for one context; the second submission completes while its wait begins. */
static void test_wait_for_two(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_fence *first;
	struct waiter waiter;
	unsigned int seed = 1;

	waiter.bo = new_bo(dev, PAGE, 1);
	for (uint32_t round = 1; round < 2 * GATES; round += 2) {
		emit(submit, FAKE_GATE, round, 0);
		CHECK(!sdrm_submit_flush(submit, -1, &first));
		emit(submit, FAKE_GATE, round + 1, 0);
		CHECK(!sdrm_submit_flush(submit, -1, &waiter.fence));
		pthread_create(&waiter.thread, NULL, run_waiter, &waiter);
		usleep(100);
		fake.gate = round;
		for (volatile int i = rand_r(&seed) % 100; i; i--)
			;
		CHECK(!sdrm_fence_wait(first, SDRM_FOREVER));
		fake.gate = round + 1;
		pthread_join(waiter.thread, NULL);
		sdrm_fence_del(first);
		sdrm_fence_del(waiter.fence);
	}
	sdrm_bo_del(waiter.bo);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

static void *run_release(void *arg)
{
	(void)arg;
	usleep(20000);
	fake.hold = false;
	return NULL;
}

/* The deletion of a context waits for its queued submissions. */
static void test_last_work(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	pthread_t thread;

	fake.hold = true;
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	sdrm_submit_del(submit);
	pthread_create(&thread, NULL, run_release, NULL);
	sdrm_context_del(ctx);
	CHECK(fake.done == 1);
	pthread_join(thread, NULL);
	end(dev);
}

static void check_lost(struct sdrm_context *ctx, struct sdrm_submit *submit)
{
	struct sdrm_fence *fence;

	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(sdrm_fence_wait(fence, SDRM_FOREVER) == -EIO);
	sdrm_fence_del(fence);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(sdrm_submit_flush(submit, -1, &fence) == -EIO);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
}

static void test_fault(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *bad = sdrm_context_new(dev), *good = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(bad, 64);
	struct sdrm_context_status status;
	struct sdrm_fence *fence;
	struct sdrm_bo *bo = new_bo(dev, VRAM / 2, 1);

	CHECK(!sdrm_context_query(bad, &status) && status.state == SDRM_CONTEXT_RUNNING);
	CHECK(!status.guilty && !sdrm_context_is_lost(bad));
	sdrm_context_ref(bad);
	emit(submit, FAKE_FAULT, 0, 0);
	CHECK(!sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
	check_lost(bad, submit);
	CHECK(!sdrm_context_query(bad, &status));
	CHECK(status.state == SDRM_CONTEXT_ENDED);
	CHECK(status.guilty && sdrm_context_is_lost(bad));
	CHECK(status.fault == SUNDOG_FAULT_CODE_OPCODE);
	CHECK(status.seqno == 1 && status.offset == 4 && status.arg == 5);
	CHECK(!sdrm_bo_wait(bo, true, 0));
	sdrm_bo_del(bo);
	sdrm_bo_del(new_bo(dev, VRAM / 2, 1));
	sdrm_context_del(bad);

	submit = sdrm_submit_new(good, 64);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	sdrm_fence_del(fence);
	sdrm_submit_del(submit);
	sdrm_context_del(good);
	end(dev);
}

/* The worker of two contexts ends: the one with a queued submission is guilty, the idle one not. */
static void test_crash(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *guilty = sdrm_context_new(dev), *idle = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(guilty, 64);
	struct sdrm_context_status status;

	sdrm_context_ref(guilty);
	emit(submit, FAKE_CRASH, 0, 0);
	check_lost(guilty, submit);
	CHECK(!sdrm_context_query(guilty, &status));
	CHECK(status.state == SDRM_CONTEXT_ENDED && status.guilty);
	CHECK(status.fault == SUNDOG_FAULT_CODE_WORKER);
	while (!sdrm_context_is_lost(idle))
		usleep(1000);
	CHECK(!sdrm_context_query(idle, &status));
	CHECK(status.state == SDRM_CONTEXT_ENDED && !status.guilty);
	CHECK(status.fault == SUNDOG_FAULT_CODE_WORKER);
	sdrm_context_del(guilty);
	sdrm_context_del(idle);
	end(dev);
}

static void wait_ended(struct sdrm_context *ctx, struct sdrm_context_status *status)
{
	do {
		usleep(1000);
		CHECK(!sdrm_context_query(ctx, status));
	} while (status->state != SDRM_CONTEXT_ENDED);
}

/* The worker names the submission at which it ends: all other contexts are innocent, even if
 * another context has the channel of the guilty one when they are queried. */
static void test_blame(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *guilty = sdrm_context_new(dev), *busy = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(busy, 64);
	struct sdrm_context_status status;

	emit(submit, FAKE_GATE, fake.gate + 1, 0);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	sdrm_submit_del(submit);
	submit = sdrm_submit_new(guilty, 64);
	emit(submit, FAKE_BLAME, 0, 0);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	sdrm_submit_del(submit);
	wait_ended(guilty, &status);
	CHECK(status.guilty && status.fault == SUNDOG_FAULT_CODE_WORKER && status.seqno == 1);
	sdrm_context_del(guilty);
	/* One of these contexts reuses the channel of the guilty one. */
	for (int i = 0; i < 50; i++) {
		sdrm_context_del(sdrm_context_new(dev));
		usleep(1000);
	}
	wait_ended(busy, &status);
	CHECK(!status.guilty && status.fault == SUNDOG_FAULT_CODE_WORKER && !status.seqno);
	sdrm_context_del(busy);
	end(dev);
}

/* If workers ended while their clients had no channel, the creation of a context tries new clients,
 * and fails only after several of these. */
static void test_unnoticed_end(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx;

	fake.ended = 2;
	ctx = sdrm_context_new(dev);
	CHECK(ctx && !sdrm_context_is_lost(ctx));
	sdrm_context_del(ctx);
	fake.ended = 1000;
	CHECK(!sdrm_context_new(dev) && errno == EIO);
	fake.ended = 0;
	ctx = sdrm_context_new(dev);
	CHECK(ctx);
	sdrm_context_del(ctx);
	end(dev);
}

static void test_connection_lost(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_context_status status;

	sdrm_context_ref(ctx);
	emit(submit, FAKE_CLOSE, 0, 0);
	check_lost(ctx, submit);
	CHECK(!sdrm_context_query(ctx, &status));
	CHECK(status.state == SDRM_CONTEXT_ENDED && sdrm_context_is_lost(ctx));
	CHECK(status.fault == SDRM_FAULT_DEVICE && !status.guilty);
	sdrm_context_del(ctx);
	CHECK(!sdrm_context_new(dev) && errno == EIO);
	end(dev);
}

/* A residency list takes as many buffers as a submission. */
static void test_full_reslist(void)
{
	struct sdrm_device *dev = begin_with(8 * VRAM);
	struct sdrm_reslist *list;
	struct sdrm_bo *bo;

	CHECK(!sdrm_reslist_new(dev, &list));
	for (uint32_t i = 0; i < SUNDOG_LIST_ENTRIES; i++) {
		CHECK(!sdrm_bo_new(dev, PAGE, &bo));
		CHECK(!sdrm_reslist_set(list, bo, SUNDOG_ACCESS_READ));
		sdrm_bo_del(bo);
	}
	CHECK(!sdrm_bo_new(dev, PAGE, &bo));
	CHECK(sdrm_reslist_set(list, bo, SUNDOG_ACCESS_READ) == -EDQUOT);
	sdrm_bo_del(bo);
	sdrm_reslist_del(list);
	end(dev);
}

/* The buffers on a residency list are listed with each submission until they are removed. */
static void test_reslist(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_bo *a = new_bo(dev, PAGE, 7), *b = new_bo(dev, PAGE, 7);
	const uint32_t handle_a = sdrm_bo_mem(a).index, handle_b = sdrm_bo_mem(b).index;
	struct sdrm_reslist *list;
	struct sdrm_fence *fence;

	CHECK(!sdrm_reslist_new(dev, &list));
	CHECK(sdrm_reslist_set(list, a, 0) == -ENOENT);
	CHECK(sdrm_reslist_set(list, a, 8) == -EINVAL);
	CHECK(!sdrm_reslist_set(list, a, SUNDOG_ACCESS_READ));
	CHECK(!sdrm_reslist_set(list, b, SUNDOG_ACCESS_WRITE));
	sdrm_submit_set_reslist(submit, list);
	for (int i = 0; i < 2; i++) {
		emit(submit, FAKE_CHECK, 7, handle_a + handle_b);
		CHECK(!sdrm_submit_flush(submit, -1, &fence));
		CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
		sdrm_fence_del(fence);
	}
	CHECK(!sdrm_reslist_set(list, b, 0));
	sdrm_bo_del(b);
	CHECK(!sdrm_submit_add(submit, a, SUNDOG_ACCESS_WRITE));
	emit(submit, FAKE_CHECK, 7, handle_a);
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	sdrm_fence_del(fence);
	sdrm_submit_set_reslist(submit, NULL);
	emit(submit, FAKE_CHECK, 7, 0);
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	sdrm_fence_del(fence);
	sdrm_bo_del(a);
	sdrm_reslist_del(list);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

static void test_overflow(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 10);
	struct sdrm_fence *fence;

	for (int i = 0; i < 3; i++)
		emit(submit, FAKE_CHECK, 0, 0);
	CHECK(sdrm_submit_flush(submit, -1, &fence) == -EOVERFLOW);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	CHECK(sdrm_fence_export(fence) == -EOPNOTSUPP);
	sdrm_fence_del(fence);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

/* sdrm_submit_reserve() enlarges the current stream only, not those after it. */
static void test_reserve(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 1);
	struct sundog_stream *stream = sdrm_submit_stream(submit);
	struct sdrm_fence *fence;
	uint32_t check;

	CHECK(sdrm_submit_reserve(submit, 0) == -EINVAL);
	CHECK(sdrm_submit_reserve(submit, SUNDOG_MAX_STREAM_DWORDS + 1) == -EINVAL);
	CHECK(!sdrm_submit_reserve(submit, 64));
	emit(submit, FAKE_CHECK, 0, 0);
	check = stream->used;
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	for (uint32_t n = 1; n < 100000; n *= 10) {
		CHECK(!sdrm_submit_reserve(submit, n * check) && stream->size == n * check);
		CHECK(!sdrm_submit_reserve(submit, 1) && stream->size == n * check);
		for (uint32_t i = 0; i < n; i++)
			emit(submit, FAKE_CHECK, 0, 0);
		CHECK(sdrm_submit_reserve(submit, 2 * n * check) == -EBUSY);
		CHECK(!sdrm_submit_flush(submit, -1, &fence));
		CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
		CHECK(stream->size == 1);
		sdrm_fence_del(fence);
	}
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

static void test_contexts(void)
{
	struct sdrm_device *dev = begin();
	struct sdrm_context *all[SUNDOG_MAX_CHANNELS];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
			all[i] = sdrm_context_new(dev);
			CHECK(all[i]);
		}
		CHECK(!sdrm_context_new(dev) && errno == EBUSY);
		for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++)
			sdrm_context_del(all[i]);
	}
	end(dev);
}

/* A BO that gets the handle of a listed and freed BO is not listed in its place. */
static void test_freed_while_listed(void)
{
	static const uint64_t sizes[] = { PAGE, PAGE };
	static const uint32_t first, second = 1;
	struct sdrm_device *dev = begin();
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = sdrm_submit_new(ctx, 64);
	struct sdrm_resource *res;
	struct sdrm_reslist *list;
	struct sdrm_bo *a, *b;

	CHECK(!sdrm_resource_new(dev, 0, sizes, 2, NULL, 0, &res));
	CHECK(!sdrm_reslist_new(dev, &list));
	a = sdrm_resource_bo(res, 0);
	CHECK(!sdrm_reslist_set(list, a, SUNDOG_ACCESS_READ));
	CHECK(!sdrm_allocation_destroy(dev, res, &first, 1, 0));
	b = new_bo(dev, PAGE, 7);
	CHECK(sdrm_reslist_set(list, b, 0) == -ENOENT);
	CHECK(!sdrm_reslist_set(list, b, SUNDOG_ACCESS_READ));
	sdrm_submit_set_reslist(submit, list);
	emit(submit, FAKE_CHECK, 7, sdrm_bo_mem(b).index);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	CHECK(!sdrm_reslist_set(list, b, 0));
	CHECK(sdrm_reslist_set(list, a, SUNDOG_ACCESS_READ) == -EINVAL);
	CHECK(!sdrm_reslist_set(list, a, 0) && sdrm_bo_size(b) == PAGE);
	sdrm_submit_set_reslist(submit, NULL);
	sdrm_bo_del(b);

	CHECK(!sdrm_submit_add(submit, sdrm_resource_bo(res, 1), SUNDOG_ACCESS_READ));
	CHECK(!sdrm_allocation_destroy(dev, res, &second, 1, 0));
	b = new_bo(dev, PAGE, 7);
	CHECK(!sdrm_submit_access(submit, b));
	CHECK(!sdrm_submit_add(submit, b, SUNDOG_ACCESS_READ));
	emit(submit, FAKE_CHECK, 7, sdrm_bo_mem(b).index);
	CHECK(sdrm_submit_flush(submit, -1, NULL) == -ENOENT);
	CHECK(!sdrm_submit_add(submit, b, SUNDOG_ACCESS_READ));
	emit(submit, FAKE_CHECK, 7, sdrm_bo_mem(b).index);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	CHECK(!sdrm_context_is_lost(ctx));
	sdrm_bo_del(b);
	sdrm_reslist_del(list);
	sdrm_resource_del(res);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	end(dev);
}

static void test_resources(void)
{
	const uint64_t sizes[] = { 1, PAGE, 3 * PAGE + 1 };
	struct sdrm_device *dev = begin();
	struct sdrm_resource *a, *b;
	struct sdrm_bo *bo, *held;
	uint32_t indices[] = { 1, 1, 0 };
	size_t size;

	CHECK(!sdrm_resource_new(dev, 0, NULL, 0, "priv", 5, &a));
	CHECK(!sdrm_resource_kres(a) && !sdrm_resource_count(a));
	CHECK(!strcmp(sdrm_resource_private(a, &size), "priv") && size == 5);
	CHECK(!sdrm_resource_add(a, sizes, 1, &bo));
	CHECK(sdrm_resource_kres(a) && sdrm_bo_mem(bo).kres == sdrm_resource_kres(a));
	CHECK(sdrm_bo_size(bo) == PAGE && !sdrm_bo_mem(bo).index);
	CHECK(!sdrm_resource_add(a, sizes, 1, &bo) && sdrm_bo_mem(bo).index == 1);

	CHECK(!sdrm_resource_new(dev, SDRM_RESOURCE_SHARED, sizes, 3, NULL, 0, &b));
	CHECK(sdrm_resource_kres(b) && sdrm_resource_kres(b) != sdrm_resource_kres(a));
	CHECK(sdrm_bo_size(sdrm_resource_bo(b, 2)) == 4 * PAGE);
	CHECK(!sdrm_resource_bo(b, 3));
	CHECK(sdrm_resource_add(b, sizes, 1, &bo) == -EBUSY);
	CHECK(sdrm_allocation_destroy(dev, b, indices, 1, 0) == -EBUSY);

	CHECK(sdrm_allocation_destroy(dev, a, indices, 2, 0) == -EINVAL);
	CHECK(sdrm_resource_bo(a, 0) && sdrm_resource_bo(a, 1));
	held = sdrm_bo_ref(sdrm_resource_bo(a, 0));
	CHECK(!sdrm_allocation_destroy(dev, a, indices + 1, 2, 0));
	CHECK(!sdrm_resource_bo(a, 0) && sdrm_resource_kres(a));
	CHECK(!sdrm_resource_add(a, sizes, 1, &bo) && !sdrm_bo_mem(bo).index);
	sdrm_bo_del(held);

	CHECK(sdrm_resource_is_unique(a));
	held = sdrm_bo_ref(bo);
	CHECK(!sdrm_resource_is_unique(a));
	CHECK(!sdrm_allocation_destroy(dev, a, NULL, 0, SDRM_DESTROY_RESOURCE));
	CHECK(sdrm_bo_map(held));
	sdrm_bo_del(held);
	sdrm_resource_del(b);
	CHECK(!sdrm_bo_new(dev, VRAM, &bo));
	CHECK(sdrm_bo_new(dev, 1, &held) == -ENOSPC);
	CHECK(sdrm_bo_new(dev, 0, &held) == -EINVAL);
	CHECK(sdrm_bo_new(dev, UINT64_MAX, &held) == -EINVAL);
	sdrm_bo_del(bo);
	end(dev);
}

/* Returns true if a device cannot be created, with this error and the words on stderr. */
static bool is_refused(int error, const char *words)
{
	char text[1024] = "";
	const int own = dup(STDERR_FILENO);
	struct sdrm_device *dev;
	int ends[2], got;

	CHECK(own >= 0 && !pipe(ends));
	dup2(ends[1], STDERR_FILENO);
	fake_renderer_start(&fake);
	dev = sdrm_device_new_direct(fake.path, VRAM);
	got = errno;
	dup2(own, STDERR_FILENO);
	close(own);
	close(ends[1]);
	CHECK(read(ends[0], text, sizeof(text) - 1) >= 0);
	close(ends[0]);
	fake_renderer_join(&fake);
	return !dev && got == error && strstr(text, words);
}

static void test_refusals(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.refusal = "no place";
	CHECK(is_refused(ECONNABORTED, "the renderer says: no place\n"));
	memset(&fake, 0, sizeof(fake));
	fake.version = 77u << 16 | 3;
	CHECK(is_refused(EPROTONOSUPPORT, "the renderer's protocol is 77.3, this library needs "));
}

int main(void)
{
	test_refusals();
	test_resources();
	test_wait();
	test_wait_for_two();
	test_last_work();
	test_fault();
	test_crash();
	test_blame();
	test_unnoticed_end();
	test_connection_lost();
	test_reslist();
	test_full_reslist();
	test_freed_while_listed();
	test_overflow();
	test_reserve();
	test_contexts();
	test_lists();
	test_ring();
	return 0;
}

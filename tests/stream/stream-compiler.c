// SPDX-License-Identifier: MIT
/*
 * Tests shaders that take long to compile: only contexts that bind them wait. Also tests shaders
 * that are destroyed, refused or duplicated before they are compiled. Runs on the device that
 * device.h finds. Prints TAP.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "patience.h"
#include "sundog.h"

#include "long.comp.h"
#include "quick.comp.h"
#include "unroll.comp.h"

#define STREAM_DWORDS (1u << 20)
#define WORDS_SIZE 65536
#define N_LONG 6		/* more than there are compiler threads */
#define N_MANY 400		/* more than the queue holds */
#define N_ROUNDS 50
#define N_TRIES 30
#define N_IDLE 400000		/* packets that take some time and do nothing */

/* Ids of the shaders of all contexts. Ids from ID_ROW on are for rows of shaders. */
enum { ID_QUICK = 1, ID_OTHER, ID_LONG, ID_REFUSED, ID_ROW };

struct context {
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
};

static struct sdrm_bo *words;
static unsigned int count, failures;

static void result(bool ok, const char *name)
{
	printf("%s %u - %s\n", ok ? "ok" : "not ok", ++count, name);
	fflush(stdout);
	failures += !ok;
}

static struct context context_new(struct sdrm_device *dev)
{
	struct context c = { .ctx = sdrm_context_new(dev) };

	c.submit = c.ctx ? sdrm_submit_new(c.ctx, STREAM_DWORDS) : NULL;
	if (!c.submit)
		errx(1, "no context");
	return c;
}

static void context_del(const struct context *c)
{
	sdrm_submit_del(c->submit);
	sdrm_context_del(c->ctx);
}

static void create(const struct context *c, uint32_t id, const uint32_t *code, size_t size)
{
	const struct sundog_cmd_create_shader shader = {
		.id = id, .stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
		.n_dwords = size / 4,
	};

	sundog_emit_create_shader(sdrm_submit_stream(c->submit), &shader, code);
}

static void create_quick(const struct context *c, uint32_t id)
{
	create(c, id, quick_comp, sizeof(quick_comp));
}

static void create_long(const struct context *c, uint32_t id)
{
	create(c, id, long_comp, sizeof(long_comp));
}

static void destroy(const struct context *c, uint32_t id)
{
	sundog_emit_destroy(sdrm_submit_stream(c->submit), &(struct sundog_cmd_destroy){
		.id = id, .kind = SUNDOG_OBJECT_KIND_SHADER });
}

static void bind(const struct context *c, uint32_t id)
{
	sundog_emit_bind_shaders(sdrm_submit_stream(c->submit), &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = id } });
}

/* Dispatches quick.comp, which stores @first * 3 + 1 and so on. */
static void use(const struct context *c, uint32_t id, uint32_t first)
{
	const struct sundog_mem_range ssbo = { sdrm_bo_mem(words), 0, WORDS_SIZE };
	struct sundog_stream *s = sdrm_submit_stream(c->submit);
	const uint32_t push[2] = { 0, first };

	sdrm_submit_add(c->submit, words, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	bind(c, id);
	sundog_emit_bind_ssbos(s, &(struct sundog_cmd_bind_ssbos){
		.stage = SUNDOG_STAGE_COMPUTE, .count = 1 }, &ssbo);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ .count = 2 }, push);
	sundog_emit_dispatch(s, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
}

static struct sdrm_fence *submit(const struct context *c)
{
	struct sdrm_fence *fence;

	if (sdrm_submit_flush(c->submit, -1, &fence))
		errx(1, "a submission was refused");
	return fence;
}

static bool is_done(struct sdrm_fence *fence)
{
	return !sdrm_fence_wait(fence, 0);
}

static bool ends(struct sdrm_fence *fence)
{
	const bool ok = !sdrm_fence_wait(fence, SDRM_FOREVER);

	sdrm_fence_del(fence);
	return ok;
}

static bool stored(uint32_t first)
{
	return ((const uint32_t *)sdrm_bo_map(words))[first] == first * 3 + 1;
}

static bool fault_is(const struct context *c, enum sundog_fault_code code)
{
	struct sdrm_context_status status;

	return !sdrm_context_query(c->ctx, &status) && status.fault == code;
}

/*
 * Results of a test with a slow shader. @before: the work that does not need it ended well before
 * it was compiled. @slow: the work that binds it succeeded. @destroyed: its destruction succeeded.
 */
struct seen {
	bool before, slow, destroyed;
};

/*
 * Returns true if @quick ends well before @slow: work that waited for the same shader would end
 * with it.
 */
static bool ends_before(struct sdrm_fence *quick, struct sdrm_fence *slow)
{
	const bool ok = ends(quick);

	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	return ok && !is_done(slow);
}

/* Binding waits: no work that uses a shader starts before it is compiled. */
static struct seen others_go_on(const struct context *a)
{
	const struct context *b = a + 1;
	struct sdrm_fence *slow, *quick;
	struct seen seen;

	create_long(a, ID_LONG);
	bind(a, ID_LONG);
	slow = submit(a);
	create_quick(b, ID_OTHER);
	use(b, ID_OTHER, 0);
	destroy(b, ID_OTHER);
	quick = submit(b);
	seen.before = ends_before(quick, slow);
	seen.slow = ends(slow);
	destroy(a, ID_LONG);
	seen.destroyed = ends(submit(a));
	return seen;
}

static struct seen own_goes_on(const struct context *a)
{
	struct sdrm_fence *quick, *slow;
	struct seen seen;

	create_long(a, ID_LONG);
	sdrm_fence_del(submit(a));
	use(a, ID_QUICK, 64);
	quick = submit(a);
	bind(a, ID_LONG);
	slow = submit(a);
	seen.before = ends_before(quick, slow);
	seen.slow = ends(slow);
	destroy(a, ID_LONG);
	seen.destroyed = ends(submit(a));
	return seen;
}

/* Repeats the test, since the machine may stall for as long as the compilation takes. */
static struct seen look(struct sdrm_device *dev, struct seen (*go_on)(const struct context *two))
{
	const struct context two[] = { context_new(dev), context_new(dev) };
	struct seen seen = { false };

	for (int i = 0; i < N_TRIES && !seen.before; i++)
		seen = go_on(two);
	context_del(&two[0]);
	context_del(&two[1]);
	return seen;
}

static void test_others(struct sdrm_device *dev)
{
	const struct seen seen = look(dev, others_go_on);

	result(seen.before && stored(63), "other contexts do not wait for a shader");
	result(seen.slow, "who binds it does");
	result(seen.destroyed, "it can be destroyed afterwards");
}

static void test_own(struct sdrm_device *dev)
{
	const struct context a = context_new(dev);
	struct seen seen;

	create_quick(&a, ID_QUICK);
	sdrm_fence_del(submit(&a));
	seen = look(dev, own_goes_on);
	result(seen.before && stored(127),
	       "nor do draws and dispatches of its own context that do without it");
	result(seen.slow && seen.destroyed, "those behind do");
	context_del(&a);
}

static void test_destroy(struct sdrm_device *dev)
{
	const struct context a = context_new(dev);
	bool ok;

	for (uint32_t i = 0; i < N_LONG; i++)
		create_long(&a, ID_ROW + i);
	ok = ends(submit(&a));
	for (uint32_t i = 0; i < N_LONG; i++)
		destroy(&a, ID_ROW + i);
	ok &= ends(submit(&a));
	result(ok, "shaders can be destroyed before they are compiled");
	for (uint32_t i = 0; i < N_LONG; i++) {
		create_long(&a, ID_ROW + i);
		destroy(&a, ID_ROW + i);
	}
	create_quick(&a, ID_ROW);
	use(&a, ID_ROW, 128);
	destroy(&a, ID_ROW);
	result(ends(submit(&a)) && stored(191),
	       "and in the stream that creates them, which has their ids again");
	context_del(&a);
}

static void test_many(struct sdrm_device *dev)
{
	const struct context a = context_new(dev);
	bool ok;

	for (uint32_t i = 0; i < N_MANY; i++)
		create_quick(&a, ID_ROW + i);
	for (uint32_t i = 0; i < N_MANY; i++)
		bind(&a, ID_ROW + i);
	use(&a, ID_ROW + N_MANY - 1, 192);
	for (uint32_t i = 0; i < N_MANY; i++)
		destroy(&a, ID_ROW + i);
	ok = ends(submit(&a)) && stored(255);
	result(ok, "more shaders than may wait are compiled");
	context_del(&a);
}

/*
 * A submission that waits for a shader which is destroyed before a thread compiles it gets an
 * error. All entries are queued when the first one ends. Whether the threads are slow enough then
 * is chance, unless the renderer has only one CPU.
 */
static bool ends_destroyed(const struct context *busy, const struct context *a,
			   struct sdrm_device *dev)
{
	const struct context b = context_new(dev);
	struct sdrm_fence *fence;
	bool ok;

	for (uint32_t i = 0; i < N_IDLE; i++)
		sundog_emit_bind_handles(sdrm_submit_stream(busy->submit),
					 &(struct sundog_cmd_bind_handles){ 0 });
	sdrm_fence_del(submit(busy));
	create_quick(a, ID_ROW);
	sdrm_fence_del(submit(a));
	bind(&b, ID_ROW);
	fence = submit(&b);
	destroy(a, ID_ROW);
	sdrm_fence_del(submit(a));
	ok = sdrm_fence_wait(fence, patience_end()) != -ETIME;
	sdrm_fence_del(fence);
	context_del(&b);
	return ok;
}

static void test_destroyed(struct sdrm_device *dev)
{
	const struct context busy = context_new(dev), a = context_new(dev);
	int i = 0;

	while (i < N_ROUNDS && ends_destroyed(&busy, &a, dev))
		i++;
	result(i == N_ROUNDS, "who waits for a shader hears that it is destroyed");
	context_del(&busy);
	context_del(&a);
}

/* Creates a shader whose header has a reserved word that is not 0. */
static void create_refused(const struct context *c)
{
	uint32_t code[sizeof(quick_comp) / 4];

	memcpy(code, quick_comp, sizeof(code));
	code[4] = 1;
	create(c, ID_REFUSED, code, sizeof(code));
}

static void test_refused(struct sdrm_device *dev)
{
	const struct context a = context_new(dev), b = context_new(dev);
	bool ok;

	create_refused(&a);
	bind(&a, ID_REFUSED);
	ok = ends(submit(&a));
	result(ok && fault_is(&a, SUNDOG_FAULT_CODE_NONE), "a refused shader may be bound");
	use(&a, ID_REFUSED, 256);
	ok = !ends(submit(&a));
	result(ok && fault_is(&a, SUNDOG_FAULT_CODE_SHADER), "but not used");
	use(&b, ID_QUICK, 256);
	result(ends(submit(&b)) && stored(319), "which others do not notice");
	context_del(&a);
	context_del(&b);
}

/* The renderer must not execute packets that follow a wrong packet. */
static void test_taken(struct sdrm_device *dev)
{
	const struct context a = context_new(dev), b = context_new(dev);
	bool ok;

	create_quick(&a, ID_QUICK);
	create_long(&a, ID_OTHER);
	ok = !ends(submit(&a));
	result(ok && fault_is(&a, SUNDOG_FAULT_CODE_OBJECT), "an id that is taken is refused");
	create_quick(&b, ID_OTHER);
	use(&b, ID_OTHER, 320);
	destroy(&b, ID_OTHER);
	result(ends(submit(&b)) && stored(383),
	       "and what its stream would have created is not there");
	context_del(&a);
	context_del(&b);
}

static void test_context_end(struct sdrm_device *dev)
{
	const struct context a = context_new(dev), b = context_new(dev);

	create_long(&a, ID_LONG);
	bind(&a, ID_LONG);
	sdrm_fence_del(submit(&a));
	context_del(&a);
	use(&b, ID_QUICK, 384);
	result(ends(submit(&b)) && stored(447), "a context may end while it waits");
	context_del(&b);
}

static void test_client_end(void)
{
	struct sdrm_device *dev = device_open();
	const struct context a = context_new(dev);

	for (uint32_t i = 0; i < N_LONG; i++)
		create_long(&a, ID_ROW + i);
	bind(&a, ID_ROW + N_LONG - 1);
	sdrm_fence_del(submit(&a));
	context_del(&a);
	sdrm_device_del(dev);
}

/*
 * The gate drops the hint of a loop. Otherwise the host unrolls all of its turns, which takes
 * gigabytes and longer than a compilation may.
 */
static void test_unroll(struct sdrm_device *dev)
{
	const struct context c = context_new(dev);

	create(&c, ID_ROW, unroll_comp, sizeof(unroll_comp));
	use(&c, ID_ROW, 0);
	result(ends(submit(&c)), "a loop of 20,000 turns that asks for unrolling is not unrolled");
	context_del(&c);
}

int main(void)
{
	struct sdrm_device *dev = device_open();

	if (sdrm_bo_new(dev, WORDS_SIZE, &words) || !sdrm_bo_map(words))
		errx(1, "no memory");
	test_others(dev);
	test_own(dev);
	test_destroy(dev);
	test_many(dev);
	test_destroyed(dev);
	test_refused(dev);
	test_taken(dev);
	test_context_end(dev);
	test_unroll(dev);
	sdrm_bo_del(words);
	sdrm_device_del(dev);
	test_client_end();
	dev = device_open();
	result(dev, "a client may end while its shaders are compiled, and there is another one");
	sdrm_device_del(dev);
	printf("1..%u\n", count);
	return failures != 0;
}

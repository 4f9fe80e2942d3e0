// SPDX-License-Identifier: MIT
/*
 * The compiler threads and their queue, see compiler.h.
 */
#include "exec/compiler.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "exec/exec.h"
#include "exec/shader.h"
#include "ipc/log.h"

/* Queue of waiting shaders. Caller holds the lock. */

static void push_first(struct compiler *c, struct shader *shader)
{
	shader->next = c->first;
	if (!c->first)
		c->last = shader;
	c->first = shader;
}

static void push_last(struct compiler *c, struct shader *shader)
{
	shader->next = NULL;
	if (c->first)
		c->last->next = shader;
	else
		c->first = shader;
	c->last = shader;
}

/* Returns false if @shader does not wait. */
static bool unlink_shader(struct compiler *c, struct shader *shader)
{
	struct shader **at = &c->first, *before = NULL;

	while (*at && *at != shader) {
		before = *at;
		at = &before->next;
	}
	if (!*at)
		return false;
	*at = shader->next;
	if (c->last == shader)
		c->last = before;
	return true;
}

static bool take_shader(struct compiler *c, struct shader *shader)
{
	if (!unlink_shader(c, shader))
		return false;
	c->n_shaders--;
	c->dwords -= shader_source_dwords(shader);
	return true;
}

/* Make the main thread look at the waiting entries again. */
static void tell(const struct compiler *c)
{
	const uint64_t one = 1;

	if (write(c->event, &one, sizeof(one)) < 0)
		log_debug("cannot signal a compiled shader: the eventfd is full");
}

/* The threads */

static void compile(struct exec *x, struct shader *shader, struct watch *watch)
{
	struct compiler *c = &x->compiler;

	work_set(&watch->work, &shader->work);
	watch_begin(&x->watches, watch);
	shader_compile(x, shader);
	watch_progress(watch);
	watch_end(watch);
	pthread_mutex_lock(&c->lock);
	shader->next = c->compiled;
	c->compiled = shader;
	shader->progress = SHADER_COMPILED;
	pthread_cond_signal(&c->less);
	pthread_mutex_unlock(&c->lock);
	tell(c);
}

static void *compiler_main(void *arg)
{
	struct exec *x = arg;
	struct compiler *c = &x->compiler;
	struct watch *watch = &x->watches.compile[c->n_started++];
	struct shader *shader;

	watch_init(watch);
	for (;;) {
		pthread_mutex_lock(&c->lock);
		while (!c->first)
			pthread_cond_wait(&c->more, &c->lock);
		shader = c->first;
		take_shader(c, shader);
		shader->progress = SHADER_COMPILES;
		pthread_mutex_unlock(&c->lock);
		compile(x, shader, watch);
	}
	return NULL;
}

bool compiler_init(struct exec *x)
{
	struct compiler *c = &x->compiler;

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	pthread_cond_init(&c->less, NULL);
	c->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->event < 0)
		return false;
	for (; c->n_threads < COMPILER_THREADS; c->n_threads++)
		if (pthread_create(&c->threads[c->n_threads], NULL, compiler_main, x))
			return false;
	return true;
}

/* The main thread */

static bool has_room(const struct compiler *c, uint32_t dwords)
{
	return c->n_threads && c->n_shaders < COMPILER_SHADERS &&
	       c->dwords + dwords <= COMPILER_DWORDS;
}

bool compiler_queue(struct exec *x, struct shader *shader)
{
	struct compiler *c = &x->compiler;
	const uint32_t dwords = shader_source_dwords(shader);
	bool room;

	pthread_mutex_lock(&c->lock);
	room = has_room(c, dwords);
	if (room) {
		object_ref(&shader->object);
		work_set(&shader->work, &x->watches.decode.work);
		c->n_held++;
		push_last(c, shader);
		c->n_shaders++;
		c->dwords += dwords;
		pthread_cond_signal(&c->more);
	}
	pthread_mutex_unlock(&c->lock);
	return room;
}

static void let_go(struct exec *x, struct shader *shader)
{
	x->compiler.n_held--;
	object_unref(x, &shader->object);
}

static void compile_now(struct exec *x, struct shader *shader)
{
	shader_compile(x, shader);
	shader->progress = SHADER_COMPILED;
}

void compiler_add(struct exec *x, struct shader *shader)
{
	if (!compiler_queue(x, shader))
		compile_now(x, shader);
}

void compiler_hurry(struct exec *x, struct shader *shader)
{
	struct compiler *c = &x->compiler;

	pthread_mutex_lock(&c->lock);
	if (c->first != shader && unlink_shader(c, shader))
		push_first(c, shader);
	pthread_mutex_unlock(&c->lock);
}

/*
 * Take @shader out of the queue before a thread compiles it. No compile event follows then, so wake
 * the main thread, where channels may wait for the shader. Returns false if a thread compiles or
 * has compiled it.
 */
static bool take_back(struct exec *x, struct shader *shader)
{
	struct compiler *c = &x->compiler;
	bool taken;

	pthread_mutex_lock(&c->lock);
	taken = take_shader(c, shader);
	pthread_mutex_unlock(&c->lock);
	if (taken) {
		let_go(x, shader);
		tell(c);
	}
	return taken;
}

void compiler_finish(struct exec *x, struct shader *shader)
{
	struct compiler *c = &x->compiler;

	if (shader->progress == SHADER_COMPILED)
		return;
	if (take_back(x, shader)) {
		compile_now(x, shader);
		return;
	}
	pthread_mutex_lock(&c->lock);
	while (shader->progress != SHADER_COMPILED)
		pthread_cond_wait(&c->less, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void compiler_forget(struct exec *x, struct shader *shader)
{
	if (shader->progress == SHADER_WAITS)
		take_back(x, shader);
}

void compiler_collect(struct exec *x)
{
	struct compiler *c = &x->compiler;
	struct shader *shader, *next;

	pthread_mutex_lock(&c->lock);
	shader = c->compiled;
	c->compiled = NULL;
	pthread_mutex_unlock(&c->lock);
	for (; shader; shader = next) {
		next = shader->next;
		let_go(x, shader);
	}
}

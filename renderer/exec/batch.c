// SPDX-License-Identifier: MIT
/*
 * Batches, their completion queue and the completion thread, see batch.h. Functions run on the
 * worker's main thread unless their comment names another one.
 */
#define _GNU_SOURCE
#include "exec/batch.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "exec/exec.h"
#include "exec/quirk_prelude.h"
#include "ipc/log.h"

/*
 * Create the events that show the watchdog how far a batch is, for hosts that do not count their
 * progress. Returns false if the host fails.
 */
static bool marks_init(const struct vk *vk, struct batch *batch)
{
	const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };

	if (vk->lavapipe.get_progress)
		return true;
	for (uint32_t i = 0; i < MAX_MARKS; i++)
		if (vk->CreateEvent(vk->device, &info, NULL, &batch->marks[i]) != VK_SUCCESS)
			return false;
	return true;
}

static bool batch_init(struct exec *x, struct batch *batch)
{
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
		.queueFamilyIndex = x->vk.queue_family,
	};
	VkCommandBufferAllocateInfo buffers = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1,
	};

	arena_init(&batch->arena);
	if (!marks_init(&x->vk, batch))
		return false;
	if (x->vk.CreateCommandPool(x->vk.device, &pool, &batch->arena.callbacks, &batch->pool) !=
	    VK_SUCCESS)
		return false;
	buffers.commandPool = batch->pool;
	return x->vk.AllocateCommandBuffers(x->vk.device, &buffers, &batch->cmd) == VK_SUCCESS &&
	       x->vk.AllocateCommandBuffers(x->vk.device, &buffers, &batch->prologue) ==
		       VK_SUCCESS &&
	       queries_init(&x->vk, &batch->queries);
}

/*
 * Process the completions that the host has reached, unless another thread does it already. Caller
 * holds the lock, which is dropped meanwhile.
 */
static void complete_reached(struct exec *x)
{
	struct batches *b = &x->batches;

	if (b->completing)
		return;
	b->completing = true;
	while (b->head != b->tail && b->queue[b->tail % NUM_COMPLETIONS].value <= b->reached) {
		const struct completion c = b->queue[b->tail % NUM_COMPLETIONS];

		pthread_mutex_unlock(&b->lock);
		if (c.batch)
			queries_store(&c.batch->queries);
		b->on_completed(c.channel, c.seqno);
		pthread_mutex_lock(&b->lock);
		b->tail++;
		b->head_since = now_ns();
		b->done = c.value;
		pthread_cond_signal(&b->less);
	}
	if (b->head == b->tail)
		b->idle_since = b->head_since;
	b->completing = false;
}

/*
 * Completion callback, called once per batch by the thread that ends it: a thread of the host, or
 * one of ours that submits, takes part (submitter_take_part()) or waits in a Vulkan call. So no
 * thread holds b->lock around such a call. Two calls may overlap, because the next batch can end
 * while the first call processes completions.
 */
static void on_queue_done(void *data)
{
	struct exec *x = data;
	struct batches *b = &x->batches;

	pthread_mutex_lock(&b->lock);
	b->reached++;
	complete_reached(x);
	pthread_mutex_unlock(&b->lock);
}

/*
 * Completion thread: yield until a new entry arrives, or for awake_ns. A client that waits for each
 * batch sends the next one right after. Until then all CPUs may have gone to sleep, and waking one
 * up in a VM costs more than decoding a small frame. sched_yield() lets other threads use this CPU.
 */
static void stay_awake(struct batches *b)
{
	while (__atomic_load_n(&b->head, __ATOMIC_RELAXED) == b->tail &&
	       now_ns() - b->idle_since < b->awake_ns)
		sched_yield();
}

bool batches_stay_awake(struct exec *x)
{
	struct batches *b = &x->batches;
	bool awake;

	/* Without a callback the completion thread stays awake. */
	if (!x->vk.lavapipe.set_queue_done_callback)
		return false;
	pthread_mutex_lock(&b->lock);
	awake = b->head == b->tail && b->stay_awake && now_ns() - b->idle_since < b->awake_ns;
	pthread_mutex_unlock(&b->lock);
	if (awake)
		sched_yield();
	return awake;
}

/*
 * The completion thread. It always waits for the next timeline value, submitted or not, so that no
 * other thread has to wake it for a batch.
 */
static void *completion_main(void *arg)
{
	struct exec *x = arg;
	struct batches *b = &x->batches;
	VkSemaphoreWaitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1, .pSemaphores = &b->timeline,
	};
	bool idle;

	for (uint64_t next = 1;; next++) {
		wait.pValues = &next;
		if (x->vk.WaitSemaphores(x->vk.device, &wait, UINT64_MAX) != VK_SUCCESS) {
			/*
			 * The host lost the device. The broker notices the exit and reports it to
			 * all channels.
			 */
			log_error("the Vulkan device is lost, ending the worker");
			_exit(1);
		}
		pthread_mutex_lock(&b->lock);
		b->reached = next;
		complete_reached(x);
		idle = b->head == b->tail && b->stay_awake;
		pthread_mutex_unlock(&b->lock);
		if (idle)
			stay_awake(b);
	}
	return NULL;
}

bool batches_init(struct exec *x, completed_fn *on_completed)
{
	struct batches *b = &x->batches;

	b->on_completed = on_completed;
	for (int i = 0; i < NUM_BATCHES; i++)
		if (!batch_init(x, &b->batch[i]))
			return false;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->less, NULL);
	return true;
}

bool batches_start(struct exec *x)
{
	struct batches *b = &x->batches;
	VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type,
	};

	if (x->vk.lavapipe.set_queue_done_callback) {
		x->vk.lavapipe.set_queue_done_callback(x->vk.queue, on_queue_done, x);
		return true;
	}
	return x->vk.CreateSemaphore(x->vk.device, &info, NULL, &b->timeline) == VK_SUCCESS &&
	       !pthread_create(&b->thread, NULL, completion_main, x);
}

uint64_t batches_done(struct exec *x)
{
	uint64_t done;

	pthread_mutex_lock(&x->batches.lock);
	done = x->batches.done;
	pthread_mutex_unlock(&x->batches.lock);
	return done;
}

/*
 * Wait until `tail` moves, or take part in rasterizing (submitter_take_part()). Caller holds the
 * lock, which is dropped meanwhile.
 */
static void wait_less(struct exec *x)
{
	struct batches *b = &x->batches;
	const uint32_t tail = b->tail;
	bool more;

	pthread_mutex_unlock(&b->lock);
	more = submitter_take_part(x);
	pthread_mutex_lock(&b->lock);
	if (!more && b->tail == tail)
		pthread_cond_wait(&b->less, &b->lock);
}

bool batches_running(const struct batches *b, uint32_t head, struct work *work)
{
	const struct completion *c;
	uint32_t i = b->tail;

	/* Entries that were completed since @head was read are skipped. */
	while ((int32_t)(head - i) > 0 && b->queue[i % NUM_COMPLETIONS].value <= b->reached)
		i++;
	if ((int32_t)(head - i) <= 0)
		return false;
	c = &b->queue[i % NUM_COMPLETIONS];
	work->channel = c->channel->index;
	work->serial = c->channel->serial;
	work->seqno = c->seqno;
	return true;
}

static void wait_done(struct exec *x, uint64_t value)
{
	struct batches *b = &x->batches;

	pthread_mutex_lock(&b->lock);
	while (b->done < value)
		wait_less(x);
	pthread_mutex_unlock(&b->lock);
}

bool batches_wait(struct exec *x, uint64_t value)
{
	if (value > x->batches.submitted)
		return false;
	/* Waiting must not count as decoding time. */
	watch_end(&x->watches.decode);
	wait_done(x, value);
	watch_begin(&x->watches, &x->watches.decode);
	return true;
}

void batches_wait_submitted(struct exec *x, uint64_t value)
{
	const uint64_t submitted = x->batches.submitted;

	wait_done(x, value < submitted ? value : submitted);
}

void batches_wait_results(struct exec *x, const uint64_t *at)
{
	struct batches *b = &x->batches;

	for (uint32_t i = 0; i < NUM_BATCHES; i++) {
		const struct batch *batch = &b->batch[i];

		if (batch != b->recording && batch->value > batches_done(x) &&
		    queries_add_to(&batch->queries, at))
			batches_wait(x, batch->value);
	}
}

void batches_drain(struct exec *x, const struct exec_channel *channel)
{
	struct batches *b = &x->batches;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		bool busy = false;

		for (uint32_t i = b->tail; i != b->head; i++)
			busy |= b->queue[i % NUM_COMPLETIONS].channel == channel;
		if (!busy)
			break;
		wait_less(x);
	}
	pthread_mutex_unlock(&b->lock);
}

static void release_chunks(struct batches *b, struct batch *batch)
{
	while (batch->chunks) {
		struct descriptor_chunk *chunk = batch->chunks;

		batch->chunks = chunk->next;
		chunk->next = b->free_chunks;
		b->free_chunks = chunk;
	}
}

/* Record whether the idle time that ends with the next entry was shorter than awake_ns. */
static void note_idle_time(struct batches *b)
{
	pthread_mutex_lock(&b->lock);
	if (b->head == b->tail)
		b->stay_awake = now_ns() - b->idle_since < b->awake_ns;
	pthread_mutex_unlock(&b->lock);
}

struct batch *batch_begin(struct exec *x)
{
	struct batches *b = &x->batches;
	struct batch *batch = &b->batch[batches_recording_value(b) % NUM_BATCHES];
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkResult r;

	note_idle_time(b);
	wait_done(x, batch->value);
	release_chunks(b, batch);
	queries_reset(&batch->queries);
	batch->prologue_begun = false;
	for (uint32_t i = 0; i < batch->n_marks; i++)
		x->vk.ResetEvent(x->vk.device, batch->marks[i]);
	batch->n_marks = batch->markable = batch->n_renderings = 0;
	batch->code_ns = 0;
	batch->is_long = false;
	r = x->vk.ResetCommandPool(x->vk.device, batch->pool, 0);
	arena_end(&batch->arena);
	arena_begin(&batch->arena);
	if (r == VK_SUCCESS)
		r = x->vk.BeginCommandBuffer(batch->cmd, &begin);
	if (r != VK_SUCCESS) {
		fault(x, SUNDOG_FAULT_CODE_HOST, -r);
		return NULL;
	}
	if (!vk_has_quirk(&x->vk, QUIRK_SUBMISSIONS_IN_ORDER))
		vk_full_barrier(&x->vk, batch->cmd);
	prelude_record(x, batch->cmd);
	b->recording = batch;
	b->begun++;
	return batch;
}

void batch_note_code(struct exec *x, uint32_t dwords)
{
	struct batch *batch = x->batches.recording;
	const uint64_t limit = x->watches.decode_ms * 1000000ull;
	const uint64_t ns = dwords * CODE_NS_PER_DWORD;

	batch->code_ns += limit && ns > limit ? limit : ns;
	if (batch->code_ns > MAX_CODE_NS)
		batch->code_ns = MAX_CODE_NS;
	batch->is_long = true;
}

void batch_mark(struct exec *x, bool draws)
{
	struct batch *batch = x->batches.recording;

	if (x->vk.lavapipe.get_progress || batch->n_marks == MAX_MARKS)
		return;
	if (draws && ++batch->n_renderings % RENDERINGS_AT_ONCE == 0 &&
	    vk_has_quirk(&x->vk, QUIRK_EVENTS_EARLY))
		vk_full_barrier(&x->vk, batch->cmd);
	if (batch->n_marks < EARLY_MARKS || ++batch->markable % LATE_MARK_STEP == 0)
		x->vk.CmdSetEvent(batch->cmd, batch->marks[batch->n_marks++],
				  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

/*
 * Returns the batch that the host executes, NULL if there is none or the oldest entry is a fence.
 * Caller holds the lock.
 */
static const struct batch *oldest_batch(const struct batches *b)
{
	return b->head != b->tail ? b->queue[b->tail % NUM_COMPLETIONS].batch : NULL;
}

uint64_t batches_marks_passed(struct exec *x)
{
	const struct batches *b = &x->batches;
	const struct batch *batch = oldest_batch(b);
	uint64_t passed = 0;

	for (uint32_t i = 0; batch && i < batch->n_marks; i++)
		passed += x->vk.GetEventStatus(x->vk.device, batch->marks[i]) == VK_EVENT_SET;
	return passed;
}

void batch_note_long(struct exec *x)
{
	x->batches.recording->is_long = true;
}

uint64_t batches_code_ns(const struct batches *b)
{
	const struct batch *batch = oldest_batch(b);

	return batch ? batch->code_ns : 0;
}

VkCommandBuffer batch_prologue(struct exec *x)
{
	struct batch *batch = x->batches.recording;
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};

	if (!batch->prologue_begun) {
		VkResult r = x->vk.BeginCommandBuffer(batch->prologue, &begin);

		if (r != VK_SUCCESS) {
			fault(x, SUNDOG_FAULT_CODE_HOST, -r);
			return VK_NULL_HANDLE;
		}
		batch->prologue_begun = true;
	}
	return batch->prologue;
}

/*
 * Wait until the queue has a free entry. Caller holds the lock, which is dropped meanwhile: all
 * submissions may be done afterwards.
 */
static void wait_for_room(struct exec *x)
{
	struct batches *b = &x->batches;

	while (b->head - b->tail == NUM_COMPLETIONS)
		wait_less(x);
}

/*
 * Append a completion. Call it before the host can reach the value, or while earlier completions
 * are pending: the completing thread looks at the queue once per event. Caller holds the lock.
 */
static void push_completion(struct batches *b, struct completion c)
{
	if (b->head == b->tail)
		b->head_since = now_ns();
	b->queue[b->head % NUM_COMPLETIONS] = c;
	__atomic_store_n(&b->head, b->head + 1, __ATOMIC_RELAXED);
}

bool batch_submit(struct exec *x, struct exec_channel *channel, uint64_t seqno)
{
	struct batches *b = &x->batches;
	struct batch *batch = b->recording;
	struct submission s = {
		.timeline = b->timeline,
		.value = batches_recording_value(b),
		.is_long = batch->is_long,
	};
	VkResult r = VK_SUCCESS;

	b->recording = NULL;
	queries_copy(&x->vk, &batch->queries, batch->cmd);
	if (batch->prologue_begun) {
		r = x->vk.EndCommandBuffer(batch->prologue);
		s.cmds[s.n_cmds++] = batch->prologue;
	}
	if (r == VK_SUCCESS)
		r = x->vk.EndCommandBuffer(batch->cmd);
	s.cmds[s.n_cmds++] = batch->cmd;
	if (r != VK_SUCCESS)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	pthread_mutex_lock(&b->lock);
	wait_for_room(x);
	push_completion(b, (struct completion){ s.value, seqno, channel, batch });
	pthread_mutex_unlock(&b->lock);
	/* The watchdog has watched nothing since the stream was decoded. */
	watches_wake(&x->watches);
	r = submitter_submit(x, &s);
	if (r != VK_SUCCESS) {
		pthread_mutex_lock(&b->lock);
		b->head--;
		pthread_mutex_unlock(&b->lock);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	}
	batch->value = b->submitted = s.value;
	return true;
}

void batch_discard(struct exec *x)
{
	/* batch_begin() resets the command pool before it records again. */
	x->batches.recording = NULL;
}

void batch_fence(struct exec *x, struct exec_channel *channel, uint64_t seqno)
{
	struct batches *b = &x->batches;

	pthread_mutex_lock(&b->lock);
	wait_for_room(x);
	if (b->done == b->submitted && b->head == b->tail)
		b->on_completed(channel, seqno);
	else
		push_completion(b, (struct completion){ b->submitted, seqno, channel, NULL });
	pthread_mutex_unlock(&b->lock);
}

/* All chunks are in use: wait for other batches until one of them frees its chunks. */
static void reclaim_chunks(struct exec *x)
{
	struct batches *b = &x->batches;

	for (uint32_t i = 0; i < NUM_BATCHES && !b->free_chunks; i++)
		if (&b->batch[i] != b->recording && batches_wait(x, b->batch[i].value))
			release_chunks(b, &b->batch[i]);
}

struct descriptor_chunk *batch_add_chunk(struct exec *x)
{
	struct batches *b = &x->batches;
	struct descriptor_chunk *chunk;

	if (b->n_chunks == MAX_DESCRIPTOR_CHUNKS)
		reclaim_chunks(x);
	chunk = b->free_chunks;
	if (chunk) {
		b->free_chunks = chunk->next;
	} else {
		chunk = b->n_chunks < MAX_DESCRIPTOR_CHUNKS ? calloc(1, sizeof(*chunk)) : NULL;
		if (!chunk || !vk_host_buffer_init(
				      &x->vk, &chunk->buffer, DESCRIPTOR_CHUNK_SIZE,
				      VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
					      VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT)) {
			free(chunk);
			fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
			return NULL;
		}
		b->n_chunks++;
	}
	chunk->next = b->recording->chunks;
	b->recording->chunks = chunk;
	b->recording->chunk_used = 0;
	return chunk;
}

// SPDX-License-Identifier: MIT
/*
 * Channels, see channel.h. Runs in the worker's main thread, but for channel_complete() and
 * channel_progress(). Entries and lists are copied before they are checked: the guest can change
 * shared memory at any time.
 */
#include "worker/channel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/decode.h"
#include "ipc/log.h"
#include "ipc/message.h"
#include "worker/worker.h"
#include "packet.h"

void channel_free(struct exec *x, struct channel *ch)
{
	prefetch_end(x, &ch->prefetch);
	free(ch->stream);
	munmap(ch->segment, SUNDOG_CHANNEL_SIZE);
	close(ch->doorbell);
	close(ch->irq);
	free(ch);
}

static uint32_t load_put(const struct channel *ch)
{
	return __atomic_load_n(&ch->control->put, __ATOMIC_ACQUIRE);
}

static void raise_irq(const struct channel *ch)
{
	const uint64_t one = 1;

	if (write(ch->irq, &one, sizeof(one)) < 0)
		log_debug("channel %u: cannot raise its IRQ, the eventfd is full", ch->exec.index);
}

/*
 * The channel is idle: raises the IRQ if the driver wants it for an idle_seqno that is completed.
 * Each value raises one IRQ.
 */
static void tell_idle(struct channel *ch)
{
	const uint64_t wanted = __atomic_load_n(&ch->control->idle_seqno, __ATOMIC_RELAXED);

	if (wanted && wanted <= __atomic_load_n(&ch->completed, __ATOMIC_ACQUIRE) &&
	    __atomic_exchange_n(&ch->told_idle, wanted, __ATOMIC_RELAXED) != wanted)
		raise_irq(ch);
}

/*
 * The ring is empty, but the worker does not sleep, because of other channels or since it polls for
 * a moment: after that moment the channel counts as idle.
 */
static void found_empty(const struct exec *x, struct channel *ch)
{
	const uint64_t wanted = __atomic_load_n(&ch->control->idle_seqno, __ATOMIC_RELAXED);

	if (wanted && wanted != __atomic_load_n(&ch->told_idle, __ATOMIC_RELAXED) &&
	    now_ns() - __atomic_load_n(&ch->completed_at, __ATOMIC_RELAXED) > x->batches.awake_ns)
		tell_idle(ch);
}

bool channel_sleep(struct channel *ch)
{
	__atomic_store_n(&ch->status->need_doorbell, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ch->asleep, true, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (ch->dead || ch->waits || ch->behind || load_put(ch) == ch->get) {
		/*
		 * Either this thread sees the completion, or the completing thread sees that the
		 * channel sleeps.
		 */
		tell_idle(ch);
		return true;
	}
	channel_wake(ch);
	return false;
}

void channel_wake(struct channel *ch)
{
	__atomic_store_n(&ch->asleep, false, __ATOMIC_RELAXED);
	__atomic_store_n(&ch->status->need_doorbell, 0, __ATOMIC_RELAXED);
}

void channel_progress(struct channel *ch)
{
	__atomic_fetch_add(&ch->status->progress, 1, __ATOMIC_RELAXED);
}

void channel_complete(struct exec_channel *channel, uint64_t seqno)
{
	struct channel *ch = channel_of(channel);
	const uint64_t before = ch->completed;
	uint64_t wanted;

	__atomic_store_n(&ch->completed_at, now_ns(), __ATOMIC_RELAXED);
	__atomic_store_n(&ch->status->completed, seqno, __ATOMIC_RELEASE);
	/*
	 * Stored after status->completed: the driver finds the value there when tell_idle() raises
	 * the IRQ.
	 */
	__atomic_store_n(&ch->completed, seqno, __ATOMIC_RELEASE);
	channel_progress(ch);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wanted = __atomic_load_n(&ch->control->irq_seqno, __ATOMIC_RELAXED);
	if (wanted > before && wanted <= seqno)
		raise_irq(ch);
	else if (__atomic_load_n(&ch->asleep, __ATOMIC_RELAXED))
		tell_idle(ch);
}

static bool map_segment(struct channel *ch, int channels_fd, int status_fd)
{
	const off_t offset = (off_t)ch->exec.index * SUNDOG_CHANNEL_SIZE;
	void *status;

	ch->segment = mmap(NULL, SUNDOG_CHANNEL_SIZE, PROT_READ, MAP_SHARED, channels_fd, offset);
	if (ch->segment == MAP_FAILED)
		return false;
	status = mmap(ch->segment + SUNDOG_CHANNEL_STATUS, SUNDOG_PAGE_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_FIXED, status_fd, offset + SUNDOG_CHANNEL_STATUS);
	if (status != MAP_FAILED)
		return true;
	munmap(ch->segment, SUNDOG_CHANNEL_SIZE);
	return false;
}

struct channel *channel_new(uint32_t index, int channels_fd, int status_fd, int doorbell, int irq)
{
	struct channel *ch = calloc(1, sizeof(*ch));

	if (!ch)
		return NULL;
	ch->exec.index = index;
	if (!map_segment(ch, channels_fd, status_fd)) {
		free(ch);
		return NULL;
	}
	ch->doorbell = doorbell;
	ch->irq = irq;
	ch->control = (void *)(ch->segment + SUNDOG_CHANNEL_CONTROL);
	ch->status = (void *)(ch->segment + SUNDOG_CHANNEL_STATUS);
	ch->ring = (void *)(ch->segment + SUNDOG_CHANNEL_RING);
	ch->list = (void *)(ch->segment + SUNDOG_CHANNEL_LIST);
	memset(ch->status, 0, sizeof(*ch->status));
	return ch;
}

/*
 * Stops the channel at byte @offset of entry @seqno: reports FAULT, waits for its submissions in
 * flight, then reports DEAD.
 */
static void channel_fault(struct worker *w, struct channel *ch, uint64_t seqno, uint64_t offset)
{
	struct exec *x = &w->exec;
	struct sundog_message_channel_state m;

	log_warn("channel %u: fault %s, arg %#llx, at byte %#llx of submission %llu",
		 ch->exec.index, sundog_fault_name(x->fault), (unsigned long long)x->fault_arg,
		 (unsigned long long)offset, (unsigned long long)seqno);
	ch->dead = true;
	w->crash_report.running[ch->exec.index] = 0;
	message_init(&m, CHANNEL_STATE);
	m.channel = ch->exec.index;
	m.state = SUNDOG_CHANNEL_STATE_FAULT;
	m.fault = x->fault;
	m.seqno = seqno;
	m.offset = offset;
	m.arg = x->fault_arg;
	message_send(w->sock, &m.header, NULL, 0);
	batches_drain(x, &ch->exec);
	m.state = SUNDOG_CHANNEL_STATE_DEAD;
	message_send(w->sock, &m.header, NULL, 0);
}

static bool check_entry(struct exec *x, const struct channel *ch,
			const struct sundog_ring_entry *e)
{
	if (e->seqno <= ch->last_seqno)
		return fault(x, SUNDOG_FAULT_CODE_RING, e->seqno);
	if (e->stream_dwords > SUNDOG_MAX_STREAM_DWORDS)
		return fault(x, SUNDOG_FAULT_CODE_RING, e->stream_dwords);
	if (e->list_first >= SUNDOG_LIST_ENTRIES || e->list_count > SUNDOG_LIST_ENTRIES)
		return fault(x, SUNDOG_FAULT_CODE_RING, e->list_first);
	if (e->flags)
		return fault(x, SUNDOG_FAULT_CODE_RING, e->flags);
	/* This rules out cycles of entries that wait for each other. */
	if (e->after > e->order)
		return fault(x, SUNDOG_FAULT_CODE_RING, e->after);
	if (e->stream_dwords && e->stream_offset % 4)
		return fault(x, SUNDOG_FAULT_CODE_STREAM, e->stream_offset);
	return true;
}

static bool read_list(struct exec *x, const struct channel *ch, const struct sundog_ring_entry *e)
{
	struct sundog_list_entry entry;

	memory_begin(x);
	for (uint32_t i = 0; i < e->list_count; i++) {
		memcpy(&entry, &ch->list[(e->list_first + i) % SUNDOG_LIST_ENTRIES], sizeof(entry));
		if (!memory_list(x, &entry, i))
			return false;
	}
	return true;
}

static bool read_stream(struct exec *x, const struct sundog_ring_entry *e)
{
	const void *from = memory_peek(x, e->stream_handle, e->stream_generation, e->stream_offset,
				       (uint64_t)e->stream_dwords * 4);
	uint32_t *to = from ? decode_buffer(e->stream_dwords) : NULL;

	if (!from)
		return fault(x, SUNDOG_FAULT_CODE_STREAM, e->stream_handle);
	if (!to)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	memcpy(to, from, (size_t)e->stream_dwords * 4);
	return true;
}

/* Sets the submission that is decoded and that shaders are compiled for. */
static void note_work(struct exec *x, const struct channel *ch)
{
	struct work *work = &x->watches.decode.work;

	work->channel = ch->exec.index;
	work->serial = ch->exec.serial;
	work->seqno = ch->entry.seqno;
}

/* Copies the next entry, its list and its stream. Returns false with a fault recorded. */
static bool take_entry(struct exec *x, struct channel *ch)
{
	const struct sundog_ring_entry *e = &ch->entry;

	memcpy(&ch->entry, &ch->ring[ch->get % SUNDOG_RING_SLOTS], sizeof(ch->entry));
	note_work(x, ch);
	return check_entry(x, ch, e) && read_list(x, ch, e) &&
	       (!e->stream_dwords || read_stream(x, e));
}

/* Returns true if the entry that was taken waits for shaders; its stream is kept then. */
static bool wait_for_shaders(struct exec *x, struct channel *ch)
{
	const uint32_t dwords = ch->entry.stream_dwords;
	const uint32_t *stream = dwords ? decode_buffer(dwords) : NULL;

	prefetch_scan(x, &ch->prefetch, stream, dwords);
	ch->waits = prefetch_waits(x, &ch->prefetch, stream, dwords);
	if (ch->waits)
		ch->stream = decode_buffer_keep();
	return ch->waits;
}

void channel_look_again(struct exec *x, struct channel *ch)
{
	if (ch->waits)
		ch->waits = prefetch_waits(x, &ch->prefetch, ch->stream, ch->entry.stream_dwords);
}

static bool decode_entry(struct exec *x, struct channel *ch, uint64_t *offset)
{
	const uint32_t dwords = ch->entry.stream_dwords;
	bool ok;

	watch_begin(&x->watches, &x->watches.decode);
	x->prefetch = &ch->prefetch;
	ok = decode(x, ch->stream ? ch->stream : decode_buffer(dwords), dwords, offset);
	x->prefetch = NULL;
	watch_end(&x->watches.decode);
	return ok;
}

/*
 * Runs the entry that was taken, if @ok. Returns false on failure, with *@offset the position in
 * its stream.
 */
static bool run_entry(struct exec *x, struct channel *ch, uint64_t *offset, bool ok)
{
	const struct sundog_ring_entry *e = &ch->entry;

	/* Slot and list are copied: give them back before the work is done. */
	__atomic_store_n(&ch->status->get, ++ch->get, __ATOMIC_RELEASE);
	if (!ok)
		return false;
	ch->last_seqno = e->seqno;
	if (!e->stream_dwords) {
		batch_fence(x, &ch->exec, e->seqno);
		return true;
	}
	if (!batch_begin(x))
		return false;
	ok = decode_entry(x, ch, offset);
	if (!ok)
		batch_discard(x);
	ok = ok && batch_submit(x, &ch->exec, e->seqno);
	draw_done(x, ok);
	return ok;
}

/* Frees the stream and the shaders of the entry that was run. */
static void drop_entry(struct exec *x, struct channel *ch)
{
	prefetch_end(x, &ch->prefetch);
	free(ch->stream);
	ch->stream = NULL;
}

/*
 * Returns the next entry, NULL if there is none. The entry can still be in shared memory: it is
 * copied when it is taken, and a change before that delays only its own client.
 */
static const struct sundog_ring_entry *next_entry(const struct channel *ch)
{
	if (ch->dead)
		return NULL;
	if (ch->stream)
		return &ch->entry;
	return load_put(ch) == ch->get ? NULL : &ch->ring[ch->get % SUNDOG_RING_SLOTS];
}

/*
 * Returns true if another channel has an entry that the next one of @ch waits for. An entry that
 * was written before that of @ch is visible here, since that of @ch is.
 */
static bool is_behind(const struct worker *w, const struct channel *ch)
{
	/* The caller has seen an entry. put is not read again, since the client can change it. */
	const struct sundog_ring_entry *own = ch->stream ? &ch->entry :
		&ch->ring[ch->get % SUNDOG_RING_SLOTS];
	const uint64_t after = __atomic_load_n(&own->after, __ATOMIC_RELAXED);

	/* check_entry() refuses such an entry. */
	if (after > __atomic_load_n(&own->order, __ATOMIC_RELAXED))
		return false;
	for (uint32_t i = 0; after && i < SUNDOG_MAX_CHANNELS; i++) {
		const struct channel *other = w->channels[i];
		const struct sundog_ring_entry *e = other && other != ch ? next_entry(other) : NULL;
		const uint64_t order = e ? __atomic_load_n(&e->order, __ATOMIC_RELAXED) : 0;

		if (order && order < after)
			return true;
	}
	return false;
}

bool channel_run(struct worker *w, struct channel *ch)
{
	struct exec *x = &w->exec;
	uint64_t offset = 0;
	uint32_t waiting;
	bool ok;

	if (ch->dead || ch->waits)
		return false;
	waiting = load_put(ch) - ch->get;
	if (!waiting) {
		found_empty(x, ch);
		return false;
	}
	if (waiting > SUNDOG_RING_SLOTS) {
		fault(x, SUNDOG_FAULT_CODE_RING, waiting);
		channel_fault(w, ch, ch->last_seqno, 0);
		return true;
	}
	ch->behind = is_behind(w, ch);
	if (ch->behind)
		return false;
	if (ch->stream) {
		/* Other channels may have loaded their lists meanwhile. */
		note_work(x, ch);
		ok = read_list(x, ch, &ch->entry);
	} else {
		ok = take_entry(x, ch);
		if (ok && wait_for_shaders(x, ch))
			return false;
	}
	ok = run_entry(x, ch, &offset, ok);
	drop_entry(x, ch);
	if (!ok) {
		channel_fault(w, ch, ch->entry.seqno, offset);
		return true;
	}
	objects_collect(x, batches_done(x));
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * Clients of the broker, see client.h: their channels, deadlines for their workers, and shares of
 * users.
 */
#include "broker/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker/access_table.h"
#include "broker/broker.h"
#include "broker/connection.h"
#include "broker/share.h"
#include "ipc/log.h"

/* Minimum time for a worker to confirm an unmap request. */
#define ANSWER_TIMEOUT_MS 10000
#define PROGRESS_TIMEOUT_MS 600000	/* for CHANNEL_DESTROY, while the worker makes progress */
#define MAX_DYING 4			/* killed workers of a user that do not count */
#define PROGRESS_BURST 64		/* MESSAGE_PROGRESS: burst, */
#define PROGRESS_INTERVAL_MS 100	/* and average interval after that */
/* The sum of extensions for a busy broker, in multiples of the time limit. */
#define EXCUSES 10

bool client_has_channel(const struct client *client, uint32_t channel)
{
	return client->channels[channel / 64] >> (channel % 64) & 1;
}

void client_assign_channel(struct client *client, uint32_t channel, bool there)
{
	const uint64_t bit = 1ull << (channel % 64);

	client->channels[channel / 64] = (client->channels[channel / 64] & ~bit) |
					 (there ? bit : 0);
}

struct client *client_find(struct connection *c, uint32_t id)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client->id == id && !client->destroyed)
			return client;
	return NULL;
}

struct client *client_of_channel(struct connection *c, uint32_t channel)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client_has_channel(client, channel))
			return client;
	return NULL;
}

static uint32_t client_count(const struct connection *c)
{
	uint32_t n = 0;

	for (const struct client *client = c->clients; client; client = client->next)
		n++;
	return n;
}

void client_kill(struct client *client, const char *fmt, ...)
{
	char why[256];
	va_list args;

	if (!client_is_served(client))
		return;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	log_warn("client %u: killing worker %d: %s", client->id, (int)client->worker->pid, why);
	process_kill(client->worker);
}

void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds)
{
	const int err = client_is_served(client) ? process_send(client->worker, m, fds, n_fds) : 0;

	if (!err)
		return;
	/* The worker may have ended, after a message that says why. */
	broker_hear(client->worker);
	client_kill(client, "cannot send message type %u: %s", m->type, strerror(-err));
}

/*
 * Returns the time limit for a confirmation, 0 for none. The worker may have to wait for all
 * batches in flight, and for one that it was recording when it got the request. A batch that makes
 * progress may take longer than the watchdog's limit: then the worker sends MESSAGE_PROGRESS, see
 * client_on_progress().
 */
static int64_t answer_ms(const struct client *client)
{
	const int64_t batch_ms = client->connection->broker->options->worker.batch_ms;
	const int64_t ms = (NUM_BATCHES + 1) * batch_ms;

	if (!batch_ms)
		return 0;
	return ms > ANSWER_TIMEOUT_MS ? ms : ANSWER_TIMEOUT_MS;
}

static void begin_to_wait(struct client *client)
{
	const int64_t ms = answer_ms(client);

	client->due = client->asked;
	client->asked_ms = now_ms();
	client->deadline_ms = ms ? now_ms() + ms : 0;
	client->excuse_ms = EXCUSES * ms;
}

void client_excuse(struct client *client, int64_t ms, bool busy)
{
	if (!client->deadline_ms)
		return;
	if (busy) {
		ms = ms < client->excuse_ms ? ms : client->excuse_ms;
		client->excuse_ms -= ms;
	}
	client->deadline_ms += ms;
}

bool client_on_progress(struct client *client)
{
	const int64_t now = now_ms(), later = now + answer_ms(client),
		most = client->asked_ms + PROGRESS_TIMEOUT_MS;

	/*
	 * The watchdog sends at most four messages a second. They may have been queued while the
	 * broker was busy, but no worker may flood it.
	 */
	if (client->n_progress++ > PROGRESS_BURST + (now - client->born_ms) / PROGRESS_INTERVAL_MS)
		return false;
	/*
	 * Progress does not postpone the removal of memory: a hijacked worker could claim progress
	 * forever.
	 */
	if (client->deadline_ms && client->hasty <= client->confirmed &&
	    client->deadline_ms < later)
		client->deadline_ms = later < most ? later : most;
	return true;
}

void client_ask(struct client *client, const struct sundog_message *m)
{
	client->asked++;
	if (m->type != SUNDOG_MESSAGE_CHANNEL_DESTROY)
		client->hasty = client->asked;
	if (!client->deadline_ms)
		begin_to_wait(client);
	client_send(client, m, NULL, 0);
}

int client_check(struct client *client, uint64_t request)
{
	/*
	 * The broker reads all mappings of the worker, so each request may be confirmed only once.
	 */
	if (request <= client->confirmed || request > client->asked)
		return -EINVAL;
	if (!mappings_hold(client, client->worker->filter.maps, request)) {
		client_kill(client, "it maps memory without a grant after unmap request %llu, or "
				    "reading its /proc/PID/maps took too long",
			    (unsigned long long)request);
		return -EPERM;
	}
	return 0;
}

void client_confirm(struct client *client, uint64_t request)
{
	struct connection *c = client->connection;

	mappings_end(client, request);
	client->confirmed = request;
	if (request == client->asked)
		client->deadline_ms = 0;
	else if (request >= client->due)
		begin_to_wait(client);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
		if (!client_has_channel(client, i) || !c->closing[i] || c->closing[i] > request)
			continue;
		client_assign_channel(client, i, false);
		connection_enter(c, i, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
	}
	connection_answer(c);
}

void client_on_room(struct client *client)
{
	const int err = send_queue_flush(&client->worker->out, &client->worker->source);

	if (err)
		client_kill(client, "cannot send queued messages: %s", strerror(-err));
	connection_answer(client->connection);
}

/*
 * A direct client copies what it has read back before it submits more; with slow memory, 4 MiB take
 * 500 us. A guest's client runs on the VM's vCPU threads, which compete for the CPU.
 */
#define AWAKE_DIRECT_NS 750000
#define AWAKE_DEVICE_NS 100000

void client_begin(struct client *client)
{
	const struct connection *c = client->connection;
	const int fds[4] = { c->memfds[0], c->table_ro, c->channels_ro, c->memfds[2] };
	const struct message_setup setup = {
		.header = { MESSAGE_SETUP, sizeof(setup) }, .client = client->id,
		.extent_shift = c->extent_shift, .vram_size = c->vram_size,
		.awake_ns = c->role == SUNDOG_ROLE_DEVICE ? AWAKE_DEVICE_NS : AWAKE_DIRECT_NS,
	};
	int err;

	client_send(client, &setup.header, fds, 4);
	err = client_is_served(client) ? process_begin(client->worker) : 0;
	if (err)
		client_kill(client, "cannot send queued messages: %s", strerror(-err));
}

/*
 * Returns true for a few workers that are about to die, which shares ignore: a user has ways to
 * delay the death of a worker for a while, and a VM may replace crashed workers at once.
 */
static bool is_leaving(const struct worker_process *w, unsigned int *n_leaving)
{
	return w->killed && (*n_leaving)++ < MAX_DYING;
}

/* Counts the workers of direct clients, of user @uid or (@of_all) of all users. */
static unsigned int count_direct_workers(const struct broker *b, uid_t uid, bool of_all)
{
	unsigned int n = 0, n_leaving = 0;

	for (const struct worker_process *w = b->workers; w; w = w->next) {
		const struct connection *c = w->client ? w->client->connection : NULL;

		if (!c || c->role != SUNDOG_ROLE_DIRECT || (!of_all && c->uid != uid))
			continue;
		n += !is_leaving(w, &n_leaving);
	}
	return n;
}

/* Returns true if another client of a device fits the device's share of the workers. */
static bool device_has_share(const struct broker *b, const struct connection *c)
{
	struct share_use use = { 0 };
	unsigned int n_leaving = 0, most;

	for (const struct worker_process *w = b->workers; w; w = w->next) {
		const struct connection *of = w->client ? w->client->connection : NULL;

		if (!of || (of == c && is_leaving(w, &n_leaving)))
			continue;
		use.all++;
		use.user += of->role == SUNDOG_ROLE_DEVICE && of->uid == c->uid;
		use.connection += of == c;
	}
	most = share_of(b, c, &use, b->options->max_workers);
	if (use.connection < most)
		return true;
	log_warn("refusing a client of a device of user %u: the device has %u of %u workers in "
		 "use, and may have %u; raise --max-workers", (unsigned int)c->uid, use.connection,
		 use.all, most);
	return false;
}

/*
 * Returns true if another client fits its share: direct clients of one user have at most half of
 * the workers, those of all users three quarters. The rest is for VMs, see share.h.
 */
static bool has_share(const struct broker *b, const struct connection *c)
{
	const unsigned int most = b->options->max_workers, most_direct = most - (most + 3) / 4;
	unsigned int n;

	if (c->role != SUNDOG_ROLE_DIRECT)
		return device_has_share(b, c);
	n = count_direct_workers(b, c->uid, false);
	if (n >= (most + 1) / 2) {
		log_warn("refusing a client of user %u: the user has %u workers, at most %u, half "
			 "of --max-workers", (unsigned int)c->uid, n, (most + 1) / 2);
		return false;
	}
	n = count_direct_workers(b, c->uid, true);
	if (most > 1 && n >= most_direct) {
		log_warn("refusing a client of user %u: direct clients have %u workers, at most "
			 "%u, three quarters of --max-workers",
			 (unsigned int)c->uid, n, most_direct);
		return false;
	}
	return true;
}

struct client *client_new(struct broker *b, struct connection *c, uint32_t id)
{
	struct client *client;

	if (client_count(c) >= b->options->max_clients) {
		log_warn("refusing client %u: its connection has %u clients, at most %u "
			 "(--max-clients)", id, client_count(c), b->options->max_clients);
		return NULL;
	}
	if (!has_share(b, c))
		return NULL;
	if (!b->idle)
		b->idle = process_new(b);
	if (!b->idle)
		return NULL;
	client = calloc(1, sizeof(*client));
	if (!client || !mappings_init(&client->mappings, &c->granted, access_extents_count(c))) {
		free(client);
		return NULL;
	}
	client->connection = c;
	client->born_ms = now_ms();
	client->id = id;
	client->worker = b->idle;
	client->worker->client = client;
	client->worker->early.who = client->worker->out.who = c->brought;
	client->next = c->clients;
	c->clients = client;
	b->idle = NULL;

	log_info("client %u: served by worker %d", id, (int)client->worker->pid);
	if (client->worker->ready)
		client_begin(client);
	b->idle = process_new(b);
	return client;
}

/*
 * Reports the final state of each channel once: OFF if it was to be destroyed, else DEAD with
 * @fault.
 */
static void end_channels(struct client *client, uint32_t fault)
{
	struct connection *c = client->connection;

	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
		if (!client_has_channel(client, i))
			continue;
		if (client->destroyed || c->closing[i]) {
			client_assign_channel(client, i, false);
			connection_enter(c, i, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
		} else if (c->states[i] != SUNDOG_CHANNEL_STATE_DEAD) {
			connection_enter(c, i, SUNDOG_CHANNEL_STATE_DEAD, fault);
		}
	}
}

void client_worker_ended(struct client *client, uint32_t fault)
{
	client->worker = NULL;
	mappings_free(&client->mappings);
	client->deadline_ms = 0;
	/* Answers to GUEST_UNMAP and REVOKE come first, in the order of the requests. */
	connection_answer(client->connection);
	if (!client->destroyed)
		end_channels(client, fault);
}

void client_destroy(struct client *client)
{
	client->destroyed = true;
	if (client->worker)
		process_kill(client->worker);
}

void client_free(struct client *client)
{
	struct client **at = &client->connection->clients;

	mappings_free(&client->mappings);
	end_channels(client, SUNDOG_FAULT_CODE_NONE);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	free(client);
}

/*
 * A channel goes from CREATING to RUN to FAULT to DEAD, or from CREATING to DEAD; a worker may
 * report each change once.
 */
static bool may_enter(uint32_t from, uint32_t to)
{
	switch (to) {
	case SUNDOG_CHANNEL_STATE_RUN:
		return from == SUNDOG_CHANNEL_STATE_CREATING;
	case SUNDOG_CHANNEL_STATE_FAULT:
		return from == SUNDOG_CHANNEL_STATE_RUN;
	case SUNDOG_CHANNEL_STATE_DEAD:
		return from == SUNDOG_CHANNEL_STATE_CREATING || from == SUNDOG_CHANNEL_STATE_FAULT;
	default:
		return false;
	}
}

/*
 * The worker may be hijacked: it may report its own channels only, in states that follow each
 * other, so the number of messages is bounded.
 */
bool client_on_channel_state(struct client *client, const struct message *m)
{
	const struct sundog_message_channel_state *s = &m->channel_state;
	struct connection *c = client->connection;

	if (s->channel >= SUNDOG_MAX_CHANNELS || !client_has_channel(client, s->channel) ||
	    !may_enter(c->states[s->channel], s->state))
		return false;
	if (s->state == SUNDOG_CHANNEL_STATE_FAULT && s->fault == SUNDOG_FAULT_CODE_WORKER)
		log_warn("client %u: worker %d crashed with signal %llu at submission %llu of "
			 "channel %u",
			 client->id, (int)client->worker->pid, (unsigned long long)s->arg,
			 (unsigned long long)s->seqno, s->channel);
	connection_pass_state(c, s);
	return true;
}

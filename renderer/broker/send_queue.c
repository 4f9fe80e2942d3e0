// SPDX-License-Identifier: MIT
/*
 * Queue of messages to a socket, see send_queue.h. Each queued message has duplicates of its
 * descriptors.
 */
#define _GNU_SOURCE
#include "broker/send_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "ipc/file.h"
#include "ipc/message.h"

struct packet {
	struct packet *next;
	size_t sent;			/* bytes */
	int fds[MESSAGE_OUR_FDS];	/* owned by the packet */
	int n_fds;
	struct sundog_message header;
	char body[];
};

static void packet_free(struct send_queue *q, struct packet *p)
{
	async_closer_keep(q->who, -p->n_fds);
	async_close_for(q->who, p->fds, p->n_fds);
	free(p);
}

static struct packet *packet_new(struct send_queue *q, const struct sundog_message *m,
				 const int *fds, int n_fds)
{
	struct packet *p = malloc(sizeof(*p) + m->size - sizeof(*m));

	if (!p)
		return NULL;
	p->next = NULL;
	p->sent = 0;
	memcpy(&p->header, m, m->size);
	for (p->n_fds = 0; p->n_fds < n_fds; p->n_fds++) {
		p->fds[p->n_fds] = file_keep(fcntl(fds[p->n_fds], F_DUPFD_CLOEXEC, 0));
		if (p->fds[p->n_fds] < 0) {
			packet_free(q, p);
			return NULL;
		}
		async_closer_keep(q->who, 1);
	}
	return p;
}

void send_queue_init(struct send_queue *q)
{
	*q = (struct send_queue){ .last = &q->first };
}

static void outbox_reset(struct send_queue *q)
{
	*q = (struct send_queue){ .last = &q->first, .who = q->who };
}

static int keep(struct send_queue *q, const struct sundog_message *m, const int *fds, int n_fds,
		size_t sent)
{
	struct packet *p;

	if (q->n == SEND_QUEUE_MAX)
		return -ENOBUFS;
	p = packet_new(q, m, fds, n_fds);
	if (!p)
		return -errno;
	p->sent = sent;
	*q->last = p;
	q->last = &p->next;
	q->n++;
	return 0;
}

int send_queue_keep(struct send_queue *q, const struct sundog_message *m, const int *fds, int n_fds)
{
	return keep(q, m, fds, n_fds, 0);
}

int send_queue_send(struct send_queue *q, struct event_source *s, const struct sundog_message *m,
		    const int *fds, int n_fds)
{
	size_t sent = 0;
	int err = -EAGAIN;

	if (send_queue_is_empty(q))
		err = message_send_more(s->fd, m, fds, n_fds, &sent);
	if (err != -EAGAIN)
		return err;
	err = keep(q, m, fds, n_fds, sent);
	return err ? err : send_queue_flush(q, s);
}

void send_queue_append(struct send_queue *q, struct send_queue *from)
{
	if (send_queue_is_empty(from))
		return;
	*q->last = from->first;
	q->last = from->last;
	q->n += from->n;
	outbox_reset(from);
}

int send_queue_flush(struct send_queue *q, struct event_source *s)
{
	struct packet *p;
	int err = 0;

	while ((p = q->first) && !(err = message_send_more(s->fd, &p->header, p->fds, p->n_fds,
							   &p->sent))) {
		q->first = p->next;
		q->n--;
		packet_free(q, p);
	}
	if (!q->first)
		outbox_reset(q);
	else if (!q->full_ms)
		q->full_ms = now_ms();
	event_source_set_events(s, q->first ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return err == -EAGAIN ? 0 : err;
}

/* One call for all descriptors, so that they count as one unfinished close. */
void send_queue_clear(struct send_queue *q)
{
	int *fds = malloc(q->n * sizeof(q->first->fds)), n = 0;
	struct packet *p;

	while ((p = q->first)) {
		q->first = p->next;
		if (fds) {
			memcpy(fds + n, p->fds, p->n_fds * sizeof(*fds));
			n += p->n_fds;
			async_closer_keep(q->who, -p->n_fds);
			p->n_fds = 0;
		}
		packet_free(q, p);
	}
	async_close_for(q->who, fds, n);
	free(fds);
	outbox_reset(q);
}

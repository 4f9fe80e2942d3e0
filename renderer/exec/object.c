// SPDX-License-Identifier: MIT
/*
 * The object table and the garbage list, see object.h. Runs on the worker's main thread.
 */
#define _GNU_SOURCE
#include "exec/object.h"
#include "exec/buffer_view.h"
#include "exec/image.h"
#include "exec/set_layout.h"

#include <sys/mman.h>

#include "exec/exec.h"
#include "exec/feedback.h"
#include "exec/handle.h"
#include "exec/memory.h"
#include "exec/query_pool.h"
#include "exec/set_copy.h"
#include "exec/shader.h"
#include "exec/sparse_memory.h"
#include "sundog_run.h"

bool objects_init(struct objects *o)
{
	o->by_id = mmap(NULL, SUNDOG_MAX_OBJECTS * sizeof(*o->by_id), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	o->garbage_tail = &o->garbage;
	return o->by_id != MAP_FAILED;
}

struct object *object_find(struct exec *x, uint32_t id, enum sundog_object_kind kind)
{
	struct object *object = id < SUNDOG_MAX_OBJECTS ? x->objects.by_id[id] : NULL;

	if (object && object->kind == kind)
		return object;
	fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	return NULL;
}

void object_unref(struct exec *x, struct object *object)
{
	if (--object->refs)
		return;
	object->garbage_value = batches_recording_value(&x->batches);
	object->next = NULL;
	*x->objects.garbage_tail = object;
	x->objects.garbage_tail = &object->next;
}

static void object_free(struct exec *x, struct object *object)
{
	switch (object->kind) {
	case OBJECT_ALLOC:
		memory_alloc_free(x, (struct alloc *)object);
		break;
	case SUNDOG_OBJECT_KIND_IMAGE:
		image_free(x, (struct image *)object);
		break;
	case SUNDOG_OBJECT_KIND_IMAGE_VIEW:
		image_view_free(x, (struct image_view *)object);
		break;
	case SUNDOG_OBJECT_KIND_BUFFER_VIEW:
		buffer_view_free(x, (struct buffer_view *)object);
		break;
	case SUNDOG_OBJECT_KIND_SAMPLER:
		sampler_free(x, (struct sampler *)object);
		break;
	case SUNDOG_OBJECT_KIND_SHADER:
		shader_free(x, (struct shader *)object);
		break;
	case SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER:
		feedback_counter_free(x, (struct feedback_counter *)object);
		break;
	case SUNDOG_OBJECT_KIND_HANDLE_TABLE:
		handle_table_free(x, (struct handle_table *)object);
		break;
	case SUNDOG_OBJECT_KIND_SET_LAYOUT:
		set_layout_free(x, (struct set_layout *)object);
		break;
	case SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT:
		pipeline_layout_free(x, (struct pipeline_layout *)object);
		break;
	case SUNDOG_OBJECT_KIND_SET:
		set_free(x, (struct set *)object);
		break;
	case SUNDOG_OBJECT_KIND_QUERY_POOL:
		query_pool_free(x, (struct query_pool *)object);
		break;
	case SUNDOG_OBJECT_KIND_SPARSE_MEMORY:
		sparse_memory_free(x, (struct alloc *)object);
		break;
	}
}

void objects_collect(struct exec *x, uint64_t completed)
{
	struct objects *o = &x->objects;

	while (o->garbage && o->garbage->garbage_value <= completed) {
		struct object *object = o->garbage;

		o->garbage = object->next;
		if (!o->garbage)
			o->garbage_tail = &o->garbage;
		object_free(x, object);
	}
}

void objects_collect_sets(struct exec *x)
{
	struct objects *o = &x->objects;
	struct object **at = &o->garbage;

	while (*at) {
		struct object *object = *at;

		if (object->kind != SUNDOG_OBJECT_KIND_SET ||
		    !set_is_idle(x, (struct set *)object)) {
			at = &object->next;
			continue;
		}
		*at = object->next;
		if (!*at)
			o->garbage_tail = at;
		/* object_free() may append objects to the list. */
		object_free(x, object);
	}
}

bool object_id_free(struct exec *x, uint32_t id)
{
	if (!id || id >= SUNDOG_MAX_OBJECTS || x->objects.by_id[id])
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	return true;
}

void object_publish(struct exec *x, uint32_t id, struct object *object)
{
	x->objects.by_id[id] = object;
}

bool run_destroy(struct exec *x, const struct sundog_cmd_destroy *cmd)
{
	struct object *object = object_find(x, cmd->id, cmd->kind);

	if (!object)
		return false;
	if (object->kind == SUNDOG_OBJECT_KIND_SHADER)
		compiler_forget(x, (struct shader *)object);
	if (object->kind == SUNDOG_OBJECT_KIND_QUERY_POOL)
		query_pool_bury(x, (struct query_pool *)object);
	x->objects.by_id[cmd->id] = NULL;
	object_unref(x, object);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Allocation and release of the ids of device objects: see sundog_object.h. Runs on the context's
 * thread, except for sdog_object_destroy_later(). */
#include "sundog_object.h"

#include <errno.h>

#include "sundog_context.h"
#include "sundog_screen.h"
#include "util/os_time.h"
#include "util/u_memory.h"

/* Time that the destruction of a context waits for its last submissions, so that the ids that they
 * destroy can be reused. */
#define FINI_TIMEOUT_NS (1000ll * 1000 * 1000)

struct sdog_leftover {
   enum sundog_object_kind kind;
   struct sdog_object object;
};

struct retired {
   struct list_head link;
   struct sdrm_fence *fence;
   struct util_dynarray ids;
};

static struct sdrm_device *
device(const struct sdog_context *ctx)
{
   return sdog_screen(ctx->base.screen)->dev;
}

void
sdog_objects_init(struct sdog_context *ctx)
{
   ctx->objects.client = 1;
   util_dynarray_init(&ctx->objects.left_over, NULL);
   util_dynarray_init(&ctx->objects.dying, NULL);
   list_inithead(&ctx->objects.retired);
}

/* Releases ids that no object has any more. */
static void
free_ids(struct sdog_context *ctx, struct util_dynarray *ids)
{
   util_dynarray_foreach(ids, uint32_t, id)
      sdrm_object_id_del(device(ctx), *id);
   util_dynarray_clear(ids);
}

static void
retired_free(struct retired *retired)
{
   list_del(&retired->link);
   sdrm_fence_del(retired->fence);
   util_dynarray_fini(&retired->ids);
   FREE(retired);
}

/* Releases the ids of submissions that complete before @timeout_ns (absolute). */
static void
give_back(struct sdog_context *ctx, int64_t timeout_ns)
{
   list_for_each_entry_safe(struct retired, retired, &ctx->objects.retired, link) {
      int ret = sdrm_fence_wait(retired->fence, timeout_ns);

      if (ret == -ETIME)
         return;
      if (!ret || sdog_loss_client_is_gone(ctx))
         free_ids(ctx, &retired->ids);
      retired_free(retired);
   }
}

void
sdog_objects_fini(struct sdog_context *ctx)
{
   give_back(ctx, os_time_get_absolute_timeout(FINI_TIMEOUT_NS));
   list_for_each_entry_safe(struct retired, retired, &ctx->objects.retired, link)
      retired_free(retired);
   if (sdog_loss_client_is_gone(ctx))
      free_ids(ctx, &ctx->objects.dying);
   util_dynarray_fini(&ctx->objects.dying);
   util_dynarray_fini(&ctx->objects.left_over);
}

bool
sdog_object_exists(const struct sdog_context *ctx, const struct sdog_object *object)
{
   return object->client == ctx->objects.client;
}

bool
sdog_object_make(struct sdog_context *ctx, struct sdog_object *object)
{
   /* The client of a context that is lost for good keeps its objects, so no new ones are
    * created. */
   if (sdog_object_exists(ctx, object) || sdog_loss_is_final(ctx))
      return false;
   if (!object->id)
      object->id = sdrm_object_id_new(device(ctx));
   if (!object->id) {
      sdog_batch_fail(ctx);
      return false;
   }
   object->client = ctx->objects.client;
   return true;
}

void
sdog_object_destroy(struct sdog_context *ctx, enum sundog_object_kind kind,
                    struct sdog_object *object)
{
   struct sundog_cmd_destroy cmd = {.kind = kind, .id = object->id};

   if (!cmd.id)
      return;
   sdog_batch_reserve(ctx, 0);
   if (sdog_object_exists(ctx, object)) {
      sundog_emit_destroy(ctx->batch.stream, &cmd);
      util_dynarray_append(&ctx->objects.dying, uint32_t, cmd.id);
   } else {
      sdrm_object_id_del(device(ctx), cmd.id);
   }
   *object = (struct sdog_object){0};
}

void
sdog_object_destroy_later(struct sdog_context *owner, enum sundog_object_kind kind,
                          struct sdog_object object)
{
   util_dynarray_append(&owner->objects.left_over, struct sdog_leftover,
                        ((struct sdog_leftover){kind, object}));
}

void
sdog_objects_begin(struct sdog_context *ctx)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct util_dynarray left_over;

   simple_mtx_lock(&screen->object_lock);
   left_over = ctx->objects.left_over;
   util_dynarray_init(&ctx->objects.left_over, NULL);
   simple_mtx_unlock(&screen->object_lock);
   util_dynarray_foreach(&left_over, struct sdog_leftover, left)
      sdog_object_destroy(ctx, left->kind, &left->object);
   util_dynarray_fini(&left_over);
}

void
sdog_objects_queued(struct sdog_context *ctx, struct sdrm_fence *fence)
{
   struct sdog_objects *objects = &ctx->objects;
   struct retired *retired = NULL;

   if (!fence)
      return;
   if (objects->dying.size)
      retired = CALLOC_STRUCT(retired);
   if (retired) {
      retired->fence = sdrm_fence_ref(fence);
      retired->ids = objects->dying;
      list_addtail(&retired->link, &objects->retired);
      util_dynarray_init(&objects->dying, NULL);
   }
   util_dynarray_clear(&objects->dying);
   give_back(ctx, 0);
}

void
sdog_objects_renew(struct sdog_context *ctx)
{
   struct sdog_objects *objects = &ctx->objects;

   list_for_each_entry_safe(struct retired, retired, &objects->retired, link) {
      free_ids(ctx, &retired->ids);
      retired_free(retired);
   }
   free_ids(ctx, &objects->dying);
   objects->client++;
}

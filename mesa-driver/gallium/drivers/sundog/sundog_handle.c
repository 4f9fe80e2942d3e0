/* SPDX-License-Identifier: MIT */
/* Bindless textures and images: see sundog_handle.h. Handles are shared by all threads and
 * protected by sdog_handles::lock; residency belongs to the context's thread. */
#include "sundog_handle.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_texture.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Stream space, in dwords, for an entry and the objects that are created for it. */
#define ENTRY_DWORDS 256

/* Maximum number of tables with an entry of one handle: a view of six layers can be an array, a
 * cube and a cube array, and a format with atomic operations has an entry in a second table for
 * each. */
#define MAX_BINDINGS 6

struct sdog_handle {
   unsigned refs;
   uint32_t id;
   bool is_image;
   /* Template of a texture's view; view.context is NULL. */
   struct pipe_sampler_view view;
   struct pipe_sampler_state sampler;
   struct pipe_image_view image;
};

/* A handle that is resident in a context. */
struct sdog_resident {
   struct list_head link;
   struct sdog_handle *handle;
   struct pipe_sampler_view *view;
   struct sdog_sampler *sampler;
   struct sdog_shader_image image;
   /* The entries in the tables @bindings were written in client @client, for memory @memory (see
    * sundog_resource.h) and @offset. */
   uint32_t client;
   uint64_t memory;
   uint64_t offset;
   uint8_t bindings[MAX_BINDINGS];
   unsigned num_bindings;
};

static struct sdog_handles *
handles_of(struct pipe_context *pctx)
{
   return &sdog_screen(pctx->screen)->handles;
}

static struct pipe_resource *
handle_resource(const struct sdog_handle *handle)
{
   return handle->is_image ? handle->image.resource : handle->view.texture;
}

/* Handles */

void
sdog_handles_init(struct sdog_handles *handles)
{
   simple_mtx_init(&handles->lock, mtx_plain);
   util_idalloc_init(&handles->ids, SDOG_MAX_HANDLES);
   /* Handle 0 is invalid in OpenGL, and entry 0 in the device's tables. */
   util_idalloc_reserve(&handles->ids, 0);
}

void
sdog_handles_fini(struct sdog_handles *handles)
{
   util_idalloc_fini(&handles->ids);
   simple_mtx_destroy(&handles->lock);
}

static void
handle_free(struct sdog_handle *handle)
{
   pipe_resource_reference(&handle->view.texture, NULL);
   pipe_resource_reference(&handle->image.resource, NULL);
   FREE(handle);
}

/* Assigns an id to @handle and returns it; the id holds the first reference. If no id is available,
 * frees @handle and returns 0. */
static uint64_t
publish(struct sdog_handles *handles, struct sdog_handle *handle)
{
   uint32_t id;

   simple_mtx_lock(&handles->lock);
   id = util_idalloc_alloc(&handles->ids);
   if (id < SDOG_MAX_HANDLES) {
      handle->refs = 1;
      handle->id = id;
      handles->by_id[id] = handle;
   } else {
      util_idalloc_free(&handles->ids, id);
   }
   simple_mtx_unlock(&handles->lock);
   if (id < SDOG_MAX_HANDLES)
      return id;
   handle_free(handle);
   return 0;
}

static struct sdog_handle *
find_handle(struct sdog_handles *handles, uint64_t id)
{
   struct sdog_handle *handle;

   simple_mtx_lock(&handles->lock);
   handle = id < SDOG_MAX_HANDLES ? handles->by_id[id] : NULL;
   if (handle)
      handle->refs++;
   simple_mtx_unlock(&handles->lock);
   return handle;
}

static void
unref_handle(struct sdog_handles *handles, struct sdog_handle *handle)
{
   bool last;

   simple_mtx_lock(&handles->lock);
   last = !--handle->refs;
   if (last) {
      handles->by_id[handle->id] = NULL;
      util_idalloc_free(&handles->ids, handle->id);
   }
   simple_mtx_unlock(&handles->lock);
   if (last)
      handle_free(handle);
}

static uint64_t
sdog_create_texture_handle(struct pipe_context *pctx, struct pipe_sampler_view *view,
                           const struct pipe_sampler_state *sampler)
{
   struct sdog_handle *handle = view ? CALLOC_STRUCT(sdog_handle) : NULL;

   if (!handle)
      return 0;
   handle->view = *view;
   handle->view.context = NULL;
   handle->view.texture = NULL;
   pipe_resource_reference(&handle->view.texture, view->texture);
   handle->sampler = *sampler;
   return publish(handles_of(pctx), handle);
}

static uint64_t
sdog_create_image_handle(struct pipe_context *pctx, const struct pipe_image_view *image)
{
   struct sdog_handle *handle = image->resource ? CALLOC_STRUCT(sdog_handle) : NULL;

   if (!handle)
      return 0;
   handle->is_image = true;
   handle->image = *image;
   handle->image.resource = NULL;
   pipe_resource_reference(&handle->image.resource, image->resource);
   return publish(handles_of(pctx), handle);
}

static void
sdog_delete_handle(struct pipe_context *pctx, uint64_t id)
{
   struct sdog_handle *handle = find_handle(handles_of(pctx), id);

   if (!handle)
      return;
   unref_handle(handles_of(pctx), handle);
   unref_handle(handles_of(pctx), handle);
}

/* Residency */

void
sdog_residents_init(struct sdog_context *ctx)
{
   list_inithead(&ctx->residents.list);
   util_dynarray_init(&ctx->residents.left, NULL);
}

static void
note_change(struct sdog_context *ctx)
{
   ctx->residents.changed = true;
   ctx->dirty |= SDOG_DIRTY_TEXTURES * BITFIELD_MASK(SDOG_STAGES);
}

static struct sdog_resident *
resident_new(struct sdog_context *ctx, struct sdog_handle *handle)
{
   struct pipe_context *pctx = &ctx->base;
   struct sdog_resident *resident = CALLOC_STRUCT(sdog_resident);

   if (!resident)
      return NULL;
   resident->handle = handle;
   if (handle->is_image) {
      resident->image.base = handle->image;
      return resident;
   }
   resident->view = pctx->create_sampler_view(pctx, handle->view.texture, &handle->view);
   resident->sampler = pctx->create_sampler_state(pctx, &handle->sampler);
   return resident;
}

/* Records the entries of @resident, which are cleared before the next draw or dispatch that uses
 * handles. */
static void
leave_entries(struct sdog_context *ctx, const struct sdog_resident *resident)
{
   if (resident->client != ctx->objects.client)
      return;
   for (unsigned i = 0; i < resident->num_bindings; i++) {
      struct sundog_cmd_write_handle cmd = {
         .binding = resident->bindings[i],
         .index = resident->handle->id,
      };

      util_dynarray_append(&ctx->residents.left, struct sundog_cmd_write_handle, cmd);
   }
}

static void
resident_del(struct sdog_context *ctx, struct sdog_resident *resident)
{
   struct pipe_context *pctx = &ctx->base;

   leave_entries(ctx, resident);
   ctx->residents.by_id[resident->handle->id] = NULL;
   list_del(&resident->link);
   pipe_sampler_view_reference(&resident->view, NULL);
   if (resident->sampler)
      pctx->delete_sampler_state(pctx, resident->sampler);
   sdog_texel_view_drop(ctx, &resident->image.texels);
   unref_handle(handles_of(pctx), resident->handle);
   FREE(resident);
}

static void
make_resident(struct sdog_context *ctx, uint64_t id)
{
   struct sdog_residents *residents = &ctx->residents;
   struct sdog_handle *handle = find_handle(handles_of(&ctx->base), id);
   struct sdog_resident *resident;

   if (!handle)
      return;
   if (!residents->by_id)
      residents->by_id = CALLOC(SDOG_MAX_HANDLES, sizeof(*residents->by_id));
   resident = residents->by_id && !residents->by_id[id] ? resident_new(ctx, handle) : NULL;
   if (!resident) {
      unref_handle(handles_of(&ctx->base), handle);
      return;
   }
   residents->by_id[id] = resident;
   list_addtail(&resident->link, &residents->list);
   note_change(ctx);
}

static void
end_residency(struct sdog_context *ctx, uint64_t id)
{
   struct sdog_residents *residents = &ctx->residents;

   if (!residents->by_id || id >= SDOG_MAX_HANDLES || !residents->by_id[id])
      return;
   resident_del(ctx, residents->by_id[id]);
   note_change(ctx);
}

static void
sdog_make_texture_handle_resident(struct pipe_context *pctx, uint64_t id, bool resident)
{
   if (resident)
      make_resident(sdog_context(pctx), id);
   else
      end_residency(sdog_context(pctx), id);
}

/* @access is only the program's promise; the actual uses come from the shaders. */
static void
sdog_make_image_handle_resident(struct pipe_context *pctx, uint64_t id, unsigned access,
                                bool resident)
{
   sdog_make_texture_handle_resident(pctx, id, resident);
}

void
sdog_residents_finish(struct sdog_context *ctx)
{
   list_for_each_entry_safe(struct sdog_resident, resident, &ctx->residents.list, link)
      resident_del(ctx, resident);
   sdog_object_destroy(ctx, SUNDOG_OBJECT_KIND_HANDLE_TABLE, &ctx->residents.table);
   util_dynarray_fini(&ctx->residents.left);
   FREE(ctx->residents.by_id);
}

/* Entries */

static enum sdog_handle_number
format_number(enum pipe_format format)
{
   if (util_format_is_pure_uint(format))
      return SDOG_HANDLE_UINT;
   return util_format_is_pure_sint(format) ? SDOG_HANDLE_SINT : SDOG_HANDLE_FLOAT;
}

static enum sdog_handle_number
view_number(const struct sundog_cmd_create_image_view *cmd, enum pipe_format format)
{
   if (cmd->aspect == SUNDOG_ASPECT_DEPTH)
      return SDOG_HANDLE_FLOAT;
   return cmd->aspect == SUNDOG_ASPECT_STENCIL ? SDOG_HANDLE_UINT : format_number(format);
}

static enum sundog_handle_dim
view_dim(const struct pipe_resource *prsc, uint32_t type)
{
   if (prsc->nr_samples <= 1)
      return (enum sundog_handle_dim)type;
   return type == VK_IMAGE_VIEW_TYPE_2D ? SUNDOG_HANDLE_DIM_MS : SUNDOG_HANDLE_DIM_MS_ARRAY;
}

/* Writes an entry for @view. If @view is 0, because it could not be created, the entry becomes
 * empty. */
static void
write_entry(struct sdog_context *ctx, struct sdog_resident *resident, unsigned binding,
            uint32_t view, uint32_t sampler)
{
   const struct sundog_cmd_write_handle cmd = {
      .table = ctx->residents.table.id,
      .binding = binding,
      .index = resident->handle->id,
      .view = view,
      .sampler = sampler,
   };

   sundog_emit_write_handle(ctx->batch.stream, &cmd);
   if (view)
      resident->bindings[resident->num_bindings++] = binding;
}

static void
write_texture(struct sdog_context *ctx, struct sdog_resident *resident)
{
   struct sdog_sampler_view *view = sdog_sampler_view(resident->view);
   struct pipe_resource *prsc = view->base.texture;
   const struct sundog_cmd_create_image_view *cmd =
      resident->handle->sampler.compare_mode ? &view->plain_cmd : &view->cmd;
   enum sdog_handle_number number = view_number(cmd, view->base.format);
   uint32_t id, sampler;

   if (prsc->target == PIPE_BUFFER) {
      id = sdog_sampler_texels_id(ctx, view);
      write_entry(ctx, resident,
                  sdog_handle_binding(SUNDOG_HANDLE_CLASS_SAMPLED, SUNDOG_HANDLE_DIM_BUFFER,
                                      number),
                  id, 0);
      return;
   }
   id = sdog_image_view_id(ctx, sdog_resource(prsc), cmd);
   sampler = sdog_sampler_id(ctx, resident->sampler);
   write_entry(
      ctx, resident,
      sdog_handle_binding(SUNDOG_HANDLE_CLASS_SAMPLED, view_dim(prsc, cmd->type), number),
      sampler ? id : 0, sampler);
}

static void
write_storage(struct sdog_context *ctx, struct sdog_resident *resident, enum sundog_handle_dim dim,
              uint32_t id)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   enum pipe_format format = resident->image.base.format;
   enum sdog_handle_number number = format_number(format);

   write_entry(ctx, resident, sdog_handle_binding(SUNDOG_HANDLE_CLASS_STORAGE, dim, number), id,
               0);
   if (sdog_format_features(screen, format) & SUNDOG_FORMAT_FEATURE_ATOMIC)
      write_entry(ctx, resident, sdog_handle_binding(SUNDOG_HANDLE_CLASS_ATOMIC, dim, number), id,
                  0);
}

/* The handle does not determine the image type in the shader, so there is an entry for each
 * possible type. */
static void
write_image(struct sdog_context *ctx, struct sdog_resident *resident)
{
   struct sdog_shader_image *image = &resident->image;
   const struct pipe_resource *prsc = image->base.resource;

   if (prsc->target == PIPE_BUFFER) {
      write_storage(ctx, resident, SUNDOG_HANDLE_DIM_BUFFER, sdog_shader_texels_id(ctx, image));
      return;
   }
   for (VkImageViewType type = 0; type <= VK_IMAGE_VIEW_TYPE_CUBE_ARRAY; type++) {
      if (sdog_shader_image_may_be(&image->base, type))
         write_storage(ctx, resident, view_dim(prsc, type),
                       sdog_shader_image_id(ctx, image, type));
   }
}

static bool
is_current(const struct sdog_context *ctx, const struct sdog_resident *resident)
{
   const struct sdog_resource *rsc = sdog_resource(handle_resource(resident->handle));

   return resident->client == ctx->objects.client && resident->offset == rsc->offset &&
          resident->memory == rsc->memory;
}

static void
write_resident(struct sdog_context *ctx, struct sdog_resident *resident)
{
   struct sdog_resource *rsc = sdog_resource(handle_resource(resident->handle));

   sdog_batch_make_room(ctx,
                        sdog_batch_missing(&ctx->batch, rsc) + sdog_render_clears_missing(ctx));
   sdog_batch_prepare(ctx, ENTRY_DWORDS);
   sdog_render_end(ctx);
   if (!sdog_object_exists(ctx, &ctx->residents.table))
      return;
   /* An object can only be created in memory that the submission lists. */
   sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ);
   resident->client = ctx->objects.client;
   resident->memory = rsc->memory;
   resident->offset = rsc->offset;
   resident->num_bindings = 0;
   if (resident->handle->is_image)
      write_image(ctx, resident);
   else
      write_texture(ctx, resident);
}

static void
make_table(struct sdog_context *ctx)
{
   struct sdog_residents *residents = &ctx->residents;
   struct sundog_cmd_create_handle_table cmd;

   sdog_batch_prepare(ctx, ENTRY_DWORDS);
   if (!sdog_object_make(ctx, &residents->table))
      return;
   cmd.id = residents->table.id;
   sundog_emit_create_handle_table(ctx->batch.stream, &cmd);
   util_dynarray_clear(&residents->left);
   ctx->dirty |= SDOG_DIRTY_HANDLES;
}

static void
empty_left_entries(struct sdog_context *ctx)
{
   struct util_dynarray *left = &ctx->residents.left;

   while (util_dynarray_contains(left, struct sundog_cmd_write_handle)) {
      struct sundog_cmd_write_handle cmd =
         util_dynarray_pop(left, struct sundog_cmd_write_handle);

      sdog_batch_prepare(ctx, ENTRY_DWORDS);
      sdog_render_end(ctx);
      if (!sdog_object_exists(ctx, &ctx->residents.table))
         return;
      cmd.table = ctx->residents.table.id;
      sundog_emit_write_handle(ctx->batch.stream, &cmd);
   }
}

void
sdog_residents_update(struct sdog_context *ctx)
{
   struct sdog_residents *residents = &ctx->residents;
   uint32_t client;

   if (!residents->changed && residents->batch == ctx->batch.id)
      return;
   do {
      make_table(ctx);
      client = ctx->objects.client;
      empty_left_entries(ctx);
      list_for_each_entry(struct sdog_resident, resident, &residents->list, link) {
         if (client == ctx->objects.client && !is_current(ctx, resident))
            write_resident(ctx, resident);
      }
   } while (client != ctx->objects.client);
   residents->changed = false;
   residents->batch = ctx->batch.id;
}

/* Use */

void
sdog_residents_order(struct sdog_context *ctx, unsigned stage)
{
   bool written = ctx->variants[stage]->handles_written;

   list_for_each_entry(struct sdog_resident, resident, &ctx->residents.list, link) {
      struct sdog_resource *rsc = sdog_resource(handle_resource(resident->handle));

      if (!resident->num_bindings)
         continue;
      if (!resident->handle->is_image)
         sdog_use_for_draw(ctx, rsc, sdog_texture_use(stage));
      else
         sdog_shader_image_order(ctx, &resident->image.base, written);
   }
}

void
sdog_residents_emit(struct sdog_context *ctx)
{
   const struct sundog_cmd_bind_handles cmd = {.table = ctx->residents.table.id};

   if (sdog_object_exists(ctx, &ctx->residents.table))
      sundog_emit_bind_handles(ctx->batch.stream, &cmd);
}

void
sdog_init_handle_functions(struct pipe_context *pctx)
{
   pctx->create_texture_handle = sdog_create_texture_handle;
   pctx->delete_texture_handle = sdog_delete_handle;
   pctx->make_texture_handle_resident = sdog_make_texture_handle_resident;
   pctx->create_image_handle = sdog_create_image_handle;
   pctx->delete_image_handle = sdog_delete_handle;
   pctx->make_image_handle_resident = sdog_make_image_handle_resident;
}

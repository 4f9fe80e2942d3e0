/* SPDX-License-Identifier: MIT */
/*
 * Bindless textures and images (ARB_bindless_texture).
 *
 * A handle belongs to the screen, because all contexts of a share group can use it. Its id is the
 * index of an entry in the tables that the device has for each kind of texture and image
 * (docs/reference/device.md). A context in which the handle is resident writes the view to that
 * entry of its own tables, lists the memory in each submission that may use it, and orders its uses
 * with others.
 */
#ifndef SUNDOG_HANDLE_H
#define SUNDOG_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "sundog_object.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"
#include "util/u_idalloc.h"

struct pipe_context;
struct sdog_context;
struct sdog_handle;
struct sdog_resident;

/* The memory of all resident handles, with the other memory of a draw, must fit in a submission's
 * list. */
#define SDOG_MAX_HANDLES 3072

/* Numeric type of texels in the shader, in the order of the device's tables. */
enum sdog_handle_number {
   SDOG_HANDLE_FLOAT,
   SDOG_HANDLE_SINT,
   SDOG_HANDLE_UINT,
};

static inline unsigned
sdog_handle_binding(enum sundog_handle_class handle_class, enum sundog_handle_dim dim,
                    enum sdog_handle_number number)
{
   return (handle_class * SUNDOG_NUM_HANDLE_DIMS + dim) * SUNDOG_NUM_HANDLE_NUMBERS + number;
}

/* The handles of the screen. @lock protects the other members and the reference counts. */
struct sdog_handles {
   simple_mtx_t lock;
   struct util_idalloc ids;
   struct sdog_handle *by_id[SDOG_MAX_HANDLES];
};

/* The resident handles of a context. */
struct sdog_residents {
   /* Some shader of the context uses handles. */
   bool wanted;
   struct sdog_object table;
   struct list_head list;
   struct sdog_resident **by_id;
   /* Entries (struct sundog_cmd_write_handle) that must be cleared. */
   struct util_dynarray left;
   /* @batch is the submission for which all entries were last checked. @changed: entries may be out
    * of date. */
   uint64_t batch;
   bool changed;
};

void
sdog_handles_init(struct sdog_handles *handles);
void
sdog_handles_fini(struct sdog_handles *handles);

void
sdog_residents_init(struct sdog_context *ctx);
void
sdog_residents_finish(struct sdog_context *ctx);

/* Writes the entries that changed, before a draw or dispatch whose shaders use handles. May end the
 * rendering, flush the submission and renew the context. */
void
sdog_residents_update(struct sdog_context *ctx);

/* Passes the uses of all resident handles by a shader of @stage to sdog_use_for_draw(). */
void
sdog_residents_order(struct sdog_context *ctx, unsigned stage);

/* Emits the binding of the tables. */
void
sdog_residents_emit(struct sdog_context *ctx);

/* Must be called when the memory of a resource changed. */
static inline void
sdog_residents_rebind(struct sdog_residents *residents)
{
   residents->changed = true;
}

void
sdog_init_handle_functions(struct pipe_context *pctx);

#endif

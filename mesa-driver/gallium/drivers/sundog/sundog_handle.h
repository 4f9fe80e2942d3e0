/* SPDX-License-Identifier: MIT */
/*
 * Handles: textures and images that shaders pick by number.
 *
 * A handle is of the screen, since all contexts of a share group have it. Its number is an entry of
 * the tables that the device has for each kind of texture and image (docs/device.md). A context
 * where it is resident has what it names in an entry of its own tables, lists its memory in each
 * submission that may use it, and orders that with other uses.
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

/* With what a draw lists besides, it must fit a submission's list. */
#define SDOG_MAX_HANDLES 3072

/* What texels are to a shader; the order is the device's. */
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

/* Of the screen. */
struct sdog_handles {
   simple_mtx_t lock;
   struct util_idalloc ids;
   struct sdog_handle *by_id[SDOG_MAX_HANDLES];
};

/* Of a context. */
struct sdog_residents {
   /* Some shader of the context uses handles. */
   bool wanted;
   struct sdog_object table;
   struct list_head list;
   struct sdog_resident **by_id;
   /* Entries (struct sundog_cmd_write_handle) that are to be emptied. */
   struct util_dynarray left;
   /* The submission in which all entries were as they should be, unless something changed. */
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

/* Write the entries that changed, before a draw or dispatch whose shaders use handles. It may end
 * the rendering and the submission, and the context may go on with another client. */
void
sdog_residents_update(struct sdog_context *ctx);

/* Order what is resident with its other uses, for a shader of @stage. */
void
sdog_residents_order(struct sdog_context *ctx, unsigned stage);

/* Bind the tables. */
void
sdog_residents_emit(struct sdog_context *ctx);

/* The memory of some resource changed. */
static inline void
sdog_residents_rebind(struct sdog_residents *residents)
{
   residents->changed = true;
}

void
sdog_init_handle_functions(struct pipe_context *pctx);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Sparse memory: see sdvk_sparse.h. Any thread of the program calls this; sdvk_sparse_state::lock
 * guards all pieces of a device. sdvk_objects::lock is taken inside it.
 */
#include "sdvk_sparse.h"

#include <inttypes.h>

#include "sdvk_address.h"
#include "sdvk_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_memory.h"
#include "util/u_math.h"
#include "vk_common_entrypoints.h"
#include "vk_format.h"
#include "vk_log.h"
#include "vk_queue.h"

/* Bytes of the memory that unbound addresses show, over and over. */
#define FILLER_SIZE (16 << 20)
/* Pieces of a device. The worker maps 24,573 with Linux's default vm.max_map_count. */
#define MAX_PIECES UINT64_C(20000)

struct piece {
   struct rb_node node;
   uint64_t at, size;
   struct sdvk_memory *memory; /* NULL: the filler */
   uint64_t offset;            /* of the first byte in @memory */
   struct list_head link;      /* in @memory->pieces */
   struct list_head fresh;     /* in struct changes; not linked if the renderer has mapped it */
   struct sdvk_sparse *sparse;
};

/*
 * A call of vkQueueBindSparse() whose binds wait. Its pieces are counted until all of them are
 * submitted.
 */
struct plan {
   uint64_t pieces;
   uint32_t binds;
};

void
sdvk_sparse_state_init(struct sdvk_sparse_state *state)
{
   simple_mtx_init(&state->lock, mtx_plain);
   state->filler = NULL;
   state->n_reserved = state->n_bound = state->n_planned = 0;
   util_dynarray_init(&state->plans, NULL);
}

/*
 * Returns true if resources can have @reserved more pieces besides memory, and @bound of memory.
 * Each piece of memory may be followed by a filler.
 */
static bool
has_room(const struct sdvk_sparse_state *state, uint64_t reserved, uint64_t bound)
{
   return state->n_reserved + reserved + 2 * (state->n_bound + state->n_planned + bound) <=
          MAX_PIECES;
}

/*
 * Returns the pieces that a resource may have besides those of memory: fillers, of which two that
 * follow one another are larger than one filler together, and a table.
 */
static uint64_t
reserved_pieces(const struct sdvk_sparse *sparse)
{
   const uint64_t fillers = 2 * DIV_ROUND_UP(sparse->size, FILLER_SIZE);

   return (sparse->residency ? fillers : 0) + !!sparse->head;
}

void
sdvk_sparse_state_fini(struct sdvk_device *device)
{
   sdvk_bo_free(device, device->sparse.filler);
   util_dynarray_fini(&device->sparse.plans);
   simple_mtx_destroy(&device->sparse.lock);
}

/* Pieces */

static struct piece *
to_piece(const struct rb_node *node)
{
   return rb_node_data(struct piece, node, node);
}

static int
compare(const struct rb_node *a, const struct rb_node *b)
{
   return to_piece(b)->at < to_piece(a)->at ? -1 : 1;
}

struct range {
   uint64_t at, size;
};

/* "Equal" is a piece that overlaps the range. */
static int
compare_range(const struct rb_node *node, const void *key)
{
   const struct piece *piece = to_piece(node);
   const struct range *range = key;

   if (range->at + range->size <= piece->at)
      return -1;
   return range->at >= piece->at + piece->size;
}

/* Returns the first piece that overlaps @size bytes at @at, or NULL. */
static struct piece *
find(const struct sdvk_sparse *sparse, uint64_t at, uint64_t size)
{
   const struct range range = {at, size};
   struct rb_node *node =
      rb_tree_search((struct rb_tree *)&sparse->pieces, &range, compare_range);

   return node ? to_piece(node) : NULL;
}

/*
 * Changes of pieces. Packets that unmap pieces are appended to the stream at once, those that map
 * new pieces at the end, so that pieces which follow one another are mapped as one: the renderer
 * can map a limited number.
 */
struct changes {
   struct sdvk_device *device;
   struct sdvk_stream stream;
   struct list_head fresh; /* pieces that no packet maps yet */
};

static struct changes
begin_changes(struct sdvk_device *device)
{
   return (struct changes){.device = device};
}

/* Notes for shaders if pages are bound. The CPU writes the table, while no command buffer runs. */
static void
set_resident(struct sdvk_sparse *sparse, const struct range *range, bool resident)
{
   const uint64_t end = (range->at + range->size) / SUNDOG_PAGE_SIZE;

   if (!sparse->table)
      return;
   for (uint64_t page = range->at / SUNDOG_PAGE_SIZE; page < end; page++) {
      uint32_t *word = sparse->words - 1 - page / SDVK_SPARSE_TABLE_BITS;
      const uint32_t bit = 1u << page % SDVK_SPARSE_TABLE_BITS;

      *word = resident ? *word | bit : *word & ~bit;
   }
}

static void
drop(struct changes *changes, struct piece *piece)
{
   const struct sundog_cmd_unmap_address cmd = {.address = piece->sparse->address + piece->at};

   if (piece->memory)
      changes->device->sparse.n_bound--;
   if (list_is_linked(&piece->fresh))
      list_del(&piece->fresh);
   else
      sundog_emit_unmap_address(sdvk_stream_reserve(&changes->stream, SDVK_PACKET_DWORDS), &cmd);
   rb_tree_remove(&piece->sparse->pieces, &piece->node);
   if (piece->memory)
      list_del(&piece->link);
   free(piece);
}

/* Returns true if @b goes on where @a ends, in the resource and in memory; any filler does. */
static bool
follows(const struct piece *a, const struct piece *b)
{
   if (a->memory != b->memory || a->at + a->size != b->at)
      return false;
   return a->memory ? a->offset + a->size == b->offset : a->size + b->size <= FILLER_SIZE;
}

/* Adds a piece to an empty range. Returns false without memory. */
static bool
add(struct changes *changes, struct sdvk_sparse *sparse, const struct range *range,
    struct sdvk_memory *memory, uint64_t offset)
{
   struct piece *piece = malloc(sizeof(*piece)), *other;

   if (!piece)
      return false;
   *piece = (struct piece){
      .at = range->at,
      .size = range->size,
      .memory = memory,
      .offset = offset,
      .sparse = sparse,
   };
   other = range->at ? find(sparse, range->at - 1, 1) : NULL;
   if (other && follows(other, piece)) {
      piece->at = other->at;
      piece->offset = other->offset;
      piece->size += other->size;
      drop(changes, other);
   }
   other = find(sparse, range->at + range->size, 1);
   if (other && follows(piece, other)) {
      piece->size += other->size;
      drop(changes, other);
   }
   rb_tree_insert(&sparse->pieces, &piece->node, compare);
   if (memory) {
      changes->device->sparse.n_bound++;
      list_addtail(&piece->link, &memory->pieces);
   }
   if (!changes->fresh.next)
      list_inithead(&changes->fresh);
   list_addtail(&piece->fresh, &changes->fresh);
   return true;
}

/* Appends the packets that map new pieces. Returns false if some packet has no memory. */
static bool
end_changes(struct changes *changes)
{
   if (!changes->fresh.next)
      return !changes->stream.packets.overflow;
   list_for_each_entry_safe(struct piece, piece, &changes->fresh, fresh) {
      const struct sdrm_bo *bo =
         piece->memory ? piece->memory->bo : changes->device->sparse.filler;
      const struct sundog_cmd_map_address_range cmd = {
         .mem = sdrm_bo_mem(bo),
         .offset = piece->offset,
         .size = piece->size,
         .address = piece->sparse->address + piece->at,
      };

      sundog_emit_map_address_range(sdvk_stream_reserve(&changes->stream, SDVK_PACKET_DWORDS),
                                    &cmd);
      list_del(&piece->fresh);
   }
   return !changes->stream.packets.overflow;
}

/* Removes what is bound in the range. Parts of pieces outside of it stay. */
static bool
clear(struct changes *changes, struct sdvk_sparse *sparse, const struct range *range)
{
   const uint64_t end = range->at + range->size;
   struct piece *piece;
   bool ok = true;

   while (ok && (piece = find(sparse, range->at, range->size))) {
      const struct piece old = *piece;
      const uint64_t old_end = old.at + old.size;

      drop(changes, piece);
      if (old.at < range->at)
         ok = add(changes, sparse, &(struct range){old.at, range->at - old.at}, old.memory,
                  old.offset);
      if (ok && old_end > end)
         ok = add(changes, sparse, &(struct range){end, old_end - end}, old.memory,
                  old.memory ? old.offset + (end - old.at) : 0);
   }
   return ok;
}

/* Lets an empty range show the filler, where parts of the resource may be used unbound. */
static bool
fill(struct changes *changes, struct sdvk_sparse *sparse, const struct range *range)
{
   for (uint64_t done = 0; sparse->residency && done < range->size; done += FILLER_SIZE) {
      const struct range part = {range->at + done, MIN2(range->size - done, FILLER_SIZE)};

      if (!add(changes, sparse, &part, NULL, 0))
         return false;
   }
   return true;
}

/* Sparse memory */

/* Queues the packets of changes before the next submission. */
static void
queue_changes(struct changes *changes)
{
   struct sdvk_device *device = changes->device;
   const bool ok = end_changes(changes);
   const uint32_t dwords = changes->stream.packets.used;
   struct sundog_stream *to;

   if (dwords) {
      to = sdvk_object_packet(device, dwords);
      /* Without memory the pending packets are marked as incomplete, and the device is lost. */
      if (ok && to->size - to->used >= dwords) {
         memcpy(to->map + to->used, changes->stream.packets.map, dwords * 4);
         to->used += dwords;
      } else {
         to->overflow = true;
      }
      sdvk_object_end(device);
   }
   sdvk_stream_fini(&changes->stream);
}

static VkResult
make_filler(struct sdvk_device *device)
{
   if (device->sparse.filler)
      return VK_SUCCESS;
   return sdvk_bo_allocate(device, FILLER_SIZE, &device->sparse.filler);
}

/*
 * Makes the table of residency, with nothing resident, and maps it in front of the resource.
 * Without a mapping of the CPU the device is out of memory.
 */
static VkResult
make_table(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   struct sundog_cmd_map_address_range cmd = {
      .size = sparse->head,
      .address = sparse->address - sparse->head,
   };
   VkResult result = sdvk_bo_allocate(device, sparse->head, &sparse->table);
   char *map;

   if (result != VK_SUCCESS)
      return result;
   map = sdrm_bo_map(sparse->table);
   if (!map)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   memset(map, 0, sparse->head);
   sparse->words = (uint32_t *)(map + sparse->head);
   cmd.mem = sdrm_bo_mem(sparse->table);
   sundog_emit_map_address_range(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
   sdvk_object_end(device);
   return VK_SUCCESS;
}

/* Unmaps the table and frees it. */
static void
drop_table(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   const struct sundog_cmd_unmap_address cmd = {.address = sparse->address - sparse->head};

   if (sparse->words) {
      sundog_emit_unmap_address(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
      sdvk_object_end(device);
   }
   sdvk_bo_free(device, sparse->table);
}

static VkResult
create(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   struct sundog_cmd_create_sparse_memory cmd = {
      .address = sparse->address - sparse->head,
      .size = sparse->head + sparse->size,
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   sundog_emit_create_sparse_memory(stream, &cmd);
   sdvk_object_end(device);
   sparse->id = cmd.id;
   return VK_SUCCESS;
}

static VkResult
reserve_pieces(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   const uint64_t count = reserved_pieces(sparse);
   bool fits;

   simple_mtx_lock(&device->sparse.lock);
   fits = !count || has_room(&device->sparse, count, 0);
   device->sparse.n_reserved += fits ? count : 0;
   simple_mtx_unlock(&device->sparse.lock);
   return fits ? VK_SUCCESS
               : vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                           "a sparse resource of %" PRIu64 " bytes: too many pieces of memory may "
                           "be mapped, the limit is %" PRIu64, sparse->size, MAX_PIECES);
}

static void
release_pieces(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   simple_mtx_lock(&device->sparse.lock);
   device->sparse.n_reserved -= reserved_pieces(sparse);
   simple_mtx_unlock(&device->sparse.lock);
}

static VkResult
fill_all(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   struct changes changes = begin_changes(device);
   VkResult result;

   if (!sparse->residency)
      return VK_SUCCESS;
   simple_mtx_lock(&device->sparse.lock);
   result = make_filler(device);
   if (result == VK_SUCCESS) {
      if (!fill(&changes, sparse, &(struct range){0, sparse->size}))
         result = vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
      queue_changes(&changes);
   }
   simple_mtx_unlock(&device->sparse.lock);
   return result;
}

/* Returns the bytes of the table of residency of @size bytes. */
static uint64_t
table_bytes(uint64_t size)
{
   const uint64_t words = DIV_ROUND_UP(size, SUNDOG_PAGE_SIZE * SDVK_SPARSE_TABLE_BITS);

   return align64(words * 4, SUNDOG_PAGE_SIZE);
}

VkResult
sdvk_sparse_init(struct sdvk_device *device, struct sdvk_sparse *sparse,
                 const struct sdvk_sparse_info *info)
{
   const uint64_t head = info->table ? table_bytes(info->size) : 0;
   VkResult result;

   *sparse = (struct sdvk_sparse){
      .size = info->size,
      .residency = info->residency,
      .head = head,
   };
   rb_tree_init(&sparse->pieces);
   result = reserve_pieces(device, sparse);
   if (result != VK_SUCCESS)
      return result;
   result = sdvk_address_reserve(device, head + info->size, info->replayable, info->captured,
                                 &sparse->address);
   if (result != VK_SUCCESS) {
      release_pieces(device, sparse);
      return result;
   }
   sparse->address += head;
   result = create(device, sparse);
   if (result != VK_SUCCESS) {
      sdvk_address_release(device, sparse->address - head, head + info->size);
      release_pieces(device, sparse);
      return result;
   }
   result = fill_all(device, sparse);
   if (result == VK_SUCCESS && info->table)
      result = make_table(device, sparse);
   if (result != VK_SUCCESS)
      sdvk_sparse_fini(device, sparse);
   return result;
}

void
sdvk_sparse_fini(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   struct changes changes = begin_changes(device);

   if (!sparse->id)
      return;
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SPARSE_MEMORY, sparse->id);
   simple_mtx_lock(&device->sparse.lock);
   rb_tree_foreach_safe(struct piece, piece, &sparse->pieces, node)
      drop(&changes, piece);
   queue_changes(&changes);
   simple_mtx_unlock(&device->sparse.lock);
   drop_table(device, sparse);
   sdvk_address_release(device, sparse->address - sparse->head, sparse->head + sparse->size);
   release_pieces(device, sparse);
   sparse->id = 0;
}

/*
 * A piece of memory that is freed has gone. A bind that waits may have been counted as if it only
 * replaced that piece.
 */
static void
count_replaced(struct sdvk_sparse_state *state)
{
   if (!state->plans.size)
      return;
   util_dynarray_top_ptr(&state->plans, struct plan)->pieces++;
   state->n_planned++;
}

void
sdvk_sparse_forget(struct sdvk_device *device, struct sdvk_memory *memory)
{
   struct changes changes = begin_changes(device);

   simple_mtx_lock(&device->sparse.lock);
   list_for_each_entry_safe(struct piece, piece, &memory->pieces, link) {
      struct sdvk_sparse *sparse = piece->sparse;
      const struct range range = {piece->at, piece->size};

      drop(&changes, piece);
      count_replaced(&device->sparse);
      set_resident(sparse, &range, false);
      /* Without memory the addresses show nothing, and nothing may use them. */
      fill(&changes, sparse, &range);
   }
   queue_changes(&changes);
   simple_mtx_unlock(&device->sparse.lock);
}

char *
sdvk_sparse_map(struct sdvk_device *device, const struct sdvk_sparse *sparse, uint64_t offset,
                uint64_t *size)
{
   const struct piece *piece;
   char *map = NULL;

   offset -= sparse->head;
   simple_mtx_lock(&device->sparse.lock);
   piece = find(sparse, offset, 1);
   *size = SDVK_SPARSE_BLOCK - offset % SDVK_SPARSE_BLOCK;
   if (piece && piece->memory) {
      *size = piece->at + piece->size - offset;
      map = sdrm_bo_map(piece->memory->bo);
      if (map)
         map += piece->offset + (offset - piece->at);
   }
   simple_mtx_unlock(&device->sparse.lock);
   return map;
}

/* Binds */

static VkResult
bind_range(struct changes *changes, struct sdvk_sparse *sparse, uint64_t at, uint64_t size,
           struct sdvk_memory *memory, uint64_t offset)
{
   const struct range range = {at, align64(size, SUNDOG_PAGE_SIZE)};
   bool ok;

   /* Invalid usage (VUID-VkSparseMemoryBind-resourceOffset-09491 and others). */
   if (at % SUNDOG_PAGE_SIZE || at > sparse->size || !size || range.size > sparse->size - at ||
       (memory && (offset % SUNDOG_PAGE_SIZE || offset > sdrm_bo_size(memory->bo) ||
                   range.size > sdrm_bo_size(memory->bo) - offset)))
      return vk_errorf(changes->device, VK_ERROR_UNKNOWN,
                       "a sparse bind of %" PRIu64 " bytes at %" PRIu64 ", memory offset %" PRIu64
                       ": not aligned, or out of bounds", size, at, offset);
   ok = clear(changes, sparse, &range) && (memory ? add(changes, sparse, &range, memory, offset)
                                                  : fill(changes, sparse, &range));
   set_resident(sparse, &range, ok && memory);
   return ok ? VK_SUCCESS : vk_error(changes->device, VK_ERROR_OUT_OF_HOST_MEMORY);
}

static VkResult
bind_whole(struct changes *changes, struct sdvk_sparse *sparse, const VkSparseMemoryBind *binds,
           uint32_t count)
{
   VkResult result = VK_SUCCESS;

   for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
      VK_FROM_HANDLE(sdvk_memory, memory, binds[i].memory);

      result = bind_range(changes, sparse, binds[i].resourceOffset, binds[i].size, memory,
                          binds[i].memoryOffset);
   }
   return result;
}

/* Rows of blocks of a bind: @count runs of @size bytes, @step bytes apart in a slice. */
struct runs {
   uint64_t start, size, step, slice;
   uint32_t rows, slices;
};

static struct runs
runs_of(const struct sdvk_image *image, const VkSparseImageMemoryBind *bind)
{
   const struct sundog_image_level *level = &image->planes[0].levels[bind->subresource.mipLevel];
   const VkExtent3D block = sdvk_sparse_granularity(image->vk.format);

   return (struct runs){
      .start = level->offset + bind->subresource.arrayLayer * level->slice +
               bind->offset.z * level->slice + bind->offset.y / block.height * level->pitch +
               bind->offset.x / block.width * (uint64_t)SDVK_SPARSE_BLOCK,
      .size = DIV_ROUND_UP(bind->extent.width, block.width) * (uint64_t)SDVK_SPARSE_BLOCK,
      .step = level->pitch,
      .slice = level->slice,
      .rows = DIV_ROUND_UP(bind->extent.height, block.height),
      .slices = bind->extent.depth,
   };
}

static uint64_t
run_at(const struct runs *runs, uint32_t n)
{
   return runs->start + n / runs->rows * runs->slice + n % runs->rows * runs->step;
}

/* Blocks follow one another in memory in the order x, y, z; those of a row also in the image. */
static VkResult
bind_blocks(struct changes *changes, struct sdvk_image *image,
            const VkSparseImageMemoryBind *bind)
{
   VK_FROM_HANDLE(sdvk_memory, memory, bind->memory);
   const struct runs runs = runs_of(image, bind);
   uint64_t offset = bind->memoryOffset;

   for (uint32_t n = 0; n < runs.slices * runs.rows; n++, offset += runs.size) {
      const VkResult result =
         bind_range(changes, &image->sparse, run_at(&runs, n), runs.size, memory, offset);

      if (result != VK_SUCCESS)
         return result;
   }
   return VK_SUCCESS;
}

/*
 * The pieces of memory that the binds of a call add. Ranges that follow one another, also in
 * memory, become one piece, and count as one range.
 */
struct count {
   const struct sdvk_sparse *sparse; /* of the range; NULL: none yet */
   struct range range;
   VkDeviceMemory memory;
   uint64_t memory_end;
   uint64_t pieces;
   bool changes; /* other binds change the pieces before */
};

/* Unbinding makes no room in the same call. */
static void
end_range(struct count *c)
{
   const uint64_t at = c->range.at, end = at + c->range.size;
   int64_t pieces = !!c->memory;

   if (!c->sparse || !c->range.size)
      return;
   if (c->changes) {
      pieces++; /* of a piece, which may be there by then, both ends may remain */
   } else {
      const struct piece *first = find(c->sparse, at, 1), *last = find(c->sparse, end - 1, 1);

      if (first && first->memory)
         pieces += (first->at < at) - 1;
      if (last && last->memory)
         pieces += (last->at + last->size > end) - (last != first);
   }
   c->pieces += MAX2(pieces, 0);
}

static void
count_range(struct count *c, const struct sdvk_sparse *sparse, uint64_t at, uint64_t size,
            VkDeviceMemory memory, uint64_t offset)
{
   if (c->sparse == sparse && c->memory == memory && c->range.at + c->range.size == at &&
       (!memory || c->memory_end == offset)) {
      c->range.size += size;
      c->memory_end += size;
      return;
   }
   end_range(c);
   c->sparse = sparse;
   c->memory = memory;
   c->range = (struct range){at, size};
   c->memory_end = offset + size;
}

static void
count_whole(struct count *c, const struct sdvk_sparse *sparse, const VkSparseMemoryBind *binds,
            uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      count_range(c, sparse, binds[i].resourceOffset, binds[i].size, binds[i].memory,
                  binds[i].memoryOffset);
}

static void
count_blocks(struct count *c, const VkSparseImageMemoryBindInfo *info)
{
   VK_FROM_HANDLE(sdvk_image, image, info->image);

   for (uint32_t i = 0; i < info->bindCount; i++) {
      const struct runs runs = runs_of(image, &info->pBinds[i]);
      uint64_t offset = info->pBinds[i].memoryOffset;

      for (uint32_t n = 0; n < runs.slices * runs.rows; n++, offset += runs.size)
         count_range(c, &image->sparse, run_at(&runs, n), runs.size, info->pBinds[i].memory,
                     offset);
   }
}

static void
count_info(struct count *c, const VkBindSparseInfo *info)
{
   for (uint32_t i = 0; i < info->bufferBindCount; i++) {
      VK_FROM_HANDLE(sdvk_buffer, buffer, info->pBufferBinds[i].buffer);

      count_whole(c, &buffer->sparse, info->pBufferBinds[i].pBinds,
                  info->pBufferBinds[i].bindCount);
   }
   for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++) {
      VK_FROM_HANDLE(sdvk_image, image, info->pImageOpaqueBinds[i].image);

      count_whole(c, &image->sparse, info->pImageOpaqueBinds[i].pBinds,
                  info->pImageOpaqueBinds[i].bindCount);
   }
   for (uint32_t i = 0; i < info->imageBindCount; i++)
      count_blocks(c, &info->pImageBinds[i]);
}

/*
 * Numbers of binds, of a call and of what Mesa's runtime submits. It may submit several
 * VkBindSparseInfo at once, and leaves out those without binds.
 */
static uint32_t
count_binds(const VkBindSparseInfo *info)
{
   uint32_t count = 0;

   for (uint32_t i = 0; i < info->bufferBindCount; i++)
      count += info->pBufferBinds[i].bindCount;
   for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
      count += info->pImageOpaqueBinds[i].bindCount;
   for (uint32_t i = 0; i < info->imageBindCount; i++)
      count += info->pImageBinds[i].bindCount;
   return count;
}

static uint32_t
count_submitted(const struct vk_queue_submit *submit)
{
   return count_binds(&(VkBindSparseInfo){
      .bufferBindCount = submit->buffer_bind_count,
      .pBufferBinds = submit->buffer_binds,
      .imageOpaqueBindCount = submit->image_opaque_bind_count,
      .pImageOpaqueBinds = submit->image_opaque_binds,
      .imageBindCount = submit->image_bind_count,
      .pImageBinds = submit->image_binds,
   });
}

/* @count binds no longer wait; they are submitted in the order of the calls. */
static void
end_waiting(struct sdvk_sparse_state *state, uint32_t count)
{
   struct plan *first = util_dynarray_begin(&state->plans), *plan = first;
   const uint32_t n = util_dynarray_num_elements(&state->plans, struct plan);

   for (; plan < first + n && plan->binds <= count; plan++) {
      count -= plan->binds;
      state->n_planned -= plan->pieces;
   }
   if (plan < first + n)
      plan->binds -= count;
   state->plans.size = (first + n - plan) * sizeof(*plan);
   memmove(first, plan, state->plans.size);
}

/*
 * Counts the pieces of a call's binds, or returns an error if the worker might not have so many.
 * Mesa's runtime submits the binds later, when an error would lose the device.
 */
static VkResult
plan_binds(struct sdvk_device *device, uint32_t n_infos, const VkBindSparseInfo *infos)
{
   struct sdvk_sparse_state *state = &device->sparse;
   struct count count = {.changes = state->plans.size || n_infos > 1};
   struct plan plan = {0};

   for (uint32_t i = 0; i < n_infos; i++) {
      count_info(&count, &infos[i]);
      plan.binds += count_binds(&infos[i]);
   }
   end_range(&count);
   plan.pieces = count.pieces;
   if (plan.pieces && !has_room(state, 0, plan.pieces))
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "sparse binds of %" PRIu64 " more pieces of memory: at most %" PRIu64
                       " can be mapped, with those that are not bound", plan.pieces, MAX_PIECES);
   if (!plan.binds)
      return VK_SUCCESS;
   if (!util_dynarray_grow(&state->plans, struct plan, 1))
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   *util_dynarray_top_ptr(&state->plans, struct plan) = plan;
   state->n_planned += plan.pieces;
   return VK_SUCCESS;
}

/* After an error of Mesa's runtime some binds may wait still: they stay counted. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_QueueBindSparse(VkQueue _queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo,
                     VkFence fence)
{
   VK_FROM_HANDLE(vk_queue, queue, _queue);
   struct sdvk_device *device = container_of(queue->base.device, struct sdvk_device, vk);
   VkResult result;

   simple_mtx_lock(&device->sparse.lock);
   result = plan_binds(device, bindInfoCount, pBindInfo);
   simple_mtx_unlock(&device->sparse.lock);
   return result == VK_SUCCESS
             ? vk_common_QueueBindSparse(_queue, bindInfoCount, pBindInfo, fence)
             : result;
}

VkResult
sdvk_sparse_bind(struct sdvk_device *device, const struct vk_queue_submit *submit,
                 struct sdvk_stream *stream)
{
   struct changes changes = begin_changes(device);
   VkResult result = VK_SUCCESS;

   end_waiting(&device->sparse, count_submitted(submit));
   for (uint32_t i = 0; i < submit->buffer_bind_count && result == VK_SUCCESS; i++) {
      const VkSparseBufferMemoryBindInfo *info = &submit->buffer_binds[i];
      VK_FROM_HANDLE(sdvk_buffer, buffer, info->buffer);

      result = bind_whole(&changes, &buffer->sparse, info->pBinds, info->bindCount);
   }
   for (uint32_t i = 0; i < submit->image_opaque_bind_count && result == VK_SUCCESS; i++) {
      const VkSparseImageOpaqueMemoryBindInfo *info = &submit->image_opaque_binds[i];
      VK_FROM_HANDLE(sdvk_image, image, info->image);

      result = bind_whole(&changes, &image->sparse, info->pBinds, info->bindCount);
   }
   for (uint32_t i = 0; i < submit->image_bind_count; i++) {
      const VkSparseImageMemoryBindInfo *info = &submit->image_binds[i];
      VK_FROM_HANDLE(sdvk_image, image, info->image);

      for (uint32_t j = 0; j < info->bindCount && result == VK_SUCCESS; j++)
         result = bind_blocks(&changes, image, &info->pBinds[j]);
   }
   if (!end_changes(&changes) && result == VK_SUCCESS)
      result = vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   *stream = changes.stream;
   return result;
}

/* Formats */

bool
sdvk_sparse_format(VkFormat format)
{
   return vk_format_get_plane_count(format) == 1 &&
          util_is_power_of_two_nonzero(vk_format_get_blocksize(format));
}

VkExtent3D
sdvk_sparse_granularity(VkFormat format)
{
   return (VkExtent3D){
      SDVK_SPARSE_BLOCK / vk_format_get_blocksize(format) * vk_format_get_blockwidth(format),
      vk_format_get_blockheight(format), 1,
   };
}

static VkSparseImageFormatProperties
format_properties(VkFormat format)
{
   return (VkSparseImageFormatProperties){
      .aspectMask = vk_format_aspects(format),
      .imageGranularity = sdvk_sparse_granularity(format),
      .flags = VK_SPARSE_IMAGE_FORMAT_NONSTANDARD_BLOCK_SIZE_BIT,
   };
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceSparseImageFormatProperties2(
   VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2 *pFormatInfo,
   uint32_t *pPropertyCount, VkSparseImageFormatProperties2 *pProperties)
{
   const VkPhysicalDeviceImageFormatInfo2 info = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
      .format = pFormatInfo->format,
      .type = pFormatInfo->type,
      .tiling = pFormatInfo->tiling,
      .usage = pFormatInfo->usage,
      .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
   };
   VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
   VK_OUTARRAY_MAKE_TYPED(VkSparseImageFormatProperties2, out, pProperties, pPropertyCount);

   if (sdvk_GetPhysicalDeviceImageFormatProperties2(physicalDevice, &info, &limits) !=
          VK_SUCCESS ||
       !(limits.imageFormatProperties.sampleCounts & pFormatInfo->samples))
      return;
   vk_outarray_append_typed(VkSparseImageFormatProperties2, &out, p)
      p->properties = format_properties(pFormatInfo->format);
}

/* No level is in a mip tail: the rows of each are pages of their own. */
static void
requirements(VkImageCreateFlags flags, VkFormat format, uint32_t levels, uint32_t *pCount,
             VkSparseImageMemoryRequirements2 *pRequirements)
{
   VK_OUTARRAY_MAKE_TYPED(VkSparseImageMemoryRequirements2, out, pRequirements, pCount);

   if (!(flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT))
      return;
   vk_outarray_append_typed(VkSparseImageMemoryRequirements2, &out, r)
      r->memoryRequirements = (VkSparseImageMemoryRequirements){
         .formatProperties = format_properties(format),
         .imageMipTailFirstLod = levels,
      };
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageSparseMemoryRequirements2(VkDevice _device,
                                       const VkImageSparseMemoryRequirementsInfo2 *pInfo,
                                       uint32_t *pCount,
                                       VkSparseImageMemoryRequirements2 *pRequirements)
{
   VK_FROM_HANDLE(sdvk_image, image, pInfo->image);

   requirements(image->vk.create_flags, image->vk.format, image->vk.mip_levels, pCount,
                pRequirements);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceImageSparseMemoryRequirements(VkDevice _device,
                                            const VkDeviceImageMemoryRequirements *pInfo,
                                            uint32_t *pCount,
                                            VkSparseImageMemoryRequirements2 *pRequirements)
{
   const VkImageCreateInfo *info = pInfo->pCreateInfo;

   requirements(info->flags, info->format, info->mipLevels, pCount, pRequirements);
}

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
#define FILLER_SIZE (2 << 20)
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

void
sdvk_sparse_state_init(struct sdvk_sparse_state *state)
{
   simple_mtx_init(&state->lock, mtx_plain);
   state->filler = NULL;
   state->n_pieces = state->n_planned = 0;
}

/* Returns true if @count more pieces can be mapped. */
static bool
has_room(const struct sdvk_sparse_state *state, uint64_t count)
{
   return count <= MAX_PIECES - MIN2(state->n_pieces + state->n_planned, MAX_PIECES);
}

void
sdvk_sparse_state_fini(struct sdvk_device *device)
{
   sdvk_bo_free(device, device->sparse.filler);
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

   changes->device->sparse.n_pieces--;
   if (list_is_linked(&piece->fresh))
      list_del(&piece->fresh);
   else
      sundog_emit_unmap_address(sdvk_stream_reserve(&changes->stream, SDVK_PACKET_DWORDS), &cmd);
   rb_tree_remove(&piece->sparse->pieces, &piece->node);
   if (piece->memory)
      list_del(&piece->link);
   free(piece);
}

/* Returns true if @b goes on where @a ends, in the resource and in memory. */
static bool
follows(const struct piece *a, const struct piece *b)
{
   return a->memory && a->memory == b->memory && a->at + a->size == b->at &&
          a->offset + a->size == b->offset;
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
   changes->device->sparse.n_pieces++;
   if (memory)
      list_addtail(&piece->link, &memory->pieces);
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
fill_all(struct sdvk_device *device, struct sdvk_sparse *sparse)
{
   struct changes changes = begin_changes(device);
   VkResult result;

   if (!sparse->residency)
      return VK_SUCCESS;
   simple_mtx_lock(&device->sparse.lock);
   result = make_filler(device);
   if (!has_room(&device->sparse, DIV_ROUND_UP(sparse->size, FILLER_SIZE)))
      result = vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                         "a sparse resource of %" PRIu64 " bytes: too many pieces of memory are "
                         "mapped, the limit is %" PRIu64, sparse->size, MAX_PIECES);
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
   result = sdvk_address_reserve(device, head + info->size, info->replayable, info->captured,
                                 &sparse->address);
   if (result != VK_SUCCESS)
      return result;
   sparse->address += head;
   result = create(device, sparse);
   if (result != VK_SUCCESS) {
      sdvk_address_release(device, sparse->address - head, head + info->size);
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
   sparse->id = 0;
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

/* Blocks follow one another in memory in the order x, y, z; those of a row also in the image. */
static VkResult
bind_blocks(struct changes *changes, struct sdvk_image *image,
            const VkSparseImageMemoryBind *bind)
{
   VK_FROM_HANDLE(sdvk_memory, memory, bind->memory);
   const struct sdvk_image_plane *plane = &image->planes[0];
   const struct sundog_image_level *level = &plane->levels[bind->subresource.mipLevel];
   const VkExtent3D block = sdvk_sparse_granularity(image->vk.format);
   const uint64_t run =
      DIV_ROUND_UP(bind->extent.width, block.width) * (uint64_t)SDVK_SPARSE_BLOCK;
   const uint32_t rows = DIV_ROUND_UP(bind->extent.height, block.height);
   const uint64_t start = level->offset + bind->subresource.arrayLayer * level->slice +
                          bind->offset.x / block.width * (uint64_t)SDVK_SPARSE_BLOCK;
   uint64_t offset = bind->memoryOffset;

   for (uint32_t z = 0; z < bind->extent.depth; z++) {
      for (uint32_t y = 0; y < rows; y++) {
         const uint64_t row = bind->offset.y / block.height + y;
         const VkResult result =
            bind_range(changes, &image->sparse,
                       start + (bind->offset.z + z) * level->slice + row * level->pitch, run,
                       memory, offset);

         if (result != VK_SUCCESS)
            return result;
         offset += run;
      }
   }
   return VK_SUCCESS;
}

/* Returns an upper limit of the pieces that binds add: a bind may also cut a piece in two. */
static uint64_t
count_whole(uint32_t binds)
{
   return 2 * (uint64_t)binds;
}

/* Whole rows follow one another in the image and in memory. */
static uint64_t
count_blocks(const VkSparseImageMemoryBindInfo *info)
{
   VK_FROM_HANDLE(sdvk_image, image, info->image);
   const VkExtent3D block = sdvk_sparse_granularity(image->vk.format);
   uint64_t count = 0;

   for (uint32_t i = 0; i < info->bindCount; i++) {
      const VkSparseImageMemoryBind *bind = &info->pBinds[i];
      const struct sundog_image_level *level = &image->planes[0].levels[bind->subresource.mipLevel];
      const uint64_t run =
         DIV_ROUND_UP(bind->extent.width, block.width) * (uint64_t)SDVK_SPARSE_BLOCK;
      const uint32_t rows =
         run == level->pitch ? 1 : DIV_ROUND_UP(bind->extent.height, block.height);

      count += 2 * (uint64_t)rows * bind->extent.depth;
   }
   return count;
}

static uint64_t
count_submitted(const struct vk_queue_submit *submit)
{
   uint64_t count = 0;

   for (uint32_t i = 0; i < submit->buffer_bind_count; i++)
      count += count_whole(submit->buffer_binds[i].bindCount);
   for (uint32_t i = 0; i < submit->image_opaque_bind_count; i++)
      count += count_whole(submit->image_opaque_binds[i].bindCount);
   for (uint32_t i = 0; i < submit->image_bind_count; i++)
      count += count_blocks(&submit->image_binds[i]);
   return count;
}

static uint64_t
count_info(const VkBindSparseInfo *info)
{
   uint64_t count = 0;

   for (uint32_t i = 0; i < info->bufferBindCount; i++)
      count += count_whole(info->pBufferBinds[i].bindCount);
   for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
      count += count_whole(info->pImageOpaqueBinds[i].bindCount);
   for (uint32_t i = 0; i < info->imageBindCount; i++)
      count += count_blocks(&info->pImageBinds[i]);
   return count;
}

/*
 * Returns an error before anything changes if the worker might not have so many pieces. Mesa's
 * runtime submits the binds later, when an error would lose the device.
 */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_QueueBindSparse(VkQueue _queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo,
                     VkFence fence)
{
   VK_FROM_HANDLE(vk_queue, queue, _queue);
   struct sdvk_device *device = container_of(queue->base.device, struct sdvk_device, vk);
   struct sdvk_sparse_state *state = &device->sparse;
   uint64_t count = 0;
   bool fits;

   for (uint32_t i = 0; i < bindInfoCount; i++)
      count += count_info(&pBindInfo[i]);
   simple_mtx_lock(&state->lock);
   fits = has_room(state, count);
   state->n_planned += fits ? count : 0;
   simple_mtx_unlock(&state->lock);
   if (!fits)
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "sparse binds of up to %" PRIu64 " pieces of memory: at most %" PRIu64
                       " can be mapped", count, MAX_PIECES);
   return vk_common_QueueBindSparse(_queue, bindInfoCount, pBindInfo, fence);
}

VkResult
sdvk_sparse_bind(struct sdvk_device *device, const struct vk_queue_submit *submit,
                 struct sdvk_stream *stream)
{
   struct changes changes = begin_changes(device);
   VkResult result = VK_SUCCESS;

   device->sparse.n_planned -= MIN2(device->sparse.n_planned, count_submitted(submit));
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

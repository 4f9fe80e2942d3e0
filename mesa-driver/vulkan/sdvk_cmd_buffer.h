/* SPDX-License-Identifier: MIT */
/*
 * VkCommandBuffer: the packets that its commands are translated to. The queue concatenates the
 * packets of several command buffers into one stream, so that at its beginning, and after it has
 * executed secondary command buffers, the renderer's state is unknown. One thread at a time uses a
 * command buffer and its pool (Vulkan 1.4, 3.6 Threading Behavior).
 */
#ifndef SDVK_CMD_BUFFER_H
#define SDVK_CMD_BUFFER_H

#include <math.h>

#include "sdvk_pipeline.h"
#include "sdvk_query.h"
#include "sdvk_stream.h"
#include "util/bitscan.h"
#include "vk_command_buffer.h"

struct sdvk_image;
struct sdvk_image_view;
struct sdvk_shader_object;

/* Resolve of an attachment at the end of a rendering. */
struct sdvk_resolve {
   const struct sdvk_image_view *src, *dst; /* no dst: no resolve */
   VkImageAspectFlagBits aspect;
   VkResolveModeFlagBits mode;
};

#define SDVK_MAX_RESOLVES (SUNDOG_MAX_COLOR_ATTACHMENTS + 2)

struct sdvk_rendering {
   bool active;
   uint32_t color_count;
   uint32_t colors; /* mask of attachments that have a view */
   bool depth, stencil;
   VkRect2D area;
   uint32_t layers;
   uint32_t view_mask; /* 0: no multiview */
   struct sdvk_resolve resolves[SDVK_MAX_RESOLVES];
   uint32_t n_resolves;
   /* attachments with `texels`, see sdvk_texels.h */
   const struct sdvk_image_view *texels[2 * SUNDOG_MAX_COLOR_ATTACHMENTS];
   uint32_t n_texels;
   /*
    * queries and transform feedback begun within it: while any is active it cannot be restarted,
    * since queries end in the rendering that they begin in (VUID-vkCmdEndQuery-None-07007)
    */
   uint32_t open;
   /*
    * Packet that begins it again. A secondary command buffer whose inheritance info has no
    * attachments does not know it.
    */
   bool known;
   struct sundog_cmd_begin_rendering begin;
   struct sundog_attachment attachments[SUNDOG_MAX_COLOR_ATTACHMENTS];
};

struct sdvk_condition {
   bool open;
   /*
    * begun within the rendering, before whose end it ends
    * (VUID-vkCmdEndConditionalRenderingEXT-None-01987)
    */
   bool within;
   struct sundog_cmd_begin_memory_condition begin;
};

/* Work at dword @at of a secondary command buffer, which only the primary can do. */
struct sdvk_mark {
   enum {
      /*
       * A barrier within a rendering of unknown attachments. The primary ends the rendering, emits
       * the barrier and begins it again.
       */
      SDVK_MARK_RESTART,
      /* Commands from here on are not discarded by a condition of the primary. */
      SDVK_MARK_PAUSE,
      SDVK_MARK_RESUME,
   } kind;
   uint32_t at;
   /* of a restart */
   struct sundog_cmd_barrier barrier;
   struct sdvk_condition condition;
};

struct sdvk_feedback {
   struct sundog_mem_range buffers[SUNDOG_MAX_FEEDBACK_BUFFERS]; /* size 0: not bound */
   bool on; /* packets have begun it; false: no buffer has room */
};

/* counter of draws whose byte count is in memory, behind those of feedback buffers */
#define SDVK_DRAW_COUNTER SUNDOG_MAX_FEEDBACK_BUFFERS

/* Data of commands in scratch memory, of which several commands have a part. */
struct sdvk_records {
   struct sdrm_bo *bo; /* owned by `scratch`; NULL: none yet */
   uint64_t used;        /* bytes in use */
};

/* Staging memory of copies, see sdvk_cmd_copy_blocks.c. */
struct sdvk_copies {
   struct sdrm_bo *bo; /* owned by `scratch`; NULL: none yet */
   uint64_t size;
};

/* A descriptor set of the renderer that is bound to a slot. */
struct sdvk_bound_set {
   uint32_t id, n_offsets;
   uint32_t offsets[SUNDOG_MAX_DYNAMIC_OFFSETS];
};

struct sdvk_bound_sets {
   struct sdvk_bound_set sets[SUNDOG_MAX_SETS];
   uint32_t bound;                          /* mask of slots that the program bound */
   uint32_t hidden; /* mask of slots whose set a repeated one replaces, see sdvk_cmd_sets.c */
   const struct vk_pipeline_layout *layout; /* layout of the sets in `filled` */
   uint32_t filled; /* mask of slots that have an unwritten set, since the program bound none */
   const struct sdvk_program *repeated;     /* program whose repeated sets are bound; NULL: none */
};

/* Shader objects (VK_EXT_shader_object), bound instead of a pipeline. */
struct sdvk_bound_objects {
   struct sdvk_shader_object *stages[SDVK_NUM_STAGES]; /* NULL: not bound */
   bool used[2]; /* [graphics, compute]: shader objects are bound instead of a pipeline */
   bool dirty[2]; /* [graphics, compute]: the program has to be looked up again */
   struct sdvk_spirv_options options; /* of the graphics program */
};

struct sdvk_cmd_buffer {
   struct vk_command_buffer vk;
   struct sdvk_stream stream;
   bool all_dirty;      /* the renderer's state is unknown */
   bool shaders_dirty;
   bool pipeline_dirty; /* another pipeline was bound, whose static state differs */
   uint32_t shaders[SDVK_NUM_STAGES];
   uint32_t push_constants[SUNDOG_MAX_PUSH_CONSTANTS / 4]; /* of the application */
   /* its static state applies to draws; NULL: none is bound */
   const struct sdvk_pipeline *pipeline;
   const struct sdvk_program *programs[2]; /* [graphics, compute]; NULL: none */
   struct sdvk_bound_objects objects;
   struct sdvk_bound_sets sets[2];       /* [graphics, compute] */
   /* packet of a pipeline that is set, in `stream`; 0 dwords: none */
   struct sdvk_static_packet set[SDVK_NUM_STATE_GROUPS];
   /* the group's state is that of a pipeline, set by its packet or by one emitted for it */
   bool is_static[SDVK_NUM_STATE_GROUPS];
   uint64_t n_results; /* query results that it copies; a stream may copy MAX_RESULT_COPIES */
   uint64_t n_indices;                   /* number of indices in the bound index buffer */
   bool null_indices; /* VK_NULL_HANDLE is bound as index buffer: draws use `zeros` */
   struct sdrm_bo *zeros;              /* owned by `scratch`; NULL: none yet */
   struct sdvk_records records;
   struct sdvk_copies copies;
   struct sdvk_rendering rendering;
   struct util_dynarray marks;         /* struct sdvk_mark of a secondary command buffer */
   struct util_dynarray ended_queries; /* struct sdvk_ended_queries */
   struct sdvk_feedback feedback;
   struct sdvk_condition condition;
   bool inherits_condition; /* a secondary whose primary may have a condition */
   uint32_t counters[SDVK_DRAW_COUNTER + 1]; /* ids of feedback counters; 0: none yet */
   struct list_head pushed_sets;
   struct util_dynarray scratch; /* struct sdrm_bo *, freed when the command buffer is reset */
   struct util_dynarray host_uses; /* struct sdvk_host_use, imports that copies use */
   /* Storage that vk.dynamic_graphics_state points to. */
   struct vk_vertex_input_state vertex_input;
   struct vk_sample_locations_state sample_locations;
};

VK_DEFINE_HANDLE_CASTS(sdvk_cmd_buffer, vk.base, VkCommandBuffer, VK_OBJECT_TYPE_COMMAND_BUFFER)

extern const struct vk_command_buffer_ops sdvk_cmd_buffer_ops;

static inline struct sdvk_cmd_buffer *
sdvk_cmd_buffer(struct vk_command_buffer *vk)
{
   return container_of(vk, struct sdvk_cmd_buffer, vk);
}

/* Count a query or transform feedback that begins or ends within the rendering. */
static inline void
sdvk_cmd_open_in_rendering(struct sdvk_cmd_buffer *cmd)
{
   cmd->rendering.open += cmd->rendering.active;
}

static inline void
sdvk_cmd_close_in_rendering(struct sdvk_cmd_buffer *cmd)
{
   cmd->rendering.open -= cmd->rendering.open > 0;
}

static inline struct sundog_rect
sdvk_packet_rect(const VkRect2D *rect)
{
   return (struct sundog_rect){rect->offset.x, rect->offset.y, rect->extent.width,
                               rect->extent.height};
}

/*
 * Returns how many queries of a pool one query takes: one for each view of the rendering (Vulkan,
 * "Multiview" in the chapter on queries).
 */
static inline uint32_t
sdvk_cmd_queries_of_one(const struct sdvk_cmd_buffer *cmd)
{
   return cmd->rendering.view_mask ? util_bitcount(cmd->rendering.view_mask) : 1;
}

/*
 * Counts query results that the command buffer copies. Returns false with an error recorded if a
 * stream cannot copy so many.
 */
bool
sdvk_cmd_count_results(struct sdvk_cmd_buffer *cmd, uint64_t count);

/* Binds zeros if no index buffer is bound. Returns false if there is no memory. */
bool
sdvk_cmd_need_indices(struct sdvk_cmd_buffer *cmd);

/*
 * Returns how many of a draw's @count indices from @first on the bound index buffer has; all of
 * them if it is VK_NULL_HANDLE.
 */
static inline uint32_t
sdvk_cmd_bound_indices(const struct sdvk_cmd_buffer *cmd, uint32_t first, uint32_t count)
{
   const uint64_t left = cmd->n_indices - MIN2(first, cmd->n_indices);

   return cmd->null_indices ? count : MIN2(count, left);
}

/*
 * Replaces a depth to clear to that is NaN, at the start of @value: with
 * VK_EXT_depth_range_unrestricted it is valid, but the renderer wants numbers.
 */
static inline void
sdvk_clear_to_number(void *value)
{
   float depth;

   memcpy(&depth, value, sizeof(depth));
   if (isnan(depth))
      memset(value, 0, sizeof(depth));
}

/* Returns the stream with room for a packet that has no array. */
static inline struct sundog_stream *
sdvk_cmd_packet(struct sdvk_cmd_buffer *cmd)
{
   return sdvk_stream_reserve(&cmd->stream, SDVK_PACKET_DWORDS);
}

/*
 * Returns room for @count more elements of an array of the command buffer. NULL: no memory, which
 * vkEndCommandBuffer() returns.
 */
static inline void *
sdvk_cmd_grow(struct sdvk_cmd_buffer *cmd, struct util_dynarray *array, uint32_t count, size_t size)
{
   void *at = util_dynarray_grow_bytes(array, count, size);

   if (!at)
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
   return at;
}

void
sdvk_cmd_bind_program(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program);

/* sdvk_descriptor_set.c */
void
sdvk_cmd_free_pushed_sets(struct sdvk_cmd_buffer *cmd);
/*
 * Binds an unwritten set to each slot that the program's shaders use and the application left
 * unbound.
 */
void
sdvk_cmd_bind_missing_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program);

/* sdvk_cmd_sets.c: bind a set to a slot; forget all bound sets. */
void
sdvk_cmd_bind_set(struct sdvk_cmd_buffer *cmd, bool compute, uint32_t slot, uint32_t id,
                  uint32_t n_offsets, const uint32_t *offsets);
void
sdvk_cmd_forget_sets(struct sdvk_cmd_buffer *cmd);
/* Binds all sets that the program's shaders need and that are not bound yet. */
void
sdvk_cmd_complete_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program);

/* Returns true if sdvk_cmd_complete_sets() would emit nothing for @program. */
static inline bool
sdvk_sets_are_complete(const struct sdvk_bound_sets *bound, const struct sdvk_program *program)
{
   return bound->layout == program->layout && !(program->sets & ~(bound->bound | bound->filled)) &&
          !(program->sets & bound->hidden) &&
          (!program->repeats.count || bound->repeated == program);
}

/*
 * sdvk_cmd_copy_blocks.c: returns true if a copy has to go through scratch memory: one of the
 * images is compressed and the other is not, or one of two aspects is copied. The second function
 * does it.
 */
bool
sdvk_copies_by_memory(const struct sdvk_image *src, const struct sdvk_image *dst,
                      VkImageAspectFlags aspects);
void
sdvk_cmd_copy_by_memory(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *src,
                        const struct sdvk_image *dst, const struct sundog_cmd_copy_image *copy);
/*
 * Returns true if @aspects are only one of the depth and stencil aspects of a single-sampled image
 * that has both. The second function blits that aspect and preserves the other.
 */
bool
sdvk_is_part_of_texels(const struct sdvk_image *image, VkImageAspectFlags aspects);
void
sdvk_cmd_blit_aspect(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *dst,
                     const struct sundog_cmd_blit_image *blit);
/*
 * Allocates a BO that the command buffer owns until it is reset. NULL: no memory, and the recording
 * has failed.
 */
struct sdrm_bo *
sdvk_cmd_new_scratch(struct sdvk_cmd_buffer *cmd, uint64_t size);
void
sdvk_cmd_free_scratch(struct sdvk_cmd_buffer *cmd);
/*
 * Returns scratch memory of @size bytes for the CPU, and @out for packets. NULL: no memory, and the
 * recording has failed.
 */
void *
sdvk_cmd_new_data(struct sdvk_cmd_buffer *cmd, uint64_t size, struct sundog_mem_range *out);

/*
 * sdvk_cmd_rendering.c: record the packet that begins a rendering; end the rendering for a barrier,
 * and begin it again.
 */
void
sdvk_rendering_describe(struct sdvk_rendering *rendering, const VkRenderingInfo *info);
void
sdvk_cmd_restart_rendering(struct sdvk_cmd_buffer *cmd, const struct sundog_cmd_barrier *barrier,
                           const struct sdvk_condition *condition);

/* Adds a mark at the current end of the packets. */
static inline void
sdvk_cmd_add_mark(struct sdvk_cmd_buffer *cmd, struct sdvk_mark mark)
{
   struct sdvk_mark *at = sdvk_cmd_grow(cmd, &cmd->marks, 1, sizeof(*at));

   mark.at = cmd->stream.packets.used;
   if (at)
      *at = mark;
}

/*
 * sdvk_cmd_feedback.c: keep a condition that is active from discarding the commands in between. It
 * affects draws, dispatches and vkCmdClearAttachments() of the program only (Vulkan 1.4,
 * "Conditional Rendering").
 */
void
sdvk_cmd_pause_condition(struct sdvk_cmd_buffer *cmd);
void
sdvk_cmd_resume_condition(struct sdvk_cmd_buffer *cmd);

/* sdvk_cmd_resolve.c: emit all resolves of the rendering that ended. */
void
sdvk_cmd_resolve(struct sdvk_cmd_buffer *cmd);

/*
 * sdvk_cmd_objects.c: bind a shader object, or NULL; unbind those of graphics or compute; find the
 * program for the bound ones. sdvk_cmd_link_objects() may only be called while
 * objects.used[compute].
 */
void
sdvk_cmd_bind_object(struct sdvk_cmd_buffer *cmd, enum sundog_stage stage,
                     struct sdvk_shader_object *object);
void
sdvk_cmd_unbind_objects(struct sdvk_cmd_buffer *cmd, bool compute);
void
sdvk_cmd_link_objects(struct sdvk_cmd_buffer *cmd, bool compute);

/*
 * sdvk_cmd_state.c: bind a pipeline's static state; emit all state that changed, before a draw or a
 * dispatch.
 */
void
sdvk_cmd_bind_state(struct sdvk_cmd_buffer *cmd, const struct sdvk_pipeline *pipeline);
void
sdvk_cmd_set_graphics(struct sdvk_cmd_buffer *cmd);
void
sdvk_cmd_flush_compute(struct sdvk_cmd_buffer *cmd);

/* Emits state that changed. Inline, since most draws change none. */
static inline void
sdvk_cmd_flush_graphics(struct sdvk_cmd_buffer *cmd)
{
   const struct sdvk_program *program = cmd->programs[false];

   if (!program || cmd->objects.used[false] || cmd->shaders_dirty || cmd->pipeline_dirty ||
       cmd->all_dirty || !BITSET_IS_EMPTY(cmd->vk.dynamic_graphics_state.dirty) ||
       !sdvk_sets_are_complete(&cmd->sets[false], program))
      sdvk_cmd_set_graphics(cmd);
}

#endif

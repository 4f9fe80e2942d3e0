/* SPDX-License-Identifier: MIT */
/*
 * A command buffer is the packets that its commands turned into. They go into one stream with those of others, so
 * that it begins, and goes on after secondary ones, with state that it does not know.
 */
#ifndef SDVK_CMD_BUFFER_H
#define SDVK_CMD_BUFFER_H

#include "sdvk_pipeline.h"
#include "sdvk_query.h"
#include "sdvk_stream.h"
#include "util/bitscan.h"
#include "vk_command_buffer.h"

struct sdvk_image;
struct sdvk_image_view;
struct sdvk_shader_object;

/* What is done with an attachment's samples when the rendering ends. */
struct sdvk_resolve {
   const struct sdvk_image_view *src, *dst; /* no dst: nothing */
   VkImageAspectFlagBits aspect;
   VkResolveModeFlagBits mode;
};

#define SDVK_MAX_RESOLVES (SUNDOG_MAX_COLOR_ATTACHMENTS + 2)

struct sdvk_rendering {
   bool active;
   uint32_t color_count;
   uint32_t colors; /* a mask of those that are there */
   bool depth, stencil;
   VkRect2D area;
   uint32_t layers;
   uint32_t view_mask; /* 0: layers, and no views */
   struct sdvk_resolve resolves[SDVK_MAX_RESOLVES];
   uint32_t n_resolves;
   const struct sdvk_image_view *texels[2 * SUNDOG_MAX_COLOR_ATTACHMENTS]; /* that are blocks, see sdvk_texels.h */
   uint32_t n_texels;
   uint32_t open; /* queries and feedback that end before it does: it cannot be begun again */
   /* What begins it again; not known in secondary command buffers that were not told. */
   bool known;
   struct sundog_cmd_begin_rendering begin;
   struct sundog_attachment attachments[SUNDOG_MAX_COLOR_ATTACHMENTS];
};

struct sdvk_condition {
   bool open;
   bool within; /* it began within the rendering, and ends before that does */
   struct sundog_cmd_begin_memory_condition begin;
};

/* Where in a stream a rendering is to be ended for a barrier, and begun again. */
struct sdvk_restart {
   uint32_t at;
   struct sundog_cmd_barrier barrier;
   struct sdvk_condition condition;
};

struct sdvk_feedback {
   struct sundog_mem_range buffers[SUNDOG_MAX_FEEDBACK_BUFFERS]; /* size 0: none */
   struct sundog_cmd_begin_feedback begin;
   uint32_t begin_at; /* dword of that packet */
};

/* Of draws, in memory of the command buffer's. */
struct sdvk_records {
   struct sundog_bo *bo; /* of `scratch`; NULL: not made */
   uint64_t used;        /* bytes of it */
};

/* What copies go by way of, see sdvk_cmd_copy_blocks.c. */
struct sdvk_copies {
   struct sundog_bo *bo; /* of `scratch`; NULL: not made */
   uint64_t size;
};

/* A set of the renderer in its place. */
struct sdvk_bound_set {
   uint32_t id, n_offsets;
   uint32_t offsets[SUNDOG_MAX_DYNAMIC_OFFSETS];
};

struct sdvk_bound_sets {
   struct sdvk_bound_set sets[SUNDOG_MAX_SETS];
   uint32_t bound;                          /* by the program, a mask */
   uint32_t hidden;                         /* another one is there, see sdvk_cmd_sets.c */
   const struct vk_pipeline_layout *layout; /* for which what the program left out is bound: */
   uint32_t filled;                         /* a mask of these sets */
   const struct sdvk_program *repeated;     /* for which sets are bound again as they are; NULL: none */
};

/* Shader objects, instead of a pipeline. */
struct sdvk_bound_objects {
   struct sdvk_shader_object *stages[SDVK_NUM_STAGES]; /* NULL: none */
   bool used[2];                      /* for draws, for dispatches */
   bool dirty[2];                     /* there may be another program for them */
   struct sdvk_spirv_options options; /* of the program for draws */
};

struct sdvk_cmd_buffer {
   struct vk_command_buffer vk;
   struct sdvk_stream stream;
   bool all_dirty;      /* the renderer's state is not known */
   bool shaders_dirty;
   bool pipeline_dirty; /* another one was bound */
   uint32_t shaders[SDVK_NUM_STAGES];
   const struct sdvk_pipeline *pipeline; /* whose state draws have, NULL: none's */
   const struct sdvk_program *programs[2]; /* of draws and of dispatches, NULL: none */
   struct sdvk_bound_objects objects;
   struct sdvk_bound_sets sets[2];       /* for draws and for dispatches */
   struct sdvk_static_packet set[SDVK_NUM_STATE_GROUPS]; /* what is set by a packet of a pipeline, in `stream` */
   bool is_static[SDVK_NUM_STATE_GROUPS]; /* what is set is of a pipeline, by a packet of it or otherwise */
   uint64_t n_indices;                   /* that are bound */
   bool null_indices;                    /* no buffer is bound, but `zeros` */
   struct sundog_bo *zeros;              /* of `scratch`; NULL: not made */
   struct sdvk_records records;
   struct sdvk_copies copies;
   struct sdvk_rendering rendering;
   struct util_dynarray restarts;      /* struct sdvk_restart, of a rendering that is not known */
   struct util_dynarray ended_queries; /* struct sdvk_ended_queries */
   struct sdvk_feedback feedback;
   struct sdvk_condition condition;
   uint32_t own_counters[SUNDOG_MAX_FEEDBACK_BUFFERS]; /* objects, 0: not made */
   struct list_head pushed_sets;
   struct util_dynarray scratch; /* struct sundog_bo *, memory that commands use */
   struct util_dynarray host_uses; /* struct sdvk_host_use, by copies */
   /* Where vk.dynamic_graphics_state has them. */
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

/* A query or feedback begins or ends. */
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
   return (struct sundog_rect){rect->offset.x, rect->offset.y, rect->extent.width, rect->extent.height};
}

/* What one takes of a pool. */
static inline uint32_t
sdvk_cmd_queries_of_one(const struct sdvk_cmd_buffer *cmd)
{
   return cmd->rendering.view_mask ? util_bitcount(cmd->rendering.view_mask) : 1;
}

/* How many of a draw's indices are within what is bound: without a buffer, all. */
static inline uint32_t
sdvk_cmd_bound_indices(const struct sdvk_cmd_buffer *cmd, uint32_t first, uint32_t count)
{
   const uint64_t left = cmd->n_indices - MIN2(first, cmd->n_indices);

   return cmd->null_indices ? count : MIN2(count, left);
}

/* Where to put the next packet, of no array. */
static inline struct sundog_stream *
sdvk_cmd_packet(struct sdvk_cmd_buffer *cmd)
{
   return sdvk_stream_reserve(&cmd->stream, SDVK_PACKET_DWORDS);
}

/* Room for @count more elements of an array of the command buffer's; NULL: no memory, which its end says. */
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
/* A set for each place that the program's shaders name and where the application bound none. */
void
sdvk_cmd_bind_missing_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program);

/* sdvk_cmd_sets.c: have a set in its place; and none is known to be anywhere. */
void
sdvk_cmd_bind_set(struct sdvk_cmd_buffer *cmd, bool compute, uint32_t slot, uint32_t id, uint32_t n_offsets,
                  const uint32_t *offsets);
void
sdvk_cmd_forget_sets(struct sdvk_cmd_buffer *cmd);
/* Have all that the program's shaders need. */
void
sdvk_cmd_complete_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program);

/* Is that so? */
static inline bool
sdvk_sets_are_complete(const struct sdvk_bound_sets *bound, const struct sdvk_program *program)
{
   return bound->layout == program->layout && !(program->sets & ~(bound->bound | bound->filled)) &&
          !(program->sets & bound->hidden) && (!program->repeats.count || bound->repeated == program);
}

/* sdvk_cmd_copy_blocks.c: is one of two images compressed, or is one of two aspects copied? Copies of such. */
bool
sdvk_copies_by_memory(const struct sdvk_image *src, const struct sdvk_image *dst, VkImageAspectFlags aspects);
void
sdvk_cmd_copy_by_memory(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *src, const struct sdvk_image *dst,
                        const struct sundog_cmd_copy_image *copy);
/* Are these some of the aspects that texels have? A blit that leaves the others as they are. */
bool
sdvk_is_part_of_texels(const struct sdvk_image *image, VkImageAspectFlags aspects);
void
sdvk_cmd_blit_aspect(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *dst, const struct sundog_cmd_blit_image *blit);
/* Memory that the command buffer has until it is reset; NULL, and its recording has failed. */
struct sundog_bo *
sdvk_cmd_new_scratch(struct sdvk_cmd_buffer *cmd, uint64_t size);
void
sdvk_cmd_free_scratch(struct sdvk_cmd_buffer *cmd);

/* sdvk_cmd_rendering.c: remember what a rendering is of; and end it for a barrier, and begin it again. */
void
sdvk_rendering_describe(struct sdvk_rendering *rendering, const VkRenderingInfo *info);
void
sdvk_cmd_restart_rendering(struct sdvk_cmd_buffer *cmd, const struct sundog_cmd_barrier *barrier,
                           const struct sdvk_condition *condition);

/* sdvk_cmd_resolve.c: all that the rendering that ended asked for. */
void
sdvk_cmd_resolve(struct sdvk_cmd_buffer *cmd);

/*
 * sdvk_cmd_objects.c: bind one, or none; none are bound for draws or dispatches; have the program that they are. The
 * last two are for where objects are used.
 */
void
sdvk_cmd_bind_object(struct sdvk_cmd_buffer *cmd, enum sundog_stage stage, struct sdvk_shader_object *object);
void
sdvk_cmd_unbind_objects(struct sdvk_cmd_buffer *cmd, bool compute);
void
sdvk_cmd_link_objects(struct sdvk_cmd_buffer *cmd, bool compute);

/* sdvk_cmd_state.c: have a pipeline's state; set what changed, before a draw or a dispatch. */
void
sdvk_cmd_bind_state(struct sdvk_cmd_buffer *cmd, const struct sdvk_pipeline *pipeline);
void
sdvk_cmd_set_graphics(struct sdvk_cmd_buffer *cmd);
void
sdvk_cmd_flush_compute(struct sdvk_cmd_buffer *cmd);

/* Most draws are like those before them. */
static inline void
sdvk_cmd_flush_graphics(struct sdvk_cmd_buffer *cmd)
{
   const struct sdvk_program *program = cmd->programs[false];

   if (!program || cmd->objects.used[false] || cmd->shaders_dirty || cmd->pipeline_dirty || cmd->all_dirty ||
       !BITSET_IS_EMPTY(cmd->vk.dynamic_graphics_state.dirty) || !sdvk_sets_are_complete(&cmd->sets[false], program))
      sdvk_cmd_set_graphics(cmd);
}

#endif

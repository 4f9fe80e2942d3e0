/* SPDX-License-Identifier: MIT */
/*
 * VK_EXT_shader_object: shaders that are bound separately. Which of them are used together, and
 * with which attachments, is known at the first draw. That draw creates a program of them, which is
 * kept until one of its shaders is destroyed.
 */
#ifndef SDVK_SHADER_OBJECT_H
#define SDVK_SHADER_OBJECT_H

#include "sdvk_program.h"
#include "util/list.h"
#include "vk_shader.h"

struct hash_table;

struct sdvk_shader_object {
   struct vk_shader vk;
   struct sdvk_stage *stage;
   struct vk_pipeline_layout *layout;
   uint32_t unchecked; /* shader that the renderer has not reported as accepted; 0: none */
   /* struct member in sdvk_shader_object.c; guarded by sdvk_object_programs::lock */
   struct list_head programs;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_shader_object, vk.base, VkShaderEXT, VK_OBJECT_TYPE_SHADER_EXT)

/* All programs of shader objects of a device. */
struct sdvk_object_programs {
   simple_mtx_t lock;
   struct hash_table *all; /* struct entry by stages and options */
};

/* Returns false if there is no memory. */
bool
sdvk_object_programs_init(struct sdvk_object_programs *programs);
void
sdvk_object_programs_fini(struct sdvk_object_programs *programs);

/*
 * Returns the program of @objects, which are indexed by enum sundog_stage (NULL: none). It lives as
 * long as all of them do.
 */
VkResult
sdvk_program_of_objects(struct sdvk_device *device, struct sdvk_shader_object *const *objects,
                        bool compute, const struct sdvk_spirv_options *options,
                        const struct sdvk_program **out);

extern const struct vk_device_shader_ops sdvk_shader_ops;

#endif

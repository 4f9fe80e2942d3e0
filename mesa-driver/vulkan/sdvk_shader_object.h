/* SPDX-License-Identifier: MIT */
/*
 * VK_EXT_shader_object: shaders that are bound one by one. Which of them draw together, and to what, is known when they
 * do; a program of them is made then, and kept until one of them ends.
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
   struct list_head programs; /* struct member, see sdvk_shader_object.c; by the lock of all */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_shader_object, vk.base, VkShaderEXT, VK_OBJECT_TYPE_SHADER_EXT)

/* Programs of shader objects, of a device. */
struct sdvk_object_programs {
   simple_mtx_t lock;
   struct hash_table *all; /* by stages and options */
};

/* False: no memory. */
bool
sdvk_object_programs_init(struct sdvk_object_programs *programs);
void
sdvk_object_programs_fini(struct sdvk_object_programs *programs);

/* Of these objects, by enum sundog_stage, NULL: none. It lives as long as all of them do. */
VkResult
sdvk_program_of_objects(struct sdvk_device *device, struct sdvk_shader_object *const *objects, bool compute,
                        const struct sdvk_spirv_options *options, const struct sdvk_program **out);

extern const struct vk_device_shader_ops sdvk_shader_ops;

#endif

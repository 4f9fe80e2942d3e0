/* SPDX-License-Identifier: MIT */
/*
 * VK_EXT_shader_object: objects, and the cache of programs that draws use: see
 * sdvk_shader_object.h. Any thread creates and destroys objects, or draws with them;
 * sdvk_object_programs::lock guards the cache.
 */
#include "sdvk_shader_object.h"

#include <stdlib.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "util/blob.h"
#include "util/hash_table.h"
#include "vk_alloc.h"
#include "vk_common_entrypoints.h"
#include "vk_log.h"
#include "vk_util.h"

/* Programs */

struct key {
   const struct sdvk_stage *stages[SDVK_NUM_STAGES];
   struct sdvk_spirv_options options;
};

struct entry;

/* A shader object's entry in a program. */
struct member {
   struct list_head link; /* in sdvk_shader_object::programs */
   struct entry *entry;
};

struct entry {
   struct key key; /* hashed and compared as bytes */
   struct sdvk_program program;
   struct member members[SDVK_NUM_STAGES];
   uint32_t n_members;
};

static uint32_t
hash(const void *key)
{
   return _mesa_hash_data(key, sizeof(struct key));
}

static bool
equal(const void *a, const void *b)
{
   return !memcmp(a, b, sizeof(struct key));
}

bool
sdvk_object_programs_init(struct sdvk_object_programs *programs)
{
   simple_mtx_init(&programs->lock, mtx_plain);
   programs->all = _mesa_hash_table_create(NULL, hash, equal);
   return programs->all;
}

void
sdvk_object_programs_fini(struct sdvk_object_programs *programs)
{
   _mesa_hash_table_destroy(programs->all, NULL);
   simple_mtx_destroy(&programs->lock);
}

static void
entry_del(struct sdvk_device *device, struct entry *entry)
{
   for (uint32_t i = 0; i < entry->n_members; i++)
      list_del(&entry->members[i].link);
   sdvk_program_fini(device, &entry->program);
   free(entry);
}

static void
forget_programs(struct sdvk_device *device, struct sdvk_shader_object *object)
{
   simple_mtx_lock(&device->object_programs.lock);
   list_for_each_entry_safe(struct member, member, &object->programs, link) {
      _mesa_hash_table_remove_key(device->object_programs.all, &member->entry->key);
      entry_del(device, member->entry);
   }
   simple_mtx_unlock(&device->object_programs.lock);
}

/* Fills in a key. Padding is zero, since keys are compared as bytes. */
static void
fill_key(struct key *key, struct sdvk_shader_object *const *objects,
         const struct sdvk_spirv_options *options)
{
   memset(key, 0, sizeof(*key));
   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++)
      key->stages[i] = objects[i] ? objects[i]->stage : NULL;
   key->options.views = options->views;
   key->options.per_sample = options->per_sample;
   key->options.moves_outputs = options->moves_outputs;
   if (options->moves_outputs)
      memcpy(key->options.locations, options->locations, sizeof(options->locations));
}

/* Returns a layout if all objects have the same layout of the renderer. NULL: they differ. */
static struct vk_pipeline_layout *
common_layout(struct sdvk_shader_object *const *objects)
{
   struct vk_pipeline_layout *layout = NULL;

   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++) {
      if (!objects[i])
         continue;
      if (layout && sdvk_renderer_layout(layout) != sdvk_renderer_layout(objects[i]->layout))
         return NULL;
      layout = objects[i]->layout;
   }
   return layout;
}

/*
 * Creates a layout from the sets that the objects use. Objects that use the same set have identical
 * layouts for it.
 */
static VkResult
join_layouts(struct sdvk_device *device, struct sdvk_shader_object *const *objects,
             struct vk_pipeline_layout **out)
{
   VkDescriptorSetLayout sets[SUNDOG_MAX_SETS] = {0};
   VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_ALL};
   VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pSetLayouts = sets,
      .pPushConstantRanges = &range,
   };

   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++) {
      const struct vk_pipeline_layout *layout = objects[i] ? objects[i]->layout : NULL;

      if (!layout)
         continue;
      range.size = MAX2(range.size, sdvk_renderer_layout(layout)->key.push_size);
      u_foreach_bit (set, objects[i]->stage->sets & BITFIELD_MASK(layout->set_count)) {
         sets[set] = vk_descriptor_set_layout_to_handle(layout->set_layouts[set]);
         info.setLayoutCount = MAX2(info.setLayoutCount, set + 1);
      }
   }
   info.pushConstantRangeCount = range.size > 0;
   return sdvk_pipeline_layout_new(device, &info, out);
}

static VkResult
set_layout(struct sdvk_device *device, struct sdvk_program *program,
           struct sdvk_shader_object *const *objects)
{
   struct vk_pipeline_layout *layout = common_layout(objects);
   VkResult result;

   if (layout) {
      sdvk_program_set_layout(program, layout);
      return VK_SUCCESS;
   }
   result = join_layouts(device, objects, &layout);
   if (result != VK_SUCCESS)
      return result;
   sdvk_program_set_layout(program, layout);
   vk_pipeline_layout_unref(&device->vk, layout);
   return VK_SUCCESS;
}

static VkResult
link_objects(struct sdvk_device *device, struct entry *entry,
             struct sdvk_shader_object *const *objects)
{
   VkResult result = set_layout(device, &entry->program, objects);

   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++) {
      struct member *member = &entry->members[entry->n_members];

      if (!objects[i])
         continue;
      sdvk_program_add_stage(&entry->program, objects[i]->stage);
      member->entry = entry;
      list_addtail(&member->link, &objects[i]->programs);
      entry->n_members++;
   }
   if (result == VK_SUCCESS)
      result = sdvk_program_link(device, &entry->program, &entry->key.options, true);
   return result;
}

static VkResult
entry_new(struct sdvk_device *device, struct sdvk_shader_object *const *objects, bool compute,
          const struct key *key, struct entry **out)
{
   struct entry *entry = calloc(1, sizeof(*entry));
   VkResult result;

   if (!entry)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   memcpy(&entry->key, key, sizeof(*key));
   sdvk_program_init(&entry->program, compute);
   result = link_objects(device, entry, objects);
   if (result != VK_SUCCESS) {
      entry_del(device, entry);
      return result;
   }
   _mesa_hash_table_insert(device->object_programs.all, &entry->key, entry);
   *out = entry;
   return VK_SUCCESS;
}

VkResult
sdvk_program_of_objects(struct sdvk_device *device, struct sdvk_shader_object *const *objects,
                        bool compute, const struct sdvk_spirv_options *options,
                        const struct sdvk_program **out)
{
   const struct hash_entry *found;
   struct entry *entry = NULL;
   VkResult result = VK_SUCCESS;
   struct key key;

   fill_key(&key, objects, options);
   simple_mtx_lock(&device->object_programs.lock);
   found = _mesa_hash_table_search(device->object_programs.all, &key);
   if (found)
      entry = found->data;
   else
      result = entry_new(device, objects, compute, &key, &entry);
   simple_mtx_unlock(&device->object_programs.lock);
   *out = entry ? &entry->program : NULL;
   return result;
}

/* Objects */

static void
destroy(struct vk_device *vk, struct vk_shader *shader, const VkAllocationCallbacks *alloc)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   struct sdvk_shader_object *object = container_of(shader, struct sdvk_shader_object, vk);

   forget_programs(device, object);
   sdvk_stage_unref(device, object->stage);
   if (object->layout)
      vk_pipeline_layout_unref(vk, object->layout);
   vk_shader_free(vk, alloc, shader);
}

/*
 * Writes the binary: a stage and a module with one entry point, called main, for any device of this
 * driver.
 */
static bool
serialize(struct vk_device *vk, const struct vk_shader *shader, struct blob *blob)
{
   const struct sdvk_stage *stage = container_of(shader, struct sdvk_shader_object, vk)->stage;

   return blob_write_uint32(blob, stage->stage) &&
          blob_write_bytes(blob, stage->code.words, stage->code.count * 4);
}

static const struct vk_shader_ops shader_ops = {
   .destroy = destroy,
   .serialize = serialize,
};

static VkResult
object_new(struct sdvk_device *device, const VkPipelineShaderStageCreateInfo *info,
           const VkAllocationCallbacks *alloc, struct sdvk_shader_object **out)
{
   struct sdvk_stage *stage;
   struct sdvk_shader_object *object;
   VkResult result = sdvk_stage_new(device, info, &stage);

   if (result != VK_SUCCESS)
      return result;
   object = vk_shader_zalloc(&device->vk, &shader_ops, vk_to_mesa_shader_stage(info->stage), alloc,
                             sizeof(*object));
   if (!object) {
      sdvk_stage_unref(device, stage);
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   }
   object->stage = stage;
   list_inithead(&object->programs);
   *out = object;
   return VK_SUCCESS;
}

/* A binary is as untrusted as an application's module, and is validated in the same way. */
static VkResult
object_of_binary(struct vk_device *vk, struct blob_reader *blob, uint32_t version,
                 const VkAllocationCallbacks *alloc, struct vk_shader **out)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   const uint32_t stage = blob_read_uint32(blob), size = blob->end - blob->current;
   uint32_t *code = malloc(MAX2(size, 1));
   const VkShaderModuleCreateInfo module = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = size,
      .pCode = code,
   };
   const VkPipelineShaderStageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .pNext = &module,
      .stage = stage,
      .pName = "main",
   };
   VkResult result = VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT;
   struct sdvk_shader_object *object = NULL;

   if (!code)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   blob_copy_bytes(blob, code, size);
   if (!blob->overrun && util_is_power_of_two_nonzero(stage) &&
       stage & (SDVK_GRAPHICS_STAGES | VK_SHADER_STAGE_COMPUTE_BIT))
      result = object_new(device, &info, alloc, &object);
   free(code);
   *out = object ? &object->vk : NULL;
   if (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY)
      return result;
   return vk_error(device, VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT);
}

static VkResult
object_of_code(struct sdvk_device *device, const VkShaderCreateInfoEXT *info,
               const VkAllocationCallbacks *alloc, struct sdvk_shader_object **out)
{
   const VkShaderModuleCreateInfo module = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = info->codeSize,
      .pCode = info->pCode,
   };
   const VkPipelineShaderStageCreateInfo stage = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .pNext = &module,
      .stage = info->stage,
      .pName = info->pName,
      .pSpecializationInfo = info->pSpecializationInfo,
   };

   return object_new(device, &stage, alloc, out);
}

/* Mesa's runtime checks the binary's header and checksum. */
static VkResult
object_of_info(struct sdvk_device *device, const VkShaderCreateInfoEXT *info,
               const VkAllocationCallbacks *alloc, struct sdvk_shader_object **out)
{
   VkShaderEXT handle;
   VkResult result;

   if (info->codeType != VK_SHADER_CODE_TYPE_BINARY_EXT)
      return object_of_code(device, info, alloc, out);
   result = vk_common_CreateShadersEXT(sdvk_device_to_handle(device), 1, info, alloc, &handle);
   if (result != VK_SUCCESS)
      return result;
   *out = sdvk_shader_object_from_handle(handle);
   if ((*out)->stage->stage == info->stage)
      return VK_SUCCESS;
   destroy(&device->vk, &(*out)->vk, alloc);
   return vk_error(device, VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT);
}

/*
 * Creates the renderer's shader for default options, which most draws use, so that the renderer
 * compiles it early.
 */
static VkResult
prepare(struct sdvk_device *device, struct sdvk_shader_object *object,
        const VkShaderCreateInfoEXT *info)
{
   const VkPipelineLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = info->setLayoutCount,
      .pSetLayouts = info->pSetLayouts,
      .pushConstantRangeCount = info->pushConstantRangeCount,
      .pPushConstantRanges = info->pPushConstantRanges,
   };
   const struct sdvk_spirv_options options = {0};
   const struct util_dynarray *kinds = &object->stage->kinds;
   struct sdvk_shader shader = {0};
   VkResult result = sdvk_pipeline_layout_new(device, &layout, &object->layout);

   if (result != VK_SUCCESS || sdvk_spirv_kinds_differ(&kinds, 1, object->layout))
      return result;
   result = sdvk_stage_get_shader(device, object->stage, object->layout, &options, true, &shader);
   object->unchecked = shader.id;
   return result;
}

static VkResult
create_shader(struct sdvk_device *device, const VkShaderCreateInfoEXT *info,
              const VkAllocationCallbacks *alloc, VkShaderEXT *out)
{
   struct sdvk_shader_object *object = NULL;
   VkResult result = object_of_info(device, info, alloc, &object);

   if (result != VK_SUCCESS)
      return result;
   result = prepare(device, object, info);
   if (result != VK_SUCCESS)
      destroy(&device->vk, &object->vk, alloc);
   else
      *out = sdvk_shader_object_to_handle(object);
   return result;
}

/*
 * Destroys the objects whose default shaders the renderer refuses. Returns one of their errors, or
 * VK_SUCCESS.
 */
static VkResult
check_objects(struct sdvk_device *device, uint32_t count, const VkAllocationCallbacks *alloc,
              VkShaderEXT *shaders)
{
   struct sdvk_check *checks = calloc(MAX2(count, 1), sizeof(*checks));
   VkResult result = VK_SUCCESS;
   uint32_t n = 0;

   /* Without memory the shaders stay unchecked. */
   if (!checks)
      return VK_SUCCESS;
   for (uint32_t i = 0; i < count; i++) {
      const struct sdvk_shader_object *object = sdvk_shader_object_from_handle(shaders[i]);

      if (object && object->unchecked)
         checks[n++] = (struct sdvk_check){.id = object->unchecked, .stage = object->stage->stage};
   }
   sdvk_check_shaders(device, checks, n);
   n = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct sdvk_shader_object *object = sdvk_shader_object_from_handle(shaders[i]);
      const struct sdvk_check *check = &checks[n];

      if (!object || !object->unchecked)
         continue;
      n++;
      if (!check->known)
         continue;
      object->unchecked = 0;
      sdvk_stage_set_result(object->stage, check->id, check->result);
      if (check->result == VK_SUCCESS)
         continue;
      result = check->result;
      destroy(&device->vk, &object->vk, alloc);
      shaders[i] = VK_NULL_HANDLE;
   }
   free(checks);
   return result;
}

/*
 * VK_SHADER_CREATE_LINK_STAGE_BIT_EXT has no effect: linked shaders are created as separate ones.
 */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateShadersEXT(VkDevice _device, uint32_t createInfoCount,
                      const VkShaderCreateInfoEXT *pCreateInfos,
                      const VkAllocationCallbacks *pAllocator, VkShaderEXT *pShaders)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkResult result = VK_SUCCESS, checked;

   memset(pShaders, 0, createInfoCount * sizeof(*pShaders));
   for (uint32_t i = 0; i < createInfoCount; i++) {
      const VkResult one = create_shader(device, &pCreateInfos[i], pAllocator, &pShaders[i]);

      if (result == VK_SUCCESS)
         result = one;
   }
   checked = check_objects(device, createInfoCount, pAllocator, pShaders);
   return result == VK_SUCCESS ? checked : result;
}

/*
 * Binds shader objects. They replace a pipeline of their bind point completely, even if they are
 * for some stages only.
 */
static void
bind_shaders(struct vk_command_buffer *vk, uint32_t count, const gl_shader_stage *stages,
             struct vk_shader **const shaders)
{
   struct sdvk_cmd_buffer *cmd = sdvk_cmd_buffer(vk);

   for (uint32_t i = 0; i < count; i++) {
      const VkShaderStageFlagBits stage = mesa_to_vk_shader_stage(stages[i]);

      if (stage & (SDVK_GRAPHICS_STAGES | VK_SHADER_STAGE_COMPUTE_BIT))
         sdvk_cmd_bind_object(cmd, sdvk_packet_stage(stage),
                              shaders[i] ? container_of(shaders[i], struct sdvk_shader_object, vk)
                                         : NULL);
   }
}

const struct vk_device_shader_ops sdvk_shader_ops = {
   .deserialize = object_of_binary,
   .cmd_bind_shaders = bind_shaders,
};

/* SPDX-License-Identifier: MIT */
/*
 * VkDescriptorSetLayout and VkPipelineLayout, and the renderer's layouts for them. Any thread of
 * the program calls the entry points; layouts are constant and counted by references.
 */
#include <stdlib.h>
#include <string.h>

#include "sdvk_descriptor.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_inline.h"
#include "sdvk_layout.h"
#include "sdvk_physical_device.h"
#include "util/bitset.h"
#include "vk_alloc.h"
#include "vk_format.h"
#include "vk_log.h"
#include "vk_physical_device.h"
#include "vk_util.h"

static void
destroy_set_layout(struct vk_device *vk, struct vk_descriptor_set_layout *vk_layout)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   struct sdvk_set_layout *layout = container_of(vk_layout, struct sdvk_set_layout, vk);

   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SET_LAYOUT, layout->id);
   vk_descriptor_set_layout_destroy(vk, vk_layout);
}

static bool
type_supported(VkDescriptorType type)
{
   switch (type) {
   case VK_DESCRIPTOR_TYPE_SAMPLER:
   case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
   case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
   case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
   case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
   case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
   case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
   case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
   case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return true;
   default:
      return false;
   }
}

/*
 * Returns true if the binding's type list is supported: all but dynamic buffers and inline uniform
 * blocks, which Vulkan forbids there, too
 * (VUID-VkMutableDescriptorTypeListEXT-pDescriptorTypes-04600 to -04603).
 */
static bool
mutable_supported(const VkDescriptorSetLayoutCreateInfo *info, uint32_t index)
{
   const VkMutableDescriptorTypeCreateInfoEXT *types =
      vk_find_struct_const(info->pNext, MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
   const VkMutableDescriptorTypeListEXT *list =
      types && index < types->mutableDescriptorTypeListCount
         ? &types->pMutableDescriptorTypeLists[index]
         : NULL;

   for (uint32_t i = 0; list && i < list->descriptorTypeCount; i++) {
      switch (list->pDescriptorTypes[i]) {
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
         return false;
      default:
         if (!type_supported(list->pDescriptorTypes[i]))
            return false;
      }
   }
   return true;
}

/*
 * Returns the renderer's elements of a binding: an inline uniform block of @count bytes is one
 * uniform buffer.
 */
static uint32_t
packet_count(VkDescriptorType type, uint32_t count)
{
   return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 1 : count;
}

static bool
is_dynamic(VkDescriptorType type)
{
   return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
          type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static bool
takes_samplers(const VkDescriptorSetLayoutBinding *b)
{
   return b->pImmutableSamplers && (b->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                                    b->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
}

/*
 * Returns the largest plane count of its immutable samplers' conversions. Each plane takes a
 * binding of the renderer.
 */
static uint32_t
count_planes(const VkDescriptorSetLayoutBinding *b)
{
   uint32_t n_planes = 1;

   if (b->descriptorType != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || !b->pImmutableSamplers)
      return n_planes;
   for (uint32_t i = 0; i < b->descriptorCount; i++) {
      VK_FROM_HANDLE(sdvk_sampler, sampler, b->pImmutableSamplers[i]);
      const struct vk_ycbcr_conversion *conversion = sampler->vk.ycbcr_conversion;

      n_planes =
         MAX2(n_planes, conversion ? vk_format_get_plane_count(conversion->state.format) : 1);
   }
   return n_planes;
}

static uint32_t
max_number(const struct sdvk_device *device)
{
   const bool any = (sdvk_device_physical(device)->caps.version & 0xffff) >= 5;

   return any ? SUNDOG_MAX_BINDING_NUMBER : SUNDOG_MAX_MUTABLE_BINDINGS - 1;
}

static uint32_t
max_bindings(const struct sdvk_device *device)
{
   const bool many = (sdvk_device_physical(device)->caps.version & 0xffff) >= 9;

   return many ? SUNDOG_MAX_SET_BINDINGS : SUNDOG_MAX_MUTABLE_BINDINGS;
}

/*
 * Returns true if the renderer supports the bindings. @room: how many descriptors more would fit.
 */
static bool
bindings_supported(const struct sdvk_device *device, const VkDescriptorSetLayoutCreateInfo *info,
                   uint32_t *room)
{
   uint32_t n_dynamic = 0, n_mutable = 0, n_bindings = 0;

   *room = device->vk.physical->properties.maxPerSetDescriptors;
   for (uint32_t i = 0; i < info->bindingCount; i++) {
      const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];

      if (!b->descriptorCount)
         continue;
      const uint32_t n_planes = count_planes(b);
      const uint64_t count =
         (uint64_t)packet_count(b->descriptorType, b->descriptorCount) * n_planes;

      if (b->binding > max_number(device) || !type_supported(b->descriptorType) || count > *room)
         return false;
      if (b->descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT && !mutable_supported(info, i))
         return false;
      if (b->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK &&
          b->descriptorCount > SDVK_MAX_INLINE_SIZE)
         return false;
      *room -= count;
      n_dynamic += is_dynamic(b->descriptorType) ? b->descriptorCount : 0;
      n_mutable += b->descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
      n_bindings += n_planes;
   }
   return n_bindings <= max_bindings(device) && n_mutable <= SUNDOG_MAX_MUTABLE_BINDINGS &&
          n_dynamic <= SUNDOG_MAX_DYNAMIC_OFFSETS;
}

static int
compare(const void *a, const void *b)
{
   const struct sdvk_binding *x = a, *y = b;

   return x->number < y->number ? -1 : x->number > y->number;
}

static struct sdvk_immutable_sampler
immutable_sampler(VkSampler _sampler)
{
   VK_FROM_HANDLE(sdvk_sampler, sampler, _sampler);
   struct sdvk_immutable_sampler out = {.id = sampler->id};

   if (sampler->vk.ycbcr_conversion)
      out.conversion = sampler->vk.ycbcr_conversion->state;
   return out;
}

static void
add_binding(struct sdvk_set_layout *layout, const VkDescriptorSetLayoutBinding *b)
{
   struct sdvk_binding *binding = &layout->bindings[layout->n_bindings++];

   *binding = (struct sdvk_binding){
      .number = b->binding,
      .count = b->descriptorCount,
      .type = b->descriptorType,
      .n_planes = count_planes(b),
      .planes = {b->binding},
   };
   if (is_dynamic(b->descriptorType))
      layout->n_dynamic += b->descriptorCount;
   if (!takes_samplers(b))
      return;
   binding->samplers = layout->n_samplers + 1;
   for (uint32_t i = 0; i < b->descriptorCount; i++)
      layout->samplers[layout->n_samplers++] = immutable_sampler(b->pImmutableSamplers[i]);
}

/*
 * Numbers the bindings of further planes: unused numbers, and the same ones for identical layouts.
 */
static void
number_planes(struct sdvk_set_layout *layout)
{
   BITSET_DECLARE(used, SUNDOG_MAX_SET_BINDINGS) = {0};
   uint32_t next = 0;

   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      if (layout->bindings[i].number < SUNDOG_MAX_SET_BINDINGS)
         BITSET_SET(used, layout->bindings[i].number);
   }
   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      struct sdvk_binding *binding = &layout->bindings[i];

      for (uint32_t plane = 1; plane < binding->n_planes; plane++) {
         while (BITSET_TEST(used, next))
            next++;
         binding->planes[plane] = next++;
      }
   }
}

bool
sdvk_set_layouts_alike(const struct sdvk_set_layout *a, const struct sdvk_set_layout *b)
{
   if (a == b)
      return true;
   if (a->n_bindings != b->n_bindings || a->n_samplers != b->n_samplers ||
       memcmp(a->bindings, b->bindings, a->n_bindings * sizeof(*a->bindings)))
      return false;
   for (uint32_t i = 0; i < a->n_samplers; i++) {
      if (a->samplers[i].id != b->samplers[i].id)
         return false;
   }
   return true;
}

uint32_t
sdvk_packet_descriptor_type(VkDescriptorType type)
{
   switch (type) {
   case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
   case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
   case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
   case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
      return SUNDOG_MUTABLE_TYPE;
   default:
      return type;
   }
}

static int
compare_packets(const void *a, const void *b)
{
   const struct sundog_set_binding *x = a, *y = b;

   return x->binding < y->binding ? -1 : x->binding > y->binding;
}

/* Fills in the renderer's bindings, sorted. Returns how many there are. */
static uint32_t
packet_bindings(const struct sdvk_set_layout *layout, struct sundog_set_binding *out)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      const struct sdvk_binding *b = &layout->bindings[i];

      for (uint32_t plane = 0; plane < b->n_planes; plane++)
         out[n++] = (struct sundog_set_binding){
            b->planes[plane],
            sdvk_packet_descriptor_type(b->type),
            packet_count(b->type, b->count),
         };
   }
   qsort(out, n, sizeof(*out), compare_packets);
   return n;
}

static VkResult
emit_set_layout(struct sdvk_device *device, struct sdvk_set_layout *layout)
{
   struct sundog_set_binding bindings[SUNDOG_MAX_SET_BINDINGS];
   struct sundog_cmd_create_set_layout cmd = {.count = packet_bindings(layout, bindings)};
   struct sundog_stream *stream =
      sdvk_object_begin(device, SDVK_PACKET_DWORDS + cmd.count * 3, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   sundog_emit_create_set_layout(stream, &cmd, bindings);
   sdvk_object_end(device);
   layout->id = cmd.id;
   return VK_SUCCESS;
}

/* Returns the renderer's elements of a binding, with all planes. */
static uint32_t
elements_of(const struct sdvk_binding *binding)
{
   return packet_count(binding->type, binding->count) * binding->n_planes;
}

/* Returns the renderer's elements of a set. */
static uint32_t
count_elements(const struct sdvk_set_layout *layout)
{
   uint32_t count = 0;

   for (uint32_t i = 0; i < layout->n_bindings; i++)
      count += elements_of(&layout->bindings[i]);
   return count;
}

/* Returns the elements of a large set; 0: sets of this layout are not large. */
static uint32_t
large_count(const struct sdvk_device *device, const struct sdvk_set_layout *layout)
{
   const uint32_t count = count_elements(layout);

   return count >= sdvk_device_physical(device)->caps.large_set ? count : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateDescriptorSetLayout(VkDevice _device, const VkDescriptorSetLayoutCreateInfo *pCreateInfo,
                               const VkAllocationCallbacks *pAllocator,
                               VkDescriptorSetLayout *pSetLayout)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   uint32_t n_samplers = 0, room;
   VkResult result;

   if (!bindings_supported(device, pCreateInfo, &room))
      return vk_errorf(device, VK_ERROR_UNKNOWN,
                       "a set layout with too many or unsupported descriptors: see "
                       "vkGetDescriptorSetLayoutSupport()");
   for (uint32_t i = 0; i < pCreateInfo->bindingCount; i++)
      n_samplers +=
         takes_samplers(&pCreateInfo->pBindings[i]) ? pCreateInfo->pBindings[i].descriptorCount : 0;

   VK_MULTIALLOC(ma);
   VK_MULTIALLOC_DECL(&ma, struct sdvk_set_layout, layout, 1);
   VK_MULTIALLOC_DECL(&ma, struct sdvk_binding, bindings, pCreateInfo->bindingCount);
   VK_MULTIALLOC_DECL(&ma, struct sdvk_immutable_sampler, samplers, n_samplers);
   if (!vk_descriptor_set_layout_multizalloc(&device->vk, &ma))
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   layout->vk.destroy = destroy_set_layout;
   layout->bindings = bindings;
   layout->samplers = samplers;
   for (uint32_t i = 0; i < pCreateInfo->bindingCount; i++) {
      if (pCreateInfo->pBindings[i].descriptorCount)
         add_binding(layout, &pCreateInfo->pBindings[i]);
   }
   qsort(layout->bindings, layout->n_bindings, sizeof(layout->bindings[0]), compare);
   number_planes(layout);
   sdvk_inline_layout(device, layout);
   layout->n_large = large_count(device, layout);
   result = emit_set_layout(device, layout);
   if (result != VK_SUCCESS) {
      vk_descriptor_set_layout_unref(&device->vk, &layout->vk);
      return result;
   }
   *pSetLayout = sdvk_set_layout_to_handle(layout);
   return VK_SUCCESS;
}

/* Returns the binding with a variable descriptor count; NULL: there is none. */
static const VkDescriptorSetLayoutBinding *
variable_binding(const VkDescriptorSetLayoutCreateInfo *info)
{
   const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
      vk_find_struct_const(info->pNext, DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);

   for (uint32_t i = 0; flags && i < flags->bindingCount; i++) {
      if (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
         return &info->pBindings[i];
   }
   return NULL;
}

/*
 * Returns the largest descriptor count of the binding if @room more descriptors fit; bytes of an
 * inline uniform block (Vulkan 1.4, VkDescriptorSetVariableDescriptorCountLayoutSupport).
 */
static uint32_t
most_of(const VkDescriptorSetLayoutBinding *binding, uint32_t room)
{
   return binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
             ? SDVK_MAX_INLINE_SIZE
             : room / count_planes(binding) + binding->descriptorCount;
}

/*
 * Binding flags have no effect on support. A draw reads the sets as they are when it is executed,
 * unwritten descriptors are null descriptors, and a set always has all elements of its layout,
 * however many of the variable binding are allocated.
 */
VKAPI_ATTR void VKAPI_CALL
sdvk_GetDescriptorSetLayoutSupport(VkDevice _device,
                                   const VkDescriptorSetLayoutCreateInfo *pCreateInfo,
                                   VkDescriptorSetLayoutSupport *pSupport)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkDescriptorSetVariableDescriptorCountLayoutSupport *variable =
      vk_find_struct(pSupport->pNext, DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT);
   const VkDescriptorSetLayoutBinding *binding = variable_binding(pCreateInfo);
   uint32_t room;

   pSupport->supported = bindings_supported(device, pCreateInfo, &room);
   if (variable)
      variable->maxVariableDescriptorCount =
         pSupport->supported && binding ? most_of(binding, room) : 0;
}

static void
destroy_pipeline_layout(struct vk_device *vk, struct vk_pipeline_layout *vk_layout)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   struct sdvk_pipeline_layout *layout = container_of(vk_layout, struct sdvk_pipeline_layout, vk);

   sdvk_layout_unref(device, layout->layout);
   vk_pipeline_layout_destroy(vk, vk_layout);
}

/* Returns the bytes of push constants that shaders of any stage read. */
static uint32_t
push_size(const struct vk_pipeline_layout *layout)
{
   uint32_t size = 0;

   for (uint32_t i = 0; i < layout->push_range_count; i++)
      size = MAX2(size, layout->push_ranges[i].offset + layout->push_ranges[i].size);
   return size;
}

static const struct sdvk_set_layout *
find_layout(const struct vk_pipeline_layout *layout, uint32_t set)
{
   return container_of(layout->set_layouts[set], const struct sdvk_set_layout, vk);
}

const struct sdvk_binding *
sdvk_find_binding(const struct vk_pipeline_layout *layout, uint32_t set, uint32_t number)
{
   const struct sdvk_set_layout *set_layout =
      set < layout->set_count && layout->set_layouts[set] ? find_layout(layout, set) : NULL;

   for (uint32_t i = 0; set_layout && i < set_layout->n_bindings; i++) {
      if (set_layout->bindings[i].number == number)
         return &set_layout->bindings[i];
   }
   return NULL;
}

const struct vk_ycbcr_conversion_state *
sdvk_find_conversion(const struct vk_pipeline_layout *layout, uint32_t set,
                     const struct sdvk_binding *binding, uint32_t element)
{
   const struct sdvk_immutable_sampler *sampler;

   if (!binding->samplers || element >= binding->count)
      return NULL;
   sampler = &find_layout(layout, set)->samplers[binding->samplers - 1 + element];
   return sampler->conversion.format ? &sampler->conversion : NULL;
}

/*
 * Returns the renderer's id of a set layout: an empty one for sets that a pipeline library does not
 * know.
 */
static uint32_t
set_id(struct sdvk_device *device, const struct vk_pipeline_layout *layout, uint32_t set)
{
   return layout->set_layouts[set] ? find_layout(layout, set)->id : sdvk_empty_set_layout(device);
}

/* Elements of all sets that shaders see. The renderer counts each for all stages. */
struct totals {
   uint32_t resources, samplers; /* mutable descriptors and combined image samplers count as both */
};

static void
add_totals(struct totals *totals, const struct sdvk_set_layout *layout)
{
   for (uint32_t i = 0; i < layout->n_bindings; i++) {
      const struct sdvk_binding *binding = &layout->bindings[i];
      const uint32_t n = elements_of(binding);

      switch (binding->type) {
      case VK_DESCRIPTOR_TYPE_SAMPLER:
         totals->samplers += n;
         break;
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
         totals->samplers += n;
         totals->resources += n;
         break;
      default:
         totals->resources += n;
         break;
      }
   }
}

/*
 * Checks the totals: the renderer would end the stream of a layout that exceeds them, which
 * programs may have within Vulkan's limits, since those are per stage.
 */
VkResult
sdvk_get_layout(struct sdvk_device *device, const struct vk_pipeline_layout *layout,
                const struct sdvk_spirv_repeats *repeats, struct sdvk_layout **out)
{
   struct sdvk_layout_key key = {
      .push_size = push_size(layout),
      .count = layout->set_count + repeats->count,
   };
   struct totals totals = {0};

   for (uint32_t i = 0; i < key.count; i++) {
      const uint32_t set = i < layout->set_count ? i : repeats->sets[i - layout->set_count];

      key.sets[i] = set_id(device, layout, set);
      if (layout->set_layouts[set])
         add_totals(&totals, find_layout(layout, set));
   }
   if (totals.resources > SUNDOG_MAX_SET_DESCRIPTORS ||
       totals.samplers > SUNDOG_MAX_SET_DESCRIPTORS)
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "a pipeline layout with %u resources and %u samplers, at most %u of each",
                       totals.resources, totals.samplers, SUNDOG_MAX_SET_DESCRIPTORS);
   *out = sdvk_layout_get(device, &key);
   return *out ? VK_SUCCESS : vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

VkResult
sdvk_pipeline_layout_new(struct sdvk_device *device, const VkPipelineLayoutCreateInfo *info,
                         struct vk_pipeline_layout **out)
{
   struct sdvk_pipeline_layout *layout =
      vk_pipeline_layout_zalloc(&device->vk, sizeof(*layout), info);
   const struct sdvk_spirv_repeats none = {0};
   VkResult result;

   if (!layout)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = sdvk_get_layout(device, &layout->vk, &none, &layout->layout);
   if (result != VK_SUCCESS) {
      vk_pipeline_layout_unref(&device->vk, &layout->vk);
      return result;
   }
   layout->vk.destroy = destroy_pipeline_layout;
   *out = &layout->vk;
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreatePipelineLayout(VkDevice _device, const VkPipelineLayoutCreateInfo *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator,
                          VkPipelineLayout *pPipelineLayout)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct vk_pipeline_layout *layout = NULL;
   VkResult result = sdvk_pipeline_layout_new(device, pCreateInfo, &layout);

   if (result == VK_SUCCESS)
      *pPipelineLayout = vk_pipeline_layout_to_handle(layout);
   return result;
}

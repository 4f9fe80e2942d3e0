/* SPDX-License-Identifier: MIT */
/*
 * VkPhysicalDevice: enumeration, memory and queue properties. Mesa's runtime enumerates under its
 * lock; any thread queries, and the properties are constant.
 */
#include "sdvk_physical_device.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdvk_entrypoints.h"
#include "sdvk_instance.h"
#include "sdvk_sync.h"
#include "sdvk_wsi.h"
#include "util/log.h"
#include "util/macros.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"
#include "vk_alloc.h"
#include "vk_common_entrypoints.h"
#include "vk_log.h"
#include "vk_util.h"
#include "wsi_common_entrypoints.h"

static struct sdrm_device *
open_drm(const char *path)
{
   struct sdrm_device *dev;
   int fd = open(path, O_RDWR | O_CLOEXEC);

   if (fd < 0)
      return NULL;
   dev = sdrm_device_new(fd);
   close(fd);
   return dev;
}

struct sdrm_device *
sdvk_physical_device_open(const struct sdvk_physical_device *physical)
{
   return physical->direct ? sdrm_device_new_direct(physical->path, 0)
                           : open_drm(physical->path);
}

/* Mesa takes the first type that supports what is asked for. */
static void
init_sync_types(struct sdvk_physical_device *physical, int fd)
{
   uint32_t n = 0;

   physical->sync_types[n++] = fd < 0 ? &sdvk_sync_type : &sdvk_drm_sync_type;
   if (fd >= 0)
      sdvk_syncobj_get_type(physical, fd);
   if (physical->syncobj_type.features & VK_SYNC_FEATURE_TIMELINE) {
      physical->sync_types[n++] = &physical->syncobj_type;
   } else {
      sdvk_timeline_get_type(physical);
      physical->sync_types[n++] = &physical->timeline_type.sync;
   }
   physical->vk.supported_sync_types = physical->sync_types;
}

static VkResult
init(struct sdvk_physical_device *physical, struct vk_instance *instance,
     const struct sdrm_device *dev, const char *primary)
{
   struct vk_physical_device_dispatch_table dispatch_table;
   struct vk_device_extension_table extensions;
   struct vk_features features;
   struct vk_properties properties;
   VkResult result;

   physical->caps = *sdrm_device_caps(dev);
   physical->vram_size = sdrm_device_vram_size(dev);
   /* The CPU lays out and maps images. */
   if (physical->caps.layout_rule != SUNDOG_LAYOUT_RULE_LINEAR)
      return VK_ERROR_INCOMPATIBLE_DRIVER;
   sdvk_get_extensions(physical, &extensions);
   sdvk_get_features(physical, &features);
   sdvk_get_properties(physical, &properties);
   vk_physical_device_dispatch_table_from_entrypoints(&dispatch_table,
                                                      &sdvk_physical_device_entrypoints, true);
   vk_physical_device_dispatch_table_from_entrypoints(&dispatch_table,
                                                      &wsi_physical_device_entrypoints, false);
   result = vk_physical_device_init(&physical->vk, instance, &extensions, &features, &properties,
                                    &dispatch_table);
   if (result != VK_SUCCESS)
      return result;
   init_sync_types(physical, sdrm_device_fd(dev));
   result = sdvk_wsi_init(physical, primary);
   if (result != VK_SUCCESS)
      vk_physical_device_finish(&physical->vk);
   return result;
}

static void
free_physical(struct sdvk_physical_device *physical)
{
   const VkAllocationCallbacks *alloc = &physical->vk.instance->alloc;

   sdrm_device_del(physical->dev);
   vk_free(alloc, physical->path);
   vk_free(alloc, physical);
}

/* Returns the device number of a node of @drm; 0: it has none. */
static dev_t
node_number(const struct _drmDevice *drm, int node)
{
   struct stat info;

   return (drm->available_nodes & (1 << node)) && !stat(drm->nodes[node], &info) ? info.st_rdev : 0;
}

/*
 * Reports a DRM device that cannot be opened, if the user has chosen this driver. Otherwise the
 * loader has others, and a device without a renderer may be intended.
 */
static void
report_unusable(const char *path, int error)
{
   const char *files = debug_get_option("VK_DRIVER_FILES", NULL);

   if (!files)
      files = debug_get_option("VK_ICD_FILENAMES", NULL);
   if (files && strstr(files, "sundog"))
      mesa_logw("sundog: no Vulkan device at %s, see dmesg: %s", path, strerror(error));
}

/* Creates a physical device for @drm, or for the socket @path if @drm is NULL. */
static VkResult
create(struct vk_instance *instance, const char *path, const struct _drmDevice *drm,
       struct vk_physical_device **out)
{
   struct sdvk_physical_device *physical =
      vk_zalloc(&instance->alloc, sizeof(*physical), 8, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
   const char *primary = NULL;
   struct sdrm_device *dev = NULL;
   VkResult result = VK_ERROR_INCOMPATIBLE_DRIVER;

   if (!physical)
      return vk_error(instance, VK_ERROR_OUT_OF_HOST_MEMORY);
   physical->vk.instance = instance;
   physical->direct = !drm;
   if (drm) {
      if (drm->available_nodes & (1 << DRM_NODE_PRIMARY))
         primary = drm->nodes[DRM_NODE_PRIMARY];
      physical->pci = *drm->businfo.pci;
      physical->primary = node_number(drm, DRM_NODE_PRIMARY);
      physical->render = node_number(drm, DRM_NODE_RENDER);
   }
   physical->path = vk_strdup(&instance->alloc, path, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
   if (physical->path)
      dev = sdvk_physical_device_open(physical);
   else
      result = VK_ERROR_OUT_OF_HOST_MEMORY;
   if (!dev && drm && physical->path)
      report_unusable(path, errno);
   if (dev)
      result = init(physical, instance, dev, primary);
   /* A direct connection keeps a worker process running, too much for a memory budget. */
   if (result == VK_SUCCESS && drm)
      physical->dev = sdrm_device_ref(dev);
   sdrm_device_del(dev);
   if (result != VK_SUCCESS) {
      free_physical(physical);
      return result;
   }
   *out = &physical->vk;
   return VK_SUCCESS;
}

VkResult
sdvk_enumerate_direct(struct vk_instance *instance)
{
   const char *path = debug_get_option("SUNDOG_SOCKET", NULL);
   struct vk_physical_device *physical;
   VkResult result;

   /* Without a socket, DRM devices are enumerated. */
   if (!path)
      return VK_ERROR_INCOMPATIBLE_DRIVER;
   errno = 0;
   result = create(instance, path, NULL, &physical);
   if (result == VK_SUCCESS)
      list_addtail(&physical->link, &instance->physical_devices.list);
   else if (errno)
      mesa_loge("sundog: cannot connect to sundog-renderd at %s (SUNDOG_SOCKET): %s", path,
                strerror(errno));
   return result;
}

static bool
is_sundog(const struct _drmDevice *drm)
{
   return (drm->available_nodes & (1 << DRM_NODE_RENDER)) && drm->bustype == DRM_BUS_PCI &&
          drm->deviceinfo.pci->vendor_id == SUNDOG_PCI_VENDOR &&
          drm->deviceinfo.pci->device_id == SUNDOG_PCI_DEVICE;
}

bool
sdvk_has_displays(void)
{
   drmDevicePtr devices[64];
   const int n =
      debug_get_option("SUNDOG_SOCKET", NULL) ? 0 : drmGetDevices2(0, devices, ARRAY_SIZE(devices));
   bool found = false;

   for (int i = 0; i < n && !found; i++)
      found = is_sundog(devices[i]) && (devices[i]->available_nodes & (1 << DRM_NODE_PRIMARY));
   if (n > 0)
      drmFreeDevices(devices, n);
   return found;
}

VkResult
sdvk_physical_device_try_drm(struct vk_instance *instance, struct _drmDevice *drm,
                             struct vk_physical_device **out)
{
   if (!is_sundog(drm))
      return VK_ERROR_INCOMPATIBLE_DRIVER;
   return create(instance, drm->nodes[DRM_NODE_RENDER], drm, out);
}

void
sdvk_physical_device_destroy(struct vk_physical_device *vk)
{
   struct sdvk_physical_device *physical = container_of(vk, struct sdvk_physical_device, vk);

   sdvk_wsi_fini(physical);
   vk_physical_device_finish(&physical->vk);
   free_physical(physical);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physicalDevice, uint32_t *pCount,
                                             VkQueueFamilyProperties2 *pProperties)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   const VkQueueFlags sparse = physical->caps.features & SUNDOG_FEATURE_SPARSE_MEMORY
                                  ? VK_QUEUE_SPARSE_BINDING_BIT
                                  : 0;
   VK_OUTARRAY_MAKE_TYPED(VkQueueFamilyProperties2, out, pProperties, pCount);

   vk_outarray_append_typed(VkQueueFamilyProperties2, &out, family)
   {
      VkQueueFamilyGlobalPriorityPropertiesKHR *priorities =
         vk_find_struct(family->pNext, QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR);

      family->queueFamilyProperties = (VkQueueFamilyProperties){
         .queueFlags =
            VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | sparse,
         .queueCount = 1,
         .timestampValidBits = 64,
         .minImageTransferGranularity = {1, 1, 1},
      };
      if (priorities) {
         priorities->priorityCount = 2;
         priorities->priorities[0] = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR;
         priorities->priorities[1] = SDVK_MAX_PRIORITY;
      }
   }
}

/* Fills in the budget: what this program uses, plus free VRAM. */
static void
fill_budget(struct sdvk_physical_device *physical, VkDeviceSize size,
            VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
   const uint64_t used = p_atomic_read(&physical->allocated);
   const uint64_t left =
      physical->dev ? sdrm_device_vram_free(physical->dev) : size - MIN2(used, size);

   memset(budget->heapBudget, 0, sizeof(budget->heapBudget));
   memset(budget->heapUsage, 0, sizeof(budget->heapUsage));
   budget->heapUsage[0] = used;
   budget->heapBudget[0] = MIN2(used + left, size);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physicalDevice,
                                        VkPhysicalDeviceMemoryProperties2 *pMemoryProperties)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   VkPhysicalDeviceMemoryProperties *out = &pMemoryProperties->memoryProperties;
   VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget =
      vk_find_struct(pMemoryProperties->pNext, PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);

   *out = (VkPhysicalDeviceMemoryProperties){
      .memoryTypeCount = 2,
      .memoryTypes[SDVK_HOST_MEMORY_TYPE] = {
         .propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
      },
      .memoryTypes[SDVK_MEMORY_TYPE] = {
         .propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
      },
      .memoryHeapCount = 1,
      .memoryHeaps[0] = {
         .size = sdvk_physical_device_heap_size(physical),
         .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
      },
   };
   if (budget)
      fill_budget(physical, out->memoryHeaps[0].size, budget);
}

/*
 * Reports no layered APIs: programs do not expect the renderer's host driver there, and driverInfo
 * names it.
 */
VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice,
                                  VkPhysicalDeviceProperties2 *pProperties)
{
   VkPhysicalDeviceLayeredApiPropertiesListKHR *layered =
      vk_find_struct(pProperties->pNext, PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR);

   vk_common_GetPhysicalDeviceProperties2(physicalDevice, pProperties);
   if (layered)
      layered->layeredApiCount = 0;
}

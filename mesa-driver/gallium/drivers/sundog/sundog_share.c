/* SPDX-License-Identifier: MIT */
/* Import and export of memory: dma-bufs, GEM handles, modifiers, memory objects and UUIDs. The
 * screen functions run on any thread. */
#include "sundog_share.h"

#include <fcntl.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm-uapi/drm_fourcc.h"
#include "frontend/winsys_handle.h"
#include "sundog_context.h"
#include "sundog_release.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_transfer.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/mesa-sha1.h"
#include "util/u_math.h"
#include "util/u_memory.h"

/* Alignment in bytes of a write by a single instruction of the device, which offset and rows must
 * have. */
#define WRITE_ALIGN 16

bool
sdog_can_share(struct pipe_screen *pscreen)
{
   return sdrm_device_fd(sdog_screen(pscreen)->dev) >= 0;
}

/* Returns the resource of a plane, or NULL. Planes are numbered in the order of the import. Several
 * resources of the chain may show one plane in different formats, and the chain need not be in the
 * order of the planes. */

static struct sdog_resource *
plane_of(struct pipe_resource *prsc, unsigned plane)
{
   while (prsc && sdog_resource(prsc)->plane != plane)
      prsc = prsc->next;
   return sdog_resource(prsc);
}

static unsigned
count_planes(struct pipe_resource *prsc)
{
   unsigned last = 0;

   for (; prsc; prsc = prsc->next)
      last = MAX2(last, sdog_resource(prsc)->plane);
   return last + 1;
}

/* Modifiers: all images are linear. */

static bool
is_linear(uint64_t modifier)
{
   return modifier == DRM_FORMAT_MOD_LINEAR || modifier == DRM_FORMAT_MOD_INVALID;
}

static bool
accepts_linear(const uint64_t *modifiers, int count)
{
   for (int i = 0; i < count; i++) {
      if (is_linear(modifiers[i]))
         return true;
   }
   return count == 0;
}

static struct pipe_resource *
sdog_resource_create_with_modifiers(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                                    const uint64_t *modifiers, int count)
{
   struct pipe_resource shared = *templ;

   if (!accepts_linear(modifiers, count))
      return NULL;
   shared.bind |= PIPE_BIND_SHARED;
   return pscreen->resource_create(pscreen, &shared);
}

static void
sdog_query_dmabuf_modifiers(struct pipe_screen *pscreen, enum pipe_format format, int max,
                            uint64_t *modifiers, unsigned *external_only, int *count)
{
   *count = 1;
   if (max < 1)
      return;
   modifiers[0] = DRM_FORMAT_MOD_LINEAR;
   if (external_only)
      external_only[0] = util_format_is_yuv(format);
}

static bool
sdog_is_dmabuf_modifier_supported(struct pipe_screen *pscreen, uint64_t modifier,
                                  enum pipe_format format, bool *external_only)
{
   if (external_only)
      *external_only = util_format_is_yuv(format);
   return modifier == DRM_FORMAT_MOD_LINEAR;
}

static unsigned
sdog_get_dmabuf_modifier_planes(struct pipe_screen *pscreen, uint64_t modifier,
                                enum pipe_format format)
{
   return modifier == DRM_FORMAT_MOD_LINEAR ? util_format_get_num_planes(format) : 0;
}

/* Import */

/* An allocation of a shared resource, or a BO without a resource (@kres is NULL), for example a
 * dumb buffer. */
struct memory {
   struct sdrm_resource *kres;
   uint32_t index;
   struct sdrm_bo *bo;
};

static bool
memory_open_fd(struct sdog_screen *screen, struct memory *mem, int fd)
{
   int ret;

   if (!sdrm_resource_open(screen->dev, fd, &mem->index, &mem->kres))
      return true;
   mem->kres = NULL;
   ret = sdrm_bo_import(screen->dev, fd, &mem->bo);
   if (ret)
      mesa_logd("sundog: cannot import a dma-buf: %s", strerror(-ret));
   return ret == 0;
}

static bool
memory_open_gem(struct sdog_screen *screen, struct memory *mem, uint32_t gem)
{
   int drm = sdrm_device_fd(screen->dev);
   int fd = -1;
   bool ok;

   if (drm < 0 || drmPrimeHandleToFD(drm, gem, DRM_CLOEXEC, &fd))
      return false;
   ok = memory_open_fd(screen, mem, fd);
   close(fd);
   return ok;
}

static bool
memory_open(struct sdog_screen *screen, struct memory *mem, const struct winsys_handle *handle)
{
   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_FD:
      return memory_open_fd(screen, mem, handle->handle);
   case WINSYS_HANDLE_TYPE_KMS:
      return memory_open_gem(screen, mem, handle->handle);
   default:
      return false;
   }
}

static void
memory_close(const struct memory *mem)
{
   if (mem->kres)
      sdrm_resource_del(mem->kres);
   else
      sdrm_bo_del(mem->bo);
}

/* Creates a resource in @mem, whose offset and layout the caller must still set. Takes over the
 * reference to @mem, also on failure. */
static struct sdog_resource *
memory_new_resource(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                    const struct memory *mem)
{
   struct sdog_resource *rsc = sdog_resource_new(pscreen, templ);

   if (!rsc) {
      memory_close(mem);
      return NULL;
   }
   rsc->shared = true;
   if (mem->kres)
      sdog_resource_set_memory(rsc, mem->kres, mem->index);
   else
      sdog_resource_set_bo(rsc, mem->bo);
   return rsc;
}

/* Offset and layout in the memory */

/* Returns the bytes from the first texel of an image with one level to the end of its last one,
 * with width and height rounded up to @block texels. Returns 0 if rows would overlap. */
static uint64_t
linear_size(const struct pipe_resource *prsc, uint32_t pitch, unsigned block)
{
   uint64_t row = util_format_get_stride(prsc->format, align(prsc->width0, block));
   uint64_t rows = align(prsc->height0, block);

   return pitch < row ? 0 : (rows - 1) * pitch + row;
}

/* Returns true if @size bytes at @offset are inside the BO. */
static bool
fits(const struct sdog_resource *rsc, uint64_t offset, uint64_t size)
{
   uint64_t room = sdrm_bo_size(rsc->bo);

   return size <= room && offset <= room - size;
}

/* Gives @rsc the device's layout at @offset of its memory. Returns false if it does not fit or is
 * not aligned. */
static bool
take_own_layout(const struct sundog_caps *caps, struct sdog_resource *rsc, uint64_t offset)
{
   if (offset % caps->layout_level_align || !fits(rsc, offset, rsc->size))
      return false;
   rsc->offset = offset;
   return true;
}

/* Gives @rsc the layout of an exporter. Returns false if the device does not support it. */
static bool
take_foreign_layout(const struct sundog_caps *caps, struct sdog_resource *rsc, uint64_t offset,
                    uint32_t pitch)
{
   const struct pipe_resource *prsc = &rsc->base;
   unsigned texel = util_format_get_blocksize(prsc->format);
   uint64_t size = linear_size(prsc, pitch, 1);
   uint64_t written = linear_size(prsc, pitch, caps->layout_block);

   if (!(caps->layout_flags & SUNDOG_LAYOUT_FLAG_EXPLICIT) || prsc->last_level ||
       prsc->array_size > 1 || prsc->depth0 > 1 || util_format_is_compressed(prsc->format) ||
       util_format_is_depth_or_stencil(prsc->format) || !size || size > INT32_MAX ||
       !fits(rsc, offset, size))
      return false;
   rsc->offset = offset;
   rsc->size = size;
   rsc->levels[0] = (struct sundog_image_level){.pitch = pitch, .slice = size};
   rsc->foreign = SDOG_FOREIGN_READ_WRITE;
   if (offset % WRITE_ALIGN == 0 && pitch % WRITE_ALIGN == 0 && written &&
       fits(rsc, offset, written))
      return true;
   rsc->foreign = SDOG_FOREIGN_READ_ONLY;
   return util_is_power_of_two_nonzero(texel) && offset % texel == 0 && pitch % texel == 0;
}

static struct pipe_resource *
sdog_resource_from_handle(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                          struct winsys_handle *handle, unsigned usage)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct memory mem = {0};
   struct sdog_resource *rsc;

   /* The frontend does not check the size, and divides those of planes by two. */
   if (!is_linear(handle->modifier) || !templ->width0 || !templ->height0 ||
       MAX2(templ->width0, templ->height0) > pscreen->caps.max_texture_2d_size ||
       !memory_open(screen, &mem, handle))
      return NULL;
   rsc = memory_new_resource(pscreen, templ, &mem);
   if (!rsc)
      return NULL;
   rsc->plane = handle->plane;
   if (take_own_layout(screen->caps, rsc, handle->offset) &&
       handle->stride == rsc->levels[0].pitch)
      return &rsc->base;
   if (take_foreign_layout(screen->caps, rsc, handle->offset, handle->stride))
      return &rsc->base;
   mesa_logd("sundog: cannot use a %s image of %ux%u with %u bytes per row at offset %u",
             util_format_short_name(templ->format), templ->width0, templ->height0, handle->stride,
             handle->offset);
   sdog_resource_destroy(pscreen, &rsc->base);
   return NULL;
}

/* Export */

static void
make_shared(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   if (rsc->shared || rsc->base.target == PIPE_BUFFER || !sdog_can_share(ctx->base.screen))
      return;
   sdog_resource_wait(ctx, rsc, true);
   sdog_resource_make_shared(sdog_screen(ctx->base.screen), rsc);
}

/* The frontend calls this, with a context, for a resource that may be exported next. */
static void
sdog_flush_resource(struct pipe_context *pctx, struct pipe_resource *prsc)
{
   struct sdog_context *ctx = sdog_context(pctx);

   sdog_render_flush_clears(ctx, prsc);
   make_shared(ctx, sdog_resource(prsc));
}

static bool
sdog_resource_get_handle(struct pipe_screen *pscreen, struct pipe_context *pctx,
                         struct pipe_resource *prsc, struct winsys_handle *handle, unsigned usage)
{
   struct sdog_resource *rsc = plane_of(prsc, handle->plane);
   int fd;

   if (!rsc)
      return false;
   if (pctx)
      make_shared(sdog_context(pctx), rsc);
   if (!rsc->shared)
      return false;
   handle->stride = rsc->levels[0].pitch;
   handle->offset = rsc->offset;
   handle->modifier = DRM_FORMAT_MOD_LINEAR;
   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_KMS:
      handle->handle = sdrm_bo_gem(rsc->bo);
      return handle->handle != 0;
   case WINSYS_HANDLE_TYPE_FD:
      fd = sdrm_bo_export(rsc->bo);
      handle->handle = fd;
      return fd >= 0;
   default:
      return false;
   }
}

static bool
sdog_resource_get_param(struct pipe_screen *pscreen, struct pipe_context *pctx,
                        struct pipe_resource *prsc, unsigned plane, unsigned layer, unsigned level,
                        enum pipe_resource_param param, unsigned usage, uint64_t *value)
{
   const struct sdog_resource *rsc = plane_of(prsc, plane);

   if (!rsc || level > rsc->base.last_level)
      return false;
   switch (param) {
   case PIPE_RESOURCE_PARAM_NPLANES:
      *value = count_planes(prsc);
      return true;
   case PIPE_RESOURCE_PARAM_STRIDE:
      *value = rsc->levels[level].pitch;
      return true;
   case PIPE_RESOURCE_PARAM_OFFSET:
      *value = rsc->offset + rsc->levels[level].offset + layer * rsc->levels[level].slice;
      return true;
   case PIPE_RESOURCE_PARAM_MODIFIER:
      *value = DRM_FORMAT_MOD_LINEAR;
      return true;
   default:
      return false;
   }
}

/* A memory object: imported memory in which textures and buffers are placed. */

struct sdog_memory_object {
   struct pipe_memory_object base;
   struct memory mem;
};

static struct pipe_memory_object *
sdog_memobj_create_from_handle(struct pipe_screen *pscreen, struct winsys_handle *handle,
                               bool dedicated)
{
   struct sdog_memory_object *object = CALLOC_STRUCT(sdog_memory_object);

   if (!object)
      return NULL;
   if (!memory_open(sdog_screen(pscreen), &object->mem, handle)) {
      FREE(object);
      return NULL;
   }
   object->base.dedicated = dedicated;
   return &object->base;
}

static void
sdog_memobj_destroy(struct pipe_screen *pscreen, struct pipe_memory_object *base)
{
   struct sdog_memory_object *object = (struct sdog_memory_object *)base;

   memory_close(&object->mem);
   FREE(object);
}

static struct pipe_resource *
sdog_resource_from_memobj(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                          struct pipe_memory_object *base, uint64_t offset)
{
   struct sdog_memory_object *object = (struct sdog_memory_object *)base;
   struct sdog_resource *rsc;

   /* The frontend keeps memory objects whose import failed. */
   if (!object)
      return NULL;
   if (object->mem.kres)
      sdrm_resource_ref(object->mem.kres);
   else
      sdrm_bo_ref(object->mem.bo);
   rsc = memory_new_resource(pscreen, templ, &object->mem);
   if (!rsc)
      return NULL;
   if (take_own_layout(sdog_screen(pscreen)->caps, rsc, offset))
      return &rsc->base;
   sdog_resource_destroy(pscreen, &rsc->base);
   return NULL;
}

/* The UUIDs tell another API whether it uses the same device and the same layouts. */

static void
uuid_of(const char *name, char *uuid)
{
   uint8_t sha1[SHA1_DIGEST_LENGTH];

   _mesa_sha1_compute(name, strlen(name), sha1);
   memcpy(uuid, sha1, PIPE_UUID_SIZE);
}

static void
sdog_get_driver_uuid(struct pipe_screen *pscreen, char *uuid)
{
   uuid_of("sundog " SUNDOG_RELEASE, uuid);
}

/* Must match the deviceUUID of the Vulkan driver, see device_name() in sdvk_caps.c. */
static void
sdog_get_device_uuid(struct pipe_screen *pscreen, char *uuid)
{
   drmDevicePtr device = NULL;
   char name[64] = "sundog";

   if (!drmGetDevice2(sdrm_device_fd(sdog_screen(pscreen)->dev), 0, &device)) {
      const drmPciBusInfo *pci = device->businfo.pci;

      if (device->bustype == DRM_BUS_PCI)
         snprintf(name, sizeof(name), "sundog %04x:%02x:%02x.%x", pci->domain, pci->bus, pci->dev,
                  pci->func);
      drmFreeDevice(&device);
   }
   uuid_of(name, uuid);
}

void
sdog_init_share_functions(struct pipe_screen *pscreen)
{
   pscreen->resource_create_with_modifiers = sdog_resource_create_with_modifiers;
   pscreen->resource_from_handle = sdog_resource_from_handle;
   pscreen->resource_get_handle = sdog_resource_get_handle;
   pscreen->resource_get_param = sdog_resource_get_param;
   pscreen->query_dmabuf_modifiers = sdog_query_dmabuf_modifiers;
   pscreen->is_dmabuf_modifier_supported = sdog_is_dmabuf_modifier_supported;
   pscreen->get_dmabuf_modifier_planes = sdog_get_dmabuf_modifier_planes;
   pscreen->memobj_create_from_handle = sdog_memobj_create_from_handle;
   pscreen->memobj_destroy = sdog_memobj_destroy;
   pscreen->resource_from_memobj = sdog_resource_from_memobj;
   pscreen->get_driver_uuid = sdog_get_driver_uuid;
   pscreen->get_device_uuid = sdog_get_device_uuid;
}

void
sdog_init_share_context_functions(struct pipe_context *pctx)
{
   pctx->flush_resource = sdog_flush_resource;
}

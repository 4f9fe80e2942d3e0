/* SPDX-License-Identifier: MIT */
/*
 * Device loss and VK_EXT_device_fault: see sdvk_fault.h. Any thread that finds the context lost
 * calls this; Mesa records the first loss.
 */
#include "sdvk_fault.h"

#include <inttypes.h>
#include <stdio.h>

#include <sundog_names.h>

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "vk_log.h"
#include "vk_util.h"

static const char *
cause(uint32_t fault)
{
   switch (fault) {
   case SUNDOG_FAULT_CODE_NONE:
      return "no reason is known";
   case SUNDOG_FAULT_CODE_OBJECT:
      return "an object was missing";
   case SUNDOG_FAULT_CODE_NOT_LISTED:
   case SUNDOG_FAULT_CODE_ACCESS:
   case SUNDOG_FAULT_CODE_RANGE:
      return "memory was out of reach";
   case SUNDOG_FAULT_CODE_SHADER:
      return "a shader was refused";
   case SUNDOG_FAULT_CODE_HOST:
      return "the host's driver failed";
   case SUNDOG_FAULT_CODE_WORKER:
      return "the renderer's process for this device ended";
   case SUNDOG_FAULT_CODE_TIMEOUT:
      return "work took too long";
   case SDRM_FAULT_DEVICE:
      return "the device was reset or is gone";
   default:
      return "a command was refused";
   }
}

/* Returns true if the fault has a place in a stream. The end of a worker process has none. */
static bool
has_place(const struct sdrm_context_status *status)
{
   return status->seqno && status->fault != SUNDOG_FAULT_CODE_WORKER &&
          status->fault != SUNDOG_FAULT_CODE_TIMEOUT && status->fault != SDRM_FAULT_DEVICE;
}

static const char *
packet_name(struct sdvk_device *device, const struct sdrm_context_status *status)
{
   const int opcode = sdrm_context_packet(device->queue.ctx, status->seqno, status->offset);
   const char *name = opcode < 0 ? NULL : sundog_opcode_name(opcode);

   return name ? name : "a packet";
}

static void
describe(struct sdvk_device *device, const struct sdrm_context_status *status,
         char text[VK_MAX_DESCRIPTION_SIZE])
{
   int used = snprintf(
      text, VK_MAX_DESCRIPTION_SIZE, "%s, %s: fault %u, argument 0x%" PRIx64, cause(status->fault),
      status->guilty ? "by its own work" : "not by its own work", status->fault, status->arg);

   if (has_place(status))
      snprintf(text + used, VK_MAX_DESCRIPTION_SIZE - used,
               ", in %s at byte %" PRIu64 " of submission %" PRIu64, packet_name(device, status),
               status->offset, status->seqno);
}

VkResult
sdvk_device_lost(struct sdvk_device *device)
{
   struct sdrm_context_status status = {0};
   char text[VK_MAX_DESCRIPTION_SIZE];

   sdrm_context_query(device->queue.ctx, &status);
   describe(device, &status, text);
   return vk_device_set_lost(&device->vk, "%s", text);
}

VkResult
sdvk_check_status(struct vk_device *vk)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);

   return sdrm_context_is_lost(device->queue.ctx) ? sdvk_device_lost(device) : VK_SUCCESS;
}

/* Fills in the fault, and its place in the stream if that is known. Returns the number of infos. */
static uint32_t
vendor_infos(const struct sdrm_context_status *status, VkDeviceFaultVendorInfoEXT infos[2])
{
   infos[0] = (VkDeviceFaultVendorInfoEXT){
      .description = "fault code and argument",
      .vendorFaultCode = status->fault,
      .vendorFaultData = status->arg,
   };
   infos[1] = (VkDeviceFaultVendorInfoEXT){
      .description = "submission and byte of its stream",
      .vendorFaultCode = status->seqno,
      .vendorFaultData = status->offset,
   };
   return has_place(status) ? 2 : 1;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetDeviceFaultInfoEXT(VkDevice _device, VkDeviceFaultCountsEXT *pFaultCounts,
                           VkDeviceFaultInfoEXT *pFaultInfo)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_OUTARRAY_MAKE_TYPED(VkDeviceFaultVendorInfoEXT, out,
                          pFaultInfo ? pFaultInfo->pVendorInfos : NULL,
                          &pFaultCounts->vendorInfoCount);
   struct sdrm_context_status status = {0};
   VkDeviceFaultVendorInfoEXT infos[2];
   uint32_t n_infos;

   sdrm_context_query(device->queue.ctx, &status);
   n_infos = vendor_infos(&status, infos);
   for (uint32_t i = 0; i < n_infos; i++)
      vk_outarray_append_typed(VkDeviceFaultVendorInfoEXT, &out, info)
         *info = infos[i];
   pFaultCounts->addressInfoCount = 0;
   pFaultCounts->vendorBinarySize = 0;
   if (pFaultInfo)
      describe(device, &status, pFaultInfo->description);
   return vk_outarray_status(&out);
}

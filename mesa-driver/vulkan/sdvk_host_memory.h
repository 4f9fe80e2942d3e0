/* SPDX-License-Identifier: MIT */
/*
 * Memory imported from host pointers (VK_EXT_external_memory_host). The worker cannot map the pages
 * of a program, so an import is an allocation in VRAM that mirrors them: submissions that read it
 * copy the pages to VRAM first, and calls that tell the program that work is done copy what the
 * device wrote back. docs/decisions/003-external-memory-host.md has the reasons and the limits.
 *
 * Any thread of the program calls this; sdvk_host_imports::lock guards all imports of a device.
 */
#ifndef SDVK_HOST_MEMORY_H
#define SDVK_HOST_MEMORY_H

#include "util/list.h"
#include "util/simple_mtx.h"
#include "vk_command_buffer.h"

struct sdvk_cmd_buffer;
struct sdvk_device;
struct sdvk_host_import;
struct sdvk_memory;
struct sdrm_fence;

/* All imports of a device. */
struct sdvk_host_imports {
   simple_mtx_t lock;
   struct list_head list;   /* struct sdvk_host_import */
   uint32_t count;          /* of @list; read without the lock */
   uint64_t n_submissions;  /* ever begun */
   uint32_t submitting;     /* submissions between sdvk_host_imports_begin() and _end() */
   int fd;                  /* a memfd that the kernel copies to and from; -1: not made */
   uint8_t *staging;        /* its mapping */
   uint8_t *chunk;          /* CHUNK_SIZE bytes for a copy of VRAM */
};

/* An import that a command buffer's commands use. */
struct sdvk_host_use {
   struct sdvk_host_import *import;
   bool written;
};

void
sdvk_host_imports_init(struct sdvk_host_imports *imports);
void
sdvk_host_imports_fini(struct sdvk_host_imports *imports);

/* Returns the alignment of pointers and sizes of imports: the page size. */
uint64_t
sdvk_host_alignment(void);

/*
 * Imports the host pointer that @memory was allocated with, and allocates its mirror in VRAM.
 * VK_ERROR_INVALID_EXTERNAL_HANDLE: the range is not mapped, or the process cannot write to it.
 */
VkResult
sdvk_host_import(struct sdvk_device *device, struct sdvk_memory *memory);
/* Ends the import. No submission that uses it is in flight. NULL is ignored. */
void
sdvk_host_import_del(struct sdvk_device *device, struct sdvk_host_import *import);
/* Returns the program's pointer. */
void *
sdvk_host_pointer(const struct sdvk_host_import *import);
/* Marks an import as used by each submission: a buffer in it has usage other than copies. */
void
sdvk_host_import_use_all(struct sdvk_device *device, struct sdvk_host_import *import);
/* Copy a range of the program's pages to VRAM, or back. */
void
sdvk_host_import_flush(struct sdvk_device *device, struct sdvk_host_import *import, uint64_t offset,
                       uint64_t size);
void
sdvk_host_import_invalidate(struct sdvk_device *device, struct sdvk_host_import *import,
                            uint64_t offset, uint64_t size);

/* Records that a command of @cmd reads, or writes, memory of @import. */
void
sdvk_cmd_use_host(struct sdvk_cmd_buffer *cmd, struct sdvk_host_import *import, bool written);

/*
 * Called around each submission: _begin() copies imports that it reads to VRAM, marks imports that
 * it writes, and numbers the @submission. _end() follows each _begin() that succeeded; @fence is
 * that of the submission, NULL if it failed.
 */
VkResult
sdvk_host_imports_begin(struct sdvk_device *device, struct vk_command_buffer *const *cmds,
                        uint32_t n_cmds, uint64_t *submission);
void
sdvk_host_imports_end(struct sdvk_device *device, uint64_t submission, struct sdrm_fence *fence);
/*
 * Copies what the device wrote back to the program's pages, when a call reports finished work to
 * the program.
 */
void
sdvk_host_imports_look(struct sdvk_device *device);

#endif

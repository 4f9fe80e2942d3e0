/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * The user-space interface of the sundog DRM driver.
 *
 * Memory comes as allocations. An allocation is one GEM object; it belongs to a resource, or to the
 * open DRM file (the device). A resource is named in three ways:
 *
 * - ``res``: the per-file id that RESOURCE_CREATE and RESOURCE_OPEN return. A file never gets the
 *   same one again.
 * - ``kres``: the kernel resource handle, device-wide and the same for every opener. A resource has
 *   one from its first allocation on; streams name its memory by {kres, index}.
 * - dma-buf file descriptors of its allocations, for sharing.
 *
 * An allocation takes VRAM when it is first used, and reads as zero until somebody writes to it.
 * All allocations together may be larger than VRAM; one allocation, and all that one submission
 * lists, must fit.
 *
 * This header needs drm.h and linux/const.h. Command streams are described in
 * docs/reference/device.md.
 *
 * Rules that hold for every ioctl here: reserved and padding fields must be zero, unknown flags are
 * refused with -EINVAL, a failed call changes nothing, its arguments and arrays included. Only
 * -EFAULT may leave arrays partly written. Arrays of structs carry a stride, so that their elements
 * can grow.
 *
 * How it grows: a struct gets new fields at its end, or in padding, where 0 means what was done
 * before. DRM cuts off what an older kernel does not know and says nothing, so who uses a new field
 * looks first: either the field counts only with a new flag, which an older kernel refuses, or it
 * came with a minor version of the driver (DRM_IOCTL_VERSION), which sundog_drv.c lists. A new
 * ioctl comes with a minor version, too. This header describes major version 3.
 *
 * Errors: -EINVAL bad argument, -ENOENT unknown id or handle, -EACCES not yours, -EPERM not
 * exportable, -EBUSY sealed or in use, -EDQUOT more than the file or its user may have, or than a
 * list takes, -ENOMEM out of memory, -ENOSPC does not fit VRAM and nothing else, -EIO the context
 * is lost, -ENODEV the device is gone or has no renderer, -EOPNOTSUPP cannot be shared that way,
 * -EFAULT bad pointer.
 */
#ifndef _SUNDOG_DRM_H_
#define _SUNDOG_DRM_H_

#include <linux/const.h>

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define DRM_SUNDOG_GET_PARAM		0x00
#define DRM_SUNDOG_GET_CAPS		0x01
#define DRM_SUNDOG_CONTEXT_CREATE	0x02
#define DRM_SUNDOG_CONTEXT_DESTROY	0x03
#define DRM_SUNDOG_CONTEXT_QUERY	0x04
#define DRM_SUNDOG_RESOURCE_CREATE	0x05
#define DRM_SUNDOG_RESOURCE_OPEN	0x06
#define DRM_SUNDOG_RESOURCE_DESTROY	0x07
#define DRM_SUNDOG_ALLOC		0x08
#define DRM_SUNDOG_DEALLOC		0x09
#define DRM_SUNDOG_ALLOC_INFO		0x0a
#define DRM_SUNDOG_SUBMIT		0x0b
#define DRM_SUNDOG_WAIT			0x0c
#define DRM_SUNDOG_RESLIST_CREATE	0x0d
#define DRM_SUNDOG_RESLIST_UPDATE	0x0e
#define DRM_SUNDOG_RESLIST_DESTROY	0x0f

/**
 * enum drm_sundog_param - what GET_PARAM can be asked for
 */
enum drm_sundog_param {
	/** @DRM_SUNDOG_PARAM_PROTOCOL: protocol version, major << 16 | minor */
	DRM_SUNDOG_PARAM_PROTOCOL = 0,
	/** @DRM_SUNDOG_PARAM_FEATURES: DRM_SUNDOG_FEATURE_* of device and renderer */
	DRM_SUNDOG_PARAM_FEATURES = 1,
	/** @DRM_SUNDOG_PARAM_VRAM_SIZE: bytes of VRAM */
	DRM_SUNDOG_PARAM_VRAM_SIZE = 2,
	/** @DRM_SUNDOG_PARAM_VRAM_FREE: bytes of VRAM that are free now */
	DRM_SUNDOG_PARAM_VRAM_FREE = 3,
	/** @DRM_SUNDOG_PARAM_MAX_LIST: allocations that one submission may list */
	DRM_SUNDOG_PARAM_MAX_LIST = 4,
	/** @DRM_SUNDOG_PARAM_MAX_SYNCS: syncobjs that one submission may wait for and signal */
	DRM_SUNDOG_PARAM_MAX_SYNCS = 5,
	/** @DRM_SUNDOG_PARAM_MAX_STREAM: bytes of the stream of one submission */
	DRM_SUNDOG_PARAM_MAX_STREAM = 6,
};

/**
 * struct drm_sundog_get_param - read one number about the device
 */
struct drm_sundog_get_param {
	/** @param: in: enum drm_sundog_param; -EINVAL if unknown */
	__u32 param;
	/** @pad: must be zero */
	__u32 pad;
	/** @value: out */
	__u64 value;
};

/*
 * Bits of DRM_SUNDOG_PARAM_FEATURES: abilities of the device and its renderer.
 * docs/reference/device.md has all of them.
 */

/** DRM_SUNDOG_FEATURE_RENDER - contexts and submissions. */
#define DRM_SUNDOG_FEATURE_RENDER		_BITULL(0)
/**
 * DRM_SUNDOG_FEATURE_LINEAR_LAYOUT - image bytes follow the layout rule of the capability block.
 */
#define DRM_SUNDOG_FEATURE_LINEAR_LAYOUT	_BITULL(1)
/** DRM_SUNDOG_FEATURE_RAW_MOVE - allocations may move out of VRAM and back. */
#define DRM_SUNDOG_FEATURE_RAW_MOVE		_BITULL(2)
/** DRM_SUNDOG_FEATURE_HEAP_GUEST - memory is shared with other drivers' devices. */
#define DRM_SUNDOG_FEATURE_HEAP_GUEST		_BITULL(5)
/** DRM_SUNDOG_FEATURE_DISCARD - freed VRAM is given back to the host. */
#define DRM_SUNDOG_FEATURE_DISCARD		_BITULL(8)
/** DRM_SUNDOG_FEATURE_GEOMETRY - geometry shaders. */
#define DRM_SUNDOG_FEATURE_GEOMETRY		_BITULL(9)
/** DRM_SUNDOG_FEATURE_FEEDBACK - transform feedback. */
#define DRM_SUNDOG_FEATURE_FEEDBACK		_BITULL(10)
/** DRM_SUNDOG_FEATURE_COMPUTE - compute shaders, storage buffers and images. */
#define DRM_SUNDOG_FEATURE_COMPUTE		_BITULL(11)
/** DRM_SUNDOG_FEATURE_STORAGE - stores and atomic operations in all stages. */
#define DRM_SUNDOG_FEATURE_STORAGE		_BITULL(12)
/** DRM_SUNDOG_FEATURE_TESSELLATION - tessellation shaders. */
#define DRM_SUNDOG_FEATURE_TESSELLATION		_BITULL(13)
/** DRM_SUNDOG_FEATURE_INDIRECT - several draws with arguments and number in memory. */
#define DRM_SUNDOG_FEATURE_INDIRECT		_BITULL(14)
/** DRM_SUNDOG_FEATURE_FLOAT64 - 64-bit floats in shaders. */
#define DRM_SUNDOG_FEATURE_FLOAT64		_BITULL(15)
/** DRM_SUNDOG_FEATURE_INT64 - 64-bit integers in shaders. */
#define DRM_SUNDOG_FEATURE_INT64		_BITULL(16)
/** DRM_SUNDOG_FEATURE_SAMPLE_SHADING - fragment shaders that run for each sample. */
#define DRM_SUNDOG_FEATURE_SAMPLE_SHADING	_BITULL(17)
/** DRM_SUNDOG_FEATURE_CUBE_ARRAYS - views of type cube array. */
#define DRM_SUNDOG_FEATURE_CUBE_ARRAYS		_BITULL(18)
/** DRM_SUNDOG_FEATURE_STREAMS - geometry shaders with several vertex streams. */
#define DRM_SUNDOG_FEATURE_STREAMS		_BITULL(19)
/** DRM_SUNDOG_FEATURE_STATISTICS - queries of pipeline statistics. */
#define DRM_SUNDOG_FEATURE_STATISTICS		_BITULL(20)
/** DRM_SUNDOG_FEATURE_SHADER_LAYER - layer and viewport index without geometry shaders. */
#define DRM_SUNDOG_FEATURE_SHADER_LAYER		_BITULL(21)
/** DRM_SUNDOG_FEATURE_SUBGROUPS - operations among the invocations of a subgroup. */
#define DRM_SUNDOG_FEATURE_SUBGROUPS		_BITULL(22)

/**
 * struct drm_sundog_get_caps - read the capability block of the renderer and its host driver
 *
 * The kernel copies the block from the device and knows only its head: two little-endian 32-bit
 * words, the size in bytes and the version. struct caps of docs/reference/device.md has the rest.
 * Version is the protocol version of the renderer, major << 16 | minor: another major is another
 * layout, and a minor only gives meaning to words that were 0.
 *
 * Fails with -ENODEV while the device has no renderer.
 */
struct drm_sundog_get_caps {
	/** @data: in: pointer to @size bytes; those beyond the end of the block become 0 */
	__u64 data;
	/** @size: in: bytes at @data, may be 0; out: size of the block */
	__u32 size;
	/** @version: in: must be zero; out: version of the block */
	__u32 version;
};

/**
 * struct drm_sundog_context_create - make a context: one in-order queue of submissions
 *
 * All contexts of a DRM file share one space of object ids on the device.
 * Fails with -ENODEV without a renderer, with -EIO if the context was lost before it could run, and
 * with -EBUSY when every channel is in use, or as many as one file may have (half of them, by
 * default) or one user (three quarters), or when the device is wedged: a worker that does not stop
 * keeps its memory. Channels whose contexts were destroyed, or whose files were closed, are not in
 * use: the call waits for them.
 */
struct drm_sundog_context_create {
	/** @flags: in: must be zero */
	__u32 flags;
	/** @ctx: out: context id, per file, not 0 */
	__u32 ctx;
	/**
	 * @status_offset: out: mmap offset of the context's read-only status page, struct
	 * drm_sundog_status. A submission is done when ``completed`` reached its seqno.
	 */
	__u64 status_offset;
};

/**
 * struct drm_sundog_context_destroy - end a context
 *
 * Submissions that were queued are dropped, the running one is finished or stopped; their fences
 * signal, those of queued ones when the fences signalled that they wait for. Closing the file does
 * the same for all its contexts.
 */
struct drm_sundog_context_destroy {
	/** @ctx: in: context id */
	__u32 ctx;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_status - status page of a context
 *
 * The page is memory of the device, mapped read-only, so that a program sees the end of a
 * submission before the kernel does, and without a system call. It is a hint: the worker of the
 * program's own file writes @completed, and could write @lost. Fences and CONTEXT_QUERY tell what
 * the kernel knows. The offsets of the two fields are part of this interface, all else is the
 * device's. A page whose context is gone reads as zero.
 */
struct drm_sundog_status {
	/** @reserved0: not for user space */
	__u32 reserved0[2];
	/** @completed: seqno of the last submission that is done; read with acquire ordering */
	__u64 completed;
	/** @reserved: not for user space */
	__u64 reserved[6];
	/**
	 * @lost: not 0: the context takes no more work, CONTEXT_QUERY says why. The kernel sets it
	 * before the fence of a submission that will not be finished signals.
	 */
	__u32 lost;
	/** @reserved1: 0 */
	__u32 reserved1;
};

/**
 * enum drm_sundog_context_state - what a context still does
 */
enum drm_sundog_context_state {
	/** @DRM_SUNDOG_CONTEXT_RUNNING: it takes work */
	DRM_SUNDOG_CONTEXT_RUNNING = 0,
	/** @DRM_SUNDOG_CONTEXT_LOST: it takes none, but what it had taken may still run */
	DRM_SUNDOG_CONTEXT_LOST = 1,
	/** @DRM_SUNDOG_CONTEXT_ENDED: nothing of it runs any more */
	DRM_SUNDOG_CONTEXT_ENDED = 2,
};

/**
 * enum drm_sundog_guilt - whose fault it is that a context was lost
 */
enum drm_sundog_guilt {
	/** @DRM_SUNDOG_GUILT_NONE: it was not lost */
	DRM_SUNDOG_GUILT_NONE = 0,
	/** @DRM_SUNDOG_INNOCENT: another context's, or the device went */
	DRM_SUNDOG_INNOCENT = 1,
	/**
	 * @DRM_SUNDOG_GUILTY: its own: a bad stream, or work at which the worker ended; or work
	 * that was there then, if the worker could not say whose it was
	 */
	DRM_SUNDOG_GUILTY = 2,
};

/**
 * enum drm_sundog_fault - why a context was lost
 */
enum drm_sundog_fault {
	/** @DRM_SUNDOG_FAULT_NONE: nothing went wrong */
	DRM_SUNDOG_FAULT_NONE = 0,
	/** @DRM_SUNDOG_FAULT_RING: a ring entry is malformed; arg: the bad value */
	DRM_SUNDOG_FAULT_RING = 1,
	/** @DRM_SUNDOG_FAULT_STREAM: the stream cannot be read where it should be */
	DRM_SUNDOG_FAULT_STREAM = 2,
	/** @DRM_SUNDOG_FAULT_LIST: an entry of the allocation list is bad; arg: its index */
	DRM_SUNDOG_FAULT_LIST = 3,
	/** @DRM_SUNDOG_FAULT_OPCODE: unknown opcode; arg: the opcode */
	DRM_SUNDOG_FAULT_OPCODE = 4,
	/** @DRM_SUNDOG_FAULT_LENGTH: a packet's length does not fit; arg: dwords */
	DRM_SUNDOG_FAULT_LENGTH = 5,
	/** @DRM_SUNDOG_FAULT_FIELD: a field is out of range; arg: its dword in the packet */
	DRM_SUNDOG_FAULT_FIELD = 6,
	/** @DRM_SUNDOG_FAULT_OBJECT: an object id is missing, taken or of another kind; arg: it */
	DRM_SUNDOG_FAULT_OBJECT = 7,
	/** @DRM_SUNDOG_FAULT_NOT_LISTED: memory is not in the list; arg: its index or handle */
	DRM_SUNDOG_FAULT_NOT_LISTED = 8,
	/** @DRM_SUNDOG_FAULT_ACCESS: memory is listed without that access; arg: device handle */
	DRM_SUNDOG_FAULT_ACCESS = 9,
	/** @DRM_SUNDOG_FAULT_RANGE: outside of an allocation or image; arg: handle or object id */
	DRM_SUNDOG_FAULT_RANGE = 10,
	/** @DRM_SUNDOG_FAULT_SHADER: a shader was refused; arg: object id */
	DRM_SUNDOG_FAULT_SHADER = 11,
	/** @DRM_SUNDOG_FAULT_STATE: a packet is not legal where it is; arg: the opcode */
	DRM_SUNDOG_FAULT_STATE = 12,
	/** @DRM_SUNDOG_FAULT_HOST: the host's driver failed; arg: VkResult, negated */
	DRM_SUNDOG_FAULT_HOST = 13,
	/** @DRM_SUNDOG_FAULT_WORKER: the worker ended */
	DRM_SUNDOG_FAULT_WORKER = 14,
	/** @DRM_SUNDOG_FAULT_TIMEOUT: the worker made no progress and was ended */
	DRM_SUNDOG_FAULT_TIMEOUT = 15,
	/** @DRM_SUNDOG_FAULT_DEVICE: the device was reset, or is gone */
	DRM_SUNDOG_FAULT_DEVICE = 0x10000,
};

/**
 * struct drm_sundog_context_query - state of a context, and why it was lost
 *
 * All contexts of a file are lost together when its worker ends: one that hung or crashed it is
 * guilty, the others have the same @fault and are innocent. The file's next context starts anew.
 */
struct drm_sundog_context_query {
	/** @ctx: in: context id */
	__u32 ctx;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @state: out: enum drm_sundog_context_state */
	__u32 state;
	/** @guilt: out: enum drm_sundog_guilt */
	__u32 guilt;
	/** @fault: out: enum drm_sundog_fault */
	__u32 fault;
	/** @pad: must be zero */
	__u32 pad;
	/** @seqno: out: seqno of the submission that faulted, 0 if it is not known */
	__u64 seqno;
	/** @offset: out: byte offset of the bad packet in that submission's stream */
	__u64 offset;
	/** @arg: out: meaning depends on @fault */
	__u64 arg;
};

/** DRM_SUNDOG_RESOURCE_SHARED - the resource can be opened through a dma-buf of its allocations. */
#define DRM_SUNDOG_RESOURCE_SHARED	0x1

/** DRM_SUNDOG_MAX_PRIVATE - bytes of private data of a resource, and of each allocation. */
#define DRM_SUNDOG_MAX_PRIVATE		4096

/** DRM_SUNDOG_MAX_ALLOCS - allocations that one call can make, and that a resource can have. */
#define DRM_SUNDOG_MAX_ALLOCS		1024

/**
 * DRM_SUNDOG_ALLOC_PRIVATE - the allocation never leaves its file: it cannot be exported (-EPERM),
 * shown, or made for a SHARED resource.
 *
 * All PRIVATE allocations of a file are reserved as one, so that a submission may list thousands of
 * them. They have no implicit synchronisation; one is only idle, for WAIT as for its memory to be
 * free again, when all submissions with some of them are done that were queued until then.
 */
#define DRM_SUNDOG_ALLOC_PRIVATE	0x1

/**
 * struct drm_sundog_alloc_desc - one allocation to be made, or one that was opened
 */
struct drm_sundog_alloc_desc {
	/** @size: bytes, rounded up to pages; in for create, out for open */
	__u64 size;
	/** @map_offset: out: offset for mmap() on the DRM file */
	__u64 map_offset;
	/** @priv: in: pointer to @priv_size bytes: read at creation, filled at open; may be 0 */
	__u64 priv;
	/**
	 * @priv_size: in: bytes at @priv, at most DRM_SUNDOG_MAX_PRIVATE; out for open: bytes there
	 * are
	 */
	__u32 priv_size;
	/** @flags: in: DRM_SUNDOG_ALLOC_*; must be zero for open */
	__u32 flags;
	/** @handle: out: GEM handle in this file */
	__u32 handle;
	/** @index: out: index in the resource, 0 for a device-owned allocation */
	__u32 index;
	/** @device_handle: out: handle of the allocation on the device, device-wide */
	__u32 device_handle;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_resource_create - make a resource, with or without allocations
 *
 * A SHARED resource is sealed by its first allocations, made here or by one ALLOC.
 */
struct drm_sundog_resource_create {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc */
	__u64 allocs;
	/** @n_allocs: in: its length, may be 0 */
	__u32 n_allocs;
	/** @alloc_stride: in: bytes from element to element */
	__u32 alloc_stride;
	/** @priv: in: pointer to private data that travels with a shared resource; may be 0 */
	__u64 priv;
	/** @priv_size: in: bytes at @priv, at most DRM_SUNDOG_MAX_PRIVATE */
	__u32 priv_size;
	/** @flags: in: DRM_SUNDOG_RESOURCE_* */
	__u32 flags;
	/** @res: out: resource id, per file, not 0 */
	__u64 res;
	/** @kres: out: kernel resource handle, 0 while the resource has no allocation */
	__u32 kres;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_resource_open - open a shared resource through one of its dma-bufs
 *
 * Every open gives a new @res and new GEM handles, also in the file that created the resource.
 * Fails with -ENOENT if the dma-buf is not of a shared sundog resource of this device, and with
 * -EINVAL if the array is too short. With @n_allocs 0 the call opens nothing and sets @res to 0; it
 * tells how long the array has to be, which never changes.
 */
struct drm_sundog_resource_open {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc, filled by index */
	__u64 allocs;
	/** @n_allocs: in: its length; out: allocations of the resource */
	__u32 n_allocs;
	/** @alloc_stride: in: bytes from element to element */
	__u32 alloc_stride;
	/** @priv: in: pointer to @priv_size bytes, filled with the creator's data; may be 0 */
	__u64 priv;
	/** @priv_size: in: bytes at @priv; out: bytes that the creator attached */
	__u32 priv_size;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @res: out: resource id */
	__u64 res;
	/** @fd: in: dma-buf */
	__s32 fd;
	/** @kres: out: the creator's kernel resource handle */
	__u32 kres;
	/** @index: out: index of the allocation that @fd names */
	__u32 index;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_resource_destroy - give up a resource id, its GEM handles included
 *
 * The last holder's end releases kres and every allocation, as soon as no submission uses them.
 */
struct drm_sundog_resource_destroy {
	/** @res: in: resource id */
	__u64 res;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_alloc - make allocations, for a resource or (res 0) for the device
 *
 * -EBUSY if @res is a sealed shared resource.
 */
struct drm_sundog_alloc {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc */
	__u64 allocs;
	/** @n_allocs: in: its length, at least 1 */
	__u32 n_allocs;
	/** @alloc_stride: in: bytes from element to element */
	__u32 alloc_stride;
	/** @res: in: resource id, or 0 */
	__u64 res;
	/** @kres: out: kernel resource handle, 0 for the device */
	__u32 kres;
	/** @flags: in: must be zero */
	__u32 flags;
};

/**
 * struct drm_sundog_dealloc - free allocations: all or nothing
 *
 * With @res 0 every handle must be of a device-owned allocation, else -EINVAL. With @res every
 * handle must be of an allocation of that unshared resource; the resource stays.
 */
struct drm_sundog_dealloc {
	/** @handles: in: pointer to an array of u32 GEM handles */
	__u64 handles;
	/** @n_handles: in: its length, at least 1, each handle once */
	__u32 n_handles;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @res: in: resource id, or 0 */
	__u64 res;
};

/**
 * struct drm_sundog_alloc_info - describe the allocation behind a GEM handle
 */
struct drm_sundog_alloc_info {
	/** @handle: in: GEM handle */
	__u32 handle;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @size: out: bytes */
	__u64 size;
	/** @map_offset: out: offset for mmap() */
	__u64 map_offset;
	/** @kres: out: kernel resource handle of the owning resource, 0 if none */
	__u32 kres;
	/** @index: out: index in that resource */
	__u32 index;
	/** @device_handle: out: handle on the device */
	__u32 device_handle;
	/** @alloc_flags: out: flags that the allocation was made with, see drm_sundog_alloc_desc */
	__u32 alloc_flags;
};

/** DRM_SUNDOG_SUBMIT_READ - the submission reads the allocation. */
#define DRM_SUNDOG_SUBMIT_READ		0x1
/** DRM_SUNDOG_SUBMIT_WRITE - the submission writes the allocation. */
#define DRM_SUNDOG_SUBMIT_WRITE		0x2
/**
 * DRM_SUNDOG_SUBMIT_IMPLICIT - implicit synchronisation on this allocation, for memory that is
 * shared with others or shown: READ waits for writers, WRITE for everybody, and they wait for this
 * submission. Without it only syncobjs and the order in a context synchronise submissions; WAIT
 * with DRM_SUNDOG_SUBMIT_WRITE knows of all. No effect on PRIVATE allocations.
 */
#define DRM_SUNDOG_SUBMIT_IMPLICIT	0x4

/**
 * struct drm_sundog_submit_alloc - one allocation that a submission may touch
 */
struct drm_sundog_submit_alloc {
	/** @handle: GEM handle; an allocation that is listed more than once gets all its flags */
	__u32 handle;
	/** @flags: DRM_SUNDOG_SUBMIT_READ, _WRITE, _IMPLICIT; at least READ or WRITE */
	__u32 flags;
};

/**
 * enum drm_sundog_sync_type - how a submission uses a syncobj
 */
enum drm_sundog_sync_type {
	/** @DRM_SUNDOG_SYNC_TYPE_BINARY: it holds one fence */
	DRM_SUNDOG_SYNC_TYPE_BINARY = 0,
	/** @DRM_SUNDOG_SYNC_TYPE_TIMELINE: it holds a fence for each point */
	DRM_SUNDOG_SYNC_TYPE_TIMELINE = 1,
};

/** DRM_SUNDOG_SYNC_WAIT - the submission runs when the fence of the syncobj has signaled. */
#define DRM_SUNDOG_SYNC_WAIT		0x1
/** DRM_SUNDOG_SYNC_SIGNAL - the syncobj gets the fence of the submission. */
#define DRM_SUNDOG_SYNC_SIGNAL		0x2

/**
 * struct drm_sundog_sync - a syncobj to wait for or to signal
 *
 * A wait needs a fence that exists: -EINVAL if the syncobj has none, or if the point was not
 * submitted yet. The kernel does not hold submissions back. User space that allows a wait before
 * the submission that signals (Vulkan's timelines do) waits for that submission itself, with
 * DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, before it calls SUBMIT.
 */
struct drm_sundog_sync {
	/** @type: enum drm_sundog_sync_type */
	__u32 type;
	/** @flags: either DRM_SUNDOG_SYNC_WAIT or DRM_SUNDOG_SYNC_SIGNAL */
	__u32 flags;
	/** @handle: syncobj handle */
	__u32 handle;
	/** @pad: must be zero */
	__u32 pad;
	/** @point: timeline point, not 0; must be zero for type BINARY */
	__u64 point;
};

/**
 * struct drm_sundog_submit - queue a command stream
 *
 * The stream is read from the allocation @stream when the submission runs, and must not change
 * until then; @stream need not be listed. -EIO if the context is lost; -EBUSY if a dma-buf of
 * another driver is listed for the first time, and the device takes no pages for now: nothing was
 * queued.
 *
 * A context queues 1024 submissions, fewer if they list more than 120 allocations: each 120 count
 * as one. Those on @reslist count, too, unless all is listed as it was for the submission before.
 * Who submits more waits until there is room.
 */
struct drm_sundog_submit {
	/** @ctx: in: context id */
	__u32 ctx;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @stream: in: GEM handle of the stream; ignored when @stream_size is 0 */
	__u32 stream;
	/** @stream_size: in: bytes, a multiple of 4, limited by MAX_STREAM; 0: only fences */
	__u32 stream_size;
	/** @stream_offset: in: byte offset in @stream, a multiple of 4 */
	__u64 stream_offset;
	/** @allocs: in: pointer to an array of struct drm_sundog_submit_alloc */
	__u64 allocs;
	/** @n_allocs: in: its length, at most DRM_SUNDOG_PARAM_MAX_LIST */
	__u32 n_allocs;
	/** @alloc_stride: in: bytes from element to element */
	__u32 alloc_stride;
	/** @syncs: in: pointer to an array of struct drm_sundog_sync */
	__u64 syncs;
	/** @n_syncs: in: its length, at most DRM_SUNDOG_PARAM_MAX_SYNCS */
	__u32 n_syncs;
	/** @sync_stride: in: bytes from element to element */
	__u32 sync_stride;
	/**
	 * @reslist: in: residency list whose allocations are listed as well, 0: none. With
	 * @n_allocs they are at most DRM_SUNDOG_PARAM_MAX_LIST.
	 */
	__u32 reslist;
	/** @pad: must be zero */
	__u32 pad;
	/** @seqno: out: number of the submission in its context, see status_offset */
	__u64 seqno;
};

/**
 * struct drm_sundog_wait - wait until an allocation is idle
 *
 * -ETIME when the time is over; restarts after signals.
 */
struct drm_sundog_wait {
	/** @handle: in: GEM handle */
	__u32 handle;
	/**
	 * @flags: in: DRM_SUNDOG_SUBMIT_READ: wait for writers that synchronise implicitly; _WRITE:
	 * for everybody
	 */
	__u32 flags;
	/** @timeout_ns: in: absolute CLOCK_MONOTONIC time; 0: just look */
	__s64 timeout_ns;
};

/**
 * struct drm_sundog_reslist_create - make a residency list
 *
 * A residency list holds allocations that many submissions use, so that these need not list them
 * each time. An allocation that is on it lives as long as it is. Allocations that are PRIVATE make
 * a long list cheap: only the others are locked one by one.
 */
struct drm_sundog_reslist_create {
	/** @flags: in: must be zero */
	__u32 flags;
	/** @reslist: out: id, per file, not 0 */
	__u32 reslist;
};

/**
 * struct drm_sundog_reslist_update - put allocations on a residency list, or take them off
 *
 * Submissions that were queued before use what was on it then. -EDQUOT if more would be on it than
 * DRM_SUNDOG_PARAM_MAX_LIST.
 */
struct drm_sundog_reslist_update {
	/**
	 * @allocs: in: pointer to an array of struct drm_sundog_submit_alloc; flags 0 takes the
	 * allocation off the list (-ENOENT if it is not on it), others are its flags from now on
	 */
	__u64 allocs;
	/** @n_allocs: in: its length, at least 1, at most DRM_SUNDOG_PARAM_MAX_LIST */
	__u32 n_allocs;
	/** @alloc_stride: in: bytes from element to element */
	__u32 alloc_stride;
	/** @reslist: in: id */
	__u32 reslist;
	/** @flags: in: must be zero */
	__u32 flags;
};

/**
 * struct drm_sundog_reslist_destroy - give up a residency list
 */
struct drm_sundog_reslist_destroy {
	/** @reslist: in: id */
	__u32 reslist;
	/** @flags: in: must be zero */
	__u32 flags;
};

#define DRM_IOCTL_SUNDOG_GET_PARAM \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_GET_PARAM, struct drm_sundog_get_param)
#define DRM_IOCTL_SUNDOG_GET_CAPS \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_GET_CAPS, struct drm_sundog_get_caps)
#define DRM_IOCTL_SUNDOG_CONTEXT_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_CONTEXT_CREATE, struct drm_sundog_context_create)
#define DRM_IOCTL_SUNDOG_CONTEXT_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_CONTEXT_DESTROY, struct drm_sundog_context_destroy)
#define DRM_IOCTL_SUNDOG_CONTEXT_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_CONTEXT_QUERY, struct drm_sundog_context_query)
#define DRM_IOCTL_SUNDOG_RESOURCE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_RESOURCE_CREATE, struct drm_sundog_resource_create)
#define DRM_IOCTL_SUNDOG_RESOURCE_OPEN \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_RESOURCE_OPEN, struct drm_sundog_resource_open)
#define DRM_IOCTL_SUNDOG_RESOURCE_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_RESOURCE_DESTROY, struct drm_sundog_resource_destroy)
#define DRM_IOCTL_SUNDOG_ALLOC \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_ALLOC, struct drm_sundog_alloc)
#define DRM_IOCTL_SUNDOG_DEALLOC \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_DEALLOC, struct drm_sundog_dealloc)
#define DRM_IOCTL_SUNDOG_ALLOC_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_ALLOC_INFO, struct drm_sundog_alloc_info)
#define DRM_IOCTL_SUNDOG_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_SUBMIT, struct drm_sundog_submit)
#define DRM_IOCTL_SUNDOG_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_WAIT, struct drm_sundog_wait)
#define DRM_IOCTL_SUNDOG_RESLIST_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SUNDOG_RESLIST_CREATE, struct drm_sundog_reslist_create)
#define DRM_IOCTL_SUNDOG_RESLIST_UPDATE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_RESLIST_UPDATE, struct drm_sundog_reslist_update)
#define DRM_IOCTL_SUNDOG_RESLIST_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SUNDOG_RESLIST_DESTROY, struct drm_sundog_reslist_destroy)

#if defined(__cplusplus)
}
#endif

#endif

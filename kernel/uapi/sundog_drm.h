/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * The user-space interface of the sundog DRM driver.
 *
 * Memory consists of allocations. An allocation is one GEM object. It belongs to a resource, or to
 * the open DRM file (a device-owned allocation). A resource has three kinds of names:
 *
 * - ``res``: the per-file id that RESOURCE_CREATE and RESOURCE_OPEN return. A file never gets the
 *   same id again.
 * - ``kres``: the kernel resource handle, device-wide and the same for every opener. A resource has
 *   a kres from its first allocation on; streams name its memory by {kres, index}.
 * - dma-buf file descriptors of its allocations, for sharing.
 *
 * An allocation gets VRAM when it is first used, and reads as zero until it is written. All
 * allocations together may be larger than VRAM. Each allocation must fit VRAM, and so must all
 * allocations together that one submission lists.
 *
 * This header needs drm.h and linux/const.h. The device's manual describes command streams. It is
 * docs/reference/device.md of the sundog project.
 *
 * Rules for every ioctl: reserved and padding fields must be zero. Unknown flags fail with -EINVAL.
 * A failed call changes nothing, its arguments and arrays included; only -EFAULT may leave arrays
 * partly written. Arrays of structs have a stride, so that their elements can grow.
 *
 * Extension: a struct gets new fields at its end, or in padding, where 0 means the old behaviour.
 * DRM silently drops fields that an older kernel does not know. User space must therefore check
 * before it uses a new field. Some fields are valid only with a new flag, which an older kernel
 * refuses. The others come with a minor version of the driver (DRM_IOCTL_VERSION), listed in
 * sundog_drv.c, and so do new ioctls. This header describes major version 3.
 *
 * Errors:
 *
 * - -EINVAL: bad argument
 * - -EBADF: the file descriptor is not open
 * - -ENOENT: unknown id or handle
 * - -EACCES: the mapping is not allowed, for example of another file's object
 * - -EPERM: the allocation is PRIVATE and cannot be exported
 * - -EBUSY: sealed or in use
 * - -EDQUOT: more than the file or its user may have, or than a residency list can hold
 * - -ENOMEM: out of memory, or no device handle or mmap offset is left
 * - -ENOSPC: does not fit VRAM, or the part of VRAM that is not pinned, for example by framebuffers
 *   on screen; no other failure has this error
 * - -EIO: the context is lost
 * - -ENODEV: the device was removed, or has no renderer
 * - -EOPNOTSUPP: the memory cannot be shared in this way
 * - -ETIME: the timeout of WAIT has passed
 * - -EINTR: a signal interrupted the call
 * - -EFAULT: bad pointer
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
 * enum drm_sundog_param - parameters of the device, for GET_PARAM
 */
enum drm_sundog_param {
	/** @DRM_SUNDOG_PARAM_PROTOCOL: protocol version, major << 16 | minor */
	DRM_SUNDOG_PARAM_PROTOCOL = 0,
	/** @DRM_SUNDOG_PARAM_FEATURES: DRM_SUNDOG_FEATURE_* of device and renderer */
	DRM_SUNDOG_PARAM_FEATURES = 1,
	/** @DRM_SUNDOG_PARAM_VRAM_SIZE: size of VRAM in bytes */
	DRM_SUNDOG_PARAM_VRAM_SIZE = 2,
	/** @DRM_SUNDOG_PARAM_VRAM_FREE: free VRAM in bytes */
	DRM_SUNDOG_PARAM_VRAM_FREE = 3,
	/** @DRM_SUNDOG_PARAM_MAX_LIST: maximum number of allocations that a submission lists */
	DRM_SUNDOG_PARAM_MAX_LIST = 4,
	/** @DRM_SUNDOG_PARAM_MAX_SYNCS: maximum number of syncobjs of a submission */
	DRM_SUNDOG_PARAM_MAX_SYNCS = 5,
	/** @DRM_SUNDOG_PARAM_MAX_STREAM: maximum size of the stream of a submission in bytes */
	DRM_SUNDOG_PARAM_MAX_STREAM = 6,
};

/**
 * struct drm_sundog_get_param - read a parameter of the device
 */
struct drm_sundog_get_param {
	/** @param: in: enum drm_sundog_param; -EINVAL if unknown */
	__u32 param;
	/** @pad: must be zero */
	__u32 pad;
	/** @value: out: value of the parameter */
	__u64 value;
};

/*
 * Bits of DRM_SUNDOG_PARAM_FEATURES: abilities of the device and its renderer. For all bits see
 * the device's manual.
 */

/** DRM_SUNDOG_FEATURE_RENDER - contexts and submissions. */
#define DRM_SUNDOG_FEATURE_RENDER		_BITULL(0)
/**
 * DRM_SUNDOG_FEATURE_LINEAR_LAYOUT - image bytes follow the layout rule of the capability block.
 */
#define DRM_SUNDOG_FEATURE_LINEAR_LAYOUT	_BITULL(1)
/** DRM_SUNDOG_FEATURE_RAW_MOVE - allocations may move out of VRAM and back. */
#define DRM_SUNDOG_FEATURE_RAW_MOVE		_BITULL(2)
/** DRM_SUNDOG_FEATURE_HEAP_GUEST - memory can be shared with other drivers' devices. */
#define DRM_SUNDOG_FEATURE_HEAP_GUEST		_BITULL(5)
/** DRM_SUNDOG_FEATURE_DISCARD - freed VRAM is returned to the host. */
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
 * The kernel copies the block from the device. It interprets the first two little-endian 32-bit
 * words only: the size in bytes and the version. For the other words see struct caps in the
 * device's manual. The version is the protocol version of the renderer, major << 16 | minor.
 * Another major version has another layout; a new minor version only defines words that were 0.
 *
 * Fails with -ENODEV while the device has no renderer.
 */
struct drm_sundog_get_caps {
	/** @data: in: pointer to @size bytes; bytes after the end of the block are set to 0 */
	__u64 data;
	/** @size: in: bytes at @data, may be 0; out: size of the block in bytes */
	__u32 size;
	/** @version: in: must be zero; out: version of the block */
	__u32 version;
};

/**
 * struct drm_sundog_context_create - create a context, an in-order queue of submissions
 *
 * All contexts of a DRM file share one space of object ids on the device.
 *
 * Fails with -ENODEV without a renderer, and with -EIO if the context was lost before it could run.
 * Fails with -EBUSY if all channels are in use, or if the file or its user has its maximum (by
 * default half and three quarters of all channels). The call waits for channels whose contexts were
 * destroyed or whose files were closed; they are not in use. Also fails with -EBUSY if the device
 * is wedged: a worker does not stop and keeps its memory.
 */
struct drm_sundog_context_create {
	/** @flags: in: must be zero */
	__u32 flags;
	/** @ctx: out: context id, per file, not 0 */
	__u32 ctx;
	/**
	 * @status_offset: out: mmap offset of the context's read-only status page, struct
	 * drm_sundog_status. A submission is done when ``completed`` has reached its seqno.
	 */
	__u64 status_offset;
};

/**
 * struct drm_sundog_context_destroy - destroy a context
 *
 * Queued submissions are dropped, and the running one is finished or stopped. All their fences
 * signal; the fence of a queued submission signals after the fences that the submission waits for.
 * Closing the file destroys all its contexts in the same way.
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
 * The page is memory of the device, mapped read-only. A program can see the end of a submission
 * before the kernel does, and without a system call. The page is only a hint: the worker of the
 * program's own file writes @completed, and could write @lost. Fences and CONTEXT_QUERY report the
 * kernel's state. The offsets of the two fields are part of this interface; all other fields belong
 * to the device. The page of a destroyed context reads as zero.
 */
struct drm_sundog_status {
	/** @reserved0: not for user space */
	__u32 reserved0[2];
	/** @completed: seqno of the last completed submission; read with acquire ordering */
	__u64 completed;
	/** @reserved: not for user space */
	__u64 reserved[6];
	/**
	 * @lost: not 0 if the context accepts no more work, see CONTEXT_QUERY. The kernel sets it
	 * before it signals the fence of a submission that did not finish.
	 */
	__u32 lost;
	/** @reserved1: 0 */
	__u32 reserved1;
};

/**
 * enum drm_sundog_context_state - state of a context
 */
enum drm_sundog_context_state {
	/** @DRM_SUNDOG_CONTEXT_RUNNING: the context accepts submissions */
	DRM_SUNDOG_CONTEXT_RUNNING = 0,
	/** @DRM_SUNDOG_CONTEXT_LOST: it accepts no submission; earlier ones may still run */
	DRM_SUNDOG_CONTEXT_LOST = 1,
	/** @DRM_SUNDOG_CONTEXT_ENDED: it accepts no submission, and none runs any more */
	DRM_SUNDOG_CONTEXT_ENDED = 2,
};

/**
 * enum drm_sundog_guilt - whether a context caused its own loss
 */
enum drm_sundog_guilt {
	/** @DRM_SUNDOG_GUILT_NONE: the context was not lost */
	DRM_SUNDOG_GUILT_NONE = 0,
	/** @DRM_SUNDOG_INNOCENT: another context caused it, or a reset or removal of the device */
	DRM_SUNDOG_INNOCENT = 1,
	/**
	 * @DRM_SUNDOG_GUILTY: the context caused the loss by a bad stream, or by work at which the
	 * worker ended; or it had work then, and the worker could not name the submission
	 */
	DRM_SUNDOG_GUILTY = 2,
};

/**
 * enum drm_sundog_fault - reason for the loss of a context
 */
enum drm_sundog_fault {
	/** @DRM_SUNDOG_FAULT_NONE: no fault */
	DRM_SUNDOG_FAULT_NONE = 0,
	/** @DRM_SUNDOG_FAULT_RING: a ring entry is malformed; arg: the bad value */
	DRM_SUNDOG_FAULT_RING = 1,
	/** @DRM_SUNDOG_FAULT_STREAM: the stream's allocation is stale, or too small for it */
	DRM_SUNDOG_FAULT_STREAM = 2,
	/** @DRM_SUNDOG_FAULT_LIST: an entry of the allocation list is bad; arg: its index */
	DRM_SUNDOG_FAULT_LIST = 3,
	/** @DRM_SUNDOG_FAULT_OPCODE: unknown opcode; arg: the opcode */
	DRM_SUNDOG_FAULT_OPCODE = 4,
	/** @DRM_SUNDOG_FAULT_LENGTH: a packet's length does not fit its opcode; arg: dwords */
	DRM_SUNDOG_FAULT_LENGTH = 5,
	/** @DRM_SUNDOG_FAULT_FIELD: a field is out of range; arg: its dword in the packet */
	DRM_SUNDOG_FAULT_FIELD = 6,
	/** @DRM_SUNDOG_FAULT_OBJECT: an object id is missing, in use or of a wrong kind; arg: id */
	DRM_SUNDOG_FAULT_OBJECT = 7,
	/** @DRM_SUNDOG_FAULT_NOT_LISTED: memory is not in the list; arg: its index or handle */
	DRM_SUNDOG_FAULT_NOT_LISTED = 8,
	/** @DRM_SUNDOG_FAULT_ACCESS: memory is listed without the access; arg: device handle */
	DRM_SUNDOG_FAULT_ACCESS = 9,
	/** @DRM_SUNDOG_FAULT_RANGE: outside of an allocation or image; arg: handle or object id */
	DRM_SUNDOG_FAULT_RANGE = 10,
	/** @DRM_SUNDOG_FAULT_SHADER: a shader was refused; arg: object id */
	DRM_SUNDOG_FAULT_SHADER = 11,
	/** @DRM_SUNDOG_FAULT_STATE: a packet is not legal in the current state; arg: the opcode */
	DRM_SUNDOG_FAULT_STATE = 12,
	/** @DRM_SUNDOG_FAULT_HOST: the host's driver failed; arg: VkResult, negated */
	DRM_SUNDOG_FAULT_HOST = 13,
	/** @DRM_SUNDOG_FAULT_WORKER: the worker ended */
	DRM_SUNDOG_FAULT_WORKER = 14,
	/** @DRM_SUNDOG_FAULT_TIMEOUT: the worker made no progress and was ended */
	DRM_SUNDOG_FAULT_TIMEOUT = 15,
	/** @DRM_SUNDOG_FAULT_DEVICE: the device was reset or removed */
	DRM_SUNDOG_FAULT_DEVICE = 0x10000,
};

/**
 * struct drm_sundog_context_query - read the state of a context, and the reason for its loss
 *
 * If the worker of a file ends, all contexts of the file are lost. The context that hung or crashed
 * the worker is guilty; the others have the same @fault and are innocent. The file's next context
 * gets a new worker, without the objects of the old one.
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
	/** @seqno: out: seqno of the faulting submission, 0 if unknown */
	__u64 seqno;
	/** @offset: out: byte offset of the faulting packet in that submission's stream */
	__u64 offset;
	/** @arg: out: argument of the fault, see enum drm_sundog_fault */
	__u64 arg;
};

/** DRM_SUNDOG_RESOURCE_SHARED - the resource can be opened through a dma-buf of its allocations. */
#define DRM_SUNDOG_RESOURCE_SHARED	0x1

/** DRM_SUNDOG_MAX_PRIVATE - maximum bytes of private data of a resource or an allocation. */
#define DRM_SUNDOG_MAX_PRIVATE		4096

/** DRM_SUNDOG_MAX_ALLOCS - maximum number of allocations of one call, and of a resource. */
#define DRM_SUNDOG_MAX_ALLOCS		1024

/**
 * DRM_SUNDOG_ALLOC_PRIVATE - the allocation never leaves its file: it cannot be exported (-EPERM),
 * scanned out, or created for a SHARED resource.
 *
 * All PRIVATE allocations of a file share one dma_resv, so that a submission may list thousands of
 * them. They have no implicit synchronisation. A PRIVATE allocation is idle when all submissions
 * that were queued until then and list any of them are done. WAIT and the release of its memory
 * wait for that.
 */
#define DRM_SUNDOG_ALLOC_PRIVATE	0x1

/**
 * struct drm_sundog_alloc_desc - one allocation that a call creates or opens
 */
struct drm_sundog_alloc_desc {
	/** @size: size in bytes, rounded up to pages; in for create, out for open */
	__u64 size;
	/** @map_offset: out: offset for mmap() on the DRM file */
	__u64 map_offset;
	/** @priv: in: pointer to @priv_size bytes: read at creation, filled at open; may be 0 */
	__u64 priv;
	/**
	 * @priv_size: in: bytes at @priv, at most DRM_SUNDOG_MAX_PRIVATE for create; out for open:
	 * bytes of private data that the creator attached
	 */
	__u32 priv_size;
	/** @flags: in: DRM_SUNDOG_ALLOC_*; must be zero for open */
	__u32 flags;
	/** @handle: out: GEM handle in this file */
	__u32 handle;
	/** @index: out: index in the resource, 0 for a device-owned allocation */
	__u32 index;
	/** @device_handle: out: device handle of the allocation, device-wide */
	__u32 device_handle;
	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_sundog_resource_create - create a resource, with or without allocations
 *
 * The first allocations of a SHARED resource seal it. They are created here or by one ALLOC.
 */
struct drm_sundog_resource_create {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc */
	__u64 allocs;
	/** @n_allocs: in: length of @allocs, may be 0 */
	__u32 n_allocs;
	/** @alloc_stride: in: distance between two elements of @allocs in bytes */
	__u32 alloc_stride;
	/** @priv: in: pointer to private data, which openers of the resource get; may be 0 */
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
 * Every open returns a new @res and new GEM handles, also in the file that created the resource.
 * Fails with -ENOENT if @fd is a dma-buf, but not of a shared sundog resource of this device. Fails
 * with -EINVAL if the array is too short, and if @fd is another file than a dma-buf. With @n_allocs
 * 0 the call is a query: it opens nothing, sets @res to 0, and returns the required length of the
 * array, which never changes.
 */
struct drm_sundog_resource_open {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc, filled by index */
	__u64 allocs;
	/** @n_allocs: in: length of @allocs; out: number of allocations of the resource */
	__u32 n_allocs;
	/** @alloc_stride: in: distance between two elements of @allocs in bytes */
	__u32 alloc_stride;
	/** @priv: in: pointer to @priv_size bytes, filled with the creator's data; may be 0 */
	__u64 priv;
	/** @priv_size: in: bytes at @priv; out: bytes of data that the creator attached */
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
 * struct drm_sundog_resource_destroy - release a resource id and its GEM handles
 *
 * Ids and dma-bufs are holders of a resource. The release of the last holder releases kres and
 * every allocation; memory is freed when no submission uses it any more.
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
 * struct drm_sundog_alloc - create allocations of a resource, or (res 0) device-owned ones
 *
 * Fails with -EBUSY if @res is a sealed shared resource.
 */
struct drm_sundog_alloc {
	/** @allocs: in: pointer to an array of struct drm_sundog_alloc_desc */
	__u64 allocs;
	/** @n_allocs: in: length of @allocs, at least 1 */
	__u32 n_allocs;
	/** @alloc_stride: in: distance between two elements of @allocs in bytes */
	__u32 alloc_stride;
	/** @res: in: resource id, or 0 */
	__u64 res;
	/** @kres: out: kernel resource handle, 0 for device-owned allocations */
	__u32 kres;
	/** @flags: in: must be zero */
	__u32 flags;
};

/**
 * struct drm_sundog_dealloc - free allocations: all or nothing
 *
 * With @res 0 every handle must name a device-owned allocation, else the call fails with -EINVAL.
 * With @res every handle must have come with that id, else -EINVAL; the resource stays. Fails with
 * -EBUSY if the resource is shared.
 */
struct drm_sundog_dealloc {
	/** @handles: in: pointer to an array of u32 GEM handles */
	__u64 handles;
	/** @n_handles: in: length of @handles, at least 1; duplicates are not allowed */
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
	/** @size: out: size in bytes */
	__u64 size;
	/** @map_offset: out: offset for mmap() */
	__u64 map_offset;
	/** @kres: out: kernel resource handle of the owning resource, 0 if none */
	__u32 kres;
	/** @index: out: index in that resource */
	__u32 index;
	/** @device_handle: out: device handle */
	__u32 device_handle;
	/** @alloc_flags: out: DRM_SUNDOG_ALLOC_* flags of the allocation's creation */
	__u32 alloc_flags;
};

/** DRM_SUNDOG_SUBMIT_READ - the submission reads the allocation. */
#define DRM_SUNDOG_SUBMIT_READ		0x1
/** DRM_SUNDOG_SUBMIT_WRITE - the submission writes the allocation. */
#define DRM_SUNDOG_SUBMIT_WRITE		0x2
/**
 * DRM_SUNDOG_SUBMIT_IMPLICIT - implicit synchronisation on this allocation, for memory that is
 * shared with other clients or scanned out. READ waits for writers, WRITE for readers and writers;
 * later users wait for this submission in the same way. Without the flag only syncobjs and the
 * order in a context synchronise submissions, but WAIT with DRM_SUNDOG_SUBMIT_WRITE waits for all
 * of them. The flag has no effect on PRIVATE allocations.
 */
#define DRM_SUNDOG_SUBMIT_IMPLICIT	0x4

/**
 * struct drm_sundog_submit_alloc - one allocation that a submission may touch
 */
struct drm_sundog_submit_alloc {
	/** @handle: GEM handle; the flags of an allocation that is listed twice are combined */
	__u32 handle;
	/** @flags: DRM_SUNDOG_SUBMIT_READ, _WRITE, _IMPLICIT; at least READ or WRITE */
	__u32 flags;
};

/**
 * enum drm_sundog_sync_type - kind of a syncobj
 */
enum drm_sundog_sync_type {
	/** @DRM_SUNDOG_SYNC_TYPE_BINARY: a syncobj with one fence */
	DRM_SUNDOG_SYNC_TYPE_BINARY = 0,
	/** @DRM_SUNDOG_SYNC_TYPE_TIMELINE: a syncobj with a fence for each point */
	DRM_SUNDOG_SYNC_TYPE_TIMELINE = 1,
};

/** DRM_SUNDOG_SYNC_WAIT - the submission runs after the fence of the syncobj has signaled. */
#define DRM_SUNDOG_SYNC_WAIT		0x1
/** DRM_SUNDOG_SYNC_SIGNAL - the syncobj gets the fence of the submission. */
#define DRM_SUNDOG_SYNC_SIGNAL		0x2

/**
 * struct drm_sundog_sync - a syncobj to wait for or to signal
 *
 * The fence of a wait must exist: SUBMIT fails with -EINVAL if the syncobj has no fence, or if the
 * point was not submitted yet. The kernel does not delay SUBMIT until the fence exists. User space
 * whose API allows a wait before the signaling submission (Vulkan's timelines do) must wait for
 * that submission, with DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, before it calls SUBMIT.
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
 * The device reads the stream from the allocation @stream when the submission runs. The stream must
 * not change until then; @stream need not be listed.
 *
 * Fails with -EIO if the context is lost. Fails with -EBUSY if another driver's dma-buf is listed
 * for the first time, and the device cannot map its pages now. Fails with -EBUSY, too, if another
 * driver shares @stream. After an error nothing is queued.
 *
 * A context queues at most 1024 submissions. A submission that lists more than 120 allocations
 * counts once for each 120, unless its list is the same as that of the submission before;
 * allocations on @reslist count, too. Each 120 fences that a submission waits for count as one
 * more. SUBMIT waits while the queue is full.
 */
struct drm_sundog_submit {
	/** @ctx: in: context id */
	__u32 ctx;
	/** @flags: in: must be zero */
	__u32 flags;
	/** @stream: in: GEM handle of the stream; ignored when @stream_size is 0 */
	__u32 stream;
	/** @stream_size: in: bytes, a multiple of 4, at most MAX_STREAM; 0: only fences */
	__u32 stream_size;
	/** @stream_offset: in: byte offset in @stream, a multiple of 4 */
	__u64 stream_offset;
	/** @allocs: in: pointer to an array of struct drm_sundog_submit_alloc */
	__u64 allocs;
	/** @n_allocs: in: length of @allocs, at most DRM_SUNDOG_PARAM_MAX_LIST */
	__u32 n_allocs;
	/** @alloc_stride: in: distance between two elements of @allocs in bytes */
	__u32 alloc_stride;
	/** @syncs: in: pointer to an array of struct drm_sundog_sync */
	__u64 syncs;
	/** @n_syncs: in: length of @syncs, at most DRM_SUNDOG_PARAM_MAX_SYNCS */
	__u32 n_syncs;
	/** @sync_stride: in: distance between two elements of @syncs in bytes */
	__u32 sync_stride;
	/**
	 * @reslist: in: id of a residency list whose allocations are listed as well, or 0. The list
	 * and @allocs together have at most DRM_SUNDOG_PARAM_MAX_LIST elements.
	 */
	__u32 reslist;
	/** @pad: must be zero */
	__u32 pad;
	/** @seqno: out: number of the submission in its context, see struct drm_sundog_status */
	__u64 seqno;
};

/**
 * struct drm_sundog_wait - wait until an allocation is idle
 *
 * Fails with -ETIME after the timeout; restarts after signals.
 */
struct drm_sundog_wait {
	/** @handle: in: GEM handle */
	__u32 handle;
	/**
	 * @flags: in: DRM_SUNDOG_SUBMIT_READ: wait for writers that synchronise implicitly; _WRITE:
	 * for all users. PRIVATE allocations: for all users in both cases
	 */
	__u32 flags;
	/** @timeout_ns: in: absolute CLOCK_MONOTONIC time; 0: do not wait */
	__s64 timeout_ns;
};

/**
 * struct drm_sundog_reslist_create - create a residency list
 *
 * A residency list has allocations that many submissions use, so that each submission names only
 * the list. The list keeps its allocations alive. PRIVATE allocations make a long list cheap: the
 * kernel locks only the others one by one.
 */
struct drm_sundog_reslist_create {
	/** @flags: in: must be zero */
	__u32 flags;
	/** @reslist: out: id of the list, per file, not 0 */
	__u32 reslist;
};

/**
 * struct drm_sundog_reslist_update - add allocations to a residency list, or remove them
 *
 * Queued submissions keep the allocations that were on the list when they were submitted. Fails
 * with -EDQUOT if the list would have more allocations than DRM_SUNDOG_PARAM_MAX_LIST.
 */
struct drm_sundog_reslist_update {
	/**
	 * @allocs: in: pointer to an array of struct drm_sundog_submit_alloc; flags 0 removes the
	 * allocation (-ENOENT if it is not on the list), other flags add it or replace its flags
	 */
	__u64 allocs;
	/** @n_allocs: in: length of @allocs, at least 1, at most DRM_SUNDOG_PARAM_MAX_LIST */
	__u32 n_allocs;
	/** @alloc_stride: in: distance between two elements of @allocs in bytes */
	__u32 alloc_stride;
	/** @reslist: in: id of the list */
	__u32 reslist;
	/** @flags: in: must be zero */
	__u32 flags;
};

/**
 * struct drm_sundog_reslist_destroy - destroy a residency list
 */
struct drm_sundog_reslist_destroy {
	/** @reslist: in: id of the list */
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

/* SPDX-License-Identifier: MIT */
/*
 * vk-corpus's device, in `vk` of vk.h: the loader's first one, with all features that it offers to
 * shaders. A process opens it once, and never after a fork() of one that has it open.
 */
#ifndef TESTS_CORPUS_DEVICE_H
#define TESTS_CORPUS_DEVICE_H

#include "spirv-reflect.h"
#include "vk.h"

extern struct corpus_device {
	bool faults, depth_clamp, addresses, geometry, meshes;
	struct vk_buffer pointee;	/* of all pointers that buffers contain */
	VkDeviceAddress address;	/* the pointee's */
	char message[256];		/* the driver's first one since the caller emptied it */
} corpus_device;

void corpus_open_instance(void);
void corpus_open_device(void);
/* The driver's description of the fault that lost the device, empty if it has none. */
void corpus_describe_loss(char *text, size_t size);
/* Fills the pointee. Returns false if the module has no pointers to such buffers. */
bool corpus_fill_pointee(const struct spirv *s);
/* Addresses differ between drivers: a pointer to the pointee counts as its offset. */
uint64_t corpus_without_address(uint64_t word);

#endif

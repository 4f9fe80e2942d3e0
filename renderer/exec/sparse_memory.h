/* SPDX-License-Identifier: MIT */
/*
 * Sparse memory: a range of device addresses (address.h) that packets name as they name an
 * allocation. Images and buffers in it reach whatever is mapped at the addresses. The worker's main
 * thread makes all calls.
 *
 * The range contains memory of the client or unmapped pages, since nothing else is mapped at device
 * addresses, and there are guard pages around all of them. So sparse memory holds no references to
 * what is mapped, and needs no entry in a submission's list.
 */
#ifndef EXEC_SPARSE_MEMORY_H
#define EXEC_SPARSE_MEMORY_H

#include <stdint.h>

struct alloc;
struct exec;

/* Returns the sparse memory with object @id, or NULL with a fault recorded. */
struct alloc *sparse_memory_find(struct exec *x, uint32_t id);

void sparse_memory_free(struct exec *x, struct alloc *memory);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The part of QEMU's qemu/bswap.h that sundog-compose.c needs, for a build of it outside QEMU. The
 * tests are built for little-endian machines only.
 */
#ifndef QEMU_BSWAP_H
#define QEMU_BSWAP_H

#include <stdint.h>

static inline uint16_t le16_to_cpu(uint16_t v)
{
	return v;
}

static inline uint32_t le32_to_cpu(uint32_t v)
{
	return v;
}

static inline uint64_t le64_to_cpu(uint64_t v)
{
	return v;
}

#endif

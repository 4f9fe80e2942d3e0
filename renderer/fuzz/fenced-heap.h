/* SPDX-License-Identifier: MIT */
/*
 * A heap for fuzz targets that draw: blocks of 256 bytes to 4 MiB end at memory that is not mapped,
 * so that code without AddressSanitizer, which is the host driver and all code that it compiles,
 * crashes when it accesses memory behind a block. The file replaces malloc(), realloc() and free()
 * of the process. Smaller and larger blocks are AddressSanitizer's. Any thread.
 *
 * New blocks are full of FENCED_FILL, except for those of calloc().
 */
#ifndef FENCED_HEAP_H
#define FENCED_HEAP_H

#define FENCED_FILL 0xbe	/* AddressSanitizer fills its blocks with the same byte */

#endif

// SPDX-License-Identifier: MIT
/*
 * Room behind what the host driver aligns.
 *
 * llvmpipe lays out vertices for the inputs of the fragment shader that they have; of several that they lack it keeps
 * one, and reads the others as if all were there, past the vertex and past its buffer. Guests may pair any shaders,
 * and what an input is that nobody wrote is undefined: so there are zeroes, and nothing that the worker had freed.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 1024u			/* more than all inputs of a fragment shader: 38 of 16 bytes */
#define MAX_CLEARED (64u << 10)		/* buffers that are not filled as soon as they are made are below */
#define MIN_SIZE 32u			/* of a vertex that lacks some: a position, and one for all of them */

int posix_memalign(void **out, size_t align, size_t size)
{
	const size_t slack = size < MIN_SIZE ? 0 : SLACK;
	void *p;

	if (align % sizeof(void *) || !align || align & (align - 1))
		return EINVAL;
	if (size > PTRDIFF_MAX - SLACK - align)
		return ENOMEM;
	p = aligned_alloc(align, (size + slack + align - 1) / align * align);
	if (!p)
		return ENOMEM;
	if (size <= MAX_CLEARED)
		memset(p, 0, size + slack);
	else
		memset((char *)p + size, 0, slack);
	*out = p;
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * Replaces posix_memalign(), with which the host driver allocates vertices, and adds zeroed slack
 * behind each block. Runs on any thread; only the host driver in workers depends on it.
 *
 * llvmpipe lays out vertices for the fragment shader inputs that they have. Of several missing
 * inputs it keeps one, and reads the others as if all were there, past the vertex and past its
 * buffer. Guests may combine any shaders, and inputs that no shader wrote are undefined. With the
 * slack such reads return zeroes, and never memory that the worker had freed.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* bytes; more than all inputs of a fragment shader: 38 of 16 bytes */
#define SLACK 1024u
/* bytes; buffers that the host does not fill right away are smaller */
#define MAX_CLEARED (64u << 10)
/* bytes of a vertex that lacks inputs: a position, and one slot for all of them */
#define MIN_SIZE 32u

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

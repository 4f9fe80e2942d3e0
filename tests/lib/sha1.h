/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), the hash that Mesa stores in its binaries. */
#ifndef TESTS_SHA1_H
#define TESTS_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_SIZE 20

void sha1(const void *data, size_t size, uint8_t out[SHA1_SIZE]);

#endif

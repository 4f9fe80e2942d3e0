/* SPDX-License-Identifier: MIT */
/*
 * Generates SPIR-V modules from the bytes of a fuzz input. They are valid by construction and cover
 * every instruction that reads, writes or makes a pointer, with pointers of each storage class and
 * type, access chains of each shape, and indices that are constants (in range or not) or computed.
 * A module that spirv-val refuses nevertheless is not a finding.
 */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

/* Size of the largest module in words. */
#define GRAMMAR_WORDS 16384

/*
 * Generates a module of @stage (enum sundog_stage) from @size bytes of choices. Returns its size in
 * words.
 */
size_t grammar_module(uint32_t stage, const uint8_t *choices, size_t size,
		      uint32_t code[GRAMMAR_WORDS]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Shaders that are valid by construction, made of the bytes of a fuzz input: each instruction that reads, writes or leads
 * anywhere, at pointers of each storage class and type, through chains of each shape, with indices that are constants, in
 * range or not, or computed. What a validator refuses all the same is no finding.
 */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

/* Words of the largest module. */
#define GRAMMAR_WORDS 16384

/* Makes a module of @stage (enum sundog_stage) of @size bytes of choices. Returns its words. */
size_t grammar_module(uint32_t stage, const uint8_t *choices, size_t size, uint32_t code[GRAMMAR_WORDS]);

#endif
